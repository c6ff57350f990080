/* checksum.h: finds damage in long runs of bytes. */
#ifndef SETTI_CHECKSUM_H
#define SETTI_CHECKSUM_H

#include "base/common.h"

/* A checksum of bytes, the same on every machine. Of parts: each seeded by that of the one before.
 */
uint64_t setti_checksum(uint64_t seed, const void* bytes, size_t size);

#endif

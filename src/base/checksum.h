/* checksum.h: finds damage in long runs of bytes. */
#ifndef SETTI_CHECKSUM_H
#define SETTI_CHECKSUM_H

#include "base/common.h"

/* Returns a checksum, equal on every machine. To continue with more bytes, pass the checksum so far
 * as `seed`. */
uint64_t setti_checksum(uint64_t seed, const void* bytes, size_t size);

#endif

/* checksum.h: finds damage in long runs of bytes. */
#ifndef SETTI_CHECKSUM_H
#define SETTI_CHECKSUM_H

#include "base/common.h"

/* Continues the checksum `seed` with more bytes. */
uint64_t setti_checksum(uint64_t seed, const void* bytes, size_t size);

#endif

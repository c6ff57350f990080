/* checksum.h: finds damage in long runs of bytes. */
#ifndef SETTI_CHECKSUM_H
#define SETTI_CHECKSUM_H

#include "base/common.h"

/* Returns the checksum of bytes. To continue a checksum with more bytes, pass it as `seed`. */
uint64_t setti_checksum(uint64_t seed, const void* bytes, size_t size);

#endif

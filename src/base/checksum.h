/* checksum.h: finds damage in long runs of bytes. */
#ifndef SETTI_CHECKSUM_H
#define SETTI_CHECKSUM_H

#include "base/common.h"

/* Returns a checksum of bytes, equal on every machine. To sum several parts, pass the checksum of
 * each as the seed of the next. */
uint64_t setti_checksum(uint64_t seed, const void* bytes, size_t size);

#endif

/* hash.h: what values amount to. */
#ifndef SETTI_HASH_H
#define SETTI_HASH_H

#include "world/world.h"

/* The ranges of bytes that make up a value of this type: *count of them, none if nothing of it is
 * part of the state. `whole` is room for one. */
const sett_byte_range* setti_hash_ranges(const setti_type* type, sett_byte_range* whole,
                                         uint32_t* count);

/* Computes anew what is known by page and compares. Returns the type, or NULL, of which a page was
 * written without its tick. */
const setti_type* setti_hash_check(sett_world* world, uint32_t* first_index);

#endif

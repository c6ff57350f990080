/* owner.h: shared memory of values, for texts and items of lists. */
#ifndef SETTI_OWNER_H
#define SETTI_OWNER_H

#include "base/common.h"
#include "sett/strings.h"

/* Allocates memory with one owner. Returns NULL if memory runs out. */
void* setti_owned_create(const sett_allocator* allocator, size_t size);

/* Add or remove an owner. Removing the last owner frees the memory. `memory` may be NULL. */
void setti_owned_take(const void* memory);
void setti_owned_drop(const void* memory);

/* Replace a text, or resize a list. The bytes of new items are zeroes. If memory runs out, both
 * functions return false and change nothing. */
bool setti_string_set(const sett_allocator* allocator, sett_string* string, const void* text,
                      size_t length);
bool setti_list_resize(const sett_allocator* allocator, sett_list* list, uint32_t item_size,
                       uint32_t count);

#endif

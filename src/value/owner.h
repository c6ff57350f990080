/* owner.h: memory that values share: texts and items of lists. */
#ifndef SETTI_OWNER_H
#define SETTI_OWNER_H

#include "base/common.h"
#include "sett/strings.h"

/* New memory with one owner; NULL when there is none. */
void* setti_owned_create(const sett_allocator* allocator, size_t size);

/* One owner more, one less: the last frees it. NULL is fine. */
void setti_owned_take(const void* memory);
void setti_owned_drop(const void* memory);

/* Replace what a string or a list has. False when memory runs out: nothing has changed. */
bool setti_string_set(const sett_allocator* allocator, sett_string* string, const void* text,
                      size_t length);
bool setti_list_resize(const sett_allocator* allocator, sett_list* list, uint32_t item_size,
                       uint32_t count);

#endif

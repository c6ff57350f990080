/* strings.h: strings and lists that a value owns.
 *
 *     typedef struct Book { sett_string title; sett_list marks; uint32_t pages; } Book;
 *     typedef struct Mark { uint32_t page; float x; } Mark;
 *
 *     COMPONENT(Book, .members = SETT_STRUCT(Book, title,
 *                                            (marks, .of = SETT_STRUCT(Mark, page, x)), pages))
 *
 *     Book* book = SETT_ADD(world, e, Book);
 *     sett_string_set(world, &book->title, "On Growth and Form");
 *     Mark* mark = SETT_LIST_PUSH(world, &book->marks, Mark);
 *     puts(sett_string_get(&book->title));
 *
 * A type with such members (members.h) needs no hooks: the library makes them from the members.
 * Snapshots, copies, prefabs, commands, hashes, deltas, files and JSON contain the text and the
 * items.
 *
 * Copies of a value share their text and their items. A counter in front of them says how many
 * values do, and the last one frees them. So copying never takes memory and never fails: a snapshot
 * of a long text costs a few bytes. A call that changes a list first makes this value its only
 * owner. Never assign `text` or `items`, and do not write through them: add the value, or set one
 * without texts, then call sett_string_set.
 *
 * All zeroes is the empty string, and the empty list. A value outside of a world owns what it has
 * too: free it with sett_string_set(world, &value.title, NULL) and sett_list_resize(world,
 * &value.marks, 0, 0).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_STRINGS_H
#define SETT_STRINGS_H

#include "sett/base.h"

struct sett_world;

/* A text, or NULL for the empty one. 8 bytes on all machines. */
typedef struct sett_string {
    union {
        const char* text;
        uint64_t room_;
    };
} sett_string;

/* An array of `count` items of `item_size` bytes; NULL for the empty one. 16 bytes on all machines.
 */
typedef struct sett_list {
    union {
        const void* items;
        uint64_t room_;
    };
    uint32_t count;
    uint32_t item_size;
} sett_list;

/* Returns the text; "" for the empty string. Threads: reader. Since: 0.2 */
static inline const char* sett_string_get(const sett_string* string)
{
    return string->text != NULL ? string->text : "";
}

/* Replaces the text. The new one is copied. NULL or "" frees the old one.
 *   world  where memory comes from
 * Fails: OUT_OF_MEMORY, LIMIT (2 GB or more). The old text then stays.
 * Threads: system; a program's own allocator must then allow calls from several threads.
 * Since: 0.2 */
SETT_API sett_status sett_string_set(struct sett_world* world, sett_string* string,
                                     const char* text);

/* Changes the number of items. New ones are zeroes. 0 frees the list.
 *   item_size  bytes of an item: the same for all calls for one list
 * Returns the items, to write; valid until the list or a copy of its value is made or changed. NULL
 * for no items, and on failure. Fails: OUT_OF_MEMORY, ARGUMENT (another item_size); the list stays.
 * Cost: O(items) if the list is shared or has to grow, else O(new items).
 * Threads: as sett_string_set. Since: 0.2 */
SETT_API void* sett_list_resize(struct sett_world* world, sett_list* list, uint32_t item_size,
                                uint32_t count);

/* The items of a list, as values of type T: to read; to write (NULL if there are none, or memory
 * runs out); one more at the end, all zeroes. The last two are sett_list_resize. */
#define SETT_LIST_ITEMS(list, T) ((const T*)(list)->items)
#define SETT_LIST_EDIT(world, list, T)                                                             \
    ((T*)sett_list_resize((world), (list), (uint32_t)sizeof(T), (list)->count))
#define SETT_LIST_PUSH(world, list, T) ((T*)sett_list_push_((world), (list), (uint32_t)sizeof(T)))

static inline void* sett_list_push_(struct sett_world* world, sett_list* list, uint32_t item_size)
{
    unsigned char* items =
        (unsigned char*)sett_list_resize(world, list, item_size, list->count + 1);
    return items != NULL ? items + (size_t)item_size * (list->count - 1) : NULL;
}

#endif

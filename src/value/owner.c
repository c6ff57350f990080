/* owner.c: shared memory of values, for texts and items of lists.
 *
 * The workload: a program sets names and inventories now and then. Pages with such values are
 * copied each frame, by writes that cannot fail. So a copied value shares the memory of the
 * original. Memory is allocated only by calls of the program.
 *
 *     owners | size | allocator | bytes, aligned to 16
 *                                 ^ the address that values hold
 *
 * Rejected: to copy the memory with each value. The copy hook cannot report that memory runs out.
 *
 * Invariant:  owners = number of values that hold the address;  bytes with several owners do not
 *             change
 */
#include "value/owner.h"

#include "base/atomic.h"

#include <string.h>

#define OWNED_ALIGN 16

typedef struct owned_head {
    setti_counter owners;
    size_t size; /* bytes after the head */
    sett_allocator allocator;
} owned_head;

#define OWNED_HEAD setti_align_up(sizeof(owned_head), OWNED_ALIGN)

/* Returns the head before the memory of a string or list. */
static owned_head* owned_head_of(const void* memory)
{
    return (owned_head*)(void*)((unsigned char*)setti_unconst(memory) - OWNED_HEAD);
}

void* setti_owned_create(const sett_allocator* allocator, size_t size)
{
    if (size > SIZE_MAX - OWNED_HEAD) {
        return NULL;
    }
    owned_head* head = allocator->alloc_fn(allocator->user, OWNED_HEAD + size, OWNED_ALIGN);
    if (head == NULL) {
        return NULL;
    }
    memset(head, 0, OWNED_HEAD);
    (void)setti_counter_add(&head->owners, 1);
    head->size = size;
    head->allocator = *allocator;
    return (unsigned char*)head + OWNED_HEAD;
}

void setti_owned_take(const void* memory)
{
    if (memory != NULL) {
        (void)setti_counter_add(&owned_head_of(memory)->owners, 1);
    }
}

void setti_owned_drop(const void* memory)
{
    if (memory == NULL) {
        return;
    }
    owned_head* head = owned_head_of(memory);
    uint32_t owners = setti_counter_take(&head->owners, 1);
    SETTI_ASSERT(owners != 0);
    if (owners == 1) {
        sett_allocator allocator = head->allocator;
        allocator.free_fn(allocator.user, head, OWNED_HEAD + head->size, OWNED_ALIGN);
    }
}

bool setti_string_set(const sett_allocator* allocator, sett_string* string, const void* text,
                      size_t length)
{
    char* fresh = NULL; /* an empty string has no memory */
    SETTI_ASSERT(length == 0 || memchr(text, 0, length) == NULL);
    if (length != 0) {
        fresh = setti_owned_create(allocator, length + 1);
        if (fresh == NULL) {
            return false;
        }
        memcpy(fresh, text, length);
        fresh[length] = '\0';
    }
    setti_owned_drop(string->text);
    string->room_ = 0;
    string->text = fresh;
    return true;
}

/* Moves a list to new memory of `new_size` bytes. Copies the first `kept_size` bytes of the items.
 * Returns false if memory runs out. */
static bool list_move(const sett_allocator* allocator, sett_list* list, size_t kept_size,
                      size_t new_size)
{
    void* fresh = setti_owned_create(allocator, new_size);
    if (fresh == NULL) {
        return false;
    }
    if (kept_size != 0) {
        memcpy(fresh, list->items, kept_size);
    }
    setti_owned_drop(list->items);
    list->room_ = 0;
    list->items = fresh;
    return true;
}

bool setti_list_resize(const sett_allocator* allocator, sett_list* list, uint32_t item_size,
                       uint32_t count)
{
    size_t kept_size = (size_t)SETTI_MIN(list->count, count) * item_size; /* of items that stay */
    size_t size; /* bytes of all items after the resize */
    if (count == 0) {
        setti_owned_drop(list->items);
        memset(list, 0, sizeof(*list));
        return true;
    }
    SETTI_ASSERT(item_size != 0 && (list->items == NULL || list->item_size == item_size));
    if (!setti_multiply(count, item_size, &size)) {
        return false;
    }
    size_t old_room = 0; /* bytes of the list's present memory */
    bool is_shared = false;
    if (list->items != NULL) {
        owned_head* head = owned_head_of(list->items);
        old_room = head->size;
        is_shared = setti_counter_get(&head->owners) != 1;
    }
    bool grows = size > old_room;
    if (grows || is_shared) {
        size_t new_room = size;
        if (grows && old_room != 0 && size < SIZE_MAX / 2) {
            new_room = SETTI_MAX(size, old_room * 2); /* so that appending is seldom a copy */
        }
        if (!list_move(allocator, list, kept_size, new_room)) {
            return false;
        }
    }
    memset((unsigned char*)setti_unconst(list->items) + kept_size, 0,
           size - kept_size); /* new items */
    list->count = count;
    list->item_size = item_size;
    return true;
}

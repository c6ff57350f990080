/* strings.c: the calls of a program to write strings and lists.
 *
 * The workload: one value at a time, also in systems on several threads. So these calls allocate
 * from the world's allocator, and not from the pool.
 */
#include "sett/strings.h"
#include "world/world.h"

sett_status sett_string_set(sett_world* world, sett_string* string, const char* text)
{
    if (SETTI_IS_NULL(world) || SETTI_IS_NULL(string)) {
        return SETT_STATUS_ARGUMENT;
    }
    size_t length = 0;
    if (text != NULL) {
        length = strlen(text);
    }
    if (length > INT32_MAX) {
        return setti_world_fail_with(world, SETT_STATUS_LIMIT,
                                     "%s: the text has %llu bytes, at most %u fit - shorten it",
                                     __func__, (unsigned long long)length, (unsigned)INT32_MAX);
    }
    if (!setti_string_set(&world->pool.allocator, string, text, length)) {
        return setti_world_no_memory(world, __func__);
    }
    return SETT_OK;
}

void* sett_list_resize(sett_world* world, sett_list* list, uint32_t item_size, uint32_t count)
{
    if (SETTI_IS_NULL(world) || SETTI_IS_NULL(list)) {
        return NULL;
    }
    if (count != 0 && item_size == 0) {
        setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                              "%s: `item_size` is 0 - pass the bytes of an item", __func__);
        return NULL;
    }
    if (count != 0 && list->items != NULL && list->item_size != item_size) {
        setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                              "%s: `item_size` is %u bytes, and the list has items of %u bytes - "
                              "pass the size of these items",
                              __func__, (unsigned)item_size, (unsigned)list->item_size);
        return NULL;
    }
    if (!setti_list_resize(&world->pool.allocator, list, item_size, count)) {
        setti_world_no_memory(world, __func__);
        return NULL;
    }
    return setti_unconst(list->items);
}

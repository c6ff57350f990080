/* strings.c: the calls of a program to write strings and lists.
 *
 * The workload: one value at a time, also in systems on several threads. So these calls use only
 * the world's allocator, and do not record a failure while several threads run.
 */
#include "sett/strings.h"
#include "world/world.h"

/* Records a failure. Returns `status`. */
static sett_status owned_fail(sett_world* world, sett_status status, const char* call)
{
    if (world->side_by_side) {
        return status; /* threads cannot write the world's failure */
    }
    return setti_world_fail(world, status, call, sett_null(), 0);
}

sett_status sett_string_set(sett_world* world, sett_string* string, const char* text)
{
    if (SETTI_IS_NULL(world) || SETTI_IS_NULL(string)) {
        return SETT_STATUS_ARGUMENT;
    }
    size_t length = text != NULL ? strlen(text) : 0;
    bool set =
        length <= INT32_MAX && setti_string_set(&world->pool.allocator, string, text, length);
    return set ? SETT_OK : owned_fail(world, SETT_STATUS_OUT_OF_MEMORY, __func__);
}

void* sett_list_resize(sett_world* world, sett_list* list, uint32_t item_size, uint32_t count)
{
    if (SETTI_IS_NULL(world) || SETTI_IS_NULL(list)) {
        return NULL;
    }
    if (count != 0 && (item_size == 0 || (list->items != NULL && list->item_size != item_size))) {
        (void)owned_fail(world, SETT_STATUS_ARGUMENT, __func__);
        return NULL;
    }
    if (!setti_list_resize(&world->pool.allocator, list, item_size, count)) {
        (void)owned_fail(world, SETT_STATUS_OUT_OF_MEMORY, __func__);
        return NULL;
    }
    return setti_unconst(list->items);
}

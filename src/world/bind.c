/* bind.c: language bindings find component types by number.
 *
 * The workload: some hundreds of types, bound when a program starts, and looked up at each access
 * by handle from C++. There are two hash tables, the front and the rest. Reading in line
 * (sett_component_bound in core.h) looks at only two slots of the front. Where these are is a
 * constant in the program. A new number takes a slot from an older number, and the older number
 * moves to its other slot: this is cuckoo hashing.
 *
 * The rest is an open hash table. It has the numbers that found no slot in the front, and all
 * numbers >= 2^63. sett.hpp gives these high numbers to names.
 *
 *     front    [ number, id | - | number, id | ... ]      a number has one of two slots
 *     rest     [ number, id | - | number, id | ... ]      a number has the first slot from
 *                                                         number & mask on that was free
 *
 * Invariant:  each number is in one slot;  in the front, this is one of the number's two slots;
 *             in the rest, all slots from number & mask to the number's slot are in use;
 *             at most half of the rest is in use: 2 * count <= mask + 1
 */
#include "world/change.h"

#define BIND_ENDED UINT64_MAX /* marks a slot of the rest after its type was unregistered */
#define BIND_MOVES 64         /* limit of moves to make room for a number in the front */
#define BIND_FEWEST 64        /* slots of the smallest rest */

/* Returns true if a number can be in the front. The numbers of names, >= 2^63, cannot: they are
 * always in the rest. */
static bool bind_can_be_in_front(uint64_t number)
{
    return number >> 63 == 0;
}

/* ------------------------------------------------------------------------------------- the rest */

/* Returns the slot of a number in the rest. If the number is new, returns the empty slot where it
 * belongs. */
static sett_bound_* bind_rest_slot(const setti_bind_rest* rest, uint64_t number)
{
    uint32_t slot = (uint32_t)number & rest->mask;
    while (rest->slots[slot].number != 0 && rest->slots[slot].number != number) {
        slot = (slot + 1) & rest->mask;
    }
    return &rest->slots[slot];
}

/* Returns the number of slots of the rest. */
static uint32_t bind_rest_size(const setti_bind_rest* rest)
{
    if (rest->slots == NULL) {
        return 0;
    }
    return rest->mask + 1;
}

/* Makes room for one more number in the rest. If the table has to grow, the numbers of ended types
 * are left out. Returns false if memory runs out. */
static bool bind_rest_reserve(setti_pool* pool, setti_bind_rest* rest)
{
    const setti_bind_rest old = *rest;
    const uint32_t old_size = bind_rest_size(&old);
    if (2 * (old.count + 1) <= old_size) { /* at most half of the slots will be in use */
        return true;
    }
    const uint32_t size = SETTI_MAX(2 * old_size, BIND_FEWEST);
    sett_bound_* slots = setti_pool_alloc(pool, size * sizeof(*slots), 16);
    if (slots == NULL) {
        return false;
    }
    memset(slots, 0, size * sizeof(*slots));
    *rest = (setti_bind_rest){.slots = slots, .mask = size - 1, .count = 0};
    for (uint32_t k = 0; k < old_size; k++) {
        if (old.slots[k].number != 0 && old.slots[k].number != BIND_ENDED) {
            *bind_rest_slot(rest, old.slots[k].number) = old.slots[k];
            rest->count++;
        }
    }
    setti_pool_free(pool, old.slots, old_size * sizeof(*slots), 16);
    return true;
}

/* ------------------------------------------------------------------------------------ the front */

/* Creates an empty front if there is none. Returns false if memory runs out. */
static bool bind_front_reserve(sett_world* world)
{
    const size_t size = SETT_BOUND_FRONT_ * sizeof(*world->front);
    if (world->front == NULL) {
        world->front = setti_pool_alloc(&world->pool, size, 64);
        if (world->front == NULL) {
            return false;
        }
        memset(world->front, 0, size);
    }
    return true;
}

/* Returns the slot of a number in the front. Returns NULL if the front does not have the number. */
static sett_bound_* bind_front_find(const sett_world* world, uint64_t number)
{
    if (world->front == NULL) {
        return NULL;
    }
    const uint32_t slot = sett_bound_first_(number);
    sett_bound_* first = &world->front[slot];
    sett_bound_* second = &world->front[sett_bound_other_(number, slot)];
    if (first->number == number) {
        return first;
    }
    return second->number == number ? second : NULL;
}

/* Inserts an item in the front. Each item that this displaces moves to the other of its two slots.
 * Returns the item that has no slot in the end. If all items have a slot, the number of the
 * returned item is 0. */
static sett_bound_ bind_front_insert(sett_bound_* front, sett_bound_ item)
{
    uint32_t slot = sett_bound_first_(item.number);
    if (front[slot].number != 0) { /* in use: tries the other slot */
        slot = sett_bound_other_(item.number, slot);
    }
    for (uint32_t k = 0; k < BIND_MOVES && item.number != 0; k++) {
        const sett_bound_ displaced = front[slot];
        front[slot] = item;
        item = displaced;
        slot = sett_bound_other_(item.number, slot);
    }
    return item;
}

/* ---------------------------------------------------------------------------------------- calls */

SETTI_COLD sett_status sett_component_bind(sett_world* world, uint64_t number,
                                           sett_component component)
{
    static const char call[] = "sett_component_bind";
    sett_status status = setti_world_check_serial(world, call);
    if (status != SETT_OK) {
        return status;
    }
    const setti_type* type = setti_world_type(world, component);
    if (type == NULL) {
        return setti_world_fail(world, SETT_STATUS_UNREGISTERED, call, sett_null(), component);
    }
    if (number == 0 || number == BIND_ENDED) {
        return setti_world_fail_with(
            world, SETT_STATUS_ARGUMENT,
            "%s: the number %llu for \"%.100s\" is reserved - pass another than 0 and UINT64_MAX",
            call, (unsigned long long)number, type->desc.name);
    }
    const sett_component present = sett_component_bound(world, number);
    if (present == component) {
        return SETT_OK;
    }
    if (present != 0) {
        return setti_world_fail_with(world, SETT_STATUS_CONFLICT,
                                     "%s: the number %llu for \"%.100s\" is bound to \"%.100s\" "
                                     "already - choose another number",
                                     call, (unsigned long long)number, type->desc.name,
                                     setti_component_text(world, present));
    }
    /* room in the rest is needed in any case: a new number in the front may displace an older
     * number to the rest */
    if (!bind_rest_reserve(&world->pool, &world->bind_rest)) {
        return setti_world_no_memory(world, call);
    }
    if (bind_can_be_in_front(number) && !bind_front_reserve(world)) {
        return setti_world_no_memory(world, call);
    }
    sett_bound_ item = {number, component};
    if (bind_can_be_in_front(number)) {
        item = bind_front_insert(world->front, item);
        setti_bind_show(world);
    }
    if (item.number != 0) { /* an item that the front has no slot for */
        *bind_rest_slot(&world->bind_rest, item.number) = item;
        world->bind_rest.count++;
    }
    return SETT_OK;
}

sett_component sett_component_bound_slow_(const sett_world* world, uint64_t number)
{
    const sett_bound_* slot = bind_front_find(world, number);
    if (slot == NULL && world->bind_rest.slots != NULL) {
        slot = bind_rest_slot(&world->bind_rest, number);
    }
    if (slot == NULL || slot->number != number) { /* another number, or an empty slot */
        return 0;
    }
    return slot->component;
}

/* Replaces each number that is bound to `component` by `mark`. */
static void bind_forget_in(sett_bound_* slots, uint32_t count, sett_component component,
                           uint64_t mark)
{
    for (uint32_t k = 0; k < count; k++) {
        if (slots[k].number != 0 && slots[k].component == component) {
            slots[k] = (sett_bound_){mark, 0};
        }
    }
}

void setti_bind_forget(sett_world* world, sett_component component)
{
    const setti_bind_rest* rest = &world->bind_rest;
    const uint32_t front_count = world->front != NULL ? SETT_BOUND_FRONT_ : 0;
    bind_forget_in(world->front, front_count, component, 0); /* 0: the slot is empty again */
    bind_forget_in(rest->slots, bind_rest_size(rest), component, BIND_ENDED);
}

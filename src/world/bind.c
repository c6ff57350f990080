/* bind.c: numbers by which a binding finds component types.
 *
 * The workload: some hundreds of types, bound when a program starts, looked up at each access by
 * handle from C++. So it is an open table, at most half full, and most numbers are in the slot that
 * is read in line (sett_component_bound in core.h), where the place of a slot is a constant:
 *
 *     bound    [ number, component | - | number, component | ... ]
 *               number % 256: the front slot; if another number has it, the first free slot from
 *               number & mask on
 *
 * Invariant:  a number that is not in its front slot has no empty slot between number & mask and
 *             its own;  2 * bound_count <= bound_mask + 1, or there is no table
 */
#include "world/change.h"

#define BIND_ENDED UINT64_MAX /* the number of a slot whose component was unregistered */

static const sett_bound_ bind_none[SETT_BOUND_FRONT_];

void setti_bind_init(sett_world* world)
{
    world->bound = bind_none;
    world->bound_mask = SETT_BOUND_FRONT_ - 1;
}

/* The slot of a number, or the empty one where it would be. The table has an empty slot. */
static uint32_t bind_find(const sett_bound_* slots, uint32_t mask, uint64_t number)
{
    uint32_t at = number % SETT_BOUND_FRONT_;
    if (slots[at].number == number || slots[at].number == 0) {
        return at;
    }
    at = (uint32_t)number & mask;
    while (slots[at].number != 0 && slots[at].number != number) {
        at = (at + 1) & mask;
    }
    return at;
}

static sett_bound_* bind_slots(const sett_world* world)
{
    return world->bound == bind_none ? NULL : setti_unconst(world->bound);
}

/* Makes room for one number more. False when memory runs out. */
static bool bind_reserve(sett_world* world)
{
    sett_bound_* old = bind_slots(world);
    uint32_t old_count = old != NULL ? world->bound_mask + 1 : 0;
    if (2 * (world->bound_count + 1) <= old_count) {
        return true;
    }
    uint32_t count = SETTI_MAX(2 * old_count, SETT_BOUND_FRONT_);
    sett_bound_* slots = setti_pool_alloc(&world->pool, count * sizeof(*slots), 16);
    if (slots == NULL) {
        return false;
    }
    memset(slots, 0, count * sizeof(*slots));
    world->bound_count = 0;
    for (uint32_t k = 0; k < old_count; k++) {
        if (old[k].number != 0 && old[k].number != BIND_ENDED) {
            slots[bind_find(slots, count - 1, old[k].number)] = old[k];
            world->bound_count++;
        }
    }
    setti_pool_free(&world->pool, old, old_count * sizeof(*old), 16);
    world->bound = slots;
    world->bound_mask = count - 1;
    return true;
}

sett_status sett_component_bind(sett_world* world, uint64_t number, sett_component component)
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
        return setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                                     "%s: the number for \"%.100s\" must not be 0 or UINT64_MAX",
                                     call, type->desc.name);
    }
    sett_component present = sett_component_bound(world, number);
    if (present != 0 && present != component) {
        return setti_world_fail_with(world, SETT_STATUS_CONFLICT,
                                     "%s: the number for \"%.100s\" is bound to \"%.100s\" already",
                                     call, type->desc.name, setti_component_text(world, present));
    }
    if (!bind_reserve(world)) {
        return setti_world_no_memory(world, call);
    }
    sett_bound_* slots = bind_slots(world);
    uint32_t at = bind_find(slots, world->bound_mask, number);
    world->bound_count += slots[at].number == 0;
    slots[at].number = number;
    slots[at].component = component;
    return SETT_OK;
}

sett_component sett_component_bound_slow_(const sett_world* world, uint64_t number)
{
    uint32_t at = bind_find(world->bound, world->bound_mask, number);
    return world->bound[at].number == number ? world->bound[at].component : 0;
}

void setti_bind_forget(sett_world* world, sett_component component)
{
    sett_bound_* slots = bind_slots(world);
    for (uint32_t k = 0; slots != NULL && k <= world->bound_mask; k++) {
        if (slots[k].number != 0 && slots[k].component == component) {
            slots[k].number = BIND_ENDED;
            slots[k].component = 0;
        }
    }
}

/* abm_order.c: entities in random order.
 *
 * The workload: some hundred to a million agents, each activated once a step, in another order each
 * time, and created and destroyed meanwhile. So an order is a list of handles, made in one pass
 * over the query: each entity is exchanged with a random one before it (Fisher and Yates). A sort
 * by random keys took four times as long.
 *
 * Invariant:  `list` has each entity that matched at the beginning once;  those before `at` have
 *             been returned, or were dead
 */
#include "../argument.h"
#include "abm.h"

#include "sett/loop.h"
#include "sett/random.h"

#include <string.h>

struct sett_abm_order {
    sett_world* world;
    sett_query* query;
    sett_entity* list;
    uint32_t capacity;
    uint32_t count;
    uint32_t at;
};

sett_abm_order* sett_abm_order_create(sett_world* world, sett_query* query)
{
    if (ARGUMENT_IS_NULL(world) || ARGUMENT_IS_NULL(query)) {
        return NULL;
    }
    sett_abm_order* order = sett_world_alloc(world, sizeof(*order), 16);
    if (order != NULL) {
        *order = (sett_abm_order){.world = world, .query = query};
    }
    return order;
}

sett_status sett_abm_order_destroy(sett_abm_order* order)
{
    if (order == NULL) {
        return SETT_OK;
    }
    sett_world* world = order->world;
    (void)sett_world_release(world, order->list, order->capacity * sizeof(sett_entity), 16);
    return sett_world_release(world, order, sizeof(*order), 16);
}

static bool abm_order_reserve(sett_abm_order* order, uint32_t count)
{
    if (count <= order->capacity) {
        return true;
    }
    uint32_t capacity = count + count / 2;
    sett_entity* list = sett_world_alloc(order->world, capacity * sizeof(*list), 16);
    if (list == NULL) {
        return false;
    }
    if (order->count != 0) {
        memcpy(list, order->list, order->count * sizeof(*list));
    }
    (void)sett_world_release(order->world, order->list, order->capacity * sizeof(*list), 16);
    order->list = list;
    order->capacity = capacity;
    return true;
}

/* The next number of a sequence (SplitMix64). */
static uint64_t abm_order_draw(uint64_t* state)
{
    uint64_t x = *state += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

/* Adds the entities of a batch, for which there is room. Returns the state of the sequence. */
static uint64_t abm_order_take(sett_abm_order* order, const sett_batch* b, uint64_t state)
{
    sett_entity* list = order->list;
    uint32_t count = order->count;
    for (uint32_t k = 0; k < b->count; k++) {
        uint32_t row = b->rows != NULL ? b->rows[k] : k;
        uint32_t other = sett_random_range(abm_order_draw(&state), count + 1);
        list[count++] = list[other];
        list[other] = sett_batch_entity(b, row);
    }
    order->count = count;
    return state;
}

sett_entity sett_abm_order_begin(sett_abm_order* order, uint64_t seed, uint64_t step)
{
    if (ARGUMENT_IS_NULL(order)) {
        return sett_null();
    }
    order->count = 0;
    order->at = 0;
    uint64_t state = sett_random(seed, sett_null(), step, 0x6F726465);
    bool done = true;
    SETT_QUERY_EACH(order->query, b) {
        done = done && abm_order_reserve(order, order->count + b->count);
        state = done ? abm_order_take(order, b, state) : state;
    }
    order->count = done ? order->count : 0;
    return sett_abm_order_next(order);
}

sett_entity sett_abm_order_next(sett_abm_order* order)
{
    if (ARGUMENT_IS_NULL(order)) {
        return sett_null();
    }
    while (order->at < order->count) {
        sett_entity entity = order->list[order->at++];
        if (sett_entity_valid(order->world, entity)) {
            return entity;
        }
    }
    return sett_null();
}

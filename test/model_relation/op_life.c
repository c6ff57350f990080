/* op_life.c: entities that begin and end, and their values.
 *
 * SPDX-License-Identifier: MIT
 */
#include "model_relation/naive.h"

static Value some_value(void)
{
    return (Value){below(1000), some_entity()};
}

/* Several at once, with values. */
static void create_many(uint32_t count)
{
    doing = "create many";
    const sett_component ids[] = {value_id, dont_fragment_id};
    Value values[8];
    sett_entity made[8];
    const void* of[] = {values, NULL};
    for (uint32_t k = 0; k < count; k++) {
        values[k] = some_value();
    }
    WANT(sett_entity_create_many(world, count, ids, 2, of, made) == SETT_OK);
    for (uint32_t k = 0; k < count; k++) {
        naive_born(made[k]);
        naive_entity* e = &naive.at[slot(made[k])];
        e->has_value = e->dont_fragment = true;
        e->value = values[k];
    }
}

void do_create(void)
{
    doing = "create";
    uint32_t which = below(8);
    if (which == 0) {
        create_many(1 + below(8));
    } else if (which == 1) {
        Value value = some_value();
        const sett_value values[] = {{.component = value_id, .value = &value}};
        sett_entity entity = sett_create_with(world, values, 1);
        naive_born(entity);
        naive.at[slot(entity)].has_value = true;
        naive.at[slot(entity)].value = value;
    } else {
        naive_born(sett_entity_create(world));
    }
}

void do_destroy(void)
{
    doing = "destroy";
    sett_entity entity = some_entity();
    sett_status status = sett_entity_destroy(world, entity);
    if (!alive(entity)) {
        WANT(status == SETT_STATUS_STALE);
    } else {
        WANT(status == (naive_destroy(slot(entity)) ? SETT_OK : SETT_STATUS_REJECTED));
    }
}

/* Some in a row, stale ones and some twice among them. */
void do_destroy_many(void)
{
    doing = "destroy many";
    sett_entity list[6];
    uint32_t count = 1 + below(6);
    sett_status expected = SETT_OK;
    for (uint32_t k = 0; k < count; k++) {
        list[k] = some_entity();
    }
    sett_status status = sett_entity_destroy_many(world, list, count);
    for (uint32_t k = 0; k < count; k++) {
        if (alive(list[k]) && !naive_destroy(slot(list[k]))) {
            expected = SETT_STATUS_REJECTED;
        }
    }
    WANT(status == expected);
}

void do_value(void)
{
    doing = "value";
    sett_entity entity = some_entity();
    Value value = {below(1000), some_entity()};
    bool is = alive(entity);
    naive_entity* e = is ? &naive.at[slot(entity)] : NULL;
    uint32_t which = below(6);
    if (which < 3) {
        WANT((sett_set(world, entity, value_id, &value) != NULL) == is);
        if (is) {
            e->has_value = true;
            e->value = value;
        }
    } else if (which == 3) {
        WANT((sett_remove(world, entity, value_id) == SETT_OK) == (is && e->has_value));
        if (is) {
            e->has_value = false;
        }
    } else if (which == 4) {
        WANT((sett_ensure(world, entity, dont_fragment_id) != NULL) == is);
        if (is) {
            e->dont_fragment = true;
        }
    } else if (is) {
        e->prefab = !e->prefab;
        WANT(e->prefab ? sett_add(world, entity, prefab_id) != NULL
                       : sett_remove(world, entity, prefab_id) == SETT_OK);
    }
}

void do_shared(void)
{
    doing = "shared value";
    sett_entity entity = some_entity();
    naive_entity* e = alive(entity) ? &naive.at[slot(entity)] : NULL;
    uint32_t which = below(4);
    if (which == 0) {
        uint32_t value = below(1000);
        WANT((sett_set(world, entity, shared_id, &value) != NULL) == (e != NULL));
        if (e != NULL) {
            e->has_shared = true;
            e->shared = value;
        }
    } else if (which == 1) {
        WANT((sett_remove(world, entity, shared_id) == SETT_OK) == (e != NULL && e->has_shared));
        if (e != NULL) {
            e->has_shared = false;
        }
    } else {
        const uint32_t* expected = e != NULL ? naive_shared(slot(entity)) : NULL;
        const uint32_t* own = sett_prefab_override(world, entity, shared_id);
        WANT((own != NULL) == (expected != NULL));
        if (expected != NULL) {
            e->shared = *expected;
            e->has_shared = true;
            WANT(*own == e->shared);
        }
    }
}

void do_clear(void)
{
    doing = "clear";
    sett_entity entity = some_entity();
    WANT(sett_entity_clear(world, entity) == (alive(entity) ? SETT_OK : SETT_STATUS_STALE));
    if (alive(entity)) {
        naive_entity* e = &naive.at[slot(entity)];
        naive_end_links(begins_at, RELATIONS, slot(entity));
        e->has_value = e->has_shared = e->prefab = e->dont_fragment = false;
        e->policy = SETT_CHILDREN_DEFAULT;
        e->parent = INDICES;
        for (uint32_t k = 0; k < naive.end; k++) { /* its children become roots */
            if (naive.at[k].parent == slot(entity)) {
                naive.at[k].parent = INDICES;
            }
        }
    }
}

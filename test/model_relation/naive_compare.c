/* naive_compare.c: whether the world is what the naive one says.
 *
 * SPDX-License-Identifier: MIT
 */
#include "model_relation/naive.h"

static void compare_targets(uint32_t relation, uint32_t index)
{
    sett_entity entity = naive.at[index].handle;
    sett_component id = relations[relation].id;
    sett_link_cursor cursor = {0};
    uint32_t count = 0;
    for (uint32_t k = 0; k < naive.link_count; k++) {
        const naive_link* link = &naive.link[k];
        if (link->relation == relation && link->source == index) {
            sett_entity target = sett_target_next(world, entity, id, &cursor);
            WANT(sett_equals(target, naive.at[link->target].handle));
            WANT(!relations[relation].data || *(const uint32_t*)cursor.data == link->data);
            WANT(sett_related(world, entity, id, target) == cursor.data);
            WANT(sett_is_related(world, entity, id, target));
            WANT(count != 0 || sett_equals(sett_target(world, entity, id), target));
            count++;
        }
    }
    WANT(sett_is_null(sett_target_next(world, entity, id, &cursor)));
    WANT(sett_target_count(world, entity, id) == count);
    WANT(sett_has(world, entity, id) == (count != 0));
}

/* Without their order: copies are linked in another one than here. */
static void compare_sources(uint32_t relation, uint32_t index)
{
    sett_entity entity = naive.at[index].handle;
    sett_component id = relations[relation].id;
    sett_link_cursor cursor = {0};
    uint32_t count = 0;
    uint64_t sum = 0;
    sett_entity source;
    while (!sett_is_null(source = sett_source_next(world, id, entity, &cursor))) {
        WANT(naive_find(relation, slot(source), index) != LINKS);
        WANT(sett_equals(naive.at[slot(source)].handle, source));
        sum += slot(source);
        count++;
    }
    for (uint32_t k = 0; k < naive.link_count; k++) {
        if (leads_to(&naive.link[k], relation, index)) {
            sum -= naive.link[k].source;
            count--;
        }
    }
    WANT(count == 0 && sum == 0);
}

/* Where a source leads by the relationship that is transitive and reflexive: to itself, and on. */
static void compare_closure(uint32_t index)
{
    uint32_t count = 1;
    bool hidden = naive.at[index].prefab;
    for (uint32_t k = index; (k = naive_find(ACYCLIC, k, INDICES)) != LINKS; count++) {
        k = naive.link[k].target;
        hidden = hidden || naive.at[k].prefab;
    }
    if (!hidden) { /* searches do not see prefabs */
        WANT(sett_search_bind(closure, 0, naive.at[index].handle) == SETT_OK);
        WANT(sett_search_count(closure) == count);
    }
}

static void compare_entity(uint32_t index)
{
    const naive_entity* e = &naive.at[index];
    WANT(sett_equals(sett_entity_at(world, place(index)), e->handle));
    if (sett_is_null(e->handle)) {
        return;
    }
    const Value* value = sett_find(world, e->handle, value_id);
    WANT((value != NULL) == e->has_value);
    if (value != NULL) {
        WANT(value->number == e->value.number);
        WANT(sett_equals(value->reference, e->value.reference));
        WANT(sett_entity_valid(world, value->reference) == alive(value->reference));
    }
    WANT(sett_has(world, e->handle, dont_fragment_id) == e->dont_fragment);
    WANT(sett_has(world, e->handle, prefab_id) == e->prefab);
    WANT(sett_query_matches(visible, e->handle) == (e->has_value && !e->prefab));
    const uint32_t* shared = sett_prefab_get(world, e->handle, shared_id);
    const uint32_t* expected = naive_shared(index);
    WANT(shared == NULL ? expected == NULL : expected != NULL && *shared == *expected);
    WANT(sett_has(world, e->handle, shared_id) == e->has_shared);
    WANT(done % 3 != 0 || sett_hierarchy_depth(world, e->handle) == naive_depth(index));
    sett_entity parent = sett_hierarchy_parent(world, e->handle);
    WANT(sett_equals(parent, e->parent != INDICES ? naive.at[e->parent].handle : sett_null()));
    sett_entity at = sett_hierarchy_first(world, e->handle);
    for (uint32_t k = 0; k == 0 || !sett_is_null(at); k++) {
        uint32_t child = naive_child(index, k);
        WANT(sett_equals(at, child != INDICES ? naive.at[child].handle : sett_null()));
        at = sett_hierarchy_next(world, at);
    }
    for (uint32_t k = 0; k < RELATIONS; k++) {
        compare_targets(k, index);
        compare_sources(k, index);
    }
    compare_closure(index);
}

static void compare_dead(void)
{
    for (uint32_t k = 0; k < DEAD && k < naive.dead_count; k++) {
        sett_entity entity = naive.dead[k];
        sett_link_cursor cursor = {0};
        WANT(!sett_entity_valid(world, entity));
        WANT(sett_find(world, entity, value_id) == NULL);
        WANT(sett_is_null(sett_target(world, entity, relations[k % RELATIONS].id)));
        WANT(sett_source_count(world, relations[k % RELATIONS].id, entity) == 0);
        WANT(sett_is_null(sett_source_next(world, relations[k % RELATIONS].id, entity, &cursor)));
        WANT(sett_prefab_get(world, entity, value_id) == NULL);
        WANT(sett_is_null(sett_hierarchy_parent(world, entity)));
    }
}

void compare(void)
{
    const char* reason = "";
    if (sett_world_validate(world, &reason) != SETT_OK) {
        fail(__FILE__, __LINE__, reason);
    }
    WANT(sett_entity_count(world) == naive.count);
    uint32_t seen = 0;
    for (uint32_t k = 0; k < naive.end; k++) {
        compare_entity(k);
        seen += !sett_is_null(naive.at[k].handle) && naive.at[k].has_value && !naive.at[k].prefab;
    }
    WANT(sett_query_count(visible) == seen);
    compare_dead();
}

/* op_elsewhere.c: duplicates in another world.
 *
 * SPDX-License-Identifier: MIT
 */
#include "model_relation/naive.h"

static sett_entity image[INDICES]; /* of each entity that was copied; null: it was not */

static sett_component other_id(sett_component id)
{
    return sett_component_find(other, sett_component_name(world, id));
}

/* Notes the copies of a subtree, along the tree. */
static void image_down(uint32_t index, sett_entity copy, bool alone)
{
    WANT(sett_entity_valid(other, copy));
    image[index] = copy;
    WANT(sett_hierarchy_child_count(other, copy) ==
         (alone ? 0 : sett_hierarchy_child_count(world, naive.at[index].handle)));
    sett_entity at = sett_hierarchy_first(other, copy);
    for (uint32_t k = 0; !sett_is_null(at); k++, at = sett_hierarchy_next(other, at)) {
        WANT(sett_equals(sett_hierarchy_parent(other, at), copy));
        image_down(naive_child(index, k), at, false);
    }
}

static void image_compare_links(uint32_t index)
{
    uint32_t counts[RELATIONS] = {0};
    for (uint32_t k = 0; k < naive.link_count; k++) {
        const naive_link* link = &naive.link[k];
        sett_entity target = image[link->target];
        if (link->source == index && !sett_is_null(target)) {
            sett_component id = other_id(relations[link->relation].id);
            const uint32_t* data = sett_related(other, image[index], id, target);
            WANT(data != NULL);
            WANT(!relations[link->relation].data || *data == link->data);
            counts[link->relation]++;
        }
    }
    for (uint32_t k = 0; k < RELATIONS; k++) {
        WANT(sett_target_count(other, image[index], other_id(relations[k].id)) == counts[k]);
    }
}

static void image_compare(uint32_t index)
{
    const naive_entity* e = &naive.at[index];
    const Value* value = sett_find(other, image[index], other_id(value_id));
    WANT((value != NULL) == e->has_value);
    if (value != NULL) {
        sett_entity to = e->value.reference;
        WANT(value->number == e->value.number);
        WANT(sett_equals(value->reference, alive(to) ? image[slot(to)] : sett_null()));
    }
    const uint32_t* shared = sett_find(other, image[index], other_id(shared_id));
    WANT((shared != NULL) == e->has_shared && (shared == NULL || *shared == e->shared));
    WANT(sett_has(other, image[index], other_id(dont_fragment_id)) == e->dont_fragment);
    WANT(sett_has(other, image[index], other_id(prefab_id)) == e->prefab);
    image_compare_links(index);
}

void do_copy_elsewhere(void)
{
    doing = "duplicate into another world";
    sett_entity entity = some_entity();
    sett_duplicate_desc desc = {.to = other, .alone = below(3) == 0};
    uint32_t before = sett_entity_count(other);
    if (ranges > 1) {
        WANT(sett_entity_set_range(other, below(ranges) * distance, 0) == SETT_OK);
    }
    sett_entity copy = sett_duplicate(world, entity, &desc);
    WANT(sett_is_null(copy) == !alive(entity));
    if (!alive(entity)) {
        WANT(sett_world_error(other) == SETT_STATUS_STALE);
        return;
    }
    memset(image, 0, sizeof(image));
    image_down(slot(entity), copy, desc.alone);
    WANT(sett_is_null(sett_hierarchy_parent(other, copy)));
    uint32_t copied = 0;
    for (uint32_t k = 0; k < naive.end; k++) {
        if (!sett_is_null(image[k])) {
            WANT(sett_hierarchy_depth(other, image[k]) ==
                 naive_depth(k) - naive_depth(slot(entity)));
            image_compare(k);
            copied++;
        }
    }
    WANT(copied == (desc.alone ? 1 : naive_size(slot(entity))));
    WANT(sett_entity_count(other) == before + copied);
    if (before + copied > crowd) {
        WANT(sett_world_validate(other, NULL) == SETT_OK);
        WANT(sett_world_clear(other) == SETT_OK);
    }
}

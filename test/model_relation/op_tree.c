/* op_tree.c: parents, children and their order.
 *
 * SPDX-License-Identifier: MIT
 */
#include "model_relation/naive.h"

/* Children of a scope, with and without values. */
void do_scope(void)
{
    doing = "create in a scope";
    sett_entity parent = some_entity();
    if (!alive(parent)) {
        return;
    }
    WANT(sett_is_null(sett_hierarchy_set_scope(world, parent)));
    if (below(2) == 0) {
        sett_entity made[4];
        uint32_t count = 1 + below(4);
        WANT(sett_entity_create_many(world, count, &dont_fragment_id, 1, NULL, made) == SETT_OK);
        for (uint32_t k = 0; k < count; k++) {
            naive_born(made[k]);
            naive.at[slot(made[k])].dont_fragment = true;
            naive_join(slot(made[k]), slot(parent));
        }
    } else {
        sett_entity entity = sett_entity_create(world);
        naive_born(entity);
        naive_join(slot(entity), slot(parent));
    }
    WANT(sett_equals(sett_hierarchy_set_scope(world, sett_null()), parent));
}

void do_destroy_children(void)
{
    doing = "destroy children";
    sett_entity entity = some_entity();
    sett_entity child[INDICES];
    uint32_t count = 0;
    for (uint32_t k = INDICES; alive(entity); count++) {
        k = naive_child(slot(entity), count);
        if (k == INDICES) {
            break;
        }
        child[count] = naive.at[k].handle;
    }
    sett_status expected = alive(entity) ? SETT_OK : SETT_STATUS_STALE;
    sett_status status = sett_hierarchy_destroy_children(world, entity);
    for (uint32_t k = 0; k < count; k++) { /* an earlier one may have taken it along */
        if (alive(child[k]) && naive.at[slot(child[k])].parent == slot(entity) &&
            !naive_destroy(slot(child[k]))) {
            expected = SETT_STATUS_REJECTED;
        }
    }
    WANT(status == expected);
}

void do_policy(void)
{
    doing = "policy";
    sett_entity entity = some_entity();
    uint32_t which = below(9);
    sett_children_policy policy = which == 8  ? SETT_CHILDREN_REJECT
                                  : which > 4 ? SETT_CHILDREN_DETACH
                                              : (sett_children_policy)(which % 2);
    WANT(sett_hierarchy_set_policy(world, entity, policy) ==
         (alive(entity) ? SETT_OK : SETT_STATUS_STALE));
    if (alive(entity)) {
        naive.at[slot(entity)].policy = policy;
    }
}

void do_attach(void)
{
    doing = "attach";
    sett_entity entity = some_entity();
    sett_entity parent = some_entity();
    bool is = alive(entity) && alive(parent);
    if (below(4) == 0) {
        WANT(sett_hierarchy_detach(world, entity) == (alive(entity) ? SETT_OK : SETT_STATUS_STALE));
        if (alive(entity)) {
            naive.at[slot(entity)].parent = INDICES;
        }
        return;
    }
    bool cycle = is && naive_is_below(slot(parent), slot(entity));
    sett_status status = sett_hierarchy_attach(world, entity, parent);
    WANT(status == (!is ? SETT_STATUS_STALE : cycle ? SETT_STATUS_CYCLE : SETT_OK));
    if (status == SETT_OK) {
        naive_join(slot(entity), slot(parent));
    }
}

/* Beside a sibling: the parent has the component, the entity gets it. */
void do_insert(void)
{
    doing = "insert";
    sett_entity entity = some_entity();
    sett_entity sibling = some_entity();
    bool behind = below(2) == 0;
    uint32_t parent = alive(sibling) ? naive.at[slot(sibling)].parent : INDICES;
    sett_status expected = SETT_OK;
    if (!alive(entity) || !alive(sibling)) {
        expected = SETT_STATUS_STALE;
    } else if (sett_equals(entity, sibling) || parent == INDICES) {
        expected = SETT_STATUS_ARGUMENT;
    } else if (naive_is_below(parent, slot(entity))) {
        expected = SETT_STATUS_CYCLE;
    }
    WANT((behind ? sett_hierarchy_insert_after(world, entity, sibling)
                 : sett_hierarchy_insert_before(world, entity, sibling)) == expected);
    if (expected == SETT_OK) {
        naive_join(slot(entity), parent);
        uint64_t at = naive.at[slot(sibling)].place + behind;
        for (uint32_t k = 0; k < naive.end; k++) {
            naive.at[k].place += naive.at[k].parent == parent && naive.at[k].place >= at;
        }
        naive.at[slot(entity)].place = at;
        naive.places++;
    }
}

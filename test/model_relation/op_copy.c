/* op_copy.c: instances of prefabs, and duplicates, in the same world.
 *
 * SPDX-License-Identifier: MIT
 */
#include "model_relation/naive.h"

static void do_instantiate(void)
{
    doing = "instantiate";
    sett_entity prefab = some_entity();
    sett_entity made[3];
    uint32_t count = below(3) + 1;
    if (alive(prefab) && naive_size(slot(prefab)) > 30) {
        return;
    }
    sett_status status = sett_instantiate(world, prefab, count, made);
    WANT(status == (alive(prefab) ? SETT_OK : SETT_STATUS_STALE));
    for (uint32_t k = 0; status == SETT_OK && k < count; k++) {
        naive_copy(slot(prefab), made[k], false, true);
    }
}

/* Gives some descendants names of few; afterwards takes these and those of the copies. */
static void label_all(bool on)
{
    for (uint32_t k = 0; k < node_count; k++) {
        uint32_t index = nodes[k].index;
        if (on && nodes[k].over != INDICES && below(2) == 0) {
            char name[2] = {(char)('a' + below(3)), '\0'};
            if (sett_name_set(world, naive.at[index].handle, name) == SETT_OK) {
                labels[index] = (uint8_t)name[0];
            }
        } else if (!on && labels[index] != 0) {
            uint32_t copy = nodes[k].twin == k ? naive.at[index].copy : INDICES;
            WANT(sett_remove(world, naive.at[index].handle, SETT_ID_NAME) == SETT_OK);
            WANT(copy == INDICES ||
                 sett_remove(world, naive.at[copy].handle, SETT_ID_NAME) == SETT_OK);
            labels[index] = 0;
        }
    }
}

/* Lists a prefab and its bases; false if one is in another. */
static bool bases_list(const sett_entity* from, uint32_t count)
{
    bool apart = true;
    node_count = 0;
    for (uint32_t k = 0; k < count; k++) {
        apart = apart && naive_list(slot(from[k]), INDICES, false);
    }
    return apart;
}

/* Whether the copies of the nodes, together, are in a circle of the relationship without any. */
static bool bases_close(void)
{
    bool closes = false;
    for (uint32_t k = 0; k < node_count; k++) {
        uint32_t at = nodes[k].twin;
        for (uint32_t steps = 0; at != INDICES && steps < node_count; steps++) {
            uint32_t from = at;
            at = INDICES;
            for (uint32_t j = 0; j < node_count; j++) {
                uint32_t link = nodes[j].twin == from && (nodes[j].gets >> ACYCLIC & 1) != 0
                                    ? naive_find(ACYCLIC, nodes[j].index, INDICES)
                                    : LINKS;
                for (uint32_t to = 0; link != LINKS && to < node_count; to++) {
                    at = nodes[to].index == naive.link[link].target ? nodes[to].twin : at;
                }
            }
        }
        closes = closes || at != INDICES;
    }
    return closes;
}

/* An instance of several, with a parent. */
void do_bases(void)
{
    doing = "instantiate with bases";
    sett_entity from[3] = {some_entity(), some_entity(), some_entity()};
    uint32_t count = 1 + below(3);
    sett_entity parent = below(3) == 0 ? some_entity() : sett_null();
    bool is = sett_is_null(parent) || alive(parent);
    for (uint32_t k = 0; k < count; k++) {
        if (alive(from[k]) && naive_size(slot(from[k])) > 20) {
            return;
        }
        is = is && alive(from[k]);
    }
    bool apart = is && bases_list(from, count);
    bool closes = false;
    if (apart) {
        label_all(true);
        WANT(bases_list(from, count)); /* by their names */
        naive_choose(true);
        closes = bases_close();
    }
    sett_entity made = sett_instantiate_with(
        world,
        &(sett_instantiate_desc){
            .prefab = from[0], .bases = from + 1, .base_count = count - 1, .parent = parent});
    WANT(sett_is_null(made) == (!apart || closes));
    for (uint32_t k = 0; k < naive.end; k++) {
        naive.at[k].copy = INDICES;
    }
    if (!sett_is_null(made)) {
        naive_copy_nodes(made, true);
        if (!sett_is_null(parent)) {
            naive_join(slot(made), slot(parent));
        }
    } else {
        WANT(sett_world_error(world) == (closes ? SETT_STATUS_CYCLE
                                         : is   ? SETT_STATUS_ARGUMENT
                                                : SETT_STATUS_STALE));
    }
    if (apart) {
        label_all(false);
    }
}

void do_duplicate(void)
{
    doing = "duplicate";
    sett_entity entity = some_entity();
    sett_duplicate_desc desc = {.alone = below(2) == 0};
    if (alive(entity) && !desc.alone && naive_size(slot(entity)) > 40) {
        return;
    }
    sett_entity copy = sett_duplicate(world, entity, &desc);
    WANT(sett_is_null(copy) == !alive(entity));
    if (alive(entity)) {
        naive_copy(slot(entity), copy, desc.alone, false);
    } else {
        WANT(sett_world_error(world) == SETT_STATUS_STALE);
    }
}

/* Recorded with handles of the parts: they are reserved, and then all are brought to life. */
static void do_tree(void)
{
    doing = "record a tree";
    sett_entity prefab = some_entity();
    sett_entity part[40];
    if (!alive(prefab) || naive_size(slot(prefab)) > 40) {
        return;
    }
    sett_commands* commands = sett_commands_here(world);
    uint32_t size = naive_size(slot(prefab));
    WANT(sett_cmd_instantiate_tree(commands, prefab, part, 40) == size);
    WANT(sett_commands_apply(commands) == SETT_OK);
    naive_copy(slot(prefab), part[0], false, true);
    sett_entity at = part[0];
    for (uint32_t k = 0; k < size; k++) {
        WANT(sett_equals(part[k], at) && alive(at));
        at = size > 1 ? sett_hierarchy_walk(world, part[0], at) : at;
    }
}

void do_prefab(void)
{
    (below(4) == 0 ? do_tree : do_instantiate)();
}

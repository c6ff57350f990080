/* op_misuse.c: calls that have to be rejected, with the right word and without a trace.
 *
 * SPDX-License-Identifier: MIT
 */
#include "model/operations.h"

/* Every call that changes an entity rejects this handle. */
static void expect_rejected(sett_entity e, sett_component id, sett_status status)
{
    static _Alignas(4096) unsigned char value[20480];
    sett_world* w = model.world;
    EXPECT(sett_add(w, e, id) == NULL && failed_with(status));
    EXPECT(sett_ensure(w, e, id) == NULL && failed_with(status));
    EXPECT(sett_set(w, e, id, value) == NULL && failed_with(status));
    EXPECT(sett_remove(w, e, id) == status && failed_with(status));
    EXPECT(sett_entity_clear(w, e) == status && failed_with(status));
    EXPECT(sett_entity_destroy(w, e) == status && failed_with(status));
}

void op_stale(void)
{
    sett_world* w = model.world;
    sett_entity e = some_stale();
    sett_component id = id_of(some_type());
    expect_rejected(e, id, SETT_STATUS_STALE);
    EXPECT(sett_entity_destroy_many(w, &e, 1) == SETT_OK);
    EXPECT(!sett_entity_valid(w, e));
    EXPECT(sett_get(w, e, id) == NULL);
    EXPECT(sett_get_mut(w, e, id) == NULL);
    EXPECT(sett_find(w, e, id) == NULL);
    EXPECT(!sett_has(w, e, id));
    EXPECT(sett_changed_tick(w, e, id) == 0);
    EXPECT(sett_entity_components(w, e, NULL, 0) == 0);
    const sett_group* group = model.group[below(MODEL_GROUPS)].group;
    EXPECT(group == NULL || !sett_group_has(group, e));
    EXPECT_SAME(model_compare_counts(&model));
    if (e.index < MODEL_INDICES) {
        EXPECT_SAME(model_compare_index(&model, e.index));
    }
}

/* A living entity, and a type that there is not. */
void op_unregistered(void)
{
    sett_world* w = model.world;
    sett_entity e = model_handle(&model, some_live());
    sett_component id = one_in(2) ? 0 : 2000 + (uint32_t)chance() % 3000000000u;
    uint64_t value = 0;
    EXPECT(sett_add(w, e, id) == NULL && failed_with(SETT_STATUS_UNREGISTERED));
    EXPECT(sett_ensure(w, e, id) == NULL && failed_with(SETT_STATUS_UNREGISTERED));
    EXPECT(sett_set(w, e, id, &value) == NULL && failed_with(SETT_STATUS_UNREGISTERED));
    EXPECT(sett_remove(w, e, id) == SETT_STATUS_UNREGISTERED);
    EXPECT(sett_component_clear(w, id) == SETT_STATUS_UNREGISTERED);
    EXPECT(sett_entity_destroy_with(w, id) == SETT_STATUS_UNREGISTERED);
    EXPECT(sett_component_reserve(w, id, 1) == SETT_STATUS_UNREGISTERED);
    EXPECT(sett_component_compact(w, id) == SETT_STATUS_UNREGISTERED);
    EXPECT(sett_component_convert(w, id, SETT_STORAGE_SPARSE_SET) == SETT_STATUS_UNREGISTERED);
    EXPECT(sett_sort(w, &(sett_sort_desc){.component = id, .key = SETT_KEY_U32}) ==
           SETT_STATUS_UNREGISTERED);
    if (id != 0) { /* 0 ends the list */
        sett_group_desc group = {.with = {id}};
        EXPECT(sett_group_create(w, &group) == NULL && failed_with(SETT_STATUS_UNREGISTERED));
    }
    EXPECT(sett_get(w, e, id) == NULL && sett_get_mut(w, e, id) == NULL && !sett_has(w, e, id));
    EXPECT(sett_cmd_add(model.buffer[0], e, id) == SETT_STATUS_UNREGISTERED);
    EXPECT(sett_cmd_set(model.buffer[0], e, id, &value) == SETT_STATUS_UNREGISTERED);
    EXPECT(sett_cmd_remove(model.buffer[0], e, id) == SETT_STATUS_UNREGISTERED);
    EXPECT(sett_commands_count(model.buffer[0]) == model.command_count[0]);
    EXPECT_SAME(model_compare_index(&model, e.index));
}

/* While a loop is open. */
void expect_locked(sett_entity e, uint32_t absent)
{
    sett_world* w = model.world;
    sett_component id = id_of(absent);
    expect_rejected(e, id, SETT_STATUS_LOCKED);
    EXPECT(sett_is_null(sett_entity_create(w)) && failed_with(SETT_STATUS_LOCKED));
    EXPECT(sett_entity_create_many(w, 2, &id, 1, NULL, NULL) == SETT_STATUS_LOCKED);
    EXPECT(sett_entity_create_handle(w, e) == SETT_STATUS_LOCKED);
    EXPECT(sett_entity_destroy_many(w, &e, 1) == SETT_STATUS_LOCKED);
    EXPECT(sett_entity_destroy_with(w, id) == SETT_STATUS_LOCKED);
    EXPECT(sett_component_clear(w, id) == SETT_STATUS_LOCKED);
    EXPECT(sett_component_compact(w, id) == SETT_STATUS_LOCKED);
    EXPECT(sett_component_convert(w, id, SETT_STORAGE_SPARSE_SET) == SETT_STATUS_LOCKED);
    EXPECT(sett_sort(w, &(sett_sort_desc){.component = id, .key = SETT_KEY_U32}) ==
           SETT_STATUS_LOCKED);
    EXPECT(sett_sort(w, &(sett_sort_desc){.component = id, .like = id}) == SETT_STATUS_LOCKED);
    sett_group_desc group = {.with = {id}};
    EXPECT(sett_group_create(w, &group) == NULL && failed_with(SETT_STATUS_LOCKED));
    sett_group* there = model.group[below(MODEL_GROUPS)].group;
    EXPECT(there == NULL || sett_group_destroy(there) == SETT_STATUS_LOCKED);
    EXPECT(there == NULL ||
           sett_sort(w, &(sett_sort_desc){.component = id, .group = there, .key = SETT_KEY_U32}) !=
               SETT_OK);
    EXPECT(sett_commands_apply(model.buffer[0]) == SETT_STATUS_LOCKED);
    EXPECT(sett_world_clear(w) == SETT_STATUS_LOCKED);
    EXPECT(sett_world_trim(w) == SETT_STATUS_LOCKED);
    EXPECT(strstr(sett_world_message(w), "\"model\"") != NULL);
}

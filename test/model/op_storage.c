/* op_storage.c: what leaves every value as it is: compacting, trimming, reserving, converting, and
 * time that goes by.
 *
 * SPDX-License-Identifier: MIT
 */
#include "model/operations.h"

#include "world/world.h"

void op_compact(void)
{
    uint32_t type = some_type();
    if (afford(model.count[type])) {
        EXPECT(sett_component_compact(model.world, id_of(type)) == SETT_OK);
    }
}

void op_trim(void)
{
    if (one_in(20) && afford((uint64_t)model.alive * 2)) {
        sett_stats before;
        sett_stats after;
        sett_world_stats(model.world, &before);
        EXPECT(sett_world_trim(model.world) == SETT_OK);
        sett_world_stats(model.world, &after);
        /* Forgetting signatures rebuilds their table, which may take one more block. */
        EXPECT(after.block_size <= before.block_size + before.block_size / 4 + 65536);
        EXPECT(after.values == before.values);
    }
}

void op_reserve(void)
{
    if (one_in(2)) {
        uint32_t count = below(run.reach / 8 + 2);
        sett_status expected = count <= model_room(&model) ? SETT_OK : SETT_STATUS_LIMIT;
        EXPECT(sett_entity_reserve(model.world, count) == expected);
        return;
    }
    uint32_t type = some_type();
    uint32_t cap = model_types[type].cap;
    if (cap != 0 && cap <= 1500) {
        return; /* large: rows for all entities would take gigabytes */
    }
    EXPECT(sett_component_reserve(model.world, id_of(type), below(2000)) == SETT_OK);
}

void op_advance(void)
{
    model.now = sett_world_advance_tick(model.world);
    EXPECT(model.now == sett_world_tick(model.world));
}

static void expect_converted(uint32_t number)
{
    model_type* type = &model_types[number];
    sett_component_desc desc;
    sett_component needed[3];
    EXPECT(sett_component_describe(model.world, type->id, &desc) == SETT_OK);
    EXPECT(desc.storage == (type->sparse_set ? SETT_STORAGE_SPARSE_SET : SETT_STORAGE_ARRAY));
    model_describe(type, &desc, needed);
    EXPECT(sett_component_register(model.world, &desc) == type->id);
    sett_accessor accessor = sett_accessor_make(model.world, type->id);
    for (uint32_t k = below(8); k < model.alive; k += 1 + model.alive / 16) {
        sett_entity entity = model_handle(&model, model.live[k]);
        EXPECT(sett_accessor_has(&accessor, entity) == model_has(&model, entity.index, number));
        EXPECT(type->size == 0 ||
               sett_accessor_find(&accessor, entity) == sett_find(model.world, entity, type->id));
    }
}

void op_convert(void)
{
    uint32_t number = some_type();
    model_type* type = &model_types[number];
    sett_storage_kind kind = (sett_storage_kind)below(one_in(20) ? 5 : 3);
    if (!afford(100 + (uint64_t)model.count[number] * 8)) {
        return;
    }
    bool keep = (type->flags & MODEL_KEEP) != 0;
    bool sparse_set = kind == SETT_STORAGE_SPARSE_SET ||
                      (kind == SETT_STORAGE_DEFAULT && (type->size > 256 || keep));
    sett_status expected = SETT_OK;
    if (kind > SETT_STORAGE_SPARSE_SET || (!sparse_set && keep)) {
        expected = SETT_STATUS_ARGUMENT;
    } else if (sparse_set != type->sparse_set && (model.group_owned & model_bit(number)) != 0) {
        expected = SETT_STATUS_CONFLICT;
    }
    EXPECT(sett_component_convert(model.world, type->id, kind) == expected);
    EXPECT(expected == SETT_OK || failed_with(expected));
    if (expected == SETT_OK) {
        type->sparse_set = sparse_set;
        type->by_default = kind == SETT_STORAGE_DEFAULT && !keep;
    }
    EXPECT((storage_of(number)->kind == SETTI_SPARSE) == type->sparse_set);
    expect_converted(number);
    expect_samples();
}

/* op_value.c: components of one entity: added, set, written, removed.
 *
 * SPDX-License-Identifier: MIT
 */
#include "model/operations.h"

void op_add(void)
{
    uint32_t index = some_live();
    uint32_t type = some_type();
    if (!has_room(type, 1)) {
        return;
    }
    void* value = sett_add(model.world, model_handle(&model, index), id_of(type));
    if (model_has(&model, index, type)) {
        EXPECT(value == NULL && failed_with(SETT_STATUS_PRESENT));
        return;
    }
    EXPECT(value != NULL);
    model_add(&model, index, type);
    EXPECT_SAME(model_compare_index(&model, index));
}

void op_ensure(void)
{
    uint32_t index = some_live();
    uint32_t type = some_type_of(index);
    if (!has_room(type, 1)) {
        return;
    }
    void* value = sett_ensure(model.world, model_handle(&model, index), id_of(type));
    EXPECT(value != NULL);
    if (model_has(&model, index, type)) {
        model_write(&model, index, type, model.seed[type][index]);
    } else {
        model_add(&model, index, type);
    }
    EXPECT(sett_find(model.world, model_handle(&model, index), id_of(type)) == value);
    EXPECT_SAME(model_compare_index(&model, index));
}

void op_set(void)
{
    uint32_t index = some_live();
    uint32_t number = one_in(2) ? some_type() : some_type_of(index);
    const model_type* type = &model_types[number];
    if (!has_room(number, 1)) {
        return;
    }
    static _Alignas(4096) unsigned char value[20480];
    uint32_t block;
    uint32_t seed = some_seed();
    model_value_make(type, value, &block, seed);
    void* row = sett_set(model.world, model_handle(&model, index), type->id, value);
    EXPECT(row != NULL);
    model_set(&model, index, number, seed);
    EXPECT_SAME(model_compare_index(&model, index));
}

/* The value given is another entity's, in the storage itself, which may compact meanwhile. */
void op_set_from_another(void)
{
    uint32_t first = model_find_type("k1");
    uint32_t number = one_in(2) ? some_type() : first + below(model_find_type("k9000") - first + 1);
    uint32_t from = some_live();
    uint32_t to = some_live();
    for (uint32_t tries = 0; tries < 64 && !model_has(&model, from, number); tries++) {
        from = some_live();
    }
    for (uint32_t tries = below(8); tries > 0 && model_has(&model, to, number); tries--) {
        to = some_live();
    }
    if (!model_has(&model, from, number) || !has_room(number, 1)) {
        return;
    }
    const void* value = sett_get(model.world, model_handle(&model, from), id_of(number));
    EXPECT(sett_set(model.world, model_handle(&model, to), id_of(number), value) != NULL);
    model_set(&model, to, number, model.seed[number][from]);
    EXPECT_SAME(model_compare_index(&model, to));
    EXPECT_SAME(model_compare_index(&model, from));
}

void op_write(void)
{
    uint32_t index = some_live();
    uint32_t type = some_type_of(index);
    void* value = sett_get_mut(model.world, model_handle(&model, index), id_of(type));
    if (!model_has(&model, index, type)) {
        EXPECT(value == NULL);
        return;
    }
    EXPECT(value != NULL);
    EXPECT(sett_get(model.world, model_handle(&model, index), id_of(type)) == value);
    uint32_t seed = some_seed();
    model_value_write(&model_types[type], value, seed);
    model_write(&model, index, type, seed);
    EXPECT_SAME(model_compare_value(&model, index, type));
    sett_entity owner = sett_component_owner(model.world, id_of(type), value);
    EXPECT(sett_equals(owner,
                       model_types[type].size != 0 ? model_handle(&model, index) : sett_null()));
}

void op_remove(void)
{
    uint32_t index = some_live();
    uint32_t type = some_type_of(index);
    sett_status status = sett_remove(model.world, model_handle(&model, index), id_of(type));
    if (!model_has(&model, index, type)) {
        EXPECT(status == SETT_STATUS_ABSENT);
        return;
    }
    EXPECT(status == SETT_OK);
    model_remove(&model, index, type);
    EXPECT(!sett_has(model.world, model_handle(&model, index), id_of(type)));
    EXPECT_SAME(model_compare_index(&model, index));
    EXPECT_SAME(model_compare_list(&model, index));
}

void op_enable(void)
{
    uint32_t index = some_live();
    uint32_t number = some_switched();
    sett_entity entity = model_handle(&model, index);
    bool on = one_in(2);
    sett_status status = sett_enable(model.world, entity, id_of(number), on);
    bool has = model_has(&model, index, number);
    if (model_types[number].off == MODEL_TYPES || !has) {
        EXPECT(status == (has || model_types[number].off == MODEL_TYPES ? SETT_STATUS_ARGUMENT
                                                                        : SETT_STATUS_ABSENT));
        EXPECT(sett_is_enabled(model.world, entity, id_of(number)) == has);
        return;
    }
    EXPECT(status == SETT_OK);
    model_enable(&model, index, number, on);
    EXPECT(sett_is_enabled(model.world, entity, id_of(number)) == on);
    EXPECT_SAME(model_compare_index(&model, index));
    EXPECT_SAME(model_compare_list(&model, index));
}

void op_component_clear(void)
{
    uint32_t type = some_type();
    if ((model.count[type] > 200 && !one_in(10)) || !afford(model.alive)) {
        return;
    }
    EXPECT(sett_component_clear(model.world, id_of(type)) == SETT_OK);
    for (uint32_t k = 0; k < model.alive; k++) {
        if (model_has(&model, model.live[k], type)) {
            model_remove(&model, model.live[k], type);
        }
    }
    EXPECT(sett_component_count(model.world, id_of(type)) == 0);
}

/* op_command.c: commands recorded, applied and dropped.
 *
 * SPDX-License-Identifier: MIT
 */
#include "model/operations.h"

/* An entity to record about: alive, reserved in any buffer, or stale. */
static sett_entity some_recordable(void)
{
    uint32_t k = below(MODEL_BUFFERS);
    if (model.command_count[k] != 0 && one_in(2)) {
        sett_entity entity = model.command[k][below(model.command_count[k])].entity;
        return sett_is_null(entity) ? some_stale() : entity;
    }
    return model.alive != 0 && !one_in(10) ? model_handle(&model, some_live()) : some_stale();
}

static sett_status record_value(sett_commands* buffer, const model_command* c)
{
    static _Alignas(4096) unsigned char value[20480];
    uint32_t block;
    const model_type* type = &model_types[c->type];
    model_value_make(type, value, &block, c->seed);
    model.owned_waiting += (type->flags & MODEL_OWNED) != 0;
    return sett_cmd_set(buffer, c->entity, type->id, value);
}

static sett_status record(sett_commands* buffer, const model_command* c)
{
    switch (c->kind) {
    case MODEL_DESTROY:
        return sett_cmd_destroy(buffer, c->entity);
    case MODEL_ADD:
        return sett_cmd_add(buffer, c->entity, id_of(c->type));
    case MODEL_SET:
        return record_value(buffer, c);
    case MODEL_REMOVE:
        return sett_cmd_remove(buffer, c->entity, id_of(c->type));
    case MODEL_ENABLE:
        return sett_cmd_enable(buffer, c->entity, id_of(c->type), (c->seed & 1) != 0);
    case MODEL_CLEAR:
        return sett_cmd_clear(buffer, c->entity);
    case MODEL_CREATE:
        break;
    }
    return SETT_OK;
}

static void record_create(sett_commands* buffer, model_command* c)
{
    c->entity = sett_cmd_create(buffer);
    if (model_room(&model) == 0) {
        EXPECT(sett_is_null(c->entity) && failed_with(SETT_STATUS_LIMIT));
        return;
    }
    expect_fresh(c->entity);
    model.life[c->entity.index] = MODEL_RESERVED;
    model.reserved++;
    EXPECT(!sett_entity_valid(model.world, c->entity));
}

void record_some(void)
{
    static const model_command_kind kinds[] = {
        MODEL_CREATE, MODEL_CREATE, MODEL_DESTROY, MODEL_ADD,    MODEL_ADD,   MODEL_SET,
        MODEL_SET,    MODEL_SET,    MODEL_REMOVE,  MODEL_REMOVE, MODEL_CLEAR, MODEL_ENABLE};
    uint32_t k = below(MODEL_BUFFERS);
    if (model.command_count[k] == MODEL_COMMANDS) {
        return;
    }
    model_command c = {kinds[below(sizeof(kinds) / sizeof(kinds[0]))], some_recordable(),
                       some_type(), some_seed()};
    if (c.kind == MODEL_ENABLE) {
        c.type = model_types[MODEL_DRAWN + below(MODEL_TYPES - MODEL_DRAWN)].off;
    }
    if (c.kind == MODEL_CLEAR && !one_in(4)) {
        return;
    }
    if ((c.kind == MODEL_ADD || c.kind == MODEL_SET) && !has_room(c.type, 1)) {
        return;
    }
    if (c.kind == MODEL_CREATE) {
        record_create(model.buffer[k], &c);
        if (sett_is_null(c.entity)) {
            return;
        }
    } else {
        EXPECT(record(model.buffer[k], &c) == SETT_OK);
    }
    model.command[k][model.command_count[k]++] = c;
    EXPECT(sett_commands_count(model.buffer[k]) == model.command_count[k]);
}

void op_record(void)
{
    for (uint32_t count = 1 + below(one_in(20) ? 200 : 8); count > 0; count--) {
        record_some();
    }
}

/* What a command does to the model; what makes no sense is skipped. */
static void note_command(const model_command* c)
{
    if (c->kind == MODEL_CREATE) {
        model.reserved--;
        model_create(&model, c->entity);
        return;
    }
    if (!model_valid(&model, c->entity)) {
        return;
    }
    uint32_t index = c->entity.index;
    bool has = model_has(&model, index, c->type);
    if (c->kind == MODEL_DESTROY) {
        model_destroy(&model, index);
    } else if (c->kind == MODEL_CLEAR) {
        model_remove_set(&model, index, UINT64_MAX);
    } else if (c->kind == MODEL_ADD && !has) {
        model_add(&model, index, c->type);
    } else if (c->kind == MODEL_SET) {
        model_set(&model, index, c->type, c->seed);
    } else if (c->kind == MODEL_REMOVE && has) {
        model_remove(&model, index, c->type);
    } else if (c->kind == MODEL_ENABLE && has) {
        model_enable(&model, index, c->type, (c->seed & 1) != 0);
    }
}

static void forget_commands(uint32_t k)
{
    for (uint32_t at = 0; at < model.command_count[k]; at++) {
        const model_command* c = &model.command[k][at];
        model.owned_waiting -=
            c->kind == MODEL_SET && (model_types[c->type].flags & MODEL_OWNED) != 0;
    }
    model.command_count[k] = 0;
    EXPECT(sett_commands_count(model.buffer[k]) == 0);
}

void op_apply(void)
{
    uint32_t k = below(MODEL_BUFFERS);
    EXPECT(sett_commands_apply(model.buffer[k]) == SETT_OK);
    for (uint32_t at = 0; at < model.command_count[k]; at++) {
        note_command(&model.command[k][at]);
    }
    for (uint32_t at = 0; at < model.command_count[k]; at++) {
        uint32_t index = model.command[k][at].entity.index;
        if (index < MODEL_INDICES) {
            EXPECT_SAME(model_compare_index(&model, index));
        }
    }
    forget_commands(k);
}

void op_drop(void)
{
    uint32_t k = below(MODEL_BUFFERS);
    if (!one_in(4)) {
        return;
    }
    if (k != 0 && one_in(4)) {
        sett_commands_destroy(model.buffer[k]);
        model.buffer[k] = sett_commands_create(model.world);
        EXPECT(model.buffer[k] != NULL);
    } else {
        sett_commands_clear(model.buffer[k]);
    }
    for (uint32_t at = 0; at < model.command_count[k]; at++) {
        const model_command* c = &model.command[k][at];
        if (c->kind == MODEL_CREATE) {
            EXPECT(!sett_entity_valid(model.world, c->entity));
            model.life[c->entity.index] = MODEL_FREE;
            model.generation[c->entity.index]++; /* the handle given out does not come back */
            model.reserved--;
            model.lowest = c->entity.index < model.lowest ? c->entity.index : model.lowest;
        }
    }
    forget_commands(k);
}

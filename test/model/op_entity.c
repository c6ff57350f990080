/* op_entity.c: entities come and go, one by one and many at once.
 *
 * SPDX-License-Identifier: MIT
 */
#include "model/operations.h"

/* A value outside of the world. */
static void* make_values(const model_type* type, uint32_t count, uint32_t** blocks, uint32_t* seeds)
{
    unsigned char* values =
        aligned_alloc(4096, ((size_t)type->size * count + 4096) & ~(size_t)4095);
    *blocks = malloc(sizeof(uint32_t) * count);
    CHECK(values != NULL && *blocks != NULL);
    for (uint32_t k = 0; k < count; k++) {
        seeds[k] = some_seed();
        model_value_make(type, values + (size_t)k * type->size, *blocks + k, seeds[k]);
    }
    return values;
}

void op_create(void)
{
    sett_entity entity = sett_entity_create(model.world);
    if (model_room(&model) == 0) {
        EXPECT(sett_is_null(entity) && failed_with(SETT_STATUS_LIMIT));
        return;
    }
    expect_fresh(entity);
    model_create(&model, entity);
    EXPECT_SAME(model_compare_index(&model, entity.index));
}

void op_create_handle(void)
{
    sett_entity entity;
    entity.index = below(one_in(4) ? MODEL_INDICES : run.reach);
    if (run.done < run.closely && !one_in(50)) {
        entity.index = below(run.reach);
    }
    entity.index += one_in(200) ? MODEL_INDICES : 0;
    bool inside = entity.index < MODEL_INDICES;
    uint32_t next = inside ? model.generation[entity.index] : 1;
    entity.generation = next + below(3);
    if (one_in(4)) {
        entity.generation = one_in(2) ? next - 1 : (uint32_t)chance();
    }
    if (one_in(500) && model.retired < 500) {
        entity.generation = MODEL_GENERATION_MAX;
    }
    sett_status expected = SETT_OK;
    if (entity.generation == 0 || entity.generation > MODEL_GENERATION_MAX) {
        expected = SETT_STATUS_STALE;
    } else if (!inside) {
        expected = SETT_STATUS_LIMIT;
    } else if (model.life[entity.index] == MODEL_ALIVE ||
               model.life[entity.index] == MODEL_RESERVED) {
        expected = SETT_STATUS_PRESENT;
    } else if (model.life[entity.index] == MODEL_RETIRED || entity.generation < next) {
        expected = SETT_STATUS_STALE;
    }
    EXPECT(sett_entity_create_handle(model.world, entity) == expected);
    if (expected == SETT_OK) {
        EXPECT(sett_entity_valid(model.world, entity));
        model_create(&model, entity);
    } else {
        EXPECT(failed_with(expected));
    }
}

typedef struct bulk {
    uint32_t count;
    uint32_t type_count;
    uint32_t type[8];
    sett_component id[8];
    const void* values[8];
    uint32_t* blocks[8];
    uint32_t* seeds[8];
} bulk;

static uint32_t bulk_count(void)
{
    bool grow = model.alive < run.target;
    uint32_t count = 1 + below(grow && one_in(3) ? 1 + (run.target - model.alive) / 4 : 12);
    return afford(count * 4) ? count : 1 + below(4);
}

static void bulk_choose(bulk* b, uint32_t count)
{
    memset(b, 0, sizeof(*b));
    b->count = count;
    uint64_t chosen = 0;
    for (uint32_t wish = below(7); wish > 0; wish--) {
        uint32_t type = some_type();
        uint64_t all = model_types[type].closure | model_bit(type);
        bool room = (chosen & model_bit(type)) == 0;
        for (uint64_t rest = all; rest != 0; rest &= rest - 1) {
            room = room && has_room(model_lowest(rest), b->count);
        }
        if (room) {
            chosen |= model_bit(type);
            b->type[b->type_count] = type;
            b->id[b->type_count++] = id_of(type);
        }
    }
    bool any = !one_in(4);
    for (uint32_t k = 0; k < b->type_count && any; k++) {
        if (!one_in(3)) {
            b->seeds[k] = malloc(sizeof(uint32_t) * b->count);
            CHECK(b->seeds[k] != NULL);
            b->values[k] =
                make_values(&model_types[b->type[k]], b->count, &b->blocks[k], b->seeds[k]);
        }
    }
}

static void bulk_note(const bulk* b, const sett_entity* made)
{
    for (uint32_t k = 0; k < b->count; k++) {
        expect_fresh(made[k]);
        model_create(&model, made[k]);
    }
    for (uint32_t k = 0; k < b->count;
         k++) { /* which of these types had their rows first is open */
        for (uint32_t j = 0; j < b->type_count; j++) {
            if (!model_has(&model, made[k].index, b->type[j])) {
                model_add(&model, made[k].index, b->type[j]);
            }
        }
        for (uint32_t j = 0; j < b->type_count; j++) {
            if (b->values[j] != NULL) {
                model_set(&model, made[k].index, b->type[j], b->seeds[j][k]);
            }
        }
    }
    for (uint32_t k = 0; k < b->count; k += 1 + b->count / 16) {
        EXPECT_SAME(model_compare_index(&model, made[k].index));
    }
}

static void bulk_free(const bulk* b)
{
    for (uint32_t k = 0; k < b->type_count; k++) {
        free((void*)(uintptr_t)b->values[k]);
        free(b->blocks[k]);
        free(b->seeds[k]);
    }
}

void op_create_with(void)
{
    bulk b;
    sett_value values[8];
    bulk_choose(&b, 1);
    for (uint32_t k = 0; k < b.type_count; k++) {
        values[k] = (sett_value){.component = b.id[k], .value = b.values[k]};
    }
    uint32_t room = model_room(&model);
    sett_entity made = sett_create_with(model.world, values, b.type_count);
    EXPECT(sett_is_null(made) == (room == 0));
    if (room != 0) {
        bulk_note(&b, &made);
    } else {
        EXPECT(failed_with(SETT_STATUS_LIMIT));
    }
    bulk_free(&b);
}

void op_create_many(void)
{
    bulk b;
    bulk_choose(&b, bulk_count());
    uint32_t room = model_room(&model);
    sett_entity* made = malloc(sizeof(sett_entity) * b.count);
    CHECK(made != NULL);
    bool values = false;
    for (uint32_t k = 0; k < b.type_count; k++) {
        values = values || b.values[k] != NULL;
    }
    sett_status expected = b.count <= room ? SETT_OK : SETT_STATUS_LIMIT;
    if (b.type_count != 0 && one_in(20)) {
        sett_component good = b.id[0];
        b.id[0] = b.type_count > 1 && one_in(2) ? b.id[1] : 5000;
        sett_status status =
            sett_entity_create_many(model.world, b.count, b.id, b.type_count, b.values, made);
        EXPECT(status == (b.id[0] == 5000 ? SETT_STATUS_UNREGISTERED : SETT_STATUS_ARGUMENT));
        EXPECT(sett_entity_count(model.world) == model.alive);
        b.id[0] = good;
    }
    EXPECT(sett_entity_create_many(model.world, b.count, b.id, b.type_count,
                                   values ? b.values : NULL, made) == expected);
    if (expected == SETT_OK) {
        bulk_note(&b, made);
    }
    bulk_free(&b);
    free(made);
}

void op_destroy(void)
{
    uint32_t index = some_live();
    sett_entity entity = model_handle(&model, index);
    model.destroying = true;
    EXPECT(sett_entity_destroy(model.world, entity) == SETT_OK);
    model.destroying = false;
    model_destroy(&model, index);
    EXPECT(!sett_entity_valid(model.world, entity));
    EXPECT(sett_is_null(sett_entity_at(model.world, index)));
}

/* Living ones, each perhaps more than once, and stale ones. */
void op_destroy_many(void)
{
    sett_entity list[64];
    bool shrink = model.alive > run.target;
    uint32_t count = 1 + below(shrink ? 64 : 6);
    for (uint32_t k = 0; k < count; k++) {
        list[k] = one_in(6) ? some_stale() : model_handle(&model, some_live());
    }
    EXPECT(sett_entity_destroy_many(model.world, list, count) == SETT_OK);
    for (uint32_t k = 0; k < count; k++) {
        if (model_valid(&model, list[k])) {
            model_destroy(&model, list[k].index);
        }
    }
}

void op_destroy_with(void)
{
    uint32_t type = some_type();
    if (model.count[type] > (model.alive > run.target ? MODEL_INDICES : 40) ||
        !afford(model.alive)) {
        return;
    }
    model.destroying = true;
    EXPECT(sett_entity_destroy_with(model.world, id_of(type)) == SETT_OK);
    model.destroying = false;
    for (uint32_t k = model.alive; k-- > 0;) {
        if (model_has(&model, model.live[k], type)) {
            model_destroy(&model, model.live[k]);
        }
    }
    EXPECT(sett_component_count(model.world, id_of(type)) == 0);
}

void op_entity_clear(void)
{
    uint32_t index = some_live();
    sett_component ids[1];
    model.destroying = true; /* hooks see as much as when it is destroyed */
    EXPECT(sett_entity_clear(model.world, model_handle(&model, index)) == SETT_OK);
    model.destroying = false;
    model_remove_set(&model, index, UINT64_MAX);
    EXPECT(sett_entity_components(model.world, model_handle(&model, index), ids, 1) == 0);
    EXPECT_SAME(model_compare_index(&model, index));
}

/* Outside of the range, which it is for a moment: the handle can be created again. */
void op_forget(void)
{
    uint32_t index = some_live();
    sett_entity entity = model_handle(&model, index);
    uint32_t word = index / 64 * 64;
    bool behind = word + 64 < MODEL_INDICES && one_in(2);
    EXPECT(sett_entity_forget(model.world, entity) == SETT_STATUS_ARGUMENT &&
           failed_with(SETT_STATUS_ARGUMENT));
    if (word == 0 && !behind) {
        return;
    }
    EXPECT(sett_entity_set_range(model.world, behind ? word + 64 : 0, behind ? 0 : word) ==
           SETT_OK);
    model.destroying = true;
    EXPECT(sett_entity_forget(model.world, entity) == SETT_OK);
    model.destroying = false;
    EXPECT(sett_entity_set_range(model.world, 0, 0) == SETT_OK);
    model_forget(&model, index);
    EXPECT(!sett_entity_valid(model.world, entity));
    if (one_in(2)) {
        EXPECT(sett_entity_create_handle(model.world, entity) == SETT_OK);
        model_create(&model, entity);
    }
}

void op_world_clear(void)
{
    if (!one_in(12) || !afford((uint64_t)model.alive * 4)) {
        return;
    }
    model.destroying = true;
    EXPECT(sett_world_clear(model.world) == SETT_OK);
    model.destroying = false;
    while (model.alive > 0) {
        model_destroy(&model, model.live[model.alive - 1]);
    }
}

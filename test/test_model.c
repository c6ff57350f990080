/* test_model.c: random operations on a world and on a naive one (model.h), compared all the way.
 *
 *     SETT_SEED=7 SETT_OPERATIONS=10000000 test_model     another run, from outside
 *     test_model --seed 7 --ops 52346 --from 51345        up to operation 52345, validated and
 *                                                         compared after each from 51345 on
 *
 * A failure prints the line that repeats it.
 *
 * The first operations work on small worlds and are checked one by one; later the population swings
 * between nothing and all of the indices, and the checks come every thousand operations. Operations
 * whose cost grows with the world are paid for from a budget, so that an operation costs the same
 * on average, however large the world is.
 *
 * SPDX-License-Identifier: MIT
 */
#include "model.h"

#include "query/query.h"
#include "world/world.h"

#include <math.h>

#define CLOSELY 10000u /* operations that are checked one by one */
#define PERIOD 1000u   /* between checks, later */
#define STRETCH 2500u  /* between changes of what the world is headed for */
#define BUDGET 400     /* what an operation earns: entities looked at, about */

static uint64_t seed_given;
static uint64_t operations;
static uint64_t closely_from;
static bool operations_exact; /* given by hand: the same for every run */

/* ---- Chance ---------------------------------------------------------------------------------- */

static uint64_t chance_state;

static uint64_t chance(void)
{
    chance_state += 0x9E3779B97F4A7C15u;
    return model_mix(chance_state);
}

/* 0 to limit - 1. */
static uint32_t below(uint32_t limit)
{
    return (uint32_t)((chance() >> 32) * limit >> 32);
}

static bool one_in(uint32_t n)
{
    return below(n) == 0;
}

/* What values are made from: often zero, never one of the init hooks' by accident. */
static uint32_t some_seed(void)
{
    return one_in(8) ? 0 : (uint32_t)chance() | 8;
}

/* ---- The run --------------------------------------------------------------------------------- */

static struct run {
    uint64_t done;      /* operations finished */
    uint64_t closely;   /* of them, checked one by one */
    const char* name;   /* of the one that runs */
    uint32_t target;    /* entities that there should be, about */
    uint32_t reach;     /* indices in use stay below, about */
    uint32_t groups;    /* that there should be at most */
    uint32_t observers; /* likewise */
    int64_t budget;
} run;

_Noreturn static void fail(int line, const char* reason)
{
    check_failed(
        "test_model.c", line,
        "operation %llu (%s): %s; again with: test_model --seed %llu --ops %llu --from %llu %s",
        (unsigned long long)run.done, run.name, reason, (unsigned long long)seed_given,
        (unsigned long long)run.done + 1,
        (unsigned long long)(run.done < PERIOD ? 0 : run.done - PERIOD), check_progress()->running);
}

#define EXPECT(condition) ((condition) ? (void)0 : fail(__LINE__, #condition))

static void expect_same(int line, const char* difference)
{
    if (difference != NULL) {
        fail(line, difference);
    }
}

/* Whether something that looks at so many entities may be done now. */
static bool afford(uint64_t cost)
{
    if (run.budget < 0) {
        return false;
    }
    run.budget -= (int64_t)cost;
    return true;
}

static uint32_t visit_mark[MODEL_INDICES]; /* the loop that visited it last */
static uint32_t visit_loop;

static bool failed_with(sett_status status)
{
    return sett_world_error(model.world) == status;
}

static bool has_room(uint32_t type, uint32_t more)
{
    uint32_t cap = model_types[type].cap;
    return cap == 0 || model.count[type] + more <= cap;
}

static uint32_t some_live(void)
{
    return model.live[below(model.alive)];
}

static uint32_t some_type(void)
{
    return below(MODEL_TYPES);
}

/* A type that the entity has, or any if it has none. */
static uint32_t some_type_of(uint32_t index)
{
    uint64_t mask = model.mask[index];
    for (uint32_t skip = mask != 0 ? below(8) : 0; skip > 0 && (mask & (mask - 1)) != 0; skip--) {
        mask &= mask - 1;
    }
    return mask != 0 && !one_in(8) ? model_lowest(mask) : some_type();
}

static sett_component id_of(uint32_t type)
{
    return model_types[type].id;
}

/* A handle that is no living entity: null, of an earlier or later life, promised, or made up. */
static sett_entity some_stale(void)
{
    sett_entity entity = sett_null();
    uint32_t kind = below(6);
    entity.index = kind == 0 ? (uint32_t)chance() : below(run.reach);
    if (kind <= 1) {
        entity.generation = (uint32_t)chance();
    } else if (kind <= 4) {
        uint32_t step = 1 + below(3);
        uint32_t generation = model.generation[entity.index];
        entity.generation = kind == 2           ? generation + step
                            : generation > step ? generation - step
                                                : 0;
    } else {
        entity.generation = model.generation[entity.index];
    }
    return model_valid(&model, entity) ? sett_null() : entity;
}

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

/* ---- Entities -------------------------------------------------------------------------------- */

/* A handle that the library gave out: free until now, and in the life that follows the last. */
static void expect_fresh(sett_entity entity)
{
    EXPECT(!sett_is_null(entity));
    EXPECT(entity.index < MODEL_INDICES);
    EXPECT(model.life[entity.index] == MODEL_FREE);
    EXPECT(entity.generation == model.generation[entity.index]);
}

static void op_create(void)
{
    sett_entity entity = sett_entity_create(model.world);
    if (model_room(&model) == 0) {
        EXPECT(sett_is_null(entity) && failed_with(SETT_STATUS_LIMIT));
        return;
    }
    expect_fresh(entity);
    model_create(&model, entity);
    expect_same(__LINE__, model_compare_index(&model, entity.index));
}

static void op_create_handle(void)
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
    if (!inside) {
        expected = SETT_STATUS_LIMIT;
    } else if (entity.generation == 0 || entity.generation > MODEL_GENERATION_MAX) {
        expected = SETT_STATUS_STALE;
    } else if (model.life[entity.index] == MODEL_ALIVE ||
               model.life[entity.index] == MODEL_PROMISED) {
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

static void bulk_choose(bulk* b)
{
    memset(b, 0, sizeof(*b));
    bool grow = model.alive < run.target;
    b->count = 1 + below(grow && one_in(3) ? 1 + (run.target - model.alive) / 4 : 12);
    if (!afford(b->count * 4)) {
        b->count = 1 + below(4);
    }
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
        expect_same(__LINE__, model_compare_index(&model, made[k].index));
    }
}

static void op_create_many(void)
{
    bulk b;
    bulk_choose(&b);
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
    for (uint32_t k = 0; k < b.type_count; k++) {
        free((void*)(uintptr_t)b.values[k]);
        free(b.blocks[k]);
        free(b.seeds[k]);
    }
    free(made);
}

static void op_destroy(void)
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
static void op_destroy_many(void)
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

static void op_destroy_with(void)
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

static void op_entity_clear(void)
{
    uint32_t index = some_live();
    sett_component ids[1];
    model.destroying = true; /* hooks see as much as when it is destroyed */
    EXPECT(sett_entity_clear(model.world, model_handle(&model, index)) == SETT_OK);
    model.destroying = false;
    model_remove_set(&model, index, UINT64_MAX);
    EXPECT(sett_entity_components(model.world, model_handle(&model, index), ids, 1) == 0);
    expect_same(__LINE__, model_compare_index(&model, index));
}

static void op_world_clear(void)
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

/* ---- Values ---------------------------------------------------------------------------------- */

static void op_add(void)
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
    expect_same(__LINE__, model_compare_index(&model, index));
}

static void op_ensure(void)
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
    expect_same(__LINE__, model_compare_index(&model, index));
}

static void op_set(void)
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
    expect_same(__LINE__, model_compare_index(&model, index));
}

/* The value given is another entity's, in the storage itself, which may compact meanwhile. */
static void op_set_from_another(void)
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
    expect_same(__LINE__, model_compare_index(&model, to));
    expect_same(__LINE__, model_compare_index(&model, from));
}

static void op_write(void)
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
    expect_same(__LINE__, model_compare_value(&model, index, type));
    sett_entity owner = sett_component_owner(model.world, id_of(type), value);
    EXPECT(sett_equals(owner,
                       model_types[type].size != 0 ? model_handle(&model, index) : sett_null()));
}

static void op_remove(void)
{
    uint32_t index = some_live();
    uint32_t type = some_type_of(index);
    sett_status status = sett_remove(model.world, model_handle(&model, index), id_of(type));
    if (!model_has(&model, index, type)) {
        EXPECT(status == SETT_STATUS_ABSENT && failed_with(SETT_STATUS_ABSENT));
        return;
    }
    EXPECT(status == SETT_OK);
    model_remove(&model, index, type);
    EXPECT(!sett_has(model.world, model_handle(&model, index), id_of(type)));
    expect_same(__LINE__, model_compare_index(&model, index));
    expect_same(__LINE__, model_compare_list(&model, index));
}

static void op_component_clear(void)
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

/* ---- Memory and time ------------------------------------------------------------------------- */

static void op_compact(void)
{
    uint32_t type = some_type();
    if (afford(model.count[type])) {
        EXPECT(sett_component_compact(model.world, id_of(type)) == SETT_OK);
    }
}

static void op_trim(void)
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

static void op_reserve(void)
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

static void op_advance(void)
{
    model.now = sett_world_advance(model.world);
    EXPECT(model.now == sett_world_tick(model.world));
}

/* ---- Misuse ---------------------------------------------------------------------------------- */

/* Every call that changes an entity refuses this handle. */
static void expect_refused(sett_entity e, sett_component id, sett_status status)
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

static void op_stale(void)
{
    sett_world* w = model.world;
    sett_entity e = some_stale();
    sett_component id = id_of(some_type());
    expect_refused(e, id, SETT_STATUS_STALE);
    EXPECT(sett_entity_destroy_many(w, &e, 1) == SETT_OK);
    EXPECT(!sett_entity_valid(w, e));
    EXPECT(sett_get(w, e, id) == NULL);
    EXPECT(sett_get_mut(w, e, id) == NULL);
    EXPECT(sett_find(w, e, id) == NULL);
    EXPECT(!sett_has(w, e, id));
    EXPECT(sett_changed(w, e, id) == 0);
    EXPECT(sett_entity_components(w, e, NULL, 0) == 0);
    const sett_group* group = model.group[below(MODEL_GROUPS)].group;
    EXPECT(group == NULL || !sett_group_has(group, e));
    expect_same(__LINE__, model_compare_counts(&model));
    if (e.index < MODEL_INDICES) {
        expect_same(__LINE__, model_compare_index(&model, e.index));
    }
}

/* A living entity, and a type that there is not. */
static void op_unregistered(void)
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
    EXPECT(sett_component_convert(w, id, SETT_STORAGE_PACKED) == SETT_STATUS_UNREGISTERED);
    EXPECT(sett_sort_by_key(w, id, 0, SETT_KEY_U32) == SETT_STATUS_UNREGISTERED);
    if (id != 0) { /* 0 ends the list */
        sett_group_desc group = {.with = {id}};
        EXPECT(sett_group_create(w, &group) == NULL && failed_with(SETT_STATUS_UNREGISTERED));
    }
    EXPECT(sett_get(w, e, id) == NULL && sett_get_mut(w, e, id) == NULL && !sett_has(w, e, id));
    EXPECT(sett_cmd_add(model.buffer[0], e, id) == SETT_STATUS_UNREGISTERED);
    EXPECT(sett_cmd_set(model.buffer[0], e, id, &value) == SETT_STATUS_UNREGISTERED);
    EXPECT(sett_cmd_remove(model.buffer[0], e, id) == SETT_STATUS_UNREGISTERED);
    EXPECT(sett_commands_count(model.buffer[0]) == model.command_count[0]);
    expect_same(__LINE__, model_compare_index(&model, e.index));
}

/* While a loop is open. */
static void expect_locked(sett_entity e, uint32_t absent)
{
    sett_world* w = model.world;
    sett_component id = id_of(absent);
    expect_refused(e, id, SETT_STATUS_LOCKED);
    EXPECT(sett_is_null(sett_entity_create(w)) && failed_with(SETT_STATUS_LOCKED));
    EXPECT(sett_entity_create_many(w, 2, &id, 1, NULL, NULL) == SETT_STATUS_LOCKED);
    EXPECT(sett_entity_create_handle(w, e) == SETT_STATUS_LOCKED);
    EXPECT(sett_entity_destroy_many(w, &e, 1) == SETT_STATUS_LOCKED);
    EXPECT(sett_entity_destroy_with(w, id) == SETT_STATUS_LOCKED);
    EXPECT(sett_component_clear(w, id) == SETT_STATUS_LOCKED);
    EXPECT(sett_component_compact(w, id) == SETT_STATUS_LOCKED);
    EXPECT(sett_component_convert(w, id, SETT_STORAGE_PACKED) == SETT_STATUS_LOCKED);
    EXPECT(sett_sort_by_key(w, id, 0, SETT_KEY_U32) == SETT_STATUS_LOCKED);
    EXPECT(sett_sort_as(w, id, id) == SETT_STATUS_LOCKED);
    sett_group_desc group = {.with = {id}};
    EXPECT(sett_group_create(w, &group) == NULL && failed_with(SETT_STATUS_LOCKED));
    sett_group* there = model.group[below(MODEL_GROUPS)].group;
    EXPECT(there == NULL || sett_group_destroy(there) == SETT_STATUS_LOCKED);
    EXPECT(there == NULL || sett_group_sort_by_key(there, id, 0, SETT_KEY_U32) != SETT_OK);
    EXPECT(sett_commands_apply(model.buffer[0]) == SETT_STATUS_LOCKED);
    EXPECT(sett_world_clear(w) == SETT_STATUS_LOCKED);
    EXPECT(sett_world_trim(w) == SETT_STATUS_LOCKED);
    EXPECT(strstr(sett_world_message(w), "\"model\"") != NULL);
}

/* ---- Commands -------------------------------------------------------------------------------- */

/* An entity to record about: alive, promised in any buffer, or stale. */
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
    model.life[c->entity.index] = MODEL_PROMISED;
    model.promised++;
    EXPECT(!sett_entity_valid(model.world, c->entity));
}

static void record_some(void)
{
    static const model_command_kind kinds[] = {MODEL_CREATE, MODEL_CREATE, MODEL_DESTROY, MODEL_ADD,
                                               MODEL_ADD,    MODEL_SET,    MODEL_SET,     MODEL_SET,
                                               MODEL_REMOVE, MODEL_REMOVE, MODEL_CLEAR};
    uint32_t k = below(MODEL_BUFFERS);
    if (model.command_count[k] == MODEL_COMMANDS) {
        return;
    }
    model_command c = {kinds[below(sizeof(kinds) / sizeof(kinds[0]))], some_recordable(),
                       some_type(), some_seed()};
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

static void op_record(void)
{
    for (uint32_t count = 1 + below(one_in(20) ? 200 : 8); count > 0; count--) {
        record_some();
    }
}

/* What a command does to the model; what makes no sense is passed over. */
static void note_command(const model_command* c)
{
    if (c->kind == MODEL_CREATE) {
        model.promised--;
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

static void op_apply(void)
{
    uint32_t k = below(MODEL_BUFFERS);
    EXPECT(sett_commands_apply(model.buffer[k]) == SETT_OK);
    for (uint32_t at = 0; at < model.command_count[k]; at++) {
        note_command(&model.command[k][at]);
    }
    for (uint32_t at = 0; at < model.command_count[k]; at++) {
        uint32_t index = model.command[k][at].entity.index;
        if (index < MODEL_INDICES) {
            expect_same(__LINE__, model_compare_index(&model, index));
        }
    }
    forget_commands(k);
}

static void op_drop(void)
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
            model.promised--;
        }
    }
    forget_commands(k);
}

/* ---- Kinds of storage ------------------------------------------------------------------------ */

static const setti_storage* storage_of(uint32_t type)
{
    return &setti_world_type(model.world, id_of(type))->storage;
}

/* Some entities, all around the world. */
static void expect_samples(void)
{
    for (uint32_t k = below(8); k < model.alive; k += 1 + model.alive / 16) {
        expect_same(__LINE__, model_compare_index(&model, model.live[k]));
    }
}

static void expect_converted(uint32_t number)
{
    model_type* type = &model_types[number];
    sett_component_desc desc;
    sett_component needed[3];
    EXPECT(sett_component_describe(model.world, type->id, &desc) == SETT_OK);
    EXPECT(desc.storage == (type->packed ? SETT_STORAGE_PACKED : SETT_STORAGE_MATRIX));
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

static void op_convert(void)
{
    uint32_t number = some_type();
    model_type* type = &model_types[number];
    sett_storage_kind kind = (sett_storage_kind)below(one_in(20) ? 5 : 3);
    if (!afford(100 + (uint64_t)model.count[number] * 8)) {
        return;
    }
    bool keep = (type->flags & MODEL_KEEP) != 0;
    bool packed =
        kind == SETT_STORAGE_PACKED || (kind == SETT_STORAGE_DEFAULT && (type->size > 256 || keep));
    sett_status expected = SETT_OK;
    if (kind > SETT_STORAGE_PACKED || (!packed && keep)) {
        expected = SETT_STATUS_ARGUMENT;
    } else if (packed != type->packed && (model.group_owned & model_bit(number)) != 0) {
        expected = SETT_STATUS_CONFLICT;
    }
    EXPECT(sett_component_convert(model.world, type->id, kind) == expected);
    EXPECT(expected == SETT_OK || failed_with(expected));
    type->packed = expected == SETT_OK ? packed : type->packed;
    EXPECT((storage_of(number)->kind == SETTI_PACKED) == type->packed);
    expect_converted(number);
    expect_samples();
}

/* ---- Groups ---------------------------------------------------------------------------------- */

static bool can_be_owned(uint32_t type)
{
    return model_types[type].packed && (model_types[type].flags & MODEL_KEEP) == 0 &&
           !model_is_loose(&model, type);
}

/* Any of the groups that there are, NULL if there are none. */
static model_group* some_group(void)
{
    uint32_t first = below(MODEL_GROUPS);
    for (uint32_t k = 0; k < MODEL_GROUPS; k++) {
        model_group* group = &model.group[(first + k) % MODEL_GROUPS];
        if (group->group != NULL) {
            return group;
        }
    }
    return NULL;
}

static void group_list(uint64_t types, sett_component* list)
{
    uint32_t count = 0;
    for (uint64_t rest = types; rest != 0; rest &= rest - 1) {
        list[count++] = id_of(model_lowest(rest));
    }
}

/* Conditions that an entity fulfils, mostly, or those of the group that was here before, which
 * queries that are kept may ask for. `with` is without the owned ones. */
static void group_choose(model_group* group)
{
    if (one_in(2) && group->with != 0) {
        group->with &= ~group->owned;
        return;
    }
    uint32_t index = some_live();
    uint32_t kind = below(3); /* 0: a tracked set */
    bool wild = one_in(12);
    bool greedy = one_in(6); /* also wants what others own */
    group->owned = 0;
    group->with = 0;
    group->without = 0;
    for (uint32_t wish = 1 + below(3); wish > 0; wish--) {
        uint32_t type = some_type_of(index);
        if (greedy && model.group_owned != 0) {
            type = model_lowest(model.group_owned);
        }
        bool own = can_be_owned(type) && (greedy || (model.group_owned >> type & 1) == 0);
        own = wild ? one_in(2) : own;
        if (model_is_loose(&model, type) && !wild) {
            continue;
        }
        group->owned |= kind != 0 && own ? model_bit(type) : 0;
        group->with |= kind == 0 || !own ? model_bit(type) : 0;
    }
    for (uint32_t wish = below(3); wish > 0; wish--) {
        uint32_t type = some_type();
        bool against = !model_has(&model, index, type) && !model_is_loose(&model, type);
        group->without |= against || wild ? model_bit(type) : 0;
    }
}

/* Whether this is a right answer to creating it: which, is open if it is wrong in two ways. */
static bool group_answer_is(const model_group* group, sett_status status)
{
    bool argument = (group->owned | group->with) == 0;
    for (uint64_t rest = group->owned | group->with | group->without; rest != 0; rest &= rest - 1) {
        argument = argument || model_is_loose(&model, model_lowest(rest));
    }
    for (uint64_t rest = group->owned; rest != 0; rest &= rest - 1) {
        argument = argument || !can_be_owned(model_lowest(rest));
    }
    bool conflict = (group->owned & model.group_owned) != 0;
    return status == SETT_OK                ? !argument && !conflict
           : status == SETT_STATUS_CONFLICT ? conflict
                                            : argument && status == SETT_STATUS_ARGUMENT;
}

static void group_begin(model_group* group)
{
    group->with |= group->owned;
    model.group_owned |= group->owned;
    memset(group->inside, 0, sizeof(group->inside));
    group->inside_count = 0;
    for (uint32_t k = 0; k < model.alive; k++) {
        uint32_t index = model.live[k];
        group->inside[index] = model_is_member(group, model.mask[index]);
        group->inside_count += group->inside[index];
    }
    EXPECT(sett_group_count(group->group) == group->inside_count);
    expect_samples();
}

static void op_group_destroy(void)
{
    model_group* group = some_group();
    if (group == NULL || (run.groups != 0 && one_in(2)) || !afford(64)) {
        return;
    }
    EXPECT(sett_group_destroy(group->group) == SETT_OK);
    group->group = NULL;
    model.group_owned &= ~group->owned;
    expect_samples();
}

/* ---- Observers ------------------------------------------------------------------------------- */

/* From now on it is told; until now it was not. */
static void observer_begin(model_observer* observer)
{
    model_group* crossing = &observer->crossing;
    observer->enabled = true;
    if (observer->type != MODEL_TYPES) {
        for (uint32_t event = 0; event < MODEL_EVENTS; event++) {
            const model_events* all = &model.event[observer->type][event];
            observer->missed[event].calls = all->calls - observer->seen[event].calls;
            observer->missed[event].sum = all->sum - observer->seen[event].sum;
        }
        return;
    }
    memset(crossing->inside, 0, sizeof(crossing->inside));
    crossing->inside_count = 0;
    for (uint32_t k = 0; k < model.alive; k++) {
        uint32_t index = model.live[k];
        crossing->inside[index] = model_is_member(crossing, model.mask[index]);
        crossing->inside_count += crossing->inside[index];
    }
}

static void observer_choose(model_observer* observer, sett_observer_desc* desc)
{
    model_group* crossing = &observer->crossing;
    uint32_t index = some_live();
    uint32_t terms = 0;
    observer->type = some_type();
    if (one_in(2)) {
        observer->wants = 1 + below(7);
        desc->component = id_of(observer->type);
        desc->on_add = (observer->wants & 1) != 0 ? model_observe_add : NULL;
        desc->on_set = (observer->wants & 2) != 0 ? model_observe_set : NULL;
        desc->on_remove = (observer->wants & 4) != 0 ? model_observe_remove : NULL;
        observer->left_to_live = one_in(6) ? 1 + below(40) : 0;
        return;
    }
    observer->type = MODEL_TYPES;
    for (uint32_t wish = 1 + below(4); wish > 0; wish--) {
        bool with = terms == 0 || one_in(2);
        uint32_t type = with ? some_type_of(index) : some_type();
        if (!model_is_loose(&model, type) && (with || !model_has(&model, index, type))) {
            desc->terms[terms].component = id_of(type);
            desc->terms[terms++].kind = with ? SETT_WITH : SETT_WITHOUT;
            crossing->with |= with ? model_bit(type) : 0;
            crossing->without |= with ? 0 : model_bit(type);
        }
    }
    desc->entered = model_entered;
    desc->left = model_left;
    desc->user = crossing;
}

/* What it was told while it was made: of all that there are. */
static void expect_replayed(model_observer* observer)
{
    if (observer->type == MODEL_TYPES) {
        expect_same(__LINE__, model_compare_observers(&model));
        return;
    }
    model_events all = {0, 0};
    for (uint32_t k = 0; k < model.alive; k++) {
        uint32_t index = model.live[k];
        if (model_has(&model, index, observer->type)) {
            all.calls++;
            all.sum += model_event_sum(MODEL_ON_ADD, index, NULL, 0);
        }
    }
    EXPECT(observer->seen[MODEL_ON_ADD].calls == all.calls);
    EXPECT(observer->seen[MODEL_ON_ADD].sum == all.sum);
}

static void op_observer_create(void)
{
    static uint32_t serial;
    uint32_t at = 0;
    while (at < run.observers && model.observer[at].observer != NULL) {
        at++;
    }
    if (at >= run.observers || !afford(model.alive)) {
        return;
    }
    model_observer* observer = &model.observer[at];
    memset(observer, 0, sizeof(*observer));
    snprintf(observer->name, sizeof(observer->name), "observer %u", serial++ % 1000);
    strcpy(observer->crossing.name, observer->name);
    sett_observer_desc desc = {.name = observer->name, .user = observer};
    observer_choose(observer, &desc);
    desc.replay = (desc.on_add != NULL || desc.entered != NULL) && one_in(2);
    desc.disabled = one_in(6);
    observer->left_to_live = desc.replay ? 0 : observer->left_to_live;
    observer->enabled = !desc.disabled;
    observer->observer = sett_observer_create(model.world, &desc);
    if (observer->type == MODEL_TYPES && observer->crossing.with == 0) {
        EXPECT(observer->observer == NULL && failed_with(SETT_STATUS_ARGUMENT));
        return;
    }
    EXPECT(observer->observer != NULL);
    EXPECT(sett_observer_is_enabled(observer->observer) == !desc.disabled);
    if (desc.replay && !desc.disabled) {
        expect_replayed(observer);
    }
    if (observer->type != MODEL_TYPES) {
        model.observed |= model_bit(observer->type);
    }
    if (observer->enabled) {
        observer_begin(observer);
    }
}

static model_observer* some_observer(void)
{
    model_observer* observer = &model.observer[below(MODEL_OBSERVERS)];
    return observer->observer != NULL ? observer : NULL;
}

static void op_observer_destroy(void)
{
    model_observer* observer = some_observer();
    if (observer != NULL && (run.observers == 0 || one_in(3))) {
        sett_observer_destroy(observer->observer);
        observer->observer = NULL;
    }
}

static void op_observer_enable(void)
{
    model_observer* observer = some_observer();
    if (observer == NULL || !afford(model.alive)) {
        return;
    }
    sett_observer_enable(observer->observer, !observer->enabled);
    if (observer->enabled) {
        observer->enabled = false;
    } else {
        observer_begin(observer);
    }
}

/* ---- Sorting --------------------------------------------------------------------------------- */

static uint32_t sort_before[MODEL_INDICES]; /* entity indices, row by row */
static uint32_t sort_after[MODEL_INDICES];
static uint32_t sort_place[MODEL_INDICES]; /* by entity index: where it was in `sort_before` */

/* What a comparison looks at. */
typedef struct sort_by {
    const model_type* type;
    bool by_key;
    size_t offset;
    sett_key_kind kind;
} sort_by;

/* The entity indices of a packed type in the order of its rows, without gaps. */
static uint32_t sort_list(uint32_t type, uint32_t* list)
{
    const setti_storage* storage = storage_of(type);
    uint32_t count = 0;
    for (uint32_t row = 0; row < storage->extent; row++) {
        uint32_t index = *setti_storage_index(storage, row);
        if (index != SETTI_NONE) {
            list[count++] = index;
        }
    }
    EXPECT(count == model.count[type]);
    return count;
}

/* Of few different keys, so that equal ones are many. */
static uint32_t sort_number(const model_type* type, const void* value)
{
    const model_owned* owned = value;
    const unsigned char* bytes = value;
    return (type->flags & MODEL_OWNED) != 0 ? *owned->block % 64 : bytes[type->size / 2] % 64u;
}

static int sort_compare(const void* a, const void* b, void* user)
{
    const sort_by* by = user;
    uint32_t x = sort_number(by->type, a);
    uint32_t y = sort_number(by->type, b);
    return x < y ? -1 : x > y;
}

static double sort_float(const sort_by* by, const void* value)
{
    float narrow;
    double wide;
    const unsigned char* at = (const unsigned char*)value + by->offset;
    if (by->kind == SETT_KEY_F32) {
        memcpy(&narrow, at, sizeof(narrow));
        return (double)narrow;
    }
    memcpy(&wide, at, sizeof(wide));
    return wide;
}

static bool sort_is_nan(const sort_by* by, const void* value)
{
    if (!by->by_key || (by->kind != SETT_KEY_F32 && by->kind != SETT_KEY_F64)) {
        return false;
    }
    double number = sort_float(by, value);
    return number != number;
}

#define SORT_THREE_WAY(type_)                                                                      \
    do {                                                                                           \
        type_ x_;                                                                                  \
        type_ y_;                                                                                  \
        memcpy(&x_, (const unsigned char*)a + by->offset, sizeof(x_));                             \
        memcpy(&y_, (const unsigned char*)b + by->offset, sizeof(y_));                             \
        return x_ < y_ ? -1 : x_ > y_;                                                             \
    } while (0)

/* Neither is a NaN. */
static int sort_compare_keys(const sort_by* by, const void* a, const void* b)
{
    switch (by->kind) {
    case SETT_KEY_U32:
        SORT_THREE_WAY(uint32_t);
    case SETT_KEY_I32:
        SORT_THREE_WAY(int32_t);
    case SETT_KEY_U64:
        SORT_THREE_WAY(uint64_t);
    case SETT_KEY_I64:
        SORT_THREE_WAY(int64_t);
    case SETT_KEY_F32:
    case SETT_KEY_F64:
        break;
    }
    double x = sort_float(by, a);
    double y = sort_float(by, b);
    if (!(x < y) && !(x > y)) { /* -0 goes before 0 */
        return (signbit(y) != 0) - (signbit(x) != 0);
    }
    return x < y ? -1 : x > y;
}

static const void* sort_value(const sort_by* by, uint32_t index)
{
    return sett_find(model.world, model_handle(&model, index), by->type->id);
}

/* The first `count` of `sort_after` are the first of `sort_before`, in order; equal ones are as
 * they were. Not-a-numbers lie at the ends. */
static void expect_sorted(sort_by* by, uint32_t count)
{
    bool numbers = false;
    bool ended = false;
    visit_loop++;
    for (uint32_t k = 0; k < count; k++) {
        sort_place[sort_before[k]] = k;
        visit_mark[sort_before[k]] = visit_loop;
    }
    const void* last = NULL;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t index = sort_after[k];
        const void* value = sort_value(by, index);
        EXPECT(visit_mark[index] == visit_loop);
        visit_mark[index] = 0;
        if (sort_is_nan(by, value)) {
            ended = numbers;
            last = NULL;
            continue;
        }
        EXPECT(!ended);
        numbers = true;
        if (last != NULL) {
            int order =
                by->by_key ? sort_compare_keys(by, last, value) : sort_compare(last, value, by);
            EXPECT(order < 0 || (order == 0 && sort_place[sort_after[k - 1]] < sort_place[index]));
        }
        last = value;
    }
}

/* A key anywhere in the value; now and then beyond. */
static void sort_choose(sort_by* by, uint32_t number)
{
    by->type = &model_types[number];
    by->by_key = !one_in(4);
    by->kind = (sett_key_kind)below(6);
    uint32_t size = by->type->size;
    bool owned = (by->type->flags & MODEL_OWNED) != 0; /* pointers in front change as rows move */
    by->offset = owned ? 16 : below(size < 64 ? size + 1 : 64);
    if (size >= 8 && !one_in(8)) {
        by->offset = owned ? 16 : below((size < 64 ? size : 64) - 7);
    }
}

static bool sort_fits(const sort_by* by)
{
    bool narrow = by->kind == SETT_KEY_U32 || by->kind == SETT_KEY_I32 || by->kind == SETT_KEY_F32;
    size_t size = !by->by_key ? 1 : narrow ? 4 : 8;
    return by->by_key ? by->offset + size <= by->type->size : by->type->size != 0;
}

/* A type put in order has its values in this order from now on. */
static void sort_note(uint32_t number, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        model.stamp[number][sort_after[k]] = ++model.stamps;
    }
}

/* One that is packed, mostly. */
static uint32_t some_packed(void)
{
    uint32_t type = some_type();
    for (uint32_t tries = 0; tries < 4 && !model_types[type].packed; tries++) {
        type = some_type();
    }
    return type;
}

static void op_sort(void)
{
    uint32_t number = some_packed();
    const model_type* type = &model_types[number];
    sort_by by;
    sort_choose(&by, number);
    if (!afford(20 + (uint64_t)model.count[number] * 8)) {
        return;
    }
    uint32_t count = type->packed ? sort_list(number, sort_before) : 0;
    sett_status status = by.by_key ? sett_sort_by_key(model.world, type->id, by.offset, by.kind)
                                   : sett_sort(model.world, type->id, sort_compare, &by);
    bool owned = (model.group_owned & model_bit(number)) != 0;
    bool argument = !type->packed || !sort_fits(&by);
    if (argument || owned) {
        EXPECT((argument && status == SETT_STATUS_ARGUMENT) ||
               (owned && status == SETT_STATUS_CONFLICT));
        EXPECT(failed_with(status));
    } else {
        EXPECT(status == SETT_OK);
    }
    if (type->packed) {
        EXPECT(sort_list(number, sort_after) == count);
    }
    if (status == SETT_OK) {
        expect_sorted(&by, count);
        sort_note(number, count);
    } else {
        EXPECT(memcmp(sort_before, sort_after, sizeof(uint32_t) * count) == 0);
    }
    expect_samples();
}

/* What a type sorted as `like` has to look like: those that both have, then the others. */
static void expect_sorted_as(uint32_t number, uint32_t like, uint32_t count)
{
    static uint32_t expected[MODEL_INDICES];
    uint32_t filled = 0;
    bool packed = model_types[like].packed;
    uint32_t others = packed ? sort_list(like, expected) : 0;
    for (uint32_t k = 0; k < (packed ? others : MODEL_INDICES); k++) {
        uint32_t index = packed ? expected[k] : k;
        if (model.life[index] == MODEL_ALIVE && model_has(&model, index, like) &&
            model_has(&model, index, number)) {
            expected[filled++] = index; /* never ahead of k */
        }
    }
    for (uint32_t k = 0; k < count; k++) {
        if (!model_has(&model, sort_before[k], like)) {
            expected[filled++] = sort_before[k];
        }
    }
    EXPECT(filled == count);
    EXPECT(memcmp(expected, sort_after, sizeof(uint32_t) * count) == 0);
}

static void op_sort_as(void)
{
    uint32_t number = some_packed();
    uint32_t like = some_type();
    uint64_t cost = (uint64_t)model.count[number] + model.count[like];
    if (!afford(20 + cost * 4 + (model_types[like].packed ? 0 : model.alive))) {
        return;
    }
    const model_type* type = &model_types[number];
    uint32_t count = type->packed ? sort_list(number, sort_before) : 0;
    sett_status status = sett_sort_as(model.world, type->id, id_of(like));
    bool owned = (model.group_owned & model_bit(number)) != 0;
    EXPECT(status == (!type->packed ? SETT_STATUS_ARGUMENT
                      : owned       ? SETT_STATUS_CONFLICT
                                    : SETT_OK));
    if (status == SETT_OK) {
        EXPECT(sort_list(number, sort_after) == count);
        expect_sorted_as(number, like, count);
        sort_note(number, count);
    }
    expect_samples();
}

/* All that the group owns has its members in front, in the order of `sort_after`; what follows is
 * as it was in `rows`. */
static void expect_arranged(const model_group* group, uint32_t* const* rows)
{
    static uint32_t list[MODEL_INDICES];
    uint32_t members = sett_group_count(group->group);
    uint32_t k = 0;
    for (uint64_t rest = group->owned; rest != 0; rest &= rest - 1) {
        uint32_t count = sort_list(model_lowest(rest), list);
        EXPECT(memcmp(list, sort_after, sizeof(uint32_t) * members) == 0);
        EXPECT(memcmp(list + members, rows[k++] + members, sizeof(uint32_t) * (count - members)) ==
               0);
    }
}

static void group_sort(const model_group* group, sort_by* by)
{
    uint32_t* rows[SETT_GROUP_TYPES] = {NULL};
    uint32_t count = 0;
    for (uint64_t rest = group->owned; rest != 0; rest &= rest - 1) {
        rows[count] = malloc(sizeof(uint32_t) * MODEL_INDICES);
        CHECK(rows[count] != NULL);
        (void)sort_list(model_lowest(rest), rows[count++]);
    }
    uint32_t members = sett_group_count(group->group);
    uint64_t bit = model_bit(by->type->number);
    sett_status status =
        by->by_key ? sett_group_sort_by_key(group->group, by->type->id, by->offset, by->kind)
                   : sett_group_sort(group->group, by->type->id, sort_compare, by);
    bool good = count != 0 && sort_fits(by) && by->type->size != 0 &&
                ((by->by_key ? group->with : group->owned) & bit) != 0;
    EXPECT(status == (good ? SETT_OK : SETT_STATUS_ARGUMENT));
    if (count != 0) {
        memcpy(sort_before, rows[0], sizeof(uint32_t) * members);
        (void)sort_list(model_lowest(group->owned), sort_after);
        expect_arranged(group, rows);
    }
    if (good) {
        expect_sorted(by, members);
    } else {
        EXPECT(memcmp(sort_before, sort_after, sizeof(uint32_t) * (count != 0 ? members : 0)) == 0);
    }
    for (uint32_t k = 0; k < count; k++) {
        free(rows[k]);
    }
}

static void op_group_sort(void)
{
    const model_group* group = some_group();
    for (uint32_t tries = 0; tries < 3 && group != NULL && group->owned == 0; tries++) {
        group = some_group();
    }
    if (group == NULL) {
        return;
    }
    uint64_t cost = 50;
    for (uint64_t rest = group->owned; rest != 0; rest &= rest - 1) {
        cost += (uint64_t)model.count[model_lowest(rest)] * 4;
    }
    if (!afford(cost)) {
        return;
    }
    uint64_t types = group->owned == 0 || one_in(3) ? group->with : group->owned;
    while ((types & (types - 1)) != 0 && one_in(2)) {
        types &= types - 1;
    }
    sort_by by;
    sort_choose(&by, one_in(16) ? some_type() : model_lowest(types));
    group_sort(group, &by);
    expect_samples();
}

/* ---- Queries --------------------------------------------------------------------------------- */

typedef struct look {
    sett_query_desc desc;
    uint32_t type[SETT_QUERY_TERMS];
    uint32_t term_count;
    uint64_t used; /* types of all terms */
    uint64_t with;
    uint64_t without;
    uint64_t any;
    uint64_t changed;
    bool optional; /* some term is, or is one of several */

    /* Of one loop. */
    uint64_t since;
    bool ordered;             /* the documented order is known */
    uint32_t driver;          /* the type whose rows drive, MODEL_TYPES if indices do */
    const model_group* group; /* whose order the loop has, or NULL */
    bool exact;               /* it visits what is expected, and nothing else */
    uint32_t expected;        /* entities that match */
    uint32_t visited;
    sett_entity first;
    uint64_t last; /* 1 + what the last one visited had: index, row or stamp */
} look;

/* Queries that live on while groups come and go and storages change. */
#define KEPT_QUERIES 6

static struct {
    sett_query* query;
    look q;
} kept_queries[KEPT_QUERIES];

static bool look_matches(const look* q, uint64_t mask)
{
    return (mask & q->with) == q->with && (mask & q->without) == 0 &&
           (q->any == 0 || (mask & q->any) != 0);
}

/* With the terms that want a value changed. What counts as changed by page, sett_changed knows;
 * comparing values holds it against when each was really written. */
static bool look_accepts(const look* q, uint32_t index)
{
    bool accepted = look_matches(q, model.mask[index]);
    for (uint64_t rest = q->changed; rest != 0 && accepted; rest &= rest - 1) {
        uint32_t type = model_lowest(rest);
        bool exact = (model_types[type].flags & MODEL_TRACK) != 0 && model_types[type].size != 0;
        uint64_t tick = exact ? model.tick[type][index]
                              : sett_changed(model.world, model_handle(&model, index), id_of(type));
        EXPECT(tick >= model.tick[type][index]);
        accepted = tick > q->since;
    }
    return accepted;
}

static void look_add(look* q, uint32_t number, sett_term_kind kind)
{
    if ((q->used & model_bit(number)) != 0 || q->term_count == SETT_QUERY_TERMS) {
        return;
    }
    sett_term* term = &q->desc.terms[q->term_count];
    term->component = id_of(number);
    term->kind = kind;
    term->access = (sett_access)below(4);
    term->changed = kind == SETT_WITH && one_in(6);
    if ((model_types[number].flags & MODEL_OWNED) != 0 && term->access == SETT_OUT) {
        term->access = SETT_INOUT; /* overwriting it would lose what it owns */
    }
    q->used |= model_bit(number);
    q->with |= kind == SETT_WITH ? model_bit(number) : 0;
    q->without |= kind == SETT_WITHOUT ? model_bit(number) : 0;
    q->any |= kind == SETT_ANY ? model_bit(number) : 0;
    q->changed |= term->changed ? model_bit(number) : 0;
    q->optional = q->optional || kind == SETT_OPTIONAL || kind == SETT_ANY;
    q->type[q->term_count++] = number;
}

/* The conditions of a group, for a query that it covers. */
static void look_add_group(look* q, const model_group* group)
{
    for (uint64_t rest = group->with; rest != 0; rest &= rest - 1) {
        look_add(q, model_lowest(rest), SETT_WITH);
    }
    for (uint64_t rest = group->without; rest != 0; rest &= rest - 1) {
        look_add(q, model_lowest(rest), SETT_WITHOUT);
    }
}

/* Terms that match something, mostly: taken from an entity, or from a group. */
static void look_choose(look* q)
{
    memset(q, 0, sizeof(*q));
    q->desc.name = "model";
    const model_group* group = one_in(2) ? some_group() : NULL;
    uint32_t wishes = below(6);
    if (group != NULL) {
        look_add_group(q, group);
        wishes = one_in(2) ? 0 : below(3);
    }
    uint32_t index = model.alive != 0 ? some_live() : 0;
    bool any = one_in(3);
    for (; wishes > 0; wishes--) {
        bool wanted = !one_in(3);
        uint32_t number = wanted && model.alive != 0 ? some_type_of(index) : some_type();
        sett_term_kind kind = wanted ? SETT_WITH : one_in(2) ? SETT_WITHOUT : SETT_OPTIONAL;
        look_add(q, number, any && one_in(2) ? SETT_ANY : kind);
    }
}

static uint32_t look_bits(uint64_t set)
{
    uint32_t count = 0;
    for (; set != 0; set &= set - 1) {
        count++;
    }
    return count;
}

/* The group that covers the query: one that owns first, then the one with the most conditions.
 * False if two are equally good. */
static bool look_cover(const look* q, const model_group** cover)
{
    uint32_t best = 0;
    bool sure = true;
    *cover = NULL;
    for (uint32_t k = 0; k < MODEL_GROUPS; k++) {
        const model_group* group = &model.group[k];
        if (group->group == NULL || (group->with & ~q->with) != 0 ||
            (group->without & ~q->without) != 0) {
            continue;
        }
        uint32_t good =
            look_bits(group->with | group->without) + (group->owned != 0 ? MODEL_TYPES_MAX * 2 : 0);
        if (good >= best) {
            sure = good > best;
            best = good;
            *cover = group;
        }
    }
    return sure;
}

/* The packed one with the fewest values among some types, MODEL_TYPES if none is. */
static uint32_t look_fewest(uint64_t types, bool* tie)
{
    uint32_t fewest = MODEL_TYPES;
    *tie = false;
    for (uint64_t rest = types; rest != 0; rest &= rest - 1) {
        uint32_t type = model_lowest(rest);
        if (!model_types[type].packed) {
            continue;
        }
        if (fewest == MODEL_TYPES || model.count[type] < model.count[fewest]) {
            fewest = type;
            *tie = false;
        } else if (model.count[type] == model.count[fewest]) {
            *tie = true;
        }
    }
    return fewest;
}

/* Whether a packed storage goes before the group or the pages that there are: a matter of costs,
 * of which the model knows nothing. */
static bool look_drives(sett_query* query)
{
    setti_plan plan;
    setti_plan_update(query);
    setti_plan_make(query, &plan);
    return plan.driver != SETT_QUERY_TERMS && (query->arranged >> plan.driver & 1) == 0;
}

/* What the documentation says about the order: who drives. */
static void look_plan(sett_query* query, look* q)
{
    const model_group* cover;
    bool tie;
    q->ordered = look_cover(q, &cover);
    q->group = NULL;
    if (cover != NULL && cover->owned != 0) {
        q->driver = look_fewest(q->with & ~cover->owned, &tie);
        if (q->driver == MODEL_TYPES || !look_drives(query)) {
            q->group = cover;
            q->driver = model_lowest(cover->owned);
            tie = false;
        }
    } else {
        bool positional = cover != NULL;
        for (uint64_t rest = q->with; rest != 0; rest &= rest - 1) {
            positional = positional || !model_types[model_lowest(rest)].packed;
        }
        q->driver = look_fewest(q->with, &tie);
        if (q->driver != MODEL_TYPES && positional && !look_drives(query)) {
            q->driver = MODEL_TYPES;
        }
    }
    q->ordered = q->ordered && !(tie && q->driver != MODEL_TYPES);
}

/* Before a loop: what it should find. */
static void look_begin(sett_query* query, look* q)
{
    q->since = one_in(4) ? below(2) : model.now - (model.now < 8 ? 0 : below(8));
    q->expected = 0;
    q->visited = 0;
    q->last = 0;
    look_plan(query, q);
    for (uint32_t k = 0; k < model.alive; k++) {
        q->expected += look_accepts(q, model.live[k]);
    }
    /* Where pages remember, what the loop itself writes may match later in the same loop. */
    q->exact = true;
    for (uint32_t k = 0; k < q->term_count; k++) {
        const sett_term* term = &q->desc.terms[k];
        bool rows = (model_types[q->type[k]].flags & MODEL_TRACK) != 0;
        bool writes = term->access == SETT_OUT || term->access == SETT_INOUT;
        q->exact = q->exact && !(term->changed && writes && !rows);
    }
}

/* Nothing but the conditions of the group whose order the loop has. */
static bool look_is_group(const look* q)
{
    return q->ordered && q->group != NULL && q->group->with == q->with &&
           q->group->without == q->without && q->changed == 0 && !q->optional;
}

static void look_order(look* q, uint32_t index, bool new_batch)
{
    if (look_is_group(q)) { /* its members are the first rows of all that it owns */
        for (uint64_t rest = q->group->owned; rest != 0; rest &= rest - 1) {
            EXPECT(setti_packed_row(storage_of(model_lowest(rest)), index) == q->visited - 1);
        }
    }
    if (!q->ordered) {
        return;
    }
    uint64_t at = index;
    if (q->driver != MODEL_TYPES) {
        bool kept = (model_types[q->driver].flags & MODEL_KEEP) != 0;
        at = kept ? model.stamp[q->driver][index] : setti_packed_row(storage_of(q->driver), index);
    }
    if (!(new_batch && q->optional)) {
        EXPECT(at + 1 > q->last);
    }
    q->last = at + 1;
}

/* One field of one row: its value, and perhaps a new one. */
static void look_field(const sett_batch* b, const look* q, uint32_t k, uint32_t row, uint32_t index,
                       bool write)
{
    uint32_t number = q->type[k];
    const model_type* type = &model_types[number];
    unsigned char* field = sett_batch_field(b, k);
    const sett_term* term = &q->desc.terms[k];
    bool present = model_has(&model, index, number);
    bool expected =
        term->kind != SETT_WITHOUT && term->access != SETT_NONE && type->size != 0 && present;
    const void* found = sett_find(model.world, model_handle(&model, index), type->id);
    EXPECT((field != NULL) == expected);
    EXPECT(sett_batch_has(b, k) == present);
    EXPECT(sett_batch_at(b, k, row) == found);
    if (field == NULL) {
        return;
    }
    unsigned char* value = field + (size_t)row * type->size;
    uint32_t seed = model.seed[number][index];
    if (q->ordered && q->group != NULL && (q->group->owned & model_bit(number)) != 0) {
        EXPECT(value == found); /* in place */
    }
    if ((type->flags & MODEL_OWNED) != 0) { /* gathered ones lie elsewhere */
        EXPECT(*((model_owned*)(void*)value)->block == seed);
    } else if (term->access != SETT_OUT) {
        EXPECT(model_filled(value, type->size, seed));
    }
    if (term->access != SETT_IN) {
        if (term->access == SETT_OUT || write) {
            seed = some_seed();
            model_value_write(type, value, seed);
        }
        model_write(&model, index, number, seed);
    }
}

static void look_row(const sett_batch* b, look* q, uint32_t row, bool new_batch)
{
    sett_entity entity = sett_batch_entity(b, row);
    EXPECT(entity.index == sett_batch_index(b, row));
    EXPECT(model_valid(&model, entity));
    EXPECT(q->exact ? look_accepts(q, entity.index) : look_matches(q, model.mask[entity.index]));
    EXPECT(visit_mark[entity.index] != visit_loop);
    EXPECT(q->visited != 0 || sett_equals(entity, q->first));
    visit_mark[entity.index] = visit_loop;
    q->visited++;
    look_order(q, entity.index, new_batch);
    bool write = one_in(2);
    for (uint32_t k = 0; k < q->term_count; k++) {
        look_field(b, q, k, row, entity.index, write);
    }
}

static void look_batch(const sett_batch* b, look* q)
{
    bool new_batch = true;
    uint32_t rows = 0;
    EXPECT(b->count != 0 && b->count <= SETT_BATCH_ROWS && b->field_count == q->term_count);
    SETT_EACH(b, row) {
        look_row(b, q, row, new_batch);
        new_batch = false;
        rows++;
    }
    EXPECT(rows == b->count);
}

/* In the middle of a loop: what is refused, and what is not. */
static void look_inside(const sett_batch* b)
{
    uint32_t index = sett_batch_index(b, b->rows != NULL ? b->rows[0] : 0);
    uint32_t type = some_type();
    if (!model_has(&model, index, type)) {
        expect_locked(model_handle(&model, index), type);
    }
    record_some();
    if (one_in(4)) {
        sett_entity_reserve(model.world, below(100));
    }
}

/* Leaves the loop early, in the three ways that there are. */
static bool look_loop(sett_query* query, look* q, uint32_t how)
{
    uint32_t stop = 1 + below(8);
    SETT_QUERY(query, b) {
        look_batch(b, q);
        if (one_in(16)) {
            look_inside(b);
        }
        if (--stop == 0 && how == 1) {
            break;
        }
        if (stop == 0 && how == 2) {
            sett_batch_end(b);
            return false;
        }
    }
    return how != 1 || stop != 0;
}

/* Words about the plan, cut where they are told to end. They name the group that the loop
 * follows. */
static void look_explain(sett_query* query, const look* q)
{
    char text[512];
    char part[512];
    size_t size = below(300);
    size_t length = sett_query_explain(query, text, sizeof(text));
    EXPECT(length != 0 && strstr(text, "\"model\"") != NULL);
    EXPECT(length >= sizeof(text) || strlen(text) == length);
    EXPECT(!q->ordered || q->group == NULL || strstr(text, q->group->name) != NULL);
    memset(part, '#', sizeof(part));
    EXPECT(sett_query_explain(query, part, size) == length);
    size_t kept = size == 0 ? 0 : length < size ? length : size - 1;
    EXPECT(memcmp(part, text, kept) == 0);
    EXPECT(size == 0 || part[kept] == '\0');
    for (size_t k = size; k < sizeof(part); k++) {
        EXPECT(part[k] == '#');
    }
}

/* What a query says without a loop. */
static void look_ask(sett_query* query, look* q)
{
    EXPECT(sett_query_count(query) == q->expected);
    q->first = sett_query_first(query);
    EXPECT(sett_is_null(q->first) == (q->expected == 0));
    for (uint32_t k = 0; k < 4 && model.alive != 0; k++) {
        uint32_t index = some_live();
        EXPECT(sett_query_matches(query, model_handle(&model, index)) == look_accepts(q, index));
    }
    EXPECT(q->expected == 0 || sett_query_matches(query, q->first));
    EXPECT(!sett_query_matches(query, some_stale()));
    if (one_in(4)) {
        look_explain(query, q);
    }
}

static void look_run(sett_query* query, look* q)
{
    look_begin(query, q);
    if (q->expected > 200 && !afford((uint64_t)q->expected * (1 + q->term_count))) {
        return;
    }
    sett_query_set_since(query, q->since);
    look_ask(query, q);
    visit_loop++;
    bool whole = look_loop(query, q, below(6));
    if (whole && q->exact) {
        EXPECT(q->visited == q->expected);
    } else if (whole) {
        EXPECT(q->visited >= q->expected);
    }
    EXPECT(model.world->locks == 0);
}

static void op_query(void)
{
    uint32_t k = below(KEPT_QUERIES * 2);
    if (!afford(model.alive / 16)) {
        return;
    }
    if (k < KEPT_QUERIES && kept_queries[k].query != NULL) {
        look_run(kept_queries[k].query, &kept_queries[k].q);
        return;
    }
    look q;
    look_choose(&q);
    sett_query* query = sett_query_create(model.world, &q.desc);
    EXPECT(query != NULL);
    look_run(query, &q);
    sett_query_destroy(query);
}

/* Another one to be kept. */
static void op_keep_query(void)
{
    uint32_t k = below(KEPT_QUERIES);
    sett_query_destroy(kept_queries[k].query);
    look_choose(&kept_queries[k].q);
    kept_queries[k].query = sett_query_create(model.world, &kept_queries[k].q.desc);
    EXPECT(kept_queries[k].query != NULL);
}

/* A group that is new shows in the plans of queries that are older. */
static void explain_kept(void)
{
    for (uint32_t k = 0; k < KEPT_QUERIES; k++) {
        if (kept_queries[k].query != NULL) {
            look_plan(kept_queries[k].query, &kept_queries[k].q);
            look_explain(kept_queries[k].query, &kept_queries[k].q);
        }
    }
}

static void op_group_create(void)
{
    static uint32_t serial;
    uint32_t at = 0;
    while (at < run.groups && model.group[at].group != NULL) {
        at++;
    }
    if (at == run.groups || !afford(model.alive)) {
        return;
    }
    model_group* group = &model.group[at];
    group_choose(group);
    snprintf(group->name, sizeof(group->name), "group %u", serial++ % 1000);
    group->told = !one_in(4);
    sett_group_desc desc = {.name = group->name, .user = group};
    desc.entered = group->told ? model_entered : NULL;
    desc.left = group->told ? model_left : NULL;
    group_list(group->owned, desc.owned);
    group_list(group->with, desc.with);
    group_list(group->without, desc.without);
    group->group = sett_group_create(model.world, &desc);
    sett_status status = group->group != NULL ? SETT_OK : sett_world_error(model.world);
    EXPECT(group_answer_is(group, status));
    EXPECT(status == SETT_OK || strstr(sett_world_message(model.world), group->name) != NULL);
    if (status == SETT_OK) {
        group_begin(group);
        explain_kept();
    }
}

/* A loop that is left without its end stays open until all are closed. */
static void op_leave_open(void)
{
    look q;
    look_choose(&q);
    if (!one_in(4) || !afford(model.alive / 16)) {
        return;
    }
    for (uint32_t k = 0; k < q.term_count; k++) {
        q.desc.terms[k].access = SETT_IN;
    }
    sett_query* query = sett_query_create(model.world, &q.desc);
    EXPECT(query != NULL);
    sett_batch batch;
    sett_batch* b = sett_query_begin(query, &batch);
    EXPECT(b == &batch);
    (void)sett_batch_next(b);
    EXPECT(sett_is_null(sett_entity_create(model.world)) && failed_with(SETT_STATUS_LOCKED));
    EXPECT(strstr(sett_world_message(model.world), "\"model\"") != NULL);
    sett_query_end_all(model.world);
    sett_query_destroy(query);
    op_create();
}

/* ---- Breaking -------------------------------------------------------------------------------- */

#define SCRATCH_ENTITIES 200u

typedef struct scratch {
    sett_world* world;
    setti_type* matrix;
    setti_type* packed;
    setti_type* kept;
    setti_type* loose;
    setti_type* needy; /* requires matrix */
    setti_type* hooked;
    setti_listener* group; /* owns packed */
    setti_listener* set;   /* owns nothing */
    sett_entity entity[SCRATCH_ENTITIES];
} scratch;

static void scratch_hook(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)world;
    (void)entity;
    (void)value;
    (void)user;
}

static setti_type* scratch_register(sett_world* world, sett_component_desc desc)
{
    sett_component id = sett_component_register(world, &desc);
    CHECK(id != 0);
    return setti_world_type(world, id);
}

static void scratch_begin(scratch* s)
{
    s->world = sett_world_create(&(sett_world_desc){.log_fn = sett_log_silent});
    CHECK(s->world != NULL);
    s->matrix = scratch_register(s->world, (sett_component_desc){.name = "matrix", .size = 8});
    s->packed = scratch_register(
        s->world,
        (sett_component_desc){.name = "packed", .size = 8, .storage = SETT_STORAGE_PACKED});
    s->kept = scratch_register(
        s->world, (sett_component_desc){.name = "kept", .size = 8, .keep_order = true});
    s->loose = scratch_register(s->world, (sett_component_desc){.name = "loose", .loose = true});
    s->needy = scratch_register(
        s->world,
        (sett_component_desc){.name = "needy", .required = &s->matrix->id, .required_count = 1});
    s->hooked = scratch_register(
        s->world, (sett_component_desc){.name = "hooked", .size = 4, .on_remove = scratch_hook});
    setti_type* all[] = {s->matrix, s->packed, s->kept, s->loose, s->needy, s->hooked};
    for (uint32_t k = 0; k < SCRATCH_ENTITIES; k++) {
        s->entity[k] = sett_entity_create(s->world);
        for (uint32_t j = 0; j < 6; j++) {
            CHECK((k + j) % 4 == 0 || sett_ensure(s->world, s->entity[k], all[j]->id) != NULL);
        }
    }
    sett_remove(s->world, s->entity[10], s->kept->id);
    sett_group* group = sett_group_create(
        s->world, &(sett_group_desc){.owned = {s->packed->id}, .with = {s->hooked->id}});
    sett_group* set = sett_group_create(
        s->world, &(sett_group_desc){.with = {s->matrix->id}, .without = {s->kept->id}});
    CHECK(group != NULL && set != NULL);
    s->group = setti_group_listener(group);
    s->set = setti_group_listener(set);
    CHECK_EQ(sett_world_validate(s->world, NULL), SETT_OK);
}

/* The ways to break a world; each changes one number behind the library's back. */
#define BREAKS 22

static void scratch_break(scratch* s, uint32_t way)
{
    sett_world* w = s->world;
    setti_entity_page* page = setti_entity_page_of(&w->entities, 0);
    setti_id_page* ids = setti_id_set_page_of(&w->entities.ids, 0);
    setti_sparse_page* sparse = s->packed->storage.presence.data[0];
    uint64_t* bits = s->matrix->storage.presence.data[0];
    uint64_t* loose = s->loose->storage.presence.data[0];
    /* clang-format off */
    switch (way) {
    case 0: bits[1] ^= 1u << 3; break;                           /* presence against signature */
    /* presence of an index not alive */
    case 1: bits[10] ^= 1; break;
    case 2: loose[12] ^= 1; break;
    case 3: s->matrix->storage.count++; break;
    case 4: s->matrix->storage.extent = 64; break;
    /* packed: the way there and back */
    case 5: sparse->row[5] ^= 1; break;
    case 6: *setti_storage_index(&s->packed->storage, 3) = SETTI_NONE; break;
    case 7: sparse->count--; break;
    case 8: s->kept->storage.extent++; break;                    /* a gap at the end */
    case 9: page->generation[7] |= SETTI_DEAD; break;            /* a member that is not alive */
    case 10: page->generation[900] &= ~SETTI_DEAD; break;        /* alive without being a member */
    case 11: page->signature[900] = 1; break;                    /* nobody's signature */
    case 12: page->signature[20] = page->signature[21]; break;   /* another's */
    case 13: ids->dense[4] = 5; break;                           /* no permutation any more */
    case 14: w->pool.used_size += 32; break;
    case 15: w->signatures.record[page->signature[6]].hooked ^= 1; break;
    case 16: w->entities.retired++; break;
    case 17: s->group->length--; break;
    case 18: s->group->length++; break;
    case 20: s->hooked->flags ^= SETTI_TYPE_ON_SET; break;       /* nobody is told */
    case 19: *(uint64_t*)s->set->members.presence.data[0] ^= 2; break;
    default: s->set->members.count++; break;
    }
    /* clang-format on */
}

/* Whether validation sees this one break. Memory that a broken world cannot account for stays
 * with its pool. */
static bool scratch_is_seen(uint32_t way)
{
    scratch s;
    scratch_begin(&s);
    sett_world good = *s.world;
    scratch_break(&s, way);
    const char* reason = "";
    bool seen = sett_world_validate(s.world, &reason) == SETT_STATUS_INVALID && reason[0] != '\0';
    setti_pool_deinit(&s.world->pool); /* not sett_world_destroy: who knows what it would follow */
    good.pool.allocator.realloc_fn(good.pool.allocator.user, s.world, sizeof(good), 0, 64);
    return seen;
}

static void op_break(void)
{
    if (one_in(50)) {
        EXPECT(scratch_is_seen(below(BREAKS)));
    }
}

/* ---- The loop -------------------------------------------------------------------------------- */

typedef struct operation {
    const char* name;
    void (*function)(void);
    uint32_t weight;
    bool living; /* needs a living entity */
} operation;

static const operation operation_list[] = {
    {"create", op_create, 60, false},
    {"create_handle", op_create_handle, 15, false},
    {"create_many", op_create_many, 25, false},
    {"destroy", op_destroy, 60, true},
    {"destroy_many", op_destroy_many, 12, true},
    {"destroy_with", op_destroy_with, 4, true},
    {"entity_clear", op_entity_clear, 8, true},
    {"world_clear", op_world_clear, 2, false},
    {"add", op_add, 160, true},
    {"ensure", op_ensure, 60, true},
    {"set", op_set, 160, true},
    {"set_from_another", op_set_from_another, 60, true},
    {"write", op_write, 60, true},
    {"remove", op_remove, 140, true},
    {"component_clear", op_component_clear, 3, true},
    {"compact", op_compact, 10, false},
    {"trim", op_trim, 10, false},
    {"reserve", op_reserve, 4, false},
    {"advance", op_advance, 20, false},
    {"stale", op_stale, 20, false},
    {"unregistered", op_unregistered, 5, true},
    {"record", op_record, 60, false},
    {"apply", op_apply, 25, false},
    {"drop", op_drop, 8, false},
    {"convert", op_convert, 10, false},
    {"group_create", op_group_create, 24, true},
    {"group_destroy", op_group_destroy, 12, false},
    {"observer_create", op_observer_create, 24, true},
    {"observer_destroy", op_observer_destroy, 12, false},
    {"observer_enable", op_observer_enable, 12, false},
    {"sort", op_sort, 16, false},
    {"sort_as", op_sort_as, 8, false},
    {"group_sort", op_group_sort, 16, false},
    {"query", op_query, 70, false},
    {"keep_query", op_keep_query, 6, false},
    {"leave_open", op_leave_open, 4, false},
    {"break", op_break, 1, false},
};

#define OPERATION_KINDS (sizeof(operation_list) / sizeof(operation_list[0]))

static uint64_t operation_counts[OPERATION_KINDS];

static uint32_t choose_operation(void)
{
    uint32_t total = 0;
    for (uint32_t k = 0; k < OPERATION_KINDS; k++) {
        total += operation_list[k].weight;
    }
    uint32_t at = below(total);
    uint32_t chosen = 0;
    while (at >= operation_list[chosen].weight) {
        at -= operation_list[chosen++].weight;
    }
    return chosen;
}

/* Where the population is headed. */
static void choose_target(void)
{
    static const uint32_t targets[] = {0,    30,   300,   300,   3000,
                                       3000, 3000, 10000, 30000, MODEL_INDICES};
    bool early = run.done < run.closely;
    run.target = early ? below(400) : targets[below(sizeof(targets) / sizeof(targets[0]))];
    run.reach = early ? 2500 : MODEL_INDICES;
    /* Without any group everything goes shorter ways. */
    run.groups = run.done / STRETCH % 3 == 0 ? 0 : 1 + below(MODEL_GROUPS);
    run.observers = run.done / STRETCH % 3 == 1 ? 0 : 1 + below(MODEL_OBSERVERS);
}

static void check_world(bool closely)
{
    const char* reason;
    if (sett_world_validate(model.world, &reason) != SETT_OK) {
        fail(__LINE__, reason);
    }
    expect_same(__LINE__, model_compare_counts(&model));
    expect_same(__LINE__, model_compare_groups(&model));
    expect_same(__LINE__, model_compare_observers(&model));
    if (!closely || run.done % 16 == 0) {
        expect_same(__LINE__, model_compare(&model));
    }
}

static void run_one(void)
{
    if (run.done % STRETCH == 0) {
        choose_target();
    }
    uint32_t k = choose_operation();
    run.name = operation_list[k].name;
    run.budget += run.budget < 4000000 ? BUDGET : 0;
    bool steer = model.alive + model.alive / 8 + 20 < run.target || model.alive > run.target + 20;
    if (steer && one_in(4)) {
        run.name = "steer";
        if (model.alive < run.target) {
            op_create_many();
        } else {
            op_destroy_many();
        }
    } else if (!operation_list[k].living || model.alive != 0) {
        operation_list[k].function();
        operation_counts[k]++;
    }
    bool closely = run.done < run.closely || run.done >= closely_from;
    if (closely || run.done % PERIOD == 0) {
        check_world(closely);
    }
    run.done++;
}

static void run_all(bool plain, uint64_t count)
{
    chance_state = model_mix(seed_given + 1);
    memset(&run, 0, sizeof(run));
    run.closely = plain ? CLOSELY / 5 : CLOSELY;
    memset(operation_counts, 0, sizeof(operation_counts));
    memset(kept_queries, 0, sizeof(kept_queries));
    model_begin(&model, plain);
    uint32_t most = 0;
    while (run.done < count) {
        run_one();
        check_tell(run.done, count);
        most = most < model.alive ? model.alive : most;
    }
    run.name = "end";
    check_world(false);
    printf("  seed %llu, %llu operations, at most %u entities\n", (unsigned long long)seed_given,
           (unsigned long long)count, most);
    for (uint32_t k = 0; k < OPERATION_KINDS && count >= CLOSELY; k++) {
        CHECK_MSG(operation_counts[k] != 0, "no %s in all of it", operation_list[k].name);
    }
    model_end(&model);
}

static void random_operations(void)
{
    run_all(false, operations);
}

static void random_operations_without_loose_types(void)
{
    run_all(true, operations_exact ? operations : operations / 4);
}

/* ---- That the checks can fail ---------------------------------------------------------------- */

static void validation_sees_every_break(void)
{
    for (uint32_t way = 0; way < BREAKS; way++) {
        CHECK_MSG(scratch_is_seen(way), "break %u goes unseen", way);
    }
}

static void comparison_sees_every_difference(void)
{
    model_begin(&model, false);
    sett_world* w = model.world;
    uint32_t m8 = model_find_type("m8");
    uint32_t tracked = model_find_type("m24");
    sett_entity e = sett_entity_create(w);
    model_create(&model, e);
    CHECK(sett_add(w, e, id_of(m8)) != NULL && sett_add(w, e, id_of(tracked)) != NULL);
    model_add(&model, e.index, m8);
    model_add(&model, e.index, tracked);
    CHECK(model_compare(&model) == NULL);

    model.seed[m8][0] = 1;
    CHECK_STR_EQ(model_compare(&model), "entity 0: m8 has another value");
    model.seed[m8][0] = 0;
    model.tick[tracked][0]--;
    CHECK_STR_EQ(model_compare(&model), "entity 0: m24 changed at 1, not 0");
    model.tick[tracked][0]++;
    model.generation[0]++;
    CHECK_STR_EQ(model_compare(&model), "index 0: generation 1 is not 2");
    model.generation[0]--;
    sett_remove(w, e, id_of(m8));
    CHECK_STR_EQ(model_compare(&model), "0 have m8, not 1");
    sett_add(w, e, id_of(m8));
    CHECK(model_compare(&model) == NULL);
    model.mask[0] ^= model_bit(model_find_type("t0"));
    CHECK_STR_EQ(model_compare(&model), "entity 0 lacks t0");
    CHECK_STR_EQ(model_compare_list(&model, 0), "entity 0: another set is listed");
    model.mask[0] ^= model_bit(model_find_type("t0"));

    model_group* group = &model.group[0];
    strcpy(group->name, "group 0");
    group->group = sett_group_create(w, &(sett_group_desc){.with = {id_of(m8)}});
    CHECK(group->group != NULL);
    group->with = model_bit(m8);
    CHECK(model_compare(&model) == NULL);
    group->without = model_bit(tracked);
    CHECK_STR_EQ(model_compare_groups(&model), "1 in group 0, not 0");
    CHECK_STR_EQ(model_compare_index(&model, 0), "entity 0 is in group 0");
    group->without = 0;
    group->told = true;
    CHECK_STR_EQ(model_compare_groups(&model), "group 0 was told of 0, not 1");
    CHECK_STR_EQ(model_compare_index(&model, 0), "group 0 was not told of entity 0");
    group->told = false;

    model_observer* observer = &model.observer[0];
    strcpy(observer->name, "observer 0");
    observer->observer = sett_observer_create(w, &(sett_observer_desc){.component = id_of(m8),
                                                                       .on_set = model_observe_set,
                                                                       .user = observer});
    CHECK(observer->observer != NULL);
    observer->type = m8;
    observer->wants = 2;
    observer->enabled = true;
    model.observed = model_bit(m8);
    uint64_t value = 0;
    CHECK(sett_set(w, e, id_of(m8), &value) != NULL);
    CHECK_STR_EQ(model_compare(&model),
                 "observer 0: event 1 of m8: told 1 times, not 0, or of others");
    model_set(&model, e.index, m8, 0);
    model.set[m8]--;
    CHECK(model_compare(&model) == NULL);
    observer->seen[MODEL_ON_SET].sum++; /* as another value would */
    CHECK_STR_EQ(model_compare(&model),
                 "observer 0: event 1 of m8: told 1 times, not 1, or of others");
    observer->type = MODEL_TYPES;
    observer->crossing.with = model_bit(m8);
    CHECK_STR_EQ(model_compare_observers(&model), "observer 0 was told of 0, not 1");
    CHECK_STR_EQ(model_compare_index(&model, 0), "observer 0 was not told of entity 0");
    model_end(&model);
}

/* ---- Options --------------------------------------------------------------------------------- */

static uint64_t option_number(const char* text)
{
    char* end;
    unsigned long long value = strtoull(text, &end, 0);
    CHECK_MSG(*text != '\0' && *end == '\0', "%s is not a number", text);
    return value;
}

/* Takes the options off the list of arguments; what is left is for the harness. */
static int take_options(int argc, char** argv)
{
    int left = 1;
    for (int at = 1; at < argc; at++) {
        uint64_t* option = strcmp(argv[at], "--seed") == 0   ? &seed_given
                           : strcmp(argv[at], "--ops") == 0  ? &operations
                           : strcmp(argv[at], "--from") == 0 ? &closely_from
                                                             : NULL;
        if (option == NULL) {
            argv[left++] = argv[at];
        } else {
            CHECK_MSG(at + 1 < argc, "%s needs a number", argv[at]);
            *option = option_number(argv[++at]);
            operations_exact = operations_exact || option == &operations;
        }
    }
    return left;
}

int main(int argc, char** argv)
{
    static const check_test tests[] = {
        TEST(validation_sees_every_break), TEST(comparison_sees_every_difference),
        TEST(random_operations), TEST(random_operations_without_loose_types)};
    seed_given = check_setting("SETT_SEED", 1);
    operations = check_setting("SETT_OPERATIONS", CHECK_ROUNDS(40000));
    closely_from = UINT64_MAX;
    argc = take_options(argc, argv);
    return check_run(tests, sizeof(tests) / sizeof(tests[0]), argc, argv);
}

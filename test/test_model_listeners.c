/* test_model_listeners.c: results depend on the state alone. The same random calls are made on
 * worlds in which different callbacks, groups and unused types exist, and whose values lie in
 * different storages: handles and hashes are the same after each, and rows where storages are.
 *
 * SPDX-License-Identifier: MIT
 */
#include "chance.h"
#include "sett/duplicate.h"
#include "sett/hierarchy.h"
#include "sett/observer.h"
#include "sett/prefab.h"
#include "sett/relationship.h"
#include "sett/state.h"
#include "worlds.h"

#include "world/world.h"

#define WORLDS 6u
#define MOST 300u

enum {
    VALUE = 1, /* an array; in one world a sparse set */
    ROWS,      /* a sparse set everywhere: its rows are compared */
    ORDER,     /* keeps its order */
    MARK,      /* a tag */
    OWNED,     /* an array everywhere */
    UNUSED,
    PART,  /* exclusive; its sources go with the target */
    LIKES, /* many; the links go */
    LIKES_SOURCES,
    TYPES
};

static uint64_t chance_state;
static sett_world* worlds[WORLDS];
static uint64_t calls;

static uint32_t below(uint32_t limit)
{
    return chance_below(&chance_state, limit);
}

static void count_value(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)world, (void)entity, (void)value, (void)user;
    calls++;
}

static void count_entity(sett_world* world, sett_entity entity, void* user)
{
    (void)world, (void)entity, (void)user;
    calls++;
}

/* What differs between the worlds. */
static void add_listeners(sett_world* world, uint32_t k)
{
    if (k == 1) { /* an observer that is called, and one that is not */
        sett_observer_desc desc = {.component = ROWS, .on_remove = count_value};
        CHECK(sett_observer_create(world, &desc) != NULL);
        desc = (sett_observer_desc){.component = VALUE, .on_remove = count_value, .disabled = true};
        CHECK(sett_observer_create(world, &desc) != NULL);
    } else if (k == 2) { /* a type that no entity has */
        sett_component_desc desc = {.name = "unused", .dont_fragment = true};
        CHECK(sett_component_register(world, &desc) != 0);
    } else if (k == 3) { /* tracked sets and observers of queries */
        sett_group_desc group = {.with = {VALUE}, .without = {MARK}, .on_exit = count_entity};
        CHECK(sett_group_create(world, &group) != NULL);
        sett_observer_desc desc = {.terms = {{.component = ROWS}, {.component = SETT_ID_HIERARCHY}},
                                   .on_enter = count_entity,
                                   .on_exit = count_entity};
        desc.terms[0].access = SETT_NONE;
        desc.terms[1].access = SETT_NONE;
        CHECK(sett_observer_create(world, &desc) != NULL);
    } else if (k == 4) { /* hooks of the tree, and an observer that is called about every set */
        sett_observer_desc desc = {
            .component = SETT_ID_HIERARCHY, .on_add = count_value, .on_remove = count_value};
        CHECK(sett_observer_create(world, &desc) != NULL);
        desc = (sett_observer_desc){.component = VALUE, .on_set = count_value};
        CHECK(sett_observer_create(world, &desc) != NULL);
    }
}

static sett_world* begin(uint32_t k)
{
    sett_world* world = quiet_world();
    bool sparse = k == 5;
    const sett_component_desc types[] = {
        {.name = "value",
         .size = 8,
         .id = VALUE,
         .storage = sparse ? SETT_STORAGE_SPARSE_SET : SETT_STORAGE_ARRAY},
        {.name = "rows", .size = 4, .id = ROWS, .storage = SETT_STORAGE_SPARSE_SET},
        {.name = "order", .size = 4, .id = ORDER, .keep_order = true},
        {.name = "mark", .id = MARK},
        {.name = "owned", .size = 16, .id = OWNED, .storage = SETT_STORAGE_ARRAY}};
    for (uint32_t t = 0; t < sizeof(types) / sizeof(types[0]); t++) {
        CHECK_EQ(sett_component_register(world, &types[t]), types[t].id);
    }
    CHECK(sett_hierarchy_register(world, NULL) != 0);
    sett_relationship_desc part = {
        .name = "part", .id = PART, .on_target_destroyed = SETT_CLEANUP_DESTROY};
    CHECK_EQ(sett_relationship_register(world, &part), PART);
    sett_relationship_desc likes = {.name = "likes", .id = LIKES, .many = true};
    CHECK_EQ(sett_relationship_register(world, &likes), LIKES);
    add_listeners(world, k);
    return world;
}

/* ---------------------------------------------------------------------------------------------- */

typedef struct operation {
    uint32_t kind;
    sett_entity a;
    sett_entity b;
    sett_component type;
    uint32_t number;
} operation;

static operation draw(void)
{
    uint32_t alive = sett_entity_count(worlds[0]);
    operation op = {below(24), {0, 0}, {0, 0}, 1 + below(OWNED), below(1000)};
    op.a = entity_from(worlds[0], alive != 0 ? below(alive + alive / 2) : 0);
    op.b = entity_from(worlds[0], alive != 0 ? below(alive + alive / 2) : 0);
    return op;
}

static sett_entity create_some(sett_world* world, operation op)
{
    static sett_entity made[16];
    const sett_component types[] = {VALUE, ROWS};
    uint32_t count = 1 + op.number % 16;
    CHECK_EQ(sett_entity_create_many(world, count, types, 1 + op.number % 2, NULL, made), SETT_OK);
    return made[count - 1];
}

/* Reserves handles, and drops some of them. */
static sett_entity record_some(sett_world* world, operation op)
{
    sett_commands* commands = sett_commands_here(world);
    sett_entity made = sett_cmd_create(commands);
    CHECK_EQ(sett_cmd_add(commands, made, MARK), SETT_OK);
    CHECK_EQ(sett_cmd_destroy(commands, op.a), SETT_OK);
    if (op.number % 3 == 0) {
        sett_commands_clear(commands);
    } else {
        CHECK_EQ(sett_commands_apply(commands), SETT_OK);
    }
    return made;
}

/* Does it; returns a handle that came of it, or null. */
static sett_entity operate(sett_world* world, operation op)
{
    sett_entity made = {0, 0};
    bool full = sett_entity_count(world) > MOST;
    unsigned char value[16] = {(unsigned char)op.number, 1};
    switch (op.kind) {
    case 0:
    case 1:
        return full ? made : sett_entity_create(world);
    case 2:
        return full ? made : create_some(world, op);
    case 3:
    case 4:
        (void)sett_entity_destroy(world, op.a);
        return made;
    case 5:
    case 6:
    case 7:
    case 8:
        if (sett_entity_valid(world, op.a)) {
            (void)sett_set(world, op.a, op.type, value);
        }
        return made;
    case 9:
        if (sett_has(world, op.a, op.type)) {
            (void)sett_remove(world, op.a, op.type);
        }
        return made;
    case 10:
    case 11:
    case 12:
    case 13:
        (void)sett_hierarchy_attach(world, op.a, op.b); /* circles are rejected */
        return made;
    case 14:
        (void)sett_hierarchy_detach(world, op.a);
        return made;
    case 15:
        if (op.number % 8 == 0) {
            (void)sett_hierarchy_set_policy(world, op.a, (sett_children_policy)(op.number / 8 % 4));
        }
        return made;
    case 16:
    case 17:
        (void)sett_relate(world, op.a, PART, op.b);
        return made;
    case 18:
    case 19:
        (void)sett_relate(world, op.a, LIKES, op.b);
        return made;
    case 20:
        if (!full && sett_entity_valid(world, op.a) && op.number % 4 == 0) {
            made = sett_duplicate(world, op.a, NULL);
        }
        return made;
    case 21:
        return full ? made : record_some(world, op);
    case 22:
        if (op.number % 16 == 0) {
            (void)sett_entity_destroy_with(world, MARK);
        }
        return made;
    default:
        if (op.number % 300 == 0) {
            (void)sett_world_clear(world);
        } else if (op.number % 20 == 1) {
            (void)sett_entity_clear(world, op.a);
        }
        return made;
    }
}

/* ---------------------------------------------------------------------------------------------- */

static void expect_same_rows(sett_component id, uint32_t k)
{
    const setti_storage* x = &setti_world_type(worlds[0], id)->storage;
    const setti_storage* y = &setti_world_type(worlds[k], id)->storage;
    CHECK_EQ(x->count, y->count);
    if (x->kind != y->kind || x->kind != SETTI_SPARSE) {
        return;
    }
    CHECK_EQ(x->extent, y->extent);
    for (uint32_t row = 0; row < x->extent; row++) {
        CHECK_EQ(*setti_storage_index(x, row), *setti_storage_index(y, row));
    }
}

static void expect_same(uint32_t k, bool closely)
{
    CHECK_EQ(sett_entity_count(worlds[0]), sett_entity_count(worlds[k]));
    for (sett_component id = VALUE; id <= OWNED; id++) {
        expect_same_rows(id, k);
    }
    if (closely) {
        char text[256];
        bool same = sett_world_difference(worlds[0], worlds[k], text, sizeof(text)) == 0;
        CHECK_MSG(same, "world %u: %s", (unsigned)k, text);
        CHECK_VALID(worlds[k]);
    }
}

static void the_same_calls_give_the_same(void)
{
    uint64_t operations = check_setting("SETT_OPERATIONS", CHECK_ROUNDS(40000));
    chance_state = check_setting("SETT_SEED", 1);
    for (uint32_t k = 0; k < WORLDS; k++) {
        worlds[k] = begin(k);
    }
    sett_snapshot held[WORLDS];
    bool holds = false;
    for (uint64_t done = 0; done < operations; done++) {
        operation op = draw();
        sett_entity made = {0, 0};
        uint64_t hash = 0;
        bool takes = done % 500 == 100;
        bool restores = holds && done % 500 == 450 && below(2) == 0;
        for (uint32_t k = 0; k < WORLDS; k++) {
            sett_entity here = operate(worlds[k], op);
            made = k == 0 ? here : made;
            CHECK_ENTITY_EQ(here, made);
            if (takes && holds) {
                CHECK_EQ(sett_snapshot_drop(worlds[k], held[k]), SETT_OK);
            }
            if (takes) {
                CHECK_EQ(sett_snapshot_take(worlds[k], &held[k]), SETT_OK);
            } else if (restores) {
                CHECK_EQ(sett_snapshot_restore(worlds[k], held[k]), SETT_OK);
            }
            uint64_t now = sett_world_hash(worlds[k]);
            hash = k == 0 ? now : hash;
            expect_same(k, now != hash || done % 200 == 0);
            CHECK_EQ(now, hash);
        }
        holds = holds || takes;
        check_print(done, operations);
    }
    CHECK(calls != 0);
    for (uint32_t k = 0; k < WORLDS; k++) {
        CHECK_END(worlds[k]);
    }
}

/* A tree of four whose root goes: the next two handles, and the rows of those who stay. */
static void a_tree_that_goes_leaves_the_same(void)
{
    for (uint32_t k = 0; k < WORLDS; k++) {
        sett_world* world = begin(k);
        sett_entity e[8];
        worlds[k] = world;
        for (uint32_t n = 0; n < 8; n++) {
            e[n] = sett_entity_create(world);
            CHECK(sett_add(world, e[n], ROWS) != NULL);
        }
        CHECK_EQ(sett_hierarchy_attach(world, e[3], e[0]), SETT_OK);
        CHECK_EQ(sett_hierarchy_attach(world, e[1], e[0]), SETT_OK);
        CHECK_EQ(sett_hierarchy_attach(world, e[5], e[1]), SETT_OK);
        CHECK_EQ(sett_entity_destroy(world, e[0]), SETT_OK);
        CHECK_EQ(sett_entity_create(world).index, 0);
        CHECK_EQ(sett_entity_create(world).index, 1);
        expect_same(k, true);
    }
    for (uint32_t k = 0; k < WORLDS; k++) {
        CHECK_END(worlds[k]);
    }
}

TEST_MAIN(TEST(a_tree_that_goes_leaves_the_same), TEST(the_same_calls_give_the_same))

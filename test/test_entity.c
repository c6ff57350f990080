/* test_entity.c: which handles are alive: lives of a slot, stale handles, given handles, limits,
 * reservations. */
#include "chance.h"
#include "sett/sett.h"
#include "worlds.h"

#define LAST_GENERATION 0x7FFFFFFFu

static sett_world* make_world(uint32_t limit)
{
    sett_world_desc desc = {.log_fn = sett_log_silent, .entity_limit = limit};
    sett_world* world = sett_world_create(&desc);
    CHECK(world != NULL);
    return world;
}

static sett_entity handle(uint32_t index, uint32_t generation)
{
    return sett_entity_from_u64((uint64_t)generation << 32 | index);
}

static void null_is_never_alive(void)
{
    sett_world* world = make_world(0);
    sett_entity null = sett_null();
    CHECK(sett_is_null(null) && sett_equals(null, handle(0, 0)));
    CHECK_EQ(sett_entity_to_u64(null), 0);
    CHECK(!sett_entity_valid(world, null));
    sett_entity first = sett_entity_create(world);
    CHECK(!sett_is_null(first) && !sett_equals(first, null));
    CHECK(!sett_entity_valid(world, handle(first.index, 0)));
    CHECK(sett_equals(sett_entity_from_u64(sett_entity_to_u64(first)), first));
    CHECK_EQ(sett_entity_destroy(world, null), SETT_STATUS_STALE);
    CHECK_EQ(sett_entity_count(world), 1);
    CHECK_END(world);
}

static void a_slot_lives_again_under_another_handle(void)
{
    sett_world* world = make_world(0);
    sett_entity old = sett_entity_create(world);
    for (uint32_t life = 0; life < 100; life++) {
        CHECK_EQ(sett_entity_destroy(world, old), SETT_OK);
        CHECK(!sett_entity_valid(world, old));
        CHECK_EQ(sett_entity_destroy(world, old), SETT_STATUS_STALE);
        CHECK_EQ(sett_world_error(world), SETT_STATUS_STALE);
        sett_entity next = sett_entity_create(world);
        CHECK_EQ(next.index, old.index);
        CHECK(next.generation > old.generation);
        CHECK(!sett_entity_valid(world, old));
        CHECK(sett_equals(sett_entity_at(world, old.index), next));
        old = next;
    }
    CHECK_END(world);
}

static void made_up_handles_are_stale(void)
{
    sett_world* world = make_world(0);
    sett_entity e = sett_entity_create(world);
    static const uint32_t indices[] = {0, 1, 1023, 1024, 5000, 1u << 28, UINT32_MAX};
    static const uint32_t generations[] = {
        0, 1, 2, LAST_GENERATION, LAST_GENERATION + 1, LAST_GENERATION + 2, UINT32_MAX};
    for (uint32_t i = 0; i < 7; i++) {
        for (uint32_t g = 0; g < 7; g++) {
            sett_entity made_up = handle(indices[i], generations[g]);
            CHECK_EQ(sett_entity_valid(world, made_up), sett_equals(made_up, e));
        }
        CHECK_EQ(sett_is_null(sett_entity_at(world, indices[i])), indices[i] != e.index);
    }
    CHECK_END(world);
}

static void a_given_handle_is_taken_as_it_is(void)
{
    sett_world* world = make_world(0);
    sett_entity far = handle(100000, 77);
    CHECK_EQ(sett_entity_create_handle(world, far), SETT_OK);
    CHECK(sett_entity_valid(world, far));
    CHECK_EQ(sett_entity_create_handle(world, far), SETT_STATUS_PRESENT);
    CHECK_EQ(sett_entity_create_handle(world, handle(100000, 78)), SETT_STATUS_PRESENT);
    CHECK_EQ(sett_entity_create_handle(world, sett_null()), SETT_STATUS_STALE);
    CHECK_EQ(sett_entity_create_handle(world, handle(5, LAST_GENERATION + 1)), SETT_STATUS_STALE);
    CHECK_EQ(sett_entity_destroy(world, far), SETT_OK);
    CHECK_EQ(sett_entity_create_handle(world, far), SETT_STATUS_STALE);
    CHECK_EQ(sett_entity_create_handle(world, handle(100000, 10)), SETT_STATUS_STALE);
    CHECK_EQ(sett_entity_create_handle(world, handle(100000, 78)), SETT_OK);
    CHECK_EQ(sett_entity_count(world), 1);
    CHECK_END(world);
}

static void a_slot_out_of_generations_is_retired(void)
{
    sett_world* world = make_world(4);
    sett_stats stats;
    sett_entity last = handle(2, LAST_GENERATION);
    CHECK_EQ(sett_entity_create_handle(world, last), SETT_OK);
    CHECK_EQ(sett_entity_destroy(world, last), SETT_OK);
    sett_world_stats(world, &stats);
    CHECK_EQ(stats.retired, 1);
    CHECK_EQ(stats.entities, 0);
    CHECK_EQ(sett_entity_create_handle(world, last), SETT_STATUS_STALE);
    CHECK_EQ(sett_entity_create_handle(world, handle(2, 1)), SETT_STATUS_STALE);
    CHECK(!sett_entity_valid(world, last));
    for (uint32_t k = 0; k < 3; k++) { /* what is left of the four */
        sett_entity e = sett_entity_create(world);
        CHECK(!sett_is_null(e) && e.index != 2);
    }
    CHECK(sett_is_null(sett_entity_create(world)));
    CHECK_EQ(sett_world_error(world), SETT_STATUS_LIMIT);
    CHECK_EQ(sett_entity_count(world), 3);
    uint32_t cursor = 0;
    uint32_t walked = 0;
    while (!sett_is_null(sett_entity_next(world, &cursor))) {
        walked++;
    }
    CHECK_EQ(walked, 3);
    sett_world* copy = make_world(4);
    CHECK_EQ(sett_world_clone(world, copy), SETT_OK);
    sett_world_stats(copy, &stats);
    CHECK_EQ(stats.retired, 1);
    CHECK(sett_is_null(sett_entity_create(copy)));
    CHECK_EQ(sett_entity_reserve(copy, 1), SETT_STATUS_LIMIT);
    CHECK_EQ(sett_world_clear(copy), SETT_OK);
    CHECK_EQ(sett_entity_reserve(copy, 3), SETT_OK);
    CHECK(!sett_is_null(sett_cmd_create(sett_commands_here(copy))));
    CHECK_EQ(sett_entity_reserve(copy, 3), SETT_STATUS_LIMIT);
    sett_commands_clear(sett_commands_here(copy));
    CHECK_END(copy);
    CHECK_EQ(sett_world_clear(world), SETT_OK);
    CHECK_EQ(sett_entity_count(world), 0);
    CHECK_END(world);
}

static void indices_stay_below_the_limit(void)
{
    sett_world* world = make_world(1024);
    sett_entity out[1025];
    CHECK_EQ(sett_entity_create_many(world, 1025, NULL, 0, NULL, out), SETT_STATUS_LIMIT);
    CHECK_EQ(sett_entity_count(world), 0);
    CHECK_EQ(sett_entity_reserve(world, 1025), SETT_STATUS_LIMIT);
    CHECK_EQ(sett_entity_reserve(world, 1024), SETT_OK);
    CHECK_EQ(sett_entity_create_handle(world, handle(1024, 1)), SETT_STATUS_LIMIT);
    CHECK_EQ(sett_entity_create_many(world, 1024, NULL, 0, NULL, out), SETT_OK);
    CHECK(sett_is_null(sett_entity_create(world)));
    CHECK_EQ(sett_world_error(world), SETT_STATUS_LIMIT);
    CHECK(sett_is_null(sett_cmd_create(sett_commands_here(world))));
    CHECK_EQ(sett_entity_destroy(world, out[500]), SETT_OK);
    CHECK_EQ(sett_entity_create(world).index, out[500].index);
    CHECK_END(world);
}

static void reserved_entities_need_no_memory(void)
{
    sett_world* world = make_world(0);
    sett_stats before;
    sett_stats after;
    CHECK_EQ(sett_entity_reserve(world, 50000), SETT_OK);
    sett_world_stats(world, &before);
    for (uint32_t k = 0; k < 50000; k++) {
        CHECK(!sett_is_null(sett_entity_create(world)));
    }
    sett_world_stats(world, &after);
    CHECK_EQ(after.allocations, before.allocations);
    CHECK_EQ(after.block_size, before.block_size);
    CHECK(before.block_size > 50000 * 8);
    CHECK_END(world);
}

static void walking_meets_each_once(void)
{
    static bool met[3000];
    sett_world* world = make_world(0);
    sett_entity e[3000];
    CHECK_EQ(sett_entity_create_many(world, 3000, NULL, 0, NULL, e), SETT_OK);
    for (uint32_t k = 0; k < 3000; k += 3) {
        sett_entity_destroy(world, e[k]);
    }
    uint32_t cursor = 0;
    uint32_t walked = 0;
    for (sett_entity at = sett_entity_next(world, &cursor); !sett_is_null(at);
         at = sett_entity_next(world, &cursor)) {
        CHECK(at.index % 3 != 0 && !met[at.index] && sett_entity_valid(world, at));
        met[at.index] = true;
        walked++;
    }
    CHECK_EQ(walked, 2000);
    CHECK_EQ(walked, sett_entity_count(world));
    CHECK_END(world);
}

static void destroying_many_passes_over_stale_ones(void)
{
    sett_world* world = make_world(0);
    sett_entity e[4];
    sett_entity_create_many(world, 4, NULL, 0, NULL, e);
    sett_entity list[] = {e[1], sett_null(), e[1], e[3], handle(900, 1)};
    CHECK_EQ(sett_entity_destroy_many(world, list, 5), SETT_OK);
    CHECK(sett_entity_valid(world, e[0]) && !sett_entity_valid(world, e[1]));
    CHECK(sett_entity_valid(world, e[2]) && !sett_entity_valid(world, e[3]));
    CHECK_END(world);
}

static void a_reservation_is_no_life_yet(void)
{
    sett_world* world = make_world(0);
    sett_commands* commands = sett_commands_here(world);
    sett_entity reserved = sett_cmd_create(commands);
    CHECK(!sett_is_null(reserved));
    CHECK(!sett_entity_valid(world, reserved));
    CHECK_EQ(sett_entity_create_handle(world, reserved), SETT_STATUS_PRESENT);
    CHECK_EQ(sett_entity_destroy(world, reserved), SETT_STATUS_STALE);
    sett_entity others[2000];
    CHECK_EQ(sett_entity_create_many(world, 2000, NULL, 0, NULL, others), SETT_OK);
    for (uint32_t k = 0; k < 2000; k++) {
        CHECK(others[k].index != reserved.index);
    }
    for (uint32_t k = 0; k < 2000; k += 2) {
        CHECK_EQ(sett_entity_destroy(world, others[k]), SETT_OK);
    }
    CHECK_EQ(sett_world_validate(world, NULL), SETT_OK);
    CHECK_EQ(sett_commands_apply(commands), SETT_OK);
    CHECK(sett_entity_valid(world, reserved));
    CHECK_EQ(sett_entity_count(world), 1001);
    CHECK_END(world);
}

static void a_dropped_reservation_does_not_come_back(void)
{
    sett_world* world = make_world(0);
    sett_commands* commands = sett_commands_here(world);
    sett_entity dropped[10];
    for (uint32_t k = 0; k < 10; k++) {
        dropped[k] = sett_cmd_create(commands);
    }
    sett_commands_clear(commands);
    CHECK_EQ(sett_entity_count(world), 0);
    for (uint32_t k = 0; k < 20; k++) {
        sett_entity_create(world);
    }
    for (uint32_t k = 0; k < 10; k++) {
        CHECK(!sett_entity_valid(world, dropped[k]));
    }
    CHECK_END(world);
}

/* A client's own entities and the server's, side by side in one world. */
static void new_entities_begin_at_an_index(void)
{
    sett_world* world = quiet_world();
    sett_entity own[200];
    sett_snapshot snapshot;
    CHECK_EQ(sett_entity_set_range(world, 100, 0), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_entity_create_handle(world, (sett_entity){7, 1}), SETT_OK);
    CHECK_EQ(sett_entity_set_range(world, 2048, 0), SETT_OK);
    CHECK_EQ(sett_entity_create(world).index, 2048);
    CHECK_EQ(sett_cmd_create(sett_commands_here(world)).index, 2049);
    CHECK_EQ(sett_commands_apply(sett_commands_here(world)), SETT_OK);
    CHECK_EQ(sett_entity_create_many(world, 200, NULL, 0, NULL, own), SETT_OK);
    CHECK_EQ(own[199].index, 2249);
    CHECK_EQ(sett_snapshot_take(world, &snapshot), SETT_OK);
    /* an index that becomes free below the first is not used, one above is */
    for (uint32_t k = 0; k < 64; k++) {
        CHECK(k == 7 || sett_entity_create_handle(world, (sett_entity){k, 1}) == SETT_OK);
    }
    CHECK_VALID(world);
    CHECK_EQ(sett_entity_destroy(world, (sett_entity){7, 1}), SETT_OK);
    CHECK_EQ(sett_entity_destroy(world, own[0]), SETT_OK);
    CHECK_EQ(sett_entity_create(world).index, own[0].index);
    CHECK_EQ(sett_entity_create(world).index, 2250);
    CHECK_VALID(world);
    CHECK_EQ(sett_snapshot_restore(world, snapshot), SETT_OK);
    CHECK_VALID(world);
    CHECK_EQ(sett_entity_create(world).index, 2250);
    CHECK_EQ(sett_snapshot_drop(world, snapshot), SETT_OK);
    CHECK_EQ(sett_world_clear(world), SETT_OK);
    CHECK_EQ(sett_world_trim(world), SETT_OK);
    CHECK_EQ(sett_entity_create(world).index, 2048);
    CHECK_EQ(sett_entity_set_range(world, 0, 0), SETT_OK);
    CHECK_EQ(sett_entity_create(world).index, 0);
    CHECK_END(world);

    sett_world_desc small = {.log_fn = sett_log_silent, .entity_limit = 200};
    world = sett_world_create(&small);
    CHECK_EQ(sett_entity_set_range(world, 192, 0), SETT_OK);
    CHECK_EQ(sett_entity_create_many(world, 9, NULL, 0, NULL, own), SETT_STATUS_LIMIT);
    CHECK_EQ(sett_entity_create_many(world, 8, NULL, 0, NULL, own), SETT_OK);
    CHECK(sett_is_null(sett_entity_create(world)));
    CHECK_EQ(sett_entity_set_range(world, 256, 0), SETT_STATUS_ARGUMENT);
    CHECK_END(world);
}

typedef struct Body {
    float x[4];
} Body;

static uint32_t bodies_removed;

static void note_removal(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)world;
    (void)entity;
    (void)user;
    bodies_removed += ((const Body*)value)->x[0] == 1;
}

#define BODIES(COMPONENT, TAG) COMPONENT(Body, .on_remove = note_removal)
SETT_COMPONENTS(BODIES)

static void what_is_forgotten_can_come_back(void)
{
    sett_world* world = quiet_world();
    CHECK_EQ(SETT_REGISTER_ALL(world, BODIES), SETT_OK);
    sett_component knows =
        sett_relationship_register(world, &(sett_relationship_desc){.name = "Knows"});
    CHECK_EQ(sett_entity_set_range(world, 64, 128), SETT_OK);
    sett_entity own = sett_entity_create(world);
    sett_entity child = sett_entity_create(world);
    sett_entity root = handle(4096, 7);
    sett_entity leaf = handle(9000, 3);
    CHECK_EQ(sett_entity_create_handle(world, root), SETT_OK);
    CHECK_EQ(sett_entity_create_handle(world, leaf), SETT_OK);
    CHECK(SETT_SET(world, leaf, Body, .x[0] = 1) != NULL);
    CHECK_EQ(sett_hierarchy_attach(world, leaf, root), SETT_OK);
    CHECK_EQ(sett_hierarchy_attach(world, child, leaf), SETT_OK);
    CHECK(sett_relate(world, own, knows, root) != NULL);
    uint64_t hash = sett_world_hash(world);
    sett_snapshot snapshot;
    CHECK_EQ(sett_snapshot_take(world, &snapshot), SETT_OK);

    CHECK_EQ(sett_entity_forget(world, own), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_entity_forget(world, handle(4096, 6)), SETT_STATUS_STALE);
    CHECK_EQ(sett_cmd_forget(sett_commands_here(world), root), SETT_OK);
    CHECK_EQ(sett_commands_apply(sett_commands_here(world)), SETT_OK);
    CHECK_VALID(world);
    CHECK_EQ(sett_entity_count(world), 1);
    CHECK_EQ(bodies_removed, 1);
    CHECK(!sett_related(world, own, knows, root)); /* the link is cut */
    sett_entity next = sett_entity_create(world);  /* an own one ends for good */
    CHECK(next.index == child.index && next.generation > child.generation);
    CHECK_EQ(sett_entity_create_handle(world, leaf), SETT_OK);
    CHECK_EQ(sett_entity_create_handle(world, root), SETT_OK);
    CHECK_EQ(sett_snapshot_restore(world, snapshot), SETT_OK);
    CHECK_VALID(world);
    CHECK_EQ(sett_world_hash(world), hash);
    CHECK_END(world);
}

/* What was destroyed stays so: its page is needed. */
static void forgetting_leaves_what_was_destroyed(void)
{
    sett_world* world = quiet_world();
    CHECK_EQ(sett_entity_set_range(world, 0, 64), SETT_OK);
    CHECK_EQ(sett_entity_create_handle(world, handle(4101, 3)), SETT_OK);
    CHECK_EQ(sett_entity_destroy(world, handle(4101, 3)), SETT_OK);
    CHECK_EQ(sett_entity_create_handle(world, handle(4102, 1)), SETT_OK);
    CHECK_EQ(sett_entity_forget(world, handle(4102, 1)), SETT_OK);
    CHECK_EQ(sett_entity_create_handle(world, handle(4101, 3)), SETT_STATUS_STALE);
    CHECK(strstr(sett_world_message(world), "the next entity at its index has generation 4") !=
          NULL);
    CHECK_EQ(sett_entity_create_handle(world, handle(4102, 1)), SETT_OK);
    CHECK_END(world);
}

/* Handles scattered over the indices, as those that come into sight and leave it are. */
static void what_is_forgotten_takes_no_memory(void)
{
    enum {
        MANY = CHECK_ROUNDS(100000)
    };
    sett_world* world = quiet_world();
    CHECK_EQ(SETT_REGISTER_ALL(world, BODIES), SETT_OK);
    CHECK_EQ(sett_entity_set_range(world, 0, 64), SETT_OK);
    size_t held[2];
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t k = 0; k < MANY; k++) {
            sett_entity entity = handle(64 + 64 * k, 1 + k % 5);
            CHECK_EQ(sett_entity_create_handle(world, entity), SETT_OK);
            CHECK(SETT_SET(world, entity, Body, .x[0] = 1) != NULL);
        }
        for (uint32_t k = 0; k < MANY; k++) {
            uint32_t at = k * 7919u % MANY;
            CHECK_EQ(sett_entity_forget(world, handle(64 + 64 * at, 1 + at % 5)), SETT_OK);
        }
        CHECK_EQ(sett_entity_count(world), 0);
        sett_stats stats;
        CHECK_EQ(sett_world_trim(world), SETT_OK);
        sett_world_stats(world, &stats);
        CHECK_EQ(stats.pages, 0);
        held[round] = stats.block_size - stats.free_size;
    }
    CHECK_EQ(held[0], held[1]);
    CHECK_END(world);
}

/* With values or without: where some end and others begin, a new one has the lowest free index,
 * whether it is the last one of its 64 or not. */
static void new_entities_fill_the_holes(void)
{
    enum {
        HELD = 700
    };
    uint64_t chance = check_setting("SETT_SEED", 1);
    sett_world* world[2] = {make_world(0), make_world(0)};
    for (uint32_t k = 0; k < 2; k++) {
        CHECK(SETT_REGISTER(world[k], Body) != 0);
    }
    for (uint32_t round = 0; round < 4000; round++) {
        const Body body = {{(float)round}};
        uint32_t end = chance_below(&chance, HELD); /* of a full table: one hole in a word */
        if (round >= HELD && chance_below(&chance, 10) != 0) {
            sett_entity e = sett_entity_at(world[0], end);
            CHECK_EQ(sett_entity_destroy(world[0], e), sett_entity_destroy(world[1], e));
        }
        if (round < HELD || sett_entity_count(world[0]) < HELD - chance_below(&chance, 12)) {
            sett_entity a = SETT_CREATE(world[0], SETT_VALUE_OF(Body, &body));
            sett_entity b = sett_entity_create(world[1]);
            CHECK(SETT_SET(world[1], b, Body, .x[0] = (float)round) != NULL);
            CHECK_ENTITY_EQ(a, b);
        }
        const char* reason = NULL;
        CHECK_EQ(sett_world_validate(world[0], &reason), SETT_OK);
    }
    CHECK_EQ(sett_world_hash(world[0]), sett_world_hash(world[1]));
    CHECK_END(world[0]);
    CHECK_END(world[1]);
}

TEST_MAIN(TEST(new_entities_begin_at_an_index), TEST(new_entities_fill_the_holes),
          TEST(what_is_forgotten_can_come_back), TEST(what_is_forgotten_takes_no_memory),
          TEST(forgetting_leaves_what_was_destroyed), TEST(null_is_never_alive),
          TEST(a_slot_lives_again_under_another_handle), TEST(made_up_handles_are_stale),
          TEST(a_given_handle_is_taken_as_it_is), TEST(a_slot_out_of_generations_is_retired),
          TEST(indices_stay_below_the_limit), TEST(reserved_entities_need_no_memory),
          TEST(walking_meets_each_once), TEST(destroying_many_passes_over_stale_ones),
          TEST(a_reservation_is_no_life_yet), TEST(a_dropped_reservation_does_not_come_back))

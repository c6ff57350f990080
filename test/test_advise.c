/* Advice: what it says about a layout that does not fit, and that following it ends it. */
#include "sett/advise.h"
#include "worlds.h"

#include <stdio.h>
#include <string.h>

typedef struct Position {
    float x, y;
} Position;

typedef struct Velocity {
    float x, y;
} Velocity;

enum {
    Position_id = 1,
    Velocity_id,
    Frozen_id
};

static char advice[4096];

static void keep_line(void* user, const char* line)
{
    size_t used = strlen(advice);
    (void)user;
    snprintf(advice + used, sizeof(advice) - used, "%s\n", line);
}

static uint32_t advise(const sett_world* world)
{
    advice[0] = '\0';
    return sett_advise(world, keep_line, NULL);
}

/* `share` of 100 entities have a velocity. */
static sett_world* make_world(uint32_t count, uint32_t share)
{
    sett_world* world = sett_world_create(NULL);
    sett_component_desc position = {SETT_TYPE(Position), .id = Position_id};
    sett_component_desc velocity = {SETT_TYPE(Velocity), .id = Velocity_id};
    CHECK_EQ(sett_component_register(world, &position), Position_id);
    CHECK_EQ(sett_component_register(world, &velocity), Velocity_id);
    for (uint32_t k = 0; k < count; k++) {
        sett_entity e = sett_entity_create(world);
        SETT_ADD(world, e, Position);
        if (k * 7919 % 100 < share) {
            SETT_SET(world, e, Velocity, .x = 1, .y = 2);
        }
    }
    return world;
}

static uint32_t loop(sett_query* query, int times)
{
    uint32_t found = 0;
    for (int k = 0; k < times; k++) {
        SETT_QUERY_EACH(query, b) {
            Position* p = SETT_FIELD_MUT(b, 0, Position);
            const Velocity* v = SETT_FIELD(b, 1, Velocity);
            SETT_EACH(b, i) {
                p[i].x += v[i].x;
                found++;
            }
        }
    }
    return found;
}

static sett_query* make_query(sett_world* world)
{
    sett_query_desc desc = {.name = "move", .terms = {SETT_INOUT(Position), SETT_IN(Velocity)}};
    return sett_query_create(world, &desc);
}

static void nothing_recorded(void)
{
    sett_world* world = make_world(1000, 50);
    make_query(world);
    CHECK_EQ(advise(world), 0);
    CHECK(strstr(advice, "nothing") != NULL);
    sett_world_destroy(world);
}

/* One in a hundred: a group would be best, and once it is there, nothing more is said. */
static void group_is_advised(void)
{
    sett_world* world = make_world(100000, 1);
    sett_query* query = make_query(world);
    sett_world_record(world, true);
    uint32_t found = loop(query, 100);
    CHECK_EQ(advise(world), 1);
    CHECK_MSG(strstr(advice, "group that owns Position, Velocity") != NULL, "%s", advice);
    CHECK_MSG(strstr(advice, "\"move\" finds 1000 entities") != NULL, "%s", advice);

    CHECK_EQ(sett_component_convert(world, Position_id, SETT_STORAGE_SPARSE_SET), SETT_OK);
    CHECK_EQ(sett_component_convert(world, Velocity_id, SETT_STORAGE_SPARSE_SET), SETT_OK);
    sett_group_desc group = {.owned = {Position_id, Velocity_id}};
    CHECK(sett_group_create(world, &group) != NULL);
    sett_world_record(world, true);
    CHECK_EQ(loop(query, 100), found);
    CHECK_MSG(advise(world) == 0, "%s", advice);
    sett_world_destroy(world);
}

/* The same with so much coming and going that keeping a group costs more than it saves. */
static void sparse_is_advised(void)
{
    sett_world* world = make_world(100000, 1);
    sett_query* query = make_query(world);
    sett_world_record(world, true);
    loop(query, 2);
    uint32_t cursor = 0;
    for (sett_entity e = sett_entity_next(world, &cursor); !sett_is_null(e);
         e = sett_entity_next(world, &cursor)) {
        if (!SETT_HAS(world, e, Velocity)) {
            SETT_ADD(world, e, Velocity);
            SETT_REMOVE(world, e, Velocity);
        }
    }
    CHECK_EQ(advise(world), 1);
    CHECK_MSG(strstr(advice, "\"Velocity\" in a sparse set, which 1000 of 100000") != NULL, "%s",
              advice);
    CHECK_EQ(sett_component_convert(world, Velocity_id, SETT_STORAGE_SPARSE_SET), SETT_OK);
    CHECK_MSG(advise(world) == 0, "%s", advice);
    sett_world_destroy(world);
}

static void array_is_advised(void)
{
    sett_world* world = make_world(10000, 100);
    sett_query_desc desc = {.terms = {SETT_INOUT(Position)}};
    sett_query* query = sett_query_create(world, &desc);
    CHECK_EQ(sett_component_convert(world, Velocity_id, SETT_STORAGE_SPARSE_SET), SETT_OK);
    sett_world_record(world, true);
    SETT_QUERY_EACH(query, b) {
        CHECK(b->count > 0);
    }
    CHECK_EQ(advise(world), 1);
    CHECK_MSG(strstr(advice, "\"Velocity\" is in a sparse set, 10000 of 10000") != NULL, "%s",
              advice);
    sett_world_destroy(world);
}

/* Tags toggled independently of each other: each is told to be dont_fragment. */
static void dont_fragment_is_advised(void)
{
    sett_world* world = sett_world_create(NULL);
    enum {
        TAGS = 11,
        ENTITIES = 4000
    };
    sett_component tag[TAGS];
    for (uint32_t k = 0; k < TAGS; k++) {
        char name[16];
        snprintf(name, sizeof(name), "tag%u", k);
        sett_component_desc desc = {.name = name};
        tag[k] = sett_component_register(world, &desc);
    }
    sett_world_record(world, true);
    uint32_t chance = 1;
    for (uint32_t k = 0; k < ENTITIES; k++) {
        sett_entity e = sett_entity_create(world);
        for (uint32_t j = 0; j < 60; j++) {
            chance = chance * 1664525 + 1013904223;
            uint32_t which = (chance >> 16) % TAGS;
            if (sett_has(world, e, tag[which])) {
                CHECK_EQ(sett_remove(world, e, tag[which]), SETT_OK);
            } else {
                CHECK(sett_add(world, e, tag[which]) != NULL);
            }
        }
    }
    sett_stats stats;
    sett_world_stats(world, &stats);
    CHECK(stats.signatures > 1024);
    CHECK(advise(world) > 0);
    CHECK_MSG(strstr(advice, "registered as dont_fragment") != NULL, "%s", advice);
    sett_world_destroy(world);
}

/* Recording sends every call the slow path: it has to answer the same. */
static void recording_changes_nothing(void)
{
    sett_world* world = make_world(100, 0);
    sett_entity e = sett_entity_at(world, 7);
    sett_world_record(world, true);
    CHECK(!SETT_HAS(world, e, Velocity));
    CHECK(SETT_ADD(world, e, Velocity) != NULL);
    CHECK(SETT_ADD(world, e, Velocity) == NULL);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_PRESENT);
    CHECK(SETT_SET(world, e, Velocity, .x = 3) != NULL);
    CHECK(SETT_GET(world, e, Velocity)->x == 3);
    CHECK(SETT_GET_MUT(world, e, Velocity) == SETT_GET(world, e, Velocity));
    CHECK(SETT_ENSURE(world, e, Velocity) == SETT_GET(world, e, Velocity));
    CHECK_EQ(SETT_REMOVE(world, e, Velocity), SETT_OK);
    CHECK_EQ(SETT_REMOVE(world, e, Velocity), SETT_STATUS_ABSENT);
    sett_world_record(world, false);
    CHECK(SETT_ADD(world, e, Velocity) != NULL);
    CHECK_END(world);
}

TEST_MAIN(TEST(nothing_recorded), TEST(group_is_advised), TEST(sparse_is_advised),
          TEST(array_is_advised), TEST(dont_fragment_is_advised), TEST(recording_changes_nothing))

/* test_read.c: reading in line says what the functions of the library say, of every kind of type
 * and of every kind of handle. */
#include "check.h"
#include "sett/advise.h"
#include "sett/sett.h"
#include "worlds.h"

/* The functions; what is in line goes by its own name here. */
#undef sett_get
#undef sett_find
#undef sett_has

#define ENTITIES 20000u

enum {
    COMMON = 1, /* array */
    RARE,       /* sparse-set */
    WIDE,       /* array, 40 bytes: fewer rows a page */
    MARK,       /* tag */
    FLAG,       /* tag, dont_fragment */
    TRACKED,    /* array with ticks a row */
    LATER       /* registered at last */
};

typedef struct scene {
    sett_world* world;
    sett_entity entity[ENTITIES];
    sett_accessor accessor[LATER + 1];
} scene;

static void scene_register(scene* s, sett_component id, const char* name, size_t size,
                           sett_storage_kind storage)
{
    sett_component_desc desc = {.name = name, .size = size, .id = id, .storage = storage};
    desc.dont_fragment = id == FLAG;
    desc.track_rows = id == TRACKED;
    CHECK_EQ(sett_component_register(s->world, &desc), id);
}

static void scene_begin(scene* s)
{
    s->world = quiet_world();
    scene_register(s, COMMON, "common", 8, SETT_STORAGE_ARRAY);
    scene_register(s, RARE, "rare", 8, SETT_STORAGE_SPARSE_SET);
    scene_register(s, WIDE, "wide", 40, SETT_STORAGE_ARRAY);
    scene_register(s, MARK, "mark", 0, SETT_STORAGE_DEFAULT);
    scene_register(s, FLAG, "flag", 0, SETT_STORAGE_DEFAULT);
    scene_register(s, TRACKED, "tracked", 12, SETT_STORAGE_ARRAY);
    for (uint32_t k = 0; k < ENTITIES; k++) {
        s->entity[k] = sett_entity_create(s->world);
        for (sett_component id = COMMON; id < LATER; id++) {
            if ((k * 2654435761u >> (8 + 2 * id) & 3) == 0 || (k == 7 && id != WIDE)) {
                CHECK(sett_add(s->world, s->entity[k], id) != NULL);
            }
        }
    }
    for (uint32_t k = 0; k < ENTITIES; k += 5) {
        CHECK_EQ(sett_entity_destroy(s->world, s->entity[k]), SETT_OK); /* stale from here on */
    }
    for (sett_component id = 0; id <= LATER; id++) {
        s->accessor[id] = sett_accessor_make(s->world, id);
    }
}

/* Returns how many have one. */
static uint32_t compare_one(const scene* s, sett_entity entity, sett_component id)
{
    const void* found = sett_find(s->world, entity, id);
    bool has = sett_has(s->world, entity, id);
    CHECK_EQ(has, found != NULL);
    CHECK(sett_find_in_line_(s->world, entity, id) == found);
    CHECK_EQ(sett_has_in_line_(s->world, entity, id), has);
    CHECK(sett_get_in_line_(s->world, entity, id) == sett_get(s->world, entity, id));
    CHECK(sett_accessor_find(&s->accessor[id], entity) == found);
    CHECK_EQ(sett_accessor_has(&s->accessor[id], entity), has);
    return has;
}

static uint32_t compare_all(const scene* s)
{
    uint32_t count = 0;
    for (sett_component id = 0; id <= LATER; id++) {
        for (uint32_t k = 0; k < ENTITIES; k++) {
            count += compare_one(s, s->entity[k], id);
        }
        static const uint32_t far[] = {0, 1023, 8191, 8192, 1u << 20, UINT32_MAX};
        for (uint32_t k = 0; k < sizeof(far) / sizeof(far[0]); k++) {
            for (uint32_t generation = 0; generation < 3; generation++) {
                (void)compare_one(s, (sett_entity){far[k], generation}, id);
            }
            (void)compare_one(s, (sett_entity){far[k], 0x80000000u}, id);
            (void)compare_one(s, (sett_entity){far[k], 0x80000001u}, id);
            (void)compare_one(s, (sett_entity){far[k], 0x80000002u}, id);
        }
    }
    return count;
}

static void in_line_and_by_call_agree(void)
{
    scene s;
    scene_begin(&s);
    uint32_t count = compare_all(&s);
    CHECK(count > ENTITIES);

    CHECK_EQ(sett_profile_begin(s.world), SETT_OK); /* all reading takes the slow path */
    CHECK_EQ(compare_all(&s), count);
    CHECK_EQ(sett_profile_end(s.world), SETT_OK);

    CHECK_EQ(sett_component_convert(s.world, COMMON, SETT_STORAGE_SPARSE_SET), SETT_OK);
    CHECK_EQ(sett_component_convert(s.world, RARE, SETT_STORAGE_ARRAY), SETT_OK);
    CHECK_EQ(compare_all(&s), count); /* with the accessors of before */
    CHECK_EQ(sett_component_clear(s.world, WIDE), SETT_OK);
    CHECK(compare_all(&s) < count);
    CHECK_END(s.world);
}

/* An accessor of what is not registered finds nothing; one made later does. */
static void types_may_come_later(void)
{
    scene s;
    scene_begin(&s);
    scene_register(&s, LATER, "later", 8, SETT_STORAGE_ARRAY);
    CHECK(sett_add(s.world, s.entity[1], LATER) != NULL);
    CHECK_EQ(compare_one(&s, s.entity[1], LATER), 1);
    s.accessor[LATER] = sett_accessor_make(s.world, LATER);
    CHECK_EQ(compare_one(&s, s.entity[1], LATER), 1);
    CHECK_EQ(compare_one(&s, s.entity[2], LATER), 0);
    CHECK_END(s.world);
}

TEST_MAIN(TEST(in_line_and_by_call_agree), TEST(types_may_come_later))

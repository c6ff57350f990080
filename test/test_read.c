/* test_read.c: reading in line says what the functions of the library say, of every kind of type
 * and of every kind of handle. */
#define SETT_INLINE /* also in builds that are not optimised */
#include "check.h"
#include "scarce.h"
#include "sett/advise.h"
#include "sett/sett.h"

#include "world/world.h"

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
    CHECK(sett_find_slow_(s->world, entity.index, entity.generation, id) == found);
    CHECK_EQ(sett_has_slow_(s->world, entity.index, entity.generation, id), has);
    bool get = found != NULL || entity.index % 61 == 0; /* each misuse is a message */
    CHECK(!get || sett_get(s->world, entity, id) == found);
    CHECK(!get || sett_get_slow_(s->world, entity.index, entity.generation, id) == found);
    for (size_t size = 0; size <= 40; size += 8) { /* also where it is not the type's */
        CHECK(sett_find_of_size_(s->world, entity, id, size) == found);
        CHECK(!get || sett_get_of_size_(s->world, entity, id, size) == found);
    }
    CHECK(sett_accessor_find(&s->accessor[id], entity) == found);
    CHECK_EQ(sett_accessor_has(&s->accessor[id], entity), has);
    return has;
}

/* Of all at once. */
static void compare_list(const scene* s, sett_component id)
{
    const void** found = calloc(ENTITIES, sizeof(*found));
    void** found_mut = calloc(ENTITIES, sizeof(*found_mut));
    CHECK(found != NULL && found_mut != NULL);
    uint32_t count = sett_find_many(s->world, s->entity, ENTITIES, id, found);
    CHECK_EQ(sett_find_many_mut(s->world, s->entity, ENTITIES, id, found_mut), count);
    for (uint32_t k = 0; k < ENTITIES; k++) {
        CHECK(found[k] == sett_find(s->world, s->entity[k], id));
        CHECK(found_mut[k] == found[k]);
        count -= found[k] != NULL;
    }
    CHECK_EQ(count, 0);
    free(found);
    free(found_mut);
}

static uint32_t compare_all(const scene* s)
{
    uint32_t count = 0;
    for (sett_component id = 0; id <= LATER; id++) {
        compare_list(s, id);
        for (uint32_t k = 0; k < ENTITIES; k += CHECK_STEP_OF(7)) { /* the last one is among them */
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
    CHECK(count > ENTITIES / CHECK_STEP_OF(7));

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

/* A world without types has no type 0 either. */
static void nothing_is_registered(void)
{
    sett_world* world = quiet_world();
    sett_entity entity = sett_entity_create(world);
    for (uint32_t profiled = 0; profiled < 2; profiled++) {
        for (sett_component id = 0; id < 3; id++) {
            CHECK(sett_find(world, entity, id) == NULL);
            CHECK(sett_find_of_size_(world, entity, id, 8) == NULL);
            CHECK(!sett_has(world, entity, id));
            CHECK(sett_find(world, sett_null(), id) == NULL);
        }
        CHECK_EQ(profiled ? sett_profile_end(world) : sett_profile_begin(world), SETT_OK);
    }
    CHECK_END(world);
}

/* A loop that reads and changes what it reads: nothing is remembered from before a change, also of
 * types whose reading goes the slow path. */
static void reads_see_changes(void)
{
    sett_world* world = quiet_world();
    for (sett_component id = COMMON; id <= RARE; id++) {
        sett_entity entity = sett_entity_create(world);
        uint32_t found = 0;
        for (uint32_t k = 0; k < 100; k++) {
            CHECK_EQ(sett_has(world, entity, id), k > 1 && k % 2 == 0);
            if (k == 1) {
                sett_component_desc desc = {.name = "late", .size = 8, .align = 4, .id = id};
                desc.name = id == COMMON ? "common" : "rare";
                desc.storage = id == COMMON ? SETT_STORAGE_ARRAY : SETT_STORAGE_SPARSE_SET;
                CHECK_EQ(sett_component_register(world, &desc), id);
            }
            if (k % 2 == 1) {
                uint32_t* value = sett_add(world, entity, id);
                CHECK(value != NULL && sett_find(world, entity, id) == value);
                *value = k;
                CHECK_EQ(*(const uint32_t*)sett_get(world, entity, id), k);
                *value = k + 1;
            } else if (k > 1) {
                const uint32_t* value = sett_find_of_size_(world, entity, id, 8);
                CHECK(value != NULL);
                found += *value;
                CHECK_EQ(sett_remove(world, entity, id), SETT_OK);
            }
        }
        CHECK_EQ(found, 2450); /* 2 + 4 + ... + 98 */
    }
    CHECK_END(world);
}

/* Where there are no pages, of values or of entities, there are none to read. */
static void nothing_is_read_where_no_page_is(void)
{
    scene s = {.world = quiet_world()};
    for (sett_component id = COMMON; id < LATER; id++) {
        scene_register(&s, id, (const char[]){(char)('a' + id), 0},
                       id == MARK || id == FLAG ? 0 : 8, SETT_STORAGE_DEFAULT);
    }
    for (sett_component id = 0; id <= LATER; id++) {
        s.accessor[id] = sett_accessor_make(s.world, id);
    }
    const void* none[32];
    CHECK_EQ(sett_find_many(s.world, s.entity, 32, COMMON, none), 0); /* in an empty world */
    CHECK(none[0] == NULL && none[31] == NULL);
    sett_snapshot empty;
    CHECK_EQ(sett_snapshot_take(s.world, &empty), SETT_OK);
    for (uint32_t k = 0; k < ENTITIES; k++) {
        s.entity[k] = sett_entity_create(s.world);
    }
    for (sett_component id = COMMON; id < LATER; id++) { /* two pages of bits are missing */
        CHECK(sett_add(s.world, s.entity[ENTITIES - 1], id) != NULL);
    }
    CHECK_EQ(compare_all(&s), LATER - COMMON);
    CHECK_EQ(sett_snapshot_restore(s.world, empty), SETT_OK);
    CHECK_EQ(compare_all(&s), 0);
    CHECK(!sett_has(s.world, (sett_entity){ENTITIES - 1, 0}, COMMON));
    sett_snapshot_drop_all(s.world);
    CHECK_END(s.world);
}

/* The page of a value, worked out from a size alone, is where storages have it. */
static void shifts_follow_from_sizes(void)
{
    sett_world* world = quiet_world();
    for (uint32_t size = 1; size <= 300; size++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "t%u", (unsigned)size);
        sett_component_desc desc = {.name = name, .size = size, .storage = SETT_STORAGE_ARRAY};
        sett_component id = sett_component_register(world, &desc);
        CHECK_EQ(setti_world_type(world, id)->storage.shift, sett_read_shift_(size));
    }
    CHECK_END(world);
}

static uint32_t sets_heard;

static void hear_set(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)world;
    (void)entity;
    (void)value;
    (void)user;
    sets_heard++;
}

/* Lists with stale handles, some twice: the others are done, once. */
static void lists_do_what_single_calls_do(void)
{
    scene s;
    scene_begin(&s);
    sett_component_desc desc = {.name = "heard", .size = 8, .id = LATER, .on_set = hear_set};
    CHECK_EQ(sett_component_register(s.world, &desc), LATER);
    sett_entity list[3000];
    uint64_t values[3000];
    for (uint32_t k = 0; k < 3000; k++) {
        list[k] = s.entity[k * 7919 % 2500]; /* some are in it twice, every fifth is stale */
        values[k] = k;
    }
    for (sett_component id = COMMON; id <= LATER; id++) {
        CHECK_EQ(sett_add_many(s.world, list, 3000, id), SETT_OK);
        for (uint32_t k = 0; k < 3000; k++) {
            CHECK_EQ(sett_has(s.world, list[k], id), sett_entity_valid(s.world, list[k]));
        }
        uint32_t before = sett_component_count(s.world, id);
        CHECK_EQ(sett_remove_many(s.world, list + 1000, 2000, id), SETT_OK);
        CHECK_EQ(sett_component_count(s.world, id), before - 1600); /* of five, four are alive */
        for (uint32_t k = 1000; k < 3000; k++) {
            CHECK(!sett_has(s.world, list[k], id));
        }
    }
    sets_heard = 0;
    CHECK_EQ(sett_set_many(s.world, list, 2500, LATER, values), SETT_OK);
    CHECK_EQ(sets_heard, 2000);
    for (uint32_t k = 0; k < 2500; k++) {
        const uint64_t* value = sett_find(s.world, list[k], LATER);
        CHECK_EQ(value != NULL, sett_entity_valid(s.world, list[k]));
        CHECK(value == NULL || *value == k);
    }
    CHECK_EQ(sett_set_many(s.world, list, 2500, MARK, NULL), SETT_OK);
    CHECK(sett_has(s.world, list[1], MARK));
    CHECK_EQ(sett_add_many(s.world, list, 1, 99), SETT_STATUS_UNREGISTERED);
    CHECK_EQ(sett_set_many(s.world, list, 1, 99, values), SETT_STATUS_UNREGISTERED);
    CHECK_EQ(sett_remove_many(s.world, list, 1, 99), SETT_STATUS_UNREGISTERED);
    CHECK_EQ(sett_find_many(s.world, list, 0, COMMON, NULL), 0);
    CHECK_END(s.world);
}

/* When memory runs out those in front have it, and nothing else has happened. */
static void lists_stop_where_memory_ends(void)
{
    static scarce_memory memory;
    sett_world* world = scarce_world(&memory);
    sett_component id = sett_component_register(
        world, &(sett_component_desc){.name = "value", .size = 256, .align = 8});
    sett_entity entity[2000];
    CHECK_EQ(sett_entity_create_many(world, 2000, NULL, 0, NULL, entity), SETT_OK);
    memory.closed = true;
    memory.strict = true;
    CHECK_EQ(sett_add_many(world, entity, 2000, id), SETT_STATUS_OUT_OF_MEMORY);
    uint32_t count = sett_component_count(world, id);
    CHECK(count > 0 && count < 2000);
    for (uint32_t k = 0; k < 2000; k++) {
        CHECK_EQ(sett_has(world, entity[k], id), k < count);
    }
    CHECK_EQ(sett_world_validate(world, NULL), SETT_OK);
    memory.closed = false;
    CHECK_EQ(sett_add_many(world, entity, 2000, id), SETT_OK);
    CHECK_EQ(sett_component_count(world, id), 2000);
    scarce_end(&memory, world);
}

TEST_MAIN(TEST(in_line_and_by_call_agree), TEST(types_may_come_later), TEST(nothing_is_registered),
          TEST(reads_see_changes), TEST(nothing_is_read_where_no_page_is),
          TEST(shifts_follow_from_sizes), TEST(lists_do_what_single_calls_do),
          TEST(lists_stop_where_memory_ends))

/* test_many_prefabs.c: more prefabs than recipes are kept for, which end and are made again: each
 * instance has the values and the children of its own prefab. And files whose entities come under
 * one parent with one name.
 *
 * SPDX-License-Identifier: MIT
 */
#include "chance.h"
#include "scarce.h"
#include "sett/file.h"

#define PREFABS 600

typedef struct Value {
    uint32_t number;
} Value;

static sett_component Value_id;

typedef struct made {
    sett_entity prefab;
    uint32_t number;
    uint32_t children;
} made;

static void make(sett_world* world, made* of, uint32_t number)
{
    of->prefab = sett_entity_create(world);
    of->number = number;
    of->children = number % 4;
    SETT_SET(world, of->prefab, Value, .number = number);
    for (uint32_t k = 0; k < of->children; k++) {
        sett_entity child = sett_entity_create(world);
        SETT_SET(world, child, Value, .number = number * 10 + k);
        CHECK_EQ(sett_hierarchy_attach(world, child, of->prefab), SETT_OK);
    }
    CHECK_EQ(sett_prefab_make(world, of->prefab), SETT_OK);
}

static void check_instance(sett_world* world, const made* of)
{
    sett_entity instances[2];
    CHECK_EQ(sett_instantiate(world, of->prefab, 1, instances), SETT_OK);
    instances[1] =
        sett_instantiate_with(world, &(sett_instantiate_desc){.prefab = of->prefab}); /* recipe */
    for (uint32_t k = 0; k < 2; k++) {
        CHECK_EQ(SETT_GET(world, instances[k], Value)->number, of->number);
        uint32_t count = 0;
        uint32_t sum = 0;
        for (sett_entity child = sett_hierarchy_first(world, instances[k]); !sett_is_null(child);
             child = sett_hierarchy_next(world, child)) {
            sum += SETT_GET(world, child, Value)->number;
            count++;
        }
        CHECK_EQ(count, of->children);
        CHECK_EQ(sum, of->number * 10 * count + count * (count - 1) / 2);
        CHECK_EQ(sett_entity_destroy(world, instances[k]), SETT_OK);
    }
}

static void many_prefabs_come_and_go(void)
{
    static made all[PREFABS];
    uint64_t state = check_setting("SETT_SEED", 1);
    sett_world* world = quiet_world();
    Value_id = SETT_REGISTER(world, Value);
    uint32_t next = 0;
    for (uint32_t k = 0; k < PREFABS; k++) {
        make(world, &all[k], ++next);
        check_instance(world, &all[k]);
    }
    for (uint32_t round = 0; round < CHECK_ROUNDS(3000); round++) {
        made* one = &all[chance_below(&state, PREFABS)];
        uint32_t what = chance_below(&state, 4);
        if (what == 0) {
            CHECK_EQ(sett_entity_destroy(world, one->prefab), SETT_OK);
            make(world, one, ++next);
        } else if (what == 1) {
            one->number = ++next / 4 * 4; /* without children */
            for (uint32_t k = 0; k < one->children; k++) {
                CHECK_EQ(sett_entity_destroy(world, sett_hierarchy_first(world, one->prefab)),
                         SETT_OK);
            }
            one->children = 0;
            SETT_SET(world, one->prefab, Value, .number = one->number);
        }
        check_instance(world, one);
    }
    for (uint32_t k = 0; k < PREFABS; k++) {
        check_instance(world, &all[k]);
    }
    CHECK_END(world);
}

/* A prefab a frame, which ends: what was remembered of it ends too, sooner or later. */
static void prefabs_that_ended_take_no_memory(void)
{
    static scarce_memory memory;
    sett_world* world = scarce_world(&memory);
    Value_id = SETT_REGISTER(world, Value);
    uint64_t held = 0;
    for (uint32_t round = 0; round < 3000; round++) {
        made one;
        make(world, &one, round * 4);
        check_instance(world, &one);
        check_instance(world, &one);
        CHECK_EQ(sett_entity_destroy(world, one.prefab), SETT_OK);
        (void)sett_entity_create(world); /* at its index: the next one has another */
        if (round % 1000 == 999) {
            CHECK_MSG(held == 0 || memory.held < held + 200000, "%llu bytes, before %llu",
                      (unsigned long long)memory.held, (unsigned long long)held);
            held = memory.held;
        }
    }
    scarce_end(&memory, world);
}

/* Two rooms with a door each; only doors are merged, and come under one parent. */
static void names_that_meet_in_a_merge_get_numbers(void)
{
    static const char path[] = "sett_test_many";
    sett_world* from = quiet_world();
    Value_id = SETT_REGISTER(from, Value);
    CHECK_EQ(SETT_MEMBERS(from, Value, number), SETT_OK);
    for (uint32_t k = 0; k < 40; k++) {
        char name[16];
        snprintf(name, sizeof(name), "room %u", k);
        sett_entity room = sett_entity_create(from);
        sett_entity door = sett_entity_create(from);
        CHECK_EQ(sett_name_set(from, room, name), SETT_OK);
        CHECK_EQ(sett_hierarchy_attach(from, door, room), SETT_OK);
        CHECK_EQ(sett_name_set(from, door, "door"), SETT_OK);
        SETT_SET(from, door, Value, .number = k);
    }
    CHECK_EQ(sett_world_save(from, path), SETT_OK);
    sett_world* world = quiet_world();
    CHECK_EQ(SETT_REGISTER(world, Value), Value_id);
    CHECK_EQ(SETT_MEMBERS(world, Value, number), SETT_OK);
    sett_entity house = sett_entity_create(world);
    sett_entity door = sett_entity_create(world);
    CHECK_EQ(sett_hierarchy_attach(world, door, house), SETT_OK);
    CHECK_EQ(sett_name_set(world, door, "door_3"), SETT_OK);
    sett_merge_desc desc = {.types = &Value_id, .type_count = 1, .parent = house};
    sett_merge_result result;
    CHECK(sett_world_merge(world, path, &desc, &result) != SETT_OK);
    CHECK_EQ(sett_entity_count(world), 2);
    desc.names = SETT_MERGE_NUMBER;
    CHECK_MSG(sett_world_merge(world, path, &desc, &result) == SETT_OK, "%s",
              sett_world_message(world));
    CHECK_EQ(result.created, 40);
    sett_merge_result_free(world, &result);
    CHECK_EQ(sett_hierarchy_child_count(world, house), 41);
    bool seen[40] = {false};
    for (uint32_t k = 0; k < 42; k++) { /* each name once, each value once */
        char name[16] = "door";
        if (k != 0) {
            snprintf(name, sizeof(name), "door_%u", k);
        }
        sett_entity e = sett_name_find(world, house, name);
        const Value* value = sett_is_null(e) ? NULL : SETT_FIND(world, e, Value);
        CHECK_EQ(value == NULL, k == 1 || k == 3);
        if (value != NULL) {
            CHECK(value->number < 40 && !seen[value->number]);
            seen[value->number] = true;
        }
    }
    CHECK_END(world);
    CHECK_END(from);
    (void)remove("sett_test_many");
}

TEST_MAIN(TEST(many_prefabs_come_and_go), TEST(prefabs_that_ended_take_no_memory),
          TEST(names_that_meet_in_a_merge_get_numbers))

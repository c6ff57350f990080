/* test_model_relation.c: random operations on links, trees, prefabs and copies, against a naive
 * world that keeps all of them in arrays.
 *
 *     SETT_SEED=7 SETT_OPERATIONS=10000000 test_model_relation     another run, from outside
 *
 * A failure prints the seed and the operation. The first operations are checked one by one, later
 * ones every thousand. Handles of the dead are kept, asked for and used: every one has to be
 * recognised.
 *
 * The naive world and the operations are model_relation/naive.h. Here is how often each operation
 * comes, and what concerns the world as a whole.
 *
 * SPDX-License-Identifier: MIT
 */
#include "model_relation/naive.h"

#define CLOSELY 6000u /* operations that are checked one by one */
#define PERIOD 1000u  /* between checks, later */

/* clang-format off */
#define REMOVE SETT_CLEANUP_REMOVE
#define DESTROY SETT_CLEANUP_DESTROY
#define REJECT SETT_CLEANUP_REJECT
#define ARRAY SETT_STORAGE_ARRAY
#define SPARSE SETT_STORAGE_SPARSE_SET
naive_relation relations[RELATIONS] = {
    {"removes",      false, true,  REMOVE,  REMOVE,  ARRAY, 0},
    {"many",         true,  true,  REMOVE,  REMOVE,  SPARSE, 0},
    {"sources go",   false, true,  DESTROY, REMOVE,  SPARSE, 0},
    {"target stays", true,  false, REJECT,  REMOVE,  ARRAY, 0},
    {"targets go",   true,  true,  REMOVE,  DESTROY, ARRAY, 0},
    {"source stays", false, false, REMOVE,  REJECT,  ARRAY, 0},
    {"Reports",      false, false, REMOVE,  REMOVE,  ARRAY, 0},
    {"InstanceOf",   false, false, REMOVE,  REMOVE,  ARRAY, 0},
};
/* clang-format on */

naive_world naive;
sett_world* world;
sett_world* other;
sett_component value_id, shared_id, dont_fragment_id, prefab_id;
sett_query* visible;
sett_search* closure;
uint64_t seed;
uint64_t done;
const char* doing;
uint32_t ranges;
uint32_t distance;
uint32_t crowd;
uint64_t chance_state;

static naive_world then; /* as it was when the snapshot was taken */
static sett_snapshot snapshot;
static uint64_t then_hash;
static bool held;

static void do_rare(void)
{
    doing = "clear the world, convert or trim";
    uint32_t which = below(48);
    if (which == 0 || which >= 40) {
        WANT(sett_world_clear(world) == SETT_OK);
        naive.link_count = 0;
        for (uint32_t k = 0; k < naive.end; k++) {
            if (!sett_is_null(naive.at[k].handle)) {
                naive.dead[naive.dead_count++ % DEAD] = naive.at[k].handle;
                naive.at[k].handle = sett_null();
                naive.count--;
            }
        }
    } else if (which < 10) {
        sett_storage_kind kind = which < 5 ? SETT_STORAGE_ARRAY : SETT_STORAGE_SPARSE_SET;
        sett_status status = sett_component_convert(world, relations[below(RELATIONS)].id, kind);
        WANT(status == SETT_OK || (held && status == SETT_STATUS_LOCKED));
    } else if (which == 10) {
        uint32_t relation = below(RELATIONS);
        WANT(sett_component_clear(world, relations[relation].id) == SETT_OK);
        for (uint32_t k = 0; k < naive.end; k++) {
            naive_end_links(begins_at, relation, k);
        }
    } else {
        WANT(sett_world_trim(world) == SETT_OK);
    }
}

/* Where indices lie far apart: entities are created in another range from now on, or all of one
 * end. Pages of values so come and go. */
static void do_range(void)
{
    doing = "another range";
    uint32_t range = below(ranges);
    if (below(3) != 0) {
        WANT(sett_entity_set_range(world, range * distance, 0) == SETT_OK);
        return;
    }
    for (uint32_t k = 0; k < naive.end; k++) {
        sett_entity entity = naive.at[k].handle;
        if (!sett_is_null(entity) && entity.index / distance == range) {
            WANT(sett_entity_destroy(world, entity) ==
                 (naive_destroy(k) ? SETT_OK : SETT_STATUS_REJECTED));
        }
    }
}

static void do_snapshot(void)
{
    doing = "snapshot";
    if (!held) {
        WANT(sett_snapshot_take(world, &snapshot) == SETT_OK);
        then = naive;
        then_hash = sett_world_hash(world);
        held = true;
    } else if (below(3) == 0) {
        WANT(sett_snapshot_drop(world, snapshot) == SETT_OK);
        held = false;
    } else {
        WANT(sett_snapshot_restore(world, snapshot) == SETT_OK);
        naive = then;
        WANT(sett_world_hash(world) == then_hash);
    }
}

/* With the world as a whole. */
static void do_world(void)
{
    (below(10) != 0 ? do_snapshot : do_rare)();
}

/* Of a hundred operations. */
static const struct {
    uint32_t end;
    void (*operation)(void);
} shares[] = {
    {12, do_create},    {20, do_destroy},        {21, do_destroy_many}, {22, do_destroy_children},
    {50, do_relate},    {62, do_unrelate},       {65, do_end_links},    {77, do_value},
    {78, do_clear},     {80, do_policy},         {82, do_shared},       {86, do_attach},
    {87, do_insert},    {88, do_scope},          {90, do_prefab},       {91, do_bases},
    {93, do_duplicate}, {94, do_copy_elsewhere}, {99, do_commands},     {100, do_world},
};

static void step(void)
{
    uint32_t which = below(100);
    uint32_t k = 0;
    bool crowded = naive.count > crowd + below(crowd);
    while (which >= shares[k].end) {
        k++;
    }
    if (ranges > 1 && below(30) == 0) {
        do_range();
    } else if (crowded || naive.link_count > LINKS / 6) {
        do_destroy();
    } else if (naive.count < 4) {
        do_create();
    } else {
        shares[k].operation();
    }
}

/* In the other world in another order, so that numbers of types differ. */
static void register_relations(sett_world* in, bool backwards)
{
    for (uint32_t n = 0; n < INSTANCE_OF; n++) {
        naive_relation* r = &relations[backwards ? INSTANCE_OF - 1 - n : n];
        sett_relationship_desc desc = {.name = r->name,
                                       .size = r->data ? 4 : 0,
                                       .many = r->many,
                                       .acyclic = r == &relations[ACYCLIC],
                                       .transitive = r == &relations[ACYCLIC],
                                       .reflexive = r == &relations[ACYCLIC],
                                       .storage = r->storage,
                                       .on_target_destroyed = r->on_target,
                                       .on_source_destroyed = r->on_source};
        sett_component id = sett_relationship_register(in, &desc);
        CHECK(id != 0);
        r->id = backwards ? r->id : id;
    }
}

static sett_component register_values(sett_world* in)
{
    static const uint32_t offsets[] = {offsetof(Value, reference)};
    return sett_component_register(in, &(sett_component_desc){SETT_TYPE(Value),
                                                              .entity_offsets = offsets,
                                                              .entity_offset_count = 1});
}

static void register_all(void)
{
    value_id = register_values(world);
    dont_fragment_id = sett_component_register(
        world, &(sett_component_desc){.name = "Dont_fragment", .dont_fragment = true});
    shared_id = sett_component_register(world, &(sett_component_desc){.name = "Shared", .size = 4});
    CHECK_EQ(sett_prefab_share(world, shared_id, true), SETT_OK);
    register_relations(world, false);
    relations[INSTANCE_OF].id = sett_instance_of(world);
    CHECK(sett_name_register(world) != 0);
    prefab_id = sett_prefab_tag(world);
    closure = sett_search_create(world, "Reports($a, $b)");
    sett_query_desc desc = {
        .terms = {{.component = value_id, .access = SETT_IN, .kind = SETT_WITH}}};
    visible = sett_query_create(world, &desc);
    CHECK(value_id != 0 && dont_fragment_id != 0 && prefab_id != 0 && visible != NULL &&
          closure != NULL);
    CHECK_EQ(sett_search_variable(closure, "a"), 0);
    CHECK(sett_prefab_tag(other) != 0 && sett_instance_of(other) != 0);
    register_relations(other, true);
    CHECK(sett_component_register(other, &(sett_component_desc){.name = "Shared", .size = 4}) != 0);
    CHECK(sett_component_register(
              other, &(sett_component_desc){.name = "Dont_fragment", .dont_fragment = true}) != 0);
    CHECK(register_values(other) != 0);
}

static void agree(void)
{
    uint64_t operations = check_setting("SETT_OPERATIONS", CHECK_ROUNDS(10000));
    seed = check_setting("SETT_SEED", 1);
    chance_state = seed;
    printf("  SETT_SEED=%llu SETT_OPERATIONS=%llu\n", (unsigned long long)seed,
           (unsigned long long)operations);
    memset(&naive, 0, sizeof(naive));
    held = false;
    world = sett_world_create(
        &(sett_world_desc){.log_fn = sett_log_silent, .entity_limit = ranges * distance});
    other = sett_world_create(
        &(sett_world_desc){.log_fn = sett_log_silent, .entity_limit = ranges * distance});
    CHECK(world != NULL && other != NULL);
    register_all();
    for (done = 0; done < operations; done++) {
        step();
        check_print(done, operations);
        if (done < CLOSELY || done % PERIOD == 0) {
            compare();
        }
    }
    compare();
    printf("  %u entities, %u links, %u dead, hash %016llx, chance %016llx\n", naive.count,
           naive.link_count, naive.dead_count, (unsigned long long)sett_world_hash(world),
           (unsigned long long)chance_state);
    sett_world_destroy(world);
    sett_world_destroy(other);
}

static void links_trees_and_copies_agree(void)
{
    ranges = 1;
    distance = INDICES;
    crowd = 90;
    agree();
}

/* A page of rows, or of bits, is needed for each range, and becomes empty now and then. */
static void they_agree_where_indices_lie_far_apart(void)
{
    ranges = 4;
    distance = 9216;
    crowd = 16;
    agree();
}

TEST_MAIN(TEST(links_trees_and_copies_agree), TEST(they_agree_where_indices_lie_far_apart))

/* test_model_delta.c: two worlds in lockstep. One runs ahead by random operations of every kind:
 * entities, values, parents, links, names, sorting, steps back in time. A delta takes the other
 * there; then both do the same, and everything is compared that decides what a world does next: the
 * hash, rows, free indices and their generations, the order of every list. A third follows with
 * other storages and without groups: it has to have the same hash.
 *
 *     SETT_SEED=7 SETT_OPERATIONS=10000000 test_model_delta
 *
 * SPDX-License-Identifier: MIT
 */
#include "chance.h"
#include "sett/duplicate.h"
#include "sett/hierarchy.h"
#include "sett/name.h"
#include "sett/relationship.h"
#include "states.h"

#include "relation/relationship.h"

#define MOST 1500 /* entities */

static uint64_t chance_state;

static uint32_t below(uint32_t limit)
{
    return chance_below(&chance_state, limit);
}

/* ---- Worlds ---------------------------------------------------------------------------------- */

enum {
    ARRAY = 1,
    SPARSE,
    TAG,
    DONT_FRAGMENT,
    ORDERED,
    NEEDY,
    SKIPPED,
    LEFT,  /* owned by a group, */
    RIGHT, /* with this */
    TRACKED,
    LARGE, /* pages beyond what blocks hold */
    VALUES = LARGE,
    OWES = 50, /* one target, with data */
    FOLLOWS,   /* one target; who is followed takes the followers along */
    GUARDS,    /* one target; who is guarded cannot end */
    LIKES,     /* many targets, with data */
    REPORTS,   /* no circles */
    LINKS = REPORTS
};

static void begin_links(sett_world* world)
{
    const sett_relationship_desc links[] = {
        {.name = "owes", .size = 4, .align = 4, .id = OWES, .storage = SETT_STORAGE_SPARSE_SET},
        {.name = "follows", .id = FOLLOWS, .on_target_destroyed = SETT_CLEANUP_DESTROY},
        {.name = "guards",
         .id = GUARDS,
         .on_target_destroyed = SETT_CLEANUP_REJECT,
         .on_source_destroyed = SETT_CLEANUP_DESTROY},
        {.name = "likes", .size = 8, .align = 8, .id = LIKES, .many = true},
        {.name = "reports", .id = REPORTS, .acyclic = true, .transitive = true, .reflexive = true},
    };
    for (uint32_t k = 0; k < sizeof(links) / sizeof(links[0]); k++) {
        CHECK_EQ(sett_relationship_register(world, &links[k]), links[k].id);
    }
    CHECK(sett_name_register(world) != 0); /* before what it has to wait for */
    CHECK(sett_hierarchy_register(world, NULL) != 0);
}

static sett_world* begin_with(sett_world* world, bool other)
{
    static const sett_component needed[] = {ARRAY};
    sett_storage_kind sparse_set = other ? SETT_STORAGE_ARRAY : SETT_STORAGE_SPARSE_SET;
    const sett_component_desc types[] = {
        {.name = "array", .size = 8, .id = ARRAY, .can_disable = true},
        {.name = "sparse-set", .size = 12, .id = SPARSE, .storage = sparse_set},
        {.name = "tag", .id = TAG},
        {.name = "dont_fragment",
         .size = 4,
         .id = DONT_FRAGMENT,
         .dont_fragment = true,
         .can_disable = true},
        {.name = "ordered", .size = 20, .id = ORDERED, .keep_order = true},
        {.name = "needy", .size = 4, .id = NEEDY, .required = needed, .required_count = 1},
        {.name = "skipped", .size = 4, .id = SKIPPED, .save = SETT_SAVE_SKIP},
        {.name = "left", .size = 4, .id = LEFT, .storage = sparse_set},
        {.name = "right", .size = 8, .id = RIGHT, .storage = sparse_set},
        {.name = "tracked", .size = 4, .id = TRACKED, .storage = sparse_set, .track_rows = true},
        {.name = "huge", .size = 1000, .id = LARGE},
    };
    for (uint32_t k = 0; k < VALUES; k++) {
        CHECK_EQ(sett_component_register(world, &types[k]), types[k].id);
    }
    begin_links(world);
    if (!other) {
        CHECK(sett_group_create(
                  world, &(sett_group_desc){.name = "both", .owned = {LEFT, RIGHT}}) != NULL);
        CHECK(sett_group_create(
                  world, &(sett_group_desc){.name = "set", .with = {ARRAY, SPARSE}}) != NULL);
    }
    return world;
}

static sett_world* begin(bool other)
{
    sett_world_desc desc = {.log_fn = sett_log_silent};
    return begin_with(sett_world_create(&desc), other);
}

/* ---- Operations ------------------------------------------------------------------------------ */

static sett_entity any(sett_world* world)
{
    uint32_t alive = world->entities.count;
    return entity_from(world, alive != 0 ? below(alive) : 0);
}

static void change_value(sett_world* world, sett_entity e)
{
    sett_component id = 1 + below(VALUES);
    uint32_t what = below(256);
    if (below(4) == 0) {
        if (sett_has(world, e, id)) {
            (void)sett_remove(world, e, id);
        }
        return;
    }
    if (below(8) == 0) {
        id = below(2) == 0 ? ARRAY : DONT_FRAGMENT;
        sett_status status = sett_enable(world, e, id, what % 2 == 0);
        CHECK_EQ(status, sett_has(world, e, id) ? SETT_OK
                         : sett_is_null(e)      ? SETT_STATUS_STALE
                                                : SETT_STATUS_ABSENT);
        return;
    }
    void* value = sett_ensure(world, e, id);
    if (value != NULL && world->types[id]->storage.size != 0) {
        memset(value, (int)what, world->types[id]->storage.size);
    }
}

static void change_tree(sett_world* world, sett_entity e)
{
    sett_entity other = any(world);
    switch (below(8)) {
    case 0:
        (void)sett_hierarchy_detach(world, e);
        break;
    case 1:
        (void)sett_hierarchy_set_policy(world, e, (sett_children_policy)below(4));
        break;
    case 2:
        if (sett_has(world, e, SETT_ID_HIERARCHY) && below(4) == 0) {
            (void)sett_remove(world, e, SETT_ID_HIERARCHY);
        }
        break;
    case 3:
        (void)sett_hierarchy_insert_before(world, e, other);
        break;
    case 4:
        sett_hierarchy_update(world);
        break;
    default:
        (void)sett_hierarchy_attach(world, e, other);
        break;
    }
}

static void change_link(sett_world* world, sett_entity e)
{
    sett_component id = OWES + below(LINKS - OWES + 1);
    sett_entity other = any(world);
    uint32_t what = below(256);
    if (below(3) == 0) {
        if (sett_has(world, e, id)) {
            (void)sett_unrelate(world, e, id, sett_target(world, e, id));
        }
        return;
    }
    void* data = sett_relate(world, e, id, other);
    if (data != NULL && (id == OWES || id == LIKES)) {
        memset(data, (int)what, id == OWES ? 4 : 8);
    }
}

static void change_name(sett_world* world, sett_entity e)
{
    char name[32];
    snprintf(name, sizeof(name), "n%u", (unsigned)below(below(8) == 0 ? 1000 : 9));
    (void)(below(4) == 0 ? sett_remove(world, e, SETT_ID_NAME) : sett_name_set(world, e, name));
}

static void change_order(sett_world* world)
{
    switch (below(5)) {
    case 0:
        (void)sett_sort(world, &(sett_sort_desc){.component = SPARSE, .key = SETT_KEY_U32});
        break;
    case 1:
        (void)sett_sort(world, &(sett_sort_desc){.component = ORDERED, .key = SETT_KEY_U32});
        break;
    case 2:
        (void)sett_sort(world, &(sett_sort_desc){.component = TRACKED, .like = ORDERED});
        break;
    case 3:
        (void)sett_world_trim(world);
        break;
    default:
        if (world->listeners != NULL) {
            (void)sett_sort(world, &(sett_sort_desc){.component = LEFT,
                                                     .group = (sett_group*)(void*)world->listeners,
                                                     .key = SETT_KEY_U32});
        }
        break;
    }
}

/* One operation; what it gave goes into *log. */
static void operate(sett_world* world, uint64_t* log)
{
    sett_entity e = any(world);
    switch (below(16)) {
    case 0:
    case 1:
        if (world->entities.count < MOST) {
            e = sett_entity_create(world);
            *log = (*log ^ e.index ^ ((uint64_t)e.generation << 32)) * 0xD6E8FEB86659FD93u;
        }
        break;
    case 2:
        if (below(2) == 0) {
            *log = (*log ^ (uint64_t)sett_entity_destroy(world, e)) * 0xD6E8FEB86659FD93u;
        }
        break;
    case 3:
    case 4:
    case 5:
        change_tree(world, e);
        break;
    case 6:
    case 7:
    case 8:
        change_link(world, e);
        break;
    case 9:
    case 10:
        change_name(world, e);
        break;
    case 11:
        if (below(30) == 0) {
            change_order(world);
        } else if (below(8) == 0 && world->entities.count < MOST) {
            (void)sett_duplicate(world, e, NULL);
        }
        break;
    default:
        change_value(world, e);
        break;
    }
}

/* ---- Comparing ------------------------------------------------------------------------------- */

static void same_entities(const sett_world* a, const sett_world* b)
{
    uint32_t end =
        SETTI_MAX(setti_entity_capacity(&a->entities), setti_entity_capacity(&b->entities));
    CHECK_EQ(a->entities.count, b->entities.count);
    CHECK_EQ(a->entities.retired, b->entities.retired);
    for (uint32_t k = 0; k < end; k++) {
        CHECK_EQ(setti_entity_generation(&a->entities, k),
                 setti_entity_generation(&b->entities, k));
    }
}

static void same_rows(const sett_world* a, const sett_world* b)
{
    for (uint32_t k = 0; k < a->registered.count; k++) {
        const setti_storage* x = &a->registered.item[k]->storage;
        const setti_storage* y = &b->registered.item[k]->storage;
        bool sparse_set = x->kind == SETTI_SPARSE;
        uint32_t ends[2] = {sparse_set ? x->extent : setti_array_end(x),
                            sparse_set ? y->extent : setti_array_end(y)};
        CHECK_MSG(ends[0] == ends[1] && x->count == y->count, "%s: %u and %u rows",
                  a->registered.item[k]->desc.name, (unsigned)ends[0], (unsigned)ends[1]);
        for (uint32_t row = 0; sparse_set && row < x->extent; row++) {
            CHECK_MSG(*setti_storage_index(x, row) == *setti_storage_index(y, row), "%s: row %u",
                      a->registered.item[k]->desc.name, (unsigned)row);
        }
    }
}

/* Lists of links, forth and back; sibling lists are in the hash. */
static void same_lists(const sett_world* a, const sett_world* b)
{
    for (uint32_t index = 0; index < setti_entity_capacity(&a->entities); index++) {
        sett_entity e = setti_entity_at(&a->entities, index);
        for (sett_component id = OWES; id <= LINKS && !sett_is_null(e); id++) {
            sett_link_cursor x[2] = {{0}, {0}};
            sett_link_cursor y[2] = {{0}, {0}};
            sett_entity next;
            do {
                next = sett_source_next(a, id, e, &x[0]);
                CHECK(sett_equals(next, sett_source_next(b, id, e, &y[0])));
            } while (!sett_is_null(next));
            do {
                next = sett_target_next(a, e, id, &x[1]);
                CHECK(sett_equals(next, sett_target_next(b, e, id, &y[1])));
            } while (!sett_is_null(next));
        }
    }
}

static void same_names(sett_world* a, sett_world* b)
{
    for (uint32_t index = 0; index < setti_entity_capacity(&a->entities); index++) {
        sett_entity e = setti_entity_at(&a->entities, index);
        const char* name = sett_is_null(e) ? NULL : sett_name_get(a, e);
        CHECK(name == NULL ? sett_is_null(e) || sett_name_get(b, e) == NULL
                           : sett_name_get(b, e) != NULL);
        if (name != NULL) {
            CHECK_STR_EQ(name, sett_name_get(b, e));
        }
    }
}

static void same_future(sett_world* a, sett_world* b)
{
    same_entities(a, b);
    same_rows(a, b);
    same_lists(a, b);
    same_names(a, b);
}

/* ---- Tests ----------------------------------------------------------------------------------- */

/* Runs ahead; now and then back in time, and on from there. */
static void run_ahead(sett_world* world, uint32_t count)
{
    uint64_t log = 0;
    sett_snapshot kept = {0, 0};
    for (uint32_t k = 0; k < count; k++) {
        operate(world, &log);
        if (below(60) == 0) {
            if (kept.serial != 0 && below(2) == 0) {
                CHECK_EQ(sett_snapshot_restore(world, kept), SETT_OK);
            } else if (kept.serial == 0) {
                kept = take(world);
            }
        }
    }
    if (kept.serial != 0) {
        CHECK_EQ(sett_snapshot_drop(world, kept), SETT_OK);
    }
}

static void run_alike(sett_world* a, sett_world* b, uint32_t count)
{
    uint64_t log[2] = {0, 0};
    uint64_t from = chance_state;
    for (uint32_t k = 0; k < count; k++) {
        operate(a, &log[0]);
    }
    chance_state = from;
    for (uint32_t k = 0; k < count; k++) {
        operate(b, &log[1]);
    }
    CHECK_EQ(log[0], log[1]);
}

static void a_delta_leads_to_the_same_future(void)
{
    uint64_t operations = check_setting("SETT_OPERATIONS", CHECK_ROUNDS(40000));
    uint64_t done = 0;
    for (uint32_t round = 0; done < operations; round++) {
        chance_state = check_setting("SETT_SEED", 1) * 1000003 + round;
        sett_world* world = begin(false);
        sett_world* peer = begin(false);
        sett_world* other = begin(true);
        sett_snapshot last = take(world);
        for (uint32_t frame = 0; frame < 25 && done < operations; frame++) {
            uint32_t count = below(frame % 8 == 0 ? 2000 : 80);
            run_ahead(world, count);
            sett_snapshot now = take(world);
            unsigned char* bytes;
            size_t size = encode(world, last, now, &bytes);
            CHECK_APPLY(peer, bytes, size);
            CHECK_SAME(world, peer);
            same_future(world, peer);
            CHECK_APPLY(other, bytes, size);
            CHECK_SAME(world, other);
            free(bytes);

            uint32_t alike = below(60);
            sett_snapshot before = take(world);
            run_alike(world, peer, alike);
            CHECK_SAME(world, peer);
            same_future(world, peer);
            CHECK_EQ(sett_snapshot_drop(world, last), SETT_OK);
            CHECK_EQ(sett_snapshot_drop(world, now), SETT_OK);
            last = take(world);
            size = encode(world, before, last, &bytes);
            CHECK_APPLY(other, bytes, size);
            CHECK_SAME(world, other);
            CHECK_EQ(sett_snapshot_drop(world, before), SETT_OK);
            free(bytes);
            done += count + 2 * alike;
            check_print(done, operations);
        }
        sett_world_destroy(world);
        sett_world_destroy(peer);
        sett_world_destroy(other);
    }
}

/* Between any two snapshots of a tree, in either direction. */
static void time_goes_back_as_well(void)
{
    chance_state = check_setting("SETT_SEED", 1) + 17;
    uint64_t log = 0;
    sett_world* world = begin(false);
    sett_snapshot tree[6];
    for (uint32_t k = 0; k < 6; k++) {
        if (k > 2) {
            CHECK_EQ(sett_snapshot_restore(world, tree[below(k)]), SETT_OK);
        }
        for (uint32_t i = 0; i < (k == 0 ? 4000u : 300u); i++) {
            operate(world, &log);
        }
        tree[k] = take(world);
    }
    for (uint32_t pair = 0; pair < 36; pair++) {
        /* or a world that knows nothing yet: all is registered for it, but for groups */
        sett_world* copy = pair % 2 == 0 ? begin(false) : sett_world_create(NULL);
        unsigned char* bytes;
        size_t size = encode(world, tree[pair / 6], tree[pair % 6], &bytes);
        CHECK_EQ(sett_snapshot_restore(world, tree[pair / 6]), SETT_OK);
        CHECK_EQ(sett_world_clone(world, copy), SETT_OK);
        CHECK_APPLY(copy, bytes, size);
        CHECK_EQ(sett_snapshot_restore(world, tree[pair % 6]), SETT_OK);
        CHECK_SAME(world, copy);
        same_future(world, copy);
        sett_world_destroy(copy);
        free(bytes);
    }
    sett_world_destroy(world);
}

/* Applies with ever more blocks; as long as they are too few, nothing is changed. */
static uint32_t apply_until_it_fits(sett_world* world, scarce_memory* memory,
                                    const unsigned char* bytes, size_t size)
{
    uint64_t hash = sett_world_hash(world);
    for (uint32_t allowed = 0;; allowed++) {
        sett_status status = apply_scarcely(world, memory, below(4) * 4096, allowed, bytes, size);
        if (status == SETT_OK) {
            return allowed;
        }
        CHECK_EQ(status, SETT_STATUS_OUT_OF_MEMORY);
        CHECK_EQ(sett_world_hash(world), hash);
        CHECK_VALID(world);
    }
}

static void without_memory_nothing_changes(void)
{
    static scarce_memory memory;
    uint32_t tries = 0;
    chance_state = check_setting("SETT_SEED", 1) + 5;
    sett_world* world = begin(false);
    sett_world* peer = begin_with(scarce_world(&memory), false);
    sett_snapshot last = take(world);
    for (uint32_t frame = 0; frame < 30; frame++) {
        run_ahead(world, below(frame % 8 == 0 ? 2000 : 200));
        sett_snapshot now = take(world);
        unsigned char* bytes;
        size_t size = encode(world, last, now, &bytes);
        tries += apply_until_it_fits(peer, &memory, bytes, size);
        CHECK_SAME(world, peer);
        same_future(world, peer);
        CHECK_EQ(sett_snapshot_drop(world, last), SETT_OK);
        last = now;
        free(bytes);
    }
    CHECK(tries > 60);
    sett_world_destroy(world);
    scarce_end(&memory, peer);
}

/* The limit drops the oldest at any write; the others are what they were. */
static void what_the_limit_leaves_is_whole(void)
{
    enum {
        HELD = 16
    };
    uint64_t operations = check_setting("SETT_OPERATIONS", 160000) / 4; /* the limit is met late */
    uint64_t log = 0;
    uint32_t restored = 0;
    sett_snapshot held[HELD] = {{0, 0}};
    uint64_t hash[HELD];
    chance_state = check_setting("SETT_SEED", 1) + 23;
    sett_world* world = begin(false);
    sett_snapshot_options options = {.memory_limit = 600000};
    CHECK_EQ(sett_snapshot_set_options(world, &options), SETT_OK);
    for (uint64_t k = 0; k < operations; k++) {
        operate(world, &log);
        uint32_t which = below(HELD);
        if (below(25) == 0) {
            if (sett_snapshot_status(world, held[which]) == SETT_OK) {
                CHECK_EQ(sett_snapshot_drop(world, held[which]), SETT_OK);
            }
            held[which] = take(world);
            hash[which] = sett_world_hash(world);
        } else if (below(60) == 0 && sett_snapshot_status(world, held[which]) == SETT_OK) {
            CHECK_EQ(sett_snapshot_restore(world, held[which]), SETT_OK);
            CHECK_EQ(sett_world_hash(world), hash[which]);
            restored++;
        }
        if (k % 64 == 0) {
            CHECK_VALID(world);
        }
    }
    sett_snapshot_stats stats;
    sett_snapshot_stats_get(world, &stats);
    CHECK(stats.lost > 10 && restored > 10);
    sett_world_destroy(world);
}

TEST_MAIN(TEST(what_the_limit_leaves_is_whole), TEST(a_delta_leads_to_the_same_future),
          TEST(time_goes_back_as_well), TEST(without_memory_nothing_changes))

/* Memory runs out at every point of what state.h offers: nothing is changed, or what was lost says
 * so.
 *
 * SPDX-License-Identifier: MIT
 */
#include "owned.h"
#include "states.h"

#include "state/snapshot.h"

enum {
    PLAIN = 1,
    SPARSE,
    OWNED,
    SKIPPED,
    TAG
};

typedef struct bench {
    scarce_memory memory;
    sett_world* world;
    sett_entity e[300];
    sett_snapshot first;
    sett_snapshot second;
    uint64_t hash;
    unsigned char bytes[1 << 19];
    size_t size;
    uint32_t notified;
} bench;

static bench b;

static void register_all(sett_world* world, bool with_owned)
{
    const sett_component_desc types[] = {
        {.name = "plain", .size = 64, .id = PLAIN},
        {.name = "sparse-set", .size = 24, .id = SPARSE, .storage = SETT_STORAGE_SPARSE_SET},
        {.name = "skipped", .size = 8, .id = SKIPPED, .save = SETT_SAVE_SKIP},
        {.name = "tag", .id = TAG},
        {.name = "owned", .id = OWNED, OWNED_TYPE, .move = owned_move},
    };
    for (uint32_t k = 0; k < (with_owned ? 5u : 4u); k++) {
        CHECK_EQ(sett_component_register(world, &types[k]), types[k].id);
    }
}

static void disturb(sett_world* world, uint32_t seed, bool with_owned)
{
    for (uint32_t k = seed % 3; k < 300; k += 1 + seed % 5) {
        sett_component id = 1 + (k + seed) % 5;
        if (id == OWNED && !with_owned) {
            continue;
        }
        if (sett_has(world, b.e[k], id) && k % 4 == 0) {
            CHECK_EQ(sett_remove(world, b.e[k], id), SETT_OK);
        } else if (sett_entity_valid(world, b.e[k])) {
            void* value = sett_ensure(world, b.e[k], id);
            if (id == PLAIN) {
                memset(value, (int)(seed + k), 64);
            } else if (id == OWNED) {
                *((owned*)value)->to = (int)(seed + k);
            }
        }
    }
    CHECK_EQ(sett_entity_destroy(world, b.e[seed]), SETT_OK);
    (void)sett_entity_create(world);
}

static void begin(bool with_owned)
{
    memset(&b, 0, sizeof(b));
    b.world = scarce_world(&b.memory);
    register_all(b.world, with_owned);
    CHECK_EQ(sett_entity_create_many(b.world, 300, NULL, 0, NULL, b.e), SETT_OK);
    for (uint32_t k = 0; k < 6; k++) {
        disturb(b.world, k, with_owned);
    }
}

static void end(void)
{
    scarce_end(&b.memory, b.world);
    CHECK_EQ(owned_alive, 0);
}

static void same_hash(void* user)
{
    (void)user;
    CHECK_EQ(sett_world_hash(b.world), b.hash);
}

static bool step_take(void* user)
{
    (void)user;
    return sett_snapshot_take(b.world, &b.second) == SETT_OK;
}

static void taking_fails_whole(void)
{
    begin(true);
    for (uint32_t round = 0; round < 3; round++) { /* the first makes what later ones have */
        b.hash = sett_world_hash(b.world);
        scarce_run(b.world, &b.memory, step_take, same_hash, NULL);
        disturb(b.world, 10 + round, true);
    }
    CHECK(b.memory.failures != 0);
    end();
}

static void hear(sett_world* world, const sett_restored* items, uint32_t count, void* user)
{
    (void)world;
    (void)items;
    (void)user;
    b.notified = count;
}

static bool step_restore(void* user)
{
    (void)user;
    return sett_snapshot_restore(b.world, b.first) == SETT_OK;
}

static void restoring_fails_whole(void)
{
    begin(true);
    sett_snapshot_options options = {.restored = hear};
    CHECK_EQ(sett_snapshot_set_options(b.world, &options), SETT_OK);
    uint64_t hash = sett_world_hash(b.world);
    CHECK_EQ(sett_snapshot_take(b.world, &b.first), SETT_OK);
    disturb(b.world, 11, true);
    CHECK(step_take(NULL));
    disturb(b.world, 12, true);
    b.hash = sett_world_hash(b.world);
    scarce_run(b.world, &b.memory, step_restore, same_hash, NULL);
    CHECK(b.memory.failures != 0); /* carrying, and telling */
    CHECK(b.notified != 0);
    CHECK_EQ(sett_world_hash(b.world), hash);
    end();
}

/* With too little memory to merge, what was dropped stays, hidden, until there is more. */
static void dropping_never_fails(void)
{
    for (size_t left = 0; left < 4096; left += 64) {
        begin(true);
        sett_snapshot chain[4];
        uint64_t hash[4];
        for (uint32_t k = 0; k < 4; k++) {
            hash[k] = sett_world_hash(b.world);
            CHECK_EQ(sett_snapshot_take(b.world, &chain[k]), SETT_OK);
            disturb(b.world, 10 + k, true);
        }
        scarce_squeeze(&b.world->pool, &b.memory, left);
        b.memory.strict = true;
        CHECK_EQ(sett_snapshot_drop(b.world, chain[2]), SETT_OK);
        CHECK_EQ(sett_snapshot_drop(b.world, chain[1]), SETT_OK);
        scarce_give_back(&b.world->pool, &b.memory);
        CHECK_EQ(sett_world_validate(b.world, NULL), SETT_OK);
        for (uint32_t k = 0; k < 4; k += 3) {
            CHECK_EQ(sett_snapshot_restore(b.world, chain[k]), SETT_OK);
            CHECK_EQ(sett_world_hash(b.world), hash[k]);
        }
        sett_snapshot_stats stats;
        sett_snapshot_stats_get(b.world, &stats);
        CHECK_EQ(stats.hidden, 0);
        end();
    }
}

/* The write goes on, the snapshots are lost and say so, their memory is free. */
static void writing_goes_on(void)
{
    uint32_t lost = 0;
    for (size_t left = 0; left < 40000; left += 512) {
        begin(true);
        CHECK_EQ(sett_snapshot_take(b.world, &b.first), SETT_OK);
        CHECK(step_take(NULL));
        scarce_squeeze(&b.world->pool, &b.memory, left);
        b.memory.strict = true;
        for (uint32_t k = 0; k < 300; k++) {
            unsigned char* value = sett_find_mut(b.world, b.e[k], PLAIN);
            owned* other = sett_find_mut(b.world, b.e[k], OWNED);
            if (value != NULL) {
                memset(value, 0x77, 64);
            }
            if (other != NULL) {
                *other->to = 77;
            }
        }
        scarce_give_back(&b.world->pool, &b.memory);
        CHECK_EQ(sett_world_validate(b.world, NULL), SETT_OK);
        for (uint32_t k = 0; k < 300; k++) {
            const unsigned char* value = sett_find(b.world, b.e[k], PLAIN);
            CHECK(value == NULL || value[63] == 0x77);
        }
        sett_status status = sett_snapshot_status(b.world, b.first);
        CHECK_EQ(status, sett_snapshot_status(b.world, b.second));
        CHECK(status == SETT_OK || status == SETT_STATUS_LOST);
        lost += status == SETT_STATUS_LOST;
        CHECK_EQ(sett_snapshot_restore(b.world, b.first), status);
        sett_snapshot_stats stats;
        sett_snapshot_stats_get(b.world, &stats);
        CHECK(status == SETT_OK || stats.page_size == 0);
        end();
    }
    CHECK(lost != 0);
}

static bool step_encode(void* user)
{
    bool measures = user != NULL;
    CHECK_EQ(sett_entity_set_range(b.world, 1, 0), SETT_STATUS_ARGUMENT); /* another failure */
    sett_status status = sett_delta_encode(b.world, b.first, b.second, measures ? NULL : b.bytes,
                                           sizeof(b.bytes), &b.size);
    CHECK(status == SETT_OK || status == sett_world_error(b.world));
    return status == SETT_OK;
}

static void encoding_fails_whole(void)
{
    begin(false);
    CHECK_EQ(sett_snapshot_take(b.world, &b.first), SETT_OK);
    disturb(b.world, 11, false);
    CHECK(step_take(NULL));
    b.hash = sett_world_hash(b.world);
    scarce_run(b.world, &b.memory, step_encode, same_hash, NULL);
    CHECK(b.memory.failures != 0);
    b.memory.failures = 0;
    scarce_run(b.world, &b.memory, step_encode, same_hash, &b);
    CHECK(b.memory.failures != 0);
    end();
}

/* Memory for keeping pages is held before they are written: what was played can be taken back. */
static void applying_fails_whole(void)
{
    begin(false);
    CHECK_EQ(sett_snapshot_take(b.world, &b.first), SETT_OK);
    uint64_t before = sett_world_hash(b.world);
    for (uint32_t k = 0; k < 5; k++) {
        disturb(b.world, 20 + k, false);
    }
    CHECK(step_take(NULL));
    uint64_t after = sett_world_hash(b.world);
    CHECK(step_encode(NULL));
    CHECK_EQ(sett_snapshot_restore(b.world, b.first), SETT_OK);
    uint32_t failures[4] = {0};
    uint32_t done = 0;
    for (uint32_t allowed = 0; allowed < 4; allowed++) { /* blocks */
        for (size_t left = 0; left < 80000; left += left < 8192 ? 256 : 4096) {
            scarce_memory memory = {.held = 0};
            sett_world* peer = scarce_world(&memory);
            register_all(peer, false);
            CHECK_EQ(sett_world_clone(b.world, peer), SETT_OK);
            sett_status status = apply_scarcely(peer, &memory, left, allowed, b.bytes, b.size);
            CHECK_EQ(sett_world_validate(peer, NULL), SETT_OK);
            CHECK(status == SETT_OK || status == SETT_STATUS_OUT_OF_MEMORY);
            CHECK_EQ(sett_world_hash(peer), status == SETT_OK ? after : before);
            failures[allowed] += status == SETT_STATUS_OUT_OF_MEMORY;
            done += status == SETT_OK;
            scarce_end(&memory, peer);
        }
    }
    CHECK(failures[0] != 0 && failures[1] > 10 && done != 0); /* before it began, and within */
    end();
}

enum {
    ROWS = 1, /* many in a page */
    LARGE     /* pages that do not fit into blocks */
};

static sett_world* ordered_world(scarce_memory* memory)
{
    static const sett_byte_range counted = {0, 32};
    const sett_component_desc types[] = {
        {.name = "rows", .size = 256, .id = ROWS, .keep_order = true},
        {.name = "large",
         .size = 33000,
         .id = LARGE,
         .keep_order = true,
         .bytes = &counted,
         .byte_count = 1},
    };
    sett_world* world = scarce_world(memory);
    for (uint32_t k = 0; k < 2; k++) {
        CHECK_EQ(sett_component_register(world, &types[k]), types[k].id);
    }
    return world;
}

static void same_rows(sett_world* x, sett_world* y, sett_component id)
{
    const setti_storage* a = &setti_world_type(x, id)->storage;
    const setti_storage* c = &setti_world_type(y, id)->storage;
    CHECK_EQ(a->extent, c->extent);
    for (uint32_t row = 0; row < a->extent; row++) {
        CHECK_EQ(*setti_storage_index(a, row), *setti_storage_index(c, row));
    }
}

/* All rows of a type change places: all its pages are written, some freed and made again. Whichever
 * allocation is the first that fails, all others with it, what was done can be taken back, and
 * older snapshots stay. */
static void rows_are_put_in_order_or_back(sett_component id)
{
    const uint32_t count = id == ROWS ? 2000 : 60;
    memset(&b, 0, sizeof(b));
    b.world = ordered_world(&b.memory);
    for (uint32_t k = 0; k < count; k++) {
        sett_entity e = sett_entity_create(b.world);
        memset(sett_add(b.world, e, id), (int)k, 32);
    }
    for (uint32_t k = 0; k < count; k += 3) { /* gaps, which are closed on the way */
        CHECK_EQ(sett_remove(b.world, (sett_entity){k, 1}, id), SETT_OK);
    }
    CHECK_EQ(sett_snapshot_take(b.world, &b.first), SETT_OK);
    uint64_t before = sett_world_hash(b.world);
    for (uint32_t k = 0; k < count; k++) { /* most move to the end, in another order */
        sett_entity e = {k * 7 % count, 1};
        if (e.index % 3 == 1 || e.index % 12 == 2) {
            CHECK_EQ(sett_remove(b.world, e, id), SETT_OK);
            memset(sett_add(b.world, e, id), (int)e.index, 32);
        }
    }
    CHECK_EQ(sett_remove(b.world, (sett_entity){count - 1, 1}, id), SETT_OK);
    CHECK(step_take(NULL));
    uint64_t after = sett_world_hash(b.world);
    CHECK(step_encode(NULL));
    sett_world* end_state = sett_world_create(NULL);
    CHECK_EQ(sett_world_clone(b.world, end_state), SETT_OK);
    CHECK_EQ(sett_snapshot_restore(b.world, b.first), SETT_OK);
    uint32_t failures = 0;
    for (size_t left = 0; left < 40000; left += 13000) {
        bool done = false;
        for (uint32_t allowed = 0; !done; allowed++) {
            scarce_memory memory = {.held = 0};
            sett_world* peer = ordered_world(&memory);
            sett_snapshot kept;
            CHECK_EQ(sett_world_clone(b.world, peer), SETT_OK);
            CHECK_EQ(sett_snapshot_take(peer, &kept), SETT_OK);
            sett_status status = apply_scarcely(peer, &memory, left, allowed, b.bytes, b.size);
            CHECK_EQ(sett_world_validate(peer, NULL), SETT_OK);
            CHECK(status == SETT_OK || status == SETT_STATUS_OUT_OF_MEMORY);
            CHECK_EQ(sett_world_hash(peer), status == SETT_OK ? after : before);
            CHECK_EQ(sett_snapshot_status(peer, kept), SETT_OK);
            failures += status == SETT_STATUS_OUT_OF_MEMORY;
            done = status == SETT_OK;
            if (done) {
                same_rows(peer, end_state, id);
            }
            scarce_end(&memory, peer);
            CHECK(allowed < 2000);
        }
    }
    sett_world_destroy(end_state);
    CHECK(failures > 10);
    end();
}

static void many_rows_are_put_in_order_or_back(void)
{
    rows_are_put_in_order_or_back(ROWS);
}

static void large_rows_are_put_in_order_or_back(void)
{
    rows_are_put_in_order_or_back(LARGE);
}

static void copying_leaves_all_or_nothing(void)
{
    begin(true);
    uint32_t failures = 0;
    bool done = false;
    for (size_t left = 0; !done; left += left < 8192 ? 64 : 1024) {
        scarce_memory memory = {.held = 0};
        sett_world* into = scarce_world(&memory);
        CHECK(sett_entity_create(into).generation != 0);
        scarce_squeeze(&into->pool, &memory, left);
        memory.strict = true;
        sett_status status = sett_world_clone(b.world, into);
        scarce_give_back(&into->pool, &memory);
        CHECK_EQ(sett_world_validate(into, NULL), SETT_OK);
        done = status == SETT_OK;
        if (done) {
            CHECK_EQ(sett_world_hash(into), sett_world_hash(b.world));
        } else {
            CHECK_EQ(status, SETT_STATUS_OUT_OF_MEMORY);
            CHECK(sett_entity_count(into) <= 1); /* while types were made, it was as before */
            failures++;
            CHECK_EQ(sett_world_clone(b.world, into), SETT_OK); /* with memory again */
            CHECK_EQ(sett_world_hash(into), sett_world_hash(b.world));
        }
        scarce_end(&memory, into);
        CHECK(left < 1000000);
    }
    CHECK(failures > 10);
    end();
}

TEST_MAIN(TEST(taking_fails_whole), TEST(restoring_fails_whole), TEST(dropping_never_fails),
          TEST(writing_goes_on), TEST(encoding_fails_whole), TEST(applying_fails_whole),
          TEST(many_rows_are_put_in_order_or_back), TEST(large_rows_are_put_in_order_or_back),
          TEST(copying_leaves_all_or_nothing))

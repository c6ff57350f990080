/* test_skipped.c: values of SETT_SAVE_SKIP types, which own something, through restores and deltas.
 * A value is initialised once and ends once; what exists before and after keeps its value, as a
 * table says that is kept beside.
 *
 * SPDX-License-Identifier: MIT
 */
#include "chance.h"
#include "states.h"

#define ENTITIES 3000
#define FRESH 77 /* what init writes */
#define ALIVE 0x414C4956u
#define ENDED 0xDEADu

typedef struct Skipped {
    uint32_t state;
    uint32_t note;
    unsigned char rest[504];
} Skipped;

enum {
    PLAIN = 1,
    ARRAY, /* of SETT_SAVE_SKIP, as the next ones */
    SPARSE,
    HASHED, /* a sparse set of few */
    TYPES
};

static int64_t alive; /* values that init has made and deinit has not ended, in all worlds */

static void skipped_init(void* values, uint32_t count, void* user)
{
    Skipped* v = values;
    (void)user;
    for (uint32_t k = 0; k < count; k++) {
        v[k].state = ALIVE;
        v[k].note = FRESH;
    }
    alive += count;
}

static void skipped_deinit(void* values, uint32_t count, void* user)
{
    Skipped* v = values;
    (void)user;
    for (uint32_t k = 0; k < count; k++) {
        CHECK_EQ(v[k].state, ALIVE);
        v[k].state = ENDED;
    }
    alive -= count;
}

static void register_types(sett_world* world)
{
    sett_component_desc desc = {.name = "plain", .size = 8, .id = PLAIN};
    CHECK_EQ(sett_component_register(world, &desc), PLAIN);
    static const char* const names[] = {"array", "sparse", "hashed"};
    for (uint32_t k = ARRAY; k < TYPES; k++) {
        desc = (sett_component_desc){.name = names[k - ARRAY],
                                     .size = sizeof(Skipped),
                                     .id = k,
                                     .storage =
                                         k == ARRAY ? SETT_STORAGE_ARRAY : SETT_STORAGE_SPARSE_SET,
                                     .save = SETT_SAVE_SKIP,
                                     .init = skipped_init,
                                     .deinit = skipped_deinit};
        CHECK_EQ(sett_component_register(world, &desc), k);
    }
}

static int64_t count_values(const sett_world* world)
{
    int64_t count = 0;
    for (uint32_t k = ARRAY; k < TYPES; k++) {
        count += sett_component_count(world, k);
    }
    return count;
}

/* What each value is expected to be; 0: the entity has none. */
typedef struct table {
    sett_entity entity[ENTITIES];
    uint32_t note[ENTITIES][TYPES];
} table;

static void table_read(const sett_world* world, table* out)
{
    memset(out, 0, sizeof(*out));
    for (uint32_t k = 0; k < ENTITIES; k++) {
        out->entity[k] = sett_entity_at(world, k);
        for (uint32_t id = ARRAY; id < TYPES; id++) {
            const Skipped* value =
                sett_is_null(out->entity[k]) ? NULL : sett_find(world, out->entity[k], id);
            if (value != NULL) {
                CHECK_EQ(value->state, ALIVE);
                out->note[k][id] = value->note;
            }
        }
    }
}

/* Values of entities that were there before have what they had; others are new. With `lost` all may
 * be new. */
static void table_check(const sett_world* world, const table* before, bool lost)
{
    static table now;
    table_read(world, &now);
    for (uint32_t k = 0; k < ENTITIES; k++) {
        bool same = sett_equals(now.entity[k], before->entity[k]);
        for (uint32_t id = ARRAY; id < TYPES; id++) {
            uint32_t had = same ? before->note[k][id] : 0;
            uint32_t note = now.note[k][id];
            CHECK_MSG(note == 0 || note == (had != 0 ? had : FRESH) || (lost && note == FRESH),
                      "entity %u, type %u: %u, had %u", k, id, note, had);
        }
    }
}

static void set_note(sett_world* world, sett_entity e, sett_component id, uint32_t note)
{
    Skipped* value = sett_ensure(world, e, id);
    CHECK(value != NULL);
    value->note = note;
}

static void disturb(sett_world* world, uint64_t* state, uint32_t times)
{
    for (; times != 0; times--) {
        uint32_t index = chance_below(state, ENTITIES);
        sett_entity e = sett_entity_at(world, index);
        sett_component id = 1 + chance_below(state, HASHED);
        uint32_t what = chance_below(state, 10);
        if (sett_is_null(e) || (id == HASHED && index % 97 != 0)) {
            if (sett_entity_count(world) < ENTITIES) {
                (void)sett_entity_create(world);
            }
        } else if (what == 0) {
            CHECK_EQ(sett_entity_destroy(world, e), SETT_OK);
        } else if (what < 5 && sett_has(world, e, id)) {
            CHECK_EQ(sett_remove(world, e, id), SETT_OK);
        } else if (id == PLAIN) {
            *(uint64_t*)sett_ensure(world, e, PLAIN) = chance_below(state, 1000);
        } else {
            set_note(world, e, id, 1000 + chance_below(state, 1000));
        }
    }
}

static sett_world* begin(sett_world* world)
{
    register_types(world);
    sett_entity e[ENTITIES];
    CHECK_EQ(sett_entity_create_many(world, ENTITIES, NULL, 0, NULL, e), SETT_OK);
    for (uint32_t k = 0; k < ENTITIES; k++) {
        if (k % 4 == 0) {
            set_note(world, e[k], ARRAY, 1000 + k);
        }
        if (k % 3 == 0) {
            set_note(world, e[k], SPARSE, 2000 + k);
        }
        if (k % 97 == 0) {
            set_note(world, e[k], HASHED, 3000 + k);
        }
        *(uint64_t*)sett_ensure(world, e[k], PLAIN) = k;
    }
    CHECK(setti_world_type(world, HASHED)->storage.hashed != 0);
    CHECK(setti_world_type(world, SPARSE)->storage.hashed == 0);
    return world;
}

static void restores_carry_values_by_entity(void)
{
    static table before;
    uint64_t state = check_setting("SETT_SEED", 1);
    sett_world* world = begin(quiet_world());
    sett_snapshot snapshot[4];
    for (uint32_t k = 0; k < 4; k++) {
        snapshot[k] = take(world);
        disturb(world, &state, 1500);
    }
    for (uint32_t round = 0; round < CHECK_ROUNDS(40); round++) {
        table_read(world, &before);
        CHECK_EQ(sett_snapshot_restore(world, snapshot[chance_below(&state, 4)]), SETT_OK);
        CHECK_EQ(alive, count_values(world));
        table_check(world, &before, false);
        CHECK_VALID(world);
        disturb(world, &state, chance_below(&state, 800));
        CHECK_EQ(alive, count_values(world));
    }
    CHECK_END(world);
    CHECK_EQ(alive, 0);
}

/* Deltas bring entities with such values, and end others; the values that they bring are new. */
static void deltas_begin_and_end_values(void)
{
    static table before;
    uint64_t state = check_setting("SETT_SEED", 2);
    sett_world* sender = begin(quiet_world());
    sett_world* receiver = begin(quiet_world());
    for (uint32_t round = 0; round < 12; round++) {
        unsigned char* bytes;
        sett_snapshot from = take(sender);
        disturb(sender, &state, 700);
        sett_snapshot to = take(sender);
        size_t size = encode(sender, from, to, &bytes);
        table_read(receiver, &before);
        CHECK_APPLY(receiver, bytes, size);
        CHECK_SAME(sender, receiver);
        CHECK_EQ(alive, count_values(sender) + count_values(receiver));
        table_check(receiver, &before, false);
        table_read(receiver, &before);
        /* rejected at the end only: it had all been done, and is undone */
        CHECK(sett_delta_apply(receiver, bytes, size) != SETT_OK);
        CHECK_EQ(alive, count_values(sender) + count_values(receiver));
        table_check(receiver, &before, false);
        free(bytes);
        sett_snapshot_drop_all(sender);
    }
    CHECK_END(sender);
    CHECK_END(receiver);
    CHECK_EQ(alive, 0);
}

/* A delta that fails for lack of memory is undone, if need be without the memory that carries
 * values: these are then new. */
static void values_survive_lack_of_memory_or_begin_again(void)
{
    static table before;
    static scarce_memory memory;
    uint64_t state = check_setting("SETT_SEED", 3);
    sett_world* sender = begin(quiet_world());
    unsigned char* bytes;
    sett_snapshot from = take(sender);
    disturb(sender, &state, 4000);
    sett_snapshot to = take(sender);
    size_t size = encode(sender, from, to, &bytes);
    CHECK_EQ(sett_snapshot_restore(sender, from), SETT_OK);
    uint32_t failures = 0;
    uint32_t renewed = 0;
    bool done = false;
    for (uint32_t allowed = 0; !done; allowed += 1 + allowed / 4) {
        memset(&memory, 0, sizeof(memory));
        sett_world* world = begin(scarce_world(&memory));
        uint64_t hash = sett_world_hash(world);
        table_read(world, &before);
        sett_status status = apply_scarcely(world, &memory, 2000, allowed, bytes, size);
        CHECK(status == SETT_OK || status == SETT_STATUS_OUT_OF_MEMORY);
        CHECK_VALID(world);
        CHECK_EQ(alive, count_values(sender) + count_values(world));
        done = status == SETT_OK;
        if (!done) {
            static table now;
            failures++;
            CHECK_EQ(sett_world_hash(world), hash);
            table_read(world, &now);
            renewed += memcmp(&now, &before, sizeof(now)) != 0;
        }
        table_check(world, &before, !done);
        scarce_end(&memory, world);
        CHECK(allowed < 5000);
    }
    CHECK(failures > 3);
    CHECK(renewed != 0);
    free(bytes);
    CHECK_END(sender);
    CHECK_EQ(alive, 0);
}

TEST_MAIN(TEST(restores_carry_values_by_entity), TEST(deltas_begin_and_end_values),
          TEST(values_survive_lack_of_memory_or_begin_again))

/* test_state_bytes.c: the whole state as bytes: a peer that joins by it stays in step.
 *
 * SPDX-License-Identifier: MIT
 */
#include "chance.h"
#include "scarce.h"
#include "sett/sett.h"
#include "worlds.h"

typedef struct Body {
    int32_t x, speed;
} Body;

typedef struct Tally {
    uint32_t fixed, paced, once, spawned;
} Tally;

#define KINDS(COMPONENT, TAG) COMPONENT(Body) COMPONENT(Tally) TAG(Hot, .dont_fragment = true)
SETT_COMPONENTS(KINDS)

static void fixed(sett_context* context)
{
    SETT_SINGLETON_FIND_MUT(context->world, Tally)->fixed++;
    SETT_SYSTEM_FOR(context, b, i) {
        Body* body = &SETT_FIELD_MUT(b, 0, Body)[i];
        body->x += body->speed;
    }
}

static void paced(sett_context* context)
{
    Tally* tally = SETT_SINGLETON_FIND_MUT(context->world, Tally);
    tally->paced++;
    sett_entity made = sett_cmd_create(context->commands);
    Body body = {.speed = (int32_t)(context->frame % 7)};
    sett_cmd_set(context->commands, made, Body_id, &body);
}

static void once(sett_context* context)
{
    SETT_SINGLETON_FIND_MUT(context->world, Tally)->once++;
}

static void prepare(sett_world* world)
{
    CHECK_EQ(SETT_REGISTER_ALL(world, KINDS), SETT_OK);
    SETT_SYSTEM(world, fixed, .terms = {SETT_INOUT(Body)}, .access_any_inout = {Tally_id},
                .fixed_step = 1.0f / 50);
    SETT_SYSTEM(world, paced, .access_any_inout = {Tally_id}, .interval = 0.11f);
    SETT_SYSTEM(world, once, .access_any_inout = {Tally_id}, .run_once = true);
    SETT_SINGLETON_SET(world, Tally, .fixed = 0);
}

static sett_world* peer(void)
{
    sett_world* world = quiet_world();
    prepare(world);
    return world;
}

/* Steps of uneven lengths: what accumulators hold matters in each frame. */
static float length_of(uint32_t frame)
{
    return 0.004f + 0.001f * (float)(frame * 7919u % 29);
}

static size_t encode(sett_world* world, unsigned char** bytes)
{
    size_t size = 0;
    CHECK_EQ(sett_state_encode(world, NULL, 0, &size), SETT_OK);
    *bytes = malloc(size);
    CHECK(*bytes != NULL);
    size_t again = 0;
    CHECK_EQ(sett_state_encode(world, *bytes, size - 1, &again), SETT_STATUS_LIMIT);
    CHECK_EQ(sett_state_encode(world, *bytes, size, &again), SETT_OK);
    CHECK_EQ(again, size);
    return size;
}

static void who_joins_by_state_stays_in_step(void)
{
    sett_world* first = peer();
    sett_world* late = peer();
    uint64_t hash[2];
    for (uint32_t frame = 0; frame < 1200; frame++) {
        if (frame == 200) {
            sett_system* system = sett_system_find(first, "paced");
            sett_system_enable(system, false);
            unsigned char* bytes;
            size_t size = encode(first, &bytes);
            CHECK_EQ(sett_state_apply(late, bytes, size, 0), SETT_OK);
            free(bytes);
            CHECK_EQ(sett_world_frame(late), 200);
            CHECK(!sett_system_is_enabled(sett_system_find(late, "paced")));
            sett_system_enable(system, true);
            sett_system_enable(sett_system_find(late, "paced"), true);
        }
        CHECK_EQ(sett_progress(first, length_of(frame)), SETT_OK);
        if (frame >= 200) {
            CHECK_EQ(sett_progress(late, length_of(frame)), SETT_OK);
            CHECK_EQ(sett_state_hash(first, &hash[0]), SETT_OK);
            CHECK_EQ(sett_state_hash(late, &hash[1]), SETT_OK);
            CHECK_EQ(hash[0], hash[1]);
        }
    }
    const Tally* tally = SETT_SINGLETON_FIND(late, Tally);
    CHECK(tally->once == 1 && tally->fixed > 500 && tally->paced > 100);
    /* what the hash of the world does not cover */
    sett_system_enable(sett_system_find(late, "paced"), false);
    CHECK_EQ(sett_world_hash(first), sett_world_hash(late));
    CHECK_EQ(sett_state_hash(late, &hash[1]), SETT_OK);
    CHECK(hash[0] != hash[1]);
    CHECK_END(late);
    CHECK_END(first);
}

static void wrong_bytes_change_nothing(void)
{
    sett_world* first = peer();
    sett_world* other = peer();
    for (uint32_t frame = 0; frame < 40; frame++) {
        CHECK_EQ(sett_progress(first, 0.05f), SETT_OK);
    }
    CHECK_EQ(sett_progress(other, 0.05f), SETT_OK);
    uint64_t before;
    CHECK_EQ(sett_state_hash(other, &before), SETT_OK);
    unsigned char* bytes;
    size_t size = encode(first, &bytes);
    uint64_t state = check_setting("SETT_SEED", 1);
    for (uint32_t k = 0; k < CHECK_ROUNDS(2000); k++) {
        size_t at = chance_below(&state, (uint32_t)size);
        unsigned char flip = (unsigned char)(1u << chance_below(&state, 8));
        bytes[at] ^= flip;
        size_t cut = k % 4 == 0 ? chance_below(&state, (uint32_t)size) : size;
        if (sett_state_apply(other, bytes, cut, 0) != SETT_OK) {
            uint64_t after;
            CHECK_EQ(sett_state_hash(other, &after), SETT_OK);
            CHECK_EQ(after, before);
        } else { /* the run record has no seal: another time is a time */
            CHECK(at < 200);
            CHECK_EQ(sett_state_hash(other, &before), SETT_OK);
        }
        bytes[at] ^= flip;
    }
    sett_snapshot snapshot;
    CHECK_EQ(sett_snapshot_take(other, &snapshot), SETT_OK);
    CHECK_EQ(sett_state_apply(other, bytes, size, 0), SETT_STATUS_LOCKED);
    sett_snapshot_drop_all(other);
    CHECK_EQ(sett_state_apply(other, bytes, size, 1000), SETT_STATUS_LIMIT);
    CHECK_EQ(sett_state_apply(other, bytes, size, 0), SETT_OK);
    CHECK_EQ(sett_world_hash(other), sett_world_hash(first));
    free(bytes);
    CHECK_END(other);
    CHECK_END(first);
}

typedef struct scarce_state {
    unsigned char* bytes;
    size_t size;
} scarce_state;

static bool apply_scarcely(sett_world* world, void* state)
{
    const scarce_state* s = state;
    sett_status status = sett_state_apply(world, s->bytes, s->size, 0);
    CHECK(status == SETT_OK || status == SETT_STATUS_OUT_OF_MEMORY);
    return status == SETT_OK;
}

/* Every allocation fails once: the world is as it was, or empty. */
static void without_memory_it_fails(void)
{
    static scarce_memory memory;
    sett_world* first = peer();
    for (uint32_t frame = 0; frame < 40; frame++) {
        CHECK_EQ(sett_progress(first, 0.05f), SETT_OK);
    }
    scarce_state state;
    state.size = encode(first, &state.bytes);
    sett_world* world = scarce_world(&memory);
    prepare(world);
    CHECK_EQ(sett_progress(world, 0.05f), SETT_OK);
    uint32_t entities = sett_entity_count(world);
    bool done = false;
    for (uint32_t allowed = 0; !done; allowed++) {
        memory.allowed = allowed;
        memory.closed = true;
        memory.strict = true;
        done = apply_scarcely(world, &state);
        memory.closed = false;
        CHECK(done || sett_entity_count(world) == entities || sett_entity_count(world) == 0);
        entities = sett_entity_count(world);
        CHECK_VALID(world);
    }
    CHECK_EQ(sett_world_hash(world), sett_world_hash(first));
    free(state.bytes);
    scarce_end(&memory, world);
    CHECK_END(first);
}

TEST_MAIN(TEST(without_memory_it_fails), TEST(who_joins_by_state_stays_in_step),
          TEST(wrong_bytes_change_nothing))

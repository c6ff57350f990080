/* test_send.c: members that selections send rounded: sett_member.send.
 *
 * SPDX-License-Identifier: MIT
 */
#include "chance.h"
#include "scarce.h"
#include "sett/sett.h"
#include "worlds.h"

#include <math.h>

typedef struct Turn {
    float part[3];
} Turn;

typedef struct Body {
    char kind; /* and padding */
    double x;
    Turn turn;
    uint32_t id;
    float speed[2];
} Body;

#define TURN SETT_STRUCT(Turn, (part, .send = {.scale = 511, .bits = 10}))
#define KINDS(COMPONENT, TAG)                                                                      \
    COMPONENT(Body, .members = SETT_STRUCT(Body, kind, (x, .send = {.scale = 512, .bits = 18}),    \
                                           (turn, .of = TURN), id,                                 \
                                           (speed, .send = {.scale = 0.1, .bits = 24})))           \
    COMPONENT(Plain, .members = SETT_STRUCT(Plain, x))
typedef struct Plain {
    float x;
} Plain;
SETT_COMPONENTS(KINDS)

#define ENTITIES 150u

static uint64_t chance_state;

static uint32_t below(uint32_t limit)
{
    return chance_below(&chance_state, limit);
}

static sett_world* begin(void)
{
    sett_world* world = quiet_world();
    CHECK_EQ(SETT_REGISTER_ALL(world, KINDS), SETT_OK);
    return world;
}

static double any_number(void)
{
    static const double odd[] = {0.0,       1e30,    -1e30,  INFINITY,
                                 -INFINITY, 255.998, -256.1, 1.0 / 1024};
    uint32_t n = below(20);
    return n == 0 ? (double)NAN : n < 9 ? odd[n - 1] : ((double)below(1000000) - 500000.0) / 2000.0;
}

static void change(sett_world* world)
{
    sett_entity e = sett_entity_at(world, below(ENTITIES));
    uint32_t n = below(20);
    if (n < 4 || sett_is_null(e)) {
        (void)sett_entity_create_handle(world, (sett_entity){below(ENTITIES), 1 + below(3)});
    } else if (n < 5) {
        CHECK_EQ(sett_entity_destroy(world, e), SETT_OK);
    } else if (n < 6) {
        (void)sett_remove(world, e, Body_id);
    } else {
        Body body;
        memset(&body, (int)below(256), sizeof(body)); /* padding */
        body.kind = (char)below(3);
        body.x = any_number();
        for (uint32_t k = 0; k < 3; k++) {
            body.turn.part[k] = (float)any_number();
        }
        for (uint32_t k = 0; k < 2; k++) {
            body.speed[k] = (float)any_number();
        }
        CHECK(sett_set(world, e, Body_id, &body) != NULL);
    }
}

/* What arrives, of a number. */
static double rounded(double number, double scale, uint32_t bits)
{
    double most = (double)((1 << (bits - 1)) - 1);
    double integer = number * scale;
    if (isnan(number) || integer > most || integer < -most) {
        return isnan(number) ? number : (integer > 0 ? most : -most) / scale;
    }
    int64_t down = (int64_t)integer - (integer < 0); /* and what is left, from 0 to 1 */
    double left = integer - (double)down;
    return (double)(down + (left > 0.5 || (left == 0.5 && integer > 0))) / scale;
}

static bool same(double a, double b)
{
    return isnan(a) ? isnan(b) : a == b;
}

static void expect_rounded(sett_world* from, sett_world* into)
{
    for (uint32_t k = 0; k < ENTITIES; k++) {
        sett_entity e = sett_entity_at(from, k);
        const Body* sent = sett_is_null(e) ? NULL : SETT_FIND(from, e, Body);
        const Body* came = sett_entity_valid(into, e) ? SETT_FIND(into, e, Body) : NULL;
        CHECK((sent == NULL) == (came == NULL));
        if (sent == NULL) {
            continue;
        }
        CHECK(came->kind == sent->kind && came->id == sent->id);
        CHECK_MSG(same(came->x, rounded(sent->x, 512, 18)), "%.17g becomes %.17g", sent->x,
                  came->x);
        for (uint32_t n = 0; n < 3; n++) {
            CHECK(same((double)came->turn.part[n],
                       (double)(float)rounded((double)sent->turn.part[n], 511, 10)));
        }
        for (uint32_t n = 0; n < 2; n++) {
            CHECK(same((double)came->speed[n],
                       (double)(float)rounded((double)sent->speed[n], 0.1, 24)));
        }
    }
}

static uint64_t sum_of(sett_world* world)
{
    uint64_t sum;
    CHECK_EQ(sett_selection_hash(world, &(sett_selection){0}, true, &sum), SETT_OK);
    return sum;
}

static unsigned char bytes[65536];

static size_t encode(sett_world* world, const sett_selection* part, sett_snapshot since)
{
    size_t size;
    CHECK_MSG(sett_selection_encode(world, part, since, bytes, sizeof(bytes), &size) == SETT_OK,
              "%s", sett_world_message(world));
    return size;
}

/* What arrives is rounded, from bytes as from a copy; what is sent on is what arrived. */
static void numbers_arrive_rounded(void)
{
    chance_state = check_setting("SETT_SEED", 1);
    const sett_selection all = {0};
    sett_world* from = begin();
    sett_world* applied = begin();
    sett_world* copied = begin();
    sett_world* second = begin();
    sett_snapshot since = {0, 0};
    sett_entity list[2 * ENTITIES];
    for (uint32_t step = 0; step < CHECK_ROUNDS(400); step++) {
        sett_selection part = {.entities = list};
        for (uint32_t round = 0; round < 2; round++) {
            for (uint32_t k = 0; k < ENTITIES; k++) {
                sett_entity e = sett_entity_at(from, k);
                list[part.entity_count] = e;
                part.entity_count += !sett_is_null(e);
            }
            for (uint32_t more = round == 0 ? below(30) : 0; more > 0; more--) {
                change(from);
            }
        }
        size_t size = encode(from, &part, since);
        CHECK_MSG(sett_selection_apply(applied, bytes, size, &part) == SETT_OK, "%s",
                  sett_world_message(applied));
        CHECK_EQ(sett_selection_copy(from, &part, 0, copied), SETT_OK);
        expect_rounded(from, applied);
        CHECK_EQ(sum_of(applied), sum_of(copied));
        size = encode(applied, &all, (sett_snapshot){0, 0});
        sett_world_destroy(second);
        second = begin();
        CHECK_EQ(sett_selection_apply(second, bytes, size, NULL), SETT_OK);
        CHECK_EQ(sum_of(second), sum_of(applied));
        sett_snapshot_drop_all(from);
        CHECK_EQ(sett_snapshot_take(from, &since), SETT_OK);
    }
    sett_snapshot_drop_all(from);
    CHECK_END(from);
    CHECK_END(applied);
    CHECK_END(copied);
    CHECK_END(second);
}

/* A value takes so many bytes as its members say; one that is rounded to what it was, none. */
static void few_bytes_are_sent(void)
{
    sett_world* world = begin();
    sett_entity e[2];
    CHECK_EQ(sett_entity_create_many(world, 2, NULL, 0, NULL, e), SETT_OK);
    CHECK(SETT_SET(world, e[0], Body, .x = 3) != NULL && SETT_SET(world, e[1], Plain, 5) != NULL);
    const sett_selection part = {.entities = e, .entity_count = 2};
    sett_snapshot since;
    CHECK_EQ(sett_snapshot_take(world, &since), SETT_OK);
    size_t none = encode(world, &part, since);
    SETT_GET_MUT(world, e[0], Body)->x += 1.0 / 2048;
    CHECK_EQ(encode(world, &part, since), none);
    SETT_GET_MUT(world, e[0], Body)->x += 1.0 / 512;
    size_t numbers = 8 + 3 * 4 + 2 * 4;
    size_t bits = 18 + 3 * 10 + 2 * 24;
    size_t value = sizeof(Body) - numbers + (bits + 7) / 8;
    CHECK_EQ(encode(world, &part, since), none + 9 + 43 + strlen("Body") + 5 + value);
    unsigned char table[1024]; /* for both kinds of records */
    unsigned char packet[256];
    size_t known;
    size_t sent;
    CHECK_EQ(sett_delta_types(world, NULL, 0, table, sizeof(table), &known), SETT_OK);
    CHECK_EQ(sett_delta_shorten(world, table, known, bytes, encode(world, &part, since), packet,
                                sizeof(packet), &sent),
             SETT_OK);
    CHECK(sent <= 12 + 2 * 9 + 5 + value);
    sett_snapshot_drop_all(world);
    CHECK_END(world);
}

/* Deltas are exact, as the hashes that they compare. */
static void deltas_are_not_rounded(void)
{
    sett_world* from = begin();
    sett_world* into = begin();
    sett_snapshot a;
    sett_snapshot b;
    CHECK_EQ(sett_snapshot_take(from, &a), SETT_OK);
    sett_entity e = sett_entity_create(from);
    CHECK(SETT_SET(from, e, Body, .x = 0.3) != NULL);
    CHECK_EQ(sett_snapshot_take(from, &b), SETT_OK);
    size_t size;
    CHECK_EQ(sett_delta_encode(from, a, b, bytes, sizeof(bytes), &size), SETT_OK);
    CHECK_EQ(sett_delta_apply(into, bytes, size), SETT_OK);
    CHECK(SETT_GET(into, e, Body)->x == SETT_GET(from, e, Body)->x);
    sett_snapshot_drop_all(from);
    CHECK_END(from);
    CHECK_END(into);
}

/* Both ends round alike, and bytes that were damaged change nothing. */
static void what_is_wrong_changes_nothing(void)
{
    chance_state = check_setting("SETT_SEED", 1);
    sett_world* from = begin();
    sett_world* into = begin();
    for (uint32_t k = 0; k < 300; k++) {
        change(from);
    }
    size_t size = encode(from, &(sett_selection){0}, (sett_snapshot){0, 0});
    sett_world* other = quiet_world();
    CHECK(sett_component_register(
              other, &(sett_component_desc){
                         SETT_TYPE(Body), .members = SETT_STRUCT(
                                              Body, kind, (x, .send = {.scale = 256, .bits = 18}),
                                              (turn, .of = TURN), id,
                                              (speed, .send = {.scale = 0.1, .bits = 24}))}) != 0);
    CHECK_EQ(sett_selection_apply(other, bytes, size, NULL), SETT_STATUS_CONFLICT);
    CHECK_MSG(strstr(sett_world_message(other), "\"Body\"") != NULL, "%s",
              sett_world_message(other));
    uint64_t hash = sett_world_hash(into);
    for (uint32_t k = 0; k < CHECK_ROUNDS(3000); k++) {
        uint32_t at = below((uint32_t)size);
        unsigned char flip = (unsigned char)(1u << below(8));
        bytes[at] ^= flip;
        bool hashes = at >= 8 && at < 24; /* a part has none */
        CHECK((sett_selection_apply(into, bytes, below(3) == 0 ? at : size, NULL) == SETT_OK) <=
              hashes);
        bytes[at] ^= flip;
        if (hashes) {
            CHECK_EQ(sett_world_clear(into), SETT_OK);
            CHECK_END(into);
            into = begin();
        }
    }
    CHECK_EQ(sett_world_hash(into), hash);
    CHECK_END(other);
    CHECK_END(from);
    CHECK_END(into);
}

typedef struct Owner {
    sett_string text;
    float x;
} Owner;

/* How numbers cannot be sent. */
static void misuse_is_rejected(void)
{
    static const sett_member_send wrong[] = {{0, 8}, {8, 0}, {-1, 8}, {1, 1}, {1, 25}, {1e31, 8}};
    sett_world* world = quiet_world();
    for (uint32_t k = 0; k < sizeof(wrong) / sizeof(wrong[0]); k++) {
        const sett_component_desc desc = {
            SETT_TYPE(Plain),
            .members = &(sett_struct){
                "Plain", sizeof(Plain), 1,
                &(sett_member){.name = "x", .kind = SETT_MEMBER_F32, .size = 4, .send = wrong[k]},
                sett_members_link_}};
        CHECK_EQ(sett_component_register(world, &desc), 0);
        CHECK_MSG(strstr(sett_world_message(world), "is sent rounded, and needs") != NULL, "%s",
                  sett_world_message(world));
    }
    CHECK_EQ(sett_component_register(
                 world, &(sett_component_desc){SETT_TYPE(Body),
                                               .members = SETT_STRUCT(
                                                   Body, kind, x, (turn, .of = TURN),
                                                   (id, .send = {.scale = 1, .bits = 8}), speed)}),
             0);
    CHECK(strstr(sett_world_message(world), "neither f32 nor f64") != NULL);
    CHECK_EQ(sett_component_register(
                 world,
                 &(sett_component_desc){
                     SETT_TYPE(Owner),
                     .members = SETT_STRUCT(Owner, text, (x, .send = {.scale = 1, .bits = 8}))}),
             0);
    CHECK(strstr(sett_world_message(world), "has strings or lists") != NULL);
    CHECK_END(world);
}

static sett_world* scarce_from;

static bool encode_scarcely(void* user)
{
    size_t size;
    sett_world* world = user;
    return sett_selection_encode(world, &(sett_selection){0}, (sett_snapshot){0, 0}, bytes,
                                 sizeof(bytes), &size) == SETT_OK;
}

static bool copy_scarcely(void* user)
{
    return sett_selection_copy(scarce_from, &(sett_selection){0}, 0, user) == SETT_OK;
}

static void memory_may_run_out(void)
{
    static bool (*const steps[])(void*) = {encode_scarcely, copy_scarcely};
    static scarce_memory memory;
    chance_state = check_setting("SETT_SEED", 1);
    for (uint32_t round = 0; round < 2; round++) {
        sett_world* world = scarce_world(&memory);
        CHECK_EQ(SETT_REGISTER_ALL(world, KINDS), SETT_OK);
        scarce_from = begin();
        for (uint32_t k = 0; k < 300; k++) {
            change(round == 0 ? world : scarce_from);
        }
        uint64_t hash = sett_world_hash(world);
        uint32_t failures = 0;
        for (bool done = false; !done; failures += !done) {
            scarce_squeeze(&world->pool, &memory, 0);
            memory.strict = true;
            memory.allowed = failures;
            done = steps[round](world);
            memory.allowed = 0;
            scarce_give_back(&world->pool, &memory);
            CHECK(done || sett_world_error(world) == SETT_STATUS_OUT_OF_MEMORY);
            CHECK((done && round == 1) || sett_world_hash(world) == hash);
            CHECK_VALID(world);
        }
        CHECK(failures != 0);
        CHECK_END(world);
        CHECK_END(scarce_from);
        CHECK_EQ(memory.held, 0);
    }
}

TEST_MAIN(TEST(numbers_arrive_rounded), TEST(few_bytes_are_sent), TEST(deltas_are_not_rounded),
          TEST(what_is_wrong_changes_nothing), TEST(misuse_is_rejected), TEST(memory_may_run_out))

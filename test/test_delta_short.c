/* test_delta_short.c: deltas and selections between two ends that know a table of types.
 *
 * SPDX-License-Identifier: MIT
 */
#include "chance.h"
#include "sett/sett.h"
#include "state/delta_reader.h"
#include "state/delta_writer.h"
#include "states.h"
#include "worlds.h"

typedef struct Body {
    float x, y;
} Body;
typedef struct Step {
    int32_t at[2];
} Step;

#define KINDS(COMPONENT, TAG)                                                                      \
    COMPONENT(Body, .members = SETT_STRUCT(Body, x, y))                                            \
    COMPONENT(Step, .members = SETT_STRUCT(Step, at))                                              \
    TAG(Hot)                                                                                       \
    TAG(Likes, .relationship = SETT_RELATIONSHIP(.many = true))
SETT_COMPONENTS(KINDS)

static uint64_t chance_state;

static uint32_t below(uint32_t limit)
{
    return chance_below(&chance_state, limit);
}

static sett_world* begin(void)
{
    sett_world* world = quiet_world();
    CHECK_EQ(SETT_REGISTER_ALL(world, KINDS), SETT_OK);
    CHECK(sett_name_register(world) != 0 && sett_hierarchy_register(world, NULL) != 0);
    return world;
}

static void change(sett_world* world)
{
    sett_entity e = sett_entity_at(world, below(40));
    sett_entity other = sett_entity_at(world, below(40));
    uint32_t n = below(10);
    char name[16];
    if (n < 3 || sett_is_null(e) || sett_is_null(other)) {
        (void)sett_entity_create_handle(world, (sett_entity){below(40), 1 + below(3)});
    } else if (n < 4) {
        CHECK_EQ(sett_entity_destroy(world, e), SETT_OK);
    } else if (n < 7) {
        SETT_SET(world, e, Body, (float)below(100), 1);
    } else if (n < 8) {
        (void)(below(2) == 0 ? sett_ensure(world, e, Hot_id)
                             : sett_relate(world, e, Likes_id, other));
    } else if (n < 9) {
        (void)sett_hierarchy_attach(world, e, other); /* may be a circle */
    } else {
        snprintf(name, sizeof(name), "n%u", (unsigned)e.index);
        CHECK_EQ(sett_name_set(world, e, name), SETT_OK);
    }
}

typedef struct table {
    unsigned char bytes[2048];
    size_t size;
} table;

static table make_table(sett_world* world)
{
    table made;
    size_t size;
    CHECK_EQ(sett_delta_types(world, NULL, 0, NULL, 0, &size), SETT_OK);
    CHECK_EQ(sett_delta_types(world, NULL, 0, made.bytes, size - 1, &made.size), SETT_STATUS_LIMIT);
    CHECK_EQ(sett_delta_types(world, NULL, 0, made.bytes, sizeof(made.bytes), &made.size), SETT_OK);
    CHECK_EQ(made.size, size);
    return made;
}

static unsigned char packet[65536];
static unsigned char whole[65536];

static size_t shorten(sett_world* world, const table* types, const unsigned char* bytes,
                      size_t size)
{
    size_t sent;
    CHECK_MSG(sett_delta_shorten(world, types->bytes, types->size, bytes, size, packet,
                                 sizeof(packet), &sent) == SETT_OK,
              "%s", sett_world_message(world));
    return sent;
}

static sett_status expand(sett_world* world, const table* types, size_t sent, size_t* size)
{
    return sett_delta_expand(world, types->bytes, types->size, packet, sent, whole, sizeof(whole),
                             size);
}

/* Random deltas arrive: all bytes are as they were, but the upper halves of the hashes. */
static void deltas_come_back(void)
{
    chance_state = check_setting("SETT_SEED", 1);
    sett_world* sender = begin();
    sett_world* receiver = begin();
    const table types = make_table(sender);
    sett_snapshot before = take(sender);
    for (uint32_t round = 0; round < CHECK_ROUNDS(1000); round++) {
        for (uint32_t more = below(12); more > 0; more--) {
            change(sender);
        }
        unsigned char* bytes;
        size_t came;
        sett_snapshot after = take(sender);
        size_t size = encode(sender, before, after, &bytes);
        size_t sent = shorten(sender, &types, bytes, size);
        CHECK_MSG(expand(receiver, &types, sent, &came) == SETT_OK, "%s",
                  sett_world_message(receiver));
        CHECK_EQ(came, size);
        CHECK(memcmp(whole + SETTI_DELTA_SEAL - 8, bytes + SETTI_DELTA_SEAL - 8, size - 24) == 0);
        CHECK(memcmp(whole + 8, bytes + 8, 4) == 0 && memcmp(whole + 16, bytes + 16, 4) == 0);
        CHECK_APPLY(receiver, whole, came);
        CHECK_EQ(sett_world_hash(receiver), sett_world_hash(sender));
        if (size > SETTI_DELTA_HEAD) { /* and half of a hash is compared */
            CHECK_EQ(sett_delta_apply(receiver, whole, came), SETT_STATUS_CONFLICT);
        }
        CHECK_EQ(sett_snapshot_drop(sender, before), SETT_OK);
        before = after;
        free(bytes);
    }
    sett_snapshot_drop_all(sender);
    CHECK_END(sender);
    CHECK_END(receiver);
}

/* The bytes beside the values: at most 20 with one type, 12 of a selection. */
static void heads_are_small(void)
{
    sett_world* world = begin();
    sett_entity made[300];
    CHECK_EQ(sett_entity_create_many(world, 300, NULL, 0, NULL, made), SETT_OK);
    const sett_snapshot none = {0, 0};
    for (uint32_t k = 0; k < 300; k++) {
        SETT_SET(world, made[k], Body, .x = (float)k);
    }
    const table types = make_table(world);
    sett_snapshot a = take(world);
    for (uint32_t k = 0; k < 300; k += 3) {
        SETT_SET(world, made[k], Body, .x = -1);
    }
    unsigned char* bytes;
    size_t size = encode(world, a, take(world), &bytes);
    size_t head = SETTI_DELTA_HEAD + 43 + strlen("Body");
    size_t sent = shorten(world, &types, bytes, size);
    CHECK_MSG(sent + head <= size + 20, "%zu of %zu bytes", sent, size);
    size_t came;
    CHECK_EQ(expand(world, &types, sent, &came), SETT_OK);
    CHECK_EQ(came, size);
    free(bytes);
    const sett_selection part = {
        .entities = made, .entity_count = 10, .types = &(sett_component){Body_id}, .type_count = 1};
    static unsigned char encoded[4096];
    CHECK_EQ(sett_selection_encode(world, &part, none, encoded, sizeof(encoded), &size), SETT_OK);
    sent = shorten(world, &types, encoded, size);
    CHECK_MSG(sent + head <= size + 12, "%zu of %zu bytes", sent, size);
    CHECK_EQ(expand(world, &types, sent, &came), SETT_OK);
    CHECK(came == size && memcmp(whole, encoded, size) == 0);
    sett_snapshot_drop_all(world);
    CHECK_END(world);
}

/* Bytes of which some are small come back, at any length; what was cut off or altered is seen, or
 * gives other bytes, which the seal sees. */
static void bytes_are_packed(void)
{
    static unsigned char bytes[700];
    static unsigned char out[800];
    static unsigned char back[700];
    chance_state = check_setting("SETT_SEED", 1);
    for (uint32_t round = 0; round < CHECK_ROUNDS(3000); round++) {
        const size_t size = below(8) == 0 ? below(700) : below(140);
        for (size_t k = 0, width = 8; k < size; k++) {
            width = below(20) == 0 ? 1 + below(8) : width;
            bytes[k] = (unsigned char)(below(1u << width) - (1u << width) / 2 + (below(30) == 0));
        }
        setti_delta_writer to = {.out = out, .capacity = sizeof(out)};
        setti_delta_pack(&to, bytes, size);
        CHECK_EQ(to.size, setti_delta_packed(bytes, size));
        CHECK(to.size <= size + (size + 127) / 128);
        const size_t sent = to.size;
        setti_delta_reader from = {out, out + sent, false};
        to = (setti_delta_writer){.out = back, .capacity = sizeof(back)};
        setti_delta_unpack(&from, size, &to);
        CHECK(!from.short_of && from.at == from.end && to.size == size);
        CHECK(memcmp(back, bytes, size) == 0);
        if (sent == 0) {
            continue;
        }
        const size_t cut = below((uint32_t)sent);
        from = (setti_delta_reader){out, out + cut, false};
        to.size = 0;
        setti_delta_unpack(&from, size, &to);
        CHECK(from.short_of && to.size <= size);
        out[cut] ^= (unsigned char)(1u << below(8));
        from = (setti_delta_reader){out, out + sent, false};
        to.size = 0;
        setti_delta_unpack(&from, size, &to);
        CHECK(from.short_of || from.at != from.end || memcmp(back, bytes, size) != 0);
    }
}

/* Bodies that move a little take 8 of 10 bytes: the second bytes of coordinates are -1 to 1. */
static void small_steps_take_few_bits(void)
{
    sett_world* world = begin();
    sett_entity made[300];
    CHECK_EQ(sett_entity_create_many(world, 300, NULL, 0, NULL, made), SETT_OK);
    chance_state = 1;
    for (uint32_t k = 0; k < 300; k++) {
        SETT_SET(world, made[k], Step, {(int32_t)below(100000), (int32_t)below(100000)});
    }
    const table types = make_table(world);
    sett_snapshot a = take(world);
    for (uint32_t k = 0; k < 300; k++) {
        Step* step = SETT_GET_MUT(world, made[k], Step);
        step->at[0] += (int32_t)below(200) - 100;
        step->at[1] += (int32_t)below(200) - 100;
    }
    unsigned char* bytes;
    size_t size = encode(world, a, take(world), &bytes);
    size_t sent = shorten(world, &types, bytes, size);
    size_t came;
    CHECK_MSG(sent * 10 < (size - SETTI_DELTA_HEAD - 43) * 8 + 300, "%zu of %zu bytes", sent, size);
    CHECK_EQ(expand(world, &types, sent, &came), SETT_OK);
    CHECK_EQ(came, size);
    free(bytes);
    sett_snapshot_drop_all(world);
    CHECK_END(world);
}

/* What the table has not, or has otherwise, travels as it is. */
static void tables_may_be_old(void)
{
    sett_world* sender = begin();
    sett_world* receiver = begin();
    const table types = make_table(sender);
    sett_snapshot a = take(sender);
    const sett_component_desc desc = {.name = "Late", .size = 4};
    sett_component late = sett_component_register(sender, &desc);
    CHECK(late != 0 && sett_component_register(receiver, &desc) == late);
    sett_entity e = sett_entity_create(sender);
    CHECK(sett_add(sender, e, late) != NULL && sett_add(sender, e, Hot_id) != NULL);
    unsigned char* bytes;
    size_t size = encode(sender, a, take(sender), &bytes);
    size_t came;
    CHECK_EQ(expand(receiver, &types, shorten(sender, &types, bytes, size), &came), SETT_OK);
    CHECK_APPLY(receiver, whole, came);
    CHECK(sett_has(receiver, e, late) && sett_has(receiver, e, Hot_id));
    const table newer = make_table(sender);
    size_t sent = shorten(sender, &newer, bytes, size);
    CHECK_EQ(expand(receiver, &types, sent, &came), SETT_STATUS_INVALID);
    CHECK(strstr(sett_world_message(receiver), "the bytes do not fit `types`") != NULL);
    sett_world* swapped = quiet_world(); /* other types under these numbers */
    for (uint32_t k = 0; k < 12; k++) {
        char name[16];
        snprintf(name, sizeof(name), "other%u", (unsigned)k);
        CHECK(sett_component_register(swapped, &(sett_component_desc){.name = name}) != 0);
    }
    const table other = make_table(swapped);
    CHECK_EQ(expand(receiver, &other, sent, &came), SETT_STATUS_INVALID);
    CHECK(strstr(sett_world_message(receiver), "were shortened with another table - ") != NULL);
    free(bytes);
    CHECK_END(swapped);
    sett_snapshot_drop_all(sender);
    CHECK_END(sender);
    CHECK_END(receiver);
}

static void what_is_wrong_is_said(void)
{
    chance_state = check_setting("SETT_SEED", 1);
    sett_world* world = begin();
    const table types = make_table(world);
    sett_snapshot a = take(world);
    for (uint32_t k = 0; k < 300; k++) {
        change(world);
    }
    unsigned char* bytes;
    size_t size = encode(world, a, take(world), &bytes);
    size_t sent = shorten(world, &types, bytes, size);
    size_t measured;
    CHECK_EQ(sett_delta_shorten(world, types.bytes, types.size, bytes, size, NULL, 0, &measured),
             SETT_OK);
    CHECK_EQ(measured, sent);
    CHECK_EQ(
        sett_delta_shorten(world, types.bytes, types.size, bytes, size, whole, sent - 1, &measured),
        SETT_STATUS_LIMIT);
    CHECK_EQ(sett_delta_expand(world, types.bytes, types.size, packet, sent, NULL, 0, &measured),
             SETT_OK);
    CHECK_EQ(measured, size);
    CHECK_EQ(
        sett_delta_expand(world, types.bytes, types.size, packet, sent, whole, size - 1, &measured),
        SETT_STATUS_LIMIT);
    CHECK_EQ(
        sett_delta_shorten(world, types.bytes, types.size, NULL, size, packet, size, &measured),
        SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_delta_shorten(world, bytes, size, bytes, size, packet, size, &measured),
             SETT_STATUS_INVALID);
    CHECK(strstr(sett_world_message(world), "not a table of types") != NULL);
    sent = shorten(world, &types, bytes, size);
    uint64_t hash = sett_world_hash(world);
    for (uint32_t k = 0; k < CHECK_ROUNDS(5000); k++) {
        uint32_t at = below((uint32_t)sent);
        unsigned char flip = (unsigned char)(1u << below(8));
        packet[at] ^= flip;
        bool hashes = at >= 5 && at < 13; /* compared by sett_delta_apply */
        CHECK((expand(world, &types, below(4) == 0 ? at : sent, &measured) == SETT_OK) <= hashes);
        packet[at] ^= flip;
        at = below((uint32_t)size);
        bytes[at] ^= flip; /* harmless, if not seen */
        (void)sett_delta_shorten(world, types.bytes, types.size, bytes, size, whole, sizeof(whole),
                                 &measured);
        bytes[at] ^= flip;
    }
    CHECK_EQ(sett_world_hash(world), hash);
    free(bytes);
    sett_snapshot_drop_all(world);
    CHECK_END(world);
}

TEST_MAIN(TEST(deltas_come_back), TEST(heads_are_small), TEST(bytes_are_packed),
          TEST(small_steps_take_few_bits), TEST(tables_may_be_old), TEST(what_is_wrong_is_said))

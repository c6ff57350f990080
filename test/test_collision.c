/* test_collision.c: texts that were made to have one hash of 64 bits. A world takes some of them
 * and rejects the rest, so that names, types and paths that a player or a file brings cannot make
 * look-ups slow.
 *
 * SPDX-License-Identifier: MIT
 */
#include "states.h"

#include "base/hash_map.h"
#include "sett/hierarchy.h"
#include "sett/json.h"
#include "sett/name.h"
#include "world/world.h"

#include <stdio.h>

/* FNV-1a is (state ^ byte) * FNV for each byte. Two states that differ by d, and then get bytes
 * that change their difference by e, differ by (d + e) * FNV. So STEPS pairs of bytes that change
 * it by `change` make two equal states of one: the sum of change[k] * FNV^(STEPS - k) is 0 modulo
 * 2^64. (These were found by reducing a lattice.) From any state there are such bytes among
 * letters, digits and signs. Of n blocks of bytes, each one of such a pair, there are 2^n texts
 * with one hash. */
#define FNV 0x100000001B3u
#define STEPS 10
#define BLOCKS 7
#define TEXTS (1u << BLOCKS)
#define TEXT_SIZE (BLOCKS * STEPS + 8)

static const int change[STEPS] = {50, 7, 10, 14, -29, 3, 34, 22, 50, 9};

typedef struct text_blocks {
    char prefix[8];
    char block[BLOCKS][2][STEPS];
} text_blocks;

static bool make_steps(uint64_t a, uint64_t b, uint32_t step, char (*block)[STEPS], uint64_t* end)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  "!$%&()*+,-:;<=>?@[]^_{|}~";
    if (step == STEPS) {
        *end = a;
        return a == b;
    }
    for (const char* x = letters; *x != '\0'; x++) {
        for (const char* y = letters; *y != '\0'; y++) {
            uint64_t next_a = a ^ (unsigned char)*x;
            uint64_t next_b = b ^ (unsigned char)*y;
            if (next_b - next_a == b - a + (uint64_t)(int64_t)change[step] &&
                make_steps(next_a * FNV, next_b * FNV, step + 1, block, end)) {
                block[0][step] = *x;
                block[1][step] = *y;
                return true;
            }
        }
    }
    return false;
}

/* Texts behind a prefix: all have one hash. */
static text_blocks make_texts(const char* prefix)
{
    text_blocks made;
    uint64_t state = 0xCBF29CE484222325u;
    snprintf(made.prefix, sizeof(made.prefix), "%s", prefix);
    for (; *prefix != '\0'; prefix++) {
        state = (state ^ (unsigned char)*prefix) * FNV;
    }
    for (uint32_t k = 0; k < BLOCKS; k++) {
        CHECK(make_steps(state, state, 0, made.block[k], &state));
    }
    return made;
}

/* Text `number`, until the next call. */
static const char* text_of(const text_blocks* of, uint32_t number)
{
    static char out[TEXT_SIZE];
    size_t length = strlen(of->prefix);
    memcpy(out, of->prefix, length);
    for (uint32_t k = 0; k < BLOCKS; k++, length += STEPS) {
        memcpy(out + length, of->block[k][number >> k & 1], STEPS);
    }
    out[length] = '\0';
    return out;
}

static void texts_have_one_hash(void)
{
    text_blocks texts = make_texts("");
    char last[TEXT_SIZE];
    snprintf(last, sizeof(last), "%s", text_of(&texts, 0));
    for (uint32_t k = 1; k < TEXTS; k++) {
        const char* text = text_of(&texts, k);
        CHECK_EQ(setti_hash_bytes(text, strlen(text)), setti_hash_bytes(last, strlen(last)));
        CHECK(strcmp(text, last) != 0);
        snprintf(last, sizeof(last), "%s", text);
    }
}

/* A world, and texts with one hash. */
static sett_world* begin(text_blocks* texts)
{
    *texts = make_texts("");
    return quiet_world();
}

/* Every name that was taken leads to its entity, and no other does. */
static void check_found(sett_world* world, const text_blocks* texts, const sett_entity* named)
{
    for (uint32_t k = 0; k < TEXTS; k++) {
        const char* text = text_of(texts, k);
        sett_entity found = sett_name_find(world, sett_null(), text);
        CHECK_ENTITY_EQ(found, k < SETTI_HASH_STEPS ? named[k] : sett_null());
        if (k < SETTI_HASH_STEPS) {
            CHECK_STR_EQ(sett_name_get(world, named[k]), text);
        }
    }
    CHECK_VALID(world);
}

static void names_of_one_hash_are_bounded(void)
{
    text_blocks texts;
    sett_world* world = begin(&texts);
    sett_entity named[SETTI_HASH_STEPS];
    for (uint32_t k = 0; k < SETTI_HASH_STEPS; k++) {
        named[k] = sett_entity_create(world);
        CHECK_EQ(sett_name_set(world, named[k], text_of(&texts, k)), SETT_OK);
    }
    sett_entity late = sett_entity_create(world);
    for (uint32_t k = SETTI_HASH_STEPS; k < TEXTS; k++) {
        CHECK_EQ(sett_name_set(world, late, text_of(&texts, k)), SETT_STATUS_LIMIT);
        CHECK(strstr(sett_world_message(world),
                     "has the same hash as 64 other names, which is the limit") != NULL);
        CHECK(sett_name_get(world, late) == NULL);
    }
    check_found(world, &texts, named);
    CHECK_EQ(sett_name_set(world, named[0], text_of(&texts, 1)), SETT_STATUS_CONFLICT);

    /* a restore builds the tables anew */
    sett_snapshot before = take(world);
    uint64_t hash = sett_world_hash(world);
    for (uint32_t k = 0; k < SETTI_HASH_STEPS; k += 3) {
        CHECK_EQ(sett_entity_destroy(world, named[k]), SETT_OK);
    }
    CHECK_EQ(sett_snapshot_restore(world, before), SETT_OK);
    CHECK_EQ(sett_world_hash(world), hash);

    /* a system without the tables, for which the frame had no memory, searches the texts */
    world->running = "Find";
    check_found(world, &texts, named);
    world->running = NULL;
    check_found(world, &texts, named);
    sett_snapshot_drop_all(world);

    /* another world gets them, which has one of them already */
    sett_world* other = quiet_world();
    CHECK_EQ(sett_world_clone(world, other), SETT_OK);
    check_found(other, &texts, named);
    CHECK_END(other);

    /* unused texts go, from the last one on, and make room for others */
    for (uint32_t k = 0; k < SETTI_HASH_STEPS; k++) {
        CHECK_EQ(sett_entity_destroy(world, named[k]), SETT_OK);
    }
    for (uint32_t k = 0; k <= SETTI_HASH_STEPS; k++) {
        CHECK_EQ(sett_world_trim(world), SETT_OK);
    }
    CHECK_EQ(sett_name_set(world, late, text_of(&texts, TEXTS - 1)), SETT_OK);
    CHECK_STR_EQ(sett_name_get(world, late), text_of(&texts, TEXTS - 1));
    CHECK_END(world);
}

static void types_of_one_hash_are_bounded(void)
{
    text_blocks texts;
    sett_world* world = begin(&texts);
    sett_component types[TEXTS];
    for (uint32_t k = 0; k < TEXTS; k++) {
        sett_component_desc desc = {.name = text_of(&texts, k), .size = 4};
        types[k] = sett_component_register(world, &desc);
        CHECK_EQ(types[k] != 0, k < SETTI_HASH_STEPS);
        CHECK(types[k] != 0 || sett_world_error(world) == SETT_STATUS_LIMIT);
    }
    for (uint32_t k = 0; k < TEXTS; k++) {
        CHECK_EQ(sett_component_find(world, text_of(&texts, k)), types[k]);
    }
    CHECK_EQ(sett_component_unregister(world, types[5]), SETT_OK); /* its place is free again */
    sett_component_desc desc = {.name = text_of(&texts, TEXTS - 1), .size = 4};
    CHECK(sett_component_register(world, &desc) != 0);
    CHECK_END(world);
}

/* A text with so many entities; their paths have one hash. */
static sett_status read_paths(sett_world* world, uint32_t count)
{
    static char json[TEXTS * (TEXT_SIZE + 64)];
    text_blocks texts = make_texts("/");
    size_t at = (size_t)snprintf(json, sizeof(json), "{\"entities\": [");
    for (uint32_t k = 0; k < count; k++) {
        at += (size_t)snprintf(json + at, sizeof(json) - at,
                               "%s{\"entity\": \"%s\", \"components\": {}}", k != 0 ? "," : "",
                               text_of(&texts, k));
    }
    at += (size_t)snprintf(json + at, sizeof(json) - at, "]}");
    return sett_json_read(world, json, at, NULL, NULL);
}

static void paths_of_one_hash_are_bounded(void)
{
    sett_world* world = quiet_world();
    CHECK_MSG(read_paths(world, SETTI_HASH_STEPS) == SETT_OK, "%s", sett_world_message(world));
    CHECK_EQ(sett_entity_count(world), SETTI_HASH_STEPS);
    CHECK_EQ(sett_world_clear(world), SETT_OK);
    CHECK_EQ(read_paths(world, TEXTS), SETT_STATUS_INVALID);
    CHECK(strstr(sett_world_message(world), "64 other paths of the text have the hash of \"/") !=
          NULL);
    CHECK(strstr(sett_world_message(world), "\" - change this path") != NULL);
    CHECK_EQ(sett_entity_count(world), 0);
    CHECK_END(world);
}

TEST_MAIN(TEST(texts_have_one_hash), TEST(names_of_one_hash_are_bounded),
          TEST(types_of_one_hash_are_bounded), TEST(paths_of_one_hash_are_bounded))

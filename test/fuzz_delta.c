/* Feeds bytes to the loader of deltas, or (fuzz_selection.c) to that of selections: as they are;
 * sealed, so that what passes the checks is played and undone; and with the hashes left out of
 * account, so that it stays. Whatever they are, the world stays sound, and what was rejected has
 * left it as it was.
 *
 * Bytes that begin with a zero are a recipe instead, which holds whatever the version of the
 * format: how many changes of a world, four bytes each, of which a delta is made; then alterations
 * of that delta, three bytes each: where, and what is changed there.
 *
 * The fuzzer also replaces a recipe by its delta, and goes on from there: so its corpus always has
 * deltas of the present version.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sett/hierarchy.h"
#include "sett/members.h"
#include "sett/name.h"
#include "sett/relationship.h"
#include "sett/state.h"

#include "state/delta.h"

#include <stdio.h>
#include <stdlib.h>

#if !defined(FUZZ_SELECTION)
#define FUZZ_SELECTION 0
#endif

/* Not check.h: a fuzzer keeps the input of what aborts. */
#define FUZZ_CHECK(condition, reason)                                                              \
    ((condition) ? (void)0 : fuzz_failed(__LINE__, #condition, reason))

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void fuzz_failed(int line, const char* condition, const char* reason)
{
    fprintf(stderr, "fuzz_delta.c:%d: %s: %s\n", line, condition, reason);
    abort();
}

static void fuzz_links(sett_world* world)
{
    sett_component owes = sett_relationship_register(
        world, &(sett_relationship_desc){
                   .name = "g", .size = 4, .on_target_destroyed = SETT_CLEANUP_REJECT});
    sett_component likes = sett_relationship_register(
        world, &(sett_relationship_desc){
                   .name = "h", .size = 4, .many = true, .storage = SETT_STORAGE_SPARSE_SET});
    sett_component led = sett_relationship_register(
        world, &(sett_relationship_desc){
                   .name = "i", .acyclic = true, .on_source_destroyed = SETT_CLEANUP_DESTROY});
    for (uint32_t k = 1; k < 12; k++) {
        sett_entity e = {k, 1};
        char name[2] = {(char)('p' + k % 5), '\0'};
        if (k != 5 && k != 10) {
            sett_entity parent = {k == 11 ? 4 : k / 2, 1};
            FUZZ_CHECK(k == 1 || sett_hierarchy_attach(world, e, parent) == SETT_OK, "");
            FUZZ_CHECK(sett_name_set(world, e, name) == SETT_OK, "");
            FUZZ_CHECK(sett_relate(world, e, owes, (sett_entity){k % 4 + 1, 1}) != NULL, "");
            FUZZ_CHECK(sett_relate(world, e, likes, (sett_entity){k % 3 + 1, 1}) != NULL, "");
            FUZZ_CHECK(sett_relate(world, e, likes, (sett_entity){k % 4 + 6, 1}) != NULL, "");
        }
    }
    FUZZ_CHECK(sett_relate(world, (sett_entity){1, 1}, led, (sett_entity){2, 1}) != NULL, "");
    FUZZ_CHECK(sett_group_create(world, &(sett_group_desc){.name = "j", .owned = {2, 7}}) != NULL,
               "");
}

#define FUZZ_TYPES 8

/* Of which states with the same hash may differ: a NaN, what follows the text's end, padding. */
typedef struct fuzz_value {
    float number;
    char text[5];
    bool on;
} fuzz_value;

/* The world that the deltas of the corpus are from. */
static sett_world* fuzz_world(void)
{
    static const sett_byte_range bytes[] = {{0, 1}, {4, 4}};
    static const sett_component needed[] = {1};
    const sett_component_desc types[FUZZ_TYPES] = {
        {.name = "a", .size = 8},
        {.name = "b",
         .size = 8,
         .storage = SETT_STORAGE_SPARSE_SET,
         .bytes = bytes,
         .byte_count = 2},
        {.name = "c"},
        {.name = "d", .size = 4, .dont_fragment = true},
        {.name = "e", .size = 4, .keep_order = true},
        {.name = "f", .size = 4, .required = needed, .required_count = 1},
        {.name = "k", .size = 4, .storage = SETT_STORAGE_SPARSE_SET},
        {.name = "l",
         .size = sizeof(fuzz_value),
         .align = _Alignof(fuzz_value),
         .members = SETT_STRUCT(fuzz_value, (number, .send = {.scale = 8, .bits = 10}), text, on)},
    };
    sett_world_desc desc = {.log_fn = sett_log_silent, .entity_limit = 100000};
    sett_world* world = sett_world_create(&desc);
    FUZZ_CHECK(world != NULL, "");
    for (uint32_t k = 0; k < FUZZ_TYPES; k++) {
        FUZZ_CHECK(sett_component_register(world, &types[k]) == k + 1, "");
    }
    for (uint32_t k = 0; k < 12; k++) {
        sett_entity e = sett_entity_create(world);
        for (sett_component id = 1; id <= FUZZ_TYPES; id++) {
            unsigned char value[12] = {(unsigned char)k, 1, 2, 3, (unsigned char)id, 5, 6, 7};
            if ((k + id) % 3 != 0) {
                FUZZ_CHECK(sett_set(world, e, id, value) != NULL, "");
            }
        }
    }
    for (uint32_t k = 0; k < 12; k += 5) {
        FUZZ_CHECK(sett_entity_destroy(world, (sett_entity){k, 1}) == SETT_OK, "");
    }
    fuzz_links(world);
    return world;
}

/* Makes of a delta one that begins here and whose bytes are all there. */
static void fuzz_seal(uint8_t* data, size_t size, uint64_t before)
{
    uint64_t hash = setti_delta_seal(data + SETTI_DELTA_COUNTS, size - SETTI_DELTA_COUNTS);
    for (uint32_t k = 0; k < 8; k++) {
        data[8 + k] = (uint8_t)(before >> (8 * k));
        data[24 + k] = (uint8_t)((uint64_t)size >> (8 * k));
        data[32 + k] = (uint8_t)(hash >> (8 * k));
    }
}

static void fuzz_apply(sett_world* world, const uint8_t* data, size_t size, bool seal, bool trust)
{
    uint64_t hash = sett_world_hash(world);
    uint8_t* copy = malloc(size + 1);
    FUZZ_CHECK(copy != NULL, "");
    memcpy(copy, data, size);
    if (seal && size >= SETTI_DELTA_COUNTS) {
        fuzz_seal(copy, size, hash);
    }
    static const sett_component types[] = {1, 3, 6};
    const sett_selection some = {.types = types, .type_count = 3};
    sett_status status = FUZZ_SELECTION
                             ? sett_selection_apply(world, copy, size, trust ? &some : NULL)
                             : setti_delta_apply(world, copy, size, trust);
    if (status != SETT_OK) {
        FUZZ_CHECK(sett_world_hash(world) == hash, "what was rejected changed the world");
        FUZZ_CHECK(sett_world_message(world)[0] != '\0', "");
    }
    const char* reason = "";
    FUZZ_CHECK(sett_world_validate(world, &reason) == SETT_OK, reason);
    free(copy);
}

/* Made whole as a short form, it may be anything; made short, it comes back. */
static void fuzz_short(sett_world* world, const uint8_t* data, size_t size)
{
    static uint8_t types[4096];
    static uint8_t sent[65536];
    static uint8_t whole[65536];
    size_t known;
    size_t made;
    FUZZ_CHECK(sett_delta_types(world, NULL, 0, types, sizeof(types), &known) == SETT_OK, "");
    (void)sett_delta_expand(world, types, known, data, size, whole, sizeof(whole), &made);
    if (sett_delta_shorten(world, types, known, data, size, sent, sizeof(sent), &made) == SETT_OK &&
        sett_delta_expand(world, types, known, sent, made, whole, sizeof(whole), &made) ==
            SETT_OK) {
        FUZZ_CHECK(made == size, "");
        const size_t seal = 4 + SETTI_DELTA_SEAL; /* only its lower half travels */
        FUZZ_CHECK(memcmp(whole + 24, data + 24, seal - 24) == 0, "");
        FUZZ_CHECK(memcmp(whole + seal + 4, data + seal + 4, size - seal - 4) == 0, "");
    }
}

static void fuzz_count(sett_world* world, sett_entity e, sett_component id, uint8_t by)
{
    unsigned char* value = id != 3 ? sett_get_mut(world, e, id) : NULL; /* 3 is a tag */
    if (value != NULL) {
        *value = (unsigned char)(*value + by);
    }
}

/* One change, by what the numbers happen to mean. */
static void fuzz_change(sett_world* world, const uint8_t* step)
{
    sett_entity e = sett_entity_at(world, step[1] % 16);
    sett_entity other = sett_entity_at(world, step[2] % 16);
    sett_component id = 1 + step[2] % FUZZ_TYPES;
    unsigned char value[12] = {step[3], step[1], step[3], step[3], step[2], 0, step[1]};
    char name[2] = {(char)('p' + step[3] % 7), '\0'};
    const char* relation[3] = {"g", "h", "i"};
    sett_component link = sett_component_find(world, relation[step[3] % 3]);
    switch (step[0] % 12) {
    case 0:
        (void)sett_entity_create(world);
        break;
    case 1:
        (void)sett_entity_create_handle(
            world, (sett_entity){(uint32_t)step[1] * 97, 1 + (uint32_t)step[2]});
        break;
    case 2:
        (void)sett_entity_destroy(world, e);
        break;
    case 3:
        (void)sett_remove(world, e, id);
        break;
    case 4:
        (void)sett_hierarchy_attach(world, e, other);
        break;
    case 5:
        (void)sett_hierarchy_detach(world, e);
        break;
    case 6:
        (void)sett_name_set(world, e, name);
        break;
    case 7: {
        unsigned char* data = sett_relate(world, e, link, other);
        if (data != NULL && step[3] % 3 != 2) {
            memcpy(data, value, 4);
        }
        break;
    }
    case 8:
        (void)sett_unrelate(world, e, link, other);
        break;
    case 9: /* all values of two types change alike */
    case 10:
        for (uint32_t k = 0; k < 16; k++) {
            fuzz_count(world, sett_entity_at(world, k), id, step[3]);
            fuzz_count(world, sett_entity_at(world, k), 1 + step[1] % FUZZ_TYPES, 1);
        }
        break;
    default:
        (void)sett_set(world, e, id, value);
        break;
    }
}

static sett_status fuzz_encode(sett_world* world, sett_snapshot before, sett_snapshot after,
                               uint8_t* out, size_t capacity, size_t* size)
{
    const sett_selection all = {0};
    return FUZZ_SELECTION ? sett_selection_encode(world, &all, before, out, capacity, size)
                          : sett_delta_encode(world, before, after, out, capacity, size);
}

/* The delta of a recipe, to be freed. */
static uint8_t* fuzz_make(const uint8_t* data, size_t size, size_t* made)
{
    sett_world* world = fuzz_world();
    sett_snapshot before;
    sett_snapshot after;
    size_t at = 2;
    FUZZ_CHECK(sett_snapshot_take(world, &before) == SETT_OK, "");
    for (uint32_t k = 0; size > 1 && k < data[1] && at + 4 <= size; k++, at += 4) {
        fuzz_change(world, data + at);
    }
    FUZZ_CHECK(sett_snapshot_take(world, &after) == SETT_OK, "");
    (void)fuzz_encode(world, before, after, NULL, 0, made);
    uint8_t* bytes = malloc(*made + 1);
    FUZZ_CHECK(bytes != NULL, "");
    FUZZ_CHECK(fuzz_encode(world, before, after, bytes, *made, made) == SETT_OK,
               sett_world_message(world));
    for (; at + 3 <= size; at += 3) {
        bytes[((size_t)data[at] << 8 | data[at + 1]) % *made] ^= data[at + 2];
    }
    sett_world_destroy(world);
    return bytes;
}

#ifdef FUZZING
size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max, unsigned seed)
{
    size_t count;
    uint8_t* made =
        size != 0 && data[0] == 0 && seed % 4 == 0 ? fuzz_make(data, size, &count) : NULL;
    if (made != NULL && count <= max) {
        memcpy(data, made, count);
        size = count;
    }
    free(made);
    return LLVMFuzzerMutate(data, size, max);
}
#endif

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    uint8_t* made = size != 0 && data[0] == 0 ? fuzz_make(data, size, &size) : NULL;
    data = made != NULL ? made : data;
    sett_world* world = fuzz_world();
    fuzz_apply(world, data, size, false, false);
    fuzz_apply(world, data, size, true, false);
    fuzz_apply(world, data, size, true, true);
    fuzz_short(world, data, size);
    sett_world_destroy(world);
    free(made);
    return 0;
}

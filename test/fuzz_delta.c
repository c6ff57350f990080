/* Feeds bytes to the loader of deltas: as they are, and with the hashes left out of account, so
 * that what passes the checks is played as well. Whatever they are, the world stays sound, and what
 * was refused has left it as it was.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sett/state.h"

#include "state/delta.h"

#include <stdio.h>
#include <stdlib.h>

/* Not check.h: a fuzzer keeps the input of what aborts. */
#define FUZZ_CHECK(condition, reason)                                                              \
    ((condition) ? (void)0 : fuzz_failed(__LINE__, #condition, reason))

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void fuzz_failed(int line, const char* condition, const char* reason)
{
    fprintf(stderr, "fuzz_delta.c:%d: %s: %s\n", line, condition, reason);
    abort();
}

/* The world that the deltas of the corpus are from. */
static sett_world* fuzz_world(void)
{
    static const sett_byte_range bytes[] = {{0, 1}, {4, 4}};
    static const sett_component needed[] = {1};
    static const sett_component_desc types[] = {
        {.name = "a", .size = 8},
        {.name = "b", .size = 8, .storage = SETT_STORAGE_PACKED, .bytes = bytes, .byte_count = 2},
        {.name = "c"},
        {.name = "d", .size = 4, .loose = true},
        {.name = "e", .size = 4, .keep_order = true},
        {.name = "f", .size = 4, .required = needed, .required_count = 1},
    };
    sett_world_desc desc = {.log_fn = sett_log_silent, .entity_limit = 100000};
    sett_world* world = sett_world_create(&desc);
    FUZZ_CHECK(world != NULL, "");
    for (uint32_t k = 0; k < sizeof(types) / sizeof(types[0]); k++) {
        FUZZ_CHECK(sett_component_register(world, &types[k]) == k + 1, "");
    }
    for (uint32_t k = 0; k < 12; k++) {
        sett_entity e = sett_entity_create(world);
        for (sett_component id = 1; id <= 6; id++) {
            unsigned char value[8] = {(unsigned char)k, 1, 2, 3, (unsigned char)id, 5, 6, 7};
            if ((k + id) % 3 != 0) {
                FUZZ_CHECK(sett_set(world, e, id, value) != NULL, "");
            }
        }
    }
    for (uint32_t k = 0; k < 12; k += 5) {
        FUZZ_CHECK(sett_entity_destroy(world, (sett_entity){k, 1}) == SETT_OK, "");
    }
    return world;
}

static void fuzz_apply(const uint8_t* data, size_t size, bool trust)
{
    sett_world* world = fuzz_world();
    uint64_t hash = sett_world_hash(world);
    sett_status status = setti_delta_apply(world, data, size, trust);
    if (status != SETT_OK) {
        FUZZ_CHECK(sett_world_hash(world) == hash, "what was refused changed the world");
        FUZZ_CHECK(sett_world_message(world)[0] != '\0', "");
    }
    const char* reason = "";
    FUZZ_CHECK(sett_world_validate(world, &reason) == SETT_OK, reason);
    sett_world_destroy(world);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    fuzz_apply(data, size, false);
    fuzz_apply(data, size, true);
    return 0;
}

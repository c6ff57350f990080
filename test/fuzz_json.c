/* Feeds bytes to the reader of JSON: as they are, with handles kept, or with unknown names allowed
 * (each third of all sizes).
 * Whatever they are, the world stays sound; what was rejected has created nothing; what was read
 * can be written, and read again as the same.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sett/json.h"
#include "sett/members.h"
#include "sett/relationship.h"
#include "sett/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Not check.h: a fuzzer keeps the input of what aborts. */
#define FUZZ_CHECK(condition, reason)                                                              \
    ((condition) ? (void)0 : fuzz_failed(__LINE__, #condition, reason))

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void fuzz_failed(int line, const char* condition, const char* reason)
{
    fprintf(stderr, "fuzz_json.c:%d: %s: %s\n", line, condition, reason);
    abort();
}

typedef struct At {
    float x;
    double y;
} At;

typedef struct Door {
    At at[2];
    int8_t state;
    uint32_t keys;
    int16_t height;
    char label[6];
    sett_entity owner;
    bool locked;
    uint8_t rounds[2];
    uint64_t big;
    uint8_t blob[3];
} Door;

typedef struct Raw {
    uint32_t a;
} Raw;

enum {
    SHUT,
    OPEN
};

static const char* const fuzz_rounds[] = {"r", "s"};

#define LIST(COMPONENT, TAG)                                                                       \
    COMPONENT(Door,                                                                                \
              .members = SETT_STRUCT(Door, (at, .of = SETT_STRUCT(At, x, y)),                      \
                                     (state, .constants = SETT_CONSTANTS(SHUT, OPEN)),             \
                                     (keys, .constants = SETT_CONSTANTS(OPEN), .bits = true),      \
                                     (height, .scale = 0.25), label, owner, locked,                \
                                     (rounds, .element_names = fuzz_rounds), big,                  \
                                     (blob, .element = SETT_MEMBER_OPAQUE)))                       \
    COMPONENT(Raw)                                                                                 \
    TAG(Tag)
SETT_COMPONENTS(LIST)

static sett_world* fuzz_world(void)
{
    sett_world* world =
        sett_world_create(&(sett_world_desc){.log_fn = sett_log_silent, .entity_limit = 100000});
    FUZZ_CHECK(world != NULL, "");
    FUZZ_CHECK(SETT_REGISTER_ALL(world, LIST) == SETT_OK, sett_world_message(world));
    sett_relationship_desc likes = {.name = "L", .size = 2, .many = true};
    FUZZ_CHECK(sett_relationship_register(world, &likes) != 0, "");
    FUZZ_CHECK(sett_relationship_register(world, &(sett_relationship_desc){.name = "O"}) != 0, "");
    return world;
}

static void fuzz_valid(sett_world* world)
{
    const char* reason = "";
    FUZZ_CHECK(sett_world_validate(world, &reason) == SETT_OK, reason);
}

static char* fuzz_format(sett_world* world, size_t* size)
{
    *size = sett_json_format(world, NULL, NULL, 0);
    char* text = malloc(*size + 1);
    FUZZ_CHECK(text != NULL && sett_json_format(world, NULL, text, *size + 1) == *size, "");
    return text;
}

static void fuzz_again(sett_world* world)
{
    size_t size;
    size_t again_size;
    char* text = fuzz_format(world, &size);
    sett_world* other = fuzz_world();
    sett_json_read_desc keep = {.keep_handles = true};
    FUZZ_CHECK(sett_json_read(other, text, size, &keep, NULL) == SETT_OK,
               sett_world_message(other));
    fuzz_valid(other);
    char* again = fuzz_format(other, &again_size);
    FUZZ_CHECK(size == again_size && memcmp(text, again, size) == 0, again);
    free(again);
    free(text);
    sett_world_destroy(other);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static const sett_json_read_desc ways[] = {
        {.keep_handles = false}, {.keep_handles = true}, {.allow_unknown = true}};
    sett_world* world = fuzz_world();
    if (sett_json_read(world, (const char*)data, size, &ways[size % 3], NULL) == SETT_OK) {
        fuzz_valid(world);
        fuzz_again(world);
    } else {
        FUZZ_CHECK(sett_entity_count(world) == 0, "rejected, and entities are left");
        FUZZ_CHECK(sett_world_message(world)[0] != '\0', "");
        fuzz_valid(world);
    }
    sett_entity e = sett_entity_create(world);
    (void)sett_json_set(world, e, Door_id, (const char*)data, size);
    sett_world_destroy(world);
    return 0;
}

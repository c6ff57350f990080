/* scene_tags.c: many independent tags, toggled at random over a million entities: the workload that
 * makes as many sets of components as there are combinations. Plain tags take part in signatures;
 * dont_fragment ones do not, which is what they are for. A toggle is a has and an add or a remove.
 * */
#include "scene_case.h"
#include "scene_sett.h"

#include <stdio.h>
#include <string.h>

#define TAGS_TOGGLES 10000000u

static void tags_run(scene_run* run, bool dont_fragment)
{
    sett_world* world = scene_world(run, false);
    sett_component tags[32];
    for (uint32_t k = 0; k < run->variant; k++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "Tag%u", (unsigned)k);
        sett_component_desc tag = {.name = name, .dont_fragment = dont_fragment};
        tags[k] = sett_component_register(world, &tag);
        scene_check(tags[k] != 0, "sett_component_register");
    }
    sett_entity* entities = scene_entities(world, run->count);
    uint64_t state = SCENE_SEED;
    scene_start(run);
    for (uint32_t k = 0; k < TAGS_TOGGLES; k++) {
        uint64_t draw = scene_random(&state);
        sett_entity e = entities[(uint32_t)(draw >> 32) % run->count];
        sett_component tag = tags[(uint32_t)draw % run->variant];
        if (sett_has(world, e, tag)) {
            (void)sett_remove(world, e, tag);
        } else {
            (void)sett_add(world, e, tag);
        }
    }
    scene_stop(run);
    run->operations = TAGS_TOGGLES;
    for (uint32_t k = 0; k < run->variant; k++) {
        run->checksum = run->checksum * 31 + sett_component_count(world, tags[k]);
    }
    scene_free(entities);
    sett_world_destroy(world);
}

/* The floor: bits by entity, one array a tag. */
static void tags_raw(scene_run* run)
{
    size_t words = run->count / 64 + 1;
    uint64_t* bits = scene_alloc(words * run->variant, sizeof(uint64_t));
    memset(bits, 0, words * run->variant * sizeof(uint64_t));
    uint64_t state = SCENE_SEED;
    scene_start(run);
    for (uint32_t k = 0; k < TAGS_TOGGLES; k++) {
        uint64_t draw = scene_random(&state);
        uint32_t number = (uint32_t)(draw >> 32) % run->count;
        size_t tag = (uint32_t)draw % run->variant;
        bits[tag * words + number / 64] ^= (uint64_t)1 << (number % 64);
    }
    scene_stop(run);
    run->operations = TAGS_TOGGLES;
    scene_free(bits);
}

static void tags_plain(scene_run* run)
{
    tags_run(run, false);
}

static void tags_dont_fragment(scene_run* run)
{
    tags_run(run, true);
}

/* clang-format off */
#define TAGS_CASE(n, name, fn) {"tags", name, 1000000, n, true, fn, 0, 0, 0}
#define TAGS_CASES(n)                                                                              \
    TAGS_CASE(n, "bare bits", tags_raw),                                                           \
    TAGS_CASE(n, "plain tags", tags_plain),                                                        \
    TAGS_CASE(n, "dont_fragment tags", tags_dont_fragment)
/* clang-format on */

const scene_case scene_tags[] = {
    TAGS_CASES(12), TAGS_CASES(16), TAGS_CASES(20), TAGS_CASES(30), {0},
};

/* saved.h: worlds with plain types of every storage, on a disk in memory.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_TEST_SAVED_H
#define SETT_TEST_SAVED_H

#include "files.h"
#include "states.h"

enum {
    PLACE = 1,
    FLAG,
    RARE,
    QUEUED,
    PADDED,
    NEEDY,
    APART,
    SKIPPED,
    PLAIN_TYPES = SKIPPED
};

static inline void register_types(sett_world* world)
{
    static const sett_byte_range bytes[] = {{0, 1}, {4, 4}};
    static const sett_component needed[] = {PLACE};
    static const sett_component_desc types[] = {
        {.name = "place", .size = 12, .id = PLACE},
        {.name = "flag", .id = FLAG},
        {.name = "rare", .size = 8, .id = RARE, .storage = SETT_STORAGE_SPARSE_SET},
        {.name = "queued", .size = 4, .id = QUEUED, .keep_order = true},
        {.name = "padded", .size = 8, .id = PADDED, .bytes = bytes, .byte_count = 2},
        {.name = "needy", .size = 4, .id = NEEDY, .required = needed, .required_count = 1},
        {.name = "apart", .size = 2, .id = APART, .dont_fragment = true},
        {.name = "skipped", .size = 4, .id = SKIPPED, .save = SETT_SAVE_SKIP},
    };
    for (uint32_t k = 0; k < PLAIN_TYPES; k++) {
        CHECK_EQ(sett_component_register(world, &types[k]), types[k].id);
    }
}

static inline sett_world* typed_world(void)
{
    sett_world* world = quiet_world();
    register_types(world);
    return world;
}

/* Changes values and structure of plain types. */
static inline void change(sett_world* world, uint64_t* chance, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        uint32_t alive = sett_entity_count(world);
        sett_entity e = entity_from(world, alive != 0 ? chance_below(chance, alive) : 0);
        sett_component id = 1 + chance_below(chance, PLAIN_TYPES);
        uint32_t what = chance_below(chance, 8);
        if (what < 2 || alive == 0) {
            (void)sett_entity_create(world);
        } else if (what == 2 && chance_below(chance, 3) == 0) {
            (void)sett_entity_destroy(world, e);
        } else if (what == 3 && sett_has(world, e, id)) {
            (void)sett_remove(world, e, id);
        } else {
            unsigned char* value = sett_ensure(world, e, id);
            size_t size = world->types[id]->storage.size;
            for (size_t i = 0; i < size && id != SKIPPED; i++) {
                value[i] = (unsigned char)chance_draw(chance);
            }
        }
    }
}

/* What the next files are compressed with; NULL: nothing. */
static const sett_compression* compressing;

/* Runs of a byte: how often, and which. */
static inline size_t runs_bound(void* user, size_t size)
{
    (void)user;
    return size * 2;
}

static inline size_t runs_compress(void* user, const void* from, size_t size, void* to,
                                   size_t capacity)
{
    const unsigned char* at = from;
    unsigned char* out = to;
    (void)user;
    for (size_t k = 0, run; k < size; k += run) {
        for (run = 1; run < 255 && k + run < size && at[k + run] == at[k]; run++) {
        }
        CHECK((size_t)(out - (unsigned char*)to) + 2 <= capacity);
        *out++ = (unsigned char)run;
        *out++ = at[k];
    }
    return (size_t)(out - (unsigned char*)to);
}

static inline bool runs_decompress(void* user, const void* from, size_t size, void* to,
                                   size_t to_size)
{
    const unsigned char* at = from;
    size_t done = 0;
    (void)user;
    for (size_t k = 0; k + 1 < size; k += 2) {
        if (at[k] > to_size - done) {
            return false;
        }
        memset((unsigned char*)to + done, at[k + 1], at[k]);
        done += at[k];
    }
    return done == to_size && size % 2 == 0;
}

static const sett_compression run_lengths = {NULL, runs_bound, runs_compress, runs_decompress};

/* The same; these calls count as calls of a disk, of which any can fail. */
static inline size_t runs_or_fail_compress(void* user, const void* from, size_t size, void* to,
                                           size_t capacity)
{
    return disk_fails(user) ? 0 : runs_compress(NULL, from, size, to, capacity);
}

static inline bool runs_or_fail_decompress(void* user, const void* from, size_t size, void* to,
                                           size_t to_size)
{
    return !disk_fails(user) && runs_decompress(NULL, from, size, to, to_size);
}

static inline sett_compression runs_or_fail(disk* of)
{
    return (sett_compression){of, runs_bound, runs_or_fail_compress, runs_or_fail_decompress};
}

static inline void saves(sett_world* world, disk* to, uint64_t frame)
{
    sett_file_desc desc = {.files = &to->files, .frame = frame, .compression = compressing};
    CHECK_MSG(sett_world_save_with(world, "f", &desc) == SETT_OK, "%s", sett_world_message(world));
}

static inline sett_status loads(sett_world* world, disk* from, sett_load_result* result)
{
    return sett_world_load_with(
        world, "f", &(sett_file_desc){.files = &from->files, .compression = &run_lengths}, result);
}

#endif

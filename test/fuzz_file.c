/* Feeds bytes to the loader of files: as they are, or sealed, so that what they say is read. What
 * was loaded replaces a world, or is merged into one. Whatever they are, the world stays sound, and
 * what was rejected has left it as it was.
 *
 * Bytes that begin with a zero are a recipe instead: how many changes of a world, four bytes each,
 * of which a file is made, with a journal if there are many; then alterations of that file, three
 * bytes each: where, and what is changed there. Those that begin with a one alter one of a few
 * files, made once: which, then four bytes each: what to do, where, and with which byte. Making a
 * file takes twenty times as long as loading it: so recipes are for the corpus, and libFuzzer only
 * alters.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sett/file.h"
#include "sett/hierarchy.h"
#include "sett/name.h"
#include "sett/relationship.h"
#include "sett/state.h"

#include "base/checksum.h"
#include "file/stream.h"
#include "state/delta.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Not check.h: a fuzzer keeps the input of what aborts. */
#define FUZZ_CHECK(condition, reason)                                                              \
    ((condition) ? (void)0 : fuzz_failed(__LINE__, #condition, reason))

#define FUZZ_FILE_MAX ((size_t)1 << 18)
#define FUZZ_BASES 64
#define FUZZ_STEPS 40 /* changes that a base is made of at most */
#ifdef FUZZING
#define FUZZ_REPLAYS false
#else
#define FUZZ_REPLAYS true
#endif

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void fuzz_failed(int line, const char* condition, const char* reason)
{
    fprintf(stderr, "fuzz_file.c:%d: %s: %s\n", line, condition, reason);
    abort();
}

/* --------------------------------------------------------------- one file, which is anything */

typedef struct fuzz_file {
    sett_files files;
    uint8_t bytes[FUZZ_FILE_MAX];
    size_t size;
} fuzz_file;

static void* fuzz_open(void* user, const char* path, sett_file_mode mode)
{
    fuzz_file* file = user;
    if (mode == SETT_FILE_READ && strcmp(path, "f") != 0) {
        return NULL;
    }
    file->size = mode == SETT_FILE_CREATE ? 0 : file->size;
    return file;
}

static bool fuzz_done(void* user, void* file)
{
    (void)user;
    (void)file;
    return true;
}

static size_t fuzz_read(void* user, void* from, uint64_t offset, void* out, size_t size)
{
    fuzz_file* file = from;
    (void)user;
    FUZZ_CHECK(offset <= file->size && size <= file->size - offset, "reads beyond the end");
    memcpy(out, file->bytes + offset, size);
    return size;
}

static bool fuzz_write(void* user, void* to, const void* bytes, size_t size)
{
    fuzz_file* file = to;
    (void)user;
    if (size > FUZZ_FILE_MAX - file->size) {
        return false;
    }
    memcpy(file->bytes + file->size, bytes, size);
    file->size += size;
    return true;
}

static bool fuzz_size(void* user, void* file, uint64_t* size)
{
    (void)user;
    *size = ((fuzz_file*)file)->size;
    return true;
}

static bool fuzz_rename(void* user, const char* from, const char* to)
{
    (void)user;
    (void)from;
    (void)to;
    return true;
}

static bool fuzz_path(void* user, const char* path)
{
    (void)user;
    (void)path;
    return true;
}

static sett_status fuzz_lock(void* user, const char* path, void** lock)
{
    (void)path;
    *lock = user;
    return SETT_OK;
}

static void fuzz_unlock(void* user, void* lock)
{
    (void)user;
    (void)lock;
}

static void fuzz_mount(fuzz_file* file)
{
    file->files =
        (sett_files){file,      fuzz_open,   fuzz_done, fuzz_read, fuzz_write,  fuzz_size,
                     fuzz_done, fuzz_rename, fuzz_path, fuzz_lock, fuzz_unlock, fuzz_path};
}

/* ----------------------------------------------------------------------------------- the world */

static sett_world* fuzz_world(void)
{
    static const sett_byte_range bytes[] = {{0, 1}, {4, 4}};
    static const sett_component needed[] = {1};
    static const sett_component_desc types[] = {
        {.name = "a", .size = 8},
        {.name = "b", .size = 8, .storage = SETT_STORAGE_SPARSE_SET},
        {.name = "c"},
        {.name = "d", .size = 4, .dont_fragment = true},
        {.name = "e", .size = 4, .keep_order = true},
        {.name = "f", .size = 4, .required = needed, .required_count = 1},
        {.name = "k", .size = 8, .bytes = bytes, .byte_count = 2},
    };
    sett_world_desc desc = {.log_fn = sett_log_silent, .entity_limit = 100000};
    sett_world* world = sett_world_create(&desc);
    FUZZ_CHECK(world != NULL, "");
    for (uint32_t k = 0; k < sizeof(types) / sizeof(types[0]); k++) {
        FUZZ_CHECK(sett_component_register(world, &types[k]) == k + 1, "");
    }
    FUZZ_CHECK(sett_relationship_register(
                   world, &(sett_relationship_desc){.name = "g", .size = 4, .acyclic = true}) != 0,
               "");
    FUZZ_CHECK(sett_relationship_register(
                   world, &(sett_relationship_desc){.name = "h", .size = 4, .many = true}) != 0,
               "");
    for (uint32_t k = 0; k < 80; k++) {
        sett_entity e = sett_entity_create(world);
        for (sett_component id = 1; id <= 7 && k % 3 == 0; id++) {
            unsigned char value[8] = {(unsigned char)k, 1, 2, 3, (unsigned char)id, 5, 6, 7};
            FUZZ_CHECK(sett_set(world, e, id, value) != NULL, "");
        }
    }
    return world;
}

static void fuzz_change(sett_world* world, const uint8_t* step)
{
    uint32_t first = step[1] % 100;
    uint32_t second = step[2] % 100;
    sett_entity e = sett_entity_next(world, &first);
    sett_entity other = sett_entity_next(world, &second);
    sett_component id = 1 + step[3] % 7;
    unsigned char value[8] = {step[0], step[1], step[2], step[3], 5, 6, 7, 8};
    char name[3] = {'n', (char)('a' + step[3] % 7), '\0'};
    sett_component link = sett_component_find(world, step[3] % 2 == 0 ? "g" : "h");
    switch (step[0] % 8) {
    case 0:
        /* Seldom far away: each append to a journal looks at all slots. */
        (void)sett_entity_create_handle(
            world, (sett_entity){step[1] < 255 ? step[1] : 9735u, 1u + step[2]});
        break;
    case 1:
        (void)sett_entity_destroy(world, e);
        break;
    case 2:
        (void)sett_remove(world, e, id);
        break;
    case 3:
        (void)sett_hierarchy_attach(world, e, other);
        break;
    case 4:
        (void)sett_name_set(world, e, name);
        break;
    case 5:
        (void)sett_relate(world, e, link, other);
        break;
    case 6:
        (void)sett_entity_create(world);
        break;
    default:
        (void)sett_set(world, e, id, value);
        break;
    }
}

/* ------------------------------------------------------------------------------------- sealing */

static void fuzz_put(uint8_t* out, uint64_t number)
{
    for (uint32_t k = 0; k < 8; k++) {
        out[k] = (uint8_t)(number >> (8 * k));
    }
}

/* Makes header and records tell the truth about the bytes that follow them; inside of a state that
 * one record holds, the delta as well. */
static void fuzz_seal(fuzz_file* file)
{
    static const uint8_t magic[8] = {0x89, 'S', 'E', 'T', 'T', '\r', '\n', 0x1A};
    uint64_t identity = 0;
    if (file->size < SETTI_STREAM_HEADER) {
        return;
    }
    memcpy(file->bytes, magic, 8);
    memset(file->bytes + 8, 0, 8);
    for (uint32_t k = 0; k < 8; k++) {
        identity |= (uint64_t)file->bytes[16 + k] << (8 * k);
    }
    fuzz_put(file->bytes + 24, setti_checksum(0, file->bytes, 24));
    for (size_t at = SETTI_STREAM_HEADER; at + SETTI_STREAM_RECORD <= file->size;) {
        uint8_t* head = file->bytes + at;
        size_t left = file->size - at - SETTI_STREAM_RECORD;
        size_t size = (size_t)(head[4] | head[5] << 8 | head[6] << 16);
        size = size < left ? size : left;
        head[4] = (uint8_t)size;
        head[5] = (uint8_t)(size >> 8);
        head[6] = (uint8_t)(size >> 16);
        head[7] = 0;
        uint8_t* payload = head + SETTI_STREAM_RECORD;
        if ((head[0] == SETTI_STREAM_STATE || head[0] == SETTI_STREAM_DELTA) &&
            size > SETTI_DELTA_HEAD) {
            fuzz_put(payload + 24, size);
            fuzz_put(payload + 32,
                     setti_delta_seal(payload + SETTI_DELTA_COUNTS, size - SETTI_DELTA_COUNTS));
        }
        uint64_t sum = setti_checksum(identity, head, 16);
        fuzz_put(head + 16, setti_checksum(sum, payload, size));
        at += SETTI_STREAM_RECORD + size;
    }
}

/* ------------------------------------------------------------------------------------- loading */

/* Into one world for all inputs: what was rejected has left it as it was. */
static void fuzz_load(fuzz_file* file)
{
    static sett_world* world;
    world = world != NULL ? world : fuzz_world();
    uint64_t hash = sett_world_hash(world);
    const char* reason = "";
    sett_file_desc desc = {.files = &file->files};
    sett_status status = sett_world_load_with(world, "f", &desc, NULL);
    FUZZ_CHECK(status == SETT_OK || sett_world_hash(world) == hash,
               "what was rejected changed the world");
    FUZZ_CHECK(sett_world_validate(world, &reason) == SETT_OK, reason);
    if (status == SETT_OK) {
        FUZZ_CHECK(sett_world_save_with(world, "f", &desc) == SETT_OK, sett_world_message(world));
        sett_world_destroy(world);
        world = NULL;
    }
}

/* Into a world of the same types; `how` chooses what is merged, and how. */
static void fuzz_merge(fuzz_file* file, uint32_t how)
{
    static sett_world* world;
    static const char* const raw[] = {"a", "b", "d", "e", "f", "k", "g", "h"};
    static const sett_component types[] = {1, 5};
    world = world != NULL ? world : fuzz_world();
    uint64_t hash = sett_world_hash(world);
    uint32_t count = sett_entity_count(world);
    const char* reason = "";
    const sett_file_desc desc = {.files = &file->files};
    const sett_merge_desc merge = {
        .file = &desc,
        .match = (sett_merge_match)(how % 3),
        .match_component = 1,
        .existing = (sett_merge_existing)(how / 3 % 3),
        .names = (sett_merge_names)(how / 9 % 2),
        .subtree = how / 18 % 4 == 3 ? "/na" : NULL,
        .types = types,
        .type_count = how / 72 % 2 * 2,
        .raw = raw,
        .raw_count = sizeof(raw) / sizeof(raw[0]),
    };
    sett_merge_result result = {.created = 0};
    sett_status status = sett_world_merge(world, "f", &merge, &result);
    FUZZ_CHECK(status == SETT_OK || sett_world_hash(world) == hash,
               "what was rejected changed the world");
    FUZZ_CHECK(sett_world_validate(world, &reason) == SETT_OK, reason);
    FUZZ_CHECK(sett_entity_count(world) == count + result.created, "");
    sett_merge_result_free(world, &result);
    sett_stats stats;
    sett_world_stats(world, &stats);
    if (status == SETT_OK || stats.components > 40) { /* types of rejected files stay */
        sett_world_destroy(world);
        world = NULL;
    }
}

/* Makes a file of so many changes; returns where the bytes of the last one end. */
static size_t fuzz_make(fuzz_file* file, const uint8_t* data, size_t size, uint32_t steps)
{
    sett_world* world = fuzz_world();
    sett_file_desc desc = {.files = &file->files};
    sett_journal* journal = NULL;
    size_t at = 0;
    for (uint32_t k = 0; k < steps && at + 4 <= size; k++, at += 4) {
        if (k == 16) {
            journal = sett_journal_create(world, "f", &desc);
        }
        fuzz_change(world, data + at);
        if (journal != NULL && k % 8 == 0) {
            FUZZ_CHECK(sett_journal_append(journal, k) == SETT_OK, sett_world_message(world));
        }
    }
    FUZZ_CHECK(journal != NULL || sett_world_save_with(world, "f", &desc) == SETT_OK, "");
    FUZZ_CHECK(sett_journal_destroy(journal) == SETT_OK, "");
    sett_world_destroy(world);
    return at;
}

static void fuzz_follow_recipe(fuzz_file* file, const uint8_t* data, size_t size)
{
    uint32_t steps = size > 1 ? data[1] : 0;
    size_t at = size > 1 ? 2 : size;
    at += fuzz_make(file, data + at, size - at, steps);
    for (; at + 3 <= size; at += 3) {
        file->bytes[((size_t)data[at] << 8 | data[at + 1]) % file->size] ^= data[at + 2];
    }
}

/* The files are the same in each run: of eight, three are saved worlds, the others journals. */
static void fuzz_take_base(fuzz_file* file, uint32_t number)
{
    static fuzz_file* bases[FUZZ_BASES];
    if (bases[number] == NULL) {
        uint8_t steps[FUZZ_STEPS * 4];
        uint32_t random = number + 1;
        for (size_t k = 0; k < sizeof(steps); k++) {
            random = random * 1664525u + 1013904223u;
            steps[k] = (uint8_t)(random >> 24);
        }
        bases[number] = calloc(1, sizeof(*file));
        FUZZ_CHECK(bases[number] != NULL, "");
        fuzz_mount(bases[number]);
        (void)fuzz_make(bases[number], steps, sizeof(steps), number % 8 * 5 + 5);
    }
    file->size = bases[number]->size;
    memcpy(file->bytes, bases[number]->bytes, file->size);
}

/* A byte is replaced, altered, inserted, left out; a number of four bytes is set; the file ends. */
static void fuzz_alter(fuzz_file* file, const uint8_t* step)
{
    size_t at = ((size_t)step[1] << 8 | step[2]) % (file->size + 1);
    size_t behind = file->size - at;
    uint8_t* byte = file->bytes + at;
    switch (behind != 0 ? step[0] % 6 : 2) {
    case 0:
        *byte = step[3];
        break;
    case 1:
        *byte ^= step[3];
        break;
    case 2:
        if (file->size < FUZZ_FILE_MAX) {
            memmove(byte + 1, byte, behind);
            *byte = step[3];
            file->size++;
        }
        break;
    case 3:
        memmove(byte, byte + 1, behind - 1);
        file->size--;
        break;
    case 4:
        memset(byte, step[3] % 2 == 0 ? 0 : 255, behind < 4 ? behind : 4);
        *byte = step[3];
        break;
    default:
        file->size = step[3] == 255 ? at : file->size;
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static fuzz_file file;
    fuzz_mount(&file);
    bool sealed = size % 8 != 0;
    if (FUZZ_REPLAYS && size != 0 && data[0] == 0) {
        fuzz_follow_recipe(&file, data, size);
    } else if (size > 1 && data[0] <= 1) {
        fuzz_take_base(&file, data[1] % FUZZ_BASES);
        for (size_t at = 2; at + 4 <= size; at += 4) {
            fuzz_alter(&file, data + at);
        }
    } else {
        file.size = size < FUZZ_FILE_MAX ? size : FUZZ_FILE_MAX;
        memcpy(file.bytes, data, file.size);
    }
    if (sealed) {
        fuzz_seal(&file);
    }
    bool merges = size % 16 > 8;
    if (merges || FUZZ_REPLAYS) {
        fuzz_merge(&file, size != 0 ? data[size - 1] : 0);
    }
    if (!merges || FUZZ_REPLAYS) {
        fuzz_load(&file);
    }
    return 0;
}

/* file_main.c: what files cost.
 *
 *     sett_files [--quick] [folder]
 *
 * 100,000 entities of five components, 6 MB of values: saved and loaded, into memory and in a
 * folder (default: the current one), with zstd where it is installed; and autosaves. Then what a
 * journal of each frame takes of the program's thread, with and without a mirror. Checksums,
 * hashes and their comparison are part of all. freedoom/saves measures the 68 maps of Freedoom;
 * tools/files.sh runs both. */
#include "file_meter.h"

#define ENTITIES 100000u
#define TYPES 5u

static const size_t sizes[TYPES] = {8, 12, 16, 8, 16};

static sett_world* file_world(void)
{
    static const char* const names[TYPES] = {"Position", "Velocity", "Bounds", "Health", "Order"};
    sett_world* world = sett_world_create(NULL);
    for (uint32_t k = 0; world != NULL && k < TYPES; k++) {
        file_check(world,
                   sett_component_register(world, &(sett_component_desc){.name = names[k],
                                                                         .size = sizes[k],
                                                                         .align = 4,
                                                                         .id = k + 1}) != 0,
                   "register");
    }
    return world;
}

static void file_fill(sett_world* world, uint32_t count)
{
    uint64_t dice = 1;
    for (uint32_t k = 0; k < count; k++) {
        sett_entity entity = sett_entity_create(world);
        for (uint32_t t = 0; t < TYPES; t++) {
            uint32_t value[4];
            for (uint32_t i = 0; i < 4; i++) { /* half of it at random, as positions are */
                dice = dice * 6364136223846793005u + 1442695040888963407u;
                value[i] = i % 2 == 0 ? (uint32_t)(dice >> 40) : k / 16;
            }
            file_check(world, sett_set(world, entity, t + 1, value) != NULL, "set");
        }
    }
}

/* ------------------------------------------------------------------------------------- mirrors */

typedef struct file_follower { /* a journal of the world, or of its mirror */
    sett_world* world;
    sett_mirror* mirror; /* NULL: none */
    sett_journal* journal;
    file_memory memory;
} file_follower;

/* Follows a frame. Returns the milliseconds of the program's thread: with a mirror, of the copy. */
static double file_follow(file_follower* of, uint64_t frame)
{
    const double begin = file_now();
    const sett_file_desc desc = {.files = &of->memory.files};
    double copied = begin;
    sett_world* from = of->world;
    if (of->mirror != NULL) {
        file_check(of->world, sett_mirror_copy(of->mirror) == SETT_OK, "mirror");
        from = sett_mirror_world(of->mirror);
        copied = file_now();
    }
    if (of->journal == NULL) {
        of->journal = sett_journal_create(from, "memory", &desc);
    }
    file_check(from, of->journal != NULL && sett_journal_append(of->journal, frame) == SETT_OK,
               "journal");
    return (of->mirror != NULL ? copied : file_now()) - begin;
}

/* Each frame adds to the first number of one value in `one_in`, of the first `types` types, side by
 * side or here and there. Prints the median of a frame, and its first one. */
static void file_measure_mirror(uint32_t entities, uint32_t one_in, uint32_t types, bool scattered)
{
    double spent[2][FILE_ROUNDS], first[2];
    for (uint32_t with = 0; with < 2; with++) {
        file_follower of = {.world = file_world()};
        file_memory_init(&of.memory);
        of.mirror = with != 0 ? sett_mirror_create(of.world) : NULL;
        file_fill(of.world, entities);
        first[with] = file_follow(&of, 0);
        for (uint32_t frame = 1; frame <= FILE_ROUNDS; frame++) {
            for (uint32_t k = 0; k < entities / one_in; k++) {
                const uint32_t at = scattered ? k * 7919u + frame * 104729u : frame * 1000 + k;
                const sett_entity entity = {at % entities, 1};
                for (uint32_t t = 1; t <= types; t++) {
                    (*(uint32_t*)sett_get_mut(of.world, entity, t))++;
                }
            }
            spent[with][frame - 1] = file_follow(&of, frame);
        }
        (void)sett_journal_destroy(of.journal);
        sett_mirror_destroy(of.mirror);
        (void)sett_world_destroy(of.world);
        free(of.memory.bytes);
    }
    printf("1 in %-3u of %u type%s %-14s %10.3f %10.3f %10.1f %10.1f\n", one_in, types,
           types > 1 ? "s" : " ", scattered ? "here and there" : "side by side",
           file_median(spent[0], FILE_ROUNDS), file_median(spent[1], FILE_ROUNDS), first[0],
           first[1]);
}

int main(int count, char** arguments)
{
    bool quick = count > 1 && strcmp(arguments[1], "--quick") == 0;
    const char* folder = count > 1 + quick ? arguments[1 + quick] : ".";
    uint32_t entities = quick ? 1000 : ENTITIES;
    uint32_t rounds = quick ? 3 : FILE_ROUNDS;
    size_t raw = 0;
    char path[600];
    sett_world* world = file_world();
    sett_world* into = file_world();
    for (uint32_t t = 0; t < TYPES; t++) {
        raw += sizes[t] * entities;
    }
    snprintf(path, sizeof(path), "%.500s/sett_files.tmp", folder);
    file_fill(world, entities);
    printf("%u entities of %u components, %.1f MB of values, in \"%s\"\n", (unsigned)entities,
           (unsigned)TYPES, (double)raw / 1e6, folder);
    file_measure_all(world, into, path, raw, rounds);
    file_measure_autosave(world, path, rounds);
    file_remove(path);
    printf("\n%-32s %10s %10s %10s %10s\n", "a frame in a journal, ms", "by itself", "mirror",
           "the first", "mirror");
    file_measure_mirror(entities, 1, 1, false);
    for (uint32_t scattered = 0; scattered < 2; scattered++) {
        file_measure_mirror(entities, 10, 1, scattered != 0);
        file_measure_mirror(entities, 100, 1, scattered != 0);
        file_measure_mirror(entities, 100, TYPES, scattered != 0);
    }
    sett_world_destroy(world);
    sett_world_destroy(into);
    return 0;
}

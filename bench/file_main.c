/* file_main.c: what files cost.
 *
 *     sett_files [--quick] [folder]
 *
 * 100,000 entities of five components, 6 MB of values: saved and loaded, into memory and in a
 * folder (default: the current one), with zstd where it is installed; and autosaves. Checksums,
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
    sett_world_destroy(world);
    sett_world_destroy(into);
    return 0;
}

/* archive.c - see archive.h.
 *
 * A file holds the components. What they refer to and what never changes, the levels, comes from
 * the WADs: so a hash of the levels goes into the file's user block, and a file of other levels is
 * rejected before it is loaded. */
#include "archive.h"

#include "host.h"

#include <stdio.h>
#include <string.h>

#define ARCHIVE_FLIGHT_TICKS 175 /* five seconds */

typedef struct ArchiveHead {
    char title[24];
    uint8_t levels[8]; /* their hash, lowest byte first */
} ArchiveHead;

/* All that a map consists of is numbers of 16 bits. */
static uint64_t archive_hash(uint64_t hash, const void* items, size_t size)
{
    const uint8_t* at = items;
    for (size_t i = 0; i + 1 < size; i += 2) {
        uint16_t number;
        memcpy(&number, at + i, sizeof number);
        hash = (hash ^ number) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static ArchiveHead archive_head(const Simulation* sim)
{
    ArchiveHead head = {.title = "Freedoom on Sett"};
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (uint32_t i = 0; i < sim->arena_count; ++i) {
        const WadMap* map = &sim->arenas[i].level.map;
        hash = archive_hash(hash, map->things, map->thing_count * sizeof *map->things);
        hash = archive_hash(hash, map->vertices, map->vertex_count * sizeof *map->vertices);
        hash = archive_hash(hash, map->lines, map->line_count * sizeof *map->lines);
    }
    for (uint32_t i = 0; i < 8; ++i) {
        head.levels[i] = (uint8_t)(hash >> (8 * i));
    }
    return head;
}

static bool archive_fail(const Simulation* sim, Fault* fault)
{
    return fault_set(fault, "%s", sett_world_message(sim->world));
}

bool archive_save(const Simulation* sim, const char* path, Fault* fault)
{
    ArchiveHead head = archive_head(sim);
    sett_file_desc desc = {.user_block = &head, .user_size = sizeof head, .frame = sim->dice.tick};
    return sett_world_save_with(sim->world, path, &desc) == SETT_OK || archive_fail(sim, fault);
}

/* Whether a file, or a generation of it that is kept, is of the same levels: a file that is not
 * there or not whole is not asked. */
static bool archive_check(const Simulation* sim, const char* path, uint32_t generation,
                          Fault* fault)
{
    static const char* const endings[] = {"", ".previous", ".new"};
    ArchiveHead wanted = archive_head(sim), found;
    sett_file_info info;
    char name[1024];
    snprintf(name, sizeof name, "%s%s", path, endings[generation]);
    memset(&found, 0, sizeof found);
    return sett_file_info_get(name, NULL, &found, sizeof found, &info) != SETT_OK ||
           memcmp(&wanted, &found, sizeof found) == 0 ||
           fault_set(fault, "%s: is of other levels; give the same --wad and --map", name);
}

bool archive_load(Simulation* sim, const char* path, Fault* fault)
{
    sett_load_result result;
    if (!archive_check(sim, path, 0, fault)) {
        return false;
    }
    if (sett_world_load_with(sim->world, path, NULL, &result) != SETT_OK) {
        return archive_fail(sim, fault);
    }
    if (!archive_check(sim, path, result.generation, fault)) {
        return false;
    }
    if (!sett_entity_valid(sim->world, sim->game) ||
        SETT_FIND(sim->world, sim->game, Game) == NULL) {
        return fault_set(fault, "%s: has no game in it", path);
    }
    simulation_reload(sim);
    if (result.cut != 0) {
        fprintf(stderr, "freedoom: %s: its last %llu bytes are not whole: it ends with tick %lu\n",
                path, (unsigned long long)result.cut, (unsigned long)sim->dice.tick);
    }
    return true;
}

sett_journal* archive_record(const Simulation* sim, const char* path, Fault* fault)
{
    ArchiveHead head = archive_head(sim);
    sett_file_desc desc = {.user_block = &head, .user_size = sizeof head, .frame = sim->dice.tick};
    sett_journal* journal = sett_journal_create(sim->world, path, &desc);
    if (journal == NULL) {
        archive_fail(sim, fault);
    }
    return journal;
}

bool archive_add(sett_journal* journal, const Simulation* sim, Fault* fault)
{
    return journal == NULL || sett_journal_append(journal, sim->dice.tick) == SETT_OK ||
           archive_fail(sim, fault);
}

static sett_flight* archive_flight; /* what a crash writes */

static void archive_crash(const char* why, HostWrite write, void* file)
{
    (void)sett_flight_dump(archive_flight, why, write, file);
}

sett_flight* archive_fly(const Simulation* sim, const char* path, Fault* fault)
{
    ArchiveHead head = archive_head(sim);
    sett_flight_desc desc = {.frames = ARCHIVE_FLIGHT_TICKS,
                             .size = (size_t)256 << 20,
                             .user_block = &head,
                             .user_size = sizeof head,
                             .frame = sim->dice.tick};
    archive_flight = sett_flight_create(sim->world, &desc);
    if (archive_flight == NULL) {
        archive_fail(sim, fault);
    } else if (!host_on_crash(path, archive_crash)) {
        archive_land(archive_flight, path);
        fault_set(fault, "%s: cannot be created", path);
    }
    return archive_flight;
}

bool archive_fly_on(sett_flight* flight, const Simulation* sim, Fault* fault)
{
    return flight == NULL || sett_flight_append(flight, sim->dice.tick) == SETT_OK ||
           archive_fail(sim, fault);
}

void archive_land(sett_flight* flight, const char* path)
{
    if (flight != NULL) {
        (void)remove(path); /* empty: nothing has crashed */
    }
    archive_flight = NULL;
    sett_flight_destroy(flight);
}

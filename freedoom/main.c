/* Freedoom on Sett: all levels of a free game in one world, simulated without a window.
 *
 * The program shows what an entity component system looks like when it is used in earnest. Where to
 * read:
 *
 *     components.h    what there is
 *     systems.h       what happens to it, and in simulation.c in which order
 *     movement.c      a few systems in full; README.md tells where the others are
 *     spawn.c         how entities are created, a map's lines at once and monsters one by one
 *     level.c wad.c   what is no component: the unchanging map, and the file that it comes from
 *
 * The same seed gives the same battle, to the last bit, with any compiler. */
#include "archive.h"
#include "atlas.h"
#include "host.h"
#include "inspect.h"
#include "options.h"
#include "picture.h"
#include "progress.h"
#include "report.h"
#include "rewind.h"

#ifdef FREEDOOM_NET
#include "sett_net.h"
#endif

#include <stdlib.h>
#include <string.h>

#define MAIN_EARLY_TICK 280u /* the thick of the battle: a first picture */
#define MAIN_SYNC_DISTANCE 8u

enum {
    MAIN_OK = 0,
    MAIN_FAILED = 1,
    MAIN_REJECTED = 2
};

static int main_complain(const Fault* fault, int status)
{
    fprintf(stderr, "freedoom: %s\n", fault->text);
    return status;
}

/* --- before ----------------------------------------------------------------------------------- */

/* Every name that the user wrote must be that of a map, or a typing error passes for a quiet
 * day. */
static bool main_check_names(const Atlas* atlas, const char* option, const char* const* names,
                             uint32_t count, Fault* fault)
{
    for (uint32_t i = 0; i < count; ++i) {
        if (atlas_find(atlas, names[i]) == NULL) {
            return fault_set(fault, "%s %s: no map of this name is loaded", option, names[i]);
        }
    }
    return true;
}

static bool main_load(const Options* options, Atlas* atlas, Fault* fault)
{
    for (uint32_t i = 0; i < options->wad_count; ++i) {
        if (!atlas_add(atlas, options->wads[i], options->maps, options->map_count, fault)) {
            return false;
        }
    }
    return main_check_names(atlas, "--map", options->maps, options->map_count, fault) &&
           (!options->pictures_given ||
            main_check_names(atlas, "--png", options->pictures, options->picture_count, fault));
}

static void main_introduce(const Options* options, const Simulation* sim, uint32_t rebuilt)
{
    uint64_t things = 0, lines = 0, sectors = 0;
    for (uint32_t i = 0; i < sim->arena_count; ++i) {
        things += sim->arenas[i].level.map.thing_count;
        lines += sim->arenas[i].level.map.line_count;
        sectors += sim->arenas[i].level.map.sector_count;
    }
    printf("Freedoom on Sett %d.%d.%d, seed %llu\n", sett_version() / 10000,
           sett_version() / 100 % 100, sett_version() % 100, (unsigned long long)options->seed);
    for (uint32_t i = 0; i < options->wad_count && !options->inspect; ++i) {
        printf("  %s\n", options->wads[i]);
    }
    printf("%lu maps in one world: %llu things, %llu linedefs, %llu sectors\n",
           (unsigned long)sim->arena_count, (unsigned long long)things, (unsigned long long)lines,
           (unsigned long long)sectors);
    if (rebuilt != 0 && !options->inspect) {
        printf("(%lu maps have a blockmap that leaves out lines; they got a new one)\n",
               (unsigned long)rebuilt);
    }
    fflush(stdout);
}

/* --- during ----------------------------------------------------------------------------------- */

static bool main_wants_picture(const Options* options, const char* name)
{
    for (uint32_t i = 0; i < options->picture_count; ++i) {
        if (strcmp(name, options->pictures[i]) == 0) {
            return true;
        }
    }
    return options->all_pictures;
}

static bool main_draw(const Options* options, const Simulation* sim, const char* suffix,
                      Fault* fault)
{
    for (uint32_t i = 0; i < sim->arena_count; ++i) {
        char path[1024];
        const char* name = sim->arenas[i].level.map.name;
        if (!main_wants_picture(options, name)) {
            continue;
        }
        snprintf(path, sizeof path, "%s/%s%s.png", options->folder, name, suffix);
        if (!host_make_folder(options->folder)) {
            return fault_set(fault, "%s: cannot be made", options->folder);
        }
        if (!picture_write(sim, i, path, fault)) {
            return false;
        }
    }
    return true;
}

static bool main_simulate(Simulation* sim, const Options* options, Report* report, Fault* fault)
{
    sett_journal* journal =
        options->record != NULL ? archive_record(sim, options->record, fault) : NULL;
    bool good = options->record == NULL || journal != NULL;
    sett_flight* flight =
        good && options->flight != NULL ? archive_fly(sim, options->flight, fault) : NULL;
    if (!good || (options->flight != NULL && flight == NULL)) {
        (void)sett_journal_destroy(journal);
        return false;
    }
    Progress progress = progress_begin("simulating", options->ticks);
    while (good && sim->dice.tick < options->ticks) {
        uint64_t start = host_nanoseconds();
        good = rewind_step(&report->rewind, sim, fault) && archive_add(journal, sim, fault) &&
               archive_fly_on(flight, sim, fault);
        report->nanoseconds += host_nanoseconds() - start;
        progress_show(&progress, sim->dice.tick);
        if (good && sim->dice.tick == MAIN_EARLY_TICK && options->ticks > MAIN_EARLY_TICK) {
            good = main_draw(options, sim, "-early", fault);
        }
    }
    progress_end(&progress);
    archive_land(flight, options->flight);
    if (sett_journal_destroy(journal) != SETT_OK && good) {
        good = fault_set(fault, "%s", sett_world_message(sim->world));
    }
    return good;
}

/* --- after ------------------------------------------------------------------------------------ */

/* Every entity is something, and only one thing. */
static bool main_check_world(Simulation* sim, Fault* fault)
{
    const char* reason = "";
    if (sett_world_validate(sim->world, &reason) != SETT_OK) {
        return fault_set(fault, "the world is not sound: %s", reason);
    }
    static const sett_component kinds[] = {Map_id, Sector_id, Line_id,   Thing_id, Spark_id,
                                           Hit_id, Use_id,    Pickup_id, News_id,  Game_id};
    uint32_t known = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
        known += sett_component_count(sim->world, kinds[i]);
    }
    if (known != sett_entity_count(sim->world)) {
        return fault_set(fault, "%lu entities are of a known kind, the world has %lu",
                         (unsigned long)known, (unsigned long)sett_entity_count(sim->world));
    }
    return true;
}

static void main_list_pictures(const Options* options, const Simulation* sim)
{
    bool early = options->ticks > MAIN_EARLY_TICK;
    for (uint32_t i = 0; i < sim->arena_count; ++i) {
        const char* name = sim->arenas[i].level.map.name;
        if (main_wants_picture(options, name)) {
            printf("picture     %s/%s.png%s\n", options->folder, name,
                   early ? ", and -early.png after 8 s" : "");
        }
    }
}

/* --- the whole -------------------------------------------------------------------------------- */

/* All seconds of the end are recorded; the others may as well tell what that costs. */
static bool main_record(const Options* options, Rewind* rewind, Simulation* sim, Fault* fault)
{
    uint32_t seconds = options->ticks / SIMULATION_TICKS_A_SECOND;
    if (options->no_rewind) {
        return true;
    }
    if (!rewind_init(rewind, sim, fault)) {
        return false;
    }
    if (seconds > REWIND_SECONDS + 1) {
        rewind->compare_until = (seconds - REWIND_SECONDS - 1) / 2 * 2 * SIMULATION_TICKS_A_SECOND;
    }
    return true;
}

static bool main_play(const Options* options, Simulation* sim, Fault* fault)
{
    Report report = {.sim = sim};
    if (!census_take(sim, &report.before)) {
        return fault_set(fault, "out of memory");
    }
    if (!main_record(options, &report.rewind, sim, fault) ||
        !main_simulate(sim, options, &report, fault) || !rewind_check(&report.rewind, sim, fault) ||
        !main_check_world(sim, fault)) {
        return false;
    }
    if (!census_take(sim, &report.after)) {
        return fault_set(fault, "out of memory");
    }
    report.hash = sett_world_hash(sim->world);
    if ((options->save != NULL && !archive_save(sim, options->save, fault)) ||
        !main_draw(options, sim, "", fault)) {
        return false;
    }
    report_print(&report);
    main_list_pictures(options, sim);
    return true;
}

/* Each tick is played again from MAIN_SYNC_DISTANCE ticks before. */
#ifdef FREEDOOM_NET
static void main_sync_tick(sett_world* world, uint64_t frame, void* user)
{
    Simulation* sim = user;
    Fault fault;
    (void)world, (void)frame;
    simulation_reload(sim); /* the world can be another one: it was restored */
    (void)simulation_step(sim, &fault);
}

static bool main_sync_test(Simulation* sim, uint32_t ticks, Fault* fault)
{
    sett_desync first;
    sett_status status =
        sett_sync_test(sim->world, ticks, MAIN_SYNC_DISTANCE, main_sync_tick, sim, &first);
    if (status == SETT_OK) {
        printf("%lu ticks, each played again from %u ticks before: no difference\n",
               (unsigned long)ticks, MAIN_SYNC_DISTANCE);
        return true;
    }
    return status == SETT_STATUS_INVALID
               ? fault_set(fault, "tick %llu: %s", (unsigned long long)first.frame, first.text)
               : fault_set(fault, "%s", sett_world_message(sim->world));
}
#else
static bool main_sync_test(Simulation* sim, uint32_t ticks, Fault* fault)
{
    (void)sim;
    (void)ticks;
    return fault_set(fault, "--sync-test: Sett's add-ons were not built");
}
#endif

/* Begins where a file ends: ticks count from there. */
static bool main_resume(Options* options, Simulation* sim, Fault* fault)
{
    const char* path = options->load != NULL ? options->load : options->replay;
    bool good = path == NULL || archive_load(sim, path, fault);
    options->ticks += good ? sim->dice.tick : 0;
    return good;
}

static int main_run(Options* options)
{
    Fault fault;
    Simulation sim;
    Atlas atlas = {0};
    if (!main_load(options, &atlas, &fault)) {
        atlas_deinit(&atlas);
        return main_complain(&fault, MAIN_REJECTED);
    }
    bool good = simulation_init(&sim, atlas.levels, atlas.count, options->seed, options->workers,
                                NULL, &fault);
    if (good) {
        sim.trace = options->trace ? stdout : NULL;
        main_introduce(options, &sim, atlas.rebuilt);
        good = main_resume(options, &sim, &fault) &&
               (options->inspect     ? inspect_play(&sim, options->ticks, options->explorer, &fault)
                : options->sync_test ? main_sync_test(&sim, options->ticks, &fault)
                                     : main_play(options, &sim, &fault));
        simulation_deinit(&sim);
    }
    atlas_deinit(&atlas);
    return good ? MAIN_OK : main_complain(&fault, MAIN_FAILED);
}

int main(int count, char** arguments)
{
    Fault fault;
    Options options;
    if (!options_parse(&options, count, arguments, &fault)) {
        return main_complain(&fault, MAIN_REJECTED);
    }
    if (options.help) {
        fputs(options_help, stdout);
        return MAIN_OK;
    }
    if (options.version) {
        printf("freedoom, on Sett %d.%d.%d\n", sett_version() / 10000, sett_version() / 100 % 100,
               sett_version() % 100);
        return MAIN_OK;
    }
    return main_run(&options);
}

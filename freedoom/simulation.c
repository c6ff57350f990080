/* simulation.c - see simulation.h. */
#include "simulation.h"

#include "host.h"
#include "spawn.h"
#include "systems.h"

#include "sett/singleton.h"

#include <stdlib.h>

/* Who has what, and where in the order of entities, changes for as long as the game runs: one
 * monster that wakes late on a map of its own needs a page. So much is there from the start: in ten
 * thousand ticks of all maps it grows by half of it. */
#define SIMULATION_ROOM ((size_t)4 << 20)

/* A tick, from top to bottom. What was recorded in one phase is there in the next. */
typedef enum Phase {
    PHASE_SENSE, /* look around */
    PHASE_TIME,  /* let it pass */
    PHASE_SEE,
    PHASE_DECIDE,
    PHASE_MOVE,
    PHASE_TAKE,
    PHASE_FIGHT,
    PHASE_SUFFER,
    PHASE_DIE,
    PHASE_OPERATE,
    PHASE_BUILDING,
    PHASE_END,
    PHASE_COUNT,
} Phase;

/* When a phase may begin, in a tick that is spread over its time. The second and the third take a
 * third of the tick together, `move` 40 %: at 60 frames a second, which is .58 of a tick each, both
 * seldom meet in one frame. */
static const float simulation_starts[PHASE_COUNT] = {
    [PHASE_SENSE] = 0.0f, [PHASE_TIME] = 0.2f,    [PHASE_SEE] = 0.2f,      [PHASE_DECIDE] = 0.2f,
    [PHASE_MOVE] = 0.7f,  [PHASE_TAKE] = 1.0f,    [PHASE_FIGHT] = 1.0f,    [PHASE_SUFFER] = 1.0f,
    [PHASE_DIE] = 1.0f,   [PHASE_OPERATE] = 1.0f, [PHASE_BUILDING] = 1.0f, [PHASE_END] = 1.0f,
};

typedef struct Appointment {
    Phase phase;
    const sett_system_desc* system;
} Appointment;

static const Appointment simulation_order[] = {
    {PHASE_SENSE, &system_survey},      {PHASE_SENSE, &system_mark},
    {PHASE_SENSE, &system_ride},        {PHASE_SENSE, &system_gather},
    {PHASE_SENSE, &system_muster},

    {PHASE_TIME, &system_cool_down},    {PHASE_TIME, &system_recover},
    {PHASE_TIME, &system_wear_off},     {PHASE_TIME, &system_expire},
    {PHASE_TIME, &system_blink},        {PHASE_TIME, &system_glow},
    {PHASE_TIME, &system_flicker},

    {PHASE_SEE, &system_look},          {PHASE_SEE, &system_forget},

    {PHASE_DECIDE, &system_wander},     {PHASE_DECIDE, &system_chase},
    {PHASE_DECIDE, &system_explore},    {PHASE_DECIDE, &system_circle},

    {PHASE_MOVE, &system_hover},        {PHASE_MOVE, &system_walk},
    {PHASE_MOVE, &system_charge},       {PHASE_MOVE, &system_home},
    {PHASE_MOVE, &system_fly},          {PHASE_MOVE, &system_steer},

    {PHASE_TAKE, &system_pick_up},

    {PHASE_FIGHT, &system_receive},     {PHASE_FIGHT, &system_attack},
    {PHASE_FIGHT, &system_shoot},       {PHASE_FIGHT, &system_burn},
    {PHASE_FIGHT, &system_fire},

    {PHASE_SUFFER, &system_hurt},

    {PHASE_DIE, &system_die},           {PHASE_DIE, &system_rise},
    {PHASE_DIE, &system_enter},

    {PHASE_OPERATE, &system_operate},

    {PHASE_BUILDING, &system_doors},    {PHASE_BUILDING, &system_lifts},
    {PHASE_BUILDING, &system_crushers},

    {PHASE_END, &system_adopt},         {PHASE_END, &system_notify},
};

#define SIMULATION_SYSTEMS (sizeof simulation_order / sizeof simulation_order[0])

_Static_assert(SIMULATION_SYSTEMS <= SIMULATION_SYSTEMS_MAX, "no room for the systems");

uint32_t simulation_system_count(void)
{
    return (uint32_t)SIMULATION_SYSTEMS;
}

/* --- making it -------------------------------------------------------------------------------- */

static bool simulation_place_arenas(Simulation* sim, Level* levels, uint32_t level_count)
{
    uint32_t cells = 0;
    sim->arenas = calloc(level_count, sizeof *sim->arenas);
    if (sim->arenas == NULL) {
        return false;
    }
    sim->arena_count = level_count;
    for (uint32_t i = 0; i < level_count; ++i) {
        sim->arenas[i] =
            (Arena){.level = levels[i], .first_cell = cells, .first_sector = sim->sector_count};
        levels[i] = (Level){0};
        cells += level_cell_count(&sim->arenas[i].level);
        sim->sector_count += sim->arenas[i].level.map.sector_count;
    }
    sim->heights = calloc(sim->sector_count, sizeof *sim->heights);
    sim->musters = calloc(level_count, sizeof *sim->musters);
    return sim->heights != NULL && sim->musters != NULL && crowd_init(&sim->crowd, cells);
}

/* Until the first tick's survey: things are to stand on the floors when they are made. */
static void simulation_read_heights(Simulation* sim)
{
    for (uint32_t a = 0; a < sim->arena_count; ++a) {
        const WadMap* map = &sim->arenas[a].level.map;
        for (uint32_t i = 0; i < map->sector_count; ++i) {
            sim->heights[sim->arenas[a].first_sector + i] =
                (LevelHeights){.floor = fixed_from_int(map->sectors[i].floor),
                               .ceiling = fixed_from_int(map->sectors[i].ceiling)};
        }
    }
}

static bool simulation_make_systems(Simulation* sim)
{
    for (size_t i = 0; i < SIMULATION_SYSTEMS; ++i) {
        sett_system_desc desc = *simulation_order[i].system;
        desc.phase = (int)simulation_order[i].phase;
        desc.user = sim;
        sim->systems[i] = sett_system_create(sim->world, &desc);
        if (sim->systems[i] == NULL) {
            return false;
        }
    }
    return true;
}

static bool simulation_make_threads(Simulation* sim, uint32_t workers)
{
    sim->threads = sett_threads_create(workers, NULL);
    if (sim->threads == NULL) {
        return false;
    }
    /* One worker is no workers: the world does it all itself. */
    sett_schedule_desc schedule = {0};
    if (sett_threads_count(sim->threads) > 1) {
        schedule.tasks = sett_threads_tasks(sim->threads);
    }
    return sett_schedule_configure(sim->world, &schedule) == SETT_OK;
}

static bool simulation_fill(Simulation* sim)
{
    sim->game = sett_singletons(sim->world);
    if (SETT_SET(sim->world, sim->game, Game, .seed = sim->dice.seed) == NULL) {
        return false;
    }
    simulation_read_heights(sim);
    return spawn_all(sim);
}

static bool simulation_make_world(Simulation* sim, uint32_t workers,
                                  const sett_allocator* allocator)
{
    sett_world_desc desc = {0};
    if (allocator != NULL) {
        desc.allocator = *allocator;
    }
    sim->world = sett_world_create(&desc);
    return sim->world != NULL && components_register(sim->world) && simulation_fill(sim) &&
           sett_world_reserve(sim->world, SIMULATION_ROOM) == SETT_OK &&
           simulation_make_threads(sim, workers) && simulation_make_systems(sim);
}

bool simulation_init(Simulation* sim, Level* levels, uint32_t level_count, uint64_t seed,
                     uint32_t workers, const sett_allocator* allocator, Fault* fault)
{
    *sim = (Simulation){.dice = {.seed = seed}};
    bool good = simulation_place_arenas(sim, levels, level_count) &&
                simulation_make_world(sim, workers, allocator);
    if (!good) {
        fault_set(fault, "cannot make the world: %s",
                  sim->world != NULL ? sett_world_message(sim->world) : "out of memory");
        simulation_deinit(sim);
    }
    for (uint32_t i = 0; i < level_count; ++i) {
        level_close(&levels[i]);
    }
    return good;
}

void simulation_deinit(Simulation* sim)
{
    sett_world_destroy(sim->world);
    sett_threads_destroy(sim->threads);
    for (uint32_t i = 0; i < sim->arena_count; ++i) {
        level_close(&sim->arenas[i].level);
        free(sim->arenas[i].sectors);
        free(sim->arenas[i].lines);
    }
    crowd_deinit(&sim->crowd);
    free(sim->arenas);
    free(sim->heights);
    free(sim->musters);
    *sim = (Simulation){0};
}

/* --- running it ------------------------------------------------------------------------------- */

/* How many entities each system has: asked now and then, in the same ticks for all. */
static void simulation_sample(Simulation* sim)
{
    ++sim->samples;
    for (size_t i = 0; i < SIMULATION_SYSTEMS; ++i) {
        sim->visited[i] += sett_query_count(sett_system_query(sim->systems[i]));
    }
}

void simulation_reload(Simulation* sim)
{
    const Game* game = SETT_GET(sim->world, sim->game, Game);
    sim->dice = (Dice){.seed = game->seed, .tick = (uint32_t)game->tick};
    sim->phase = 0;
}

/* Runs the phases from the next one up to the one before `end`. */
static bool simulation_run(Simulation* sim, uint32_t end, Fault* fault)
{
    if (sim->phase == 0 && sim->dice.tick % SIMULATION_TICKS_A_SECOND == 0) {
        simulation_sample(sim);
    }
    sett_status status = sett_progress_phases(sim->world, 1.0f / SIMULATION_TICKS_A_SECOND,
                                              (int)sim->phase, (int)end - 1);
    /* Whatever went wrong, a misuse in a system included, the world remembers it. */
    if (status != SETT_OK || sett_world_error(sim->world) != SETT_OK || sim->error != NULL) {
        return fault_set(fault, "tick %lu: %s", (unsigned long)sim->dice.tick,
                         sim->error != NULL ? sim->error : sett_world_message(sim->world));
    }
    sim->phase = end;
    return true;
}

bool simulation_step(Simulation* sim, Fault* fault)
{
    if (!simulation_run(sim, PHASE_COUNT, fault)) {
        return false;
    }
    simulation_reload(sim);
    return true;
}

bool simulation_begin(Simulation* sim, float share, Fault* fault)
{
    uint32_t end = sim->phase;
    while (end < PHASE_END && simulation_starts[end] <= share) {
        ++end;
    }
    return end == sim->phase || simulation_run(sim, end, fault);
}

const ThingType* simulation_type_of(const Simulation* sim, sett_entity entity)
{
    const Thing* thing = SETT_FIND(sim->world, entity, Thing);
    return thing != NULL ? &thing_table[thing->type] : NULL;
}

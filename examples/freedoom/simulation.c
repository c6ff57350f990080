/* simulation.c - see simulation.h. */
#include "simulation.h"

#include "host.h"
#include "spawn.h"
#include "systems.h"

#include <stdlib.h>

/* A tick, from top to bottom. What a system needs to find done stands above it. */
static const System* const simulation_order[] = {
    /* look around */
    &system_survey,
    &system_mark,
    &system_ride,
    &system_gather,
    &system_muster,
    /* let time pass */
    &system_cool_down,
    &system_recover,
    &system_wear_off,
    &system_expire,
    &system_blink,
    &system_glow,
    &system_flicker,
    /* decide */
    &system_look,
    &system_forget,
    &system_wander,
    &system_chase,
    &system_explore,
    &system_circle,
    /* move */
    &system_hover,
    &system_walk,
    &system_charge,
    &system_home,
    &system_fly,
    /* take */
    &system_pick_up,
    &system_receive,
    /* fight */
    &system_attack,
    &system_shoot,
    &system_burn,
    &system_hurt,
    &system_die,
    &system_rise,
    &system_enter,
    /* move the building */
    &system_operate,
    &system_doors,
    &system_lifts,
};

#define SIMULATION_SYSTEMS (sizeof simulation_order / sizeof simulation_order[0])

_Static_assert(SIMULATION_SYSTEMS <= SIMULATION_SYSTEMS_MAX, "no room for the times");

uint32_t simulation_system_count(void)
{
    return (uint32_t)SIMULATION_SYSTEMS;
}

const System* simulation_system(uint32_t n)
{
    return simulation_order[n];
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

static bool simulation_make_queries(Simulation* sim)
{
    for (size_t i = 0; i < SIMULATION_SYSTEMS; ++i) {
        sett_query_desc desc = simulation_order[i]->query;
        desc.name = simulation_order[i]->name;
        sim->times[i].query = sett_query_create(sim->world, &desc);
        if (sim->times[i].query == NULL) {
            return false;
        }
    }
    return true;
}

static bool simulation_fill(Simulation* sim)
{
    simulation_read_heights(sim);
    for (uint32_t i = 0; i < sim->arena_count; ++i) {
        if (!spawn_arena(sim, i)) {
            return false;
        }
    }
    return simulation_make_queries(sim);
}

bool simulation_init(Simulation* sim, Level* levels, uint32_t level_count, uint64_t seed,
                     Fault* fault)
{
    *sim = (Simulation){.dice = {.seed = seed}};
    bool good = simulation_place_arenas(sim, levels, level_count);
    if (good) {
        sim->world = sett_world_create(NULL);
        good = sim->world != NULL;
    }
    if (good) {
        sim->commands = sett_world_commands(sim->world);
        good = components_register(sim->world) && simulation_fill(sim);
    }
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

static bool simulation_run_system(Simulation* sim, size_t n)
{
    const System* system = simulation_order[n];
    SystemTimes* times = &sim->times[n];
    uint64_t start = host_nanoseconds();
    if (system->begin != NULL) {
        system->begin(sim);
    }
    SETT_QUERY(times->query, batch) {
        times->visited += batch->count;
        system->run(sim, batch);
    }
    if (system->end != NULL) {
        system->end(sim);
    }
    sett_commands_apply(sim->commands);
    times->nanoseconds += host_nanoseconds() - start;
    /* Whatever went wrong above, a misuse in a system included, the world remembers it. */
    return sett_world_error(sim->world) == SETT_OK && sim->error == NULL;
}

bool simulation_step(Simulation* sim, Fault* fault)
{
    for (size_t i = 0; i < SIMULATION_SYSTEMS; ++i) {
        if (!simulation_run_system(sim, i)) {
            return fault_set(fault, "tick %lu, system %s: %s", (unsigned long)sim->dice.tick,
                             simulation_order[i]->name,
                             sim->error != NULL ? sim->error : sett_world_message(sim->world));
        }
    }
    ++sim->dice.tick;
    return true;
}

/* --- events ----------------------------------------------------------------------------------- */

const char* simulation_event_name(Event event)
{
    static const char* const names[EVENT_COUNT] = {"shot", "hit",   "miss",    "blast", "death",
                                                   "drop", "birth", "rise",    "enter", "pickup",
                                                   "door", "lift",  "teleport"};
    return names[event];
}

const ThingType* simulation_type_of(const Simulation* sim, sett_entity entity)
{
    const Thing* thing = SETT_FIND(sim->world, entity, Thing);
    return thing != NULL ? &thing_table[thing->type] : NULL;
}

static void simulation_tell_entity(const Simulation* sim, sett_entity entity)
{
    const ThingType* type = simulation_type_of(sim, entity);
    const char* name = type != NULL                           ? type->name
                       : SETT_HAS(sim->world, entity, Sector) ? "sector"
                                                              : "something gone";
    fprintf(sim->trace, "\t%s #%lu", name, (unsigned long)entity.index);
}

void simulation_note(Simulation* sim, Event event, uint32_t arena, sett_entity who,
                     sett_entity other, int32_t amount)
{
    ++sim->counts.events[event];
    if (sim->trace == NULL) {
        return;
    }
    fprintf(sim->trace, "%lu\t%s\t%s", (unsigned long)sim->dice.tick,
            sim->arenas[arena].level.map.name, simulation_event_name(event));
    simulation_tell_entity(sim, who);
    if (!sett_is_null(other)) {
        simulation_tell_entity(sim, other);
    }
    if (amount != 0) {
        fprintf(sim->trace, "\t%ld", (long)amount);
    }
    fputc('\n', sim->trace);
}

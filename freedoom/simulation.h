/* simulation.h - the world, what it is simulated with, and what systems work with.
 *
 * Systems are sett_systems: a function, a query and the access that it declares. The function is
 * called for parts of the matching entities, jobs, perhaps on several threads at once. It reads
 * and writes the components of its query, reads others by handle, and records structural changes
 * into its job's commands; these are applied at the end of each phase. So within a phase nothing
 * appears or vanishes, and it does not matter which job comes first. */
#ifndef FREEDOOM_SIMULATION_H
#define FREEDOOM_SIMULATION_H

#include "components.h"
#include "crowd.h"
#include "dice.h"
#include "fault.h"
#include "thing_table.h"

#include "sett/system.h"
#include "sett/threads.h"

#include <stdio.h>

#define SIMULATION_TICKS_A_SECOND 35u
#define SIMULATION_SYSTEMS_MAX 48u
#define SIMULATION_HEARD_MAX 64u

/* The players of a map, by number, where they stood when the tick began. */
typedef struct Muster {
    sett_entity players[COMPONENT_PLAYERS]; /* null: is not there */
    Position positions[COMPONENT_PLAYERS];
    LevelBox box; /* around all of them */
} Muster;

/* What systems may read but the world does not hold. None of it is state: it never changes, or it
 * is made anew in each tick, from the components. */
typedef struct Simulation {
    sett_world* world;
    sett_threads* threads;
    sett_entity game; /* has the singleton Game */

    /* What never changes. */
    Arena* arenas;
    uint32_t arena_count;
    uint32_t sector_count; /* of all maps */

    /* Made anew. */
    Dice dice;             /* seed and tick, as the Game has them */
    LevelHeights* heights; /* of all sectors: by the system `survey` */
    Crowd crowd;           /* by `gather` */
    Muster* musters;       /* of each arena: by `muster` */

    sett_system* systems[SIMULATION_SYSTEMS_MAX];
    uint64_t visited[SIMULATION_SYSTEMS_MAX]; /* entities, counted in `samples` ticks */
    uint32_t samples;
    uint32_t phase; /* of the tick that has begun: the next one to run; 0: none has begun */
    FILE* trace;    /* where to tell events, or NULL */
    News heard[SIMULATION_HEARD_MAX]; /* of the last tick, on the map `heard_arena` */
    uint32_t heard_count, heard_arena;
    const char* error; /* why the simulation cannot go on, or NULL */
} Simulation;

/* Makes a world of these levels; takes them over, also on failure. Systems know where `sim` is: it
 * may not move.
 *   workers    threads that run systems; 0: as many as the machine has
 *   allocator  of the world; NULL for the C library's */
bool simulation_init(Simulation* sim, Level* levels, uint32_t level_count, uint64_t seed,
                     uint32_t workers, const sett_allocator* allocator, Fault* fault);
void simulation_deinit(Simulation* sim);

/* Goes on by one tick, or to the end of the one that has begun. Returns false, with a reason, if
 * memory ran out. */
bool simulation_step(Simulation* sim, Fault* fault);

/* Begins a tick, or goes on with it: runs what may run when this share of its time, from 0 to 1,
 * has passed. So no frame has to bear a whole tick. simulation_step ends it. */
bool simulation_begin(Simulation* sim, float share, Fault* fault);

/* To be called when the world has become another: a snapshot was restored. */
void simulation_reload(Simulation* sim);

uint32_t simulation_system_count(void);

/* --- for systems ------------------------------------------------------------------------------ */

/* Where a function records: what it has of the simulation to read, and its job's commands. */
typedef struct Job {
    const Simulation* sim;
    sett_world* world;
    sett_commands* commands;
} Job;

static inline Job simulation_job(const sett_context* context)
{
    return (Job){.sim = context->user, .world = context->world, .commands = context->commands};
}

/* The job of those who are no systems: nothing may run meanwhile. */
static inline Job simulation_outside(const Simulation* sim)
{
    return (Job){.sim = sim, .world = sim->world, .commands = sett_commands_here(sim->world)};
}

static inline const Arena* simulation_arena(const Simulation* sim, Place place)
{
    return &sim->arenas[place.arena];
}

/* The heights of an arena's sectors, by their numbers on the map. */
static inline const LevelHeights* simulation_heights(const Simulation* sim, const Arena* arena)
{
    return sim->heights + arena->first_sector;
}

/* Spreads work that need not be done in every tick: true for each entity once in `interval`
 * ticks. */
static inline bool simulation_is_due(const Simulation* sim, sett_entity entity, uint32_t interval)
{
    return (sim->dice.tick + entity.index) % interval == 0;
}

static inline uint32_t simulation_roll(const Simulation* sim, sett_entity entity, uint32_t purpose,
                                       uint32_t sides)
{
    return dice_roll(sim->dice, entity.index, purpose, sides);
}

/* Damage: the roll's unit, times a number from 1 to its sides. */
static inline int32_t simulation_roll_damage(const Simulation* sim, sett_entity entity,
                                             uint32_t purpose, Roll roll)
{
    return roll.damage * (int32_t)(1 + simulation_roll(sim, entity, purpose, roll.sides));
}

/* What a thing is, by its type; NULL for a handle that is null or stale or not a thing. */
const ThingType* simulation_type_of(const Simulation* sim, sett_entity entity);

#endif

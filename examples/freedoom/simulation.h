/* simulation.h - the world, what it is simulated with, and the order of its systems.
 *
 * A system is a query and a function that is handed one batch of matching entities at a time. It
 * reads and writes the components of its query, looks others up by handle, and records structural
 * changes into `commands`; these are applied when the system has seen all its batches, before the
 * next begins. So within a system nothing appears or vanishes, and between systems nothing is
 * pending. */
#ifndef FREEDOOM_SIMULATION_H
#define FREEDOOM_SIMULATION_H

#include "components.h"
#include "crowd.h"
#include "dice.h"
#include "fault.h"
#include "thing_table.h"

#include <stdio.h>

#define SIMULATION_TICKS_A_SECOND 35u

/* What the world's history is made of; counted, and told one by one with --trace. */
typedef enum Event {
    EVENT_SHOT,  /* fired bullets, threw a missile, bit, charged */
    EVENT_HIT,   /* somebody lost health */
    EVENT_MISS,  /* a bullet or missile met the building */
    EVENT_BLAST, /* something exploded */
    EVENT_DEATH,
    EVENT_DROP,  /* left an item behind */
    EVENT_BIRTH, /* a lost soul came out of a pain elemental */
    EVENT_RISE,  /* a corpse was brought back to life */
    EVENT_ENTER, /* a player came in at a start, again */
    EVENT_PICKUP,
    EVENT_DOOR, /* a ceiling was set in motion */
    EVENT_LIFT, /* a floor was */
    EVENT_TELEPORT,
    EVENT_COUNT
} Event;

typedef struct Counts {
    uint64_t events[EVENT_COUNT];
    uint64_t created;   /* entities, those of the maps included */
    uint64_t destroyed; /* entities; corpses stay */
} Counts;

typedef struct Simulation Simulation;

typedef struct System {
    const char* name;
    sett_query_desc query;
    void (*run)(Simulation* sim, sett_batch* batch);
    void (*begin)(Simulation* sim); /* before the first batch; default: nothing */
    void (*end)(Simulation* sim);   /* after the last one; default: nothing */
} System;

/* How a system has done so far. */
typedef struct SystemTimes {
    sett_query* query;
    uint64_t nanoseconds;
    uint64_t visited; /* entities */
} SystemTimes;

#define SIMULATION_SYSTEMS_MAX 48u
#define SIMULATION_PLAYERS 4u /* a map has starts for so many */

/* The players of a map, by number, where they stood when the tick began. */
typedef struct Muster {
    sett_entity players[SIMULATION_PLAYERS]; /* null: is not there */
    Position positions[SIMULATION_PLAYERS];
} Muster;

struct Simulation {
    sett_world* world;
    sett_commands* commands; /* of the world */
    Dice dice;               /* seed and tick */

    /* What never changes. */
    Arena* arenas;
    uint32_t arena_count;

    /* Indexes into the state, made anew in each tick by `survey`, `gather`, `muster`. */
    LevelHeights* heights; /* of all sectors of all maps */
    uint32_t sector_count;
    Crowd crowd;
    Muster* musters; /* of each arena */

    SystemTimes times[SIMULATION_SYSTEMS_MAX];
    Counts counts;
    FILE* trace;       /* where to tell events, or NULL */
    const char* error; /* why the simulation cannot go on, or NULL */
};

/* Makes a world of these levels; takes them over, also on failure. */
bool simulation_init(Simulation* sim, Level* levels, uint32_t level_count, uint64_t seed,
                     Fault* fault);
void simulation_deinit(Simulation* sim);

/* Goes on by one tick. Returns false, with a reason, if memory ran out. */
bool simulation_step(Simulation* sim, Fault* fault);

uint32_t simulation_system_count(void);
const System* simulation_system(uint32_t n);

/* --- for systems ------------------------------------------------------------------------------ */

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

/* Counts an event and tells it if asked to. `other` may be null. */
void simulation_note(Simulation* sim, Event event, uint32_t arena, sett_entity who,
                     sett_entity other, int32_t amount);

const char* simulation_event_name(Event event);

/* What a thing is, by its type; NULL for a handle that is null or stale or not a thing. */
const ThingType* simulation_type_of(const Simulation* sim, sett_entity entity);

#endif

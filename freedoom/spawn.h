/* spawn.h - everything that comes into being, and goes.
 *
 * During a tick only commands may change structure, so all of this records; at the start the same
 * functions fill the world. A new entity's handle is good at once, to be stored in components. */
#ifndef FREEDOOM_SPAWN_H
#define FREEDOOM_SPAWN_H

#include "simulation.h"

/* The entities of all maps: themselves, their sectors, things and lines. Returns false when memory
 * runs out. */
bool spawn_all(Simulation* sim);

/* A thing of a type (row of thing_table) with all that such a thing has. */
sett_entity spawn_thing(const Job* job, uint32_t type, Place place, Position position);

/* Breathes life into an entity that has Thing, Position and Place: a new one, or a corpse. */
void spawn_life(const Job* job, sett_entity entity, const ThingType* type);

/* How a monster begins to walk. */
Walk spawn_first_step(const Simulation* sim, sett_entity entity, const ThingType* type);

/* A player with what one begins with. `number` is 1 to 4. */
sett_entity spawn_player(const Job* job, uint8_t number, Place place, Position position);

/* A missile on its way. Velocity in Fixed a tick. */
sett_entity spawn_missile(const Job* job, uint32_t type, Place place, Position position,
                          Velocity velocity, sett_entity shooter);

/* The trace that a bullet or missile leaves for a third of a second. */
void spawn_spark(const Job* job, Place place, Position position);

/* Messages. */
void spawn_hit(const Job* job, sett_entity victim, sett_entity attacker, int32_t damage);
void spawn_use(const Job* job, sett_entity line, sett_entity user);
void spawn_pickup(const Job* job, sett_entity player, uint32_t type);

/* An event, to be counted and printed. `other` can be null. */
void spawn_news(const Job* job, Event event, uint32_t arena, sett_entity who, sett_entity other,
                int32_t amount);

/* The end of an entity. */
void spawn_end(const Job* job, sett_entity entity);

#endif

/* spawn.h - everything that comes into being, and goes.
 *
 * During a tick only commands may change structure, so all of this records; at the start the same
 * functions fill the world. A new entity's handle is good at once, to be stored in components. */
#ifndef FREEDOOM_SPAWN_H
#define FREEDOOM_SPAWN_H

#include "simulation.h"

/* The entities of a map: itself, its sectors, lines and things. Returns false when memory runs
 * out. */
bool spawn_arena(Simulation* sim, uint32_t arena);

/* A thing of a type (row of thing_table) with all that such a thing has. */
sett_entity spawn_thing(Simulation* sim, uint32_t type, Place place, Position position);

/* Makes a monster of an entity that has Thing, Position and Place: a new one, or a corpse. */
void spawn_life(Simulation* sim, sett_entity entity, const ThingType* type);

/* A missile on its way. Velocity in Fixed a tick. */
sett_entity spawn_missile(Simulation* sim, uint32_t type, Place place, Position position,
                          Velocity velocity, sett_entity shooter);

/* The trace that a bullet or missile leaves for a third of a second. */
void spawn_spark(Simulation* sim, Place place, Position position);

void spawn_hit(Simulation* sim, sett_entity victim, sett_entity attacker, int32_t damage);

/* The end of an entity. */
void spawn_end(Simulation* sim, sett_entity entity);

#endif

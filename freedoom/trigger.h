/* trigger.h - bodies that meet lines which do something.
 *
 * Who meets one sends a message, Use; what comes of it is decided by the system `operate`. */
#ifndef FREEDOOM_TRIGGER_H
#define FREEDOOM_TRIGGER_H

#include "collide.h"
#include "simulation.h"

/* A body that has stepped from `from` to `to`, where it finds the footing. */
void trigger_cross(const Job* job, const Arena* arena, const CollideFooting* footing, RayPoint from,
                   RayPoint to, sett_entity self, bool is_player);

/* A body that could not step. Returns whether it stands at a door that opens for it, so that it is
 * worth while to wait. */
bool trigger_push(const Job* job, const Arena* arena, const CollideFooting* footing,
                  const Body* body, sett_entity self, bool is_player);

/* Whether `who` has the key, if one is needed. */
bool trigger_has_key(const Simulation* sim, sett_entity who, uint8_t key);

/* A human pushes what is in front of him: the first line on the way that can be pushed, if no wall
 * is before it. Returns whether there was one. */
bool trigger_use(const Job* job, const Arena* arena, RayPoint from, RayPoint to, const Body* body,
                 sett_entity self);

#endif

/* systems.h - what happens in a tick; simulation.c says in which order.
 *
 * Each is defined right above its query in the file named here, so that the terms and the fields
 * taken from them stand side by side. */
#ifndef FREEDOOM_SYSTEMS_H
#define FREEDOOM_SYSTEMS_H

#include "simulation.h"

/* upkeep.c: indexes and clocks */
extern const System system_survey;    /* notes where floors and ceilings are */
extern const System system_gather;    /* sorts the bodies into the crowd */
extern const System system_cool_down; /* lets the time between two attacks pass */
extern const System system_recover;   /* lets pain pass */
extern const System system_expire;    /* ends what was to last for a moment */

/* minds.c: what monsters want */
extern const System system_look;   /* finds the nearest enemy in sight */
extern const System system_forget; /* gives up enemies that are dead or long out of sight */
extern const System system_wander; /* without an enemy: any direction */
extern const System system_chase;  /* with one: towards it */

/* movement.c: how they and their missiles get there */
extern const System system_hover;  /* flying monsters, up and down */
extern const System system_walk;   /* a step, unless a wall, a ledge or a body is in the way */
extern const System system_charge; /* lost souls that throw themselves */
extern const System system_home;   /* missiles that follow their prey */
extern const System system_fly;    /* missiles, until they meet something */

/* attack.c and fate.c: and what comes of it */
extern const System system_attack; /* bites, shoots, throws */
extern const System system_hurt;   /* takes health, hands out pain and grudges */
extern const System system_die;    /* monster to corpse, barrel to explosion */
extern const System system_rise;   /* corpse to monster, near an arch-vile */

#endif

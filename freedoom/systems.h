/* systems.h - what happens in a tick; simulation.c says in which order.
 *
 * Each is defined right above its query in the file named here, so that the terms and the fields
 * taken from them stand side by side. */
#ifndef FREEDOOM_SYSTEMS_H
#define FREEDOOM_SYSTEMS_H

#include "simulation.h"

/* upkeep.c: indexes and clocks */
extern const sett_system_desc system_survey;    /* notes where floors and ceilings are */
extern const sett_system_desc system_gather;    /* sorts the bodies into the crowd */
extern const sett_system_desc system_cool_down; /* lets the time between two attacks pass */
extern const sett_system_desc system_recover;   /* lets pain pass */
extern const sett_system_desc system_wear_off;  /* lets the powers of players pass */
extern const sett_system_desc system_expire;    /* ends what was to last for a moment */
extern const sett_system_desc system_adopt;     /* what is new becomes a child of its map */
extern const sett_system_desc system_notify;    /* counts what has happened, and tells it */

/* lights.c: dark and bright */
extern const sett_system_desc system_blink;   /* in turn */
extern const sett_system_desc system_glow;    /* up and down */
extern const sett_system_desc system_flicker; /* as a fire */

/* minds.c: what monsters and players want */
extern const sett_system_desc system_look; /* finds the nearest enemy in sight */
extern const sett_system_desc
    system_forget; /* gives up enemies that are dead or long out of sight */
extern const sett_system_desc system_wander;  /* monsters without an enemy: any direction */
extern const sett_system_desc system_chase;   /* with one: towards it */
extern const sett_system_desc system_explore; /* players without an enemy: onwards */
extern const sett_system_desc system_circle;  /* with one: near it, but not too near */

/* movement.c: how they and their missiles get there */
extern const sett_system_desc system_hover; /* flying monsters, up and down */
extern const sett_system_desc
    system_walk; /* a step, unless a wall, a ledge or a body is in the way */
extern const sett_system_desc system_charge; /* lost souls that throw themselves */
extern const sett_system_desc system_home;   /* missiles that follow their prey */
extern const sett_system_desc system_fly;    /* missiles, until they meet something */

/* human.c: a human player */
extern const sett_system_desc system_steer; /* turns, runs, falls, pushes */

/* items.c: what players find */
extern const sett_system_desc system_muster;  /* lists the players of each map */
extern const sett_system_desc system_pick_up; /* items go to who touches them */
extern const sett_system_desc system_receive; /* and do what they are good for */

/* attack.c and fate.c: what comes of it */
extern const sett_system_desc system_attack; /* bites, shoots, throws */
extern const sett_system_desc system_shoot;  /* players, with what they have */
extern const sett_system_desc system_fire;   /* humans, when they pull the trigger */
extern const sett_system_desc system_burn;   /* floors that do harm */
extern const sett_system_desc system_hurt;   /* takes health, hands out pain and grudges */
extern const sett_system_desc system_die;    /* monster to corpse, barrel to explosion */
extern const sett_system_desc system_rise;   /* corpse to monster, near an arch-vile */
extern const sett_system_desc system_enter;  /* another player for one who died */

/* operate.c and movers.c: the building */
extern const sett_system_desc system_operate;  /* lines that were pushed or crossed */
extern const sett_system_desc system_doors;    /* ceilings on their way */
extern const sett_system_desc system_lifts;    /* floors on theirs */
extern const sett_system_desc system_crushers; /* ceilings that go up and down */
extern const sett_system_desc system_mark;     /* notes where floors move */
extern const sett_system_desc system_ride;     /* what stands on them goes along */

/* For the trace. */
const char* event_name(Event event);

#endif

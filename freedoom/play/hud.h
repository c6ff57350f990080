/* hud.h - what is written over the view: the weapon in hand, health, ammunition, times, help. */
#ifndef FREEDOOM_HUD_H
#define FREEDOOM_HUD_H

#include "session.h"

typedef struct Hud {
    bool help, costs;
    bool above;   /* the map is shown */
    bool no_keys; /* there is no keyboard: fingers play */
    uint32_t frames_a_second;
    float frame_time, tick_time;                /* ms, of late */
    uint64_t spent[SIMULATION_SYSTEMS_MAX];     /* ns by system, when it was looked at last */
    float system_times[SIMULATION_SYSTEMS_MAX]; /* ms a tick */
    uint32_t looked_tick;
    uint32_t crowd; /* how often monsters were multiplied */
    float bob;      /* of the walk, radians */
    float stride;   /* 0: stands */
} Hud;

/* To be called now and then: works out what each system costs. */
void hud_look(Hud* hud, const Simulation* sim);

/* The weapon, if he lives; then numbers and texts. */
void hud_draw_weapon(const Hud* hud, Render* render, Art* art, const Session* session);
void hud_draw(const Hud* hud, Render* render, Art* art, const Session* session);

#endif

/* hud.c - see hud.h. Places are those of a picture of 320 by 200. */
#include "hud.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define HUD_LEFT 8 /* pixels */
#define HUD_LINE 11
#define HUD_FLASH 4u  /* ticks */
#define HUD_COSTS 14u /* systems that are listed */

void hud_look(Hud* hud, const Simulation* sim)
{
    uint32_t ticks = sim->dice.tick > hud->looked_tick ? sim->dice.tick - hud->looked_tick : 1;
    for (uint32_t n = 0; n < simulation_system_count(); ++n) {
        sett_system_stats stats;
        sett_system_stats_get(sim->systems[n], &stats);
        hud->system_times[n] = (float)(stats.time_total - hud->spent[n]) * 1e-6f / (float)ticks;
        hud->spent[n] = stats.time_total;
    }
    hud->looked_tick = sim->dice.tick;
}

/* --- the weapon ------------------------------------------------------------------------------- */

static void hud_draw_sprite(Render* render, Art* art, const char* name, char frame, float x,
                            float y)
{
    const ArtSprite* sprite = art_find_sprite(art, name);
    if (sprite != NULL && frame >= 'A' && frame - 'A' < ART_FRAMES &&
        sprite->views[frame - 'A'][0].lump != 0) {
        render_image(render, art, art_image(art, sprite->views[frame - 'A'][0].lump), x, y, 1.0f);
    }
}

void hud_draw_weapon(const Hud* hud, Render* render, Art* art, const Session* session)
{
    uint32_t held = session->facing.weapon;
    if (sett_is_null(session->self) || held == 0 || held > WEAPON_COUNT ||
        session->mode != SESSION_PLAYS) {
        return;
    }
    const LookWeapon* look = &look_weapons[held - 1];
    const Cooldown* cooldown = SETT_FIND(session->sim->world, session->self, Cooldown);
    uint32_t pause = weapon_table[held - 1].arms.pause;
    uint32_t left = cooldown != NULL && cooldown->ticks < pause ? cooldown->ticks
                    : cooldown != NULL                          ? pause
                                                                : 0;
    uint32_t count = (uint32_t)strlen(look->frames);
    uint32_t frame = left == 0 ? 0 : 1 + (pause - left) * (count - 1) / (pause + 1);
    float x = sinf(hud->bob * 0.5f) * 8.0f * hud->stride;
    float y = 32.0f + fabsf(cosf(hud->bob * 0.5f)) * 8.0f * hud->stride;
    if (look->flash != NULL && left + HUD_FLASH > pause) {
        hud_draw_sprite(render, art, look->flash, 'A', x, y);
    }
    hud_draw_sprite(render, art, look->sprite, look->frames[frame < count ? frame : 0], x, y);
}

/* --- numbers ---------------------------------------------------------------------------------- */

/* Ends at x. */
static void hud_draw_number(Render* render, Art* art, float x, float y, int number)
{
    char digits[16];
    int count = snprintf(digits, sizeof digits, "%d", number < 0 ? 0 : number);
    for (int i = count; i-- > 0;) {
        char name[] = "STTNUM0";
        name[6] = digits[i];
        const ArtImage* image = art_picture(art, name);
        x -= (float)image->width;
        render_image(render, art, image, x, y, 1.0f);
    }
}

/* Above a number; x as there. */
static void hud_draw_label(Render* render, int x, const char* text)
{
    render_text(render, x * render_width(render) / 320, render_height(render) * 170 / 200, 1, text);
}

static void hud_draw_body(Render* render, Art* art, const Session* session)
{
    sett_world* world = session->sim->world;
    const Health* health = SETT_FIND(world, session->self, Health);
    const Armour* armour = SETT_FIND(world, session->self, Armour);
    const Pack* pack = SETT_FIND(world, session->self, Pack);
    uint32_t held = session->facing.weapon;
    if (health == NULL || armour == NULL || pack == NULL) {
        return;
    }
    hud_draw_label(render, 12, "health");
    hud_draw_number(render, art, 48, 180, health->points);
    render_image(render, art, art_picture(art, "STTPRCNT"), 48, 180, 1.0f);
    if (armour->points != 0) {
        hud_draw_label(render, 82, "armour");
        hud_draw_number(render, art, 118, 180, armour->points);
        render_image(render, art, art_picture(art, "STTPRCNT"), 118, 180, 1.0f);
    }
    if (held != 0 && held <= WEAPON_COUNT && weapon_table[held - 1].ammo != AMMO_NONE) {
        hud_draw_label(render, 266, "ammo");
        hud_draw_number(render, art, 294, 180, pack->rounds[weapon_table[held - 1].ammo]);
    }
    static const char* const keys[] = {"STKEYS0", "STKEYS1", "STKEYS2"};
    for (uint32_t i = 0; i < 3; ++i) {
        if ((pack->keys >> i & 1u) != 0) {
            render_image(render, art, art_picture(art, keys[i]), 300, 168 + 10 * (float)i, 1.0f);
        }
    }
}

/* --- texts ------------------------------------------------------------------------------------ */

static const char* const hud_help[] = {
    "W A S D, arrows    walk",          "mouse              turn, shoot",
    "E, space           use",           "1 - 9              weapons",
    "R, backspace       hold: rewind",  "K                  how did I die?",
    "Tab                map",           "N                  next map",
    "M                  more monsters", "C                  what systems cost",
    "H                  this help",     "Esc                quit",
};

/* On a dark ground: the view is as bright as letters. */
static void hud_draw_help(Render* render)
{
    const int lines = (int)(sizeof hud_help / sizeof hud_help[0]);
    int size = render_width(render) < 480 ? 1 : 2, line = 9 * size;
    int wide = 36 * 6 * size, tall = lines * line, x = (render_width(render) - wide) / 2;
    int y = (render_height(render) - tall) / 2;
    render_shade(render, x - 8 * size, y - 8 * size, wide + 16 * size, tall + 16 * size);
    for (int i = 0; i < lines; ++i) {
        render_text(render, x, y + line * i, size, hud_help[i]);
    }
}

static void hud_draw_costs(const Hud* hud, Render* render, const Simulation* sim)
{
    bool listed[SIMULATION_SYSTEMS_MAX] = {false};
    for (uint32_t row = 0; row < HUD_COSTS && row < simulation_system_count(); ++row) {
        uint32_t best = SIMULATION_SYSTEMS_MAX;
        for (uint32_t n = 0; n < simulation_system_count(); ++n) {
            if (!listed[n] && (best == SIMULATION_SYSTEMS_MAX ||
                               hud->system_times[n] > hud->system_times[best])) {
                best = n;
            }
        }
        listed[best] = true;
        char text[64];
        snprintf(text, sizeof text, "%7.3f ms  %s", (double)hud->system_times[best],
                 sett_system_name(sim->systems[best]));
        render_text(render, HUD_LEFT, 40 + (int)row * HUD_LINE, 1, text);
    }
}

static void hud_draw_lines(const Hud* hud, Render* render, const Session* session)
{
    const Simulation* sim = session->sim;
    char text[160];
    const SessionOthers* others = &session->others;
    const char* keys =
        others->tell == NULL ? "   H: keys   hold R: rewind" : "   H: keys   C: network";
    snprintf(text, sizeof text, "%s   kills %lu%s",
             sim->arenas[session_arena(session)].level.map.name,
             (unsigned long)session->facing.kills, hud->no_keys ? "" : keys);
    render_text(render, HUD_LEFT, 6, 1, text);
    if (others->tell != NULL) {
        others->tell(others->user, hud->costs, text, sizeof text);
        render_text(render, HUD_LEFT, 6 + 3 * HUD_LINE, 1, text);
    }
    uint32_t maps = sim->arena_count;
    snprintf(text, sizeof text, "%lu map%s, %lu monsters in one world", (unsigned long)maps,
             maps == 1 ? "" : "s", (unsigned long)sett_component_count(sim->world, Monster_id));
    render_text(render, HUD_LEFT, 6 + HUD_LINE, 1, text);
    if (hud->costs) {
        snprintf(text, sizeof text,
                 "tick %lu took %.1f ms   %lu frames a second, one made in %.1f ms",
                 (unsigned long)sim->dice.tick, (double)hud->tick_time,
                 (unsigned long)hud->frames_a_second, (double)hud->frame_time);
        render_text(render, HUD_LEFT, 6 + 2 * HUD_LINE, 1, text);
    }
}

static void hud_draw_mode(const Hud* hud, Render* render, const Session* session)
{
    char text[64] = "";
    float back = (float)session->ghost_last - session->shown;
    switch (session->mode) {
    case SESSION_REWINDS:
        snprintf(text, sizeof text, "- %.1f s", (double)(back / SIMULATION_TICKS_A_SECOND));
        break;
    case SESSION_RETURNS:
        snprintf(text, sizeof text, "...");
        break;
    case SESSION_KILLED:
        snprintf(text, sizeof text, "how it happened");
        break;
    case SESSION_PLAYS:
        if (session->died != 0) {
            snprintf(text, sizeof text,
                     hud->no_keys ? "dead.  hold rewind" : "dead.  hold R: rewind   K: how?");
        } else if (session_ghosts(session) != NULL && !hud->above) { /* the map has a legend */
            snprintf(text, sizeof text, "ghosts: what would have been");
        }
        break;
    }
    int size = render_width(render) < 480 ? 1 : 2;
    int y = hud->costs ? render_height(render) * 150 / 200 : 50;
    render_text(render, -1, y, session->mode == SESSION_REWINDS ? size * 2 : size, text);
}

void hud_draw(const Hud* hud, Render* render, Art* art, const Session* session)
{
    if (session->mode == SESSION_PLAYS) {
        hud_draw_body(render, art, session);
    }
    hud_draw_lines(hud, render, session);
    hud_draw_mode(hud, render, session);
    if (hud->costs) {
        hud_draw_costs(hud, render, session->sim);
    }
    if (hud->help) {
        hud_draw_help(render);
    }
}

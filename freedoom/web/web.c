/* web.c - see web.h. There is no window and no thread; files are those that the page has loaded, by
 * WASI:
 *
 *     first.wad    one map with its pictures (cut.c)
 *     levels.wad   all maps, to be simulated */
#include "web.h"

#include "demo.h"
#include "host.h"
#include "keys.h"
#include "together.h"
#include "trial.h"

#include "page_net.h"

#include <stdlib.h>
#include <string.h>

static const char* const web_first = "first.wad";
static const char* const web_levels = "levels.wad";

#define WEB_HEARD (SOUND_RATE / 4) /* of a frame, at most */

static struct Web {
    Simulation sim;
    Play play;
    Demo demo;
    Together together; /* `session` NULL: he is alone */
    uint32_t* rows;    /* red, green, blue, 255 */
    bool open;
    bool plays_itself;
    int16_t heard[WEB_HEARD * 2];
    uint32_t heard_count;
    Fault fault;
} web;

const char* web_fault(void)
{
    return web.fault.text;
}

/* --- the game --------------------------------------------------------------------------------- */

static void web_close(void)
{
    if (web.open) {
        if (web.together.session != NULL) {
            together_close(&web.together);
        }
        game_close(&web.play);
        demo_deinit(&web.demo);
        simulation_deinit(&web.sim);
        web.open = false;
    }
}

/* To the map of which there are pictures. */
static void web_go_there(void)
{
    const char* name = wad_map_name(&web.play.arts[0].wad, 0);
    for (uint32_t i = 0; i < web.sim.arena_count; ++i) {
        if (strcmp(web.sim.arenas[i].level.map.name, name) == 0) {
            session_go_to(web.play.session, i);
        }
    }
}

bool web_start(bool all, uint32_t seed, uint32_t width, uint32_t height)
{
    Trial maps = {all ? &web_levels : &web_first, 1};
    web_close();
    if (!trial_open(&maps, &web.sim, seed, &web.fault)) {
        return false;
    }
    uint32_t* rows = realloc(web.rows, (size_t)width * height * sizeof *rows);
    web.rows = rows != NULL ? rows : web.rows;
    web.open = true;
    bool good =
        game_open(&web.play, &web.sim, &web_first, 1, 0, (int)width, (int)height, &web.fault);
    web.play.spreads = true;
    if (!demo_init(&web.demo, 0) || rows == NULL) {
        return fault_set(&web.fault, "out of memory");
    }
    if (good) {
        web_go_there();
    }
    return good;
}

/* The version is the hash of the beginning, as that of the host (peers.c). */
bool web_join(uint32_t players, uint32_t player)
{
    if (players < 2 || players > COMPONENT_PLAYERS || player < 2 || player > players) {
        return fault_set(&web.fault, "player %u of %u: players are 2 to %u, and 1 is the host",
                         (unsigned)player, (unsigned)players, (unsigned)COMPONENT_PLAYERS);
    }
    const TogetherDesc desc = {.players = players,
                               .local = player - 1,
                               .version = sett_world_hash(web.sim.world),
                               .transport = page_net_transport()};
    if (!together_open(&web.together, &web.sim, &desc, &web.fault)) {
        return false;
    }
    session_join(web.play.session, together_others(&web.together), (uint16_t)player);
    return true;
}

const uint32_t* web_frame(float seconds, uint32_t held, uint32_t pressed, float mouse)
{
    Play* play = &web.play;
    GameControls controls = web.plays_itself ? demo_controls(&web.demo, play)
                                             : keys_controls(held, pressed, mouse, seconds);
    controls.help =
        controls.help && !web.plays_itself; /* its keys are of no use to those who watch */
    uint64_t start = host_nanoseconds();
    play->hud.frames_a_second = seconds > 0.0f ? (uint32_t)(1.0f / seconds + 0.5f) : 0;
    if (!game_frame(play, seconds < 0.2f ? seconds : 0.2f, &controls, &web.fault)) {
        return NULL;
    }
    size_t count = (size_t)render_width(play->render) * (size_t)render_height(play->render);
    render_copy_rows(play->render, web.rows, (size_t)render_width(play->render));
    for (size_t i = 0; i < count; ++i) {
        uint32_t colour = web.rows[i];
        web.rows[i] =
            0xff000000u | (colour & 0xffu) << 16 | (colour & 0xff00u) | (colour >> 16 & 0xffu);
    }
    game_note_time(play, host_nanoseconds() - start);
    return web.rows;
}

const int16_t* web_listen(float seconds)
{
    web.heard_count = game_listen(&web.play, seconds, web.heard, WEB_HEARD);
    return web.heard;
}

uint32_t web_heard(void)
{
    return web.heard_count;
}

float web_played(void)
{
    return (float)web.play.played * 1e-6f;
}

void web_play_itself(bool itself)
{
    web.plays_itself = itself;
}

void web_hide_keys(bool hidden)
{
    web.play.hud.no_keys = hidden;
}

/* --- for tests -------------------------------------------------------------------------------- */

uint64_t web_hash(void)
{
    return sett_world_hash(web.sim.world);
}

uint32_t web_tick(void)
{
    return web.sim.dice.tick;
}

uint32_t web_map_count(void)
{
    return web.sim.arena_count;
}

uint32_t web_mode(void)
{
    return (uint32_t)web.play.session->mode;
}

uint32_t web_ghosts(void)
{
    const Sight* ghosts = session_ghosts(web.play.session);
    return ghosts != NULL ? ghosts->actor_count : 0;
}

float web_x(void)
{
    return web.play.blend.render.x;
}

float web_y(void)
{
    return web.play.blend.render.y;
}

float web_angle(void)
{
    return web.play.angle;
}

static sett_session_stats web_stats(void)
{
    sett_session_stats stats = {.hash_frame = -1};
    if (web.together.session != NULL) {
        sett_session_stats_get(web.together.session, &stats);
    }
    return stats;
}

uint32_t web_compared(void)
{
    return (uint32_t)web_stats().compared;
}

int32_t web_final_frame(void)
{
    return (int32_t)web_stats().hash_frame;
}

uint64_t web_final_hash(void)
{
    return web_stats().hash;
}

uint32_t web_present(void)
{
    return web_stats().present;
}

bool web_simulate(uint32_t ticks)
{
    return trial_simulate(&web.sim, ticks, &web.fault);
}

uint64_t web_script(uint32_t number, uint32_t ticks)
{
    Trial maps = {&web_levels, 1};
    uint64_t hash;
    return trial_script(&maps, number, ticks, &hash, &web.fault) ? hash : 0;
}

float web_march(uint32_t entities, uint32_t rounds, bool numbers)
{
    return trial_march(entities, rounds, numbers);
}

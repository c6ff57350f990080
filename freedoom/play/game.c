/* game.c - see game.h. */
#include "game.h"

#include "host.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GAME_TURN 6.2831853f
#define GAME_EYE 41.0f
#define GAME_DEAD_EYE 10.0f
#define GAME_REWIND 4.0f /* times as fast as the game */
#define GAME_REPLAY 4.8f /* ticks are played again: so the world is there in time */
#define GAME_BUDGET 6u   /* of them in a frame, at most, */
#define GAME_REPLAY_TIME UINT64_C(8000000) /* ns; none begins later in the frame */
#define GAME_CATCH_UP 3 /* ticks in a frame, at most: a slow machine slows the game down */
#define GAME_HUD_TICKS 18u

/* --- making it -------------------------------------------------------------------------------- */

bool game_open(Play* play, Simulation* sim, const char* const* wads, uint32_t wad_count,
               uint32_t arena, int width, int height, Fault* fault)
{
    *play = (Play){.sim = sim, .session = calloc(1, sizeof *play->session)};
    play->render = render_create(width, height);
    if (play->session == NULL || play->render == NULL ||
        !overview_init(&play->overview, width, height) || !sound_open(&play->sound)) {
        return fault_set(fault, "out of memory");
    }
    for (uint32_t i = 0; i < wad_count && i < GAME_FILES; ++i) {
        if (!art_open(&play->arts[play->art_count], wads[i], fault)) {
            return false;
        }
        ++play->art_count;
    }
    return session_open(play->session, sim, arena, fault);
}

void game_close(Play* play)
{
    if (play->session != NULL && play->session->ring != NULL) {
        session_close(play->session);
    }
    for (uint32_t i = 0; i < play->art_count; ++i) {
        art_close(&play->arts[i]);
    }
    stage_close(&play->stage);
    sight_blend_free(&play->blend);
    overview_deinit(&play->overview);
    sound_close(&play->sound);
    render_destroy(play->render);
    free(play->session);
}

/* The pictures of the last file that has a map of this name, as with the maps; NULL if none has. */
static Art* game_find_art(Play* play, const char* map)
{
    for (uint32_t i = play->art_count; i-- > 0;) {
        for (uint32_t n = 0; n < play->arts[i].wad.map_count; ++n) {
            if (strcmp(wad_map_name(&play->arts[i].wad, n), map) == 0) {
                return &play->arts[i];
            }
        }
    }
    return NULL;
}

/* A map without pictures has none. */
static bool game_set_stage(Play* play, uint32_t arena, Fault* fault)
{
    if (play->stage_arena == arena && play->stage_known) {
        return true;
    }
    const Level* level = &play->sim->arenas[arena].level;
    Art* art = game_find_art(play, level->map.name);
    stage_close(&play->stage);
    play->stage_arena = arena;
    play->stage_known = art == NULL || stage_open(&play->stage, level, art, fault);
    return play->stage_known;
}

/* --- going on --------------------------------------------------------------------------------- */

static uint16_t game_steps(float angle)
{
    float turns = angle / GAME_TURN;
    return (uint16_t)((uint32_t)((turns - floorf(turns)) * 65536.0f) & 0xffffu);
}

static float game_radians(uint16_t angle)
{
    return (float)angle / 65536.0f * GAME_TURN;
}

/* There are more frames than ticks: what is pressed in one without a tick waits for the next. */
static void game_note_keys(Play* play, const GameControls* controls)
{
    bool uses = controls->use && !play->use_held;
    play->buttons |= (uint8_t)((controls->fire ? INPUT_FIRE : 0) | (uses ? INPUT_USE : 0) |
                               (controls->crowd ? INPUT_CROWD : 0));
    play->weapon = controls->weapon != 0 ? controls->weapon : play->weapon;
    play->use_held = controls->use;
    if (play->session->mode != SESSION_PLAYS) {
        play->buttons = play->weapon = 0;
    }
}

/* The order of a tick that begins. */
static Input game_order(Play* play, const GameControls* controls)
{
    Input input = {.forward = controls->forward,
                   .side = controls->side,
                   .buttons = (uint8_t)(play->buttons | (controls->fire ? INPUT_FIRE : 0)),
                   .weapon = play->weapon,
                   .angle = game_steps(play->angle)};
    play->buttons = play->weapon = 0;
    return input;
}

/* Colours the picture when something happens to him. */
static void game_feel(Play* play)
{
    const Session* session = play->session;
    const Health* health = SETT_FIND(play->sim->world, session->self, Health);
    int32_t points = health != NULL ? health->points : 0;
    if (points < play->health && session->mode == SESSION_PLAYS) {
        play->hurt = fminf(play->hurt + (float)(play->health - points) * 3.0f, 90.0f);
    }
    if (session->facing.items > play->items) {
        play->gain = 60.0f;
    }
    play->health = points;
    play->items = session->facing.items;
}

static bool game_tick(Play* play, const GameControls* controls, Fault* fault)
{
    Session* session = play->session;
    sett_entity before = session->self;
    uint64_t start = host_nanoseconds();
    Input input = play->sim->phase == 0 ? game_order(play, controls) : (Input){.weapon = 0};
    bool plays = session->mode == SESSION_PLAYS;
    play->sim->heard_arena = session_arena(session);
    if (!session_tick(session, input, fault)) {
        return false;
    }
    if (plays) {
        sound_note_tick(&play->sound, session, play->arts, play->art_count, play->angle);
    }
    play->tick_time = host_nanoseconds() - start + play->begun_time;
    play->begun_time = 0;
    if (!sett_is_null(session->self) && !sett_equals(session->self, before)) {
        play->angle = game_radians(human_start_angle(play->sim, &session->order));
        play->health = 0;
    }
    game_feel(play);
    return true;
}

static bool game_begin_tick(Play* play, const GameControls* controls, Fault* fault)
{
    uint64_t start = host_nanoseconds();
    Input input = play->sim->phase == 0 ? game_order(play, controls) : (Input){.weapon = 0};
    bool good = session_begin_tick(play->session, input, play->clock, fault);
    play->begun_time += host_nanoseconds() - start;
    return good;
}

/* What is not playing on begins between two ticks. */
static bool game_end_tick(Play* play, const GameControls* controls, Fault* fault)
{
    bool on = !controls->rewind && !controls->kill_cam && !controls->next_map;
    if (on || play->sim->phase == 0) {
        return true;
    }
    play->clock = 0.0f;
    return game_tick(play, controls, fault);
}

static bool game_play(Play* play, float seconds, const GameControls* controls, Fault* fault)
{
    play->clock += seconds * (float)SIMULATION_TICKS_A_SECOND;
    for (int i = 0; i < GAME_CATCH_UP && play->clock >= 1.0f; ++i) {
        if (!game_tick(play, controls, fault)) {
            return false;
        }
        play->clock -= 1.0f;
    }
    play->clock = fminf(play->clock, 1.0f);
    return !play->spreads || play->session->mode != SESSION_PLAYS ||
           game_begin_tick(play, controls, fault);
}

/* The view's direction is that of the past when he comes back from there. */
static void game_look_as_then(Play* play)
{
    const Session* session = play->session;
    uint32_t tick = session->sim->dice.tick;
    play->angle = game_radians(session->orders[(tick - 1) % SESSION_TICKS].input.angle);
    play->hurt = play->gain = 0.0f;
    play->clock = 0.0f;
}

/* Ticks to be played again in this frame: spread evenly, however many frames a second has. */
static uint32_t game_budget(Play* play, float ticks)
{
    play->credit = fminf(play->credit + ticks * GAME_REPLAY, (float)GAME_BUDGET);
    uint32_t budget = (uint32_t)play->credit;
    play->credit -= (float)budget;
    return budget;
}

static bool game_go_on(Play* play, float seconds, const GameControls* controls, Fault* fault)
{
    Session* session = play->session;
    SessionMode before = session->mode;
    bool good = true;
    if (controls->rewind && before == SESSION_PLAYS) {
        good = session_rewind_begin(session, fault);
    } else if (!controls->rewind && before == SESSION_REWINDS) {
        good = session_rewind_end(session, fault);
    } else if (controls->kill_cam) {
        good = session_kill_cam(session, fault);
    }
    float ticks = seconds * (float)SIMULATION_TICKS_A_SECOND;
    session->deadline = play->patient ? 0 : host_nanoseconds() + GAME_REPLAY_TIME;
    switch (session->mode) {
    case SESSION_REWINDS:
        return good &&
               session_rewind(session, ticks * GAME_REWIND, game_budget(play, ticks), fault);
    case SESSION_RETURNS:
        good = good && session_return(session, game_budget(play, ticks), fault);
        break;
    default:
        good = good && game_play(play, seconds, controls, fault);
        break;
    }
    if (before != SESSION_PLAYS && session->mode == SESSION_PLAYS) {
        game_look_as_then(play);
    }
    return good;
}

/* --- drawing ---------------------------------------------------------------------------------- */

/* Who looks, at what the picture shows. */
static sett_entity game_eyes(const Play* play, const Sight* to)
{
    const Session* session = play->session;
    if (session->mode == SESSION_KILLED && sight_find(to, session->killer) != NULL) {
        return session->killer;
    }
    return session->mode == SESSION_PLAYS ? session->body
                                          : session->selves[to->tick % SESSION_TICKS];
}

/* The eye where an actor stands: the last one that the blend was asked to leave out. */
static void game_set_eye(Play* play, const Sight* from, const Sight* to, float share,
                         sett_entity eyes)
{
    RenderScene* scene = &play->blend.render;
    const Session* session = play->session;
    const SightActor* last = sight_find(to, eyes);
    const SightActor* first = sight_find(from, eyes);
    if (last == NULL) {
        last = first;
    }
    if (last == NULL) {
        return;
    }
    RenderThing at = sight_thing(scene->stage, first, last, share);
    const ThingType* type = &thing_table[last->look];
    bool human = type->kind == THING_PLAYER;
    scene->x = at.x;
    scene->y = at.y;
    scene->z = at.z + (!last->alive ? GAME_DEAD_EYE
                       : human      ? GAME_EYE
                                    : (float)type->height * 0.75f);
    if (session->mode == SESSION_PLAYS) {
        bool steps_up = scene->z > play->eye && scene->z < play->eye + 48.0f;
        play->eye = steps_up ? play->eye + (scene->z - play->eye) * 0.3f : scene->z;
        scene->z = play->eye;
        scene->angle = play->angle;
        return;
    }
    play->eye = scene->z;
    scene->angle = game_radians(session->orders[(to->tick - 1) % SESSION_TICKS].input.angle);
    const SightActor* victim = sight_find(to, session->victim);
    if (session->mode == SESSION_KILLED && !human && victim != NULL) {
        scene->angle = atan2f((float)victim->position.y - (float)last->position.y,
                              (float)victim->position.x - (float)last->position.x);
    }
}

/* Keeps the eye between floor and ceiling, and lets it rise and fall with the steps. */
static void game_bob(Play* play, float seconds)
{
    const Session* session = play->session;
    RenderScene* scene = &play->blend.render;
    const Velocity* velocity = SETT_FIND(play->sim->world, session->self, Velocity);
    float speed = 0.0f;
    if (velocity != NULL && session->mode == SESSION_PLAYS) {
        speed = hypotf((float)velocity->x, (float)velocity->y) / (float)FIXED_ONE;
    }
    play->hud.stride += (fminf(speed / 16.0f, 1.0f) - play->hud.stride) * 0.2f;
    play->hud.bob += seconds * 11.0f;
    scene->z += sinf(play->hud.bob) * 3.0f * play->hud.stride;
    Fixed x = (Fixed)(scene->x * (float)FIXED_ONE), y = (Fixed)(scene->y * (float)FIXED_ONE);
    uint32_t sector = level_sector_at(scene->stage->level, x, y);
    float floor = scene->floors[sector] + 2.0f, ceiling = scene->ceilings[sector] - 2.0f;
    scene->z = fmaxf(fminf(scene->z, ceiling), floor);
}

static bool game_draw_view(Play* play, const Sight* from, const Sight* to, float share,
                           float seconds)
{
    sett_entity eyes = game_eyes(play, to);
    const Sight* ghosts = session_ghosts(play->session);
    if (!sight_blend(&play->blend, &play->stage, from, to, share, eyes) ||
        (ghosts != NULL && !sight_haunt(&play->blend, ghosts))) {
        return false;
    }
    game_set_eye(play, from, to, share, eyes);
    game_bob(play, seconds);
    if (!render_draw(play->render, &play->blend.render)) {
        return false;
    }
    hud_draw_weapon(&play->hud, play->render, play->stage.art, play->session);
    return true;
}

static void game_tint(Play* play, float seconds)
{
    if (play->session->mode == SESSION_REWINDS || play->session->mode == SESSION_RETURNS) {
        render_tint(play->render, 0x3060c0, 70);
    } else if (play->session->mode == SESSION_KILLED) {
        render_tint(play->render, 0xc03020, 50);
    } else if (play->hurt >= 1.0f) {
        render_tint(play->render, 0xff0000, (uint32_t)play->hurt);
    } else if (play->gain >= 1.0f) {
        render_tint(play->render, 0xffd070, (uint32_t)play->gain);
    }
    play->hurt -= play->hurt * fminf(seconds * 4.0f, 1.0f);
    play->gain -= play->gain * fminf(seconds * 6.0f, 1.0f);
}

static bool game_draw(Play* play, float seconds, Fault* fault)
{
    const Sight* from;
    const Sight* to;
    float share;
    if (!session_show(play->session, play->clock, &from, &to, &share)) {
        const SessionOthers* others = &play->session->others;
        char text[160];
        if (others->tell != NULL) { /* nothing to be seen before all are there */
            others->tell(others->user, false, text, sizeof text);
            render_text(play->render, -1, 90, 2, text);
        }
        return true;
    }
    if (!game_set_stage(play, to->arena, fault)) {
        return false;
    }
    bool seen = play->stage.art != NULL;
    bool good = play->above || !seen
                    ? overview_draw(&play->overview, play->render, play->sim, from, to, share,
                                    session_ghosts(play->session), game_eyes(play, to))
                    : game_draw_view(play, from, to, share, seconds);
    if (!good) {
        return fault_set(fault, "out of memory");
    }
    game_tint(play, seconds);
    play->hud.above = play->above || !seen;
    if (play->hud.above) {
        overview_draw_legend(play->render, session_ghosts(play->session) != NULL);
    }
    hud_draw(&play->hud, play->render, seen ? play->stage.art : &play->arts[0], play->session);
    return true;
}

bool game_frame(Play* play, float seconds, const GameControls* controls, Fault* fault)
{
    game_note_keys(play, controls);
    if (!game_end_tick(play, controls, fault)) {
        return false;
    }
    play->angle += play->session->mode == SESSION_PLAYS ? controls->turn : 0.0f;
    play->above = play->above != controls->map;
    play->hud.help = play->hud.help != controls->help;
    play->hud.costs = play->hud.costs != controls->costs;
    if (controls->next_map && play->session->mode == SESSION_PLAYS) {
        session_go_to(play->session, (session_arena(play->session) + 1) % play->sim->arena_count);
    }
    uint64_t start = host_nanoseconds();
    if (!game_go_on(play, seconds, controls, fault)) {
        return false;
    }
    play->played = host_nanoseconds() - start;
    if (play->sim->dice.tick - play->hud.looked_tick >= GAME_HUD_TICKS) {
        hud_look(&play->hud, play->sim);
    }
    bool good = game_draw(play, seconds, fault);
    play->drawn = host_nanoseconds() - start - play->played;
    return good;
}

uint32_t game_listen(Play* play, float seconds, int16_t* to, uint32_t room)
{
    const Session* session = play->session;
    bool stands = session->mode == SESSION_REWINDS || session->mode == SESSION_RETURNS;
    double tick =
        session->mode == SESSION_PLAYS ? (double)session->last_seen : (double)session->shown;
    tick += stands ? 0.0 : (double)play->clock - 1.0;
    return sound_play(&play->sound, tick, seconds, to, room);
}

void game_note_time(Play* play, uint64_t time)
{
    Hud* hud = &play->hud;
    hud->frame_time += ((float)time * 1e-6f - hud->frame_time) * 0.05f;
    hud->tick_time += ((float)play->tick_time * 1e-6f - hud->tick_time) * 0.05f;
}

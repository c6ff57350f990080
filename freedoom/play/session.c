/* session.c - see session.h. */
#include "session.h"

#include "host.h"

#include <stdlib.h>
#include <string.h>

#define SESSION_SECOND SIMULATION_TICKS_A_SECOND
#define SESSION_KILL_SECONDS 5u
#define SESSION_LEAD SESSION_SECOND /* ticks seen before the shown one: enough */
#define SESSION_SLOWING 0.3f        /* of the ticks to be played again: how far it runs on */

static bool session_fail(const Session* session, Fault* fault)
{
    return fault_set(fault, "tick %lu: %s", (unsigned long)session->sim->dice.tick,
                     sett_world_message(session->sim->world));
}

/* --- seeing ----------------------------------------------------------------------------------- */

static Sight* session_sight(Session* session, uint32_t tick)
{
    return &session->sights[tick % SESSION_SIGHTS];
}

static bool session_see(Session* session, Fault* fault)
{
    uint32_t tick = session->sim->dice.tick;
    if (!sight_capture(session_sight(session, tick), &session->queries, session->sim,
                       session->order.arena)) {
        return fault_set(fault, "out of memory");
    }
    return true;
}

/* There is room for so many. */
static void session_forget(Session* session)
{
    uint32_t last = session->last_seen;
    uint32_t first = last < SESSION_SIGHTS ? 0 : last - SESSION_SIGHTS + 1;
    session->first_seen = first > session->first_seen ? first : session->first_seen;
}

/* --- playing ---------------------------------------------------------------------------------- */

static size_t session_kept(const Session* session)
{
    sett_snapshot_stats stats;
    sett_snapshot_stats_get(session->sim->world, &stats);
    return stats.page_size;
}

/* A snapshot at the beginning of each second, unless it is there. */
static bool session_keep(Session* session, Fault* fault)
{
    uint32_t tick = session->sim->dice.tick;
    if (tick % SESSION_SECOND != 0 ||
        (tick == session->ring_tick && sett_ring_count(session->ring) != 0)) {
        return true;
    }
    uint64_t start = host_nanoseconds();
    if (sett_ring_take(session->ring) != SETT_OK) {
        return session_fail(session, fault);
    }
    uint64_t time = host_nanoseconds() - start;
    session->snapshot_time = time > session->snapshot_time ? time : session->snapshot_time;
    session->ring_tick = tick;
    size_t kept = session_kept(session);
    session->kept = kept > session->kept ? kept : session->kept;
    return true;
}

/* Prepares the tick for which the order was given, now or before. */
static bool session_obey(Session* session, Fault* fault)
{
    if (!session_keep(session, fault)) {
        return false;
    }
    const Order* order = &session->orders[session->sim->dice.tick % SESSION_TICKS];
    session->order.arena = order->arena;
    session->self = human_obey(session->sim, session->players, order);
    session->body = !sett_is_null(session->self) ? session->self : session->body;
    session->selves[(session->sim->dice.tick + 1) % SESSION_TICKS] = session->body;
    return true;
}

/* Plays it. */
static bool session_step(Session* session, Fault* fault)
{
    return session_obey(session, fault) && simulation_step(session->sim, fault);
}

/* What the tick did to the human. */
static void session_look_after(Session* session)
{
    sett_world* world = session->sim->world;
    const Facing* facing = SETT_FIND(world, session->body, Facing);
    bool lived = !sett_is_null(session->self);
    if (facing != NULL) {
        session->done.kills += facing->kills > session->facing.kills ? 1u : 0u;
        session->done.doors += facing->doors > session->facing.doors ? 1u : 0u;
        session->done.items += facing->items > session->facing.items ? 1u : 0u;
        session->facing = *facing;
    }
    if (lived && !SETT_HAS(world, session->self, Alive)) {
        session->died = session->sim->dice.tick;
        session->killer = session->facing.attacker;
        session->victim = session->self;
        session->self = sett_null();
    }
    if (lived && facing != NULL && facing->leaves != 0) {
        session_go_to(session, (session->order.arena + 1u) % session->sim->arena_count);
    }
}

void session_go_to(Session* session, uint32_t arena)
{
    if (session->others.advance != NULL) {
        return;
    }
    session->order.arena = (uint16_t)arena;
    session->first_seen = session->sim->dice.tick + 1; /* there is nothing between two maps */
    session->died = 0;
    session->ghost_first = 1;
    session->ghost_last = 0;
}

static bool session_command(Session* session, Input input, Fault* fault)
{
    session->order.input = input;
    session->orders[session->sim->dice.tick % SESSION_TICKS] = session->order;
    return session_obey(session, fault);
}

bool session_begin_tick(Session* session, Input input, float share, Fault* fault)
{
    if (session->others.advance != NULL) {
        return true; /* a tick that has begun could not be taken back */
    }
    bool begun = session->sim->phase != 0;
    return (begun || session_command(session, input, fault)) &&
           simulation_begin(session->sim, share, fault);
}

/* Asks the others, too. Sets *played if there was a tick. */
static bool session_play_along(Session* session, Input input, bool* played, Fault* fault)
{
    const SessionOthers* others = &session->others;
    sett_entity self = sett_null();
    int done = others->advance(others->user, input, &self);
    if (done < 0) {
        char why[200];
        others->tell(others->user, false, why, sizeof why);
        return fault_set(fault, "%s", why);
    }
    *played = done > 0;
    if (done > 0) {
        session->order.input = input;
        session->orders[(session->sim->dice.tick - 1) % SESSION_TICKS] = session->order;
        session->self = self;
        session->body = !sett_is_null(self) ? self : session->body;
        session->selves[session->sim->dice.tick % SESSION_TICKS] = session->body;
    }
    return true;
}

static bool session_play(Session* session, Input input, Fault* fault)
{
    bool begun = session->sim->phase != 0;
    bool played = true;
    if (session->others.advance != NULL) {
        if (!session_play_along(session, input, &played, fault)) {
            return false;
        }
    } else if ((!begun && !session_command(session, input, fault)) ||
               !simulation_step(session->sim, fault)) {
        return false;
    }
    if (!played) {
        return true;
    }
    session->last_seen = session->sim->dice.tick;
    session_forget(session);
    bool good = session_see(session, fault);
    session_look_after(session);
    return good;
}

/* Whether another tick is played again in this frame: the first always, the others in time. */
static bool session_has_time(const Session* session, uint32_t done, uint32_t budget)
{
    return done < budget &&
           (done == 0 || session->deadline == 0 || host_nanoseconds() < session->deadline);
}

/* Once more, as it was. */
static bool session_replay(Session* session, Fault* fault)
{
    ++session->done.replayed;
    return session_step(session, fault) && session_see(session, fault);
}

bool session_tick(Session* session, Input input, Fault* fault)
{
    if (session->mode == SESSION_PLAYS) {
        return session_play(session, input, fault);
    }
    if (session->mode == SESSION_KILLED) {
        if (!session_replay(session, fault)) {
            return false;
        }
        session->shown = (float)session->sim->dice.tick;
        if (session->sim->dice.tick >= session->target) {
            session->mode = SESSION_PLAYS;
            session_forget(session);
        }
    }
    return true;
}

/* --- back ------------------------------------------------------------------------------------- */

/* The tick of the oldest snapshot. */
static uint32_t session_oldest(const Session* session)
{
    return session->ring_tick - (sett_ring_count(session->ring) - 1) * SESSION_SECOND;
}

/* To the snapshot of this tick, which is one of those kept. */
static bool session_restore(Session* session, uint32_t tick, Fault* fault)
{
    uint64_t start = host_nanoseconds();
    if (sett_ring_restore(session->ring, (session->ring_tick - tick) / SESSION_SECOND) != SETT_OK) {
        return session_fail(session, fault);
    }
    simulation_reload(session->sim);
    uint64_t time = host_nanoseconds() - start;
    session->restore_time = time > session->restore_time ? time : session->restore_time;
    session->ring_tick = tick;
    session->order.arena = session->orders[tick % SESSION_TICKS].arena;
    return true;
}

/* The living of a sight that is left behind. */
static bool session_give_up(Session* session, uint32_t tick)
{
    const Sight* sight = session_sight(session, tick);
    Sight* ghosts = &session->ghosts[tick % SESSION_TICKS];
    if (ghosts->actor_room < sight->actor_count) {
        SightActor* grown = realloc(ghosts->actors, sight->actor_count * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        ghosts->actors = grown;
        ghosts->actor_room = sight->actor_count;
    }
    ghosts->tick = tick;
    ghosts->arena = sight->arena;
    ghosts->actor_count = 0;
    for (uint32_t i = 0; i < sight->actor_count; ++i) {
        if (sight->actors[i].alive) {
            ghosts->actors[ghosts->actor_count++] = sight->actors[i];
        }
    }
    return true;
}

/* All that lies ahead of what is shown. */
static bool session_give_up_to(Session* session, float shown)
{
    bool good = true;
    while (good && (float)session->ghost_first > shown && session->ghost_first > 0) {
        good = session_give_up(session, --session->ghost_first);
    }
    return good;
}

bool session_rewind_begin(Session* session, Fault* fault)
{
    if (session->mode == SESSION_RETURNS || session->mode == SESSION_KILLED ||
        session->others.advance != NULL || session->last_seen < session->first_seen) {
        return true;
    }
    session->mode = SESSION_REWINDS;
    ++session->done.rewinds;
    session->shown = (float)session->last_seen;
    session->ghost_last = session->ghost_first = session->last_seen;
    session->died = 0;
    return session_give_up(session, session->last_seen) || fault_set(fault, "out of memory");
}

/* Makes the second before the first one that is seen, a part of it a call: from its snapshot, which
 * is the first part, it is played again. */
static bool session_prepare(Session* session, uint32_t budget, Fault* fault)
{
    Simulation* sim = session->sim;
    uint32_t first = session->first_seen;
    uint32_t start = first == 0 ? 0 : (first - 1) / SESSION_SECOND * SESSION_SECOND;
    if (sim->dice.tick >= first) {
        bool enough = session->shown - (float)first > (float)SESSION_LEAD;
        if (enough || first == 0 || start < session_oldest(session)) {
            return true;
        }
        return session_restore(session, start, fault) && session_see(session, fault);
    }
    for (uint32_t i = 0; sim->dice.tick + 1 < first && session_has_time(session, i, budget); ++i) {
        if (!session_replay(session, fault)) {
            return false;
        }
    }
    session->first_seen = sim->dice.tick + 1 >= first ? start : first;
    return true;
}

bool session_rewind(Session* session, float ticks, uint32_t budget, Fault* fault)
{
    if (session->mode != SESSION_REWINDS) {
        return true;
    }
    float first = (float)session->first_seen;
    session->shown = session->shown - ticks > first ? session->shown - ticks : first;
    if (!session_give_up_to(session, session->shown)) {
        return fault_set(fault, "out of memory");
    }
    return session_prepare(session, budget, fault);
}

/* The world is some ticks before what is shown, and has to be played there: meanwhile the picture
 * runs on backwards, slower and slower, and they meet. So it never stands still. */
bool session_rewind_end(Session* session, Fault* fault)
{
    if (session->mode != SESSION_REWINDS) {
        return true;
    }
    uint32_t shown = (uint32_t)session->shown;
    bool good = session->sim->dice.tick <= shown ||
                session_restore(session, shown / SESSION_SECOND * SESSION_SECOND, fault);
    if (!good) {
        return false;
    }
    session->start = session->sim->dice.tick;
    session->released = session->shown;
    session->target = shown - (uint32_t)((float)(shown - session->start) * SESSION_SLOWING);
    if (session->target < session->first_seen) {
        session->target = session->first_seen;
    }
    session->mode = SESSION_RETURNS;
    return session_return(session, 0, fault);
}

/* From `released` to `target`, as far as the world has come. */
static float session_slow_down(const Session* session)
{
    if (session->target == session->start) {
        return (float)session->target;
    }
    float left = (float)(session->target - session->sim->dice.tick) /
                 (float)(session->target - session->start);
    return (float)session->target + (session->released - (float)session->target) * left * left;
}

bool session_return(Session* session, uint32_t budget, Fault* fault)
{
    for (uint32_t i = 0;
         session->sim->dice.tick < session->target && session_has_time(session, i, budget); ++i) {
        if (!session_replay(session, fault)) {
            return false;
        }
    }
    session->shown = session_slow_down(session);
    if (!session_give_up_to(session, session->shown)) {
        return fault_set(fault, "out of memory");
    }
    if (session->sim->dice.tick == session->target) {
        session->mode = SESSION_PLAYS;
        session->last_seen = session->target;
    }
    return true;
}

bool session_kill_cam(Session* session, Fault* fault)
{
    uint32_t tick = session->sim->dice.tick, back = SESSION_KILL_SECONDS * SESSION_SECOND;
    if (session->mode != SESSION_PLAYS || session->died == 0 || session->others.advance != NULL) {
        return true;
    }
    uint32_t start = (tick > back ? tick - back : 0) / SESSION_SECOND * SESSION_SECOND;
    uint32_t oldest = session_oldest(session);
    start = start > oldest ? start : oldest;
    session->target = tick;
    session->died = 0;
    session->mode = SESSION_KILLED;
    session->shown = (float)start;
    session->first_seen = start;
    ++session->done.kill_cams;
    return session_restore(session, start, fault) && session_see(session, fault);
}

/* --- the whole -------------------------------------------------------------------------------- */

bool session_open(Session* session, Simulation* sim, uint32_t arena, Fault* fault)
{
    *session = (Session){.sim = sim,
                         .order = {.arena = (uint16_t)arena, .number = 1},
                         .first_seen = 1,
                         .ghost_first = 1};
    session->players = human_query(sim->world);
    session->ring = sett_ring_create(sim->world, SESSION_SECONDS + 1);
    if (session->players == NULL || session->ring == NULL ||
        !sight_queries_open(&session->queries, sim->world)) {
        return session_fail(session, fault);
    }
    return true;
}

void session_join(Session* session, SessionOthers others, uint16_t number)
{
    session->others = others;
    session->order.number = number;
}

void session_close(Session* session)
{
    for (uint32_t i = 0; i < SESSION_SIGHTS; ++i) {
        sight_free(&session->sights[i]);
    }
    for (uint32_t i = 0; i < SESSION_TICKS; ++i) {
        sight_free(&session->ghosts[i]);
    }
    sett_ring_destroy(session->ring);
}

uint32_t session_arena(const Session* session)
{
    return session->order.arena;
}

bool session_show(const Session* session, float share, const Sight** from, const Sight** to,
                  float* mix)
{
    if (session->last_seen < session->first_seen) {
        return false;
    }
    uint32_t last = session->last_seen;
    bool stands = session->mode == SESSION_REWINDS || session->mode == SESSION_RETURNS;
    float tick =
        stands ? session->shown
               : (session->mode == SESSION_KILLED ? session->shown : (float)last) - 1.0f + share;
    tick = tick < (float)session->first_seen ? (float)session->first_seen : tick;
    uint32_t below = (uint32_t)tick;
    uint32_t above = below < last ? below + 1 : below;
    *from = &session->sights[below % SESSION_SIGHTS];
    *to = &session->sights[above % SESSION_SIGHTS];
    *mix = tick - (float)below;
    return true;
}

const Sight* session_ghosts(const Session* session)
{
    uint32_t tick = session->sim->dice.tick;
    if (session->mode != SESSION_PLAYS || tick < session->ghost_first ||
        tick > session->ghost_last) {
        return NULL;
    }
    const Sight* ghosts = &session->ghosts[tick % SESSION_TICKS];
    return ghosts->tick == tick && ghosts->arena == session->order.arena ? ghosts : NULL;
}

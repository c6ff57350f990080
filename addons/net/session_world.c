/* session_world.c: the world between two frames of a session; see net_session.h.
 *
 * A world has one session. Between two calls of sett_session_advance the program only reads it: the
 * other peers do not see what it writes there, which is a desync some frames later. Debug builds
 * compare the state at the end of a call and at the beginning of the next one, and name what was
 * written. Release builds do not look. */
#include "net_session.h"

#include <stdio.h>

/* -------------------------------------------------------------------------------- one a world */

/* A world with a session has a module of this name. Modules belong to the world and not to its
 * state: snapshots, hashes and files do not have them. */
#define WORLD_MODULE "sett::session"

static sett_status world_let_in(sett_world* world)
{
    (void)world;
    return SETT_OK;
}

/* Is called only if the world has no session; then the module is not imported. */
static sett_status world_reject(sett_world* world)
{
    (void)world;
    return SETT_STATUS_ABSENT;
}

/* Returns what is wrong; NULL if nothing is. */
const char* setti_session_take_world(sett_session* s, sett_world* world)
{
    const sett_status there = sett_module_import(world, WORLD_MODULE, world_reject);
    if (there == SETT_OK) {
        return "the world has a session already - destroy that session first";
    }
    if (there != SETT_STATUS_ABSENT ||
        sett_module_import(world, WORLD_MODULE, world_let_in) != SETT_OK) {
        return sett_world_message(world);
    }
    s->world = world;
    return NULL;
}

void setti_session_leave_world(sett_session* s)
{
    sett_module_forget(s->world, WORLD_MODULE);
}

/* --------------------------------------------------------------------------- writes in between */

#if defined(NDEBUG)

void setti_session_end_call(sett_session* s)
{
    (void)s;
}

void setti_session_begin_call(sett_session* s)
{
    (void)s;
}

#else

void setti_session_end_call(sett_session* s)
{
    s->noted = s->mode == SESSION_RUNS && setti_session_take(s) &&
               sett_state_hash(s->world, &s->noted_hash) == SETT_OK;
    s->noted_commands = sett_commands_count(sett_commands_here(s->world));
}

static void world_tell(const sett_session* s, const char* what)
{
    char text[400];
    snprintf(
        text, sizeof(text),
        "sett_session_advance: the world was changed outside of `play`, before frame %llu: "
        "%.200s (the first world is as `play` left it). Other peers do not see that: change it "
        "in `play`, by what the inputs say",
        (unsigned long long)s->frame, what);
    sett_world_log(s->world, SETT_LOG_ERROR, text);
}

/* Goes back to the state that was noted, names what differs, and returns: the game goes on as in a
 * release build. Returns whether it could. */
static bool world_compare(sett_session* s, sett_snapshot changed, sett_desync* found)
{
    const sett_snapshot noted = s->slot[s->frame % SESSION_SLOTS];
    sett_world* other = sett_world_create(&(sett_world_desc){.log_fn = sett_log_silent});
    const bool cloned = other != NULL && sett_world_clone(s->world, other) == SETT_OK;
    if (cloned && sett_snapshot_restore(s->world, noted) == SETT_OK) {
        setti_desync_describe(s->world, other, found);
        (void)sett_snapshot_restore(s->world, changed);
    }
    sett_world_destroy(other);
    return cloned;
}

void setti_session_begin_call(sett_session* s)
{
    uint64_t hash;
    if (!s->noted || s->mode != SESSION_RUNS) {
        return;
    }
    if (sett_commands_count(sett_commands_here(s->world)) != s->noted_commands) {
        world_tell(s, "commands were recorded");
    }
    if (sett_state_hash(s->world, &hash) != SETT_OK || hash == s->noted_hash) {
        return;
    }
    sett_desync found = {.text = "its state differs"};
    sett_snapshot changed;
    if (sett_snapshot_take(s->world, &changed) == SETT_OK) {
        (void)world_compare(s, changed, &found);
        (void)sett_snapshot_drop(s->world, s->slot[s->frame % SESSION_SLOTS]);
        s->slot[s->frame % SESSION_SLOTS] = changed;
    }
    world_tell(s, found.text);
}

#endif

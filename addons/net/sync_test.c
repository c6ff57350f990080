/* sync_test.c: see sett_sync_test in sett_net.h.
 *
 * Kept are the states before each of the last `distance` frames, and the present one. A replayed
 * frame is compared by its hash; only if that differs are both states looked at. A state that was
 * reached again replaces the first one, so that what a replay leaves outside of the world meets the
 * frames that follow. */
#include "../argument.h"
#include "desync.h"
#include "sett/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct sync_state {
    sett_snapshot snapshot;
    uint64_t hash;
} sync_state;

typedef struct sync_run {
    sett_world* world;
    sett_play_fn play;
    void* user;
    uint32_t capacity;
    sync_state* state; /* of the state before frame f: f % capacity */
} sync_run;

static sett_status sync_take(sync_run* run, sync_state* out)
{
    sett_status status = sett_snapshot_take(run->world, &out->snapshot);
    if (status != SETT_OK) {
        return status;
    }
    status = sett_state_hash(run->world, &out->hash);
    if (status != SETT_OK) {
        (void)sett_snapshot_drop(run->world, out->snapshot);
    }
    return status;
}

/* Replaces the state before a frame. */
static void sync_keep(sync_run* run, uint64_t frame, sync_state state)
{
    sync_state* slot = &run->state[frame % run->capacity];
    if (slot->snapshot.serial != 0) {
        (void)sett_snapshot_drop(run->world, slot->snapshot);
    }
    *slot = state;
}

void setti_desync_describe(sett_world* first, const sett_world* second, sett_desync* out)
{
    unsigned index, generation;
    if (sett_world_difference(first, second, out->text, sizeof(out->text)) == 0) {
        snprintf(out->text, sizeof(out->text),
                 "the frame count, the time or the timers of systems differ");
    } else if (sscanf(out->text, "entity %u:%u", &index, &generation) == 2) {
        out->entity = (sett_entity){index, generation};
    }
}

/* The world is as after the second play of the frame; afterwards it is as after the first one. */
static sett_status sync_describe(sync_run* run, sett_snapshot first, sett_desync* out)
{
    sett_world* second = sett_world_create(&(sett_world_desc){.log_fn = sett_log_silent});
    sett_status status = SETT_STATUS_OUT_OF_MEMORY;
    if (second != NULL) {
        status = sett_world_clone(run->world, second);
    }
    if (status == SETT_OK) {
        status = sett_snapshot_restore(run->world, first);
    }
    if (status == SETT_OK) {
        setti_desync_describe(run->world, second, out);
        status = SETT_STATUS_INVALID;
    }
    sett_world_destroy(second);
    return status;
}

/* Goes back to the state before frame `from`, and plays up to frame `to` again. */
static sett_status sync_again(sync_run* run, uint64_t from, uint64_t to, sett_desync* out)
{
    sync_state again;
    sett_status status =
        sett_snapshot_restore(run->world, run->state[from % run->capacity].snapshot);
    for (uint64_t frame = from; status == SETT_OK && frame <= to; frame++) {
        run->play(run->world, frame, run->user);
        status = sync_take(run, &again);
        if (status == SETT_OK && again.hash != run->state[(frame + 1) % run->capacity].hash) {
            out->frame = frame;
            status = sync_describe(run, run->state[(frame + 1) % run->capacity].snapshot, out);
            (void)sett_snapshot_drop(run->world, again.snapshot);
        } else if (status == SETT_OK) {
            sync_keep(run, frame + 1, again);
        }
    }
    return status;
}

static sett_status sync_run_all(sync_run* run, uint32_t frames, sett_desync* out)
{
    const uint64_t distance = run->capacity - 1;
    sett_status status = sync_take(run, &run->state[0]);
    for (uint64_t frame = 0; status == SETT_OK && frame < frames; frame++) {
        sync_state state;
        run->play(run->world, frame, run->user);
        status = sync_take(run, &state);
        if (status == SETT_OK) {
            sync_keep(run, frame + 1, state);
            status = sync_again(run, frame + 1 > distance ? frame + 1 - distance : 0, frame, out);
        }
    }
    return status;
}

sett_status sett_sync_test(sett_world* world, uint32_t frames, uint32_t distance, sett_play_fn play,
                           void* user, sett_desync* first)
{
    sett_desync ignored;
    sett_desync* out = first != NULL ? first : &ignored;
    memset(out, 0, sizeof(*out));
    if (ARGUMENT_IS_NULL(world) || play == NULL || distance == 0 || distance == UINT32_MAX) {
        return SETT_STATUS_ARGUMENT;
    }
    sync_run run = {world, play, user, distance + 1, NULL};
    run.state = calloc(run.capacity, sizeof(*run.state));
    if (run.state == NULL) {
        return SETT_STATUS_OUT_OF_MEMORY;
    }
    sett_status status = sync_run_all(&run, frames, out);
    for (uint32_t k = 0; k < run.capacity; k++) {
        if (run.state[k].snapshot.serial != 0) {
            (void)sett_snapshot_drop(world, run.state[k].snapshot);
        }
    }
    free(run.state);
    return status;
}

/* ------------------------------------------------------------------------------- of a session */

#define SYNC_HELD 6u    /* frames that an input stays the same: ten times a second it changes */
#define SYNC_ABSENT 50u /* frames that a player is away, now and then */
#define SYNC_WHO 64u    /* of random numbers: who is away. Below: a byte of an input */

typedef struct sync_session {
    const sett_session_desc* desc;
    uint64_t played; /* frames that were played once */
} sync_session;

/* Any bytes, the same ones each time that the frame is played. */
static void sync_play_session(sett_world* world, uint64_t frame, void* user)
{
    sync_session* of = user;
    const sett_session_desc* desc = of->desc;
    unsigned char bytes[SETT_SESSION_PLAYERS * 64] = {0};
    const uint32_t all = (1u << desc->players) - 1;
    const uint32_t away = (uint32_t)(sett_random(0, sett_null(), frame / SYNC_ABSENT, SYNC_WHO) %
                                     (2 * desc->players));
    sett_inputs inputs = {.frame = frame,
                          .players = desc->players,
                          .present = away < desc->players ? all & ~(1u << away) : all,
                          .again = frame < of->played,
                          .size = desc->input_size,
                          .bytes = bytes};
    inputs.predicted = inputs.again ? 0 : inputs.present & ~1u;
    for (uint32_t p = 0; p < desc->players; p++) {
        for (uint32_t k = 0; k < desc->input_size && (inputs.present >> p & 1) != 0; k++) {
            bytes[p * desc->input_size + k] =
                (unsigned char)(sett_random(p, sett_null(), frame / SYNC_HELD, k) >> 56);
        }
    }
    of->played = frame >= of->played ? frame + 1 : of->played;
    desc->play(world, &inputs, desc->user);
}

sett_status sett_session_sync_test(sett_world* world, const sett_session_desc* desc,
                                   uint32_t frames, uint32_t distance, sett_desync* first)
{
    sync_session of = {desc, 0};
    if (first != NULL) {
        memset(first, 0, sizeof(*first));
    }
    if (ARGUMENT_IS_NULL(world) || ARGUMENT_IS_NULL(desc) || desc->play == NULL ||
        desc->players < 1 || desc->players > SETT_SESSION_PLAYERS || desc->input_size < 1 ||
        desc->input_size > 64) {
        return SETT_STATUS_ARGUMENT;
    }
    return sett_sync_test(world, frames, distance, sync_play_session, &of, first);
}

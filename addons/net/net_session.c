/* net_session.c: the frames of a rollback session; see net_session.h. */
#include "net_session.h"
#include "../argument.h"

#include <stdio.h>
#include <stdlib.h>

/* --------------------------------------------------------------------------------------- small */

uint64_t setti_session_now(const sett_session* s)
{
    return s->desc.clock_us(s->desc.user);
}

void setti_session_event(sett_session* s, sett_session_event_kind kind, uint32_t player,
                         const char* text)
{
    sett_session_event event = {kind, player, (uint64_t)s->frame, text};
    if (s->desc.event != NULL) {
        s->desc.event(&event, s->desc.user);
    }
}

const char* sett_session_event_name(sett_session_event_kind kind)
{
    static const char* const names[] = {"SYNCHRONISED", "INTERRUPTED", "RESUMED", "GONE",
                                        "JOINED",       "AHEAD",       "DESYNC",  "REJECTED",
                                        "FAILED",       "WAITING"};
    return (unsigned)kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "unknown";
}

bool setti_session_spectates(const sett_session* s)
{
    return s->desc.local == SETT_SESSION_SPECTATOR;
}

bool setti_session_is_present(const sett_session* s, uint32_t player)
{
    return player < s->desc.players && (s->present >> player & 1) != 0;
}

static bool session_is_here(const sett_session* s)
{
    return setti_session_is_present(s, s->desc.local);
}

/* It cannot go on. The event says why: no session ends without one. */
void setti_session_end(sett_session* s, sett_session_event_kind kind, uint32_t player,
                       const char* text)
{
    if (s->mode != SESSION_ENDED) {
        s->mode = SESSION_ENDED;
        setti_session_event(s, kind, player, text);
    }
}

static void session_fail(sett_session* s, const char* why)
{
    char text[sizeof(s->text)];
    snprintf(text, sizeof(text), "the session ends: %.200s", why);
    sett_world_log(s->world, SETT_LOG_ERROR, text);
    setti_session_end(s, SETT_SESSION_FAILED, s->desc.local, text);
}

static bool session_check(sett_session* s, sett_status status)
{
    if (status != SETT_OK) {
        session_fail(s, sett_world_message(s->world));
    }
    return status == SETT_OK;
}

/* -------------------------------------------------------------------------------------- inputs */

unsigned char* setti_session_input(sett_session* s, int64_t frame, uint32_t player)
{
    size_t row = (size_t)(frame % SESSION_HISTORY) * s->desc.players + player;
    return s->input + row * s->desc.input_size;
}

static unsigned char* session_used(sett_session* s, int64_t frame)
{
    return s->used + (size_t)(frame % SESSION_HISTORY) * s->desc.players * s->desc.input_size;
}

int64_t setti_session_known(const sett_session* s)
{
    int64_t known = setti_session_spectates(s) ? s->fed : INT64_MAX;
    for (uint32_t p = 0; p < s->desc.players && !setti_session_spectates(s); p++) {
        if (setti_session_is_present(s, p) && s->last[p] < known) {
            known = s->last[p];
        }
    }
    return known != INT64_MAX ? known : s->frame - 1; /* no player is present */
}

int64_t setti_session_final(const sett_session* s)
{
    int64_t least = setti_session_known(s);
    for (uint32_t p = 0; p < s->desc.players && !setti_session_spectates(s); p++) {
        if (p != s->desc.local && setti_session_is_present(s, p) && s->peer[p].known < least) {
            least = s->peer[p].known;
        }
    }
    return least > s->stats.final_frame ? least : s->stats.final_frame;
}

unsigned char setti_session_mask(sett_session* s, int64_t frame)
{
    for (; s->mask_end <= frame; s->mask_end++) {
        s->mask[s->mask_end % SESSION_HISTORY] = (unsigned char)s->present;
    }
    return s->mask[frame % SESSION_HISTORY];
}

bool setti_session_receive_input(sett_session* s, uint32_t player, int64_t frame,
                                 const unsigned char* bytes)
{
    if (frame != s->last[player] + 1 || !setti_session_is_present(s, player) ||
        frame >= s->frame + (int64_t)SESSION_FUTURE) {
        return false;
    }
    memcpy(setti_session_input(s, frame, player), bytes, s->desc.input_size);
    s->last[player] = frame;
    const size_t at = (size_t)player * s->desc.input_size;
    if (frame < s->wrong && frame < s->frame &&
        memcmp(session_used(s, frame) + at, bytes, s->desc.input_size) != 0) {
        s->wrong = frame;
    }
    return true;
}

/* What the frame is played with, as far as that is known. */
static void session_gather(sett_session* s, int64_t frame, sett_inputs* out)
{
    static const unsigned char none[64] = {0};
    unsigned char* bytes = session_used(s, frame);
    const uint32_t size = s->desc.input_size;
    out->present = setti_session_mask(s, frame);
    for (uint32_t p = 0; p < s->desc.players; p++) {
        unsigned char* to = bytes + (size_t)p * size;
        int64_t last = setti_session_spectates(s) ? frame : s->last[p];
        if ((out->present >> p & 1) == 0) {
            memset(to, 0, size);
        } else if (frame <= last) {
            memcpy(to, setti_session_input(s, frame, p), size);
        } else {
            const unsigned char* from = last >= 0 ? setti_session_input(s, last, p) : none;
            out->predicted |= 1u << p;
            if (s->desc.predict != NULL) {
                s->desc.predict(p, from, (uint32_t)(frame - last), to, s->desc.user);
            } else {
                memcpy(to, from, size);
            }
        }
    }
    out->bytes = bytes;
}

static void session_submit(sett_session* s, const void* local_input)
{
    const uint32_t self = s->desc.local;
    while (session_is_here(s) && s->last[self] < s->frame + s->desc.input_delay) {
        (void)setti_session_receive_input(s, self, s->last[self] + 1, local_input);
    }
}

/* ------------------------------------------------------------------------------------ snapshots */

static uint32_t session_held_at(const sett_session* s, int64_t frame)
{
    uint32_t k = 0;
    while (k < s->held_count && s->held[k].frame != frame) {
        k++;
    }
    return k;
}

/* A snapshot that is held for a comparison stays. */
static void session_drop_slot(sett_session* s, uint32_t slot)
{
    if (s->slot_frame[slot] >= 0 && session_held_at(s, s->slot_frame[slot]) == s->held_count) {
        (void)sett_snapshot_drop(s->world, s->slot[slot]);
    }
    s->slot_frame[slot] = -1;
}

static void session_drop_held(sett_session* s, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        if (s->slot_frame[s->held[k].frame % SESSION_SLOTS] != s->held[k].frame) {
            (void)sett_snapshot_drop(s->world, s->held_snapshot[k]);
        }
    }
    s->held_count -= count;
    memmove(s->held, s->held + count, s->held_count * sizeof(*s->held));
    memmove(s->held_snapshot, s->held_snapshot + count, s->held_count * sizeof(sett_snapshot));
}

void setti_session_forget_snapshots(sett_session* s)
{
    session_drop_held(s, s->held_count);
    for (uint32_t k = 0; k < SESSION_SLOTS; k++) {
        session_drop_slot(s, k);
    }
}

bool setti_session_take(sett_session* s)
{
    uint32_t slot = (uint32_t)(s->frame % SESSION_SLOTS);
    if (s->slot_frame[slot] == s->frame) {
        return true;
    }
    session_drop_slot(s, slot);
    if (!session_check(s, sett_snapshot_take(s->world, &s->slot[slot]))) {
        return false;
    }
    s->slot_frame[slot] = s->frame;
    return true;
}

bool setti_session_restore(sett_session* s, int64_t frame)
{
    uint32_t slot = (uint32_t)(frame % SESSION_SLOTS);
    uint32_t held = session_held_at(s, frame);
    if (s->frame == frame) {
        return true;
    }
    bool here = s->slot_frame[slot] == frame;
    if (!here && held == s->held_count) {
        return false;
    }
    if (!session_check(
            s, sett_snapshot_restore(s->world, here ? s->slot[slot] : s->held_snapshot[held]))) {
        return false;
    }
    for (uint32_t k = 0; k < SESSION_SLOTS; k++) {
        if (s->slot_frame[k] > frame) {
            session_drop_slot(s, k);
        }
    }
    s->frame = frame;
    return true;
}

bool setti_session_play_to(sett_session* s, int64_t end, bool again)
{
    while (s->frame < end) {
        sett_inputs inputs = {
            (uint64_t)s->frame, s->desc.players, 0, 0, again, s->desc.input_size, NULL};
        if (!setti_session_take(s)) {
            return false;
        }
        session_gather(s, s->frame, &inputs);
        s->desc.play(s->world, &inputs, s->desc.user);
        s->frame++;
    }
    return true;
}

/* Plays again from the first frame that was played with wrong inputs. */
bool setti_session_roll_back(sett_session* s)
{
    const int64_t now = s->frame, from = s->wrong;
    const uint32_t back = (uint32_t)(now - from);
    s->wrong = INT64_MAX;
    if (from >= now) {
        return true;
    }
    if (!setti_session_restore(s, from)) {
        if (s->mode != SESSION_ENDED) {
            session_fail(
                s, "an input arrived for a frame whose snapshot is gone - drop no snapshots of "
                   "the session, and raise sett_snapshot_options.memory_limit");
        }
        return false;
    }
    if (!setti_session_play_to(s, now, true)) {
        return false;
    }
    s->stats.rollbacks++;
    s->stats.replayed += back;
    s->stats.deepest = back > s->stats.deepest ? back : s->stats.deepest;
    return true;
}

/* -------------------------------------------------------------------------------------- hashes */

static bool session_hash_frame(sett_session* s, int64_t frame)
{
    session_hash made = {frame, 0};
    uint32_t slot = (uint32_t)(frame % SESSION_SLOTS);
    if (s->slot_frame[slot] != frame) {
        return true; /* it began later */
    }
    if (!session_check(s, sett_snapshot_hash(s->world, s->slot[slot], &made.hash))) {
        return false;
    }
    if (s->held_count == SESSION_HELD) {
        session_drop_held(s, 1);
    }
    s->held[s->held_count] = made;
    s->held_snapshot[s->held_count++] = s->slot[slot];
    s->stats.hash = made.hash;
    s->stats.chain = (s->stats.chain ^ made.hash) * 0x9E3779B97F4A7C15u;
    s->stats.hash_frame = frame;
    return true;
}

/* Compares the latest hash of a peer, if that frame was hashed here. */
static void session_compare_peer(sett_session* s, uint32_t peer)
{
    session_peer* of = &s->peer[peer];
    uint32_t k = session_held_at(s, of->hash.frame);
    if (!of->connected || of->hash.frame <= of->compared || k == s->held_count) {
        return;
    }
    if (s->held[k].hash != of->hash.hash) {
        setti_session_found_desync(s, peer, of->hash.frame);
        return;
    }
    of->compared = of->hash.frame;
    s->stats.compared++;
}

/* Hashes what has become final, compares, and drops the snapshots that are not needed any more. */
void setti_session_compare(sett_session* s)
{
    const int64_t every = s->desc.hash_every;
    const int64_t final = s->stats.final_frame = setti_session_final(s);
    for (int64_t next = s->hashed + 1; next <= final + 1 && next < s->frame; next++) {
        if (next % every == 0 && !session_hash_frame(s, next)) {
            return;
        }
        s->hashed = next;
    }
    int64_t compared = s->hashed;
    for (uint32_t k = 0; k < SESSION_PEERS && s->mode == SESSION_RUNS; k++) {
        session_compare_peer(s, k);
        bool needed = setti_session_is_present(s, k) && k != s->desc.local;
        compared = needed && s->peer[k].compared < compared ? s->peer[k].compared : compared;
    }
    uint32_t count = 0;
    while (s->mode == SESSION_RUNS && count + 1 < s->held_count &&
           s->held[count].frame < compared) {
        count++;
    }
    session_drop_held(s, count);
    for (uint32_t k = 0; k < SESSION_SLOTS && s->mode == SESSION_RUNS; k++) {
        if (s->slot_frame[k] >= 0 && s->slot_frame[k] <= final && s->slot_frame[k] <= s->hashed) {
            session_drop_slot(s, k);
        }
    }
}

/* ------------------------------------------------------------------------------------- presence */

/* Returns whether the decision could be taken. Its frame is not final, and not far away. */
bool setti_session_decide(sett_session* s, session_change change)
{
    if (change.player >= s->desc.players || change.frame <= s->stats.final_frame ||
        change.frame < 0 || change.frame > s->frame + (int64_t)SESSION_FUTURE) {
        return false;
    }
    const uint32_t bit = 1u << change.player;
    (void)setti_session_mask(s, change.frame);
    for (int64_t f = change.frame; f < s->mask_end; f++) {
        unsigned char* mask = &s->mask[f % SESSION_HISTORY];
        *mask = (unsigned char)(change.present ? *mask | bit : *mask & ~bit);
    }
    s->present = change.present ? s->present | bit : s->present & ~bit;
    uint32_t lineage = s->lineage[s->serial % SESSION_CHANGES];
    lineage = (lineage ^ (uint32_t)change.frame) * 0x9E3779B1u;
    lineage = (lineage ^ (change.player << 1 | change.present)) * 0x85EBCA77u;
    s->change[s->serial++ % SESSION_CHANGES] = change;
    s->lineage[s->serial % SESSION_CHANGES] = lineage ^ lineage >> 15;
    session_peer* peer = &s->peer[change.player];
    peer->connected = peer->connected && !peer->left;
    peer->restarted = false;
    peer->late = true;
    peer->left = false;
    peer->interrupted = false;
    if (change.present) {
        s->last[change.player] = change.frame - 1;
        memset(setti_session_input(s, change.frame > 0 ? change.frame - 1 : 0, change.player), 0,
               s->desc.input_size);
        peer->heard_us = setti_session_now(s);
    }
    s->wrong = change.frame < s->wrong ? change.frame : s->wrong;
    sett_session_event event = {change.present ? SETT_SESSION_JOINED : SETT_SESSION_GONE,
                                change.player, (uint64_t)change.frame, ""};
    if (s->desc.event != NULL) {
        s->desc.event(&event, s->desc.user);
    }
    return true;
}

/* Who came or went, if others have decided that; of this machine decisions say so. */
void setti_session_tell_presence(sett_session* s, uint32_t before, int64_t frame)
{
    for (uint32_t p = 0; p < s->desc.players; p++) {
        const bool present = setti_session_is_present(s, p);
        if (p != s->desc.local && (before >> p & 1) != present) {
            sett_session_event event = {present ? SETT_SESSION_JOINED : SETT_SESSION_GONE, p,
                                        (uint64_t)frame, ""};
            if (s->desc.event != NULL) {
                s->desc.event(&event, s->desc.user);
            }
        }
    }
}

static bool session_is_silent(const sett_session* s, uint32_t player, uint64_t now)
{
    const session_peer* peer = &s->peer[player];
    return player != s->desc.local && (peer->restarted || peer->loads || peer->left ||
                                       now - peer->heard_us > (uint64_t)s->desc.timeout_ms * 1000);
}

/* The lowest player who is heard decides. */
static bool session_decides(const sett_session* s, uint64_t now)
{
    for (uint32_t p = 0; p < s->desc.players; p++) {
        if (setti_session_is_present(s, p) && !session_is_silent(s, p, now)) {
            return p == s->desc.local;
        }
    }
    return false;
}

/* One that knows that it is gone, has caught up, and hears all, joins some frames later: it has to
 * hear of it before. */
static void session_let_join(sett_session* s, uint32_t player, uint64_t now)
{
    const session_peer* peer = &s->peer[player];
    const int64_t lead = 4 + (int64_t)peer->ping_us / 8000;
    const int64_t near = 2 * (int64_t)s->desc.max_prediction + 8;
    if (peer->connected && peer->synced && peer->serial == s->serial &&
        now - peer->heard_us < (uint64_t)s->desc.interrupted_ms * 1000 &&
        s->frame - peer->frame <= near && s->frame - peer->known <= near + 2 * lead) {
        int64_t from = s->last[s->desc.local] + 1 + (lead < 40 ? lead : 40);
        (void)setti_session_decide(s, (session_change){from, player, true});
    }
}

/* A spectator hears its source only. */
static bool session_hears(const sett_session* s, uint32_t player)
{
    return setti_session_spectates(s)
               ? player == s->source
               : player != s->desc.local && setti_session_is_present(s, player);
}

static void session_watch(sett_session* s)
{
    uint64_t now = setti_session_now(s);
    for (uint32_t p = 0; p < s->desc.players; p++) {
        session_peer* peer = &s->peer[p];
        bool quiet = now - peer->heard_us > (uint64_t)s->desc.interrupted_ms * 1000;
        if (session_hears(s, p) && quiet != peer->interrupted) {
            peer->interrupted = quiet;
            setti_session_event(s, quiet ? SETT_SESSION_INTERRUPTED : SETT_SESSION_RESUMED, p, "");
        }
    }
    for (uint32_t p = 0; p < s->desc.players && session_decides(s, now); p++) {
        if (p == s->desc.local) {
            continue;
        }
        if (!setti_session_is_present(s, p)) {
            session_let_join(s, p, now);
        } else if (session_is_silent(s, p, now)) {
            (void)setti_session_decide(s, (session_change){s->last[p] + 1, p, false});
        }
    }
}

/* A spectator without its source looks for another player, and fetches the state there. */
void setti_session_look_for_source(sett_session* s)
{
    s->peer[s->source].connected = false;
    s->peer[s->source].interrupted = false;
    s->mode = SESSION_CONNECTS;
    s->told_us = setti_session_now(s);
}

/* Of a spectator: whether its source is there. */
static bool session_is_fed(sett_session* s)
{
    if (!setti_session_spectates(s) ||
        (s->peer[s->source].connected && !session_is_silent(s, s->source, setti_session_now(s)))) {
        return true;
    }
    setti_session_look_for_source(s);
    return false;
}

/* Others were not heard because this machine stood still: that does not make them silent. */
static void session_wake(sett_session* s)
{
    const uint64_t now = setti_session_now(s);
    const uint64_t since = s->called_us != 0 ? now - s->called_us : 0;
    const uint64_t still = since > (uint64_t)s->desc.timeout_ms * 1000 ? since : 0;
    for (uint32_t k = 0; k < SESSION_PEERS; k++) {
        s->peer[k].heard_us += still;
    }
    s->in_us += still;
    s->called_us = now;
}

/* -------------------------------------------------------------------------------------- playing */

/* Half of the difference of what both sides see: the latency is in both, and falls out. */
static bool session_is_ahead(sett_session* s)
{
    int64_t ahead = 0;
    for (uint32_t p = 0; p < s->desc.players; p++) {
        const session_peer* peer = &s->peer[p];
        if (p != s->desc.local && setti_session_is_present(s, p) && !peer->interrupted) {
            int64_t by = (s->frame - peer->frame - peer->advantage) / 2;
            ahead = by > ahead ? by : ahead;
        }
    }
    if (ahead < 2 || s->frame - s->waited < 8) {
        return false;
    }
    s->waited = s->frame;
    setti_session_event(s, SETT_SESSION_AHEAD, s->desc.local, "");
    return true;
}

/* How many frames to play now: 1, or more to catch up with the others. */
static int64_t session_due(const sett_session* s)
{
    const int64_t known = setti_session_known(s);
    int64_t others = 0;
    if (session_is_here(s)) {
        return s->frame - known <= (int64_t)s->desc.max_prediction ? 1 : 0;
    }
    for (uint32_t p = 0; p < s->desc.players; p++) {
        bool counts = setti_session_is_present(s, p) && s->peer[p].frame > others;
        others = counts ? s->peer[p].frame : others;
    }
    if (setti_session_spectates(s)) {
        others = s->fed - 4;
    }
    int64_t due = others - s->frame;
    due = due < 1 ? 1 : due > 10 ? 10 : due;
    return due < known + 1 - s->frame ? due : known + 1 > s->frame ? known + 1 - s->frame : 0;
}

static sett_session_state session_run(sett_session* s, const void* local_input)
{
    session_watch(s);
    if (!session_is_fed(s)) {
        return SETT_SESSION_WAIT;
    }
    if (!setti_session_roll_back(s)) {
        return SETT_SESSION_OVER;
    }
    setti_session_compare(s);
    if (s->mode != SESSION_RUNS) {
        return s->mode == SESSION_ENDED ? SETT_SESSION_OVER : SETT_SESSION_WAIT;
    }
    session_submit(s, local_input);
    int64_t due = session_due(s);
    if (due == 0) {
        s->stats.waits++;
        uint32_t in_a_row = ++s->waiting;
        s->stats.longest_wait = in_a_row > s->stats.longest_wait ? in_a_row : s->stats.longest_wait;
        return SETT_SESSION_WAIT;
    }
    s->waiting = 0;
    if (session_is_here(s) && session_is_ahead(s)) {
        return SETT_SESSION_WAIT;
    }
    return setti_session_play_to(s, s->frame + due, false) ? SETT_SESSION_PLAYED
                                                           : SETT_SESSION_OVER;
}

static void session_tell_waiting(sett_session* s, uint32_t player)
{
    char text[160];
    const double timeout = s->desc.timeout_ms / 1000.0;
    if (setti_session_spectates(s)) {
        snprintf(text, sizeof(text),
                 "no player has answered this spectator for %g s: do they play, and does the "
                 "transport reach them?",
                 timeout);
    } else {
        snprintf(text, sizeof(text),
                 "player %u has not answered for %g s: is it started, and does the transport "
                 "reach it?",
                 (unsigned)player, timeout);
    }
    setti_session_event(s, SETT_SESSION_WAITING, player, text);
}

/* Says once every timeout_ms who is missing. */
static void session_tell_missing(sett_session* s)
{
    const uint64_t now = setti_session_now(s);
    if (s->told_us != 0 && now - s->told_us <= (uint64_t)s->desc.timeout_ms * 1000) {
        return;
    }
    for (uint32_t p = 0; p < s->desc.players && s->told_us != 0; p++) {
        if (setti_session_spectates(s)) {
            session_tell_waiting(s, s->desc.local);
            break;
        }
        if (p != s->desc.local && !s->peer[p].connected) {
            session_tell_waiting(s, p);
        }
    }
    s->told_us = now;
}

static void session_connect(sett_session* s)
{
    bool all = !setti_session_spectates(s);
    for (uint32_t p = 0; p < s->desc.players; p++) {
        all = all && (p == s->desc.local || s->peer[p].connected);
    }
    if (all) {
        s->mode = SESSION_RUNS;
        uint64_t now = setti_session_now(s);
        for (uint32_t p = 0; p < s->desc.players; p++) {
            s->peer[p].heard_us = now;
        }
        setti_session_event(s, SETT_SESSION_SYNCHRONISED, s->desc.local, "");
    } else {
        session_tell_missing(s);
    }
}

sett_session_state sett_session_advance(sett_session* s, const void* local_input)
{
    sett_session_state state = SETT_SESSION_WAIT;
    if (argument_is_null(s, __func__, "session")) {
        return SETT_SESSION_OVER;
    }
    if (local_input == NULL && !setti_session_spectates(s)) {
        sett_world_log(
            s->world, SETT_LOG_ERROR,
            "sett_session_advance: `local_input` is NULL, and this machine has a player - pass "
            "input_size bytes");
        return s->mode == SESSION_ENDED ? SETT_SESSION_OVER : SETT_SESSION_WAIT;
    }
    setti_session_begin_call(s);
    session_wake(s);
    setti_session_receive_all(s);
    setti_session_greet(s);
    if (s->mode == SESSION_CONNECTS) {
        session_connect(s);
    }
    if (s->mode == SESSION_RUNS) {
        state = session_run(s, local_input);
    }
    if (s->mode == SESSION_LOADS || s->mode == SESSION_COMPARES) {
        setti_session_ask(s);
    }
    setti_session_send_all(s);
    setti_session_end_call(s);
    return s->mode == SESSION_ENDED ? SETT_SESSION_OVER : state;
}

void sett_session_set_delay(sett_session* s, uint32_t frames)
{
    if (!argument_is_null(s, __func__, "session")) {
        s->desc.input_delay = frames < SESSION_DELAY_MAX ? frames : SESSION_DELAY_MAX;
    }
}

void sett_session_stats_get(const sett_session* s, sett_session_stats* stats)
{
    if (ARGUMENT_IS_NULL(stats)) {
        return;
    }
    *stats = (sett_session_stats){.final_frame = -1, .hash_frame = -1};
    if (argument_is_null(s, __func__, "session")) {
        return;
    }
    *stats = s->stats;
    stats->frame = (uint64_t)s->frame;
    stats->present = s->present;
    for (uint32_t p = 0; p < SETT_SESSION_PLAYERS; p++) {
        stats->ping_us[p] = p < s->desc.players ? s->peer[p].ping_us : 0;
    }
}

/* --------------------------------------------------------------------------- beginning and end */

/* Returns what is wrong with the options; NULL if nothing is. */
static const char* session_fault(const sett_session_desc* desc)
{
    if (desc->players < 2 || desc->players > SETT_SESSION_PLAYERS) {
        return "`players` is not 2 to 8 - set another number";
    }
    if (desc->local >= desc->players && desc->local != SETT_SESSION_SPECTATOR) {
        return "`local` is not below `players` - set another number, or SETT_SESSION_SPECTATOR";
    }
    if (desc->input_size < 1 || desc->input_size > 64) {
        return "`input_size` is not 1 to 64 - set another number of bytes";
    }
    if (desc->input_delay > SESSION_DELAY_MAX || desc->max_prediction > SESSION_PREDICTION_MAX) {
        return "`input_delay` or `max_prediction` is above 32 - set both to at most 32";
    }
    if (desc->play == NULL || desc->transport.send == NULL || desc->transport.receive == NULL) {
        return "`play`, or `send` or `receive` of the transport is NULL - set all three";
    }
    return NULL;
}

static void session_defaults(sett_session_desc* desc)
{
    desc->max_prediction = desc->max_prediction != 0 ? desc->max_prediction : 8;
    desc->hash_every = desc->hash_every != 0 ? desc->hash_every : 10;
    desc->interrupted_ms = desc->interrupted_ms != 0 ? desc->interrupted_ms : 500;
    desc->timeout_ms = desc->timeout_ms != 0 ? desc->timeout_ms : 5000;
    desc->state_limit = desc->state_limit != 0 ? desc->state_limit : (size_t)64 << 20;
    desc->clock_us = desc->clock_us != NULL ? desc->clock_us : setti_proof_clock;
}

static void session_begin(sett_session* s)
{
    s->present = (1u << s->desc.players) - 1;
    s->wrong = INT64_MAX;
    s->fed = s->hashed = s->stats.final_frame = s->stats.hash_frame = -1;
    for (uint32_t p = 0; p < s->desc.players; p++) {
        s->last[p] = -1;
    }
    for (uint32_t k = 0; k < SESSION_PEERS; k++) {
        session_peer* peer = &s->peer[k];
        peer->acked = peer->known = peer->hash.frame = peer->compared = -1;
    }
    for (uint32_t k = 0; k < SESSION_SLOTS; k++) {
        s->slot_frame[k] = -1;
    }
    setti_proof_draw(s->secret);
    s->nonce = s->secret[0] * 0xD6E8FEB86659FD93u ^ s->secret[1];
}

sett_session* sett_session_create(sett_world* world, const sett_session_desc* desc)
{
    if (ARGUMENT_IS_NULL(world) || ARGUMENT_IS_NULL(desc)) {
        return NULL;
    }
    const char* fault = session_fault(desc);
    sett_session* s = fault == NULL ? calloc(1, sizeof(*s)) : NULL;
    if (s != NULL) {
        fault = setti_session_take_world(s, world);
    }
    if (fault != NULL) {
        char text[300];
        snprintf(text, sizeof(text), "sett_session_create: %.250s", fault);
        sett_world_log(world, SETT_LOG_ERROR, text);
    }
    if (s == NULL || fault != NULL) {
        free(s);
        return NULL;
    }
    s->desc = *desc;
    session_defaults(&s->desc);
    size_t inputs = (size_t)SESSION_HISTORY * desc->players * desc->input_size;
    s->input = calloc(1, inputs);
    s->used = calloc(1, inputs);
    if (s->input == NULL || s->used == NULL || !setti_session_list_types(s)) {
        sett_session_destroy(s);
        return NULL;
    }
    session_begin(s);
    return s;
}

void sett_session_destroy(sett_session* s)
{
    if (s == NULL) {
        return;
    }
    for (uint32_t k = 0; k < SESSION_PEERS; k++) {
        if (s->peer[k].connected) {
            setti_session_send(s, k, setti_session_packet(s, k, SESSION_BYE));
        }
    }
    setti_session_leave_world(s);
    setti_session_forget_snapshots(s);
    setti_session_free_blobs(s);
    free(s->types);
    free(s->types_both);
    free(s->input);
    free(s->used);
    free(s);
}

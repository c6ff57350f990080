/* session_state.c: states that are sent, to those who join and after a desync; see net_session.h.
 *
 * A state is cut into parts of 1 KB. The receiver asks for parts, some at a time, and again for
 * those that do not come: so the sender holds one state and nothing for each receiver. A new one is
 * not made while the last one is being fetched, unless that is so old that inputs since it may be
 * forgotten before it has been followed up.
 *
 * How many parts are under way follows from how long they take: a queue in front of a slow link
 * delays the inputs of those who play. Loss says nothing of it.
 *
 *     frame, decisions, who is present      of the sender
 *     masks and inputs from frame - 1 on    those that are known
 *     sett_state_encode                     the world before `frame` */
#include "net_session.h"

#include <stdio.h>
#include <stdlib.h>

#define STATE_MASKS 256u                    /* frames whose players are sent along */
#define STATE_ROWS 160u                     /* frames whose inputs are sent along, at most */
#define STATE_HEAD 16u                      /* bytes before the players' frames */
#define STATE_ASKED 16u                     /* parts in a question */
#define STATE_OLD (SESSION_HISTORY * 3 / 8) /* frames, after which it is not sent any more */
#define STATE_WINDOW_LEAST 8u               /* parts under way */
#define STATE_WINDOW_FIRST 32u
#define STATE_WINDOW_MOST 512u
#define STATE_QUEUE_US 60000u /* later than at best, beside what the link's jitter makes of it */
#define STATE_AGAIN_US 300000u
#define STATE_FRESH_US 1000000u /* a state is made at most so often */

typedef enum state_purpose {
    STATE_TO_JOIN,
    STATE_TO_COMPARE
} state_purpose;

static void state_free(session_blob* blob)
{
    free(blob->bytes);
    free(blob->asked_us);
    *blob = (session_blob){.frame = -1};
}

void setti_session_free_blobs(sett_session* s)
{
    state_free(&s->out);
    state_free(&s->in);
}

static uint32_t state_row(const sett_session* s)
{
    return s->desc.players * s->desc.input_size;
}

/* -------------------------------------------------------------------------------------- making */

static uint32_t state_rows(const sett_session* s)
{
    int64_t last = s->fed;
    for (uint32_t p = 0; p < s->desc.players; p++) {
        last = s->last[p] > last ? s->last[p] : last;
    }
    int64_t rows = last - s->frame + 2;
    return rows < 0 ? 0 : rows > (int64_t)STATE_ROWS ? STATE_ROWS : (uint32_t)rows;
}

/* What surrounds the state. Returns its size; `to` NULL: only that. */
static size_t state_write_head(sett_session* s, uint32_t rows, unsigned char* to)
{
    packet* p = packet_begin(&s->packet);
    packet_write_frame(p, s->frame);
    packet_write(p, s->serial, 4);
    packet_write(p, s->present, 1);
    packet_write(p, rows, 1);
    packet_write(p, s->desc.players, 1);
    packet_write(p, s->desc.input_size, 1);
    packet_write(p, s->lineage[s->serial % SESSION_CHANGES], 4);
    for (uint32_t k = 0; k < SETT_SESSION_PLAYERS; k++) {
        packet_write_frame(p, k < s->desc.players ? s->last[k] : -1);
    }
    for (uint32_t k = 0; k < STATE_MASKS; k++) {
        packet_write(p, setti_session_mask(s, s->frame + k), 1);
    }
    size_t size = p->at;
    if (to != NULL) {
        memcpy(to, p->bytes, size);
    }
    for (uint32_t k = 0; k < rows; k++) {
        if (to != NULL && s->frame + k > 0) {
            memcpy(to + size, setti_session_input(s, s->frame + k - 1, 0), state_row(s));
        }
        size += state_row(s);
    }
    return size;
}

/* Of the world as it is: before s->frame. */
static bool state_make(sett_session* s)
{
    const uint32_t rows = state_rows(s);
    const size_t head = state_write_head(s, rows, NULL);
    size_t size = 0;
    state_free(&s->out);
    if (sett_state_encode(s->world, NULL, 0, &size) != SETT_OK || size > UINT32_MAX - head) {
        return false;
    }
    s->out.bytes = calloc(1, head + size);
    if (s->out.bytes == NULL ||
        sett_state_encode(s->world, s->out.bytes + head, size, &size) != SETT_OK) {
        state_free(&s->out);
        return false;
    }
    (void)state_write_head(s, rows, s->out.bytes);
    s->out.size = (uint32_t)(head + size);
    s->out.frame = s->frame;
    s->out.made_us = setti_session_now(s);
    return true;
}

/* The latest state that no input can change: it goes back there, and plays again. */
static bool state_make_final(sett_session* s)
{
    const int64_t now = s->frame;
    int64_t final = s->stats.final_frame + 1;
    final = final < now ? final : now;
    if (!setti_session_roll_back(s) || !setti_session_restore(s, final)) {
        return false;
    }
    bool made = state_make(s);
    return setti_session_play_to(s, now, true) && made;
}

/* ------------------------------------------------------------------------------------- sending */

static void state_send_part(sett_session* s, uint32_t peer, state_purpose purpose, uint32_t part)
{
    const uint32_t parts = (s->out.size + SESSION_CHUNK - 1) / SESSION_CHUNK;
    if (part >= parts) {
        return;
    }
    uint32_t size = s->out.size - part * SESSION_CHUNK;
    size = size < SESSION_CHUNK ? size : SESSION_CHUNK;
    packet* p = setti_session_packet(s, peer, SESSION_PART);
    packet_write(p, purpose, 1);
    packet_write_frame(p, s->out.frame);
    packet_write(p, s->out.size, 4);
    packet_write(p, part, 4);
    packet_write_bytes(p, s->out.bytes + (size_t)part * SESSION_CHUNK, size);
    setti_session_send(s, peer, p);
}

static bool state_is_older(const sett_session* s, uint32_t frames)
{
    return s->out.bytes == NULL || s->out.frame + (int64_t)frames < s->frame;
}

/* Whether there is a state for this question. */
static bool state_is_ready(sett_session* s, uint32_t peer, state_purpose purpose, int64_t frame)
{
    if (purpose == STATE_TO_COMPARE) {
        return s->mode >= SESSION_COMPARES && s->out.bytes != NULL;
    }
    if (s->mode != SESSION_RUNS || setti_session_is_present(s, peer)) {
        return false;
    }
    const uint64_t now = setti_session_now(s);
    const bool begun = frame == s->out.frame;
    const bool fetched = now - s->wanted_us < STATE_FRESH_US;
    s->wanted_us = begun ? now : s->wanted_us;
    if (!begun && fetched && state_is_older(s, STATE_OLD / 2)) {
        return false; /* it would be too old at its end: this peer asks again, or another one */
    }
    const bool other = !begun && !fetched && s->out.frame + 30 < s->stats.final_frame;
    if ((state_is_older(s, STATE_OLD) || other) && now - s->out_us >= STATE_FRESH_US &&
        state_make_final(s)) {
        s->out_us = s->wanted_us = now;
    }
    return s->mode == SESSION_RUNS && !state_is_older(s, STATE_OLD);
}

void setti_session_receive_ask(sett_session* s, uint32_t peer, packet* p)
{
    const state_purpose purpose =
        packet_read(p, 1) == STATE_TO_COMPARE ? STATE_TO_COMPARE : STATE_TO_JOIN;
    const int64_t frame = packet_frame(p);
    const uint32_t count = (uint32_t)packet_read(p, 1);
    if (p->bad || count > STATE_ASKED) {
        s->stats.rejected++;
        return;
    }
    s->peer[peer].heard_us = setti_session_now(s);
    if (!state_is_ready(s, peer, purpose, frame)) {
        return;
    }
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t part = packet_u32(p);
        if (!p->bad) {
            state_send_part(s, peer, purpose, part);
        }
    }
}

/* -------------------------------------------------------------------------------------- asking */

void setti_session_load(sett_session* s, uint32_t source)
{
    if (s->mode == SESSION_RUNS && setti_session_is_present(s, s->desc.local)) {
        setti_session_event(s, SETT_SESSION_GONE, s->desc.local,
                            "the others have played on without this machine: it fetches the state "
                            "and joins again");
    }
    setti_session_forget_snapshots(s);
    state_free(&s->in);
    s->mode = SESSION_LOADS;
    s->source = source;
    s->in_us = s->peer[source].heard_us = setti_session_now(s);
}

static void state_tell_lost(sett_session* s, uint32_t lost)
{
    char text[160];
    snprintf(text, sizeof(text),
             "player %u does not send the state of the game: player %u is asked for it",
             (unsigned)lost, (unsigned)s->source);
    setti_session_event(s, SETT_SESSION_WAITING, lost, text);
}

/* The source is not heard any more, or has nothing to send. */
static void state_lose_source(sett_session* s)
{
    const uint32_t lost = s->source;
    if (s->mode == SESSION_COMPARES) {
        snprintf(s->desync.text, sizeof(s->desync.text),
                 "the states differ before frame %llu; that of peer %u did not arrive: call "
                 "sett_session_advance for timeout_ms after the end, on all machines",
                 (unsigned long long)s->desync.frame, (unsigned)lost);
        setti_session_end(s, SETT_SESSION_DESYNC, lost, s->desync.text);
        return;
    }
    if (setti_session_spectates(s)) {
        setti_session_look_for_source(s);
        return;
    }
    for (uint32_t k = 1; k <= s->desc.players; k++) {
        uint32_t other = (lost + k) % s->desc.players;
        if (s->peer[other].connected && !s->peer[other].left && other != s->desc.local) {
            setti_session_load(s, other);
            state_tell_lost(s, lost);
            return;
        }
    }
    setti_session_end(s, SETT_SESSION_FAILED, lost,
                      "the session ends: no player is left who could send the state of the game. "
                      "Create a session to begin a new one");
}

/* Chooses parts to ask for: those that did not come, and new ones. Returns how many. */
static uint32_t state_choose(session_blob* in, uint64_t now, uint32_t* part, uint32_t room)
{
    const uint64_t again = in->usual_us != 0 ? in->usual_us * 3 / 2 + 100000 : STATE_AGAIN_US;
    uint32_t under_way = 0, count = 0;
    for (uint32_t k = 0; k < in->parts; k++) {
        under_way += in->asked_us[k] != UINT64_MAX && now - in->asked_us[k] <= again;
    }
    for (uint32_t k = 0; k < in->parts && count < room && under_way < in->window; k++) {
        if (in->asked_us[k] != UINT64_MAX && now - in->asked_us[k] > again) {
            in->asked_us[k] = in->asked_us[k] == 0 ? now & ~1ull : now | 1;
            part[count++] = k;
            under_way++;
        }
    }
    return count;
}

void setti_session_ask(sett_session* s)
{
    const uint64_t now = setti_session_now(s);
    const session_peer* source = &s->peer[s->source];
    uint32_t part[STATE_ASKED], count = 0;
    if (!source->connected || source->left ||
        now - s->in_us > (uint64_t)s->desc.timeout_ms * 1000) {
        state_lose_source(s);
        return;
    }
    if (s->in.bytes == NULL) {
        part[count++] = 0;
    }
    count += state_choose(&s->in, now, part + count, STATE_ASKED - count);
    if (count != 0) {
        packet* p = setti_session_packet(s, s->source, SESSION_ASK);
        packet_write(p, s->mode == SESSION_COMPARES ? STATE_TO_COMPARE : STATE_TO_JOIN, 1);
        packet_write_frame(p, s->in.bytes != NULL ? s->in.frame : -1);
        packet_write(p, count, 1);
        for (uint32_t k = 0; k < count; k++) {
            packet_write(p, part[k], 4);
        }
        setti_session_send(s, s->source, p);
    }
}

/* ----------------------------------------------------------------------------------- receiving */

static bool state_begin(sett_session* s, int64_t frame, uint32_t size)
{
    state_free(&s->in);
    if (size > s->desc.state_limit) {
        return false;
    }
    s->in.parts = (size + SESSION_CHUNK - 1) / SESSION_CHUNK;
    s->in.bytes = malloc(size);
    s->in.asked_us = calloc(s->in.parts, sizeof(uint64_t));
    if (s->in.bytes == NULL || s->in.asked_us == NULL) {
        state_free(&s->in);
        return false;
    }
    s->in.frame = frame;
    s->in.size = size;
    s->in.window = STATE_WINDOW_FIRST;
    return true;
}

/* A part took so long: the window grows, twofold in that time until it was too large once, and then
 * by one; or becomes smaller. */
static void state_adapt(session_blob* in, uint64_t now, uint64_t took)
{
    in->least_us = in->least_us == 0 || took < in->least_us ? took : in->least_us;
    in->usual_us = in->usual_us == 0 ? took : (in->usual_us * 15 + took) / 16;
    if (in->usual_us > in->least_us + in->least_us / 2 + STATE_QUEUE_US) {
        if (now - in->slowed_us > in->usual_us) {
            in->window = in->window * 3 / 4;
            in->slowed_us = now;
        }
        in->grown = 0;
    } else if (++in->grown >= (in->slowed_us != 0 ? in->window : 1)) {
        in->window++;
        in->grown = 0;
    }
    in->window = in->window < STATE_WINDOW_LEAST  ? STATE_WINDOW_LEAST
                 : in->window > STATE_WINDOW_MOST ? STATE_WINDOW_MOST
                                                  : in->window;
}

static void state_refuse(sett_session* s, uint32_t size)
{
    char text[160];
    snprintf(text, sizeof(text),
             "the state of the game has %u bytes, more than `state_limit`, %llu bytes - raise "
             "`state_limit`",
             (unsigned)size, (unsigned long long)s->desc.state_limit);
    setti_session_end(s, SETT_SESSION_FAILED, s->source, text);
}

/* The rest of a state is not sent any more: it has become too old. */
static void state_tell_late(sett_session* s)
{
    char text[250];
    snprintf(text, sizeof(text),
             "the state of the game, %u bytes, did not arrive within %u frames, and is fetched "
             "again: it needs a faster connection, or fewer bytes (SETT_SAVE_SKIP)",
             (unsigned)s->in.size, (unsigned)STATE_OLD);
    setti_session_event(s, SETT_SESSION_WAITING, s->source, text);
}

/* Reads what surrounds the state. Returns where the state begins; 0 if it is wrong. */
static size_t state_read_head(sett_session* s, packet* p)
{
    p->size = s->in.size < SETT_NET_DATAGRAM ? s->in.size : SETT_NET_DATAGRAM;
    p->at = 0;
    p->bad = false;
    memcpy(p->bytes, s->in.bytes, p->size);
    p->at = 9; /* after frame, decisions and players: the number of rows, ... */
    const uint32_t rows = (uint32_t)packet_read(p, 1);
    const bool fits = packet_read(p, 1) == s->desc.players;
    const bool size_fits = packet_read(p, 1) == s->desc.input_size;
    const size_t head = STATE_HEAD + 4 * SETT_SESSION_PLAYERS + STATE_MASKS;
    const size_t end = head + (size_t)rows * state_row(s);
    return !p->bad && fits && size_fits && rows <= STATE_ROWS && end < s->in.size ? end : 0;
}

/* Frames, decisions and inputs, as the sender has them. */
static void state_take_over(sett_session* s, packet* p)
{
    p->at = 0;
    s->frame = packet_frame(p);
    s->serial = packet_u32(p);
    s->present = (uint32_t)packet_read(p, 1) & ((1u << s->desc.players) - 1);
    const uint32_t rows = (uint32_t)packet_read(p, 1);
    (void)packet_read(p, 2);
    s->lineage_from = s->serial;
    s->lineage[s->serial % SESSION_CHANGES] = packet_u32(p);
    for (uint32_t k = 0; k < SETT_SESSION_PLAYERS; k++) {
        int64_t last = packet_frame(p);
        int64_t most = s->frame + (int64_t)rows - 2;
        if (k < s->desc.players) {
            s->last[k] = last < most ? last : most;
        }
    }
    for (uint32_t k = 0; k < STATE_MASKS; k++) {
        s->mask[(s->frame + k) % SESSION_HISTORY] = (unsigned char)packet_read(p, 1);
    }
    s->mask_end = s->frame + STATE_MASKS;
    const unsigned char* from = s->in.bytes + p->at;
    memset(s->input, 0, (size_t)SESSION_HISTORY * state_row(s));
    for (uint32_t k = 0; k < rows; k++, from += state_row(s)) {
        if (s->frame + k > 0) {
            memcpy(setti_session_input(s, s->frame + k - 1, 0), from, state_row(s));
        }
    }
    s->follows = true;
    s->fed = s->hashed = s->stats.final_frame = s->frame - 1;
    s->stats.hash_frame = -1; /* what was hashed before is of another past */
    s->waited = s->frame;
    s->wrong = INT64_MAX;
    for (uint32_t k = 0; k < SESSION_PEERS; k++) {
        session_peer* peer = &s->peer[k];
        peer->known = peer->compared = s->frame - 1;
        peer->acked = s->frame - 1;
        peer->hash.frame = -1;
        peer->heard_us = setti_session_now(s);
        peer->synced = peer->restarted = false;
        peer->late = true;
    }
}

static void state_join(sett_session* s, size_t at)
{
    packet p;
    (void)state_read_head(s, &p);
    sett_status status =
        sett_state_apply(s->world, s->in.bytes + at, s->in.size - at, s->desc.state_limit * 2);
    if (status != SETT_OK) {
        setti_session_end(s, SETT_SESSION_REJECTED, s->source, sett_world_message(s->world));
        return;
    }
    const uint32_t before = s->present;
    state_take_over(s, &p);
    s->mode = SESSION_RUNS;
    setti_session_event(s, SETT_SESSION_SYNCHRONISED, s->source, "");
    setti_session_tell_presence(s, before, s->frame);
}

static void state_save(sett_session* s, sett_world* world, const char* name, uint32_t peer)
{
    char path[512];
    int length = snprintf(path, sizeof(path), "%s_%s", s->desc.desync_path, name);
    if (peer < SESSION_PEERS) {
        length = snprintf(path, sizeof(path), "%s_%s%u", s->desc.desync_path, name, (unsigned)peer);
    }
    if (length > 0 && (size_t)length + sizeof(".sett") <= sizeof(path)) {
        memcpy(path + length, ".sett", sizeof(".sett"));
        (void)sett_world_save(world, path);
    }
}

/* The other state is loaded into a world of its own, beside this one. */
static void state_compare(sett_session* s, size_t at)
{
    sett_desync* found = &s->desync;
    sett_world* other = sett_world_create(&(sett_world_desc){.log_fn = sett_log_silent});
    char text[200] = "the states differ; memory ran out before they were compared";
    found->frame = (uint64_t)s->in.frame;
    if (other != NULL && sett_world_clone(s->world, other) == SETT_OK &&
        sett_state_apply(other, s->in.bytes + at, s->in.size - at, s->desc.state_limit * 2) ==
            SETT_OK) {
        setti_desync_describe(s->world, other, found);
        memcpy(text, found->text, sizeof(text));
        text[sizeof(text) - 1] = '\0';
        if (s->desc.desync_path != NULL) {
            state_save(s, s->world, "mine", SESSION_PEERS);
            state_save(s, other, "peer", s->source);
        }
    }
    sett_world_destroy(other);
    snprintf(found->text, sizeof(found->text), "before frame %llu: %s",
             (unsigned long long)found->frame, text);
    setti_session_end(s, SETT_SESSION_DESYNC, s->source, found->text);
}

/* All parts are here. */
static void state_finish(sett_session* s)
{
    packet p;
    const size_t at = state_read_head(s, &p);
    if (at == 0) {
        s->stats.rejected++;
        state_free(&s->in);
    } else if (s->mode == SESSION_LOADS) {
        state_join(s, at);
        state_free(&s->in);
    } else if (setti_session_restore(s, s->in.frame)) {
        state_compare(s, at);
        state_free(&s->in);
    } else {
        state_lose_source(s); /* a frame that is not held any more */
    }
}

void setti_session_receive_part(sett_session* s, uint32_t peer, packet* p)
{
    const state_purpose purpose =
        packet_read(p, 1) == STATE_TO_COMPARE ? STATE_TO_COMPARE : STATE_TO_JOIN;
    const int64_t frame = packet_frame(p);
    const uint32_t size = packet_u32(p);
    const uint32_t part = packet_u32(p);
    const bool wanted = s->mode == (purpose == STATE_TO_COMPARE ? SESSION_COMPARES : SESSION_LOADS);
    if (p->bad || !wanted || peer != s->source || frame < 0 || size == 0) {
        return;
    }
    s->peer[peer].heard_us = setti_session_now(s);
    if (s->in.bytes == NULL || frame > s->in.frame || size != s->in.size) {
        if (s->in.arrived != 0 && frame > s->in.frame + (int64_t)STATE_OLD / 2) {
            state_tell_late(s);
        }
        if (purpose == STATE_TO_JOIN && size > s->desc.state_limit) {
            state_refuse(s, size);
        }
        if (!state_begin(s, frame, size)) {
            return;
        }
    }
    if (frame != s->in.frame || part >= s->in.parts || s->in.asked_us[part] == UINT64_MAX) {
        return; /* of another state, or here already */
    }
    uint32_t length = size - part * SESSION_CHUNK;
    length = length < SESSION_CHUNK ? length : SESSION_CHUNK;
    const unsigned char* bytes = packet_bytes(p, length);
    if (bytes == NULL) {
        s->stats.rejected++;
        return;
    }
    const uint64_t now = s->in_us = setti_session_now(s), asked = s->in.asked_us[part];
    memcpy(s->in.bytes + (size_t)part * SESSION_CHUNK, bytes, length);
    s->in.asked_us[part] = UINT64_MAX;
    if (asked != 0 && asked % 2 == 0) {
        state_adapt(&s->in, now, now - asked);
    }
    if (++s->in.arrived == s->in.parts) {
        state_finish(s);
    }
}

/* Two hashes of a frame differ. The session stops at that frame; each side asks for the other's
 * state. */
void setti_session_found_desync(sett_session* s, uint32_t peer, int64_t frame)
{
    s->source = peer;
    s->mode = SESSION_COMPARES;
    s->desync = (sett_desync){.frame = (uint64_t)frame};
    s->in_us = s->peer[peer].heard_us = setti_session_now(s);
    state_free(&s->in);
    if (!setti_session_restore(s, frame) || !state_make(s)) {
        snprintf(s->desync.text, sizeof(s->desync.text),
                 "the states differ before frame %llu; memory ran out before they were compared",
                 (unsigned long long)frame);
        setti_session_end(s, SETT_SESSION_DESYNC, peer, s->desync.text);
    }
}

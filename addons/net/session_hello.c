/* session_hello.c: the handshake; see net_session.h.
 *
 *     HELLO      versions, hash of all types, who it is, nonce, cookie      96 bytes
 *     CHALLENGE  the cookie that this address has to show                   17 bytes
 *     WELCOME    or REJECTION with a reason, and what its side has
 *
 * Nothing is stored for an address that has not shown its cookie, and it gets less than it sent.
 * After a rejection because of types each side asks for the other's table, and names the type. */
#include "net_session.h"

#include <stdio.h>
#include <stdlib.h>

#define HELLO_MAGIC 0x54544553u /* "SETT" */
#define HELLO_SIZE 96u          /* more than any answer to an address that is not proven */
#define HELLO_EVERY_US 100000u
#define HELLO_NAME 60u /* bytes of a type's name that are sent */

typedef enum hello_reason {
    HELLO_FITS,
    HELLO_PROTOCOL,
    HELLO_LIBRARY,
    HELLO_GAME,
    HELLO_OPTIONS,
    HELLO_PLACE,
    HELLO_TYPES,
    HELLO_REASONS
} hello_reason;

static const char* const hello_reasons[HELLO_REASONS] = {"",
                                                         "another protocol of sett::net",
                                                         "another version of Sett",
                                                         "another version of the game",
                                                         "other options",
                                                         "another player at this address",
                                                         "other types"};

static const char* const hello_remedies[HELLO_REASONS] = {
    "",
    "build all with one version of Sett",
    "build all with one version of Sett",
    "start the same version of the game",
    "set the same options",
    "let all transports use the numbers of players",
    "register the same types"};

/* ------------------------------------------------------------------------------------- numbers */

static bool hello_proves(const sett_session* s, uint32_t peer, uint64_t nonce, uint64_t cookie)
{
    return setti_proof_holds(s->secret, peer, nonce, setti_session_now(s), cookie);
}

static uint32_t hello_token(const sett_session* s, uint32_t peer)
{
    return (uint32_t)setti_proof_sign(s->secret, (uint64_t)peer << 1 | 1, s->nonce);
}

/* --------------------------------------------------------------------------------------- types */

static uint32_t hello_options(const sett_session* s)
{
    return s->desc.players | s->desc.input_size << 8 | s->desc.hash_every << 16;
}

static const char* hello_type_name(const sett_session* s, uint32_t k)
{
    return sett_component_name(s->world, s->types[k].component);
}

/* The library's own types are not compared: some are registered at the first use, and a state that
 * is read registers those that it has. */
bool setti_session_list_types(sett_session* s)
{
    sett_stats stats;
    sett_world_stats(s->world, &stats);
    s->types = calloc(stats.components + 1, sizeof(*s->types));
    uint32_t seen = 0;
    for (sett_component id = 1; s->types != NULL && seen < stats.components; id++) {
        const bool own = id >= SETT_ID_HIERARCHY && id < SETT_ID_RESERVED_END;
        seen += sett_component_name(s->world, id) != NULL;
        if (!own && sett_component_name(s->world, id) != NULL) {
            proof_type type = setti_proof_type(s->world, id);
            s->types[s->type_count++] = type;
            s->layout += setti_proof_mix(type.name, type.layout);
        }
    }
    return s->types != NULL;
}

/* --------------------------------------------------------------------------------------- hello */

static void hello_send(sett_session* s, uint32_t peer)
{
    packet* p = setti_session_packet(s, peer, SESSION_HELLO);
    packet_write(p, HELLO_MAGIC, 4);
    packet_write(p, SESSION_PROTOCOL, 4);
    packet_write(p, (uint64_t)sett_version(), 4);
    packet_write(p, s->desc.game_version, 8);
    packet_write(p, s->layout, 8);
    packet_write(p, hello_options(s), 4);
    packet_write(p, s->desc.local, 4);
    packet_write(p, s->nonce, 8);
    packet_write(p, hello_token(s, peer), 4);
    packet_write(p, s->peer[peer].cookie, 8);
    packet_write(p, s->mode == SESSION_RUNS, 1);
    while (p->at < HELLO_SIZE) {
        packet_write(p, 0, 1);
    }
    setti_session_send(s, peer, p);
}

static void hello_ask_types(sett_session* s, uint32_t peer)
{
    packet* p = setti_session_packet(s, peer, SESSION_TYPES_ASK);
    packet_write(p, s->nonce, 8);
    packet_write(p, s->peer[peer].cookie, 8);
    packet_write(p, s->peer[peer].types_from - 1, 2);
    setti_session_send(s, peer, p);
}

/* A spectator tries one player after another. A player that is not heard any more may be another
 * program by now, which does not know this one. */
static bool hello_is_due(const sett_session* s, uint32_t peer, uint64_t now)
{
    const session_peer* of = &s->peer[peer];
    const bool heard = now - of->heard_us <= (uint64_t)s->desc.interrupted_ms * 1000;
    if (peer == s->desc.local || (of->connected && heard) || s->mode >= SESSION_COMPARES) {
        return false;
    }
    if (setti_session_spectates(s)) {
        return s->mode == SESSION_CONNECTS ? now / 1000000 % s->desc.players == peer
                                           : peer == s->source;
    }
    return s->mode != SESSION_RUNS || setti_session_is_present(s, peer);
}

void setti_session_greet(sett_session* s)
{
    const uint64_t now = setti_session_now(s);
    for (uint32_t k = 0; k < s->desc.players; k++) {
        session_peer* peer = &s->peer[k];
        if (hello_is_due(s, k, now) && now - peer->hello_us >= HELLO_EVERY_US) {
            peer->hello_us = now;
            if (peer->types_from != 0) {
                hello_ask_types(s, k);
            } else {
                hello_send(s, k);
            }
        }
    }
}

/* Another program at this place begins anew. */
static void hello_connect(sett_session* s, uint32_t peer, uint64_t nonce, uint32_t token)
{
    session_peer* of = &s->peer[peer];
    if (!of->connected || of->nonce != nonce) {
        bool runs = s->mode >= SESSION_RUNS && setti_session_is_present(s, peer);
        *of = (session_peer){.late = of->late,
                             .cookie = of->cookie,
                             .hello_us = of->hello_us,
                             .acked = -1,
                             .known = -1,
                             .hash = {-1, 0},
                             .compared = -1};
        of->restarted = runs && !of->late;
        of->frame = s->frame;
    }
    of->connected = true;
    of->nonce = nonce;
    of->theirs = token;
    of->mine = hello_token(s, peer);
    of->heard_us = setti_session_now(s);
}

static hello_reason hello_check(const sett_session* s, uint32_t peer, packet* p)
{
    const bool protocol = packet_u32(p) == SESSION_PROTOCOL;
    const bool library = packet_u32(p) == (uint32_t)sett_version();
    const bool game = packet_read(p, 8) == s->desc.game_version;
    const bool types = packet_read(p, 8) == s->layout;
    const bool options = packet_u32(p) == hello_options(s);
    const uint32_t local = packet_u32(p);
    const bool place = peer < s->desc.players ? local == peer : local == SETT_SESSION_SPECTATOR;
    return !protocol  ? HELLO_PROTOCOL
           : !library ? HELLO_LIBRARY
           : !game    ? HELLO_GAME
           : !options ? HELLO_OPTIONS
           : !place   ? HELLO_PLACE
           : !types   ? HELLO_TYPES
                      : HELLO_FITS;
}

static void hello_receive(sett_session* s, uint32_t peer, packet* p)
{
    const bool ours = p->size == HELLO_SIZE && packet_u32(p) == HELLO_MAGIC;
    const hello_reason reason = hello_check(s, peer, p);
    const uint64_t nonce = packet_read(p, 8);
    const uint32_t token = packet_u32(p);
    const uint64_t cookie = packet_read(p, 8);
    const bool runs = packet_read(p, 1) != 0;
    packet* answer = packet_begin(&s->packet);
    if (!ours || p->bad) {
        s->stats.rejected++;
        return;
    }
    if (!hello_proves(s, peer, nonce, cookie)) {
        packet_write(answer, SESSION_CHALLENGE, 1);
        packet_write(answer, nonce, 8);
        packet_write(answer, setti_proof_cookie(s->secret, peer, nonce, setti_session_now(s)), 8);
    } else if (reason != HELLO_FITS) {
        packet_write(answer, SESSION_REJECTION, 1);
        packet_write(answer, nonce, 8);
        packet_write(answer, reason, 1);
        packet_write(answer, SESSION_PROTOCOL, 4);
        packet_write(answer, (uint64_t)sett_version(), 4);
        packet_write(answer, s->desc.game_version, 8);
        packet_write(answer, hello_options(s), 4);
        packet_write(answer, peer, 4);
    } else if (s->mode == SESSION_ENDED || (s->mode == SESSION_CONNECTS && runs)) {
        return; /* whether this machine is in its game is in its answer to a greeting from here */
    } else {
        hello_connect(s, peer, nonce, token);
        const session_peer* of = &s->peer[peer];
        bool expected = s->mode != SESSION_RUNS ||
                        (setti_session_is_present(s, peer) && !of->restarted && !of->late);
        packet_write(answer, SESSION_WELCOME, 1);
        packet_write(answer, nonce, 8);
        packet_write(answer, s->nonce, 8);
        packet_write(answer, of->mine, 4);
        packet_write(answer, expected, 1);
    }
    setti_session_send(s, peer, answer);
}

static void hello_welcomed(sett_session* s, uint32_t peer, packet* p)
{
    const uint64_t nonce = packet_read(p, 8);
    const uint32_t token = packet_u32(p);
    const bool expected = packet_read(p, 1) != 0;
    if (p->bad) {
        s->stats.rejected++;
        return;
    }
    if (setti_session_spectates(s) && s->mode != SESSION_CONNECTS) {
        return; /* it has a source */
    }
    hello_connect(s, peer, nonce, token);
    if (s->mode == SESSION_CONNECTS && (!expected || setti_session_spectates(s))) {
        setti_session_load(s, peer);
    }
}

static void hello_reject(sett_session* s, uint32_t peer, const char* format, const char* name)
{
    int length = snprintf(s->text, sizeof(s->text), "peer %u: ", (unsigned)peer);
    snprintf(s->text + length, sizeof(s->text) - (size_t)length, format, name);
    setti_session_end(s, SETT_SESSION_REJECTED, peer, s->text);
}

/* Adds a value to the text, if it is another one there. */
static void hello_write_value(char* text, size_t size, const char* name, uint64_t there,
                              uint64_t here)
{
    const size_t used = strlen(text);
    if (there != here) {
        snprintf(text + used, size - used, "%s%s %llu, here %llu", used != 0 ? "; " : "it has ",
                 name, (unsigned long long)there, (unsigned long long)here);
    }
}

/* What the other side has, and this one. */
static void hello_write_values(const sett_session* s, uint32_t reason, packet* p, char* text,
                               size_t size)
{
    const uint32_t protocol = packet_u32(p), library = packet_u32(p);
    const uint64_t game = packet_read(p, 8);
    const uint32_t options = packet_u32(p), place = packet_u32(p);
    text[0] = '\0';
    if (!p->bad && reason == HELLO_PROTOCOL) {
        hello_write_value(text, size, "protocol", protocol, SESSION_PROTOCOL);
    } else if (!p->bad && reason == HELLO_LIBRARY) {
        hello_write_value(text, size, "version of Sett", library, (uint32_t)sett_version());
    } else if (!p->bad && reason == HELLO_GAME) {
        hello_write_value(text, size, "game_version", game, s->desc.game_version);
    } else if (!p->bad && reason == HELLO_OPTIONS) {
        hello_write_value(text, size, "players", options & 0xFF, s->desc.players);
        hello_write_value(text, size, "input_size", options >> 8 & 0xFF, s->desc.input_size);
        hello_write_value(text, size, "hash_every", options >> 16, s->desc.hash_every & 0xFFFF);
    } else if (!p->bad && reason == HELLO_PLACE) {
        char local[32];
        snprintf(local, sizeof(local), "player %u", (unsigned)s->desc.local);
        snprintf(text, size, "its transport numbers this machine %u, but `local` is %s here",
                 (unsigned)place, setti_session_spectates(s) ? "SETT_SESSION_SPECTATOR" : local);
    }
    if (text[0] == '\0') {
        snprintf(text, size, "it has %s", hello_reasons[reason]);
    }
    const size_t used = strlen(text);
    snprintf(text + used, size - used, " - %s", hello_remedies[reason]);
}

static void hello_rejected(sett_session* s, uint32_t peer, packet* p)
{
    char text[200];
    const uint32_t reason = (uint32_t)packet_read(p, 1);
    if (p->bad || reason == HELLO_FITS || reason >= HELLO_REASONS || s->mode >= SESSION_RUNS ||
        s->peer[peer].connected) {
        return;
    }
    if (reason == HELLO_TYPES) {
        s->peer[peer].types_from = 1; /* ask for its table */
    } else {
        hello_write_values(s, reason, p, text, sizeof(text));
        hello_reject(s, peer, "%.200s", text);
    }
}

/* ------------------------------------------------------------------------------ tables of types */

/* Entries from the one that was asked for on, as many as fit. */
static void hello_send_types(sett_session* s, uint32_t peer, packet* p)
{
    const uint64_t nonce = packet_read(p, 8);
    const uint64_t cookie = packet_read(p, 8);
    const uint32_t from = (uint32_t)packet_read(p, 2);
    if (p->bad || !hello_proves(s, peer, nonce, cookie) || from > s->type_count) {
        s->stats.rejected++;
        return;
    }
    packet* answer = setti_session_packet(s, peer, SESSION_TYPES);
    packet_write(answer, nonce, 8);
    packet_write(answer, from, 2);
    packet_write(answer, s->type_count, 2);
    for (uint32_t k = from; k < s->type_count; k++) {
        const char* name = hello_type_name(s, k);
        const size_t whole = strlen(name);
        const uint32_t length = whole < HELLO_NAME ? (uint32_t)whole : HELLO_NAME;
        if (answer->at + 9 + length > SETT_NET_DATAGRAM) {
            break;
        }
        packet_write(answer, s->types[k].name, 4);
        packet_write(answer, s->types[k].layout, 4);
        packet_write(answer, length, 1);
        packet_write_bytes(answer, name, length);
    }
    setti_session_send(s, peer, answer);
}

/* Returns whether this side has the type; ends the session if it is another one here. */
static bool hello_compare_type(sett_session* s, uint32_t peer, uint32_t name, uint32_t layout)
{
    for (uint32_t k = 0; k < s->type_count; k++) {
        if (s->types[k].name == name) {
            s->types_both[k] = true;
            if (s->types[k].layout != layout) {
                hello_reject(s, peer,
                             "the type \"%.100s\" has another layout there - register it alike",
                             hello_type_name(s, k));
            }
            return true;
        }
    }
    return false;
}

/* After the last entry: a type that only one side has. */
static void hello_name_missing(sett_session* s, uint32_t peer)
{
    for (uint32_t k = 0; k < s->type_count; k++) {
        if (!s->types_both[k]) {
            hello_reject(s, peer, "it does not have the type \"%.100s\" - register the same types",
                         hello_type_name(s, k));
            return;
        }
    }
    hello_reject(s, peer,
                 "it has the type \"%.100s\", which is missing here - register the same types",
                 s->types_missing);
}

static void hello_compare_types(sett_session* s, uint32_t peer, packet* p)
{
    session_peer* of = &s->peer[peer];
    const uint32_t from = (uint32_t)packet_read(p, 2);
    const uint32_t total = (uint32_t)packet_read(p, 2);
    if (p->bad || of->types_from != from + 1 || s->mode >= SESSION_RUNS) {
        return;
    }
    if (s->types_both == NULL) {
        s->types_both = calloc(s->type_count + 1, sizeof(*s->types_both));
    }
    while (s->types_both != NULL && p->at < p->size && s->mode < SESSION_RUNS) {
        const uint32_t name = packet_u32(p), layout = packet_u32(p);
        const uint32_t length = (uint32_t)packet_read(p, 1);
        const unsigned char* text = packet_bytes(p, length);
        if (text == NULL) {
            return;
        }
        if (!hello_compare_type(s, peer, name, layout) && s->types_missing[0] == '\0') {
            snprintf(s->types_missing, sizeof(s->types_missing), "%.*s", (int)length,
                     (const char*)text);
        }
        of->types_from++;
    }
    if (s->types_both != NULL && s->mode < SESSION_RUNS && of->types_from > total) {
        hello_name_missing(s, peer);
    }
}

void setti_session_receive_hello(sett_session* s, uint32_t peer, uint32_t kind, packet* p)
{
    if (kind == SESSION_HELLO) {
        hello_receive(s, peer, p);
    } else if (kind == SESSION_TYPES_ASK) {
        hello_send_types(s, peer, p);
    } else if (packet_read(p, 8) != s->nonce || p->bad || peer >= s->desc.players) {
        s->stats.rejected++; /* no answer to this session */
    } else if (kind == SESSION_CHALLENGE) {
        s->peer[peer].cookie = packet_read(p, 8);
        s->peer[peer].hello_us = 0;
    } else if (kind == SESSION_WELCOME) {
        hello_welcomed(s, peer, p);
    } else if (kind == SESSION_REJECTION) {
        hello_rejected(s, peer, p);
    } else if (kind == SESSION_TYPES) {
        hello_compare_types(s, peer, p);
    }
}

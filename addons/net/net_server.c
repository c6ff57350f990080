/* net_server.c: a server's clients: handshake, acknowledgements, inputs, datagrams; see
 * net_server.h. */
#include "net_server.h"
#include "../argument.h"

#include <stdio.h>
#include <stdlib.h>

#define SERVER_AGAIN_US 200000u /* until a part is sent again, at least */
#define SERVER_PARTS_SENT 8u    /* parts in a tick */
#define SERVER_QUEUE 4u         /* inputs that may wait; of more, two are taken in a tick */

static uint64_t server_now(const sett_server* s)
{
    return s->desc.clock_us(s->desc.user);
}

static packet* server_packet(sett_server* s, const server_client* c, uint32_t kind)
{
    packet* p = packet_begin(&s->packet);
    packet_write(p, kind, 1);
    if (kind >= SERVER_STATE) {
        packet_write(p, c->theirs, 4);
    }
    return p;
}

static void server_send(sett_server* s, uint32_t peer, const packet* p)
{
    s->desc.transport.send(s->desc.transport.user, peer, p->bytes, p->at);
    if (s->client[peer] != NULL) {
        s->client[peer]->stats.datagrams++;
        s->client[peer]->stats.bytes += p->at;
    }
}

/* -------------------------------------------------------------------------------------- clients */

/* The place of a client that has left stays: it knows the nonces of its programs. */
static void server_leave(sett_server* s, uint32_t peer)
{
    server_client* c = s->client[peer];
    if (c == NULL || !c->connected) {
        return;
    }
    server_client left = {.stats = {.rejected = c->stats.rejected}};
    memcpy(left.left + 1, c->left, sizeof(left.left) - sizeof(left.left[0]));
    left.left[0] = c->nonce;
    setti_view_free(c);
    *c = left;
    if (s->desc.event != NULL) {
        s->desc.event(SETT_SERVER_LEFT, peer, s->desc.user);
    }
}

static void server_fail(sett_server* s, uint32_t peer)
{
    char text[400];
    const char* why = sett_world_message(s->client[peer]->view);
    snprintf(text, sizeof(text), "sett_server_send: client %u is dropped: %.300s", (unsigned)peer,
             why[0] != '\0' ? why : "memory ran out - let `see` add fewer entities");
    sett_world_log(s->world, SETT_LOG_ERROR, text);
    sett_server_drop(s, peer);
}

static bool server_join(sett_server* s, uint32_t peer, uint64_t nonce, uint32_t token)
{
    server_client* c = s->client[peer];
    server_leave(s, peer);
    if (c == NULL) {
        c = s->client[peer] = calloc(1, sizeof(*c));
    }
    if (c == NULL || !setti_view_create(s, c)) {
        if (c != NULL) {
            setti_view_free(c);
            c->view = NULL;
            c->list = (view_list){NULL, 0, 0};
        }
        return false;
    }
    c->connected = true;
    c->nonce = nonce;
    c->theirs = token;
    c->mine = (uint32_t)setti_proof_sign(s->secret, (uint64_t)peer << 1 | 1, nonce);
    c->heard_us = server_now(s);
    if (s->desc.event != NULL) {
        s->desc.event(SETT_SERVER_JOINED, peer, s->desc.user);
    }
    return true;
}

/* ------------------------------------------------------------------------------------ handshake */

static bool server_has_left(const server_client* c, uint64_t nonce)
{
    bool left = false;
    for (uint32_t k = 0; c != NULL && k < SERVER_LEFT; k++) {
        left = left || c->left[k] == nonce;
    }
    return left;
}

/* *at: which type differs. */
static server_reason server_check(const sett_server* s, packet* p, uint32_t* at)
{
    const bool protocol = packet_u32(p) == SERVER_PROTOCOL;
    const bool library = packet_u32(p) == (uint32_t)sett_version();
    const bool game = packet_read(p, 8) == s->desc.game_version;
    const bool inputs = packet_read(p, 1) == s->desc.input_size;
    const uint32_t count = (uint32_t)packet_read(p, 1);
    bool types = count == s->types.count;
    const uint32_t table = packet_u32(p);
    *at = count < s->types.count ? count : s->types.count;
    for (uint32_t k = 0; k < count && k < *at; k++) {
        const uint32_t name = packet_u32(p), layout = packet_u32(p);
        if (name != s->types.type[k].name || layout != s->types.type[k].layout) {
            types = false;
            *at = k;
        }
    }
    types = types && table == s->table.hash;
    return !protocol  ? SERVER_OTHER_PROTOCOL
           : !library ? SERVER_OTHER_LIBRARY
           : !game    ? SERVER_OTHER_GAME
           : !inputs  ? SERVER_OTHER_INPUTS
           : !types   ? SERVER_OTHER_TYPES
                      : SERVER_FITS;
}

/* Nothing is stored for an address that has not shown its cookie, and it gets less than it sent. */
static bool server_greet(sett_server* s, uint32_t peer, packet* p)
{
    uint32_t at;
    const bool ours = p->size >= SERVER_HELLO_SIZE && packet_u32(p) == SERVER_MAGIC;
    const uint64_t nonce = packet_read(p, 8);
    const uint32_t token = packet_u32(p);
    const uint64_t cookie = packet_read(p, 8);
    const server_reason reason = server_check(s, p, &at);
    const server_client* c = s->client[peer];
    if (!ours || p->bad) {
        return false;
    }
    const bool proven = setti_proof_holds(s->secret, peer, nonce, server_now(s), cookie);
    packet* answer = server_packet(s, NULL,
                                   !proven                 ? SERVER_CHALLENGE
                                   : reason != SERVER_FITS ? SERVER_REJECTION
                                                           : SERVER_WELCOME);
    packet_write(answer, nonce, 8);
    if (!proven) {
        packet_write(answer, setti_proof_cookie(s->secret, peer, nonce, server_now(s)), 8);
    } else if (reason != SERVER_FITS) {
        packet_write(answer, reason, 1);
        packet_write(answer, at, 1);
    } else {
        if (server_has_left(c, nonce)) {
            return false; /* of a program that has left: it came late */
        }
        if ((c == NULL || !c->connected || c->nonce != nonce) &&
            !server_join(s, peer, nonce, token)) {
            return false;
        }
        packet_write(answer, s->client[peer]->mine, 4);
        packet_write(answer, peer, 4);
    }
    server_send(s, peer, answer);
    return true;
}

/* ------------------------------------------------------------------------------------ receiving */

static void server_read_inputs(const sett_server* s, server_client* c, packet* p)
{
    const uint64_t newest = packet_u32(p);
    const uint32_t count = (uint32_t)packet_read(p, 1);
    for (uint32_t k = count; k-- > 0;) {
        const unsigned char* bytes = packet_bytes(p, s->desc.input_size);
        const uint64_t number = newest - k;
        if (bytes != NULL && newest >= k && number > c->played &&
            number < c->played + SERVER_INPUTS) {
            memcpy(c->input[number % SERVER_INPUTS], bytes, s->desc.input_size);
            c->has[number % SERVER_INPUTS] = true;
            c->newest = number > c->newest ? number : c->newest;
        }
    }
}

/* Which parts the client has: all before `first`, and those with a bit. */
static void server_read_parts(server_client* c, packet* p)
{
    const uint64_t tick = packet_u32(p);
    const uint32_t first = packet_u32(p);
    const uint32_t size = (uint32_t)packet_read(p, 1);
    const unsigned char* bits = packet_bytes(p, size);
    if (bits == NULL || c->parts.bytes == NULL || tick != c->parts.tick || first > c->parts.count ||
        first < c->parts.first) {
        return;
    }
    c->parts.first = first;
    for (uint32_t k = 0; k < size * 8 && first + k < c->parts.count; k++) {
        if ((bits[k / 8] >> k % 8 & 1) != 0) {
            c->parts.sent_us[first + k] = UINT64_MAX;
        }
    }
}

static bool server_read(sett_server* s, server_client* c, packet* p)
{
    const uint64_t tick = packet_u32(p);
    const uint32_t stamp = packet_u32(p);
    const uint32_t ping_ms = (uint32_t)packet_read(p, 2);
    if (p->bad || !setti_view_acknowledge(s, c, tick)) {
        return false;
    }
    c->heard_us = server_now(s);
    c->stats.ping_us = ping_ms * 1000;
    if (c->stamp_us == 0 || stamp - c->stamp < 1u << 31) {
        c->stamp = stamp;
        c->stamp_us = c->heard_us;
    }
    server_read_parts(c, p);
    server_read_inputs(s, c, p);
    return !p->bad;
}

static bool server_take(sett_server* s, uint32_t peer, packet* p)
{
    server_client* c = s->client[peer];
    const uint32_t kind = (uint32_t)packet_read(p, 1);
    if (kind == SERVER_HELLO) {
        return server_greet(s, peer, p);
    }
    if (c == NULL || !c->connected || packet_u32(p) != c->mine || p->bad) {
        return false;
    }
    if (kind == SERVER_BYE) {
        server_leave(s, peer);
        return true;
    }
    return kind == SERVER_ACK && server_read(s, c, p);
}

/* The next input, or the one before once more. */
static void server_next_input(const sett_server* s, server_client* c)
{
    const uint32_t times = c->newest > c->played + SERVER_QUEUE ? 2 : 1;
    for (uint32_t k = 0; k < times && c->has[(c->played + 1) % SERVER_INPUTS]; k++) {
        c->played++;
        c->has[c->played % SERVER_INPUTS] = false;
        memcpy(c->present, c->input[c->played % SERVER_INPUTS], s->desc.input_size);
    }
}

void sett_server_receive(sett_server* s)
{
    packet p;
    uint32_t peer;
    if (argument_is_null(s, __func__, "server")) {
        return;
    }
    for (uint32_t k = 0; k < SERVER_BURST && packet_receive(&p, &s->desc.transport, &peer); k++) {
        if (peer < s->desc.clients && !server_take(s, peer, &p) && s->client[peer] != NULL) {
            s->client[peer]->stats.rejected++;
        }
    }
    const uint64_t now = server_now(s);
    for (uint32_t k = 0; k < s->desc.clients; k++) {
        server_client* c = s->client[k];
        if (c != NULL && c->connected) {
            server_next_input(s, c);
            if (now - c->heard_us > (uint64_t)s->desc.timeout_ms * 1000) {
                server_leave(s, k);
            }
        }
    }
}

/* NULL if it is not there. */
static server_client* server_client_of(const sett_server* s, uint32_t client, const char* call)
{
    return !argument_is_null(s, call, "server") && client < s->desc.clients ? s->client[client]
                                                                            : NULL;
}

const void* sett_server_input(const sett_server* s, uint32_t client)
{
    const server_client* c = server_client_of(s, client, __func__);
    return c != NULL && c->connected ? c->present : NULL;
}

/* -------------------------------------------------------------------------------------- sending */

static void server_send_state(sett_server* s, uint32_t peer, uint64_t tick, uint64_t base,
                              uint32_t part, uint32_t parts, const unsigned char* bytes,
                              size_t size)
{
    const server_client* c = s->client[peer];
    packet* p = server_packet(s, c, SERVER_STATE);
    const uint64_t held_ms = c->stamp_us != 0 ? (server_now(s) - c->stamp_us) / 1000 : 0;
    packet_write(p, tick, 4);
    packet_write(p, base, 4);
    packet_write(p, c->played, 4);
    packet_write(p, c->stamp, 4);
    packet_write(p, held_ms < UINT16_MAX ? held_ms : UINT16_MAX, 2);
    packet_write(p, part, 2);
    packet_write(p, parts, 2);
    packet_write_bytes(p, bytes, (uint32_t)size);
    server_send(s, peer, p);
}

static void server_send_parts(sett_server* s, uint32_t peer)
{
    server_client* c = s->client[peer];
    view_parts* parts = &c->parts;
    const uint64_t now = server_now(s);
    const uint64_t again = SERVER_AGAIN_US + 2 * (uint64_t)c->stats.ping_us;
    uint32_t sent = 0;
    for (uint32_t k = parts->first;
         k < parts->count && k < parts->first + SERVER_WINDOW && sent < SERVER_PARTS_SENT; k++) {
        if (parts->sent_us[k] != UINT64_MAX &&
            (parts->sent_us[k] == 0 || now - parts->sent_us[k] > again)) {
            const size_t from = (size_t)k * SERVER_CHUNK;
            const size_t size =
                parts->size - from < SERVER_CHUNK ? parts->size - from : SERVER_CHUNK;
            parts->sent_us[k] = now;
            server_send_state(s, peer, parts->tick, parts->base, k, parts->count,
                              parts->bytes + from, size);
            sent++;
        }
    }
}

void sett_server_send(sett_server* s)
{
    if (argument_is_null(s, __func__, "server")) {
        return;
    }
    s->tick++;
    s->world_tick = sett_world_tick(s->world);
    (void)sett_world_advance_tick(s->world); /* later writes are newer than what is read here */
    for (uint32_t k = 0; k < s->desc.clients; k++) {
        server_client* c = s->client[k];
        if (c == NULL || !c->connected) {
            continue;
        }
        bool waits = c->parts.bytes != NULL;
        if (!waits && !setti_view_update(s, c, k)) {
            server_fail(s, k);
        } else if (c->parts.bytes != NULL) {
            server_send_parts(s, k);
        } else {
            server_send_state(s, k, s->tick, c->acked, 0, 1, s->out, s->out_size);
        }
    }
}

/* --------------------------------------------------------------------------- beginning and end */

void sett_server_drop(sett_server* s, uint32_t client)
{
    server_client* c = server_client_of(s, client, __func__);
    if (c != NULL && c->connected) {
        server_send(s, client, server_packet(s, c, SERVER_BYE));
        server_leave(s, client);
    }
}

void sett_server_stats_get(const sett_server* s, uint32_t client, sett_server_stats* stats)
{
    const server_client* c = server_client_of(s, client, __func__);
    if (ARGUMENT_IS_NULL(stats)) {
        return;
    }
    *stats = c != NULL ? c->stats : (sett_server_stats){.connected = false};
    stats->tick = s != NULL ? s->tick : 0;
    if (c != NULL && c->connected) {
        sett_stats view;
        sett_world_stats(c->view, &view);
        stats->connected = true;
        stats->acknowledged = c->acked;
        stats->input = c->played;
        stats->entities = view.entities;
        stats->memory = view.block_size;
    }
}

/* Returns what is wrong with the options; NULL if nothing is. */
static const char* server_fault(const sett_server_desc* desc)
{
    if (desc->clients == 0 || desc->clients > SETT_SERVER_CLIENTS) {
        return "`clients` is not 1 to 1,024 - set another number";
    }
    if (desc->input_size > 64) {
        return "`input_size` is above 64 - lower it";
    }
    if (desc->budget != 0 && (desc->budget < 256 || desc->budget > SETT_NET_DATAGRAM)) {
        return "`budget` is not 256 to 1,200 - set another number of bytes";
    }
    if (desc->register_types == NULL || desc->see == NULL || desc->transport.send == NULL ||
        desc->transport.receive == NULL) {
        return "`register_types`, `see`, or `send` or `receive` of the transport is NULL - set all "
               "four";
    }
    return NULL;
}

sett_server* sett_server_create(sett_world* world, const sett_server_desc* desc)
{
    if (ARGUMENT_IS_NULL(world) || ARGUMENT_IS_NULL(desc)) {
        return NULL;
    }
    const char* fault = server_fault(desc);
    sett_server* s = fault == NULL ? calloc(1, sizeof(*s)) : NULL;
    if (s != NULL) {
        s->world = world;
        s->desc = *desc;
        s->desc.budget = desc->budget != 0 ? desc->budget : SETT_NET_DATAGRAM;
        s->desc.timeout_ms = desc->timeout_ms != 0 ? desc->timeout_ms : 5000;
        s->desc.clock_us = desc->clock_us != NULL ? desc->clock_us : setti_proof_clock;
        fault = setti_server_list_types(world, desc->types, desc->type_count, &s->types);
    }
    if (fault == NULL && s != NULL) {
        sett_world* trial = setti_server_world(world, desc->register_types, &s->types, 0);
        fault = trial == NULL ? "`register_types` fails, or does not register all `types` as they "
                                "are in the world - register them alike"
                              : NULL;
        s->table = trial != NULL ? setti_server_table(trial, &s->types) : s->table;
        (void)sett_world_destroy(trial);
        s->client = calloc(desc->clients, sizeof(server_client*));
        setti_proof_draw(s->secret);
    }
    if (fault != NULL) {
        char text[300];
        snprintf(text, sizeof(text), "sett_server_create: %.250s", fault);
        sett_world_log(world, SETT_LOG_ERROR, text);
    }
    if (s != NULL && (fault != NULL || s->client == NULL || s->table.bytes == NULL)) {
        sett_server_destroy(s);
        return NULL;
    }
    return s;
}

void sett_server_destroy(sett_server* s)
{
    if (s == NULL) {
        return;
    }
    for (uint32_t k = 0; s->client != NULL && k < s->desc.clients; k++) {
        s->desc.event = NULL;
        sett_server_drop(s, k);
        free(s->client[k]);
    }
    free(s->client);
    free(s->sight.list.item);
    free(s->merged.item);
    free(s->due);
    free(s->entities);
    free(s->table.bytes);
    free(s->whole);
    free(s->out);
    free(s);
}

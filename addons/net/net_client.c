/* net_client.c: a client: handshake, inputs, acknowledgements; see net_client.h. */
#include "net_client.h"
#include "../argument.h"

#include <stdio.h>
#include <stdlib.h>

#define CLIENT_HELLO_US 200000u
#define CLIENT_BITS 32u /* bytes of bits for parts: SERVER_WINDOW of them */

static const char* const client_reasons[SERVER_REASONS] = {
    "",
    "the server has another protocol of sett::net - build both with one version of Sett",
    "the server has another version of Sett - build both with one version",
    "the server has another version of the game - set the same `game_version`",
    "the server has another input_size - set the same `input_size`",
    "the server sends other types - list the same `types` in the same order"};

uint64_t setti_client_now(const sett_client* c)
{
    return c->desc.clock_us(c->desc.user);
}

void setti_client_end(sett_client* c, const char* why)
{
    c->state = SETT_CLIENT_OVER;
    snprintf(c->text, sizeof(c->text), "%.250s", why);
}

static packet* client_packet(sett_client* c, uint32_t kind)
{
    packet* p = packet_begin(&c->packet);
    packet_write(p, kind, 1);
    if (kind >= SERVER_STATE) {
        packet_write(p, c->theirs, 4);
    }
    return p;
}

static void client_send(sett_client* c, const packet* p)
{
    c->desc.transport.send(c->desc.transport.user, c->desc.server, p->bytes, p->at);
}

/* ------------------------------------------------------------------------------------ handshake */

static void client_greet(sett_client* c)
{
    packet* p = client_packet(c, SERVER_HELLO);
    packet_write(p, SERVER_MAGIC, 4);
    packet_write(p, c->nonce, 8);
    packet_write(p, c->mine, 4);
    packet_write(p, c->cookie, 8);
    packet_write(p, SERVER_PROTOCOL, 4);
    packet_write(p, (uint64_t)sett_version(), 4);
    packet_write(p, c->desc.game_version, 8);
    packet_write(p, c->desc.input_size, 1);
    packet_write(p, c->types.count, 1);
    packet_write(p, c->table.hash, 4);
    for (uint32_t k = 0; k < c->types.count; k++) {
        packet_write(p, c->types.type[k].name, 4);
        packet_write(p, c->types.type[k].layout, 4);
    }
    while (p->at < SERVER_HELLO_SIZE) {
        packet_write(p, 0, 1);
    }
    client_send(c, p);
}

static void client_rejected(sett_client* c, packet* p)
{
    const uint32_t reason = (uint32_t)packet_read(p, 1);
    const uint32_t at = (uint32_t)packet_read(p, 1);
    if (p->bad || reason == SERVER_FITS || reason >= SERVER_REASONS || c->connected) {
        c->stats.rejected++;
        return;
    }
    char text[256];
    snprintf(text, sizeof(text), "%s", client_reasons[reason]);
    if (reason == SERVER_OTHER_TYPES && at < c->types.count) {
        snprintf(text, sizeof(text),
                 "the server sends other types: it has another layout of \"%.100s\", or does not "
                 "send it - list the same `types`",
                 sett_component_name(c->world, c->types.id[at]));
    }
    setti_client_end(c, text);
}

static void client_receive_hello(sett_client* c, uint32_t kind, packet* p)
{
    const uint64_t nonce = packet_read(p, 8);
    if (nonce != c->nonce || p->bad) {
        c->stats.rejected++;
    } else if (kind == SERVER_CHALLENGE) {
        c->cookie = packet_read(p, 8);
        c->hello_us = 0;
    } else if (kind == SERVER_REJECTION) {
        client_rejected(c, p);
    } else if (kind == SERVER_WELCOME && !c->connected) {
        c->theirs = packet_u32(p);
        c->stats.number = packet_u32(p);
        c->connected = !p->bad;
        c->heard_us = setti_client_now(c);
    }
}

/* ------------------------------------------------------------------------------------ receiving */

static void client_receive_all(sett_client* c)
{
    packet p;
    uint32_t peer;
    for (uint32_t k = 0; k < SERVER_BURST && c->state != SETT_CLIENT_OVER &&
                         packet_receive(&p, &c->desc.transport, &peer);
         k++) {
        const uint32_t kind = (uint32_t)packet_read(&p, 1);
        c->stats.datagrams++;
        c->stats.bytes += p.size;
        if (peer != c->desc.server || kind < SERVER_HELLO || kind > SERVER_BYE) {
            c->stats.rejected++;
        } else if (kind < SERVER_STATE) {
            client_receive_hello(c, kind, &p);
        } else if (!c->connected || packet_u32(&p) != c->mine || p.bad) {
            c->stats.rejected++;
        } else if (kind == SERVER_STATE) {
            setti_client_receive_state(c, &p);
        } else if (kind == SERVER_BYE) {
            setti_client_end(
                c, "the server has ended the connection - create a new client to join again");
        }
    }
}

/* -------------------------------------------------------------------------------------- sending */

/* The oldest that the server has not played, as far as that is known. */
static void client_write_inputs(const sett_client* c, packet* p)
{
    uint64_t first = c->played + 1;
    first = c->newest >= SERVER_INPUTS && first <= c->newest - SERVER_INPUTS
                ? c->newest - SERVER_INPUTS + 1
                : first;
    uint64_t count = c->newest + 1 - first;
    count = count < SERVER_INPUTS_SENT ? count : SERVER_INPUTS_SENT;
    packet_write(p, first + count - 1, 4);
    packet_write(p, count, 1);
    for (uint64_t n = first; n < first + count; n++) {
        packet_write_bytes(p, c->input[n % SERVER_INPUTS], c->desc.input_size);
    }
}

static void client_write_parts(const sett_client* c, packet* p)
{
    unsigned char bits[CLIENT_BITS] = {0};
    const client_parts* parts = &c->parts;
    const uint32_t size = parts->bytes != NULL ? CLIENT_BITS : 0;
    for (uint32_t k = 0; k < size * 8 && parts->first + k < parts->count; k++) {
        bits[k / 8] |= (unsigned char)((unsigned)parts->has[parts->first + k] << k % 8);
    }
    packet_write(p, parts->tick, 4);
    packet_write(p, parts->first, 4);
    packet_write(p, size, 1);
    packet_write_bytes(p, bits, size);
}

static void client_answer(sett_client* c)
{
    packet* p = client_packet(c, SERVER_ACK);
    packet_write(p, c->acked, 4);
    packet_write(p, setti_client_now(c) / 1000, 4);
    packet_write(p, c->stats.ping_us / 1000, 2);
    client_write_parts(c, p);
    client_write_inputs(c, p);
    client_send(c, p);
}

sett_client_state sett_client_advance(sett_client* c, const void* input)
{
    if (argument_is_null(c, __func__, "client")) {
        return SETT_CLIENT_OVER;
    }
    if (input == NULL && c->desc.input_size != 0) {
        sett_world_log(c->world, SETT_LOG_ERROR,
                       "sett_client_advance: `input` is NULL, and input_size is not 0 - pass "
                       "input_size bytes");
        return c->state;
    }
    if (c->state == SETT_CLIENT_PLAYS && c->desc.input_size != 0) {
        c->newest++;
        memcpy(c->input[c->newest % SERVER_INPUTS], input, c->desc.input_size);
        setti_client_predict(c, c->newest);
    }
    client_receive_all(c);
    setti_client_smooth(c);
    if (c->state == SETT_CLIENT_OVER) {
        return c->state;
    }
    const uint64_t now = setti_client_now(c); /* not before what was heard just now */
    if (c->connected && now - c->heard_us > (uint64_t)c->desc.timeout_ms * 1000) {
        char text[160];
        snprintf(text, sizeof(text),
                 "no packet came from the server for %u ms (timeout_ms) - create a new client to "
                 "join again",
                 (unsigned)c->desc.timeout_ms);
        setti_client_end(c, text);
    } else if (c->connected) {
        client_answer(c);
    } else if (now - c->hello_us >= CLIENT_HELLO_US) {
        c->hello_us = now;
        client_greet(c);
    }
    return c->state;
}

const char* sett_client_message(const sett_client* c)
{
    return !argument_is_null(c, __func__, "client") ? c->text
                                                    : "the client is NULL - check the "
                                                      "result of sett_client_create";
}

void sett_client_stats_get(const sett_client* c, sett_client_stats* stats)
{
    if (ARGUMENT_IS_NULL(stats)) {
        return;
    }
    *stats = (sett_client_stats){.tick = 0};
    if (argument_is_null(c, __func__, "client")) {
        return;
    }
    *stats = c->stats;
    stats->tick = c->tick;
    stats->entities = c->shown.count;
}

/* --------------------------------------------------------------------------- beginning and end */

/* Returns what is wrong with the options; NULL if nothing is. */
static const char* client_fault(const sett_world* world, const sett_client_desc* desc,
                                uint32_t first_own)
{
    uint32_t cursor = 0;
    const sett_entity first = sett_entity_next(world, &cursor);
    if (desc->input_size > 64) {
        return "`input_size` is above 64 - lower it";
    }
    if (desc->smooth_count > SETT_SERVER_TYPES) {
        return "`smooth_count` is above 64 - lower it";
    }
    if (desc->register_types == NULL || desc->transport.send == NULL ||
        desc->transport.receive == NULL) {
        return "`register_types` or a function of the transport is NULL - set all three";
    }
    if (!sett_is_null(first) && first.index < first_own) {
        return "the world has entities below `first_own` - create the client before them";
    }
    return NULL;
}

static void client_defaults(sett_client_desc* desc)
{
    desc->first_own = desc->first_own != 0 ? desc->first_own : 1048576;
    desc->timeout_ms = desc->timeout_ms != 0 ? desc->timeout_ms : 5000;
    desc->smooth_delay = desc->smooth_delay != 0 ? desc->smooth_delay : 2;
    desc->state_limit = desc->state_limit != 0 ? desc->state_limit : (size_t)16 << 20;
    desc->clock_us = desc->clock_us != NULL ? desc->clock_us : setti_proof_clock;
}

/* Finds the types that are shown smoothly. */
static const char* client_list_smooth(sett_client* c)
{
    const size_t size = sizeof(c->types.fault);
    for (uint32_t t = 0; t < c->desc.smooth_count; t++) {
        uint32_t k = 0;
        while (k < c->types.count && c->types.id[k] != c->desc.smooth[t]) {
            k++;
        }
        if (k == c->types.count || !c->types.plain[k] ||
            sett_members_get(c->world, c->desc.smooth[t]) == NULL) {
            const char* name = sett_component_name(c->world, c->desc.smooth[t]);
            snprintf(c->types.fault, size,
                     "component %u \"%.60s\" of `smooth` is not in `types`, has hooks or has no "
                     "members - list types with members in both",
                     (unsigned)c->desc.smooth[t], name != NULL ? name : "");
            return c->types.fault;
        }
        c->smooth_there[t] = c->types.there[k];
    }
    return NULL;
}

static const char* client_begin(sett_client* c)
{
    uint64_t secret[2];
    const char* fault = client_fault(c->world, &c->desc, c->desc.first_own);
    fault = fault != NULL
                ? fault
                : setti_server_list_types(c->world, c->desc.types, c->desc.type_count, &c->types);
    if (fault == NULL && !setti_client_begin(c)) {
        fault = "`register_types` fails, or does not register all `types` as they are in the world "
                "- register them alike";
    }
    fault = fault != NULL ? fault : client_list_smooth(c);
    if (fault == NULL && sett_entity_set_range(c->world, c->desc.first_own, 0) != SETT_OK) {
        fault = "`first_own` is not a multiple of 64, or not below the world's entity_limit - set "
                "another number";
    }
    setti_proof_draw(secret);
    c->nonce = secret[0];
    c->mine = (uint32_t)secret[1];
    return fault;
}

sett_client* sett_client_create(sett_world* world, const sett_client_desc* desc)
{
    const bool null = ARGUMENT_IS_NULL(world) || ARGUMENT_IS_NULL(desc);
    sett_client* c = !null ? calloc(1, sizeof(*c)) : NULL;
    if (c == NULL) {
        return NULL;
    }
    c->world = world;
    c->desc = *desc;
    client_defaults(&c->desc);
    const char* fault = client_begin(c);
    if (fault != NULL) {
        char text[300];
        snprintf(text, sizeof(text), "sett_client_create: %.250s", fault);
        sett_world_log(world, SETT_LOG_ERROR, text);
        setti_client_free(c);
        free(c);
        return NULL;
    }
    return c;
}

void sett_client_destroy(sett_client* c)
{
    if (c == NULL) {
        return;
    }
    if (c->connected && c->state != SETT_CLIENT_OVER) {
        client_send(c, client_packet(c, SERVER_BYE));
    }
    setti_client_free(c);
    free(c);
}

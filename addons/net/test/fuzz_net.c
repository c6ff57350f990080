/* Feeds datagrams to a server, a client and a session that are connected. An input is a list of
 * datagrams: which way, with the right token or without, how many bytes, and these. Whatever they
 * are, the worlds stay sound, and the other client of the server plays on.
 *
 * SPDX-License-Identifier: MIT
 */
#include "net_client.h"
#include "net_session.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

/* Not check.h: a fuzzer keeps the input of what aborts. */
#define FUZZ_CHECK(condition) ((condition) ? (void)0 : fuzz_failed(__LINE__, #condition))

enum {
    FUZZ_SERVER = 9, /* endpoint; clients are 0 and 1, players 2 and 3 of another link */
    FUZZ_PLACE = 1
};

static sett_net_link* net;

static void fuzz_failed(int line, const char* condition)
{
    fprintf(stderr, "fuzz_net.c:%d: %s\n", line, condition);
    abort();
}

static uint64_t fuzz_clock(void* user)
{
    (void)user;
    return sett_net_link_now(net);
}

static sett_status fuzz_register(sett_world* world)
{
    const sett_component_desc desc = {.name = "Place", .size = 8, .id = FUZZ_PLACE};
    return sett_component_register(world, &desc) != 0 ? SETT_OK : SETT_STATUS_OUT_OF_MEMORY;
}

static sett_world* fuzz_world(uint32_t entities)
{
    sett_world* world = sett_world_create(&(sett_world_desc){.log_fn = sett_log_silent});
    FUZZ_CHECK(world != NULL && fuzz_register(world) == SETT_OK);
    for (uint32_t k = 0; k < entities; k++) {
        const uint32_t value[2] = {k, k * k};
        (void)sett_set(world, sett_entity_create(world), FUZZ_PLACE, value);
    }
    return world;
}

static void fuzz_end(sett_world* world)
{
    const char* reason = "";
    if (sett_world_validate(world, &reason) != SETT_OK) {
        fuzz_failed(__LINE__, reason);
    }
    FUZZ_CHECK(sett_world_destroy(world) == SETT_OK);
}

/* Sends the input's datagrams to `to`, or the other way; of an even first byte with the token. */
static void fuzz_send(const uint8_t* data, size_t size, const uint32_t ends[2],
                      const uint32_t tokens[2])
{
    while (size > 2) {
        const uint32_t way = data[0] >> 1 & 1;
        const sett_net_transport from = sett_net_link_transport(net, ends[way]);
        unsigned char bytes[SETT_NET_DATAGRAM] = {0};
        const size_t length = data[1] < size - 2 ? data[1] : size - 2;
        memcpy(bytes, data + 2, length);
        for (uint32_t k = 0; k < 4 && (data[0] & 1) == 0; k++) {
            bytes[1 + k] = (unsigned char)(tokens[way] >> 8 * k);
        }
        from.send(from.user, ends[1 - way], bytes,
                  1 + (uint32_t)length + ((data[0] & 4) != 0 ? 90 : 0));
        data += 2 + length;
        size -= 2 + length;
    }
}

/* ------------------------------------------------------------------------------------- server */

static void fuzz_see(sett_sight* sight, sett_world* world, uint32_t client, void* user)
{
    uint32_t cursor = 0;
    (void)client, (void)user;
    for (sett_entity e; !sett_is_null(e = sett_entity_next(world, &cursor));) {
        sett_sight_add(sight, e, 1);
    }
}

static void fuzz_tick(sett_server* server, sett_client* const client[2])
{
    sett_net_link_advance(net, 50000);
    sett_server_receive(server);
    sett_server_send(server);
    for (uint32_t k = 0; k < 2; k++) {
        (void)sett_client_advance(client[k], "keys");
    }
}

static void fuzz_server(const uint8_t* data, size_t size)
{
    static const sett_component types[] = {FUZZ_PLACE};
    static const uint32_t ends[2] = {0, FUZZ_SERVER};
    sett_world* world = fuzz_world(20);
    sett_world* seen[2];
    sett_client* client[2];
    sett_server* server =
        sett_server_create(world, &(sett_server_desc){.clients = 2,
                                                      .register_types = fuzz_register,
                                                      .types = types,
                                                      .type_count = 1,
                                                      .input_size = 4,
                                                      .see = fuzz_see,
                                                      .transport = sett_net_link_transport(net, 9),
                                                      .clock_us = fuzz_clock});
    for (uint32_t k = 0; k < 2; k++) {
        seen[k] = fuzz_world(0);
        client[k] = sett_client_create(
            seen[k], &(sett_client_desc){.server = FUZZ_SERVER,
                                         .register_types = fuzz_register,
                                         .types = types,
                                         .type_count = 1,
                                         .input_size = 4,
                                         .state_limit = 1 << 20,
                                         .transport = sett_net_link_transport(net, k),
                                         .clock_us = fuzz_clock});
    }
    for (uint32_t k = 0; k < 12; k++) {
        fuzz_tick(server, client);
    }
    FUZZ_CHECK(client[0]->state == SETT_CLIENT_PLAYS && client[1]->state == SETT_CLIENT_PLAYS);
    const uint32_t tokens[2] = {client[0]->theirs, client[0]->mine};
    const uint64_t applied = client[1]->stats.applied;
    fuzz_send(data, size, ends, tokens);
    for (uint32_t k = 0; k < 4; k++) {
        fuzz_tick(server, client);
    }
    FUZZ_CHECK(client[1]->stats.applied == applied + 4 && client[1]->stats.failed == 0);
    for (uint32_t k = 0; k < 2; k++) {
        sett_client_destroy(client[k]);
        fuzz_end(seen[k]);
    }
    sett_server_destroy(server);
    fuzz_end(world);
}

/* ------------------------------------------------------------------------------------- session */

static void fuzz_play(sett_world* world, const sett_inputs* inputs, void* user)
{
    uint32_t cursor = 0;
    const sett_entity entity = sett_entity_next(world, &cursor);
    (void)user;
    uint32_t* value = sett_get_mut(world, entity, FUZZ_PLACE);
    value[0] += *(const unsigned char*)sett_input(inputs, 0);
    value[1] += *(const unsigned char*)sett_input(inputs, 1);
}

static void fuzz_session(const uint8_t* data, size_t size)
{
    static const uint32_t ends[2] = {1, 0};
    sett_world* world[2];
    sett_session* session[2];
    for (uint32_t k = 0; k < 2; k++) {
        world[k] = fuzz_world(20);
        session[k] = sett_session_create(
            world[k], &(sett_session_desc){.players = 2,
                                           .local = k,
                                           .input_size = 1,
                                           .play = fuzz_play,
                                           .state_limit = 1 << 20,
                                           .transport = sett_net_link_transport(net, k),
                                           .clock_us = fuzz_clock});
    }
    for (uint32_t k = 0; k < 40; k++) {
        sett_net_link_advance(net, 16667);
        (void)sett_session_advance(session[0], "a");
        (void)sett_session_advance(session[1], "b");
    }
    FUZZ_CHECK(session[0]->frame > 4);
    const uint32_t tokens[2] = {session[0]->peer[1].mine, session[1]->peer[0].mine};
    fuzz_send(data, size, ends, tokens);
    for (uint32_t k = 0; k < 10; k++) {
        sett_net_link_advance(net, 16667);
        (void)sett_session_advance(session[0], "a");
        (void)sett_session_advance(session[1], "b");
    }
    for (uint32_t k = 0; k < 2; k++) {
        sett_session_destroy(session[k]);
        fuzz_end(world[k]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    net = sett_net_link_create(NULL);
    FUZZ_CHECK(net != NULL);
    if (data[0] % 2 == 0) {
        fuzz_server(data + 1, size - 1);
    } else {
        fuzz_session(data + 1, size - 1);
    }
    sett_net_link_destroy(net);
    return 0;
}

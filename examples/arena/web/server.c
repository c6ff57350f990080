/* server.c: an arena that pages join: arena_server [port] [folder of the page] [seconds].
 *
 * Each page steers a ship among wandering stones, and is sent what is near its ship. */
#include "flight.h"
#include "sett_net.h"
#include "sett_websocket.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    STONES = 200,
    SIGHT = FLIGHT_SIZE / 3
};

typedef struct Arena {
    sett_world* world;
    sett_query *places, *stones;
    sett_entity ship[FLIGHT_CLIENTS];
} Arena;

/* The way from one to another, over the border if that is shorter. */
static int32_t apart(int32_t a, int32_t b)
{
    const int32_t way = abs(a - b);
    return way < FLIGHT_SIZE / 2 ? way : FLIGHT_SIZE - way;
}

static void see(sett_sight* sight, sett_world* world, uint32_t client, void* user)
{
    const Arena* arena = user;
    const Place* from = SETT_FIND(world, arena->ship[client], Place);
    SETT_FOR(arena->places, b, i) {
        const Place* to = &SETT_FIELD(b, 0, Place)[i];
        if (from != NULL && apart(from->x, to->x) < SIGHT && apart(from->y, to->y) < SIGHT) {
            sett_sight_add(sight, sett_batch_entity(b, i), 1);
        }
    }
}

static void meet(sett_server_event event, uint32_t client, void* user)
{
    Arena* arena = user;
    printf("client %u %s\n", (unsigned)client, event == SETT_SERVER_JOINED ? "joins" : "leaves");
    (void)fflush(stdout);
    if (event == SETT_SERVER_JOINED) {
        arena->ship[client] = SETT_CREATE(arena->world, SETT_VALUE(Ship, .client = client),
                                          SETT_VALUE(Place, 100 * (int32_t)client, 100));
    } else {
        sett_entity_destroy(arena->world, arena->ship[client]);
    }
}

static void tick(Arena* arena, sett_server* server, uint32_t number)
{
    sett_server_receive(server);
    for (uint32_t k = 0; k < FLIGHT_CLIENTS; k++) {
        const Keys* keys = sett_server_input(server, k);
        if (keys != NULL) {
            flight_steer(arena->world, arena->ship[k], keys);
        }
    }
    SETT_FOR(arena->stones, b, i) {
        Place* place = &SETT_FIELD_MUT(b, 0, Place)[i];
        const uint32_t index = sett_batch_index(b, i);
        place->x = (place->x + (int32_t)(index % 7) - 3) & (FLIGHT_SIZE - 1);
        place->y = (place->y + (int32_t)(index % 5 * (number / 40 % 2))) & (FLIGHT_SIZE - 1);
    }
    sett_server_send(server);
}

int main(int count, char** arguments)
{
    Arena arena = {.world = sett_world_create(NULL)};
    const uint32_t ticks = count > 3 ? (uint32_t)atoi(arguments[3]) * FLIGHT_RATE : UINT32_MAX;
    sett_websocket* net =
        sett_websocket_create(count > 1 ? arguments[1] : "8080",
                              count > 2 ? arguments[2] : "build/web-arena", FLIGHT_CLIENTS);
    if (net == NULL || arena.world == NULL || flight_register(arena.world) != SETT_OK) {
        puts("the port is in use");
        return 1;
    }
    arena.places = SETT_QUERY_CREATE(arena.world, SETT_IN(Place));
    arena.stones = SETT_QUERY_CREATE(arena.world, SETT_INOUT(Place), SETT_WITH(Stone));
    for (int32_t k = 0; k < STONES; k++) {
        SETT_CREATE(arena.world, SETT_VALUE_TAG(Stone),
                    SETT_VALUE(Place, k * 7919 % FLIGHT_SIZE, k * 104729 % FLIGHT_SIZE));
    }
    sett_server* server = sett_server_create(
        arena.world, &(sett_server_desc){.clients = FLIGHT_CLIENTS,
                                         .register_types = flight_register,
                                         .types = flight_sent,
                                         .type_count = 3,
                                         .input_size = sizeof(Keys),
                                         .see = see,
                                         .event = meet,
                                         .user = &arena,
                                         .transport = sett_websocket_transport(net)});
    printf("the arena is at http://127.0.0.1:%u/\n", (unsigned)sett_websocket_port(net));
    (void)fflush(stdout);
    uint64_t clock = 0;
    for (uint32_t k = 0; k < ticks && server != NULL; k++) {
        tick(&arena, server, k);
        (void)sett_frame_wait(&clock, FLIGHT_RATE);
    }
    sett_server_destroy(server);
    sett_websocket_destroy(net);
    sett_world_destroy(arena.world);
    return 0;
}

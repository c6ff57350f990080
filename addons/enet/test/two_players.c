/* two_players.c: a game of two players over UDP: two_players <player> <port> <port of the other>.
 * Each runs for ten seconds of the game; the result is the state, which is the same at both. */
#include "sett/sett.h"
#include "sett_enet.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct Ship {
    int32_t x, speed;
} Ship;
#define GAME(COMPONENT, TAG) COMPONENT(Ship)
SETT_COMPONENTS(GAME)

static sett_entity ships[2];

static void play(sett_world* world, const sett_inputs* inputs, void* user)
{
    (void)user;
    for (uint32_t p = 0; p < 2; p++) {
        Ship* ship = SETT_GET_MUT(world, ships[p], Ship);
        ship->speed += *(const int8_t*)sett_input(inputs, p);
        ship->x += ship->speed;
    }
}

int main(int count, char** arguments)
{
    if (count != 4) {
        return 2;
    }
    uint32_t local = (uint32_t)atoi(arguments[1]);
    sett_world* world = sett_world_create(NULL);
    SETT_REGISTER_ALL(world, GAME);
    for (uint32_t p = 0; p < 2; p++) {
        ships[p] = SETT_CREATE(world, SETT_VALUE(Ship, .x = (int32_t)p));
    }
    sett_enet* net = sett_enet_create(local, (uint16_t)atoi(arguments[2]));
    sett_enet_connect(net, 0, "127.0.0.1", (uint16_t)atoi(arguments[3])); /* of player 1 only */
    sett_session* session =
        sett_session_create(world, &(sett_session_desc){.players = 2,
                                                        .local = local,
                                                        .input_size = 1,
                                                        .input_delay = 2,
                                                        .play = play,
                                                        .transport = sett_enet_transport(net)});
    sett_session_stats stats = {0};
    uint64_t clock = 0;
    for (int k = 0; k < 3000 && stats.hash_frame < 600; k++) {
        int8_t key = (int8_t)(rand() % 3 - 1);
        if (sett_session_advance(session, &key) == SETT_SESSION_OVER) {
            break;
        }
        (void)sett_frame_wait(&clock, 240); /* four times as fast as a game */
        sett_session_stats_get(session, &stats);
    }
    printf("player %u: %llu frames, %llu hashes are equal\n", (unsigned)local,
           (unsigned long long)stats.frame, (unsigned long long)stats.compared);
    sett_session_destroy(session);
    sett_enet_destroy(net);
    sett_world_destroy(world);
    return stats.compared > 30 ? 0 : 1;
}

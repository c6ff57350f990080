/* arena_process.c: one player of examples/arena in a process of its own, over UDP (ENet), for
 * tools/net_processes.sh: arena_process <player> <players> <first port> <seconds>.
 *
 * It prints the hash of each confirmed frame that was hashed. SETT_PLANT=<frame> in the environment
 * changes the state of this process in that frame, which no input explains: all others must see it.
 */
#include "sett/sett.h"
#include "sett_enet.h"

#include <time.h>

/* The session that the example creates plays by another function, and is not the example's main. */
static sett_session* process_create(sett_world* world, const sett_session_desc* desc);
int arena_main(int count, char** arguments);
#define main arena_main
#define sett_session_create process_create
#include "../../../examples/arena/arena.c"
#undef sett_session_create
#undef main

static uint64_t planted = UINT64_MAX; /* frame */

static void process_play(sett_world* world, const sett_inputs* inputs, void* user)
{
    play(world, inputs, user);
    if (inputs->frame == planted) {
        uint32_t index = 0;
        SETT_GET_MUT(world, sett_entity_next(world, &index), Body)->x ^= 1;
    }
}

static sett_session* process_create(sett_world* world, const sett_session_desc* desc)
{
    sett_session_desc own = *desc;
    own.play = process_play;
    return sett_session_create(world, &own);
}

int main(int count, char** arguments)
{
    if (count != 5) {
        return 2;
    }
    Machine m = {.player = (uint32_t)atoi(arguments[1]),
                 .players = (uint32_t)atoi(arguments[2]),
                 .talks = true};
    const uint16_t port = (uint16_t)atoi(arguments[3]);
    const time_t end = time(NULL) + atoi(arguments[4]);
    const char* plant = getenv("SETT_PLANT");
    planted = plant != NULL ? strtoull(plant, NULL, 10) : UINT64_MAX;
    (void)setvbuf(stdout, NULL, _IOLBF, 4096); /* it may be killed at any time */
    sett_enet* net = sett_enet_create(m.player, (uint16_t)(port + m.player));
    for (uint32_t k = 0; k < m.player; k++) {
        (void)sett_enet_connect(net, k, "127.0.0.1", (uint16_t)(port + k));
    }
    if (net == NULL || !start(&m, sett_enet_transport(net))) {
        puts("the port is in use");
        return 1;
    }
    sett_session_stats stats = {.hash_frame = -1};
    uint64_t clock = 0, time_us = 0;
    bool over = false;
    for (; time(NULL) < end;
         time_us += FRAME_US) { /* also when it is over: others ask for states */
        const int64_t hashed = stats.hash_frame;
        const Keys keys = press(m.player, time_us);
        over = sett_session_advance(m.session, &keys) == SETT_SESSION_OVER;
        sett_session_stats_get(m.session, &stats);
        if (stats.hash_frame != hashed && stats.hash_frame >= 0) {
            printf("hash %lld %016llx\n", (long long)stats.hash_frame,
                   (unsigned long long)stats.hash);
        }
        (void)sett_frame_wait(&clock, 60);
    }
    report(&m);
    stop(&m);
    sett_enet_destroy(net);
    return over ? 1 : 0;
}

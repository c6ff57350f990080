/* Networking by deltas.
 *
 * The server sends what changed between the last state that a client has confirmed and now. The
 * client checks it and applies it as a whole, or not at all. */
#include "sett/sett.h"

#include <stdio.h>

typedef struct Position {
    int32_t x, y;
} Position;

#define GAME(COMPONENT, TAG) COMPONENT(Position)
SETT_COMPONENTS(GAME)

static sett_world* start(void)
{
    sett_world* world = sett_world_create(NULL);
    SETT_REGISTER_ALL(world, GAME);
    return world;
}

static void play(sett_world* world, uint32_t frame)
{
    if (frame % 3 == 0) {
        SETT_CREATE(world, SETT_VALUE(Position, (int32_t)frame, 0));
    }
    SETT_GET_MUT(world, sett_entity_at(world, frame % 20 / 3), Position)->y++;
}

int main(void)
{
    static unsigned char packet[4096];
    const sett_selection all = {0};
    sett_world* server = start();
    sett_world* client = start();
    sett_ring* sent = sett_ring_create(server, 64);
    uint64_t confirmed = UINT64_MAX; /* of a frame that the ring does not have all is sent */
    size_t size, bytes = 0;
    uint32_t lost = 0;
    for (uint32_t frame = 0; frame < 300; frame++) {
        play(server, frame);
        sett_ring_take_frame(sent, frame);
        sett_selection_encode(server, &all, sett_ring_at_frame(sent, confirmed), packet,
                              sizeof(packet), &size);
        bytes += size;
        if (frame % 5 == 3) { /* the network loses it: the next delta begins at `confirmed` again */
            lost++;
        } else if (sett_selection_apply(client, packet, size, NULL) == SETT_OK) {
            confirmed = frame;
        }
    }
    bool same = sett_selection_difference(server, client, &all, NULL, 0) == 0;
    printf("%u bytes a frame, %u packets lost, the worlds are %s\n", (unsigned)(bytes / 300),
           (unsigned)lost, same ? "the same" : "different");
    sett_world_destroy(server);
    sett_world_destroy(client);
    return same && lost == 60 ? 0 : 1;
}

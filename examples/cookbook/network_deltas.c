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

static void play(sett_world* world, int frame)
{
    if (frame % 3 == 0) {
        SETT_CREATE(world, SETT_VALUE(Position, frame, 0));
    }
    sett_entity mover = sett_entity_at(world, (uint32_t)frame % 20);
    if (!sett_is_null(mover)) {
        SETT_GET_MUT(world, mover, Position)->y++;
    }
}

int main(void)
{
    static unsigned char packet[4096];
    sett_world* server = start();
    sett_world* client = start();
    sett_snapshot confirmed, now;           /* of the server's world */
    sett_snapshot_take(server, &confirmed); /* both are empty */
    size_t bytes = 0;
    int lost = 0;
    for (int frame = 0; frame < 300; frame++) {
        play(server, frame);
        size_t size;
        sett_snapshot_take(server, &now);
        if (sett_delta_encode(server, confirmed, now, packet, sizeof packet, &size) != SETT_OK) {
            break; /* too large for the packet: `size` says how large */
        }
        bytes += size;
        if (frame % 5 == 3) { /* the network loses it: the next delta begins at `confirmed` again */
            lost++;
            sett_snapshot_drop(server, now);
        } else if (sett_delta_apply(client, packet, size) == SETT_OK) {
            sett_snapshot_drop(server, confirmed);
            confirmed = now;
        }
    }
    bool same = sett_world_hash(server) == sett_world_hash(client);
    printf("%u bytes a frame, %d packets lost, the worlds are %s\n", (unsigned)(bytes / 300), lost,
           same ? "the same" : "different");
    sett_world_destroy(server);
    sett_world_destroy(client);
    return same && lost == 60 ? 0 : 1;
}

/* Playing ahead of the server.
 *
 * What the server sends is LAG frames old when it arrives. So the client plays LAG frames ahead,
 * with its own input and with what it knows of others. When the next delta arrives it goes back to
 * the last state that it has from the server, applies the delta, and plays these frames again.
 *
 * Frames are counted in a singleton: deltas send it, but not the frame count of the world. */
#include "sett/sett.h"

#include <stdio.h>

typedef struct Position {
    int32_t x, y;
} Position;
typedef struct Steering { /* what a player holds down; of others: when last heard of */
    int32_t x, y;
} Steering;
typedef struct Clock {
    uint32_t frame;
} Clock;
typedef struct Score {
    uint32_t shots;
} Score;

#define GAME(COMPONENT, TAG)                                                                       \
    COMPONENT(Position) COMPONENT(Steering) COMPONENT(Clock) COMPONENT(Score) TAG(Shot)
SETT_COMPONENTS(GAME)

enum {
    LAG = 6,
    FRAMES = 400,
    PLAYERS = 2
};

static void steer(sett_context* context)
{
    SETT_SYSTEM_FOR(context, b, i) {
        SETT_FIELD_MUT(b, 0, Position)[i].x += SETT_FIELD(b, 1, Steering)[i].x;
        SETT_FIELD_MUT(b, 0, Position)[i].y += SETT_FIELD(b, 1, Steering)[i].y;
    }
}

/* A rule of the game. It must not run where a delta brings its result. */
static void count_shot(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)entity, (void)value, (void)user;
    SETT_SINGLETON_FIND_MUT(world, Score)->shots++;
}

static sett_world* start(sett_observer** rule)
{
    sett_world* world = sett_world_create(NULL);
    SETT_REGISTER_ALL(world, GAME);
    SETT_SYSTEM(world, steer, .terms = {SETT_INOUT(Position), SETT_IN(Steering)});
    const sett_observer_desc desc = {.component = Shot_id, .on_add = count_shot};
    *rule = sett_observer_create(world, &desc);
    return world;
}

/* Plays a frame with the inputs of the first `known` players. The second one turns now and then,
 * which the client cannot know. */
static void play(sett_world* world, const sett_entity* player, uint32_t known)
{
    uint32_t frame = ++SETT_SINGLETON_FIND_MUT(world, Clock)->frame; /* not context->frame */
    for (uint32_t k = 0; k < known; k++) {
        int32_t turn = (int32_t)(k == 0 ? frame / 3 : frame / 50);
        SETT_SET(world, player[k], Steering, turn % 3 - 1, turn % 2);
    }
    if (frame % 8 == 0) {
        SETT_CREATE(world, SETT_VALUE_TAG(Shot));
    }
    sett_progress(world, 1.0f / 60);
}

/* The client gets the next state, and is LAG frames ahead of it afterwards. */
static bool receive(sett_world* client, sett_ring* ring, sett_observer* rule, const void* packet,
                    size_t size, const sett_entity* player)
{
    if (sett_ring_count(ring) != 0) {
        sett_ring_restore(ring, LAG - 1); /* the oldest: what was received last */
    }
    sett_observer_enable(rule, false);
    bool done = sett_delta_apply(client, packet, size) == SETT_OK;
    sett_observer_enable(rule, true);
    for (uint32_t k = 0; done && k < LAG; k++) {
        sett_ring_take(ring); /* before each frame; so the restored state drops out of the ring */
        play(client, player, 1);
    }
    return done;
}

int main(void)
{
    static unsigned char packet[1200];
    static uint64_t predicted[FRAMES + LAG + 1]; /* hashes, by frame */
    sett_observer *server_rule, *client_rule;
    sett_world* server = start(&server_rule);
    sett_world* client = start(&client_rule);
    sett_ring* ring = sett_ring_create(client, LAG);
    sett_snapshot before, after;
    sett_entity player[PLAYERS];
    sett_snapshot_take(server, &before); /* both worlds are empty */
    SETT_SINGLETON_SET(server, Clock, .frame = 0);
    SETT_SINGLETON_SET(server, Score, .shots = 0);
    for (uint32_t k = 0; k < PLAYERS; k++) {
        player[k] = SETT_CREATE(server, SETT_VALUE(Position, 0), SETT_VALUE(Steering, 0));
    }
    uint32_t right = 0;
    size_t size = 0, bytes = 0;
    bool done = true;
    for (uint32_t frame = 0; done && frame <= FRAMES; frame++) {
        if (frame > 0) {
            play(server, player, PLAYERS);
        }
        sett_snapshot_take(server, &after);
        done = sett_delta_encode(server, before, after, packet, sizeof packet, &size) == SETT_OK;
        sett_snapshot_drop(server, before);
        before = after;
        bytes += size;
        right += predicted[frame] == sett_world_hash(server);
        done = done && receive(client, ring, client_rule, packet, size, player);
        predicted[frame + LAG] = sett_world_hash(client);
    }
    printf("%u of %u frames were predicted rightly; %u bytes a frame\n", (unsigned)right,
           (unsigned)(FRAMES - LAG), (unsigned)(bytes / FRAMES));
    sett_world_destroy(client);
    sett_world_destroy(server);
    return done && right > FRAMES / 2 && right < FRAMES - LAG ? 0 : 1;
}

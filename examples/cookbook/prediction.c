/* Playing ahead of the server.
 *
 * What the server sends is LAG frames old when it arrives. So the client plays LAG frames ahead,
 * with its own input and with what it knows of others. When the next state arrives it goes back to
 * the last one that it has from the server, applies what changed, and plays these frames again. */
#include "sett/sett.h"

#include <stdio.h>

typedef struct Position {
    int32_t x, y;
} Position;
typedef struct Steering { /* what a player holds down; of others: when last heard of */
    int32_t x, y;
} Steering;
typedef struct Score {
    uint32_t shots;
} Score;

#define GAME(COMPONENT, TAG) COMPONENT(Position) COMPONENT(Steering) COMPONENT(Score) TAG(Shot)
SETT_COMPONENTS(GAME)

enum {
    LAG = 6,
    FRAMES = 400
};

static void steer(sett_context* context)
{
    SETT_SYSTEM_FOR(context, b, i) {
        SETT_FIELD_MUT(b, 0, Position)[i].x += SETT_FIELD(b, 1, Steering)[i].x;
        SETT_FIELD_MUT(b, 0, Position)[i].y += SETT_FIELD(b, 1, Steering)[i].y;
    }
}

/* A rule of the game. It must not run where the server brings its result. */
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
    *rule = sett_observer_create(world,
                                 &(sett_observer_desc){.component = Shot_id, .on_add = count_shot});
    return world;
}

/* Plays a frame with the inputs of the first `known` players. The second one turns now and then,
 * which the client cannot know. */
static void play(sett_world* world, const sett_entity* player, uint32_t known, uint32_t frame)
{
    for (uint32_t k = 0; k < known; k++) {
        int32_t turn = (int32_t)(k == 0 ? frame / 3 : frame / 50);
        SETT_SET(world, player[k], Steering, turn % 3 - 1, turn % 2);
    }
    if (frame % 8 == 0) {
        SETT_CREATE(world, SETT_VALUE_TAG(Shot));
    }
    sett_progress(world, 1.0f / 60);
}

int main(void)
{
    static unsigned char packet[1200];
    static uint64_t predicted[FRAMES + LAG + 1]; /* hashes, by frame */
    const sett_selection all = {0};
    sett_observer *server_rule, *rule;
    sett_world* server = start(&server_rule);
    sett_world* client = start(&rule);
    sett_ring* sent = sett_ring_create(server, 2);
    sett_ring* ring = sett_ring_create(client, LAG);
    sett_entity player[2];
    SETT_SINGLETON_SET(server, Score, .shots = 0);
    player[0] = SETT_CREATE(server, SETT_VALUE(Position, 0), SETT_VALUE(Steering, 0));
    player[1] = SETT_CREATE(server, SETT_VALUE(Position, 0), SETT_VALUE(Steering, 0));
    uint32_t right = 0;
    size_t size = 0, bytes = 0;
    for (uint32_t frame = 0; frame <= FRAMES; frame++) {
        sett_ring_take_frame(sent, frame); /* of the first all is sent: there is none before */
        sett_snapshot before = frame > 0 ? sett_ring_at_frame(sent, frame - 1) : (sett_snapshot){0};
        sett_selection_encode(server, &all, before, packet, sizeof(packet), &size);
        bytes += size;
        right += predicted[frame] == sett_world_hash(server);

        if (frame > 0) {
            sett_ring_restore_frame(ring, frame - 1); /* what was received last */
        }
        sett_observer_enable(rule, false);
        sett_selection_apply(client, packet, size, NULL);
        sett_observer_enable(rule, true);
        for (uint32_t ahead = frame; ahead < frame + LAG; ahead++) {
            sett_ring_take_frame(ring, ahead);
            play(client, player, 1, ahead);
        }
        predicted[frame + LAG] = sett_world_hash(client);
        play(server, player, 2, frame);
    }
    printf("%u of %u frames were predicted rightly; %u bytes a frame\n", (unsigned)right,
           (unsigned)(FRAMES - LAG), (unsigned)(bytes / FRAMES));
    sett_world_destroy(client);
    sett_world_destroy(server);
    return right > FRAMES / 2 && right < FRAMES - LAG ? 0 : 1;
}

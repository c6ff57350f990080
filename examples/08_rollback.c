/* 08_rollback.c: a world that goes back in time, for netcode and editors.
 *
 * Two players push balls. The other player's input comes eight frames late and is guessed until
 * then: when the guess was wrong, the world goes back to that frame and plays what has happened
 * since again. A second world, which got every input in time, has to end up the same. */
#include "sett/sett.h"

#include <stdio.h>

enum {
    FRAMES = 300,
    LATE = 8,
    BALLS = 1000
};

typedef struct Ball {
    int32_t place, speed;
} Ball;

enum {
    Ball_id = 1
};

/* What the other player does in a frame; it arrives eight frames later. */
static int32_t input(int frame)
{
    return frame < FRAMES && frame % 37 < 12 ? frame % 5 - 2 : 0;
}

typedef struct Game {
    sett_world* world;
    sett_query* balls;
    sett_ring* ring; /* of the last frames */
} Game;

static Game start(void)
{
    Game game = {.world = sett_world_create(NULL)};
    sett_component ball = SETT_REGISTER_WITH(game.world, Ball, .id = Ball_id);
    sett_entity_create_many(game.world, BALLS, &ball, 1, NULL, NULL);
    game.balls = SETT_QUERY_CREATE(game.world, SETT_INOUT(Ball));
    game.ring = sett_ring_create(game.world, LATE);
    return game;
}

/* One frame: balls are pushed, and those that fly too far are replaced. */
static void play(Game* game, int32_t push)
{
    sett_commands* commands = sett_commands_here(game->world);
    SETT_QUERY_EACH(game->balls, b) {
        Ball* ball = SETT_FIELD_MUT(b, 0, Ball);
        SETT_EACH(b, i) {
            ball[i].speed += push * (int32_t)(sett_batch_index(b, i) % 7);
            ball[i].place += ball[i].speed;
            if (ball[i].place > 5000 || ball[i].place < -5000) {
                sett_cmd_destroy(commands, sett_batch_entity(b, i));
                SETT_CMD_SET(commands, sett_cmd_create(commands), Ball, .place = push);
            }
        }
    }
    sett_commands_apply(commands);
#if !defined(NDEBUG) /* finds writes that bypass Sett: a restore would miss them */
    if (sett_world_check_writes(game->world) != SETT_OK) {
        fprintf(stderr, "%s\n", sett_world_message(game->world));
    }
#endif
}

int main(void)
{
    Game late = start();
    Game exact = start();
    int rewinds = 0;
    for (int frame = 0; frame < FRAMES + LATE; frame++) {
        int known = frame - LATE; /* the input of this frame has just arrived */
        if (known >= 0 && input(known) != 0) {
            /* The guess was 0: back to the beginning of that frame, and play again from there. */
            sett_ring_restore(late.ring, LATE - 1);
            play(&late, input(known));
            for (int k = known + 1; k < frame; k++) {
                sett_ring_take(late.ring);
                play(&late, 0);
            }
            rewinds++;
        }
        sett_ring_take(late.ring);
        play(&late, 0);
        play(&exact, input(frame));
    }
    char difference[256];
    printf("%d frames, %d rewinds\n", FRAMES, rewinds);
    printf("late  0x%016llx\n", (unsigned long long)sett_world_hash(late.world));
    printf("exact 0x%016llx\n", (unsigned long long)sett_world_hash(exact.world));
    bool same = sett_world_difference(late.world, exact.world, difference, sizeof difference) == 0;
    printf("%s\n", same ? "the same" : difference);
    sett_world_destroy(late.world);
    sett_world_destroy(exact.world);
    return same ? 0 : 1;
}

/* Random numbers that can be rewound.
 *
 * The generator's state is a singleton. So a snapshot holds it, a file saves it, lockstep machines
 * agree, and a frame that is played again rolls the same dice. */
#include "sett/sett.h"

#include <stdio.h>

typedef struct Random {
    uint64_t state;
} Random;

#define GAME(COMPONENT, TAG) COMPONENT(Random)
SETT_COMPONENTS(GAME)

static uint32_t random_next(Random* random) /* PCG */
{
    uint64_t old = random->state;
    random->state = old * 6364136223846793005u + 1442695040888963407u;
    uint32_t mixed = (uint32_t)(((old >> 18) ^ old) >> 27);
    uint32_t turn = (uint32_t)(old >> 59);
    return mixed >> turn | mixed << ((32 - turn) & 31);
}

/* A number below `limit`, each equally often. */
static uint32_t random_below(Random* random, uint32_t limit)
{
    uint32_t rest = (0u - limit) % limit;
    uint32_t number = random_next(random);
    while (number < rest) {
        number = random_next(random);
    }
    return number % limit;
}

static uint32_t roll(sett_world* world)
{
    return 1 + random_below(SETT_SINGLETON_FIND_MUT(world, Random), 6);
}

int main(void)
{
    uint32_t dice[7] = {0}, first[20];
    sett_snapshot saved;
    sett_world* world = sett_world_create(NULL);
    SETT_REGISTER_ALL(world, GAME);
    SETT_SINGLETON_SET(world, Random, .state = 2024);
    for (int k = 0; k < 6000; k++) {
        dice[roll(world)]++;
    }
    sett_snapshot_take(world, &saved);
    for (int k = 0; k < 20; k++) {
        first[k] = roll(world);
    }
    sett_snapshot_restore(world, saved);
    bool same = true, fair = true;
    for (int k = 0; k < 20; k++) {
        same = same && roll(world) == first[k];
    }
    for (int k = 1; k <= 6; k++) {
        fair = fair && dice[k] > 880 && dice[k] < 1120;
    }
    printf("after going back: %s dice\n", same ? "the same" : "other");
    sett_world_destroy(world);
    return same && fair ? 0 : 1;
}

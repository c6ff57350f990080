/* Finding a desync: two machines that should agree, and do not.
 *
 * Compare hashes each frame. In the first frame in which they differ, load the other machine's
 * state beside yours and print the difference: it names entity, component and member. */
#include "sett/sett.h"

#include <stdio.h>
#include <string.h>

typedef struct Mine {
    int32_t x;
    int32_t gold;
} Mine;

#define GAME(COMPONENT, TAG) COMPONENT(Mine, .members = SETT_STRUCT(Mine, x, gold))
SETT_COMPONENTS(GAME)

static int32_t bonus; /* the error: state outside of the world, so machines can disagree */

static void dig(sett_context* context)
{
    SETT_SYSTEM_FOR(context, b, i) {
        SETT_FIELD_MUT(b, 0, Mine)[i].gold += 1 + (sett_batch_index(b, i) == 7 ? bonus : 0);
    }
}

static sett_world* machine(void)
{
    sett_world* world = sett_world_create(NULL);
    SETT_REGISTER_ALL(world, GAME);
    SETT_SYSTEM(world, dig, .terms = {SETT_INOUT(Mine)});
    for (int32_t k = 0; k < 100; k++) {
        SETT_CREATE(world, SETT_VALUE(Mine, .x = k));
    }
    return world;
}

int main(void)
{
    char difference[256] = "";
    sett_world* mine = machine();
    sett_world* other = machine();
    int frame = 0;
    for (; frame < 100; frame++) {
        bonus = 0;
        sett_progress(mine, 1.0f / 60);
        bonus = frame == 42;
        sett_progress(other, 1.0f / 60);
        if (sett_world_hash(mine) != sett_world_hash(other)) {
            sett_world_difference(mine, other, difference, sizeof difference);
            break;
        }
    }
    printf("frame %d: %s\n", frame, difference);
    sett_world_destroy(mine);
    sett_world_destroy(other);
    return frame == 42 && strstr(difference, "gold") != NULL ? 0 : 1;
}

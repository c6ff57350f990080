/* From a profile to a layout.
 *
 * While you develop, let Sett count what your loops do and say how types should be stored. The
 * answer is a text: ship it with the program and apply it at start. */
#include "sett/sett.h"

#include <stdio.h>
#include <string.h>

typedef struct Position {
    float x, y;
} Position;

typedef struct Burning {
    float seconds;
} Burning;

#define GAME(COMPONENT, TAG) COMPONENT(Position) COMPONENT(Burning)
SETT_COMPONENTS(GAME)

static sett_world* start(const char* layout)
{
    sett_world* world = sett_world_create(NULL);
    SETT_REGISTER_ALL(world, GAME);
    sett_layout_apply(world, layout);
    for (int k = 0; k < 50000; k++) {
        sett_entity e = SETT_CREATE(world, SETT_VALUE(Position, (float)k, 0));
        if (k % 1000 == 0) {
            SETT_SET(world, e, Burning, .seconds = 1); /* few, and spread over all */
        }
    }
    return world;
}

static double play(sett_world* world)
{
    double sum = 0;
    sett_query* burning = SETT_QUERY_CREATE(world, SETT_IN(Burning), SETT_IN(Position));
    for (int frame = 0; frame < 200; frame++) {
        SETT_FOR(burning, b, i) {
            sum += (double)SETT_FIELD(b, 1, Position)[i].x;
        }
    }
    return sum;
}

int main(void)
{
    sett_advice advice[8];
    char layout[1000];
    sett_world* world = start("");
    sett_profile_begin(world);
    double before = play(world);
    sett_profile_end(world);
    uint32_t count = sett_advise(world, advice, 8);
    for (uint32_t k = 0; k < count; k++) { /* advice[k].text says why, .code what to write */
        sett_advice_apply(world, &advice[k]);
    }
    sett_layout_describe(world, layout, sizeof layout); /* write it to a file */

    sett_world* shipped = start(layout);
    double after = play(shipped);
    bool right = count > 0 && before == after && strstr(layout, "group") != NULL;
    printf("%u piece of advice: %s", (unsigned)count, layout);
    sett_world_destroy(world);
    sett_world_destroy(shipped);
    return right ? 0 : 1;
}

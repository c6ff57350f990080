/* 10_layout.c: a world that finds its layout, and a layout that is shipped.
 *
 * Every second body moves: in arrays, which types are stored in by default, a loop over these skips
 * from body to body. After sett_layout_auto the world notices what that costs, and arranges both
 * types for the loop. What it has found can be written down and given to a world that does not have
 * to search. */
#include "sett/sett.h"

#include <stdio.h>

typedef struct Position {
    float x, y;
} Position;

typedef struct Velocity {
    float x, y;
} Velocity;

#define GAME(COMPONENT, TAG) COMPONENT(Position) COMPONENT(Velocity)
SETT_COMPONENTS(GAME)

static void fill(sett_world* world)
{
    SETT_REGISTER_ALL(world, GAME);
    for (int k = 0; k < 50000; k++) {
        sett_entity body = sett_entity_create(world);
        SETT_SET(world, body, Position, .x = (float)k);
        if (k % 2 == 0) {
            SETT_SET(world, body, Velocity, .x = 1);
        }
    }
}

static void move(sett_query* moving)
{
    SETT_QUERY_EACH(moving, b) {
        Position* p = SETT_FIELD_MUT(b, 0, Position);
        const Velocity* v = SETT_FIELD(b, 1, Velocity);
        SETT_EACH(b, i) {
            p[i].x += v[i].x;
            p[i].y += v[i].y;
        }
    }
}

int main(void)
{
    char layout[256];
    sett_world* world = sett_world_create(NULL);
    sett_layout_auto(world, SETT_LAYOUT_VALUES);
    fill(world);
    sett_query* moving = SETT_QUERY_CREATE(world, SETT_INOUT(Position), SETT_IN(Velocity));
    sett_layout_describe(world, layout, sizeof(layout));
    printf("at first:\n%s", layout);
    for (int frame = 1; frame <= 200; frame++) {
        move(moving);
        /* sett_progress does this by itself. Addresses of components hold until here. */
        uint64_t moved = sett_layout_step(world, 1000000);
        if (moved != 0) {
            sett_layout_describe(world, layout, sizeof(layout));
            printf("frame %d, %d values moved:\n%s", frame, (int)moved, layout);
        }
    }
    sett_world_destroy(world);

    /* The text is applied before there is anything to move; types may be registered later. */
    sett_world* shipped = sett_world_create(NULL);
    sett_layout_apply(shipped, layout);
    fill(shipped);
    sett_query* query = SETT_QUERY_CREATE(shipped, SETT_INOUT(Position), SETT_IN(Velocity));
    char words[256];
    sett_query_explain(query, words, sizeof(words));
    printf("shipped: %s\n", words);
    sett_world_destroy(shipped);
    return 0;
}

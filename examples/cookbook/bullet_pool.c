/* Bullets: do I need a pool?
 *
 * No: the world is one. Creating and destroying are O(1) and reuse indices and memory; the handle
 * of a bullet that is gone stays recognisable, which a pool of your own has to arrange. */
#include "sett/sett.h"

#include <stdio.h>

typedef struct Position {
    float x;
} Position;

#define GAME(COMPONENT, TAG) COMPONENT(Position) TAG(Bullet)
SETT_COMPONENTS(GAME)

enum {
    ALIVE = 1000 /* bullets at once */
};

int main(void)
{
    sett_world* world = sett_world_create(NULL);
    SETT_REGISTER_ALL(world, GAME);
    sett_query* bullets = SETT_QUERY_CREATE(world, SETT_INOUT(Position), SETT_WITH(Bullet));
    sett_commands* commands = sett_commands_here(world);
    sett_entity first = SETT_CREATE(world, SETT_VALUE(Position, 0), SETT_VALUE_TAG(Bullet));
    uint32_t highest = 0, fired = 1;
    for (int frame = 0; frame < 2000; frame++) {
        for (int k = 0; k < 10; k++, fired++) {
            sett_entity bullet =
                SETT_CREATE(world, SETT_VALUE(Position, 0), SETT_VALUE_TAG(Bullet));
            highest = bullet.index > highest ? bullet.index : highest;
        }
        SETT_FOR(bullets, b, i) {
            Position* p = &SETT_FIELD_MUT(b, 0, Position)[i];
            p->x += 1;
            if (p->x >= (float)ALIVE / 10) {
                sett_cmd_destroy(commands, sett_batch_entity(b, i));
            }
        }
        sett_commands_apply(commands);
    }
    printf("%u fired, in %u places; the first one is %s\n", (unsigned)fired, (unsigned)highest + 1,
           sett_entity_valid(world, first) ? "alive" : "known to be gone");
    bool right = highest < ALIVE + 20 && !sett_entity_valid(world, first);
    sett_world_destroy(world);
    return right ? 0 : 1;
}

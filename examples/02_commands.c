/* 02_commands.c: creating and destroying inside of loops.
 *
 * Inside a loop structure cannot change. The loop records commands, and they are applied after it.
 * */
#include "sett/sett.h"

#include <stdio.h>

typedef struct Position {
    float x;
} Position;

typedef struct Gun {
    int rounds;
} Gun;

typedef struct Bullet {
    sett_entity shooter;
    int life; /* steps */
} Bullet;

#define BATTLE(COMPONENT, TAG) COMPONENT(Position) COMPONENT(Gun) COMPONENT(Bullet)
SETT_COMPONENTS(BATTLE)

int main(void)
{
    sett_world* world = sett_world_create(NULL);
    SETT_REGISTER_ALL(world, BATTLE);
    sett_commands* commands = sett_commands_here(world);

    sett_query* guns = SETT_QUERY_CREATE(world, SETT_INOUT(Gun), SETT_IN(Position));
    sett_query* bullets = SETT_QUERY_CREATE(world, SETT_INOUT(Bullet), SETT_INOUT(Position));

    for (int k = 0; k < 3; k++) {
        sett_entity turret = sett_entity_create(world);
        SETT_SET(world, turret, Position, .x = (float)(10 * k));
        SETT_SET(world, turret, Gun, .rounds = 2 + k);
    }
    for (int step = 0; step < 8; step++) {
        SETT_FOR(guns, b, i) {
            if (SETT_FIELD_MUT(b, 0, Gun)[i].rounds-- > 0) {
                /* The handle can be stored at once; it is valid once the command was applied. */
                sett_entity bullet = sett_cmd_create(commands);
                SETT_CMD_SET(commands, bullet, Position, .x = SETT_FIELD(b, 1, Position)[i].x);
                SETT_CMD_SET(commands, bullet, Bullet, .shooter = sett_batch_entity(b, i),
                             .life = 3);
            } else {
                sett_cmd_remove(commands, sett_batch_entity(b, i), Gun_id);
            }
        }
        SETT_FOR(bullets, b, i) {
            SETT_FIELD_MUT(b, 1, Position)[i].x += 1;
            if (--SETT_FIELD_MUT(b, 0, Bullet)[i].life == 0) {
                sett_cmd_destroy(commands, sett_batch_entity(b, i));
            }
        }
        uint32_t recorded = sett_commands_count(commands);
        sett_commands_apply(commands);
        printf("step %d: %2u commands, then %u guns and %u bullets\n", step, (unsigned)recorded,
               (unsigned)sett_query_count(guns), (unsigned)sett_query_count(bullets));
    }
    sett_world_destroy(world);
    return 0;
}

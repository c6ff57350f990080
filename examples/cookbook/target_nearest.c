/* Turrets that aim at the nearest enemy.
 *
 * A system visits the turrets, and in it a second query visits the enemies; the system declares
 * what that query reads. A target is a handle: if the enemy dies, the handle says so. */
#include "sett/sett.h"

#include <stdio.h>

typedef struct Position {
    float x, y;
} Position;

typedef struct Turret {
    sett_entity target;
} Turret;

#define GAME(COMPONENT, TAG) COMPONENT(Position) COMPONENT(Turret) TAG(Enemy)
SETT_COMPONENTS(GAME)

static void aim(sett_context* context)
{
    sett_query* enemies = context->user;
    SETT_SYSTEM_FOR(context, b, i) {
        const Position* from = &SETT_FIELD(b, 1, Position)[i];
        sett_entity nearest = sett_null();
        float best = 100; /* the square of the range */
        SETT_CONTEXT_FOR(context, enemies, e, k)
        {
            const Position* p = &SETT_FIELD(e, 0, Position)[k];
            float dx = p->x - from->x, dy = p->y - from->y;
            if (dx * dx + dy * dy < best) {
                best = dx * dx + dy * dy;
                nearest = sett_batch_entity(e, k);
            }
        }
        SETT_FIELD_MUT(b, 0, Turret)[i].target = nearest;
    }
}

int main(void)
{
    sett_world* world = sett_world_create(NULL);
    SETT_REGISTER_ALL(world, GAME);
    sett_query* enemies = SETT_QUERY_CREATE(world, SETT_IN(Position), SETT_WITH(Enemy));
    SETT_SYSTEM(world, aim, .terms = {SETT_OUT(Turret), SETT_IN(Position)},
                .access_any_in = {Position_id}, .user = enemies);
    sett_entity turret =
        SETT_CREATE(world, SETT_VALUE(Turret, .target = {0, 0}), SETT_VALUE(Position, 0, 0));
    SETT_CREATE(world, SETT_VALUE(Position, 7, 0), SETT_VALUE_TAG(Enemy));
    sett_entity near = SETT_CREATE(world, SETT_VALUE(Position, 3, 4), SETT_VALUE_TAG(Enemy));
    SETT_CREATE(world, SETT_VALUE(Position, 40, 40), SETT_VALUE_TAG(Enemy)); /* too far */

    sett_progress(world, 1.0f / 60);
    bool right = sett_equals(SETT_GET(world, turret, Turret)->target, near);
    sett_entity_destroy(world, near);
    right = right && !sett_entity_valid(world, SETT_GET(world, turret, Turret)->target);
    sett_progress(world, 1.0f / 60);
    const Position* next = SETT_GET(world, SETT_GET(world, turret, Turret)->target, Position);
    printf("the nearest, then the one at %g\n", (double)next->x);
    right = right && next->x == 7;
    sett_world_destroy(world);
    return right ? 0 : 1;
}

/* reloaded.c: the game's part of 15_hot_reload.c. It is built twice, as two versions of one
 * library: GAME_VERSION is 1, and 2 after its programmer has thought again. */
#include "sett/sett.h"

#include <stdio.h>

typedef struct Position { /* the program's as well */
    float x, y;
} Position;

#if GAME_VERSION == 1
typedef struct Enemy {
    uint8_t health;
    float speed;
} Enemy;
#define ENEMY_MEMBERS SETT_STRUCT(Enemy, health, speed)
#else
typedef struct Enemy {
    float speed;
    uint32_t health; /* wider, and elsewhere */
    uint32_t armor;  /* new: 0 in enemies that live already */
} Enemy;
#define ENEMY_MEMBERS SETT_STRUCT(Enemy, speed, health, armor)
#endif

#define ENGINE(COMPONENT, TAG) COMPONENT(Position, .members = SETT_STRUCT(Position, x, y))
#define GAME(COMPONENT, TAG) COMPONENT(Enemy, .members = ENEMY_MEMBERS)
SETT_COMPONENTS(ENGINE)
SETT_COMPONENTS_FROM(GAME, 100)

static void walk(sett_context* context)
{
    SETT_SYSTEM_FOR(context, b, i) {
#if GAME_VERSION == 1
        SETT_FIELD_MUT(b, 0, Position)[i].x += SETT_FIELD(b, 1, Enemy)[i].speed;
#else
        SETT_FIELD_MUT(b, 0, Position)[i].y += SETT_FIELD(b, 1, Enemy)[i].speed;
#endif
    }
}

static sett_status engine_register(sett_world* world)
{
    return SETT_REGISTER_ALL(world, ENGINE);
}

static sett_status game_register(sett_world* world)
{
    sett_status status = sett_module_import(world, "engine", engine_register);
    if (status == SETT_OK) {
        status = SETT_REGISTER_ALL(world, GAME);
    }
    if (status == SETT_OK &&
        SETT_SYSTEM(world, walk, .terms = {SETT_INOUT(Position), SETT_IN(Enemy)}) == NULL) {
        status = sett_world_error(world);
    }
    return status;
}

/* The two functions that the program looks up. */
SETT_API sett_status game_begin(sett_world* world);
SETT_API sett_status game_end(sett_world* world);

sett_status game_begin(sett_world* world)
{
    return sett_module_import(world, "game", game_register);
}

/* Leaves nothing behind that leads into this library. */
sett_status game_end(sett_world* world)
{
    sett_status status = sett_system_destroy(sett_system_find(world, "walk"));
    if (status == SETT_OK) {
        status = sett_component_unregister(world, Enemy_id);
    }
    sett_module_forget(world, "game");
    return status;
}

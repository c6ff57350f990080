/* 09_observers.c: observers.
 *
 * Damage is a component that is set and removed again. The loop records it; one observer subtracts
 * it from the health and records what follows. Another observer counts the rocks. Events of your
 * own, for which no component is set (event.h), are in 11_own_events.c. */
#include "sett/sett.h"

#include <stdio.h>

typedef struct Health {
    int points;
} Health;

typedef struct Damage {
    int points;
    sett_entity by;
} Damage;

typedef struct Rock {
    int size; /* a rock of size 1 does not split */
} Rock;

#define GAME(COMPONENT, TAG) COMPONENT(Health) COMPONENT(Damage) COMPONENT(Rock)
SETT_COMPONENTS(GAME)

typedef struct Game {
    sett_entity rock; /* the prefab of all rocks */
    int rocks;
    int hits;
} Game;

/* Two rocks instead of one. A callback cannot change structure: it records commands, and they are
 * applied after the ones that are being applied. */
static void split(sett_world* world, const Game* game, const Rock* rock)
{
    sett_commands* commands = sett_commands_here(world);
    for (int k = 0; rock->size > 1 && k < 2; k++) {
        sett_entity part = sett_cmd_instantiate(commands, game->rock);
        SETT_CMD_SET(commands, part, Rock, .size = rock->size - 1);
    }
}

static void damage_set(sett_world* world, sett_entity entity, void* value, void* user)
{
    Game* game = user;
    const Damage* damage = value;
    sett_commands* commands = sett_commands_here(world);
    Health* health = SETT_FIND_MUT(world, entity, Health);
    if (health == NULL) {
        return;
    }
    game->hits++;
    health->points -= damage->points;
    SETT_CMD_REMOVE(commands, entity, Damage);
    if (health->points <= 0) {
        const Rock* rock = SETT_FIND(world, entity, Rock);
        if (rock != NULL) {
            split(world, game, rock);
        }
        sett_cmd_destroy(commands, entity);
    }
}

static void rock_added(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)world, (void)entity, (void)value;
    ((Game*)user)->rocks++;
}

static void rock_removed(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)world, (void)entity, (void)value;
    ((Game*)user)->rocks--;
}

int main(void)
{
    sett_world* world = sett_world_create(NULL);
    Game game = {0};
    SETT_REGISTER_ALL(world, GAME);
    game.rock = sett_entity_create(world);
    SETT_SET(world, game.rock, Health, .points = 3);
    SETT_SET(world, game.rock, Rock, .size = 3);
    sett_prefab_make(world, game.rock); /* from here on no query sees it */

    sett_observer_create(
        world, &(sett_observer_desc){
                   .name = "damage", .component = Damage_id, .on_set = damage_set, .user = &game});
    sett_observer_create(world, &(sett_observer_desc){.name = "rocks",
                                                      .component = Rock_id,
                                                      .on_add = rock_added,
                                                      .on_remove = rock_removed,
                                                      .user = &game});
    sett_entity ship = sett_entity_create(world);
    sett_instantiate(world, game.rock, 4, NULL);
    sett_query* rocks = SETT_QUERY_CREATE(world, SETT_IN(Rock));
    sett_commands* commands = sett_commands_here(world);
    for (int step = 0; game.rocks > 0; step++) {
        printf("step %2d: %2d rocks, %3d hits so far\n", step, game.rocks, game.hits);
        SETT_FOR(rocks, b, i) {
            SETT_CMD_SET(commands, sett_batch_entity(b, i), Damage, .points = 2, .by = ship);
        }
        sett_commands_apply(commands); /* the damage, and all that follows from it */
    }
    printf("no rocks left after %d hits\n", game.hits);
    sett_world_destroy(world);
    return game.hits == 4 * (1 + 2 + 4) * 2 ? 0 : 1;
}

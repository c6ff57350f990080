/* 11_own_events.c: events of your own. Damage is an event: it is sent to an entity, and observers
 * receive it. Armor changes it before health sees it, and the army hears of its soldiers. */
#include "sett/sett.h"

#include <stdio.h>

typedef struct Health {
    int points;
} Health;

typedef struct Armor {
    int points;
} Armor;

typedef struct Damage {
    int points;
} Damage;

#define GAME(COMPONENT, TAG)                                                                       \
    COMPONENT(Health)                                                                              \
    COMPONENT(Armor)                                                                               \
    COMPONENT(Damage)                                                                              \
    TAG(Army)
SETT_COMPONENTS(GAME)

static void armor_absorbs(sett_world* world, sett_entity entity, void* value, void* user)
{
    Damage* damage = value;
    const Armor* armor = SETT_GET(world, entity, Armor);
    (void)user;
    damage->points -= armor->points < damage->points ? armor->points : damage->points;
}

static void health_suffers(sett_world* world, sett_entity entity, void* value, void* user)
{
    const Damage* damage = value;
    Health* health = SETT_GET_MUT(world, entity, Health);
    (void)user;
    health->points -= damage->points;
    printf("%s: %d left\n", sett_name_get(world, entity), health->points);
    if (health->points <= 0) {
        sett_cmd_destroy(sett_commands_here(world), entity); /* not now: observers run */
    }
}

static void army_hears(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)value;
    (void)user;
    printf("%s is under attack\n", sett_name_get(world, entity));
}

int main(void)
{
    sett_world* world = sett_world_create(NULL);
    SETT_REGISTER_ALL(world, GAME);

    /* observers run in the order of their creation; terms say which entities they are for */
    sett_observer_create(world, &(sett_observer_desc){.component = Damage_id,
                                                      .on_event = armor_absorbs,
                                                      .terms = {SETT_WITH(Armor)}});
    sett_observer_create(world, &(sett_observer_desc){.component = Damage_id,
                                                      .on_event = health_suffers,
                                                      .terms = {SETT_WITH(Health)}});
    sett_observer_create(world, &(sett_observer_desc){.component = Damage_id,
                                                      .on_event = army_hears,
                                                      .terms = {SETT_WITH(Army)}});

    sett_entity army = sett_entity_create(world);
    SETT_ADD_TAG(world, army, Army);
    sett_name_set(world, army, "army");
    sett_entity knight = SETT_CREATE(world, SETT_VALUE(Health, 20), SETT_VALUE(Armor, 6));
    sett_entity archer = SETT_CREATE(world, SETT_VALUE(Health, 8));
    sett_name_set(world, knight, "knight");
    sett_name_set(world, archer, "archer");
    sett_hierarchy_attach(world, knight, army);
    sett_hierarchy_attach(world, archer, army);

    SETT_EVENT_SEND(world, knight, SETT_ROUTE_UP, Damage,
                    .points = 10); /* the knight, then the army */
    SETT_EVENT_SEND(world, army, SETT_ROUTE_DOWN, Damage, .points = 9); /* all of them */

    sett_commands_apply(sett_commands_here(world));
    printf("archer: %s\n", sett_entity_valid(world, archer) ? "alive" : "dead");
    sett_world_destroy(world);
    return 0;
}

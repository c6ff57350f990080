/* A saved game of an older version.
 *
 * Members are found by their names, so integers can become wider and members can come and go.
 * What a name cannot say, such as a new unit, a function does. */
#include "sett/sett.h"

#include <stdio.h>

typedef struct OldHealth {
    uint8_t percent;
    uint8_t lives;
} OldHealth;

typedef struct Health {
    int32_t points; /* was: percent of 200 */
    int32_t lives;  /* became wider: done by name */
    float regrows;  /* is new: stays as it was initialised */
} Health;

static void old_program(const char* path)
{
    sett_world* world = sett_world_create(NULL);
    sett_component health = sett_component_register(
        world, &(sett_component_desc){.name = "Health",
                                      .size = sizeof(OldHealth),
                                      .align = 1,
                                      .members = SETT_STRUCT(OldHealth, percent, lives)});
    sett_set(world, sett_entity_create(world), health, &(OldHealth){.percent = 50, .lives = 3});
    sett_world_save(world, path);
    sett_world_destroy(world);
}

static bool percent_to_points(const sett_struct* members, const void* from, void* to, void* user)
{
    const OldHealth* old = from;
    Health* health = to;
    (void)members;
    (void)user;
    health->points = old->percent * 2;
    return true; /* `lives` is filled in already */
}

int main(void)
{
    const char* path = "migration.save";
    old_program(path);

    sett_world* world = sett_world_create(NULL);
    sett_component Health_id =
        SETT_REGISTER_WITH(world, Health, .members = SETT_STRUCT(Health, points, lives, regrows));
    sett_world* old = sett_world_create(NULL); /* what the old layout is called: its fingerprint */
    sett_component old_id = sett_component_register(
        old, &(sett_component_desc){.name = "Health",
                                    .size = sizeof(OldHealth),
                                    .align = 1,
                                    .members = SETT_STRUCT(OldHealth, percent, lives)});
    sett_file_migrate(world, Health_id, sett_members_fingerprint(old, old_id), percent_to_points,
                      NULL);
    sett_world_destroy(old);

    sett_status status = sett_world_load(world, path);
    uint32_t cursor = 0;
    const Health* health = SETT_FIND(world, sett_entity_next(world, &cursor), Health);
    bool right = status == SETT_OK && health != NULL && health->points == 100 && health->lives == 3;
    printf("%s\n", right ? "50 % became 100 points, 3 lives stayed" : sett_world_message(world));
    sett_world_destroy(world);
    remove(path);
    return right ? 0 : 1;
}

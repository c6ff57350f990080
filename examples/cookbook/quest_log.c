/* Quest log: a text of any length, and a list, in one value.
 *
 * A string and a list belong to the value. Copies of the value share them until one is changed, so
 * the snapshot for the undo costs a few bytes. Files and JSON contain both. */
#include "sett/sett.h"

#include <stdio.h>
#include <string.h>

typedef struct Step {
    uint16_t day;
    bool done;
} Step;

typedef struct Quest {
    sett_string title;
    sett_list steps; /* of Step */
} Quest;

static sett_component Quest_id;

static sett_world* quest_world(void)
{
    sett_world* world = sett_world_create(NULL);
    Quest_id = SETT_REGISTER_WITH(
        world, Quest,
        .members = SETT_STRUCT(Quest, title, (steps, .of = SETT_STRUCT(Step, day, done))));
    return world;
}

static bool says(const sett_world* world, sett_entity entity, const char* title, uint32_t steps)
{
    const Quest* quest = SETT_GET(world, entity, Quest);
    return strcmp(sett_string_get(&quest->title), title) == 0 && quest->steps.count == steps;
}

int main(void)
{
    const char* path = "quests.save";
    sett_world* world = quest_world();
    sett_entity e = sett_entity_create(world);
    Quest* quest = SETT_ADD(world, e, Quest);
    sett_string_set(world, &quest->title, "The lighthouse keeper's third letter");
    SETT_LIST_PUSH(world, &quest->steps, Step)->day = 3;

    sett_snapshot before;
    sett_snapshot_take(world, &before);
    quest = SETT_GET_MUT(world, e, Quest);
    sett_string_set(world, &quest->title, "Finished");
    SETT_LIST_EDIT(world, &quest->steps, Step)[0].done = true;
    SETT_LIST_PUSH(world, &quest->steps, Step)->day = 4;
    bool right = says(world, e, "Finished", 2);
    sett_world_save(world, path);

    sett_snapshot_restore(world, before);
    right = right && says(world, e, "The lighthouse keeper's third letter", 1);
    right = right && !SETT_LIST_ITEMS(&SETT_GET(world, e, Quest)->steps, Step)[0].done;

    sett_snapshot_drop_all(world); /* of a world that is replaced none can be restored */
    right = right && sett_world_load(world, path) == SETT_OK && says(world, e, "Finished", 2);
    char text[200];
    sett_json_format_value(world, e, Quest_id, text, sizeof(text));
    printf("%s\n", right ? text : sett_world_message(world));
    sett_world_destroy(world);
    remove(path);
    return right ? 0 : 1;
}

/* Copy and paste of an entity with its descendants, within a world or from one into another.
 *
 * References to copied entities lead to the pasted ones. Others lead to the entity of the same
 * path, or become null: `lost` counts these. */
#include "sett/sett.h"

#include <stdio.h>

typedef struct Lock {
    sett_entity door;
    int strength;
} Lock;

#define EDITOR(COMPONENT, TAG) COMPONENT(Lock, .members = SETT_STRUCT(Lock, door, strength))
SETT_COMPONENTS(EDITOR)

static char clipboard[65536];

/* Copy and paste in three lines. */
static sett_entity copy_and_paste(sett_world* from, sett_entity entity, sett_world* to,
                                  sett_entity under)
{
    sett_json_result result;
    size_t size =
        sett_json_format(from, &(sett_json_desc){.entity = entity}, clipboard, sizeof(clipboard));
    sett_json_read(to, clipboard, size, &(sett_json_read_desc){.parent = under}, &result);
    return result.first;
}

int main(void)
{
    sett_world* world = sett_world_create(NULL);
    SETT_REGISTER_ALL(world, EDITOR);
    sett_entity hall = sett_name_ensure(world, sett_null(), "hall");
    sett_entity cellar = sett_name_ensure(world, sett_null(), "cellar");
    sett_entity door = sett_name_ensure(world, hall, "door");
    sett_entity lock = sett_name_ensure(world, door, "lock");
    SETT_SET(world, lock, Lock, .door = door, .strength = 3);

    sett_entity pasted = copy_and_paste(world, door, world, cellar);
    sett_entity copy = sett_hierarchy_first(world, pasted);
    char path[64];
    sett_name_path(world, copy, path, sizeof(path));
    printf("%s locks %s door\n", path,
           sett_equals(SETT_GET(world, copy, Lock)->door, pasted) ? "its own" : "another");
    sett_world_destroy(world);
    return 0;
}

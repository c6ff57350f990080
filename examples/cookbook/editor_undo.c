/* Undo and redo in an editor.
 *
 * A step after each action of the user, by its name. What is not selected stays as it is when a
 * step is undone: here the clouds, which a simulation moves meanwhile. */
#include "sett/sett.h"

#include <stdio.h>
#include <string.h>

typedef struct Position {
    float x, y;
} Position;

#define EDITOR(COMPONENT, TAG) COMPONENT(Position) TAG(Edited)
SETT_COMPONENTS(EDITOR)

int main(void)
{
    sett_world* world = sett_world_create(NULL);
    SETT_REGISTER_ALL(world, EDITOR);
    sett_entity cloud = SETT_CREATE(world, SETT_VALUE(Position, 0, 9));
    sett_query* edited = SETT_QUERY_CREATE(world, SETT_WITH(Edited));
    sett_undo* undo = sett_undo_create(world, &(sett_undo_desc){.selection = {.query = edited}});

    sett_entity tree = SETT_CREATE(world, SETT_VALUE(Position, 1, 1), SETT_VALUE_TAG(Edited));
    sett_undo_step(undo, "plant a tree");
    SETT_SET(world, tree, Position, 5, 5);
    sett_undo_step(undo, "move the tree");
    SETT_SET(world, cloud, Position, 3, 9); /* by the simulation */

    sett_undo_back(undo);
    bool right =
        SETT_GET(world, tree, Position)->x == 1 && SETT_GET(world, cloud, Position)->x == 3;
    sett_undo_back(undo);
    right = right && !sett_entity_valid(world, tree);
    sett_undo_forward(undo);
    SETT_SET(world, tree, Position, 9, 9);
    sett_undo_step(undo, "move it there"); /* a branch; "move the tree" is the step 3 */
    sett_undo_go(undo, 3);
    right = right && SETT_GET(world, tree, Position)->x == 5 &&
            strcmp(sett_undo_name(undo, 4), "move it there") == 0;

    printf("4 steps in %zu bytes, the tree is at %g\n", sett_undo_size(undo, NULL),
           (double)SETT_GET(world, tree, Position)->x);
    sett_world_destroy(world);
    return right ? 0 : 1;
}

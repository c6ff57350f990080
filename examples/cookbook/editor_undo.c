/* Undo and redo in an editor.
 *
 * One snapshot after each step of the user; undo and redo restore one. A snapshot costs what the
 * next step writes, so hundreds of them are cheap. */
#include "sett/sett.h"

#include <stdio.h>

enum {
    STEPS = 100
};

typedef struct Position {
    float x, y;
} Position;

#define EDITOR(COMPONENT, TAG) COMPONENT(Position)
SETT_COMPONENTS(EDITOR)

typedef struct Undo {
    sett_world* world;
    sett_snapshot states[STEPS];
    int count, now; /* states[now] is the present one */
} Undo;

/* After each step of the user, and once at the start. */
static void undo_remember(Undo* undo)
{
    while (undo->count > undo->now + 1) { /* what was undone cannot be redone any more */
        sett_snapshot_drop(undo->world, undo->states[--undo->count]);
    }
    if (undo->count == STEPS) { /* full: forget the oldest */
        sett_snapshot_drop(undo->world, undo->states[0]);
        for (int k = 1; k < STEPS; k++) {
            undo->states[k - 1] = undo->states[k];
        }
        undo->count--;
    }
    sett_snapshot_take(undo->world, &undo->states[undo->count]);
    undo->now = undo->count++;
}

static bool undo_move(Undo* undo, int step) /* -1: undo, 1: redo */
{
    int to = undo->now + step;
    if (to < 0 || to >= undo->count ||
        sett_snapshot_restore(undo->world, undo->states[to]) != SETT_OK) {
        return false;
    }
    undo->now = to;
    return true;
}

int main(void)
{
    Undo undo = {.world = sett_world_create(NULL), .now = -1};
    SETT_REGISTER_ALL(undo.world, EDITOR);
    undo_remember(&undo);

    sett_entity tree = SETT_CREATE(undo.world, SETT_VALUE(Position, 1, 1));
    undo_remember(&undo);
    SETT_SET(undo.world, tree, Position, 5, 5);
    undo_remember(&undo);
    sett_entity_destroy(undo.world, tree);
    undo_remember(&undo);

    bool right = !sett_entity_valid(undo.world, tree);
    right = right && undo_move(&undo, -1) && SETT_GET(undo.world, tree, Position)->x == 5;
    right = right && undo_move(&undo, -1) && SETT_GET(undo.world, tree, Position)->x == 1;
    right = right && undo_move(&undo, 1) && SETT_GET(undo.world, tree, Position)->x == 5;
    SETT_SET(undo.world, tree, Position, 9, 9); /* another future */
    undo_remember(&undo);
    right = right && !undo_move(&undo, 1);
    printf("%d states, the tree is at %g\n", undo.count,
           (double)SETT_GET(undo.world, tree, Position)->x);
    sett_world_destroy(undo.world);
    return right && undo.count == 4 ? 0 : 1;
}

/* Saving while the game goes on.
 *
 * An autosave copies the pages of the state, a millisecond for 6 MB, and a thread writes the copy:
 * no frame waits for the disk. Before a level is loaded the program waits for the thread, once. */
#include "sett/sett.h"

#include <stdio.h>

typedef struct Position {
    int32_t x, y;
} Position;

#define GAME(COMPONENT, TAG) COMPONENT(Position)
SETT_COMPONENTS(GAME)

static sett_world* start(void)
{
    sett_world* world = sett_world_create(NULL);
    SETT_REGISTER_ALL(world, GAME);
    return world;
}

static void walk(sett_context* context)
{
    SETT_SYSTEM_FOR(context, b, i) {
        SETT_FIELD_MUT(b, 0, Position)[i].x += 1 + (int32_t)i % 3;
    }
}

int main(void)
{
    static const char path[] = "autosave.sett";
    sett_world* world = start();
    SETT_SYSTEM(world, walk, .terms = {SETT_INOUT(Position)});
    for (int32_t k = 0; k < 10000; k++) {
        SETT_CREATE(world, SETT_VALUE(Position, 0, k));
    }
    sett_autosave* autosave = sett_autosave_create(world, path, NULL);
    uint64_t saved_hash = 0;
    int begun = 0, late = 0;
    for (uint64_t frame = 1; frame <= 300; frame++) {
        sett_progress(world, 1.0f / 60);
        if (frame % 60 != 0) {
            continue;
        }
        sett_status status = sett_autosave_start(autosave, frame);
        if (status == SETT_OK) {
            saved_hash = sett_world_hash(world);
            begun++;
        } else if (status == SETT_STATUS_LOCKED) {
            late++; /* the last one is still being written: the next time, then */
        } else {
            printf("%s\n", sett_world_message(world));
        }
    }
    bool done = sett_autosave_wait(autosave) == SETT_OK; /* the file is whole now */
    sett_world* loaded = start();
    SETT_SYSTEM(loaded, walk, .terms = {SETT_INOUT(Position)});
    done = done && sett_world_load(loaded, path) == SETT_OK;
    bool same = done && sett_world_hash(loaded) == saved_hash;
    printf("%d saves, %d put off; the file has %s\n", begun, late,
           same ? "the state of the last one" : "something else");
    sett_autosave_destroy(autosave);
    sett_world_destroy(world);
    sett_world_destroy(loaded);
    remove(path);
    remove("autosave.sett.previous");
    return same && begun + late == 5 ? 0 : 1;
}

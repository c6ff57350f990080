/* 12_files.c: a world that is there tomorrow: saved, loaded, and followed by a journal.
 *
 * A herd grazes for a hundred frames. It is saved at frame 50; a journal writes down each frame
 * after that. Then the program starts again, as if the power had failed: from the save, and from
 * the journal, which is not a frame behind. */
#include "sett/sett.h"

#include <stdio.h>

typedef struct Place {
    int32_t x, y;
} Place;
typedef struct Hunger {
    uint16_t points;
} Hunger;
#define HERD(COMPONENT, TAG) COMPONENT(Place) COMPONENT(Hunger)
SETT_COMPONENTS(HERD)

static sett_world* start(void)
{
    sett_world* world = sett_world_create(NULL);
    SETT_REGISTER_ALL(world, HERD);
    return world;
}

static void graze(sett_world* world)
{
    sett_query* query = SETT_QUERY_CREATE(world, SETT_INOUT(Place), SETT_INOUT(Hunger));
    SETT_FOR(query, b, i) {
        Place* place = SETT_FIELD_MUT(b, 0, Place);
        Hunger* hunger = SETT_FIELD_MUT(b, 1, Hunger);
        hunger[i].points = (uint16_t)((hunger[i].points + i) % 100);
        place[i].x += hunger[i].points % 3;
        place[i].y += hunger[i].points % 5;
    }
    sett_query_destroy(query);
}

/* Loads a file into a new world; returns the hash of its state. */
static uint64_t load(const char* path)
{
    sett_world* world = start();
    sett_load_result result;
    if (sett_world_load_with(world, path, NULL, &result) != SETT_OK) {
        printf("%s\n", sett_world_message(world));
    } else {
        printf("%s: frame %llu, %u animals\n", path, (unsigned long long)result.frame,
               (unsigned)sett_entity_count(world));
    }
    uint64_t hash = sett_world_hash(world);
    sett_world_destroy(world);
    return hash;
}

int main(void)
{
    sett_world* world = start();
    for (int32_t k = 0; k < 1000; k++) {
        SETT_CREATE(world, SETT_VALUE(Place, k, -k), SETT_VALUE(Hunger, 0));
    }
    uint64_t saved = 0;
    sett_journal* journal = NULL;
    for (uint64_t frame = 1; frame <= 100; frame++) {
        graze(world);
        if (frame == 50) {
            /* the title can be read without loading: sett_file_info_get */
            sett_file_desc desc = {.frame = frame, .user_block = "A herd", .user_size = 7};
            sett_world_save_with(world, "herd.save", &desc);
            saved = sett_world_hash(world);
            journal = sett_journal_create(world, "herd.journal", &desc);
        } else if (frame > 50) {
            sett_journal_append(journal, frame);
        }
    }
    sett_journal_sync(journal); /* on the disk now, all of it */
    bool same = load("herd.save") == saved;
    same = load("herd.journal") == sett_world_hash(world) && same;
    sett_journal_destroy(journal);
    sett_world_destroy(world);
    remove("herd.save");
    remove("herd.journal");
    printf("%s\n", same ? "the same herd" : "another herd");
    return same ? 0 : 1;
}

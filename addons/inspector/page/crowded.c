/* crowded.c: a recording for the test of the page: 100,000 entities of five types, of which 1 % are
 * written each frame; and names that would do harm if they were taken for HTML.
 *
 *   crowded <file>
 */
#include "sett/sett.h"

#include <stdio.h>

typedef struct Place {
    float x, y, z;
} Place;
typedef struct Speed {
    float x, y, z;
} Speed;
typedef struct Life {
    int32_t points;
} Life;
typedef struct Team {
    uint8_t number;
} Team;
typedef struct Note {
    char text[48];
} Note;

enum {
    ENTITIES = 100000,
    FRAMES = 240
};

int main(int count, char** arguments)
{
    sett_world* world = sett_world_create(NULL);
    sett_component place = sett_component_register(
        world, &(sett_component_desc){SETT_TYPE(Place), .members = SETT_STRUCT(Place, x, y, z)});
    sett_component speed = sett_component_register(
        world, &(sett_component_desc){SETT_TYPE(Speed), .members = SETT_STRUCT(Speed, x, y, z)});
    sett_component life = sett_component_register(
        world, &(sett_component_desc){SETT_TYPE(Life), .members = SETT_STRUCT(Life, points)});
    sett_component team = sett_component_register(
        world, &(sett_component_desc){SETT_TYPE(Team), .members = SETT_STRUCT(Team, number)});
    sett_component note = sett_component_register(
        world, &(sett_component_desc){SETT_TYPE(Note), .members = SETT_STRUCT(Note, text)});
    static sett_entity all[ENTITIES];
    char name[64];
    for (uint32_t k = 0; k < ENTITIES; k++) {
        all[k] = sett_entity_create(world);
        sett_set(world, all[k], place, &(Place){(float)k, 1, 2});
        sett_set(world, all[k], speed, &(Speed){1, 0, 0});
        sett_set(world, all[k], life, &(Life){(int32_t)(k % 100)});
        sett_set(world, all[k], team, &(Team){(uint8_t)(k % 4)});
        snprintf(name, sizeof(name), k == 7 ? "<img src=x onerror=harm()>" : "unit %u",
                 (unsigned)k);
        sett_name_set(world, all[k], name);
    }
    sett_set(world, all[7], note, &(Note){"<script>harm()<\57script>"});
    sett_journal* journal = count == 2 ? sett_journal_create(world, arguments[1], NULL) : NULL;
    for (uint32_t frame = 1; journal != NULL && frame <= FRAMES; frame++) {
        for (uint32_t k = frame % 100; k < ENTITIES; k += 100) {
            Place* at = sett_get_mut(world, all[k], place);
            at->x += 1;
        }
        if (sett_journal_append(journal, frame) != SETT_OK) {
            return 1;
        }
    }
    sett_status status = sett_journal_destroy(journal);
    sett_world_destroy(world);
    return journal == NULL || status != SETT_OK;
}

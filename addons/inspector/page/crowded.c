/* crowded.c: a recording for the test of the page: 100,000 entities of five types, of which 1 % are
 * written each frame; and names and a log that would do harm if they were taken for HTML.
 *
 *   crowded <file>
 */
#include "sett/sett.h"

#include <stdio.h>
#include <string.h>

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

static size_t add_number(unsigned char* to, size_t size, uint64_t number, size_t bytes)
{
    for (size_t k = 0; k < bytes; k++) {
        to[size++] = (unsigned char)(number >> (8 * k));
    }
    return size;
}

static size_t add_text(unsigned char* to, size_t size, const char* text)
{
    size = add_number(to, size, strlen(text), 2);
    memcpy(to + size, text, strlen(text));
    return size + strlen(text);
}

/* A record of the log (docs/stream.md). */
static bool add_log(sett_journal* journal, uint64_t frame, uint32_t kind, const char* system,
                    const char* component, const char* line)
{
    unsigned char bytes[256];
    size_t size = add_number(bytes, 0, kind, 1);
    size = add_text(bytes, size, system);
    size = add_text(bytes, size, component);
    size = add_number(bytes, size, 7, 4); /* the entity */
    size = add_number(bytes, size, 1, 4);
    size = add_text(bytes, size, line);
    return sett_journal_write(journal, SETT_RECORD_LOG, frame, bytes, size) == SETT_OK;
}

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
        if (sett_journal_append(journal, frame) != SETT_OK ||
            (frame == 120 && (!add_log(journal, frame, 4, "reaper", "Life", "commands") ||
                              !add_log(journal, frame, 0, "", "", "<img src=x onerror=harm()>")))) {
            return 1;
        }
    }
    sett_status status = sett_journal_destroy(journal);
    sett_world_destroy(world);
    return journal == NULL || status != SETT_OK;
}

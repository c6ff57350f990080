/* 14_members.c: values that know what they consist of.
 *
 * Said once for each type, members make values visible: printed with names, units and constants,
 * written as JSON and read back, compared between worlds member by member. */
#include "sett/sett.h"

#include <stdio.h>
#include <string.h>

typedef struct Position {
    float x, y;
} Position;

typedef enum DoorState {
    SHUT,
    OPEN
} DoorState;

enum {
    RED_KEY = 1,
    BLUE_KEY = 2
};

typedef struct Door {
    int32_t height; /* with 16 bits behind the point */
    DoorState state;
    uint32_t keys;
    sett_entity opened_by;
    char label[16];
} Door;

#define GAME(COMPONENT, TAG)                                                                       \
    COMPONENT(Position, .members = SETT_STRUCT(Position, (x, .unit = "m"), (y, .unit = "m")))      \
    COMPONENT(Door, .members = SETT_STRUCT(                                                        \
                        Door, (height, .scale = 1.0 / 65536, .unit = "m"),                         \
                        (state, .constants = SETT_CONSTANTS(SHUT, OPEN)),                          \
                        (keys, .constants = SETT_CONSTANTS(RED_KEY, BLUE_KEY), .bits = true),      \
                        opened_by, label))                                                         \
    TAG(Player)
SETT_COMPONENTS(GAME)

int main(void)
{
    char text[1024];
    sett_world* world = sett_world_create(NULL);
    if (SETT_REGISTER_ALL(world, GAME) != SETT_OK) {
        return 1; /* such as a member that was forgotten: the log names its bytes */
    }
    sett_entity player = sett_entity_create(world);
    sett_name_set(world, player, "ann");
    SETT_ADD_TAG(world, player, Player);
    SETT_SET(world, player, Position, .x = 1.5f, .y = 0.1f);
    sett_entity door = sett_entity_create(world);
    sett_name_set(world, door, "gate");
    SETT_SET(world, door, Door, .height = 5 << 15, .state = OPEN, .keys = RED_KEY,
             .opened_by = player, .label = "To the yard");

    /* For people. In a debugger: call sett_print(world, door). */
    sett_entity_describe_values(world, door, text, sizeof(text));
    printf("%s", text);

    /* For files that people read and change. */
    sett_json_format(world, NULL, text, sizeof(text));
    printf("%s", text);

    /* It is checked as a whole before anything changes. */
    sett_world* other = sett_world_create(NULL);
    SETT_REGISTER_ALL(other, GAME);
    sett_json_read_desc keep = {.keep_handles = true};
    if (sett_json_read(other, text, strlen(text), &keep, NULL) != SETT_OK) {
        printf("%s\n", sett_world_message(other));
        return 1;
    }
    printf("hashes are %s, on every machine: %s\n",
           sett_world_hash(world) == sett_world_hash(other) ? "the same" : "different",
           sett_world_hash_portable(world, NULL) ? "yes" : "no");

    /* One value at a time, as an editor does; what the text does not say stays. */
    const char* edit = "{\"state\": \"SHUT\", \"opened_by\": null}";
    sett_json_set(other, door, Door_id, edit, strlen(edit));
    sett_world_difference(world, other, text, sizeof(text));
    printf("%s\n", text);

    /* Members by their path, for tools. */
    sett_member_ref ref;
    sett_component component;
    if (sett_member_lookup(world, "Door.height", &component, &ref)) {
        printf("%s: %s at byte %u, in %s\n", ref.member->name, sett_member_kind_name(ref.kind),
               (unsigned)ref.offset, ref.member->unit);
    }
    sett_world_destroy(other);
    sett_world_destroy(world);
    return 0;
}

/* A flight recorder: when the program crashes, it writes what the world was in the last seconds.
 *
 * The report of a bug is then three lines: this file, the version, what you did. The inspector
 * opens the file (docs/inspector.md), and sett_world_load goes on from its last frame. */
#include "sett/sett.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

typedef struct Position {
    float x, y;
} Position;

#define GAME(COMPONENT, TAG) COMPONENT(Position)
SETT_COMPONENTS(GAME)

static sett_flight* flight; /* a handler sees global variables alone */

static bool write_file(void* file, const void* bytes, size_t size)
{
    return write(*(int*)file, bytes, size) == (ssize_t)size;
}

static void crashed(int number) /* a game then calls signal(number, SIG_DFL), raise(number) */
{
    int file = open("flight_recorder.sett", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    sett_flight_dump(flight, number == SIGABRT ? "SIGABRT" : "another signal", write_file, &file);
    close(file);
}

static void move(sett_context* context)
{
    SETT_SYSTEM_FOR(context, b, i) {
        SETT_FIELD_MUT(b, 0, Position)[i].x += 1;
    }
}

int main(void)
{
    sett_world* world = sett_world_create(NULL);
    SETT_REGISTER_ALL(world, GAME);
    SETT_SYSTEM(world, move, .terms = {SETT_INOUT(Position)});
    sett_entity ship = SETT_CREATE(world, SETT_VALUE(Position, 0, 0));
    flight = sett_flight_create(world, &(sett_flight_desc){.frames = 300, .size = 8 << 20});
    signal(SIGABRT, crashed);
    for (uint64_t frame = 1; frame <= 1000; frame++) {
        sett_progress(world, 1.0f / 60);
        sett_flight_append(flight, frame);
    }
    raise(SIGABRT); /* the crash */

    sett_world* again = sett_world_create(NULL);
    SETT_REGISTER_ALL(again, GAME);
    sett_file_desc before = {.last_frame = 990}; /* ten frames before */
    bool right = sett_world_load_with(again, "flight_recorder.sett", &before, NULL) == SETT_OK &&
                 SETT_GET(again, ship, Position)->x == 990;
    printf("%u frames were recorded\n", (unsigned)sett_flight_frames(flight));
    sett_flight_destroy(flight);
    sett_world_destroy(world);
    sett_world_destroy(again);
    remove("flight_recorder.sett");
    return right ? 0 : 1;
}

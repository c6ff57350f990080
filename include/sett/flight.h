/* flight.h: a flight recorder: the last seconds of a world, in a fixed piece of memory, to be
 * written when the program crashes.
 *
 *     static sett_flight* flight;
 *
 *     static bool write_file(void* user, const void* bytes, size_t size)
 *     {
 *         return write(*(int*)user, bytes, size) == (ssize_t)size;
 *     }
 *
 *     static void crashed(int number)                             of SIGSEGV, SIGABRT, ...
 *     {
 *         int file = open("crash.sett", O_WRONLY | O_CREAT | O_TRUNC, 0644);
 *         sett_flight_dump(flight, "SIGSEGV", write_file, &file);
 *         signal(number, SIG_DFL);
 *         raise(number);
 *     }
 *
 *     flight = sett_flight_create(world, &(sett_flight_desc){.frames = 300});
 *     ...
 *     sett_progress(world, dt), sett_flight_append(flight, ++frame);      each frame
 *
 * The file is a recording, as of a journal (file.h): the inspector opens it, sett_world_load loads
 * its last frame, or an earlier one. Its log says what `why` was, in which frame, and which system
 * ran. examples/cookbook/flight_recorder.c is a whole program.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_FLIGHT_H
#define SETT_FLIGHT_H

#include "sett/file.h"

/* A flight recorder of one world. It holds a snapshot of the world (see sett_snapshot_take). */
typedef struct sett_flight sett_flight;

typedef struct sett_flight_desc {
    /* frames that it has at least, if they fit; up to twice as many. Default: 300 */
    uint32_t frames;
    /* bytes of memory, taken once, by the world's allocator. It must have room for two states of
     * the world, or the recorder has fewer frames. Default: 64 MB */
    size_t size;
    /* bytes of the program, as in sett_file_desc: a version, a level. Copied */
    const void* user_block;
    size_t user_size;
    uint64_t frame; /* the number of the present state */
} sett_flight_desc;

SETT_API sett_flight* sett_flight_create_sized(sett_world* world, const sett_flight_desc* desc,
                                               size_t size);

/* Creates a recorder, which has the present state. Destroy it before its world.
 *   desc  NULL: all defaults
 * Returns NULL if it fails. Fails: LIMIT (half of the memory has no room for the state: the message
 * says how many bytes it takes), as sett_snapshot_take and sett_journal_create.
 * Cost: as sett_state_encode. Threads: writer. Since: 0.2 */
static inline sett_flight* sett_flight_create(sett_world* world, const sett_flight_desc* desc)
{
    return sett_flight_create_sized(world, desc, sizeof(*desc));
}

/* Ends a recorder. NULL is fine. Threads: writer. Since: 0.2 */
SETT_API void sett_flight_destroy(sett_flight* flight);

/* Records the changes since the last call. Each time after so many frames as desc.frames says, or
 * when half of the memory is full, also the whole state.
 *   frame  a number that does not go back
 * Fails: LIMIT (half of the memory has no room for the state any more: what is recorded stays, and
 * later frames are not), ARGUMENT (the frame goes back), or as sett_journal_append.
 * Cost: as sett_delta_encode; with the whole state as sett_state_encode. Threads: writer.
 * Since: 0.2 */
SETT_API sett_status sett_flight_append(sett_flight* flight, uint64_t frame);

/* Records bytes of a frame: its input, before sett_flight_append. Those of the frame that crashes
 * are written too.
 *   kind  as of sett_journal_write
 * Fails: LIMIT (more than 64 KB in one frame), ARGUMENT (another kind; the frame goes back).
 * Cost: O(bytes). Threads: writer. Since: 0.2 */
SETT_API sett_status sett_flight_write(sett_flight* flight, uint32_t kind, uint64_t frame,
                                       const void* bytes, size_t size);

/* Returns how many frames of changes a dump would have. Threads: reader. Since: 0.2 */
SETT_API uint32_t sett_flight_frames(const sett_flight* flight);

/* Appends bytes to what was written before. Returns false on failure. */
typedef bool (*sett_flight_write_fn)(void* user, const void* bytes, size_t size);

/* Writes the recording. It can be called by a signal handler, whatever the program was doing, on
 * any thread: it allocates nothing, takes no lock, and calls `write` alone. What was being recorded
 * at that moment is left out.
 *   why  the line of the log at the frame after the last recorded one, such as the signal's name;
 *        NULL: nothing is logged
 * Returns false if `write` did, or if `flight` is NULL.
 * Cost: O(bytes), and the writing. Threads: any. Since: 0.2 */
SETT_API bool sett_flight_dump(const sett_flight* flight, const char* why,
                               sett_flight_write_fn write, void* user);

/* Writes the recording to a file, on demand; not for signal handlers.
 * Fails: FILE, ARGUMENT (NULL; an empty path). Cost: as sett_flight_dump.
 * Threads: writer. Since: 0.2 */
SETT_API sett_status sett_flight_save(const sett_flight* flight, const char* path, const char* why);

#endif

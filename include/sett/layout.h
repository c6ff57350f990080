/* layout.h: how the types of a world are stored, as a text, and worlds that find it by themselves.
 *
 *
 *     array Position Mass;
 *     sparse_set Burning;
 *     group { Body Velocity with Enemy without Frozen }     # Body and Velocity become sparse sets
 *
 * A layout changes the speed and the order of loops, and nothing else. Find a good layout once
 * (sett/advise.h, or sett_layout_auto), write it with sett_layout_describe, ship it with the
 * program, and apply it at start. Write names with blanks or signs in quotes: "Game Object". In
 * quotes a backslash takes the next character as it is. `#` begins a comment.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_LAYOUT_H
#define SETT_LAYOUT_H

#include "sett/core.h"

/* Moves types to the storages that a text names. A type that is not registered yet is moved when it
 * is registered. Names that are still not registered at the end of a frame (sett_progress,
 * sett_layout_step) are logged once, with line and column. Types that are not in the text stay as
 * they are. The world holds the text until the next text, or sett_world_trim.
 *
 * Groups of an earlier text, of advice or of sett_layout_auto are destroyed if they are not in the
 * text. sett_layout_auto does not move the types of the text. An empty text ends all this. The
 * program wins over the text: if it creates a group, sorts or converts, groups of the text that
 * prevent this are destroyed.
 * Fails: ARGUMENT (the message has line and column; nothing is changed), CONFLICT (a group of the
 * program owns a type), LOCKED (a loop is open; or snapshots exist, and values have to move),
 * OUT_OF_MEMORY (some types are converted; no value is lost).
 * Cost: O(values moved). Invalidates: addresses of types that move.
 * Threads: writer. Since: 0.2 */
SETT_API sett_status sett_layout_apply(sett_world* world, const char* text);

/* Writes the storages of all types, and the groups that layouts created, as a text for
 * sett_layout_apply, as snprintf does. Groups that the program created are not in it.
 * Returns the length of the whole text.
 * Cost: O(types).
 * Threads: reader. Since: 0.2 */
SETT_API size_t sett_layout_describe(const sett_world* world, char* out, size_t size);

/* The usual limit of sett_layout_auto. */
#define SETT_LAYOUT_VALUES 4194304

/* Lets a world find its layout: it measures the program's loops, and chooses storages and groups
 * for types registered with SETT_STORAGE_DEFAULT. At the end of sett_progress, and in
 * sett_layout_step, values can move: addresses become invalid, and the order of loops can change.
 *   max_values  the most values that one sett_progress moves, such as SETT_LAYOUT_VALUES; 0: off,
 *               present storages stay. A type moves as a whole, at 2 to 4 ns a value of 8 bytes. A
 *               group of more than 131,072 values ends over some frames, and large types wait:
 *               memory is touched ahead, 3 MB a frame on average, for up to 2.5 ms; then the types
 *               of a group move in one frame, if that writes at most 12 MB, else one in a frame.
 *               With a million values that frame is 2 to 4 ms longer; more on a machine that needs
 *               over 2.5 ms for 3 MB of new memory. Nine tenths of the gain are there at frame 9 to
 *               16. With a lower limit, larger types stay as they are
 *
 * Before you switch it on: addresses of values become invalid between frames; loops come in another
 * order after a move; it is not for lockstep (see sett_layout_step); while a snapshot exists
 * nothing moves, so it finds nothing in a game that always holds one. Where one of these does not
 * do, let it run while you develop, and ship what it has found:
 *
 *     sett_layout_describe(world, text, sizeof(text));      at the end of a run that is typical
 *     sett_layout_apply(world, text);                       at the program's start
 *
 * Fails: OUT_OF_MEMORY.
 * Threads: writer. Since: 0.2 */
SETT_API sett_status sett_layout_auto(sett_world* world, uint32_t max_values);

/* sett_progress calls it at its end. Programs without systems call it once a frame, outside of
 * loops. After sett_layout_auto it estimates, every few calls, what the last loops cost in the
 * present layout and in others. It moves a type when the other layout would have saved as much as
 * the move costs; what at least halves the cost of its loops moves after a sixteenth of that the
 * first time, mostly at the eighth call. Of many rare types a call moves some. All this depends on
 * numbers of loops and entities only, not on time or machine.
 *   max_values  the most values to move. A type with more values stays: pass UINT32_MAX where time
 *               does not matter
 * While snapshots exist nothing moves.
 *
 * In lockstep do not call sett_layout_auto. Machines that run other loops (a renderer), or hold
 * snapshots, find other layouts, and with them another order of loops. Apply one layout text on all
 * machines.
 * Returns the number of values moved: 0 in most calls.
 * Cost: some nanoseconds; every 8 to 128 calls counting the matches of each query that was looped
 * over, and pricing them. Invalidates: addresses of types that move.
 * Threads: writer. Since: 0.2 */
SETT_API uint64_t sett_layout_step(sett_world* world, uint32_t max_values);

#endif

/* layout.h: how the types of a world are stored, as a text, and worlds that find it by themselves.
 *
 *
 *     array Position Mass;
 *     sparse_set Burning;
 *     group { Body Velocity with Enemy without Frozen }     # Body and Velocity become sparse sets
 *
 * A layout changes how fast loops are and in which order they visit, and nothing else: find a good
 * one once (sett/advise.h, or auto_layout), write it with sett_layout_describe, ship it with the
 * program, and apply it at start. Names with blanks or signs stand in quotes: "Game Object"; in
 * quotes a backslash takes the next character as it is. `#` begins a comment.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_LAYOUT_H
#define SETT_LAYOUT_H

#include "sett/core.h"

/* Stores types as a text says: those that are registered at once, others when they are. The world
 * keeps the text until another one replaces it or sett_world_trim; names that are still not
 * registered when a frame ends (sett_progress, sett_layout_step) are logged once, with line and
 * column. Types that the text does not name stay as they are; groups of an earlier text, of applied
 * advice or of auto_layout end if the text does not have them. auto_layout leaves the types that
 * the text names alone. An empty text ends all of that.
 * What the program asks for itself goes before a layout: where it creates a group, sorts or
 * converts, a group of the layout that is in the way ends.
 * Fails: ARGUMENT (the message has line and column; nothing was changed), CONFLICT (a group of the
 * program owns a type), LOCKED (a loop is open; something has to move and snapshots are held),
 * OUT_OF_MEMORY (what was converted before stays so; no value is lost).
 * Cost: O(values moved). Invalidates: addresses of types that move.
 * Threads: writer. Since: 0.2 */
SETT_API sett_status sett_layout_apply(sett_world* world, const char* text);

/* Writes the layout of all types registered, and the groups that layouts made, as a text for
 * sett_layout_apply. Groups that the program made are left to the program.
 * Returns the length of the whole text; what does not fit into `size` bytes, with the final zero,
 * is cut off.
 * Cost: O(types).
 * Threads: reader. Since: 0.2 */
SETT_API size_t sett_layout_describe(const sett_world* world, char* out, size_t size);

/* What sett_progress does at its end, for programs that do not call that: call it once a frame,
 * outside of loops. In a world with auto_layout it looks, every few calls, at what the loops since
 * cost and would cost in other layouts, and re-arranges what has paid for its move already: what it
 * would have saved is as much as the move costs. Which call that is depends on what the program
 * did, by numbers of loops and entities, and on nothing else: no clock, no machine.
 * It moves at most `max_values` values. A type with more is left as it is: call it with UINT32_MAX
 * where time does not matter. While snapshots are held nothing moves.
 * Returns the number of values moved: 0 in most calls.
 * Cost: some nanoseconds; every 8 to 128 calls counting the matches of each query that was looped
 * over, and pricing them. Invalidates: addresses of types that move.
 * Threads: writer. Since: 0.2 */
SETT_API uint64_t sett_layout_step(sett_world* world, uint32_t max_values);

#endif

/* advise.h: what a world's use says about how its types should be stored. Opt-in.
 *
 *     sett_world_record(world, true);
 *     ... play for some seconds ...
 *     sett_advise(world, print_line, NULL);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_ADVISE_H
#define SETT_ADVISE_H

#include "sett/sett.h"

/* Begins or ends recording: for each type additions, removals and accesses by handle, for each
 * query loops, entities looked at and entities found. Beginning sets all counts to 0. While it
 * records, calls on single entities take a longer way (about twice the time) and the world is for
 * one thread; when it does not, recording costs nothing.
 * Threads: writer. Since: 0.1 */
SETT_API void sett_world_record(sett_world* world, bool on);

/* Tells `sink` line by line what storage, group or flag would pay, and by how much: estimates of a
 * cost model whose constants were measured on one machine and are compiled in, so that equal worlds
 * get equal advice. One line says so when nothing would.
 * Returns how many pieces of advice there were.
 * Cost: O(queries x terms + types).
 * Threads: writer. Since: 0.1 */
SETT_API uint32_t sett_advise(const sett_world* world, void (*sink)(void* user, const char* line),
                              void* user);

#endif

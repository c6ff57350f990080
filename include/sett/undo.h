/* undo.h: undo and redo for editors, of all entities or of a part, with branches.
 *
 *     sett_undo* undo = sett_undo_create(world, NULL);
 *
 *     place_tree(world);                      what the user does,
 *     sett_undo_step(undo, "place a tree");   and then its name
 *
 *     sett_undo_back(undo);                   Ctrl+Z
 *     sett_undo_forward(undo);                Ctrl+Y
 *     sett_undo_go(undo, step);               a click into the list of steps
 *
 * Steps form a tree. A step after an undo begins a branch, and the steps that were undone stay:
 *
 *     1 ---- 2 ---- 3          2 was undone to 1, then 4 was taken:
 *      \                       sett_undo_forward leads from 1 to 4, sett_undo_go to 3
 *       4                      1 is the state that the history begins with, without a name
 *
 * Select whole trees: the children of an entity that a step takes away, and that are not selected,
 * become roots, and stay roots when it comes back.
 *
 * What is not selected stays as it is: a simulation can go on beside the editor. The history has
 * a copy of the selected values, and of each step the bytes that changed: some 200 of them where
 * one value changed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_UNDO_H
#define SETT_UNDO_H

#include "sett/state.h"

/* The history of a world, or of a part of it. A world can have several, of different parts. */
typedef struct sett_undo sett_undo;

typedef struct sett_undo_desc {
    /* which entities and types; default: all. Lists are copied; a query must exist as long as the
     * history. `before` is not used. A step is about the entities that are in the list, or match
     * the query, when it is taken */
    sett_selection selection;
    /* the most bytes of steps; beyond it the oldest are forgotten. Default: 64 MB */
    size_t memory_limit;
} sett_undo_desc;

SETT_API sett_undo* sett_undo_create_sized(sett_world* world, const sett_undo_desc* desc,
                                           size_t size);

/* Creates a history that begins with the present state. sett_world_destroy frees it.
 *   desc  NULL: all defaults
 * Returns NULL if it fails. Fails: as sett_undo_step.
 * Cost: O(selected values), and as much memory. Threads: writer. Since: 0.2 */
static inline sett_undo* sett_undo_create(sett_world* world, const sett_undo_desc* desc)
{
    return sett_undo_create_sized(world, desc, sizeof(*desc));
}

/* Ends a history. NULL is fine.
 * Fails: LOCKED (systems run in parallel). Threads: writer. Since: 0.2 */
SETT_API sett_status sett_undo_destroy(sett_undo* undo);

/* Takes a step: what changed in the selection since the present step, under a name. If nothing
 * changed, no step is taken. Recorded commands are applied first.
 *   name  is copied; NULL: none
 * Values are compared and encoded whole, as by sett_selection_encode without rounding. Values of
 * SETT_SAVE_SKIP types are no part of steps.
 * Fails: LOCKED, ARGUMENT (a type as of sett_delta_encode), LIMIT (the step alone needs more than
 * memory_limit: call sett_undo_clear), CONFLICT (a type has another layout than before),
 * OUT_OF_MEMORY. The history is then as before.
 * Cost: O(entities of the world), O(selected entities x types), and the pages that changed.
 * Invalidates: addresses for writing. Threads: writer. Since: 0.2 */
SETT_API sett_status sett_undo_step(sett_undo* undo, const char* name);

/* Makes the selection what it was when a step was taken; `step` 0 fails. Changes since the
 * present step are lost: take a step before, to preserve them. sett_undo_back goes to the step
 * before the present one, sett_undo_forward to the one that was last taken or undone behind it.
 *
 * Entities of the step that are not alive come back under their handles. Selected entities that
 * did not exist then are destroyed. Entities that are selected now, and existed then without being
 * selected, stay as they are. A link to an entity that does not exist any more is left out.
 * Callbacks run as in sett_selection_apply; changed values count as written, others do not.
 * At the end of the history, back and forward return ABSENT; this is no misuse.
 * Fails: ARGUMENT (there is no such step), LOCKED, INVALID (the index of an entity that comes back
 * is used by an entity that is not selected: give the editor a range of its own,
 * sett_entity_set_range), CONFLICT (a type has another layout), OUT_OF_MEMORY. World and history
 * are then as before. LOST: as sett_delta_apply; the world then has a part of the move.
 * Cost: as sett_undo_step, and O(bytes of the steps between).
 * Invalidates: as sett_snapshot_restore. Threads: writer. Since: 0.2 */
SETT_API sett_status sett_undo_go(sett_undo* undo, uint32_t step);
SETT_API sett_status sett_undo_back(sett_undo* undo);
SETT_API sett_status sett_undo_forward(sett_undo* undo);

/* Forgets all steps: the history begins with the present state.
 * Fails: as sett_undo_step. Threads: writer. Since: 0.2 */
SETT_API sett_status sett_undo_clear(sett_undo* undo);

/* Returns the number of the present step. Steps are numbered from 1 on, as they are taken.
 * Cost: O(1). Threads: reader. Since: 0.2 */
SETT_API uint32_t sett_undo_now(const sett_undo* undo);

/* Return a step by another one; 0 if there is none: sett_undo_next the one that was taken after it,
 * on any branch, and of 0 the oldest; sett_undo_before the one where sett_undo_back leads from
 * there, and sett_undo_after the one where sett_undo_forward does.
 * Cost: O(1) of the present step, else O(steps). Threads: reader. Since: 0.2 */
SETT_API uint32_t sett_undo_next(const sett_undo* undo, uint32_t step);
SETT_API uint32_t sett_undo_before(const sett_undo* undo, uint32_t step);
SETT_API uint32_t sett_undo_after(const sett_undo* undo, uint32_t step);

/* Returns the name of a step; "" if it has none, NULL if there is no such step. Valid until the
 * step is forgotten. Cost: as sett_undo_next. Threads: reader. Since: 0.2 */
SETT_API const char* sett_undo_name(const sett_undo* undo, uint32_t step);

/* Returns the bytes that all steps take: at most memory_limit.
 *   copy  receives the bytes of the copy of the selection; can be NULL
 * Cost: O(1). Threads: reader. Since: 0.2 */
SETT_API size_t sett_undo_size(const sett_undo* undo, size_t* copy);

#endif

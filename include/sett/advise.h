/* advise.h: which layout would suit a world better, by what was profiled.
 *
 *     sett_profile_begin(world);
 *     ... play for some seconds ...
 *     sett_profile_end(world);
 *     sett_advice advice[16];
 *     uint32_t count = sett_advise(world, advice, 16);
 *     for (uint32_t k = 0; k < count; k++) {
 *         printf("%s\n    %s\n", advice[k].text, advice[k].code);
 *         sett_advice_apply(world, &advice[k]);
 *     }
 *
 * A layout found so can be saved as a text: sett/layout.h.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_ADVISE_H
#define SETT_ADVISE_H

#include "sett/core.h"

/* Begins profiling, and sets all counts to 0: for each type additions, removals and accesses by
 * handle, for each query loops and matches. Reading by handle takes about four times as long while
 * profiling, and systems run on one thread; a world that is not profiled pays nothing.
 * Fails: LOCKED (systems run).
 * Threads: writer. Since: 0.2 */
SETT_API sett_status sett_profile_begin(sett_world* world);

/* Ends profiling; the counts stay for sett_advise. No effect on a world that is not profiled.
 * Fails: LOCKED (systems run).
 * Threads: writer. Since: 0.2 */
SETT_API sett_status sett_profile_end(sett_world* world);

typedef enum sett_advice_kind {
    SETT_ADVICE_CONVERT,      /* store components[0] as `storage` says */
    SETT_ADVICE_GROUP,        /* create a group */
    SETT_ADVICE_DONT_FRAGMENT /* register components[0] with dont_fragment */
} sett_advice_kind;

/* One thing to change, with what it is estimated to save. The estimates come from a cost model
 * whose constants are compiled in: equal worlds get equal advice. Arrays of it have no
 * size that a call could pass: it changes only with a major version. */
typedef struct sett_advice {
    sett_advice_kind kind;
    sett_storage_kind storage;                   /* CONVERT */
    sett_component components[SETT_GROUP_TYPES]; /* of GROUP: those that it owns; 0 ends the list */
    sett_component with[SETT_GROUP_TYPES];       /* GROUP: see sett_group_desc */
    sett_component without[SETT_GROUP_TYPES];
    uint64_t cost_ns; /* what the profiled loops concerned took, */
    uint64_t gain_ns; /* and how much less it would have been; 0 of DONT_FRAGMENT */
    uint64_t moved;   /* values that the change moves, once */
    char text[400];   /* the same as a sentence */
    char code[400];   /* the call to write, with ids as SETT_REGISTER names them: Position_id */
} sett_advice;

/* Fills in up to `capacity` pieces of advice, those that save most first. They do not contradict
 * each other: what concerns a type of a better one is left out, so it pays to profile again after
 * applying them.
 * Returns how many it filled in; 0 if the world's layout is good, or if too little was profiled to
 * tell.
 * Cost: O(items x queries x (queries + types)).
 * Threads: writer. Since: 0.2 */
SETT_API uint32_t sett_advise(sett_world* world, sett_advice* items, uint32_t capacity);

/* Does what a piece of advice says.
 * Fails: as sett_component_convert and sett_group_create; ARGUMENT (DONT_FRAGMENT is decided where
 * a type is registered).
 * Cost: O(values moved). Invalidates: addresses of the types concerned.
 * Threads: writer. Since: 0.2 */
SETT_API sett_status sett_advice_apply(sett_world* world, const sett_advice* item);

#endif

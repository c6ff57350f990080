/* owned.h: a type whose values own memory, so that one that is never ended, ended twice, or shared
 * by two owners shows: as a leak, as a double free, or in the number alive.
 *
 *     sett_component_desc desc = {.name = "owned", OWNED_TYPE};
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_TEST_OWNED_H
#define SETT_TEST_OWNED_H

#include "check.h"
#include "sett/sett.h"

/* A value that owns an int. */
typedef struct owned {
    _Alignas(8) int* to; /* 16 bytes also where addresses have 4 */
    _Alignas(8) uint64_t pad;
} owned;

/* The description of the type. With `.move = owned_move` added, values are not moved as bytes. */
#define OWNED_TYPE                                                                                 \
    .size = sizeof(owned), .init = owned_init, .deinit = owned_deinit, .copy = owned_copy,         \
    .save = SETT_SAVE_CLONE

static int64_t owned_alive; /* values, in all worlds and snapshots */

static inline void owned_init(void* values, uint32_t count, void* user)
{
    owned* v = values;
    (void)user;
    for (uint32_t k = 0; k < count; k++) {
        v[k].to = malloc(sizeof(int));
        CHECK(v[k].to != NULL);
        *v[k].to = 1;
        v[k].pad = 5;
        owned_alive++;
    }
}

static inline void owned_deinit(void* values, uint32_t count, void* user)
{
    owned* v = values;
    (void)user;
    for (uint32_t k = 0; k < count; k++) {
        free(v[k].to);
        v[k].to = NULL;
        owned_alive--;
    }
}

static inline void owned_copy(void* to, const void* from, uint32_t count, void* user)
{
    owned* t = to;
    const owned* f = from;
    (void)user;
    for (uint32_t k = 0; k < count; k++) {
        *t[k].to = *f[k].to;
        t[k].pad = f[k].pad;
    }
}

/* Leaves behind what must not be taken for a value. */
static inline void owned_move(void* to, void* from, uint32_t count, void* user)
{
    (void)user;
    memcpy(to, from, count * sizeof(owned));
    memset(from, 0xDD, count * sizeof(owned));
}

#endif

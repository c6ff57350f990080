/* snapshot.h: the tree of snapshots, for the files of this folder. */
#ifndef SETTI_SNAPSHOT_H
#define SETTI_SNAPSHOT_H

#include "base/cow.h"
#include "sett/state.h"
#include "world/world.h"

/* A state, as a difference `diff` from its neighbour towards the live world. */
typedef struct setti_snapshot {
    struct setti_snapshot* older; /* list of all, in order of taking */
    struct setti_snapshot* younger;
    struct setti_snapshot* toward;       /* that neighbour; NULL: the live world */
    struct setti_snapshot* child;        /* the first snapshot whose neighbour this is, or NULL */
    struct setti_snapshot* sibling_next; /* list of snapshots with the same neighbour */
    struct setti_snapshot* sibling_previous;
    struct setti_snapshot* path; /* scratch: the next one away from the live world */
    setti_diff diff;
    uint64_t tick; /* the world's clock when it was taken */
    uint32_t slot; /* number of its handle's slot */
    uint64_t sum;  /* of hashes, if `summed` */
    bool summed;
    bool hidden; /* dropped, but others depend on it */
    uint32_t root_count;
    size_t root_size;
    unsigned char* roots; /* each root's bytes, and the lengths of its tables */
} setti_snapshot;

typedef struct setti_snapshot_slot {
    setti_snapshot* node; /* NULL: free */
    uint32_t serial;      /* of the slot's latest handle */
    uint32_t next_free;
    bool lost; /* its latest snapshot was lost, not dropped */
} setti_snapshot_slot;

typedef struct setti_state {
    setti_cow cow; /* first: what the pool knows */
    sett_world* world;
    setti_snapshot* head; /* the snapshot next to the live world */
    setti_snapshot* oldest;
    setti_snapshot* youngest;
    uint32_t count;      /* of snapshots, with hidden ones */
    uint32_t hidden;     /* of hidden snapshots */
    bool order_reported; /* a log line says that a delta's order of rows was not taken over */
    bool postponed;      /* a hidden snapshot could not be freed without memory */
    setti_snapshot_slot* slot;
    uint32_t slot_count;
    uint32_t slot_capacity;
    uint32_t free_slot;   /* or SETTI_NONE */
    uint32_t serial;      /* of the latest handle */
    uint32_t lost_serial; /* the latest one that was lost */
    uint64_t lost;
    sett_snapshot_options options;
    bool has_values; /* some types have SETT_SAVE_CLONE or SETT_SAVE_SKIP */
    bool has_clones; /* some types have SETT_SAVE_CLONE */
} setti_state;

enum {
    SETTI_SLOT_STATE = 8
};

/* The world's; NULL until it is used. */
static inline setti_state* setti_state_of(const sett_world* world)
{
    return world->module[SETTI_SLOT_STATE];
}

/* Returns the world's state object, creating it if necessary; NULL when memory runs out. */
setti_state* setti_state_get(sett_world* world);

/* The snapshot of a handle. NULL if it has ended; *status becomes why. */
setti_snapshot* setti_snapshot_find(const sett_world* world, sett_snapshot snapshot,
                                    sett_status* status);

/* Fails with that status, and returns it. */
sett_status setti_snapshot_fail(sett_world* world, sett_snapshot snapshot, sett_status status,
                                const char* call);

/* Links the path from the live world to a snapshot. Returns its first node. */
setti_snapshot* setti_snapshot_path(setti_snapshot* target);

/* A root's bytes in a snapshot; NULL if the root is newer. */
const unsigned char* setti_snapshot_root(const setti_snapshot* node, const setti_root* root);

/* Restores a snapshot, even if memory runs out: then SETT_SAVE_SKIP values are initialised, and the
 * log says so. Fails like sett_snapshot_restore, except with OUT_OF_MEMORY. */
sett_status setti_snapshot_undo(sett_world* world, sett_snapshot snapshot);

/* Computes a snapshot's sum of hashes. May begin a new tick. Fails, as `call`: OUT_OF_MEMORY. */
sett_status setti_snapshot_sum(sett_world* world, setti_snapshot* node, const char* call);

/* Suspends the limit on memory, because a snapshot for undoing must not cost older ones. */
void setti_state_lift_limit(setti_state* state);
/* Resumes the limit, and drops snapshots that exceed it. */
void setti_state_set_limit(setti_state* state);

/* Sets how a type's values are copied. Fails, as `call`: ARGUMENT (the type does not say how),
 * OUT_OF_MEMORY. */
sett_status setti_values_prepare(sett_world* world, setti_type* type, const char* call);

/* Returns why a type's values can neither be saved nor read, or NULL: they own memory, but are
 * saved as bytes, and pointers from a file would be freed. */
const char* setti_values_unsaved(const setti_type* type);

/* Fails with ARGUMENT, as `call`, if the world has such a type. */
sett_status setti_values_check(sett_world* world, const char* call);

/* Values of SETT_SAVE_SKIP types during a restore. */
typedef struct setti_carried {
    struct setti_carried* next; /* values of another type */
    setti_type* type;
    uint32_t count;
    size_t size;           /* of this struct and its arrays, in bytes */
    sett_entity* entity;   /* ascending by index */
    unsigned char* values; /* of these entities */
} setti_carried;

/* Moves live values aside, if entries on the path concern their tables. No effect after a
 * failure. */
bool setti_values_carry(setti_state* state, const setti_snapshot* path, setti_carried** out);

/* Calls a function for the live SETT_SAVE_SKIP values: a restore that cannot carry them ends those
 * before it, and initialises those after it. */
void setti_values_each_skipped(const setti_state* state,
                               void (*fn)(const setti_type* type, void* values, uint32_t count));

/* Moves carried values back to their entities, deinitialises the rest, and initialises new
 * values. */
void setti_values_settle(setti_state* state, setti_carried* carried);

#endif

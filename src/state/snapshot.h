/* snapshot.h: the tree of snapshots, as the files of this folder share it. */
#ifndef SETTI_SNAPSHOT_H
#define SETTI_SNAPSHOT_H

#include "base/cow.h"
#include "sett/state.h"
#include "world/world.h"

/* One state. `diff` says how it differs from its neighbour towards the live world. */
typedef struct setti_snapshot {
    struct setti_snapshot* older; /* in the order of taking */
    struct setti_snapshot* younger;
    struct setti_snapshot* toward; /* the neighbour; NULL: the live world itself */
    struct setti_snapshot* child;  /* one of those whose neighbour it is; NULL: there is none */
    struct setti_snapshot* sibling_next; /* of those of the same neighbour */
    struct setti_snapshot* sibling_previous;
    struct setti_snapshot* path; /* scratch: the next on the way away from the live world */
    setti_diff diff;
    uint64_t tick; /* the world's clock when it was taken */
    uint32_t slot; /* of its handle */
    uint64_t sum;  /* of hashes, if it is known: what the hash of the world is made of */
    bool summed;   /* it is */
    bool hidden;   /* dropped; held because others depend on it */
    uint32_t root_count;
    size_t root_size;
    unsigned char* roots; /* of each root its bytes, and how long its tables are */
} setti_snapshot;

typedef struct setti_snapshot_slot {
    setti_snapshot* node; /* NULL: free */
    uint32_t serial;      /* of the latest handle to this slot */
    uint32_t next_free;
    bool lost; /* how its latest snapshot ended */
} setti_snapshot_slot;

typedef struct setti_state {
    setti_cow cow; /* first: the pool leads here */
    sett_world* world;
    setti_snapshot* head; /* the one right behind the live world */
    setti_snapshot* oldest;
    setti_snapshot* youngest;
    uint32_t count;      /* snapshots, hidden ones included */
    uint32_t hidden;     /* of these */
    bool order_reported; /* that a delta's order of rows was not taken over */
    bool postponed;      /* a hidden one could not be freed for want of memory */
    setti_snapshot_slot* slot;
    uint32_t slot_count;
    uint32_t slot_capacity;
    uint32_t free_slot;   /* or SETTI_NONE */
    uint32_t serial;      /* of the latest handle */
    uint32_t lost_serial; /* of the latest that was lost */
    uint64_t lost;
    sett_snapshot_options options;
    bool has_values; /* some of them are not just bytes, */
    bool has_clones; /* but kept by their hooks */
} setti_state;

enum {
    SETTI_SLOT_STATE = 8
};

/* The world's; NULL until it is used. */
static inline setti_state* setti_state_of(const sett_world* world)
{
    return world->module[SETTI_SLOT_STATE];
}

/* The world's state object, created by the first call; NULL when memory runs out. */
setti_state* setti_state_get(sett_world* world);

/* The snapshot behind a handle; NULL, and why, if it has ended. */
setti_snapshot* setti_snapshot_find(const sett_world* world, sett_snapshot snapshot,
                                    sett_status* status);

/* Says so: the call fails. Returns `status`. */
sett_status setti_snapshot_fail(sett_world* world, sett_snapshot snapshot, sett_status status,
                                const char* call);

/* Links the path from the live world to a snapshot (`path`); returns its first node. */
setti_snapshot* setti_snapshot_path(setti_snapshot* target);

/* A root's bytes in the snapshot; NULL if it was added later. */
const unsigned char* setti_snapshot_root(const setti_snapshot* node, const setti_root* root);

/* Restores without needing memory, to undo. If memory runs out, values of SETT_SAVE_SKIP types are
 * initialised, and only the log reports the restore. Fails: as sett_snapshot_restore, except
 * OUT_OF_MEMORY. */
sett_status setti_snapshot_undo(sett_world* world, sett_snapshot snapshot);

/* Computes the sum of hashes of a snapshot, which is not known yet. Fails, for `call`:
 * OUT_OF_MEMORY. May begin a new tick. */
sett_status setti_snapshot_sum(sett_world* world, setti_snapshot* node, const char* call);

/* Lifts the limit on memory: a snapshot that is only for undoing must not cost older ones. The
 * second sets it again, and drops snapshots that exceed it. */
void setti_state_lift_limit(setti_state* state);
void setti_state_set_limit(setti_state* state);

/* Sets how the type's values are copied. Fails, for `call`: ARGUMENT (it does not say how),
 * OUT_OF_MEMORY. */
sett_status setti_values_prepare(sett_world* world, setti_type* type, const char* call);

/* NULL, or why the type's values can be neither saved nor read: they own something, and are saved
 * as bytes. What bytes from a file point to would be freed. */
const char* setti_values_unsaved(const setti_type* type);

/* Fails, for `call`, if there is such a type in the world: ARGUMENT. */
sett_status setti_values_check(sett_world* world, const char* call);

/* Values of SETT_SAVE_SKIP types during a restore. */
typedef struct setti_carried {
    struct setti_carried* next; /* of the next type */
    setti_type* type;
    uint32_t count;
    size_t size;           /* bytes of this piece */
    sett_entity* entity;   /* ascending by index */
    unsigned char* values; /* beside them */
} setti_carried;

/* Moves live values aside, of the types whose tables have entries in these diffs. On failure
 * nothing is moved. */
bool setti_values_carry(setti_state* state, const setti_snapshot* path, setti_carried** out);

/* If that fails: deinitialises all of them; initialises them anew after the restore. */
void setti_values_end_skipped(const setti_state* state);
void setti_values_begin_skipped(const setti_state* state);

/* Moves them back to their entities, deinitialises the others, and initialises new ones. */
void setti_values_settle(setti_state* state, setti_carried* carried);

#endif

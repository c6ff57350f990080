/* snapshot.h: the tree of snapshots, for the files of this folder. */
#ifndef SETTI_SNAPSHOT_H
#define SETTI_SNAPSHOT_H

#include "base/cow.h"
#include "sett/state.h"
#include "world/world.h"

/* A saved state, stored as the difference from the state of `parent`. */
typedef struct setti_snapshot {
    struct setti_snapshot* older; /* all snapshots form a list, from the oldest to the youngest */
    struct setti_snapshot* younger;
    struct setti_snapshot* parent;       /* NULL: the parent is the live world */
    struct setti_snapshot* child;        /* the first of the children, or NULL */
    struct setti_snapshot* sibling_next; /* the children of a parent form a list */
    struct setti_snapshot* sibling_previous;
    struct setti_snapshot* next; /* set by setti_snapshot_path: the next snapshot of the path */
    setti_diff diff;
    uint64_t tick; /* the world's clock when the snapshot was taken */
    uint32_t slot; /* number of the handle's slot */
    uint64_t sum;  /* the sum of all hashes, if `summed` is true */
    bool summed;
    bool hidden;          /* ended, but the children are stored as differences from this snapshot */
    uint32_t root_count;  /* number of saved roots */
    size_t root_size;     /* bytes of `roots` */
    unsigned char* roots; /* the saved roots, and the lengths of their tables */
} setti_snapshot;

typedef struct setti_snapshot_slot {
    setti_snapshot* node; /* NULL: free */
    uint32_t serial;      /* the serial of the slot's latest handle */
    uint32_t next_free;   /* if the slot is free: the next free slot, or SETTI_NONE */
    bool lost;            /* the slot's latest snapshot is lost: the program did not drop it */
} setti_snapshot_slot;

typedef struct setti_state {
    setti_cow cow; /* first: the part that the pool uses */
    sett_world* world;
    setti_snapshot* head; /* the snapshot next to the live world, or NULL */
    setti_snapshot* oldest;
    setti_snapshot* youngest;
    uint32_t count;      /* number of snapshots, including hidden snapshots */
    uint32_t hidden;     /* number of hidden snapshots */
    bool order_reported; /* the log has the line about ignored orders of rows in deltas */
    bool postponed;      /* memory ran out for a merge, which must be tried again */
    setti_snapshot_slot* slot;
    uint32_t slot_count;
    uint32_t slot_capacity;
    uint32_t free_slot;   /* the first free slot, or SETTI_NONE */
    uint32_t serial;      /* the serial of the world's latest handle */
    uint32_t lost_serial; /* the greatest serial of a lost handle */
    uint64_t lost;        /* number of lost snapshots */
    sett_snapshot_options options;
    bool has_values; /* some types have SETT_SAVE_CLONE or SETT_SAVE_SKIP */
    bool has_clones; /* some types have SETT_SAVE_CLONE */
} setti_state;

enum {
    SETTI_SLOT_STATE = 8
};

/* Returns the world's state object, or NULL before the first use. */
static inline setti_state* setti_state_of(const sett_world* world)
{
    return world->module[SETTI_SLOT_STATE];
}

/* Returns the world's state object, and creates it if necessary. Returns NULL if memory runs
 * out. */
setti_state* setti_state_get(sett_world* world, const char* call);

/* Like sett_snapshot_take and sett_snapshot_restore, but messages name `call`. */
sett_status setti_snapshot_take(sett_world* world, sett_snapshot* out, const char* call);
sett_status setti_snapshot_restore(sett_world* world, sett_snapshot snapshot, const char* call);

/* Drops a snapshot, unless the snapshot has ended already. */
void setti_snapshot_release(sett_world* world, sett_snapshot snapshot);

/* Returns the snapshot of a handle, and sets *status to SETT_OK. If the snapshot does not exist,
 * returns NULL and sets *status to the reason. */
setti_snapshot* setti_snapshot_find(const sett_world* world, sett_snapshot snapshot,
                                    sett_status* status);

/* Reports why a snapshot cannot be used. Returns `status`. */
sett_status setti_snapshot_fail(sett_world* world, sett_snapshot snapshot, sett_status status,
                                const char* call);

/* Links the snapshots from the head to `target` by the member `next`. Returns the head. */
setti_snapshot* setti_snapshot_path(setti_snapshot* target);

/* Returns the saved bytes of a root, or NULL if the root is newer than the snapshot. */
const unsigned char* setti_snapshot_root(const setti_snapshot* node, const setti_root* root);

/* Restores a snapshot, even if memory runs out. In that case, SETT_SAVE_SKIP values are initialised
 * anew. */
sett_status setti_snapshot_undo(sett_world* world, sett_snapshot snapshot, const char* call);

/* Computes the member `sum` of a snapshot. The sum must be unknown. */
sett_status setti_snapshot_sum(sett_world* world, setti_snapshot* node, const char* call);

/* Suspends the limit on memory, until setti_state_set_limit is called. */
void setti_state_lift_limit(setti_state* state);
/* Sets the limit on memory again, and enforces it. */
void setti_state_set_limit(setti_state* state);

/* Prepares a type for snapshots. */
sett_status setti_values_prepare(sett_world* world, setti_type* type, const char* call);

/* Returns NULL if values of a type can be saved as bytes. Otherwise returns the reason. */
const char* setti_values_unsaved(const setti_type* type);

/* Checks that snapshots can save all types. */
sett_status setti_values_check(sett_world* world, const char* call);

/* The values of a SETT_SAVE_SKIP type, kept outside of the world during a restore. */
typedef struct setti_carried {
    struct setti_carried* next; /* the next type */
    setti_type* type;
    uint32_t count;
    size_t size;           /* the size of this struct and the arrays, in bytes */
    sett_entity* entity;   /* ascending by index */
    unsigned char* values; /* the k-th value belongs to entity[k] */
} setti_carried;

/* Moves SETT_SAVE_SKIP values out of the world, to the list *out. `path` leads to the snapshot to
 * restore. Returns false if memory runs out. */
bool setti_values_carry(setti_state* state, const setti_snapshot* path, setti_carried** out);

/* Calls `fn` for each live SETT_SAVE_SKIP value. */
void setti_values_each_skipped(const setti_state* state,
                               void (*fn)(const setti_type* type, void* values, uint32_t count));

/* Moves carried values back to the same entities, and frees `list`. */
void setti_values_settle(setti_state* state, setti_carried* list);

#endif

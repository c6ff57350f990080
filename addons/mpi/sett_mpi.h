/* sett_mpi.h: one world over many machines, by MPI. Link sett::mpi. A program that takes an
 * installed Sett compiles with the flags of its MPI (mpicc, or find_package(MPI)).
 *
 *     sett_ranks* ranks = sett_ranks_create(world, MPI_COMM_WORLD, &desc);
 *     for (uint32_t cell = 0; cell < cells; cell++) {
 *         if (sett_ranks_owns(ranks, cell)) { ... sett_ranks_create_entity(ranks, cell) ... }
 *     }
 *     sett_ranks_end(ranks);
 *     for (uint32_t tick = 1; tick <= ticks; tick++) {
 *         sett_ranks_begin(ranks);        neighbours of this rank's entities are here, as ghosts
 *         ... a tick: read the neighbours, write this rank's entities ...
 *         sett_ranks_end(ranks);          what has moved to cells of other ranks is there
 *         sett_ranks_hash(ranks, &hash);  the same number for any number of ranks
 *     }
 *
 * Words:
 *     rank     a process of the MPI program. Each has a world of its own
 *     cell     a part of space. The program says in which cell a position is. Each cell belongs to
 *              one rank, and so do the entities in it
 *     ghost    a copy of an entity of another rank, in a cell beside this rank's cells. It has the
 *              declared types only, and a tag. Ghosts are for reading; debug builds report writes
 *     home     the cell in which an entity was created. Its handle comes from the range of its home
 *              and never changes
 *
 * The result is the same for any number of ranks, bit for bit, if the program keeps to this:
 *     - It creates entities of the simulation by sett_ranks_create_entity.
 *     - An entity reads itself, and neighbours in its own cell and the cells around it, as they
 *       were when the tick began; it writes itself. So write new values beside the old ones.
 *     - It adds numbers of neighbours up in the order of their handles: sums of floats depend on
 *       the order.
 *     - Random numbers are those of sett_random: a function of entity and tick.
 *
 * Entities that sett_entity_create makes stay on their rank and are in no hash: parameters, say.
 *
 * All functions that say "collective" must be called by all ranks, in the same order. If one of
 * them fails, the run ends: see sett_ranks_desc.failed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_MPI_H
#define SETT_MPI_H

#include "sett/core.h"

#include <mpi.h>

#ifdef __GNUC__ /* also where the rest of this add-on is hidden in a shared library */
#pragma GCC visibility push(default)
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sett_ranks sett_ranks;

/* The most cells around a cell, and the most types of ghosts. */
#define SETT_RANKS_AROUND 32
#define SETT_RANKS_GHOSTS 32

/* Options of sett_ranks_create. */
typedef struct sett_ranks_desc {
    /* The component that says where an entity is. A child is where its root is. An entity without a
     * position is in its home. */
    sett_component position;
    /* Returns the cell, below `cells`, of a position. */
    uint32_t (*cell_of)(const void* position, void* user);
    /* The number of cells. Each rank has cells that follow one another, so number them in such a
     * way that these are close together: row by row, or along a curve. */
    uint32_t cells;
    /* Writes the cells around a cell, and returns how many these are, at most SETT_RANKS_AROUND. If
     * b is around a, then a is around b. Default: the eight around it in a grid of `width` */
    uint32_t (*around)(uint32_t cell, uint32_t* out, void* user);
    uint32_t width; /* cells a row of the grid, whose rows follow one another */
    bool bounded;   /* the grid ends at its borders; default: it is periodic */
    /* What is sent of ghosts: types whose values are bytes, or tags. */
    const sett_component* ghosts;
    uint32_t ghost_count;
    /* Relationships with links to entities that can be on other ranks. Links of other ones are lost
     * if the two ends part. A link is not a reason to move: target and source go their own ways.
     * SETT_CLEANUP_REJECT is not possible over ranks. */
    const sett_component* relations;
    uint32_t relation_count;
    uint32_t indices;        /* of each cell: how many entities it can be home of; default: 64.
                                A multiple of 64 */
    sett_component ghost_id; /* of the tag of ghosts; default: the lowest that is free */
    /* The cost of a cell, for sett_ranks_balance: `entities` are in it, `around` in it and in the
     * cells around it. Default: entities * (16 + around) */
    uint64_t (*cost)(uint32_t cell, uint32_t entities, uint64_t around, void* user);
    /* Called when this rank cannot go on: a call failed, or another rank has ended. The message
     * names the last checkpoint. Default: the message is logged, and MPI_Abort ends all ranks */
    void (*failed)(sett_status status, const char* message, void* user);
    void* user; /* passed to all callbacks */
} sett_ranks_desc;

/* Divides a world among the ranks of a communicator. The world must have its types, and no entities
 * with indices below cells * indices. Sets the world's range to what is above
 * (sett_entity_set_range), and registers the tag "Ghost of rank". All ranks must have the same
 * types and options.
 *   desc  copied, lists too
 * Returns NULL on failure; the log says why. Fails: ARGUMENT, UNREGISTERED, LIMIT (too many cells
 * times indices), CONFLICT (the ranks differ), OUT_OF_MEMORY.
 * Collective. Cost: O(cells). Threads: writer. Since: 0.3 */
sett_ranks* sett_ranks_create(sett_world* world, MPI_Comm comm, const sett_ranks_desc* desc);

/* Frees it. Destroys the ghosts; other entities stay. NULL is fine.
 * Collective. Threads: writer. Since: 0.3 */
void sett_ranks_destroy(sett_ranks* ranks);

/* Return the number of this rank, of all ranks, and of ticks: calls of sett_ranks_end.
 * Threads: reader. Since: 0.3 */
uint32_t sett_ranks_rank(const sett_ranks* ranks);
uint32_t sett_ranks_count(const sett_ranks* ranks);
uint64_t sett_ranks_tick(const sett_ranks* ranks);

/* Returns the tag of ghosts. Loops over this rank's own entities have it as SETT_WITHOUT.
 * Threads: reader. Since: 0.3 */
sett_component sett_ranks_ghost(const sett_ranks* ranks);

/* Return whether a cell belongs to this rank, and whether all cells around it do too: an inner
 * cell, whose entities need no ghosts.
 * Cost: O(1). Threads: reader. Since: 0.3 */
bool sett_ranks_owns(const sett_ranks* ranks, uint32_t cell);
bool sett_ranks_is_inner(const sett_ranks* ranks, uint32_t cell);

/* Creates an entity whose home is a cell of this rank. In a tick, take the cell in which its parent
 * was when the tick began; and create the entities of one cell in an order that does not depend on
 * ranks, such as that of the parents' handles. It can be placed anywhere: sett_ranks_end sends it
 * where it is. An index is free again from the tick after its entity ended.
 * Returns null on failure. Fails: ARGUMENT (the cell belongs to another rank), LIMIT (the cell has
 * no free index), LOCKED, OUT_OF_MEMORY.
 * Cost: O(indices / 64). Threads: writer. Since: 0.3 */
sett_entity sett_ranks_create_entity(sett_ranks* ranks, uint32_t cell);

/* Begins a tick: brings the ghosts to what their entities are now. The two halves let a program
 * work while messages travel: after sett_ranks_begin_start it can work on entities of inner cells,
 * and change what it wants of them; ghosts are up to date after sett_ranks_begin_wait.
 * Returns OK. Fails: as the callback `failed` receives it.
 * Collective. Cost: O(entities) of the rank, O(bytes) of ghosts. Invalidates: addresses of the
 * types of ghosts. Threads: writer. Since: 0.3 */
sett_status sett_ranks_begin(sett_ranks* ranks);
sett_status sett_ranks_begin_start(sett_ranks* ranks);
sett_status sett_ranks_begin_wait(sett_ranks* ranks);

/* Ends a tick. Applies recorded commands. Entities whose cell belongs to another rank move there,
 * with all their components and their descendants, under their handles; nothing of them stays here.
 * Handles of entities that ended go home. Values of SETT_SAVE_SKIP types do not travel.
 * A member that is a handle, of an entity wherever it is, stays the same. Links of the declared
 * relationships to entities that are not here stay too: the entity that they lead to is here
 * without components, with the tag of ghosts, as long as a link leads to it.
 * Fails: as the callback `failed` receives it.
 * Collective. Cost: O(entities) of the rank, O(values) of those that move.
 * Invalidates: as sett_entity_destroy. Threads: writer. Since: 0.3 */
sett_status sett_ranks_end(sett_ranks* ranks);

/* Computes the hash of the simulation: of all ranks' entities, without ghosts, and of the handles
 * that come next. Each rank receives the same number. With one rank, without entities of
 * sett_entity_create and without sett_ranks_desc.relations, it is sett_world_hash.
 * Collective. Cost: O(values). Threads: writer. Since: 0.3 */
sett_status sett_ranks_hash(sett_ranks* ranks, uint64_t* hash);

/* Gives cells to other ranks so that all have about the same cost (sett_ranks_desc.cost), computed
 * from counts, never from clocks. Results do not change. Call it between sett_ranks_end and
 * sett_ranks_begin; each 50 ticks is often enough.
 * Fails: as the callback `failed` receives it.
 * Collective. Cost: O(cells), O(values) of entities that move. Invalidates: as sett_ranks_end; all
 * ghosts, until sett_ranks_begin. Threads: writer. Since: 0.3 */
sett_status sett_ranks_balance(sett_ranks* ranks);

/* Saves a checkpoint: a file for each rank, "<path>.<tick>.<rank>", and then the index, "<path>". A
 * checkpoint before it stays whole until the index of the new one is written, and is then removed.
 * Call it between sett_ranks_end and sett_ranks_begin. All ranks must see the same folder.
 * Fails: FILE (a file cannot be written: the former checkpoint is still there), OUT_OF_MEMORY.
 * Collective. Cost: O(values), and the disk. Threads: writer. Since: 0.3 */
sett_status sett_ranks_save(sett_ranks* ranks, const char* path);

/* Loads a checkpoint, saved by any number of ranks: with the same types, cells and indices. The
 * entities of all ranks are replaced.
 * Fails: FILE (it cannot be read), INVALID (a file is damaged, truncated, or of another
 * checkpoint), CONFLICT (other cells or indices); the log names the file, and nothing has changed.
 * Collective. Cost: O(values), and the disk. Threads: writer. Since: 0.3 */
sett_status sett_ranks_load(sett_ranks* ranks, const char* path);

/* What a rank has and has done since sett_ranks_create. */
typedef struct sett_ranks_stats {
    uint32_t cells;         /* of this rank */
    uint32_t entities;      /* of this rank */
    uint32_t ghosts;        /* here */
    uint32_t linked;        /* entities of other ranks that are here because links lead to them */
    uint64_t ghosts_sent;   /* copies of this rank's entities, in each tick */
    uint64_t ghost_bytes;   /* sent for them */
    uint64_t ghost_changed; /* bytes of their values that differed from what was sent before */
    uint64_t handed_over;   /* entities that moved to another rank by themselves */
    uint64_t balanced;      /* entities that moved because their cell did */
    uint64_t move_bytes;    /* sent by sett_ranks_end and sett_ranks_balance */
    uint64_t births;        /* by sett_ranks_create_entity */
    uint64_t births_moved;  /* of these, in cells that had another owner before */
    uint64_t deaths;        /* seen by this rank */
    uint64_t deaths_sent;   /* of these, sent home to another rank */
} sett_ranks_stats;

/* Fills `stats`. Cost: O(1). Threads: reader. Since: 0.3 */
void sett_ranks_stats_get(const sett_ranks* ranks, sett_ranks_stats* stats);

#ifdef __cplusplus
}
#endif

#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#endif

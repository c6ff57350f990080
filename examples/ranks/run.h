/* run.h: what the two examples of sett::mpi share: their arguments, their loop, and lists of who is
 * in which cell.
 *
 *     mpirun -n 4 ./sir --ticks 1000 --balance 50 --save /tmp/sir --every 100
 *     mpirun -n 3 ./sir --ticks 1000 --load /tmp/sir
 *
 * The last line has a hash of the state of each tick, one after another: it is the same for any
 * number of ranks.
 */
#ifndef RANKS_RUN_H
#define RANKS_RUN_H

#include "sett/sett.h"
#include "sett_mpi.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A program. `tick` is one tick of a model, of which the exchange is a part. */
typedef struct run_model {
    const char* name;
    void (*populate)(uint32_t cell, uint32_t count);
    void (*tick)(uint64_t tick);
    bool linked; /* the hash of ranks leaves out who is linked to */
} run_model;

typedef struct run_options {
    uint64_t ticks, balance, every;
    uint32_t width, each, overlap; /* cells a row; entities a cell at first */
    const char* save;
    const char* load;
} run_options;

static sett_world* world;
static sett_ranks* ranks;
static run_options options = {.ticks = 100, .width = 32, .each = 8};

static void run_read(int argc, char** argv)
{
    for (int k = 1; k + 1 < argc; k += 2) {
        const char* value = argv[k + 1];
        const uint64_t number = strtoull(value, NULL, 10);
        if (strcmp(argv[k], "--ticks") == 0) {
            options.ticks = number;
        } else if (strcmp(argv[k], "--balance") == 0) {
            options.balance = number;
        } else if (strcmp(argv[k], "--every") == 0) {
            options.every = number;
        } else if (strcmp(argv[k], "--width") == 0) {
            options.width = (uint32_t)number;
        } else if (strcmp(argv[k], "--each") == 0) {
            options.each = (uint32_t)number;
        } else if (strcmp(argv[k], "--overlap") == 0) {
            options.overlap = (uint32_t)number;
        } else if (strcmp(argv[k], "--save") == 0) {
            options.save = value;
        } else if (strcmp(argv[k], "--load") == 0) {
            options.load = value;
        } else {
            fprintf(stderr, "--ticks --balance --every --width --each --overlap --save --load\n");
            exit(2);
        }
    }
}

/* ---- Who is in which cell. Lists ascend by handle, so sums of floats have one order. --------- */

typedef struct run_cells {
    uint32_t* begin; /* of each cell, and one more: */
    uint32_t* item;  /* numbers of rows, */
    uint32_t* cell;  /* and the cell of each row */
    uint32_t cells, count, capacity;
} run_cells;

static void run_cells_clear(run_cells* lists, uint32_t cells)
{
    if (lists->cells != cells) {
        lists->begin = realloc(lists->begin, (cells + 2) * sizeof(uint32_t));
        lists->cells = cells;
    }
    memset(lists->begin, 0, (cells + 2) * sizeof(uint32_t));
    lists->count = 0;
}

/* The next row, ascending by handle. */
static void run_cells_add(run_cells* lists, uint32_t cell)
{
    if (lists->count == lists->capacity) {
        lists->capacity = lists->capacity * 2 + 1024;
        lists->item = realloc(lists->item, lists->capacity * sizeof(uint32_t));
        lists->cell = realloc(lists->cell, lists->capacity * sizeof(uint32_t));
    }
    lists->begin[cell + 2]++;
    lists->cell[lists->count++] = cell;
}

static void run_cells_sort(run_cells* lists)
{
    for (uint32_t k = 2; k < lists->cells + 2; k++) {
        lists->begin[k] += lists->begin[k - 1];
    }
    for (uint32_t row = 0; row < lists->count; row++) {
        lists->item[lists->begin[lists->cell[row] + 1]++] = row;
    }
}

/* ---- The loop -------------------------------------------------------------------------------- */

static void run_print(const run_model* model, uint64_t chain, uint64_t hash, double took)
{
    sett_ranks_stats mine;
    sett_ranks_stats_get(ranks, &mine);
    uint64_t sum[13] = {mine.entities,     mine.ghosts,   mine.ghosts_sent, mine.ghost_bytes,
                        mine.handed_over,  mine.balanced, mine.move_bytes,  mine.births,
                        mine.births_moved, mine.deaths,   mine.deaths_sent, mine.ghost_changed,
                        mine.linked};
    uint64_t all[13];
    MPI_Reduce(sum, all, 13, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (sett_ranks_rank(ranks) != 0) {
        return;
    }
    const double ticks = (double)sett_ranks_tick(ranks);
    const double sent = all[2] != 0 ? (double)all[2] : 1;
    printf("%s: %u ranks, %.0f ticks, %.2f ms each: %" PRIu64 " entities, %" PRIu64
           " ghosts, %" PRIu64 " linked\n",
           model->name, (unsigned)sett_ranks_count(ranks), ticks, took / ticks * 1e3, all[0],
           all[1], all[12]);
    printf("  handed over %" PRIu64 ", moved with cells %" PRIu64 ", born %" PRIu64
           ", of these in cells that had another owner %" PRIu64 ", died %" PRIu64
           ", of these away from home %" PRIu64 "\n",
           all[4], all[5], all[7], all[8], all[9], all[10]);
    printf(
        "  a ghost and tick: %.2f bytes, of which %.2f differ; all ranks, a tick: %.0f bytes for "
        "ghosts, %.0f for what moves\n",
        (double)all[3] / sent, (double)all[11] / sent, (double)all[3] / ticks,
        (double)all[6] / ticks);
    printf("%s chain %016" PRIx64 " hash %016" PRIx64 "\n", model->name, chain, hash);
}

static void run_fail(const char* what)
{
    fprintf(stderr, "%s failed\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* One rank is one world: what the ranks' hash is of many, sett_world_hash is of this one. */
static void run_compare(const run_model* model, uint64_t hash)
{
    if (sett_ranks_count(ranks) == 1 && !model->linked && sett_world_hash(world) != hash) {
        run_fail("one rank's hash is that of the world, which");
    }
}

/* Nothing is left of what was here: a world has its own entities, ghosts, and ends of links. */
static void run_check(void)
{
    const char* reason = "";
    sett_ranks_stats mine;
    sett_ranks_begin(ranks);
    sett_ranks_stats_get(ranks, &mine);
    const uint32_t count = sett_entity_count(world);
    if (count < mine.entities + mine.ghosts || count > mine.entities + mine.ghosts + mine.linked) {
        run_fail("counting the entities of this rank");
    }
    if (sett_world_validate(world, &reason) != SETT_OK) {
        run_fail(reason);
    }
    sett_ranks_end(ranks);
}

static int run(const run_model* model)
{
    uint64_t chain = 0;
    uint64_t hash = 0;
    const uint32_t cells = options.width * options.width;
    const double begin = MPI_Wtime();
    if (options.load != NULL) {
        if (sett_ranks_load(ranks, options.load) != SETT_OK) {
            run_fail("loading");
        }
    } else {
        for (uint32_t cell = 0; cell < cells; cell++) {
            if (sett_ranks_owns(ranks, cell)) {
                model->populate(cell, options.each);
            }
        }
        sett_ranks_end(ranks);
    }
    sett_ranks_hash(ranks, &hash);
    for (uint64_t tick = sett_ranks_tick(ranks); tick <= options.ticks; tick++) {
        model->tick(tick);
        sett_ranks_end(ranks);
        sett_ranks_hash(ranks, &hash);
        run_compare(model, hash);
        chain = (chain ^ hash) * 0x9E3779B97F4A7C15u;
        if (options.balance != 0 && tick % options.balance == 0) {
            sett_ranks_balance(ranks);
        }
        if (options.every != 0 && tick % options.every == 0) {
            if (sett_ranks_save(ranks, options.save) != SETT_OK) {
                run_fail("saving");
            }
            if (sett_ranks_rank(ranks) == 0) {
                printf("checkpoint %s of tick %" PRIu64 "\n", options.save, tick);
                fflush(stdout);
            }
        }
    }
    run_print(model, chain, hash, MPI_Wtime() - begin);
    run_check();
    sett_ranks_destroy(ranks);
    sett_world_destroy(world);
    MPI_Finalize();
    return 0;
}

#endif

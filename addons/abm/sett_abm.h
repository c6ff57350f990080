/* sett_abm.h: models of agents: random activation, data, runs over seeds and parameters, pictures.
 * Link sett::abm. Where agents are near each other: sett_space.h.
 *
 *     static const sett_abm_model sir = {
 *         .name = "sir", .steps = 100, .data_size = sizeof(Data),
 *         .parameters = {{"infect", 0.1}, {"recover", 0.05}},
 *         .columns = {{"ill", .query = "Ill"},
 *                     {"age", SETT_ABM_MEAN, .query = "Ill", .member = "Agent.age"}},
 *         .begin = begin, .step = step};
 *
 *     sett_abm_run(&sir, 1, NULL, &(sett_abm_options){.table = "sir.csv"}, NULL);
 *     sett_abm_scan(&sir, &(sett_abm_scan_desc){.seeds = 1000, .threads = 2, .path = "scan.csv"},
 *                   NULL);
 *
 * A model's results depend on its seed and parameters alone if it draws by sett_random
 * (sett/random.h), activates agents by sett_abm_order, and has its state in the world: then each
 * seed has one hash, on any machine and for any number of threads.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_ABM_H
#define SETT_ABM_H

#include "sett/random.h"
#include "sett/sett.h"

#ifdef __GNUC__ /* also where the rest of this add-on is hidden in a shared library */
#pragma GCC visibility push(default)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------------------- random activation */

/* The entities of a query in random order, each once; those that were destroyed since the order was
 * drawn are skipped. All orders are as likely.
 *
 *     SETT_ABM_ACTIVATE(order, seed, step, sheep) {
 *         ... move, create, destroy ...
 *     }
 *
 * The world can be changed inside, as no loop is open. `break` ends it. Entities that begin to
 * match meanwhile come in the next step. An order depends on `seed`, `step` and on which entities
 * match in which order of the query's loop. It draws a number an entity, and does not sort;
 * sett_random_shuffle (sett/random.h) sorts, for worlds that are shared by ranks. */
typedef struct sett_abm_order sett_abm_order;

#define SETT_ABM_ACTIVATE(order, seed, step, entity)                                               \
    for (sett_entity entity = sett_abm_order_begin((order), (seed), (step));                       \
         !sett_is_null(entity); entity = sett_abm_order_next(order))

/* Creates an order. sett_world_destroy frees it; the query has to exist as long.
 * Returns NULL on failure. Fails: ARGUMENT (NULL), OUT_OF_MEMORY.
 * Threads: writer. Since: 0.2 */
sett_abm_order* sett_abm_order_create(sett_world* world, sett_query* query);

/* Frees an order. NULL is fine. Threads: writer. Since: 0.2 */
sett_status sett_abm_order_destroy(sett_abm_order* order);

/* What SETT_ABM_ACTIVATE calls.
 *     sett_abm_order_begin  draws a new order. Returns its first entity; null if there is none, or
 *                           memory runs out
 *     sett_abm_order_next   returns the next entity that is alive; null at the end
 *   seed  of the run; two orders of a step have different ones, such as seed + 1
 * Fails: OUT_OF_MEMORY.
 * Cost: O(matches). Threads: writer. Since: 0.2 */
sett_entity sett_abm_order_begin(sett_abm_order* order, uint64_t seed, uint64_t step);
sett_entity sett_abm_order_next(sett_abm_order* order);

/* ----------------------------------------------------------------------------------------- data */

#define SETT_ABM_PARAMETERS 16
#define SETT_ABM_COLUMNS 16

/* How a column makes a number of the values of a member. */
typedef enum sett_abm_reduce {
    SETT_ABM_COUNT, /* of the entities; without a member */
    SETT_ABM_SUM,
    SETT_ABM_MEAN, /* NaN of none */
    SETT_ABM_MIN,  /* NaN of none */
    SETT_ABM_MAX,  /* NaN of none */
} sett_abm_reduce;

/* A column of a table: the entities of a query, or a function. */
typedef struct sett_abm_column {
    const char* name; /* NULL ends a list */
    sett_abm_reduce reduce;
    const char* query;  /* as of sett_query_parse (sett/search.h): "Sheep, !Frozen" */
    const char* member; /* of a component of each of them: "Energy.value" (sett/members.h) */
    double (*value)(sett_world* world, void* data); /* in place of a query */
} sett_abm_column;

typedef struct sett_abm_parameter {
    const char* name; /* NULL ends a list */
    double value;     /* if none is given */
} sett_abm_parameter;

/* A table: rows of a step and the columns. */
typedef struct sett_abm_table sett_abm_table;

/* Creates a table. sett_abm_table_destroy frees it, before its world ends.
 *   columns  up to SETT_ABM_COLUMNS, ended by a name of NULL
 *   data     passed to the functions of columns
 * Returns NULL on failure. Fails: ARGUMENT (the message names the column), as sett_query_parse,
 * OUT_OF_MEMORY.
 * Threads: writer. Since: 0.2 */
sett_abm_table* sett_abm_table_create(sett_world* world, const sett_abm_column* columns,
                                      void* data);

/* Frees a table. NULL is fine. Threads: writer. Since: 0.2 */
void sett_abm_table_destroy(sett_abm_table* table);

/* Computes the columns now, and adds them as a row. Sums are made in the order of the query.
 * Fails: OUT_OF_MEMORY. Cost: as a loop for each column. Threads: writer. Since: 0.2 */
sett_status sett_abm_table_collect(sett_abm_table* table, uint64_t step);

/* Return the number of rows, and a value: column 0 is the first after the step. NaN if there is no
 * such row or column. Threads: reader. Since: 0.2 */
uint32_t sett_abm_table_rows(const sett_abm_table* table);
double sett_abm_table_value(const sett_abm_table* table, uint32_t row, uint32_t column);

/* Writes a table: as an array of numpy if the path ends in ".npy", with a field for each column,
 * else as CSV. Numbers in CSV have 17 digits.
 *   head  a line that says where it comes from: a comment in CSV, and in the head of .npy, which
 *         numpy skips and `head -1` shows; NULL: only the version of Sett
 * Fails: FILE (sett_world_message names the path). Threads: writer. Since: 0.2 */
sett_status sett_abm_table_write(sett_abm_table* table, const char* path, const char* head);

/* ------------------------------------------------------------------------------------- pictures */

/* Entities of a query in a colour, over those of earlier layers. */
typedef struct sett_abm_layer {
    const char* query;
    uint32_t colour; /* 0xRRGGBB */
    uint32_t dot;    /* edge in pixels; default: of a unit of the model, at least 1 */
} sett_abm_layer;

typedef struct sett_abm_picture {
    const char* x; /* members with the coordinates: "Position.x" */
    const char* y; /* upwards */
    double origin[2];
    double size[2];
    uint32_t width; /* pixels; default: 512 */
    uint32_t background;
    sett_abm_layer layers[8]; /* ended by a query of NULL */
} sett_abm_picture;

/* Writes a picture as PNG, or as PPM where the add-on was built without libpng: then the path ends
 * in ".ppm" instead.
 * Fails: ARGUMENT, as sett_query_parse, OUT_OF_MEMORY, FILE.
 * Threads: writer. Since: 0.2 */
sett_status sett_abm_picture_write(sett_world* world, const sett_abm_picture* picture,
                                   const char* path);

/* ------------------------------------------------------------------------------ models and runs */

#define SETT_ABM_KEYS_ 16 /* uses of random numbers whose keys are at hand */

/* A run of a model, to read. */
typedef struct sett_abm {
    sett_world* world;
    uint64_t seed;
    uint64_t step; /* from 0 on */
    double parameters[SETT_ABM_PARAMETERS];
    void* data;                    /* `data_size` bytes, zeroes at first, beside the world */
    void* user;                    /* the model's */
    uint64_t key_[SETT_ABM_KEYS_]; /* sett_random_key of seed, step and each use */
} sett_abm;

/* Random numbers of an agent in this step, by sett_random: 64 bits, a number from 0 to below
 * `limit`, one from 0 to below 1.
 *   use  what it is for: two numbers of an agent in one step need different ones
 * Threads: any. Since: 0.2 */
static inline uint64_t sett_abm_bits(const sett_abm* run, sett_entity entity, uint32_t use)
{
    return use < SETT_ABM_KEYS_ ? sett_random_of(run->key_[use], entity)
                                : sett_random(run->seed, entity, run->step, use);
}

static inline uint32_t sett_abm_range(const sett_abm* run, sett_entity entity, uint32_t use,
                                      uint32_t limit)
{
    return sett_random_range(sett_abm_bits(run, entity, use), limit);
}

static inline double sett_abm_uniform(const sett_abm* run, sett_entity entity, uint32_t use)
{
    return sett_random_uniform(sett_abm_bits(run, entity, use));
}

typedef struct sett_abm_model {
    const char* name;
    const char* version; /* of the model, for heads; default: none */
    uint64_t steps;
    size_t data_size;
    sett_abm_parameter parameters[SETT_ABM_PARAMETERS];
    sett_abm_column columns[SETT_ABM_COLUMNS];
    const sett_abm_picture* picture; /* default: none */
    /* Registers types and creates the agents of step 0. Returns false if it cannot. Required */
    bool (*begin)(sett_abm* run);
    void (*step)(sett_abm* run); /* required */
    void (*end)(sett_abm* run);  /* before the world ends; default: nothing */
    void* user;
} sett_abm_model;

/* What a run ends with. */
typedef struct sett_abm_result {
    uint64_t seed;
    uint64_t hash; /* sett_world_hash at the end */
    double parameters[SETT_ABM_PARAMETERS];
    double values[SETT_ABM_COLUMNS]; /* of the columns at the end */
} sett_abm_result;

typedef struct sett_abm_options {
    const char* table;      /* a file for sett_abm_table_write; default: none */
    uint64_t collect_every; /* steps between rows, beside the first and the last; default: 1 */
    const char* pictures;   /* paths of pictures, with one %u or %06u for the step; default: none */
    uint64_t picture_every; /* steps between pictures; default: 1 */
    bool progress;          /* a line on stderr, each second, with the time left; default: no */
} sett_abm_options;

/* Runs a model once, in a world of its own.
 *   parameters  one for each of the model's; NULL: their values
 *   options     can be NULL
 *   result      can be NULL
 * Fails: ARGUMENT, INVALID (`begin` returned false, or nothing is in the world to hash), FILE,
 * OUT_OF_MEMORY.
 * Threads: any. Since: 0.2 */
sett_status sett_abm_run(const sett_abm_model* model, uint64_t seed, const double* parameters,
                         const sett_abm_options* options, sett_abm_result* result);

/* The values of a parameter that a scan tries. */
typedef struct sett_abm_axis {
    const char* parameter; /* NULL ends a list */
    const double* values;
    uint32_t count;
} sett_abm_axis;

typedef struct sett_abm_scan_desc {
    uint64_t first_seed;
    uint32_t seeds;                          /* runs of each set of parameters; default: 1 */
    sett_abm_axis axes[SETT_ABM_PARAMETERS]; /* all combinations; default: none */
    uint32_t threads;                        /* worlds at once; 0: one for each processor */
    /* A file of results, CSV with the model, its version, steps and parameters in its head. Each
     * run adds its line when it ends, and a scan that is started again with the same file goes on
     * behind the runs that are in it. At the end the lines are in order. A line has a check sum:
     * one that is damaged or cut off is run again. Default: none */
    const char* path;
    bool progress;            /* a line on stderr, each second, with the time left; default: no */
    bool (*stop)(void* user); /* called after each run; true ends the scan early. Default: none */
    void* user;
} sett_abm_scan_desc;

/* Runs a model with many seeds and parameters, each in a world of its own, on threads. Results do
 * not depend on the threads.
 *   results  receives them, for each set of parameters all seeds; the last axis varies first. Its
 *            room is the product of the counts. Can be NULL
 * Returns OK if all runs ended well; REJECTED if `stop` ended it.
 * Fails: ARGUMENT (the model; an axis of no parameter), CONFLICT (the file is of another model or
 * other parameters), INVALID (as sett_abm_run), FILE, OUT_OF_MEMORY. stderr says why.
 * Cost: memory of a world for each thread, and 300 bytes a run.
 * Threads: any. Since: 0.2 */
sett_status sett_abm_scan(const sett_abm_model* model, const sett_abm_scan_desc* desc,
                          sett_abm_result* results);

/* ------------------------------------------------------------------------------- command lines */

/* The main function of a program that is a model:
 *
 *     --seed 1            the seed, or the first one
 *     --seeds 1000        a scan: so many seeds; prints the means of the columns
 *     --set infect=0.1    a parameter; in a scan several values: infect=0.1,0.2
 *     --threads 2         of a scan; 0, the default: one for each processor
 *     --file scan.csv     the results of a scan; it goes on where the file ends
 *     --table sir.csv     a row of data each --every 10 steps, as CSV or .npy
 *     --pictures p%06u.png  a picture each --every 10 steps
 *     --quiet             no progress on stderr
 *
 * Prints the columns at the end, and the hash. Returns the status for `main` to return: 0 if all
 * went well; 2, with a list of options and parameters, if it does not know one.
 * Threads: any. Since: 0.2 */
int sett_abm_main(const sett_abm_model* model, int argc, char** argv);

/* Such a main function. */
#define SETT_ABM_MAIN(model)                                                                       \
    int main(int argc, char** argv)                                                                \
    {                                                                                              \
        return sett_abm_main(&(model), argc, argv);                                                \
    }

#ifdef __cplusplus
}
#endif

#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#endif

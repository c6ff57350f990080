/* query.h: a prepared query, and the plan of a loop over it. */
#ifndef SETTI_QUERY_H
#define SETTI_QUERY_H

#include "base/arena.h"
#include "base/atomic.h"
#include "store/gather.h"
#include "world/term.h"
#include "world/world.h"

/* The source of a gathered value, by row of the step: its place in the storage, noted when the row
 * is tested; its address once the row is handed out. */
typedef union setti_source {
    uint32_t place;
    unsigned char* address;
} setti_source;

typedef struct setti_term {
    setti_type* type;
    sett_term_kind kind;
    sett_access access;
    bool has_field;   /* its type has bytes, and the term reads or writes them */
    uint32_t values;  /* offset in the scratch of the gathered values, */
    uint32_t sources; /* offset of their sources */
} setti_term;

/* A term about another entity: elsewhere.c. */
typedef struct setti_elsewhere {
    setti_type* type;
    sett_term given; /* `along`: the hierarchy need not be registered yet */
} setti_elsewhere;

/* The iteration that a plan uses. */
typedef enum setti_way {
    SETTI_WAY_CHOSEN,   /* the cheapest, by plan.c */
    SETTI_WAY_ARRANGED, /* the rows of an owning group */
    SETTI_WAY_SPARSE,   /* the rows of a sparse set */
    SETTI_WAY_PAGES
} setti_way;

/* The batches that a query remembers, one for each step over pages. A batch is valid while the same
 * rows match. See rows.c. */
typedef struct setti_lists {
    unsigned char* step; /* by step a setti_listed of `size` bytes; NULL: none are remembered */
    uint32_t steps;
    uint32_t size;
    uint32_t room;   /* rows of a list */
    uint32_t unit;   /* rows of a step */
    uint32_t shift;  /* the same, as a shift */
    uint32_t due;    /* loops until the decision what to remember is made again */
    uint32_t rarest; /* of the query's arrays: the one with the fewest values */
    bool few;        /* by the counts, few rows of a word match */
    bool rare;       /* by the counts, fewer rows match than there are steps */
    bool recalls;    /* loops use this: something is remembered, or it is rare */
    bool known;      /* it was worked out at least once */
} setti_lists;

struct sett_query {
    setti_open_loop open; /* first: what the world knows of it while loops over it are open */
    sett_world* world;
    sett_query* next; /* of the world's queries */
    sett_query* previous;
    setti_query_use use[SETTI_USES];
    setti_tally nested;         /* loops that systems opened by sett_context_query: sampled */
    setti_relayout_use grouped; /* a group of the types in this query */
    bool wanted;                /* its types are being converted for the group */
    bool expected;              /* memory is touched in case that they will be */
    bool owned;                 /* owned by a system, which destroys it */
    size_t size;                /* bytes of this, with its name */
    uint32_t term_count;
    uint64_t since; /* `changed` terms match what was written later */

    /* Sets of terms, bit k for term k. */
    uint32_t required;
    uint32_t without;
    uint32_t optional; /* a batch has it for all of its rows or for none: OPTIONAL and ANY */
    uint32_t any;
    uint32_t changed;
    uint32_t fields;  /* terms with has_field */
    uint32_t written; /* of these, terms that may be written */
    uint32_t drives;  /* the term that the description says drives, if any */

    /* Computed again when listeners or kinds of storage change; see plan.c. */
    uint32_t positional;    /* in arrays, or tags */
    uint32_t array_rows;    /* rows of a step over pages: the fewest a page among its arrays */
    uint32_t version;       /* of the world's listeners at that time */
    uint32_t version_short; /* the same if `simple` and `direct`, else no version that comes */
    setti_listener* cover;  /* a group whose conditions the query includes, or NULL */
    uint32_t covered;       /* terms that the cover makes true */
    uint32_t arranged;      /* terms that the cover owns */
    setti_way forced;       /* for measurements and tests, which need every way */

    /* A step over pages: first all of `array` at once, word by word, then `filter` term by
     * term. */
    const setti_storage* array[SETT_QUERY_TERMS + 1];
    uint32_t array_count;
    uint32_t filter;
    bool since_is_state; /* restored with the rest: then only writes count as changes */
    bool simple;         /* there is nothing to choose: pages, whatever the counts */
    bool plain;          /* over pages: nothing but `array` decides */
    bool direct;         /* over pages: plain, with an array, nothing gathered */
    /* Tags that hide entities, and that no term names: those of the world, and of required types
     * that are switched off. A loop tests them if any entity has one. */
    setti_term hidden[SETTI_HIDDEN + SETT_QUERY_TERMS];
    uint32_t hidden_count;
    uint32_t scratch_size;  /* bytes, if every field were gathered */
    uint32_t scratch_align; /* alignment of the scratch */
    setti_lists lists;
    setti_term term[SETT_QUERY_TERMS];
    setti_elsewhere elsewhere[SETT_QUERY_ELSEWHERE]; /* numbered from term_count on */
    uint32_t elsewhere_count;
};

enum {
    SETTI_SLOT_QUERIES = 6
};

/* The first of the world's, the latest; NULL: there are none. */
SETTI_INLINE sett_query* setti_query_first(const sett_world* world)
{
    return world->module[SETTI_SLOT_QUERIES];
}

/* The plan of a loop. */
typedef struct setti_plan {
    uint32_t driver;   /* the term whose sparse set drives; SETT_QUERY_TERMS: pages */
    uint32_t in_place; /* terms whose rows lie as the batch's rows do */
    uint32_t residual; /* over a sparse-set driver: terms to be tested for each row */
    uint32_t limit;    /* rows of the driver, or indices, to look at */
} setti_plan;

/* What a batch's `internal` holds. What a loop begins with lies side by side where it is zero, and
 * where it comes from the query. */
typedef struct setti_loop {
    sett_query* query;
    void* open;                    /* where the loop is counted as open; NULL: it was closed */
    setti_gather_scratch* scratch; /* gathered fields, if there are any */
    const uint32_t* step_indices;  /* entity indices of the step's rows, over a sparse-set driver */
    uint32_t driver;   /* the term whose sparse set drives; SETT_QUERY_TERMS: pages do */
    uint32_t nested;   /* bit k: a loop around this one may have copies of the k-th term's values */
    uint32_t some;     /* bit k: word k still has bits; 0: take the next step */
    uint32_t cursor;   /* where the next step begins */
    uint32_t in_place; /* bit k: rows of the k-th term lie as the batch's rows do: in this step */
    uint32_t unit;     /* rows looked at in one step */
    uint32_t ordered;  /* in_place of every step, over a sparse-set driver */
    uint32_t residual; /* bit k: the k-th term is to be tested, over a sparse-set driver */
    uint32_t unit_base;   /* the first row of the step */
    uint32_t limit;       /* where the last one ends */
    uint32_t word_count;  /* words of the step */
    uint32_t scratch_row; /* the row of the step that is the batch's row 0 */
    uint32_t closed;      /* of `open` when the loop began: it is over when that has changed */
    bool full;            /* direct, and every row matches */
    bool direct;          /* plain, over pages, nothing gathered, nothing recorded */
    bool plain;           /* nothing but required terms that are positional */
    bool arranged;  /* direct over the rows of sparse sets that lie in one order, without gaps */
    bool dense;     /* the last step was, or there was none */
    bool remembers; /* steps are looked up in the query's lists, and noted there */
    bool rare;      /* direct, and only words in which the rarest array has values are looked at */
    bool unlisted;  /* the step at the cursor cannot be remembered */
    bool sifts;     /* `sieve` is all that decides */
    const struct setti_listed* ahead; /* what is remembered of that step, if it was looked up */
    /* While it remembers: the arrays that not all entities have, if these are one or two, or one
     * of any; else the first and the last. */
    const setti_storage* sieve[2];
    /* rows of the step that match and were not handed out yet; behind them a word that is 0 */
    uint64_t words[SETT_BATCH_ROWS / 64 + 1];
    uint16_t list[SETT_BATCH_ROWS + 12]; /* what the batch's `rows` points to */
} setti_loop;

SETTI_INLINE setti_loop* setti_loop_of(const sett_batch* batch)
{
    _Static_assert(sizeof(setti_loop) <= SETT_BATCH_INTERNAL_, "a loop must fit into its batch");
    return (setti_loop*)setti_unconst(batch->internal.bytes_);
}

/* The loops of one job of a system, which runs beside other jobs: the world does not count them. */
typedef struct setti_job_loops {
    setti_open_loop opened; /* first; its count stays 0, `scratches` are those of the job */
    setti_arena scratch;
    uint32_t gathering; /* loops with gathered fields that were not ended */
    bool failed;        /* a loop found no memory for its scratch */
} setti_job_loops;

/* At most so many chunks are surveyed before the rows of a loop are divided among jobs: enough for
 * jobs of nearly equal length, few enough to be surveyed in about a microsecond. */
#define SETTI_SURVEY_CHUNKS 256

/* Where a loop that begins now may find entities: of entity indices, or of rows of what drives. */
typedef struct setti_survey {
    uint32_t rows;                           /* of a chunk: a multiple of SETT_BATCH_ROWS */
    uint32_t count;                          /* of chunks */
    uint32_t filled;                         /* chunks that may hold a match */
    uint32_t scattered;                      /* terms whose values it gathers, and writes back */
    uint64_t bits[SETTI_SURVEY_CHUNKS / 64]; /* which are filled */
} setti_survey;

/* Fills in a survey. It depends on the components of entities, not on which pages exist. Reads
 * only, if plans are up to date. */
void setti_query_survey(sett_query* query, setti_survey* survey);

/* The row of such a loop in which it finds an entity that matches; SETTI_NONE: it does not. */
uint32_t setti_query_row(sett_query* query, sett_entity entity);

/* Like sett_query_begin, for a loop of one job over rows `from` to `to` - 1. `from` is a multiple
 * of SETT_BATCH_ROWS: no page of rows then lies in two ranges. Plans are up to date. It writes to
 * its arguments alone; with `remembers` also to what the query remembers of these rows, which no
 * other loop visits at the same time. */
sett_batch* setti_query_begin_job(sett_query* query, sett_batch* batch, setti_job_loops* job,
                                  uint32_t from, uint32_t to, bool remembers);

/* Call on one thread before loops that may use remembered steps: now and then it decides again how
 * much to remember. */
void setti_lists_update(sett_query* query);

SETTI_INLINE void setti_lists_prepare(sett_query* query)
{
    if (SETTI_UNLIKELY(--query->lists.due == 0)) {
        setti_lists_update(query);
    }
}

/* Forgets all remembered steps. */
void setti_lists_free(sett_query* query);

/* Checks the remembered steps. Returns NULL or the error. */
const char* setti_lists_validate(const sett_query* query);

/* Frees a query, over which no loop is open. */
void setti_query_free(sett_query* query);

/* Closes the loops that the job has left open. */
void setti_query_close_job(setti_job_loops* job);

/* Computes the parts that depend on the listeners again, if these have changed. */
void setti_plan_update(sett_query* query);

/* The required terms whose rows seem to lie in the order of a sparse-set term's rows. */
uint32_t setti_plan_terms_in_order(const sett_query* query, uint32_t driver);

/* Whether some entity has a tag that hides it from the query. */
SETTI_INLINE bool setti_plan_hides(const sett_query* query)
{
    bool hides = false;
    for (uint32_t k = 0; k < query->hidden_count; k++) {
        hides |= query->hidden[k].type->storage.count != 0;
    }
    return hides;
}

/* Reports a query that matches none of the instances that share a type with their prefab, because
 * only prefabs have it. For debug builds. */
void setti_query_check_shared(const sett_query* query);

/* Over pages: the smallest extent of the intersected arrays. */
SETTI_INLINE uint32_t setti_plan_limit(const sett_query* query)
{
    uint32_t limit = UINT32_MAX;
    for (uint32_t k = 0; k < query->array_count; k++) {
        limit = SETTI_MIN(limit, query->array[k]->extent);
    }
    return query->array_count != 0 ? limit : setti_entity_capacity(&query->world->entities);
}

/* Checks where a term about another entity leads: NULL or the error. */
const char* setti_elsewhere_check(const sett_world* world, const sett_term* term);

void setti_elsewhere_add(sett_query* query, const sett_term* given);

/* Whether all terms about other entities are true for an entity; the second keeps the rows of a
 * step for which they are. */
bool setti_elsewhere_is(const sett_query* query, uint32_t index);
void setti_elsewhere_match(sett_batch* batch);

/* Whether the terms of singletons and of fixed entities hold, which are equal for all rows. */
bool setti_elsewhere_holds(const sett_query* query);

/* Whether there are no other terms. */
bool setti_elsewhere_is_all(const sett_query* query);

/* The plan of a loop that begins now: a function of the state of the world and nothing else. */
void setti_plan_make(const sett_query* query, setti_plan* plan);

#endif

/* query.h: a prepared query, and the plan of a loop over it. */
#ifndef SETTI_QUERY_H
#define SETTI_QUERY_H

#include "base/arena.h"
#include "base/atomic.h"
#include "store/gather.h"
#include "world/term.h"
#include "world/world.h"

/* Where a gathered value comes from, by row of the step: the place in the storage, which testing
 * the row finds; then the address, once the row is in a batch. */
typedef union setti_source {
    uint32_t place;
    unsigned char* address;
} setti_source;

typedef struct setti_term {
    setti_type* type;
    sett_term_kind kind;
    sett_access access;
    bool has_field;   /* the term reads or writes values */
    uint32_t values;  /* offset of the term's gathered values in the scratch */
    uint32_t sources; /* offset of their setti_source in the scratch */
} setti_term;

/* A term about another entity than the visited one: elsewhere.c. */
typedef struct setti_elsewhere {
    setti_type* type;
    sett_term given; /* the type `along` is looked up by id: it may be registered later */
} setti_elsewhere;

/* What a loop walks over. */
typedef enum setti_way {
    SETTI_WAY_CHOSEN,   /* plan.c chooses */
    SETTI_WAY_ARRANGED, /* the rows of an owning group */
    SETTI_WAY_SPARSE,   /* the rows of a sparse set */
    SETTI_WAY_PAGES     /* entity indices, by the occupancy words of arrays */
} setti_way;

/* The batches that a query remembers, one for each step over pages; see rows.c. */
typedef struct setti_lists {
    unsigned char* step; /* one setti_listed of `size` bytes for each step; NULL: none */
    uint32_t steps;
    uint32_t size;
    uint32_t room;   /* rows in a list */
    uint32_t unit;   /* rows in a step */
    uint32_t shift;  /* log2(unit) */
    uint32_t due;    /* loops until setti_lists_update is called */
    uint32_t rarest; /* the index, in `array` of the query, of the array with the fewest values */
    bool few;        /* few rows of a word are expected to match */
    bool rare;       /* fewer rows are expected to match than there are steps */
    bool recalls;    /* loops use this struct: steps are remembered, or it is `rare` */
    bool known;      /* setti_lists_update was called at least once */
} setti_lists;

struct sett_query {
    setti_open_loop open; /* first: what the world knows of the query's open loops */
    sett_world* world;
    sett_query* next; /* list of the world's queries */
    sett_query* previous;
    setti_query_use use[SETTI_USES]; /* counted for advice and layouts */
    setti_tally nested;              /* sampled loops that systems opened by sett_context_query */
    setti_relayout_use grouped;      /* what a group of this query's types would save */
    bool wanted;   /* sett_layout_auto converts the query's types for that group */
    bool expected; /* memory is touched in advance, because its types may be converted */
    bool owned;    /* owned by a system, which destroys it */
    size_t size;   /* bytes of this struct and its name */
    uint32_t term_count;
    uint64_t since; /* `changed` terms match values written later than this tick */

    /* Sets of terms, bit k for term k. */
    uint32_t required;
    uint32_t without;
    uint32_t optional; /* SETT_OPTIONAL and SETT_ANY: all rows of a batch have the type, or none */
    uint32_t any;      /* SETT_ANY */
    uint32_t changed;  /* terms with `changed` */
    uint32_t fields;   /* terms with has_field */
    uint32_t written;  /* terms with has_field that may be written */
    uint32_t drives;   /* the term with `drives`, if there is one */

    /* Computed by plan.c when listeners or kinds of storage have changed. */
    uint32_t positional; /* terms of arrays and tags */
    uint32_t array_rows; /* rows of a step over pages: the fewest rows of a page among its arrays */
    uint32_t version;    /* the world's listener_version at that time */
    /* equals `version` if the query is `simple` and `direct`; else it differs, so that the fast
     * path of sett_query_begin is not taken */
    uint32_t version_short;
    setti_listener* cover; /* a group whose conditions are all among the query's, or NULL */
    uint32_t covered;      /* terms that are true for all members of the cover */
    uint32_t arranged;     /* terms whose types the cover owns */
    setti_way forced;      /* for measurements and tests: the way that loops take */

    /* A step over pages intersects the words of all `array`, then tests the terms of `filter`. */
    const setti_storage* array[SETT_QUERY_TERMS + 1];
    uint32_t array_count;
    uint32_t filter;
    bool since_is_state; /* `since` is restored with the state: restored values are no changes */
    bool simple;         /* pages are the only way, whatever the counts */
    bool plain;          /* over pages, `array` alone decides which rows match */
    bool direct;         /* plain, with an array, and nothing is gathered over pages */
    /* Tags that hide entities, as terms: those of the world that no term of the query has, and the
     * `off` tags of required types. A loop tests a tag if an entity has it. */
    setti_term hidden[SETTI_HIDDEN + SETT_QUERY_TERMS];
    uint32_t hidden_count;
    uint32_t scratch_size;  /* bytes of the scratch of a loop that gathers */
    uint32_t scratch_align; /* its alignment */
    setti_lists lists;
    setti_term term[SETT_QUERY_TERMS];
    setti_elsewhere elsewhere[SETT_QUERY_ELSEWHERE]; /* numbered from term_count on */
    uint32_t elsewhere_count;
};

enum {
    SETTI_SLOT_QUERIES = 6
};

/* The world's latest query; NULL: none. */
SETTI_INLINE sett_query* setti_query_first(const sett_world* world)
{
    return world->module[SETTI_SLOT_QUERIES];
}

/* A loop over a copy of a set of terms: SETTI_EACH_TERM(k, query->required) { ... } */
#define SETTI_EACH_TERM(k, terms)                                                                  \
    for (uint32_t k##_left = (terms), k = 0;                                                       \
         k##_left != 0 && (k = setti_bits_lowest(k##_left), true); k##_left &= k##_left - 1)

/* The plan of a loop. */
typedef struct setti_plan {
    uint32_t driver;   /* the term whose sparse set drives; SETTI_NO_DRIVER: pages */
    uint32_t in_place; /* terms whose rows lie in the batch's order */
    uint32_t residual; /* with a driver: terms to test for each row */
    uint32_t limit;    /* rows of the driver, or indices, to visit */
} setti_plan;

/* The `driver` of a plan or loop over pages. */
#define SETTI_NO_DRIVER SETT_QUERY_TERMS

/* The state of a loop: a batch's `internal`. Members that begin as zero are neighbours, as are
 * those copied from the query. */
typedef struct setti_loop {
    sett_query* query;
    void* open; /* the setti_open_loop in which it is counted; NULL: it was closed */
    setti_gather_scratch* scratch; /* NULL: nothing is gathered */
    const uint32_t* step_indices;  /* with a driver: entity indices of the step's rows */
    uint32_t driver;               /* the term whose sparse set drives; SETTI_NO_DRIVER: pages */
    uint32_t nested;      /* bit k: a loop around this one may have copies of term k's values */
    uint32_t some;        /* bit k: word k still has bits; 0: take the next step */
    uint32_t cursor;      /* where the next step begins */
    uint32_t in_place;    /* bit k: in this step, rows of term k lie in the batch's order */
    uint32_t unit;        /* rows of one step */
    uint32_t ordered;     /* with a driver: the `in_place` that all steps have */
    uint32_t residual;    /* with a driver, bit k: term k is tested for each row */
    uint32_t unit_base;   /* the first row of the step */
    uint32_t limit;       /* where the last step ends */
    uint32_t word_count;  /* words of the step */
    uint32_t scratch_row; /* the row of the step that is the batch's row 0 */
    uint32_t closed;      /* open->closed when the loop began; if that grew, the loop was closed */
    bool full;            /* direct, and every row matches */
    bool direct;          /* plain, over pages, and nothing is gathered */
    bool plain;           /* all terms are required and positional */
    bool arranged;        /* direct, over the rows of sparse sets in one order, without gaps */
    bool dense;           /* the last step was dense, or there was none */
    bool remembers;       /* steps are looked up in the query's lists, and stored there */
    bool rare;            /* direct, and only words with values of the rarest array are read */
    bool unlisted;        /* the step at the cursor cannot be remembered */
    bool sifts;           /* the arrays in `sieve` alone decide which rows match */
    const struct setti_listed* ahead; /* the remembered step at the cursor, once it was looked up */
    /* While steps are remembered: the two arrays that some entities lack; if there is one, it is in
     * both places; if there are more, the first and the last array. */
    const setti_storage* sieve[2];
    /* Rows of the step that match and are not handed out yet; a word of 0 follows. */
    uint64_t words[SETT_BATCH_ROWS / 64 + 1];
    uint16_t list[SETT_BATCH_ROWS + 12]; /* what the batch's `rows` points to */
} setti_loop;

SETTI_INLINE setti_loop* setti_loop_of(const sett_batch* batch)
{
    _Static_assert(sizeof(setti_loop) <= SETT_BATCH_INTERNAL_, "a loop must fit into its batch");
    return (setti_loop*)setti_unconst(batch->internal.bytes_);
}

/* The open loops of one job of a system. The world does not count them: jobs run side by side. */
typedef struct setti_job_loops {
    setti_open_loop opened; /* first; its count stays 0, its `scratches` are the job's */
    setti_arena scratch;
    uint32_t gathering; /* open loops that gather */
    bool failed;        /* a loop found no memory for its scratch */
} setti_job_loops;

/* At most so many chunks are surveyed before the rows of a loop are divided among jobs: enough for
 * jobs of nearly equal length, few enough for about a microsecond. */
#define SETTI_SURVEY_CHUNKS 256

/* In which chunks of indices, or of a driver's rows, a loop that begins now may find matches. */
typedef struct setti_survey {
    uint32_t rows;                           /* rows of a chunk: a multiple of SETT_BATCH_ROWS */
    uint32_t count;                          /* chunks */
    uint32_t filled;                         /* chunks that may hold a match */
    uint32_t scattered;                      /* terms whose values are gathered and written back */
    uint64_t bits[SETTI_SURVEY_CHUNKS / 64]; /* the filled chunks */
} setti_survey;

/* Makes a survey. It depends on the components of entities, not on which pages exist. Writes
 * nothing to the world if plans are up to date. */
void setti_query_survey(sett_query* query, setti_survey* survey);

/* The row in which a loop would find the entity; SETTI_NONE: it does not match. */
uint32_t setti_query_row(sett_query* query, sett_entity entity);

/* The values of `remembers` below. */
#define SETTI_REMEMBERS_STEPS true
#define SETTI_REMEMBERS_NOTHING false

/* Like sett_query_begin, for one job, over rows [from, to). `from` is a multiple of
 * SETT_BATCH_ROWS: so no page of rows is in two ranges. Plans must be up to date. It writes only to
 * its arguments, and, with SETTI_REMEMBERS_STEPS, to the query's remembered steps of these rows. */
sett_batch* setti_query_begin_job(sett_query* query, sett_batch* batch, setti_job_loops* job,
                                  uint32_t from, uint32_t to, bool remembers);

/* Decides how much a query remembers. */
void setti_lists_update(sett_query* query);

/* Calls setti_lists_update now and then. Call it, on one thread, before loops with such steps. */
SETTI_INLINE void setti_lists_prepare(sett_query* query)
{
    if (SETTI_UNLIKELY(--query->lists.due == 0)) {
        setti_lists_update(query);
    }
}

/* Frees the remembered steps. */
void setti_lists_free(sett_query* query);

/* Checks the remembered steps. Returns NULL or the error. */
const char* setti_lists_validate(const sett_query* query);

void setti_query_free(sett_query* query);

/* Closes the loops that the job has left open. */
void setti_query_close_job(setti_job_loops* job);

/* Updates what the query has computed from the world's listeners and storages. */
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

/* Whether an entity has a tag that hides it from the query. */
SETTI_INLINE bool setti_query_is_hidden(const sett_query* query, uint32_t index)
{
    bool hidden = false;
    for (uint32_t k = 0; k < query->hidden_count && !hidden; k++) {
        hidden = setti_storage_has(&query->hidden[k].type->storage, index);
    }
    return hidden;
}

/* In debug builds: reports a query without an instance, because instances share a required type. */
void setti_query_check_shared(const sett_query* query);

/* The limit of a loop over pages: the smallest extent of the intersected arrays. */
SETTI_INLINE uint32_t setti_plan_limit(const sett_query* query)
{
    uint32_t limit = UINT32_MAX;
    for (uint32_t k = 0; k < query->array_count; k++) {
        limit = SETTI_MIN(limit, query->array[k]->extent);
    }
    return query->array_count != 0 ? limit : setti_entity_capacity(&query->world->entities);
}

/* NULL, or what is wrong with a term about another entity. */
const char* setti_elsewhere_check(const sett_world* world, const sett_term* term);

/* Adds a term about another entity to a query. */
void setti_elsewhere_add(sett_query* query, const sett_term* given);

/* Whether all terms about other entities are true for a visited entity. */
bool setti_elsewhere_is(const sett_query* query, uint32_t index);

/* Reduces the rows of a step to those for which all terms about other entities are true. */
void setti_elsewhere_match(sett_batch* batch);

/* Whether all terms about singletons and fixed entities are true; they do not depend on the row. */
bool setti_elsewhere_holds(const sett_query* query);

/* Whether all terms of the query are about singletons or fixed entities. */
bool setti_elsewhere_is_all(const sett_query* query);

/* Makes the plan of a loop that begins now. It depends on the world's state alone. */
void setti_plan_make(const sett_query* query, setti_plan* plan);

#endif

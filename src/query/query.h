/* query.h: a prepared query, and the plan of a loop over it. */
#ifndef SETTI_QUERY_H
#define SETTI_QUERY_H

#include "base/arena.h"
#include "base/atomic.h"
#include "store/gather.h"
#include "world/term.h"
#include "world/world.h"

/* Where the value of a row is gathered from. First this is the value's place in the storage. When
 * the value is copied, `address` replaces `place`. */
typedef union setti_source {
    uint32_t place;
    unsigned char* address;
} setti_source;

typedef struct setti_term {
    setti_type* type;
    sett_term_kind kind;
    sett_access access;
    bool has_field;         /* the term reads or writes values */
    uint32_t copies_offset; /* if gathered: offset in the scratch of an array of copied values */
    uint32_t
        sources_offset; /* if gathered: offset in the scratch of a setti_source for each copy */
} setti_term;

/* A term about another entity than the visited entity (elsewhere.c). */
typedef struct setti_elsewhere {
    setti_type* type;
    sett_term given; /* as the program gave it; the type given.along may be registered later */
} setti_elsewhere;

/* Which rows a loop visits. */
typedef enum setti_way {
    SETTI_WAY_CHOSEN,   /* plan.c chooses */
    SETTI_WAY_ARRANGED, /* the rows of an owning group */
    SETTI_WAY_SPARSE,   /* the rows of a sparse set */
    SETTI_WAY_PAGES     /* entity indices, by the occupancy words of arrays */
} setti_way;

/* The batches that a query remembers; see rows.c. */
typedef struct setti_lists {
    unsigned char* step; /* array: a setti_listed of `step_size` bytes for each step, or NULL */
    uint32_t steps;      /* number of remembered steps */
    uint32_t step_size;  /* bytes of a remembered step */
    uint32_t room;       /* rows that a list can hold */
    uint32_t step_rows;  /* rows of a step */
    uint32_t shift;      /* log2(step_rows) */
    uint32_t due;        /* loops until setti_lists_update is called */
    uint32_t rarest;     /* index in sett_query.array of the array with the fewest values */
    bool few;            /* at most one row in 16 is expected to match */
    bool rare;           /* at most one row in two steps is expected to match */
    bool recalls;        /* steps are remembered, or `rare` is set */
    bool decided;        /* setti_lists_update was called at least once */
} setti_lists;

struct sett_query {
    setti_open_loop open; /* counts the open loops over the query; must be the first member */
    sett_world* world;
    sett_query* next; /* list of all queries of the world */
    sett_query* previous;
    setti_query_use use[SETTI_USES]; /* counted for advice and layouts */
    setti_tally nested;              /* sampled loops that systems opened by sett_context_query */
    setti_relayout_use grouped;      /* the saving by a group that owns the types of the query */
    bool wanted;                     /* sett_layout_auto converts types for the group */
    bool expected;                   /* sett_layout_auto touches memory in advance for the group */
    bool owned;                      /* a system owns and destroys the query */
    size_t size;                     /* bytes of this struct and the name after it */
    uint32_t term_count;
    uint64_t since; /* `changed` terms match values written after this tick */

    /* Sets of terms, bit k for term k. */
    uint32_t required;
    uint32_t without;
    /* SETT_OPTIONAL and SETT_ANY: all rows of a batch have the type, or no row */
    uint32_t optional;
    uint32_t any;     /* SETT_ANY */
    uint32_t changed; /* terms with `changed` */
    uint32_t fields;  /* terms with has_field */
    uint32_t written; /* terms with a writable field */
    uint32_t drives;  /* the term with `drives`, or 0 */

    /* Computed by plan.c when listeners or kinds of storage have changed. */
    uint32_t positional; /* terms of arrays and tags */
    uint32_t array_rows; /* rows of a step over pages: the rows of the smallest page of an array */
    uint32_t version;    /* listener_version of the world when the members were computed */
    /* `version` if the query is `simple` and `direct`, else an older number */
    uint32_t version_short;
    setti_listener* cover; /* a group with no other conditions than the query, or NULL */
    uint32_t covered;      /* terms that are true for all members of the cover */
    uint32_t arranged;     /* terms of types that the cover owns */
    setti_way forced;      /* all loops take this way; only measurements and tests set it */

    /* A step over pages intersects the words of all `array`, then tests the terms of `filter`. */
    const setti_storage* array[SETT_QUERY_TERMS + 1];
    uint32_t array_count;
    uint32_t filter;
    bool since_is_state; /* `since` is restored with the state: restored values are no changes */
    bool simple;         /* loops are over pages, for any counts of values */
    bool plain;          /* over pages, a row matches if each array of `array` has the row */
    bool direct;         /* plain, with an array, and nothing is gathered over pages */
    /* Tags that hide entities, as terms. */
    setti_term hidden[SETTI_HIDDEN + SETT_QUERY_TERMS];
    uint32_t hidden_count;
    uint32_t scratch_size;  /* bytes of the scratch of a loop that gathers */
    uint32_t scratch_align; /* alignment of the scratch */
    setti_lists lists;
    setti_term term[SETT_QUERY_TERMS];
    setti_elsewhere elsewhere[SETT_QUERY_ELSEWHERE]; /* numbered from term_count on */
    uint32_t elsewhere_count;
};

enum {
    SETTI_SLOT_QUERIES = 6
};

SETTI_INLINE sett_query* setti_query_first(const sett_world* world)
{
    return world->module[SETTI_SLOT_QUERIES];
}

/* A loop over terms: SETTI_EACH_TERM(k, query->required) { ... } */
#define SETTI_EACH_TERM(k, terms)                                                                  \
    for (uint32_t k##_left = (terms), k = 0;                                                       \
         k##_left != 0 && (k = setti_bits_lowest(k##_left), true); k##_left &= k##_left - 1)

typedef struct setti_plan {
    uint32_t driver;   /* the term with the driving sparse set; SETTI_NO_DRIVER: pages */
    uint32_t in_place; /* terms with rows in the order of the batch */
    uint32_t residual; /* with a driver: terms to test for each row */
    uint32_t limit;    /* how many rows of the driver, or entity indices, to visit */
} setti_plan;

/* The value of `driver` in a plan or loop over pages. */
#define SETTI_NO_DRIVER SETT_QUERY_TERMS

/* The state of a loop, in `internal` of the batch. Order matters: see batch_reset. */
typedef struct setti_loop {
    sett_query* query;
    void* open; /* the setti_open_loop that counts the loop; NULL: the loop is closed */
    setti_gather_scratch* scratch; /* NULL: nothing is gathered */
    const uint32_t* step_indices;  /* with a driver: entity indices of the rows of the step */
    uint32_t driver;      /* the term with the driving sparse set; SETTI_NO_DRIVER: pages */
    uint32_t nested;      /* bit k: an outer loop may have copies of the values of term k */
    uint32_t waiting;     /* bit k: words[k] has waiting rows; 0: the next step is due */
    uint32_t cursor;      /* the first row of the next step */
    uint32_t in_place;    /* bit k: in this step, rows of term k are in the order of the batch */
    uint32_t step_rows;   /* rows of a step */
    uint32_t ordered;     /* with a driver: terms with rows in this order in every step */
    uint32_t residual;    /* with a driver, bit k: term k is tested for each row */
    uint32_t step_base;   /* the first row of the step */
    uint32_t limit;       /* the end of the last step */
    uint32_t word_count;  /* words of the step */
    uint32_t scratch_row; /* row 0 of the batch, as a row of the step */
    uint32_t closed;      /* open->closed when the loop began; if that grows, the loop was closed */
    bool full;            /* direct, and every row matches */
    bool direct;          /* plain, over pages, and nothing is gathered */
    bool plain;           /* all terms are required and positional */
    bool arranged;        /* over sparse sets in the same order, without gaps: all rows match */
    bool dense;           /* the last step was dense, or no step was taken yet */
    bool remembers;       /* steps are looked up and stored in sett_query.lists */
    bool rare;            /* direct, and only words with values of the rarest array are read */
    bool unlisted;        /* the step at the cursor cannot be remembered */
    bool sifts;           /* a row matches if both arrays of `sieve` have it */
    const struct setti_listed* ahead; /* the remembered step at the cursor, or NULL */
    /* The arrays to compare with remembered steps. If one array decides, it stands twice. */
    const setti_storage* sieve[2];
    /* The waiting rows of the step: matches that no batch has had yet. A word of 0 follows. */
    uint64_t words[SETT_BATCH_ROWS / 64 + 1];
    /* The row numbers for `rows` of the batch. list_rows may write some numbers too many. */
    uint16_t list[SETT_BATCH_ROWS + 12];
} setti_loop;

SETTI_INLINE setti_loop* setti_loop_of(const sett_batch* batch)
{
    _Static_assert(sizeof(setti_loop) <= SETT_BATCH_INTERNAL_, "a loop must fit into its batch");
    return (setti_loop*)setti_unconst(batch->internal.bytes_);
}

/* The open loops of a job. The world does not count them. */
typedef struct setti_job_loops {
    setti_open_loop opened; /* must be the first member; opened.count is not used */
    setti_arena scratch;
    uint32_t gathering; /* open loops that gather */
    bool failed;        /* memory ran out for the scratch of a loop */
} setti_job_loops;

/* The most chunks of a survey. A survey of so many chunks takes about a microsecond. */
#define SETTI_SURVEY_CHUNKS 256

/* The rows of a loop, divided into chunks: which chunks may hold matches. */
typedef struct setti_survey {
    uint32_t rows;      /* rows of a chunk: a multiple of SETT_BATCH_ROWS */
    uint32_t count;     /* number of chunks */
    uint32_t filled;    /* number of chunks that may hold a match */
    uint32_t scattered; /* terms with values that are gathered and written back */
    uint64_t bits[SETTI_SURVEY_CHUNKS / 64]; /* the filled chunks */
} setti_survey;

/* Finds the chunks that may hold matches. */
void setti_query_survey(sett_query* query, setti_survey* survey);

/* Returns the row that an entity would have in a new loop. Returns SETTI_NONE if the entity does
 * not match. */
uint32_t setti_query_row(sett_query* query, sett_entity entity);

/* Like sett_query_begin, for a loop that begins and ends in the public function `call`. Errors name
 * `call`. */
sett_batch* setti_query_begin(sett_query* query, sett_batch* batch, const char* call);

/* Like SETT_QUERY_EACH, for a loop inside of the public function `call`. */
#define SETTI_QUERY_EACH(query, b, call)                                                           \
    SETT_LOOP_(setti_query_begin((query), &b##_batch_, (call)), b)                                 \
    while (sett_batch_more_(b))

/* The values of `remembers` below. */
#define SETTI_REMEMBERS_STEPS true
#define SETTI_REMEMBERS_NOTHING false

/* Begins a loop of a job over the rows from `first` to before `end`. The plan must be up to date.
 *   remembers  the loop may use remembered steps */
sett_batch* setti_query_begin_job(sett_query* query, sett_batch* batch, setti_job_loops* job,
                                  uint32_t first, uint32_t end, bool remembers);

/* Decides whether a query remembers steps, and allocates memory for them. */
void setti_lists_update(sett_query* query);

/* Counts a loop. Calls setti_lists_update before some loops, see LISTS_DUE. */
SETTI_INLINE void setti_lists_prepare(sett_query* query)
{
    if (SETTI_UNLIKELY(--query->lists.due == 0)) {
        setti_lists_update(query);
    }
}

void setti_lists_free(sett_query* query);

const char* setti_lists_validate(const sett_query* query);

sett_query* setti_query_create(sett_world* world, const sett_query_desc* desc, const char* call);
void setti_query_free(sett_query* query);

void setti_query_close_job(setti_job_loops* job);

/* Updates the members of a query that depend on the world. */
void setti_plan_update(sett_query* query);

/* Returns the required terms whose entities seem to be in the order of the driver. Looks at a few
 * rows only. `driver` is a term with a sparse set. */
uint32_t setti_plan_terms_in_order(const sett_query* query, uint32_t driver);

/* Whether a tag hides any entity of the world from the query. */
SETTI_INLINE bool setti_plan_hides(const sett_query* query)
{
    bool hides = false;
    for (uint32_t k = 0; k < query->hidden_count; k++) {
        hides |= query->hidden[k].type->storage.count != 0;
    }
    return hides;
}

/* Whether a tag hides the entity `index` from the query. */
SETTI_INLINE bool setti_query_is_hidden(const sett_query* query, uint32_t index)
{
    bool hidden = false;
    for (uint32_t k = 0; k < query->hidden_count && !hidden; k++) {
        hidden = setti_storage_has(&query->hidden[k].type->storage, index);
    }
    return hidden;
}

/* Reports a query that has no matches because instances share a required type. */
void setti_query_check_shared(const sett_query* query);

/* Returns the end of a loop over pages: the smallest extent of an array. A query without arrays
 * visits all entity indices. */
SETTI_INLINE uint32_t setti_plan_limit(const sett_query* query)
{
    if (query->array_count == 0) {
        return setti_entity_capacity(&query->world->entities);
    }
    uint32_t limit = UINT32_MAX;
    for (uint32_t k = 0; k < query->array_count; k++) {
        limit = SETTI_MIN(limit, query->array[k]->extent);
    }
    return limit;
}

/* Returns what is wrong with a term about another entity, or NULL if the term is valid. */
const char* setti_elsewhere_check(const sett_world* world, const sett_term* term);

void setti_elsewhere_add(sett_query* query, const sett_term* given);

/* Whether all terms about other entities are true when the entity `index` is visited. */
bool setti_elsewhere_is(const sett_query* query, uint32_t index);

/* Removes a row of the step if a term about another entity is false when the row is visited. */
void setti_elsewhere_match(sett_batch* batch);

/* Whether all terms about singletons and fixed entities are true. */
bool setti_elsewhere_holds(const sett_query* query);

/* Whether all terms of the query are about singletons or fixed entities. */
bool setti_elsewhere_is_all(const sett_query* query);

/* Makes the plan of a new loop. The plan depends only on the state of the world. */
void setti_plan_make(const sett_query* query, setti_plan* plan);

#endif

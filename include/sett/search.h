/* search.h: queries over several entities, and queries as text.
 *
 *     sett_search* search = sett_search_create(
 *         world, "Ship($s), DockedAt($s, $planet), RuledBy($planet, $faction)");
 *     SETT_SEARCH(search, rows, i) {
 *         sett_entity ship = sett_rows_entity(rows, 0, i);
 *         sett_entity planet = sett_rows_entity(rows, 1, i);
 *     }
 *
 * docs/queries.md describes the language. A search is text, or a list of terms (sett_search_desc):
 * each can be made from the other.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_SEARCH_H
#define SETT_SEARCH_H

#include "sett/core.h"

typedef struct sett_search sett_search;

/* The most variables of a search: $names, each `*`, entities named in it; and the most terms. */
#define SETT_SEARCH_VARIABLES 32
#define SETT_SEARCH_TERMS 64

/* ---------------------------------------------------------------------------- descriptors */

/* What stands in a place of a term. All zeroes is the default of that place. */
typedef struct sett_search_ref {
    /* "s" is $s. "*": each, with a result for each; "_": some, without a result of its own */
    const char* variable;
    sett_entity entity; /* a fixed entity, if there is no variable */
} sett_search_ref;

/* Initialisers: {.component = DockedAt_id, .source = SETT_VAR("s"), .target = SETT_FIXED(earth)} */
#define SETT_VAR(name)                                                                             \
    {                                                                                              \
        (name),                                                                                    \
        {                                                                                          \
            0, 0                                                                                   \
        }                                                                                          \
    }
#define SETT_FIXED(entity)                                                                         \
    {                                                                                              \
        NULL, (entity)                                                                             \
    }

/* How many links lead from source to target. */
typedef enum sett_search_steps {
    SETT_STEPS_ONE,
    SETT_STEPS_ONE_OR_MORE,  /* Rel+ */
    SETT_STEPS_ZERO_OR_MORE, /* Rel* */
    SETT_STEPS_ZERO_OR_ONE,  /* Rel? */
} sett_search_steps;

typedef enum sett_search_kind {
    SETT_SEARCH_TERM,    /* a component of `source`, or a link from `source` to `target` */
    SETT_SEARCH_COMPARE, /* `left` compared with `right` */
    SETT_SEARCH_BEGIN,   /* { */
    SETT_SEARCH_END,     /* } */
} sett_search_kind;

typedef enum sett_compare {
    SETT_COMPARE_EQUAL,
    SETT_COMPARE_NOT_EQUAL,
    SETT_COMPARE_LESS,
    SETT_COMPARE_LESS_OR_EQUAL,
    SETT_COMPARE_GREATER,
    SETT_COMPARE_GREATER_OR_EQUAL,
    SETT_COMPARE_CONTAINS,     /* texts: ~= */
    SETT_COMPARE_NOT_CONTAINS, /* texts: !~ */
} sett_compare;

typedef enum sett_operand_kind {
    SETT_OPERAND_ENTITY, /* `of` itself */
    SETT_OPERAND_NAME,   /* the name of `of` */
    SETT_OPERAND_MEMBER, /* the member `text` ("at.x") of a component of `of` (members.h) */
    SETT_OPERAND_TEXT,   /* the text `text` */
    SETT_OPERAND_INTEGER,
    SETT_OPERAND_NUMBER,
    SETT_OPERAND_CONSTANT, /* `text`: true, false, or a constant of the other side's member */
} sett_operand_kind;

/* A side of a comparison. */
typedef struct sett_search_operand {
    sett_operand_kind kind;
    sett_search_ref of; /* default: $this */
    sett_component component;
    const char* text;
    int64_t integer;
    double number;
} sett_search_operand;

/* A term. The default of `source` is $this; without a target it asks for a component. */
typedef struct sett_search_term {
    sett_search_kind kind;
    bool negated;       /* ! ; of BEGIN: of the whole list */
    bool optional;      /* ? */
    bool or_next;       /* || follows; of a list: at its END */
    sett_access access; /* for sett_query_parse; default: SETT_INOUT */
    sett_component component;
    sett_search_ref source;
    sett_search_ref target;
    sett_search_steps steps; /* of a link */
    sett_walk walk;          /* without a target */
    sett_component along;    /* of `walk`: a relationship; default: the hierarchy */
    bool singleton;          /* the source is the entity that has the singletons */
    sett_compare compare;
    sett_search_operand left;
    sett_search_operand right;
    bool drives; /* [drive]: the search begins with the entities that have `component` */
} sett_search_term;

/* In which order results come: by group, then targets before sources, then by value, then as they
 * were found. All zeroes: as they are found. Variables are those of results; default: $this. */
typedef struct sett_search_order {
    sett_component
        group_by; /* by the target of this relationship, which has one for each source; */
    sett_search_ref group_of; /* 0: if a variable is given, by the variable's entity itself */
    bool cascade;             /* by the number of links along `along` to the last target */
    sett_component along;     /* default: the hierarchy */
    sett_search_ref cascade_of;
    sett_search_operand by; /* a NAME or MEMBER; those without a value come first */
    bool reverse;           /* `by` descending */
} sett_search_order;

typedef struct sett_search_desc {
    const char* name;              /* for messages; default: the text of the search */
    const sett_search_term* terms; /* copied, with the texts in it */
    uint32_t term_count;
    sett_search_order order; /* group_by, cascade, order_by */
} sett_search_desc;

/* ------------------------------------------------------------------------ creating, asking */

/* Creates a search from text. It belongs to the world, which frees it at the end.
 * Returns NULL on failure; the message has the column: "sett_search_create: column 12: ...".
 * Fails: ARGUMENT (the text; entities that do not exist), UNREGISTERED, LIMIT, OUT_OF_MEMORY.
 * Cost: O(text). Names of entities are looked up once.
 * Threads: writer. Since: 0.2 */
SETT_API sett_search* sett_search_create(sett_world* world, const char* text);

SETT_API sett_search* sett_search_create_sized(sett_world* world, const sett_search_desc* desc,
                                               size_t size, size_t term_size);

/* The same from terms. Messages say which term.
 * Threads: writer. Since: 0.2 */
static inline sett_search* sett_search_create_desc(sett_world* world, const sett_search_desc* desc)
{
    return sett_search_create_sized(world, desc, sizeof(*desc), sizeof(sett_search_term));
}

/* Frees a search. NULL is fine. Fails: LOCKED (a loop over it is open). Threads: writer. Since: 0.2
 */
SETT_API sett_status sett_search_destroy(sett_search* search);

/* Fills in the terms of a search. What it points to belongs to the search.
 * Threads: reader. Since: 0.2 */
SETT_API void sett_search_describe(const sett_search* search, sett_search_desc* desc);

/* Formats the search as text, as snprintf does: parsed again, it is the same search. Entities are
 * written by name, without one as #index:generation.
 * Returns the length of the whole text.
 * Threads: writer. Since: 0.2 */
SETT_API size_t sett_search_print(const sett_search* search, char* out, size_t size);

/* Formats the plan of a loop that would begin now: its steps in order, with the rows that each is
 * estimated to leave. As snprintf.
 * Threads: writer. Since: 0.2 */
SETT_API size_t sett_search_explain(sett_search* search, char* out, size_t size);

/* Returns the number of variables that results have. They are numbered in the order in which they
 * appear in the text. Threads: reader. Since: 0.2 */
SETT_API uint32_t sett_search_variable_count(const sett_search* search);

/* Returns the name of a variable without `$`, "*" for a wildcard; NULL if there is none with this
 * number. Threads: reader. Since: 0.2 */
SETT_API const char* sett_search_variable_name(const sett_search* search, uint32_t variable);

/* Returns the number of a variable, UINT32_MAX if there is none of this name. Threads: reader.
 * Since: 0.2 */
SETT_API uint32_t sett_search_variable(const sett_search* search, const char* name);

/* Gives a variable an entity: from now on there are only results with it. Null: none again.
 * Fails: ARGUMENT (no such variable), LOCKED (a loop over it is open).
 * Threads: writer. Since: 0.2 */
SETT_API sett_status sett_search_bind(sett_search* search, uint32_t variable, sett_entity entity);

/* Returns the number of results. Cost: as a loop. Threads: writer. Since: 0.2 */
SETT_API uint64_t sett_search_count(sett_search* search);

/* ------------------------------------------------------------------------------- results */

/* Fills in the description of the plain query that a text says: terms of $this, of which one list
 * of `||`. Terms elsewhere are read, and stand behind the others.
 *
 *     sett_query_desc desc;
 *     sett_query_parse(world, "Position, [in] Velocity, !Frozen, Transform(parent)", &desc);
 *     sett_query* query = sett_query_create(world, &desc);
 *
 * Fails: as sett_search_create; ARGUMENT (the text needs a search).
 * Cost: O(text).
 * Threads: writer. Since: 0.2 */
SETT_API sett_status sett_query_parse(sett_world* world, const char* text, sett_query_desc* desc);

/* Results are found in blocks. */
#define SETT_SEARCH_ROWS 256

/* A loop over results, and the block that was found last. */
typedef struct sett_rows {
    sett_world* world;
    uint32_t count; /* rows of this block */
    uint32_t variable_count;
    /* for each variable, the entity index in each row; UINT32_MAX: null, of an optional term */
    const uint32_t* index[SETT_SEARCH_VARIABLES];
    sett_search* search;
    void* internal;
} sett_rows;

/* Open a loop, go to the next block, close the loop; SETT_SEARCH calls them. Until it is closed
 * structure cannot change. sett_search_begin returns NULL if memory runs out, or for NULL.
 * Cost: planning takes 1 to 50 us, by the number of variables. With an order the first block finds
 * and sorts all results: O(n log n), 100 bytes a result.
 * Threads: system. Since: 0.2 */
SETT_API sett_rows* sett_search_begin(sett_search* search, sett_rows* rows);
SETT_API bool sett_rows_next(sett_rows* rows);
SETT_API void sett_search_end(sett_rows* rows);

/* Returns the entity of a variable in a row; null if it is optional and there is none.
 * Threads: reader. Since: 0.2 */
static inline sett_entity sett_rows_entity(const sett_rows* rows, uint32_t variable, uint32_t row)
{
    uint32_t index = rows->index[variable][row];
    const sett_world_header_* world = sett_read_header_(rows->world);
    sett_entity entity = {0, 0};
    if (index != UINT32_MAX) {
        entity.index = index;
        entity.generation = ((const uint32_t*)world->entities.data[index >> 10])[index & 1023];
    }
    return entity;
}

/* Loops over all results: `i` is the row in the block `rows`. Leave it by `break`, or to its end;
 * before `return` or `goto` call sett_search_end(rows). */
#define SETT_SEARCH(search, rows, i)                                                               \
    for (sett_rows rows##_block_, *rows = sett_search_begin((search), &rows##_block_);             \
         rows != NULL; sett_search_end(rows), rows = NULL)                                         \
        for (bool rows##_more_ = true; rows##_more_ && sett_rows_next(rows);)                      \
            for (uint32_t i = ((void)(rows##_more_ = false), 0);                                   \
                 i < rows->count ? true : ((void)(rows##_more_ = true), false); i++)

#endif

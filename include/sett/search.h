/* search.h: queries over several entities, and queries as text.
 *
 *     sett_search* search = sett_search_create(
 *         world, "Ship($s), DockedAt($s, $planet), RuledBy($planet, $faction)");
 *     SETT_SEARCH(search, rows, i) {
 *         sett_entity ship = sett_rows_entity(rows, 0, i);
 *         sett_entity planet = sett_rows_entity(rows, 1, i);
 *     }
 *
 * docs/queries.md describes the language. A search is made from text, or from a list of terms
 * (sett_search_desc). Each of the two can be made from the other.
 *
 * Values that an instance shares (sett_prefab_share) are the prefab's: Sprite($s) does not find the
 * instance, and comparisons and orders see no value. Sprite($s|prefab) finds it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_SEARCH_H
#define SETT_SEARCH_H

#include "sett/core.h"

typedef struct sett_search sett_search;

/* The most variables of a search, and the most terms. Variables are $names, each `*`, and each
 * entity in the text. */
#define SETT_SEARCH_VARIABLES 32
#define SETT_SEARCH_TERMS 64

/* ---------------------------------------------------------------------------- descriptors */

/* What stands in a place of a term. All zeroes is the default of that place. */
typedef struct sett_search_ref {
    /* "s" is $s. "*" is any entity, and each has a result of its own. "_" is any entity, and all
     * together have one result */
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

/* How many links lead from the source to the target. */
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

/* Any relationship, or the hierarchy: `component` of a term with a target. It is about those that
 * are registered when the search is created: the term becomes a list of `||` over them. */
#define SETT_ANY_RELATIONSHIP UINT32_MAX

/* A term. Without a target it asks for a component. The default of `source` is $this. */
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

/* The order of results: by group, then by cascade (targets before sources), then by value, then as
 * they are found. All zeroes: as they are found. The default of each variable is $this. */
typedef struct sett_search_order {
    sett_component group_by;  /* by the target of this relationship; default: no groups */
    sett_search_ref group_of; /* whose target; without group_by: by this variable's entity itself */
    bool cascade;             /* by the number of links along `along` to the last target */
    sett_component along;     /* default: the hierarchy */
    sett_search_ref cascade_of;
    sett_search_operand by; /* a NAME or MEMBER; entities without a value come first */
    bool reverse;           /* `by` descending */
} sett_search_order;

typedef struct sett_search_desc {
    const char* name;              /* for messages; default: the text of the search */
    const sett_search_term* terms; /* copied, with the texts in it */
    uint32_t term_count;
    sett_search_order order; /* group_by, cascade, order_by */
} sett_search_desc;

/* ------------------------------------------------------------------------ creating, asking */

/* Creates a search from text. sett_world_destroy frees it.
 * Returns NULL on failure. The message has the column: "sett_search_create: column 12: ...".
 * Fails: ARGUMENT (the text; entities that do not exist), STALE (no entity has the index),
 * UNREGISTERED, LIMIT, OUT_OF_MEMORY, LOCKED (a loop is open, and the text names a component of the
 * library that is not registered yet).
 * Cost: O(text). Names of entities are looked up once.
 * Threads: writer. Since: 0.2 */
SETT_API sett_search* sett_search_create(sett_world* world, const char* text);

SETT_API sett_search* sett_search_create_sized(sett_world* world, const sett_search_desc* desc,
                                               size_t size, size_t term_size);

/* Creates a search from terms. Messages have the number of the term. Fails: as sett_search_create.
 * Threads: writer. Since: 0.2 */
static inline sett_search* sett_search_create_desc(sett_world* world, const sett_search_desc* desc)
{
    return sett_search_create_sized(world, desc, sizeof(*desc), sizeof(sett_search_term));
}

/* Frees a search. NULL is fine. Fails: LOCKED (a loop over it is open). Threads: writer. Since: 0.2
 */
SETT_API sett_status sett_search_destroy(sett_search* search);

/* Fills `desc` with the terms of a search. Pointers in `desc` belong to the search.
 * Threads: reader. Since: 0.2 */
SETT_API void sett_search_describe(const sett_search* search, sett_search_desc* desc);

/* Writes the search as text, as snprintf does. sett_search_create makes the same search of it.
 * Entities without a name are written as #index:generation.
 * Returns the length of the whole text.
 * Threads: writer. Since: 0.2 */
SETT_API size_t sett_search_print(const sett_search* search, char* out, size_t size);

/* Writes the plan of a loop that would begin now, as snprintf does: its steps in order, with the
 * estimated number of rows after each. Notes name variables that no term joins to others, and terms
 * that do not see values shared from a prefab.
 * Threads: writer. Since: 0.2 */
SETT_API size_t sett_search_explain(sett_search* search, char* out, size_t size);

/* Returns the number of variables of results. Variables are numbered from 0, in the order of the
 * text. Threads: reader. Since: 0.2 */
SETT_API uint32_t sett_search_variable_count(const sett_search* search);

/* Returns the name of a variable without `$`; "*" for a wildcard; NULL if there is no such number.
 * Threads: reader. Since: 0.2 */
SETT_API const char* sett_search_variable_name(const sett_search* search, uint32_t variable);

/* Returns the number of a variable; UINT32_MAX if no variable has this name. Threads: reader.
 * Since: 0.2 */
SETT_API uint32_t sett_search_variable(const sett_search* search, const char* name);

/* Binds a variable: from now on it is this entity in all results. Null ends this.
 * Fails: ARGUMENT (no such variable, or an optional one), LOCKED (a loop over the search is open).
 * Threads: writer. Since: 0.2 */
SETT_API sett_status sett_search_bind(sett_search* search, uint32_t variable, sett_entity entity);

/* Returns true to end a loop. The world must not be changed. */
typedef bool (*sett_search_stop_fn)(void* user);

/* Bounds how long a search works, for texts that come from outside: all pairs of 10,000 entities
 * are 100,000,000 results, and a comparison may leave none of them. `stop` is called whenever about
 * 1,000 rows have been looked at; for results in order also before each pass of the sort. When it
 * returns true the loop ends, as if there were no more results. With an order there are none then.
 * NULL: no limit.
 *
 *     static bool is_late(void* until) { return now() > *(uint64_t*)until; }
 *     sett_search_limit(search, is_late, &until);
 *
 * Fails: ARGUMENT (NULL), LOCKED (a loop over the search is open).
 * Threads: writer; `stop` is called by the thread of the loop. Since: 0.2 */
SETT_API sett_status sett_search_limit(sett_search* search, sett_search_stop_fn stop, void* user);

/* Returns the number of results. Cost: as a loop. Threads: writer. Since: 0.2 */
SETT_API uint64_t sett_search_count(sett_search* search);

/* --------------------------------------------------------------------------- look-ups by value */

/* Finds entities by the value of a member: keys of the program's own, grid cells, states.
 *
 *     sett_lookup* by_key = sett_lookup_create(world, Item_id, "key");
 *     uint64_t key = 4711;
 *     sett_entity item;
 *     if (sett_lookup_find(by_key, &key, &item, 1) == 1) { ... }
 *
 * Searches use it too: a search of one thread for `Item.key == 4711` looks at these entities alone,
 * where it would look at all in the order of their indices, and has the same results in the same
 * order. What is written while the search is open counts.
 *
 * A look-up that is ordered finds ranges, the smallest values and the largest ones. Searches use it
 * for `Health.points < 10` and the like, if it finds an eighth of the entities or fewer.
 *
 * It is brought up to date when it is asked, from the pages that were written, restored or loaded
 * since. It is not part of the state: snapshots, hashes and files do not contain it. Worlds without
 * one pay nothing.
 *
 * Values from outside: a sender of values cannot make them collide in the hash table of a look-up
 * without knowing its address. Where addresses can be known, as in WebAssembly, finding one of n
 * such values takes O(n), and bringing the look-up up to date O(n^2). An ordered look-up takes
 * O(log n) for any values. */
typedef struct sett_lookup sett_lookup;

/* Creates a look-up. sett_world_destroy frees it.
 *   member  a path (members.h), such as "at.x", to a number, bool or handle; not to an array
 * Returns NULL on failure. Fails: UNREGISTERED, ARGUMENT (no such member, or it is of another
 * kind), LOCKED, OUT_OF_MEMORY.
 * Cost: O(members). The first look-up reads all values. Memory: about 40 bytes a value.
 * Threads: writer. Since: 0.2 */
SETT_API sett_lookup* sett_lookup_create(sett_world* world, sett_component component,
                                         const char* member);

/* Creates a look-up that is ordered. It answers sett_lookup_find too, in 200 ns.
 *   member  a number or bool: by value, false before true, -0.0 as 0.0. NaN is in no range
 * Fails: as sett_lookup_create; ARGUMENT (a handle).
 * Cost: O(members). The first look-up reads and sorts all values. Memory: about 50 bytes a value,
 * 32 more while all are sorted.
 * Threads: writer. Since: 0.2 */
SETT_API sett_lookup* sett_lookup_create_ordered(sett_world* world, sett_component component,
                                                 const char* member);

/* Frees a look-up. NULL is fine. Fails: LOCKED (a loop is open: a search may read it, or systems
 * run). Threads: writer. Since: 0.2 */
SETT_API sett_status sett_lookup_destroy(sett_lookup* lookup);

/* Finds the entities that have the component with this value of the member, prefabs and disabled
 * ones too.
 *   value     the address of a value of the member's C type. -0.0 is 0.0; NaN is found by its bits
 *   out       receives the handles, in the order of their indices, if there is room for all of them
 *   capacity  handles that `out` has room for; 0 to count only
 * Returns how many there are; 0 on failure. Fails: LOCKED (a loop is open), OUT_OF_MEMORY.
 * Cost: 30 ns, 0.5 ns for each 1,000 entities, and some ns for each result: 80 ns at 100,000. After
 * writes, about 2 ns for each value in pages that were written, and 100 ns for each that changed.
 * Threads: writer. Since: 0.2 */
SETT_API uint32_t sett_lookup_find(sett_lookup* lookup, const void* value, sett_entity* out,
                                   uint32_t capacity);

/* Finds the entities with values from one to another, both included, prefabs and disabled ones too.
 * The ten smallest, and the ten largest:
 *
 *     sett_lookup_range(by_points, NULL, NULL, 0, out, 10);
 *     uint32_t count = sett_lookup_range(by_points, NULL, NULL, 0, NULL, 0);
 *     sett_lookup_range(by_points, NULL, NULL, count < 10 ? 0 : count - 10, out, 10);
 *
 *   from, to  addresses of values of the member's C type; NULL: no limit
 *   first     how many of them are left out at the beginning
 *   out       receives the handles by value, and by index where values are equal
 *   capacity  handles that `out` has room for, of more that are there; 0 to count only
 * Returns how many there are, without regard to `first` and `capacity`; 0 on failure.
 * Fails: ARGUMENT (the look-up is not ordered), LOCKED (a loop is open), OUT_OF_MEMORY.
 * Cost: 300 ns, 0.5 ns for each 1,000 entities, and some ns for each result. After writes, about 2
 * ns for each value in pages that were written, and 200 ns for each that changed, but no more than
 * 50 ns for each there is.
 * Threads: writer. Since: 0.2 */
SETT_API uint32_t sett_lookup_range(sett_lookup* lookup, const void* from, const void* to,
                                    uint32_t first, sett_entity* out, uint32_t capacity);

/* ------------------------------------------------------------------------------- results */

/* Makes the descriptor of a query (core.h) from text. The text has only terms of $this, and at most
 * one list of `||`. Terms elsewhere come last, and are read.
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

/* A loop over results, and the present block of results. */
typedef struct sett_rows {
    sett_world* world;
    uint32_t count; /* rows of this block */
    uint32_t variable_count;
    /* for each variable: the entity index in each row. UINT32_MAX: null (an optional term) */
    const uint32_t* index[SETT_SEARCH_VARIABLES];
    sett_search* search;
    void* internal;
} sett_rows;

/* SETT_SEARCH calls these functions. While the loop is open, structure cannot change.
 *     sett_search_begin  opens a loop. Returns `rows`; NULL if memory runs out or `search` is NULL
 *     sett_rows_next     goes to the next block. Returns false at the end
 *     sett_search_end    closes the loop. A second call does nothing
 * In a system: who has a component or a link, and where it leads, needs no declaration
 * (relationship.h). Members that the text compares or orders by do, also those of the data of
 * links: list the component in `access_any_in`, or as a term SETT_IN.
 * Cost: planning takes 1 to 50 us, depending on the number of variables. With an order the first
 * block finds and sorts all results: O(n log n), 100 bytes a result.
 * Threads: system. Since: 0.2 */
SETT_API sett_rows* sett_search_begin(sett_search* search, sett_rows* rows);
SETT_API bool sett_rows_next(sett_rows* rows);
SETT_API void sett_search_end(sett_rows* rows);

/* Returns the entity of a variable in a row; null if an optional term was not fulfilled.
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

/* Private: as sett_search_begin, for rows that are a local variable. SETT_SEARCH calls it where C
 * has no attribute `cleanup`, as SETT_FOR calls sett_query_begin_local_.
 * Threads: as sett_search_begin. Since: 0.2 */
SETT_API sett_rows* sett_search_begin_local_(sett_search* search, sett_rows* rows);

/* Loops over all results: `i` is the row in the block `rows`. `break`, `continue`, `return` and
 * `goto` work as in any loop.
 *
 * MSVC in C cannot close a loop that is left by `return` or `goto`: call sett_search_end(rows)
 * before. If you forget it, the next structural change after the function has returned closes the
 * loop (Windows, Linux), or is rejected with the search's text (other systems); in a system the
 * loop's memory is lost. */
#define SETT_SEARCH(search, rows, i)                                                               \
    for (sett_rows rows##_block_[SETT_SEARCH_ROOM_],                                               \
         *rows = SETT_SEARCH_BEGIN_((search), rows##_block_);                                      \
         rows != NULL; rows = NULL)                                                                \
        for (SETT_SEARCH_SCOPE_(rows##_scope_, rows); rows##_scope_.loop != NULL;                  \
             sett_search_close_(&rows##_scope_.loop))                                              \
            for (bool rows##_more_ = true; rows##_more_ && sett_rows_next(rows);)                  \
                for (uint32_t i = ((void)(rows##_more_ = false), 0);                               \
                     i < rows->count ? true : ((void)(rows##_more_ = true), false); i++)

/* Closes a loop, whichever way it is left. */
static inline void sett_search_close_(sett_rows** rows)
{
    sett_search_end(*rows);
    *rows = NULL;
}

#if defined(__cplusplus)
extern "C++" {
struct sett_search_scope_ {
    sett_rows* loop;
    explicit sett_search_scope_(sett_rows* opened) : loop(opened)
    {
    }
    sett_search_scope_(const sett_search_scope_&) = delete;
    sett_search_scope_& operator=(const sett_search_scope_&) = delete;
    ~sett_search_scope_()
    {
        sett_search_close_(&loop);
    }
};
}
#define SETT_SEARCH_SCOPE_(name, opened) sett_search_scope_ name(opened)
#define SETT_SEARCH_ROOM_ 1
#define SETT_SEARCH_BEGIN_(search, rows) sett_search_begin((search), (rows))
#else
typedef struct sett_search_scope_ {
    sett_rows* loop;
} sett_search_scope_;
#if defined(__GNUC__) && !defined(SETT_NO_CLEANUP)
static inline void sett_search_leave_(sett_search_scope_* scope)
{
    sett_search_close_(&scope->loop);
}
#define SETT_SEARCH_SCOPE_(name, opened)                                                           \
    sett_search_scope_ name __attribute__((cleanup(sett_search_leave_))) = {opened}
#define SETT_SEARCH_ROOM_ 1
#define SETT_SEARCH_BEGIN_(search, rows) sett_search_begin((search), (rows))
#else
#define SETT_SEARCH_SCOPE_(name, opened) sett_search_scope_ name = {opened}
/* 3 KB, as a batch: when the function has returned, the next call finds its rows below itself. */
#define SETT_SEARCH_ROOM_ 11
#define SETT_SEARCH_BEGIN_(search, rows) sett_search_begin_local_((search), (rows))
#endif
#endif

#endif

/* rank.h: putting things in order: by group, targets before sources, by value.
 *
 * Used by lists of a query's matches (ordered.c) and by results of searches (sorted.c).
 */
#ifndef SETTI_RANK_H
#define SETTI_RANK_H

#include "sett/members.h"
#include "sett/search.h"

#include "world/sort.h"

typedef enum setti_value_kind {
    SETTI_VALUE_NONE,
    SETTI_VALUE_NUMBER,
    SETTI_VALUE_TEXT,
    SETTI_VALUE_ENTITY
} setti_value_kind;

typedef enum setti_number_form {
    SETTI_FORM_UNSIGNED,
    SETTI_FORM_SIGNED,
    SETTI_FORM_FLOAT
} setti_number_form;

/* The value that is compared. */
typedef struct setti_side_value {
    setti_value_kind kind;
    setti_number_form form;
    uint64_t bits;    /* of an integer; of an entity: its index */
    double number;    /* a float */
    const char* text; /* not ended by a zero */
    size_t length;
} setti_side_value;

/* A side of a comparison. */
typedef struct setti_search_side {
    sett_operand_kind kind;
    setti_value_kind gives; /* the kind of its values */
    const setti_type* type; /* that its entity must have; NULL: none */
    sett_member_ref member;
    setti_side_value value; /* if it is a constant in the text */
} setti_search_side;

/* The items to sort, and the keys. */
typedef struct setti_rank {
    sett_world* world;
    const setti_type* group_by; /* NULL: not by a target */
    const setti_type* along;    /* of a cascade, or NULL */
    setti_search_side side;     /* its type NULL: not by a name or member */
    size_t text_room;           /* bytes of a text, which ends with a zero or with them */
    bool reverse;
    int (*compare)(const void* a, const void* b, void* user); /* of values, or NULL */
    void* user;
    sett_search_stop_fn stop; /* of a search: see sett_search_limit; or NULL */
    void* stop_user;
} setti_rank;

typedef struct setti_ranked {
    uint64_t group;
    uint64_t key;       /* the number in the value, as one that sorts like it */
    uint32_t depth;     /* steps to the last target */
    bool present;       /* it has a value */
    sett_entity entity; /* of a result: its number */
    const void* value;  /* for `compare`; a text */
} setti_ranked;

/* Prepares an order; its variables are ignored. Returns SETT_OK, or `message` has the error. */
sett_status setti_rank_resolve(sett_world* world, const sett_search_order* order, setti_rank* rank,
                               char message[SETTI_MESSAGE_SIZE]);

/* Whether `along` is a relationship with one target for each source, or the hierarchy. */
bool setti_rank_along(sett_world* world, sett_component along, const setti_type** type);

/* The sorted items, in one piece of memory, and the depths found, in another. */
typedef struct setti_rank_work {
    setti_ranked* item;
    setti_ranked* other; /* what is merged */
    uint32_t* run;       /* where runs begin */
    uint32_t room;       /* of each */
    uint32_t depth_room; /* entity indices */
    uint32_t round;      /* grows by one each time */
    uint64_t* depth;     /* by entity index: (round in which it was found) << 32, plus depth + 1 */
} setti_rank_work;

/* Makes room for `room` items, without preserving the old ones, and for depths of all entities if
 * `rank` needs them. Returns false if memory runs out. */
bool setti_rank_begin(const setti_rank* rank, setti_rank_work* work, bool pooled, uint32_t room);
void setti_rank_free(setti_rank_work* work, sett_world* world, bool pooled);

/* The group, depth and value of the entities with these indices; for SETTI_NONE the item has
 * none. */
void setti_rank_fill(const setti_rank* rank, const setti_rank_work* work, setti_ranked* item,
                     uint32_t group_of, uint32_t cascade_of, uint32_t value_of);

/* Sorts `item`; returns where the result is, NULL if `stop` ended it. */
const setti_ranked* setti_rank_sort(const setti_rank* rank, const setti_rank_work* work,
                                    uint32_t count);

/* All results of a search, in order. */
typedef struct setti_sorted {
    uint32_t* row; /* the variables of each, one result after another */
    uint32_t count;
    uint32_t room; /* for rows */
    uint32_t at;   /* of the next to hand out */
    setti_rank_work work;
    const setti_ranked* first;
    bool pooled; /* memory from the world's pool, and not from its allocator */
} setti_sorted;

/* Adds a block of results; the second sorts all. Return false if there is no memory. A limit that
 * ends it leaves no results. */
bool setti_sorted_add(setti_sorted* sorted, const sett_search* search, const sett_rows* rows);
bool setti_sorted_sort(setti_sorted* sorted, const sett_search* search);
/* Fills `column`, SETT_SEARCH_ROWS for each variable, with the next results; returns how many. */
uint32_t setti_sorted_take(setti_sorted* sorted, const sett_search* search, uint32_t* column);
void setti_sorted_free(setti_sorted* sorted, const sett_search* search);

#endif

/* rank.h: sorts the matches of queries and the results of searches. */
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

typedef struct setti_side_value {
    setti_value_kind kind;
    setti_number_form form;
    uint64_t bits;    /* an integer, or an entity's index */
    double number;    /* a float */
    const char* text; /* not terminated */
    size_t length;
} setti_side_value;

/* A side of a comparison: a name, member, entity or constant. */
typedef struct setti_search_side {
    sett_operand_kind kind;
    setti_value_kind gives; /* kind of the side's values */
    const setti_type* type; /* the component to read, or NULL */
    sett_member_ref member;
    setti_side_value value; /* the constant */
} setti_search_side;

/* How to sort: by group, by depth (targets before sources) and by value. */
typedef struct setti_rank {
    sett_world* world;
    const setti_type* group_by; /* group by the target of this relationship; NULL: do not group */
    const setti_type* along;    /* sort by depth along this relationship; NULL: not by depth */
    setti_search_side side;     /* sort by this value; side.type NULL: not by value */
    size_t text_room;           /* most bytes of a text value */
    bool reverse;
    int (*compare)(const void* a, const void* b, void* user); /* compares values, or NULL */
    void* user;
    sett_search_stop_fn stop; /* limits a search, see sett_search_limit; or NULL */
    void* stop_user;
} setti_rank;

typedef struct setti_ranked {
    uint64_t group;
    uint64_t key;       /* sort key of the value */
    uint32_t depth;     /* number of links to the last target */
    bool present;       /* the item has a value */
    sett_entity entity; /* in a search: `index` is the result's number */
    const void* value;  /* argument of `compare`, or a text */
} setti_ranked;

/* The parts of an order. In a search each part can read another variable. */
enum {
    SETTI_RANK_GROUP,
    SETTI_RANK_CASCADE,
    SETTI_RANK_VALUE,
    SETTI_RANK_KEYS
};

/* Prepares a rank from an order. Writes the reason of an error to `message`, or an empty text if
 * the error was reported already. */
sett_status setti_rank_resolve(sett_world* world, const sett_search_order* order, setti_rank* rank,
                               char message[SETTI_MESSAGE_SIZE]);

/* Finds the type of an exclusive relationship or of the hierarchy. Returns false if the component
 * is neither. */
bool setti_rank_along(sett_world* world, sett_component relationship, const setti_type** type);

/* Returns the message after a failure of setti_rank_along: `wrong`, or an empty text. The text is
 * empty if the hierarchy could not be registered, because that error was reported already. */
const char* setti_rank_wrong(const sett_world* world, sett_component relationship,
                             const char* wrong);

typedef struct setti_rank_work {
    setti_ranked* item;  /* one piece of memory with `other` and `run` */
    setti_ranked* other; /* second buffer for merging */
    uint32_t* run;       /* first item of each run */
    uint32_t room;       /* number of items */
    uint32_t depth_room; /* number of entity indices */
    uint32_t round;      /* counts the sortings that compute depths */
    uint64_t* depth;     /* by entity index: (round of the computation) << 32 | (depth + 1) */
} setti_rank_work;

/* For the parameter `pooled`. Systems pass false: the pool is for a single thread. */
#define SETTI_FROM_POOL true

/* Prepares the sorting of up to `item_room` items. Returns false when memory runs out. */
bool setti_rank_begin(const setti_rank* rank, setti_rank_work* work, bool pooled,
                      uint32_t item_room);
void setti_rank_free(setti_rank_work* work, sett_world* world, bool pooled);

/* Reads the group, depth and value of an item. Each part has its own entity: an index, or
 * SETTI_NONE for no entity. */
void setti_rank_fill(const setti_rank* rank, const setti_rank_work* work, setti_ranked* item,
                     uint32_t group_entity, uint32_t cascade_entity, uint32_t value_entity);

/* Sorts the first `count` items in `work`. Returns the sorted items, or NULL if `stop` of the rank
 * ended the sorting. */
const setti_ranked* setti_rank_sort(const setti_rank* rank, const setti_rank_work* work,
                                    uint32_t count);

/* The results of a search, for sorting. */
typedef struct setti_sorted {
    uint32_t* row; /* entity indices: result_count for each result */
    uint32_t count;
    uint32_t room; /* number of results */
    uint32_t next; /* number of the next result to hand out */
    setti_rank_work work;
    const setti_ranked* in_order; /* sorted items, in `work` */
    bool pooled;                  /* memory is from the world's pool, not from its allocator */
} setti_sorted;

/* Appends the results of a block. Returns false when memory runs out. */
bool setti_sorted_add(setti_sorted* sorted, const sett_search* search, const sett_rows* rows);
/* Sorts all results. Returns false when memory runs out. */
bool setti_sorted_sort(setti_sorted* sorted, const sett_search* search);
/* Writes the next results to the columns. Returns the number of results, at most
 * SETT_SEARCH_ROWS. */
uint32_t setti_sorted_take(setti_sorted* sorted, const sett_search* search, uint32_t* column);
void setti_sorted_free(setti_sorted* sorted, const sett_search* search);

#endif

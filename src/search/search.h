/* search.h: the parts of a search: its terms as a tree, and the steps of a plan. */
#ifndef SETTI_SEARCH_H
#define SETTI_SEARCH_H

#include "base/writer.h"
#include "query/along.h"
#include "relation/hierarchy.h"
#include "relation/prefab.h"
#include "relation/relationship.h"
#include "search/rank.h"
#include "sett/members.h"
#include "sett/search.h"
#include "world/world.h"

#define SETTI_SEARCH_ITEMS 256
#define SETTI_SEARCH_SCOPES 256
#define SETTI_SEARCH_BRANCHES 16
/* Room for the items of scopes, at most two for each branch, and the scopes of lists. */
#define SETTI_SEARCH_ORDER (SETTI_SEARCH_BRANCHES * 2 * 128 + SETTI_SEARCH_SCOPES)

#define SETTI_SOME 0xFEu     /* in place of a variable's number: `_`, any entity */
#define SETTI_NO_REF 0xFFu   /* in place of a variable's number: the term has no such side */
#define SETTI_NO_DEPTH 0xFFu /* in place of a depth: the variable is a constant */
/* In place of a term's number: the order, which has a column in the text like a term. */
#define SETTI_AT_ORDER SETT_SEARCH_TERMS

/* A range: numbers or steps from `first` to before `stop`. */
typedef struct setti_span {
    uint16_t first;
    uint16_t stop;
} setti_span;

typedef enum setti_item_kind {
    SETTI_ITEM_HAS,
    SETTI_ITEM_LINK,
    SETTI_ITEM_COMPARE,
    SETTI_ITEM_LIST
} setti_item_kind;

typedef struct setti_search_item {
    setti_item_kind kind;
    bool negated;
    bool optional;
    uint8_t term;    /* number of its term */
    uint8_t compare; /* its sides' number in search->side */
    uint8_t source, target;
    bool or_self; /* of a link: also true if source and target are one entity */
    bool closure; /* of a link: also true if several links lead from source to target */
    sett_walk walk;
    const setti_type* type;     /* of a component or link */
    const setti_type* along;    /* of a link or `walk`: the relationship or hierarchy */
    const setti_type* needs[2]; /* types that source and target must have themselves, or NULL */
    setti_span scopes;          /* of a list: its scopes, in the search's `order` */
    uint32_t variables;         /* a bit for each variable in the item, but not in its scopes */
} setti_search_item;

#define SETTI_SEARCH_COMPARES 32

typedef struct setti_search_scope {
    uint16_t parent;  /* of the outermost scope: itself */
    setti_span items; /* in the search's `order` */
    uint32_t locals;  /* the scope's own variables */
} setti_search_scope;

typedef struct setti_variable {
    const char* name;   /* "*", or of a $variable; NULL: a constant */
    sett_entity entity; /* the constant, or the bound value */
    bool singleton;     /* a constant: the singletons' entity */
    bool bound;
    bool optional;  /* null if its term is not true */
    bool is_source; /* a component, link or member of it is tested: hidden entities are skipped */
    bool shows[SETTI_HIDDEN]; /* tags that a term names and that do not hide */
} setti_variable;

typedef enum setti_search_step_kind {
    SETTI_FIND_INPUT, /* undecided rows of the enclosing block */
    SETTI_FIND_SCAN,
    SETTI_FIND_COPY,    /* $a == $b, if one of them is found */
    SETTI_FIND_TARGETS, /* follows links from each row */
    SETTI_FIND_SOURCES,
    SETTI_FIND_TEST, /* tests an item */
    SETTI_FIND_SHOWN /* tests that no tag hides the entity */
} setti_search_step_kind;

#define SETTI_ESTIMATE_ONE 256u /* one row */

typedef struct setti_search_step {
    setti_search_step_kind kind;
    uint8_t depth;    /* of the block that it fills or filters */
    uint8_t base;     /* inside a list: depth of the input; 0: outside */
    uint8_t variable; /* that it finds, or whose entities must be shown */
    uint8_t a, b;     /* operands: source and target; `a` of a finding step: where it begins */
    uint8_t a_depth, b_depth;
    const setti_search_item* item;
    const setti_type* driver;        /* of a scan; NULL: all entities */
    const setti_search_scope* scope; /* of a scan: the scope whose items it tests */
    setti_span pipes;                /* of a list's test */
    uint32_t found;                  /* of a list's test: variables found before */
    bool prefetch;                   /* links do not stay in a cache */
    uint64_t estimate;               /* number of rows that leave it, times SETTI_ESTIMATE_ONE */
} setti_search_step;

typedef struct setti_search_plan {
    setti_search_step* step; /* room for search->step_room */
    setti_span*
        pipe; /* of steps; room for search->pipe_room; the first are those of the branches */
    uint32_t step_count;
    uint32_t pipe_count;
    uint8_t place[SETTI_SEARCH_BRANCHES][SETT_SEARCH_VARIABLES]; /* depth of each variable */
} setti_search_plan;

enum {
    SETTI_SLOT_LOOKUPS = 12
};

/* The entities that a look-up found for a scan, which then skips all others. */
typedef struct setti_wanted {
    const sett_lookup* by; /* NULL: no look-up */
    sett_entity* entity;   /* in the order of their indices */
    uint32_t count;
    uint32_t room; /* entities; the memory is from the world's pool */
} setti_wanted;

/* Functions of look-ups for searches, so that programs without look-ups do not link them. */
typedef struct setti_lookup_calls {
    /* Called by one thread when a scan begins: *wanted becomes a look-up that narrows it. */
    void (*narrow)(const sett_search* search, const setti_search_step* step, setti_wanted* wanted);
    /* Whether no value has changed since the look-up was selected. */
    bool (*is_current)(const sett_lookup* lookup);
} setti_lookup_calls;

/* The first members of a look-up. */
typedef struct setti_lookup_head {
    const setti_lookup_calls* calls;
} setti_lookup_head;

struct sett_search {
    setti_open_loop open; /* first */
    sett_world* world;
    sett_search* next; /* list of the world's searches */
    sett_search* previous;
    size_t size;      /* of this struct, its terms and texts, in bytes */
    size_t tree_size; /* of the memory at `item`, in bytes */
    sett_search_term* term;
    uint32_t term_count;
    setti_variable variable[SETT_SEARCH_VARIABLES];
    uint32_t variable_count;
    uint8_t result[SETT_SEARCH_VARIABLES]; /* the variables in results, in order */
    uint32_t result_count;
    setti_search_item* item;
    uint32_t item_count;
    setti_search_side (*side)[2]; /* sides of comparisons */
    uint32_t compare_count;
    uint16_t* order; /* items by scope, and scopes by list */
    uint32_t order_count;
    setti_search_scope* scope;
    uint32_t scope_count;
    uint16_t branch[SETTI_SEARCH_BRANCHES]; /* scopes of the branches; results are those of all */
    uint32_t branch_count;
    uint32_t drives; /* number of the item with `drive`, or SETTI_NONE */
    sett_search_order ordering;
    bool sorts;      /* there is an order */
    setti_rank rank; /* prepared order */
    /* The results' numbers of the variables that an order reads; SETTI_NO_REF: none. */
    uint8_t rank_of[SETTI_RANK_KEYS];
    uint32_t step_room; /* steps in a plan at most */
    uint32_t pipe_room;
    uint32_t depth_room;
    void* spare;        /* memory of the last loop, for the next one */
    struct find* loops; /* open loops that began outside of systems */
};

/* The tick of the last write to one of the pages. */
static inline uint64_t setti_search_newest(const setti_pages* pages)
{
    uint64_t newest = 0;
    for (uint32_t number = 0; number < pages->count; number++) {
        newest = SETTI_MAX(newest, pages->tick[number]);
    }
    return newest;
}

/* Returns a tick that each later write has or exceeds; `newest`: of the writes so far. */
static inline uint64_t setti_search_read_tick(setti_pool* pool, uint64_t newest)
{
    pool->tick += SETTI_MAX(newest, pool->restored) == pool->tick;
    return pool->tick;
}

/* Makes the plan of a loop, from the world's state and the bound variables alone. */
void setti_choose_plan(const sett_search* search, setti_search_plan* plan);

/* The type whose bits a scan tests for an item: entities must have the type, or lack it if the item
 * is negated. Bits decide components that are nowhere switched off, else narrow. NULL: none. */
const setti_type* setti_choose_scanned(const setti_search_item* item, uint32_t variable,
                                       const setti_type* driver);

/* Allocates a loop's memory. In systems `pooled` is false: the pool is for one thread. */
void* setti_find_alloc(sett_world* world, bool pooled, size_t size);
void setti_find_release(sett_world* world, bool pooled, void* piece, size_t size);

/* Frees the memory for loops; no loop over the search is open. */
void setti_find_free(sett_search* search);

/* Prepares a side. Returns SETT_OK, or an error with `message`. */
sett_status setti_compare_prepare(sett_world* world, setti_search_side* side,
                                  const sett_search_operand* operand,
                                  char message[SETTI_MESSAGE_SIZE]);

/* Makes two sides comparable. Returns false, with `message`, if that is impossible. */
bool setti_compare_join(setti_search_side* left, setti_search_side* right, sett_compare compare,
                        char message[SETTI_MESSAGE_SIZE]);

/* Reads a value as a number that sorts like it, or as a text. Returns false if there is none. */
bool setti_compare_key(sett_world* world, const setti_search_side* side, uint32_t index,
                       uint64_t* key, const char** text);

/* Whether a comparison is true for the entities `a` and `b`. */
bool setti_compare_test(sett_world* world, const setti_search_side* left,
                        const setti_search_side* right, sett_compare compare, uint32_t a,
                        uint32_t b);

/* Whether a member's value is a multiple of the number that is stored. */
bool setti_compare_is_scaled(const sett_member_ref* member);

/* The entity of a side; SETTI_NONE if it is not alive. */
uint32_t setti_compare_entity(sett_world* world, const setti_search_side* side, uint32_t index);

/* Whether a variable is one entity from the beginning: a constant, or bound. */
static inline bool setti_search_is_fixed(const setti_variable* variable)
{
    return variable->name == NULL || variable->bound;
}

/* The entity index of a fixed variable; SETTI_NONE if it is dead or null. */
static inline uint32_t setti_search_constant(const sett_search* search, uint32_t variable)
{
    const setti_variable* at = &search->variable[variable];
    SETTI_ASSERT(variable < search->variable_count);
    return setti_along_fixed(search->world, at->singleton, at->entity);
}

/* A comparison as it is written in texts. */
static inline const char* setti_search_mark(sett_compare compare)
{
    static const char* const marks[] = {"==", "!=", "<", "<=", ">", ">=", "~=", "!~"};
    return marks[compare];
}

/* An access as it is written in texts. */
static inline const char* setti_search_access(sett_access access)
{
    static const char* const words[] = {"inout", "in", "out", "none"};
    return words[access];
}

static inline bool setti_search_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool setti_search_is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || setti_search_is_digit(c);
}

static inline bool setti_search_is_letter(char c)
{
    return setti_search_is_word(c) && !setti_search_is_digit(c);
}

/* The end of the word at the beginning of a text. */
static inline const char* setti_search_word_end(const char* text)
{
    while (setti_search_is_word(*text)) {
        text++;
    }
    return text;
}

/* Whether a term asks another entity than its variable's. Its access is `in` by default. */
static inline bool setti_search_is_elsewhere(const sett_search_term* term)
{
    return term->walk != SETT_WALK_NONE || term->singleton ||
           (term->source.variable == NULL && !sett_is_null(term->source.entity));
}

/* The terms of a text, or the error. */
typedef struct setti_parsed {
    sett_world* world;
    sett_search_term term[SETT_SEARCH_TERMS];
    uint32_t column[SETT_SEARCH_TERMS + 1]; /* by term; SETTI_AT_ORDER: 0 without an order */
    uint32_t term_count;
    sett_search_order order;
    size_t text_size;
    size_t size; /* of this struct and its texts, in bytes */
    uint32_t error_column;
    sett_status status;
    char error[SETTI_MESSAGE_SIZE];
} setti_parsed;

/* Reads a text into *parsed, which the caller frees; NULL if the call has failed. */
sett_status setti_search_parse(sett_world* world, const char* text, const char* call,
                               setti_parsed** parsed);
void setti_parsed_free(setti_parsed* parsed);

/* Reads the text of a plain query, and its order if `rank` is not NULL. */
sett_status setti_query_parse(sett_world* world, const char* text, const char* call,
                              sett_query_desc* desc, setti_rank* rank);

/* Writes one term as text. */
void setti_search_print_term(const sett_search* search, uint32_t term, setti_writer* writer);

#endif

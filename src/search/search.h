/* search.h: the tree of a search's terms, and the steps of a plan. */
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
/* Items for which `order` has room: two scopes of 128 items a branch, and one item a list. */
#define SETTI_SEARCH_ORDER (SETTI_SEARCH_BRANCHES * 2 * 128 + SETTI_SEARCH_SCOPES)

#define SETTI_SOME 0xFEu     /* in place of a variable's number: `_`, any entity */
#define SETTI_NO_REF 0xFFu   /* in place of a variable's number: the term has no source or target */
#define SETTI_NO_DEPTH 0xFFu /* in place of a depth: the variable is fixed, and has no block */
/* In place of a term's number: the order. */
#define SETTI_AT_ORDER SETT_SEARCH_TERMS

/* A range of numbers, from `first` to before `stop`. */
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
    uint8_t term;           /* index in search->term */
    uint8_t compare;        /* of a comparison: index in search->side */
    uint8_t source, target; /* variables; of a comparison: those of the left and right side */
    bool or_self;           /* of a link: also true if source and target are the same entity */
    bool closure; /* of a link: also true if a chain of links leads from source to target */
    sett_walk walk;
    const setti_type* type;     /* the component or link to test */
    const setti_type* along;    /* of a link or `walk`: the relationship or hierarchy */
    const setti_type* needs[2]; /* types that source and target must have; NULL: none */
    setti_span scopes;          /* of a list: its scopes, in the search's `order` */
    uint32_t variables;         /* bits; variables local to a list's sides are left out */
} setti_search_item;

#define SETTI_SEARCH_COMPARES 32

typedef struct setti_search_scope {
    uint16_t parent;  /* the outermost scope is its own parent */
    setti_span items; /* in the search's `order` */
    uint32_t locals;  /* a bit for each of the scope's own variables */
} setti_search_scope;

typedef struct setti_variable {
    const char* name;   /* a $variable's name, or "*"; NULL: a constant */
    sett_entity entity; /* the constant, or the bound value */
    bool singleton;     /* the constant is the singletons' entity */
    bool bound;
    bool optional;  /* null in results that lack the optional link */
    bool is_source; /* a term tests its component, link or member: hidden entities are left out */
    bool shows[SETTI_HIDDEN]; /* a term names the tag, so the tag does not hide entities */
} setti_variable;

typedef enum setti_search_step_kind {
    SETTI_FIND_INPUT, /* takes the undecided rows of the enclosing block */
    SETTI_FIND_SCAN,
    SETTI_FIND_COPY,    /* $a == $b: the variable not found yet is the same entity */
    SETTI_FIND_TARGETS, /* follows links from each row */
    SETTI_FIND_SOURCES,
    SETTI_FIND_TEST, /* tests an item */
    SETTI_FIND_SHOWN /* drops entities hidden by a tag */
} setti_search_step_kind;

#define SETTI_ESTIMATE_ONE 256u /* unit of `estimate`: a single row */

typedef struct setti_search_step {
    setti_search_step_kind kind;
    uint8_t depth;       /* of the block to fill or filter */
    uint8_t input_depth; /* in a side of a list: depth of the side's input; else 0 */
    uint8_t variable;    /* the variable to find, or to test for hidden entities */
    uint8_t a, b;        /* of a test: source and target; else `a` is where links or a copy begin */
    uint8_t a_depth, b_depth;
    const setti_search_item* item;
    const setti_type* driver;        /* of a scan; NULL: all entities */
    const setti_search_scope* scope; /* of a scan: the scope of the items to test */
    setti_span pipes;                /* of a list's test: the pipes of the sides */
    uint32_t found;    /* of a list's test: bits of the variables found before the test */
    bool prefetch;     /* links are prefetched: they are larger than a cache */
    uint64_t estimate; /* rows after the step, times SETTI_ESTIMATE_ONE */
} setti_search_step;

typedef struct setti_search_plan {
    setti_search_step* step; /* room for search->step_room steps */
    setti_span* pipe;        /* ranges of steps, branches first; room for search->pipe_room */
    uint32_t step_count;
    uint32_t pipe_count;
    /* By branch and variable: the depth of the variable's block. */
    uint8_t depth[SETTI_SEARCH_BRANCHES][SETT_SEARCH_VARIABLES];
} setti_search_plan;

enum {
    SETTI_SLOT_LOOKUPS = 12
};

/* The entities that a look-up found for a scan. */
typedef struct setti_wanted {
    const sett_lookup* lookup; /* NULL: the scan uses no look-up */
    sett_entity* entity;       /* sorted by index */
    uint32_t count;
    uint32_t room; /* number of entities that fit; the memory is from the world's pool */
} setti_wanted;

/* Functions of look-ups. They are called by pointers, so that programs without look-ups do not link
 * them. */
typedef struct setti_lookup_calls {
    /* Finds the entities of a scan by a look-up. */
    void (*narrow)(const sett_search* search, const setti_search_step* step, setti_wanted* wanted);
    /* Whether the entities found are still right: no value has changed. */
    bool (*is_current)(const sett_lookup* lookup);
} setti_lookup_calls;

/* The first member of each look-up. */
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
    uint16_t branch[SETTI_SEARCH_BRANCHES]; /* scope of each branch */
    uint32_t branch_count;
    uint32_t drives; /* number of the item with [drive], or SETTI_NONE */
    sett_search_order ordering;
    bool sorts;      /* results are sorted by `rank` */
    setti_rank rank; /* prepared from `ordering` */
    /* By part of the order: position in `result` of the variable to read, or SETTI_NO_REF. */
    uint8_t rank_of[SETTI_RANK_KEYS];
    uint32_t step_room; /* largest number of steps in a plan */
    uint32_t pipe_room;
    uint32_t depth_room;
    void* spare;        /* memory of an ended loop, for the next loop */
    struct find* loops; /* open loops that began outside of systems */
};

/* The tick of the last write to any of the pages. */
static inline uint64_t setti_search_newest(const setti_pages* pages)
{
    uint64_t newest = 0;
    for (uint32_t number = 0; number < pages->count; number++) {
        newest = SETTI_MAX(newest, pages->tick[number]);
    }
    return newest;
}

/* Returns the tick of a read. It is later than `newest`, the tick of the last write. It is not
 * later than the ticks of writes to come. */
static inline uint64_t setti_search_read_tick(setti_pool* pool, uint64_t newest)
{
    bool written_now = SETTI_MAX(newest, pool->restored) == pool->tick;
    if (written_now) {
        pool->tick++; /* writes to come must differ from those so far */
    }
    return pool->tick;
}

void setti_choose_plan(const sett_search* search, setti_search_plan* plan);

/* Returns the type that a scan for a variable tests because of an item. Returns NULL if the scan
 * cannot test the item. `driver` is the type that drives the scan, or NULL. */
const setti_type* setti_choose_scanned(const setti_search_item* item, uint32_t variable,
                                       const setti_type* driver);

/* Allocates memory for a loop: from the world's pool if `pooled`, else from the allocator. Systems
 * must not use the pool. */
void* setti_find_alloc(sett_world* world, bool pooled, size_t size);
void setti_find_release(sett_world* world, bool pooled, void* piece, size_t size);

void setti_find_free(sett_search* search);

/* Prepares a side of a comparison. Writes the reason of an error to `message`, or an empty text if
 * the error was reported already. */
sett_status setti_compare_prepare(sett_world* world, setti_search_side* side,
                                  const sett_search_operand* operand,
                                  char message[SETTI_MESSAGE_SIZE]);

/* Joins two sides to a comparison. A named constant becomes the number that the member on the other
 * side has for the name. Returns false and writes `message` if the sides cannot be compared. */
bool setti_compare_join(setti_search_side* left, setti_search_side* right, sett_compare compare,
                        char message[SETTI_MESSAGE_SIZE]);

/* Reads a value to sort by. Returns false if the entity has no value. */
bool setti_compare_key(sett_world* world, const setti_search_side* side, uint32_t index,
                       uint64_t* key, const char** text);

/* Whether a comparison is true for the entity `a` on the left side and `b` on the right. */
bool setti_compare_test(sett_world* world, const setti_search_side* left,
                        const setti_search_side* right, sett_compare compare, uint32_t a,
                        uint32_t b);

/* Whether a member has a scale: its value is the stored number times the scale. */
bool setti_compare_is_scaled(const sett_member_ref* member);

/* The index of the entity that is the value of a side for the entity `index`, or SETTI_NONE. */
uint32_t setti_compare_entity(sett_world* world, const setti_search_side* side, uint32_t index);

/* Returns true for a constant or a bound variable. */
static inline bool setti_search_is_fixed(const setti_variable* variable)
{
    return variable->name == NULL || variable->bound;
}

/* The entity index of a fixed variable, or SETTI_NONE. */
static inline uint32_t setti_search_constant(const sett_search* search, uint32_t variable)
{
    SETTI_ASSERT(variable < search->variable_count);
    const setti_variable* fixed = &search->variable[variable];
    return setti_along_fixed(search->world, fixed->singleton, fixed->entity);
}

static inline const char* setti_search_mark(sett_compare compare)
{
    static const char* const marks[] = {"==", "!=", "<", "<=", ">", ">=", "~=", "!~"};
    return marks[compare];
}

static inline const char* setti_search_access(sett_access access)
{
    static const char* const words[] = {"inout", "in", "out", "none"};
    return words[access];
}

static inline bool setti_search_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Whether a word can begin with a character. */
static inline bool setti_search_is_letter(char c)
{
    bool is_lower = c >= 'a' && c <= 'z';
    bool is_upper = c >= 'A' && c <= 'Z';
    return is_lower || is_upper || c == '_';
}

/* Whether a word can contain a character. */
static inline bool setti_search_is_word(char c)
{
    return setti_search_is_letter(c) || setti_search_is_digit(c);
}

/* The end of the word at the beginning of a text. */
static inline const char* setti_search_word_end(const char* text)
{
    while (setti_search_is_word(*text)) {
        text++;
    }
    return text;
}

/* Whether a term reads another entity than the one of its variable: the end of a walk, the
 * singletons' entity or a constant. */
static inline bool setti_search_is_elsewhere(const sett_search_term* term)
{
    bool is_constant = term->source.variable == NULL && !sett_is_null(term->source.entity);
    return term->walk != SETT_WALK_NONE || term->singleton || is_constant;
}

/* The terms of a text, or the error. */
typedef struct setti_parsed {
    sett_world* world;
    sett_search_term term[SETT_SEARCH_TERMS];
    /* The column of each term, in bytes from 1 on. At SETTI_AT_ORDER: of the order; 0: no order. */
    uint32_t column[SETT_SEARCH_TERMS + 1];
    uint32_t term_count;
    sett_search_order order;
    size_t text_size;
    size_t size;           /* of this struct and its texts, in bytes */
    uint32_t error_column; /* 0: no error */
    sett_status status;
    char error[SETTI_MESSAGE_SIZE];
} setti_parsed;

/* Reports that something is wrong at a column of a text. The column counts bytes over all lines,
 * from 1 on. If the place is not in the first line, the message names the line too. */
sett_status setti_search_fail(sett_world* world, sett_status status, const char* call,
                              const char* text, uint32_t column, const char* wrong);

/* Reads the text of a search. The caller frees *parsed, unless there was an error. */
sett_status setti_search_parse(sett_world* world, const char* text, const char* call,
                               setti_parsed** parsed);
void setti_parsed_free(setti_parsed* parsed);

/* Reads the text of a plain query. An order is an error if `rank` is NULL. */
sett_status setti_query_parse(sett_world* world, const char* text, const char* call,
                              sett_query_desc* desc, setti_rank* rank);

void setti_search_print_term(const sett_search* search, uint32_t term, setti_writer* writer);

#endif

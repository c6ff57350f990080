/* search.h: what a search is made of: its terms as a tree, and the steps of a plan.
 *
 *     scope      a list of items, all of which have to be true; it owns variables
 *     item       a component, a link, a comparison, or a list of scopes of which one has to be true
 *
 *     Ship($s), !{ AtWar($s, $x), Near($x) }      scope { HAS, LIST not { scope { LINK, HAS } } }
 *
 * A variable belongs to the smallest scope that contains all places where it occurs: $s to the
 * outer scope, $x to the inner one, where it means "there is some".
 */
#ifndef SETTI_SEARCH_H
#define SETTI_SEARCH_H

#include "sett/members.h"
#include "sett/search.h"

#include "base/writer.h"
#include "query/along.h"
#include "relation/hierarchy.h"
#include "relation/prefab.h"
#include "relation/relationship.h"
#include "search/rank.h"
#include "world/world.h"

#define SETTI_SEARCH_ITEMS 256
#define SETTI_SEARCH_SCOPES 256
#define SETTI_SEARCH_BRANCHES 16
/* Items in scopes, of which there are at most two for each branch, intermediate ones included; and
 * scopes in lists. */
#define SETTI_SEARCH_ORDER (SETTI_SEARCH_BRANCHES * 2 * 128 + SETTI_SEARCH_SCOPES)

/* In the place of a variable. */
#define SETTI_SOME 0xFEu     /* `_` */
#define SETTI_NO_REF 0xFFu   /* nothing: the term has no target */
#define SETTI_NO_DEPTH 0xFFu /* the variable is a constant */

/* Numbers or steps one after another: `stop` is behind the last. */
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
    uint8_t term;    /* the term that it was made from */
    uint8_t compare; /* its sides, in search->side */
    uint8_t source, target;
    bool none; /* of a link: true without a link if source and target are one entity, */
    bool more; /* or several links apart */
    sett_walk walk;
    const setti_type* type;     /* of a component or link */
    const setti_type* along;    /* of a link, or of `walk`: a relationship or the hierarchy */
    const setti_type* needs[2]; /* types that source and target themselves must have; NULL: none */
    setti_span scopes;          /* of a list, in `order` */
    uint32_t variables;         /* in it, but for those that belong to its own scopes */
} setti_search_item;

#define SETTI_SEARCH_COMPARES 32

typedef struct setti_search_scope {
    uint16_t parent;  /* its own number: none */
    setti_span items; /* in `order` */
    uint32_t locals;  /* variables that belong to it */
} setti_search_scope;

typedef struct setti_variable {
    const char* name;   /* "*", or that of a $variable; NULL: a constant */
    sett_entity entity; /* a constant, or bound to it */
    bool singleton;     /* the constant is the entity with the singletons */
    bool bound;
    bool optional;            /* null where its term is not true */
    bool is_source;           /* asked for a component, link, member: hidden ones are skipped, */
    bool shows[SETTI_HIDDEN]; /* but for tags that a term names */
} setti_variable;

typedef enum setti_search_step_kind {
    SETTI_FIND_INPUT, /* the rows of the block outside that are not decided yet */
    SETTI_FIND_SCAN,
    SETTI_FIND_COPY,    /* $a == $b, one of them found */
    SETTI_FIND_TARGETS, /* from each row on */
    SETTI_FIND_SOURCES,
    SETTI_FIND_TEST, /* an item */
    SETTI_FIND_SHOWN /* no tag hides it */
} setti_search_step_kind;

typedef struct setti_search_step {
    setti_search_step_kind kind;
    uint8_t depth;    /* of the block that it fills, or filters */
    uint8_t base;     /* inside a list: of its input; 0: outside */
    uint8_t variable; /* that it finds, or whose entities it shows */
    uint8_t a, b;     /* operands: source, target; of one that finds: what it begins with */
    uint8_t a_depth, b_depth;
    const setti_search_item* item;
    const setti_type* driver;        /* of a scan; NULL: all entities */
    const setti_search_scope* scope; /* of a scan: whose items narrow it */
    setti_span pipes;                /* of a test of a list */
    uint32_t found;                  /* of a test of a list: variables that are found before it */
    bool prefetch;                   /* of links that do not stay in a cache */
    uint64_t estimate;               /* rows that it leaves, in all */
} setti_search_step;

typedef struct setti_search_plan {
    setti_search_step* step; /* room for search->step_room */
    setti_span*
        pipe; /* of steps; room for search->pipe_room; the first are those of the branches */
    uint32_t step_count;
    uint32_t pipe_count;
    uint8_t place[SETTI_SEARCH_BRANCHES][SETT_SEARCH_VARIABLES]; /* depths where variables are */
} setti_search_plan;

enum {
    SETTI_SLOT_LOOKUPS = 12
};

/* The entities that a look-up gives a scan, instead of all that have its type. */
typedef struct setti_wanted {
    const sett_lookup* by; /* NULL: none does */
    sett_entity* entity;   /* in the order of their indices */
    uint32_t count;
    uint32_t room; /* from the world's pool */
} setti_wanted;

/* What a search calls of a look-up; programs without look-ups do not link it. */
typedef struct setti_lookup_calls {
    /* Selects a look-up for a scan of one thread that begins now. */
    void (*narrow)(const sett_search* search, const setti_search_step* step, setti_wanted* wanted);
    /* Whether no value has changed since. */
    bool (*is_current)(const sett_lookup* lookup);
} setti_lookup_calls;

/* How a look-up begins. */
typedef struct setti_lookup_head {
    const setti_lookup_calls* calls;
} setti_lookup_head;

struct sett_search {
    setti_open_loop open; /* first */
    sett_world* world;
    sett_search* next; /* of the world's */
    sett_search* previous;
    size_t size;      /* bytes of this, with terms and texts, */
    size_t tree_size; /* and of what `item` begins */
    sett_search_term* term;
    uint32_t term_count;
    setti_variable variable[SETT_SEARCH_VARIABLES];
    uint32_t variable_count;
    uint8_t result[SETT_SEARCH_VARIABLES]; /* variables that results have, in their order */
    uint32_t result_count;
    setti_search_item* item;
    uint32_t item_count;
    setti_search_side (*side)[2]; /* of comparisons */
    uint32_t compare_count;
    uint16_t* order; /* items by scope, and scopes by list */
    uint32_t order_count;
    setti_search_scope* scope;
    uint32_t scope_count;
    uint16_t branch[SETTI_SEARCH_BRANCHES]; /* scopes: results are those of all of them */
    uint32_t branch_count;
    uint32_t drives; /* the item that does; SETTI_NONE: what is cheapest */
    sett_search_order ordering;
    bool sorts;         /* there is an order, */
    setti_rank rank;    /* what it means, */
    uint8_t rank_of[3]; /* and of which results' variables: group, cascade, value */
    uint32_t step_room; /* the most that plans need */
    uint32_t pipe_room;
    uint32_t depth_room;
    void* spare;     /* memory of the last loop, for the next one; */
    struct find* at; /* of the loops that began where one thread runs, and did not end */
};

/* Selects the plan of a loop that begins now: a function of the world's state and of bound
 * variables only. */
void setti_choose_plan(const sett_search* search, setti_search_plan* plan);

/* The type that a scan of a variable, driven by a type, looks at for an item: the variable's entity
 * has it; of a negated item, it has not. It decides a component of the entity that no
 * entity has switched off, and narrows others, links and comparisons. NULL: none. */
const setti_type* setti_choose_scanned(const setti_search_item* item, uint32_t variable,
                                       const setti_type* driver);

/* Memory of a loop. The pool is for one thread: searches in systems take it from the allocator. */
void* setti_find_alloc(sett_world* world, bool pooled, size_t size);
void setti_find_release(sett_world* world, bool pooled, void* piece, size_t size);

/* Frees what a search has at work; no loop over it is open. */
void setti_find_free(sett_search* search);

/* Prepares a side. Returns SETT_OK, or `message` has the error. */
sett_status setti_compare_prepare(sett_world* world, setti_search_side* side,
                                  const sett_search_operand* operand,
                                  char message[SETTI_MESSAGE_SIZE]);

/* Makes two sides comparable. Returns false, with the error in `message`, if that is impossible. */
bool setti_compare_join(setti_search_side* left, setti_search_side* right, sett_compare compare,
                        char message[SETTI_MESSAGE_SIZE]);

/* A number that sorts as the value does, or a text; false: there is no value. */
bool setti_compare_key(sett_world* world, const setti_search_side* side, uint32_t index,
                       uint64_t* key, const char** text);

/* Whether a comparison is true for two entities. */
bool setti_compare_test(sett_world* world, const setti_search_side* left,
                        const setti_search_side* right, sett_compare compare, uint32_t a,
                        uint32_t b);

/* The entity of a side; SETTI_NONE if it is not alive. */
uint32_t setti_compare_entity(sett_world* world, const setti_search_side* side, uint32_t index);

/* Whether a variable is one entity from the beginning. */
static inline bool setti_search_is_fixed(const setti_variable* variable)
{
    return variable->name == NULL || variable->bound;
}

/* The entity index of such a variable; SETTI_NONE if it is dead or null. */
static inline uint32_t setti_search_constant(const sett_search* search, uint32_t variable)
{
    const setti_variable* at = &search->variable[variable];
    SETTI_ASSERT(variable < search->variable_count);
    return setti_along_fixed(search->world, at->singleton, at->entity);
}

/* The comparisons and accesses as they are written in texts. */
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

/* The characters of names in texts. */
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

/* The end of the word that a text begins with. */
static inline const char* setti_search_word_end(const char* text)
{
    while (setti_search_is_word(*text)) {
        text++;
    }
    return text;
}

/* Whether a term is about another entity than its variable: such terms are read, unless they say
 * otherwise. */
static inline bool setti_search_is_elsewhere(const sett_search_term* term)
{
    return term->walk != SETT_WALK_NONE || term->singleton ||
           (term->source.variable == NULL && !sett_is_null(term->source.entity));
}

/* The terms of a text, or the error. `texts` has room for twice its bytes, and two more. */
typedef struct setti_parsed {
    sett_world* world;
    sett_search_term term[SETT_SEARCH_TERMS];
    uint32_t column[SETT_SEARCH_TERMS + 1]; /* of the terms; the last: of the order */
    uint32_t term_count;
    sett_search_order order;
    size_t text_size;
    size_t size; /* bytes of this, with room for the texts behind it */
    uint32_t error_column;
    sett_status status;
    char error[SETTI_MESSAGE_SIZE];
} setti_parsed;

/* Reads the text of a search into *parsed, to be freed. Fails: as the text is wrong, OUT_OF_MEMORY;
 * *parsed is NULL then. */
sett_status setti_search_parse(sett_world* world, const char* text, const char* call,
                               setti_parsed** parsed);
void setti_parsed_free(setti_parsed* parsed);

/* Reads the text of a plain query; with `rank` also its order. */
sett_status setti_query_parse(sett_world* world, const char* text, const char* call,
                              sett_query_desc* desc, setti_rank* rank);

/* Writes one term as text. */
void setti_search_print_term(const sett_search* search, uint32_t term, setti_writer* writer);

#endif

/* search.c: a list of terms becomes a tree of scopes and items (search.h).
 *
 * All decisions that do not depend on values are made here, once for all loops: the meaning of each
 * name, the scope of each variable, and which lists of `||` must find a variable. A list must find
 * a variable that no other term finds. Such a list makes *branches*: copies of the query, each with
 * a side of the list, and without the results of earlier sides.
 *
 *     Ship($s), {DockedAt($s, $p) || Orbits($s, $p)}, Planet($p)         $s is found by Ship, $p by
 *                                                                        Planet: the list is a test
 *     Likes($this, $x) || Fears($this, $x)                               two branches:
 *                                                                        Likes($this, $x)
 *                                                                        Fears($this, $x), without
 *                                                                        the first
 *
 * Invariant:  a variable's scope is the smallest scope with all occurrences of the variable;
 *             results of two branches differ
 */
#include "search/search.h"
#include "sett/name.h"
#include "sett/prefab.h"
#include "sett/singleton.h"

#include <stdarg.h>
#include <stdio.h>

typedef struct search_build {
    sett_search* search;
    const uint32_t* columns; /* column of each term; NULL: the search has no text */
    const char* text;        /* set if `columns` is */
    const char* call;
    uint32_t at;                            /* the current term, or SETTI_AT_ORDER */
    uint32_t deepest;                       /* largest value in `nested` */
    uint16_t owner[SETT_SEARCH_VARIABLES];  /* scope of each variable */
    uint32_t occurs[SETT_SEARCH_VARIABLES]; /* number of occurrences of each variable */
    uint32_t found[SETTI_SEARCH_SCOPES];    /* bits of variables found by the scope's own terms */
    bool expanded; /* `term` is filled: `at` counts its terms, not those of the program */
    uint32_t nested[SETTI_SEARCH_SCOPES]; /* number of scopes around a scope */
    bool failed;
    /* Room for the tree under construction. search_settle copies the used part. */
    setti_search_item item[SETTI_SEARCH_ITEMS];
    setti_search_side side[SETTI_SEARCH_COMPARES][2];
    setti_search_scope scope[SETTI_SEARCH_SCOPES];
    uint16_t order[SETTI_SEARCH_ORDER];
    sett_search_term term[SETT_SEARCH_TERMS];     /* a term with "*" is replaced by several terms */
    uint32_t term_columns[SETT_SEARCH_TERMS + 1]; /* by term in `term`: the column; without a text,
                                                     the number of the program's term */
} search_build;

/* The items of a scope under construction. */
typedef struct search_items {
    uint16_t item[SETTI_SEARCH_ITEMS];
    uint32_t count;
} search_items;

/* Returns the number of the current term among the terms that the program passed. */
static uint32_t build_given_term(const search_build* b)
{
    return b->expanded ? b->term_columns[b->at] : b->at;
}

/* Reports the first error. Returns false. */
SETTI_PRINTF(3, 4)
SETTI_COLD static bool build_fail(search_build* b, sett_status status, const char* format, ...)
{
    if (b->failed) {
        return false;
    }
    b->failed = true;
    char text[SETTI_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (b->columns != NULL) {
        setti_search_fail(b->search->world, status, b->call, b->text, b->columns[b->at], text);
        return false;
    }
    char where[24] = "order";
    if (b->at != SETTI_AT_ORDER) {
        snprintf(where, sizeof(where), "term %u", (unsigned)build_given_term(b));
    }
    setti_world_fail_with(b->search->world, status, "%s: search \"%.100s\", %s: %.360s", b->call,
                          b->search->open.name, where, text);
    return false;
}

#define BUILD_REJECT(b, ...) build_fail(b, SETT_STATUS_ARGUMENT, __VA_ARGS__)

/* Reports an error with a message. An empty message means that the error was reported already.
 * Returns false. */
static bool build_fail_message(search_build* b, sett_status status, const char* message)
{
    b->failed = b->failed || message[0] == '\0'; /* then build_fail reports nothing */
    return build_fail(b, status, "%s", message);
}

/* The innermost scope that contains the scopes `a` and `b`. */
static uint16_t build_common_scope(const sett_search* search, uint16_t a, uint16_t b)
{
    SETTI_ASSERT(a < search->scope_count && b < search->scope_count);
    while (a != b) {
        if (a > b) { /* inner scopes have larger numbers */
            a = search->scope[a].parent;
        } else {
            b = search->scope[b].parent;
        }
    }
    return a;
}

static bool build_is_same_variable(const setti_variable* known, const setti_variable* wanted)
{
    if (known->name == NULL && wanted->name == NULL) { /* constants */
        return known->singleton == wanted->singleton && sett_equals(known->entity, wanted->entity);
    }
    if (known->name == NULL || wanted->name == NULL) {
        return false;
    }
    /* Each "*" is a new variable. */
    return strcmp(known->name, wanted->name) == 0 && strcmp(known->name, "*") != 0;
}

/* Finds a variable or constant, or adds `wanted`. Returns the number of the variable, or
 * SETTI_NO_REF after an error. */
SETTI_COLD static uint8_t build_variable(search_build* b, const setti_variable* wanted)
{
    sett_search* search = b->search;
    for (uint32_t k = 0; k < search->variable_count; k++) {
        if (build_is_same_variable(&search->variable[k], wanted)) {
            return (uint8_t)k;
        }
    }
    if (search->variable_count == SETT_SEARCH_VARIABLES) {
        build_fail(b, SETT_STATUS_LIMIT,
                   "the query has more than %d variables and entities - use fewer",
                   SETT_SEARCH_VARIABLES);
        return SETTI_NO_REF;
    }
    search->variable[search->variable_count] = *wanted;
    return (uint8_t)search->variable_count++;
}

static bool build_is_name(const char* name)
{
    return setti_search_is_letter(*name) && *setti_search_word_end(name) == '\0';
}

/* Finds or adds the constant or variable that `ref` names. An empty `ref` has the name
 * `default_name`, or no name if that is NULL. Returns the number of the variable, or SETTI_SOME for
 * "_". Returns SETTI_NO_REF if there is no name, or after an error. */
SETTI_COLD static uint8_t build_ref(search_build* b, const sett_search_ref* ref,
                                    const char* default_name, uint16_t scope)
{
    if (ref->variable == NULL && !sett_is_null(ref->entity)) {
        return build_variable(b, &(setti_variable){.entity = ref->entity});
    }
    const char* name = ref->variable != NULL ? ref->variable : default_name;
    if (name == NULL) {
        return SETTI_NO_REF;
    }
    if (strcmp(name, "_") == 0) {
        return SETTI_SOME;
    }
    if (strcmp(name, "*") != 0 && !build_is_name(name)) {
        BUILD_REJECT(b, "\"%.100s\" cannot be the name of a variable - use letters, digits and _",
                     name);
        return SETTI_NO_REF;
    }
    uint8_t number = build_variable(b, &(setti_variable){.name = name});
    if (number == SETTI_NO_REF) {
        return SETTI_NO_REF;
    }
    if (b->occurs[number] == 0) {
        b->owner[number] = scope;
    } else { /* the variable occurs in one more scope */
        b->owner[number] = build_common_scope(b->search, b->owner[number], scope);
    }
    b->occurs[number]++;
    return number;
}

/* Reports that a query needs more tests than `limit`. Returns false. */
static bool build_fail_tests(search_build* b, uint32_t limit)
{
    return build_fail(
        b, SETT_STATUS_LIMIT,
        "`||`, `!` and `{ }` need more than %u tests - use fewer of them, or make two "
        "searches",
        (unsigned)limit);
}

/* The bit of a variable, or 0 if `ref` is a constant, SETTI_SOME or SETTI_NO_REF. */
static uint32_t build_bit(const sett_search* search, uint8_t ref)
{
    bool is_variable = ref < search->variable_count && search->variable[ref].name != NULL;
    if (!is_variable) {
        return 0;
    }
    return (uint32_t)1 << ref;
}

/* Adds an item to the tree and to `items`. Returns NULL after an error. */
static setti_search_item* build_item(search_build* b, search_items* items, setti_item_kind kind)
{
    sett_search* search = b->search;
    if (search->item_count == SETTI_SEARCH_ITEMS) {
        build_fail_tests(b, SETTI_SEARCH_ITEMS);
        return NULL;
    }
    SETTI_ASSERT(items->count < SETTI_SEARCH_ITEMS);
    items->item[items->count++] = (uint16_t)search->item_count;
    setti_search_item* item = &search->item[search->item_count++];
    memset(item, 0, sizeof(*item));
    item->kind = kind;
    item->term = (uint8_t)b->at;
    item->source = item->target = SETTI_NO_REF;
    return item;
}

/* Adds a scope inside the scope `parent`. The first scope is the outermost one, and its own parent.
 * Returns the number of the scope, or 0 after an error. */
static uint16_t build_new_scope(search_build* b, uint16_t parent)
{
    sett_search* search = b->search;
    if (search->scope_count == SETTI_SEARCH_SCOPES) {
        build_fail(b, SETT_STATUS_LIMIT,
                   "`||`, `!` and `{ }` make more than %d parts of the query - use fewer of them, "
                   "or make two searches",
                   SETTI_SEARCH_SCOPES);
        return 0;
    }
    uint16_t number = (uint16_t)search->scope_count++;
    b->found[number] = 0;
    b->nested[number] = 0;
    if (number != 0) { /* 0 is the outermost scope */
        b->nested[number] = b->nested[parent] + 1;
    }
    b->deepest = SETTI_MAX(b->deepest, b->nested[number]);
    search->scope[number] = (setti_search_scope){.parent = parent};
    return number;
}

/* Appends `numbers` to the search's `order`: the items of a scope, or the scopes of a list. *span
 * becomes the range of these numbers. Returns false after an error. */
static bool build_close(search_build* b, setti_span* span, const uint16_t* numbers, uint32_t count)
{
    sett_search* search = b->search;
    if (search->order_count + count > SETTI_SEARCH_ORDER) {
        return build_fail_tests(b, SETTI_SEARCH_ORDER);
    }
    span->first = (uint16_t)search->order_count;
    memcpy(search->order + search->order_count, numbers, count * sizeof(*numbers));
    search->order_count += count;
    span->stop = (uint16_t)search->order_count;
    return true;
}

static bool build_close_scope(search_build* b, uint16_t scope, const search_items* items)
{
    return build_close(b, &b->search->scope[scope].items, items->item, items->count);
}

static const setti_type* build_type(search_build* b, sett_component component)
{
    const setti_type* type = setti_world_type(b->search->world, component);
    if (type == NULL) {
        build_fail(b, SETT_STATUS_UNREGISTERED, "component %u is not registered in this world - %s",
                   (unsigned)component, setti_component_remedy(component));
    }
    return type;
}

static bool build_is_relationship(const setti_type* type)
{
    return type->links != NULL || type->id == SETT_ID_HIERARCHY;
}

/* Sets the walk of an item that has no operand for a target. */
static bool build_walk(search_build* b, setti_search_item* item, const sett_search_term* term)
{
    item->walk = term->walk;
    sett_world* world = b->search->world;
    if (term->walk == SETT_WALK_NONE) {
        item->needs[0] = item->type; /* without a walk, the source itself has the component */
        return true;
    }
    sett_component relationship = term->along != 0 ? term->along : SETT_ID_HIERARCHY;
    if (relationship == SETT_ID_HIERARCHY && setti_hierarchy_register(world) == 0) {
        b->failed = true; /* reported already */
        return false;
    }
    const setti_type* type = build_type(b, relationship);
    if (type == NULL) {
        return false;
    }
    item->along = type;
    if (!build_is_relationship(type)) {
        return BUILD_REJECT(
            b, "\"%.100s\" is not a relationship - name one after \"up\" or \"target\"",
            type->desc.name);
    }
    if (!setti_along_is_one(type)) {
        return BUILD_REJECT(b,
                            "\"%.100s\" has many targets for each source - name an exclusive "
                            "relationship after \"up\" or \"target\"",
                            type->desc.name);
    }
    if (item->source == SETTI_SOME) {
        return BUILD_REJECT(b,
                            "parent, up and target cannot begin at \"_\" - name a variable or an "
                            "entity");
    }
    return true;
}

/* Notes that an item tests a component, link or member of the variable `ref`. */
static void build_note_source(const search_build* b, const setti_search_item* item, uint8_t ref)
{
    if (ref >= b->search->variable_count) {
        return; /* SETTI_SOME or SETTI_NO_REF */
    }
    setti_variable* variable = &b->search->variable[ref];
    variable->is_source = true;
    if (item->kind == SETTI_ITEM_HAS && item->walk == SETT_WALK_NONE) {
        variable->shows[SETTI_HIDDEN_PREFAB] |= item->type->id == SETT_ID_PREFAB;
        variable->shows[SETTI_HIDDEN_DISABLED] |= item->type->id == SETT_ID_DISABLED;
    }
}

/* Notes the variables of which an item tests a component, link or member. */
static void build_note_sources(const search_build* b, const setti_search_item* item)
{
    bool compares = item->kind == SETTI_ITEM_COMPARE;
    const setti_search_side* sides = b->search->side[item->compare]; /* only read if `compares` */
    if (!compares || sides[0].kind == SETT_OPERAND_MEMBER) {
        build_note_source(b, item, item->source);
    }
    if (compares && sides[1].kind == SETT_OPERAND_MEMBER) {
        build_note_source(b, item, item->target);
    }
}

/* Makes an item a link, with the type that the item has. */
static void build_link(setti_search_item* item, sett_search_steps steps)
{
    const setti_relation* relation = setti_relation_of_links(item->type);
    item->kind = SETTI_ITEM_LINK;
    item->along = item->type;
    bool reflexive = relation != NULL && relation->desc.reflexive;
    bool transitive = relation != NULL && relation->desc.transitive;
    bool zero_steps = steps == SETT_STEPS_ZERO_OR_MORE || steps == SETT_STEPS_ZERO_OR_ONE;
    bool many_steps = steps == SETT_STEPS_ZERO_OR_MORE || steps == SETT_STEPS_ONE_OR_MORE;
    item->or_self = zero_steps || reflexive;
    item->closure = many_steps || transitive;
    if (item->or_self) {
        return; /* an entity without links can be both source and target */
    }
    item->needs[0] = item->type;
    item->needs[1] = item->type; /* in the hierarchy, parents and children have the same type */
    if (relation != NULL) {
        item->needs[1] = relation->sources;
    }
}

/* Fills in an item for a component or a link. */
SETTI_COLD static bool build_component(search_build* b, setti_search_item* item,
                                       const sett_search_term* term, uint16_t scope)
{
    item->type = build_type(b, term->component);
    if (item->type == NULL) {
        return false;
    }
    static const setti_variable singletons = {.singleton = true};
    if (term->singleton) {
        item->source = build_variable(b, &singletons);
    } else {
        item->source = build_ref(b, &term->source, "this", scope);
    }
    item->target = build_ref(b, &term->target, NULL, scope);
    if (b->failed) {
        return false;
    }
    if (item->target == SETTI_NO_REF) {
        if (term->steps != SETT_STEPS_ONE) {
            return BUILD_REJECT(
                b, "\"%.100s\" has no target, which \"+\", \"*\" or \"?\" needs - add one",
                item->type->desc.name);
        }
        return build_walk(b, item, term);
    }
    if (term->walk != SETT_WALK_NONE) {
        return BUILD_REJECT(b, "a term has a walk, such as (up), and a target - leave out one");
    }
    if (!build_is_relationship(item->type)) {
        return BUILD_REJECT(b, "\"%.100s\" is not a relationship - leave out the target",
                            item->type->desc.name);
    }
    build_link(item, term->steps);
    return true;
}

/* Prepares a side of a comparison. *ref becomes the variable of the side, or SETTI_NO_REF for a
 * value that stands in the query itself. */
SETTI_COLD static bool build_operand(search_build* b, setti_search_side* side,
                                     const sett_search_operand* operand, uint16_t scope,
                                     uint8_t* ref)
{
    char message[SETTI_MESSAGE_SIZE];
    bool is_value = operand->kind >= SETT_OPERAND_TEXT;
    *ref = SETTI_NO_REF;
    if (!is_value) {
        *ref = build_ref(b, &operand->of, "this", scope);
    }
    sett_status status = setti_compare_prepare(b->search->world, side, operand, message);
    if (status != SETT_OK) {
        return build_fail_message(b, status, message);
    }
    if (b->failed) { /* in build_ref */
        return false;
    }
    if (!is_value && *ref >= b->search->variable_count) {
        return BUILD_REJECT(b, "\"_\" cannot be compared - use a variable");
    }
    return true;
}

/* Fills in an item for a comparison. */
SETTI_COLD static bool build_compare(search_build* b, setti_search_item* item,
                                     const sett_search_term* term, uint16_t scope)
{
    sett_search* search = b->search;
    if (search->compare_count == SETTI_SEARCH_COMPARES) {
        return build_fail(b, SETT_STATUS_LIMIT,
                          "the query has more than %d comparisons - use fewer",
                          SETTI_SEARCH_COMPARES);
    }
    item->compare = (uint8_t)search->compare_count++;
    setti_search_side* sides = search->side[item->compare];
    if (!build_operand(b, &sides[0], &term->left, scope, &item->source) ||
        !build_operand(b, &sides[1], &term->right, scope, &item->target)) {
        return false;
    }
    item->needs[0] = sides[0].type;
    item->needs[1] = sides[1].type;
    char message[SETTI_MESSAGE_SIZE];
    if (!setti_compare_join(&sides[0], &sides[1], term->compare, message)) {
        return BUILD_REJECT(b, "%s", message);
    }
    return true;
}

/* Makes an item with [drive] the first step of the search. */
static bool build_drives(search_build* b, const setti_search_item* item,
                         const sett_search_term* term, uint16_t scope)
{
    sett_search* search = b->search;
    if (search->drives != SETTI_NONE) {
        return BUILD_REJECT(b, "two terms have [drive] - leave out one");
    }
    bool is_required = scope == 0 && !item->optional; /* `!` makes an inner scope */
    bool has_component = term->kind == SETT_SEARCH_TERM && item->needs[0] != NULL;
    if (!is_required || !has_component || build_bit(search, item->source) == 0) {
        return BUILD_REJECT(b, "[drive] is for a required component or link of a variable outside "
                               "of lists - leave it out");
    }
    search->drives = (uint32_t)(item - search->item);
    return true;
}

/* Builds the item of a single term. */
static bool build_leaf(search_build* b, search_items* items, uint16_t scope)
{
    const sett_search_term* term = &b->search->term[b->at];
    SETTI_ASSERT(b->at < b->search->term_count);
    bool compares = term->kind == SETT_SEARCH_COMPARE;
    setti_search_item* item = build_item(b, items, compares ? SETTI_ITEM_COMPARE : SETTI_ITEM_HAS);
    if (item == NULL) {
        return false;
    }
    if (!compares && term->kind != SETT_SEARCH_TERM) {
        return BUILD_REJECT(b, "`kind` has an unknown value - use a constant from SETT_SEARCH_TERM "
                               "to SETT_SEARCH_END");
    }
    if (term->optional && compares) {
        return BUILD_REJECT(b, "a comparison has no \"?\" - leave it out");
    }
    item->optional = term->optional;
    bool built;
    if (compares) {
        built = build_compare(b, item, term, scope);
    } else {
        built = build_component(b, item, term, scope);
    }
    if (!built) {
        return false;
    }
    build_note_sources(b, item);
    if (term->drives) {
        return build_drives(b, item, term, scope);
    }
    return true;
}

typedef enum build_end {
    BUILD_TO_QUERY_END,
    BUILD_TO_LIST_END
} build_end;

static bool build_scope(search_build* b, search_items* items, uint16_t scope, build_end until);

/* Builds a term, or a list in braces. The caller has handled the `!` in front. *or_next becomes
 * whether `||` follows. */
SETTI_COLD static bool build_term_or_list(search_build* b, search_items* items, uint16_t scope,
                                          bool* or_next)
{
    bool is_list = b->search->term[b->at].kind == SETT_SEARCH_BEGIN;
    bool built;
    if (is_list) {
        b->at++; /* the first term of the list */
        built = build_scope(b, items, scope, BUILD_TO_LIST_END);
    } else {
        built = build_leaf(b, items, scope);
    }
    if (built) {
        *or_next = b->search->term[b->at].or_next; /* the term, or the END of the list */
        b->at++;
    }
    return built;
}

/* Builds a term or list, with the `!` or `?` in front. *or_next becomes whether `||` follows. */
SETTI_COLD static bool build_side(search_build* b, search_items* items, uint16_t scope,
                                  bool* or_next)
{
    const sett_search_term* term = &b->search->term[b->at];
    SETTI_ASSERT(b->at < b->search->term_count);
    if (term->optional && term->kind == SETT_SEARCH_BEGIN) {
        return BUILD_REJECT(b, "a list cannot be optional - leave out \"?\"");
    }
    if (term->optional && term->negated) {
        return BUILD_REJECT(b, "a term cannot be both optional and negated - leave out one");
    }
    if (!term->negated) {
        return build_term_or_list(b, items, scope, or_next);
    }
    /* A negated term is in a list of its own. build_collapse removes some of these lists. */
    setti_search_item* list = build_item(b, items, SETTI_ITEM_LIST);
    uint16_t inner = build_new_scope(b, scope);
    if (b->failed) {
        return false;
    }
    list->negated = true;
    search_items negated = {.count = 0};
    if (!build_term_or_list(b, &negated, inner, or_next)) {
        return false;
    }
    return build_close_scope(b, inner, &negated) && build_close(b, &list->scopes, &inner, 1);
}

/* Whether `||` follows the term `first`, or the list that begins there. */
static bool build_has_or(const sett_search* search, uint32_t first)
{
    uint32_t depth = 0;
    for (uint32_t k = first; k < search->term_count; k++) {
        if (search->term[k].kind == SETT_SEARCH_BEGIN) {
            depth++;
        } else if (search->term[k].kind == SETT_SEARCH_END && depth != 0) {
            depth--;
        }
        if (depth == 0) {
            return search->term[k].or_next;
        }
    }
    return false;
}

/* Reports an error if the current term cannot be a side of `||`. */
static bool build_check_side(search_build* b)
{
    const sett_search* search = b->search;
    if (b->at == search->term_count || search->term[b->at].kind == SETT_SEARCH_END) {
        b->at = SETTI_MIN(b->at, search->term_count - 1); /* the error is at the last term */
        return BUILD_REJECT(b, "a term is missing after \"||\" - add one");
    }
    if (search->term[b->at].optional) {
        return BUILD_REJECT(b, "a term beside \"||\" cannot be optional - leave out \"?\"");
    }
    return true;
}

/* Builds the terms between two commas. */
SETTI_COLD static bool build_chain(search_build* b, search_items* items, uint16_t scope)
{
    bool or_next;
    if (!build_has_or(b->search, b->at)) { /* a single term or list */
        return build_side(b, items, scope, &or_next);
    }
    setti_search_item* list = build_item(b, items, SETTI_ITEM_LIST);
    if (list == NULL) {
        return false;
    }
    uint16_t sides[SETT_SEARCH_TERMS];
    uint32_t count = 0;
    do {
        if (!build_check_side(b)) {
            return false;
        }
        search_items side = {.count = 0};
        sides[count] = build_new_scope(b, scope);
        if (b->failed || !build_side(b, &side, sides[count], &or_next) ||
            !build_close_scope(b, sides[count], &side)) {
            return false;
        }
        count++;
    } while (or_next);
    return build_close(b, &list->scopes, sides, count);
}

/* Builds the terms up to a SETT_SEARCH_END, or up to the end of the query. `until` says which end
 * must come. */
static bool build_scope(search_build* b, search_items* items, uint16_t scope, build_end until)
{
    sett_search* search = b->search;
    uint32_t start = b->at;
    while (b->at < search->term_count && search->term[b->at].kind != SETT_SEARCH_END) {
        if (!build_chain(b, items, scope)) {
            return false;
        }
    }
    bool closed = b->at < search->term_count; /* by SETT_SEARCH_END */
    if (closed && until == BUILD_TO_QUERY_END) {
        return BUILD_REJECT(b, "SETT_SEARCH_END is without SETT_SEARCH_BEGIN - add the beginning");
    }
    if (!closed && until == BUILD_TO_LIST_END) {
        b->at = search->term_count - 1; /* the error is at the last term */
        return BUILD_REJECT(b, "SETT_SEARCH_BEGIN is without SETT_SEARCH_END - add the end");
    }
    if (b->at == start) {
        return BUILD_REJECT(b, "a list is empty - add a term to it, or leave it out");
    }
    return true;
}

/* The bits of the variables that a scope uses and that belong to outer scopes. */
static uint32_t build_outer(const sett_search* search, uint16_t scope)
{
    SETTI_ASSERT(scope < search->scope_count);
    uint32_t variables = 0;
    for (uint32_t k = search->scope[scope].items.first; k < search->scope[scope].items.stop; k++) {
        variables |= search->item[search->order[k]].variables;
    }
    return variables & ~search->scope[scope].locals;
}

/* Whether an item can find entities for its variables. Other items only test variables. */
static bool build_finds(const setti_search_item* item)
{
    if (item->negated || item->optional) {
        return false;
    }
    bool is_component = item->kind == SETTI_ITEM_HAS && item->walk == SETT_WALK_NONE;
    return is_component || item->kind == SETTI_ITEM_LINK;
}

/* Replaces the target of a link by `_` if no other term uses this variable. */
static void build_forget_target(const search_build* b, setti_search_scope* scope,
                                setti_search_item* item)
{
    uint32_t bit = build_bit(b->search, item->target);
    if (item->kind == SETTI_ITEM_LINK && (scope->locals & bit) != 0 &&
        b->occurs[item->target] == 1) {
        scope->locals &= ~bit;
        item->target = SETTI_SOME;
    }
}

/* Replaces a list of a single item by the item. */
static void build_collapse(const sett_search* search, setti_search_item* list)
{
    SETTI_ASSERT(list->kind == SETTI_ITEM_LIST && list->scopes.first < list->scopes.stop);
    const setti_search_scope* scope = &search->scope[search->order[list->scopes.first]];
    bool one_scope = list->scopes.stop == list->scopes.first + 1;
    bool one_item = scope->items.stop == scope->items.first + 1;
    if (one_scope && one_item && scope->locals == 0) {
        const setti_search_item* item = &search->item[search->order[scope->items.first]];
        bool negated = list->negated != item->negated; /* twice negated is not negated */
        *list = *item;
        list->negated = negated;
    }
}

/* Sets the variables of each item in a scope. */
SETTI_COLD static void build_variables(search_build* b, uint16_t scope)
{
    sett_search* search = b->search;
    setti_search_scope* own_scope = &search->scope[scope];
    for (uint32_t k = own_scope->items.first; k < own_scope->items.stop; k++) {
        setti_search_item* item = &search->item[search->order[k]];
        if (scope != 0) { /* variables of the outermost scope are results */
            build_forget_target(b, own_scope, item);
        }
        item->variables = build_bit(search, item->source) | build_bit(search, item->target);
        if (item->kind == SETTI_ITEM_LIST) {
            for (uint32_t s = item->scopes.first; s < item->scopes.stop; s++) {
                build_variables(b, search->order[s]);
                item->variables |= build_outer(search, search->order[s]);
            }
            build_collapse(search, item);
        }
        if (build_finds(item)) {
            b->found[scope] |= item->variables;
        }
    }
}

/* Marks the end of an optional link that no other term uses: only the link finds this variable.
 * Reports an error if other terms use neither end. */
static bool build_optional(search_build* b, const setti_search_item* item)
{
    sett_search* search = b->search;
    uint32_t lone_ends = 0;
    uint8_t refs[2] = {item->source, item->target};
    for (uint32_t k = 0; k < 2; k++) {
        if (item->kind == SETTI_ITEM_LINK && build_bit(search, refs[k]) != 0 &&
            b->occurs[refs[k]] == 1) {
            search->variable[refs[k]].optional = true;
            lone_ends++;
        }
    }
    if (lone_ends == 2) {
        b->at = item->term; /* the error is at the link */
        return BUILD_REJECT(
            b, "no other term uses an end of the optional link - use one in another term");
    }
    return true;
}

/* Returns a list that has the variable of `bit` on all sides. Returns NULL if no list has. Sets
 * *partly if a list has the variable on some sides only. */
static const setti_search_item* build_list_with(const sett_search* search,
                                                const setti_search_scope* scope, uint32_t bit,
                                                bool* partly)
{
    for (uint32_t k = scope->items.first; k < scope->items.stop; k++) {
        const setti_search_item* item = &search->item[search->order[k]];
        bool has_several_sides = item->kind == SETTI_ITEM_LIST && !item->negated &&
                                 item->scopes.stop != item->scopes.first + 1;
        if (!has_several_sides || (item->variables & bit) == 0) {
            continue;
        }
        uint32_t in_all = UINT32_MAX; /* the variables on all sides so far */
        for (uint32_t s = item->scopes.first; s < item->scopes.stop; s++) {
            in_all &= build_outer(search, search->order[s]);
        }
        if ((in_all & bit) != 0) {
            return item;
        }
        *partly = true;
    }
    return NULL;
}

/* Adds a list to `items`, the items of the scope `scope`. The only side of the list has the items
 * `inner_items` and the local variables `locals`. */
static bool build_inner_list(search_build* b, search_items* items, uint16_t scope,
                             const search_items* inner_items, uint32_t locals)
{
    setti_search_item* list = build_item(b, items, SETTI_ITEM_LIST);
    uint16_t inner = build_new_scope(b, scope);
    if (b->failed) {
        return false;
    }
    if (!build_close_scope(b, inner, inner_items) || !build_close(b, &list->scopes, &inner, 1)) {
        return false;
    }
    b->search->scope[inner].locals = locals;
    list->variables = build_outer(b->search, inner);
    return true;
}

/* Moves the items of the scope `side` (one side of a list) to `items`, the items of the scope
 * `branch`. The items with local variables of the side stay in a list of their own. */
static bool build_merge_side(search_build* b, search_items* items, uint16_t branch, uint16_t side)
{
    sett_search* search = b->search;
    search_items staying = {.count = 0};
    const setti_search_scope side_scope = search->scope[side];
    for (uint32_t k = side_scope.items.first; k < side_scope.items.stop; k++) {
        uint16_t number = search->order[k];
        bool local = (search->item[number].variables & side_scope.locals) != 0;
        search_items* destination = local ? &staying : items;
        destination->item[destination->count++] = number;
        if (!local && build_finds(&search->item[number])) {
            b->found[branch] |= search->item[number].variables;
        }
    }
    if (staying.count == 0) {
        return true;
    }
    return build_inner_list(b, items, branch, &staying, side_scope.locals);
}

/* Adds a test to `items`: none of the list's sides before the side `side` is true. */
static bool build_exclude(search_build* b, search_items* items, const setti_search_item* list,
                          uint32_t side)
{
    const sett_search* search = b->search;
    setti_search_item* earlier = build_item(b, items, SETTI_ITEM_LIST);
    if (earlier == NULL) {
        return false;
    }
    earlier->negated = true;
    earlier->term = list->term;
    earlier->scopes.first = list->scopes.first;
    earlier->scopes.stop = (uint16_t)(list->scopes.first + side);
    for (uint32_t s = earlier->scopes.first; s < earlier->scopes.stop; s++) {
        earlier->variables |= build_outer(search, search->order[s]);
    }
    return true;
}

static bool build_branches(search_build* b, uint16_t scope, uint32_t branch_limit);

/* Builds a branch: a copy of the scope with one side of the list in place of the list. Lists in the
 * copy can make up to `branch_limit` branches of it. */
SETTI_COLD static bool build_branch(search_build* b, uint16_t scope, const setti_search_item* list,
                                    uint32_t side, uint32_t branch_limit)
{
    SETTI_ASSERT(list->scopes.first + side < list->scopes.stop);
    sett_search* search = b->search;
    search_items items = {.count = 0};
    uint16_t branch = build_new_scope(b, scope);
    if (b->failed) {
        return false;
    }
    const setti_search_scope original = search->scope[scope];
    search->scope[branch].locals = original.locals;
    b->found[branch] = b->found[scope];
    for (uint32_t k = original.items.first; k < original.items.stop; k++) {
        if (&search->item[search->order[k]] != list) {
            items.item[items.count++] = search->order[k];
        }
    }
    if (!build_merge_side(b, &items, branch, search->order[list->scopes.first + side])) {
        return false;
    }
    if (side != 0 && !build_exclude(b, &items, list, side)) {
        return false;
    }
    return build_close_scope(b, branch, &items) && build_branches(b, branch, branch_limit);
}

/* Adds a scope as a branch. If a list must find a variable, adds up to `branch_limit` branches
 * instead. */
SETTI_COLD static bool build_branches(search_build* b, uint16_t scope, uint32_t branch_limit)
{
    sett_search* search = b->search;
    uint32_t missing = search->scope[scope].locals & ~b->found[scope];
    for (uint32_t v = 0; v < search->variable_count; v++) {
        uint32_t bit = (uint32_t)1 << v;
        if ((missing & bit) == 0 || search->variable[v].optional) {
            continue;
        }
        bool partly = false;
        const setti_search_item* list =
            build_list_with(search, &search->scope[scope], bit, &partly);
        if (list == NULL && partly) {
            return BUILD_REJECT(b,
                                "$%.60s occurs on some sides of \"||\" only - use it on each "
                                "side, or write \"_\" for any entity",
                                search->variable[v].name);
        }
        if (list == NULL) {
            continue; /* a scan finds the variable */
        }
        uint32_t sides = (uint32_t)(list->scopes.stop - list->scopes.first);
        if (sides > branch_limit) {
            continue; /* too many branches: a scan finds the variable */
        }
        for (uint32_t side = 0; side < sides; side++) {
            /* In sum over all sides: `branch_limit`. */
            uint32_t branches = (branch_limit + side) / sides;
            if (!build_branch(b, scope, list, side, branches)) {
                return false;
            }
        }
        return true;
    }
    SETTI_ASSERT(search->branch_count < SETTI_SEARCH_BRANCHES);
    search->branch[search->branch_count++] = scope;
    return true;
}

/* Finds the variable that an order names. *number becomes the variable's position in results. */
SETTI_COLD static bool build_order_variable(search_build* b, const sett_search_ref* ref,
                                            uint8_t* number)
{
    const char* name = ref->variable != NULL ? ref->variable : "this";
    uint32_t found = UINT32_MAX;
    if (strcmp(name, "*") != 0 && sett_is_null(ref->entity)) {
        found = sett_search_variable(b->search, name);
    }
    if (found == UINT32_MAX) {
        const char* dollar = build_is_name(name) ? "$" : "";
        return BUILD_REJECT(b,
                            "\"%s%.100s\" is not a variable of the results - order by one that is",
                            dollar, name);
    }
    *number = (uint8_t)found;
    return true;
}

/* Prepares the order of the results. */
static bool build_order(search_build* b)
{
    sett_search* search = b->search;
    const sett_search_order* order = &search->ordering;
    char message[SETTI_MESSAGE_SIZE];
    bool grouped = order->group_by != 0 || order->group_of.variable != NULL ||
                   !sett_is_null(order->group_of.entity);
    bool valued = order->by.kind != SETT_OPERAND_ENTITY;
    search->sorts = grouped || order->cascade || valued;
    memset(search->rank_of, SETTI_NO_REF, sizeof(search->rank_of));
    b->at = SETTI_AT_ORDER;
    sett_status status = setti_rank_resolve(search->world, order, &search->rank, message);
    if (status != SETT_OK) {
        return build_fail_message(b, status, message);
    }
    uint8_t* position = search->rank_of;
    if (grouped && !build_order_variable(b, &order->group_of, &position[SETTI_RANK_GROUP])) {
        return false;
    }
    if (order->cascade &&
        !build_order_variable(b, &order->cascade_of, &position[SETTI_RANK_CASCADE])) {
        return false;
    }
    if (valued) {
        return build_order_variable(b, &order->by.of, &position[SETTI_RANK_VALUE]);
    }
    return true;
}

SETTI_COLD static bool build_tree(search_build* b)
{
    sett_search* search = b->search;
    search_items items = {.count = 0};
    uint16_t top = build_new_scope(b, 0);
    if (!build_scope(b, &items, top, BUILD_TO_QUERY_END) || !build_close_scope(b, top, &items)) {
        return false;
    }
    for (uint8_t v = 0; v < search->variable_count; v++) {
        search->scope[b->owner[v]].locals |= build_bit(search, v);
        if (build_bit(search, v) != 0 && b->owner[v] == top) {
            search->result[search->result_count++] = v;
        }
    }
    SETTI_ASSERT(search->scope_count != 0 && search->result_count <= search->variable_count);
    build_variables(b, top);
    for (uint32_t k = 0; k < search->item_count; k++) {
        if (search->item[k].optional && !build_optional(b, &search->item[k])) {
            return false;
        }
    }
    b->at = 0; /* errors of branches are at the first term */
    if (!build_branches(b, top, SETTI_SEARCH_BRANCHES) || !build_order(b)) {
        return false;
    }
    /* A branch has at most a test for each item, and an input for each scope and for itself. For
     * each variable it has two steps: to find the variable, and to drop hidden entities. */
    uint32_t most_steps = search->item_count + search->scope_count + 2 * search->variable_count + 1;
    search->step_room = most_steps * search->branch_count;
    search->pipe_room = (search->scope_count + 1) * search->branch_count;
    /* A block for each variable, for the input of a branch and of each nested list; 3 to spare. */
    search->depth_room = search->variable_count + b->deepest + 4;
    return true;
}

/* Memory for copies of texts. */
typedef struct search_texts {
    char* at;    /* where the next copy goes; NULL: texts are only measured */
    size_t size; /* of all texts so far, in bytes */
} search_texts;

/* Adds the size of a text. If there is memory for copies, *text becomes a copy of the text. */
static void search_keep_text(search_texts* texts, const char** text)
{
    if (*text == NULL) {
        return;
    }
    size_t size = strlen(*text) + 1;
    texts->size += size;
    if (texts->at != NULL) {
        *text = memcpy(texts->at, *text, size);
        texts->at += size;
    }
}

static void search_keep_operand(search_texts* texts, sett_search_operand* operand)
{
    search_keep_text(texts, &operand->of.variable);
    search_keep_text(texts, &operand->text);
}

SETTI_COLD static void search_keep_texts(search_texts* texts, sett_search* search)
{
    search_keep_text(texts, &search->open.name);
    search_keep_text(texts, &search->ordering.group_of.variable);
    search_keep_text(texts, &search->ordering.cascade_of.variable);
    search_keep_operand(texts, &search->ordering.by);
    for (uint32_t k = 0; k < search->term_count; k++) {
        search_keep_text(texts, &search->term[k].source.variable);
        search_keep_text(texts, &search->term[k].target.variable);
        search_keep_operand(texts, &search->term[k].left);
        search_keep_operand(texts, &search->term[k].right);
    }
}

/* Appends a term to the *count terms in `b->term`. Returns false if there is no room. */
static bool search_add_term(search_build* b, uint32_t* count, const sett_search_term* term)
{
    if (*count == SETT_SEARCH_TERMS) {
        return false;
    }
    b->term_columns[*count] = b->columns != NULL ? b->columns[b->at] : b->at;
    b->term[(*count)++] = *term;
    return true;
}

/* Adds a copy of a term for each relationship, in place of "*". `||` joins the copies. Returns
 * false if there is no room. */
static bool search_add_each(search_build* b, uint32_t* count, const sett_search_term* term)
{
    const setti_type_list* types = &b->search->world->registered;
    sett_search_term copy = *term;
    copy.negated = false;
    copy.or_next = true;
    for (uint32_t k = 0; k < types->count; k++) {
        const setti_type* type = types->item[k];
        copy.component = type->id;
        if (build_is_relationship(type) && !search_add_term(b, count, &copy)) {
            return false;
        }
    }
    return true;
}

static bool search_fail_any(search_build* b)
{
    return build_fail(b, SETT_STATUS_LIMIT, "\"*\" stands for too many relationships - name one");
}

/* Adds terms for all relationships in place of a term with "*". */
static bool search_add_any(search_build* b, uint32_t* count, const sett_search_term* term)
{
    if (term->target.variable == NULL && sett_is_null(term->target.entity)) {
        return BUILD_REJECT(b, "\"*\" as a relationship has no target - add one, as in "
                               "*($this, door)");
    }
    if (term->negated) { /* becomes !{A($s, $t) || B($s, $t)} */
        const sett_search_term begin = {.kind = SETT_SEARCH_BEGIN, .negated = true};
        if (!search_add_term(b, count, &begin)) {
            return search_fail_any(b);
        }
    }
    uint32_t before = *count;
    if (!search_add_each(b, count, term)) {
        return search_fail_any(b);
    }
    if (*count == before) {
        return BUILD_REJECT(b, "\"*\" stands for any relationship, and none is registered - "
                               "register one first");
    }
    if (term->negated) {
        const sett_search_term end = {.kind = SETT_SEARCH_END};
        b->term[*count - 1].or_next = false;
        if (!search_add_term(b, count, &end)) {
            return search_fail_any(b);
        }
    }
    b->term[*count - 1].or_next = term->or_next;
    return true;
}

/* Copies the terms of a program, with "*" replaced. Returns false after an error. */
static bool search_add_terms(search_build* b, const sett_search_desc* desc, size_t term_size,
                             uint32_t* count)
{
    for (b->at = 0; b->at < desc->term_count; b->at++) {
        sett_search_term term;
        setti_copy_sized(&term, sizeof(term), (const unsigned char*)desc->terms + b->at * term_size,
                         term_size);
        bool is_any = term.kind == SETT_SEARCH_TERM && term.component == SETT_ANY_RELATIONSHIP;
        if (is_any && !search_add_any(b, count, &term)) {
            return false;
        }
        if (!is_any && !search_add_term(b, count, &term)) {
            return build_fail(b, SETT_STATUS_LIMIT,
                              "the query has more than 64 terms (\"*\" counts as one for each "
                              "relationship) - use fewer");
        }
    }
    b->expanded = true;
    if (b->columns != NULL) { /* a term with "*" has become several terms */
        b->term_columns[SETTI_AT_ORDER] = b->columns[SETTI_AT_ORDER];
        b->columns = b->term_columns;
    }
    b->at = 0;
    return true;
}

/* Makes a search with copies of the terms and texts. Returns NULL after an error. */
SETTI_COLD static sett_search* search_make(search_build* b, sett_world* world,
                                           const sett_search_desc* desc, size_t term_size)
{
    sett_search given = {
        .world = world,
        .open = {.name = desc->name != NULL ? desc->name : "search", .of_search = true},
        .term = b->term,
        .ordering = desc->order,
        .drives = SETTI_NONE};
    b->search = &given; /* until the size is known */
    if (!search_add_terms(b, desc, term_size, &given.term_count)) {
        return NULL;
    }
    search_texts texts = {NULL, 0};
    search_keep_texts(&texts, &given); /* measures the texts */
    size_t term_offset = setti_align_up(sizeof(given), 16);
    given.size = term_offset + given.term_count * sizeof(b->term[0]) + texts.size;
    sett_search* search = setti_pool_alloc(&world->pool, given.size, 64);
    b->search = search;
    if (search == NULL) {
        setti_world_no_memory(world, b->call);
        return NULL;
    }
    *search = given;
    search->item = b->item; /* until search_settle */
    search->side = b->side;
    search->scope = b->scope;
    search->order = b->order;
    search->term = (sett_search_term*)(void*)((unsigned char*)search + term_offset);
    memcpy(search->term, b->term, given.term_count * sizeof(b->term[0]));
    texts.at = (char*)(search->term + given.term_count);
    search_keep_texts(&texts, search);
    SETTI_ASSERT((size_t)(texts.at - (char*)search) == given.size);
    return search;
}

/* Copies an array of the tree to *memory, and moves *memory behind the copy. Returns the copy. */
static void* search_move(unsigned char** memory, const void* part, size_t size)
{
    unsigned char* copy = *memory;
    memcpy(copy, part, size);
    *memory += setti_align_up(size, 16);
    return copy;
}

/* Moves the tree to memory of the exact size. Returns false when memory runs out. */
static bool search_settle(const search_build* b)
{
    sett_search* search = b->search;
    size_t item_size = search->item_count * sizeof(*search->item);
    size_t side_size = search->compare_count * sizeof(*search->side);
    size_t scope_size = search->scope_count * sizeof(*search->scope);
    size_t order_size = search->order_count * sizeof(*search->order);
    /* The four arrays are aligned to 16 bytes. */
    size_t size = item_size + side_size + scope_size + order_size + 4 * 16;
    unsigned char* memory = setti_pool_alloc(&search->world->pool, size, 16);
    if (memory == NULL) {
        (void)setti_world_no_memory(search->world, b->call);
        return false;
    }
    SETTI_ASSERT(search->tree_size == 0);
    search->tree_size = size;
    SETTI_ASSERT(search->compare_count <= SETTI_SEARCH_COMPARES);
    search->item = search_move(&memory, search->item, item_size);
    search->side = search_move(&memory, search->side, side_size);
    search->scope = search_move(&memory, search->scope, scope_size);
    search->order = search_move(&memory, search->order, order_size);
    return true;
}

static void search_free(sett_world* world, sett_search* search)
{
    if (search != NULL) {
        /* If tree_size is 0, the tree is still in the search_build, which is freed apart. */
        void* tree = search->tree_size != 0 ? search->item : NULL;
        setti_pool_free(&world->pool, tree, search->tree_size, 16);
        setti_pool_free(&world->pool, search, search->size, 64);
    }
}

enum {
    SETTI_SLOT_SEARCHES = 7
};

/* Whether a search reads values or links of the type. */
static bool search_reads(const sett_search* search, const setti_type* type)
{
    if (search->rank.side.type == type) { /* an order's relationships stay registered */
        return true;
    }
    for (uint32_t k = 0; k < search->item_count; k++) {
        const setti_search_item* item = &search->item[k];
        if (item->type == type || item->needs[0] == type || item->needs[1] == type) {
            return true;
        }
    }
    return false;
}

/* The name of a search that reads the type, or NULL. */
static const char* search_of_type(const sett_world* world, const setti_type* type)
{
    const sett_search* search = world->module[SETTI_SLOT_SEARCHES];
    for (; search != NULL; search = search->next) {
        if (search_reads(search, type)) {
            return search->open.name;
        }
    }
    return NULL;
}

/* Creates a search. `columns` has the column of each term in the search's text; NULL: no text. */
SETTI_COLD static sett_search* search_create(sett_world* world, const sett_search_desc* desc,
                                             size_t term_size, const uint32_t* columns,
                                             const char* call)
{
    SETTI_ASSERT(columns == NULL || desc->name != NULL); /* with columns, the name is the text */
    bool too_many = desc->term_count > SETT_SEARCH_TERMS;
    if (desc->term_count == 0 || too_many || desc->terms == NULL) {
        sett_status status = too_many ? SETT_STATUS_LIMIT : SETT_STATUS_ARGUMENT;
        const char* name = desc->name != NULL ? desc->name : "search";
        setti_world_fail_with(world, status, "%s: search \"%.100s\" has %u terms - pass 1 to %d",
                              call, name, (unsigned)desc->term_count, SETT_SEARCH_TERMS);
        return NULL;
    }
    search_build* b = setti_world_alloc(world, sizeof(*b), 16, call);
    if (b == NULL) {
        return NULL;
    }
    b->columns = columns;
    b->text = desc->name;
    b->call = call;
    sett_search* search = search_make(b, world, desc, term_size);
    bool built = search != NULL && build_tree(b) && search_settle(b);
    setti_pool_free(&world->pool, b, sizeof(*b), 16);
    if (!built) {
        search_free(world, search);
        return NULL;
    }
    sett_search* first = world->module[SETTI_SLOT_SEARCHES];
    SETTI_LIST_ADD(first, search);
    world->module[SETTI_SLOT_SEARCHES] = first;
    static const setti_module_calls calls = {
        .slot = SETTI_SLOT_SEARCHES, .holder = search_of_type, .kind = "search"};
    setti_world_add_calls(world, &calls);
    return search;
}

sett_search* sett_search_create_sized(sett_world* world, const sett_search_desc* desc, size_t size,
                                      size_t term_size)
{
    static const char call[] = "sett_search_create_desc";
    sett_search_desc full;
    desc = setti_world_desc(world, desc, size, &full, sizeof(full), call);
    if (desc == NULL || setti_world_check_serial(world, call) != SETT_OK ||
        setti_world_lacks_list(world, desc->terms, desc->term_count, call, "terms")) {
        return NULL;
    }
    if (term_size > sizeof(sett_search_term)) {
        setti_world_fail_with(
            world, SETT_STATUS_MISMATCH,
            "%s: the program was compiled with a later sett.h - link the library of that version",
            call);
        return NULL;
    }
    return search_create(world, desc, term_size, NULL, call);
}

sett_search* sett_search_create(sett_world* world, const char* text)
{
    setti_parsed* parsed;
    if (SETTI_IS_NULL(text) || setti_world_check_serial(world, __func__) != SETT_OK ||
        setti_search_parse(world, text, __func__, &parsed) != SETT_OK) {
        return NULL;
    }
    sett_search_desc desc = {text, parsed->term, parsed->term_count, parsed->order};
    sett_search* search =
        search_create(world, &desc, sizeof(parsed->term[0]), parsed->column, __func__);
    setti_parsed_free(parsed);
    return search;
}

/* Reports an error if systems are running, or if a loop over the search is open. */
static sett_status search_check_idle(const sett_search* search, const char* call)
{
    sett_status status = setti_world_check_serial(search->world, call);
    if (status != SETT_OK) {
        return status;
    }
    setti_world_close_returned(search->world);
    if (search->open.count == 0) {
        return SETT_OK;
    }
    return setti_world_fail_with(search->world, SETT_STATUS_LOCKED,
                                 "%s: a loop over search \"%.100s\" is open - first end it "
                                 "(sett_query_end_all(world) ends loops left by mistake)",
                                 call, search->open.name);
}

sett_status sett_search_destroy(sett_search* search)
{
    if (search == NULL) {
        return SETT_OK;
    }
    sett_world* world = search->world;
    sett_status status = search_check_idle(search, "sett_search_destroy");
    if (status == SETT_OK) {
        setti_find_free(search);
        sett_search* first = world->module[SETTI_SLOT_SEARCHES];
        SETTI_LIST_REMOVE(first, search);
        world->module[SETTI_SLOT_SEARCHES] = first;
        search_free(world, search);
    }
    return status;
}

void sett_search_describe(const sett_search* search, sett_search_desc* desc)
{
    if (SETTI_IS_NULL(desc)) {
        return;
    }
    memset(desc, 0, sizeof(*desc));
    if (search != NULL) {
        desc->name = search->open.name;
        desc->terms = search->term;
        desc->term_count = search->term_count;
        desc->order = search->ordering;
    }
}

uint32_t sett_search_variable_count(const sett_search* search)
{
    return search != NULL ? search->result_count : 0;
}

const char* sett_search_variable_name(const sett_search* search, uint32_t variable)
{
    if (search == NULL || variable >= search->result_count) {
        return NULL;
    }
    return search->variable[search->result[variable]].name;
}

uint32_t sett_search_variable(const sett_search* search, const char* name)
{
    const uint32_t count = SETTI_IS_NULL(name) ? 0 : sett_search_variable_count(search);
    for (uint32_t k = 0; k < count; k++) {
        if (strcmp(search->variable[search->result[k]].name, name) == 0) {
            return k;
        }
    }
    return UINT32_MAX;
}

sett_status sett_search_bind(sett_search* search, uint32_t variable, sett_entity entity)
{
    if (search == NULL) {
        return SETT_STATUS_ARGUMENT;
    }
    if (variable >= search->result_count) {
        return setti_world_fail_with(search->world, SETT_STATUS_ARGUMENT,
                                     "%s: variable %u of search \"%.100s\" does not exist - pass a "
                                     "number below sett_search_variable_count",
                                     __func__, (unsigned)variable, search->open.name);
    }
    setti_variable* bound = &search->variable[search->result[variable]];
    if (bound->optional) {
        return setti_world_fail_with(search->world, SETT_STATUS_ARGUMENT,
                                     "%s: variable \"%.60s\" of search \"%.100s\" is optional - "
                                     "bind another variable",
                                     __func__, bound->name, search->open.name);
    }
    sett_status status = search_check_idle(search, __func__);
    if (status == SETT_OK) {
        bound->entity = entity;
        bound->bound = !sett_is_null(entity);
    }
    return status;
}

sett_status sett_search_limit(sett_search* search, sett_search_stop_fn stop, void* user)
{
    if (search == NULL) {
        return SETT_STATUS_ARGUMENT;
    }
    sett_status status = search_check_idle(search, __func__);
    if (status == SETT_OK) {
        search->rank.stop = stop;
        search->rank.stop_user = user;
    }
    return status;
}

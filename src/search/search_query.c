/* search_query.c: turns the text of a plain query into the description of a query. */
#include "search/search.h"

#include <stdio.h>

/* Makes a term of a query from a term of a search. If queries cannot have such a term, returns what
 * they cannot have. Otherwise returns NULL. */
static const char* plain_term(const sett_search_term* search_term, bool in_list, sett_term* term)
{
    const char* source = search_term->source.variable;
    bool has_target =
        search_term->target.variable != NULL || !sett_is_null(search_term->target.entity);
    bool has_variable = source != NULL && strcmp(source, "this") != 0;
    if (search_term->kind != SETT_SEARCH_TERM || has_target || has_variable) {
        return "a link with a target, a list in braces, a comparison or a variable";
    }
    bool is_elsewhere = setti_search_is_elsewhere(search_term);
    bool is_plain = !search_term->negated && !search_term->optional && !is_elsewhere;
    if (in_list && !is_plain) {
        return "a list of || with anything but components of the entity";
    }
    memset(term, 0, sizeof(*term));
    term->component = search_term->component;
    term->access = search_term->negated ? SETT_NONE : search_term->access;
    if (search_term->negated) {
        term->kind = SETT_WITHOUT;
    } else if (search_term->optional) {
        term->kind = SETT_OPTIONAL;
    } else {
        term->kind = in_list ? SETT_ANY : SETT_WITH;
    }
    term->walk = search_term->walk;
    term->along = search_term->along;
    term->entity = search_term->source.entity;
    term->singleton = search_term->singleton;
    term->drives = search_term->drives;
    return NULL;
}

/* Makes all terms. If queries cannot have the term *number, returns what they cannot have.
 * Otherwise returns NULL. */
static const char* plain_terms(const setti_parsed* parsed, sett_query_desc* desc, uint32_t* number)
{
    uint32_t lists = 0;
    for (uint32_t k = 0; k < parsed->term_count; k++) {
        bool follows_or = k != 0 && parsed->term[k - 1].or_next;
        bool in_list = parsed->term[k].or_next || follows_or;
        if (in_list && !follows_or) { /* a list begins */
            lists++;
        }
        *number = k;
        if (lists > 1) {
            return "more than one list of ||";
        }
        if (k == SETT_QUERY_TERMS) {
            return "more than 32 terms";
        }
        const char* wrong = plain_term(&parsed->term[k], in_list, &desc->terms[k]);
        if (wrong != NULL) {
            return wrong;
        }
        const setti_type* type = setti_world_type(parsed->world, desc->terms[k].component);
        if (type->writers != NULL && desc->terms[k].access == SETT_INOUT) {
            desc->terms[k].access = SETT_IN; /* the program cannot set values of the type */
        }
    }
    return NULL;
}

/* Prepares `rank` from the order. Returns NULL, or what is wrong. An empty text means that the
 * error was reported already. */
static const char* plain_order(const setti_parsed* parsed, setti_rank* rank, char* message)
{
    const sett_search_order* order = &parsed->order;
    const sett_search_ref* ref[] = {&order->group_of, &order->cascade_of, &order->by.of};
    for (uint32_t k = 0; k < 3; k++) {
        bool is_other = ref[k]->variable != NULL && strcmp(ref[k]->variable, "this") != 0;
        if (is_other || !sett_is_null(ref[k]->entity)) {
            return "a query is ordered by values of $this - leave out the other variable or entity";
        }
    }
    if (order->group_by == 0 && order->group_of.variable != NULL) {
        return "a relationship is missing after group_by - name one";
    }
    if (setti_rank_resolve(parsed->world, order, rank, message) != SETT_OK) {
        return message;
    }
    return NULL;
}

sett_status sett_query_parse(sett_world* world, const char* text, sett_query_desc* desc)
{
    if (SETTI_IS_NULL(world) || SETTI_IS_NULL(text) || SETTI_IS_NULL(desc)) {
        return SETT_STATUS_ARGUMENT;
    }
    if (setti_world_check_serial(world, "sett_query_parse") != SETT_OK) {
        return world->error;
    }
    return setti_query_parse(world, text, "sett_query_parse", desc, NULL);
}

SETTI_COLD sett_status setti_query_parse(sett_world* world, const char* text, const char* call,
                                         sett_query_desc* desc, setti_rank* rank)
{
    setti_parsed* parsed;
    sett_status status = setti_search_parse(world, text, call, &parsed);
    memset(desc, 0, sizeof(*desc));
    if (status != SETT_OK) {
        return status;
    }
    uint32_t number = 0;
    const char* wrong = plain_terms(parsed, desc, &number);
    char message[SETTI_MESSAGE_SIZE];
    const char* wrong_order = NULL;
    if (rank != NULL) {
        wrong_order = plain_order(parsed, rank, message);
    }
    if (wrong == NULL && parsed->column[SETTI_AT_ORDER] != 0 && rank == NULL) {
        wrong = "an order";
        number = SETTI_AT_ORDER;
    }
    if (wrong != NULL) {
        snprintf(message, sizeof(message), "a query cannot have %s - use sett_search_create",
                 wrong);
        status = setti_search_fail(world, SETT_STATUS_ARGUMENT, call, text, parsed->column[number],
                                   message);
    } else if (wrong_order != NULL && wrong_order[0] == '\0') {
        status = world->error; /* reported already */
    } else if (wrong_order != NULL) {
        status = setti_search_fail(world, SETT_STATUS_ARGUMENT, call, text,
                                   parsed->column[SETTI_AT_ORDER], wrong_order);
    }
    setti_parsed_free(parsed);
    return status;
}

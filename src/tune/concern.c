/* concern.c: see concern.h.
 *
 * The workload: a thousand types, each in a query or two. A change is priced over the queries that
 * have a type to move. The lists spare a search of all queries.
 *
 *     first    by type id       -> 4       .       -> 7
 *     entry    query, next      4: Q, 2    2: R    7: Q       one list for each type
 *
 * Invariant:  a query with a sampled loop is in the lists of all its types
 */
#include "tune/concern.h"

#include "world/change.h"

#define CONCERN_STAMPS 0x7FFFFFFFu /* mask: setti_relayout_use.stamp has 31 bits */

static bool concern_is_sampled(const sett_query* query)
{
    return query->use[SETTI_SAMPLED].loops != 0 && query->required != 0;
}

static void concern_list_queries(setti_concerns* concerns, const sett_world* world)
{
    uint32_t count = 0;
    for (sett_query* query = setti_query_first(world); query != NULL; query = query->next) {
        query->grouped.stamp = 0;
        if (!concern_is_sampled(query)) {
            continue;
        }
        for (uint32_t k = 0; k < query->term_count; k++) {
            uint32_t* first = &concerns->first[query->term[k].type->id];
            concerns->entry[count] = (setti_concern_entry){query, *first};
            *first = count++;
        }
    }
}

void setti_concerns_init(setti_concerns* concerns, sett_world* world)
{
    memset(concerns, 0, sizeof(*concerns));
    for (uint32_t k = 0; k < world->registered.count; k++) {
        concerns->types = SETTI_MAX(concerns->types, world->registered.item[k]->id + 1);
    }
    for (const sett_query* q = setti_query_first(world); q != NULL; q = q->next) {
        concerns->queries++;
        if (concern_is_sampled(q)) {
            concerns->entries += q->term_count;
        }
    }
    size_t entry_size = (size_t)concerns->entries * sizeof(setti_concern_entry);
    size_t found_size = (size_t)concerns->queries * sizeof(sett_query*);
    size_t size = entry_size + found_size + (size_t)concerns->types * sizeof(uint32_t);
    if (size == 0) {
        return;
    }
    unsigned char* memory = setti_pool_alloc(&world->pool, size, 16);
    if (memory == NULL) {
        return;
    }
    concerns->size = size;
    concerns->entry = (setti_concern_entry*)(void*)memory;
    concerns->found = (sett_query**)(void*)(memory + entry_size);
    concerns->first = (uint32_t*)(void*)(memory + entry_size + found_size);
    memset(concerns->first, 0xFF, (size_t)concerns->types * sizeof(uint32_t)); /* SETTI_NONE */
    concern_list_queries(concerns, world);
}

void setti_concerns_deinit(setti_concerns* concerns, sett_world* world)
{
    if (concerns->first != NULL) {
        setti_pool_free(&world->pool, concerns->entry, concerns->size, 16);
        concerns->first = NULL;
    }
}

/* Adds the queries that have a type to the list. Each query is added once. */
static void concern_add_type(const setti_concerns* concerns, const setti_type* type,
                             setti_price_list* list)
{
    SETTI_ASSERT(type->id < concerns->types);
    uint32_t entry = concerns->first[type->id];
    while (entry != SETTI_NONE) {
        sett_query* query = concerns->entry[entry].query;
        if (query->grouped.stamp != concerns->stamp) { /* not in the list yet */
            query->grouped.stamp = concerns->stamp & CONCERN_STAMPS;
            list->query[list->count++] = query;
        }
        entry = concerns->entry[entry].next;
    }
}

/* Adds the queries that have a type that a group owns. `group` may be NULL. */
static void concern_add_owned(const setti_concerns* concerns, const setti_listener* group,
                              setti_price_list* list)
{
    if (group == NULL) {
        return;
    }
    for (uint32_t k = 0; k < group->owned.count; k++) {
        concern_add_type(concerns, group->owned.item[k], list);
    }
}

/* Adds the queries that the creation of a group for `query` may concern. */
static void concern_add_new_group(const setti_concerns* concerns, const sett_query* query,
                                  setti_price_list* list)
{
    for (uint32_t terms = setti_price_owned(query); terms != 0; terms &= terms - 1) {
        const setti_type* type = query->term[setti_bits_lowest(terms)].type;
        concern_add_type(concerns, type, list);
        concern_add_owned(concerns, type->owner, list); /* the present owner would be destroyed */
    }
}

const setti_price_list* setti_concerns_find(setti_concerns* concerns, const setti_relayout* change,
                                            setti_price_list* list)
{
    if (concerns->first == NULL) {
        return NULL;
    }
    concerns->stamp++;
    list->query = concerns->found;
    list->count = 0;
    if (change->type != NULL) {
        concern_add_type(concerns, change->type, list);
    }
    if (change->group != NULL) {
        concern_add_new_group(concerns, change->group, list);
    }
    concern_add_owned(concerns, change->dissolved, list);
    return list;
}

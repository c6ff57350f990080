/* elsewhere.c: terms about another entity than the visited entity: the parent, an ancestor, the
 * prefab, the target of a relationship, a fixed entity, the singletons.
 *
 * The workload: transforms relative to a parent; settings of a level; values of a prefab for its
 * instances. Terms about the visited entity are tested first. For each row that is left, a loop
 * tests the terms about other entities. It follows the links again when a value is read. To follow
 * a link takes two cache lines, which neighbouring rows usually share.
 *
 * The terms are in a separate list (query->elsewhere). Plans, groups and advice do not depend on
 * the list, and a query with an empty list pays nothing.
 *
 * Invariant:  a row is handed out if all terms are true; switched-off components count as absent
 */
#include "query/along.h"
#include "query/steps.h"

/* Returns term `k`. Returns NULL if term `k` is about the visited entity, or does not exist. */
static const setti_elsewhere* elsewhere_of(const sett_query* query, uint32_t k)
{
    if (k < query->term_count || k >= query->term_count + query->elsewhere_count) {
        return NULL;
    }
    return &query->elsewhere[k - query->term_count];
}

/* Finds the entity that has the component of a term when the entity `index` is visited. Returns
 * SETTI_NONE if no entity of the walk has the component. */
static uint32_t elsewhere_find(const sett_world* world, const setti_elsewhere* elsewhere,
                               uint32_t index)
{
    const sett_term* term = &elsewhere->given;
    SETTI_ASSERT(elsewhere->type != NULL);
    if (setti_term_is_fixed(term)) {
        index = setti_along_fixed(world, term->singleton, term->entity);
    }
    return setti_along_find(setti_world_type(world, term->along), term->walk, elsewhere->type,
                            index);
}

/* Whether a term is true when the entity `index` is visited. */
SETTI_INLINE bool elsewhere_is_true(const sett_world* world, const setti_elsewhere* elsewhere,
                                    uint32_t index)
{
    if (elsewhere->given.kind == SETT_OPTIONAL) {
        return true;
    }
    bool found = elsewhere_find(world, elsewhere, index) != SETTI_NONE;
    bool wanted = elsewhere->given.kind == SETT_WITH; /* the other kind left is SETT_WITHOUT */
    return found == wanted;
}

/* Whether all terms about other entities are true when the entity `index` is visited. */
SETTI_INLINE bool elsewhere_are_true(const sett_query* query, uint32_t index)
{
    for (uint32_t k = 0; k < query->elsewhere_count; k++) {
        if (!elsewhere_is_true(query->world, &query->elsewhere[k], index)) {
            return false;
        }
    }
    return true;
}

bool setti_elsewhere_is(const sett_query* query, uint32_t index)
{
    return elsewhere_are_true(query, index);
}

bool setti_elsewhere_is_all(const sett_query* query)
{
    if (query->term_count != 0) {
        return false;
    }
    for (uint32_t k = 0; k < query->elsewhere_count; k++) {
        if (!setti_term_is_fixed(&query->elsewhere[k].given)) {
            return false;
        }
    }
    return true;
}

bool setti_elsewhere_holds(const sett_query* query)
{
    for (uint32_t k = 0; k < query->elsewhere_count; k++) {
        const setti_elsewhere* elsewhere = &query->elsewhere[k];
        if (setti_term_is_fixed(&elsewhere->given) &&
            !elsewhere_is_true(query->world, elsewhere, SETTI_NONE)) {
            return false;
        }
    }
    return true;
}

void setti_elsewhere_match(sett_batch* batch)
{
    setti_loop* loop = setti_loop_of(batch);
    SETTI_ASSERT(loop->query->elsewhere_count != 0);
    for (uint32_t k = 0; k < loop->query->elsewhere_count; k++) { /* such terms have no fields */
        batch->fields[loop->query->term_count + k] = NULL;
    }
    for (uint32_t word = 0; word < loop->word_count; word++) {
        uint64_t matching = 0;
        for (uint64_t rest = loop->words[word]; rest != 0; rest &= rest - 1) {
            uint32_t bit = setti_bits_lowest(rest);
            uint32_t index = setti_step_index(batch, word * 64 + bit);
            matching |= (uint64_t)elsewhere_are_true(loop->query, index) << bit;
        }
        loop->words[word] = matching;
    }
}

/* Whether a relationship has at most one target for each source. This is true for Hierarchy and
 * InstanceOf, even before they are registered. */
static bool elsewhere_has_one_target(const sett_world* world, sett_component relationship)
{
    const setti_type* type = setti_world_type(world, relationship);
    if (type != NULL) {
        return setti_along_is_one(type);
    }
    return relationship == SETT_ID_HIERARCHY || relationship == SETT_ID_INSTANCE_OF;
}

const char* setti_elsewhere_check(const sett_world* world, const sett_term* term)
{
    bool up_hierarchy = term->along == 0; /* the default */
    if (term->walk == SETT_WALK_NONE || up_hierarchy ||
        elsewhere_has_one_target(world, term->along)) {
        return NULL;
    }
    return "`along` is not a relationship with one target for each source - use "
           "the hierarchy, or a relationship without `many`";
}

void setti_elsewhere_add(sett_query* query, const sett_term* given)
{
    SETTI_ASSERT(query->elsewhere_count < SETT_QUERY_ELSEWHERE);
    setti_elsewhere* elsewhere = &query->elsewhere[query->elsewhere_count++];
    elsewhere->type = setti_world_type(query->world, given->component);
    elsewhere->given = *given;
    elsewhere->given.along = given->along != 0 ? given->along : SETT_ID_HIERARCHY; /* the default */
    SETTI_ASSERT(elsewhere->type != NULL);
}

SETTI_COLD static void elsewhere_misuse(const sett_query* query, uint32_t k, const char* call,
                                        const char* what)
{
    if (SETTI_DEBUG) {
        setti_world_misuse_with(query->world, SETT_STATUS_ARGUMENT,
                                "%s: term %u of query \"%.100s\" %s", call, (unsigned)k,
                                query->open.name, what);
    }
}

/* What the program asks for: the entity, or its value to read or to write. */
typedef enum elsewhere_use {
    ELSEWHERE_ENTITY,
    ELSEWHERE_READS,
    ELSEWHERE_WRITES
} elsewhere_use;

/* Finds the entity that has the component of term `k`, for a row of a batch. Returns SETTI_NONE if
 * there is no such entity, or after a misuse. *term becomes the term. It becomes NULL if no term
 * about another entity has the number `k`. */
static uint32_t elsewhere_find_for_row(const sett_batch* batch, uint32_t k, uint32_t row,
                                       elsewhere_use use, const char* call,
                                       const setti_elsewhere** term)
{
    static const char* const itself[] = {
        "is about the visited entity itself - use sett_batch_entity",
        "is about the visited entity itself - use SETT_FIELD",
        "is about the visited entity itself - use SETT_FIELD_MUT",
    };
    const sett_query* query = setti_loop_of(batch)->query;
    const setti_elsewhere* elsewhere = elsewhere_of(query, k);
    *term = elsewhere;
    if (SETTI_UNLIKELY(elsewhere == NULL)) {
        const char* wrong = "does not exist - pass the number of a term about another entity";
        if (k < query->term_count) {
            wrong = itself[use];
        }
        elsewhere_misuse(query, k, call, wrong);
        return SETTI_NONE;
    }
    if (SETTI_UNLIKELY(use == ELSEWHERE_WRITES && elsewhere->given.access == SETT_IN)) {
        elsewhere_misuse(query, k, call,
                         "is declared as read only - declare SETT_INOUT or SETT_OUT to write it");
        return SETTI_NONE;
    }
    return elsewhere_find(query->world, elsewhere, sett_batch_index(batch, row));
}

sett_entity sett_batch_source(const sett_batch* batch, uint32_t k, uint32_t row)
{
    const setti_elsewhere* term; /* not used here */
    uint32_t index = elsewhere_find_for_row(batch, k, row, ELSEWHERE_ENTITY, __func__, &term);
    if (index == SETTI_NONE) {
        return sett_null();
    }
    return setti_entity_at(&setti_loop_of(batch)->query->world->entities, index);
}

SETTI_INLINE const void* elsewhere_read(const sett_batch* batch, uint32_t k, uint32_t row,
                                        const char* call)
{
    const setti_elsewhere* term;
    uint32_t index = elsewhere_find_for_row(batch, k, row, ELSEWHERE_READS, call, &term);
    if (index == SETTI_NONE) {
        return NULL;
    }
    return setti_storage_find(&term->type->storage, index);
}

SETTI_INLINE void* elsewhere_write(const sett_batch* batch, uint32_t k, uint32_t row,
                                   const char* call)
{
    const setti_elsewhere* term;
    uint32_t index = elsewhere_find_for_row(batch, k, row, ELSEWHERE_WRITES, call, &term);
    if (index == SETTI_NONE) {
        return NULL;
    }
    setti_pool* pool = &setti_loop_of(batch)->query->world->pool;
    return setti_storage_find_mut(pool, &term->type->storage, index);
}

const void* sett_batch_from(const sett_batch* batch, uint32_t k, uint32_t row)
{
    return elsewhere_read(batch, k, row, __func__);
}

void* sett_batch_from_mut(const sett_batch* batch, uint32_t k, uint32_t row)
{
    return elsewhere_write(batch, k, row, __func__);
}

sett_entity sett_find_up(const sett_world* world, sett_entity entity, sett_component relationship,
                         sett_component component)
{
    if (SETTI_IS_NULL(world) || !setti_entity_is_current(&world->entities, entity)) {
        return sett_null();
    }
    const setti_type* type = setti_world_type(world, component);
    const setti_type* link = setti_world_type(world, relationship);
    bool has_one_target = elsewhere_has_one_target(world, relationship);
    if (type == NULL) {
        setti_world_misuse(world, SETT_STATUS_UNREGISTERED, __func__, entity, component);
        return sett_null();
    }
    if (link == NULL && !has_one_target) {
        setti_world_misuse(world, SETT_STATUS_UNREGISTERED, __func__, entity, relationship);
        return sett_null();
    }
    if (!has_one_target) {
        if (SETTI_DEBUG) {
            setti_world_misuse_with(
                world, SETT_STATUS_ARGUMENT,
                "%s: `along` is component %u \"%.100s\", not a relationship with "
                "one target for each source - pass such a relationship",
                __func__, (unsigned)relationship, setti_component_text(world, relationship));
        }
        return sett_null();
    }
    /* setti_along_find would skip switched-off components, which count here */
    setti_along_walk walk = {0};
    uint32_t index = entity.index;
    while (index != SETTI_NONE && !setti_storage_has(&type->storage, index)) {
        index = setti_along_next(&walk, link, index);
    }
    if (index == SETTI_NONE) {
        return sett_null();
    }
    return setti_entity_at(&world->entities, index);
}

void* sett_batch_from_checked_(const sett_batch* batch, uint32_t k, uint32_t row, bool mut,
                               size_t size, const char* type)
{
    const sett_query* query = setti_loop_of(batch)->query;
    const setti_elsewhere* elsewhere = elsewhere_of(query, k);
    const char* call = mut ? "SETT_FIELD_FROM_MUT" : "SETT_FIELD_FROM";
    if (SETTI_UNLIKELY(elsewhere != NULL &&
                       !setti_component_is_type(elsewhere->type, size, type))) {
        char wrong[SETTI_MESSAGE_SIZE];
        setti_component_describe_type(elsewhere->type, size, type, wrong, sizeof(wrong));
        setti_world_misuse_with(query->world, SETT_STATUS_ARGUMENT,
                                "%s: term %u of query \"%.100s\": %s - pass the term's type", call,
                                (unsigned)k, query->open.name, wrong);
        return NULL;
    }
    if (mut) {
        return elsewhere_write(batch, k, row, call);
    }
    return setti_unconst(elsewhere_read(batch, k, row, call));
}

/* explain.c: describes the plan of a query as text (sett_query_explain). Also reports a query that
 * matches no instance of a prefab, because instances share a component with their prefab. */
#include "base/writer.h"
#include "query/along.h"
#include "query/query.h"

/* Writes the names of the types of `terms`, each with its number of entities. */
static void explain_terms(setti_writer* text, const sett_query* query, uint32_t terms)
{
    const char* separator = "";
    SETTI_EACH_TERM(k, terms) {
        const setti_type* type = query->term[k].type;
        setti_writer_add(text, "%s%s (%u)", separator, type->desc.name,
                         (unsigned)type->storage.count);
        separator = ", ";
    }
}

/* Describes a loop over the pages of arrays and tags, or over all entities. */
static void explain_pages(setti_writer* text, const sett_query* query)
{
    uint32_t terms = query->required & query->positional;
    if (query->array_count == 0) {
        setti_writer_add(text, "all %u entities are looked at, because nothing is required",
                         (unsigned)query->world->entities.count);
    } else {
        setti_writer_add(text, "entities with ");
        if (query->cover != NULL && query->cover->owned.count == 0) { /* a tracked set */
            terms &= ~query->covered;
            setti_writer_add(text, "tracked set \"%s\" (%u)%s", query->cover->name,
                             (unsigned)query->cover->members.count, terms != 0 ? ", " : "");
        }
        explain_terms(text, query, terms);
        setti_writer_add(text, " are found by bits, 64 at a time, in the order of their indices");
    }
    if ((query->required & ~query->positional) != 0) { /* why no sparse set drives */
        setti_writer_add(text, "; %s",
                         query->drives != 0
                             ? "the query says so"
                             : "gathering around a sparse-set type is estimated to cost more");
    }
}

/* Describes a loop over the rows of a sparse set or of a group. */
static void explain_driver(setti_writer* text, const sett_query* query, const setti_plan* plan)
{
    SETTI_ASSERT(plan->driver < query->term_count);
    const setti_type* type = query->term[plan->driver].type;
    if (query->arranged == plan->in_place && query->arranged != 0) {
        setti_writer_add(text,
                         "the first %u rows of what group \"%s\" owns are walked as plain arrays",
                         (unsigned)plan->limit, query->cover->name);
        return;
    }
    setti_writer_add(text, "sparse-set %s drives with its %u rows, ", type->desc.name,
                     (unsigned)type->storage.count);
    if (query->drives != 0) {
        setti_writer_add(text, "because the query says so");
    } else if (query->array_count == 0 && query->arranged == 0) {
        setti_writer_add(text, "because it is the smallest required set");
    } else {
        setti_writer_add(text, "because it is estimated to cost the least");
    }
}

/* Writes which terms about fixed entities are false now: because of these, no entity matches. */
static void explain_missing(setti_writer* text, const sett_query* query)
{
    for (uint32_t k = 0; k < query->elsewhere_count; k++) {
        const sett_term* term = &query->elsewhere[k].given;
        const setti_type* type = query->elsewhere[k].type;
        bool walks_on = term->walk != SETT_WALK_NONE;
        if (!setti_term_is_fixed(term) || walks_on || term->kind != SETT_WITH) {
            continue;
        }
        uint32_t index = setti_along_fixed(query->world, term->singleton, term->entity);
        if (index == SETTI_NONE || !setti_storage_has(&type->storage, index)) {
            setti_writer_add(text, "; nothing matches now, because %s %s",
                             term->singleton ? "there is no singleton" : "the term's entity lacks",
                             type->desc.name);
        }
    }
}

/* At most this many prefabs are looked at, and at most this many instances. */
#define SHARED_SAMPLES 64

/* Returns the terms of types that instances share with their prefabs. */
static uint32_t shared_terms(const sett_query* query)
{
    uint32_t shared = 0;
    for (uint32_t k = 0; k < query->term_count; k++) {
        shared |= (uint32_t)((query->term[k].type->flags & SETTI_TYPE_SHARED) != 0) << k;
    }
    return shared;
}

static void explain_shared(setti_writer* text, const sett_query* query)
{
    SETTI_EACH_TERM(k, shared_terms(query)) {
        const char* name = query->term[k].type->desc.name;
        setti_writer_add(text,
                         "; instances that share %s with their prefab count as without it: "
                         "SETT_SHARED(%s) sees the prefab's",
                         name, name);
    }
}

/* Whether at least one entity has a type, and all entities that have the type are prefabs. Returns
 * false if more than SHARED_SAMPLES entities have the type. */
static bool shared_by_prefabs_alone(const sett_query* query, const setti_type* type)
{
    const setti_type* tag = setti_world_type(query->world, SETT_ID_PREFAB);
    if (tag == NULL || type->storage.count == 0 || type->storage.count > SHARED_SAMPLES) {
        return false;
    }
    SETTI_EACH_INDEX(index, &type->storage) {
        if (!setti_storage_has(&tag->storage, index)) {
            return false;
        }
    }
    return true;
}

/* Returns the first type, of the terms `shared`, that only prefabs have. Returns NULL if there is
 * no such type. */
static const setti_type* shared_find_type(const sett_query* query, uint32_t shared)
{
    SETTI_EACH_TERM(k, shared) {
        const setti_type* type = query->term[k].type;
        if (shared_by_prefabs_alone(query, type)) {
            return type;
        }
    }
    return NULL;
}

/* Whether the instance `index` would match the query if it had the shared components itself.
 *   shared  terms of types that instances share with their prefabs, as bits */
static bool shared_would_match(const sett_query* query, uint32_t shared, uint32_t index)
{
    const setti_type* relationship = setti_world_type(query->world, SETT_ID_INSTANCE_OF);
    uint32_t prefab = setti_along_target(relationship, index);
    SETTI_EACH_TERM(k, query->required | query->without) {
        uint32_t owner = (shared >> k & 1) != 0 ? prefab : index;
        bool required = (query->required >> k & 1) != 0;
        if (setti_storage_has(&query->term[k].type->storage, owner) != required) {
            return false;
        }
    }
    return !setti_query_is_hidden(query, index) && setti_elsewhere_is(query, index);
}

SETTI_COLD void setti_query_check_shared(const sett_query* query)
{
    const setti_type* relationship = setti_world_type(query->world, SETT_ID_INSTANCE_OF);
    uint32_t shared = shared_terms(query) & query->required;
    const setti_type* prefab_type = shared_find_type(query, shared);
    if (prefab_type == NULL || relationship == NULL) {
        return;
    }
    uint32_t instances = 0; /* number of instances looked at so far */
    SETTI_EACH_INDEX(index, &relationship->storage) {
        if (instances == SHARED_SAMPLES) {
            return;
        }
        instances++;
        if (shared_would_match(query, shared, index)) {
            setti_world_misuse_with(
                query->world, SETT_STATUS_ABSENT,
                "query \"%.100s\" matches no instance of a prefab: instances share the prefab's "
                "\"%.100s\", and have none of their own - use SETT_SHARED(%.100s), after the "
                "other terms",
                query->open.name, prefab_type->desc.name, prefab_type->desc.name);
            return;
        }
    }
}

/* Writes which tags hide entities from the query, each with its number of entities. */
static void explain_hidden(setti_writer* text, const sett_query* query)
{
    for (uint32_t k = 0; k < query->hidden_count; k++) {
        const setti_type* type = query->hidden[k].type;
        if (type->storage.count != 0) {
            setti_writer_add(text, "; those with %s (%u) are skipped", type->desc.name,
                             (unsigned)type->storage.count);
        }
    }
}

SETTI_COLD size_t sett_query_explain(const sett_query* given, char* out, size_t size)
{
    sett_query* query = setti_unconst(given); /* the plan, a cache, may be updated */
    setti_writer text = setti_writer_begin(out, size);
    if (SETTI_IS_NULL(query)) {
        return 0;
    }
    setti_plan plan;
    setti_plan_update(query);
    setti_plan_make(query, &plan);
    setti_writer_add(&text, "query \"%s\": ", query->open.name);
    uint32_t tested;
    if (plan.driver == SETTI_NO_DRIVER) {
        explain_pages(&text, query);
        tested = query->filter;
    } else {
        explain_driver(&text, query, &plan);
        tested = plan.residual;
    }
    if (tested != 0) {
        setti_writer_add(&text, "; tested for each: ");
        explain_terms(&text, query, tested);
    }
    if ((query->any | query->changed) != 0) {
        setti_writer_add(&text, "; then, of what is left, asked for each: ");
        explain_terms(&text, query, query->any | query->changed);
    }
    explain_hidden(&text, query);
    uint32_t gathered = query->fields & ~plan.in_place;
    if (gathered != 0) {
        setti_writer_add(&text, "; copied together, because they lie in another order: ");
        explain_terms(&text, query, gathered);
    }
    explain_missing(&text, query);
    explain_shared(&text, query);
    setti_writer_add(&text, ".");
    return text.length;
}

/* query.c: creates and destroys queries, and checks the typed access to fields. Creation computes
 * the members that depend only on the terms; plan.c computes the members that depend on the world.
 *
 * The workload: some hundreds of queries, created when a program starts. In debug builds, a check
 * of each access to a field.
 *
 * Invariant:  a query is in the list of the world from sett_query_create to sett_query_destroy
 */
#include "query/query.h"

#include "base/writer.h"

#include <stdio.h>

#define QUERY_NAME_SIZE 96

/* Writes how a term walks to another entity, for example "up" or "up Likes". */
static void query_add_walk(setti_writer* writer, const sett_world* world, const sett_term* term)
{
    static const char* const walks[] = {"", "target", "up", "self|up"};
    SETTI_ASSERT((unsigned)term->walk <= SETT_WALK_SELF_UP);
    bool in_hierarchy = term->along == 0 || term->along == SETT_ID_HIERARCHY;
    if (in_hierarchy) {
        bool to_parent = term->walk == SETT_WALK_ONE;
        setti_writer_add(writer, "%s", to_parent ? "parent" : walks[term->walk]);
    } else if (term->along == SETT_ID_INSTANCE_OF && term->walk == SETT_WALK_SELF_UP) {
        setti_writer_add(writer, "prefab");
    } else {
        const char* relationship = sett_component_name(world, term->along);
        setti_writer_add(writer, "%s", walks[term->walk]);
        if (relationship != NULL) { /* NULL: not registered */
            setti_writer_add(writer, " %s", relationship);
        }
    }
}

/* Writes which entity a term is about, for example "(up)" or "(#7:2|up Likes)". */
static void query_add_place(setti_writer* writer, const sett_world* world, const sett_term* term)
{
    bool walks_on = term->walk != SETT_WALK_NONE;
    setti_writer_add(writer, "(");
    if (term->singleton) {
        setti_writer_add(writer, "singleton");
    } else if (setti_term_is_fixed(term)) {
        setti_writer_add(writer, "#%u:%u", SETTI_HANDLE(term->entity));
    }
    if (setti_term_is_fixed(term) && walks_on) {
        setti_writer_add(writer, "|");
    }
    if (walks_on) {
        query_add_walk(writer, world, term);
    }
    setti_writer_add(writer, ")");
}

/* Makes a name from the terms of a query, for example "Position, no Frozen, Health(up)". Returns
 * the name. Uses `out` for the text. */
static const char* query_default_name(const sett_world* world, const sett_query_desc* desc,
                                      char out[QUERY_NAME_SIZE])
{
    static const char* const prefixes[] = {"", "no ", "maybe ", "any "}; /* by sett_term_kind */
    setti_writer writer = setti_writer_begin(out, QUERY_NAME_SIZE);
    uint32_t count = setti_term_count(desc->terms);
    for (uint32_t k = 0; k < count; k++) {
        const setti_type* type = setti_world_type(world, desc->terms[k].component);
        if (type != NULL) {
            setti_writer_add(&writer, "%s%s%s", writer.length != 0 ? ", " : "",
                             prefixes[desc->terms[k].kind], type->desc.name);
            if (setti_term_is_elsewhere(&desc->terms[k])) {
                query_add_place(&writer, world, &desc->terms[k]);
            }
        }
    }
    return count != 0 ? out : "everything";
}

/* Reports that the component of term `k` is not registered. Returns the error. */
static sett_status query_unregistered(sett_world* world, const char* call, const char* name,
                                      const sett_query_desc* desc, uint32_t k)
{
    sett_component component = desc->terms[k].component;
    char query[QUERY_NAME_SIZE + 16];
    if (component == UINT32_MAX) { /* terms have UINT32_MAX for id 0, because 0 ends their list */
        component = 0;
    }
    if (name[0] != '\0') {
        snprintf(query, sizeof(query), "\"%.100s\"", name);
    } else {
        uint32_t count = setti_term_count(desc->terms);
        snprintf(query, sizeof(query), "a query of %u term%s", (unsigned)count,
                 count != 1 ? "s" : "");
    }
    return setti_world_fail_with(
        world, SETT_STATUS_UNREGISTERED,
        "%s: %s: term %u: component %u is not registered in this world - %s", call, query,
        (unsigned)k, (unsigned)component, setti_component_remedy(component));
}

/* Whether the program may write the values of a term. */
static bool query_writes(const sett_term* term)
{
    if (term->kind == SETT_WITHOUT) {
        return false;
    }
    return term->access == SETT_INOUT || term->access == SETT_OUT;
}

/* Returns how two terms contradict each other, as the end of a message. Returns NULL if they do
 * not. */
static const char* query_contradiction(const sett_term* a, const sett_term* b)
{
    if (a->component != b->component) {
        return NULL;
    }
    SETTI_ASSERT(a->component == b->component);
    if ((a->kind == SETT_WITHOUT) != (b->kind == SETT_WITHOUT)) {
        return "in one term and excluded by another - remove one of them";
    }
    if (query_writes(a) && query_writes(b)) {
        return "written by two terms - declare one of them SETT_IN or SETT_NONE";
    }
    return NULL;
}

/* Checks each term with its type, and with the terms before it. Reports the first error. */
static sett_status query_check_types(sett_world* world, const char* call, const char* name,
                                     const sett_query_desc* desc)
{
    uint32_t count = setti_term_count(desc->terms);
    for (uint32_t k = 0; k < count; k++) {
        const sett_term* term = &desc->terms[k];
        const setti_type* type = setti_world_type(world, term->component);
        if (type == NULL) {
            return query_unregistered(world, call, name, desc, k);
        }
        if (type->writers != NULL && query_writes(term) && type->storage.size != 0) {
            return setti_world_fail_with(
                world, SETT_STATUS_ARGUMENT,
                "%s: query \"%.100s\": values of \"%.100s\" are written by the library - declare "
                "the term SETT_IN; to write, call %s",
                call, name, type->desc.name, type->writers);
        }
        if (setti_term_is_elsewhere(term)) {
            const char* wrong = setti_elsewhere_check(world, term);
            if (wrong != NULL) {
                return setti_term_reject(world, desc->terms, k, call, name, wrong);
            }
            continue; /* terms about different entities do not contradict each other */
        }
        for (uint32_t earlier = 0; earlier < k; earlier++) {
            const char* wrong = query_contradiction(&desc->terms[earlier], term);
            if (wrong != NULL) {
                return setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                                             "%s: query \"%.100s\": \"%.100s\" is %s", call, name,
                                             type->desc.name, wrong);
            }
        }
    }
    return SETT_OK;
}

/* Plans room in the scratch of a loop: for copies of the term's values, then for their sources. */
static void query_add_scratch(sett_query* query, setti_term* term)
{
    const setti_storage* storage = &term->type->storage;
    SETTI_ASSERT(storage->size != 0);
    query->scratch_align = SETTI_MAX(query->scratch_align, storage->align);
    size_t copies = setti_align_up(query->scratch_size, storage->align);
    size_t copies_end = copies + (size_t)storage->size * SETTI_GATHER_ROWS;
    size_t sources = setti_align_up(copies_end, sizeof(setti_source));
    term->copies_offset = (uint32_t)copies;
    term->sources_offset = (uint32_t)sources;
    query->scratch_size = (uint32_t)(sources + sizeof(setti_source) * SETTI_GATHER_ROWS);
}

static void query_add_term(sett_query* query, const sett_term* given)
{
    uint32_t bit = (uint32_t)1 << query->term_count;
    SETTI_ASSERT(query->term_count < SETT_QUERY_TERMS);
    setti_term* term = &query->term[query->term_count++];
    term->type = setti_world_type(query->world, given->component);
    SETTI_ASSERT(term->type != NULL);
    term->kind = given->kind;
    term->access = given->kind == SETT_WITHOUT ? SETT_NONE : given->access;
    const setti_storage* storage = &term->type->storage;
    term->has_field = term->access != SETT_NONE && storage->size != 0;
    query->required |= term->kind == SETT_WITH ? bit : 0;
    query->without |= term->kind == SETT_WITHOUT ? bit : 0;
    query->any |= term->kind == SETT_ANY ? bit : 0;
    bool may_be_absent = term->kind == SETT_OPTIONAL || term->kind == SETT_ANY;
    query->optional |= may_be_absent ? bit : 0;
    query->changed |= given->changed ? bit : 0;
    query->drives |= given->drives ? bit : 0;
    query->fields |= term->has_field ? bit : 0;
    bool writes = term->has_field && term->access != SETT_IN;
    query->written |= writes ? bit : 0;
    if (term->has_field) {
        query_add_scratch(query, term);
    }
}

static void query_update_all(sett_world* world)
{
    for (sett_query* query = setti_query_first(world); query != NULL; query = query->next) {
        setti_plan_update(query);
    }
}

/* Returns the name of the first query with a term of the type. Returns NULL if there is no such
 * query. */
static const char* query_of_type(const sett_world* world, const setti_type* type)
{
    for (const sett_query* query = setti_query_first(world); query != NULL; query = query->next) {
        for (uint32_t k = 0; k < query->term_count; k++) {
            if (query->term[k].type == type) {
                return query->open.name;
            }
        }
        for (uint32_t k = 0; k < query->elsewhere_count; k++) {
            if (query->elsewhere[k].type == type) {
                return query->open.name;
            }
        }
    }
    return NULL;
}

/* Frees the memory that queries can do without. */
static void query_trim_all(sett_world* world)
{
    for (sett_query* query = setti_query_first(world); query != NULL; query = query->next) {
        setti_lists_free(query);
        query->lists.due = 1; /* the next loop decides again whether to remember steps */
        query->lists.decided = false;
    }
}

static void query_count_all(const sett_world* world, sett_stats* stats)
{
    for (const sett_query* query = setti_query_first(world); query != NULL; query = query->next) {
        stats->queries++;
    }
}

static const char* query_validate_all(sett_world* world, const char** where)
{
    for (const sett_query* query = setti_query_first(world); query != NULL; query = query->next) {
        const char* found = setti_lists_validate(query);
        if (found != NULL) {
            *where = query->open.name;
            return found;
        }
    }
    return NULL;
}

/* Allocates a query, and computes all members. Returns NULL after an error. */
static sett_query* query_make(sett_world* world, const char* name, const sett_query_desc* desc,
                              const char* call)
{
    size_t name_size = strlen(name) + 1;
    sett_query* query = setti_world_alloc(world, sizeof(*query) + name_size, 64, call);
    if (query == NULL) {
        return NULL;
    }
    query->world = world;
    query->size = sizeof(*query) + name_size;
    query->open.name = memcpy(query + 1, name, name_size); /* the name follows the struct */
    uint32_t count = setti_term_count(desc->terms);
    query->scratch_size = (uint32_t)(sizeof(setti_gather_scratch) + count * sizeof(setti_gather));
    query->scratch_align = 64;
    for (uint32_t k = 0; k < count; k++) {
        if (setti_term_is_elsewhere(&desc->terms[k])) {
            setti_elsewhere_add(query, &desc->terms[k]);
        } else {
            query_add_term(query, &desc->terms[k]);
        }
    }
    query->lists.due = 1;
    query->version = world->listener_version - 1; /* old, so that the update computes all */
    setti_plan_update(query);
    return query;
}

/* Adds a query to the list of the world, and registers the calls for all queries. */
static void query_add_to_world(sett_query* query)
{
    static const setti_module_calls calls = {.slot = SETTI_SLOT_QUERIES,
                                             .trim = query_trim_all,
                                             .validate = query_validate_all,
                                             .holder = query_of_type,
                                             .kind = "query",
                                             .count = query_count_all,
                                             .update = query_update_all};
    sett_world* world = query->world;
    query->next = setti_query_first(world);
    if (query->next != NULL) {
        query->next->previous = query;
    }
    world->module[SETTI_SLOT_QUERIES] = query;
    setti_world_add_calls(world, &calls);
}

sett_query* sett_query_create_sized(sett_world* world, const sett_query_desc* desc, size_t size,
                                    size_t term_size)
{
    sett_query_desc full;
    static const char call[] = "sett_query_create";
    desc =
        setti_world_desc_terms(world, desc, size, term_size, &full, sizeof(full), full.terms, call);
    if (desc == NULL) {
        return NULL;
    }
    return setti_query_create(world, desc, call);
}

sett_query* setti_query_create(sett_world* world, const sett_query_desc* desc, const char* call)
{
    if (setti_world_check_serial(world, call) != SETT_OK) {
        return NULL;
    }
    uint32_t wrong_term;
    const char* wrong = setti_terms_check(desc->terms, SETTI_TERM_OF_LOOPS, &wrong_term);
    if (wrong != NULL) {
        const char* name = desc->name != NULL ? desc->name : "query";
        setti_term_reject(world, desc->terms, wrong_term, call, name, wrong);
        return NULL;
    }
    char default_name[QUERY_NAME_SIZE];
    const char* name = desc->name;
    if (name == NULL) {
        name = query_default_name(world, desc, default_name);
    }
    if (query_check_types(world, call, name, desc) != SETT_OK) {
        return NULL;
    }
    sett_query* query = query_make(world, name, desc, call);
    if (query != NULL) {
        query_add_to_world(query);
    }
    return query;
}

sett_world* setti_query_world(const void* query)
{
    return ((const sett_query*)query)->world;
}

SETTI_COLD void setti_query_free(sett_query* query)
{
    SETTI_ASSERT((query->previous == NULL) == (setti_query_first(query->world) == query));
    setti_pool* pool = &query->world->pool;
    SETTI_ASSERT(query->open.count == 0);
    if (query->previous != NULL) {
        query->previous->next = query->next;
    } else {
        query->world->module[SETTI_SLOT_QUERIES] = query->next;
    }
    if (query->next != NULL) {
        query->next->previous = query->previous;
    }
    setti_lists_free(query);
    setti_pool_free(pool, query, query->size, 64);
}

sett_status sett_query_destroy(sett_query* query)
{
    if (query == NULL) {
        return SETT_OK;
    }
    sett_status status = setti_world_check_serial(query->world, __func__);
    if (status != SETT_OK) {
        return status;
    }
    setti_world_close_returned(query->world);
    if (query->owned) {
        return setti_world_fail_with(query->world, SETT_STATUS_CONFLICT,
                                     "%s: query \"%.100s\" belongs to the system of the same "
                                     "name - destroy the system",
                                     __func__, query->open.name);
    }
    if (query->open.count != 0) {
        return setti_world_fail_with(query->world, SETT_STATUS_LOCKED,
                                     "%s: a loop over query \"%.100s\" is open - end it first "
                                     "(sett_query_end_all(world) ends loops left by mistake)",
                                     __func__, query->open.name);
    }
    setti_query_free(query);
    return SETT_OK;
}

void sett_query_end_all(sett_world* world)
{
    if (SETTI_IS_NULL(world)) {
        return;
    }
    while (world->open_loops != NULL) {
        setti_world_close_loops(world, world->open_loops);
    }
}

void sett_query_set_since(sett_query* query, uint64_t tick)
{
    if (!SETTI_IS_NULL(query) &&
        setti_world_check_serial(query->world, "sett_query_set_since") == SETT_OK) {
        query->since = tick;
        query->since_is_state = false;
    }
}

bool sett_query_term_at_sized(const sett_query* query, uint32_t k, sett_term* term, size_t size)
{
    if (SETTI_IS_NULL(query) || term == NULL || k >= query->term_count + query->elsewhere_count) {
        return false;
    }
    sett_term full = {0};
    if (k < query->term_count) {
        const setti_term* found = &query->term[k];
        full.component = found->type->id;
        full.access = found->access;
        full.kind = found->kind;
        full.changed = (query->changed >> k & 1) != 0;
        full.drives = (query->drives >> k & 1) != 0;
    } else {
        full = query->elsewhere[k - query->term_count].given;
        full.along = full.walk != SETT_WALK_NONE ? full.along : 0; /* meaningless without a walk */
        full.access = full.kind == SETT_WITHOUT ? SETT_NONE : full.access;
    }
    setti_copy_sized(term, size, &full, sizeof(full));
    return true;
}

/* Returns the first term with values of the C type `type`, or NULL if there is no such term. */
static const setti_term* query_term_of_type(const sett_query* query, size_t size, const char* type)
{
    for (uint32_t k = 0; k < query->term_count; k++) {
        const setti_term* term = &query->term[k];
        if (term->has_field && term->type->desc.type_name != NULL &&
            setti_component_is_type(term->type, size, type)) {
            return term;
        }
    }
    return NULL;
}

/* Writes why the program cannot use term `k` as a field of the C type `type`.
 *   size  bytes of the C type
 *   room  bytes of `out` */
SETTI_COLD static void query_describe_wrong_field(const sett_query* query, uint32_t k, size_t size,
                                                  const char* type, char* out, size_t room)
{
    if (k >= query->term_count + query->elsewhere_count) {
        snprintf(out, room, "the query has no such term - pass the number of a term, from 0 on");
        return;
    }
    if (k >= query->term_count) {
        snprintf(out, room, "the term is about another entity - use SETT_FIELD_FROM");
        return;
    }
    const setti_term* term = &query->term[k];
    if (!term->has_field) {
        bool is_tag = term->type->storage.size == 0;
        const char* why = is_tag ? "tags have no values" : "the term only tests for presence";
        snprintf(out, room, "\"%.100s\" has no field: %s - pass the number of a term with values",
                 term->type->desc.name, why);
        return;
    }
    /* the term that the program may mean */
    const setti_term* meant = query_term_of_type(query, size, type);
    char hint[64];
    if (meant != NULL) {
        snprintf(hint, sizeof(hint), " - term %u has values of this type",
                 (unsigned)(meant - query->term));
    } else if (term->type->links != NULL) {
        snprintf(hint, sizeof(hint), " - sett_related reads the data of a link");
    } else {
        snprintf(hint, sizeof(hint), " - add a term with values of this type");
    }
    char wrong[SETTI_MESSAGE_SIZE - sizeof(hint)];
    setti_component_describe_type(term->type, size, type, wrong, sizeof(wrong));
    snprintf(out, room, "%s%s", wrong, hint);
}

/* Reports that the program writes a read-only term, or reads a SETT_OUT term. */
SETTI_COLD static void query_wrong_access(const sett_query* query, uint32_t k, bool mut,
                                          const char* call)
{
    setti_world_misuse_with(
        query->world, SETT_STATUS_ARGUMENT,
        mut ? "%s: term %u of query \"%.100s\" (\"%.100s\") is declared as read "
              "only - declare SETT_INOUT or SETT_OUT to write it"
            : "%s: term %u of query \"%.100s\" (\"%.100s\") is declared SETT_OUT, "
              "so its values must not be read - declare SETT_INOUT, or use "
              "SETT_FIELD_MUT to write",
        call, (unsigned)k, query->open.name, query->term[k].type->desc.name);
}

/* Returns the field of term `k`. If the values of the term are not of the C type `type`, reports a
 * misuse and returns NULL.
 *   mut   the program will write the values
 *   call  the macro that the program used */
SETTI_INLINE void* query_field(const sett_batch* given, uint32_t k, bool mut, size_t size,
                               const char* type, const char* call)
{
    sett_batch* batch = setti_unconst(given);
    const sett_query* query = setti_loop_of(batch)->query;
    const setti_term* term = k < query->term_count ? &query->term[k] : NULL;
    if (SETTI_UNLIKELY(term == NULL || !term->has_field ||
                       !setti_component_is_type(term->type, size, type))) {
        char wrong[SETTI_MESSAGE_SIZE];
        query_describe_wrong_field(query, k, size, type, wrong, sizeof(wrong));
        setti_world_misuse_with(query->world, SETT_STATUS_ARGUMENT,
                                "%s: term %u of query \"%.100s\" as %.60s: %s", call, (unsigned)k,
                                query->open.name, type, wrong);
        return NULL;
    }
    sett_access wrong_access = mut ? SETT_IN : SETT_OUT; /* IN: must not write; OUT: not read */
    if (term->access == wrong_access) {
        query_wrong_access(query, k, mut, call); /* reported, and yet allowed */
    }
    batch->checked_.terms[mut] |= (uint32_t)1 << k; /* later calls need not check again */
    batch->checked_.types[mut][k] = type;
    return batch->fields[k];
}

void* sett_batch_field_checked_(const sett_batch* batch, uint32_t k, bool mut, size_t size,
                                const char* type)
{
    return query_field(batch, k, mut, size, type, mut ? "SETT_FIELD_MUT" : "SETT_FIELD");
}

void* sett_batch_field_of_(const sett_batch* batch, sett_component component, bool mut, size_t size,
                           const char* type)
{
    const sett_query* query = setti_loop_of(setti_unconst(batch))->query;
    const char* call = mut ? "SETT_FIELD_OF_MUT" : "SETT_FIELD_OF";
    for (uint32_t k = 0; k < query->term_count; k++) {
        if (query->term[k].type->id == component && query->term[k].has_field) {
            bool checked = (batch->checked_.terms[mut] >> k & 1) != 0;
            if (checked && batch->checked_.types[mut][k] == type) {
                return batch->fields[k];
            }
            return query_field(batch, k, mut, size, type, call);
        }
    }
    bool elsewhere = false; /* becomes true if a term about another entity has the type */
    for (uint32_t k = 0; k < query->elsewhere_count; k++) {
        elsewhere = elsewhere || query->elsewhere[k].type->id == component;
    }
    setti_world_misuse_with(
        query->world, SETT_STATUS_ARGUMENT,
        elsewhere ? "%s: query \"%.100s\" has values of %.60s from another entity than the visited "
                    "one - use SETT_FIELD_FROM"
                  : "%s: query \"%.100s\" has no term with values of %.60s - add a term",
        call, query->open.name, type);
    return NULL;
}

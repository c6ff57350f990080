/* guard.c: reports undeclared accesses of systems, and suggests access lists. While systems are
 * watched, the table of types for fast paths looks empty. So each access takes the slow path, and
 * the slow path checks the access.
 *
 * The thread identifies the system (slice.c). Each system lists the used components, so that a
 * component is reported once:
 *
 *     used   | Position: read | Score: written, misses a declaration | - | -
 *
 * Invariant:  used lists each component once, without gaps;  flags only grow
 */
#include "run/run.h"

#include "base/writer.h"
#include "query/along.h"

#include <stdio.h>

/* The uses of a component by a system, by handle or in a loop over a query of the program. */
enum {
    GUARD_READS = 1,
    GUARD_WRITES = 2,
    GUARD_MISSES_READ = 4,  /* the component is missing in access_any_in */
    GUARD_MISSES_WRITE = 8, /* the component is missing in access_any_inout */
    GUARD_REPORTED = 16     /* the missing declaration was reported */
};

/* Returns the system's entry for a component, or a free entry. Returns NULL if all entries belong
 * to other components. */
static setti_access_use* guard_find_use(sett_system* system, sett_component component)
{
    for (uint32_t k = 0; k < SETTI_GUARD_USES; k++) {
        uintptr_t used = setti_mark_get(&system->used[k].component);
        if (used == 0 || used == component) {
            return &system->used[k];
        }
    }
    return NULL;
}

/* Adds flags to the system's entry for a component. Returns true if a flag is new. Returns false if
 * the entry has the flags already, or if the system has no free entry. */
static bool guard_note(setti_run* run, sett_system* system, sett_component component,
                       uint32_t flags)
{
    setti_access_use* use = guard_find_use(system, component);
    if (use == NULL || (setti_mark_get(&use->flags) & flags) == flags) {
        return false;
    }
    setti_lock_take(&run->guard_lock);
    use = guard_find_use(system, component); /* another job may have taken the entry */
    bool is_new = false;
    if (use != NULL) {
        uintptr_t before = setti_mark_get(&use->flags);
        is_new = (before & flags) != flags;
        if (is_new) {
            setti_mark_set(&use->flags, before | flags);
            setti_mark_set(&use->component, component); /* last: now other threads find the entry */
        }
    }
    setti_lock_release(&run->guard_lock);
    return is_new;
}

/* Notes that the system does not declare a use of a component. Returns true if the use must be
 * reported. Each component is reported once. */
static bool guard_note_missing(setti_run* run, sett_system* system, sett_component component,
                               bool reads)
{
    uint32_t flag = reads ? GUARD_MISSES_READ : GUARD_MISSES_WRITE;
    if (!guard_note(run, system, component, flag)) {
        return false;
    }
    setti_mark_set(&run->suggests, 1);
    setti_mark_set(&system->suggests, 1);
    return guard_note(run, system, component, GUARD_REPORTED);
}

/* Returns the system to check, or NULL if the access needs no check. */
static sett_system* guard_system(const sett_world* world, uint32_t access)
{
    SETTI_ASSERT(setti_run_of(world) != NULL && access != 0);
    if (access == SETTI_ACCESS_PRESENCE) {
        return NULL;
    }
    const setti_slice* slice = setti_slice_here(setti_run_of(world));
    return slice != NULL ? slice->system : NULL;
}

/* Whether a component is a singleton. Then the entity of the singletons has the component. */
static bool guard_is_singleton(const sett_world* world, sett_component component)
{
    const bool singleton = true;
    uint32_t index = setti_along_fixed(world, singleton, sett_null());
    return index != SETTI_NONE &&
           setti_storage_has(&setti_world_type(world, component)->storage, index);
}

/* Returns how the program can declare an access. */
static const char* guard_remedy(const sett_world* world, sett_component component, bool reads,
                                const char* call)
{
    bool is_singleton =
        guard_is_singleton(world, component) || strncmp(call, "sett_singleton", 14) == 0;
    if (is_singleton && reads) {
        return "declare a last term SETT_SINGLETON, or list the component in "
               "`access_any_in`";
    }
    if (reads) {
        return "declare a term SETT_IN, or list the component in `access_any_in`";
    }
    /* a term SETT_INOUT would be about visited entities only */
    if (is_singleton || strcmp(call, "sett_context_query") == 0) {
        return "list the component in `access_any_inout`";
    }
    if (setti_world_type(world, component)->writers != NULL) { /* terms cannot write the type */
        return "list the type in `access_inout` (visited entities) or `access_any_inout` (all)";
    }
    return "declare a term SETT_INOUT, or list the type in `access_inout` (visited "
           "entities) or `access_any_inout` (all)";
}

/* Whether another job of the running system visits an entity. */
static bool guard_is_of_other_job(const sett_world* world, sett_entity entity)
{
    const setti_slice* slice = setti_slice_here(setti_run_of(world));
    SETTI_ASSERT(slice != NULL);
    if (slice->count == 1) {
        return false;
    }
    uint32_t row = setti_query_row(slice->system->query, entity);
    if (row == SETTI_NONE) {
        return false; /* no job visits the entity */
    }
    return row < slice->from || row >= slice->to;
}

/* Notes an access by the running system. Reports the access if it is not declared. Returns true
 * if the access is declared, but other jobs of the system may write the component meanwhile. */
static bool guard_note_access(const sett_world* world, sett_component component, uint32_t access,
                              const char* call)
{
    sett_system* system = guard_system(world, access);
    bool reads = access == SETTI_ACCESS_READ;
    if (system == NULL) {
        return false;
    }
    uint32_t declared = setti_system_access(system, component);
    uint32_t flag = reads ? GUARD_READS : GUARD_WRITES;
    uint32_t sufficient = reads ? SETTI_ACCESS_READS : SETTI_ACCESS_WRITES;
    (void)guard_note(setti_run_of(world), system, component, flag);
    if ((declared & sufficient) != 0) {
        return (declared & SETTI_ACCESS_WRITE) != 0;
    }
    if (guard_note_missing(setti_run_of(world), system, component, reads)) {
        const char* verb = reads ? "reads" : "writes";
        const char* other_verb = reads ? "write" : "use"; /* the dangerous use by another system */
        setti_world_misuse_with(
            world, SETT_STATUS_CONFLICT,
            "%s: system \"%.100s\" %s \"%.100s\" without declaring it, and a system that runs at "
            "the same time may %s it - %s",
            call, system->name, verb, sett_component_name(world, component), other_verb,
            guard_remedy(world, component, reads, call));
    }
    return false;
}

/* Reports an access to values that another job of the system may write.
 *   entities  the entities with the values, for the message */
SETTI_COLD static void guard_report_job(const sett_world* world, sett_component component,
                                        uint32_t access, const char* entities, const char* call)
{
    sett_system* system = guard_system(world, access);
    bool reads = access == SETTI_ACCESS_READ;
    if (guard_note_missing(setti_run_of(world), system, component, reads)) {
        const char* verb = reads ? "reads" : "writes";
        const char* list = reads ? "access_any_in" : "access_any_inout";
        setti_world_misuse_with(
            world, SETT_STATUS_CONFLICT,
            "%s: system \"%.100s\" %s \"%.100s\" of %s, while another job of the system may write "
            "it - list the component in `%s`, or set `single_job`",
            call, system->name, verb, sett_component_name(world, component), entities, list);
    }
}

/* Checks an access to the value of an entity. */
static void guard_check_one(const sett_world* world, sett_entity entity, sett_component component,
                            uint32_t access, const char* call)
{
    bool jobs_may_write = guard_note_access(world, component, access, call);
    if (jobs_may_write && guard_is_of_other_job(world, entity)) {
        char entities[32];
        snprintf(entities, sizeof(entities), "entity %u:%u", SETTI_HANDLE(entity));
        guard_report_job(world, component, access, entities, call);
    }
}

/* Checks an access to the values of all entities, in a loop. */
static void guard_check_all(const sett_world* world, sett_component component, uint32_t access,
                            const char* call)
{
    bool jobs_may_write = guard_note_access(world, component, access, call);
    if (jobs_may_write && setti_system_splits(guard_system(world, access))) {
        guard_report_job(world, component, access, "all entities", call);
    }
}

/* Checks the access that a term of a loop declares. */
static void guard_check_term(const sett_world* world, const setti_type* type, sett_term_kind kind,
                             sett_access access)
{
    bool has_value = kind != SETT_WITHOUT && access != SETT_NONE && type->storage.size != 0;
    if (has_value) { /* presence needs no check */
        uint32_t checked_access = access == SETT_IN ? SETTI_ACCESS_READ : SETTI_ACCESS_WRITE;
        guard_check_all(world, type->id, checked_access, "sett_context_query");
    }
}

void setti_guard_check_query(const sett_world* world, const sett_query* query)
{
    if (world->guard == NULL) {
        return;
    }
    for (uint32_t k = 0; k < query->term_count; k++) {
        const setti_term* term = &query->term[k];
        guard_check_term(world, term->type, term->kind, term->access);
    }
    for (uint32_t k = 0; k < query->elsewhere_count; k++) {
        const setti_elsewhere* elsewhere = &query->elsewhere[k];
        guard_check_term(world, elsewhere->type, elsewhere->given.kind, elsewhere->given.access);
    }
}

void setti_guard_watch(sett_world* world, bool begins)
{
    static const setti_guard guard = {guard_check_one, guard_check_all};
    SETTI_ASSERT(begins != (world->guard != NULL));
    world->guard = begins ? &guard : NULL;
    setti_component_show_types(world);
}

/* Writes the name of a component's id, as defined in core.h or by SETT_COMPONENTS. */
static void guard_add_id(setti_writer* text, const sett_world* world, sett_component component)
{
    static const char* const built_in[] = {"SETT_ID_HIERARCHY",   "SETT_ID_NAME",
                                           "SETT_ID_PREFAB",      "SETT_ID_DISABLED",
                                           "SETT_ID_INSTANCE_OF", "SETT_ID_INSTANCE_OF_SOURCES",
                                           "SETT_ID_SINGLETONS"};
    static_assert(SETT_ID_SINGLETONS - SETT_ID_HIERARCHY + 1 ==
                      sizeof(built_in) / sizeof(built_in[0]),
                  "one name for each built-in component");
    if (component >= SETT_ID_HIERARCHY && component <= SETT_ID_SINGLETONS) {
        setti_writer_add(text, "%s", built_in[component - SETT_ID_HIERARCHY]);
    } else {
        setti_writer_add(text, "%s_id", sett_component_name(world, component));
    }
}

static bool guard_is_listed(const sett_component* list, sett_component component)
{
    for (uint32_t k = 0; k < SETT_SYSTEM_ACCESS && list[k] != 0; k++) {
        if (list[k] == component) {
            return true;
        }
    }
    return false;
}

/* Returns the flags (GUARD_*) of a component in the system's entries. Returns 0 if there is no
 * entry. */
static uintptr_t guard_flags(sett_system* system, sett_component component)
{
    setti_access_use* use = guard_find_use(system, component);
    if (use == NULL) {
        return 0;
    }
    return setti_mark_get(&use->flags);
}

static void guard_add_entry(setti_writer* text, const sett_world* world, sett_component component,
                            const char** separator)
{
    setti_writer_add(text, "%s", *separator);
    guard_add_id(text, world, component);
    *separator = ", ";
}

/* Writes an access list: the components in `list`, and the used components that have a flag of
 * `included`. Leaves out the components that have a flag of `excluded`.
 *   opening  the text before the first component */
static void guard_add_list(setti_writer* text, sett_system* system, const char* opening,
                           const sett_component* list, uintptr_t included, uintptr_t excluded)
{
    const char* separator = opening;
    for (uint32_t k = 0; k < SETT_SYSTEM_ACCESS && list[k] != 0; k++) {
        if ((guard_flags(system, list[k]) & excluded) == 0) {
            guard_add_entry(text, system->world, list[k], &separator);
        }
    }
    for (uint32_t k = 0; k < SETTI_GUARD_USES; k++) {
        sett_component component = (sett_component)setti_mark_get(&system->used[k].component);
        uintptr_t flags = setti_mark_get(&system->used[k].flags);
        bool is_chosen = (flags & included) != 0 && (flags & excluded) == 0;
        if (is_chosen && !guard_is_listed(list, component)) {
            guard_add_entry(text, system->world, component, &separator);
        }
    }
    if (separator != opening) { /* the list has entries */
        setti_writer_add(text, "},");
    }
}

/* Writes the suggested access lists. A component with an undeclared write moves to
 * access_any_inout. */
static void guard_add_lists(setti_writer* text, sett_system* system)
{
    const sett_system_desc* desc = &system->desc;
    guard_add_list(text, system, " .access_any_in = {", desc->access_any_in, GUARD_MISSES_READ,
                   GUARD_MISSES_WRITE);
    guard_add_list(text, system, " .access_inout = {", desc->access_inout, 0, GUARD_MISSES_WRITE);
    guard_add_list(text, system, " .access_any_inout = {", desc->access_any_inout,
                   GUARD_MISSES_WRITE, 0);
}

/* Whether a system has access lists, or needs an access list. */
static bool guard_has_lists(sett_system* system)
{
    const sett_system_desc* desc = &system->desc;
    if (desc->access_any_in[0] != 0 || desc->access_inout[0] != 0 ||
        desc->access_any_inout[0] != 0) {
        return true;
    }
    for (uint32_t k = 0; k < SETTI_GUARD_USES; k++) {
        uintptr_t flags = setti_mark_get(&system->used[k].flags);
        if ((flags & (GUARD_MISSES_READ | GUARD_MISSES_WRITE)) != 0) {
            return true;
        }
    }
    return false;
}

/* Writes the components in `list` that the system has not used.
 *   used  the flags of a use, GUARD_READS or GUARD_WRITES
 *   what  the word for the use: "read" or "written" */
static void guard_add_unused(setti_writer* text, sett_system* system, const sett_component* list,
                             uintptr_t used, const char* what)
{
    for (uint32_t k = 0; k < SETT_SYSTEM_ACCESS && list[k] != 0; k++) {
        if ((guard_flags(system, list[k]) & used) == 0) {
            setti_writer_add(text, "    %s: has not %s ", system->name, what);
            guard_add_id(text, system->world, list[k]);
            setti_writer_add(text, "\n");
        }
    }
}

SETTI_COLD void setti_guard_suggest(sett_world* world)
{
    setti_run* run = setti_run_of(world);
    if (setti_mark_get(&run->suggests) == 0) {
        return;
    }
    setti_mark_set(&run->suggests, 0);
    for (sett_system* system = run->systems; system != NULL; system = system->next) {
        if (setti_mark_get(&system->suggests) != 0) {
            char lists[SETTI_MESSAGE_SIZE];
            setti_writer text = setti_writer_begin(lists, sizeof(lists));
            setti_mark_set(&system->suggests, 0);
            guard_add_lists(&text, system);
            setti_world_log(world, SETT_LOG_WARNING,
                            "%s: system \"%.100s\" needs these access lists in its descriptor "
                            "(sett_schedule_suggest writes all):%s",
                            setti_world_frame_call(world), system->name, lists);
        }
    }
}

SETTI_COLD size_t sett_schedule_suggest(const sett_world* world, char* out, size_t size)
{
    setti_writer text = setti_writer_begin(out, size);
    if (SETTI_IS_NULL(world) || setti_run_of(world) == NULL) {
        return 0;
    }
    sett_system* system = setti_run_of(world)->systems;
    for (; system != NULL; system = system->next) {
        if (system->state.runs == 0 || system->exclusive || !guard_has_lists(system)) {
            continue;
        }
        const sett_system_desc* desc = &system->desc;
        setti_writer_add(&text, "    %s:", system->name);
        guard_add_lists(&text, system);
        setti_writer_add(&text, "\n");
        guard_add_unused(&text, system, desc->access_any_in, GUARD_READS | GUARD_WRITES, "read");
        guard_add_unused(&text, system, desc->access_inout, GUARD_WRITES, "written");
        guard_add_unused(&text, system, desc->access_any_inout, GUARD_WRITES, "written");
    }
    return text.length;
}

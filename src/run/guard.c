/* guard.c: reports accesses that a system did not declare. While systems are watched, the table of
 * types that fast paths read looks empty, as it does while profiling: every access takes the slow
 * path, where it is checked. Worlds without a guard pay nothing.
 *
 * The thread identifies the system (slice.c). Each system has a list of what was reported, so that
 * a component is reported once.
 */
#include "run/run.h"

#include <stdio.h>

static uint32_t guard_sufficient(uint32_t access)
{
    SETTI_ASSERT(access == SETTI_ACCESS_READ || access == SETTI_ACCESS_WRITE);
    return access == SETTI_ACCESS_READ ? SETTI_ACCESS_READS : SETTI_ACCESS_WRITES;
}

/* Whether to report it: each component once, and up to a limit. */
static bool guard_note(setti_run* run, sett_system* system, sett_component component)
{
    bool news = true;
    setti_lock_take(&run->guard_lock);
    for (uint32_t k = 0; k < system->reported_count; k++) {
        news = news && system->reported[k] != component;
    }
    news = news && system->reported_count < SETTI_GUARD_REPORTS;
    if (news) {
        system->reported[system->reported_count++] = component;
    }
    setti_lock_release(&run->guard_lock);
    return news;
}

/* The system whose access on this thread is to be checked, or NULL: presence cannot change while
 * systems run. */
static sett_system* guard_system(const sett_world* world, uint32_t access)
{
    SETTI_ASSERT(world->run != NULL && access != 0);
    const setti_slice* slice =
        access != SETTI_ACCESS_PRESENCE ? setti_slice_here(world->run) : NULL;
    return slice != NULL ? slice->system : NULL;
}

static void guard_touch(const sett_world* world, sett_component component, uint32_t access,
                        const char* call)
{
    sett_system* system = guard_system(world, access);
    bool reads = access == SETTI_ACCESS_READ;
    if (system == NULL ||
        (setti_system_access(system, component) & guard_sufficient(access)) != 0 ||
        !guard_note(world->run, system, component)) {
        return;
    }
    /* data of links is in no term that writes */
    bool term = setti_world_type(world, component)->writers == NULL;
    setti_world_misuse_with(
        world, SETT_STATUS_CONFLICT,
        "%s: system \"%.100s\" %s \"%.100s\", which it did not declare: a system that runs at the "
        "same time may %s it - %s",
        call, system->name, reads ? "reads" : "writes", sett_component_name(world, component),
        reads ? "write" : "use",
        reads  ? "declare a term SETT_IN, or list it in `access_any_in`"
        : term ? "declare a term SETT_INOUT, or list it in `access_inout` (of visited entities) or "
                 "`access_any_inout`"
               : "list it in `access_inout` (of visited entities) or `access_any_inout`");
}

/* For all entities: another job may be writing those that this job visits. */
static void guard_visit(const sett_world* world, sett_component component, uint32_t access,
                        const char* call)
{
    guard_touch(world, component, access, call);
    sett_system* system = guard_system(world, access);
    bool reads = access == SETTI_ACCESS_READ;
    if (system == NULL || (setti_system_access(system, component) & SETTI_ACCESS_WRITE) == 0 ||
        !setti_system_splits(system) || !guard_note(world->run, system, component)) {
        return;
    }
    setti_world_misuse_with(
        world, SETT_STATUS_CONFLICT,
        "%s: system \"%.100s\" %s \"%.100s\" of all entities, while another of its "
        "jobs may write it - list it in `%s`, or set `single_job`",
        call, system->name, reads ? "reads" : "writes", sett_component_name(world, component),
        reads ? "access_any_in" : "access_any_inout");
}

static void guard_check_term(const sett_world* world, const setti_type* type, sett_term_kind kind,
                             sett_access access)
{
    bool presence = kind == SETT_WITHOUT || access == SETT_NONE || type->storage.size == 0;
    guard_visit(world, type->id,
                presence            ? SETTI_ACCESS_PRESENCE
                : access == SETT_IN ? SETTI_ACCESS_READ
                                    : SETTI_ACCESS_WRITE,
                "sett_context_query");
}

void setti_guard_check_query(const sett_world* world, const sett_query* query)
{
    for (uint32_t k = 0; world->guard != NULL && k < query->term_count; k++) {
        const setti_term* term = &query->term[k];
        guard_check_term(world, term->type, term->kind, term->access);
    }
    for (uint32_t k = 0; world->guard != NULL && k < query->elsewhere_count; k++) {
        const setti_elsewhere* at = &query->elsewhere[k];
        guard_check_term(world, at->type, at->given.kind, at->given.access);
    }
}

void setti_guard_watch(sett_world* world, bool on)
{
    static const setti_guard guard = {guard_touch, guard_visit};
    SETTI_ASSERT(on != (world->guard != NULL));
    world->guard = on ? &guard : NULL;
    world->hot_capacity = on || world->profiling ? 0 : world->type_capacity;
}

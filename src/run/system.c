/* system.c: creates and destroys systems. A system consists of ordinary objects of the world: a
 * query, a group or an observer, and command buffers.
 *
 * The workload: some dozens of systems, at times thousands, created when a program starts.
 *
 * Invariant:  `access` of a system has each declared component once
 */
#include "run/run.h"

#include "world/change.h"
#include "world/command.h"

static const char system_call[] = "sett_system_create";

/* --------------------------------------------------------------------------------------- access */

uint32_t setti_system_access(const sett_system* system, sett_component component)
{
    for (uint32_t k = 0; k < system->access_count; k++) {
        if (system->access[k].component == component) {
            return system->access[k].flags;
        }
    }
    return 0;
}

/* Adds flags to the system's access to a component. */
static void system_declare(sett_system* system, sett_component component, uint32_t flags)
{
    for (uint32_t k = 0; k < system->access_count; k++) {
        if (system->access[k].component == component) {
            system->access[k].flags |= flags;
            return;
        }
    }
    SETTI_ASSERT(system->access_count < SETTI_ACCESS_MOST);
    system->access[system->access_count].component = component;
    system->access[system->access_count++].flags = flags;
}

static void system_declare_list(sett_system* system, const sett_component* list, uint32_t flags)
{
    for (uint32_t k = 0; k < SETT_SYSTEM_ACCESS && list[k] != 0; k++) {
        system_declare(system, list[k], flags);
    }
}

/* Returns the access flags declared by a term. */
static uint32_t system_term_flags(const sett_system* system, const sett_term* term)
{
    uint32_t flags = SETTI_ACCESS_PRESENCE;
    bool is_tag = setti_world_type(system->world, term->component)->storage.size == 0;
    bool writes = term->access == SETT_INOUT || term->access == SETT_OUT;
    if (setti_term_is_elsewhere(term) && !is_tag) {
        if (term->access != SETT_NONE) {
            flags |= SETTI_ACCESS_READ_ANYWHERE;
        }
        if (writes && term->kind != SETT_WITHOUT) {
            flags |= SETTI_ACCESS_WRITE_ANYWHERE;
        }
        return flags;
    }
    bool has_value = term->kind != SETT_WITHOUT && term->access != SETT_NONE && !is_tag;
    bool reads_value = has_value && term->access != SETT_OUT;
    bool reads_only_ticks = term->changed && !has_value;
    if (reads_value || reads_only_ticks) {
        flags |= SETTI_ACCESS_READ;
    }
    if (has_value && writes) {
        flags |= SETTI_ACCESS_WRITE;
    }
    return flags;
}

/* Declares the access of all terms and lists of a descriptor. */
static void system_declare_all(sett_system* system, const sett_system_desc* desc)
{
    for (uint32_t k = 0; k < SETT_QUERY_TERMS && desc->terms[k].component != 0; k++) {
        system_declare(system, desc->terms[k].component,
                       system_term_flags(system, &desc->terms[k]));
        system->asks_changed = system->asks_changed || desc->terms[k].changed;
    }
    system_declare_list(system, desc->access_any_in, SETTI_ACCESS_READ_ANYWHERE);
    system_declare_list(system, desc->access_inout, SETTI_ACCESS_READ | SETTI_ACCESS_WRITE);
    system_declare_list(system, desc->access_any_inout,
                        SETTI_ACCESS_READ_ANYWHERE | SETTI_ACCESS_WRITE_ANYWHERE);
    system_declare_list(system, desc->records, SETTI_ACCESS_RECORDS);
    /* a system that declares nothing may access anything */
    bool runs_alone = desc->exclusive || system->access_count == 0;
    system->exclusive = desc->run != NULL && runs_alone;
}

SETTI_COLD bool setti_system_conflicts(const sett_system* a, const sett_system* b,
                                       sett_component* component)
{
    SETTI_ASSERT(a != b);
    *component = 0;
    if (a->desc.run == NULL || b->desc.run == NULL) {
        return false; /* a system without a function accesses nothing */
    }
    if (a->exclusive || b->exclusive) {
        return true;
    }
    for (uint32_t k = 0; k < a->access_count; k++) {
        uint32_t a_flags = a->access[k].flags;
        uint32_t b_flags = setti_system_access(b, a->access[k].component);
        bool a_disturbs =
            (a_flags & SETTI_ACCESS_WRITES) != 0 && (b_flags & SETTI_ACCESS_READS) != 0;
        bool b_disturbs =
            (a_flags & SETTI_ACCESS_READS) != 0 && (b_flags & SETTI_ACCESS_WRITES) != 0;
        if (a_disturbs || b_disturbs) {
            *component = a->access[k].component;
            return true;
        }
    }
    return false;
}

bool setti_system_splits(const sett_system* system)
{
    if (system->query == NULL || system->desc.single_job || system->exclusive) {
        return false;
    }
    if (setti_elsewhere_is_all(system->query)) {
        return false; /* no term is about visited entities */
    }
    for (uint32_t k = 0; k < system->access_count; k++) {
        uint32_t flags = system->access[k].flags;
        bool reads_anywhere = (flags & SETTI_ACCESS_READ_ANYWHERE) != 0;
        bool writes_anywhere = (flags & SETTI_ACCESS_WRITE_ANYWHERE) != 0;
        bool writes_visited = (flags & SETTI_ACCESS_WRITE) != 0;
        if (writes_anywhere) {
            return false; /* jobs could write the same values */
        }
        if (reads_anywhere && writes_visited) {
            return false; /* jobs could read values that other jobs write */
        }
    }
    return true;
}

const setti_type* setti_system_sparse(const sett_system* system)
{
    for (uint32_t k = 0; k < SETT_SYSTEM_ACCESS && system->desc.access_inout[k] != 0; k++) {
        const setti_type* type = setti_world_type(system->world, system->desc.access_inout[k]);
        if (type->storage.kind == SETTI_SPARSE) {
            return type;
        }
    }
    return NULL;
}

/* ---------------------------------------------------------------------------------------- jobs */

bool setti_system_make_jobs(sett_system* system)
{
    sett_world* world = system->world;
    setti_pool* pool = &world->pool;
    uint32_t count = 1;
    if (setti_system_splits(system)) {
        count = setti_run_of(world)->jobs;
    }
    if (count <= system->job_capacity) {
        return true;
    }
    setti_job* jobs = setti_pool_alloc(pool, count * sizeof(*jobs), 64);
    if (jobs == NULL) {
        return false;
    }
    memset(jobs, 0, count * sizeof(*jobs));
    if (system->job_capacity != 0) {
        memcpy(jobs, system->jobs, system->job_capacity * sizeof(*jobs));
    }
    uint32_t made = system->job_capacity;
    for (; made < count; made++) {
        jobs[made].commands = sett_commands_create(world);
        if (jobs[made].commands == NULL) {
            break;
        }
        jobs[made].loops.scratch.allocator = &pool->allocator;
    }
    if (made < count) { /* memory ran out */
        for (; made > system->job_capacity; made--) {
            setti_commands_free(jobs[made - 1].commands);
        }
        setti_pool_free(pool, jobs, count * sizeof(*jobs), 64);
        return false;
    }
    setti_pool_free(pool, system->jobs, system->job_capacity * sizeof(*jobs), 64);
    system->jobs = jobs;
    system->job_capacity = count;
    return true;
}

/* ------------------------------------------------------------------------------- making, ending */

static void system_unschedule(setti_run* run)
{
    run->scheduled = false;
    run->names_checked = false;
}

static void system_link(sett_system* system)
{
    SETTI_ASSERT(system->previous == NULL && system->next == NULL && system->entry->system == NULL);
    setti_run* run = setti_run_of(system->world);
    system->previous = run->last;
    if (run->last != NULL) {
        run->last->next = system;
    } else {
        run->systems = system;
    }
    run->last = system;
    run->count++;
    system->entry->system = system;
    system_unschedule(run);
}

static void system_unlink(sett_system* system)
{
    SETTI_ASSERT(system->entry->system == system && setti_run_of(system->world)->count != 0);
    setti_run* run = setti_run_of(system->world);
    system->entry->system = NULL;
    if (system->previous != NULL) {
        system->previous->next = system->next;
    } else {
        run->systems = system->next;
    }
    if (system->next != NULL) {
        system->next->previous = system->previous;
    } else {
        run->last = system->previous;
    }
    run->count--;
    system_unschedule(run);
}

SETTI_COLD static void system_free(sett_system* system)
{
    SETTI_ASSERT(setti_run_of(system->world)->systems != system);
    setti_pool* pool = &system->world->pool;
    for (uint32_t k = 0; k < system->job_capacity; k++) {
        setti_arena_deinit(&system->jobs[k].loops.scratch);
        setti_commands_free(system->jobs[k].commands);
    }
    if (system->entry != NULL) {
        system->entry->system = system; /* so that setti_order_pop does not free the name */
        while (system->orders != NULL) {
            setti_order_pop(system);
        }
        system->entry->system = NULL;
        setti_order_release_name(system->world, system->entry);
    }
    setti_pool_free(pool, system->jobs, system->job_capacity * sizeof(setti_job), 64);
    setti_pool_free(pool, system->access, SETTI_ACCESS_MOST * sizeof(setti_access), 16);
    if (system->query != NULL) {
        setti_query_free(system->query);
    }
    (void)sett_group_destroy(system->group);
    (void)sett_observer_destroy(system->observer);
    setti_pool_free(pool, system, sizeof(*system), 64);
}

static void system_free_user(const sett_system_desc* desc)
{
    if (desc->free_user != NULL) {
        desc->free_user(desc->user);
    }
}

/* Frees the memory that the systems of a world have outside of the pool. */
static void run_free(sett_world* world)
{
    for (const sett_system* system = setti_run_of(world)->systems; system != NULL;
         system = system->next) {
        system_free_user(&system->desc);
        for (uint32_t k = 0; k < system->job_capacity; k++) {
            setti_arena_deinit(&system->jobs[k].loops.scratch);
        }
    }
    setti_threads_leave(&setti_run_of(world)->tasks);
}

/* Returns the name of a system that declares a type. Returns NULL if no system does. */
static const char* system_of_type(const sett_world* world, const setti_type* type)
{
    const sett_system* system = setti_run_of(world)->systems;
    while (system != NULL && setti_system_access(system, type->id) == 0) {
        system = system->next;
    }
    return system != NULL ? system->name : NULL;
}

/* Adds the scratch memory of jobs to the statistics. */
static void run_count(const sett_world* world, sett_stats* stats)
{
    for (const sett_system* system = setti_run_of(world)->systems; system != NULL;
         system = system->next) {
        for (uint32_t k = 0; k < system->job_capacity; k++) {
            stats->block_size += system->jobs[k].loops.scratch.size;
            stats->allocations += system->jobs[k].loops.scratch.allocations;
        }
    }
}

static const char* run_validate(sett_world* world, const char** where)
{
    (void)where;
    return setti_schedule_validate(world);
}

setti_run* setti_run_ensure(sett_world* world)
{
    static const setti_module_calls calls = {.slot = SETTI_SLOT_RUN,
                                             .free = run_free,
                                             .validate = run_validate,
                                             .holder = system_of_type,
                                             .kind = "system",
                                             .count = run_count,
                                             .running = setti_slice_name,
                                             .failed = setti_slice_fail};
    setti_run* run = setti_run_of(world);
    if (run != NULL) {
        return run;
    }
    if (setti_world_commands(world) == NULL) { /* creates the buffer, because slices cannot */
        return NULL;
    }
    run = setti_pool_alloc(&world->pool, sizeof(*run), 64);
    if (run == NULL) {
        return NULL;
    }
    memset(run, 0, sizeof(*run));
    run->jobs = SETTI_JOBS_DEFAULT;
    run->timed = true;
    run->watched = SETTI_DEBUG;
    world->module[SETTI_SLOT_RUN] = run;
    setti_world_add_calls(world, &calls);
    setti_world_add_plain_root(world, &run->root, &run->state, sizeof(run->state));
    run->root.name = "frame";
    run->root.optional = true;
    return run;
}

/* Declares the access of a system. Fails if a component is unregistered. */
static sett_status system_add_access(sett_system* system, const sett_system_desc* desc)
{
    sett_world* world = system->world;
    const sett_component* lists[] = {desc->access_any_in, desc->access_inout,
                                     desc->access_any_inout, desc->records};
    static const char* const names[] = {"access_any_in", "access_inout", "access_any_inout",
                                        "records"};
    for (uint32_t list = 0; list < 4; list++) {
        for (uint32_t k = 0; k < SETT_SYSTEM_ACCESS && lists[list][k] != 0; k++) {
            if (setti_world_type(world, lists[list][k]) == NULL) {
                return setti_world_fail_with(world, SETT_STATUS_UNREGISTERED,
                                             "%s: system \"%.100s\": component %u in `%s` is not "
                                             "registered in this world - %s",
                                             system_call, system->name, (unsigned)lists[list][k],
                                             names[list], setti_component_remedy(lists[list][k]));
            }
        }
    }
    system->access = setti_pool_alloc(&world->pool, SETTI_ACCESS_MOST * sizeof(setti_access), 16);
    if (system->access == NULL) {
        return setti_world_no_memory(world, system_call);
    }
    system_declare_all(system, desc);
    return SETT_OK;
}

/* Creates the query of a system, if the system has terms. */
static sett_status system_add_query(sett_system* system, const sett_system_desc* desc)
{
    bool has_terms = false;
    for (uint32_t k = 0; k < SETT_QUERY_TERMS; k++) { /* setti_query_create rejects gaps */
        has_terms = has_terms || desc->terms[k].component != 0;
    }
    if (!has_terms) {
        return SETT_OK; /* the system has no query */
    }
    sett_query_desc query = {.name = system->name};
    memcpy(query.terms, desc->terms, sizeof(query.terms));
    system->query = setti_query_create(system->world, &query, system_call);
    if (system->query == NULL) {
        return system->world->error;
    }
    system->query->owned = true;
    return SETT_OK;
}

/* Calls on_enter for the entities that are in the new group already. */
static void system_enter_all(sett_system* system)
{
    SETTI_ASSERT(system->group != NULL && system->desc.on_enter != NULL);
    sett_world* world = system->world;
    uint32_t cursor = 0;
    const char* outer = setti_world_begin_call(world, system->name);
    sett_entity entity = sett_entity_next(world, &cursor);
    while (!sett_is_null(entity)) {
        if (sett_group_has(system->group, entity)) {
            system->desc.on_enter(world, entity, system->desc.user);
        }
        entity = sett_entity_next(world, &cursor);
    }
    setti_world_end_call(world, outer);
}

/* Whether a group can follow the terms of a system. */
static bool system_suits_group(const sett_system_desc* desc)
{
    for (uint32_t k = 0; k < setti_term_count(desc->terms); k++) {
        const sett_term* term = &desc->terms[k];
        if (term->kind == SETT_ANY || setti_term_is_upward(term)) {
            return false;
        }
    }
    return true;
}

/* Creates an observer for on_enter and on_exit. */
static sett_status system_add_observer(sett_system* system, const sett_system_desc* desc)
{
    sett_observer_desc observer = {.name = system->name,
                                   .on_enter = desc->on_enter,
                                   .on_exit = desc->on_exit,
                                   .user = desc->user,
                                   .replay = desc->on_enter != NULL};
    uint32_t count = 0;
    for (uint32_t k = 0; k < setti_term_count(desc->terms); k++) {
        if (desc->terms[k].kind != SETT_OPTIONAL) {
            observer.terms[count] = desc->terms[k];
            observer.terms[count++].drives = false; /* only loops have an order of entities */
        }
    }
    system->observer = setti_observer_create(system->world, &observer, system_call);
    return system->observer != NULL ? SETT_OK : system->world->error;
}

/* Adds the components of the terms to the lists of a group. */
static sett_status system_fill_group(const sett_system* system, const sett_system_desc* desc,
                                     sett_group_desc* group)
{
    uint32_t with_count = 0;
    uint32_t without_count = 0;
    for (uint32_t k = 0; k < setti_term_count(desc->terms); k++) {
        const sett_term* term = &desc->terms[k];
        if (term->kind == SETT_OPTIONAL) {
            continue;
        }
        bool is_with = term->kind == SETT_WITH;
        sett_component* list = is_with ? group->with : group->without;
        uint32_t* count = is_with ? &with_count : &without_count;
        if (*count == SETT_GROUP_TYPES) {
            return setti_world_fail_with(
                system->world, SETT_STATUS_ARGUMENT,
                "%s: system \"%.100s\" with on_enter or on_exit has at most %d SETT_WITH and %d "
                "SETT_WITHOUT terms - leave some out, or use an observer "
                "(sett_observer_create)",
                system_call, system->name, SETT_GROUP_TYPES, SETT_GROUP_TYPES);
        }
        list[(*count)++] = term->component;
    }
    return SETT_OK;
}

/* Creates a group or an observer for on_enter and on_exit, if the system has these callbacks. */
static sett_status system_add_group(sett_system* system, const sett_system_desc* desc)
{
    if (desc->on_enter == NULL && desc->on_exit == NULL) {
        return SETT_OK;
    }
    uint32_t wrong_term;
    const char* wrong = setti_terms_check(desc->terms, SETTI_TERM_OF_SYSTEMS_ENTERING, &wrong_term);
    if (wrong != NULL) {
        return setti_term_reject(system->world, desc->terms, wrong_term, system_call, system->name,
                                 wrong);
    }
    if (!system_suits_group(desc)) {
        return system_add_observer(system, desc);
    }
    sett_group_desc group = {.name = system->name,
                             .on_enter = desc->on_enter,
                             .on_exit = desc->on_exit,
                             .user = desc->user};
    sett_status status = system_fill_group(system, desc, &group);
    if (status != SETT_OK) {
        return status;
    }
    system->group = setti_group_create_for_system(system->world, &group, system_call);
    return system->group != NULL ? SETT_OK : system->world->error;
}

/* Adds the declared orders of a system. Returns false if memory runs out. */
static bool system_add_orders(sett_system* system, const sett_system_desc* desc)
{
    for (uint32_t k = 0; k < SETT_SYSTEM_ORDER; k++) {
        const char* before = desc->before[k];
        const char* after = desc->after[k];
        if (before != NULL && !setti_order_add(system, before, SETTI_ORDER_BEFORE)) {
            return false;
        }
        if (after != NULL && !setti_order_add(system, after, SETTI_ORDER_AFTER)) {
            return false;
        }
    }
    return true;
}

/* Creates the parts of a system, and adds the system to the list. After a failure, the caller frees
 * `system`. */
static sett_status system_init(sett_system* system, const sett_system_desc* desc)
{
    sett_world* world = system->world;
    system->entry = setti_order_ensure_name(world, desc->name);
    if (system->entry == NULL) {
        return setti_world_no_memory(world, system_call);
    }
    system->name = system->entry->text;
    system->desc.name = system->name;
    if (system_add_query(system, desc) != SETT_OK || system_add_access(system, desc) != SETT_OK) {
        return world->error;
    }
    if (!system_add_orders(system, desc) || !setti_fixed_set(world, desc, &system->fixed) ||
        !setti_system_make_jobs(system)) {
        return setti_world_no_memory(world, system_call);
    }
    if (system_add_group(system, desc) != SETT_OK) {
        return world->error;
    }
    system_link(system);
    if (setti_order_check_phases(system, system_call) != SETT_OK ||
        setti_order_check_cycle(system, system_call) != SETT_OK) {
        system_unlink(system);
        return world->error;
    }
    return SETT_OK;
}

/* Checks a descriptor. Returns NULL if it is valid. Otherwise returns what is wrong. */
static const char* system_check_desc(const sett_system_desc* desc)
{
    if (desc->name == NULL || desc->name[0] == '\0') {
        return "`name` is missing - set it";
    }
    if (!(desc->interval >= 0)) {
        return "`interval` is negative or no number - set seconds, 0 or more";
    }
    if (!(desc->fixed_step >= 0)) {
        return "`fixed_step` is negative or no number - set seconds, 0 or more";
    }
    if (desc->interval > 0 && desc->fixed_step > 0) {
        return "`interval` and `fixed_step` are both set - leave out one";
    }
    return NULL;
}

/* Creates a system. The system has no root yet. Returns NULL on failure. */
static sett_system* system_make(sett_world* world, const sett_system_desc* desc)
{
    if (setti_run_ensure(world) == NULL) {
        setti_world_no_memory(world, system_call);
        return NULL;
    }
    sett_system* system = setti_world_alloc(world, sizeof(*system), 64, system_call);
    if (system == NULL) {
        return NULL;
    }
    system->world = world;
    system->desc = *desc;
    /* system_init moves `before` and `after` to `orders` */
    memset(system->desc.before, 0, sizeof(desc->before));
    memset(system->desc.after, 0, sizeof(desc->after));
    system->state.enabled = !desc->disabled;
    if (system_init(system, desc) != SETT_OK) {
        system_free(system);
        return NULL;
    }
    return system;
}

SETTI_COLD sett_system* sett_system_create_sized(sett_world* world, const sett_system_desc* desc,
                                                 size_t size, size_t term_size)
{
    sett_system_desc full;
    desc = setti_world_desc_terms(world, desc, size, term_size, &full, sizeof(full), full.terms,
                                  system_call);
    if (desc == NULL) {
        return NULL;
    }
    if (setti_world_check_unlocked(world, system_call) != SETT_OK) {
        return NULL;
    }
    const char* wrong = system_check_desc(desc);
    if (wrong != NULL) {
        setti_world_fail_argument(world, system_call, desc->name, wrong);
        return NULL;
    }
    if (sett_system_find(world, desc->name) != NULL) {
        setti_world_fail_with(world, SETT_STATUS_CONFLICT,
                              "%s: system \"%.100s\" exists already - choose another name, or "
                              "destroy that system first",
                              system_call, desc->name);
        return NULL;
    }
    sett_system* system = system_make(world, desc);
    if (system == NULL) {
        return NULL;
    }
    setti_world_add_plain_root(world, &system->root, &system->state, sizeof(system->state));
    system->root.name = system->name;
    system->root.optional = true;
    /* cloning leaves out the last member, `seen`, a tick of this world */
    system->root.cloned = offsetof(setti_system_state, seen);
    system->entry->known = true;
    if (desc->on_enter != NULL && system->group != NULL) {
        system_enter_all(system);
    }
    return system;
}

sett_status sett_system_destroy(sett_system* system)
{
    if (system == NULL) {
        return SETT_OK;
    }
    sett_world* world = system->world;
    if (setti_run_check_idle(world, __func__) != SETT_OK ||
        setti_world_check_unlocked(world, __func__) != SETT_OK ||
        setti_world_check_no_snapshots(world, __func__) != SETT_OK) {
        return setti_world_failure(world);
    }
    setti_world_remove_root(world, &system->root);
    system_unlink(system);
    system_free_user(&system->desc);
    system_free(system);
    return SETT_OK;
}

SETTI_COLD sett_status sett_system_order(sett_system* first, sett_system* then)
{
    if (SETTI_IS_NULL(first) || SETTI_IS_NULL(then)) {
        return SETT_STATUS_ARGUMENT;
    }
    sett_world* world = first->world;
    if (setti_world_check_unlocked(world, __func__) != SETT_OK) {
        return setti_world_failure(world);
    }
    if (world != then->world) {
        return setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                                     "%s: systems \"%.100s\" and \"%.100s\" belong to different "
                                     "worlds - pass two systems of one world",
                                     __func__, first->name, then->name);
    }
    if (!setti_order_add(first, then->name, SETTI_ORDER_BEFORE)) {
        return setti_world_no_memory(world, __func__);
    }
    if (setti_fixed_check_order(first, then, __func__) != SETT_OK ||
        setti_order_check_cycle(first, __func__) != SETT_OK) {
        setti_order_pop(first);
        return world->error;
    }
    system_unschedule(setti_run_of(world));
    return SETT_OK;
}

/* --------------------------------------------------------------------------------------- asking */

sett_system* sett_system_find(const sett_world* world, const char* name)
{
    if (SETTI_IS_NULL(world) || setti_run_of(world) == NULL) {
        return NULL;
    }
    const setti_system_name* entry = setti_order_find_name(setti_run_of(world), name);
    return entry != NULL ? entry->system : NULL;
}

sett_system* sett_system_next(const sett_world* world, const sett_system* system)
{
    bool has_world = !SETTI_IS_NULL(world); /* reports a NULL, also if `system` is given */
    if (system != NULL) {
        return system->next;
    }
    if (!has_world || setti_run_of(world) == NULL) {
        return NULL;
    }
    return setti_run_of(world)->systems;
}

const char* sett_system_name(const sett_system* system)
{
    return SETTI_IS_NULL(system) ? NULL : system->name;
}

void sett_system_enable(sett_system* system, bool on)
{
    if (!SETTI_IS_NULL(system) &&
        setti_world_check_serial(system->world, "sett_system_enable") == SETT_OK) {
        system->state.enabled = on;
    }
}

bool sett_system_is_enabled(const sett_system* system)
{
    return !SETTI_IS_NULL(system) && system->state.enabled != 0;
}

sett_query* sett_system_query(const sett_system* system)
{
    return SETTI_IS_NULL(system) ? NULL : system->query;
}

SETTI_COLD void sett_system_stats_get_sized(const sett_system* system, sett_system_stats* stats,
                                            size_t size)
{
    sett_system_stats all = {0};
    if (!setti_is_null(system, "sett_system_stats_get", "system")) {
        all.runs = system->state.runs;
        all.time_last = system->time_last;
        all.time_total = system->time_total;
        if (system->query != NULL) {
            all.matches = sett_query_count(system->query);
        }
        all.jobs = system->job_used;
        if (setti_schedule_update(system->world)) {
            all.stage = system->stage;
        }
        all.phase = system->desc.phase;
        all.waits_for = system->waits_for;
        all.waits_on = system->waits_on;
    }
    setti_copy_sized(stats, size, &all, sizeof(all));
}

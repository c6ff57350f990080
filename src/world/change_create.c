/* change_create.c: creates entities, one by one or in bulk, with or without components.
 *
 * The workload: spawning. An entity without components takes the lowest free index, in line;
 * components follow by sett_add. An entity with components is created by one edit. The entity, the
 * transition and the callbacks are looked up once, not for each component. Queries see only the
 * final signature, and on_add sees all values. Many entities are created by one edit, too.
 *
 * Invariant:  memory for all entities is reserved before the first entity is created
 */
#include "world/change.h"

#include <stdio.h>

/* Returns the free indices of a word as bits. Returns 0 if the page of the word is missing. */
SETTI_INLINE uint64_t fast_free_bits(const setti_entity_page* page, uint32_t word)
{
    if (page == NULL) {
        return 0;
    }
    return page->free[word % SETTI_ENTITY_WORDS];
}

/* Creates an entity at the lowest free index of the hint's word. Takes the slow path if the word
 * has no free index. */
SETTI_APART static sett_entity fast_create_at_hint(sett_world* world)
{
    setti_entity_table* table = &world->entities;
    uint32_t word = table->hint;
    setti_entity_page* page = setti_pages_get(&table->pages, word / SETTI_ENTITY_WORDS);
    uint64_t bits = fast_free_bits(page, word);
    if (SETTI_UNLIKELY(bits == 0 || world->locks_or_observers != 0)) {
        return setti_change_create(world);
    }
    setti_entity_write(&world->pool, table, word * 64);
    sett_entity entity = setti_entity_take_lowest(table, page, bits);
    if ((bits & (bits - 1)) == 0) { /* that was the word's last free index */
        setti_entity_advance_hint(table);
    }
    return entity;
}

/* Creates an entity if the hint's word has only one free index. That is usual if a program creates
 * and destroys entities in turns. In other cases, calls fast_create_at_hint. */
SETTI_APART static sett_entity fast_create_only(sett_world* world)
{
    setti_entity_table* table = &world->entities;
    setti_entity_page* page = setti_entity_page_of(table, setti_entity_hint_index(table));
    uint64_t bits = fast_free_bits(page, table->hint);
    bool has_one = bits != 0 && (bits & (bits - 1)) == 0;
    if (!has_one || !setti_entity_can_step_hint(table) || world->locks_or_observers != 0) {
        return fast_create_at_hint(world);
    }
    if (!setti_entity_try_mark(&world->pool, table, setti_entity_hint_index(table), SETTI_COW)) {
        return fast_create_at_hint(world);
    }
    sett_entity entity = setti_entity_take_lowest(table, page, bits);
    setti_entity_step_hint(table);
    return entity;
}

/* Creates an entity, in line if the hint's word has several free indices. Calls other functions
 * only as the last step.
 *   cow  a snapshot may need pages. If this is false, the caller has tested the locks */
SETTI_INLINE sett_entity fast_create_in_word(sett_world* world, bool cow)
{
    setti_entity_table* table = &world->entities;
    uint32_t page_number = table->hint / SETTI_ENTITY_WORDS;
    setti_entity_page* page = setti_pages_get(&table->pages, page_number);
    if (SETTI_UNLIKELY(page == NULL)) {
        return fast_create_only(world);
    }
    if (SETTI_UNLIKELY(cow && world->locks_or_observers != 0)) {
        return fast_create_only(world);
    }
    uint64_t bits = page->free[table->hint % SETTI_ENTITY_WORDS];
    /* not in line: the word has at most one free index, or a snapshot needs the page */
    if (SETTI_UNLIKELY((bits & (bits - 1)) == 0 ||
                       !setti_pages_try_mark(&world->pool, &table->pages, page_number, cow))) {
        return fast_create_only(world);
    }
    return setti_entity_take_lowest(table, page, bits);
}

/* Creates an entity while a snapshot is held, or while the world has locks or observers. */
SETTI_APART static sett_entity fast_create_cow(sett_world* world)
{
    return fast_create_in_word(world, SETTI_COW);
}

sett_entity sett_entity_create(sett_world* world)
{
    if (SETTI_IS_NULL_IN_DEBUG(world)) {
        return sett_null();
    }
    setti_world_check_owner(world, __func__);
    if (!SETTI_FAST_PATHS) {
        return setti_change_create(world);
    }
    if (SETTI_LIKELY((world->pool.cow_from | world->locks_or_observers) == 0)) {
        return fast_create_in_word(world, SETTI_NO_COW);
    }
    return fast_create_cow(world);
}

/* Checks that an entity with this handle can be created. Reports the reason if it cannot. */
static sett_status create_check_handle(sett_world* world, sett_entity entity, const char* call)
{
    const setti_entity_table* table = &world->entities;
    if (sett_is_null(entity) || entity.generation > SETTI_GENERATION_MAX) {
        return setti_world_fail_with(world, SETT_STATUS_STALE,
                                     "%s: %u:%u is not a valid handle - pass a generation from 1 "
                                     "to %u",
                                     call, SETTI_HANDLE(entity), (unsigned)SETTI_GENERATION_MAX);
    }
    if (entity.index >= table->limit) {
        return setti_world_fail_with(world, SETT_STATUS_LIMIT,
                                     "%s: the index of %u:%u is not below the world's entity_limit "
                                     "(%u) - create the world with a higher entity_limit",
                                     call, SETTI_HANDLE(entity), (unsigned)table->limit);
    }
    uint32_t current = setti_entity_generation(table, entity.index);
    if (setti_entity_is_claimed(table, entity.index)) {
        return setti_world_fail_with(world, SETT_STATUS_PRESENT,
                                     "%s: the index of %u:%u is reserved by a recorded command - "
                                     "apply that command first, or pass another index",
                                     call, SETTI_HANDLE(entity));
    }
    if ((current & SETTI_DEAD) == 0) {
        return setti_world_fail_with(world, SETT_STATUS_PRESENT,
                                     "%s: entity %u:%u is alive at the index of %u:%u - destroy "
                                     "that entity first, or pass another index",
                                     call, (unsigned)entity.index, (unsigned)current,
                                     SETTI_HANDLE(entity));
    }
    if (current == SETTI_RETIRED) {
        return setti_world_fail_with(world, SETT_STATUS_STALE,
                                     "%s: the index of %u:%u has used up its generations - pass "
                                     "another index",
                                     call, SETTI_HANDLE(entity));
    }
    if (entity.generation < (current & ~SETTI_DEAD)) {
        return setti_world_fail_with(
            world, SETT_STATUS_STALE,
            "%s: the handle %u:%u is used up, and the next entity at its index has generation %u - "
            "pass that generation; sett_entity_forget, not sett_entity_destroy, lets a handle come "
            "back",
            call, SETTI_HANDLE(entity), (unsigned)(current & ~SETTI_DEAD));
    }
    return SETT_OK;
}

sett_status sett_entity_create_handle(sett_world* world, sett_entity entity)
{
    sett_status status = setti_world_check_unlocked(world, __func__);
    if (status != SETT_OK) {
        return status;
    }
    status = create_check_handle(world, entity, __func__);
    if (status != SETT_OK) {
        return status;
    }
    setti_entity_table* table = &world->entities;
    status = setti_entity_reserve_index(&world->pool, table, entity.index);
    if (status != SETT_OK) {
        return setti_world_fail(world, status, __func__, entity, 0);
    }
    setti_entity_create_at(&world->pool, table, entity);
    setti_edit_notify_begun(world, entity);
    return SETT_OK;
}

sett_status sett_entity_set_range(sett_world* world, uint32_t first, uint32_t end)
{
    sett_status status = setti_world_check_unlocked(world, __func__);
    if (status != SETT_OK) {
        return status;
    }
    uint32_t limit = world->entities.limit;
    if (end == 0) {
        end = limit;
    }
    bool splits_last_word = end % 64 != 0 && end != limit; /* the last word may end at the limit */
    bool splits_words = first % 64 != 0 || splits_last_word;
    const char* wrong = NULL;
    if (end > limit) {
        wrong = "ends above that limit - lower the end";
    } else if (first >= end) {
        wrong = "is empty - pass a first index below the end";
    } else if (splits_words) {
        wrong = "does not begin and end at multiples of 64 - pass multiples of 64";
    }
    if (wrong != NULL) {
        return setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                                     "%s: the range from %u to %u, with an entity_limit of %u, %s",
                                     __func__, (unsigned)first, (unsigned)end, (unsigned)limit,
                                     wrong);
    }
    uint32_t end_word = end / 64;
    if (end % 64 != 0) { /* the limit is inside of the last word */
        end_word++;
    }
    setti_entity_set_range(&world->entities, first / 64, end_word);
    return SETT_OK;
}

/* Checks that new entities may get the component `components[position]`. */
static sett_status create_check_component(sett_world* world, const setti_edit* edit,
                                          const sett_component* components, uint32_t position,
                                          const void* const* values, const char* call)
{
    const sett_component component = components[position];
    const setti_type* type = setti_world_type(world, component);
    if (type == NULL) {
        return setti_world_fail(world, SETT_STATUS_UNREGISTERED, call, sett_null(), component);
    }
    for (uint32_t k = 0; k < position; k++) {
        if (components[k] == component) {
            return setti_world_fail_with(
                world, SETT_STATUS_ARGUMENT,
                "%s: \"%.100s\" is listed twice - list each component once", call, type->desc.name);
        }
    }
    if (!setti_change_may_add(type, edit->count)) {
        return setti_change_reject_linked(world, type, call);
    }
    bool has_value = values != NULL && values[position] != NULL;
    if ((type->flags & SETTI_TYPE_GUARDED) != 0 && has_value) {
        return setti_component_reject_set(world, type, call);
    }
    return SETT_OK;
}

/* Returns true if callbacks or the scope may need the handles of the new entities. */
static bool create_needs_handles(const sett_world* world, const setti_edit* edit)
{
    if (world->listeners != NULL || world->scope_calls != NULL) {
        return true;
    }
    for (uint32_t k = 0; k < edit->added_count; k++) {
        if ((edit->added[k].type->flags & (SETTI_TYPE_ON_ADD | SETTI_TYPE_ON_SET)) != 0) {
            return true;
        }
    }
    return false;
}

/* Adds components and values to an edit that creates entities. Reports errors as errors of
 * `call`. */
static sett_status create_prepare(sett_world* world, setti_edit* edit,
                                  const sett_component* components, uint32_t count,
                                  const void* const* values, const char* call)
{
    SETTI_ASSERT(edit->creates && edit->added_count == 0);
    for (uint32_t k = 0; k < count; k++) {
        sett_status status = create_check_component(world, edit, components, k, values, call);
        if (status != SETT_OK) {
            return status;
        }
        setti_type* type = setti_world_type(world, components[k]);
        setti_edit_part* part = setti_edit_include(world, edit, type);
        if (part == NULL) {
            return setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, call, sett_null(), type->id);
        }
        part->value = values != NULL ? values[k] : NULL;
    }
    return SETT_OK;
}

/* Reserves and commits an edit that creates entities, and runs callbacks. The components are in the
 * edit already. */
static sett_status create_run(sett_world* world, setti_edit* edit)
{
    SETTI_ASSERT(edit->creates && edit->count != 0);
    uint32_t search_start = setti_entity_hint_index(&world->entities);
    sett_status status = setti_edit_reserve(world, edit, &search_start);
    if (status != SETT_OK) {
        return status;
    }
    setti_edit_commit_many(world, edit);
    if (world->scope_calls != NULL) {
        world->scope_calls->attach(world, edit);
    }
    setti_edit_notify_entering(world, edit);
    return SETT_OK;
}

/* Like create_run, but the caller has no array for the handles: they are in a temporary array. */
static sett_status create_run_aside(sett_world* world, setti_edit* edit)
{
    size_t size;
    if (!setti_multiply(edit->count, sizeof(*edit->entities), &size)) {
        return SETT_STATUS_OUT_OF_MEMORY;
    }
    edit->entities = setti_pool_alloc(&world->pool, size, 16);
    if (edit->entities == NULL) {
        return SETT_STATUS_OUT_OF_MEMORY;
    }
    sett_status status = create_run(world, edit);
    setti_pool_free(&world->pool, edit->entities, size, 16);
    edit->entities = NULL;
    return status;
}

/* Adds components to an edit, and creates the entities of the edit. The caller frees the edit. */
static sett_status create_by_edit(sett_world* world, setti_edit* edit,
                                  const sett_component* components, uint32_t component_count,
                                  const void* const* values, const char* call)
{
    sett_status status = create_prepare(world, edit, components, component_count, values, call);
    if (status != SETT_OK) {
        return status;
    }
    if (world->scope_calls != NULL) {
        status = world->scope_calls->include(world, edit, call);
        if (status != SETT_OK) {
            return status;
        }
    }
    if (edit->entities == NULL && create_needs_handles(world, edit)) {
        status = create_run_aside(world, edit);
    } else {
        status = create_run(world, edit);
    }
    if (status != SETT_OK) {
        setti_world_fail(world, status, call, sett_null(), 0);
    }
    return status;
}

/* Creates `count` entities with the same components. Errors name the public function `call`. */
static sett_status create_many(sett_world* world, const char* call, uint32_t count,
                               const sett_component* components, uint32_t component_count,
                               const void* const* values, sett_entity* out)
{
    sett_status status = setti_world_check_unlocked(world, call);
    if (status != SETT_OK) {
        return status;
    }
    if (setti_world_lacks_list(world, components, component_count, call, "components")) {
        return world->error;
    }
    if (count == 0) {
        return SETT_OK;
    }
    setti_edit_settle(world);
    setti_edit edit = {.entities = out, .count = count, .creates = true};
    status = create_by_edit(world, &edit, components, component_count, values, call);
    setti_edit_free(world, &edit);
    return status;
}

SETTI_COLD sett_entity setti_change_create(sett_world* world)
{
    static const char call[] = "sett_entity_create";
    if (setti_world_check_unlocked(world, call) != SETT_OK) {
        return sett_null();
    }
    if (world->scope_calls != NULL) { /* the entity becomes a child of the scope */
        sett_entity child = sett_null();
        const sett_component* no_components = NULL;
        (void)create_many(world, call, 1, no_components, 0, NULL, &child);
        return child;
    }
    uint32_t search_start = setti_entity_hint_index(&world->entities);
    sett_status status = setti_entity_reserve(&world->pool, &world->entities, &search_start, 1);
    if (status != SETT_OK) {
        setti_world_fail(world, status, call, sett_null(), 0);
        return sett_null();
    }
    sett_entity entity = setti_entity_create(&world->pool, &world->entities);
    setti_edit_notify_begun(world, entity);
    return entity;
}

sett_status sett_entity_create_many(sett_world* world, uint32_t count,
                                    const sett_component* components, uint32_t component_count,
                                    const void* const* values, sett_entity* out)
{
    return create_many(world, "sett_entity_create_many", count, components, component_count, values,
                       out);
}

/* Returns true if a value has the C type that the program's macro named. Otherwise reports an
 * error. */
static bool change_check_value(sett_world* world, const sett_value* value, const char* call)
{
    const setti_type* type = setti_world_type(world, value->component);
    bool as_tag = value->size == 0 && value->value == NULL; /* made by SETT_VALUE_TAG */
    if (type != NULL && as_tag && type->storage.size != 0) {
        char message[SETTI_MESSAGE_SIZE];
        snprintf(
            message, sizeof(message),
            "%s: component %u \"%.100s\" has values of %u bytes, and is listed as a tag - write "
            "SETT_VALUE(%.60s, ...)",
            call, (unsigned)type->id, type->desc.name, (unsigned)type->storage.size, value->type);
        setti_world_fail_checked(world, SETT_STATUS_ARGUMENT, message);
        return false;
    }
    return sett_component_check_change_(world, value->component, value->size, value->type, call);
}

bool setti_change_check_values(sett_world* world, const sett_value* values, uint32_t count,
                               const char* call)
{
    for (uint32_t k = 0; k < count; k++) {
        if (SETTI_UNLIKELY(values[k].type != NULL) &&
            !change_check_value(world, &values[k], call)) {
            return false;
        }
    }
    return true;
}

sett_entity setti_change_create_with(sett_world* world, const sett_value* values, uint32_t count)
{
    static const char call[] = "sett_create_with";
    sett_component ids[SETTI_CREATE_MOST];
    const void* given[SETTI_CREATE_MOST];
    sett_entity entity = sett_null();
    if (setti_world_lacks_list(world, values, count, call, "values") ||
        !setti_change_check_values(world, values, count, call)) {
        return entity;
    }
    if (count > SETTI_CREATE_MOST) {
        setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                              "%s: %u components are given, at most %u fit - add the others by "
                              "sett_set",
                              call, (unsigned)count, (unsigned)SETTI_CREATE_MOST);
        return entity;
    }
    for (uint32_t k = 0; k < count; k++) {
        ids[k] = values[k].component;
        given[k] = values[k].value;
    }
    (void)create_many(world, call, 1, ids, count, given, &entity);
    return entity;
}

/* Prepares to add a type at an index by the fast path: makes room in collect_list. Returns false if
 * the fast path is impossible. */
SETTI_INLINE bool fast_make_ready(sett_world* world, setti_type* type, uint32_t index)
{
    const setti_storage* storage = &type->storage;
    bool has_page = false;
    if (SETTI_LIKELY(storage->kind == SETTI_ARRAY)) {
        has_page = setti_pages_get(&storage->rows, index >> storage->shift) != NULL;
    } else if (storage->kind == SETTI_TAG) {
        has_page = setti_storage_word(storage, index) != NULL;
    }
    if (!has_page) {
        return false;
    }
    return SETTI_LIKELY(type->cascade == NULL) || type->storage.count < type->collect_room ||
           setti_edit_reserve_collect(world, type, 1);
}

/* The fast path of setti_edit_begin: creates the entity of an edit at the lowest free index.
 * Returns false if the slow path is needed: then no entity is created. */
SETTI_INLINE bool fast_try_begin(sett_world* world, setti_edit* edit)
{
    setti_entity_table* table = &world->entities;
    setti_entity_find_hint(table);
    uint32_t word = table->hint;
    setti_entity_page* page = setti_pages_get(&table->pages, word / SETTI_ENTITY_WORDS);
    uint64_t bits = fast_free_bits(page, word);
    if (!SETTI_FAST_PATHS || bits == 0) {
        return false;
    }
    if ((world->pool.cow_from | world->locks_or_observers) != 0) {
        return false;
    }
    if (setti_edit_does(world, edit, SETTI_PLAN_ENTERS)) { /* enters a group or tracked set */
        return false;
    }
    uint32_t index = word * 64 + setti_bits_lowest(bits);
    uint32_t flags = 0; /* of all types together */
    const setti_edit_part* end = edit->added + edit->added_count;
    for (const setti_edit_part* part = edit->added; part != end; part++) {
        flags |= part->type->flags;
        if (SETTI_UNLIKELY(!fast_make_ready(world, part->type, index))) {
            return false;
        }
    }
    edit->flags = flags;
    (void)setti_pages_try_mark(&world->pool, &table->pages, word / SETTI_ENTITY_WORDS,
                               SETTI_NO_COW);
    edit->entities[0] = setti_entity_take_lowest(table, page, bits);
    if ((bits & (bits - 1)) == 0) { /* that was the word's last free index */
        setti_entity_advance_hint(table);
    }
    page->signature[index & SETTI_ENTITY_MASK] = edit->to;
    for (const setti_edit_part* part = edit->added; part != end; part++) {
        setti_storage* storage = &part->type->storage;
        void* row;
        if (SETTI_LIKELY(storage->kind == SETTI_ARRAY)) {
            row = setti_array_insert_one(&world->pool, storage, index, SETTI_NO_COW);
        } else {
            row = setti_storage_try_insert(&world->pool, storage, index);
        }
        setti_edit_write(part, row);
    }
    return true;
}

bool setti_edit_begin(sett_world* world, setti_edit* edit)
{
    SETTI_ASSERT(edit->creates && edit->count == 1 && edit->to != SETTI_NONE && world->locks == 0);
    uint32_t index;
    if (SETTI_LIKELY(fast_try_begin(world, edit))) {
        return true;
    }
    if (!setti_entity_reserve_lowest(&world->pool, &world->entities, &index) ||
        !setti_edit_reserve_at(world, edit, index)) {
        return false;
    }
    setti_edit_commit(world, edit);
    return true;
}

sett_entity sett_create_with(sett_world* world, const sett_value* values, uint32_t count)
{
    if (SETTI_IS_NULL(world)) {
        return sett_null();
    }
    setti_edit_part parts[SETTI_CREATE_MOST];
    sett_entity entity = sett_null();
    setti_edit edit = {.entities = &entity, .count = 1, .added = parts, .creates = true};
    bool has_values = count <= SETTI_CREATE_MOST && values != NULL;
    /* inside of a scope (generation not 0), the slow path makes the entity a child of the scope */
    bool fast = SETTI_FAST_PATHS && has_values && (world->locks | world->scope.generation) == 0;
    if (SETTI_LIKELY(fast)) {
        setti_world_check_owner(world, __func__);
        setti_edit_settle(world);
    }
    for (uint32_t k = 0; k < count && fast; k++) {
        if (SETTI_UNLIKELY(values[k].type != NULL) &&
            !setti_change_check_values(world, &values[k], 1, __func__)) {
            return entity;
        }
        setti_type* type = setti_world_hot_type(world, values[k].component);
        setti_change_check_tag(world, type, values[k].value, __func__);
        fast = type != NULL && type->cascade == NULL &&
               setti_change_include_fast(world, &edit, type, values[k].value);
    }
    if (SETTI_UNLIKELY(!fast || !setti_edit_begin(world, &edit))) {
        return setti_change_create_with(world, values, count);
    }
    setti_edit_notify_entering(world, &edit);
    return entity;
}

/* change_create.c: entities begin, one by one and in bulk.
 *
 * The workload: spawning. One entity without components takes the lowest free index, in line; its
 * components follow by sett_add. Many at once take the lowest free indices, too, in runs that
 * follow one another: of a run each type's storage is filled page by page.
 *
 *     free     0 0 1 1 1 0 0 1 0 1 1 1 1 ...           runs: 2 to 4, 7, 9 and on
 *
 * Invariant:  reserved for all before the first exists: what can fail comes first
 *             told when all of a creation are in their places
 */
#include "world/change_internal.h"

/* ----------------------------------------------------------------------------------- one by one */

/* Rejected, out of memory or in need of pages. */
SETTI_COLD static sett_entity change_create_slow(sett_world* world)
{
    static const char call[] = "sett_entity_create";
    if (setti_world_check_unlocked(world, call) != SETT_OK) {
        return sett_null();
    }
    uint32_t from = world->entities.hint * 64;
    sett_status status = setti_entity_reserve(&world->pool, &world->entities, &from, 1);
    if (status != SETT_OK) {
        setti_world_fail(world, status, call, sett_null(), 0);
        return sett_null();
    }
    return setti_entity_create(&world->pool, &world->entities);
}

/* Takes the lowest of the free indices of the hint's word. */
SETTI_INLINE sett_entity change_take(setti_entity_table* table, setti_entity_page* page,
                                     uint64_t bits)
{
    uint32_t word = table->hint;
    sett_entity entity;
    entity.index = word * 64 + setti_bits_lowest(bits);
    page->free[word % SETTI_ENTITY_WORDS] = bits & (bits - 1);
    table->count++;
    uint32_t* generation = &page->generation[entity.index & SETTI_ENTITY_MASK];
    entity.generation = *generation & ~SETTI_DEAD;
    *generation = entity.generation;
    return entity;
}

/* The last free index of a word; or the fast path led nowhere. */
SETTI_APART static sett_entity change_create_last(sett_world* world)
{
    setti_entity_table* table = &world->entities;
    uint32_t word = table->hint;
    setti_entity_page* page = setti_pages_get(&table->pages, word / SETTI_ENTITY_WORDS);
    uint64_t bits = page != NULL ? page->free[word % SETTI_ENTITY_WORDS] : 0;
    if (SETTI_UNLIKELY(bits == 0 || world->locks != 0)) {
        return change_create_slow(world);
    }
    setti_entity_write(&world->pool, table, word * 64);
    sett_entity entity = change_take(table, page, bits);
    if ((bits & (bits - 1)) == 0) {
        setti_entity_hint_ends(table);
    }
    return entity;
}

/* The lowest free index, where its page exists and others are free in its word. Calls nothing. */
SETTI_INLINE sett_entity change_create_fast(sett_world* world, bool cow)
{
    setti_entity_table* table = &world->entities;
    uint32_t number = table->hint / SETTI_ENTITY_WORDS;
    setti_entity_page* page = setti_pages_get(&table->pages, number);
    if (SETTI_UNLIKELY(page == NULL || world->locks != 0)) {
        return change_create_last(world);
    }
    uint64_t bits = page->free[table->hint % SETTI_ENTITY_WORDS];
    if (SETTI_UNLIKELY((bits & (bits - 1)) == 0 ||
                       !setti_pages_try_mark(&world->pool, &table->pages, number, cow))) {
        return change_create_last(world);
    }
    return change_take(table, page, bits);
}

SETTI_APART static sett_entity change_create_cow(sett_world* world)
{
    return change_create_fast(world, true);
}

sett_entity sett_entity_create(sett_world* world)
{
    if (SETTI_IS_NULL_IN_DEBUG(world)) {
        return sett_null();
    }
    setti_world_check_owner(world, __func__);
    return SETTI_LIKELY(world->pool.cow_from == 0) ? change_create_fast(world, false)
                                                   : change_create_cow(world);
}

sett_status sett_entity_create_handle(sett_world* world, sett_entity entity)
{
    static const char call[] = "sett_entity_create_handle";
    setti_entity_table* table = &world->entities;
    sett_status status = setti_world_check_unlocked(world, call);
    if (status != SETT_OK) {
        return status;
    }
    if (entity.index >= table->limit) {
        return setti_world_fail(world, SETT_STATUS_LIMIT, call, entity, 0);
    }
    if (sett_is_null(entity) || entity.generation > SETTI_GENERATION_MAX) {
        return setti_world_fail(world, SETT_STATUS_STALE, call, entity, 0);
    }
    uint32_t current = setti_entity_generation(table, entity.index);
    if ((current & SETTI_DEAD) == 0 || setti_entity_is_claimed(table, entity.index)) {
        return setti_world_fail(world, SETT_STATUS_PRESENT, call, entity, 0);
    }
    if (current == SETTI_RETIRED || entity.generation < (current & ~SETTI_DEAD)) {
        return setti_world_fail(world, SETT_STATUS_STALE, call, entity, 0);
    }
    status = setti_entity_reserve_index(&world->pool, table, entity.index);
    if (status != SETT_OK) {
        return setti_world_fail(world, status, call, entity, 0);
    }
    setti_entity_create_at(&world->pool, table, entity);
    return SETT_OK;
}

/* -------------------------------------------------------------------------------------- in bulk */

/* Adds a type to the list and to the signature; known types are skipped. */
static sett_status change_bulk_add(sett_world* world, setti_bulk* bulk, setti_type* type)
{
    for (uint32_t k = 0; k < bulk->types.count; k++) {
        if (bulk->types.item[k] == type) {
            return SETT_OK;
        }
    }
    bulk->signature = setti_change_toggle(world, bulk->signature, type);
    if (bulk->signature == SETTI_NONE || !setti_type_list_add(&world->pool, &bulk->types, type)) {
        return SETT_STATUS_OUT_OF_MEMORY;
    }
    return SETT_OK;
}

sett_status setti_bulk_prepare(sett_world* world, setti_bulk* bulk, const char* call)
{
    for (uint32_t k = 0; k < bulk->component_count; k++) {
        setti_type* type = setti_world_type(world, bulk->components[k]);
        sett_status status = type != NULL ? SETT_OK : SETT_STATUS_UNREGISTERED;
        for (uint32_t j = 0; j < k; j++) {
            if (bulk->components[j] == bulk->components[k]) {
                return setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                                             "%s: \"%.100s\" is listed twice", call,
                                             type->desc.name);
            }
        }
        if (status == SETT_OK && (type->flags & SETTI_TYPE_LINKED) != 0 && !bulk->linked) {
            return setti_change_reject_linked(world, type, call);
        }
        if (status == SETT_OK && (type->flags & SETTI_TYPE_GUARDED) != 0 && !bulk->linked &&
            bulk->values != NULL && bulk->values[k] != NULL) {
            return setti_component_reject_set(world, type, call);
        }
        for (uint32_t j = 0; status == SETT_OK && j < type->required.count; j++) {
            status = change_bulk_add(world, bulk, type->required.item[j]);
        }
        if (status == SETT_OK) {
            status = change_bulk_add(world, bulk, type);
        }
        if (status != SETT_OK) {
            return setti_world_fail(world, status, call, sett_null(), bulk->components[k]);
        }
    }
    return SETT_OK;
}

/* Rows behind those that were reserved for others and not taken yet. */
static bool change_bulk_claim(sett_world* world, setti_bulk* bulk)
{
    bool done = true;
    bulk->claimed = true;
    for (uint32_t k = 0; k < bulk->types.count; k++) {
        setti_type* type = bulk->types.item[k];
        type->claimed += bulk->count;
        done = done && setti_storage_reserve_rows(&world->pool, &type->storage, type->claimed) &&
               setti_change_reserve_collect(world, type, 0);
    }
    return done;
}

static void change_bulk_unclaim(setti_bulk* bulk)
{
    for (uint32_t k = 0; k < bulk->types.count && bulk->claimed; k++) {
        bulk->types.item[k]->claimed -= bulk->count;
    }
    bulk->claimed = false;
}

/* Whether a callback runs, or a group changes, when entities with these types are created. */
static bool change_bulk_is_heard(const sett_world* world, const setti_bulk* bulk)
{
    bool heard = world->listeners != NULL;
    for (uint32_t k = 0; k < bulk->types.count && !heard; k++) {
        heard = (bulk->types.item[k]->flags & (SETTI_TYPE_ON_ADD | SETTI_TYPE_ON_SET)) != 0;
    }
    return heard;
}

/* Makes room for the handles of those that callbacks are going to be called about. */
static bool change_bulk_reserve_made(sett_world* world, setti_bulk* bulk)
{
    size_t size;
    if (!change_bulk_is_heard(world, bulk)) {
        return true;
    }
    bulk->room = setti_multiply(bulk->count, sizeof(*bulk->room), &size)
                     ? setti_pool_alloc(&world->pool, size, 16)
                     : NULL;
    return bulk->room != NULL;
}

/* Reserves what giving the types to some indices takes. */
static bool change_bulk_reserve_run(sett_world* world, const setti_bulk* bulk,
                                    setti_change_walk walk, setti_entity_run run)
{
    for (uint32_t k = 0; k < run.count && world->listeners != NULL; k++) {
        if (!setti_change_reserve_listeners(world, walk, run.first + k)) {
            return false;
        }
    }
    for (uint32_t k = 0; k < bulk->types.count; k++) {
        if (!setti_storage_reserve_indices(&world->pool, &bulk->types.item[k]->storage, run.first,
                                           run.count)) {
            return false;
        }
    }
    return true;
}

sett_status setti_bulk_reserve(sett_world* world, setti_bulk* bulk, uint32_t* from)
{
    setti_entity_table* table = &world->entities;
    bool fresh = sett_is_null(bulk->into);
    uint32_t at = *from;
    sett_status status =
        fresh ? setti_entity_reserve(&world->pool, table, from, bulk->count) : SETT_OK;
    if (status != SETT_OK || bulk->types.count == 0) {
        return status;
    }
    bool done = change_bulk_reserve_made(world, bulk) && change_bulk_claim(world, bulk);
    setti_change_walk walk = setti_change_walk_begin(world, 0, NULL, bulk->signature);
    for (uint32_t k = 0; done && k < bulk->count;) {
        setti_entity_run run = {bulk->into.index, 1};
        if (fresh) {
            run = setti_entity_next_run(table, at, bulk->count - k);
            at = run.first + run.count;
        }
        done = change_bulk_reserve_run(world, bulk, walk, run);
        k += run.count;
    }
    return done ? SETT_OK : SETT_STATUS_OUT_OF_MEMORY;
}

/* Which of the caller's value arrays belongs to a type; NULL if none does. */
static const unsigned char* change_bulk_values(const setti_bulk* bulk, const setti_type* type)
{
    for (uint32_t k = 0; bulk->values != NULL && k < bulk->component_count; k++) {
        if (bulk->components[k] == type->id) {
            return bulk->values[k];
        }
    }
    return NULL;
}

/* Writes `count` copies of one value to rows. */
static void change_repeat(const setti_type* type, unsigned char* rows, const unsigned char* value,
                          uint32_t count)
{
    size_t size = type->storage.size;
    if (type->desc.copy != NULL) {
        for (uint32_t k = 0; k < count; k++) {
            setti_type_call_copy(type, rows + k * size, value, 1);
        }
        return;
    }
    setti_row_copy(rows, value, size);
    for (size_t done = size, end = size * count; done < end;) { /* what is there, twice */
        size_t step = SETTI_MIN(done, end - done);
        memcpy(rows + done, rows, step);
        done += step;
    }
}

/* Gives the entities of a run one type; `values` has the first one's, or, to repeat, the one that
 * all get. */
static void change_bulk_fill(sett_world* world, setti_type* type, setti_entity_run run,
                             const unsigned char* values, const setti_bulk* bulk)
{
    size_t size = type->storage.size;
    for (uint32_t done = 0; done < run.count;) {
        uint32_t step = run.count - done;
        unsigned char* rows =
            setti_storage_insert(&world->pool, &type->storage, run.first + done, &step);
        if (values == NULL || type->desc.copy != NULL) {
            setti_type_init_values(type, rows, step);
        }
        if (values == NULL || size == 0) {
            /* nothing was given */
        } else if (bulk->repeat) {
            change_repeat(type, rows, values, step);
        } else {
            setti_type_copy_values(type, rows, values + done * size, step);
        }
        done += step;
    }
}

/* Brings a run of the next `most` entities to life, from an index on; or takes the one that is
 * given. */
static setti_entity_run change_bulk_begin(sett_world* world, const setti_bulk* bulk, uint32_t from,
                                          uint32_t most, sett_entity* out)
{
    setti_entity_table* table = &world->entities;
    setti_entity_run run = {bulk->into.index, 1};
    if (sett_is_null(bulk->into)) {
        run = setti_entity_next_run(table, from, most);
        setti_entity_create_run(&world->pool, table, run, bulk->signature, out);
        return run;
    }
    setti_change_set_signature(world, run.first, setti_entity_signature(table, bulk->into),
                               bulk->signature);
    if (out != NULL) {
        *out = bulk->into;
    }
    return run;
}

void setti_bulk_create(sett_world* world, setti_bulk* bulk, sett_entity* out)
{
    uint32_t from = world->entities.hint * 64;
    out = out != NULL ? out : bulk->room;
    bulk->made = out;
    for (uint32_t done = 0; done < bulk->count;) {
        setti_entity_run run = change_bulk_begin(world, bulk, from, bulk->count - done,
                                                 out != NULL ? out + done : NULL);
        for (uint32_t k = 0; k < bulk->types.count; k++) {
            setti_type* type = bulk->types.item[k];
            const unsigned char* given = change_bulk_values(bulk, type);
            size_t offset = bulk->repeat ? 0 : (size_t)done * type->storage.size;
            change_bulk_fill(world, type, run, given != NULL ? given + offset : NULL, bulk);
        }
        done += run.count;
        from = run.first + run.count;
    }
    change_bulk_unclaim(bulk);
    setti_change_walk walk = setti_change_walk_begin(world, 0, NULL, bulk->signature);
    for (uint32_t k = 0; k < bulk->count && world->listeners != NULL && bulk->made != NULL; k++) {
        setti_change_enter(world, walk, bulk->made[k].index);
    }
}

/* Tells the hooks of a type of entities that were created together. */
static void change_bulk_call(sett_world* world, setti_type* type, const setti_bulk* bulk, bool set)
{
    for (uint32_t k = 0; k < bulk->count; k++) {
        sett_entity entity = bulk->made[k];
        void* value = setti_storage_find(&type->storage, entity.index);
        setti_change_call(world, type, SETTI_ON_ADD, entity, value);
        if (set) {
            setti_change_call(world, type, SETTI_ON_SET, entity, value);
        }
    }
}

void setti_bulk_notify(sett_world* world, const setti_bulk* bulk)
{
    for (uint32_t k = 0; k < bulk->types.count; k++) {
        setti_type* type = bulk->types.item[k];
        if ((type->flags & (SETTI_TYPE_ON_ADD | SETTI_TYPE_ON_SET)) != 0) {
            change_bulk_call(world, type, bulk, change_bulk_values(bulk, type) != NULL);
        }
    }
    setti_change_walk walk = setti_change_walk_begin(world, 0, NULL, bulk->signature);
    for (uint32_t k = 0; k < bulk->count && world->listeners != NULL && bulk->made != NULL; k++) {
        setti_change_notify_enter(world, walk, bulk->made[k]);
    }
}

void setti_bulk_free(sett_world* world, setti_bulk* bulk)
{
    change_bulk_unclaim(bulk);
    setti_pool_free(&world->pool, bulk->room, bulk->count * sizeof(*bulk->room), 16);
    setti_type_list_deinit(&world->pool, &bulk->types);
}

sett_status setti_bulk_run(sett_world* world, const char* call, uint32_t count,
                           const sett_component* components, uint32_t component_count,
                           const void* const* values, sett_entity* out)
{
    sett_status status = setti_world_check_unlocked(world, call);
    if (status != SETT_OK || count == 0) {
        return status;
    }
    setti_change_settle(world);
    setti_bulk bulk;
    memset(&bulk, 0, sizeof(bulk));
    bulk.components = components;
    bulk.component_count = component_count;
    bulk.values = values;
    bulk.count = count;
    status = setti_bulk_prepare(world, &bulk, call);
    if (status == SETT_OK) {
        uint32_t from = world->entities.hint * 64;
        status = setti_bulk_reserve(world, &bulk, &from);
        if (status != SETT_OK) {
            setti_world_fail(world, status, call, sett_null(), 0);
        }
    }
    if (status == SETT_OK) {
        setti_bulk_create(world, &bulk, out);
        setti_bulk_notify(world, &bulk);
    }
    setti_bulk_free(world, &bulk);
    return status;
}

sett_status sett_entity_create_many(sett_world* world, uint32_t count,
                                    const sett_component* components, uint32_t component_count,
                                    const void* const* values, sett_entity* out)
{
    return setti_bulk_run(world, "sett_entity_create_many", count, components, component_count,
                          values, out);
}

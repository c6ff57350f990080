/* change_create.c: entities begin, one by one and in bulk.
 *
 * The workload: spawning. One entity without components is the next row of the entity table, in
 * line; its components follow by sett_add. Many at once take the rows behind the members, too, in
 * runs of indices that follow one another: of a run each type's storage is filled page by page.
 *
 *     row      | members | next, next, next ... | free
 *     index                7, 8, 9, 5, 4             two runs: 7 up to 9, 5 down to 4
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
    sett_status status = setti_entity_reserve(&world->pool, &world->entities, 1);
    if (status != SETT_OK) {
        setti_world_fail(world, status, call, sett_null(), 0);
        return sett_null();
    }
    return setti_entity_create(&world->pool, &world->entities);
}

SETTI_INLINE sett_entity change_create_short(sett_world* world, bool cow)
{
    setti_entity_table* table = &world->entities;
    uint32_t row = table->ids.count;
    const setti_id_page* page = setti_id_set_page_of(&table->ids, row);
    if (SETTI_UNLIKELY(page == NULL || world->locks != 0 || table->reserved != 0 ||
                       row >= table->ids.limit)) {
        return change_create_slow(world);
    }
    /* An index that lived before has its page; a fresh one is its own row, and may not. */
    sett_entity entity;
    entity.index = page->dense[row & SETTI_ID_SET_MASK];
    setti_entity_page* home = setti_entity_page_of(table, entity.index);
    if (SETTI_UNLIKELY(home == NULL ||
                       !setti_entity_try_mark(&world->pool, table, entity.index, cow))) {
        return change_create_slow(world);
    }
    uint32_t* generation = &home->generation[entity.index & SETTI_ID_SET_MASK];
    entity.generation = *generation & ~SETTI_DEAD;
    *generation = entity.generation;
    table->ids.count = row + 1;
    return entity;
}

SETTI_APART static sett_entity change_create_cow(sett_world* world)
{
    return change_create_short(world, true);
}

sett_entity sett_entity_create(sett_world* world)
{
    if (SETTI_IS_NULL_IN_DEBUG(world)) {
        return sett_null();
    }
    setti_world_check_owner(world, __func__);
    return SETTI_LIKELY(world->pool.cow_from == 0) ? change_create_short(world, false)
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
    if (entity.index >= table->ids.limit) {
        return setti_world_fail(world, SETT_STATUS_LIMIT, call, entity, 0);
    }
    if (sett_is_null(entity) || entity.generation > SETTI_GENERATION_MAX) {
        return setti_world_fail(world, SETT_STATUS_STALE, call, entity, 0);
    }
    const setti_entity_page* page = setti_entity_page_of(table, entity.index);
    uint32_t slot = entity.index & SETTI_ID_SET_MASK;
    uint32_t current = page != NULL ? page->generation[slot] : (SETTI_DEAD | 1);
    if ((current & SETTI_DEAD) == 0 || setti_entity_is_reserved(table, entity.index)) {
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

/* Creations one after another whose indices follow one another: upwards where they are fresh or
 * were freed from the last to the first, downwards where they were freed in order. */
typedef struct change_run {
    uint32_t first; /* the lowest index */
    uint32_t count;
    bool down;
} change_run;

/* The run that the next `count` creations begin with. */
static change_run change_run_next(const setti_entity_table* table, uint32_t ahead, uint32_t count)
{
    uint32_t row = table->ids.count + table->reserved + ahead;
    uint32_t first = setti_id_set_dense(&table->ids, row);
    change_run run = {first, 1, false};
    run.down = count > 1 && setti_id_set_dense(&table->ids, row + 1) + 1 == first;
    uint32_t step = run.down ? UINT32_MAX : 1;
    while (run.count < count) { /* page by page: a page that does not exist is the identity */
        uint32_t at = row + run.count;
        const setti_id_page* page = setti_id_set_page_of(&table->ids, at);
        uint32_t slot = at & SETTI_ID_SET_MASK;
        uint32_t end = SETTI_MIN(SETTI_ID_SET_ROWS - slot, count - run.count);
        uint32_t k = 0;
        while (k < end &&
               (page != NULL ? page->dense[slot + k] : at + k) == first + (run.count + k) * step) {
            k++;
        }
        run.count += k;
        if (k < end) {
            break;
        }
    }
    run.first = run.down ? first + 1 - run.count : first;
    return run;
}

/* Rows behind those that were reserved for others and not taken yet. */
static bool change_bulk_claim(sett_world* world, setti_bulk* bulk)
{
    bool done = true;
    bulk->claimed = true;
    for (uint32_t k = 0; k < bulk->types.count; k++) {
        setti_type* type = bulk->types.item[k];
        type->claimed += bulk->count;
        done = done && setti_storage_reserve_rows(&world->pool, &type->storage, type->claimed);
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

sett_status setti_bulk_reserve(sett_world* world, setti_bulk* bulk, uint32_t ahead)
{
    setti_entity_table* table = &world->entities;
    if (bulk->count > SETTI_NONE - ahead) {
        return SETT_STATUS_LIMIT;
    }
    bool fresh = sett_is_null(bulk->into);
    sett_status status =
        fresh ? setti_entity_reserve(&world->pool, table, ahead + bulk->count) : SETT_OK;
    if (status != SETT_OK || bulk->types.count == 0) {
        return status;
    }
    if (!change_bulk_claim(world, bulk)) {
        return SETT_STATUS_OUT_OF_MEMORY;
    }
    setti_change_walk walk = setti_change_walk_begin(world, 0, NULL, bulk->signature);
    for (uint32_t done = 0; done < bulk->count;) {
        change_run run = {bulk->into.index, 1, false};
        if (fresh) {
            run = change_run_next(table, ahead + done, bulk->count - done);
        }
        for (uint32_t k = 0; k < run.count && world->listeners != NULL; k++) {
            if (!setti_change_reserve_listeners(world, walk, run.first + k)) {
                return SETT_STATUS_OUT_OF_MEMORY;
            }
        }
        for (uint32_t k = 0; k < bulk->types.count; k++) {
            if (!setti_storage_reserve_indices(&world->pool, &bulk->types.item[k]->storage,
                                               run.first, run.count)) {
                return SETT_STATUS_OUT_OF_MEMORY;
            }
        }
        done += run.count;
    }
    return SETT_OK;
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

/* Gives `count` entities from an index on one type; `values` has the first one's, or, to repeat,
 * the one that all get. Without repeating they may lie backwards: the last one's comes first. */
static void change_bulk_fill(sett_world* world, setti_type* type, uint32_t first, uint32_t count,
                             const unsigned char* values, const setti_bulk* bulk, bool backwards)
{
    size_t size = type->storage.size;
    for (uint32_t done = 0; done < count;) {
        uint32_t step = count - done;
        unsigned char* rows =
            setti_storage_insert(&world->pool, &type->storage, first + done, &step);
        if (values == NULL || type->desc.copy != NULL) {
            setti_type_init_values(type, rows, step);
        }
        if (values == NULL || size == 0) {
            /* nothing was given */
        } else if (bulk->repeat) {
            change_repeat(type, rows, values, step);
        } else if (!backwards) {
            setti_type_copy_values(type, rows, values + done * size, step);
        } else {
            for (uint32_t k = 0; k < step; k++) {
                setti_type_copy_values(type, rows + k * size,
                                       values + (count - 1 - done - k) * size, 1);
            }
        }
        done += step;
    }
}

/* The same for a run. The rows of sparse sets lie in the order of creation, whatever that of
 * the indices. */
static void change_bulk_fill_run(sett_world* world, setti_type* type, change_run run,
                                 const unsigned char* values, const setti_bulk* bulk)
{
    if (!run.down || type->storage.kind != SETTI_SPARSE) {
        change_bulk_fill(world, type, run.first, run.count, values, bulk, run.down);
        return;
    }
    size_t size = bulk->repeat || values == NULL ? 0 : type->storage.size;
    for (uint32_t k = 0; k < run.count; k++) {
        change_bulk_fill(world, type, run.first + run.count - 1 - k, 1,
                         values != NULL ? values + k * size : NULL, bulk, false);
    }
}

/* Brings the next entities to life, which follow one another; or takes the one that is given. */
static change_run change_bulk_begin(sett_world* world, const setti_bulk* bulk, uint32_t done,
                                    sett_entity* out)
{
    setti_entity_table* table = &world->entities;
    change_run run = {bulk->into.index, 1, false};
    if (sett_is_null(bulk->into)) {
        run = change_run_next(table, 0, bulk->count - done);
        setti_entity_create_run(&world->pool, table, run.count, run.down, bulk->signature,
                                out != NULL ? out + done : NULL);
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
    setti_entity_table* table = &world->entities;
    bulk->row = sett_is_null(bulk->into) ? table->ids.count
                                         : setti_id_set_sparse(&table->ids, bulk->into.index);
    for (uint32_t done = 0; done < bulk->count;) {
        change_run run = change_bulk_begin(world, bulk, done, out);
        for (uint32_t k = 0; k < bulk->types.count; k++) {
            setti_type* type = bulk->types.item[k];
            const unsigned char* given = change_bulk_values(bulk, type);
            size_t offset = bulk->repeat ? 0 : (size_t)done * type->storage.size;
            change_bulk_fill_run(world, type, run, given != NULL ? given + offset : NULL, bulk);
        }
        done += run.count;
    }
    change_bulk_unclaim(bulk);
    setti_change_walk walk = setti_change_walk_begin(world, 0, NULL, bulk->signature);
    for (uint32_t k = 0; k < bulk->count && world->listeners != NULL; k++) {
        setti_change_enter(world, walk, setti_id_set_dense(&table->ids, bulk->row + k));
    }
}

/* Tells the hooks of a type of entities that were created together. */
static void change_bulk_call(sett_world* world, setti_type* type, const setti_bulk* bulk, bool set)
{
    for (uint32_t k = 0; k < bulk->count; k++) {
        uint32_t index = setti_id_set_dense(&world->entities.ids, bulk->row + k);
        sett_entity entity = setti_entity_at(&world->entities, index);
        void* value = setti_storage_find(&type->storage, index);
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
    for (uint32_t k = 0; k < bulk->count && world->listeners != NULL; k++) {
        uint32_t index = setti_id_set_dense(&world->entities.ids, bulk->row + k);
        setti_change_notify_enter(world, walk, setti_entity_at(&world->entities, index));
    }
}

void setti_bulk_free(sett_world* world, setti_bulk* bulk)
{
    change_bulk_unclaim(bulk);
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
        status = setti_bulk_reserve(world, &bulk, 0);
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

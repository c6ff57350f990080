/* change_bundle.c: one entity that is created with all of its components.
 *
 * The workload: spawning one at a time: a shot with five components, an instance of a prefab. What
 * sett_add looks up for each component (the entity, the transition, who is notified) is looked up
 * once, because the set of components is known before the entity exists. No query sees a set in
 * between, and on_add hooks see the values.
 *
 *     values    Position Velocity Health        the types' transitions lead from the empty set
 *     set       0 -> P -> PV -> PVH             to the entity's; most were taken lately
 *
 * Invariant:  what can fail is done before the entity exists
 */
#include "world/change_internal.h"

#define BUNDLE_MOST 32

/* Of a type whose rows may be reserved by number. */
#define BUNDLE_CLAIMS (SETTI_TYPE_OTHER | SETTI_TYPE_CASCADES)

/* ------------------------------------------------------------------------------------ reserving */

/* Whether rows, or room to be destroyed together, are reserved by number, not by index: then
 * several reserved at once add up. */
SETTI_INLINE bool bundle_claims(const setti_type* type)
{
    return type->storage.kind == SETTI_SPARSE || type->cascade != NULL;
}

/* Whether a row for an index needs no memory; in line where its page exists. */
SETTI_INLINE bool bundle_reserve_type(sett_world* world, setti_type* type, uint32_t index)
{
    setti_storage* storage = &type->storage;
    if (SETTI_LIKELY(storage->kind == SETTI_ARRAY && type->cascade == NULL &&
                     setti_storage_word(storage, index) != NULL &&
                     storage->rows.data[index >> storage->shift] != NULL)) {
        return true;
    }
    if (bundle_claims(type)) {
        type->claimed++;
        if (!setti_storage_reserve_rows(&world->pool, storage, type->claimed) ||
            !setti_change_reserve_collect(world, type, 0)) {
            return false;
        }
    }
    return setti_storage_reserve_indices(&world->pool, storage, index, 1);
}

bool setti_bundle_reserve(sett_world* world, setti_bundle* bundle, uint32_t index)
{
    bundle->flags = 0;
    for (uint32_t k = 0; k < bundle->count; k++) {
        setti_type* type = bundle->parts[k].type;
        bundle->flags |= type->flags;
        if (!bundle_reserve_type(world, type, index)) {
            bundle->claimed = k + 1;
            return false;
        }
    }
    bundle->claimed = bundle->count;
    return world->listeners == NULL ||
           setti_change_reserve_listeners(
               world, setti_change_walk_begin(world, 0, NULL, bundle->signature), index);
}

void setti_bundle_unclaim(setti_bundle* bundle)
{
    for (uint32_t k = 0; k < bundle->claimed; k++) {
        setti_type* type = bundle->parts[k].type;
        type->claimed -= bundle_claims(type);
    }
    bundle->claimed = 0;
}

/* ------------------------------------------------------------------------------------- creating */

/* The row of an index, reserved, not initialised. */
SETTI_INLINE void* bundle_insert(sett_world* world, setti_storage* storage, uint32_t index)
{
    setti_pool* pool = &world->pool;
    uint32_t one = 1;
    if (SETTI_UNLIKELY(storage->kind != SETTI_ARRAY || storage->tracked || pool->cow_from != 0)) {
        return setti_storage_insert(pool, storage, index, &one);
    }
    uint64_t* words = storage->presence.data[index >> SETTI_BITS_SHIFT];
    (void)setti_pages_try_mark(pool, &storage->presence, index >> SETTI_BITS_SHIFT, false);
    (void)setti_pages_try_mark(pool, &storage->rows, index >> storage->shift, false);
    SETTI_ASSERT(!setti_bitmap_has(storage, index));
    words[index / 64 & (SETTI_BITS_WORDS - 1)] |= (uint64_t)1 << (index % 64);
    storage->count++;
    storage->extent = SETTI_MAX(storage->extent, index + 1);
    return setti_array_row(storage, index);
}

SETTI_INLINE void bundle_write(const setti_type* type, void* row, const void* value)
{
    if (SETTI_UNLIKELY((type->flags & (SETTI_TYPE_INIT | SETTI_TYPE_COPY)) != 0)) {
        if (value == NULL || type->desc.copy != NULL) {
            setti_type_init_values(type, row, 1);
        }
        if (value != NULL) {
            setti_type_copy_values(type, row, value, 1);
        }
    } else if (type->storage.size != 0 && value != NULL) {
        setti_row_copy(row, value, type->storage.size);
    } else if (type->storage.size != 0) {
        setti_row_zero(row, type->storage.size);
    }
}

void setti_bundle_put(sett_world* world, setti_bundle* bundle, uint32_t index)
{
    for (uint32_t k = 0; k < bundle->count; k++) {
        setti_type* type = bundle->parts[k].type;
        void* row = bundle_insert(world, &type->storage, index);
        bundle_write(type, row, bundle->parts[k].value);
    }
    if (SETTI_UNLIKELY((bundle->flags & BUNDLE_CLAIMS) != 0)) {
        setti_bundle_unclaim(bundle);
    }
    bundle->claimed = 0;
    if (SETTI_UNLIKELY(world->listeners != NULL)) {
        setti_change_enter(world, setti_change_walk_begin(world, 0, NULL, bundle->signature),
                           index);
    }
}

void setti_bundle_notify(sett_world* world, const setti_bundle* bundle, sett_entity entity)
{
    bool calls = (bundle->flags & (SETTI_TYPE_ON_ADD | SETTI_TYPE_ON_SET)) != 0;
    for (uint32_t k = 0; calls && k < bundle->count; k++) {
        const setti_type* type = bundle->parts[k].type;
        if ((type->flags & (SETTI_TYPE_ON_ADD | SETTI_TYPE_ON_SET)) != 0) {
            void* value = setti_storage_find(&type->storage, entity.index);
            setti_change_call(world, type, SETTI_ON_ADD, entity, value);
            if (bundle->parts[k].value != NULL && !bundle->parts[k].quiet) {
                setti_change_call(world, type, SETTI_ON_SET, entity, value);
            }
        }
    }
    if (SETTI_UNLIKELY(world->listeners != NULL)) {
        setti_change_notify_enter(world, setti_change_walk_begin(world, 0, NULL, bundle->signature),
                                  entity);
    }
}

/* ------------------------------------------------------------------------------ from components */

/* Finds the transition out, and remembers it, unless something is notified of it. */
SETTI_APART static bool bundle_learn(sett_world* world, setti_type* type, uint32_t signature)
{
    if (setti_signature_has(&world->signatures, signature, type->id)) {
        return false;
    }
    for (uint32_t k = 0; k < type->required.count; k++) {
        if (!setti_signature_has(&world->signatures, signature, type->required.item[k]->id)) {
            return false;
        }
    }
    uint32_t to = setti_change_toggle(world, signature, type);
    if (to == SETTI_NONE || !setti_change_is_unheard(world, signature, type, to)) {
        return false;
    }
    setti_type_added(type, signature)->from = signature;
    setti_type_added(type, signature)->to = to;
    return true;
}

bool setti_bundle_step(sett_world* world, setti_type* type, uint32_t* signature)
{
    if (SETTI_UNLIKELY((type->flags & SETTI_TYPE_SLOW_ADD) != 0)) {
        return false;
    }
    const setti_transition* added = setti_type_added(type, *signature);
    if (SETTI_UNLIKELY(added->from != *signature) && !bundle_learn(world, type, *signature)) {
        return false;
    }
    *signature = added->to;
    return true;
}

bool setti_bundle_check(sett_world* world, const sett_value* values, uint32_t count,
                        const char* call)
{
    for (uint32_t k = 0; k < count; k++) {
        if (SETTI_UNLIKELY(values[k].type != NULL) &&
            !sett_component_check_type_(world, values[k].component, values[k].size, values[k].type,
                                        call)) {
            world->error = SETT_STATUS_ARGUMENT;
            return false;
        }
    }
    return true;
}

/* As many at once, of which there is one: this knows all cases and all errors. */
static sett_entity bundle_create_slow(sett_world* world, const sett_value* values, uint32_t count)
{
    static const char call[] = "sett_create_with";
    sett_component ids[BUNDLE_MOST];
    const void* given[BUNDLE_MOST];
    sett_entity entity = sett_null();
    if (count > BUNDLE_MOST) {
        setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                              "%s: %u components, at most %u - add the others by sett_set", call,
                              (unsigned)count, (unsigned)BUNDLE_MOST);
        return entity;
    }
    for (uint32_t k = 0; k < count; k++) {
        ids[k] = values[k].component;
        given[k] = values[k].value;
    }
    (void)setti_bulk_run(world, call, 1, ids, count, given, &entity);
    return entity;
}

sett_entity sett_create_with(sett_world* world, const sett_value* values, uint32_t count)
{
    if (SETTI_IS_NULL(world)) {
        return sett_null();
    }
    setti_bundle_part parts[BUNDLE_MOST];
    setti_bundle bundle = {parts, count, 0, 0, 0};
    bool plain = count <= BUNDLE_MOST && world->locks == 0;
    if (plain) {
        setti_change_settle(world);
    }
    if (!setti_bundle_check(world, values, count, "sett_create_with")) {
        return sett_null();
    }
    for (uint32_t k = 0; k < count && plain; k++) {
        setti_type* type = setti_world_hot_type(world, values[k].component);
        plain = type != NULL && type->cascade == NULL &&
                setti_bundle_step(world, type, &bundle.signature);
        parts[k].type = type;
        parts[k].value = values[k].value;
        parts[k].copies = false;
        parts[k].quiet = false;
    }
    setti_entity_table* table = &world->entities;
    uint32_t index;
    plain = plain && setti_entity_reserve_lowest(&world->pool, table, &index) &&
            setti_bundle_reserve(world, &bundle, index);
    if (SETTI_UNLIKELY(!plain)) {
        setti_bundle_unclaim(&bundle);
        return bundle_create_slow(world, values, count);
    }
    sett_entity entity = setti_entity_create(&world->pool, table);
    *setti_entity_signature(table, entity) = bundle.signature; /* its page is marked */
    setti_bundle_put(world, &bundle, entity.index);
    setti_bundle_notify(world, &bundle, entity);
    return entity;
}

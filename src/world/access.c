/* access.c: reads entities and values. Nothing here changes structure. Calls that return values for
 * writing mark the pages of the values as written.
 *
 * The workload: random access by handle, millions of times a frame. Each call compares the handle
 * with the entity table, and then reads the bit or row of the storage. (Reading the entity's
 * signature instead of the bit took 2 ns more.)
 */
#if !defined(SETT_NO_INLINE)
#define SETT_NO_INLINE /* this file defines the functions that core.h also has in line */
#endif
#include "world/change.h"

/* Reports why an access found no value: the handle is stale, the component is not registered, or
 * the entity lacks it. */
SETTI_COLD static void access_misuse(const sett_world* world, sett_entity entity,
                                     sett_component component, const char* call)
{
    sett_status status = SETT_STATUS_ABSENT;
    if (setti_entity_signature(&world->entities, entity) == NULL) {
        status = SETT_STATUS_STALE;
    } else if (setti_world_type(world, component) == NULL) {
        status = SETT_STATUS_UNREGISTERED;
    }
    setti_world_misuse(world, status, call, entity, component);
}

/* Returns the type of a component by the slow path. Returns NULL if the component is not
 * registered. Counts the access for profiles, and checks that the running system may make the
 * access. */
SETTI_COLD static setti_type* access_type(const sett_world* world, sett_entity entity,
                                          sett_component component, uint32_t access,
                                          const char* call)
{
    setti_type* type = setti_world_type(world, component);
    /* sett_get and sett_get_mut report id 0 later, in access_misuse */
    if (component == 0 && strcmp(call, "sett_get") != 0 && strcmp(call, "sett_get_mut") != 0) {
        setti_world_misuse(world, SETT_STATUS_UNREGISTERED, call, entity, 0);
    }
    if (type == NULL) {
        return NULL;
    }
    if (world->profiling) {
        type->use.accessed++;
    }
    setti_world_touch(world, entity, component, access, call);
    return type;
}

SETTI_COLD const void* setti_access_find(const sett_world* world, sett_entity entity,
                                         sett_component component, const char* call)
{
    const setti_type* type = setti_world_hot_type(world, component);
    if (type == NULL) {
        type = access_type(world, entity, component, SETTI_ACCESS_READ, call);
    }
    if (type == NULL || !setti_entity_is_current(&world->entities, entity)) {
        return NULL;
    }
    return setti_storage_find(&type->storage, entity.index);
}

SETTI_COLD const void* sett_find_slow_(const sett_world* world, uint32_t index, uint32_t generation,
                                       sett_component component)
{
    sett_entity entity = {index, generation};
    return setti_access_find(world, entity, component, "sett_find");
}

SETTI_COLD const void* sett_get_slow_(const sett_world* world, uint32_t index, uint32_t generation,
                                      sett_component component)
{
    sett_entity entity = {index, generation};
    const void* value = setti_access_find(world, entity, component, "sett_get");
    if (value == NULL) {
        access_misuse(world, entity, component, "sett_get");
    }
    return value;
}

const void* sett_find(const sett_world* world, sett_entity entity, sett_component component)
{
    if (SETTI_IS_NULL_IN_DEBUG(world)) {
        return NULL;
    }
    const setti_type* type = setti_world_hot_type(world, component);
    if (SETTI_UNLIKELY(type == NULL)) {
        return sett_find_slow_(world, entity.index, entity.generation, component);
    }
    if (SETTI_LIKELY(setti_entity_is_current(&world->entities, entity))) {
        return setti_storage_find(&type->storage, entity.index);
    }
    return NULL;
}

const void* sett_get(const sett_world* world, sett_entity entity, sett_component component)
{
    if (SETTI_IS_NULL_IN_DEBUG(world)) {
        return NULL;
    }
    const setti_type* type = setti_world_hot_type(world, component);
    if (SETTI_LIKELY(type != NULL && setti_entity_is_current(&world->entities, entity))) {
        const void* value = setti_storage_find(&type->storage, entity.index);
        if (SETTI_LIKELY(value != NULL)) {
            return value;
        }
    }
    return sett_get_slow_(world, entity.index, entity.generation, component);
}

/* Returns true if only the library may write values of the type. A tag has no values to protect. */
SETTI_INLINE bool access_is_rejected(const setti_type* type)
{
    return type->writers != NULL && type->storage.size != 0;
}

SETTI_APART void* setti_access_find_mut(sett_world* world, sett_entity entity,
                                        sett_component component, const char* call)
{
    const setti_type* type = setti_world_hot_type(world, component);
    if (SETTI_UNLIKELY(type == NULL)) {
        type = access_type(world, entity, component, SETTI_ACCESS_WRITE, call);
    }
    if (type == NULL || !setti_entity_is_current(&world->entities, entity)) {
        return NULL;
    }
    if (access_is_rejected(type)) {
        (void)setti_component_reject_set(world, type, call);
        return NULL;
    }
    return setti_storage_find_mut(&world->pool, &type->storage, entity.index);
}

/* The slow path of sett_get_mut. */
SETTI_APART static void* access_get_mut(sett_world* world, sett_entity entity,
                                        sett_component component)
{
    void* value = setti_access_find_mut(world, entity, component, "sett_get_mut");
    if (SETTI_UNLIKELY(value == NULL)) {
        const setti_type* type = setti_world_type(world, component);
        bool rejected = type != NULL && access_is_rejected(type);
        /* then setti_access_find_mut has reported the error */
        bool reported = rejected && sett_entity_valid(world, entity);
        if (!reported) {
            access_misuse(world, entity, component, "sett_get_mut");
        }
    }
    return value;
}

/* Looks for a value by the fast path. Returns false if the slow path is needed. Otherwise *value
 * becomes the value, or NULL if the entity has none. */
SETTI_INLINE bool access_try_mut(const sett_world* world, sett_entity entity,
                                 sett_component component, void** value)
{
    const setti_type* type = setti_world_hot_type(world, component);
    *value = NULL;
    if (SETTI_UNLIKELY(type == NULL || type->writers != NULL)) {
        return false;
    }
    if (!setti_entity_is_current(&world->entities, entity)) {
        return true; /* no value */
    }
    return setti_array_try_find_mut(&world->pool, &type->storage, entity.index, value);
}

void* sett_find_mut(sett_world* world, sett_entity entity, sett_component component)
{
    if (SETTI_IS_NULL_IN_DEBUG(world)) {
        return NULL;
    }
    setti_world_check_owner(world, __func__);
    void* value;
    if (SETTI_LIKELY(access_try_mut(world, entity, component, &value))) {
        return value;
    }
    return setti_access_find_mut(world, entity, component, "sett_find_mut");
}

void* sett_get_mut(sett_world* world, sett_entity entity, sett_component component)
{
    if (SETTI_IS_NULL_IN_DEBUG(world)) {
        return NULL;
    }
    setti_world_check_owner(world, __func__);
    void* value;
    if (SETTI_LIKELY(access_try_mut(world, entity, component, &value) && value != NULL)) {
        return value;
    }
    return access_get_mut(world, entity, component);
}

SETTI_COLD bool sett_has_slow_(const sett_world* world, uint32_t index, uint32_t generation,
                               sett_component component)
{
    sett_entity entity = {index, generation};
    const setti_type* type = setti_world_hot_type(world, component);
    if (type == NULL) {
        type = access_type(world, entity, component, SETTI_ACCESS_PRESENCE, "sett_has");
    }
    return type != NULL && setti_entity_is_current(&world->entities, entity) &&
           setti_storage_has(&type->storage, entity.index);
}

bool sett_has(const sett_world* world, sett_entity entity, sett_component component)
{
    if (SETTI_IS_NULL_IN_DEBUG(world)) {
        return false;
    }
    const setti_type* type = setti_world_hot_type(world, component);
    if (SETTI_UNLIKELY(type == NULL)) {
        return sett_has_slow_(world, entity.index, entity.generation, component);
    }
    return SETTI_LIKELY(setti_entity_is_current(&world->entities, entity)) &&
           setti_storage_has(&type->storage, entity.index);
}

/* The structs of read.h must have their fields where worlds, types and page tables have them. */
#define ACCESS_SAME(header, header_field, structure, field)                                        \
    static_assert(offsetof(header, header_field) == offsetof(structure, field), "read.h: " #field)
ACCESS_SAME(sett_page_table_, data, setti_pages, data);
ACCESS_SAME(sett_page_table_, count, setti_pages, count);
ACCESS_SAME(sett_page_table_, read, setti_pages, read);
ACCESS_SAME(sett_page_table_, read_mask, setti_pages, read_mask);
ACCESS_SAME(sett_page_table_, read_count, setti_pages, read_count);
ACCESS_SAME(sett_page_table_, has_count, setti_pages, has_count);
ACCESS_SAME(sett_type_header_, kind, setti_type, storage.handle_kind);
ACCESS_SAME(sett_type_header_, shift, setti_type, storage.shift);
ACCESS_SAME(sett_type_header_, size, setti_type, storage.size);
ACCESS_SAME(sett_type_header_, presence, setti_type, storage.presence);
ACCESS_SAME(sett_type_header_, rows, setti_type, storage.rows);
ACCESS_SAME(sett_world_header_, types, sett_world, readable);
ACCESS_SAME(sett_world_header_, type_count, sett_world, hot_capacity);
ACCESS_SAME(sett_world_header_, bound, sett_world, bound);
ACCESS_SAME(sett_world_header_, entities, sett_world, entities.pages);
ACCESS_SAME(sett_type_header_, kind_of_storage, setti_type, storage.kind);
ACCESS_SAME(sett_type_header_, tracked, setti_type, storage.tracked);
static_assert(sizeof(sett_page_table_) == sizeof(setti_pages) && SETTI_ARRAY == SETT_KIND_ARRAY_ &&
                  SETTI_TAG == SETT_KIND_TAG_ && SETTI_ENTITY_SHIFT == 10 &&
                  SETTI_BITS_SHIFT == 13 && offsetof(setti_entity_page, generation) == 0,
              "read.h: pages");

const sett_type_header_* sett_accessor_type_(const sett_world* world, sett_component component)
{
    /* for an unregistered component: accessors find no value of this type */
    static const sett_type_header_ none = {.kind = UINT8_MAX};
    const setti_type* type = setti_world_hot_type(world, component);
    if (SETTI_UNLIKELY(type == NULL)) {
        type =
            access_type(world, sett_null(), component, SETTI_ACCESS_PRESENCE, "sett_accessor_make");
        if (type != NULL && world->guard != NULL) {
            world->guard->visit(world, component, SETTI_ACCESS_READ, "sett_accessor_make");
        }
    }
    return type != NULL ? (const sett_type_header_*)(const void*)type : &none;
}

uint64_t sett_changed_tick(const sett_world* world, sett_entity entity, sett_component component)
{
    if (SETTI_IS_NULL(world)) {
        return 0;
    }
    const setti_type* type = setti_world_type(world, component);
    if (type == NULL || setti_entity_signature(&world->entities, entity) == NULL) {
        return 0;
    }
    return setti_storage_changed(&type->storage, entity.index);
}

bool sett_entity_valid(const sett_world* world, sett_entity entity)
{
    return !SETTI_IS_NULL(world) && setti_entity_signature(&world->entities, entity) != NULL;
}

sett_entity sett_entity_at(const sett_world* world, uint32_t index)
{
    if (SETTI_IS_NULL(world)) {
        return sett_null();
    }
    return setti_entity_at(&world->entities, index);
}

uint32_t sett_entity_count(const sett_world* world)
{
    return SETTI_IS_NULL(world) ? 0 : world->entities.count;
}

sett_entity sett_entity_next(const sett_world* world, uint32_t* cursor)
{
    if (SETTI_IS_NULL(world)) {
        return sett_null();
    }
    uint32_t index = setti_entity_next(&world->entities, cursor);
    if (index == SETTI_NONE) { /* the end */
        return sett_null();
    }
    return setti_entity_at(&world->entities, index);
}

uint32_t sett_entity_components(const sett_world* world, sett_entity entity, sett_component* out,
                                uint32_t capacity)
{
    if (SETTI_IS_NULL(world)) {
        return 0;
    }
    const uint32_t* signature = setti_entity_signature(&world->entities, entity);
    if (signature == NULL) {
        return 0;
    }
    if (out == NULL) {
        capacity = 0; /* without `out`, this only counts */
    }
    uint32_t count = 0;
    uint32_t set = *signature & ~SETTI_DYING; /* the number of the signature; 0: no types */
    for (uint32_t k = 0; set != 0 && k < world->signatures.record[set].count; k++, count++) {
        if (count < capacity) {
            out[count] = world->signatures.record[set].types[k];
        }
    }
    /* dont_fragment types are not in signatures */
    for (uint32_t k = 0; k < world->dont_fragment.count; k++) {
        if (setti_storage_has(&world->dont_fragment.item[k]->storage, entity.index)) {
            if (count < capacity) {
                out[count] = world->dont_fragment.item[k]->id;
            }
            count++;
        }
    }
    return count;
}

sett_status sett_entity_reserve(sett_world* world, uint32_t count)
{
    if (setti_world_check_serial(world, __func__) != SETT_OK) {
        return setti_world_failure(world);
    }
    uint32_t search_start = setti_entity_hint_index(&world->entities);
    sett_status status = setti_entity_reserve(&world->pool, &world->entities, &search_start, count);
    if (status != SETT_OK) {
        return setti_world_fail(world, status, __func__, sett_null(), 0);
    }
    return SETT_OK;
}

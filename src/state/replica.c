/* replica.c: makes the world `to_world` equal to the world `from_world`. In this file `type` is a
 * type of `from_world`, and `local` is the type of `to_world` with the same name. */
#include "state/replica.h"
#include "base/cow.h"
#include "sett/state.h"
#include "state/snapshot.h"
#include "world/change.h"
#include "world/command.h"

/* Flags of types with links. Only modules can register such types. */
#define REPLICA_CASCADES (SETTI_TYPE_CASCADES | SETTI_TYPE_LINKED | SETTI_TYPE_STAYS)

sett_world* setti_replica_create(const sett_world* world)
{
    sett_world_desc desc = {.allocator = world->pool.allocator,
                            .log_fn = sett_log_silent,
                            .entity_limit = world->entities.limit,
                            .small_pages = world->pool.small};
    return sett_world_create(&desc);
}

/* ---------------------------------------------------------------------------------------- types */

/* Returns the type of `to_world` with the name of `type`, or NULL. */
static setti_type* replica_find(const sett_world* to_world, const setti_type* type)
{
    return setti_type_find(to_world, type->desc.name);
}

/* Returns true if both types require types with equal names, in the same order. */
static bool replica_same_required(const sett_world* from_world, const setti_type* type,
                                  const sett_world* to_world, const setti_type* local)
{
    if (type->desc.required_count != local->desc.required_count) {
        return false;
    }
    for (uint32_t k = 0; k < type->desc.required_count; k++) {
        const setti_type* required = setti_world_type(from_world, type->desc.required[k]);
        const setti_type* local_required = setti_world_type(to_world, local->desc.required[k]);
        if (strcmp(required->desc.name, local_required->desc.name) != 0) {
            return false;
        }
    }
    return true;
}

/* Returns true if `local` must get the members of `type`. */
static bool replica_gets_members(const setti_type* type, const setti_type* local)
{
    return type->members != NULL && local->members == NULL && local->module == NULL;
}

/* Returns the description that replica_update_types will give to `local`. */
static sett_component_desc replica_updated_desc(const setti_type* type, const setti_type* local)
{
    sett_component_desc desc = local->desc;
    if (local->owner == NULL) { /* otherwise a group needs the present storage */
        desc.storage = type->desc.storage;
    }
    if (replica_gets_members(type, local)) {
        desc.members = type->desc.members;
        desc.entity_offsets = type->desc.entity_offsets;
        desc.entity_offset_count = type->desc.entity_offset_count;
        desc.save = type->desc.save;
    }
    return desc;
}

/* Returns true if both types are the same kind of relationship, or are no relationships. */
static bool replica_same_relationship(const setti_type* type, const setti_type* local)
{
    const uint32_t compared = SETTI_TYPE_DONT_FRAGMENT | REPLICA_CASCADES;
    if (((type->flags ^ local->flags) & compared) != 0 || type->module != local->module) {
        return false;
    }
    if (type->module == NULL || type->module->same == NULL) {
        return true;
    }
    return type->module->same(type, local);
}

/* Fails if `local` differs from `type` in something that replica_update_types does not change. */
static sett_status replica_check_type(const sett_world* from_world, sett_world* to_world,
                                      const setti_type* type, const setti_type* local,
                                      const char* call)
{
    char differences[SETTI_MESSAGE_SIZE];
    sett_component_desc updated = replica_updated_desc(type, local);
    setti_writer writer = setti_writer_begin(differences, sizeof(differences));
    setti_component_differences(&writer, &updated, &type->desc);
    bool gets_members = replica_gets_members(type, local);
    bool lacks_members = type->members == NULL && local->members != NULL;
    bool gets_varying_members = gets_members && type->members->varies;
    setti_component_differ_in(&writer, lacks_members || gets_varying_members,
                              "members known in one of them only");
    bool same_required = replica_same_required(from_world, type, to_world, local);
    setti_component_differ_in(&writer, !same_required, "other required types");
    bool other_padding = type->padding_hash != local->padding_hash && !gets_members;
    setti_component_differ_in(&writer, other_padding, "other padding");
    bool same_relationship = replica_same_relationship(type, local);
    setti_component_differ_in(&writer, !same_relationship, "another relationship, or none");
    if (differences[0] != '\0') {
        return setti_world_fail_with(
            to_world, SETT_STATUS_CONFLICT,
            "%s: \"%.100s\" differs in the two worlds: %.300s - register it with the same options "
            "in both",
            call, type->desc.name, differences);
    }
    if (gets_members) { /* replica_update_types prepares the type later */
        return SETT_OK;
    }
    return setti_values_prepare(to_world, setti_world_type(to_world, local->id), call);
}

/* Gives `local` the storage and the members of `type`. `local` must have no values. */
static sett_status replica_update_desc(sett_world* to_world, const setti_type* type,
                                       setti_type* local, const char* call)
{
    if (replica_gets_members(type, local)) {
        sett_status status = setti_component_set_members(to_world, local, &type->members->of, call);
        if (status != SETT_OK) {
            return status;
        }
    }
    sett_status status = setti_change_convert(to_world, local, type->desc.storage, call);
    if (status != SETT_OK) {
        return status;
    }
    return setti_values_prepare(to_world, local, call);
}

/* Gives the types of `to_world` the storages and the members that the types have in `from_world`.
 * `to_world` must be empty. */
static sett_status replica_update_types(const sett_world* from_world, sett_world* to_world,
                                        const char* call)
{
    for (uint32_t k = 0; k < from_world->registered.count; k++) {
        const setti_type* type = from_world->registered.item[k];
        setti_type* local = replica_find(to_world, type);
        sett_status status = replica_update_desc(to_world, type, local, call);
        if (status != SETT_OK) {
            return status;
        }
    }
    return SETT_OK;
}

/* The parts of a type that a registration leaves out. */
enum {
    REPLICA_WHOLE = 0,
    REPLICA_NO_CALLBACKS = 1,
    REPLICA_NO_REQUIRED = 2
};

/* Registers `type` in `to_world`. The types that it requires must be registered already. `left_out`
 * is a set of REPLICA_NO_*. */
static sett_status replica_register(sett_world* to_world, const sett_world* from_world,
                                    const setti_type* type, uint32_t left_out, const char* call)
{
    SETTI_ASSERT(replica_find(to_world, type) == NULL);
    sett_component_desc desc = type->desc;
    if ((left_out & REPLICA_NO_REQUIRED) != 0) {
        desc.required_count = 0;
    }
    if ((left_out & REPLICA_NO_CALLBACKS) != 0) {
        desc.on_add = NULL;
        desc.on_set = NULL;
        desc.on_remove = NULL;
    }
    SETTI_ASSERT((type->flags & REPLICA_CASCADES) == 0 || type->module != NULL);
    SETTI_ASSERT((type->flags & SETTI_TYPE_FROM_FILE) == 0 || type->module == NULL);
    if (type->module != NULL && type->module->join != NULL) {
        return type->module->join(to_world, from_world, type);
    }
    size_t size = (desc.required_count + 1) * sizeof(sett_component);
    sett_component* required = setti_pool_alloc(&to_world->pool, size, 8);
    if (required == NULL) {
        return setti_world_no_memory(to_world, call);
    }
    for (uint32_t k = 0; k < desc.required_count; k++) {
        required[k] = replica_find(to_world, setti_world_type(from_world, desc.required[k]))->id;
    }
    desc.required = required;
    if (setti_world_type(to_world, desc.id) != NULL) {
        desc.id = 0; /* another type has the id: sett_component_register chooses one */
    }
    bool registered = sett_component_register(to_world, &desc) != 0;
    setti_pool_free(&to_world->pool, required, size, 8);
    if (!registered) {
        return to_world->error;
    }
    replica_find(to_world, type)->flags |= type->flags & SETTI_TYPE_FROM_FILE;
    return SETT_OK;
}

/* Returns the type of `to_world` with the name of `type`. Returns `fallback` if there is none, or
 * if `type` is NULL. */
static setti_type* replica_type_or(const sett_world* to_world, const setti_type* type,
                                   setti_type* fallback)
{
    if (type == NULL) {
        return fallback;
    }
    setti_type* local = replica_find(to_world, type);
    return local != NULL ? local : fallback;
}

/* Sets the pointers in `to_world` to special types that `from_world` has. Also calls the modules of
 * both worlds. */
static void replica_set_pointers(sett_world* to_world, const sett_world* from_world)
{
    for (uint32_t k = 0; k < SETTI_HIDDEN; k++) {
        setti_type** hidden = &to_world->hidden[k];
        *hidden = replica_type_or(to_world, from_world->hidden[k], *hidden);
    }
    for (uint32_t k = 0; k < SETTI_MODULE_TYPES; k++) {
        setti_type** module_type = &to_world->module_type[k];
        *module_type = replica_type_or(to_world, from_world->module_type[k], *module_type);
    }
    SETTI_MODULES_EACH(from_world, calls, join) { /* the types are registered now */
        calls->join(to_world);
    }
    to_world->last_tag = replica_type_or(to_world, from_world->last_tag, to_world->last_tag);
    if (to_world->last_tag != NULL) {
        to_world->last_tag->flags |= SETTI_TYPE_ONE; /* at most one entity has the tag */
    }
    to_world->listener_version++;
    SETTI_MODULES_EACH(to_world, other, update) {
        other->update(to_world); /* updates queries now: sett_query_matches does not */
    }
}

sett_status setti_replica_join(sett_world* to_world, const sett_world* from_world,
                               const setti_type* type, const char* call)
{
    if (replica_find(to_world, type) != NULL) {
        return SETT_OK;
    }
    for (uint32_t k = 0; k < type->required.count; k++) {
        sett_status status = setti_replica_join(to_world, from_world, type->required.item[k], call);
        if (status != SETT_OK) {
            return status;
        }
    }
    /* a type is registered together with its switch: `type` can be the switch of a required type */
    if (replica_find(to_world, type) != NULL) {
        return SETT_OK;
    }
    sett_status status = replica_register(to_world, from_world, type, REPLICA_NO_CALLBACKS, call);
    replica_set_pointers(to_world, from_world);
    return status;
}

sett_status setti_replica_join_all(sett_world* to_world, const sett_world* from_world,
                                   const char* call)
{
    for (uint32_t k = 0; k < from_world->registered.count; k++) {
        const setti_type* type = from_world->registered.item[k];
        sett_status status = setti_replica_join(to_world, from_world, type, call);
        if (status != SETT_OK) {
            return status;
        }
    }
    return SETT_OK;
}

sett_status setti_replica_join_bare(sett_world* to_world, const sett_world* from_world,
                                    const setti_type* type, const char* call)
{
    if (replica_find(to_world, type) != NULL || type->module != NULL ||
        setti_type_switched(type) != NULL) {
        return setti_replica_join(to_world, from_world, type, call);
    }
    return replica_register(to_world, from_world, type, REPLICA_NO_CALLBACKS | REPLICA_NO_REQUIRED,
                            call);
}

/* Makes `local` require the type of `to_world` that has the name of `required`. Returns false if
 * memory runs out. */
static bool replica_add_require(sett_world* to_world, setti_type* local, const setti_type* required)
{
    setti_type* local_required = replica_find(to_world, required);
    if (setti_type_list_has(&local->required, local_required)) {
        return true;
    }
    return setti_component_require(to_world, local, local_required);
}

/* Makes the type of `to_world` with the name of `type` require the same types. Registers the type
 * if `to_world` lacks it. */
static sett_status replica_require(sett_world* to_world, const sett_world* from_world,
                                   const setti_type* type, const char* call)
{
    setti_type* local = replica_find(to_world, type);
    if (local == NULL) {
        return setti_replica_join(to_world, from_world, type, call);
    }
    for (uint32_t k = 0; k < type->desc.required_count; k++) {
        const setti_type* required = setti_world_type(from_world, type->desc.required[k]);
        sett_status status = replica_require(to_world, from_world, required, call);
        if (status != SETT_OK) {
            return status;
        }
        if (!replica_add_require(to_world, local, required)) {
            return setti_world_no_memory(to_world, call);
        }
    }
    return SETT_OK;
}

/* Adds the components that `type` requires to all entities that have `type`. */
static sett_status replica_add_required(sett_world* to_world, const setti_type* type)
{
    SETTI_EACH_INDEX(index, &type->storage) {
        sett_entity entity = setti_entity_at(&to_world->entities, index);
        for (uint32_t r = 0; r < type->required.count; r++) {
            sett_component required = type->required.item[r]->id;
            bool lacks = !sett_has(to_world, entity, required);
            if (lacks && sett_ensure(to_world, entity, required) == NULL) {
                return to_world->error;
            }
        }
    }
    return SETT_OK;
}

sett_status setti_replica_require(sett_world* to_world, const sett_world* from_world,
                                  const char* call)
{
    /* `count` leaves out types that the first loop registers: these types have no entities */
    uint32_t count = to_world->registered.count;
    for (uint32_t k = 0; k < count; k++) {
        const char* name = to_world->registered.item[k]->desc.name;
        const setti_type* type = setti_type_find(from_world, name);
        if (type == NULL) {
            continue;
        }
        sett_status status = replica_require(to_world, from_world, type, call);
        if (status != SETT_OK) {
            return status;
        }
    }
    for (uint32_t k = 0; k < count; k++) {
        sett_status status = replica_add_required(to_world, to_world->registered.item[k]);
        if (status != SETT_OK) {
            return status;
        }
    }
    return SETT_OK;
}

/* Returns the root of `to_world` with the name and the options of `root`, or NULL if there is
 * none. */
static setti_root* replica_find_root(const sett_world* to_world, const setti_root* root)
{
    for (setti_root* local = to_world->roots; local != NULL; local = local->next) {
        bool same_name = local->name != NULL && strcmp(local->name, root->name) == 0;
        bool same_options = local->size == root->size && local->optional == root->optional;
        if (same_name && same_options) {
            return local;
        }
    }
    return NULL;
}

/* Returns true if the contents of a root have changed since the root was added. */
static bool replica_is_used(const setti_root* root)
{
    return memcmp(root->address, root->first, root->size) != 0;
}

/* Returns a root that `from_world` uses and `to_world` lacks. Returns NULL if there is none. */
static const setti_root* replica_find_missing(const sett_world* from_world,
                                              const sett_world* to_world)
{
    for (const setti_root* root = from_world->roots; root != NULL; root = root->next) {
        bool needed = root->name != NULL && !root->optional && replica_is_used(root);
        if (needed && replica_find_root(to_world, root) == NULL) {
            return root;
        }
    }
    return NULL;
}

/* Checks all types that both worlds have. */
static sett_status replica_check_types(const sett_world* from_world, sett_world* to_world,
                                       const char* call)
{
    for (uint32_t k = 0; k < from_world->registered.count; k++) {
        const setti_type* type = from_world->registered.item[k];
        const setti_type* local = replica_find(to_world, type);
        if (local == NULL) {
            continue;
        }
        sett_status status = replica_check_type(from_world, to_world, type, local, call);
        if (status != SETT_OK) {
            return status;
        }
    }
    return SETT_OK;
}

/* Registers missing types in `to_world`. Then checks all types, including the new types. */
static sett_status replica_register_all(const sett_world* from_world, sett_world* to_world,
                                        const char* call)
{
    for (uint32_t k = 0; k < from_world->registered.count; k++) {
        const setti_type* type = from_world->registered.item[k];
        if (replica_find(to_world, type) == NULL) {
            sett_status status = replica_register(to_world, from_world, type, REPLICA_WHOLE, call);
            if (status != SETT_OK) {
                return status;
            }
        }
    }
    return replica_check_types(from_world, to_world, call);
}

/* Checks that `to_world` can be overwritten, and that the entities of `from_world` fit into it. */
static sett_status replica_check_worlds(const sett_world* from_world, sett_world* to_world,
                                        const char* call)
{
    sett_status status = setti_world_check_unlocked(to_world, call);
    if (status != SETT_OK) {
        return status;
    }
    status = setti_world_check_no_snapshots(to_world, call);
    if (status != SETT_OK) {
        return status;
    }
    if (from_world == to_world) {
        return setti_world_fail_with(to_world, SETT_STATUS_ARGUMENT,
                                     "%s: `from` and `into` are one world - pass two worlds", call);
    }
    uint32_t capacity = setti_entity_capacity(&from_world->entities);
    uint32_t limit = to_world->entities.limit;
    if (from_world->entities.limit > limit && capacity > limit) {
        return setti_world_fail_with(to_world, SETT_STATUS_LIMIT,
                                     "%s: `from` has tables for %u entity indices, more than the "
                                     "entity_limit of `into`, %u - create `into` with a limit of "
                                     "%u",
                                     call, (unsigned)capacity, (unsigned)limit, (unsigned)capacity);
    }
    return SETT_OK;
}

/* Checks that `to_world` can become equal to `from_world`. Registers missing types. */
static sett_status replica_check(const sett_world* from_world, sett_world* to_world,
                                 const char* call)
{
    sett_status status = replica_check_worlds(from_world, to_world, call);
    if (status != SETT_OK) {
        return status;
    }
    status = replica_check_types(from_world, to_world, call);
    if (status != SETT_OK) {
        return status;
    }
    status = replica_register_all(from_world, to_world, call);
    if (status != SETT_OK) {
        return status;
    }
    const setti_root* missing = replica_find_missing(from_world, to_world);
    if (missing == NULL) {
        return SETT_OK;
    }
    return setti_world_fail_with(to_world, SETT_STATUS_CONFLICT,
                                 "%s: \"%.100s\" has data in `from`, and has other options in "
                                 "`into` or is not registered there - register it with the same "
                                 "options in both worlds",
                                 call, missing->name);
}

/* ------------------------------------------------------------------------------------ reserving */

/* Allocates the pages of `to_pages` that `from_pages` has. Returns false if memory runs out. */
static bool replica_reserve_pages(setti_pool* pool, const setti_pages* from_pages,
                                  setti_pages* to_pages)
{
    SETTI_ASSERT(to_pages->size == from_pages->size);
    if (!setti_pages_reserve(pool, to_pages, from_pages->count)) {
        return false;
    }
    for (uint32_t number = 0; number < from_pages->count; number++) {
        bool fresh;
        if (from_pages->data[number] != NULL &&
            !setti_pages_ensure(pool, to_pages, number, &fresh)) {
            return false;
        }
    }
    return true;
}

/* Returns the signature in `to_world` with the types of a signature in `from_world`. Returns
 * SETTI_NONE if memory runs out. */
static uint32_t replica_signature(const sett_world* from_world, sett_world* to_world,
                                  uint32_t signature)
{
    const setti_signature* record = &from_world->signatures.record[signature];
    uint32_t local_signature = 0; /* the signature without types */
    for (uint32_t k = 0; local_signature != SETTI_NONE && k < record->count; k++) {
        const setti_type* local = replica_find(to_world, from_world->types[record->types[k]]);
        local_signature =
            setti_signature_toggle(&to_world->pool, &to_world->signatures, local_signature,
                                   local->id, (local->flags & SETTI_TYPE_REMOVE_HOOKS) != 0);
    }
    return local_signature;
}

/* Returns an array of `size` bytes. Item k is the signature of `to_world` for the signature k of
 * `from_world`. Returns NULL if memory runs out. */
static uint32_t* replica_signatures(const sett_world* from_world, sett_world* to_world, size_t size)
{
    uint32_t* local_signature = setti_pool_alloc(&to_world->pool, size, 16);
    if (local_signature == NULL) {
        return NULL;
    }
    for (uint32_t k = 0; k < from_world->signatures.count; k++) {
        local_signature[k] = replica_signature(from_world, to_world, k);
        if (local_signature[k] == SETTI_NONE) {
            setti_pool_free(&to_world->pool, local_signature, size, 16);
            return NULL;
        }
    }
    return local_signature;
}

static bool replica_reserve_types(const sett_world* from_world, sett_world* to_world)
{
    setti_pool* pool = &to_world->pool;
    for (uint32_t k = 0; k < from_world->registered.count; k++) {
        const setti_storage* storage = &from_world->registered.item[k]->storage;
        setti_type* local = replica_find(to_world, from_world->registered.item[k]);
        bool reserved = replica_reserve_pages(pool, &storage->presence, &local->storage.presence) &&
                        replica_reserve_pages(pool, &storage->rows, &local->storage.rows) &&
                        setti_edit_reserve_collect(to_world, local, storage->count);
        if (!reserved) {
            return false;
        }
    }
    return true;
}

static bool replica_reserve_roots(const sett_world* from_world, sett_world* to_world)
{
    for (const setti_root* root = from_world->roots; root != NULL; root = root->next) {
        if (root->name == NULL || !replica_is_used(root)) {
            continue;
        }
        for (uint32_t k = 0; k < 2; k++) {
            if (root->pages[k] == NULL) {
                continue;
            }
            setti_pages* local_pages = replica_find_root(to_world, root)->pages[k];
            if (!replica_reserve_pages(&to_world->pool, root->pages[k], local_pages)) {
                return false;
            }
        }
    }
    return true;
}

/* Reserves memory for the members of all queries, at most `capacity` entities for each query. */
static bool replica_reserve_listeners(sett_world* to_world, uint32_t capacity)
{
    for (setti_listener* listener = to_world->listeners; listener != NULL;
         listener = listener->next) {
        setti_storage* members = &listener->members;
        /* the members of a group are the first rows of its storages; observers have no members */
        bool has_members = listener->owned.count == 0 && !listener->observes && capacity != 0;
        if (has_members && !setti_storage_reserve_indices(&to_world->pool, members, 0, capacity)) {
            return false;
        }
    }
    return true;
}

/* Allocates memory, so that replica_copy cannot fail. Returns false if memory runs out. */
static bool replica_reserve(const sett_world* from_world, sett_world* to_world)
{
    setti_pool* pool = &to_world->pool;
    const setti_entity_table* entities = &from_world->entities;
    return setti_entity_reserve_pages(pool, &to_world->entities, entities->pages.count) &&
           replica_reserve_pages(pool, &entities->pages, &to_world->entities.pages) &&
           replica_reserve_types(from_world, to_world) &&
           replica_reserve_roots(from_world, to_world) &&
           replica_reserve_listeners(to_world, setti_entity_capacity(entities));
}

/* Returns true if callbacks, observers or hooks have to run when the world's values end. */
static bool replica_ends_with_calls(const sett_world* to_world)
{
    if (to_world->listeners != NULL) {
        return true;
    }
    for (uint32_t k = 0; k < to_world->registered.count; k++) {
        if ((to_world->registered.item[k]->flags & SETTI_TYPE_ENDINGS) != 0) {
            return true;
        }
    }
    return false;
}

/* Empties all tables. Calls no hooks. */
static void replica_empty_tables(sett_world* to_world)
{
    setti_pool* pool = &to_world->pool;
    setti_entity_deinit(pool, &to_world->entities);
    for (uint32_t k = 0; k < to_world->registered.count; k++) {
        setti_storage_deinit(pool, &to_world->registered.item[k]->storage);
    }
    for (setti_listener* listener = to_world->listeners; listener != NULL;
         listener = listener->next) {
        setti_storage_deinit(pool, &listener->members);
        listener->length = 0;
    }
    for (setti_root* root = to_world->roots; root != NULL; root = root->next) {
        if (root->name == NULL) {
            continue; /* roots without a name are not copied */
        }
        for (uint32_t k = 0; k < 2; k++) {
            if (root->pages[k] != NULL) {
                setti_pages_deinit(pool, root->pages[k]);
            }
        }
        memcpy(root->address, root->first, root->size);
    }
}

/* -------------------------------------------------------------------------------------- copying */

/* Copies the pages of `from_pages` to `to_pages`. replica_reserve_pages has allocated the pages of
 * `to_pages`. */
static void replica_copy_pages(const setti_pool* pool, const setti_pages* from_pages,
                               setti_pages* to_pages)
{
    SETTI_ASSERT(to_pages->count == from_pages->count && to_pages->size == from_pages->size);
    for (uint32_t number = 0; number < from_pages->count; number++) {
        to_pages->tick[number] = from_pages->tick[number];
        *setti_pages_restored(to_pages, number) = pool->restored; /* a tick of `to_world` */
        if (from_pages->data[number] != NULL) {
            memcpy(to_pages->data[number], from_pages->data[number], from_pages->size);
        }
    }
}

/* Copies the entities. local_signature[k] is the signature of `to_world` for the signature k of
 * `from_world`. */
static void replica_copy_entities(const sett_world* from_world, sett_world* to_world,
                                  const uint32_t* local_signature)
{
    setti_entity_table* table = &to_world->entities;
    replica_copy_pages(&to_world->pool, &from_world->entities.pages, &table->pages);
    for (uint32_t k = 0; k < table->pages.count; k++) {
        setti_entity_page* page = table->pages.data[k];
        for (uint32_t slot = 0; page != NULL && slot < SETTI_ENTITY_ROWS; slot++) {
            uint32_t signature = page->signature[slot];
            page->signature[slot] =
                signature != 0 ? local_signature[signature] : 0; /* 0: no types */
        }
    }
    table->count = from_world->entities.count;
    table->retired = from_world->entities.retired;
    /* indices that commands of `from_world` have claimed are free in `to_world` */
    setti_entity_rebuild(table);
}

/* Copies values that own memory. replica_copy_pages has copied only the bytes of these values. */
static void replica_copy_values(const setti_type* type, const setti_type* local)
{
    SETTI_ASSERT(setti_pages_values(&local->storage.rows) != NULL);
    const setti_storage* storage = &local->storage;
    bool copies = local->desc.save == SETT_SAVE_CLONE; /* otherwise values are only initialised */
    SETTI_EACH_INDEX(index, storage) {
        void* value = setti_storage_find(storage, index);
        setti_type_init_values(local, value, 1);
        if (copies) {
            setti_type_call_copy(local, value, setti_storage_find(&type->storage, index), 1);
        }
    }
}

/* Copies the members of a storage that are not in pages, and the choice of the type's module. */
static void replica_copy_counts(const setti_type* type, setti_type* local)
{
    const setti_storage* storage = &type->storage;
    const setti_module* module = type->module;
    local->storage.count = storage->count;
    local->storage.extent = storage->extent;
    local->storage.spare = storage->spare;
    local->storage.hashed = storage->hashed;
    local->storage.far |= storage->far; /* stays true: snapshots of `to_world` can need it */
    setti_storage_update_access(&local->storage);
    if (module != NULL && module->choice != NULL && module->choice(type) != module->choice(local)) {
        module->choose(local, module->choice(type));
    }
}

static void replica_copy_type(const setti_pool* pool, const setti_type* type, setti_type* local)
{
    const setti_storage* storage = &type->storage;
    replica_copy_pages(pool, &storage->presence, &local->storage.presence);
    replica_copy_pages(pool, &storage->rows, &local->storage.rows);
    replica_copy_counts(type, local);
    if (setti_pages_values(&local->storage.rows) != NULL) {
        replica_copy_values(type, local);
    }
}

static void replica_copy(const sett_world* from_world, sett_world* to_world,
                         const uint32_t* local_signature)
{
    /* all copied pages are newer than any cursor: everything counts as changed */
    to_world->pool.tick = SETTI_MAX(to_world->pool.tick, from_world->pool.tick) + 1;
    to_world->pool.restored = to_world->pool.tick;
    to_world->pool.cloned = to_world->pool.tick;
    replica_copy_entities(from_world, to_world, local_signature);
    for (uint32_t k = 0; k < from_world->registered.count; k++) {
        const setti_type* type = from_world->registered.item[k];
        replica_copy_type(&to_world->pool, type, replica_find(to_world, type));
    }
    for (const setti_root* root = from_world->roots; root != NULL; root = root->next) {
        if (root->name == NULL || !replica_is_used(root)) {
            continue;
        }
        setti_root* local = replica_find_root(to_world, root);
        if (local == NULL) {
            SETTI_ASSERT(root->optional); /* see replica_find_missing */
            continue;
        }
        memcpy(local->address, root->address, root->cloned);
        for (uint32_t k = 0; k < 2; k++) {
            if (root->pages[k] != NULL) {
                replica_copy_pages(&to_world->pool, root->pages[k], local->pages[k]);
            }
        }
    }
}

/* Makes all storages use small pages or large pages. The storages must be empty. */
static void replica_use_pages(sett_world* to_world, bool small)
{
    if (to_world->pool.small == small) {
        return;
    }
    for (uint32_t k = 0; k < to_world->registered.count; k++) {
        setti_storage_use_pages(&to_world->registered.item[k]->storage, small);
    }
    to_world->pool.small = small;
}

/* Finds the members of all queries again. */
static void replica_admit_all(sett_world* to_world)
{
    for (setti_listener* listener = to_world->listeners; listener != NULL;
         listener = listener->next) {
        if (!listener->observes) {
            (void)setti_change_admit(to_world, listener); /* cannot fail: memory is reserved */
        }
    }
}

sett_status setti_replica_clone(const sett_world* from_world, sett_world* to_world,
                                const char* call)
{
    sett_status status = replica_check(from_world, to_world, call);
    if (status != SETT_OK) {
        return status;
    }
    if (replica_ends_with_calls(to_world)) {
        setti_change_destroy_all(to_world);
    }
    setti_commands_drop_all(to_world); /* the callbacks of destroyed values can record commands */
    replica_empty_tables(to_world);
    replica_use_pages(to_world, from_world->pool.small);
    size_t size = ((size_t)from_world->signatures.count + 1) * sizeof(uint32_t);
    uint32_t* local_signature = NULL;
    status = replica_update_types(from_world, to_world, call);
    if (status == SETT_OK && replica_reserve(from_world, to_world)) {
        local_signature = replica_signatures(from_world, to_world, size);
    }
    to_world->epoch++;
    if (local_signature == NULL) {
        replica_empty_tables(to_world);
        if (status != SETT_OK) {
            return status;
        }
        return setti_world_no_memory(to_world, call);
    }
    replica_copy(from_world, to_world, local_signature);
    replica_set_pointers(to_world, from_world);
    setti_pool_free(&to_world->pool, local_signature, size, 16);
    replica_admit_all(to_world);
    return SETT_OK;
}

sett_status sett_world_clone(const sett_world* from_world, sett_world* to_world)
{
    if (setti_is_null(from_world, __func__, "from") || setti_is_null(to_world, __func__, "into")) {
        return SETT_STATUS_ARGUMENT;
    }
    return setti_replica_clone(from_world, to_world, __func__);
}

/* ------------------------------------------------------------------------------------- updating */

/* Copies a page of `from_pages` to `to_pages`. Returns false if memory runs out. */
static bool replica_update_page(setti_pool* pool, const setti_pages* from_pages,
                                setti_pages* to_pages, uint32_t number)
{
    bool fresh;
    if (to_pages->data[number] != NULL && to_pages->tick[number] < pool->cow_from) {
        /* A snapshot keeps the old page. This gives up our share of it, so that a new page takes
         * its place: a write would first copy the old page. */
        setti_pages_free(pool, to_pages, number);
    }
    if (!setti_pages_ensure(pool, to_pages, number, &fresh)) {
        return false;
    }
    setti_pages_write(pool, to_pages, number);
    memcpy(to_pages->data[number], from_pages->data[number], from_pages->size);
    return true;
}

/* Copies the pages of `from_pages` that were written or restored after the tick `since`. Returns
 * false if memory runs out. */
static bool replica_update_pages(setti_pool* pool, const setti_pages* from_pages,
                                 setti_pages* to_pages, uint64_t since)
{
    SETTI_ASSERT(to_pages->size == from_pages->size);
    if (!setti_pages_reserve(pool, to_pages, from_pages->count)) {
        return false;
    }
    for (uint32_t number = 0; number < to_pages->count; number++) {
        if (setti_pages_get(from_pages, number) == NULL) {
            setti_pages_free(pool, to_pages, number);
            continue;
        }
        bool changed = to_pages->data[number] == NULL || from_pages->tick[number] > since ||
                       *setti_pages_restored(from_pages, number) > since;
        if (changed && !replica_update_page(pool, from_pages, to_pages, number)) {
            return false;
        }
    }
    return true;
}

/* Extends the map to all signatures of `from_world`. Returns false if memory runs out. */
static bool replica_update_map(const sett_world* from_world, sett_world* to_world,
                               setti_replica_map* map)
{
    uint32_t count = from_world->signatures.count;
    if (map->swept != from_world->signatures.swept) { /* `from_world` has new signature numbers */
        map->swept = from_world->signatures.swept;
        map->count = 0;
        setti_edit_reclaim_signatures(to_world);
    }
    if (map->capacity < count) {
        void* signatures = setti_pool_grow(&to_world->pool, map->signature, sizeof(*map->signature),
                                           map->count, count - map->count, &map->capacity);
        if (signatures == NULL) {
            return false;
        }
        map->signature = signatures;
    }
    while (map->count < count) {
        map->signature[map->count++] = SETTI_NONE;
    }
    return true;
}

/* Replaces the signatures in a copied page of entities by signatures of `to_world`. Returns false
 * if memory runs out. */
static bool replica_update_sets(const sett_world* from_world, sett_world* to_world,
                                setti_replica_map* map, setti_entity_page* page)
{
    for (uint32_t slot = 0; slot < SETTI_ENTITY_ROWS; slot++) {
        uint32_t signature = page->signature[slot];
        if (signature != 0 && map->signature[signature] == SETTI_NONE) { /* not known yet */
            map->signature[signature] = replica_signature(from_world, to_world, signature);
        }
        page->signature[slot] = signature != 0 ? map->signature[signature] : 0;
        if (page->signature[slot] == SETTI_NONE) { /* memory ran out */
            return false;
        }
    }
    return true;
}

static bool replica_update_entities(const sett_world* from_world, sett_world* to_world,
                                    setti_replica_map* map, uint64_t since)
{
    SETTI_ASSERT(from_world->entities.reserved == 0);
    setti_entity_table* table = &to_world->entities;
    bool copied =
        setti_entity_reserve_pages(&to_world->pool, table, from_world->entities.pages.count) &&
        replica_update_map(from_world, to_world, map) &&
        replica_update_pages(&to_world->pool, &from_world->entities.pages, &table->pages, since);
    for (uint32_t number = 0; copied && number < table->pages.count; number++) {
        if (table->pages.tick[number] == to_world->pool.tick) { /* this update copied the page */
            setti_entity_page* page = table->pages.data[number];
            copied = page == NULL || replica_update_sets(from_world, to_world, map, page);
            setti_entity_refresh(table, number);
        }
    }
    table->count = from_world->entities.count;
    table->retired = from_world->entities.retired;
    return copied;
}

/* Returns true if the pages of `type` can be copied to `local`. `local` may be NULL. */
static bool replica_same_storage(const setti_type* type, const setti_type* local)
{
    if (local == NULL) {
        return false;
    }
    bool same_rows =
        type->storage.kind == local->storage.kind && type->storage.size == local->storage.size;
    bool has_members = type->members != NULL;
    return same_rows && has_members == (local->members != NULL);
}

static bool replica_update_type(setti_pool* pool, const setti_type* type, setti_type* local,
                                uint64_t since)
{
    const setti_storage* storage = &type->storage;
    bool copied = replica_update_pages(pool, &storage->presence, &local->storage.presence, since) &&
                  replica_update_pages(pool, &storage->rows, &local->storage.rows, since) &&
                  setti_edit_reserve_collect(local->world, local, storage->count);
    replica_copy_counts(type, local);
    return copied;
}

static bool replica_update_root(setti_pool* pool, const setti_root* root, setti_root* local,
                                uint64_t since)
{
    memcpy(local->address, root->address, root->cloned);
    for (uint32_t k = 0; k < 2; k++) {
        if (root->pages[k] == NULL) {
            continue;
        }
        if (!replica_update_pages(pool, root->pages[k], local->pages[k], since)) {
            return false;
        }
    }
    return true;
}

/* Copies everything that changed after the tick `since`. Returns false if memory runs out. */
static bool replica_update_all(const sett_world* from_world, sett_world* to_world,
                               setti_replica_map* map, uint64_t since)
{
    setti_pool* pool = &to_world->pool;
    if (!replica_update_entities(from_world, to_world, map, since)) {
        return false;
    }
    for (uint32_t k = 0; k < from_world->registered.count; k++) {
        const setti_type* type = from_world->registered.item[k];
        if (!replica_update_type(pool, type, replica_find(to_world, type), since)) {
            return false;
        }
    }
    for (const setti_root* root = from_world->roots; root != NULL; root = root->next) {
        if (root->name == NULL || root->optional) {
            continue;
        }
        setti_root* local = replica_find_root(to_world, root);
        if (local != NULL && !replica_update_root(pool, root, local, since)) {
            return false;
        }
    }
    return true;
}

/* Returns the name of a type or a root that differs too much for an update. Returns NULL if there
 * is none. */
static const char* replica_update_check(const sett_world* from_world, const sett_world* to_world)
{
    for (uint32_t k = 0; k < from_world->registered.count; k++) {
        const setti_type* type = from_world->registered.item[k];
        if (!replica_same_storage(type, replica_find(to_world, type))) {
            return type->desc.name;
        }
    }
    const setti_root* missing = replica_find_missing(from_world, to_world);
    if (missing == NULL) {
        return NULL;
    }
    return missing->name;
}

sett_status setti_replica_update(const sett_world* from_world, sett_world* to_world,
                                 setti_replica_map* map, uint64_t since, const char* call)
{
    const char* differs = replica_update_check(from_world, to_world);
    if (differs != NULL) {
        return setti_world_fail_with(to_world, SETT_STATUS_CONFLICT,
                                     "%s: the storage or the members of \"%.100s\" have changed "
                                     "since the mirror was created - create a new mirror",
                                     call, differs);
    }
    if (from_world->pool.small != to_world->pool.small) {
        return setti_world_fail_with(to_world, SETT_STATUS_CONFLICT,
                                     "%s: the world's option small_pages has changed since the "
                                     "mirror was created - create a new mirror",
                                     call);
    }
    setti_pool* pool = &to_world->pool;
    pool->tick = SETTI_MAX(pool->tick, from_world->pool.tick) + 1;
    bool copied = replica_update_all(from_world, to_world, map, since);
    to_world->epoch++;
    return copied ? SETT_OK : SETT_STATUS_OUT_OF_MEMORY;
}

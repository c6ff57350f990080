/* replica.c: makes the world `into` equal to the world `from`. In this file `type` is a type of
 * `from`, and `local` is the type of `into` with the same name. */
#include "state/replica.h"
#include "base/cow.h"
#include "sett/state.h"
#include "state/snapshot.h"
#include "world/change.h"
#include "world/command.h"

/* Flags of types with links. Only modules can register such types. */
#define REPLICA_CASCADES (SETTI_TYPE_CASCADES | SETTI_TYPE_LINKED | SETTI_TYPE_STAYS)

sett_world* setti_replica_create(const sett_world* of)
{
    sett_world_desc desc = {.allocator = of->pool.allocator,
                            .log_fn = sett_log_silent,
                            .entity_limit = of->entities.limit,
                            .small_pages = of->pool.small};
    return sett_world_create(&desc);
}

/* ---------------------------------------------------------------------------------------- types */

/* Returns the type of `into` with the name of `type`, or NULL. */
static setti_type* replica_find(const sett_world* into, const setti_type* type)
{
    return setti_type_find(into, type->desc.name);
}

/* Whether both types require types with equal names, in the same order. */
static bool replica_same_required(const sett_world* from, const setti_type* type,
                                  const sett_world* into, const setti_type* local)
{
    bool same = type->desc.required_count == local->desc.required_count;
    for (uint32_t k = 0; same && k < type->desc.required_count; k++) {
        same = strcmp(setti_world_type(from, type->desc.required[k])->desc.name,
                      setti_world_type(into, local->desc.required[k])->desc.name) == 0;
    }
    return same;
}

/* Whether `local` must get the members of `type`. */
static bool replica_gets_members(const setti_type* type, const setti_type* local)
{
    return type->members != NULL && local->members == NULL && local->module == NULL;
}

/* Returns the description of `local` after replica_update_types. */
static sett_component_desc replica_updated_desc(const setti_type* type, const setti_type* local)
{
    sett_component_desc desc = local->desc;
    if (local->owner == NULL) { /* else a group needs the present storage */
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

/* Fails if `local` differs from `type` in more than replica_update_types can mend. */
static sett_status replica_check_type(const sett_world* from, sett_world* into,
                                      const setti_type* type, const setti_type* local,
                                      const char* call)
{
    const uint32_t same_flags = SETTI_TYPE_DONT_FRAGMENT | REPLICA_CASCADES;
    char list[SETTI_MESSAGE_SIZE]; /* of differences */
    sett_component_desc updated = replica_updated_desc(type, local);
    setti_writer out = setti_writer_begin(list, sizeof(list));
    setti_component_differences(&out, &updated, &type->desc);
    bool gets_members = replica_gets_members(type, local);
    bool other_members = (type->members == NULL && local->members != NULL) ||
                         (gets_members && type->members->varies);
    setti_component_differ_in(&out, other_members, "members known in one of them only");
    setti_component_differ_in(&out, !replica_same_required(from, type, into, local),
                              "other required types");
    setti_component_differ_in(&out, type->padding_hash != local->padding_hash && !gets_members,
                              "other padding");
    bool other_relationship =
        ((type->flags ^ local->flags) & same_flags) != 0 || type->module != local->module ||
        (type->module != NULL && type->module->same != NULL && !type->module->same(type, local));
    setti_component_differ_in(&out, other_relationship, "another relationship, or none");
    if (list[0] != '\0') {
        return setti_world_fail_with(
            into, SETT_STATUS_CONFLICT,
            "%s: \"%.100s\" differs in the two worlds: %.300s - register it with the same options "
            "in both",
            call, type->desc.name, list);
    }
    return gets_members ? SETT_OK
                        : setti_values_prepare(into, setti_world_type(into, local->id), call);
}

/* Gives the types of `into`, which are empty, the storages and members of `from`. */
static sett_status replica_update_types(const sett_world* from, sett_world* into, const char* call)
{
    sett_status status = SETT_OK;
    for (uint32_t k = 0; status == SETT_OK && k < from->registered.count; k++) {
        const setti_type* type = from->registered.item[k];
        setti_type* local = replica_find(into, type);
        if (replica_gets_members(type, local)) {
            status = setti_component_set_members(into, local, &type->members->of, call);
        }
        if (status == SETT_OK) {
            status = setti_change_convert(into, local, type->desc.storage, call);
        }
        if (status == SETT_OK) {
            status = setti_values_prepare(into, local, call);
        }
    }
    return status;
}

/* The parts of a type that a registration leaves out. */
enum {
    REPLICA_WHOLE = 0,
    REPLICA_NO_CALLBACKS = 1,
    REPLICA_NO_REQUIRED = 2
};

/* Registers `type` in `into`. The required types must be registered. */
static sett_status replica_register(sett_world* into, const sett_world* from,
                                    const setti_type* type, uint32_t left_out, const char* call)
{
    SETTI_ASSERT(replica_find(into, type) == NULL);
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
        return type->module->join(into, from, type);
    }
    size_t size = (desc.required_count + 1) * sizeof(sett_component);
    sett_component* required = setti_pool_alloc(&into->pool, size, 8);
    if (required == NULL) {
        return setti_world_no_memory(into, call);
    }
    for (uint32_t k = 0; k < desc.required_count; k++) {
        required[k] = replica_find(into, setti_world_type(from, desc.required[k]))->id;
    }
    desc.required = required;
    if (setti_world_type(into, desc.id) != NULL) {
        desc.id = 0; /* assigns another id */
    }
    bool done = sett_component_register(into, &desc) != 0;
    setti_pool_free(&into->pool, required, size, 8);
    if (!done) {
        return into->error;
    }
    replica_find(into, type)->flags |= type->flags & SETTI_TYPE_FROM_FILE;
    return SETT_OK;
}

/* Returns the type of `into` with the name of `type`, or else `otherwise`. */
static setti_type* replica_type_or(const sett_world* into, const setti_type* type,
                                   setti_type* otherwise)
{
    setti_type* local = type != NULL ? replica_find(into, type) : NULL;
    return local != NULL ? local : otherwise;
}

/* Sets the pointers of `into` to its special types, for the types that `from` has. Then calls the
 * modules of `into`. */
static void replica_set_pointers(sett_world* into, const sett_world* from)
{
    for (uint32_t k = 0; k < SETTI_HIDDEN; k++) {
        into->hidden[k] = replica_type_or(into, from->hidden[k], into->hidden[k]);
    }
    for (uint32_t k = 0; k < SETTI_MODULE_TYPES; k++) {
        into->module_type[k] = replica_type_or(into, from->module_type[k], into->module_type[k]);
    }
    SETTI_MODULES_EACH(from, calls, join) {
        calls->join(into);
    }
    into->last_tag = replica_type_or(into, from->last_tag, into->last_tag);
    if (into->last_tag != NULL) {
        into->last_tag->flags |= SETTI_TYPE_ONE;
    }
    into->listener_version++;
    SETTI_MODULES_EACH(into, other, update) {
        other->update(into); /* now, because sett_query_matches does not update */
    }
}

sett_status setti_replica_join(sett_world* into, const sett_world* from, const setti_type* type,
                               const char* call)
{
    sett_status status = SETT_OK;
    if (replica_find(into, type) != NULL) {
        return SETT_OK;
    }
    for (uint32_t k = 0; status == SETT_OK && k < type->required.count; k++) {
        status = setti_replica_join(into, from, type->required.item[k], call);
    }
    /* registering a required type also registers its switch, and `type` can be that switch */
    if (status == SETT_OK && replica_find(into, type) == NULL) {
        status = replica_register(into, from, type, REPLICA_NO_CALLBACKS, call);
        replica_set_pointers(into, from);
    }
    return status;
}

sett_status setti_replica_join_all(sett_world* into, const sett_world* from, const char* call)
{
    sett_status status = SETT_OK;
    for (uint32_t k = 0; status == SETT_OK && k < from->registered.count; k++) {
        status = setti_replica_join(into, from, from->registered.item[k], call);
    }
    return status;
}

sett_status setti_replica_join_bare(sett_world* into, const sett_world* from,
                                    const setti_type* type, const char* call)
{
    if (replica_find(into, type) != NULL || type->module != NULL ||
        setti_type_switched(type) != NULL) {
        return setti_replica_join(into, from, type, call);
    }
    return replica_register(into, from, type, REPLICA_NO_CALLBACKS | REPLICA_NO_REQUIRED, call);
}

/* Joins `type`, or makes the type of the same name require what `type` requires. */
static sett_status replica_require(sett_world* into, const sett_world* from, const setti_type* type,
                                   const char* call)
{
    setti_type* local = replica_find(into, type);
    sett_status status = SETT_OK;
    if (local == NULL) {
        return setti_replica_join(into, from, type, call);
    }
    for (uint32_t k = 0; status == SETT_OK && k < type->desc.required_count; k++) {
        const setti_type* required = setti_world_type(from, type->desc.required[k]);
        status = replica_require(into, from, required, call);
        if (status == SETT_OK &&
            !setti_type_list_has(&local->required, replica_find(into, required)) &&
            !setti_component_require(into, local, replica_find(into, required))) {
            status = setti_world_no_memory(into, call);
        }
    }
    return status;
}

/* Adds the components that entities lack, but that their other components require. */
static sett_status replica_add_required(sett_world* into, const setti_type* type)
{
    SETTI_EACH_INDEX(index, &type->storage) {
        sett_entity entity = setti_entity_at(&into->entities, index);
        for (uint32_t r = 0; r < type->required.count; r++) {
            sett_component required = type->required.item[r]->id;
            if (!sett_has(into, entity, required) && sett_ensure(into, entity, required) == NULL) {
                return into->error;
            }
        }
    }
    return SETT_OK;
}

sett_status setti_replica_require(sett_world* into, const sett_world* from, const char* call)
{
    sett_status status = SETT_OK;
    uint32_t count = into->registered.count; /* types that are registered below have no entities */
    for (uint32_t k = 0; status == SETT_OK && k < count; k++) {
        const setti_type* type = setti_type_find(from, into->registered.item[k]->desc.name);
        status = type != NULL ? replica_require(into, from, type, call) : SETT_OK;
    }
    for (uint32_t k = 0; status == SETT_OK && k < count; k++) {
        status = replica_add_required(into, into->registered.item[k]);
    }
    return status;
}

/* Returns the root of `into` that corresponds to `root`, or NULL. */
static setti_root* replica_find_root(const sett_world* into, const setti_root* root)
{
    for (setti_root* at = into->roots; at != NULL; at = at->next) {
        if (at->name != NULL && strcmp(at->name, root->name) == 0 && at->size == root->size &&
            at->optional == root->optional) {
            return at;
        }
    }
    return NULL;
}

/* Whether the bytes of a root have changed since it was added. */
static bool replica_is_used(const setti_root* root)
{
    return memcmp(root->address, root->first, root->size) != 0;
}

/* Returns a root of `from` that has data, and that `into` lacks, or NULL. */
static const setti_root* replica_find_missing(const sett_world* from, const sett_world* into)
{
    for (const setti_root* root = from->roots; root != NULL; root = root->next) {
        bool needed = root->name != NULL && !root->optional && replica_is_used(root);
        if (needed && replica_find_root(into, root) == NULL) {
            return root;
        }
    }
    return NULL;
}

/* Checks all types that both worlds have. */
static sett_status replica_check_types(const sett_world* from, sett_world* into, const char* call)
{
    sett_status status = SETT_OK;
    for (uint32_t k = 0; status == SETT_OK && k < from->registered.count; k++) {
        const setti_type* local = replica_find(into, from->registered.item[k]);
        if (local != NULL) {
            status = replica_check_type(from, into, from->registered.item[k], local, call);
        }
    }
    return status;
}

/* Registers missing types in `into`, and checks all types again. */
static sett_status replica_register_all(const sett_world* from, sett_world* into, const char* call)
{
    for (uint32_t k = 0; k < from->registered.count; k++) {
        const setti_type* type = from->registered.item[k];
        if (replica_find(into, type) == NULL) {
            sett_status status = replica_register(into, from, type, REPLICA_WHOLE, call);
            if (status != SETT_OK) {
                return status;
            }
        }
    }
    return replica_check_types(from, into, call);
}

static sett_status replica_check(const sett_world* from, sett_world* into, const char* call)
{
    sett_status status = setti_world_check_unlocked(into, call);
    if (status == SETT_OK) {
        status = setti_world_check_no_snapshots(into, call);
    }
    if (status == SETT_OK && from == into) {
        status =
            setti_world_fail_with(into, SETT_STATUS_ARGUMENT,
                                  "%s: `from` and `into` are one world - pass two worlds", call);
    }
    if (status == SETT_OK && from->entities.limit > into->entities.limit &&
        setti_entity_capacity(&from->entities) > into->entities.limit) {
        status = setti_world_fail_with(into, SETT_STATUS_LIMIT,
                                       "%s: `from` has tables for %u entity indices, more than the "
                                       "entity_limit of `into`, %u - create `into` with a limit of "
                                       "%u",
                                       call, (unsigned)setti_entity_capacity(&from->entities),
                                       (unsigned)into->entities.limit,
                                       (unsigned)setti_entity_capacity(&from->entities));
    }
    if (status == SETT_OK) {
        status = replica_check_types(from, into, call);
    }
    if (status == SETT_OK) {
        status = replica_register_all(from, into, call);
    }
    const setti_root* missing = status == SETT_OK ? replica_find_missing(from, into) : NULL;
    if (missing == NULL) {
        return status;
    }
    return setti_world_fail_with(into, SETT_STATUS_CONFLICT,
                                 "%s: \"%.100s\" has data in `from`, and has other options in "
                                 "`into` or is not registered there - register it with the same "
                                 "options in both worlds",
                                 call, missing->name);
}

/* ------------------------------------------------------------------------------------ reserving */

static bool replica_reserve_pages(setti_pool* pool, const setti_pages* from, setti_pages* to)
{
    SETTI_ASSERT(to->size == from->size);
    bool done = setti_pages_reserve(pool, to, from->count);
    bool fresh;
    for (uint32_t number = 0; done && number < from->count; number++) {
        done = from->data[number] == NULL || setti_pages_ensure(pool, to, number, &fresh);
    }
    return done;
}

/* Returns the signature of `into` for a signature of `from`, or SETTI_NONE if memory runs out. */
static uint32_t replica_signature(const sett_world* from, sett_world* into, uint32_t signature)
{
    const setti_signature* record = &from->signatures.record[signature];
    uint32_t number = 0; /* the signature without types */
    for (uint32_t k = 0; number != SETTI_NONE && k < record->count; k++) {
        const setti_type* local = replica_find(into, from->types[record->types[k]]);
        number = setti_signature_toggle(&into->pool, &into->signatures, number, local->id,
                                        (local->flags & SETTI_TYPE_REMOVE_HOOKS) != 0);
    }
    return number;
}

/* Returns an array of `size` bytes: for each signature of `from`, that of `into`. Returns NULL if
 * memory runs out. */
static uint32_t* replica_signatures(const sett_world* from, sett_world* into, size_t size)
{
    uint32_t* number = setti_pool_alloc(&into->pool, size, 16);
    for (uint32_t k = 0; number != NULL && k < from->signatures.count; k++) {
        number[k] = replica_signature(from, into, k);
        if (number[k] == SETTI_NONE) {
            setti_pool_free(&into->pool, number, size, 16);
            return NULL;
        }
    }
    return number;
}

/* Allocates memory, so that replica_copy cannot fail. */
static bool replica_reserve(const sett_world* from, sett_world* into)
{
    setti_pool* pool = &into->pool;
    uint32_t capacity = setti_entity_capacity(&from->entities);
    bool done = setti_entity_reserve_pages(pool, &into->entities, from->entities.pages.count) &&
                replica_reserve_pages(pool, &from->entities.pages, &into->entities.pages);
    for (uint32_t k = 0; done && k < from->registered.count; k++) {
        const setti_storage* storage = &from->registered.item[k]->storage;
        setti_type* local = replica_find(into, from->registered.item[k]);
        done = replica_reserve_pages(pool, &storage->presence, &local->storage.presence) &&
               replica_reserve_pages(pool, &storage->rows, &local->storage.rows) &&
               setti_edit_reserve_collect(into, local, storage->count);
    }
    for (const setti_root* root = from->roots; done && root != NULL; root = root->next) {
        for (uint32_t k = 0; done && root->name != NULL && k < 2; k++) {
            done = root->pages[k] == NULL || !replica_is_used(root) ||
                   replica_reserve_pages(pool, root->pages[k],
                                         replica_find_root(into, root)->pages[k]);
        }
    }
    for (setti_listener* at = into->listeners; done && at != NULL; at = at->next) {
        bool has_members = at->owned.count == 0 && !at->observes && capacity != 0;
        done = !has_members || setti_storage_reserve_indices(pool, &at->members, 0, capacity);
    }
    return done;
}

/* Returns true if callbacks, observers or hooks have to run when the world's values end. */
static bool replica_ends_with_calls(const sett_world* into)
{
    bool calls = into->listeners != NULL;
    for (uint32_t k = 0; !calls && k < into->registered.count; k++) {
        calls = (into->registered.item[k]->flags & SETTI_TYPE_ENDINGS) != 0;
    }
    return calls;
}

/* Empties all tables, without hooks. */
static void replica_empty_tables(sett_world* into)
{
    setti_pool* pool = &into->pool;
    setti_entity_deinit(pool, &into->entities);
    for (uint32_t k = 0; k < into->registered.count; k++) {
        setti_storage_deinit(pool, &into->registered.item[k]->storage);
    }
    for (setti_listener* at = into->listeners; at != NULL; at = at->next) {
        setti_storage_deinit(pool, &at->members);
        at->length = 0;
    }
    for (setti_root* root = into->roots; root != NULL; root = root->next) {
        if (root->name == NULL) {
            continue; /* not cloned */
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

/* Copies the pages of `from` to pages of `to`, which replica_reserve_pages allocated. */
static void replica_copy_pages(const setti_pool* pool, const setti_pages* from, setti_pages* to)
{
    SETTI_ASSERT(to->count == from->count && to->size == from->size);
    for (uint32_t number = 0; number < from->count; number++) {
        to->tick[number] = from->tick[number];
        *setti_pages_restored(to, number) = pool->restored; /* a tick of `into`, not of `from` */
        if (from->data[number] != NULL) {
            memcpy(to->data[number], from->data[number], from->size);
        }
    }
}

/* Copies the entities. `number` maps their signatures. */
static void replica_copy_entities(const sett_world* from, sett_world* into, const uint32_t* number)
{
    setti_entity_table* table = &into->entities;
    replica_copy_pages(&into->pool, &from->entities.pages, &table->pages);
    for (uint32_t k = 0; k < table->pages.count; k++) {
        setti_entity_page* page = table->pages.data[k];
        for (uint32_t slot = 0; page != NULL && slot < SETTI_ENTITY_ROWS; slot++) {
            uint32_t signature = page->signature[slot];
            page->signature[slot] = signature != 0 ? number[signature] : 0;
        }
    }
    table->count = from->entities.count;
    table->retired = from->entities.retired;
    setti_entity_rebuild(table); /* indices claimed by commands of `from` are free in `into` */
}

/* Copies values that own memory, over the bytes that replica_copy_pages has copied. */
static void replica_copy_values(const setti_type* type, const setti_type* local)
{
    SETTI_ASSERT(setti_pages_values(&local->storage.rows) != NULL);
    const setti_storage* storage = &local->storage;
    bool copies = local->desc.save == SETT_SAVE_CLONE; /* else the values stay empty */
    SETTI_EACH_INDEX(index, storage) {
        void* value = setti_storage_find(storage, index);
        setti_type_init_values(local, value, 1);
        if (copies) {
            setti_type_call_copy(local, value, setti_storage_find(&type->storage, index), 1);
        }
    }
}

/* Copies the members of a storage that are not in pages, and the choice of the type. */
static void replica_copy_counts(const setti_type* type, setti_type* local)
{
    const setti_storage* storage = &type->storage;
    const setti_module* module = type->module;
    local->storage.count = storage->count;
    local->storage.extent = storage->extent;
    local->storage.spare = storage->spare;
    local->storage.hashed = storage->hashed;
    local->storage.far |= storage->far; /* snapshots of `into` can have far indices */
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

static void replica_copy(const sett_world* from, sett_world* into, const uint32_t* number)
{
    /* cursors see everything as changed */
    into->pool.tick = SETTI_MAX(into->pool.tick, from->pool.tick) + 1;
    into->pool.restored = into->pool.tick;
    into->pool.cloned = into->pool.tick;
    replica_copy_entities(from, into, number);
    for (uint32_t k = 0; k < from->registered.count; k++) {
        const setti_type* type = from->registered.item[k];
        replica_copy_type(&into->pool, type, replica_find(into, type));
    }
    for (const setti_root* root = from->roots; root != NULL; root = root->next) {
        if (root->name == NULL || !replica_is_used(root)) {
            continue;
        }
        setti_root* local = replica_find_root(into, root);
        if (local == NULL) {
            SETTI_ASSERT(root->optional); /* see replica_find_missing */
            continue;
        }
        memcpy(local->address, root->address, root->cloned);
        for (uint32_t k = 0; k < 2; k++) {
            if (root->pages[k] != NULL) {
                replica_copy_pages(&into->pool, root->pages[k], local->pages[k]);
            }
        }
    }
}

sett_status setti_replica_clone(const sett_world* from, sett_world* into, const char* call)
{
    sett_status status = replica_check(from, into, call);
    if (status != SETT_OK) {
        return status;
    }
    if (replica_ends_with_calls(into)) {
        setti_change_destroy_all(into);
    }
    setti_commands_drop_all(into); /* includes commands that callbacks have just recorded */
    replica_empty_tables(into);
    bool other_pages = into->pool.small != from->pool.small;
    for (uint32_t k = 0; other_pages && k < into->registered.count; k++) {
        setti_storage_use_pages(&into->registered.item[k]->storage, from->pool.small);
    }
    into->pool.small = from->pool.small;
    size_t size = ((size_t)from->signatures.count + 1) * sizeof(uint32_t);
    uint32_t* number = NULL;
    status = replica_update_types(from, into, call);
    if (status == SETT_OK && replica_reserve(from, into)) {
        number = replica_signatures(from, into, size);
    }
    into->epoch++;
    if (number == NULL) {
        replica_empty_tables(into);
        return status != SETT_OK ? status : setti_world_no_memory(into, call);
    }
    replica_copy(from, into, number);
    replica_set_pointers(into, from);
    setti_pool_free(&into->pool, number, size, 16);
    for (setti_listener* at = into->listeners; at != NULL; at = at->next) {
        if (!at->observes) {
            (void)setti_change_admit(into, at); /* cannot fail: replica_reserve reserved memory */
        }
    }
    return SETT_OK;
}

sett_status sett_world_clone(const sett_world* from, sett_world* into)
{
    return SETTI_IS_NULL(from) || SETTI_IS_NULL(into) ? SETT_STATUS_ARGUMENT
                                                      : setti_replica_clone(from, into, __func__);
}

/* ------------------------------------------------------------------------------------- updating */

/* Copies a page of `from` to `to`. Returns false when memory runs out. */
static bool replica_update_page(setti_pool* pool, const setti_pages* from, setti_pages* to,
                                uint32_t number)
{
    bool fresh;
    if (to->data[number] != NULL && to->tick[number] < pool->cow_from) {
        setti_pages_free(pool, to, number); /* parks the page for a snapshot, without a copy */
    }
    if (!setti_pages_ensure(pool, to, number, &fresh)) {
        return false;
    }
    setti_pages_write(pool, to, number);
    memcpy(to->data[number], from->data[number], from->size);
    return true;
}

/* Copies the pages of `from` that were written or restored after `since`. */
static bool replica_update_pages(setti_pool* pool, const setti_pages* from, setti_pages* to,
                                 uint64_t since)
{
    SETTI_ASSERT(to->size == from->size);
    bool done = setti_pages_reserve(pool, to, from->count);
    for (uint32_t number = 0; done && number < to->count; number++) {
        if (setti_pages_get(from, number) == NULL) {
            setti_pages_free(pool, to, number);
        } else if (to->data[number] == NULL || from->tick[number] > since ||
                   *setti_pages_restored(from, number) > since) {
            done = replica_update_page(pool, from, to, number);
        }
    }
    return done;
}

/* Extends the map to all signatures of `from`. Returns false when memory runs out. */
static bool replica_update_map(const sett_world* from, sett_world* into, setti_replica_map* map)
{
    uint32_t count = from->signatures.count;
    if (map->swept != from->signatures.swept) { /* old numbers mean other signatures */
        map->swept = from->signatures.swept;
        map->count = 0;
        setti_edit_reclaim_signatures(into);
    }
    if (map->capacity < count) {
        void* number = setti_pool_grow(&into->pool, map->number, sizeof(*map->number), map->count,
                                       count - map->count, &map->capacity);
        if (number == NULL) {
            return false;
        }
        map->number = number;
    }
    while (map->count < count) {
        map->number[map->count++] = SETTI_NONE;
    }
    return true;
}

/* Replaces the signatures in a copied page of entities by those of `into`. Returns false if memory
 * runs out. */
static bool replica_update_sets(const sett_world* from, sett_world* into, setti_replica_map* map,
                                setti_entity_page* page)
{
    for (uint32_t slot = 0; slot < SETTI_ENTITY_ROWS; slot++) {
        uint32_t signature = page->signature[slot];
        if (signature != 0 && map->number[signature] == SETTI_NONE) {
            map->number[signature] = replica_signature(from, into, signature);
        }
        page->signature[slot] = signature != 0 ? map->number[signature] : 0;
        if (page->signature[slot] == SETTI_NONE) {
            return false;
        }
    }
    return true;
}

static bool replica_update_entities(const sett_world* from, sett_world* into,
                                    setti_replica_map* map, uint64_t since)
{
    SETTI_ASSERT(from->entities.reserved == 0);
    setti_entity_table* table = &into->entities;
    bool done = setti_entity_reserve_pages(&into->pool, table, from->entities.pages.count) &&
                replica_update_map(from, into, map) &&
                replica_update_pages(&into->pool, &from->entities.pages, &table->pages, since);
    for (uint32_t number = 0; done && number < table->pages.count; number++) {
        if (table->pages.tick[number] == into->pool.tick) { /* changed by this update */
            setti_entity_page* page = table->pages.data[number];
            done = page == NULL || replica_update_sets(from, into, map, page);
            setti_entity_refresh(table, number);
        }
    }
    table->count = from->entities.count;
    table->retired = from->entities.retired;
    return done;
}

/* Whether the pages of `type` can be copied to `local`. */
static bool replica_same_storage(const setti_type* type, const setti_type* local)
{
    return local != NULL && type->storage.kind == local->storage.kind &&
           type->storage.size == local->storage.size &&
           (type->members == NULL) == (local->members == NULL);
}

static bool replica_update_type(setti_pool* pool, const setti_type* type, setti_type* local,
                                uint64_t since)
{
    const setti_storage* storage = &type->storage;
    bool done = replica_update_pages(pool, &storage->presence, &local->storage.presence, since) &&
                replica_update_pages(pool, &storage->rows, &local->storage.rows, since) &&
                setti_edit_reserve_collect(local->world, local, storage->count);
    replica_copy_counts(type, local);
    return done;
}

static bool replica_update_root(setti_pool* pool, const setti_root* root, setti_root* local,
                                uint64_t since)
{
    bool done = true;
    memcpy(local->address, root->address, root->cloned);
    for (uint32_t k = 0; done && k < 2; k++) {
        done = root->pages[k] == NULL ||
               replica_update_pages(pool, root->pages[k], local->pages[k], since);
    }
    return done;
}

/* Returns the name of a difference that prevents an update, or NULL. */
static const char* replica_update_check(const sett_world* from, const sett_world* into)
{
    for (uint32_t k = 0; k < from->registered.count; k++) {
        const setti_type* type = from->registered.item[k];
        if (!replica_same_storage(type, replica_find(into, type))) {
            return type->desc.name;
        }
    }
    const setti_root* missing = replica_find_missing(from, into);
    return missing != NULL ? missing->name : NULL;
}

sett_status setti_replica_update(const sett_world* from, sett_world* into, setti_replica_map* map,
                                 uint64_t since, const char* call)
{
    const char* differs = replica_update_check(from, into);
    if (differs != NULL) {
        return setti_world_fail_with(into, SETT_STATUS_CONFLICT,
                                     "%s: the storage or the members of \"%.100s\" have changed "
                                     "since the mirror was created - create a new mirror",
                                     call, differs);
    }
    if (from->pool.small != into->pool.small) {
        return setti_world_fail_with(into, SETT_STATUS_CONFLICT,
                                     "%s: the world's option small_pages has changed since the "
                                     "mirror was created - create a new mirror",
                                     call);
    }
    setti_pool* pool = &into->pool;
    pool->tick = SETTI_MAX(pool->tick, from->pool.tick) + 1;
    bool done = replica_update_entities(from, into, map, since);
    for (uint32_t k = 0; done && k < from->registered.count; k++) {
        const setti_type* type = from->registered.item[k];
        done = replica_update_type(pool, type, replica_find(into, type), since);
    }
    for (const setti_root* root = from->roots; done && root != NULL; root = root->next) {
        bool copied = root->name != NULL && !root->optional;
        setti_root* local = copied ? replica_find_root(into, root) : NULL;
        done = local == NULL || replica_update_root(pool, root, local, since);
    }
    into->epoch++;
    return done ? SETT_OK : SETT_STATUS_OUT_OF_MEMORY;
}

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

/* Whether both types require types with equal names, in the same order. */
static bool replica_same_required(const sett_world* from_world, const setti_type* type,
                                  const sett_world* to_world, const setti_type* local)
{
    bool same = type->desc.required_count == local->desc.required_count;
    for (uint32_t k = 0; same && k < type->desc.required_count; k++) {
        same = strcmp(setti_world_type(from_world, type->desc.required[k])->desc.name,
                      setti_world_type(to_world, local->desc.required[k])->desc.name) == 0;
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
static sett_status replica_check_type(const sett_world* from_world, sett_world* to_world,
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
    setti_component_differ_in(&out, !replica_same_required(from_world, type, to_world, local),
                              "other required types");
    setti_component_differ_in(&out, type->padding_hash != local->padding_hash && !gets_members,
                              "other padding");
    bool other_relationship =
        ((type->flags ^ local->flags) & same_flags) != 0 || type->module != local->module ||
        (type->module != NULL && type->module->same != NULL && !type->module->same(type, local));
    setti_component_differ_in(&out, other_relationship, "another relationship, or none");
    if (list[0] != '\0') {
        return setti_world_fail_with(
            to_world, SETT_STATUS_CONFLICT,
            "%s: \"%.100s\" differs in the two worlds: %.300s - register it with the same options "
            "in both",
            call, type->desc.name, list);
    }
    return gets_members
               ? SETT_OK
               : setti_values_prepare(to_world, setti_world_type(to_world, local->id), call);
}

/* Gives the types of `to_world`, which are empty, the storages and members of `from_world`. */
static sett_status replica_update_types(const sett_world* from_world, sett_world* to_world,
                                        const char* call)
{
    sett_status status = SETT_OK;
    for (uint32_t k = 0; status == SETT_OK && k < from_world->registered.count; k++) {
        const setti_type* type = from_world->registered.item[k];
        setti_type* local = replica_find(to_world, type);
        if (replica_gets_members(type, local)) {
            status = setti_component_set_members(to_world, local, &type->members->of, call);
        }
        if (status == SETT_OK) {
            status = setti_change_convert(to_world, local, type->desc.storage, call);
        }
        if (status == SETT_OK) {
            status = setti_values_prepare(to_world, local, call);
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

/* Registers `type` in `to_world`. The required types must be registered. */
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
        desc.id = 0; /* assigns another id */
    }
    bool done = sett_component_register(to_world, &desc) != 0;
    setti_pool_free(&to_world->pool, required, size, 8);
    if (!done) {
        return to_world->error;
    }
    replica_find(to_world, type)->flags |= type->flags & SETTI_TYPE_FROM_FILE;
    return SETT_OK;
}

/* Returns the type of `to_world` with the name of `type`, or else `otherwise`. */
static setti_type* replica_type_or(const sett_world* to_world, const setti_type* type,
                                   setti_type* otherwise)
{
    setti_type* local = type != NULL ? replica_find(to_world, type) : NULL;
    return local != NULL ? local : otherwise;
}

/* Sets the pointers of `to_world` to its special types, for the types that `from_world` has. Then
 * calls the modules of `to_world`. */
static void replica_set_pointers(sett_world* to_world, const sett_world* from_world)
{
    for (uint32_t k = 0; k < SETTI_HIDDEN; k++) {
        to_world->hidden[k] = replica_type_or(to_world, from_world->hidden[k], to_world->hidden[k]);
    }
    for (uint32_t k = 0; k < SETTI_MODULE_TYPES; k++) {
        to_world->module_type[k] =
            replica_type_or(to_world, from_world->module_type[k], to_world->module_type[k]);
    }
    SETTI_MODULES_EACH(from_world, calls, join) {
        calls->join(to_world);
    }
    to_world->last_tag = replica_type_or(to_world, from_world->last_tag, to_world->last_tag);
    if (to_world->last_tag != NULL) {
        to_world->last_tag->flags |= SETTI_TYPE_ONE;
    }
    to_world->listener_version++;
    SETTI_MODULES_EACH(to_world, other, update) {
        other->update(to_world); /* now, because sett_query_matches does not update */
    }
}

sett_status setti_replica_join(sett_world* to_world, const sett_world* from_world,
                               const setti_type* type, const char* call)
{
    sett_status status = SETT_OK;
    if (replica_find(to_world, type) != NULL) {
        return SETT_OK;
    }
    for (uint32_t k = 0; status == SETT_OK && k < type->required.count; k++) {
        status = setti_replica_join(to_world, from_world, type->required.item[k], call);
    }
    /* registering a required type also registers its switch, and `type` can be that switch */
    if (status == SETT_OK && replica_find(to_world, type) == NULL) {
        status = replica_register(to_world, from_world, type, REPLICA_NO_CALLBACKS, call);
        replica_set_pointers(to_world, from_world);
    }
    return status;
}

sett_status setti_replica_join_all(sett_world* to_world, const sett_world* from_world,
                                   const char* call)
{
    sett_status status = SETT_OK;
    for (uint32_t k = 0; status == SETT_OK && k < from_world->registered.count; k++) {
        status = setti_replica_join(to_world, from_world, from_world->registered.item[k], call);
    }
    return status;
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

/* Joins `type`, or makes the type of the same name require what `type` requires. */
static sett_status replica_require(sett_world* to_world, const sett_world* from_world,
                                   const setti_type* type, const char* call)
{
    setti_type* local = replica_find(to_world, type);
    sett_status status = SETT_OK;
    if (local == NULL) {
        return setti_replica_join(to_world, from_world, type, call);
    }
    for (uint32_t k = 0; status == SETT_OK && k < type->desc.required_count; k++) {
        const setti_type* required = setti_world_type(from_world, type->desc.required[k]);
        status = replica_require(to_world, from_world, required, call);
        if (status == SETT_OK &&
            !setti_type_list_has(&local->required, replica_find(to_world, required)) &&
            !setti_component_require(to_world, local, replica_find(to_world, required))) {
            status = setti_world_no_memory(to_world, call);
        }
    }
    return status;
}

/* Adds the components that entities lack, but that their other components require. */
static sett_status replica_add_required(sett_world* to_world, const setti_type* type)
{
    SETTI_EACH_INDEX(index, &type->storage) {
        sett_entity entity = setti_entity_at(&to_world->entities, index);
        for (uint32_t r = 0; r < type->required.count; r++) {
            sett_component required = type->required.item[r]->id;
            if (!sett_has(to_world, entity, required) &&
                sett_ensure(to_world, entity, required) == NULL) {
                return to_world->error;
            }
        }
    }
    return SETT_OK;
}

sett_status setti_replica_require(sett_world* to_world, const sett_world* from_world,
                                  const char* call)
{
    sett_status status = SETT_OK;
    uint32_t count =
        to_world->registered.count; /* types that are registered below have no entities */
    for (uint32_t k = 0; status == SETT_OK && k < count; k++) {
        const setti_type* type =
            setti_type_find(from_world, to_world->registered.item[k]->desc.name);
        status = type != NULL ? replica_require(to_world, from_world, type, call) : SETT_OK;
    }
    for (uint32_t k = 0; status == SETT_OK && k < count; k++) {
        status = replica_add_required(to_world, to_world->registered.item[k]);
    }
    return status;
}

/* Returns the root of `to_world` that corresponds to `root`, or NULL. */
static setti_root* replica_find_root(const sett_world* to_world, const setti_root* root)
{
    for (setti_root* at = to_world->roots; at != NULL; at = at->next) {
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

/* Returns a root of `from_world` that has data, and that `to_world` lacks, or NULL. */
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
    sett_status status = SETT_OK;
    for (uint32_t k = 0; status == SETT_OK && k < from_world->registered.count; k++) {
        const setti_type* local = replica_find(to_world, from_world->registered.item[k]);
        if (local != NULL) {
            status = replica_check_type(from_world, to_world, from_world->registered.item[k], local,
                                        call);
        }
    }
    return status;
}

/* Registers missing types in `to_world`, and checks all types again. */
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

static sett_status replica_check(const sett_world* from_world, sett_world* to_world,
                                 const char* call)
{
    sett_status status = setti_world_check_unlocked(to_world, call);
    if (status == SETT_OK) {
        status = setti_world_check_no_snapshots(to_world, call);
    }
    if (status == SETT_OK && from_world == to_world) {
        status =
            setti_world_fail_with(to_world, SETT_STATUS_ARGUMENT,
                                  "%s: `from` and `into` are one world - pass two worlds", call);
    }
    if (status == SETT_OK && from_world->entities.limit > to_world->entities.limit &&
        setti_entity_capacity(&from_world->entities) > to_world->entities.limit) {
        status = setti_world_fail_with(to_world, SETT_STATUS_LIMIT,
                                       "%s: `from` has tables for %u entity indices, more than the "
                                       "entity_limit of `into`, %u - create `into` with a limit of "
                                       "%u",
                                       call, (unsigned)setti_entity_capacity(&from_world->entities),
                                       (unsigned)to_world->entities.limit,
                                       (unsigned)setti_entity_capacity(&from_world->entities));
    }
    if (status == SETT_OK) {
        status = replica_check_types(from_world, to_world, call);
    }
    if (status == SETT_OK) {
        status = replica_register_all(from_world, to_world, call);
    }
    const setti_root* missing =
        status == SETT_OK ? replica_find_missing(from_world, to_world) : NULL;
    if (missing == NULL) {
        return status;
    }
    return setti_world_fail_with(to_world, SETT_STATUS_CONFLICT,
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

/* Returns the signature of `to_world` for a signature of `from_world`, or SETTI_NONE if memory runs
 * out. */
static uint32_t replica_signature(const sett_world* from_world, sett_world* to_world,
                                  uint32_t signature)
{
    const setti_signature* record = &from_world->signatures.record[signature];
    uint32_t number = 0; /* the signature without types */
    for (uint32_t k = 0; number != SETTI_NONE && k < record->count; k++) {
        const setti_type* local = replica_find(to_world, from_world->types[record->types[k]]);
        number = setti_signature_toggle(&to_world->pool, &to_world->signatures, number, local->id,
                                        (local->flags & SETTI_TYPE_REMOVE_HOOKS) != 0);
    }
    return number;
}

/* Returns an array of `size` bytes: for each signature of `from_world`, that of `to_world`. Returns
 * NULL if memory runs out. */
static uint32_t* replica_signatures(const sett_world* from_world, sett_world* to_world, size_t size)
{
    uint32_t* number = setti_pool_alloc(&to_world->pool, size, 16);
    for (uint32_t k = 0; number != NULL && k < from_world->signatures.count; k++) {
        number[k] = replica_signature(from_world, to_world, k);
        if (number[k] == SETTI_NONE) {
            setti_pool_free(&to_world->pool, number, size, 16);
            return NULL;
        }
    }
    return number;
}

/* Allocates memory, so that replica_copy cannot fail. */
static bool replica_reserve(const sett_world* from_world, sett_world* to_world)
{
    setti_pool* pool = &to_world->pool;
    uint32_t capacity = setti_entity_capacity(&from_world->entities);
    bool done =
        setti_entity_reserve_pages(pool, &to_world->entities, from_world->entities.pages.count) &&
        replica_reserve_pages(pool, &from_world->entities.pages, &to_world->entities.pages);
    for (uint32_t k = 0; done && k < from_world->registered.count; k++) {
        const setti_storage* storage = &from_world->registered.item[k]->storage;
        setti_type* local = replica_find(to_world, from_world->registered.item[k]);
        done = replica_reserve_pages(pool, &storage->presence, &local->storage.presence) &&
               replica_reserve_pages(pool, &storage->rows, &local->storage.rows) &&
               setti_edit_reserve_collect(to_world, local, storage->count);
    }
    for (const setti_root* root = from_world->roots; done && root != NULL; root = root->next) {
        for (uint32_t k = 0; done && root->name != NULL && k < 2; k++) {
            done = root->pages[k] == NULL || !replica_is_used(root) ||
                   replica_reserve_pages(pool, root->pages[k],
                                         replica_find_root(to_world, root)->pages[k]);
        }
    }
    for (setti_listener* listener = to_world->listeners; done && listener != NULL;
         listener = listener->next) {
        bool has_members = listener->owned.count == 0 && !listener->observes && capacity != 0;
        done = !has_members || setti_storage_reserve_indices(pool, &listener->members, 0, capacity);
    }
    return done;
}

/* Returns true if callbacks, observers or hooks have to run when the world's values end. */
static bool replica_ends_with_calls(const sett_world* to_world)
{
    bool calls = to_world->listeners != NULL;
    for (uint32_t k = 0; !calls && k < to_world->registered.count; k++) {
        calls = (to_world->registered.item[k]->flags & SETTI_TYPE_ENDINGS) != 0;
    }
    return calls;
}

/* Empties all tables, without hooks. */
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
static void replica_copy_entities(const sett_world* from_world, sett_world* to_world,
                                  const uint32_t* number)
{
    setti_entity_table* table = &to_world->entities;
    replica_copy_pages(&to_world->pool, &from_world->entities.pages, &table->pages);
    for (uint32_t k = 0; k < table->pages.count; k++) {
        setti_entity_page* page = table->pages.data[k];
        for (uint32_t slot = 0; page != NULL && slot < SETTI_ENTITY_ROWS; slot++) {
            uint32_t signature = page->signature[slot];
            page->signature[slot] = signature != 0 ? number[signature] : 0;
        }
    }
    table->count = from_world->entities.count;
    table->retired = from_world->entities.retired;
    /* indices that commands of `from_world` have claimed are free in `to_world` */
    setti_entity_rebuild(table);
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

static void replica_copy(const sett_world* from_world, sett_world* to_world, const uint32_t* number)
{
    /* cursors see everything as changed */
    to_world->pool.tick = SETTI_MAX(to_world->pool.tick, from_world->pool.tick) + 1;
    to_world->pool.restored = to_world->pool.tick;
    to_world->pool.cloned = to_world->pool.tick;
    replica_copy_entities(from_world, to_world, number);
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
    setti_commands_drop_all(to_world); /* includes commands that callbacks have just recorded */
    replica_empty_tables(to_world);
    bool other_pages = to_world->pool.small != from_world->pool.small;
    for (uint32_t k = 0; other_pages && k < to_world->registered.count; k++) {
        setti_storage_use_pages(&to_world->registered.item[k]->storage, from_world->pool.small);
    }
    to_world->pool.small = from_world->pool.small;
    size_t size = ((size_t)from_world->signatures.count + 1) * sizeof(uint32_t);
    uint32_t* number = NULL;
    status = replica_update_types(from_world, to_world, call);
    if (status == SETT_OK && replica_reserve(from_world, to_world)) {
        number = replica_signatures(from_world, to_world, size);
    }
    to_world->epoch++;
    if (number == NULL) {
        replica_empty_tables(to_world);
        return status != SETT_OK ? status : setti_world_no_memory(to_world, call);
    }
    replica_copy(from_world, to_world, number);
    replica_set_pointers(to_world, from_world);
    setti_pool_free(&to_world->pool, number, size, 16);
    for (setti_listener* listener = to_world->listeners; listener != NULL;
         listener = listener->next) {
        if (!listener->observes) {
            (void)setti_change_admit(to_world, listener); /* cannot fail: memory is reserved */
        }
    }
    return SETT_OK;
}

sett_status sett_world_clone(const sett_world* from_world, sett_world* to_world)
{
    return SETTI_IS_NULL(from_world) || SETTI_IS_NULL(to_world)
               ? SETT_STATUS_ARGUMENT
               : setti_replica_clone(from_world, to_world, __func__);
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

/* Extends the map to all signatures of `from_world`. Returns false when memory runs out. */
static bool replica_update_map(const sett_world* from_world, sett_world* to_world,
                               setti_replica_map* map)
{
    uint32_t count = from_world->signatures.count;
    if (map->swept != from_world->signatures.swept) { /* old numbers mean other signatures */
        map->swept = from_world->signatures.swept;
        map->count = 0;
        setti_edit_reclaim_signatures(to_world);
    }
    if (map->capacity < count) {
        void* number = setti_pool_grow(&to_world->pool, map->number, sizeof(*map->number),
                                       map->count, count - map->count, &map->capacity);
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

/* Replaces the signatures in a copied page of entities by those of `to_world`. Returns false if
 * memory runs out. */
static bool replica_update_sets(const sett_world* from_world, sett_world* to_world,
                                setti_replica_map* map, setti_entity_page* page)
{
    for (uint32_t slot = 0; slot < SETTI_ENTITY_ROWS; slot++) {
        uint32_t signature = page->signature[slot];
        if (signature != 0 && map->number[signature] == SETTI_NONE) {
            map->number[signature] = replica_signature(from_world, to_world, signature);
        }
        page->signature[slot] = signature != 0 ? map->number[signature] : 0;
        if (page->signature[slot] == SETTI_NONE) {
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
    bool done =
        setti_entity_reserve_pages(&to_world->pool, table, from_world->entities.pages.count) &&
        replica_update_map(from_world, to_world, map) &&
        replica_update_pages(&to_world->pool, &from_world->entities.pages, &table->pages, since);
    for (uint32_t number = 0; done && number < table->pages.count; number++) {
        if (table->pages.tick[number] == to_world->pool.tick) { /* changed by this update */
            setti_entity_page* page = table->pages.data[number];
            done = page == NULL || replica_update_sets(from_world, to_world, map, page);
            setti_entity_refresh(table, number);
        }
    }
    table->count = from_world->entities.count;
    table->retired = from_world->entities.retired;
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
static const char* replica_update_check(const sett_world* from_world, const sett_world* to_world)
{
    for (uint32_t k = 0; k < from_world->registered.count; k++) {
        const setti_type* type = from_world->registered.item[k];
        if (!replica_same_storage(type, replica_find(to_world, type))) {
            return type->desc.name;
        }
    }
    const setti_root* missing = replica_find_missing(from_world, to_world);
    return missing != NULL ? missing->name : NULL;
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
    bool done = replica_update_entities(from_world, to_world, map, since);
    for (uint32_t k = 0; done && k < from_world->registered.count; k++) {
        const setti_type* type = from_world->registered.item[k];
        done = replica_update_type(pool, type, replica_find(to_world, type), since);
    }
    for (const setti_root* root = from_world->roots; done && root != NULL; root = root->next) {
        bool copied = root->name != NULL && !root->optional;
        setti_root* local = copied ? replica_find_root(to_world, root) : NULL;
        done = local == NULL || replica_update_root(pool, root, local, since);
    }
    to_world->epoch++;
    return done ? SETT_OK : SETT_STATUS_OUT_OF_MEMORY;
}

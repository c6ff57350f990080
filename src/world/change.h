/* change.h: calls for other modules to change entities and components, and the fast paths. */
#ifndef SETTI_CHANGE_H
#define SETTI_CHANGE_H

#include "world/edit.h"

/* True: changes take the fast paths where possible. Tests run with and without fast paths. */
#if defined(SETT_NO_FAST_PATHS)
#define SETTI_FAST_PATHS false
#else
#define SETTI_FAST_PATHS true
#endif

/* Destroys every entity, and runs hooks and callbacks. No loop may be open. Needs no memory. */
void setti_change_destroy_all(sett_world* world);

/* For setti_cascade.collect: schedules an entity for destruction, before the entity for which
 * `collect` was called. Does nothing for an entity that was scheduled before. */
void setti_change_collect(sett_world* world, uint32_t index);

/* The `type` of setti_change_is_plain if no cascade runs except cascades that just unlink. */
#define SETTI_NO_CASCADE ((const setti_type*)NULL)

/* Returns true if destroying an entity with this signature runs no callback and no cascade, except
 * the cascade of `type` and cascades that just unlink, and if no order of rows depends on when the
 * entity is destroyed. */
bool setti_change_is_plain(const sett_world* world, uint32_t signature, const setti_type* type);

/* The fast path of sett_add for types without callbacks. Returns the uninitialised value. NULL:
 * nothing has changed; call sett_add, which also reports failures. */
void* setti_change_try_add(sett_world* world, sett_component component, sett_entity entity);

/* Like setti_change_try_add, for a type with links (SETTI_TYPE_LINKED). The caller, a relationship,
 * links the value before another call can read the value. */
void* setti_change_try_add_link(sett_world* world, setti_type* type, sett_entity entity);

/* Like sett_set, but `fill` writes the value in place, before callbacks run. Adds the type if the
 * entity lacks the type. Returns NULL on failure, and reports the failure as `call`. */
void* setti_change_put(sett_world* world, setti_type* type, sett_entity entity,
                       const setti_edit_fill* fill, const char* call);

/* Returns true if setti_change_add_word may add the type: the type has no hooks and requires
 * nothing, and the world has no listeners. */
bool setti_change_is_bare(const sett_world* world, const setti_type* type);

/* Adds a bare type to up to 64 entities without the type. Bit k of `bits` stands for the entity at
 * index first + k; `first` is a multiple of 64. `values` are the entities' values, side by side;
 * NULL: zeroes. Fails as `call`, with nothing added: STALE if an index has no entity,
 * OUT_OF_MEMORY. */
bool setti_change_add_word(sett_world* world, setti_type* type, uint32_t first, uint64_t bits,
                           const unsigned char* values, const char* call);

/* Adding and removing in two steps, for changes of several entities or types: call
 * setti_edit_settle, then the `reserve` step of each change, then the `reserved` step of each
 * change; or setti_edit_unclaim if a `reserve` step failed. *signature is the entity's signature
 * before the change, and becomes the signature after the change. Adding does not add required
 * types. Removing first removes the types that require the type. */
bool setti_change_reserve_add(sett_world* world, setti_type* type, uint32_t index,
                              uint32_t* signature);
void* setti_change_add_reserved(sett_world* world, setti_type* type, sett_entity entity);
bool setti_change_reserve_remove(sett_world* world, setti_type* type, uint32_t index);
void setti_change_remove_reserved(sett_world* world, setti_type* type, uint32_t index);

/* Adds `first` to entity a, then `second` to entity b; skips a type if the entity has the type.
 * False when memory runs out, with nothing added. The world must be unlocked. `fill` writes the
 * value of `second`; NULL: zeroes. on_set does not run. */
bool setti_change_add_two(sett_world* world, setti_type* first, sett_entity a, setti_type* second,
                          sett_entity b, const setti_edit_fill* fill);

/* Two steps for setti_cascade.validate and .detach: reserve, then remove, the types of a surviving
 * entity with values that lead only to destroyed entities. */
bool setti_change_reserve_stranded(sett_world* world, uint32_t index);
void setti_change_remove_stranded(sett_world* world, uint32_t index);

/* Returns true if each value has the C type that the macro named; reports a mismatch as `call`. */
bool setti_change_check_values(sett_world* world, const sett_value* values, uint32_t count,
                               const char* call);

/* The slow paths of sett_entity_create and sett_entity_destroy. Failures name the public calls. */
sett_entity setti_change_create(sett_world* world);
sett_status setti_change_destroy(sett_world* world, sett_entity entity, setti_ending ending);

#define SETTI_CREATE_MOST 32 /* components of sett_create_with */

/* The slow path of sett_create_with. */
sett_entity setti_change_create_with(sett_world* world, const sett_value* values, uint32_t count);

/* Finds the transition that adds a type to a signature, and stores the transition in the type.
 * False, with nothing stored, if the signature has the type or lacks a required type, a listener is
 * concerned, or memory runs out. */
bool setti_change_learn_added(sett_world* world, setti_type* type, uint32_t signature);

/* The fast path of setti_edit_include, for an edit with room for one more part. False, with nothing
 * done: call setti_edit_include. */
SETTI_INLINE bool setti_change_include_fast(sett_world* world, setti_edit* edit, setti_type* type,
                                            const void* value)
{
    SETTI_ASSERT(edit->to != SETTI_NONE && (edit->room == 0 || edit->added_count < edit->room));
    if (SETTI_UNLIKELY(!SETTI_FAST_PATHS || (type->flags & SETTI_TYPE_SLOW_ADD) != 0)) {
        return false;
    }
    const setti_transition* added = setti_type_added(type, edit->to);
    if (SETTI_UNLIKELY(added->from != edit->to) &&
        !setti_change_learn_added(world, type, edit->to)) {
        return false;
    }
    edit->to = added->to;
    edit->added[edit->added_count++] = (setti_edit_part){.type = type, .value = value};
    return true;
}

/* An added component gets the default value: zeroes, or the value that `init` writes. */
#define SETTI_NO_VALUE ((const setti_edit_part*)NULL)

/* Like setti_change_add; takes the fast path if possible. */
void* setti_change_add_fast(sett_world* world, setti_type* type, sett_entity entity,
                            const char* call, const setti_edit_part* given);

/* The slow paths of sett_add and sett_remove.
 *   given  the added value, or SETTI_NO_VALUE */
void* setti_change_add(sett_world* world, sett_entity entity, sett_component component,
                       const char* call, const setti_edit_part* given);
sett_status setti_change_remove(sett_world* world, sett_entity entity, sett_component component);

/* Copies a value's bytes for on_replace. Fails, with NULL, when memory runs out. */
void* setti_change_preserve(sett_world* world, const setti_type* type, const void* row);

/* Frees a copy made by setti_change_preserve; NULL is ignored. */
void setti_change_release(sett_world* world, const setti_type* type, void* old);

/* Returns true if a link must be preserved for callbacks before the link gets another target. */
static inline bool setti_change_keeps_link(const setti_type* type)
{
    return type->replace_observers != 0 ||
           (type->world->target_observers != 0 && type->links != NULL && type->records == NULL);
}

/* Adds required types, then the type of `part`, to an entity without the type. NULL when memory
 * runs out. */
void* setti_change_add_part(sett_world* world, setti_edit_part* part, sett_entity entity);

/* Returns the type if the world, the type and the entity allow a change; else NULL, and fails as
 * `call`. */
setti_type* setti_change_check(sett_world* world, sett_entity entity, sett_component component,
                               const char* call);

/* The slow path to the type of a write, if the type is not registered, use is profiled, or a system
 * is watched. */
setti_type* setti_change_check_access(const sett_world* world, sett_entity entity,
                                      sett_component component, const char* call);

/* Returns the type; NULL if the world is locked or the id not registered, and fails as `call`. */
setti_type* setti_change_check_type(sett_world* world, sett_component component, const char* call);

/* Returns true if calls of the program may add a type to `count` entities. */
static inline bool setti_change_may_add(const setti_type* type, uint32_t count)
{
    return (type->flags & SETTI_TYPE_LINKED) == 0 &&
           ((type->flags & SETTI_TYPE_ONE) == 0 || (type->storage.count == 0 && count == 1));
}

/* Fails with ARGUMENT: only the module of the type may add or remove the type. Links are in lists,
 * and only one entity has the tag of singletons. */
sett_status setti_change_reject_linked(sett_world* world, const setti_type* type, const char* call);

/* Reports, in debug builds, a value given for a tag; the call ignores the value. */
void setti_change_report_tag(const sett_world* world, const setti_type* type, const char* call);
static inline void setti_change_check_tag(const sett_world* world, const setti_type* type,
                                          const void* value, const char* call)
{
    if (SETTI_DEBUG && type != NULL && value != NULL && type->storage.size == 0) {
        setti_change_report_tag(world, type, call);
    }
}

/* Returns true while the entity at an index is being destroyed. */
static inline bool setti_change_is_dying(const sett_world* world, uint32_t index)
{
    const setti_entity_page* page = setti_entity_page_of(&world->entities, index);
    return page != NULL && (page->signature[index & SETTI_ENTITY_MASK] & SETTI_DYING) != 0;
}

/* A conversion of a type's storage to another kind, with reserved memory. */
typedef struct setti_conversion {
    setti_type* type;
    sett_storage_kind kind;
    setti_storage made; /* the new storage */
} setti_conversion;

/* Reserves the memory for a conversion of `type` to `kind`. No snapshot may be held, and no group
 * may own the type. False when memory runs out, with nothing reserved. */
bool setti_conversion_reserve(sett_world* world, setti_conversion* conversion, setti_type* type,
                              sett_storage_kind kind);

/* Frees the memory of a conversion instead of committing the conversion. */
void setti_conversion_drop(sett_world* world, setti_conversion* conversion);

/* Moves the values in their order to the new storage, and gives the type the new storage.
 *   first  the group that will own the type: values of group members come first; NULL: no group
 * Returns the number of group members; their values are in the order of entity indices. SETTI_NONE:
 * members were not counted. */
uint32_t setti_conversion_commit(sett_world* world, setti_conversion* conversion,
                                 const setti_listener* first);

/* Resolves SETT_STORAGE_DEFAULT in *kind for this type. Returns NULL, or why the type cannot have
 * the kind. */
const char* setti_conversion_check(const setti_type* type, sett_storage_kind* kind);

/* Converts the storage of a type to a resolved kind; `call` is for messages. */
sett_status setti_change_convert(sett_world* world, setti_type* type, sett_storage_kind kind,
                                 const char* call);

/* Converts an array to a sparse set if the program left the storage to the library. Fails for other
 * arrays, and the message names the call to convert with. */
sett_status setti_change_need_sparse_set(sett_world* world, setti_type* type, const char* call);

/* Makes all matching entities members of a new listener. False when memory runs out: then some
 * entities are members. */
bool setti_change_admit(sett_world* world, setti_listener* listener);

#endif

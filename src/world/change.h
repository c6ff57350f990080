/* change.h: the calls that make edits, as other modules see them; and their fast paths. */
#ifndef SETTI_CHANGE_H
#define SETTI_CHANGE_H

#include "world/edit.h"

/* Whether changes take their fast paths. Tests run both ways. */
#if defined(SETT_NO_FAST_PATHS)
#define SETTI_FAST_PATHS false
#else
#define SETTI_FAST_PATHS true
#endif

/* Destroys every entity, and runs hooks and callbacks. No loop is open. Needs no memory. */
void setti_change_destroy_all(sett_world* world);

/* For setti_cascade.collect: adds an entity to those that are destroyed. It will be destroyed
 * before the entity for which `collect` was called. Does nothing for an entity that was added
 * before. */
void setti_change_collect(sett_world* world, uint32_t index);

/* The `type` of setti_change_is_plain where no cascade runs but those that just unlink. */
#define SETTI_NO_CASCADE ((const setti_type*)NULL)

/* Whether destroying an entity with this signature runs no callback, only the cascades of `type`
 * and of types that just unlink, and no order of rows depends on when it is destroyed. */
bool setti_change_is_plain(const sett_world* world, uint32_t signature, const setti_type* type);

/* The fast path of sett_add for types without callbacks. Returns the value, which is not
 * initialised. NULL: nothing is done; call sett_add, which also reports failures. */
void* setti_change_try_add(sett_world* world, sett_component component, sett_entity entity);

/* Like setti_change_try_add, for a type that has links (SETTI_TYPE_LINKED). Only relationships call
 * it: they link the value before another call can read it. */
void* setti_change_try_add_link(sett_world* world, setti_type* type, sett_entity entity);

/* Like sett_set, with a value that `fill` writes in place, before callbacks run. Adds the type if
 * the entity lacks it. NULL on failure, which is reported as `call`. */
void* setti_change_put(sett_world* world, setti_type* type, sett_entity entity,
                       const setti_edit_fill* fill, const char* call);

/* Whether setti_change_add_word may add the type: it has no hooks, requires nothing, and has no
 * listener. */
bool setti_change_is_bare(const sett_world* world, const setti_type* type);

/* Adds a bare type to up to 64 entities, which do not have it: those whose bit is set, for the
 * indices from `first`, a multiple of 64, on. `values` are the entities' values, side by side;
 * NULL: zeroes. Fails as `call`, with nothing added: STALE if an index has no entity,
 * OUT_OF_MEMORY. */
bool setti_change_add_word(sett_world* world, setti_type* type, uint32_t first, uint64_t bits,
                           const unsigned char* values, const char* call);

/* Adding and removing in steps, for changes of more than one entity or type. Call
 * setti_edit_settle, then a `reserve` for each change, then, if all succeeded, its second step for
 * each, or else setti_edit_unclaim. *signature is the entity's before the change, and becomes the
 * one after it. Adding does not add the types that the type requires; removing removes the types
 * that require it first. */
bool setti_change_reserve_add(sett_world* world, setti_type* type, uint32_t index,
                              uint32_t* signature);
void* setti_change_add_reserved(sett_world* world, setti_type* type, sett_entity entity);
bool setti_change_reserve_remove(sett_world* world, setti_type* type, uint32_t index);
void setti_change_remove_reserved(sett_world* world, setti_type* type, uint32_t index);

/* Adds `first` to entity a and `second` to entity b, in this order, unless they have it: both, or,
 * when memory runs out (false), neither. The world is unlocked. `fill` writes the value of
 * `second`; NULL: zeroes. on_set does not run. */
bool setti_change_add_two(sett_world* world, setti_type* first, sett_entity a, setti_type* second,
                          sett_entity b, const setti_edit_fill* fill);

/* Reserves, and later removes, the types of a surviving entity whose values lead only to entities
 * that are destroyed. For setti_cascade.validate and .detach. */
bool setti_change_reserve_stranded(sett_world* world, uint32_t index);
void setti_change_remove_stranded(sett_world* world, uint32_t index);

/* Whether each value has the C type that its typed macro named; else that is reported as `call`. */
bool setti_change_check_values(sett_world* world, const sett_value* values, uint32_t count,
                               const char* call);

/* The slow paths of sett_entity_create and sett_entity_destroy; failures name these. */
sett_entity setti_change_create(sett_world* world);
sett_status setti_change_destroy(sett_world* world, sett_entity entity, setti_ending ending);

#define SETTI_CREATE_MOST 32 /* components of sett_create_with */

/* The slow path of sett_create_with. */
sett_entity setti_change_create_with(sett_world* world, const sett_value* values, uint32_t count);

/* Finds the transition that adds a type to a signature, and stores it in the type. False, with
 * nothing stored, if a required type has to be added, too, or a listener is concerned. */
bool setti_change_learn_added(sett_world* world, setti_type* type, uint32_t signature);

/* The fast path of setti_edit_include, for an edit with room for one part more. False, with nothing
 * done, if the entity has the type, a required type is missing, or a listener is concerned. */
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

/* The value that an added component gets is the type's own: zeroes, or what `init` writes. */
#define SETTI_NO_VALUE ((const setti_edit_part*)NULL)

/* Like setti_change_add; takes the fast path where that is possible. */
void* setti_change_add_fast(sett_world* world, setti_type* type, sett_entity entity,
                            const char* call, const setti_edit_part* given);

/* The slow paths of sett_add and sett_remove.
 *   given  the value that is added, or SETTI_NO_VALUE */
void* setti_change_add(sett_world* world, sett_entity entity, sett_component component,
                       const char* call, const setti_edit_part* given);
sett_status setti_change_remove(sett_world* world, sett_entity entity, sett_component component);

/* Copies a value's bytes for on_replace; NULL, which is reported, when memory runs out. */
void* setti_change_preserve(sett_world* world, const setti_type* type, const void* row);

/* Frees the copy; NULL is ignored. */
void setti_change_release(sett_world* world, const setti_type* type, void* old);

/* Whether a link that gets another target is preserved for callbacks. */
static inline bool setti_change_keeps_link(const setti_type* type)
{
    return type->replace_observers != 0 ||
           (type->world->target_observers != 0 && type->links != NULL && type->records == NULL);
}

/* Adds a type that the entity does not have, after the types that it requires. NULL when memory
 * runs out. */
void* setti_change_add_part(sett_world* world, setti_edit_part* part, sett_entity entity);

/* Whether the world, the type and the entity allow a change; fails as `call` otherwise. */
setti_type* setti_change_check(sett_world* world, sett_entity entity, sett_component component,
                               const char* call);

/* The slow path to the type of a write: it is not registered, use is profiled, or a system is
 * watched. */
setti_type* setti_change_check_access(const sett_world* world, sett_entity entity,
                                      sett_component component, const char* call);

/* The type; NULL, which is reported as `call`, if the world is locked or the id not registered. */
setti_type* setti_change_check_type(sett_world* world, sett_component component, const char* call);

/* Whether calls of the program may add a type to so many entities. */
static inline bool setti_change_may_add(const setti_type* type, uint32_t count)
{
    return (type->flags & SETTI_TYPE_LINKED) == 0 &&
           ((type->flags & SETTI_TYPE_ONE) == 0 || (type->storage.count == 0 && count == 1));
}

/* Fails with ARGUMENT: only functions of its module may add or remove the type. Links are in lists,
 * and only one entity has the tag of singletons. */
sett_status setti_change_reject_linked(sett_world* world, const setti_type* type, const char* call);

/* Debug builds report a value that is given for a tag; the call ignores it. */
void setti_change_report_tag(const sett_world* world, const setti_type* type, const char* call);
static inline void setti_change_check_tag(const sett_world* world, const setti_type* type,
                                          const void* value, const char* call)
{
    if (SETTI_DEBUG && type != NULL && value != NULL && type->storage.size == 0) {
        setti_change_report_tag(world, type, call);
    }
}

/* Whether the entity at an index is being destroyed. */
static inline bool setti_change_is_dying(const sett_world* world, uint32_t index)
{
    const setti_entity_page* page = setti_entity_page_of(&world->entities, index);
    return page != NULL && (page->signature[index & SETTI_ENTITY_MASK] & SETTI_DYING) != 0;
}

/* A type's storage that is about to become one of another kind: its memory is reserved. */
typedef struct setti_conversion {
    setti_type* type;
    sett_storage_kind kind;
    setti_storage made;
} setti_conversion;

/* Reserves the memory for a conversion of `type` to `kind`. No snapshot is held, and no group owns
 * the type. False when memory runs out, with nothing reserved. */
bool setti_conversion_reserve(sett_world* world, setti_conversion* conversion, setti_type* type,
                              sett_storage_kind kind);

/* Frees what was reserved for a conversion that is not committed. */
void setti_conversion_drop(sett_world* world, setti_conversion* conversion);

/* Moves the values in their order to the storage of the new kind, and makes it the type's.
 *   first  the group that will own the type: the values of its members come first; NULL: none
 * Returns how many members are in front, in the order of their indices; SETTI_NONE: they were not
 * counted. */
uint32_t setti_conversion_commit(sett_world* world, setti_conversion* conversion,
                                 const setti_listener* first);

/* Resolves SETT_STORAGE_DEFAULT for this type. Returns NULL, or why it cannot have this kind. */
const char* setti_conversion_check(const setti_type* type, sett_storage_kind* kind);

/* Converts to a resolved kind; `call` is for messages. */
sett_status setti_change_convert(sett_world* world, setti_type* type, sett_storage_kind kind,
                                 const char* call);

/* Makes sure that a type is a sparse set: converts an array if the program left its storage to the
 * library. Fails with a message that says what to call for other arrays. */
sett_status setti_change_need_sparse_set(sett_world* world, setti_type* type, const char* call);

/* Makes all entities that match members of a new listener. False when memory runs out: some of them
 * are members then. */
bool setti_change_admit(sett_world* world, setti_listener* listener);

#endif

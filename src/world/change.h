/* change.h: calls for other modules to change entities and components, and the fast paths. */
#ifndef SETTI_CHANGE_H
#define SETTI_CHANGE_H

#include "world/edit.h"

/* If this is true, changes take the fast paths where possible. */
#if defined(SETT_NO_FAST_PATHS)
#define SETTI_FAST_PATHS false
#else
#define SETTI_FAST_PATHS true
#endif

/* The slow paths of sett_find and sett_find_mut. Misuse is reported as misuse of `call`. */
const void* setti_access_find(const sett_world* world, sett_entity entity, sett_component component,
                              const char* call);
void* setti_access_find_mut(sett_world* world, sett_entity entity, sett_component component,
                            const char* call);

void setti_change_destroy_all(sett_world* world);

/* Adds an entity to the entities to destroy. Functions setti_cascade.collect call this. */
void setti_change_collect(sett_world* world, uint32_t index);

/* Passed to setti_change_is_plain if no type may cascade. */
#define SETTI_NO_CASCADE ((const setti_type*)NULL)

/* Returns true if destroying an entity with a signature only erases and unlinks values. Of the
 * types of the signature, only `type` may cascade: returns false if another does. */
bool setti_change_is_plain(const sett_world* world, uint32_t signature, const setti_type* type);

/* The fast path of sett_add, for types without hooks and callbacks. Returns the uninitialised
 * value, or NULL if the type was not added. */
void* setti_change_try_add(sett_world* world, sett_component component, sett_entity entity);

/* Like setti_change_try_add, for a link. The caller completes the link before the value is read. */
void* setti_change_try_add_link(sett_world* world, setti_type* type, sett_entity entity);

/* Like sett_set, but `fill` writes the value in place. Failures are reported as failures of
 * `call`. */
void* setti_change_put(sett_world* world, setti_type* type, sett_entity entity,
                       const setti_edit_fill* fill, const char* call);

/* Returns true if setti_change_add_word may add the type. */
bool setti_change_is_bare(const sett_world* world, const setti_type* type);

/* Adds a bare type to at most 64 entities that lack the type. Bit k of `bits` means the entity at
 * index `first` + k. `values` are packed. If `values` is NULL, the values become zeroes. Returns
 * false after an error. */
bool setti_change_add_word(sett_world* world, setti_type* type, uint32_t first, uint64_t bits,
                           const unsigned char* values, const char* call);

/* These functions add and remove in two steps, for several entities or types. Callers call
 * setti_edit_settle, then setti_change_reserve_... for each change, then setti_change_..._reserved
 * for each change. If reserving fails, callers call setti_edit_unclaim. *signature becomes the
 * signature after the change. Required types are not added. */
bool setti_change_reserve_add(sett_world* world, setti_type* type, uint32_t index,
                              uint32_t* signature);
void* setti_change_add_reserved(sett_world* world, setti_type* type, sett_entity entity);

/* These two functions also remove the types that require the type. */
bool setti_change_reserve_remove(sett_world* world, setti_type* type, uint32_t index);
void setti_change_remove_reserved(sett_world* world, setti_type* type, uint32_t index);

/* Adds `first` to entity a, then `second` to entity b. Skips a type that the entity has already.
 * `fill` writes the value of `second`. If `fill` is NULL, this value becomes zeroes. Does not run
 * on_set. Returns false if memory runs out. */
bool setti_change_add_two(sett_world* world, setti_type* first, sett_entity a, setti_type* second,
                          sett_entity b, const setti_edit_fill* fill);

/* These functions remove from a surviving entity, in two steps, each type whose links all lead to
 * entities that are being destroyed. */
bool setti_change_reserve_stranded(sett_world* world, uint32_t index);
void setti_change_remove_stranded(sett_world* world, uint32_t index);

/* Returns true if each value has the C type that the program's macro named. */
bool setti_change_check_values(sett_world* world, const sett_value* values, uint32_t count,
                               const char* call);

/* The slow paths of sett_entity_create and sett_entity_destroy. */
sett_entity setti_change_create(sett_world* world);
sett_status setti_change_destroy(sett_world* world, sett_entity entity, setti_ending ending);

/* Returns the name of the call that destroys an entity, for messages. */
static inline const char* setti_change_destroyer(const sett_world* world)
{
    /* a callback that runs meanwhile destroys entities by sett_entity_destroy */
    bool is_inner = world->destroyer != NULL && world->calling == NULL;
    return is_inner ? world->destroyer : "sett_entity_destroy";
}

#define SETTI_CREATE_MOST 32 /* most components for sett_create_with */

/* The slow path of sett_create_with. */
sett_entity setti_change_create_with(sett_world* world, const sett_value* values, uint32_t count);

/* Makes the type remember the transition that adds the type to a signature. Returns false if the
 * slow path is needed. */
bool setti_change_learn_added(sett_world* world, setti_type* type, uint32_t signature);

/* The fast path of setti_edit_include. The part gets `value`. Returns false if nothing was done. */
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

/* Passed as `given` if the component gets the default value. */
#define SETTI_NO_VALUE ((const setti_edit_part*)NULL)

/* Like setti_change_add, but takes the fast path if possible. */
void* setti_change_add_fast(sett_world* world, setti_type* type, sett_entity entity,
                            const char* call, const setti_edit_part* given);

/* The slow paths of sett_add and sett_remove.
 *   given  the added value, or SETTI_NO_VALUE */
void* setti_change_add(sett_world* world, sett_entity entity, sett_component component,
                       const char* call, const setti_edit_part* given);
sett_status setti_change_remove(sett_world* world, sett_entity entity, sett_component component);

/* Removes a type from all entities. Reports failures as `call`. */
sett_status setti_change_clear_type(sett_world* world, setti_type* type, const char* call);

/* Copies a value's bytes for on_replace. Returns NULL if memory runs out. */
void* setti_change_preserve(sett_world* world, const setti_type* type, const void* row);

void setti_change_release(sett_world* world, const setti_type* type, void* old);

/* Returns true if callbacks may read the old value of a link. */
static inline bool setti_change_keeps_link(const setti_type* type)
{
    if (type->replace_observers != 0) {
        return true;
    }
    return type->world->target_observers != 0 && type->links != NULL && type->records == NULL;
}

/* Adds missing required types, then part->type. Returns the value, or NULL if memory runs out. */
void* setti_change_add_part(sett_world* world, setti_edit_part* part, sett_entity entity);

/* Returns the type if a change is allowed. Else reports an error of `call`, and returns NULL. */
setti_type* setti_change_check(sett_world* world, sett_entity entity, sett_component component,
                               const char* call);

/* Checks that the running system may write the component. Returns the type, or NULL if the
 * component is not registered. */
setti_type* setti_change_check_access(const sett_world* world, sett_entity entity,
                                      sett_component component, const char* call);

/* Like setti_change_check, for a change of no particular entity. */
setti_type* setti_change_check_type(sett_world* world, sett_component component, const char* call);

/* Returns true if calls of the program may add a type to `count` entities. */
static inline bool setti_change_may_add(const setti_type* type, uint32_t count)
{
    if ((type->flags & SETTI_TYPE_LINKED) != 0) {
        return false;
    }
    if ((type->flags & SETTI_TYPE_ONE) == 0) {
        return true;
    }
    return type->storage.count == 0 && count == 1;
}

/* Reports that only other calls of the library add or remove the type. Returns the error. */
sett_status setti_change_reject_linked(sett_world* world, const setti_type* type, const char* call);

/* Reports a value given for a tag, in debug builds. */
void setti_change_report_tag(const sett_world* world, const setti_type* type, const char* call);
static inline void setti_change_check_tag(const sett_world* world, const setti_type* type,
                                          const void* value, const char* call)
{
    bool is_tag = type != NULL && type->storage.size == 0;
    if (SETTI_DEBUG && is_tag && value != NULL) {
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

bool setti_conversion_reserve(sett_world* world, setti_conversion* conversion, setti_type* type,
                              sett_storage_kind kind);

void setti_conversion_drop(sett_world* world, setti_conversion* conversion);

/* Moves the values to the new storage, in their order.
 *   first  the group that will own the type: the values of members come first. NULL: no group
 * Returns the number of members if the values of members are now in the order of entity indices.
 * Else returns SETTI_NONE. */
uint32_t setti_conversion_commit(sett_world* world, setti_conversion* conversion,
                                 const setti_listener* first);

/* Resolves SETT_STORAGE_DEFAULT in *kind. Returns NULL, or the reason why the type cannot have this
 * kind of storage. */
const char* setti_conversion_check(const setti_type* type, sett_storage_kind* kind);

sett_status setti_change_convert(sett_world* world, setti_type* type, sett_storage_kind kind,
                                 const char* call);

/* Like sett_component_convert. Reports failures as `call`. */
sett_status setti_component_convert(sett_world* world, sett_component component,
                                    sett_storage_kind kind, const char* call);

/* Converts an array to a sparse set. Reports an error if the program has chosen the array. */
sett_status setti_change_need_sparse_set(sett_world* world, setti_type* type, const char* call);

/* Makes all matching entities members of a new listener. If memory runs out, returns false, and
 * only some of these entities are members. */
bool setti_change_admit(sett_world* world, setti_listener* listener);

#endif

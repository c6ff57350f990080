/* change.h: calls for other modules to change entities and components, and the fast paths. */
#ifndef SETTI_CHANGE_H
#define SETTI_CHANGE_H

#include "world/edit.h"

/* True if changes take the fast paths where possible; false if they always take the slow paths. */
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

/* Adds an entity to the list of entities to destroy. The functions `collect` of setti_cascade call
 * this. */
void setti_change_collect(sett_world* world, uint32_t index);

/* Passed to setti_change_is_plain if no type may cascade. */
#define SETTI_NO_CASCADE ((const setti_type*)NULL)

/* Returns true if destroying an entity with a signature only erases and unlinks values. Returns
 * false if a type of the signature, other than `type`, cascades. */
bool setti_change_is_plain(const sett_world* world, uint32_t signature, const setti_type* type);

/* The fast path of sett_add, for types without hooks and callbacks. Returns the uninitialised
 * value, or NULL if the type was not added. */
void* setti_change_try_add(sett_world* world, sett_component component, sett_entity entity);

/* Like setti_change_try_add, for a type whose values are links. The caller writes the link before
 * the value is read. */
void* setti_change_try_add_link(sett_world* world, setti_type* type, sett_entity entity);

/* Like sett_set, but `fill` writes the value in place. Failures are reported as failures of
 * `call`. */
void* setti_change_put(sett_world* world, setti_type* type, sett_entity entity,
                       const setti_edit_fill* fill, const char* call);

/* Returns true if a type is bare: setti_change_add_word may add it. */
bool setti_change_is_bare(const sett_world* world, const setti_type* type);

/* Adds a bare type to at most 64 entities that lack the type. Returns false after an error.
 *   bits    bit k is set if the entity at index `first` + k gets the type
 *   values  the values, without gaps between them. NULL: the values become zeroes */
bool setti_change_add_word(sett_world* world, setti_type* type, uint32_t first, uint64_t bits,
                           const unsigned char* values, const char* call);

/* Functions that add and remove in two steps, for several entities or types. The caller first calls
 * setti_edit_settle. Then it calls setti_change_reserve_... for each change. Then it calls
 * setti_change_..._reserved for each change. If reserving fails, the caller calls
 * setti_edit_unclaim.
 *
 * These two add a type, but not the types that it requires. *signature is the signature before the
 * change, and becomes the signature after the change. */
bool setti_change_reserve_add(sett_world* world, setti_type* type, uint32_t index,
                              uint32_t* signature);
void* setti_change_add_reserved(sett_world* world, setti_type* type, sett_entity entity);

/* These two remove a type, and the types that require the type. */
bool setti_change_reserve_remove(sett_world* world, setti_type* type, uint32_t index);
void setti_change_remove_reserved(sett_world* world, setti_type* type, uint32_t index);

/* Adds `first` to entity a, then `second` to entity b. Skips a type that its entity has already.
 * Does not run on_set for `second`. Returns false if memory runs out.
 *   fill  writes the value of `second`. NULL: this value becomes zeroes */
bool setti_change_add_two(sett_world* world, setti_type* first, sett_entity a, setti_type* second,
                          sett_entity b, const setti_edit_fill* fill);

/* These two remove types with stranded links from a surviving entity. The links of such a type all
 * lead to entities that are being destroyed. */
bool setti_change_reserve_stranded(sett_world* world, uint32_t index);
void setti_change_remove_stranded(sett_world* world, uint32_t index);

/* Returns true if each value has the C type that the program's macro named. */
bool setti_change_check_values(sett_world* world, const sett_value* values, uint32_t count,
                               const char* call);

/* The slow paths of sett_entity_create and sett_entity_destroy. */
sett_entity setti_change_create(sett_world* world);
sett_status setti_change_destroy(sett_world* world, sett_entity entity, setti_ending ending);

/* Returns the name of the call that is destroying entities, for messages. */
static inline const char* setti_change_destroyer(const sett_world* world)
{
    /* a callback that runs meanwhile destroys entities by sett_entity_destroy */
    bool is_inner = world->destroyer != NULL && world->calling == NULL;
    return is_inner ? world->destroyer : "sett_entity_destroy";
}

#define SETTI_CREATE_MOST 32 /* the largest number of components for sett_create_with */

/* The slow path of sett_create_with. */
sett_entity setti_change_create_with(sett_world* world, const sett_value* values, uint32_t count);

/* Makes a type remember the transition from a signature by adding the type. Returns false if the
 * fast path is impossible for this signature, or if memory runs out. */
bool setti_change_learn_added(sett_world* world, setti_type* type, uint32_t signature);

/* The fast path of setti_edit_include: adds a part with the type and `value` to an edit. Returns
 * false if the slow path is needed. Then the edit is unchanged. */
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

/* Copies the bytes of a value before it is replaced, for on_replace. Returns the copy, or NULL if
 * memory runs out. */
void* setti_change_preserve(sett_world* world, const setti_type* type, const void* row);

/* Frees a copy made by setti_change_preserve. */
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

/* Returns the type if a change is allowed. Otherwise reports an error of `call`, and returns
 * NULL. */
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
    return type->storage.count == 0 && count == 1; /* at most one entity may have the type */
}

/* Reports that `call` must not add or remove the type, because other calls do this. Returns the
 * error. */
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

/* A conversion of a type's storage to another kind. Memory for it is reserved. */
typedef struct setti_conversion {
    setti_type* type;
    sett_storage_kind kind;
    setti_storage made; /* the new storage */
} setti_conversion;

/* Makes an empty new storage with room for all values of a type. Returns false if memory runs
 * out. */
bool setti_conversion_reserve(sett_world* world, setti_conversion* conversion, setti_type* type,
                              sett_storage_kind kind);

/* Frees the new storage, which is still empty. */
void setti_conversion_drop(sett_world* world, setti_conversion* conversion);

/* Moves the values to the new storage, in their order. If the values of members are now in the
 * order of entity indices, returns the number of members. Otherwise returns SETTI_NONE.
 *   group  the group that will own the type: its members' values come first. NULL: no group */
uint32_t setti_conversion_commit(sett_world* world, setti_conversion* conversion,
                                 const setti_listener* group);

/* Checks that a type can have a kind of storage. Replaces SETT_STORAGE_DEFAULT in *kind by the kind
 * that it means. Returns NULL, or the reason why the type cannot have this kind. */
const char* setti_conversion_check(const setti_type* type, sett_storage_kind* kind);

sett_status setti_change_convert(sett_world* world, setti_type* type, sett_storage_kind kind,
                                 const char* call);

/* Like sett_component_convert. Reports failures as `call`. */
sett_status setti_component_convert(sett_world* world, sett_component component,
                                    sett_storage_kind kind, const char* call);

/* Converts an array to a sparse set. Reports an error if the program has chosen the array. */
sett_status setti_change_need_sparse_set(sett_world* world, setti_type* type, const char* call);

/* Makes all matching entities members of a new listener. Returns false if memory runs out: then
 * only some of these entities are members. */
bool setti_change_admit(sett_world* world, setti_listener* listener);

#endif

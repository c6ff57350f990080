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

/* Destroys every entity, hooks included. Nothing is open. Needs no memory. */
void setti_change_destroy_all(sett_world* world);

/* Called by setti_cascade.collect: this entity is destroyed as well, before the one for which
 * `collect` was called. Skipped if it is in the list already. */
void setti_change_collect(sett_world* world, uint32_t index);

/* Whether an entity with this signature ends without callbacks, apart from unlinking and the
 * cascade of `type` (or NULL), and no order of rows depends on when it ends. */
bool setti_change_is_plain(const sett_world* world, uint32_t signature, const setti_type* type);

/* The fast path of sett_add, without callbacks. Returns the value, all of which the caller has to
 * write. NULL: nothing is done; take the slow path, which reports failures. */
void* setti_change_try_add(sett_world* world, sett_component component, sett_entity entity);

/* Like setti_change_try_add, for a type that has links (SETTI_TYPE_LINKED). Only relationships call
 * it: they link the value before another call can read it. */
void* setti_change_try_add_link(sett_world* world, setti_type* type, sett_entity entity);

/* sett_set for an entity that exists, with a value that `fill` writes in its place, so that
 * callbacks of an addition see it. NULL on failure, which is reported. */
void* setti_change_put(sett_world* world, setti_type* type, sett_entity entity,
                       const setti_edit_fill* fill, const char* call);

/* Whether setti_change_add_word may add the type: it has no hooks, requires nothing, and has no
 * listener. */
bool setti_change_is_bare(const sett_world* world, const setti_type* type);

/* Adds a bare type to entities of up to 64 neighbouring indices, which do not have it: a bit for
 * each, from `first` on, a multiple of 64. `values` are theirs, side by side; NULL: zeroes. Fails
 * as `call`: STALE (there is no entity), OUT_OF_MEMORY; then nothing was added. */
bool setti_change_add_word(sett_world* world, setti_type* type, uint32_t first, uint64_t bits,
                           const unsigned char* values, const char* call);

/* Adding and removing in steps, for changes of more than one entity or type: after
 * setti_edit_settle, `reserve_add` for each, with the entity's signature, which becomes that with
 * the type; then `add_reserved` for each, or setti_edit_unclaim. What the type requires is the
 * caller's; what requires a removed type goes before it. */
bool setti_change_reserve_add(sett_world* world, setti_type* type, uint32_t index,
                              uint32_t* signature);
void* setti_change_add_reserved(sett_world* world, setti_type* type, sett_entity entity);
bool setti_change_reserve_remove(sett_world* world, setti_type* type, uint32_t index);
void setti_change_remove_reserved(sett_world* world, setti_type* type, uint32_t index);

/* Adds a type to each of two entities where it is missing, `first` first: to both, or, when memory
 * runs out, to neither. The world is unlocked. `fill` writes the second's value, or is NULL; on_set
 * does not run. */
bool setti_change_add_two(sett_world* world, setti_type* first, sett_entity a, setti_type* second,
                          sett_entity b, const setti_edit_fill* fill);

/* Called by setti_cascade.validate and .detach for an entity that survives: reserves, and later
 * removes, all of its types whose values lead only to entities that are destroyed. */
bool setti_change_reserve_stranded(sett_world* world, uint32_t index);
void setti_change_remove_stranded(sett_world* world, uint32_t index);

/* Whether values are of the C types that the caller takes them for; else reports it. */
bool setti_change_check_values(sett_world* world, const sett_value* values, uint32_t count,
                               const char* call);

/* The slow paths of sett_entity_create and sett_entity_destroy; failures name these. */
sett_entity setti_change_create(sett_world* world);
sett_status setti_change_destroy(sett_world* world, sett_entity entity, setti_ending ending);

#define SETTI_CREATE_MOST 32 /* components of sett_create_with */

/* The slow path of sett_create_with. */
sett_entity setti_change_create_with(sett_world* world, const sett_value* values, uint32_t count);

/* Finds the transition that adds the type to a signature, and remembers it in the type, if nothing
 * else is added and no listener is concerned. False otherwise. */
bool setti_change_learn_added(sett_world* world, setti_type* type, uint32_t signature);

/* Adds a type to an edit with room for one part more, where that takes no more than a known
 * transition: it was missing, all that it requires is there, and no listener is concerned. False,
 * and nothing is done, if it takes more, or without fast paths. Equals setti_edit_include. */
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

/* setti_change_add by the fast path, where that is possible. */
void* setti_change_add_fast(sett_world* world, setti_type* type, sett_entity entity,
                            const char* call, const setti_edit_part* given);

/* The slow paths of sett_add and sett_remove. `given`: the value that is added, or NULL. */
void* setti_change_add(sett_world* world, sett_entity entity, sett_component component,
                       const char* call, const setti_edit_part* given);
sett_status setti_change_remove(sett_world* world, sett_entity entity, sett_component component);

/* Copies a value's bytes for on_replace; NULL, which is reported, when memory runs out. The second
 * function frees the copy, if any. */
void* setti_change_preserve(sett_world* world, const setti_type* type, const void* row);
void setti_change_release(sett_world* world, const setti_type* type, void* old);

/* Whether a link that is turned to another target is preserved for callbacks. */
static inline bool setti_change_keeps_link(const setti_type* type)
{
    return type->replace_observers != 0 ||
           (type->world->target_observers != 0 && type->links != NULL && type->records == NULL);
}

/* Adds a type that the entity does not have, and before it what it requires. NULL when memory runs
 * out. */
void* setti_change_add_part(sett_world* world, setti_edit_part* part, sett_entity entity);

/* Whether the world, the type and the entity allow a change; fails as `call` otherwise. */
setti_type* setti_change_check(sett_world* world, sett_entity entity, sett_component component,
                               const char* call);

/* The slow path to the type of a write: it is not registered, use is profiled, or a system is
 * watched. */
setti_type* setti_change_check_access(const sett_world* world, sett_entity entity,
                                      sett_component component, const char* call);

/* The type, if the world is unlocked and knows it. */
setti_type* setti_change_check_type(sett_world* world, sett_component component, const char* call);

/* Whether calls of the program may add a type to so many entities. */
static inline bool setti_change_may_add(const setti_type* type, uint32_t count)
{
    return (type->flags & SETTI_TYPE_LINKED) == 0 &&
           ((type->flags & SETTI_TYPE_ONE) == 0 || (type->storage.count == 0 && count == 1));
}

/* Rejects types that only their own functions add: links have places in lists, and one entity has
 * the tag of singletons. */
sett_status setti_change_reject_linked(sett_world* world, const setti_type* type, const char* call);

/* Debug builds report a value that is given for a tag; the call ignores it. */
void setti_change_report_tag(const sett_world* world, const setti_type* type, const char* call);
static inline void setti_change_check_tag(const sett_world* world, const setti_type* type,
                                          const void* value, const char* call)
{
#if !defined(NDEBUG)
    if (type != NULL && value != NULL && type->storage.size == 0) {
        setti_change_report_tag(world, type, call);
    }
#else
    (void)world;
    (void)type;
    (void)value;
    (void)call;
#endif
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

/* False when memory runs out, with nothing reserved. No snapshot is held, and no group owns it. */
bool setti_conversion_reserve(sett_world* world, setti_conversion* conversion, setti_type* type,
                              sett_storage_kind kind);
void setti_conversion_drop(sett_world* world, setti_conversion* conversion);

/* Moves the values in their order, those of `first`'s members first, as a group needs them. `first`
 * NULL: no group. Returns how many members are in front, in the order of their indices; SETTI_NONE:
 * they were not counted. */
uint32_t setti_conversion_commit(sett_world* world, setti_conversion* conversion,
                                 const setti_listener* first);

/* Resolves the kind for this type. Returns NULL, or why it cannot be stored so. */
const char* setti_conversion_check(const setti_type* type, sett_storage_kind* kind);

/* Converts to a resolved kind; `call` is for messages. */
sett_status setti_change_convert(sett_world* world, setti_type* type, sett_storage_kind kind,
                                 const char* call);

/* Converts a type whose storage was left to the library to a sparse set; fails with a message that
 * says what to call for any other array. */
sett_status setti_change_need_sparse_set(sett_world* world, setti_type* type, const char* call);

/* Makes every entity that matches already a member of a new listener. False when memory runs out,
 * with some of them members. */
bool setti_change_admit(sett_world* world, setti_listener* listener);

#endif

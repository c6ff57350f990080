/* change.h: what other modules may ask of change*.c, the one place where structure changes. */
#ifndef SETTI_CHANGE_H
#define SETTI_CHANGE_H

#include "world/world.h"

/* Destroys every entity, hooks included. Nothing is open. Needs no memory. */
void setti_change_destroy_all(sett_world* world);

/* From a type's ties, while they are asked: this entity has to go as well, before whoever was
 * asked. Passed over if it is going already. */
void setti_change_collect(sett_world* world, uint32_t index);

/* Makes sure that `more` entities with this type, which do not have it yet, can be collected with
 * those
 * that do: to be called before they are linked. False when memory runs out. */
bool setti_change_reserve_collect(sett_world* world, setti_type* type, uint32_t more);

/* Whether nobody has to be told when an entity of this signature ends, but for the ties of one
 * type, nor can tell by an order of rows in which turn it did. */
bool setti_change_is_plain(const sett_world* world, uint32_t signature, const setti_type* type);

/* sett_add where that is short and nobody is told. Returns the value, for the caller to write all
 * of it; NULL, and nothing is done: take the slow path, which says why if that fails. */
void* setti_change_try_add(sett_world* world, sett_component component, sett_entity entity);

/* What is made of an initialised value, or of the one that an entity has. */
typedef struct setti_change_fill {
    void (*write)(const struct setti_change_fill* fill, void* value);
} setti_change_fill;

/* sett_set of a value that `fill` writes in its place, of an entity that exists: who is notified of
 * an addition sees the final value already. NULL on failure, and the world says why. */
void* setti_change_put(sett_world* world, setti_type* type, sett_entity entity,
                       const setti_change_fill* fill, const char* call);

/* Makes sure that adding the type, which the entity does not have, needs no memory. */
bool setti_change_reserve(sett_world* world, setti_type* type, sett_entity entity);

/* The same in steps, for changes of more than one entity or type: after `settle`, `reserve_add` for
 * each, with the entity's signature, which becomes that with the type; then `add_reserved` in the
 * same order. Removing: what requires the type goes before it. */
void setti_change_settle(sett_world* world);
bool setti_change_reserve_add(sett_world* world, setti_type* type, uint32_t index,
                              uint32_t* signature);
void* setti_change_add_reserved(sett_world* world, setti_type* type, sett_entity entity);
bool setti_change_reserve_remove(sett_world* world, setti_type* type, uint32_t index);
void setti_change_remove_reserved(sett_world* world, setti_type* type, uint32_t index);

/* From ties, about an entity that stays: reserves, and later removes, all of its types whose values
 * lead to nothing but what goes. */
bool setti_change_reserve_stranded(sett_world* world, uint32_t index);
void setti_change_remove_stranded(sett_world* world, uint32_t index);

/* Entities created together, all with the same types. Several such creations become one that cannot
 * fail half way: settle; prepare each; reserve each, *from being the index from which it takes free
 * ones, and becoming that of the next; then create each in the same order; tell each, when all is
 * in its place; free each. What commands claim meanwhile has to lie behind: world->claim_from. */
typedef struct setti_bulk {
    const sett_component* components; /* asked for, and what they require */
    const void* const* values;        /* of each, NULL: initialised values; NULL: all of them */
    uint32_t component_count;
    uint32_t count; /* entities */
    sett_entity
        into;    /* null: entities come to be; else `count` is 1, and this one, which exists and
                         has nothing, gets it all */
    bool repeat; /* `values` point to one value each, which all entities get */
    bool linked; /* types of relationships may be among them: the caller will link */
    /* The rest is worked out; all zeroes at first. */
    setti_type_list types; /* what is added, in order */
    uint32_t signature;
    sett_entity* room;       /* for their handles, if callbacks need them and the caller does not */
    const sett_entity* made; /* their handles, once they exist; NULL: they are not needed */
    bool claimed;
} setti_bulk;

sett_status setti_bulk_prepare(sett_world* world, setti_bulk* bulk, const char* call);
sett_status setti_bulk_reserve(sett_world* world, setti_bulk* bulk, uint32_t* from);
void setti_bulk_create(sett_world* world, setti_bulk* bulk, sett_entity* out);
void setti_bulk_notify(sett_world* world, const setti_bulk* bulk);
void setti_bulk_free(sett_world* world, setti_bulk* bulk);

/* One entity that gets all of its components at once (change_bundle.c). In steps, for several that
 * refer to each other: reserve each, its index known; create each, with the signature; put; then
 * notify, when all are in their places. If reserving one fails: unclaim all. */
typedef struct setti_bundle_part {
    setti_type* type;
    const void* value; /* NULL: initialised */
    bool copies;       /* for the caller: the value comes from a prefab */
    bool quiet;        /* no on_set, though there is a value */
} setti_bundle_part;

typedef struct setti_bundle {
    setti_bundle_part* parts; /* required types before those that require them */
    uint32_t count;
    uint32_t signature; /* of all parts */
    uint32_t claimed;   /* 0 at first */
    uint32_t flags;     /* of the types, once reserved */
} setti_bundle;

bool setti_bundle_reserve(sett_world* world, setti_bundle* bundle, uint32_t index);
void setti_bundle_unclaim(setti_bundle* bundle);
void setti_bundle_put(sett_world* world, setti_bundle* bundle, uint32_t index);
void setti_bundle_notify(sett_world* world, const setti_bundle* bundle, sett_entity entity);

/* Whether values are of the C types that the caller takes them for; else reports it. */
bool setti_bundle_check(sett_world* world, const sett_value* values, uint32_t count,
                        const char* call);

/* The signature with one more type, where it takes no more than adding that to a bundle: it was
 * missing, all that it requires is there, and nothing is notified of the transition. */
bool setti_bundle_step(sett_world* world, setti_type* type, uint32_t* signature);

/* sett_entity_create_many, which fails as `call`. */
sett_status setti_bulk_run(sett_world* world, const char* call, uint32_t count,
                           const sett_component* components, uint32_t component_count,
                           const void* const* values, sett_entity* out);

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

/* Moves the values: those of `first`'s members first, in the order that they have, so that a group
 * finds them where it wants them; NULL: all as they lie. */
void setti_conversion_commit(sett_world* world, setti_conversion* conversion,
                             const setti_listener* first);

/* Resolves the kind for this type. Returns NULL, or why it cannot be stored so. */
const char* setti_conversion_check(const setti_type* type, sett_storage_kind* kind);

/* Converts to a resolved kind; `call` is for messages. */
sett_status setti_change_convert(sett_world* world, setti_type* type, sett_storage_kind kind,
                                 const char* call);

/* Converts a type whose storage was left to the library to a sparse set; fails with a message that
 * says what to call for any other array. */
sett_status setti_change_need_sparse_set(sett_world* world, setti_type* type, const char* call);

/* Frees the signatures that no entity has. */
void setti_change_reclaim_signatures(sett_world* world);

/* Forgets which transitions are plain, and all plans: listeners have come or gone. */
void setti_change_forget_transitions(sett_world* world);

/* Makes every entity that matches already a member of a new listener. False when memory runs out,
 * with some of them members. */
bool setti_change_admit(sett_world* world, setti_listener* listener);

#endif

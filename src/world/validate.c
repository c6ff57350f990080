/* validate.c: checks the invariants of each module, and the invariants between modules. Each check
 * returns NULL if the invariants hold. Otherwise the check returns what is wrong.
 *
 * Invariant of the world:  a storage has an index => the entity at the index is alive;
 *             a type without dont_fragment is in an entity's signature
 *                 <=>  the type's storage has the entity;
 *             a signature's `hooked` = number of types with removal hooks in the signature;
 *             an entity has a type => the entity has all types required by the type;
 *             at most one entity has the tag of singletons;
 *             a type without dont_fragment is not in the signatures type->added[].from, and is in
 *             the signatures type->removed[].from
 */
#include "world/world.h"

#include <stdio.h>

/* Whether the cached transitions of a type begin at valid signatures. */
static bool validate_transitions(const sett_world* world, const setti_type* type)
{
    for (uint32_t k = 0; k < SETTI_TRANSITIONS; k++) {
        uint32_t before_adding = type->added[k].from;
        uint32_t before_removing = type->removed[k].from;
        if (before_adding != SETTI_NONE &&
            setti_signature_has(&world->signatures, before_adding, type->id)) {
            return false;
        }
        if (before_removing != SETTI_NONE &&
            !setti_signature_has(&world->signatures, before_removing, type->id)) {
            return false;
        }
    }
    return true;
}

/* Checks an entity that is in the storage of a type. */
static const char* validate_owner(const sett_world* world, const setti_type* type, uint32_t index)
{
    if (sett_is_null(setti_entity_at(&world->entities, index))) {
        return "an entity that is not alive has it";
    }
    uint32_t signature = setti_entity_set_of(&world->entities, index) & ~SETTI_DYING;
    bool in_signature = setti_signature_has(&world->signatures, signature, type->id);
    bool belongs_in_signature = (type->flags & SETTI_TYPE_DONT_FRAGMENT) == 0;
    if (in_signature != belongs_in_signature) {
        return "storage and signature disagree";
    }
    for (uint32_t k = 0; k < type->required.count; k++) {
        if (!setti_storage_has(&type->required.item[k]->storage, index)) {
            return "an entity lacks a type that it requires";
        }
    }
    return NULL;
}

static const char* validate_type(const sett_world* world, const setti_type* type)
{
    const char* reason = setti_storage_validate(&type->storage);
    if (reason != NULL) {
        return reason;
    }
    if ((type->flags & SETTI_TYPE_DONT_FRAGMENT) == 0 && !validate_transitions(world, type)) {
        return "it remembers an invalid transition";
    }
    if (setti_world_type(world, type->id) != type) {
        return "the table of types does not lead back to it";
    }
    for (uint32_t event = 0; event < SETTI_EVENTS; event++) {
        bool has_flag = (type->flags & (uint32_t)SETTI_TYPE_ON_ADD << event) != 0;
        bool has_calls = type->notified[event].count != 0;
        if (has_flag != has_calls) {
            return "its flags do not say which events have callbacks";
        }
    }
    SETTI_EACH_INDEX(index, &type->storage) {
        reason = validate_owner(world, type, index);
        if (reason != NULL) {
            return reason;
        }
    }
    return NULL;
}

/* Checks that each entity has the types that are in the entity's signature. */
static const char* validate_signatures(const sett_world* world)
{
    const setti_pages* pages = &world->entities.pages;
    for (uint32_t number = 0; number < pages->count; number++) {
        const setti_entity_page* page = pages->data[number];
        if (page == NULL) {
            continue;
        }
        for (uint32_t slot = 0; slot < SETTI_ENTITY_ROWS; slot++) {
            uint32_t signature = page->signature[slot] & ~SETTI_DYING;
            if (signature == 0) {
                continue;
            }
            if (signature >= world->signatures.count) {
                return "an entity's signature is not in the table";
            }
            const setti_signature* record = &world->signatures.record[signature];
            uint32_t index = (number << SETTI_ENTITY_SHIFT) + slot;
            uint32_t hooked = 0;
            for (uint32_t k = 0; k < record->count; k++) {
                const setti_type* type = setti_world_type(world, record->types[k]);
                if (type == NULL || !setti_storage_has(&type->storage, index)) {
                    return "a signature names a type that the entity does not have";
                }
                if ((type->flags & SETTI_TYPE_REMOVE_HOOKS) != 0) {
                    hooked++;
                }
            }
            if (record->count == 0 || hooked != record->hooked) {
                return "a signature in use is empty or miscounts its hooked types";
            }
        }
    }
    return NULL;
}

/* Checks that the members of a listener are the entities that match. */
static const char* validate_listener(const sett_world* world, const setti_listener* listener)
{
    SETTI_ASSERT(listener->owned.count <= SETT_GROUP_TYPES);
    const char* reason = setti_listener_validate(listener);
    if (reason != NULL || listener->observes) {
        return reason;
    }
    uint32_t match_count = 0;
    uint32_t cursor = 0;
    uint32_t index;
    while ((index = setti_entity_next(&world->entities, &cursor)) != SETTI_NONE) {
        uint32_t signature = setti_entity_set_of(&world->entities, index) & ~SETTI_DYING;
        bool matches = setti_listener_matches(listener, &world->signatures, signature);
        if (matches) {
            match_count++;
        }
        bool is_member = setti_listener_has(listener, index);
        if (matches && !is_member) {
            return "group: an entity that matches is not a member";
        }
        if (is_member && !matches) {
            return "group: a member does not match";
        }
    }
    uint32_t member_count = listener->owned.count != 0 ? listener->length : listener->members.count;
    return member_count != match_count ? "group: it miscounts its members" : NULL;
}

/* Checks reserved rows, pinned pages, and the room for entities that are destroyed together. */
static const char* validate_reserved(const sett_world* world)
{
    uint64_t room = 1; /* world->collect_one has room for one entity */
    for (uint32_t k = 0; k < world->registered.count; k++) {
        const setti_type* type = world->registered.item[k];
        room += type->collect_room;
        if (type->claimed != 0) {
            return "rows of a type are reserved, and no edit takes them";
        }
        bool collects = type->cascade != NULL && type->cascade->collect != NULL;
        bool is_linked = (type->flags & SETTI_TYPE_LINKED) != 0;
        if (collects && is_linked && type->storage.count > type->collect_room) {
            return "more entities are linked than can be destroyed together";
        }
    }
    if (room != world->collect_room || world->collect_count != 0) {
        return "the room for entities that are destroyed together is miscounted, or in use";
    }
    return world->pool.pinned != 0 ? "the pages of storages are pinned" : NULL;
}

/* Checks types and listeners. If one is wrong, sets *where to the name of the type or listener. */
static const char* validate_named(sett_world* world, const char** where)
{
    const char* found;
    for (uint32_t k = 0; k < world->registered.count; k++) {
        *where = world->registered.item[k]->desc.name;
        found = validate_type(world, world->registered.item[k]);
        if (found != NULL) {
            return found;
        }
    }
    const setti_type* singletons = world->last_tag; /* the tag Singletons, or NULL */
    if (singletons != NULL && singletons->storage.count > 1) {
        *where = singletons->desc.name;
        return "two entities have this tag, by which singletons are found";
    }
    for (const setti_listener* listener = world->listeners; listener != NULL;
         listener = listener->next) {
        *where = listener->name;
        found = validate_listener(world, listener);
        if (found != NULL) {
            return found;
        }
    }
    for (uint32_t k = 0; k < world->registered.count; k++) {
        setti_type* type = world->registered.item[k];
        *where = type->desc.name;
        found = setti_component_validate_members(type);
        if (found == NULL && type->module != NULL && type->module->validate != NULL) {
            found = type->module->validate(world, type);
        }
        if (found != NULL) {
            return found;
        }
    }
    *where = "";
    return NULL;
}

static const char* validate_locks(const sett_world* world)
{
    uint32_t open = 0;
    for (const setti_open_loop* loop = world->open_loops; loop != NULL; loop = loop->next) {
        open += loop->count;
    }
    return world->locks < open ? "fewer locks than open loops" : NULL;
}

/* Checks the world. If a part with a name is wrong, sets *where to the name. */
static const char* validate_world(sett_world* world, const char** where)
{
    const char* found = setti_pool_validate(&world->pool);
    if (found != NULL) {
        return found;
    }
    found = setti_entity_validate(&world->entities);
    if (found != NULL) {
        return found;
    }
    found = setti_signature_validate(&world->signatures);
    if (found != NULL) {
        return found;
    }
    found = validate_reserved(world);
    if (found != NULL) {
        return found;
    }
    found = validate_signatures(world);
    if (found != NULL) {
        return found;
    }
    if (world->pool.cow == NULL && world->pool.cow_from != 0) {
        return "pages are preserved for no snapshot";
    }
    found = validate_named(world, where);
    if (found != NULL) {
        return found;
    }
    SETTI_MODULES_EACH(world, calls, validate) {
        found = calls->validate(world, where);
        if (found != NULL) {
            return found;
        }
    }
    return validate_locks(world);
}

SETTI_COLD sett_status sett_world_validate(sett_world* world, const char** reason)
{
    if (SETTI_IS_NULL(world)) {
        return SETT_STATUS_ARGUMENT;
    }
    const char* where = "";
    const char* found = validate_world(world, &where);
    const char* separator = where[0] != '\0' ? ": " : "";
    const char* text = found != NULL ? found : "";
    snprintf(world->reason, sizeof(world->reason), "%.100s%s%s", where, separator, text);
    if (reason != NULL) {
        *reason = world->reason;
    }
    return found == NULL ? SETT_OK : SETT_STATUS_INVALID;
}

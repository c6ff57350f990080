/* path.c: creates entities by path. */
#include "relation/name.h"
#include "sett/hierarchy.h"

#include <stdio.h>

/* Creates a named child of `parent`, or a root if `parent` is null. Returns null on failure. */
static sett_entity path_create(sett_world* world, sett_entity parent, const char* name,
                               const char* call)
{
    if (setti_world_check_unlocked(world, call) != SETT_OK) {
        return sett_null();
    }
    const struct setti_scope_calls* scope = world->scope_calls;
    world->scope_calls = NULL; /* the new entity becomes a child of `parent`, not of the scope */
    sett_entity entity = sett_entity_create(world);
    world->scope_calls = scope;
    if (sett_is_null(entity)) {
        return entity;
    }
    sett_status status = SETT_OK;
    if (!sett_is_null(parent)) {
        status = sett_hierarchy_attach(world, entity, parent);
    }
    if (status == SETT_OK) {
        status = setti_name_set(world, entity, name, call);
    }
    if (status != SETT_OK) {
        sett_entity_destroy(world, entity);
        return sett_null();
    }
    return entity;
}

/* Destroys the last `count` entities of a path, upwards from `last`. */
static void path_undo(sett_world* world, sett_entity last, uint32_t count)
{
    for (; count != 0; count--) {
        sett_entity parent = sett_hierarchy_parent(world, last);
        sett_entity_destroy(world, last);
        last = parent;
    }
}

/* Returns NULL, or a message about a part of a path. `below_created`: the parent was created. */
static const char* path_wrong(size_t length, bool is_up, bool below_created)
{
    if (length == 0) {
        return "has an empty name - write a name, or leave out the slash";
    }
    if (is_up && below_created) {
        return "has \"..\" after a name that does not exist yet - leave out the name and the "
               "\"..\"";
    }
    if (length > SETT_NAME_MAX) {
        return "has a name of more than 1000 bytes - shorten the name";
    }
    return NULL;
}

/* Returns the child of `parent` that a part of a path names. If there is none, creates the child
 * and increases `*created`. Returns null on failure. */
static sett_entity path_ensure_child(sett_world* world, sett_entity parent, const char* text,
                                     size_t length, uint32_t* created, const char* call)
{
    SETTI_ASSERT(length <= SETT_NAME_MAX);
    char name[SETT_NAME_MAX + 1];
    memcpy(name, text, length);
    name[length] = '\0';
    /* With a leading slash, setti_name_lookup finds a root, not a child of the scope. */
    char part[SETT_NAME_MAX + 2];
    (void)snprintf(part, sizeof(part), "%s%s", sett_is_null(parent) ? "/" : "", name);
    sett_entity child = setti_name_lookup(world, parent, part);
    if (!sett_is_null(child)) {
        return child;
    }
    child = path_create(world, parent, name, call);
    if (!sett_is_null(child)) {
        (*created)++;
    }
    return child;
}

sett_entity sett_name_ensure(sett_world* world, sett_entity from, const char* path)
{
    if (SETTI_IS_NULL(world) || SETTI_IS_NULL(path)) {
        return sett_null();
    }
    bool absolute = *path == '/';
    sett_entity entity = sett_is_null(from) ? world->scope : from;
    if (absolute) {
        entity = sett_null(); /* the next part names a root */
    }
    if (!sett_is_null(entity) && !sett_entity_valid(world, entity)) {
        setti_world_fail(world, SETT_STATUS_STALE, __func__, entity, 0);
        return sett_null();
    }
    uint32_t created = 0;
    const char* whole = path;
    if (absolute) {
        path++;
    }
    for (;; path++) { /* skips the slash after a part */
        size_t length = strcspn(path, "/");
        bool is_up = setti_name_is_up(path, length);
        const char* wrong = path_wrong(length, is_up, created != 0);
        if (wrong != NULL) {
            setti_world_fail_with(world, SETT_STATUS_ARGUMENT, "%s: the path \"%.200s\" %s",
                                  __func__, whole, wrong);
            path_undo(world, entity, created);
            return sett_null();
        }
        if (is_up) {
            entity = sett_hierarchy_parent(world, entity);
        } else {
            sett_entity child = path_ensure_child(world, entity, path, length, &created, __func__);
            if (sett_is_null(child)) {
                path_undo(world, entity, created);
                return sett_null();
            }
            entity = child;
        }
        path += length;
        if (*path == '\0') {
            return entity;
        }
    }
}

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
    sett_status status =
        !sett_is_null(parent) ? sett_hierarchy_attach(world, entity, parent) : SETT_OK;
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

/* Returns NULL, or a message about a part of a path. */
static const char* path_wrong(size_t length, bool up, bool below_created)
{
    if (length == 0) {
        return "has an empty name - write a name, or leave out the slash";
    }
    if (up && below_created) {
        return "has \"..\" after a name that does not exist yet - leave out the \"..\"";
    }
    return length > SETT_NAME_MAX ? "has a name of more than 1000 bytes - shorten the name" : NULL;
}

sett_entity sett_name_ensure(sett_world* world, sett_entity from, const char* path)
{
    if (SETTI_IS_NULL(world) || SETTI_IS_NULL(path)) {
        return sett_null();
    }
    bool absolute = *path == '/';
    sett_entity begin = sett_is_null(from) ? world->scope : from;
    sett_entity at = absolute ? sett_null() : begin; /* null: the next part names a root */
    if (!sett_is_null(at) && !sett_entity_valid(world, at)) {
        setti_world_fail(world, SETT_STATUS_STALE, __func__, at, 0);
        return sett_null();
    }
    uint32_t created = 0;
    const char* whole = path;
    if (absolute) {
        path++;
    }
    for (;; path++) {
        char name[SETT_NAME_MAX + 1];
        size_t length = strcspn(path, "/");
        bool up = setti_name_is_up(path, length);
        const char* wrong = path_wrong(length, up, created != 0);
        if (wrong != NULL) {
            setti_world_fail_with(world, SETT_STATUS_ARGUMENT, "%s: the path \"%.200s\" %s",
                                  __func__, whole, wrong);
            path_undo(world, at, created);
            return sett_null();
        }
        memcpy(name, path, length);
        name[length] = '\0';
        /* With a leading slash, setti_name_lookup finds a root, not a child of the scope. */
        char part[SETT_NAME_MAX + 2];
        (void)snprintf(part, sizeof(part), "%s%s", sett_is_null(at) ? "/" : "", name);
        sett_entity next =
            up ? sett_hierarchy_parent(world, at) : setti_name_lookup(world, at, part);
        if (sett_is_null(next) && !up) {
            next = path_create(world, at, name, __func__);
            if (sett_is_null(next)) {
                path_undo(world, at, created);
                return sett_null();
            }
            created++;
        }
        at = next;
        path += length;
        if (*path == '\0') {
            return at;
        }
    }
}

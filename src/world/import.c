/* import.c: modules of the program. A module is a function that registers types and systems. Each
 * world calls the function once.
 *
 * The workload: some dozens of modules when a program starts; modules import other modules.
 *
 * Invariant:  names in the world's list of modules are unique
 */
#include "world/world.h"

typedef struct setti_import {
    struct setti_import* next;
    bool imported; /* the module's function has returned */
    char name[];
} setti_import;

/* Returns the pointer in the list that points to the named module. The pointer is NULL if there is
 * no such module. */
static setti_import** import_find(sett_world* world, const char* name)
{
    setti_import** link = &world->imports;
    while (*link != NULL && strcmp((*link)->name, name) != 0) {
        link = &(*link)->next;
    }
    return link;
}

/* Removes the module `*link` from the list, and frees it. */
static void import_drop(sett_world* world, setti_import** link)
{
    SETTI_ASSERT(*link != NULL);
    setti_import* import = *link;
    *link = import->next;
    setti_pool_free(&world->pool, import, sizeof(*import) + strlen(import->name) + 1, 16);
}

SETTI_COLD sett_status sett_module_import(sett_world* world, const char* name,
                                          sett_module_fn register_all)
{
    if (setti_world_check_serial(world, __func__) != SETT_OK) {
        return setti_world_failure(world);
    }
    if (name == NULL || name[0] == '\0' || register_all == NULL) {
        return setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                                     "%s: `%s` is missing - pass both `name` and `register_all`",
                                     __func__, register_all == NULL ? "register_all" : "name");
    }
    setti_import* import = *import_find(world, name);
    if (import != NULL && import->imported) {
        return SETT_OK;
    }
    if (import != NULL) {
        return setti_world_fail_with(world, SETT_STATUS_CYCLE,
                                     "%s: module \"%.100s\" imports itself, perhaps through other "
                                     "modules - remove one of these imports",
                                     __func__, name);
    }
    size_t size = sizeof(*import) + strlen(name) + 1;
    import = setti_pool_alloc(&world->pool, size, 16);
    if (import == NULL) {
        return setti_world_no_memory(world, __func__);
    }
    import->next = world->imports;
    import->imported = false;
    memcpy(import->name, name, strlen(name) + 1);
    world->imports = import;
    sett_status status = register_all(world);
    import->imported = true;
    if (status != SETT_OK) {
        /* finds the module again: the modules that it has imported are first in the list */
        import_drop(world, import_find(world, import->name));
    }
    return status;
}

SETTI_COLD void sett_module_forget(sett_world* world, const char* name)
{
    if (SETTI_IS_NULL(name) || setti_world_check_serial(world, "sett_module_forget") != SETT_OK) {
        return;
    }
    setti_import** link = import_find(world, name);
    if (*link != NULL && (*link)->imported) {
        import_drop(world, link);
    }
}

/* import.c: modules of the program. A module is a function that registers types and systems, called
 * once a world.
 *
 * The workload: some dozens of modules when a program starts; modules import other modules.
 *
 * Invariant:  names in the world's list of modules are unique
 */
#include "world/world.h"

typedef struct setti_import {
    struct setti_import* next;
    bool done; /* the module's function has returned */
    char name[];
} setti_import;

/* Returns the address of the pointer to the named module in the list. If there is no such module,
 * the pointer at the returned address is NULL. */
static setti_import** import_find(sett_world* world, const char* name)
{
    setti_import** at = &world->imports;
    while (*at != NULL && strcmp((*at)->name, name) != 0) {
        at = &(*at)->next;
    }
    return at;
}

/* Removes the module to which `*at` points from the list. */
static void import_drop(sett_world* world, setti_import** at)
{
    SETTI_ASSERT(*at != NULL);
    setti_import* import = *at;
    *at = import->next;
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
    if (import != NULL && import->done) {
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
    import->done = false;
    memcpy(import->name, name, strlen(name) + 1);
    world->imports = import;
    sett_status status = register_all(world);
    import->done = true;
    if (status != SETT_OK) {
        import_drop(world, import_find(world, import->name)); /* later imports come before it */
    }
    return status;
}

SETTI_COLD void sett_module_forget(sett_world* world, const char* name)
{
    if (SETTI_IS_NULL(name) || setti_world_check_serial(world, "sett_module_forget") != SETT_OK) {
        return;
    }
    setti_import** at = import_find(world, name);
    if (*at != NULL && (*at)->done) {
        import_drop(world, at);
    }
}

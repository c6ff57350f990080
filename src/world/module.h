/* module.h: how a world holds and calls modules of higher layers.
 *
 * A module has a slot. The module's header defines the number of the slot (SETTI_SLOT_*). A module
 * may have a table of calls. world/ names no module, so programs link only modules in use.
 *
 *     world->module[slot]     the state of the module in this world; NULL until first use
 *     world->called[0 ..]     the tables of the modules in use, in order of slots
 *
 * A module's functions for one type are in setti_type: `module`, `cascade`, `codec` (component.h).
 */
#ifndef SETTI_MODULE_H
#define SETTI_MODULE_H

#include "sett/core.h"

struct setti_type;

#define SETTI_SLOTS 15

/* Each call is optional. */
typedef struct setti_module_calls {
    uint32_t slot;
    /* Frees memory outside of the pool, when the world is destroyed. */
    void (*free)(sett_world* world);
    /* Frees unused memory. */
    void (*trim)(sett_world* world);
    /* Returns NULL if all is valid. Otherwise returns what is broken, and sets *where to the name
     * of the broken query or system. */
    const char* (*validate)(sett_world* world, const char** where);
    /* Returns the name of a query, system or the like that uses a type. Returns NULL if nothing
     * uses the type. */
    const char* (*holder)(const sett_world* world, const struct setti_type* type);
    const char* kind; /* for messages about holders: "query" */
    /* Adds the module's memory and counts to the statistics. */
    void (*count)(const sett_world* world, sett_stats* stats);
    /* Updates queries after a tag that hides entities was registered. */
    void (*update)(sett_world* world);
    /* Called after the types of another world were registered in the world `into`. */
    void (*join)(sett_world* into);

    /* Returns the storage for a new type. SETT_STORAGE_DEFAULT keeps the descriptor's choice. */
    sett_storage_kind (*choose)(const sett_world* world, const char* name);
    void (*registered)(sett_world* world); /* called after a type was registered */
    /* Called before a type is freed. */
    void (*unregistered)(sett_world* world, struct setti_type* type);

    /* Updates caches before several threads read the world. */
    void (*before_jobs)(sett_world* world);
    void (*after_frame)(sett_world* world); /* called at the end of sett_progress */
    /* Returns the name of the system running on the current thread, or NULL if there is none. */
    const char* (*running)(const sett_world* world);
    /* Stores the failure of a job. */
    void (*failed)(const sett_world* world, sett_status status, const char* message);
} setti_module_calls;

/* Functions to report undeclared accesses by running systems.
 *   access  SETTI_ACCESS_* */
typedef struct setti_guard {
    /* Called at an access to the value of an entity. */
    void (*touch)(const sett_world* world, sett_entity entity, sett_component component,
                  uint32_t access, const char* call);
    /* Called at an access to the values of all entities. */
    void (*visit)(const sett_world* world, sett_component component, uint32_t access,
                  const char* call);
} setti_guard;

/* Functions of the module for names of entities. */
typedef struct setti_naming {
    bool (*has)(const sett_world* world, sett_entity entity);
    /* Whether `has` and `path` can run without allocating memory. */
    bool (*ready)(const sett_world* world);
    /* Writes the names of all ancestors and of the entity. Truncates the text like snprintf, and
     * returns the length of the whole text. */
    size_t (*path)(const sett_world* world, sett_entity entity, char* out, size_t size);
} setti_naming;

/* Adds a module's table to world->called, unless the table is there already. */
void setti_world_add_calls(sett_world* world, const setti_module_calls* calls);

/* Loops over the tables in which `call` is not NULL:
 *     SETTI_MODULES_EACH(world, calls, trim) { calls->trim(world); } */
#define SETTI_MODULES_EACH(world, calls, call)                                                     \
    for (const setti_module_calls *const *at_##calls = (world)->called, *calls;                    \
         (calls = *at_##calls) != NULL; at_##calls++)                                              \
        if (calls->call != NULL)

#endif

/* module.h: how a world holds the state of modules in higher layers, and calls their functions.
 *
 * A module has a slot, with a number from the module's header (SETTI_SLOT_*; tools/check_layers.sh
 * rejects a number that is used twice), and may have a table of calls. The world uses a module only
 * through the slot and the table: world/ names no module, so programs link only modules in use.
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
    /* Called when the world is destroyed: frees memory outside of the pool. */
    void (*free)(sett_world* world);
    /* Frees caches and unused memory, for sett_world_trim. */
    void (*trim)(sett_world* world);
    /* Returns NULL, or the broken part of the module's invariant. *where becomes the name of the
     * broken query, system or the like. */
    const char* (*validate)(sett_world* world, const char** where);
    /* The name of a query, system or the like with a pointer to the type, or NULL. */
    const char* (*holder)(const sett_world* world, const struct setti_type* type);
    const char* kind; /* of the things named by `holder`, for messages: "query" */
    /* Adds the module's memory and counts, for sett_world_stats. */
    void (*count)(const sett_world* world, sett_stats* stats);
    /* Called when a tag that hides entities is registered: updates queries. */
    void (*update)(sett_world* world);
    /* Called after another world's types were copied to `into`. */
    void (*join)(sett_world* into);

    /* The storage for the type `name`; SETT_STORAGE_DEFAULT: the storage in the descriptor. */
    sett_storage_kind (*choose)(const sett_world* world, const char* name);
    void (*registered)(sett_world* world); /* called after a type was registered */
    /* Called before a type is freed. */
    void (*unregistered)(sett_world* world, struct setti_type* type);

    /* Called before several threads read the world: updates caches. */
    void (*before_jobs)(sett_world* world);
    void (*after_frame)(sett_world* world); /* called at the end of sett_progress */
    /* The name of the system running on the current thread, or NULL. */
    const char* (*running)(const sett_world* world);
    /* Stores the failure of a job, while several jobs run. */
    void (*failed)(const sett_world* world, sett_status status, const char* message);
} setti_module_calls;

/* Functions to report undeclared accesses by running systems.
 *   access  SETTI_ACCESS_* */
typedef struct setti_guard {
    /* Called at an access to the value of an entity. */
    void (*touch)(const sett_world* world, sett_entity entity, sett_component component,
                  uint32_t access, const char* call);
    /* Called at an access to the values of all entities, also of entities of other jobs. */
    void (*visit)(const sett_world* world, sett_component component, uint32_t access,
                  const char* call);
} setti_guard;

/* Functions of the module for names of entities. */
typedef struct setti_naming {
    bool (*has)(const sett_world* world, sett_entity entity);
    /* Whether `has` and `path` can run without allocating memory. False after the state was
     * replaced, until a name is used. */
    bool (*ready)(const sett_world* world);
    /* Writes the names of the entity and of all ancestors, from the root down. Like snprintf, cuts
     * the text at `size` and returns the whole length. */
    size_t (*path)(const sett_world* world, sett_entity entity, char* out, size_t size);
} setti_naming;

/* Adds a module's table to world->called, unless the table was added before. */
void setti_world_add_calls(sett_world* world, const setti_module_calls* calls);

/* Loops over the tables in which `call` is not NULL:
 *     SETTI_MODULES_EACH(world, calls, trim) { calls->trim(world); } */
#define SETTI_MODULES_EACH(world, calls, call)                                                     \
    for (const setti_module_calls *const *at_##calls = (world)->called, *calls;                    \
         (calls = *at_##calls) != NULL; at_##calls++)                                              \
        if (calls->call != NULL)

#endif

/* module.h: modules of higher layers: the state that they hold in a world, and the functions that
 * the world calls.
 *
 * A module has a slot, whose number its header defines (SETTI_SLOT_*; tools/check_layers.sh rejects
 * a number that is used twice), and may have a table of calls. The world knows modules only by
 * these: nothing in world/ names one, and programs without a module do not link it.
 *
 *     world->module[slot]     what the module holds in this world; NULL until it is used
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
    /* Frees memory that is not the pool's, because the world is destroyed. */
    void (*free)(sett_world* world);
    /* Frees caches and unused memory, for sett_world_trim. */
    void (*trim)(sett_world* world);
    /* Returns NULL, or which part of the module's invariant does not hold; *where becomes the name
     * of the thing that breaks it. */
    const char* (*validate)(sett_world* world, const char** where);
    /* The name of a query, system or the like that uses a type between calls, or NULL. */
    const char* (*holder)(const sett_world* world, const struct setti_type* type);
    const char* kind; /* of such holders, for messages: "query" */
    /* Adds the module's memory and counts, for sett_world_stats. */
    void (*count)(const sett_world* world, sett_stats* stats);
    /* Called when a tag that hides entities is registered: looks at types and groups again. */
    void (*update)(sett_world* world);
    /* Called when `into` has got copies of another world's types. */
    void (*join)(sett_world* into);

    /* The storage for a type of this name; SETT_STORAGE_DEFAULT: as the program registers it. */
    sett_storage_kind (*choose)(const sett_world* world, const char* name);
    void (*registered)(sett_world* world); /* called after a type was registered */
    /* Called before a type is freed. */
    void (*unregistered)(sett_world* world, struct setti_type* type);

    /* Called before several threads read the world: updates caches. */
    void (*before_jobs)(sett_world* world);
    void (*after_frame)(sett_world* world); /* called at the end of sett_progress */
    /* The name of the system whose job runs on this thread, or NULL. */
    const char* (*running)(const sett_world* world);
    /* Stores the failure of a job, while jobs run side by side. */
    void (*failed)(const sett_world* world, sett_status status, const char* message);
} setti_module_calls;

/* Functions that report when a running system accesses what it did not declare.
 *   access  SETTI_ACCESS_* */
typedef struct setti_guard {
    /* Called at an access to the value of one entity. */
    void (*touch)(const sett_world* world, sett_entity entity, sett_component component,
                  uint32_t access, const char* call);
    /* Called at an access to the values of all entities, among them those of other jobs. */
    void (*visit)(const sett_world* world, sett_component component, uint32_t access,
                  const char* call);
} setti_guard;

/* Functions of the module that names entities: at most one in a world. */
typedef struct setti_naming {
    /* Whether the entity has a name. */
    bool (*has)(const sett_world* world, sett_entity entity);
    /* Whether `has` and `path` need no memory. They do after the state was replaced, until a name
     * is used. */
    bool (*ready)(const sett_world* world);
    /* Writes the names of an entity's ancestors and its own, from the root down, as snprintf does.
     * Returns the whole length. */
    size_t (*path)(const sett_world* world, sett_entity entity, char* out, size_t size);
} setti_naming;

/* Adds a table to those that are called, unless it was added before. */
void setti_world_add_calls(sett_world* world, const setti_module_calls* calls);

/* Loops over the tables that have a call:
 *     SETTI_MODULES_EACH(world, calls, trim) { calls->trim(world); } */
#define SETTI_MODULES_EACH(world, calls, call)                                                     \
    for (const setti_module_calls *const *at_##calls = (world)->called, *calls;                    \
         (calls = *at_##calls) != NULL; at_##calls++)                                              \
        if (calls->call != NULL)

#endif

/* module.h: what the modules of the layers above hold in a world, and what the world calls of them.
 *
 * A module has a slot, by a number that its header gives (SETTI_SLOT_*; tools/check_layers.sh sees
 * a number that is used twice), and may have a table of calls. The world knows modules by these
 * alone: nothing in world/ names one, and a program without a module does not link it.
 *
 *     world->module[slot]     what the module holds in this world; NULL until it is used
 *     world->called[0 ..]     the tables of the modules in use, in order of slots
 *
 * What a module adds to single types is in setti_type: `module`, `cascade`, `codec` (component.h).
 */
#ifndef SETTI_MODULE_H
#define SETTI_MODULE_H

#include "sett/core.h"

struct setti_type;

#define SETTI_SLOTS 15

/* Each call is optional. */
typedef struct setti_module_calls {
    uint32_t slot;
    /* Frees what does not lie in the pool: the world ends. */
    void (*free)(sett_world* world);
    /* Frees what only saves time: sett_world_trim. */
    void (*trim)(sett_world* world);
    /* Returns NULL, or which part of the module's invariant does not hold, and of what. */
    const char* (*validate)(sett_world* world, const char** where);
    /* The name of one that holds a type between calls, or NULL; `kind`: what it is, for
     * messages. */
    const char* (*holder)(const sett_world* world, const struct setti_type* type);
    const char* kind;
    /* Adds what the module holds: sett_world_stats. */
    void (*count)(const sett_world* world, sett_stats* stats);
    /* Looks at types and groups again: a tag that hides entities is new. */
    void (*update)(sett_world* world);
    /* `into` got copies of this world's types. */
    void (*join)(sett_world* into);

    /* How a type of this name is to be stored; DEFAULT: as it is registered. */
    sett_storage_kind (*choose)(const sett_world* world, const char* name);
    void (*registered)(sett_world* world); /* a type was registered */
    void (*unregistered)(sett_world* world, struct setti_type* type);

    /* Several threads are going to read: caches are brought up to date. */
    void (*before_jobs)(sett_world* world);
    void (*after_frame)(sett_world* world); /* sett_progress is done */
    /* The name of the system that runs on this thread; NULL if no job of one does. */
    const char* (*running)(const sett_world* world);
    /* Notes a failure of a job, while jobs run side by side. */
    void (*failed)(const sett_world* world, sett_status status, const char* message);
} setti_module_calls;

/* Reports what running systems touch and did not declare. */
typedef struct setti_guard {
    void (*touch)(const sett_world* world, sett_entity entity, sett_component component,
                  uint32_t access, const char* call);
    /* For all entities, including those that another job of the system may write. */
    void (*visit)(const sett_world* world, sett_component component, uint32_t access,
                  const char* call);
} setti_guard;

/* The module that names entities: at most one in a world. */
typedef struct setti_naming {
    bool (*has)(const sett_world* world, sett_entity entity);
    /* Whether the others need no memory: not after the state was replaced, until a name is used. */
    bool (*ready)(const sett_world* world);
    /* Writes the names from its root down, as snprintf does. Returns the whole length. */
    size_t (*path)(const sett_world* world, sett_entity entity, char* out, size_t size);
} setti_naming;

/* Puts a table among those that are called, unless it is there. */
void setti_world_add_calls(sett_world* world, const setti_module_calls* calls);

/* Loops over the tables that have a call:
 *     SETTI_MODULES_EACH(world, calls, trim) { calls->trim(world); } */
#define SETTI_MODULES_EACH(world, calls, call)                                                     \
    for (const setti_module_calls *const *at_##calls = (world)->called, *calls;                    \
         (calls = *at_##calls) != NULL; at_##calls++)                                              \
        if (calls->call != NULL)

#endif

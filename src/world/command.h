/* command.h: command buffers, for the world and for modules that record their own commands. */
#ifndef SETTI_COMMAND_H
#define SETTI_COMMAND_H

#include "world/world.h"

/* Begins recording by jobs: each of `count` buffers of this world is used by one thread, and the
 * threads may run side by side. The buffers are in the order in which they will be applied: by
 * system, then by job. Commands that they have already stay in front.
 *
 * Until setti_commands_end_jobs the world is locked and its entity table does not change, so
 * handles depend on the table alone: of the words of free bits that are not 0, job l takes the l-th
 * and then every `count`-th, and their indices upwards. Recording reads the table and writes the
 * job's own buffer; a job whose chunks are full calls the world's allocator. Other buffers cannot
 * create entities meanwhile. */
void setti_commands_begin_jobs(sett_world* world, sett_commands* const* buffers, uint32_t count);

/* Ends recording by jobs: claims the indices of the handles that they created, and unlocks the
 * world. OUT_OF_MEMORY: nothing has changed, the jobs are still open, and it has to be called
 * again. */
sett_status setti_commands_end_jobs(sett_world* world, sett_commands* const* buffers,
                                    uint32_t count);

/* A kind of command of another module.
 *   call  the payload of a command, which begins with a setti_command_call */
typedef struct setti_command_kind {
    const char* verb; /* for lists of commands: "attach" */
    /* Applies the command to an entity that exists. Does nothing, with SETT_OK, if the command no
     * longer makes sense. */
    sett_status (*apply)(sett_world* world, sett_entity entity, const void* call);
    /* Writes the text behind "<verb> entity 7:1", as snprintf does. NULL: there is none. */
    void (*print)(const sett_world* world, const void* call, char* out, size_t size);
} setti_command_kind;

/* The beginning of the payload of a command of another module. */
typedef struct setti_command_call {
    const setti_command_kind* kind;
} setti_command_call;

/* Make a buffer reject commands with LOCKED, or accept them again. */
void setti_commands_close(sett_commands* commands);
void setti_commands_open(sett_commands* commands);

/* Closes (true) or opens (false) all buffers of a world, before and after a delta is applied: the
 * delta contains the changes that the sender's callbacks made, so callbacks here must not record
 * them again. */
void setti_commands_receive(sett_world* world, bool receiving);

/* In debug builds: reports a null handle among the arguments of `call`, as the direct call does.
 * The command is recorded, and skipped when it is applied. */
SETTI_INLINE void setti_commands_check_handle(const sett_commands* commands, sett_entity entity,
                                              sett_component component, const char* call)
{
    if (SETTI_DEBUG && commands != NULL && sett_is_null(entity)) {
        setti_world_misuse(sett_commands_world(commands), SETT_STATUS_STALE, call, entity,
                           component);
    }
}

/* Records a command of another module. Returns its payload of `size` bytes, aligned to 16, which
 * the caller fills behind the setti_command_call. NULL on failure, and *status becomes its
 * status. */
void* setti_commands_call(sett_commands* commands, sett_entity entity,
                          const setti_command_kind* kind, size_t size, sett_status* status);

/* Records the creation of `count` entities, and a command about them: see setti_commands_call. NULL
 * if a creation fails: then commands that destroy the entities created so far are recorded, too. */
void* setti_commands_create_call(sett_commands* commands, const setti_command_kind* kind,
                                 size_t size, sett_entity* out, uint32_t count);

/* Frees a buffer, the world's own or another, and drops its commands. */
void setti_commands_free(sett_commands* commands);

/* Apply, or drop, the commands of all buffers, with those that are recorded meanwhile. No loop or
 * job is open. */
sett_status setti_commands_apply_all(sett_world* world);
void setti_commands_drop_all(sett_world* world);

/* Gives the chunk of an empty buffer to the world, for jobs that begin later. */
void setti_commands_release_chunks(sett_commands* commands);

/* The world's own buffer; NULL when memory runs out. */
sett_commands* setti_world_commands(sett_world* world);

/* Frees the world's chunks for jobs that begin later. */
void setti_commands_free_spares(sett_world* world);

/* The next buffer of the world, or NULL. */
const sett_commands* setti_commands_next(const sett_commands* commands);

/* Adds the memory of all buffers to *size, and their allocations to *allocations, for
 * statistics. */
void setti_commands_stats(const sett_world* world, size_t* size, uint64_t* allocations);

#endif

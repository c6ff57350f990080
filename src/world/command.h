/* command.h: command buffers, for the world and for modules with commands of their own. */
#ifndef SETTI_COMMAND_H
#define SETTI_COMMAND_H

#include "world/world.h"

/* Begins recording by jobs. Each of the `count` buffers is used by one thread; the threads may run
 * side by side. The buffers are listed in the order in which their commands will be applied: by
 * system, then by job. Commands recorded earlier stay before the new commands.
 *
 * Until setti_commands_end_jobs the world is locked and the entity table does not change, so the
 * handles of new entities depend on the table alone: of the words with free bits, job l takes the
 * l-th, and then every `count`-th word; within a word, the indices upwards. Recording reads the
 * table and writes the job's own buffer. When the chunks of a job are full, the job calls the
 * world's allocator. Other buffers cannot create entities meanwhile. */
void setti_commands_begin_jobs(sett_world* world, sett_commands* const* buffers, uint32_t count);

/* Ends recording by jobs: claims the indices of all handles that the jobs created, and unlocks the
 * world. OUT_OF_MEMORY: no index is claimed and the jobs are still open; call again later. */
sett_status setti_commands_end_jobs(sett_world* world, sett_commands* const* buffers,
                                    uint32_t count);

/* A kind of command of another module.
 *   call  the payload of a command: a setti_command_call, then data of the module */
typedef struct setti_command_kind {
    const char* verb; /* for lists of commands: "attach" */
    /* Applies the command to an existing entity. Does nothing, with SETT_OK, if the command no
     * longer makes sense. */
    sett_status (*apply)(sett_world* world, sett_entity entity, const void* call);
    /* Writes the text that follows "<verb> entity 7:1", as snprintf does. NULL: no text follows. */
    void (*print)(const sett_world* world, const void* call, char* out, size_t size);
} setti_command_kind;

/* The beginning of the payload of a command of another module. */
typedef struct setti_command_call {
    const setti_command_kind* kind;
} setti_command_call;

/* Make a buffer reject commands with LOCKED, or accept them again. */
void setti_commands_close(sett_commands* commands);
void setti_commands_open(sett_commands* commands);

/* Closes (true) or opens (false) all buffers of a world, before and after a delta is applied. The
 * delta contains the changes by callbacks of the sender, so callbacks of the receiver must not
 * record the changes again. */
void setti_commands_receive(sett_world* world, bool receiving);

/* In debug builds: reports a null handle among the arguments of `call`, as the direct call does.
 * Applying commands skips a command with a null handle. */
SETTI_INLINE void setti_commands_check_handle(const sett_commands* commands, sett_entity entity,
                                              sett_component component, const char* call)
{
    if (SETTI_DEBUG && commands != NULL && sett_is_null(entity)) {
        setti_world_misuse(sett_commands_world(commands), SETT_STATUS_STALE, call, entity,
                           component);
    }
}

/* Records a command of another module. Returns the payload of `size` bytes, aligned to 16; the
 * caller fills the bytes after the setti_command_call. Returns NULL on failure. *status becomes
 * the status. */
void* setti_commands_call(sett_commands* commands, sett_entity entity,
                          const setti_command_kind* kind, size_t size, sett_status* status);

/* Records the creation of `count` entities, then a command about the first entity, and returns the
 * payload as setti_commands_call does. Returns NULL on failure; created entities are then destroyed
 * by recorded commands. */
void* setti_commands_create_call(sett_commands* commands, const setti_command_kind* kind,
                                 size_t size, sett_entity* out, uint32_t count);

/* Drops the commands of a buffer, and frees the buffer. */
void setti_commands_free(sett_commands* commands);

/* Apply, or drop, the commands of all buffers, including commands recorded meanwhile. No loop and
 * no job may be open. */
sett_status setti_commands_apply_all(sett_world* world);
void setti_commands_drop_all(sett_world* world);

/* Gives the chunk of an empty buffer to the world, as a spare chunk for later jobs. */
void setti_commands_release_chunks(sett_commands* commands);

/* The world's own buffer; NULL when memory runs out. */
sett_commands* setti_world_commands(sett_world* world);

/* Frees the world's spare chunks. */
void setti_commands_free_spares(sett_world* world);

/* The next buffer of the world, or NULL. */
const sett_commands* setti_commands_next(const sett_commands* commands);

/* For statistics: adds the bytes of all chunks to *size, and the number of allocations to
 * *allocations. */
void setti_commands_stats(const sett_world* world, size_t* size, uint64_t* allocations);

#endif

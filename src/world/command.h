/* command.h: command buffers, for the world and for modules with commands of their own. */
#ifndef SETTI_COMMAND_H
#define SETTI_COMMAND_H

#include "world/world.h"

/* Begins recording by jobs, which may run side by side. Job k records into buffer k. The commands
 * will be applied in the order of the buffers.
 *
 * Until setti_commands_end_jobs the world is locked, and only jobs can create entities. Handles of
 * new entities depend on the entity table, not on the order in which jobs run. Of the words with
 * free bits, job k takes the k-th word, and then every `count`-th word. Within a word the indices
 * ascend. */
void setti_commands_begin_jobs(sett_world* world, sett_commands* const* buffers, uint32_t count);

/* Ends recording by jobs: claims the indices of created handles, and unlocks the world. After
 * OUT_OF_MEMORY the jobs are still open, and the caller must call this again. */
sett_status setti_commands_end_jobs(sett_world* world, sett_commands* const* buffers,
                                    uint32_t count, const char* call);

/* A kind of command of another module. `call` below is the payload of a command: a
 * setti_command_call, then data of the module. */
typedef struct setti_command_kind {
    const char* verb; /* the word for the command in messages, for example "attach" */
    /* Applies the command to a living entity. If the command no longer makes sense, this does
     * nothing and returns SETT_OK. */
    sett_status (*apply)(sett_world* world, sett_entity entity, const void* call);
    /* Writes the text that follows "<verb> entity 7:1", as snprintf does. NULL: no text follows. */
    void (*print)(const sett_world* world, const void* call, char* out, size_t size);
} setti_command_kind;

/* The beginning of the payload of a command of another module. */
typedef struct setti_command_call {
    const setti_command_kind* kind;
} setti_command_call;

/* The first function makes a buffer reject commands, the second makes it accept commands again. */
void setti_commands_close(sett_commands* commands);
void setti_commands_open(sett_commands* commands);

/* Closes all buffers of a world before a delta is applied (`receiving`), or opens them afterwards.
 * The delta already contains what callbacks would record. */
void setti_commands_receive(sett_world* world, bool receiving);

/* Reports a null handle among the arguments of `call`, in debug builds. */
SETTI_INLINE void setti_commands_check_handle(const sett_commands* commands, sett_entity entity,
                                              sett_component component, const char* call)
{
    if (SETTI_DEBUG && commands != NULL && sett_is_null(entity)) {
        setti_world_misuse(sett_commands_world(commands), SETT_STATUS_STALE, call, entity,
                           component);
    }
}

/* Records a command of another module, and sets *status. Returns the payload, or NULL after an
 * error. The caller writes the data of the module, which follows the setti_command_call.
 *   size  bytes of the payload */
void* setti_commands_call(sett_commands* commands, sett_entity entity,
                          const setti_command_kind* kind, size_t size, sett_status* status);

/* Records the creation of `count` entities, then a command about the first entity. Returns the
 * payload of the command. Returns NULL after an error, which is reported as an error of `call`. */
void* setti_commands_create_call(sett_commands* commands, const setti_command_kind* kind,
                                 size_t size, sett_entity* out, uint32_t count, const char* call);

/* Drops the commands of a buffer, and frees the buffer. */
void setti_commands_free(sett_commands* commands);

/* Applies the commands of a buffer. Reports failures as `call`. */
sett_status setti_commands_apply(sett_commands* commands, const char* call);

/* Applies the commands of all buffers, and the commands that are recorded meanwhile. */
sett_status setti_commands_apply_all(sett_world* world, const char* call);

/* Drops the commands of all buffers. */
void setti_commands_drop_all(sett_world* world);

/* Makes the chunk of an empty buffer a spare chunk of the world. Does nothing if the buffer has
 * commands or several chunks. */
void setti_commands_release_chunks(sett_commands* commands);

/* Returns the world's own buffer. Returns NULL if memory runs out. */
sett_commands* setti_world_commands(sett_world* world);

/* Frees the world's spare chunks. */
void setti_commands_free_spares(sett_world* world);

/* Returns the next buffer of the world. Returns NULL after the last buffer. */
const sett_commands* setti_commands_next(const sett_commands* commands);

/* Adds the bytes of all chunks to *size, and the number of chunk allocations to *allocations. */
void setti_commands_stats(const sett_world* world, size_t* size, uint64_t* allocations);

#endif

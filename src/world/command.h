/* command.h: command buffers, as the world sees them. */
#ifndef SETTI_COMMAND_H
#define SETTI_COMMAND_H

#include "world/world.h"

/* Jobs: buffers into which several threads record side by side, one thread at a time each. From
 * begin to merge the world is locked and its entity table stands still, so that a handle is a pure
 * function of it: of the words of 64 free bits that are not empty, job l takes the l-th and then
 * every `count`-th, and their indices upwards. Recording reads the table and writes the job's own
 * buffer only; a job whose chunks do not suffice calls the world's allocator. Until the merge no
 * other buffer can create entities.
 *
 * Begins with `count` buffers of this world, in the order in which they are going to be applied:
 * by system, then by job. What they hold from before stays in front. */
void setti_commands_begin_jobs(sett_world* world, sett_commands* const* buffers, uint32_t count);

/* Claims the indices of the handles given out, like those of other buffers, and unlocks the world.
 * OUT_OF_MEMORY: nothing happened, jobs are still open; to be called again. */
sett_status setti_commands_end_jobs(sett_world* world, sett_commands* const* buffers,
                                    uint32_t count);

/* A kind of command of another module; `call` is the payload of one. */
typedef struct setti_command_kind {
    const char* verb; /* for lists of commands */
    /* Applies it to an entity that exists; what no longer makes sense is skipped with SETT_OK. */
    sett_status (*apply)(sett_world* world, sett_entity entity, const void* call);
    /* Writes the text behind "<verb> entity 7:1", as snprintf does. NULL: there is none. */
    void (*print)(const sett_world* world, const void* call, char* out, size_t size);
} setti_command_kind;

/* The beginning of its payload. */
typedef struct setti_command_call {
    const setti_command_kind* kind;
} setti_command_call;

/* Make a buffer reject commands (LOCKED), or accept them again. It can be read all the time. */
void setti_commands_close(sett_commands* commands);
void setti_commands_open(sett_commands* commands);

/* Like setti_commands_close and setti_commands_open, for all buffers of a world, while a delta is
 * applied: the sender's deltas contain the changes that callbacks would make, which would make the
 * next delta fail. */
void setti_commands_receive(sett_world* world, bool receiving);

/* In debug builds: reports a null handle among the arguments of `call`, as the direct call does.
 * The command is recorded, and skipped when it is applied. */
SETTI_INLINE void setti_commands_check_handle(const sett_commands* commands, sett_entity entity,
                                              sett_component component, const char* call)
{
#if !defined(NDEBUG)
    if (commands != NULL && sett_is_null(entity)) {
        setti_world_misuse(sett_commands_world(commands), SETT_STATUS_STALE, call, entity,
                           component);
    }
#else
    (void)commands;
    (void)entity;
    (void)component;
    (void)call;
#endif
}

/* Records one. Returns its payload of `size` bytes, aligned to 16, for the caller to fill behind
 * the kind; NULL when it cannot be recorded, and *status says why. */
void* setti_commands_call(sett_commands* commands, sett_entity entity,
                          const setti_command_kind* kind, size_t size, sett_status* status);

/* Records the creation of `count` entities and such a command about them. NULL where
 * sett_cmd_create fails: those that were recorded are destroyed by records behind them. */
void* setti_commands_create_call(sett_commands* commands, const setti_command_kind* kind,
                                 size_t size, sett_entity* out, uint32_t count);

/* Frees a buffer, the world's own or another, and drops what it holds. */
void setti_commands_free(sett_commands* commands);

/* Apply, or drop, all commands of all buffers, new ones included. Nothing is open. */
sett_status setti_commands_apply_all(sett_world* world);
void setti_commands_drop_all(sett_world* world);

/* Leaves the chunks of a buffer that holds nothing to jobs that will begin. */
void setti_commands_rest(sett_commands* commands);

/* The world's own buffer; NULL when memory runs out. */
sett_commands* setti_world_commands(sett_world* world);

/* Frees the chunks that wait for jobs. */
void setti_commands_free_spares(sett_world* world);

/* The next buffer of the world, or NULL. */
const sett_commands* setti_commands_next(const sett_commands* commands);

/* Adds up the commands' memory and their calls for memory, for statistics. */
void setti_commands_stats(const sett_world* world, size_t* size, uint64_t* allocations);

#endif

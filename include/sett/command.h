/* command.h: changes that are recorded now and applied later. A part of core.h.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_COMMAND_H
#define SETT_COMMAND_H

#include "sett/base.h"
#include "sett/id.h"

typedef struct sett_commands sett_commands;

/* Commands are changes that are recorded now and applied later. They are for places where structure
 * is locked. A buffer stores them. Each world has its own buffer. You can create
 * more, such as one for each thread.
 *
 * These calls apply buffers, each buffer in the order of recording:
 *     sett_commands_apply                 its argument
 *     sett_progress, sett_system_run      those of systems, and the world's own
 *     sett_snapshot_take, sett_ring_take, sett_delta_apply,
 *     saves and journals (file.h)         all
 *
 * An applied command does what the immediate call does. But these commands are skipped, which is no
 * error:
 *     add       if the component is present
 *     remove    if the component is absent
 *     enable    if the component is absent
 *     any       if the entity is not alive. An entity that another buffer has reserved is not alive
 *               until that buffer is applied
 * A destroy command can also be rejected, as sett_entity_destroy. sett_world_error is then
 * REJECTED, and sett_world_message says which entity. The other commands are still applied, and
 * the call returns OK.
 *
 * sett_cmd_create and sett_cmd_create_many reserve handles. You can store a reserved handle, and
 * use it in further commands. The entity is alive after its command was applied. If the command is
 * dropped, the handle is not used again, unless an older snapshot is restored.
 *
 * Callbacks that run while a buffer is applied can record commands. The same call applies them too,
 * at the end. These commands can run callbacks again, and so on, up to 64 levels. At the next
 * level recording fails (LIMIT), and the log names the callback and the component.
 *
 * Recording allocates nothing once a buffer has its usual size.
 *
 * "Threads: as recording" means: one thread at a time for each buffer, while no thread changes
 * structure. Only systems, and the thread that owns the world, can reserve entities. */

/* Returns the buffer to record into. It depends on where you call this function:
 *     in a system's function                     the buffer of the job: context->commands
 *     in a callback, while a buffer is applied   this buffer
 *     anywhere else                              the world's own buffer
 * Call it inside the system's function. A buffer that you fetched before the system ran is the
 * world's own, which rejects commands while systems run (LOCKED). The call finds the system by the
 * current thread. A function that continues on another thread (a fiber) uses context->commands
 * instead.
 * Cost: about 50 instructions in a system, 2 elsewhere.
 * Threads: system. Since: 0.2 */
SETT_API sett_commands* sett_commands_here(sett_world* world);

/* Creates another buffer. Returns NULL when memory runs out. Threads: writer. Since: 0.1 */
SETT_API sett_commands* sett_commands_create(sett_world* world);

/* Returns the world of a buffer. Threads: any. Since: 0.2 */
SETT_API sett_world* sett_commands_world(const sett_commands* commands);

/* Frees a buffer that sett_commands_create made, and drops its commands. NULL is fine.
 * Fails: LOCKED (it is being applied, or a job records into it), ARGUMENT (the world's own).
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_commands_destroy(sett_commands* commands);

/* Applies all commands, in order.
 * Fails: LOCKED; OUT_OF_MEMORY: the command that failed, and all after it, stay in the buffer. The
 * message names the command.
 * Cost: as the changes.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_commands_apply(sett_commands* commands);

/* Drops all commands.
 * Threads: writer. Since: 0.1 */
SETT_API void sett_commands_clear(sett_commands* commands);

/* Returns the number of commands in the buffer. Threads: as recording. Since: 0.1 */
SETT_API uint32_t sett_commands_count(const sett_commands* commands);

/* Writes the commands as text, as snprintf does, one in each line:
 *
 *     1: create entity 7:1
 *     2: set "Position" of entity 7:1
 *
 * Returns the length of the whole text.
 * Cost: O(commands).
 * Threads: reader. Since: 0.1 */
SETT_API size_t sett_commands_describe(const sett_commands* commands, char* out, size_t size);

/* Reserves an entity. The entity is created when the buffer is applied.
 * Returns null on failure. Fails: LIMIT, OUT_OF_MEMORY, LOCKED (as sett_cmd_add; in a system also
 * for a buffer that is not the job's).
 * Threads: as recording (see above). Since: 0.1 */
SETT_API sett_entity sett_cmd_create(sett_commands* commands);

/* Records a call of a function, for changes that have no command of their own. The function can
 * change structure and record commands. It cannot apply commands (LOCKED).
 *   data  `size` bytes, at most 1 MB; copied, aligned to 16; NULL with 0 for none
 * Fails: as sett_cmd_add; ARGUMENT (`fn` is NULL; too many bytes). Threads: as recording.
 * Since: 0.2 */
SETT_API sett_status sett_cmd_call(sett_commands* commands,
                                   void (*fn)(sett_world* world, void* data), const void* data,
                                   size_t size);

/* These functions record the changes that sett_entity_destroy, sett_entity_forget, sett_add,
 * sett_set, sett_remove, sett_entity_clear and sett_enable make immediately. More of them are in
 * relationship.h, hierarchy.h, name.h and prefab.h.
 *   value  of sett_cmd_set: copied; NULL only for a tag
 * A stale handle is skipped when the command is applied. So is a null one, but debug builds report
 * it when the command is recorded.
 * Fails: OUT_OF_MEMORY, UNREGISTERED, ARGUMENT (sett_cmd_set: NULL), LIMIT (more than 64 levels),
 * LOCKED (the world's own buffer, while systems run; a callback of sett_delta_apply).
 * Threads: as recording. Since: 0.1 */
SETT_API sett_status sett_cmd_destroy(sett_commands* commands, sett_entity entity);
SETT_API sett_status sett_cmd_forget(sett_commands* commands, sett_entity entity);
SETT_API sett_status sett_cmd_add(sett_commands* commands, sett_entity entity,
                                  sett_component component);
SETT_API sett_status sett_cmd_set(sett_commands* commands, sett_entity entity,
                                  sett_component component, const void* value);
SETT_API sett_status sett_cmd_remove(sett_commands* commands, sett_entity entity,
                                     sett_component component);
SETT_API sett_status sett_cmd_clear(sett_commands* commands, sett_entity entity);
SETT_API sett_status sett_cmd_enable(sett_commands* commands, sett_entity entity,
                                     sett_component component, bool on);

/* Record what sett_entity_create_many, sett_entity_destroy_with and sett_component_clear do. The
 * last two find the entities when they are applied, prefabs among them.
 *   out  receives `count` reserved handles; can be NULL
 * Fails: as sett_cmd_create and sett_cmd_set. If sett_cmd_create_many fails, the commands that it
 * has recorded stay in the buffer.
 * Threads: as recording. Since: 0.2 */
SETT_API sett_status sett_cmd_create_many(sett_commands* commands, uint32_t count,
                                          const sett_component* components,
                                          uint32_t component_count, const void* const* values,
                                          sett_entity* out);
SETT_API sett_status sett_cmd_destroy_with(sett_commands* commands, sett_component component);
SETT_API sett_status sett_cmd_component_clear(sett_commands* commands, sett_component component);

#endif

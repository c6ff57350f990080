/* command.c: command buffers record changes now, and apply them later, by the functions for
 * immediate changes.
 *
 * The workload: some thousands of commands a frame, recorded in loops and applied between the
 * loops. Records follow one another in chunks. The buffer reuses the chunks: after the first frames
 * nothing is allocated. Chunks come from the allocator, not from the world's pool. So buffers of
 * several threads can record side by side. After the commands of a stage are applied, the jobs of
 * the next stage record into the same chunks. So the memory depends on the commands of one stage,
 * not on the number of jobs.
 *
 *     chunk    | header | record, payload | record, payload | ... used --> | free |
 *
 * Invariant:  count = number of records between the read position and the write position;
 *             used <= size of each chunk;
 *             the entities of unread CREATE records are claimed in the entity table, except in the
 *             buffers of open jobs
 */
#include "world/command.h"

#include "world/change.h"
#include "world/trace.h"

#include <stdio.h>

struct command_record;

/* A kind of command. Each kind is a separate constant, so that programs link only the recorded
 * kinds. */
typedef struct command_verb {
    /* name of the recording function, for example "sett_cmd_add". NULL: the command belongs to
     * another module, and the payload begins with a setti_command_call */
    const char* function;
    const char* where; /* for messages: the word between component and entity; "": no component */
    /* Applies a command. After OUT_OF_MEMORY the command stays in the buffer. */
    sett_status (*apply)(sett_commands* commands, const struct command_record* record);
} command_verb;

typedef struct command_record {
    const command_verb* verb;
    /* 0, or 1 + the depth of the applied command whose callback recorded this command */
    uint32_t depth;
    sett_component component; /* 0: a command without a component */
    sett_entity entity;
    uint32_t payload; /* offset of the payload in the chunk; 0: no payload */
    uint32_t end;     /* offset of the next record */
} command_record;

typedef struct command_chunk {
    struct command_chunk* next;
    size_t size; /* bytes, including this header */
    size_t used; /* bytes, including this header */
} command_chunk;

struct sett_commands {
    sett_world* world;
    sett_commands* next;
    sett_commands* previous;
    command_chunk* first;
    command_chunk* write;  /* new records are added to this chunk; later chunks are empty */
    command_chunk* read;   /* the chunk of the next record to apply */
    size_t read_offset;    /* the offset of the next record to apply */
    uint32_t count;        /* number of records */
    bool closed;           /* rejects records: `write` is NULL */
    command_chunk* reopen; /* the value of `write` before the buffer was closed */
    size_t memory;         /* bytes of all chunks */
    uint64_t allocations;  /* number of chunks allocated so far */
    struct {
        uint32_t count;       /* number of jobs that record side by side; 0: no job records here */
        uint32_t number;      /* number of this job */
        uint32_t word;        /* new entities take indices of this word of the entity table */
        uint64_t bits;        /* unused free bits of the word; 0: take the next word */
        uint32_t created;     /* number of handles created by the job */
        command_chunk* chunk; /* has the job's first record; NULL: the first chunk of the buffer */
        size_t offset;        /* the offset of the job's first record */
        sett_status error;    /* the error of the latest failed creation */
        const char* call;     /* the call of the latest failed creation */
    } job;
};

#define COMMAND_DATA_MAX ((size_t)1 << 20) /* bytes of data of sett_cmd_call */
#define CHUNK_SIZE ((size_t)16 << 10)
#define CHUNK_ALIGN 64
/* The offset of the first record: records begin at multiples of 16 bytes. */
#define CHUNK_HEADER ((sizeof(command_chunk) + 15) & ~(size_t)15)

static sett_commands* commands_make(sett_world* world, const char* call)
{
    sett_commands* commands = setti_world_alloc(world, sizeof(*commands), 16, call);
    if (commands == NULL) {
        return NULL;
    }
    commands->world = world;
    commands->closed = world->receiving;
    SETTI_LIST_ADD(world->all_commands, commands);
    return commands;
}

sett_commands* sett_commands_create(sett_world* world)
{
    if (setti_world_check_serial(world, __func__) != SETT_OK) {
        return NULL;
    }
    return commands_make(world, __func__);
}

void setti_commands_close(sett_commands* commands)
{
    SETTI_ASSERT(!commands->closed);
    commands->closed = true;
    commands->reopen = commands->write;
    commands->write = NULL;
}

void setti_commands_open(sett_commands* commands)
{
    SETTI_ASSERT(commands->closed && commands->write == NULL);
    commands->closed = false;
    commands->write = commands->reopen;
}

void setti_commands_receive(sett_world* world, bool receiving)
{
    SETTI_ASSERT(world->receiving != receiving);
    world->receiving = receiving;
    for (sett_commands* commands = world->all_commands; commands != NULL;
         commands = commands->next) {
        if (receiving) {
            setti_commands_close(commands);
        } else {
            setti_commands_open(commands);
        }
    }
}

sett_commands* setti_world_commands(sett_world* world)
{
    if (world->commands == NULL) {
        world->commands = commands_make(world, "sett_commands_here");
    }
    return world->commands;
}

static command_record* command_at(command_chunk* chunk, size_t offset)
{
    SETTI_ASSERT(offset >= CHUNK_HEADER && offset < chunk->size);
    return (command_record*)(void*)((unsigned char*)chunk + offset);
}

SETTI_INLINE void* command_payload(command_chunk* chunk, const command_record* record)
{
    SETTI_ASSERT(record->payload != 0);
    return (unsigned char*)chunk + record->payload;
}

/* Returns the record at a position, and advances the position. Returns NULL at the end. */
static const command_record* command_next(command_chunk** chunk, size_t* offset)
{
    while (*chunk != NULL && *offset >= (*chunk)->used) {
        *chunk = (*chunk)->next;
        *offset = CHUNK_HEADER;
    }
    if (*chunk == NULL) {
        return NULL;
    }
    const command_record* record = command_at(*chunk, *offset);
    *offset = record->end;
    return record;
}

/* Returns the next record to apply. Returns NULL if the buffer is empty. */
static command_record* commands_peek(sett_commands* commands)
{
    if (commands->count == 0) {
        return NULL;
    }
    SETTI_ASSERT(commands->read != NULL);
    while (commands->read_offset >= commands->read->used) {
        commands->read = commands->read->next;
        commands->read_offset = CHUNK_HEADER;
    }
    return command_at(commands->read, commands->read_offset);
}

/* Moves the read position past a record. All chunks become empty after the last record. */
static void commands_advance(sett_commands* commands, const command_record* record)
{
    SETTI_ASSERT(commands->count != 0 && record->end > commands->read_offset);
    commands->read_offset = record->end;
    commands->count--;
    if (commands->count == 0) {
        for (command_chunk* chunk = commands->first; chunk != NULL; chunk = chunk->next) {
            chunk->used = CHUNK_HEADER;
        }
        commands->write = commands->first;
        commands->read = commands->first;
        commands->read_offset = CHUNK_HEADER;
    }
}

/* Ends the recorded value of a command, if the command has a value. */
static void command_deinit(sett_commands* commands, const command_record* record)
{
    const setti_type* type = setti_world_type(commands->world, record->component);
    if (record->payload != 0 && type != NULL) {
        setti_type_deinit_values(type, command_payload(commands->read, record), 1);
    }
}

static sett_status command_apply_create(sett_commands* commands, const command_record* record)
{
    sett_world* world = commands->world;
    setti_entity_create_claimed(&world->pool, &world->entities, record->entity.index);
    setti_edit_notify_begun(world, record->entity);
    return SETT_OK;
}

static const command_verb command_create = {"sett_cmd_create", "", command_apply_create};

/* Removes all commands from a buffer, without applying them. */
static void commands_drop(sett_commands* commands)
{
    sett_world* world = commands->world;
    command_record* record;
    while ((record = commands_peek(commands)) != NULL) {
        /* indices of an open job are not claimed yet */
        if (record->verb == &command_create && commands->job.count == 0) {
            const uint32_t index = record->entity.index;
            SETTI_ASSERT(setti_entity_is_claimed(&world->entities, index));
            /* the entity is created, because only this ends the claim */
            setti_entity_create_claimed(&world->pool, &world->entities, index);
            setti_entity_destroy(&world->pool, &world->entities, index);
        }
        command_deinit(commands, record);
        commands_advance(commands, record);
    }
}

/* Returns the name of the running system, or "?". */
static const char* commands_system(const sett_world* world)
{
    if (world->running == NULL) {
        return "?";
    }
    return setti_world_running(world);
}

/* Reports that the buffer is closed. Returns the error.
 *   what  the beginning of the message: the program's call, or the command as text */
SETTI_COLD static sett_status commands_fail_closed(const sett_commands* commands, const char* what)
{
    sett_world* world = commands->world;
    if (world->receiving) {
        return setti_world_fail_with(
            world, SETT_STATUS_LOCKED,
            "%s: a callback of \"%.100s\" uses a command buffer while a delta, "
            "a selection or an undo step is applied - use none then: the "
            "applied changes contain the effects of commands",
            what, world->calling != NULL ? world->calling : "?");
    }
    return setti_world_fail_with(world, SETT_STATUS_LOCKED,
                                 "%s: the world's own buffer is closed while system \"%.200s\" "
                                 "runs - record into sett_commands_here(world) or "
                                 "context->commands",
                                 what, commands_system(world));
}

/* Checks that a buffer may be cleared or destroyed now. */
static sett_status commands_check_idle(sett_commands* commands, const char* call)
{
    sett_world* world = commands->world;
    if (commands->job.count != 0) {
        /* no setti_world_fail_with: a job must not write the world's error */
        if (SETTI_DEBUG) {
            setti_world_misuse_with(
                world, SETT_STATUS_LOCKED,
                "%s: system \"%.200s\" records into this buffer - make this call between frames",
                call, commands_system(world));
        }
        return SETT_STATUS_LOCKED;
    }
    if (commands->closed) {
        return commands_fail_closed(commands, call);
    }
    if (commands == world->applying) {
        return setti_world_fail_with(world, SETT_STATUS_LOCKED,
                                     "%s: the buffer is being applied - make this call after %s "
                                     "has returned",
                                     call, world->applier);
    }
    return setti_world_check_serial(world, call);
}

void sett_commands_clear(sett_commands* commands)
{
    if (!SETTI_IS_NULL(commands) && commands_check_idle(commands, __func__) == SETT_OK) {
        commands_drop(commands);
    }
}

static void chunks_free(const sett_allocator* allocator, command_chunk* chunk)
{
    while (chunk != NULL) {
        command_chunk* next = chunk->next;
        allocator->free_fn(allocator->user, chunk, chunk->size, CHUNK_ALIGN);
        chunk = next;
    }
}

void setti_commands_free_spares(sett_world* world)
{
    chunks_free(&world->pool.allocator, world->spare_chunks);
    world->spare_chunks = NULL;
}

void setti_commands_free(sett_commands* commands)
{
    SETTI_ASSERT(commands != commands->world->applying);
    sett_world* world = commands->world;
    commands_drop(commands);
    chunks_free(&world->pool.allocator, commands->first);
    SETTI_LIST_REMOVE(world->all_commands, commands);
    if (world->commands == commands) {
        world->commands = NULL;
    }
    setti_pool_free(&world->pool, commands, sizeof(*commands), 16);
}

sett_status sett_commands_destroy(sett_commands* commands)
{
    if (commands == NULL) {
        return SETT_OK;
    }
    sett_world* world = commands->world;
    if (commands == world->commands) {
        return setti_world_fail_with(
            world, SETT_STATUS_ARGUMENT,
            "%s: this is the world's own buffer, which ends with the world - call "
            "sett_commands_clear to empty it",
            __func__);
    }
    sett_status status = commands_check_idle(commands, __func__);
    if (status == SETT_OK) {
        setti_commands_free(commands);
    }
    return status;
}

const sett_commands* setti_commands_next(const sett_commands* commands)
{
    return commands->next;
}

uint32_t sett_commands_count(const sett_commands* commands)
{
    if (SETTI_IS_NULL(commands)) {
        return 0;
    }
    return commands->count;
}

/* ---------------------------------------------------------------------------------------- words */

#define COMMAND_TEXT_SIZE 192

/* Writes a command as text, for example: add "Position" to entity 7:1
 *   word  the name of the command, for example "add" */
static void command_print(const sett_world* world, char out[COMMAND_TEXT_SIZE],
                          const command_verb* verb, const char* word, sett_entity entity,
                          sett_component component)
{
    const setti_type* type = setti_world_type(world, component);
    setti_writer writer = setti_writer_begin(out, COMMAND_TEXT_SIZE);
    setti_writer_add(&writer, "%s", word);
    if (type != NULL) { /* NULL: a command without a component */
        setti_writer_add(&writer, " \"%.100s\" %s", type->desc.name, verb->where);
    }
    if (type != NULL || !sett_is_null(entity)) {
        setti_writer_add(&writer, " entity %u:%u", SETTI_HANDLE(entity));
    }
}

/* Returns the word for a command in messages, for example "add" for sett_cmd_add. */
static const char* command_word(const command_verb* verb)
{
    SETTI_ASSERT(verb->function != NULL);
    return verb->function + strlen("sett_cmd_");
}

SETTI_COLD static void command_print_record(const sett_world* world, char out[COMMAND_TEXT_SIZE],
                                            command_chunk* chunk, const command_record* record)
{
    const setti_command_call* call = NULL; /* stays NULL for a command of this file */
    if (record->verb->function == NULL) {
        call = command_payload(chunk, record);
    }
    const char* word;
    if (call != NULL) {
        word = call->kind->verb;
    } else {
        word = command_word(record->verb);
    }
    command_print(world, out, record->verb, word, record->entity, record->component);
    if (call != NULL && call->kind->print != NULL) {
        size_t length = strlen(out); /* the module's text follows */
        call->kind->print(world, call, out + length, COMMAND_TEXT_SIZE - length);
    }
}

SETTI_COLD size_t sett_commands_describe(const sett_commands* commands, char* out, size_t size)
{
    setti_writer writer = setti_writer_begin(out, size);
    if (SETTI_IS_NULL(commands)) {
        return 0;
    }
    command_chunk* chunk = commands->read;
    size_t offset = commands->read_offset;
    for (uint32_t number = 1; number <= commands->count; number++) {
        char what[COMMAND_TEXT_SIZE];
        const command_record* record = command_next(&chunk, &offset);
        command_print_record(commands->world, what, chunk, record);
        setti_writer_add(&writer, "%u: %s\n", (unsigned)number, what);
    }
    return writer.length;
}

void setti_commands_stats(const sett_world* world, size_t* size, uint64_t* allocations)
{
    for (const sett_commands* commands = world->all_commands; commands != NULL;
         commands = commands->next) {
        *size += commands->memory;
        *allocations += commands->allocations;
    }
    for (const command_chunk* chunk = world->spare_chunks; chunk != NULL; chunk = chunk->next) {
        *size += chunk->size;
    }
}

/* ------------------------------------------------------------------------------------ recording */

static command_chunk* chunk_create(sett_commands* commands, size_t size)
{
    SETTI_ASSERT(size > CHUNK_HEADER);
    const sett_allocator* allocator = &commands->world->pool.allocator;
    command_chunk* chunk = allocator->alloc_fn(allocator->user, size, CHUNK_ALIGN);
    if (chunk != NULL) {
        chunk->size = size;
        commands->allocations++;
    }
    return chunk;
}

/* Adds an empty chunk behind the last chunk of a buffer. New records go to this chunk. */
static void commands_append_chunk(sett_commands* commands, command_chunk* chunk)
{
    SETTI_ASSERT(chunk->size > CHUNK_HEADER);
    SETTI_ASSERT(!commands->closed && (commands->write == NULL || commands->write->next == NULL));
    chunk->next = NULL;
    chunk->used = CHUNK_HEADER;
    commands->memory += chunk->size;
    if (commands->write == NULL) {
        commands->first = chunk;
        commands->read = chunk;
        commands->read_offset = CHUNK_HEADER;
    } else {
        commands->write->next = chunk;
    }
    commands->write = chunk;
}

/* Moves `write` to a chunk with room for `need` bytes. Returns false if the buffer is closed, or if
 * memory runs out. */
static bool commands_grow(sett_commands* commands, size_t need)
{
    if (commands->closed) {
        return false;
    }
    /* chunks after `write` are empty, but may be too small */
    while (commands->write != NULL && commands->write->next != NULL) {
        commands->write = commands->write->next;
        if (commands->write->size - commands->write->used >= need) {
            return true;
        }
    }
    command_chunk* chunk = chunk_create(commands, SETTI_MAX(CHUNK_SIZE, CHUNK_HEADER + need));
    if (chunk == NULL) {
        return false;
    }
    commands_append_chunk(commands, chunk);
    return true;
}

/* Returns how many bytes a record with a value of `size` bytes takes at most. */
static size_t command_need(size_t size, size_t align)
{
    SETTI_ASSERT(align != 0 && (align & (align - 1)) == 0);
    size_t padding = size != 0 ? align : 0;              /* before the value */
    return sizeof(command_record) + padding + size + 16; /* records are rounded up to 16 bytes */
}

SETTI_INLINE bool commands_have_room(const sett_commands* commands, size_t need)
{
    const command_chunk* chunk = commands->write;
    return chunk != NULL && chunk->size - chunk->used >= need;
}

static bool commands_reserve(sett_commands* commands, size_t need)
{
    return commands_have_room(commands, need) || commands_grow(commands, need);
}

/* Appends a record. The caller has made room by commands_reserve. The caller writes the value. */
SETTI_INLINE command_record* commands_put(sett_commands* commands, const command_verb* verb,
                                          sett_entity entity, sett_component component, size_t size,
                                          size_t align)
{
    SETTI_ASSERT(commands->write != NULL &&
                 commands->write->size - commands->write->used >= command_need(size, align));
    command_chunk* chunk = commands->write;
    size_t offset = chunk->used;
    size_t payload = 0;
    size_t end = offset + sizeof(command_record);
    if (size != 0) {
        /* the address is aligned, and `payload` is the offset of this address in the chunk */
        payload = setti_align_up((uintptr_t)chunk + end, align) - (uintptr_t)chunk;
        end = payload + size;
    }
    end = setti_align_up(end, 16); /* the next record begins here */
    command_record* record = command_at(chunk, offset);
    record->verb = verb;
    record->depth = commands->world->command_depth;
    record->component = component;
    record->entity = entity;
    SETTI_ASSERT(end <= UINT32_MAX);
    record->payload = (uint32_t)payload;
    record->end = (uint32_t)end;
    chunk->used = end;
    SETTI_ASSERT(end <= chunk->size);
    commands->count++;
    return record;
}

/* Makes room, and appends a record. Returns NULL if the buffer is closed, or if memory runs out. */
static command_record* commands_append(sett_commands* commands, const command_verb* verb,
                                       sett_entity entity, sett_component component, size_t size,
                                       size_t align)
{
    if (commands_reserve(commands, command_need(size, align))) {
        return commands_put(commands, verb, entity, component, size, align);
    }
    return NULL;
}

/* Whether this is too deep inside of callbacks that ran because commands were applied. */
static bool commands_are_too_deep(const sett_commands* commands)
{
    return commands->world->command_depth > SETTI_EVENT_DEPTH;
}

/* Returns the reason why a record was not appended. Reports the reason, unless memory ran out.
 *   word  the name of the command, for messages */
SETTI_COLD static sett_status commands_fail_append(const sett_commands* commands,
                                                   const command_verb* verb, const char* word,
                                                   sett_entity entity, sett_component component)
{
    sett_world* world = commands->world;
    bool too_deep = commands_are_too_deep(commands);
    char what[COMMAND_TEXT_SIZE];
    if (!too_deep && !commands->closed) { /* the only other reason */
        return SETT_STATUS_OUT_OF_MEMORY;
    }
    command_print(world, what, verb, word, entity, component);
    if (!too_deep) {
        return commands_fail_closed(commands, what);
    }
    setti_world_fail_with(
        world, SETT_STATUS_LIMIT,
        "%s: a callback of \"%.100s\" records a command inside %u nested callbacks of commands, "
        "which is the limit - end the circle of callbacks that record commands for each other",
        what, world->calling != NULL ? world->calling : "?", (unsigned)SETTI_EVENT_DEPTH);
    if (!world->depth_logged) { /* one message each time a buffer is applied */
        setti_world_log(world, SETT_LOG_ERROR, "%s", world->message);
    }
    world->depth_logged = true;
    return SETT_STATUS_LIMIT;
}

/* Appends a record, and sets *status. Returns NULL after an error.
 *   word  the name of the command, for messages */
SETTI_INLINE command_record* commands_begin(sett_commands* commands, const command_verb* verb,
                                            const char* word, sett_entity entity,
                                            sett_component component, size_t size, size_t align,
                                            sett_status* status)
{
    command_record* record = NULL;
    if (SETTI_LIKELY(!commands_are_too_deep(commands))) {
        record = commands_append(commands, verb, entity, component, size, align);
    }
    if (SETTI_UNLIKELY(record == NULL)) {
        *status = commands_fail_append(commands, verb, word, entity, component);
        return NULL;
    }
    *status = SETT_OK;
    return record;
}

SETTI_COLD static sett_status commands_fail_unregistered(const sett_commands* commands,
                                                         const char* call, sett_entity entity,
                                                         sett_component component)
{
    setti_world_misuse(commands->world, SETT_STATUS_UNREGISTERED, call, entity, component);
    return SETT_STATUS_UNREGISTERED;
}

/* The slow path of commands_record, for a chunk without room for the record. */
SETTI_APART static sett_status commands_record_slow(sett_commands* commands,
                                                    const command_verb* verb, sett_entity entity,
                                                    sett_component component)
{
    if (commands_append(commands, verb, entity, component, 0, 1) == NULL) {
        return commands_fail_append(commands, verb, command_word(verb), entity, component);
    }
    return SETT_OK;
}

/* Records a command without a value. */
static sett_status commands_record(sett_commands* commands, const command_verb* verb,
                                   sett_entity entity, sett_component component)
{
    SETTI_ASSERT(verb->function != NULL && verb->apply != NULL);
    if (setti_is_null(commands, verb->function, "commands")) {
        return SETT_STATUS_ARGUMENT;
    }
    /* if the verb concerns a component, even component 0 is looked up, and rejected */
    bool needs_type = component != 0 || verb->where[0] != '\0';
    if (needs_type && setti_world_type(commands->world, component) == NULL) {
        return commands_fail_unregistered(commands, verb->function, entity, component);
    }
    if (SETTI_UNLIKELY(commands_are_too_deep(commands))) {
        return commands_fail_append(commands, verb, command_word(verb), entity, component);
    }
    if (SETTI_UNLIKELY(!commands_have_room(commands, command_need(0, 1)))) {
        return commands_record_slow(commands, verb, entity, component);
    }
    (void)commands_put(commands, verb, entity, component, 0, 1);
    return SETT_OK;
}

/* Chooses the word of free bits for the job's next creations. */
static void job_next_word(sett_commands* commands)
{
    SETTI_ASSERT(commands->job.count != 0);
    const setti_entity_table* table = &commands->world->entities;
    /* of the words with free bits, job k first takes the k-th word; other jobs take those before */
    uint32_t first_word = table->hint;
    uint32_t skip = commands->job.number; /* number of words that other jobs take */
    /* later, each other job takes one word between two words of this job */
    if (commands->job.created != 0) {
        first_word = commands->job.word + 1;
        skip = commands->job.count - 1;
    }
    commands->job.word = setti_entity_skip_words(table, first_word, skip);
    commands->job.bits = setti_entity_free_bits(table, commands->job.word);
}

/* Stores the failure of a creation: setti_commands_end_jobs will report it. Returns null. */
SETTI_COLD static sett_entity job_fail(sett_commands* commands, sett_status status,
                                       const char* call)
{
    commands->job.error = status;
    commands->job.call = call;
    return sett_null();
}

/* Like commands_create, for the buffer of a job. The index is the lowest free bit of the job's
 * word. It is claimed when the jobs end. */
static sett_entity commands_create_in_job(sett_commands* commands, const char* call)
{
    SETTI_ASSERT(commands->job.count == commands->world->open_jobs);
    const setti_entity_table* table = &commands->world->entities;
    if (commands->job.bits == 0) {
        job_next_word(commands);
    }
    uint64_t index = (uint64_t)commands->job.word * 64 + setti_bits_lowest(commands->job.bits);
    if (index >= setti_entity_end(table)) { /* no word has free bits */
        return job_fail(commands, SETT_STATUS_LIMIT, call);
    }
    sett_entity entity = setti_entity_upcoming(table, (uint32_t)index);
    if (commands_append(commands, &command_create, entity, 0, 0, 1) == NULL) {
        return job_fail(commands, SETT_STATUS_OUT_OF_MEMORY, call);
    }
    commands->job.bits &= commands->job.bits - 1; /* clears the lowest bit, which is taken */
    commands->job.created++;
    return entity;
}

/* Reports that a buffer cannot create entities: only buffers of jobs can while systems run. */
SETTI_COLD static void commands_fail_foreign(sett_world* world, const char* call)
{
    SETTI_ASSERT(world->open_jobs != 0);
    if (world->running == NULL) { /* memory ran out at the end of a stage */
        (void)setti_world_check_unlocked(world, call);
        return;
    }
    setti_world_fail_with(world, SETT_STATUS_LOCKED,
                          "%s: system \"%.200s\" is running, and this is not its buffer - record "
                          "into sett_commands_here(world) or context->commands",
                          call, setti_world_running(world));
}

/* Records the creation of an entity, and claims an index for the entity. Returns null after an
 * error. */
static sett_entity commands_create(sett_commands* commands, const char* call)
{
    sett_world* world = commands->world;
    if (commands->job.count != 0) {
        return commands_create_in_job(commands, call);
    }
    if (commands->closed) {
        commands_fail_closed(commands, call);
        return sett_null();
    }
    if (world->open_jobs != 0) {
        commands_fail_foreign(world, call);
        return sett_null();
    }
    setti_world_check_owner(world, call);
    if (commands_are_too_deep(commands)) {
        commands_fail_append(commands, &command_create, call, sett_null(), 0);
        return sett_null();
    }
    uint32_t index = setti_entity_next_free(
        &world->entities, SETTI_MAX(world->claim_from, setti_entity_hint_index(&world->entities)));
    sett_status status = SETT_STATUS_LIMIT; /* no index is free */
    if (index != SETTI_NONE) {
        status = setti_entity_reserve_index(&world->pool, &world->entities, index);
    }
    command_record* record = NULL;
    if (status == SETT_OK) {
        record = commands_append(commands, &command_create, sett_null(), 0, 0, 1);
        if (record == NULL) {
            status = SETT_STATUS_OUT_OF_MEMORY;
        }
    }
    if (status != SETT_OK) {
        setti_world_fail(world, status, call, sett_null(), 0);
        return sett_null();
    }
    record->entity = setti_entity_claim(&world->pool, &world->entities, index);
    return record->entity;
}

sett_entity sett_cmd_create(sett_commands* commands)
{
    if (SETTI_IS_NULL(commands)) {
        return sett_null();
    }
    return commands_create(commands, __func__);
}

static sett_status command_apply_destroy(sett_commands* commands, const command_record* record)
{
    return sett_entity_destroy(commands->world, record->entity);
}

static const command_verb command_destroy = {"sett_cmd_destroy", "", command_apply_destroy};

sett_status sett_cmd_destroy(sett_commands* commands, sett_entity entity)
{
    return commands_record(commands, &command_destroy, entity, 0);
}

static sett_status command_apply_forget(sett_commands* commands, const command_record* record)
{
    return sett_entity_forget(commands->world, record->entity);
}

static const command_verb command_forget = {"sett_cmd_forget", "", command_apply_forget};

sett_status sett_cmd_forget(sett_commands* commands, sett_entity entity)
{
    return commands_record(commands, &command_forget, entity, 0);
}

static sett_status command_apply_add(sett_commands* commands, const command_record* record)
{
    const setti_type* type = commands->world->types[record->component];
    if (setti_storage_has(&type->storage, record->entity.index) ||
        sett_add(commands->world, record->entity, record->component) != NULL) {
        return SETT_OK;
    }
    return commands->world->error;
}

static const command_verb command_add = {"sett_cmd_add", "to", command_apply_add};

sett_status sett_cmd_add(sett_commands* commands, sett_entity entity, sett_component component)
{
    setti_commands_check_handle(commands, entity, component, __func__);
    return commands_record(commands, &command_add, entity, component);
}

static sett_status command_apply_remove(sett_commands* commands, const command_record* record)
{
    const setti_type* type = commands->world->types[record->component];
    if (!setti_storage_has(&type->storage, record->entity.index)) {
        return SETT_OK;
    }
    return sett_remove(commands->world, record->entity, record->component);
}

static const command_verb command_remove = {"sett_cmd_remove", "from", command_apply_remove};

sett_status sett_cmd_remove(sett_commands* commands, sett_entity entity, sett_component component)
{
    setti_commands_check_handle(commands, entity, component, __func__);
    return commands_record(commands, &command_remove, entity, component);
}

static sett_status command_apply_clear(sett_commands* commands, const command_record* record)
{
    return sett_entity_clear(commands->world, record->entity);
}

static const command_verb command_clear = {"sett_cmd_clear", "", command_apply_clear};

sett_status sett_cmd_clear(sett_commands* commands, sett_entity entity)
{
    setti_commands_check_handle(commands, entity, 0, __func__);
    return commands_record(commands, &command_clear, entity, 0);
}

/* Rejects a value because it is NULL, or because only the library writes values of the type.
 * Reports this in debug builds. Returns the error. */
SETTI_COLD static sett_status commands_reject_value(const sett_commands* commands,
                                                    const setti_type* type, const void* value,
                                                    const char* call)
{
    SETTI_ASSERT(value == NULL || type->writers != NULL);
    if (SETTI_DEBUG && value == NULL) {
        setti_world_misuse_with(commands->world, SETT_STATUS_ARGUMENT,
                                "%s: the value of \"%.100s\" is NULL - pass its address", call,
                                type->desc.name);
    } else if (SETTI_DEBUG) {
        setti_world_misuse_with(commands->world, SETT_STATUS_ARGUMENT,
                                "%s: values of \"%.100s\" are written by the library - call %s",
                                call, type->desc.name, type->writers);
    }
    return SETT_STATUS_ARGUMENT;
}

static sett_status command_apply_set(sett_commands* commands, const command_record* record)
{
    const void* value = NULL; /* a tag has no value */
    if (record->payload != 0) {
        value = command_payload(commands->read, record);
    }
    if (sett_set(commands->world, record->entity, record->component, value) == NULL) {
        return commands->world->error;
    }
    return SETT_OK;
}

static const command_verb command_set = {"sett_cmd_set", "of", command_apply_set};

/* Copies a value to uninitialised memory, by the hooks of the type if there are any. */
static void command_copy(const setti_type* type, void* copy, const void* value)
{
    SETTI_ASSERT(type->storage.size != 0 && value != NULL);
    const sett_component_desc* desc = &type->desc;
    if (desc->copy == NULL) {
        setti_row_copy(copy, value, type->storage.size);
        return;
    }
    /* the world is not locked while the hooks run, because several threads may record */
    if (desc->init != NULL) {
        desc->init(copy, 1, desc->user);
    } else {
        setti_row_zero(copy, type->storage.size);
    }
    desc->copy(copy, value, 1, type->hook_user);
}

/* Records a value of a component that is not a tag. */
SETTI_INLINE sett_status commands_set(sett_commands* commands, sett_entity entity,
                                      sett_component component, const void* value, const char* call)
{
    const setti_type* type = setti_world_type(commands->world, component);
    SETTI_ASSERT(type != NULL && type->storage.size != 0);
    if (SETTI_UNLIKELY(value == NULL ||
                       (type->flags & (SETTI_TYPE_GUARDED | SETTI_TYPE_LINKED)) != 0)) {
        return commands_reject_value(commands, type, value, call);
    }
    sett_status status;
    const command_record* record = commands_begin(commands, &command_set, "set", entity, component,
                                                  type->storage.size, type->storage.align, &status);
    if (record != NULL) {
        command_copy(type, command_payload(commands->write, record), value);
    }
    return status;
}

sett_status sett_cmd_set(sett_commands* commands, sett_entity entity, sett_component component,
                         const void* value)
{
    if (SETTI_IS_NULL(commands)) {
        return SETT_STATUS_ARGUMENT;
    }
    setti_commands_check_handle(commands, entity, component, __func__);
    const setti_type* type = setti_world_type(commands->world, component);
    if (type == NULL || type->storage.size == 0) { /* commands_record rejects NULL */
        setti_change_check_tag(commands->world, type, value, "sett_cmd_set");
        return commands_record(commands, &command_set, entity, component);
    }
    return commands_set(commands, entity, component, value, __func__);
}

static sett_status command_apply_of_module(sett_commands* commands, const command_record* record)
{
    const setti_command_call* call = command_payload(commands->read, record);
    return call->kind->apply(commands->world, record->entity, call);
}

static const command_verb command_of_module = {NULL, "", command_apply_of_module};

/* The payload of sett_cmd_call: the struct, then `size` bytes of data. */
typedef struct command_run {
    _Alignas(16) void (*fn)(sett_world* world, void* data);
    size_t size;
} command_run;

/* Applies a command of sett_cmd_call, and moves to the next record. */
static sett_status command_apply_run(sett_commands* commands, const command_record* record)
{
    sett_world* world = commands->world;
    const unsigned char* payload = command_payload(commands->read, record);
    command_run run;
    memcpy(&run, payload, sizeof(run));
    size_t data_size = SETTI_MAX(run.size, 1); /* 0 bytes cannot be allocated */
    /* a copy, because `fn` may record commands over the payload */
    void* data = setti_pool_alloc(&world->pool, data_size, 16);
    if (data == NULL) {
        return SETT_STATUS_OUT_OF_MEMORY;
    }
    memcpy(data, payload + sizeof(run), run.size);
    commands_advance(commands, record); /* before `fn`, which may record and drop commands */
    run.fn(world, data);
    setti_pool_free(&world->pool, data, data_size, 16);
    return SETT_OK;
}

static const command_verb command_run_verb = {"sett_cmd_call", "", command_apply_run};

/* Records a call of `fn` with a copy of `data`. Errors name the public function `call`. */
static sett_status commands_record_run(sett_commands* commands,
                                       void (*fn)(sett_world* world, void* data), const void* data,
                                       size_t size, const char* call)
{
    SETTI_ASSERT(fn != NULL && size <= COMMAND_DATA_MAX);
    command_run run = {fn, size};
    sett_status status;
    const command_record* record = commands_begin(commands, &command_run_verb, call, sett_null(), 0,
                                                  sizeof(run) + size, 16, &status);
    if (record == NULL) {
        return status;
    }
    unsigned char* payload = command_payload(commands->write, record);
    memcpy(payload, &run, sizeof(run));
    if (size != 0) {
        memcpy(payload + sizeof(run), data, size);
    }
    return SETT_OK;
}

sett_status sett_cmd_call(sett_commands* commands, void (*fn)(sett_world* world, void* data),
                          const void* data, size_t size)
{
    if (SETTI_IS_NULL(commands) ||
        setti_world_lacks_list_aside(commands->world, data, size, __func__, "data")) {
        return SETT_STATUS_ARGUMENT;
    }
    if (SETTI_DEBUG && fn == NULL) {
        setti_world_misuse_with(commands->world, SETT_STATUS_ARGUMENT,
                                "%s: `fn` is NULL - pass a function", __func__);
    } else if (SETTI_DEBUG && size > COMMAND_DATA_MAX) {
        setti_world_misuse_with(
            commands->world, SETT_STATUS_ARGUMENT,
            "%s: `size` is %llu bytes, at most %u fit - keep the data elsewhere, and pass the "
            "address of a pointer to it",
            __func__, (unsigned long long)size, (unsigned)COMMAND_DATA_MAX);
    }
    if (fn == NULL || size > COMMAND_DATA_MAX) {
        return SETT_STATUS_ARGUMENT;
    }
    return commands_record_run(commands, fn, data, size, __func__);
}

static void command_destroy_with(sett_world* world, void* component)
{
    (void)sett_entity_destroy_with(world, *(const sett_component*)component);
}

static void command_clear_type(sett_world* world, void* component)
{
    (void)sett_component_clear(world, *(const sett_component*)component);
}

/* Records a call of `fn`. When the command is applied, `fn` gets a pointer to the component id. */
static sett_status commands_record_type(sett_commands* commands, const char* call,
                                        void (*fn)(sett_world* world, void* component),
                                        sett_component component)
{
    if (setti_is_null(commands, call, "commands")) {
        return SETT_STATUS_ARGUMENT;
    }
    if (setti_world_type(commands->world, component) == NULL) {
        return commands_fail_unregistered(commands, call, sett_null(), component);
    }
    return commands_record_run(commands, fn, &component, sizeof(component), call);
}

sett_status sett_cmd_destroy_with(sett_commands* commands, sett_component component)
{
    return commands_record_type(commands, __func__, command_destroy_with, component);
}

sett_status sett_cmd_component_clear(sett_commands* commands, sett_component component)
{
    return commands_record_type(commands, __func__, command_clear_type, component);
}

/* Records the components of the k-th entity of sett_cmd_create_many.
 *   values  for each component an array with a value for each entity. An array is NULL for a tag,
 * and for default values. `values` may be NULL: then each component has its default value. */
static sett_status commands_add_components(sett_commands* commands, sett_entity entity, uint32_t k,
                                           const sett_component* components,
                                           uint32_t component_count, const void* const* values,
                                           const char* call)
{
    for (uint32_t c = 0; c < component_count; c++) {
        const setti_type* type = setti_world_type(commands->world, components[c]);
        bool has_values = type != NULL && values != NULL;
        const unsigned char* value = has_values ? values[c] : NULL;
        sett_status status;
        if (value != NULL && type->storage.size != 0) {
            status = commands_set(commands, entity, components[c],
                                  value + (size_t)k * type->storage.size, call);
        } else {
            status = sett_cmd_add(commands, entity, components[c]);
        }
        if (status != SETT_OK) {
            return status;
        }
    }
    return SETT_OK;
}

sett_status sett_cmd_create_many(sett_commands* commands, uint32_t count,
                                 const sett_component* components, uint32_t component_count,
                                 const void* const* values, sett_entity* out)
{
    if (SETTI_IS_NULL(commands) ||
        setti_world_lacks_list_aside(commands->world, components, component_count, __func__,
                                     "components")) {
        return SETT_STATUS_ARGUMENT;
    }
    for (uint32_t c = 0; c < component_count; c++) {
        if (setti_world_type(commands->world, components[c]) == NULL) {
            return commands_fail_unregistered(commands, __func__, sett_null(), components[c]);
        }
    }
    for (uint32_t k = 0; k < count; k++) {
        sett_entity entity = commands_create(commands, __func__);
        if (sett_is_null(entity)) {
            if (commands->job.count != 0) { /* a job does not set the world's error */
                return commands->job.error;
            }
            return setti_world_failure(commands->world);
        }
        if (out != NULL) {
            out[k] = entity;
        }
        sett_status status = commands_add_components(commands, entity, k, components,
                                                     component_count, values, __func__);
        if (status != SETT_OK) {
            return status;
        }
    }
    return SETT_OK;
}

void* setti_commands_call(sett_commands* commands, sett_entity entity,
                          const setti_command_kind* kind, size_t size, sett_status* status)
{
    SETTI_ASSERT(size >= sizeof(setti_command_call) && kind->apply != NULL);
    const command_record* record =
        commands_begin(commands, &command_of_module, kind->verb, entity, 0, size, 16, status);
    if (record == NULL) {
        return NULL;
    }
    setti_command_call* call = command_payload(commands->write, record);
    call->kind = kind;
    return call;
}

void* setti_commands_create_call(sett_commands* commands, const setti_command_kind* kind,
                                 size_t size, sett_entity* out, uint32_t count, const char* call)
{
    SETTI_ASSERT(count != 0);
    if (commands->closed) {
        commands_fail_closed(commands, call);
        return NULL;
    }
    size_t need = command_need(size, 16);
    /* for each entity a creation, and room for sett_cmd_destroy after an error */
    size_t need_each = 2 * command_need(0, 1);
    bool fits_chunk = count <= (UINT32_MAX - need) / need_each; /* offsets have 32 bits */
    if (!fits_chunk || !commands_reserve(commands, need + (size_t)count * need_each)) {
        if (commands->job.count != 0) {
            (void)job_fail(commands, SETT_STATUS_OUT_OF_MEMORY, call);
        } else {
            setti_world_fail(commands->world, SETT_STATUS_OUT_OF_MEMORY, call, sett_null(), 0);
        }
        return NULL;
    }
    for (uint32_t k = 0; k < count; k++) {
        out[k] = commands_create(commands, call);
        if (sett_is_null(out[k])) {
            while (k-- > 0) { /* commands to destroy the entities created so far */
                (void)sett_cmd_destroy(commands, out[k]);
            }
            return NULL;
        }
    }
    sett_status status;
    void* payload = setti_commands_call(commands, out[0], kind, size, &status);
    SETTI_ASSERT(payload != NULL); /* because the room is reserved */
    return payload;
}

/* ------------------------------------------------------------------------------------- applying */

/* Tries to apply a command by the fast path, which is only for sett_cmd_add. Returns false if the
 * command is not applied yet. */
SETTI_INLINE bool commands_try_add(sett_world* world, const command_record* record)
{
    if (record->verb != &command_add) {
        return false;
    }
    void* value = setti_change_try_add(world, record->component, record->entity);
    if (value == NULL) {
        return false;
    }
    setti_row_zero(value, world->types[record->component]->storage.size);
    return true;
}

/* Reports that memory ran out while a command was applied.
 *   applied  number of commands applied before this command */
SETTI_COLD static void commands_fail_apply(sett_commands* commands, const command_record* record,
                                           uint32_t applied)
{
    SETTI_ASSERT(commands == commands->world->applying);
    sett_world* world = commands->world;
    char what[COMMAND_TEXT_SIZE];
    command_print_record(world, what, commands->read, record);
    world->command_depth = 0; /* otherwise the message would begin with world->applier twice */
    setti_world_fail_with(world, SETT_STATUS_OUT_OF_MEMORY,
                          "%s: command %u of %u, %s: the allocator returned NULL - free memory, "
                          "and call %s again for the rest",
                          world->applier, (unsigned)(applied + 1),
                          (unsigned)(applied + commands->count), what, world->applier);
}

sett_status setti_commands_apply_all(sett_world* world, const char* call)
{
    for (sett_commands* commands = world->all_commands; commands != NULL;) {
        if (commands->count == 0) {
            commands = commands->next;
            continue;
        }
        sett_status status = setti_commands_apply(commands, call);
        if (status != SETT_OK) {
            return status;
        }
        /* the loop begins again, because hooks may have recorded into any buffer */
        commands = world->all_commands;
    }
    return SETT_OK;
}

void setti_commands_drop_all(sett_world* world)
{
    for (sett_commands* commands = world->all_commands; commands != NULL;
         commands = commands->next) {
        commands_drop(commands);
    }
}

/* Applies a command, and moves to the next record. Skips the command if its entity is dead.
 *   applied  number of commands applied before this command */
SETTI_INLINE sett_status commands_apply_record(sett_commands* commands,
                                               const command_record* record, uint32_t applied)
{
    sett_world* world = commands->world;
    bool alive = setti_entity_signature(&world->entities, record->entity) != NULL;
    sett_status status = SETT_OK;
    world->command_depth = record->depth + 1u;
    if (record->verb == &command_run_verb) {
        status = command_apply_run(commands, record);
        if (status == SETT_OK) {
            return status; /* command_apply_run has moved to the next record */
        }
    } else if (alive || record->verb == &command_create) {
        status = record->verb->apply(commands, record);
    }
    if (status == SETT_STATUS_OUT_OF_MEMORY) { /* the command stays in the buffer */
        commands_fail_apply(commands, record, applied);
        return status;
    }
    const setti_type* type = setti_world_type(world, record->component);
    if (!alive || status != SETT_OK || (type != NULL && type->desc.copy != NULL)) {
        /* the world has no value, or a copy; otherwise it has the value itself */
        command_deinit(commands, record);
    }
    commands_advance(commands, record);
    return SETT_OK; /* a rejected command is skipped */
}

SETTI_COLD static sett_status commands_fail_nested(const sett_commands* commands, const char* call)
{
    sett_world* world = commands->world;
    if (world->applying != commands || strcmp(call, "sett_commands_apply") != 0) {
        return setti_world_reject_applying(world, call);
    }
    return setti_world_fail_with(world, SETT_STATUS_LOCKED,
                                 "%s: the buffer is being applied already, and new commands are "
                                 "applied with it - leave out this call",
                                 call);
}

sett_status setti_commands_apply(sett_commands* commands, const char* call)
{
    sett_world* world = commands->world;
    sett_status status = setti_world_check_unlocked(world, call);
    if (status != SETT_OK) {
        return status;
    }
    if (world->applying != NULL) {
        return commands_fail_nested(commands, call);
    }
    command_record* record;
    uint32_t applied = 0;
    world->applier = call;
    world->applying = commands;
    world->depth_logged = false;
    setti_trace_begin(world, SETT_SPAN_COMMANDS, "commands", commands->count);
    for (; status == SETT_OK && (record = commands_peek(commands)) != NULL; applied++) {
        if (SETTI_LIKELY(commands_try_add(world, record))) {
            commands_advance(commands, record);
        } else {
            status = commands_apply_record(commands, record, applied);
        }
    }
    world->command_depth = 0;
    SETTI_ASSERT(world->applying == commands && (status != SETT_OK || commands->count == 0));
    world->applying = NULL;
    setti_trace_end(world, SETT_SPAN_COMMANDS);
    return status;
}

sett_status sett_commands_apply(sett_commands* commands)
{
    if (SETTI_IS_NULL(commands)) {
        return SETT_STATUS_ARGUMENT;
    }
    return setti_commands_apply(commands, __func__);
}

/* ---------------------------------------------------------------------------------------- jobs */

/* Gives the buffer of a job a chunk before the job starts. */
static void job_take_chunk(sett_commands* commands, uint32_t jobs)
{
    SETTI_ASSERT(!commands->closed && jobs != 0);
    sett_world* world = commands->world;
    if (commands->first != NULL) {
        return;
    }
    if (world->spare_chunks == NULL) {
        /* one chunk for this job, and spares for half as many jobs as there are */
        for (uint32_t k = 0; k <= jobs / 2; k++) {
            command_chunk* chunk = chunk_create(commands, CHUNK_SIZE);
            if (chunk == NULL) {
                break; /* recording allocates later */
            }
            chunk->next = world->spare_chunks;
            world->spare_chunks = chunk;
        }
    }
    command_chunk* spare = world->spare_chunks;
    if (spare != NULL) {
        world->spare_chunks = spare->next;
        commands_append_chunk(commands, spare);
    }
}

void setti_commands_release_chunks(sett_commands* commands)
{
    SETTI_ASSERT(commands->job.count == 0 && commands != commands->world->applying);
    sett_world* world = commands->world;
    command_chunk* chunk = commands->first;
    if (commands->count != 0 || chunk == NULL) {
        return;
    }
    if (chunk->next != NULL) {
        return; /* the buffer keeps its chunks: while it records, a job cannot take spare chunks */
    }
    SETTI_ASSERT(chunk->used == CHUNK_HEADER);
    chunk->next = world->spare_chunks;
    world->spare_chunks = chunk;
    commands->first = NULL;
    commands->write = NULL;
    commands->read = NULL;
    commands->read_offset = 0;
    commands->memory = 0;
}

void setti_commands_begin_jobs(sett_world* world, sett_commands* const* buffers, uint32_t count)
{
    SETTI_ASSERT(world->open_jobs == 0);
    for (uint32_t k = 0; k < count; k++) {
        sett_commands* commands = buffers[k];
        SETTI_ASSERT(commands->world == world && commands->job.count == 0);
        job_take_chunk(commands, count);
        memset(&commands->job, 0, sizeof(commands->job));
        commands->job.count = count;
        commands->job.number = k;
        commands->job.chunk = commands->write;
        commands->job.offset = commands->write != NULL ? commands->write->used : CHUNK_HEADER;
    }
    world->open_jobs = count;
    if (count != 0) {
        world->locks++;
    }
}

/* The two steps in which the indices of a job's handles are claimed. */
typedef enum job_step {
    JOB_RESERVES, /* reserves memory, and may fail */
    JOB_CLAIMS
} job_step;

/* Does one step for all handles that a job has created. Returns false if memory runs out. */
static bool job_claim(sett_commands* commands, job_step step)
{
    SETTI_ASSERT(commands->job.count != 0);
    sett_world* world = commands->world;
    command_chunk* chunk = commands->job.chunk != NULL ? commands->job.chunk : commands->first;
    size_t offset = commands->job.offset;
    for (uint32_t k = 0; k < commands->job.created; k++) {
        const command_record* record;
        do { /* looks for the next creation */
            record = command_next(&chunk, &offset);
        } while (record != NULL && record->verb != &command_create);
        SETTI_ASSERT(record != NULL);
        uint32_t index = record->entity.index;
        if (step == JOB_CLAIMS) {
            (void)setti_entity_claim(&world->pool, &world->entities, index);
        } else if (setti_entity_reserve_index(&world->pool, &world->entities, index) != SETT_OK) {
            return false;
        }
    }
    return true;
}

sett_status setti_commands_end_jobs(sett_world* world, sett_commands* const* buffers,
                                    uint32_t count, const char* call)
{
    SETTI_ASSERT(count == world->open_jobs);
    for (uint32_t k = 0; k < count; k++) {
        if (!job_claim(buffers[k], JOB_RESERVES)) {
            return setti_world_fail_with(
                world, SETT_STATUS_OUT_OF_MEMORY,
                "%s: memory ran out for entities that systems create (sett_cmd_create) - free "
                "memory, and call %s again",
                call, call);
        }
    }
    for (uint32_t k = 0; k < count; k++) {
        (void)job_claim(buffers[k], JOB_CLAIMS); /* cannot fail: memory is reserved */
        if (buffers[k]->job.error != SETT_OK) {
            setti_world_fail(world, buffers[k]->job.error, buffers[k]->job.call, sett_null(), 0);
        }
        memset(&buffers[k]->job, 0, sizeof(buffers[k]->job));
        setti_commands_release_chunks(buffers[k]);
    }
    if (world->open_jobs != 0) {
        world->locks--;
    }
    world->open_jobs = 0;
    return SETT_OK;
}

sett_world* sett_commands_world(const sett_commands* commands)
{
    if (SETTI_IS_NULL(commands)) {
        return NULL;
    }
    return commands->world;
}

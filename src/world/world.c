/* world.c: creates and destroys worlds, holds their roots and modules, and writes the messages of
 * failures.
 *
 * The workload: one world in a program, and rare failures, but sometimes misuse in a loop. So a
 * failure only stores call, entity and component. sett_world_message writes the message later.
 *
 * Invariant:  error_call != NULL => the message of the last failure is not written yet
 */
#include "world/world.h"

#include "base/cow.h"
#include "base/platform.h"
#include "base/writer.h"
#include "store/gather.h"
#include "world/change.h"
#include "world/command.h"

#include <stdarg.h>
#include <stdio.h>

#define ENTITY_LIMIT_DEFAULT ((uint32_t)1 << 28)
#define SIGNATURE_WARNING_DEFAULT 65536

/* Whether the library can serve a program compiled with this version of sett.h.
 *   version  major * 10000 + minor * 100 + patch */
static bool world_is_served(size_t size, int version, uint64_t layout)
{
    if (version / 10000 != SETT_VERSION_MAJOR) {
        return false;
    }
    int without_patch = version / 100;
    if (without_patch < 2 || without_patch > SETT_VERSION / 100) { /* 2: version 0.2 */
        return false;
    }
    return size <= sizeof(sett_world_desc) && layout == SETT_LAYOUT;
}

/* Reports to stderr. The descriptor may have another layout, so the log hook in the descriptor
 * cannot be called. */
SETTI_COLD static void world_report_unserved(int version)
{
    char message[192];
    int major = version / 10000;
    int minor = version / 100 % 100;
    if (version / 100 == SETT_VERSION / 100) {
        snprintf(message, sizeof(message),
                 "sett_world_create: the structs of the program's sett.h %d.%d differ from those "
                 "of the library's sett.h %d.%d - compile both with the same sett.h and compiler "
                 "options",
                 major, minor, SETT_VERSION_MAJOR, SETT_VERSION_MINOR);
    } else {
        snprintf(message, sizeof(message),
                 "sett_world_create: the program was compiled with sett.h %d.%d, and the library "
                 "is version %d.%d - compile both from one version",
                 major, minor, SETT_VERSION_MAJOR, SETT_VERSION_MINOR);
    }
    sett_log_stderr(NULL, SETT_LOG_ERROR, message);
}

#define WORLD_ALIGN 64
/* The alignment of malloc: with aligned_alloc, an empty world took 480 instructions more. */
#define WORLD_MEMORY_ALIGN 16
#define WORLD_MEMORY_SIZE (sizeof(sett_world) + WORLD_ALIGN - WORLD_MEMORY_ALIGN)

/* Allocates a world, with a pool. Returns NULL if memory runs out. */
static sett_world* world_allocate(sett_allocator allocator, bool huge_pages)
{
    void* memory = allocator.alloc_fn(allocator.user, WORLD_MEMORY_SIZE, WORLD_MEMORY_ALIGN);
    if (memory == NULL) {
        return NULL;
    }
    sett_world* world = (void*)setti_align_up((uintptr_t)memory, WORLD_ALIGN);
    memset(world, 0, offsetof(sett_world, pool));
    setti_pool_init(&world->pool, allocator, huge_pages); /* does not need zeroes */
    memset((unsigned char*)world + offsetof(sett_world, locks_or_observers), 0,
           offsetof(sett_world, entity_root) - offsetof(sett_world, locks_or_observers));
    /* the rest, three quarters of the struct, is written before it is read */
    world->pool.allocations = 1;
    world->memory = memory;
    world->message[0] = 0;
    world->reason[0] = 0;
    return world;
}

/* Sets the members of a new world that do not begin as 0. */
static void world_init(sett_world* world, const sett_world_desc* desc)
{
    world->pool.small = desc->small_pages;
    setti_entity_init(&world->entities,
                      desc->entity_limit != 0 ? desc->entity_limit : ENTITY_LIMIT_DEFAULT);
    setti_entity_table* table = &world->entities;
    setti_pages* no_more_pages = NULL;
    setti_world_add_root(world, &world->entity_root, &table->count, SETTI_ENTITY_ROOT_SIZE,
                         &table->pages, no_more_pages);
    world->readable = setti_unconst(setti_component_no_types);
    setti_bind_show(world);
    world->collect_list = &world->collect_one;
    world->collect_room = 1;
    world->reserved_for = SETTI_NONE;
    world->log_fn = desc->log_fn != NULL ? desc->log_fn : sett_log_stderr;
    world->assert_fn = desc->assert_fn;
    world->hook_user = desc->hook_user;
    world->user = desc->user;
    world->signature_warning =
        desc->signature_warning != 0 ? desc->signature_warning : SIGNATURE_WARNING_DEFAULT;
}

/* Whether an allocator has both alloc_fn and free_fn, or no function at all. */
static bool world_allocator_is_valid(const sett_allocator* allocator)
{
    if (allocator->alloc_fn != NULL) {
        return allocator->free_fn != NULL;
    }
    return allocator->free_fn == NULL && allocator->zero_fn == NULL;
}

sett_world* sett_world_create_sized(const sett_world_desc* given, size_t size, int version,
                                    uint64_t layout)
{
    static const sett_world_desc defaults;
    sett_world_desc full; /* `given`, with all fields of this library */
    const sett_world_desc* desc = given != NULL ? &full : &defaults;
    if (!world_is_served(size, version, layout & ~SETT_LAYOUT_CHECKED_)) {
        world_report_unserved(version);
        return NULL;
    }
    if (given != NULL) {
        setti_copy_sized(&full, sizeof(full), given, size);
    }
    const sett_allocator* allocator = &desc->allocator;
    if (!world_allocator_is_valid(allocator)) {
        sett_log_fn log_fn = desc->log_fn != NULL ? desc->log_fn : sett_log_stderr;
        log_fn(desc->hook_user, SETT_LOG_ERROR,
               "sett_world_create: one of the allocator's alloc_fn and free_fn is NULL - set both");
        return NULL;
    }
    sett_allocator in_use = setti_allocator_or_default(allocator);
    sett_world* world = world_allocate(in_use, desc->huge_pages);
    if (world == NULL) {
        return NULL;
    }
    world_init(world, desc);
    if (!SETTI_DEBUG && (layout & SETT_LAYOUT_CHECKED_) != 0) {
        world->log_fn(world->hook_user, SETT_LOG_WARNING,
                      "sett_world_create: the library was compiled with NDEBUG and the program "
                      "without, so most misuse is not reported - compile the library (sett.c) "
                      "without NDEBUG while you develop");
    }
    return world;
}

/* Updates `number` and `saved_at` of a root and all later roots. */
static void world_number_roots(setti_root* root)
{
    for (; root != NULL; root = root->next) {
        const setti_root* previous = root->previous;
        if (previous != NULL) {
            root->number = previous->number + 1;
            root->saved_at = previous->saved_at + SETTI_ROOT_SAVED(previous->size);
        } else {
            root->number = 0;
            root->saved_at = 0;
        }
    }
}

void setti_world_add_root(sett_world* world, setti_root* root, void* address, size_t size,
                          setti_pages* pages, setti_pages* more_pages)
{
    SETTI_ASSERT(address != NULL || pages != NULL);
    SETTI_ASSERT(size <= SETTI_ROOT_SIZE);
    root->next = NULL;
    root->previous = world->last_root;
    root->address = address;
    root->size = (uint32_t)size;
    root->pages[0] = pages;
    root->pages[1] = more_pages;
    root->name = NULL;
    root->cloned = (uint32_t)size;
    root->optional = false;
    memcpy(root->first, address, size); /* the present state, to be restored later */
    if (world->last_root != NULL) {
        world->last_root->next = root;
    } else {
        world->roots = root;
    }
    world->last_root = root;
    world_number_roots(root);
}

void setti_world_add_storage(sett_world* world, setti_root* root, setti_storage* storage)
{
    setti_world_add_root(world, root, &storage->count, SETTI_STORAGE_ROOT_SIZE, &storage->presence,
                         &storage->rows);
}

void setti_world_remove_root(sett_world* world, setti_root* root)
{
    SETTI_ASSERT(world->pool.cow_from == 0);
    SETTI_ASSERT((root->previous == NULL) == (world->roots == root));
    if (root->previous != NULL) {
        root->previous->next = root->next;
    } else {
        world->roots = root->next;
    }
    if (root->next != NULL) {
        root->next->previous = root->previous;
    } else {
        world->last_root = root->previous;
    }
    world_number_roots(root->next);
}

sett_status setti_world_check_no_snapshots(sett_world* world, const char* call)
{
    if (world->pool.cow_from == 0) {
        return SETT_OK;
    }
    return setti_world_fail_with(world, SETT_STATUS_LOCKED,
                                 "%s: snapshots are held, which this call would make useless - "
                                 "drop them first (sett_snapshot_drop_all, or sett_ring_destroy)",
                                 call);
}

void setti_world_add_calls(sett_world* world, const setti_module_calls* calls)
{
    SETTI_ASSERT(calls->slot < SETTI_SLOTS);
    /* the table to insert, in the order of slots; then each later table moves by one place */
    const setti_module_calls* moving = calls;
    for (uint32_t k = 0; moving != NULL; k++) {
        const setti_module_calls* present = world->called[k];
        if (present == calls) {
            return; /* added before */
        }
        SETTI_ASSERT(present == NULL || present->slot != moving->slot);
        if (present == NULL || present->slot > moving->slot) {
            world->called[k] = moving;
            moving = present;
        }
    }
}

static sett_status world_reject(sett_world* world, const char* call);

void setti_world_free(sett_world* world)
{
    sett_allocator allocator = world->pool.allocator;
    setti_pool_deinit(&world->pool);
    allocator.free_fn(allocator.user, world->memory, WORLD_MEMORY_SIZE, WORLD_MEMORY_ALIGN);
}

/* Whether destroying entities may call functions of the program. */
static bool world_has_endings(const sett_world* world)
{
    for (uint32_t k = 0; k < world->registered.count; k++) {
        if ((world->registered.item[k]->flags & SETTI_TYPE_ENDINGS) != 0) {
            return true;
        }
    }
    for (const setti_listener* listener = world->listeners; listener != NULL;
         listener = listener->next) {
        if (listener->on_exit != NULL) {
            return true;
        }
    }
    return false;
}

/* In debug builds: warns of commands that were recorded and never applied. */
static void world_warn_of_commands(const sett_world* world)
{
    if (!SETTI_DEBUG) {
        return;
    }
    for (const sett_commands* commands = world->all_commands; commands != NULL;
         commands = setti_commands_next(commands)) {
        if (sett_commands_count(commands) != 0) {
            setti_world_log(world, SETT_LOG_WARNING,
                            "%s: %u recorded commands were never applied - call "
                            "sett_commands_apply or sett_commands_clear before this call",
                            "sett_world_destroy", (unsigned)sett_commands_count(commands));
        }
    }
}

sett_status sett_world_destroy(sett_world* world)
{
    if (world == NULL) {
        return SETT_OK;
    }
    setti_world_close_returned(world);
    /* jobs with commands that are not applied yet hold one lock together */
    uint32_t locks_of_jobs = world->open_jobs != 0 ? 1 : 0;
    if (world->busy) {
        return setti_world_reject_frame(world, __func__);
    }
    if (world->applying != NULL) {
        return setti_world_reject_applying(world, __func__);
    }
    if (world->locks > locks_of_jobs) { /* a loop or a callback is still on the stack */
        return world_reject(world, __func__);
    }
    if (world->pool.cow != NULL) {
        world->pool.cow->end(world->pool.cow, SETTI_COW_WORLD_ENDS);
    }
    world_warn_of_commands(world);
    world->locks = 0; /* ends the lock of jobs */
    if (world_has_endings(world)) {
        setti_change_destroy_all(world); /* otherwise the pool frees all entities at once */
    }
    SETTI_MODULES_EACH(world, calls, free) {
        calls->free(world);
    }
    setti_observer_free_users(world);
    while (world->all_commands != NULL) {
        setti_commands_free(world->all_commands);
    }
    setti_commands_free_spares(world);
    setti_world_free(world);
    return SETT_OK;
}

void* sett_world_alloc(sett_world* world, size_t size, size_t align)
{
    if (setti_world_check_serial(world, __func__) != SETT_OK) {
        return NULL;
    }
    bool is_power_of_two = align != 0 && (align & (align - 1)) == 0;
    if (size == 0 || !is_power_of_two || align > 4096) {
        setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                              "%s: the size is %llu bytes, the align %llu - pass a size above 0, "
                              "and an align that is a power of two up to 4,096",
                              __func__, (unsigned long long)size, (unsigned long long)align);
        return NULL;
    }
    void* memory = setti_pool_alloc(&world->pool, size, align);
    if (memory == NULL) {
        setti_world_no_memory(world, __func__);
    }
    return memory;
}

sett_status sett_world_release(sett_world* world, void* memory, size_t size, size_t align)
{
    sett_status status = setti_world_check_serial(world, "sett_world_release");
    if (status == SETT_OK) {
        setti_pool_free(&world->pool, memory, size, align);
    }
    return status;
}

void* sett_world_user(const sett_world* world)
{
    return SETTI_IS_NULL(world) ? NULL : world->user;
}

void sett_world_set_user(sett_world* world, void* user)
{
    if (!SETTI_IS_NULL(world)) {
        world->user = user;
    }
}

sett_status sett_world_clear(sett_world* world)
{
    sett_status status = setti_world_check_unlocked(world, "sett_world_clear");
    if (status == SETT_OK) {
        setti_change_destroy_all(world);
    }
    return status;
}

sett_status sett_world_reserve(sett_world* world, size_t bytes)
{
    sett_status status = setti_world_check_serial(world, __func__);
    if (status == SETT_OK && !setti_pool_reserve(&world->pool, bytes)) {
        status = setti_world_no_memory(world, __func__);
    }
    return status;
}

static void scratch_free(setti_pool* pool, setti_scratch* scratch)
{
    setti_pool_free(pool, scratch->bytes, scratch->size, scratch->align);
    memset(scratch, 0, sizeof(*scratch));
}

void* setti_scratch_get(setti_pool* pool, setti_scratch* scratch, size_t size, size_t align)
{
    if (scratch->bytes == NULL || scratch->size < size || scratch->align < align) {
        scratch_free(pool, scratch); /* first, so that the pool can use the memory again */
        scratch->bytes = setti_pool_alloc(pool, size, align);
        scratch->size = scratch->bytes != NULL ? size : 0;
        scratch->align = scratch->bytes != NULL ? align : 0;
    }
    return scratch->bytes;
}

SETTI_COLD sett_status sett_world_trim(sett_world* world)
{
    sett_status status = setti_world_check_unlocked(world, "sett_world_trim");
    if (status != SETT_OK) {
        return status;
    }
    SETTI_MODULES_EACH(world, calls, trim) {
        calls->trim(world);
    }
    setti_edit_reclaim_signatures(world);
    scratch_free(&world->pool, &world->sort_items);
    scratch_free(&world->pool, &world->sort_rows);
    scratch_free(&world->pool, &world->set_aside);
    for (uint32_t k = 0; k < world->registered.count; k++) {
        setti_type* type = world->registered.item[k];
        setti_storage_trim(&world->pool, &type->storage);
        if (type->cascade != NULL && type->cascade->trim != NULL) {
            type->cascade->trim(world, type);
        }
    }
    for (setti_listener* listener = world->listeners; listener != NULL; listener = listener->next) {
        setti_storage_trim(&world->pool, &listener->members);
    }
    setti_pool_trim(&world->pool);
    return SETT_OK;
}

uint64_t sett_world_tick(const sett_world* world)
{
    return SETTI_IS_NULL(world) ? 0 : world->pool.tick;
}

uint64_t sett_world_advance_tick(sett_world* world)
{
    if (SETTI_IS_NULL(world)) {
        return 0;
    }
    if (setti_world_check_serial(world, "sett_world_advance_tick") != SETT_OK) {
        return world->pool.tick;
    }
    return ++world->pool.tick;
}

const char* setti_world_describe_stale(const sett_world* world, sett_entity entity)
{
    const setti_entity_table* table = &world->entities;
    uint32_t stored = setti_entity_generation(table, entity.index);
    bool is_free = (stored & SETTI_DEAD) != 0;  /* no entity lives at the index */
    uint32_t generation = stored & ~SETTI_DEAD; /* of the entity at the index, or of the next */
    if (sett_is_null(entity)) {
        return "the handle is null";
    }
    /* a retired slot has had all generations */
    bool was_destroyed = entity.generation < generation || stored == SETTI_RETIRED;
    if (was_destroyed && is_free) {
        return "the handle is stale: the entity was destroyed";
    }
    if (was_destroyed) {
        return "the handle is stale: the entity was destroyed, and another lives at its "
               "index now";
    }
    bool is_latest = entity.generation == generation;
    if (is_latest && !is_free) { /* created between the failure and this call */
        return sett_status_text(SETT_STATUS_STALE);
    }
    bool may_be_reserved = setti_entity_is_claimed(table, entity.index) || world->open_jobs != 0;
    if (is_latest && may_be_reserved) {
        return "the handle is only reserved (sett_cmd_create): the entity is created by "
               "sett_commands_apply - until then, record commands (sett_cmd_set)";
    }
    return "this world has not created the handle, at least since its last restore - pass "
           "a handle that this world returned";
}

/* Writes why a handle is stale, and the remedy. */
static void world_describe_handle(setti_writer* text, const sett_world* world, sett_entity entity)
{
    const char* reason = setti_world_describe_stale(world, entity);
    setti_writer_add(text, "%s", reason);
    if (strstr(reason, " - ") == NULL) { /* the reason has no remedy */
        setti_writer_add(text, sett_is_null(entity) ? " - pass the handle of an entity"
                                                    : " - test handles with sett_entity_valid");
    }
}

static bool world_is_instance(const sett_world* world, sett_entity entity)
{
    const setti_type* type = setti_world_type(world, SETT_ID_INSTANCE_OF);
    return type != NULL && setti_storage_has(&type->storage, entity.index);
}

/* Writes what is wrong, and the remedy. */
static void world_describe_cause(setti_writer* text, const sett_world* world, sett_status status,
                                 sett_entity entity, sett_component component)
{
    const setti_entity_table* table = &world->entities;
    if (status == SETT_STATUS_STALE) {
        world_describe_handle(text, world, entity);
    } else if (status == SETT_STATUS_UNREGISTERED) {
        setti_writer_add(text, "the id is not registered in this world - %s",
                         setti_component_remedy(component));
    } else if (status == SETT_STATUS_ABSENT && world_is_instance(world, entity)) {
        setti_writer_add(text, "the instance does not have the component itself (sett_prefab_get "
                               "reads the prefab's, sett_prefab_override copies it, sett_ensure "
                               "adds a new one)");
    } else if (status == SETT_STATUS_LIMIT && entity.index >= table->limit) {
        setti_writer_add(text,
                         "the index is not below the world's entity_limit (%u) - create the world "
                         "with a higher entity_limit",
                         (unsigned)table->limit);
    } else if (status == SETT_STATUS_LIMIT && component == 0) {
        setti_writer_add(text,
                         "too few indices for new entities are free: %u entities are alive or "
                         "reserved, and new ones get indices from %u to %u - raise entity_limit, "
                         "or choose another range (sett_entity_set_range)",
                         (unsigned)setti_entity_taken(table), (unsigned)table->first * 64,
                         (unsigned)setti_entity_end(table) - 1);
    } else {
        setti_writer_add(text, "%s", sett_status_text(status));
        if (status == SETT_STATUS_OUT_OF_MEMORY) {
            setti_writer_add(text, " - free memory, and repeat the call");
        }
    }
}

/* Writes the message of a failure to `out`. `entity` may be null, and `component` 0.
 *   out  room for SETTI_MESSAGE_SIZE bytes */
SETTI_COLD static void world_describe(const sett_world* world, char* out, sett_status status,
                                      const char* call, sett_entity entity,
                                      sett_component component)
{
    const setti_type* type = setti_world_type(world, component);
    setti_writer text = setti_writer_begin(out, SETTI_MESSAGE_SIZE);
    setti_writer_add(&text, "%s", call);
    if (!sett_is_null(entity)) {
        setti_writer_add(&text, ", entity %u:%u", SETTI_HANDLE(entity));
    }
    if (component != 0 || status == SETT_STATUS_UNREGISTERED) {
        char name[52] = "";
        if (type == NULL) {
            setti_misuse_noted_type(world, component, name, sizeof(name));
        }
        setti_writer_add(&text, ", component %u%s", (unsigned)component, name);
    }
    if (type != NULL) {
        setti_writer_add(&text, " \"%.100s\"", type->desc.name);
    }
    setti_writer_add(&text, ": ");
    world_describe_cause(&text, world, status, entity, component);
    setti_message_escape(out, SETTI_MESSAGE_SIZE);
}

/* How many hooks may run for readers at once. The limit ends a chain of hooks that call each other
 * by misuse. */
#define WORLD_REPORTERS_MAX 8

typedef enum world_kind {
    WORLD_NEWS,  /* no misuse: the line is only logged */
    WORLD_INPUT, /* a wrong file, delta or text: the line is logged and counted */
    WORLD_MISUSE /* the line is logged and counted, and the assert hook is called */
} world_kind;

static void world_call_hooks(const sett_world* world, sett_log_level level, world_kind kind,
                             sett_status status, const char* message)
{
    if (kind != WORLD_NEWS) {
        setti_misuse_report(world, status, message, kind == WORLD_MISUSE);
    } else {
        world->log_fn(world->hook_user, level, message);
    }
}

/* Reports a line that a reader or a job has caused. Does not lock the world. */
static void world_report_unlocked(const sett_world* world, sett_log_level level, world_kind kind,
                                  sett_status status, const char* message)
{
    setti_counter* reporters = setti_unconst(&world->reporters);
    if (world->reporting) {
        return; /* a hook makes this call: no other thread reads while `reporting` is set */
    }
    if (setti_counter_add(reporters, 1) < WORLD_REPORTERS_MAX) {
        world_call_hooks(world, level, kind, status, message);
    }
    setti_counter_add(reporters, UINT32_MAX); /* subtracts 1 */
}

static void world_report(sett_world* world, sett_log_level level, world_kind kind,
                         sett_status status, const char* message)
{
    SETTI_ASSERT(message != NULL);
    if (world->side_by_side) {
        world_report_unlocked(world, level, kind, status, message);
    } else if (!world->reporting) { /* lines reported by a hook are dropped */
        world->reporting = true;
        const char* outer = setti_world_begin_call(world, "log_fn");
        world_call_hooks(world, level, kind, status, message);
        setti_world_end_call(world, outer);
        world->reporting = false;
    }
}

/* Whether the library itself makes the present call, for example to apply a delta. A call from a
 * callback is a call of the program. */
static bool world_is_quiet(const sett_world* world)
{
    if (world->receiving && world->calling == NULL) {
        return true;
    }
    return world->quiet && world->locks == world->quiet_locks;
}

/* Returns the kind of a failure.
 *   usual  the kind for most statuses: WORLD_MISUSE or WORLD_INPUT */
static world_kind world_kind_of(const sett_world* world, sett_status status, world_kind usual)
{
    if (status == SETT_STATUS_OUT_OF_MEMORY || status == SETT_STATUS_LIMIT) {
        return WORLD_NEWS; /* no misuse */
    }
    if (world_is_quiet(world) || status == SETT_STATUS_FILE) {
        return WORLD_INPUT;
    }
    return usual;
}

/* In debug builds: reports a failure of a reading call or of a job.
 *   kind  WORLD_MISUSE or WORLD_INPUT */
static void world_report_wrong(const sett_world* world, sett_status status, world_kind kind,
                               const char* message)
{
    kind = world_kind_of(world, status, kind);
    if (SETTI_DEBUG && kind != WORLD_NEWS) {
        world_report_unlocked(world, SETT_LOG_ERROR, kind, status, message);
    }
}

/* Stores a failure that has a message already. */
static void world_store(sett_world* world, sett_status status, const char* message)
{
    snprintf(world->message, sizeof(world->message), "%s", message);
    world->error = status;
    world->error_call = NULL;
}

/* In debug builds: reports the failure in world->error. If the library itself has made the failed
 * call, an outer call reports the failure instead.
 *   kind  WORLD_MISUSE or WORLD_INPUT */
static void world_report_error(sett_world* world, world_kind kind)
{
    char message[SETTI_MESSAGE_SIZE];
    sett_status status = world->error;
    kind = world_kind_of(world, status, kind);
    if (SETTI_DEBUG && kind != WORLD_NEWS && !world_is_quiet(world)) {
        snprintf(message, sizeof(message), "%s", sett_world_message(world));
        world_report(world, SETT_LOG_ERROR, kind, status, message);
        world_store(world, status, message); /* hooks may have replaced the failure */
    }
}

/* Reports a failure while systems run side by side. Returns `status`. */
static sett_status world_fail_in_job(const sett_world* world, sett_status status, world_kind kind,
                                     const char* message)
{
    SETTI_ASSERT(world->side_by_side);
    SETTI_MODULES_EACH(world, calls, failed) {
        calls->failed(world, status, message);
    }
    world_report_wrong(world, status, kind, message);
    return status;
}

SETTI_COLD sett_status setti_world_fail(sett_world* world, sett_status status, const char* call,
                                        sett_entity entity, sett_component component)
{
    if (world == NULL) {
        return status;
    }
    bool jobs_share_error = world->side_by_side;
    bool message_needs_prefix = world->command_depth != 0; /* see world_fail_as */
    if (jobs_share_error || message_needs_prefix) {        /* so the message is written now */
        char message[SETTI_MESSAGE_SIZE];
        world_describe(world, message, status, call, entity, component);
        return setti_world_fail_with(world, status, "%s", message);
    }
    world->error = status;
    world->error_call = call;
    world->error_entity = entity;
    world->error_component = component;
    world_report_error(world, WORLD_MISUSE);
    return status;
}

SETTI_COLD sett_status setti_world_fail_argument(sett_world* world, const char* call,
                                                 const char* name, const char* wrong)
{
    if (name == NULL || name[0] == '\0') {
        return setti_world_fail_with(world, SETT_STATUS_ARGUMENT, "%s: %s", call, wrong);
    }
    return setti_world_fail_with(world, SETT_STATUS_ARGUMENT, "%s: \"%.100s\": %s", call, name,
                                 wrong);
}

SETTI_COLD sett_status setti_world_no_memory(sett_world* world, const char* call)
{
    return setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, call, sett_null(), 0);
}

void* setti_world_alloc(sett_world* world, size_t size, size_t align, const char* call)
{
    void* memory = setti_pool_alloc(&world->pool, size, align);
    if (memory == NULL) {
        setti_world_no_memory(world, call);
        return NULL;
    }
    return memset(memory, 0, size);
}

/* Records and reports a failure with a formatted message.
 *   kind  WORLD_MISUSE or WORLD_INPUT */
SETTI_COLD static sett_status world_fail_as(sett_world* world, sett_status status, world_kind kind,
                                            const char* format, va_list arguments)
{
    SETTI_ASSERT(status != SETT_OK && format != NULL);
    char job_message[SETTI_MESSAGE_SIZE];
    char* message = world->side_by_side ? job_message : world->message;
    size_t prefix_length = 0;
    if (world->command_depth != 0) { /* the program called only `applier` */
        prefix_length = (size_t)snprintf(message, SETTI_MESSAGE_SIZE, "%s: ", world->applier);
    }
    setti_message_format(message + prefix_length, SETTI_MESSAGE_SIZE - prefix_length, format,
                         arguments);
    if (world->side_by_side) {
        return world_fail_in_job(world, status, kind, message);
    }
    world->error = status;
    world->error_call = NULL;
    world_report_error(world, kind);
    return status;
}

SETTI_COLD sett_status setti_world_fail_with(sett_world* world, sett_status status,
                                             const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)world_fail_as(world, status, WORLD_MISUSE, format, arguments);
    va_end(arguments);
    return status;
}

SETTI_COLD sett_status setti_world_fail_input(sett_world* world, sett_status status,
                                              const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)world_fail_as(world, status, WORLD_INPUT, format, arguments);
    va_end(arguments);
    return status;
}

SETTI_COLD void setti_world_misuse(const sett_world* world, sett_status status, const char* call,
                                   sett_entity entity, sett_component component)
{
    SETTI_ASSERT(status != SETT_OK && call != NULL);
    char message[SETTI_MESSAGE_SIZE];
    if (SETTI_DEBUG) {
        world_describe(world, message, status, call, entity, component);
        world_report_wrong(world, status, WORLD_MISUSE, message);
    }
}

SETTI_COLD void setti_world_misuse_with(const sett_world* world, sett_status status,
                                        const char* format, ...)
{
    char message[SETTI_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    setti_message_format(message, sizeof(message), format, arguments);
    va_end(arguments);
    world_report_unlocked(world, SETT_LOG_ERROR, WORLD_MISUSE, status, message);
}

SETTI_COLD void setti_world_fail_checked(sett_world* world, sett_status status, const char* message)
{
    world_report(world, SETT_LOG_ERROR, WORLD_MISUSE, status, message);
    if (world->side_by_side) {
        SETTI_MODULES_EACH(world, calls, failed) {
            calls->failed(world, status, message);
        }
    } else {
        world_store(world, status, message);
    }
}

SETTI_COLD void setti_world_log(const sett_world* world, sett_log_level level, const char* format,
                                ...)
{
    char message[SETTI_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    setti_message_format(message, sizeof(message), format, arguments);
    va_end(arguments);
    world_report(setti_unconst(world), level, WORLD_NEWS, SETT_OK, message);
}

void sett_world_log(const sett_world* world, sett_log_level level, const char* message)
{
    if (!SETTI_IS_NULL(world) && !SETTI_IS_NULL(message)) {
        setti_world_log(world, level, "%s", message);
    }
}

sett_status sett_world_error(const sett_world* world)
{
    return SETTI_IS_NULL(world) ? SETT_STATUS_ARGUMENT : world->error;
}

const char* sett_world_message(const sett_world* const_world)
{
    sett_world* world = setti_unconst(const_world); /* the message may not be written yet */
    if (SETTI_IS_NULL(world)) {
        return NULL;
    }
    if (world->error_call != NULL) {
        world_describe(world, world->message, world->error, world->error_call, world->error_entity,
                       world->error_component);
        world->error_call = NULL;
    }
    return world->message;
}

void sett_world_swap_failure(sett_world* world, sett_failure* failure)
{
    if (SETTI_IS_NULL(failure) ||
        setti_world_check_serial(world, "sett_world_swap_failure") != SETT_OK) {
        return;
    }
    sett_failure old = {world->error, ""};
    if (old.status != SETT_OK) {
        memcpy(old.message, sett_world_message(world), sizeof(old.message));
    }
    world->error = failure->status;
    world->error_call = NULL;
    memcpy(world->message, failure->message, sizeof(world->message));
    *failure = old;
}

/* Returns the name of the command for a call, without "sett_cmd_". Returns NULL if there is no such
 * command. */
static const char* world_command_for(const char* call)
{
    static const char* const pairs[][2] = {{"sett_entity_create", "create"},
                                           {"sett_entity_destroy", "destroy"},
                                           {"sett_entity_forget", "forget"},
                                           {"sett_entity_clear", "clear"},
                                           {"sett_add", "add"},
                                           {"sett_ensure", "add"},
                                           {"sett_set", "set"},
                                           {"sett_remove", "remove"},
                                           {"sett_relate", "relate"},
                                           {"sett_relate_set", "relate"},
                                           {"sett_unrelate", "unrelate"},
                                           {"sett_hierarchy_attach", "attach"},
                                           {"sett_hierarchy_detach", "detach"},
                                           {"sett_hierarchy_destroy_children", "destroy_children"},
                                           {"sett_event_send", "event"},
                                           {"sett_name_set", "name_set"},
                                           {"sett_instantiate", "instantiate"},
                                           {"sett_enable", "enable"},
                                           {"sett_create_with", "create and sett_cmd_set"},
                                           {"sett_entity_create_many", "create_many"},
                                           {"sett_entity_destroy_many", "destroy"},
                                           {"sett_entity_destroy_with", "destroy_with"},
                                           {"sett_component_clear", "component_clear"},
                                           {"sett_add_many", "add"},
                                           {"sett_set_many", "set"},
                                           {"sett_remove_many", "remove"}};
    for (size_t k = 0; k < sizeof(pairs) / sizeof(pairs[0]); k++) {
        if (strcmp(call, pairs[k][0]) == 0) {
            return pairs[k][1];
        }
    }
    return NULL;
}

/* Writes the remedy of a message: "use sett_cmd_...", if there is a command for the call.
 *   suffix     text after the name of the command
 *   otherwise  the remedy if there is no command for the call */
SETTI_COLD static void world_advise(char* out, size_t size, const char* call, const char* suffix,
                                    const char* otherwise)
{
    const char* command = world_command_for(call);
    if (command != NULL) {
        snprintf(out, size, "use sett_cmd_%s%s", command, suffix);
    } else {
        snprintf(out, size, "%s", otherwise);
    }
}

const char* setti_world_running(const sett_world* world)
{
    const char* on_this_thread = NULL;
    SETTI_MODULES_EACH(world, calls, running) {
        if (on_this_thread == NULL) {
            on_this_thread = calls->running(world);
        }
    }
    return on_this_thread != NULL ? on_this_thread : world->running;
}

SETTI_COLD sett_status setti_world_reject_frame(sett_world* world, const char* call)
{
    return setti_world_fail_with(world, SETT_STATUS_LOCKED,
                                 "%s: systems are running - make this call after %s has returned",
                                 call, setti_world_frame_call(world));
}

SETTI_COLD sett_status setti_world_reject_applying(sett_world* world, const char* call)
{
    return setti_world_fail_with(
        world, SETT_STATUS_LOCKED,
        "%s: commands are being applied - make this call after %s has returned", call,
        world->applier);
}

static sett_status world_reject_loop(sett_world* world, const char* call)
{
    char instead[128];
    world_advise(instead, sizeof(instead), call, ", and call sett_commands_apply after the loop",
                 "make this call after the loop");
    const setti_open_loop* loop = world->open_loops;
    const char* name = loop != NULL ? loop->name : "?";
    const char* kind = "query";
    const char* end_call = "sett_batch_end(b)";
    if (loop != NULL && loop->of_search) {
        kind = "search";
        end_call = "sett_search_end(rows)";
    }
    return setti_world_fail_with(
        world, SETT_STATUS_LOCKED,
        "%s: a loop over %s \"%.100s\" is open - %s (if the loop was left early: call %s before "
        "leaving it; sett_query_end_all(world) closes it now)",
        call, kind, name, instead, end_call);
}

/* Fails because the world is locked. Finds out what locks the world, and tells the remedy. */
SETTI_COLD static sett_status world_reject(sett_world* world, const char* call)
{
    char instead[128];
    if (world->calling != NULL) {
        /* while a delta is applied, commands cannot be recorded: no command is advised */
        const char* advised_call = world->receiving ? "" : call;
        world_advise(instead, sizeof(instead), advised_call, ", and sett_commands_apply afterwards",
                     "make this call after the callback has returned");
        return setti_world_fail_with(world, SETT_STATUS_LOCKED,
                                     "%s: a callback of \"%.100s\" is running - %s", call,
                                     world->calling, instead);
    }
    if (world->running != NULL) {
        world_advise(instead, sizeof(instead), call, " with context->commands",
                     "make this call between frames");
        return setti_world_fail_with(
            world, SETT_STATUS_LOCKED,
            "%s: system \"%.200s\" is running - %s, or declare the system as `exclusive`", call,
            setti_world_running(world), instead);
    }
    if (world->open_jobs != 0 && world->busy) {
        return setti_world_reject_frame(world, call);
    }
    if (world->open_jobs != 0) {
        return setti_world_fail_with(world, SETT_STATUS_LOCKED,
                                     "%s: commands that systems recorded are not applied yet, "
                                     "because memory ran out - call %s again",
                                     call, setti_world_frame_call(world));
    }
    return world_reject_loop(world, call);
}

SETTI_COLD void setti_world_close_returned(sett_world* world)
{
    for (setti_open_loop *loop = world->open_loops, *next; loop != NULL; loop = next) {
        next = loop->next;
        if (loop->frame != NULL && setti_platform_has_returned(loop->frame)) {
            setti_world_close_loops(world, loop);
        }
    }
}

static const char world_no_list[] = "%s: `%s` is NULL, but its count is not 0 - pass a list, or "
                                    "a count of 0";

SETTI_COLD bool setti_world_fail_no_list(sett_world* world, const char* call, const char* what)
{
    setti_world_fail_with(world, SETT_STATUS_ARGUMENT, world_no_list, call, what);
    return true;
}

SETTI_COLD bool setti_world_report_no_list(const sett_world* world, const char* call,
                                           const char* what)
{
    setti_world_misuse_with(world, SETT_STATUS_ARGUMENT, world_no_list, call, what);
    return true;
}

sett_status setti_world_check_unlocked(sett_world* world, const char* call)
{
    if (setti_is_null(world, call, "world")) {
        return SETT_STATUS_ARGUMENT;
    }
    setti_world_check_owner(world, call);
    if (SETTI_LIKELY(world->locks == 0)) {
        return SETT_OK;
    }
    setti_world_close_returned(world);
    if (world->locks == 0) {
        return SETT_OK;
    }
    return world_reject(world, call);
}

sett_status setti_world_check_serial(sett_world* world, const char* call)
{
    if (setti_is_null(world, call, "world")) {
        return SETT_STATUS_ARGUMENT;
    }
    setti_world_check_owner(world, call);
    if (world->running == NULL) {
        return SETT_OK;
    }
    return world_reject(world, call);
}

SETTI_COLD void setti_world_unlink_loop(sett_world* world, const setti_open_loop* loop)
{
    setti_open_loop** link = &world->open_loops;
    while (*link != loop) {
        SETTI_ASSERT(*link != NULL);
        link = &(*link)->next;
    }
    *link = loop->next;
}

void setti_world_close_loops(sett_world* world, setti_open_loop* loop)
{
    SETTI_ASSERT(world->locks >= loop->count);
    loop->closed++;
    while (loop->scratches != NULL) {
        setti_gather_scratch* scratch = loop->scratches;
        setti_gather_close(scratch); /* takes the scratch out of the list */
        setti_pool_free(&world->pool, scratch, scratch->size, scratch->align);
        world->gathering--;
    }
    while (loop->count != 0) {
        setti_world_close_loop(world, loop);
    }
}

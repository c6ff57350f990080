/* platform_own.c: implements platform.h by the program's functions. Each function is optional; see
 * sett/platform.h. */
#include "base/platform.h"

#if defined(SETT_PLATFORM)
#include "sett/platform.h"

#include <string.h>

/* Returns the program's functions. Only this function declares SETT_PLATFORM: elsewhere, the name
 * that the program has chosen could hide another name. */
static const sett_platform* platform_own(void)
{
    extern const sett_platform SETT_PLATFORM;
    return &SETT_PLATFORM;
}

void* setti_platform_alloc(void* user, size_t size, size_t align)
{
    const sett_allocator* given = &platform_own()->allocator;
    (void)user;
    if (given->alloc_fn == NULL) {
        return NULL;
    }
    return given->alloc_fn(given->user, size, align);
}

void* setti_platform_alloc_zero(void* user, size_t size, size_t align)
{
    const sett_allocator* given = &platform_own()->allocator;
    (void)user;
    if (given->zero_fn == NULL) {
        return NULL;
    }
    return given->zero_fn(given->user, size, align);
}

void setti_platform_free(void* user, void* ptr, size_t size, size_t align)
{
    const sett_allocator* given = &platform_own()->allocator;
    (void)user;
    SETTI_ASSERT(given->free_fn != NULL);
    given->free_fn(given->user, ptr, size, align);
}

uint64_t setti_platform_now(void)
{
    if (platform_own()->now == NULL) {
        return 0;
    }
    return platform_own()->now();
}

void setti_platform_sleep(uint64_t nanoseconds)
{
    if (platform_own()->sleep != NULL) {
        platform_own()->sleep(nanoseconds);
        return;
    }
    SETTI_ASSERT(platform_own()->now != NULL);
    uint64_t begin = setti_platform_now();
    while (setti_platform_now() - begin < nanoseconds) {
        setti_lock_pause();
    }
}

void setti_platform_print(const char* text, size_t size)
{
    if (platform_own()->print != NULL) {
        platform_own()->print(text, size);
    }
}

uint32_t setti_platform_cores(void)
{
    if (platform_own()->cores == NULL) {
        return 1;
    }
    uint32_t count = platform_own()->cores();
    return count != 0 ? count : 1;
}

uintptr_t setti_platform_thread(void)
{
    if (platform_own()->thread == NULL) { /* a single thread */
        return 1;
    }
    return platform_own()->thread();
}

uint32_t setti_platform_callers(void** out, uint32_t capacity)
{
    (void)out;
    (void)capacity;
    return 0;
}

bool setti_platform_has_returned(const void* variable)
{
    (void)variable;
    return false;
}

/* ------------------------------------------------------------------------------------ threads
 * `opaque` of a gate or a thread holds the program's pointer. If the program gives no threads, a
 * gate is always open. */

static bool platform_has_threads(void)
{
    return platform_own()->thread_start != NULL;
}

/* Returns the program's pointer that `opaque` holds. */
static void* platform_pointer(const uint64_t* opaque)
{
    void* pointer;
    memcpy(&pointer, opaque, sizeof(pointer));
    return pointer;
}

bool setti_gate_init(setti_gate* gate)
{
    if (!platform_has_threads()) {
        return true;
    }
    void* pointer = platform_own()->gate_create();
    memcpy(gate->opaque, &pointer, sizeof(pointer));
    return pointer != NULL;
}

void setti_gate_deinit(setti_gate* gate)
{
    if (platform_has_threads()) {
        platform_own()->gate_destroy(platform_pointer(gate->opaque));
    }
}

void setti_gate_lock(setti_gate* gate)
{
    if (platform_has_threads()) {
        platform_own()->gate_lock(platform_pointer(gate->opaque));
    }
}

void setti_gate_unlock(setti_gate* gate)
{
    if (platform_has_threads()) {
        platform_own()->gate_unlock(platform_pointer(gate->opaque));
    }
}

void setti_gate_wait(setti_gate* gate)
{
    if (platform_has_threads()) {
        platform_own()->gate_wait(platform_pointer(gate->opaque));
    }
}

void setti_gate_wake(setti_gate* gate)
{
    if (platform_has_threads()) {
        platform_own()->gate_wake(platform_pointer(gate->opaque));
    }
}

bool setti_thread_start(setti_thread* thread)
{
    if (!platform_has_threads()) {
        return false;
    }
    void* pointer = platform_own()->thread_start(thread->body, thread->user);
    memcpy(thread->opaque, &pointer, sizeof(pointer));
    return pointer != NULL;
}

void setti_thread_join(setti_thread* thread)
{
    platform_own()->thread_join(platform_pointer(thread->opaque));
}

/* -------------------------------------------------------------------------------------- files */

static void* platform_open_none(void* user, const char* path, sett_file_mode mode)
{
    (void)user;
    (void)path;
    (void)mode;
    return NULL;
}

static bool platform_rename_none(void* user, const char* old_path, const char* new_path)
{
    (void)user;
    (void)old_path;
    (void)new_path;
    return false;
}

static bool platform_unlink_none(void* user, const char* path)
{
    (void)user;
    (void)path;
    return false;
}

static sett_status platform_lock_none(void* user, const char* path, void** lock)
{
    (void)user;
    (void)path;
    *lock = NULL;
    return SETT_STATUS_FILE;
}

const sett_files* setti_platform_files(void)
{
    /* Without files of the program, no file can be opened. So the other functions are never
     * called. */
    static const sett_files none = {.open = platform_open_none,
                                    .rename = platform_rename_none,
                                    .unlink = platform_unlink_none,
                                    .lock = platform_lock_none,
                                    .sync_folder = platform_unlink_none}; /* fails too */
    const sett_files* files = platform_own()->files;
    return files != NULL ? files : &none;
}

#endif

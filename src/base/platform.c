/* platform.c: memory, files, clock and threads of the operating system. See platform.h. With
 * SETT_PLATFORM platform_own.c replaces this file. */
#if (defined(__linux__) || defined(__wasi__)) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* madvise, clock_gettime, pthread_create, pthread_getattr_np */
#endif
#if !defined(_FILE_OFFSET_BITS)
#define _FILE_OFFSET_BITS 64 /* files above 2 GB on 32-bit systems */
#endif

#include "base/platform.h"

#if !defined(SETT_PLATFORM)
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(__linux__)
#include <sys/mman.h>
#endif
#if defined(__GLIBC__) || defined(__APPLE__)
#include <execinfo.h>
#endif
#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <io.h>
#include <malloc.h>
#include <windows.h>
/* These are macros of the Windows headers. Other files of the amalgamation use the names. */
#undef near
#undef far
#define PLATFORM_WINDOWS
#elif defined(__unix__) || defined(__APPLE__)
#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#define PLATFORM_POSIX
#endif

#if defined(_WIN32)
/* Whether a piece comes from VirtualAlloc. VirtualAlloc aligns to 64 KB. */
static bool platform_is_virtual(size_t size, size_t align)
{
    return size >= (size_t)512 << 10 && align <= (size_t)64 << 10;
}
#endif

void setti_platform_free(void* user, void* ptr, size_t size, size_t align)
{
    (void)user;
    (void)size;
    (void)align;
#if defined(_WIN32)
    if (!platform_is_virtual(size, align)) {
        _aligned_free(ptr);
    } else if (ptr != NULL) {
        (void)VirtualFree(ptr, 0, MEM_RELEASE);
    }
#else
    free(ptr);
#endif
}

void* setti_platform_alloc(void* user, size_t size, size_t align)
{
    SETTI_ASSERT(size != 0 && (align & (align - 1)) == 0);
    (void)user;
#if defined(_WIN32)
    if (platform_is_virtual(size, align)) {
        return VirtualAlloc(NULL, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
    }
    return _aligned_malloc(size, align);
#else
    if (align <= sizeof(void*) * 2) {
        return malloc(size);
    }
    /* the size that aligned_alloc gets must be a multiple of the alignment */
    void* memory = aligned_alloc(align, setti_align_up(size, align));
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (memory != NULL && align >= SETTI_HUGE_PAGE) {
        (void)madvise(memory, setti_align_up(size, align), MADV_HUGEPAGE);
    }
#endif
    return memory;
#endif
}

void* setti_platform_alloc_zero(void* user, size_t size, size_t align)
{
    SETTI_ASSERT(size != 0 && (align & (align - 1)) == 0);
    (void)user;
#if defined(_WIN32)
    if (!platform_is_virtual(size, align)) {
        return NULL;
    }
    return setti_platform_alloc(NULL, size, align); /* VirtualAlloc returns zeroes */
#else
    void* zeroes = calloc(1, size);
    if (((uintptr_t)zeroes & (align - 1)) != 0) { /* some C libraries align to fewer bytes */
        free(zeroes);
        return NULL;
    }
    return zeroes;
#endif
}

/* ---------------------------------------------------------------------------------------- files
 * Unbuffered: writes are large, or must reach the system at once. */

#if defined(PLATFORM_POSIX)
/* Whether an open file is a file, and no folder. */
static bool platform_is_file(FILE* file)
{
    struct stat found;
    return fstat(fileno(file), &found) == 0 && !S_ISDIR(found.st_mode);
}
#endif

static void* platform_open(void* user, const char* path, sett_file_mode mode)
{
    SETTI_ASSERT((unsigned)mode <= SETT_FILE_APPEND);
    static const char* const modes[] = {"rb", "wb", "ab"};
    (void)user;
    FILE* file = fopen(path, modes[mode]);
#if defined(PLATFORM_POSIX)
    if (file != NULL && !platform_is_file(file)) {
        (void)fclose(file); /* a folder, which fopen opens for reading */
        file = NULL;
    }
#endif
    if (file != NULL) {
        (void)setvbuf(file, NULL, _IONBF, 0); /* unbuffered */
    }
    return file;
}

static bool platform_close(void* user, void* file)
{
    (void)user;
    return fclose(file) == 0;
}

static size_t platform_read(void* user, void* file, uint64_t offset, void* out, size_t size)
{
    (void)user;
#if defined(PLATFORM_POSIX)
    bool found = (uint64_t)(off_t)offset == offset && /* off_t may have fewer bits */
                 fseeko(file, (off_t)offset, SEEK_SET) == 0;
#elif defined(PLATFORM_WINDOWS)
    bool found = _fseeki64(file, (long long)offset, SEEK_SET) == 0;
#else
    bool found = offset <= LONG_MAX && fseek(file, (long)offset, SEEK_SET) == 0;
#endif
    if (!found) {
        return 0;
    }
    return fread(out, 1, size, file);
}

static bool platform_write(void* user, void* file, const void* bytes, size_t size)
{
    (void)user;
    return fwrite(bytes, 1, size, file) == size;
}

static bool platform_size(void* user, void* file, uint64_t* size)
{
    (void)user;
    if (fseek(file, 0, SEEK_END) != 0) {
        return false;
    }
#if defined(PLATFORM_POSIX)
    off_t end = ftello(file);
#elif defined(PLATFORM_WINDOWS)
    long long end = _ftelli64(file);
#else
    long end = ftell(file);
#endif
    *size = (uint64_t)end;
    return end >= 0;
}

static bool platform_unlink(void* user, const char* path)
{
    (void)user;
    return remove(path) == 0;
}

/* A lock of a file that this process holds. */
typedef struct platform_held {
#if defined(PLATFORM_WINDOWS)
    HANDLE handle;
#else
    int file;
#endif
    char path[];
} platform_held;

static bool platform_sync(void* user, void* file)
{
    (void)user;
    bool synced = fflush(file) == 0;
#if defined(PLATFORM_POSIX)
    synced = synced && fsync(fileno(file)) == 0;
#elif defined(PLATFORM_WINDOWS)
    synced = synced && _commit(_fileno(file)) == 0;
#endif
    return synced;
}

static bool platform_rename(void* user, const char* old_path, const char* new_path)
{
    (void)user;
#if defined(PLATFORM_WINDOWS)
    return MoveFileExA(old_path, new_path, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) != 0;
#else
#if !defined(PLATFORM_POSIX) /* rename may fail if the new path exists */
    (void)remove(new_path);
#endif
    return rename(old_path, new_path) == 0;
#endif
}

/* Writes the list of files in the folder of `path` to the disk, so that a rename lasts. */
static bool platform_sync_folder(void* user, const char* path)
{
    (void)user;
#if defined(PLATFORM_POSIX)
    const char* slash = strrchr(path, '/'); /* the last one */
    size_t length = 0;                      /* of the folder's path, with the slash */
    if (slash != NULL) {
        length = (size_t)(slash - path) + 1;
    }
    char* folder = malloc(length + 2);
    if (folder == NULL) {
        return false;
    }
    memcpy(folder, path, length);
    memcpy(folder + length, ".", 2); /* "saves/a" becomes "saves/.", and "a" becomes "." */
    int file = open(folder, O_RDONLY);
    free(folder);
    if (file < 0) {
        return false;
    }
    bool synced = fsync(file) == 0;
    return close(file) == 0 && synced;
#else /* not needed on Windows, impossible in standard C */
    (void)path;
    return true;
#endif
}

#if defined(PLATFORM_POSIX)
/* Whether the path still names the file that was locked. */
static bool platform_names_locked(const platform_held* held)
{
    struct stat locked;
    struct stat named;
    if (fstat(held->file, &locked) != 0 || stat(held->path, &named) != 0) {
        return false;
    }
    return locked.st_ino == named.st_ino && locked.st_dev == named.st_dev;
}

/* Opens and locks the file held->path. Returns SETT_STATUS_LOCKED if another process has the
 * lock. */
static sett_status platform_take(platform_held* held)
{
    for (;;) {
        held->file = open(held->path, O_RDWR | O_CREAT, 0666);
        if (held->file < 0) {
            return SETT_STATUS_FILE;
        }
        if (flock(held->file, LOCK_EX | LOCK_NB) != 0) {
            sett_status status = errno == EWOULDBLOCK ? SETT_STATUS_LOCKED : SETT_STATUS_FILE;
            (void)close(held->file);
            return status;
        }
        if (platform_names_locked(held)) {
            return SETT_OK;
        }
        (void)close(held->file); /* another process has removed the locked file: try again */
    }
}
#elif defined(PLATFORM_WINDOWS)
static sett_status platform_take(platform_held* held)
{
    held->handle = CreateFileA(held->path, GENERIC_WRITE, 0, NULL, OPEN_ALWAYS,
                               FILE_FLAG_DELETE_ON_CLOSE, NULL);
    if (held->handle != INVALID_HANDLE_VALUE) {
        return SETT_OK;
    }
    return GetLastError() == ERROR_SHARING_VIOLATION ? SETT_STATUS_LOCKED : SETT_STATUS_FILE;
}
#else
/* The system has no file locks, so the file itself is the lock. If the file exists, another program
 * holds the lock. */
static sett_status platform_take(platform_held* held)
{
    FILE* file = fopen(held->path, "wbx");
    if (file != NULL && fclose(file) == 0) {
        return SETT_OK;
    }
    if (file != NULL) {
        (void)remove(held->path); /* the file could not be closed */
        return SETT_STATUS_FILE;
    }
    file = fopen(held->path, "rb");
    if (file == NULL) {
        return SETT_STATUS_FILE; /* the file does not exist, and cannot be created */
    }
    (void)fclose(file);
    return SETT_STATUS_LOCKED;
}
#endif

static sett_status platform_lock(void* user, const char* path, void** lock)
{
    size_t size = strlen(path) + 1;
    platform_held* held = malloc(sizeof(*held) + size);
    (void)user;
    if (held == NULL) {
        return SETT_STATUS_OUT_OF_MEMORY;
    }
    memcpy(held->path, path, size);
    sett_status status = platform_take(held);
    if (status != SETT_OK) {
        free(held);
        held = NULL;
    }
    *lock = held;
    return status;
}

static void platform_unlock(void* user, void* lock)
{
    const platform_held* held = lock;
    (void)user;
#if defined(PLATFORM_WINDOWS)
    (void)CloseHandle(held->handle);
#elif defined(PLATFORM_POSIX)
    (void)unlink(held->path);
    (void)close(held->file);
#else
    (void)remove(held->path);
#endif
    free(lock);
}

const sett_files* setti_platform_files(void)
{
    static const sett_files files = {NULL,          platform_open,   platform_close,
                                     platform_read, platform_write,  platform_size,
                                     platform_sync, platform_rename, platform_unlink,
                                     platform_lock, platform_unlock, platform_sync_folder};
    return &files;
}

void setti_platform_print(const char* text, size_t size)
{
#if defined(PLATFORM_POSIX)
    while (size != 0) {
        ssize_t written = write(STDERR_FILENO, text, size);
        if (written <= 0) {
            return;
        }
        text += written;
        size -= (size_t)written;
    }
#else
    (void)fwrite(text, 1, size, stderr);
#endif
}

/* ---------------------------------------------------------------------------------------- clock */

uint64_t setti_platform_now(void)
{
#if defined(PLATFORM_WINDOWS)
    LARGE_INTEGER frequency;
    LARGE_INTEGER ticks;
    QueryPerformanceFrequency(&frequency);
    QueryPerformanceCounter(&ticks);
    uint64_t second = (uint64_t)frequency.QuadPart;
    uint64_t count = (uint64_t)ticks.QuadPart;
    /* whole seconds and the remainder apart, so that no product overflows */
    return (count / second) * 1000000000u + (count % second) * 1000000000u / second;
#else
    struct timespec now;
#if defined(CLOCK_MONOTONIC)
    clock_gettime(CLOCK_MONOTONIC, &now);
#else
    timespec_get(&now, TIME_UTC);
#endif
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
#endif
}

void setti_platform_sleep(uint64_t nanoseconds)
{
#if defined(PLATFORM_WINDOWS)
    Sleep((DWORD)(nanoseconds / 1000000u + 1)); /* milliseconds, rounded up */
#elif defined(PLATFORM_POSIX)
    struct timespec left = {(time_t)(nanoseconds / 1000000000u), (long)(nanoseconds % 1000000000u)};
    while (nanosleep(&left, &left) != 0 && errno == EINTR) { /* a signal: sleeps on */
    }
#else
    uint64_t end = setti_platform_now() + nanoseconds;
    while (setti_platform_now() < end) {
        setti_lock_pause();
    }
#endif
}

/* -------------------------------------------------------------------------------------- threads */

uintptr_t setti_platform_thread(void)
{
    return (uintptr_t)&errno; /* C gives each thread its own errno */
}

uint32_t setti_platform_callers(void** out, uint32_t capacity)
{
#if defined(__GLIBC__) || defined(__APPLE__)
    int count = backtrace(out, (int)capacity);
    return count > 0 ? (uint32_t)count : 0;
#elif defined(PLATFORM_WINDOWS)
    return CaptureStackBackTrace(0, capacity, out, NULL);
#else
    (void)out;
    (void)capacity;
    return 0;
#endif
}

/* Returns the lowest address of the calling thread's stack, or UINTPTR_MAX if unknown. */
static uintptr_t platform_stack_end(void)
{
    uintptr_t end = UINTPTR_MAX;
#if defined(PLATFORM_WINDOWS)
    end = (uintptr_t)((const NT_TIB*)NtCurrentTeb())->StackLimit; /* also in fibers */
#elif defined(__linux__) && defined(__GLIBC__)
    pthread_attr_t attributes;
    void* address = NULL;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        if (pthread_attr_getstack(&attributes, &address, &size) == 0) {
            end = (uintptr_t)address;
        }
        (void)pthread_attr_destroy(&attributes);
    }
#endif
    return end;
}

/* Stacks grow down. So a variable below `here` belongs to a function that has returned. This
 * function is not inlined, because variables of the caller could then be below `here`. */
SETTI_APART bool setti_platform_has_returned(const void* variable)
{
    volatile char here = 0;
    (void)here;
    return (uintptr_t)variable < (uintptr_t)&here && (uintptr_t)variable >= platform_stack_end();
}

uint32_t setti_platform_cores(void)
{
    long count = 1;
#if defined(PLATFORM_WINDOWS)
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    count = (long)info.dwNumberOfProcessors;
#elif defined(PLATFORM_POSIX) && defined(_SC_NPROCESSORS_ONLN)
    count = sysconf(_SC_NPROCESSORS_ONLN);
#endif
    return count > 0 ? (uint32_t)count : 1;
}

/* On systems without threads, a gate is always open. */
#if defined(PLATFORM_POSIX)
typedef pthread_mutex_t platform_mutex;
typedef pthread_cond_t platform_condition;
typedef pthread_t platform_handle;
#define PLATFORM_LOCK(gate) pthread_mutex_lock(&(gate)->mutex)
#define PLATFORM_UNLOCK(gate) pthread_mutex_unlock(&(gate)->mutex)
#define PLATFORM_WAIT(gate) pthread_cond_wait(&(gate)->condition, &(gate)->mutex)
#define PLATFORM_WAKE(gate) pthread_cond_broadcast(&(gate)->condition)
#elif defined(PLATFORM_WINDOWS)
typedef SRWLOCK platform_mutex;
typedef CONDITION_VARIABLE platform_condition;
typedef HANDLE platform_handle;
#define PLATFORM_LOCK(gate) AcquireSRWLockExclusive(&(gate)->mutex)
#define PLATFORM_UNLOCK(gate) ReleaseSRWLockExclusive(&(gate)->mutex)
#define PLATFORM_WAIT(gate)                                                                        \
    SleepConditionVariableSRW(&(gate)->condition, &(gate)->mutex, INFINITE, 0)
#define PLATFORM_WAKE(gate) WakeAllConditionVariable(&(gate)->condition)
#else
typedef char platform_mutex;
typedef char platform_condition;
typedef char platform_handle;
#define PLATFORM_LOCK(gate) (void)(gate)
#define PLATFORM_UNLOCK(gate) (void)(gate)
#define PLATFORM_WAIT(gate) (void)(gate)
#define PLATFORM_WAKE(gate) (void)(gate)
#endif

typedef struct platform_gate {
    platform_mutex mutex;
    platform_condition condition;
} platform_gate;

static_assert(sizeof(platform_gate) <= sizeof(setti_gate), "a gate has room for its parts");
static_assert(sizeof(platform_handle) <= sizeof(((setti_thread*)0)->opaque), "a handle fits");

static platform_gate* platform_gate_of(setti_gate* gate)
{
    return (platform_gate*)(void*)gate;
}

bool setti_gate_init(setti_gate* gate)
{
    platform_gate* parts = platform_gate_of(gate);
    (void)parts;
#if defined(PLATFORM_POSIX)
    if (pthread_mutex_init(&parts->mutex, NULL) != 0) {
        return false;
    }
    if (pthread_cond_init(&parts->condition, NULL) != 0) {
        pthread_mutex_destroy(&parts->mutex);
        return false;
    }
#elif defined(PLATFORM_WINDOWS)
    InitializeSRWLock(&parts->mutex);
    InitializeConditionVariable(&parts->condition);
#endif
    return true;
}

void setti_gate_deinit(setti_gate* gate)
{
    platform_gate* parts = platform_gate_of(gate);
    (void)parts;
#if defined(PLATFORM_POSIX)
    pthread_cond_destroy(&parts->condition);
    pthread_mutex_destroy(&parts->mutex);
#endif
}

void setti_gate_lock(setti_gate* gate)
{
    PLATFORM_LOCK(platform_gate_of(gate));
}

void setti_gate_unlock(setti_gate* gate)
{
    PLATFORM_UNLOCK(platform_gate_of(gate));
}

void setti_gate_wait(setti_gate* gate)
{
    PLATFORM_WAIT(platform_gate_of(gate));
}

void setti_gate_wake(setti_gate* gate)
{
    PLATFORM_WAKE(platform_gate_of(gate));
}

#if defined(PLATFORM_WINDOWS)
static DWORD WINAPI platform_thread_body(void* argument)
#else
static void* platform_thread_body(void* argument)
#endif
{
    const setti_thread* thread = argument;
    thread->body(thread->user);
    return 0;
}

bool setti_thread_start(setti_thread* thread)
{
#if defined(PLATFORM_POSIX)
    pthread_t handle;
    bool started = pthread_create(&handle, NULL, platform_thread_body, thread) == 0;
#elif defined(PLATFORM_WINDOWS)
    HANDLE handle = CreateThread(NULL, 0, platform_thread_body, thread, 0, NULL);
    bool started = handle != NULL;
#else
    (void)platform_thread_body;
    platform_handle handle = 0;
    bool started = false;
#endif
    if (started) {
        memcpy(thread->opaque, &handle, sizeof(handle));
    }
    return started;
}

void setti_thread_join(setti_thread* thread)
{
    platform_handle handle;
    memcpy(&handle, thread->opaque, sizeof(handle));
#if defined(PLATFORM_POSIX)
    pthread_join(handle, NULL);
#elif defined(PLATFORM_WINDOWS)
    WaitForSingleObject(handle, INFINITE);
    CloseHandle(handle);
#endif
}

#endif

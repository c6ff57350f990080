/* Sett: an entity component system in C.
 *
 * base.h: version, status codes and the hooks through which a world reaches memory and the outside.
 * Everything here is plain data: no compile option changes a layout.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_BASE_H
#define SETT_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SETT_VERSION_MAJOR 0
#define SETT_VERSION_MINOR 2
#define SETT_VERSION_PATCH 0
#define SETT_VERSION (SETT_VERSION_MAJOR * 10000 + SETT_VERSION_MINOR * 100 + SETT_VERSION_PATCH)

/* Linkage: define SETT_DLL when linking against the shared library, SETT_BUILD_SHARED while
 * building it. */
#if defined(_WIN32) && defined(SETT_BUILD_SHARED)
#define SETT_LINKAGE __declspec(dllexport)
#elif defined(_WIN32) && defined(SETT_DLL)
#define SETT_LINKAGE __declspec(dllimport)
#elif defined(__GNUC__)
#define SETT_LINKAGE __attribute__((visibility("default")))
#else
#define SETT_LINKAGE
#endif

#ifdef __cplusplus
#define SETT_API extern "C" SETT_LINKAGE
#define SETT_ALIGNOF(T) alignof(T)
#else
#define SETT_API extern SETT_LINKAGE
#define SETT_ALIGNOF(T) _Alignof(T)
#endif

/* In front of a function whose result must be used: compilers warn if it is dropped. */
#if defined(__GNUC__) || defined(__clang__)
#define SETT_NODISCARD __attribute__((warn_unused_result))
#elif defined(_MSC_VER)
#include <sal.h>
#define SETT_NODISCARD _Check_return_
#else
#define SETT_NODISCARD
#endif

/* What a call that can fail returns: one list for the enumerators, their names and their texts. */
#define SETT_STATUS_LIST(X)                                                                        \
    X(OK, "success")                                                                               \
    X(OUT_OF_MEMORY, "the allocator returned NULL; nothing was changed")                           \
    X(LIMIT, "a limit of the world or of the library is reached")                                  \
    X(ARGUMENT, "an argument is outside of what the function documents")                           \
    X(STALE,                                                                                       \
      "the handle is null, or its entity is not alive: destroyed, never created, or reserved by "  \
      "a command that was not applied yet")                                                        \
    X(UNREGISTERED, "the component id is not registered in this world")                            \
    X(PRESENT, "it exists already (sett_set overwrites a component, sett_ensure accepts it)")      \
    X(ABSENT, "the entity does not have the component (sett_find asks, sett_ensure adds)")         \
    X(CONFLICT, "a different registration or owner holds this name, id or type")                   \
    X(CYCLE, "it would close a cycle")                                                             \
    X(LOCKED, "structure cannot change now: a loop is open or a callback runs")                    \
    X(REJECTED, "something that depends on it forbids it; the message names it")                   \
    X(LOST, "the snapshot is lost: memory ran out, or the limit on its memory was exceeded")       \
    X(MISMATCH, "header and library are of different versions")                                    \
    X(INVALID, "an invariant does not hold; the message says which")                               \
    X(FILE, "a file could not be read or written; the message names it")

typedef enum sett_status {
#define SETT_STATUS_ENUM(name, text) SETT_STATUS_##name,
    SETT_STATUS_LIST(SETT_STATUS_ENUM)
#undef SETT_STATUS_ENUM
    SETT_STATUS_COUNT
} sett_status;

#define SETT_OK SETT_STATUS_OK

/* Returns the name of a status, such as "SETT_STATUS_STALE"; "SETT_STATUS_?" for other values.
 * Threads: any. Since: 0.1 */
SETT_API const char* sett_status_name(sett_status status);

/* Returns one sentence in English that says what a status means. Threads: any. Since: 0.1 */
SETT_API const char* sett_status_text(sett_status status);

/* Returns SETT_VERSION as the library was compiled with it. Threads: any. Since: 0.1 */
SETT_API int sett_version(void);

/* A world: entities, their components, and all that belongs to them (core.h). */
typedef struct sett_world sett_world;

/* Where memory comes from. If alloc_fn returns NULL, the call that needed memory fails with
 * SETT_STATUS_OUT_OF_MEMORY and leaves the world as it was. */
typedef struct sett_allocator {
    /* Returns `size` bytes, aligned to `align`, a power of two. Default (NULL): the C library, for
     * both functions */
    void* (*alloc_fn)(void* user, size_t size, size_t align);
    /* Frees what alloc_fn or zero_fn returned; `size` and `align` are what that was called with. */
    void (*free_fn)(void* user, void* ptr, size_t size, size_t align);
    void* user; /* passed to all three */
    /* Optional. Like alloc_fn, of bytes that are all 0; not cleared, but new from the system, which
     * backs them with memory when they are touched: calloc of most C libraries, mmap, VirtualAlloc.
     * It is asked for tables of 512 KB and more of which few bytes are touched, with an `align` of
     * 16: what it costs is an entity whose index is far above the others (entity_limit in core.h).
     * It returns NULL if it cannot: then alloc_fn is asked, and the memory is cleared. Default
     * (NULL): that is always so. Since: 0.2 */
    void* (*zero_fn)(void* user, size_t size, size_t align);
} sett_allocator;

typedef enum sett_log_level {
    SETT_LOG_INFO,
    SETT_LOG_WARNING,
    SETT_LOG_ERROR,
} sett_log_level;

/* Receives one line, without a line end. `message` is valid until the hook returns. The same misuse
 * at the same place in the program is logged the 1st, 10th, 100th time and so on. The hook can read
 * the world and record commands. Structural changes in the hook are rejected (LOCKED). A message
 * that the hook itself causes is dropped. */
typedef void (*sett_log_fn)(void* user, sett_log_level level, const char* message);

/* Called in debug builds of the library (compiled without NDEBUG) each time a misuse was rejected:
 * a place to set a breakpoint or to abort. When the hook returns, the failed call returns normally.
 * The hook is not called for what comes from outside of the program: a file that is missing or
 * damaged, JSON, a delta, the text of a query. These are only logged, and the call says why it
 * failed. The rules of sett_log_fn apply. */
typedef void (*sett_assert_fn)(void* user, sett_status status, const char* message);

/* The log hook used when none is given: warnings and errors go to stderr. Threads: any. Since: 0.1
 */
SETT_API void sett_log_stderr(void* user, sett_log_level level, const char* message);

/* A log hook that drops everything. Threads: any. Since: 0.1 */
SETT_API void sett_log_silent(void* user, sett_log_level level, const char* message);

#endif

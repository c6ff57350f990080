/* platform.h: the system below Sett as one struct of functions, for a console, an embedded target
 * or an engine that has its own memory, threads and files.
 *
 *     #include "sett/platform.h"
 *
 *     const sett_platform engine = {
 *         .allocator = {.alloc_fn = engine_alloc, .free_fn = engine_free},
 *         .now = engine_now,
 *         .print = engine_print,
 *     };
 *
 * Compile sett.c, or all of its parts, with -DSETT_PLATFORM=engine, and link the object that
 * defines `engine` (in C++: extern "C"). Sett then calls nothing of the system. Of the C library it
 * calls functions of memory and strings, qsort, snprintf, vsnprintf, strtod and strtof. Without
 * SETT_PLATFORM the functions of Linux, macOS, Windows or standard C serve, and this header is not
 * needed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_PLATFORM_H
#define SETT_PLATFORM_H

#include "sett/file.h"

/* The functions that replace those of the system. They can be called by any thread at any time.
 * What is NULL is missing, and the comment says what happens then. Since: 0.2 */
typedef struct sett_platform {
    /* memory, where a world, a pool of threads or a reader of files is given no allocator. Missing:
     * these fail as if memory had run out */
    sett_allocator allocator;
    /* nanoseconds of a clock that never goes back. Missing: sett_frame_wait returns 1 / rate at
     * once, and all times of systems are 0 */
    uint64_t (*now)(void);
    /* sleeps at least so long. Missing: the clock is read until then */
    void (*sleep)(uint64_t nanoseconds);
    /* shows a text, which ends in no zero byte: warnings and errors of worlds without log_fn, and
     * what sett_print writes. Missing: nothing is shown */
    void (*print)(const char* text, size_t size);
    /* the files that sett_file_desc.files replaces. Missing: without it each call fails with
     * SETT_STATUS_FILE */
    const sett_files* files;

    /* a number of the calling thread, unique while the thread runs. Missing: all calls come from
     * one thread */
    uintptr_t (*thread)(void);
    /* threads that the machine runs at once. Missing: 1 */
    uint32_t (*cores)(void);
    /* starts a thread that calls `body`; returns NULL if it cannot. Missing, like the seven below:
     * systems run on the calling thread, and sett_autosave_start returns when the file is
     * written */
    void* (*thread_start)(void (*body)(void* user), void* user);
    void (*thread_join)(void* thread);
    /* a mutex with one condition; returns NULL if there is none left. `gate_wait` is called with
     * the mutex locked, and returns so; `gate_wake` wakes all threads that wait */
    void* (*gate_create)(void);
    void (*gate_destroy)(void* gate);
    void (*gate_lock)(void* gate);
    void (*gate_unlock)(void* gate);
    void (*gate_wait)(void* gate);
    void (*gate_wake)(void* gate);
} sett_platform;

#endif

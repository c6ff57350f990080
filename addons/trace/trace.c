/* trace.c: spans as JSON.
 *
 * The workload: threads that run jobs of some microseconds at once. Begins and ends go to an array,
 * whose next place is an atomic number: no lock, and no memory taken. Which end belongs to which
 * begin is found when the file is written, thread by thread.
 *
 * Invariant:  the marks of one thread are in the order of its calls
 */
#if defined(__unix__) || defined(__APPLE__)
#define _POSIX_C_SOURCE 200809L
#endif

#include "../argument.h"
#include "sett_trace.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TRACE_DEPTH 64u    /* spans inside of each other */
#define TRACE_THREADS 256u /* with a number of their own */

/* One begin, or one end. */
typedef struct trace_mark {
    uint64_t time; /* nanoseconds */
    uint64_t number;
    uintptr_t thread;
    sett_span_kind kind;
    bool begins;
    char name[44];
} trace_mark;

struct sett_trace_file {
    uint32_t capacity;
    atomic_uint used; /* may exceed it: these were lost */
    trace_mark marks[];
};

static const char* const trace_kinds[] = {"frame",    "system",   "job",
                                          "commands", "snapshot", "restore"};

sett_trace_file* sett_trace_file_create(uint32_t spans)
{
    size_t most = (SIZE_MAX - sizeof(sett_trace_file)) / sizeof(trace_mark) / 2;
    if (spans == 0 || spans > most || spans > UINT32_MAX / 4) {
        return NULL;
    }
    sett_trace_file* file = malloc(sizeof(*file) + 2 * (size_t)spans * sizeof(trace_mark));
    if (file != NULL) {
        file->capacity = 2 * spans;
        atomic_init(&file->used, 0);
    }
    return file;
}

void sett_trace_file_destroy(sett_trace_file* file)
{
    free(file);
}

static uint64_t trace_now(void)
{
    struct timespec now;
#if defined(CLOCK_MONOTONIC)
    clock_gettime(CLOCK_MONOTONIC, &now);
#else
    timespec_get(&now, TIME_UTC);
#endif
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* A place; NULL if all are taken. The number does not overflow: it stops growing there. */
static trace_mark* trace_add(sett_trace_file* file, sett_span_kind kind)
{
    static _Thread_local char here; /* its address is that of the thread */
    if (atomic_load_explicit(&file->used, memory_order_relaxed) >= UINT32_MAX / 2) {
        return NULL;
    }
    uint32_t place = atomic_fetch_add_explicit(&file->used, 1, memory_order_relaxed);
    if (place >= file->capacity) {
        return NULL;
    }
    trace_mark* mark = &file->marks[place];
    mark->thread = (uintptr_t)&here;
    mark->kind = kind;
    return mark;
}

void sett_trace_file_begin(void* user, sett_span_kind kind, const char* name, uint64_t number)
{
    if (ARGUMENT_IS_NULL(user) || ARGUMENT_IS_NULL(name)) {
        return;
    }
    trace_mark* mark = trace_add(user, kind);
    if (mark != NULL) {
        size_t length = strnlen(name, sizeof(mark->name) - 1);
        memcpy(mark->name, name, length);
        mark->name[length] = '\0';
        mark->number = number;
        mark->begins = true;
        mark->time = trace_now();
    }
}

void sett_trace_file_end(void* user, sett_span_kind kind)
{
    if (ARGUMENT_IS_NULL(user)) {
        return;
    }
    uint64_t now = trace_now();
    trace_mark* mark = trace_add(user, kind);
    if (mark != NULL) {
        mark->begins = false;
        mark->time = now;
    }
}

static uint32_t trace_count(const sett_trace_file* file)
{
    uint32_t used =
        atomic_load_explicit(&((sett_trace_file*)(uintptr_t)file)->used, memory_order_acquire);
    return used < file->capacity ? used : file->capacity;
}

uint32_t sett_trace_file_lost(const sett_trace_file* file)
{
    if (ARGUMENT_IS_NULL(file)) {
        return 0;
    }
    uint32_t used =
        atomic_load_explicit(&((sett_trace_file*)(uintptr_t)file)->used, memory_order_relaxed);
    return used - trace_count(file);
}

void sett_trace_file_clear(sett_trace_file* file)
{
    if (!ARGUMENT_IS_NULL(file)) {
        atomic_store_explicit(&file->used, 0, memory_order_release);
    }
}

/* ------------------------------------------------------------------------------------- writing */

/* The spans of a thread that have not ended. */
typedef struct trace_thread {
    uintptr_t thread;
    uint32_t depth;
    const trace_mark* open[TRACE_DEPTH];
} trace_thread;

static void trace_write_text(FILE* out, const char* text)
{
    for (const char* at = text; *at != '\0'; at++) {
        unsigned char c = (unsigned char)*at;
        if (c == '"' || c == '\\') {
            fprintf(out, "\\%c", c);
        } else if (c < ' ') {
            fprintf(out, "\\u%04x", (unsigned)c);
        } else {
            fputc(c, out);
        }
    }
}

static void trace_write_time(FILE* out, const char* name, uint64_t nanoseconds)
{
    fprintf(out, ",\"%s\":%llu.%03u", name, (unsigned long long)(nanoseconds / 1000),
            (unsigned)(nanoseconds % 1000));
}

static void trace_write_span(FILE* out, const trace_mark* begin, uint64_t end, uint64_t first,
                             uint32_t thread)
{
    fputs(",\n{\"name\":\"", out);
    trace_write_text(out, begin->name);
    fprintf(out, "\",\"cat\":\"%s\",\"ph\":\"X\",\"pid\":1,\"tid\":%u",
            trace_kinds[(uint32_t)begin->kind % 6], (unsigned)thread + 1);
    trace_write_time(out, "ts", begin->time - first);
    trace_write_time(out, "dur", end - begin->time);
    fprintf(out, ",\"args\":{\"number\":%llu}}", (unsigned long long)begin->number);
}

static trace_thread* trace_find_thread(trace_thread* threads, uint32_t* count, uintptr_t thread)
{
    for (uint32_t k = 0; k < *count; k++) {
        if (threads[k].thread == thread) {
            return &threads[k];
        }
    }
    if (*count == TRACE_THREADS) {
        return NULL;
    }
    threads[*count].thread = thread;
    threads[*count].depth = 0;
    return &threads[(*count)++];
}

static void trace_write_marks(FILE* out, const sett_trace_file* file, trace_thread* threads)
{
    uint32_t count = trace_count(file);
    uint32_t thread_count = 0;
    uint64_t first = UINT64_MAX;
    for (uint32_t k = 0; k < count; k++) {
        first = file->marks[k].time < first ? file->marks[k].time : first;
    }
    for (uint32_t k = 0; k < count; k++) {
        const trace_mark* mark = &file->marks[k];
        trace_thread* of = trace_find_thread(threads, &thread_count, mark->thread);
        if (of == NULL) {
            continue;
        }
        if (mark->begins) {
            if (of->depth < TRACE_DEPTH) {
                of->open[of->depth] = mark;
            }
            of->depth++;
        } else if (of->depth != 0) {
            of->depth--;
            if (of->depth < TRACE_DEPTH) {
                trace_write_span(out, of->open[of->depth], mark->time, first,
                                 (uint32_t)(of - threads));
            }
        }
    }
}

bool sett_trace_file_save(const sett_trace_file* file, const char* path)
{
    if (ARGUMENT_IS_NULL(file) || ARGUMENT_IS_NULL(path)) {
        return false;
    }
    FILE* out = fopen(path, "w");
    trace_thread* threads = out != NULL ? malloc(TRACE_THREADS * sizeof(*threads)) : NULL;
    if (threads != NULL) {
        fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
              "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"args\":{\"name\":\"sett\"}}",
              out);
        trace_write_marks(out, file, threads);
        fputs("\n]}\n", out);
    }
    bool good = threads != NULL && ferror(out) == 0;
    free(threads);
    return out != NULL && fclose(out) == 0 && good;
}

/* thread.c: a pool of threads that runs a single task at a time.
 *
 * The workload: some stages a frame, on 2 to 16 threads. A stage is a list of slices of 10 to
 * 500 us. A single lock guards the list, so a thread takes several slices at a time. Threads spin
 * for some microseconds before they sleep, because waking a thread takes 5 to 50 us.
 *
 *     items  | taken | taken | next ... end |    unfinished = end - next + taken but not finished
 *
 * Worlds count as users from sett_schedule_configure on. A program may destroy a pool before the
 * worlds. Then the threads end, tasks run on the calling thread, and the last world frees the pool.
 *
 * Invariant, under the lock:  next <= end;  end - next <= unfinished;  busy if unfinished != 0
 */
#include "base/atomic.h"
#include "base/platform.h"
#include "run/run.h"
#include "sett/threads.h"

#include <string.h>

#define THREADS_MAX 1024
#define THREADS_SPIN 500 /* rounds (of about 40 ns) that a thread spins before it sleeps */

struct sett_threads {
    sett_allocator allocator;
    setti_gate gate; /* guards the members from here to `users` */
    sett_task_fn task;
    void* context;
    uint32_t next; /* items [next, end) are not taken */
    uint32_t end;
    uint32_t min_range;
    uint32_t unfinished; /* items not finished yet, taken or not */
    uint32_t posts;      /* number of tasks so far */
    uint32_t sleepers;   /* threads waiting at the gate */
    bool busy;           /* from enqueue to finish */
    bool stopping;
    bool destroyed; /* destroyed by the program; the last world frees the pool */
    uint32_t users; /* number of worlds with this pool */

    setti_signal posted; /* equals `posts` */
    setti_signal done;   /* equals `posts` once the last task is finished */

    size_t size;    /* bytes of this struct with `thread` */
    uint32_t count; /* number of threads in `thread` */
    setti_thread thread[];
};

/* Takes some of the remaining items, and runs them. The caller holds the lock. The lock is released
 * while the items run. */
static void threads_work(sett_threads* threads)
{
    SETTI_ASSERT(threads->next < threads->end && threads->unfinished != 0);
    uint32_t remaining = threads->end - threads->next;
    /* half of an equal share, so that all threads finish at about the same time */
    uint32_t share = remaining / (2 * (threads->count + 1));
    uint32_t count = SETTI_MAX(share, threads->min_range);
    count = SETTI_MAX(count, 1);
    count = SETTI_MIN(count, remaining);
    uint32_t begin = threads->next;
    sett_task_fn task = threads->task;
    void* context = threads->context;
    threads->next += count;
    setti_gate_unlock(&threads->gate);
    task(begin, begin + count, context);
    setti_gate_lock(&threads->gate);
    SETTI_ASSERT(threads->unfinished >= count);
    threads->unfinished -= count;
    if (threads->unfinished == 0) {
        setti_signal_set(&threads->done, threads->posts);
        if (threads->sleepers != 0) {
            setti_gate_wake(&threads->gate);
        }
    }
}

static void threads_sleep(sett_threads* threads)
{
    threads->sleepers++;
    setti_gate_wait(&threads->gate);
    threads->sleepers--;
}

/* Spins until the signal equals `value`. If `equal` is false, spins until the signal differs from
 * `value`. Gives up after some rounds. */
static void threads_spin(setti_signal* signal, uint32_t value, bool equal)
{
    uint32_t rounds = SETTI_SIGNAL_ROUNDS(THREADS_SPIN);
    while (rounds-- != 0 && setti_signal_is(signal, value) != equal) {
        setti_lock_pause();
    }
}

/* The function of each thread in the pool. */
static void threads_body(void* user)
{
    sett_threads* threads = user;
    setti_gate_lock(&threads->gate);
    while (!threads->stopping) {
        uint32_t seen_posts = threads->posts;
        if (threads->next < threads->end) {
            threads_work(threads);
            continue;
        }
        setti_gate_unlock(&threads->gate);
        const bool until_equal = false;
        threads_spin(&threads->posted, seen_posts, until_equal);
        setti_gate_lock(&threads->gate);
        if (threads->posts == seen_posts && !threads->stopping) {
            threads_sleep(threads);
        }
    }
    setti_gate_unlock(&threads->gate);
}

/* The function `enqueue` of the pool. If the pool cannot take the task, runs the task at once, and
 * returns NULL. */
static void* threads_enqueue(sett_task_fn task, uint32_t count, uint32_t min_range, void* context,
                             void* user)
{
    sett_threads* threads = user;
    setti_gate_lock(&threads->gate);
    bool accepts = !threads->busy && threads->count != 0 && count != 0;
    if (accepts) {
        threads->busy = true;
        threads->task = task;
        threads->context = context;
        threads->next = 0;
        threads->end = count;
        threads->min_range = min_range;
        threads->unfinished = count;
        threads->posts++;
        setti_signal_set(&threads->posted, threads->posts);
        if (threads->sleepers != 0) {
            setti_gate_wake(&threads->gate);
        }
    }
    setti_gate_unlock(&threads->gate);
    if (!accepts) {
        task(0, count, context);
        return NULL;
    }
    return threads;
}

/* The function `finish` of the pool. Returns when all items are finished. */
static void threads_finish(void* handle, void* user)
{
    sett_threads* threads = user;
    (void)handle;
    SETTI_ASSERT(handle == user);
    setti_gate_lock(&threads->gate);
    while (threads->unfinished != 0) {
        if (threads->next < threads->end) { /* this thread helps */
            threads_work(threads);
            continue;
        }
        uint32_t post = threads->posts;
        setti_gate_unlock(&threads->gate);
        const bool until_equal = true;
        threads_spin(&threads->done, post, until_equal);
        setti_gate_lock(&threads->gate);
        if (threads->unfinished != 0) {
            threads_sleep(threads);
        }
    }
    threads->busy = false;
    setti_gate_unlock(&threads->gate);
}

static void threads_free(sett_threads* threads)
{
    SETTI_ASSERT(!threads->busy && threads->users == 0);
    sett_allocator allocator = threads->allocator;
    setti_gate_deinit(&threads->gate);
    allocator.free_fn(allocator.user, threads, threads->size, 64);
}

SETTI_COLD sett_status sett_threads_destroy(sett_threads* threads)
{
    if (threads == NULL) {
        return SETT_OK;
    }
    setti_gate_lock(&threads->gate);
    if (threads->busy) {
        setti_gate_unlock(&threads->gate);
        return SETT_STATUS_LOCKED;
    }
    threads->stopping = true;
    threads->posts++; /* so that threads stop spinning */
    setti_signal_set(&threads->posted, threads->posts);
    setti_gate_wake(&threads->gate);
    setti_gate_unlock(&threads->gate);
    for (uint32_t k = 0; k < threads->count; k++) {
        setti_thread_join(&threads->thread[k]);
    }
    setti_gate_lock(&threads->gate);
    threads->count = 0;
    threads->destroyed = true;
    bool is_unused = threads->users == 0;
    setti_gate_unlock(&threads->gate);
    if (is_unused) {
        threads_free(threads);
    }
    return SETT_OK;
}

/* Returns the pool to which `tasks` belongs. Returns NULL if the threads are the program's own. */
static sett_threads* threads_of(const sett_tasks* tasks)
{
    return tasks->enqueue == threads_enqueue ? tasks->user : NULL;
}

void setti_threads_use(const sett_tasks* tasks)
{
    sett_threads* threads = threads_of(tasks);
    if (threads != NULL) {
        setti_gate_lock(&threads->gate);
        threads->users++;
        setti_gate_unlock(&threads->gate);
    }
}

void setti_threads_leave(const sett_tasks* tasks)
{
    sett_threads* threads = threads_of(tasks);
    if (threads == NULL) {
        return;
    }
    setti_gate_lock(&threads->gate);
    SETTI_ASSERT(threads->users != 0);
    threads->users--;
    bool was_last_user = threads->destroyed && threads->users == 0;
    setti_gate_unlock(&threads->gate);
    if (was_last_user) {
        threads_free(threads);
    }
}

bool setti_threads_are_destroyed(const sett_tasks* tasks)
{
    sett_threads* threads = threads_of(tasks);
    if (threads == NULL) {
        return false;
    }
    setti_gate_lock(&threads->gate);
    bool destroyed = threads->destroyed;
    setti_gate_unlock(&threads->gate);
    return destroyed;
}

SETTI_COLD sett_threads* sett_threads_create(uint32_t workers, const sett_allocator* allocator)
{
    sett_allocator chosen = setti_allocator_or_default(allocator);
    uint32_t wanted = workers;
    if (workers == 0) {
        wanted = setti_platform_cores();
    }
    uint32_t count = SETTI_MIN(wanted, THREADS_MAX) - 1; /* the calling thread works, too */
    size_t size = sizeof(sett_threads) + count * sizeof(setti_thread);
    sett_threads* threads = chosen.alloc_fn(chosen.user, size, 64);
    if (threads == NULL) {
        return NULL;
    }
    memset(threads, 0, size);
    threads->allocator = chosen;
    threads->size = size;
    if (!setti_gate_init(&threads->gate)) {
        chosen.free_fn(chosen.user, threads, size, 64);
        return NULL;
    }
    uint32_t started = 0;
    for (; started < count; started++) {
        threads->thread[started].body = threads_body;
        threads->thread[started].user = threads;
        if (!setti_thread_start(&threads->thread[started])) {
            break; /* the pool has fewer threads */
        }
    }
    setti_gate_lock(&threads->gate);
    threads->count = started;
    setti_gate_unlock(&threads->gate);
    return threads;
}

sett_tasks sett_threads_tasks(sett_threads* threads)
{
    static const sett_tasks none;
    sett_tasks tasks = {threads_enqueue, threads_finish, threads};
    return threads != NULL ? tasks : none;
}

uint32_t sett_threads_count(const sett_threads* threads)
{
    if (SETTI_IS_NULL(threads)) {
        return 0;
    }
    return threads->count + 1; /* the calling thread works, too */
}

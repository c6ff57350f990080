/* queue.c: queues of the changes that observers see.
 *
 * The workload: some thousands of changes a frame, taken once a frame, or never. The observer of a
 * queue owns the queue, and passes the queue to callbacks as `user`. Callbacks run while memory of
 * the pool is reserved for a change. So a queue allocates from the world's allocator, not the pool.
 *
 *     changes  [ taken | waiting . . . . | free ]      0 <= taken <= count <= capacity
 *
 * Invariant:  changes[taken, count) are in the order of events;
 *             lost != 0 => the lost changes happened after changes[count - 1]
 */
#include "sett/queue.h"

#include "base/platform.h"
#include "world/world.h"

struct sett_queue {
    sett_world* world;
    sett_observer* observer;
    sett_component component; /* 0: a query is observed */
    sett_queued_change* changes;
    /* `changes` has `count` changes; the program has taken the first `taken` changes */
    uint32_t taken, count, capacity;
    uint32_t lost; /* number of lost changes since the queue was empty */
};

#define QUEUE_ALIGN 16

static const char queue_call[] = "sett_queue_create";

/* Makes room for one more change. Returns false if SETT_QUEUE_LIMIT changes are waiting, or if
 * memory runs out. */
static bool queue_grow(sett_queue* queue)
{
    SETTI_ASSERT(queue->count == queue->capacity);
    uint32_t waiting = queue->count - queue->taken;
    if (waiting == SETT_QUEUE_LIMIT) {
        return false;
    }
    uint32_t capacity = SETTI_MIN(SETTI_MAX(64, 2 * waiting), SETT_QUEUE_LIMIT);
    if (capacity <= queue->capacity) { /* removing the taken changes makes enough room */
        memmove(queue->changes, queue->changes + queue->taken, waiting * sizeof(*queue->changes));
        queue->count = waiting;
        queue->taken = 0;
        return true;
    }
    const sett_allocator* allocator = &queue->world->pool.allocator;
    sett_queued_change* fresh =
        allocator->alloc_fn(allocator->user, capacity * sizeof(*fresh), QUEUE_ALIGN);
    if (fresh == NULL) {
        return false;
    }
    if (queue->changes != NULL) {
        memcpy(fresh, queue->changes + queue->taken, waiting * sizeof(*fresh));
        allocator->free_fn(allocator->user, queue->changes, queue->capacity * sizeof(*fresh),
                           QUEUE_ALIGN);
    }
    queue->changes = fresh;
    queue->capacity = capacity;
    queue->count = waiting;
    queue->taken = 0;
    return true;
}

static void queue_lose(sett_queue* queue)
{
    if (queue->lost != UINT32_MAX) {
        queue->lost++;
    }
}

static void queue_push(sett_queue* queue, sett_entity entity, sett_change change)
{
    bool has_gap = queue->lost != 0; /* then loses later changes too: queued changes have no gap */
    if (has_gap || (queue->count == queue->capacity && !queue_grow(queue))) {
        queue_lose(queue);
        return;
    }
    queue->changes[queue->count++] = (sett_queued_change){entity, queue->component, change};
}

static void queue_on_add(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)world;
    (void)value;
    queue_push(user, entity, SETT_CHANGE_ADD);
}

static void queue_on_set(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)world;
    (void)value;
    queue_push(user, entity, SETT_CHANGE_SET);
}

static void queue_on_remove(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)world;
    (void)value;
    queue_push(user, entity, SETT_CHANGE_REMOVE);
}

static void queue_on_enter(sett_world* world, sett_entity entity, void* user)
{
    (void)world;
    queue_push(user, entity, SETT_CHANGE_ADD);
}

static void queue_on_exit(sett_world* world, sett_entity entity, void* user)
{
    (void)world;
    queue_push(user, entity, SETT_CHANGE_REMOVE);
}

/* Frees a queue. This is the function free_user of the queue's observer. */
static void queue_free(void* user)
{
    sett_queue* queue = user;
    sett_allocator allocator = queue->world->pool.allocator;
    if (queue->changes != NULL) {
        allocator.free_fn(allocator.user, queue->changes, queue->capacity * sizeof(*queue->changes),
                          QUEUE_ALIGN);
    }
    allocator.free_fn(allocator.user, queue, sizeof(*queue), QUEUE_ALIGN);
}

/* Whether a descriptor sets a member that must not be set for a queue. */
static bool queue_sets_excluded_member(const sett_observer_desc* desc)
{
    if (desc->on_add != NULL || desc->on_set != NULL || desc->on_remove != NULL) {
        return true;
    }
    if (desc->on_event != NULL || desc->on_replace != NULL || desc->on_any != NULL) {
        return true;
    }
    if (desc->on_enter != NULL || desc->on_exit != NULL) {
        return true;
    }
    return desc->user != NULL || desc->free_user != NULL || desc->disabled;
}

/* Sets the callbacks in `desc`, the descriptor of the queue's observer. */
static void queue_observe(sett_queue* queue, sett_observer_desc* desc)
{
    queue->component = desc->component;
    if (desc->name == NULL) {
        desc->name = "queue";
    }
    desc->user = queue;
    desc->free_user = queue_free;
    if (desc->component != 0) {
        desc->on_add = queue_on_add;
        desc->on_set = queue_on_set;
        desc->on_remove = queue_on_remove;
    } else {
        desc->on_enter = queue_on_enter;
        desc->on_exit = queue_on_exit;
    }
}

SETTI_COLD sett_queue* sett_queue_create_sized(sett_world* world, const sett_observer_desc* desc,
                                               size_t size, size_t term_size)
{
    sett_observer_desc full;
    desc = setti_world_desc_terms(world, desc, size, term_size, &full, sizeof(full), full.terms,
                                  queue_call);
    if (desc == NULL) {
        return NULL;
    }
    if (queue_sets_excluded_member(desc)) {
        setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                              "%s: a queue has no callbacks, `user`, `free_user` or `disabled` - "
                              "leave them out of the descriptor",
                              queue_call);
        return NULL;
    }
    const sett_allocator* allocator = &world->pool.allocator;
    sett_queue* queue = allocator->alloc_fn(allocator->user, sizeof(*queue), QUEUE_ALIGN);
    if (queue == NULL) {
        setti_world_no_memory(world, queue_call);
        return NULL;
    }
    memset(queue, 0, sizeof(*queue));
    queue->world = world;
    sett_observer_desc observed = *desc;
    queue_observe(queue, &observed);
    queue->observer = setti_observer_create(world, &observed, queue_call);
    if (queue->observer == NULL) {
        queue_free(queue);
        return NULL;
    }
    return queue;
}

/* Reports the lost changes, once. */
static void queue_report_lost(sett_queue* queue)
{
    sett_status status = SETT_STATUS_OUT_OF_MEMORY;
    const char* cause = "memory for a queue ran out";
    if (queue->capacity == SETT_QUEUE_LIMIT) {
        status = SETT_STATUS_LIMIT;
        cause = "a queue was full";
    }
    setti_world_fail_with(queue->world, status,
                          "sett_queue_take: %s, so %u changes are lost - take changes each frame",
                          cause, (unsigned)queue->lost);
    setti_world_log(queue->world, SETT_LOG_WARNING, "%s", sett_world_message(queue->world));
    queue->lost = 0;
}

uint32_t sett_queue_take(sett_queue* queue, sett_queued_change* out, uint32_t capacity)
{
    if (SETTI_IS_NULL(queue)) {
        return 0;
    }
    uint32_t waiting = queue->count - queue->taken;
    if (out == NULL) {
        return waiting;
    }
    uint32_t count = SETTI_MIN(waiting, capacity);
    if (count != 0) {
        memcpy(out, queue->changes + queue->taken, count * sizeof(*out));
        queue->taken += count;
    }
    if (queue->taken < queue->count) {
        return count; /* the queue is not empty */
    }
    queue->taken = 0;
    queue->count = 0;
    if (queue->lost != 0) {
        queue_report_lost(queue);
    }
    return count;
}

sett_status sett_queue_destroy(sett_queue* queue)
{
    if (queue == NULL) {
        return SETT_OK;
    }
    return sett_observer_destroy(queue->observer);
}

/* ring.c: the snapshots of the last frames.
 *
 *     place    | . | 7 | 8 | 9 | . |        first = 1, count = 3: 9 is the latest
 *
 * The program can drop all snapshots of the world, and a limit can drop the oldest snapshots. So
 * each call first looks for the ring's oldest snapshot that has not ended.
 *
 * Invariant:  count <= capacity;  place[(first + k) % capacity] is the k-th oldest, for k < count
 */
#include "state/snapshot.h"

#include <stdio.h>

typedef struct ring_place {
    sett_snapshot snapshot;
    uint64_t frame; /* the program's number of the frame */
} ring_place;

struct sett_ring {
    sett_world* world;
    uint32_t capacity;
    uint32_t first; /* the place of the oldest snapshot */
    uint32_t count;
    ring_place place[];
};

static size_t ring_size(uint32_t capacity)
{
    return sizeof(sett_ring) + (size_t)capacity * sizeof(ring_place);
}

sett_ring* sett_ring_create(sett_world* world, uint32_t capacity)
{
    if (SETTI_IS_NULL(world) || setti_world_check_serial(world, __func__) != SETT_OK) {
        return NULL;
    }
    capacity = SETTI_MAX(capacity, 1);
    sett_ring* ring = setti_world_alloc(world, ring_size(capacity), 16, "sett_ring_create");
    if (ring != NULL) {
        ring->world = world;
        ring->capacity = capacity;
    }
    return ring;
}

/* Returns the place of the snapshot that is `back` snapshots before the latest. */
static uint32_t ring_index(const sett_ring* ring, uint32_t back)
{
    SETTI_ASSERT(back < ring->count);
    return (ring->first + ring->count - 1 - back) % ring->capacity;
}

/* Returns the number of snapshots from the oldest that has not ended to the latest. */
static uint32_t ring_length(const sett_ring* ring)
{
    for (uint32_t length = ring->count; length != 0; length--) {
        sett_snapshot oldest = ring->place[ring_index(ring, length - 1)].snapshot;
        if (sett_snapshot_status(ring->world, oldest) == SETT_OK) {
            return length;
        }
    }
    return 0;
}

/* Drops the oldest snapshot, and frees its place. */
static void ring_drop_oldest(sett_ring* ring)
{
    setti_snapshot_release(ring->world, ring->place[ring->first].snapshot);
    ring->first = (ring->first + 1) % ring->capacity;
    ring->count--;
}

sett_status sett_ring_destroy(sett_ring* ring)
{
    if (ring == NULL) {
        return SETT_OK;
    }
    sett_status status = setti_world_check_serial(ring->world, "sett_ring_destroy");
    if (status != SETT_OK) {
        return status;
    }
    while (ring->count != 0) {
        ring_drop_oldest(ring);
    }
    setti_pool_free(&ring->world->pool, ring, ring_size(ring->capacity), 16);
    return SETT_OK;
}

/* Drops the `count` latest snapshots, in the order in which they were taken. */
static void ring_drop_latest(sett_ring* ring, uint32_t count)
{
    for (uint32_t k = count; k > 0; k--) {
        setti_snapshot_release(ring->world, ring->place[ring_index(ring, k - 1)].snapshot);
    }
    ring->count -= count;
}

/* Takes a snapshot. Drops the snapshots of this frame and of later frames. */
static sett_status ring_take(sett_ring* ring, uint64_t frame, const char* call)
{
    sett_snapshot snapshot;
    sett_status status = setti_snapshot_take(ring->world, &snapshot, call);
    if (status != SETT_OK) {
        return status;
    }
    uint32_t later = 0; /* number of snapshots of this frame or of later frames */
    while (later < ring->count && ring->place[ring_index(ring, later)].frame >= frame) {
        later++;
    }
    ring_drop_latest(ring, later);
    if (ring->count == ring->capacity) {
        ring_drop_oldest(ring);
    }
    ring->count++;
    ring->place[ring_index(ring, 0)] = (ring_place){snapshot, frame};
    return SETT_OK;
}

sett_status sett_ring_take_frame(sett_ring* ring, uint64_t frame)
{
    if (SETTI_IS_NULL(ring)) {
        return SETT_STATUS_ARGUMENT;
    }
    return ring_take(ring, frame, __func__);
}

sett_status sett_ring_take(sett_ring* ring)
{
    if (SETTI_IS_NULL(ring)) {
        return SETT_STATUS_ARGUMENT;
    }
    uint64_t frame = 0;
    if (ring->count != 0) {
        frame = ring->place[ring_index(ring, 0)].frame + 1;
    }
    return ring_take(ring, frame, __func__);
}

/* Drops the `back` latest snapshots, then restores the snapshot before them. */
static sett_status ring_restore(sett_ring* ring, uint32_t back, const char* call)
{
    sett_snapshot target = ring->place[ring_index(ring, back)].snapshot;
    sett_status status = setti_world_check_unlocked(ring->world, call);
    if (status != SETT_OK) {
        return status;
    }
    if (sett_snapshot_status(ring->world, target) == SETT_OK) {
        ring_drop_latest(ring, back); /* first, so that the restore copies each page only once */
    }
    return setti_snapshot_restore(ring->world, target, call);
}

/* Fails because the ring has no snapshot, or none that can be restored. */
static sett_status ring_reject_empty(const sett_ring* ring, const char* call)
{
    bool is_lost = false;
    if (ring->count != 0) {
        sett_snapshot latest = ring->place[ring_index(ring, 0)].snapshot;
        is_lost = sett_snapshot_status(ring->world, latest) == SETT_STATUS_LOST;
    }
    if (is_lost) {
        return setti_world_fail_with(ring->world, SETT_STATUS_LOST,
                                     "%s: all snapshots of the ring are lost: memory ran out, or "
                                     "memory_limit was exceeded - raise the limit, and take a new "
                                     "snapshot (sett_ring_take)",
                                     call);
    }
    return setti_world_fail_with(ring->world, SETT_STATUS_ARGUMENT,
                                 "%s: the ring is empty - take a snapshot first (sett_ring_take)",
                                 call);
}

sett_status sett_ring_restore(sett_ring* ring, uint32_t back)
{
    if (SETTI_IS_NULL(ring)) {
        return SETT_STATUS_ARGUMENT;
    }
    uint32_t length = ring_length(ring);
    if (length == 0) {
        return ring_reject_empty(ring, "sett_ring_restore");
    }
    if (back >= length) {
        return setti_world_fail_with(ring->world, SETT_STATUS_ARGUMENT,
                                     "sett_ring_restore: the ring has no snapshot %u - pass a "
                                     "number below %u (sett_ring_count); 0 is the latest",
                                     (unsigned)back, (unsigned)length);
    }
    return ring_restore(ring, back, "sett_ring_restore");
}

/* Returns the number of snapshots that are later than the snapshot of a frame. Returns `length` if
 * the ring lacks the frame. */
static uint32_t ring_find(const sett_ring* ring, uint64_t frame, uint32_t length)
{
    uint32_t back = 0;
    while (back < length && ring->place[ring_index(ring, back)].frame != frame) {
        back++;
    }
    return back;
}

sett_status sett_ring_restore_frame(sett_ring* ring, uint64_t frame)
{
    if (SETTI_IS_NULL(ring)) {
        return SETT_STATUS_ARGUMENT;
    }
    uint32_t length = ring_length(ring);
    uint32_t back = ring_find(ring, frame, length);
    if (back < length) {
        return ring_restore(ring, back, "sett_ring_restore_frame");
    }
    if (length == 0) {
        return ring_reject_empty(ring, "sett_ring_restore_frame");
    }
    return setti_world_fail_with(
        ring->world, SETT_STATUS_ARGUMENT,
        "sett_ring_restore_frame: the ring has no frame %llu - pass one of "
        "its %u frames, from %llu to %llu",
        (unsigned long long)frame, (unsigned)length,
        (unsigned long long)ring->place[ring_index(ring, length - 1)].frame,
        (unsigned long long)ring->place[ring_index(ring, 0)].frame);
}

uint32_t sett_ring_count(const sett_ring* ring)
{
    if (SETTI_IS_NULL(ring)) {
        return 0;
    }
    return ring_length(ring);
}

sett_snapshot sett_ring_at(const sett_ring* ring, uint32_t back)
{
    const sett_snapshot none = {0, 0};
    if (SETTI_IS_NULL(ring) || back >= ring_length(ring)) {
        return none;
    }
    return ring->place[ring_index(ring, back)].snapshot;
}

sett_snapshot sett_ring_at_frame(const sett_ring* ring, uint64_t frame)
{
    const sett_snapshot none = {0, 0};
    if (SETTI_IS_NULL(ring)) {
        return none;
    }
    return sett_ring_at(ring, ring_find(ring, frame, ring_length(ring)));
}

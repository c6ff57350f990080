/* ring.c: the snapshots of the last frames.
 *
 *     at       | . | 7 | 8 | 9 | . |        first = 1, count = 3: 9 is the latest
 *
 * Snapshots also end without the ring: all of them, or the oldest, because of a limit. So the ring
 * counts from the oldest one that has not ended, each time it is asked.
 *
 * Invariant:  count <= capacity;  at[(first + k) % capacity] is the k-th oldest, for k < count
 */
#include "state/snapshot.h"

struct sett_ring {
    sett_world* world;
    uint32_t capacity;
    uint32_t first;
    uint32_t count;
    sett_snapshot at[];
};

static size_t ring_size(uint32_t capacity)
{
    return sizeof(sett_ring) + (size_t)capacity * sizeof(sett_snapshot);
}

sett_ring* sett_ring_create(sett_world* world, uint32_t capacity)
{
    if (SETTI_IS_NULL(world)) {
        return NULL;
    }
    if (setti_world_check_serial(world, "sett_ring_create") != SETT_OK) {
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

static uint32_t ring_index(const sett_ring* ring, uint32_t back)
{
    SETTI_ASSERT(back < ring->count);
    return (ring->first + ring->count - 1 - back) % ring->capacity;
}

static sett_snapshot* ring_place(sett_ring* ring, uint32_t back)
{
    return &ring->at[ring_index(ring, back)];
}

/* How many there are, without the oldest that have ended. */
static uint32_t ring_length(const sett_ring* ring)
{
    uint32_t length = ring->count;
    while (length != 0 &&
           sett_snapshot_status(ring->world, ring->at[ring_index(ring, length - 1)]) != SETT_OK) {
        length--;
    }
    return length;
}

/* Drops a snapshot; it may be lost already. */
static void ring_drop(sett_ring* ring, uint32_t back)
{
    sett_snapshot snapshot = *ring_place(ring, back);
    if (sett_snapshot_status(ring->world, snapshot) == SETT_OK) {
        (void)sett_snapshot_drop(ring->world, snapshot);
    }
}

static void ring_drop_oldest(sett_ring* ring)
{
    ring_drop(ring, ring->count - 1);
    ring->first = (ring->first + 1) % ring->capacity;
    ring->count--;
}

sett_status sett_ring_destroy(sett_ring* ring)
{
    if (ring == NULL) {
        return SETT_OK;
    }
    sett_status status = setti_world_check_serial(ring->world, "sett_ring_destroy");
    if (status == SETT_OK) {
        while (ring->count != 0) {
            ring_drop_oldest(ring);
        }
        setti_pool_free(&ring->world->pool, ring, ring_size(ring->capacity), 16);
    }
    return status;
}

sett_status sett_ring_take(sett_ring* ring)
{
    if (SETTI_IS_NULL(ring)) {
        return SETT_STATUS_ARGUMENT;
    }
    sett_snapshot snapshot;
    sett_status status = sett_snapshot_take(ring->world, &snapshot);
    if (status == SETT_OK) {
        if (ring->count == ring->capacity) {
            ring_drop_oldest(ring);
        }
        ring->count++;
        *ring_place(ring, 0) = snapshot;
    }
    return status;
}

sett_status sett_ring_restore(sett_ring* ring, uint32_t back)
{
    if (SETTI_IS_NULL(ring)) {
        return SETT_STATUS_ARGUMENT;
    }
    uint32_t length = ring_length(ring);
    if (back >= length) {
        return setti_world_fail_with(
            ring->world, SETT_STATUS_ARGUMENT,
            "sett_ring_restore: no snapshot is %u back: the ring has %u%s, and 0 is the latest",
            (unsigned)back, (unsigned)length,
            length < ring->count ? " (older ones were dropped, or lost because of a limit)" : "");
    }
    sett_snapshot target = *ring_place(ring, back);
    if (sett_snapshot_status(ring->world, target) == SETT_OK &&
        setti_world_check_unlocked(ring->world, "sett_ring_restore") == SETT_OK) {
        /* The later ones first, the earliest of them first: their pages are handed on, not copied,
         * and then each page that differs is copied once instead of once a snapshot: half the time
         * over 10 snapshots, 40 % over 350. */
        for (uint32_t k = back; k > 0; k--) {
            ring_drop(ring, k - 1);
        }
        ring->count -= back;
    }
    return sett_snapshot_restore(ring->world, target);
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
    if (SETTI_IS_NULL(ring)) {
        return (sett_snapshot){0, 0};
    }
    const sett_snapshot none = {0, 0};
    return back < ring_length(ring) ? ring->at[ring_index(ring, back)] : none;
}

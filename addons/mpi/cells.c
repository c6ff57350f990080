/* cells.c: which rank has which cell, which handles a cell gives out, and how cells are divided
 * anew.
 *
 * A home hands out its lowest free index, with the generation after the last. What is free is that
 * of the end of the last tick, so it does not matter when in a tick, and where, an entity ends.
 *
 * Invariant: dead_sum = the sum over this rank's homes of the hashes of their dead slots
 */
#include "../argument.h"
#include "ranks.h"

#include <stdlib.h>
#include <string.h>

/* What a slot adds to sett_world_hash: state/hash.h. test_ranks.c compares the two. */
uint64_t setti_ranks_slot(sett_entity slot)
{
    uint64_t x = ((uint64_t)slot.generation << 32 | slot.index) + 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

/* The slot that is dead after this entity. */
static sett_entity cells_slot(sett_entity last)
{
    bool retired = last.generation >= RANKS_GENERATION_MAX;
    last.generation = (retired ? 0 : last.generation + 1) | RANKS_DEAD;
    return last;
}

/* --------------------------------------------------------------------------------------- owners */

uint32_t setti_ranks_owner(const sett_ranks* r, uint32_t cell)
{
    uint32_t low = 0;
    uint32_t high = r->count - 1;
    while (low < high) { /* the first whose end is behind the cell */
        uint32_t middle = low + (high - low) / 2;
        if (r->bounds[middle + 1] <= cell) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

bool sett_ranks_owns(const sett_ranks* r, uint32_t cell)
{
    return !argument_is_null(r, __func__, "ranks") && cell >= r->bounds[r->rank] &&
           cell < r->bounds[r->rank + 1];
}

bool sett_ranks_is_inner(const sett_ranks* r, uint32_t cell)
{
    if (argument_is_null(r, __func__, "ranks") || !sett_ranks_owns(r, cell)) {
        return false;
    }
    uint32_t k = cell - r->bounds[r->rank];
    return r->reach_begin[k] == r->reach_begin[k + 1];
}

static uint32_t cells_grid(const sett_ranks* r, uint32_t cell, uint32_t* out)
{
    int64_t width = r->desc.width;
    int64_t height = r->desc.cells / r->desc.width;
    uint32_t count = 0;
    for (int64_t dy = -1; dy <= 1; dy++) {
        for (int64_t dx = -1; dx <= 1; dx++) {
            int64_t x = cell % width + dx;
            int64_t y = cell / width + dy;
            bool outside = x < 0 || x >= width || y < 0 || y >= height;
            x = (x + width) % width;
            y = (y + height) % height;
            uint32_t other = (uint32_t)(y * width + x);
            if (other != cell && !(outside && r->desc.bounded)) {
                out[count++] = other;
            }
        }
    }
    return count;
}

uint32_t setti_ranks_around(const sett_ranks* r, uint32_t cell, uint32_t* out)
{
    return r->desc.around != NULL ? r->desc.around(cell, out, r->desc.user)
                                  : cells_grid(r, cell, out);
}

/* ---------------------------------------------------------------------------------------- peers */

/* The place of a rank among the peers; it is there, or is added. */
static uint32_t cells_peer(sett_ranks* r, uint32_t rank)
{
    for (uint32_t k = 0; k < r->peer_count; k++) {
        if (r->peer[k].rank == rank) {
            return k;
        }
    }
    ranks_peer* peer = realloc(r->peer, (r->peer_count + 1) * sizeof(*peer));
    if (peer == NULL) {
        return UINT32_MAX;
    }
    r->peer = peer;
    memset(&peer[r->peer_count], 0, sizeof(*peer));
    peer[r->peer_count].rank = rank;
    peer[r->peer_count].request = MPI_REQUEST_NULL;
    return r->peer_count++;
}

/* Which peers see a cell. */
static uint32_t cells_reach(sett_ranks* r, uint32_t cell, uint32_t* peers)
{
    uint32_t around[SETT_RANKS_AROUND];
    uint32_t count = 0;
    uint32_t near = setti_ranks_around(r, cell, around);
    for (uint32_t k = 0; k < near; k++) {
        if (sett_ranks_owns(r, around[k])) {
            continue;
        }
        uint32_t peer = cells_peer(r, setti_ranks_owner(r, around[k]));
        bool has = false;
        for (uint32_t n = 0; n < count; n++) {
            has = has || peers[n] == peer;
        }
        if (!has) {
            peers[count++] = peer;
        }
    }
    return count;
}

void setti_ranks_free_peers(sett_ranks* r)
{
    for (uint32_t k = 0; k < r->peer_count; k++) {
        setti_ranks_free_view(&r->peer[k].sent);
        setti_ranks_free_view(&r->peer[k].got);
        free(r->peer[k].out.at);
    }
    free(r->peer);
    free(r->reach);
    free(r->reach_begin);
    r->peer = NULL;
    r->reach = r->reach_begin = NULL;
    r->peer_count = 0;
}

bool setti_ranks_find_peers(sett_ranks* r)
{
    uint32_t first = r->bounds[r->rank];
    uint32_t count = r->bounds[r->rank + 1] - first;
    uint32_t used = 0;
    uint32_t capacity = 0;
    setti_ranks_free_peers(r);
    r->reach_begin = malloc(((size_t)count + 1) * sizeof(uint32_t));
    if (r->reach_begin == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < count; k++) {
        if (used + SETT_RANKS_AROUND > capacity) {
            capacity = capacity * 2 + 4 * SETT_RANKS_AROUND;
            uint32_t* reach = realloc(r->reach, capacity * sizeof(*reach));
            if (reach == NULL) {
                return false;
            }
            r->reach = reach;
        }
        uint32_t peers[SETT_RANKS_AROUND];
        uint32_t near = cells_reach(r, first + k, peers);
        r->reach_begin[k] = used;
        for (uint32_t n = 0; n < near; n++) {
            if (peers[n] == UINT32_MAX) {
                return false;
            }
            r->reach[used++] = peers[n];
        }
    }
    r->reach_begin[count] = used;
    return true;
}

/* The cells around a cell are cells, and this one is around them. */
static sett_status cells_check(sett_ranks* r, uint32_t cell)
{
    uint32_t around[SETT_RANKS_AROUND];
    uint32_t back[SETT_RANKS_AROUND];
    uint32_t count = setti_ranks_around(r, cell, around);
    if (count > SETT_RANKS_AROUND) {
        return setti_ranks_report(r, SETT_STATUS_ARGUMENT,
                                  "sett_ranks_create: `around` returned %u for cell %u - write and "
                                  "return at most %u cells",
                                  (unsigned)count, (unsigned)cell, (unsigned)SETT_RANKS_AROUND);
    }
    for (uint32_t k = 0; k < count; k++) {
        bool has = false;
        if (around[k] >= r->desc.cells) {
            return setti_ranks_report(r, SETT_STATUS_ARGUMENT,
                                      "sett_ranks_create: `around` wrote cell %u for cell %u - "
                                      "write only cells below `cells`, %u",
                                      (unsigned)around[k], (unsigned)cell, (unsigned)r->desc.cells);
        }
        uint32_t other = setti_ranks_around(r, around[k], back);
        for (uint32_t n = 0; n < other && n < SETT_RANKS_AROUND; n++) {
            has = has || back[n] == cell;
        }
        if (!has) {
            return setti_ranks_report(r, SETT_STATUS_ARGUMENT,
                                      "sett_ranks_create: `around` wrote cell %u for cell %u, but "
                                      "not %u for %u - write each of two neighbours for the other",
                                      (unsigned)around[k], (unsigned)cell, (unsigned)cell,
                                      (unsigned)around[k]);
        }
    }
    return SETT_OK;
}

sett_status setti_ranks_init_cells(sett_ranks* r)
{
    r->bounds = malloc(((size_t)r->count + 1) * sizeof(*r->bounds));
    r->home = calloc(r->desc.cells, sizeof(*r->home));
    if (r->bounds == NULL || r->home == NULL) {
        return SETT_STATUS_OUT_OF_MEMORY;
    }
    for (uint32_t k = 0; k <= r->count; k++) {
        r->bounds[k] = (uint32_t)((uint64_t)r->desc.cells * k / r->count);
    }
    sett_status status = SETT_OK;
    for (uint32_t k = r->bounds[r->rank]; k < r->bounds[r->rank + 1] && status == SETT_OK; k++) {
        status = cells_check(r, k);
    }
    return status != SETT_OK || setti_ranks_find_peers(r) ? status : SETT_STATUS_OUT_OF_MEMORY;
}

void setti_ranks_deinit_cells(sett_ranks* r)
{
    for (uint32_t k = 0; r->home != NULL && k < r->desc.cells; k++) {
        free(r->home[k].next);
    }
    setti_ranks_free_peers(r);
    free(r->home);
    free(r->bounds);
}

/* ---------------------------------------------------------------------------------------- homes */

/* One block: the generations, and behind them the bits. */
static bool cells_open(sett_ranks* r, ranks_home* home)
{
    uint32_t indices = r->desc.indices;
    if (home->next == NULL) {
        home->next = calloc(1, indices * sizeof(uint32_t) + indices / 64 * sizeof(uint64_t));
        home->taken = home->next != NULL ? (uint64_t*)(void*)(home->next + indices) : NULL;
    }
    return home->next != NULL;
}

static uint32_t cells_free_index(const sett_ranks* r, const ranks_home* home)
{
    for (uint32_t k = 0; k < r->desc.indices; k++) {
        if (k % 64 == 0 && home->taken[k / 64] == UINT64_MAX) {
            k += 63;
        } else if ((home->taken[k / 64] >> k % 64 & 1) == 0) {
            return k;
        }
    }
    return UINT32_MAX;
}

/* The 1st, 10th, 100th time: some programs do without the child. */
static void cells_report_full(sett_ranks* r, uint32_t cell)
{
    r->full++;
    uint64_t left = r->full;
    while (left % 10 == 0) {
        left /= 10;
    }
    if (left == 1) {
        setti_ranks_report(r, SETT_STATUS_LIMIT,
                           "sett_ranks_create_entity: all %u indices of cell %u are in use - raise "
                           "sett_ranks_desc.indices",
                           (unsigned)r->desc.indices, (unsigned)cell);
    }
}

static void cells_report_memory(const sett_ranks* r)
{
    setti_ranks_report(r, SETT_STATUS_OUT_OF_MEMORY,
                       "sett_ranks_create_entity: memory ran out - use more ranks, or fewer "
                       "entities");
}

sett_entity sett_ranks_create_entity(sett_ranks* r, uint32_t cell)
{
    if (argument_is_null(r, __func__, "ranks")) {
        return sett_null();
    }
    if (!sett_ranks_owns(r, cell)) {
        setti_ranks_report(
            r, SETT_STATUS_ARGUMENT,
            "sett_ranks_create_entity: cell %u does not belong to rank %u - pass a cell for which "
            "sett_ranks_owns returns true",
            (unsigned)cell, (unsigned)r->rank);
        return sett_null();
    }
    ranks_home* home = &r->home[cell];
    if (!cells_open(r, home)) {
        cells_report_memory(r);
        return sett_null();
    }
    uint32_t k = cells_free_index(r, home);
    if (k == UINT32_MAX) {
        cells_report_full(r, cell);
        return sett_null();
    }
    sett_entity entity = {cell * r->desc.indices + k, home->next[k] != 0 ? home->next[k] : 1};
    if (!setti_ranks_push(&r->born, entity)) {
        cells_report_memory(r);
        return sett_null();
    }
    if (sett_entity_create_handle(r->world, entity) != SETT_OK) {
        r->born.count--;
        return sett_null();
    }
    if (home->next[k] != 0) {
        sett_entity slot = {entity.index, home->next[k] | RANKS_DEAD};
        r->dead_sum -= setti_ranks_slot(slot);
    }
    home->next[k] = entity.generation;
    home->taken[k / 64] |= (uint64_t)1 << k % 64;
    r->stats.births++;
    r->stats.births_moved += home->moved;
    return entity;
}

/* An entity of one of this rank's homes has ended. False: no such entity lived. */
bool setti_ranks_dies(sett_ranks* r, sett_entity entity)
{
    ranks_home* home = &r->home[entity.index / r->desc.indices];
    uint32_t k = entity.index % r->desc.indices;
    if (home->next == NULL || home->next[k] != entity.generation ||
        (home->taken[k / 64] >> k % 64 & 1) == 0) {
        return false;
    }
    sett_entity slot = cells_slot(entity);
    r->dead_sum += setti_ranks_slot(slot);
    home->next[k] = slot.generation & ~RANKS_DEAD;
    if (home->next[k] != 0) { /* else it stays taken */
        home->taken[k / 64] &= ~((uint64_t)1 << k % 64);
    }
    return true;
}

sett_status setti_ranks_bury(sett_ranks* r, sett_entity last)
{
    sett_status status = SETT_OK;
    if (!sett_entity_valid(r->world, last)) {
        status = sett_entity_create_handle(r->world, last);
    }
    return status == SETT_OK ? sett_entity_destroy(r->world, last) : status;
}

sett_status setti_ranks_unbury(sett_ranks* r, sett_entity last)
{
    if (last.generation >= RANKS_GENERATION_MAX) {
        return SETT_OK; /* the last of its index: nothing can take the slot away */
    }
    last.generation++;
    sett_status status = sett_entity_create_handle(r->world, last);
    return status == SETT_OK ? sett_entity_forget(r->world, last) : status;
}

/* Whether the slot of an index is dead, not new; *last: of its last entity. */
static bool cells_is_dead(const sett_ranks* r, uint32_t cell, uint32_t k, sett_entity* last)
{
    const ranks_home* home = &r->home[cell];
    bool taken = (home->taken[k / 64] >> k % 64 & 1) != 0;
    last->index = cell * r->desc.indices + k;
    last->generation = home->next[k] != 0 ? home->next[k] - 1 : RANKS_GENERATION_MAX;
    return taken ? home->next[k] == 0 : home->next[k] != 0;
}

/* Only what is not 0: cells are mostly homes of few. */
void setti_ranks_write_home(sett_ranks* r, ranks_bytes* to, uint32_t cell)
{
    const ranks_home* home = &r->home[cell];
    uint32_t used = 0;
    for (uint32_t k = 0; home->next != NULL && k < r->desc.indices; k++) {
        bool taken = (home->taken[k / 64] >> k % 64 & 1) != 0;
        used = home->next[k] != 0 || taken ? k + 1 : used;
    }
    setti_ranks_write_varint(to, cell);
    setti_ranks_write_varint(to, used);
    for (uint32_t k = 0; k < used; k++) {
        bool taken = (home->taken[k / 64] >> k % 64 & 1) != 0;
        setti_ranks_write_varint(to, (uint64_t)home->next[k] << 1 | taken);
    }
}

/* A cell that this rank gets: its dead slots are in this world from now on. */
sett_status setti_ranks_read_home(sett_ranks* r, ranks_reader* from)
{
    uint64_t cell = setti_ranks_read_varint(from);
    uint64_t used = setti_ranks_read_varint(from);
    if (from->bad || cell >= r->desc.cells || used > r->desc.indices ||
        r->home[cell].next != NULL) {
        return SETT_STATUS_INVALID;
    }
    ranks_home* home = &r->home[cell];
    home->moved = true;
    if (used != 0 && !cells_open(r, home)) {
        return SETT_STATUS_OUT_OF_MEMORY;
    }
    for (uint32_t k = 0; k < used; k++) {
        uint64_t bits = setti_ranks_read_varint(from);
        if (from->bad || bits >> 1 > RANKS_GENERATION_MAX) {
            return SETT_STATUS_INVALID;
        }
        home->next[k] = (uint32_t)(bits >> 1);
        home->taken[k / 64] |= (bits & 1) << k % 64;
        sett_entity last;
        if (cells_is_dead(r, (uint32_t)cell, k, &last)) {
            if (last.generation == 0) {
                return SETT_STATUS_INVALID; /* the first is never next of another */
            }
            r->dead_sum += setti_ranks_slot(cells_slot(last));
            sett_status status = setti_ranks_bury(r, last);
            if (status != SETT_OK) {
                return status;
            }
        }
    }
    return SETT_OK;
}

/* A cell that another rank has got. */
sett_status setti_ranks_drop_home(sett_ranks* r, uint32_t cell)
{
    ranks_home* home = &r->home[cell];
    sett_status status = SETT_OK;
    for (uint32_t k = 0; home->next != NULL && k < r->desc.indices && status == SETT_OK; k++) {
        sett_entity last;
        if (cells_is_dead(r, cell, k, &last)) {
            r->dead_sum -= setti_ranks_slot(cells_slot(last));
            status = setti_ranks_unbury(r, last);
        }
    }
    free(home->next);
    *home = (ranks_home){NULL, NULL, false};
    return status;
}

/* -------------------------------------------------------------------------------------- balance */

/* How many entities each cell has, of all ranks. */
static bool cells_count(const sett_ranks* r, uint64_t* count)
{
    memset(count, 0, r->desc.cells * sizeof(*count));
    for (uint32_t k = 0; k < r->owned.count; k++) {
        count[r->cell[k]]++;
    }
    for (uint32_t at = 0; at < r->desc.cells;) { /* pieces, for an int */
        uint32_t piece = r->desc.cells - at;
        piece = piece < 1u << 20 ? piece : 1u << 20;
        setti_ranks_reduce(r, count + at, (int)piece, MPI_SUM);
        at += piece;
    }
    return true;
}

static uint64_t cells_cost(const sett_ranks* r, const uint64_t* count, uint32_t cell)
{
    uint32_t around[SETT_RANKS_AROUND];
    uint32_t near = setti_ranks_around(r, cell, around);
    uint64_t sum = count[cell];
    for (uint32_t k = 0; k < near; k++) {
        sum += count[around[k]];
    }
    return r->desc.cost != NULL ? r->desc.cost(cell, (uint32_t)count[cell], sum, r->desc.user)
                                : count[cell] * (16 + sum);
}

/* Runs of cells of about equal cost: integers alone decide, so all ranks compute the same. */
static void cells_cut(const sett_ranks* r, const uint64_t* cost, uint32_t* bounds)
{
    uint64_t total = 0;
    uint64_t done = 0;
    uint32_t rank = 1;
    for (uint32_t cell = 0; cell < r->desc.cells; cell++) {
        total += cost[cell];
    }
    if (total == 0) { /* empty: as it is */
        memcpy(bounds, r->bounds, ((size_t)r->count + 1) * sizeof(*bounds));
        return;
    }
    bounds[0] = 0;
    for (uint32_t cell = 0; cell < r->desc.cells; cell++) {
        /* a cell goes where more than half of it is */
        while (rank < r->count && done + cost[cell] / 2 >= total / r->count * rank) {
            bounds[rank++] = cell;
        }
        done += cost[cell];
    }
    while (rank <= r->count) {
        bounds[rank++] = r->desc.cells;
    }
}

sett_status setti_ranks_balance(sett_ranks* r)
{
    uint64_t* count = malloc(2 * (size_t)r->desc.cells * sizeof(*count));
    uint32_t* bounds = malloc(((size_t)r->count + 1) * sizeof(*bounds));
    if (count == NULL || bounds == NULL) {
        free(count);
        free(bounds);
        return setti_ranks_fail_status(r, SETT_STATUS_OUT_OF_MEMORY);
    }
    uint64_t* cost = count + r->desc.cells;
    cells_count(r, count);
    for (uint32_t cell = 0; cell < r->desc.cells; cell++) {
        cost[cell] = cells_cost(r, count, cell);
    }
    cells_cut(r, cost, bounds);
    free(count);
    return setti_ranks_settle(r, bounds, false);
}

sett_status sett_ranks_balance(sett_ranks* r)
{
    if (argument_is_null(r, __func__, "ranks")) {
        return SETT_STATUS_ARGUMENT;
    }
    setti_ranks_enter(r, __func__);
    return setti_ranks_balance(r);
}

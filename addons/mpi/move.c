/* move.c: the end of a tick: who has ended, who lives where now, and what moves to another rank.
 *
 *     owned, as of the last end  ->  alive, ended       and those born since
 *     ended      home to the owner of the index, who gives it out again from now on
 *     alive      cell by position; of a child that of its root; to the cell's owner
 *
 * An entity moves as an encoded selection, with what a selection leaves out: the order of children,
 * and the handles of targets that the receiver may lack. Cells move with the same messages.
 *
 * Invariant, afterwards: owned is what lives here without the tag, ascending; cell[k] is of this
 * rank
 */
#include "../argument.h"
#include "ranks.h"

#include "sett/hierarchy.h"
#include "sett/relationship.h"
#include "sett/state.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOVE_PIECE = 65536
}; /* entities of one selection, where no links hold them together */

static bool move_is_simulated(const sett_ranks* r, sett_entity entity)
{
    return entity.index / r->desc.indices < r->desc.cells;
}

bool setti_ranks_is_linked(const sett_ranks* r, sett_entity entity)
{
    bool linked = false;
    for (uint32_t k = 0; k < r->relation_count && !linked; k++) {
        linked = sett_source_count(r->world, r->relation[k], entity) != 0;
    }
    return linked;
}

/* -------------------------------------------------------------------------------------- packing */

/* The targets of links that lead out of a list. */
static bool move_find_targets(const sett_ranks* r, const ranks_list* list, ranks_list* targets)
{
    for (uint32_t k = 0; k < list->count; k++) {
        for (uint32_t n = 0; n < r->relation_count; n++) {
            SETT_TARGETS(r->world, list->item[k], r->relation[n], to, link) {
                uint32_t at;
                if (move_is_simulated(r, to) && !setti_ranks_find(list, to, &at) &&
                    !setti_ranks_push(targets, to)) {
                    return false;
                }
            }
        }
    }
    setti_ranks_sort(targets);
    uint32_t count = 0;
    for (uint32_t k = 0; k < targets->count; k++) {
        if (count == 0 || !sett_equals(targets->item[count - 1], targets->item[k])) {
            targets->item[count++] = targets->item[k];
        }
    }
    targets->count = count;
    return true;
}

/* Parents of several children: how many, and in which order. */
static void move_write_orders(const sett_ranks* r, const ranks_list* list, ranks_bytes* to)
{
    for (uint32_t k = 0; k < list->count; k++) {
        uint32_t count = sett_hierarchy_child_count(r->world, list->item[k]);
        if (count < 2) {
            continue;
        }
        setti_ranks_write_varint(to, k + 1);
        setti_ranks_write_varint(to, count);
        sett_entity child = sett_hierarchy_first(r->world, list->item[k]);
        for (; !sett_is_null(child); child = sett_hierarchy_next(r->world, child)) {
            setti_ranks_write_u64(to, sett_entity_to_u64(child));
        }
    }
    setti_ranks_write_varint(to, 0);
}

static sett_status move_encode(sett_ranks* r, const sett_entity* entities, uint32_t count,
                               ranks_bytes* to)
{
    const sett_selection part = {.entities = entities, .entity_count = count};
    const sett_snapshot none = {0, 0};
    size_t size = 0;
    size_t at = to->size;
    setti_ranks_write_u64(to, 0);
    unsigned char* room = setti_ranks_room(to, (size_t)count * 64 + 1024);
    if (room == NULL) {
        return SETT_STATUS_OUT_OF_MEMORY;
    }
    sett_status status =
        sett_selection_encode(r->world, &part, none, room, (size_t)count * 64 + 1024, &size);
    if (status == SETT_STATUS_LIMIT && size > (size_t)count * 64 + 1024) {
        to->size = at + 8;
        room = setti_ranks_room(to, size);
        if (room == NULL) {
            return SETT_STATUS_OUT_OF_MEMORY;
        }
        status = sett_selection_encode(r->world, &part, none, room, size, &size);
    }
    to->size = at;
    setti_ranks_write_u64(to, size);
    to->size += size;
    return status;
}

static bool move_is_linkless(const sett_ranks* r)
{
    return r->relation_count == 0 && sett_component_count(r->world, SETT_ID_HIERARCHY) == 0;
}

sett_status setti_ranks_pack(sett_ranks* r, const ranks_list* list, ranks_bytes* to)
{
    ranks_list targets = {NULL, 0, 0};
    bool linkless = move_is_linkless(r);
    bool memory = move_find_targets(r, list, &targets);
    setti_ranks_write_list(to, list);
    setti_ranks_write_list(to, &targets);
    free(targets.item);
    uint32_t piece = linkless ? MOVE_PIECE : UINT32_MAX;
    setti_ranks_write_u32(to, piece);
    sett_status status = memory ? SETT_OK : SETT_STATUS_OUT_OF_MEMORY;
    for (uint32_t k = 0; k < list->count && status == SETT_OK;) {
        uint32_t count = list->count - k < piece ? list->count - k : piece;
        status = move_encode(r, list->item + k, count, to);
        k += count;
    }
    move_write_orders(r, list, to);
    return status != SETT_OK ? status : to->failed ? SETT_STATUS_OUT_OF_MEMORY : SETT_OK;
}

/* ------------------------------------------------------------------------------------ unpacking */

/* An entity that comes can be here as a ghost: with types that it may have no more. */
static sett_status move_meet(sett_ranks* r, sett_entity entity)
{
    if (!sett_entity_valid(r->world, entity)) {
        return SETT_OK;
    }
    if (!sett_has(r->world, entity, r->tag)) {
        return SETT_STATUS_INVALID; /* this rank has it */
    }
    for (uint32_t type = 1; type < r->types; type++) {
        if (sett_has(r->world, entity, r->ghost[type])) {
            sett_remove(r->world, entity, r->ghost[type]);
        }
    }
    return sett_remove(r->world, entity, r->tag);
}

/* Targets are here from now on, without components. */
static sett_status move_read_targets(sett_ranks* r, const ranks_list* targets)
{
    sett_status status = SETT_OK;
    for (uint32_t k = 0; k < targets->count && status == SETT_OK; k++) {
        sett_entity entity = targets->item[k];
        if (!sett_entity_valid(r->world, entity)) {
            status = sett_entity_create_handle(r->world, entity);
            status = status == SETT_OK && sett_ensure(r->world, entity, r->tag) == NULL
                         ? sett_world_error(r->world)
                         : status;
            if (status == SETT_OK && !setti_ranks_push(&r->linked, entity)) {
                status = SETT_STATUS_OUT_OF_MEMORY;
            }
        }
    }
    return status;
}

static sett_status move_read_orders(sett_ranks* r, const ranks_list* list, ranks_reader* from)
{
    sett_status status = SETT_OK;
    for (uint64_t at; (at = setti_ranks_read_varint(from)) != 0 && status == SETT_OK;) {
        uint64_t count = setti_ranks_read_varint(from);
        ranks_list children = {NULL, 0, 0};
        if (at > list->count || count > (size_t)(from->end - from->at) / 8) {
            return SETT_STATUS_INVALID;
        }
        for (uint64_t k = 0; k < count && status == SETT_OK; k++) {
            bool memory =
                setti_ranks_push(&children, sett_entity_from_u64(setti_ranks_read_u64(from)));
            status = memory ? SETT_OK : SETT_STATUS_OUT_OF_MEMORY;
        }
        if (status == SETT_OK) {
            status =
                sett_hierarchy_order(r->world, list->item[at - 1], children.item, children.count);
        }
        free(children.item);
    }
    return from->bad ? SETT_STATUS_INVALID : status;
}

static sett_status move_read_pieces(sett_ranks* r, const ranks_list* list, ranks_reader* from)
{
    uint32_t piece = setti_ranks_read_u32(from);
    if (from->bad || piece == 0) {
        return SETT_STATUS_INVALID;
    }
    sett_status status = SETT_OK;
    for (uint32_t k = 0; k < list->count && status == SETT_OK;) {
        uint32_t count = list->count - k < piece ? list->count - k : piece;
        uint64_t size = setti_ranks_read_u64(from);
        const unsigned char* bytes = setti_ranks_read(from, (size_t)size);
        const sett_selection allowed = {.entities = list->item + k, .entity_count = count};
        status = bytes != NULL ? sett_selection_apply(r->world, bytes, (size_t)size, &allowed)
                               : SETT_STATUS_INVALID;
        k += count;
    }
    for (uint32_t k = 0; k < list->count && status == SETT_OK; k++) {
        bool here = sett_entity_valid(r->world, list->item[k]) &&
                    !sett_has(r->world, list->item[k], r->tag);
        status = here ? SETT_OK : SETT_STATUS_INVALID;
    }
    return status;
}

/* What has come is in r->born: the next step places it. */
sett_status setti_ranks_unpack(sett_ranks* r, ranks_reader* from)
{
    ranks_list list = {NULL, 0, 0};
    ranks_list targets = {NULL, 0, 0};
    sett_status status = SETT_OK;
    if (!setti_ranks_read_list(r, from, &list) || !setti_ranks_read_list(r, from, &targets)) {
        status = from->bad ? SETT_STATUS_INVALID : SETT_STATUS_OUT_OF_MEMORY;
    }
    for (uint32_t k = 0; k < list.count && status == SETT_OK; k++) {
        status = move_meet(r, list.item[k]);
    }
    status = status == SETT_OK ? move_read_targets(r, &targets) : status;
    status = status == SETT_OK ? move_read_pieces(r, &list, from) : status;
    status = status == SETT_OK ? move_read_orders(r, &list, from) : status;
    for (uint32_t k = 0; k < list.count && status == SETT_OK; k++) {
        status = setti_ranks_push(&r->born, list.item[k]) ? SETT_OK : SETT_STATUS_OUT_OF_MEMORY;
    }
    free(list.item);
    free(targets.item);
    return status;
}

/* -------------------------------------------------------------------------------------- leaving */

/* Takes from an entity all but links that lead to it. */
static void move_strip(sett_ranks* r, sett_entity entity)
{
    if (r->relation_count == 0) {
        sett_entity_clear(r->world, entity);
        return;
    }
    for (uint32_t k = 0; k < r->relation_count; k++) {
        for (sett_entity to; !sett_is_null(to = sett_target(r->world, entity, r->relation[k]));) {
            if (sett_unrelate(r->world, entity, r->relation[k], to) != SETT_OK) {
                break;
            }
        }
    }
    sett_component types[256];
    uint32_t count = sett_entity_components(r->world, entity, types, 256);
    for (uint32_t k = 0; k < count && k < 256; k++) {
        bool links = false;
        for (uint32_t n = 0; n < r->relation_count; n++) {
            links = links || types[k] == r->relation[n] ||
                    types[k] == sett_relationship_sources(r->world, r->relation[n]);
        }
        if (!links) {
            sett_remove(r->world, entity, types[k]);
        }
    }
}

/* All of a list go. An entity that a link leads to stays as the link's target. */
static sett_status move_leave(sett_ranks* r, const ranks_list* list)
{
    sett_status status = SETT_OK;
    for (uint32_t k = 0; k < list->count; k++) {
        move_strip(r, list->item[k]);
    }
    for (uint32_t k = 0; k < list->count && status == SETT_OK; k++) {
        sett_entity entity = list->item[k];
        if (!setti_ranks_is_linked(r, entity)) {
            status = sett_entity_forget(r->world, entity);
        } else if (sett_ensure(r->world, entity, r->tag) == NULL ||
                   !setti_ranks_push(&r->linked, entity)) {
            status = SETT_STATUS_OUT_OF_MEMORY;
        }
    }
    return status;
}

/* Targets that no link leads to any more go, unless they are ghosts. */
static sett_status move_drop_targets(sett_ranks* r)
{
    uint32_t count = 0;
    sett_status status = SETT_OK;
    for (uint32_t k = 0; k < r->linked.count; k++) {
        sett_entity entity = r->linked.item[k];
        bool ghost = false;
        uint32_t at;
        if (!sett_entity_valid(r->world, entity) || !sett_has(r->world, entity, r->tag)) {
            continue;
        }
        for (uint32_t n = 0; n < r->peer_count && !ghost; n++) {
            ghost = setti_ranks_find(&r->peer[n].got.list, entity, &at);
        }
        if (setti_ranks_is_linked(r, entity) && !ghost) {
            r->linked.item[count++] = entity;
        } else if (!ghost) {
            status = sett_entity_forget(r->world, entity);
        }
    }
    r->linked.count = count;
    return status;
}

/* -------------------------------------------------------------------------------------- placing */

static bool move_grow_cells(sett_ranks* r, uint32_t count)
{
    if (count > r->cell_capacity) {
        uint32_t capacity = count + count / 4 + 64;
        uint32_t* cell = realloc(r->cell, capacity * sizeof(*cell));
        if (cell == NULL) {
            return false;
        }
        r->cell = cell;
        r->cell_capacity = capacity;
    }
    return true;
}

static sett_entity move_root(const sett_ranks* r, sett_entity entity)
{
    return sett_has(r->world, entity, SETT_ID_HIERARCHY) ? sett_hierarchy_root(r->world, entity)
                                                         : entity;
}

/* The cells of a list. */
static sett_status move_place(sett_ranks* r, const ranks_list* list, uint32_t* cell)
{
    bool trees = sett_component_count(r->world, SETT_ID_HIERARCHY) != 0;
    r->scratch.size = 0;
    const void** position = (const void**)(void*)setti_ranks_room(
        &r->scratch, ((size_t)list->count + 1) * sizeof(void*));
    if (position == NULL) {
        return SETT_STATUS_OUT_OF_MEMORY;
    }
    sett_find_many(r->world, list->item, list->count, r->desc.position, position);
    for (uint32_t k = 0; k < list->count; k++) {
        sett_entity entity = list->item[k];
        sett_entity root = trees ? move_root(r, entity) : entity;
        const void* at =
            sett_equals(root, entity) ? position[k] : sett_find(r->world, root, r->desc.position);
        cell[k] = at != NULL                   ? r->desc.cell_of(at, r->desc.user)
                  : move_is_simulated(r, root) ? root.index / r->desc.indices
                                               : entity.index / r->desc.indices;
        if (cell[k] >= r->desc.cells) {
            return setti_ranks_fail(r, SETT_STATUS_ARGUMENT,
                                    "%s: `cell_of` returned cell %u for the position of entity "
                                    "%u:%u - return a cell below `cells`, %u",
                                    r->call, (unsigned)cell[k], (unsigned)root.index,
                                    (unsigned)root.generation, (unsigned)r->desc.cells);
        }
    }
    return SETT_OK;
}

/* r->born become owned, at their places in the list. */
static sett_status move_admit(sett_ranks* r)
{
    uint32_t old = r->owned.count;
    uint32_t new = r->born.count;
    uint32_t* cell = malloc(((size_t) new + 1) * sizeof(*cell));
    setti_ranks_sort(&r->born);
    sett_status status = cell != NULL ? move_place(r, &r->born, cell) : SETT_STATUS_OUT_OF_MEMORY;
    for (uint32_t k = 0; k < new&& status == SETT_OK; k++) {
        if (!setti_ranks_push(&r->owned, r->born.item[k])) {
            status = SETT_STATUS_OUT_OF_MEMORY;
        }
    }
    if (status == SETT_OK && !move_grow_cells(r, r->owned.count)) {
        status = SETT_STATUS_OUT_OF_MEMORY;
    }
    for (uint32_t at = r->owned.count; new > 0 && status == SETT_OK;) { /* from behind */
        at--;
        bool first = old > 0 && r->owned.item[old - 1].index > r->born.item[new - 1].index;
        r->owned.item[at] = first ? r->owned.item[old - 1] : r->born.item[new - 1];
        r->cell[at] = first ? r->cell[old - 1] : cell[new - 1];
        *(first ? &old : &new) -= 1;
    }
    r->born.count = 0;
    free(cell);
    return status;
}

/* Moves those that have ended from a list to another one. */
static bool move_collect(const sett_ranks* r, ranks_list* list, ranks_list* ended)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < list->count; k++) {
        if (sett_entity_valid(r->world, list->item[k])) {
            list->item[count++] = list->item[k];
        } else if (!setti_ranks_push(ended, list->item[k])) {
            return false;
        }
    }
    list->count = count;
    return true;
}

static bool move_collect_all(sett_ranks* r, ranks_list* ended)
{
    bool memory = move_collect(r, &r->owned, ended) && move_collect(r, &r->born, ended);
    setti_ranks_sort(ended);
    return memory;
}

/* --------------------------------------------------------------------------------------- ending */

/* Of entities that have ended, what is done here: their slots, where the home is ours. */
static sett_status move_end_here(sett_ranks* r, const ranks_list* ended)
{
    sett_status status = SETT_OK;
    r->stats.deaths += ended->count;
    for (uint32_t k = 0; k < ended->count && status == SETT_OK; k++) {
        bool home = sett_ranks_owns(r, ended->item[k].index / r->desc.indices);
        status = !home                                 ? setti_ranks_unbury(r, ended->item[k])
                 : setti_ranks_dies(r, ended->item[k]) ? SETT_OK
                                                       : SETT_STATUS_INVALID;
        r->stats.deaths_sent += !home;
    }
    return status;
}

/* Another rank says so. */
static sett_status move_end_there(sett_ranks* r, sett_entity entity)
{
    if (sett_ranks_owns(r, entity.index / r->desc.indices)) {
        return setti_ranks_dies(r, entity) ? setti_ranks_bury(r, entity) : SETT_STATUS_INVALID;
    }
    if (!sett_entity_valid(r->world, entity)) {
        return SETT_OK;
    }
    sett_status status = sett_has(r->world, entity, r->tag) ? sett_entity_destroy(r->world, entity)
                                                            : SETT_STATUS_INVALID;
    return status == SETT_OK ? setti_ranks_unbury(r, entity) : status;
}

/* With relationships every rank hears of each end: it can have links, whose end can end others. */
static sett_status move_spread(sett_ranks* r, ranks_list* ended)
{
    ranks_list heard = {NULL, 0, 0};
    sett_status status = SETT_OK;
    for (;;) {
        uint64_t total = ended->count;
        setti_ranks_reduce(r, &total, 1, MPI_SUM);
        if (total == 0) {
            break;
        }
        for (uint32_t k = 0; k < r->count && ended->count != 0; k++) {
            if (k != r->rank) {
                setti_ranks_write_list(&r->out[k].bytes, ended);
            }
        }
        status = move_end_here(r, ended);
        status = status == SETT_OK ? setti_ranks_exchange(r) : status;
        for (uint32_t k = 0; k < r->in_count && status == SETT_OK; k++) {
            const ranks_bytes* bytes = &r->in[k].bytes;
            ranks_reader from = {bytes->at, bytes->at + bytes->size, false};
            status = setti_ranks_read_list(r, &from, &heard) ? SETT_OK : SETT_STATUS_INVALID;
            for (uint32_t n = 0; n < heard.count && status == SETT_OK; n++) {
                status = move_end_there(r, heard.item[n]);
            }
        }
        ended->count = 0;
        if (status != SETT_OK || !move_collect_all(r, ended)) {
            break;
        }
    }
    free(heard.item);
    return status;
}

/* ------------------------------------------------------------------------------------- settling */

typedef struct move_lists {
    ranks_list ended;
    ranks_list* home; /* those that end, of each rank */
    ranks_list* move; /* those that move, to each rank */
    uint32_t* cell;   /* how many homes, to each rank */
} move_lists;

static uint32_t move_owner(const uint32_t* bounds, const sett_ranks* r, uint32_t cell)
{
    uint32_t low = 0;
    uint32_t high = r->count - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (bounds[middle + 1] <= cell) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Sorts r->owned into what stays and what moves. */
static bool move_divide(sett_ranks* r, const uint32_t* bounds, move_lists* lists)
{
    uint32_t count = 0;
    uint32_t first = bounds[r->rank];
    uint32_t end = bounds[r->rank + 1];
    for (uint32_t k = 0; k < r->owned.count; k++) {
        sett_entity entity = r->owned.item[k];
        uint32_t cell = r->cell[k];
        if (cell >= first && cell < end) {
            r->cell[count] = cell;
            r->owned.item[count++] = entity;
        } else if (!setti_ranks_push(&lists->move[move_owner(bounds, r, cell)], entity)) {
            return false;
        }
    }
    r->owned.count = count;
    return true;
}

static void move_write_homes(sett_ranks* r, const uint32_t* bounds, uint32_t rank)
{
    uint32_t first = bounds[rank] > r->bounds[r->rank] ? bounds[rank] : r->bounds[r->rank];
    uint32_t end =
        bounds[rank + 1] < r->bounds[r->rank + 1] ? bounds[rank + 1] : r->bounds[r->rank + 1];
    uint32_t count = rank != r->rank && end > first ? end - first : 0;
    setti_ranks_write_varint(&r->out[rank].bytes, count);
    for (uint32_t k = 0; k < count; k++) {
        setti_ranks_write_home(r, &r->out[rank].bytes, first + k);
    }
}

static bool move_gives(const sett_ranks* r, const uint32_t* bounds, uint32_t rank)
{
    return rank != r->rank && bounds[rank] < r->bounds[r->rank + 1] &&
           r->bounds[r->rank] < bounds[rank + 1];
}

static sett_status move_send(sett_ranks* r, const uint32_t* bounds, move_lists* lists)
{
    sett_status status = SETT_OK;
    for (uint32_t k = 0; k < r->count && status == SETT_OK; k++) {
        bool gives = move_gives(r, bounds, k);
        if (!gives && lists->home[k].count == 0 && lists->move[k].count == 0) {
            continue;
        }
        ranks_bytes* out = &r->out[k].bytes;
        move_write_homes(r, bounds, k);
        setti_ranks_write_list(out, &lists->home[k]);
        status = setti_ranks_pack(r, &lists->move[k], out);
        r->stats.move_bytes += out->size;
    }
    for (uint32_t k = 0; k < r->count && status == SETT_OK; k++) {
        status = move_leave(r, &lists->move[k]);
    }
    return status;
}

/* New bounds: this rank's cells that go are empty here. */
static sett_status move_rebound(sett_ranks* r, const uint32_t* bounds)
{
    sett_status status = SETT_OK;
    for (uint32_t k = r->bounds[r->rank]; k < r->bounds[r->rank + 1] && status == SETT_OK; k++) {
        if (k < bounds[r->rank] || k >= bounds[r->rank + 1]) {
            status = setti_ranks_drop_home(r, k);
        }
    }
    memcpy(r->bounds, bounds, ((size_t)r->count + 1) * sizeof(*bounds));
    return status != SETT_OK           ? status
           : setti_ranks_find_peers(r) ? SETT_OK
                                       : SETT_STATUS_OUT_OF_MEMORY;
}

/* All homes first, then all ends, then all that come. */
static sett_status move_receive(sett_ranks* r)
{
    ranks_list ends = {NULL, 0, 0};
    ranks_reader* from = calloc((size_t)r->in_count + 1, sizeof(*from));
    sett_status status = from != NULL ? SETT_OK : SETT_STATUS_OUT_OF_MEMORY;
    for (uint32_t k = 0; k < r->in_count && status == SETT_OK; k++) {
        from[k].at = r->in[k].bytes.at;
        from[k].end = from[k].at + r->in[k].bytes.size;
        uint64_t count = setti_ranks_read_varint(&from[k]);
        for (uint64_t n = 0; n < count && status == SETT_OK; n++) {
            status = setti_ranks_read_home(r, &from[k]);
        }
    }
    for (uint32_t k = 0; k < r->in_count && status == SETT_OK; k++) {
        status = setti_ranks_read_list(r, &from[k], &ends) ? SETT_OK : SETT_STATUS_INVALID;
        for (uint32_t n = 0; n < ends.count && status == SETT_OK; n++) {
            status = move_end_there(r, ends.item[n]);
        }
    }
    for (uint32_t k = 0; k < r->in_count && status == SETT_OK; k++) {
        status = setti_ranks_unpack(r, &from[k]);
        status = status == SETT_OK && from[k].at != from[k].end ? SETT_STATUS_INVALID : status;
    }
    free(from);
    free(ends.item);
    return status;
}

static sett_status move_steps(sett_ranks* r, const uint32_t* bounds, move_lists* lists)
{
    sett_status status = sett_commands_apply(sett_commands_here(r->world));
    if (status == SETT_OK && !move_collect_all(r, &lists->ended)) {
        status = SETT_STATUS_OUT_OF_MEMORY;
    }
    if (status == SETT_OK && r->relation_count != 0) {
        status = move_spread(r, &lists->ended);
    }
    status = status == SETT_OK ? move_end_here(r, &lists->ended) : status;
    for (uint32_t k = 0; k < lists->ended.count && status == SETT_OK; k++) {
        uint32_t home = lists->ended.item[k].index / r->desc.indices;
        if (!sett_ranks_owns(r, home) &&
            !setti_ranks_push(&lists->home[move_owner(bounds, r, home)], lists->ended.item[k])) {
            status = SETT_STATUS_OUT_OF_MEMORY;
        }
    }
    status = status == SETT_OK ? move_place(r, &r->owned, r->cell) : status;
    status = status == SETT_OK ? move_admit(r) : status;
    if (status == SETT_OK && !move_divide(r, bounds, lists)) {
        status = SETT_STATUS_OUT_OF_MEMORY;
    }
    status = status == SETT_OK ? move_send(r, bounds, lists) : status;
    if (status == SETT_OK && bounds != r->bounds) {
        status = setti_ranks_drop_ghosts(r);
        status = status == SETT_OK ? move_rebound(r, bounds) : status;
    }
    status = status == SETT_OK ? setti_ranks_exchange(r) : status;
    status = status == SETT_OK ? move_receive(r) : status;
    status = status == SETT_OK ? move_admit(r) : status;
    return status == SETT_OK ? move_drop_targets(r) : status;
}

sett_status setti_ranks_settle(sett_ranks* r, uint32_t* bounds, bool ends)
{
    move_lists lists = {{NULL, 0, 0}, NULL, NULL, NULL};
    lists.home = calloc((size_t)r->count * 2, sizeof(ranks_list));
    sett_status status = lists.home != NULL ? SETT_OK : SETT_STATUS_OUT_OF_MEMORY;
    if (status == SETT_OK) {
        lists.move = lists.home + r->count;
        status = move_steps(r, bounds != NULL ? bounds : r->bounds, &lists);
        for (uint32_t k = 0; k < r->count; k++) {
            *(ends ? &r->stats.handed_over : &r->stats.balanced) += lists.move[k].count;
            free(lists.home[k].item);
            free(lists.move[k].item);
        }
    }
    free(lists.home);
    free(lists.ended.item);
    free(bounds);
    r->begun = false;
    r->tick += ends;
    return status == SETT_OK ? SETT_OK : setti_ranks_fail_status(r, status);
}

sett_status sett_ranks_end(sett_ranks* r)
{
    if (argument_is_null(r, __func__, "ranks")) {
        return SETT_STATUS_ARGUMENT;
    }
    setti_ranks_enter(r, __func__);
    return setti_ranks_settle(r, NULL, true);
}

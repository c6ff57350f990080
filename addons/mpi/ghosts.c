/* ghosts.c: what a rank sends of its entities to the ranks beside it, and what it gets.
 *
 * The workload: of a border of thousands of entities nearly all stay from tick to tick, and nearly
 * all have moved a little. So both ends remember what was sent (ranks_view), and a message is the
 * difference: who is gone, who has come, and byte by byte what is different in the values. The
 * bytes at one place of all values lie together, as a plane: those of a float's exponent hardly
 * ever change, those of its mantissa always, and of a state that few change, few are sent.
 *
 *     message     old count, gone (gaps), come (gaps and generations), kinds, planes
 *     planes      for each place of the values: of staying rows, of coming rows
 *     kinds       of all planes, 2 bits each: what a plane consists of
 *                   NONE  nothing: no byte differs
 *                   BITS  a bit for each row, and the bytes that differ
 *                   ALL   a byte for each row, 0 if it does not differ
 *                   FEW   count, gaps and bytes
 *
 * A selection (sett_selection_encode) would take 9 bytes for each handle and 5 for each value
 * beside the value: of 12 bytes of an agent in an epidemic 4 change.
 *
 * Invariant: decoding what was encoded from (old, now) with the same `old` gives the same `now`
 */
#include "../argument.h"
#include "ranks.h"

#include <stdlib.h>
#include <string.h>

enum {
    PLANE_NONE,
    PLANE_BITS,
    PLANE_ALL,
    PLANE_FEW
};

void setti_ranks_free_view(ranks_view* view)
{
    for (uint32_t k = 0; k < RANKS_TYPES; k++) {
        free(view->column[k]);
    }
    free(view->list.item);
    *view = (ranks_view){0};
}

/* Room for as many rows as its list has. */
static bool ghosts_reserve(const sett_ranks* r, ranks_view* view)
{
    if (view->list.count <= view->capacity && view->capacity != 0) {
        return true;
    }
    uint32_t capacity = view->list.count + view->list.count / 4 + 64;
    for (uint32_t k = 0; k < r->types; k++) {
        unsigned char* column = realloc(view->column[k], (size_t)capacity * r->size[k] + 1);
        if (column == NULL) {
            return false;
        }
        view->column[k] = column;
    }
    view->capacity = capacity;
    return true;
}

/* ------------------------------------------------------------------------------------- encoding */

/* What differs in one place of a column's values: a byte a row. */
typedef struct ghosts_plane {
    unsigned char* byte;
    uint32_t rows, count; /* of these, not 0 */
} ghosts_plane;

static void ghosts_write_few(const ghosts_plane* plane, ranks_bytes* out)
{
    uint32_t next = 0;
    setti_ranks_write_varint(out, plane->count);
    for (uint32_t k = 0; k < plane->rows; k++) {
        if (plane->byte[k] != 0) {
            setti_ranks_write_varint(out, k - next);
            setti_ranks_write(out, &plane->byte[k], 1);
            next = k + 1;
        }
    }
}

static void ghosts_write_bits(const ghosts_plane* plane, ranks_bytes* out)
{
    uint32_t bits = (plane->rows + 7) / 8;
    unsigned char* bit = setti_ranks_room(out, (size_t)bits + plane->count);
    if (bit == NULL) {
        return;
    }
    unsigned char* to = bit + bits;
    memset(bit, 0, bits);
    for (uint32_t k = 0; k < plane->rows; k++) {
        if (plane->byte[k] != 0) {
            bit[k / 8] |= (unsigned char)(1 << k % 8);
            *to++ = plane->byte[k];
        }
    }
}

/* Returns its kind. */
static uint32_t ghosts_write_plane(const ghosts_plane* plane, ranks_bytes* out)
{
    uint32_t bits = (plane->rows + 7) / 8;
    uint32_t kind = plane->count == 0                    ? PLANE_NONE
                    : plane->count + 3 < bits            ? PLANE_FEW
                    : bits + plane->count >= plane->rows ? PLANE_ALL
                                                         : PLANE_BITS;
    if (kind == PLANE_FEW) {
        ghosts_write_few(plane, out);
    } else if (kind == PLANE_ALL) {
        setti_ranks_write(out, plane->byte, plane->rows);
    } else if (kind == PLANE_BITS) {
        ghosts_write_bits(plane, out);
    }
    return kind;
}

/* The rows of a view, after the view before: some stay, some come. */
typedef struct ghosts_merged {
    uint32_t* row;  /* staying rows, then coming rows, whose bytes nearly all differ */
    uint32_t* from; /* which row it was, of each that stays */
    uint32_t stay, rows;
    size_t kinds;   /* place in the message of the kinds of planes */
    uint32_t plane; /* the next */
} ghosts_merged;

/* Bytes for the kinds of all planes. */
static size_t ghosts_kinds(const sett_ranks* r)
{
    size_t places = 0;
    for (uint32_t type = 0; type < r->types; type++) {
        places += r->size[type];
    }
    return (2 * places + 3) / 4;
}

static void ghosts_write_part(sett_ranks* r, ghosts_merged* merged, unsigned char* byte,
                              uint32_t rows, bool counts, ranks_bytes* out)
{
    ghosts_plane plane = {byte, rows, 0};
    uint32_t count = 0;
    for (uint32_t k = 0; k < rows; k++) {
        count += byte[k] != 0;
    }
    plane.count = count;
    uint32_t kind = ghosts_write_plane(&plane, out);
    out->at[merged->kinds + merged->plane / 4] |= (unsigned char)(kind << merged->plane % 4 * 2);
    merged->plane++;
    r->stats.ghost_changed += counts ? count : 0;
}

/* Against the value of the row that it was; of a ghost that comes against zeroes. */
static void ghosts_write_column(sett_ranks* r, const ranks_view* old, const ranks_view* now,
                                uint32_t type, ghosts_merged* merged, ranks_bytes* out)
{
    size_t begin = r->scratch.size;
    size_t size = r->size[type];
    unsigned char* byte = setti_ranks_room(&r->scratch, merged->rows);
    if (byte == NULL) {
        out->failed = true;
        return;
    }
    for (uint32_t place = 0; place < size; place++) {
        const unsigned char* is = now->column[type] + place;
        for (uint32_t k = 0; k < merged->stay; k++) {
            const unsigned char* was = old->column[type] + merged->from[k] * size + place;
            byte[k] = *was ^ is[merged->row[k] * size];
        }
        for (uint32_t k = merged->stay; k < merged->rows; k++) {
            byte[k] = is[merged->row[k] * size];
        }
        uint32_t come = merged->rows - merged->stay;
        ghosts_write_part(r, merged, byte, merged->stay, type != 0, out);
        ghosts_write_part(r, merged, byte + merged->stay, come, type != 0, out);
    }
    r->scratch.size = begin;
}

static void ghosts_write_gone(const ranks_list* old, const ghosts_merged* merged, ranks_bytes* out)
{
    uint32_t gone = 0;
    uint32_t next = 0;
    setti_ranks_write_varint(out, old->count);
    setti_ranks_write_varint(out, old->count - merged->stay);
    for (uint32_t k = 0; k <= merged->stay; k++) {
        uint32_t stays = k < merged->stay ? merged->from[k] : old->count;
        for (; gone < stays; gone++) {
            setti_ranks_write_varint(out, gone - next);
            next = gone + 1;
        }
        gone = stays + 1;
    }
}

/* Who stays and who comes. Returns false without memory. */
static bool ghosts_merge(const ranks_list* old, const ranks_list* now, ghosts_merged* merged,
                         ranks_list* come)
{
    uint32_t at = 0;
    for (uint32_t k = 0; k < now->count; k++) {
        while (at < old->count && old->item[at].index < now->item[k].index) {
            at++;
        }
        if (at < old->count && sett_equals(old->item[at], now->item[k])) {
            merged->row[merged->stay] = k;
            merged->from[merged->stay++] = at;
        } else if (!setti_ranks_push(come, now->item[k])) {
            return false;
        }
    }
    merged->rows = merged->stay;
    uint32_t next = 0;
    for (uint32_t k = 0; k < now->count; k++) {
        if (next < merged->stay && merged->row[next] == k) {
            next++;
        } else {
            merged->row[merged->rows++] = k;
        }
    }
    return true;
}

static void ghosts_write_planes(sett_ranks* r, const ranks_view* old, const ranks_view* now,
                                ghosts_merged* merged, ranks_bytes* out)
{
    size_t size = merged->rows != 0 ? ghosts_kinds(r) : 0;
    merged->kinds = out->size;
    unsigned char* kinds = setti_ranks_room(out, size);
    if (kinds == NULL || size == 0) {
        return;
    }
    memset(kinds, 0, size);
    for (uint32_t type = 0; type < r->types && !out->failed; type++) {
        ghosts_write_column(r, old, now, type, merged, out);
    }
}

bool setti_ranks_encode_view(sett_ranks* r, const ranks_view* old, const ranks_view* now,
                             ranks_bytes* out)
{
    ranks_list come = {NULL, 0, 0};
    size_t room = (size_t)now->list.count + 1;
    ghosts_merged merged = {.row = malloc(2 * room * sizeof(uint32_t))};
    if (merged.row != NULL) {
        merged.from = merged.row + room;
    }
    if (merged.row == NULL || !ghosts_merge(&old->list, &now->list, &merged, &come)) {
        out->failed = true;
    } else {
        ghosts_write_gone(&old->list, &merged, out);
        setti_ranks_write_list(out, &come);
        ghosts_write_planes(r, old, now, &merged, out);
    }
    free(come.item);
    free(merged.row);
    return !out->failed;
}

/* ------------------------------------------------------------------------------------- decoding */

/* Values of one column: of the staying rows, or of the coming rows. */
typedef struct ghosts_rows {
    unsigned char* byte;
    const uint32_t* row;
    uint32_t count, size;
} ghosts_rows;

static void ghosts_read_few(ranks_reader* from, const ghosts_rows* rows, uint32_t place)
{
    uint64_t count = setti_ranks_read_varint(from);
    uint64_t next = 0;
    for (uint64_t k = 0; k < count && !from->bad; k++) {
        uint64_t gap = setti_ranks_read_varint(from);
        const unsigned char* byte = setti_ranks_read(from, 1);
        if (byte == NULL || gap >= rows->count || next + gap >= rows->count) {
            from->bad = true;
            return;
        }
        next += gap;
        rows->byte[(size_t)rows->row[next] * rows->size + place] ^= *byte;
        next++;
    }
}

static void ghosts_read_plane(ranks_reader* from, const ghosts_rows* rows, uint32_t place,
                              uint32_t kind)
{
    if (kind == PLANE_NONE) {
        return;
    }
    if (kind == PLANE_FEW) {
        ghosts_read_few(from, rows, place);
        return;
    }
    size_t bits = kind == PLANE_BITS ? ((size_t)rows->count + 7) / 8 : 0;
    const unsigned char* bit = setti_ranks_read(from, bits);
    uint32_t count = bits == 0 ? rows->count : 0;
    for (uint32_t k = 0; k < rows->count && bits != 0 && bit != NULL; k++) {
        count += (uint32_t)bit[k / 8] >> k % 8 & 1;
    }
    const unsigned char* byte = setti_ranks_read(from, count);
    unsigned char* to = rows->byte + place;
    for (uint32_t k = 0; k < rows->count && byte != NULL; k++) {
        if (bits == 0 || (bit[k / 8] >> k % 8 & 1) != 0) {
            to[(size_t)rows->row[k] * rows->size] ^= *byte++;
        }
    }
}

/* Reads which rows are gone, as places in the old list. */
static bool ghosts_read_gone(ranks_reader* from, const ranks_list* old, ranks_list* gone)
{
    uint64_t count = setti_ranks_read_varint(from);
    uint64_t next = 0;
    for (uint64_t k = 0; k < count && !from->bad; k++) {
        uint64_t gap = setti_ranks_read_varint(from);
        if (gap >= old->count || next + gap >= old->count) {
            from->bad = true;
            break;
        }
        next += gap;
        if (!setti_ranks_push(gone, old->item[next])) {
            return false;
        }
        next++;
    }
    return true;
}

/* The rows of the new view: staying rows with their values, coming rows as zeroes. Both
 * lists ascend. Sets `order`: staying rows, then coming rows. False without memory. */
static bool ghosts_build(const sett_ranks* r, const ranks_view* old, const ranks_list* gone,
                         const ranks_list* come, ranks_view* now, uint32_t* order, bool* bad)
{
    uint32_t lost = 0;
    uint32_t new = 0;
    uint32_t stay = 0;
    now->list.count = old->list.count - gone->count + come->count;
    if (now->list.count > now->list.capacity) {
        sett_entity* item = realloc(now->list.item, now->list.count * sizeof(*item));
        if (item == NULL) {
            return false;
        }
        now->list.item = item;
        now->list.capacity = now->list.count;
    }
    if (!ghosts_reserve(r, now)) {
        return false;
    }
    uint32_t row = 0;
    for (uint32_t k = 0; k <= old->list.count; k++) {
        bool end = k == old->list.count;
        if (!end && lost < gone->count && sett_equals(gone->item[lost], old->list.item[k])) {
            lost++;
            continue;
        }
        uint32_t limit = end ? UINT32_MAX : old->list.item[k].index;
        for (; new < come->count && come->item[new].index < limit; new ++, row++) {
            order[old->list.count - gone->count + new] = row;
            now->list.item[row] = come->item[new];
            for (uint32_t type = 0; type < r->types; type++) {
                memset(now->column[type] + (size_t)row * r->size[type], 0, r->size[type]);
            }
        }
        *bad = *bad || (!end && new < come->count && come->item[new].index == limit);
        if (end || *bad) {
            break;
        }
        order[stay++] = row;
        now->list.item[row] = old->list.item[k];
        for (uint32_t type = 0; type < r->types; type++) {
            size_t size = r->size[type];
            memcpy(now->column[type] + row * size, old->column[type] + k * size, size);
        }
        row++;
    }
    return true;
}

/* Reads the planes of all columns. Sets bits of `changed` for planes that have bytes. */
static void ghosts_read_planes(const sett_ranks* r, const ranks_view* now, const uint32_t* order,
                               uint32_t stay, ranks_reader* from, uint32_t* changed)
{
    const unsigned char* kinds = setti_ranks_read(from, ghosts_kinds(r));
    uint32_t plane = 0;
    for (uint32_t type = 0; type < r->types && kinds != NULL; type++) {
        ghosts_rows stays = {now->column[type], order, stay, r->size[type]};
        ghosts_rows comes = stays;
        comes.row += stay;
        comes.count = now->list.count - stay;
        for (uint32_t place = 0; place < stays.size; place++, plane += 2) {
            uint32_t kind = (uint32_t)kinds[plane / 4] >> plane % 4 * 2;
            ghosts_read_plane(from, &stays, place, kind & 3);
            ghosts_read_plane(from, &comes, place, kind >> 2 & 3);
            *changed |= (uint32_t)((kind & 15) != 0) << (type < 31 ? type : 31);
        }
    }
}

sett_status setti_ranks_decode_view(sett_ranks* r, const ranks_view* old, ranks_view* now,
                                    ranks_list* gone, ranks_list* come, ranks_reader* from,
                                    uint32_t* changed)
{
    bool bad = setti_ranks_read_varint(from) != old->list.count;
    *changed = 0;
    gone->count = come->count = 0;
    if (bad || !ghosts_read_gone(from, &old->list, gone) || !setti_ranks_read_list(r, from, come)) {
        return bad || from->bad ? SETT_STATUS_INVALID : SETT_STATUS_OUT_OF_MEMORY;
    }
    uint32_t stay = old->list.count - gone->count;
    uint32_t* order = malloc(((size_t)stay + come->count + 1) * sizeof(*order));
    if (order == NULL || !ghosts_build(r, old, gone, come, now, order, &bad)) {
        free(order);
        return SETT_STATUS_OUT_OF_MEMORY;
    }
    if (!bad && now->list.count != 0) {
        ghosts_read_planes(r, now, order, stay, from, changed);
    }
    free(order);
    return bad || from->bad || from->at != from->end ? SETT_STATUS_INVALID : SETT_OK;
}

/* ------------------------------------------------------------------------------------ the world */

static bool ghosts_is_ghost(const sett_ranks* r, sett_entity entity)
{
    return sett_has(r->world, entity, r->tag);
}

/* It can be here already: a link leads to it. */
static sett_status ghosts_come(sett_ranks* r, const ranks_peer* peer, const ranks_list* come)
{
    for (uint32_t k = 0; k < come->count; k++) {
        sett_entity entity = come->item[k];
        sett_status status = SETT_OK;
        if (sett_ranks_owns(r, entity.index / r->desc.indices) &&
            !sett_entity_valid(r->world, entity)) {
            const ranks_home* home = &r->home[entity.index / r->desc.indices];
            uint32_t n = entity.index % r->desc.indices;
            bool lives = home->next != NULL && home->next[n] == entity.generation &&
                         (home->taken[n / 64] >> n % 64 & 1) != 0;
            status = lives ? SETT_OK : SETT_STATUS_INVALID;
        }
        if (sett_entity_valid(r->world, entity)) {
            status = ghosts_is_ghost(r, entity) ? SETT_OK : SETT_STATUS_INVALID;
        } else if (status == SETT_OK) {
            status = sett_entity_create_handle(r->world, entity);
        }
        if (status == SETT_STATUS_INVALID) {
            return setti_ranks_fail(
                r, status,
                "%s: entity %u:%u of rank %u has a handle of this rank - create "
                "entities of the simulation only by sett_ranks_create_entity",
                r->call, (unsigned)entity.index, (unsigned)entity.generation, (unsigned)peer->rank);
        }
        if (status != SETT_OK) {
            return setti_ranks_fail_status(r, status);
        }
    }
    return sett_add_many(r->world, come->item, come->count, r->tag);
}

static bool ghosts_lacks(const ranks_view* view, const sett_ranks* r, uint32_t row, uint32_t type)
{
    const unsigned char* bits = view->column[0] + (size_t)row * r->size[0];
    return (bits[(type - 1) / 8] >> (type - 1) % 8 & 1) != 0;
}

/* The values of one type, of all rows. */
static sett_status ghosts_set(sett_ranks* r, const ranks_view* view, uint32_t type)
{
    bool all = true;
    uint32_t size = r->size[type];
    for (uint32_t k = 0; k < view->list.count && all; k++) {
        all = !ghosts_lacks(view, r, k, type);
    }
    if (all) {
        return sett_set_many(r->world, view->list.item, view->list.count, r->ghost[type],
                             size != 0 ? view->column[type] : NULL);
    }
    for (uint32_t k = 0; k < view->list.count; k++) {
        sett_entity entity = view->list.item[k];
        if (ghosts_lacks(view, r, k, type)) {
            if (sett_has(r->world, entity, r->ghost[type]) &&
                sett_remove(r->world, entity, r->ghost[type]) != SETT_OK) {
                return sett_world_error(r->world);
            }
        } else if (sett_set(r->world, entity, r->ghost[type],
                            size != 0 ? view->column[type] + (size_t)k * size : NULL) == NULL) {
            return sett_world_error(r->world);
        }
    }
    return SETT_OK;
}

static sett_status ghosts_set_all(sett_ranks* r, const ranks_view* view, uint32_t changed,
                                  bool came)
{
    sett_status status = SETT_OK;
    for (uint32_t type = 1; type < r->types && status == SETT_OK; type++) {
        bool bits = (changed & 1) != 0 || came; /* someone has it, or has it no more */
        if (bits || (changed >> (type < 31 ? type : 31) & 1) != 0) {
            status = ghosts_set(r, view, type);
        }
    }
    return status;
}

sett_status setti_ranks_drop_ghost(sett_ranks* r, sett_entity entity)
{
    if (!sett_entity_valid(r->world, entity) || !ghosts_is_ghost(r, entity)) {
        return SETT_OK; /* it has moved here, or has ended */
    }
    if (!setti_ranks_is_linked(r, entity)) {
        return sett_entity_forget(r->world, entity);
    }
    for (uint32_t type = 1; type < r->types; type++) {
        if (sett_has(r->world, entity, r->ghost[type])) {
            sett_remove(r->world, entity, r->ghost[type]);
        }
    }
    return setti_ranks_push(&r->linked, entity) ? SETT_OK : SETT_STATUS_OUT_OF_MEMORY;
}

sett_status setti_ranks_drop_ghosts(sett_ranks* r)
{
    sett_status status = SETT_OK;
    for (uint32_t k = 0; k < r->peer_count; k++) {
        ranks_list* list = &r->peer[k].got.list;
        for (uint32_t n = 0; n < list->count && status == SETT_OK; n++) {
            status = setti_ranks_drop_ghost(r, list->item[n]);
        }
        list->count = 0;
    }
    return status;
}

/* ---------------------------------------------------------------------------------------- begin */

/* Fills a view's columns from the world. */
static bool ghosts_fill(sett_ranks* r, ranks_view* view)
{
    size_t begin = r->scratch.size;
    const void** value = (const void**)(void*)setti_ranks_room(
        &r->scratch, ((size_t)view->list.count + 1) * sizeof(*value));
    if (value == NULL || !ghosts_reserve(r, view)) {
        return false;
    }
    memset(view->column[0], 0, (size_t)view->list.count * r->size[0]);
    for (uint32_t type = 1; type < r->types; type++) {
        size_t size = r->size[type];
        uint32_t have = 0;
        if (size != 0) {
            have =
                sett_find_many(r->world, view->list.item, view->list.count, r->ghost[type], value);
        }
        for (uint32_t k = 0; k < view->list.count; k++) {
            bool has = size != 0 ? value[k] != NULL
                                 : sett_has(r->world, view->list.item[k], r->ghost[type]);
            if (!has) {
                view->column[0][(size_t)k * r->size[0] + (type - 1) / 8] |=
                    (unsigned char)(1 << (type - 1) % 8);
                memset(view->column[type] + k * size, 0, size);
            } else if (size != 0) {
                memcpy(view->column[type] + k * size, value[k], size);
            }
        }
        (void)have;
    }
    r->scratch.size = begin;
    return true;
}

/* Which of our entities a peer sees. */
static bool ghosts_select(sett_ranks* r, uint32_t peer, ranks_list* list)
{
    uint32_t first = r->bounds[r->rank];
    list->count = 0;
    for (uint32_t k = 0; k < r->owned.count; k++) {
        uint32_t cell = r->cell[k] - first;
        for (uint32_t n = r->reach_begin[cell]; n < r->reach_begin[cell + 1]; n++) {
            if (r->reach[n] == peer && !setti_ranks_push(list, r->owned.item[k])) {
                return false;
            }
        }
    }
    return true;
}

static sett_status ghosts_start(sett_ranks* r)
{
    if (r->begun || r->born.count != 0) {
        return setti_ranks_fail(r, SETT_STATUS_ARGUMENT,
                                "%s: the last tick has not ended, or entities were created after "
                                "it - call sett_ranks_end first",
                                r->call);
    }
    for (uint32_t k = 0; k < r->peer_count; k++) {
        ranks_peer* peer = &r->peer[k];
        peer->out.size = 0;
        r->scratch.size = 0;
        if (!ghosts_select(r, k, &r->view.list) || !ghosts_fill(r, &r->view) ||
            !setti_ranks_encode_view(r, &peer->sent, &r->view, &peer->out)) {
            return setti_ranks_fail_status(r, SETT_STATUS_OUT_OF_MEMORY);
        }
        ranks_view sent = peer->sent;
        peer->sent = r->view;
        r->view = sent;
        r->stats.ghosts_sent += peer->sent.list.count;
        r->stats.ghost_bytes += peer->out.size;
        setti_ranks_post(r, peer);
        if (r->failed) {
            return SETT_STATUS_LIMIT;
        }
    }
    r->begun = true;
    return SETT_OK;
}

/* Whether a ghost that stays is as it was sent; *written: the component that was written, or 0. */
static bool ghosts_is_intact(const sett_ranks* r, const ranks_view* view, uint32_t row,
                             sett_component* written)
{
    sett_entity entity = view->list.item[row];
    *written = 0;
    if (!sett_entity_valid(r->world, entity) || !ghosts_is_ghost(r, entity)) {
        return false;
    }
#if !defined(NDEBUG)
    for (uint32_t type = 1; type < r->types; type++) {
        size_t size = r->size[type];
        const void* value = size != 0 ? sett_find(r->world, entity, r->ghost[type]) : NULL;
        *written = r->ghost[type];
        if (value != NULL && !ghosts_lacks(view, r, row, type) &&
            memcmp(value, view->column[type] + row * size, size) != 0) {
            return false;
        }
    }
#endif
    return true;
}

/* Ghosts are the other rank's: what is done to one here would make results depend on ranks. */
static sett_status ghosts_check(sett_ranks* r, const ranks_view* old, const ranks_list* gone)
{
    uint32_t at = 0;
    for (uint32_t k = 0; k < old->list.count; k++) {
        sett_entity entity = old->list.item[k];
        sett_component written;
        if (at < gone->count && sett_equals(gone->item[at], entity)) {
            at++;
        } else if (!ghosts_is_intact(r, old, k, &written)) {
            const char* name = written != 0 ? sett_component_name(r->world, written) : "";
            return setti_ranks_fail(r, SETT_STATUS_REJECTED,
                                    "%s: ghost %u:%u was %s%.100s%s - only read ghosts, which are "
                                    "entities of other ranks (sett_ranks_ghost)",
                                    r->call, (unsigned)entity.index, (unsigned)entity.generation,
                                    written != 0 ? "written (\"" : "destroyed", name,
                                    written != 0 ? "\")" : "");
        }
    }
    return SETT_OK;
}

/* What a peer has sent, read; its ghosts that are gone have left. */
typedef struct ghosts_got {
    ranks_view now;
    ranks_list gone, come;
    uint32_t changed;
} ghosts_got;

static sett_status ghosts_take(sett_ranks* r, ranks_peer* peer, ghosts_got* got)
{
    ranks_bytes* bytes = &r->scratch;
    if (!setti_ranks_receive(r, peer->rank, bytes)) {
        return SETT_STATUS_OUT_OF_MEMORY;
    }
    ranks_reader from = {bytes->at, bytes->at + bytes->size, false};
    sett_status status = setti_ranks_decode_view(r, &peer->got, &got->now, &got->gone, &got->come,
                                                 &from, &got->changed);
    status = status == SETT_OK ? ghosts_check(r, &peer->got, &got->gone) : status;
    for (uint32_t k = 0; k < got->gone.count && status == SETT_OK; k++) {
        status = setti_ranks_drop_ghost(r, got->gone.item[k]);
    }
    ranks_view old = peer->got;
    peer->got = got->now;
    setti_ranks_free_view(&old);
    return status;
}

static sett_status ghosts_wait(sett_ranks* r)
{
    sett_status status = SETT_OK;
    if (!r->begun) {
        return setti_ranks_fail(r, SETT_STATUS_ARGUMENT,
                                "%s: no tick has begun - call sett_ranks_begin_start first",
                                r->call);
    }
    ghosts_got* got = calloc((size_t)r->peer_count + 1, sizeof(*got));
    if (got == NULL) {
        return setti_ranks_fail_status(r, SETT_STATUS_OUT_OF_MEMORY);
    }
    /* first all that goes: what one peer loses another may have */
    for (uint32_t k = 0; k < r->peer_count && status == SETT_OK; k++) {
        status = ghosts_take(r, &r->peer[k], &got[k]);
    }
    for (uint32_t k = 0; k < r->peer_count && status == SETT_OK; k++) {
        status = ghosts_come(r, &r->peer[k], &got[k].come);
        if (status == SETT_OK) {
            status = ghosts_set_all(r, &r->peer[k].got, got[k].changed, got[k].come.count != 0);
        }
    }
    for (uint32_t k = 0; k < r->peer_count; k++) {
        setti_ranks_posted(&r->peer[k]);
        free(got[k].gone.item);
        free(got[k].come.item);
    }
    free(got);
    return status == SETT_OK ? SETT_OK : setti_ranks_fail_status(r, status);
}

sett_status sett_ranks_begin_start(sett_ranks* r)
{
    if (argument_is_null(r, __func__, "ranks")) {
        return SETT_STATUS_ARGUMENT;
    }
    setti_ranks_enter(r, __func__);
    return ghosts_start(r);
}

sett_status sett_ranks_begin_wait(sett_ranks* r)
{
    if (argument_is_null(r, __func__, "ranks")) {
        return SETT_STATUS_ARGUMENT;
    }
    setti_ranks_enter(r, __func__);
    return ghosts_wait(r);
}

sett_status sett_ranks_begin(sett_ranks* r)
{
    if (argument_is_null(r, __func__, "ranks")) {
        return SETT_STATUS_ARGUMENT;
    }
    setti_ranks_enter(r, __func__);
    sett_status status = ghosts_start(r);
    return status == SETT_OK ? ghosts_wait(r) : status;
}

/* space_update.c: how a space follows the world.
 *
 * The workload: a hundred thousand entities of which a part moves a frame, most of them within
 * their cell; now and then a snapshot is restored, a delta applied or a file loaded. So the space
 * asks for positions in pages that were written or restored since its last update, and moves those
 * that differ. An entity that came or went without a write to its position, by a tag or an end, is
 * found by comparing who matches with who is in: a bit each.
 *
 *     written   positions since then     ->  cell, coordinates
 *     matches   now                      ->  seen
 *     in & ~seen  leave                         ~in & seen  enter
 *
 * No path that changes a world knows of this, and nothing that is restored has to be undone.
 *
 * Invariant:  after an update an entity is `in` if it matches, and its cell is the one of its
 *             position;  `count` + `outside` are the entities that are `in`
 */
#include "../argument.h"
#include "space.h"

#include "sett/loop.h"

#include <string.h>

static const char space_update_call[] = "sett_space_update";

static double space_read(const unsigned char* at, sett_space_number number)
{
    union {
        double f64;
        float f32;
        int32_t i32;
        uint32_t u32;
        int16_t i16;
        uint16_t u16;
    } value;
    switch (number) {
    case SETT_SPACE_F64:
        memcpy(&value.f64, at, 8);
        return value.f64;
    case SETT_SPACE_F32:
        memcpy(&value.f32, at, 4);
        return (double)value.f32;
    case SETT_SPACE_I32:
        memcpy(&value.i32, at, 4);
        return value.i32;
    case SETT_SPACE_U32:
        memcpy(&value.u32, at, 4);
        return value.u32;
    case SETT_SPACE_I16:
        memcpy(&value.i16, at, 2);
        return value.i16;
    case SETT_SPACE_U16:
        memcpy(&value.u16, at, 2);
        return value.u16;
    case SETT_SPACE_I8:
        return (int8_t)*at;
    default:
        return *at;
    }
}

static inline int64_t space_read_whole(const unsigned char* at, sett_space_number number)
{
    if (number != SETT_SPACE_I32) {
        return (int64_t)space_read(at, number);
    }
    int32_t usual;
    memcpy(&usual, at, sizeof(usual));
    return usual;
}

/* The cell of a position. Sets its coordinates, except in a grid, whose cells need none. */
static uint32_t space_locate(const sett_space* s, const unsigned char* value, double* at)
{
    if (!s->is_grid) {
        for (uint32_t k = 0; k < s->dimensions; k++) {
            at[k] = space_read(value + s->offset[k], s->number[k]);
        }
        return setti_space_locate(s, at);
    }
    uint32_t cell = 0;
    for (uint32_t k = s->dimensions; k-- > 0;) {
        int64_t x = space_read_whole(value + s->offset[k], s->number[k]) - s->corner[k];
        int64_t cells = s->cells[k];
        if ((uint64_t)x >= (uint64_t)cells) {
            if (!s->periodic) {
                return SETT_SPACE_OUTSIDE;
            }
            x %= cells;
            x += x < 0 ? cells : 0;
        }
        cell = cell * (uint32_t)cells + (uint32_t)x;
    }
    return cell;
}

static bool space_reserve_pages(sett_space* s, uint32_t number)
{
    if (number < s->page_room) {
        return true;
    }
    uint32_t room = s->page_room != 0 ? s->page_room : 16;
    while (room <= number) {
        room *= 2;
    }
    space_page** page = sett_world_alloc(s->world, room * sizeof(*page), 16);
    if (page == NULL) {
        return false;
    }
    memset(page, 0, room * sizeof(*page));
    if (s->page_room != 0) {
        memcpy(page, s->page, s->page_room * sizeof(*page));
    }
    (void)sett_world_release(s->world, s->page, s->page_room * sizeof(*page), 16);
    s->page = page;
    s->page_room = room;
    return true;
}

/* The page of an index, made if need be; NULL when memory runs out. */
static space_page* space_page_ensure(sett_space* s, uint32_t index)
{
    space_page* page = space_page_of(s, index);
    uint32_t number = index / SPACE_PAGE;
    if (page != NULL || !space_reserve_pages(s, number)) {
        return page;
    }
    page = sett_world_alloc(s->world, sizeof(*page), 16);
    if (page != NULL) {
        memset(page, 0, sizeof(*page));
        for (uint32_t k = 0; k < SPACE_PAGE; k++) {
            page->cell[k] = SPACE_NOWHERE;
        }
    }
    s->page[number] = page;
    return page;
}

/* Takes an entity from where it was. */
static void space_take_away(sett_space* s, uint32_t was, uint32_t index)
{
    if (was == SETT_SPACE_OUTSIDE) {
        s->outside--;
    } else if (was != SPACE_NOWHERE) {
        space_erase(s, was, index);
        s->count--;
    }
}

static void space_leave(sett_space* s, space_page* page, uint32_t index)
{
    uint32_t k = index % SPACE_PAGE;
    space_take_away(s, page->cell[k], index);
    page->cell[k] = SPACE_NOWHERE;
    page->in[k / 64] &= ~((uint64_t)1 << k % 64);
}

/* Writes an entity of the same cell again: its handle and coordinates. */
static void space_overwrite(sett_space* s, uint32_t number, sett_entity entity, const double* at)
{
    space_cell* cell = &s->cell[number];
    uint32_t place = setti_space_seek(cell, entity.index);
    if (cell->capacity == 0) {
        cell->at.one = entity;
        return;
    }
    unsigned char* array = cell->at.data + (size_t)place * sizeof(double);
    memcpy(array, &entity, sizeof(entity));
    for (uint32_t k = 0; !s->is_grid && k < s->dimensions; k++) {
        array += (size_t)cell->capacity * sizeof(double);
        memcpy(array, &at[k], sizeof(double));
    }
}

/* Puts an entity where its position says. False when memory runs out: it stays where it was. */
static bool space_put(sett_space* s, space_page* page, sett_entity entity,
                      const unsigned char* value)
{
    double at[3] = {0, 0, 0};
    uint32_t cell = space_locate(s, value, at);
    uint32_t k = entity.index % SPACE_PAGE;
    uint32_t was = page->cell[k];
    if (cell == was) {
        if (cell != SETT_SPACE_OUTSIDE) {
            space_overwrite(s, cell, entity, at);
        }
        return true;
    }
    if (cell != SETT_SPACE_OUTSIDE && !space_insert(s, cell, entity, at)) {
        return false;
    }
    space_take_away(s, was, entity.index);
    page->cell[k] = cell;
    page->in[k / 64] |= (uint64_t)1 << k % 64;
    s->count += cell != SETT_SPACE_OUTSIDE;
    s->outside += cell == SETT_SPACE_OUTSIDE;
    return true;
}

static bool space_enter(sett_space* s, sett_entity entity, const unsigned char* value)
{
    space_page* page = space_page_ensure(s, entity.index);
    return page != NULL && space_put(s, page, entity, value);
}

/* Whether the values of 64 indices in a row have one tick: an array's pages have at least as many.
 */
static bool space_has_pages(const sett_space* s)
{
    sett_component_desc type;
    return sett_component_describe(s->world, s->component, &type) == SETT_OK &&
           type.storage == SETT_STORAGE_ARRAY && !type.track_rows;
}

/* Reads the positions of a batch that were written since: a tick is looked at for 64 of them. */
static bool space_read_batch(sett_space* s, const sett_batch* b, bool pages)
{
    const unsigned char* values = sett_batch_field(b, s->term);
    uint32_t group = UINT32_MAX;
    bool written = s->stale;
    for (uint32_t k = 0; k < b->count; k++) {
        uint32_t row = b->rows != NULL ? b->rows[k] : k;
        sett_entity entity = sett_batch_entity(b, row);
        if (!s->stale && (!pages || entity.index / 64 != group)) {
            group = entity.index / 64;
            written = sett_changed_tick(s->world, entity, s->component) > s->since;
        }
        if (!written && pages) {
            uint32_t rest = 63 - entity.index % 64; /* of the group */
            k += b->rows == NULL && b->indices == NULL ? rest : 0;
        } else if (written && !space_enter(s, entity, values + (size_t)row * s->stride)) {
            return false;
        }
    }
    return true;
}

/* Sets bits of a page from `first` on. */
static void space_see(space_page* page, uint32_t first, uint32_t count)
{
    while (count != 0) {
        uint32_t bit = first % 64;
        uint32_t here = count < 64 - bit ? count : 64 - bit;
        page->seen[first / 64] |= (~(uint64_t)0 >> (64 - here)) << bit;
        first += here;
        count -= here;
    }
}

/* Sets `seen` of the entities of a batch. False when memory runs out. */
static bool space_see_batch(sett_space* s, const sett_batch* b)
{
    bool dense = b->indices == NULL && b->rows == NULL;
    for (uint32_t k = 0, run; k < b->count; k += run) {
        uint32_t row = b->rows != NULL ? b->rows[k] : k;
        uint32_t index = b->indices != NULL ? b->indices[row] : b->base + row;
        space_page* page = space_page_ensure(s, index);
        if (page == NULL) {
            return false;
        }
        uint32_t left = SPACE_PAGE - index % SPACE_PAGE;
        run = b->count - k < left ? b->count - k : left;
        run = dense ? run : 1;
        space_see(page, index % SPACE_PAGE, run);
    }
    return true;
}

/* Reads what was written of those that match, and sets `seen`. False when memory runs out. */
static bool space_read_all(sett_space* s)
{
    bool done = true;
    bool pages = space_has_pages(s);
    SETT_QUERY_EACH(s->all, b) {
        done = done && space_read_batch(s, b, pages) && space_see_batch(s, b);
    }
    return done;
}

/* The entities of a page that match and are not in, or are in and do not match. */
static bool space_compare(sett_space* s, uint32_t number)
{
    space_page* page = s->page[number];
    bool done = true;
    for (uint32_t w = 0; w < SPACE_PAGE / 64; w++) {
        uint64_t differ = page->in[w] ^ page->seen[w];
        for (uint32_t k = w * 64; differ != 0; k++, differ >>= 1) {
            uint32_t index = number * SPACE_PAGE + k;
            if ((differ & 1) == 0) {
                continue;
            }
            if ((page->in[w] >> k % 64 & 1) != 0) {
                space_leave(s, page, index);
            } else {
                sett_entity entity = sett_entity_at(s->world, index);
                done &= space_enter(s, entity, sett_find(s->world, entity, s->component));
            }
        }
        page->seen[w] = 0;
    }
    return done;
}

sett_status sett_space_update(sett_space* s)
{
    if (argument_is_null(s, __func__, "space")) {
        return SETT_STATUS_ARGUMENT;
    }
    uint64_t now = sett_world_tick(s->world);
    if (sett_world_advance_tick(s->world) == now) {
        return SETT_STATUS_LOCKED;
    }
    bool done = space_read_all(s);
    for (uint32_t number = 0; number < s->page_room; number++) {
        if (s->page[number] != NULL && done) {
            done = space_compare(s, number);
        } else if (s->page[number] != NULL) {
            memset(s->page[number]->seen, 0, sizeof(s->page[number]->seen));
        }
    }
    s->stale = !done;
    s->since = now;
    return done ? SETT_OK
                : setti_space_fail(s->world, SETT_STATUS_OUT_OF_MEMORY, space_update_call,
                                   "no memory for cells - free memory, and call sett_space_update "
                                   "again");
}

sett_status sett_space_move(sett_space* s, sett_entity entity)
{
    if (argument_is_null(s, __func__, "space")) {
        return SETT_STATUS_ARGUMENT;
    }
    const unsigned char* value = sett_find(s->world, entity, s->component);
    space_page* page = value != NULL ? space_page_of(s, entity.index) : NULL;
    if (page == NULL || page->cell[entity.index % SPACE_PAGE] == SPACE_NOWHERE) {
        return sett_space_refresh(s, entity);
    }
    return space_put(s, page, entity, value) ? SETT_OK : sett_world_error(s->world);
}

sett_status sett_space_refresh(sett_space* s, sett_entity entity)
{
    if (argument_is_null(s, __func__, "space")) {
        return SETT_STATUS_ARGUMENT;
    }
    uint32_t index = entity.index;
    entity = sett_entity_at(s->world, index); /* another can have the index of one that ended */
    if (sett_is_null(entity) || !sett_query_matches(s->all, entity)) {
        space_page* page = space_page_of(s, index);
        if (page != NULL && page->cell[index % SPACE_PAGE] != SPACE_NOWHERE) {
            space_leave(s, page, index);
        }
        return SETT_OK;
    }
    return space_enter(s, entity, sett_find(s->world, entity, s->component))
               ? SETT_OK
               : sett_world_error(s->world);
}

/* view.c: see view.h.
 *
 * A page of a snapshot is in the first entry on the path from the snapshot to the live world;
 * without an entry it is the live page. So a table of all pages with an entry on either path is
 * filled from the live end, nearer entries over farther ones.
 *
 * Invariant:  pages that are not in the table are the live ones in both
 */
#include "state/view.h"

#include <stdlib.h>

static int view_compare(const void* a, const void* b)
{
    const setti_view_page* x = a;
    const setti_view_page* y = b;
    if (x->pages != y->pages) {
        return (uintptr_t)x->pages < (uintptr_t)y->pages ? -1 : 1;
    }
    return (x->number > y->number) - (x->number < y->number);
}

/* The first entry of the table that is not before this page. */
static uint32_t view_find(setti_view* view, const setti_pages* pages, uint32_t number)
{
    const setti_view_page key = {pages, number, {NULL, NULL}};
    uint32_t low = 0;
    uint32_t high = view->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (view_compare(&view->page[middle], &key) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool view_is(setti_view* view, uint32_t at, const setti_pages* pages)
{
    return at < view->count && view->page[at].pages == pages;
}

/* Adds the pages of all entries on the path from the live world. */
static void view_collect(setti_view* view, const setti_snapshot* head)
{
    for (const setti_snapshot* node = head; node != NULL; node = node->path) {
        for (uint32_t k = 0; k < node->diff.count; k++) {
            const setti_cow_entry* saved = &node->diff.item[k];
            const setti_pages* pages = saved->pages;
            const void* live = pages->data[saved->number];
            setti_view_page page = {pages, saved->number, {live, live}};
            SETTI_ASSERT(view->count < view->capacity);
            view->page[view->count++] = page;
        }
    }
}

static void view_fill(setti_view* view, const setti_snapshot* head, uint32_t side)
{
    SETTI_ASSERT(side < 2);
    for (const setti_snapshot* node = head; node != NULL; node = node->path) {
        for (uint32_t k = 0; k < node->diff.count; k++) {
            const setti_cow_entry* saved = &node->diff.item[k];
            view->page[view_find(view, saved->pages, saved->number)].in[side] = saved->data;
        }
    }
}

static void view_unique(setti_view* view)
{
    uint32_t saved = 0;
    if (view->count != 0) {
        qsort(view->page, view->count, sizeof(*view->page), view_compare);
    }
    for (uint32_t k = 0; k < view->count; k++) {
        if (saved == 0 || view_compare(&view->page[saved - 1], &view->page[k]) != 0) {
            view->page[saved++] = view->page[k];
        }
    }
    view->count = saved;
}

static uint32_t view_measure(const setti_snapshot* head)
{
    uint32_t count = 0;
    for (const setti_snapshot* node = head; node != NULL; node = node->path) {
        count += node->diff.count;
    }
    return count;
}

/* The path to a snapshot; empty for the live world. */
static const setti_snapshot* view_path(setti_snapshot* node)
{
    return node != NULL ? setti_snapshot_path(node) : NULL;
}

static sett_entity view_see_entity(setti_sides* sides, uint32_t index, uint32_t side)
{
    return setti_view_entity((setti_view*)sides, index, side);
}

static const void* view_see_value(setti_sides* sides, const setti_type* type, uint32_t index,
                                  uint32_t side)
{
    return setti_view_value((setti_view*)sides, type, index, side);
}

static const void* view_see_page(setti_sides* sides, const setti_pages* pages, uint32_t number,
                                 uint32_t side)
{
    return setti_view_get((setti_view*)sides, pages, number, side);
}

static uint32_t view_see_number(setti_sides* sides, const setti_root* root, uint32_t side)
{
    return setti_view_number((setti_view*)sides, root, side);
}

static void view_begin(setti_view* view, sett_world* world)
{
    const setti_sides sides = {view_see_entity, view_see_value, view_see_page, view_see_number};
    memset(view, 0, sizeof(*view));
    view->sides = sides;
    view->world = world;
}

bool setti_view_init(sett_world* world, setti_snapshot* a, setti_snapshot* b, setti_view* view)
{
    SETTI_ASSERT(a != NULL || b != NULL);
    setti_snapshot* node[2] = {a, b};
    view_begin(view, world);
    view->capacity = 1;
    for (uint32_t side = 0; side < 2; side++) {
        view->node[side] = node[side];
        view->capacity += view_measure(view_path(node[side]));
    }
    view->page = setti_pool_alloc(&world->pool, view->capacity * sizeof(*view->page), 16);
    if (view->page == NULL) {
        return false;
    }
    for (uint32_t side = 0; side < 2; side++) {
        view_collect(view, view_path(node[side]));
    }
    view_unique(view);
    for (uint32_t side = 0; side < 2; side++) {
        view_fill(view, view_path(node[side]), side);
    }
    return true;
}

void setti_view_init_empty(sett_world* world, setti_view* view)
{
    static const setti_snapshot nothing = {0}; /* no root was there */
    view_begin(view, world);
    view->empty = true;
    view->node[0] = &nothing;
}

void setti_view_deinit(sett_world* world, setti_view* view)
{
    setti_pool_free(&world->pool, view->page, view->capacity * sizeof(*view->page), 16);
}

const void* setti_view_get(setti_view* view, const setti_pages* pages, uint32_t number,
                           uint32_t side)
{
    SETTI_ASSERT(side < 2);
    uint32_t key = (uint32_t)((uintptr_t)pages / 8) + number;
    setti_view_memo* memo = &view->memo[key * 0x9E3779B1u >> (32 - SETTI_VIEW_MEMO_BITS)];
    if (memo->pages != pages || memo->number != number) {
        uint32_t at = view_find(view, pages, number);
        bool found = view_is(view, at, pages) && view->page[at].number == number;
        const void* live = setti_pages_get(pages, number);
        memo->pages = pages;
        memo->number = number;
        memo->in[0] = found ? view->page[at].in[0] : live;
        memo->in[0] = view->empty ? NULL : memo->in[0];
        memo->in[1] = found ? view->page[at].in[1] : live;
    }
    return memo->in[side];
}

/* The same where all pages differ. */
static const setti_view_page* view_next_page(setti_view* view, const setti_pages* pages,
                                             uint32_t* at)
{
    *at = setti_pages_next(pages, *at + 1); /* SETTI_NONE + 1: the first */
    view->each.pages = pages;
    view->each.number = *at;
    view->each.in[1] = setti_pages_get(pages, *at);
    return *at != SETTI_NONE ? &view->each : NULL;
}

const setti_view_page* setti_view_next(setti_view* view, const setti_pages* pages, uint32_t* at)
{
    if (view->empty) {
        return view_next_page(view, pages, at);
    }
    *at = *at == SETTI_NONE ? view_find(view, pages, 0) : *at + 1;
    while (view_is(view, *at, pages) && view->page[*at].in[0] == view->page[*at].in[1]) {
        ++*at;
    }
    return view_is(view, *at, pages) ? &view->page[*at] : NULL;
}

#define VIEW_SLOTS 64 /* that are compared first */

/* From slot `at` of a page on, the first whose generations differ; SETTI_ENTITY_ROWS if none does.
 * A side without the page has SETTI_UNUSED. */
static uint32_t view_next_generation(const setti_view_page* page, uint32_t at)
{
    const setti_entity_page* was = page->in[0];
    const setti_entity_page* is = page->in[1];
    if (was == NULL || is == NULL) {
        const setti_entity_page* one = was != NULL ? was : is;
        while (at < SETTI_ENTITY_ROWS && one->generation[at] == SETTI_UNUSED) {
            at++;
        }
        return at;
    }
    for (; at < SETTI_ENTITY_ROWS; at++) {
        if (at % VIEW_SLOTS == 0 &&
            memcmp(was->generation + at, is->generation + at, 4 * VIEW_SLOTS) == 0) {
            at += VIEW_SLOTS - 1;
        } else if (was->generation[at] != is->generation[at]) {
            break;
        }
    }
    return at;
}

bool setti_view_next_slot(setti_view* view, setti_view_slot* slot)
{
    const setti_pages* pages = &view->world->entities.pages;
    uint32_t row = 0;
    if (slot->index == SETTI_NONE) {
        slot->at = SETTI_NONE;
        slot->page = setti_view_next(view, pages, &slot->at);
    } else {
        row = (slot->index & SETTI_ENTITY_MASK) + 1;
    }
    for (; slot->page != NULL; slot->page = setti_view_next(view, pages, &slot->at), row = 0) {
        row = view_next_generation(slot->page, row);
        if (row == SETTI_ENTITY_ROWS) {
            continue;
        }
        slot->index = (slot->page->number << SETTI_ENTITY_SHIFT) + row;
        for (uint32_t side = 0; side < 2; side++) {
            const setti_entity_page* page = slot->page->in[side];
            slot->generation[side] = page != NULL ? page->generation[row] : SETTI_UNUSED;
        }
        return true;
    }
    return false;
}

uint32_t setti_view_count(setti_view* view, const setti_pages* pages)
{
    uint32_t count = pages->count;
    for (uint32_t k = view_find(view, pages, 0); view_is(view, k, pages); k++) {
        count = SETTI_MAX(count, view->page[k].number + 1);
    }
    return count;
}

uint32_t setti_view_extent(setti_view* view, const setti_type* type, uint32_t side)
{
    if (view->node[side] == NULL) {
        return type->storage.extent;
    }
    const unsigned char* bytes = setti_snapshot_root(view->node[side], &type->root);
    uint32_t extent = 0;
    if (bytes != NULL) {
        memcpy(&extent, bytes + offsetof(setti_storage, extent) - offsetof(setti_storage, count),
               sizeof(extent));
    }
    return extent;
}

sett_entity setti_view_entity(setti_view* view, uint32_t index, uint32_t side)
{
    const setti_entity_page* page =
        setti_view_get(view, &view->world->entities.pages, index >> SETTI_ENTITY_SHIFT, side);
    sett_entity entity = {0, 0};
    if (page != NULL && (page->generation[index & SETTI_ENTITY_MASK] & SETTI_DEAD) == 0) {
        entity.index = index;
        entity.generation = page->generation[index & SETTI_ENTITY_MASK];
    }
    return entity;
}

const void* setti_view_value(setti_view* view, const setti_type* type, uint32_t index,
                             uint32_t side)
{
    const setti_storage* storage = &type->storage;
    uint32_t place = index;
    if (storage->kind == SETTI_SPARSE) {
        const setti_sparse_page* page =
            setti_view_get(view, &storage->presence, index >> SETTI_SPARSE_SHIFT, side);
        place = page != NULL ? page->row[index & SETTI_SPARSE_MASK] : SETTI_NONE;
        if (place == SETTI_NONE) {
            return NULL;
        }
    } else {
        const uint64_t* words =
            setti_view_get(view, &storage->presence, index >> SETTI_BITS_SHIFT, side);
        if (words == NULL ||
            (words[index / 64 & (SETTI_BITS_WORDS - 1)] >> (index % 64) & 1) == 0) {
            return NULL;
        }
    }
    if (storage->size == 0) {
        return type; /* any address */
    }
    const unsigned char* page = setti_view_get(view, &storage->rows, place >> storage->shift, side);
    SETTI_ASSERT(page != NULL);
    return page + (size_t)(place & (setti_storage_rows(storage) - 1)) * storage->size;
}

uint32_t setti_view_number(setti_view* view, const setti_root* root, uint32_t side)
{
    const void* bytes =
        view->node[side] != NULL ? setti_snapshot_root(view->node[side], root) : root->address;
    uint32_t number = 0;
    if (bytes != NULL) {
        memcpy(&number, bytes, sizeof(number));
    }
    return number;
}

const unsigned char* setti_view_record(setti_view* view, const setti_records* records,
                                       uint32_t place, uint32_t side)
{
    const unsigned char* page = setti_view_get(view, records->pages, place >> records->shift, side);
    uint32_t row = place & (((uint32_t)1 << records->shift) - 1);
    SETTI_ASSERT(page != NULL);
    return page + (size_t)row * records->size;
}

setti_view_list setti_view_records(const setti_type* type, const void* value)
{
    setti_view_list list = {0, SETTI_NONE};
    SETTI_ASSERT(value != NULL);
    const unsigned char* bytes = value;
    if (type->records != NULL) {
        memcpy(&list.left, bytes + type->records->listed, sizeof(list.left));
        memcpy(&list.place, bytes + type->records->first, sizeof(list.place));
    }
    return list;
}

const unsigned char* setti_view_next_record(setti_view* view, const setti_records* records,
                                            setti_view_list* list, uint32_t side)
{
    if (list->left == 0) {
        return NULL;
    }
    SETTI_ASSERT(list->place != SETTI_NONE);
    const unsigned char* record = setti_view_record(view, records, list->place, side);
    memcpy(&list->place, record + records->next, sizeof(list->place));
    list->left--;
    return record;
}

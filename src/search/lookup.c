/* lookup.c: finds entities by the value of a member.
 *
 * The workload: a hundred thousand entities with a key, a grid cell or a state; some thousand
 * look-ups a frame; between look-ups, writes to a few pages or to all. Each call first updates the
 * look-up: pages with newer ticks (written, restored or loaded) are read again. So writes cost
 * nothing, and no path that changes a world has to notify look-ups.
 *
 *     slot      by hash of a key: a list of keys, each by its first record
 *     record    by place: the entity's index, the key, and the neighbours with the same key
 *
 *     key 7     [ place 3 ] <-> [ place 0 ] <-> [ place 9 ]      a list, from `first` on
 *
 * An ordered look-up has sorted pairs of key and index (key_order.c) instead of slots. If an eighth
 * of the records has changed, all pairs are sorted again.
 *
 *     7:0  7:3  7:9  12:1  20:4      the range from 7 to 12 has four pairs
 *
 * Look-ups are not part of the state. Results are sorted by index, so they do not depend on earlier
 * calls. Hashes depend on an address, so that senders of values cannot choose colliding values.
 *
 * Invariant:  after an update, each row with a value has a record with the row's key and index; all
 *             other records have the index SETTI_NONE;  the first record of a key is in the list of
 *             the key's slot;  ordered: `order` has a pair for each record with an index, unless
 *             `unsorted`
 */
#include "base/guess.h"
#include "base/hash_map.h"
#include "search/key_order.h"
#include "search/search.h"
#include "sett/members.h"
#include "sett/search.h"
#include "value/number.h"
#include "value/value.h"
#include "world/change.h"

#include <math.h>
#include <string.h>

/* How a member's bits become a key, without a branch. Equal values have equal keys. In an ordered
 * look-up, greater values have greater keys. */
typedef struct lookup_encoding {
    uint64_t minus_zero; /* bits of -0.0, encoded as 0 */
    uint64_t flip;       /* bits to invert: the sign bit */
    uint64_t negative;   /* bits to invert in negative floats: a larger number is less */
    uint32_t up;         /* left shift of the sign bit to the highest bit */
} lookup_encoding;

typedef struct lookup_record {
    uint64_t key;
    uint32_t index; /* of the entity; SETTI_NONE: no value */
    uint32_t next;  /* place of the next record with the same key, or SETTI_NONE */
    uint32_t previous;
    /* In the first record of a key only: */
    uint32_t next_chain; /* place of the first record of the slot's next key, or SETTI_NONE */
    uint32_t count;      /* number of records with the key */
} lookup_record;

struct sett_lookup {
    const setti_lookup_calls* calls; /* first: setti_lookup_head */
    sett_world* world;
    sett_lookup* next; /* list of the world's look-ups */
    sett_lookup* previous;
    setti_type* type;
    uint32_t offset; /* of the member in a value, in bytes */
    uint32_t size;   /* of the member, in bytes */
    sett_member_kind member;
    lookup_encoding code;
    bool is_float;
    bool ordered;
    bool unsorted;    /* if ordered: `order` is empty, and all records must be sorted */
    uint32_t changes; /* if ordered: number of changes in the current update */

    lookup_record** page; /* records, by page of rows; NULL: no row has a value */
    uint32_t page_count;
    uint32_t page_room;
    uint8_t shift;   /* log2(records a page), copied from the storage at an update */
    uint8_t kind;    /* copied from the storage */
    uint32_t extent; /* copied from the storage */
    uint64_t since;  /* all writes before this tick have been read */

    setti_key_order order;

    uint32_t* slot;      /* hash table of places; SETTI_NONE: empty */
    uint32_t slot_count; /* a power of two, at least `count`; 0: none */
    uint32_t count;      /* records with an index */
};

static uint32_t lookup_page_rows(const sett_lookup* l)
{
    return (uint32_t)1 << l->shift;
}

static lookup_record* lookup_at(const sett_lookup* l, uint32_t place)
{
    return &l->page[place >> l->shift][place & (lookup_page_rows(l) - 1)];
}

/* Returns the slot or next_chain that has the place of a key's first record, or SETTI_NONE. */
static uint32_t* lookup_seek(const sett_lookup* l, uint64_t key)
{
    SETTI_ASSERT(l->slot_count != 0);
    uint32_t* link = &l->slot[setti_hash_home(key, 0, l) & (l->slot_count - 1)];
    while (*link != SETTI_NONE && lookup_at(l, *link)->key != key) {
        link = &lookup_at(l, *link)->next_chain;
    }
    return link;
}

/* Inserts a record as the first one of its key. */
static void lookup_link_slot(sett_lookup* l, uint32_t place)
{
    lookup_record* record = lookup_at(l, place);
    uint32_t* link = lookup_seek(l, record->key);
    record->previous = SETTI_NONE;
    record->next = *link;
    record->next_chain = SETTI_NONE;
    record->count = 1;
    if (*link != SETTI_NONE) { /* another record was first */
        lookup_record* first = lookup_at(l, *link);
        first->previous = place;
        record->next_chain = first->next_chain;
        record->count = first->count + 1;
    }
    *link = place;
}

static void lookup_unlink_slot(const sett_lookup* l, uint32_t place)
{
    const lookup_record* record = lookup_at(l, place);
    uint32_t* link = lookup_seek(l, record->key);
    SETTI_ASSERT(*link != SETTI_NONE);
    lookup_record* first = lookup_at(l, *link);
    if (record->next != SETTI_NONE) {
        lookup_at(l, record->next)->previous = record->previous;
    }
    if (first != record) {
        first->count--;
        lookup_at(l, record->previous)->next = record->next;
    } else if (record->next != SETTI_NONE) { /* the next record becomes the first */
        lookup_record* new_first = lookup_at(l, record->next);
        new_first->next_chain = record->next_chain;
        new_first->count = record->count - 1;
        *link = record->next;
    } else { /* the key has no record left */
        *link = record->next_chain;
    }
}

/* Makes room for `count` records in the slots. Returns false when memory runs out. */
static bool lookup_reserve_slots(sett_lookup* l, uint32_t count)
{
    setti_pool* pool = &l->world->pool;
    if (count <= l->slot_count) {
        return true;
    }
    uint32_t room = setti_bits_ceil(SETTI_MAX(count, 64));
    uint32_t* slot = /* else `room` may have overflowed */
        room <= SETTI_NONE / 2 ? setti_pool_alloc(pool, (size_t)room * sizeof(*slot), 16) : NULL;
    if (slot == NULL) {
        return false;
    }
    setti_pool_free(pool, l->slot, (size_t)l->slot_count * sizeof(*slot), 16);
    memset(slot, 0xFF, (size_t)room * sizeof(*slot));
    l->slot = slot;
    l->slot_count = room;
    for (uint32_t number = 0; number < l->page_count; number++) {
        for (uint32_t k = 0; l->page[number] != NULL && k < lookup_page_rows(l); k++) {
            if (l->page[number][k].index != SETTI_NONE) {
                lookup_link_slot(l, (number << l->shift) + k);
            }
        }
    }
    return true;
}

/* Counts a change in an ordered look-up. After many changes, all records are sorted instead: that
 * takes 30 ns a record, a change about 200 ns. */
static void lookup_count_change(sett_lookup* l)
{
    l->changes++;
    if (!l->unsorted && l->changes > l->count / 8 + 64) {
        setti_key_order_deinit(&l->world->pool, &l->order);
        l->unsorted = true;
    }
}

/* Gives a record with a key an index, and links the record. Returns false when memory runs out. */
static bool lookup_link(sett_lookup* l, uint32_t place, uint32_t index)
{
    lookup_record* record = lookup_at(l, place);
    SETTI_ASSERT(record->index == SETTI_NONE && index != SETTI_NONE);
    if (l->ordered) {
        lookup_count_change(l);
        if (!l->unsorted && !setti_key_order_add(&l->world->pool, &l->order, record->key, index)) {
            return false;
        }
    } else if (lookup_reserve_slots(l, l->count + 1)) {
        lookup_link_slot(l, place);
    } else {
        return false;
    }
    record->index = index;
    l->count++;
    return true;
}

static void lookup_unlink(sett_lookup* l, uint32_t place)
{
    lookup_record* record = lookup_at(l, place);
    SETTI_ASSERT(record->index != SETTI_NONE && l->count != 0);
    if (l->ordered) {
        lookup_count_change(l);
        if (!l->unsorted) {
            setti_key_order_remove(&l->world->pool, &l->order, record->key, record->index);
        }
    } else {
        lookup_unlink_slot(l, place);
    }
    record->index = SETTI_NONE;
    l->count--;
}

/* Makes `order` of all records. Returns false when memory runs out. */
static bool lookup_order_all(sett_lookup* l)
{
    setti_pool* pool = &l->world->pool;
    size_t size = (size_t)l->count * 2 * sizeof(setti_key_pair);
    l->unsorted = l->count != 0;
    if (!l->unsorted) {
        return true;
    }
    setti_key_pair* pair = setti_pool_alloc(pool, size, 16);
    if (pair == NULL) {
        return false;
    }
    uint32_t count = 0;
    for (uint32_t number = 0; number < l->page_count; number++) {
        if (l->page[number] == NULL) {
            continue;
        }
        for (uint32_t k = 0; k < lookup_page_rows(l); k++) {
            const lookup_record* record = &l->page[number][k];
            if (record->index != SETTI_NONE) {
                pair[count++] = (setti_key_pair){record->key, record->index};
            }
        }
    }
    SETTI_ASSERT(count == l->count);
    l->unsorted = !setti_key_order_build(pool, &l->order, pair, pair + count, count);
    setti_pool_free(pool, pair, size, 16);
    return !l->unsorted;
}

static void lookup_drop_page(sett_lookup* l, uint32_t number)
{
    lookup_record* page = l->page[number];
    if (page == NULL) {
        return;
    }
    for (uint32_t k = 0; k < lookup_page_rows(l); k++) {
        if (page[k].index != SETTI_NONE) {
            lookup_unlink(l, (number << l->shift) + k);
        }
    }
    setti_pool_free(&l->world->pool, page, sizeof(lookup_record) << l->shift, 16);
    l->page[number] = NULL;
}

static bool lookup_ensure_page(sett_lookup* l, uint32_t number)
{
    setti_pool* pool = &l->world->pool;
    if (number >= l->page_count) {
        lookup_record** page = setti_pool_grow(pool, l->page, sizeof(*page), l->page_count,
                                               number + 1 - l->page_count, &l->page_room);
        if (page == NULL) {
            return false;
        }
        l->page = page;
        while (l->page_count <= number) {
            l->page[l->page_count++] = NULL;
        }
    }
    if (l->page[number] == NULL) {
        lookup_record* page = setti_pool_alloc(pool, sizeof(lookup_record) << l->shift, 16);
        for (uint32_t k = 0; page != NULL && k < lookup_page_rows(l); k++) {
            page[k].index = SETTI_NONE;
        }
        l->page[number] = page;
    }
    return l->page[number] != NULL;
}

SETTI_INLINE uint64_t lookup_bits(const void* member, uint32_t size)
{
    uint64_t wide = 0;
    uint32_t word = 0;
    uint16_t half = 0;
    switch (size) { /* constant sizes avoid calls of memcpy, half of the time */
    case sizeof(wide):
        memcpy(&wide, member, sizeof(wide));
        return wide;
    case sizeof(word):
        memcpy(&word, member, sizeof(word));
        return word;
    case sizeof(half):
        memcpy(&half, member, sizeof(half));
        return half;
    default:
        SETTI_ASSERT(size == 1);
        return *(const unsigned char*)member;
    }
}

/* Makes a key of a member's bits. The caller has shifted the bits by `up`. */
SETTI_INLINE uint64_t lookup_encode(const lookup_encoding* code, uint64_t bits)
{
    bits = bits == code->minus_zero ? 0 : bits;
    uint64_t all_if_negative = 0 - (bits >> 63);
    return bits ^ code->flip ^ (all_if_negative & code->negative);
}

static void lookup_set_encoding(sett_lookup* l)
{
    const uint64_t sign = (uint64_t)1 << 63;
    bool is_signed = l->is_float || setti_number_is_signed(l->member);
    l->code.up = l->ordered ? 64 - l->size * 8 : 0;
    l->code.minus_zero = l->is_float ? (uint64_t)1 << (l->size * 8 - 1) << l->code.up : 0;
    l->code.flip = l->ordered && is_signed ? sign : 0;
    l->code.negative = l->ordered && l->is_float ? ~sign : 0;
}

static uint64_t lookup_key(const sett_lookup* l, const void* member)
{
    return lookup_encode(&l->code, lookup_bits(member, l->size) << l->code.up);
}

/* Gives a record another index, or SETTI_NONE, and key. Returns false when memory runs out. */
static bool lookup_change(sett_lookup* l, uint32_t place, uint32_t index, uint64_t key)
{
    lookup_record* record = lookup_at(l, place);
    /* Slots refer to places, not indices: a new index with the old key needs no new link. */
    bool moved = record->index != index && (l->ordered || index == SETTI_NONE);
    if (record->index != SETTI_NONE && (moved || record->key != key)) {
        lookup_unlink(l, place);
    }
    if (index != SETTI_NONE && record->index == SETTI_NONE) {
        record->key = key;
        return lookup_link(l, place, index);
    }
    record->index = index;
    return true;
}

/* Changes the records of a page that differ from the rows. Returns false when memory runs out. */
SETTI_INLINE bool lookup_read_rows(sett_lookup* l, uint32_t number, const unsigned char* rows,
                                   uint32_t size)
{
    const setti_storage* storage = &l->type->storage;
    const lookup_record* page = l->page[number];
    const lookup_encoding code = l->code;
    const unsigned char* member = rows + l->offset;
    const size_t stride = storage->size;
    const bool sparse = storage->kind == SETTI_SPARSE;
    const uint32_t first = number << l->shift;
    const uint32_t count = lookup_page_rows(l);
    uint64_t word = 0; /* presence bits from `place` on, if not sparse */
    for (uint32_t k = 0; k < count; k++, member += stride) {
        uint32_t place = first + k;
        uint32_t index = place;
        if (sparse) {
            index = place < storage->extent ? *setti_storage_index(storage, place) : SETTI_NONE;
        } else {
            if (place % 64 == 0 || k == 0) {
                const uint64_t* bits = setti_storage_word(storage, place);
                word = bits != NULL ? *bits >> (place % 64) : 0;
            }
            index = (word & 1) != 0 ? place : SETTI_NONE;
            word >>= 1;
        }
        uint64_t key =
            index != SETTI_NONE ? lookup_encode(&code, lookup_bits(member, size) << code.up) : 0;
        bool same = page[k].index == index && (index == SETTI_NONE || page[k].key == key);
        if (SETTI_UNLIKELY(!same) && !lookup_change(l, place, index, key)) {
            return false;
        }
    }
    return true;
}

static bool lookup_read(sett_lookup* l, uint32_t number)
{
    const unsigned char* rows = setti_pages_get(&l->type->storage.rows, number);
    if (rows == NULL) { /* the page is gone */
        if (number < l->page_count) {
            lookup_drop_page(l, number);
        }
        return true;
    }
    if (!lookup_ensure_page(l, number)) {
        return false;
    }
    switch (l->size) { /* constant sizes compile to faster copies */
    case sizeof(uint32_t):
        return lookup_read_rows(l, number, rows, sizeof(uint32_t));
    case sizeof(uint64_t):
        return lookup_read_rows(l, number, rows, sizeof(uint64_t));
    default:
        return lookup_read_rows(l, number, rows, l->size);
    }
}

static uint64_t lookup_page_tick(const setti_pages* pages, uint32_t number)
{
    return number < pages->count
               ? SETTI_MAX(pages->tick[number], *setti_pages_restored(pages, number))
               : 0;
}

/* The tick of the last change of a page of rows, or of the presence of the rows. */
static uint64_t lookup_tick(const setti_storage* storage, uint32_t number)
{
    uint64_t tick = lookup_page_tick(&storage->rows, number);
    if (storage->kind != SETTI_SPARSE) {
        uint32_t bits_page = (uint32_t)(((uint64_t)number << storage->shift) >> SETTI_BITS_SHIFT);
        tick = SETTI_MAX(tick, lookup_page_tick(&storage->presence, bits_page));
    }
    return tick;
}

static void lookup_clear(sett_lookup* l)
{
    setti_pool* pool = &l->world->pool;
    for (uint32_t number = 0; number < l->page_count; number++) {
        setti_pool_free(pool, l->page[number], sizeof(lookup_record) << l->shift, 16);
    }
    setti_pool_free(pool, l->page, (size_t)l->page_room * sizeof(*l->page), 16);
    setti_pool_free(pool, l->slot, (size_t)l->slot_count * sizeof(*l->slot), 16);
    setti_key_order_deinit(pool, &l->order);
    l->page = NULL;
    l->slot = NULL;
    l->page_count = l->page_room = l->slot_count = l->count = 0;
    l->since = 0;
    l->extent = 0;
    l->unsorted = false;
}

/* Whether nothing has changed since the last update. */
static bool lookup_is_current(const sett_lookup* l)
{
    const setti_storage* storage = &l->type->storage;
    return l->world->pool.restored < l->since && l->kind == storage->kind &&
           l->count == storage->count && !l->unsorted &&
           setti_search_newest(&storage->rows) < l->since &&
           (storage->kind == SETTI_SPARSE || setti_search_newest(&storage->presence) < l->since);
}

/* Whether a search can use the look-up as it is: its values are not being gathered. */
static bool lookup_is_readable(const sett_lookup* l)
{
    return l->type->storage.gather == NULL && lookup_is_current(l);
}

/* Reads the pages written since the last update. Returns false when memory runs out. */
static bool lookup_update(sett_lookup* l)
{
    const setti_storage* storage = &l->type->storage;
    if (l->kind != storage->kind || l->shift != storage->shift) {
        lookup_clear(l);
        l->kind = storage->kind;
        l->shift = storage->shift;
    }
    l->changes = 0;
    uint32_t count = SETTI_MAX(storage->rows.count, l->page_count);
    /* A restore can change a sparse set's extent: read the pages between both extents. */
    uint32_t first = SETTI_MIN(storage->extent, l->extent) >> l->shift;
    uint32_t last = SETTI_MAX(storage->extent, l->extent) >> l->shift;
    bool resized = storage->kind == SETTI_SPARSE && storage->extent != l->extent;
    uint64_t newest = 0;
    for (uint32_t number = 0; number < count; number++) {
        uint64_t tick = lookup_tick(storage, number);
        bool had_page = number < l->page_count && l->page[number] != NULL;
        bool has_page = setti_pages_get(&storage->rows, number) != NULL;
        bool at_end = resized && number >= first && number <= last;
        bool must_read = tick >= l->since || had_page != has_page || at_end;
        newest = SETTI_MAX(newest, tick);
        if (must_read && !lookup_read(l, number)) {
            return false;
        }
    }
    if (l->unsorted && !lookup_order_all(l)) {
        return false;
    }
    l->extent = storage->extent;
    l->since = setti_search_read_tick(&l->world->pool, newest);
    return true;
}

static void lookup_sort_few(sett_entity* out, uint32_t count)
{
    for (uint32_t k = 1; k < count; k++) {
        sett_entity entity = out[k];
        uint32_t at = k;
        for (; at != 0 && out[at - 1].index > entity.index; at--) {
            out[at] = out[at - 1];
        }
        out[at] = entity;
    }
}

/* Groups entities by eight bits of the index. stop[value] becomes the end of a value's group. */
static void lookup_distribute(sett_entity* out, uint32_t count, uint32_t shift, uint32_t stop[256])
{
    uint32_t at[256] = {0}; /* by value: the count, later the position of the next entity */
    for (uint32_t k = 0; k < count; k++) {
        at[out[k].index >> shift & 0xFF]++;
    }
    uint32_t sum = 0;
    for (uint32_t value = 0; value < 256; value++) {
        stop[value] = sum + at[value];
        at[value] = sum;
        sum = stop[value];
    }
    for (uint32_t value = 0; value < 256; value++) {
        while (at[value] < stop[value]) {
            sett_entity entity = out[at[value]];
            uint32_t group = entity.index >> shift & 0xFF;
            out[at[value]] = out[at[group]];
            out[at[group]++] = entity;
        }
    }
}

/* Sorts by index: American flag sort. Rejected: a heap sort, 60 ns for each of 10,000 entities. */
static void lookup_sort(sett_entity* out, uint32_t count)
{
    if (count <= 48) { /* faster up to here */
        lookup_sort_few(out, count);
        return;
    }
    uint32_t varying = 0;
    for (uint32_t k = 1; k < count; k++) {
        varying |= out[k].index ^ out[0].index;
    }
    SETTI_ASSERT(varying != 0);                     /* no entity occurs twice */
    uint32_t highest = setti_bits_highest(varying); /* not 0: no entity occurs twice */
    uint32_t shift = highest < 8 ? 0 : highest - 7; /* of the 8 highest bits that vary */
    uint32_t stop[256];
    lookup_distribute(out, count, shift, stop);
    uint32_t first = 0;
    for (uint32_t value = 0; value < 256; value++) {
        if (shift != 0 && stop[value] - first > 1) { /* else the group is sorted */
            lookup_sort(out + first, stop[value] - first);
        }
        first = stop[value];
    }
}

typedef struct lookup_found {
    uint32_t count;
    uint32_t first;       /* not ordered: place of the first record */
    setti_key_place from; /* ordered: place of the first pair in `order` */
} lookup_found;

/* Finds the records with keys from `low` to `high`. */
static lookup_found lookup_seek_range(const sett_lookup* l, uint64_t low, uint64_t high)
{
    lookup_found found = {0};
    if (l->ordered) { /* 0 and SETTI_NONE are the lowest and the highest index */
        found.from = setti_key_order_seek(&l->order, low, 0);
        setti_key_place stop = setti_key_order_seek(&l->order, high, SETTI_NONE);
        found.count = low <= high ? setti_key_order_between(&l->order, found.from, stop) : 0;
        return found;
    }
    SETTI_ASSERT(low == high); /* without an order there are no ranges */
    found.first = l->slot_count != 0 ? *lookup_seek(l, low) : SETTI_NONE;
    found.count = found.first != SETTI_NONE ? lookup_at(l, found.first)->count : 0;
    return found;
}

/* Writes the entities of the first `count` records found. */
static void lookup_copy(const sett_lookup* l, lookup_found found, uint32_t count, sett_entity* out)
{
    SETTI_ASSERT(count == found.count || (l->ordered && count < found.count));
    const setti_entity_table* entities = &l->world->entities;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t index = 0;
        if (l->ordered) {
            index = setti_key_order_take(&l->order, &found.from);
        } else {
            index = lookup_at(l, found.first)->index;
            found.first = lookup_at(l, found.first)->next;
        }
        out[k] = setti_entity_at(entities, index);
    }
    if (!l->ordered) {
        lookup_sort(out, count);
    }
}

/* Updates a look-up. Returns false after an error. */
static bool lookup_make_ready(sett_lookup* l, const char* call)
{
    if (l == NULL || setti_world_check_unlocked(l->world, call) != SETT_OK) {
        return false;
    }
    if (!lookup_is_current(l) && !lookup_update(l)) {
        (void)setti_world_no_memory(l->world, call);
        return false;
    }
    return true;
}

uint32_t sett_lookup_find(sett_lookup* l, const void* value, sett_entity* out, uint32_t capacity)
{
    if (!lookup_make_ready(l, __func__) || setti_is_null(value, __func__, "value")) {
        return 0;
    }
    uint64_t key = lookup_key(l, value);
    lookup_found found = lookup_seek_range(l, key, key);
    if (found.count <= capacity && out != NULL) {
        lookup_copy(l, found, found.count, out);
    }
    return found.count;
}

/* Finds the lowest and highest key of values that are not NaN. */
static void lookup_limits(const sett_lookup* l, uint64_t* low, uint64_t* high)
{
    const uint64_t sign = (uint64_t)1 << 63;
    const uint64_t infinity = /* the bits of infinity, with the sign bit moved to the top */
        l->size == sizeof(float) ? (uint64_t)0xFF << 55 : (uint64_t)0x7FF << 52;
    *low = l->is_float ? lookup_encode(&l->code, infinity | sign) : 0;
    *high = l->is_float ? lookup_encode(&l->code, infinity) : UINT64_MAX;
}

uint32_t sett_lookup_range(sett_lookup* l, const void* from, const void* to, uint32_t first,
                           sett_entity* out, uint32_t capacity)
{
    if (l != NULL && !l->ordered) {
        setti_world_fail_with(l->world, SETT_STATUS_ARGUMENT,
                              "%s: the look-up of \"%.100s\" is not ordered - create it with "
                              "sett_lookup_create_ordered",
                              __func__, l->type->desc.name);
        return 0;
    }
    if (!lookup_make_ready(l, __func__)) {
        return 0;
    }
    uint64_t low = 0;
    uint64_t high = 0;
    lookup_limits(l, &low, &high);
    uint64_t low_key = from != NULL ? lookup_key(l, from) : low;
    uint64_t high_key = to != NULL ? lookup_key(l, to) : high;
    if (low_key < low || low_key > high || high_key < low || high_key > high) {
        return 0; /* NaN */
    }
    lookup_found found = lookup_seek_range(l, low_key, high_key);
    uint32_t count = found.count;
    if (out != NULL && first < count) {
        found.from = setti_key_order_skip(&l->order, found.from, first);
        found.count -= first;
        lookup_copy(l, found, SETTI_MIN(found.count, capacity), out);
    }
    return count;
}

/* Makes the key of a number in a float member. Returns false if no value equals the number. */
static bool lookup_float_key(const sett_lookup* l, double number, uint64_t* key)
{
    if (l->size == sizeof(double)) {
        *key = lookup_key(l, &number);
        return !isnan(number);
    }
    float narrow = (float)number;
    double back = (double)narrow;
    *key = lookup_key(l, &narrow);
    return number >= back && number <= back; /* number == back; false for NaN */
}

/* Makes the key of a number in an integer member. Returns false as lookup_float_key. */
static bool lookup_integer_key(const sett_lookup* l, int64_t number, uint64_t* key)
{
    unsigned char bytes[sizeof(uint64_t)] = {0};
    if (!setti_number_is_integer(l->member) || (number < 0 && !setti_number_is_signed(l->member))) {
        return false;
    }
    setti_number_store(l->member, number, bytes);
    *key = lookup_key(l, bytes);
    return setti_number_load(l->member, bytes) == number; /* else the member is too narrow */
}

/* Makes the key of a constant. Returns false if no value of the member equals it. */
static bool lookup_number_key(const sett_lookup* l, const setti_side_value* value, uint64_t* key)
{
    const int64_t exact = (int64_t)1 << 53; /* each integer from -2^53 to 2^53 is a double */
    int64_t number = (int64_t)value->bits;
    if (value->kind != SETTI_VALUE_NUMBER || value->form == SETTI_FORM_UNSIGNED) {
        return false; /* constants are signed or floats */
    }
    if (value->form == SETTI_FORM_FLOAT) {
        return l->is_float && lookup_float_key(l, value->number, key);
    }
    if (!l->is_float) {
        return lookup_integer_key(l, number, key);
    }
    return number >= -exact && number <= exact && lookup_float_key(l, (double)number, key);
}

/* Whether an item is a comparison by which a look-up can find the entities of a variable. */
static bool lookup_serves(const sett_lookup* l, const sett_search* search,
                          const setti_search_item* item, uint32_t variable)
{
    if (item->kind != SETTI_ITEM_COMPARE || item->negated || item->optional ||
        item->source != variable || item->walk != SETT_WALK_NONE) {
        return false;
    }
    sett_compare compare = search->term[item->term].compare;
    bool is_range = compare >= SETT_COMPARE_LESS && compare <= SETT_COMPARE_GREATER_OR_EQUAL;
    if (compare != SETT_COMPARE_EQUAL && !(is_range && l->ordered)) {
        return false;
    }
    const setti_search_side* left = &search->side[item->compare][0];
    const setti_search_side* right = &search->side[item->compare][1];
    return left->kind == SETT_OPERAND_MEMBER && left->type == l->type &&
           left->member.offset == l->offset && left->member.kind == l->member &&
           right->kind != SETT_OPERAND_MEMBER && !setti_compare_is_scaled(&left->member);
}

/* Narrows a range of keys by a comparison. Returns false if the compared constant has no key. */
static bool lookup_narrow_keys(const sett_lookup* l, const sett_search* search,
                               const setti_search_item* item, uint64_t* low, uint64_t* high)
{
    uint64_t key = 0;
    if (!lookup_number_key(l, &search->side[item->compare][1].value, &key)) {
        return false;
    }
    if (!l->ordered) {
        *low = *high = key;
        return true;
    }
    sett_compare compare = search->term[item->term].compare;
    bool less = compare == SETT_COMPARE_LESS;
    bool greater = compare == SETT_COMPARE_GREATER;
    if ((less && key == 0) || (greater && key == UINT64_MAX)) {
        *low = 1; /* an empty range */
        *high = 0;
        return true;
    }
    if (!greater && compare != SETT_COMPARE_GREATER_OR_EQUAL) {
        *high = SETTI_MIN(*high, key - (less ? 1 : 0));
    }
    if (!less && compare != SETT_COMPARE_LESS_OR_EQUAL) {
        *low = SETTI_MAX(*low, key + (greater ? 1 : 0));
    }
    return true;
}

/* Lists the entities with keys in a range as wanted, unless they are many or memory runs out. */
static void lookup_list(const sett_lookup* l, uint64_t low, uint64_t high, setti_wanted* wanted)
{
    setti_pool* pool = &l->world->pool;
    lookup_found found = lookup_seek_range(l, low, high);
    uint32_t count = found.count;
    if (count > l->count / 8) {
        return; /* a scan is about as fast */
    }
    if (count > wanted->room) {
        uint32_t room = setti_bits_ceil(SETTI_MAX(count, 16));
        sett_entity* grown = setti_pool_alloc(pool, room * sizeof(sett_entity), 64);
        if (grown == NULL) {
            return;
        }
        setti_pool_free(pool, wanted->entity, wanted->room * sizeof(sett_entity), 64);
        wanted->entity = grown;
        wanted->room = room;
    }
    lookup_copy(l, found, count, wanted->entity);
    if (l->ordered && low != high) {
        lookup_sort(wanted->entity, count); /* a scan's order: by index */
    }
    wanted->count = count;
    wanted->lookup = l;
}

/* Finds the range of keys for a scan. Returns the number of items that limit the range. */
static uint32_t lookup_needed_range(const sett_lookup* l, const sett_search* search,
                                    const setti_search_step* step, uint64_t* low, uint64_t* high)
{
    uint32_t count = 0;
    lookup_limits(l, low, high);
    for (uint32_t k = step->scope->items.first; k < step->scope->items.stop; k++) {
        const setti_search_item* item = &search->item[search->order[k]];
        /* Without an order the range is a single key, of a single item. */
        if (lookup_serves(l, search, item, step->variable) && (l->ordered || count == 0)) {
            count += lookup_narrow_keys(l, search, item, low, high) ? 1 : 0;
        }
    }
    return count;
}

/* Finds the entities of a scan by the first look-up that can. */
static void lookup_narrow(const sett_search* search, const setti_search_step* step,
                          setti_wanted* wanted)
{
    sett_lookup* l = search->world->module[SETTI_SLOT_LOOKUPS];
    for (; l != NULL && wanted->lookup == NULL; l = l->next) {
        uint64_t low = 0;
        uint64_t high = 0;
        if (lookup_needed_range(l, search, step, &low, &high) == 0) {
            continue;
        }
        bool may_update = search->world->locks == 0 && l->type->storage.gather == NULL;
        if (lookup_is_readable(l) || (may_update && lookup_update(l))) {
            lookup_list(l, low, high, wanted);
        }
    }
}

static const setti_lookup_calls lookup_calls = {lookup_narrow, lookup_is_readable};

/* The name of the type if a look-up uses the type, or NULL. */
static const char* lookup_of_type(const sett_world* world, const setti_type* type)
{
    const sett_lookup* l = world->module[SETTI_SLOT_LOOKUPS];
    while (l != NULL && l->type != type) {
        l = l->next;
    }
    return l != NULL ? l->type->desc.name : NULL;
}

/* Whether a member is a single value of up to 64 bits. */
static bool lookup_is_key(const sett_member_ref* member)
{
    bool is_value = member->kind != SETT_MEMBER_TEXT && member->kind != SETT_MEMBER_OPAQUE &&
                    member->kind != SETT_MEMBER_STRUCT && member->kind != SETT_MEMBER_STRING &&
                    member->kind != SETT_MEMBER_LIST;
    return is_value && member->count == 1 && member->size <= sizeof(uint64_t);
}

typedef enum lookup_form {
    LOOKUP_HASHED,
    LOOKUP_ORDERED
} lookup_form;

static void lookup_guess_member(const setti_type* type, setti_guess* guess)
{
    for (uint32_t k = 0; type->members != NULL && k < type->members->of.count; k++) {
        setti_guess_try(guess, type->members->of.members[k].name);
    }
}

static bool lookup_find_member(const setti_type* type, const char* member, lookup_form form,
                               const char* call, sett_member_ref* ref)
{
    sett_world* world = type->world;
    const char* name = type->desc.name;
    if (type->members == NULL || !sett_member_find(world, type->id, member, ref)) {
        setti_guess guess = setti_guess_begin(member, strlen(member));
        lookup_guess_member(type, &guess);
        const char* remedy = setti_guess_text(&guess);
        if (type->module != NULL || type->storage.size == 0) {
            remedy = " - pass a component of the program that has values";
        } else if (remedy[0] == '\0') {
            remedy = type->members != NULL ? " - pass one of its members"
                                           : " - describe its members (SETT_MEMBERS)";
        }
        setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                              "%s: \"%.100s\" has no member \"%.100s\"%s", call, name, member,
                              remedy);
        return false;
    }
    if (!lookup_is_key(ref)) {
        setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                              "%s: member \"%.100s.%.100s\" is not a single number, bool or "
                              "handle - pass a member or element of it that is",
                              call, name, member);
        return false;
    }
    if (form == LOOKUP_ORDERED && ref->kind == SETT_MEMBER_ENTITY) {
        setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                              "%s: member \"%.100s.%.100s\" is a handle, which has no order - "
                              "create the look-up with sett_lookup_create",
                              call, name, member);
        return false;
    }
    return true;
}

SETTI_COLD static sett_lookup* lookup_create(sett_world* world, sett_component component,
                                             const char* member, lookup_form form, const char* call)
{
    setti_type* type = setti_change_check_type(world, component, call);
    sett_member_ref ref;
    if (type == NULL || setti_is_null(member, call, "member") ||
        !lookup_find_member(type, member, form, call, &ref)) {
        return NULL;
    }
    sett_lookup* l = setti_world_alloc(world, sizeof(*l), 16, call);
    if (l == NULL) {
        return NULL;
    }
    l->world = world;
    l->type = type;
    l->offset = ref.offset;
    l->size = ref.size;
    l->member = ref.kind;
    l->calls = &lookup_calls;
    l->is_float = setti_number_is_float(ref.kind);
    l->ordered = form == LOOKUP_ORDERED;
    lookup_set_encoding(l);
    l->kind = type->storage.kind;
    l->shift = type->storage.shift;
    sett_lookup* first = world->module[SETTI_SLOT_LOOKUPS];
    SETTI_LIST_ADD(first, l);
    world->module[SETTI_SLOT_LOOKUPS] = first;
    static const setti_module_calls calls = {
        .slot = SETTI_SLOT_LOOKUPS, .holder = lookup_of_type, .kind = "look-up"};
    setti_world_add_calls(world, &calls);
    return l;
}

sett_lookup* sett_lookup_create(sett_world* world, sett_component component, const char* member)
{
    return lookup_create(world, component, member, LOOKUP_HASHED, "sett_lookup_create");
}

sett_lookup* sett_lookup_create_ordered(sett_world* world, sett_component component,
                                        const char* member)
{
    return lookup_create(world, component, member, LOOKUP_ORDERED, "sett_lookup_create_ordered");
}

sett_status sett_lookup_destroy(sett_lookup* l)
{
    if (l == NULL) {
        return SETT_OK;
    }
    sett_world* world = l->world;
    sett_status status = setti_world_check_unlocked(world, "sett_lookup_destroy");
    if (status == SETT_OK) {
        lookup_clear(l);
        sett_lookup* first = world->module[SETTI_SLOT_LOOKUPS];
        SETTI_LIST_REMOVE(first, l);
        world->module[SETTI_SLOT_LOOKUPS] = first;
        setti_pool_free(&world->pool, l, sizeof(*l), 16);
    }
    return status;
}

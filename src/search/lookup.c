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
    uint64_t flip;       /* bits to invert in all values: the sign bit */
    uint64_t negative;   /* bits to invert in negative floats: the one with larger bits is less */
    uint32_t up;         /* how far to shift left, so that the sign bit is the highest bit */
} lookup_encoding;

typedef struct lookup_record {
    uint64_t key;
    uint32_t index; /* of the entity; SETTI_NONE: the row has no value */
    uint32_t next;  /* place of the next record with the same key, or SETTI_NONE */
    uint32_t previous;
    /* In the first record of a key only: */
    uint32_t next_chain; /* place of the first record of the next key in the slot, or SETTI_NONE */
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

/* Returns a pointer to the place of the first record of a key, in a slot or in a next_chain. The
 * place is SETTI_NONE if no record has the key. */
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

/* Takes a record from the list of its key. */
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

/* Links all records to the slots, which are empty. */
static void lookup_link_all(sett_lookup* l)
{
    for (uint32_t number = 0; number < l->page_count; number++) {
        const lookup_record* page = l->page[number];
        if (page == NULL) {
            continue;
        }
        for (uint32_t k = 0; k < lookup_page_rows(l); k++) {
            if (page[k].index != SETTI_NONE) {
                lookup_link_slot(l, (number << l->shift) + k);
            }
        }
    }
}

/* Makes room for `count` records in the slots. Returns false when memory runs out. */
static bool lookup_reserve_slots(sett_lookup* l, uint32_t count)
{
    setti_pool* pool = &l->world->pool;
    if (count <= l->slot_count) {
        return true;
    }
    uint32_t new_count = setti_bits_ceil(SETTI_MAX(count, 64));
    if (new_count > SETTI_NONE / 2) {
        return false; /* `new_count` may have overflowed */
    }
    uint32_t* slot = setti_pool_alloc(pool, (size_t)new_count * sizeof(*slot), 16);
    if (slot == NULL) {
        return false;
    }
    setti_pool_free(pool, l->slot, (size_t)l->slot_count * sizeof(*slot), 16);
    memset(slot, 0xFF, (size_t)new_count * sizeof(*slot)); /* SETTI_NONE: empty */
    l->slot = slot;
    l->slot_count = new_count;
    lookup_link_all(l);
    return true;
}

/* Counts a change in an ordered look-up. If more than an eighth of the records changes, all records
 * are sorted instead: sorting takes 30 ns a record, and a change about 200 ns. */
static void lookup_count_change(sett_lookup* l)
{
    l->changes++;
    if (!l->unsorted && l->changes > l->count / 8 + 64) {
        setti_key_order_deinit(&l->world->pool, &l->order);
        l->unsorted = true;
    }
}

/* Gives a record an index, and links the record by its key. Returns false when memory runs out. */
static bool lookup_link(sett_lookup* l, uint32_t place, uint32_t index)
{
    lookup_record* record = lookup_at(l, place);
    SETTI_ASSERT(record->index == SETTI_NONE && index != SETTI_NONE);
    if (l->ordered) {
        lookup_count_change(l);
        if (!l->unsorted && !setti_key_order_add(&l->world->pool, &l->order, record->key, index)) {
            return false;
        }
    } else {
        if (!lookup_reserve_slots(l, l->count + 1)) {
            return false;
        }
        lookup_link_slot(l, place);
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

/* Sorts all records into `order`. Returns false when memory runs out. */
static bool lookup_order_all(sett_lookup* l)
{
    setti_pool* pool = &l->world->pool;
    SETTI_ASSERT(l->unsorted);
    if (l->count == 0) {
        l->unsorted = false;
        return true;
    }
    size_t size = (size_t)l->count * 2 * sizeof(setti_key_pair); /* two buffers */
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

/* Makes a page of records, unless the page exists. Returns false when memory runs out. */
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
    if (l->page[number] != NULL) {
        return true;
    }
    lookup_record* page = setti_pool_alloc(pool, sizeof(lookup_record) << l->shift, 16);
    if (page == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < lookup_page_rows(l); k++) {
        page[k].index = SETTI_NONE;
    }
    l->page[number] = page;
    return true;
}

SETTI_INLINE uint64_t lookup_bits(const void* member, uint32_t size)
{
    uint64_t wide = 0;
    uint32_t word = 0;
    uint16_t half = 0;
    switch (size) { /* constant sizes avoid calls of memcpy, which took half of the time */
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

/* Makes a key of the bits of a member. The caller has shifted the bits left by code->up. */
SETTI_INLINE uint64_t lookup_encode(const lookup_encoding* code, uint64_t bits)
{
    bits = bits == code->minus_zero ? 0 : bits;
    uint64_t all_if_negative = 0 - (bits >> 63); /* all bits if the sign bit is set, or none */
    return bits ^ code->flip ^ (all_if_negative & code->negative);
}

/* Sets the encoding for the kind and size of the member. */
static void lookup_set_encoding(sett_lookup* l)
{
    const uint64_t sign = (uint64_t)1 << 63;
    bool is_signed = l->is_float || setti_number_is_signed(l->member);
    l->code = (lookup_encoding){0};
    if (l->ordered) {
        l->code.up = 64 - l->size * 8;
        l->code.flip = is_signed ? sign : 0;
        l->code.negative = l->is_float ? ~sign : 0; /* negative floats: larger bits are less */
    }
    if (l->is_float) {
        uint64_t sign_of_member = (uint64_t)1 << (l->size * 8 - 1);
        l->code.minus_zero = sign_of_member << l->code.up; /* shifted up like each value */
    }
}

static uint64_t lookup_key(const sett_lookup* l, const void* member)
{
    return lookup_encode(&l->code, lookup_bits(member, l->size) << l->code.up);
}

/* Gives a record the index and key of its row. The index is SETTI_NONE if the row has no value.
 * Returns false when memory runs out. */
static bool lookup_change(sett_lookup* l, uint32_t place, uint32_t index, uint64_t key)
{
    lookup_record* record = lookup_at(l, place);
    /* Slots refer to places, not indices: a new index with the old key needs no new link. */
    bool index_matters = l->ordered || index == SETTI_NONE;
    bool moved = index_matters && record->index != index;
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

/* Changes the records of a page that differ from `rows`, the page's values. `size` is the size of
 * the member. Returns false when memory runs out. */
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
    uint64_t word = 0; /* if not sparse: presence bits, from the one of `place` on */
    for (uint32_t k = 0; k < count; k++, member += stride) {
        uint32_t place = first + k;
        uint32_t index = place;
        if (sparse) {
            index = place < storage->extent ? *setti_storage_index(storage, place) : SETTI_NONE;
        } else {
            if (place % 64 == 0 || k == 0) { /* a new word of presence bits */
                const uint64_t* bits = setti_storage_word(storage, place);
                word = bits != NULL ? *bits >> (place % 64) : 0;
            }
            index = (word & 1) != 0 ? place : SETTI_NONE;
            word >>= 1;
        }
        uint64_t key = 0;
        if (index != SETTI_NONE) {
            key = lookup_encode(&code, lookup_bits(member, size) << code.up);
        }
        bool same = page[k].index == index && (index == SETTI_NONE || page[k].key == key);
        if (SETTI_UNLIKELY(!same) && !lookup_change(l, place, index, key)) {
            return false;
        }
    }
    return true;
}

/* Reads a page of rows again. Returns false when memory runs out. */
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

/* The tick of the last change of a page, or 0 if there is no such page. */
static uint64_t lookup_page_tick(const setti_pages* pages, uint32_t number)
{
    if (number >= pages->count) {
        return 0;
    }
    return SETTI_MAX(pages->tick[number], *setti_pages_restored(pages, number));
}

/* The tick of the last change of a page of rows, or of the presence bits of these rows. */
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

/* Whether no value has changed since the last update. */
static bool lookup_is_current(const sett_lookup* l)
{
    const setti_storage* storage = &l->type->storage;
    if (l->world->pool.restored >= l->since || l->kind != storage->kind) {
        return false;
    }
    if (l->count != storage->count || l->unsorted) {
        return false;
    }
    if (setti_search_newest(&storage->rows) >= l->since) {
        return false;
    }
    return storage->kind == SETTI_SPARSE || setti_search_newest(&storage->presence) < l->since;
}

/* Whether a search can use the look-up as it is: no value has changed, and no values are being
 * gathered. */
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
    /* A restore can change the extent of a sparse set: the pages between both extents are read. */
    uint32_t first_page = SETTI_MIN(storage->extent, l->extent) >> l->shift;
    uint32_t last_page = SETTI_MAX(storage->extent, l->extent) >> l->shift;
    bool resized = storage->kind == SETTI_SPARSE && storage->extent != l->extent;
    uint64_t newest = 0;
    for (uint32_t number = 0; number < count; number++) {
        uint64_t tick = lookup_tick(storage, number);
        bool had_page = number < l->page_count && l->page[number] != NULL;
        bool has_page = setti_pages_get(&storage->rows, number) != NULL;
        bool in_resized = resized && number >= first_page && number <= last_page;
        bool must_read = tick >= l->since || had_page != has_page || in_resized;
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

/* Sorts by index, by insertion. */
static void lookup_sort_few(sett_entity* entities, uint32_t count)
{
    for (uint32_t k = 1; k < count; k++) {
        sett_entity entity = entities[k];
        uint32_t position = k;
        for (; position != 0 && entities[position - 1].index > entity.index; position--) {
            entities[position] = entities[position - 1];
        }
        entities[position] = entity;
    }
}

/* Groups entities by eight bits of the index, from the bit `shift` on. stop[value] becomes the end
 * of the group whose eight bits are `value`. */
static void lookup_distribute(sett_entity* entities, uint32_t count, uint32_t shift,
                              uint32_t stop[256])
{
    uint32_t next[256] = {0}; /* by value: at first the count, later where the next entity goes */
    for (uint32_t k = 0; k < count; k++) {
        next[(entities[k].index >> shift) & 0xFF]++;
    }
    uint32_t sum = 0;
    for (uint32_t value = 0; value < 256; value++) {
        stop[value] = sum + next[value];
        next[value] = sum;
        sum = stop[value];
    }
    /* Swaps each entity to the next place of its group, until all groups are complete. */
    for (uint32_t value = 0; value < 256; value++) {
        while (next[value] < stop[value]) {
            sett_entity entity = entities[next[value]];
            uint32_t group = (entity.index >> shift) & 0xFF;
            entities[next[value]] = entities[next[group]];
            entities[next[group]++] = entity;
        }
    }
}

/* Sorts by index: American flag sort. Rejected: a heap sort, 60 ns for each of 10,000 entities. */
static void lookup_sort(sett_entity* entities, uint32_t count)
{
    if (count <= 48) { /* up to here, insertion is faster */
        lookup_sort_few(entities, count);
        return;
    }
    uint32_t varying = 0;
    for (uint32_t k = 1; k < count; k++) {
        varying |= entities[k].index ^ entities[0].index;
    }
    SETTI_ASSERT(varying != 0); /* no entity occurs twice */
    uint32_t highest = setti_bits_highest(varying);
    uint32_t shift = 0;
    if (highest >= 8) {
        shift = highest - 7; /* groups by the highest bit that varies and the 7 bits below */
    }
    uint32_t stop[256];
    lookup_distribute(entities, count, shift, stop);
    uint32_t first = 0;
    for (uint32_t value = 0; value < 256; value++) {
        if (shift != 0 && stop[value] - first > 1) { /* else the group is sorted */
            lookup_sort(entities + first, stop[value] - first);
        }
        first = stop[value];
    }
}

typedef struct lookup_found {
    uint32_t count;
    uint32_t first;        /* not ordered: place of the first record */
    setti_key_place place; /* ordered: place of the first pair in `order` */
} lookup_found;

/* Finds the records with keys from `low` to `high`. */
static lookup_found lookup_seek_range(const sett_lookup* l, uint64_t low, uint64_t high)
{
    lookup_found found = {0};
    if (l->ordered) { /* 0 and SETTI_NONE are the lowest and the highest index */
        found.place = setti_key_order_seek(&l->order, low, 0);
        setti_key_place stop = setti_key_order_seek(&l->order, high, SETTI_NONE);
        if (low <= high) {
            found.count = setti_key_order_between(&l->order, found.place, stop);
        }
        return found;
    }
    SETTI_ASSERT(low == high); /* without an order there are no ranges */
    found.first = SETTI_NONE;
    if (l->slot_count != 0) {
        found.first = *lookup_seek(l, low);
    }
    if (found.first != SETTI_NONE) {
        found.count = lookup_at(l, found.first)->count;
    }
    return found;
}

/* Writes the entities of the first `count` records found to `out`. */
static void lookup_copy(const sett_lookup* l, lookup_found found, uint32_t count, sett_entity* out)
{
    SETTI_ASSERT(count == found.count || (l->ordered && count < found.count));
    const setti_entity_table* entities = &l->world->entities;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t index = 0;
        if (l->ordered) {
            index = setti_key_order_take(&l->order, &found.place);
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

/* Updates a look-up if values have changed. Returns false after an error. */
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
    if (!l->is_float) {
        *low = 0;
        *high = UINT64_MAX;
        return;
    }
    /* The bits of infinity, shifted so that the sign bit is the highest. */
    uint64_t infinity = (uint64_t)0x7FF << 52;
    if (l->size == sizeof(float)) {
        infinity = (uint64_t)0xFF << 55;
    }
    *low = lookup_encode(&l->code, infinity | sign);
    *high = lookup_encode(&l->code, infinity);
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
    uint64_t low_key = low;
    if (from != NULL) {
        low_key = lookup_key(l, from);
    }
    uint64_t high_key = high;
    if (to != NULL) {
        high_key = lookup_key(l, to);
    }
    bool from_is_nan = low_key < low || low_key > high;
    bool to_is_nan = high_key < low || high_key > high;
    if (from_is_nan || to_is_nan) {
        return 0;
    }
    lookup_found found = lookup_seek_range(l, low_key, high_key);
    uint32_t count = found.count;
    if (out != NULL && first < count) {
        found.place = setti_key_order_skip(&l->order, found.place, first);
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
    double rounded = (double)narrow;
    *key = lookup_key(l, &narrow);
    return number >= rounded && number <= rounded; /* number == rounded; false for NaN */
}

/* Makes the key of a number in an integer member. Returns false if no value equals the number. */
static bool lookup_integer_key(const sett_lookup* l, int64_t number, uint64_t* key)
{
    unsigned char bytes[sizeof(uint64_t)] = {0};
    if (!setti_number_is_integer(l->member)) {
        return false;
    }
    if (number < 0 && !setti_number_is_signed(l->member)) {
        return false;
    }
    setti_number_store(l->member, number, bytes);
    *key = lookup_key(l, bytes);
    return setti_number_load(l->member, bytes) == number; /* else the member is too narrow */
}

/* Makes the key of a constant. Returns false if no value of the member equals the constant. */
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
    if (number < -exact || number > exact) {
        return false;
    }
    return lookup_float_key(l, (double)number, key);
}

/* Whether a side of a comparison reads the member of the look-up, without a scale. */
static bool lookup_is_read_by(const sett_lookup* l, const setti_search_side* side)
{
    if (side->kind != SETT_OPERAND_MEMBER || side->type != l->type) {
        return false;
    }
    if (side->member.offset != l->offset || side->member.kind != l->member) {
        return false;
    }
    return !setti_compare_is_scaled(&side->member);
}

/* Whether an item is a comparison by which a look-up can find the entities of a variable. */
static bool lookup_serves(const sett_lookup* l, const sett_search* search,
                          const setti_search_item* item, uint32_t variable)
{
    if (item->kind != SETTI_ITEM_COMPARE || item->source != variable) {
        return false;
    }
    if (item->negated || item->optional || item->walk != SETT_WALK_NONE) {
        return false;
    }
    sett_compare compare = search->term[item->term].compare;
    bool is_range = compare >= SETT_COMPARE_LESS && compare <= SETT_COMPARE_GREATER_OR_EQUAL;
    bool has_range = is_range && l->ordered;
    if (compare != SETT_COMPARE_EQUAL && !has_range) {
        return false;
    }
    const setti_search_side* left = &search->side[item->compare][0];
    const setti_search_side* right = &search->side[item->compare][1];
    return lookup_is_read_by(l, left) && right->kind != SETT_OPERAND_MEMBER;
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
    /* No key is below 0 or above UINT64_MAX. */
    bool is_below_all = compare == SETT_COMPARE_LESS && key == 0;
    bool is_above_all = compare == SETT_COMPARE_GREATER && key == UINT64_MAX;
    if (is_below_all || is_above_all) {
        *low = 1; /* an empty range */
        *high = 0;
        return true;
    }
    switch (compare) {
    case SETT_COMPARE_LESS:
        *high = SETTI_MIN(*high, key - 1);
        break;
    case SETT_COMPARE_LESS_OR_EQUAL:
        *high = SETTI_MIN(*high, key);
        break;
    case SETT_COMPARE_GREATER:
        *low = SETTI_MAX(*low, key + 1);
        break;
    case SETT_COMPARE_GREATER_OR_EQUAL:
        *low = SETTI_MAX(*low, key);
        break;
    default:
        SETTI_ASSERT(compare == SETT_COMPARE_EQUAL);
        *low = SETTI_MAX(*low, key);
        *high = SETTI_MIN(*high, key);
    }
    return true;
}

/* Lists, in `wanted`, the entities with keys from `low` to `high`. Lists nothing if there are too
 * many of them, or if memory runs out. */
static void lookup_list(const sett_lookup* l, uint64_t low, uint64_t high, setti_wanted* wanted)
{
    setti_pool* pool = &l->world->pool;
    lookup_found found = lookup_seek_range(l, low, high);
    uint32_t count = found.count;
    if (count > l->count / 8) {
        return; /* for so many entities, a scan is about as fast */
    }
    if (count > wanted->room) {
        uint32_t new_room = setti_bits_ceil(SETTI_MAX(count, 16));
        sett_entity* grown = setti_pool_alloc(pool, new_room * sizeof(sett_entity), 64);
        if (grown == NULL) {
            return;
        }
        setti_pool_free(pool, wanted->entity, wanted->room * sizeof(sett_entity), 64);
        wanted->entity = grown;
        wanted->room = new_room;
    }
    lookup_copy(l, found, count, wanted->entity);
    if (l->ordered && low != high) {
        lookup_sort(wanted->entity, count); /* a scan finds entities by index */
    }
    wanted->count = count;
    wanted->lookup = l;
}

/* Finds the range of keys that the items of a scan allow. Returns the number of items that limit
 * the range. */
static uint32_t lookup_needed_range(const sett_lookup* l, const sett_search* search,
                                    const setti_search_step* step, uint64_t* low, uint64_t* high)
{
    uint32_t count = 0;
    lookup_limits(l, low, high);
    for (uint32_t k = step->scope->items.first; k < step->scope->items.stop; k++) {
        const setti_search_item* item = &search->item[search->order[k]];
        /* Without an order the range is a single key, of a single item. */
        bool can_narrow = l->ordered || count == 0;
        if (!can_narrow || !lookup_serves(l, search, item, step->variable)) {
            continue;
        }
        if (lookup_narrow_keys(l, search, item, low, high)) {
            count++;
        }
    }
    return count;
}

/* Finds the entities of a scan by the world's first look-up that can find them. */
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
        bool is_ready = lookup_is_readable(l);
        bool may_update = search->world->locks == 0 && l->type->storage.gather == NULL;
        if (!is_ready && may_update) {
            is_ready = lookup_update(l);
        }
        if (is_ready) {
            lookup_list(l, low, high, wanted);
        }
    }
}

static const setti_lookup_calls lookup_calls = {lookup_narrow, lookup_is_readable};

/* The name of the type if a look-up uses the type, or NULL. */
static const char* lookup_of_type(const sett_world* world, const setti_type* type)
{
    const sett_lookup* l = world->module[SETTI_SLOT_LOOKUPS];
    for (; l != NULL; l = l->next) {
        if (l->type == type) {
            return type->desc.name;
        }
    }
    return NULL;
}

/* Whether a member is a single value of up to 64 bits. */
static bool lookup_is_key(const sett_member_ref* member)
{
    switch (member->kind) {
    case SETT_MEMBER_TEXT:
    case SETT_MEMBER_OPAQUE:
    case SETT_MEMBER_STRUCT:
    case SETT_MEMBER_STRING:
    case SETT_MEMBER_LIST:
        return false;
    default:
        return member->count == 1 && member->size <= sizeof(uint64_t);
    }
}

typedef enum lookup_form {
    LOOKUP_HASHED,
    LOOKUP_ORDERED
} lookup_form;

/* Returns what to do about a member `path` that a type lacks. The result may stand in `guess`. */
static const char* lookup_remedy(const setti_type* type, const char* path, setti_guess* guess)
{
    sett_member_ref unused;
    if (type->module != NULL || type->storage.size == 0) {
        return " - pass a component of the program that has values";
    }
    if (type->members == NULL) {
        return " - describe its members (SETT_MEMBERS)";
    }
    *guess = setti_guess_begin("", 0);
    (void)setti_members_find(&type->members->of, path, &unused, guess); /* guesses */
    const char* meant = setti_guess_text(guess);
    if (meant[0] == '\0') {
        return " - pass one of its members";
    }
    return meant;
}

/* Finds a member that can be the key of a look-up. Reports an error if the type has none. */
static bool lookup_find_member(const setti_type* type, const char* member, lookup_form form,
                               const char* call, sett_member_ref* ref)
{
    sett_world* world = type->world;
    const char* name = type->desc.name;
    if (type->members == NULL || !sett_member_find(world, type->id, member, ref)) {
        setti_guess guess;
        setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                              "%s: \"%.100s\" has no member \"%.100s\"%s", call, name, member,
                              lookup_remedy(type, member, &guess));
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

/* lookup.c: entities by the value of a member.
 *
 * The workload: a hundred thousand entities with a key of the program's, a grid cell or a state;
 * some thousand look-ups a frame, between which a few pages were written, or all. The look-up
 * brings itself up to date when it is asked: it compares the ticks of the type's pages with those
 * of its last time, and reads the rows of pages that were written, restored or loaded since. So
 * writes cost nothing, and no path that changes a world knows of it.
 *
 *     slot      by hash of the key: the first key, a record; records with other keys hang on it
 *     record    by place: the entity's index, the key, and the neighbours with the same key
 *
 *     key 7     [ place 3 ] <-> [ place 0 ] <-> [ place 9 ]      a list, from `first` on
 *
 * It is no part of the state: results are sorted by index, so they do not depend on when it was
 * asked before. Hashes depend on an address, so that no sender of values knows which collide.
 *
 * Invariant:  after an update each row with a value has a record with its key and index, and no
 *             other record has an index;  a record that is `first` of its key is in the list of its
 *             slot
 */
#include "sett/members.h"
#include "sett/search.h"

#include "search/search.h"
#include "value/number.h"
#include "value/value.h"
#include "world/change.h"

#include <string.h>

typedef struct lookup_record {
    uint64_t key;
    uint32_t index; /* of the entity; SETTI_NONE: the place has no value */
    uint32_t next;  /* places with the same key; SETTI_NONE at the ends */
    uint32_t previous;
    uint32_t other; /* of the first with its key: the first with another key in this slot */
    uint32_t count; /* of the first with its key: how many have it */
} lookup_record;

struct sett_lookup {
    const setti_lookup_calls* calls; /* first: setti_lookup_head */
    sett_world* world;
    sett_lookup* next; /* in the list of the world */
    sett_lookup* previous;
    setti_type* type;
    uint32_t offset; /* of the member in a value */
    uint32_t size;   /* its bytes */
    sett_member_kind member;
    bool is_float;

    lookup_record** page; /* by number of a page of rows; NULL: none of its rows has a value */
    uint32_t page_count;
    uint32_t page_room;
    uint8_t shift;   /* records a page; as the storage's, when it was read */
    uint8_t kind;    /* the storage's then */
    uint32_t extent; /* the storage's then */
    uint64_t since;  /* ticks below were read */

    uint32_t* slot;      /* places, or SETTI_NONE */
    uint32_t slot_count; /* a power of two, at least the records with an index; 0: none */
    uint32_t count;      /* records with an index */
};

static lookup_record* lookup_at(const sett_lookup* l, uint32_t place)
{
    return &l->page[place >> l->shift][place & (((uint32_t)1 << l->shift) - 1)];
}

static uint32_t* lookup_slot(const sett_lookup* l, uint64_t key)
{
    SETTI_ASSERT(l->slot_count != 0);
    uint64_t hash = (key ^ (uint64_t)(uintptr_t)l) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
    hash *= 0xD6E8FEB86659FD93u;
    return &l->slot[(hash >> 32) & (l->slot_count - 1)];
}

/* The place of the first record with a key, or where its search ends. */
static uint32_t* lookup_seek(const sett_lookup* l, uint64_t key)
{
    uint32_t* at = lookup_slot(l, key);
    while (*at != SETTI_NONE && lookup_at(l, *at)->key != key) {
        at = &lookup_at(l, *at)->other;
    }
    return at;
}

static void lookup_link(sett_lookup* l, uint32_t place)
{
    lookup_record* record = lookup_at(l, place);
    uint32_t* at = lookup_seek(l, record->key);
    record->previous = SETTI_NONE;
    record->next = *at;
    record->other = SETTI_NONE;
    record->count = 1;
    if (*at != SETTI_NONE) {
        lookup_record* first = lookup_at(l, *at);
        first->previous = place;
        record->other = first->other;
        record->count = first->count + 1;
    }
    *at = place;
    l->count++;
}

static void lookup_unlink(sett_lookup* l, uint32_t place)
{
    lookup_record* record = lookup_at(l, place);
    uint32_t* at = lookup_seek(l, record->key);
    SETTI_ASSERT(*at != SETTI_NONE && record->index != SETTI_NONE);
    lookup_record* first = lookup_at(l, *at);
    if (record->next != SETTI_NONE) {
        lookup_at(l, record->next)->previous = record->previous;
    }
    if (first != record) {
        first->count--;
        lookup_at(l, record->previous)->next = record->next;
    } else if (record->next != SETTI_NONE) {
        lookup_record* heir = lookup_at(l, record->next);
        heir->other = record->other;
        heir->count = record->count - 1;
        *at = record->next;
    } else {
        *at = record->other;
    }
    record->index = SETTI_NONE;
    l->count--;
}

/* Makes room for so many records. False when memory runs out. */
static bool lookup_reserve(sett_lookup* l, uint32_t count)
{
    setti_pool* pool = &l->world->pool;
    if (count <= l->slot_count) {
        return true;
    }
    uint32_t room = setti_bits_ceil(SETTI_MAX(count, 64));
    uint32_t* slot =
        room <= SETTI_NONE / 2 ? setti_pool_alloc(pool, (size_t)room * sizeof(*slot), 16) : NULL;
    if (slot == NULL) {
        return false;
    }
    setti_pool_free(pool, l->slot, (size_t)l->slot_count * sizeof(*slot), 16);
    memset(slot, 0xFF, (size_t)room * sizeof(*slot));
    l->slot = slot;
    l->slot_count = room;
    l->count = 0;
    for (uint32_t number = 0; number < l->page_count; number++) {
        for (uint32_t k = 0; l->page[number] != NULL && k < (uint32_t)1 << l->shift; k++) {
            if (l->page[number][k].index != SETTI_NONE) {
                lookup_link(l, (number << l->shift) + k);
            }
        }
    }
    return true;
}

static size_t lookup_page_size(const sett_lookup* l)
{
    return sizeof(lookup_record) << l->shift;
}

/* Forgets the records of a page. */
static void lookup_drop(sett_lookup* l, uint32_t number)
{
    lookup_record* page = l->page[number];
    for (uint32_t k = 0; page != NULL && k < (uint32_t)1 << l->shift; k++) {
        if (page[k].index != SETTI_NONE) {
            lookup_unlink(l, (number << l->shift) + k);
        }
    }
    setti_pool_free(&l->world->pool, page, lookup_page_size(l), 16);
    l->page[number] = NULL;
}

static bool lookup_ensure(sett_lookup* l, uint32_t number)
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
        lookup_record* page = setti_pool_alloc(pool, lookup_page_size(l), 16);
        for (uint32_t k = 0; page != NULL && k < (uint32_t)1 << l->shift; k++) {
            page[k].index = SETTI_NONE;
        }
        l->page[number] = page;
    }
    return l->page[number] != NULL;
}

static uint64_t lookup_key(const sett_lookup* l, const void* member)
{
    uint64_t key = 0;
    memcpy(&key, member, l->size);
    uint64_t sign = (uint64_t)1 << (l->size * 8 - 1);
    return l->is_float && key == sign ? 0 : key; /* -0 is 0 */
}

/* The entity whose value is in a row, or SETTI_NONE. */
static uint32_t lookup_owner(const setti_storage* storage, uint32_t place)
{
    if (storage->kind != SETTI_SPARSE) {
        return setti_bitmap_has(storage, place) ? place : SETTI_NONE;
    }
    return place < storage->extent ? *setti_storage_index(storage, place) : SETTI_NONE;
}

/* Brings the records of a page up to date. False when memory runs out. */
static bool lookup_read(sett_lookup* l, uint32_t number)
{
    const setti_storage* storage = &l->type->storage;
    const unsigned char* rows = setti_pages_get(&storage->rows, number);
    if (rows == NULL) {
        if (number < l->page_count) {
            lookup_drop(l, number);
        }
        return true;
    }
    if (!lookup_ensure(l, number)) {
        return false;
    }
    lookup_record* page = l->page[number];
    for (uint32_t k = 0; k < (uint32_t)1 << l->shift; k++) {
        uint32_t place = (number << l->shift) + k;
        uint32_t index = lookup_owner(storage, place);
        uint64_t key =
            index != SETTI_NONE ? lookup_key(l, rows + (size_t)k * storage->size + l->offset) : 0;
        if (page[k].index != SETTI_NONE && (index == SETTI_NONE || page[k].key != key)) {
            lookup_unlink(l, place);
        }
        if (index != SETTI_NONE && page[k].index == SETTI_NONE) {
            if (!lookup_reserve(l, l->count + 1)) {
                return false;
            }
            page[k].key = key;
            page[k].index = index;
            lookup_link(l, place);
        }
        page[k].index = index;
    }
    return true;
}

static uint64_t lookup_page_tick(const setti_pages* pages, uint32_t number)
{
    return number < pages->count
               ? SETTI_MAX(pages->tick[number], *setti_pages_restored(pages, number))
               : 0;
}

/* The latest write to, or restore of, a page of rows or the presence of its rows. */
static uint64_t lookup_tick(const setti_storage* storage, uint32_t number)
{
    uint64_t tick = lookup_page_tick(&storage->rows, number);
    if (storage->kind != SETTI_SPARSE) {
        uint32_t bits = (uint32_t)(((uint64_t)number << storage->shift) >> SETTI_BITS_SHIFT);
        tick = SETTI_MAX(tick, lookup_page_tick(&storage->presence, bits));
    }
    return tick;
}

static void lookup_clear(sett_lookup* l)
{
    setti_pool* pool = &l->world->pool;
    for (uint32_t number = 0; number < l->page_count; number++) {
        setti_pool_free(pool, l->page[number], lookup_page_size(l), 16);
    }
    setti_pool_free(pool, l->page, (size_t)l->page_room * sizeof(*l->page), 16);
    setti_pool_free(pool, l->slot, (size_t)l->slot_count * sizeof(*l->slot), 16);
    l->page = NULL;
    l->slot = NULL;
    l->page_count = l->page_room = l->slot_count = l->count = 0;
    l->since = 0;
    l->extent = 0;
}

static bool lookup_was_written(const setti_pages* pages, uint64_t since)
{
    uint64_t newest = 0;
    for (uint32_t number = 0; number < pages->count; number++) {
        newest = SETTI_MAX(newest, pages->tick[number]);
    }
    return newest >= since;
}

/* Whether no page has to be read: a tick a page is looked at. */
static bool lookup_is_current(const sett_lookup* l)
{
    const setti_storage* storage = &l->type->storage;
    return l->world->pool.restored < l->since && l->kind == storage->kind &&
           l->count == storage->count && !lookup_was_written(&storage->rows, l->since) &&
           (storage->kind == SETTI_SPARSE || !lookup_was_written(&storage->presence, l->since));
}

/* Whether a search can read it as it is: no loop has copied values, which others see. */
static bool lookup_is_readable(const sett_lookup* l)
{
    return l->type->storage.gather == NULL && lookup_is_current(l);
}

/* False when memory runs out: the next call goes on. */
static bool lookup_update(sett_lookup* l)
{
    const setti_storage* storage = &l->type->storage;
    setti_pool* pool = &l->world->pool;
    if (l->kind != storage->kind || l->shift != storage->shift) {
        lookup_clear(l);
        l->kind = storage->kind;
        l->shift = storage->shift;
    }
    uint32_t count = SETTI_MAX(storage->rows.count, l->page_count);
    /* rows of a sparse set that came into use, or went out of it, by a restore of its size */
    uint32_t first = SETTI_MIN(storage->extent, l->extent) >> l->shift;
    uint32_t last = SETTI_MAX(storage->extent, l->extent) >> l->shift;
    bool resized = storage->kind == SETTI_SPARSE && storage->extent != l->extent;
    uint64_t newest = 0;
    for (uint32_t number = 0; number < count; number++) {
        uint64_t tick = lookup_tick(storage, number);
        bool known = number < l->page_count && l->page[number] != NULL;
        bool is = setti_pages_get(&storage->rows, number) != NULL;
        newest = SETTI_MAX(newest, tick);
        if ((tick >= l->since || known != is || (resized && number >= first && number <= last)) &&
            !lookup_read(l, number)) {
            return false;
        }
    }
    l->extent = storage->extent;
    if (SETTI_MAX(newest, pool->restored) == pool->tick) {
        pool->tick++; /* what is written from now on is seen to be */
    }
    l->since = pool->tick;
    return true;
}

/* ------------------------------------------------------------------------------------- results */

static bool lookup_goes_before(sett_entity a, sett_entity b)
{
    return a.index < b.index;
}

/* Restores the heap below `at`: each is behind the two at 2 * at + 1. */
static void lookup_sift(sett_entity* out, uint32_t at, uint32_t count)
{
    for (uint32_t below = 2 * at + 1; below < count; at = below, below = 2 * at + 1) {
        if (below + 1 < count && lookup_goes_before(out[below], out[below + 1])) {
            below++;
        }
        if (!lookup_goes_before(out[at], out[below])) {
            return;
        }
        sett_entity higher = out[at];
        out[at] = out[below];
        out[below] = higher;
    }
}

static void lookup_sort(sett_entity* out, uint32_t count)
{
    for (uint32_t at = count / 2; at-- > 0;) {
        lookup_sift(out, at, count);
    }
    for (uint32_t end = count; end > 1; end--) {
        sett_entity last = out[0];
        out[0] = out[end - 1];
        out[end - 1] = last;
        lookup_sift(out, 0, end - 1);
    }
}

/* Writes the handles of a list of `count` records, in the order of their indices. */
static void lookup_copy(const sett_lookup* l, uint32_t at, uint32_t count, sett_entity* out)
{
    for (uint32_t k = 0; k < count; k++) {
        const lookup_record* record = lookup_at(l, at);
        out[k] = setti_entity_at(&l->world->entities, record->index);
        at = record->next;
    }
    lookup_sort(out, count);
}

uint32_t sett_lookup_find(sett_lookup* l, const void* value, sett_entity* out, uint32_t capacity)
{
    static const char call[] = "sett_lookup_find";
    if (l == NULL || setti_world_check_unlocked(l->world, call) != SETT_OK) {
        return 0;
    }
    if (setti_is_null(value, call, "value")) {
        return 0;
    }
    if (!lookup_is_current(l) && !lookup_update(l)) {
        (void)setti_world_no_memory(l->world, call);
        return 0;
    }
    uint32_t at = l->slot_count != 0 ? *lookup_seek(l, lookup_key(l, value)) : SETTI_NONE;
    uint32_t count = at != SETTI_NONE ? lookup_at(l, at)->count : 0;
    if (count > capacity || out == NULL) {
        return count;
    }
    lookup_copy(l, at, count, out);
    return count;
}

/* ------------------------------------------------------------------------------------ searches */

/* The key of the values that are equal to a float. */
static bool lookup_float_key(const sett_lookup* l, double number, uint64_t* key)
{
    float narrow = (float)number;
    double back = (double)narrow;
    bool wide = l->size == sizeof(double);
    *key = wide ? lookup_key(l, &number) : lookup_key(l, &narrow);
    return wide ? number >= number : number >= back && number <= back; /* no NaN */
}

/* The key of the values that are equal to a number of the text; false: none is, or the look-up
 * cannot tell. */
static bool lookup_number_key(const sett_lookup* l, const setti_side_value* value, uint64_t* key)
{
    unsigned char bytes[sizeof(uint64_t)] = {0};
    int64_t number = (int64_t)value->bits;
    if (value->kind == SETTI_VALUE_NUMBER && value->form == SETTI_FORM_FLOAT) {
        return l->is_float && lookup_float_key(l, value->number, key);
    }
    if (value->kind != SETTI_VALUE_NUMBER || value->form != SETTI_FORM_SIGNED ||
        !setti_number_is_integer(l->member) || (number < 0 && !setti_number_is_signed(l->member))) {
        return false;
    }
    setti_number_store(l->member, number, bytes);
    *key = lookup_key(l, bytes);
    return setti_number_load(l->member, bytes) == number;
}

/* Whether the member of a search is worth a multiple of what it contains. */
static bool lookup_is_scaled(const sett_member_ref* member)
{
    double scale = member->member->scale;
    return (scale < 0 || scale > 0) && (scale < 1 || scale > 1);
}

/* Whether an item compares the member of a look-up, of the entities of a variable themselves, with
 * a number of the text. */
static bool lookup_serves(const sett_lookup* l, const sett_search* search,
                          const setti_search_item* item, uint32_t variable)
{
    if (item->kind != SETTI_ITEM_COMPARE || item->negated || item->optional ||
        item->source != variable || item->walk != SETT_WALK_NONE) {
        return false;
    }
    const setti_search_side* left = search->side[item->compare];
    return search->term[item->term].compare == SETT_COMPARE_EQUAL &&
           left[0].kind == SETT_OPERAND_MEMBER && left[0].type == l->type &&
           left[0].member.offset == l->offset && left[0].member.kind == l->member &&
           left[1].kind != SETT_OPERAND_MEMBER && !lookup_is_scaled(&left[0].member);
}

/* Lists the indices of a key, if they are few. */
static void lookup_list(const sett_lookup* l, uint64_t key, setti_wanted* wanted)
{
    setti_pool* pool = &l->world->pool;
    uint32_t at = l->slot_count != 0 ? *lookup_seek(l, key) : SETTI_NONE;
    uint32_t count = at != SETTI_NONE ? lookup_at(l, at)->count : 0;
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
    lookup_copy(l, at, count, wanted->entity);
    wanted->count = count;
    wanted->by = l;
}

static void lookup_narrow(const sett_search* search, const setti_search_step* step,
                          setti_wanted* wanted)
{
    sett_lookup* l = search->world->module[SETTI_SLOT_LOOKUPS];
    for (; l != NULL; l = l->next) {
        for (uint32_t k = step->scope->items.first; k < step->scope->items.stop; k++) {
            const setti_search_item* item = &search->item[search->order[k]];
            uint64_t key = 0;
            if (!lookup_serves(l, search, item, step->variable) ||
                !lookup_number_key(l, &search->side[item->compare][1].value, &key)) {
                continue;
            }
            bool free = search->world->locks == 0 && l->type->storage.gather == NULL;
            if (lookup_is_readable(l) || (free && lookup_update(l))) {
                lookup_list(l, key, wanted);
            }
            return;
        }
    }
}

static const setti_lookup_calls lookup_calls = {lookup_narrow, lookup_is_readable};

/* ---------------------------------------------------------------------------------- the object */

static const char* lookup_of_type(const sett_world* world, const setti_type* type)
{
    const sett_lookup* l = world->module[SETTI_SLOT_LOOKUPS];
    while (l != NULL && l->type != type) {
        l = l->next;
    }
    return l != NULL ? l->type->desc.name : NULL;
}

static bool lookup_takes(const sett_member_ref* member)
{
    return member->count == 1 && member->kind != SETT_MEMBER_TEXT &&
           member->kind != SETT_MEMBER_OPAQUE && member->kind != SETT_MEMBER_STRUCT &&
           member->kind != SETT_MEMBER_STRING && member->kind != SETT_MEMBER_LIST &&
           member->size <= sizeof(uint64_t);
}

sett_lookup* sett_lookup_create(sett_world* world, sett_component component, const char* member)
{
    static const char call[] = "sett_lookup_create";
    setti_type* type = setti_change_check_type(world, component, call);
    if (type == NULL || setti_is_null(member, call, "member")) {
        return NULL;
    }
    sett_member_ref ref;
    bool found = type->members != NULL && sett_member_find(world, component, member, &ref);
    if (!found || !lookup_takes(&ref)) {
        setti_world_fail_with(
            world, SETT_STATUS_ARGUMENT, "%s: \"%.100s\" %s \"%.100s\"", call, type->desc.name,
            found ? "has no number, bool or handle in the member" : "has no member", member);
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
    l->is_float = ref.kind == SETT_MEMBER_F32 || ref.kind == SETT_MEMBER_F64;
    l->kind = type->storage.kind;
    l->shift = type->storage.shift;
    l->next = world->module[SETTI_SLOT_LOOKUPS];
    if (l->next != NULL) {
        l->next->previous = l;
    }
    world->module[SETTI_SLOT_LOOKUPS] = l;
    static const setti_module_calls calls = {
        .slot = SETTI_SLOT_LOOKUPS, .holder = lookup_of_type, .kind = "look-up"};
    setti_world_add_calls(world, &calls);
    return l;
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
        if (l->previous != NULL) {
            l->previous->next = l->next;
        } else {
            world->module[SETTI_SLOT_LOOKUPS] = l->next;
        }
        if (l->next != NULL) {
            l->next->previous = l->previous;
        }
        setti_pool_free(&world->pool, l, sizeof(*l), 16);
    }
    return status;
}

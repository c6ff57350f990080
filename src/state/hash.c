/* hash.c: one number for the state of a world. Equal states have equal hashes on each machine, in
 * each build, with any storages and any history.
 *
 * The workload: a lockstep game compares the hash of a hundred thousand entities in each frame, and
 * a few pages of values changed. So the sum of each page is remembered with the page's tick, and
 * the hash of the world is the sum over pages.
 *
 *     value     mix(name of the type, handle of the entity, bytes with padding as zeroes)
 *     index     mix(handle of the present or the next entity at the index); 0 if it is unused
 *     world     sum over values and indices, independent of the order of rows
 *
 * A write to a page changes the page's tick, and the sum is computed again. But a removal may only
 * change a bit of presence or the number of rows in use. So each page has a second remembered
 * number, the `shape`.
 *
 * Invariant:  a page with the remembered tick and shape has the remembered sum
 * (the clock advances after hashing, and a replaced page has no remembered sum)
 */
#include "state/hash.h"

#include "base/bytes.h"
#include "base/cow.h"
#include "sett/state.h"
#include "world/written.h"

#include <stdio.h>

#define HASH_PIECE 128 /* bytes of a canonical form hashed at once, a multiple of 8 */

static uint64_t hash_bytes(uint64_t hash, const unsigned char* bytes, size_t size)
{
    for (; size >= 8; size -= 8, bytes += 8) {
        hash = setti_hash_step(hash, setti_bytes_get(bytes, 8));
    }
    return size != 0 ? setti_hash_step(hash, setti_bytes_get_few(bytes, size)) : hash;
}

/* Hashes the bits that a mask selects. */
static uint64_t hash_masked(uint64_t hash, const unsigned char* bytes, const unsigned char* mask,
                            size_t size)
{
    for (; size >= 8; size -= 8, bytes += 8, mask += 8) {
        hash = setti_hash_step(hash, setti_bytes_get(bytes, 8) & setti_bytes_get(mask, 8));
    }
    return size != 0
               ? setti_hash_step(hash, setti_bytes_get(bytes, size) & setti_bytes_get(mask, size))
               : hash;
}

bool setti_hash_same(const setti_type* type, const void* a, const void* b)
{
    size_t size = setti_hash_size(type);
    const unsigned char* mask = type->desc.mask;
    if (size == 0 || memcmp(a, b, size) == 0) { /* equal bytes, even of addresses: equal values */
        return true;
    }
    if (type->members != NULL) {
        return setti_canonical_same(type->members, a, b);
    }
    if (type->desc.write != NULL) {
        return setti_type_same(type, a, b);
    }
    const unsigned char* bytes_a = a;
    const unsigned char* bytes_b = b;
    bool same = mask != NULL;
    for (size_t k = 0; same && k < size; k++) {
        same = ((bytes_a[k] ^ bytes_b[k]) & mask[k]) == 0;
    }
    return same;
}

/* Stands for the members of a type with a `write` hook. Only `varies` is used. */
static const setti_members hash_written = {.varies = true, .piece_count = 1};

void setti_hash_begin(setti_hash_type* hasher, const setti_type* type)
{
    const void* name = type->desc.name;
    size_t length = strlen(name);
    hasher->type = type;
    hasher->seed = setti_hash_mix(hash_bytes(SETTI_HASH_K, name, length) + length);
    hasher->size = setti_hash_size(type);
    hasher->mask = type->desc.mask;
    hasher->members = type->desc.write != NULL ? &hash_written : type->members;
    if (hasher->size == 0) {
        hasher->members = NULL;
    }
}

bool setti_hash_is_plain(const setti_hash_type* hasher)
{
    const setti_members* members = hasher->members;
    if (hasher->mask != NULL || members == NULL) {
        return hasher->mask == NULL;
    }
    bool finds_nan = members->words != NULL || !members->floats;
    return members->adjacent && finds_nan;
}

/* Hashes members without gaps. *nan becomes true if a float among them is NaN. */
static uint64_t hash_floats(uint64_t hash, const setti_members* members, const unsigned char* bytes,
                            bool* nan)
{
    SETTI_ASSERT(members->words != NULL && members->adjacent);
    const setti_nan_word* nan_word = members->words;
    uint64_t found = 0;
    size_t size = members->size;
    for (; size >= 8; size -= 8, bytes += 8, nan_word++) {
        uint64_t word = setti_bytes_get(bytes, 8);
        found |= setti_hash_nan(*nan_word, word);
        hash = setti_hash_step(hash, word);
    }
    if (size != 0) {
        uint64_t word = setti_bytes_get_few(bytes, size);
        found |= setti_hash_nan(*nan_word, word);
        hash = setti_hash_step(hash, word);
    }
    *nan = found != 0;
    return hash;
}

/* A sink that collects bytes, and hashes each full piece. */
typedef struct hash_sink {
    sett_sink sink; /* first */
    uint64_t hash;
    size_t used;
    unsigned char piece[HASH_PIECE];
} hash_sink;

static void hash_sink_write(sett_sink* sink, const void* bytes, size_t size)
{
    hash_sink* to = (hash_sink*)(void*)sink;
    for (const unsigned char* at = bytes; size != 0;) {
        size_t count = SETTI_MIN(size, HASH_PIECE - to->used);
        memcpy(to->piece + to->used, at, count);
        to->used += count;
        at += count;
        size -= count;
        if (to->used == HASH_PIECE) {
            to->hash = hash_bytes(to->hash, to->piece, HASH_PIECE);
            to->used = 0;
        }
    }
}

/* Hashes the canonical form of a value (canonical.h). */
static uint64_t hash_encoded(uint64_t hash, const setti_members* members, const void* value)
{
    SETTI_ASSERT(members->size != 0);
    hash_sink to = {.sink.write = hash_sink_write, .hash = hash};
    if (members->size <= HASH_PIECE) {
        setti_canonical_encode(members, value, to.piece);
        return hash_bytes(hash, to.piece, members->size);
    }
    unsigned char piece[HASH_PIECE];
    setti_canonical_cursor cursor = {0, 0};
    for (size_t size; (size = setti_canonical_next(members, value, &cursor, piece, HASH_PIECE));) {
        hash_sink_write(&to.sink, piece, size);
    }
    return hash_bytes(to.hash, to.piece, to.used); /* the last piece is not full */
}

static uint64_t hash_members(uint64_t hash, const setti_type* type, const setti_members* members,
                             const void* value)
{
    SETTI_ASSERT(members->piece_count != 0);
    if (members->varies) {
        hash_sink to = {.sink.write = hash_sink_write, .hash = hash};
        setti_type_write(type, value, &to.sink);
        return hash_bytes(to.hash, to.piece, to.used);
    }
    if (!members->adjacent) {
        return hash_encoded(hash, members, value);
    }
    const unsigned char* first = (const unsigned char*)value + members->pieces->offset;
    bool nan = false; /* then the canonical form has other bytes */
    uint64_t plain = members->words != NULL ? hash_floats(hash, members, first, &nan)
                                            : hash_bytes(hash, first, members->size);
    if (members->words == NULL && members->floats) {
        nan = !setti_canonical_is_plain(members, value);
    }
    return nan ? hash_encoded(hash, members, value) : plain;
}

static uint64_t hash_content(uint64_t hash, const setti_type* type, const setti_members* members,
                             const unsigned char* mask, size_t size, const void* value)
{
    if (members != NULL) {
        return setti_hash_mix(hash_members(hash, type, members, value));
    }
    return setti_hash_mix(mask == NULL ? hash_bytes(hash, value, size)
                                       : hash_masked(hash, value, mask, size));
}

uint64_t setti_hash_value(const setti_hash_type* hasher, sett_entity entity, const void* value)
{
    uint64_t hash = hasher->seed ^ setti_hash_entity(entity);
    return hash_content(hash, hasher->type, hasher->members, hasher->mask, hasher->size, value);
}

uint64_t setti_hash_link(const setti_hash_type* hasher, sett_entity source, const void* record)
{
    SETTI_ASSERT(hasher->type->records != NULL && hasher->type->data_type != NULL);
    const setti_records* records = hasher->type->records;
    const unsigned char* bytes = record;
    sett_entity target;
    memcpy(&target, bytes + records->target, sizeof(target));
    uint64_t hash = hasher->seed ^ setti_hash_entity(source);
    hash = setti_hash_step(hash, setti_hash_entity(target));
    const setti_type* data = hasher->type->data_type;
    return hash_content(hash, data, data->members, data->desc.mask, data->desc.size,
                        bytes + records->data);
}

/* Returns the sum of a page of entities. `first`: the index of its first slot. */
static uint64_t hash_slots(const setti_entity_page* page, uint32_t first)
{
    uint64_t sum = 0;
    for (uint32_t slot = 0; slot < SETTI_ENTITY_ROWS; slot++) {
        sett_entity entity = {first + slot, page->generation[slot]};
        sum += entity.generation != SETTI_UNUSED ? setti_hash_entity(entity) : 0;
    }
    return sum;
}

/* Returns what is remembered of each page of a table. Returns NULL if memory runs out. */
static setti_page_hash* hash_remembered(sett_world* world, setti_pages* pages)
{
    setti_page_notes* notes = setti_notes_get(&world->pool, pages);
    if (notes == NULL) {
        return NULL;
    }
    if (notes->hash_count >= pages->count) {
        return notes->hash;
    }
    uint32_t count = setti_bits_ceil(SETTI_MAX(pages->count, 4));
    size_t old_size = notes->hash_count * sizeof(*notes->hash);
    setti_page_hash* hash = setti_pool_alloc_zero(&world->pool, count * sizeof(*hash), 16);
    if (hash == NULL) {
        return NULL;
    }
    if (old_size != 0) {
        memcpy(hash, notes->hash, old_size);
    }
    setti_pool_free(&world->pool, notes->hash, old_size, 16);
    notes->hash = hash;
    notes->hash_count = count;
    return hash;
}

typedef enum hash_answer {
    HASH_SUM,  /* the sum of the hashes */
    HASH_PRICE /* an estimate of the number of hashes */
} hash_answer;

/* A table of pages to hash. */
typedef struct hash_part {
    sett_world* world;
    const setti_hash_type* hasher; /* NULL: the pages are entities */
    setti_pages* pages;
    bool records;     /* the pages are the type's records */
    setti_view* view; /* side SETTI_BEFORE is hashed; NULL: the live world */
    hash_answer answer;
} hash_part;

/* Returns the table to hash for a type: its presence if it has no rows, or nothing in them. */
static setti_pages* hash_pages_of(const sett_world* world, const setti_hash_type* hasher)
{
    setti_storage* storage = &world->types[hasher->type->id]->storage;
    bool has_rows =
        storage->kind == SETTI_SPARSE || (storage->kind == SETTI_ARRAY && hasher->size != 0);
    return has_rows ? &storage->rows : &storage->presence;
}

static const setti_entity_page* hash_entities(const hash_part* part, uint32_t index)
{
    return part->view != NULL ? setti_view_get(part->view, &part->world->entities.pages,
                                               index >> SETTI_ENTITY_SHIFT, SETTI_BEFORE)
                              : setti_entity_page_of(&part->world->entities, index);
}

static sett_entity hash_entity(const hash_part* part, uint32_t index)
{
    return (sett_entity){index, hash_entities(part, index)->generation[index & SETTI_ENTITY_MASK]};
}

/* Returns the words of presence from index `first` to the end of its page. NULL: no page. */
static const uint64_t* hash_words(const hash_part* part, uint32_t first)
{
    const setti_storage* storage = &part->hasher->type->storage;
    if (part->view == NULL) {
        return setti_storage_word(storage, first);
    }
    const uint64_t* words =
        setti_view_get(part->view, &storage->presence, first >> SETTI_BITS_SHIFT, SETTI_BEFORE);
    return words != NULL ? words + first / 64 % SETTI_BITS_WORDS : NULL;
}

static uint32_t hash_extent(const hash_part* part)
{
    return part->view != NULL ? setti_view_extent(part->view, part->hasher->type, SETTI_BEFORE)
                              : part->hasher->type->storage.extent;
}

static uint32_t hash_record_count(const hash_part* part, uint32_t number)
{
    const setti_records* records = part->hasher->type->records;
    uint32_t count = part->view != NULL ? setti_view_number(part->view, records->root, SETTI_BEFORE)
                                        : *records->count;
    uint32_t first = number << records->shift;
    uint32_t rest = count - SETTI_MIN(count, first); /* records from this page on */
    return SETTI_MIN(rest, (uint32_t)1 << records->shift);
}

/* Returns the sum of up to 64 values. `rows`: the value of the entity `base`, or NULL for tags. */
static uint64_t hash_word(const hash_part* part, uint32_t base, uint64_t bits,
                          const unsigned char* rows)
{
    const setti_entity_page* page = hash_entities(part, base);
    uint64_t sum = 0;
    for (; bits != 0; bits &= bits - 1) {
        uint32_t k = setti_bits_lowest(bits);
        sett_entity entity = {base + k, page->generation[(base + k) & SETTI_ENTITY_MASK]};
        sum += setti_hash_value(part->hasher, entity,
                                rows != NULL ? rows + k * part->hasher->type->storage.size : NULL);
    }
    return sum;
}

static uint64_t hash_array(const hash_part* part, const unsigned char* page, uint32_t number)
{
    const setti_storage* storage = &part->hasher->type->storage;
    bool has_rows = part->pages == &storage->rows;
    uint32_t shift = has_rows ? storage->shift : SETTI_BITS_SHIFT;
    uint32_t first = number << shift;
    const uint64_t* words = hash_words(part, first);
    uint64_t sum = 0;
    for (uint32_t k = 0; words != NULL && k < ((uint32_t)1 << shift) / 64; k++) {
        const unsigned char* rows = has_rows ? page + (size_t)k * 64 * storage->size : NULL;
        if (words[k] != 0) {
            sum += hash_word(part, first + k * 64, words[k], rows);
        }
    }
    return sum;
}

static uint64_t hash_sparse(const hash_part* part, const unsigned char* page, uint32_t number)
{
    const setti_storage* storage = &part->hasher->type->storage;
    const uint32_t* indices = (const uint32_t*)(const void*)(page + storage->indices);
    uint32_t first = number << storage->shift;
    uint32_t extent = hash_extent(part);
    uint64_t sum = 0;
    for (uint32_t k = 0; k < setti_storage_rows(storage) && first + k < extent; k++) {
        if (indices[k] != SETTI_NONE) {
            sum += setti_hash_value(part->hasher, hash_entity(part, indices[k]),
                                    page + (size_t)k * storage->size);
        }
    }
    return sum;
}

static uint64_t hash_records(const hash_part* part, const unsigned char* record, uint32_t number)
{
    const setti_records* records = part->hasher->type->records;
    uint64_t sum = 0;
    for (uint32_t k = hash_record_count(part, number); k-- > 0; record += records->size) {
        uint32_t source;
        memcpy(&source, record + records->source, sizeof(source));
        sum += setti_hash_link(part->hasher, hash_entity(part, source), record);
    }
    return sum;
}

static uint64_t hash_page(const hash_part* part, const void* page, uint32_t number)
{
    SETTI_ASSERT(page != NULL);
    if (part->hasher == NULL) {
        return hash_slots(page, number << SETTI_ENTITY_SHIFT);
    }
    if (part->records) {
        return hash_records(part, page, number);
    }
    if (part->hasher->type->storage.kind == SETTI_SPARSE) {
        return hash_sparse(part, page, number);
    }
    return hash_array(part, page, number);
}

/* Returns a number that changes when rows are added or removed. */
static uint64_t hash_shape(const hash_part* part, uint32_t number)
{
    if (part->records) {
        return hash_record_count(part, number);
    }
    if (part->hasher == NULL || part->pages != &part->hasher->type->storage.rows) {
        return 0;
    }
    const setti_storage* storage = &part->hasher->type->storage;
    uint32_t first = number << storage->shift;
    uint32_t rows = setti_storage_rows(storage);
    if (storage->kind == SETTI_SPARSE) {
        uint32_t extent = hash_extent(part);
        uint32_t rest = extent - SETTI_MIN(extent, first); /* rows in use from this page on */
        return SETTI_MIN(rest, rows);
    }
    uint64_t shape = 1;
    const uint64_t* words = hash_words(part, first);
    for (uint32_t k = 0; words != NULL && k < rows / 64; k++) {
        shape = setti_hash_step(shape, words[k]);
    }
    return shape;
}

/* Returns an estimate of the number of hashes of a page. */
static uint64_t hash_price_of(const hash_part* part)
{
    bool has_rows = part->hasher != NULL && part->pages == &part->hasher->type->storage.rows;
    return has_rows ? setti_storage_rows(&part->hasher->type->storage) : 64;
}

/* Returns the sum or the price of a live page. `known`: what is remembered of the page, or NULL. */
static uint64_t hash_live_page(const hash_part* part, uint32_t number, setti_page_hash* known)
{
    hash_part live = *part;
    live.view = NULL;
    if (part->view != NULL && hash_shape(&live, number) != hash_shape(part, number)) {
        known = NULL; /* in the view, other rows of the page are in use: remember no sum of them */
    }
    uint64_t tick = part->pages->tick[number];
    uint64_t shape = hash_shape(part, number);
    if (known != NULL && known->tick == tick && known->shape == shape) {
        return part->answer == HASH_SUM ? known->hash : 0;
    }
    if (part->answer == HASH_PRICE) {
        return hash_price_of(part);
    }
    uint64_t hash = hash_page(part, part->pages->data[number], number);
    if (known != NULL) {
        known->tick = tick;
        known->shape = shape;
        known->hash = hash;
    }
    return hash;
}

/* Returns the sum or the price of a table. */
static uint64_t hash_part_sum(const hash_part* part)
{
    setti_page_hash* known = hash_remembered(part->world, part->pages);
    uint64_t sum = 0;
    uint32_t count =
        part->view != NULL ? setti_view_count(part->view, part->pages) : part->pages->count;
    for (uint32_t number = 0; number < count; number++) {
        const void* live = setti_pages_get(part->pages, number);
        const void* page = part->view != NULL
                               ? setti_view_get(part->view, part->pages, number, SETTI_BEFORE)
                               : live;
        if (page == NULL) {
            continue;
        }
        if (page == live) { /* a view shares unwritten pages with the live world */
            sum += hash_live_page(part, number, known != NULL ? &known[number] : NULL);
        } else {
            sum += part->answer == HASH_SUM ? hash_page(part, page, number) : hash_price_of(part);
        }
    }
    return sum;
}

static uint64_t hash_all(sett_world* world, setti_view* view, hash_answer answer)
{
    hash_part part = {
        .world = world, .pages = &world->entities.pages, .view = view, .answer = answer};
    uint64_t sum = hash_part_sum(&part);
    for (uint32_t k = 0; k < world->registered.count; k++) {
        setti_hash_type hasher;
        setti_hash_begin(&hasher, world->registered.item[k]);
        part.hasher = &hasher;
        part.pages = hash_pages_of(world, &hasher);
        part.records = false;
        sum += hash_part_sum(&part);
        if (hasher.type->records != NULL) {
            part.pages = hasher.type->records->pages;
            part.records = true;
            sum += hash_part_sum(&part);
        }
    }
    return sum;
}

uint64_t setti_hash_sum(sett_world* world, setti_view* view)
{
    uint64_t sum = hash_all(world, view, HASH_SUM);
    world->pool.tick++; /* later writes have a later tick */
    return sum;
}

uint64_t setti_hash_price(sett_world* world, setti_view* view)
{
    return hash_all(world, view, HASH_PRICE);
}

uint64_t sett_world_hash(sett_world* world)
{
    if (SETTI_IS_NULL(world) || setti_world_check_serial(world, __func__) != SETT_OK) {
        return 0;
    }
    return setti_hash_finish(setti_hash_sum(world, NULL));
}

/* Returns true if all machines hash the type's values alike. */
static bool hash_is_portable(const setti_type* type)
{
    if (setti_hash_size(type) == 0) { /* no bytes, not saved, or hashed by a module */
        return type->desc.size == 0 || type->desc.save == SETT_SAVE_SKIP || type->module != NULL;
    }
    return type->desc.write != NULL || (type->members != NULL && !type->members->opaque);
}

bool sett_world_hash_portable(const sett_world* world, sett_component* raw)
{
    if (SETTI_IS_NULL(world)) {
        return false;
    }
    for (uint32_t k = 0; k < world->registered.count; k++) {
        const setti_type* type = world->registered.item[k];
        if (!hash_is_portable(type) || !hash_is_portable(setti_type_data(type))) {
            if (raw != NULL) {
                *raw = type->id;
            }
            return false;
        }
    }
    return true;
}

/* Returns true if all remembered sums are right. Otherwise *number is the page of a wrong sum. */
static bool hash_part_holds(const hash_part* part, uint32_t* number)
{
    const setti_page_notes* notes = part->pages->notes;
    uint32_t count = notes != NULL ? SETTI_MIN(notes->hash_count, part->pages->count) : 0;
    for (*number = 0; *number < count; ++*number) {
        const setti_page_hash* known = &notes->hash[*number];
        const void* page = part->pages->data[*number];
        bool remembered = page != NULL && known->tick == part->pages->tick[*number] &&
                          known->shape == hash_shape(part, *number);
        if (remembered && known->hash != hash_page(part, page, *number)) {
            return false;
        }
    }
    return true;
}

/* The values of a page. */
typedef struct hash_values {
    const setti_type* type; /* NULL: no page */
    sett_entity first;      /* of the first value */
    uint32_t count;
} hash_values;

static hash_values hash_values_of(const hash_part* part, uint32_t number)
{
    const setti_storage* storage = &part->hasher->type->storage;
    hash_values values = {part->hasher->type, {0, 0}, 0};
    uint32_t row = number << storage->shift;
    uint32_t end = row + setti_storage_rows(storage);
    if (storage->kind == SETTI_SPARSE) {
        end = SETTI_MIN(end, storage->extent);
    }
    for (; row < end; row++) {
        uint32_t index = storage->kind == SETTI_SPARSE ? *setti_storage_index(storage, row) : row;
        if (index == SETTI_NONE || !setti_storage_has(storage, index)) {
            continue;
        }
        if (values.count++ == 0) {
            values.first = setti_entity_at(&part->world->entities, index);
        }
    }
    return values;
}

/* Returns the values of a page that was written without a new tick. Without one, `type` is NULL. */
static hash_values hash_check(sett_world* world)
{
    for (uint32_t k = 0; k < world->registered.count; k++) {
        setti_hash_type hasher;
        uint32_t number;
        setti_hash_begin(&hasher, world->registered.item[k]);
        hash_part part = {
            .world = world, .hasher = &hasher, .pages = hash_pages_of(world, &hasher)};
        if (!hash_part_holds(&part, &number)) {
            /* so that the next call can report another page */
            setti_page_hash* known = &part.pages->notes->hash[number];
            known->hash = hash_page(&part, part.pages->data[number], number);
            return hash_values_of(&part, number);
        }
    }
    return (hash_values){NULL, {0, 0}, 0};
}

/* Writes the handle and path of the first of the values' entities, and how many there are. */
static void hash_name_entity(const sett_world* world, const hash_values* values, char* out,
                             size_t size)
{
    const setti_naming* naming = world->naming;
    char path[80] = "";
    char others[48] = "";
    if (naming != NULL && naming->has(world, values->first)) {
        (void)naming->path(world, values->first, path, sizeof(path));
    }
    if (values->count > 1) {
        snprintf(others, sizeof(others), ", or of another of %u entities,",
                 (unsigned)values->count);
    }
    bool named = path[0] != '\0';
    snprintf(out, size, "%u:%u%s%s%s%s", SETTI_HANDLE(values->first), named ? " (\"" : "", path,
             named ? "\")" : "", others);
}

/* In the first call, logs that it only remembers sums. */
static void hash_note_first(const sett_world* world)
{
#if !defined(NDEBUG)
    const setti_pages* pages = &world->entities.pages;
    if (pages->count != 0 && (pages->notes == NULL || pages->notes->hash_count == 0)) {
        setti_world_log(world, SETT_LOG_INFO,
                        "sett_world_check_writes: the first call only records values, and later "
                        "calls compare with them - make a call once a frame");
    }
#else
    (void)world;
#endif
}

sett_status sett_world_check_writes(sett_world* world)
{
    if (SETTI_IS_NULL(world)) {
        return SETT_STATUS_ARGUMENT;
    }
    if (setti_world_check_serial(world, "sett_world_check_writes") != SETT_OK) {
        return world->error;
    }
    hash_note_first(world);
    hash_values values = hash_check(world);
    (void)setti_hash_sum(world, NULL); /* remembers the new sums */
    if (values.type == NULL) {
        return SETT_OK;
    }
    char entity[176];
    hash_name_entity(world, &values, entity, sizeof(entity));
    const char* in = world->calling;
    return setti_world_fail_with(
        world, SETT_STATUS_INVALID,
        "sett_world_check_writes: \"%.100s\" of entity %s was written through an address that is "
        "not for writing now%s%s%s - declare the loop's term SETT_INOUT, or call sett_get_mut "
        "again after each snapshot, restore, sett_world_hash, sett_world_advance_tick and "
        "sett_progress",
        values.type->desc.name, entity, in != NULL ? " (found in a callback of \"" : "",
        in != NULL ? in : "", in != NULL ? "\")" : "");
}

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
 * change a bit of presence or the number of rows in use, and the tick of the page of rows stays. So
 * a second number is remembered for each page, the `shape`.
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

#define HASH_PIECE 128 /* bytes of a canonical form that are hashed at once, a multiple of 8 */

static uint64_t hash_bytes(uint64_t hash, const unsigned char* bytes, size_t size)
{
    for (; size >= 8; size -= 8, bytes += 8) {
        hash = setti_hash_step(hash, setti_bytes_get(bytes, 8));
    }
    if (size != 0) {
        hash = setti_hash_step(hash, setti_bytes_get_few(bytes, size));
    }
    return hash;
}

/* Hashes the bits that a mask selects. The other bits count as 0. */
static uint64_t hash_masked(uint64_t hash, const unsigned char* bytes, const unsigned char* mask,
                            size_t size)
{
    for (; size >= 8; size -= 8, bytes += 8, mask += 8) {
        hash = setti_hash_step(hash, setti_bytes_get(bytes, 8) & setti_bytes_get(mask, 8));
    }
    if (size != 0) {
        hash = setti_hash_step(hash, setti_bytes_get(bytes, size) & setti_bytes_get(mask, size));
    }
    return hash;
}

bool setti_hash_same(const setti_type* type, const void* a, const void* b)
{
    size_t size = setti_hash_size(type);
    const unsigned char* mask = type->desc.mask;
    if (size == 0 || memcmp(a, b, size) == 0) { /* equal addresses lead to equal content */
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
    if (mask == NULL) { /* all bytes count, and some differ */
        return false;
    }
    for (size_t k = 0; k < size; k++) {
        if (((bytes_a[k] ^ bytes_b[k]) & mask[k]) != 0) {
            return false;
        }
    }
    return true;
}

/* Stands for the members of a type with a `write` hook: the hook writes the bytes to hash. */
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
    if (hasher->size == 0) { /* the values are not hashed */
        hasher->members = NULL;
    }
}

bool setti_hash_is_plain(const setti_hash_type* hasher)
{
    const setti_members* members = hasher->members;
    if (hasher->mask != NULL) {
        return false;
    }
    if (members == NULL) {
        return true;
    }
    /* true if no member is a float, or if hash_floats can find NaN in the plain bytes */
    bool finds_nan = members->words != NULL || !members->floats;
    return members->adjacent && finds_nan;
}

/* Hashes members that have no gaps between them. *nan becomes true if a float member is NaN. */
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

/* A sink that collects bytes in `piece`, and hashes the piece when it is full. */
typedef struct hash_sink {
    sett_sink sink; /* first */
    uint64_t hash;  /* the hash of all full pieces */
    size_t used;    /* bytes in `piece` */
    unsigned char piece[HASH_PIECE];
} hash_sink;

static void hash_sink_write(sett_sink* given, const void* bytes, size_t size)
{
    hash_sink* sink = (hash_sink*)(void*)given;
    const unsigned char* next = bytes;
    while (size != 0) {
        size_t count = SETTI_MIN(size, HASH_PIECE - sink->used);
        memcpy(sink->piece + sink->used, next, count);
        sink->used += count;
        next += count;
        size -= count;
        if (sink->used == HASH_PIECE) {
            sink->hash = hash_bytes(sink->hash, sink->piece, HASH_PIECE);
            sink->used = 0;
        }
    }
}

/* Returns the hash of all bytes that a sink has got. */
static uint64_t hash_sink_end(const hash_sink* sink)
{
    return hash_bytes(sink->hash, sink->piece, sink->used); /* the last piece is not full */
}

/* Hashes the canonical form of a value (canonical.h). */
static uint64_t hash_encoded(uint64_t hash, const setti_members* members, const void* value)
{
    SETTI_ASSERT(members->size != 0);
    unsigned char piece[HASH_PIECE];
    if (members->size <= HASH_PIECE) {
        setti_canonical_encode(members, value, piece);
        return hash_bytes(hash, piece, members->size);
    }
    hash_sink sink = {.sink.write = hash_sink_write, .hash = hash};
    setti_canonical_cursor cursor = {0, 0};
    size_t size;
    while ((size = setti_canonical_next(members, value, &cursor, piece, HASH_PIECE)) != 0) {
        hash_sink_write(&sink.sink, piece, size);
    }
    return hash_sink_end(&sink);
}

static uint64_t hash_members(uint64_t hash, const setti_type* type, const setti_members* members,
                             const void* value)
{
    SETTI_ASSERT(members->piece_count != 0);
    if (members->varies) {
        hash_sink sink = {.sink.write = hash_sink_write, .hash = hash};
        setti_type_write(type, value, &sink.sink);
        return hash_sink_end(&sink);
    }
    if (!members->adjacent) {
        return hash_encoded(hash, members, value);
    }
    const unsigned char* bytes = (const unsigned char*)value + members->pieces->offset;
    bool nan = false; /* true: the canonical form has other bytes than the value */
    uint64_t plain_hash;
    if (members->words != NULL) {
        plain_hash = hash_floats(hash, members, bytes, &nan);
    } else {
        plain_hash = hash_bytes(hash, bytes, members->size);
        nan = members->floats && !setti_canonical_is_plain(members, value);
    }
    if (nan) {
        return hash_encoded(hash, members, value);
    }
    return plain_hash;
}

/* Hashes a value: the members if they are known, otherwise the bytes. */
static uint64_t hash_content(uint64_t hash, const setti_type* type, const setti_members* members,
                             const unsigned char* mask, size_t size, const void* value)
{
    if (members != NULL) {
        return setti_hash_mix(hash_members(hash, type, members, value));
    }
    if (mask == NULL) {
        return setti_hash_mix(hash_bytes(hash, value, size));
    }
    return setti_hash_mix(hash_masked(hash, value, mask, size));
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

/* Returns the sum of the hashes of a page's entities. `first` is the index of the first slot. */
static uint64_t hash_slots(const setti_entity_page* page, uint32_t first)
{
    uint64_t sum = 0;
    for (uint32_t slot = 0; slot < SETTI_ENTITY_ROWS; slot++) {
        sett_entity entity = {first + slot, page->generation[slot]};
        if (entity.generation != SETTI_UNUSED) {
            sum += setti_hash_entity(entity);
        }
    }
    return sum;
}

/* Returns an array with the remembered sum of each page of a table. Returns NULL if memory runs
 * out. */
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
    setti_page_hash* grown = setti_pool_alloc_zero(&world->pool, count * sizeof(*grown), 16);
    if (grown == NULL) {
        return NULL;
    }
    if (old_size != 0) {
        memcpy(grown, notes->hash, old_size);
    }
    setti_pool_free(&world->pool, notes->hash, old_size, 16);
    notes->hash = grown;
    notes->hash_count = count;
    return grown;
}

typedef enum hash_answer {
    HASH_SUM,  /* the sum of the hashes */
    HASH_PRICE /* an estimate of the number of hashes that the sum needs */
} hash_answer;

/* A table of pages, and the answer that is wanted. */
typedef struct hash_part {
    sett_world* world;
    const setti_hash_type* hasher; /* NULL: the pages are entities */
    setti_pages* pages;
    bool is_records;  /* the pages are the type's records */
    setti_view* view; /* side SETTI_BEFORE is hashed; NULL: the live world is hashed */
    hash_answer answer;
} hash_part;

/* Returns the table to hash for a type. This is the table of presence if no bytes of an array's
 * rows are hashed, otherwise the table of rows. */
static setti_pages* hash_pages_of(const sett_world* world, const setti_hash_type* hasher)
{
    setti_storage* storage = &world->types[hasher->type->id]->storage;
    bool hashes_array = storage->kind == SETTI_ARRAY && hasher->size != 0;
    bool hashes_rows = storage->kind == SETTI_SPARSE || hashes_array;
    return hashes_rows ? &storage->rows : &storage->presence;
}

/* Returns the page of entities that has an index. */
static const setti_entity_page* hash_entities(const hash_part* part, uint32_t index)
{
    const setti_entity_table* entities = &part->world->entities;
    if (part->view == NULL) {
        return setti_entity_page_of(entities, index);
    }
    uint32_t number = index >> SETTI_ENTITY_SHIFT;
    return setti_view_get(part->view, &entities->pages, number, SETTI_BEFORE);
}

static sett_entity hash_entity(const hash_part* part, uint32_t index)
{
    return (sett_entity){index, hash_entities(part, index)->generation[index & SETTI_ENTITY_MASK]};
}

/* Returns the address of the presence word of the index `first`. The words up to the end of the
 * page follow. Returns NULL if there is no page. */
static const uint64_t* hash_words(const hash_part* part, uint32_t first)
{
    const setti_storage* storage = &part->hasher->type->storage;
    if (part->view == NULL) {
        return setti_storage_word(storage, first);
    }
    const uint64_t* words =
        setti_view_get(part->view, &storage->presence, first >> SETTI_BITS_SHIFT, SETTI_BEFORE);
    if (words == NULL) {
        return NULL;
    }
    return words + first / 64 % SETTI_BITS_WORDS;
}

/* Returns the number of rows of the type that are in use. */
static uint32_t hash_extent(const hash_part* part)
{
    if (part->view == NULL) {
        return part->hasher->type->storage.extent;
    }
    return setti_view_extent(part->view, part->hasher->type, SETTI_BEFORE);
}

/* Returns the number of records in the page `number`. */
static uint32_t hash_record_count(const hash_part* part, uint32_t number)
{
    const setti_records* records = part->hasher->type->records;
    uint32_t count = *records->count;
    if (part->view != NULL) {
        count = setti_view_number(part->view, records->root, SETTI_BEFORE);
    }
    uint32_t first = number << records->shift;
    uint32_t rest = count - SETTI_MIN(count, first); /* records in this page and later pages */
    return SETTI_MIN(rest, (uint32_t)1 << records->shift);
}

/* Returns the sum of the hashes of up to 64 values. Bit k of `bits` stands for the entity at
 * index `base` + k. `rows` is the address of the value at index `base`, or NULL if no bytes are
 * hashed. */
static uint64_t hash_word(const hash_part* part, uint32_t base, uint64_t bits,
                          const unsigned char* rows)
{
    const setti_entity_page* page = hash_entities(part, base);
    uint64_t sum = 0;
    for (; bits != 0; bits &= bits - 1) {
        uint32_t k = setti_bits_lowest(bits);
        sett_entity entity = {base + k, page->generation[(base + k) & SETTI_ENTITY_MASK]};
        const unsigned char* value = NULL;
        if (rows != NULL) {
            value = rows + k * part->hasher->type->storage.size;
        }
        sum += setti_hash_value(part->hasher, entity, value);
    }
    return sum;
}

/* Returns the sum of the hashes of an array's values in one page. `page` is a page of rows, or a
 * page of presence if no bytes of rows are hashed. */
static uint64_t hash_array(const hash_part* part, const unsigned char* page, uint32_t number)
{
    const setti_storage* storage = &part->hasher->type->storage;
    bool has_rows = part->pages == &storage->rows;
    uint32_t shift = has_rows ? storage->shift : SETTI_BITS_SHIFT;
    uint32_t first = number << shift;
    uint32_t word_count = ((uint32_t)1 << shift) / 64;
    const uint64_t* words = hash_words(part, first);
    uint64_t sum = 0;
    for (uint32_t k = 0; words != NULL && k < word_count; k++) {
        const unsigned char* rows = NULL;
        if (has_rows) {
            rows = page + (size_t)k * 64 * storage->size;
        }
        if (words[k] != 0) {
            sum += hash_word(part, first + k * 64, words[k], rows);
        }
    }
    return sum;
}

/* Returns the sum of the hashes of a sparse set's values in one page. */
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

/* Returns the sum of the hashes of the links in a page. `record` is the address of the first
 * link. */
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
    if (part->is_records) {
        return hash_records(part, page, number);
    }
    if (part->hasher->type->storage.kind == SETTI_SPARSE) {
        return hash_sparse(part, page, number);
    }
    return hash_array(part, page, number);
}

/* Returns a number that changes when rows of a page are added or removed. */
static uint64_t hash_shape(const hash_part* part, uint32_t number)
{
    if (part->is_records) {
        return hash_record_count(part, number);
    }
    if (part->hasher == NULL || part->pages != &part->hasher->type->storage.rows) {
        return 0; /* a changed page of entities or of presence has a new tick */
    }
    const setti_storage* storage = &part->hasher->type->storage;
    uint32_t first = number << storage->shift;
    uint32_t rows = setti_storage_rows(storage);
    if (storage->kind == SETTI_SPARSE) {
        uint32_t extent = hash_extent(part);
        uint32_t rest = extent - SETTI_MIN(extent, first); /* rows in this page and later pages */
        return SETTI_MIN(rest, rows);
    }
    uint64_t shape = 1;
    const uint64_t* words = hash_words(part, first);
    for (uint32_t k = 0; words != NULL && k < rows / 64; k++) {
        shape = setti_hash_step(shape, words[k]);
    }
    return shape;
}

/* Estimates how many hashes the sum of a page needs. */
static uint64_t hash_price_of(const hash_part* part)
{
    bool has_rows = part->hasher != NULL && part->pages == &part->hasher->type->storage.rows;
    if (has_rows) {
        return setti_storage_rows(&part->hasher->type->storage);
    }
    return 64; /* a guess for pages of entities, links and presence */
}

/* Returns the sum or the price of a live page. `known` is the remembered sum of the page, or NULL
 * if memory ran out. */
static uint64_t hash_live_page(const hash_part* part, uint32_t number, setti_page_hash* known)
{
    hash_part live = *part;
    live.view = NULL;
    if (part->view != NULL && hash_shape(&live, number) != hash_shape(part, number)) {
        known = NULL; /* the view uses other rows of the page: their sum must not be remembered */
    }
    uint64_t tick = part->pages->tick[number];
    uint64_t shape = hash_shape(part, number);
    if (known != NULL && known->tick == tick && known->shape == shape) {
        return part->answer == HASH_SUM ? known->hash : 0; /* a known sum costs no hashes */
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

/* Returns the sum of a table's hashes, or the price of this sum. */
static uint64_t hash_part_sum(const hash_part* part)
{
    setti_page_hash* remembered = hash_remembered(part->world, part->pages);
    uint64_t sum = 0;
    uint32_t count = part->pages->count;
    if (part->view != NULL) {
        count = setti_view_count(part->view, part->pages);
    }
    for (uint32_t number = 0; number < count; number++) {
        const void* live = setti_pages_get(part->pages, number);
        const void* page = live;
        if (part->view != NULL) {
            page = setti_view_get(part->view, part->pages, number, SETTI_BEFORE);
        }
        if (page == NULL) {
            continue;
        }
        if (page == live) { /* a view shares unwritten pages with the live world */
            setti_page_hash* known = remembered != NULL ? &remembered[number] : NULL;
            sum += hash_live_page(part, number, known);
        } else if (part->answer == HASH_SUM) {
            sum += hash_page(part, page, number);
        } else {
            sum += hash_price_of(part);
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
        part.is_records = false;
        sum += hash_part_sum(&part);
        if (hasher.type->records != NULL) {
            part.pages = hasher.type->records->pages;
            part.is_records = true;
            sum += hash_part_sum(&part);
        }
    }
    return sum;
}

uint64_t setti_hash_sum(sett_world* world, setti_view* view)
{
    uint64_t sum = hash_all(world, view, HASH_SUM);
    world->pool.tick++; /* later writes differ from the remembered ticks */
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
    if (setti_hash_size(type) == 0) {
        /* there are no bytes to hash, or a module hashes the values */
        return type->desc.size == 0 || type->desc.save == SETT_SAVE_SKIP || type->module != NULL;
    }
    if (type->desc.write != NULL) {
        return true;
    }
    return type->members != NULL && !type->members->opaque;
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

/* Returns true if all remembered sums are right. Otherwise *number becomes the number of a page
 * whose sum is wrong. */
static bool hash_part_holds(const hash_part* part, uint32_t* number)
{
    const setti_page_notes* notes = part->pages->notes;
    if (notes == NULL) {
        return true;
    }
    uint32_t count = SETTI_MIN(notes->hash_count, part->pages->count);
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
    const setti_type* type; /* NULL: there is no page */
    sett_entity first;      /* the entity of the first value */
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
        uint32_t index = row; /* rows of arrays are numbered by index */
        if (storage->kind == SETTI_SPARSE) {
            index = *setti_storage_index(storage, row);
        }
        if (index == SETTI_NONE || !setti_storage_has(storage, index)) {
            continue;
        }
        if (values.count++ == 0) {
            values.first = setti_entity_at(&part->world->entities, index);
        }
    }
    return values;
}

/* Finds a page that was written without a new tick, and returns the page's values. The `type` in
 * the result is NULL if there is no page. */
static hash_values hash_check(sett_world* world)
{
    for (uint32_t k = 0; k < world->registered.count; k++) {
        setti_hash_type hasher;
        uint32_t number;
        setti_hash_begin(&hasher, world->registered.item[k]);
        hash_part part = {
            .world = world, .hasher = &hasher, .pages = hash_pages_of(world, &hasher)};
        if (!hash_part_holds(&part, &number)) {
            /* corrects the sum, so that the next call can report another page */
            setti_page_hash* known = &part.pages->notes->hash[number];
            known->hash = hash_page(&part, part.pages->data[number], number);
            return hash_values_of(&part, number);
        }
    }
    return (hash_values){NULL, {0, 0}, 0};
}

/* Writes the handle and the path of values->first. If more entities have values, also writes the
 * number of entities. */
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
    const char* before = named ? " (\"" : "";
    const char* after = named ? "\")" : "";
    snprintf(out, size, "%u:%u%s%s%s%s", SETTI_HANDLE(values->first), before, path, after, others);
}

/* Logs in the first call of sett_world_check_writes that the call only remembers sums. */
static void hash_note_first(const sett_world* world)
{
#if !defined(NDEBUG)
    const setti_pages* pages = &world->entities.pages;
    bool remembers = pages->notes != NULL && pages->notes->hash_count != 0;
    if (pages->count != 0 && !remembers) {
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
    bool in_callback = world->calling != NULL;
    return setti_world_fail_with(
        world, SETT_STATUS_INVALID,
        "sett_world_check_writes: \"%.100s\" of entity %s was written through an address that is "
        "not for writing now%s%s%s - declare the loop's term SETT_INOUT, or call sett_get_mut "
        "again after each snapshot, restore, sett_world_hash, sett_world_advance_tick and "
        "sett_progress",
        values.type->desc.name, entity, in_callback ? " (found in a callback of \"" : "",
        in_callback ? world->calling : "", in_callback ? "\")" : "");
}

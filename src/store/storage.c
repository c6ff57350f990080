/* storage.c: the code for all kinds of storages, and the switch between the kinds. See storage.h.
 *
 * Invariant:  count = number of values = number of indices i with setti_storage_has(i)
 */
#include "store/storage.h"

#define PAGE_BYTES 16384
#define PAGE_BYTES_SMALL 1024
#define SHIFT_MAX 10

SETTI_ZEROES_CONST setti_zero_page setti_zeroes = {{0}};

/* Computes how many rows a page has, and where its parts begin. The values of a page have up to
 * `bytes` bytes. */
static void storage_lay_out(setti_storage* storage, size_t bytes)
{
    /* the rows of an array's page have at least one word of presence: 1 << 6 bits */
    uint8_t least_shift = (storage->kind == SETTI_SPARSE) ? 0 : 6;
    storage->shift = SHIFT_MAX;
    while (storage->shift > least_shift && ((size_t)storage->size << storage->shift) > bytes) {
        storage->shift--;
    }
    size_t rows = setti_storage_rows(storage);
    size_t offset = setti_align_up(rows * storage->size, sizeof(uint64_t));
    storage->ticks = (uint32_t)offset;
    if (storage->tracked) {
        offset += rows * sizeof(uint64_t);
    }
    storage->indices = (uint32_t)offset;
    if (storage->kind == SETTI_SPARSE) {
        offset += rows * sizeof(uint32_t);
    }
    setti_pages_init(&storage->rows, offset, storage->align);
}

void setti_storage_init(setti_storage* storage, setti_kind kind, size_t size, size_t align,
                        bool tracked)
{
    SETTI_ASSERT(align != 0 && size <= UINT32_MAX && (kind != SETTI_TAG || size == 0));
    memset(storage, 0, sizeof(*storage));
    storage->kind = (uint8_t)kind;
    storage->handle_kind = storage->kind;
    storage->size = (uint32_t)size;
    storage->align = (uint32_t)SETTI_MAX(align, 64); /* pages begin on a cache line */
    storage->tracked = tracked && kind != SETTI_TAG;
    storage->spare = SETTI_NONE;
    storage->stray = SETTI_NONE;
    storage->hashed = (kind == SETTI_SPARSE) ? 1 : 0; /* at first a hash table of one page */
    storage_lay_out(storage, PAGE_BYTES);
    if (kind == SETTI_SPARSE) {
        setti_pages_init(&storage->presence, sizeof(setti_sparse_page), 64);
    } else {
        setti_pages_init_read(&storage->presence, SETTI_BITS_WORDS * sizeof(uint64_t), 64,
                              setti_zeroes.words, SETTI_READ_SHIFT - SETTI_BITS_SHIFT);
        storage->presence.bare = kind == SETTI_TAG;
    }
}

void setti_storage_use_pages(setti_storage* storage, bool small)
{
    SETTI_ASSERT(storage->rows.count == 0 && storage->rows.capacity == 0);
    setti_page_notes* notes = storage->rows.notes; /* storage_lay_out clears `rows` */
    bool has_saved = storage->saved != 0;
    storage->saved = 0;
    storage_lay_out(storage, small ? PAGE_BYTES_SMALL : PAGE_BYTES);
    storage->rows.notes = notes;
    if (has_saved) {
        setti_storage_add_saved(storage); /* at the offset in the new layout */
    }
}

void setti_storage_add_saved(setti_storage* storage)
{
    SETTI_ASSERT(storage->saved == 0 && storage->rows.count == 0);
    size_t offset = setti_align_up(storage->rows.size, sizeof(uint64_t));
    uint32_t words = (setti_storage_rows(storage) + 63) / 64;
    storage->saved = (uint32_t)offset;
    storage->rows.size = (uint32_t)(offset + words * sizeof(uint64_t));
}

void setti_storage_deinit(setti_pool* pool, setti_storage* storage)
{
    SETTI_ASSERT(storage->gather == NULL);
    setti_pages_deinit(pool, &storage->rows);
    setti_pages_deinit(pool, &storage->presence);
    storage->count = 0;
    storage->extent = 0;
    storage->spare = SETTI_NONE;
    storage->hashed = storage->kind == SETTI_SPARSE ? 1 : 0;
    storage->blank = 0;
}

bool setti_sparse_has(const setti_storage* storage, uint32_t index)
{
    return setti_sparse_row(storage, index) != SETTI_NONE;
}

void* setti_storage_find_other(const setti_storage* storage, uint32_t index)
{
    if (SETTI_UNLIKELY(storage->gather != NULL)) { /* loops work on copies of the values */
        return setti_storage_find_gathered(storage, index);
    }
    uint32_t place = setti_storage_slot(storage, index);
    if (place == SETTI_NONE) {
        return NULL;
    }
    return setti_storage_at(storage, place);
}

void* setti_storage_find_mut(setti_pool* pool, const setti_storage* storage, uint32_t index)
{
    uint32_t place = setti_storage_slot(storage, index);
    if (place == SETTI_NONE) {
        return NULL;
    }
    setti_storage_write(pool, storage, place);
    if (SETTI_UNLIKELY(storage->gather != NULL)) { /* loops work on copies of the values */
        return setti_storage_find_gathered(storage, index);
    }
    return setti_storage_at(storage, place);
}

uint64_t setti_storage_written(const setti_storage* storage, uint32_t index)
{
    uint32_t place = setti_storage_slot(storage, index);
    if (place == SETTI_NONE) {
        return 0;
    }
    if (storage->kind == SETTI_TAG) {
        return storage->presence.tick[index >> SETTI_BITS_SHIFT];
    }
    if (storage->tracked) {
        return *setti_storage_tick(storage, place);
    }
    return storage->rows.tick[place >> storage->shift];
}

uint64_t setti_storage_changed(const setti_storage* storage, uint32_t index)
{
    uint64_t written = setti_storage_written(storage, index);
    if (written == 0) {
        return 0;
    }
    uint32_t number = index >> SETTI_BITS_SHIFT; /* the number of the page of presence */
    if (storage->kind == SETTI_SPARSE) {
        number = setti_sparse_page_of(storage, index);
    }
    uint64_t restored = *setti_pages_restored(&storage->presence, number);
    if (storage->size != 0) {
        uint32_t place = setti_storage_slot(storage, index);
        uint64_t rows_restored = *setti_pages_restored(&storage->rows, place >> storage->shift);
        restored = SETTI_MAX(restored, rows_restored);
    }
    return SETTI_MAX(written, restored);
}

uint32_t setti_storage_next(const setti_storage* storage, uint32_t* cursor)
{
    if (storage->kind != SETTI_SPARSE) {
        return setti_array_next(storage, cursor);
    }
    return setti_sparse_next(storage, cursor);
}

/* Returns the place of the row that has the byte at `address`. Returns SETTI_NONE if no page has
 * the byte. */
static uint32_t storage_find_place(const setti_storage* storage, const void* address)
{
    uintptr_t page_size = (uintptr_t)storage->size << storage->shift; /* of a page's values alone */
    for (uint32_t number = 0; number < storage->rows.count; number++) {
        uintptr_t start = (uintptr_t)storage->rows.data[number];
        uintptr_t offset = (uintptr_t)address - start;
        if (start != 0 && offset < page_size) { /* 0: there is no page */
            return (number << storage->shift) + (uint32_t)(offset / storage->size);
        }
    }
    return SETTI_NONE;
}

uint32_t setti_storage_owner(const setti_storage* storage, const void* address)
{
    uint32_t place = storage_find_place(storage, address);
    if (place >= storage->extent) { /* also SETTI_NONE */
        return SETTI_NONE;
    }
    uint32_t index = place;
    if (storage->kind == SETTI_SPARSE) {
        index = *setti_storage_index(storage, place);
    }
    if (index == SETTI_NONE || !setti_storage_has(storage, index)) {
        return SETTI_NONE; /* a gap, or a row without a value */
    }
    return index;
}

bool setti_storage_reserve(setti_pool* pool, setti_storage* storage, uint32_t index)
{
    if (storage->kind != SETTI_SPARSE) {
        return setti_array_reserve(pool, storage, index);
    }
    return setti_sparse_reserve(pool, storage, index);
}

bool setti_storage_reserve_indices(setti_pool* pool, setti_storage* storage, uint32_t first,
                                   uint32_t count)
{
    SETTI_ASSERT(count != 0 && first <= SETTI_NONE - count);
    bool is_sparse = storage->kind == SETTI_SPARSE;
    if (is_sparse && storage->hashed != 0) { /* one page of a hash table serves all indices */
        return setti_sparse_reserve_index(pool, storage, first);
    }
    uint32_t shift = is_sparse ? SETTI_SPARSE_SHIFT : storage->shift;
    for (uint32_t number = first >> shift; number <= (first + count - 1) >> shift; number++) {
        uint32_t index = number << shift; /* the first index of the page */
        bool reserved;
        if (is_sparse) {
            reserved = setti_sparse_reserve_index(pool, storage, index);
        } else {
            reserved = setti_array_reserve(pool, storage, index);
        }
        if (!reserved) {
            return false;
        }
    }
    return true;
}

/* The fast path of an insertion into a tag. Returns NULL if the slow path is needed. */
static void* storage_try_insert_tag(const setti_pool* pool, setti_storage* storage, uint32_t index)
{
    SETTI_ASSERT(storage->kind == SETTI_TAG);
    uint64_t* word = setti_storage_word(storage, index);
    if (word == NULL || ((*word >> (index % 64)) & 1) != 0 ||
        !setti_pages_try_write(pool, &storage->presence, index >> SETTI_BITS_SHIFT)) {
        return NULL;
    }
    *word |= (uint64_t)1 << (index % 64);
    storage->count++;
    storage->extent = SETTI_MAX(storage->extent, index + 1);
    return setti_unconst(storage); /* a tag has no value: an address without meaning */
}

void* setti_storage_try_insert(setti_pool* pool, setti_storage* storage, uint32_t index)
{
    if (storage->kind == SETTI_SPARSE) {
        return setti_sparse_try_insert(pool, storage, index);
    }
    if (storage->kind == SETTI_TAG) {
        return storage_try_insert_tag(pool, storage, index);
    }
    if (setti_bitmap_has(storage, index)) {
        return NULL; /* the slow path handles an existing value */
    }
    return setti_array_try_insert(pool, storage, index, SETTI_COW);
}

void* setti_storage_insert(setti_pool* pool, setti_storage* storage, uint32_t index,
                           uint32_t* count)
{
    SETTI_ASSERT(*count != 0);
    if (storage->kind != SETTI_SPARSE) {
        return setti_array_insert(pool, storage, index, count);
    }
    return setti_sparse_insert(pool, storage, index, count);
}

void setti_storage_erase(setti_pool* pool, setti_storage* storage, uint32_t index)
{
    if (storage->kind != SETTI_SPARSE) {
        setti_array_erase(pool, storage, index);
    } else {
        setti_sparse_erase(pool, storage, index);
    }
}

void setti_storage_trim(setti_pool* pool, setti_storage* storage)
{
    SETTI_ASSERT(storage->gather == NULL);
    setti_storage_compact(pool, storage);
    if (storage->kind != SETTI_SPARSE) {
        setti_array_trim(pool, storage);
    } else {
        setti_sparse_trim(pool, storage);
        setti_sparse_shrink(pool, storage);
    }
}

void setti_storage_free_strays(setti_pool* pool, setti_storage* storage)
{
    SETTI_ASSERT(pool->pinned == 0);
    if (storage->stray == SETTI_NONE) {
        return;
    }
    if (storage->kind != SETTI_SPARSE) {
        setti_array_free_strays(pool, storage);
    } else {
        setti_sparse_free_strays(pool, storage);
    }
    storage->stray = SETTI_NONE;
}

SETTI_COLD const char* setti_storage_validate(const setti_storage* storage)
{
    uint32_t found = 0;
    SETTI_EACH_INDEX(index, storage) {
        found++;
        if (!setti_storage_has(storage, index)) {
            return "storage: an index in the walk is not found";
        }
    }
    if (found != storage->count) {
        return "storage: count is not the number of values";
    }
    if (storage->stray != SETTI_NONE) {
        return "storage: pages that became empty are not freed";
    }
    bool is_slow = storage->gather != NULL || storage->far;
    if (storage->presence.hidden != is_slow) {
        return "storage: readers see values that loops have copied";
    }
    if (storage->kind != SETTI_SPARSE && !storage->far &&
        storage->presence.count > (uint32_t)1 << storage->presence.read_shift) {
        return "storage: indices that are not read in line are not looked up";
    }
    const char* reason = setti_pages_validate(&storage->presence);
    if (reason != NULL) {
        return reason;
    }
    if (storage->kind != SETTI_SPARSE) {
        return setti_array_validate(storage);
    }
    return setti_sparse_validate(storage);
}

uint64_t setti_storage_bits(const setti_storage* storage, uint32_t base)
{
    SETTI_ASSERT(base % 64 == 0);
    if (storage->kind != SETTI_SPARSE) {
        const uint64_t* bits = setti_storage_word(storage, base);
        return bits != NULL ? *bits : 0;
    }
    uint64_t word = 0;
    if (storage->hashed != 0) {
        for (uint32_t k = 0; k < 64; k++) {
            word |= (uint64_t)setti_sparse_has(storage, base + k) << k;
        }
        return word;
    }
    const setti_sparse_page* page = setti_pages_get(&storage->presence, base >> SETTI_SPARSE_SHIFT);
    if (page == NULL) {
        return 0;
    }
    if (page->count == SETTI_SPARSE_ROWS) {
        return UINT64_MAX;
    }
    const uint32_t* row = &page->row[base & SETTI_SPARSE_MASK];
    for (uint32_t k = 0; k < 64; k++) {
        word |= (uint64_t)(row[k] != SETTI_NONE) << k;
    }
    return word;
}

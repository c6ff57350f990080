/* entity_table.c: see entity_table.h. A bitmap of free indices.
 * The workload: hundreds of thousands of entities are created and destroyed, one by one and in
 * bulk, in order and at random. Creating takes the lowest bit of the hint's word. Destroying sets a
 * bit. A summary of the words finds the next hint. The summary changes when a word becomes 0 or
 * stops being 0; `unlisted` avoids this if entities are created and destroyed in turn.
 *     free      ... 0 0 0 | 0 0 1 0 1 1 | 0 0 0 | 1 1 1 ...   1: dead, not retired, not reserved
 *     words           0          1, or      0       1         a summary, 64 words to one, and so on
 *                               hint               next
 * The free bits are in the page of the generations, so a snapshot copies one page. Summary and hint
 * are caches, computed again when a restore replaces pages. The rejected alternative is a sparse
 * set (store/id_set.c): destroying an entity touched five cache lines instead of three, and the
 * next handle depended on the order of destructions.
 * Invariant:  free <=> dead, not retired, not reserved, and below the limit;
 *             alive <=> no SETTI_DEAD in the generation;  not alive => signature == 0;
 *             a word is in `words` <=> the word is not 0, and is not the hint's word if `unlisted`;
 *             words of the range before `hint`, and between `hint` and `next`, are 0;
 *             first <= hint < next;  hint < end or hint == SETTI_ENTITY_NO_WORD;
 *             count, reserved and retired are the numbers of living, reserved and retired slots */
#include "world/entity_table.h"

#include "store/storage.h"

#include <string.h>

_Static_assert(SETTI_ENTITY_ROWS * sizeof(uint32_t) <= sizeof(setti_zero_page),
               "readers see zeroes where no entity ever was: a page begins with its generations");

void setti_entity_init(setti_entity_table* table, uint32_t limit)
{
    SETTI_ASSERT(limit != 0);
    setti_pages_init_read(&table->pages, sizeof(setti_entity_page), 64, setti_zeroes.halves,
                          SETTI_READ_SHIFT - SETTI_ENTITY_SHIFT);
    setti_summary_init(&table->words);
    table->limit = SETTI_MIN(limit, SETTI_ENTITY_LIMIT);
    table->next = 1;                       /* the word after the hint, word 0 */
    table->end = (table->limit + 63) / 64; /* in words, rounded up */
}

void setti_entity_deinit(setti_pool* pool, setti_entity_table* table)
{
    setti_pages_deinit(pool, &table->pages);
    setti_summary_deinit(pool, &table->words);
    table->count = 0;
    table->reserved = 0;
    table->retired = 0;
    table->hint = table->first;
    table->next = table->first + 1;
    table->unlisted = false;
}

uint32_t setti_entity_next(const setti_entity_table* table, uint32_t* cursor)
{
    uint32_t end = setti_entity_capacity(table);
    while (*cursor < end) {
        uint32_t index = *cursor;
        const setti_entity_page* page = setti_entity_page_of(table, index);
        if (page == NULL) {
            *cursor = (index | SETTI_ENTITY_MASK) + 1; /* the next page */
            continue;
        }
        /* bits of the indices that are not free, from `index` on */
        uint64_t not_free = ~page->free[index / 64 % SETTI_ENTITY_WORDS] >> (index % 64);
        if (not_free == 0) {
            *cursor = (index | 63) + 1; /* the next word */
            continue;
        }
        index += setti_bits_lowest(not_free);
        *cursor = index + 1;
        if ((page->generation[index & SETTI_ENTITY_MASK] & SETTI_DEAD) == 0) {
            return index; /* not retired, and not reserved */
        }
    }
    return SETTI_NONE;
}

/* Does setti_entity_next_free, in line. */
SETTI_INLINE uint32_t entity_next_free(const setti_entity_table* table, uint32_t search_start)
{
    SETTI_ASSERT(table->first <= table->hint && table->hint < table->next);
    uint32_t word = search_start / 64;
    if (search_start >= setti_entity_end(table)) {
        return SETTI_NONE;
    }
    uint64_t search_mask = UINT64_MAX << (search_start % 64); /* the bits of the word to search */
    if (word < table->hint) {
        word = table->hint; /* no lower word has free bits */
        search_mask = UINT64_MAX;
    }
    uint64_t bits = search_mask & setti_entity_free_bits(table, word);
    if (bits == 0) { /* words before `next` have no free bits either */
        word = setti_summary_next(&table->words, SETTI_MAX(word + 1, table->next));
        bits = setti_entity_free_bits(table, word); /* not 0, also if the word has no page */
    }
    uint64_t index = (uint64_t)word * 64 + setti_bits_lowest(bits);
    if (index >= setti_entity_end(table)) {
        return SETTI_NONE;
    }
    return (uint32_t)index;
}

uint32_t setti_entity_next_free(const setti_entity_table* table, uint32_t search_start)
{
    return entity_next_free(table, search_start);
}

uint32_t setti_entity_skip_words(const setti_entity_table* table, uint32_t first_word,
                                 uint32_t skip)
{
    SETTI_ASSERT(first_word <= UINT32_MAX / 64);
    if (first_word > table->hint) {
        return setti_summary_skip(&table->words, first_word, skip);
    }
    /* no word before the hint has free bits; the hint's word may be missing in `words` */
    bool hint_has_free = setti_entity_free_bits(table, table->hint) != 0;
    if (hint_has_free && skip == 0) {
        return table->hint;
    }
    uint32_t skip_after_hint = skip;
    if (hint_has_free) {
        skip_after_hint--;
    }
    return setti_summary_skip(&table->words, table->hint + 1, skip_after_hint);
}

/* Adds the hint's word to `words` if it is missing there, before another word becomes the hint. */
static void entity_settle_hint(setti_entity_table* table)
{
    if (table->unlisted && setti_entity_free_bits(table, table->hint) != 0) {
        setti_summary_add(&table->words, table->hint);
    }
    table->unlisted = false;
}

static void entity_set_hint(setti_entity_table* table, uint32_t word)
{
    SETTI_ASSERT(word >= table->first && !table->unlisted);
    table->hint = word < table->end ? word : SETTI_ENTITY_NO_WORD;
    table->next = table->hint + 1;
}

void setti_entity_advance_hint(setti_entity_table* table)
{
    SETTI_ASSERT(setti_entity_free_bits(table, table->hint) == 0);
    SETTI_ASSERT(table->hint < table->next);
    if (!table->unlisted && table->hint < table->words.capacity) {
        setti_summary_remove(&table->words, table->hint);
    }
    table->unlisted = false;
    entity_set_hint(table, table->next);
}

void setti_entity_leave_hint(setti_entity_table* table)
{
    setti_entity_advance_hint(table);
    /* the first word with free bits may be behind the new hint */
    entity_set_hint(table, setti_summary_next(&table->words, table->hint));
}

void setti_entity_add_word(setti_entity_table* table, uint32_t word)
{
    SETTI_ASSERT(setti_entity_free_bits(table, word) == 0);
    bool in_range = word >= table->first && word < table->end;
    if (in_range && word <= table->hint) { /* the word is the hint, or becomes the hint */
        if (word < table->hint) {
            entity_settle_hint(table);
            table->next = table->hint;
            table->hint = word;
        }
        table->unlisted = true; /* `words` stays unchanged */
        return;
    }
    setti_summary_add(&table->words, word);
    if (word > table->hint) {
        table->next = SETTI_MIN(table->next, word); /* words before `next` must be 0 */
    }
}

/* Updates the caches after a word became 0. */
static void entity_drop_word(setti_entity_table* table, uint32_t word)
{
    SETTI_ASSERT(setti_entity_free_bits(table, word) == 0);
    if (word == table->hint) {
        setti_entity_advance_hint(table);
    } else {
        setti_summary_remove(&table->words, word);
    }
}

setti_entity_run setti_entity_next_run(const setti_entity_table* table, uint32_t search_start,
                                       uint32_t max_count)
{
    setti_entity_run run = {entity_next_free(table, search_start), 0};
    SETTI_ASSERT(run.first != SETTI_NONE && max_count != 0);
    uint32_t longest = SETTI_MIN(max_count, setti_entity_end(table) - run.first);
    while (run.count < longest) {
        uint32_t end = run.first + run.count;
        uint64_t not_free = ~setti_entity_free_bits(table, end / 64) >> (end % 64);
        if (not_free != 0) {
            run.count += setti_bits_lowest(not_free);
            break;
        }
        run.count += 64 - end % 64; /* the run reaches the next word */
    }
    run.count = SETTI_MIN(run.count, longest);
    return run;
}

bool setti_entity_reserve_pages(setti_pool* pool, setti_entity_table* table, uint32_t count)
{
    SETTI_ASSERT(count <= UINT32_MAX / SETTI_ENTITY_WORDS);
    return setti_summary_reserve(pool, &table->words, count * SETTI_ENTITY_WORDS) &&
           setti_pages_reserve(pool, &table->pages, count);
}

/* Returns a mask of the bits in a word that stand for indices below the limit. */
static uint64_t entity_word_limit(const setti_entity_table* table, uint32_t word)
{
    uint32_t first = SETTI_MIN(word * 64, table->limit);
    return setti_bits_below(SETTI_MIN(table->limit - first, 64));
}

/* Creates a page of unused indices. Returns false if memory runs out. */
SETTI_COLD static bool entity_make_page(setti_pool* pool, setti_entity_table* table,
                                        uint32_t number)
{
    SETTI_ASSERT(setti_pages_get(&table->pages, number) == NULL);
    SETTI_ASSERT(number << SETTI_ENTITY_SHIFT < table->limit);
    bool fresh;
    if (!setti_entity_reserve_pages(pool, table, number + 1) ||
        !setti_pages_ensure(pool, &table->pages, number, &fresh)) {
        return false;
    }
    setti_entity_page* page = table->pages.data[number];
    for (uint32_t k = 0; k < SETTI_ENTITY_ROWS; k++) {
        page->generation[k] = SETTI_UNUSED;
        page->signature[k] = 0;
    }
    for (uint32_t k = 0; k < SETTI_ENTITY_WORDS; k++) {
        page->free[k] = entity_word_limit(table, number * SETTI_ENTITY_WORDS + k);
    }
    setti_entity_refresh(table, number);
    return true;
}

SETTI_INLINE bool entity_reserve_page(setti_pool* pool, setti_entity_table* table, uint32_t index)
{
    return SETTI_LIKELY(setti_entity_page_of(table, index) != NULL) ||
           entity_make_page(pool, table, index >> SETTI_ENTITY_SHIFT);
}

sett_status setti_entity_reserve_index(setti_pool* pool, setti_entity_table* table, uint32_t index)
{
    if (index >= table->limit) {
        return SETT_STATUS_LIMIT;
    }
    return entity_reserve_page(pool, table, index) ? SETT_OK : SETT_STATUS_OUT_OF_MEMORY;
}

sett_status setti_entity_reserve(setti_pool* pool, setti_entity_table* table,
                                 uint32_t* search_start, uint32_t count)
{
    SETTI_ASSERT(setti_entity_taken(table) <= table->limit);
    if (count > table->limit - setti_entity_taken(table)) {
        return SETT_STATUS_LIMIT;
    }
    while (count != 0) {
        uint32_t index = entity_next_free(table, *search_start);
        if (index == SETTI_NONE) {
            return SETT_STATUS_LIMIT;
        }
        if (!entity_reserve_page(pool, table, index)) {
            return SETT_STATUS_OUT_OF_MEMORY;
        }
        uint64_t bits = setti_entity_free_bits(table, index / 64) >> (index % 64);
        uint32_t free_in_word = setti_bits_count(bits);
        if (count < free_in_word) {
            bits = setti_bits_drop(bits, count);
            *search_start = index + setti_bits_lowest(bits); /* the next free index of this word */
            return SETT_OK;
        }
        *search_start = (index | 63) + 1; /* the next word */
        count -= free_in_word;
    }
    return SETT_OK;
}

/* Clears the free bit of an entity's index. */
static void entity_take(setti_pool* pool, setti_entity_table* table, sett_entity entity)
{
    setti_entity_page* page = setti_entity_page_of(table, entity.index);
    uint64_t* word = &page->free[entity.index / 64 % SETTI_ENTITY_WORDS];
    SETTI_ASSERT((*word >> (entity.index % 64) & 1) != 0);
    setti_entity_write(pool, table, entity.index);
    *word &= ~((uint64_t)1 << (entity.index % 64));
    if (*word == 0) {
        entity_drop_word(table, entity.index / 64);
    }
}

void setti_entity_create_at(setti_pool* pool, setti_entity_table* table, sett_entity entity)
{
    SETTI_ASSERT((entity.generation & SETTI_DEAD) == 0 && entity.generation != 0);
    SETTI_ASSERT(entity.index < table->limit);
    entity_take(pool, table, entity);
    setti_entity_page_of(table, entity.index)->generation[entity.index & SETTI_ENTITY_MASK] =
        entity.generation;
    table->count++;
}

sett_entity setti_entity_create(setti_pool* pool, setti_entity_table* table)
{
    SETTI_ASSERT(setti_entity_taken(table) < table->limit);
    setti_entity_find_hint(table);
    uint32_t word = table->hint;
    setti_entity_page* page = setti_entity_page_of(table, word * 64);
    uint64_t bits = page->free[word % SETTI_ENTITY_WORDS];
    setti_pages_write(pool, &table->pages, word / SETTI_ENTITY_WORDS);
    sett_entity entity = setti_entity_take_lowest(table, page, bits);
    bool was_last_bit = (bits & (bits - 1)) == 0;
    if (was_last_bit) {
        entity_drop_word(table, word);
    }
    return entity;
}

/* Clears the free bits of consecutive indices of a page. */
static void entity_take_slots(setti_entity_table* table, uint32_t first, uint32_t count)
{
    SETTI_ASSERT((first & SETTI_ENTITY_MASK) + count <= SETTI_ENTITY_ROWS);
    setti_entity_page* page = setti_entity_page_of(table, first);
    for (uint32_t end = first + count; first < end;) {
        uint32_t word = first / 64;
        uint32_t step = SETTI_MIN(64 - first % 64, end - first);
        uint64_t* bits = &page->free[word % SETTI_ENTITY_WORDS];
        *bits &= ~(setti_bits_below(step) << (first % 64));
        if (*bits == 0) {
            entity_drop_word(table, word);
        }
        first += step;
    }
}

void setti_entity_create_run(setti_pool* pool, setti_entity_table* table, setti_entity_run run,
                             uint32_t signature, sett_entity* out)
{
    SETTI_ASSERT(run.first + run.count <= table->limit);
    SETTI_ASSERT(run.count != 0 && run.count <= table->limit - setti_entity_taken(table));
    for (uint32_t created = 0; created < run.count;) {
        uint32_t first = run.first + created;
        uint32_t slot = first & SETTI_ENTITY_MASK;
        uint32_t count = SETTI_MIN(run.count - created, SETTI_ENTITY_ROWS - slot);
        setti_entity_page* page = setti_entity_page_of(table, first);
        setti_entity_write(pool, table, first);
        for (uint32_t k = slot; k < slot + count; k++) {
            SETTI_ASSERT((page->generation[k] & SETTI_DEAD) != 0);
            page->generation[k] &= ~SETTI_DEAD;
            page->signature[k] = signature;
        }
        for (uint32_t k = 0; out != NULL && k < count; k++) {
            out[created + k] = setti_entity_make(first + k, page->generation[slot + k]);
        }
        entity_take_slots(table, first, count);
        created += count;
    }
    table->count += run.count;
}

/* Destroys the entity at an index.
 *   next  the new generation of the slot, with the bit SETTI_DEAD */
SETTI_INLINE void entity_end(setti_pool* pool, setti_entity_table* table, uint32_t index,
                             uint32_t next)
{
    SETTI_ASSERT(setti_entity_page_of(table, index) != NULL && table->count != 0);
    setti_entity_page* page = setti_entity_page_of(table, index);
    uint32_t slot = index & SETTI_ENTITY_MASK;
    SETTI_ASSERT((page->generation[slot] & SETTI_DEAD) == 0 && (next & SETTI_DEAD) != 0);
    setti_entity_write(pool, table, index);
    page->signature[slot] = 0;
    page->generation[slot] = next;
    table->count--;
    if (SETTI_UNLIKELY(next == SETTI_RETIRED)) {
        table->retired++; /* the index does not become free */
        return;
    }
    if (page->free[slot / 64] == 0) {
        setti_entity_add_word(table, index / 64);
    }
    page->free[slot / 64] |= (uint64_t)1 << (slot % 64);
}

void setti_entity_destroy(setti_pool* pool, setti_entity_table* table, uint32_t index)
{
    uint32_t next = setti_entity_generation(table, index) + 1;
    entity_end(pool, table, index, next | SETTI_DEAD); /* SETTI_RETIRED after the last generation */
}

/* Frees a page if all indices of the page are unused. */
static void entity_drop_page(setti_pool* pool, setti_entity_table* table, uint32_t number)
{
    const setti_entity_page* page = table->pages.data[number];
    for (uint32_t k = 0; k < SETTI_ENTITY_WORDS; k++) {
        if (page->free[k] != UINT64_MAX) { /* usually, some index is taken */
            return;
        }
    }
    for (uint32_t k = 0; k < SETTI_ENTITY_ROWS; k++) {
        if (page->generation[k] != SETTI_UNUSED) {
            return;
        }
    }
    /* the words stay in the summary, because indices without a page are free */
    setti_pages_free(pool, &table->pages, number);
}

void setti_entity_forget(setti_pool* pool, setti_entity_table* table, uint32_t index)
{
    SETTI_ASSERT(!setti_entity_in_range(table, index));
    entity_end(pool, table, index, SETTI_UNUSED);
    entity_drop_page(pool, table, index >> SETTI_ENTITY_SHIFT);
}

void setti_entity_set_next(setti_pool* pool, setti_entity_table* table, sett_entity entity)
{
    SETTI_ASSERT((entity.generation & ~SETTI_DEAD) != 0);
    setti_entity_page* page = setti_entity_page_of(table, entity.index);
    SETTI_ASSERT((page->generation[entity.index & SETTI_ENTITY_MASK] & SETTI_DEAD) != 0);
    SETTI_ASSERT(page->generation[entity.index & SETTI_ENTITY_MASK] != SETTI_RETIRED);
    setti_entity_write(pool, table, entity.index);
    page->generation[entity.index & SETTI_ENTITY_MASK] = entity.generation | SETTI_DEAD;
}

void setti_entity_retire(setti_pool* pool, setti_entity_table* table, uint32_t index)
{
    entity_take(pool, table, setti_entity_upcoming(table, index));
    setti_entity_page_of(table, index)->generation[index & SETTI_ENTITY_MASK] = SETTI_RETIRED;
    table->retired++;
}

sett_entity setti_entity_claim(setti_pool* pool, setti_entity_table* table, uint32_t index)
{
    SETTI_ASSERT(setti_entity_page_of(table, index) != NULL);
    sett_entity entity = setti_entity_upcoming(table, index);
    entity_take(pool, table, entity);
    table->reserved++;
    return entity;
}

bool setti_entity_is_claimed(const setti_entity_table* table, uint32_t index)
{
    uint32_t generation = setti_entity_generation(table, index);
    if (index >= table->limit) {
        return false;
    }
    if ((generation & SETTI_DEAD) == 0 || generation == SETTI_RETIRED) {
        return false;
    }
    return (setti_entity_free_bits(table, index / 64) >> (index % 64) & 1) == 0; /* not free */
}

void setti_entity_create_claimed(setti_pool* pool, setti_entity_table* table, uint32_t index)
{
    SETTI_ASSERT(table->reserved != 0);
    SETTI_ASSERT(setti_entity_is_claimed(table, index));
    setti_entity_write(pool, table, index);
    setti_entity_page_of(table, index)->generation[index & SETTI_ENTITY_MASK] &= ~SETTI_DEAD;
    table->reserved--;
    table->count++;
}

void setti_entity_refresh(setti_entity_table* table, uint32_t number)
{
    for (uint32_t k = 0; k < SETTI_ENTITY_WORDS; k++) {
        uint32_t word = number * SETTI_ENTITY_WORDS + k;
        if (setti_entity_free_bits(table, word) != 0) {
            setti_summary_add(&table->words, word);
        } else {
            setti_summary_remove(&table->words, word);
        }
    }
    entity_settle_hint(table);
    /* the range has no free bits in words before `lowest` */
    uint32_t lowest = SETTI_MIN(table->hint, number * SETTI_ENTITY_WORDS);
    entity_set_hint(table, SETTI_MAX(table->first, lowest));
}

void setti_entity_set_range(setti_entity_table* table, uint32_t first, uint32_t end)
{
    SETTI_ASSERT(first < end && ((uint64_t)end - 1) * 64 < table->limit);
    entity_settle_hint(table);
    table->first = first;
    table->end = end;
    entity_set_hint(table, first);
}

void setti_entity_trim(setti_pool* pool, setti_entity_table* table)
{
    setti_summary smaller;
    setti_summary_init(&smaller);
    if (!setti_summary_reserve(pool, &smaller, table->pages.count * SETTI_ENTITY_WORDS) ||
        smaller.capacity >= table->words.capacity) { /* nothing to gain */
        setti_summary_deinit(pool, &smaller);
        return;
    }
    setti_summary_deinit(pool, &table->words);
    table->words = smaller; /* still empty */
    for (uint32_t number = 0; number < table->pages.count; number++) {
        setti_entity_refresh(table, number);
    }
}

static void entity_rebuild_page(const setti_entity_table* table, uint32_t number)
{
    setti_entity_page* page = table->pages.data[number];
    for (uint32_t k = 0; k < SETTI_ENTITY_WORDS; k++) {
        uint64_t bits = 0;
        for (uint32_t slot = 0; slot < 64; slot++) {
            bool is_free = page->generation[k * 64 + slot] > SETTI_RETIRED; /* dead, not retired */
            bits |= (uint64_t)is_free << slot;
        }
        page->free[k] = bits & entity_word_limit(table, number * SETTI_ENTITY_WORDS + k);
    }
}

void setti_entity_rebuild(setti_entity_table* table)
{
    SETTI_ASSERT(table->reserved == 0);
    for (uint32_t number = 0; number < table->pages.count; number++) {
        if (table->pages.data[number] != NULL) {
            entity_rebuild_page(table, number);
        }
        setti_entity_refresh(table, number);
    }
}

typedef struct entity_counts {
    uint32_t alive, reserved, retired;
} entity_counts;

/* Checks and counts a slot. Returns NULL if the slot is valid. Otherwise returns an error. */
static const char* entity_validate_slot(const setti_entity_table* table, uint32_t index,
                                        entity_counts* counts)
{
    const setti_entity_page* page = setti_entity_page_of(table, index);
    uint32_t generation = page->generation[index & SETTI_ENTITY_MASK];
    bool alive = (generation & SETTI_DEAD) == 0;
    bool is_free = (page->free[index / 64 % SETTI_ENTITY_WORDS] >> (index % 64) & 1) != 0;
    bool in_limit = index < table->limit;
    bool can_be_free = !alive && generation != SETTI_RETIRED && in_limit;
    bool can_have_generation = in_limit ? generation != 0 : generation == SETTI_UNUSED;
    if (!can_have_generation) {
        return "entity table: a slot has a generation that none can have";
    }
    if (is_free && !can_be_free) {
        return "entity table: an index is free that is alive, retired or beyond the limit";
    }
    if (!alive && page->signature[index & SETTI_ENTITY_MASK] != 0) {
        return "entity table: a dead slot has a signature";
    }
    if (alive) {
        counts->alive++;
    } else if (generation == SETTI_RETIRED) {
        counts->retired++;
    } else if (!is_free && in_limit) {
        counts->reserved++;
    }
    return NULL;
}

/* Compares the summary and the hint with the free bits. Returns NULL if they agree. Otherwise
 * returns an error. */
static const char* entity_validate_words(const setti_entity_table* table)
{
    const char* reason = setti_summary_validate(&table->words);
    if (reason != NULL) {
        return reason;
    }
    uint32_t end = table->words.capacity;
    if (end < table->pages.count * SETTI_ENTITY_WORDS) {
        return "entity table: the summary does not cover all pages";
    }
    for (uint32_t word = 0; word < end; word++) {
        bool has_free = setti_entity_free_bits(table, word) != 0;
        bool unlisted = word == table->hint && table->unlisted;
        bool listed = setti_summary_has(&table->words, word);
        bool should_be_listed = has_free && !unlisted;
        if (listed != should_be_listed) {
            return "entity table: the summary says otherwise than the free bits";
        }
        bool in_range = word >= table->first && word < table->end;
        /* searches skip these words */
        bool is_skipped = in_range && word < table->next && word != table->hint;
        if (has_free && is_skipped) {
            return "entity table: an index before the hint, or between it and the next, is free";
        }
    }
    return NULL;
}

SETTI_COLD const char* setti_entity_validate(const setti_entity_table* table)
{
    entity_counts counts = {0, 0, 0};
    const char* reason = setti_pages_validate(&table->pages);
    if (reason != NULL) {
        return reason;
    }
    if (table->hint >= table->end && table->hint != SETTI_ENTITY_NO_WORD) {
        return "entity table: the hint is outside of the range";
    }
    for (uint32_t number = 0; number < table->pages.count; number++) {
        bool exists = table->pages.data[number] != NULL;
        for (uint32_t slot = 0; exists && slot < SETTI_ENTITY_ROWS; slot++) {
            reason = entity_validate_slot(table, (number << SETTI_ENTITY_SHIFT) + slot, &counts);
            if (reason != NULL) {
                return reason;
            }
        }
    }
    if (counts.alive != table->count || counts.retired != table->retired ||
        counts.reserved != table->reserved) {
        return "entity table: living, reserved or retired slots are miscounted";
    }
    return entity_validate_words(table);
}

/* text.c: texts kept once, in pages that are only ever appended to. See text.h.
 *
 * The workload: some thousand names, written once and looked up all the time, often a few of them
 * by very many entities.
 *
 *     page    | 5 door0 | 6 map010 | 4 ... | 0 (end) ...      length, bytes, zero
 *
 * The pages are state and come back with it, byte for byte; where a text lies is a cache, made anew
 * by one walk over them. Keys do not depend on where a text lies, nor on which others there are,
 * unless two texts of one world hash alike in all of 64 bits: then the later one takes the next
 * number.
 *
 * Invariant:  texts lie behind one another up to `used`, each within its page;  where[key] = the
 * place of the one text whose key it is
 */
#include "relation/text.h"

#define TEXT_SHIFT 12
#define TEXT_MASK (SETTI_TEXT_PAGE - 1)

static_assert(1 << TEXT_SHIFT == SETTI_TEXT_PAGE, "places are cut by shifts");

void setti_text_init(sett_world* world, setti_texts* texts)
{
    setti_pages_init(&texts->pages, SETTI_TEXT_PAGE, 16);
    texts->epoch = world->epoch;
    setti_world_add_root(world, &texts->root, &texts->used, sizeof(texts->used), &texts->pages,
                         NULL);
    texts->root.name = "texts";
}

static const char* text_at(const setti_texts* texts, uint32_t place, size_t* length)
{
    const unsigned char* page = texts->pages.data[place >> TEXT_SHIFT];
    uint16_t head;
    memcpy(&head, page + (place & TEXT_MASK), sizeof(head));
    *length = head;
    return (const char*)page + (place & TEXT_MASK) + SETTI_TEXT_HEAD;
}

/* The first text at this place or behind it; false behind the last. */
static bool text_skip(const setti_texts* texts, uint32_t* place)
{
    while (*place < texts->used) {
        size_t length = 0;
        if ((*place & TEXT_MASK) + SETTI_TEXT_HEAD <= SETTI_TEXT_PAGE) {
            (void)text_at(texts, *place, &length);
        }
        if (length != 0) {
            return true;
        }
        *place = (*place | TEXT_MASK) + 1;
    }
    return false;
}

static uint32_t text_behind(const setti_texts* texts, uint32_t place)
{
    size_t length;
    (void)text_at(texts, place, &length);
    return place + (uint32_t)(SETTI_TEXT_HEAD + length + 1);
}

static bool text_equals(const setti_texts* texts, uint32_t place, const char* text, size_t length)
{
    size_t own;
    const char* at = text_at(texts, place, &own);
    return own == length && memcmp(at, text, length) == 0;
}

static uint64_t text_next_key(uint64_t key)
{
    return key == UINT64_MAX ? 1 : key + 1;
}

/* The key that a text has or would have; *place where it lies, SETTI_NONE if nowhere. */
static uint64_t text_key(const setti_texts* texts, const char* text, size_t length, uint32_t* place)
{
    uint64_t key = setti_hash_bytes(text, length);
    *place = setti_hash_map_find(&texts->where, key);
    while (*place != SETTI_NONE && !text_equals(texts, *place, text, length)) {
        key = text_next_key(key);
        *place = setti_hash_map_find(&texts->where, key);
    }
    return key;
}

/* Makes the cache anew if the state has been replaced. False when memory runs out. */
static bool text_sync(sett_world* world, setti_texts* texts)
{
    if (SETTI_LIKELY(texts->epoch == world->epoch)) {
        return true;
    }
    setti_hash_map_deinit(&world->pool, &texts->where);
    for (uint32_t at = 0; text_skip(texts, &at); at = text_behind(texts, at)) {
        size_t length;
        const char* text = text_at(texts, at, &length);
        uint32_t place;
        uint64_t key = text_key(texts, text, length, &place);
        if (!setti_hash_map_set(&world->pool, &texts->where, key, at)) {
            return false;
        }
    }
    texts->epoch = world->epoch;
    return true;
}

/* Without the cache: the place of the text that is given, or that has the key. *key is its key. */
static uint32_t text_search(const setti_texts* texts, const char* text, size_t length,
                            uint64_t* key)
{
    for (uint32_t at = 0; text_skip(texts, &at); at = text_behind(texts, at)) {
        size_t own;
        const char* other = text_at(texts, at, &own);
        /* its key: one more for each earlier text that hashes alike */
        uint64_t hash = setti_hash_bytes(other, own);
        for (uint32_t k = 0; text_skip(texts, &k) && k < at; k = text_behind(texts, k)) {
            size_t size;
            const char* earlier = text_at(texts, k, &size);
            hash = setti_hash_bytes(earlier, size) == hash ? text_next_key(hash) : hash;
        }
        if (text != NULL ? text_equals(texts, at, text, length) : hash == *key) {
            *key = hash;
            return at;
        }
    }
    *key = 0;
    return SETTI_NONE;
}

uint64_t setti_text_find(sett_world* world, setti_texts* texts, const char* text, size_t length)
{
    uint32_t place;
    uint64_t key;
    if (SETTI_UNLIKELY(!text_sync(world, texts))) {
        (void)text_search(texts, text, length, &key);
        return key;
    }
    key = text_key(texts, text, length, &place);
    return place != SETTI_NONE ? key : 0;
}

const char* setti_text_of(sett_world* world, setti_texts* texts, uint64_t key)
{
    uint32_t place = SETTI_NONE;
    size_t length;
    if (SETTI_UNLIKELY(!text_sync(world, texts))) {
        place = text_search(texts, NULL, 0, &key);
    } else if (key != 0) {
        place = setti_hash_map_find(&texts->where, key);
    }
    return place != SETTI_NONE ? text_at(texts, place, &length) : NULL;
}

uint64_t setti_text_add(sett_world* world, setti_texts* texts, const char* text, size_t length)
{
    SETTI_ASSERT(length != 0 && length <= SETTI_TEXT_MAX);
    setti_pool* pool = &world->pool;
    uint32_t place;
    if (!text_sync(world, texts)) {
        return 0;
    }
    uint64_t key = text_key(texts, text, length, &place);
    if (place != SETTI_NONE) {
        return key;
    }
    uint32_t size = (uint32_t)(SETTI_TEXT_HEAD + length + 1);
    place = texts->used;
    if ((place & TEXT_MASK) == 0 || (place & TEXT_MASK) + size > SETTI_TEXT_PAGE) {
        place = (place + TEXT_MASK) & ~(uint32_t)TEXT_MASK;
    }
    uint32_t number = place >> TEXT_SHIFT;
    bool fresh;
    if (place > UINT32_MAX - SETTI_TEXT_PAGE ||
        !setti_pages_ensure(pool, &texts->pages, number, &fresh) ||
        !setti_hash_map_set(pool, &texts->where, key, place)) {
        return 0;
    }
    setti_pages_write(pool, &texts->pages, number);
    unsigned char* page = texts->pages.data[number];
    if ((place & TEXT_MASK) == 0) {
        memset(page, 0, SETTI_TEXT_PAGE);
    }
    uint16_t head = (uint16_t)length;
    memcpy(page + (place & TEXT_MASK), &head, sizeof(head));
    memcpy(page + (place & TEXT_MASK) + SETTI_TEXT_HEAD, text, length);
    texts->used = place + size;
    return key;
}

const char* setti_text_validate(sett_world* world, setti_texts* texts)
{
    uint32_t count = 0;
    if (!text_sync(world, texts)) {
        return NULL;
    }
    for (uint32_t at = 0; text_skip(texts, &at); at = text_behind(texts, at)) {
        size_t length;
        const char* text = text_at(texts, at, &length);
        uint32_t place;
        (void)text_key(texts, text, length, &place);
        if (place != at || text[length] != '\0' || length > SETTI_TEXT_MAX) {
            return "names: a text is kept twice, or is broken";
        }
        count++;
    }
    return count == texts->where.count ? NULL : "names: the table of texts is not all of them";
}

/* text.c: texts in pages, each stored once. See text.h.
 *
 * The workload: some thousand names, written once and looked up often, some shared by very many
 * entities; and names of things that come and go for hours, "shot 17", "shot 18".
 *
 *     page    | 5 door0 | hole 6 | 4 ... | 0 (end) ...      length, bytes, zero
 *
 * Pages are part of the state, restored byte for byte. The places of texts are a cache, rebuilt by
 * one walk over the pages. A text's key is a hash of 64 bits. Two texts of a world may have equal
 * hashes; only an attacker can achieve this. Then the later text gets the next free number as key.
 * A text is rejected if the 64 next numbers are taken, so that an attack costs little time.
 *
 * A sweep frees unused texts: it collects all keys in use, turns unused texts into holes for new
 * texts, and frees pages without a text. It runs when pages are full, but only after enough texts
 * were added: at least as many bytes as the last sweep preserved. So a text costs O(1) amortised,
 * and pages take about twice the size of the names. Texts in use never move, because sett_name_get
 * returns addresses of texts. Rejected: counting users, because setting or clearing a name would
 * write to a page of the state.
 *
 * Invariant:  texts and holes fill pages without gaps up to `used`, and no later page exists;
 *             where[key] = place of the text with the key;  each user's key has a text
 */
#include "relation/text.h"

#define TEXT_SHIFT 12
#define TEXT_MASK (SETTI_TEXT_PAGE - 1)
#define TEXT_SWEEP (4 * SETTI_TEXT_PAGE) /* bytes of new texts that make a sweep worth its time */
#define TEXT_AROUND ((uint32_t)SETTI_TEXT_HEAD + 1) /* bytes around a stored text: head and zero */
#define TEXT_PAGE_END 0 /* in place of a head: no text follows in the page */

static_assert(1 << TEXT_SHIFT == SETTI_TEXT_PAGE, "places are cut by shifts");

void setti_text_init(sett_world* world, setti_texts* texts)
{
    setti_pages_init(&texts->pages, SETTI_TEXT_PAGE, 16);
    texts->epoch = world->epoch;
    setti_world_add_root(world, &texts->root, &texts->used, sizeof(texts->used), &texts->pages,
                         NULL);
    texts->root.name = "texts";
}

static uint32_t text_head(const setti_texts* texts, uint32_t place)
{
    SETTI_ASSERT((place & TEXT_MASK) + SETTI_TEXT_HEAD <= SETTI_TEXT_PAGE);
    const unsigned char* page = texts->pages.data[place >> TEXT_SHIFT];
    uint16_t head;
    memcpy(&head, page + (place & TEXT_MASK), sizeof(head));
    return head;
}

static void text_set_head(const setti_texts* texts, uint32_t place, uint32_t value)
{
    SETTI_ASSERT(value <= UINT16_MAX && (place & TEXT_MASK) + SETTI_TEXT_HEAD <= SETTI_TEXT_PAGE);
    unsigned char* page = texts->pages.data[place >> TEXT_SHIFT];
    uint16_t head = (uint16_t)value;
    memcpy(page + (place & TEXT_MASK), &head, sizeof(head));
}

/* Returns the bytes of the text at a place, and sets `*length`. */
static const char* text_at(const setti_texts* texts, uint32_t place, size_t* length)
{
    const unsigned char* page = texts->pages.data[place >> TEXT_SHIFT];
    *length = text_head(texts, place);
    return (const char*)page + (place & TEXT_MASK) + SETTI_TEXT_HEAD;
}

/* Returns the size of the text or hole at a place, including head and zero. Returns 0 if the rest
 * of the page is free. */
static uint32_t text_extent(const setti_texts* texts, uint32_t place)
{
    uint32_t head = 0;
    if (setti_pages_get(&texts->pages, place >> TEXT_SHIFT) != NULL &&
        (place & TEXT_MASK) + SETTI_TEXT_HEAD <= SETTI_TEXT_PAGE) {
        head = text_head(texts, place) & ~SETTI_TEXT_HOLE;
    }
    if (head == 0) {
        return 0;
    }
    return head + TEXT_AROUND;
}

static uint32_t text_next_page(uint32_t place)
{
    return (place | TEXT_MASK) + 1;
}

/* If no text is at `*place`, moves `*place` to the next text. Returns false if no text follows. */
static bool text_skip_to(const setti_texts* texts, uint32_t* place)
{
    while (*place < texts->used) {
        uint32_t extent = text_extent(texts, *place);
        if (extent == 0) {
            *place = text_next_page(*place);
            continue;
        }
        if ((text_head(texts, *place) & SETTI_TEXT_HOLE) == 0) {
            return true;
        }
        *place += extent;
    }
    return false;
}

static uint32_t text_after(const setti_texts* texts, uint32_t place)
{
    return place + text_extent(texts, place);
}

static bool text_equals(const setti_texts* texts, uint32_t place, const char* text, size_t length)
{
    size_t stored_length;
    const char* stored = text_at(texts, place, &stored_length);
    return stored_length == length && memcmp(stored, text, length) == 0;
}

/* Returns the key that a text has, or would get if it were added. Returns 0 if too many texts have
 * the same hash. Sets `*place` to the text's place, or to SETTI_NONE if the text is not stored. */
static uint64_t text_key(const setti_texts* texts, const char* text, size_t length, uint32_t* place)
{
    uint64_t key = setti_hash_bytes(text, length);
    for (uint32_t step = 0; step < SETTI_HASH_STEPS; step++) {
        *place = setti_hash_map_find(&texts->where, key);
        if (*place == SETTI_NONE || text_equals(texts, *place, text, length)) {
            return key;
        }
        key = setti_hash_next(key); /* another text has this key */
    }
    *place = SETTI_NONE;
    return 0;
}

bool setti_text_is_crowded(const setti_texts* texts, const char* text, size_t length)
{
    uint32_t place;
    return text_key(texts, text, length, &place) == 0;
}

bool setti_text_sync(sett_world* world, setti_texts* texts)
{
    if (SETTI_LIKELY(texts->epoch == world->epoch)) {
        return true;
    }
    if (world->running != NULL) {
        return false;
    }
    setti_hash_map_deinit(&world->pool, &texts->where);
    for (uint32_t place = 0; text_skip_to(texts, &place); place = text_after(texts, place)) {
        size_t length;
        const char* text = text_at(texts, place, &length);
        uint32_t known_place; /* SETTI_NONE: the text has no key yet */
        uint64_t key = text_key(texts, text, length, &known_place);
        if (!setti_hash_map_set(&world->pool, &texts->where, key, place)) {
            return false;
        }
    }
    texts->epoch = world->epoch;
    texts->cursor = 0;
    return true;
}

/* Computes the key of a stored text without the table. The key is the first number, from the hash
 * of the text on, that no earlier text has as key. So only earlier texts with a similar hash
 * matter. */
static uint64_t text_key_of(const setti_texts* texts, uint32_t place)
{
    /* Number of earlier texts by hash - `lowest`. The hash of the text itself is in the middle. */
    uint32_t count[2 * SETTI_HASH_STEPS] = {0};
    size_t length;
    const char* text = text_at(texts, place, &length);
    uint64_t lowest = setti_hash_bytes(text, length) - SETTI_HASH_STEPS;
    for (uint32_t earlier = 0; text_skip_to(texts, &earlier) && earlier < place;
         earlier = text_after(texts, earlier)) {
        text = text_at(texts, earlier, &length);
        uint64_t distance = setti_hash_bytes(text, length) - lowest;
        if (distance < 2 * SETTI_HASH_STEPS) {
            count[distance]++;
        }
    }
    /* One text that has no key yet gets the key lowest + k. All others wait for the next number. */
    uint32_t waiting = 0;
    uint32_t k = 0;
    for (; k < SETTI_HASH_STEPS; k++) {
        waiting += count[k];
        if (waiting != 0) {
            waiting--;
        }
    }
    for (; k < 2 * SETTI_HASH_STEPS && count[k] + waiting != 0; k++) {
        waiting += count[k] - 1;
    }
    return lowest + k;
}

/* Searches all pages for `text`, or for the text with the key `*key` if `text` is NULL. Returns the
 * text's place, and sets `*key` to the text's key. Returns SETTI_NONE and sets `*key` to 0 if there
 * is no such text. */
static uint32_t text_search(const setti_texts* texts, const char* text, size_t length,
                            uint64_t* key)
{
    for (uint32_t place = 0; text_skip_to(texts, &place); place = text_after(texts, place)) {
        if (text != NULL && !text_equals(texts, place, text, length)) {
            continue;
        }
        uint64_t other_key = text_key_of(texts, place);
        if (text != NULL || other_key == *key) {
            *key = other_key;
            return place;
        }
    }
    *key = 0;
    return SETTI_NONE;
}

uint64_t setti_text_find(sett_world* world, setti_texts* texts, const char* text, size_t length)
{
    if (SETTI_UNLIKELY(!setti_text_sync(world, texts))) {
        uint64_t found_key = 0;
        (void)text_search(texts, text, length, &found_key);
        return found_key;
    }
    uint32_t place;
    uint64_t key = text_key(texts, text, length, &place);
    return place != SETTI_NONE ? key : 0;
}

const char* setti_text_of(sett_world* world, setti_texts* texts, uint64_t key)
{
    uint32_t place = SETTI_NONE;
    if (SETTI_UNLIKELY(!setti_text_sync(world, texts))) {
        place = text_search(texts, NULL, 0, &key);
    } else if (key != 0) {
        place = setti_hash_map_find(&texts->where, key);
    }
    if (place == SETTI_NONE) {
        return NULL;
    }
    size_t length; /* not needed */
    return text_at(texts, place, &length);
}

/* Collects the texts whose keys are values of the type `texts->users`. Returns false if memory runs
 * out. */
static bool text_collect_used(sett_world* world, const setti_texts* texts, setti_hash_map* live)
{
    SETTI_EACH_INDEX(index, &texts->users->storage) {
        uint64_t key;
        memcpy(&key, setti_storage_find(&texts->users->storage, index), sizeof(key));
        if (key == 0) {
            continue;
        }
        uint32_t place = setti_hash_map_find(&texts->where, key);
        SETTI_ASSERT(place != SETTI_NONE);
        if (place != SETTI_NONE && !setti_hash_map_set(&world->pool, live, key, place)) {
            return false;
        }
    }
    return true;
}

/* Collects the texts that a sweep preserves. Returns false if memory runs out. */
static bool text_collect_live(sett_world* world, const setti_texts* texts, setti_hash_map* live)
{
    if (!text_collect_used(world, texts, live)) {
        return false;
    }
    for (uint32_t place = 0; text_skip_to(texts, &place); place = text_after(texts, place)) {
        size_t length;
        const char* text = text_at(texts, place, &length);
        uint32_t known_place;
        uint64_t key = text_key(texts, text, length, &known_place);
        /* Without this text, the text with the next key would get another key. */
        bool is_needed = setti_hash_map_find(&texts->where, setti_hash_next(key)) != SETTI_NONE;
        if (is_needed && !setti_hash_map_set(&world->pool, live, key, place)) {
            return false;
        }
    }
    return true;
}

static bool text_is_live(const setti_texts* texts, const setti_hash_map* live, uint32_t place)
{
    size_t length;
    const char* text = text_at(texts, place, &length);
    uint32_t known_place;
    return setti_hash_map_find(live, text_key(texts, text, length, &known_place)) != SETTI_NONE;
}

/* Writes the head of a text or hole. If the head is the same already, does not mark the page. */
static void text_write_head(setti_pool* pool, const setti_texts* texts, uint32_t place,
                            uint32_t head)
{
    if (text_head(texts, place) != head) {
        setti_pages_write(pool, &texts->pages, place >> TEXT_SHIFT);
        text_set_head(texts, place, head);
    }
}

/* Turns the unused texts of a page into holes. `begin` is the place of the page. Frees the page and
 * returns `begin` if no text is in use. Otherwise returns the end of the last text in use. */
static uint32_t text_sweep_page(sett_world* world, setti_texts* texts, const setti_hash_map* live,
                                uint32_t begin)
{
    SETTI_ASSERT((begin & TEXT_MASK) == 0);
    setti_pool* pool = &world->pool;
    uint32_t hole = begin; /* the end of the last text in use, where the next hole begins */
    uint32_t place = begin;
    while (place < begin + SETTI_TEXT_PAGE) {
        uint32_t extent = text_extent(texts, place);
        if (extent == 0) {
            break;
        }
        if ((text_head(texts, place) & SETTI_TEXT_HOLE) == 0 && text_is_live(texts, live, place)) {
            if (hole != place) {
                text_write_head(pool, texts, hole, (place - hole - TEXT_AROUND) | SETTI_TEXT_HOLE);
            }
            texts->live += extent;
            hole = place + extent;
        }
        place += extent;
    }
    if (hole == begin) {
        setti_pages_free(pool, &texts->pages, begin >> TEXT_SHIFT);
    } else if (hole != place) {
        text_write_head(pool, texts, hole, TEXT_PAGE_END);
    }
    return hole;
}

void setti_text_sweep(sett_world* world, setti_texts* texts)
{
    setti_hash_map live = {0};
    if (texts->users == NULL || texts->hold != 0 || !setti_text_sync(world, texts)) {
        return;
    }
    if (!text_collect_live(world, texts, &live)) {
        setti_hash_map_deinit(&world->pool, &live);
        return;
    }
    uint32_t used = 0;
    texts->live = 0;
    for (uint32_t begin = 0; begin < texts->used; begin += SETTI_TEXT_PAGE) {
        if (setti_pages_get(&texts->pages, begin >> TEXT_SHIFT) != NULL) {
            uint32_t end = text_sweep_page(world, texts, &live, begin);
            if (end != begin) {
                used = end;
            }
        }
    }
    texts->used = used;
    texts->cursor = 0;
    texts->fresh = 0;
    setti_hash_map_deinit(&world->pool, &texts->where);
    texts->where = live;
}

/* Finds a hole, or a page with a free end, that has room for `size` bytes. Sets `*place` to it.
 * Returns false if there is none. */
static bool text_find_room(setti_texts* texts, uint32_t size, uint32_t* place)
{
    while (texts->cursor < texts->used) {
        uint32_t begin = texts->cursor;
        uint32_t extent = text_extent(texts, begin);
        uint32_t room = SETTI_TEXT_PAGE - (begin & TEXT_MASK);
        bool is_usable = extent == 0;
        if (extent != 0 && (text_head(texts, begin) & SETTI_TEXT_HOLE) != 0) {
            room = extent;
            /* The rest of a hole becomes a hole, and needs room for a head and a zero. */
            is_usable = extent == size || extent > size + TEXT_AROUND;
        }
        if (is_usable && room >= size) {
            *place = begin;
            return true;
        }
        if (extent != 0) {
            texts->cursor = begin + extent;
        } else {
            texts->cursor = text_next_page(begin);
        }
    }
    return false;
}

/* Returns the place after all texts. If the last page has no room for `size` bytes, this is the
 * begin of the next page. */
static uint32_t text_end(const setti_texts* texts, uint32_t size)
{
    uint32_t place = texts->used;
    if ((place & TEXT_MASK) == 0 || (place & TEXT_MASK) + size > SETTI_TEXT_PAGE) {
        place = (place + TEXT_MASK) & ~(uint32_t)TEXT_MASK; /* rounds up to a page */
    }
    return place;
}

/* Returns a place for a text of `size` bytes. If `at_end` is true, the place is after all texts.
 * Pass true for a text that has the hash of an earlier text, so that a later walk over the pages
 * computes the same keys. */
static uint32_t text_place(sett_world* world, setti_texts* texts, uint32_t size, bool at_end)
{
    uint32_t place;
    if (at_end) {
        return text_end(texts, size);
    }
    if (text_find_room(texts, size, &place)) {
        return place;
    }
    place = text_end(texts, size);
    bool needs_page = (place & TEXT_MASK) == 0;
    if (needs_page && texts->fresh >= TEXT_SWEEP && texts->fresh >= texts->live) {
        setti_text_sweep(world, texts);
        if (!text_find_room(texts, size, &place)) {
            place = text_end(texts, size);
        }
    }
    return place;
}

/* Writes a text into a page. If `fresh` is true, the page is new and must be cleared first. */
static void text_write(setti_pool* pool, setti_texts* texts, uint32_t place, const char* text,
                       uint32_t length, bool fresh)
{
    SETTI_ASSERT((place & TEXT_MASK) + length + TEXT_AROUND <= SETTI_TEXT_PAGE);
    uint32_t number = place >> TEXT_SHIFT;
    uint32_t size = length + TEXT_AROUND;
    setti_pages_write(pool, &texts->pages, number);
    unsigned char* page = texts->pages.data[number];
    if (fresh) {
        memset(page, 0, SETTI_TEXT_PAGE);
    }
    uint32_t hole = text_extent(texts, place);
    if (hole > size) { /* the rest of the hole */
        text_set_head(texts, place + size, (hole - size - TEXT_AROUND) | SETTI_TEXT_HOLE);
    } else if (hole == 0 && (place & TEXT_MASK) + size + SETTI_TEXT_HEAD <= SETTI_TEXT_PAGE) {
        text_set_head(texts, place + size, TEXT_PAGE_END); /* the text is the last of the page */
    }
    text_set_head(texts, place, length);
    memcpy(page + (place & TEXT_MASK) + SETTI_TEXT_HEAD, text, length);
    page[(place & TEXT_MASK) + SETTI_TEXT_HEAD + length] = '\0';
    texts->used = SETTI_MAX(texts->used, place + size);
    texts->fresh += size;
}

uint64_t setti_text_add(sett_world* world, setti_texts* texts, const char* text, size_t length)
{
    SETTI_ASSERT(length != 0 && length <= SETTI_TEXT_MAX);
    setti_pool* pool = &world->pool;
    uint32_t place;
    if (!setti_text_sync(world, texts)) {
        return 0;
    }
    uint64_t key = text_key(texts, text, length, &place);
    if (place != SETTI_NONE || key == 0) {
        return key;
    }
    bool at_end = key != setti_hash_bytes(text, length); /* another text has the hash */
    place = text_place(world, texts, (uint32_t)length + TEXT_AROUND, at_end);
    bool fresh;
    bool fits = place <= UINT32_MAX - 2 * SETTI_TEXT_PAGE; /* the next places fit into 32 bits */
    if (!fits || !setti_pages_ensure(pool, &texts->pages, place >> TEXT_SHIFT, &fresh)) {
        return 0;
    }
    if (!setti_hash_map_set(pool, &texts->where, key, place)) {
        if (fresh) {
            setti_pages_free(pool, &texts->pages, place >> TEXT_SHIFT);
        }
        return 0;
    }
    text_write(pool, texts, place, text, (uint32_t)length, fresh);
    return key;
}

SETTI_COLD const char* setti_text_validate(sett_world* world, setti_texts* texts)
{
    uint32_t count = 0;
    if (!setti_text_sync(world, texts)) {
        return NULL; /* the checks need the table of texts */
    }
    for (uint32_t place = 0; text_skip_to(texts, &place); place = text_after(texts, place)) {
        size_t length;
        const char* text = text_at(texts, place, &length);
        uint32_t known_place; /* of the first text with these bytes */
        (void)text_key(texts, text, length, &known_place);
        if (known_place != place || text[length] != '\0' || length > SETTI_TEXT_MAX) {
            return "names: a text is kept twice, or is broken";
        }
        count++;
    }
    if (text_extent(texts, texts->used) != 0) {
        return "names: texts lie behind the last";
    }
    if (count != texts->where.count) {
        return "names: the table of texts is not all of them";
    }
    return NULL;
}

/* delta.c: writing down how one snapshot differs from another.
 *
 * The workload: a server that sends every client what changed since the last state that client has
 * confirmed: a few pages of values, some entities that came and went. Only pages that differ are
 * looked at (view.h); of these, what is the same all the same is left out.
 *
 * For each type the indices that may differ are collected as bits first (from words of presence,
 * from rows of pages), so that they come out ascending whatever the storage, and each once.
 *
 * The hashes of both ends are worked out from that of the live world, by what differs: no state has
 * to be gone to.
 *
 * Invariant:  hash(after) = hash(before) - what ended or was + what began or is, summed over all
 *             that differs
 */
#include "state/delta.h"

#include "base/bits.h"
#include "state/hash.h"
#include "state/view.h"

static const char delta_call[] = "sett_delta_encode";

const char* setti_delta_refuses(const setti_type* type)
{
    if ((type->flags & (SETTI_TYPE_TIED | SETTI_TYPE_LINKED | SETTI_TYPE_KEPT)) != 0) {
        return "links entities or texts: deltas do not carry links";
    }
    if (type->desc.save == SETT_SAVE_CLONE && type->desc.byte_count == 0) {
        return "is saved by cloning: what its values own is not bytes";
    }
    return NULL;
}

uint32_t setti_delta_bytes(const setti_type* type)
{
    sett_byte_range whole;
    uint32_t count;
    const sett_byte_range* range = setti_hash_ranges(type, &whole, &count);
    uint32_t bytes = 0;
    for (uint32_t k = 0; k < count; k++) {
        bytes += range[k].size;
    }
    return bytes;
}

/* -------------------------------------------------------------------------------------- walking */

/* Told of all that differs. Handles and values are NULL, or null, on the side where they are not;
 * an entity that ended and began again at its index is told as both. */
typedef struct delta_sink {
    void (*entity)(struct delta_sink* sink, const sett_entity* ended, const sett_entity* begun);
    void (*value)(struct delta_sink* sink, sett_entity was, const void* before, sett_entity is,
                  const void* after);
} delta_sink;

typedef struct delta_walk {
    const setti_view* view;
    uint64_t* bits; /* by entity index */
    size_t words;
    uint64_t* begun; /* the entities that begin at their index */
    delta_sink* sink;
} delta_walk;

static sett_entity delta_entity_at(const setti_view* view, uint32_t index, uint32_t side)
{
    const setti_entity_page* page =
        setti_view_get(view, &view->world->entities.pages, index >> SETTI_ID_SET_SHIFT, side);
    sett_entity entity = {0, 0};
    if (page != NULL && (page->generation[index & SETTI_ID_SET_MASK] & SETTI_DEAD) == 0) {
        entity.index = index;
        entity.generation = page->generation[index & SETTI_ID_SET_MASK];
    }
    return entity;
}

static void delta_mark(uint64_t* bits, uint32_t index)
{
    bits[index / 64] |= (uint64_t)1 << (index % 64);
}

static void delta_walk_entities(delta_walk* walk)
{
    uint32_t at = SETTI_NONE;
    const setti_view_page* page;
    while ((page = setti_view_next(walk->view, &walk->view->world->entities.pages, &at)) != NULL) {
        for (uint32_t slot = 0; slot < SETTI_ID_SET_ROWS; slot++) {
            uint32_t index = (page->number << SETTI_ID_SET_SHIFT) + slot;
            sett_entity was = delta_entity_at(walk->view, index, 0);
            sett_entity is = delta_entity_at(walk->view, index, 1);
            if (sett_equals(was, is)) {
                continue;
            }
            walk->sink->entity(walk->sink, sett_is_null(was) ? NULL : &was,
                               sett_is_null(is) ? NULL : &is);
            if (!sett_is_null(is)) {
                delta_mark(walk->begun, index);
            }
        }
    }
}

/* Indices whose presence, or whose row, may differ in a matrix. */
static void delta_mark_matrix(delta_walk* walk, const setti_storage* storage)
{
    uint32_t at = SETTI_NONE;
    const setti_view_page* page;
    while ((page = setti_view_next(walk->view, &storage->presence, &at)) != NULL) {
        const uint64_t* was = page->in[0];
        const uint64_t* is = page->in[1];
        uint64_t* bits = walk->bits + (size_t)page->number * SETTI_BITS_WORDS;
        for (uint32_t k = 0; k < SETTI_BITS_WORDS; k++) {
            bits[k] |= (was != NULL ? was[k] : 0) ^ (is != NULL ? is[k] : 0);
        }
    }
    at = SETTI_NONE;
    uint32_t words = setti_storage_rows(storage) / 64;
    while ((page = setti_view_next(walk->view, &storage->rows, &at)) != NULL) {
        memset(walk->bits + (size_t)page->number * words, 0xFF, words * sizeof(uint64_t));
    }
}

static void delta_mark_rows(delta_walk* walk, const setti_storage* storage, uint32_t number,
                            uint32_t from, uint32_t to)
{
    const unsigned char* page = setti_view_get(walk->view, &storage->rows, number, 1);
    uint32_t rows = setti_storage_rows(storage);
    uint32_t first = number << storage->shift;
    const uint32_t* indices = (const uint32_t*)(const void*)(page + storage->indices);
    for (uint32_t row = SETTI_MAX(first, from); row < first + rows && row < to; row++) {
        if (indices[row - first] != SETTI_NONE) {
            delta_mark(walk->bits, indices[row - first]);
        }
    }
}

static void delta_mark_packed(delta_walk* walk, const setti_type* type)
{
    const setti_storage* storage = &type->storage;
    uint32_t at = SETTI_NONE;
    const setti_view_page* page;
    while ((page = setti_view_next(walk->view, &storage->presence, &at)) != NULL) {
        const setti_sparse_page* was = page->in[0];
        const setti_sparse_page* is = page->in[1];
        for (uint32_t k = 0; k < SETTI_SPARSE_ROWS; k++) {
            bool before = was != NULL && was->row[k] != SETTI_NONE;
            bool after = is != NULL && is->row[k] != SETTI_NONE;
            if (before != after) {
                delta_mark(walk->bits, (page->number << SETTI_SPARSE_SHIFT) + k);
            }
        }
    }
    uint32_t was = setti_view_extent(walk->view, type, 0);
    uint32_t is = setti_view_extent(walk->view, type, 1);
    at = SETTI_NONE;
    while ((page = setti_view_next(walk->view, &storage->rows, &at)) != NULL) {
        if (page->in[1] != NULL) {
            delta_mark_rows(walk, storage, page->number, 0, is);
        }
    }
    /* rows that come into use again without having been written, on the way to an earlier state */
    for (uint32_t row = was; row < is; row = ((row >> storage->shift) + 1) << storage->shift) {
        delta_mark_rows(walk, storage, row >> storage->shift, was, is);
    }
}

/* The value that an index has on a side; NULL if none. */
static const void* delta_value(const setti_view* view, const setti_type* type, uint32_t index,
                               uint32_t side)
{
    const setti_storage* storage = &type->storage;
    uint32_t place = index;
    if (storage->kind == SETTI_PACKED) {
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
    return page + (size_t)(place & (setti_storage_rows(storage) - 1)) * storage->size;
}

static bool delta_same(const setti_type* type, const unsigned char* a, const unsigned char* b)
{
    sett_byte_range whole;
    uint32_t count;
    const sett_byte_range* range = setti_hash_ranges(type, &whole, &count);
    for (uint32_t k = 0; k < count; k++) {
        if (memcmp(a + range[k].offset, b + range[k].offset, range[k].size) != 0) {
            return false;
        }
    }
    return true;
}

static void delta_walk_type(delta_walk* walk, const setti_type* type)
{
    memcpy(walk->bits, walk->begun, walk->words * sizeof(uint64_t));
    if (type->storage.kind == SETTI_PACKED) {
        delta_mark_packed(walk, type);
    } else {
        delta_mark_matrix(walk, &type->storage);
    }
    for (size_t at = 0; at < walk->words; at++) {
        for (uint64_t rest = walk->bits[at]; rest != 0; rest &= rest - 1) {
            uint32_t index = (uint32_t)at * 64 + setti_bits_lowest(rest);
            const void* before = delta_value(walk->view, type, index, 0);
            const void* after = delta_value(walk->view, type, index, 1);
            sett_entity was = delta_entity_at(walk->view, index, 0);
            sett_entity is = delta_entity_at(walk->view, index, 1);
            bool same = before != NULL && after != NULL && sett_equals(was, is);
            if ((before != NULL || after != NULL) && !(same && delta_same(type, before, after))) {
                walk->sink->value(walk->sink, was, before, is, after);
            }
        }
    }
}

/* Words that cover every index that a page may be about: reserved ones lie behind all entities, and
 * what a table had in a snapshot is within its capacity. */
static size_t delta_words(const sett_world* world)
{
    uint64_t end = (uint64_t)world->entities.pages.capacity << SETTI_ID_SET_SHIFT;
    for (uint32_t k = 0; k < world->registered.count; k++) {
        const setti_storage* storage = &world->registered.item[k]->storage;
        bool packed = storage->kind == SETTI_PACKED;
        uint32_t shift = packed ? SETTI_SPARSE_SHIFT : SETTI_BITS_SHIFT;
        uint64_t presence = (uint64_t)storage->presence.capacity << shift;
        uint64_t rows = packed ? 0 : (uint64_t)storage->rows.capacity << storage->shift;
        end = SETTI_MAX(end, SETTI_MAX(presence, rows));
    }
    return (size_t)(end / 64) + 1;
}

/* --------------------------------------------------------------------------------------- hashes */

typedef struct delta_hash {
    delta_sink sink;
    setti_hash_type of;
    uint64_t sum; /* of what is new, less what is not any more */
} delta_hash;

static void delta_hash_entity(delta_sink* sink, const sett_entity* ended, const sett_entity* begun)
{
    delta_hash* hash = (delta_hash*)sink;
    hash->sum += begun != NULL ? setti_hash_entity(*begun) : 0;
    hash->sum -= ended != NULL ? setti_hash_entity(*ended) : 0;
}

static void delta_hash_value(delta_sink* sink, sett_entity was, const void* before, sett_entity is,
                             const void* after)
{
    delta_hash* hash = (delta_hash*)sink;
    hash->sum += after != NULL ? setti_hash_value(&hash->of, is, after) : 0;
    hash->sum -= before != NULL ? setti_hash_value(&hash->of, was, before) : 0;
}

/* By how much the sums of the two sides differ. */
static uint64_t delta_hash_walk(delta_walk* walk)
{
    delta_hash hash;
    memset(&hash, 0, sizeof(hash));
    hash.sink.entity = delta_hash_entity;
    hash.sink.value = delta_hash_value;
    walk->sink = &hash.sink;
    memset(walk->begun, 0, walk->words * sizeof(uint64_t));
    delta_walk_entities(walk);
    const setti_type_list* types = &walk->view->world->registered;
    for (uint32_t k = 0; k < types->count; k++) {
        setti_hash_begin(&hash.of, types->item[k]);
        delta_walk_type(walk, types->item[k]);
    }
    return hash.sum;
}

/* -------------------------------------------------------------------------------------- writing */

typedef struct delta_writer {
    delta_sink sink;
    unsigned char* out;
    size_t capacity;
    size_t size; /* of the whole, also beyond the capacity */
    const setti_type* type;
    const sett_byte_range* range;
    uint32_t range_count;
    sett_byte_range whole;
    bool begun; /* write what began: else what ended */
    uint32_t count;
} delta_writer;

static void delta_write(delta_writer* to, const void* bytes, size_t size)
{
    if (to->size <= to->capacity && size <= to->capacity - to->size && size != 0) {
        memcpy(to->out + to->size, bytes, size);
    }
    to->size += size;
}

static void delta_write_number(delta_writer* to, uint64_t number, size_t size)
{
    unsigned char bytes[8];
    for (size_t k = 0; k < size; k++) {
        bytes[k] = (unsigned char)(number >> (8 * k));
    }
    delta_write(to, bytes, size);
}

/* Overwrites a number that was left open. */
static void delta_write_at(delta_writer* to, size_t at, uint64_t number, size_t size)
{
    size_t end = to->size;
    to->size = at;
    delta_write_number(to, number, size);
    to->size = end;
}

static void delta_write_entity(delta_sink* sink, const sett_entity* ended, const sett_entity* begun)
{
    delta_writer* to = (delta_writer*)sink;
    const sett_entity* entity = to->begun ? begun : ended;
    if (entity != NULL) {
        delta_write_number(to, entity->index, 4);
        delta_write_number(to, entity->generation, 4);
        to->count++;
    }
}

static void delta_write_value(delta_sink* sink, sett_entity was, const void* before, sett_entity is,
                              const void* after)
{
    delta_writer* to = (delta_writer*)sink;
    bool same = sett_equals(was, is);
    if (sett_is_null(is) || (after == NULL && !same)) {
        return; /* went with its entity */
    }
    setti_delta_kind kind = SETTI_DELTA_ADDED;
    if (same && before != NULL) {
        kind = after != NULL ? SETTI_DELTA_CHANGED : SETTI_DELTA_REMOVED;
    }
    delta_write_number(to, (uint64_t)kind, 1);
    delta_write_number(to, is.index, 4);
    for (uint32_t k = 0; after != NULL && k < to->range_count; k++) {
        delta_write(to, (const unsigned char*)after + to->range[k].offset, to->range[k].size);
    }
    to->count++;
}

static void delta_write_entities(delta_writer* to, delta_walk* walk, bool begun, size_t count_at)
{
    to->begun = begun;
    to->count = 0;
    memset(walk->begun, 0, walk->words * sizeof(uint64_t));
    delta_walk_entities(walk);
    delta_write_at(to, count_at, to->count, 4);
}

static void delta_write_type(delta_writer* to, const setti_type* type)
{
    size_t length = strlen(type->desc.name);
    delta_write_number(to, length, 2);
    delta_write(to, type->desc.name, length);
    delta_write_number(to, type->desc.size, 4);
    delta_write_number(to, type->desc.layout_version, 4);
    delta_write_number(to, setti_delta_bytes(type), 4);
    delta_write_number(to, 0, 4); /* entries */
}

/* Where the number of a type's entries is to be written. */
static size_t delta_entries_at(size_t at, const setti_type* type)
{
    return at + 2 + strlen(type->desc.name) + 3 * 4;
}

static void delta_write_all(delta_writer* to, delta_walk* walk, uint64_t before, uint64_t after)
{
    const setti_type_list* types = &walk->view->world->registered;
    delta_write_number(to, SETTI_DELTA_MAGIC, 4);
    delta_write_number(to, SETTI_DELTA_VERSION, 4);
    delta_write_number(to, before, 8);
    delta_write_number(to, after, 8);
    delta_write_number(to, 0, 4); /* bytes in all */
    delta_write_number(to, types->count, 4);
    delta_write_number(to, 0, 4); /* ended */
    delta_write_number(to, 0, 4); /* begun */
    SETTI_ASSERT(to->size == SETTI_DELTA_HEAD);
    size_t head = to->size;
    for (uint32_t k = 0; k < types->count; k++) {
        delta_write_type(to, types->item[k]);
    }
    walk->sink = &to->sink;
    delta_write_entities(to, walk, false, SETTI_DELTA_HEAD - 8);
    delta_write_entities(to, walk, true, SETTI_DELTA_HEAD - 4);
    for (uint32_t k = 0; k < types->count; k++) {
        const setti_type* type = types->item[k];
        to->type = type;
        to->range = setti_hash_ranges(type, &to->whole, &to->range_count);
        to->count = 0;
        delta_walk_type(walk, type);
        delta_write_at(to, delta_entries_at(head, type), to->count, 4);
        head = delta_entries_at(head, type) + 4;
    }
    delta_write_at(to, 24, to->size, 4);
}

/* ---------------------------------------------------------------------------------------- calls */

/* The walk over the view of two snapshots (`b` NULL: the live world); false without memory. */
static bool delta_begin(sett_world* world, setti_snapshot* a, setti_snapshot* b, setti_view* view,
                        delta_walk* walk)
{
    if (!setti_view_init(world, a, b, view)) {
        return false;
    }
    walk->view = view;
    walk->words = delta_words(world);
    walk->bits = setti_pool_alloc(&world->pool, 2 * walk->words * sizeof(uint64_t), 16);
    if (walk->bits == NULL) {
        setti_view_deinit(world, view);
        return false;
    }
    walk->begun = walk->bits + walk->words;
    return true;
}

static void delta_end(sett_world* world, setti_view* view, const delta_walk* walk)
{
    setti_pool_free(&world->pool, walk->bits, 2 * walk->words * sizeof(uint64_t), 16);
    setti_view_deinit(world, view);
}

static sett_status delta_check_types(sett_world* world, const delta_walk* walk)
{
    for (uint32_t k = 0; k < world->registered.count; k++) {
        const setti_type* type = world->registered.item[k];
        const char* why = setti_delta_refuses(type);
        uint32_t rows = SETTI_NONE;
        uint32_t presence = SETTI_NONE;
        if (why != NULL &&
            (setti_view_next(walk->view, &type->storage.rows, &rows) != NULL ||
             setti_view_next(walk->view, &type->storage.presence, &presence) != NULL)) {
            return setti_world_fail_with(world, SETT_STATUS_ARGUMENT, "%s: \"%.100s\" %s",
                                         delta_call, type->desc.name, why);
        }
    }
    return SETT_OK;
}

static sett_status delta_encode(sett_world* world, setti_snapshot* a, setti_snapshot* b,
                                delta_writer* to)
{
    setti_view view;
    delta_walk walk;
    uint64_t after = setti_hash_sum(world);
    if (!delta_begin(world, b, NULL, &view, &walk)) {
        return setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, delta_call, sett_null(), 0);
    }
    after -= delta_hash_walk(&walk);
    delta_end(world, &view, &walk);
    if (!delta_begin(world, a, b, &view, &walk)) {
        return setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, delta_call, sett_null(), 0);
    }
    sett_status status = delta_check_types(world, &walk);
    if (status == SETT_OK) {
        uint64_t before = after - delta_hash_walk(&walk);
        delta_write_all(to, &walk, setti_hash_finish(before), setti_hash_finish(after));
    }
    delta_end(world, &view, &walk);
    return status;
}

sett_status sett_delta_encode(sett_world* world, sett_snapshot a, sett_snapshot b, void* out,
                              size_t capacity, size_t* size)
{
    setti_snapshot* node[2];
    sett_snapshot handle[2] = {a, b};
    for (uint32_t k = 0; k < 2; k++) {
        sett_status status;
        node[k] = setti_snapshot_find(world, handle[k], &status);
        if (node[k] == NULL) {
            return setti_world_fail_with(world, status, "%s: snapshot %u:%u: %s", delta_call,
                                         (unsigned)handle[k].slot, (unsigned)handle[k].serial,
                                         sett_status_text(status));
        }
    }
    delta_writer to;
    memset(&to, 0, sizeof(to));
    to.sink.entity = delta_write_entity;
    to.sink.value = delta_write_value;
    to.out = out;
    to.capacity = out != NULL ? capacity : 0;
    *size = 0;
    sett_status status = delta_encode(world, node[0], node[1], &to);
    if (status == SETT_OK) {
        *size = to.size;
        if (to.size > to.capacity || to.size > UINT32_MAX) {
            status = setti_world_fail_with(world, SETT_STATUS_LIMIT,
                                           "%s: it takes %zu bytes, and there is room for %zu",
                                           delta_call, to.size, to.capacity);
        }
    }
    return status;
}

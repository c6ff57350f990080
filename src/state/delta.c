/* delta.c: writing down how one snapshot differs from another.
 *
 * The workload: a server that sends every client what changed since the last state that client has
 * confirmed. What differs is found by compare.c, in the order in which it is written.
 *
 * The hashes of both ends are worked out from that of the live world, by what differs: no state has
 * to be gone to.
 *
 * Invariant:  hash(after) = hash(before) - what ended or was + what began or is, summed over all
 *             that differs
 */
#include "state/delta.h"

#include "state/compare.h"
#include "state/hash.h"

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

/* --------------------------------------------------------------------------------------- hashes */

typedef struct delta_hash {
    setti_compare_sink sink;
    setti_hash_type of;
    uint64_t sum; /* of what is new, less what is not any more */
} delta_hash;

static void delta_hash_entity(setti_compare_sink* sink, const sett_entity* ended,
                              const sett_entity* begun)
{
    delta_hash* hash = (delta_hash*)sink;
    hash->sum += begun != NULL ? setti_hash_entity(*begun) : 0;
    hash->sum -= ended != NULL ? setti_hash_entity(*ended) : 0;
}

static void delta_hash_value(setti_compare_sink* sink, sett_entity was, const void* before,
                             sett_entity is, const void* after)
{
    delta_hash* hash = (delta_hash*)sink;
    hash->sum += after != NULL ? setti_hash_value(&hash->of, is, after) : 0;
    hash->sum -= before != NULL ? setti_hash_value(&hash->of, was, before) : 0;
}

/* By how much the sums of the two sides differ. */
static uint64_t delta_hash_walk(setti_compare* walk)
{
    delta_hash hash;
    memset(&hash, 0, sizeof(hash));
    hash.sink.entity = delta_hash_entity;
    hash.sink.value = delta_hash_value;
    walk->sink = &hash.sink;
    setti_compare_entities(walk);
    const setti_type_list* types = &walk->view->world->registered;
    for (uint32_t k = 0; k < types->count; k++) {
        setti_hash_begin(&hash.of, types->item[k]);
        setti_compare_type(walk, types->item[k]);
    }
    return hash.sum;
}

/* -------------------------------------------------------------------------------------- writing */

typedef struct delta_writer {
    setti_compare_sink sink;
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

static void delta_write_entity(setti_compare_sink* sink, const sett_entity* ended,
                               const sett_entity* begun)
{
    delta_writer* to = (delta_writer*)sink;
    const sett_entity* entity = to->begun ? begun : ended;
    if (entity != NULL) {
        delta_write_number(to, entity->index, 4);
        delta_write_number(to, entity->generation, 4);
        to->count++;
    }
}

static void delta_write_value(setti_compare_sink* sink, sett_entity was, const void* before,
                              sett_entity is, const void* after)
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

static void delta_write_entities(delta_writer* to, setti_compare* walk, bool begun, size_t count_at)
{
    to->begun = begun;
    to->count = 0;
    setti_compare_entities(walk);
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

static void delta_write_all(delta_writer* to, setti_compare* walk, uint64_t before, uint64_t after)
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
        setti_compare_type(walk, type);
        delta_write_at(to, delta_entries_at(head, type), to->count, 4);
        head = delta_entries_at(head, type) + 4;
    }
    delta_write_at(to, 24, to->size, 4);
}

/* ---------------------------------------------------------------------------------------- calls */

/* What differs between two snapshots (`b` NULL: the live world); false without memory. */
static bool delta_begin(sett_world* world, setti_snapshot* a, setti_snapshot* b, setti_view* view,
                        setti_compare* walk)
{
    if (!setti_view_init(world, a, b, view)) {
        return false;
    }
    if (!setti_compare_init(view, walk)) {
        setti_view_deinit(world, view);
        return false;
    }
    return true;
}

static void delta_end(sett_world* world, setti_view* view, setti_compare* walk)
{
    setti_compare_deinit(walk);
    setti_view_deinit(world, view);
}

static sett_status delta_check_types(sett_world* world, setti_compare* walk)
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
    setti_compare walk;
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
            status = setti_world_fail_with(
                world, SETT_STATUS_LIMIT, "%s: it takes %lu bytes, and there is room for %lu",
                delta_call, (unsigned long)to.size, (unsigned long)to.capacity);
        }
    }
    return status;
}

/* bytes.c: bytes and lists of handles. Numbers are little endian: files travel between machines. */
#include "ranks.h"

#include <stdlib.h>
#include <string.h>

unsigned char* setti_ranks_room(ranks_bytes* to, size_t size)
{
    if (to->failed || size > SIZE_MAX / 4 - to->size) {
        to->failed = true;
        return NULL;
    }
    if (to->size + size >= to->capacity) { /* never NULL, of no bytes too */
        size_t capacity = (to->size + size) * 2 + 64;
        unsigned char* at = realloc(to->at, capacity);
        if (at == NULL) {
            to->failed = true;
            return NULL;
        }
        to->at = at;
        to->capacity = capacity;
    }
    unsigned char* room = to->at + to->size;
    to->size += size;
    return room;
}

void setti_ranks_write(ranks_bytes* to, const void* bytes, size_t size)
{
    unsigned char* room = setti_ranks_room(to, size);
    if (room != NULL && size != 0) {
        memcpy(room, bytes, size);
    }
}

static void bytes_write_number(ranks_bytes* to, uint64_t value, uint32_t size)
{
    unsigned char* room = setti_ranks_room(to, size);
    for (uint32_t k = 0; room != NULL && k < size; k++) {
        room[k] = (unsigned char)(value >> 8 * k);
    }
}

void setti_ranks_write_u32(ranks_bytes* to, uint32_t value)
{
    bytes_write_number(to, value, 4);
}

void setti_ranks_write_u64(ranks_bytes* to, uint64_t value)
{
    bytes_write_number(to, value, 8);
}

void setti_ranks_write_varint(ranks_bytes* to, uint64_t value)
{
    for (; value >= 128; value >>= 7) {
        bytes_write_number(to, (value & 127) | 128, 1);
    }
    bytes_write_number(to, value, 1);
}

const unsigned char* setti_ranks_read(ranks_reader* from, size_t size)
{
    static const unsigned char none[1] = {0};
    if (from->bad || size > (size_t)(from->end - from->at)) {
        from->bad = true;
        return NULL;
    }
    const unsigned char* at = size != 0 ? from->at : none;
    from->at += size;
    return at;
}

static uint64_t bytes_read_number(ranks_reader* from, uint32_t size)
{
    const unsigned char* at = setti_ranks_read(from, size);
    uint64_t value = 0;
    for (uint32_t k = 0; at != NULL && k < size; k++) {
        value |= (uint64_t)at[k] << 8 * k;
    }
    return value;
}

uint32_t setti_ranks_read_u32(ranks_reader* from)
{
    return (uint32_t)bytes_read_number(from, 4);
}

uint64_t setti_ranks_read_u64(ranks_reader* from)
{
    return bytes_read_number(from, 8);
}

uint64_t setti_ranks_read_varint(ranks_reader* from)
{
    uint64_t value = 0;
    for (uint32_t shift = 0; shift < 64; shift += 7) {
        uint64_t byte = bytes_read_number(from, 1);
        value |= (byte & 127) << shift;
        if (from->bad || byte < 128) {
            return from->bad ? 0 : value;
        }
    }
    from->bad = true;
    return 0;
}

/* ---------------------------------------------------------------------------------------- lists */

bool setti_ranks_push(ranks_list* list, sett_entity entity)
{
    if (list->count == list->capacity) {
        uint32_t capacity = list->capacity * 2 + 64;
        sett_entity* item = realloc(list->item, capacity * sizeof(*item));
        if (item == NULL) {
            return false;
        }
        list->item = item;
        list->capacity = capacity;
    }
    list->item[list->count++] = entity;
    return true;
}

/* Whether a list that ascends by index has a handle; *at: where it is, or would be. */
bool setti_ranks_find(const ranks_list* list, sett_entity entity, uint32_t* at)
{
    uint32_t low = 0;
    uint32_t high = list->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (list->item[middle].index < entity.index) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *at = low;
    return low < list->count && sett_equals(list->item[low], entity);
}

static int bytes_compare(const void* a, const void* b)
{
    uint32_t x = ((const sett_entity*)a)->index;
    uint32_t y = ((const sett_entity*)b)->index;
    return (x > y) - (x < y);
}

void setti_ranks_sort(ranks_list* list)
{
    bool ascends = true;
    for (uint32_t k = 1; k < list->count && ascends; k++) {
        ascends = list->item[k - 1].index < list->item[k].index;
    }
    if (!ascends) {
        qsort(list->item, list->count, sizeof(*list->item), bytes_compare);
    }
}

/* Gaps between indices, with a bit that says that a generation other than 1 follows. */
void setti_ranks_write_list(ranks_bytes* to, const ranks_list* list)
{
    uint32_t next = 0;
    setti_ranks_write_varint(to, list->count);
    for (uint32_t k = 0; k < list->count; k++) {
        bool first = list->item[k].generation == 1;
        setti_ranks_write_varint(to, (uint64_t)(list->item[k].index - next) << 1 | !first);
        if (!first) {
            setti_ranks_write_varint(to, list->item[k].generation);
        }
        next = list->item[k].index + 1;
    }
}

bool setti_ranks_read_list(const sett_ranks* r, ranks_reader* from, ranks_list* list)
{
    uint64_t limit = (uint64_t)r->desc.cells * r->desc.indices;
    uint64_t next = 0;
    uint64_t count = setti_ranks_read_varint(from);
    list->count = 0;
    if (count > (size_t)(from->end - from->at)) {
        from->bad = true;
    }
    for (uint64_t k = 0; k < count && !from->bad; k++) {
        uint64_t bits = setti_ranks_read_varint(from);
        uint64_t gap = bits >> 1;
        uint64_t generation = (bits & 1) != 0 ? setti_ranks_read_varint(from) : 1;
        if (gap >= limit || next + gap >= limit || generation == 0 ||
            generation > RANKS_GENERATION_MAX) {
            from->bad = true;
            break;
        }
        next += gap;
        sett_entity entity = {(uint32_t)next, (uint32_t)generation};
        next++;
        if (!setti_ranks_push(list, entity)) {
            return false;
        }
    }
    return !from->bad;
}

/* A sum that sees damage, not forgery. */
uint64_t setti_ranks_sum(const void* bytes, size_t size)
{
    const unsigned char* at = bytes;
    uint64_t hash = 0x9E3779B97F4A7C15u ^ size;
    for (; size != 0;) {
        uint64_t word = 0;
        size_t count = size < 8 ? size : 8;
        for (size_t k = 0; k < count; k++) {
            word |= (uint64_t)at[k] << 8 * k;
        }
        hash = (hash ^ word) * 0xD6E8FEB86659FD93u;
        hash ^= hash >> 32;
        at += count;
        size -= count;
    }
    return hash;
}

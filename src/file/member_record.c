/* member_record.c: see member_record.h.
 *
 *     struct    count of members u16 (0: unknown), name, size u32, members
 *     member    name, kind u8, flags u8 (1 bits, 2 local, 4 elements have names), offset u32, size
 *               u32, scale, minimum, maximum (f64), unit, description, constants, names of elements
 *               (flag 4: count u16, texts), kind of an item u8 (if the kind is list), struct (if
 *               the kind, or the kind of an item, is struct)
 *     constants count u16, for each constant: name, value i64
 *     text      length u16, bytes
 *
 * Invariant:  a list is allocated only if the remaining bytes can contain the items
 */
#include "file/member_record.h"

#include <string.h>

#define RECORD_MEMBER 44u   /* the fewest bytes of a member in the record */
#define RECORD_CONSTANT 10u /* the fewest bytes of a constant in the record */

enum {
    RECORD_BITS = 1,
    RECORD_LOCAL = 2,
    RECORD_NAMES = 4,
    RECORD_FLAGS = 7 /* all flags */
};

void setti_record_put(setti_record_writer* writer, uint64_t number, size_t size)
{
    SETTI_ASSERT(size != 0 && size <= 8);
    if (writer->out != NULL) {
        setti_bytes_put(writer->out + writer->size, number, size);
    }
    writer->size += size;
}

void setti_record_put_text(setti_record_writer* writer, const char* text)
{
    size_t length = 0;
    if (text != NULL) {
        length = SETTI_MIN(strlen(text), UINT16_MAX);
    }
    setti_record_put(writer, length, 2);
    if (writer->out != NULL && length != 0) {
        memcpy(writer->out + writer->size, text, length);
    }
    writer->size += length;
}

void setti_record_put_double(setti_record_writer* writer, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof(bits));
    setti_record_put(writer, bits, 8);
}

static void record_put_constants(setti_record_writer* writer, const sett_constant* constants)
{
    uint32_t count = 0;
    while (constants != NULL && constants[count].name != NULL && count < UINT16_MAX) {
        count++;
    }
    setti_record_put(writer, count, 2);
    for (uint32_t k = 0; k < count; k++) {
        setti_record_put_text(writer, constants[k].name);
        setti_record_put(writer, (uint64_t)constants[k].value, 8);
    }
}

static void record_put_member(setti_record_writer* writer, const sett_member* member)
{
    bool named = member->element_names != NULL && member->count <= UINT16_MAX;
    uint32_t flags = 0;
    flags |= member->bits ? RECORD_BITS : 0u;
    flags |= member->local ? RECORD_LOCAL : 0u;
    flags |= named ? RECORD_NAMES : 0u;
    setti_record_put_text(writer, member->name);
    setti_record_put(writer, (uint64_t)member->kind, 1);
    setti_record_put(writer, flags, 1);
    setti_record_put(writer, member->offset, 4);
    setti_record_put(writer, member->size, 4);
    setti_record_put_double(writer, member->scale);
    setti_record_put_double(writer, member->minimum);
    setti_record_put_double(writer, member->maximum);
    setti_record_put_text(writer, member->unit);
    setti_record_put_text(writer, member->description);
    record_put_constants(writer, member->constants);
    if (named) {
        setti_record_put(writer, member->count, 2);
        for (uint32_t k = 0; k < member->count; k++) {
            setti_record_put_text(writer, member->element_names[k]);
        }
    }
    if (member->kind == SETT_MEMBER_LIST) {
        setti_record_put(writer, (uint64_t)member->element, 1);
    }
    if (member->of != NULL) {
        setti_member_record_write(writer, member->of);
    }
}

SETTI_COLD void setti_member_record_write(setti_record_writer* writer, const sett_struct* structure)
{
    if (structure == NULL) {
        setti_record_put(writer, 0, 2); /* no members: they are unknown */
        return;
    }
    setti_record_put(writer, structure->count, 2);
    setti_record_put_text(writer, structure->name);
    setti_record_put(writer, structure->size, 4);
    for (uint32_t k = 0; k < structure->count; k++) {
        record_put_member(writer, &structure->members[k]);
    }
}

/* Reads a text into the arena. After an error, returns NULL and sets reader->short_of. */
static const char* record_text(setti_delta_reader* reader, setti_arena* arena)
{
    size_t length = (size_t)setti_delta_number(reader, 2);
    const unsigned char* bytes = setti_delta_read(reader, length);
    char* text = NULL;
    if (bytes != NULL && memchr(bytes, 0, length) == NULL) {
        text = setti_arena_alloc(arena, length + 1, 1);
    }
    if (text == NULL) {
        reader->short_of = true;
        return NULL;
    }
    memcpy(text, bytes, length);
    text[length] = '\0';
    return text;
}

/* Reads a text. Returns NULL for an empty text, or after an error. */
static const char* record_optional(setti_delta_reader* reader, setti_arena* arena)
{
    const char* text = record_text(reader, arena);
    bool given = text != NULL && text[0] != '\0';
    return given ? text : NULL;
}

double setti_record_get_double(setti_delta_reader* reader)
{
    uint64_t bits = setti_delta_number(reader, 8);
    double number;
    memcpy(&number, &bits, sizeof(number));
    return number;
}

/* Allocates a list of `count` zeroed items, and one more as an end mark. After an error, returns
 * NULL and sets reader->short_of.
 *   record_size  the fewest bytes of an item in the record
 *   memory_size  the bytes of an item in memory */
static void* record_list(setti_delta_reader* reader, setti_arena* arena, size_t count,
                         size_t record_size, size_t memory_size)
{
    /* the rest of the record cannot contain more */
    size_t most_items = (size_t)(reader->end - reader->at) / record_size;
    void* list = NULL;
    if (count <= most_items) {
        list = setti_arena_alloc(arena, (count + 1) * memory_size, 16);
    }
    if (list == NULL) {
        reader->short_of = true;
        return NULL;
    }
    return memset(list, 0, (count + 1) * memory_size);
}

static const sett_constant* record_constants(setti_delta_reader* reader, setti_arena* arena)
{
    size_t count = (size_t)setti_delta_number(reader, 2);
    if (count == 0) {
        return NULL;
    }
    sett_constant* list = record_list(reader, arena, count, RECORD_CONSTANT, sizeof(*list));
    for (size_t k = 0; k < count && !reader->short_of; k++) {
        list[k].name = record_text(reader, arena);
        list[k].value = (int64_t)setti_delta_number(reader, 8);
    }
    return list;
}

static void record_names(setti_delta_reader* reader, setti_arena* arena, sett_member* member)
{
    member->count = (uint32_t)setti_delta_number(reader, 2); /* checked when a type is registered */
    /* 2: an empty name is only a length */
    const char** list = record_list(reader, arena, member->count, 2, sizeof(*list));
    for (uint32_t k = 0; k < member->count && !reader->short_of; k++) {
        list[k] = record_text(reader, arena);
    }
    if (member->count == 0) { /* contradicts RECORD_NAMES */
        reader->short_of = true;
    }
    member->element_names = list;
}

static const sett_struct* record_struct(setti_delta_reader* reader, setti_arena* arena,
                                        uint32_t depth);

static sett_member_kind record_kind(setti_delta_reader* reader)
{
    uint64_t kind = setti_delta_number(reader, 1);
    if (kind == SETT_MEMBER_UNKNOWN || kind >= SETT_MEMBER_KINDS) {
        reader->short_of = true;
    }
    return (sett_member_kind)kind;
}

static void record_member(setti_delta_reader* reader, setti_arena* arena, uint32_t depth,
                          sett_member* member)
{
    member->name = record_text(reader, arena);
    member->kind = record_kind(reader);
    uint64_t flags = setti_delta_number(reader, 1);
    if (flags > RECORD_FLAGS) {
        reader->short_of = true;
    }
    member->bits = (flags & RECORD_BITS) != 0;
    member->local = (flags & RECORD_LOCAL) != 0;
    member->offset = setti_delta_u32(reader);
    member->size = setti_delta_u32(reader);
    member->scale = setti_record_get_double(reader);
    member->minimum = setti_record_get_double(reader);
    member->maximum = setti_record_get_double(reader);
    member->unit = record_optional(reader, arena);
    member->description = record_optional(reader, arena);
    member->constants = record_constants(reader, arena);
    if ((flags & RECORD_NAMES) != 0) {
        record_names(reader, arena, member);
    }
    sett_member_kind item_kind = member->kind;
    if (member->kind == SETT_MEMBER_LIST) {
        member->element = record_kind(reader);
        item_kind = member->element;
    }
    if (!reader->short_of && item_kind == SETT_MEMBER_STRUCT) {
        member->of = record_struct(reader, arena, depth + 1);
        if (member->of == NULL) {
            reader->short_of = true;
        }
    }
}

/* Reads a struct. Returns NULL if the members are unknown, or after an error. Only an error sets
 * reader->short_of. */
SETTI_COLD static const sett_struct* record_struct(setti_delta_reader* reader, setti_arena* arena,
                                                   uint32_t depth)
{
    size_t count = (size_t)setti_delta_number(reader, 2);
    if (count == 0) {
        return NULL; /* unknown members */
    }
    if (depth > SETT_MEMBERS_DEPTH) {
        reader->short_of = true;
        return NULL;
    }
    /* a list of one struct, of at least one byte */
    sett_struct* structure = record_list(reader, arena, 1, 1, sizeof(*structure));
    sett_member* members = record_list(reader, arena, count, RECORD_MEMBER, sizeof(*members));
    if (structure == NULL || members == NULL) {
        return NULL;
    }
    structure->name = record_text(reader, arena);
    structure->size = setti_delta_u32(reader);
    structure->count = (uint32_t)count;
    structure->members = members;
    structure->calls_ = sett_members_link_;
    for (size_t k = 0; k < count && !reader->short_of; k++) {
        record_member(reader, arena, depth, &members[k]);
    }
    return structure;
}

bool setti_member_record_read(setti_delta_reader* reader, setti_arena* arena,
                              const sett_struct** structure)
{
    *structure = record_struct(reader, arena, 0);
    return !reader->short_of;
}

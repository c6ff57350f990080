/* delta_value.c: encodes the values of components, and the order of lists.
 *
 * Values are sent as bytes, or in the form of a codec (world/codec.h). The order of a list is sent
 * only if it does not follow from the entries.
 *
 * Invariant:  playing the entries, then the lists, gives the lists of the second state
 */
#include "state/delta_writer.h"
#include "state/hash.h"

/* Returns the type of the lists whose owners decide which values of the writer's type are written.
 * Returns NULL if no lists decide. */
static const setti_type* value_list_type(const setti_delta_writer* writer)
{
    if (writer->codec == NULL) {
        return NULL;
    }
    if (writer->codec->follows != NULL) {
        return writer->codec->follows(writer->type->world);
    }
    return writer->codec->list != NULL ? writer->type : NULL;
}

/* Marks, in walk->bits, all members of the lists that created entities own. */
static void value_mark_members(setti_compare* walk, const setti_type* type,
                               const setti_codec* codec)
{
    setti_sides* sides = &walk->view->sides;
    uint32_t owner = SETTI_NONE; /* before the first */
    while (setti_marks_next(&walk->begun, &owner)) {
        setti_codec_list list;
        if (!codec->list(sides, type, owner, SETTI_AFTER, &list)) {
            continue;
        }
        uint32_t place = list.first;
        while (place != SETTI_NONE) {
            uint32_t member = codec->step(sides, type, SETTI_AFTER, &place, SETTI_LIST_NEXT);
            setti_marks_add(&walk->bits, member);
        }
    }
}

/* Marks, in walk->bits, the indices whose values may differ. */
static void value_mark(setti_delta_writer* writer)
{
    setti_compare* walk = writer->walk;
    const setti_type* list_type = value_list_type(writer);
    setti_marks_clear(&walk->bits);
    setti_marks_join(&walk->bits, &walk->begun);
    setti_compare_mark(walk, writer->type);
    if (list_type != NULL && list_type != writer->type) {
        setti_compare_mark(walk, list_type);
    }
    if (list_type == NULL) {
        return;
    }
    const setti_codec* codec = setti_delta_codec(list_type);
    /* members name their owner by index: a new owner with the index of the old one changes no byte
     * of the members */
    if (codec != NULL && codec->by_index) {
        value_mark_members(walk, list_type, codec);
    }
}

void setti_delta_write_bytes(setti_delta_writer* writer, const setti_type* type, const void* value)
{
    size_t size = setti_hash_size(type);
    size_t begin = writer->size;
    setti_delta_write(writer, value, size);
    if (size == 0 || writer->size > writer->capacity) { /* the value has not been written */
        return;
    }
    setti_delta_mask(type, writer->out + begin, size);
    if (setti_delta_turns(type)) {
        setti_canonical_turn_value(type->members, writer->out + begin);
    }
}

/* Writes the value of an entry. `value` is NULL for a removed component, which has no value. */
static void value_write(setti_delta_writer* writer, const void* value)
{
    if (value != NULL && writer->codec == NULL) {
        setti_delta_write_bytes(writer, writer->type, value);
    } else if (value != NULL && writer->codec->encode != NULL) {
        writer->codec->encode(&writer->encoder, writer->type, value);
    }
}

/* Whether a value must be written: because the value differs, or because the entity has another
 * owner. (The receiver removes a name while the entity moves to a new parent.) */
static bool value_must_be_written(setti_delta_writer* writer, uint32_t index, const void* before,
                                  const void* after)
{
    if (writer->codec == NULL || writer->codec->differs == NULL) {
        return true;
    }
    if (writer->codec->differs(before, after)) {
        return true;
    }
    const setti_type* list_type = value_list_type(writer);
    if (list_type == NULL) {
        return false;
    }
    const setti_codec* list_codec = setti_delta_codec(list_type);
    if (list_codec == NULL) {
        return false;
    }
    sett_entity owner[2];
    for (uint32_t side = 0; side < 2; side++) {
        setti_codec_cursor cursor = {0};
        owner[side] =
            list_codec->owner(&writer->walk->view->sides, list_type, index, side, &cursor);
    }
    return !sett_equals(owner[SETTI_BEFORE], owner[SETTI_AFTER]);
}

static void value_write_entry(setti_delta_writer* writer, setti_delta_kind kind, uint32_t index,
                              const void* value)
{
    SETTI_ASSERT(kind < SETTI_DELTA_KINDS && (value == NULL) == (kind == SETTI_DELTA_REMOVED));
    setti_delta_write_number(writer, (uint64_t)kind, 1);
    setti_delta_write_number(writer, index, 4);
    value_write(writer, value);
    writer->count++;
}

static void value_begin_block(setti_delta_writer* writer, setti_delta_kind kind, uint32_t first,
                              uint64_t bits)
{
    SETTI_ASSERT(bits != 0 && first % 64 == 0);
    writer->block_at = writer->size;
    setti_delta_write_number(writer, (uint64_t)kind | SETTI_DELTA_BLOCK, 1);
    setti_delta_write_number(writer, first, 4);
    setti_delta_write_number(writer, bits, 8);
    writer->count++;
}

/* Ends the current block, if there is one. A single entry is written without a block. */
static void value_end_block(setti_delta_writer* writer)
{
    if (writer->block_bits != 0 && writer->block_at == SIZE_MAX) { /* one entry, not written yet */
        uint32_t index = writer->block_first + setti_bits_lowest(writer->block_bits);
        value_write_entry(writer, writer->block_kind, index, writer->block_value);
    }
    writer->block_bits = 0;
}

/* Adds an entry to the current block, or begins a block. The first entry of a block is written
 * together with the second, or by value_end_block. */
static void value_write_blocked(setti_delta_writer* writer, setti_delta_kind kind, uint32_t index,
                                const void* value)
{
    SETTI_ASSERT(writer->codec == NULL && writer->type != NULL);
    uint32_t first = index - index % 64;
    bool in_block = writer->block_kind == kind && writer->block_first == first;
    if (writer->block_bits == 0 || !in_block) {
        value_end_block(writer);
        writer->block_at = SIZE_MAX; /* the first entry is not written yet */
        writer->block_kind = kind;
        writer->block_first = first;
        writer->block_bits = (uint64_t)1 << (index % 64);
        writer->block_value = value;
        return;
    }
    if (writer->block_at == SIZE_MAX) {
        value_begin_block(writer, kind, first, writer->block_bits);
        value_write(writer, writer->block_value);
    }
    writer->block_bits |= (uint64_t)1 << (index % 64);
    setti_delta_write_at(writer, writer->block_at + SETTI_DELTA_ENTRY_HEAD, writer->block_bits, 8);
    value_write(writer, value);
}

/* Writes the entry of a value that may differ. */
static void value_entry(setti_compare_sink* sink, sett_entity old_entity, const void* before,
                        sett_entity entity, const void* after)
{
    setti_delta_writer* writer = (setti_delta_writer*)sink;
    bool survives = sett_equals(old_entity, entity);
    if (writer->codec == NULL && survives && before != NULL && after != NULL) {
        setti_delta_change(writer, entity, before, after);
        return;
    }
    if (writer->sum.view != NULL && !writer->walk->same) { /* equal values change no sum */
        setti_delta_sum_value(&writer->sum, old_entity, before, entity, after);
    }
    if (after == NULL && !survives) {
        return; /* removed with its entity */
    }
    setti_delta_kind kind = SETTI_DELTA_ADDED;
    if (survives && before != NULL) {
        kind = after != NULL ? SETTI_DELTA_CHANGED : SETTI_DELTA_REMOVED;
    }
    if (kind == SETTI_DELTA_CHANGED) {
        if (!value_must_be_written(writer, entity.index, before, after)) {
            return;
        }
    }
    if (writer->codec == NULL) {
        value_write_blocked(writer, kind, entity.index, after);
    } else {
        value_write_entry(writer, kind, entity.index, after);
    }
}

/* Writes the values of up to 64 rows.
 *   row   the value of the row for bit 0, even if the bit is not set */
static void value_write_word(setti_delta_writer* writer, const unsigned char* row, uint64_t bits)
{
    SETTI_ASSERT(bits != 0);
    size_t size = setti_hash_size(writer->type);
    if (writer->type->desc.mask != NULL || setti_delta_turns(writer->type)) {
        for (uint64_t rest_bits = bits; rest_bits != 0; rest_bits &= rest_bits - 1) {
            setti_delta_write_bytes(writer, writer->type,
                                    row + setti_bits_lowest(rest_bits) * size);
        }
        return;
    }
    for (uint64_t rest_bits = bits; rest_bits != 0;) { /* writes adjacent values together */
        uint32_t first = setti_bits_lowest(rest_bits);
        uint64_t zeroes = ~(rest_bits >> first);
        uint32_t count = zeroes != 0 ? setti_bits_lowest(zeroes) : 64; /* adjacent bits */
        setti_delta_write(writer, row + first * size, count * size);
        rest_bits &= ~(setti_bits_below(count) << first);
    }
}

/* Writes all values of an array in blocks: the state before is empty. */
static void value_write_array(setti_delta_writer* writer)
{
    SETTI_ASSERT(writer->codec == NULL && writer->type->storage.kind != SETTI_SPARSE);
    const setti_storage* storage = &writer->type->storage;
    setti_view* view = writer->walk->view;
    uint32_t cursor = SETTI_NONE; /* before the first */
    const setti_view_page* page;
    while ((page = setti_view_next(view, &storage->presence, &cursor)) != NULL) {
        const uint64_t* words = page->in[SETTI_AFTER];
        uint32_t first = page->number << SETTI_BITS_SHIFT;
        for (uint32_t k = 0; k < SETTI_BITS_WORDS; k++, first += 64) {
            if (words[k] == 0) {
                continue;
            }
            value_begin_block(writer, SETTI_DELTA_ADDED, first, words[k]);
            if (setti_hash_size(writer->type) != 0) {
                uint32_t lowest = setti_bits_lowest(words[k]);
                const unsigned char* row =
                    setti_view_value(view, writer->type, first + lowest, SETTI_AFTER);
                /* value_write_word takes the row for bit 0. */
                value_write_word(writer, row - lowest * storage->size, words[k]);
            }
        }
    }
}

void setti_delta_write_entries(setti_delta_writer* writer)
{
    writer->count = 0;
    writer->block_bits = 0;
    if (writer->walk->view->empty && writer->codec == NULL &&
        writer->type->storage.kind != SETTI_SPARSE) {
        value_write_array(writer);
        return;
    }
    writer->sink.value = value_entry;
    writer->sink.rows = writer->codec == NULL ? setti_delta_change_rows : NULL;
    writer->walk->sink = &writer->sink;
    /* If the codec has `differs`, it decides for all marked values. */
    writer->walk->all = writer->codec != NULL && writer->codec->differs != NULL;
    value_mark(writer);
    setti_compare_notify(writer->walk, writer->type);
    writer->walk->all = false;
    value_end_block(writer);
}

static uint32_t value_list_first(const setti_delta_writer* writer, uint32_t owner, uint32_t side)
{
    SETTI_ASSERT(writer->codec->list != NULL);
    setti_codec_list list;
    if (!writer->codec->list(&writer->walk->view->sides, writer->type, owner, side, &list)) {
        return SETTI_NONE;
    }
    return list.first;
}

/* Returns the member at *place, which becomes the next place. Returns SETTI_NONE at the end. */
static uint32_t value_list_next(const setti_delta_writer* writer, uint32_t side, uint32_t* place)
{
    if (*place == SETTI_NONE) {
        return SETTI_NONE;
    }
    return writer->codec->step(&writer->walk->view->sides, writer->type, side, place,
                               SETTI_LIST_NEXT);
}

/* Whether the list of `owner` on a side has a member. Returns false if the member was destroyed or
 * created: the index must stand for the same entity on both sides. */
static bool value_is_in(const setti_delta_writer* writer, sett_entity owner, uint32_t member,
                        uint32_t side)
{
    setti_view* view = writer->walk->view;
    setti_codec_cursor cursor = {0};
    if (setti_view_value(view, writer->type, member, side) == NULL) {
        return false;
    }
    if (!sett_equals(setti_view_entity(view, member, SETTI_BEFORE),
                     setti_view_entity(view, member, SETTI_AFTER))) {
        return false;
    }
    for (;;) {
        sett_entity next = writer->codec->owner(&view->sides, writer->type, member, side, &cursor);
        if (sett_is_null(next)) {
            return false; /* no more owners */
        }
        if (sett_equals(next, owner)) {
            return true;
        }
    }
}

/* Whether a list must be sent. *known becomes the number of members, at the beginning, that the
 * receiver has in the right order. */
static bool value_list_differs(const setti_delta_writer* writer, sett_entity owner, uint32_t* known)
{
    uint32_t place = value_list_first(writer, owner.index, SETTI_AFTER);
    uint32_t next = value_list_next(writer, SETTI_AFTER, &place); /* the next member to compare */
    *known = 0;
    /* the receiver's list begins with the old members that remain, in the old order */
    if (sett_equals(setti_view_entity(writer->walk->view, owner.index, SETTI_BEFORE), owner)) {
        uint32_t old_place = value_list_first(writer, owner.index, SETTI_BEFORE);
        uint32_t old;
        while ((old = value_list_next(writer, SETTI_BEFORE, &old_place)) != SETTI_NONE) {
            if (!value_is_in(writer, owner, old, SETTI_AFTER)) {
                continue; /* the old member was removed from the list */
            }
            if (old != next) {
                return true;
            }
            next = value_list_next(writer, SETTI_AFTER, &place);
            *known += 1;
        }
    }
    /* then the receiver's list has the new members, ascending by index */
    uint32_t last = 0;
    while (next != SETTI_NONE) {
        if (next < last) {
            return true;
        }
        last = next;
        next = value_list_next(writer, SETTI_AFTER, &place);
    }
    return false;
}

static void value_write_list(setti_delta_writer* writer, sett_entity owner)
{
    uint32_t known;
    if (!value_list_differs(writer, owner, &known)) {
        return;
    }
    SETTI_ASSERT(!sett_is_null(owner));
    setti_delta_write_number(writer, owner.index, 4);
    setti_delta_write_number(writer, known, 4);
    size_t count_offset = writer->size;
    uint32_t count = 0;
    setti_delta_write_number(writer, 0, 4);
    uint32_t place = value_list_first(writer, owner.index, SETTI_AFTER);
    uint32_t member;
    while ((member = value_list_next(writer, SETTI_AFTER, &place)) != SETTI_NONE) {
        if (count >= known) {
            setti_delta_write_number(writer, member, 4);
        }
        count++;
    }
    setti_delta_write_at(writer, count_offset, count - known, 4);
    writer->count++;
}

/* Whether the right member follows `member` in the receiver's list (see value_list_differs). The
 * list must be `direct`: the place of a member is its index. */
static bool value_follows(const setti_delta_writer* writer, sett_entity owner, uint32_t member)
{
    uint32_t next = member; /* becomes the member after `member`, or SETTI_NONE */
    (void)value_list_next(writer, SETTI_AFTER, &next);
    bool next_is_old = next != SETTI_NONE && value_is_in(writer, owner, next, SETTI_BEFORE);
    if (!value_is_in(writer, owner, member, SETTI_BEFORE)) { /* a new member */
        return next == SETTI_NONE || (!next_is_old && next > member);
    }
    uint32_t next_old = member; /* becomes the next old member that is still in the list */
    do {
        (void)value_list_next(writer, SETTI_BEFORE, &next_old);
    } while (next_old != SETTI_NONE && !value_is_in(writer, owner, next_old, SETTI_AFTER));
    if (next_old != SETTI_NONE) {
        return next == next_old;
    }
    return !next_is_old; /* only new members, or none, follow */
}

/* Marks the owners of lists that contain `member` and may have another order at the receiver. */
static void value_mark_owners(setti_delta_writer* writer, uint32_t member)
{
    setti_view* view = writer->walk->view;
    setti_codec_cursor cursor = {0};
    for (;;) {
        sett_entity owner =
            writer->codec->owner(&view->sides, writer->type, member, SETTI_AFTER, &cursor);
        if (sett_is_null(owner)) {
            return;
        }
        /* a direct list is right if the right member follows each changed member */
        if (!writer->codec->direct || !value_follows(writer, owner, member)) {
            setti_marks_add(&writer->walk->marked, owner.index);
        }
    }
}

void setti_delta_write_lists(setti_delta_writer* writer)
{
    setti_compare* walk = writer->walk;
    writer->count = 0;
    if (writer->codec == NULL || writer->codec->list == NULL) {
        return;
    }
    setti_marks_clear(&walk->marked);
    uint32_t member = SETTI_NONE;                    /* before the first */
    while (setti_marks_next(&walk->bits, &member)) { /* which value_mark has marked */
        if (setti_view_value(walk->view, writer->type, member, SETTI_AFTER) != NULL) {
            value_mark_owners(writer, member);
        }
    }
    uint32_t owner = SETTI_NONE; /* before the first */
    while (setti_marks_next(&walk->marked, &owner)) {
        value_write_list(writer, setti_view_entity(walk->view, owner, SETTI_AFTER));
    }
}

/* delta_value.c: encodes the values of components, and the order of lists.
 *
 * Values are sent as bytes, or in the form of a codec (world/codec.h). The order of a list is sent
 * only if it does not follow from the entries.
 *
 * Invariant:  playing the entries, then the lists, gives the lists of the second state
 */
#include "state/delta_writer.h"
#include "state/hash.h"

/* Returns the type whose lists decide about the writer's values, or NULL. */
static const setti_type* value_list_type(const setti_delta_writer* to)
{
    if (to->codec == NULL) {
        return NULL;
    }
    if (to->codec->follows != NULL) {
        return to->codec->follows(to->type->world);
    }
    return to->codec->list != NULL ? to->type : NULL;
}

/* Marks the members of the lists that created entities own. */
static void value_mark_members(setti_compare* walk, const setti_type* type,
                               const setti_codec* codec)
{
    setti_sides* sides = &walk->view->sides;
    for (uint32_t index = SETTI_NONE; setti_marks_next(&walk->begun, &index);) {
        setti_codec_list list;
        uint32_t place =
            codec->list(sides, type, index, SETTI_AFTER, &list) ? list.first : SETTI_NONE;
        while (place != SETTI_NONE) {
            setti_marks_add(&walk->bits,
                            codec->step(sides, type, SETTI_AFTER, &place, SETTI_LIST_NEXT));
        }
    }
}

/* Marks the indices whose values may differ in walk->bits. */
static void value_mark(setti_delta_writer* to)
{
    setti_compare* walk = to->walk;
    const setti_type* list_type = value_list_type(to);
    setti_marks_clear(&walk->bits);
    setti_marks_join(&walk->bits, &walk->begun);
    setti_compare_mark(walk, to->type);
    if (list_type != NULL && list_type != to->type) {
        setti_compare_mark(walk, list_type);
    }
    const setti_codec* codec = list_type != NULL ? setti_delta_codec(list_type) : NULL;
    /* members name their owner by index: a new owner with the old one's index changes no bytes */
    if (codec != NULL && codec->by_index) {
        value_mark_members(walk, list_type, codec);
    }
}

void setti_delta_write_bytes(setti_delta_writer* to, const setti_type* type, const void* value)
{
    size_t size = setti_hash_size(type);
    size_t begin = to->size;
    setti_delta_write(to, value, size);
    if (size == 0 || to->size > to->capacity) { /* the value has not been written */
        return;
    }
    setti_delta_mask(type, to->out + begin, size);
    if (setti_delta_turns(type)) {
        setti_canonical_turn_value(type->members, to->out + begin);
    }
}

/* Writes the value of an entry. NULL, for a removed component, writes nothing. */
static void value_write(setti_delta_writer* to, const void* value)
{
    if (value != NULL && to->codec == NULL) {
        setti_delta_write_bytes(to, to->type, value);
    } else if (value != NULL && to->codec->encode != NULL) {
        to->codec->encode(&to->encoder, to->type, value);
    }
}

/* Whether a value must be written: if it differs, or its owner in a list has changed. */
static bool value_must_be_written(setti_delta_writer* to, uint32_t index, const void* before,
                                  const void* after)
{
    if (to->codec == NULL || to->codec->differs == NULL || to->codec->differs(before, after)) {
        return true;
    }
    /* a changed owner: the receiver removes a name while its entity moves to a new parent */
    const setti_type* list_type = value_list_type(to);
    const setti_codec* list_codec = list_type != NULL ? setti_delta_codec(list_type) : NULL;
    sett_entity owner[2] = {sett_null(), sett_null()};
    if (list_codec == NULL) {
        return false;
    }
    for (uint32_t side = 0; side < 2; side++) {
        setti_codec_cursor cursor = {0};
        owner[side] = list_codec->owner(&to->walk->view->sides, list_type, index, side, &cursor);
    }
    return !sett_equals(owner[SETTI_BEFORE], owner[SETTI_AFTER]);
}

static void value_write_entry(setti_delta_writer* to, setti_delta_kind kind, uint32_t index,
                              const void* value)
{
    SETTI_ASSERT(kind < SETTI_DELTA_KINDS && (value == NULL) == (kind == SETTI_DELTA_REMOVED));
    setti_delta_write_number(to, (uint64_t)kind, 1);
    setti_delta_write_number(to, index, 4);
    value_write(to, value);
    to->count++;
}

static void value_begin_block(setti_delta_writer* to, setti_delta_kind kind, uint32_t first,
                              uint64_t bits)
{
    SETTI_ASSERT(bits != 0 && first % 64 == 0);
    to->block_at = to->size;
    setti_delta_write_number(to, (uint64_t)kind | SETTI_DELTA_BLOCK, 1);
    setti_delta_write_number(to, first, 4);
    setti_delta_write_number(to, bits, 8);
    to->count++;
}

/* Ends the current block, if any. Writes a single entry without a block. */
static void value_end_block(setti_delta_writer* to)
{
    if (to->block_bits != 0 && to->block_at == SIZE_MAX) {
        value_write_entry(to, to->block_kind, to->block_first + setti_bits_lowest(to->block_bits),
                          to->block_value);
    }
    to->block_bits = 0;
}

/* Adds an entry to the current block, or begins a block. The first entry of a block is written when
 * a second one comes, or by value_end_block. */
static void value_write_blocked(setti_delta_writer* to, setti_delta_kind kind, uint32_t index,
                                const void* value)
{
    SETTI_ASSERT(to->codec == NULL && to->type != NULL);
    uint32_t first = index - index % 64;
    if (to->block_bits == 0 || to->block_kind != kind || to->block_first != first) {
        value_end_block(to);
        to->block_at = SIZE_MAX;
        to->block_kind = kind;
        to->block_first = first;
        to->block_bits = (uint64_t)1 << (index % 64);
        to->block_value = value;
        return;
    }
    if (to->block_at == SIZE_MAX) {
        value_begin_block(to, kind, first, to->block_bits);
        value_write(to, to->block_value);
    }
    to->block_bits |= (uint64_t)1 << (index % 64);
    setti_delta_write_at(to, to->block_at + SETTI_DELTA_ENTRY_HEAD, to->block_bits, 8);
    value_write(to, value);
}

/* Writes the entry of a value that may differ. */
static void value_entry(setti_compare_sink* sink, sett_entity old_entity, const void* before,
                        sett_entity entity, const void* after)
{
    setti_delta_writer* to = (setti_delta_writer*)sink;
    bool survives = sett_equals(old_entity, entity);
    if (to->codec == NULL && survives && before != NULL && after != NULL) {
        setti_delta_change(to, entity, before, after);
        return;
    }
    if (to->sum.view != NULL && !to->walk->same) { /* equal values change no sum */
        setti_delta_sum_value(&to->sum, old_entity, before, entity, after);
    }
    if (after == NULL && !survives) {
        return; /* removed with its entity */
    }
    setti_delta_kind kind = SETTI_DELTA_ADDED;
    if (survives && before != NULL) {
        kind = after != NULL ? SETTI_DELTA_CHANGED : SETTI_DELTA_REMOVED;
    }
    if (kind == SETTI_DELTA_CHANGED && !value_must_be_written(to, entity.index, before, after)) {
        return;
    }
    if (to->codec == NULL) {
        value_write_blocked(to, kind, entity.index, after);
    } else {
        value_write_entry(to, kind, entity.index, after);
    }
}

/* Writes the values of up to 64 rows. `row` is the value for bit 0. */
static void value_write_word(setti_delta_writer* to, const unsigned char* row, uint64_t bits)
{
    SETTI_ASSERT(bits != 0);
    size_t size = setti_hash_size(to->type);
    if (to->type->desc.mask != NULL || setti_delta_turns(to->type)) {
        for (uint64_t rest = bits; rest != 0; rest &= rest - 1) {
            setti_delta_write_bytes(to, to->type, row + setti_bits_lowest(rest) * size);
        }
        return;
    }
    for (uint64_t rest = bits; rest != 0;) { /* writes adjacent values together */
        uint32_t first = setti_bits_lowest(rest);
        uint64_t zeroes = ~(rest >> first);
        uint32_t count = zeroes != 0 ? setti_bits_lowest(zeroes) : 64; /* adjacent bits */
        setti_delta_write(to, row + first * size, count * size);
        rest &= ~(setti_bits_below(count) << first);
    }
}

/* Writes all values of an array in blocks: the state before is empty. */
static void value_write_array(setti_delta_writer* to)
{
    SETTI_ASSERT(to->codec == NULL && to->type->storage.kind != SETTI_SPARSE);
    const setti_storage* storage = &to->type->storage;
    setti_view* view = to->walk->view;
    uint32_t at = SETTI_NONE;
    const setti_view_page* page;
    while ((page = setti_view_next(view, &storage->presence, &at)) != NULL) {
        const uint64_t* words = page->in[SETTI_AFTER];
        uint32_t first = page->number << SETTI_BITS_SHIFT;
        for (uint32_t k = 0; k < SETTI_BITS_WORDS; k++, first += 64) {
            if (words[k] == 0) {
                continue;
            }
            value_begin_block(to, SETTI_DELTA_ADDED, first, words[k]);
            if (setti_hash_size(to->type) != 0) {
                uint32_t lowest = first + setti_bits_lowest(words[k]);
                const unsigned char* row = setti_view_value(view, to->type, lowest, SETTI_AFTER);
                row -= (lowest - first) * storage->size; /* the row of bit 0 */
                value_write_word(to, row, words[k]);
            }
        }
    }
}

void setti_delta_write_entries(setti_delta_writer* to)
{
    to->count = 0;
    to->block_bits = 0;
    if (to->walk->view->empty && to->codec == NULL && to->type->storage.kind != SETTI_SPARSE) {
        value_write_array(to);
        return;
    }
    to->sink.value = value_entry;
    to->sink.rows = to->codec == NULL ? setti_delta_change_rows : NULL;
    to->walk->sink = &to->sink;
    to->walk->all = to->codec != NULL && to->codec->differs != NULL; /* `differs` decides */
    value_mark(to);
    setti_compare_notify(to->walk, to->type);
    to->walk->all = false;
    value_end_block(to);
}

static uint32_t value_list_first(const setti_delta_writer* to, uint32_t owner, uint32_t side)
{
    SETTI_ASSERT(to->codec->list != NULL);
    setti_codec_list list;
    if (!to->codec->list(&to->walk->view->sides, to->type, owner, side, &list)) {
        return SETTI_NONE;
    }
    return list.first;
}

/* Returns the member at *place, which becomes the next place. Returns SETTI_NONE at the end. */
static uint32_t value_list_next(const setti_delta_writer* to, uint32_t side, uint32_t* place)
{
    if (*place == SETTI_NONE) {
        return SETTI_NONE;
    }
    return to->codec->step(&to->walk->view->sides, to->type, side, place, SETTI_LIST_NEXT);
}

/* Whether `member`, an entity on both sides, is in the list of `owner` on a side. */
static bool value_is_in(const setti_delta_writer* to, sett_entity owner, uint32_t member,
                        uint32_t side)
{
    setti_view* view = to->walk->view;
    setti_codec_cursor cursor = {0};
    sett_entity at; /* an owner of the member */
    if (setti_view_value(view, to->type, member, side) == NULL ||
        !sett_equals(setti_view_entity(view, member, SETTI_BEFORE),
                     setti_view_entity(view, member, SETTI_AFTER))) {
        return false;
    }
    do {
        at = to->codec->owner(&view->sides, to->type, member, side, &cursor);
    } while (!sett_is_null(at) && !sett_equals(at, owner));
    return !sett_is_null(at);
}

/* Whether a list must be sent. *known: how many members at its beginning need not be sent. */
static bool value_list_differs(const setti_delta_writer* to, sett_entity owner, uint32_t* known)
{
    uint32_t place = value_list_first(to, owner.index, SETTI_AFTER);
    uint32_t next = value_list_next(to, SETTI_AFTER, &place); /* the next member to compare */
    *known = 0;
    /* the receiver's list begins with the old members that remain, in the old order */
    if (sett_equals(setti_view_entity(to->walk->view, owner.index, SETTI_BEFORE), owner)) {
        uint32_t old_place = value_list_first(to, owner.index, SETTI_BEFORE);
        uint32_t old;
        while ((old = value_list_next(to, SETTI_BEFORE, &old_place)) != SETTI_NONE) {
            if (!value_is_in(to, owner, old, SETTI_AFTER)) {
                continue; /* it was removed from the list */
            }
            if (old != next) {
                return true;
            }
            next = value_list_next(to, SETTI_AFTER, &place);
            ++*known;
        }
    }
    /* then it has the new members, ascending by index */
    uint32_t last = 0;
    for (; next != SETTI_NONE && next >= last; next = value_list_next(to, SETTI_AFTER, &place)) {
        last = next;
    }
    return next != SETTI_NONE;
}

static void value_write_list(setti_delta_writer* to, sett_entity owner)
{
    uint32_t known;
    if (!value_list_differs(to, owner, &known)) {
        return;
    }
    SETTI_ASSERT(!sett_is_null(owner));
    setti_delta_write_number(to, owner.index, 4);
    setti_delta_write_number(to, known, 4);
    size_t count_at = to->size;
    uint32_t count = 0;
    setti_delta_write_number(to, 0, 4);
    uint32_t place = value_list_first(to, owner.index, SETTI_AFTER);
    uint32_t member;
    while ((member = value_list_next(to, SETTI_AFTER, &place)) != SETTI_NONE) {
        if (count++ >= known) {
            setti_delta_write_number(to, member, 4);
        }
    }
    setti_delta_write_at(to, count_at, count - known, 4);
    to->count++;
}

/* Whether the receiver's list has the right member after `member` (see value_list_differs). */
static bool value_follows(const setti_delta_writer* to, sett_entity owner, uint32_t member)
{
    uint32_t next = member; /* a place: in a `direct` list, the place of a member is its index */
    (void)value_list_next(to, SETTI_AFTER, &next);
    bool next_is_old = next != SETTI_NONE && value_is_in(to, owner, next, SETTI_BEFORE);
    if (!value_is_in(to, owner, member, SETTI_BEFORE)) { /* a new member */
        return next == SETTI_NONE || (!next_is_old && next > member);
    }
    uint32_t next_old = member; /* the next old member that is still in the list */
    do {
        (void)value_list_next(to, SETTI_BEFORE, &next_old);
    } while (next_old != SETTI_NONE && !value_is_in(to, owner, next_old, SETTI_AFTER));
    return next_old != SETTI_NONE ? next == next_old : !next_is_old; /* SETTI_NONE is not old */
}

/* Marks the owners of lists that contain `member` and may have another order at the receiver. */
static void value_mark_owners(setti_delta_writer* to, uint32_t member)
{
    setti_view* view = to->walk->view;
    setti_codec_cursor cursor = {0};
    for (;;) {
        sett_entity owner = to->codec->owner(&view->sides, to->type, member, SETTI_AFTER, &cursor);
        if (sett_is_null(owner)) {
            return;
        }
        /* a direct list is right if the right member follows each changed member */
        if (!to->codec->direct || !value_follows(to, owner, member)) {
            setti_marks_add(&to->walk->marked, owner.index);
        }
    }
}

void setti_delta_write_lists(setti_delta_writer* to)
{
    setti_compare* walk = to->walk;
    to->count = 0;
    if (to->codec == NULL || to->codec->list == NULL) {
        return;
    }
    setti_marks_clear(&walk->marked);
    for (uint32_t index = SETTI_NONE; setti_marks_next(&walk->bits, &index);) { /* value_mark's */
        if (setti_view_value(walk->view, to->type, index, SETTI_AFTER) != NULL) {
            value_mark_owners(to, index);
        }
    }
    for (uint32_t index = SETTI_NONE; setti_marks_next(&walk->marked, &index);) {
        value_write_list(to, setti_view_entity(walk->view, index, SETTI_AFTER));
    }
}

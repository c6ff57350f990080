/* delta_value.c: encodes components: their values, or what they link.
 *
 * The workload: as delta.c's. Values go as their bytes, padding as zeroes. Components of modules
 * contain indices and keys that a receiver could not check; so they are sent as a program would set
 * them: this parent, this target, this name. The order of lists is sent only where it does not
 * follow from that.
 *
 * Invariant:  entries, applied in their order, and then the lists, make of side 0's links side 1's,
 *             in the same order
 */
#include "relation/text.h"
#include "state/delta_writer.h"
#include "state/hash.h"

/* Collects in `bits` the indices that can differ in a type and in what its entries depend on. */
static void value_mark(setti_delta_writer* to)
{
    setti_compare* walk = to->walk;
    const sett_world* world = walk->view->world;
    setti_marks_clear(&walk->bits);
    setti_marks_join(&walk->bits, &walk->begun);
    setti_compare_mark(walk, to->type);
    if (world->hierarchy == NULL ||
        (to->form != SETTI_DELTA_TREE && to->form != SETTI_DELTA_NAME)) {
        return;
    }
    if (to->form == SETTI_DELTA_NAME) {
        setti_compare_mark(walk, world->hierarchy->type);
    }
    /* links are indices: they do not change if another entity gets the parent's index */
    const setti_type* tree = world->hierarchy->type;
    for (uint32_t index = SETTI_NONE; setti_marks_next(&walk->begun, &index);) {
        const sett_hierarchy* node = setti_view_value(walk->view, tree, index, 1);
        for (uint32_t child = node != NULL ? node->first : 0; child != 0; child = node->next) {
            setti_marks_add(&walk->bits, child - 1);
            node = setti_view_value(walk->view, tree, child - 1, 1);
        }
    }
}

static sett_entity value_parent(setti_view* view, const sett_hierarchy* node, uint32_t side)
{
    return node != NULL && node->parent != 0 ? setti_view_entity(view, node->parent - 1, side)
                                             : sett_null();
}

/* -------------------------------------------------------------------------------------- entries */

void setti_delta_write_bytes(setti_delta_writer* to, const void* value)
{
    size_t size = setti_hash_size(to->type);
    const unsigned char* bytes = value;
    const unsigned char* mask = to->type->desc.mask;
    unsigned char piece[64];
    size_t begin = to->size;
    if (mask == NULL) {
        setti_delta_write(to, value, size);
    }
    for (size_t at = 0; mask != NULL && at < size; at += sizeof(piece)) {
        size_t count = SETTI_MIN(sizeof(piece), size - at);
        for (size_t k = 0; k < count; k++) {
            piece[k] = bytes[at + k] & mask[at + k];
        }
        setti_delta_write(to, piece, count);
    }
    if (setti_delta_turns(to->type) && to->size <= to->capacity) {
        setti_canonical_turn_value(to->type->members, to->out + begin);
    }
}

/* Target and data of an exclusive link; not its neighbours. */
static void value_write_link(setti_delta_writer* to, const sett_link* link)
{
    const setti_relation* relation = to->type->relation;
    setti_delta_write_number(to, link->target.index, 4);
    setti_delta_write_number(to, link->target.generation, 4);
    setti_delta_write(to, (const unsigned char*)link + relation->data, relation->data_size);
}

static void value_write_links(setti_delta_writer* to, const sett_links* links)
{
    const setti_relation* relation = to->type->relation;
    uint32_t place = links->first_;
    setti_delta_write_number(to, links->count, 4);
    for (uint32_t k = 0; k < links->count; k++) {
        const setti_chain_record* record = setti_view_record(to->walk->view, relation, place, 1);
        setti_delta_write_number(to, record->target.index, 4);
        setti_delta_write_number(to, record->target.generation, 4);
        setti_delta_write(to, (const unsigned char*)record + relation->data, relation->data_size);
        place = record->by_source.next;
    }
}

/* The text of a key in side 1's state, which can be missing in the live world. */
static const char* value_text(setti_view* view, uint64_t key, size_t* length)
{
    sett_world* world = setti_unconst(view->world);
    setti_texts* texts = &world->name_table->texts;
    const char* text = setti_text_of(world, texts, key);
    *length = text != NULL ? strlen(text) : 0;
    for (uint32_t number = 0; text == NULL && number < texts->pages.capacity; number++) {
        const unsigned char* page = setti_view_get(view, &texts->pages, number, 1);
        uint32_t used = page != NULL ? setti_view_number(view, &texts->root, 1) : 0;
        for (size_t at = 0; text == NULL && at + SETTI_TEXT_HEAD <= SETTI_TEXT_PAGE;) {
            uint16_t head = 0;
            if (((size_t)number * SETTI_TEXT_PAGE) + at < used) {
                memcpy(&head, page + at, sizeof(head));
            }
            if (head == 0) {
                break;
            }
            bool hole = (head & SETTI_TEXT_HOLE) != 0;
            head = (uint16_t)(head & ~SETTI_TEXT_HOLE);
            const char* here = (const char*)page + at + SETTI_TEXT_HEAD;
            text = !hole && setti_hash_bytes(here, head) == key ? here : NULL;
            *length = head;
            at += SETTI_TEXT_HEAD + head + 1;
        }
    }
    return text;
}

static void value_write_name(setti_delta_writer* to, uint64_t key)
{
    size_t length = 0;
    const char* text = key != 0 ? value_text(to->walk->view, key, &length) : "";
    if (text == NULL && to->status == SETT_OK) { /* two texts of one hash, one of them gone */
        to->status =
            setti_world_fail_with(setti_unconst(to->walk->view->world), SETT_STATUS_ARGUMENT,
                                  "sett_delta_encode: a name's text is not known any more");
    }
    setti_delta_write_number(to, length, 2);
    setti_delta_write(to, text, length);
}

static void value_write(setti_delta_writer* to, const void* value)
{
    switch (to->form) {
    case SETTI_DELTA_TREE:
        setti_delta_write_number(to, ((const sett_hierarchy*)value)->parent, 4);
        setti_delta_write_number(to, ((const sett_hierarchy*)value)->children & SETTI_POLICY, 1);
        break;
    case SETTI_DELTA_NAME:
        value_write_name(to, ((const sett_name*)value)->key);
        break;
    case SETTI_DELTA_LINKS:
        value_write_links(to, value);
        break;
    case SETTI_DELTA_LINK:
        value_write_link(to, value);
        break;
    case SETTI_DELTA_VALUES:
        setti_delta_write_bytes(to, value);
        break;
    case SETTI_DELTA_TARGET:
        break;
    }
}

/* Whether a value that exists on both sides must be written. A name must if its entity moves: on
 * the way a sibling could have it. */
static bool value_differs(setti_delta_writer* to, uint32_t index, const void* before,
                          const void* after)
{
    setti_view* view = to->walk->view;
    if (to->form == SETTI_DELTA_TARGET) {
        return false;
    }
    if (to->form != SETTI_DELTA_TREE && to->form != SETTI_DELTA_NAME) {
        return true;
    }
    const setti_hierarchy* tree = view->world->hierarchy;
    const sett_hierarchy* node[2] = {before, after};
    bool differs = false;
    if (to->form == SETTI_DELTA_NAME) {
        differs = ((const sett_name*)before)->key != ((const sett_name*)after)->key;
        for (uint32_t side = 0; side < 2; side++) {
            node[side] = tree != NULL ? setti_view_value(view, tree->type, index, side) : NULL;
        }
    } else {
        differs = ((node[0]->children ^ node[1]->children) & SETTI_POLICY) != 0;
    }
    return differs || !sett_equals(value_parent(view, node[0], 0), value_parent(view, node[1], 1));
}

static void value_write_entry(setti_delta_writer* to, setti_delta_kind kind, uint32_t index,
                              const void* value)
{
    setti_delta_write_number(to, (uint64_t)kind, 1);
    setti_delta_write_number(to, index, 4);
    if (kind != SETTI_DELTA_REMOVED) {
        value_write(to, value);
    }
    to->count++;
}

/* Writes which entities of a word have values, which follow. */
static void value_begin_block(setti_delta_writer* to, setti_delta_kind kind, uint32_t first,
                              uint64_t bits)
{
    to->block_at = to->size;
    setti_delta_write_number(to, (uint64_t)kind | SETTI_DELTA_BLOCK, 1);
    setti_delta_write_number(to, first, 4);
    setti_delta_write_number(to, bits, 8);
    to->count++;
}

/* Ends a block: the value of one that would have a single entry was not written yet. */
static void value_end_block(setti_delta_writer* to)
{
    if (to->block_bits != 0 && to->block_at == SIZE_MAX) {
        value_write_entry(to, to->block_kind, to->block_first + setti_bits_lowest(to->block_bits),
                          to->block_value);
    }
    to->block_bits = 0;
}

/* Writes an entry into the block of its word, or begins one. */
static void value_write_blocked(setti_delta_writer* to, setti_delta_kind kind, uint32_t index,
                                const void* value)
{
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
    bool removed = kind == SETTI_DELTA_REMOVED;
    if (to->block_at == SIZE_MAX) {
        value_begin_block(to, kind, first, to->block_bits);
        if (!removed) {
            value_write(to, to->block_value);
        }
    }
    to->block_bits |= (uint64_t)1 << (index % 64);
    setti_delta_write_at(to, to->block_at + 5, to->block_bits, 8);
    if (!removed) {
        value_write(to, value);
    }
}

static void value_entry(setti_compare_sink* sink, sett_entity was, const void* before,
                        sett_entity is, const void* after)
{
    setti_delta_writer* to = (setti_delta_writer*)sink;
    bool same = sett_equals(was, is);
    if (sett_is_null(is) || (after == NULL && !same)) {
        return; /* removed with its entity */
    }
    setti_delta_kind kind = SETTI_DELTA_ADDED;
    if (same && before != NULL) {
        kind = after != NULL ? SETTI_DELTA_CHANGED : SETTI_DELTA_REMOVED;
    }
    if (kind == SETTI_DELTA_CHANGED && !value_differs(to, is.index, before, after)) {
        return;
    }
    if (to->form == SETTI_DELTA_VALUES) {
        value_write_blocked(to, kind, is.index, after);
    } else {
        value_write_entry(to, kind, is.index, after);
    }
}

/* Writes the values of a word of entities, which lie side by side. */
static void value_write_word(setti_delta_writer* to, const unsigned char* row, uint64_t bits)
{
    size_t size = setti_hash_size(to->type);
    if (to->type->desc.mask != NULL || setti_delta_turns(to->type)) {
        for (uint64_t rest = bits; rest != 0; rest &= rest - 1) {
            setti_delta_write_bytes(to, row + setti_bits_lowest(rest) * size);
        }
        return;
    }
    for (uint64_t rest = bits; rest != 0;) {
        uint32_t first = setti_bits_lowest(rest);
        uint64_t gap = ~(rest >> first);
        uint32_t count = gap != 0 ? setti_bits_lowest(gap) : 64;
        setti_delta_write(to, row + first * size, count * size);
        rest &= ~(setti_bits_below(count) << first);
    }
}

/* All values of an array or tag where nothing was before: word by word. */
static void value_write_array(setti_delta_writer* to)
{
    const setti_storage* storage = &to->type->storage;
    setti_view* view = to->walk->view;
    uint32_t at = SETTI_NONE;
    const setti_view_page* page;
    while ((page = setti_view_next(view, &storage->presence, &at)) != NULL) {
        const uint64_t* words = page->in[1];
        uint32_t first = page->number << SETTI_BITS_SHIFT;
        for (uint32_t k = 0; k < SETTI_BITS_WORDS; k++, first += 64) {
            if (words[k] == 0) {
                continue;
            }
            value_begin_block(to, SETTI_DELTA_ADDED, first, words[k]);
            if (setti_hash_size(to->type) != 0) {
                uint32_t lowest = first + setti_bits_lowest(words[k]);
                const unsigned char* row = setti_view_value(view, to->type, lowest, 1);
                value_write_word(to, row - (lowest - first) * storage->size, words[k]);
            }
        }
    }
}

void setti_delta_write_entries(setti_delta_writer* to)
{
    to->count = 0;
    to->block_bits = 0;
    if (to->walk->view->empty && to->form == SETTI_DELTA_VALUES &&
        to->type->storage.kind != SETTI_SPARSE) {
        value_write_array(to);
        return;
    }
    to->sink.value = value_entry;
    to->walk->sink = &to->sink;
    to->walk->all = to->form == SETTI_DELTA_TREE || to->form == SETTI_DELTA_NAME;
    value_mark(to);
    setti_compare_notify(to->walk, to->type);
    to->walk->all = false;
    value_end_block(to);
}

/* ---------------------------------------------------------------------------------------- lists */

/* A walk over a list: of an owner's children, or of a target's sources. */
typedef struct value_list {
    setti_view* view;
    const setti_type* type;
    uint32_t side;
    uint32_t place; /* of the next: an index, or a record's number; SETTI_NONE: the end */
} value_list;

static value_list value_list_begin(const setti_delta_writer* to, uint32_t owner, uint32_t side)
{
    value_list list = {to->walk->view, to->type, side, SETTI_NONE};
    if (to->form == SETTI_DELTA_TREE) {
        const sett_hierarchy* node = setti_view_value(list.view, list.type, owner, side);
        list.place = node != NULL ? node->first - 1 : SETTI_NONE; /* 0 - 1: none */
    } else {
        const sett_links* sources =
            setti_view_value(list.view, list.type->relation->sources, owner, side);
        list.place = sources != NULL && sources->count != 0 ? sources->first_ : SETTI_NONE;
    }
    return list;
}

/* The index of the next member, SETTI_NONE behind the last. */
static uint32_t value_list_next(value_list* list)
{
    const setti_relation* relation = list->type->relation;
    uint32_t member = list->place;
    if (member == SETTI_NONE) {
        return SETTI_NONE;
    }
    if (relation != NULL && relation->many) {
        const setti_chain_record* record =
            setti_view_record(list->view, relation, list->place, list->side);
        member = record->source;
        list->place = record->by_target.next;
    } else if (relation != NULL) {
        const sett_link* link = setti_view_value(list->view, list->type, member, list->side);
        list->place = link->chain_.next;
    } else {
        const sett_hierarchy* node = setti_view_value(list->view, list->type, member, list->side);
        list->place = node->next - 1;
    }
    return member;
}

/* Whether a member of an owner's list on side 0 is in it on side 1 too. */
static bool value_survives(const setti_delta_writer* to, sett_entity owner, uint32_t member)
{
    setti_view* view = to->walk->view;
    const void* value = setti_view_value(view, to->type, member, 1);
    if (value == NULL ||
        !sett_equals(setti_view_entity(view, member, 0), setti_view_entity(view, member, 1))) {
        return false;
    }
    if (to->form == SETTI_DELTA_TREE) {
        return ((const sett_hierarchy*)value)->parent == owner.index + 1;
    }
    if (to->form == SETTI_DELTA_LINK) {
        return sett_equals(((const sett_link*)value)->target, owner);
    }
    const sett_links* links = value;
    uint32_t place = links->first_;
    for (uint32_t k = 0; k < links->count; k++) {
        const setti_chain_record* record = setti_view_record(view, to->type->relation, place, 1);
        if (sett_equals(record->target, owner)) {
            return true;
        }
        place = record->by_source.next;
    }
    return false;
}

/* How many members side 1's list begins with that follow from side 0's; false: all of it does. */
static bool value_list_differs(const setti_delta_writer* to, sett_entity owner, uint32_t* saved)
{
    value_list is = value_list_begin(to, owner.index, 1);
    uint32_t next = value_list_next(&is);
    *saved = 0;
    if (sett_equals(setti_view_entity(to->walk->view, owner.index, 0), owner)) {
        value_list was = value_list_begin(to, owner.index, 0);
        for (uint32_t member = value_list_next(&was); member != SETTI_NONE;
             member = value_list_next(&was)) {
            if (!value_survives(to, owner, member)) {
                continue;
            }
            if (member != next) {
                return true;
            }
            next = value_list_next(&is);
            ++*saved;
        }
    }
    for (uint32_t last = next; next != SETTI_NONE; last = next, next = value_list_next(&is)) {
        if (next < last) {
            return true;
        }
    }
    return false;
}

static void value_write_list(setti_delta_writer* to, sett_entity owner)
{
    uint32_t saved;
    if (!value_list_differs(to, owner, &saved)) {
        return;
    }
    setti_delta_write_number(to, owner.index, 4);
    setti_delta_write_number(to, saved, 4);
    size_t count_at = to->size;
    uint32_t count = 0;
    setti_delta_write_number(to, 0, 4);
    value_list list = value_list_begin(to, owner.index, 1);
    uint32_t member;
    for (uint32_t k = 0; (member = value_list_next(&list)) != SETTI_NONE; k++) {
        if (k >= saved) {
            setti_delta_write_number(to, member, 4);
            count++;
        }
    }
    setti_delta_write_at(to, count_at, count, 4);
    to->count++;
}

static void value_mark_owner(setti_delta_writer* to, sett_entity owner)
{
    if (!sett_is_null(owner)) {
        setti_marks_add(&to->walk->marked, owner.index);
    }
}

/* Marks the owners of lists that a member's neighbours changed in. */
static void value_owner(setti_compare_sink* sink, sett_entity was, const void* before,
                        sett_entity is, const void* after)
{
    setti_delta_writer* to = (setti_delta_writer*)sink;
    setti_view* view = to->walk->view;
    bool same = before != NULL && sett_equals(was, is);
    if (after == NULL) {
        return;
    }
    if (to->form == SETTI_DELTA_TREE) {
        sett_entity parent = value_parent(view, after, 1);
        if (!same || memcmp(before, after, sizeof(sett_hierarchy)) != 0 ||
            !sett_equals(parent, value_parent(view, before, 0))) {
            value_mark_owner(to, parent);
        }
    } else if (to->form == SETTI_DELTA_LINK) {
        if (!same || memcmp(before, after, sizeof(sett_link)) != 0) {
            value_mark_owner(to, ((const sett_link*)after)->target);
        }
    } else {
        const sett_links* links = after;
        uint32_t place = links->first_;
        for (uint32_t k = 0; k < links->count; k++) {
            const setti_chain_record* record =
                setti_view_record(view, to->type->relation, place, 1);
            value_mark_owner(to, record->target);
            place = record->by_source.next;
        }
    }
}

void setti_delta_write_lists(setti_delta_writer* to)
{
    setti_compare* walk = to->walk;
    to->count = 0;
    if (to->form != SETTI_DELTA_TREE && to->form != SETTI_DELTA_LINK &&
        to->form != SETTI_DELTA_LINKS) {
        return;
    }
    setti_marks_clear(&walk->marked);
    to->sink.value = value_owner;
    walk->all = true;
    value_mark(to);
    setti_compare_notify(walk, to->type);
    walk->all = false;
    for (uint32_t index = SETTI_NONE; setti_marks_next(&walk->marked, &index);) {
        value_write_list(to, setti_view_entity(walk->view, index, 1));
    }
}

/* change_convert.c: calls for the whole storage of a type: reserve rows, close gaps, convert to
 * another kind.
 *
 * The workload: now and then, between frames. No entity gets or loses the type, so neither
 * signatures nor listeners change.
 *
 * Invariant:  the set of entities with the type, all values and all ticks do not change
 */
#include "world/change.h"

sett_status sett_component_reserve(sett_world* world, sett_component component, uint32_t count)
{
    setti_type* type = setti_change_check_type(world, component, __func__);
    if (type == NULL) {
        return setti_world_failure(world);
    }
    if (count == 0) {
        return SETT_OK;
    }
    /* The indices of future entities are unknown: reserves the rows of all pages in use, and of
     * `count` indices more than are taken. */
    const setti_entity_table* table = &world->entities;
    uint64_t end = SETTI_MIN((uint64_t)setti_entity_taken(table) + count, table->limit);
    end = SETTI_MAX(end, setti_entity_capacity(table));
    if (!setti_storage_reserve_rows(&world->pool, &type->storage, count) ||
        !setti_storage_reserve_indices(&world->pool, &type->storage, 0, (uint32_t)end)) {
        return setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, __func__, sett_null(), component);
    }
    return SETT_OK;
}

sett_status sett_component_compact(sett_world* world, sett_component component)
{
    setti_type* type = setti_change_check_type(world, component, "sett_component_compact");
    if (type == NULL) {
        return setti_world_failure(world);
    }
    setti_storage_compact(&world->pool, &type->storage);
    return SETT_OK;
}

/* Skips missing pages from `base` on. Returns the index of a word's first bit, or an index from the
 * extent on if there is no word. */
static uint32_t conversion_seek(const setti_storage* from, uint32_t base)
{
    while (base < from->extent && setti_storage_word(from, base) == NULL) {
        base = setti_array_seek(from, base);
    }
    return base;
}

/* Loops over the words of bits of an array or tag. `base` is the index of a word's first bit. */
#define CONVERSION_EACH_WORD(base, from)                                                           \
    for (uint32_t base = conversion_seek(from, 0); base < (from)->extent;                          \
         base = conversion_seek(from, base + 64))

/* Reserves the pages of `to` for all entities in `from`. */
static bool conversion_reserve_indices(setti_pool* pool, const setti_storage* from,
                                       setti_storage* to)
{
    uint32_t shift = to->kind == SETTI_SPARSE ? SETTI_SPARSE_SHIFT : 6;
    uint32_t last = SETTI_NONE; /* the last reserved index >> shift: equal for indices of a page */
    if (from->kind == SETTI_SPARSE) {
        uint32_t cursor = 0;
        uint32_t index;
        while ((index = setti_storage_next_row(from, &cursor)) != SETTI_NONE) {
            if (index >> shift != last && !setti_storage_reserve_indices(pool, to, index, 1)) {
                return false;
            }
            last = index >> shift;
        }
        return true;
    }
    CONVERSION_EACH_WORD(base, from) {
        if (base >> shift == last || *setti_storage_word(from, base) == 0) {
            continue;
        }
        if (!setti_storage_reserve_indices(pool, to, base, 1)) {
            return false;
        }
        last = base >> shift;
    }
    return true;
}

bool setti_conversion_reserve(sett_world* world, setti_conversion* conversion, setti_type* type,
                              sett_storage_kind kind)
{
    SETTI_ASSERT(world->pool.cow_from == 0 && type->desc.storage != kind);
    SETTI_ASSERT(kind != SETT_STORAGE_DEFAULT);
    sett_component_desc desc = type->desc;
    desc.storage = kind;
    conversion->type = type;
    conversion->kind = kind;
    setti_component_init_storage(world, &conversion->made, type, &desc);
    bool reserved =
        setti_storage_reserve_rows(&world->pool, &conversion->made, type->storage.count) &&
        conversion_reserve_indices(&world->pool, &type->storage, &conversion->made);
    if (!reserved) {
        setti_conversion_drop(world, conversion);
    }
    return reserved;
}

void setti_conversion_drop(sett_world* world, setti_conversion* conversion)
{
    SETTI_ASSERT(conversion->made.count == 0);
    setti_storage_deinit(&world->pool, &conversion->made);
}

/* Moves the value of the entity at `index` from `place` in `from` to `to`. */
SETTI_INLINE void conversion_move(setti_pool* pool, const setti_storage* from, uint32_t place,
                                  setti_storage* to, uint32_t index)
{
    SETTI_ASSERT(setti_storage_slot(from, index) == place && from->gather == NULL);
    void* row = to->kind == SETTI_ARRAY ? setti_array_try_insert(pool, to, index, SETTI_NO_COW)
                                        : setti_storage_try_insert(pool, to, index);
    SETTI_ASSERT(row != NULL);
    if (from->move != NULL && from->size != 0) {
        from->move(row, setti_storage_at(from, place), 1, from->user);
    } else {
        setti_row_copy(row, setti_storage_at(from, place), from->size);
    }
    if (from->tracked && to->tracked) {
        setti_storage_move_tick(from, place, to, setti_storage_slot(to, index));
    }
}

/* The values that one loop moves. */
typedef enum conversion_part {
    CONVERSION_MEMBERS, /* of a listener's members; without a listener all values */
    CONVERSION_OTHERS
} conversion_part;

/* The state of a loop that moves values to another storage. */
typedef struct conversion_walk {
    sett_world* world;
    const setti_storage* from;
    setti_storage* to;
    const setti_listener* listener; /* NULL: all values are moved */
    conversion_part part;
    setti_matches known;
} conversion_walk;

/* Moves an entity's value if the value belongs to the part of the loop. */
SETTI_INLINE void conversion_visit(conversion_walk* walk, uint32_t place, uint32_t index)
{
    sett_world* world = walk->world;
    if (walk->listener != NULL) {
        uint32_t signature = setti_entity_set_of(&world->entities, index);
        bool member =
            setti_matches_find(&walk->known, walk->listener, &world->signatures, signature);
        bool wants_members = walk->part == CONVERSION_MEMBERS;
        if (member != wants_members) {
            return;
        }
    }
    conversion_move(&world->pool, walk->from, place, walk->to, index);
}

/* Appends the values of a word's entities to a sparse set, from row *at on. */
static void conversion_append_word(setti_pool* pool, const setti_storage* from, setti_storage* to,
                                   uint32_t base, uint64_t word, uint32_t* at)
{
    SETTI_ASSERT(from->kind == SETTI_ARRAY && to->kind == SETTI_SPARSE && word != 0);
    /* a word is in one page of the array and one page of the index; its rows can be in two pages */
    const unsigned char* values = setti_storage_row(from, base);
    setti_sparse_page* page = to->presence.data[base >> SETTI_SPARSE_SHIFT];
    uint32_t* entry = &page->row[base & SETTI_SPARSE_MASK];
    size_t size = from->size;
    uint32_t mask = setti_storage_rows(to) - 1;
    uint32_t row = *at;
    setti_pages_write(pool, &to->presence, base >> SETTI_SPARSE_SHIFT);
    while (word != 0) {
        uint32_t end = (row | mask) + 1; /* first row of the next page */
        unsigned char* rows = to->rows.data[row >> to->shift];
        uint32_t* index = (uint32_t*)(void*)(rows + to->indices);
        setti_pages_write(pool, &to->rows, row >> to->shift);
        for (; word != 0 && row != end; word &= word - 1, row++) {
            uint32_t bit = setti_bits_lowest(word);
            setti_row_copy(rows + (row & mask) * size, values + bit * size, size);
            index[row & mask] = base + bit;
            entry[bit] = row;
        }
    }
    page->count += row - *at;
    *at = row;
}

/* Returns the bits of `word` whose entities are members of a listener. `word` is the word of the
 * storage `of` at index `base`. */
static uint64_t conversion_members(const setti_listener* listener, const setti_storage* of,
                                   uint32_t base, uint64_t word)
{
    SETTI_ASSERT(listener->hidden == NULL && listener->any.count == 0);
    for (uint32_t k = 0; k < listener->with.count && word != 0; k++) {
        const setti_storage* storage = &listener->with.item[k]->storage;
        if (storage != of) { /* all entities of `word` are in `of` */
            word &= setti_storage_bits(storage, base);
        }
    }
    for (uint32_t k = 0; k < listener->without.count && word != 0; k++) {
        word &= ~setti_storage_bits(&listener->without.item[k]->storage, base);
    }
    return word;
}

/* Stores the bits of a listener's members in `members`. Returns the number of members. */
static uint32_t conversion_note_members(const setti_storage* from, const setti_listener* listener,
                                        uint64_t* members)
{
    uint32_t count = 0;
    CONVERSION_EACH_WORD(base, from) {
        uint64_t word = *setti_storage_word(from, base);
        members[base / 64] = conversion_members(listener, from, base, word);
        count += setti_bits_count(members[base / 64]);
    }
    return count;
}

/* Prefetches 8 cache lines of values two words ahead. */
SETTI_INLINE void conversion_prefetch(const setti_storage* from, uint32_t base)
{
    uint32_t rows = setti_storage_rows(from);
    uint32_t ahead = 2 * 64;                  /* entities */
    if ((base & (rows - 1)) + ahead < rows) { /* in the same page */
        const unsigned char* values = setti_storage_row(from, base);
        for (uint32_t line = 0; line < 8; line++) {
            SETTI_PREFETCH(values + ahead * (size_t)from->size + line * (size_t)64);
        }
    }
}

/* Moves plain values of an array to a sparse set: first `count` members, then all others.
 *   members  a bit for each entity whose value comes first. NULL: the members are all entities */
static void conversion_move_words(setti_pool* pool, const setti_storage* from, setti_storage* to,
                                  const uint64_t* members, uint32_t count)
{
    SETTI_ASSERT(to->count == 0 && to->hashed == 0);
    /* one pass for both parts: two passes took 1.5 times as long */
    uint32_t member_row = 0;    /* of the next member's value */
    uint32_t other_row = count; /* of the next other value */
    CONVERSION_EACH_WORD(base, from) {
        uint64_t word = *setti_storage_word(from, base);
        uint64_t first_part = members != NULL ? members[base / 64] : word;
        if (word != 0) { /* else the page of values may be missing */
            conversion_prefetch(from, base);
        }
        if (first_part != 0) {
            conversion_append_word(pool, from, to, base, first_part, &member_row);
        }
        if (first_part != word) {
            conversion_append_word(pool, from, to, base, word & ~first_part, &other_row);
        }
    }
    SETTI_ASSERT(member_row == count && other_row == from->count);
    to->count = from->count;
    to->extent = from->count;
}

/* Moves plain values of a sparse set to an array. */
static void conversion_move_rows(setti_pool* pool, const setti_storage* from, setti_storage* to)
{
    SETTI_ASSERT(from->kind == SETTI_SPARSE && to->kind == SETTI_ARRAY && to->count == 0);
    uint32_t base = 0;
    uint32_t end = 0;
    uint64_t* word = NULL;
    unsigned char* values = NULL;
    size_t size = from->size;
    for (uint32_t row = 0; row < from->extent; row++) {
        uint32_t index = *setti_storage_index(from, row);
        if (index == SETTI_NONE) { /* a gap */
            continue;
        }
        /* one look-up for 64 neighbours: a million values of 8 bytes take 3 ms, not 8 */
        if (word == NULL || index / 64 != base / 64) {
            base = index & ~63u;
            word = setti_storage_word(to, base);
            values = setti_storage_row(to, base);
            setti_pages_write(pool, &to->presence, base >> SETTI_BITS_SHIFT);
            setti_storage_write(pool, to, base);
        }
        *word |= (uint64_t)1 << (index % 64);
        setti_row_copy(values + (index % 64) * size, setti_storage_at(from, row), size);
        end = SETTI_MAX(end, index + 1);
    }
    to->count = from->count;
    to->extent = end;
}

/* The fast path of setti_conversion_commit, for plain values. Returns false if nothing was moved.
 * Sets *member_count if it has counted members. */
static bool conversion_move_plain(sett_world* world, const setti_storage* from, setti_storage* to,
                                  const setti_listener* first, uint32_t* member_count)
{
    if (from->move != NULL || from->tracked || to->tracked || to->saved != 0) {
        return false;
    }
    if (from->kind == SETTI_SPARSE && to->kind == SETTI_ARRAY && from->size != 0) {
        conversion_move_rows(&world->pool, from, to);
        return true;
    }
    if (from->kind != SETTI_ARRAY || to->kind != SETTI_SPARSE || to->hashed != 0) {
        return false;
    }
    if (first != NULL && (first->hidden != NULL || first->any.count != 0)) {
        return false; /* conversion_members reads only the conditions `with` and `without` */
    }
    uint64_t* members = NULL;
    uint32_t count = from->count; /* without a group all values come first */
    size_t size = ((size_t)from->extent / 64 + 1) * sizeof(uint64_t);
    if (first != NULL) {
        members = setti_pool_alloc(&world->pool, size, 64);
        if (members == NULL) {
            return false; /* the slow path needs no memory */
        }
        count = conversion_note_members(from, first, members);
        *member_count = count;
    }
    conversion_move_words(&world->pool, from, to, members, count);
    setti_pool_free(&world->pool, members, size, 64);
    return true;
}

static void conversion_move_part(sett_world* world, const setti_storage* from, setti_storage* to,
                                 const setti_listener* listener, conversion_part part)
{
    /* in line: a million values of 8 bytes take 8 ms, with calls 15 */
    conversion_walk walk = {world, from, to, listener, part, {{0}, {0}}};
    setti_matches_init(&walk.known);
    if (from->kind == SETTI_SPARSE) {
        for (uint32_t row = 0; row < from->extent; row++) {
            uint32_t index = *setti_storage_index(from, row);
            if (index != SETTI_NONE) { /* no gap */
                conversion_visit(&walk, row, index);
            }
        }
        return;
    }
    CONVERSION_EACH_WORD(base, from) {
        for (uint64_t bits = *setti_storage_word(from, base); bits != 0; bits &= bits - 1) {
            uint32_t index = base + setti_bits_lowest(bits);
            conversion_visit(&walk, index, index);
        }
    }
}

uint32_t setti_conversion_commit(sett_world* world, setti_conversion* conversion,
                                 const setti_listener* first)
{
    setti_type* type = conversion->type;
    setti_storage* to = &conversion->made;
    SETTI_ASSERT(world->pool.cow_from == 0 && type->owner == NULL);
    uint32_t members = SETTI_NONE; /* not counted */
    if (!conversion_move_plain(world, &type->storage, to, first, &members)) {
        conversion_move_part(world, &type->storage, to, first, CONVERSION_MEMBERS);
        if (first != NULL) {
            conversion_move_part(world, &type->storage, to, first, CONVERSION_OTHERS);
        }
    }
    SETTI_ASSERT(to->count == type->storage.count);
    setti_storage_deinit(&world->pool, &type->storage);
    to->rows.notes = type->storage.rows.notes;
    to->presence.notes = type->storage.presence.notes;
    type->storage = *to;
    type->flags &= ~(uint32_t)SETTI_TYPE_OTHER;
    type->flags |= to->kind != SETTI_ARRAY ? SETTI_TYPE_OTHER : 0;
    type->desc.storage = conversion->kind;
    world->listener_version++; /* queries read the kinds of storages again */
    return members;
}

const char* setti_conversion_check(const setti_type* type, sett_storage_kind* kind)
{
    sett_component_desc desc = type->desc;
    desc.storage = *kind;
    if (setti_component_resolve(&desc) == NULL) {
        *kind = desc.storage;
        return NULL;
    }
    if (*kind != SETT_STORAGE_ARRAY) {
        return "the kind of storage is unknown - pass SETT_STORAGE_ARRAY or "
               "SETT_STORAGE_SPARSE_SET";
    }
    return desc.keep_order
               ? "the type has `keep_order`, and an array is always in the order of entity "
                 "indices - leave it a sparse set"
               : "a value has more than 1 MB, the most in an array - leave it a sparse set";
}

sett_status setti_change_convert(sett_world* world, setti_type* type, sett_storage_kind kind,
                                 const char* call)
{
    SETTI_ASSERT(kind != SETT_STORAGE_DEFAULT && world->locks == 0);
    setti_conversion conversion;
    if (type->desc.storage == kind) {
        return SETT_OK;
    }
    if (setti_world_check_no_snapshots(world, call) != SETT_OK ||
        setti_group_give_way(world, type, call) != SETT_OK) {
        return world->error;
    }
    if (!setti_conversion_reserve(world, &conversion, type, kind)) {
        return setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, call, sett_null(), type->id);
    }
    const setti_listener* no_group = NULL;
    setti_conversion_commit(world, &conversion, no_group);
    return SETT_OK;
}

sett_status setti_component_convert(sett_world* world, sett_component component,
                                    sett_storage_kind kind, const char* call)
{
    setti_type* type = setti_change_check_type(world, component, call);
    if (type == NULL) {
        return setti_world_failure(world);
    }
    sett_storage_kind resolved = kind;
    const char* wrong = setti_conversion_check(type, &resolved);
    if (wrong != NULL) {
        return setti_world_fail_argument(world, call, type->desc.name, wrong);
    }
    sett_status status = setti_change_convert(world, type, resolved, call);
    if (status == SETT_OK) {
        type->default_storage = kind == SETT_STORAGE_DEFAULT && !type->desc.keep_order;
    }
    return status;
}

sett_status sett_component_convert(sett_world* world, sett_component component,
                                   sett_storage_kind kind)
{
    return setti_component_convert(world, component, kind, __func__);
}

sett_status setti_change_need_sparse_set(sett_world* world, setti_type* type, const char* call)
{
    if (type->storage.kind == SETTI_SPARSE) {
        return SETT_OK;
    }
    if (!type->default_storage) {
        return setti_world_fail_with(
            world, SETT_STATUS_ARGUMENT,
            "%s: \"%.100s\" is an array, always in the order of entity indices - call "
            "sett_component_convert(world, id, SETT_STORAGE_SPARSE_SET) first",
            call, type->desc.name);
    }
    if (world->pool.cow_from != 0) {
        return setti_world_fail_with(
            world, SETT_STATUS_LOCKED,
            "%s: \"%.100s\" is an array, and cannot become a sparse set while snapshots are held "
            "- register it with .storage = SETT_STORAGE_SPARSE_SET, or sort it once before the "
            "first snapshot is taken",
            call, type->desc.name);
    }
    return setti_change_convert(world, type, SETT_STORAGE_SPARSE_SET, call);
}

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
    /* It is unknown which indices the entities will have. So this reserves pages for all indices of
     * the entity table, and for `count` indices after those taken so far. */
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

/* Skips missing pages. Returns the index of the next word, from the word at index `base` on.
 * Returns an index >= `extent` if there is no next word. */
static uint32_t conversion_seek(const setti_storage* storage, uint32_t base)
{
    while (base < storage->extent && setti_storage_word(storage, base) == NULL) {
        base = setti_array_seek(storage, base);
    }
    return base;
}

/* Loops over the words of bits of an array or tag. `base` is the index of a word's first bit. */
#define CONVERSION_EACH_WORD(base, storage)                                                        \
    for (uint32_t base = conversion_seek(storage, 0); base < (storage)->extent;                    \
         base = conversion_seek(storage, base + 64))

/* Reserves the pages of `new_storage` for all entities in `old_storage`. Returns false if memory
 * runs out. */
static bool conversion_reserve_indices(setti_pool* pool, const setti_storage* old_storage,
                                       setti_storage* new_storage)
{
    /* indices that are equal after the shift share a page of the sparse set, or a word (2^6
     * bits) */
    uint32_t shift = new_storage->kind == SETTI_SPARSE ? SETTI_SPARSE_SHIFT : 6;
    uint32_t last_reserved = SETTI_NONE; /* index >> shift of the last reservation */
    if (old_storage->kind == SETTI_SPARSE) {
        uint32_t cursor = 0;
        uint32_t index;
        while ((index = setti_storage_next_row(old_storage, &cursor)) != SETTI_NONE) {
            if (index >> shift != last_reserved &&
                !setti_storage_reserve_indices(pool, new_storage, index, 1)) {
                return false;
            }
            last_reserved = index >> shift;
        }
        return true;
    }
    CONVERSION_EACH_WORD(base, old_storage) {
        if (base >> shift == last_reserved || *setti_storage_word(old_storage, base) == 0) {
            continue;
        }
        if (!setti_storage_reserve_indices(pool, new_storage, base, 1)) {
            return false;
        }
        last_reserved = base >> shift;
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

/* Moves the value of the entity at `index` from the row `place` of `old_storage` to
 * `new_storage`. */
SETTI_INLINE void conversion_move(setti_pool* pool, const setti_storage* old_storage,
                                  uint32_t place, setti_storage* new_storage, uint32_t index)
{
    SETTI_ASSERT(setti_storage_slot(old_storage, index) == place && old_storage->gather == NULL);
    void* row;
    if (new_storage->kind == SETTI_ARRAY) {
        row = setti_array_try_insert(pool, new_storage, index, SETTI_NO_COW);
    } else {
        row = setti_storage_try_insert(pool, new_storage, index);
    }
    SETTI_ASSERT(row != NULL);
    if (old_storage->move != NULL && old_storage->size != 0) {
        old_storage->move(row, setti_storage_at(old_storage, place), 1, old_storage->user);
    } else {
        setti_row_copy(row, setti_storage_at(old_storage, place), old_storage->size);
    }
    if (old_storage->tracked && new_storage->tracked) {
        setti_storage_move_tick(old_storage, place, new_storage,
                                setti_storage_slot(new_storage, index));
    }
}

/* Which values a loop moves. */
typedef enum conversion_part {
    CONVERSION_MEMBERS, /* the values of members; all values if there is no listener */
    CONVERSION_OTHERS   /* the values of all other entities */
} conversion_part;

/* The state of a loop that moves values to another storage. */
typedef struct conversion_walk {
    sett_world* world;
    const setti_storage* old_storage;
    setti_storage* new_storage;
    const setti_listener* listener; /* NULL: all values are moved */
    conversion_part part;
    setti_matches known; /* signatures that were tested before */
} conversion_walk;

/* Moves an entity's value if it belongs to the part of the values that the loop moves. */
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
    conversion_move(&world->pool, walk->old_storage, place, walk->new_storage, index);
}

/* Moves the values of a word's entities from an array to a sparse set. *next_row is the row for the
 * first value, and becomes the row after the last value.
 *   base  the index of the word's first bit */
static void conversion_append_word(setti_pool* pool, const setti_storage* old_storage,
                                   setti_storage* new_storage, uint32_t base, uint64_t word,
                                   uint32_t* next_row)
{
    SETTI_ASSERT(old_storage->kind == SETTI_ARRAY && new_storage->kind == SETTI_SPARSE &&
                 word != 0);
    /* the values of a word are in one page of the array; the new rows can be in two pages */
    const unsigned char* values = setti_storage_row(old_storage, base);
    setti_sparse_page* index_page = new_storage->presence.data[base >> SETTI_SPARSE_SHIFT];
    uint32_t* entry = &index_page->row[base & SETTI_SPARSE_MASK]; /* entry[bit]: an entity's row */
    size_t size = old_storage->size;
    /* row & row_mask is the row in its page */
    uint32_t row_mask = setti_storage_rows(new_storage) - 1;
    uint32_t row = *next_row;
    setti_pages_write(pool, &new_storage->presence, base >> SETTI_SPARSE_SHIFT);
    while (word != 0) {
        uint32_t page_end = (row | row_mask) + 1; /* first row of the next page */
        unsigned char* new_page = new_storage->rows.data[row >> new_storage->shift];
        uint32_t* indices = (uint32_t*)(void*)(new_page + new_storage->indices);
        setti_pages_write(pool, &new_storage->rows, row >> new_storage->shift);
        for (; word != 0 && row != page_end; word &= word - 1, row++) {
            uint32_t bit = setti_bits_lowest(word);
            setti_row_copy(new_page + (row & row_mask) * size, values + bit * size, size);
            indices[row & row_mask] = base + bit;
            entry[bit] = row;
        }
    }
    index_page->count += row - *next_row;
    *next_row = row;
}

/* Returns the bits of `word` whose entities are members of a listener. `word` is the word of
 * `storage` at index `base`. */
static uint64_t conversion_members(const setti_listener* listener, const setti_storage* storage,
                                   uint32_t base, uint64_t word)
{
    SETTI_ASSERT(listener->hidden == NULL && listener->any.count == 0);
    for (uint32_t k = 0; k < listener->with.count && word != 0; k++) {
        const setti_storage* condition = &listener->with.item[k]->storage;
        if (condition != storage) { /* all entities of `word` are in `storage` */
            word &= setti_storage_bits(condition, base);
        }
    }
    for (uint32_t k = 0; k < listener->without.count && word != 0; k++) {
        word &= ~setti_storage_bits(&listener->without.item[k]->storage, base);
    }
    return word;
}

/* Stores which entities are members of a listener in `members`, as words of bits. Returns the
 * number of members. */
static uint32_t conversion_note_members(const setti_storage* old_storage,
                                        const setti_listener* listener, uint64_t* members)
{
    uint32_t count = 0;
    CONVERSION_EACH_WORD(base, old_storage) {
        uint64_t word = *setti_storage_word(old_storage, base);
        members[base / 64] = conversion_members(listener, old_storage, base, word);
        count += setti_bits_count(members[base / 64]);
    }
    return count;
}

/* Prefetches values of the word that comes two words after the word at index `base`: 8 cache
 * lines. */
SETTI_INLINE void conversion_prefetch(const setti_storage* old_storage, uint32_t base)
{
    uint32_t rows = setti_storage_rows(old_storage);
    uint32_t ahead = 2 * 64; /* number of entities */
    /* only if that word is in the same page */
    if ((base & (rows - 1)) + ahead < rows) {
        const unsigned char* values = setti_storage_row(old_storage, base);
        for (uint32_t line = 0; line < 8; line++) {
            SETTI_PREFETCH(values + ahead * (size_t)old_storage->size + line * (size_t)64);
        }
    }
}

/* Moves the plain values of an array to a sparse set. In the new rows, the values of members come
 * first, then all other values.
 *   members       words of bits, as by conversion_note_members. NULL: all entities are members
 *   member_count  number of members */
static void conversion_move_words(setti_pool* pool, const setti_storage* old_storage,
                                  setti_storage* new_storage, const uint64_t* members,
                                  uint32_t member_count)
{
    SETTI_ASSERT(new_storage->count == 0 && new_storage->hashed == 0);
    /* one pass moves both parts: two passes took 1.5 times as long */
    uint32_t member_row = 0;           /* the row for the next member's value */
    uint32_t other_row = member_count; /* the row for the next other value */
    CONVERSION_EACH_WORD(base, old_storage) {
        uint64_t word = *setti_storage_word(old_storage, base);
        uint64_t member_bits = word; /* the members of the word */
        if (members != NULL) {
            member_bits = members[base / 64];
        }
        if (word != 0) { /* the page of values may be missing for an empty word */
            conversion_prefetch(old_storage, base);
        }
        if (member_bits != 0) {
            conversion_append_word(pool, old_storage, new_storage, base, member_bits, &member_row);
        }
        if (member_bits != word) {
            conversion_append_word(pool, old_storage, new_storage, base, word & ~member_bits,
                                   &other_row);
        }
    }
    SETTI_ASSERT(member_row == member_count && other_row == old_storage->count);
    new_storage->count = old_storage->count;
    new_storage->extent = old_storage->count;
}

/* Moves plain values of a sparse set to an array. */
static void conversion_move_rows(setti_pool* pool, const setti_storage* old_storage,
                                 setti_storage* new_storage)
{
    SETTI_ASSERT(old_storage->kind == SETTI_SPARSE && new_storage->kind == SETTI_ARRAY &&
                 new_storage->count == 0);
    uint32_t word_base = 0;       /* the index of the first bit of `word` */
    uint32_t extent = 0;          /* the extent of the array */
    uint64_t* word = NULL;        /* the word of the previous entity; NULL before the first */
    unsigned char* values = NULL; /* the values of the word's entities */
    size_t size = old_storage->size;
    for (uint32_t row = 0; row < old_storage->extent; row++) {
        uint32_t index = *setti_storage_index(old_storage, row);
        if (index == SETTI_NONE) { /* a gap */
            continue;
        }
        /* one look-up for 64 neighbours: a million values of 8 bytes take 3 ms, not 8 */
        if (word == NULL || index / 64 != word_base / 64) {
            word_base = index & ~63u; /* rounds down to the begin of a word */
            word = setti_storage_word(new_storage, word_base);
            values = setti_storage_row(new_storage, word_base);
            setti_pages_write(pool, &new_storage->presence, word_base >> SETTI_BITS_SHIFT);
            setti_storage_write(pool, new_storage, word_base);
        }
        *word |= (uint64_t)1 << (index % 64);
        setti_row_copy(values + (index % 64) * size, setti_storage_at(old_storage, row), size);
        extent = SETTI_MAX(extent, index + 1);
    }
    new_storage->count = old_storage->count;
    new_storage->extent = extent;
}

/* The fast path of setti_conversion_commit, for plain values. Returns false if the values must be
 * moved by the slow path. If the members of `group` were counted, *member_count becomes their
 * number. */
static bool conversion_move_plain(sett_world* world, const setti_storage* old_storage,
                                  setti_storage* new_storage, const setti_listener* group,
                                  uint32_t* member_count)
{
    if (old_storage->move != NULL || old_storage->tracked) {
        return false;
    }
    if (new_storage->tracked || new_storage->saved != 0) {
        return false;
    }
    if (old_storage->kind == SETTI_SPARSE && new_storage->kind == SETTI_ARRAY &&
        old_storage->size != 0) {
        conversion_move_rows(&world->pool, old_storage, new_storage);
        return true;
    }
    if (old_storage->kind != SETTI_ARRAY || new_storage->kind != SETTI_SPARSE ||
        new_storage->hashed != 0) {
        return false;
    }
    uint64_t* members = NULL;
    /* number of values that come first: those of members, or without a group all */
    uint32_t first_count = old_storage->count;
    size_t size = ((size_t)old_storage->extent / 64 + 1) * sizeof(uint64_t);
    if (group != NULL) {
        if (group->hidden != NULL || group->any.count != 0) {
            return false; /* conversion_members reads only the conditions `with` and `without` */
        }
        members = setti_pool_alloc(&world->pool, size, 64);
        if (members == NULL) {
            return false; /* the slow path needs no memory */
        }
        first_count = conversion_note_members(old_storage, group, members);
        *member_count = first_count;
    }
    conversion_move_words(&world->pool, old_storage, new_storage, members, first_count);
    setti_pool_free(&world->pool, members, size, 64);
    return true;
}

/* Moves a part of the values one by one, by the slow path. */
static void conversion_move_part(sett_world* world, const setti_storage* old_storage,
                                 setti_storage* new_storage, const setti_listener* listener,
                                 conversion_part part)
{
    /* the calls are in line: a million values of 8 bytes take 8 ms, not 15 */
    conversion_walk walk = {world, old_storage, new_storage, listener, part, {{0}, {0}}};
    setti_matches_init(&walk.known);
    if (old_storage->kind == SETTI_SPARSE) {
        for (uint32_t row = 0; row < old_storage->extent; row++) {
            uint32_t index = *setti_storage_index(old_storage, row);
            if (index != SETTI_NONE) { /* no gap */
                conversion_visit(&walk, row, index);
            }
        }
        return;
    }
    CONVERSION_EACH_WORD(base, old_storage) {
        for (uint64_t bits = *setti_storage_word(old_storage, base); bits != 0; bits &= bits - 1) {
            uint32_t index = base + setti_bits_lowest(bits);
            conversion_visit(&walk, index, index);
        }
    }
}

uint32_t setti_conversion_commit(sett_world* world, setti_conversion* conversion,
                                 const setti_listener* group)
{
    setti_type* type = conversion->type;
    setti_storage* new_storage = &conversion->made;
    SETTI_ASSERT(world->pool.cow_from == 0 && type->owner == NULL);
    uint32_t members = SETTI_NONE; /* stays SETTI_NONE if the members are not counted */
    if (!conversion_move_plain(world, &type->storage, new_storage, group, &members)) {
        /* without a listener, all values count as members */
        conversion_move_part(world, &type->storage, new_storage, group, CONVERSION_MEMBERS);
        if (group != NULL) {
            conversion_move_part(world, &type->storage, new_storage, group, CONVERSION_OTHERS);
        }
    }
    SETTI_ASSERT(new_storage->count == type->storage.count);
    setti_storage_deinit(&world->pool, &type->storage);
    new_storage->rows.notes = type->storage.rows.notes;
    new_storage->presence.notes = type->storage.presence.notes;
    type->storage = *new_storage;
    type->flags &= ~(uint32_t)SETTI_TYPE_OTHER;
    type->flags |= new_storage->kind != SETTI_ARRAY ? SETTI_TYPE_OTHER : 0;
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
    if (desc.keep_order) {
        return "the type has `keep_order`, and an array is always in the order of entity "
               "indices - leave it a sparse set";
    }
    return "a value has more than 1 MB, the most in an array - leave it a sparse set";
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

/* ordered.c: lists of a query's matches, in order.
 *
 * The workload: an order of some thousand entities is read each frame. Few entities are new, gone
 * or changed. So sorting begins with the last order, and new entities are appended: merging two or
 * three sorted runs is little work.
 *
 * Most often nothing has changed. An order by matches, parents and depths alone is *fixed*: the
 * order stores them, and does not sort again while matches and depths are equal. If only presence
 * bits decide the matches, the ticks of pages are compared instead. Rejected: a counter of changes,
 * because all code that changes structure, restores or plays a delta would have to count.
 *
 * Invariant:  item[k] <= item[k + 1];  group[k].first + group[k].count == group[k + 1].first
 */
#include "sett/ordered.h"
#include "query/query.h"
#include "search/search.h"

/* A match. If the entity is not in the hierarchy, `parent` and `depth` are 0. */
typedef struct ordered_match {
    sett_entity entity;
    uint32_t parent; /* a link: entity index plus 1; 0 for a root */
    uint32_t depth;
} ordered_match;

/* An order. Its arrays are one piece of memory. */
typedef struct ordered_list {
    setti_scratch memory;
    sett_entity* entity;
    uint32_t* target; /* by item: index of its target along rank.along, or SETTI_NONE */
    sett_ordered_group* group;
    uint32_t count;
    uint32_t group_count;
} ordered_list;

/* A storage whose presence bits decide the order. */
typedef struct ordered_part {
    const setti_storage* storage;
    uint32_t count; /* number of values: the last pages of a table can vanish without a tick */
} ordered_part;

#define ORDERED_PARTS 12

typedef struct ordered_page {
    const void* page; /* NULL: none */
    bool values;      /* has values of matches, not only values of parents */
} ordered_page;

struct sett_ordered {
    sett_world* world;
    sett_ordered* next; /* list of the world's orders */
    sett_ordered* previous;
    sett_ordered_desc desc;
    setti_rank rank;
    sett_query* text_query; /* made from `text`, or NULL */
    ordered_list now;       /* the current order */
    ordered_list last;      /* the previous order */
    setti_rank_work work;
    setti_scratch positions; /* during an update: by entity index, (number of the match) + 1 */
    setti_scratch matches;   /* the matches of the last update, in the order of the query */
    uint32_t match_count;
    bool fixed;          /* matches, parents and depths alone decide the order */
    bool known;          /* `now` is an order of `matches` */
    uint64_t since;      /* `now` is current while all pages of the parts have earlier ticks */
    uint32_t part_count; /* 0: ticks cannot tell whether the order has changed */
    ordered_part part[ORDERED_PARTS];
    setti_scratch rows;   /* the rows last returned by sett_ordered_rows */
    ordered_part rows_of; /* storage of the rows' values; NULL: make new rows */
    uint64_t rows_since;  /* rows are current while presence pages have earlier ticks */
    setti_scratch pages;  /* the ordered_page of each page of values, for `rows` */
    uint32_t page_count;
};

/* Makes room to sort `match_room` matches into a list. Returns false when memory runs out. */
static bool ordered_reserve(sett_ordered* o, ordered_list* list, uint32_t match_room)
{
    setti_pool* pool = &o->world->pool;
    /* For each match: its group, its entity and its target. */
    size_t item_size = sizeof(sett_ordered_group) + sizeof(sett_entity) + sizeof(uint32_t);
    size_t positions_size = setti_entity_capacity(&o->world->entities) * sizeof(uint32_t);
    list->count = list->group_count = 0;
    list->group = setti_scratch_get(pool, &list->memory, match_room * item_size, 16);
    if (list->group == NULL || !setti_rank_begin(&o->rank, &o->work, SETTI_FROM_POOL, match_room)) {
        return false;
    }
    list->entity = (sett_entity*)(void*)(list->group + match_room);
    list->target = (uint32_t*)(void*)(list->entity + match_room);
    if (o->positions.size < positions_size) {
        void* fresh = setti_scratch_get(pool, &o->positions, positions_size, 16);
        if (fresh == NULL) {
            return false;
        }
        memset(fresh, 0, positions_size);
    }
    return true;
}

/* Reads the group, depth and value of a match. */
static setti_ranked ordered_make_item(const sett_ordered* o, sett_entity entity)
{
    const sett_ordered_desc* desc = &o->desc;
    setti_ranked item = {.entity = entity};
    setti_rank_fill(&o->rank, &o->work, &item, entity.index, entity.index, entity.index);
    if (o->rank.group_by == NULL) { /* else setti_rank_fill has set the group */
        item.group = 0;
        if (desc->group_fn != NULL) {
            item.group = desc->group_fn(o->world, entity, desc->user);
        }
    }
    if (desc->component != 0) {
        item.value = NULL;
        if (sett_is_enabled(o->world, entity, desc->component)) {
            item.value = sett_find(o->world, entity, desc->component);
        }
        item.present = item.value != NULL;
        if (item.present && desc->key != SETT_KEY_NONE) {
            item.key =
                setti_sort_key((const unsigned char*)item.value + desc->key_offset, desc->key);
        }
    }
    return item;
}

/* Pointers of a storage, loaded once for many look-ups. */
typedef struct ordered_column {
    const setti_storage* storage;
    const void* const* presence; /* pages of presence bits */
    void* const* rows;           /* pages of values */
    uint32_t reach;              /* number of pages at `presence`; 0: the storage must be asked */
    uint32_t shift;
    uint32_t size;
} ordered_column;

/* Returns the column of a type. `type` NULL: no entity has a value in the column. */
static ordered_column ordered_column_of(const setti_type* type)
{
    ordered_column column = {.storage = type != NULL ? &type->storage : NULL};
    if (type != NULL && type->storage.handle_kind == SETTI_ARRAY) {
        const setti_storage* storage = column.storage;
        column.presence = storage->presence.read;
        column.rows = storage->rows.data;
        column.reach = storage->presence.read_count;
        column.shift = storage->shift;
        column.size = storage->size;
    }
    return column;
}

/* Looks up the value of an entity. *value becomes NULL if the entity has none. Returns false if the
 * caller must ask the storage instead. */
SETTI_INLINE bool ordered_column_try(const ordered_column* column, uint32_t index, void** value)
{
    *value = NULL;
    if (SETTI_UNLIKELY((index >> SETTI_BITS_SHIFT) >= column->reach)) {
        return false;
    }
    const uint64_t* words = column->presence[index >> SETTI_BITS_SHIFT];
    if (((words[(index / 64) & (SETTI_BITS_WORDS - 1)] >> (index % 64)) & 1) != 0) {
        unsigned char* page = column->rows[index >> column->shift];
        *value = page + (size_t)(index & (((uint32_t)1 << column->shift) - 1)) * column->size;
    }
    return true;
}

SETTI_INLINE const void* ordered_column_find(const ordered_column* column, uint32_t index)
{
    void* value;
    if (ordered_column_try(column, index, &value)) {
        return value;
    }
    if (column->storage == NULL) {
        return NULL;
    }
    return setti_storage_find(column->storage, index);
}

SETTI_INLINE void* ordered_column_find_mut(setti_pool* pool, const ordered_column* column,
                                           uint32_t index)
{
    void* value;
    /* A tracked storage notes each written row. */
    if (!ordered_column_try(column, index, &value) || column->storage->tracked) {
        return setti_storage_find_mut(pool, column->storage, index);
    }
    if (value != NULL) {
        setti_pages_write(pool, &column->storage->rows, index >> column->shift);
    }
    return value;
}

/* Collects the matches. Returns true if their entities and depths are the same as before. In this
 * case, *parents_changed tells whether an entity has another parent. */
static bool ordered_find(sett_ordered* o, bool* parents_changed)
{
    ordered_match* match = o->matches.bytes;
    const ordered_column tree = ordered_column_of(o->fixed ? o->rank.along : NULL);
    uint32_t count = 0;
    bool same = o->known;
    *parents_changed = false;
    SETT_FOR(o->desc.query, b, i) {
        SETTI_ASSERT(count < o->matches.size / sizeof(*match));
        ordered_match found = {.entity = sett_batch_entity(b, i)};
        const sett_hierarchy* node = ordered_column_find(&tree, found.entity.index);
        found.parent = node != NULL ? node->parent : 0;
        found.depth = node != NULL ? node->depth : 0;
        ordered_match* old = &match[count];
        same = same && count < o->match_count && sett_equals(old->entity, found.entity) &&
               old->depth == found.depth;
        if (!same || old->parent != found.parent) {
            *old = found;
            *parents_changed = true; /* only read if `same` stays true */
        }
        count++;
    }
    same = same && count == o->match_count;
    o->match_count = count;
    return same;
}

/* The k-th storage that decides the order: of a term, of a tag that hides entities, or of the
 * hierarchy. */
static const setti_storage* ordered_part_storage(const sett_ordered* o, uint32_t k)
{
    const sett_query* query = o->desc.query;
    if (k < query->array_count) {
        return query->array[k];
    }
    uint32_t tag = k - query->array_count;
    if (tag < query->hidden_count) {
        return &query->hidden[tag].type->storage;
    }
    return &o->rank.along->storage;
}

/* Lists the storages that decide the order. Returns 0 if presence bits alone do not decide. */
static uint32_t ordered_list_parts(const sett_ordered* o, ordered_part* part)
{
    sett_query* query = o->desc.query;
    setti_plan_update(query);
    if (!o->fixed || !query->plain || query->array_count == 0) {
        return 0;
    }
    uint32_t tree = query->array_count + query->hidden_count; /* number of the hierarchy's part */
    uint32_t count = tree;
    if (o->rank.along != NULL) {
        count++;
    }
    if (count > ORDERED_PARTS) {
        return 0;
    }
    for (uint32_t k = 0; k < count; k++) {
        const setti_storage* storage = ordered_part_storage(o, k);
        /* An empty storage can only change together with its count. */
        bool count_is_enough = storage->count == 0 && k != tree;
        if (storage->kind == SETTI_SPARSE && !count_is_enough) {
            return 0; /* a sparse set has no presence bits */
        }
        part[k] = (ordered_part){.storage = storage, .count = storage->count};
    }
    return count;
}

/* The tick of the last write to the first `count` parts. */
static uint64_t ordered_newest_part(const sett_ordered* o, const ordered_part* part, uint32_t count)
{
    uint64_t newest = 0;
    for (uint32_t k = 0; k < count; k++) {
        newest = SETTI_MAX(newest, setti_search_newest(&part[k].storage->presence));
    }
    if (o->rank.along != NULL && count != 0) { /* the last part is the hierarchy */
        newest = SETTI_MAX(newest, setti_search_newest(&part[count - 1].storage->rows));
    }
    return newest;
}

/* Whether no page of the parts was written since the last update. */
static bool ordered_is_current(const sett_ordered* o)
{
    ordered_part part[ORDERED_PARTS];
    bool ticks_decide = o->known && o->part_count != 0 && o->world->pool.restored < o->since;
    if (!ticks_decide || ordered_list_parts(o, part) != o->part_count) {
        return false;
    }
    for (uint32_t k = 0; k < o->part_count; k++) {
        if (part[k].storage != o->part[k].storage || part[k].count != o->part[k].count) {
            return false;
        }
    }
    return ordered_newest_part(o, part, o->part_count) < o->since;
}

/* Makes an item for each match. Matches that were in the last order come first, in that order.
 * Returns the number of items. */
static uint32_t ordered_collect(sett_ordered* o)
{
    setti_ranked* item = o->work.item;
    const ordered_match* match = o->matches.bytes;
    uint32_t* position = o->positions.bytes;
    uint32_t positions = (uint32_t)(o->positions.size / sizeof(uint32_t));
    for (uint32_t k = 0; k < o->match_count; k++) {
        SETTI_ASSERT(match[k].entity.index < positions);
        position[match[k].entity.index] = k + 1; /* 0 again when the match has an item */
    }
    uint32_t count = 0;
    /* Visits the entities of the last order, then all matches. */
    for (uint32_t k = 0; count < o->match_count; k++) {
        SETTI_ASSERT(k < o->last.count + o->match_count);
        uint32_t index;
        if (k < o->last.count) {
            index = o->last.entity[k].index;
        } else {
            index = match[k - o->last.count].entity.index;
        }
        if (index < positions && position[index] != 0) {
            const ordered_match* found = &match[position[index] - 1];
            position[index] = 0;
            /* `key` is the parent, for ordered_group_all. An order that is not fixed replaces the
             * item. */
            item[count] = (setti_ranked){
                .entity = found->entity, .depth = found->depth, .key = found->parent};
            if (!o->fixed) {
                item[count] = ordered_make_item(o, found->entity);
            }
            count++;
        }
    }
    return count;
}

/* Fills a list with the sorted items, and divides the list into groups. If `fixed` is true, the key
 * of an item is the parent. */
static void ordered_group_all(ordered_list* list, const setti_ranked* item,
                              const setti_type* relationship, bool fixed)
{
    sett_ordered_group* group = NULL;
    list->group_count = 0;
    for (uint32_t k = 0; k < list->count; k++) {
        list->entity[k] = item[k].entity;
        if (fixed) {
            list->target[k] = setti_link_index((uint32_t)item[k].key);
        } else {
            list->target[k] = setti_along_target(relationship, item[k].entity.index);
        }
        if (k == 0 || item[k].group != item[k - 1].group) {
            group = &list->group[list->group_count++];
            *group = (sett_ordered_group){.group = item[k].group, .first = k};
        }
        SETTI_ASSERT(group != NULL);
        group->count++;
    }
}

/* Updates the targets after a change of parents. */
static void ordered_find_targets(sett_ordered* o)
{
    SETTI_ASSERT(o->fixed);
    const ordered_column tree = ordered_column_of(o->rank.along);
    for (uint32_t k = 0; k < o->now.count; k++) {
        const sett_hierarchy* node = ordered_column_find(&tree, o->now.entity[k].index);
        o->now.target[k] = SETTI_NONE;
        if (node != NULL) {
            o->now.target[k] = setti_link_index(node->parent);
        }
    }
}

/* Calls `call`, which can be NULL, for each group that is in `list` but not in `other`. */
static void ordered_notify(const sett_ordered* o, const ordered_list* list,
                           const ordered_list* other,
                           void (*call)(sett_world* world, uint64_t group, void* user))
{
    if (call == NULL) {
        return;
    }
    uint32_t position = 0; /* in `other`; in both lists, groups ascend */
    for (uint32_t k = 0; k < list->group_count; k++) {
        while (position < other->group_count &&
               other->group[position].group < list->group[k].group) {
            position++;
        }
        if (position == other->group_count ||
            other->group[position].group != list->group[k].group) {
            call(o->world, list->group[k].group, o->desc.user);
        }
    }
}

/* Sorts the matches into a new list. Returns false when memory runs out. */
static bool ordered_sort(sett_ordered* o, uint32_t match_room)
{
    o->known = false;
    ordered_list next = o->last; /* reuses the memory: `last` becomes the order `now` */
    bool reserved = ordered_reserve(o, &next, match_room);
    o->last = next; /* keeps the memory, even if the reservation failed */
    if (!reserved) {
        return false;
    }
    o->last = o->now;
    next.count = ordered_collect(o);
    SETTI_ASSERT(next.count <= o->work.room);
    ordered_group_all(&next, setti_rank_sort(&o->rank, &o->work, next.count), o->rank.along,
                      o->fixed);
    o->now = next;
    o->known = o->fixed;
    return true;
}

/* Finds the matches, and sorts them if the order can have changed. Returns false when memory runs
 * out. */
static bool ordered_update(sett_ordered* o)
{
    setti_pool* pool = &o->world->pool;
    if (o->rank.along != NULL && o->rank.along->id == SETT_ID_HIERARCHY) {
        sett_hierarchy_update(o->world);
    }
    if (ordered_is_current(o)) {
        return true;
    }
    o->rows_of.storage = NULL; /* the next call makes new rows */
    uint32_t match_room = setti_bits_ceil(SETTI_MAX(sett_query_count(o->desc.query), 64));
    if (o->matches.size < match_room * sizeof(ordered_match)) {
        o->known = false;
        o->match_count = 0;
        if (setti_scratch_get(pool, &o->matches, match_room * sizeof(ordered_match), 16) == NULL) {
            return false;
        }
    }
    bool parents_changed;
    bool same = ordered_find(o, &parents_changed);
    if (same && parents_changed) {
        ordered_find_targets(o);
    }
    if (!same && !ordered_sort(o, match_room)) {
        return false;
    }
    o->part_count = o->known ? ordered_list_parts(o, o->part) : 0;
    if (o->part_count != 0) {
        uint64_t newest = ordered_newest_part(o, o->part, o->part_count);
        o->since = setti_search_read_tick(&o->world->pool, newest);
    }
    if (!same) {
        ordered_notify(o, &o->last, &o->now, o->desc.on_group_last);
        ordered_notify(o, &o->now, &o->last, o->desc.on_group_first);
    }
    return true;
}

const sett_entity* sett_ordered_update(sett_ordered* o, uint32_t* count)
{
    *count = 0;
    if (SETTI_IS_NULL(o) || setti_world_check_serial(o->world, "sett_ordered_update") != SETT_OK) {
        return NULL;
    }
    if (!ordered_update(o)) {
        setti_world_no_memory(o->world, "sett_ordered_update");
        return NULL;
    }
    *count = o->now.count;
    return *count != 0 ? o->now.entity : NULL;
}

/* Whether the rows of the last call are still valid. */
static bool ordered_rows_are_current(const sett_ordered* o, const setti_type* type, bool writes)
{
    const setti_storage* storage = &type->storage;
    const ordered_page* page = o->pages.bytes;
    bool is_same = o->rows_of.storage == storage && o->rows_of.count == storage->count &&
                   o->page_count <= storage->rows.count;
    bool tracks_writes = writes && storage->tracked; /* by row; ordered_mark only marks pages */
    if (!is_same || storage->handle_kind != SETTI_ARRAY || tracks_writes) {
        return false;
    }
    if (o->world->pool.restored >= o->rows_since ||
        setti_search_newest(&storage->presence) >= o->rows_since) {
        return false;
    }
    for (uint32_t number = 0; number < o->page_count; number++) {
        if (page[number].page != NULL && page[number].page != storage->rows.data[number]) {
            return false; /* the page has moved */
        }
    }
    return true;
}

/* Marks the pages with values of matches as written. */
static void ordered_mark(const sett_ordered* o, const setti_type* type)
{
    const ordered_page* page = o->pages.bytes;
    for (uint32_t number = 0; number < o->page_count; number++) {
        if (page[number].values) {
            setti_pages_write(&o->world->pool, &type->storage.rows, number);
        }
    }
}

/* Notes the page that has the value of an entity. Returns the entry of the page in `pages`. */
static ordered_page* ordered_note_page(ordered_page* pages, const ordered_column* column,
                                       uint32_t index)
{
    uint32_t number = index >> column->shift;
    pages[number].page = column->rows[number];
    return &pages[number];
}

/* Notes the pages of the values. A later call reuses the rows if none of these pages has moved. */
static void ordered_note_rows(sett_ordered* o, const setti_type* type, const sett_ordered_row* row)
{
    SETTI_ASSERT(o->rows_of.storage == NULL);
    const ordered_column column = ordered_column_of(type);
    if (o->part_count == 0 || column.reach == 0) {
        return;
    }
    uint32_t count = type->storage.rows.count;
    size_t size = (size_t)SETTI_MAX(count, 1) * sizeof(ordered_page);
    ordered_page* pages = setti_scratch_get(&o->world->pool, &o->pages, size, 16);
    if (pages == NULL) {
        return; /* the next call makes new rows */
    }
    memset(pages, 0, size);
    for (uint32_t k = 0; k < o->now.count; k++) {
        if (row[k].value != NULL) {
            ordered_note_page(pages, &column, row[k].entity.index)->values = true;
        }
        if (row[k].parent != NULL) {
            (void)ordered_note_page(pages, &column, o->now.target[k]);
        }
    }
    o->page_count = count;
    o->rows_of = (ordered_part){.storage = &type->storage, .count = type->storage.count};
    o->rows_since =
        setti_search_read_tick(&o->world->pool, setti_search_newest(&type->storage.presence));
}

/* Makes new rows, unless the rows of the last call are still valid. Returns false when memory runs
 * out. */
static bool ordered_make_rows(sett_ordered* o, const setti_type* type, bool writes)
{
    setti_pool* pool = &o->world->pool;
    const ordered_list* order = &o->now;
    if (ordered_rows_are_current(o, type, writes)) {
        if (writes) {
            ordered_mark(o, type);
        }
        return true;
    }
    uint32_t row_room = setti_bits_ceil(SETTI_MAX(order->count, 64));
    o->rows_of.storage = NULL;
    sett_ordered_row* row = setti_scratch_get(pool, &o->rows, row_room * sizeof(*row), 16);
    if (row == NULL) {
        return false;
    }
    const ordered_column column = ordered_column_of(type);
    for (uint32_t k = 0; k < order->count; k++) {
        sett_entity entity = order->entity[k];
        uint32_t target = order->target[k];
        row[k].entity = entity;
        if (writes) {
            row[k].value = ordered_column_find_mut(pool, &column, entity.index);
        } else {
            row[k].value = setti_unconst(ordered_column_find(&column, entity.index));
        }
        row[k].parent = NULL;
        if (target != SETTI_NONE) {
            row[k].parent = ordered_column_find(&column, target);
        }
    }
    ordered_note_rows(o, type, row);
    return true;
}

const sett_ordered_row* sett_ordered_rows(sett_ordered* o, sett_component component,
                                          sett_access access, uint32_t* count)
{
    *count = 0;
    if (SETTI_IS_NULL(o) || setti_world_check_serial(o->world, __func__) != SETT_OK) {
        return NULL;
    }
    sett_world* world = o->world;
    const setti_type* type = setti_world_type(world, component);
    bool writes = access != SETT_IN;
    if (type == NULL) {
        setti_world_fail(world, SETT_STATUS_UNREGISTERED, __func__, sett_null(), component);
        return NULL;
    }
    if (writes && type->writers != NULL) {
        (void)setti_component_reject_set(world, type, __func__);
        return NULL;
    }
    if (!ordered_update(o) || !ordered_make_rows(o, type, writes)) {
        setti_world_no_memory(world, __func__);
        return NULL;
    }
    *count = o->now.count;
    return *count != 0 ? o->rows.bytes : NULL;
}

/* Returns NULL, or what is wrong with the key. */
static const char* ordered_check_key(const sett_ordered* o, const setti_type* type)
{
    static const uint8_t sizes[] = {0, 4, 4, 4, 8, 8, 8}; /* by sett_key_kind */
    const sett_ordered_desc* desc = &o->desc;
    bool keyed = desc->key != SETT_KEY_NONE;
    if (keyed && desc->compare != NULL) {
        return "`key` and `compare` are both set - leave out one";
    }
    if ((unsigned)desc->key > SETT_KEY_F64) {
        return "`key` has an unknown value - use one from SETT_KEY_U32 to SETT_KEY_F64";
    }
    if (!keyed && desc->compare == NULL) {
        if (desc->component != 0) {
            return "`component` is set without `key` and `compare` - set one";
        }
        return NULL;
    }
    if (type == NULL) {
        return "`component` is missing beside `key` or `compare` - set it";
    }
    if (desc->key_offset > type->storage.size ||
        sizes[desc->key] > type->storage.size - desc->key_offset) {
        return "`key_offset` is too large for the values of `component` - use offsetof";
    }
    if (keyed && !setti_sort_key_fits(type, desc->key_offset, desc->key)) {
        return "`key` does not fit the type of the member at `key_offset` - set the `key` of it";
    }
    return NULL;
}

/* Returns NULL, or what is wrong with the description. */
static const char* ordered_check(const sett_ordered* o)
{
    const sett_ordered_desc* desc = &o->desc;
    const setti_type* type = setti_world_type(o->world, desc->component);
    bool has_order = desc->group_by != 0 || desc->cascade || desc->component != 0;
    if (desc->text != NULL && (desc->query != NULL || has_order)) {
        return "`text` contains the query and its order - leave out `query`, `group_by`, `cascade` "
               "and `component`";
    }
    if (desc->text == NULL && desc->query == NULL) {
        return "`text` and `query` are NULL - set one of them";
    }
    if (desc->text == NULL && desc->query->world != o->world) {
        return "`query` belongs to another world - create the query in the world of the order";
    }
    if (desc->group_by != 0 && desc->group_fn != NULL) {
        return "`group_by` and `group_fn` are both set - leave out one";
    }
    return ordered_check_key(o, type);
}

/* Finds the relationships of the description. Returns NULL, or what is wrong; an empty text was
 * reported already. */
static const char* ordered_find_relationships(sett_ordered* o)
{
    const sett_ordered_desc* desc = &o->desc;
    sett_component relationship = desc->along != 0 ? desc->along : SETT_ID_HIERARCHY;
    if (desc->group_by != 0 && !setti_rank_along(o->world, desc->group_by, &o->rank.group_by)) {
        return setti_rank_wrong(o->world, desc->group_by,
                                "`group_by` is not an exclusive relationship - set one, or use "
                                "`group_fn`");
    }
    if (desc->cascade && !setti_rank_along(o->world, relationship, &o->rank.along)) {
        return setti_rank_wrong(o->world, relationship,
                                "`along` is not an exclusive relationship - set one");
    }
    return NULL;
}

/* Creates the query of `text`. Returns false after an error. */
static bool ordered_read_text(sett_ordered* o, const char* call)
{
    sett_query_desc desc;
    if (setti_query_parse(o->world, o->desc.text, call, &desc, &o->rank) != SETT_OK) {
        return false;
    }
    if (o->rank.group_by != NULL && o->desc.group_fn != NULL) {
        setti_world_fail_with(o->world, SETT_STATUS_ARGUMENT,
                              "%s: `text` contains group_by, and `group_fn` is set - leave out one",
                              call);
        return false;
    }
    desc.name = o->desc.text;
    o->text_query = setti_query_create(o->world, &desc, call);
    o->desc.query = o->text_query;
    o->desc.text = NULL; /* belongs to the program */
    return o->text_query != NULL;
}

enum {
    SETTI_SLOT_ORDERS = 11
};

/* The name of an order by values of the type, or NULL. */
static const char* ordered_of_type(const sett_world* world, const setti_type* type)
{
    const sett_ordered* o = world->module[SETTI_SLOT_ORDERS];
    for (; o != NULL; o = o->next) {
        if (o->desc.component == type->id || o->rank.side.type == type) {
            return o->desc.query->open.name;
        }
    }
    return NULL;
}

/* Checks the description, and prepares the order. Returns false after an error. */
static bool ordered_prepare(sett_ordered* o, const char* call)
{
    const sett_ordered_desc* desc = &o->desc;
    const char* wrong = ordered_check(o);
    if (wrong == NULL) {
        wrong = ordered_find_relationships(o);
    }
    if (wrong != NULL) {
        if (wrong[0] != '\0') { /* an empty text was reported already */
            setti_world_fail_with(o->world, SETT_STATUS_ARGUMENT, "%s: %s", call, wrong);
        }
        return false;
    }
    if (desc->text != NULL && !ordered_read_text(o, call)) {
        return false;
    }
    bool by_group = o->rank.group_by != NULL || desc->group_fn != NULL;
    bool by_value = o->rank.side.type != NULL || desc->component != 0;
    bool by_links = o->rank.along != NULL && o->rank.along->id != SETT_ID_HIERARCHY;
    o->fixed = !by_group && !by_value && !by_links;
    return true;
}

SETTI_COLD sett_ordered* sett_ordered_create_sized(sett_world* world, const sett_ordered_desc* desc,
                                                   size_t size)
{
    static const char call[] = "sett_ordered_create";
    sett_ordered_desc full;
    desc = setti_world_desc(world, desc, size, &full, sizeof(full), call);
    if (desc == NULL || setti_world_check_serial(world, call) != SETT_OK) {
        return NULL;
    }
    if (desc->component != 0 && setti_world_type(world, desc->component) == NULL) {
        setti_world_fail(world, SETT_STATUS_UNREGISTERED, call, sett_null(), desc->component);
        return NULL;
    }
    sett_ordered* o = setti_world_alloc(world, sizeof(*o), 16, call);
    if (o == NULL) {
        return NULL;
    }
    o->world = world;
    o->desc = *desc;
    o->rank = (setti_rank){.world = world, .compare = desc->compare, .user = desc->user};
    o->rank.reverse = desc->reverse;
    if (!ordered_prepare(o, call)) {
        setti_pool_free(&world->pool, o, sizeof(*o), 16);
        return NULL;
    }
    sett_ordered* first = world->module[SETTI_SLOT_ORDERS];
    SETTI_LIST_ADD(first, o);
    world->module[SETTI_SLOT_ORDERS] = first;
    static const setti_module_calls calls = {
        .slot = SETTI_SLOT_ORDERS, .holder = ordered_of_type, .kind = "order"};
    setti_world_add_calls(world, &calls);
    return o;
}

SETTI_COLD void sett_ordered_destroy(sett_ordered* o)
{
    if (o != NULL && setti_world_check_serial(o->world, "sett_ordered_destroy") == SETT_OK) {
        sett_ordered* first = o->world->module[SETTI_SLOT_ORDERS];
        SETTI_LIST_REMOVE(first, o);
        o->world->module[SETTI_SLOT_ORDERS] = first;
        sett_query_destroy(o->text_query);
        const setti_scratch scratch[] = {o->now.memory, o->last.memory, o->positions,
                                         o->matches,    o->rows,        o->pages};
        for (uint32_t k = 0; k < sizeof(scratch) / sizeof(scratch[0]); k++) {
            setti_pool_free(&o->world->pool, scratch[k].bytes, scratch[k].size, scratch[k].align);
        }
        setti_rank_free(&o->work, o->world, SETTI_FROM_POOL);
        setti_pool_free(&o->world->pool, o, sizeof(*o), 16);
    }
}

uint32_t sett_ordered_group_count(const sett_ordered* o)
{
    return o != NULL ? o->now.group_count : 0;
}

sett_ordered_group sett_ordered_group_at(const sett_ordered* o, uint32_t k)
{
    if (o == NULL || k >= o->now.group_count) {
        return (sett_ordered_group){0, 0, 0};
    }
    return o->now.group[k];
}

/* sort.c: sorts the rows of sparse sets, and the members of groups.
 *
 * The workload: draw order by depth or material. A hundred thousand values are sorted in every
 * frame, and few values change between frames. Keys are read once into an array of items (key,
 * row). The algorithm is E. Ernerfeldt's drop-merge sort. Items already in order stay. The other
 * items are dropped, sorted separately and merged into the rest. If more than an eighth would be
 * dropped, all items are sorted by an LSD radix sort, or, with a comparator, by a merge sort.
 *
 * All sorts are stable: rows break ties, so equal values stay in the order of rows.
 *
 * Invariant:  sorting permutes the rows of a storage together with their entities and ticks;
 *             sparse[indices[r]] == r
 */
#include "world/sort.h"

#include "world/change.h"

static const char sort_call[] = "sett_sort";

typedef struct sort_item {
    uint64_t key; /* from setti_sort_key; not used with a comparator */
    uint32_t row; /* row of the value; breaks ties */
    uint32_t pad; /* unused */
} sort_item;

typedef struct sort_order {
    const setti_storage* storage;                             /* storage of the values */
    int (*compare)(const void* a, const void* b, void* user); /* NULL: items are compared by key */
    void* user;                                               /* passed to `compare` */
    bool reverse; /* reverses `compare`; the keys in the items are reversed already */
} sort_order;

static bool sort_less(const sort_order* order, const sort_item* a, const sort_item* b)
{
    if (order->compare == NULL && a->key != b->key) {
        return a->key < b->key;
    }
    if (order->compare == NULL) {
        return a->row < b->row;
    }
    int result = order->compare(setti_storage_at(order->storage, a->row),
                                setti_storage_at(order->storage, b->row), order->user);
    if (result == 0) {
        return a->row < b->row;
    }
    return order->reverse ? result > 0 : result < 0;
}

/* Merges two sorted arrays of items into `merged`. */
static void sort_merge(const sort_order* order, const sort_item* a, size_t a_count,
                       const sort_item* b, size_t b_count, sort_item* merged)
{
    while (a_count != 0 && b_count != 0) {
        if (sort_less(order, b, a)) {
            *merged++ = *b++;
            b_count--;
        } else {
            *merged++ = *a++;
            a_count--;
        }
    }
    /* one of the counts is 0 */
    memcpy(merged, a, a_count * sizeof(*a));
    memcpy(merged + a_count, b, b_count * sizeof(*b));
}

/* Sorts items by a bottom-up merge sort. Returns the array with the result: `items` or `spare`. */
static sort_item* sort_by_merging(const sort_order* order, sort_item* items, size_t count,
                                  sort_item* spare)
{
    /* all runs of `run_length` items are sorted already */
    for (size_t run_length = 1; run_length < count; run_length *= 2) {
        for (size_t start = 0; start < count; start += 2 * run_length) {
            size_t middle = SETTI_MIN(start + run_length, count);
            size_t end = SETTI_MIN(start + 2 * run_length, count);
            sort_merge(order, items + start, middle - start, items + middle, end - middle,
                       spare + start);
        }
        sort_item* swap = items;
        items = spare;
        spare = swap;
    }
    return items;
}

/* Sorts items by an LSD radix sort: by one byte of the keys after another, the lowest first.
 * Returns the array with the result: `items` or `spare`. */
static sort_item* sort_by_radix(sort_item* items, size_t count, sort_item* spare)
{
    SETTI_ASSERT(count != 0);
    uint32_t counts[8][256];
    memset(counts, 0, sizeof(counts));
    for (size_t k = 0; k < count; k++) {
        for (uint32_t byte = 0; byte < 8; byte++) {
            counts[byte][items[k].key >> (8 * byte) & 255]++;
        }
    }
    for (uint32_t byte = 0; byte < 8; byte++) {
        uint32_t* by_digit = counts[byte]; /* by digit: number of items with the digit */
        if (by_digit[items[0].key >> (8 * byte) & 255] == count) {
            continue; /* the byte is equal in all keys */
        }
        /* from here on, by digit: the position of the next item with the digit */
        uint32_t start = 0;
        for (uint32_t digit = 0; digit < 256; digit++) {
            uint32_t digit_count = by_digit[digit];
            by_digit[digit] = start;
            start += digit_count;
        }
        for (size_t k = 0; k < count; k++) {
            spare[by_digit[items[k].key >> (8 * byte) & 255]++] = items[k];
        }
        sort_item* swap = items;
        items = spare;
        spare = swap;
    }
    return items;
}

/* Sorts items that are in any order. Returns the array with the result: `items` or `spare`. */
static sort_item* sort_all(const sort_order* order, sort_item* items, size_t count,
                           sort_item* spare)
{
    if (order->compare != NULL || count <= 256) { /* the radix sort is slower for few items */
        return sort_by_merging(order, items, count, spare);
    }
    for (size_t k = 0; k < count; k++) {
        spare[items[k].row] = items[k]; /* in order of rows: the sort keeps the order of ties */
    }
    return sort_by_radix(spare, count, items);
}

/* After this number of drops in succession, sort_drop tests whether the last kept items are too
 * great. */
#define SORT_RECENT 8

/* Returns how many of the last kept items are greater than all recently dropped items. Returns 0 if
 * these kept items outnumber the recently dropped items. */
static size_t sort_count_too_great(const sort_order* order, const sort_item* kept,
                                   size_t kept_count, const sort_item* recent, size_t recent_count)
{
    SETTI_ASSERT(recent_count != 0);
    const sort_item* greatest = recent;
    for (size_t k = 1; k < recent_count; k++) {
        if (sort_less(order, greatest, &recent[k])) {
            greatest = &recent[k];
        }
    }
    size_t too_great = 0;
    /* stops at recent_count + 1 */
    while (too_great <= recent_count && too_great < kept_count &&
           sort_less(order, greatest, &kept[kept_count - too_great - 1])) {
        too_great++;
    }
    return too_great <= recent_count ? too_great : 0;
}

/* Moves the items that are out of order to `dropped`. Returns the number of dropped items. If more
 * than `drop_limit` items are out of order, moves all items back to `items`, in any order, and
 * returns drop_limit + 1. */
static size_t sort_drop(const sort_order* order, sort_item* items, size_t count, sort_item* dropped,
                        size_t drop_limit)
{
    size_t kept = 0;
    size_t dropped_count = 0;
    size_t recent = 0; /* items dropped since the last kept item */
    for (size_t k = 0; k < count; k++) {
        sort_item item = items[k];
        if (kept == 0 || !sort_less(order, &item, &items[kept - 1])) {
            items[kept++] = item;
            recent = 0;
            continue;
        }
        if (dropped_count == drop_limit) { /* gives up: rejoins kept, dropped and remaining items */
            memmove(items + kept + dropped_count, items + k, (count - k) * sizeof(*items));
            memcpy(items + kept, dropped, dropped_count * sizeof(*items));
            return drop_limit + 1;
        }
        size_t too_great = 0;
        if (recent == SORT_RECENT) {
            const sort_item* first_recent = items + k - recent; /* still in place */
            too_great = sort_count_too_great(order, items, kept, first_recent, recent);
            recent = 0;
        }
        if (too_great != 0) { /* in `dropped`, replaces the recent items by these kept items */
            kept -= too_great;
            memcpy(dropped + dropped_count - SORT_RECENT, items + kept, too_great * sizeof(*items));
            dropped_count -= SORT_RECENT - too_great;
            k -= SORT_RECENT + 1; /* after k++, the next item is the first recent item */
            continue;
        }
        if (kept >= 2 && !sort_less(order, &item, &items[kept - 2])) {
            dropped[dropped_count++] = items[kept - 1]; /* only the last kept item is too great */
            items[kept - 1] = item;
            recent = 0;
        } else {
            dropped[dropped_count++] = item;
            recent++;
        }
    }
    SETTI_ASSERT(kept + dropped_count == count);
    return dropped_count;
}

/* Sorts items. Returns the array with the result: `items` or `spare`. */
static sort_item* sort_items(const sort_order* order, sort_item* items, size_t count,
                             sort_item* spare)
{
    size_t drop_limit = count / 8; /* if more are dropped, it is faster to sort all items */
    size_t dropped_count = sort_drop(order, items, count, spare, drop_limit);
    if (dropped_count > drop_limit) {
        return sort_all(order, items, count, spare);
    }
    if (dropped_count == 0) {
        return items;
    }
    size_t kept = count - dropped_count;
    /* The dropped items move to the end of `spare`. The merge writes `spare` from the front, and
     * never reaches a dropped item that was not read yet. */
    sort_item* sorted = sort_by_merging(order, spare, dropped_count, items + kept);
    memmove(spare + kept, sorted, dropped_count * sizeof(*sorted));
    sort_merge(order, items, kept, spare + kept, dropped_count, spare);
    return spare;
}

static void sort_move(const setti_storage* storage, void* destination, void* value)
{
    if (storage->move != NULL) {
        storage->move(destination, value, 1, storage->user);
    } else {
        setti_row_copy(destination, value, storage->size);
    }
}

/* Marks the pages `first` to `last` as written. All these pages get the latest of their restore
 * ticks, because rows move among the pages. */
static void sort_mark(setti_pool* pool, setti_pages* pages, uint32_t first, uint32_t last)
{
    for (uint32_t number = first; number <= last; number++) {
        setti_pages_write(pool, pages, number);
        setti_pages_join_restored(pages, number, last); /* page `last` gets the latest tick */
    }
    for (uint32_t number = first; number < last; number++) {
        setti_pages_join_restored(pages, last, number); /* page `last` passes the tick on */
    }
}

/* Moves the row old_rows[k] to the row first + k, for all k < count. `buffer` can hold `count`
 * values, ticks or indices. */
static void sort_apply(setti_pool* pool, setti_storage* storage, const uint32_t* old_rows,
                       uint32_t first, uint32_t count, unsigned char* buffer)
{
    SETTI_ASSERT(count != 0 && first + count <= storage->extent);
    size_t size = storage->size;
    sort_mark(pool, &storage->rows, first >> storage->shift, (first + count - 1) >> storage->shift);
    /* each column is copied to `buffer` in the new order, and then back */
    if (size != 0) {
        for (uint32_t k = 0; k < count; k++) {
            sort_move(storage, buffer + k * size, setti_storage_at(storage, old_rows[k]));
        }
        for (uint32_t k = 0; k < count; k++) {
            sort_move(storage, setti_storage_at(storage, first + k), buffer + k * size);
        }
    }
    if (storage->tracked) {
        uint64_t* ticks = (uint64_t*)(void*)buffer;
        for (uint32_t k = 0; k < count; k++) {
            ticks[k] = *setti_storage_tick(storage, old_rows[k]);
        }
        for (uint32_t k = 0; k < count; k++) {
            *setti_storage_tick(storage, first + k) = ticks[k];
        }
    }
    uint32_t* indices = (uint32_t*)(void*)buffer;
    for (uint32_t k = 0; k < count; k++) {
        indices[k] = *setti_storage_index(storage, old_rows[k]);
    }
    for (uint32_t k = 0; k < count; k++) { /* sort_mark has marked the rows' pages as written */
        *setti_sparse_entry_mut(pool, storage, indices[k]) = first + k;
        *setti_storage_index(storage, first + k) = indices[k];
    }
}

/* Rows to sort, of one type or of all types owned by a group. */
typedef struct sort_task {
    sett_world* world;
    setti_type* const* types;
    uint32_t type_count;
    uint32_t count; /* the rows 0 to count - 1 are sorted */
} sort_task;

/* Returns scratch memory for `count` items. Returns NULL if memory runs out. */
static void* sort_get_scratch(sett_world* world, setti_scratch* scratch, size_t count,
                              size_t item_size, size_t align)
{
    size_t size;
    if (!setti_multiply(count, item_size, &size)) {
        return NULL;
    }
    return setti_scratch_get(&world->pool, scratch, size, align);
}

/* Moves the row old_rows[k] to the row k, for all rows and in all storages of a task. */
static sett_status sort_rows(const sort_task* task, const uint32_t* old_rows)
{
    SETTI_ASSERT(task->type_count != 0 && task->count <= task->types[0]->storage.extent);
    setti_pool* pool = &task->world->pool;
    uint32_t first = 0;
    uint32_t end = task->count;
    while (first < end && old_rows[first] == first) { /* skips rows that stay in place */
        first++;
    }
    while (end > first && old_rows[end - 1] == end - 1) {
        end--;
    }
    if (first == end) {
        return SETT_OK;
    }
    size_t width = sizeof(uint64_t); /* of the widest column: at least a tick */
    size_t align = sizeof(uint64_t);
    for (uint32_t k = 0; k < task->type_count; k++) {
        width = SETTI_MAX(width, task->types[k]->storage.size);
        align = SETTI_MAX(align, task->types[k]->storage.align);
    }
    unsigned char* buffer =
        sort_get_scratch(task->world, &task->world->sort_rows, end - first, width, align);
    if (buffer == NULL) {
        return SETT_STATUS_OUT_OF_MEMORY;
    }
    for (uint32_t k = 0; k < task->type_count; k++) {
        sort_apply(pool, &task->types[k]->storage, old_rows + first, first, end - first, buffer);
    }
    return SETT_OK;
}

bool setti_sort_rows(sett_world* world, setti_type* type, const uint32_t* old_rows, uint32_t count)
{
    SETTI_ASSERT(count <= type->storage.extent);
    sort_task task = {world, &type, 1, count};
    return sort_rows(&task, old_rows) == SETT_OK;
}

/* Writes the keys and rows of a task to `items`. The keys are in the values of `type`. */
static void sort_fill_items(const sort_task* task, const setti_type* type,
                            const sett_sort_desc* desc, sort_item* items)
{
    const setti_storage* rows = &task->types[0]->storage;
    uint64_t flip = desc->reverse ? UINT64_MAX : 0; /* inverted keys have the reverse order */
    for (uint32_t row = 0; row < task->count; row++) {
        const unsigned char* value;
        if (&type->storage == rows) {
            value = setti_storage_at(rows, row);
        } else { /* the entity may have another row in this storage */
            value = setti_storage_find(&type->storage, *setti_storage_index(rows, row));
        }
        items[row].row = row;
        if (desc->compare == NULL) {
            items[row].key = setti_sort_key(value + desc->key_offset, desc->key) ^ flip;
        } else {
            items[row].key = 0;
        }
    }
}

/* Sorts a task by the values of `type`. */
static sett_status sort_by_values(const sort_task* task, const setti_type* type,
                                  const sett_sort_desc* desc)
{
    SETTI_ASSERT(task->world->locks == 0);
    sett_world* world = task->world;
    sort_order order = {&type->storage, desc->compare, desc->user, desc->reverse};
    if (task->count < 2) {
        return SETT_OK;
    }
    /* the second half is spare memory for sort_items */
    sort_item* items =
        sort_get_scratch(world, &world->sort_items, task->count, 2 * sizeof(sort_item), 16);
    if (items == NULL) {
        return SETT_STATUS_OUT_OF_MEMORY;
    }
    sort_fill_items(task, type, desc, items);
    /* locks the world, because a comparator must not change structure */
    const char* outer = setti_world_begin_call(world, type->desc.name);
    sort_item* sorted = sort_items(&order, items, task->count, items + task->count);
    setti_world_end_call(world, outer);
    sort_item* unused = items; /* the half without the result holds the rows */
    if (sorted == items) {
        unused = items + task->count;
    }
    uint32_t* old_rows = (uint32_t*)(void*)unused;
    for (uint32_t row = 0; row < task->count; row++) {
        old_rows[row] = sorted[row].row;
    }
    return sort_rows(task, old_rows);
}

/* Sets *type to the type of a component. Fails if a group of the program owns the type. */
static sett_status sort_check(sett_world* world, sett_component component, const char* call,
                              setti_type** type)
{
    *type = setti_change_check_type(world, component, call);
    if (*type == NULL) {
        return setti_world_failure(world);
    }
    if ((*type)->owner != NULL && !(*type)->owner->by_layout) {
        return setti_world_fail_with(world, SETT_STATUS_CONFLICT,
                                     "%s: \"%.100s\" is owned by group \"%.100s\" - pass the group "
                                     "to sett_sort, or list the component in the group's `with`",
                                     call, (*type)->desc.name, (*type)->owner->name);
    }
    return SETT_OK;
}

/* Makes the storage of a type a sparse set without gaps. If a layout's group owns the type, ends
 * the group. */
static sett_status sort_prepare(sett_world* world, setti_type* type, const char* call)
{
    sett_status status = setti_change_need_sparse_set(world, type, call);
    if (status != SETT_OK) {
        return status;
    }
    status = setti_group_give_way(world, type, call);
    if (status != SETT_OK) {
        return status;
    }
    type->default_storage = false; /* so that sett_layout_auto does not undo the order */
    setti_storage_compact(&world->pool, &type->storage);
    return SETT_OK;
}

static void sort_reverse_rows(uint32_t* rows, uint32_t count)
{
    for (uint32_t k = 0; k < count / 2; k++) {
        uint32_t row = rows[k];
        rows[k] = rows[count - 1 - k];
        rows[count - 1 - k] = row;
    }
}

/* Sorts a task in the order of a walk. Entities that the walk does not visit follow.
 *   reverse  the last visited entity comes first */
static sett_status sort_by_walk(const sort_task* task, setti_sort_walk* walk, bool reverse)
{
    sett_world* world = task->world;
    size_t size = ((size_t)task->count + 1) * 2 * sizeof(uint32_t); /* + 1: never 0 bytes */
    uint32_t* old_rows = setti_scratch_get(&world->pool, &world->sort_items, size, 16);
    if (old_rows == NULL) {
        return SETT_STATUS_OUT_OF_MEMORY;
    }
    uint32_t* visited = old_rows + task->count; /* by row: 1 if the walk has visited the row */
    uint32_t count = 0;
    memset(visited, 0, task->count * sizeof(uint32_t));
    for (uint32_t index = walk->next(walk); index != SETTI_NONE; index = walk->next(walk)) {
        uint32_t row = setti_sparse_row(&task->types[0]->storage, index);
        if (row < task->count) {
            old_rows[count++] = row;
            visited[row] = 1;
        }
    }
    if (reverse) {
        sort_reverse_rows(old_rows, count);
    }
    for (uint32_t row = 0; row < task->count; row++) { /* appends the rows not visited */
        if (visited[row] == 0) {
            old_rows[count++] = row;
        }
    }
    SETTI_ASSERT(count == task->count);
    return sort_rows(task, old_rows);
}

sett_status setti_sort_in_order(sett_world* world, sett_component component, const char* call,
                                setti_sort_walk* walk)
{
    setti_type* type;
    sett_status status = sort_check(world, component, call, &type);
    if (status != SETT_OK) {
        return status;
    }
    status = sort_prepare(world, type, call);
    if (status != SETT_OK) {
        return status;
    }
    sort_task task = {world, &type, 1, type->storage.count};
    const bool reverse = false;
    status = sort_by_walk(&task, walk, reverse);
    if (status != SETT_OK) {
        return setti_world_fail(world, status, call, sett_null(), component);
    }
    return SETT_OK;
}

/* A walk over the entities with the descriptor's type `like`, in the order of rows. */
typedef struct sort_model {
    setti_sort_walk walk; /* first */
    const setti_storage* storage;
    uint32_t cursor;
} sort_model;

static uint32_t sort_model_next(setti_sort_walk* walk)
{
    sort_model* model = (sort_model*)(void*)walk;
    return setti_storage_next_row(model->storage, &model->cursor);
}

/* Checks the comparator or key of a sort by values of `type`. Returns NULL if it is valid.
 * Otherwise returns what is wrong. */
static const char* sort_check_key(const sett_sort_desc* desc, const setti_type* type)
{
    size_t size = desc->key >= SETT_KEY_U64 ? 8 : 4; /* bytes of the key: the last kinds have 8 */
    if (desc->compare != NULL) {
        return type->storage.size == 0 ? "a tag has no values - sort by another component" : NULL;
    }
    if ((unsigned)desc->key > SETT_KEY_F64) {
        return "`key` has an unknown value - use one from SETT_KEY_U32 to SETT_KEY_F64";
    }
    if (type->storage.size < size || desc->key_offset > type->storage.size - size) {
        return "`key` at `key_offset` lies outside of the value - set `key_offset` with offsetof";
    }
    if (!setti_sort_key_fits(type, desc->key_offset, desc->key)) {
        return "the member at `key_offset` is of another kind than `key` - set that kind";
    }
    return NULL;
}

/* Fails because the component to sort a group by is not registered. */
static sett_status sort_reject_unknown(sett_world* world, const sett_sort_desc* desc,
                                       const char* group)
{
    sett_component id = desc->component;
    return setti_world_fail_with(world, SETT_STATUS_UNREGISTERED,
                                 "%s: group \"%.100s\": `component` is %u, which is not registered "
                                 "in this world - %s",
                                 sort_call, group, (unsigned)id, setti_component_remedy(id));
}

/* Checks that a group has the component to sort by. */
static sett_status sort_check_component(sett_world* world, const sett_sort_desc* desc,
                                        const setti_listener* group)
{
    if (desc->like != 0 && desc->component == 0) {
        return SETT_OK; /* `like` needs no component */
    }
    const setti_type* type = setti_world_type(world, desc->component);
    if (type == NULL) {
        return sort_reject_unknown(world, desc, group->name);
    }
    if (!setti_type_list_has(&group->with, type)) {
        return setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                                     "%s: \"%.100s\" is in neither `owned` nor `with` of group "
                                     "\"%.100s\" - set `component` to one that is",
                                     sort_call, type->desc.name, group->name);
    }
    return SETT_OK;
}

/* Checks the descriptor's group. Sets *task to the rows of the group. */
static sett_status sort_check_group(const sett_sort_desc* desc, sort_task* task)
{
    sett_world* world = task->world;
    const setti_listener* group = &desc->group->listener;
    sett_status status = setti_world_check_unlocked(world, sort_call);
    if (status != SETT_OK) {
        return status;
    }
    if (desc->group->world != world) {
        return setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                                     "%s: group \"%.100s\" was created in another world - pass the "
                                     "world in which it was created",
                                     sort_call, group->name);
    }
    status = sort_check_component(world, desc, group);
    if (status != SETT_OK) {
        return status;
    }
    if (group->owned.count == 0) {
        return setti_world_fail_with(
            world, SETT_STATUS_ARGUMENT,
            "%s: group \"%.100s\" owns no component, so it has no order of "
            "its own - create it with the sorted components in `owned`",
            sort_call, group->name);
    }
    /* a comparator finds values by rows, so the type must have the members in the group's rows */
    const setti_type* type = setti_world_type(world, desc->component);
    bool same_rows = type == NULL || type->owner == group;
    if (desc->compare != NULL && !same_rows) {
        return setti_world_fail_with(
            world, SETT_STATUS_ARGUMENT,
            "%s: group \"%.100s\" does not own \"%.100s\", so `compare` cannot sort by it - create "
            "the group with the component in `owned`, or use `key`",
            sort_call, group->name, type->desc.name);
    }
    task->types = group->owned.item;
    task->type_count = group->owned.count;
    task->count = group->length;
    return SETT_OK;
}

/* Checks that one of `compare`, `key` and `like` is set and valid.
 *   type  of the component to sort by; NULL for `like` without a component */
static sett_status sort_check_order(sett_world* world, const sett_sort_desc* desc,
                                    const setti_type* type)
{
    bool by_compare = desc->compare != NULL;
    bool by_key = desc->key != SETT_KEY_NONE;
    bool by_like = desc->like != 0;
    if (by_compare + by_key + by_like != 1) {
        const char* name = type != NULL ? type->desc.name : NULL;
        const char* wrong =
            "more than one of `compare`, `key` and `like` is set - set only one of them";
        if (!by_compare && !by_key && !by_like) {
            wrong = "none of `compare`, `key` and `like` is set - set one of them";
        }
        return setti_world_fail_argument(world, sort_call, name, wrong);
    }
    if (by_like) {
        if (setti_world_type(world, desc->like) == NULL) {
            return setti_world_fail(world, SETT_STATUS_UNREGISTERED, sort_call, sett_null(),
                                    desc->like);
        }
        return SETT_OK;
    }
    const char* wrong = sort_check_key(desc, type);
    if (wrong != NULL) {
        return setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                                     "%s: \"%.100s\", with values of %u bytes: %s", sort_call,
                                     type->desc.name, (unsigned)type->storage.size, wrong);
    }
    return SETT_OK;
}

sett_status sett_sort_sized(sett_world* world, const sett_sort_desc* desc, size_t size)
{
    sett_sort_desc full;
    desc = setti_world_desc(world, desc, size, &full, sizeof(full), "sett_sort");
    if (desc == NULL) {
        return setti_world_failure(world);
    }
    sort_task task = {.world = world};
    setti_type* type = setti_world_type(world, desc->component);
    sett_status status;
    if (desc->group != NULL) {
        status = sort_check_group(desc, &task);
    } else {
        status = sort_check(world, desc->component, sort_call, &type);
    }
    if (status != SETT_OK) {
        return status;
    }
    status = sort_check_order(world, desc, type);
    if (status != SETT_OK) {
        return status;
    }
    if (desc->group == NULL) {
        status = sort_prepare(world, type, sort_call);
        if (status != SETT_OK) {
            return status;
        }
        task.types = &type;
        task.type_count = 1;
        task.count = type->storage.count;
    }
    if (desc->like != 0) {
        const setti_type* like = setti_world_type(world, desc->like);
        sort_model model = {{sort_model_next}, &like->storage, 0};
        status = sort_by_walk(&task, &model.walk, desc->reverse);
    } else {
        status = sort_by_values(&task, type, desc);
    }
    if (status != SETT_OK) {
        return setti_world_fail(world, status, sort_call, sett_null(), desc->component);
    }
    return SETT_OK;
}

/* rank.c: sorts by group, depth and value.
 *
 * The workload: lists in the order of the last sorting, with few changes since. A natural merge
 * sort merges the sorted runs. A sorted list costs one comparison per item.
 */
#include "search/search.h"
#include "sett/name.h"

#include <stdio.h>

bool setti_rank_along(sett_world* world, sett_component relationship, const setti_type** type)
{
    if (relationship == SETT_ID_HIERARCHY && setti_hierarchy_register(world) == 0) {
        return false;
    }
    *type = setti_world_type(world, relationship);
    return *type != NULL && setti_along_is_one(*type);
}

const char* setti_rank_wrong(const sett_world* world, sett_component relationship,
                             const char* wrong)
{
    if (relationship == SETT_ID_HIERARCHY && setti_hierarchy_of(world) == NULL) {
        return "";
    }
    return wrong;
}

/* Finds the relationships that an order names. Returns NULL, or what is wrong. */
static const char* rank_find_relationships(sett_world* world, const sett_search_order* order,
                                           setti_rank* rank)
{
    sett_component relationship = order->along != 0 ? order->along : SETT_ID_HIERARCHY;
    if (order->group_by != 0 && !setti_rank_along(world, order->group_by, &rank->group_by)) {
        return setti_rank_wrong(world, order->group_by,
                                "group_by is not followed by an exclusive relationship - name one");
    }
    if (order->cascade && !setti_rank_along(world, relationship, &rank->along)) {
        return setti_rank_wrong(world, relationship,
                                "cascade is not followed by an exclusive relationship - name one");
    }
    return NULL;
}

sett_status setti_rank_resolve(sett_world* world, const sett_search_order* order, setti_rank* rank,
                               char message[SETTI_MESSAGE_SIZE])
{
    rank->world = world;
    rank->reverse = order->reverse;
    const char* wrong = rank_find_relationships(world, order, rank);
    if (wrong == NULL && order->by.kind > SETT_OPERAND_MEMBER) {
        wrong = "order_by is not followed by a member or a name - write one";
    }
    if (wrong != NULL) {
        snprintf(message, SETTI_MESSAGE_SIZE, "%s", wrong);
        return wrong[0] != '\0' ? SETT_STATUS_ARGUMENT : world->error;
    }
    sett_status status = setti_compare_prepare(world, &rank->side, &order->by, message);
    const sett_member_ref* member = &rank->side.member;
    rank->text_room = SETT_NAME_MAX;
    if (rank->side.kind == SETT_OPERAND_MEMBER) {
        rank->text_room = (size_t)member->size * member->count;
    }
    return status;
}

/* Whether depths can be read from the hierarchy: the order is by depth in the hierarchy, and no
 * stored depth is outdated. */
static bool rank_reads_depths(const setti_rank* rank)
{
    const setti_hierarchy* tree = setti_hierarchy_of(rank->world);
    return rank->along != NULL && rank->along->id == SETT_ID_HIERARCHY && tree->moved == 0;
}

/* In place of (depth + 1): the depth of the entity is being computed. */
#define RANK_OPEN UINT32_MAX

/* Stores the depths of an entity, of its target, of the target's target and so on. Stops at the
 * first entity with a known depth. */
static void rank_store_depths(const setti_rank* rank, const setti_rank_work* work, uint32_t index)
{
    const uint64_t round = (uint64_t)work->round << 32;
    const uint64_t open = round | RANK_OPEN;
    /* In place of (depth + 1) in a cycle: more than any depth. */
    const uint64_t cycle_depth = (uint64_t)rank->world->entities.count + 1;
    uint64_t steps = 0;
    uint32_t ancestor = index;
    /* A value below `round` was stored in an earlier round: the depth is not known yet. */
    while (ancestor != SETTI_NONE && work->depth[ancestor] < round) {
        work->depth[ancestor] = open;
        ancestor = setti_along_target(rank->along, ancestor);
        steps++;
    }
    /* (depth + 1) of `ancestor`; RANK_OPEN in a cycle; 0 without an ancestor */
    uint64_t known_depth = 0;
    if (ancestor != SETTI_NONE) {
        known_depth = work->depth[ancestor] - round;
    }
    for (ancestor = index; ancestor != SETTI_NONE && work->depth[ancestor] == open; steps--) {
        work->depth[ancestor] = round | SETTI_MIN(known_depth + steps, cycle_depth);
        ancestor = setti_along_target(rank->along, ancestor);
    }
}

/* Returns 0 if `index` is SETTI_NONE. Otherwise returns the number of links on the way from the
 * entity to its last target. */
static uint32_t rank_depth(const setti_rank* rank, const setti_rank_work* work, uint32_t index)
{
    SETTI_ASSERT(rank->along != NULL);
    if (index == SETTI_NONE) {
        return 0;
    }
    if (rank_reads_depths(rank)) {
        const sett_hierarchy* node = setti_storage_find(&rank->along->storage, index);
        return node != NULL ? node->depth : 0;
    }
    SETTI_ASSERT(index < work->depth_room);
    /* Without stored depths, each entity in a chain of 10,000 levels took 2,000 ns. */
    rank_store_depths(rank, work, index);
    return (uint32_t)work->depth[index] - 1;
}

void setti_rank_fill(const setti_rank* rank, const setti_rank_work* work, setti_ranked* item,
                     uint32_t group_entity, uint32_t cascade_entity, uint32_t value_entity)
{
    uint32_t group = group_entity;
    if (rank->group_by != NULL && group_entity != SETTI_NONE) {
        group = setti_along_target(rank->group_by, group_entity);
    }
    item->group = group != SETTI_NONE ? group : UINT64_MAX; /* without a target: the last group */
    item->depth = 0;
    if (rank->along != NULL) {
        item->depth = rank_depth(rank, work, cascade_entity);
    }
    item->key = 0;
    const char* text = NULL;
    item->present = rank->side.type != NULL && value_entity != SETTI_NONE &&
                    setti_compare_key(rank->world, &rank->side, value_entity, &item->key, &text);
    item->value = text;
}

/* Compares the values of two items. Returns a number below, equal to or above 0, like strcmp. */
static int rank_compare_values(const setti_rank* rank, const setti_ranked* a, const setti_ranked* b)
{
    SETTI_ASSERT(a->present && b->present);
    if (rank->compare != NULL) {
        return rank->compare(a->value, b->value, rank->user);
    }
    if (rank->side.type != NULL && a->value != NULL) { /* texts, which can end without a zero */
        return strncmp(a->value, b->value, rank->text_room);
    }
    return (a->key > b->key) - (a->key < b->key);
}

/* Whether `a` comes before `b`. Also true if both are the same entity. */
static bool rank_is_before(const setti_rank* rank, const setti_ranked* a, const setti_ranked* b)
{
    if (a->group != b->group) {
        return a->group < b->group;
    }
    if (a->depth != b->depth) {
        return a->depth < b->depth;
    }
    if (a->present != b->present) {
        return b->present; /* items without a value come first */
    }
    if (a->present) {
        int order = rank_compare_values(rank, a, b);
        if (order != 0) {
            bool less = order < 0;
            return less != rank->reverse;
        }
    }
    return a->entity.index <= b->entity.index;
}

/* Merges the runs [a, middle) and [middle, end) of `items` into `merged`. */
static void rank_merge(const setti_rank* rank, const setti_ranked* items, uint32_t a,
                       uint32_t middle, uint32_t end, setti_ranked* merged)
{
    SETTI_ASSERT(a <= middle && middle <= end);
    uint32_t b = middle;
    for (uint32_t k = a; a < middle || b < end; k++) {
        bool takes_a = b == end || (a < middle && rank_is_before(rank, &items[a], &items[b]));
        if (takes_a) {
            merged[k] = items[a++];
        } else {
            merged[k] = items[b++];
        }
    }
}

/* The bytes for each item: in `item`, in `other` and in `run`. */
#define RANK_ITEM_SIZE (2 * sizeof(setti_ranked) + sizeof(uint32_t))

/* Begins a round of computing depths. Returns false when memory runs out. */
static bool rank_begin_depths(sett_world* world, setti_rank_work* work, bool pooled)
{
    uint32_t indices = setti_entity_capacity(&world->entities);
    work->round++;
    bool overflowed = work->round == 0;
    if (indices <= work->depth_room && !overflowed) {
        return true;
    }
    setti_find_release(world, pooled, work->depth, work->depth_room * sizeof(uint64_t));
    work->depth_room = 0;
    work->depth = setti_find_alloc(world, pooled, indices * sizeof(uint64_t));
    if (work->depth == NULL) {
        return false;
    }
    memset(work->depth, 0, indices * sizeof(uint64_t));
    work->depth_room = indices;
    work->round = 1;
    return true;
}

bool setti_rank_begin(const setti_rank* rank, setti_rank_work* work, bool pooled,
                      uint32_t item_room)
{
    SETTI_ASSERT(item_room != 0);
    sett_world* world = rank->world;
    if (item_room > work->room) {
        setti_find_release(world, pooled, work->item, work->room * RANK_ITEM_SIZE);
        work->room = 0;
        work->item = setti_find_alloc(world, pooled, item_room * RANK_ITEM_SIZE);
        if (work->item == NULL) {
            return false;
        }
        work->room = item_room;
        work->other = work->item + item_room;
        work->run = (uint32_t*)(void*)(work->other + item_room);
    }
    bool computes_depths = rank->along != NULL && !rank_reads_depths(rank);
    return !computes_depths || rank_begin_depths(world, work, pooled);
}

void setti_rank_free(setti_rank_work* work, sett_world* world, bool pooled)
{
    setti_find_release(world, pooled, work->item, work->room * RANK_ITEM_SIZE);
    setti_find_release(world, pooled, work->depth, work->depth_room * sizeof(uint64_t));
    memset(work, 0, sizeof(*work));
}

const setti_ranked* setti_rank_sort(const setti_rank* rank, const setti_rank_work* work,
                                    uint32_t count)
{
    setti_ranked* item = work->item;
    setti_ranked* other = work->other;
    uint32_t* run = work->run;
    uint32_t run_count = 0;
    for (uint32_t k = 0; k < count; k++) {
        if (k == 0 || !rank_is_before(rank, &item[k - 1], &item[k])) {
            run[run_count++] = k;
        }
    }
    while (run_count > 1) { /* merges pairs of neighbours until one run is left */
        if (rank->stop != NULL && rank->stop(rank->stop_user)) {
            return NULL;
        }
        uint32_t merged_count = 0;
        for (uint32_t k = 0; k < run_count; k += 2) {
            /* The last run, or a run without a neighbour, ends at `count`. */
            uint32_t middle = k + 1 < run_count ? run[k + 1] : count;
            uint32_t end = k + 2 < run_count ? run[k + 2] : count;
            rank_merge(rank, item, run[k], middle, end, other);
            run[merged_count++] = run[k]; /* in place: merged_count <= k */
        }
        run_count = merged_count;
        setti_ranked* merged = other;
        other = item;
        item = merged;
    }
    return item;
}

/* The size of the rows of `result_room` results, in bytes. */
static size_t sorted_row_size(const sett_search* search, uint32_t result_room)
{
    return (size_t)result_room * search->result_count * sizeof(uint32_t);
}

void setti_sorted_free(setti_sorted* sorted, const sett_search* search)
{
    setti_find_release(search->world, sorted->pooled, sorted->row,
                       sorted_row_size(search, sorted->room));
    setti_rank_free(&sorted->work, search->world, sorted->pooled);
    memset(sorted, 0, sizeof(*sorted));
}

/* Doubles the room for results. Returns false when memory runs out. */
static bool sorted_grow(setti_sorted* sorted, const sett_search* search)
{
    uint32_t new_room = SETTI_MAX(sorted->room, 1024) * 2;
    if (new_room <= sorted->room) {
        return false; /* the doubled number overflowed */
    }
    uint32_t* grown =
        setti_find_alloc(search->world, sorted->pooled, sorted_row_size(search, new_room));
    if (grown == NULL) {
        return false;
    }
    if (sorted->count != 0) {
        memcpy(grown, sorted->row, sorted_row_size(search, sorted->count));
    }
    setti_find_release(search->world, sorted->pooled, sorted->row,
                       sorted_row_size(search, sorted->room));
    sorted->row = grown;
    sorted->room = new_room;
    return true;
}

bool setti_sorted_add(setti_sorted* sorted, const sett_search* search, const sett_rows* rows)
{
    uint32_t variables = search->result_count;
    if (sorted->room - sorted->count < rows->count && !sorted_grow(sorted, search)) {
        return false;
    }
    SETTI_ASSERT(sorted->room - sorted->count >= rows->count);
    uint32_t* row = sorted->row + (size_t)sorted->count * variables;
    for (uint32_t k = 0; k < rows->count; k++) {
        for (uint32_t v = 0; v < variables; v++) {
            *row++ = rows->index[v][k];
        }
    }
    sorted->count += rows->count;
    return true;
}

bool setti_sorted_sort(setti_sorted* sorted, const sett_search* search)
{
    uint32_t count = sorted->count;
    sorted->next = 0;
    if (count == 0) {
        return true;
    }
    if (!setti_rank_begin(&search->rank, &sorted->work, sorted->pooled, count)) {
        return false;
    }
    const uint32_t* row = sorted->row;
    for (uint32_t k = 0; k < count; k++, row += search->result_count) {
        uint32_t entity[SETTI_RANK_KEYS];
        for (uint32_t key = 0; key < SETTI_RANK_KEYS; key++) {
            SETTI_ASSERT(search->rank_of[key] == SETTI_NO_REF ||
                         search->rank_of[key] < search->result_count);
            uint8_t variable = search->rank_of[key];
            entity[key] = variable != SETTI_NO_REF ? row[variable] : SETTI_NONE;
        }
        setti_ranked* item = &sorted->work.item[k];
        item->entity = (sett_entity){k, 0}; /* the result's number in place of an index */
        setti_rank_fill(&search->rank, &sorted->work, item, entity[SETTI_RANK_GROUP],
                        entity[SETTI_RANK_CASCADE], entity[SETTI_RANK_VALUE]);
    }
    sorted->in_order = setti_rank_sort(&search->rank, &sorted->work, count);
    sorted->count = sorted->in_order != NULL ? count : 0; /* 0: a limit stopped the sorting */
    return true;
}

uint32_t setti_sorted_take(setti_sorted* sorted, const sett_search* search, uint32_t* column)
{
    uint32_t count = SETTI_MIN(sorted->count - sorted->next, SETT_SEARCH_ROWS);
    SETTI_ASSERT(sorted->next <= sorted->count && (count == 0 || sorted->in_order != NULL));
    for (uint32_t k = 0; k < count; k++) {
        size_t number = sorted->in_order[sorted->next + k].entity.index; /* the result's number */
        for (uint32_t v = 0; v < search->result_count; v++) {
            column[v * SETT_SEARCH_ROWS + k] = sorted->row[number * search->result_count + v];
        }
    }
    sorted->next += count;
    return count;
}

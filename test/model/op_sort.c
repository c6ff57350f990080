/* op_sort.c: storages and groups put in order, and the order looked at.
 *
 * SPDX-License-Identifier: MIT
 */
#include "model/operations.h"

#include "world/world.h"

#include <math.h>

static uint32_t sort_before[MODEL_INDICES]; /* entity indices, row by row */
static uint32_t sort_after[MODEL_INDICES];
static uint32_t sort_place[MODEL_INDICES]; /* by entity index: where it was in `sort_before` */
static uint32_t sort_mark[MODEL_INDICES];  /* by entity index: the check that met it last */
static uint32_t sort_turn;

/* What a comparison looks at. */
typedef struct sort_by {
    const model_type* type;
    bool by_key;
    size_t offset;
    sett_key_kind kind;
    bool reverse;
} sort_by;

/* The entity indices of a type in the order of its rows, without gaps. */
static uint32_t sort_list(uint32_t type, uint32_t* list)
{
    const setti_storage* storage = storage_of(type);
    uint32_t count = 0;
    for (uint32_t row = 0; row < storage->extent; row++) {
        bool has = storage->kind != SETTI_SPARSE && setti_storage_has(storage, row);
        uint32_t index = storage->kind == SETTI_SPARSE ? *setti_storage_index(storage, row)
                         : has                         ? row
                                                       : SETTI_NONE;
        if (index != SETTI_NONE) {
            list[count++] = index;
        }
    }
    EXPECT(count == model.count[type]);
    return count;
}

/* Of few different keys, so that equal ones are many. */
static uint32_t sort_number(const model_type* type, const void* value)
{
    const model_owned* owned = value;
    const unsigned char* bytes = value;
    return (type->flags & MODEL_OWNED) != 0 ? *owned->block % 64 : bytes[type->size / 2] % 64u;
}

static int sort_compare(const void* a, const void* b, void* user)
{
    const sort_by* by = user;
    uint32_t x = sort_number(by->type, a);
    uint32_t y = sort_number(by->type, b);
    return x < y ? -1 : x > y;
}

static double sort_float(const sort_by* by, const void* value)
{
    float narrow;
    double wide;
    const unsigned char* at = (const unsigned char*)value + by->offset;
    if (by->kind == SETT_KEY_F32) {
        memcpy(&narrow, at, sizeof(narrow));
        return (double)narrow;
    }
    memcpy(&wide, at, sizeof(wide));
    return wide;
}

static bool sort_is_nan(const sort_by* by, const void* value)
{
    if (!by->by_key || (by->kind != SETT_KEY_F32 && by->kind != SETT_KEY_F64)) {
        return false;
    }
    double number = sort_float(by, value);
    return number != number;
}

#define SORT_THREE_WAY(type_)                                                                      \
    do {                                                                                           \
        type_ x_;                                                                                  \
        type_ y_;                                                                                  \
        memcpy(&x_, (const unsigned char*)a + by->offset, sizeof(x_));                             \
        memcpy(&y_, (const unsigned char*)b + by->offset, sizeof(y_));                             \
        return x_ < y_ ? -1 : x_ > y_;                                                             \
    } while (0)

/* Neither is a NaN. */
static int sort_compare_keys(const sort_by* by, const void* a, const void* b)
{
    switch (by->kind) {
    case SETT_KEY_NONE:
    case SETT_KEY_U32:
        SORT_THREE_WAY(uint32_t);
    case SETT_KEY_I32:
        SORT_THREE_WAY(int32_t);
    case SETT_KEY_U64:
        SORT_THREE_WAY(uint64_t);
    case SETT_KEY_I64:
        SORT_THREE_WAY(int64_t);
    case SETT_KEY_F32:
    case SETT_KEY_F64:
        break;
    }
    double x = sort_float(by, a);
    double y = sort_float(by, b);
    if (!(x < y) && !(x > y)) { /* -0 goes before 0 */
        return (signbit(y) != 0) - (signbit(x) != 0);
    }
    return x < y ? -1 : x > y;
}

static const void* sort_value(const sort_by* by, uint32_t index)
{
    return sett_find(model.world, model_handle(&model, index), by->type->id);
}

/* The first `count` of `sort_after` are the first of `sort_before`, in order; equal ones are as
 * they were. Not-a-numbers lie at the ends. */
static void expect_sorted(sort_by* by, uint32_t count)
{
    bool numbers = false;
    bool ended = false;
    sort_turn++;
    for (uint32_t k = 0; k < count; k++) {
        sort_place[sort_before[k]] = k;
        sort_mark[sort_before[k]] = sort_turn;
    }
    const void* last = NULL;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t index = sort_after[k];
        const void* value = sort_value(by, index);
        EXPECT(sort_mark[index] == sort_turn);
        sort_mark[index] = 0;
        if (sort_is_nan(by, value)) {
            ended = numbers;
            last = NULL;
            continue;
        }
        EXPECT(!ended);
        numbers = true;
        if (last != NULL) {
            int order =
                by->by_key ? sort_compare_keys(by, last, value) : sort_compare(last, value, by);
            order = by->reverse ? -order : order;
            EXPECT(order < 0 || (order == 0 && sort_place[sort_after[k - 1]] < sort_place[index]));
        }
        last = value;
    }
}

/* A key anywhere in the value; now and then beyond. */
static void sort_choose(sort_by* by, uint32_t number)
{
    by->type = &model_types[number];
    by->by_key = !one_in(4);
    by->kind = (sett_key_kind)(SETT_KEY_U32 + below(6));
    by->reverse = one_in(3);
    uint32_t size = by->type->size;
    bool owned = (by->type->flags & MODEL_OWNED) != 0; /* pointers in front change as rows move */
    by->offset = owned ? 16 : below(size < 64 ? size + 1 : 64);
    if (size >= 8 && !one_in(8)) {
        by->offset = owned ? 16 : below((size < 64 ? size : 64) - 7);
    }
}

static sett_sort_desc sort_describe(const sort_by* by)
{
    sett_sort_desc desc = {.component = by->type->id, .reverse = by->reverse};
    if (by->by_key) {
        desc.key = by->kind;
        desc.key_offset = by->offset;
    } else {
        desc.compare = sort_compare;
        desc.user = (void*)(uintptr_t)by;
    }
    return desc;
}

static bool sort_fits(const sort_by* by)
{
    bool narrow = by->kind == SETT_KEY_U32 || by->kind == SETT_KEY_I32 || by->kind == SETT_KEY_F32;
    size_t size = !by->by_key ? 1 : narrow ? 4 : 8;
    return by->by_key ? by->offset + size <= by->type->size : by->type->size != 0;
}

/* A type put in order has its values in this order from now on. */
static void sort_note(uint32_t number, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        model.stamp[number][sort_after[k]] = ++model.stamps;
    }
}

/* One that is sparse-set, mostly. */
/* Sorting converts an array whose storage is left to the library, and leaves it a sparse set. */
static void sort_converts(model_type* type)
{
    type->sparse_set = true;
    type->by_default = false;
}

static uint32_t some_sparse(void)
{
    uint32_t type = some_type();
    for (uint32_t tries = 0; tries < 4 && !model_types[type].sparse_set; tries++) {
        type = some_type();
    }
    return type;
}

void op_sort(void)
{
    uint32_t number = some_sparse();
    model_type* type = &model_types[number];
    sort_by by;
    sort_choose(&by, number);
    if (!afford(20 + (uint64_t)model.count[number] * 8)) {
        return;
    }
    uint32_t count = sort_list(number, sort_before);
    sett_sort_desc desc = sort_describe(&by);
    sett_status status = sett_sort(model.world, &desc);
    bool owned = (model.group_owned & model_bit(number)) != 0;
    bool argument = !(type->sparse_set || type->by_default) || !sort_fits(&by);
    if (argument || owned) {
        EXPECT((argument && status == SETT_STATUS_ARGUMENT) ||
               (owned && status == SETT_STATUS_CONFLICT));
        EXPECT(failed_with(status));
    } else {
        EXPECT(status == SETT_OK);
    }
    EXPECT(sort_list(number, sort_after) == count);
    if (status == SETT_OK) {
        sort_converts(type);
        expect_sorted(&by, count);
        sort_note(number, count);
    } else {
        EXPECT(memcmp(sort_before, sort_after, sizeof(uint32_t) * count) == 0);
    }
    expect_samples();
}

/* What a type sorted as `like` has to look like: those that both have, then the others. */
static void expect_sorted_as(uint32_t number, uint32_t like, uint32_t count)
{
    static uint32_t expected[MODEL_INDICES];
    uint32_t filled = 0;
    bool sparse_set = model_types[like].sparse_set;
    uint32_t others = sparse_set ? sort_list(like, expected) : 0;
    for (uint32_t k = 0; k < (sparse_set ? others : MODEL_INDICES); k++) {
        uint32_t index = sparse_set ? expected[k] : k;
        if (model.life[index] == MODEL_ALIVE && model_has(&model, index, like) &&
            model_has(&model, index, number)) {
            expected[filled++] = index; /* never ahead of k */
        }
    }
    for (uint32_t k = 0; k < count; k++) {
        if (!model_has(&model, sort_before[k], like)) {
            expected[filled++] = sort_before[k];
        }
    }
    EXPECT(filled == count);
    EXPECT(memcmp(expected, sort_after, sizeof(uint32_t) * count) == 0);
}

void op_sort_as(void)
{
    uint32_t number = some_sparse();
    uint32_t like = some_type();
    uint64_t cost = (uint64_t)model.count[number] + model.count[like];
    if (!afford(20 + cost * 4 + (model_types[like].sparse_set ? 0 : model.alive))) {
        return;
    }
    model_type* type = &model_types[number];
    uint32_t count = sort_list(number, sort_before);
    sett_status status =
        sett_sort(model.world, &(sett_sort_desc){.component = type->id, .like = id_of(like)});
    bool owned = (model.group_owned & model_bit(number)) != 0;
    EXPECT(status == (owned                                  ? SETT_STATUS_CONFLICT
                      : type->sparse_set || type->by_default ? SETT_OK
                                                             : SETT_STATUS_ARGUMENT));
    if (status == SETT_OK) {
        sort_converts(type);
        EXPECT(sort_list(number, sort_after) == count);
        expect_sorted_as(number, like, count);
        sort_note(number, count);
    }
    expect_samples();
}

/* All that the group owns has its members in front, in the order of `sort_after`; what follows is
 * as it was in `rows`. */
static void expect_arranged(const model_group* group, uint32_t* const* rows)
{
    static uint32_t list[MODEL_INDICES];
    uint32_t members = sett_group_count(group->group);
    uint32_t k = 0;
    for (uint64_t rest = group->owned; rest != 0; rest &= rest - 1) {
        uint32_t count = sort_list(model_lowest(rest), list);
        EXPECT(memcmp(list, sort_after, sizeof(uint32_t) * members) == 0);
        EXPECT(memcmp(list + members, rows[k++] + members, sizeof(uint32_t) * (count - members)) ==
               0);
    }
}

static void group_sort(const model_group* group, sort_by* by)
{
    uint32_t* rows[SETT_GROUP_TYPES] = {NULL};
    uint32_t count = 0;
    for (uint64_t rest = group->owned; rest != 0; rest &= rest - 1) {
        rows[count] = malloc(sizeof(uint32_t) * MODEL_INDICES);
        CHECK(rows[count] != NULL);
        (void)sort_list(model_lowest(rest), rows[count++]);
    }
    uint32_t members = sett_group_count(group->group);
    uint64_t bit = model_bit(by->type->number);
    sett_sort_desc desc = sort_describe(by);
    desc.group = group->group;
    sett_status status = sett_sort(model.world, &desc);
    bool good = count != 0 && sort_fits(by) && by->type->size != 0 &&
                ((by->by_key ? group->with : group->owned) & bit) != 0;
    EXPECT(status == (good ? SETT_OK : SETT_STATUS_ARGUMENT));
    if (count != 0) {
        memcpy(sort_before, rows[0], sizeof(uint32_t) * members);
        (void)sort_list(model_lowest(group->owned), sort_after);
        expect_arranged(group, rows);
    }
    if (good) {
        expect_sorted(by, members);
    } else {
        EXPECT(memcmp(sort_before, sort_after, sizeof(uint32_t) * (count != 0 ? members : 0)) == 0);
    }
    for (uint32_t k = 0; k < count; k++) {
        free(rows[k]);
    }
}

void op_group_sort(void)
{
    const model_group* group = some_group();
    for (uint32_t tries = 0; tries < 3 && group != NULL && group->owned == 0; tries++) {
        group = some_group();
    }
    if (group == NULL) {
        return;
    }
    uint64_t cost = 50;
    for (uint64_t rest = group->owned; rest != 0; rest &= rest - 1) {
        cost += (uint64_t)model.count[model_lowest(rest)] * 4;
    }
    if (!afford(cost)) {
        return;
    }
    uint64_t types = group->owned == 0 || one_in(3) ? group->with : group->owned;
    while ((types & (types - 1)) != 0 && one_in(2)) {
        types &= types - 1;
    }
    sort_by by;
    sort_choose(&by, one_in(16) ? some_type() : model_lowest(types));
    group_sort(group, &by);
    expect_samples();
}

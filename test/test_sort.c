/* test_sort.c: orders of sparse sets and groups. Every sort is compared with a naive one that
 * is stable by construction, over sizes and shapes that take each way through sort.c: in order
 * already, backwards, a little disturbed, all equal, few different, at random. */
#include "check.h"
#include "scarce.h"
#include "sett/sett.h"

#include <float.h>
#include <limits.h>

static uint64_t the_random = 88172645463325252u;

static uint32_t draw(uint32_t below)
{
    the_random ^= the_random << 13;
    the_random ^= the_random >> 7;
    the_random ^= the_random << 17;
    return (uint32_t)((the_random >> 20) % below);
}

/* ---- Values, and the order they should come in ----------------------------------------------- */

#define MOST 5000u

/* What is sorted: a key somewhere in it, and what tells equal ones apart. */
typedef struct item {
    uint32_t serial; /* of the entity: the order before */
    uint32_t key32;
    uint64_t key64;
} item;

typedef struct shelf {
    sett_world* world;
    sett_component type;
    uint32_t count;
    sett_entity entity[MOST];
    item value[MOST]; /* by serial */
    uint64_t tick[MOST];
    uint32_t order[MOST]; /* serials, as they should lie */
} shelf;

static shelf the_shelf;

static const setti_storage* storage_of(const sett_world* world, sett_component component)
{
    return &setti_world_type(world, component)->storage;
}

/* A stable sort that can be believed: by insertion, binary searched. `less` must be strict. */
static void sort_naively(shelf* s, bool (*less)(const item* a, const item* b))
{
    for (uint32_t k = 0; k < s->count; k++) {
        uint32_t serial = s->order[k];
        uint32_t low = 0;
        uint32_t high = k;
        while (low < high) { /* behind all that are not greater */
            uint32_t middle = (low + high) / 2;
            if (less(&s->value[serial], &s->value[s->order[middle]])) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        memmove(&s->order[low + 1], &s->order[low], (k - low) * sizeof(s->order[0]));
        s->order[low] = serial;
    }
}

/* Rows, entities, values and ticks, all as they should be. */
static void expect_order(const shelf* s)
{
    const setti_storage* storage = storage_of(s->world, s->type);
    CHECK_EQ(storage->count, s->count);
    CHECK_EQ(storage->extent, s->count);
    for (uint32_t row = 0; row < s->count; row++) {
        uint32_t serial = s->order[row];
        const item* value = setti_storage_at(storage, row);
        CHECK_EQ(value->serial, serial);
        CHECK(memcmp(value, &s->value[serial], sizeof(item)) == 0);
        CHECK_EQ(*setti_storage_index(storage, row), s->entity[serial].index);
        CHECK(sett_find(s->world, s->entity[serial], s->type) == value);
        if (storage->tracked) {
            CHECK_EQ(sett_changed_tick(s->world, s->entity[serial], s->type), s->tick[serial]);
        }
    }
    CHECK_VALID(s->world);
}

static void shelf_begin(shelf* s, const sett_component_desc* given)
{
    memset(s, 0, sizeof(*s));
    s->world = quiet_world();
    sett_component_desc desc = *given;
    desc.name = "item";
    desc.size = sizeof(item);
    desc.storage = SETT_STORAGE_SPARSE_SET;
    s->type = sett_component_register(s->world, &desc);
    CHECK(s->type != 0);
}

/* Empties it and puts `count` items there, in the order of s->value. */
static void shelf_fill(shelf* s, uint32_t count)
{
    CHECK_EQ(sett_world_clear(s->world), SETT_OK);
    s->count = count;
    for (uint32_t k = 0; k < count; k++) {
        s->entity[k] = sett_entity_create(s->world);
        s->value[k].serial = k;
        s->order[k] = k;
        if (k % 97 == 0) {
            sett_world_advance_tick(s->world);
        }
        s->tick[k] = sett_world_tick(s->world);
        CHECK(sett_set(s->world, s->entity[k], s->type, &s->value[k]) != NULL);
    }
    sett_world_advance_tick(s->world);
}

/* ---- Shapes ---------------------------------------------------------------------------------- */

typedef enum shape {
    SORTED,
    REVERSED,
    DISTURBED, /* 1 % of sorted ones */
    PAIRED,    /* sorted, with some side by side that belong at the end */
    SHUFFLED,
    EQUAL,
    FEW,
    SAW,      /* short rising runs */
    APPENDED, /* sorted, with some that are not at the end */
    SHAPES
} shape;

/* Keys of a shape, made of numbers below 2^31. */
static uint32_t shape_key(shape form, uint32_t k, uint32_t count)
{
    switch (form) {
    case SORTED:
        return k * 3;
    case REVERSED:
        return (count - k) * 3;
    case DISTURBED:
        return draw(100) == 0 ? draw(count * 3) : k * 3;
    case PAIRED:
        return k % 100 < 96 ? k * 3 : count * 3 + k * 3;
    case SHUFFLED:
        return draw(1u << 30);
    case EQUAL:
        return 7;
    case FEW:
        return draw(5);
    case SAW:
        return k % 50;
    case APPENDED:
        return k < count - count / 10 ? k * 3 : draw(count * 3);
    case SHAPES:
        break;
    }
    return 0;
}

static const uint32_t sizes[] = {0,   1,   2,   3,   4,   5,    17,   64,
                                 100, 255, 256, 257, 300, 1000, 1024, 1025};

static uint32_t size_of_round(uint32_t round)
{
    enum {
        FIXED = sizeof(sizes) / sizeof(sizes[0])
    };
    return round < FIXED ? sizes[round] : round == FIXED ? MOST : draw(MOST + 1);
}

#define ROUNDS 20u

/* ---- By comparator --------------------------------------------------------------------------- */

static uint64_t comparisons;

static int compare_key32(const void* a, const void* b, void* user)
{
    const item* x = a;
    const item* y = b;
    CHECK_PTR_EQ(user, &the_shelf);
    comparisons++;
    return x->key32 < y->key32 ? -1 : x->key32 > y->key32;
}

static bool less_key32(const item* a, const item* b)
{
    return a->key32 < b->key32;
}

static void by_comparator_is_stable(void)
{
    shelf* s = &the_shelf;
    shelf_begin(s, &(sett_component_desc){.track_rows = true});
    for (uint32_t round = 0; round < ROUNDS; round++) {
        for (uint32_t form = 0; form < SHAPES; form++) {
            uint32_t count = size_of_round(round);
            for (uint32_t k = 0; k < count; k++) {
                s->value[k] = (item){k, shape_key((shape)form, k, count), draw(1000)};
            }
            shelf_fill(s, count);
            sort_naively(s, less_key32);
            comparisons = 0;
            CHECK_EQ(sett_sort(s->world, &(sett_sort_desc){.component = s->type,
                                                           .compare = compare_key32,
                                                           .user = s}),
                     SETT_OK);
            expect_order(s);
            /* Nearly sorted is nearly free: two comparisons a value, and the sorting of the few. */
            bool nearly = form == SORTED || form == EQUAL;
            CHECK(!nearly || comparisons <= 2 * (uint64_t)count);
            bool few = form == DISTURBED || form == PAIRED;
            CHECK(!few || count < 1000 || comparisons <= 5 * (uint64_t)count);
            CHECK_EQ(sett_sort(s->world, &(sett_sort_desc){.component = s->type,
                                                           .compare = compare_key32,
                                                           .user = s}),
                     SETT_OK);
            expect_order(s);
        }
    }
    CHECK_END(s->world);
}

/* Additions append to the order, removals fill holes from the end, sorting again repairs. */
static void an_order_is_kept_up(void)
{
    shelf* s = &the_shelf;
    shelf_begin(s, &(sett_component_desc){.track_rows = true});
    for (uint32_t k = 0; k < 3000; k++) {
        s->value[k] = (item){k, draw(10000), k};
    }
    shelf_fill(s, 3000);
    sort_naively(s, less_key32);
    CHECK_EQ(
        sett_sort(s->world,
                  &(sett_sort_desc){.component = s->type, .compare = compare_key32, .user = s}),
        SETT_OK);
    for (uint32_t round = 0; round < 60; round++) {
        for (uint32_t k = 0; k < 20; k++) { /* values change in place */
            uint32_t serial = draw(s->count);
            s->value[serial].key32 = draw(10000);
            s->tick[serial] = sett_world_tick(s->world);
            item* value = sett_get_mut(s->world, s->entity[serial], s->type);
            value->key32 = s->value[serial].key32;
        }
        sett_world_advance_tick(s->world);
        if (round % 2 == 0) {
            CHECK_EQ(sett_sort(s->world, &(sett_sort_desc){.component = s->type,
                                                           .compare = compare_key32,
                                                           .user = s}),
                     SETT_OK);
        } else {
            CHECK_EQ(sett_sort(s->world, &(sett_sort_desc){.component = s->type,
                                                           .key = SETT_KEY_U32,
                                                           .key_offset = offsetof(item, key32)}),
                     SETT_OK);
        }
        sort_naively(s, less_key32);
        expect_order(s);
    }
    CHECK_END(s->world);
}

/* ---- By key ---------------------------------------------------------------------------------- */

static double double_of(const item* value)
{
    double number;
    memcpy(&number, &value->key64, sizeof(number));
    return number;
}

static float float_of(const item* value)
{
    float number;
    memcpy(&number, &value->key32, sizeof(number));
    return number;
}

static bool less_u32(const item* a, const item* b)
{
    return a->key32 < b->key32;
}

static bool less_i32(const item* a, const item* b)
{
    return (int64_t)a->key32 - (a->key32 >> 31 != 0 ? (int64_t)1 << 32 : 0) <
           (int64_t)b->key32 - (b->key32 >> 31 != 0 ? (int64_t)1 << 32 : 0);
}

static bool less_u64(const item* a, const item* b)
{
    return a->key64 < b->key64;
}

static bool less_i64(const item* a, const item* b)
{
    uint64_t sign = (uint64_t)1 << 63;
    if ((a->key64 & sign) != (b->key64 & sign)) {
        return (a->key64 & sign) != 0;
    }
    return a->key64 < b->key64;
}

/* -NaN, negative, -0, 0, positive, NaN; which NaN goes first is not said, so tests use one. */
static int float_rank(double number, bool negative)
{
    if (number != number) {
        return negative ? 0 : 5;
    }
    if (number == 0) {
        return negative ? 2 : 3;
    }
    return number < 0 ? 1 : 4;
}

static bool less_f32(const item* a, const item* b)
{
    float x = float_of(a);
    float y = float_of(b);
    int rank_x = float_rank((double)x, a->key32 >> 31 != 0);
    int rank_y = float_rank((double)y, b->key32 >> 31 != 0);
    return rank_x != rank_y ? rank_x < rank_y : x < y;
}

static bool less_f64(const item* a, const item* b)
{
    double x = double_of(a);
    double y = double_of(b);
    int rank_x = float_rank(x, a->key64 >> 63 != 0);
    int rank_y = float_rank(y, b->key64 >> 63 != 0);
    return rank_x != rank_y ? rank_x < rank_y : x < y;
}

/* Keys that are hard to get right, by kind. */
static void extreme_key(item* value, sett_key_kind kind, uint32_t pick)
{
    static const uint32_t narrow[] = {0, 1, 2, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF, 255};
    static const uint64_t wide[] = {
        0,          1,          INT64_MAX,        (uint64_t)1 << 63, ((uint64_t)1 << 63) + 1,
        UINT64_MAX, 0xFFFFFFFF, (uint64_t)1 << 32};
    static const double numbers[] = {0,       -0.0,     1,      -1,      DBL_MAX, -DBL_MAX,
                                     DBL_MIN, -DBL_MIN, 5e-324, -5e-324, 1e300,   -1e300};
    static const float small[] = {0,       -0.0f,    1,      -1,      FLT_MAX, -FLT_MAX,
                                  FLT_MIN, -FLT_MIN, 1e-45f, -1e-45f, 1e30f,   -1e30f};
    static const uint32_t special[] = {0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00000};
    static const uint64_t special_wide[] = {0x7FF0000000000000u, 0xFFF0000000000000u,
                                            0x7FF8000000000000u, 0xFFF8000000000000u};
    switch (kind) {
    case SETT_KEY_NONE:
    case SETT_KEY_U32:
    case SETT_KEY_I32:
        value->key32 = narrow[pick % 8];
        break;
    case SETT_KEY_U64:
    case SETT_KEY_I64:
        value->key64 = wide[pick % 8];
        break;
    case SETT_KEY_F32:
        value->key32 = special[pick % 4]; /* infinities and NaNs */
        if (pick % 16 < 12) {
            memcpy(&value->key32, &small[pick % 16], sizeof(float));
        }
        break;
    case SETT_KEY_F64:
        value->key64 = special_wide[pick % 4];
        if (pick % 16 < 12) {
            memcpy(&value->key64, &numbers[pick % 16], sizeof(double));
        }
        break;
    }
}

/* Keys of a shape, around zero where the kind has a sign. */
static void shaped_key(item* value, sett_key_kind kind, uint32_t number, uint32_t count)
{
    float narrow = ((float)number - (float)count) * 0.25f;
    double wide = ((double)number - (double)count) * 1e10;
    int64_t whole = (int64_t)number - count;
    switch (kind) {
    case SETT_KEY_NONE:
    case SETT_KEY_U32:
        value->key32 = number;
        break;
    case SETT_KEY_I32:
        value->key32 = (uint32_t)whole;
        break;
    case SETT_KEY_F32:
        memcpy(&value->key32, &narrow, sizeof(narrow));
        break;
    case SETT_KEY_U64:
        value->key64 = (uint64_t)number << 33;
        break;
    case SETT_KEY_I64:
        value->key64 = (uint64_t)(whole * 100000007);
        break;
    case SETT_KEY_F64:
        memcpy(&value->key64, &wide, sizeof(wide));
        break;
    }
}

static void by_every_kind_of_key(void)
{
    static bool (*const less[])(const item* a, const item* b) = {
        [SETT_KEY_U32] = less_u32, [SETT_KEY_I32] = less_i32, [SETT_KEY_F32] = less_f32,
        [SETT_KEY_U64] = less_u64, [SETT_KEY_I64] = less_i64, [SETT_KEY_F64] = less_f64};
    shelf* s = &the_shelf;
    shelf_begin(s, &(sett_component_desc){.track_rows = true});
    for (uint32_t kind = SETT_KEY_U32; kind <= SETT_KEY_F64; kind++) {
        bool wide = kind >= SETT_KEY_U64;
        size_t offset = wide ? offsetof(item, key64) : offsetof(item, key32);
        for (uint32_t round = 0; round < ROUNDS; round++) {
            for (uint32_t form = 0; form <= SHAPES; form++) {
                uint32_t count = size_of_round(round);
                for (uint32_t k = 0; k < count; k++) {
                    s->value[k] = (item){k, draw(9), draw(9)};
                    if (form == SHAPES) {
                        extreme_key(&s->value[k], (sett_key_kind)kind, draw(1u << 16));
                    } else {
                        shaped_key(&s->value[k], (sett_key_kind)kind,
                                   shape_key((shape)form, k, count), count);
                    }
                }
                shelf_fill(s, count);
                sort_naively(s, less[kind]);
                CHECK_EQ(sett_sort(s->world, &(sett_sort_desc){.component = s->type,
                                                               .key = (sett_key_kind)kind,
                                                               .key_offset = offset}),
                         SETT_OK);
                expect_order(s);
            }
        }
    }
    CHECK_END(s->world);
}

/* Keys may lie anywhere in a value, aligned or not. */
static void keys_need_no_alignment(void)
{
    sett_world* world = quiet_world();
    sett_component_desc desc = {
        .name = "bytes", .size = 13, .align = 1, .storage = SETT_STORAGE_SPARSE_SET};
    sett_component type = sett_component_register(world, &desc);
    for (size_t offset = 0; offset <= 9; offset++) {
        CHECK_EQ(sett_world_clear(world), SETT_OK);
        for (uint32_t k = 0; k < 600; k++) {
            unsigned char value[13] = {0};
            uint32_t key = draw(1u << 30);
            memcpy(value + offset, &key, sizeof(key));
            CHECK(sett_set(world, sett_entity_create(world), type, value) != NULL);
        }
        CHECK_EQ(sett_sort(world, &(sett_sort_desc){.component = type,
                                                    .key = SETT_KEY_U32,
                                                    .key_offset = offset}),
                 SETT_OK);
        const setti_storage* storage = storage_of(world, type);
        uint32_t last = 0;
        for (uint32_t row = 0; row < 600; row++) {
            uint32_t key;
            memcpy(&key, (const unsigned char*)setti_storage_at(storage, row) + offset, 4);
            CHECK(key >= last);
            last = key;
        }
    }
    CHECK_EQ(sett_sort(world,
                       &(sett_sort_desc){.component = type, .key = SETT_KEY_U32, .key_offset = 10}),
             SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_sort(world,
                       &(sett_sort_desc){.component = type, .key = SETT_KEY_U64, .key_offset = 5}),
             SETT_OK);
    CHECK_EQ(sett_sort(world,
                       &(sett_sort_desc){.component = type, .key = SETT_KEY_U64, .key_offset = 6}),
             SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_sort(
                 world,
                 &(sett_sort_desc){.component = type, .key = SETT_KEY_U32, .key_offset = SIZE_MAX}),
             SETT_STATUS_ARGUMENT);
    CHECK_END(world);
}

/* ---- As another ------------------------------------------------------------------------------ */

static void as_another_storage(void)
{
    enum {
        COUNT = 2000
    };
    for (uint32_t round = 0; round < 24; round++) {
        sett_world* world = quiet_world();
        bool kept = round % 4 == 1;
        bool array = round % 4 == 2;
        bool tag = round % 4 == 3;
        sett_component_desc like_desc = {.name = "like", .size = tag ? 0 : 4, .keep_order = kept};
        like_desc.storage = array || tag ? SETT_STORAGE_ARRAY : SETT_STORAGE_SPARSE_SET;
        sett_component_desc desc = {.name = "sorted",
                                    .size = 8,
                                    .storage = SETT_STORAGE_SPARSE_SET,
                                    .track_rows = true,
                                    .keep_order = round % 3 == 0};
        sett_component like = sett_component_register(world, &like_desc);
        sett_component type = sett_component_register(world, &desc);
        static sett_entity e[COUNT];
        static uint32_t before[COUNT];
        static bool taken[COUNT];
        uint32_t share = round < 12 ? 2 : 20;
        for (uint32_t k = 0; k < COUNT; k++) {
            e[k] = sett_entity_create(world);
        }
        for (uint32_t k = 0; k < COUNT; k++) {
            uint32_t a = k * 1009 % COUNT;
            uint32_t b = k * 1301 % COUNT;
            uint64_t value = a;
            CHECK(draw(share) == 0 || sett_set(world, e[a], type, &value) != NULL);
            CHECK(draw(share) == 0 || sett_add(world, e[b], like) != NULL);
        }
        for (uint32_t k = 0; k < COUNT / 4; k++) { /* gaps, where order is kept */
            sett_entity some = e[draw(COUNT)];
            if (sett_has(world, some, like)) {
                CHECK_EQ(sett_remove(world, some, like), SETT_OK);
            }
            some = e[draw(COUNT)];
            if (sett_has(world, some, type)) {
                CHECK_EQ(sett_remove(world, some, type), SETT_OK);
            }
        }
        const setti_storage* rows = storage_of(world, type);
        const setti_storage* model = storage_of(world, like);
        uint32_t count = 0;
        for (uint32_t row = 0; row < rows->extent; row++) {
            if (*setti_storage_index(rows, row) != SETTI_NONE) {
                before[count++] = *setti_storage_index(rows, row);
            }
        }
        CHECK_EQ(sett_sort(world, &(sett_sort_desc){.component = type, .like = like}), SETT_OK);
        CHECK_EQ(rows->extent, count);
        /* Those that both have, as the model has them; then the others as they were. */
        memset(taken, 0, sizeof(taken));
        uint32_t row = 0;
        for (uint32_t k = 0; k < (array || tag ? COUNT : model->extent); k++) {
            uint32_t index = array || tag ? k : *setti_storage_index(model, k);
            if (index != SETTI_NONE && sett_has(world, e[index], like) &&
                sett_has(world, e[index], type)) {
                CHECK_EQ(*setti_storage_index(rows, row), index);
                taken[index] = true;
                row++;
            }
        }
        for (uint32_t k = 0; k < count; k++) {
            if (!taken[before[k]]) {
                CHECK_EQ(*setti_storage_index(rows, row), before[k]);
                row++;
            }
        }
        CHECK_EQ(row, count);
        for (uint32_t k = 0; k < COUNT; k++) {
            const uint64_t* value = sett_find(world, e[k], type);
            CHECK(value == NULL || *value == k);
        }
        CHECK_EQ(sett_sort(world, &(sett_sort_desc){.component = type, .like = type}),
                 SETT_OK); /* as it is */
        CHECK_END(world);
    }
}

/* ---- What is special about a type ------------------------------------------------------------ */

typedef struct anchored {
    uint32_t serial;
    uint32_t key;
    struct anchored* self;
    unsigned char rest[72]; /* over what is copied piece by piece */
} anchored;

static void anchored_init(void* values, uint32_t count, void* user)
{
    (void)user;
    memset(values, 0, count * sizeof(anchored));
    for (uint32_t k = 0; k < count; k++) {
        ((anchored*)values)[k].self = (anchored*)values + k;
    }
}

static void anchored_move(void* to, void* from, uint32_t count, void* user)
{
    anchored* t = to;
    anchored* f = from;
    (void)user;
    for (uint32_t k = 0; k < count; k++) {
        CHECK_PTR_EQ(f[k].self, &f[k]);
        t[k] = f[k];
        t[k].self = &t[k];
        memset(&f[k], 0xEE, sizeof(f[k]));
    }
}

static void anchored_deinit(void* values, uint32_t count, void* user)
{
    (void)user;
    for (uint32_t k = 0; k < count; k++) {
        CHECK_PTR_EQ(((anchored*)values)[k].self, (anchored*)values + k);
    }
}

static int compare_anchored(const void* a, const void* b, void* user)
{
    const anchored* x = a;
    const anchored* y = b;
    CHECK(user == NULL && x->self == x && y->self == y);
    return (x->key > y->key) - (x->key < y->key);
}

/* Stable: equal keys by serial; every value where it says it is. */
static void expect_anchored(const sett_world* world, sett_component type, uint32_t count)
{
    const setti_storage* storage = storage_of(world, type);
    CHECK_EQ(storage->extent, count);
    const anchored* last = NULL;
    for (uint32_t row = 0; row < count; row++) {
        const anchored* value = setti_storage_at(storage, row);
        CHECK_PTR_EQ(value->self, value);
        CHECK(last == NULL || last->key < value->key ||
              (last->key == value->key && last->serial < value->serial));
        last = value;
    }
}

static void values_that_know_where_they_lie_are_moved_by_their_hook(void)
{
    for (uint32_t way = 0; way < 2; way++) {
        sett_world* world = quiet_world();
        sett_component_desc desc = {.name = "anchored",
                                    .size = sizeof(anchored),
                                    .storage = SETT_STORAGE_SPARSE_SET,
                                    .init = anchored_init,
                                    .deinit = anchored_deinit,
                                    .move = anchored_move};
        sett_component type = sett_component_register(world, &desc);
        for (uint32_t k = 0; k < 900; k++) {
            anchored* value = sett_add(world, sett_entity_create(world), type);
            value->serial = k;
            value->key = draw(100);
        }
        CHECK_EQ(way == 0
                     ? sett_sort(world,
                                 &(sett_sort_desc){.component = type, .compare = compare_anchored})
                     : sett_sort(world, &(sett_sort_desc){.component = type,
                                                          .key = SETT_KEY_U32,
                                                          .key_offset = offsetof(anchored, key)}),
                 SETT_OK);
        expect_anchored(world, type, 900);
        CHECK_END(world);
    }
}

/* Gaps are closed first, and what is removed afterwards leaves the order. */
static void kept_orders_can_be_sorted(void)
{
    sett_world* world = quiet_world();
    sett_component_desc desc = {.name = "kept", .size = 4, .keep_order = true, .track_rows = true};
    sett_component type = sett_component_register(world, &desc);
    static sett_entity e[2000];
    for (uint32_t k = 0; k < 2000; k++) {
        uint32_t key = draw(500);
        e[k] = sett_entity_create(world);
        CHECK(sett_set(world, e[k], type, &key) != NULL);
    }
    for (uint32_t k = 0; k < 2000; k += 3) {
        CHECK_EQ(sett_remove(world, e[k], type), SETT_OK);
    }
    const setti_storage* storage = storage_of(world, type);
    CHECK(storage->extent > storage->count);
    CHECK_EQ(sett_sort(world, &(sett_sort_desc){.component = type, .key = SETT_KEY_U32}), SETT_OK);
    CHECK_EQ(storage->extent, storage->count);
    for (uint32_t k = 1; k < 2000; k += 5) {
        if (sett_has(world, e[k], type)) {
            CHECK_EQ(sett_remove(world, e[k], type), SETT_OK);
        }
    }
    CHECK(storage->extent > storage->count);
    uint32_t last = 0;
    uint32_t last_index = 0;
    sett_query* query = sett_query_create(
        world, &(sett_query_desc){.terms = {{.component = type, .access = SETT_IN}}});
    SETT_QUERY_EACH(query, b) {
        const uint32_t* keys = sett_batch_field(b, 0);
        SETT_EACH(b, i) {
            CHECK(keys[i] > last || (keys[i] == last && sett_batch_index(b, i) >= last_index));
            last = keys[i];
            last_index = sett_batch_index(b, i); /* values were set in the order of indices */
        }
    }
    CHECK_END(world);
}

/* ---- Groups ---------------------------------------------------------------------------------- */

static int compare_numbers(const void* a, const void* b, void* user)
{
    uint32_t x;
    uint32_t y;
    memcpy(&x, a, sizeof(x));
    memcpy(&y, b, sizeof(y));
    ++*(uint32_t*)user;
    return (x > y) - (x < y);
}

typedef struct pack {
    sett_world* world;
    sett_component a, b, p, m; /* owned: numbers, anchored, tag; not owned: numbers in an array */
    sett_group* group;
    uint32_t count;
} pack;

static pack make_pack(uint32_t count)
{
    pack g = {.world = quiet_world(), .count = count};
    sett_component_desc a = {
        .name = "a", .size = 4, .storage = SETT_STORAGE_SPARSE_SET, .track_rows = true};
    sett_component_desc b = {.name = "b",
                             .size = sizeof(anchored),
                             .storage = SETT_STORAGE_SPARSE_SET,
                             .init = anchored_init,
                             .deinit = anchored_deinit,
                             .move = anchored_move};
    sett_component_desc p = {.name = "p", .storage = SETT_STORAGE_SPARSE_SET};
    g.a = sett_component_register(g.world, &a);
    g.b = sett_component_register(g.world, &b);
    g.p = sett_component_register(g.world, &p);
    g.m = sett_component_register(
        g.world, &(sett_component_desc){.name = "m", .size = 8, .storage = SETT_STORAGE_ARRAY});
    g.group = sett_group_create(
        g.world, &(sett_group_desc){.name = "pack", .owned = {g.a, g.b, g.p}, .with = {g.m}});
    CHECK(g.group != NULL);
    for (uint32_t k = 0; k < count; k++) {
        sett_entity e = sett_entity_create(g.world);
        CHECK_EQ(e.index, k);
        uint32_t number = draw(count + 1);
        uint64_t wide = draw(50);
        CHECK(sett_set(g.world, e, g.a, &number) != NULL);
        if (k % 64 == 0) {
            sett_world_advance_tick(g.world);
        }
        if (k % 5 != 0) { /* the others are no members, and stay as they are */
            anchored* value = sett_add(g.world, e, g.b);
            value->serial = k;
            value->key = number;
            CHECK(sett_add(g.world, e, g.p) != NULL);
            CHECK(sett_set(g.world, e, g.m, &wide) != NULL);
        }
    }
    return g;
}

static uint64_t pack_key(const pack* g, uint32_t index, bool wide)
{
    sett_entity e = sett_entity_at(g->world, index);
    return wide ? *(const uint64_t*)sett_get(g->world, e, g->m)
                : *(const uint32_t*)sett_get(g->world, e, g->a);
}

/* Members come in order, all that is owned came along, and the rest did not move. */
static void expect_pack(const pack* g, bool wide, const uint32_t* before, const uint32_t* rank)
{
    const setti_storage* a = storage_of(g->world, g->a);
    const setti_storage* b = storage_of(g->world, g->b);
    const setti_storage* p = storage_of(g->world, g->p);
    uint32_t members = sett_group_count(g->group);
    CHECK_EQ(members, b->count);
    CHECK_EQ(b->count, p->count);
    for (uint32_t row = 0; row < a->extent; row++) {
        uint32_t index = *setti_storage_index(a, row);
        if (row >= members) {
            CHECK_EQ(index, before[row]);
            continue;
        }
        CHECK_EQ(*setti_storage_index(b, row), index);
        CHECK_EQ(*setti_storage_index(p, row), index);
        const anchored* value = setti_storage_at(b, row);
        CHECK(value->self == value && value->serial == index);
        CHECK_EQ(value->key, *(const uint32_t*)setti_storage_at(a, row));
        if (row != 0) {
            uint32_t last = *setti_storage_index(a, row - 1);
            uint64_t key = pack_key(g, index, wide);
            uint64_t last_key = pack_key(g, last, wide);
            CHECK(last_key < key || (last_key == key && rank[last] < rank[index]));
        }
    }
    CHECK_VALID(g->world);
}

static void groups_are_sorted_by_any_of_their_types(void)
{
    enum {
        COUNT = 3000
    };
    static uint32_t before[COUNT];
    static uint32_t rank[COUNT];
    static uint64_t ticks[COUNT];
    for (uint32_t count = 0; count <= COUNT; count = count * 3 + 1) {
        pack g = make_pack(count);
        const setti_storage* a = storage_of(g.world, g.a);
        for (uint32_t way = 0; way < 5; way++) {
            for (uint32_t row = 0; row < count; row++) {
                before[row] = *setti_storage_index(a, row);
                rank[before[row]] = row;
                ticks[before[row]] =
                    sett_changed_tick(g.world, sett_entity_at(g.world, before[row]), g.a);
            }
            uint32_t calls = 0;
            sett_status status = SETT_OK;
            if (way == 0 || way == 3) {
                status = sett_sort(
                    g.world,
                    &(sett_sort_desc){.component = g.m, .group = g.group, .key = SETT_KEY_U64});
            } else if (way == 1) {
                status = sett_sort(g.world, &(sett_sort_desc){.component = g.a,
                                                              .group = g.group,
                                                              .compare = compare_numbers,
                                                              .user = &calls});
            } else if (way == 2) {
                status =
                    sett_sort(g.world, &(sett_sort_desc){.component = g.b,
                                                         .group = g.group,
                                                         .key = SETT_KEY_U32,
                                                         .key_offset = offsetof(anchored, key)});
            } else {
                status = sett_sort(
                    g.world,
                    &(sett_sort_desc){.component = g.a, .group = g.group, .key = SETT_KEY_U32});
            }
            CHECK_EQ(status, SETT_OK);
            expect_pack(&g, way == 0 || way == 3, before, rank);
            for (uint32_t index = 0; index < count; index++) {
                CHECK_EQ(sett_changed_tick(g.world, sett_entity_at(g.world, index), g.a),
                         ticks[index]);
            }
        }
        CHECK_END(g.world);
    }
}

/* ---- Rejections --------------------------------------------------------------------------------
 * */

static void what_cannot_be_sorted_is_rejected(void)
{
    pack g = make_pack(100);
    sett_world* w = g.world;
    uint32_t calls = 0;
    sett_component_desc free_desc = {.name = "free", .size = 4, .storage = SETT_STORAGE_SPARSE_SET};
    sett_component_desc tag_desc = {.name = "tag", .storage = SETT_STORAGE_SPARSE_SET};
    sett_component dont_fragment = sett_component_register(w, &free_desc);
    sett_component tag = sett_component_register(w, &tag_desc);
    for (uint32_t k = 0; k < 10; k++) {
        uint32_t number = 10 - k;
        CHECK(sett_set(w, sett_entity_at(w, k), dont_fragment, &number) != NULL);
        CHECK(sett_add(w, sett_entity_at(w, k), tag) != NULL);
    }
    /* a storage that a group arranges */
    CHECK_EQ(
        sett_sort(w,
                  &(sett_sort_desc){.component = g.a, .compare = compare_numbers, .user = &calls}),
        SETT_STATUS_CONFLICT);
    CHECK(strstr(sett_world_message(w), "\"pack\"") != NULL);
    CHECK_EQ(sett_sort(w, &(sett_sort_desc){.component = g.a, .key = SETT_KEY_U32}),
             SETT_STATUS_CONFLICT);
    CHECK_EQ(sett_sort(w, &(sett_sort_desc){.component = g.a, .like = dont_fragment}),
             SETT_STATUS_CONFLICT);
    CHECK_EQ(sett_sort(w, &(sett_sort_desc){.component = dont_fragment, .like = g.a}), SETT_OK);
    /* an array */
    CHECK_EQ(
        sett_sort(w,
                  &(sett_sort_desc){.component = g.m, .compare = compare_numbers, .user = &calls}),
        SETT_STATUS_ARGUMENT);
    CHECK(strstr(sett_world_message(w), "sett_component_convert") != NULL);
    CHECK_EQ(sett_sort(w, &(sett_sort_desc){.component = g.m, .key = SETT_KEY_U64}),
             SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_sort(w, &(sett_sort_desc){.component = g.m, .like = dont_fragment}),
             SETT_STATUS_ARGUMENT);
    /* no such key, no comparator, nothing to compare, no such type */
    CHECK_EQ(
        sett_sort(
            w, &(sett_sort_desc){.component = dont_fragment, .key = SETT_KEY_U32, .key_offset = 1}),
        SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_sort(w, &(sett_sort_desc){.component = dont_fragment, .key = SETT_KEY_F64}),
             SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_sort(w, &(sett_sort_desc){.component = dont_fragment, .key = (sett_key_kind)9}),
             SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_sort(w, &(sett_sort_desc){.component = dont_fragment}), SETT_STATUS_ARGUMENT);
    CHECK_EQ(
        sett_sort(w,
                  &(sett_sort_desc){.component = tag, .compare = compare_numbers, .user = &calls}),
        SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_sort(w, &(sett_sort_desc){.component = tag, .key = SETT_KEY_U32}),
             SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_sort(w, &(sett_sort_desc){.component = tag, .like = dont_fragment}), SETT_OK);
    CHECK_EQ(
        sett_sort(w,
                  &(sett_sort_desc){.component = 999, .compare = compare_numbers, .user = &calls}),
        SETT_STATUS_UNREGISTERED);
    CHECK_EQ(sett_sort(w, &(sett_sort_desc){.component = 0, .key = SETT_KEY_U32}),
             SETT_STATUS_UNREGISTERED);
    CHECK_EQ(sett_sort(w, &(sett_sort_desc){.component = dont_fragment, .like = 999}),
             SETT_STATUS_UNREGISTERED);
    CHECK_EQ(sett_sort(w, &(sett_sort_desc){.component = 999, .like = dont_fragment}),
             SETT_STATUS_UNREGISTERED);
    /* groups */
    CHECK_EQ(sett_sort(w, &(sett_sort_desc){.component = g.m,
                                            .group = g.group,
                                            .compare = compare_numbers,
                                            .user = &calls}),
             SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_sort(w, &(sett_sort_desc){.component = g.a, .group = g.group}),
             SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_sort(w, &(sett_sort_desc){.component = dont_fragment,
                                            .group = g.group,
                                            .compare = compare_numbers,
                                            .user = &calls}),
             SETT_STATUS_ARGUMENT);
    CHECK_EQ(
        sett_sort(w, &(sett_sort_desc){.component = g.p, .group = g.group, .key = SETT_KEY_U32}),
        SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_sort(w, &(sett_sort_desc){.component = g.a,
                                            .group = g.group,
                                            .key = SETT_KEY_U32,
                                            .key_offset = 4}),
             SETT_STATUS_ARGUMENT);
    CHECK_EQ(
        sett_sort(w, &(sett_sort_desc){.component = 999, .group = g.group, .key = SETT_KEY_U32}),
        SETT_STATUS_ARGUMENT);
    sett_group* set =
        sett_group_create(w, &(sett_group_desc){.name = "set", .with = {dont_fragment}});
    CHECK_EQ(
        sett_sort(w,
                  &(sett_sort_desc){.component = dont_fragment, .group = set, .key = SETT_KEY_U32}),
        SETT_STATUS_ARGUMENT);
    CHECK(strstr(sett_world_message(w), "\"set\"") != NULL);
    /* open loops */
    sett_query* query = sett_query_create(
        w, &(sett_query_desc){.name = "open", .terms = {{.component = dont_fragment}}});
    SETT_QUERY_EACH(query, b) {
        CHECK_EQ(b->count, 10);
        CHECK_EQ(sett_sort(w, &(sett_sort_desc){.component = dont_fragment,
                                                .compare = compare_numbers,
                                                .user = &calls}),
                 SETT_STATUS_LOCKED);
        CHECK_EQ(sett_sort(w, &(sett_sort_desc){.component = dont_fragment, .key = SETT_KEY_U32}),
                 SETT_STATUS_LOCKED);
        CHECK_EQ(sett_sort(w, &(sett_sort_desc){.component = dont_fragment, .like = g.a}),
                 SETT_STATUS_LOCKED);
        CHECK_EQ(sett_sort(w, &(sett_sort_desc){.component = g.a,
                                                .group = g.group,
                                                .compare = compare_numbers,
                                                .user = &calls}),
                 SETT_STATUS_LOCKED);
        CHECK_EQ(sett_sort(
                     w, &(sett_sort_desc){.component = g.a, .group = g.group, .key = SETT_KEY_U32}),
                 SETT_STATUS_LOCKED);
        CHECK(strstr(sett_world_message(w), "open") != NULL);
    }
    CHECK_EQ(calls, 0);
    CHECK_END(w);
}

/* ---- Memory runs out ------------------------------------------------------------------------- */

typedef struct famine {
    scarce_memory memory;
    sett_world* world;
    sett_component a, b, like;
    sett_group* group;
    uint32_t way;
    uint32_t rows[2][600]; /* entity indices by row, before */
    uint32_t count;
} famine;

static bool famine_sort(void* user)
{
    famine* f = user;
    uint32_t calls = 0;
    switch (f->way) {
    case 0:
        return sett_sort(f->world, &(sett_sort_desc){.component = f->a,
                                                     .compare = compare_numbers,
                                                     .user = &calls}) == SETT_OK;
    case 1:
        return sett_sort(f->world, &(sett_sort_desc){.component = f->a, .key = SETT_KEY_U32}) ==
               SETT_OK;
    case 2:
        return sett_sort(f->world, &(sett_sort_desc){.component = f->a, .like = f->like}) ==
               SETT_OK;
    case 3:
        return sett_sort(f->world, &(sett_sort_desc){.component = f->a,
                                                     .group = f->group,
                                                     .compare = compare_numbers,
                                                     .user = &calls}) == SETT_OK;
    default:
        return sett_sort(f->world, &(sett_sort_desc){.component = f->a,
                                                     .group = f->group,
                                                     .key = SETT_KEY_F32}) == SETT_OK;
    }
}

static void famine_unchanged(void* user)
{
    const famine* f = user;
    for (uint32_t t = 0; t < 2; t++) {
        const setti_storage* storage = storage_of(f->world, t == 0 ? f->a : f->b);
        for (uint32_t row = 0; row < f->count; row++) {
            CHECK_EQ(*setti_storage_index(storage, row), f->rows[t][row]);
            CHECK_EQ(*(const uint32_t*)setti_storage_at(storage, row),
                     7919u * f->rows[t][row] % 1000);
        }
    }
}

static void without_memory_the_order_stays(void)
{
    static famine f;
    memset(&f, 0, sizeof(f));
    f.world = scarce_world(&f.memory);
    f.count = 600;
    const sett_component_desc descs[] = {
        {.name = "a", .size = 4, .storage = SETT_STORAGE_SPARSE_SET},
        {.name = "b", .size = 40, .storage = SETT_STORAGE_SPARSE_SET},
        {.name = "like", .size = 4, .storage = SETT_STORAGE_SPARSE_SET},
    };
    f.a = sett_component_register(f.world, &descs[0]);
    f.b = sett_component_register(f.world, &descs[1]);
    f.like = sett_component_register(f.world, &descs[2]);
    for (uint32_t k = 0; k < f.count; k++) {
        sett_entity e = sett_entity_create(f.world);
        uint32_t value[10] = {7919u * e.index % 1000};
        CHECK(sett_set(f.world, e, f.a, value) != NULL);
        CHECK(sett_set(f.world, e, f.b, value) != NULL);
    }
    for (uint32_t k = 0; k < f.count; k++) {
        CHECK(sett_add(f.world, sett_entity_at(f.world, k * 7 % f.count), f.like) != NULL);
    }
    for (f.way = 0; f.way < 5; f.way++) {
        if (f.way == 3) {
            f.group = sett_group_create(f.world, &(sett_group_desc){.owned = {f.a, f.b}});
            CHECK(f.group != NULL);
        }
        for (uint32_t row = 0; row < f.count; row++) { /* apart from each order */
            for (uint32_t t = 0; t < 2; t++) {
                f.rows[t][row] = *setti_storage_index(storage_of(f.world, t == 0 ? f.a : f.b), row);
            }
        }
        uint32_t failures = f.memory.failures;
        CHECK_EQ(sett_world_trim(f.world), SETT_OK); /* what an earlier sort has kept */
        scarce_run(f.world, &f.memory, famine_sort, famine_unchanged, &f);
        CHECK(f.memory.failures > failures);
        if (f.way == 3 || f.way == 0) { /* disturb it again */
            CHECK_EQ(f.way == 3
                         ? sett_sort(f.world, &(sett_sort_desc){.component = f.b,
                                                                .group = f.group,
                                                                .key = SETT_KEY_U32,
                                                                .key_offset = 4})
                         : sett_sort(f.world, &(sett_sort_desc){.component = f.a, .like = f.like}),
                     SETT_OK);
            for (uint32_t k = 0; k < 100; k++) {
                sett_entity e = sett_entity_at(f.world, k * 5);
                CHECK_EQ(sett_remove(f.world, e, f.a), SETT_OK);
                uint32_t value = 7919u * e.index % 1000;
                CHECK(sett_set(f.world, e, f.a, &value) != NULL);
            }
        }
    }
    printf("  %u failures\n", (unsigned)f.memory.failures);
    scarce_end(&f.memory, f.world);
}

/* ---- Reverse, several at once, and memory ---------------------------------------------------- */

static sett_world* reversible(uint32_t* order, uint32_t count, bool with_tag)
{
    sett_world* world = quiet_world();
    sett_component_desc desc = {.name = "item", .size = sizeof(item)};
    desc.storage = SETT_STORAGE_SPARSE_SET;
    sett_component type = sett_component_register(world, &desc);
    sett_component tag = SETT_REGISTER_TAG(world, Tag);
    for (uint32_t k = 0; k < count; k++) {
        item value = {k, draw(count / 3 + 1), 0};
        value.key64 = value.key32;
        sett_entity e = sett_entity_create(world);
        CHECK(sett_set(world, e, type, &value) != NULL);
        CHECK(!with_tag || k % 3 == 0 || sett_add(world, e, tag) != NULL);
        order[k] = k;
    }
    return world;
}

/* The greatest first; of equal ones still that which was first. */
static void reverse_is_stable_too(void)
{
    static const uint32_t counts[] = {2, 50, 300, 2000};
    static uint32_t order[2000];
    for (uint32_t way = 0; way < 12; way++) {
        uint32_t count = counts[way / 3];
        sett_world* world = reversible(order, count, false);
        const setti_storage* rows = storage_of(world, 1);
        sett_sort_desc desc = {.component = 1, .reverse = true};
        desc.compare = way % 3 == 0 ? compare_key32 : NULL;
        desc.user = &the_shelf;
        desc.key = way % 3 == 0 ? SETT_KEY_NONE : way % 3 == 1 ? SETT_KEY_U32 : SETT_KEY_I64;
        desc.key_offset = way % 3 == 1 ? offsetof(item, key32) : offsetof(item, key64);
        for (uint32_t again = 0; again < 2; again++) {
            CHECK_EQ(sett_sort(world, &desc), SETT_OK);
            for (uint32_t row = 1; row < count; row++) {
                const item* a = setti_storage_at(rows, row - 1);
                const item* b = setti_storage_at(rows, row);
                CHECK(a->key32 > b->key32 || (a->key32 == b->key32 && a->serial < b->serial));
            }
        }
        CHECK_END(world);
    }
}

/* Those that the other has come last row first, then the rest as they were. */
static void like_another_in_reverse(void)
{
    static uint32_t order[90];
    sett_world* world = reversible(order, 90, true);
    const setti_storage* rows = storage_of(world, 1);
    sett_sort_desc desc = {.component = 1, .like = 2, .reverse = true};
    CHECK_EQ(sett_sort(world, &desc), SETT_OK);
    uint32_t expected = 90;
    for (uint32_t row = 0; row < 60; row++) {
        expected -= (expected - 1) % 3 == 0 ? 2 : 1;
        CHECK_EQ(*setti_storage_index(rows, row), expected);
    }
    for (uint32_t row = 60; row < 90; row++) {
        CHECK_EQ(*setti_storage_index(rows, row), (row - 60) * 3);
    }
    CHECK_END(world);
}

/* The members of a group in the order of another type: all that it owns moves along. */
static void groups_like_another(void)
{
    static uint32_t order[40];
    sett_world* world = reversible(order, 40, true);
    sett_component_desc desc = {.name = "rank", .size = 4, .storage = SETT_STORAGE_SPARSE_SET};
    sett_component rank = sett_component_register(world, &desc);
    for (uint32_t k = 40; k-- > 0;) { /* backwards */
        CHECK(sett_set(world, sett_entity_at(world, k), rank, &k) != NULL);
    }
    sett_group_desc owning = {.owned = {1}, .with = {2}};
    sett_group* group = sett_group_create(world, &owning);
    const setti_storage* rows = storage_of(world, 1);
    CHECK_EQ(sett_sort(world,
                       &(sett_sort_desc){.group = group, .like = rank, .compare = compare_numbers}),
             SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_sort(world, &(sett_sort_desc){.group = group, .like = rank}), SETT_OK);
    uint32_t count = sett_group_count(group);
    CHECK_EQ(count, 26);
    for (uint32_t row = 1; row < count; row++) {
        CHECK(*setti_storage_index(rows, row) < *setti_storage_index(rows, row - 1));
    }
    CHECK_VALID(world);
    sett_world* other = quiet_world();
    CHECK(SETT_REGISTER_TAG(other, A) != 0);
    CHECK_EQ(sett_sort(other, &(sett_sort_desc){.group = group, .like = 1}), SETT_STATUS_ARGUMENT);
    CHECK_END(other);
    CHECK_END(world);
}

static void one_thing_decides(void)
{
    static uint32_t order[8];
    sett_world* world = reversible(order, 8, false);
    for (uint32_t way = 0; way < 8; way++) {
        sett_sort_desc desc = {.component = 1};
        desc.compare = (way & 1) != 0 ? compare_key32 : NULL;
        desc.user = &the_shelf;
        desc.key = (way & 2) != 0 ? SETT_KEY_U32 : SETT_KEY_NONE;
        desc.like = (way & 4) != 0 ? 2 : 0;
        bool one = way == 1 || way == 2 || way == 4;
        CHECK_EQ(sett_sort(world, &desc), one ? SETT_OK : SETT_STATUS_ARGUMENT);
        CHECK(one || strstr(sett_world_message(world), "set exactly one of `compare`") != NULL);
    }
    CHECK_END(world);
}

static uint64_t allocations(sett_world* world)
{
    sett_stats stats;
    sett_world_stats(world, &stats);
    return stats.allocations;
}

/* A second sort of as many values asks the allocator for nothing; a trimmed world has given the
 * memory back. */
static void sorting_again_allocates_nothing(void)
{
    static uint32_t order[20000];
    for (uint32_t way = 0; way < 3; way++) {
        sett_world* world = reversible(order, 20000, true);
        sett_sort_desc desc = {.component = 1, .user = &the_shelf};
        desc.compare = way == 0 ? compare_key32 : NULL;
        desc.key = way == 1 ? SETT_KEY_U32 : SETT_KEY_NONE;
        desc.key_offset = offsetof(item, key32);
        desc.like = way == 2 ? 2 : 0;
        uint64_t before = allocations(world);
        CHECK_EQ(sett_sort(world, &desc), SETT_OK);
        CHECK(allocations(world) > before);
        before = allocations(world);
        for (uint32_t again = 0; again < 5; again++) {
            desc.reverse = !desc.reverse;
            CHECK_EQ(sett_sort(world, &desc), SETT_OK);
        }
        CHECK_EQ(allocations(world), before);
        sett_stats full;
        sett_stats trimmed;
        sett_world_stats(world, &full);
        CHECK_EQ(sett_world_trim(world), SETT_OK);
        sett_world_stats(world, &trimmed);
        CHECK(trimmed.block_size < full.block_size);
        CHECK_END(world);
    }
}

TEST_MAIN(TEST(reverse_is_stable_too), TEST(like_another_in_reverse), TEST(groups_like_another),
          TEST(one_thing_decides), TEST(sorting_again_allocates_nothing),
          TEST(by_comparator_is_stable), TEST(an_order_is_kept_up), TEST(by_every_kind_of_key),
          TEST(keys_need_no_alignment), TEST(as_another_storage),
          TEST(values_that_know_where_they_lie_are_moved_by_their_hook),
          TEST(kept_orders_can_be_sorted), TEST(groups_are_sorted_by_any_of_their_types),
          TEST(what_cannot_be_sorted_is_rejected), TEST(without_memory_the_order_stays))

/* test_ordered.c: matches of queries in order: parents first, by value, by group. A random world,
 * each order compared with one that is sorted from scratch. */
#include "chance.h"
#include "scarce.h"
#include "timing.h"

#include "sett/ordered.h"
#include "sett/prefab.h"
#include "sett/state.h"

typedef struct Layer {
    int32_t at;
    float height;
} Layer;

static sett_component Layer_id, Seen_id, In_id;
static uint64_t state;
static sett_world* world;
static const sett_ordered_desc* naive; /* what naive_compare sorts by */

static sett_entity naive_target(sett_entity e)
{
    return naive->along != 0 ? sett_target(world, e, naive->along)
                             : sett_hierarchy_parent(world, e);
}

/* A circle counts as deep as there are entities. */
static uint32_t naive_depth(sett_entity e)
{
    uint32_t depth = 0;
    while (depth < sett_entity_count(world) && !sett_is_null(e = naive_target(e))) {
        depth++;
    }
    return depth;
}

static uint64_t parity(sett_world* of, sett_entity e, void* user)
{
    (void)of;
    (void)user;
    return e.index % 3;
}

static int by_height(const void* a, const void* b, void* user)
{
    float x = ((const Layer*)a)->height;
    float y = ((const Layer*)b)->height;
    (void)user;
    return x < y ? -1 : x > y;
}

static uint64_t naive_group(sett_entity e)
{
    sett_entity target = sett_target(world, e, In_id);
    return naive->group_by != 0      ? sett_is_null(target) ? UINT64_MAX : target.index
           : naive->group_fn != NULL ? parity(world, e, NULL)
                                     : 0;
}

static int naive_order(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int naive_compare(const void* left, const void* right)
{
    sett_entity a = *(const sett_entity*)left;
    sett_entity b = *(const sett_entity*)right;
    const Layer* x = sett_find(world, a, Layer_id);
    const Layer* y = sett_find(world, b, Layer_id);
    int order = naive_order(naive_group(a), naive_group(b));
    if (order == 0 && naive->cascade) {
        order = naive_order(naive_depth(a), naive_depth(b));
    }
    if (order == 0 && naive->component != 0) {
        int value = 0;
        if (x != NULL && y != NULL) {
            value =
                naive->compare != NULL ? by_height(x, y, NULL) : (x->at > y->at) - (x->at < y->at);
            value = naive->reverse ? -value : value;
        }
        order = (x != NULL) != (y != NULL) ? (x != NULL) - (y != NULL) : value;
    }
    return order != 0 ? order : naive_order(a.index, b.index);
}

static void check_order(sett_ordered* ordered, const sett_ordered_desc* desc)
{
    static sett_entity expected[400];
    uint32_t count;
    uint32_t matches = 0;
    const sett_entity* order = sett_ordered_update(ordered, &count);
    SETT_FOR(desc->query, b, i) {
        expected[matches++] = sett_batch_entity(b, i);
    }
    CHECK_EQ(count, matches);
    naive = desc;
    qsort(expected, matches, sizeof(expected[0]), naive_compare);
    uint32_t at = 0;
    for (uint32_t k = 0; k < count; k++) {
        CHECK_ENTITY_EQ(order[k], expected[k]);
    }
    for (uint32_t k = 0; k < sett_ordered_group_count(ordered); k++) {
        sett_ordered_group group = sett_ordered_group_at(ordered, k);
        CHECK_EQ(group.first, at);
        CHECK(group.count != 0);
        CHECK_EQ(naive_group(order[at]), group.group);
        CHECK_EQ(naive_group(order[at + group.count - 1]), group.group);
        CHECK(k == 0 || sett_ordered_group_at(ordered, k - 1).group < group.group);
        at += group.count;
    }
    CHECK_EQ(at, count);
}

/* The same as rows. Asked again, they may be those of the last time. */
static void check_rows_once(sett_ordered* ordered, const sett_ordered_desc* desc)
{
    uint32_t count;
    bool writes = chance_below(&state, 2) != 0;
    const sett_entity* order = sett_ordered_update(ordered, &count);
    uint32_t rows;
    uint64_t tick = sett_world_advance_tick(world);
    const sett_ordered_row* row =
        sett_ordered_rows(ordered, Layer_id, writes ? SETT_INOUT : SETT_IN, &rows);
    CHECK_EQ(rows, count);
    naive = desc;
    for (uint32_t k = 0; k < count; k++) {
        CHECK_ENTITY_EQ(row[k].entity, order[k]);
        CHECK_PTR_EQ(row[k].value, sett_find(world, order[k], Layer_id));
        sett_entity target = desc->cascade ? naive_target(order[k]) : sett_null();
        CHECK_PTR_EQ(row[k].parent,
                     sett_is_null(target) ? NULL : sett_find(world, target, Layer_id));
        if (row[k].value != NULL) {
            CHECK_EQ(sett_changed_tick(world, order[k], Layer_id) == tick, writes);
        }
    }
}

static void check_rows(sett_ordered* ordered, const sett_ordered_desc* desc)
{
    check_rows_once(ordered, desc);
    check_rows_once(ordered, desc);
    if (chance_below(&state, 4) == 0) { /* values move, and nothing else */
        (void)sett_component_convert(world, Layer_id, (sett_storage_kind)chance_below(&state, 3));
    } else if (chance_below(&state, 4) == 0) { /* who has a value, is a parent, or neither */
        sett_entity e = entity_from(world, chance_below(&state, 200));
        if (!sett_has(world, e, Layer_id)) {
            sett_add(world, e, Layer_id);
        } else {
            sett_remove(world, e, Layer_id);
        }
    }
    check_rows_once(ordered, desc);
    if (chance_below(&state, 8) == 0) {
        (void)sett_component_convert(world, Seen_id, (sett_storage_kind)chance_below(&state, 3));
        check_order(ordered, desc);
    } else if (chance_below(&state, 8) == 0) {
        sett_entity e = entity_from(world, chance_below(&state, 200));
        sett_component off = sett_disabled_tag(world);
        (void)(sett_has(world, e, off) ? sett_remove(world, e, off) == SETT_OK
                                       : sett_add(world, e, off) != NULL);
        check_order(ordered, desc);
    }
}

static void change(void)
{
    sett_entity e = entity_from(world, chance_below(&state, 200));
    sett_entity other = entity_from(world, chance_below(&state, 200));
    Layer layer = {(int32_t)chance_below(&state, 20) - 10, (float)chance_below(&state, 7) - 3};
    switch (chance_below(&state, 7)) {
    case 0:
        sett_set(world, e, Layer_id, &layer);
        break;
    case 1:
        sett_remove(world, e, Layer_id);
        break;
    case 2:
        sett_relate(world, e, In_id, other);
        break;
    case 3:
        sett_hierarchy_attach(world, e, other);
        break;
    case 4:
        if (sett_entity_count(world) > 150) {
            sett_entity_destroy(world, e);
        }
        break;
    case 5:
        sett_add(world, sett_entity_create(world), Seen_id);
        break;
    default:
        if (sett_entity_count(world) > 260) {
            sett_remove(world, e, Seen_id);
        }
        break;
    }
    if (sett_entity_count(world) > 300) {
        sett_entity_destroy(world, entity_from(world, chance_below(&state, 200)));
    }
}

static void begin(void)
{
    Layer_id = SETT_REGISTER(world, Layer);
    Seen_id = SETT_REGISTER_TAG(world, Seen);
    In_id = sett_relationship_register(world, &(sett_relationship_desc){.name = "In"});
}

#define ORDERS 8

static void random_orders(void)
{
    state = check_setting("SETT_SEED", 1);
    world = quiet_world();
    begin();
    for (uint32_t k = 0; k < 180; k++) {
        sett_add(world, sett_entity_create(world), Seen_id);
    }
    sett_query* query = SETT_QUERY_CREATE(world, SETT_WITH(Seen));
    const sett_ordered_desc all[] = {
        {.query = query},
        {.query = query, .cascade = true},
        {.query = query, .component = Layer_id, .key = SETT_KEY_I32},
        {.query = query, .component = Layer_id, .key = SETT_KEY_I32, .reverse = true},
        {.query = query, .component = Layer_id, .compare = by_height},
        {.query = query, .group_by = In_id, .cascade = true},
        {.query = query, .cascade = true, .along = In_id},
        {.query = query, .group_fn = parity, .component = Layer_id, .compare = by_height},
    };
    /* the same as text, where there is one */
    static const char* const texts[] = {"Seen",
                                        "Seen cascade",
                                        "Seen order_by Layer.at",
                                        "Seen order_by Layer.at desc",
                                        "Seen order_by Layer.height",
                                        "Seen group_by In cascade ChildOf",
                                        "Seen cascade In",
                                        NULL};
    CHECK_EQ(SETT_MEMBERS(world, Layer, at, height), SETT_OK);
    sett_ordered* ordered[2 * ORDERS];
    for (uint32_t k = 0; k < 2 * ORDERS; k++) {
        sett_ordered_desc desc = all[k % ORDERS];
        if (k >= ORDERS && texts[k % ORDERS] != NULL) {
            desc = (sett_ordered_desc){.text = texts[k % ORDERS]};
        }
        ordered[k] = sett_ordered_create(world, &desc);
        CHECK_MSG(ordered[k] != NULL, "%s", sett_world_message(world));
    }
    for (uint32_t round = 0; round < CHECK_ROUNDS(600); round++) {
        for (uint32_t k = chance_below(&state, 12); k != 0; k--) {
            change();
        }
        uint32_t which = chance_below(&state, 2 * ORDERS);
        check_order(ordered[which], &all[which % ORDERS]);
        check_order(ordered[which], &all[which % ORDERS]);
        check_rows(ordered[which], &all[which % ORDERS]);
        for (uint32_t k = 0; k < 4; k++) { /* little differs from the update before */
            change();
            check_order(ordered[k % 2], &all[k % 2]);
            check_rows(ordered[k % 2], &all[k % 2]);
        }
    }
    for (uint32_t k = 0; k < 2 * ORDERS; k++) {
        sett_ordered_destroy(ordered[k]);
    }
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"Seen group_by $x.In",
         "sett_ordered_create: column 6: a query is ordered by values of $this - leave out the "
         "other variable or entity"},
        {"Seen group_by $this", "sett_ordered_create: column 6: a relationship is missing after "
                                "group_by - name one"},
        {"Seen order_by Layer.none",
         "sett_ordered_create: column 6: \"Layer\" has no member \"none\" - name one of its "
         "members"},
    };
    for (uint32_t k = 0; k < 3; k++) {
        CHECK(sett_ordered_create(world, &(sett_ordered_desc){.text = wrong[k].text}) == NULL);
        CHECK_STR_EQ(sett_world_message(world), wrong[k].message);
    }
    CHECK(sett_ordered_create(world, &(sett_ordered_desc){.text = "Seen", .query = query}) == NULL);
    CHECK(sett_ordered_create(
              world, &(sett_ordered_desc){.text = "Seen group_by In", .group_fn = parity}) == NULL);
    CHECK_END(world);
}

static uint64_t firsts, lasts;

static void count_first(sett_world* of, uint64_t group, void* user)
{
    (void)of;
    (void)user;
    firsts = firsts * 10 + group;
}

static void count_last(sett_world* of, uint64_t group, void* user)
{
    (void)of;
    (void)user;
    lasts = lasts * 10 + group;
}

static void groups_come_and_go(void)
{
    world = quiet_world();
    begin();
    sett_entity e[6];
    for (uint32_t k = 0; k < 6; k++) {
        e[k] = sett_entity_create(world);
    }
    sett_query* query = SETT_QUERY_CREATE(world, SETT_WITH(Seen));
    sett_ordered* ordered =
        sett_ordered_create(world, &(sett_ordered_desc){.query = query,
                                                        .group_fn = parity,
                                                        .on_group_first = count_first,
                                                        .on_group_last = count_last});
    uint32_t count;
    CHECK(sett_ordered_update(ordered, &count) == NULL);
    sett_add(world, e[2], Seen_id);
    sett_add(world, e[1], Seen_id);
    CHECK(sett_ordered_update(ordered, &count) != NULL);
    CHECK_EQ(firsts, 12);
    sett_add(world, e[4], Seen_id);
    sett_remove(world, e[2], Seen_id);
    sett_ordered_update(ordered, &count);
    CHECK_EQ(firsts, 12);
    CHECK_EQ(lasts, 2);
    sett_ordered_destroy(NULL);
    CHECK(sett_ordered_create(world, &(sett_ordered_desc){.component = 0}) == NULL);
    CHECK(sett_ordered_create(world, &(sett_ordered_desc){.query = query,
                                                          .key = SETT_KEY_U64,
                                                          .component = Layer_id,
                                                          .key_offset = 4}) == NULL);
    CHECK(sett_ordered_create(world, &(sett_ordered_desc){.query = query, .group_by = Seen_id}) ==
          NULL);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_ARGUMENT);
    CHECK_END(world);
}

/* Depths are counted along relationships even before there is an entity. */
static void a_world_without_entities_has_orders(void)
{
    static const char* const texts[] = {"Seen cascade In", "Seen cascade"};
    world = quiet_world();
    begin();
    for (uint32_t k = 0; k < 2; k++) {
        sett_ordered* ordered = sett_ordered_create(world, &(sett_ordered_desc){.text = texts[k]});
        CHECK_MSG(ordered != NULL, "%s", sett_world_message(world));
        uint32_t count = 1;
        sett_ordered_update(ordered, &count);
        CHECK_EQ(count, 0);
        CHECK_MSG(sett_world_error(world) == SETT_OK, "%s", sett_world_message(world));
        sett_ordered_destroy(ordered);
    }
    CHECK_END(world);
}

/* A list that stays as it is sees each single change that decides it. */
static void each_change_is_seen(void)
{
    world = quiet_world();
    begin();
    sett_entity e[7]; /* below 0: 1 and 2 in a chain; 3, 4 and 5 in another; 6 */
    static const uint32_t above[] = {0, 0, 1, 0, 3, 4, 0};
    for (uint32_t k = 0; k < 7; k++) {
        e[k] = sett_entity_create(world);
        sett_set(world, e[k], Layer_id, &(Layer){(int32_t)k, 0});
        if (k != 0) {
            sett_hierarchy_attach(world, e[k], e[above[k]]);
        }
        if (k != 1) {
            sett_add(world, e[k], Seen_id);
        }
    }
    sett_query* query = SETT_QUERY_CREATE(world, SETT_WITH(Seen));
    sett_ordered_desc desc = {.query = query, .cascade = true};
    sett_ordered* ordered = sett_ordered_create(world, &desc);
    sett_snapshot before;
    CHECK_EQ(sett_snapshot_take(world, &before), SETT_OK);
    for (uint32_t step = 0; step < 8; step++) {
        check_order(ordered, &desc);
        switch (step) {
        case 0: /* an ancestor that does not match moves deeper */
            sett_hierarchy_attach(world, e[1], e[4]);
            break;
        case 1: /* to another parent of the same depth */
            sett_hierarchy_attach(world, e[4], e[6]);
            break;
        case 2: /* another life of an index */
        case 3: /* and at the same depth */
            sett_entity_destroy(world, e[5]);
            e[5] = sett_entity_create(world);
            sett_add(world, e[5], Seen_id);
            break;
        case 4:
            sett_remove(world, e[0], Seen_id);
            break;
        case 5:
            sett_add(world, e[0], Seen_id);
            sett_remove(world, e[5], Seen_id);
            break;
        default:
            CHECK_EQ(sett_snapshot_restore(world, before), SETT_OK);
            break;
        }
        check_rows(ordered, &desc);
    }
    /* a restore that only changes who is above whom: its pages have the ticks of older writes */
    CHECK_EQ(sett_hierarchy_attach(world, e[6], e[4]), SETT_OK);
    check_order(ordered, &desc);
    check_order(ordered, &desc);
    CHECK_EQ(sett_snapshot_restore(world, before), SETT_OK);
    check_order(ordered, &desc);
    check_rows(ordered, &desc);
    sett_snapshot_drop(world, before);
    uint32_t count = 1;
    CHECK(sett_ordered_rows(ordered, 999, SETT_IN, &count) == NULL);
    CHECK_EQ(count, 0);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_UNREGISTERED);
    CHECK(sett_ordered_rows(ordered, SETT_ID_HIERARCHY, SETT_INOUT, &count) == NULL);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_ARGUMENT);
    CHECK(sett_ordered_rows(ordered, SETT_ID_HIERARCHY, SETT_IN, &count) != NULL);
    CHECK_END(world);
}

/* The best time of an update after a leaf moved, of 10,000 entities in chains of so many levels. */
static double update_time(uint32_t levels, bool hierarchy)
{
    enum {
        CHAINED = 10000
    };
    static sett_entity e[CHAINED];
    world = quiet_world();
    begin();
    for (uint32_t k = 0; k < CHAINED; k++) {
        e[k] = sett_entity_create(world);
        sett_add(world, e[k], Seen_id);
    }
    for (uint32_t k = 0; k < CHAINED; k++) { /* the index says nothing of the depth */
        if (k % levels != 0) {
            sett_entity source = e[k * 7919u % CHAINED];
            sett_entity target = e[(k - 1) * 7919u % CHAINED];
            CHECK(hierarchy ? sett_hierarchy_attach(world, source, target) == SETT_OK
                            : sett_relate(world, source, In_id, target) != NULL);
        }
    }
    sett_ordered* ordered = sett_ordered_create(
        world, &(sett_ordered_desc){.text = hierarchy ? "Seen cascade" : "Seen cascade In"});
    double best = 1e9;
    for (uint32_t round = 0; round < 5; round++) {
        uint32_t count;
        sett_remove(world, e[0], Seen_id);
        sett_ordered_update(ordered, &count);
        sett_add(world, e[0], Seen_id);
        double begin_ms = timing_ms();
        sett_ordered_update(ordered, &count);
        double time = timing_ms() - begin_ms;
        best = time < best ? time : best;
        CHECK_EQ(count, CHAINED);
    }
    CHECK_END(world);
    return best;
}

/* With a walk to the root for each entity, 10,000 levels took 500 times as long as ten. */
static void depth_costs_nothing(void)
{
    for (uint32_t hierarchy = 0; hierarchy < 2; hierarchy++) {
        double flat = update_time(10, hierarchy != 0);
        double deep = update_time(10000, hierarchy != 0);
        CHECK_MSG(deep < flat * 20 + 1, "10 levels %.3f ms, 10,000 levels %.3f ms", flat, deep);
    }
}

static sett_ordered* scarce_ordered;

static bool update_all(void* user)
{
    uint32_t count;
    (void)user;
    bool done = sett_ordered_rows(scarce_ordered, Layer_id, SETT_IN, &count) != NULL;
    CHECK_EQ(count, done ? 500 : 0);
    return done;
}

static void memory_runs_out(void)
{
    static scarce_memory memory;
    world = scarce_world(&memory);
    begin();
    for (uint32_t k = 0; k < 500; k++) {
        sett_add(world, sett_entity_create(world), Seen_id);
    }
    sett_query* query = SETT_QUERY_CREATE(world, SETT_WITH(Seen));
    scarce_ordered = sett_ordered_create(
        world, &(sett_ordered_desc){.query = query, .cascade = true, .along = In_id});
    for (size_t left = 0; !scarce_try(world, &memory, left, true, update_all, NULL, NULL) &&
                          !scarce_try(world, &memory, left, false, update_all, NULL, NULL);) {
        left += 1024;
        CHECK_MSG(left < 200000, "no end");
    }
    CHECK(memory.failures > 1);
    scarce_end(&memory, world);
}

TEST_MAIN(TEST(random_orders), TEST(groups_come_and_go), TEST(a_world_without_entities_has_orders),
          TEST(each_change_is_seen), TEST(depth_costs_nothing), TEST(memory_runs_out))

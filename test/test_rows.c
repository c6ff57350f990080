/* test_rows.c: what a query remembers of its steps must never show. Entities get and lose
 * components between loops, in many patterns and sometimes not at all; every loop, in systems with
 * many jobs too, visits what a naive scan finds, in the order of indices. */
#include "chance.h"
#include "sett/sett.h"
#include "sett/threads.h"
#include "worlds.h"

#include "query/steps.h"

#define COUNT 5000u /* five steps of 1,024, the last of them in part */
#define QUERIES 7u

typedef struct Visits {
    uint32_t count;
    uint32_t spare;
} Visits;

typedef struct Wide {
    uint32_t part[16]; /* 256 a page: steps are shorter */
} Wide;

typedef struct Small {
    uint32_t value;
} Small;

#define FIELD(COMPONENT, TAG) COMPONENT(Visits) COMPONENT(Small) COMPONENT(Wide) TAG(Mark) TAG(Gone)
SETT_COMPONENTS(FIELD)

typedef struct field {
    sett_world* world;
    sett_query* query[QUERIES];
    sett_entity entity[COUNT];
    uint32_t visits[COUNT]; /* what the system must have counted */
    uint64_t chance;
} field;

static field the_field;

static void count_visits(sett_context* context)
{
    SETT_SYSTEM_FOR(context, b, i) {
        SETT_FIELD_MUT(b, 0, Visits)[i].count++;
    }
}

static void field_begin(field* f)
{
    memset(f, 0, sizeof(*f));
    f->chance = check_setting("SETT_SEED", 1);
    f->world = quiet_world();
    SETT_REGISTER_ALL(f->world, FIELD);
    const sett_query_desc descs[QUERIES] = {
        {.terms = {SETT_IN(Visits), SETT_IN(Small)}},
        {.terms = {SETT_IN(Small)}},
        {.terms = {SETT_IN(Wide), SETT_IN(Visits)}},
        {.terms = {SETT_IN(Visits), SETT_IN(Small), SETT_IN(Wide), SETT_WITH(Mark)}},
        {.terms = {SETT_IN(Visits), SETT_WITHOUT(Small)}},
        {.terms = {SETT_IN(Small), SETT_OPTIONAL(Wide)}},
        {.terms = {SETT_WITH(Mark), SETT_WITHOUT(Gone)}},
    };
    for (uint32_t k = 0; k < QUERIES; k++) {
        f->query[k] = sett_query_create(f->world, &descs[k]);
    }
    SETT_SYSTEM(f->world, count_visits, .terms = {SETT_INOUT(Visits), SETT_IN(Small)});
    CHECK_EQ(sett_entity_create_many(f->world, COUNT, NULL, 0, NULL, f->entity), SETT_OK);
}

static void field_toggle(field* f, uint32_t k, sett_component id)
{
    if (!sett_has(f->world, f->entity[k], id)) {
        CHECK(id >= Mark_id || sett_add(f->world, f->entity[k], id) != NULL);
        (void)sett_add(f->world, f->entity[k], id);
        f->visits[k] = id == Visits_id ? 0 : f->visits[k];
    } else {
        CHECK_EQ(sett_remove(f->world, f->entity[k], id), SETT_OK);
    }
}

/* Few have most of the types, so that lists are remembered. */
static void field_draw(field* f, uint32_t k, sett_component id)
{
    static const uint32_t percent[] = {
        [Visits_id] = 80, [Small_id] = 4, [Wide_id] = 9, [Mark_id] = 20, [Gone_id] = 5};
    if (sett_has(f->world, f->entity[k], id) != (chance_below(&f->chance, 100) < percent[id])) {
        field_toggle(f, k, id);
    }
}

/* Something changes: many entities, a few, a run of them, one, or none; one ends and one comes. */
static void field_change(field* f)
{
    sett_component id = Visits_id + chance_below(&f->chance, 5);
    uint32_t first = chance_below(&f->chance, COUNT);
    uint32_t how = chance_below(&f->chance, 10);
    for (uint32_t n = chance_below(&f->chance, how == 0 ? 3000 : 60); n > 0 && how < 3; n--) {
        field_draw(f, how < 2 ? chance_below(&f->chance, COUNT) : (first + n) % COUNT, id);
    }
    if (how == 3) {
        CHECK_EQ(sett_entity_destroy(f->world, f->entity[first]), SETT_OK);
        f->entity[first] = sett_entity_create(f->world);
        f->visits[first] = 0;
    } else if (how == 4) {
        field_toggle(f, 7, sett_disabled_tag(f->world)); /* half of the time none is hidden */
    } else if (how == 5 && chance_below(&f->chance, 8) == 0) {
        CHECK_EQ(sett_world_trim(f->world), SETT_OK);
    } else if (how < 9) {
        field_toggle(f, first, id);
    }
}

/* A loop over the query visits these entities and no others; a second one inside it as well. */
static void field_check_loop(field* f, sett_query* query, uint32_t depth)
{
    uint32_t found = 0;
    uint32_t expected = 0;
    uint32_t last = 0;
    SETT_FOR(query, b, i) {
        sett_entity e = sett_batch_entity(b, i);
        CHECK(sett_query_matches(query, e));
        if (!(query->optional != 0)) { /* which come in batches of their own */
            CHECK(found == 0 || e.index > last);
        }
        last = e.index;
        if (depth > 0 && found % 1000 == 500) {
            field_check_loop(f, query, depth - 1);
        }
        found++;
    }
    for (uint32_t k = 0; k < COUNT; k++) {
        expected += sett_query_matches(query, f->entity[k]);
    }
    CHECK_EQ(found, expected);
    CHECK_EQ(sett_query_count(query), expected);
}

static void what_is_remembered_does_not_show(void)
{
    field* f = &the_field;
    field_begin(f);
    sett_threads* threads = sett_threads_create(4, NULL);
    sett_schedule_desc desc = {.tasks = sett_threads_tasks(threads), .no_times = true};
    CHECK_EQ(sett_schedule_configure(f->world, &desc), SETT_OK);
    for (uint32_t k = 0; k < 5 * COUNT; k++) {
        field_draw(f, k / 5, Visits_id + k % 5);
    }
    for (uint32_t round = 0; round < 600; round++) {
        field_change(f);
        for (uint32_t k = 0; k < QUERIES; k++) {
            field_check_loop(f, f->query[k], 1);
        }
        for (uint32_t k = 0; k < COUNT; k++) {
            f->visits[k] += sett_query_matches(f->query[0], f->entity[k]);
        }
        CHECK_EQ(sett_progress(f->world, 1), SETT_OK);
        for (uint32_t k = 0; k < COUNT; k++) {
            const Visits* visits = SETT_FIND(f->world, f->entity[k], Visits);
            CHECK(visits == NULL || visits->count == f->visits[k]);
        }
        CHECK_VALID(f->world);
    }
    CHECK_END(f->world);
    sett_threads_destroy(threads);
}

/* One in a hundred: the first loop writes its lists, those after it find them. */
static void lists_are_found_again(void)
{
    field* f = &the_field;
    field_begin(f);
    for (uint32_t k = 0; k < COUNT; k++) {
        field_toggle(f, k, Visits_id);
        if (k % 100 == 0) {
            field_toggle(f, k, Small_id);
        }
    }
    const setti_lists* lists = &f->query[0]->lists;
    CHECK_PTR_EQ(lists->step, NULL);
    field_check_loop(f, f->query[0], 0);
    CHECK(lists->steps >= 5 && lists->few);
    for (uint32_t step = 0; step < 5; step++) {
        const setti_listed* listed = setti_lists_at(lists, step * 1024);
        uint32_t end = step < 4 ? step * 1024 + 1024 : COUNT;
        CHECK_EQ(listed->count, (end + 99) / 100 - (step * 1024 + 99) / 100);
        CHECK_EQ(setti_listed_rows(listed, 1024)[0], (100 - step * 1024 % 100) % 100);
    }
    SETT_QUERY_EACH(f->query[0], b) {
        CHECK_PTR_EQ(b->rows, setti_listed_rows(setti_lists_at(lists, b->base), 1024));
    }
    /* Validation knows a list that is not of its words. */
    setti_listed_rows(setti_lists_at(lists, 0), 1024)[3]++;
    CHECK_EQ(sett_world_validate(f->world, NULL), SETT_STATUS_INVALID);
    setti_listed_rows(setti_lists_at(lists, 0), 1024)[3]--;
    CHECK_EQ(sett_world_trim(f->world), SETT_OK);
    CHECK_PTR_EQ(lists->step, NULL);
    CHECK_END(f->world);
}

/* Every second is remembered, three of four are not. */
static void most_rows_are_not_remembered(void)
{
    for (uint32_t three = 0; three < 2; three++) {
        field* f = &the_field;
        field_begin(f);
        for (uint32_t k = 0; k < COUNT; k++) {
            field_toggle(f, k, Visits_id);
            if (three != 0 ? k % 4 != 0 : k % 2 != 0) {
                field_toggle(f, k, Small_id);
            }
        }
        for (uint32_t round = 0; round < 3; round++) {
            field_check_loop(f, f->query[0], 0);
        }
        const setti_lists* lists = &f->query[0]->lists;
        CHECK_EQ(lists->step == NULL, three != 0);
        SETT_QUERY_EACH(f->query[0], b) {
            CHECK(three != 0 || b->rows == setti_listed_rows(setti_lists_at(lists, b->base), 1024));
        }
        CHECK_END(f->world);
    }
}

/* A restore makes steps shorter: what was behind their end is not handed out any more. */
static void steps_become_shorter(void)
{
    field* f = &the_field;
    field_begin(f);
    sett_snapshot before = {0};
    for (uint32_t k = 0; k < COUNT; k++) {
        if (k == 4096 + 128) { /* whole words: those in front stay as they are */
            CHECK_EQ(sett_snapshot_take(f->world, &before), SETT_OK);
        }
        field_toggle(f, k, k % 7 == 0 ? Mark_id : Visits_id);
        if (k % 50 == 0) {
            field_toggle(f, k, k % 7 != 0 ? Small_id : Visits_id);
        }
    }
    for (uint32_t round = 0; round < 8; round++) {
        for (uint32_t q = 0; q < QUERIES; q++) {
            field_check_loop(f, f->query[q], 0);
        }
        if (round == 4) {
            CHECK(f->query[0]->lists.steps != 0 && f->query[6]->lists.steps != 0);
            CHECK_EQ(sett_snapshot_restore(f->world, before), SETT_OK);
        }
    }
    sett_snapshot_drop_all(f->world);
    CHECK_END(f->world);
}

TEST_MAIN(TEST(steps_become_shorter), TEST(what_is_remembered_does_not_show),
          TEST(lists_are_found_again), TEST(most_rows_are_not_remembered))

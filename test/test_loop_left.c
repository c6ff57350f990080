/* test_loop_left.c: loops that are left by return where the compiler cannot close them: C without
 * the attribute `cleanup`. The next structural change finds that the function has returned. */
#define SETT_NO_CLEANUP
#include "check.h"
#include "sett/sett.h"

#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FAKE_STACK /* clang's: local variables may lie on the heap */
#endif
#endif

typedef struct scene {
    sett_world* world;
    sett_query* query;
    sett_query* other;
} scene;

static sett_entity spare; /* without a number */

static scene make_scene(void)
{
    scene s;
    s.world = sett_world_create(&(sett_world_desc){.log_fn = sett_log_silent});
    sett_component id = sett_component_register(
        s.world, &(sett_component_desc){.name = "number", .size = sizeof(uint32_t), .align = 4});
    for (uint32_t k = 0; k < 100; k++) {
        CHECK(sett_set(s.world, sett_entity_create(s.world), id, &k) != NULL);
    }
    spare = sett_entity_create(s.world);
    s.query = sett_query_create(s.world, &(sett_query_desc){.terms = {{.component = id}}});
    s.other = sett_query_create(s.world, &(sett_query_desc){.name = "other"});
    return s;
}

/* Whether structure can change. An entity is destroyed first or created first. */
static bool is_closed(const scene* s)
{
    static bool creates_first;
    creates_first = !creates_first;
    if (!creates_first) {
        bool destroyed = sett_entity_destroy(s->world, spare) == SETT_OK;
        CHECK(destroyed != sett_entity_valid(s->world, spare));
        spare = destroyed ? sett_entity_create(s->world) : spare;
        return destroyed;
    }
    sett_entity entity = sett_entity_create(s->world);
    return !sett_is_null(entity) && sett_entity_destroy(s->world, entity) == SETT_OK;
}

static void leave(const scene* s, bool nested)
{
    SETT_FOR(s->query, b, i) {
        CHECK(!is_closed(s));
        if (nested) {
            SETT_FOR(s->query, c, j) {
                CHECK(!is_closed(s));
                SETT_QUERY_EACH(s->other, d) {
                    CHECK(b != NULL && c != NULL && d != NULL && i == j);
                    return;
                }
            }
        }
        return;
    }
}

static void a_loop_whose_function_has_returned_is_closed(void)
{
    scene s = make_scene();
    for (int nested = 0; nested < 2; nested++) {
        leave(&s, nested != 0);
#if (defined(__linux__) && defined(__GLIBC__) && !defined(FAKE_STACK)) || defined(_WIN32)
        CHECK(is_closed(&s));
#else
        sett_query_end_all(s.world);
#endif
    }
    CHECK(is_closed(&s));
    sett_world_destroy(s.world);
}

static uint32_t leave_search(const scene* s, sett_search* search, bool nested);

/* Not inlined: the caller's frame would have the rows. */
static uint32_t (*volatile leave_it)(const scene*, sett_search*, bool) = leave_search;

static uint32_t leave_search(const scene* s, sett_search* search, bool nested)
{
    SETT_SEARCH(search, rows, i)
    {
        CHECK(!is_closed(s));
        return nested ? leave_it(s, search, false) : rows->count + i;
    }
    return 0;
}

static void a_search_whose_function_has_returned_is_closed(void)
{
    scene s = make_scene();
    sett_search* search = sett_search_create(s.world, "number order_by .name");
    CHECK(search != NULL);
    for (int round = 0; round < 1000; round++) {
        CHECK_EQ(leave_it(&s, search, round % 2 != 0), 100);
#if (defined(__linux__) && defined(__GLIBC__) && !defined(FAKE_STACK)) || defined(_WIN32)
        CHECK(is_closed(&s));
        static uint64_t allocations; /* as many as soon as memory of loops is reused */
        sett_stats stats;
        sett_world_stats(s.world, &stats);
        CHECK(round < 10 || stats.allocations == allocations);
        allocations = stats.allocations;
#else
        sett_query_end_all(s.world);
#endif
    }
    uint32_t rows_seen = 0;
    SETT_SEARCH(search, rows, i)
    {
        rows_seen++;
        if (rows->count > i && rows_seen == 50) {
            CHECK_EQ(leave_it(&s, search, true), 100);
            CHECK(!is_closed(&s));
        }
    }
    CHECK_EQ(rows_seen, 100);
    sett_query_end_all(s.world);
    CHECK(is_closed(&s));
    CHECK_EQ(sett_search_destroy(search), SETT_OK);
    sett_world_destroy(s.world);
}

static void deeper_calls_do_not_close_a_loop(const scene* s, int depth)
{
    volatile char room[2000];
    room[0] = (char)depth;
    CHECK(!is_closed(s));
    if (depth != 0) {
        deeper_calls_do_not_close_a_loop(s, depth - 1);
    }
    CHECK_EQ(room[0], depth);
}

/* Beside it one is left whose memory may be anywhere: nothing is known of that query's loops. */
static sett_batch* leave_elsewhere(const scene* s, sett_batch* memory)
{
    SETT_FOR(s->query, b, i) {
        CHECK(b->count > i);
        return sett_query_begin(s->query, memory);
    }
    return NULL;
}

static void a_loop_that_runs_is_never_closed(void)
{
    scene s = make_scene();
    uint32_t rows = 0;
    SETT_FOR(s.query, b, i) {
        rows += b->count > i;
        if (i == 50) {
            deeper_calls_do_not_close_a_loop(&s, 20);
            leave(&s, true);
            CHECK(!is_closed(&s));
        }
    }
    CHECK_EQ(rows, 100);
    sett_query_end_all(s.world);
    sett_batch* memory = malloc(sizeof(*memory));
    sett_batch* b = sett_query_begin(s.query, memory);
    CHECK(!is_closed(&s));
    sett_batch_end(b);
    CHECK(is_closed(&s));
    b = leave_elsewhere(&s, memory);
    CHECK(!is_closed(&s));
    sett_query_end_all(s.world);
    CHECK(b == memory && is_closed(&s));
    free(memory);
    sett_world_destroy(s.world);
}

TEST_MAIN(TEST(a_loop_whose_function_has_returned_is_closed),
          TEST(a_search_whose_function_has_returned_is_closed),
          TEST(a_loop_that_runs_is_never_closed))

/* test_each.c: what break, continue and nesting mean in SETT_EACH, SETT_EACH_RUN and
 * SETT_QUERY_EACH.
 * The batches are made by hand: rows with gaps, and without. */
#include "check.h"
#include "sett/sett.h"

static const uint16_t gaps[] = {1, 4, 5, 900, 1023};

static sett_batch make_batch(bool with_gaps)
{
    sett_batch batch;
    memset(&batch, 0, sizeof(batch));
    batch.count = 5;
    batch.rows = with_gaps ? gaps : NULL;
    return batch;
}

static uint32_t expected_row(bool with_gaps, uint32_t k)
{
    return with_gaps ? gaps[k] : k;
}

static void each_visits_every_row_in_order(void)
{
    for (int with_gaps = 0; with_gaps < 2; with_gaps++) {
        sett_batch batch = make_batch(with_gaps != 0);
        const sett_batch* b = &batch;
        uint32_t seen = 0;
        SETT_EACH(b, i) {
            CHECK_EQ(i, expected_row(with_gaps != 0, seen));
            seen++;
        }
        CHECK_EQ(seen, 5);
        seen = 0;
        SETT_EACH_RUN(b, i) {
            CHECK_EQ(i, expected_row(with_gaps != 0, seen));
            seen++;
        }
        CHECK_EQ(seen, 5);
    }
}

static void an_empty_batch_has_no_rows(void)
{
    for (int with_gaps = 0; with_gaps < 2; with_gaps++) {
        sett_batch batch = make_batch(with_gaps != 0);
        const sett_batch* b = &batch;
        batch.count = 0;
        uint32_t seen = 0;
        SETT_EACH(b, i) {
            seen += 1 + i;
        }
        SETT_EACH_RUN(b, i) {
            seen += 1 + i;
        }
        CHECK_EQ(seen, 0);
    }
}

static void break_leaves_all_rows(void)
{
    for (int with_gaps = 0; with_gaps < 2; with_gaps++) {
        sett_batch batch = make_batch(with_gaps != 0);
        const sett_batch* b = &batch;
        uint32_t seen = 0;
        SETT_EACH(b, i) {
            CHECK_EQ(i, expected_row(with_gaps != 0, seen));
            if (++seen == 3) {
                break;
            }
        }
        CHECK_EQ(seen, 3);
        seen = 0;
        SETT_EACH_RUN(b, i) {
            CHECK_EQ(i, expected_row(with_gaps != 0, seen));
            if (++seen == 3) {
                break;
            }
        }
        CHECK_EQ(seen, 3);
    }
}

static void continue_goes_to_the_next_row(void)
{
    for (int with_gaps = 0; with_gaps < 2; with_gaps++) {
        sett_batch batch = make_batch(with_gaps != 0);
        const sett_batch* b = &batch;
        uint32_t seen = 0;
        uint32_t kept = 0;
        SETT_EACH(b, i) {
            if (seen++ % 2 == 0) {
                continue;
            }
            CHECK_EQ(i, expected_row(with_gaps != 0, seen - 1));
            kept++;
        }
        CHECK_EQ(seen, 5);
        CHECK_EQ(kept, 2);
        seen = 0;
        SETT_EACH_RUN(b, i) {
            if (i != UINT32_MAX && seen++ % 2 == 0) {
                continue;
            }
            kept++;
        }
        CHECK_EQ(seen, 5);
        CHECK_EQ(kept, 4);
    }
}

static void loops_nest(void)
{
    sett_batch outer = make_batch(true);
    sett_batch inner = make_batch(false);
    const sett_batch* a = &outer;
    const sett_batch* b = &inner;
    uint32_t pairs = 0;
    SETT_EACH(a, i) {
        SETT_EACH(b, j) {
            if (j == 2) {
                break; /* the inner one */
            }
            CHECK(i >= 1);
            pairs++;
        }
        SETT_EACH_RUN(a, j) {
            pairs += j == i;
        }
    }
    CHECK_EQ(pairs, 5 * 2 + 5);
}

/* As the only statement of an if, without braces of its own, it takes no else and leaves none
 * behind. */
static void a_loop_is_one_statement(void)
{
    sett_batch batch = make_batch(false);
    const sett_batch* b = &batch;
    uint32_t seen = 0;
    if (batch.count == 0)
        SETT_EACH(b, i)
            seen += i + 100;
    else
        SETT_EACH(b, i)
            seen += i;
    CHECK_EQ(seen, 0 + 1 + 2 + 3 + 4);
}

/* ---- In a query ------------------------------------------------------------------------------ */

#define ENTITIES 3000u

typedef struct scene {
    sett_world* world;
    sett_query* query;
} scene;

static scene make_scene(void)
{
    scene s;
    s.world = sett_world_create(&(sett_world_desc){.log_fn = sett_log_silent});
    sett_component id = sett_component_register(
        s.world, &(sett_component_desc){.name = "number", .size = sizeof(uint32_t), .align = 4});
    for (uint32_t k = 0; k < ENTITIES; k++) {
        CHECK(sett_set(s.world, sett_entity_create(s.world), id, &k) != NULL);
    }
    sett_query_desc desc = {"scene", {{.component = id, .access = SETT_INOUT, .kind = SETT_WITH}}};
    s.query = sett_query_create(s.world, &desc);
    CHECK(s.query != NULL);
    return s;
}

static bool is_open(const scene* s)
{
    sett_entity entity = sett_entity_create(s->world);
    if (!sett_is_null(entity)) {
        sett_entity_destroy(s->world, entity);
    }
    return sett_is_null(entity);
}

/* However a loop ended, nothing is left open. */
static void end_scene(scene* s)
{
    CHECK(!is_open(s));
    sett_world_destroy(s->world);
}

static void break_in_each_ends_the_whole_loop(void)
{
    scene s = make_scene();
    uint32_t batches = 0;
    SETT_QUERY_EACH(s.query, b) {
        CHECK(is_open(&s));
        batches++;
        SETT_EACH(b, i) {
            CHECK_EQ(SETT_FIELD(b, 0, uint32_t)[i], sett_batch_index(b, i));
            break;
        }
    }
    CHECK_EQ(batches, 1);
    uint32_t seen = 0;
    SETT_QUERY_EACH(s.query, b) {
        SETT_EACH_RUN(b, i) {
            if (++seen == SETT_BATCH_ROWS + 3) {
                CHECK_EQ(sett_batch_index(b, i), SETT_BATCH_ROWS + 2);
                break;
            }
        }
    }
    CHECK_EQ(seen, SETT_BATCH_ROWS + 3);
    end_scene(&s);
}

static void break_in_a_query_leaves_it(void)
{
    scene s = make_scene();
    uint32_t batches = 0;
    SETT_QUERY_EACH(s.query, b) {
        CHECK(b->count != 0);
        if (++batches == 2) {
            break;
        }
    }
    CHECK_EQ(batches, 2);
    end_scene(&s);
}

static void stop_makes_this_batch_the_last(void)
{
    scene s = make_scene();
    uint32_t batches = 0;
    SETT_QUERY_EACH(s.query, b) {
        batches++;
        sett_batch_stop(b);
        CHECK(is_open(&s));
    }
    CHECK_EQ(batches, 1);
    end_scene(&s);
}

static void continue_goes_to_the_next_batch(void)
{
    scene s = make_scene();
    uint32_t rows = 0;
    uint32_t batches = 0;
    SETT_QUERY_EACH(s.query, b) {
        rows += b->count;
        if (batches++ == 0) {
            continue;
        }
        CHECK(b->base != 0);
    }
    CHECK_EQ(rows, ENTITIES);
    CHECK(batches >= 3);
    end_scene(&s);
}

static uint32_t count_until(const scene* s, uint32_t stop, bool by_hand)
{
    uint32_t rows = 0;
    SETT_QUERY_EACH(s->query, b) {
        SETT_EACH(b, i) {
            if (++rows == stop) {
                if (by_hand) {
                    sett_batch_end(b);
                }
                return i;
            }
        }
    }
    return UINT32_MAX;
}

static void return_leaves_nothing_open(void)
{
    scene s = make_scene();
    for (int by_hand = 0; by_hand < 2; by_hand++) {
        CHECK_EQ(count_until(&s, 11, by_hand != 0), 10);
        CHECK(!is_open(&s));
    }
    CHECK_EQ(count_until(&s, ENTITIES + 10, false), UINT32_MAX);
    SETT_QUERY_EACH(s.query, b) { /* an inner loop that was ended twice does not end this one */
        CHECK(b->count != 0 && count_until(&s, 11, true) == 10);
        CHECK(is_open(&s));
    }
    end_scene(&s);
}

/* ---- The flat loop --------------------------------------------------------------------------- */

static void a_flat_loop_visits_all_in_order(void)
{
    scene s = make_scene();
    uint32_t seen = 0;
    SETT_FOR(s.query, b, i) {
        CHECK(is_open(&s));
        CHECK_EQ(SETT_FIELD(b, 0, uint32_t)[i], seen);
        CHECK_EQ(sett_batch_entity(b, i).index, sett_batch_index(b, i));
        seen++;
    }
    CHECK_EQ(seen, ENTITIES);
    CHECK(!is_open(&s));
    for (uint32_t k = 0; k < ENTITIES; k += 3) {
        CHECK_EQ(sett_entity_destroy(s.world, sett_entity_at(s.world, k)), SETT_OK);
    }
    seen = 0;
    SETT_FOR(s.query, b, i) {
        CHECK_EQ(SETT_FIELD(b, 0, uint32_t)[i], seen / 2 * 3 + 1 + seen % 2);
        seen++;
    }
    CHECK_EQ(seen, ENTITIES * 2 / 3);
    SETT_FOR(NULL, b, i) {
        CHECK(b == NULL && i != 0); /* no query, no entities */
    }
    end_scene(&s);
}

static void break_and_continue_work_in_a_flat_loop(void)
{
    scene s = make_scene();
    uint32_t seen = 0;
    uint32_t odd = 0;
    SETT_FOR(s.query, b, i) {
        seen++;
        if (SETT_FIELD(b, 0, uint32_t)[i] % 2 == 0) {
            continue;
        }
        if (++odd == SETT_BATCH_ROWS) {
            break;
        }
    }
    CHECK_EQ(seen, 2 * SETT_BATCH_ROWS);
    CHECK(!is_open(&s));
    seen = 0;
    SETT_FOR(s.query, b, i) {
        seen += 1 + i + b->base;
        break;
    }
    CHECK_EQ(seen, 1);
    end_scene(&s);
}

static sett_entity find_number(const scene* s, uint32_t number)
{
    SETT_FOR(s->query, b, i) {
        if (SETT_FIELD(b, 0, uint32_t)[i] == number) {
            return sett_batch_entity(b, i);
        }
    }
    return sett_null();
}

static uint32_t find_pair(const scene* s, uint32_t sum)
{
    uint32_t first;
    SETT_FOR(s->query, a, i) {
        first = SETT_FIELD(a, 0, uint32_t)[i];
        SETT_FOR(s->query, b, j) {
            if (first + SETT_FIELD(b, 0, uint32_t)[j] == sum) {
                goto found;
            }
        }
    }
    return UINT32_MAX;
found:
    CHECK(!is_open(s));
    return first;
}

static void return_and_goto_close_a_flat_loop(void)
{
    scene s = make_scene();
    for (uint32_t k = 0; k < ENTITIES; k += 700) {
        CHECK_EQ(find_number(&s, k).index, k);
        CHECK(!is_open(&s));
    }
    CHECK(sett_is_null(find_number(&s, ENTITIES)));
    CHECK_EQ(find_pair(&s, ENTITIES), 1);
    end_scene(&s);
}

/* clang-format off */
static void flat_loops_are_statements_that_nest(void)
{
    scene s = make_scene();
    uint32_t pairs = 0;
    uint32_t rows = 0;
    SETT_FOR(s.query, a, i) { rows += a->base + i < 3; } SETT_FOR(s.query, a, i) { rows++; }
    CHECK_EQ(rows, 3 + ENTITIES);
    SETT_FOR(s.query, a, i) {
        if (sett_batch_index(a, i) == 5)
            break;
        if (sett_batch_index(a, i) % 2 == 0)
            SETT_FOR(s.query, b, j)
                pairs += sett_batch_index(b, j) == sett_batch_index(a, i);
        else
            SETT_FOR(s.query, b, j) { pairs += 10 + 0 * (b->base + j); break; }
        CHECK(is_open(&s));
    }
    CHECK_EQ(pairs, 3 + 20);
    end_scene(&s);
}
/* clang-format on */

static void queries_nest(void)
{
    scene s = make_scene();
    uint32_t outer = 0;
    uint32_t inner = 0;
    SETT_QUERY_EACH(s.query, a) {
        outer += a->count;
        SETT_QUERY_EACH(s.query, b) {
            inner += b->count;
            CHECK(a != b);
        }
        CHECK(is_open(&s));
        break;
    }
    CHECK(outer > 0 && outer <= SETT_BATCH_ROWS);
    CHECK_EQ(inner, ENTITIES);
    end_scene(&s);
}

TEST_MAIN(TEST(each_visits_every_row_in_order), TEST(an_empty_batch_has_no_rows),
          TEST(break_leaves_all_rows), TEST(continue_goes_to_the_next_row), TEST(loops_nest),
          TEST(a_loop_is_one_statement), TEST(break_in_each_ends_the_whole_loop),
          TEST(break_in_a_query_leaves_it), TEST(stop_makes_this_batch_the_last),
          TEST(continue_goes_to_the_next_batch), TEST(return_leaves_nothing_open),
          TEST(a_flat_loop_visits_all_in_order), TEST(break_and_continue_work_in_a_flat_loop),
          TEST(return_and_goto_close_a_flat_loop), TEST(flat_loops_are_statements_that_nest),
          TEST(queries_nest))

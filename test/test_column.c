/* test_column.c: runs of rows: the same entities and values as batches, in longer arrays.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sett/sett.h"
#include "worlds.h"

typedef struct Position {
    float x, y;
} Position;

typedef struct Wide {
    double numbers[5];
} Wide;

typedef struct Order {
    uint32_t at;
} Order;

#define KINDS(COMPONENT, TAG)                                                                      \
    COMPONENT(Position)                                                                            \
    COMPONENT(Wide)                                                                                \
    COMPONENT(Order, .storage = SETT_STORAGE_SPARSE_SET)                                           \
    TAG(Still)
SETT_COMPONENTS(KINDS)

enum {
    COUNT = 100000,
    LISTED = 5
};

static sett_entity in_batches[COUNT];
static const void* values[COUNT][LISTED];

/* What a loop visits: entities, and the address of each value. */
static uint32_t list_batches(sett_query* query)
{
    uint32_t count = 0;
    SETT_FOR(query, b, i) {
        in_batches[count] = sett_batch_entity(b, i);
        for (uint32_t k = 0; k < b->field_count && k < LISTED; k++) {
            values[count][k] = b->fields[k] != NULL ? sett_batch_at(b, k, i) : NULL;
        }
        count++;
    }
    return count;
}

/* Returns how many runs there are. `gathered`: fields are copies. */
static uint32_t check_runs(sett_query* query, const size_t* sizes, bool gathered)
{
    static sett_entity handles[COUNT];
    uint32_t all = list_batches(query);
    uint32_t count = 0;
    uint32_t runs = 0;
    sett_batch batch;
    sett_run run = {0};
    CHECK(sett_query_begin(query, &batch) != NULL);
    while (sett_batch_next_run(&batch, &run)) {
        CHECK(run.count != 0 && count + run.count <= all);
        sett_run_entities(&batch, &run, handles);
        for (uint32_t n = 0; n < run.count; n++, count++) {
            uint32_t row = run.rows != NULL ? run.rows[n] : n;
            CHECK(sett_equals(handles[n], in_batches[count]));
            for (uint32_t k = 0; k < batch.field_count && k < LISTED && !gathered; k++) {
                const unsigned char* field = run.fields[k];
                const void* at = field != NULL ? field + row * sizes[k] : NULL;
                CHECK(at == values[count][k]);
                CHECK(field == NULL || (run.present >> k & 1) != 0);
            }
        }
        runs++;
    }
    CHECK_EQ(run.count, 0);
    CHECK(!sett_batch_next_run(&batch, &run)); /* stays at its end */
    sett_batch_end(&batch);
    CHECK_EQ(count, all);
    return runs;
}

static sett_world* filled(const sett_component* types, uint32_t type_count)
{
    sett_world* world = quiet_world();
    CHECK_EQ(SETT_REGISTER_ALL(world, KINDS), SETT_OK);
    CHECK_EQ(sett_entity_create_many(world, COUNT, types, type_count, NULL, NULL), SETT_OK);
    return world;
}

/* Pages that follow one another are one run. */
static void pages_side_by_side_are_one_run(void)
{
    const sett_component both[] = {Position_id, Wide_id};
    const size_t sizes[] = {sizeof(Position), sizeof(Wide)};
    sett_world* world = filled(both, 2);
    sett_query* one = SETT_QUERY_CREATE(world, SETT_INOUT(Position));
    CHECK(check_runs(one, sizes, false) <= COUNT / SETT_BATCH_ROWS / 3);
    sett_query* two = SETT_QUERY_CREATE(world, SETT_INOUT(Position), SETT_IN(Wide));
    CHECK(check_runs(two, sizes, false) < COUNT / SETT_BATCH_ROWS);
    /* Every entity, without fields: one run. */
    sett_query* none = sett_query_create(world, &(sett_query_desc){.name = "all"});
    CHECK_EQ(check_runs(none, sizes, false), 1);
    sett_query* nothing = SETT_QUERY_CREATE(world, SETT_IN(Position), SETT_WITH(Still));
    CHECK_EQ(check_runs(nothing, sizes, false), 0);
    CHECK_END(world);
}

/* Memory may go on where indices do not: then it is another run. */
static void a_run_has_indices_without_gaps(void)
{
    sett_world* world = filled(NULL, 0);
    CHECK_EQ(sett_world_clear(world), SETT_OK);
    const sett_component type = Position_id;
    const size_t size = sizeof(Position);
    for (uint32_t k = 0; k < 12; k++) {
        CHECK_EQ(sett_entity_set_range(world, k * 4096, 0), SETT_OK);
        CHECK_EQ(sett_entity_create_many(world, 1024, &type, 1, NULL, NULL), SETT_OK);
    }
    sett_query* query = SETT_QUERY_CREATE(world, SETT_IN(Position));
    CHECK_EQ(check_runs(query, &size, false), 12);
    sett_query* still = SETT_QUERY_CREATE(world, SETT_WITHOUT(Still));
    CHECK_EQ(check_runs(still, &size, false), 12);
    CHECK_END(world);
}

/* Gaps and absent values end a run. */
static void runs_end_where_rows_do(void)
{
    const sett_component type = Position_id;
    const size_t sizes[] = {sizeof(Position), sizeof(Wide)};
    sett_world* world = filled(&type, 1);
    sett_query* rows =
        SETT_QUERY_CREATE(world, SETT_INOUT(Position), SETT_OPTIONAL(Wide), SETT_WITHOUT(Still));
    uint32_t whole = check_runs(rows, sizes, false);
    for (uint32_t k = 0; k < COUNT; k += k % 9000 < 3000 ? 7 : 1500) {
        sett_entity e = sett_entity_at(world, k);
        if (k % 2 == 0) {
            CHECK(SETT_ADD_TAG(world, e, Still));
        }
        CHECK(SETT_ADD(world, e, Wide) != NULL);
    }
    CHECK(check_runs(rows, sizes, false) > whole);
    CHECK_END(world);
}

/* A loop in the order of a sparse set: the other field is gathered, and written back. */
static void gathered_fields_are_written_back(void)
{
    const sett_component both[] = {Position_id, Order_id};
    const size_t sizes[] = {sizeof(Order), sizeof(Position)};
    sett_world* world = filled(both, 2);
    sett_component order = Order_id;
    for (uint32_t k = 0; k < COUNT; k++) {
        SETT_GET_MUT(world, sett_entity_at(world, k), Order)->at = k * 2654435761u;
    }
    CHECK_EQ(sett_sort(world, &(sett_sort_desc){.component = order, .key = SETT_KEY_U32}), SETT_OK);
    sett_query* alone = SETT_QUERY_CREATE(world, SETT_IN_ORDER(Order));
    (void)check_runs(alone, sizes, false);
    sett_query* query = SETT_QUERY_CREATE(world, SETT_IN_ORDER(Order), SETT_INOUT(Position));
    (void)check_runs(query, sizes, true);
    sett_batch batch;
    sett_run run = {0};
    CHECK(sett_query_begin(query, &batch) != NULL);
    while (sett_batch_next_run(&batch, &run)) {
        const Order* at = run.fields[0];
        Position* p = run.fields[1];
        for (uint32_t n = 0; n < run.count; n++) {
            uint32_t row = run.rows != NULL ? run.rows[n] : n;
            p[row].x = (float)(at[row].at % 1000);
        }
    }
    sett_batch_end(&batch);
    for (uint32_t k = 0; k < COUNT; k++) {
        sett_entity e = sett_entity_at(world, k);
        CHECK(SETT_GET(world, e, Position)->x == (float)(SETT_GET(world, e, Order)->at % 1000));
    }
    CHECK_END(world);
}

/* Runs of a part of the storage, as sett_batch_part gives it to a loop. */
static void parts_have_runs(void)
{
    const sett_component type = Position_id;
    sett_world* world = filled(&type, 1);
    sett_query* query = SETT_QUERY_CREATE(world, SETT_INOUT(Position));
    for (uint32_t part = 0; part < 7; part++) {
        sett_batch batch;
        sett_run run = {0};
        CHECK(sett_batch_part(sett_query_begin(query, &batch), part, 7) != NULL);
        while (sett_batch_next_run(&batch, &run)) {
            Position* p = run.fields[0];
            for (uint32_t n = 0; n < run.count; n++) {
                p[n].x += (float)part + 1;
                p[n].y += 1;
            }
        }
        sett_batch_end(&batch);
    }
    float last = 1;
    SETT_FOR(query, b, i) {
        const Position* p = &SETT_FIELD(b, 0, Position)[i];
        CHECK(p->y == 1 && p->x >= last && p->x <= 7);
        last = p->x;
    }
    CHECK(last == 7);
    CHECK_END(world);
}

static void raise_in_runs(sett_context* context)
{
    sett_batch batch;
    sett_run run = {0};
    CHECK(sett_context_begin(context, &batch) != NULL);
    while (sett_batch_next_run(&batch, &run)) {
        Position* p = run.fields[0];
        for (uint32_t n = 0; n < run.count; n++) {
            p[n].y += 1;
        }
    }
    sett_batch_end(&batch);
}

/* Runs of the jobs of a system. */
static void jobs_have_runs(void)
{
    const sett_component type = Position_id;
    sett_world* world = filled(&type, 1);
    CHECK(SETT_SYSTEM(world, raise_in_runs, .terms = {SETT_INOUT(Position)}) != NULL);
    CHECK_EQ(sett_progress(world, 1), SETT_OK);
    sett_query* query = SETT_QUERY_CREATE(world, SETT_IN(Position));
    SETT_FOR(query, b, i) {
        CHECK(SETT_FIELD(b, 0, Position)[i].y == 1);
    }
    CHECK_END(world);
}

TEST_MAIN(TEST(pages_side_by_side_are_one_run), TEST(a_run_has_indices_without_gaps),
          TEST(runs_end_where_rows_do), TEST(gathered_fields_are_written_back),
          TEST(parts_have_runs), TEST(jobs_have_runs))

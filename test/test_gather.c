/* test_gather.c: loops that work on copies of values, because these lie in another order than the
 * loop's rows. While a batch is visited the copy is the value: access by handle, and loops within
 * the loop, read and write it. */
#include "chance.h"
#include "check.h"
#include "sett/sett.h"
#include "sett/system.h"
#include "worlds.h"

#define ENTITIES 700u
#define WIDE 300u /* bytes */

enum {
    FIRST,  /* sparse sets, in orders of their own */
    SECOND, /* 12 bytes: not a size that copies are made for */
    PLAIN,  /* an array */
    TYPES
};

typedef struct scene {
    sett_world* world;
    sett_component id[TYPES];
    sett_entity entity[ENTITIES];
    sett_query* all;    /* of all three, written */
    sett_query* second; /* of SECOND alone: in place */
    sett_query* plain;  /* of PLAIN alone */
    uint32_t model[TYPES][ENTITIES];
} scene;

static scene s;

static const size_t sizes[TYPES] = {4, 12, 8};

/* How the rows lie. */
enum {
    APART,    /* each sparse set has an order of its own */
    TOGETHER, /* all have that of the indices: nothing has to be copied */
    PARTLY,   /* here and there not */
    ORDERS
};

/* The entity whose k-th row is made. */
static uint32_t scene_row(uint32_t order, uint32_t type, uint32_t k)
{
    return order != APART ? k : k * (type == FIRST ? 3 : 11) % ENTITIES;
}

static void scene_begin_in(uint32_t order)
{
    memset(&s, 0, sizeof(s));
    s.world = quiet_world();
    for (uint32_t k = 0; k < TYPES; k++) {
        static const char* const names[] = {"first", "second", "plain"};
        sett_component_desc desc = {
            .name = names[k],
            .size = sizes[k],
            .align = 4,
            .storage = k == PLAIN ? SETT_STORAGE_ARRAY : SETT_STORAGE_SPARSE_SET,
        };
        s.id[k] = sett_component_register(s.world, &desc);
    }
    for (uint32_t k = 0; k < ENTITIES; k++) {
        s.entity[k] = sett_entity_create(s.world);
        CHECK(sett_add(s.world, s.entity[k], s.id[PLAIN]) != NULL);
    }
    for (uint32_t k = 0; k < ENTITIES; k++) {
        for (uint32_t type = FIRST; type <= SECOND; type++) {
            sett_entity entity = s.entity[scene_row(order, type, k)];
            CHECK(sett_add(s.world, entity, s.id[type]) != NULL);
        }
    }
    for (uint32_t k = 0; order == PARTLY && k < ENTITIES; k += 300) {
        CHECK_EQ(sett_remove(s.world, s.entity[k], s.id[SECOND]), SETT_OK);
        CHECK(sett_add(s.world, s.entity[k], s.id[SECOND]) != NULL);
    }
    s.all = sett_query_create(s.world, &(sett_query_desc){.terms = {{.component = s.id[FIRST]},
                                                                    {.component = s.id[SECOND]},
                                                                    {.component = s.id[PLAIN]}}});
    s.second =
        sett_query_create(s.world, &(sett_query_desc){.terms = {{.component = s.id[SECOND]}}});
    s.plain = sett_query_create(s.world, &(sett_query_desc){.terms = {{.component = s.id[PLAIN]}}});
}

static void scene_begin(void)
{
    scene_begin_in(APART);
}

static uint32_t* field(const sett_batch* b, uint32_t k, uint32_t row)
{
    uint32_t term = b->field_count == TYPES ? k : 0; /* the other queries have one */
    return (uint32_t*)(void*)((unsigned char*)sett_batch_field(b, term) + row * sizes[k]);
}

static uint32_t value_of(uint32_t type, uint32_t index)
{
    const uint32_t* value = sett_get(s.world, s.entity[index], s.id[type]);
    return value[0];
}

static void check_model(void)
{
    for (uint32_t type = 0; type < TYPES; type++) {
        for (uint32_t k = 0; k < ENTITIES; k++) {
            CHECK_EQ(value_of(type, k), s.model[type][k]);
        }
    }
}

static void scene_end(void)
{
    check_model();
    check_end(__FILE__, __LINE__, s.world);
}

/* Sets by handle, in one of the ways there are. */
static void write_by_handle(uint32_t type, uint32_t index, uint32_t value, uint32_t way)
{
    uint32_t whole[3] = {value, 0, 0};
    void* address = NULL;
    switch (way % 4) {
    case 0:
        address = sett_get_mut(s.world, s.entity[index], s.id[type]);
        break;
    case 1:
        address = sett_find_mut(s.world, s.entity[index], s.id[type]);
        break;
    case 2:
        address = sett_ensure(s.world, s.entity[index], s.id[type]);
        break;
    default:
        address = sett_set(s.world, s.entity[index], s.id[type], whole);
        break;
    }
    CHECK(address != NULL);
    memcpy(address, &value, sizeof(value));
    s.model[type][index] = value;
}

/* Of the row itself, of rows before and behind it, in this batch and in others. */
static void a_write_by_handle_is_not_lost(void)
{
    for (uint32_t k = 0; k < 4 * ORDERS; k++) {
        uint32_t way = k % 4;
        scene_begin_in(k / 4);
        uint32_t seen = 0;
        SETT_FOR(s.all, b, i) {
            uint32_t index = sett_batch_index(b, i);
            for (uint32_t type = 0; type < TYPES; type++) {
                CHECK_EQ(*field(b, type, i), s.model[type][index]);
                write_by_handle(type, index, seen * 10 + type, way);
                CHECK_EQ(*field(b, type, i), seen * 10 + type);
                write_by_handle(type, (index + 5) % ENTITIES, seen, way);
                write_by_handle(type, (index + 400) % ENTITIES, seen, way);
            }
            seen++;
        }
        CHECK_EQ(seen, ENTITIES);
        scene_end();
    }
}

/* How many rows' values a loop reads where they lie, of a type. */
static uint32_t rows_in_place(uint32_t type)
{
    static const void* lies[ENTITIES];
    uint32_t count = 0;
    for (uint32_t k = 0; k < ENTITIES; k++) {
        lies[k] = sett_get(s.world, s.entity[k], s.id[type]);
    }
    SETT_FOR(s.all, b, i) {
        count += (const void*)field(b, type, i) == lies[sett_batch_index(b, i)];
    }
    return count;
}

static void rows_in_one_order_are_not_copied(void)
{
    for (uint32_t order = 0; order < ORDERS; order++) {
        scene_begin_in(order);
        CHECK_EQ(rows_in_place(FIRST), ENTITIES); /* whose rows the loop's are */
        for (uint32_t type = SECOND; type < TYPES; type++) {
            uint32_t count = rows_in_place(type);
            bool whole = order == TOGETHER || (order == PARTLY && type == PLAIN);
            CHECK(whole            ? count == ENTITIES
                  : order == APART ? count == 0
                                   : count != 0 && count != ENTITIES);
        }
        CHECK_EQ(sett_query_count(s.all), ENTITIES);
        scene_end();
    }
}

/* Fewer rows of a wide type lie on a page than a step has; an array can lack some. */
static void rows_that_do_not_lie_on_one_page_are_copied(void)
{
    for (uint32_t lack = 0; lack < 2; lack++) {
        sett_world* world = quiet_world();
        sett_component id[4];
        for (uint32_t k = 0; k < 4; k++) {
            static const char* const names[] = {"narrow", "wide", "array", "out"};
            sett_component_desc desc = {
                .name = names[k],
                .size = k == 1  ? WIDE
                        : k < 3 ? 4
                                : 0,
                .storage = k < 2 ? SETT_STORAGE_SPARSE_SET : SETT_STORAGE_ARRAY,
            };
            id[k] = sett_component_register(world, &desc);
        }
        for (uint32_t k = 0; k < ENTITIES; k++) {
            s.entity[k] = sett_entity_create(world);
            for (uint32_t n = 0; n < 3; n++) {
                if (n < 2 || lack == 0 || k % 300 != 299) {
                    memcpy(sett_add(world, s.entity[k], id[n]), &k, sizeof(k));
                }
            }
            if (k < 10) { /* the first batch begins within a step */
                CHECK(sett_add_tag(world, s.entity[k], id[3]));
            }
        }
        sett_query_desc desc = {.terms = {{.component = id[0]},
                                          {.component = id[1]},
                                          {.component = id[2]},
                                          {.component = id[3], .kind = SETT_WITHOUT}}};
        sett_query* query = sett_query_create(world, &desc);
        uint32_t seen = 0;
        SETT_FOR(query, b, i) {
            uint32_t index = sett_batch_index(b, i);
            uint32_t* wide = (void*)((unsigned char*)sett_batch_field(b, 1) + i * (size_t)WIDE);
            CHECK_EQ(((uint32_t*)sett_batch_field(b, 0))[i], index);
            CHECK_EQ(((uint32_t*)sett_batch_field(b, 2))[i], index);
            CHECK_EQ(*wide, index);
            *wide += 1;
            seen++;
        }
        CHECK_EQ(seen, ENTITIES - 10 - (lack == 0 ? 0 : ENTITIES / 300));
        for (uint32_t k = 0; k < ENTITIES; k++) {
            uint32_t added = k >= 10 && (lack == 0 || k % 300 != 299);
            CHECK_EQ(*(const uint32_t*)sett_get(world, s.entity[k], id[1]), k + added);
        }
        CHECK_END(world);
    }
}

static void get_sees_what_the_loop_has_written(void)
{
    scene_begin();
    sett_accessor plain = sett_accessor_make(s.world, s.id[PLAIN]);
    SETT_FOR(s.all, b, i) {
        uint32_t index = sett_batch_index(b, i);
        for (uint32_t type = 0; type < TYPES; type++) {
            s.model[type][index] = *field(b, type, i) = index + type;
            CHECK_EQ(value_of(type, index), index + type);
            const uint32_t* found = sett_find(s.world, s.entity[index], s.id[type]);
            CHECK_PTR_EQ(found, field(b, type, i));
            CHECK_PTR_EQ(sett_batch_at(b, type, i), found);
            CHECK(sett_has(s.world, s.entity[index], s.id[type]));
        }
        const uint32_t* accessed = sett_accessor_find(&plain, s.entity[index]);
        CHECK_EQ(*accessed, index + PLAIN);
    }
    scene_end();
}

static void find_and_stop(uint32_t wanted)
{
    SETT_FOR(s.all, b, i) {
        uint32_t index = sett_batch_index(b, i);
        *field(b, SECOND, i) += 1;
        s.model[SECOND][index]++;
        if (index == wanted) {
            write_by_handle(FIRST, index, 77, 0);
            return;
        }
    }
}

static void a_loop_that_is_left_writes_back(void)
{
    scene_begin();
    find_and_stop(300);
    check_model();
    sett_batch batch;
    sett_batch* b = sett_query_begin(s.all, &batch);
    while (sett_batch_next(b)) {
    }
    write_by_handle(FIRST, 300, 78, 0); /* no batch is visited any more */
    sett_batch_end(b);
    scene_end();
}

/* A value that is declared as overwritten and is not stays what it was. */
static void what_is_not_overwritten_stays(void)
{
    scene_begin();
    for (uint32_t k = 0; k < ENTITIES; k++) {
        write_by_handle(SECOND, k, k, 3);
    }
    sett_query_desc desc = {
        .terms = {{.component = s.id[FIRST]}, {.component = s.id[SECOND], .access = SETT_OUT}}};
    sett_query* query = sett_query_create(s.world, &desc);
    SETT_QUERY_EACH(query, b) {
        CHECK(b->count != 0);
    }
    scene_end();
}

/* Loops within a loop: over the same values, in their own order or in this one's. */
static void inner_loops_in(uint32_t order)
{
    scene_begin_in(order);
    sett_query* const inner[] = {s.all, s.second, s.plain};
    const uint32_t types[] = {FIRST, SECOND, PLAIN};
    uint32_t rounds = 0;
    SETT_FOR(s.all, b, i) {
        uint32_t index = sett_batch_index(b, i);
        for (uint32_t type = 0; type < TYPES; type++) {
            s.model[type][index] = *field(b, type, i) += 3;
        }
        if (index % 97 != 0) {
            continue;
        }
        for (uint32_t k = 0; k < 3; k++) {
            rounds++;
            SETT_FOR(inner[k], c, j) {
                uint32_t other = sett_batch_index(c, j);
                CHECK_EQ(*field(c, types[k], j), s.model[types[k]][other]);
                s.model[types[k]][other] = *field(c, types[k], j) += 1;
                CHECK_EQ(value_of(types[k], other), s.model[types[k]][other]);
            }
        }
        check_model();
    }
    CHECK_EQ(rounds, 3 * (ENTITIES / 97 + 1));
    scene_end();
}

static void inner_loops_see_and_write_the_copies(void)
{
    for (uint32_t order = 0; order < ORDERS; order++) {
        inner_loops_in(order);
    }
}

/* The outer one ends first. */
static void loops_may_end_in_any_order(void)
{
    scene_begin();
    sett_batch memory[2];
    sett_batch* outer = sett_query_begin(s.all, &memory[0]);
    CHECK(sett_batch_next(outer));
    sett_batch* inner = sett_query_begin(s.second, &memory[1]);
    CHECK(sett_batch_next(inner));
    uint32_t row = inner->rows != NULL ? inner->rows[0] : 0;
    uint32_t index = sett_batch_index(inner, row);
    s.model[SECOND][index] = *field(inner, SECOND, row) = 9;
    sett_batch_end(outer);
    CHECK_EQ(value_of(SECOND, index), 9);
    sett_batch_end(inner);
    scene_end();
}

static void loops_that_are_closed_from_outside_do_not_matter(void)
{
    scene_begin();
    sett_batch batch;
    sett_batch* b = sett_query_begin(s.all, &batch);
    CHECK(sett_batch_next(b));
    uint32_t row = b->rows != NULL ? b->rows[0] : 0;
    uint32_t index = sett_batch_index(b, row);
    *field(b, FIRST, row) = 5; /* is lost */
    sett_query_end_all(s.world);
    write_by_handle(FIRST, index, 6, 0);
    CHECK(!sett_batch_next(b));
    sett_batch_end(b);
    sett_entity_destroy(s.world, sett_entity_create(s.world));
    scene_end();
}

static void random_writes_in(uint32_t order)
{
    scene_begin_in(order);
    uint64_t random = check_setting("SETT_SEED", 20261122);
    for (uint32_t round = 0; round < 30; round++) {
        SETT_FOR(s.all, b, i) {
            uint32_t index = sett_batch_index(b, i);
            uint32_t type = chance_below(&random, TYPES);
            s.model[type][index] = *field(b, type, i) += 1;
            uint32_t other = chance_below(&random, ENTITIES);
            type = chance_below(&random, TYPES);
            CHECK_EQ(value_of(type, other), s.model[type][other]);
            write_by_handle(type, other, chance_below(&random, 1000), chance_below(&random, 4));
            if (chance_below(&random, 200) == 0) {
                SETT_FOR(s.second, c, j) {
                    uint32_t inner = sett_batch_index(c, j);
                    s.model[SECOND][inner] = *field(c, SECOND, j) += 2;
                    write_by_handle(SECOND, chance_below(&random, ENTITIES), round, 0);
                    if (chance_below(&random, 100) == 0) {
                        break;
                    }
                }
            }
            if (chance_below(&random, 500) == 0) {
                break;
            }
        }
        check_model();
    }
    scene_end();
}

static void random_writes_end_up_where_they_belong(void)
{
    for (uint32_t order = 0; order < ORDERS; order++) {
        random_writes_in(order);
    }
}

static void in_system(sett_context* c)
{
    SETT_SYSTEM_FOR(c, b, i) {
        uint32_t index = sett_batch_index(b, i);
        for (uint32_t type = 0; type < TYPES; type++) {
            s.model[type][index] = *field(b, type, i) += 1;
            write_by_handle(type, (index + 1) % ENTITIES, index, 0);
            CHECK_EQ(value_of(type, (index + 1) % ENTITIES), index);
        }
    }
}

static void leave_open_in_system(sett_context* c)
{
    sett_batch batch;
    sett_batch* b = sett_context_begin(c, &batch);
    CHECK(sett_batch_next(b));
}

static void systems_in(uint32_t order)
{
    scene_begin_in(order);
    sett_system_desc desc = {
        .name = "gathers",
        .run = in_system,
        .terms = {{.component = s.id[FIRST]},
                  {.component = s.id[SECOND]},
                  {.component = s.id[PLAIN]}},
        .access_any_inout = {s.id[FIRST], s.id[SECOND], s.id[PLAIN]},
    };
    sett_system* system = sett_system_create(s.world, &desc);
    CHECK_EQ(sett_system_run(system, 0), SETT_OK);
    check_model();
    desc.name = "leaves";
    desc.run = leave_open_in_system;
    sett_system* leaves = sett_system_create(s.world, &desc);
    CHECK_EQ(sett_system_run(leaves, 0), SETT_OK);
    write_by_handle(PLAIN, 3, 4, 0);
    CHECK_EQ(sett_progress(s.world, 0), SETT_OK);
    scene_end();
}

static void systems_too(void)
{
    for (uint32_t order = 0; order < ORDERS; order++) {
        systems_in(order);
    }
}

TEST_MAIN(TEST(a_write_by_handle_is_not_lost), TEST(rows_in_one_order_are_not_copied),
          TEST(rows_that_do_not_lie_on_one_page_are_copied),
          TEST(get_sees_what_the_loop_has_written), TEST(a_loop_that_is_left_writes_back),
          TEST(what_is_not_overwritten_stays), TEST(inner_loops_see_and_write_the_copies),
          TEST(loops_may_end_in_any_order), TEST(loops_that_are_closed_from_outside_do_not_matter),
          TEST(random_writes_end_up_where_they_belong), TEST(systems_too))

/* test_entity_table.c: the table of entities, against plain arrays; and what the next handles
 * follow from.
 *
 * SPDX-License-Identifier: MIT
 */
#include "chance.h"
#include "sett/state.h"
#include "worlds.h"

#include "world/world.h"

#define LIMIT 5000u               /* no multiple of a page */
#define WORDS ((LIMIT + 63) / 64) /* of free bits */

static uint64_t chance_state;

static uint32_t below(uint32_t limit)
{
    return chance_below(&chance_state, limit);
}

typedef enum life {
    LIFE_FREE,
    LIFE_ALIVE,
    LIFE_CLAIMED,
    LIFE_RETIRED,
} life;

static struct {
    setti_pool pool;
    setti_entity_table table;
    life life[LIMIT];
    uint32_t generation[LIMIT]; /* of the entity that lives there, or will next */
} run;

static uint32_t naive_next(life wanted, uint32_t from)
{
    while (from < LIMIT && run.life[from] != wanted) {
        from++;
    }
    return from < LIMIT ? from : SETTI_NONE;
}

/* The lowest free index of the range. */
static uint32_t naive_next_own(uint32_t from)
{
    uint32_t index = naive_next(LIFE_FREE, from);
    return index != SETTI_NONE && setti_entity_in_range(&run.table, index) ? index : SETTI_NONE;
}

static uint32_t naive_count(life wanted)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < LIMIT; k++) {
        count += run.life[k] == wanted;
    }
    return count;
}

static void expect_same(void)
{
    const setti_entity_table* table = &run.table;
    const char* reason = setti_entity_validate(table);
    CHECK_MSG(reason == NULL, "%s", reason);
    CHECK_EQ(table->count, naive_count(LIFE_ALIVE));
    CHECK_EQ(table->reserved, naive_count(LIFE_CLAIMED));
    CHECK_EQ(table->retired, naive_count(LIFE_RETIRED));
    uint32_t cursor = 0;
    uint32_t alive = SETTI_NONE;
    do { /* the walk over all */
        alive = naive_next(LIFE_ALIVE, alive + 1);
        CHECK_EQ(setti_entity_next(table, &cursor), alive);
    } while (alive != SETTI_NONE);
    for (uint32_t k = 0; k < 30; k++) {
        uint32_t index = below(LIMIT + 200);
        CHECK_EQ(setti_entity_next_free(table, index),
                 naive_next_own(SETTI_MAX(index, table->first * 64)));
        if (index < LIMIT) {
            CHECK_EQ(setti_entity_is_claimed(table, index), run.life[index] == LIFE_CLAIMED);
            CHECK_EQ(setti_entity_upcoming(table, index).generation,
                     run.life[index] == LIFE_RETIRED ? 0 : run.generation[index]);
            CHECK_EQ(!sett_is_null(setti_entity_at(table, index)), run.life[index] == LIFE_ALIVE);
        }
    }
}

static uint32_t some(life wanted)
{
    uint32_t index = naive_next(wanted, below(LIMIT));
    return index != SETTI_NONE ? index : naive_next(wanted, 0);
}

static void note_alive(sett_entity entity)
{
    CHECK(run.life[entity.index] == LIFE_FREE);
    CHECK_EQ(entity.generation, run.generation[entity.index]);
    run.life[entity.index] = LIFE_ALIVE;
}

static void create_one(void)
{
    uint32_t lowest = naive_next_own(run.table.first * 64);
    uint32_t from = 0;
    sett_status status = setti_entity_reserve(&run.pool, &run.table, &from, 1);
    CHECK_EQ(status, lowest != SETTI_NONE ? SETT_OK : SETT_STATUS_LIMIT);
    if (status == SETT_OK) {
        sett_entity entity = setti_entity_create(&run.pool, &run.table);
        CHECK_EQ(entity.index, lowest);
        note_alive(entity);
    }
}

/* As a creation in bulk: all reserved, then run by run. */
static void create_many(void)
{
    static sett_entity made[LIMIT];
    uint32_t start = below(2) == 0 ? 0 : below(LIMIT);
    uint32_t count = 1 + below(below(10) == 0 ? 1500 : 100);
    uint32_t there = 0;
    start = SETTI_MAX(start, run.table.first * 64);
    for (uint32_t k = start; k < setti_entity_end(&run.table); k++) {
        there += run.life[k] == LIFE_FREE;
    }
    uint32_t from = start;
    sett_status status = setti_entity_reserve(&run.pool, &run.table, &from, count);
    CHECK_EQ(status, there >= count ? SETT_OK : SETT_STATUS_LIMIT);
    for (uint32_t done = 0; status == SETT_OK && done < count;) {
        setti_entity_run next = setti_entity_next_run(&run.table, start, count - done);
        setti_entity_create_run(&run.pool, &run.table, next, 0, made);
        for (uint32_t k = 0; k < next.count; k++) {
            CHECK_EQ(made[k].index, naive_next(LIFE_FREE, start));
            note_alive(made[k]);
            start = made[k].index + 1;
        }
        done += next.count;
        CHECK(done == count || start == setti_entity_end(&run.table) ||
              run.life[start] != LIFE_FREE);
        CHECK(start <= from);
    }
}

static void destroy(uint32_t index)
{
    run.life[index] = LIFE_FREE;
    if (run.generation[index]++ == SETTI_GENERATION_MAX) {
        run.life[index] = LIFE_RETIRED;
    }
    setti_entity_destroy(&run.pool, &run.table, index);
}

static void destroy_some(void)
{
    uint32_t first = below(LIMIT);
    uint32_t count = 1 + below(below(4) == 0 ? 1500 : 20);
    for (uint32_t k = first; k < SETTI_MIN(first + count, LIMIT); k++) {
        if (run.life[k] == LIFE_ALIVE) {
            destroy(k);
        }
    }
}

static void claim(void)
{
    uint32_t index = some(LIFE_FREE);
    if (index != SETTI_NONE) {
        CHECK_EQ(setti_entity_reserve_index(&run.pool, &run.table, index), SETT_OK);
        CHECK_EQ(setti_entity_claim(&run.pool, &run.table, index).generation,
                 run.generation[index]);
        run.life[index] = LIFE_CLAIMED;
    }
}

static void create_claimed(void)
{
    uint32_t index = some(LIFE_CLAIMED);
    if (index != SETTI_NONE) {
        setti_entity_create_claimed(&run.pool, &run.table, index);
        run.life[index] = LIFE_ALIVE;
        if (below(3) == 0) { /* dropped */
            destroy(index);
        }
    }
}

static void move_range(void)
{
    uint32_t first = below(2) == 0 ? 0 : below(WORDS);
    uint32_t end = below(2) == 0 ? WORDS : first + 1 + below(WORDS - first);
    setti_entity_set_range(&run.table, first, end);
}

/* Outside of the range. A page of which nothing is left has no memory. */
static void forget(void)
{
    uint32_t first = below(LIMIT);
    uint32_t count = 1 + below(below(4) == 0 ? 2500 : 20);
    for (uint32_t k = first; k < SETTI_MIN(first + count, LIMIT); k++) {
        if (run.life[k] == LIFE_ALIVE && !setti_entity_in_range(&run.table, k)) {
            bool drops = true;
            run.life[k] = LIFE_FREE;
            run.generation[k] = 1;
            for (uint32_t n = k & ~SETTI_ENTITY_MASK; n <= (k | SETTI_ENTITY_MASK); n++) {
                drops = drops && n < LIMIT && run.life[n] == LIFE_FREE && run.generation[n] == 1;
            }
            setti_entity_forget(&run.pool, &run.table, k);
            CHECK_EQ(setti_entity_page_of(&run.table, k) == NULL, drops);
        }
    }
}

/* At a place of its own, in a later life; some in the last. */
static void create_at(void)
{
    uint32_t index = some(LIFE_FREE);
    if (index != SETTI_NONE) {
        uint32_t generation = run.generation[index];
        generation = below(4) == 0 ? SETTI_GENERATION_MAX : generation + below(3);
        generation = SETTI_MIN(generation, SETTI_GENERATION_MAX);
        CHECK_EQ(setti_entity_reserve_index(&run.pool, &run.table, index), SETT_OK);
        setti_entity_create_at(&run.pool, &run.table, (sett_entity){index, generation});
        run.life[index] = LIFE_ALIVE;
        run.generation[index] = generation;
    }
}

static void random_operations(void)
{
    chance_state = check_setting("SETT_SEED", 1);
    memset(&run, 0, sizeof(run));
    setti_pool_init(&run.pool, setti_allocator_or_default(NULL), false);
    setti_entity_init(&run.table, LIMIT);
    run.pool.tick = 1;
    for (uint32_t k = 0; k < LIMIT; k++) {
        run.generation[k] = 1;
    }
    static void (*const operation[])(void) = {create_one,   create_one, create_many, create_many,
                                              destroy_some, claim,      claim,       create_claimed,
                                              create_at,    move_range, forget,      forget};
    for (uint32_t k = 0; k < CHECK_ROUNDS(20000); k++) {
        operation[below(sizeof(operation) / sizeof(operation[0]))]();
        if (k % 16 == 0 || k < 200) {
            expect_same();
        }
    }
    CHECK(run.table.retired != 0 && run.table.pages.count == 5);
    /* From the generations alone; what is claimed is free then. */
    for (uint32_t k = 0; k < LIMIT; k++) {
        run.life[k] = run.life[k] == LIFE_CLAIMED ? LIFE_FREE : run.life[k];
    }
    run.table.reserved = 0;
    setti_entity_set_range(&run.table, 0, WORDS);
    setti_entity_rebuild(&run.table);
    expect_same();
    setti_entity_deinit(&run.pool, &run.table);
    CHECK_EQ(setti_entity_next_free(&run.table, 0), 0);
    setti_pool_deinit(&run.pool);
}

/* ---------------------------------------------------------------------------------------------- */

#define MANY 3000u

static void shuffle(sett_entity* e, uint32_t count)
{
    for (uint32_t k = count; k > 1; k--) {
        uint32_t other = below(k);
        sett_entity swap = e[k - 1];
        e[k - 1] = e[other];
        e[other] = swap;
    }
}

/* Whatever the order in which entities ended, the lowest free indices come next; in bulk too, where
 * they are one run. */
static void the_order_of_ends_does_not_matter(void)
{
    static sett_entity e[2][MANY];
    sett_world* world[2] = {quiet_world(), quiet_world()};
    chance_state = check_setting("SETT_SEED", 1);
    for (uint32_t w = 0; w < 2; w++) {
        CHECK_EQ(sett_entity_create_many(world[w], MANY, NULL, 0, NULL, e[w]), SETT_OK);
        if (w == 1) {
            shuffle(e[w], MANY);
        }
        for (uint32_t k = 0; k < MANY; k++) {
            if (e[w][k].index % 3 != 0 || e[w][k].index < 700) {
                CHECK_EQ(sett_entity_destroy(world[w], e[w][k]), SETT_OK);
            }
        }
        CHECK_EQ(sett_entity_create(world[w]).index, 0);
        CHECK_EQ(sett_entity_create_many(world[w], MANY, NULL, 0, NULL, e[w]), SETT_OK);
        CHECK_EQ(e[w][0].index, 1);
        for (uint32_t k = 1; k < MANY; k++) {
            CHECK(e[w][k].index > e[w][k - 1].index);
        }
    }
    CHECK(memcmp(e[0], e[1], sizeof(e[0])) == 0);
    CHECK_EQ(sett_world_hash(world[0]), sett_world_hash(world[1]));
    CHECK_END(world[0]);
    CHECK_END(world[1]);
}

/* A restore brings back which indices are free, also where whole pages come and go. */
static void restores_bring_back_free_indices(void)
{
    static sett_entity e[MANY];
    sett_world* world = quiet_world();
    sett_snapshot empty;
    sett_snapshot full;
    CHECK_EQ(sett_snapshot_take(world, &empty), SETT_OK);
    CHECK_EQ(sett_entity_create_many(world, MANY, NULL, 0, NULL, e), SETT_OK);
    CHECK_EQ(sett_snapshot_take(world, &full), SETT_OK);
    CHECK_EQ(sett_entity_destroy_many(world, e, MANY), SETT_OK);
    CHECK_EQ(sett_cmd_create(sett_commands_here(world)).index, 0); /* dropped by the restore */
    CHECK_EQ(sett_snapshot_restore(world, full), SETT_OK);
    CHECK_VALID(world);
    CHECK_EQ(sett_entity_create(world).index, MANY);
    CHECK_EQ(sett_snapshot_restore(world, empty), SETT_OK);
    CHECK_VALID(world);
    CHECK_ENTITY_EQ(sett_entity_create(world), ((sett_entity){0, 1}));
    CHECK_EQ(sett_snapshot_restore(world, full), SETT_OK);
    CHECK_VALID(world);
    CHECK_EQ(sett_entity_create(world).index, MANY);
    CHECK_END(world);
}

/* A copy in a world with another limit: indices beyond the other's limit are free here. */
static void copies_have_a_limit_of_their_own(void)
{
    sett_world* small =
        sett_world_create(&(sett_world_desc){.log_fn = sett_log_silent, .entity_limit = 100});
    sett_world* large = quiet_world();
    CHECK_EQ(sett_entity_create_many(small, 100, NULL, 0, NULL, NULL), SETT_OK);
    CHECK(sett_is_null(sett_entity_create(small)));
    CHECK_EQ(sett_entity_destroy(small, sett_entity_at(small, 50)), SETT_OK);
    CHECK_EQ(sett_cmd_create(sett_commands_here(small)).index, 50); /* not free, but free there */
    CHECK_EQ(sett_world_clone(small, large), SETT_OK);
    CHECK_VALID(large);
    CHECK_ENTITY_EQ(sett_entity_create(large), ((sett_entity){50, 2}));
    CHECK_EQ(sett_entity_create(large).index, 100);
    CHECK_END(small);
    CHECK_END(large);
}

static void a_million_empty_entities_are_small(void)
{
    sett_world* world = quiet_world();
    sett_stats stats;
    CHECK_EQ(sett_entity_create_many(world, 1u << 20, NULL, 0, NULL, NULL), SETT_OK);
    sett_world_stats(world, &stats);
    CHECK(stats.page_size <= 10u << 20);
    CHECK(stats.block_size - stats.free_size <= 10u << 20);
    sett_world_destroy(world);
}

TEST_MAIN(TEST(random_operations), TEST(the_order_of_ends_does_not_matter),
          TEST(restores_bring_back_free_indices), TEST(copies_have_a_limit_of_their_own),
          TEST(a_million_empty_entities_are_small))

/* test_loop_rare.c: loops over types that few of many entities have, which seek by the rarest one:
 * the rows, and their order, are those of the same loops without it, and those of a scan. Values
 * lie at random, in runs, and at the borders of words, steps and pages. */
#include "chance.h"
#include "worlds.h"

#include "query/query.h"

#define COUNT 100000u /* 98 steps of 1,024 rows: at most 49 values are rare */
#define QUERIES 7u

enum {
    ALL = 1, /* all entities have it */
    HALF,
    FEW,
    WIDE, /* 256 rows a page */
    MARK, /* a tag */
    MANY_MARKS,
    TYPES
};

typedef struct scene {
    sett_world* world;
    sett_query* query[QUERIES];
    const sett_system* system[QUERIES];
    uint64_t chance;
    uint32_t row[QUERIES][2 * COUNT]; /* what a loop has visited */
    uint32_t rows[QUERIES];
    uint32_t rare; /* loops that sought */
} scene;

static scene the_scene;

static const sett_term terms[QUERIES][3] = {
    {{.component = FEW}, {.component = ALL, .access = SETT_IN}},
    {{.component = ALL}, {.component = WIDE, .access = SETT_IN}},
    {{.component = HALF}, {.component = MARK, .access = SETT_IN}},
    {{.component = FEW}, {.component = MANY_MARKS, .access = SETT_IN}, {.component = HALF}},
    {{.component = FEW}},
    {{.component = ALL},
     {.component = FEW, .access = SETT_IN},
     {HALF, SETT_IN, SETT_OPTIONAL, .changed = false}},
    {{.component = WIDE}, {.component = MARK}, {HALF, SETT_IN, SETT_WITHOUT, .changed = false}},
};

static void note(scene* s, uint32_t query, const sett_batch* b)
{
    SETT_EACH(b, i) {
        s->row[query][s->rows[query]++] = sett_batch_entity(b, i).index;
    }
}

static void run_system(sett_context* context)
{
    uint32_t query = *(const uint32_t*)context->user;
    SETT_SYSTEM_EACH(context, b) {
        note(&the_scene, query, b);
    }
}

static void scene_begin(scene* s)
{
    static const sett_component_desc types[] = {
        {.name = "all", .size = 8}, {.name = "half", .size = 4},
        {.name = "few", .size = 4}, {.name = "wide", .size = 64},
        {.name = "mark"},           {.name = "marks"}};
    static uint32_t number[QUERIES];
    static const char* const names[QUERIES] = {"a", "b", "c", "d", "e", "f", "g"};
    s->world = quiet_world();
    s->chance = check_setting("SETT_SEED", 1);
    for (uint32_t k = 0; k + 1 < TYPES; k++) {
        CHECK_EQ(sett_component_register(s->world, &types[k]), k + 1);
    }
    CHECK_EQ(sett_schedule_configure(s->world, &(sett_schedule_desc){.job_limit = 7}), SETT_OK);
    for (uint32_t k = 0; k < QUERIES; k++) {
        sett_query_desc desc = {.name = names[k]};
        sett_system_desc system = {.name = names[k], .run = run_system, .user = &number[k]};
        number[k] = k;
        memcpy(desc.terms, terms[k], sizeof(terms[k]));
        memcpy(system.terms, terms[k], sizeof(terms[k]));
        s->query[k] = sett_query_create(s->world, &desc);
        s->system[k] = sett_system_create(s->world, &system);
        CHECK(s->query[k] != NULL && s->system[k] != NULL);
    }
    for (uint32_t k = 0; k < COUNT; k++) {
        sett_entity e = sett_entity_create(s->world);
        CHECK(sett_add(s->world, e, ALL) != NULL);
        if (chance_below(&s->chance, 2) != 0) {
            (void)sett_add(s->world, e, HALF);
            (void)sett_add(s->world, e, MANY_MARKS);
        }
    }
}

/* Another few entities have a type. */
static void scene_give(scene* s, sett_component id)
{
    static const uint32_t borders[] = {64, 256, 1024, 8192};
    CHECK_EQ(sett_component_clear(s->world, id), SETT_OK);
    uint32_t left = chance_below(&s->chance, 80); /* more than are rare, too */
    while (left != 0) {
        uint32_t border = borders[chance_below(&s->chance, 4)];
        uint32_t index = chance_below(&s->chance, COUNT);
        uint32_t run = 1;
        switch (chance_below(&s->chance, 4)) {
        case 0:
            run = 1 + chance_below(&s->chance, 70);
            break;
        case 1:
            index = index / border * border - 1;
            run = 1 + chance_below(&s->chance, 2);
            break;
        case 2:
            index = COUNT - 1 - chance_below(&s->chance, 3);
            break;
        default:
            break;
        }
        for (; run != 0 && left != 0; run--, left--, index++) {
            sett_entity e = sett_entity_at(s->world, index);
            if (!sett_is_null(e)) {
                (void)sett_add(s->world, e, id);
            }
        }
    }
}

/* Batches of a query with an optional term have it or not, so that a step is not in order. */
static void scene_check(scene* s, uint32_t k)
{
    static bool seen[COUNT];
    bool ordered = terms[k][2].kind != SETT_OPTIONAL;
    memset(seen, 0, sizeof(seen));
    for (uint32_t row = 0; row < s->rows[k]; row++) {
        uint32_t index = s->row[k][row];
        CHECK_MSG(index < COUNT && !seen[index], "query %u: index %u again", (unsigned)k,
                  (unsigned)index);
        CHECK(!ordered || row == 0 || index > s->row[k][row - 1]);
        seen[index] = true;
    }
    for (uint32_t index = 0; index < COUNT; index++) {
        sett_entity e = sett_entity_at(s->world, index);
        bool matches = !sett_is_null(e);
        for (uint32_t term = 0; matches && term < 3 && terms[k][term].component != 0; term++) {
            bool has = sett_has(s->world, e, terms[k][term].component);
            matches =
                terms[k][term].kind == SETT_OPTIONAL || has == (terms[k][term].kind == SETT_WITH);
        }
        CHECK_MSG(seen[index] == matches, "query %u: index %u", (unsigned)k, (unsigned)index);
    }
}

/* All loops, by queries or by systems. */
static void scene_run(scene* s, bool systems)
{
    memset(s->rows, 0, sizeof(s->rows));
    if (systems) {
        CHECK_EQ(sett_progress(s->world, 0), SETT_OK);
    }
    for (uint32_t k = 0; k < QUERIES; k++) {
        if (!systems) {
            SETT_QUERY_EACH(s->query[k], b) {
                note(s, k, b);
            }
        }
        s->rare += s->query[k]->lists.rare;
        scene_check(s, k);
    }
}

static void rare_loops_visit_what_others_do(void)
{
    scene* s = &the_scene;
    scene_begin(s);
    for (int round = 0; round < CHECK_ROUNDS(60); round++) {
        sett_component id = FEW + chance_below(&s->chance, 3);
        scene_give(s, id);
        for (int k = 0; k < 17;
             k += round % 2 == 0 ? 1 : 16) { /* counts are looked at now and then */
            scene_run(s, k % 4 == 1);
        }
        for (sett_query* query = setti_query_first(s->world); query != NULL; query = query->next) {
            query->lists.rare = false;
            query->lists.recalls = query->lists.step != NULL;
        }
        scene_run(s, round % 4 == 1);
    }
    CHECK(s->rare > 100);
    CHECK_END(s->world);
}

TEST_MAIN(TEST(rare_loops_visit_what_others_do))

/* test_signature.c: sets of types, interned: edges, reclaiming, and the warning when there are
 * too many. */
#include "sett/sett.h"
#include "worlds.h"

#include "base/platform.h"
#include "world/signature.h"

/* ---- The table alone ------------------------------------------------------------------------- */

static void table_begin(setti_pool* pool, setti_signature_table* table)
{
    setti_pool_init(pool, setti_allocator_or_default(NULL), false);
    memset(table, 0, sizeof(*table));
    table->free = SETTI_NONE;
}

static void the_same_set_has_the_same_number(void)
{
    setti_pool pool;
    setti_signature_table table;
    table_begin(&pool, &table);
    uint32_t a = setti_signature_toggle(&pool, &table, 0, 10, false);
    uint32_t ab = setti_signature_toggle(&pool, &table, a, 7, true);
    uint32_t b = setti_signature_toggle(&pool, &table, 0, 7, true);
    CHECK(a != 0 && b != 0 && ab != 0 && a != b && ab != a && ab != b);
    CHECK_EQ(setti_signature_toggle(&pool, &table, b, 10, false), ab);
    CHECK_EQ(setti_signature_toggle(&pool, &table, ab, 7, true), a);
    CHECK_EQ(setti_signature_toggle(&pool, &table, a, 10, false), 0);
    CHECK_EQ(setti_signature_toggle(&pool, &table, b, 7, true), 0);
    CHECK(setti_signature_has(&table, ab, 7) && setti_signature_has(&table, ab, 10));
    CHECK(!setti_signature_has(&table, ab, 8) && !setti_signature_has(&table, 0, 7));
    CHECK_EQ(table.record[ab].types[0], 7); /* ascending */
    CHECK_EQ(table.record[ab].hooked, 1);
    CHECK_EQ(table.record[a].hooked, 0);
    CHECK_EQ(setti_signature_count(&table), 4);
    CHECK(setti_signature_validate(&table) == NULL);
    setti_pool_deinit(&pool);
}

/* All subsets of twelve types, reached in many orders. */
static void every_way_to_a_set_meets(void)
{
    static uint32_t number[4096];
    setti_pool pool;
    setti_signature_table table;
    table_begin(&pool, &table);
    for (uint32_t set = 1; set < 4096; set++) {
        number[set] = UINT32_MAX;
        for (uint32_t type = 0; type < 12; type++) {
            if ((set >> type & 1) != 0) {
                uint32_t from = number[set & ~(1u << type)];
                uint32_t to = setti_signature_toggle(&pool, &table, from, (type + 1) * 1000, false);
                CHECK(number[set] == UINT32_MAX || number[set] == to);
                number[set] = to;
            }
        }
    }
    CHECK_EQ(setti_signature_count(&table), 4096);
    CHECK(setti_signature_validate(&table) == NULL);
    setti_pool_deinit(&pool);
}

static void sweeping_frees_what_is_not_marked(void)
{
    setti_pool pool;
    setti_signature_table table;
    table_begin(&pool, &table);
    uint32_t number[20] = {0};
    for (uint32_t k = 1; k < 20; k++) {
        number[k] = setti_signature_toggle(&pool, &table, number[k - 1], k, false);
    }
    for (uint32_t k = 1; k < 20; k += 2) {
        table.record[number[k]].mark = 1;
    }
    setti_signature_sweep(&pool, &table);
    CHECK_EQ(setti_signature_count(&table), 1 + 10);
    CHECK(setti_signature_validate(&table) == NULL);
    for (uint32_t k = 1; k < 20; k += 2) { /* what is left is found again, the rest made anew */
        CHECK(setti_signature_has(&table, number[k], k));
        uint32_t without = setti_signature_toggle(&pool, &table, number[k], k, false);
        CHECK_EQ(setti_signature_toggle(&pool, &table, without, k, false), number[k]);
        CHECK(k == 1 ||
              setti_signature_toggle(&pool, &table, without, k - 1, false) == number[k - 2]);
    }
    CHECK_EQ(setti_signature_count(&table), 20);
    CHECK_EQ(table.count, 20); /* the free records were used again */
    setti_pool_deinit(&pool);
}

static void validation_sees_a_broken_set(void)
{
    setti_pool pool;
    setti_signature_table table;
    table_begin(&pool, &table);
    uint32_t a = setti_signature_toggle(&pool, &table, 0, 1, false);
    uint32_t ab = setti_signature_toggle(&pool, &table, a, 2, false);
    table.record[ab].types[0] = 2;
    CHECK(setti_signature_validate(&table) != NULL);
    table.record[ab].types[0] = 1;
    table.record[ab].hooked = 3;
    CHECK(setti_signature_validate(&table) != NULL);
    setti_pool_deinit(&pool);
}

/* ---- In a world ------------------------------------------------------------------------------ */

#define TAGS 14

typedef struct scene {
    sett_world* world;
    sett_component tag[TAGS];
    sett_entity entity;
    uint32_t warnings;
    char warning[600];
} scene;

static void scene_log(void* user, sett_log_level level, const char* message)
{
    scene* s = user;
    if (level == SETT_LOG_WARNING) {
        s->warnings++;
        snprintf(s->warning, sizeof(s->warning), "%s", message);
    }
}

static void scene_begin(scene* s, uint32_t signature_warning, bool dont_fragment)
{
    memset(s, 0, sizeof(*s));
    sett_world_desc desc = {
        .log_fn = scene_log, .hook_user = s, .signature_warning = signature_warning};
    s->world = sett_world_create(&desc);
    for (uint32_t k = 0; k < TAGS; k++) {
        char name[16];
        snprintf(name, sizeof(name), "tag%u", k);
        s->tag[k] = sett_component_register(
            s->world, &(sett_component_desc){.name = name, .dont_fragment = dont_fragment});
    }
    s->entity = sett_entity_create(s->world);
}

static void scene_end(scene* s)
{
    CHECK_END(s->world);
}

/* Takes the entity through all sets of the tags, one toggle at a time. */
static void scene_all_sets(const scene* s, uint32_t tags)
{
    for (uint32_t n = 1; n < 1u << tags; n++) {
        uint32_t k = 0;
        while ((n >> k & 1) == 0) {
            k++;
        }
        if (sett_has(s->world, s->entity, s->tag[k])) {
            CHECK_EQ(sett_remove(s->world, s->entity, s->tag[k]), SETT_OK);
        } else {
            CHECK(sett_add(s->world, s->entity, s->tag[k]) != NULL);
        }
    }
}

static uint32_t scene_signatures(const scene* s)
{
    sett_stats stats;
    sett_world_stats(s->world, &stats);
    return stats.signatures;
}

static void sets_that_nobody_has_are_forgotten(void)
{
    scene s;
    scene_begin(&s, 0, false);
    CHECK_EQ(scene_signatures(&s), 1);
    scene_all_sets(&s, 10);
    CHECK_EQ(scene_signatures(&s), 1024);
    CHECK_EQ(sett_world_trim(s.world), SETT_OK);
    CHECK_EQ(scene_signatures(&s), 2); /* the empty one, and the entity's */
    CHECK(sett_has(s.world, s.entity, s.tag[9]));
    CHECK_EQ(sett_remove(s.world, s.entity, s.tag[9]), SETT_OK);
    scene_all_sets(&s, 10);
    scene_end(&s);
}

static void the_table_stays_small_by_itself(void)
{
    scene s;
    scene_begin(&s, 1u << 30, false);
    scene_all_sets(&s, 14);
    CHECK(scene_signatures(&s) <= 4096 + 2);
    CHECK_EQ(s.warnings, 0);
    scene_end(&s);
}

static void dont_fragment_types_make_no_sets(void)
{
    scene s;
    scene_begin(&s, 0, true);
    scene_all_sets(&s, 12);
    CHECK_EQ(scene_signatures(&s), 1);
    CHECK_EQ(sett_entity_components(s.world, s.entity, NULL, 0), 1);
    scene_end(&s);
}

static void too_many_sets_are_warned_about_by_name(void)
{
    scene s;
    scene_begin(&s, 200, false);
    sett_component always =
        sett_component_register(s.world, &(sett_component_desc){.name = "always"});
    sett_add(s.world, s.entity, always);
    scene_all_sets(&s, 7);
    CHECK_EQ(s.warnings, 0);
    scene_all_sets(&s, 9);
    CHECK_MSG(s.warnings >= 1 && s.warnings <= 3, "%u warnings", s.warnings);
    CHECK(strstr(s.warning, "tag0") != NULL && strstr(s.warning, "tag6") != NULL);
    CHECK(strstr(s.warning, "dont_fragment = true; candidates are in a quarter to "
                            "three quarters of the sets: \"tag") != NULL);
    CHECK_MSG(strstr(s.warning, "always") == NULL, "%s", s.warning);
    CHECK(strstr(s.warning, "tag13") == NULL);
    scene_end(&s);
}

TEST_MAIN(TEST(the_same_set_has_the_same_number), TEST(every_way_to_a_set_meets),
          TEST(sweeping_frees_what_is_not_marked), TEST(validation_sees_a_broken_set),
          TEST(sets_that_nobody_has_are_forgotten), TEST(the_table_stays_small_by_itself),
          TEST(dont_fragment_types_make_no_sets), TEST(too_many_sets_are_warned_about_by_name))

/* test_search_join.c: joins along so many links that searches load them ahead (find_prefetch), up
 * and down, against tables of the same links in plain arrays.
 *
 * SPDX-License-Identifier: MIT
 */
#include "chance.h"
#include "worlds.h"

#define ENTITIES 34000 /* so that the links of each relationship take more than 512 KB */
#define NONE UINT32_MAX
#define LINKS (ENTITIES * 2)

/* Links as arrays: of relation r, link k leads from source[r][k] to target[r][k]. */
enum {
    ONE,  /* exclusive, with data */
    SET,  /* exclusive, in a sparse set */
    MANY, /* many targets */
    TREE, /* the hierarchy */
    RELATIONS
};

static const char* const names[RELATIONS] = {"One", "Set", "Many", "Hierarchy"};

static struct {
    sett_world* world;
    sett_component relation[RELATIONS];
    sett_component few;
    sett_entity entity[ENTITIES];
    bool is_few[ENTITIES];
    uint32_t source[RELATIONS][LINKS];
    uint32_t target[RELATIONS][LINKS];
    uint32_t count[RELATIONS];
    uint32_t first[2][RELATIONS][ENTITIES]; /* up, down: the first link of an entity */
    uint32_t next[2][RELATIONS][LINKS];
} s;

static void link_up(uint32_t r, uint32_t source, uint32_t target)
{
    uint32_t k = s.count[r]++;
    s.source[r][k] = source;
    s.target[r][k] = target;
    s.next[0][r][k] = s.first[0][r][source];
    s.next[1][r][k] = s.first[1][r][target];
    s.first[0][r][source] = s.first[1][r][target] = k;
}

static void relate(uint32_t r, uint32_t source, uint32_t target)
{
    if (r == TREE) {
        CHECK_EQ(sett_hierarchy_attach(s.world, s.entity[source], s.entity[target]), SETT_OK);
    } else {
        CHECK(sett_relate(s.world, s.entity[source], s.relation[r], s.entity[target]) != NULL);
    }
    link_up(r, source, target);
}

static void begin(void)
{
    memset(&s, 0, sizeof(s));
    memset(s.first, 0xFF, sizeof(s.first));
    s.world = quiet_world();
    const sett_relationship_desc desc[TREE] = {
        {.name = names[ONE], .size = 16},
        {.name = names[SET], .size = 40, .storage = SETT_STORAGE_SPARSE_SET},
        {.name = names[MANY], .many = true},
    };
    for (uint32_t r = 0; r < TREE; r++) {
        s.relation[r] = sett_relationship_register(s.world, &desc[r]);
        CHECK(s.relation[r] != 0);
    }
    s.relation[TREE] = sett_hierarchy_register(s.world, NULL);
    s.few = sett_component_register(s.world, &(sett_component_desc){.name = "Few"});
    CHECK_EQ(sett_entity_create_many(s.world, ENTITIES, NULL, 0, NULL, s.entity), SETT_OK);
    uint64_t state = check_setting("SETT_SEED", 1);
    for (uint32_t k = 0; k < ENTITIES; k++) {
        s.is_few[k] = chance_below(&state, 12) == 0;
        if (s.is_few[k]) {
            CHECK(sett_add(s.world, s.entity[k], s.few) != NULL);
        }
        if (chance_below(&state, 8) != 0) {
            relate(ONE, k, chance_below(&state, ENTITIES));
        }
        if (chance_below(&state, 3) != 0) {
            relate(SET, k, chance_below(&state, ENTITIES));
        }
        if (k != 0 && chance_below(&state, 9) != 0) {
            relate(TREE, k, chance_below(&state, k));
        }
        uint32_t to = chance_below(&state, ENTITIES / 2);
        for (uint32_t left = chance_below(&state, 3); left != 0; left--) {
            relate(MANY, k, to);
            to += 1 + chance_below(&state, 7);
        }
    }
}

typedef struct sum {
    uint64_t rows, hash;
} sum;

/* Of rows in any order. */
static void sum_add(sum* to, uint32_t x, uint32_t y, uint32_t z)
{
    to->rows++;
    to->hash += chance_mix((uint64_t)x << 40 ^ (uint64_t)y << 20 ^ z);
}

/* Rows of Few(x), R(x, y), Q(y, z), each link up or down, the second optional or not. */
static sum join(uint32_t r, bool r_down, uint32_t q, bool q_down, bool optional)
{
    sum of = {0, 0};
    for (uint32_t x = 0; x < ENTITIES; x++) {
        uint32_t k = s.is_few[x] ? s.first[r_down][r][x] : NONE;
        for (; k != NONE; k = s.next[r_down][r][k]) {
            uint32_t y = r_down ? s.source[r][k] : s.target[r][k];
            uint32_t l = s.first[q_down][q][y];
            if (l == NONE && optional) {
                sum_add(&of, x, y, NONE);
            }
            for (; l != NONE; l = s.next[q_down][q][l]) {
                sum_add(&of, x, y, q_down ? s.source[q][l] : s.target[q][l]);
            }
        }
    }
    return of;
}

static uint32_t number_of(sett_entity entity)
{
    return sett_is_null(entity) ? NONE : entity.index - s.entity[0].index;
}

static sum find(sett_search* search)
{
    sum of = {0, 0};
    CHECK_MSG(search != NULL, "%s", sett_world_message(s.world));
    SETT_SEARCH(search, rows, i)
    {
        sum_add(&of, number_of(sett_rows_entity(rows, 0, i)),
                number_of(sett_rows_entity(rows, 1, i)), number_of(sett_rows_entity(rows, 2, i)));
    }
    return of;
}

static void large_joins_find_what_tables_say(void)
{
    begin();
    uint64_t rows = 0;
    for (uint32_t k = 0; k < RELATIONS * RELATIONS * 8; k++) {
        uint32_t r = k / 8 % RELATIONS;
        uint32_t q = k / 8 / RELATIONS;
        bool r_down = (k & 1) != 0;
        bool q_down = (k & 2) != 0;
        bool optional = (k & 4) != 0;
        char text[120];
        snprintf(text, sizeof(text), "Few($x), %s(%s), %s%s(%s)", names[r],
                 r_down ? "$y, $x" : "$x, $y", optional ? "?" : "", names[q],
                 q_down ? "$z, $y" : "$y, $z");
        sum expected = join(r, r_down, q, q_down, optional);
        sett_search* search = sett_search_create(s.world, text);
        sum found = find(search);
        CHECK_MSG(found.rows == expected.rows && found.hash == expected.hash,
                  "%s: %llu rows, expected %llu", text, (unsigned long long)found.rows,
                  (unsigned long long)expected.rows);
        CHECK_EQ(sett_search_destroy(search), SETT_OK);
        rows += found.rows;
    }
    CHECK(rows > 5 * ENTITIES);
    CHECK_END(s.world);
}

TEST_MAIN(TEST(large_joins_find_what_tables_say))

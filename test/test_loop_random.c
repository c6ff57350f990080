/* test_loop_random.c: loops over the same queries, again and again, while anything happens to the
 * world in between: structural changes, restores, clones, conversions, sorting, groups, layouts
 * that arrange themselves. Each loop visits what a scan of all entities finds, with the values that
 * these entities have, whatever the query remembers of its rows (rows.c).
 *
 *     SETT_SEED=7 SETT_OPERATIONS=100000 build/dev/test/test_loop_random
 */
#include "chance.h"
#include "sett/layout.h"
#include "worlds.h"

#include "query/query.h"

#define QUERIES 8u
#define INDICES 8192u
#define MOST 7000u /* entities */
#define HELD 3u

enum {
    NONE,
    SMALL,
    WIDE, /* 256 rows a page: steps are shorter */
    OFTEN,
    SWITCHED,
    MARK,
    GONE,
    TYPES
};

static const uint32_t percent[TYPES] = {0, 4, 9, 80, 12, 20, 5};

/* What each query asks for. */
static const sett_term terms[QUERIES][4] = {
    {{OFTEN, SETT_IN, SETT_WITH, .changed = false}, {SMALL, SETT_IN, SETT_WITH, .changed = false}},
    {{.component = SMALL, .access = SETT_IN}},
    {{.component = WIDE, .access = SETT_IN}, {.component = OFTEN, .access = SETT_IN}},
    {{.component = OFTEN, .access = SETT_IN},
     {.component = SMALL},
     {.component = WIDE},
     {.component = MARK}},
    {{.component = OFTEN}, {.component = SMALL, .kind = SETT_WITHOUT}},
    {{.component = SWITCHED}, {.component = OFTEN, .access = SETT_IN}},
    {{.component = MARK}, {.component = GONE, .kind = SETT_WITHOUT}},
    {{.component = WIDE}, {.component = SWITCHED, .kind = SETT_OPTIONAL, .access = SETT_IN}},
};

typedef struct scene {
    sett_world* world;
    sett_world* copy; /* what the world is cloned to, and from */
    sett_query* query[QUERIES];
    sett_snapshot held[HELD];
    bool holds[HELD];
    sett_group* group;
    uint64_t chance;
    uint64_t remembered; /* loops over a query with lists */
    uint64_t rows;
    bool copied;
    unsigned char seen[INDICES];
} scene;

static sett_world* scene_world(void)
{
    static const sett_component_desc types[] = {
        {.name = "small", .size = 4},
        {.name = "wide", .size = 64},
        {.name = "often", .size = 8},
        {.name = "switched", .size = 4, .can_disable = true},
        {.name = "mark"},
        {.name = "gone", .storage = SETT_STORAGE_SPARSE_SET},
    };
    sett_world* world = quiet_world();
    for (sett_component id = SMALL; id < TYPES; id++) {
        /* `switched` registers its switch, too: the numbers are ours up to there */
        sett_component made = sett_component_register(world, &types[id - 1]);
        CHECK(made >= id);
    }
    return world;
}

static uint32_t scene_below(scene* s, uint32_t limit)
{
    return chance_below(&s->chance, limit);
}

static sett_component scene_type(const scene* s, sett_component number)
{
    static const char* const names[TYPES] = {"",         "small", "wide", "often",
                                             "switched", "mark",  "gone"};
    return sett_component_find(s->world, names[number]);
}

static void scene_add(scene* s, sett_entity e, sett_component number)
{
    sett_component id = scene_type(s, number);
    uint32_t* value = sett_has(s->world, e, id) ? NULL : sett_add(s->world, e, id);
    if (value != NULL && number <= SWITCHED) {
        *value = e.index ^ number;
    }
}

static void scene_draw(scene* s, sett_entity e, sett_component number)
{
    if (scene_below(s, 100) < percent[number]) {
        scene_add(s, e, number);
    } else {
        CHECK(sett_remove(s->world, e, scene_type(s, number)) != SETT_STATUS_LOCKED);
    }
}

static void scene_create(scene* s, uint32_t count)
{
    for (; count > 0 && sett_entity_count(s->world) < MOST; count--) {
        sett_entity e = sett_entity_create(s->world);
        for (sett_component number = SMALL; number < TYPES; number++) {
            scene_draw(s, e, number);
        }
    }
}

static void scene_change_entities(scene* s, uint32_t how)
{
    uint32_t count = scene_below(s, how == 0 ? 2000 : 20);
    sett_component number = SMALL + scene_below(s, TYPES - SMALL);
    uint32_t at = scene_below(s, MOST);
    for (; count > 0; count--) {
        at = how == 1 ? at + 1 : scene_below(s, MOST);
        sett_entity e = entity_from(s->world, at);
        if (sett_is_null(e)) {
            return;
        }
        switch (how) {
        case 2:
            CHECK_EQ(sett_entity_destroy(s->world, e), SETT_OK);
            break;
        case 3:
            (void)sett_enable(s->world, e, scene_type(s, SWITCHED), scene_below(s, 2) == 0);
            break;
        case 4:
            (void)sett_add(s->world, e, sett_disabled_tag(s->world));
            break;
        case 5:
            (void)sett_remove(s->world, e, sett_disabled_tag(s->world));
            break;
        default:
            scene_draw(s, e, number);
            break;
        }
    }
}

static void scene_drop(scene* s)
{
    sett_snapshot_drop_all(s->world);
    memset(s->holds, 0, sizeof(s->holds));
}

static void scene_snapshot(scene* s, uint32_t slot, bool restore)
{
    if (!s->holds[slot]) {
        s->holds[slot] = true;
        CHECK_EQ(sett_snapshot_take(s->world, &s->held[slot]), SETT_OK);
    } else if (restore) {
        CHECK_EQ(sett_snapshot_restore(s->world, s->held[slot]), SETT_OK);
    } else {
        CHECK_EQ(sett_snapshot_drop(s->world, s->held[slot]), SETT_OK);
        s->holds[slot] = false;
    }
}

/* Both ways; the copy gets the storages first, which must be alike. */
static void scene_clone(scene* s)
{
    bool back = s->copied && scene_below(s, 2) == 0;
    sett_world* from = back ? s->copy : s->world;
    sett_world* into = back ? s->world : s->copy;
    scene_drop(s);
    for (sett_component number = SMALL; number < TYPES; number++) {
        sett_component id = scene_type(s, number);
        (void)sett_component_convert(into, id, setti_world_type(from, id)->storage.kind);
    }
    sett_status status = sett_world_clone(from, into);
    CHECK(status == SETT_OK || s->group != NULL); /* which owns a type that is in an array there */
    s->copied |= status == SETT_OK;
}

static void scene_group(scene* s)
{
    if (s->group != NULL) {
        if (sett_group_destroy(s->group) == SETT_OK) { /* not while snapshots are held */
            s->group = NULL;
        }
        return;
    }
    sett_component a = scene_type(s, SMALL + scene_below(s, 3));
    sett_component b = scene_type(s, MARK);
    (void)sett_component_convert(s->world, a, SETT_STORAGE_SPARSE_SET);
    s->group = sett_group_create(s->world, &(sett_group_desc){.owned = {a}, .with = {b}});
}

static void scene_arrange(scene* s, uint32_t how)
{
    sett_component id = scene_type(s, SMALL + scene_below(s, 4));
    switch (how) {
    case 0:
        (void)sett_component_convert(s->world, id, SETT_STORAGE_SPARSE_SET);
        break;
    case 1:
    case 2:
        (void)sett_component_convert(s->world, id, SETT_STORAGE_ARRAY);
        break;
    case 3:
        (void)sett_sort(s->world, &(sett_sort_desc){.component = id,
                                                    .key = SETT_KEY_U32,
                                                    .reverse = scene_below(s, 2) == 0});
        break;
    case 4:
        scene_group(s);
        break;
    case 5:
        CHECK_EQ(sett_layout_auto(s->world, scene_below(s, 2) * 1000000), SETT_OK);
        break;
    case 6:
        CHECK_EQ(sett_world_trim(s->world), SETT_OK);
        break;
    default:
        (void)sett_component_clear(s->world, id);
        break;
    }
}

static void scene_change(scene* s)
{
    uint32_t how = scene_below(s, 40);
    if (how < 12) {
        scene_change_entities(s, how % 6);
    } else if (how < 16) {
        scene_create(s, scene_below(s, how == 12 ? 3000 : 30));
    } else if (how < 22) {
        scene_snapshot(s, scene_below(s, HELD), scene_below(s, 4) != 0);
    } else if (how == 22) {
        scene_clone(s);
    } else if (how == 23) {
        scene_drop(s);
    } else if (how < 32) {
        scene_arrange(s, scene_below(s, 16) % 9);
    }
    (void)sett_layout_step(s->world, 1000000); /* nothing, where it is switched off */
}

/* -------------------------------------------------------------------------------- what is seen */

/* Whether the query asks for this entity: by the calls that ask of one. */
static bool scene_matches(const scene* s, const sett_term* of, const sett_component* ids,
                          sett_entity e)
{
    bool matches = !sett_has(s->world, e, sett_disabled_tag(s->world));
    for (uint32_t k = 0; matches && k < 4 && of[k].component != 0; k++) {
        bool has = sett_has(s->world, e, ids[k]) &&
                   (of[k].component != SWITCHED || sett_is_enabled(s->world, e, ids[k]));
        matches = of[k].kind == SETT_OPTIONAL || has == (of[k].kind == SETT_WITH);
    }
    return matches;
}

static void scene_see(scene* s, uint32_t q, const sett_batch* b, uint32_t row)
{
    sett_entity e = sett_batch_entity(b, row);
    CHECK(e.index < INDICES && s->seen[e.index] == 0);
    s->seen[e.index] = 1;
    s->rows++;
    for (uint32_t k = 0; k < 4 && terms[q][k].component != 0; k++) {
        if (terms[q][k].component > SWITCHED || terms[q][k].kind == SETT_WITHOUT) {
            continue;
        }
        const uint32_t* field = sett_batch_field(b, k);
        const uint32_t* value = sett_batch_at(b, k, row);
        size_t step = terms[q][k].component == WIDE ? 16 : terms[q][k].component == OFTEN ? 2 : 1;
        uint32_t wanted = e.index ^ terms[q][k].component;
        CHECK(value == NULL || *value == wanted);
        CHECK(field == NULL || field[row * step] == wanted);
    }
}

static void scene_loop(scene* s, uint32_t q)
{
    sett_component ids[4] = {0};
    for (uint32_t k = 0; k < 4 && terms[q][k].component != 0; k++) {
        ids[k] = scene_type(s, terms[q][k].component);
    }
    memset(s->seen, 0, sizeof(s->seen));
    s->remembered += s->query[q]->lists.step != NULL;
    SETT_FOR(s->query[q], b, row) {
        scene_see(s, q, b, row);
    }
    uint32_t cursor = 0;
    uint32_t expected = 0;
    for (sett_entity e; e = sett_entity_next(s->world, &cursor), !sett_is_null(e);) {
        bool matches = scene_matches(s, terms[q], ids, e);
        CHECK_MSG(s->seen[e.index] == matches, "query %u, entity %u", (unsigned)q,
                  (unsigned)e.index);
        expected += matches;
    }
    CHECK_EQ(sett_query_count(s->query[q]), expected);
}

static void loops_visit_what_is_there(void)
{
    static scene the_scene;
    scene* s = &the_scene;
    uint64_t count = check_setting("SETT_OPERATIONS", CHECK_ROUNDS(3000));
    memset(s, 0, sizeof(*s));
    s->chance = check_setting("SETT_SEED", 1);
    s->world = scene_world();
    s->copy = scene_world();
    for (uint32_t q = 0; q < QUERIES; q++) {
        sett_query_desc desc = {.name = "q"};
        for (uint32_t k = 0; k < 4; k++) {
            desc.terms[k] = terms[q][k];
            desc.terms[k].component =
                terms[q][k].component != 0 ? scene_type(s, terms[q][k].component) : 0;
        }
        s->query[q] = sett_query_create(s->world, &desc);
        CHECK(s->query[q] != NULL);
    }
    scene_create(s, 5000);
    for (uint64_t k = 0; k < count; k++) {
        scene_change(s);
        for (uint32_t n = 0; n < 3; n++) {
            scene_loop(s, scene_below(s, QUERIES));
        }
        if (k % 16 == 0) {
            CHECK_VALID(s->world);
        }
        check_print(k, count);
    }
    CHECK(s->remembered > count / 4);
    CHECK(s->rows > count * 100);
    scene_drop(s);
    CHECK_END(s->copy);
    CHECK_END(s->world);
}

TEST_MAIN(TEST(loops_visit_what_is_there))

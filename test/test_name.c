/* test_name.c: names, unique among siblings, found by path, whatever happens to the tree. */
#include "chance.h"
#include "check.h"
#include "sett/hierarchy.h"
#include "sett/json.h"
#include "sett/name.h"
#include "sett/observer.h"
#include "sett/prefab.h"
#include "sett/sett.h"
#include "states.h"

#include "relation/name.h"

static sett_entity named(sett_world* world, sett_entity parent, const char* name)
{
    sett_entity e = sett_entity_create(world);
    if (!sett_is_null(parent)) {
        CHECK_EQ(sett_hierarchy_attach(world, e, parent), SETT_OK);
    }
    CHECK_EQ(sett_name_set(world, e, name), SETT_OK);
    return e;
}

static void expect_path(sett_world* world, const char* path, sett_entity entity)
{
    CHECK(sett_equals(sett_name_lookup(world, sett_null(), path), entity));
    if (!sett_is_null(entity)) {
        char text[64];
        CHECK_EQ(sett_name_path(world, entity, text, sizeof(text)), strlen(path));
        CHECK_STR_EQ(text, path);
    }
}

static void creates_what_a_path_lacks(void)
{
    sett_world* world = quiet_world();
    sett_entity none = sett_null();
    sett_entity level = named(world, none, "level");
    sett_entity door = sett_name_ensure(world, none, "level/map01/door");
    CHECK_EQ(sett_entity_count(world), 3);
    expect_path(world, "level/map01/door", door);
    CHECK_ENTITY_EQ(sett_hierarchy_root(world, door), level);
    CHECK_ENTITY_EQ(sett_name_ensure(world, none, "/level/map01/door"), door);
    CHECK_ENTITY_EQ(sett_name_ensure(world, sett_hierarchy_parent(world, door), "door"), door);
    CHECK_EQ(sett_entity_count(world), 3);
    sett_entity other = sett_name_ensure(world, door, "/other");
    expect_path(world, "other", other);
    const char* wrong[] = {"", "/", "a//b", "a/b/", "//a"};
    for (uint32_t k = 0; k < 5; k++) {
        CHECK(sett_is_null(sett_name_ensure(world, none, wrong[k])));
        CHECK_EQ(sett_world_error(world), SETT_STATUS_ARGUMENT);
        CHECK_EQ(sett_entity_count(world), 4);
    }
    char large[SETT_NAME_MAX + 4] = "b/";
    memset(large + 2, 'x', SETT_NAME_MAX + 1);
    CHECK(sett_is_null(sett_name_ensure(world, none, large)));
    CHECK_EQ(sett_entity_count(world), 4);
    CHECK_EQ(sett_entity_destroy(world, other), SETT_OK);
    CHECK(sett_is_null(sett_name_ensure(world, other, "a")));
    CHECK_EQ(sett_world_error(world), SETT_STATUS_STALE);
    CHECK(sett_is_null(sett_name_ensure(world, none, NULL)));
    CHECK_END(world);
}

static void finds_by_path(void)
{
    sett_world* world = quiet_world();
    sett_entity none = sett_null();
    CHECK(sett_is_null(sett_name_lookup(world, none, "level")));
    sett_entity level = named(world, none, "level");
    sett_entity map = named(world, level, "map01");
    sett_entity door = named(world, map, "door");
    sett_entity other = named(world, named(world, level, "map02"), "door");
    expect_path(world, "level", level);
    expect_path(world, "level/map01", map);
    expect_path(world, "level/map01/door", door);
    expect_path(world, "level/map02/door", other);
    expect_path(world, "door", none);
    expect_path(world, "level/door", none);
    expect_path(world, "level/map01/door/door", none);
    expect_path(world, "", none);
    expect_path(world, "level//map01", none);
    expect_path(world, "level/", none);
    expect_path(world, "//level", none);
    CHECK(sett_equals(sett_name_lookup(world, map, "door"), door));
    CHECK(sett_equals(sett_name_lookup(world, map, "/level/map02/door"), other));
    CHECK(sett_equals(sett_name_lookup(world, none, "/level"), level));
    CHECK(sett_equals(sett_name_find(world, map, "door"), door));
    CHECK(sett_equals(sett_name_find(world, none, "level"), level));
    CHECK(sett_is_null(sett_name_find(world, none, "level/map01")));
    CHECK(sett_is_null(sett_name_find(world, map, "")));
    CHECK(sett_is_null(sett_name_lookup(world, (sett_entity){map.index, 9}, "door")));
    CHECK_STR_EQ(sett_name_get(world, door), "door");
    CHECK(sett_name_get(world, none) == NULL);
    CHECK_END(world);
}

static void walks_all_of_a_name(void)
{
    sett_world* world = quiet_world();
    uint32_t cursor = 0;
    CHECK(sett_is_null(sett_name_next(world, "door", &cursor)));
    sett_entity doors[40];
    for (uint32_t k = 0; k < 40; k++) {
        char text[16];
        snprintf(text, sizeof(text), "map%u", k);
        doors[k] = named(world, named(world, sett_null(), text), "door");
    }
    uint32_t count = 0;
    cursor = 0;
    for (sett_entity e; e = sett_name_next(world, "door", &cursor), !sett_is_null(e); count++) {
        CHECK(count < 40 && sett_equals(e, doors[count]));
    }
    CHECK_EQ(count, 40);
    cursor = 0;
    CHECK(sett_is_null(sett_name_next(world, "window", &cursor)));
    sett_world_destroy(world);
}

static void is_a_component_like_any_other(void)
{
    sett_world* world = quiet_world();
    CHECK(sett_component_name(world, SETT_ID_NAME) == NULL);
    CHECK_EQ(sett_name_register(world), SETT_ID_NAME);
    CHECK_EQ(sett_name_register(world), SETT_ID_NAME);
    CHECK_STR_EQ(sett_component_name(world, SETT_ID_NAME), "Name");
    sett_entity a = named(world, sett_null(), "a");
    CHECK(sett_has(world, a, SETT_ID_NAME));
    CHECK_EQ(sett_component_count(world, SETT_ID_NAME), 1);
    CHECK_EQ(sett_remove(world, a, SETT_ID_NAME), SETT_OK);
    CHECK(!sett_has(world, a, SETT_ID_NAME) && sett_name_get(world, a) == NULL);
    sett_entity b = named(world, sett_null(), "a");
    CHECK_EQ(sett_remove(world, b, SETT_ID_NAME), SETT_OK);
    CHECK_VALID(world);
    CHECK(sett_add(world, b, SETT_ID_NAME) != NULL); /* no name yet */
    CHECK(sett_name_get(world, b) == NULL);
    CHECK_EQ(sett_name_set(world, b, "a"), SETT_OK);
    CHECK_EQ(sett_component_clear(world, SETT_ID_NAME), SETT_OK);
    expect_path(world, "a", sett_null());
    CHECK_END(world);

    world = quiet_world(); /* a type of that name which is something else */
    CHECK(sett_component_register(world, &(sett_component_desc){.name = "Name"}) != 0);
    CHECK_EQ(sett_name_set(world, sett_entity_create(world), "a"), SETT_STATUS_CONFLICT);
    sett_world_destroy(world);
}

static void rejects_what_is_no_name(void)
{
    sett_world* world = quiet_world();
    sett_entity e = sett_entity_create(world);
    static char text[SETT_NAME_MAX + 2];
    memset(text, 'n', sizeof(text) - 1);
    CHECK_EQ(sett_name_set(world, e, text), SETT_STATUS_ARGUMENT);
    text[SETT_NAME_MAX] = '\0';
    CHECK_EQ(sett_name_set(world, e, text), SETT_OK);
    CHECK_STR_EQ(sett_name_get(world, e), text);
    CHECK_EQ(sett_name_set(world, e, ""), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_name_set(world, e, NULL), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_name_set(world, e, "a/b"), SETT_STATUS_ARGUMENT);
    CHECK_STR_EQ(sett_world_message(world),
                 "sett_name_set: the name \"a/b\" contains '/', which separates the names of a "
                 "path - leave out the '/'");
    CHECK_EQ(sett_name_set(world, sett_null(), "a"), SETT_STATUS_STALE);
    CHECK_STR_EQ(sett_name_get(world, e), text);
    sett_entity fresh = sett_entity_create(world);
    sett_query* query = sett_query_create(world, &(sett_query_desc){.name = "all"});
    SETT_QUERY_EACH(query, b) {
        CHECK_EQ(sett_name_set(world, fresh, "x"), SETT_STATUS_LOCKED);
        CHECK_EQ(sett_remove(world, e, SETT_ID_NAME), SETT_STATUS_LOCKED);
        CHECK_EQ(sett_name_set(world, e, "y"), SETT_OK); /* a value */
    }
    expect_path(world, "y", e);
    CHECK_END(world);
}

/* By every call that takes a name. */
static void rejects_what_leads_elsewhere(void)
{
    static const char* const names[] = {".", "..", "#0", "#7", "#4294967294", "a/b", ""};
    sett_world* world = quiet_world();
    sett_entity e = sett_entity_create(world);
    for (uint32_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
        sett_instantiate_desc desc = {.prefab = e, .name = names[k]};
        CHECK_EQ(sett_name_set(world, e, names[k]), SETT_STATUS_ARGUMENT);
        CHECK_EQ(sett_cmd_name_set(sett_commands_here(world), e, names[k]), SETT_STATUS_ARGUMENT);
        CHECK(sett_is_null(sett_instantiate_with(world, &desc)));
        char text[128];
        snprintf(text, sizeof(text), "{\"entities\": [{\"name\": \"%s\"}]}", names[k]);
        CHECK(sett_json_read(world, text, strlen(text), NULL, NULL) != SETT_OK);
        if (strcmp(names[k], "..") != 0 && strcmp(names[k], "#0") != 0 && k < 5) {
            CHECK(sett_is_null(sett_name_ensure(world, sett_null(), names[k])));
        }
        CHECK_EQ(sett_entity_count(world), 1);
    }
    static const char* const good[] = {"...", ".a", "#", "#x", "#01", "#4294967295", "#1 ", "a#1"};
    for (uint32_t k = 0; k < sizeof(good) / sizeof(good[0]); k++) {
        CHECK_EQ(sett_name_set(world, e, good[k]), SETT_OK);
        expect_path(world, good[k], e);
    }
    CHECK_END(world);
}

/* Whatever is named or not on the way: a path that was written leads back. */
static void written_paths_lead_back(void)
{
    for (uint32_t names = 0; names < 2; names++) { /* 0: in a world without any name */
        sett_world* world = quiet_world();
        sett_entity e[64];
        uint64_t state = check_setting("SETT_SEED", 1);
        for (uint32_t k = 0; k < 64; k++) {
            e[k] = sett_entity_create(world);
            uint32_t parent = chance_below(&state, k + 2);
            if (parent < k) {
                CHECK_EQ(sett_hierarchy_attach(world, e[k], e[parent]), SETT_OK);
            }
            if (names != 0 && chance_below(&state, 2) != 0) {
                char name[16];
                snprintf(name, sizeof(name), "%s%u", k % 3 != 0 ? "n" : "#n", (unsigned)k);
                CHECK_EQ(sett_name_set(world, e[k], name), SETT_OK);
            }
        }
        for (uint32_t k = 0; k < 64; k++) {
            char path[512] = "/";
            CHECK(sett_name_path(world, e[k], path + 1, sizeof(path) - 1) < sizeof(path) - 1);
            CHECK_ENTITY_EQ(sett_name_lookup(world, sett_null(), path + 1), e[k]);
            CHECK_ENTITY_EQ(sett_name_lookup(world, e[0], path), e[k]);
            CHECK_ENTITY_EQ(sett_name_ensure(world, sett_null(), path), e[k]);
        }
        sett_entity parent = sett_null();
        for (uint32_t k = 1; k < 64 && sett_is_null(parent); k++) {
            parent = sett_hierarchy_parent(world, e[k]);
        }
        /* a child is no root, a destroyed one is none */
        char number[16];
        snprintf(number, sizeof(number), "#%u",
                 (unsigned)sett_hierarchy_first(world, parent).index);
        CHECK(sett_is_null(sett_name_lookup(world, sett_null(), number)));
        CHECK_ENTITY_EQ(sett_name_lookup(world, parent, number),
                        sett_hierarchy_first(world, parent));
        CHECK_EQ(sett_hierarchy_destroy_children(world, parent), SETT_OK);
        CHECK(sett_is_null(sett_name_lookup(world, parent, number)));
        CHECK(sett_is_null(sett_name_lookup(world, sett_null(), "#4294967294")));
        CHECK_EQ(sett_entity_count(world) < 64, true);
        CHECK_END(world);
    }
}

static void is_unique_among_siblings(void)
{
    sett_world* world = quiet_world();
    sett_entity none = sett_null();
    sett_entity a = named(world, none, "a");
    sett_entity b = named(world, none, "b");
    sett_entity x = named(world, a, "x");
    sett_entity y = named(world, b, "x");
    sett_entity z = named(world, b, "a");
    CHECK_EQ(sett_name_set(world, b, "a"), SETT_STATUS_CONFLICT);
    CHECK_STR_EQ(sett_world_message(world),
                 "sett_name_set: entity 1:1 cannot be called \"a\": sibling 0:1 has this name - "
                 "choose another name");
    CHECK_EQ(sett_name_set(world, a, "a"), SETT_OK);
    CHECK_EQ(sett_hierarchy_attach(world, y, a), SETT_STATUS_CONFLICT);
    CHECK_STR_EQ(
        sett_world_message(world),
        "sett_hierarchy_attach: entity 3:1 cannot be called \"x\": sibling 2:1 has this name - "
        "choose another name");
    CHECK_EQ(sett_hierarchy_insert_before(world, y, x), SETT_STATUS_CONFLICT);
    CHECK_EQ(sett_hierarchy_insert_before(world, y, z), SETT_OK); /* among its own */
    CHECK_EQ(sett_hierarchy_attach(world, y, b), SETT_OK);
    CHECK_EQ(sett_hierarchy_detach(world, z), SETT_STATUS_CONFLICT);
    expect_path(world, "b/x", y);
    expect_path(world, "b/a", z);
    CHECK_VALID(world);
    CHECK_EQ(sett_name_set(world, a, "c"), SETT_OK);
    CHECK_EQ(sett_hierarchy_detach(world, z), SETT_OK);
    expect_path(world, "a", z);
    expect_path(world, "b/a", none);
    expect_path(world, "c/x", x);
    CHECK_EQ(sett_hierarchy_attach(world, b, x), SETT_OK);
    expect_path(world, "c/x/b/x", y);
    CHECK_EQ(sett_hierarchy_detach(world, y), SETT_OK);
    expect_path(world, "x", y);
    CHECK_VALID(world);
    sett_entity fresh = sett_entity_create(world);
    CHECK_EQ(sett_name_set(world, fresh, "first"), SETT_OK);
    CHECK_EQ(sett_hierarchy_attach(world, fresh, a), SETT_OK);
    expect_path(world, "c/first", fresh);
    expect_path(world, "first", none);
    CHECK_END(world);
}

/* Ends of parents cannot be rejected for the sake of a name: who comes free and finds its name
 * taken
 * loses it. */
static void loses_a_name_that_is_taken(void)
{
    for (uint32_t how = 0; how < 3; how++) {
        sett_world* world = quiet_world();
        sett_entity none = sett_null();
        if (how == 2) { /* names are set before links, and after them */
            CHECK(sett_name_register(world) != 0);
        }
        sett_component id = sett_hierarchy_register(world, NULL);
        sett_entity p = named(world, none, "p");
        sett_entity q = named(world, p, "q");
        sett_entity a = named(world, q, "a");
        sett_entity free = named(world, q, "free");
        sett_entity root = named(world, none, "a");
        CHECK_EQ(sett_hierarchy_set_policy(world, q, SETT_CHILDREN_DETACH), SETT_OK);
        CHECK_EQ(how == 0 ? sett_remove(world, q, id) : sett_entity_destroy(world, p), SETT_OK);
        CHECK(sett_entity_valid(world, a));
        CHECK(sett_name_get(world, a) == NULL && sett_has(world, a, SETT_ID_NAME));
        expect_path(world, "a", root);
        expect_path(world, "free", free);
        if (how == 0) {
            expect_path(world, "q", q);
        }
        CHECK_VALID(world);
        CHECK_EQ(sett_entity_clear(world, free), SETT_OK);
        expect_path(world, "free", none);
        CHECK_EQ(sett_world_clear(world), SETT_OK);
        expect_path(world, "a", none);
        CHECK_END(world);
    }
}

static void writes_paths(void)
{
    sett_world* world = quiet_world();
    sett_entity e = sett_entity_create(world);
    char text[8];
    CHECK_EQ(sett_name_path(world, e, text, sizeof(text)), 2);
    CHECK_STR_EQ(text, "#0");
    sett_entity below = named(world, e, "below");
    CHECK_EQ(sett_name_path(world, below, text, sizeof(text)), 8);
    CHECK_STR_EQ(text, "#0/belo");
    CHECK_EQ(sett_name_path(world, below, NULL, 0), 8);
    CHECK_EQ(sett_name_path(world, sett_null(), text, sizeof(text)), 0);
    CHECK_STR_EQ(text, "");
    sett_world_destroy(world);
}

/* Many names in one index, in and out: what follows a removed one has to move up. */
static void keeps_its_index(void)
{
    enum {
        COUNT = 3000
    };
    static sett_entity e[COUNT];
    static uint32_t number[COUNT];
    sett_world* world = quiet_world();
    uint64_t state = check_setting("SETT_SEED", 7);
    uint32_t next = 0;
    char text[16];
    for (uint32_t k = 0; k < COUNT; k++) {
        snprintf(text, sizeof(text), "n%u", next);
        e[k] = named(world, sett_null(), text);
        number[k] = next++;
    }
    for (uint32_t round = 0; round < 20000; round++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        uint32_t k = (uint32_t)(state >> 33) % COUNT;
        snprintf(text, sizeof(text), "n%u", number[k]);
        CHECK(sett_equals(sett_name_find(world, sett_null(), text), e[k]));
        if (round % 3 == 0) {
            CHECK_EQ(sett_entity_destroy(world, e[k]), SETT_OK);
            CHECK(sett_is_null(sett_name_find(world, sett_null(), text)));
            e[k] = sett_entity_create(world);
        }
        number[k] = next++;
        snprintf(text, sizeof(text), "n%u", number[k]);
        CHECK_EQ(sett_name_set(world, e[k], text), SETT_OK);
        if (round % 4000 == 0) {
            CHECK_VALID(world);
            world->epoch++; /* as when the state was replaced */
        }
    }
    CHECK_END(world);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

typedef struct scarce_name {
    sett_world* world;
    sett_entity entity;
    const char* name;
} scarce_name;

static bool scarce_set(void* user)
{
    scarce_name* step = user;
    return sett_name_set(step->world, step->entity, step->name) == SETT_OK;
}

static void scarce_unchanged(void* user)
{
    const scarce_name* step = user;
    CHECK(sett_name_get(step->world, step->entity) == NULL);
    CHECK(!sett_has(step->world, step->entity, SETT_ID_NAME));
    CHECK(sett_is_null(sett_name_find(step->world, sett_null(), step->name)));
}

static void survives_running_out_of_memory(void)
{
    static scarce_memory memory;
    static const char* const names[] = {"first", "second", "third"};
    scarce_name step = {.world = scarce_world(&memory)};
    for (uint32_t k = 0; k < 3; k++) {
        for (uint32_t j = 0; j < 20000; j++) {
            step.entity = sett_entity_create(step.world);
        }
        step.name = names[k];
        uint32_t failures = memory.failures;
        scarce_run(step.world, &memory, scarce_set, scarce_unchanged, &step);
        CHECK(memory.failures > failures);
        CHECK(sett_equals(sett_name_find(step.world, sett_null(), names[k]), step.entity));
        for (uint32_t j = 0; j < 300; j++) { /* the index grows with the next */
            char text[16];
            snprintf(text, sizeof(text), "%u", k * 1000 + j);
            (void)named(step.world, sett_null(), text);
        }
    }
    /* the state was replaced, and there is no room for another index */
    sett_entity first = sett_name_find(step.world, sett_null(), "first");
    sett_entity child = named(step.world, first, "third");
    step.world->epoch++;
    setti_names_of(step.world)->capacity = 0; /* leaked to the pool, which ends with the world */
    scarce_squeeze(&step.world->pool, &memory, 0);
    memory.strict = true;
    CHECK(sett_equals(sett_name_find(step.world, sett_null(), "third"), step.entity));
    CHECK_EQ(sett_name_set(step.world, child, "other"), SETT_STATUS_OUT_OF_MEMORY);
    CHECK_EQ(sett_hierarchy_detach(step.world, child), SETT_STATUS_CONFLICT);
    CHECK_EQ(sett_remove(step.world, child, SETT_ID_HIERARCHY), SETT_OK);
    CHECK(sett_name_get(step.world, child) == NULL);
    CHECK_EQ(sett_entity_destroy(step.world, step.entity), SETT_OK);
    CHECK(sett_is_null(sett_name_find(step.world, sett_null(), "third")));
    scarce_give_back(&step.world->pool, &memory);
    CHECK_VALID(step.world);
    scarce_end(&memory, step.world);
}

static bool ensure_path(void* user)
{
    sett_world* world = ((scarce_name*)user)->world;
    return !sett_is_null(sett_name_ensure(world, sett_null(), "a/b/c"));
}

static void ensured_nothing(void* user)
{
    CHECK_EQ(sett_entity_count(((scarce_name*)user)->world), 20000);
}

static void creates_a_path_whole_or_not_at_all(void)
{
    static scarce_memory memory;
    scarce_name step = {.world = scarce_world(&memory)};
    for (uint32_t j = 0; j < 20000; j++) {
        CHECK(!sett_is_null(sett_entity_create(step.world)));
    }
    scarce_run(step.world, &memory, ensure_path, ensured_nothing, &step);
    CHECK(memory.failures > 0);
    CHECK_EQ(sett_entity_count(step.world), 20003);
    scarce_end(&memory, step.world);
}

static uint32_t text_pages(const sett_world* world)
{
    const setti_pages* pages = &setti_names_of(world)->texts.pages;
    uint32_t count = 0;
    for (uint32_t k = 0; k < pages->count; k++) {
        count += pages->data[k] != NULL;
    }
    return count;
}

/* Shots that are fired for hours, each with a name of its own; and snapshots on the way. */
static void gives_texts_back(void)
{
    sett_world* world = quiet_world();
    char text[64];
    sett_entity level = named(world, sett_null(), "level");
    sett_entity shot[100] = {{0, 0}};
    sett_snapshot snapshot;
    bool taken = false;
    sett_entity then = sett_null();
    for (uint32_t n = 0; n < 100000; n++) {
        sett_entity* at = &shot[n * 37 % 100];
        if (!sett_is_null(*at)) {
            CHECK_EQ(sett_entity_destroy(world, *at), SETT_OK);
        }
        snprintf(text, sizeof(text), "shot number %u", (unsigned)n);
        *at = named(world, level, text);
        CHECK(taken || text_pages(world) <= 16);
        if (n == 50000) {
            CHECK_EQ(sett_snapshot_take(world, &snapshot), SETT_OK);
            taken = true;
            then = *at;
        }
    }
    CHECK(text_pages(world) <= 16);
    CHECK_VALID(world);
    CHECK_STR_EQ(sett_name_get(world, level), "level");
    CHECK(sett_is_null(sett_name_lookup(world, level, "shot number 50000")));
    CHECK_EQ(sett_snapshot_restore(world, snapshot), SETT_OK);
    CHECK_ENTITY_EQ(sett_name_lookup(world, level, "shot number 50000"), then);
    CHECK_STR_EQ(sett_name_get(world, then), "shot number 50000");
    CHECK_VALID(world);
    CHECK_EQ(sett_snapshot_drop(world, snapshot), SETT_OK);
    CHECK_EQ(sett_entity_destroy(world, level), SETT_OK);
    CHECK_EQ(sett_world_trim(world), SETT_OK);
    CHECK_EQ(text_pages(world), 0);
    sett_entity again = named(world, sett_null(), "again");
    expect_path(world, "again", again);
    CHECK_END(world);
}

/* A delta between two snapshots has names that the world has given back since. */
static void sends_names_that_are_gone(void)
{
    sett_world* world = quiet_world();
    sett_world* other = quiet_world();
    char text[64];
    sett_entity e[40];
    for (uint32_t k = 0; k < 40; k++) {
        snprintf(text, sizeof(text), "before %u", (unsigned)k);
        e[k] = named(world, sett_null(), text);
    }
    sett_snapshot a = take(world);
    CHECK_EQ(sett_world_clone(world, other), SETT_OK);
    for (uint32_t k = 0; k < 40; k += 2) {
        CHECK_EQ(sett_entity_destroy(world, e[k]), SETT_OK);
    }
    CHECK_EQ(sett_world_trim(world), SETT_OK); /* holes between texts */
    for (uint32_t k = 1; k < 40; k += 4) {
        snprintf(text, sizeof(text), "between %u", (unsigned)k);
        CHECK_EQ(sett_name_set(world, e[k], text), SETT_OK);
    }
    sett_snapshot b = take(world);
    CHECK_EQ(sett_world_clear(world), SETT_OK);
    CHECK_EQ(sett_world_trim(world), SETT_OK);
    CHECK_EQ(text_pages(world), 0);
    unsigned char* bytes;
    size_t size = encode(world, a, b, &bytes);
    CHECK_APPLY(other, bytes, size);
    CHECK_EQ(sett_snapshot_restore(world, b), SETT_OK);
    CHECK_SAME(world, other);
    CHECK_STR_EQ(sett_name_get(other, e[5]), "between 5");
    CHECK_STR_EQ(sett_name_get(other, e[7]), "before 7");
    free(bytes);
    CHECK_END(world);
    CHECK_END(other);
}

/* A hook that runs while an entity is named, and names others until texts are swept. */
static void name_others(sett_world* world, sett_entity entity, void* value, void* user)
{
    const sett_entity* other = user;
    (void)entity;
    (void)value;
    for (uint32_t n = 0; n < 2000; n++) {
        char text[64];
        snprintf(text, sizeof(text), "another %u", (unsigned)n);
        CHECK_EQ(sett_name_set(world, *other, text), SETT_OK);
    }
}

static void holds_a_text_while_hooks_run(void)
{
    sett_world* world = quiet_world();
    sett_entity other = named(world, sett_null(), "other");
    sett_observer* observer = sett_observer_create(
        world,
        &(sett_observer_desc){.component = SETT_ID_NAME, .on_add = name_others, .user = &other});
    CHECK(observer != NULL);
    sett_entity one = named(world, sett_null(), "one");
    CHECK_STR_EQ(sett_name_get(world, one), "one");
    CHECK_STR_EQ(sett_name_get(world, other), "another 1999");
    CHECK_END(world);
}

/* Paths cost what they are long: this is a matter of minutes if each ancestor is looked for from
 * the bottom. */
static void writes_a_path_of_many_names(void)
{
    enum {
        DEPTH = 200000
    };
    static char path[DEPTH * 8];
    sett_world* world = quiet_world();
    sett_entity at = named(world, sett_null(), "0");
    for (uint32_t k = 1; k < DEPTH; k++) {
        char text[16];
        snprintf(text, sizeof(text), "%u", (unsigned)k);
        at = named(world, at, text);
    }
    size_t length = sett_name_path(world, at, path, sizeof(path));
    CHECK(length < sizeof(path) && strlen(path) == length);
    CHECK_ENTITY_EQ(sett_name_lookup(world, sett_null(), path), at);
    char begin[8];
    CHECK_EQ(sett_name_path(world, at, begin, sizeof(begin)), length);
    CHECK_STR_EQ(begin, "0/1/2/3");
    CHECK_EQ(sett_name_path(world, at, NULL, 0), length);
    CHECK_END(world);
}

static void expect_in(sett_world* world, sett_entity parent, sett_entity entity)
{
    CHECK(sett_entity_valid(world, entity));
    CHECK_ENTITY_EQ(sett_hierarchy_parent(world, entity), parent);
    CHECK_EQ(sett_hierarchy_depth(world, entity),
             sett_is_null(parent) ? 0 : 1 + sett_hierarchy_depth(world, parent));
}

static void parent_seen(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)value;
    *(sett_entity*)user = sett_hierarchy_parent(world, entity);
}

static void a_scope_is_the_parent_of_what_is_created(void)
{
    sett_world* world = quiet_world();
    sett_entity seen = sett_null();
    sett_component tag = sett_component_register(
        world, &(sett_component_desc){.name = "Tag", .on_add = parent_seen, .user = &seen});
    sett_entity level = sett_name_ensure(world, sett_null(), "game/level");
    sett_entity game = sett_hierarchy_parent(world, level);
    sett_entity prefab = sett_entity_create(world);
    sett_entity many[70];
    sett_add(world, prefab, tag);
    CHECK(sett_is_null(sett_hierarchy_set_scope(world, level)));
    expect_in(world, level, sett_entity_create(world));
    expect_in(world, level, sett_create_with(world, &(sett_value){.component = tag}, 1));
    CHECK_ENTITY_EQ(seen, level);
    CHECK_EQ(sett_entity_create_many(world, 70, &tag, 1, NULL, NULL), SETT_OK);
    CHECK_EQ(sett_entity_create_many(world, 70, NULL, 0, NULL, many), SETT_OK);
    expect_in(world, level, many[69]);
    for (uint32_t k = 0; k < 4; k++) { /* from the third on by a recipe */
        CHECK_EQ(sett_instantiate(world, prefab, k % 2 + 1, many), SETT_OK);
        expect_in(world, level, many[k % 2]);
    }
    expect_in(
        world, game,
        sett_instantiate_with(world, &(sett_instantiate_desc){.prefab = prefab, .parent = game}));
    CHECK_EQ(sett_hierarchy_child_count(world, level), 2 + 70 + 70 + 6);
    expect_in(world, level, sett_name_ensure(world, sett_null(), "door"));
    expect_in(world, sett_null(), sett_name_ensure(world, sett_null(), "/menu"));
    CHECK(!sett_is_null(sett_name_lookup(world, sett_null(), "door")));
    CHECK(sett_is_null(sett_name_lookup(world, sett_null(), "/door")));
    sett_entity later = sett_cmd_create(sett_commands_here(world));
    CHECK_EQ(sett_commands_apply(sett_commands_here(world)), SETT_OK);
    expect_in(world, sett_null(), later);
    expect_in(world, sett_null(), sett_singletons(world));
    CHECK_VALID(world);

    CHECK_EQ(sett_prefab_make(world, level), SETT_OK);
    CHECK(sett_has(world, sett_entity_create(world), SETT_ID_PREFAB));
    CHECK_EQ(sett_instantiate(world, prefab, 2, many), SETT_OK);
    CHECK(sett_has(world, many[1], SETT_ID_PREFAB));
    uint32_t count = sett_entity_count(world);
    CHECK_ENTITY_EQ(sett_hierarchy_set_scope(world, later), level);
    sett_entity_destroy(world, later);
    CHECK(sett_is_null(sett_entity_create(world)));
    CHECK_EQ(sett_world_error(world), SETT_STATUS_STALE);
    CHECK(sett_is_null(sett_create_with(world, &(sett_value){.component = tag}, 1)));
    CHECK_EQ(sett_instantiate(world, prefab, 1, many), SETT_STATUS_STALE);
    CHECK_ENTITY_EQ(sett_hierarchy_set_scope(world, later), later); /* STALE: it stays */
    CHECK_ENTITY_EQ(sett_hierarchy_set_scope(world, sett_null()), later);
    expect_in(world, sett_null(), sett_entity_create(world));
    CHECK_EQ(sett_entity_count(world), count);
    CHECK_END(world);
}

static void paths_lead_up(void)
{
    sett_world* world = quiet_world();
    sett_entity b = sett_name_ensure(world, sett_null(), "a/b");
    sett_entity a = sett_hierarchy_parent(world, b);
    sett_entity c = sett_name_ensure(world, b, "../c");
    expect_in(world, a, c);
    CHECK_ENTITY_EQ(sett_name_lookup(world, b, "../c"), c);
    CHECK_ENTITY_EQ(sett_name_lookup(world, b, "../../a/b/.."), a);
    CHECK_ENTITY_EQ(sett_name_lookup(world, a, "../../../a"), a);
    CHECK(sett_is_null(sett_name_lookup(world, a, "..")));
    CHECK(sett_is_null(sett_name_lookup(world, a, "x/../b")));
    uint32_t count = sett_entity_count(world);
    CHECK(sett_is_null(sett_name_ensure(world, a, "d/../e")));
    CHECK_EQ(sett_world_error(world), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_entity_count(world), count);
    CHECK_END(world);
}

typedef struct name_rival {
    sett_entity rival;
    sett_entity parent;
} name_rival;

static void takes_the_name(sett_world* world, sett_entity entity, void* value, void* user)
{
    name_rival* r = user;
    (void)value;
    if (!sett_is_null(r->parent)) {
        CHECK_EQ(sett_hierarchy_attach(world, entity, r->parent), SETT_OK);
    }
    if (!sett_is_null(r->rival)) {
        CHECK_EQ(sett_name_set(world, r->rival, "x"), SETT_OK);
    }
}

static void callbacks_take_names_and_move(void)
{
    sett_world* world = quiet_world();
    sett_entity parent = named(world, sett_null(), "parent");
    name_rival r = {named(world, sett_null(), "rival"), sett_null()};
    sett_entity e = sett_entity_create(world);
    sett_entity child = sett_entity_create(world);
    CHECK_EQ(sett_hierarchy_attach(world, child, parent), SETT_OK);
    CHECK_EQ(sett_hierarchy_detach(world, child), SETT_OK);
    sett_observer_desc desc = {.component = SETT_ID_NAME, .on_add = takes_the_name, .user = &r};
    CHECK(sett_observer_create(world, &desc) != NULL);
    CHECK_EQ(sett_name_set(world, e, "x"), SETT_STATUS_CONFLICT);
    CHECK(sett_name_get(world, e) == NULL);
    expect_path(world, "x", r.rival);
    CHECK_VALID(world);
    r = (name_rival){sett_null(), parent};
    CHECK_EQ(sett_name_set(world, child, "y"), SETT_OK);
    expect_path(world, "parent/y", child);
    CHECK_END(world);
}

static void names_get_numbers(void)
{
    enum {
        DOORS = 10000
    };
    sett_world* world = quiet_world();
    sett_entity hall = sett_entity_create(world);
    static sett_entity door[DOORS];
    char expected[32];
    for (uint32_t k = 0; k < DOORS; k++) {
        door[k] = sett_entity_create(world);
        CHECK_EQ(sett_hierarchy_attach(world, door[k], hall), SETT_OK);
        CHECK_EQ(sett_name_set_unique(world, door[k], "Door"), SETT_OK);
        snprintf(expected, sizeof(expected), k == 0 ? "Door" : "Door %u", (unsigned)k + 1);
        CHECK(strcmp(sett_name_get(world, door[k]), expected) == 0);
    }
    CHECK_EQ(sett_name_set_unique(world, door[0], "Door"), SETT_OK); /* its own is free */
    CHECK(strcmp(sett_name_get(world, door[0]), "Door") == 0);
    CHECK_EQ(sett_name_set_unique(world, hall, "Door"), SETT_OK);
    CHECK(strcmp(sett_name_get(world, hall), "Door") == 0);
    static char text[SETT_NAME_MAX + 1];
    memset(text, 'n', SETT_NAME_MAX);
    CHECK_EQ(sett_name_set_unique(world, door[0], text), SETT_OK);
    CHECK_EQ(sett_name_set_unique(world, door[1], text), SETT_OK);
    CHECK_EQ(strlen(sett_name_get(world, door[1])), SETT_NAME_MAX);
    CHECK(strcmp(sett_name_get(world, door[1]) + SETT_NAME_MAX - 3, "n 2") == 0);
    CHECK_EQ(sett_name_set_unique(world, door[1], "a/b"), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_name_set_unique(world, door[1], NULL), SETT_STATUS_ARGUMENT);
    uint32_t cursor = 0;
    CHECK(sett_is_null(sett_name_lookup(world, hall, NULL)));
    CHECK(sett_is_null(sett_name_find(world, hall, NULL)));
    CHECK(sett_is_null(sett_name_next(world, NULL, &cursor)));
    CHECK_EQ(sett_name_set_unique(world, sett_null(), "x"), SETT_STATUS_STALE);
    CHECK_END(world);
}

TEST_MAIN(TEST(a_scope_is_the_parent_of_what_is_created), TEST(paths_lead_up),
          TEST(callbacks_take_names_and_move), TEST(gives_texts_back),
          TEST(sends_names_that_are_gone), TEST(holds_a_text_while_hooks_run),
          TEST(writes_a_path_of_many_names), TEST(creates_what_a_path_lacks),
          TEST(creates_a_path_whole_or_not_at_all), TEST(finds_by_path), TEST(walks_all_of_a_name),
          TEST(is_a_component_like_any_other), TEST(rejects_what_is_no_name),
          TEST(rejects_what_leads_elsewhere), TEST(written_paths_lead_back),
          TEST(is_unique_among_siblings), TEST(loses_a_name_that_is_taken), TEST(writes_paths),
          TEST(keeps_its_index), TEST(survives_running_out_of_memory), TEST(names_get_numbers))

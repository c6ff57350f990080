/* test_group.c: groups know their members at any time. The walk-through of the sparse sets that
 * they come from, each kind by itself, which callbacks run when, and what is left when memory runs
 * out. All kinds at once, at random: test_group_random.c. */
#include "check.h"
#include "scarce.h"
#include "sett/sett.h"

#include "world/listener.h"

static sett_component sparse_type(sett_world* world, const char* name)
{
    sett_component_desc desc = {.name = name, .size = 4, .storage = SETT_STORAGE_SPARSE_SET};
    sett_component id = sett_component_register(world, &desc);
    CHECK(id != 0);
    return id;
}

static sett_component array_type(sett_world* world, const char* name)
{
    sett_component_desc desc = {.name = name, .size = 4, .storage = SETT_STORAGE_ARRAY};
    sett_component id = sett_component_register(world, &desc);
    CHECK(id != 0);
    return id;
}

static sett_entity at_index(sett_world* world, uint32_t index)
{
    sett_entity entity = sett_entity_at(world, index);
    if (sett_is_null(entity)) {
        entity = sett_entity_from_u64((uint64_t)1 << 32 | index);
        CHECK_EQ(sett_entity_create_handle(world, entity), SETT_OK);
    }
    return entity;
}

/* The rows of a sparse set as a text: "e7 e4 ". */
static const char* rows_of(const sett_world* world, sett_component component)
{
    static char texts[4][200];
    static uint32_t turn;
    char* text = texts[turn++ % 4];
    const setti_storage* storage = &setti_world_type(world, component)->storage;
    size_t at = 0;
    text[0] = '\0';
    for (uint32_t row = 0; row < storage->extent; row++) {
        at += (size_t)snprintf(text + at, sizeof(texts[0]) - at, "%se%u", row == 0 ? "" : " ",
                               (unsigned)*setti_storage_index(storage, row));
    }
    return text;
}

static sett_entity entity_number(sett_world* world, uint32_t index, sett_component component)
{
    sett_entity entity = at_index(world, index);
    uint32_t value = index * 100 + component;
    CHECK(sett_set(world, entity, component, &value) != NULL);
    return entity;
}

/* ---- The walk-through ------------------------------------------------------------------------ */

/* The table of a group over A and B, step by step; the group made before or after the first. */
static void walk_through(bool late)
{
    sett_world* world = quiet_world();
    sett_component a = sparse_type(world, "A");
    sett_component b = sparse_type(world, "B");
    sett_group_desc desc = {.name = "walk", .owned = {a, b}};
    sett_group* group = late ? NULL : sett_group_create(world, &desc);
    static const uint32_t with_a[] = {3, 7, 8, 6};
    for (uint32_t k = 0; k < 4; k++) {
        entity_number(world, with_a[k], a);
    }
    entity_number(world, 4, b);
    entity_number(world, 5, b);
    group = late ? sett_group_create(world, &desc) : group;
    CHECK(group != NULL);
    CHECK_STR_EQ(rows_of(world, a), "e3 e7 e8 e6");
    CHECK_STR_EQ(rows_of(world, b), "e4 e5");
    CHECK_EQ(sett_group_count(group), 0);

    entity_number(world, 7, b);
    CHECK_STR_EQ(rows_of(world, a), "e7 e3 e8 e6");
    CHECK_STR_EQ(rows_of(world, b), "e7 e5 e4");
    CHECK_EQ(sett_group_count(group), 1);

    entity_number(world, 4, a);
    CHECK_STR_EQ(rows_of(world, a), "e7 e4 e8 e6 e3");
    CHECK_STR_EQ(rows_of(world, b), "e7 e4 e5");
    CHECK_EQ(sett_group_count(group), 2);

    CHECK_EQ(sett_remove(world, at_index(world, 7), b), SETT_OK);
    CHECK_STR_EQ(rows_of(world, a), "e4 e7 e8 e6 e3");
    CHECK_STR_EQ(rows_of(world, b), "e4 e5");
    CHECK_EQ(sett_group_count(group), 1);
    /* Values went with their rows. */
    for (uint32_t index = 3; index <= 8; index++) {
        const uint32_t* value = sett_find(world, at_index(world, index), a);
        CHECK(value == NULL ? index == 5 : *value == index * 100 + a);
        value = sett_find(world, at_index(world, index), b);
        CHECK(value == NULL ? index != 4 && index != 5 : *value == index * 100 + b);
    }
    CHECK_END(world);
}

static void the_walk_through_of_a_full_group(void)
{
    walk_through(false);
    walk_through(true);
}

/* ---- Each kind ------------------------------------------------------------------------------- */

/* Whether the first rows of a storage are the members, and nothing moved before an entry. */
static void a_partial_group_arranges_what_it_owns(void)
{
    sett_world* world = quiet_world();
    sett_component a = sparse_type(world, "A");
    sett_component b = sparse_type(world, "B");
    sett_component m = array_type(world, "M");
    sett_group_desc desc = {.name = "partial", .owned = {a}, .with = {b, m}};
    sett_group* group = sett_group_create(world, &desc);
    CHECK(group != NULL);
    for (uint32_t index = 1; index <= 5; index++) {
        entity_number(world, index, a);
        entity_number(world, 6 - index, b);
    }
    CHECK_STR_EQ(rows_of(world, a), "e1 e2 e3 e4 e5");
    CHECK_STR_EQ(rows_of(world, b), "e5 e4 e3 e2 e1");
    entity_number(world, 4, m);
    CHECK_STR_EQ(rows_of(world, a), "e4 e2 e3 e1 e5");
    CHECK_STR_EQ(rows_of(world, b), "e5 e4 e3 e2 e1"); /* not its own: left alone */
    entity_number(world, 5, m);
    CHECK_STR_EQ(rows_of(world, a), "e4 e5 e3 e1 e2");
    CHECK_EQ(sett_group_count(group), 2);
    CHECK(sett_group_has(group, at_index(world, 4)) && !sett_group_has(group, at_index(world, 1)));
    CHECK_EQ(sett_remove(world, at_index(world, 4), b), SETT_OK);
    CHECK_STR_EQ(rows_of(world, a), "e5 e4 e3 e1 e2");
    CHECK_EQ(sett_entity_destroy(world, at_index(world, 5)), SETT_OK);
    CHECK_STR_EQ(rows_of(world, a), "e2 e4 e3 e1");
    CHECK_EQ(sett_group_count(group), 0);
    CHECK_END(world);
}

static void a_tracked_set_moves_nothing(void)
{
    sett_world* world = quiet_world();
    sett_component p = sparse_type(world, "P");
    sett_component m = array_type(world, "M");
    sett_group_desc desc = {.name = "set", .with = {p, m}};
    sett_group* group = sett_group_create(world, &desc);
    CHECK(group != NULL);
    for (uint32_t index = 1; index <= 5; index++) {
        entity_number(world, index, p);
    }
    const void* addresses[6];
    for (uint32_t index = 1; index <= 5; index++) {
        addresses[index] = sett_get(world, at_index(world, index), p);
    }
    for (uint32_t index = 5; index >= 2; index--) {
        entity_number(world, index, m);
        CHECK_EQ(sett_group_count(group), 6 - index);
    }
    CHECK_STR_EQ(rows_of(world, p), "e1 e2 e3 e4 e5");
    for (uint32_t index = 1; index <= 5; index++) {
        CHECK_PTR_EQ(sett_get(world, at_index(world, index), p), addresses[index]);
        CHECK_EQ(sett_group_has(group, at_index(world, index)), index > 1);
    }
    CHECK(!sett_group_has(group, sett_null()));
    sett_entity gone = at_index(world, 3);
    CHECK_EQ(sett_entity_destroy(world, gone), SETT_OK);
    CHECK(!sett_group_has(group, gone));
    CHECK_EQ(sett_group_count(group), 3);
    /* Its slot lives again, as an entity that is no member. */
    sett_entity next = sett_entity_create(world);
    while (next.index != gone.index) { /* others are free below it */
        next = sett_entity_create(world);
    }
    CHECK(!sett_group_has(group, next));
    CHECK_EQ(sett_world_clear(world), SETT_OK);
    CHECK_EQ(sett_group_count(group), 0);
    CHECK_END(world);
}

static void a_condition_can_be_an_absence(void)
{
    sett_world* world = quiet_world();
    sett_component a = sparse_type(world, "A");
    sett_component b = sparse_type(world, "B");
    sett_component off = SETT_REGISTER_TAG(world, Off);
    sett_group_desc owning = {.name = "owning", .owned = {a, b}, .without = {off}};
    sett_group_desc tracked = {.name = "tracked", .with = {a}, .without = {b, off}};
    sett_group* group = sett_group_create(world, &owning);
    sett_group* set = sett_group_create(world, &tracked);
    CHECK(group != NULL && set != NULL);
    sett_entity e = entity_number(world, 1, a);
    CHECK(sett_group_has(set, e) && !sett_group_has(group, e));
    entity_number(world, 1, b);
    CHECK(!sett_group_has(set, e) && sett_group_has(group, e));
    CHECK(sett_add(world, e, off) != NULL);
    CHECK(!sett_group_has(set, e) && !sett_group_has(group, e));
    CHECK_EQ(sett_remove(world, e, b), SETT_OK);
    CHECK(!sett_group_has(set, e) && !sett_group_has(group, e));
    CHECK_EQ(sett_remove(world, e, off), SETT_OK);
    CHECK(sett_group_has(set, e) && !sett_group_has(group, e));
    CHECK_EQ(sett_group_count(set), 1);
    CHECK_EQ(sett_group_count(group), 0);
    CHECK_END(world);
}

/* Each type once: a group that wants and excludes one would have no member. */
static void a_type_is_in_one_list(void)
{
    sett_world* world = quiet_world();
    sett_component a = sparse_type(world, "A");
    sett_component b = sparse_type(world, "B");
    const sett_group_desc bad[] = {{.with = {a}, .without = {b, a}},
                                   {.owned = {b, a}, .without = {a}},
                                   {.owned = {b, a}, .with = {a}},
                                   {.with = {b, a, a}},
                                   {.owned = {a, b, a}},
                                   {.with = {b}, .without = {a, a}}};
    static const char* const where[] = {
        "`with` and in `without`",    "`owned` and in `without`",     "`owned` and in `with`",
        "`with` and again in `with`", "`owned` and again in `owned`", "and again in `without`"};
    for (uint32_t k = 0; k < sizeof(bad) / sizeof(bad[0]); k++) {
        CHECK(sett_group_create(world, &bad[k]) == NULL);
        CHECK_EQ(sett_world_error(world), SETT_STATUS_ARGUMENT);
        CHECK_MSG(strstr(sett_world_message(world), "\"A\" (component 1) is in") != NULL &&
                      strstr(sett_world_message(world), where[k]) != NULL,
                  "%s", sett_world_message(world));
    }
    CHECK(sett_group_create(world, &(sett_group_desc){.owned = {a}, .without = {b}}) != NULL);
    CHECK_END(world);
}

/* Existing matches enter, whichever storage finds them. */
static void a_late_group_takes_in_who_qualifies(void)
{
    sett_world* world = quiet_world();
    sett_component a = sparse_type(world, "A");
    sett_component b = sparse_type(world, "B");
    sett_component m = array_type(world, "M");
    sett_component_desc keep = {.name = "K", .size = 4, .keep_order = true};
    sett_component k = sett_component_register(world, &keep);
    for (uint32_t index = 0; index < 5000; index++) {
        sett_entity e = at_index(world, index);
        if (index % 2 == 0) {
            entity_number(world, index, a);
        }
        if (index % 3 == 0) {
            entity_number(world, index, b);
        }
        if (index % 5 == 0) {
            entity_number(world, index, m);
        }
        if (index % 7 == 0) {
            entity_number(world, index, k);
        }
        if (index % 21 == 0) {
            CHECK_EQ(sett_remove(world, e, k), SETT_OK); /* gaps */
        }
    }
    sett_group* full = sett_group_create(world, &(sett_group_desc){.owned = {a, b}});
    sett_group* set = sett_group_create(world, &(sett_group_desc){.with = {m, a}, .without = {b}});
    sett_group* kept = sett_group_create(world, &(sett_group_desc){.with = {k, m}});
    CHECK(full != NULL && set != NULL && kept != NULL);
    uint32_t count[3] = {0, 0, 0};
    for (uint32_t index = 0; index < 5000; index++) {
        sett_entity e = at_index(world, index);
        bool in_full = index % 6 == 0;
        bool in_set = index % 10 == 0 && index % 3 != 0;
        bool in_kept = index % 35 == 0 && index % 21 != 0;
        CHECK_EQ(sett_group_has(full, e), in_full);
        CHECK_EQ(sett_group_has(set, e), in_set);
        CHECK_EQ(sett_group_has(kept, e), in_kept);
        count[0] += in_full;
        count[1] += in_set;
        count[2] += in_kept;
    }
    CHECK_EQ(sett_group_count(full), count[0]);
    CHECK_EQ(sett_group_count(set), count[1]);
    CHECK_EQ(sett_group_count(kept), count[2]);
    CHECK_END(world);
}

/* ---- Coming and going ------------------------------------------------------------------------ */

static void a_destroyed_group_leaves_no_trace(void)
{
    sett_world* world = quiet_world();
    sett_component a = sparse_type(world, "A");
    sett_component b = sparse_type(world, "B");
    sett_component m = array_type(world, "M");
    for (uint32_t index = 0; index < 3000; index++) {
        entity_number(world, index, index % 2 == 0 ? a : b);
        entity_number(world, index, index % 3 == 0 ? a : m);
    }
    sett_query* query =
        sett_query_create(world, &(sett_query_desc){.terms = {{.component = a}, {.component = b}}});
    sett_group* early = sett_group_create(world, &(sett_group_desc){.with = {b}});
    entity_number(world, 1, a); /* a transition, so that its signature is known */
    CHECK_EQ(sett_remove(world, at_index(world, 1), a), SETT_OK);
    CHECK_EQ(sett_group_destroy(early), SETT_OK); /* room to put values aside stays */
    size_t before = world->pool.used_size;
    for (uint32_t round = 0; round < 3; round++) {
        sett_group_desc full = {.name = "full", .owned = {a, b}};
        sett_group_desc set = {.name = "set", .with = {a, m}};
        sett_group* groups[2] = {sett_group_create(world, &full), sett_group_create(world, &set)};
        CHECK(groups[0] != NULL && groups[1] != NULL);
        uint32_t members = sett_group_count(groups[0]);
        CHECK_EQ(members, 500);
        CHECK_EQ(sett_query_count(query), members);
        sett_entity e = at_index(world, 1);
        entity_number(world, 1, a);
        CHECK(sett_group_has(groups[0], e));
        CHECK_EQ(sett_remove(world, e, a), SETT_OK);
        CHECK_EQ(sett_group_destroy(groups[round % 2]), SETT_OK);
        CHECK_VALID(world);
        CHECK_EQ(sett_group_destroy(groups[1 - round % 2]), SETT_OK);
        CHECK_VALID(world);
        CHECK_EQ(world->pool.used_size, before);
        CHECK_EQ(sett_query_count(query), members);
        /* No group arranges the types any more, and another one may own them. */
        CHECK_EQ(sett_sort(world, &(sett_sort_desc){.component = a, .key = SETT_KEY_U32}), SETT_OK);
        CHECK_EQ(sett_component_convert(world, b, SETT_STORAGE_ARRAY), SETT_OK);
        CHECK_EQ(sett_component_convert(world, b, SETT_STORAGE_SPARSE_SET), SETT_OK);
        before = world->pool.used_size;
    }
    CHECK_EQ(sett_group_destroy(NULL), SETT_OK);
    CHECK_END(world);
}

static void a_second_owner_is_rejected_by_both_names(void)
{
    sett_world* world = quiet_world();
    sett_component a = sparse_type(world, "Albatross");
    sett_component b = sparse_type(world, "Bustard");
    sett_component c = sparse_type(world, "Curlew");
    sett_group* first =
        sett_group_create(world, &(sett_group_desc){.name = "first", .owned = {a, b}});
    CHECK(first != NULL);
    size_t before = world->pool.used_size;
    CHECK(sett_group_create(world, &(sett_group_desc){.name = "second", .owned = {c, b}}) == NULL);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_CONFLICT);
    CHECK(strstr(sett_world_message(world), "\"first\"") != NULL);
    CHECK(strstr(sett_world_message(world), "\"second\"") != NULL);
    CHECK(strstr(sett_world_message(world), "\"Bustard\"") != NULL);
    CHECK_EQ(world->pool.used_size, before);
    /* What was rejected owns nothing: c is free, and b may be a condition. */
    sett_group* third =
        sett_group_create(world, &(sett_group_desc){.name = "third", .owned = {c}, .with = {b}});
    CHECK(third != NULL);
    CHECK_EQ(sett_component_convert(world, a, SETT_STORAGE_ARRAY), SETT_STATUS_CONFLICT);
    CHECK(strstr(sett_world_message(world), "\"first\"") != NULL);
    CHECK_EQ(sett_sort(world, &(sett_sort_desc){.component = c, .key = SETT_KEY_U32}),
             SETT_STATUS_CONFLICT);
    CHECK(strstr(sett_world_message(world), "\"third\"") != NULL);
    CHECK_EQ(sett_group_destroy(first), SETT_OK);
    first = sett_group_create(world, &(sett_group_desc){.owned = {b, a}});
    CHECK(first != NULL);
    CHECK_END(world);
}

static void wrong_descriptions_are_rejected(void)
{
    sett_world* world = quiet_world();
    sett_component a = sparse_type(world, "A");
    sett_component m = array_type(world, "M");
    sett_component_desc keep = {.name = "K", .size = 4, .keep_order = true};
    sett_component_desc dont_fragment = {.name = "L", .size = 4, .dont_fragment = true};
    sett_component_desc dont_fragment_sparse = {
        .name = "Q", .size = 4, .dont_fragment = true, .storage = SETT_STORAGE_SPARSE_SET};
    sett_component k = sett_component_register(world, &keep);
    sett_component l = sett_component_register(world, &dont_fragment);
    sett_component q = sett_component_register(world, &dont_fragment_sparse);
    size_t before = world->pool.used_size;
    const struct {
        sett_group_desc desc;
        sett_status status;
        const char* names;
    } wrong[] = {
        {{.name = "void"}, SETT_STATUS_ARGUMENT, "void"},
        {{.name = "no", .without = {a}}, SETT_STATUS_ARGUMENT, "no"},
        {{.name = "dont_fragment", .with = {a, l}}, SETT_STATUS_ARGUMENT, "\"L\""},
        {{.name = "dont_fragment", .owned = {q}}, SETT_STATUS_ARGUMENT, "\"Q\""},
        {{.name = "dont_fragment", .with = {a}, .without = {l}}, SETT_STATUS_ARGUMENT, "\"L\""},
        {{.name = "array", .owned = {a, m}}, SETT_STATUS_ARGUMENT, "\"M\""},
        {{.name = "kept", .owned = {k}}, SETT_STATUS_ARGUMENT, "\"K\""},
        {{.name = "odd", .with = {a, 4711}}, SETT_STATUS_UNREGISTERED, "4711"},
        {{.name = "odd", .owned = {4711}}, SETT_STATUS_UNREGISTERED, "4711"},
        {{.name = "odd", .with = {a}, .without = {4711}}, SETT_STATUS_UNREGISTERED, "4711"},
    };
    for (size_t n = 0; n < sizeof(wrong) / sizeof(wrong[0]); n++) {
        CHECK(sett_group_create(world, &wrong[n].desc) == NULL);
        CHECK_EQ(sett_world_error(world), wrong[n].status);
        CHECK_MSG(strstr(sett_world_message(world), wrong[n].names) != NULL, "%s",
                  sett_world_message(world));
        CHECK_EQ(world->pool.used_size, before);
    }
    /* Sixteen types a list, and no end needed then. */
    sett_group_desc most = {.name = "most"};
    for (uint32_t n = 0; n < SETT_GROUP_TYPES; n++) {
        char name[] = {'x', (char)('a' + n), '\0'};
        most.owned[n] = sparse_type(world, name);
    }
    sett_group* group = sett_group_create(world, &most);
    CHECK(group != NULL);
    sett_entity e = sett_entity_create(world);
    for (uint32_t n = 0; n < SETT_GROUP_TYPES; n++) {
        CHECK_EQ(sett_group_count(group), 0);
        CHECK(sett_add(world, e, most.owned[n]) != NULL);
    }
    CHECK_EQ(sett_group_count(group), 1);
    CHECK_END(world);
}

/* One type named twice is one type. */
static void a_type_named_twice_is_one(void)
{
    sett_world* world = quiet_world();
    sett_component a = sparse_type(world, "A");
    sett_group_desc desc = {.name = "twice", .owned = {a, a}, .with = {a, a}};
    sett_group* group = sett_group_create(world, &desc);
    if (group == NULL) { /* or it is rejected */
        CHECK_EQ(sett_world_error(world), SETT_STATUS_ARGUMENT);
        CHECK_END(world);
        return;
    }
    static const uint32_t values[] = {2, 3, 1, 5, 4};
    for (uint32_t k = 0; k < 5; k++) {
        CHECK(sett_set(world, at_index(world, k), a, &values[k]) != NULL);
    }
    CHECK_EQ(sett_group_count(group), 5);
    CHECK_EQ(
        sett_sort(world, &(sett_sort_desc){.component = a, .group = group, .key = SETT_KEY_U32}),
        SETT_OK);
    CHECK_STR_EQ(rows_of(world, a), "e2 e0 e1 e4 e3");
    CHECK_END(world);
}

static void groups_stay_as_they_are_while_a_loop_is_open(void)
{
    sett_world* world = quiet_world();
    sett_component a = sparse_type(world, "A");
    sett_component b = sparse_type(world, "B");
    for (uint32_t index = 0; index < 10; index++) {
        entity_number(world, index, a);
        entity_number(world, index, b);
    }
    sett_group* group = sett_group_create(world, &(sett_group_desc){.owned = {a, b}});
    sett_query* query = sett_query_create(
        world, &(sett_query_desc){"watched", {{.component = a}, {.component = b}}});
    sett_batch batch;
    CHECK(sett_query_begin(query, &batch) != NULL);
    CHECK(sett_group_create(world, &(sett_group_desc){.with = {a}}) == NULL);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_LOCKED);
    CHECK(strstr(sett_world_message(world), "watched") != NULL);
    CHECK_EQ(sett_group_destroy(group), SETT_STATUS_LOCKED);
    CHECK_EQ(
        sett_sort(world, &(sett_sort_desc){.component = a, .group = group, .key = SETT_KEY_U32}),
        SETT_STATUS_LOCKED);
    CHECK_EQ(sett_group_count(group), 10);
    CHECK(sett_batch_next(&batch));
    sett_batch_end(&batch);
    CHECK_EQ(sett_group_destroy(group), SETT_OK);
    CHECK_END(world);
}

/* A value handed to sett_set may lie in the world; entering moves it. */
static void a_value_given_from_an_owned_storage_is_the_one_meant(void)
{
    for (uint32_t members = 0; members < 3; members++) {
        sett_world* world = quiet_world();
        sett_component a = sparse_type(world, "A");
        sett_component b = sparse_type(world, "B");
        CHECK(sett_group_create(world, &(sett_group_desc){.owned = {a, b}}) != NULL);
        for (uint32_t index = 0; index < members; index++) {
            entity_number(world, index, a);
            entity_number(world, index, b);
        }
        for (uint32_t index = 10; index < 13; index++) {
            entity_number(world, index, b);
        }
        entity_number(world, 20, a);
        sett_entity from = at_index(world, 10);
        const uint32_t* value = sett_set(world, at_index(world, 20), b, sett_get(world, from, b));
        CHECK(value != NULL);
        CHECK_EQ(*value, 10 * 100 + b);
        CHECK_EQ(*(const uint32_t*)sett_get(world, from, b), 10 * 100 + b);
        CHECK_EQ(*(const uint32_t*)sett_get(world, at_index(world, 20), b), 10 * 100 + b);
        /* Of another type that the group owns: the entity's own, and its neighbour's. */
        sett_entity e = entity_number(world, 30, a);
        entity_number(world, 31, a);
        entity_number(world, 32, a);
        value = sett_set(world, at_index(world, 31), b, sett_get(world, at_index(world, 31), a));
        CHECK_EQ(*value, 31 * 100 + a);
        value = sett_set(world, at_index(world, 32), b, sett_get(world, e, a));
        CHECK_EQ(*value, 30 * 100 + a);
        CHECK_EQ(*(const uint32_t*)sett_get(world, e, a), 30 * 100 + a);
        CHECK_END(world);
    }
}

/* ---- Callbacks: their order ------------------------------------------------------------------ */

/* The calls, a letter each: hooks + - =, callbacks E L (of the first group) and e l. */
typedef struct journal {
    char text[200];
    size_t size;
    sett_world* world;
    sett_component type; /* whose value is looked at in callbacks */
    sett_group* group;
} journal;

static void note(journal* log, char letter)
{
    CHECK(log->size + 1 < sizeof(log->text));
    log->text[log->size++] = letter;
    log->text[log->size] = '\0';
}

static void expect_notified(journal* log, const char* expected)
{
    CHECK_STR_EQ(log->text, expected);
    log->size = 0;
    log->text[0] = '\0';
}

static void note_add(sett_world* world, sett_entity entity, void* value, void* user)
{
    CHECK(value == sett_find(world, entity, ((journal*)user)->type));
    note(user, '+');
}

static void note_set(sett_world* world, sett_entity entity, void* value, void* user)
{
    CHECK(value == sett_find(world, entity, ((journal*)user)->type));
    note(user, '=');
}

static void note_remove(sett_world* world, sett_entity entity, void* value, void* user)
{
    CHECK(value == sett_find(world, entity, ((journal*)user)->type));
    note(user, '-');
}

static void note_on_enter(sett_world* world, sett_entity entity, void* user)
{
    journal* log = user;
    CHECK(sett_entity_valid(world, entity) && sett_group_has(log->group, entity));
    note(log, 'E');
}

static void note_left(sett_world* world, sett_entity entity, void* user)
{
    journal* log = user;
    CHECK(sett_entity_valid(world, entity) && sett_group_has(log->group, entity));
    note(log, 'L');
}

static void note_on_enter_second(sett_world* world, sett_entity entity, void* user)
{
    (void)world;
    (void)entity;
    note(user, 'e');
}

static void note_left_second(sett_world* world, sett_entity entity, void* user)
{
    (void)world;
    (void)entity;
    note(user, 'l');
}

static journal make_journal_world(sett_component* other)
{
    journal log = {.world = quiet_world()};
    *other = array_type(log.world, "other");
    return log;
}

/* The rest of the preparation, when the journal lies where it stays. */
static void prepare_journal(journal* log, bool owned, sett_component other)
{
    sett_component_desc desc = {.name = "told",
                                .size = 8,
                                .storage = owned ? SETT_STORAGE_SPARSE_SET : SETT_STORAGE_ARRAY,
                                .on_add = note_add,
                                .on_set = note_set,
                                .on_remove = note_remove,
                                .user = log};
    log->type = sett_component_register(log->world, &desc);
    sett_group_desc group = {
        .name = "told group", .on_enter = note_on_enter, .on_exit = note_left, .user = log};
    sett_component* list = owned ? group.owned : group.with;
    list[0] = log->type;
    group.without[0] = other;
    log->group = sett_group_create(log->world, &group);
    sett_group_desc second = {.name = "second",
                              .with = {log->type},
                              .on_enter = note_on_enter_second,
                              .on_exit = note_left_second,
                              .user = log};
    CHECK(log->group != NULL && sett_group_create(log->world, &second) != NULL);
}

static void callbacks_come_after_on_add_and_before_on_remove(void)
{
    for (int owned = 0; owned < 2; owned++) {
        sett_component other;
        journal log = make_journal_world(&other);
        prepare_journal(&log, owned != 0, other);
        sett_world* world = log.world;
        uint64_t value = 5;
        sett_entity e = sett_entity_create(world);
        CHECK(sett_add(world, e, log.type) != NULL);
        expect_notified(&log, "+Ee");
        CHECK_EQ(sett_remove(world, e, log.type), SETT_OK);
        expect_notified(&log, "Ll-");
        CHECK(sett_set(world, e, log.type, &value) != NULL);
        expect_notified(&log, "+Ee=");
        CHECK(sett_set(world, e, log.type, &value) != NULL);
        expect_notified(&log, "=");
        CHECK(sett_add(world, e, other) != NULL);
        expect_notified(&log, "L");
        CHECK_EQ(sett_remove(world, e, other), SETT_OK);
        expect_notified(&log, "E");
        CHECK_EQ(sett_entity_clear(world, e), SETT_OK);
        expect_notified(&log, "Ll-");
        CHECK(sett_ensure(world, e, log.type) != NULL);
        expect_notified(&log, "+Ee");
        CHECK_EQ(sett_entity_destroy(world, e), SETT_OK);
        expect_notified(&log, "Ll-");
        const uint64_t values[3] = {7, 8, 9};
        const void* given[2] = {values, NULL};
        sett_entity many[3];
        CHECK_EQ(sett_entity_create_many(world, 3, &log.type, 1, given, many), SETT_OK);
        expect_notified(&log, "+=+=+=EeEeEe");
        CHECK_EQ(sett_entity_destroy_many(world, many, 1), SETT_OK);
        expect_notified(&log, "Ll-");
        CHECK_EQ(sett_component_clear(world, log.type), SETT_OK);
        expect_notified(&log, "Ll-Ll-");
        const sett_component both[2] = {log.type, other};
        CHECK_EQ(sett_entity_create_many(world, 2, both, 2, NULL, many), SETT_OK);
        expect_notified(&log, "++ee");
        CHECK_EQ(sett_entity_destroy_with(world, other), SETT_OK);
        expect_notified(&log, "l-l-");
        CHECK(sett_add(world, sett_entity_create(world), log.type) != NULL);
        expect_notified(&log, "+Ee");
        CHECK_EQ(sett_world_clear(world), SETT_OK);
        expect_notified(&log, "Ll-");
        CHECK(sett_add(world, sett_entity_create(world), log.type) != NULL);
        expect_notified(&log, "+Ee");
        CHECK_END(world);
        expect_notified(&log, "Ll-");
    }
}

/* Requirements: each step is a transition of its own. */
static void a_crossing_on_the_way_is_notified(void)
{
    sett_component other;
    journal log = make_journal_world(&other);
    prepare_journal(&log, true, other);
    const sett_component required[] = {log.type, other};
    sett_component_desc desc = {
        .name = "needy", .size = 4, .required = required, .required_count = 2};
    sett_component needy = sett_component_register(log.world, &desc);
    sett_entity e = sett_entity_create(log.world);
    CHECK(sett_add(log.world, e, needy) != NULL);
    expect_notified(&log, "+EeL");
    CHECK_EQ(sett_remove(log.world, e, other), SETT_OK); /* needy goes first */
    expect_notified(&log, "E");
    CHECK(!sett_has(log.world, e, needy));
    CHECK_END(log.world);
}

/* ---- Callbacks: what they may do ------------------------------------------------------------- */

typedef struct intruder {
    sett_component type;
    sett_component other;
    sett_group* group;
    sett_entity bystander;
    uint32_t on_enter;
    uint32_t on_exit;
    bool destroying; /* `on_exit` runs because of a destruction */
} intruder;

/* Every structural call is rejected with the name of the group; reading and writing are not. */
static void intrude(sett_world* world, sett_entity entity, const intruder* in)
{
    CHECK(sett_add(world, in->bystander, in->other) == NULL);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_LOCKED);
    CHECK(strstr(sett_world_message(world), "\"guarded\"") != NULL);
    uint32_t value = 9;
    CHECK(sett_set(world, in->bystander, in->other, &value) == NULL);
    CHECK(sett_ensure(world, in->bystander, in->other) == NULL);
    CHECK_EQ(sett_remove(world, entity, in->type), SETT_STATUS_LOCKED);
    CHECK_EQ(sett_entity_clear(world, entity), SETT_STATUS_LOCKED);
    CHECK_EQ(sett_entity_destroy(world, in->bystander), SETT_STATUS_LOCKED);
    CHECK_EQ(sett_entity_destroy_with(world, in->type), SETT_STATUS_LOCKED);
    CHECK_EQ(sett_component_clear(world, in->type), SETT_STATUS_LOCKED);
    CHECK_EQ(sett_component_convert(world, in->other, SETT_STORAGE_SPARSE_SET), SETT_STATUS_LOCKED);
    CHECK(sett_is_null(sett_entity_create(world)));
    CHECK_EQ(sett_entity_create_many(world, 2, NULL, 0, NULL, NULL), SETT_STATUS_LOCKED);
    CHECK(sett_group_create(world, &(sett_group_desc){.with = {in->type}}) == NULL);
    CHECK_EQ(sett_group_destroy(in->group), SETT_STATUS_LOCKED);
    CHECK_EQ(sett_sort(
                 world,
                 &(sett_sort_desc){.component = in->type, .group = in->group, .key = SETT_KEY_U32}),
             SETT_STATUS_LOCKED);
    CHECK_EQ(sett_world_trim(world), SETT_STATUS_LOCKED);
    CHECK_EQ(sett_world_clear(world), SETT_STATUS_LOCKED);
    CHECK_EQ(sett_commands_apply(sett_commands_here(world)), SETT_STATUS_LOCKED);
    /* All components are there, to read and to write. */
    CHECK(sett_group_has(in->group, entity));
    uint32_t* number = sett_get_mut(world, entity, in->type);
    CHECK(number != NULL);
    ++*number;
}

static void intrude_on_enter(sett_world* world, sett_entity entity, void* user)
{
    intruder* in = user;
    in->on_enter++;
    intrude(world, entity, in);
    CHECK_EQ(sett_entity_destroy(world, entity), SETT_STATUS_LOCKED);
    CHECK_EQ(sett_cmd_add(sett_commands_here(world), entity, in->other), SETT_OK);
}

static void intrude_left(sett_world* world, sett_entity entity, void* user)
{
    intruder* in = user;
    in->on_exit++;
    intrude(world, entity, in);
    /* Of what is being destroyed, destroying is no news. */
    CHECK_EQ(sett_entity_destroy(world, entity), in->destroying ? SETT_OK : SETT_STATUS_LOCKED);
    sett_commands* commands = sett_commands_here(world);
    sett_entity made = sett_cmd_create(commands);
    CHECK(!sett_is_null(made));
    CHECK_EQ(sett_cmd_add(commands, made, in->other), SETT_OK);
}

static void callbacks_read_write_and_record_only(void)
{
    for (int owned = 0; owned < 2; owned++) {
        sett_world* world = quiet_world();
        intruder in = {.type = sparse_type(world, "T"), .other = array_type(world, "O")};
        in.bystander = sett_entity_create(world);
        sett_group_desc desc = {
            .name = "guarded", .on_enter = intrude_on_enter, .on_exit = intrude_left, .user = &in};
        sett_component* list = owned != 0 ? desc.owned : desc.with;
        list[0] = in.type;
        in.group = sett_group_create(world, &desc);
        CHECK(in.group != NULL);
        sett_entity e = sett_entity_create(world);
        uint32_t* value = sett_add(world, e, in.type);
        CHECK(value != NULL && *value == 1 && in.on_enter == 1);
        CHECK(!sett_has(world, e, in.other));
        CHECK_EQ(sett_commands_apply(sett_commands_here(world)), SETT_OK);
        CHECK(sett_has(world, e, in.other));
        CHECK_EQ(sett_remove(world, e, in.type), SETT_OK);
        CHECK_EQ(in.on_exit, 1);
        CHECK_EQ(sett_entity_count(world), 2);
        CHECK_EQ(sett_commands_apply(sett_commands_here(world)), SETT_OK);
        CHECK_EQ(sett_entity_count(world), 3);
        CHECK_EQ(sett_component_count(world, in.other), 2);

        /* While commands are applied: what callbacks record is applied with them. */
        sett_commands* commands = sett_commands_here(world);
        sett_entity f = sett_cmd_create(commands);
        CHECK_EQ(sett_cmd_add(commands, f, in.type), SETT_OK);
        CHECK_EQ(sett_commands_apply(commands), SETT_OK);
        CHECK_EQ(in.on_enter, 2);
        CHECK(sett_has(world, f, in.other));
        in.destroying = true;
        CHECK_EQ(sett_entity_destroy(world, f), SETT_OK);
        CHECK_EQ(in.on_exit, 2);
        CHECK(!sett_entity_valid(world, f) && !sett_group_has(in.group, f));
        CHECK_EQ(sett_group_count(in.group), 0);
        CHECK_EQ(sett_commands_apply(commands), SETT_OK);
        CHECK_EQ(sett_component_count(world, in.other), 3);
        CHECK_END(world);
    }
}

/* ---- Memory runs out ------------------------------------------------------------------------- */

#define FAR 12000u /* indices of the entities lie so far apart: each has pages of its own */
#define PEOPLE 4u

typedef struct famine {
    scarce_memory memory;
    sett_world* world;
    sett_component a, b, m, tag;
    sett_entity entity[PEOPLE];
    sett_group* groups[3];
    sett_group_desc desc; /* of the group being made */
    sett_group* made;
    uint32_t notified;
    uint32_t number; /* of the step */
    char before[2000];
} famine;

/* The whole world as a text. */
static void famine_dump(const famine* f, char* out, size_t size)
{
    size_t at = 0;
    const sett_component ids[] = {f->a, f->b, f->m, f->tag};
    for (uint32_t cursor = 0;;) {
        sett_entity e = sett_entity_next(f->world, &cursor);
        if (sett_is_null(e)) {
            break;
        }
        at += (size_t)snprintf(out + at, size - at, "\n%u:%u", e.index, e.generation);
        for (uint32_t k = 0; k < 4; k++) {
            const uint32_t* value = sett_find(f->world, e, ids[k]);
            if (value != NULL) {
                at += (size_t)snprintf(out + at, size - at, " %u=%u", k, k < 3 ? *value : 0);
            }
        }
        for (uint32_t g = 0; g < 3; g++) {
            bool has = f->groups[g] != NULL && sett_group_has(f->groups[g], e);
            at += (size_t)snprintf(out + at, size - at, "%s", has ? " member" : "");
        }
        CHECK(at < size);
    }
    for (uint32_t g = 0; g < 3 && f->groups[g] != NULL; g++) {
        at += (size_t)snprintf(out + at, size - at, "\n%u", sett_group_count(f->groups[g]));
    }
    at += (size_t)snprintf(out + at, size - at, "\ntold %u\n%s\n%s", f->notified,
                           rows_of(f->world, f->a), rows_of(f->world, f->b));
    CHECK(at < size);
}

static void famine_unchanged(void* user)
{
    const famine* f = user;
    char after[sizeof(f->before)];
    famine_dump(f, after, sizeof(after));
    CHECK_STR_EQ(after, f->before);
}

static void famine_notified(sett_world* world, sett_entity entity, void* user)
{
    CHECK(sett_entity_valid(world, entity));
    ((famine*)user)->notified++;
}

static bool famine_create_group(void* user)
{
    famine* f = user;
    f->made = sett_group_create(f->world, &f->desc);
    return f->made != NULL;
}

/* Operations that make entities enter and leave, near and far. */
static bool famine_operate(void* user)
{
    famine* f = user;
    sett_world* w = f->world;
    uint32_t who = f->number % PEOPLE;
    uint32_t value = f->number + 1000;
    const sett_component all[] = {f->m, f->a, f->b};
    switch (f->number / PEOPLE) {
    case 0:
        return sett_add(w, f->entity[who], f->a) != NULL;
    case 1:
        return sett_set(w, f->entity[who], f->m, &value) != NULL;
    case 2:
        return sett_set(w, f->entity[who], f->b, &value) != NULL;
    case 3:
        return sett_add(w, f->entity[who], f->tag) != NULL;
    case 4:
        return sett_remove(w, f->entity[who], f->tag) == SETT_OK;
    case 5:
        return sett_remove(w, f->entity[who], who % 2 == 0 ? f->a : f->m) == SETT_OK;
    case 6:
        return sett_entity_create_many(w, 3 + who * 40, all, who % 4, NULL, NULL) == SETT_OK;
    default:
        return sett_entity_destroy(w, f->entity[who]) == SETT_OK;
    }
}

static void famine_begin(famine* f)
{
    memset(f, 0, sizeof(*f));
    f->world = scarce_world(&f->memory);
    f->a = sparse_type(f->world, "A");
    f->b = sparse_type(f->world, "B");
    f->m = array_type(f->world, "M");
    f->tag = SETT_REGISTER_TAG(f->world, Tag);
    for (uint32_t k = 0; k < PEOPLE; k++) {
        f->entity[k] = at_index(f->world, k * FAR);
    }
}

static void famine_run(famine* f, bool (*step)(void* user))
{
    famine_dump(f, f->before, sizeof(f->before));
    scarce_run(f->world, &f->memory, step, famine_unchanged, f);
}

static sett_group_desc famine_desc(const famine* f, uint32_t kind)
{
    sett_group_desc descs[3] = {
        {.name = "owning", .owned = {f->a, f->b}, .without = {f->tag}},
        {.name = "set", .with = {f->m, f->a}},
        {.name = "absent", .with = {f->m}, .without = {f->tag, f->b}},
    };
    descs[kind].on_enter = famine_notified;
    descs[kind].on_exit = famine_notified;
    descs[kind].user = (void*)(uintptr_t)f;
    return descs[kind];
}

static void creating_a_group_fails_without_a_trace(void)
{
    static famine f;
    famine_begin(&f);
    for (f.number = 0; f.number < 3 * PEOPLE; f.number++) {
        CHECK(f.number % 5 == 4 || famine_operate(&f));
    }
    for (uint32_t k = 0; k < 3; k++) {
        f.desc = famine_desc(&f, k);
        uint32_t failures = f.memory.failures;
        famine_run(&f, famine_create_group);
        CHECK(f.memory.failures > failures + 1);
        CHECK(sett_group_count(f.made) != 0 || k == 2);
        CHECK_EQ(sett_group_destroy(f.made), SETT_OK);
        famine_run(&f, famine_create_group);
        CHECK_EQ(f.notified, 0);
    }
    scarce_end(&f.memory, f.world);
    CHECK(f.notified != 0); /* at the end of the world all leave */
}

static void operations_fail_without_a_trace_while_groups_exist(void)
{
    static famine f;
    famine_begin(&f);
    for (uint32_t k = 0; k < 3; k++) {
        f.desc = famine_desc(&f, k);
        f.groups[k] = sett_group_create(f.world, &f.desc);
        CHECK(f.groups[k] != NULL);
    }
    for (f.number = 0; f.number < 6 * PEOPLE; f.number++) {
        famine_run(&f, famine_operate);
    }
    CHECK(f.memory.failures > 200);
    CHECK(f.notified > 3 * PEOPLE);
    /* The dump has no room for many: those are checked by the world's own validation. */
    for (; f.number < 8 * PEOPLE; f.number++) {
        scarce_run(f.world, &f.memory, famine_operate, NULL, &f);
    }
    printf("  %u failures\n", (unsigned)f.memory.failures);
    scarce_end(&f.memory, f.world);
}

/* ---- Housekeeping ---------------------------------------------------------------------------- */

/* Signatures are forgotten and their numbers given anew: plans of transitions must not survive. */
static void groups_survive_forgotten_signatures(void)
{
    sett_world* world = quiet_world();
    sett_component a = sparse_type(world, "A");
    sett_component m = array_type(world, "M");
    sett_component tags[14];
    for (uint32_t k = 0; k < 14; k++) {
        char name[] = {'t', (char)('a' + k), '\0'};
        sett_component_desc desc = {.name = name};
        tags[k] = sett_component_register(world, &desc);
    }
    sett_group* group = sett_group_create(
        world, &(sett_group_desc){.owned = {a}, .with = {tags[0]}, .without = {tags[1]}});
    sett_group* set =
        sett_group_create(world, &(sett_group_desc){.with = {m, tags[2]}, .without = {tags[0]}});
    CHECK(group != NULL && set != NULL);
    enum {
        FEW = 50
    };
    sett_entity e[FEW];
    uint32_t mask[FEW] = {0};
    for (uint32_t k = 0; k < FEW; k++) {
        e[k] = sett_entity_create(world);
        CHECK(sett_add(world, e[k], a) != NULL && sett_add(world, e[k], m) != NULL);
    }
    uint64_t random = 88172645463325252u;
    for (uint32_t round = 0; round < CHECK_ROUNDS(60000); round++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        uint32_t who = (uint32_t)(random >> 10) % FEW;
        uint32_t tag = (uint32_t)(random >> 40) % 14;
        if ((mask[who] >> tag & 1) != 0) {
            CHECK_EQ(sett_remove(world, e[who], tags[tag]), SETT_OK);
        } else {
            CHECK(sett_add(world, e[who], tags[tag]) != NULL);
        }
        mask[who] ^= 1u << tag;
        CHECK_EQ(sett_group_has(group, e[who]), (mask[who] & 3) == 1);
        CHECK_EQ(sett_group_has(set, e[who]), (mask[who] & 5) == 4);
        if (round % 4001 == 0) {
            CHECK_EQ(sett_world_trim(world), SETT_OK);
            CHECK_VALID(world);
        }
    }
    uint32_t count[2] = {0, 0};
    for (uint32_t k = 0; k < FEW; k++) {
        count[0] += (mask[k] & 3) == 1;
        count[1] += (mask[k] & 5) == 4;
    }
    CHECK_EQ(sett_group_count(group), count[0]);
    CHECK_EQ(sett_group_count(set), count[1]);
    CHECK_END(world);
}

/* A tracked set without members holds no pages after a trim. */
static void trimming_reaches_the_pages_of_sets(void)
{
    sett_world* world = quiet_world();
    sett_component a = array_type(world, "A");
    sett_group* set = sett_group_create(world, &(sett_group_desc){.with = {a}});
    for (uint32_t k = 0; k < 10; k++) {
        entity_number(world, k * 20000, a);
    }
    const setti_storage* members = &set->listener.members;
    CHECK_EQ(sett_component_clear(world, a), SETT_OK);
    CHECK_EQ(sett_world_trim(world), SETT_OK);
    for (uint32_t number = 0; number < members->presence.count; number++) {
        CHECK(members->presence.data[number] == NULL);
    }
    CHECK_END(world);
}

TEST_MAIN(TEST(the_walk_through_of_a_full_group), TEST(a_partial_group_arranges_what_it_owns),
          TEST(a_tracked_set_moves_nothing), TEST(a_condition_can_be_an_absence),
          TEST(a_type_is_in_one_list), TEST(a_late_group_takes_in_who_qualifies),
          TEST(a_destroyed_group_leaves_no_trace), TEST(a_second_owner_is_rejected_by_both_names),
          TEST(wrong_descriptions_are_rejected), TEST(a_type_named_twice_is_one),
          TEST(groups_stay_as_they_are_while_a_loop_is_open),
          TEST(a_value_given_from_an_owned_storage_is_the_one_meant),
          TEST(callbacks_come_after_on_add_and_before_on_remove),
          TEST(a_crossing_on_the_way_is_notified), TEST(callbacks_read_write_and_record_only),
          TEST(creating_a_group_fails_without_a_trace),
          TEST(operations_fail_without_a_trace_while_groups_exist),
          TEST(groups_survive_forgotten_signatures), TEST(trimming_reaches_the_pages_of_sets))

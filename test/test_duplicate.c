/* test_duplicate.c: copies of entities, within a world and into another. */
#include "scarce.h"
#include "sett/duplicate.h"
#include "sett/hierarchy.h"
#include "sett/name.h"
#include "sett/prefab.h"
#include "sett/relationship.h"

typedef struct Node {
    uint32_t number;
    sett_entity friend;
    sett_entity none;
} Node;

static const uint32_t node_offsets[] = {offsetof(Node, friend), offsetof(Node, none)};

typedef struct place {
    sett_world* world;
    sett_component node, dont_fragment, likes, owes;
} place;

static place place_make(sett_world* world, uint32_t skip)
{
    place p = {.world = world};
    for (uint32_t k = 0; k < skip; k++) { /* ids differ between worlds */
        char name[8] = {'S', (char)('0' + k), 0};
        CHECK(sett_component_register(world, &(sett_component_desc){.name = name}) != 0);
    }
    p.node = sett_component_register(world, &(sett_component_desc){SETT_TYPE(Node),
                                                                   .entity_offsets = node_offsets,
                                                                   .entity_offset_count = 2});
    p.dont_fragment = sett_component_register(
        world, &(sett_component_desc){.name = "Dont_fragment", .size = 4, .dont_fragment = true});
    p.likes = sett_relationship_register(
        world, &(sett_relationship_desc){.name = "Likes", .size = 4, .align = 4, .many = true});
    p.owes = sett_relationship_register(
        world, &(sett_relationship_desc){.name = "Owes", .size = 4, .align = 4});
    CHECK(p.node != 0 && p.dont_fragment != 0 && p.likes != 0 && p.owes != 0);
    return p;
}

static place begin(uint32_t skip)
{
    sett_world* world = quiet_world();
    return place_make(world, skip);
}

static sett_entity add(const place* p, uint32_t number, sett_entity parent)
{
    sett_entity entity = sett_entity_create(p->world);
    CHECK(sett_set(p->world, entity, p->node, &(Node){.number = number}) != NULL);
    CHECK(sett_is_null(parent) || sett_hierarchy_attach(p->world, entity, parent) == SETT_OK);
    return entity;
}

static Node* node(const place* p, sett_entity entity)
{
    return sett_get_mut(p->world, entity, p->node);
}

/* top(1): left(2): leaf(3), right(4); and an entity outside(5) that all link to. */
static sett_entity grow(const place* p, sett_entity out[5])
{
    out[0] = add(p, 1, sett_null());
    out[1] = add(p, 2, out[0]);
    out[2] = add(p, 3, out[1]);
    out[3] = add(p, 4, out[0]);
    out[4] = add(p, 5, sett_null());
    CHECK_EQ(sett_name_set(p->world, out[0], "top"), SETT_OK);
    CHECK_EQ(sett_name_set(p->world, out[2], "leaf"), SETT_OK);
    for (uint32_t k = 0; k < 4; k++) {
        node(p, out[k])->friend = k % 2 == 0 ? out[4] : out[3 - k];
        *(uint32_t*)sett_relate(p->world, out[k], p->likes, out[4]) = k;
        *(uint32_t*)sett_relate(p->world, out[k], p->likes, out[(k + 1) % 4]) = k + 10;
        *(uint32_t*)sett_relate(p->world, out[k], p->owes, k < 2 ? out[4] : out[k - 2]) = k + 20;
        CHECK(sett_relate(p->world, out[4], p->likes, out[k]) != NULL);
    }
    *(uint32_t*)sett_add(p->world, out[2], p->dont_fragment) = 33;
    return out[0];
}

static void copies_hang_together(void)
{
    place p = begin(0);
    sett_entity e[5];
    sett_entity c[4];
    sett_entity top = grow(&p, e);
    sett_entity above = add(&p, 9, sett_null());
    CHECK_EQ(sett_hierarchy_attach(p.world, top, above), SETT_OK);
    CHECK_EQ(sett_hierarchy_set_policy(p.world, e[1], SETT_CHILDREN_DETACH), SETT_OK);
    c[0] = sett_duplicate(p.world, top, NULL);
    CHECK(!sett_is_null(c[0]));
    CHECK_VALID(p.world);
    CHECK_EQ(sett_entity_count(p.world), 10);
    CHECK_ENTITY_EQ(sett_hierarchy_last(p.world, above), c[0]);
    c[1] = sett_hierarchy_first(p.world, c[0]);
    c[2] = sett_hierarchy_first(p.world, c[1]);
    c[3] = sett_hierarchy_next(p.world, c[1]);
    CHECK_EQ(sett_hierarchy_child_count(p.world, c[0]), 2);
    for (uint32_t k = 0; k < 4; k++) {
        CHECK_EQ(node(&p, c[k])->number, k + 1);
        CHECK_ENTITY_EQ(node(&p, c[k])->friend, k % 2 == 0 ? e[4] : c[3 - k]);
        CHECK(sett_is_null(node(&p, c[k])->none));
        CHECK_EQ(sett_target_count(p.world, c[k], p.likes), 2);
        CHECK_ENTITY_EQ(sett_target(p.world, c[k], p.likes), e[4]);
        CHECK_EQ(*(const uint32_t*)sett_related(p.world, c[k], p.likes, e[4]), k);
        CHECK_EQ(*(const uint32_t*)sett_related(p.world, c[k], p.likes, c[(k + 1) % 4]), k + 10);
        CHECK_ENTITY_EQ(sett_target(p.world, c[k], p.owes), k < 2 ? e[4] : c[k - 2]);
        CHECK_EQ(*(const uint32_t*)sett_related(p.world, c[k], p.owes,
                                                sett_target(p.world, c[k], p.owes)),
                 k + 20);
        CHECK(sett_related(p.world, e[4], p.likes, c[k]) == NULL);
    }
    CHECK_EQ(*(const uint32_t*)sett_get(p.world, c[2], p.dont_fragment), 33);
    CHECK_EQ(sett_component_count(p.world, p.dont_fragment), 2);
    CHECK(sett_name_get(p.world, c[0]) == NULL); /* its sibling has it */
    CHECK_ENTITY_EQ(sett_name_find(p.world, c[1], "leaf"), c[2]);
    CHECK_ENTITY_EQ(sett_name_lookup(p.world, above, "top"), top);
    CHECK_EQ(sett_entity_destroy(p.world, c[1]), SETT_OK); /* its policy came along */
    CHECK(sett_entity_valid(p.world, c[2]));
    CHECK_END(p.world);
}

static void one_may_be_copied_alone(void)
{
    place p = begin(0);
    sett_entity e[5];
    grow(&p, e);
    sett_entity copy = sett_duplicate(p.world, e[1], &(sett_duplicate_desc){.alone = true});
    CHECK_EQ(sett_entity_count(p.world), 6);
    CHECK_EQ(sett_hierarchy_child_count(p.world, copy), 0);
    CHECK_ENTITY_EQ(sett_hierarchy_parent(p.world, copy), e[0]);
    CHECK_ENTITY_EQ(node(&p, copy)->friend, e[2]);
    CHECK(sett_related(p.world, copy, p.likes, e[2]) != NULL);
    CHECK_END(p.world);
}

static void copies_go_to_other_worlds(void)
{
    place p = begin(0);
    place q = begin(5);
    CHECK(p.node != q.node);
    sett_entity e[5];
    sett_entity c[4];
    sett_entity top = grow(&p, e);
    CHECK_EQ(sett_prefab_make(p.world, top), SETT_OK);
    for (uint32_t k = 0; k < 20; k++) { /* indices that mean others there */
        add(&q, 100 + k, sett_null());
    }
    sett_entity above = add(&p, 9, sett_null());
    CHECK_EQ(sett_hierarchy_attach(p.world, top, above), SETT_OK);
    uint32_t lost = 0;
    c[0] = sett_duplicate(p.world, top, &(sett_duplicate_desc){.to = q.world, .lost = &lost});
    CHECK(!sett_is_null(c[0]));
    CHECK_EQ(lost, 2 + 4 + 2 + 1); /* members, links, and the parent */
    CHECK_EQ(sett_entity_count(q.world), 24);
    CHECK(sett_is_null(sett_hierarchy_parent(q.world, c[0])));
    c[1] = sett_hierarchy_first(q.world, c[0]);
    c[2] = sett_hierarchy_first(q.world, c[1]);
    c[3] = sett_hierarchy_next(q.world, c[1]);
    for (uint32_t k = 0; k < 4; k++) {
        CHECK_EQ(node(&q, c[k])->number, k + 1);
        CHECK_ENTITY_EQ(node(&q, c[k])->friend, k % 2 == 0 ? sett_null() : c[3 - k]);
        CHECK_EQ(sett_target_count(q.world, c[k], q.likes), 1);
        CHECK_EQ(*(const uint32_t*)sett_related(q.world, c[k], q.likes, c[(k + 1) % 4]), k + 10);
        CHECK_ENTITY_EQ(sett_target(q.world, c[k], q.owes), k < 2 ? sett_null() : c[k - 2]);
        CHECK_EQ(sett_has(q.world, c[k], q.owes), k >= 2);
        CHECK(sett_has(q.world, c[k], sett_prefab_tag(q.world)));
    }
    CHECK_EQ(*(const uint32_t*)sett_get(q.world, c[2], q.dont_fragment), 33);
    CHECK_ENTITY_EQ(sett_name_lookup(q.world, sett_null(), "top"), c[0]);
    CHECK_ENTITY_EQ(sett_name_find(q.world, c[1], "leaf"), c[2]);
    CHECK_VALID(p.world);
    CHECK_VALID(q.world);

    sett_component only = sett_component_register(p.world, &(sett_component_desc){.name = "Only"});
    CHECK(sett_add(p.world, e[3], only) != NULL);
    CHECK(sett_is_null(sett_duplicate(p.world, top, &(sett_duplicate_desc){.to = q.world})));
    CHECK_EQ(sett_world_error(q.world), SETT_STATUS_UNREGISTERED);
    CHECK(sett_component_register(q.world, &(sett_component_desc){.name = "Only", .size = 4}) != 0);
    CHECK(sett_is_null(sett_duplicate(p.world, top, &(sett_duplicate_desc){.to = q.world})));
    CHECK_EQ(sett_world_error(q.world), SETT_STATUS_CONFLICT);
    CHECK_EQ(sett_entity_count(q.world), 24);
    CHECK_VALID(q.world);
    sett_world_destroy(p.world);
    sett_world_destroy(q.world);
}

/* A hall with a boss, as what all link to, in each of two worlds; one has a top there already. */
static void furnish(const place* p, sett_entity boss, sett_entity top, sett_entity hall)
{
    CHECK_EQ(sett_name_set(p->world, hall, "hall"), SETT_OK);
    CHECK_EQ(sett_name_set(p->world, boss, "boss"), SETT_OK);
    CHECK_EQ(sett_hierarchy_attach(p->world, boss, hall), SETT_OK);
    CHECK_EQ(sett_hierarchy_attach(p->world, top, hall), SETT_OK);
}

static void references_lead_by_path_in_another_world(void)
{
    place p = begin(0);
    place q = begin(5);
    sett_entity e[5];
    sett_entity top = grow(&p, e);
    furnish(&p, e[4], top, add(&p, 9, sett_null()));
    for (uint32_t k = 0; k < 20; k++) { /* indices that mean others there */
        add(&q, 100 + k, sett_null());
    }
    sett_entity hall = add(&q, 9, sett_null());
    sett_entity boss = add(&q, 5, sett_null());
    sett_entity taken = add(&q, 1, sett_null());
    furnish(&q, boss, taken, hall);
    CHECK_EQ(sett_name_set(q.world, taken, "top"), SETT_OK);
    for (uint32_t round = 1; round <= 2; round++) {
        uint32_t lost = 7;
        const sett_duplicate_desc desc = {.to = q.world, .lost = &lost};
        sett_entity copy = sett_duplicate(p.world, top, &desc);
        CHECK_MSG(!sett_is_null(copy), "%s", sett_world_message(q.world));
        CHECK_EQ(lost, 0);
        CHECK_ENTITY_EQ(sett_hierarchy_parent(q.world, copy), hall);
        CHECK(sett_name_get(q.world, copy) == NULL);
        CHECK_ENTITY_EQ(node(&q, copy)->friend, boss);
        CHECK_ENTITY_EQ(sett_target(q.world, copy, q.owes), boss);
        CHECK_EQ(*(const uint32_t*)sett_related(q.world, copy, q.owes, boss), 20);
        CHECK_EQ(*(const uint32_t*)sett_related(q.world, copy, q.likes, boss), 0);
        CHECK_EQ(sett_source_count(q.world, q.owes, boss), 2 * round);
        CHECK_EQ(sett_source_count(q.world, q.likes, boss), 4 * round);
        CHECK_EQ(sett_target_count(q.world, boss, q.likes), 0);
    }
    sett_entity guest = add(&p, 6, sett_null()); /* refers to it by its value alone */
    node(&p, guest)->friend = e[4];
    guest = sett_duplicate(p.world, guest, &(sett_duplicate_desc){.to = q.world});
    CHECK_ENTITY_EQ(node(&q, guest)->friend, boss);
    CHECK_EQ(sett_name_set(q.world, hall, "cellar"), SETT_OK); /* so no path leads there */
    uint32_t lost = 0;
    const sett_duplicate_desc alone = {.to = q.world, .lost = &lost, .alone = true};
    sett_entity copy = sett_duplicate(p.world, top, &alone);
    CHECK_EQ(lost, 1 + 2 + 1 + 1);
    CHECK(sett_is_null(sett_hierarchy_parent(q.world, copy)));
    CHECK(sett_is_null(node(&q, copy)->friend) && !sett_has(q.world, copy, q.owes));
    CHECK_STR_EQ(sett_name_get(q.world, copy), "top");
    CHECK_END(p.world);
    CHECK_END(q.world);
}

static void misuse_is_rejected(void)
{
    place p = begin(0);
    sett_entity e[5];
    sett_entity top = grow(&p, e);
    CHECK(sett_is_null(sett_duplicate(p.world, sett_null(), NULL)));
    CHECK_EQ(sett_world_error(p.world), SETT_STATUS_STALE);
    sett_query* query = sett_query_create(p.world, &(sett_query_desc){.name = "all"});
    SETT_QUERY_EACH(query, batch) {
        CHECK(sett_is_null(sett_duplicate(p.world, top, NULL)));
        CHECK_EQ(sett_world_error(p.world), SETT_STATUS_LOCKED);
    }
    sett_world_destroy(p.world);
}

/* Many nodes of many types: more than any buffer on the way. */
static void large_trees_are_copied(void)
{
    place p = begin(0);
    sett_entity root = add(&p, 0, sett_null());
    sett_entity at[1000];
    sett_component tags[80];
    at[0] = root;
    for (uint32_t k = 0; k < 80; k++) {
        char name[8];
        snprintf(name, sizeof(name), "T%u", (unsigned)k);
        tags[k] = sett_component_register(p.world, &(sett_component_desc){.name = name});
        CHECK(sett_add(p.world, root, tags[k]) != NULL);
    }
    for (uint32_t k = 1; k < 1000; k++) {
        at[k] = add(&p, k, at[(k - 1) / 3]);
        node(&p, at[k])->friend = at[(k * 7) % k];
        CHECK(sett_relate(p.world, at[k], p.likes, at[(k * 31) % k]) != NULL);
    }
    sett_entity copy = sett_duplicate(p.world, root, NULL);
    CHECK_VALID(p.world);
    CHECK_EQ(sett_entity_count(p.world), 2000);
    CHECK_EQ(sett_entity_components(p.world, copy, NULL, 0),
             sett_entity_components(p.world, root, NULL, 0));
    sett_entity a = root;
    sett_entity b = copy;
    for (uint32_t k = 0; k < 1000; k++) {
        CHECK_EQ(node(&p, a)->number, node(&p, b)->number);
        sett_entity friend_a = node(&p, a)->friend;
        sett_entity friend_b = node(&p, b)->friend;
        CHECK_EQ(sett_is_null(friend_a), sett_is_null(friend_b));
        CHECK(sett_is_null(friend_a) || (node(&p, friend_a)->number == node(&p, friend_b)->number &&
                                         sett_hierarchy_is_descendant(p.world, friend_b, copy) !=
                                             sett_equals(friend_b, copy)));
        a = sett_hierarchy_walk(p.world, root, a);
        b = sett_hierarchy_walk(p.world, copy, b);
    }
    CHECK(sett_is_null(a) && sett_is_null(b));
    sett_world_destroy(p.world);
}

static place scarce_place;
static sett_entity scarce_top;
static uint64_t scarce_values;

static uint64_t count_values(sett_world* world)
{
    sett_stats stats;
    sett_world_stats(world, &stats);
    return stats.values * 100000 + stats.entities;
}

static bool duplicate(void* user)
{
    (void)user;
    return !sett_is_null(sett_duplicate(scarce_place.world, scarce_top, NULL));
}

static void nothing_copied(void* user)
{
    (void)user;
    CHECK_EQ(count_values(scarce_place.world), scarce_values);
}

static void memory_runs_out(void)
{
    static scarce_memory memory;
    sett_entity e[5];
    scarce_place = place_make(scarce_world(&memory), 0);
    scarce_top = grow(&scarce_place, e);
    for (uint32_t k = 0; k < 60; k++) {
        sett_entity more = add(&scarce_place, k, e[k % 4]);
        CHECK(sett_relate(scarce_place.world, more, scarce_place.likes, e[1]) != NULL);
    }
    scarce_values = count_values(scarce_place.world);
    scarce_run(scarce_place.world, &memory, duplicate, nothing_copied, NULL);
    CHECK_EQ(sett_entity_count(scarce_place.world), 129);
    CHECK(memory.failures > 20);
    scarce_end(&memory, scarce_place.world);
}

static bool duplicate_there(void* user)
{
    const place* from = user;
    return !sett_is_null(
        sett_duplicate(from->world, scarce_top, &(sett_duplicate_desc){.to = scarce_place.world}));
}

static void memory_runs_out_in_another_world(void)
{
    static scarce_memory memory;
    sett_entity e[5];
    place from = begin(0);
    scarce_top = grow(&from, e);
    furnish(&from, e[4], scarce_top, add(&from, 9, sett_null()));
    scarce_place = place_make(scarce_world(&memory), 0);
    sett_entity hall = add(&scarce_place, 9, sett_null());
    furnish(&scarce_place, add(&scarce_place, 5, sett_null()), add(&scarce_place, 1, sett_null()),
            hall);
    scarce_values = count_values(scarce_place.world);
    scarce_run(scarce_place.world, &memory, duplicate_there, nothing_copied, &from);
    CHECK_EQ(sett_entity_count(scarce_place.world), 7);
    CHECK(memory.failures > 10);
    scarce_end(&memory, scarce_place.world);
    CHECK_END(from.world);
}

static void another_world_gets_the_types_of_the_library(void)
{
    sett_world* from = quiet_world();
    sett_world* to = quiet_world();
    sett_entity level = sett_entity_create(from);
    sett_entity tank = sett_entity_create(from);
    CHECK_EQ(sett_name_set(from, level, "level"), SETT_OK);
    CHECK_EQ(sett_hierarchy_attach(from, tank, level), SETT_OK);
    CHECK_EQ(sett_prefab_make(from, tank), SETT_OK);
    sett_entity made[2];
    CHECK_EQ(sett_instantiate(from, tank, 2, made), SETT_OK);
    for (uint32_t k = 0; k < 2; k++) {
        CHECK_EQ(sett_hierarchy_attach(from, made[k], level), SETT_OK);
    }
    CHECK(sett_add(from, made[1], sett_disabled_tag(from)) != NULL);
    sett_entity copy = sett_duplicate(from, level, &(sett_duplicate_desc){.to = to});
    CHECK_MSG(!sett_is_null(copy), "%s", sett_world_message(to));
    sett_entity child = sett_hierarchy_first(to, copy);
    CHECK(sett_has(to, child, SETT_ID_PREFAB));
    CHECK_EQ(sett_source_count(to, SETT_ID_INSTANCE_OF, child), 2);
    CHECK(sett_has(to, sett_hierarchy_last(to, copy), SETT_ID_DISABLED));
    CHECK_END(from);
    CHECK_END(to);
}

TEST_MAIN(TEST(copies_hang_together), TEST(one_may_be_copied_alone),
          TEST(copies_go_to_other_worlds), TEST(references_lead_by_path_in_another_world),
          TEST(memory_runs_out_in_another_world), TEST(misuse_is_rejected),
          TEST(large_trees_are_copied), TEST(memory_runs_out),
          TEST(another_world_gets_the_types_of_the_library))

/* test_hierarchy.c: links, policies, depths, walks, and what destroying does to a tree. */
#include "check.h"
#include "scarce.h"
#include "sett/hierarchy.h"
#include "sett/observer.h"
#include "sett/relationship.h"
#include "sett/sett.h"
#include "sett/state.h"

#include "world/world.h"

static sett_entity child_of(sett_world* world, sett_entity parent)
{
    sett_entity e = sett_entity_create(world);
    CHECK_EQ(sett_hierarchy_attach(world, e, parent), SETT_OK);
    return e;
}

/* The children, in order, are these; and all links say so. */
static void expect_children(sett_world* world, sett_entity parent, uint32_t count,
                            const sett_entity* children)
{
    CHECK_EQ(sett_hierarchy_child_count(world, parent), count);
    sett_entity previous = sett_null();
    sett_entity at = sett_hierarchy_first(world, parent);
    for (uint32_t k = 0; k < count; k++) {
        CHECK(sett_equals(at, children[k]));
        CHECK(sett_equals(sett_hierarchy_parent(world, at), parent));
        CHECK(sett_equals(sett_hierarchy_previous(world, at), previous));
        previous = at;
        at = sett_hierarchy_next(world, at);
    }
    CHECK(sett_is_null(at));
    CHECK(sett_equals(sett_hierarchy_last(world, parent), previous));
    CHECK_VALID(world);
}

#define CHILDREN(world, parent, ...)                                                               \
    do {                                                                                           \
        sett_entity children_[] = {__VA_ARGS__};                                                   \
        expect_children((world), (parent), sizeof(children_) / sizeof(children_[0]), children_);   \
    } while (0)

static void keeps_children_in_order(void)
{
    sett_world* world = quiet_world();
    sett_entity p = sett_entity_create(world);
    sett_entity a = child_of(world, p);
    sett_entity b = child_of(world, p);
    sett_entity c = child_of(world, p);
    CHILDREN(world, p, a, b, c);
    CHECK_EQ(sett_hierarchy_attach(world, a, p), SETT_OK); /* to the end */
    CHILDREN(world, p, b, c, a);
    CHECK_EQ(sett_hierarchy_insert_before(world, a, b), SETT_OK);
    CHILDREN(world, p, a, b, c);
    CHECK_EQ(sett_hierarchy_insert_after(world, a, b), SETT_OK);
    CHILDREN(world, p, b, a, c);
    CHECK_EQ(sett_hierarchy_insert_after(world, b, c), SETT_OK);
    CHILDREN(world, p, a, c, b);
    CHECK_EQ(sett_hierarchy_insert_before(world, a, c), SETT_OK); /* it exists already */
    CHECK_EQ(sett_hierarchy_insert_after(world, b, c), SETT_OK);
    CHILDREN(world, p, a, c, b);
    CHECK_EQ(sett_hierarchy_detach(world, c), SETT_OK);
    CHILDREN(world, p, a, b);
    CHECK(sett_is_null(sett_hierarchy_parent(world, c)));
    CHECK(sett_is_null(sett_hierarchy_next(world, c)));
    CHECK_EQ(sett_hierarchy_detach(world, c), SETT_OK);
    CHECK_EQ(sett_hierarchy_detach(world, p), SETT_OK);
    CHECK_EQ(sett_hierarchy_insert_before(world, c, b), SETT_OK);
    CHILDREN(world, p, a, c, b);
    CHECK_EQ(sett_hierarchy_depth(world, c), 1);
    sett_world_destroy(world);
}

static void puts_children_in_order(void)
{
    sett_world* world = quiet_world();
    sett_entity e[6];
    CHECK_EQ(sett_entity_create_many(world, 6, NULL, 0, NULL, e), SETT_OK);
    for (uint32_t k = 1; k < 5; k++) {
        CHECK_EQ(sett_hierarchy_attach(world, e[k], e[0]), SETT_OK);
    }
    sett_entity order[] = {e[4], e[2], e[4]}; /* where it is listed first */
    CHECK_EQ(sett_hierarchy_order(world, e[0], order, 3), SETT_OK);
    expect_children(world, e[0], 4, (sett_entity[]){e[4], e[2], e[1], e[3]});
    CHECK_VALID(world);
    CHECK_EQ(sett_hierarchy_order(world, e[0], order, 0), SETT_OK);
    order[1] = e[5];
    CHECK_EQ(sett_hierarchy_order(world, e[0], order, 3), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_hierarchy_order(world, e[5], order, 3), SETT_STATUS_ARGUMENT);
    sett_entity_destroy(world, e[4]);
    CHECK_EQ(sett_hierarchy_order(world, e[0], order, 1), SETT_STATUS_STALE);
    expect_children(world, e[0], 3, (sett_entity[]){e[2], e[1], e[3]});
    CHECK_END(world);
}

static void is_a_component_like_any_other(void)
{
    sett_world* world = quiet_world();
    CHECK(sett_component_name(world, SETT_ID_HIERARCHY) == NULL);
    sett_component id = sett_hierarchy_register(world, NULL);
    CHECK_EQ(id, SETT_ID_HIERARCHY);
    CHECK_EQ(sett_hierarchy_register(world, NULL), id);
    CHECK_STR_EQ(sett_component_name(world, id), "Hierarchy");
    sett_entity p = sett_entity_create(world);
    sett_entity c = child_of(world, p);
    sett_entity other = sett_entity_create(world);
    CHECK(sett_has(world, p, id) && sett_has(world, c, id) && !sett_has(world, other, id));
    CHECK_EQ(sett_component_count(world, id), 2);
    const sett_hierarchy* node = sett_get(world, c, id);
    CHECK_EQ(node->parent, p.index + 1);
    CHECK_EQ(node->depth, 1);
    sett_world_destroy(world);

    world = quiet_world(); /* a type of that name which is something else */
    CHECK(sett_component_register(world, &(sett_component_desc){.name = "Hierarchy"}) != 0);
    CHECK_EQ(sett_hierarchy_register(world, NULL), 0);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_CONFLICT);
    p = sett_entity_create(world);
    c = sett_entity_create(world);
    CHECK_EQ(sett_hierarchy_attach(world, c, p), SETT_STATUS_CONFLICT);
    sett_world_destroy(world);
}

static void says_nothing_of_strangers(void)
{
    sett_world* world = quiet_world();
    sett_entity e = sett_entity_create(world);
    sett_entity gone = sett_entity_create(world);
    CHECK_EQ(sett_entity_destroy(world, gone), SETT_OK);
    for (uint32_t round = 0; round < 2; round++) { /* before and after the type exists */
        sett_entity list[3] = {e, gone, sett_null()};
        for (uint32_t k = 0; k < 3; k++) {
            CHECK(sett_is_null(sett_hierarchy_parent(world, list[k])));
            CHECK(sett_is_null(sett_hierarchy_first(world, list[k])));
            CHECK(sett_is_null(sett_hierarchy_last(world, list[k])));
            CHECK(sett_is_null(sett_hierarchy_next(world, list[k])));
            CHECK(sett_is_null(sett_hierarchy_previous(world, list[k])));
            CHECK(sett_is_null(sett_hierarchy_walk(world, list[k], list[k])));
            CHECK(sett_equals(sett_hierarchy_root(world, list[k]), k == 0 ? e : sett_null()));
            CHECK_EQ(sett_hierarchy_child_count(world, list[k]), 0);
            CHECK_EQ(sett_hierarchy_depth(world, list[k]), 0);
            CHECK(!sett_hierarchy_is_descendant(world, list[k], e));
            CHECK(!sett_hierarchy_is_descendant(world, e, list[k]));
            if (k > 0) {
                CHECK_EQ(sett_hierarchy_attach(world, e, list[k]), SETT_STATUS_STALE);
                CHECK_EQ(sett_hierarchy_attach(world, list[k], e), SETT_STATUS_STALE);
                CHECK_EQ(sett_hierarchy_detach(world, list[k]), SETT_STATUS_STALE);
                CHECK_EQ(sett_hierarchy_insert_before(world, list[k], e), SETT_STATUS_STALE);
                CHECK_EQ(sett_hierarchy_insert_after(world, e, list[k]), SETT_STATUS_STALE);
                CHECK_EQ(sett_hierarchy_set_policy(world, list[k], SETT_CHILDREN_DETACH),
                         SETT_STATUS_STALE);
            }
        }
        sett_hierarchy_update(world);
        CHECK_EQ(sett_hierarchy_detach(world, e), SETT_OK);
        CHECK(sett_hierarchy_register(world, NULL) != 0);
    }
    CHECK_EQ(
        sett_hierarchy_register(world, &(sett_hierarchy_desc){.policy = (sett_children_policy)9}),
        0);
    CHECK_EQ(sett_hierarchy_set_policy(world, e, (sett_children_policy)4), SETT_STATUS_ARGUMENT);
    CHECK_END(world);
}

static void rejects_cycles(void)
{
    sett_world* world = quiet_world();
    sett_entity a = sett_entity_create(world);
    sett_entity b = child_of(world, a);
    sett_entity c = child_of(world, b);
    CHECK_EQ(sett_hierarchy_attach(world, a, a), SETT_STATUS_CYCLE);
    CHECK_STR_EQ(
        sett_world_message(world),
        "sett_hierarchy_attach: entity 0:1 cannot be its own parent - choose another parent");
    CHECK_EQ(sett_hierarchy_attach(world, a, c), SETT_STATUS_CYCLE);
    CHECK_STR_EQ(
        sett_world_message(world),
        "sett_hierarchy_attach: entity 0:1 cannot be a child of its descendant 2:1 - first detach "
        "the descendant");
    CHECK_EQ(sett_hierarchy_attach(world, b, c), SETT_STATUS_CYCLE);
    CHECK_EQ(sett_hierarchy_insert_before(world, a, c), SETT_STATUS_CYCLE);
    CHECK_EQ(sett_hierarchy_insert_after(world, b, c), SETT_STATUS_CYCLE);
    CHECK_EQ(sett_hierarchy_insert_after(world, b, b), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_hierarchy_insert_before(world, c, a), SETT_STATUS_ARGUMENT);
    sett_entity single = sett_entity_create(world);
    CHECK_EQ(sett_hierarchy_attach(world, single, single), SETT_STATUS_CYCLE);
    CHECK(!sett_has(world, single, SETT_ID_HIERARCHY));
    CHILDREN(world, a, b);
    CHILDREN(world, b, c);
    CHECK(sett_hierarchy_is_descendant(world, c, a) && sett_hierarchy_is_descendant(world, c, b));
    CHECK(!sett_hierarchy_is_descendant(world, a, c) && !sett_hierarchy_is_descendant(world, a, a));
    CHECK(sett_equals(sett_hierarchy_root(world, c), a));
    sett_world_destroy(world);
}

static void repairs_depths_when_asked(void)
{
    sett_world* world = quiet_world();
    sett_component id = sett_hierarchy_register(world, NULL);
    sett_entity chain[64];
    for (uint32_t k = 0; k < 64; k++) {
        chain[k] = sett_entity_create(world);
    }
    for (uint32_t k = 63; k > 0; k--) { /* from its end upwards: every step moves a subtree */
        CHECK_EQ(sett_hierarchy_attach(world, chain[k], chain[k - 1]), SETT_OK);
        CHECK_VALID(world);
    }
    for (uint32_t k = 0; k < 64; k++) {
        CHECK_EQ(sett_hierarchy_depth(world, chain[k]), k);
    }
    CHECK_EQ(sett_hierarchy_detach(world, chain[40]), SETT_OK);
    CHECK_EQ(sett_hierarchy_detach(world, chain[20]), SETT_OK);
    CHECK_EQ(sett_hierarchy_attach(world, chain[40], chain[39]), SETT_OK);
    CHECK_VALID(world);
    sett_hierarchy_update(world);
    for (uint32_t k = 0; k < 64; k++) {
        CHECK_EQ(((const sett_hierarchy*)sett_get(world, chain[k], id))->depth,
                 k < 20 ? k : k - 20);
    }
    /* those who wait for their depth end: one in the midst of the list, one at its head */
    sett_entity p = sett_entity_create(world);
    for (uint32_t k = 60; k >= 50; k -= 5) {
        CHECK_EQ(sett_hierarchy_attach(world, chain[k], p), SETT_OK);
    }
    CHECK_EQ(sett_remove(world, chain[55], id), SETT_OK);
    CHECK_VALID(world);
    CHECK_EQ(sett_hierarchy_depth(world, chain[57]), 1);
    CHECK_EQ(sett_hierarchy_depth(world, chain[63]), 4);
    CHECK_EQ(sett_hierarchy_attach(world, chain[56], chain[0]), SETT_OK);
    CHECK_EQ(sett_entity_destroy(world, chain[56]), SETT_OK);
    CHECK(!sett_entity_valid(world, chain[57]) && sett_entity_valid(world, chain[60]));
    CHECK_END(world);
}

/* Three chains: the second one was moved, with what is below it, below the first. */
static void move_a_chain(sett_world* world, sett_entity at[12])
{
    for (uint32_t k = 0; k < 12; k++) {
        at[k] = sett_entity_create(world);
        if (k % 4 != 0) {
            CHECK_EQ(sett_hierarchy_attach(world, at[k], at[k - 1]), SETT_OK);
        }
    }
    CHECK_EQ(sett_hierarchy_attach(world, at[4], at[3]), SETT_OK);
}

/* Worlds with the same links are equal, whether or not depths were read. */
static void is_compared_by_its_links(void)
{
    char text[256];
    sett_entity at[12];
    sett_world* lazy = quiet_world();
    sett_world* asked = quiet_world();
    move_a_chain(lazy, at);
    move_a_chain(asked, at);
    uint64_t hash = sett_world_hash(lazy);
    CHECK_EQ(sett_hierarchy_depth(asked, at[7]), 7);
    CHECK_EQ(sett_world_hash(asked), hash);
    CHECK_EQ(sett_world_difference(lazy, asked, text, sizeof(text)), 0);
    CHECK_EQ(sett_hierarchy_attach(lazy, at[8], at[7]), SETT_OK); /* two wait, in this order */
    CHECK_EQ(sett_hierarchy_detach(lazy, at[4]), SETT_OK);
    CHECK_EQ(sett_hierarchy_detach(asked, at[4]), SETT_OK);
    sett_hierarchy_update(asked);
    CHECK_EQ(sett_hierarchy_attach(asked, at[8], at[7]), SETT_OK);
    CHECK_EQ(sett_world_hash(lazy), sett_world_hash(asked));
    CHECK(sett_world_hash(lazy) != hash);
    CHECK_EQ(sett_world_difference(lazy, asked, text, sizeof(text)), 0);
    sett_hierarchy_update(lazy);
    CHECK_EQ(sett_world_check_writes(lazy), SETT_OK);
    CHECK_EQ(sett_world_hash(lazy), sett_world_hash(asked));
    /* what does count: the order of children, and policies */
    hash = sett_world_hash(lazy);
    CHECK_EQ(sett_hierarchy_attach(lazy, at[9], at[0]), SETT_OK);
    CHECK_EQ(sett_hierarchy_attach(asked, at[9], at[0]), SETT_OK);
    CHECK_EQ(sett_world_hash(lazy), sett_world_hash(asked));
    CHECK_EQ(sett_hierarchy_attach(asked, at[1], at[0]), SETT_OK);
    CHECK(sett_world_hash(lazy) != sett_world_hash(asked));
    CHECK_EQ(sett_hierarchy_attach(lazy, at[1], at[0]), SETT_OK);
    CHECK_EQ(sett_world_hash(lazy), sett_world_hash(asked));
    CHECK_EQ(sett_hierarchy_set_policy(asked, at[0], SETT_CHILDREN_REJECT), SETT_OK);
    CHECK(sett_world_hash(lazy) != sett_world_hash(asked));
    CHECK(sett_world_difference(lazy, asked, text, sizeof(text)) != 0);
    CHECK_VALID(lazy);
    CHECK_VALID(asked);
    sett_world_destroy(lazy);
    sett_world_destroy(asked);
}

static void expect_depths(sett_world* world, const sett_entity* at, const uint32_t* depths)
{
    CHECK_VALID(world);
    for (uint32_t k = 0; k < 12; k++) {
        CHECK_EQ(sett_hierarchy_depth(world, at[k]), depths[k]);
    }
    CHECK_VALID(world);
}

/* Going back brings what waits for its depth back too, and a copy has it. */
static void restores_depths(void)
{
    static const uint32_t below[12] = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3};
    static const uint32_t apart[12] = {1, 2, 3, 4, 0, 1, 2, 3, 0, 1, 2, 3};
    sett_entity at[12];
    for (uint32_t repaired = 0; repaired < 4; repaired++) { /* then: bit 0; later: bit 1 */
        sett_world* world = quiet_world();
        sett_snapshot then;
        sett_snapshot later;
        move_a_chain(world, at);
        if ((repaired & 1) != 0) {
            sett_hierarchy_update(world);
        }
        CHECK_EQ(sett_snapshot_take(world, &then), SETT_OK);
        CHECK_EQ(sett_hierarchy_detach(world, at[4]), SETT_OK);
        CHECK_EQ(sett_hierarchy_attach(world, at[0], at[4]), SETT_OK);
        if ((repaired & 2) != 0) {
            sett_hierarchy_update(world);
        }
        CHECK_EQ(sett_snapshot_take(world, &later), SETT_OK);
        expect_depths(world, at, apart);
        CHECK_EQ(sett_snapshot_restore(world, then), SETT_OK);
        sett_world* copy = quiet_world();
        CHECK(sett_hierarchy_register(copy, NULL) != 0);
        CHECK_EQ(sett_world_clone(world, copy), SETT_OK);
        CHECK_EQ(sett_world_hash(world), sett_world_hash(copy));
        expect_depths(world, at, below);
        expect_depths(copy, at, below);
        CHECK_EQ(sett_world_hash(world), sett_world_hash(copy));
        CHECK_EQ(sett_snapshot_restore(world, later), SETT_OK);
        expect_depths(world, at, apart);
        CHECK_EQ(sett_snapshot_restore(world, then), SETT_OK);
        expect_depths(world, at, below);
        sett_world_destroy(copy);
        sett_world_destroy(world);
    }
}

static void walks_parents_first(void)
{
    sett_world* world = quiet_world();
    sett_entity r = sett_entity_create(world);
    sett_entity a = child_of(world, r);
    sett_entity b = child_of(world, r);
    sett_entity aa = child_of(world, a);
    sett_entity ab = child_of(world, a);
    sett_entity ba = child_of(world, b);
    sett_entity expected[] = {r, a, aa, ab, b, ba};
    uint32_t count = 0;
    for (sett_entity e = r; !sett_is_null(e); e = sett_hierarchy_walk(world, r, e)) {
        CHECK(count < 6 && sett_equals(e, expected[count]));
        count++;
    }
    CHECK_EQ(count, 6);
    count = 1; /* a subtree: nothing beyond it */
    for (sett_entity e = a; !sett_is_null(e); e = sett_hierarchy_walk(world, a, e)) {
        CHECK(sett_equals(e, expected[count]));
        count++;
    }
    CHECK_EQ(count, 4);
    sett_world_destroy(world);
}

/* ---- Destroying ------------------------------------------------------------------------------ */

typedef struct ending {
    sett_world* world;
    sett_component id;
    sett_entity order[64];
    uint32_t count;
    bool stays; /* the entity: only its components go */
    bool parents_lived;
    bool links_stood; /* every child was still among its parent's, and had none itself */
} ending;

static void ending_notified(sett_world* world, sett_entity entity, void* value, void* user)
{
    ending* seen = user;
    (void)value;
    sett_entity parent = sett_hierarchy_parent(world, entity);
    seen->parents_lived =
        seen->parents_lived && (sett_is_null(parent) || sett_has(world, parent, seen->id));
    seen->links_stood =
        seen->links_stood && sett_hierarchy_child_count(world, entity) == 0 &&
        (sett_is_null(parent) || sett_equals(sett_hierarchy_last(world, parent), entity));
    if (!seen->stays) { /* it is on its way */
        CHECK_EQ(sett_hierarchy_attach(world, entity, parent), SETT_STATUS_LOCKED);
        CHECK_EQ(sett_entity_destroy(world, entity), SETT_OK);
    }
    seen->order[seen->count++] = entity;
}

static ending* ending_begin(ending* seen)
{
    memset(seen, 0, sizeof(*seen));
    seen->parents_lived = true;
    seen->links_stood = true;
    seen->world = quiet_world();
    seen->id = sett_component_register(
        seen->world, &(sett_component_desc){
                         .name = "told", .size = 4, .on_remove = ending_notified, .user = seen});
    CHECK(seen->id != 0);
    return seen;
}

static sett_entity ending_child(ending* seen, sett_entity parent)
{
    sett_entity e = sett_entity_create(seen->world);
    CHECK(sett_add(seen->world, e, seen->id) != NULL);
    if (!sett_is_null(parent)) {
        CHECK_EQ(sett_hierarchy_attach(seen->world, e, parent), SETT_OK);
    }
    return e;
}

static void destroys_children_first(void)
{
    ending seen;
    sett_world* world = ending_begin(&seen)->world;
    sett_entity other = ending_child(&seen, sett_null());
    sett_entity r = ending_child(&seen, sett_null());
    sett_entity a = ending_child(&seen, r);
    sett_entity b = ending_child(&seen, r);
    sett_entity aa = ending_child(&seen, a);
    sett_entity ab = ending_child(&seen, a);
    sett_entity ba = ending_child(&seen, b);
    sett_entity last = ending_child(&seen, other);
    sett_entity reserved = sett_cmd_create(sett_commands_here(world));
    CHECK_EQ(sett_entity_destroy(world, r), SETT_OK);
    sett_entity expected[] = {ba, ab, aa, b, a, r};
    CHECK_EQ(seen.count, 6);
    CHECK(seen.parents_lived && seen.links_stood);
    for (uint32_t k = 0; k < 6; k++) {
        CHECK(sett_equals(seen.order[k], expected[k]));
        CHECK(!sett_entity_valid(world, expected[k]));
    }
    CHECK(sett_entity_valid(world, other) && sett_entity_valid(world, last));
    CHECK_EQ(sett_entity_count(world), 2);
    CHECK_VALID(world);
    CHECK_EQ(sett_commands_apply(sett_commands_here(world)), SETT_OK);
    CHECK(sett_entity_valid(world, reserved));
    CHECK_VALID(world);
    for (uint32_t k = 0; k < 8; k++) { /* their places come back, each once */
        sett_entity e = sett_entity_create(world);
        for (uint32_t j = 0; j < 6; j++) {
            CHECK(!sett_equals(e, expected[j]));
        }
    }
    CHECK_END(world);
}

static void detaches_or_rejects_by_policy(void)
{
    ending seen;
    sett_world* world = ending_begin(&seen)->world;
    sett_entity r = ending_child(&seen, sett_null());
    sett_entity a = ending_child(&seen, r);
    sett_entity b = ending_child(&seen, r);
    sett_entity aa = ending_child(&seen, a);
    sett_entity ab = ending_child(&seen, a);
    sett_entity aaa = ending_child(&seen, aa);
    CHECK_EQ(sett_hierarchy_set_policy(world, a, SETT_CHILDREN_REJECT), SETT_OK);
    CHECK_EQ(sett_entity_destroy(world, r), SETT_STATUS_REJECTED);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_REJECTED);
    CHECK_STR_EQ(
        sett_world_message(world),
        "sett_entity_destroy: entity 1:1 has 2 children, and the policy SETT_CHILDREN_REJECT - "
        "destroy or detach them first");
    CHECK_EQ(seen.count, 0);
    CHECK_VALID(world);
    CHILDREN(world, r, a, b);
    CHECK_EQ(sett_entity_destroy_many(world, (sett_entity[]){a, b, r}, 3), SETT_STATUS_REJECTED);
    CHECK_EQ(seen.count, 1); /* b */
    CHILDREN(world, r, a);
    /* a recorded destruction that is rejected is skipped, and the rest is applied */
    sett_commands* commands = sett_commands_here(world);
    CHECK_EQ(sett_cmd_destroy(commands, r), SETT_OK);
    CHECK_EQ(sett_cmd_add(commands, r, SETT_ID_HIERARCHY), SETT_OK);
    CHECK_EQ(sett_commands_apply(commands), SETT_OK);
    CHECK_EQ(sett_commands_count(commands), 0);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_REJECTED);
    CHECK(sett_entity_valid(world, r));
    /* roots instead */
    CHECK_EQ(sett_hierarchy_set_policy(world, a, SETT_CHILDREN_DETACH), SETT_OK);
    CHECK_EQ(sett_hierarchy_child_count(world, a), 2);
    CHECK_EQ(sett_entity_destroy(world, r), SETT_OK);
    CHECK(!sett_entity_valid(world, a) && sett_entity_valid(world, aa));
    CHECK(sett_is_null(sett_hierarchy_parent(world, aa)));
    CHECK(sett_is_null(sett_hierarchy_parent(world, ab)));
    CHECK_VALID(world);
    CHECK_EQ(sett_hierarchy_depth(world, aaa), 1);
    CHILDREN(world, aa, aaa);
    /* without children nothing rejects; sett_world_clear does not ask */
    CHECK_EQ(sett_hierarchy_set_policy(world, ab, SETT_CHILDREN_REJECT), SETT_OK);
    CHECK_EQ(sett_entity_destroy(world, ab), SETT_OK);
    CHECK_EQ(sett_hierarchy_set_policy(world, aa, SETT_CHILDREN_REJECT), SETT_OK);
    CHECK_EQ(sett_entity_destroy_with(world, SETT_ID_HIERARCHY), SETT_STATUS_REJECTED);
    CHECK_EQ(sett_entity_count(world), 1); /* aaa went, aa was asked first */
    aaa = ending_child(&seen, aa);
    seen.count = 0;
    seen.links_stood = true; /* those that let children go still had them */
    CHECK_EQ(sett_world_clear(world), SETT_OK);
    CHECK_EQ(sett_entity_count(world), 0);
    CHECK_EQ(seen.count, 2);
    CHECK(sett_equals(seen.order[0], aaa) && sett_equals(seen.order[1], aa));
    CHECK(seen.parents_lived && seen.links_stood);
    CHECK_END(world);
}

static sett_component holds_register(sett_world* world, sett_cleanup of_target,
                                     sett_cleanup of_source)
{
    return sett_relationship_register(world,
                                      &(sett_relationship_desc){.name = "Holds",
                                                                .on_target_destroyed = of_target,
                                                                .on_source_destroyed = of_source});
}

static void destroys_children_alone(void)
{
    for (uint32_t recorded = 0; recorded < 2; recorded++) {
        ending seen;
        sett_world* world = ending_begin(&seen)->world;
        sett_entity r = ending_child(&seen, sett_null());
        sett_entity a = ending_child(&seen, r);
        sett_entity b = ending_child(&seen, r);
        sett_entity c = ending_child(&seen, r);
        sett_entity bb = ending_child(&seen, b);
        sett_entity other = ending_child(&seen, sett_null());
        sett_commands* commands = sett_commands_here(world);
        seen.links_stood = true;
        CHECK_EQ(sett_hierarchy_set_policy(world, r, SETT_CHILDREN_REJECT), SETT_OK);
        CHECK_EQ(sett_hierarchy_set_policy(world, b, SETT_CHILDREN_REJECT), SETT_OK);
        if (recorded != 0) { /* what is attached before it is applied goes, too */
            CHECK_EQ(sett_cmd_attach(commands, other, r), SETT_OK);
            CHECK_EQ(sett_cmd_destroy_children(commands, r), SETT_OK);
            CHECK_EQ(sett_hierarchy_child_count(world, r), 3);
            CHECK_EQ(sett_commands_apply(commands), SETT_OK);
        } else {
            CHECK_EQ(sett_hierarchy_destroy_children(world, r), SETT_STATUS_REJECTED);
        }
        CHILDREN(world, r, b); /* it has a child and rejects; its siblings are gone */
        CHECK_EQ(seen.count, 2 + recorded);
        CHECK(sett_equals(seen.order[0], a) && sett_equals(seen.order[1], c));
        CHECK(!sett_entity_valid(world, a) && sett_entity_valid(world, bb));
        CHECK_EQ(sett_entity_valid(world, other), recorded == 0);
        CHECK_EQ(sett_hierarchy_destroy_children(world, b), SETT_OK);
        CHECK_EQ(sett_hierarchy_destroy_children(world, r), SETT_OK);
        CHECK_EQ(sett_hierarchy_destroy_children(world, r), SETT_OK); /* none left */
        CHECK_EQ(sett_hierarchy_child_count(world, r), 0);
        CHECK_EQ(sett_entity_destroy(world, r), SETT_OK);
        CHECK_EQ(sett_hierarchy_destroy_children(world, r), SETT_STATUS_STALE);
        CHECK_EQ(sett_cmd_destroy_children(commands, r), SETT_OK); /* skipped */
        CHECK_EQ(sett_commands_apply(commands), SETT_OK);
        CHECK_END(world);
    }
}

/* A sibling that stayed ends with a later one; another is gone before its turn. */
static void destroys_children_that_end_together(void)
{
    for (uint32_t which = 0; which < 2; which++) {
        sett_world* world = quiet_world();
        sett_component holds = holds_register(
            world, which == 0 ? SETT_CLEANUP_REJECT : SETT_CLEANUP_REMOVE, SETT_CLEANUP_DESTROY);
        sett_entity p = sett_entity_create(world);
        sett_entity e[4];
        for (uint32_t k = 0; k < 4; k++) {
            e[k] = child_of(world, p);
        }
        /* 0 may not go without its holder 2, which takes it along; or 0 takes 1 and 3 along */
        CHECK(sett_relate(world, e[which == 0 ? 2 : 0], holds, e[which == 0 ? 0 : 1]) != NULL);
        CHECK(sett_relate(world, e[1], holds, e[3]) != NULL);
        sett_status status = sett_hierarchy_destroy_children(world, p);
        CHECK_EQ(status, which == 0 ? SETT_STATUS_REJECTED : SETT_OK);
        CHECK_EQ(sett_hierarchy_child_count(world, p), 0);
        CHECK_EQ(sett_entity_count(world), 1);
        CHECK_END(world);
    }
}

static void has_a_policy_for_the_world(void)
{
    sett_world* world = quiet_world();
    sett_hierarchy_desc desc = {.policy = SETT_CHILDREN_DETACH};
    CHECK(sett_hierarchy_register(world, &desc) != 0);
    CHECK(sett_hierarchy_register(world, NULL) != 0); /* leaves it */
    sett_entity p = sett_entity_create(world);
    sett_entity c = child_of(world, p);
    sett_entity q = sett_entity_create(world);
    sett_entity d = child_of(world, q);
    CHECK_EQ(sett_hierarchy_set_policy(world, q, SETT_CHILDREN_DESTROY), SETT_OK);
    CHECK_EQ(sett_entity_destroy(world, p), SETT_OK);
    CHECK_EQ(sett_entity_destroy(world, q), SETT_OK);
    CHECK(sett_entity_valid(world, c) && !sett_entity_valid(world, d));
    CHECK_END(world);
}

static void ends_with_the_component(void)
{
    ending seen;
    sett_world* world = ending_begin(&seen)->world;
    sett_entity r = ending_child(&seen, sett_null());
    sett_entity a = ending_child(&seen, r);
    sett_entity b = ending_child(&seen, r);
    sett_entity aa = ending_child(&seen, a);
    sett_entity ab = ending_child(&seen, a);
    sett_component id = SETT_ID_HIERARCHY;
    CHECK_EQ(sett_hierarchy_set_policy(world, a, SETT_CHILDREN_REJECT), SETT_OK);
    CHECK_EQ(sett_remove(world, a, id), SETT_OK);
    CHILDREN(world, r, b);
    CHECK(sett_is_null(sett_hierarchy_parent(world, aa)));
    CHECK(sett_is_null(sett_hierarchy_parent(world, ab)));
    CHECK_EQ(sett_hierarchy_attach(world, aa, b), SETT_OK);
    CHECK_EQ(sett_hierarchy_attach(world, ab, b), SETT_OK);
    seen.stays = true;
    CHECK_EQ(sett_entity_clear(world, b), SETT_OK);
    seen.stays = false;
    CHECK(sett_entity_valid(world, b) && !sett_has(world, b, id));
    CHECK_EQ(sett_hierarchy_child_count(world, r), 0);
    CHECK_VALID(world);
    CHECK_EQ(sett_hierarchy_attach(world, aa, r), SETT_OK);
    CHECK_EQ(sett_hierarchy_attach(world, ab, aa), SETT_OK);
    CHECK_EQ(sett_component_clear(world, id), SETT_OK);
    CHECK_EQ(sett_component_count(world, id), 0);
    CHECK_VALID(world);
    CHECK(sett_entity_valid(world, aa) && sett_entity_valid(world, ab));
    sett_world_destroy(world);
}

static void destroys_all_with_a_type(void)
{
    for (uint32_t sparse_set = 0; sparse_set < 2; sparse_set++) {
        sett_world* world = quiet_world();
        sett_component mark = sett_component_register(
            world, &(sett_component_desc){.name = "mark",
                                          .size = 4,
                                          .storage = sparse_set ? SETT_STORAGE_SPARSE_SET
                                                                : SETT_STORAGE_ARRAY});
        sett_entity e[300];
        for (uint32_t k = 0; k < 300; k++) {
            e[k] = sett_entity_create(world);
        }
        for (uint32_t k = 0; k < 300; k++) { /* in no order with regard to the tree */
            CHECK(sett_add(world, e[k * 7 % 300], mark) != NULL);
        }
        for (uint32_t k = 1; k < 300; k++) {
            CHECK_EQ(sett_hierarchy_attach(world, e[k * 11 % 300], e[(k / 3) * 11 % 300]), SETT_OK);
        }
        CHECK_EQ(sett_remove(world, e[0], mark), SETT_OK);
        CHECK_EQ(sett_entity_destroy_with(world, mark), SETT_OK);
        CHECK_EQ(sett_entity_count(world), 1);
        CHECK(sett_entity_valid(world, e[0]));
        CHECK_END(world);
    }
}

static void keeps_slots_that_are_used_up(void)
{
    sett_world* world = quiet_world();
    sett_entity old[3];
    for (uint32_t k = 0; k < 3; k++) {
        old[k] = (sett_entity){k, 0x7FFFFFFF};
        CHECK_EQ(sett_entity_create_handle(world, old[k]), SETT_OK);
    }
    sett_entity fresh = sett_entity_create(world);
    CHECK_EQ(sett_hierarchy_attach(world, fresh, old[1]), SETT_OK);
    CHECK_EQ(sett_hierarchy_attach(world, old[2], old[1]), SETT_OK);
    CHECK_EQ(sett_hierarchy_attach(world, old[1], old[0]), SETT_OK);
    (void)sett_cmd_create(sett_commands_here(world));
    (void)sett_cmd_create(sett_commands_here(world));
    CHECK_EQ(sett_entity_destroy(world, old[0]), SETT_OK);
    CHECK_VALID(world);
    CHECK_EQ(sett_entity_count(world), 0);
    sett_stats stats;
    sett_world_stats(world, &stats);
    CHECK_EQ(stats.retired, 3);
    CHECK_EQ(sett_commands_apply(sett_commands_here(world)), SETT_OK);
    CHECK_EQ(sett_entity_count(world), 2);
    CHECK_VALID(world);
    CHECK_EQ(sett_world_clear(world), SETT_OK);
    CHECK_END(world);
}

static void count_removal(sett_world* world, sett_entity entity, void* value, void* user)
{
    uint32_t* count = user;
    (void)world;
    (void)entity;
    (void)value;
    ++*count;
}

/* Trees that are collected, because an observer is notified of their ends: of the nodes that leave
 * together some are in their last life, wherever they lie among the others. Their indices never
 * come back, those of the others all do. */
static void used_up_slots_leave_with_others(void)
{
    enum {
        NODES = 24
    };
    for (uint32_t pattern = 1; pattern < 200; pattern += 3) {
        sett_world* world = quiet_world();
        uint32_t removed = 0;
        sett_entity node[NODES];
        sett_entity stays = sett_entity_create(world);
        uint32_t worn = 0;
        for (uint32_t k = 0; k < NODES; k++) {
            bool last = (pattern >> (k % 8) & 1) != 0;
            node[k] = (sett_entity){k + 1, last ? 0x7FFFFFFF : 1};
            worn += last;
            CHECK_EQ(sett_entity_create_handle(world, node[k]), SETT_OK);
        }
        for (uint32_t k = 1; k < NODES; k++) {
            CHECK_EQ(sett_hierarchy_attach(world, node[k], node[k / 2]), SETT_OK);
        }
        const sett_observer_desc desc = {
            .component = SETT_ID_HIERARCHY, .on_remove = count_removal, .user = &removed};
        CHECK(sett_observer_create(world, &desc) != NULL);
        CHECK_EQ(sett_entity_destroy(world, node[0]), SETT_OK);
        CHECK_EQ(removed, NODES);
        CHECK_VALID(world);
        CHECK(sett_entity_valid(world, stays));
        sett_stats stats;
        sett_world_stats(world, &stats);
        CHECK_EQ(stats.retired, worn);
        uint32_t again = 0;
        for (uint32_t k = 0; k < NODES; k++) {
            sett_entity e = sett_entity_create(world);
            bool was_node = e.index >= 1 && e.index <= NODES;
            CHECK(!was_node || node[e.index - 1].generation == 1);
            again += was_node;
        }
        CHECK_EQ(again, NODES - worn);
        CHECK_END(world);
    }
}

static void rejects_while_loops_are_open(void)
{
    sett_world* world = quiet_world();
    sett_entity p = sett_entity_create(world);
    sett_entity c = child_of(world, p);
    sett_entity fresh = sett_entity_create(world);
    sett_query* query = sett_query_create(world, &(sett_query_desc){.name = "all"});
    SETT_QUERY_EACH(query, b) {
        CHECK_EQ(sett_hierarchy_set_policy(world, fresh, SETT_CHILDREN_DETACH), SETT_STATUS_LOCKED);
        CHECK(strstr(sett_world_message(world), "sett_hierarchy_set_policy: a loop") != NULL);
        CHECK_EQ(sett_hierarchy_attach(world, fresh, p), SETT_STATUS_LOCKED);
        CHECK(strstr(sett_world_message(world),
                     "sett_hierarchy_attach: a loop over query \"all\"") != NULL);
        CHECK_EQ(sett_hierarchy_attach(world, p, fresh), SETT_STATUS_LOCKED);
        CHECK_EQ(sett_hierarchy_destroy_children(world, p), SETT_STATUS_LOCKED);
        CHECK(strstr(sett_world_message(world), "sett_cmd_destroy_children") != NULL);
        CHECK_EQ(sett_hierarchy_detach(world, c), SETT_OK); /* links are values */
        CHECK_EQ(sett_hierarchy_attach(world, c, p), SETT_OK);
    }
    CHECK_END(world);
}

/* A callback of an added node may move it, and others, at once. */
typedef struct meddler {
    sett_entity move;
    sett_entity below; /* null: detach */
} meddler;

static void meddle(sett_world* world, sett_entity entity, void* value, void* user)
{
    const meddler* to = user;
    (void)value;
    sett_entity move = sett_is_null(to->move) ? entity : to->move;
    CHECK_EQ(
        sett_is_null(to->below)
            ? sett_hierarchy_detach(world, move)
            : sett_hierarchy_attach(world, move, sett_equals(to->below, move) ? entity : to->below),
        SETT_OK);
}

static void holds_when_observers_move_entities(void)
{
    for (uint32_t how = 0; how < 3; how++) {
        sett_world* world = quiet_world();
        sett_entity p = sett_entity_create(world);
        sett_entity q = sett_entity_create(world);
        sett_entity a = child_of(world, p);
        sett_entity b = child_of(world, q);
        sett_entity c = sett_entity_create(world);
        meddler to = {sett_null(), q}; /* the one being attached goes elsewhere first */
        if (how == 1) {
            to.move = a; /* the sibling that it is to stand before goes */
            to.below = sett_null();
        } else if (how == 2) {
            to.move = p; /* the parent goes below it */
            to.below = p;
        }
        CHECK(sett_observer_create(world, &(sett_observer_desc){.component = SETT_ID_HIERARCHY,
                                                                .on_add = meddle,
                                                                .user = &to}) != NULL);
        CHECK_EQ(how == 0 ? sett_hierarchy_attach(world, c, p)
                          : sett_hierarchy_insert_before(world, c, a),
                 how == 2 ? SETT_STATUS_CYCLE : SETT_OK);
        if (how == 0) {
            CHILDREN(world, p, a, c);
        } else if (how == 1) {
            CHILDREN(world, p, c);
        } else {
            CHILDREN(world, c, p);
        }
        CHILDREN(world, q, b);
        sett_world_destroy(world);
    }
}

static void needs_indices_below_a_limit(void)
{
    sett_world_desc desc = {.log_fn = sett_log_silent, .entity_limit = 0x80000000u};
    sett_world* world = sett_world_create(&desc);
    CHECK_EQ(sett_hierarchy_register(world, NULL), 0);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_LIMIT);
    sett_entity e = sett_entity_create(world);
    CHECK_EQ(sett_hierarchy_attach(world, e, sett_entity_create(world)), SETT_STATUS_LIMIT);
    sett_world_destroy(world);
    desc.entity_limit--;
    world = sett_world_create(&desc);
    CHECK(sett_hierarchy_register(world, NULL) != 0);
    sett_world_destroy(world);
}

/* ---- Orders ---------------------------------------------------------------------------------- */

static void sorts_parents_first(void)
{
    sett_world* world = quiet_world();
    sett_component sparse_set = sett_component_register(
        world, &(sett_component_desc){
                   .name = "sparse-set", .size = 4, .storage = SETT_STORAGE_SPARSE_SET});
    sett_component array = sett_component_register(
        world, &(sett_component_desc){.name = "array", .size = 4, .storage = SETT_STORAGE_ARRAY});
    enum {
        COUNT = 500
    };
    sett_entity e[COUNT];
    for (uint32_t k = 0; k < COUNT; k++) {
        e[k] = sett_entity_create(world);
        *(uint32_t*)sett_add(world, e[k], sparse_set) = e[k].index;
        *(uint32_t*)sett_add(world, e[k], array) = e[k].index;
    }
    CHECK_EQ(sett_hierarchy_sort(world, sparse_set), SETT_OK); /* nothing to go by */
    CHECK_EQ(sett_hierarchy_sort(world, array), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_hierarchy_sort(world, 999), SETT_STATUS_UNREGISTERED);
    for (uint32_t k = 0; k + 50 < COUNT; k++) { /* parents have higher indices */
        CHECK_EQ(sett_hierarchy_attach(world, e[k], e[k + 1 + k * 31 % 49]), SETT_OK);
    }
    CHECK_EQ(sett_hierarchy_sort(world, sparse_set), SETT_OK);
    CHECK_VALID(world);
    sett_query* query = sett_query_create(
        world, &(sett_query_desc){.terms = {{.component = sparse_set, .access = SETT_IN}}});
    bool seen[COUNT] = {false};
    uint32_t visited = 0;
    sett_entity before = sett_null();
    SETT_QUERY_EACH(query, b) {
        const uint32_t* own = sett_batch_field(b, 0);
        SETT_EACH(b, i) {
            sett_entity at = sett_batch_entity(b, i);
            CHECK_EQ(own[i], at.index);
            sett_entity parent = sett_hierarchy_parent(world, at);
            CHECK(sett_is_null(parent) || seen[parent.index]);
            if (!sett_is_null(before) && !sett_is_null(parent)) {
                sett_entity root = sett_hierarchy_root(world, at);
                CHECK(sett_equals(sett_hierarchy_walk(world, root, before), at));
            }
            before = at;
            seen[at.index] = true;
            visited++;
        }
    }
    CHECK_EQ(visited, COUNT);
    sett_world_destroy(world);
}

static void finds_the_parents_component(void)
{
    for (uint32_t kind = 0; kind < 2; kind++) {
        sett_world* world = quiet_world();
        sett_component value = sett_component_register(
            world, &(sett_component_desc){.name = "value",
                                          .size = 8,
                                          .storage = kind == 0 ? SETT_STORAGE_ARRAY
                                                               : SETT_STORAGE_SPARSE_SET});
        sett_entity p = sett_entity_create(world);
        sett_entity c = child_of(world, p);
        sett_entity far = child_of(world, c);
        for (uint32_t k = 0; k < 20000; k++) {
            far = sett_entity_create(world);
        }
        CHECK_EQ(sett_hierarchy_attach(world, c, far), SETT_OK);
        sett_component id = SETT_ID_HIERARCHY;
        sett_accessor values = sett_accessor_make(world, value);
        const sett_hierarchy* node = sett_get(world, c, id);
        CHECK(sett_hierarchy_find_in_parent(&values, node) == NULL);
        const void* set = sett_set(world, far, value, &(uint64_t){9});
        CHECK_PTR_EQ(sett_hierarchy_find_in_parent(&values, node), set);
        CHECK(sett_hierarchy_find_in_parent(&values, sett_get(world, far, id)) == NULL);
        CHECK_EQ(sett_hierarchy_attach(world, c, p), SETT_OK);
        CHECK(sett_hierarchy_find_in_parent(&values, sett_get(world, c, id)) == NULL);
        sett_world_destroy(world);
    }
}

static void works_in_any_storage(void)
{
    sett_world* world = quiet_world();
    sett_component id = sett_hierarchy_register(world, NULL);
    sett_component other = sett_component_register(
        world,
        &(sett_component_desc){.name = "other", .size = 4, .storage = SETT_STORAGE_SPARSE_SET});
    sett_entity p = sett_entity_create(world);
    sett_entity a = child_of(world, p);
    CHECK_EQ(sett_component_convert(world, id, SETT_STORAGE_SPARSE_SET), SETT_OK);
    CHECK(sett_group_create(world, &(sett_group_desc){.owned = {id, other}}) != NULL);
    sett_entity b = child_of(world, p);
    CHECK(sett_add(world, b, other) != NULL); /* rows move */
    sett_entity c = child_of(world, b);
    CHECK(sett_add(world, p, other) != NULL);
    CHILDREN(world, p, a, b);
    CHILDREN(world, b, c);
    CHECK_EQ(sett_hierarchy_attach(world, b, a), SETT_OK);
    CHECK_EQ(sett_hierarchy_depth(world, c), 3);
    CHECK_EQ(sett_entity_destroy(world, a), SETT_OK);
    CHECK_EQ(sett_entity_count(world), 1);
    CHECK_END(world);
}

/* ---- Memory and size ------------------------------------------------------------------------- */

typedef struct scarce_tree {
    sett_world* world;
    sett_entity parent;
    sett_entity child;
} scarce_tree;

static bool scarce_attach(void* user)
{
    scarce_tree* tree = user;
    return sett_hierarchy_attach(tree->world, tree->child, tree->parent) == SETT_OK;
}

static bool scarce_policy(void* user)
{
    scarce_tree* tree = user;
    return sett_hierarchy_set_policy(tree->world, tree->parent, SETT_CHILDREN_DETACH) == SETT_OK;
}

static void scarce_unchanged(void* user)
{
    const scarce_tree* tree = user;
    sett_component id = SETT_ID_HIERARCHY;
    CHECK(!sett_has(tree->world, tree->parent, id) && !sett_has(tree->world, tree->child, id));
}

static void survives_running_out_of_memory(void)
{
    static scarce_memory memory;
    for (uint32_t kind = 0; kind < 2; kind++) {
        scarce_tree tree = {scarce_world(&memory), {0, 0}, {0, 0}};
        tree.parent = sett_entity_create(tree.world);
        tree.child = sett_entity_create(tree.world);
        uint32_t failures = memory.failures;
        scarce_run(tree.world, &memory, scarce_attach, scarce_unchanged, &tree);
        CHECK(memory.failures > failures + 3);
        CHECK(sett_equals(sett_hierarchy_parent(tree.world, tree.child), tree.parent));
        if (kind == 1) {
            CHECK_EQ(sett_component_convert(tree.world, SETT_ID_HIERARCHY, SETT_STORAGE_SPARSE_SET),
                     SETT_OK);
        }
        for (uint32_t k = 0; k < 20000; k++) { /* far enough for pages of its own */
            tree.parent = sett_entity_create(tree.world);
        }
        tree.child = sett_entity_create(tree.world);
        failures = memory.failures;
        scarce_run(tree.world, &memory, scarce_policy, scarce_unchanged, &tree);
        CHECK(kind == 1 || memory.failures > failures); /* a sparse set of few has room already */
        CHECK_EQ(sett_remove(tree.world, tree.parent, SETT_ID_HIERARCHY), SETT_OK);
        CHECK_EQ(sett_world_trim(tree.world), SETT_OK);
        scarce_run(tree.world, &memory, scarce_attach, scarce_unchanged, &tree);
        CHECK(sett_equals(sett_hierarchy_parent(tree.world, tree.child), tree.parent));
        scarce_end(&memory, tree.world);
    }
}

static void count_one(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)world;
    (void)entity;
    (void)value;
    ++*(uint32_t*)user;
}

/* Nothing at all is given any more: a chain of a million still goes, and on a stack of 128 KB, as
 * the test is also run. */
static void destroys_a_chain_of_a_million(void)
{
    enum {
        COUNT = CHECK_ROUNDS(1000000)
    };
    static scarce_memory memory;
    sett_world* world = scarce_world(&memory);
    sett_component notified =
        sett_component_register(world, &(sett_component_desc){.name = "told"});
    sett_entity top = sett_entity_create(world);
    sett_entity at = top;
    for (uint32_t k = 1; k < COUNT; k++) {
        at = child_of(world, at);
        if (k % 3 == 0) {
            CHECK(sett_add(world, at, notified) != NULL);
        }
    }
    CHECK_EQ(sett_hierarchy_depth(world, at), COUNT - 1);
    memory.closed = true;
    memory.strict = true;
    CHECK_EQ(sett_entity_destroy(world, top), SETT_OK);
    CHECK_EQ(sett_entity_count(world), 0);
    CHECK(!sett_entity_valid(world, at));
    memory.closed = false;
    memory.strict = false;
    CHECK_VALID(world);

    /* from its end upwards, and all depths repaired at once */
    sett_entity below = sett_null();
    for (uint32_t k = 0; k < COUNT; k++) {
        at = sett_entity_create(world);
        if (!sett_is_null(below)) {
            CHECK_EQ(sett_hierarchy_attach(world, below, at), SETT_OK);
        } else {
            top = at;
        }
        below = at;
    }
    CHECK_EQ(sett_hierarchy_depth(world, top), COUNT - 1);
    uint32_t notified_of = 0;
    sett_component heard = sett_component_register(
        world,
        &(sett_component_desc){.name = "heard", .on_remove = count_one, .user = &notified_of});
    for (sett_entity e = at; !sett_is_null(e); e = sett_hierarchy_walk(world, at, e)) {
        CHECK(sett_add(world, e, heard) != NULL);
    }
    memory.closed = true;
    memory.strict = true;
    CHECK_EQ(sett_world_clear(world), SETT_OK);
    CHECK_EQ(sett_entity_count(world), 0);
    CHECK_EQ(notified_of, COUNT);
    memory.closed = false;
    scarce_end(&memory, world);
}

/* Bones with a bolt each, every one fixed to the last: nodes with children move below a chain that
 * is ever longer. Minutes, if each is compared with all above it, or repaired for each above. */
static void builds_a_chain_of_pairs_downwards(void)
{
    enum {
        COUNT = CHECK_ROUNDS(200000)
    };
    static sett_entity bone[COUNT];
    sett_world* world = quiet_world();
    for (uint32_t k = 0; k < COUNT; k++) {
        bone[k] = sett_entity_create(world);
        child_of(world, bone[k]);
    }
    for (uint32_t k = 1; k < COUNT; k++) {
        CHECK_EQ(sett_hierarchy_attach(world, bone[k], bone[k - 1]), SETT_OK);
    }
    CHECK_EQ(sett_hierarchy_attach(world, bone[0], bone[COUNT - 1]), SETT_STATUS_CYCLE);
    CHECK_EQ(sett_hierarchy_attach(world, bone[COUNT - 2], bone[COUNT - 1]), SETT_STATUS_CYCLE);
    CHECK_VALID(world);
    CHECK_EQ(sett_hierarchy_depth(world, bone[COUNT - 1]), COUNT - 1);
    CHECK_VALID(world);
    /* cut into pieces from the middle outwards, and put together again */
    for (uint32_t k = 1; k < COUNT / 2; k += 3) {
        CHECK_EQ(sett_hierarchy_detach(world, bone[COUNT / 2 + k]), SETT_OK);
        CHECK_EQ(sett_hierarchy_detach(world, bone[COUNT / 2 - k]), SETT_OK);
    }
    for (uint32_t k = 1; k < COUNT / 2; k += 3) {
        uint32_t up = COUNT / 2 - k;
        uint32_t down = COUNT / 2 + k;
        CHECK_EQ(sett_hierarchy_attach(world, bone[up], bone[up - 1]), SETT_OK);
        CHECK_EQ(sett_hierarchy_attach(world, bone[down], bone[down - 1]), SETT_OK);
    }
    CHECK_VALID(world);
    for (uint32_t k = 0; k < COUNT; k += 997) {
        CHECK_EQ(sett_hierarchy_depth(world, bone[k]), k);
    }
    CHECK_END(world);
}

static void loops_over_children_and_subtrees(void)
{
    sett_world* world = quiet_world();
    sett_entity root = sett_entity_create(world);
    SETT_CHILDREN(world, root, child) {
        CHECK_MSG(false, "%u has no parent", (unsigned)child.index);
    }
    sett_entity child[4];
    for (uint32_t k = 0; k < 4; k++) {
        child[k] = child_of(world, root);
        child_of(world, child[k]);
    }
    uint32_t seen = 0;
    SETT_CHILDREN(world, root, at) {
        CHECK(sett_equals(at, child[seen++]));
        if (seen == 2) {
            CHECK_EQ(sett_entity_destroy(world, at), SETT_OK);
            continue;
        }
        if (seen == 3) {
            CHECK_EQ(sett_hierarchy_detach(world, at), SETT_OK);
            break;
        }
    }
    CHECK_EQ(seen, 3);
    CHECK_EQ(sett_hierarchy_child_count(world, root), 2);
    seen = 0;
    SETT_SUBTREE(world, root, at) {
        CHECK(seen != 0 || sett_equals(at, root));
        seen++;
    }
    CHECK_EQ(seen, 5);
    sett_world_destroy(world);
}

static void expect_difference(sett_world* a, sett_world* b, const char* expected)
{
    char text[256];
    size_t length = sett_world_difference(a, b, text, sizeof(text));
    CHECK_STR_EQ(text, expected);
    CHECK_EQ(length, strlen(text));
    CHECK_EQ(sett_world_difference(a, b, NULL, 0), length);
}

static void differences_are_said_as_a_program_would(void)
{
    sett_world* world[2] = {sett_world_create(NULL), sett_world_create(NULL)};
    sett_entity e[5];
    for (uint32_t w = 0; w < 2; w++) {
        for (uint32_t k = 0; k < 5; k++) {
            e[k] = sett_entity_create(world[w]);
        }
        CHECK_EQ(sett_hierarchy_attach(world[w], e[2], e[1]), SETT_OK);
        CHECK_EQ(sett_hierarchy_attach(world[w], e[3], e[1]), SETT_OK);
    }
    sett_hierarchy_attach(world[1], e[0], e[4]);
    sett_hierarchy_attach(world[0], e[0], e[1]);
    expect_difference(world[0], world[1],
                      "entity 0:1: \"Hierarchy\" differs: child of 1:1, 0 children in the first "
                      "world, child of 4:1, 0 children in the second");
    sett_hierarchy_detach(world[1], e[0]);
    expect_difference(world[0], world[1],
                      "entity 0:1: \"Hierarchy\" differs: child of 1:1, 0 children in the first "
                      "world, a root, 0 children in the second");
    sett_hierarchy_detach(world[0], e[0]);
    sett_hierarchy_attach(world[0], e[2], e[1]);
    expect_difference(world[0], world[1],
                      "entity 1:1: \"Hierarchy\" differs: the first child is 3:1 in the first "
                      "world, 2:1 in the second");
    sett_hierarchy_attach(world[1], e[2], e[1]);
    sett_hierarchy_set_policy(world[1], e[1], SETT_CHILDREN_DETACH);
    expect_difference(world[0], world[1],
                      "entity 1:1: \"Hierarchy\" differs: a root, 2 children in the first world, "
                      "a root, 2 children, which it detaches in the second");
    sett_hierarchy_set_policy(world[1], e[1], SETT_CHILDREN_DEFAULT);
    for (uint32_t w = 0; w < 2; w++) {
        sett_hierarchy_attach(world[w], e[4], e[1]);
        sett_hierarchy_attach(world[w], e[2], e[1]);
    }
    sett_hierarchy_attach(world[1], e[4], e[1]); /* 3 4 2, and 3 2 4 */
    expect_difference(world[0], world[1],
                      "entity 2:1: \"Hierarchy\" differs: the next sibling is none in the first "
                      "world, 4:1 in the second");
    sett_hierarchy_attach(world[1], e[2], e[1]);
    CHECK_EQ(sett_world_difference(world[0], world[1], NULL, 0), 0);
    sett_name_set(world[0], e[0], "ana");
    sett_name_set(world[1], e[0], "bob");
    expect_difference(world[0], world[1],
                      "entity 0:1: \"Name\" differs: \"ana\" in the first world, \"bob\" in the "
                      "second");
    sett_world_destroy(world[0]);
    sett_world_destroy(world[1]);
}

TEST_MAIN(TEST(differences_are_said_as_a_program_would), TEST(builds_a_chain_of_pairs_downwards),
          TEST(loops_over_children_and_subtrees), TEST(keeps_children_in_order),
          TEST(puts_children_in_order), TEST(is_a_component_like_any_other),
          TEST(says_nothing_of_strangers), TEST(rejects_cycles), TEST(repairs_depths_when_asked),
          TEST(is_compared_by_its_links), TEST(restores_depths), TEST(walks_parents_first),
          TEST(destroys_children_first), TEST(detaches_or_rejects_by_policy),
          TEST(destroys_children_alone), TEST(destroys_children_that_end_together),
          TEST(has_a_policy_for_the_world), TEST(ends_with_the_component),
          TEST(destroys_all_with_a_type), TEST(keeps_slots_that_are_used_up),
          TEST(used_up_slots_leave_with_others), TEST(rejects_while_loops_are_open),
          TEST(holds_when_observers_move_entities), TEST(needs_indices_below_a_limit),
          TEST(sorts_parents_first), TEST(finds_the_parents_component), TEST(works_in_any_storage),
          TEST(survives_running_out_of_memory), TEST(destroys_a_chain_of_a_million))

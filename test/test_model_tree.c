/* test_model_tree.c: hierarchy and names under random operations, against a tree of plain arrays
 * that does everything the obvious way. Moves, policies, ends in all manners, names that clash,
 * depths asked now and then, commands, snapshots that are gone back to.
 *
 * SETT_SEED and SETT_OPERATIONS replay or prolong it. */
#include "sett/hierarchy.h"
#include "sett/name.h"
#include "sett/sett.h"
#include "sett/state.h"
#include "worlds.h"

#include "world/world.h"

#define NODES 160
#define NAMES 12
#define NONE (-1)

/* ---- The model ------------------------------------------------------------------------------- */

typedef struct node {
    sett_entity entity;
    bool alive;
    bool linked; /* has the component */
    bool marked; /* has a tag */
    int parent;
    int child[NODES];
    int children;
    sett_children_policy policy;
    int name; /* NONE: none */
    bool has_name;
} node;

#define DISTANCE 9216u /* between ranges of indices: each needs pages of its own */
static uint32_t ranges = 1;

static struct tree {
    node at[NODES];
    sett_world* world;
    sett_component mark;
    sett_component notified;
    sett_children_policy policy; /* of the world */
    uint64_t random;
    sett_entity stale;
    /* what the removal hook saw */
    uint32_t ended;
    bool in_order;
} tree;

/* As it was when the snapshot was taken; its world is NULL when there is none. */
static struct tree then;
static sett_snapshot snapshot;
static uint64_t then_hash;

static uint32_t draw(uint32_t below)
{
    tree.random ^= tree.random >> 12;
    tree.random ^= tree.random << 25;
    tree.random ^= tree.random >> 27;
    return (uint32_t)((tree.random * 0x2545f4914f6cdd1du) >> 33) % below;
}

static const char* name_of(int name)
{
    static const char* const names[NAMES] = {"a", "b",    "c",     "door",   "level", "map01",
                                             "x", "hull", "wheel", "turret", "0",     "_"};
    return names[name];
}

static int depth_of(int k)
{
    int depth = 0;
    for (; tree.at[k].parent != NONE; depth++) {
        k = tree.at[k].parent;
    }
    return depth;
}

static bool is_below(int k, int ancestor)
{
    for (k = tree.at[k].parent; k != NONE; k = tree.at[k].parent) {
        if (k == ancestor) {
            return true;
        }
    }
    return false;
}

/* The child of `parent` (NONE: the root) with this name, other than `but`. */
static int find_name(int parent, int name, int but)
{
    for (int k = 0; k < NODES; k++) {
        if (k != but && tree.at[k].alive && tree.at[k].parent == parent &&
            tree.at[k].name == name) {
            return k;
        }
    }
    return NONE;
}

static bool may_be_under(int k, int parent)
{
    int name = tree.at[k].name;
    return name == NONE || tree.at[k].parent == parent || find_name(parent, name, k) == NONE;
}

static void unlink_node(int k)
{
    int parent = tree.at[k].parent;
    if (parent == NONE) {
        return;
    }
    node* above = &tree.at[parent];
    int at = 0;
    while (above->child[at] != k) {
        at++;
    }
    memmove(&above->child[at], &above->child[at + 1],
            (size_t)(above->children - at - 1) * sizeof(int));
    above->children--;
    tree.at[k].parent = NONE;
}

static void link_node(int k, int parent, int at)
{
    node* above = &tree.at[parent];
    memmove(&above->child[at + 1], &above->child[at], (size_t)(above->children - at) * sizeof(int));
    above->child[at] = k;
    above->children++;
    tree.at[k].parent = parent;
    tree.at[k].linked = true;
    above->linked = true;
}

static int place_of(int k)
{
    const node* above = &tree.at[tree.at[k].parent];
    int at = 0;
    while (above->child[at] != k) {
        at++;
    }
    return at;
}

/* It became a root without being asked: its name goes if it is taken. */
static void set_free(int k)
{
    unlink_node(k);
    if (tree.at[k].name != NONE && find_name(NONE, tree.at[k].name, k) != NONE) {
        tree.at[k].name = NONE;
    }
}

static void free_children(int k)
{
    while (tree.at[k].children > 0) {
        set_free(tree.at[k].child[0]);
    }
}

static sett_children_policy policy_of(int k)
{
    return tree.at[k].policy != SETT_CHILDREN_DEFAULT ? tree.at[k].policy : tree.policy;
}

static bool rejects(int k)
{
    if (tree.at[k].children == 0 || policy_of(k) == SETT_CHILDREN_DETACH) {
        return false;
    }
    if (policy_of(k) == SETT_CHILDREN_REJECT) {
        return true;
    }
    for (int c = 0; c < tree.at[k].children; c++) {
        if (rejects(tree.at[k].child[c])) {
            return true;
        }
    }
    return false;
}

/* Ends level by level, the last one found first, as the library says it does: it matters to who
 * keeps a name. */
static void destroy_node(int k)
{
    static int found[NODES];
    int count = 0;
    found[count++] = k;
    for (int at = 0; at < count; at++) {
        const node* n = &tree.at[found[at]];
        for (int c = 0; c < n->children && policy_of(found[at]) != SETT_CHILDREN_DETACH; c++) {
            found[count++] = n->child[c];
        }
    }
    while (count-- > 0) {
        int end = found[count];
        tree.at[end].name = NONE;
        free_children(end);
        unlink_node(end);
        tree.at[end].alive = false;
        tree.stale = tree.at[end].entity;
    }
}

/* ---- Comparing ------------------------------------------------------------------------------- */

static sett_entity entity_of(int k)
{
    return k == NONE ? sett_null() : tree.at[k].entity;
}

static void expect_node(int k)
{
    sett_world* world = tree.world;
    const node* n = &tree.at[k];
    sett_entity e = n->entity;
    CHECK_EQ(sett_entity_valid(world, e), n->alive);
    CHECK_EQ(sett_has(world, e, SETT_ID_HIERARCHY), n->alive && n->linked);
    CHECK(sett_equals(sett_hierarchy_parent(world, e), entity_of(n->alive ? n->parent : NONE)));
    if (!n->alive) {
        return;
    }
    CHECK_EQ(sett_hierarchy_child_count(world, e), n->children);
    sett_entity child = sett_hierarchy_first(world, e);
    for (int c = 0; c < n->children; c++) {
        CHECK(sett_equals(child, entity_of(n->child[c])));
        child = sett_hierarchy_next(world, child);
    }
    CHECK(sett_is_null(child));
    CHECK_STR_EQ(sett_name_get(world, e), n->name != NONE ? name_of(n->name) : NULL);
    CHECK_EQ(sett_has(world, e, SETT_ID_NAME), n->has_name);
    if (n->name != NONE) {
        CHECK(sett_equals(sett_name_find(world, entity_of(n->parent), name_of(n->name)), e));
    }
}

static void expect_all(void)
{
    CHECK_VALID(tree.world);
    uint32_t alive = 0;
    for (int k = 0; k < NODES; k++) {
        expect_node(k);
        alive += tree.at[k].alive;
    }
    CHECK_EQ(sett_entity_count(tree.world), alive);
}

static void expect_depths(void)
{
    for (int k = 0; k < NODES; k++) {
        if (tree.at[k].alive) {
            CHECK_EQ(sett_hierarchy_depth(tree.world, tree.at[k].entity), depth_of(k));
        }
    }
}

/* A subtree, parents first. */
static void expect_walk(int root)
{
    sett_entity e = tree.at[root].entity;
    int k = root;
    if (!tree.at[root].linked) {
        return;
    }
    while (k != NONE) {
        CHECK(sett_equals(e, tree.at[k].entity));
        CHECK_EQ(sett_hierarchy_is_descendant(tree.world, e, tree.at[root].entity), k != root);
        e = sett_hierarchy_walk(tree.world, tree.at[root].entity, e);
        if (tree.at[k].children > 0) {
            k = tree.at[k].child[0];
            continue;
        }
        while (k != root && place_of(k) + 1 == tree.at[tree.at[k].parent].children) {
            k = tree.at[k].parent;
        }
        k = k != root ? tree.at[tree.at[k].parent].child[place_of(k) + 1] : NONE;
    }
    CHECK(sett_is_null(e));
}

static void expect_path(int k)
{
    int steps[NODES];
    int count = 0;
    bool named = true;
    for (int up = k; up != NONE; up = tree.at[up].parent) {
        named = named && tree.at[up].name != NONE;
        steps[count++] = up;
    }
    char expected[NODES * 16] = "";
    size_t length = 0;
    while (count-- > 0) {
        const node* n = &tree.at[steps[count]];
        const char* slash = count > 0 ? "/" : "";
        char* to = expected + length;
        size_t left = sizeof(expected) - length;
        length += (size_t)(n->name != NONE
                               ? snprintf(to, left, "%s%s", name_of(n->name), slash)
                               : snprintf(to, left, "#%u%s", (unsigned)n->entity.index, slash));
    }
    char path[NODES * 16];
    CHECK_EQ(sett_name_path(tree.world, tree.at[k].entity, path, sizeof(path)), length);
    CHECK_STR_EQ(path, expected);
    if (named) {
        CHECK(sett_equals(sett_name_lookup(tree.world, sett_null(), path), tree.at[k].entity));
    }
}

/* ---- Operations ------------------------------------------------------------------------------ */

/* A node that is alive, mostly; NONE if the one drawn is not. */
static int draw_alive(void)
{
    for (int tries = 0; tries < 4; tries++) {
        int k = (int)draw(NODES);
        if (tree.at[k].alive) {
            return k;
        }
    }
    return NONE;
}

static void ended(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)value;
    (void)user;
    sett_entity parent = sett_hierarchy_parent(world, entity);
    tree.in_order = tree.in_order && (sett_is_null(parent) || sett_entity_valid(world, parent));
    tree.ended++;
}

/* Where indices lie far apart: entities are created in another range from now on. */
static void do_range(void)
{
    if (ranges > 1 && draw(4) == 0) {
        CHECK_EQ(sett_entity_set_range(tree.world, draw(ranges) * DISTANCE, 0), SETT_OK);
    }
}

static void do_create(void)
{
    int k = (int)draw(NODES);
    do_range();
    node* n = &tree.at[k];
    if (n->alive) {
        return;
    }
    memset(n, 0, sizeof(*n));
    n->entity = sett_entity_create(tree.world);
    CHECK(!sett_is_null(n->entity));
    n->alive = true;
    n->parent = NONE;
    n->name = NONE;
    if (draw(2) == 0) {
        CHECK(sett_add(tree.world, n->entity, tree.notified) != NULL);
    }
    if (draw(4) == 0) {
        CHECK(sett_add(tree.world, n->entity, tree.mark) != NULL);
        n->marked = true;
    }
}

/* Now and then a call is recorded, and what it would return is in the world's error. */
static bool is_recorded(void)
{
    return draw(4) == 0;
}

static void apply(sett_status recorded, sett_status expected)
{
    CHECK_EQ(recorded, SETT_OK);
    CHECK_EQ(sett_commands_apply(sett_commands_here(tree.world)), SETT_OK);
    if (expected != SETT_OK) {
        CHECK_EQ(sett_world_error(tree.world), expected);
    }
}

static void do_attach(void)
{
    int k = draw_alive();
    int parent = draw_alive();
    if (k == NONE || parent == NONE) {
        return;
    }
    sett_status expected = SETT_OK;
    if (k == parent || is_below(parent, k)) {
        expected = SETT_STATUS_CYCLE;
    } else if (!may_be_under(k, parent)) {
        expected = SETT_STATUS_CONFLICT;
    }
    sett_entity e = tree.at[k].entity;
    sett_entity above = tree.at[parent].entity;
    if (is_recorded()) {
        apply(sett_cmd_attach(sett_commands_here(tree.world), e, above), expected);
    } else {
        CHECK_EQ(sett_hierarchy_attach(tree.world, e, above), expected);
    }
    if (expected == SETT_OK) {
        unlink_node(k);
        link_node(k, parent, tree.at[parent].children);
    }
}

static void do_insert(void)
{
    int k = draw_alive();
    int sibling = draw_alive();
    bool behind = draw(2) == 0;
    if (k == NONE || sibling == NONE) {
        return;
    }
    int parent = tree.at[sibling].parent;
    sett_status expected = SETT_OK;
    if (k == sibling || parent == NONE) {
        expected = SETT_STATUS_ARGUMENT;
    } else if (k == parent || is_below(parent, k)) {
        expected = SETT_STATUS_CYCLE;
    } else if (!may_be_under(k, parent)) {
        expected = SETT_STATUS_CONFLICT;
    }
    sett_entity e = tree.at[k].entity;
    sett_entity beside = tree.at[sibling].entity;
    CHECK_EQ(behind ? sett_hierarchy_insert_after(tree.world, e, beside)
                    : sett_hierarchy_insert_before(tree.world, e, beside),
             expected);
    if (expected == SETT_OK) {
        unlink_node(k);
        link_node(k, parent, place_of(sibling) + behind);
    }
}

static void do_detach(void)
{
    int k = draw_alive();
    if (k == NONE) {
        return;
    }
    sett_status expected = may_be_under(k, NONE) ? SETT_OK : SETT_STATUS_CONFLICT;
    if (is_recorded()) {
        apply(sett_cmd_detach(sett_commands_here(tree.world), tree.at[k].entity), expected);
    } else {
        CHECK_EQ(sett_hierarchy_detach(tree.world, tree.at[k].entity), expected);
    }
    if (expected == SETT_OK) {
        unlink_node(k);
    }
}

static void do_policy(void)
{
    int k = draw_alive();
    if (k != NONE) {
        sett_children_policy policy = (sett_children_policy)draw(4);
        if (policy == SETT_CHILDREN_REJECT && draw(3) != 0) {
            policy = SETT_CHILDREN_DEFAULT;
        }
        CHECK_EQ(sett_hierarchy_set_policy(tree.world, tree.at[k].entity, policy), SETT_OK);
        tree.at[k].policy = policy;
        tree.at[k].linked = true;
    }
}

static void do_name(void)
{
    int k = draw_alive();
    int name = (int)draw(NAMES);
    if (k == NONE) {
        return;
    }
    if (draw(6) == 0) {
        sett_status status = sett_remove(tree.world, tree.at[k].entity, SETT_ID_NAME);
        CHECK(status == SETT_OK || !tree.at[k].has_name);
        tree.at[k].name = NONE;
        tree.at[k].has_name = false;
        return;
    }
    sett_status expected =
        find_name(tree.at[k].parent, name, k) == NONE ? SETT_OK : SETT_STATUS_CONFLICT;
    sett_entity e = tree.at[k].entity;
    if (is_recorded()) {
        apply(sett_cmd_name_set(sett_commands_here(tree.world), e, name_of(name)), expected);
    } else {
        CHECK_EQ(sett_name_set(tree.world, e, name_of(name)), expected);
    }
    if (expected == SETT_OK) {
        tree.at[k].name = name;
        tree.at[k].has_name = true;
    }
}

static void do_destroy(void)
{
    int k = draw_alive();
    if (k == NONE) {
        CHECK_EQ(sett_entity_destroy(tree.world, tree.stale), SETT_STATUS_STALE);
        return;
    }
    sett_status expected = rejects(k) ? SETT_STATUS_REJECTED : SETT_OK;
    tree.in_order = true;
    if (draw(4) == 0) { /* recorded, where rejection is silent */
        sett_commands* commands = sett_commands_here(tree.world);
        CHECK_EQ(sett_cmd_destroy(commands, tree.at[k].entity), SETT_OK);
        CHECK_EQ(sett_commands_apply(commands), SETT_OK);
    } else {
        CHECK_EQ(sett_entity_destroy(tree.world, tree.at[k].entity), expected);
    }
    CHECK(tree.in_order);
    if (expected == SETT_OK) {
        destroy_node(k);
    }
}

static void do_destroy_many(void)
{
    sett_entity list[8];
    sett_status expected = SETT_OK;
    int chosen[8];
    uint32_t count = draw(8);
    for (uint32_t j = 0; j < count; j++) {
        chosen[j] = (int)draw(NODES);
        list[j] = tree.at[chosen[j]].entity;
    }
    for (uint32_t j = 0; j < count; j++) {
        if (tree.at[chosen[j]].alive && rejects(chosen[j])) {
            expected = SETT_STATUS_REJECTED;
        } else if (tree.at[chosen[j]].alive) {
            destroy_node(chosen[j]);
        }
    }
    CHECK_EQ(sett_entity_destroy_many(tree.world, list, count), expected);
}

/* All that are marked: in the order of their indices, as the tag lies. */
static void do_destroy_marked(void)
{
    sett_status expected = SETT_OK;
    for (;;) {
        int next = NONE;
        for (int k = 0; k < NODES; k++) {
            if (tree.at[k].alive && tree.at[k].marked &&
                (next == NONE || tree.at[k].entity.index < tree.at[next].entity.index)) {
                next = k;
            }
        }
        if (next == NONE) {
            break;
        }
        if (rejects(next)) {
            expected = SETT_STATUS_REJECTED;
            CHECK_EQ(sett_remove(tree.world, tree.at[next].entity, tree.mark), SETT_OK);
            tree.at[next].marked = false; /* it stays: so that the next one is looked at */
            continue;
        }
        CHECK_EQ(sett_entity_destroy(tree.world, tree.at[next].entity), SETT_OK);
        destroy_node(next);
    }
    (void)expected;
    CHECK_EQ(sett_entity_destroy_with(tree.world, tree.mark), SETT_OK); /* none are left */
}

/* All of a range, so that its pages become empty. */
static void do_destroy_range(void)
{
    uint32_t range = draw(ranges);
    for (int k = 0; k < NODES; k++) {
        if (tree.at[k].alive && tree.at[k].entity.index / DISTANCE == range) {
            sett_status expected = rejects(k) ? SETT_STATUS_REJECTED : SETT_OK;
            CHECK_EQ(sett_entity_destroy(tree.world, tree.at[k].entity), expected);
            if (expected == SETT_OK) {
                destroy_node(k);
            }
        }
    }
}

static void do_remove(void)
{
    int k = draw_alive();
    if (k == NONE) {
        return;
    }
    node* n = &tree.at[k];
    if (draw(3) == 0) { /* everything */
        CHECK_EQ(sett_entity_clear(tree.world, n->entity), SETT_OK);
        n->name = NONE;
        n->has_name = false;
        n->marked = false;
    } else {
        CHECK_EQ(sett_remove(tree.world, n->entity, SETT_ID_HIERARCHY),
                 n->linked ? SETT_OK : SETT_STATUS_ABSENT);
    }
    free_children(k);
    set_free(k);
    n->linked = false;
    n->policy = SETT_CHILDREN_DEFAULT;
}

static void do_snapshot(void)
{
    if (then.world == NULL) {
        CHECK_EQ(sett_snapshot_take(tree.world, &snapshot), SETT_OK);
        then_hash = sett_world_hash(tree.world);
        then = tree;
    } else if (draw(3) != 0) {
        sett_children_policy policy = tree.policy;
        uint64_t random = tree.random;
        CHECK_EQ(sett_snapshot_restore(tree.world, snapshot), SETT_OK);
        tree = then;
        tree.policy = policy; /* not part of the state */
        tree.random = random;
        if (draw(2) == 0) { /* whether depths are repaired before does not matter */
            sett_hierarchy_update(tree.world);
        }
        CHECK_EQ(sett_world_hash(tree.world), then_hash);
    } else {
        CHECK_EQ(sett_snapshot_drop(tree.world, snapshot), SETT_OK);
        then.world = NULL;
    }
}

static void do_rare(void)
{
    sett_component id = SETT_ID_HIERARCHY;
    sett_status status;
    switch (draw(8)) {
    case 0:
        status = sett_component_convert(
            tree.world, id, draw(2) == 0 ? SETT_STORAGE_SPARSE_SET : SETT_STORAGE_ARRAY);
        CHECK(status == SETT_OK || (then.world != NULL && status == SETT_STATUS_LOCKED));
        break;
    case 6:
    case 7:
        do_snapshot();
        break;
    case 1:
        CHECK_EQ(sett_world_trim(tree.world), SETT_OK);
        break;
    case 2:
        tree.world->epoch++; /* as when the state was replaced */
        break;
    case 3:
        tree.policy = (sett_children_policy)(1 + draw(3));
        CHECK(sett_hierarchy_register(tree.world, &(sett_hierarchy_desc){.policy = tree.policy}) !=
              0);
        break;
    case 4:
        if (draw(4) == 0) {
            CHECK_EQ(sett_world_clear(tree.world), SETT_OK);
            for (int k = 0; k < NODES; k++) {
                tree.at[k].alive = false;
            }
        }
        break;
    default:
        do_destroy_marked();
        break;
    }
}

static void do_look(void)
{
    int k = draw_alive();
    if (k == NONE) {
        return;
    }
    switch (draw(4)) {
    case 0:
        CHECK_EQ(sett_hierarchy_depth(tree.world, tree.at[k].entity), depth_of(k));
        break;
    case 1:
        expect_walk(k);
        break;
    case 2:
        expect_path(k);
        break;
    default:
        expect_node(k);
        break;
    }
}

static void do_one(void)
{
    uint32_t what = draw(100);
    if (what < 22) {
        do_create();
    } else if (what < 44) {
        do_attach();
    } else if (what < 54) {
        do_insert();
    } else if (what < 60) {
        do_detach();
    } else if (what < 64) {
        do_policy();
    } else if (what < 76) {
        do_name();
    } else if (what < 82) {
        do_destroy();
    } else if (what < 83 && ranges > 1) {
        do_destroy_range();
    } else if (what < 84) {
        do_destroy_many();
    } else if (what < 88) {
        do_remove();
    } else if (what < 98) {
        do_look();
    } else if (draw(8) == 0) {
        do_rare();
    }
}

static void tree_begin(uint64_t seed)
{
    memset(&tree, 0, sizeof(tree));
    then.world = NULL;
    tree.random = seed * 2 + 1;
    tree.world = quiet_world();
    tree.policy = SETT_CHILDREN_DESTROY;
    /* which of them comes first decides the order of ties */
    for (uint32_t k = 0; k < 2; k++) {
        CHECK((k == seed % 2 ? sett_hierarchy_register(tree.world, NULL)
                             : sett_name_register(tree.world)) != 0);
    }
    tree.mark = sett_component_register(tree.world, &(sett_component_desc){.name = "mark"});
    tree.notified = sett_component_register(
        tree.world, &(sett_component_desc){.name = "told", .on_remove = ended});
    for (int k = 0; k < NODES; k++) {
        tree.at[k].parent = NONE;
        tree.at[k].name = NONE;
    }
}

static void behave(uint64_t operations)
{
    uint64_t seed = check_setting("SETT_SEED", 1);
    for (uint64_t done = 0; done < operations; seed++) {
        printf("SETT_SEED=%llu\n", (unsigned long long)seed);
        tree_begin(seed);
        for (uint32_t k = 0; k < 100000 && done < operations; k++, done++) {
            do_one();
            check_print(done, operations);
            if (k % 128 == 0) {
                expect_all();
            }
            if (k % 4096 == 0) {
                expect_depths();
            }
        }
        expect_depths();
        expect_all();
        sett_world_destroy(tree.world);
    }
}

static void behaves_like_a_plain_tree(void)
{
    ranges = 1;
    behave(check_setting("SETT_OPERATIONS", 100000));
}

static void behaves_so_where_indices_lie_far_apart(void)
{
    ranges = 12;
    behave(check_setting("SETT_OPERATIONS", 20000));
    ranges = 1;
}

/* What is broken on purpose is seen. */
static void sees_what_is_broken(void)
{
    for (uint32_t k = 0; k < 9; k++) {
        tree_begin(k + 1);
        sett_world* world = tree.world;
        sett_component id = SETT_ID_HIERARCHY;
        sett_entity p = sett_entity_create(world);
        sett_entity c[3];
        for (uint32_t j = 0; j < 3; j++) {
            c[j] = sett_entity_create(world);
            CHECK_EQ(sett_hierarchy_attach(world, c[j], p), SETT_OK);
        }
        CHECK_EQ(sett_name_set(world, c[0], "a"), SETT_OK);
        CHECK_EQ(sett_name_set(world, c[1], "b"), SETT_OK);
        CHECK_EQ(sett_world_validate(world, NULL), SETT_OK);
        sett_hierarchy* above = setti_unconst(sett_get(world, p, id));
        sett_hierarchy* first = setti_unconst(sett_get(world, c[0], id));
        sett_hierarchy* last = setti_unconst(sett_get(world, c[2], id));
        sett_name* name = setti_unconst(sett_get(world, c[1], SETT_ID_NAME));
        sett_hierarchy links[3] = {*above, *first, *last};
        sett_name kept = *name;
        switch (k) {
        case 0:
            last->previous = 0;
            break;
        case 1:
            first->previous = c[1].index + 1; /* as if that were the last one */
            break;
        case 2:
            above->children += 4;
            break;
        case 3:
            first->depth = 2;
            break;
        case 4:
            last->next = c[0].index + 1;
            break;
        case 5:
            above->depth = 1;
            break;
        case 6:
            last->depth |= 0x80000000u; /* as if it were in the list of moved */
            break;
        case 7:
            name->key = 77;
            break;
        default:
            name->key = ((const sett_name*)sett_get(world, c[0], SETT_ID_NAME))->key;
            break;
        }
        CHECK_MSG(sett_world_validate(world, NULL) == SETT_STATUS_INVALID, "case %u", k);
        world->epoch++; /* a new index does not hide what is wrong with names */
        CHECK_MSG(sett_world_validate(world, NULL) == SETT_STATUS_INVALID, "case %u", k);
        *above = links[0]; /* it cannot be destroyed like that */
        *first = links[1];
        *last = links[2];
        *name = kept;
        world->epoch++;
        CHECK_EQ(sett_world_validate(world, NULL), SETT_OK);
        sett_world_destroy(world);
    }
}

TEST_MAIN(TEST(behaves_like_a_plain_tree), TEST(behaves_so_where_indices_lie_far_apart),
          TEST(sees_what_is_broken))

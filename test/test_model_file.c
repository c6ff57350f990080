/* test_model_file.c: random operations on a small world that has everything that a world can have;
 * after each, the world is saved and loaded, and the two are compared.
 *
 *     SETT_SEED=7 SETT_OPERATIONS=1000000 test_model_file     another run, from outside
 *
 * What is saved has to be loaded, whatever came before: so there is no naive world, only a second
 * one. It is loaded into again and again, and now and then it is a new one. A failure prints the
 * seed and the operation.
 *
 * SPDX-License-Identifier: MIT
 */
#include "files.h"
#include "states.h"
#include "worlds.h"

#include "world/world.h"

#define CROWD 24u /* entities, about */
#define FEW 5u    /* of them are drawn often */
#define FAR 3000u /* some indices are as high as this */

typedef struct plain {
    uint32_t number;
    sett_entity reference;
} plain;

typedef struct owning {
    sett_string text;
    sett_list numbers;
} owning;

typedef struct loose {
    uint8_t small;
    uint32_t large; /* behind padding */
} loose;

enum {
    PLAIN = 1,
    SPARSE,
    QUEUED,
    PADDED,
    NEEDY,
    APART,
    SKIPPED,
    OWNING,
    SWITCHED,
    MARK,
    PLACED, /* requires Hierarchy */
    TYPES = PLACED
};

enum {
    ONE,
    MANY,
    ACYCLIC,
    CASCADE,
    RELATIONS
};

static sett_component relations[RELATIONS];
static const char* doing;
static uint64_t done;
static uint64_t seed;
static uint64_t chance;

static uint32_t below(uint32_t limit)
{
    return chance_below(&chance, limit);
}

static void register_all(sett_world* world)
{
    static const sett_byte_range bytes[] = {{0, 1}, {4, 4}};
    static const sett_component needed[] = {PLAIN};
    static const sett_component node[] = {SETT_ID_HIERARCHY};
    const sett_component_desc types[] = {
        {.name = "plain", .size = sizeof(plain), .members = SETT_STRUCT(plain, number, reference)},
        {.name = "sparse", .size = 8, .storage = SETT_STORAGE_SPARSE_SET},
        {.name = "queued", .size = 4, .keep_order = true},
        {.name = "padded", .size = sizeof(loose), .bytes = bytes, .byte_count = 2},
        {.name = "needy", .size = 4, .required = needed, .required_count = 1},
        {.name = "apart", .size = 2, .dont_fragment = true},
        {.name = "skipped", .size = 4, .save = SETT_SAVE_SKIP},
        {.name = "owning",
         .size = sizeof(owning),
         .members = SETT_STRUCT(owning, text, (numbers, .element = SETT_MEMBER_U32))},
        {.name = "switched", .size = 4, .can_disable = true},
        {.name = "mark"},
        {.name = "placed", .required = node, .required_count = 1},
    };
    const sett_relationship_desc links[RELATIONS] = {
        {.name = "one", .size = 4, .align = 4},
        {.name = "many", .many = true, .size = 4, .align = 4},
        {.name = "acyclic", .acyclic = true},
        {.name = "cascade", .many = true, .on_target_destroyed = SETT_CLEANUP_DESTROY},
    };
    CHECK(sett_hierarchy_register(world, NULL) != 0 && sett_name_register(world) != 0);
    for (uint32_t k = 0; k < TYPES; k++) {
        sett_component_desc desc = types[k];
        desc.id = k + 1;
        CHECK_EQ(sett_component_register(world, &desc), k + 1);
    }
    for (uint32_t k = 0; k < RELATIONS; k++) {
        relations[k] = sett_relationship_register(world, &links[k]);
        CHECK(relations[k] != 0);
    }
    CHECK(sett_instance_of(world) != 0 && sett_prefab_tag(world) != 0);
    CHECK_EQ(sett_prefab_share(world, SPARSE, true), SETT_OK);
}

static sett_world* new_world(void)
{
    sett_world* world = quiet_world();
    register_all(world);
    return world;
}

/* ---- Operations ------------------------------------------------------------------------------ */

/* Some entity, often one of the first few: so that operations meet what others have left. */
static sett_entity any(const sett_world* world)
{
    uint32_t most = sett_entity_count(world);
    uint32_t rank = below(SETTI_MAX(below(2) == 0 ? SETTI_MIN(most, FEW) : most, 1));
    uint32_t cursor = 0;
    sett_entity entity = sett_entity_next(world, &cursor);
    for (; rank > 0; rank--) {
        entity = sett_entity_next(world, &cursor);
    }
    return entity;
}

static const char* any_name(void)
{
    static const char* const names[] = {"a",  "b",  "door",     "a b", "\n\"",
                                        "#7", "..", "\xC3\xA9", ""};
    return names[below(sizeof(names) / sizeof(names[0]))];
}

static void op_create(sett_world* world)
{
    doing = "create";
    if (below(20) == 0) {
        uint32_t index = below(FAR);
        if (sett_is_null(sett_entity_at(world, index))) {
            (void)sett_entity_create_handle(world, (sett_entity){index, 1 + below(5)});
        }
        return;
    }
    (void)sett_entity_create(world);
}

static void op_destroy(sett_world* world)
{
    doing = "destroy";
    (void)sett_entity_destroy(world, any(world));
}

static void op_value(sett_world* world)
{
    doing = "value";
    sett_entity entity = any(world);
    sett_component id = 1 + below(TYPES);
    if (below(4) == 0) {
        (void)sett_remove(world, entity, id);
        return;
    }
    unsigned char* value = sett_ensure(world, entity, id);
    if (value == NULL) {
        return;
    }
    if (id == PLAIN) {
        *(plain*)(void*)value = (plain){below(9), below(2) == 0 ? any(world) : sett_null()};
    } else if (id == OWNING) {
        owning* own = (owning*)(void*)value;
        CHECK(sett_string_set(world, &own->text, any_name()) || true);
        (void)sett_list_resize(world, &own->numbers, 4, below(4));
    } else if (id != SKIPPED) {
        size_t size = world->types[id]->storage.size;
        for (size_t k = 0; k < size; k++) {
            value[k] = (unsigned char)chance_draw(&chance);
        }
    }
}

static void op_switch(sett_world* world)
{
    doing = "switch";
    (void)sett_enable(world, any(world), SWITCHED, below(2) == 0);
}

static void op_relate(sett_world* world)
{
    doing = "relate";
    sett_component relation = relations[below(RELATIONS)];
    sett_entity source = any(world);
    sett_entity target = below(3) == 0 ? source : any(world);
    if (below(5) == 0) {
        (void)sett_unrelate(world, source, relation, target);
        return;
    }
    uint32_t* data = sett_relate(world, source, relation, target);
    if (data != NULL && (relation == relations[ONE] || relation == relations[MANY])) {
        *data = below(9);
    }
}

static void op_name(sett_world* world)
{
    doing = "name";
    (void)sett_name_set(world, any(world), any_name());
}

static void op_tree(sett_world* world)
{
    doing = "tree";
    sett_entity entity = any(world);
    switch (below(6)) {
    case 0:
        (void)sett_hierarchy_detach(world, entity);
        break;
    case 1:
        (void)sett_hierarchy_set_policy(world, entity, (sett_children_policy)below(3));
        break;
    case 2:
        (void)sett_hierarchy_insert_before(world, entity, any(world));
        break;
    case 3:
        sett_hierarchy_update(world);
        break;
    default:
        (void)sett_hierarchy_attach(world, entity, any(world));
        break;
    }
}

static void op_prefab(sett_world* world)
{
    doing = "prefab";
    (void)sett_prefab_make(world, any(world));
}

/* Of an entity and its bases, which may be variants of one another. */
static void op_instantiate(sett_world* world)
{
    doing = "instantiate";
    const sett_entity bases[2] = {any(world), any(world)};
    const plain given = {below(9), any(world)};
    const sett_value values[] = {{.component = PLAIN, .value = &given}};
    sett_instantiate_desc desc = {.prefab = any(world), .bases = bases};
    desc.base_count = below(3);
    desc.parent = below(3) == 0 ? any(world) : sett_null();
    desc.name = below(4) == 0 ? any_name() : NULL;
    desc.values = values;
    desc.value_count = below(2);
    if (below(4) == 0) {
        (void)sett_instantiate(world, desc.prefab, 1 + below(3), NULL);
        return;
    }
    if (below(4) == 0) {
        sett_commands* commands = sett_commands_here(world);
        (void)sett_cmd_instantiate(commands, desc.prefab);
        (void)sett_commands_apply(commands);
        return;
    }
    sett_entity made = sett_instantiate_with(world, &desc);
    if (below(3) == 0) {
        (void)sett_prefab_make(world, made);
    }
}

static void op_duplicate(sett_world* world)
{
    doing = "duplicate";
    (void)sett_duplicate(world, any(world), &(sett_duplicate_desc){.alone = below(2) == 0});
}

static void op_layout(sett_world* world)
{
    doing = "layout";
    static const sett_component ids[] = {PLAIN, SPARSE, OWNING, SWITCHED, PADDED};
    sett_component id = ids[below(5)];
    if (below(2) == 0) {
        (void)sett_component_convert(world, id,
                                     below(2) == 0 ? SETT_STORAGE_ARRAY : SETT_STORAGE_SPARSE_SET);
    } else {
        (void)sett_sort(world, &(sett_sort_desc){.component = QUEUED, .key = SETT_KEY_U32});
    }
}

static void op_singleton(sett_world* world)
{
    doing = "singleton";
    (void)sett_singleton_ensure(world, below(2) == 0 ? PLAIN : MARK);
}

/* What was saved after the operation before, added to what is there. */
static void op_merge(sett_world* world, disk* files)
{
    doing = "merge";
    static const char* const raw[] = {"sparse", "queued",   "padded", "needy",
                                      "apart",  "switched", "one",    "many"};
    sett_file_desc file = {.files = &files->files};
    sett_merge_desc desc = {.file = &file, .raw = raw, .raw_count = 8};
    desc.match = (sett_merge_match)below(2);
    desc.existing = (sett_merge_existing)below(2);
    desc.names = SETT_MERGE_NUMBER;
    desc.parent = below(3) == 0 ? any(world) : sett_null();
    (void)sett_world_merge(world, "f", &desc, NULL);
}

static void op_json(sett_world* world)
{
    doing = "JSON";
    static char text[200000];
    sett_json_desc desc = {.entity = any(world)};
    size_t size = sett_json_format(world, &desc, text, sizeof(text));
    if (size < sizeof(text)) {
        (void)sett_json_read(world, text, size, &(sett_json_read_desc){.parent = any(world)}, NULL);
    }
}

static sett_snapshot snapshot;

static void op_snapshot(sett_world* world)
{
    doing = "snapshot";
    if (sett_snapshot_status(world, snapshot) == SETT_OK) {
        (void)sett_snapshot_restore(world, snapshot);
        (void)sett_snapshot_drop(world, snapshot);
    } else {
        (void)sett_snapshot_take(world, &snapshot);
    }
}

static void operate(sett_world* world, disk* files)
{
    uint32_t count = sett_entity_count(world);
    uint32_t what = below(100);
    if (count == 0 || (what < 14 && count < CROWD)) {
        op_create(world);
    } else if (count > 3 * CROWD) {
        doing = "clear";
        (void)sett_world_clear(world);
    } else if (what < 20 || count > 2 * CROWD) {
        op_destroy(world);
    } else if (what < 45) {
        op_value(world);
    } else if (what < 48) {
        op_switch(world);
    } else if (what < 64) {
        op_relate(world);
    } else if (what < 70) {
        op_name(world);
    } else if (what < 80) {
        op_tree(world);
    } else if (what < 82) {
        op_prefab(world);
    } else if (what < 88) {
        op_instantiate(world);
    } else if (what < 91) {
        op_duplicate(world);
    } else if (what < 94) {
        op_layout(world);
    } else if (what < 95) {
        op_singleton(world);
    } else if (what < 96) {
        op_merge(world, files);
    } else if (what < 98) {
        op_json(world);
    } else {
        op_snapshot(world);
    }
}

/* ---- Saving ---------------------------------------------------------------------------------- */

/* The disk forgets how it came to what is on it. */
static void forget_calls(disk* of)
{
    disk_name* last = disk_find(of, "f");
    disk_node whole = of->node[last->node];
    for (uint32_t k = 0; k < of->nodes; k++) {
        if (k != last->node) {
            free(of->node[k].bytes);
        }
    }
    of->names = 0;
    of->nodes = 1;
    of->calls = 0;
    of->node[0] = whole;
    disk_set(of, "f", 0);
}

_Noreturn static void fail(int line, const char* what, const char* why)
{
    check_failed(__FILE__, line, "operation %llu (%s): %s: %s; again with SETT_SEED=%llu",
                 (unsigned long long)done, doing, what, why, (unsigned long long)seed);
}

/* Saves, loads, compares. */
static void there_and_back(sett_world* world, sett_world* copy, disk* files)
{
    const sett_file_desc desc = {.files = &files->files};
    char text[256];
    const char* why = "";
    if (sett_world_validate(world, &why) != SETT_OK) {
        fail(__LINE__, "validate", why);
    }
    if (sett_world_save_with(world, "f", &desc) != SETT_OK) {
        fail(__LINE__, "save", sett_world_message(world));
    }
    if (sett_world_load_with(copy, "f", &desc, NULL) != SETT_OK) {
        fail(__LINE__, "load", sett_world_message(copy));
    }
    if (sett_world_difference(world, copy, text, sizeof(text)) != 0) {
        fail(__LINE__, "compare", text);
    }
    if (sett_world_hash(world) != sett_world_hash(copy)) {
        fail(__LINE__, "compare", "the hashes differ");
    }
    if (sett_world_validate(copy, &why) != SETT_OK) {
        fail(__LINE__, "validate the copy", why);
    }
    forget_calls(files);
}

static void what_is_saved_is_loaded(void)
{
    uint64_t operations = check_setting("SETT_OPERATIONS", CHECK_ROUNDS(6000));
    seed = check_setting("SETT_SEED", 20261);
    chance = seed;
    disk* files = disk_create();
    sett_world* world = new_world();
    sett_world* copy = new_world();
    there_and_back(world, copy, files);
    for (done = 1; done <= operations; done++) {
        operate(world, files);
        if (done % 97 == 0) {
            CHECK_END(copy);
            copy = new_world();
        }
        there_and_back(world, copy, files);
    }
    disk_destroy(files);
    CHECK_END(world);
    CHECK_END(copy);
}

TEST_MAIN(TEST(what_is_saved_is_loaded))

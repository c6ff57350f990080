/* test_callback.c: what callbacks may not do: hooks of values, comparators and the log hook run
 * with the world locked. And values that no call may set: those of the library's own components. */
#include "sett/duplicate.h"
#include "sett/hierarchy.h"
#include "sett/name.h"
#include "sett/observer.h"
#include "sett/prefab.h"
#include "sett/relationship.h"
#include "states.h"

/* ------------------------------------------------------------------------------ hooks of values */

enum {
    INIT,
    DEINIT,
    COPY,
    MOVE,
    HOOKS
};

static sett_world* attacked;
static uint32_t attacks[HOOKS];
static uint32_t other_attacks;

/* Tries to change structure in every way, and is rejected with the name of who runs. */
static void attack(sett_world* world, const char* name)
{
    char wanted[64];
    snprintf(wanted, sizeof(wanted), "a callback of \"%s\" is running", name);
    uint32_t count = sett_entity_count(world);
    sett_entity some = sett_entity_at(world, 0);
    sett_component component = sett_component_find(world, "Bystander");
    CHECK(component != 0);
    CHECK(sett_is_null(sett_entity_create(world)));
    CHECK_EQ(sett_world_error(world), SETT_STATUS_LOCKED);
    CHECK_MSG(strstr(sett_world_message(world), wanted) != NULL, "%s", sett_world_message(world));
    if (!sett_is_null(some)) {
        CHECK_EQ(sett_entity_destroy(world, some), SETT_STATUS_LOCKED);
        CHECK_EQ(sett_entity_clear(world, some), SETT_STATUS_LOCKED);
        CHECK(sett_has(world, some, component) || sett_add(world, some, component) == NULL);
        CHECK_EQ(sett_remove(world, some, component), SETT_STATUS_LOCKED);
    }
    CHECK_EQ(sett_component_clear(world, component), SETT_STATUS_LOCKED);
    CHECK_EQ(sett_component_register(world, &(sett_component_desc){.name = "new"}), 0);
    CHECK_EQ(sett_world_clear(world), SETT_STATUS_LOCKED);
    CHECK_EQ(sett_world_trim(world), SETT_STATUS_LOCKED);
    CHECK(strstr(sett_world_message(world), wanted) != NULL);
    CHECK_EQ(sett_entity_count(world), count);
}

static void owner_init(void* values, uint32_t count, void* user)
{
    memset(values, 0, count * sizeof(uint64_t));
    (void)user;
    attacks[INIT]++;
    attack(attacked, "Owner");
}

static void owner_deinit(void* values, uint32_t count, void* user)
{
    (void)values;
    (void)count;
    (void)user;
    attacks[DEINIT]++;
    attack(attacked, "Owner");
}

static void owner_copy(void* to, const void* from, uint32_t count, void* user)
{
    memcpy(to, from, count * sizeof(uint64_t));
    (void)user;
    attacks[COPY]++;
    attack(attacked, "Owner");
}

static void owner_move(void* to, void* from, uint32_t count, void* user)
{
    memcpy(to, from, count * sizeof(uint64_t));
    (void)user;
    attacks[MOVE]++;
    attack(attacked, "Owner");
}

static const uint64_t numbers[] = {5, 3, 4, 1, 2};

static sett_world* attacked_world(sett_storage_kind storage)
{
    attacked = quiet_world();
    sett_component bystander = SETT_REGISTER_TAG(attacked, Bystander);
    sett_component_desc desc = {.name = "Owner",
                                .size = 8,
                                .storage = storage,
                                .save = SETT_SAVE_CLONE,
                                .init = owner_init,
                                .deinit = owner_deinit,
                                .copy = owner_copy,
                                .move = owner_move};
    CHECK_EQ(sett_component_register(attacked, &desc), 2);
    CHECK(sett_add(attacked, sett_entity_create(attacked), bystander) != NULL);
    return attacked;
}

/* Runs one operation; the hooks in `expected`, a bit each, have been called by it. */
#define ATTACKED(world, expected, operation)                                                       \
    do {                                                                                           \
        memset(attacks, 0, sizeof(attacks));                                                       \
        CHECK(operation);                                                                          \
        for (uint32_t hook = 0; hook < HOOKS; hook++) {                                            \
            CHECK_MSG(attacks[hook] != 0 || ((expected) >> hook & 1) == 0, "line %d, hook %u",     \
                      __LINE__, hook);                                                             \
        }                                                                                          \
        CHECK_VALID(world);                                                                        \
        CHECK(!sett_is_null(sett_entity_create(world))); /* unlocked again */                      \
    } while (0)

#define HOOK(which) (1u << (which))

static void attack_structure(sett_storage_kind storage)
{
    sett_world* world = attacked_world(storage);
    sett_entity e[5];
    sett_component owner = 2;
    const void* values = numbers;
    ATTACKED(world, HOOK(INIT) | HOOK(COPY),
             sett_entity_create_many(world, 5, &owner, 1, &values, e) == SETT_OK);
    ATTACKED(world, HOOK(COPY), sett_set(world, e[0], owner, &numbers[1]) != NULL);
    sett_entity fresh = sett_entity_create(world);
    ATTACKED(world, HOOK(INIT), sett_add(world, fresh, owner) != NULL);
    ATTACKED(world, HOOK(DEINIT), sett_remove(world, e[1], owner) == SETT_OK);
    ATTACKED(world, HOOK(INIT) | HOOK(COPY), sett_set(world, e[1], owner, &numbers[1]) != NULL);
    ATTACKED(world, HOOK(DEINIT), sett_entity_destroy(world, e[2]) == SETT_OK);
    sett_entity made = sett_null();
    ATTACKED(world, HOOK(INIT) | HOOK(COPY),
             !sett_is_null(made = sett_duplicate(world, e[0], NULL)));
    sett_storage_kind other =
        storage == SETT_STORAGE_ARRAY ? SETT_STORAGE_SPARSE_SET : SETT_STORAGE_ARRAY;
    ATTACKED(world, HOOK(MOVE), sett_component_convert(world, owner, other) == SETT_OK);
    ATTACKED(world, HOOK(MOVE), sett_component_convert(world, owner, storage) == SETT_OK);
    if (storage == SETT_STORAGE_SPARSE_SET) {
        ATTACKED(world, HOOK(MOVE),
                 sett_sort(world, &(sett_sort_desc){.component = owner, .key = SETT_KEY_U64}) ==
                     SETT_OK);
        ATTACKED(world, HOOK(MOVE) | HOOK(DEINIT), sett_remove(world, e[1], owner) == SETT_OK);
    }
    ATTACKED(world, HOOK(DEINIT), sett_entity_clear(world, e[0]) == SETT_OK);
    ATTACKED(world, HOOK(DEINIT), sett_world_clear(world) == SETT_OK);
    CHECK_END(world);
}

static void hooks_of_values_change_no_structure(void)
{
    attack_structure(SETT_STORAGE_ARRAY);
    attack_structure(SETT_STORAGE_SPARSE_SET);
}

static void nor_while_commands_are_applied(void)
{
    sett_world* world = attacked_world(SETT_STORAGE_ARRAY);
    sett_commands* commands = sett_commands_here(world);
    sett_entity e = sett_entity_create(world);
    CHECK(sett_add(world, e, 2) != NULL);
    ATTACKED(world, 0, sett_cmd_destroy(commands, e) == SETT_OK);
    ATTACKED(world, HOOK(DEINIT), sett_commands_apply(commands) == SETT_OK);
    CHECK_END(world);
}

static void nor_while_states_are_kept(void)
{
    sett_world* world = attacked_world(SETT_STORAGE_ARRAY);
    sett_entity e = sett_entity_create(world);
    CHECK(sett_add(world, e, 2) != NULL);
    sett_snapshot snapshot = take(world);
    ATTACKED(world, HOOK(INIT) | HOOK(COPY),
             sett_get_mut(world, e, 2) != NULL); /* saves the page */
    ATTACKED(world, HOOK(MOVE), sett_snapshot_restore(world, snapshot) == SETT_OK);
    ATTACKED(world, HOOK(INIT) | HOOK(COPY), sett_get_mut(world, e, 2) != NULL);
    ATTACKED(world, HOOK(DEINIT), sett_snapshot_drop(world, snapshot) == SETT_OK);
    sett_world* from = world;
    world = attacked_world(SETT_STORAGE_ARRAY);
    ATTACKED(world, HOOK(INIT) | HOOK(COPY), sett_world_clone(from, world) == SETT_OK);
    CHECK_END(world);
    attacked = from;
    CHECK_END(from);
}

static void drop_loot(sett_world* world, sett_entity entity, void* value, void* user)
{
    sett_commands* commands = sett_commands_here(world);
    (void)entity;
    (void)value;
    (void)user;
    CHECK(!sett_is_null(sett_cmd_create(commands)));
}

/* What callbacks record while a clone empties its world is dropped. */
static void a_clone_drops_what_callbacks_record(void)
{
    sett_world* from = attacked_world(SETT_STORAGE_ARRAY);
    sett_world* into = attacked_world(SETT_STORAGE_ARRAY);
    sett_entity e = sett_entity_create(into);
    CHECK(sett_add(into, e, 2) != NULL);
    CHECK(sett_observer_create(
              into, &(sett_observer_desc){.component = 2, .on_remove = drop_loot}) != NULL);
    CHECK(!sett_is_null(sett_cmd_create(sett_commands_here(into))));
    CHECK_EQ(sett_world_clone(from, into), SETT_OK);
    CHECK_EQ(sett_commands_count(sett_commands_here(into)), 0);
    CHECK_EQ(sett_commands_apply(sett_commands_here(into)), SETT_OK);
    CHECK_EQ(sett_world_hash(into), sett_world_hash(from));
    CHECK_ENTITY_EQ(sett_entity_create(into), sett_entity_create(from));
    CHECK_END(into);
    CHECK_END(from);
}

/* Members of an owning group are exchanged by the move hook. */
static void nor_while_groups_arrange(void)
{
    sett_world* world = attacked_world(SETT_STORAGE_SPARSE_SET);
    sett_component tag = sett_component_find(world, "Bystander");
    sett_entity e[3];
    for (uint32_t k = 0; k < 3; k++) {
        e[k] = sett_entity_create(world);
        CHECK(sett_set(world, e[k], 2, &numbers[k]) != NULL);
    }
    CHECK(sett_group_create(world, &(sett_group_desc){.owned = {2}, .with = {tag}}) != NULL);
    ATTACKED(world, HOOK(MOVE), sett_add(world, e[2], tag) != NULL);
    ATTACKED(world, 0, sett_add(world, e[1], tag) != NULL); /* lies there already */
    ATTACKED(world, HOOK(MOVE), sett_remove(world, e[2], tag) == SETT_OK);
    CHECK_END(world);
}

/* ---------------------------------------------------------------------------------- comparators */

static int compare_and_attack(const void* a, const void* b, void* user)
{
    uint64_t x;
    uint64_t y;
    memcpy(&x, a, sizeof(x));
    memcpy(&y, b, sizeof(y));
    other_attacks++;
    attack(user, "Depth");
    return x < y ? -1 : x > y;
}

static void comparators_change_no_structure(void)
{
    sett_world* world = quiet_world();
    sett_component tag = SETT_REGISTER_TAG(world, Bystander);
    sett_component_desc desc = {.name = "Depth", .size = 8, .storage = SETT_STORAGE_SPARSE_SET};
    sett_component depth = sett_component_register(world, &desc);
    for (uint32_t k = 0; k < 5; k++) {
        sett_entity e = sett_entity_create(world);
        CHECK(sett_set(world, e, depth, &numbers[k]) != NULL && sett_add(world, e, tag) != NULL);
    }
    other_attacks = 0;
    CHECK_EQ(sett_sort(world, &(sett_sort_desc){.component = depth,
                                                .compare = compare_and_attack,
                                                .user = world}),
             SETT_OK);
    CHECK(other_attacks != 0);
    CHECK_VALID(world);
    CHECK(sett_set(world, sett_entity_create(world), depth, &numbers[3]) != NULL);
    sett_group_desc owning = {.owned = {depth}};
    sett_group* group = sett_group_create(world, &owning);
    other_attacks = 0;
    CHECK_EQ(sett_sort(world, &(sett_sort_desc){.component = depth,
                                                .group = group,
                                                .compare = compare_and_attack,
                                                .user = world}),
             SETT_OK);
    CHECK(other_attacks != 0);
    CHECK(!sett_is_null(sett_entity_create(world)));
    CHECK_END(world);
}

/* --------------------------------------------------------------------------------- the log hook */

static uint32_t lines;
static uint32_t asserts;
static char heard[512];
static bool attack_back;

static void log_and_attack(void* user, sett_log_level level, const char* message)
{
    (void)user;
    (void)level;
    lines++;
    if (attack_back) {
        attack(attacked, "log_fn");
    }
    /* neither what a reader nor what a writer does wrong comes back without end */
    CHECK(sett_get(attacked, sett_null(), 1) == NULL);
    CHECK(sett_add(attacked, sett_null(), 1) == NULL);
    CHECK(sett_set(attacked, sett_null(), 999, NULL) == NULL);
    snprintf(heard, sizeof(heard), "%s", message); /* it is still what it was */
}

static void assert_and_attack(void* user, sett_status status, const char* message)
{
    (void)user;
    (void)message;
    CHECK_EQ(status, SETT_STATUS_PRESENT);
    asserts++;
    attack(attacked, "log_fn");
}

/* Logs in the midst of a change: so many sets of components. */
static void the_log_hook_changes_no_structure(void)
{
    attacked =
        sett_world_create(&(sett_world_desc){.log_fn = log_and_attack, .signature_warning = 3});
    sett_component tag = SETT_REGISTER_TAG(attacked, Bystander);
    lines = 0;
    attack_back = true;
    for (uint32_t k = 0; k < 8; k++) {
        char name[8];
        snprintf(name, sizeof(name), "t%u", k);
        sett_component id = sett_component_register(attacked, &(sett_component_desc){.name = name});
        sett_entity e = sett_entity_create(attacked);
        CHECK(sett_add(attacked, e, tag) != NULL && sett_add(attacked, e, id) != NULL);
        CHECK_VALID(attacked);
    }
    CHECK(lines != 0);
    CHECK(strstr(heard, "sets of components") != NULL);
    CHECK_END(attacked);
}

/* In debug builds, where it hears of misuse: the error is that of the call that failed. */
static void the_log_hook_may_fail_itself(void)
{
    attacked = sett_world_create(
        &(sett_world_desc){.log_fn = log_and_attack, .assert_fn = assert_and_attack});
    sett_component tag = SETT_REGISTER_TAG(attacked, Bystander);
    sett_entity e = sett_entity_create(attacked);
    CHECK(sett_add(attacked, e, tag) != NULL);
    lines = 0;
    asserts = 0;
    attack_back = true;
    CHECK(sett_add(attacked, e, tag) == NULL);
#if !defined(NDEBUG)
    CHECK_EQ(lines, 1);
    CHECK_EQ(asserts, 1);
    CHECK(strstr(heard, "sett_add, entity 0:1, component 1 \"Bystander\": it exists") != NULL);
#endif
    CHECK_EQ(sett_world_error(attacked), SETT_STATUS_PRESENT);
    CHECK(strstr(sett_world_message(attacked), "it exists already") != NULL);
    CHECK(!sett_is_null(sett_entity_create(attacked)));
    CHECK_END(attacked);

    attacked = sett_world_create(&(sett_world_desc){.log_fn = log_and_attack});
    attack_back = false;
    lines = 0;
    CHECK(sett_get(attacked, sett_null(), 1) == NULL); /* a reader, and readers in its hook */
    CHECK(lines < 64);
    lines = 0;
    CHECK(sett_get(attacked, sett_null(), 2) == NULL); /* another misuse is logged again */
#if !defined(NDEBUG)
    CHECK(lines != 0);
#endif
    CHECK_END(attacked);
}

/* ----------------------------------------------------------------- the library's own components */

typedef struct Owes {
    sett_link link;
    int amount;
} Owes;

typedef struct protected
{
    sett_component id;
    const char* instead;
}
protected;

static void rejects(sett_world* world, const char* call, const char* instead)
{
    CHECK_EQ(sett_world_error(world), SETT_STATUS_ARGUMENT);
    CHECK_MSG(strncmp(sett_world_message(world), call, strlen(call)) == 0 &&
                  strstr(sett_world_message(world), "are written by the library - ") != NULL &&
                  strstr(sett_world_message(world), instead) != NULL,
              "%s", sett_world_message(world));
}

static char log_line[512];

static void remember(void* user, sett_log_level level, const char* message)
{
    (void)user;
    (void)level;
    snprintf(log_line, sizeof(log_line), "%s", message);
}

/* Whole values of them are links, chains and keys: no call, command, creation or loop sets them. */
static void own_components_are_not_set(void)
{
    static const unsigned char garbage[64] = {0xFF, 0xFE, 7, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    sett_world* world = sett_world_create(&(sett_world_desc){.log_fn = remember});
    sett_component owes = sett_relationship_register(
        world, &(sett_relationship_desc){.name = "Owes", .size = sizeof(int)});
    sett_component likes =
        sett_relationship_register(world, &(sett_relationship_desc){.name = "Likes", .many = true});
    sett_entity e[4];
    CHECK_EQ(sett_entity_create_many(world, 4, NULL, 0, NULL, e), SETT_OK);
    CHECK_EQ(sett_hierarchy_attach(world, e[1], e[0]), SETT_OK);
    CHECK_EQ(sett_name_set(world, e[1], "one"), SETT_OK);
    CHECK(sett_relate(world, e[1], owes, e[0]) != NULL);
    CHECK(sett_relate(world, e[1], likes, e[0]) != NULL);
    const protected list[] = {
        {SETT_ID_HIERARCHY, "call sett_hierarchy_attach"},
        {SETT_ID_NAME, "call sett_name_set"},
        {sett_relationship_sources(world, owes), "call sett_relate"},
        {sett_relationship_sources(world, likes), "call sett_relate"},
    };
    sett_commands* commands = sett_commands_here(world);
    uint64_t hash = sett_world_hash(world);
    for (uint32_t k = 0; k < sizeof(list) / sizeof(list[0]); k++) {
        for (uint32_t on = 0; on < 4; on++) { /* who has it, and who does not */
            CHECK(sett_set(world, e[on], list[k].id, garbage) == NULL);
            rejects(world, "sett_set: ", list[k].instead);
        }
        CHECK(sett_get_mut(world, e[k != 1 ? 0 : 1], list[k].id) ==
              NULL); /* nor is it handed out */
        rejects(world, "sett_get_mut: ", list[k].instead);
        CHECK(sett_find_mut(world, e[k != 1 ? 0 : 1], list[k].id) == NULL);
        CHECK_EQ(sett_cmd_set(commands, e[1], list[k].id, garbage), SETT_STATUS_ARGUMENT);
#if !defined(NDEBUG)
        CHECK(strstr(log_line, "sett_cmd_set: values of") != NULL &&
              strstr(log_line, list[k].instead) != NULL);
#endif
        const void* values = garbage;
        CHECK_EQ(sett_entity_create_many(world, 1, &list[k].id, 1, &values, NULL),
                 SETT_STATUS_ARGUMENT);
        CHECK(k >= 2 || strstr(sett_world_message(world), list[k].instead) != NULL);
    }
    CHECK_EQ(sett_commands_count(commands), 0);
    CHECK_EQ(sett_world_hash(world), hash);
    CHECK_VALID(world);
    const sett_component roots[] = {list[0].id, list[1].id}; /* roots without a name are fine */
    CHECK_EQ(sett_entity_create_many(world, 2, roots, 2, NULL, NULL), SETT_OK);
    CHECK(sett_set(world, e[1], owes, &(Owes){.amount = 5}) == NULL);
    CHECK(*(const int*)sett_related(world, e[1], owes, e[0]) != 5);
    CHECK_END(world);
}

static void own_components_are_not_written_by_loops(void)
{
    sett_world* world = quiet_world();
    sett_component owes = sett_relationship_register(
        world, &(sett_relationship_desc){.name = "Owes", .size = sizeof(int)});
    const protected list[] = {
        {sett_hierarchy_register(world, NULL), "call sett_hierarchy_attach"},
        {sett_name_register(world), "call sett_name_set"},
        {owes, "sett_related_mut for the data"},
        {sett_relationship_sources(world, owes), "call sett_relate"},
        {sett_instance_of(world), "call sett_relate"},
    };
    for (uint32_t k = 0; k < sizeof(list) / sizeof(list[0]); k++) {
        for (uint32_t way = 0; way < 16; way++) {
            sett_query_desc desc = {.name = "q"};
            desc.terms[0].component = list[k].id;
            desc.terms[0].access = (sett_access)(way % 4);
            desc.terms[0].kind = (sett_term_kind)(way / 4);
            bool writes = desc.terms[0].kind != SETT_WITHOUT &&
                          (desc.terms[0].access == SETT_INOUT || desc.terms[0].access == SETT_OUT);
            sett_query* query = sett_query_create(world, &desc);
            CHECK_EQ(query == NULL, writes);
            if (writes) {
                rejects(world, "sett_query_create: query \"q\": ", list[k].instead);
                CHECK(strstr(sett_world_message(world), "SETT_IN") != NULL);
            }
        }
    }
    CHECK_END(world);
}

TEST_MAIN(TEST(hooks_of_values_change_no_structure), TEST(nor_while_commands_are_applied),
          TEST(nor_while_states_are_kept), TEST(a_clone_drops_what_callbacks_record),
          TEST(nor_while_groups_arrange), TEST(comparators_change_no_structure),
          TEST(the_log_hook_changes_no_structure), TEST(the_log_hook_may_fail_itself),
          TEST(own_components_are_not_set), TEST(own_components_are_not_written_by_loops))

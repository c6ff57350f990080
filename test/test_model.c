/* test_model.c: random operations on a world and on a naive one, compared all the way.
 *
 *     SETT_SEED=7 SETT_OPERATIONS=10000000 test_model     another run, from outside
 *     test_model --seed 7 --ops 52346 --from 51345        up to operation 52345, validated and
 *                                                         compared after each from 51345 on
 *
 * A failure prints the line that repeats it.
 *
 * The first operations work on small worlds and are checked one by one; later the population swings
 * between nothing and all of the indices, and the checks come every thousand operations. Operations
 * whose cost grows with the world are paid for from a budget, so that an operation costs the same
 * on average, however large the world is.
 *
 * The naive world is model/model.h, the operations are model/operations.h. Here is how often each
 * operation comes, when everything is compared, and proof that comparing can fail.
 *
 * SPDX-License-Identifier: MIT
 */
#include "model/operations.h"

#define CLOSELY 10000u /* operations that are checked one by one */
#define STRETCH 2500u  /* between changes of what the world is headed for */
#define BUDGET 400     /* what an operation earns: entities looked at, about */

static uint64_t seed_given;
static uint64_t operations;
static uint64_t closely_from;
static bool operations_exact; /* given by hand: the same for every run */

/* ---- The loop -------------------------------------------------------------------------------- */

typedef struct operation {
    const char* name;
    void (*function)(void);
    uint32_t weight;
    bool living; /* needs a living entity */
} operation;

static const operation operation_list[] = {
    {"create", op_create, 60, false},
    {"create_handle", op_create_handle, 15, false},
    {"create_with", op_create_with, 25, false},
    {"create_many", op_create_many, 25, false},
    {"destroy", op_destroy, 60, true},
    {"destroy_many", op_destroy_many, 12, true},
    {"forget", op_forget, 12, true},
    {"destroy_with", op_destroy_with, 4, true},
    {"entity_clear", op_entity_clear, 8, true},
    {"world_clear", op_world_clear, 2, false},
    {"add", op_add, 160, true},
    {"ensure", op_ensure, 60, true},
    {"set", op_set, 160, true},
    {"event", op_event, 60, true},
    {"set_from_another", op_set_from_another, 60, true},
    {"write", op_write, 60, true},
    {"remove", op_remove, 140, true},
    {"enable", op_enable, 80, true},
    {"component_clear", op_component_clear, 3, true},
    {"compact", op_compact, 10, false},
    {"trim", op_trim, 10, false},
    {"reserve", op_reserve, 4, false},
    {"advance", op_advance, 20, false},
    {"stale", op_stale, 20, false},
    {"unregistered", op_unregistered, 5, true},
    {"record", op_record, 60, false},
    {"apply", op_apply, 25, false},
    {"drop", op_drop, 8, false},
    {"convert", op_convert, 10, false},
    {"group_create", op_group_create, 24, true},
    {"group_destroy", op_group_destroy, 12, false},
    {"observer_create", op_observer_create, 24, true},
    {"observer_destroy", op_observer_destroy, 12, false},
    {"observer_enable", op_observer_enable, 12, false},
    {"sort", op_sort, 16, false},
    {"sort_as", op_sort_as, 8, false},
    {"group_sort", op_group_sort, 16, false},
    {"query", op_query, 70, false},
    {"keep_query", op_keep_query, 6, false},
    {"leave_open", op_leave_open, 4, false},
    {"break", op_break, 1, false},
};

#define OPERATION_KINDS (sizeof(operation_list) / sizeof(operation_list[0]))

static uint64_t operation_counts[OPERATION_KINDS];

static uint32_t choose_operation(void)
{
    uint32_t total = 0;
    for (uint32_t k = 0; k < OPERATION_KINDS; k++) {
        total += operation_list[k].weight;
    }
    uint32_t at = below(total);
    uint32_t chosen = 0;
    while (at >= operation_list[chosen].weight) {
        at -= operation_list[chosen++].weight;
    }
    return chosen;
}

/* Where the population is headed. */
static void choose_target(void)
{
    static const uint32_t targets[] = {0,    30,   300,   300,   3000,
                                       3000, 3000, 10000, 30000, MODEL_INDICES};
    bool early = run.done < run.closely;
    run.target = early ? below(400) : targets[below(sizeof(targets) / sizeof(targets[0]))];
    run.reach = early ? 2500 : MODEL_INDICES;
    /* Without any group everything goes shorter ways. */
    run.groups = run.done / STRETCH % 3 == 0 ? 0 : 1 + below(MODEL_GROUPS);
    run.observers = run.done / STRETCH % 3 == 1 ? 0 : 1 + below(MODEL_OBSERVERS);
}

static void check_world(bool closely)
{
    const char* reason;
    if (sett_world_validate(model.world, &reason) != SETT_OK) {
        fail(__FILE__, __LINE__, reason);
    }
    EXPECT_SAME(model_compare_counts(&model));
    EXPECT_SAME(model_compare_groups(&model));
    EXPECT_SAME(model_compare_observers(&model));
    if (!closely || run.done % 16 == 0) {
        EXPECT_SAME(model_compare(&model));
    }
}

static void run_one(void)
{
    if (run.done % STRETCH == 0) {
        choose_target();
    }
    uint32_t k = choose_operation();
    run.name = operation_list[k].name;
    run.budget += run.budget < 4000000 ? BUDGET : 0;
    bool steer = model.alive + model.alive / 8 + 20 < run.target || model.alive > run.target + 20;
    if (steer && one_in(4)) {
        run.name = "steer";
        if (model.alive < run.target) {
            op_create_many();
        } else {
            op_destroy_many();
        }
    } else if (!operation_list[k].living || model.alive != 0) {
        operation_list[k].function();
        operation_counts[k]++;
    }
    bool closely = run.done < run.closely || run.done >= closely_from;
    if (closely || run.done % PERIOD == 0) {
        check_world(closely);
    }
    run.done++;
}

static void run_all(bool plain, uint64_t count)
{
    memset(&run, 0, sizeof(run));
    run.seed = seed_given;
    run.chance = chance_mix(seed_given + 1);
    run.closely = plain ? CLOSELY / 5 : CLOSELY;
    memset(operation_counts, 0, sizeof(operation_counts));
    forget_kept();
    model_begin(&model, plain);
    uint32_t most = 0;
    while (run.done < count) {
        run_one();
        check_print(run.done, count);
        most = most < model.alive ? model.alive : most;
    }
    run.name = "end";
    check_world(false);
    printf("  seed %llu, %llu operations, at most %u entities\n", (unsigned long long)seed_given,
           (unsigned long long)count, most);
    for (uint32_t k = 0; k < OPERATION_KINDS && count >= CLOSELY; k++) {
        CHECK_MSG(operation_counts[k] != 0, "no %s in all of it", operation_list[k].name);
    }
    model_end(&model);
}

static void random_operations(void)
{
    run_all(false, operations);
}

static void random_operations_without_dont_fragment_types(void)
{
    run_all(true, operations_exact ? operations : operations / 4);
}

/* ---- That the checks can fail ---------------------------------------------------------------- */

static void validation_sees_every_break(void)
{
    for (uint32_t way = 0; way < BREAKS; way++) {
        CHECK_MSG(scratch_is_seen(way), "break %u goes unseen", way);
    }
}

static void comparison_sees_every_difference(void)
{
    model_begin(&model, false);
    sett_world* w = model.world;
    uint32_t m8 = model_find_type("m8");
    uint32_t tracked = model_find_type("m24");
    sett_entity e = sett_entity_create(w);
    model_create(&model, e);
    CHECK(sett_add(w, e, id_of(m8)) != NULL && sett_add(w, e, id_of(tracked)) != NULL);
    model_add(&model, e.index, m8);
    model_add(&model, e.index, tracked);
    CHECK(model_compare(&model) == NULL);

    model.seed[m8][0] = 1;
    CHECK_STR_EQ(model_compare(&model), "entity 0: m8 has another value");
    model.seed[m8][0] = 0;
    model.tick[tracked][0]--;
    CHECK_STR_EQ(model_compare(&model), "entity 0: m24 changed at 1, not 0");
    model.tick[tracked][0]++;
    model.generation[0]++;
    CHECK_STR_EQ(model_compare(&model), "index 0: generation 1 is not 2");
    model.generation[0]--;
    sett_remove(w, e, id_of(m8));
    CHECK_STR_EQ(model_compare(&model), "0 have m8, not 1");
    sett_add(w, e, id_of(m8));
    CHECK(model_compare(&model) == NULL);
    model.mask[0] ^= model_bit(model_find_type("t0"));
    CHECK_STR_EQ(model_compare(&model), "entity 0 lacks t0");
    CHECK_STR_EQ(model_compare_list(&model, 0), "entity 0: another set is listed");
    model.mask[0] ^= model_bit(model_find_type("t0"));

    model_group* group = &model.group[0];
    strcpy(group->name, "group 0");
    group->group = sett_group_create(w, &(sett_group_desc){.with = {id_of(m8)}});
    CHECK(group->group != NULL);
    group->with = model_bit(m8);
    CHECK(model_compare(&model) == NULL);
    group->without = model_bit(tracked);
    CHECK_STR_EQ(model_compare_groups(&model), "1 in group 0, not 0");
    CHECK_STR_EQ(model_compare_index(&model, 0), "entity 0 is in group 0");
    group->without = 0;
    group->notified = true;
    CHECK_STR_EQ(model_compare_groups(&model), "group 0 was notified of 0, not 1");
    CHECK_STR_EQ(model_compare_index(&model, 0), "group 0 was not notified of entity 0");
    group->notified = false;

    model_observer* observer = &model.observer[0];
    strcpy(observer->name, "observer 0");
    observer->observer = sett_observer_create(w, &(sett_observer_desc){.component = id_of(m8),
                                                                       .on_set = model_observe_set,
                                                                       .user = observer});
    CHECK(observer->observer != NULL);
    observer->type = m8;
    observer->wants = 2;
    observer->enabled = true;
    model.observed = model_bit(m8);
    uint64_t value = 0;
    CHECK(sett_set(w, e, id_of(m8), &value) != NULL);
    CHECK_STR_EQ(model_compare(&model),
                 "observer 0: event 1 of m8: told 1 times, not 0, or of others");
    model_set(&model, e.index, m8, 0);
    model.set[m8]--;
    CHECK(model_compare(&model) == NULL);
    observer->seen[MODEL_ON_SET].sum++; /* as another value would */
    CHECK_STR_EQ(model_compare(&model),
                 "observer 0: event 1 of m8: told 1 times, not 1, or of others");
    observer->type = MODEL_TYPES;
    observer->crossing.with = model_bit(m8);
    CHECK_STR_EQ(model_compare_observers(&model), "observer 0 was notified of 0, not 1");
    CHECK_STR_EQ(model_compare_index(&model, 0), "observer 0 was not notified of entity 0");
    model_end(&model);
}

/* ---- Options --------------------------------------------------------------------------------- */

static uint64_t option_number(const char* text)
{
    char* end;
    unsigned long long value = strtoull(text, &end, 0);
    CHECK_MSG(*text != '\0' && *end == '\0', "%s is not a number", text);
    return value;
}

/* Takes the options off the list of arguments; what is left is for the harness. */
static int take_options(int argc, char** argv)
{
    int left = 1;
    for (int at = 1; at < argc; at++) {
        uint64_t* option = strcmp(argv[at], "--seed") == 0   ? &seed_given
                           : strcmp(argv[at], "--ops") == 0  ? &operations
                           : strcmp(argv[at], "--from") == 0 ? &closely_from
                                                             : NULL;
        if (option == NULL) {
            argv[left++] = argv[at];
        } else {
            CHECK_MSG(at + 1 < argc, "%s needs a number", argv[at]);
            *option = option_number(argv[++at]);
            operations_exact = operations_exact || option == &operations;
        }
    }
    return left;
}

check_state check_progress;

int main(int argc, char** argv)
{
    static const check_test tests[] = {
        TEST(validation_sees_every_break), TEST(comparison_sees_every_difference),
        TEST(random_operations), TEST(random_operations_without_dont_fragment_types)};
    seed_given = check_setting("SETT_SEED", 1);
    operations = check_setting("SETT_OPERATIONS", CHECK_ROUNDS(40000));
    closely_from = UINT64_MAX;
    argc = take_options(argc, argv);
    return check_run(tests, sizeof(tests) / sizeof(tests[0]), argc, argv);
}

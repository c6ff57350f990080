/* test_enable.c: components that are switched off: in queries, groups, observers, commands, copies,
 * snapshots, deltas and files, against a naive rule: a query sees what has it and is not off. */
#include "chance.h"
#include "scarce.h"

typedef struct A {
    int value;
} A;
typedef struct B {
    int value;
} B;
typedef struct C {
    int value;
} C;
typedef struct D D; /* a tag */

enum {
    A_id = 1,
    B_id,
    T_id,
    C_id,
    TYPES
};

static sett_world* world;

static void register_in(sett_world* in)
{
    CHECK_EQ(SETT_REGISTER_WITH(in, A, .id = A_id, .can_disable = true), A_id);
    CHECK_EQ(SETT_REGISTER_WITH(in, B, .id = B_id, .can_disable = true,
                                .storage = SETT_STORAGE_SPARSE_SET),
             B_id);
    CHECK_EQ(SETT_REGISTER_TAG_WITH(in, T, .id = T_id, .can_disable = true), T_id);
    CHECK_EQ(SETT_REGISTER_WITH(in, C, .id = C_id), C_id);
}

static void begin(void)
{
    world = quiet_world();
    register_in(world);
}

/* ---------------------------------------------------------------------------- against the rule */

#define QUERIES 9

static const sett_query_desc descs[QUERIES] = {
    {.terms = {SETT_IN(A)}},
    {.terms = {SETT_IN(B)}},
    {.terms = {SETT_WITH(T)}},
    {.terms = {SETT_IN(A), SETT_INOUT(B)}},
    {.terms = {SETT_IN(C), SETT_WITHOUT(A)}},
    {.terms = {SETT_IN(C), SETT_WITHOUT(B), SETT_WITHOUT(T)}},
    {.terms = {SETT_IN(C), SETT_OPTIONAL(A), SETT_OPTIONAL(B)}},
    {.terms = {SETT_ANY(A), SETT_ANY(B), SETT_ANY(T)}},
    {.terms = {SETT_IN(A), SETT_WITH(T), SETT_OPTIONAL(B), SETT_WITHOUT(C)}},
};

static sett_query* queries[QUERIES];

static bool sees(sett_entity e, const sett_query_desc* desc)
{
    bool any = false;
    bool met = false;
    for (uint32_t k = 0; desc->terms[k].component != 0; k++) {
        bool on = sett_is_enabled(world, e, desc->terms[k].component);
        sett_term_kind kind = desc->terms[k].kind;
        if ((kind == SETT_WITH && !on) || (kind == SETT_WITHOUT && on)) {
            return false;
        }
        any = any || kind == SETT_ANY;
        met = met || (kind == SETT_ANY && on);
    }
    return !any || met;
}

static void compare(uint32_t q)
{
    uint32_t expected = 0;
    uint32_t cursor = 0;
    sett_entity e;
    while (e = sett_entity_next(world, &cursor), !sett_is_null(e)) {
        bool seen = sees(e, &descs[q]);
        expected += seen;
        CHECK_MSG(sett_query_matches(queries[q], e) == seen, "query %u, entity %u", (unsigned)q,
                  (unsigned)e.index);
    }
    uint32_t found = 0;
    SETT_FOR(queries[q], b, i) {
        e = sett_batch_entity(b, i);
        CHECK_MSG(sees(e, &descs[q]), "query %u, entity %u", (unsigned)q, (unsigned)e.index);
        for (uint32_t k = 0; descs[q].terms[k].component != 0; k++) {
            sett_component type = descs[q].terms[k].component;
            const int* value = sett_batch_at(b, k, i);
            bool optional =
                descs[q].terms[k].kind == SETT_OPTIONAL || descs[q].terms[k].kind == SETT_ANY;
            if (optional) {
                CHECK_EQ(sett_batch_has(b, k), sett_is_enabled(world, e, type));
                CHECK_EQ(value != NULL, sett_is_enabled(world, e, type));
            }
            if (value != NULL && type != T_id) {
                CHECK_MSG(*value == (int)e.index, "query %u, term %u: %d of %u", (unsigned)q,
                          (unsigned)k, *value, (unsigned)e.index);
            }
        }
        found++;
    }
    CHECK_EQ(found, expected);
    CHECK_EQ(sett_query_count(queries[q]), expected);
}

static void random_step(uint64_t* random)
{
    uint32_t index = chance_below(random, 3000);
    sett_entity e = sett_entity_at(world, index);
    sett_component type = A_id + chance_below(random, TYPES - A_id);
    if (sett_is_null(e)) {
        (void)sett_entity_create(world);
        return;
    }
    switch (chance_below(random, 8)) {
    case 0:
        CHECK_EQ(sett_entity_destroy(world, e), SETT_OK);
        break;
    case 1:
        sett_remove(world, e, type);
        break;
    case 2:
    case 3: {
        int* value = sett_ensure(world, e, type);
        if (type != T_id) {
            *value = (int)e.index;
        }
        break;
    }
    default: {
        bool on = chance_below(random, 2) == 0;
        sett_status status = sett_enable(world, e, type, on);
        CHECK_EQ(status, type == C_id               ? SETT_STATUS_ARGUMENT
                         : sett_has(world, e, type) ? SETT_OK
                                                    : SETT_STATUS_ABSENT);
        if (status == SETT_OK) {
            CHECK_EQ(sett_is_enabled(world, e, type), on);
        }
        break;
    }
    }
}

static void queries_see_what_is_on(void)
{
    for (uint32_t grouped = 0; grouped < 3; grouped++) {
        begin();
        uint64_t random = grouped + 1;
        for (uint32_t q = 0; q < QUERIES; q++) {
            queries[q] = sett_query_create(world, &descs[q]);
            CHECK(queries[q] != NULL);
        }
        sett_group_desc group = {.with = {A_id, B_id}};
        if (grouped == 2) {
            group = (sett_group_desc){.owned = {B_id}, .with = {A_id}};
        }
        sett_group* both = grouped != 0 ? sett_group_create(world, &group) : NULL;
        CHECK((both != NULL) == (grouped != 0));
        for (uint32_t round = 0; round < 60; round++) {
            for (uint32_t k = 0; k < 400; k++) {
                random_step(&random);
            }
            CHECK_VALID(world);
            for (uint32_t q = 0; q < QUERIES; q++) {
                compare(q);
            }
            CHECK(both == NULL || sett_group_count(both) == sett_query_count(queries[3]));
        }
        CHECK_END(world);
    }
}

/* The switch as a term: no query finds what has the type and is off. */
static void the_tag_as_a_term(void)
{
    begin();
    sett_entity e = SETT_CREATE(world, SETT_VALUE(A, 1), SETT_VALUE(C, 1));
    SETT_CREATE(world, SETT_VALUE(A, 2), SETT_VALUE(C, 2));
    CHECK_EQ(sett_enable(world, e, A_id, false), SETT_OK);
    sett_term off = {.component = sett_component_find(world, "A off"), .access = SETT_NONE};
    static const uint32_t found[] = {0, 1, 1};
    for (uint32_t kind = SETT_WITH; kind <= SETT_OPTIONAL; kind++) {
        off.kind = (sett_term_kind)kind;
        sett_query* query = SETT_QUERY_CREATE(world, SETT_IN(A), off);
        CHECK(query != NULL);
        CHECK_EQ(sett_query_count(query), found[kind]);
        CHECK(!sett_query_matches(query, e));
    }
    off.kind = SETT_WITH;
    sett_query* those = SETT_QUERY_CREATE(world, SETT_IN(C), SETT_WITHOUT(A), off);
    CHECK_EQ(sett_query_count(those), 1);
    CHECK(sett_query_matches(those, e));
    CHECK_END(world);
}

/* ------------------------------------------------------------------------------- what else sees */

static char said[256];

static void on_enter(sett_world* w, sett_entity e, void* user)
{
    (void)w;
    (void)user;
    snprintf(said + strlen(said), sizeof(said) - strlen(said), "+%u ", (unsigned)e.index);
}

static void on_exit_(sett_world* w, sett_entity e, void* user)
{
    (void)user;
    CHECK(sett_has(w, e, A_id));
    snprintf(said + strlen(said), sizeof(said) - strlen(said), "-%u ", (unsigned)e.index);
}

static void heard(const char* text)
{
    CHECK_STR_EQ(said, text);
    said[0] = '\0';
}

static void observers_of_queries_see_switches(void)
{
    begin();
    CHECK(sett_observer_create(world, &(sett_observer_desc){.terms = {SETT_WITH(A)},
                                                            .on_enter = on_enter,
                                                            .on_exit = on_exit_}) != NULL);
    sett_entity e = SETT_CREATE(world, SETT_VALUE(A, 7));
    heard("+0 ");
    CHECK_EQ(sett_enable(world, e, A_id, false), SETT_OK);
    CHECK_EQ(sett_enable(world, e, A_id, false), SETT_OK);
    heard("-0 ");
    CHECK_EQ(SETT_GET(world, e, A)->value, 7);
    CHECK(sett_has(world, e, A_id) && !sett_is_enabled(world, e, A_id));
    CHECK_EQ(sett_enable(world, e, A_id, true), SETT_OK);
    heard("+0 ");
    sett_commands* commands = sett_commands_here(world);
    CHECK_EQ(sett_cmd_enable(commands, e, A_id, false), SETT_OK);
    char text[64];
    sett_commands_describe(commands, text, sizeof(text));
    CHECK_STR_EQ(text, "1: switch entity 0:1: \"A\" off\n");
    CHECK_EQ(sett_commands_apply(commands), SETT_OK);
    heard("-0 ");
    CHECK_EQ(sett_remove(world, e, A_id), SETT_OK); /* it was off: nothing to exit */
    CHECK(SETT_ADD(world, e, A) != NULL);           /* and is on again */
    heard("+0 ");
    CHECK_EQ(sett_cmd_enable(commands, e, A_id, false), SETT_OK);
    CHECK_EQ(sett_remove(world, e, A_id), SETT_OK);
    CHECK_EQ(sett_commands_apply(commands), SETT_OK); /* absent: skipped */
    CHECK(!sett_has(world, e, A_id));
    heard("-0 ");
    CHECK_END(world);
}

static void switches_are_state(void)
{
    begin();
    sett_entity e = SETT_CREATE(world, SETT_VALUE(A, 7));
    uint64_t on = sett_world_hash(world);
    sett_snapshot before;
    CHECK_EQ(sett_snapshot_take(world, &before), SETT_OK);
    CHECK_EQ(sett_enable(world, e, A_id, false), SETT_OK);
    uint64_t off = sett_world_hash(world);
    CHECK(on != off);
    sett_world* other = quiet_world();
    register_in(other);
    CHECK_EQ(sett_world_clone(world, other), SETT_OK);
    CHECK(!sett_is_enabled(other, e, A_id) && sett_has(other, e, A_id));
    CHECK_EQ(sett_world_hash(other), off);
    char delta[512];
    size_t size = 0;
    sett_snapshot now;
    CHECK_EQ(sett_snapshot_take(world, &now), SETT_OK);
    CHECK_EQ(sett_delta_encode(world, now, before, delta, sizeof(delta), &size), SETT_OK);
    CHECK_EQ(sett_delta_apply(other, delta, size), SETT_OK);
    CHECK(sett_is_enabled(other, e, A_id));
    CHECK_EQ(sett_world_hash(other), on);
    sett_entity copy;
    CHECK_EQ(sett_instantiate(world, e, 1, &copy), SETT_OK);
    CHECK(sett_has(world, copy, A_id) && !sett_is_enabled(world, copy, A_id));
    CHECK_EQ(sett_snapshot_restore(world, before), SETT_OK);
    CHECK(sett_is_enabled(world, e, A_id));
    sett_snapshot_drop_all(world);
    CHECK_END(other);
    CHECK_END(world);
}

static void misuse_is_rejected(void)
{
    begin();
    sett_entity e = SETT_CREATE(world, SETT_VALUE(C, 1));
    sett_commands* commands = sett_commands_here(world);
    CHECK_EQ(sett_enable(world, e, C_id, false), SETT_STATUS_ARGUMENT);
    CHECK(strstr(sett_world_message(world), ".can_disable = true") != NULL);
    CHECK_EQ(sett_enable(world, e, 99, false), SETT_STATUS_UNREGISTERED);
    CHECK_EQ(sett_enable(world, e, A_id, false), SETT_STATUS_ABSENT);
    CHECK_EQ(sett_cmd_enable(commands, e, C_id, false), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_cmd_enable(commands, e, 99, false), SETT_STATUS_UNREGISTERED);
    CHECK_EQ(sett_enable(NULL, e, A_id, false), SETT_STATUS_ARGUMENT);
    CHECK(!sett_is_enabled(NULL, e, A_id));
    CHECK(!sett_is_enabled(world, e, A_id) && sett_is_enabled(world, e, C_id));
    CHECK_EQ(sett_entity_destroy(world, e), SETT_OK);
    CHECK_EQ(sett_enable(world, e, A_id, false), SETT_STATUS_STALE);
    CHECK(sett_group_create(world, &(sett_group_desc){.with = {C_id}, .without = {A_id}}) == NULL);
    CHECK(strstr(sett_world_message(world), "can be switched off") != NULL);
    CHECK(sett_observer_create(world, &(sett_observer_desc){.terms = {SETT_WITHOUT(A)},
                                                            .on_enter = on_enter}) == NULL);
    CHECK(strstr(sett_world_message(world), "can be switched off") != NULL);
    CHECK_EQ(SETT_REGISTER_WITH(world, C, .id = C_id, .can_disable = true), 0);
    CHECK(strstr(sett_world_message(world), "can_disable") != NULL);
    CHECK_END(world);
}

static bool step_register(void* user)
{
    (void)user;
    return SETT_REGISTER_WITH(world, A, .id = A_id, .can_disable = true) == A_id;
}

static bool step_disable(void* user)
{
    return sett_enable(world, *(const sett_entity*)user, A_id, false) == SETT_OK;
}

static void still_on(void* user)
{
    CHECK(sett_is_enabled(world, *(const sett_entity*)user, A_id));
}

static void every_allocation_can_fail(void)
{
    static scarce_memory memory;
    world = scarce_world(&memory);
    scarce_run(world, &memory, step_register, NULL, NULL);
    CHECK(memory.failures > 0);
    sett_entity e = SETT_CREATE(world, SETT_VALUE(A, 1));
    uint32_t failures = memory.failures;
    scarce_run(world, &memory, step_disable, still_on, &e);
    CHECK(memory.failures > failures);
    CHECK(!sett_is_enabled(world, e, A_id));
    scarce_end(&memory, world);
}

/* ------------------------------------------------------------------------------- fast paths */

/* Removing A is remembered where nothing that requires it has to go as well, and nowhere else. */
static void what_requires_it_goes_too(void)
{
    for (uint32_t pass = 0; pass < 2; pass++) {
        const sett_component required[] = {A_id};
        begin();
        sett_entity e[3];
        for (uint32_t round = 0; round < 3; round++) {
            sett_component other = 0;
            if (round == 1) {
                other = SETT_REGISTER_TAG_WITH(world, D, .dont_fragment = pass != 0,
                                               .required = required, .required_count = 1);
                CHECK(other != 0);
            }
            for (uint32_t k = 0; k < 3; k++) {
                e[k] = sett_entity_create(world);
                CHECK(SETT_ADD(world, e[k], A) != NULL);
            }
            CHECK_EQ(sett_enable(world, e[1], A_id, false), SETT_OK);
            if (other != 0) {
                CHECK(sett_add(world, e[2], other) != NULL);
            }
            for (uint32_t k = 0; k < 3; k++) {
                CHECK_EQ(sett_remove(world, e[k], A_id), SETT_OK);
                CHECK_EQ(sett_entity_components(world, e[k], NULL, 0), 0);
                CHECK_EQ(sett_entity_destroy(world, e[k]), SETT_OK);
            }
            CHECK_VALID(world);
        }
        sett_world_destroy(world);
    }
}

TEST_MAIN(TEST(what_requires_it_goes_too), TEST(queries_see_what_is_on), TEST(the_tag_as_a_term),
          TEST(observers_of_queries_see_switches), TEST(switches_are_state),
          TEST(misuse_is_rejected), TEST(every_allocation_can_fail))

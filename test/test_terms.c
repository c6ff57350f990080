/* test_terms.c: each kind of term, given to each call that takes terms: it works, or is rejected
 * with the reason. None is ignored. */
#include "sett/search.h"
#include "worlds.h"

typedef struct Seen {
    int32_t value;
} Seen;

typedef struct Look {
    int32_t value;
} Look;

static sett_component Seen_id, Look_id, Aims_id;
static sett_entity root;

static sett_world* begin(void)
{
    sett_world* world = quiet_world();
    Seen_id = SETT_REGISTER(world, Seen);
    Look_id = SETT_REGISTER(world, Look);
    Aims_id = sett_relationship_register(world, &(sett_relationship_desc){.name = "Aims"});
    sett_hierarchy_register(world, NULL);
    sett_instance_of(world);
    root = sett_entity_create(world);
    sett_name_set(world, root, "root");
    return world;
}

static void run(sett_context* context)
{
    (void)context;
}

static void enter(sett_world* world, sett_entity entity, void* user)
{
    (void)world;
    (void)entity;
    ++*(int*)user;
}

static void add(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)value;
    enter(world, entity, user);
}

typedef enum call {
    QUERY,
    SYSTEM,
    ON_ENTER, /* of a system */
    OBSERVER_OF_QUERY,
    OBSERVER_OF_COMPONENT,
    CALLS
} call;

static int calls;

/* Whether the call takes the terms Seen (a component's observer: as its component) and `term`. */
static bool takes(sett_world* world, call of, sett_term term)
{
    static unsigned systems;
    char name[16];
    snprintf(name, sizeof(name), "s%u", systems++);
    const sett_term seen = {.component = Seen_id, .access = SETT_IN};
    switch (of) {
    case QUERY:
        return sett_query_create(world, &(sett_query_desc){.terms = {seen, term}}) != NULL;
    case SYSTEM:
        return sett_system_create(
                   world, &(sett_system_desc){.name = name, .run = run, .terms = {seen, term}}) !=
               NULL;
    case ON_ENTER:
        return sett_system_create(world, &(sett_system_desc){.name = name,
                                                             .run = run,
                                                             .on_enter = enter,
                                                             .user = &calls,
                                                             .terms = {seen, term}}) != NULL;
    case OBSERVER_OF_QUERY:
        return sett_observer_create(world, &(sett_observer_desc){.on_enter = enter,
                                                                 .user = &calls,
                                                                 .terms = {seen, term}}) != NULL;
    default:
        return sett_observer_create(world, &(sett_observer_desc){.component = Seen_id,
                                                                 .on_add = add,
                                                                 .user = &calls,
                                                                 .terms = {term}}) != NULL;
    }
}

typedef struct row {
    sett_term term;              /* of Look */
    const char* text;            /* NULL: text has no such term */
    const char* expected[CALLS]; /* NULL: works; else a part of the message */
} row;

#define OTHER "another entity (`along`, `entity`, singleton) would run no callback"
#define ELSEWHERE                                                                                  \
    {                                                                                              \
        NULL, NULL, OTHER, OTHER, OTHER                                                            \
    }
#define UPWARD                                                                                     \
    {                                                                                              \
        NULL, NULL, NULL, NULL, "asks its own entity"                                              \
    }
#define NEVER(text)                                                                                \
    {                                                                                              \
        text, text, text, text, text                                                               \
    }

static void each_kind_for_each_call(void)
{
    sett_world* world = begin();
    const row rows[] = {
        {{.kind = SETT_WITH}, "Look", {NULL}},
        {{.kind = SETT_WITHOUT}, "!Look", {NULL}},
        {{.kind = SETT_OPTIONAL},
         "?Look",
         {NULL, NULL, NULL, "optional term decides nothing", "optional term decides nothing"}},
        {{.kind = SETT_ANY}, NULL, {NULL}},
        {{.changed = true}, NULL, {NULL, NULL, "is for loops", "is for loops", "is for loops"}},
        {{.drives = true}, NULL, {NULL, NULL, NULL, "is for loops", "is for loops"}},
        {{.walk = SETT_WALK_ONE}, "Look(parent)", UPWARD},
        {{.walk = SETT_WALK_UP}, "Look(up)", UPWARD},
        {{.walk = SETT_WALK_SELF_UP}, "Look(self|up)", UPWARD},
        {{.walk = SETT_WALK_SELF_UP, .along = SETT_ID_INSTANCE_OF}, NULL, ELSEWHERE},
        {{.walk = SETT_WALK_ONE, .along = Aims_id}, NULL, ELSEWHERE},
        {{.walk = SETT_WALK_UP, .kind = SETT_WITHOUT}, "!Look(up)", UPWARD},
        {{.singleton = true}, "Look(singleton)", ELSEWHERE},
        {{.entity = root}, "Look(root)", ELSEWHERE},
        {{.walk = (sett_walk)9}, NULL, NEVER("unknown kind, access or walk")},
        {{.kind = (sett_term_kind)9}, NULL, NEVER("unknown kind, access or walk")},
        {{.access = (sett_access)9}, NULL, NEVER("unknown kind, access or walk")},
        {{.changed = true, .kind = SETT_WITHOUT}, NULL, NEVER("can be `changed`")},
        {{.drives = true, .kind = SETT_WITHOUT}, NULL, NEVER("`drives` at most")},
        {{.drives = true, .walk = SETT_WALK_UP}, NULL, NEVER("`drives` at most")},
        {{.walk = SETT_WALK_UP, .kind = SETT_ANY}, NULL, NEVER("cannot be SETT_ANY")},
        {{.walk = SETT_WALK_UP, .changed = true}, NULL, NEVER("or `changed`")},
        {{.walk = SETT_WALK_UP, .singleton = true}, NULL, NEVER("or walks: not both")},
        {{.walk = SETT_WALK_UP, .entity = root}, NULL, NEVER("or walks: not both")},
        {{.singleton = true, .entity = root}, NULL, NEVER("or the singletons: not both")},
        {{.along = Aims_id}, NULL, NEVER("give `walk` as well")},
        {{.along = Aims_id, .singleton = true}, NULL, NEVER("give `walk` as well")},
    };
    for (uint32_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
        sett_term term = rows[k].term;
        term.component = Look_id;
        term.access = term.access == SETT_INOUT ? SETT_IN : term.access;
        for (uint32_t of = 0; of < CALLS; of++) {
            const char* expected = rows[k].expected[of];
            bool taken = takes(world, (call)of, term);
            CHECK_MSG(taken == (expected == NULL), "row %u, call %u: %s", (unsigned)k, (unsigned)of,
                      taken ? "is taken" : sett_world_message(world));
            CHECK_MSG(taken || strstr(sett_world_message(world), expected) != NULL,
                      "row %u, call %u: %s", (unsigned)k, (unsigned)of, sett_world_message(world));
        }
        if (rows[k].text != NULL) {
            char text[64];
            snprintf(text, sizeof(text), "Seen, %s", rows[k].text);
            sett_query_desc desc;
            CHECK_MSG(sett_query_parse(world, text, &desc) == SETT_OK, "%s: %s", text,
                      sett_world_message(world));
            CHECK_EQ(desc.terms[1].kind, term.kind);
            CHECK_EQ(desc.terms[1].walk, term.walk);
            CHECK_EQ(desc.terms[1].singleton, term.singleton);
            CHECK(sett_equals(desc.terms[1].entity, term.entity));
            CHECK(sett_query_create(world, &desc) != NULL);
            CHECK(sett_search_create(world, text) != NULL);
        }
    }
    CHECK_END(world);
}

/* A query's terms, read back, are those that it was created with. */
static void terms_are_data(void)
{
    sett_world* world = begin();
    const sett_query_desc made = {
        .terms = {{.component = Seen_id, .access = SETT_IN, .drives = true},
                  {.component = Aims_id, .access = SETT_NONE, .kind = SETT_WITHOUT},
                  {.component = Look_id, .access = SETT_INOUT, .changed = true},
                  {.component = Look_id, .access = SETT_IN, .walk = SETT_WALK_UP, .along = Aims_id},
                  {.component = Look_id, .access = SETT_IN, .singleton = true},
                  {.component = Look_id,
                   .access = SETT_IN,
                   .kind = SETT_OPTIONAL,
                   .walk = SETT_WALK_ONE,
                   .along = SETT_ID_HIERARCHY},
                  {.component = Seen_id, .access = SETT_IN, .entity = root}}};
    sett_query* query = sett_query_create(world, &made);
    sett_term term;
    sett_query_desc again = {0};
    uint32_t count = 0;
    for (; sett_query_term_at(query, count, &term); count++) {
        const sett_term* of = &made.terms[count];
        CHECK_EQ(term.component, of->component);
        CHECK_EQ(term.access, of->access);
        CHECK_EQ(term.kind, of->kind);
        CHECK_EQ(term.changed, of->changed);
        CHECK_EQ(term.drives, of->drives);
        CHECK_EQ(term.walk, of->walk);
        CHECK_EQ(term.along, of->along);
        CHECK_EQ(term.singleton, of->singleton);
        CHECK_ENTITY_EQ(term.entity, of->entity);
        again.terms[count] = term;
    }
    CHECK_EQ(count, 7);
    CHECK(sett_query_create(world, &again) != NULL);
    CHECK(!sett_query_term_at(query, UINT32_MAX, &term));
    CHECK(!sett_query_term_at(query, 0, NULL));
    CHECK_END(world);
}

static void a_term_behind_the_end_is_rejected(void)
{
    sett_world* world = begin();
    const sett_term gap[] = {{.component = Seen_id}, {.component = 0}, {.component = Look_id}};
    sett_observer_desc entered = {.on_enter = enter, .user = &calls};
    sett_observer_desc added = {.component = Seen_id, .on_add = add, .user = &calls};
    memcpy(entered.terms, gap, sizeof(gap));
    memcpy(added.terms, gap, sizeof(gap));
    CHECK(sett_observer_create(world, &entered) == NULL);
    CHECK(strstr(sett_world_message(world), "ends the list") != NULL);
    CHECK(sett_observer_create(world, &added) == NULL);
    CHECK(strstr(sett_world_message(world), "ends the list") != NULL);
    CHECK_END(world);
}

static void leave(sett_world* world, sett_entity entity, void* user)
{
    (void)world;
    (void)entity;
    --*(int*)user;
}

/* One SETT_ANY component replaces another, one is switched off: the entity matches as long as it
 * has one that is on. */
static void any_terms_of_observers(void)
{
    sett_world* world = begin();
    sett_component lamp =
        sett_component_register(world, &(sett_component_desc){.name = "Lamp", .can_disable = true});
    calls = 0;
    CHECK(sett_observer_create(
              world, &(sett_observer_desc){
                         .on_enter = enter,
                         .on_exit = leave,
                         .user = &calls,
                         .terms = {{.component = Seen_id, .kind = SETT_ANY},
                                   {.component = lamp, .access = SETT_NONE, .kind = SETT_ANY},
                                   {.component = Look_id, .kind = SETT_WITHOUT}}}) != NULL);
    sett_entity e = sett_entity_create(world);
    CHECK_EQ(calls, 0);
    sett_add(world, e, lamp);
    CHECK_EQ(calls, 1);
    SETT_SET(world, e, Seen, .value = 1);
    sett_remove(world, e, lamp);
    CHECK_EQ(calls, 1);
    sett_add(world, e, lamp);
    sett_remove(world, e, Seen_id);
    CHECK_EQ(calls, 1);
    CHECK_EQ(sett_enable(world, e, lamp, false), SETT_OK);
    CHECK_EQ(calls, 0);
    CHECK_EQ(sett_enable(world, e, lamp, true), SETT_OK);
    CHECK_EQ(calls, 1);
    SETT_SET(world, e, Look, .value = 1);
    CHECK_EQ(calls, 0);
    sett_remove(world, e, Look_id);
    CHECK_EQ(calls, 1);
    sett_entity_destroy(world, e);
    CHECK_EQ(calls, 0);
    CHECK_END(world);
}

static void optional_terms_do_not_decide_who_enters(void)
{
    sett_world* world = begin();
    calls = 0;
    CHECK(takes(world, ON_ENTER, (sett_term){.component = Look_id, .kind = SETT_OPTIONAL}));
    sett_entity e = sett_entity_create(world);
    SETT_SET(world, e, Look, .value = 1);
    CHECK_EQ(calls, 0);
    SETT_SET(world, e, Seen, .value = 1);
    CHECK_EQ(calls, 1);
    CHECK_END(world);
}

TEST_MAIN(TEST(each_kind_for_each_call), TEST(terms_are_data),
          TEST(a_term_behind_the_end_is_rejected), TEST(any_terms_of_observers),
          TEST(optional_terms_do_not_decide_who_enters))

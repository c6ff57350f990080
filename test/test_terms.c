/* test_terms.c: each kind of term, given to each call that takes terms: it works, or is rejected
 * with the reason. None is ignored. The table is a page, docs/terms.md, which has to be what this
 * program writes:
 *
 *     SETT_WRITE=1 build/dev/test/test_terms     writes it
 */
#include "pages.h"
#include "sett/ordered.h"
#include "sett/search.h"
#include "worlds.h"

#include <stdarg.h>

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

static void note_any(sett_world* world, sett_entity entity, sett_component component,
                     sett_change change, void* value, void* user)
{
    (void)component;
    (void)change;
    add(world, entity, value, user);
}

typedef enum call {
    QUERY,
    SYSTEM,
    ON_ENTER, /* of a system */
    OBSERVER_OF_QUERY,
    OBSERVER_OF_COMPONENT,
    CALLS, /* those above have expectations in the table, the others are like one of them: */
    OBSERVER_OF_ALL = CALLS,
    ORDER,
    ALL_CALLS
} call;

static const call like[ALL_CALLS] = {[QUERY] = QUERY,
                                     [SYSTEM] = SYSTEM,
                                     [ON_ENTER] = ON_ENTER,
                                     [OBSERVER_OF_QUERY] = OBSERVER_OF_QUERY,
                                     [OBSERVER_OF_COMPONENT] = OBSERVER_OF_COMPONENT,
                                     [OBSERVER_OF_ALL] = OBSERVER_OF_COMPONENT,
                                     [ORDER] = QUERY};

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
    case OBSERVER_OF_ALL:
        return sett_observer_create(world, &(sett_observer_desc){.on_any = note_any,
                                                                 .user = &calls,
                                                                 .terms = {term}}) != NULL;
    case ORDER: {
        sett_query* query = sett_query_create(world, &(sett_query_desc){.terms = {seen, term}});
        return query != NULL &&
               sett_ordered_create(world, &(sett_ordered_desc){.query = query}) != NULL;
    }
    default:
        return sett_observer_create(world, &(sett_observer_desc){.component = Seen_id,
                                                                 .on_add = add,
                                                                 .user = &calls,
                                                                 .terms = {term}}) != NULL;
    }
}

/* ------------------------------------------------------------------------------------- the page */

static char page[16384];
static size_t page_size;
static char reasons[24][256];
static uint32_t reason_count;

static void print(const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(page + page_size, sizeof(page) - page_size, format, arguments);
    va_end(arguments);
    CHECK(length >= 0 && (size_t)length < sizeof(page) - page_size);
    page_size += (size_t)length;
}

/* Prints a cell: it works, or the number of the reason in the world's message. */
static void print_cell(const sett_world* world, bool taken)
{
    if (taken) {
        print(" yes |");
        return;
    }
    const char* message = sett_world_message(world);
    const char* reason = strstr(message, "\": ");
    while (reason != NULL && strstr(reason + 1, "\": ") != NULL) {
        reason = strstr(reason + 1, "\": ");
    }
    reason = reason != NULL ? reason + 3 : strstr(message, ": ") + 2;
    uint32_t k = 0;
    while (k < reason_count && strcmp(reasons[k], reason) != 0) {
        k++;
    }
    if (k == reason_count) {
        CHECK(reason_count < sizeof(reasons) / sizeof(reasons[0]));
        snprintf(reasons[reason_count++], sizeof(reasons[0]), "%s", reason);
    }
    print(" (%u) |", (unsigned)k + 1);
}

typedef struct row {
    const char* label;
    sett_term term;              /* of Look */
    const char* text;            /* NULL: text has no such term */
    const char* expected[CALLS]; /* NULL: works; else a part of the message */
} row;

#define OTHER "on_enter and on_exit cannot depend on another entity"
#define ELSEWHERE                                                                                  \
    {                                                                                              \
        NULL, NULL, OTHER, OTHER, "can only test its own entity"                                   \
    }
#define UPWARD                                                                                     \
    {                                                                                              \
        NULL, NULL, NULL, NULL, "can only test its own entity"                                     \
    }
#define NEVER(text)                                                                                \
    {                                                                                              \
        text, text, text, text, text                                                               \
    }

/* Reads a row's text, as a plain query and as a search. */
static void check_text(sett_world* world, const row* of, const sett_term* term)
{
    char text[64];
    sett_query_desc desc;
    if (of->text == NULL) {
        print(" - | - | - |");
        return;
    }
    snprintf(text, sizeof(text), "Seen, %s", of->text);
    print(" `");
    for (const char* at = of->text; *at != '\0'; at++) {
        print(*at == '|' ? "\\|" : "%c", *at);
    }
    print("` |");
    bool taken = sett_query_parse(world, text, &desc) == SETT_OK;
    print_cell(world, taken);
    CHECK_MSG(taken, "%s: %s", text, sett_world_message(world));
    CHECK_EQ(desc.terms[1].kind, term->kind);
    CHECK_EQ(desc.terms[1].walk, term->walk);
    CHECK_EQ(desc.terms[1].drives, term->drives);
    CHECK_EQ(desc.terms[1].singleton, term->singleton);
    CHECK_EQ(desc.terms[1].along, term->along);
    CHECK_ENTITY_EQ(desc.terms[1].entity, term->entity);
    CHECK(sett_query_create(world, &desc) != NULL);
    CHECK_MSG(sett_search_create(world, text) != NULL, "%s: %s", text, sett_world_message(world));
    print(" yes |");
}

static void print_head(void)
{
    print("# Terms, and who takes them\n\n"
          "Each kind of term beside a term of another component, given to each call that takes "
          "terms: it works, or is rejected with the\nreason below the table. None is ignored. "
          "test/test_terms.c makes each of these calls, and writes this page.\n\n"
          "`on_enter` is that of a system; its loop takes what a query takes. An observer of a "
          "query has `on_enter` and `on_exit`, one of a\ncomponent `on_add` and so on: its terms "
          "choose entities. A group takes lists of components (`with`, `without`), and no other\n"
          "terms. In texts of searches `*` is any target, and `*($this, door)` a link of any "
          "relationship; `on_any` observes any component.\n\n"
          "| term | query | system | on_enter | observer of a query | of a component | on_any | "
          "order | as text | plain query | search |\n"
          "|---|---|---|---|---|---|---|---|---|---|---|\n");
}

static void each_kind_for_each_call(void)
{
    sett_world* world = begin();
    page_size = 0;
    reason_count = 0;
    print_head();
    const row rows[] = {
        {"SETT_WITH(Look)", {.kind = SETT_WITH}, "Look", {NULL}},
        {"SETT_WITHOUT(Look)", {.kind = SETT_WITHOUT}, "!Look", {NULL}},
        {"SETT_OPTIONAL(Look)",
         {.kind = SETT_OPTIONAL},
         "?Look",
         {NULL, NULL, NULL, "an optional term has no effect here - leave it out",
          "an optional term has no effect here "
          "- leave it out"}},
        {"SETT_ANY(Look)", {.kind = SETT_ANY}, "Look || [in] Seen", {NULL}},
        {"SETT_CHANGED(Look)",
         {.changed = true},
         NULL,
         {NULL, NULL, "is for loops", "is for loops", "is for loops"}},
        {"SETT_IN_ORDER(Look)",
         {.drives = true},
         "[drive] Look",
         {NULL, NULL, NULL, "is for loops", "is for loops"}},
        {"SETT_PARENT(Look)", {.walk = SETT_WALK_ONE}, "Look(parent)", UPWARD},
        {"SETT_UP(Look)", {.walk = SETT_WALK_UP}, "Look(up)", UPWARD},
        {"SETT_SELF_UP(Look)", {.walk = SETT_WALK_SELF_UP}, "Look(self|up)", UPWARD},
        {"SETT_SHARED(Look)",
         {.walk = SETT_WALK_SELF_UP, .along = SETT_ID_INSTANCE_OF},
         "Look(prefab)",
         ELSEWHERE},
        {"SETT_TARGET(Look, Aims)",
         {.walk = SETT_WALK_ONE, .along = Aims_id},
         "Look(target Aims)",
         ELSEWHERE},
        {".walk = SETT_WALK_UP, .kind = SETT_WITHOUT",
         {.walk = SETT_WALK_UP, .kind = SETT_WITHOUT},
         "!Look(up)",
         UPWARD},
        {"SETT_SINGLETON(Look)", {.singleton = true}, "Look(singleton)", ELSEWHERE},
        {".entity = root", {.entity = root}, "Look(root)", ELSEWHERE},
        {"an unknown walk", {.walk = (sett_walk)9}, NULL, NEVER("`walk` has an unknown value")},
        {"an unknown kind",
         {.kind = (sett_term_kind)9},
         NULL,
         NEVER("`kind` has an unknown value")},
        {"an unknown access",
         {.access = (sett_access)9},
         NULL,
         NEVER("`access` has an unknown value")},
        {".changed, .kind = SETT_WITHOUT",
         {.changed = true, .kind = SETT_WITHOUT},
         NULL,
         NEVER("`changed` needs a required component")},
        {".drives, .kind = SETT_WITHOUT",
         {.drives = true, .kind = SETT_WITHOUT},
         NULL,
         NEVER("`drives` needs a required component")},
        {".drives, .walk = SETT_WALK_UP",
         {.drives = true, .walk = SETT_WALK_UP},
         NULL,
         NEVER("`drives` is set in a term about another entity - leave it out")},
        {".walk = SETT_WALK_UP, .kind = SETT_ANY",
         {.walk = SETT_WALK_UP, .kind = SETT_ANY},
         NULL,
         NEVER("cannot be SETT_ANY")},
        {".walk = SETT_WALK_UP, .changed",
         {.walk = SETT_WALK_UP, .changed = true},
         NULL,
         NEVER("or `changed`")},
        {".walk = SETT_WALK_UP, .singleton",
         {.walk = SETT_WALK_UP, .singleton = true},
         NULL,
         NEVER("`entity` or `singleton` is set beside `walk` - leave out one")},
        {".walk = SETT_WALK_UP, .entity",
         {.walk = SETT_WALK_UP, .entity = root},
         NULL,
         NEVER("`entity` or `singleton` is set beside `walk` - leave out one")},
        {".singleton, .entity",
         {.singleton = true, .entity = root},
         NULL,
         NEVER("`entity` and `singleton` are both set - leave out one")},
        {".along without .walk",
         {.along = Aims_id},
         NULL,
         NEVER("`along` is set without `walk` - "
               "set `walk`")},
        {".along, .singleton",
         {.along = Aims_id, .singleton = true},
         NULL,
         NEVER("`along` is set without `walk` - set `walk`")},
    };
    for (uint32_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
        sett_term term = rows[k].term;
        term.component = Look_id;
        term.access = term.access == SETT_INOUT ? SETT_IN : term.access;
        print("| `%s` |", rows[k].label);
        for (uint32_t of = 0; of < ALL_CALLS; of++) {
            const char* expected = rows[k].expected[like[of]];
            bool taken = takes(world, (call)of, term);
            CHECK_MSG(taken == (expected == NULL), "row %u, call %u: %s", (unsigned)k, (unsigned)of,
                      taken ? "is taken" : sett_world_message(world));
            CHECK_MSG(taken || strstr(sett_world_message(world), expected) != NULL,
                      "row %u, call %u: %s", (unsigned)k, (unsigned)of, sett_world_message(world));
            print_cell(world, taken);
        }
        check_text(world, &rows[k], &term);
        print("\n");
    }
    print("\n");
    for (uint32_t k = 0; k < reason_count; k++) {
        print("%u. %s\n", (unsigned)k + 1, reasons[k]);
    }
    sett_group_desc grouped = {.with = {Seen_id}, .without = {Look_id}};
    CHECK(sett_group_create(world, &grouped) != NULL);
    CHECK_END(world);
}

#if defined(SETT_DOCS) /* the folder */
static void the_page_is_up_to_date(void)
{
    check_page(SETT_DOCS "/terms.md", page, page_size);
}
#else
static void the_page_is_up_to_date(void)
{
}
#endif

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
    CHECK_EQ(sett_world_error(world), SETT_STATUS_UNREGISTERED);
    CHECK(strstr(sett_world_message(world), "\"observer\": term 1: the component of this term has "
                                            "id 0 - register the component first") != NULL);
    CHECK(sett_observer_create(world, &added) == NULL);
    CHECK(strstr(sett_world_message(world), "\"observer\": term 1: the component of this term has "
                                            "id 0 - register the component first") != NULL);
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

TEST_MAIN(TEST(each_kind_for_each_call), TEST(the_page_is_up_to_date), TEST(terms_are_data),
          TEST(a_term_behind_the_end_is_rejected), TEST(any_terms_of_observers),
          TEST(optional_terms_do_not_decide_who_enters))

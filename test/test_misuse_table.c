/* test_misuse_table.c: a table of misuses. Each is done to a world of its own; the call has to fail
 * as documented and to leave a sound world, in every build, and a debug build has to report it.
 *
 * The misuses lie in misuse_table/, a file for one or some subjects. The reports make a page,
 * docs/misuse.md, which has to be what this program writes:
 *
 *     SETT_WRITE=1 build/dev/test/test_misuse_table     writes it
 */
#include "misuse_table/misuse_table.h"
#include "pages.h"

#ifndef SETT_DOCS
#define SETT_DOCS "docs" /* the folder */
#endif

static void hear(void* user, sett_log_level level, const char* message)
{
    scene* s = user;
    if (level == SETT_LOG_INFO) {
        s->notes++;
    } else if (s->lines++ == 0) {
        snprintf(s->log, sizeof(s->log), "%s", message);
    }
}

static void begin(scene* s)
{
    memset(s, 0, sizeof(*s));
    s->world = sett_world_create(&(sett_world_desc){.log_fn = hear, .hook_user = s, .user = s});
    CHECK_EQ(SETT_REGISTER_ALL(s->world, KINDS), SETT_OK);
    s->owes = sett_relationship_register(
        s->world, &(sett_relationship_desc){.name = "Owes", .size = sizeof(int)});
    s->e = SETT_CREATE(s->world, SETT_VALUE(Position, .x = 1));
    s->f = SETT_CREATE(s->world, SETT_VALUE(Position, .x = 2), SETT_VALUE(Sprite, .layer = 3));
    s->dead = sett_entity_create(s->world);
    CHECK_EQ(sett_entity_destroy(s->world, s->dead), SETT_OK);
    CHECK_EQ(sett_name_set(s->world, s->e, "ship"), SETT_OK);
    s->query = sett_query_create(
        s->world, &(sett_query_desc){.name = "moving", .terms = {SETT_INOUT(Position)}});
    s->own = sett_commands_here(s->world);
    CHECK(s->query != NULL && s->lines == 0);
}

/* A query of Position in another world, which has one. */
sett_query* misuse_query_elsewhere(scene* s)
{
    s->other = quiet_world();
    CHECK_EQ(SETT_REGISTER_ALL(s->other, KINDS), SETT_OK);
    CHECK(!sett_is_null(SETT_CREATE(s->other, SETT_VALUE(Position, .x = 1))));
    return sett_query_create(s->other,
                             &(sett_query_desc){.name = "theirs", .terms = {SETT_INOUT(Position)}});
}

static void end(scene* s)
{
    CHECK_EQ(sett_world_destroy(s->other), SETT_OK);
    sett_snapshot_drop_all(s->world);
    CHECK_EQ(sett_world_clear(s->world), SETT_OK);
    CHECK_END(s->world);
}

/* ---- Silent by design ------------------------------------------------------------------------ */

static void ask_for_the_absent(scene* s)
{
    IS_NULL(sett_find(s->world, s->e, Velocity_id));
    IS_NULL(sett_find(s->world, s->dead, Position_id));
    CHECK(!sett_has(s->world, sett_null(), Position_id));
}

static void end_what_has_ended(scene* s)
{
    FAILS(sett_remove(s->world, s->e, Velocity_id), ABSENT);
    FAILS(sett_unrelate(s->world, s->e, s->owes, s->f), ABSENT);
    FAILS(sett_entity_destroy(s->world, s->dead), STALE);
}

static void record_about_the_dead(scene* s)
{
    CHECK_EQ(SETT_CMD_SET(s->own, s->dead, Position, .x = 1), SETT_OK);
    CHECK_EQ(sett_commands_apply(s->own), SETT_OK);
    CHECK(!sett_entity_valid(s->world, s->dead));
}

static void use_a_handle_of_theirs(scene* s)
{
    sett_entity theirs = sett_query_first(misuse_query_elsewhere(s));
    CHECK(sett_equals(theirs, s->e));
    CHECK(SETT_SET(s->world, theirs, Position, .x = 7) != NULL);
    CHECK_EQ(SETT_CMD_SET(s->own, theirs, Velocity, .x = 7), SETT_OK);
    CHECK_EQ(sett_commands_apply(s->own), SETT_OK);
    CHECK(SETT_GET(s->world, s->e, Position)->x == 7 && sett_has(s->world, s->e, Velocity_id));
}

static void count_calls(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)world, (void)entity, (void)value;
    ++*(uint32_t*)user;
}

static void write_in_place(scene* s)
{
    uint32_t sets = 0;
    CHECK(sett_observer_create(s->world, &(sett_observer_desc){.component = Position_id,
                                                               .on_set = count_calls,
                                                               .user = &sets}) != NULL);
    SETT_GET_MUT(s->world, s->e, Position)->x = 4;
    SETT_FOR(s->query, b, i) {
        SETT_FIELD_MUT(b, 0, Position)[i].x = 5;
    }
    CHECK_EQ(sets, 0);
}

static void redirect_a_link(scene* s)
{
    uint32_t calls = 0;
    CHECK(sett_relate(s->world, s->e, s->owes, s->f) != NULL);
    sett_observer* observer = sett_observer_create(
        s->world,
        &(sett_observer_desc){
            .component = s->owes, .on_add = count_calls, .on_remove = count_calls, .user = &calls});
    CHECK(sett_relate(s->world, s->e, s->owes, s->e) != NULL);
    CHECK_EQ(calls, 0);
    CHECK_EQ(sett_observer_destroy(observer), SETT_OK);
}

static void send_to_nobody(scene* s)
{
    CHECK_EQ(SETT_EVENT_SEND(s->world, s->e, SETT_ROUTE_ENTITY, Velocity, .x = 1), SETT_OK);
}

static void loop_in_no_order(scene* s)
{
    CHECK(SETT_QUERY_CREATE(s->world, SETT_IN_ORDER(Sprite)) != NULL);
}

static void use_null_as_a_default(scene* s)
{
    char text[2000];
    CHECK(sett_json_format(s->world, &(sett_json_desc){0}, text, sizeof(text)) != 0);
    CHECK(strstr(text, "\"#1:1\"") != NULL);
    sett_search* search = sett_search_create(s->world, "Position($p)");
    CHECK_EQ(sett_search_bind(search, 0, sett_null()), SETT_OK);
    CHECK_EQ(sett_search_count(search), 2);
}

static void check_writes_late(scene* s)
{
    s->notes = 0;
    ((Position*)setti_unconst(sett_get(s->world, s->e, Position_id)))->x = 99;
    CHECK_EQ(sett_world_check_writes(s->world), SETT_OK);
    CHECK_EQ(sett_world_check_writes(s->world), SETT_OK);
#if !defined(NDEBUG)
    CHECK_EQ(s->notes, 1); /* of the first call */
#endif
}

/* What is not reported, and why. */
static const struct {
    const char* what;
    const char* happens;
    const char* why;
    void (*run)(scene* s); /* logs nothing but notes (SETT_LOG_INFO) */
} silent[] = {
    {"`sett_find`, `sett_has` of an absent component or a stale handle", "NULL, false",
     "these calls ask; `sett_get` expects", ask_for_the_absent},
    {"remove, unlink or destroy what is not there", "ABSENT, STALE",
     "afterwards it is as was wanted; two parts of a program may both want it", end_what_has_ended},
    {"a command about an entity that has ended", "it is skipped",
     "another command may have destroyed it in the meantime", record_about_the_dead},
    {"a handle of another world, of an entity that lives here too", "it means the one here",
     "a handle is an index and a generation, without a world", use_a_handle_of_theirs},
    {"write by `SETT_GET_MUT` or in a loop", "on_set does not run",
     "each write of a loop would pay; `SETT_SET` notifies, `SETT_CHANGED` finds such writes",
     write_in_place},
    {"redirect a link that has one target", "on_set and on_replace run, not on_add and on_remove",
     "the source has the component before and after", redirect_a_link},
    {"an event that no observer receives", "OK",
     "a sender need not know who listens: a server has no observer for sounds", send_to_nobody},
    {"`SETT_IN_ORDER` of a type that was never sorted", "the order of its rows",
     "the order of additions, or of indices, can be meant", loop_in_no_order},
    {"follow links in a system that does not declare the relationship", "the links",
     "links do not change while systems run; only their data does", misuse_follow_links},
    {"null in `sett_json_desc.entity` (without `single`) or in `sett_search_bind`", "all entities",
     "null is the default of a handle there: check what a lookup returned", use_null_as_a_default},
    {"the first `sett_world_check_writes`, after a stray write", "OK, and a note in the log",
     "there is nothing to compare with yet", check_writes_late},
};

/* ---- The table ------------------------------------------------------------------------------- */

static const misuse_section* const table[] = {
    &misuse_values, &misuse_structure, &misuse_types,   &misuse_queries,
    &misuse_groups, &misuse_commands,  &misuse_systems, &misuse_relations,
    &misuse_states, &misuse_json,      &misuse_threads,
};

/* What once went wrong without a word, and the test that it does not any more. */
static const struct {
    const char* trap;
    const char* now;
    const char* file; /* in test/ */
    const char* test; /* a function there */
} traps[] = {
    {"unspecified bytes of padding in hashes, comparisons and deltas", "they count as zero",
     "test_padding.c", "padding_counts_as_zeroes"},
    {"recording into another thread's buffer", "`sett_commands_here` is the right one everywhere",
     "test_slice.c", "a_system_finds_the_buffer_of_its_job"},
    {"a restore turns the clock back, and changes are missed", "the clock goes on",
     "test_snapshot.c", "the_clock_goes_on_at_a_restore"},
    {"`break` leaves one batch of many", "it ends the loop", "test_each.c",
     "break_in_each_ends_the_whole_loop"},
    {"`return` out of a loop leaves it open", "the loop is closed", "test_each.c",
     "return_and_goto_close_a_flat_loop"},
    {"a write by handle to a gathered value is lost", "it counts", "test_gather.c",
     "a_write_by_handle_is_not_lost"},
    {"`T` is not the component's type", "reported by name", "test_typed.c",
     "values_of_another_type_are_reported"},
    {"values of the library's own components are overwritten", "rejected", "test_callback.c",
     "own_components_are_not_set"},
    {"structure changes in a comparator, a value hook or the log hook", "rejected",
     "test_callback.c", "comparators_change_no_structure"},
    {"a clone ignores half of a type's options", "it compares all of them", "test_hash.c",
     "copies_compare_all_of_a_type"},
    {"singletons end before the hooks that read them", "they end last", "test_singleton.c",
     "they_end_last"},
    {"handles and rows depend on who listens", "they follow from the state",
     "test_model_listeners.c", "the_same_calls_give_the_same"},
    {"a receiver's on_add sees values before they are there", "it sees the final value",
     "test_events.c", "a_delta_is_notified_with_final_values"},
    {"commands of a receiver's callbacks make the next delta fail", "recording is rejected",
     "test_delta_receiver.c", "callbacks_record_nothing_meanwhile"},
    {"a hostile delta takes any amount of memory", "it is bounded, and freed",
     "test_delta_receiver.c", "a_delta_takes_no_more_memory_than_it_may"},
    {"names, types or paths made to have one hash take quadratic time",
     "at most 64 of a hash are taken (LIMIT; in JSON INVALID)", "test_collision.c",
     "names_of_one_hash_are_bounded"},
    {"a system that says nothing loses its place", "it keeps it", "test_schedule.c",
     "who_says_nothing_keeps_its_order"},
    {"an unknown name in `before` or `after` is ignored", "reported at the first frame",
     "test_schedule.c", "unknown_names_are_reported_once"},
    {"NULL for what could not be created crashes", "it is harmless, and named", "test_null.c",
     "null_is_harmless_and_named"},
    {"two threads write to one world", "reported", "test_misuse.c", "one_thread_writes"},
    {"byte ranges and references that overlap or wrap", "rejected", "test_component.c",
     "bad_pieces_are_rejected"},
    {"a creation recorded on another thread corrupts the entities", "reported", "test_misuse.c",
     "every_writer_checks_the_thread"},
    {"a count without a list crashes", "rejected", "test_list.c", "lists_are_needed"},
    {"a command about the null handle vanishes", "reported", "test_misuse.c",
     "commands_report_a_null_handle_as_calls_do"},
    {"one mistake fills the log", "logged the 1st, 10th, 100th time at a place", "test_misuse.c",
     "a_misuse_is_logged_once_and_counted"},
};

/* A page in memory. */
static char page[64000];
static size_t page_size;

static void print(const char* text)
{
    size_t size = strlen(text);
    CHECK(page_size + size < sizeof(page));
    memcpy(page + page_size, text, size + 1);
    page_size += size;
}

/* Whether a file of tests has a function of this name. */
static bool has_test(const char* file, const char* test)
{
    static char text[200000];
    char path[512];
    char head[128];
    snprintf(path, sizeof(path), "%s/../test/%s", SETT_DOCS, file);
    snprintf(head, sizeof(head), "static void %s(void)", test);
    FILE* source = fopen(path, "rb");
    CHECK_MSG(source != NULL, "%s", path);
    size_t size = fread(text, 1, sizeof(text) - 1, source);
    fclose(source);
    text[size] = '\0';
    return strstr(text, head) != NULL;
}

static void print_traps(void)
{
    print("\n## What was once silent\n\n| trap | now | test |\n|---|---|---|\n");
    for (size_t k = 0; k < sizeof(traps) / sizeof(traps[0]); k++) {
        char line[512];
        snprintf(line, sizeof(line), "| %s | %s | %s, `%s` |\n", traps[k].trap, traps[k].now,
                 traps[k].file, traps[k].test);
        print(line);
        CHECK_MSG(has_test(traps[k].file, traps[k].test), "%s has no test %s", traps[k].file,
                  traps[k].test);
    }
}

static void print_silent(void)
{
    print("\n## Silent by design\n\nThese are no misuse, so no build reports them.\n\n"
          "| the program | what happens | why nothing is reported |\n|---|---|---|\n");
    for (size_t k = 0; k < sizeof(silent) / sizeof(silent[0]); k++) {
        char line[512];
        scene s;
        begin(&s);
        silent[k].run(&s);
        CHECK_MSG(s.lines == 0, "%s: %s", silent[k].what, s.log);
        end(&s);
        snprintf(line, sizeof(line), "| %s | %s | %s |\n", silent[k].what, silent[k].happens,
                 silent[k].why);
        print(line);
    }
}

static void print_row(const misuse* m, const char* log)
{
    static const char* const builds[] = {"", " (1)", " (2)"};
    char line[1024];
    snprintf(line, sizeof(line), "| %s | %s%s | %s |\n", m->what, m->returns, builds[m->build],
             log);
    print(line);
}

static void do_misuse(const misuse* m)
{
#if defined(NDEBUG)
    bool runs = m->build != CHECKED;
#else
    bool runs = true;
#endif
    scene s;
    begin(&s);
    if (runs) {
        m->run(&s);
    }
#if !defined(NDEBUG)
    CHECK_MSG(s.lines != 0, "%s: silent", m->what);
#endif
    end(&s);
    print_row(m, s.log);
}

static void do_section(const misuse_section* section)
{
    char line[256];
    snprintf(
        line, sizeof(line),
        "\n## %s\n\n| the program | the call returns | a debug build reports |\n|---|---|---|\n",
        section->title);
    print(line);
    for (size_t k = 0; k < section->count; k++) {
        do_misuse(&section->rows[k]);
    }
}

static void each_is_reported_and_harmless(void)
{
    print(
        "# Misuse, and what it says\n\n"
        "A wrong call changes nothing and returns its failure, in every build; changing calls also "
        "set `sett_world_error`.\nDebug builds report it to the log and assert hooks; the log gets "
        "the 1st, 10th, 100th at one place of the\nprogram. What is wrong with a file, JSON, a "
        "delta or the text of a query is only logged: the assert hook is not\ncalled. "
        "test/test_misuse_table.c makes each of these mistakes, and writes this page.\n\n"
        "- (1) Found in programs that are compiled without `NDEBUG`. In others the types that a "
        "macro is given, and the number of a\n  field, are the caller's contract.\n"
        "- (2) The call is carried out. Without the report, two threads could access one value at "
        "the same time, an order\n  could be other than was meant, or a value would be lost.\n\n"
        "Nothing checks in a release build: NULL as the first argument of the hottest calls "
        "(core.h lists them), addresses that are\nused after what invalidates them, and a world "
        "that is used after it was destroyed. Those are the caller's contract.\n\n"
        "So are handles and commands of several worlds. A handle is an index and a generation, and "
        "means the entity of the world that\na call is given; a buffer of commands belongs to the "
        "world that made it, and changes that one. A handle that this world never\ngave out is "
        "reported as such. To have more of them found, give the second world other indices "
        "while you\ndevelop: `sett_entity_set_range(second, 65536, 0)`. A query or a group of "
        "another world is rejected where a call also has a world.\nComponents of a list "
        "(`SETT_COMPONENTS`) have the same ids in each world; ids of others depend on the order of "
        "registration.\n");
    for (size_t k = 0; k < sizeof(table) / sizeof(table[0]); k++) {
        do_section(table[k]);
    }
    print_silent();
    print_traps();
}

#if !defined(NDEBUG)
static void the_page_is_up_to_date(void)
{
    check_page(SETT_DOCS "/misuse.md", page, page_size);
}
#else
static void the_page_is_up_to_date(void)
{
}
#endif

TEST_MAIN(TEST(each_is_reported_and_harmless), TEST(the_page_is_up_to_date))

/* test_misuse.c: how misuse is reported: the 1st, 10th and 100th of a kind at each place; and which
 * thread may write to a world. */
#include "prototypes.h"
#include "sett/sett.h"
#include "worlds.h"

#include "base/platform.h"

#if !defined(NDEBUG)

typedef struct ear {
    uint32_t lines;
    uint32_t asserts;
    uint32_t foreign; /* lines about another thread */
    char last[600];
} ear;

static void ear_log(void* user, sett_log_level level, const char* message)
{
    ear* heard = user;
    (void)level;
    heard->lines++;
    heard->foreign += strstr(message, "another thread writes") != NULL;
    snprintf(heard->last, sizeof(heard->last), "%s", message);
}

static void ear_assert(void* user, sett_status status, const char* message)
{
    ear* heard = user;
    CHECK(status != SETT_OK && message[0] != '\0');
    heard->asserts++;
}

static sett_world* ear_world(ear* heard)
{
    memset(heard, 0, sizeof(*heard));
    return sett_world_create(
        &(sett_world_desc){.log_fn = ear_log, .assert_fn = ear_assert, .hook_user = heard});
}

static sett_component type_of(sett_world* world, const char* name)
{
    return sett_component_register(world, &(sett_component_desc){.name = name, .size = 4});
}

static void a_misuse_is_logged_once_and_counted(void)
{
    static ear heard;
    sett_world* world = ear_world(&heard);
    sett_component mass = type_of(world, "Mass");
    sett_component size = type_of(world, "Size");
    sett_component both[2] = {mass, size};
    sett_entity e[200];
    CHECK_EQ(sett_entity_create_many(world, 200, both, 2, NULL, e), SETT_OK);
    for (uint32_t k = 0; k < 200; k++) { /* one mistake, of many entities */
        CHECK(sett_add(world, e[k], mass) == NULL);
        CHECK_EQ(sett_world_error(world), SETT_STATUS_PRESENT);
        CHECK_EQ(heard.asserts, k + 1);
        CHECK_EQ(heard.lines, 1u + (k + 1 >= 10) + (k + 1 >= 100));
    }
    CHECK_MSG(strncmp(heard.last, "100 times: sett_add, entity ", 28) == 0, "%s", heard.last);
    CHECK(strstr(heard.last, "\"Mass\"") != NULL);
    CHECK(sett_add(world, e[0], size) == NULL); /* of another component */
    CHECK_EQ(heard.lines, 4);
    CHECK_EQ(sett_remove(world, e[0], size), SETT_OK);
    CHECK(sett_get_mut(world, e[0], size) == NULL); /* by another call */
    CHECK_EQ(heard.lines, 5);
    CHECK_EQ(sett_remove(world, sett_null(), size), SETT_STATUS_STALE); /* for another reason */
    CHECK_EQ(heard.lines, 6);
    void* caller;
    if (setti_platform_callers(&caller, 1) != 0) {
        CHECK(sett_add(world, e[1], size) == NULL); /* at another place */
        CHECK_EQ(heard.lines, 7);
    }
    sett_world* other = ear_world(&heard); /* each world counts for itself */
    CHECK_EQ(sett_remove(other, sett_null(), 1), SETT_STATUS_STALE);
    CHECK_EQ(heard.lines, 1);
    CHECK_END(other);
    CHECK_END(world);
}

static void many_kinds_are_all_logged(void)
{
    static ear heard;
    sett_world* world = ear_world(&heard);
    sett_entity e = sett_entity_create(world);
    for (uint32_t k = 0; k < 300; k++) {
        char name[16];
        snprintf(name, sizeof(name), "t%u", (unsigned)k);
        sett_component type = type_of(world, name);
        for (volatile uint32_t twice = 0; twice < 2; twice++) { /* not unrolled: one place */
            CHECK(sett_get_mut(world, e, type) == NULL);
            CHECK_EQ(heard.lines, k + 1);
        }
    }
    CHECK_END(world);
}

/* ---- Input ----------------------------------------------------------------------------------- */

/* It failed so, which was logged, with this in it, and did not reach the assert hook. */
static void check_is_input(ear* heard, const sett_world* world, sett_status status,
                           const char* part)
{
    CHECK_MSG(sett_world_error(world) == status, "%s", sett_world_message(world));
    CHECK_MSG(strstr(sett_world_message(world), part) != NULL, "%s", sett_world_message(world));
    CHECK_MSG(heard->lines != 0 && strstr(heard->last, part) != NULL, "%s", heard->last);
    CHECK_MSG(heard->asserts == 0, "%s", heard->last);
    heard->lines = 0;
}

/* A delta that creates an entity with a value; the world is as before. */
static size_t input_delta(sett_world* world, sett_component mass, unsigned char* bytes, size_t size)
{
    sett_snapshot before;
    sett_snapshot after;
    CHECK_EQ(sett_snapshot_take(world, &before), SETT_OK);
    CHECK(sett_set(world, sett_entity_create(world), mass, &(uint32_t){77}) != NULL);
    CHECK_EQ(sett_snapshot_take(world, &after), SETT_OK);
    size_t length;
    CHECK_EQ(sett_delta_encode(world, before, after, bytes, size, &length), SETT_OK);
    CHECK_EQ(sett_snapshot_restore(world, before), SETT_OK);
    sett_snapshot_drop_all(world);
    return length;
}

static void bad_input_does_not_reach_the_assert_hook(void)
{
    static ear heard;
    unsigned char bytes[2048];
    sett_world* world = ear_world(&heard);
    sett_component mass = type_of(world, "Mass");
    sett_query_desc desc;
    CHECK(sett_search_create(world, "Mass, Helth.points < 10") == NULL); /* typed by a player */
    check_is_input(&heard, world, SETT_STATUS_UNREGISTERED, "Helth");
    CHECK(sett_search_create(world, "Mass, Mass.points < 10") == NULL); /* what it means is wrong */
    CHECK(heard.lines != 0 && heard.asserts == 0);
    CHECK(sett_query_parse(world, "Mass,,", &desc) != SETT_OK);
    CHECK(heard.asserts == 0);
    heard.lines = 0;
    CHECK_EQ(sett_world_load(world, "no_such_folder/first_start.sett"), SETT_STATUS_FILE);
    check_is_input(&heard, world, SETT_STATUS_FILE, "first_start");
    CHECK(sett_json_read(world, "{", 1, NULL, NULL) != SETT_OK); /* a mod */
    check_is_input(&heard, world, SETT_STATUS_INVALID, "line 1");
    CHECK_EQ(sett_delta_apply(world, "garbage", 7), SETT_STATUS_INVALID); /* from the network */
    check_is_input(&heard, world, SETT_STATUS_INVALID, "sett_delta_apply: ");
    size_t size = input_delta(world, mass, bytes, sizeof(bytes));
    for (size_t k = 0; k < size; k++) {
        bytes[k] ^= 0x40;
        CHECK(sett_delta_apply(world, bytes, size) != SETT_OK);
        CHECK_MSG(heard.asserts == 0, "byte %u: %s", (unsigned)k, heard.last);
        bytes[k] ^= 0x40;
    }
    CHECK_EQ(sett_delta_apply(world, bytes, size), SETT_OK);
    sett_entity e = sett_entity_create(world); /* a misuse still does */
    CHECK_EQ(sett_entity_destroy(world, e), SETT_OK);
    CHECK(sett_get(world, e, mass) == NULL);
    CHECK_EQ(heard.asserts, 1);
    CHECK(sett_add(world, e, mass) == NULL);
    CHECK_EQ(heard.asserts, 2);
    CHECK_END(world);
}

/* ---- Owners ---------------------------------------------------------------------------------- */

typedef struct visit {
    sett_world* world;
    sett_entity entity;
    sett_component type;
    bool owns;
    sett_commands* own;
    sett_query* query;
    sett_snapshot snapshot;
    uint32_t writing; /* which of WRITINGS */
} visit;

static void visit_body(void* user)
{
    const visit* v = user;
    if (v->owns) {
        sett_world_own(v->world);
    }
    CHECK(sett_get(v->world, v->entity, v->type) != NULL); /* readers are welcome */
    CHECK(sett_set(v->world, v->entity, v->type, &(uint32_t){1}) != NULL);
}

/* Does it on another thread, while this one waits. */
static void visit_elsewhere(visit* v)
{
    setti_thread thread = {.body = visit_body, .user = v};
    CHECK(setti_thread_start(&thread));
    setti_thread_join(&thread);
}

static void one_thread_writes(void)
{
    static ear heard;
    visit v = {.world = ear_world(&heard)};
    v.type = type_of(v.world, "Mass");
    v.entity = sett_entity_create(v.world);
    CHECK(sett_add(v.world, v.entity, v.type) != NULL);
    visit_elsewhere(&v);
    CHECK_EQ(heard.lines, 1);
    CHECK_EQ(heard.asserts, 1);
    CHECK_MSG(strstr(heard.last, "sett_set: another thread writes to this world - ") != NULL, "%s",
              heard.last);
    CHECK(strstr(heard.last, "sett_world_own(world)") != NULL);
    CHECK(sett_set(v.world, v.entity, v.type, &(uint32_t){1}) != NULL); /* it is still ours */
    CHECK_EQ(heard.asserts, 1);
    v.owns = true;
    visit_elsewhere(&v);
    CHECK_EQ(heard.asserts, 1);
    CHECK_EQ(sett_remove(v.world, v.entity, v.type), SETT_OK); /* no more */
    CHECK_EQ(heard.asserts, 2);
    sett_world_own(v.world);
    CHECK(sett_add(v.world, v.entity, v.type) != NULL);
    CHECK_EQ(heard.asserts, 2);
    CHECK_END(v.world);
}

static const char path[] = "test_misuse.sett";

static void watch(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)world, (void)entity, (void)value, (void)user;
}

static void run_nothing(sett_context* c)
{
    (void)c;
}

/* All that creates something in a world, and some of what else writes: by its name. */
#define WRITINGS(X)                                                                                \
    X(sett_entity_create, (void)sett_entity_create(v->world))                                      \
    X(sett_entity_create_many,                                                                     \
      (void)sett_entity_create_many(v->world, 2, &v->type, 1, NULL, NULL))                         \
    X(sett_entity_create_handle,                                                                   \
      (void)sett_entity_create_handle(v->world, (sett_entity){.index = 9, .generation = 1}))       \
    X(sett_create_with, (void)sett_create_with(v->world, &(sett_value){.component = v->type}, 1))  \
    X(sett_instantiate, (void)sett_instantiate(v->world, v->entity, 1, NULL))                      \
    X(sett_instantiate_with_sized,                                                                 \
      (void)sett_instantiate_with(v->world, &(sett_instantiate_desc){.prefab = v->entity}))        \
    X(sett_duplicate_sized, (void)sett_duplicate(v->world, v->entity, NULL))                       \
    X(sett_name_ensure, (void)sett_name_ensure(v->world, v->entity, "child"))                      \
    X(sett_singletons, (void)sett_singletons(v->world))                                            \
    X(sett_cmd_create, (void)sett_cmd_create(v->own))                                              \
    X(sett_cmd_create_many, (void)sett_cmd_create_many(v->own, 2, &v->type, 1, NULL, NULL))        \
    X(sett_cmd_instantiate, (void)sett_cmd_instantiate(v->own, v->entity))                         \
    X(sett_cmd_instantiate_tree,                                                                   \
      (void)sett_cmd_instantiate_tree(v->own, v->entity, (sett_entity[9]){{0, 0}}, 9))             \
    X(sett_commands_create, (void)sett_commands_create(v->world))                                  \
    X(sett_commands_clear, sett_commands_clear(v->own))                                            \
    X(sett_commands_apply, (void)sett_commands_apply(v->own))                                      \
    X(sett_component_register_sized, (void)type_of(v->world, "Charge"))                            \
    X(sett_ensure, (void)sett_ensure(v->world, v->entity, v->type))                                \
    X(sett_hierarchy_register_sized, (void)sett_hierarchy_register(v->world, NULL))                \
    X(sett_name_register, (void)sett_name_register(v->world))                                      \
    X(sett_singleton_ensure, (void)sett_singleton_ensure(v->world, v->type))                       \
    X(sett_component_unregister, (void)sett_component_unregister(v->world, v->type))               \
    X(sett_component_clear, (void)sett_component_clear(v->world, v->type))                         \
    X(sett_entity_set_range, (void)sett_entity_set_range(v->world, 0, 0))                          \
    X(sett_world_reserve, (void)sett_world_reserve(v->world, 100))                                 \
    X(sett_world_advance_tick, (void)sett_world_advance_tick(v->world))                            \
    X(sett_query_create_sized,                                                                     \
      (void)sett_query_create(v->world, &(sett_query_desc){.terms = {{.component = v->type}}}))    \
    X(sett_group_create_sized,                                                                     \
      (void)sett_group_create(v->world, &(sett_group_desc){.with = {v->type}}))                    \
    X(sett_observer_create_sized,                                                                  \
      (void)sett_observer_create(v->world,                                                         \
                                 &(sett_observer_desc){.component = v->type, .on_add = watch}))    \
    X(sett_queue_create_sized,                                                                     \
      (void)sett_queue_create(v->world, &(sett_observer_desc){.component = v->type}))              \
    X(sett_ordered_create_sized,                                                                   \
      (void)sett_ordered_create(v->world, &(sett_ordered_desc){.query = v->query}))                \
    X(sett_search_create, (void)sett_search_create(v->world, "Mass"))                              \
    X(sett_search_create_sized, (void)sett_search_create(v->world, "Mass"))                        \
    X(sett_lookup_create, (void)sett_lookup_create(v->world, v->type, "x"))                        \
    X(sett_lookup_create_ordered, (void)sett_lookup_create_ordered(v->world, v->type, "x"))        \
    X(sett_system_create_sized,                                                                    \
      (void)sett_system_create(v->world, &(sett_system_desc){.name = "runs", .run = run_nothing})) \
    X(sett_relationship_register_sized,                                                            \
      (void)sett_relationship_register(v->world, &(sett_relationship_desc){.name = "Owes"}))       \
    X(sett_snapshot_take, (void)sett_snapshot_take(v->world, &v->snapshot))                        \
    X(sett_snapshot_drop_all, sett_snapshot_drop_all(v->world))                                    \
    X(sett_ring_create, (void)sett_ring_create(v->world, 4))                                       \
    X(sett_flight_create_sized, sett_flight_destroy(sett_flight_create(v->world, NULL)))           \
    X(sett_undo_create_sized, (void)sett_undo_create(v->world, NULL))                              \
    X(sett_journal_create, sett_journal_destroy(sett_journal_create(v->world, path, NULL)))        \
    X(sett_autosave_create, sett_autosave_destroy(sett_autosave_create(v->world, path, NULL)))     \
    X(sett_mirror_create, sett_mirror_destroy(sett_mirror_create(v->world)))                       \
    X(sett_json_set, (void)sett_json_set(v->world, v->entity, v->type, "1", 1))                    \
    X(sett_name_set, (void)sett_name_set(v->world, v->entity, "it"))

#define WRITING_DO(name, call)                                                                     \
    static void do_##name(visit* v)                                                                \
    {                                                                                              \
        call;                                                                                      \
    }
#define WRITING_FUNCTION(name, call) do_##name,
#define WRITING_NAME(name, call) #name,
WRITINGS(WRITING_DO)

static void (*const writing[])(visit* v) = {WRITINGS(WRITING_FUNCTION)};
static const char* const writing_names[] = {WRITINGS(WRITING_NAME)};

static void writing_body(void* user)
{
    visit* v = user;
    writing[v->writing](v);
}

static void every_writer_checks_the_thread(void)
{
    static ear heard;
    for (uint32_t k = 0; k < sizeof(writing) / sizeof(writing[0]); k++) {
        visit v = {.world = ear_world(&heard), .writing = k};
        v.type = type_of(v.world, "Mass");
        v.entity = sett_entity_create(v.world);
        CHECK(sett_add(v.world, v.entity, v.type) != NULL);
        v.own = sett_commands_here(v.world);
        v.query = sett_query_create(v.world, &(sett_query_desc){.terms = {{.component = v.type}}});
        CHECK_EQ(heard.lines, 0);
        setti_thread thread = {.body = writing_body, .user = &v};
        CHECK(setti_thread_start(&thread));
        setti_thread_join(&thread);
        CHECK_MSG(heard.foreign != 0, "%s from another thread is not reported", writing_names[k]);
        sett_world_own(v.world);
        sett_snapshot_drop_all(v.world);
        CHECK_END(v.world);
    }
    remove(path);
}

static uint32_t creators;

/* What makes something outside of a world, or is no creation. */
static bool is_no_writer(const char* name)
{
    static const char* const names[] = {"sett_world_create_sized", "sett_sparse_set_create",
                                        "sett_threads_create"};
    bool found = false;
    for (uint32_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
        found = found || strcmp(names[k], name) == 0;
    }
    return found;
}

static void check_creator(const prototype* of)
{
    static const char* const words[] = {"create", "instantiate", "duplicate", "ensure", "register"};
    bool creates = false;
    bool listed = is_no_writer(of->name);
    for (uint32_t k = 0; k < sizeof(words) / sizeof(words[0]); k++) {
        creates = creates || strstr(of->name, words[k]) != NULL;
    }
    for (uint32_t k = 0; k < sizeof(writing) / sizeof(writing[0]); k++) {
        listed = listed || strcmp(writing_names[k], of->name) == 0;
    }
    CHECK_MSG(!creates || listed, "%s creates something: add it to WRITINGS", of->name);
    creators += creates;
}

static void every_creator_is_here(void)
{
    prototypes_each(check_creator);
    CHECK_MSG(creators >= 20, "%u functions create something", creators);
}

/* ---- Null handles in commands ---------------------------------------------------------------- */

typedef struct commanded {
    sett_world* world;
    sett_commands* own;
    sett_entity entity;
    sett_component type;
    sett_component owes;
} commanded;

/* A command, its arguments with a null handle, and the call that it records. */
#define COMMANDS(X)                                                                                \
    X(sett_cmd_add(c->own, null, c->type), sett_add(c->world, null, c->type))                      \
    X(sett_cmd_set(c->own, null, c->type, &one), sett_set(c->world, null, c->type, &one))          \
    X(sett_cmd_remove(c->own, null, c->type), sett_remove(c->world, null, c->type))                \
    X(sett_cmd_clear(c->own, null), sett_entity_clear(c->world, null))                             \
    X(sett_cmd_enable(c->own, null, c->type, true), sett_enable(c->world, null, c->type, true))    \
    X(sett_cmd_destroy(c->own, null), sett_entity_destroy(c->world, null))                         \
    X(sett_cmd_forget(c->own, null), sett_entity_forget(c->world, null))                           \
    X(sett_cmd_attach(c->own, null, c->entity), sett_hierarchy_attach(c->world, null, c->entity))  \
    X(sett_cmd_attach(c->own, c->entity, null), sett_hierarchy_attach(c->world, c->entity, null))  \
    X(sett_cmd_detach(c->own, null), sett_hierarchy_detach(c->world, null))                        \
    X(sett_cmd_destroy_children(c->own, null), sett_hierarchy_destroy_children(c->world, null))    \
    X(sett_cmd_name_set(c->own, null, "it"), sett_name_set(c->world, null, "it"))                  \
    X(sett_cmd_instantiate(c->own, null), sett_instantiate(c->world, null, 1, NULL))               \
    X(sett_cmd_instantiate_tree(c->own, null, parts, 9),                                           \
      sett_instantiate(c->world, null, 1, NULL))                                                   \
    X(sett_cmd_event(c->own, null, SETT_ROUTE_ENTITY, c->type, &one),                              \
      sett_event_send(c->world, null, SETT_ROUTE_ENTITY, c->type, &one))                           \
    X(sett_cmd_relate(c->own, null, c->owes, c->entity, NULL),                                     \
      sett_relate(c->world, null, c->owes, c->entity))                                             \
    X(sett_cmd_relate(c->own, c->entity, c->owes, null, NULL),                                     \
      sett_relate(c->world, c->entity, c->owes, null))                                             \
    X(sett_cmd_unrelate(c->own, null, c->owes, c->entity),                                         \
      sett_unrelate(c->world, null, c->owes, c->entity))

#define COMMAND_TEXT(command, call) #command,
static const char* const command_texts[] = {COMMANDS(COMMAND_TEXT) NULL};

/* Does the command or the call of a row. */
static void do_command(const commanded* c, uint32_t row, bool directly)
{
    static const uint32_t one = 1;
    const sett_entity null = sett_null();
    sett_entity parts[9];
    uint32_t at = 0;
#define COMMAND_DO(command, call)                                                                  \
    if (at++ == row) {                                                                             \
        if (directly) {                                                                            \
            (void)call;                                                                            \
        } else {                                                                                   \
            (void)command;                                                                         \
        }                                                                                          \
    }
    COMMANDS(COMMAND_DO)
}

static void commands_report_a_null_handle_as_calls_do(void)
{
    static ear heard;
    for (uint32_t row = 0; command_texts[row] != NULL; row++) {
        const char* text = command_texts[row];
        uint32_t lines[2];
        for (uint32_t directly = 0; directly < 2; directly++) {
            commanded c = {.world = ear_world(&heard)};
            c.type = sett_component_register(
                c.world, &(sett_component_desc){.name = "Mass", .size = 4, .can_disable = true});
            c.owes = sett_relationship_register(c.world, &(sett_relationship_desc){.name = "Owes"});
            c.entity = sett_entity_create(c.world);
            c.own = sett_commands_here(c.world);
            do_command(&c, row, directly != 0);
            lines[directly] = heard.lines;
            CHECK_EQ(sett_commands_apply(c.own), SETT_OK);
            CHECK_MSG(heard.lines == lines[directly], "%s: %s", text, heard.last);
            CHECK_EQ(sett_entity_count(c.world), 1);
            CHECK_END(c.world);
        }
        CHECK_MSG(lines[0] == lines[1], "%s: %u reports, the call makes %u", text, lines[0],
                  lines[1]);
    }
}

static uint32_t commands_found;

/* A command that takes a handle, of which it is not said that null is fine. */
static void check_command(const prototype* of)
{
    bool is_command =
        strncmp(of->name, "sett_cmd_", 9) == 0 && strstr(of->parameters, "sett_entity ") != NULL;
    bool listed = false;
    for (uint32_t row = 0; command_texts[row] != NULL && !listed; row++) {
        listed = strcspn(command_texts[row], "(") == strlen(of->name) &&
                 strncmp(command_texts[row], of->name, strlen(of->name)) == 0;
    }
    CHECK_MSG(!is_command || listed, "%s takes a handle: add it to COMMANDS", of->name);
    commands_found += is_command;
}

static void every_command_with_a_handle_is_here(void)
{
    prototypes_each(check_command);
    CHECK_MSG(commands_found >= 14, "%u commands take a handle", commands_found);
}

static void write_all(sett_context* c)
{
    SETT_SYSTEM_EACH(c, b) {
        SETT_EACH(b, i) {
            sett_entity e = sett_batch_entity(b, i);
            CHECK(sett_set(c->world, e, *(sett_component*)c->user, &(uint32_t){1}) != NULL);
        }
    }
}

static void systems_write_on_all_threads(void)
{
    static ear heard;
    sett_world* world = ear_world(&heard);
    sett_component mass = type_of(world, "Mass");
    CHECK_EQ(sett_entity_create_many(world, 20000, &mass, 1, NULL, NULL), SETT_OK);
    sett_threads* threads = sett_threads_create(4, NULL);
    sett_schedule_desc schedule = {.tasks = sett_threads_tasks(threads), .no_times = true};
    CHECK_EQ(sett_schedule_configure(world, &schedule), SETT_OK);
    sett_system_desc desc = {.name = "write", .run = write_all, .user = &mass};
    desc.terms[0].component = mass;
    CHECK(sett_system_create(world, &desc) != NULL);
    CHECK_EQ(sett_progress(world, 1), SETT_OK);
    CHECK_MSG(heard.lines == 0, "%s", heard.last);
    CHECK_END(world);
    CHECK_EQ(sett_threads_destroy(threads), SETT_OK);
}

TEST_MAIN(TEST(a_misuse_is_logged_once_and_counted), TEST(many_kinds_are_all_logged),
          TEST(bad_input_does_not_reach_the_assert_hook), TEST(one_thread_writes),
          TEST(every_writer_checks_the_thread), TEST(every_creator_is_here),
          TEST(commands_report_a_null_handle_as_calls_do),
          TEST(every_command_with_a_handle_is_here), TEST(systems_write_on_all_threads))

#else

/* Release builds tell no hooks, and do not know who writes. */
static void count_lines(void* user, sett_log_level level, const char* message)
{
    (void)level, (void)message;
    ++*(uint32_t*)user;
}

static void release_builds_are_silent(void)
{
    uint32_t lines = 0;
    sett_world* world =
        sett_world_create(&(sett_world_desc){.log_fn = count_lines, .hook_user = &lines});
    CHECK_EQ(sett_remove(world, sett_null(), 1), SETT_STATUS_STALE);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_STALE);
    sett_world_own(world);
    CHECK_EQ(lines, 0);
    CHECK_END(world);
}

TEST_MAIN(TEST(release_builds_are_silent))

#endif

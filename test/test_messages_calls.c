/* test_messages_calls.c: messages name the call that the program made, not one inside of it, and
 * the remedy for that call. */
#include "scarce.h"

#include "sett/advise.h"
#include "sett/json.h"
#include "sett/queue.h"
#include "sett/strings.h"
#include "sett/trace.h"

#include <limits.h>
#include <string.h>

static char heard[512];       /* the last line in the log */
static uint32_t heard_errors; /* their number */

static void hear(void* user, sett_log_level level, const char* message)
{
    (void)user;
    heard_errors += level == SETT_LOG_ERROR;
    snprintf(heard, sizeof(heard), "%s", message);
}

static sett_world* listening_world(void)
{
    sett_world* world = sett_world_create(&(sett_world_desc){.log_fn = hear});
    CHECK(world != NULL);
    return world;
}

/* The world's message begins with a text. */
static void begins(const sett_world* world, const char* text)
{
    const char* message = sett_world_message(world);
    CHECK_MSG(strncmp(message, text, strlen(text)) == 0, "%s", message);
}

static void contains(const sett_world* world, const char* text)
{
    const char* message = sett_world_message(world);
    CHECK_MSG(strstr(message, text) != NULL, "%s", message);
}

/* In debug builds, the last line in the log begins with a text. */
static void hears(const char* text)
{
#if !defined(NDEBUG)
    CHECK_MSG(strncmp(heard, text, strlen(text)) == 0, "%s", heard);
#else
    (void)text;
#endif
}

static sett_component add_type(sett_world* world, const char* name, size_t size)
{
    sett_component id =
        sett_component_register(world, &(sett_component_desc){.name = name, .size = size});
    CHECK(id != 0);
    return id;
}

static void lists_of_entities(void)
{
    sett_world* world = listening_world();
    sett_component plain = add_type(world, "Plain", 4);
    sett_component owes =
        sett_relationship_register(world, &(sett_relationship_desc){.name = "Owes", .size = 4});
    sett_entity e[2] = {sett_entity_create(world), sett_entity_create(world)};
    CHECK_EQ(sett_hierarchy_attach(world, e[1], e[0]), SETT_OK);
    const void* found[2];
    void* mut[2];
    CHECK_EQ(sett_find_many(world, e, 2, 0, found), 0);
    hears("sett_find_many, entity 0:1, component 0: ");
    CHECK_EQ(sett_find_many_mut(world, e, 2, 0, mut), 0);
    hears("sett_find_many_mut, entity 0:1, component 0: ");
    CHECK_EQ(sett_find_many_mut(world, e, 2, SETT_ID_HIERARCHY, mut), 0);
    begins(world, "sett_find_many_mut: values of \"Hierarchy\" are written by the library");
    CHECK(sett_find_mut(world, e[0], SETT_ID_HIERARCHY) == NULL);
    begins(world, "sett_find_mut: values of \"Hierarchy\" are written by the library");
    CHECK(sett_find_mut(world, e[0], 0) == NULL);
    hears("sett_find_mut, entity 0:1, component 0: ");
    CHECK_EQ(sett_add_many(world, e, 2, owes), SETT_STATUS_ARGUMENT);
    begins(world, "sett_add_many: \"Owes\" belongs to a relationship");
    const int values[2] = {1, 2};
    CHECK_EQ(sett_set_many(world, e, 2, owes, values), SETT_STATUS_ARGUMENT);
    begins(world, "sett_set_many: values of \"Owes\" are written by the library");
    CHECK_EQ(sett_set_many(world, e, 2, plain, NULL), SETT_STATUS_ARGUMENT);
    begins(world, "sett_set_many: `values` is NULL, but its count is not 0");
    sett_component tag = add_type(world, "Tag", 0);
    CHECK_EQ(sett_set_many(world, e, 2, tag, values), SETT_OK);
    hears("sett_set_many: \"Tag\" is a tag: the value is ignored - pass NULL");
    CHECK(sett_has(world, e[1], tag));
    sett_component sources = sett_relationship_sources(world, owes);
    CHECK_EQ(sett_remove_many(world, e, 2, sources), SETT_STATUS_ARGUMENT);
    begins(world, "sett_remove_many: \"Owes sources\" belongs to a relationship");
    CHECK(!sett_is_null(sett_singletons(world)));
    CHECK_EQ(sett_add_many(world, e, 1, SETT_ID_SINGLETONS), SETT_STATUS_ARGUMENT);
    begins(world, "sett_add_many: \"Singletons\" marks the entity of the singletons");
    CHECK_EQ(sett_set_many(world, e, 1, SETT_ID_SINGLETONS, NULL), SETT_STATUS_ARGUMENT);
    begins(world, "sett_set_many: \"Singletons\" marks the entity of the singletons");
    CHECK_EQ(sett_set_many(world, e, 2, plain, values), SETT_OK);
    CHECK_EQ(sett_find_many_mut(world, e, 2, plain, mut), 2);
    CHECK(*(int*)mut[0] == 1 && *(int*)mut[1] == 2);
    CHECK_EQ(sett_entity_destroy(world, e[1]), SETT_OK);
    CHECK_EQ(sett_find_many_mut(world, e, 2, plain, mut), 1);
    CHECK(mut[1] == NULL);
    CHECK_END(world);
}

static int compare_nothing(const void* a, const void* b, void* user)
{
    (void)a;
    (void)b;
    (void)user;
    return 0;
}

static void note_replaced(sett_world* world, sett_entity entity, const void* old, void* value,
                          void* user)
{
    (void)world;
    (void)entity;
    (void)old;
    (void)value;
    (void)user;
}

static void enter_nothing(sett_world* world, sett_entity entity, void* user)
{
    (void)world;
    (void)entity;
    (void)user;
}

static void creations(void)
{
    sett_world* world = quiet_world();
    sett_entity alive = sett_entity_create(world);
    CHECK_EQ(sett_entity_create_handle(world, (sett_entity){alive.index, 7}), SETT_STATUS_PRESENT);
    begins(world,
           "sett_entity_create_handle: entity 0:1 is alive at the index of 0:7 - destroy that");
    sett_entity reserved = sett_cmd_create(sett_commands_here(world));
    CHECK_EQ(sett_entity_create_handle(world, reserved), SETT_STATUS_PRESENT);
    begins(world, "sett_entity_create_handle: the index of 1:1 is reserved by a recorded command");
    sett_component type = add_type(world, "Big", (size_t)2 << 20);
    CHECK_EQ(sett_component_convert(world, type, SETT_STORAGE_ARRAY), SETT_STATUS_ARGUMENT);
    contains(world,
             "\"Big\": a value has more than 1 MB, the most in an array - leave it a sparse");
    CHECK_EQ(sett_component_convert(world, type, (sett_storage_kind)9), SETT_STATUS_ARGUMENT);
    contains(world, "the kind of storage is unknown - pass SETT_STORAGE_ARRAY");
    sett_advice advice = {.kind = SETT_ADVICE_CONVERT, .storage = SETT_STORAGE_ARRAY};
    advice.components[0] = type;
    CHECK_EQ(sett_advice_apply(world, &advice), SETT_STATUS_ARGUMENT);
    begins(world, "sett_advice_apply: \"Big\": ");
    sett_list list = {0};
    CHECK(sett_list_resize(world, &list, 0, 1) == NULL);
    contains(world, "`item_size` is 0 - pass the bytes of an item");
    CHECK(sett_list_resize(world, &list, 4, 1) != NULL);
    CHECK(sett_list_resize(world, &list, 8, 1) == NULL);
    contains(world, "`item_size` is 8 bytes, and the list has items of 4 bytes - pass the size of");
    CHECK(sett_list_resize(world, &list, 4, 0) == NULL);
    CHECK_EQ(sett_component_register(world, &(sett_component_desc){.size = 4}), 0);
    contains(world, "`name` is missing - set one");
    sett_sort_desc sort = {.key = SETT_KEY_U32};
    sort.group = sett_group_create(world, &(sett_group_desc){.name = "g", .owned = {type}});
    CHECK(sort.group != NULL);
    sett_component other = add_type(world, "Other", 4);
    CHECK_EQ(sett_sort(world, &sort), SETT_STATUS_UNREGISTERED);
    contains(world, "group \"g\": `component` is 0, which is not registered in this world");
    sett_world* elsewhere = quiet_world();
    CHECK_EQ(sett_sort(elsewhere, &sort), SETT_STATUS_ARGUMENT);
    contains(elsewhere,
             "group \"g\" was created in another world - pass the world in which it was");
    CHECK_END(elsewhere);
    sort.group =
        sett_group_create(world, &(sett_group_desc){.name = "h", .owned = {other}, .with = {type}});
    sort = (sett_sort_desc){.group = sort.group, .component = type, .compare = compare_nothing};
    CHECK_EQ(sett_sort(world, &sort), SETT_STATUS_ARGUMENT);
    contains(world,
             "group \"h\" does not own \"Big\", so `compare` cannot sort by it - create the");
    sett_observer_desc replaced = {.name = "o", .component = SETT_ID_SINGLETONS};
    CHECK(!sett_is_null(sett_singletons(world)));
    replaced.on_replace = note_replaced;
    CHECK(sett_queue_create(world, &(sett_observer_desc){.component = 999}) == NULL);
    begins(world, "sett_queue_create: observer \"queue\": component 999 is not registered");
    sett_component apart = sett_component_register(
        world, &(sett_component_desc){.name = "Apart", .dont_fragment = true});
    sett_system_desc system = {.name = "s", .on_enter = enter_nothing};
    system.terms[0] = (sett_term){.component = apart, .kind = SETT_ANY};
    CHECK(sett_system_create(world, &system) == NULL);
    begins(world, "sett_system_create: observer \"s\": \"Apart\" is dont_fragment");
    CHECK(sett_observer_create(world, &replaced) == NULL);
    contains(world, "observer \"o\": \"Singletons\" has no values, or values that are more than");
    advice =
        (sett_advice){.kind = SETT_ADVICE_DONT_FRAGMENT, .code = "SETT_REGISTER_TAG_WITH(...);"};
    CHECK_EQ(sett_advice_apply(world, &advice), SETT_STATUS_ARGUMENT);
    contains(world, "dont_fragment can only be set when a type is registered - write SETT_REG");
    CHECK_END(world);
}

static void switches(void)
{
    sett_world* world = listening_world();
    sett_component lamp = sett_component_register(
        world, &(sett_component_desc){.name = "Lamp", .size = 4, .can_disable = true});
    sett_component fixed = add_type(world, "Fixed", 4);
    sett_entity e = sett_entity_create(world);
    CHECK(sett_add(world, e, lamp) != NULL && sett_add(world, e, fixed) != NULL);
    CHECK_EQ(sett_enable(world, e, fixed, false), SETT_STATUS_ARGUMENT);
    begins(world, "sett_enable: \"Fixed\" is registered without .can_disable");
    CHECK_EQ(sett_cmd_enable(sett_commands_here(world), e, fixed, false), SETT_STATUS_ARGUMENT);
    hears("sett_cmd_enable: \"Fixed\" is registered without .can_disable");
    sett_query* query =
        sett_query_create(world, &(sett_query_desc){.name = "q", .terms = {{.component = lamp}}});
    sett_batch batch;
    CHECK(sett_query_begin(query, &batch) != NULL);
    CHECK_EQ(sett_enable(world, e, lamp, true), SETT_OK); /* nothing to do */
    CHECK_EQ(sett_enable(world, e, lamp, false), SETT_STATUS_LOCKED);
    begins(world, "sett_enable: a loop over query \"q\" is open - use sett_cmd_enable, and call");
    CHECK_EQ(sett_entity_destroy_with(world, lamp), SETT_STATUS_LOCKED);
    contains(world, "use sett_cmd_destroy_with, and");
    CHECK_EQ(sett_component_clear(world, lamp), SETT_STATUS_LOCKED);
    contains(world, "use sett_cmd_component_clear, and");
    CHECK(sett_is_null(sett_create_with(world, NULL, 0)));
    contains(world, "use sett_cmd_create and sett_cmd_set, and");
    sett_batch_end(&batch);
    CHECK_EQ(sett_enable(world, e, lamp, false), SETT_OK);
    CHECK(!sett_is_enabled(world, e, lamp));
    CHECK_EQ(sett_enable(world, e, lamp, true), SETT_OK);
    CHECK(sett_is_enabled(world, e, lamp));
    CHECK_END(world);
}

static uint32_t lines; /* logged since the last 0 */

static void count_lines(void* user, sett_log_level level, const char* message)
{
    lines++;
    hear(user, level, message);
}

static void single_reports(void)
{
    sett_world* world = sett_world_create(&(sett_world_desc){.log_fn = count_lines});
    sett_entity e = sett_entity_create(world);
    CHECK_EQ(sett_hierarchy_attach(world, sett_entity_create(world), e), SETT_OK);
    lines = 0;
    CHECK(sett_get_mut(world, e, 0) == NULL);
    hears("sett_get_mut, entity 0:1, component 0: ");
    CHECK(sett_get_mut(world, e, SETT_ID_HIERARCHY) == NULL);
    hears("sett_get_mut: values of \"Hierarchy\" are written by the library");
    CHECK(sett_get_mut(world, sett_entity_create(world), SETT_ID_HIERARCHY) == NULL);
    CHECK(sett_get_mut(world, sett_null(), SETT_ID_HIERARCHY) == NULL);
    hears("sett_get_mut, component ");
    CHECK(lines == 0 || lines == 4); /* 0 in release builds */
    CHECK_END(world);
}

static void destructions(void)
{
    sett_world* world = listening_world();
    sett_component plain = add_type(world, "Plain", 4);
    sett_entity parent = sett_entity_create(world);
    sett_entity child = sett_entity_create(world);
    sett_entity leaf = sett_entity_create(world);
    CHECK(sett_add(world, child, plain) != NULL);
    CHECK_EQ(sett_hierarchy_attach(world, child, parent), SETT_OK);
    CHECK_EQ(sett_hierarchy_attach(world, leaf, child), SETT_OK);
    CHECK_EQ(sett_hierarchy_set_policy(world, child, SETT_CHILDREN_REJECT), SETT_OK);
    CHECK_EQ(sett_entity_destroy_many(world, &child, 1), SETT_STATUS_REJECTED);
    begins(world, "sett_entity_destroy_many: entity 1:1 has 1 children");
    CHECK_EQ(sett_entity_destroy_with(world, plain), SETT_STATUS_REJECTED);
    begins(world, "sett_entity_destroy_with: entity 1:1 has 1 children");
    CHECK_EQ(sett_hierarchy_destroy_children(world, parent), SETT_STATUS_REJECTED);
    begins(world, "sett_hierarchy_destroy_children: entity 1:1 has 1 children");
    CHECK_EQ(sett_entity_destroy(world, child), SETT_STATUS_REJECTED);
    begins(world, "sett_entity_destroy: entity 1:1 has 1 children");
    CHECK_EQ(sett_entity_set_range(world, 64, 0), SETT_OK);
    CHECK_EQ(sett_entity_forget(world, child), SETT_STATUS_REJECTED);
    begins(world, "sett_entity_forget: entity 1:1 has 1 children");
    sett_relationship_desc owes = {.name = "Owes", .on_target_destroyed = SETT_CLEANUP_REJECT};
    sett_component link = sett_relationship_register(world, &owes);
    CHECK(sett_relate(world, parent, link, leaf) != NULL);
    CHECK_EQ(sett_entity_destroy_many(world, &leaf, 1), SETT_STATUS_REJECTED);
    begins(world, "sett_entity_destroy_many: a \"Owes\" link with the policy SETT_CLEANUP_REJECT");
    CHECK_END(world);
}

/* A loop that gathers values needs memory. */
static void gathering(void)
{
    static scarce_memory memory;
    sett_world* world = scarce_world(&memory);
    sett_component id[2];
    for (uint32_t k = 0; k < 2; k++) {
        id[k] = sett_component_register(
            world, &(sett_component_desc){
                       .name = k == 0 ? "A" : "B", .size = 64, .storage = SETT_STORAGE_SPARSE_SET});
    }
    sett_entity e[8];
    for (uint32_t k = 0; k < 8; k++) {
        e[k] = sett_entity_create(world);
        CHECK(sett_add(world, e[k], id[0]) != NULL);
    }
    for (uint32_t k = 8; k-- > 0;) {
        CHECK(sett_add(world, e[k], id[1]) != NULL);
    }
    sett_query_desc desc = {.name = "q", .terms = {{.component = id[0]}, {.component = id[1]}}};
    desc.terms[0].access = SETT_INOUT;
    desc.terms[1].access = SETT_INOUT;
    sett_query* query = sett_query_create(world, &desc);
    static unsigned char out[8 * 64];
    CHECK_EQ(sett_query_read(query, 0, out, 8), 8);
    CHECK_EQ(sett_query_count(query), 8);
    scarce_squeeze(&world->pool, &memory, 0);
    memory.strict = true;
    CHECK_EQ(sett_query_read(query, 0, out, 8), 0);
    begins(world, "sett_query_read: ");
    CHECK_EQ(sett_query_write(query, 0, out, 8), 0);
    begins(world, "sett_query_write: ");
    scarce_give_back(&world->pool, &memory);
    CHECK_EQ(sett_query_write(query, 1, out, 8), 8);
    scarce_end(&memory, world);
}

static void wrong_terms(void)
{
    sett_world* world = quiet_world();
    sett_component plain = add_type(world, "Plain", 4);
    sett_query_desc desc = {.name = "q", .terms = {{.component = plain}}};
    desc.terms[0].along = SETT_ID_HIERARCHY;
    CHECK(sett_query_create(world, &desc) == NULL);
    begins(world, "sett_query_create: \"q\": term 0, \"Plain\": `along` is set without `walk`");
    desc = (sett_query_desc){.name = "gap"};
    desc.terms[1].component = plain;
    CHECK(sett_query_create(world, &desc) == NULL);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_UNREGISTERED);
    begins(world, "sett_query_create: \"gap\": term 0: ");
    CHECK_END(world);
}

/* ------------------------------------------------------------------------------------- commands */

static sett_commands* other_buffer;

static void nest(sett_world* world, void* data)
{
    (void)data;
    CHECK_EQ(sett_commands_apply(sett_commands_here(world)), SETT_STATUS_LOCKED);
    contains(
        world,
        "the buffer is being applied already, and new commands are applied with it - leave out");
    sett_commands_clear(sett_commands_here(world));
    contains(world, "sett_commands_clear: the buffer is being applied - make this call after "
                    "sett_commands_apply has returned");
    CHECK_EQ(sett_commands_apply(other_buffer), SETT_STATUS_LOCKED);
    contains(world, "commands are being applied - make this call after sett_commands_apply has");
    sett_snapshot taken;
    CHECK_EQ(sett_snapshot_take(world, &taken), SETT_STATUS_LOCKED);
    contains(world, "sett_snapshot_take: commands are being applied - make this call after");
    CHECK(!sett_is_null(sett_cmd_create(sett_commands_here(world)))); /* of the buffer itself */
    CHECK_EQ(sett_snapshot_take(world, &taken), SETT_STATUS_LOCKED);
    contains(world, "sett_snapshot_take: commands are being applied - make this call after");
    CHECK_EQ(sett_world_destroy(world), SETT_STATUS_LOCKED);
    contains(world, "sett_world_destroy: commands are being applied - make this call after "
                    "sett_commands_apply has returned");
    CHECK_EQ(sett_trace_set(world, NULL), SETT_STATUS_LOCKED);
    contains(world, "sett_trace_set: sett_commands_apply is running - make this call after it");
}

static void commands(void)
{
    sett_world* world = listening_world();
    sett_commands* own = sett_commands_here(world);
    other_buffer = sett_commands_create(world);
    CHECK_EQ(sett_cmd_create_many(own, 2, &(sett_component){999}, 1, NULL, NULL),
             SETT_STATUS_UNREGISTERED);
    hears("sett_cmd_create_many, component 999: the id is not registered");
    CHECK_EQ(sett_name_set(world, sett_entity_create(world), "a"), SETT_OK);
    const sett_component name = SETT_ID_NAME;
    const void* const text = "????????????????";
    CHECK_EQ(sett_cmd_create_many(own, 1, &name, 1, &text, NULL), SETT_STATUS_ARGUMENT);
    hears("sett_cmd_create_many: values of \"Name\" are written by the library - call");
    sett_commands_clear(own);
    CHECK_EQ(sett_cmd_call(own, NULL, NULL, 0), SETT_STATUS_ARGUMENT);
    hears("sett_cmd_call: `fn` is NULL - pass a function");
    static const char megabytes[(2 << 20) + 1];
    CHECK_EQ(sett_cmd_call(own, nest, megabytes, sizeof(megabytes)), SETT_STATUS_ARGUMENT);
    hears("sett_cmd_call: `size` is 2097153 bytes, at most 1048576 fit - keep the data elsewhere");
    CHECK(!sett_is_null(sett_cmd_create(other_buffer)));
    CHECK_EQ(sett_cmd_call(own, nest, NULL, 0), SETT_OK);
    CHECK_EQ(sett_commands_apply(own), SETT_OK);
    CHECK_EQ(sett_commands_apply(other_buffer), SETT_OK);
    CHECK_END(world);
}

/* -------------------------------------------------------------------------------------- systems */

static void misuse_buffers(sett_context* context)
{
    sett_world* world = context->world;
    sett_commands_clear(context->commands);
    hears("sett_commands_clear: system \"misuses\" records into this buffer - make this call "
          "between frames");
    CHECK(sett_is_null(sett_cmd_create(other_buffer)));
    begins(world, "sett_cmd_create: system \"misuses\" is running, and this is not its buffer - "
                  "record into sett_commands_here(world) or context->commands");
    CHECK_EQ(sett_cmd_destroy_with(sett_world_user(world), 1), SETT_STATUS_LOCKED);
    begins(world, "sett_cmd_destroy_with: the world's own buffer is closed while");
    CHECK_EQ(sett_world_destroy(world), SETT_STATUS_LOCKED); /* in an exclusive system, too */
    begins(world, "sett_world_destroy: systems are running - make this call after sett_progress");
}

static void destroy_a_parent(sett_context* context)
{
    sett_world* world = context->world;
    CHECK_EQ(sett_cmd_destroy(context->commands, sett_entity_at(world, 0)), SETT_OK);
}

static void trace_in_system(sett_context* context)
{
    CHECK_EQ(sett_trace_set(context->world, NULL), SETT_STATUS_LOCKED);
    begins(context->world,
           "sett_trace_set: sett_progress_phases is running - make this call after");
}

static void frames(void)
{
    sett_world* world = listening_world();
    CHECK_EQ(add_type(world, "One", 4), 1);
    sett_world_set_user(world, sett_commands_here(world));
    other_buffer = sett_commands_create(world);
    sett_entity parent = sett_entity_create(world);
    CHECK(parent.index == 0 && sett_add(world, parent, 1) != NULL);
    sett_system_desc desc = {.name = "misuses", .run = misuse_buffers, .terms = {{.component = 1}}};
    sett_system* misuses = sett_system_create(world, &desc);
    CHECK_EQ(sett_progress(world, 0), SETT_OK);
    CHECK_EQ(sett_system_destroy(misuses), SETT_OK);
    CHECK_EQ(sett_hierarchy_attach(world, sett_entity_create(world), parent), SETT_OK);
    CHECK_EQ(sett_hierarchy_set_policy(world, parent, SETT_CHILDREN_REJECT), SETT_OK);
    desc.name = "destroys";
    desc.run = destroy_a_parent;
    sett_system* destroys = sett_system_create(world, &desc);
    CHECK_EQ(sett_progress(world, 0), SETT_OK);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_REJECTED);
    begins(world, "sett_progress: ");
    CHECK_EQ(sett_system_destroy(destroys), SETT_OK);
    CHECK_EQ(sett_cmd_destroy(sett_commands_here(world), parent), SETT_OK);
    sett_snapshot taken;
    CHECK_EQ(sett_snapshot_take(world, &taken), SETT_OK);
    begins(world, "sett_snapshot_take: ");
    CHECK_EQ(sett_snapshot_drop(world, taken), SETT_OK);
    CHECK(sett_system_create(world, &(sett_system_desc){.name = "traces",
                                                        .run = trace_in_system,
                                                        .exclusive = true}) != NULL);
    CHECK_EQ(sett_progress_phases(world, 0, INT_MIN, INT_MAX), SETT_OK);
    CHECK_END(world);
}

static void texts(void)
{
    static const char text[] = "{\"entities\": [\n{\"entity\": \"/a\"}\n]}";
    static const char kept[] = "{\"entities\": [{},\n{\"entity\": \"#4294967295:1\"}]}";
    const sett_json_read_desc keeps = {.keep_handles = true};
    sett_world* world = listening_world();
    CHECK_EQ(sett_json_read(world, text, sizeof(text) - 1, NULL, NULL), SETT_OK);
    CHECK_EQ(sett_json_read(world, text, sizeof(text) - 1, NULL, NULL), SETT_STATUS_CONFLICT);
    begins(world, "sett_json_read: line 2, column 17, /a: entity ");
    hears("sett_json_read: line 2, column 17, /a: entity ");
    CHECK(sett_json_read(world, kept, sizeof(kept) - 1, &keeps, NULL) != SETT_OK);
    begins(world, "sett_json_read: line 2, column 12, #4294967295:1: ");
    CHECK(sett_set(world, sett_null(), 1, text) == NULL); /* reported again */
    hears("sett_set, component 1: the handle is null");
    CHECK_END(world);
}

/* A callback cannot change structure, by a text or by a call: each is reported once. */
static void read_in_callback(sett_world* world, sett_entity entity, void* value, void* user)
{
    const sett_component* of_text = user;
    (void)value;
    CHECK_EQ(sett_json_set(world, entity, *of_text, "true", 4), SETT_STATUS_LOCKED);
    CHECK_EQ(sett_remove(world, entity, *of_text), SETT_STATUS_LOCKED);
}

static void a_text_in_a_callback_is_reported_once(void)
{
    sett_world* world = listening_world();
    sett_component a = add_type(world, "a", 4);
    sett_component b = add_type(world, "b", 0);
    CHECK(sett_observer_create(world, &(sett_observer_desc){.name = "reads",
                                                            .component = a,
                                                            .on_add = read_in_callback,
                                                            .user = &b}) != NULL);
    heard_errors = 0;
    CHECK(sett_add(world, sett_entity_create(world), a) != NULL);
#if !defined(NDEBUG)
    CHECK_EQ(heard_errors, 2);
#endif
    CHECK_END(world);
}

TEST_MAIN(TEST(lists_of_entities), TEST(creations), TEST(switches), TEST(single_reports),
          TEST(destructions), TEST(gathering), TEST(wrong_terms), TEST(commands), TEST(frames),
          TEST(texts), TEST(a_text_in_a_callback_is_reported_once))

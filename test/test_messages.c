/* test_messages.c: what messages say where other tests look at the status alone. */
#include "worlds.h"

#include <string.h>

typedef struct Item {
    uint32_t key;
} Item;

/* The call fails, and the message contains the text. */
#define SAYS(world, call, status, text)                                                            \
    do {                                                                                           \
        CHECK_EQ((call), SETT_STATUS_##status);                                                    \
        SAID(world, text);                                                                         \
    } while (0)
#define SAID(world, text)                                                                          \
    CHECK_MSG(strstr(sett_world_message(world), (text)) != NULL, "%s", sett_world_message(world))
#define GIVES_NULL(world, call, text)                                                              \
    do {                                                                                           \
        CHECK((call) == NULL);                                                                     \
        SAID(world, text);                                                                         \
    } while (0)

static sett_component add_type(sett_world* world, const char* name)
{
    sett_component id =
        sett_component_register(world, &(sett_component_desc){.name = name, .size = 4});
    CHECK(id != 0);
    return id;
}

static sett_status import_itself(sett_world* world)
{
    SAYS(world, sett_module_import(world, "self", import_itself), CYCLE, "imports itself");
    return SETT_OK;
}

static void span_ends(void* user, sett_span_kind kind)
{
    (void)user;
    (void)kind;
}

static void worlds_and_entities(void)
{
    sett_world* world = quiet_world();
    GIVES_NULL(world, sett_world_alloc(world, 0, 16), "pass a size above 0");
    SAYS(world, sett_module_import(world, NULL, import_itself), ARGUMENT, "`name` is missing");
    (void)sett_module_import(world, "self", import_itself);
    SAYS(world, sett_trace_set(world, &(sett_trace){.end = span_ends}), ARGUMENT,
         "one of `begin` and `end` is NULL - set both");
    SAYS(world, sett_entity_create_handle(world, (sett_entity){1, 0}), STALE,
         "is not a valid handle");
    SAYS(world, sett_entity_create_handle(world, (sett_entity){UINT32_MAX, 1}), LIMIT,
         "is not below the world's entity_limit");
    sett_entity was = sett_entity_create(world);
    CHECK_EQ(sett_entity_destroy(world, was), SETT_OK);
    SAYS(world, sett_entity_create_handle(world, was), STALE,
         "is used up, the next entity at its index has generation 2");
    sett_entity last = {was.index, 0x7FFFFFFF};
    CHECK_EQ(sett_entity_create_handle(world, last), SETT_OK);
    CHECK_EQ(sett_entity_destroy(world, last), SETT_OK);
    SAYS(world, sett_entity_create_handle(world, last), STALE,
         "has used up its generations - pass another index");
    SAYS(world, sett_entity_set_range(world, 7, 64), ARGUMENT, "at multiples of 64");
    SAYS(world, sett_entity_set_range(world, 128, 64), ARGUMENT,
         "is empty - pass a first index below the end");
    SAYS(world, sett_entity_set_range(world, 0, UINT32_MAX), ARGUMENT,
         "ends too high - lower the end");
    SAID(world, "with an entity_limit of");
    CHECK(sett_is_null(sett_name_ensure(world, sett_null(), "a//b")));
    SAID(world, "the path has an empty name - leave out a slash");
    char path[SETT_NAME_MAX + 2] = "";
    memset(path, 'x', SETT_NAME_MAX + 1);
    CHECK(sett_is_null(sett_name_ensure(world, sett_null(), path)));
    SAID(world, "a name of the path has more than 1000 bytes - shorten it");
    sett_value values[33] = {{0}};
    CHECK(sett_is_null(sett_create_with(world, values, 33)));
    SAID(world, "add the others by sett_set");
    CHECK(!sett_is_null(sett_singletons(world)));
    CHECK(sett_add(world, sett_entity_create(world), SETT_ID_SINGLETONS) == NULL);
    SAID(world, ", to the entity that has the singletons - call sett_singletons");
    CHECK_END(world);
}

static void components(void)
{
    sett_world* world = quiet_world();
    sett_component first = add_type(world, "First");
    SAYS(world, sett_component_bind(world, 0, first), ARGUMENT,
         "is reserved - pass another than 0 and UINT64_MAX");
    CHECK_EQ(sett_component_bind(world, 77, first), SETT_OK);
    sett_component second = add_type(world, "Second");
    SAYS(world, sett_component_bind(world, 77, second), CONFLICT, "is bound to \"First\" already");
    const char* names[2] = {"", "First"};
    sett_component_desc renamed = {.name = "Third", .old_names = names, .old_name_count = 1};
    CHECK_EQ(sett_component_register(world, &renamed), 0);
    SAID(world, "`old_names` contains");
    renamed.old_names++;
    CHECK_EQ(sett_component_register(world, &renamed), 0);
    SAID(world, "`old_names` contains \"First\"");
    names[1] = "Third";
    CHECK_EQ(sett_component_register(world, &renamed), 0);
    SAID(world, "the present name");
    names[1] = "Stale";
    CHECK(sett_component_register(world, &renamed) != 0);
    CHECK_EQ(sett_component_register(world, &(sett_component_desc){.name = "Stale"}), 0);
    SAID(world, "is a former name of type");
    sett_component owes =
        sett_relationship_register(world, &(sett_relationship_desc){.name = "Owes"});
    sett_component_desc needs = {.name = "Fourth", .required = &owes, .required_count = 1};
    CHECK_EQ(sett_component_register(world, &needs), 0);
    SAID(world, "cannot require the relationship \"Owes\"");
    sett_relationship_desc other = {.name = "Owes", .acyclic = true};
    CHECK_EQ(sett_relationship_register(world, &other), 0);
    SAID(world, "is registered already, with other options");
    other.name = "First";
    CHECK_EQ(sett_relationship_register(world, &other), 0);
    SAID(world, "is registered already, as a component");
    SAYS(world, sett_component_unregister(world, owes), ARGUMENT,
         "is a relationship, which cannot be unregistered");
    SAYS(world, sett_component_unregister(world, sett_disabled_tag(world)), ARGUMENT,
         "cannot be unregistered, because the library uses it");
    sett_component needing = sett_component_register(
        world, &(sett_component_desc){.name = "Needs", .required = &first, .required_count = 1});
    SAYS(world, sett_component_unregister(world, first), CONFLICT,
         "\"First\" is required by component \"Needs\" - unregister that one first");
    CHECK_EQ(sett_component_unregister(world, needing), SETT_OK);
    sett_query* query =
        sett_query_create(world, &(sett_query_desc){.name = "q", .terms = {{.component = first}}});
    SAYS(world, sett_component_unregister(world, first), CONFLICT, "is used by query \"q\"");
    SAID(world, "destroy the user first");
    sett_query_desc along_nothing = {
        .terms = {{.component = first, .walk = SETT_WALK_UP, .along = 9999}}};
    CHECK(sett_query_create(world, &along_nothing) == NULL);
    SAID(world, "\"First(up)\"");
    sett_world* other_world = quiet_world();
    CHECK(sett_component_register(other_world, &(sett_component_desc){.name = "First"}) != 0);
    SAYS(other_world, sett_world_clone(world, other_world), CONFLICT,
         "register it with the same options in both");
    CHECK_END(other_world);
    sett_query_destroy(query);
    CHECK_END(world);
}

static void see(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)world;
    (void)entity;
    (void)value;
    (void)user;
}

static void see_any(sett_world* world, sett_entity entity, sett_component component,
                    sett_change change, void* value, void* user)
{
    (void)component;
    (void)change;
    see(world, entity, value, user);
}

static bool write_nothing(void* user, const char* text, size_t size)
{
    (void)user;
    (void)text;
    return size == 0;
}

static void groups_sorts_and_observers(void)
{
    sett_world* world = quiet_world();
    sett_component a = add_type(world, "A");
    sett_component b = add_type(world, "B");
    sett_component kept = sett_component_register(
        world, &(sett_component_desc){.name = "Kept", .size = 4, .keep_order = true});
    GIVES_NULL(world, sett_group_create(world, &(sett_group_desc){.owned = {kept}}),
               "keeps its order (keep_order), so no group can own it");
    GIVES_NULL(world, sett_group_create(world, &(sett_group_desc){.name = "none"}),
               "has no types in `owned` and `with` - list one there");
    sett_group* group =
        sett_group_create(world, &(sett_group_desc){.name = "g", .owned = {a}, .with = {b}});
    CHECK(group != NULL);
    SAYS(world, sett_component_convert(world, a, SETT_STORAGE_ARRAY), CONFLICT,
         "is owned by group \"g\"");
    sett_sort_desc sort = {.component = a, .key = SETT_KEY_U32};
    SAYS(world, sett_sort(world, &sort), CONFLICT, "is owned by group \"g\"");
    sort.group = group;
    sort.component = kept;
    SAYS(world, sett_sort(world, &sort), ARGUMENT, "\"g\" does not have the component");
    sort.group = sett_group_create(world, &(sett_group_desc){.name = "h", .with = {b}});
    sort.component = b;
    SAYS(world, sett_sort(world, &sort), ARGUMENT,
         "\"h\" owns no component, so it has no order - list the components to be sorted in "
         "`owned`");
    sett_observer_desc any = {.name = "any", .on_any = see_any, .component = b};
    GIVES_NULL(world, sett_observer_create(world, &any),
               "`on_any` observes every component - "
               "leave out `component`, `replay` and "
               "other callbacks");
    sett_observer_desc late = {.name = "late", .on_remove = see, .component = b, .replay = true};
    GIVES_NULL(world, sett_observer_create(world, &late),
               "`replay` needs on_add or on_enter - set one");
    CHECK_EQ(sett_group_destroy(group), SETT_OK);
    CHECK_END(world);
}

static void set_in_system(sett_context* context)
{
    sett_world* world = context->world;
    sett_component watched = sett_component_find(world, "Watched");
    const uint32_t one = 1;
    CHECK(sett_set(world, sett_entity_next(world, &(uint32_t){0}), watched, &one) == NULL);
    SAID(world, "has on_set callbacks, which cannot run inside system \"sets\"");
}

static void configure_in_system(sett_context* context)
{
    sett_world* world = context->world;
    SAYS(world, sett_schedule_configure(world, &(sett_schedule_desc){.job_limit = 2}), LOCKED,
         "systems are running - make this call after sett_progress has returned");
}

static void finish_nothing(void* handle, void* user)
{
    (void)handle;
    (void)user;
}

static void systems(void)
{
    sett_world* world = quiet_world();
    sett_schedule_desc half = {.tasks.enqueue = NULL, .job_limit = 1000};
    SAYS(world, sett_schedule_configure(world, &half), ARGUMENT,
         "`job_limit` is 1000 - pass at most 64");
    half = (sett_schedule_desc){.tasks.finish = finish_nothing};
    SAYS(world, sett_schedule_configure(world, &half), ARGUMENT,
         "`tasks` has only one of `enqueue` and `finish` - set both");
    sett_system_desc desc = {.name = "slow", .run = set_in_system, .fixed_step = .5f};
    sett_system* slow = sett_system_create(world, &desc);
    desc.name = "fast";
    desc.fixed_step = .25f;
    sett_system* fast = sett_system_create(world, &desc);
    desc.name = "early";
    desc.fixed_step = 0;
    desc.phase = -1000;
    sett_system* early = sett_system_create(world, &desc);
    desc.name = "late";
    desc.phase = 1000;
    sett_system* late = sett_system_create(world, &desc);
    CHECK(slow != NULL && fast != NULL && early != NULL && late != NULL);
    SAYS(world, sett_system_order(slow, fast), CONFLICT, "their fixed steps are 0.5 and 0.25");
    SAYS(world, sett_system_order(slow, early), CONFLICT, "and fixed steps run after phase");
    SAYS(world, sett_system_order(late, early), CONFLICT,
         "their phases are 1000 and -1000 - set the same `phase`");
    CHECK_EQ(sett_system_destroy(slow), SETT_OK);
    CHECK_EQ(sett_system_destroy(fast), SETT_OK);
    CHECK_EQ(sett_system_destroy(early), SETT_OK);
    CHECK_EQ(sett_system_destroy(late), SETT_OK);
    sett_component watched = add_type(world, "Watched");
    CHECK(sett_add(world, sett_entity_create(world), watched) != NULL);
    CHECK(sett_observer_create(
              world, &(sett_observer_desc){.name = "o", .component = watched, .on_set = see}) !=
          NULL);
    CHECK(sett_system_create(world, &(sett_system_desc){.name = "sets",
                                                        .run = set_in_system,
                                                        .terms = {{.component = watched}}}) !=
          NULL);
    sett_system_desc alone = {.name = "alone", .run = configure_in_system, .exclusive = true};
    CHECK(sett_system_create(world, &alone) != NULL);
    CHECK_EQ(sett_progress(world, 0), SETT_OK);
    CHECK_END(world);
}

static void relations(void)
{
    sett_world* world = quiet_world();

    sett_entity root = sett_entity_create(world);
    sett_entity child = sett_entity_create(world);
    CHECK_EQ(sett_hierarchy_attach(world, child, root), SETT_OK);
    SAYS(world, sett_hierarchy_insert_before(world, child, child), ARGUMENT,
         "cannot be its own sibling");
    SAYS(world, sett_hierarchy_insert_before(world, child, root), ARGUMENT,
         "has no parent, so it has no siblings");
    SAYS(world, sett_hierarchy_order(world, child, &root, 1), ARGUMENT, "is not a child of");
    (void)sett_hierarchy_set_scope(world, root);
    CHECK_EQ(sett_entity_destroy(world, root), SETT_OK);
    CHECK(sett_is_null(sett_entity_create(world)));
    SAID(world, ", the scope of new entities, is not alive - set another one with "
                "sett_hierarchy_set_scope");
    (void)sett_hierarchy_set_scope(world, sett_null());
    sett_entity prefab = sett_entity_create(world);
    CHECK_EQ(sett_prefab_make(world, prefab), SETT_OK);
    sett_entity inner = sett_entity_create(world);
    CHECK_EQ(sett_hierarchy_attach(world, inner, prefab), SETT_OK);
    sett_world* other = quiet_world();
    sett_component only = add_type(world, "Only");
    CHECK(sett_add(world, inner, only) != NULL);
    CHECK(sett_is_null(sett_duplicate(world, inner, &(sett_duplicate_desc){.to = other})));
    SAID(other, "is not registered in the world that receives copies - register it there");
    CHECK(sett_component_register(other, &(sett_component_desc){.name = "Only", .size = 9}) != 0);
    CHECK(sett_is_null(sett_duplicate(world, inner, &(sett_duplicate_desc){.to = other})));
    SAID(other, "differs in the world that receives copies: size ");
    sett_instantiate_desc with = {.prefab = prefab, .bases = &inner, .base_count = 1};
    CHECK(sett_is_null(sett_instantiate_with(world, &with)));
    SAID(world, "would be copied twice, because two of the prefabs contain it");
    CHECK_EQ(sett_name_set(world, prefab, "crane"), SETT_OK);
    with = (sett_instantiate_desc){.prefab = prefab, .name = "crane"};
    CHECK(sett_is_null(sett_instantiate_with(world, &with)));
    SAID(world, "a new entity cannot have the name");
    const sett_value name = {.component = SETT_ID_NAME};
    with = (sett_instantiate_desc){.prefab = prefab, .values = &name, .value_count = 1};
    CHECK(sett_is_null(sett_instantiate_with(world, &with)));
    SAID(world, "are written by the library - leave them out of `values`");
    CHECK_END(other);
    sett_world* huge = sett_world_create(
        &(sett_world_desc){.log_fn = sett_log_silent, .entity_limit = 0x80000000u});
    CHECK_EQ(sett_hierarchy_register(huge, NULL), 0);
    SAID(huge, "the entity_limit is 2^31 or more - lower it");
    CHECK_END(huge);
    CHECK_END(world);
}

static void searches(void)
{
    sett_world* world = quiet_world();
    sett_component item = sett_component_register(
        world,
        &(sett_component_desc){.name = "Item", .size = 4, .members = SETT_STRUCT(Item, key)});
    CHECK(item != 0);
    GIVES_NULL(world, sett_search_create_desc(world, &(sett_search_desc){.term_count = 0}),
               "the search has 0 terms");
    sett_search* search = sett_search_create(world, "Item, ?(Item)");
    if (search == NULL) {
        search = sett_search_create(world, "Item");
    }
    SAYS(world, sett_search_bind(search, 77, sett_null()), ARGUMENT,
         "does not exist - pass a number that sett_search_variable returns");
    CHECK(sett_relationship_register(world, &(sett_relationship_desc){.name = "Near"}) != 0);
    sett_search* near = sett_search_create(world, "Item, ?Near($this, $other)");
    SAYS(world, sett_search_bind(near, sett_search_variable(near, "other"), sett_null()), ARGUMENT,
         "is optional - bind another");
    CHECK_EQ(sett_search_destroy(near), SETT_OK);
    sett_lookup* lookup = sett_lookup_create(world, item, "key");
    CHECK(lookup != NULL);
    CHECK_EQ(sett_lookup_range(lookup, NULL, NULL, 0, NULL, 0), 0);
    SAID(world, "create it by sett_lookup_create_ordered");
    char text[8192] = "Item";
    for (uint32_t k = 0; k < 600; k++) {
        strcat(text, ", Item");
    }
    GIVES_NULL(world, sett_search_create(world, text), "the query has more than");
    memset(text, 0, sizeof(text));
    for (uint32_t k = 0; k < 100; k++) {
        strcat(text, "{");
    }
    GIVES_NULL(world, sett_search_create(world, text), "lists are nested more than");
    CHECK_EQ(sett_lookup_destroy(lookup), SETT_OK);
    CHECK_EQ(sett_search_destroy(search), SETT_OK);
    CHECK_END(world);
}

static void states(void)
{
    static const unsigned char noise[64] = {1, 2, 3};
    sett_world* world = quiet_world();
    SAYS(world, sett_delta_apply(world, noise, sizeof(noise)), INVALID,
         "these bytes are not a delta - pass what sett_delta_encode wrote");
    SAYS(world, sett_selection_apply(world, noise, sizeof(noise), NULL), INVALID,
         "these bytes are not a selection - pass what sett_selection_encode wrote");
    size_t sent;
    CHECK_EQ(sett_delta_types(world, NULL, 0, NULL, 0, &sent), SETT_OK);
    unsigned char* table = malloc(sent);
    CHECK_EQ(sett_delta_types(world, NULL, 0, table, sent, &sent), SETT_OK);
    SAYS(world, sett_delta_shorten(world, table, sent, noise, sizeof(noise), NULL, 0, &sent),
         INVALID, "these bytes are not a whole delta or selection of this version");
    free(table);
    sett_world* low =
        sett_world_create(&(sett_world_desc){.log_fn = sett_log_silent, .entity_limit = 64});
    CHECK(!sett_is_null(sett_entity_create(world)));
    sett_entity high = {.index = 100, .generation = 1};
    CHECK_EQ(sett_entity_create_handle(world, high), SETT_OK);
    SAYS(low, sett_world_clone(world, low), LIMIT,
         "`from` has entity indices beyond the entity_limit of `into`, 64");
    CHECK_END(low);
    CHECK_EQ(sett_entity_destroy(world, high), SETT_OK);
    GIVES_NULL(world, sett_undo_create(world, NULL),
               "no component is registered - register a component");
    sett_component type = add_type(world, "Type");
    sett_query* query =
        sett_query_create(world, &(sett_query_desc){.terms = {{.component = type}}});
    sett_entity entity = sett_entity_create(world);
    sett_selection both = {.entities = &entity, .entity_count = 1, .query = query};
    size_t size;
    SAYS(world, sett_selection_encode(world, &both, (sett_snapshot){0, 0}, NULL, 0, &size),
         ARGUMENT, "`entities` and `query` of a selection are both set");
    sett_undo* undo = sett_undo_create(world, NULL);
    CHECK(undo != NULL);
    SAYS(world, sett_undo_go(undo, 99), ARGUMENT,
         "does not exist - pass one that sett_undo_next "
         "lists");
    CHECK_EQ(sett_undo_destroy(undo), SETT_OK);
    sett_component_desc cloned = {.name = "Cloned", .size = 4, .save = SETT_SAVE_CLONE};
    CHECK(sett_component_register(world, &cloned) != 0);
    sett_snapshot taken;
    CHECK(sett_snapshot_take(world, &taken) != SETT_OK);
    SAID(world, "has SETT_SAVE_CLONE, but no `copy` hook");
    CHECK_END(world);
}

static void files(void)
{
    sett_world* world = quiet_world();
    SAYS(world, sett_world_save(world, NULL), ARGUMENT, "`path` is NULL - pass");
    SAYS(world, sett_world_load(world, "nowhere/to be/found"), FILE,
         "cannot be opened - check that it exists");
    SAYS(world, sett_world_save(world, "nowhere/to be/found"), FILE,
         "check that its folder exists");
    sett_file_desc large = {.user_block = "", .user_size = (size_t)17 << 20};
    SAYS(world, sett_world_save_with(world, "unused", &large), ARGUMENT, "at most 16 MB fit");
    static const struct {
        const char *text, *part;
    } texts[] = {{"{\"\\x\":1}", "unknown escape - use one of JSON, such as \\n or \\u0001"},
                 {"{\"\\ud800\":1}", "half of a surrogate pair is missing - add it"},
                 {"{\"\xff\":1}", "not valid UTF-8"},
                 {"{\"\n\":1}", "a string has a control character - escape it, as in \\n"}};
    for (size_t k = 0; k < sizeof(texts) / sizeof(texts[0]); k++) {
        SAYS(world, sett_json_read(world, texts[k].text, strlen(texts[k].text), NULL, NULL),
             INVALID, texts[k].part);
    }
    SAYS(world, sett_json_write(world, NULL, write_nothing, NULL), REJECTED,
         "`fn` returned false, so the text is incomplete");
    sett_flight* flight = sett_flight_create(world, NULL);
    CHECK(flight != NULL);
    SAYS(world, sett_flight_write(flight, 1, 1, "", 0), ARGUMENT, "kind 1 is not for programs");
    sett_flight_destroy(flight);
    CHECK_END(world);
}

TEST_MAIN(TEST(worlds_and_entities), TEST(components), TEST(groups_sorts_and_observers),
          TEST(systems), TEST(relations), TEST(searches), TEST(states), TEST(files))

/* test_messages.c: what messages say where other tests look at the status alone. */
#include "sett/queue.h"
#include "sett/random.h"
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
         "is used up, and the next entity at its index has generation 2 - pass that "
         "generation");
    sett_entity last = {was.index, 0x7FFFFFFF};
    CHECK_EQ(sett_entity_create_handle(world, last), SETT_OK);
    CHECK_EQ(sett_entity_destroy(world, last), SETT_OK);
    SAYS(world, sett_entity_create_handle(world, last), STALE,
         "has used up its generations - pass another index");
    SAYS(world, sett_entity_set_range(world, 7, 64), ARGUMENT, "at multiples of 64");
    SAYS(world, sett_entity_set_range(world, 128, 64), ARGUMENT,
         "is empty - pass a first index below the end");
    SAYS(world, sett_entity_set_range(world, 0, UINT32_MAX), ARGUMENT,
         "ends above that limit - lower the end");
    SAID(world, "with an entity_limit of");
    CHECK(sett_is_null(sett_name_ensure(world, sett_null(), "a//b")));
    SAID(world, "the path \"a//b\" has an empty name - write a name, or leave out the slash");
    char path[SETT_NAME_MAX + 2] = "";
    memset(path, 'x', SETT_NAME_MAX + 1);
    CHECK(sett_is_null(sett_name_ensure(world, sett_null(), path)));
    SAID(world, "has a name of more than 1000 bytes - shorten the name");
    sett_value values[33] = {{0}};
    CHECK(sett_is_null(sett_create_with(world, values, 33)));
    SAID(world, "add the others by sett_set");
    CHECK(!sett_is_null(sett_singletons(world)));
    CHECK(sett_add(world, sett_entity_create(world), SETT_ID_SINGLETONS) == NULL);
    SAID(world, "marks the entity of the singletons, and only the library adds it - call "
                "sett_singletons to get that entity");
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
    SAID(world, "cannot require \"Owes\", which belongs to a relationship: only links add it");
    sett_component sources = sett_relationship_sources(world, owes);
    needs.required = &sources;
    CHECK_EQ(sett_component_register(world, &needs), 0);
    SAID(world, "cannot require \"Owes sources\", which belongs to a relationship: only links");
    SAYS(world, sett_component_unregister(world, sources), ARGUMENT,
         "\"Owes sources\" belongs to a relationship, which cannot be unregistered");
    sett_relationship_desc other = {.name = "Owes", .acyclic = true};
    CHECK_EQ(sett_relationship_register(world, &other), 0);
    SAID(world, "is registered already, with other options");
    other.name = "First";
    CHECK_EQ(sett_relationship_register(world, &other), 0);
    SAID(world, "is registered already, as a component");
    CHECK(sett_component_register(world, &(sett_component_desc){.name = "Eats sources"}) != 0);
    other.name = "Eats";
    CHECK_EQ(sett_relationship_register(world, &other), 0);
    SAID(world,
         "sett_relationship_register: relationship \"Eats\" cannot have its component \"Eats "
         "sources\"");
    SAYS(world, sett_component_unregister(world, owes), ARGUMENT,
         "belongs to a relationship, which cannot be unregistered");
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
    SAID(world, "destroy that query first");
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
    SAYS(world, sett_sort(world, &sort), ARGUMENT,
         "\"Kept\" is in neither `owned` nor `with` of group \"g\" - set "
         "`component` to one that is");
    sort.group = sett_group_create(world, &(sett_group_desc){.name = "h", .with = {b}});
    sort.component = b;
    SAYS(world, sett_sort(world, &sort), ARGUMENT,
         "\"h\" owns no component, so it has no order of its own - create it with the sorted "
         "components in `owned`");
    sett_observer_desc any = {.name = "any", .on_any = see_any, .component = b};
    GIVES_NULL(world, sett_observer_create(world, &any),
               "`on_any` observes every component - "
               "leave out `component`, `replay` and "
               "other callbacks");
    sett_observer_desc late = {.name = "late", .on_remove = see, .component = b, .replay = true};
    GIVES_NULL(world, sett_observer_create(world, &late),
               "`replay` is set without on_add - set on_add, or leave out `replay`");
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
    SAYS(world, sett_system_order(slow, fast), CONFLICT,
         "system \"slow\" with fixed steps of 0.5 seconds cannot run before \"fast\" with steps of "
         "0.25 seconds - set the same `fixed_step`, or remove the order");
    SAYS(world, sett_system_order(slow, early), CONFLICT,
         "because fixed steps run at the end of phase -50 - set the `phase` of \"early\", now "
         "-1000, above that");
    SAYS(world, sett_system_order(late, early), CONFLICT,
         "system \"late\" of phase 1000 cannot run before \"early\" of phase -1000 - set the same "
         "`phase`, or remove the order");
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
    SAID(world, ", the scope of new entities, is not alive - set another scope with "
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
    SAID(world, "a new entity cannot be called \"crane\": sibling");
    const sett_value name = {.component = SETT_ID_NAME};
    with = (sett_instantiate_desc){.prefab = prefab, .values = &name, .value_count = 1};
    CHECK(sett_is_null(sett_instantiate_with(world, &with)));
    SAID(world, "are written by the library - leave them out of `values`");
    CHECK_END(other);
    sett_world* huge = sett_world_create(
        &(sett_world_desc){.log_fn = sett_log_silent, .entity_limit = 0x80000000u});
    CHECK_EQ(sett_hierarchy_register(huge, NULL), 0);
    SAID(huge, "the world's entity_limit is 2^31 or more - create the world with a lower one");
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
               "search \"search\" has 0 terms - pass 1 to 64");
    sett_search* search = sett_search_create(world, "Item, ?(Item)");
    if (search == NULL) {
        search = sett_search_create(world, "Item");
    }
    SAYS(world, sett_search_bind(search, 77, sett_null()), ARGUMENT,
         "variable 77 of search \"Item\" does not exist - pass a number below "
         "sett_search_variable_count");
    CHECK(sett_relationship_register(world, &(sett_relationship_desc){.name = "Near"}) != 0);
    sett_search* near = sett_search_create(world, "Item, ?Near($this, $other)");
    SAYS(world, sett_search_bind(near, sett_search_variable(near, "other"), sett_null()), ARGUMENT,
         "variable \"other\" of search \"Item, ?Near($this, $other)\" is optional - bind another "
         "variable");
    CHECK_EQ(sett_search_destroy(near), SETT_OK);
    sett_lookup* lookup = sett_lookup_create(world, item, "key");
    CHECK(lookup != NULL);
    CHECK_EQ(sett_lookup_range(lookup, NULL, NULL, 0, NULL, 0), 0);
    SAID(world, "create it with sett_lookup_create_ordered");
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
         "`from` has tables for 1024 entity indices, more than the entity_limit of `into`, 64");
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
    } texts[] = {
        {"{\"\\x\":1}", "unknown escape - write \\\\ for a backslash"},
        {"{\"\\u00g0\":1}", "\\u needs four hexadecimal digits - write them, as in \\u0041"},
        {"{\"\\ud800\":1}", "half of a surrogate pair is missing - write both halves"},
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

/* The message begins with the text: the call that the program made, and what is wrong. */
#define BEGINS(world, text)                                                                        \
    CHECK_MSG(strncmp(sett_world_message(world), (text), strlen(text)) == 0, "%s",                 \
              sett_world_message(world))
#define FAILS(world, call, status, text)                                                           \
    do {                                                                                           \
        (void)(call);                                                                              \
        CHECK_EQ(sett_world_error(world), SETT_STATUS_##status);                                   \
        BEGINS(world, text);                                                                       \
    } while (0)

/* What a search registers by itself can fail: the status and the reason stay. */
static void registrations_inside(void)
{
    sett_world* world = quiet_world();
    sett_component item = add_type(world, "Item");
    sett_query* query =
        sett_query_create(world, &(sett_query_desc){.terms = {{.component = item}}});
    sett_batch batch;
    CHECK(sett_query_begin(query, &batch) != NULL);
    static const char* const texts[] = {"Item(parent)",       "Item, ChildOf($this, _)",
                                        "Item, Prefab",       "Item($this|prefab)",
                                        ".name == \"x\"",     "Item cascade",
                                        "Item order_by .name"};
    for (size_t k = 0; k < sizeof(texts) / sizeof(texts[0]); k++) {
        CHECK(sett_search_create(world, texts[k]) == NULL);
        CHECK_EQ(sett_world_error(world), SETT_STATUS_LOCKED);
        SAID(world, ": a loop over query \"Item\" is open - make this call after");
    }
    sett_ordered_desc orders[] = {{.query = query, .cascade = true},
                                  {.query = query, .group_by = SETT_ID_HIERARCHY},
                                  {.text = "Item cascade"},
                                  {.text = "Item order_by .name"}};
    for (size_t k = 0; k < sizeof(orders) / sizeof(orders[0]); k++) {
        CHECK(sett_ordered_create(world, &orders[k]) == NULL);
        CHECK_EQ(sett_world_error(world), SETT_STATUS_LOCKED);
        SAID(world, ": a loop over query \"Item\" is open - make this call after");
    }
    FAILS(world, sett_singleton_set(world, item, &(uint32_t){1}), LOCKED,
          "sett_singleton_set: there is no singleton \"Item\" yet, and a loop or a callback cannot "
          "add one - call sett_singleton_ensure earlier");
    sett_batch_end(&batch);
    CHECK_END(world);
    sett_world* huge = sett_world_create(
        &(sett_world_desc){.log_fn = sett_log_silent, .entity_limit = 0x80000000u});
    CHECK(add_type(huge, "Item") != 0 && sett_search_create(huge, "Item(parent)") == NULL);
    CHECK_EQ(sett_world_error(huge), SETT_STATUS_LIMIT);
    SAID(huge, "the world's entity_limit is 2^31 or more - create the world with a lower one");
    CHECK_END(huge);
}

static void read_in_system(sett_context* context)
{
    sett_world* world = context->world;
    sett_query* query = context->user;
    sett_component item = sett_component_find(world, "Item");
    sett_entity out[2];
    uint32_t values[2];
    CHECK_EQ(sett_query_read(query, 0, values, 2), 0);
    BEGINS(world, "sett_query_read: system \"reads\" is running - make this call between frames");
    CHECK_EQ(sett_query_write(query, 0, values, 2), 0);
    BEGINS(world, "sett_query_write: system \"reads\" is running");
    CHECK_EQ(sett_random_shuffle(query, 1, 1, 1, out, 2), 0);
    BEGINS(world, "sett_random_shuffle: system \"reads\" is running");
    sett_batch batch;
    CHECK(sett_query_begin(query, &batch) == NULL);
    BEGINS(world, "sett_query_begin: query \"Item\": system \"reads\" is running");
    CHECK(sett_singleton_set(world, item, values) == NULL);
    BEGINS(world, "sett_singleton_set: there is no singleton \"Item\" yet, and system \"reads\" "
                  "cannot add one - call sett_singleton_ensure before the frame");
}

/* Many functions call others. Messages name the one that the program has called. */
static void calls_of_the_program(void)
{
    sett_world* world = quiet_world();
    sett_component item = add_type(world, "Item");
    sett_query* query = sett_query_create(
        world, &(sett_query_desc){.terms = {{.component = item, .access = SETT_INOUT}}});
    sett_entity root = sett_entity_create(world);
    sett_entity child = sett_entity_create(world);
    sett_entity grandchild = sett_entity_create(world);
    CHECK(sett_add(world, root, item) != NULL);
    CHECK_EQ(sett_hierarchy_attach(world, child, root), SETT_OK);
    CHECK_EQ(sett_hierarchy_attach(world, grandchild, child), SETT_OK);
    CHECK_EQ(sett_hierarchy_set_policy(world, child, SETT_CHILDREN_REJECT), SETT_OK);
    FAILS(world, sett_entity_destroy(world, root), REJECTED,
          "sett_entity_destroy: entity 1:1 has 1 children, and the policy SETT_CHILDREN_REJECT");
    FAILS(world, sett_hierarchy_set_policy(world, root, (sett_children_policy)9), ARGUMENT,
          "sett_hierarchy_set_policy: `policy` has an unknown value - use SETT_CHILDREN_DEFAULT, "
          "_DESTROY, _DETACH or _REJECT");
    sett_system_desc desc = {.name = "s", .terms = {{.component = item}, {.component = item}}};
    FAILS(world, sett_system_create(world, &desc), ARGUMENT,
          "sett_system_create: query \"s\": \"Item\" is written by two terms");
    FAILS(world, sett_event_send(world, root, SETT_ROUTE_ENTITY, 999, NULL), UNREGISTERED,
          "sett_event_send, entity 0:1, component 999: the id is not registered");
    FAILS(world, sett_relate(world, root, item, child), ARGUMENT, "sett_relate: component");
    SAID(world, "\"Item\" is not a relationship - pass one that sett_relationship_register has");
    sett_component in =
        sett_relationship_register(world, &(sett_relationship_desc){.name = "In", .acyclic = true});
    FAILS(world, sett_relate(world, root, in, root), CYCLE,
          "sett_relate: a \"In\" link from entity 0:1 to 0:1 would form a cycle - choose another "
          "target, or first remove another link");
    FAILS(world, sett_name_ensure(world, sett_null(), "."), ARGUMENT,
          "sett_name_ensure: the name \".\" has a meaning of its own in paths");
    sett_system* reads = sett_system_create(world, &(sett_system_desc){.name = "reads",
                                                                       .run = read_in_system,
                                                                       .user = query,
                                                                       .access_any_inout = {item}});
    CHECK(reads != NULL && !sett_is_null(sett_singletons(world)));
    FAILS(world, sett_system_run_with(reads, -1, NULL), ARGUMENT,
          "sett_system_run_with: `dt` is -1 - pass a finite number of seconds, 0 or more");
    CHECK_EQ(sett_system_run(reads, 1), SETT_OK);
    CHECK_EQ(sett_world_clear(world), SETT_OK); /* no entity rejects, and no message says so */
    BEGINS(world, "sett_singleton_set: there is no singleton");
    CHECK_END(world);
}

static char heard[sizeof(((sett_failure*)NULL)->message)];

static void hear(void* user, sett_log_level level, const char* message)
{
    (void)user;
    (void)level;
    snprintf(heard, sizeof(heard), "%s", message);
}

/* A misuse that debug builds of the library report. */
#if defined(NDEBUG)
#define HEARD(text) CHECK_STR_EQ(heard, "")
#else
#define HEARD(text) CHECK_MSG(strstr(heard, (text)) != NULL, "%s", heard)
#endif

static void leave_loop(sett_context* c)
{
    sett_batch batch;
    CHECK(sett_context_begin(c, &batch) != NULL && sett_batch_next(&batch));
}

static void loops_left_open(void)
{
    sett_world* world = sett_world_create(&(sett_world_desc){.log_fn = hear});
    sett_component item = add_type(world, "Item");
    sett_component rare = sett_component_register(
        world,
        &(sett_component_desc){.name = "Rare", .size = 4, .storage = SETT_STORAGE_SPARSE_SET});
    for (uint32_t k = 0; k < 100; k++) {
        sett_entity entity = sett_entity_create(world);
        CHECK(sett_add(world, entity, item) != NULL && sett_add(world, entity, rare) != NULL);
    }
    sett_system_desc desc = {.name = "leaves", .run = leave_loop, .exclusive = true};
    desc.terms[0].component = item;
    desc.terms[1].component = rare;
    CHECK_EQ(sett_system_run(sett_system_create(world, &desc), 1), SETT_OK);
    HEARD("sett_system_run: system \"leaves\" has not ended a loop, so values may be lost - call "
          "sett_batch_end or sett_search_end before leaving the loop");
    heard[0] = '\0';
    desc.name = "jobs";
    desc.run = leave_loop;
    desc.exclusive = false;
    CHECK_EQ(sett_system_run(sett_system_create(world, &desc), 1), SETT_OK);
    HEARD("sett_system_run: system \"jobs\" has not ended a loop, so values may be lost");
    CHECK_EQ(sett_schedule_configure(world, &(sett_schedule_desc){.fixed_step = -1}),
             SETT_STATUS_ARGUMENT);
    SAID(world, "sett_schedule_configure: `fixed_step` is -1 - pass seconds, 0 or more");
    sett_world_destroy(world);
}

static void terms_of_batches(void)
{
    sett_world* world = sett_world_create(&(sett_world_desc){.log_fn = hear});
    sett_component item = add_type(world, "Item");
    CHECK(sett_add(world, sett_entity_create(world), item) != NULL);
    sett_query* query =
        sett_query_create(world, &(sett_query_desc){.name = "items",
                                                    .terms = {{.component = item},
                                                              {.component = item,
                                                               .access = SETT_IN,
                                                               .kind = SETT_OPTIONAL,
                                                               .walk = SETT_WALK_ONE}}});
    sett_batch batch;
    CHECK(sett_query_begin(query, &batch) != NULL && sett_batch_next(&batch));
    heard[0] = '\0';
    CHECK(sett_batch_at(&batch, 1, 0) == NULL);
    HEARD(
        "sett_batch_at: query \"items\" has no term 1 about the visited entity - pass such a term, "
        "or call sett_batch_from");
    CHECK(sett_batch_from(&batch, 2, 0) == NULL);
    HEARD("sett_batch_from: term 2 of query \"items\" does not exist - pass the number of a term");
    CHECK(sett_is_null(sett_batch_source(&batch, 0, 0)));
    HEARD("sett_batch_source: term 0 of query \"items\" is about the visited entity itself - use "
          "sett_batch_entity");
    heard[0] = '\0';
    CHECK(sett_is_null(sett_find_up(world, sett_null(), item, item)));
    CHECK_STR_EQ(heard, "");
    CHECK(sett_batch_part(&batch, 4, 3) == &batch);
    HEARD(
        "sett_batch_part: query \"items\": `part` is 4, and `parts` is 3 - pass 1 or more `parts`, "
        "and a `part` below `parts`");
    sett_batch_end(&batch);
    sett_world_destroy(world);
}

TEST_MAIN(TEST(loops_left_open), TEST(terms_of_batches), TEST(registrations_inside),
          TEST(calls_of_the_program), TEST(worlds_and_entities), TEST(components),
          TEST(groups_sorts_and_observers), TEST(systems), TEST(relations), TEST(searches),
          TEST(states), TEST(files))

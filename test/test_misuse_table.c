/* test_misuse_table.c: a table of misuses. Each is done to a world of its own; the call has to fail
 * as documented and to leave a sound world, in every build, and a debug build has to report it.
 *
 * The reports make a page, docs/misuse.md, which has to be what this program writes:
 *
 *     SETT_WRITE=1 build/dev/test/test_misuse_table     writes it
 */
#include "sett/sett.h"
#include "worlds.h"

#include "base/platform.h"

#ifndef SETT_DOCS
#define SETT_DOCS "docs" /* the folder */
#endif

typedef struct Position {
    float x, y;
} Position;

typedef struct Velocity {
    float x, y;
} Velocity;

typedef struct Matrix {
    float m[16];
} Matrix;

typedef struct Sprite {
    uint32_t layer;
} Sprite;

#define KINDS(COMPONENT, TAG)                                                                      \
    COMPONENT(Position)                                                                            \
    COMPONENT(Velocity)                                                                            \
    COMPONENT(Matrix)                                                                              \
    COMPONENT(Sprite, .storage = SETT_STORAGE_SPARSE_SET, .members = SETT_STRUCT(Sprite, layer))   \
    TAG(Frozen)                                                                                    \
    TAG(Mark, .dont_fragment = true)
SETT_COMPONENTS(KINDS)

typedef struct scene {
    sett_world* world;
    sett_entity e;    /* "ship", with a Position */
    sett_entity f;    /* with Position and Sprite */
    sett_entity dead; /* destroyed */
    sett_component owes;
    sett_query* query; /* of Position, written */
    sett_search* search;
    sett_world* other; /* with the same types; NULL until it is needed */
    sett_commands* own;
    uint32_t lines;
    uint32_t notes; /* lines of SETT_LOG_INFO */
    char log[640];  /* the first report */
} scene;

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
static sett_query* query_elsewhere(scene* s)
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

#define FAILS(call, expected) CHECK_EQ((call), SETT_STATUS_##expected)
#define IS_NULL(call) CHECK((call) == NULL)
#define NO_ENTITY(call) CHECK(sett_is_null(call))
#define NO_ID(call) CHECK_EQ((call), 0)

/* ---- Handles and values ---------------------------------------------------------------------- */

static void get_stale(scene* s)
{
    IS_NULL(sett_get(s->world, s->dead, Position_id));
}

static void get_null(scene* s)
{
    IS_NULL(sett_get(s->world, sett_null(), Position_id));
}

static void get_absent(scene* s)
{
    IS_NULL(sett_get(s->world, s->e, Velocity_id));
}

static void get_mut_absent(scene* s)
{
    IS_NULL(sett_get_mut(s->world, s->e, Velocity_id));
}

static void set_stale(scene* s)
{
    IS_NULL(sett_set(s->world, s->dead, Position_id, &(Position){0}));
}

static void set_reused(scene* s)
{
    CHECK_EQ(sett_entity_create(s->world).index, s->dead.index);
    IS_NULL(sett_set(s->world, s->dead, Position_id, &(Position){0}));
}

static void add_present(scene* s)
{
    IS_NULL(sett_add(s->world, s->e, Position_id));
}

static void foreign_handle(scene* s)
{
    s->other = quiet_world();
    CHECK_EQ(sett_entity_set_range(s->other, 65536, 0), SETT_OK);
    IS_NULL(sett_add(s->world, sett_entity_create(s->other), Position_id));
}

static void forget_an_own_entity(scene* s)
{
    FAILS(sett_entity_forget(s->world, s->e), ARGUMENT);
}

static void reserved_handle(scene* s)
{
    sett_entity later = sett_cmd_create(s->own);
    IS_NULL(sett_add(s->world, later, Position_id));
    CHECK_EQ(sett_commands_apply(s->own), SETT_OK);
}

static void id_zero(scene* s)
{
    IS_NULL(sett_add(s->world, s->e, 0));
}

static void find_zero(scene* s)
{
    IS_NULL(sett_find(s->world, s->e, 0));
}

static void id_unregistered(scene* s)
{
    IS_NULL(sett_add(s->world, s->e, 999));
}

static void type_unregistered(scene* s)
{
    typedef struct Health {
        int points;
    } Health;
    sett_component Health_id = 0;
    IS_NULL(SETT_ADD(s->world, s->e, Health));
}

static void value_listed_as_tag(scene* s)
{
    NO_ENTITY(SETT_CREATE(s->world, SETT_VALUE_TAG(Position)));
}

static void value_of_a_tag(scene* s)
{
    CHECK(sett_set(s->world, s->e, Frozen_id, &(Position){0}) != NULL);
    CHECK(sett_has(s->world, s->e, Frozen_id));
}

static void instantiate_twice_listed(scene* s)
{
    NO_ENTITY(sett_instantiate_with(
        s->world,
        &(sett_instantiate_desc){
            .prefab = s->f, SETT_VALUES(SETT_VALUE(Position, 1, 2), SETT_VALUE(Position, 3, 4))}));
}

static void set_null_value(scene* s)
{
    IS_NULL(sett_set(s->world, s->e, Position_id, NULL));
}

static void other_type(scene* s)
{
    sett_component Place_id = Position_id;
    typedef struct Place {
        int level;
    } Place;
    IS_NULL(SETT_GET(s->world, s->e, Place));
}

static void get_a_relationship(scene* s)
{
    sett_component Owes_id = s->owes;
    typedef struct Owes {
        int amount;
    } Owes;
    CHECK(sett_relate(s->world, s->e, s->owes, s->f) != NULL);
    IS_NULL(SETT_GET(s->world, s->e, Owes));
}

static void write_a_link_as_another_type(scene* s)
{
    typedef struct Coins {
        uint32_t gold, silver;
    } Coins;
    sett_component Coins_id = s->owes;
    CHECK(sett_relate(s->world, s->e, s->owes, s->f) != NULL);
    IS_NULL(SETT_RELATED_MUT(s->world, s->e, Coins, s->f));
}

static void get_an_absent_singleton(scene* s)
{
    IS_NULL(SETT_SINGLETON_GET(s->world, Velocity));
}

static void get_mut_hierarchy(scene* s)
{
    CHECK_EQ(sett_hierarchy_attach(s->world, s->e, s->f), SETT_OK);
    IS_NULL(sett_get_mut(s->world, s->e, SETT_ID_HIERARCHY));
}

static void set_name_component(scene* s)
{
    IS_NULL(sett_set(s->world, s->e, SETT_ID_NAME, &(sett_name){7}));
}

static void add_relationship(scene* s)
{
    IS_NULL(sett_add(s->world, s->e, s->owes));
}

static void create_twice_listed(scene* s)
{
    const sett_component list[2] = {Position_id, Position_id};
    FAILS(sett_entity_create_many(s->world, 1, list, 2, NULL, NULL), ARGUMENT);
}

static void list_without_items(scene* s)
{
    FAILS(sett_add_many(s->world, NULL, 2, Velocity_id), ARGUMENT);
}

/* ---- Structure at the wrong time ------------------------------------------------------------- */

static void destroy_in_loop(scene* s)
{
    SETT_FOR(s->query, b, i) {
        FAILS(sett_entity_destroy(s->world, sett_batch_entity(b, i)), LOCKED);
        break;
    }
}

static void add_in_loop(scene* s)
{
    SETT_FOR(s->query, b, i) {
        IS_NULL(sett_add(s->world, sett_batch_entity(b, i), Velocity_id));
        break;
    }
}

static void world_destroyed_in_loop(scene* s)
{
    SETT_FOR(s->query, b, i) {
        (void)b, (void)i;
        FAILS(sett_world_destroy(s->world), LOCKED);
        break;
    }
}

static void query_destroyed_in_loop(scene* s)
{
    SETT_FOR(s->query, b, i) {
        (void)b, (void)i;
        FAILS(sett_query_destroy(s->query), LOCKED);
        break;
    }
}

static void apply_in_loop(scene* s)
{
    CHECK_EQ(SETT_CMD_ADD(s->own, s->e, Velocity), SETT_OK);
    SETT_FOR(s->query, b, i) {
        (void)b, (void)i;
        FAILS(sett_commands_apply(s->own), LOCKED);
        break;
    }
    CHECK_EQ(sett_commands_apply(s->own), SETT_OK);
}

static void snapshot_in_loop(scene* s)
{
    sett_snapshot snapshot;
    SETT_FOR(s->query, b, i) {
        (void)b, (void)i;
        FAILS(sett_snapshot_take(s->world, &snapshot), LOCKED);
        break;
    }
}

static void create_in_callback_run(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)entity, (void)value, (void)user;
    NO_ENTITY(sett_entity_create(world));
}

static void create_in_callback(scene* s)
{
    CHECK(sett_observer_create(s->world, &(sett_observer_desc){.name = "births",
                                                               .component = Velocity_id,
                                                               .on_add = create_in_callback_run}) !=
          NULL);
    CHECK(sett_add(s->world, s->e, Velocity_id) != NULL);
}

static int compare_and_remove(const void* a, const void* b, void* user)
{
    const scene* s = user;
    FAILS(sett_remove(s->world, s->f, Sprite_id), LOCKED);
    return (int)((const Sprite*)a)->layer - (int)((const Sprite*)b)->layer;
}

static void structure_in_comparator(scene* s)
{
    CHECK(sett_set(s->world, s->e, Sprite_id, &(Sprite){1}) != NULL);
    CHECK_EQ(sett_sort(s->world, &(sett_sort_desc){.component = Sprite_id,
                                                   .compare = compare_and_remove,
                                                   .user = s}),
             SETT_OK);
}

static sett_world* init_world;

static void init_and_create(void* values, uint32_t count, void* user)
{
    (void)user;
    memset(values, 0, count * sizeof(uint32_t));
    NO_ENTITY(sett_entity_create(init_world));
}

static void structure_in_value_hook(scene* s)
{
    sett_component id = sett_component_register(
        s->world, &(sett_component_desc){.name = "Hooked", .size = 4, .init = init_and_create});
    init_world = s->world;
    CHECK(sett_add(s->world, s->e, id) != NULL);
}

static void set_again(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)value, (void)user;
    (void)sett_set(world, entity, Velocity_id, &(Velocity){0});
}

static void sets_without_end(scene* s)
{
    CHECK(sett_observer_create(s->world, &(sett_observer_desc){.name = "echo",
                                                               .component = Velocity_id,
                                                               .on_set = set_again}) != NULL);
    CHECK(sett_set(s->world, s->e, Velocity_id, &(Velocity){0}) != NULL);
    CHECK_EQ(sett_world_error(s->world), SETT_STATUS_LIMIT);
}

/* ---- Types ----------------------------------------------------------------------------------- */

static void type_with_another_size(scene* s)
{
    NO_ID(
        sett_component_register(s->world, &(sett_component_desc){.name = "Position", .size = 12}));
}

static void type_with_a_taken_id(scene* s)
{
    NO_ID(sett_component_register(s->world,
                                  &(sett_component_desc){.name = "Other", .id = Position_id}));
}

static void type_with_an_id_of_the_library(scene* s)
{
    NO_ID(sett_component_register(s->world, &(sett_component_desc){.name = "Other", .id = 1030}));
}

static void type_misaligned(scene* s)
{
    NO_ID(sett_component_register(s->world,
                                  &(sett_component_desc){.name = "Other", .size = 12, .align = 3}));
}

static void type_without_a_name(scene* s)
{
    NO_ID(sett_component_register(s->world, &(sett_component_desc){.size = 12}));
}

static void type_references_overlap(scene* s)
{
    const uint32_t offsets[2] = {0, 4};
    NO_ID(sett_component_register(s->world, &(sett_component_desc){.name = "Other",
                                                                   .size = 16,
                                                                   .entity_offsets = offsets,
                                                                   .entity_offset_count = 2}));
}

static void type_requires_unknown(scene* s)
{
    const sett_component required = 999;
    NO_ID(sett_component_register(
        s->world,
        &(sett_component_desc){.name = "Other", .required = &required, .required_count = 1}));
}

static void type_array_keeps_order(scene* s)
{
    NO_ID(sett_component_register(s->world, &(sett_component_desc){.name = "Other",
                                                                   .size = 4,
                                                                   .storage = SETT_STORAGE_ARRAY,
                                                                   .keep_order = true}));
}

static void sort_an_array(scene* s)
{
    sett_component id = sett_component_register(
        s->world,
        &(sett_component_desc){.name = "Fixed", .size = 4, .storage = SETT_STORAGE_ARRAY});
    FAILS(sett_sort(s->world, &(sett_sort_desc){.component = id, .key = SETT_KEY_U32}), ARGUMENT);
}

static void sort_an_array_with_snapshots(scene* s)
{
    sett_snapshot snapshot;
    sett_sort_desc by_x = {.component = Position_id, .key = SETT_KEY_F32};
    CHECK_EQ(sett_snapshot_take(s->world, &snapshot), SETT_OK);
    FAILS(sett_sort(s->world, &by_x), LOCKED);
    CHECK_EQ(sett_sort(s->world, &(sett_sort_desc){.component = Sprite_id, .key = SETT_KEY_U32}),
             SETT_OK); /* registered as a sparse set */
    sett_snapshot_drop_all(s->world);
    CHECK_EQ(sett_sort(s->world, &by_x), SETT_OK);
    CHECK_EQ(sett_snapshot_take(s->world, &snapshot), SETT_OK);
    by_x.reverse = true;
    CHECK_EQ(sett_sort(s->world, &by_x), SETT_OK); /* it is in one since */
}

static void sort_by_nothing(scene* s)
{
    FAILS(sett_sort(s->world, &(sett_sort_desc){.component = Sprite_id}), ARGUMENT);
}

static void sort_by_another_kind(scene* s)
{
    FAILS(sett_sort(s->world, &(sett_sort_desc){.component = Sprite_id, .key = SETT_KEY_F32}),
          ARGUMENT);
}

/* ---- Queries and fields ---------------------------------------------------------------------- */

static void query_unregistered(scene* s)
{
    sett_component Ghost_id = 0;
    IS_NULL(SETT_QUERY_CREATE(s->world, SETT_IN(Position), SETT_IN(Ghost)));
}

static void query_hierarchy_unregistered(scene* s)
{
    IS_NULL(SETT_QUERY_CREATE(s->world, SETT_IN(sett_hierarchy)));
}

static void query_contradicts(scene* s)
{
    IS_NULL(SETT_QUERY_CREATE(s->world, SETT_IN(Position), SETT_WITHOUT(Position)));
}

static void query_writes_twice(scene* s)
{
    IS_NULL(SETT_QUERY_CREATE(s->world, SETT_INOUT(Position), SETT_OUT(Position)));
}

static void query_writes_names(scene* s)
{
    IS_NULL(SETT_QUERY_CREATE(s->world, SETT_INOUT(sett_name)));
}

static void query_without_descriptor(scene* s)
{
    IS_NULL(sett_query_create(s->world, NULL));
}

static void field_of_another_type(scene* s)
{
    SETT_FOR(s->query, b, i) {
        (void)i;
        IS_NULL(SETT_FIELD(b, 0, Matrix));
        break;
    }
}

static void field_beyond_the_terms(scene* s)
{
    SETT_FOR(s->query, b, i) {
        (void)i;
        IS_NULL(SETT_FIELD(b, 7, Position));
        break;
    }
}

static sett_query* looks_at_parents(scene* s)
{
    sett_entity child = SETT_CREATE(s->world, SETT_VALUE(Position, .x = 2));
    CHECK_EQ(sett_hierarchy_attach(s->world, child, s->e), SETT_OK);
    sett_query_desc desc = {.name = "parents", .terms = {SETT_IN(Position), SETT_PARENT(Position)}};
    return sett_query_create(s->world, &desc);
}

static void field_elsewhere(scene* s)
{
    SETT_FOR(looks_at_parents(s), b, i) {
        (void)i;
        IS_NULL(SETT_FIELD(b, 1, Position));
        IS_NULL(sett_batch_field(b, 1));
        break;
    }
}

static void field_from_of_another_type(scene* s)
{
    SETT_FOR(looks_at_parents(s), b, i) {
        IS_NULL(SETT_FIELD_FROM(b, 1, i, Matrix));
        break;
    }
}

static void field_from_here(scene* s)
{
    SETT_FOR(looks_at_parents(s), b, i) {
        IS_NULL(sett_batch_from(b, 0, i));
        break;
    }
}

static void system_without_terms(sett_context* context)
{
    SETT_SYSTEM_FOR(context, b, i) {
        (void)b;
        (void)i;
    }
}

static void loops_without_terms(scene* s)
{
    CHECK(SETT_SYSTEM(s->world, system_without_terms, .phase = 0) != NULL);
    CHECK_EQ(sett_progress(s->world, 1), SETT_OK);
}

static void add_a_tag_with_values(scene* s)
{
    CHECK(!SETT_ADD_TAG(s->world, s->e, Velocity));
}

typedef char Frozen; /* the C type of a tag, for those who have one */

static void add_a_value_of_a_tag(scene* s)
{
    IS_NULL(SETT_ADD(s->world, s->e, Frozen));
    IS_NULL(SETT_ENSURE(s->world, s->e, Frozen));
}

static void get_what_the_prefab_has(scene* s)
{
    CHECK_EQ(sett_prefab_share(s->world, Sprite_id, true), SETT_OK);
    CHECK_EQ(sett_prefab_make(s->world, s->f), SETT_OK);
    sett_entity copy;
    CHECK_EQ(sett_instantiate(s->world, s->f, 1, &copy), SETT_OK);
    IS_NULL(sett_get(s->world, copy, Sprite_id));
}

static void restore_what_was_never_taken(scene* s)
{
    sett_snapshot none = {0, 0};
    FAILS(sett_snapshot_restore(s->world, none), STALE);
}

static void field_written_not_declared(scene* s)
{
    sett_query* reads = sett_query_create(
        s->world, &(sett_query_desc){.name = "reads", .terms = {SETT_IN(Position)}});
    SETT_FOR(reads, b, i) {
        (void)i;
        CHECK(SETT_FIELD_MUT(b, 0, Position) != NULL);
        break;
    }
}

static void batch_at_beyond(scene* s)
{
    SETT_FOR(s->query, b, i) {
        IS_NULL(sett_batch_at(b, 3, i));
        break;
    }
}

/* ---- Groups and observers -------------------------------------------------------------------- */

static void group_owns_an_owned_type(scene* s)
{
    CHECK(sett_group_create(s->world, &(sett_group_desc){.name = "first", .owned = {Sprite_id}}) !=
          NULL);
    IS_NULL(sett_group_create(
        s->world,
        &(sett_group_desc){.name = "second", .owned = {Sprite_id}, .with = {Position_id}}));
}

static void group_lists_twice(scene* s)
{
    IS_NULL(sett_group_create(
        s->world,
        &(sett_group_desc){.name = "twice", .with = {Position_id}, .without = {Position_id}}));
}

static void observer_without_callback(scene* s)
{
    IS_NULL(sett_observer_create(s->world,
                                 &(sett_observer_desc){.name = "deaf", .component = Position_id}));
}

static void watch_nothing(sett_world* world, sett_entity entity, void* user)
{
    (void)world, (void)entity, (void)user;
}

static void observer_of_dont_fragment(scene* s)
{
    IS_NULL(sett_observer_create(s->world, &(sett_observer_desc){.name = "marks",
                                                                 .terms = {SETT_WITH(Mark)},
                                                                 .on_enter = watch_nothing}));
}

/* ---- Commands -------------------------------------------------------------------------------- */

static void commands_own_destroyed(scene* s)
{
    FAILS(sett_commands_destroy(s->own), ARGUMENT);
}

static void command_sets_null(scene* s)
{
    FAILS(sett_cmd_set(s->own, s->e, Velocity_id, NULL), ARGUMENT);
}

static void command_about_null(scene* s)
{
    FAILS(sett_cmd_add(s->own, sett_null(), Velocity_id), OK);
}

static void command_unregistered(scene* s)
{
    FAILS(sett_cmd_add(s->own, s->e, 999), UNREGISTERED);
}

/* ---- Systems --------------------------------------------------------------------------------- */

static void records_into_own(sett_context* c)
{
    scene* s = c->user;
    FAILS(sett_cmd_add(s->own, s->e, Velocity_id), LOCKED);
}

static void changes_at_once(sett_context* c)
{
    scene* s = c->user;
    IS_NULL(sett_add(c->world, s->e, Velocity_id));
    FAILS(sett_entity_destroy(c->world, s->e), LOCKED);
}

static void sends_at_once(sett_context* c)
{
    scene* s = c->user;
    FAILS(sett_event_send(c->world, s->e, SETT_ROUTE_ENTITY, Velocity_id, &(Velocity){1, 2}),
          LOCKED);
}

static void links_at_once(sett_context* c)
{
    scene* s = c->user;
    FAILS(sett_hierarchy_attach(c->world, s->e, s->f), LOCKED);
    FAILS(sett_hierarchy_order(c->world, s->f, NULL, 0), LOCKED);
    IS_NULL(sett_relate(c->world, s->e, s->owes, s->f));
}

static void names_at_once(sett_context* c)
{
    scene* s = c->user;
    FAILS(sett_name_set(c->world, s->e, "boat"), LOCKED);
}

static void shares_at_once(sett_context* c)
{
    FAILS(sett_prefab_share(c->world, Position_id, true), LOCKED);
}

static void creates_a_query(sett_context* c)
{
    IS_NULL(SETT_QUERY_CREATE(c->world, SETT_IN(Position)));
}

static void reads_undeclared(sett_context* c)
{
    scene* s = c->user;
    CHECK(sett_get(c->world, s->f, Sprite_id) != NULL);
}

static void searches_undeclared(sett_context* c)
{
    scene* s = c->user;
    CHECK_EQ(sett_search_count(s->search), 1);
}

static void writes_json_undeclared(sett_context* c)
{
    scene* s = c->user;
    char text[200];
    CHECK(sett_json_format(c->world, &(sett_json_desc){.entity = s->f, .single = true}, text,
                           sizeof(text)) != 0);
}

static void writes_a_link_undeclared(sett_context* c)
{
    scene* s = c->user;
    (void)sett_related_mut(c->world, s->e, s->owes, s->f);
}

static void follows_links(sett_context* c)
{
    scene* s = c->user;
    uint32_t found = sett_target_count(c->world, s->e, s->owes);
    SETT_TARGETS(c->world, s->e, s->owes, target, to) {
        found += sett_equals(target, s->f);
    }
    SETT_SOURCES(c->world, s->owes, s->f, source, from) {
        found += sett_equals(source, s->e);
    }
    CHECK_EQ(found, 3);
    CHECK(sett_equals(sett_target(c->world, s->e, s->owes), s->f));
}

static void begins_a_query(sett_context* c)
{
    scene* s = c->user;
    sett_batch batch;
    IS_NULL(sett_query_begin(s->query, &batch));
}

static void loops_elsewhere(sett_context* c)
{
    scene* s = c->user;
    SETT_CONTEXT_FOR(c, query_elsewhere(s), b, i)
    {
        (void)i;
        CHECK(b == NULL);
    }
}

static void runs_a_frame(sett_context* c)
{
    FAILS(sett_progress(c->world, 1), LOCKED);
}

static void run_system(scene* s, const char* name, void (*run)(sett_context*))
{
    CHECK(sett_system_create(s->world, &(sett_system_desc){.name = name,
                                                           .run = run,
                                                           .user = s,
                                                           .terms = {SETT_IN(Position)}}) != NULL);
    CHECK_EQ(sett_progress(s->world, 1), SETT_OK);
}

static void system_records_into_the_own_buffer(scene* s)
{
    run_system(s, "records", records_into_own);
}

static void system_changes_structure(scene* s)
{
    run_system(s, "changes", changes_at_once);
}

static void system_sends_an_event(scene* s)
{
    run_system(s, "sends", sends_at_once);
}

static void system_links(scene* s)
{
    run_system(s, "docks", links_at_once);
}

static void system_names(scene* s)
{
    run_system(s, "christens", names_at_once);
}

static void system_shares(scene* s)
{
    run_system(s, "shares", shares_at_once);
}

static void system_creates_a_query(scene* s)
{
    run_system(s, "asks", creates_a_query);
}

static void system_reads_undeclared(scene* s)
{
    run_system(s, "peeks", reads_undeclared);
}

static void system_searches(scene* s)
{
    s->search = sett_search_create(s->world, "Sprite.layer > 0");
    run_system(s, "looks", searches_undeclared);
}

static void system_writes_json(scene* s)
{
    run_system(s, "tells", writes_json_undeclared);
}

static void system_writes_a_link(scene* s)
{
    run_system(s, "raises", writes_a_link_undeclared);
}

static void system_follows_links(scene* s)
{
    CHECK(sett_relate(s->world, s->e, s->owes, s->f) != NULL);
    run_system(s, "follows", follows_links);
}

static void system_begins_a_query(scene* s)
{
    run_system(s, "loops", begins_a_query);
}

static void system_loops_elsewhere(scene* s)
{
    run_system(s, "strays", loops_elsewhere);
}

static void system_runs_a_frame(scene* s)
{
    run_system(s, "nests", runs_a_frame);
}

static void do_nothing(sett_context* c)
{
    (void)c;
}

static void system_twice(scene* s)
{
    const sett_system_desc desc = {.name = "move", .run = do_nothing};
    CHECK(sett_system_create(s->world, &desc) != NULL);
    IS_NULL(sett_system_create(s->world, &desc));
}

static void systems_in_a_circle(scene* s)
{
    CHECK(sett_system_create(
              s->world,
              &(sett_system_desc){.name = "move", .run = do_nothing, .before = {"hit"}}) != NULL);
    IS_NULL(sett_system_create(
        s->world, &(sett_system_desc){.name = "hit", .run = do_nothing, .before = {"move"}}));
}

static void system_before_an_unknown(scene* s)
{
    const sett_system_desc collide = {.name = "collide", .run = do_nothing};
    CHECK(sett_system_create(s->world, &collide) != NULL);
    CHECK(sett_system_create(s->world, &(sett_system_desc){.name = "move",
                                                           .run = do_nothing,
                                                           .before = {"colide"}}) != NULL);
    CHECK_EQ(sett_progress(s->world, 1), SETT_OK);
}

static void negative_time(scene* s)
{
    FAILS(sett_progress(s->world, -1), ARGUMENT);
}

/* ---- Hierarchies, names, relationships, prefabs ---------------------------------------------- */

static void attach_in_a_cycle(scene* s)
{
    CHECK_EQ(sett_hierarchy_attach(s->world, s->e, s->f), SETT_OK);
    FAILS(sett_hierarchy_attach(s->world, s->f, s->e), CYCLE);
}

static void attach_to_the_dead(scene* s)
{
    FAILS(sett_hierarchy_attach(s->world, s->e, s->dead), STALE);
}

static void name_taken(scene* s)
{
    FAILS(sett_name_set(s->world, s->f, "ship"), CONFLICT);
}

static void name_that_leads_up(scene* s)
{
    FAILS(sett_name_set(s->world, s->e, ".."), ARGUMENT);
}

static void name_with_a_slash(scene* s)
{
    FAILS(sett_name_set(s->world, s->f, "a/b"), ARGUMENT);
}

static void destroy_rejected(scene* s)
{
    CHECK_EQ(sett_hierarchy_attach(s->world, s->e, s->f), SETT_OK);
    CHECK_EQ(sett_hierarchy_set_policy(s->world, s->f, SETT_CHILDREN_REJECT), SETT_OK);
    FAILS(sett_entity_destroy(s->world, s->f), REJECTED);
}

static void relate_by_a_component(scene* s)
{
    IS_NULL(sett_relate(s->world, s->e, Position_id, s->f));
}

static void record_a_link_by_a_component(scene* s)
{
    FAILS(sett_cmd_relate(s->own, s->e, Position_id, s->f, NULL), ARGUMENT);
}

static void relate_to_the_dead(scene* s)
{
    IS_NULL(sett_relate(s->world, s->e, s->owes, s->dead));
}

static void instantiate_the_dead(scene* s)
{
    FAILS(sett_instantiate(s->world, s->dead, 1, NULL), STALE);
}

/* ---- Snapshots and deltas -------------------------------------------------------------------- */

static void restore_dropped(scene* s)
{
    sett_snapshot snapshot;
    CHECK_EQ(sett_snapshot_take(s->world, &snapshot), SETT_OK);
    CHECK_EQ(sett_snapshot_drop(s->world, snapshot), SETT_OK);
    FAILS(sett_snapshot_restore(s->world, snapshot), STALE);
}

static void ring_too_far_back(scene* s)
{
    sett_ring* ring = sett_ring_create(s->world, 8);
    CHECK_EQ(sett_ring_take(ring), SETT_OK);
    FAILS(sett_ring_restore(ring, 3), ARGUMENT);
}

static void group_while_snapshots_are_held(scene* s)
{
    sett_snapshot snapshot;
    CHECK_EQ(sett_snapshot_take(s->world, &snapshot), SETT_OK);
    IS_NULL(sett_group_create(s->world, &(sett_group_desc){.with = {Position_id}}));
}

static void write_behind_the_back(scene* s)
{
    CHECK_EQ(sett_world_check_writes(s->world), SETT_OK);
    ((Position*)setti_unconst(sett_get(s->world, s->e, Position_id)))->x = 99;
    FAILS(sett_world_check_writes(s->world), INVALID);
}

static void free_nothing(void* values, uint32_t count, void* user)
{
    (void)values;
    (void)count;
    (void)user;
}

static void save_what_is_owned(scene* s)
{
    sett_component_desc desc = {.name = "Song", .size = sizeof(char*), .deinit = free_nothing};
    CHECK(sett_component_register(s->world, &desc) != 0);
    FAILS(sett_world_save(s->world, "never-written.sett"), ARGUMENT);
}

static void clone_into_itself(scene* s)
{
    FAILS(sett_world_clone(s->world, s->world), ARGUMENT);
}

/* The delta of a change of Position, from a world that was a copy of this one. */
static size_t make_delta(scene* s, unsigned char bytes[2048])
{
    sett_snapshot before;
    sett_snapshot after;
    size_t size;
    sett_world* sender = quiet_world();
    CHECK_EQ(sett_world_clone(s->world, sender), SETT_OK);
    CHECK_EQ(sett_snapshot_take(sender, &before), SETT_OK);
    CHECK(SETT_SET(sender, s->e, Position, .x = 5) != NULL);
    CHECK_EQ(sett_snapshot_take(sender, &after), SETT_OK);
    CHECK_EQ(sett_delta_encode(sender, before, after, bytes, 2048, &size), SETT_OK);
    sett_world_destroy(sender);
    return size;
}

static void delta_altered(scene* s)
{
    unsigned char bytes[2048];
    size_t size = make_delta(s, bytes);
    bytes[size - 1] ^= 1;
    FAILS(sett_delta_apply(s->world, bytes, size), INVALID);
}

static void delta_of_another_state(scene* s)
{
    unsigned char bytes[2048];
    size_t size = make_delta(s, bytes);
    CHECK(SETT_SET(s->world, s->f, Position, .x = 6) != NULL);
    FAILS(sett_delta_apply(s->world, bytes, size), CONFLICT);
}

static void delta_applied_twice(scene* s)
{
    unsigned char bytes[2048];
    size_t size = make_delta(s, bytes);
    CHECK_EQ(sett_delta_apply(s->world, bytes, size), SETT_OK);
    FAILS(sett_delta_apply(s->world, bytes, size), CONFLICT);
}

static void write_value(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)world, (void)entity, (void)user;
    ((Position*)value)->x += 1;
}

static void record_in_delta(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)value, (void)user;
    FAILS(sett_cmd_add(sett_commands_here(world), entity, Frozen_id), LOCKED);
}

static void watch_positions(scene* s, void (*run)(sett_world*, sett_entity, void*, void*))
{
    CHECK(sett_observer_create(s->world, &(sett_observer_desc){.name = "mirror",
                                                               .component = Position_id,
                                                               .on_set = run}) != NULL);
}

static void delta_written_to(scene* s)
{
    unsigned char bytes[2048];
    size_t size = make_delta(s, bytes);
    watch_positions(s, write_value);
    FAILS(sett_delta_apply(s->world, bytes, size), INVALID);
}

static void delta_recorded(scene* s)
{
    unsigned char bytes[2048];
    size_t size = make_delta(s, bytes);
    watch_positions(s, record_in_delta);
    CHECK_EQ(sett_delta_apply(s->world, bytes, size), SETT_OK);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static sett_status json_write(scene* s, sett_json_desc desc)
{
    char text[2000] = "none";
    CHECK_EQ(sett_json_format(s->world, &desc, text, sizeof(text)), 0);
    return sett_world_error(s->world);
}

static void json_of_null(scene* s)
{
    FAILS(json_write(s, (sett_json_desc){.single = true}), STALE);
}

static void json_of_the_dead(scene* s)
{
    FAILS(json_write(s, (sett_json_desc){.entity = s->dead}), STALE);
}

static void json_of_another_world(scene* s)
{
    FAILS(json_write(s, (sett_json_desc){.query = query_elsewhere(s)}), ARGUMENT);
}

/* ---- Threads --------------------------------------------------------------------------------- */

static void write_elsewhere(void* user)
{
    scene* s = user;
    (void)sett_set(s->world, s->e, Position_id, &(Position){3, 3});
}

static void two_threads_write(scene* s)
{
    setti_thread thread = {.body = write_elsewhere, .user = s};
    CHECK(setti_thread_start(&thread));
    setti_thread_join(&thread);
}

static void reserve_elsewhere(void* user)
{
    scene* s = user;
    (void)sett_cmd_create(s->own);
}

static void two_threads_reserve(scene* s)
{
    setti_thread thread = {.body = reserve_elsewhere, .user = s};
    CHECK(setti_thread_start(&thread));
    setti_thread_join(&thread);
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
    sett_entity theirs = sett_query_first(query_elsewhere(s));
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
     "links do not change while systems run; only their data does", system_follows_links},
    {"null in `sett_json_desc.entity` (without `single`) or in `sett_search_bind`", "all entities",
     "null is the default of a handle there: check what a lookup returned", use_null_as_a_default},
    {"the first `sett_world_check_writes`, after a stray write", "OK, and a note in the log",
     "there is nothing to compare with yet", check_writes_late},
};

/* ---- The table ------------------------------------------------------------------------------- */

typedef enum build {
    EVERY,   /* the call fails in every build */
    CHECKED, /* found only in programs compiled without NDEBUG; else the caller's contract */
    LOGGED   /* the call goes on; debug builds report it */
} build;

typedef struct misuse {
    const char* what;
    const char* returns;
    void (*run)(scene* s); /* NULL: a heading */
    build build;
} misuse;

static const misuse table[] = {
    {"Handles and values", NULL, NULL, EVERY},
    {"read through a handle of a destroyed entity", "NULL", get_stale, EVERY},
    {"read through the null handle", "NULL", get_null, EVERY},
    {"`sett_get` of a component that the entity does not have", "NULL", get_absent, EVERY},
    {"`sett_get_mut` of one that it does not have", "NULL", get_mut_absent, EVERY},
    {"set through a handle of a destroyed entity", "NULL", set_stale, EVERY},
    {"the same when another entity has its index", "NULL", set_reused, EVERY},
    {"add a component twice", "NULL", add_present, EVERY},
    {"use a handle of another world", "NULL", foreign_handle, EVERY},
    {"use a handle of `sett_cmd_create` before its command is applied", "NULL", reserved_handle,
     EVERY},
    {"use an id that is 0, because the type was never registered", "NULL", id_zero, EVERY},
    {"ask for an id that is 0 (`sett_find`, `sett_has`)", "NULL, false", find_zero, EVERY},
    {"use an id that is not registered", "NULL", id_unregistered, EVERY},
    {"`SETT_ADD` of a type that was never registered", "NULL", type_unregistered, EVERY},
    {"set a value of NULL", "NULL", set_null_value, EVERY},
    {"give a value to a tag", "the tag, as with NULL", value_of_a_tag, LOGGED},
    {"`sett_get` of what only the prefab has", "NULL", get_what_the_prefab_has, EVERY},
    {"`SETT_ADD_TAG` of a type that has values", "false", add_a_tag_with_values, CHECKED},
    {"`SETT_ADD` of a tag", "NULL", add_a_value_of_a_tag, CHECKED},
    {"`SETT_VALUE_TAG` of a type that has values", "null", value_listed_as_tag, CHECKED},
    {"`SETT_GET` as another C type", "NULL", other_type, CHECKED},
    {"`SETT_GET` of a relationship", "NULL", get_a_relationship, CHECKED},
    {"`SETT_RELATED_MUT` as another C type", "NULL", write_a_link_as_another_type, CHECKED},
    {"`sett_singleton_get` of one that does not exist", "NULL", get_an_absent_singleton, EVERY},
    {"ask for a Hierarchy to write it", "NULL", get_mut_hierarchy, EVERY},
    {"set the component of a name", "NULL", set_name_component, EVERY},
    {"add the component of a relationship", "NULL", add_relationship, EVERY},
    {"forget an entity of the world's own range", "ARGUMENT", forget_an_own_entity, EVERY},
    {"create an entity with a component listed twice", "ARGUMENT", create_twice_listed, EVERY},
    {"give NULL instead of a list, with a count", "ARGUMENT", list_without_items, EVERY},

    {"Structure at the wrong time", NULL, NULL, EVERY},
    {"destroy an entity inside a loop", "LOCKED", destroy_in_loop, EVERY},
    {"add a component inside a loop", "NULL", add_in_loop, EVERY},
    {"destroy the world inside a loop", "LOCKED", world_destroyed_in_loop, EVERY},
    {"destroy a query inside a loop over it", "LOCKED", query_destroyed_in_loop, EVERY},
    {"apply commands inside a loop", "LOCKED", apply_in_loop, EVERY},
    {"take a snapshot inside a loop", "LOCKED", snapshot_in_loop, EVERY},
    {"create an entity in a callback", "null", create_in_callback, EVERY},
    {"remove a component in a comparator of `sett_sort`", "LOCKED", structure_in_comparator, EVERY},
    {"create an entity in a hook of values", "null", structure_in_value_hook, EVERY},
    {"set a value in its own on_set, without end", "NULL, after 64", sets_without_end, EVERY},

    {"Types", NULL, NULL, EVERY},
    {"register a type again, with another size", "0", type_with_another_size, EVERY},
    {"register a type with an id that another one has", "0", type_with_a_taken_id, EVERY},
    {"register a type with an id of the library", "0", type_with_an_id_of_the_library, EVERY},
    {"an alignment that is no power of two", "0", type_misaligned, EVERY},
    {"a type without a name", "0", type_without_a_name, EVERY},
    {"entity references that overlap", "0", type_references_overlap, EVERY},
    {"require a type that is not registered", "0", type_requires_unknown, EVERY},
    {"an array with keep_order", "0", type_array_keeps_order, EVERY},
    {"sort a type that was registered as an array", "ARGUMENT", sort_an_array, EVERY},
    {"sort a type in an array while snapshots are held", "LOCKED", sort_an_array_with_snapshots,
     EVERY},
    {"sort by no key", "ARGUMENT", sort_by_nothing, EVERY},
    {"sort a uint32_t as a float", "ARGUMENT", sort_by_another_kind, EVERY},

    {"Queries and fields", NULL, NULL, EVERY},
    {"a term of a type that was never registered", "NULL", query_unregistered, EVERY},
    {"a term of Hierarchy before its first use", "NULL", query_hierarchy_unregistered, EVERY},
    {"want and exclude a component", "NULL", query_contradicts, EVERY},
    {"write a component by two terms", "NULL", query_writes_twice, EVERY},
    {"write names in a loop", "NULL", query_writes_names, EVERY},
    {"no descriptor", "NULL", query_without_descriptor, EVERY},
    {"`SETT_FIELD` as another C type", "NULL", field_of_another_type, CHECKED},
    {"`SETT_FIELD` of a term that the query does not have", "NULL", field_beyond_the_terms,
     CHECKED},
    {"`SETT_FIELD` of a term that looks at another entity", "NULL", field_elsewhere, CHECKED},
    {"`SETT_FIELD_FROM` as another C type", "NULL", field_from_of_another_type, CHECKED},
    {"`sett_batch_from` of a term that looks at the visited entity", "NULL", field_from_here,
     EVERY},
    {"`SETT_SYSTEM_FOR` in a system without terms", "an empty loop", loops_without_terms, EVERY},
    {"write a field that is declared `SETT_IN`", "the field", field_written_not_declared, CHECKED},
    {"`sett_batch_at` of a term that the query does not have", "NULL", batch_at_beyond, EVERY},

    {"Groups and observers", NULL, NULL, EVERY},
    {"own a type that another group owns", "NULL", group_owns_an_owned_type, EVERY},
    {"list a type twice in a group", "NULL", group_lists_twice, EVERY},
    {"an observer without a callback", "NULL", observer_without_callback, EVERY},
    {"observe a query with a dont_fragment type", "NULL", observer_of_dont_fragment, EVERY},

    {"Commands", NULL, NULL, EVERY},
    {"destroy the world's own buffer", "ARGUMENT", commands_own_destroyed, EVERY},
    {"record a value of NULL", "ARGUMENT", command_sets_null, EVERY},
    {"record about the null handle", "OK, and the command is skipped", command_about_null, LOGGED},
    {"record about a type that is not registered", "UNREGISTERED", command_unregistered, EVERY},

    {"Systems", NULL, NULL, EVERY},
    {"record into the world's own buffer in a system", "LOCKED", system_records_into_the_own_buffer,
     EVERY},
    {"change structure in a system", "NULL, LOCKED", system_changes_structure, EVERY},
    {"send an event in a system", "LOCKED", system_sends_an_event, EVERY},
    {"attach, detach, order children or relate in a system", "LOCKED, NULL", system_links, EVERY},
    {"name an entity in a system", "LOCKED", system_names, EVERY},
    {"`sett_prefab_share` in a system", "LOCKED", system_shares, EVERY},
    {"create a query or a search in a system", "NULL", system_creates_a_query, EVERY},
    {"read a component that the system did not declare", "the value", system_reads_undeclared,
     LOGGED},
    {"search by a member that the system did not declare", "the results", system_searches, LOGGED},
    {"write an entity as JSON whose components the system did not declare", "the text",
     system_writes_json, LOGGED},
    {"write the data of a link that the system did not declare", "the data", system_writes_a_link,
     LOGGED},
    {"begin a loop in a system by `sett_query_begin` or `SETT_FOR`", "NULL", system_begins_a_query,
     EVERY},
    {"`SETT_CONTEXT_FOR` over a query of another world", "an empty loop", system_loops_elsewhere,
     EVERY},
    {"run a frame in a system", "LOCKED", system_runs_a_frame, EVERY},
    {"two systems of one name", "NULL", system_twice, EVERY},
    {"systems that wait for each other", "NULL", systems_in_a_circle, EVERY},
    {"run before a system that does not exist", "OK", system_before_an_unknown, LOGGED},
    {"a negative time", "ARGUMENT", negative_time, EVERY},

    {"Hierarchies, names, relationships, prefabs", NULL, NULL, EVERY},
    {"attach an entity to its own child", "CYCLE", attach_in_a_cycle, EVERY},
    {"attach to a destroyed parent", "STALE", attach_to_the_dead, EVERY},
    {"give two siblings one name", "CONFLICT", name_taken, EVERY},
    {"a name with a slash", "ARGUMENT", name_with_a_slash, EVERY},
    {"a name that leads up a path", "ARGUMENT", name_that_leads_up, EVERY},
    {"destroy a parent whose policy rejects it", "REJECTED", destroy_rejected, EVERY},
    {"`sett_relate` with a component that is no relationship", "NULL", relate_by_a_component,
     EVERY},
    {"`sett_cmd_relate` with a component that is no relationship", "ARGUMENT",
     record_a_link_by_a_component, LOGGED},
    {"relate to a destroyed entity", "NULL", relate_to_the_dead, EVERY},
    {"instantiate a destroyed prefab", "STALE", instantiate_the_dead, EVERY},
    {"instantiate with a component listed twice", "null", instantiate_twice_listed, EVERY},

    {"Snapshots and deltas", NULL, NULL, EVERY},
    {"restore a snapshot that was never taken", "STALE", restore_what_was_never_taken, EVERY},
    {"restore a dropped snapshot", "STALE", restore_dropped, EVERY},
    {"go back further than a ring reaches", "ARGUMENT", ring_too_far_back, EVERY},
    {"create a group while snapshots are held", "NULL", group_while_snapshots_are_held, EVERY},
    {"write through a const address (`sett_world_check_writes` finds it)", "INVALID",
     write_behind_the_back, EVERY},
    {"clone a world into itself", "ARGUMENT", clone_into_itself, EVERY},
    {"save, or load, a type that owns memory and has SETT_SAVE_BYTES", "ARGUMENT",
     save_what_is_owned, EVERY},
    {"apply a delta that was altered", "INVALID", delta_altered, EVERY},
    {"apply a delta to another state", "CONFLICT", delta_of_another_state, EVERY},
    {"apply a delta twice", "CONFLICT", delta_applied_twice, EVERY},
    {"write in a callback while a delta is applied", "INVALID", delta_written_to, EVERY},
    {"record in a callback while a delta is applied", "LOCKED", delta_recorded, EVERY},

    {"JSON", NULL, NULL, EVERY},
    {"write a single entity, which a lookup did not find", "STALE", json_of_null, EVERY},
    {"write a destroyed entity", "STALE", json_of_the_dead, EVERY},
    {"write the entities of a query of another world", "ARGUMENT", json_of_another_world, EVERY},

    {"Threads", NULL, NULL, EVERY},
    {"write from a second thread", "the address", two_threads_write, LOGGED},
    {"record a creation from a second thread", "the handle", two_threads_reserve, LOGGED},
};

#define ROWS (sizeof(table) / sizeof(table[0]))

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
    if (m->run == NULL) {
        snprintf(line, sizeof(line),
                 "\n## %s\n\n| the program | the call returns | a debug build reports |\n"
                 "|---|---|---|\n",
                 m->what);
    } else {
        snprintf(line, sizeof(line), "| %s | %s%s | %s |\n", m->what, m->returns, builds[m->build],
                 log);
    }
    print(line);
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
    for (size_t k = 0; k < ROWS; k++) {
        const misuse* m = &table[k];
        scene s;
        s.log[0] = '\0';
        if (m->run != NULL) {
            begin(&s);
#if defined(NDEBUG)
            bool runs = m->build != CHECKED;
#else
            bool runs = true;
#endif
            if (runs) {
                m->run(&s);
            }
#if !defined(NDEBUG)
            CHECK_MSG(s.lines != 0, "%s: silent", m->what);
#endif
            end(&s);
        }
        print_row(m, s.log);
    }
    print_silent();
    print_traps();
}

#if !defined(NDEBUG)
static void the_page_is_up_to_date(void)
{
    static char is[sizeof(page)];
    static const char path[] = SETT_DOCS "/misuse.md";
    if (check_setting("SETT_WRITE", 0) != 0) {
        FILE* file = fopen(path, "wb");
        CHECK(file != NULL && fwrite(page, 1, page_size, file) == page_size && fclose(file) == 0);
    }
    FILE* file = fopen(path, "rb");
    CHECK_MSG(file != NULL, "%s is missing: SETT_WRITE=1 writes it", path);
    size_t size = fread(is, 1, sizeof(is) - 1, file);
    fclose(file);
    size_t at = 0;
    while (at < size && is[at] == page[at]) {
        at++;
    }
    CHECK_MSG(size == page_size && at == size,
              "%s, byte %zu, is \"%.60s\", not \"%.60s\": SETT_WRITE=1 writes it", path, at,
              is + at, page + at);
}
#else
static void the_page_is_up_to_date(void)
{
}
#endif

TEST_MAIN(TEST(each_is_reported_and_harmless), TEST(the_page_is_up_to_date))

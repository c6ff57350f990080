/* test_null.c: NULL where a function needs what another could not create: the call does nothing and
 * says so by what it returns, in every build; a debug build names it on stderr. Every public
 * function is here, but for those of which it is the caller's contract (core.h). */
#define SETT_NO_INLINE /* the functions of the library */
#include "sett/advise.h"
#include "sett/describe.h"
#include "sett/hierarchy.h"
#include "sett/layout.h"
#include "sett/name.h"
#include "sett/observer.h"
#include "sett/prefab.h"
#include "sett/relationship.h"
#include "sett/sett.h"
#include "sett/singleton.h"
#include "sett/sparse_set.h"
#include "sett/state.h"
#include "sett/system.h"
#include "sett/threads.h"
#include "worlds.h"

static char called[400][40];
static uint32_t count;

static void note(const char* call)
{
    CHECK(count < 400);
    snprintf(called[count++], 40, "%.*s", (int)strcspn(call, "("), call);
}

#define STATUS(call) (note(#call), CHECK_EQ((call), SETT_STATUS_ARGUMENT))
#define NOTHING(call) (note(#call), CHECK((call) == 0))
#define NOBODY(call) (note(#call), CHECK(sett_is_null(call)))
#define DONE(call) (note(#call), (void)(call))

static void call_sett(void)
{
    sett_stats stats;
    STATUS(sett_layout_auto(NULL, 0));
    NOTHING(sett_world_user(NULL));
    DONE(sett_world_set_user(NULL, NULL));
    DONE(sett_world_own(NULL));
    STATUS(sett_world_reserve(NULL, 0));
    STATUS(sett_world_error(NULL));
    NOTHING(sett_world_message(NULL));
    NOTHING(sett_world_tick(NULL));
    NOTHING(sett_world_advance_tick(NULL));
    NOTHING(sett_component_register(NULL, NULL));
    NOTHING(sett_component_find(NULL, NULL));
    STATUS(sett_component_unregister(NULL, 0));
    STATUS(sett_component_bind(NULL, 0, 0));
    NOTHING(sett_world_alloc(NULL, 0, 0));
    STATUS(sett_world_release(NULL, NULL, 0, 0));
    STATUS(sett_module_import(NULL, NULL, NULL));
    DONE(sett_module_forget(NULL, NULL));
    NOTHING(sett_component_name(NULL, 0));
    STATUS(sett_component_describe(NULL, 0, NULL));
    NOTHING(sett_component_count(NULL, 0));
    STATUS(sett_component_reserve(NULL, 0, 0));
    STATUS(sett_component_clear(NULL, 0));
    NOBODY(sett_component_owner(NULL, 0, NULL));
    STATUS(sett_component_convert(NULL, 0, 0));
    STATUS(sett_component_compact(NULL, 0));
    STATUS(sett_entity_destroy_with(NULL, 0));
    STATUS(sett_entity_set_range(NULL, 0, 0));
    STATUS(sett_entity_forget(NULL, sett_null()));
    NOTHING(sett_entity_valid(NULL, sett_null()));
    NOBODY(sett_entity_at(NULL, 0));
    NOTHING(sett_entity_count(NULL));
    NOBODY(sett_entity_next(NULL, NULL));
    NOTHING(sett_entity_components(NULL, sett_null(), NULL, 0));
    STATUS(sett_entity_reserve(NULL, 0));
    NOTHING(sett_changed_tick(NULL, sett_null(), 0));
    NOTHING(sett_commands_here(NULL));
    NOTHING(sett_commands_create(NULL));
    NOTHING(sett_commands_world(NULL));
    STATUS(sett_commands_apply(NULL));
    DONE(sett_commands_clear(NULL));
    NOTHING(sett_commands_count(NULL));
    NOTHING(sett_commands_describe(NULL, NULL, 0));
    NOBODY(sett_cmd_create(NULL));
    STATUS(sett_cmd_destroy(NULL, sett_null()));
    STATUS(sett_cmd_add(NULL, sett_null(), 0));
    STATUS(sett_cmd_set(NULL, sett_null(), 0, NULL));
    STATUS(sett_cmd_remove(NULL, sett_null(), 0));
    STATUS(sett_cmd_clear(NULL, sett_null()));
    STATUS(sett_cmd_call(NULL, NULL, NULL, 0));
    STATUS(sett_cmd_create_many(NULL, 0, NULL, 0, NULL, NULL));
    STATUS(sett_cmd_destroy_with(NULL, 0));
    STATUS(sett_cmd_component_clear(NULL, 0));
    NOTHING(sett_query_create(NULL, NULL));
    DONE(sett_query_set_since(NULL, 0));
    NOTHING(sett_query_explain(NULL, NULL, 0));
    NOTHING(sett_query_count(NULL));
    NOBODY(sett_query_first(NULL));
    NOTHING(sett_query_matches(NULL, sett_null()));
    DONE(sett_query_end_all(NULL));
    NOTHING(sett_group_create(NULL, NULL));
    NOTHING(sett_group_count(NULL));
    NOTHING(sett_group_has(NULL, sett_null()));
    STATUS(sett_sort(NULL, NULL));
    NOBODY(sett_create_with(NULL, NULL, 0));
    DONE(sett_world_stats(NULL, &stats));
    STATUS(sett_world_validate(NULL, NULL));
    CHECK_EQ(stats.entities, 0);
#if !defined(NDEBUG) /* in release builds these are the caller's contract */
    NOTHING(sett_add(NULL, sett_null(), 0));
    NOTHING(sett_ensure(NULL, sett_null(), 0));
    NOTHING(sett_set(NULL, sett_null(), 0, NULL));
    STATUS(sett_remove(NULL, sett_null(), 0));
    NOBODY(sett_entity_create(NULL));
    STATUS(sett_entity_destroy(NULL, sett_null()));
    NOTHING(sett_get(NULL, sett_null(), 1));
    NOTHING(sett_find(NULL, sett_null(), 1));
    NOTHING(sett_has(NULL, sett_null(), 1));
    NOTHING(sett_get_mut(NULL, sett_null(), 1));
    NOTHING(sett_find_mut(NULL, sett_null(), 1));
#endif
}

static void call_advise(void)
{
    STATUS(sett_profile_begin(NULL));
    STATUS(sett_profile_end(NULL));
    NOTHING(sett_advise(NULL, NULL, 0));
    STATUS(sett_advice_apply(NULL, NULL));
}

static void call_describe(void)
{
    NOTHING(sett_entity_describe(NULL, sett_null(), NULL, 0));
}

static void call_hierarchy(void)
{
    NOTHING(sett_hierarchy_register(NULL, NULL));
    STATUS(sett_hierarchy_attach(NULL, sett_null(), sett_null()));
    STATUS(sett_hierarchy_insert_before(NULL, sett_null(), sett_null()));
    STATUS(sett_hierarchy_insert_after(NULL, sett_null(), sett_null()));
    NOBODY(sett_hierarchy_set_scope(NULL, sett_null()));
    STATUS(sett_hierarchy_order(NULL, sett_null(), NULL, 0));
    STATUS(sett_hierarchy_detach(NULL, sett_null()));
    STATUS(sett_cmd_attach(NULL, sett_null(), sett_null()));
    STATUS(sett_cmd_detach(NULL, sett_null()));
    STATUS(sett_cmd_destroy_children(NULL, sett_null()));
    STATUS(sett_hierarchy_destroy_children(NULL, sett_null()));
    STATUS(sett_hierarchy_set_policy(NULL, sett_null(), 0));
    NOBODY(sett_hierarchy_parent(NULL, sett_null()));
    NOBODY(sett_hierarchy_first(NULL, sett_null()));
    NOBODY(sett_hierarchy_last(NULL, sett_null()));
    NOBODY(sett_hierarchy_next(NULL, sett_null()));
    NOBODY(sett_hierarchy_previous(NULL, sett_null()));
    NOBODY(sett_hierarchy_root(NULL, sett_null()));
    NOTHING(sett_hierarchy_child_count(NULL, sett_null()));
    NOTHING(sett_hierarchy_is_descendant(NULL, sett_null(), sett_null()));
    NOBODY(sett_hierarchy_walk(NULL, sett_null(), sett_null()));
    NOTHING(sett_hierarchy_depth(NULL, sett_null()));
    DONE(sett_hierarchy_update(NULL));
    STATUS(sett_hierarchy_sort(NULL, 0));
}

static void call_layout(void)
{
    NOTHING(sett_layout_describe(NULL, NULL, 0));
    NOTHING(sett_layout_step(NULL, 0));
}

static void call_name(void)
{
    NOTHING(sett_name_register(NULL));
    STATUS(sett_name_set(NULL, sett_null(), NULL));
    STATUS(sett_cmd_name_set(NULL, sett_null(), NULL));
    NOTHING(sett_name_get(NULL, sett_null()));
    NOBODY(sett_name_find(NULL, sett_null(), NULL));
    NOBODY(sett_name_lookup(NULL, sett_null(), NULL));
    NOTHING(sett_name_path(NULL, sett_null(), NULL, 0));
    NOBODY(sett_name_next(NULL, NULL, NULL));
}

static void call_observer(void)
{
    NOTHING(sett_observer_create(NULL, NULL));
    DONE(sett_observer_enable(NULL, 0));
    NOTHING(sett_observer_is_enabled(NULL));
}

static void call_prefab(void)
{
    NOBODY(sett_instantiate_with(NULL, NULL));
    NOTHING(sett_prefab_tag(NULL));
    NOTHING(sett_disabled_tag(NULL));
    STATUS(sett_prefab_make(NULL, sett_null()));
    NOBODY(sett_cmd_instantiate(NULL, sett_null()));
    NOTHING(sett_cmd_instantiate_tree(NULL, sett_null(), NULL, 0));
    NOTHING(sett_instance_of(NULL));
    STATUS(sett_prefab_share(NULL, 0, 0));
    NOTHING(sett_prefab_get(NULL, sett_null(), 0));
    NOTHING(sett_prefab_override(NULL, sett_null(), 0));
}

static void call_relationship(void)
{
    NOTHING(sett_relationship_register(NULL, NULL));
    NOTHING(sett_relationship_sources(NULL, 0));
    NOTHING(sett_relate(NULL, sett_null(), 0, sett_null()));
    NOTHING(sett_relate_set(NULL, sett_null(), 0, sett_null(), NULL));
    NOBODY(sett_target_changed(NULL, sett_null(), 0));
    STATUS(sett_unrelate(NULL, sett_null(), 0, sett_null()));
    STATUS(sett_unrelate_sources(NULL, 0, sett_null()));
    NOTHING(sett_is_related(NULL, sett_null(), 0, sett_null()));
    NOTHING(sett_related(NULL, sett_null(), 0, sett_null()));
    NOTHING(sett_related_mut(NULL, sett_null(), 0, sett_null()));
    NOBODY(sett_target(NULL, sett_null(), 0));
    NOBODY(sett_find_up(NULL, sett_null(), 0, 0));
    NOTHING(sett_target_count(NULL, sett_null(), 0));
    NOTHING(sett_source_count(NULL, 0, sett_null()));
    STATUS(sett_cmd_relate(NULL, sett_null(), 0, sett_null(), NULL));
    STATUS(sett_cmd_unrelate(NULL, sett_null(), 0, sett_null()));
    NOBODY(sett_target_next(NULL, sett_null(), 0, NULL));
    NOBODY(sett_source_next(NULL, 0, sett_null(), NULL));
}

static void call_singleton(void)
{
    NOBODY(sett_singletons(NULL));
    NOTHING(sett_singleton_ensure(NULL, 0));
    NOTHING(sett_singleton_set(NULL, 0, NULL));
    NOTHING(sett_singleton_find(NULL, 0));
    NOTHING(sett_singleton_find_mut(NULL, 0));
    STATUS(sett_singleton_remove(NULL, 0));
}

static void call_sparse_set(void)
{
    STATUS(sett_sparse_set_add(NULL, NULL));
    STATUS(sett_sparse_set_request(NULL, 0));
    STATUS(sett_sparse_set_remove(NULL, 0));
    DONE(sett_sparse_set_clear(NULL));
    NOTHING(sett_sparse_set_has(NULL, 0));
    NOTHING(sett_sparse_set_count(NULL));
    STATUS(sett_sparse_set_reserve(NULL, 0));
    NOTHING(sett_sparse_set_at(NULL, 0));
    NOTHING(sett_sparse_set_row(NULL, 0));
    STATUS(sett_sparse_set_sort(NULL, NULL, NULL));
    STATUS(sett_sparse_set_validate(NULL, NULL));
}

static void call_state(void)
{
    sett_snapshot_stats snapshot_stats;
    const sett_snapshot none = {0, 0};
    NOTHING(sett_world_hash(NULL));
    STATUS(sett_world_clone(NULL, NULL));
    NOTHING(sett_frame_wait(NULL, 60));
    NOTHING(sett_world_difference(NULL, NULL, NULL, 0));
    STATUS(sett_world_check_writes(NULL));
    STATUS(sett_snapshot_take(NULL, NULL));
    STATUS(sett_snapshot_restore(NULL, none));
    STATUS(sett_snapshot_drop(NULL, none));
    DONE(sett_snapshot_drop_all(NULL));
    STATUS(sett_snapshot_status(NULL, none));
    STATUS(sett_snapshot_hash(NULL, none, NULL));
    STATUS(sett_snapshot_set_options(NULL, NULL));
    DONE(sett_snapshot_stats_get(NULL, &snapshot_stats));
    STATUS(sett_delta_encode(NULL, none, none, NULL, 0, NULL));
    STATUS(sett_state_encode(NULL, NULL, 0, NULL));
    STATUS(sett_delta_types(NULL, NULL, 0, NULL, 0, NULL));
    STATUS(sett_delta_shorten(NULL, NULL, 0, NULL, 0, NULL, 0, NULL));
    STATUS(sett_delta_expand(NULL, NULL, 0, NULL, 0, NULL, 0, NULL));
    STATUS(sett_selection_hash(NULL, NULL, false, NULL));
    NOTHING(sett_selection_difference(NULL, NULL, NULL, NULL, 0));
    STATUS(sett_selection_encode(NULL, NULL, none, NULL, 0, NULL));
    STATUS(sett_selection_apply(NULL, NULL, 0, NULL));
    STATUS(sett_selection_copy(NULL, NULL, 0, NULL));
    STATUS(sett_state_apply(NULL, NULL, 0, 0));
    STATUS(sett_state_hash(NULL, NULL));
    NOTHING(sett_ring_create(NULL, 0));
    STATUS(sett_ring_take(NULL));
    STATUS(sett_ring_restore(NULL, 0));
    STATUS(sett_ring_take_frame(NULL, 0));
    STATUS(sett_ring_restore_frame(NULL, 0));
    DONE(sett_ring_at_frame(NULL, 0));
    NOTHING(sett_random_shuffle(NULL, 0, 0, 0, NULL, 0));
    NOTHING(sett_query_read(NULL, 0, NULL, 0));
    NOTHING(sett_query_write(NULL, 0, NULL, 0));
    NOTHING(sett_ring_count(NULL));
    DONE(sett_ring_at(NULL, 0));
}

static void call_system(void)
{
    sett_system_stats system_stats;
    NOTHING(sett_system_create(NULL, NULL));
    STATUS(sett_system_order(NULL, NULL));
    NOTHING(sett_system_find(NULL, NULL));
    NOTHING(sett_system_name(NULL));
    DONE(sett_system_enable(NULL, 0));
    NOTHING(sett_system_is_enabled(NULL));
    NOTHING(sett_system_query(NULL));
    DONE(sett_system_stats_get(NULL, &system_stats));
    STATUS(sett_progress(NULL, 0));
    STATUS(sett_progress_phases(NULL, 0, 0, 0));
    NOTHING(sett_system_next(NULL, NULL));
    STATUS(sett_system_run(NULL, 0));
    STATUS(sett_system_run_with(NULL, 0, NULL));
    STATUS(sett_schedule_configure(NULL, NULL));
    NOTHING(sett_schedule_describe(NULL, NULL, 0));
}

static void call_threads(void)
{
    NOTHING(sett_threads_count(NULL));
}

static void null_is_harmless_and_named(void)
{
    static const char path[] = "test_null.txt";
    static char log[40000];
    CHECK(freopen(path, "w", stderr) != NULL);
    call_sett();
    call_advise();
    call_describe();
    call_hierarchy();
    call_layout();
    call_name();
    call_observer();
    call_prefab();
    call_relationship();
    call_singleton();
    call_sparse_set();
    call_state();
    call_system();
    call_threads();
    CHECK(sett_threads_tasks(NULL).enqueue == NULL); /* says no threads, without a word */
    fflush(stderr);
    FILE* file = fopen(path, "r");
    CHECK(file != NULL);
    size_t size = fread(log, 1, sizeof(log) - 1, file);
    fclose(file);
    remove(path);
#if defined(NDEBUG)
    CHECK_EQ(size, 0);
#else
    CHECK(size != 0 && strstr(log, "sett_threads_tasks") == NULL);
    for (uint32_t k = 0; k < count; k++) {
        char line[64];
        snprintf(line, sizeof(line), "sett: error: %s: `", called[k]);
        if (strstr(log, line) == NULL) {
            printf("%s is not named\n", called[k]); /* stderr is the file by now */
        }
        CHECK_MSG(strstr(log, line) != NULL, "%s is not named", called[k]);
    }
#endif
}

static void run_nothing(sett_context* context)
{
    (void)context;
}

static void a_descriptor_is_needed(void)
{
    sett_world* world = quiet_world();
    CHECK_EQ(sett_component_register(world, NULL), 0);
    CHECK_EQ(sett_relationship_register(world, NULL), 0);
    CHECK(sett_query_create(world, NULL) == NULL);
    CHECK(sett_is_null(sett_instantiate_with(world, NULL)));
    CHECK(sett_group_create(world, NULL) == NULL);
    CHECK(sett_observer_create(world, NULL) == NULL);
    CHECK(sett_system_create(world, NULL) == NULL);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_ARGUMENT);
    CHECK_STR_EQ(sett_world_message(world),
                 "sett_system_create: the descriptor is NULL - pass the address of a descriptor");
    CHECK_EQ(sett_schedule_configure(world, NULL), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_sort(world, NULL), SETT_STATUS_ARGUMENT);
    CHECK_END(world);
}

static void a_second_object_is_needed(void)
{
    sett_world* world = quiet_world();
    uint64_t sum;
    size_t size;
    char text[16];
    sett_system* system =
        sett_system_create(world, &(sett_system_desc){.name = "only", .run = run_nothing});
    CHECK(system != NULL);
    CHECK_EQ(sett_system_order(system, NULL), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_world_clone(world, NULL), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_world_difference(world, NULL, text, sizeof(text)), 0);
    CHECK(sett_system_next(world, NULL) == system);
    CHECK_EQ(sett_selection_hash(world, NULL, true, &sum), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_selection_encode(world, NULL, (sett_snapshot){0}, NULL, 0, &size),
             SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_selection_difference(world, NULL, &(sett_selection){0}, text, sizeof(text)), 0);
    CHECK(sett_selection_difference(world, world, NULL, text, sizeof(text)) != 0);
    CHECK_EQ(sett_selection_copy(world, &(sett_selection){0}, 0, NULL), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_selection_copy(world, NULL, 0, world), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_layout_apply(world, NULL), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_advice_apply(world, NULL), SETT_STATUS_ARGUMENT);
    CHECK(sett_name_register(world) != 0);
    sett_search* search = sett_search_create(world, "Name($e)");
    CHECK_MSG(search != NULL, "%s", sett_world_message(world));
    CHECK_EQ(sett_search_variable(search, NULL), UINT32_MAX);
    CHECK_EQ(sett_search_variable(search, "e"), 0);
    sett_search_describe(search, NULL);
    CHECK_END(world);
}

TEST_MAIN(TEST(a_second_object_is_needed), TEST(null_is_harmless_and_named),
          TEST(a_descriptor_is_needed))

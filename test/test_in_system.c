/* test_in_system.c: calls that change what a world shares, from inside a system. They are rejected
 * on one thread as on four, in every build, and change nothing; an exclusive system may make them.
 * What a system may read there, it may read beside others. Meant for the thread sanitizer as much
 * as for its own checks (tools/test.sh tsan). */
#include "sett/threads.h"
#include "worlds.h"

#include "world/world.h"

#include <stdatomic.h>

typedef struct Place {
    uint32_t number;
} Place;

#define KINDS(COMPONENT, TAG)                                                                      \
    COMPONENT(Place, .members = SETT_STRUCT(Place, number))                                        \
    TAG(Likes, .relationship = SETT_RELATIONSHIP())
SETT_COMPONENTS(KINDS)

enum {
    PLACES = 5000 /* several jobs */
};

typedef struct scene scene;

struct scene {
    sett_world* world;
    sett_entity home, away;
    sett_entity child[2]; /* of home, named, and with a parent to go to */
    sett_query* query;
    sett_search* search;
    sett_ordered* ordered;
    sett_commands* own;
    sett_observer* observer;
    sett_system* system;
    sett_snapshot snapshot;
    bool (*call)(scene* s);
    atomic_uint accepted;
    atomic_uint rejected;
    atomic_uint lines;
};

static void hear(void* user, sett_log_level level, const char* message)
{
    scene* s = user;
    if (level == SETT_LOG_ERROR && strstr(message, "declare the system as `exclusive`") != NULL) {
        atomic_fetch_add(&s->lines, 1);
    }
}

static void note(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)world, (void)entity, (void)value, (void)user;
}

static void do_nothing(sett_context* context)
{
    (void)context;
}

static void begin(scene* s)
{
    memset(s, 0, sizeof(*s));
    s->world = sett_world_create(&(sett_world_desc){.log_fn = hear, .hook_user = s});
    CHECK_EQ(SETT_REGISTER_ALL(s->world, KINDS), SETT_OK);
    s->home = sett_entity_create(s->world);
    s->away = sett_entity_create(s->world);
    CHECK_EQ(sett_name_set(s->world, s->away, "away"), SETT_OK);
    CHECK_EQ(sett_hierarchy_attach(s->world, s->home, s->away), SETT_OK);
    for (uint32_t k = 0; k < PLACES; k++) {
        char name[16];
        sett_entity e = SETT_CREATE(s->world, SETT_VALUE(Place, k));
        snprintf(name, sizeof(name), "n%u", (unsigned)k);
        CHECK_EQ(sett_name_set(s->world, e, name), SETT_OK);
        CHECK_EQ(sett_hierarchy_attach(s->world, e, s->home), SETT_OK);
        if (k < 2) {
            s->child[k] = e;
        }
    }
    s->query = SETT_QUERY_CREATE(s->world, SETT_IN(Place));
    s->search = sett_search_create(s->world, "Place($x)");
    s->ordered = sett_ordered_create(s->world, &(sett_ordered_desc){.text = "Place"});
    s->own = sett_commands_create(s->world);
    s->observer = sett_observer_create(
        s->world, &(sett_observer_desc){.component = Place_id, .on_remove = note});
    s->system =
        sett_system_create(s->world, &(sett_system_desc){.name = "other", .run = do_nothing});
    CHECK(s->query != NULL && s->search != NULL && s->ordered != NULL && s->own != NULL);
    CHECK(s->observer != NULL && s->system != NULL);
    CHECK_EQ(sett_snapshot_take(s->world, &s->snapshot), SETT_OK);
}

/* ---- Calls, and whether they were rejected -------------------------------------------------- */

#define CALL(name, ...)                                                                            \
    static bool name(scene* s)                                                                     \
    {                                                                                              \
        sett_world* world = s->world;                                                              \
        (void)world;                                                                               \
        __VA_ARGS__                                                                                \
    }
#define FAILS(name, call) CALL(name, return (call) == SETT_STATUS_LOCKED;)

FAILS(attaches, sett_hierarchy_attach(world, s->child[0], s->away))
FAILS(attaches_new, sett_hierarchy_attach(world, s->away, s->child[0]))
FAILS(detaches, sett_hierarchy_detach(world, s->child[0]))
FAILS(orders, sett_hierarchy_order(world, s->home, &s->child[1], 1))
FAILS(inserts_before, sett_hierarchy_insert_before(world, s->child[1], s->child[0]))
FAILS(inserts_after, sett_hierarchy_insert_after(world, s->child[0], s->child[1]))
FAILS(sets_policy, sett_hierarchy_set_policy(world, s->child[0], SETT_CHILDREN_DETACH))
FAILS(names, sett_name_set(world, s->child[0], "other"))
FAILS(shares, sett_prefab_share(world, Place_id, true))
FAILS(unrelates, sett_unrelate(world, s->child[0], Likes_id, s->home))
FAILS(drops_snapshot, sett_snapshot_drop(world, s->snapshot))
FAILS(sets_options, sett_snapshot_set_options(world, &(sett_snapshot_options){0}))
FAILS(reserves_memory, sett_world_reserve(world, 1 << 20))
FAILS(reserves_entities, sett_entity_reserve(world, 100000))
FAILS(reserves_values, sett_component_reserve(world, Place_id, 100000))
FAILS(lays_out, sett_layout_auto(world, 100))
FAILS(binds, sett_search_bind(s->search, 0, s->home))
FAILS(checks_writes, sett_world_check_writes(world))
FAILS(sets_by_json, sett_json_set(world, s->child[0], Place_id, "{\"number\": 9}", 13))
FAILS(imports, sett_module_import(world, "none", NULL))
CALL(relates, return sett_relate(world, s->child[0], Likes_id, s->home) == NULL;)
CALL(relates_set, return sett_relate_set(world, s->child[0], Likes_id, s->home, NULL) == NULL;)
CALL(registers,
     return sett_hierarchy_register(world, &(sett_hierarchy_desc){SETT_CHILDREN_REJECT}) == 0;)
CALL(registers_relationship,
     return sett_relationship_register(world, &(sett_relationship_desc){.name = "New"}) == 0;)
CALL(sets_scope, (void)sett_hierarchy_set_scope(world, s->home);
     sett_entity root = sett_hierarchy_set_scope(world, sett_null()); return sett_is_null(root);)
CALL(ensures_name, return sett_is_null(sett_name_ensure(world, sett_null(), "away/new"));)
CALL(queries, return SETT_QUERY_CREATE(world, SETT_WITH(Place)) == NULL;)
CALL(searches, return sett_search_create(world, "Place($y)") == NULL;)
CALL(parses, sett_query_desc desc;
     return sett_query_parse(world, "Place", &desc) == SETT_STATUS_LOCKED;)
CALL(sorts, uint32_t count; return sett_ordered_update(s->ordered, &count) == NULL;)
CALL(sorts_rows, uint32_t count;
     return sett_ordered_rows(s->ordered, sett_hierarchy_id, SETT_IN, &count) == NULL;)
CALL(ends_order, sett_ordered_destroy(s->ordered); return true;)
CALL(creates_buffer, return sett_commands_create(world) == NULL;)
CALL(creates_ring, return sett_ring_create(world, 2) == NULL;)
CALL(clears_buffer, sett_commands_clear(s->own); return true;)
CALL(hashes, return sett_world_hash(world) == 0;)
CALL(advances, uint64_t tick = sett_world_tick(world);
     return sett_world_advance_tick(world) == tick && sett_world_tick(world) == tick;)
CALL(stops_observer, sett_observer_enable(s->observer, false);
     return sett_observer_is_enabled(s->observer);)
CALL(stops_system, sett_system_enable(s->system, false); return sett_system_is_enabled(s->system);)
CALL(drops_all, sett_snapshot_drop_all(world);
     return sett_snapshot_status(world, s->snapshot) == SETT_OK;)
CALL(updates_depths, sett_hierarchy_update(world); return true;)
CALL(forgets, sett_module_forget(world, "none"); return true;)
CALL(sets_since, sett_query_set_since(s->query, 1); return true;)
CALL(swaps_failure, sett_failure failure = {SETT_STATUS_FILE, ""};
     sett_world_swap_failure(world, &failure); return failure.status == SETT_STATUS_FILE;)

static bool (*const calls[])(scene* s) = {
    attaches,        attaches_new,
    detaches,        orders,
    inserts_before,  inserts_after,
    sets_policy,     names,
    shares,          unrelates,
    drops_snapshot,  sets_options,
    reserves_memory, reserves_entities,
    reserves_values, lays_out,
    binds,           checks_writes,
    sets_by_json,    imports,
    relates,         relates_set,
    registers,       registers_relationship,
    sets_scope,      ensures_name,
    queries,         searches,
    parses,          sorts,
    sorts_rows,      ends_order,
    creates_buffer,  creates_ring,
    clears_buffer,   hashes,
    advances,        stops_observer,
    stops_system,    drops_all,
    updates_depths,  forgets,
    sets_since,      swaps_failure,
};

static void try_to(sett_context* context)
{
    scene* s = context->user;
    SETT_SYSTEM_EACH(context, b) {
        (void)b;
        for (uint32_t k = 0; k < 4; k++) {
            atomic_fetch_add(s->call(s) ? &s->rejected : &s->accepted, 1);
        }
    }
}

static void are_rejected(uint32_t workers)
{
    scene s;
    begin(&s);
    sett_threads* threads = workers != 0 ? sett_threads_create(workers, NULL) : NULL;
    if (threads != NULL) {
        sett_schedule_desc desc = {.tasks = sett_threads_tasks(threads), .no_times = true};
        CHECK_EQ(sett_schedule_configure(s.world, &desc), SETT_OK);
    }
    CHECK(sett_system_create(s.world, &(sett_system_desc){.name = "tries",
                                                          .run = try_to,
                                                          .user = &s,
                                                          .terms = {SETT_INOUT(Place)}}) != NULL);
    uint64_t hash = sett_world_hash(s.world);
    for (uint32_t k = 0; k < sizeof(calls) / sizeof(calls[0]); k++) {
        s.call = calls[k];
        atomic_store(&s.accepted, 0);
        atomic_store(&s.rejected, 0);
        atomic_store(&s.lines, 0);
        CHECK_EQ(sett_progress(s.world, 1), SETT_OK);
        CHECK_MSG(atomic_load(&s.accepted) == 0, "call %u was accepted", (unsigned)k);
        CHECK(atomic_load(&s.rejected) >= 8);
#if !defined(NDEBUG)
        CHECK_MSG(atomic_load(&s.lines) != 0, "call %u is silent", (unsigned)k);
#endif
        CHECK_VALID(s.world);
        CHECK_EQ(sett_world_hash(s.world), hash);
    }
    CHECK_EQ(sett_hierarchy_child_count(s.world, s.home), PLACES);
    sett_ordered_destroy(s.ordered);
    CHECK_EQ(sett_search_destroy(s.search), SETT_OK);
    CHECK_END(s.world);
    sett_threads_destroy(threads);
}

static void writers_are_rejected_in_systems(void)
{
    are_rejected(0);
}

static void and_beside_others(void)
{
    are_rejected(1);
    are_rejected(4);
}

static void change_links(sett_context* context)
{
    scene* s = context->user;
    CHECK_EQ(sett_hierarchy_attach(s->world, s->child[0], s->away), SETT_OK);
    CHECK_EQ(sett_name_set(s->world, s->child[0], "moved"), SETT_OK);
    CHECK(sett_world_hash(s->world) != 0);
}

static void exclusive_systems_change_links(void)
{
    scene s;
    begin(&s);
    CHECK(sett_system_create(s.world, &(sett_system_desc){.name = "moves",
                                                          .run = change_links,
                                                          .user = &s,
                                                          .exclusive = true}) != NULL);
    CHECK_EQ(sett_progress(s.world, 1), SETT_OK);
    CHECK_ENTITY_EQ(sett_name_lookup(s.world, sett_null(), "away/moved"), s.child[0]);
    CHECK_EQ(atomic_load(&s.lines), 0);
    sett_ordered_destroy(s.ordered);
    CHECK_EQ(sett_search_destroy(s.search), SETT_OK);
    CHECK_END(s.world);
}

static void hash_each_step(sett_world* world, sett_system* system, bool commands, void* user)
{
    (void)system, (void)commands;
    *(uint64_t*)user = sett_world_hash(world);
}

static void a_step_can_hash(void)
{
    scene s;
    uint64_t hash = 0;
    begin(&s);
    s.call = attaches;
    CHECK(sett_system_create(s.world, &(sett_system_desc){.name = "tries",
                                                          .run = try_to,
                                                          .user = &s,
                                                          .terms = {SETT_INOUT(Place)}}) != NULL);
    CHECK_EQ(sett_schedule_watch(s.world, hash_each_step, &hash), SETT_OK);
    CHECK_EQ(sett_progress(s.world, 1), SETT_OK);
    CHECK_EQ(atomic_load(&s.accepted), 0);
    CHECK_EQ(hash, sett_world_hash(s.world));
    sett_ordered_destroy(s.ordered);
    CHECK_EQ(sett_search_destroy(s.search), SETT_OK);
    CHECK_END(s.world);
}

/* ---- Reading --------------------------------------------------------------------------------- */

static void read_names(sett_context* context)
{
    scene* s = context->user;
    CHECK(s->world->naming->ready(s->world)); /* no job rebuilds the index */
    SETT_SYSTEM_FOR(context, b, i) {
        char name[16];
        char path[40];
        sett_entity e = sett_batch_entity(b, i);
        snprintf(name, sizeof(name), "n%u", (unsigned)SETT_FIELD(b, 0, Place)[i].number);
        bool same = sett_name_get(s->world, e) != NULL &&
                    strcmp(sett_name_get(s->world, e), name) == 0 &&
                    sett_equals(sett_name_find(s->world, s->home, name), e) &&
                    sett_name_path(s->world, e, path, sizeof(path)) > strlen(name);
        same = same && sett_hierarchy_depth(s->world, e) ==
                           (sett_is_null(sett_hierarchy_parent(s->world, s->home)) ? 1u : 2u);
        atomic_fetch_add(same ? &s->accepted : &s->rejected, 1);
    }
}

static void names_and_depths_are_read_after_a_restore(void)
{
    scene s;
    begin(&s);
    sett_threads* threads = sett_threads_create(4, NULL);
    sett_schedule_desc desc = {.tasks = sett_threads_tasks(threads), .no_times = true};
    CHECK_EQ(sett_schedule_configure(s.world, &desc), SETT_OK);
    CHECK(sett_system_create(s.world, &(sett_system_desc){.name = "reads",
                                                          .run = read_names,
                                                          .user = &s,
                                                          .terms = {SETT_IN(Place)}}) != NULL);
    for (uint32_t k = 0; k < 6; k++) {
        if (k % 2 == 0) {
            CHECK_EQ(sett_snapshot_restore(s.world, s.snapshot), SETT_OK);
        } else { /* with all its children: their depths are outdated */
            CHECK_EQ(sett_hierarchy_detach(s.world, s.home), SETT_OK);
        }
        atomic_store(&s.accepted, 0);
        CHECK_EQ(sett_progress(s.world, 1), SETT_OK);
        CHECK_EQ(atomic_load(&s.accepted), PLACES);
        CHECK_EQ(atomic_load(&s.rejected), 0);
    }
    sett_ordered_destroy(s.ordered);
    CHECK_EQ(sett_search_destroy(s.search), SETT_OK);
    CHECK_END(s.world);
    sett_threads_destroy(threads);
}

TEST_MAIN(TEST(writers_are_rejected_in_systems), TEST(and_beside_others),
          TEST(exclusive_systems_change_links), TEST(a_step_can_hash),
          TEST(names_and_depths_are_read_after_a_restore))

/* systems.c: misuses of systems and threads. */
#include "misuse_table.h"

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
    (void)sett_is_related(c->world, s->e, s->owes, s->f); /* not this */
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
    SETT_CONTEXT_FOR(c, misuse_query_elsewhere(s), b, i)
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

void misuse_follow_links(scene* s)
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

static void reads_a_singleton(sett_context* c)
{
    CHECK(SETT_SINGLETON_GET(c->world, Velocity) != NULL);
}

static void system_reads_a_singleton(scene* s)
{
    SETT_SINGLETON_SET(s->world, Velocity, .x = 1);
    run_system(s, "steers", reads_a_singleton);
}

static const misuse systems_rows[] = {
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
    {"read a singleton that the system did not declare", "the value", system_reads_a_singleton,
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
};

const misuse_section misuse_systems = MISUSE_SECTION("Systems", systems_rows);

static const misuse threads_rows[] = {
    {"write from a second thread", "the address", two_threads_write, LOGGED},
    {"record a creation from a second thread", "the handle", two_threads_reserve, LOGGED},
};

const misuse_section misuse_threads = MISUSE_SECTION("Threads", threads_rows);

/* test_slice.c: which buffer a call records into: that of the job on this thread, the one that is
 * being applied, or the world's own, which takes nothing while systems run that may run side by
 * side. Meant for the thread sanitizer as well. */
#include "sett/observer.h"
#include "sett/relationship.h"
#include "sett/strings.h"
#include "sett/threads.h"
#include "worlds.h"

#include "run/run.h"

#include <stdatomic.h>

#define ENTITIES 20000

typedef struct scene {
    sett_world* world;
    sett_threads* threads;
    sett_component a, b, tag, late;
    atomic_uint calls;
    sett_status status; /* of what a system tried */
    sett_commands* own; /* the world's own buffer */
    setti_lock log_lock;
    char log[4000];
} scene;

static void keep_log(void* user, sett_log_level level, const char* message)
{
    scene* s = user;
    (void)level;
    setti_lock_take(&s->log_lock); /* jobs log from their threads */
    if (strlen(s->log) + strlen(message) < sizeof(s->log)) {
        strcat(s->log, message);
    }
    setti_lock_release(&s->log_lock);
}

static sett_component type_of(scene* s, const char* name, size_t size)
{
    sett_component id =
        sett_component_register(s->world, &(sett_component_desc){.name = name, .size = size});
    CHECK(id != 0);
    return id;
}

/* `workers`: 0 for no tasks at all. */
static void scene_begin(scene* s, uint32_t workers)
{
    memset(s, 0, sizeof(*s));
    s->world = sett_world_create(&(sett_world_desc){.log_fn = keep_log, .hook_user = s, .user = s});
    s->own = sett_commands_here(s->world);
    s->a = type_of(s, "A", 4);
    s->b = type_of(s, "B", 4);
    s->tag = type_of(s, "Tag", 0);
    s->late = type_of(s, "Late", 0);
    if (workers != 0) {
        s->threads = sett_threads_create(workers, NULL);
        sett_schedule_desc desc = {.tasks = sett_threads_tasks(s->threads), .no_times = true};
        CHECK_EQ(sett_schedule_configure(s->world, &desc), SETT_OK);
    }
    CHECK_EQ(sett_entity_create_many(s->world, ENTITIES, &s->a, 1, NULL, NULL), SETT_OK);
}

static void scene_end(scene* s)
{
    CHECK_END(s->world);
    CHECK_EQ(sett_threads_destroy(s->threads), SETT_OK);
}

static void make(scene* s, void (*run)(sett_context*), bool exclusive)
{
    sett_system_desc desc = {.name = "records", .run = run, .user = s, .exclusive = exclusive};
    desc.terms[0] = (sett_term){.component = s->a, .access = SETT_IN};
    CHECK(sett_system_create(s->world, &desc) != NULL);
}

/* ---- In systems ------------------------------------------------------------------------------ */

static void tags_all(sett_context* c)
{
    scene* s = c->user;
    atomic_fetch_add(&s->calls, 1);
    CHECK_PTR_EQ(sett_commands_here(c->world), c->commands);
    SETT_SYSTEM_EACH(c, batch) {
        SETT_EACH(batch, i) {
            sett_commands* commands = sett_commands_here(c->world);
            CHECK_EQ(sett_cmd_add(commands, sett_batch_entity(batch, i), s->tag), SETT_OK);
            CHECK_PTR_EQ(commands, c->commands);
        }
    }
}

static void a_system_finds_the_buffer_of_its_job(void)
{
    for (uint32_t workers = 0; workers <= 4; workers++) {
        scene s;
        scene_begin(&s, workers);
        make(&s, tags_all, false);
        CHECK_EQ(sett_progress(s.world, 1), SETT_OK);
        CHECK(atomic_load(&s.calls) > 1);
        CHECK_EQ(sett_component_count(s.world, s.tag), ENTITIES);
        CHECK_PTR_EQ(sett_commands_here(s.world), sett_commands_here(s.world));
        CHECK_STR_EQ(s.log, "");
        scene_end(&s);
    }
}

static void finds_its_buffer(sett_context* c)
{
    CHECK_PTR_EQ(sett_commands_here(c->world), c->commands);
}

static void changes_at_once(sett_context* c)
{
    scene* s = c->user;
    if (c->job == 0) {
        CHECK(sett_is_null(sett_entity_create(c->world)));
        CHECK_EQ(sett_cmd_add(s->own, sett_entity_at(c->world, 0), s->tag), SETT_STATUS_LOCKED);
        sett_batch batch;
        CHECK(sett_query_begin(sett_system_query(c->system), &batch) == NULL);
    }
}

/* Beside others, messages name the system of the job that calls. */
static void the_system_of_the_job_is_named(void)
{
    for (uint32_t workers = 0; workers <= 4; workers += 2) {
        scene s;
        scene_begin(&s, workers);
        for (int k = 0; k < 3; k++) {
            sett_system_desc desc = {.name = k == 0   ? "first"
                                             : k == 1 ? "second"
                                                      : "third",
                                     .run = k == 1 ? changes_at_once : finds_its_buffer,
                                     .user = &s,
                                     .terms = {{.component = s.a, .access = SETT_IN}}};
            CHECK(sett_system_create(s.world, &desc) != NULL);
        }
        CHECK_EQ(sett_progress(s.world, 1), SETT_OK);
#if !defined(NDEBUG)
        CHECK_MSG(
            strstr(s.log,
                   "sett_entity_create: system \"second\" is running - use sett_cmd_create") !=
                    NULL &&
                strstr(s.log, "closed while system \"second\" runs - ") != NULL &&
                strstr(s.log, ": system \"second\" is running - loop with SETT_CONTEXT_FOR") !=
                    NULL,
            "%s", s.log);
#endif
        scene_end(&s);
    }
}

static void* enqueue_backwards(sett_task_fn task, uint32_t count, uint32_t min_range, void* context,
                               void* user)
{
    (void)min_range, (void)user;
    for (uint32_t k = count; k > 0; k--) {
        task(k - 1, k, context);
    }
    return NULL;
}

static void finish_nothing(void* handle, void* user)
{
    (void)handle, (void)user;
}

static void the_order_of_jobs_does_not_matter(void)
{
    scene s;
    scene_begin(&s, 0);
    sett_schedule_desc desc = {.tasks = {enqueue_backwards, finish_nothing, NULL},
                               .no_times = true};
    CHECK_EQ(sett_schedule_configure(s.world, &desc), SETT_OK);
    make(&s, tags_all, false);
    CHECK_EQ(sett_progress(s.world, 1), SETT_OK);
    CHECK_EQ(sett_component_count(s.world, s.tag), ENTITIES);
    scene_end(&s);
}

/* ---- The wrong buffer ------------------------------------------------------------------------ */

static void records_into_the_wrong_buffer(sett_context* c)
{
    scene* s = c->user;
    sett_commands* own = s->own;
    sett_entity e = sett_entity_at(c->world, 7);
    CHECK(own != c->commands);
    CHECK_EQ(sett_cmd_add(own, e, s->tag), SETT_STATUS_LOCKED);
    CHECK_EQ(sett_cmd_set(own, e, s->b, &(uint32_t){1}), SETT_STATUS_LOCKED);
    CHECK_EQ(sett_cmd_remove(own, e, s->a), SETT_STATUS_LOCKED);
    CHECK_EQ(sett_cmd_clear(own, e), SETT_STATUS_LOCKED);
    CHECK_EQ(sett_cmd_destroy(own, e), SETT_STATUS_LOCKED);
    CHECK(sett_is_null(sett_cmd_create(own)));
    CHECK_EQ(sett_commands_count(own), 0);
    sett_commands_clear(own);
    CHECK_EQ(sett_commands_destroy(own), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_commands_destroy(c->commands), SETT_STATUS_LOCKED);
    atomic_fetch_add(&s->calls, 1);
}

static void the_worlds_own_buffer_is_closed_to_systems(void)
{
    for (uint32_t workers = 0; workers <= 4; workers += 2) {
        scene s;
        scene_begin(&s, workers);
        sett_commands* own = s.own;
        make(&s, records_into_the_wrong_buffer, false);
        for (uint32_t frame = 0; frame < 3; frame++) { /* with chunks to write to, and without */
            CHECK_EQ(sett_progress(s.world, 1), SETT_OK);
            CHECK_EQ(sett_commands_count(own), 0);
            CHECK_EQ(sett_cmd_add(own, sett_entity_at(s.world, frame), s.late), SETT_OK);
        }
        CHECK(atomic_load(&s.calls) > 3);
        CHECK_EQ(sett_component_count(s.world, s.late), 2);
        CHECK_EQ(sett_component_count(s.world, s.tag), 0);
#if !defined(NDEBUG)
        CHECK_MSG(strstr(s.log,
                         "add \"Tag\" to entity 7:1: the world's own buffer is closed while "
                         "system \"records\" runs - record into sett_commands_here(world)") != NULL,
                  "%s", s.log);
#endif
        CHECK_EQ(sett_commands_apply(own), SETT_OK);
        scene_end(&s);
    }
}

static sett_component likes;

static void relates_in_the_wrong_buffer(sett_context* c)
{
    const scene* s = c->user;
    sett_entity e = sett_entity_at(c->world, 7);
    CHECK_EQ(sett_cmd_relate(s->own, e, likes, e, NULL), SETT_STATUS_LOCKED);
}

static void modules_are_locked_out_as_well(void)
{
    scene s;
    scene_begin(&s, 0);
    likes = sett_relationship_register(s.world, &(sett_relationship_desc){.name = "Likes"});
    make(&s, relates_in_the_wrong_buffer, false);
    CHECK_EQ(sett_progress(s.world, 1), SETT_OK);
    CHECK_EQ(sett_component_count(s.world, likes), 0);
    scene_end(&s);
}

/* ---- Hooks and observers --------------------------------------------------------------------- */

static void add_late(sett_world* world, sett_entity entity, void* value, void* user)
{
    scene* s = sett_world_user(world);
    (void)value, (void)user;
    CHECK_EQ(sett_cmd_add(sett_commands_here(world), entity, s->late), SETT_OK);
}

static void adds_at_once(sett_context* c)
{
    scene* s = c->user;
    CHECK(sett_add(c->world, sett_entity_at(c->world, 5), s->tag) != NULL);
    CHECK_EQ(sett_commands_count(c->commands), 1);
    CHECK_EQ(sett_commands_count(s->own), 0);
}

static void observers_record_for_who_called_them(void)
{
    scene s;
    scene_begin(&s, 0);
    CHECK(sett_observer_create(
              s.world, &(sett_observer_desc){.component = s.tag, .on_add = add_late}) != NULL);
    /* outside of everything: the world's own */
    CHECK(sett_add(s.world, sett_entity_at(s.world, 1), s.tag) != NULL);
    CHECK_EQ(sett_commands_count(sett_commands_here(s.world)), 1);
    CHECK_EQ(sett_commands_apply(sett_commands_here(s.world)), SETT_OK);
    /* while a buffer is applied: that one, which is applied to the end */
    sett_commands* other = sett_commands_create(s.world);
    CHECK_EQ(sett_cmd_add(other, sett_entity_at(s.world, 2), s.tag), SETT_OK);
    CHECK_EQ(sett_commands_apply(other), SETT_OK);
    CHECK_EQ(sett_component_count(s.world, s.late), 2);
    CHECK_EQ(sett_commands_count(sett_commands_here(s.world)), 0);
    CHECK_EQ(sett_commands_destroy(other), SETT_OK);
    CHECK_EQ(sett_commands_destroy(NULL), SETT_OK);
    /* in a system that changes structure at once: its own */
    make(&s, adds_at_once, true);
    CHECK_EQ(sett_progress(s.world, 1), SETT_OK);
    CHECK_EQ(sett_component_count(s.world, s.late), 3);
    scene_end(&s);
}

static void resizes_wrongly(sett_context* c)
{
    sett_list list = {0};
    CHECK(sett_list_resize(c->world, &list, 0, 1) == NULL);
}

static void failures_of_jobs_reach_the_world(void)
{
    scene s;
    scene_begin(&s, 2);
    make(&s, resizes_wrongly, false);
    CHECK_EQ(sett_progress(s.world, 1), SETT_OK);
    CHECK_EQ(sett_world_error(s.world), SETT_STATUS_ARGUMENT);
    CHECK(strstr(sett_world_message(s.world), "sett_list_resize: `item_size` is 0") != NULL);
    scene_end(&s);
}

/* ---- Ending what is in use ------------------------------------------------------------------- */

static void destroys_things(sett_context* c)
{
    scene* s = c->user;
    sett_status status = sett_world_destroy(c->world);
    if (c->job == 0) { /* jobs run side by side */
        s->status = status;
    }
    CHECK_EQ(sett_query_destroy(sett_system_query(c->system)),
             c->commands != NULL && c->job_count > 1 ? SETT_STATUS_LOCKED : SETT_STATUS_CONFLICT);
}

static void destroys_in_a_hook(sett_world* world, sett_entity entity, void* value, void* user)
{
    scene* s = sett_world_user(world);
    (void)entity, (void)value, (void)user;
    s->status = sett_world_destroy(world);
}

static void a_world_in_use_stays(void)
{
    scene s;
    scene_begin(&s, 0);
    make(&s, destroys_things, true);
    CHECK_EQ(sett_progress(s.world, 1), SETT_OK);
    CHECK_EQ(s.status, SETT_STATUS_LOCKED);
    CHECK(strstr(sett_world_message(s.world), "belongs to the system") != NULL);
    scene_end(&s);

    scene_begin(&s, 2);
    make(&s, destroys_things, false);
    CHECK_EQ(sett_progress(s.world, 1), SETT_OK);
    CHECK_EQ(s.status, SETT_STATUS_LOCKED);
    sett_component hooked = sett_component_register(
        s.world, &(sett_component_desc){.name = "Hooked", .on_remove = destroys_in_a_hook});
    s.status = SETT_OK;
    CHECK(sett_add(s.world, sett_entity_at(s.world, 3), hooked) != NULL);
    CHECK_EQ(sett_remove(s.world, sett_entity_at(s.world, 3), hooked), SETT_OK);
    CHECK_EQ(s.status, SETT_STATUS_LOCKED);
    CHECK(sett_add(s.world, sett_entity_at(s.world, 3), hooked) != NULL); /* and as it ends */

    sett_query* query = SETT_QUERY_CREATE(s.world, {.component = s.a});
    sett_batch batch;
    CHECK(sett_query_begin(query, &batch) != NULL);
    CHECK_EQ(sett_world_destroy(s.world), SETT_STATUS_LOCKED);
    CHECK(strstr(sett_world_message(s.world), "sett_world_destroy: a loop over query") != NULL);
    CHECK_EQ(sett_query_destroy(query), SETT_STATUS_LOCKED);
    CHECK_EQ(sett_entity_count(s.world), ENTITIES);
    sett_query_end_all(s.world);
    CHECK_EQ(sett_query_destroy(query), SETT_OK);
    s.status = SETT_OK;
    scene_end(&s);
    CHECK_EQ(s.status, SETT_STATUS_LOCKED);
    CHECK_EQ(sett_world_destroy(NULL), SETT_OK);
    CHECK_EQ(sett_query_destroy(NULL), SETT_OK);
    CHECK_EQ(sett_observer_destroy(NULL), SETT_OK);
    CHECK_EQ(sett_threads_destroy(NULL), SETT_OK);
}

static void the_program_has_a_pointer(void)
{
    scene s;
    scene_begin(&s, 0);
    CHECK_PTR_EQ(sett_world_user(s.world), &s);
    sett_world_set_user(s.world, NULL);
    CHECK_PTR_EQ(sett_world_user(s.world), NULL);
    scene_end(&s);
}

TEST_MAIN(TEST(the_system_of_the_job_is_named), TEST(a_system_finds_the_buffer_of_its_job),
          TEST(the_order_of_jobs_does_not_matter), TEST(the_worlds_own_buffer_is_closed_to_systems),
          TEST(modules_are_locked_out_as_well), TEST(observers_record_for_who_called_them),
          TEST(failures_of_jobs_reach_the_world), TEST(a_world_in_use_stays),
          TEST(the_program_has_a_pointer))

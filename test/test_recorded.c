/* test_recorded.c: trees, names and instances as commands: what comes of them, in words, when what
 * they are about has changed, from observers and from the jobs of systems, and without memory. */
#include "scarce.h"
#include "sett/hierarchy.h"
#include "sett/name.h"
#include "sett/observer.h"
#include "sett/prefab.h"
#include "sett/relationship.h"
#include "sett/state.h"
#include "sett/system.h"
#include "sett/threads.h"

typedef struct Place {
    float x, y;
} Place;

static sett_world* world;
static sett_commands* commands;
static sett_component Place_id, Hot_id, dont_fragment;

static void begin_in(sett_world* in)
{
    world = in;
    CHECK(world != NULL);
    commands = sett_commands_here(world);
    Place_id = SETT_REGISTER(world, Place);
    Hot_id = SETT_REGISTER_TAG(world, Hot);
    dont_fragment = sett_component_register(
        world, &(sett_component_desc){.name = "dont_fragment", .dont_fragment = true});
    CHECK(Place_id != 0 && Hot_id != 0 && dont_fragment != 0);
}

static void begin(void)
{
    sett_world_desc desc = {.log_fn = sett_log_silent};
    begin_in(sett_world_create(&desc));
}

static void apply(void)
{
    CHECK_EQ(sett_commands_apply(commands), SETT_OK);
    CHECK_EQ(sett_commands_count(commands), 0);
    CHECK_VALID(world);
}

static sett_entity parent_of(sett_entity e)
{
    return sett_hierarchy_parent(world, e);
}

/* A body with a place and an arm, which has one and a name; both prefabs. */
static sett_entity make_prefab(void)
{
    sett_entity body = sett_entity_create(world);
    sett_entity arm = sett_entity_create(world);
    SETT_SET(world, body, Place, 1, 2);
    SETT_SET(world, arm, Place, 3, 4);
    CHECK(sett_add(world, body, dont_fragment) != NULL);
    CHECK_EQ(sett_hierarchy_attach(world, arm, body), SETT_OK);
    CHECK_EQ(sett_name_set(world, arm, "arm"), SETT_OK);
    CHECK_EQ(sett_name_set(world, body, "body"), SETT_OK);
    CHECK_EQ(sett_prefab_make(world, body), SETT_OK);
    return body;
}

static void expect_instance(sett_entity e, sett_entity prefab)
{
    const Place* place = sett_find(world, e, Place_id);
    CHECK(place != NULL && place->x == 1 && place->y == 2);
    CHECK(sett_has(world, e, dont_fragment));
    CHECK(!sett_has(world, e, sett_prefab_tag(world)));
    CHECK_ENTITY_EQ(sett_target(world, e, sett_instance_of(world)), prefab);
    sett_entity arm = sett_name_find(world, e, "arm");
    CHECK_ENTITY_EQ(arm, sett_hierarchy_first(world, e));
    CHECK_EQ(sett_hierarchy_child_count(world, e), 1);
    place = sett_find(world, arm, Place_id);
    CHECK(place != NULL && place->x == 3 && place->y == 4);
}

static void trees_are_recorded(void)
{
    begin();
    sett_entity p = sett_entity_create(world);
    sett_entity q = sett_entity_create(world);
    sett_entity gone = sett_entity_create(world);
    sett_entity a = sett_cmd_create(commands);
    sett_entity b = sett_cmd_create(commands);
    CHECK_EQ(sett_cmd_attach(commands, a, p), SETT_OK);
    CHECK_EQ(sett_cmd_attach(commands, b, a), SETT_OK); /* below one that is reserved */
    CHECK_EQ(sett_cmd_attach(commands, p, gone), SETT_OK);
    CHECK_EQ(sett_cmd_attach(commands, gone, p), SETT_OK);
    CHECK_EQ(sett_cmd_detach(commands, gone), SETT_OK);
    CHECK_EQ(sett_cmd_detach(commands, q), SETT_OK); /* a root already */
    CHECK(sett_component_name(world, SETT_ID_HIERARCHY) ==
          NULL); /* nothing is done before its time */
    CHECK_EQ(sett_entity_destroy(world, gone), SETT_OK);
    apply();
    CHECK_ENTITY_EQ(parent_of(a), p);
    CHECK_ENTITY_EQ(parent_of(b), a);
    CHECK(sett_is_null(parent_of(p)));
    CHECK_EQ(sett_hierarchy_depth(world, b), 2);
    CHECK(!sett_has(world, q, SETT_ID_HIERARCHY));

    /* a cycle is rejected, what follows is not */
    CHECK_EQ(sett_cmd_attach(commands, p, b), SETT_OK);
    CHECK_EQ(sett_cmd_attach(commands, q, p), SETT_OK);
    CHECK_EQ(sett_cmd_detach(commands, b), SETT_OK);
    CHECK_EQ(sett_cmd_attach(commands, p, b), SETT_OK); /* none by then */
    CHECK_EQ(sett_cmd_attach(commands, p, p), SETT_OK);
    apply();
    CHECK_EQ(sett_world_error(world), SETT_STATUS_CYCLE);
    CHECK_ENTITY_EQ(parent_of(q), p);
    CHECK_ENTITY_EQ(parent_of(p), b);
    CHECK(sett_is_null(parent_of(b)));
    CHECK_ENTITY_EQ(sett_hierarchy_first(world, p), a);
    CHECK_EQ(sett_cmd_attach(commands, a, p), SETT_OK); /* again: to the end */
    apply();
    CHECK_ENTITY_EQ(sett_hierarchy_last(world, p), a);

    /* dropped ones leave nothing behind */
    sett_entity never = sett_cmd_create(commands);
    CHECK_EQ(sett_cmd_attach(commands, never, p), SETT_OK);
    sett_commands_clear(commands);
    apply();
    CHECK_EQ(sett_hierarchy_child_count(world, p), 2);
    CHECK_END(world);
}

static void names_are_recorded(void)
{
    begin();
    char text[] = "door";
    char longest[SETT_NAME_MAX + 2];
    memset(longest, 'x', sizeof(longest));
    longest[SETT_NAME_MAX + 1] = '\0';
    sett_entity p = sett_cmd_create(commands);
    sett_entity a = sett_cmd_create(commands);
    sett_entity b = sett_cmd_create(commands);
    sett_entity gone = sett_entity_create(world);
    CHECK_EQ(sett_cmd_name_set(commands, p, "map"), SETT_OK);
    CHECK_EQ(sett_cmd_attach(commands, a, p), SETT_OK);
    CHECK_EQ(sett_cmd_name_set(commands, a, text), SETT_OK);
    CHECK_EQ(sett_cmd_name_set(commands, b, text), SETT_OK); /* a root: no sibling */
    CHECK_EQ(sett_cmd_name_set(commands, gone, text), SETT_OK);
    text[0] = 'X'; /* it was copied */
    CHECK_EQ(sett_cmd_name_set(commands, a, ""), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_cmd_name_set(commands, a, NULL), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_cmd_name_set(commands, a, "a/b"), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_cmd_name_set(commands, a, longest), SETT_STATUS_ARGUMENT);
    longest[SETT_NAME_MAX] = '\0';
    CHECK_EQ(sett_cmd_name_set(commands, p, longest), SETT_OK);
    CHECK_EQ(sett_cmd_name_set(commands, p, "map"), SETT_OK); /* renamed */
    CHECK_EQ(sett_entity_destroy(world, gone), SETT_OK);
    apply();
    CHECK_ENTITY_EQ(sett_name_lookup(world, sett_null(), "map/door"), a);
    CHECK_ENTITY_EQ(sett_name_lookup(world, sett_null(), "door"), b);

    /* taken: by a sibling there, or where it is to go */
    CHECK_EQ(sett_cmd_attach(commands, b, p), SETT_OK);
    apply();
    CHECK_EQ(sett_world_error(world), SETT_STATUS_CONFLICT);
    CHECK(sett_is_null(parent_of(b)));
    CHECK_EQ(sett_cmd_name_set(commands, b, "map"), SETT_OK);
    apply();
    CHECK_EQ(sett_world_error(world), SETT_STATUS_CONFLICT);
    CHECK_STR_EQ(sett_name_get(world, b), "door");
    CHECK_EQ(sett_cmd_detach(commands, a), SETT_OK);
    apply();
    CHECK_ENTITY_EQ(parent_of(a), p);
    CHECK_EQ(sett_cmd_remove(commands, b, SETT_ID_NAME), SETT_OK);
    CHECK_EQ(sett_cmd_detach(commands, a), SETT_OK);
    apply();
    CHECK_ENTITY_EQ(sett_name_lookup(world, sett_null(), "door"), a);
    CHECK_END(world);
}

static void instances_are_recorded(void)
{
    begin();
    sett_entity prefab = make_prefab();
    sett_entity map = sett_entity_create(world);
    uint32_t alive = sett_entity_count(world);
    sett_entity made[40];
    for (uint32_t k = 0; k < 40; k++) { /* free indices on both sides of what is reserved */
        if (k % 3 == 0) {
            CHECK_EQ(sett_entity_destroy(world, sett_entity_create(world)), SETT_OK);
        }
        made[k] = sett_cmd_instantiate(commands, prefab);
        CHECK(!sett_is_null(made[k]) && !sett_entity_valid(world, made[k]));
        CHECK_EQ(sett_cmd_attach(commands, made[k], map), SETT_OK);
        if (k % 2 == 0) {
            CHECK_EQ(SETT_CMD_SET(commands, made[k], Place, (float)k, 2), SETT_OK);
        }
        CHECK_EQ(sett_cmd_add(commands, made[k], Hot_id), SETT_OK);
    }
    CHECK_EQ(sett_entity_count(world), alive);
    apply();
    CHECK_EQ(sett_entity_count(world), alive + 80);
    CHECK_EQ(sett_hierarchy_child_count(world, map), 40);
    CHECK_EQ(sett_source_count(world, sett_instance_of(world), prefab), 40);
    for (uint32_t k = 0; k < 40; k++) {
        CHECK(sett_has(world, made[k], Hot_id));
        CHECK(((const Place*)sett_get(world, made[k], Place_id))->x == (k % 2 == 0 ? (float)k : 1));
        SETT_SET(world, made[k], Place, 1, 2);
        expect_instance(made[k], prefab);
        CHECK_ENTITY_EQ(parent_of(made[k]), map);
    }

    /* of an instance, of a copy that is recorded too, of one that is gone by then */
    sett_entity second = sett_cmd_instantiate(commands, made[0]);
    sett_entity third = sett_cmd_instantiate(commands, second);
    sett_entity orphan = sett_cmd_instantiate(commands, made[1]);
    CHECK_EQ(sett_cmd_add(commands, orphan, Hot_id), SETT_OK);
    CHECK_EQ(sett_cmd_attach(commands, orphan, map), SETT_OK);
    sett_entity dropped = sett_cmd_instantiate(commands, sett_null());
    CHECK_EQ(sett_entity_destroy(world, made[1]), SETT_OK);
    alive = sett_entity_count(world);
    apply();
    CHECK_EQ(sett_entity_count(world), alive + 4);
    expect_instance(second, made[0]);
    expect_instance(third, second);
    CHECK(!sett_entity_valid(world, orphan) && !sett_entity_valid(world, dropped));
    CHECK_EQ(sett_component_count(world, Hot_id), 41);

    /* dropped: the handles stay stale, and no entity gets them */
    sett_entity never = sett_cmd_instantiate(commands, prefab);
    sett_commands_clear(commands);
    for (uint32_t k = 0; k < 20; k++) {
        CHECK(!sett_equals(sett_entity_create(world), never));
    }
    CHECK_END(world);
}

static void parts_of_instances_have_handles_at_once(void)
{
    begin();
    sett_entity prefab = make_prefab();
    sett_entity part[4];
    CHECK_EQ(sett_cmd_instantiate_tree(commands, prefab, part, 4), 2);
    CHECK(!sett_is_null(part[1]) && sett_is_null(part[2]) && sett_is_null(part[3]));
    CHECK_EQ(sett_cmd_add(commands, part[1], Hot_id), SETT_OK);
    sett_entity flag = sett_cmd_create(commands);
    CHECK_EQ(sett_cmd_attach(commands, flag, part[1]), SETT_OK);
    apply();
    expect_instance(part[0], prefab);
    CHECK_ENTITY_EQ(sett_name_find(world, part[0], "arm"), part[1]);
    CHECK(sett_has(world, part[1], Hot_id));
    CHECK_ENTITY_EQ(parent_of(flag), part[1]);

    /* the prefab is another one, or none, by then: the handles stay stale */
    sett_entity other[2];
    CHECK_EQ(sett_cmd_instantiate_tree(commands, prefab, part, 2), 2);
    CHECK_EQ(sett_cmd_add(commands, part[1], Hot_id), SETT_OK);
    sett_entity leg = sett_entity_create(world);
    CHECK_EQ(sett_hierarchy_attach(world, leg, prefab), SETT_OK);
    uint32_t alive = sett_entity_count(world);
    apply();
    CHECK_EQ(sett_world_error(world), SETT_STATUS_CONFLICT);
    CHECK(strstr(sett_world_message(world),
                 "sett_cmd_instantiate_tree: prefab 0:1 gained or lost descendants after the "
                 "command was recorded - record the command again") != NULL);
    CHECK_EQ(sett_entity_count(world), alive);
    CHECK(!sett_entity_valid(world, part[0]) && !sett_entity_valid(world, part[1]));
    CHECK_EQ(sett_entity_destroy(world, leg), SETT_OK);
    CHECK_EQ(sett_cmd_instantiate_tree(commands, prefab, other, 2), 2);
    CHECK_EQ(sett_entity_destroy(world, prefab), SETT_OK);
    alive = sett_entity_count(world);
    apply();
    CHECK_EQ(sett_entity_count(world), alive);
    CHECK(!sett_entity_valid(world, other[0]) && !sett_entity_valid(world, other[1]));

    prefab = make_prefab();
    CHECK_EQ(sett_cmd_instantiate_tree(commands, prefab, part, 1), 0);
    CHECK(sett_is_null(part[0]));
    CHECK_EQ(sett_cmd_instantiate_tree(commands, other[0], part, 4), 0);
    CHECK_EQ(sett_commands_count(commands), 0);

    /* of one entity, it is still this call */
    CHECK_EQ(sett_cmd_instantiate_tree(commands, sett_singletons(world), part, 4), 1);
    apply();
    CHECK(strstr(sett_world_message(world), "sett_cmd_instantiate_tree: \"Singletons\"") != NULL);
    CHECK_END(world);
}

static void too_many_instances_are_rejected(void)
{
    sett_world_desc desc = {.log_fn = sett_log_silent, .entity_limit = 5};
    begin_in(sett_world_create(&desc));
    sett_entity prefab = make_prefab(); /* 2 of 5 */
    sett_entity first = sett_cmd_instantiate(commands, prefab);
    sett_entity second = sett_cmd_instantiate(commands, prefab); /* there is room for half of it */
    CHECK(!sett_is_null(second));
    apply();
    expect_instance(first, prefab);
    CHECK(!sett_entity_valid(world, second));
    CHECK_EQ(sett_world_error(world), SETT_STATUS_LIMIT);
    CHECK_EQ(sett_entity_count(world), 4);
    CHECK(!sett_is_null(sett_cmd_instantiate(commands, prefab)));
    CHECK(sett_is_null(sett_cmd_instantiate(commands, prefab)));
    CHECK_EQ(sett_world_error(world), SETT_STATUS_LIMIT);
    CHECK_EQ(sett_commands_count(commands), 2); /* nothing half recorded */
    sett_commands_clear(commands);
    sett_entity part[2];
    CHECK(!sett_is_null(sett_cmd_create(commands)));
    sett_commands_clear(commands);
    CHECK_EQ(sett_entity_destroy(world, sett_hierarchy_first(world, first)), SETT_OK);
    CHECK(!sett_is_null(sett_cmd_create(commands)));
    CHECK_EQ(sett_cmd_instantiate_tree(commands, prefab, part, 2), 0); /* there is room for one */
    CHECK(sett_is_null(part[0]) && sett_is_null(part[1]));
    apply();
    CHECK_EQ(sett_entity_count(world), 4);
    CHECK_END(world);
}

static void commands_say_what_they_are(void)
{
    begin();
    sett_component likes =
        sett_relationship_register(world, &(sett_relationship_desc){.name = "Likes"});
    char longest[SETT_NAME_MAX + 1];
    memset(longest, 'x', sizeof(longest));
    longest[SETT_NAME_MAX] = '\0';
    sett_entity prefab = make_prefab();
    sett_entity e = sett_cmd_instantiate(commands, prefab);
    CHECK_EQ(sett_cmd_attach(commands, e, prefab), SETT_OK);
    CHECK_EQ(sett_cmd_name_set(commands, e, "imp"), SETT_OK);
    CHECK_EQ(sett_cmd_detach(commands, e), SETT_OK);
    CHECK_EQ(sett_cmd_relate(commands, e, likes, prefab, NULL), SETT_OK);
    CHECK_EQ(sett_cmd_unrelate(commands, e, likes, prefab), SETT_OK);
    CHECK_EQ(sett_cmd_name_set(commands, e, longest), SETT_OK);
    char text[1024];
    size_t length = sett_commands_describe(commands, text, sizeof(text));
    CHECK_EQ(length, strlen(text));
    CHECK(strlen(text) < 500); /* a long name is cut */
    *strstr(text, "\n8: ") = '\0';
    CHECK_STR_EQ(text, "1: create entity 2:1\n"
                       "2: instantiate entity 2:1 from entity 0:1\n"
                       "3: attach entity 2:1 to entity 0:1\n"
                       "4: name entity 2:1 \"imp\"\n"
                       "5: detach entity 2:1\n"
                       "6: relate entity 2:1 to entity 0:1 by \"Likes\"\n"
                       "7: unrelate entity 2:1 from entity 0:1 by \"Likes\"");
    apply();
    CHECK_END(world);
}

/* ---- Observers ------------------------------------------------------------------------------- */

typedef struct watcher {
    sett_entity prefab;
    sett_entity box;
    uint32_t arms;  /* entities that had a parent and a name when on_add ran */
    uint32_t roots; /* reported as instances, with their subtrees */
} watcher;

/* Everything hot gets a body, which is put in a box. */
static void ignite(sett_world* in, sett_entity entity, void* value, void* user)
{
    watcher* to = user;
    sett_commands* into = sett_commands_here(in);
    (void)value;
    sett_entity body = sett_cmd_instantiate(into, to->prefab);
    CHECK(!sett_is_null(body));
    CHECK_EQ(sett_cmd_attach(into, body, entity), SETT_OK);
    CHECK_EQ(sett_cmd_attach(into, entity, to->box), SETT_OK);
    CHECK_EQ(sett_cmd_name_set(into, body, "flame"), SETT_OK);
}

static void placed(sett_world* in, sett_entity entity, void* value, void* user)
{
    watcher* to = user;
    const Place* place = value;
    CHECK(sett_entity_valid(in, entity));
    to->arms += place->x == 3 && sett_name_get(in, entity) != NULL &&
                !sett_is_null(sett_hierarchy_parent(in, entity));
    to->roots += place->x == 1 && sett_hierarchy_child_count(in, entity) == 1 &&
                 sett_equals(sett_target(in, entity, sett_instance_of(in)), to->prefab);
}

static void observers_record_them(void)
{
    begin();
    watcher to = {make_prefab(), sett_entity_create(world), 0, 0};
    CHECK(sett_observer_create(
              world, &(sett_observer_desc){.component = Hot_id, .on_add = ignite, .user = &to}) !=
          NULL);
    CHECK(sett_observer_create(
              world, &(sett_observer_desc){.component = Place_id, .on_add = placed, .user = &to}) !=
          NULL);
    sett_entity e[3];
    for (uint32_t k = 0; k < 3; k++) {
        e[k] = sett_entity_create(world);
        CHECK(k == 2 || sett_add(world, e[k], Hot_id) != NULL);
    }
    CHECK_EQ(sett_cmd_add(commands, e[2], Hot_id), SETT_OK); /* while others are applied */
    apply();
    CHECK_EQ(to.arms, 3);
    CHECK_EQ(to.roots, 3);
    for (uint32_t k = 0; k < 3; k++) {
        CHECK_ENTITY_EQ(parent_of(e[k]), to.box);
        sett_entity flame = sett_name_find(world, e[k], "flame");
        CHECK_ENTITY_EQ(flame, sett_hierarchy_first(world, e[k]));
        expect_instance(flame, to.prefab);
    }
    CHECK_END(world);
}

/* Creates another of each created entity. */
static void breed(sett_world* in, sett_entity entity, void* value, void* user)
{
    uint32_t* rejected = user;
    (void)value;
    if (sett_is_null(sett_cmd_instantiate(sett_commands_here(in), entity))) {
        CHECK_EQ(sett_world_error(in), SETT_STATUS_LIMIT);
        CHECK_EQ(sett_cmd_attach(sett_commands_here(in), entity, entity), SETT_STATUS_LIMIT);
        CHECK_EQ(sett_cmd_detach(sett_commands_here(in), entity), SETT_STATUS_LIMIT);
        CHECK_EQ(sett_cmd_name_set(sett_commands_here(in), entity, "x"), SETT_STATUS_LIMIT);
        ++*rejected;
    }
}

static void instances_of_instances_end(void)
{
    begin();
    uint32_t rejected = 0;
    CHECK(sett_observer_create(world, &(sett_observer_desc){.component = Hot_id,
                                                            .on_add = breed,
                                                            .user = &rejected}) != NULL);
    CHECK(sett_add(world, sett_entity_create(world), Hot_id) != NULL);
    apply();
    CHECK_EQ(rejected, 1);
    CHECK_EQ(sett_component_count(world, Hot_id), 66);
    CHECK_EQ(sett_entity_count(world), 66);
    CHECK_END(world);
}

/* ---- Jobs ----------------------------------------------------------------------------------- */

#define VISITED 5000

static void spawn(sett_context* c)
{
    const sett_entity* prefab = c->user;
    SETT_SYSTEM_EACH(c, b) {
        SETT_EACH(b, i) {
            sett_entity e = sett_batch_entity(b, i);
            if (e.index % 5 == 0) {
                sett_entity imp = sett_cmd_instantiate(c->commands, *prefab);
                CHECK(!sett_is_null(imp));
                CHECK_EQ(sett_cmd_attach(c->commands, imp, e), SETT_OK);
                CHECK_EQ(sett_cmd_name_set(c->commands, imp, "imp"), SETT_OK);
                CHECK_EQ(SETT_CMD_SET(c->commands, imp, Place, (float)e.index, 0), SETT_OK);
            } else if (e.index % 5 == 2) {
                sett_entity part[2];
                CHECK_EQ(sett_cmd_instantiate_tree(c->commands, *prefab, part, 2), 2);
                CHECK_EQ(SETT_CMD_SET(c->commands, part[1], Place, (float)e.index, 1), SETT_OK);
            } else if (e.index % 5 == 1) {
                CHECK_EQ(sett_cmd_detach(c->commands, e), SETT_OK);
            }
        }
    }
}

/* A world after two frames, on so many threads; 0: none but this one. */
static sett_world* spawned(uint32_t threads)
{
    begin();
    sett_entity prefab = make_prefab();
    sett_threads* pool = NULL;
    if (threads != 0) {
        sett_schedule_desc schedule = {0};
        pool = sett_threads_create(threads, NULL);
        CHECK(pool != NULL);
        schedule.tasks = sett_threads_tasks(pool);
        CHECK_EQ(sett_schedule_configure(world, &schedule), SETT_OK);
    }
    sett_entity last = sett_null();
    for (uint32_t k = 0; k < VISITED; k++) {
        sett_entity e = sett_entity_create(world);
        CHECK(sett_add(world, e, Hot_id) != NULL);
        CHECK(k % 50 == 0 || sett_hierarchy_attach(world, e, last) == SETT_OK);
        last = e;
    }
    sett_system_desc desc = {.name = "spawn", .run = spawn, .user = &prefab};
    desc.terms[0] = (sett_term)SETT_IN(Hot);
    CHECK(sett_system_create(world, &desc) != NULL);
    CHECK_EQ(sett_progress(world, 1), SETT_OK);
    CHECK_VALID(world);
    CHECK_EQ(sett_source_count(world, sett_instance_of(world), prefab), 2 * (VISITED / 5));
    CHECK_EQ(sett_progress(world, 1), SETT_OK); /* names that are taken by now */
    CHECK_VALID(world);
    CHECK_EQ(sett_source_count(world, sett_instance_of(world), prefab), 4 * (VISITED / 5));
    uint32_t cursor = 0;
    uint32_t named = 0;
    for (sett_entity e; e = sett_name_next(world, "imp", &cursor), !sett_is_null(e); named++) {
        CHECK_ENTITY_EQ(sett_name_lookup(world, parent_of(e), "imp"), e);
        CHECK(((const Place*)sett_get(world, e, Place_id))->x == (float)parent_of(e).index);
    }
    CHECK_EQ(named, VISITED / 5);
    if (pool != NULL) {
        CHECK_EQ(sett_schedule_configure(world, &(sett_schedule_desc){0}), SETT_OK);
        sett_threads_destroy(pool);
    }
    return world;
}

static void jobs_record_them(void)
{
    sett_world* alone = spawned(0);
    sett_world* together = spawned(4);
    char text[256] = "";
    CHECK_MSG(sett_world_difference(alone, together, text, sizeof(text)) == 0, "%s", text);
    CHECK_EQ(sett_world_hash(alone), sett_world_hash(together));
    sett_world_destroy(alone);
    sett_world_destroy(together);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

typedef struct scarce_state {
    sett_entity prefab, made, owner;
    uint32_t alive;
} scarce_state;

static bool scarce_record(void* user)
{
    scarce_state* state = user;
    state->made = sett_cmd_instantiate(commands, state->prefab);
    return !sett_is_null(state->made);
}

static bool scarce_attach(void* user)
{
    scarce_state* state = user;
    return sett_cmd_attach(commands, state->made, state->owner) == SETT_OK &&
           sett_cmd_name_set(commands, state->made, "made") == SETT_OK;
}

static bool scarce_apply(void* user)
{
    (void)user;
    return sett_commands_apply(commands) == SETT_OK;
}

static void nothing_recorded(void* user)
{
    (void)user;
    CHECK_EQ(sett_commands_count(commands), 0);
}

/* The entity may exist; it has no components then, and the rest waits. */
static void nothing_half_made(void* user)
{
    const scarce_state* state = user;
    uint32_t count = sett_commands_count(commands);
    bool made = sett_entity_valid(world, state->made);
    bool whole = count <= 2;
    CHECK(count >= 1 && count <= 4);
    CHECK_EQ(made, count <= 3);
    CHECK_EQ(sett_entity_count(world), state->alive + made + whole);
    if (made && !whole) {
        CHECK_EQ(sett_entity_components(world, state->made, NULL, 0), 0);
        CHECK(strstr(sett_world_message(world), "instantiate entity ") != NULL);
        CHECK(strstr(sett_world_message(world), " from entity ") != NULL);
    }
}

static void memory_runs_out(void)
{
    static scarce_memory memory;
    for (uint32_t far = 0; far < 2; far++) {
        memset(&memory, 0, sizeof(memory));
        begin_in(scarce_world(&memory));
        scarce_state state = {make_prefab(), {0, 0}, sett_entity_create(world), 0};
        CHECK(sett_hierarchy_set_policy(world, state.owner, SETT_CHILDREN_DEFAULT) == SETT_OK);
        for (uint32_t k = 0; far != 0 && k < 20000; k++) { /* pages of its own */
            CHECK(!sett_is_null(sett_entity_create(world)));
        }
        state.alive = sett_entity_count(world);
        scarce_run(world, &memory, scarce_record, nothing_recorded, &state);
        CHECK_EQ(sett_commands_count(commands), 2);
        CHECK(scarce_attach(&state)); /* the chunk has room: nothing is asked for */
        uint32_t failures = memory.failures;
        scarce_run(world, &memory, scarce_apply, nothing_half_made, &state);
        CHECK(memory.failures > failures + 5);
        CHECK_EQ(sett_commands_count(commands), 0);
        expect_instance(state.made, state.prefab);
        CHECK_ENTITY_EQ(parent_of(state.made), state.owner);
        CHECK_STR_EQ(sett_name_get(world, state.made), "made");
        scarce_end(&memory, world);
    }
}

/* Another call changes the entity between a failure and the next try. */
static void what_was_given_meanwhile_stays(void)
{
    static scarce_memory memory;
    memset(&memory, 0, sizeof(memory));
    begin_in(scarce_world(&memory));
    sett_entity prefab = make_prefab();
    sett_entity made = sett_cmd_instantiate(commands, prefab);
    sett_status status = SETT_STATUS_OUT_OF_MEMORY;
    size_t left = 0;
    for (; status != SETT_OK && !sett_entity_valid(world, made); left += 32) {
        scarce_squeeze(&world->pool, &memory, left);
        memory.strict = true;
        status = sett_commands_apply(commands);
        scarce_give_back(&world->pool, &memory);
    }
    CHECK_EQ(status, SETT_STATUS_OUT_OF_MEMORY);
    CHECK(sett_entity_valid(world, made));
    CHECK(sett_add(world, made, left % 64 == 0 ? dont_fragment : Hot_id) != NULL);
    apply();
    CHECK_EQ(sett_world_error(world), SETT_STATUS_PRESENT);
    CHECK_EQ(sett_entity_components(world, made, NULL, 0), 1);
    CHECK(sett_is_null(sett_target(world, made, sett_instance_of(world))));
    scarce_end(&memory, world);
}

TEST_MAIN(TEST(trees_are_recorded), TEST(names_are_recorded), TEST(instances_are_recorded),
          TEST(parts_of_instances_have_handles_at_once), TEST(too_many_instances_are_rejected),
          TEST(commands_say_what_they_are), TEST(observers_record_them),
          TEST(instances_of_instances_end), TEST(jobs_record_them), TEST(memory_runs_out),
          TEST(what_was_given_meanwhile_stays))

/* test_event.c: events of the program, and observers that ask for terms or for one entity. */
#include "scarce.h"

typedef struct Damage {
    int points;
} Damage;

enum {
    Damage_id = 1,
    Alarm_id,
    Armor_id,
    Ghost_id,
    Dust_id
};

static sett_world* world;
static char said[4096];

/* Appends "name:index:points " to what was said. */
static void say(const char* name, sett_entity entity, const void* value)
{
    size_t length = strlen(said);
    snprintf(said + length, sizeof(said) - length, "%s%u:%d ", name, (unsigned)entity.index,
             value != NULL ? ((const Damage*)value)->points : 0);
}

static void on_damage(sett_world* w, sett_entity entity, void* value, void* user)
{
    CHECK_PTR_EQ(w, world);
    say(user, entity, value);
}

static void on_tag(sett_world* w, sett_entity entity, void* value, void* user)
{
    (void)w;
    (void)value;
    say(user, entity, NULL);
}

static void halve(sett_world* w, sett_entity entity, void* value, void* user)
{
    (void)w;
    (void)entity;
    (void)user;
    ((Damage*)value)->points /= 2;
}

static void begin_in(sett_world* in)
{
    world = in;
    said[0] = '\0';
    CHECK_EQ(SETT_REGISTER_WITH(world, Damage, .id = Damage_id), Damage_id);
    CHECK_EQ(SETT_REGISTER_TAG_WITH(world, Alarm, .id = Alarm_id), Alarm_id);
    CHECK_EQ(SETT_REGISTER_TAG_WITH(world, Armor, .id = Armor_id), Armor_id);
    CHECK_EQ(SETT_REGISTER_TAG_WITH(world, Ghost, .id = Ghost_id), Ghost_id);
    CHECK_EQ(SETT_REGISTER_TAG_WITH(world, Dust, .id = Dust_id, .dont_fragment = true), Dust_id);
}

static void begin(void)
{
    begin_in(quiet_world());
}

static void end(void)
{
    CHECK_END(world);
}

static void heard(const char* text)
{
    CHECK_STR_EQ(said, text);
    said[0] = '\0';
}

static sett_observer* observe(const char* name, const sett_observer_desc* given)
{
    sett_observer_desc desc = *given;
    desc.name = name;
    desc.component = desc.component != 0 ? desc.component : Damage_id;
    desc.user = (void*)(uintptr_t)name;
    sett_observer* observer = sett_observer_create(world, &desc);
    CHECK_MSG(observer != NULL, "%s", sett_world_message(world));
    return observer;
}

/* `sett_event_send` runs the `on_event` observers of the component, in the order of their creation;
 * the entity need not have the component. */
static void observers_run_in_the_order_of_their_creation(void)
{
    begin();
    sett_entity e = sett_entity_create(world);
    CHECK_EQ(SETT_EVENT_SEND(world, e, SETT_ROUTE_ENTITY, Damage, .points = 8), SETT_OK);
    heard("");
    observe("a", &(sett_observer_desc){.on_event = on_damage});
    observe("-", &(sett_observer_desc){.on_event = halve});
    observe("b", &(sett_observer_desc){.on_event = on_damage});
    CHECK_EQ(SETT_EVENT_SEND(world, e, SETT_ROUTE_ENTITY, Damage, .points = 8), SETT_OK);
    heard("a0:8 b0:4 ");
    Damage damage = {6};
    CHECK_EQ(sett_event_send(world, e, SETT_ROUTE_ENTITY, Damage_id, &damage), SETT_OK);
    CHECK_EQ(damage.points, 6); /* observers have a copy */
    heard("a0:6 b0:3 ");
    CHECK(!sett_has(world, e, Damage_id)); /* an event adds nothing */
    end();
}

static void a_tag_is_an_event_without_payload(void)
{
    begin();
    sett_entity e = sett_entity_create(world);
    observe("alarm", &(sett_observer_desc){.component = Alarm_id, .on_event = on_tag});
    CHECK_EQ(sett_event_send(world, e, SETT_ROUTE_ENTITY, Alarm_id, NULL), SETT_OK);
    CHECK_EQ(sett_cmd_event(sett_commands_here(world), e, SETT_ROUTE_ENTITY, Alarm_id, NULL),
             SETT_OK);
    heard("alarm0:0 ");
    CHECK_EQ(sett_commands_apply(sett_commands_here(world)), SETT_OK);
    heard("alarm0:0 ");
    end();
}

/* With a route, all observers run for one entity before they run for the next: upwards the entity,
 * its parent and so on; downwards parents before children. Each entity of a route gets a copy of
 * the payload: what an observer changes in it, later observers of the same entity see. */
static void routes_lead_to_ancestors_and_descendants(void)
{
    begin();
    sett_entity e[5];
    for (uint32_t k = 0; k < 5; k++) {
        e[k] = sett_entity_create(world);
    }
    /* 0 has the children 1 and 4, 1 has 2 and 3 */
    CHECK_EQ(sett_hierarchy_attach(world, e[1], e[0]), SETT_OK);
    CHECK_EQ(sett_hierarchy_attach(world, e[4], e[0]), SETT_OK);
    CHECK_EQ(sett_hierarchy_attach(world, e[2], e[1]), SETT_OK);
    CHECK_EQ(sett_hierarchy_attach(world, e[3], e[1]), SETT_OK);
    observe("", &(sett_observer_desc){.on_event = on_damage});
    observe("-", &(sett_observer_desc){.on_event = halve}); /* each entity has a copy of its own */
    CHECK_EQ(SETT_EVENT_SEND(world, e[3], SETT_ROUTE_UP, Damage, 1), SETT_OK);
    heard("3:1 1:1 0:1 ");
    CHECK_EQ(SETT_EVENT_SEND(world, e[0], SETT_ROUTE_DOWN, Damage, 1), SETT_OK);
    heard("0:1 1:1 2:1 3:1 4:1 ");
    CHECK_EQ(SETT_EVENT_SEND(world, e[1], SETT_ROUTE_DOWN, Damage, 1), SETT_OK);
    heard("1:1 2:1 3:1 ");
    CHECK_EQ(SETT_EVENT_SEND(world, e[4], SETT_ROUTE_ENTITY, Damage, 1), SETT_OK);
    heard("4:1 ");
    end();
}

/* Sends to 16 entities with every combination of Armor, Ghost, Dust and Alarm. */
static void send_to_all(void)
{
    for (uint32_t k = 0; k < 16; k++) {
        SETT_EVENT_SEND(world, sett_entity_at(world, k), SETT_ROUTE_ENTITY, Damage, 0);
    }
}

/* An observer of a component that has terms, or an entity, runs only for entities that match
 * when it is its turn. */
static void observers_ask_for_terms_and_for_one_entity(void)
{
    begin();
    for (uint32_t k = 0; k < 16; k++) {
        sett_entity e = sett_entity_create(world);
        const sett_component tags[] = {Armor_id, Ghost_id, Dust_id, Alarm_id};
        for (uint32_t t = 0; t < 4; t++) {
            CHECK((k >> t & 1) == 0 || sett_add(world, e, tags[t]) != NULL);
        }
    }
    sett_observer* one = observe(
        "",
        &(sett_observer_desc){.on_event = on_damage,
                              .terms = {SETT_WITH(Armor), SETT_WITHOUT(Ghost), SETT_WITH(Dust)}});
    send_to_all();
    heard("5:0 13:0 ");
    sett_observer_enable(one, false);
    send_to_all();
    heard("");
    sett_observer_enable(one, true);
    send_to_all();
    heard("5:0 13:0 ");
    CHECK_EQ(sett_observer_destroy(one), SETT_OK);
    one = observe("", &(sett_observer_desc){.on_event = on_damage,
                                            .terms = {SETT_ANY(Ghost), SETT_ANY(Alarm),
                                                      SETT_WITHOUT(Armor), SETT_WITHOUT(Dust)}});
    send_to_all();
    heard("2:0 8:0 10:0 ");
    CHECK_EQ(sett_observer_destroy(one), SETT_OK);
    observe("", &(sett_observer_desc){.on_event = on_damage, .entity = sett_entity_at(world, 7)});
    send_to_all();
    heard("7:0 ");
    end();
}

/* That holds for `on_add`, `on_set` and `on_remove` too. */
static void terms_filter_other_events_too(void)
{
    begin();
    sett_entity plain = sett_entity_create(world);
    sett_entity armored = sett_entity_create(world);
    CHECK(sett_add(world, armored, Armor_id) != NULL);
    CHECK(SETT_SET(world, armored, Damage, 4) != NULL);
    observe("all", &(sett_observer_desc){.on_add = on_damage, .on_remove = on_damage});
    observe("armored", &(sett_observer_desc){.on_add = on_damage,
                                             .on_set = on_damage,
                                             .on_remove = on_damage,
                                             .terms = {SETT_WITH(Armor)},
                                             .replay = true});
    heard("armored1:4 ");
    CHECK(SETT_SET(world, plain, Damage, 1) != NULL);
    heard("all0:1 ");
    CHECK(SETT_SET(world, armored, Damage, 2) != NULL);
    heard("armored1:2 ");
    CHECK_EQ(sett_entity_destroy(world, plain), SETT_OK);
    heard("all0:1 ");
    CHECK_EQ(sett_entity_destroy(world, armored), SETT_OK); /* it still has Armor then */
    heard("all1:2 armored1:2 ");
    end();
}

static void on_begin(sett_world* w, sett_entity entity, void* user)
{
    CHECK(sett_entity_valid(w, entity));
    say(user, entity, sett_find(w, entity, Damage_id));
}

/* An observer of a query without SETT_WITH also sees entities that begin and end: `on_enter` runs
 * when an entity was created, with its components if the call gave some; `on_exit` before the
 * removal callbacks of one that is destroyed. Here: every way in which entities begin and end. */
static void entities_that_begin_and_end_are_observed(void)
{
    begin();
    sett_entity before = sett_entity_create(world);
    sett_observer_desc desc = {
        .on_enter = on_begin, .user = (void*)(uintptr_t) "+", .replay = true};
    sett_observer* begins = sett_observer_create(world, &desc);
    heard("+0:0 ");
    desc = (sett_observer_desc){.on_exit = on_begin, .user = (void*)(uintptr_t) "-"};
    CHECK(sett_observer_create(world, &desc) != NULL);
    desc = (sett_observer_desc){.on_enter = on_begin,
                                .on_exit = on_begin,
                                .terms = {SETT_WITHOUT(Armor)},
                                .user = (void*)(uintptr_t) "bare"};
    CHECK(sett_observer_create(world, &desc) != NULL);
    (void)sett_entity_create(world);
    heard("+1:0 bare1:0 ");
    (void)SETT_CREATE(world, SETT_VALUE(Damage, 5));
    heard("+2:5 bare2:5 ");
    sett_entity armored = SETT_CREATE(world, SETT_VALUE(Damage, 6), SETT_VALUE_TAG(Armor));
    heard("+3:6 ");
    CHECK_EQ(SETT_REMOVE(world, armored, Armor), SETT_OK);
    heard("bare3:6 ");
    sett_entity many[2];
    const sett_component tag = Ghost_id;
    CHECK_EQ(sett_entity_create_many(world, 2, &tag, 1, NULL, many), SETT_OK);
    heard("+4:0 bare4:0 +5:0 bare5:0 ");
    CHECK_EQ(sett_entity_create_handle(world, (sett_entity){9, 3}), SETT_OK);
    heard("+9:0 bare9:0 ");
    sett_entity recorded = sett_cmd_create(sett_commands_here(world));
    heard("");
    CHECK_EQ(sett_commands_apply(sett_commands_here(world)), SETT_OK);
    heard("+6:0 bare6:0 ");
    sett_entity made;
    CHECK_EQ(sett_instantiate(world, armored, 1, &made), SETT_OK);
    heard("+7:6 bare7:6 ");
    CHECK_EQ(sett_entity_clear(world, armored), SETT_OK); /* it lives on */
    heard("");
    CHECK_EQ(sett_entity_destroy(world, before), SETT_OK);
    heard("-0:0 bare0:0 ");
    CHECK_EQ(sett_entity_destroy(world, made), SETT_OK);
    heard("-7:6 bare7:6 ");
    CHECK_EQ(sett_observer_destroy(begins), SETT_OK);
    CHECK_EQ(sett_entity_destroy(world, recorded), SETT_OK);
    CHECK(!sett_is_null(sett_entity_create(world)));
    heard("-6:0 bare6:0 bare0:0 ");
    end();
    heard("-9:0 bare9:0 -5:0 bare5:0 -4:0 bare4:0 -3:0 bare3:0 -2:5 bare2:5 -1:0 bare1:0 "
          "-0:0 bare0:0 ");
}

/* A recorded event is sent when it is applied; it is skipped if the entity is dead. */
static void recorded_events_are_sent_when_they_are_applied(void)
{
    begin();
    sett_entity a = sett_entity_create(world);
    sett_entity b = sett_entity_create(world);
    observe("", &(sett_observer_desc){.on_event = on_damage});
    sett_commands* commands = sett_commands_here(world);
    CHECK_EQ(SETT_CMD_EVENT(commands, a, SETT_ROUTE_ENTITY, Damage, 1), SETT_OK);
    CHECK_EQ(SETT_CMD_EVENT(commands, b, SETT_ROUTE_UP, Damage, 2), SETT_OK);
    sett_entity made = sett_cmd_create(commands);
    CHECK_EQ(SETT_CMD_EVENT(commands, made, SETT_ROUTE_ENTITY, Damage, 3), SETT_OK);
    char text[256];
    sett_commands_describe(commands, text, sizeof(text));
    CHECK_STR_EQ(text, "1: send to entity 0:1: \"Damage\"\n2: send to entity 1:1: \"Damage\"\n"
                       "3: create entity 2:1\n4: send to entity 2:1: \"Damage\"\n");
    heard("");
    CHECK_EQ(sett_entity_destroy(world, a), SETT_OK);
    CHECK_EQ(sett_commands_apply(commands), SETT_OK);
    heard("1:2 2:3 "); /* a is dead: skipped */
    end();
}

static uint32_t chain_depth;

static void send_again(sett_world* w, sett_entity entity, void* value, void* user)
{
    (void)user;
    chain_depth++;
    CHECK_EQ(sett_entity_destroy(w, entity), SETT_STATUS_LOCKED);
    if (sett_event_send(w, entity, SETT_ROUTE_ENTITY, Damage_id, value) != SETT_OK) {
        CHECK_EQ(sett_world_error(w), SETT_STATUS_LIMIT);
    }
}

/* Events and sets that cause each other nest up to 64 deep; the next is rejected with `LIMIT`. */
static void chains_of_events_end_after_64(void)
{
    begin();
    sett_entity e = sett_entity_create(world);
    observe("", &(sett_observer_desc){.on_event = send_again});
    chain_depth = 0;
    CHECK_EQ(SETT_EVENT_SEND(world, e, SETT_ROUTE_ENTITY, Damage, 1), SETT_OK);
    CHECK_EQ(chain_depth, 64);
    CHECK(strstr(sett_world_message(world), "record it with sett_cmd_event") != NULL);
    CHECK(sett_entity_valid(world, e));
    end();
}

static sett_status from_system[2];

static void sends_from_a_system(sett_context* context)
{
    SETT_SYSTEM_FOR(context, b, i) {
        sett_entity e = sett_batch_entity(b, i);
        Damage damage = {1};
        from_system[0] = sett_event_send(context->world, e, SETT_ROUTE_ENTITY, Damage_id, &damage);
        from_system[1] = SETT_CMD_EVENT(context->commands, e, SETT_ROUTE_ENTITY, Damage, 2);
    }
}

static void systems_record_events(void)
{
    begin();
    sett_entity e = sett_entity_create(world);
    CHECK(sett_add(world, e, Armor_id) != NULL);
    observe("", &(sett_observer_desc){.on_event = on_damage});
    CHECK(SETT_SYSTEM(world, sends_from_a_system, .terms = {SETT_WITH(Armor)}) != NULL);
    CHECK_EQ(sett_progress(world, 0), SETT_OK);
    CHECK_EQ(from_system[0], SETT_STATUS_LOCKED);
    CHECK_EQ(from_system[1], SETT_OK);
    heard("0:2 ");
    end();
}

static void misuse_is_rejected(void)
{
    begin();
    sett_entity e = sett_entity_create(world);
    sett_entity dead = sett_entity_create(world);
    CHECK_EQ(sett_entity_destroy(world, dead), SETT_OK);
    observe("", &(sett_observer_desc){.on_event = on_damage});
    sett_commands* commands = sett_commands_here(world);
    Damage damage = {1};
    const sett_route here = SETT_ROUTE_ENTITY;
    CHECK_EQ(sett_event_send(NULL, e, here, Damage_id, &damage), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_event_send(world, e, here, Damage_id, NULL), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_event_send(world, e, here, 99, &damage), SETT_STATUS_UNREGISTERED);
    CHECK_EQ(sett_event_send(world, dead, here, Damage_id, &damage), SETT_STATUS_STALE);
    CHECK_EQ(sett_event_send(world, e, (sett_route)3, Damage_id, &damage), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_cmd_event(NULL, e, here, Damage_id, &damage), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_cmd_event(commands, e, here, Damage_id, NULL), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_cmd_event(commands, e, here, 99, &damage), SETT_STATUS_UNREGISTERED);
    CHECK_EQ(sett_commands_count(commands), 0);
    heard("");
    const sett_observer_desc wrong[] = {
        {.component = Damage_id, .terms = {SETT_WITH(Armor)}},
        {.component = Damage_id, .on_event = on_damage, .terms = {SETT_OPTIONAL(Armor)}},
        {.component = Damage_id, .on_event = on_damage, .terms = {SETT_CHANGED(Damage)}},
        {.component = Damage_id, .on_event = on_damage, .terms = {{.component = 99}}},
        {.on_event = on_damage, .terms = {SETT_WITH(Armor)}},
        {.entity = {0, 1}, .terms = {SETT_WITH(Armor)}},
    };
    for (uint32_t k = 0; k < sizeof(wrong) / sizeof(wrong[0]); k++) {
        CHECK_MSG(sett_observer_create(world, &wrong[k]) == NULL, "%u", (unsigned)k);
        CHECK(sett_world_error(world) ==
              (k == 3 ? SETT_STATUS_UNREGISTERED : SETT_STATUS_ARGUMENT));
    }
    end();
}

static bool step_observe(void* user)
{
    (void)user;
    return sett_observer_create(world, &(sett_observer_desc){.component = Damage_id,
                                                             .on_event = on_damage,
                                                             .user = (void*)(uintptr_t) "",
                                                             .terms = {SETT_WITHOUT(Armor)}}) !=
           NULL;
}

typedef struct Big {
    char bytes[1000];
} Big;

static void on_big(sett_world* w, sett_entity entity, void* value, void* user)
{
    (void)w;
    (void)entity;
    CHECK_EQ(((const Big*)value)->bytes[999], 7);
    ++*(uint32_t*)user;
}

static void large_payloads_are_copied_too(void)
{
    begin();
    sett_component Big_id = SETT_REGISTER(world, Big);
    sett_entity e = sett_entity_create(world);
    uint32_t runs = 0;
    CHECK(sett_observer_create(
        world, &(sett_observer_desc){.component = Big_id, .on_event = on_big, .user = &runs}));
    Big big = {{0}};
    big.bytes[999] = 7;
    CHECK_EQ(sett_event_send(world, e, SETT_ROUTE_ENTITY, Big_id, &big), SETT_OK);
    CHECK_EQ(sett_cmd_event(sett_commands_here(world), e, SETT_ROUTE_ENTITY, Big_id, &big),
             SETT_OK);
    CHECK_EQ(sett_commands_apply(sett_commands_here(world)), SETT_OK);
    CHECK_EQ(runs, 2);
    end();
}

static void every_allocation_can_fail(void)
{
    static scarce_memory memory;
    begin_in(scarce_world(&memory));
    sett_entity e = sett_entity_create(world);
    scarce_run(world, &memory, step_observe, NULL, NULL);
    CHECK(memory.failures > 0);
    sett_commands* commands = sett_commands_here(world);
    sett_status status = SETT_STATUS_OUT_OF_MEMORY;
    uint32_t failed = 0;
    for (size_t left = 0; status != SETT_OK; left += 512, failed++) {
        CHECK(left <= SCARCE_MOST);
        scarce_squeeze(&world->pool, &memory, left);
        memory.strict = failed % 2 == 0;
        status = SETT_CMD_EVENT(commands, e, SETT_ROUTE_ENTITY, Damage, 1);
        scarce_give_back(&world->pool, &memory);
        CHECK(status == SETT_OK || status == SETT_STATUS_OUT_OF_MEMORY);
        CHECK_EQ(sett_commands_count(commands), status == SETT_OK ? 1 : 0);
    }
    CHECK(failed > 1);
    CHECK_EQ(sett_commands_apply(commands), SETT_OK);
    heard("0:1 ");
    scarce_end(&memory, world);
}

static void say_both(sett_world* w, sett_entity entity, const void* old, void* value, void* user)
{
    Damage both = {((const Damage*)old)->points * 1000 + ((const Damage*)value)->points};
    say(user, entity, &both);
    if (both.points == 3004) { /* a set inside of it has an old value of its own */
        CHECK(SETT_SET(w, entity, Damage, .points = 5) != NULL);
        CHECK_EQ(((const Damage*)old)->points, 3);
    }
}

/* `on_replace` of an observer runs after its `on_set`, with a copy of the old value, if the
 * component was there before; it does not run for an addition. Sets inside of `on_replace` have
 * old values of their own. */
static void old_values_are_seen(void)
{
    begin();
    sett_observer_desc desc = {.component = Damage_id, .on_replace = say_both, .user = "r"};
    sett_observer* observer = sett_observer_create(world, &desc);
    sett_entity e = sett_entity_create(world);
    CHECK(SETT_SET(world, e, Damage, .points = 1) != NULL);
    heard("");
    CHECK(SETT_SET(world, e, Damage, .points = 2) != NULL);
    heard("r0:1002 ");
    SETT_CMD_SET(sett_commands_here(world), e, Damage, .points = 3);
    CHECK_EQ(sett_commands_apply(sett_commands_here(world)), SETT_OK);
    heard("r0:2003 ");
    CHECK(SETT_SET(world, e, Damage, .points = 4) != NULL);
    heard("r0:3004 r0:4005 ");
    sett_observer_enable(observer, false);
    CHECK(SETT_SET(world, e, Damage, .points = 6) != NULL);
    heard("");
    sett_observer_enable(observer, true);
    CHECK(SETT_SET(world, e, Damage, .points = 7) != NULL);
    heard("r0:6007 ");
    sett_observer_destroy(observer);

    desc.on_set = on_damage;
    desc.terms[0].component = Armor_id;
    CHECK(sett_observer_create(world, &desc) != NULL);
    CHECK(SETT_SET(world, e, Damage, .points = 8) != NULL);
    heard("");
    SETT_ADD_TAG(world, e, Armor);
    CHECK(SETT_SET(world, e, Damage, .points = 9) != NULL);
    heard("r0:9 r0:8009 ");

    desc = (sett_observer_desc){.component = Armor_id, .on_replace = say_both};
    CHECK(sett_observer_create(world, &desc) == NULL);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_ARGUMENT);
    desc.component = sett_name_register(world);
    CHECK(sett_observer_create(world, &desc) == NULL);
    desc.component =
        sett_relationship_register(world, &(sett_relationship_desc){.name = "Likes", .many = true});
    CHECK(sett_observer_create(world, &desc) == NULL);
    CHECK_END(world);
}

static void say_targets(sett_world* w, sett_entity entity, const void* old, void* value, void* user)
{
    const sett_link* from = old;
    const sett_link* to = value;
    Damage both = {(int)(from->target.index * 10 + to->target.index)};
    CHECK_ENTITY_EQ(sett_target(w, entity, *(sett_component*)user), to->target);
    say("", entity, &both);
}

/* When a link is redirected `on_replace` sees the old target and the new one. */
static void old_targets_are_seen(void)
{
    begin();
    sett_component aims =
        sett_relationship_register(world, &(sett_relationship_desc){.name = "Aims"});
    sett_entity e[4];
    for (uint32_t k = 0; k < 4; k++) {
        e[k] = sett_entity_create(world);
    }
    CHECK(sett_observer_create(world, &(sett_observer_desc){.component = aims,
                                                            .on_replace = say_targets,
                                                            .user = &aims}) != NULL);
    CHECK(sett_relate(world, e[0], aims, e[1]) != NULL);
    heard("");
    CHECK(sett_relate(world, e[0], aims, e[1]) != NULL);
    heard("");
    CHECK(sett_relate(world, e[0], aims, e[3]) != NULL);
    heard("0:13 ");
    CHECK_EQ(sett_cmd_relate(sett_commands_here(world), e[0], aims, e[2], NULL), SETT_OK);
    CHECK_EQ(sett_commands_apply(sett_commands_here(world)), SETT_OK);
    heard("0:32 ");
    CHECK_END(world);
}

TEST_MAIN(TEST(old_values_are_seen), TEST(old_targets_are_seen),
          TEST(observers_run_in_the_order_of_their_creation),
          TEST(a_tag_is_an_event_without_payload), TEST(routes_lead_to_ancestors_and_descendants),
          TEST(observers_ask_for_terms_and_for_one_entity), TEST(terms_filter_other_events_too),
          TEST(entities_that_begin_and_end_are_observed),
          TEST(recorded_events_are_sent_when_they_are_applied), TEST(chains_of_events_end_after_64),
          TEST(systems_record_events), TEST(misuse_is_rejected),
          TEST(large_payloads_are_copied_too), TEST(every_allocation_can_fail))

/* test_observer.c: what a callback may do, and the life of an observer. Each test is a sentence of
 * docs/events.md, which stands above it, in the order of that page. */
#include "events.h"

/* ---- What a callback may do ------------------------------------------------------------------ */

static void try_structure(teller* who, sett_entity entity)
{
    scene* s = who->s;
    const char* message = sett_world_message(s->world);
    CHECK(sett_add(s->world, entity, s->t) == NULL);
    message = sett_world_message(s->world);
    CHECK_EQ(sett_world_error(s->world), SETT_STATUS_LOCKED);
    CHECK(strstr(message, who->name) != NULL && strstr(message, "sett_cmd_") != NULL);
    CHECK(sett_is_null(sett_entity_create(s->world)));
    CHECK_EQ(sett_remove(s->world, entity, s->b), SETT_STATUS_LOCKED);
    CHECK_EQ(sett_entity_clear(s->world, entity), SETT_STATUS_LOCKED);
    sett_observer_desc desc = {.component = s->b, .on_add = hear_add};
    CHECK(sett_observer_create(s->world, &desc) == NULL);
    CHECK_EQ(sett_world_error(s->world), SETT_STATUS_LOCKED);
}

/* Structural changes in a callback are rejected at once: LOCKED, with a message that names the
 * observer and the remedy; so is creating observers. */
static void structure_is_rejected_in_callbacks(void)
{
    scene s;
    scene_begin(&s);
    observe(&s, "first", s.b, "+=-")->then = try_structure;
    observe(&s, "second", s.b, "+=-")->then = try_structure;
    watch(&s, "third", s.b, 0)->then = try_structure;
    sett_entity e = sett_entity_create(s.world);
    set(&s, e, s.b, 3);
    sett_remove(s.world, e, s.b);
    expect(&s, "first+3 second+3 third> first=3 second=3 third< first-3 second-3");
    CHECK(sett_add(s.world, e, s.b) != NULL); /* nothing is locked any more */
    scene_end(&s);
}

static void set_c(teller* who, sett_entity entity)
{
    uint32_t value = 8;
    CHECK(sett_set(who->s->world, entity, who->s->c, &value) != NULL);
}

/* A callback may read and write values; setting an existing component runs `on_set` at once, inside
 * the current event. */
static void values_may_be_set_in_callbacks(void)
{
    scene s;
    scene_begin(&s);
    observe(&s, "1", s.b, "=")->then = set_c;
    observe(&s, "2", s.b, "=");
    observe(&s, "3", s.c, "=");
    sett_entity e = sett_entity_create(s.world);
    sett_add(s.world, e, s.b);
    sett_add(s.world, e, s.c);
    set(&s, e, s.b, 4);
    expect(&s, "1=4 3=8 2=4");
    scene_end(&s);
}

static uint32_t deepest;

static void set_again(teller* who, sett_entity entity)
{
    scene* s = who->s;
    uint32_t value = 1 + *(const uint32_t*)sett_get(s->world, entity, s->b);
    if (sett_set(s->world, entity, s->b, &value) == NULL) {
        CHECK_EQ(sett_world_error(s->world), SETT_STATUS_LIMIT);
        deepest = value - 1;
    }
}

/* Sets made in callbacks of sets nest up to 64 deep; the next is rejected with LIMIT, before it
 * writes, and the log names the observer and the component. */
static void sets_inside_sets_end(void)
{
    scene s;
    scene_begin(&s);
    observe(&s, "echo", s.b, "=")->then = set_again;
    sett_entity e = sett_entity_create(s.world);
    sett_add(s.world, e, s.b);
    s.lines = 0;
    set(&s, e, s.b, 1);
    CHECK_EQ(deepest, 64);
    CHECK_EQ(*(const uint32_t*)sett_get(s.world, e, s.b), 64);
    CHECK(s.lines == 1 || s.lines == 2); /* a debug build may say more */
    CHECK(strstr(s.logged, "\"echo\"") != NULL && strstr(s.logged, "\"b\"") != NULL);
    set(&s, e, s.b, 1); /* and works again */
    CHECK_EQ(*(const uint32_t*)sett_get(s.world, e, s.b), 64);
    scene_end(&s);
}

static void record_t(teller* who, sett_entity entity)
{
    scene* s = who->s;
    CHECK_EQ(sett_cmd_add(sett_commands_here(s->world), entity, s->t), SETT_OK);
}

static void fail_to_record_t(teller* who, sett_entity entity)
{
    scene* s = who->s;
    CHECK_EQ(sett_cmd_add(sett_commands_here(s->world), entity, s->t), SETT_STATUS_LOCKED);
    CHECK(strstr(sett_world_message(s->world), "\"1\"") != NULL);
}

/* A callback may record commands; they wait until their buffer is applied, even if an immediate
 * call ran the callback. */
static void commands_of_callbacks_wait(void)
{
    scene s;
    scene_begin(&s);
    observe(&s, "1", s.b, "+")->then = record_t;
    observe(&s, "2", s.t, "+");
    sett_entity e = sett_entity_create(s.world);
    sett_add(s.world, e, s.b);
    sett_add(s.world, e, s.c);
    expect(&s, "1+0");
    CHECK(!sett_has(s.world, e, s.t));
    CHECK_EQ(sett_commands_count(sett_commands_here(s.world)), 1);
    CHECK_EQ(sett_commands_apply(sett_commands_here(s.world)), SETT_OK);
    expect(&s, "2+");
    scene_end(&s);
}

/* While a delta is applied a callback cannot record commands (LOCKED): the sender's deltas contain
 * what they would change. */
static void callbacks_of_a_delta_record_nothing(void)
{
    scene s;
    scene from;
    scene_begin(&s);
    sett_entity e = sett_entity_create(s.world);
    scene_begin_sender(&from, &s);
    observe(&s, "1", s.b, "+")->then = fail_to_record_t;
    sett_snapshot since;
    CHECK_EQ(sett_snapshot_take(from.world, &since), SETT_OK);
    set(&from, e, s.b, 7);
    CHECK_EQ(play(&s, &from, since, false), SETT_OK);
    expect(&s, "1+7");
    CHECK_EQ(sett_commands_count(sett_commands_here(s.world)), 0);
    sett_world_destroy(from.world);
    scene_end(&s);
}

/* Commands that callbacks record into the buffer being applied are applied by the same call, after
 * the existing ones. */
static void commands_of_callbacks_go_behind_the_others(void)
{
    scene s;
    scene_begin(&s);
    observe(&s, "1", s.b, "+")->then = record_t;
    observe(&s, "2", s.c, "+");
    observe(&s, "3", s.t, "+");
    sett_commands* commands = sett_commands_here(s.world);
    sett_entity e = sett_entity_create(s.world);
    sett_cmd_add(commands, e, s.b);
    sett_cmd_add(commands, e, s.c);
    CHECK_EQ(sett_commands_apply(commands), SETT_OK);
    expect(&s, "1+0 2+0 3+");
    CHECK_EQ(sett_commands_count(commands), 0);
    scene_end(&s);
}

static uint32_t rejected;

static void record_again(teller* who, sett_entity entity)
{
    scene* s = who->s;
    sett_commands* commands = sett_commands_here(s->world);
    uint32_t value = 1 + *(const uint32_t*)sett_get(s->world, entity, s->b);
    sett_status status = sett_cmd_set(commands, entity, s->b, &value);
    if (status != SETT_OK) {
        CHECK_EQ(status, SETT_STATUS_LIMIT);
        CHECK_EQ(sett_world_error(s->world), SETT_STATUS_LIMIT);
        CHECK_EQ(sett_cmd_add(commands, entity, s->t), SETT_STATUS_LIMIT);
        CHECK(sett_is_null(sett_cmd_create(commands)));
        rejected++;
    }
}

/* Commands recorded by commands go 64 steps; the next is rejected with LIMIT, and the log names the
 * observer and the component, once per application. */
static void commands_from_commands_end(void)
{
    scene s;
    scene_begin(&s);
    observe(&s, "echo", s.b, "=")->then = record_again;
    sett_commands* commands = sett_commands_here(s.world);
    sett_entity e = sett_entity_create(s.world);
    sett_add(s.world, e, s.b);
    for (uint32_t round = 1; round <= 2; round++) {
        uint32_t value = 0;
        s.lines = 0;
        rejected = 0;
        sett_cmd_set(commands, e, s.b, &value);
        CHECK_EQ(sett_commands_apply(commands), SETT_OK);
        CHECK_EQ(*(const uint32_t*)sett_get(s.world, e, s.b), 64);
        CHECK_EQ(rejected, 1);
        CHECK_EQ(s.lines, 1);
        CHECK(strstr(s.logged, "\"echo\"") != NULL && strstr(s.logged, "\"b\"") != NULL);
        CHECK_EQ(sett_commands_count(commands), 0);
    }
    scene_end(&s);
}

/* ---- The life of an observer ----------------------------------------------------------------- */

/* A disabled observer does not run, and missed events are not repeated; once enabled, it runs
 * again, at its position in the order. */
static void disabled_observers_hear_nothing(void)
{
    scene s;
    scene_begin(&s);
    teller* first = observe(&s, "1", s.b, "+-d");
    observe(&s, "2", s.b, "+-");
    teller* query = watch(&s, "q", s.b, 0);
    sett_observer_enable(query->observer, false);
    CHECK(!sett_observer_is_enabled(first->observer));
    CHECK(!sett_observer_is_enabled(query->observer));
    sett_entity e = sett_entity_create(s.world);
    sett_add(s.world, e, s.b);
    expect(&s, "2+0");
    sett_observer_enable(first->observer, true);
    sett_observer_enable(query->observer, true);
    CHECK(sett_observer_is_enabled(first->observer));
    expect(&s, "");
    sett_remove(s.world, e, s.b);
    expect(&s, "q< 1-0 2-0");
    scene_end(&s);
}

static void disable_other(teller* who, sett_entity entity)
{
    (void)entity;
    sett_observer_enable(who->other, false);
}

/* An observer that another one disables before its turn in an event does not run for that event. */
static void disabling_acts_at_once(void)
{
    scene s;
    scene_begin(&s);
    teller* first = observe(&s, "1", s.b, "+");
    teller* second = observe(&s, "2", s.b, "+");
    observe(&s, "3", s.b, "+");
    first->then = disable_other;
    first->other = second->observer;
    sett_add(s.world, sett_entity_create(s.world), s.b);
    expect(&s, "1+0 3+0");
    scene_end(&s);
}

/* An observer can be destroyed at any time: it does not run any more, and the order of the others
 * is preserved. */
static void destroyed_observers_hear_nothing(void)
{
    scene s;
    scene_begin(&s);
    observe(&s, "1", s.b, "+-");
    teller* second = observe(&s, "2", s.b, "+-");
    observe(&s, "3", s.b, "+-");
    teller* query = watch(&s, "q", s.b, 0);
    sett_entity e = sett_entity_create(s.world);
    sett_add(s.world, e, s.b);
    expect(&s, "1+0 2+0 3+0 q>");
    sett_observer_destroy(second->observer);
    sett_observer_destroy(query->observer);
    sett_observer_destroy(NULL);
    sett_remove(s.world, e, s.b);
    expect(&s, "1-0 3-0");
    scene_end(&s);
}

static void destroy_other(teller* who, sett_entity entity)
{
    (void)entity;
    sett_observer_destroy(who->other);
    who->other = NULL;
}

/* This also holds in its own callback, and before its turn in an event: later observers run as
 * before. */
static void observers_may_end_while_they_are_called(void)
{
    scene s;
    scene_begin(&s);
    teller* first = observe(&s, "1", s.b, "+-");
    teller* second = observe(&s, "2", s.b, "+-");
    observe(&s, "3", s.b, "+-");
    teller* fourth = watch(&s, "4", s.b, 0);
    watch(&s, "5", s.b, 0);
    first->then = destroy_other;
    first->other = first->observer;
    sett_entity e = sett_entity_create(s.world);
    sett_add(s.world, e, s.b);
    expect(&s, "1+0 2+0 3+0 4> 5>");
    second->then = destroy_other;
    second->other = fourth->observer;
    fourth->then = destroy_other;
    sett_remove(s.world, e, s.b);
    expect(&s, "4< 5< 2-0 3-0");
    sett_add(s.world, e, s.b);
    expect(&s, "2+0 3+0 5>");
    observe(&s, "6", s.b, "+"); /* frees those that ended */
    sett_remove(s.world, e, s.b);
    sett_add(s.world, e, s.b);
    expect(&s, "5< 2-0 3-0 2+0 3+0 6+0 5>");
    scene_end(&s);
}

/* With `replay`, `on_add` of a new observer of a component runs for all existing ones, in the order
 * of the rows, before sett_observer_create returns. */
static void a_replay_notifies_what_exists(void)
{
    scene s;
    scene_begin(&s);
    for (uint32_t k = 5; k > 0; k--) {
        sett_entity e = sett_entity_create(s.world);
        set(&s, e, s.b, k);
        set(&s, e, s.c, k);
        set(&s, e, s.l, k);
    }
    sett_remove(s.world, sett_entity_at(s.world, 1), s.b);
    sett_remove(s.world, sett_entity_at(s.world, 1), s.c); /* the last row fills the hole */
    observe(&s, "b", s.b, "+=-r");
    expect(&s, "b+5 b+3 b+2 b+1");
    observe(&s, "c", s.c, "+r");
    expect(&s, "c+5 c+1 c+3 c+2");
    observe(&s, "l", s.l, "+r");
    expect(&s, "l+5 l+4 l+3 l+2 l+1");
    observe(&s, "d", s.b, "+rd"); /* disabled: nothing */
    expect(&s, "");
    scene_end(&s);
}

/* For a new observer of a query, `on_enter` runs for all matching entities. */
static void a_replay_notifies_who_matches(void)
{
    scene s;
    scene_begin(&s);
    s.indices = true;
    for (uint32_t k = 0; k < 6; k++) {
        sett_entity e = sett_entity_create(s.world);
        if (k != 1) {
            set(&s, e, s.b, k);
        }
        if (k % 3 == 0) {
            sett_add(s.world, e, s.t);
        }
    }
    sett_observer_desc desc = query_desc(new_teller(&s, "q"), s.b, s.t);
    desc.replay = true;
    CHECK(sett_observer_create(s.world, &desc) != NULL);
    expect(&s, "q>2: q>4: q>5:");
    sett_remove(s.world, sett_entity_at(s.world, 3), s.t);
    expect(&s, "q>3:");
    scene_end(&s);
}

static void reject(scene* s, sett_observer_desc desc, sett_status status, const char* why)
{
    desc.name = "wrong";
    CHECK(sett_observer_create(s->world, &desc) == NULL);
    CHECK_EQ(sett_world_error(s->world), status);
    CHECK_MSG(strstr(sett_world_message(s->world), why) != NULL, "%s",
              sett_world_message(s->world));
}

/* A description that contradicts itself is rejected, with a message that says why. */
static void wrong_descriptions_are_rejected(void)
{
    scene s;
    scene_begin(&s);
    const sett_status argument = SETT_STATUS_ARGUMENT;
    reject(&s, (sett_observer_desc){.on_add = hear_add}, argument,
           "\"wrong\": on_add, on_set, on_remove, on_event or on_replace is set without "
           "`component` - set `component`, too");
    reject(&s, (sett_observer_desc){.entity = {1, 1}, .on_enter = hear_enter}, argument,
           "`entity` or `target` is set without `component` - set `component`, too");
    reject(&s, (sett_observer_desc){.component = s.b}, argument, "set on_add");
    reject(&s, (sett_observer_desc){.component = 999, .on_add = hear_add}, SETT_STATUS_UNREGISTERED,
           "observer \"wrong\": component 999 is not registered in this world");
    reject(&s, (sett_observer_desc){.component = s.b, .on_enter = hear_enter}, argument,
           "observe a query");
    reject(&s, (sett_observer_desc){.terms = {{.component = s.b}}}, argument,
           "on_enter or on_exit");
    reject(&s, (sett_observer_desc){.terms = {{.component = s.b}}, .on_set = hear_set}, argument,
           "on_replace is set without `component` - set `component`, too");
    reject(&s, (sett_observer_desc){.terms = {{.component = 999}}, .on_enter = hear_enter},
           SETT_STATUS_UNREGISTERED, "999");
    sett_term terms[] = {{.component = s.b, .kind = SETT_OPTIONAL},
                         {.component = s.b, .changed = true}};
    for (uint32_t k = 0; k < 2; k++) {
        reject(&s,
               (sett_observer_desc){.terms = {{.component = s.c}, terms[k]}, .on_exit = hear_exit},
               argument, "\"b\"");
    }
    reject(&s, (sett_observer_desc){.component = s.b, .on_set = hear_set, .replay = true}, argument,
           "replay");
    scene_end(&s);
}

TEST_MAIN(TEST(structure_is_rejected_in_callbacks), TEST(values_may_be_set_in_callbacks),
          TEST(sets_inside_sets_end), TEST(commands_of_callbacks_wait),
          TEST(callbacks_of_a_delta_record_nothing),
          TEST(commands_of_callbacks_go_behind_the_others), TEST(commands_from_commands_end),
          TEST(disabled_observers_hear_nothing), TEST(disabling_acts_at_once),
          TEST(destroyed_observers_hear_nothing), TEST(observers_may_end_while_they_are_called),
          TEST(a_replay_notifies_what_exists), TEST(a_replay_notifies_who_matches),
          TEST(wrong_descriptions_are_rejected))

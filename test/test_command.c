/* test_command.c: changes recorded now and applied later. */
#include "check.h"
#include "scarce.h"
#include "sett/hierarchy.h"
#include "sett/observer.h"
#include "sett/sett.h"

#include "world/command.h"

typedef struct scene {
    sett_world* world;
    sett_commands* commands;
    sett_component number; /* 4 bytes */
    sett_component big;    /* 20,000 bytes, aligned to 1,024 */
    sett_component tag;
    sett_component owned; /* init, deinit, copy counted */
    sett_component noisy; /* its on_add records */
} scene;

static int owned_alive;
static uint32_t noisy_depth;

static void owned_init(void* values, uint32_t count, void* user)
{
    (void)user;
    memset(values, 0, (size_t)count * 8);
    owned_alive += (int)count;
}

static void owned_deinit(void* values, uint32_t count, void* user)
{
    (void)values;
    (void)user;
    owned_alive -= (int)count;
}

static void owned_copy(void* to, const void* from, uint32_t count, void* user)
{
    (void)user;
    memcpy(to, from, (size_t)count * 8);
}

static void noisy_on_add(sett_world* world, sett_entity entity, void* value, void* user)
{
    const scene* s = user;
    (void)value;
    sett_cmd_add(s->commands, entity, s->tag);
    if (noisy_depth > 0) {
        noisy_depth--;
        sett_entity next = sett_cmd_create(s->commands);
        sett_cmd_add(s->commands, next, s->noisy);
    }
    CHECK_EQ(sett_commands_apply(sett_commands_here(world)), SETT_STATUS_LOCKED);
}

static void scene_begin(scene* s)
{
    s->world = quiet_world();
    s->commands = sett_commands_here(s->world);
    s->number =
        sett_component_register(s->world, &(sett_component_desc){.name = "number", .size = 4});
    s->big = sett_component_register(
        s->world, &(sett_component_desc){.name = "big", .size = 20480, .align = 1024});
    s->tag = sett_component_register(s->world, &(sett_component_desc){.name = "tag"});
    s->owned = sett_component_register(s->world, &(sett_component_desc){.name = "owned",
                                                                        .size = 8,
                                                                        .init = owned_init,
                                                                        .deinit = owned_deinit,
                                                                        .copy = owned_copy});
    s->noisy = sett_component_register(
        s->world, &(sett_component_desc){.name = "noisy", .on_add = noisy_on_add, .user = s});
    owned_alive = 0;
    noisy_depth = 0;
}

static void scene_end(scene* s)
{
    CHECK_END(s->world);
    CHECK_EQ(owned_alive, 0);
}

static uint32_t number_of(const scene* s, sett_entity entity)
{
    const uint32_t* number = sett_find(s->world, entity, s->number);
    return number != NULL ? *number : UINT32_MAX;
}

static void nothing_happens_until_applied(void)
{
    scene s;
    scene_begin(&s);
    sett_entity e = sett_entity_create(s.world);
    sett_entity gone = sett_entity_create(s.world);
    uint32_t value = 5;
    CHECK_EQ(sett_cmd_set(s.commands, e, s.number, &value), SETT_OK);
    value = 6; /* the value was copied */
    CHECK_EQ(sett_cmd_add(s.commands, e, s.tag), SETT_OK);
    CHECK_EQ(sett_cmd_destroy(s.commands, gone), SETT_OK);
    CHECK_EQ(sett_commands_count(s.commands), 3);
    CHECK(!sett_has(s.world, e, s.number) && sett_entity_valid(s.world, gone));
    CHECK_EQ(sett_commands_apply(s.commands), SETT_OK);
    CHECK_EQ(sett_commands_count(s.commands), 0);
    CHECK_EQ(number_of(&s, e), 5);
    CHECK(sett_has(s.world, e, s.tag) && !sett_entity_valid(s.world, gone));
    CHECK_EQ(sett_commands_apply(s.commands), SETT_OK); /* nothing left to do */
    scene_end(&s);
}

static void they_apply_in_the_order_of_their_recording(void)
{
    scene s;
    scene_begin(&s);
    sett_entity e = sett_entity_create(s.world);
    uint32_t one = 1;
    uint32_t two = 2;
    sett_cmd_set(s.commands, e, s.number, &one);
    sett_cmd_set(s.commands, e, s.number, &two);
    sett_cmd_add(s.commands, e, s.tag);
    sett_cmd_remove(s.commands, e, s.tag);
    CHECK_EQ(sett_commands_apply(s.commands), SETT_OK);
    CHECK_EQ(number_of(&s, e), 2);
    CHECK(!sett_has(s.world, e, s.tag));
    sett_cmd_clear(s.commands, e);
    sett_cmd_set(s.commands, e, s.number, &one);
    sett_cmd_remove(s.commands, e, s.tag);
    sett_cmd_add(s.commands, e, s.tag);
    CHECK_EQ(sett_commands_apply(s.commands), SETT_OK);
    CHECK_EQ(number_of(&s, e), 1);
    CHECK(sett_has(s.world, e, s.tag));
    scene_end(&s);
}

static void unknown_types_are_rejected_when_recording(void)
{
    scene s;
    scene_begin(&s);
    sett_entity e = sett_entity_create(s.world);
    uint32_t value = 0;
    CHECK_EQ(sett_cmd_add(s.commands, e, 999), SETT_STATUS_UNREGISTERED);
    CHECK_EQ(sett_cmd_add(s.commands, e, 0), SETT_STATUS_UNREGISTERED);
    CHECK_EQ(sett_cmd_set(s.commands, e, 999, &value), SETT_STATUS_UNREGISTERED);
    CHECK_EQ(sett_cmd_remove(s.commands, e, 999), SETT_STATUS_UNREGISTERED);
    CHECK_EQ(sett_cmd_set(s.commands, e, s.number, NULL), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_commands_count(s.commands), 0);
    CHECK_EQ(sett_cmd_set(s.commands, e, s.tag, NULL), SETT_OK); /* which has no value */
    CHECK_EQ(sett_commands_apply(s.commands), SETT_OK);
    CHECK(sett_has(s.world, e, s.tag) && !sett_has(s.world, e, s.number));
    scene_end(&s);
}

static void entities_can_be_reserved_inside_of_loops(void)
{
    scene s;
    scene_begin(&s);
    for (uint32_t k = 0; k < 500; k++) {
        sett_add(s.world, sett_entity_create(s.world), s.tag);
    }
    sett_query_desc desc = {"tags", {{.component = s.tag}}};
    sett_query* query = sett_query_create(s.world, &desc);
    static sett_entity made[500];
    uint32_t count = 0;
    SETT_QUERY_EACH(query, b) {
        SETT_EACH(b, row) {
            uint32_t value = sett_batch_index(b, row);
            made[count] = sett_cmd_create(s.commands);
            CHECK(!sett_is_null(made[count]));
            CHECK_EQ(sett_cmd_set(s.commands, made[count], s.number, &value), SETT_OK);
            CHECK_EQ(sett_cmd_destroy(s.commands, sett_batch_entity(b, row)), SETT_OK);
            count++;
        }
        CHECK_EQ(sett_commands_apply(s.commands), SETT_STATUS_LOCKED);
    }
    CHECK_EQ(count, 500);
    CHECK_EQ(sett_commands_count(s.commands), 1500);
    CHECK_EQ(sett_commands_apply(s.commands), SETT_OK);
    CHECK_EQ(sett_entity_count(s.world), 500);
    for (uint32_t k = 0; k < 500; k++) {
        CHECK_EQ(number_of(&s, made[k]), k);
    }
    scene_end(&s);
}

static void large_values_keep_their_alignment(void)
{
    scene s;
    scene_begin(&s);
    static _Alignas(1024) unsigned char value[20480];
    sett_entity e[30];
    sett_entity_create_many(s.world, 30, NULL, 0, NULL, e);
    for (uint32_t round = 0; round < 3; round++) { /* the chunks of the first are used again */
        for (uint32_t k = 0; k < 30; k++) {
            memset(value, (int)(k + round), sizeof(value));
            CHECK_EQ(sett_cmd_add(s.commands, e[k], s.tag), SETT_OK);
            CHECK_EQ(sett_cmd_set(s.commands, e[k], s.big, value), SETT_OK);
        }
        CHECK_EQ(sett_commands_apply(s.commands), SETT_OK);
        for (uint32_t k = 0; k < 30; k++) {
            const unsigned char* big = sett_get(s.world, e[k], s.big);
            CHECK_EQ((uintptr_t)big % 1024, 0);
            CHECK(big[0] == k + round && big[20479] == k + round);
        }
    }
    sett_stats first;
    sett_stats second;
    sett_world_stats(s.world, &first);
    for (uint32_t k = 0; k < 30; k++) {
        CHECK_EQ(sett_cmd_set(s.commands, e[k], s.big, value), SETT_OK);
    }
    CHECK_EQ(sett_commands_apply(s.commands), SETT_OK);
    sett_world_stats(s.world, &second);
    CHECK_EQ(second.allocations, first.allocations);
    scene_end(&s);
}

static void what_hooks_record_is_applied_too(void)
{
    scene s;
    scene_begin(&s);
    noisy_depth = 50;
    sett_entity e = sett_entity_create(s.world);
    CHECK_EQ(sett_cmd_add(s.commands, e, s.noisy), SETT_OK);
    CHECK_EQ(sett_commands_apply(s.commands), SETT_OK);
    CHECK_EQ(noisy_depth, 0);
    CHECK_EQ(sett_entity_count(s.world), 51);
    CHECK_EQ(sett_component_count(s.world, s.noisy), 51);
    CHECK_EQ(sett_component_count(s.world, s.tag), 51);
    CHECK_EQ(sett_commands_count(s.commands), 0);
    scene_end(&s);
}

static void dropped_commands_leave_no_trace(void)
{
    scene s;
    scene_begin(&s);
    sett_entity e = sett_entity_create(s.world);
    uint64_t value = 1;
    sett_entity reserved = sett_cmd_create(s.commands);
    sett_cmd_set(s.commands, reserved, s.owned, &value);
    sett_cmd_set(s.commands, e, s.owned, &value);
    CHECK_EQ(owned_alive, 2);
    sett_commands_clear(s.commands);
    CHECK_EQ(owned_alive, 0);
    CHECK_EQ(sett_commands_count(s.commands), 0);
    CHECK_EQ(sett_commands_apply(s.commands), SETT_OK);
    CHECK(!sett_has(s.world, e, s.owned) && !sett_entity_valid(s.world, reserved));
    scene_end(&s);
}

static void buffers_are_independent(void)
{
    scene s;
    scene_begin(&s);
    sett_commands* a = sett_commands_create(s.world);
    sett_commands* b = sett_commands_create(s.world);
    CHECK(a != NULL && b != NULL && a != b && a != s.commands);
    sett_entity first = sett_cmd_create(a);
    sett_entity second = sett_cmd_create(b);
    CHECK(first.index != second.index);
    sett_cmd_add(b, first, s.tag); /* about what another buffer reserved */
    CHECK_EQ(sett_commands_apply(b), SETT_OK);
    CHECK(sett_entity_valid(s.world, second) && !sett_entity_valid(s.world, first));
    CHECK_EQ(sett_commands_apply(a), SETT_OK);
    CHECK(sett_entity_valid(s.world, first) && !sett_has(s.world, first, s.tag));
    uint64_t value = 0;
    sett_cmd_set(a, first, s.owned, &value);
    sett_entity dropped = sett_cmd_create(a);
    sett_commands_destroy(a);
    CHECK_EQ(owned_alive, 0);
    CHECK_EQ(sett_commands_apply(b), SETT_OK);
    CHECK(!sett_entity_valid(s.world, dropped));
    sett_cmd_set(b, first, s.owned, &value); /* left for sett_world_destroy */
    sett_cmd_create(b);
    sett_commands_destroy(NULL);
    CHECK_PTR_EQ(sett_commands_here(s.world), s.commands);
    scene_end(&s);
}

/* A type with deinit and without copy: what is recorded is moved into the world, and ends once. */
static void values_without_copy_move(void)
{
    scene s;
    scene_begin(&s);
    sett_component handed = sett_component_register(
        s.world, &(sett_component_desc){
                     .name = "handed", .size = 8, .init = owned_init, .deinit = owned_deinit});
    sett_entity e = sett_entity_create(s.world);
    uint64_t value = 4;
    owned_alive = 1;
    sett_cmd_set(s.commands, e, handed, &value);
    CHECK_EQ(sett_commands_apply(s.commands), SETT_OK);
    CHECK_EQ(owned_alive, 1);
    sett_entity_destroy(s.world, e);
    CHECK_EQ(owned_alive, 0);
    scene_end(&s);
}

/* ---- A hook that meddles with the buffer ----------------------------------------------------- */

static void clear_on_add(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)entity;
    (void)value;
    (void)user;
    sett_commands_clear(sett_commands_here(world));
    CHECK_EQ(sett_world_error(world), SETT_STATUS_LOCKED);
}

static void a_buffer_being_applied_cannot_be_cleared(void)
{
    scene s;
    scene_begin(&s);
    sett_component rude = sett_component_register(
        s.world, &(sett_component_desc){.name = "rude", .on_add = clear_on_add});
    sett_entity e = sett_entity_create(s.world);
    sett_cmd_add(s.commands, e, rude);
    sett_cmd_add(s.commands, e, s.tag);
    CHECK_EQ(sett_commands_apply(s.commands), SETT_OK);
    CHECK(sett_has(s.world, e, rude) && sett_has(s.world, e, s.tag));
    CHECK_EQ(sett_commands_count(s.commands), 0);
    scene_end(&s);
}

/* ---- What a command finds -------------------------------------------------------------------- */

typedef struct notified {
    uint32_t added;
    uint32_t set;
    uint32_t removed;
} notified;

static void notified_add(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)world;
    (void)entity;
    (void)value;
    ((notified*)user)->added++;
}

static void notified_set(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)world;
    (void)entity;
    (void)value;
    ((notified*)user)->set++;
}

static void notified_remove(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)world;
    (void)entity;
    (void)value;
    ((notified*)user)->removed++;
}

/* A scene whose component `number` is observed. */
static void observed_begin(scene* s, notified* t)
{
    scene_begin(s);
    memset(t, 0, sizeof(*t));
    sett_observer_desc desc = {.component = s->number,
                               .on_add = notified_add,
                               .on_set = notified_set,
                               .on_remove = notified_remove,
                               .user = t};
    CHECK(sett_observer_create(s->world, &desc) != NULL);
}

static void expect_notified(const notified* t, uint32_t added, uint32_t set, uint32_t removed)
{
    CHECK_EQ(t->added, added);
    CHECK_EQ(t->set, set);
    CHECK_EQ(t->removed, removed);
}

static void commands_about_a_dead_entity_are_skipped(void)
{
    scene s;
    notified t;
    observed_begin(&s, &t);
    sett_entity gone = sett_entity_create(s.world);
    uint64_t value = 3;
    sett_cmd_destroy(s.commands, gone);
    sett_cmd_set(s.commands, gone, s.number, &value); /* destroyed by the one before */
    sett_cmd_set(s.commands, gone, s.owned, &value);
    sett_cmd_add(s.commands, gone, s.number);
    sett_cmd_remove(s.commands, gone, s.number);
    sett_cmd_clear(s.commands, gone);
    sett_cmd_destroy(s.commands, gone);
    CHECK_EQ(owned_alive, 1);
    CHECK_EQ(sett_commands_apply(s.commands), SETT_OK);
    CHECK_EQ(owned_alive, 0);
    CHECK_EQ(sett_entity_count(s.world), 0);
    expect_notified(&t, 0, 0, 0);
    scene_end(&s);
}

static void an_add_of_what_is_there_leaves_the_value(void)
{
    scene s;
    notified t;
    observed_begin(&s, &t);
    sett_entity e = sett_entity_create(s.world);
    uint32_t value = 3;
    sett_cmd_add(s.commands, e, s.number);
    sett_set(s.world, e, s.number, &value);
    CHECK_EQ(sett_commands_apply(s.commands), SETT_OK);
    CHECK_EQ(number_of(&s, e), 3);
    expect_notified(&t, 1, 1, 0);
    scene_end(&s);
}

static void a_set_of_what_is_absent_adds_it(void)
{
    scene s;
    notified t;
    observed_begin(&s, &t);
    sett_entity e = sett_entity_create(s.world);
    uint32_t value = 3;
    sett_add(s.world, e, s.number);
    sett_cmd_set(s.commands, e, s.number, &value);
    sett_remove(s.world, e, s.number);
    CHECK_EQ(sett_commands_apply(s.commands), SETT_OK);
    CHECK_EQ(number_of(&s, e), 3);
    expect_notified(&t, 2, 1, 1);
    scene_end(&s);
}

static void a_remove_of_an_absent_component_is_skipped(void)
{
    scene s;
    notified t;
    observed_begin(&s, &t);
    sett_entity e = sett_entity_create(s.world);
    sett_add(s.world, e, s.number);
    sett_cmd_remove(s.commands, e, s.number);
    sett_remove(s.world, e, s.number);
    CHECK_EQ(sett_commands_apply(s.commands), SETT_OK);
    expect_notified(&t, 1, 0, 1);
    sett_cmd_clear(s.commands, e);
    CHECK_EQ(sett_commands_apply(s.commands), SETT_OK);
    expect_notified(&t, 1, 0, 1);
    CHECK(sett_entity_valid(s.world, e));
    CHECK_EQ(sett_world_error(s.world), SETT_OK); /* none of this is an error */
    scene_end(&s);
}

static void rejected_commands_are_skipped(void)
{
    scene s;
    scene_begin(&s);
    sett_entity parent = sett_entity_create(s.world);
    sett_entity child = sett_entity_create(s.world);
    CHECK_EQ(sett_hierarchy_attach(s.world, child, parent), SETT_OK);
    CHECK_EQ(sett_hierarchy_set_policy(s.world, parent, SETT_CHILDREN_REJECT), SETT_OK);
    sett_cmd_destroy(s.commands, parent);
    sett_cmd_add(s.commands, parent, s.tag);
    CHECK_EQ(sett_commands_apply(s.commands), SETT_OK);
    CHECK_EQ(sett_world_error(s.world), SETT_STATUS_REJECTED);
    CHECK(strstr(sett_world_message(s.world), "sett_commands_apply: sett_entity_destroy: entity") ==
          sett_world_message(s.world));
    CHECK(sett_has(s.world, parent, s.tag));
    CHECK_EQ(sett_commands_count(s.commands), 0);
    sett_cmd_attach(s.commands, parent, parent); /* who reads it looks for a call of cmd_attach */
    CHECK_EQ(sett_commands_apply(s.commands), SETT_OK);
    char where[96];
    snprintf(where, sizeof(where), "sett_commands_apply: sett_hierarchy_attach: entity %u:1 cannot",
             parent.index);
    CHECK_MSG(strstr(sett_world_message(s.world), where) == sett_world_message(s.world), "%s",
              sett_world_message(s.world));
    CHECK_EQ(sett_hierarchy_attach(s.world, parent, parent), SETT_STATUS_CYCLE);
    CHECK(strstr(sett_world_message(s.world), "sett_hierarchy_attach") ==
          sett_world_message(s.world));
    scene_end(&s);
}

/* ---- Handles that are not applied yet -------------------------------------------------------- */

static void a_reserved_handle_does_not_live_yet(void)
{
    scene s;
    scene_begin(&s);
    sett_entity e = sett_cmd_create(s.commands);
    uint32_t value = 3;
    sett_cmd_set(s.commands, e, s.number, &value);
    CHECK(!sett_is_null(e));
    CHECK(!sett_entity_valid(s.world, e));
    CHECK(!sett_has(s.world, e, s.number));
    CHECK(sett_find(s.world, e, s.number) == NULL);
    CHECK(sett_find_mut(s.world, e, s.number) == NULL);
    CHECK(sett_get(s.world, e, s.number) == NULL);
    CHECK(sett_is_null(sett_entity_at(s.world, e.index)));
    CHECK_EQ(sett_entity_count(s.world), 0);
    sett_component ids[4];
    CHECK_EQ(sett_entity_components(s.world, e, ids, 4), 0);
    CHECK(sett_add(s.world, e, s.number) == NULL);
    CHECK_EQ(sett_world_error(s.world), SETT_STATUS_STALE);
    CHECK(sett_set(s.world, e, s.number, &value) == NULL);
    CHECK_EQ(sett_remove(s.world, e, s.number), SETT_STATUS_STALE);
    CHECK_EQ(sett_entity_destroy(s.world, e), SETT_STATUS_STALE);
    CHECK_EQ(sett_entity_create_handle(s.world, e), SETT_STATUS_PRESENT);
    CHECK(!sett_equals(sett_entity_create(s.world), e));
    CHECK_EQ(sett_commands_apply(s.commands), SETT_OK);
    CHECK(sett_entity_valid(s.world, e));
    CHECK_EQ(number_of(&s, e), 3);
    scene_end(&s);
}

/* ---- Words ----------------------------------------------------------------------------------- */

static void what_waits_can_be_read(void)
{
    scene s;
    scene_begin(&s);
    char text[512];
    CHECK_EQ(sett_commands_describe(s.commands, text, sizeof(text)), 0);
    CHECK_STR_EQ(text, "");
    sett_entity a = sett_entity_create(s.world);
    sett_entity b = sett_cmd_create(s.commands);
    uint32_t value = 3;
    sett_cmd_set(s.commands, b, s.number, &value);
    sett_cmd_add(s.commands, a, s.tag);
    sett_cmd_remove(s.commands, a, s.tag);
    sett_cmd_clear(s.commands, a);
    sett_cmd_destroy(s.commands, a);
    static const char whole[] = "1: create entity 1:1\n"
                                "2: set \"number\" of entity 1:1\n"
                                "3: add \"tag\" to entity 0:1\n"
                                "4: remove \"tag\" from entity 0:1\n"
                                "5: clear entity 0:1\n"
                                "6: destroy entity 0:1\n";
    CHECK_EQ(sett_commands_describe(s.commands, text, sizeof(text)), sizeof(whole) - 1);
    CHECK_STR_EQ(text, whole);
    for (size_t size = 0; size <= sizeof(whole); size++) { /* as snprintf cuts */
        memset(text, '#', sizeof(text));
        CHECK_EQ(sett_commands_describe(s.commands, text, size), sizeof(whole) - 1);
        CHECK_EQ(text[size], '#');
        CHECK(size == 0 || (strlen(text) == size - 1 && memcmp(text, whole, size - 1) == 0));
    }
    CHECK_EQ(sett_commands_describe(s.commands, NULL, 0), sizeof(whole) - 1);
    CHECK_EQ(sett_commands_apply(s.commands), SETT_OK);
    CHECK_EQ(sett_commands_describe(s.commands, text, sizeof(text)), 0);
    for (uint32_t k = 0; k < 2000; k++) { /* over several chunks */
        sett_cmd_add(s.commands, b, s.tag);
    }
    CHECK(sett_commands_describe(s.commands, NULL, 0) > 2000 * 27);
    scene_end(&s);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static void recording_allocates_nothing_once_it_has_grown(void)
{
    static scarce_memory memory;
    sett_world* world = scarce_world(&memory);
    sett_commands* commands = sett_commands_here(world);
    sett_component_desc desc = {.name = "number", .size = 4};
    sett_component number = sett_component_register(world, &desc);
    for (uint32_t round = 0; round < 20; round++) {
        sett_entity made[700];
        for (uint32_t k = 0; k < 700; k++) {
            made[k] = sett_cmd_create(commands);
            CHECK(!sett_is_null(made[k]));
            CHECK_EQ(sett_cmd_set(commands, made[k], number, &k), SETT_OK);
        }
        CHECK_EQ(sett_commands_apply(commands), SETT_OK);
        CHECK_EQ(sett_component_count(world, number), 700);
        for (uint32_t k = 0; k < 700; k++) {
            CHECK_EQ(sett_cmd_remove(commands, made[k], number), SETT_OK);
            CHECK_EQ(sett_cmd_destroy(commands, made[k]), SETT_OK);
        }
        CHECK_EQ(sett_commands_apply(commands), SETT_OK);
        memory.closed = true; /* from here on no memory is given at all */
        memory.strict = true;
    }
    scarce_end(&memory, world);
}

typedef struct stopped {
    sett_world* world;
    sett_commands* commands;
    sett_component big;
    sett_entity e[4];
    uint32_t left; /* commands that wait */
} stopped;

static bool stopped_apply(void* user)
{
    stopped* c = user;
    return sett_commands_apply(c->commands) == SETT_OK;
}

/* Whichever it was, the message names it, and those before it are done. */
static void stopped_says_where(void* user)
{
    stopped* c = user;
    uint32_t before = c->left;
    c->left = sett_commands_count(c->commands);
    uint32_t done = 0;
    for (uint32_t k = 0; k < 4; k++) {
        done += sett_has(c->world, c->e[k], c->big);
    }
    CHECK(c->left >= 1 && c->left <= before);
    CHECK_EQ(done, 4 - c->left);
    char where[128];
    snprintf(where, sizeof(where),
             "sett_commands_apply: command %u of %u, set \"big\" of entity %u:1: the allocator",
             before - c->left + 1, before, c->e[4 - c->left].index);
    CHECK_MSG(strstr(sett_world_message(c->world), where) == sett_world_message(c->world),
              "%s, not %s", sett_world_message(c->world), where);
}

static void out_of_memory_stops_and_says_where(void)
{
    static scarce_memory memory;
    stopped c = {.world = scarce_world(&memory), .left = 4};
    sett_component_desc desc = {.name = "big", .size = 4000, .storage = SETT_STORAGE_SPARSE_SET};
    c.big = sett_component_register(c.world, &desc);
    c.commands = sett_commands_here(c.world);
    static unsigned char value[4000];
    for (uint32_t k = 0; k < 4; k++) {
        c.e[k] = sett_entity_create(c.world);
        CHECK_EQ(sett_cmd_set(c.commands, c.e[k], c.big, value), SETT_OK);
    }
    scarce_run(c.world, &memory, stopped_apply, stopped_says_where, &c);
    CHECK(memory.failures > 4);
    CHECK_EQ(sett_component_count(c.world, c.big), 4);
    scarce_end(&memory, c.world);
}

/* ---- Jobs ----------------------------------------------------------------------------------- */

#define JOBS 3

/* Gives the table holes, reservations, and slots of later lives. */
static void jobs_prepare(const scene* s, sett_commands** job)
{
    static sett_entity e[300];
    sett_entity_create_many(s->world, 300, NULL, 0, NULL, e);
    for (uint32_t k = 0; k < 300; k += 3) {
        sett_entity_destroy(s->world, e[k]);
    }
    for (uint32_t k = 0; k < JOBS; k++) {
        job[k] = sett_commands_create(s->world);
    }
    sett_cmd_create(s->commands);
    sett_cmd_create(job[1]); /* from before: stays in front */
}

/* Creates `count` entities in each job, each with its job and its number, in turns of `turn`. */
static void jobs_record(const scene* s, sett_commands** job, uint32_t count, uint32_t turn,
                        sett_entity made[JOBS][500])
{
    for (uint32_t begin = 0; begin < count; begin += turn) {
        for (uint32_t k = JOBS; k-- > 0;) {
            for (uint32_t n = begin; n < begin + turn && n < count; n++) {
                uint32_t value = k * 1000 + n;
                made[k][n] = sett_cmd_create(job[k]);
                CHECK_EQ(sett_cmd_set(job[k], made[k][n], s->number, &value), SETT_OK);
            }
        }
    }
}

/* Which indices the jobs take, worked out by looking at each: of the words of 64 indices that some
 * are free in, job k gets the k-th, and then every n-th. */
/* Ends the jobs and applies their buffers, first to last, as a frame does. */
static sett_status jobs_apply(sett_world* world, sett_commands* const* job, uint32_t count)
{
    sett_status status = world->open_jobs != 0
                             ? setti_commands_end_jobs(world, job, count, "sett_progress")
                             : SETT_OK;
    for (uint32_t k = 0; status == SETT_OK && k < count; k++) {
        status = sett_commands_apply(job[k]);
        setti_commands_release_chunks(job[k]);
    }
    return status;
}

static void jobs_expect(const sett_world* world, uint32_t expected[JOBS][500])
{
    uint32_t count[JOBS] = {0};
    uint32_t turn = 0;
    for (uint32_t first = 0; turn < JOBS * 500; first += 64) {
        uint32_t k = turn % JOBS;
        uint32_t found = 0;
        for (uint32_t index = first; index < first + 64; index++) {
            if (sett_is_null(sett_entity_at(world, index)) &&
                !setti_entity_is_claimed(&world->entities, index)) {
                found++;
                if (count[k] < 500) {
                    expected[k][count[k]++] = index;
                }
            }
        }
        turn += found != 0;
    }
}

static void jobs_give_the_same_handles_in_any_order(void)
{
    static sett_entity made[2][JOBS][500];
    static uint32_t expected[JOBS][500];
    for (uint32_t round = 0; round < 2; round++) {
        scene s;
        scene_begin(&s);
        sett_commands* job[JOBS];
        jobs_prepare(&s, job);
        jobs_expect(s.world, expected);
        setti_commands_begin_jobs(s.world, job, JOBS);
        static sett_world before; /* what threads share must not be written */
        memcpy(&before, s.world, sizeof(before));
        jobs_record(&s, job, 500, round == 0 ? 1 : 77, made[round]);
        CHECK(memcmp(&before, s.world, sizeof(before)) == 0);
        for (uint32_t k = 0; k < JOBS; k++) {
            for (uint32_t n = 0; n < 500; n++) {
                CHECK_EQ(made[round][k][n].index, expected[k][n]);
                CHECK(!sett_entity_valid(s.world, made[round][k][n]));
                CHECK(sett_is_null(sett_entity_at(s.world, made[round][k][n].index)));
            }
        }
        CHECK_EQ(jobs_apply(s.world, job, JOBS), SETT_OK);
        CHECK_EQ(sett_entity_count(s.world), 200 + 1 + JOBS * 500);
        for (uint32_t k = 0; k < JOBS; k++) {
            for (uint32_t n = 0; n < 500; n++) {
                CHECK_EQ(number_of(&s, made[round][k][n]), k * 1000 + n);
            }
        }
        scene_end(&s);
    }
    CHECK(memcmp(made[0], made[1], sizeof(made[0])) == 0);
}

static void jobs_apply_first_to_last(void)
{
    scene s;
    scene_begin(&s);
    sett_commands* job[JOBS];
    jobs_prepare(&s, job);
    sett_entity e = sett_entity_create(s.world);
    setti_commands_begin_jobs(s.world, job, JOBS);
    for (uint32_t k = JOBS; k-- > 0;) {
        sett_cmd_set(job[k], e, s.number, &k);
    }
    CHECK_EQ(jobs_apply(s.world, job, JOBS), SETT_OK);
    CHECK_EQ(number_of(&s, e), JOBS - 1);
    scene_end(&s);
}

static void while_jobs_record_nothing_else_happens(void)
{
    scene s;
    scene_begin(&s);
    sett_commands* job[JOBS];
    jobs_prepare(&s, job);
    setti_commands_begin_jobs(s.world, job, JOBS);
    sett_entity made = sett_cmd_create(job[0]);
    CHECK(sett_is_null(sett_entity_create(s.world)));
    CHECK(strstr(sett_world_message(s.world), "sett_progress") != NULL);
    CHECK(sett_is_null(sett_cmd_create(s.commands)));
    CHECK_EQ(sett_world_error(s.world), SETT_STATUS_LOCKED);
    CHECK_EQ(sett_entity_create_handle(s.world, made), SETT_STATUS_LOCKED);
    CHECK_EQ(sett_commands_apply(job[0]), SETT_STATUS_LOCKED);
    sett_commands_clear(job[0]); /* its handles are out */
    sett_commands_destroy(job[0]);
    CHECK_EQ(sett_commands_count(job[0]), 1);
    CHECK_EQ(jobs_apply(s.world, job, JOBS), SETT_OK);
    CHECK(sett_entity_valid(s.world, made));
    CHECK(!sett_is_null(sett_entity_create(s.world)));
    setti_commands_begin_jobs(s.world, job, JOBS); /* left for sett_world_destroy */
    sett_cmd_create(job[2]);
    scene_end(&s);
}

static void jobs_end_at_the_limit(void)
{
    sett_world* world =
        sett_world_create(&(sett_world_desc){.log_fn = sett_log_silent, .entity_limit = 100});
    sett_commands* job[2] = {sett_commands_create(world), sett_commands_create(world)};
    setti_commands_begin_jobs(world, job, 2);
    for (uint32_t n = 0; n < 64; n++) {
        CHECK_EQ(sett_cmd_create(job[0]).index, n);
    }
    CHECK(sett_is_null(sett_cmd_create(job[0]))); /* slot 128 */
    for (uint32_t n = 0; n < 36; n++) {
        CHECK_EQ(sett_cmd_create(job[1]).index, 64 + n);
    }
    CHECK(sett_is_null(sett_cmd_create(job[1])));
    CHECK_EQ(sett_world_error(world), SETT_OK); /* a job does not write to the world */
    CHECK_EQ(jobs_apply(world, job, 2), SETT_OK);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_LIMIT);
    CHECK_EQ(sett_entity_count(world), 100);
    sett_world_destroy(world);
}

typedef struct job_scarcity {
    sett_world* world;
    sett_commands* job[JOBS];
    sett_component number;
    sett_entity made[JOBS][500];
} job_scarcity;

static bool jobs_merge(void* user)
{
    job_scarcity* c = user;
    return jobs_apply(c->world, c->job, JOBS) == SETT_OK;
}

static void jobs_wait_for_memory(void)
{
    static scarce_memory memory;
    static job_scarcity c;
    c.world = scarce_world(&memory);
    sett_component_desc desc = {.name = "number", .size = 4};
    scene s = {.world = c.world, .number = sett_component_register(c.world, &desc)};
    for (uint32_t k = 0; k < JOBS; k++) {
        c.job[k] = sett_commands_create(c.world);
    }
    sett_entity_create(c.world);
    setti_commands_begin_jobs(c.world, c.job, JOBS);
    jobs_record(&s, c.job, 500, 10, c.made);
    scarce_run(c.world, &memory, jobs_merge, NULL, &c);
    CHECK(memory.failures > 4); /* three pages of entities, and values */
    CHECK_EQ(sett_entity_count(c.world), 1 + JOBS * 500);
    for (uint32_t k = 0; k < JOBS; k++) {
        for (uint32_t n = 0; n < 500; n++) {
            CHECK_EQ(number_of(&s, c.made[k][n]), k * 1000 + n);
        }
    }
    scarce_end(&memory, c.world);
}

/* What a failed merge leaves can be dropped; its handles do not come back. */
static void dropped_jobs_leave_dead_handles(void)
{
    scene s;
    scene_begin(&s);
    sett_commands* job[JOBS];
    static sett_entity made[JOBS][500];
    jobs_prepare(&s, job);
    setti_commands_begin_jobs(s.world, job, JOBS);
    jobs_record(&s, job, 100, 9, made);
    CHECK_EQ(setti_commands_end_jobs(s.world, job, JOBS, "sett_progress"), SETT_OK);
    for (uint32_t k = 0; k < JOBS; k++) {
        sett_commands_clear(job[k]);
    }
    sett_commands_clear(s.commands);
    CHECK_EQ(s.world->entities.reserved, 0);
    for (uint32_t n = 0; n < 2000; n++) { /* takes all the slots, and more */
        sett_entity fresh = sett_entity_create(s.world);
        for (uint32_t k = 0; k < JOBS * 100; k++) {
            sett_entity other = made[k / 100][k % 100];
            CHECK(fresh.index != other.index || fresh.generation > other.generation);
        }
    }
    scene_end(&s);
}

/* Calls for memory in some frames that add large values to entities and take them off again. */
static uint64_t allocations_of(bool set)
{
    static const unsigned char value[40000] = {1, 2, 3};
    sett_world* world = quiet_world();
    sett_commands* commands = sett_commands_here(world);
    sett_component_desc desc = {.name = "huge", .size = sizeof(value)};
    sett_component huge = sett_component_register(world, &desc);
    sett_component tag = SETT_REGISTER_TAG(world, Tag);
    CHECK(sett_group_create(world, &(sett_group_desc){.owned = {huge}, .without = {tag}}) != NULL);
    sett_entity e[20];
    CHECK_EQ(sett_entity_create_many(world, 20, NULL, 0, NULL, e), SETT_OK);
    sett_stats before;
    sett_stats after;
    for (uint32_t frame = 0; frame < 6; frame++) {
        if (frame == 2) {
            sett_world_stats(world, &before);
        }
        for (uint32_t k = 0; k < 20; k++) {
            CHECK_EQ(set ? sett_cmd_set(commands, e[k], huge, value)
                         : sett_cmd_add(commands, e[k], huge),
                     SETT_OK);
        }
        CHECK_EQ(sett_commands_apply(commands), SETT_OK);
        for (uint32_t k = 0; k < 20; k++) {
            CHECK_EQ(sett_cmd_remove(commands, e[k], huge), SETT_OK);
        }
        CHECK_EQ(sett_commands_apply(commands), SETT_OK);
    }
    sett_world_stats(world, &after);
    CHECK_END(world);
    return after.allocations - before.allocations;
}

/* Where values may move while one is set, it is put aside: in memory that is there already. Pages
 * as large as these values are the allocator's either way. */
static void applying_again_sets_nothing_aside_anew(void)
{
    CHECK_EQ(allocations_of(true), allocations_of(false));
}

typedef struct spawn {
    uint32_t count;
    sett_component component;
} spawn;

static void spawn_many(sett_world* world, void* data)
{
    const spawn* of = data;
    CHECK_EQ((uintptr_t)data % 16, 0);
    CHECK_EQ(sett_entity_create_many(world, of->count, &of->component, 1, NULL, NULL), SETT_OK);
    /* its own buffer is at work, and what it records comes after it */
    CHECK_EQ(sett_commands_apply(sett_commands_here(world)), SETT_STATUS_LOCKED);
    CHECK_EQ(sett_world_destroy(world), SETT_STATUS_LOCKED);
    if (of->count > 1) {
        spawn fewer = {of->count / 2, of->component};
        CHECK_EQ(sett_cmd_call(sett_commands_here(world), spawn_many, &fewer, sizeof(fewer)),
                 SETT_OK);
    }
}

static void end_all(sett_world* world, void* data)
{
    (void)data;
    CHECK_EQ(sett_world_clear(world), SETT_OK);
}

static void calls_can_be_recorded(void)
{
    char text[200];
    sett_world* world = quiet_world();
    sett_component tag = sett_component_register(world, &(sett_component_desc){.name = "Tag"});
    sett_commands* buffer = sett_commands_create(world);
    sett_entity entity = sett_cmd_create(buffer);
    CHECK_EQ(sett_cmd_call(buffer, end_all, NULL, 0), SETT_OK);
    CHECK_EQ(sett_cmd_call(buffer, spawn_many, &(spawn){8, tag}, sizeof(spawn)), SETT_OK);
    sett_commands_describe(buffer, text, sizeof(text));
    CHECK(strstr(text, "2: call\n3: call\n") != NULL);
    CHECK_EQ(sett_commands_apply(buffer), SETT_OK);
    CHECK(!sett_entity_valid(world, entity));
    CHECK_EQ(sett_component_count(world, tag), 8 + 4 + 2 + 1);
    CHECK_EQ(sett_commands_count(buffer), 0);

    CHECK_EQ(sett_cmd_call(buffer, NULL, NULL, 0), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_cmd_call(buffer, end_all, NULL, 8), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_cmd_call(NULL, end_all, NULL, 0), SETT_STATUS_ARGUMENT);
    CHECK_END(world);
}

static void many_entities_can_be_recorded(void)
{
    sett_world* world = quiet_world();
    sett_component tag = sett_component_register(world, &(sett_component_desc){.name = "Tag"});
    sett_component number =
        sett_component_register(world, &(sett_component_desc){.name = "Number", .size = 4});
    const sett_component both[] = {tag, number};
    const uint32_t numbers[] = {7, 8, 9};
    sett_entity made[3];
    sett_commands* here = sett_commands_here(world);
    CHECK_EQ(sett_cmd_create_many(here, 3, both, 2, (const void*[]){NULL, numbers}, made), SETT_OK);
    CHECK_EQ(sett_entity_count(world), 0);
    CHECK_EQ(sett_commands_apply(here), SETT_OK);
    for (uint32_t k = 0; k < 3; k++) {
        CHECK(sett_has(world, made[k], tag));
        CHECK_EQ(*(const uint32_t*)sett_get(world, made[k], number), 7 + k);
    }
    CHECK_EQ(sett_cmd_component_clear(here, number), SETT_OK);
    CHECK_EQ(sett_cmd_create_many(here, 2, both, 2, NULL, NULL), SETT_OK);
    CHECK_EQ(sett_commands_apply(here), SETT_OK);
    CHECK_EQ(sett_component_count(world, number), 2); /* those that came after */
    CHECK_EQ(sett_cmd_destroy_with(here, tag), SETT_OK);
    CHECK_EQ(sett_component_count(world, tag), 5);
    CHECK_EQ(sett_commands_apply(here), SETT_OK);
    CHECK_EQ(sett_entity_count(world), 0);
    CHECK_EQ(sett_cmd_destroy_with(here, 999), SETT_STATUS_UNREGISTERED);
    CHECK_EQ(sett_cmd_component_clear(here, 999), SETT_STATUS_UNREGISTERED);
    CHECK_EQ(sett_cmd_create_many(here, 1, (sett_component[]){999}, 1, NULL, NULL),
             SETT_STATUS_UNREGISTERED);
    CHECK_EQ(sett_commands_count(here), 0);
    CHECK_END(world);
}

typedef struct late {
    sett_component type;
    uint32_t added;
} late;

static void count_added(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)world;
    (void)entity;
    (void)value;
    ((late*)user)->added++;
}

static void make_late(sett_world* world, void* data)
{
    late* made = *(late**)data;
    made->type = sett_component_register(world, &(sett_component_desc){.name = "Late", .size = 4});
    CHECK(made->type != 0);
    CHECK(sett_observer_create(world, &(sett_observer_desc){.component = made->type,
                                                            .on_add = count_added,
                                                            .user = made}) != NULL);
}

/* They are rejected inside the loop; recorded, they begin when it has ended. */
static void types_and_observers_begin_after_the_loop(void)
{
    late made = {0, 0};
    late* at = &made;
    sett_world* world = quiet_world();
    sett_component tag = sett_component_register(world, &(sett_component_desc){.name = "Tag"});
    sett_entity entity = sett_entity_create(world);
    sett_add(world, entity, tag);
    sett_query* query = sett_query_create(
        world, &(sett_query_desc){.terms = {{.component = tag, .access = SETT_NONE}}});
    SETT_FOR(query, b, i) {
        CHECK_EQ(sett_component_register(world, &(sett_component_desc){.name = "Now"}), 0);
        CHECK_EQ(sett_world_error(world), SETT_STATUS_LOCKED);
        CHECK(sett_observer_create(world, &(sett_observer_desc){.component = tag,
                                                                .on_add = count_added,
                                                                .user = at}) == NULL);
        CHECK_EQ(sett_world_error(world), SETT_STATUS_LOCKED);
        CHECK_EQ(sett_cmd_call(sett_commands_here(world), make_late, &at, sizeof(at)), SETT_OK);
    }
    CHECK_EQ(made.type, 0);
    CHECK_EQ(sett_commands_apply(sett_commands_here(world)), SETT_OK);
    CHECK(sett_add(world, entity, made.type) != NULL);
    CHECK_EQ(made.added, 1);
    CHECK_END(world);
}

/* A recorded call may drop what is recorded behind it. */
static void restore(sett_world* world, void* data)
{
    sett_snapshot snapshot;
    memcpy(&snapshot, data, sizeof(snapshot));
    CHECK_EQ(sett_snapshot_restore(world, snapshot), SETT_OK);
}

static void a_recorded_call_may_restore(void)
{
    sett_world* world = quiet_world();
    sett_snapshot snapshot;
    CHECK_EQ(sett_snapshot_take(world, &snapshot), SETT_OK);
    sett_commands* here = sett_commands_here(world);
    sett_cmd_create(here);
    CHECK_EQ(sett_cmd_call(here, restore, &snapshot, sizeof(snapshot)), SETT_OK);
    sett_cmd_create(here);
    CHECK_EQ(sett_commands_apply(here), SETT_OK);
    CHECK_EQ(sett_entity_count(world), 0);
    CHECK_EQ(sett_commands_count(here), 0);
    CHECK_END(world);
}

TEST_MAIN(TEST(many_entities_can_be_recorded), TEST(types_and_observers_begin_after_the_loop),
          TEST(calls_can_be_recorded), TEST(a_recorded_call_may_restore),
          TEST(applying_again_sets_nothing_aside_anew), TEST(nothing_happens_until_applied),
          TEST(they_apply_in_the_order_of_their_recording),
          TEST(unknown_types_are_rejected_when_recording),
          TEST(entities_can_be_reserved_inside_of_loops), TEST(large_values_keep_their_alignment),
          TEST(what_hooks_record_is_applied_too), TEST(dropped_commands_leave_no_trace),
          TEST(buffers_are_independent), TEST(values_without_copy_move),
          TEST(a_buffer_being_applied_cannot_be_cleared),
          TEST(commands_about_a_dead_entity_are_skipped),
          TEST(an_add_of_what_is_there_leaves_the_value), TEST(a_set_of_what_is_absent_adds_it),
          TEST(a_remove_of_an_absent_component_is_skipped), TEST(rejected_commands_are_skipped),
          TEST(a_reserved_handle_does_not_live_yet), TEST(what_waits_can_be_read),
          TEST(recording_allocates_nothing_once_it_has_grown),
          TEST(out_of_memory_stops_and_says_where), TEST(jobs_give_the_same_handles_in_any_order),
          TEST(jobs_apply_first_to_last), TEST(while_jobs_record_nothing_else_happens),
          TEST(jobs_end_at_the_limit), TEST(jobs_wait_for_memory),
          TEST(dropped_jobs_leave_dead_handles))

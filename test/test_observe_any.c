/* test_observe_any.c: observers of every component. Beside one of them each type has an observer of
 * its own; random changes are reported to both, and what they note is equal, and in one order.
 *
 *     SETT_SEED=7 SETT_OPERATIONS=1000000 test_observe_any     another run, from outside
 */
#include "chance.h"
#include "scarce.h"

#define NOTES 4096u
#define IDS 2048u /* no component of this test has a higher one */
#define CROWD 40u

typedef struct note {
    uint64_t entity;
    sett_component component;
    sett_change change;
    uint32_t value;
} note;

typedef struct notes {
    note item[NOTES];
    uint32_t count;
} notes;

typedef struct Number {
    uint32_t value;
} Number;

static notes of_all, of_each;
static sett_component observed[IDS]; /* what an observer of its own is called with as `user` */
static bool has_own[IDS];

static void take_note(notes* to, sett_entity entity, sett_component component, sett_change change,
                      const void* value, size_t size)
{
    CHECK(to->count < NOTES);
    note* at = &to->item[to->count++];
    *at = (note){sett_entity_to_u64(entity), component, change, 0};
    if (value != NULL && size != 0) {
        memcpy(&at->value, value, size < sizeof(at->value) ? size : sizeof(at->value));
    }
}

static size_t size_of(const sett_world* world, sett_component component)
{
    sett_component_desc desc;
    CHECK_EQ(sett_component_describe(world, component, &desc), SETT_OK);
    return desc.size;
}

static void on_any(sett_world* world, sett_entity entity, sett_component component,
                   sett_change change, void* value, void* user)
{
    CHECK(sett_entity_valid(world, entity) && sett_has(world, entity, component));
    take_note(user, entity, component, change, value, size_of(world, component));
}

static void note_own(sett_world* world, sett_entity entity, sett_change change, void* value,
                     const void* user)
{
    const sett_component component = *(const sett_component*)user;
    take_note(&of_each, entity, component, change, value, size_of(world, component));
}

static void on_add(sett_world* world, sett_entity entity, void* value, void* user)
{
    note_own(world, entity, SETT_CHANGE_ADD, value, user);
}

static void on_set(sett_world* world, sett_entity entity, void* value, void* user)
{
    note_own(world, entity, SETT_CHANGE_SET, value, user);
}

static void on_remove(sett_world* world, sett_entity entity, void* value, void* user)
{
    note_own(world, entity, SETT_CHANGE_REMOVE, value, user);
}

/* Gives an observer of its own to each type that has none. */
static void observe_each(sett_world* world)
{
    for (sett_component id = 0; id < IDS; id++) {
        bool is = sett_component_name(world, id) != NULL;
        if (is && !has_own[id]) {
            observed[id] = id;
            CHECK(sett_observer_create(world, &(sett_observer_desc){.component = id,
                                                                    .on_add = on_add,
                                                                    .on_set = on_set,
                                                                    .on_remove = on_remove,
                                                                    .user = &observed[id]}) !=
                  NULL);
        }
        has_own[id] = is;
    }
}

static void check_notes(const sett_world* world, uint64_t step)
{
    for (uint32_t k = 0; k < of_all.count || k < of_each.count; k++) {
        const note* all = &of_all.item[k];
        const note* own = &of_each.item[k];
        CHECK_MSG(k < of_all.count && k < of_each.count && all->entity == own->entity &&
                      all->component == own->component && all->change == own->change &&
                      all->value == own->value,
                  "step %llu, note %u: %s, change %d, beside %s, change %d",
                  (unsigned long long)step, (unsigned)k,
                  k < of_all.count ? sett_component_name(world, all->component) : "none",
                  (int)all->change,
                  k < of_each.count ? sett_component_name(world, own->component) : "none",
                  (int)own->change);
    }
    of_all.count = 0;
    of_each.count = 0;
}

enum {
    PLAIN = 1,
    SPARSE,
    MARK,
    APART,
    SWITCHED,
    NEEDY,
    KINDS = NEEDY,
    ONE,
    MANY,
    LATER
};

static void register_types(sett_world* world)
{
    const sett_component_desc numbers[] = {
        {.name = "Plain", .id = PLAIN, .size = 4, .align = 4},
        {.name = "Sparse", .id = SPARSE, .size = 4, .align = 4, .storage = SETT_STORAGE_SPARSE_SET},
        {.name = "Mark", .id = MARK},
        {.name = "Apart", .id = APART, .size = 4, .align = 4, .dont_fragment = true},
        {.name = "Switched", .id = SWITCHED, .size = 4, .align = 4, .can_disable = true},
        {.name = "Needy",
         .id = NEEDY,
         .size = 4,
         .align = 4,
         .required = &(sett_component){PLAIN},
         .required_count = 1}};
    for (uint32_t k = 0; k < sizeof(numbers) / sizeof(*numbers); k++) {
        CHECK_EQ(sett_component_register(world, &numbers[k]), k + 1);
    }
    CHECK_EQ(sett_relationship_register(
                 world, &(sett_relationship_desc){.name = "One", .id = ONE, .size = 4, .align = 4}),
             ONE);
    CHECK_EQ(sett_relationship_register(
                 world, &(sett_relationship_desc){.name = "Many", .id = MANY, .many = true}),
             MANY);
    sett_hierarchy_register(world, NULL);
    sett_instance_of(world);
    sett_entity named = sett_entity_create(world);
    CHECK_EQ(sett_name_set(world, named, "first"), SETT_OK); /* registers the type of names */
    CHECK_EQ(sett_entity_destroy(world, named), SETT_OK);
}

/* A type that comes and goes. */
static void turn_later(sett_world* world)
{
    if (sett_component_name(world, LATER) == NULL) {
        CHECK_EQ(
            sett_component_register(
                world, &(sett_component_desc){.name = "Later", .id = LATER, .size = 4, .align = 4}),
            LATER);
    } else {
        sett_component_clear(world, LATER);
        sett_component_unregister(world, LATER); /* its own observer may hold it */
    }
}

static void change_something(sett_world* world, uint64_t* state)
{
    uint32_t crowd = sett_entity_count(world);
    sett_entity e = entity_from(world, chance_below(state, crowd + 1));
    sett_entity other = entity_from(world, chance_below(state, crowd + 1));
    sett_component type = 1 + chance_below(state, KINDS);
    type = sett_component_name(world, LATER) != NULL && chance_below(state, 8) == 0 ? LATER : type;
    uint32_t value = (uint32_t)chance_draw(state);
    switch (chance_below(state, 16)) {
    case 0:
        if (crowd < CROWD) {
            sett_entity_create(world);
        }
        break;
    case 1:
        if (chance_below(state, 3) == 0) {
            sett_entity_destroy(world, e);
        }
        break;
    case 2:
    case 3:
        sett_add(world, e, type);
        break;
    case 4:
    case 5:
        sett_set(world, e, type, type != MARK ? &value : NULL);
        break;
    case 6:
    case 7:
        sett_remove(world, e, type);
        break;
    case 8:
        sett_cmd_set(sett_commands_here(world), e, type, type != MARK ? &value : NULL);
        sett_cmd_remove(sett_commands_here(world), other, type);
        break;
    case 9:
        sett_commands_apply(sett_commands_here(world));
        break;
    case 10:
        sett_relate(world, e, chance_below(state, 2) == 0 ? ONE : MANY, other);
        break;
    case 11:
        sett_unrelate(world, e, chance_below(state, 2) == 0 ? ONE : MANY, other);
        break;
    case 12:
        sett_hierarchy_attach(world, e, other);
        break;
    case 13:
        sett_hierarchy_detach(world, e);
        break;
    case 14:
        sett_enable(world, e, SWITCHED, chance_below(state, 2) == 0);
        break;
    default: {
        char name[16];
        snprintf(name, sizeof(name), "n%u", (unsigned)chance_below(state, 9));
        sett_name_set(world, e, name);
    }
    }
}

static void begin_notes(void)
{
    memset(has_own, 0, sizeof(has_own));
    of_all.count = 0;
    of_each.count = 0;
}

/* An observer of every component (`on_any`) runs where `on_add`, `on_set` and `on_remove` of an
 * observer of each component would, for tags, links, nodes of the hierarchy and names too, and for
 * types that are registered later. */
static void each_change_is_reported_as_to_observers_of_components(void)
{
    uint64_t state = check_setting("SETT_SEED", 1);
    uint64_t steps = check_setting("SETT_OPERATIONS", 20000);
    sett_world* world = quiet_world();
    begin_notes();
    register_types(world);
    CHECK(sett_observer_create(
              world, &(sett_observer_desc){.name = "all", .on_any = on_any, .user = &of_all}) !=
          NULL);
    sett_entity_create(world);
    check_notes(world, 0);
    observe_each(world);
    uint64_t reported = 0;
    for (uint64_t step = 0; step < steps; step++) {
        if (chance_below(&state, 500) == 0) {
            turn_later(world);
            check_notes(world, step);
            observe_each(world);
        }
        if (sett_entity_count(world) == 0) {
            sett_entity_create(world);
        }
        change_something(world, &state);
        reported += of_all.count;
        check_notes(world, step);
        if (step % 1000 == 0) {
            CHECK_VALID(world);
        }
    }
    CHECK(reported > steps / 2);
    sett_world_clear(world);
    CHECK(of_all.count != 0);
    check_notes(world, steps);
    CHECK_END(world);
}

static void terms_and_entities_choose(void)
{
    sett_world* world = quiet_world();
    begin_notes();
    register_types(world);
    sett_entity a = sett_entity_create(world);
    sett_entity b = sett_entity_create(world);
    sett_observer* marked = sett_observer_create(
        world, &(sett_observer_desc){.on_any = on_any,
                                     .user = &of_all,
                                     .terms = {{.component = MARK, .access = SETT_NONE}}});
    sett_observer* alone = sett_observer_create(
        world, &(sett_observer_desc){.on_any = on_any, .user = &of_each, .entity = a});
    CHECK(marked != NULL && alone != NULL);
    sett_add(world, a, PLAIN);
    sett_add(world, b, PLAIN);
    CHECK_EQ(of_all.count, 0);
    CHECK_EQ(of_each.count, 1);
    sett_add(world, b, MARK);
    sett_set(world, b, PLAIN, &(Number){7});
    CHECK_EQ(of_all.count, 2);
    CHECK_EQ(of_all.item[0].component, MARK);
    CHECK_EQ(of_all.item[1].change, SETT_CHANGE_SET);
    CHECK_EQ(of_all.item[1].value, 7);

    sett_observer_enable(marked, false);
    sett_component later = sett_component_register(
        world, &(sett_component_desc){.name = "Later", .id = LATER, .size = 4, .align = 4});
    sett_add(world, b, later);
    CHECK_EQ(of_all.count, 2);
    sett_observer_enable(marked, true);
    sett_remove(world, b, later);
    CHECK_EQ(of_all.count, 3);
    CHECK_EQ(of_all.item[2].change, SETT_CHANGE_REMOVE);

    CHECK_EQ(sett_observer_destroy(marked), SETT_OK);
    sett_remove(world, b, PLAIN);
    CHECK_EQ(of_all.count, 3);
    CHECK_VALID(world);
    CHECK_EQ(sett_component_unregister(world, later), SETT_OK);
    CHECK_EQ(of_each.count, 1);
    CHECK_END(world);
}

#define LINKED 64u /* indices of a test with a dozen entities stay below */

/* Who has a link to an entity: [0] by ONE, [1] by MANY. */
static void list_sources(const sett_world* world, sett_entity target, bool (*of)[LINKED])
{
    memset(of, 0, 2 * sizeof(*of));
    for (uint32_t k = 0; k < 2; k++) {
        SETT_SOURCES(world, k == 0 ? ONE : MANY, target, source, link) {
            CHECK(source.index < LINKED);
            of[k][source.index] = true;
        }
    }
}

static void link_something(sett_world* world, sett_entity target, uint64_t* state)
{
    sett_entity e = entity_from(world, chance_below(state, sett_entity_count(world)));
    sett_entity other = chance_below(state, 2) == 0
                            ? target
                            : entity_from(world, chance_below(state, sett_entity_count(world)));
    sett_component relationship = chance_below(state, 2) == 0 ? ONE : MANY;
    switch (chance_below(state, 8)) {
    case 0:
        if (sett_entity_count(world) < 12) {
            sett_entity_create(world);
        } else if (!sett_equals(e, target)) {
            sett_entity_destroy(world, e);
        }
        break;
    case 1:
        sett_remove(world, e, relationship);
        break;
    case 2:
        sett_unrelate(world, e, relationship, other);
        break;
    case 3:
        sett_cmd_relate(sett_commands_here(world), e, relationship, other, NULL);
        sett_commands_apply(sett_commands_here(world));
        break;
    case 4:
        sett_set(world, e, PLAIN, &(Number){1});
        break;
    default:
        sett_relate(world, e, relationship, other);
    }
}

/* An observer with a `target` runs when a link to that entity begins, gets other data or ends, and
 * `on_set` also when an exclusive link is turned from it to another target; with `on_any`, for each
 * relationship. Of other links it sees nothing. */
static void links_to_one_entity_are_observed(void)
{
    uint64_t state = check_setting("SETT_SEED", 1);
    uint64_t steps = check_setting("SETT_OPERATIONS", 20000);
    sett_world* world = quiet_world();
    begin_notes();
    register_types(world);
    sett_entity target = sett_entity_create(world);
    CHECK(sett_observer_create(
              world, &(sett_observer_desc){.on_any = on_any, .target = target, .user = &of_all}) !=
          NULL);
    sett_component one = ONE;
    CHECK(sett_observer_create(world, &(sett_observer_desc){.component = ONE,
                                                            .on_add = on_add,
                                                            .on_set = on_set,
                                                            .on_remove = on_remove,
                                                            .target = target,
                                                            .user = &one}) != NULL);
    static bool was[2][LINKED], is[2][LINKED];
    uint64_t turned = 0;
    for (uint64_t step = 0; step < steps; step++) {
        list_sources(world, target, was);
        link_something(world, target, &state);
        list_sources(world, target, is);
        uint32_t events[2][LINKED] = {{0}};
        for (uint32_t k = 0; k < of_all.count; k++) {
            const note* at = &of_all.item[k];
            CHECK(at->component == ONE || at->component == MANY);
            events[at->component == MANY][sett_entity_from_u64(at->entity).index]++;
        }
        for (uint32_t k = 0; k < 2 * LINKED; k++) {
            bool before = was[k / LINKED][k % LINKED];
            bool after = is[k / LINKED][k % LINKED];
            CHECK_MSG(before == after || events[k / LINKED][k % LINKED] == 1,
                      "step %llu: %u events", (unsigned long long)step,
                      (unsigned)events[k / LINKED][k % LINKED]);
            CHECK(before || after || events[k / LINKED][k % LINKED] == 0);
            turned += before && !after;
        }
        uint32_t of_one = 0;
        for (uint32_t k = 0; k < of_all.count; k++) {
            of_one += of_all.item[k].component == ONE;
        }
        CHECK_EQ(of_each.count, of_one);
        of_all.count = 0;
        of_each.count = 0;
    }
    CHECK(turned > steps / 20);

    CHECK(sett_observer_create(world, &(sett_observer_desc){.component = PLAIN,
                                                            .on_add = on_add,
                                                            .target = target}) == NULL);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_ARGUMENT);
    CHECK(strstr(sett_world_message(world), "is not a relationship, so its observer cannot have "
                                            "`target` - leave out `target`") != NULL);
    CHECK_VALID(world);
    CHECK_END(world);
}

static void a_description_that_contradicts_itself_is_rejected(void)
{
    sett_world* world = quiet_world();
    register_types(world);
    const sett_observer_desc wrong[] = {
        {.on_any = on_any, .component = PLAIN},
        {.on_any = on_any, .on_add = on_add},
        {.on_any = on_any, .on_event = on_add},
        {.on_any = on_any, .replay = true},
        {.on_any = on_any, .terms = {{.component = PLAIN, .kind = SETT_OPTIONAL}}},
        {.on_any = on_any, .terms = {{.component = PLAIN, .walk = SETT_WALK_ONE}}}};
    for (uint32_t k = 0; k < sizeof(wrong) / sizeof(*wrong); k++) {
        CHECK(sett_observer_create(world, &wrong[k]) == NULL);
        CHECK_EQ(sett_world_error(world), SETT_STATUS_ARGUMENT);
    }
    CHECK(sett_observer_create(
              world, &(sett_observer_desc){.on_any = on_any, .terms = {{.component = LATER}}}) ==
          NULL);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_UNREGISTERED);
    CHECK_END(world);
}

static void destroy_itself(sett_world* world, sett_entity entity, sett_component component,
                           sett_change change, void* value, void* user)
{
    (void)world;
    (void)entity;
    (void)component;
    (void)change;
    (void)value;
    of_all.count++;
    CHECK_EQ(sett_observer_destroy(*(sett_observer**)user), SETT_OK);
}

static void one_can_end_in_its_own_call(void)
{
    sett_world* world = quiet_world();
    begin_notes();
    register_types(world);
    static sett_observer* observer;
    observer = sett_observer_create(
        world, &(sett_observer_desc){.on_any = destroy_itself, .user = &observer});
    sett_entity e = sett_entity_create(world);
    sett_add(world, e, PLAIN);
    CHECK_EQ(of_all.count, 1);
    sett_add(world, e, NEEDY);
    sett_entity_destroy(world, e);
    CHECK_EQ(of_all.count, 1);
    CHECK_END(world);
}

typedef struct scarcity {
    sett_world* world;
    sett_observer* observer;
} scarcity;

static bool create_one(void* user)
{
    scarcity* of = user;
    of->observer =
        sett_observer_create(of->world, &(sett_observer_desc){.on_any = on_any, .user = &of_all});
    return of->observer != NULL;
}

static bool register_later(void* user)
{
    scarcity* of = user;
    return sett_component_register(
               of->world, &(sett_component_desc){
                              .name = "Later", .id = LATER, .size = 4, .align = 4}) == LATER;
}

static void later_is_unknown(void* user)
{
    scarcity* of = user;
    CHECK(sett_component_name(of->world, LATER) == NULL);
}

static void without_memory_nothing_is_observed_or_registered(void)
{
    static scarce_memory memory;
    scarcity of = {.world = scarce_world(&memory)};
    begin_notes();
    register_types(of.world);
    sett_entity e = sett_entity_create(of.world);
    for (uint32_t k = 0; k < 3; k++) {
        scarce_run(of.world, &memory, create_one, NULL, &of);
    }
    CHECK(memory.failures >= 3);
    uint32_t failures = memory.failures;
    scarce_run(of.world, &memory, register_later, later_is_unknown, &of);
    CHECK(memory.failures > failures);
    sett_add(of.world, e, LATER);
    CHECK_EQ(of_all.count, 3);
    CHECK_EQ(sett_component_clear(of.world, LATER), SETT_OK);
    CHECK_EQ(sett_component_unregister(of.world, LATER), SETT_OK);
    CHECK_EQ(of_all.count, 6);
    CHECK_VALID(of.world);
    scarce_end(&memory, of.world);
}

TEST_MAIN(TEST(each_change_is_reported_as_to_observers_of_components),
          TEST(terms_and_entities_choose), TEST(links_to_one_entity_are_observed),
          TEST(a_description_that_contradicts_itself_is_rejected),
          TEST(one_can_end_in_its_own_call), TEST(without_memory_nothing_is_observed_or_registered))

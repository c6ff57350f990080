/* test_observe_up.c: observers with terms that ask the parent or an ancestor. After each of many
 * random changes a naive evaluator says which entities match; an observer has had one more on_enter
 * than on_exit for exactly these, and each callback ran while it was true.
 *
 *     SETT_SEED=7 SETT_OPERATIONS=1000000 test_observe_up     another run, from outside
 */
#include "chance.h"
#include "scarce.h"

#define CROWD 48u
#define OBSERVERS 12u

enum {
    PLAIN = 1,
    LIGHT,    /* a tag */
    SWITCHED, /* can be switched off */
    SPARSE,
    NEEDY, /* requires PLAIN */
    TYPES = NEEDY
};

typedef struct watch {
    sett_query* query; /* what the observer asks */
    bool inside[CROWD * 4];
    uint64_t calls;
    uint32_t number;
} watch;

static watch watches[OBSERVERS];

static void on_enter(sett_world* world, sett_entity entity, void* user)
{
    watch* of = user;
    CHECK_MSG(!of->inside[entity.index], "observer %u: entity %u enters twice",
              (unsigned)of->number, (unsigned)entity.index);
    CHECK_MSG(sett_query_matches(of->query, entity),
              "observer %u: entity %u enters, and does not "
              "match",
              (unsigned)of->number, (unsigned)entity.index);
    of->inside[entity.index] = true;
    of->calls++;
    (void)world;
}

static void on_exit_of(sett_world* world, sett_entity entity, void* user)
{
    watch* of = user;
    CHECK(sett_entity_valid(world, entity));
    CHECK_MSG(of->inside[entity.index], "observer %u: entity %u exits, and was not in",
              (unsigned)of->number, (unsigned)entity.index);
    of->inside[entity.index] = false;
    of->calls++;
}

static void register_types(sett_world* world)
{
    const sett_component_desc types[] = {
        {.name = "Plain", .id = PLAIN, .size = 4, .align = 4},
        {.name = "Light", .id = LIGHT},
        {.name = "Switched", .id = SWITCHED, .size = 4, .align = 4, .can_disable = true},
        {.name = "Sparse", .id = SPARSE, .size = 4, .align = 4, .storage = SETT_STORAGE_SPARSE_SET},
        {.name = "Needy",
         .id = NEEDY,
         .size = 4,
         .align = 4,
         .required = &(sett_component){PLAIN},
         .required_count = 1}};
    for (uint32_t k = 0; k < sizeof(types) / sizeof(*types); k++) {
        CHECK_EQ(sett_component_register(world, &types[k]), k + 1);
    }
    sett_hierarchy_register(world, NULL);
    sett_instance_of(world);
    sett_prefab_tag(world);
}

#define HAS(id)                                                                                    \
    {                                                                                              \
        .component = (id), .access = SETT_NONE                                                     \
    }
#define NOT(id)                                                                                    \
    {                                                                                              \
        .component = (id), .access = SETT_NONE, .kind = SETT_WITHOUT                               \
    }
#define ANY(id)                                                                                    \
    {                                                                                              \
        .component = (id), .access = SETT_NONE, .kind = SETT_ANY                                   \
    }
#define OVER(id, way)                                                                              \
    {                                                                                              \
        .component = (id), .access = SETT_NONE, .walk = (way)                                      \
    }
#define UNDER_NO(id, way)                                                                          \
    {                                                                                              \
        .component = (id), .access = SETT_NONE, .kind = SETT_WITHOUT, .walk = (way)                \
    }

static const sett_query_desc asked[OBSERVERS] = {
    {.terms = {OVER(LIGHT, SETT_WALK_ONE)}},
    {.terms = {OVER(LIGHT, SETT_WALK_UP)}},
    {.terms = {OVER(LIGHT, SETT_WALK_SELF_UP)}},
    {.terms = {HAS(PLAIN), OVER(LIGHT, SETT_WALK_UP)}},
    {.terms = {HAS(PLAIN), UNDER_NO(LIGHT, SETT_WALK_UP)}},
    {.terms = {UNDER_NO(SWITCHED, SETT_WALK_SELF_UP)}},
    {.terms = {HAS(SPARSE), NOT(NEEDY), OVER(SWITCHED, SETT_WALK_ONE)}},
    {.terms = {ANY(PLAIN), ANY(SWITCHED), OVER(SPARSE, SETT_WALK_UP)}},
    {.terms = {HAS(PLAIN), OVER(SWITCHED, SETT_WALK_UP), UNDER_NO(LIGHT, SETT_WALK_ONE)}},
    {.terms = {OVER(PLAIN, SETT_WALK_SELF_UP), OVER(NEEDY, SETT_WALK_UP)}},
    {.terms = {ANY(LIGHT), ANY(SWITCHED)}},
    {.terms = {HAS(SETT_ID_PREFAB), OVER(LIGHT, SETT_WALK_UP)}}};

static void observe(sett_world* world)
{
    memset(watches, 0, sizeof(watches));
    for (uint32_t k = 0; k < OBSERVERS; k++) {
        sett_observer_desc desc = {.name = "up",
                                   .on_enter = on_enter,
                                   .on_exit = on_exit_of,
                                   .user = &watches[k],
                                   .replay = true};
        memcpy(desc.terms, asked[k].terms, sizeof(desc.terms));
        watches[k].number = k;
        watches[k].query = sett_query_create(world, &asked[k]);
        CHECK(watches[k].query != NULL);
        CHECK_MSG(sett_observer_create(world, &desc) != NULL, "%s", sett_world_message(world));
    }
}

/* Whether each observer holds what matches, by a query that asks the same. */
static void check_watches(const sett_world* world, uint64_t step)
{
    for (uint32_t index = 0; index < CROWD * 4; index++) {
        sett_entity entity = sett_entity_at(world, index);
        for (uint32_t k = 0; k < OBSERVERS; k++) {
            bool matches = !sett_is_null(entity) && sett_query_matches(watches[k].query, entity);
            CHECK_MSG(matches == watches[k].inside[index], "step %llu, observer %u: entity %u %s",
                      (unsigned long long)step, (unsigned)k, (unsigned)index,
                      matches ? "matches, and is not in"
                              : "is in, and does not "
                                "match");
        }
    }
}

static void change_something(sett_world* world, uint64_t* state, sett_entity prefab)
{
    uint32_t crowd = sett_entity_count(world);
    sett_entity e = entity_from(world, chance_below(state, crowd + 1));
    sett_entity other = entity_from(world, chance_below(state, crowd + 1));
    sett_component type = 1 + chance_below(state, TYPES);
    uint32_t value = (uint32_t)chance_draw(state);
    sett_commands* commands = sett_commands_here(world);
    bool room = crowd < CROWD;
    switch (chance_below(state, 22)) {
    case 0:
        if (room) {
            sett_entity_create(world);
        }
        break;
    case 1:
        if (!sett_equals(e, prefab) && chance_below(state, 3) == 0) {
            sett_entity_destroy(world, e);
        }
        break;
    case 2:
    case 3:
    case 4:
        sett_add(world, e, type);
        break;
    case 5:
        sett_set(world, e, type, type != LIGHT ? &value : NULL);
        break;
    case 6:
    case 7:
    case 8:
        sett_remove(world, e, type);
        break;
    case 9:
    case 10:
        sett_hierarchy_attach(world, e, other);
        break;
    case 11:
        sett_hierarchy_detach(world, e);
        break;
    case 12:
        sett_enable(world, e, SWITCHED, chance_below(state, 2) == 0);
        break;
    case 13:
        sett_hierarchy_set_policy(world, e, (sett_children_policy)chance_below(state, 3));
        break;
    case 14:
        if (!sett_equals(e, prefab) && chance_below(state, 4) == 0) {
            sett_entity_clear(world, e);
        }
        break;
    case 15:
        sett_cmd_attach(commands, e, other);
        sett_cmd_remove(commands, other, type);
        sett_cmd_add(commands, e, type);
        break;
    case 16:
        sett_commands_apply(commands);
        break;
    case 17:
        if (room) {
            sett_hierarchy_set_scope(world, other);
            const void* none = NULL;
            sett_entity_create_many(world, 2, &type, 1, &none, NULL);
            sett_entity_create(world);
            sett_hierarchy_set_scope(world, sett_null());
        }
        break;
    case 18:
        if (room) {
            sett_instantiate_with(world,
                                  &(sett_instantiate_desc){.prefab = prefab, .parent = other});
            sett_instantiate(world, prefab, 1, NULL);
            sett_cmd_attach(commands, sett_cmd_instantiate(commands, prefab), e);
            sett_duplicate(world, e, NULL);
        }
        break;
    case 19:
        if (chance_below(state, 8) == 0) {
            sett_remove(world, e, SETT_ID_HIERARCHY);
        }
        break;
    case 20:
        if (chance_below(state, 40) == 0) {
            sett_component_clear(world, type);
        }
        break;
    default:
        sett_hierarchy_insert_before(world, e, other);
    }
}

/* An observer of a query can have terms that look up the hierarchy (SETT_PARENT, SETT_UP,
 * SETT_SELF_UP): an entity enters when its parent or an ancestor gets the component, or when it is
 * attached below one that has it, and exits before this ends; so do all its descendants. */
static void each_change_is_followed(void)
{
    uint64_t state = check_setting("SETT_SEED", 1);
    uint64_t steps = check_setting("SETT_OPERATIONS", 6000);
    sett_world* world = quiet_world();
    register_types(world);
    sett_entity prefab = sett_entity_create(world);
    sett_entity part = sett_entity_create(world);
    sett_add(world, part, PLAIN);
    sett_add(world, prefab, LIGHT);
    CHECK_EQ(sett_hierarchy_attach(world, part, prefab), SETT_OK);
    CHECK_EQ(sett_prefab_make(world, prefab), SETT_OK);
    observe(world);
    check_watches(world, 0);
    for (uint64_t step = 1; step <= steps; step++) {
        while (sett_entity_count(world) > CROWD * 2) {
            sett_entity e = entity_from(world, chance_below(&state, CROWD));
            sett_entity_destroy(world, sett_equals(e, prefab) ? part : e);
        }
        change_something(world, &state, prefab);
        check_watches(world, step);
        if (step % 1000 == 0) {
            CHECK_VALID(world);
        }
    }
    uint64_t called = 0;
    for (uint32_t k = 0; k < OBSERVERS; k++) {
        CHECK_MSG(watches[k].calls > steps / 5000, "observer %u: %llu calls", (unsigned)k,
                  (unsigned long long)watches[k].calls);
        called += watches[k].calls;
    }
    CHECK(called > steps / 4);
    sett_world_clear(world);
    check_watches(world, steps);
    CHECK_END(world);
}

/* A receiver's observers follow what its deltas change. */
static void deltas_are_followed(void)
{
    uint64_t state = 5;
    static unsigned char bytes[1 << 20];
    sett_world* sender = quiet_world();
    sett_world* receiver = quiet_world();
    register_types(sender);
    register_types(receiver);
    sett_entity prefab = sett_null();
    sett_snapshot last, now;
    CHECK_EQ(sett_world_clone(sender, receiver), SETT_OK);
    observe(receiver);
    CHECK_EQ(sett_snapshot_take(sender, &last), SETT_OK);
    for (uint64_t round = 0; round < 300; round++) {
        for (uint32_t k = 0; k < 12; k++) {
            if (sett_entity_count(sender) > CROWD) {
                sett_entity_destroy(sender, entity_from(sender, chance_below(&state, CROWD)));
            } else if (sett_entity_count(sender) < 4) {
                sett_entity_create(sender);
            }
            change_something(sender, &state, prefab);
        }
        sett_commands_apply(sett_commands_here(sender));
        size_t size;
        CHECK_EQ(sett_snapshot_take(sender, &now), SETT_OK);
        CHECK_EQ(sett_delta_encode(sender, last, now, bytes, sizeof(bytes), &size), SETT_OK);
        sett_snapshot_drop(sender, last);
        last = now;
        CHECK_MSG(sett_delta_apply(receiver, bytes, size) == SETT_OK, "%s",
                  sett_world_message(receiver));
        check_watches(receiver, round);
    }
    sett_snapshot_drop(sender, last);
    CHECK_END(sender);
    CHECK_END(receiver);
}

static uint32_t log_count;
static char log_text[256];

static void log_line(const char* text, sett_entity entity)
{
    size_t length = strlen(log_text);
    snprintf(log_text + length, sizeof(log_text) - length, "%s %u; ", text, (unsigned)entity.index);
    log_count++;
}

static void log_enter(sett_world* world, sett_entity entity, void* user)
{
    (void)world;
    (void)user;
    log_line("enter", entity);
}

static void log_exit(sett_world* world, sett_entity entity, void* user)
{
    (void)user;
    CHECK(!sett_is_null(sett_hierarchy_parent(world, entity)));
    log_line("exit", entity);
}

static void log_lost(sett_world* world, sett_entity entity, void* user)
{
    (void)user;
    CHECK(!sett_has(world, entity, PLAIN));
    log_line("exit", entity);
}

static void log_remove(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)value;
    (void)user;
    CHECK(sett_hierarchy_child_count(world, entity) != 0);
    log_line("remove", entity);
}

/* Children that survive the end of their parent exit after the parent's removal callbacks, and are
 * detached then, one after another. */
static void survivors_exit(void)
{
    sett_world* world = quiet_world();
    register_types(world);
    sett_entity parent = sett_entity_create(world);
    sett_entity child = sett_entity_create(world);
    sett_entity grandchild = sett_entity_create(world);
    sett_add(world, parent, LIGHT);
    CHECK_EQ(sett_hierarchy_attach(world, child, parent), SETT_OK);
    CHECK_EQ(sett_hierarchy_attach(world, grandchild, child), SETT_OK);
    CHECK_EQ(sett_hierarchy_set_policy(world, parent, SETT_CHILDREN_DETACH), SETT_OK);
    CHECK(sett_observer_create(
              world, &(sett_observer_desc){.on_enter = log_enter,
                                           .on_exit = log_exit,
                                           .replay = true,
                                           .terms = {OVER(LIGHT, SETT_WALK_UP)}}) != NULL);
    CHECK(sett_observer_create(
              world, &(sett_observer_desc){.component = LIGHT, .on_remove = log_remove}) != NULL);
    CHECK_STR_EQ(log_text, "enter 1; enter 2; ");
    log_text[0] = '\0';
    CHECK_EQ(sett_entity_destroy(world, parent), SETT_OK);
    CHECK_STR_EQ(log_text, "remove 0; exit 1; exit 2; ");
    CHECK_END(world);
}

static sett_status moved;

static void move_in_callback(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)value;
    moved = sett_hierarchy_attach(world, entity, *(sett_entity*)user);
    CHECK_EQ(sett_cmd_attach(sett_commands_here(world), entity, *(sett_entity*)user), SETT_OK);
}

/* While an observer looks up the hierarchy, callbacks cannot attach or detach entities (`LOCKED`);
 * they record it. */
static void callbacks_move_nothing(void)
{
    sett_world* world = quiet_world();
    register_types(world);
    sett_entity parent = sett_entity_create(world);
    sett_entity child = sett_entity_create(world);
    sett_add(world, parent, SETT_ID_HIERARCHY);
    sett_add(world, child, SETT_ID_HIERARCHY);
    CHECK(sett_observer_create(world, &(sett_observer_desc){.component = LIGHT,
                                                            .on_add = move_in_callback,
                                                            .user = &parent}) != NULL);
    sett_add(world, child, LIGHT);
    CHECK_EQ(moved, SETT_OK);
    CHECK_EQ(sett_hierarchy_detach(world, child), SETT_OK);
    sett_remove(world, child, LIGHT);
    sett_observer* observer = sett_observer_create(
        world, &(sett_observer_desc){.on_enter = log_enter, .terms = {OVER(LIGHT, SETT_WALK_UP)}});
    sett_add(world, child, LIGHT);
    CHECK_EQ(moved, SETT_STATUS_LOCKED);
    CHECK(strstr(sett_world_message(world), "sett_cmd_attach") != NULL);
    CHECK_EQ(sett_commands_apply(sett_commands_here(world)), SETT_OK);
    CHECK_ENTITY_EQ(sett_hierarchy_parent(world, child), parent);
    CHECK_EQ(sett_observer_destroy(observer), SETT_OK);
    CHECK_EQ(sett_hierarchy_detach(world, child), SETT_OK);
    sett_remove(world, child, LIGHT);
    sett_add(world, child, LIGHT);
    CHECK_EQ(moved, SETT_OK);
    CHECK_END(world);
}

static void what_is_not_followed_is_rejected(void)
{
    sett_world* world = quiet_world();
    sett_component light = sett_component_register(world, &(sett_component_desc){.name = "Light"});
    sett_component apart = sett_component_register(
        world, &(sett_component_desc){.name = "Apart", .dont_fragment = true});
    sett_observer_desc desc = {.on_enter = log_enter, .terms = {OVER(light, SETT_WALK_UP)}};
    CHECK(sett_observer_create(world, &desc) == NULL);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_UNREGISTERED);
    sett_hierarchy_register(world, NULL);
    desc.terms[0].component = apart;
    CHECK(sett_observer_create(world, &desc) == NULL);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_ARGUMENT);
    desc.terms[0].component = light;
    CHECK(sett_observer_create(world, &desc) != NULL);
    CHECK_END(world);
}

static void run(sett_context* context)
{
    (void)context;
}

static void systems_enter_along_the_hierarchy(void)
{
    sett_world* world = quiet_world();
    register_types(world);
    sett_entity parent = sett_entity_create(world);
    sett_entity child = sett_entity_create(world);
    sett_add(world, parent, LIGHT);
    sett_add(world, child, PLAIN);
    log_text[0] = '\0';
    sett_system* system = sett_system_create(
        world, &(sett_system_desc){
                   .name = "lit",
                   .run = run,
                   .on_enter = log_enter,
                   .on_exit = log_exit,
                   .terms = {HAS(PLAIN),
                             {.component = SPARSE, .access = SETT_NONE, .kind = SETT_OPTIONAL},
                             OVER(LIGHT, SETT_WALK_UP)}});
    CHECK(system != NULL);
    CHECK_EQ(sett_hierarchy_attach(world, child, parent), SETT_OK);
    sett_remove(world, parent, LIGHT);
    CHECK_STR_EQ(log_text, "enter 1; exit 1; ");
    CHECK_EQ(sett_system_destroy(system), SETT_OK);
    sett_add(world, parent, LIGHT);
    CHECK_STR_EQ(log_text, "enter 1; exit 1; ");
    CHECK_END(world);
}

/* A recorded instance is an entity that has begun, and then gets its components: whether the shape
 * of the prefab is known or not. */
static void recorded_instances_exit(void)
{
    sett_world* world = quiet_world();
    register_types(world);
    sett_entity prefab = sett_entity_create(world);
    sett_add(world, prefab, PLAIN);
    CHECK_EQ(sett_prefab_make(world, prefab), SETT_OK);
    CHECK(sett_observer_create(world, &(sett_observer_desc){.on_enter = log_enter,
                                                            .on_exit = log_lost,
                                                            .terms = {NOT(PLAIN)}}) != NULL);
    for (uint32_t k = 0; k < 4; k++) {
        log_count = 0;
        sett_entity made = sett_cmd_instantiate(sett_commands_here(world), prefab);
        CHECK_EQ(sett_commands_apply(sett_commands_here(world)), SETT_OK);
        CHECK(sett_has(world, made, PLAIN));
        CHECK_EQ(log_count, 2);
    }
    CHECK_END(world);
}

typedef struct scarcity {
    sett_world* world;
    sett_entity child;
    sett_entity parent;
} scarcity;

static bool create_one(void* user)
{
    scarcity* of = user;
    return sett_observer_create(
               of->world, &(sett_observer_desc){.on_enter = log_enter,
                                                .on_exit = log_exit,
                                                .terms = {ANY(PLAIN), ANY(SWITCHED),
                                                          OVER(LIGHT, SETT_WALK_UP)}}) != NULL;
}

static bool attach(void* user)
{
    scarcity* of = user;
    return sett_hierarchy_attach(of->world, of->child, of->parent) == SETT_OK;
}

static void is_not_attached(void* user)
{
    scarcity* of = user;
    CHECK_EQ(log_count, 0);
    CHECK(sett_is_null(sett_hierarchy_parent(of->world, of->child)));
}

static void without_memory_nothing_happens(void)
{
    static scarce_memory memory;
    scarcity of = {.world = scarce_world(&memory)};
    register_types(of.world);
    of.child = sett_entity_create(of.world);
    of.parent = sett_entity_create(of.world);
    sett_add(of.world, of.child, PLAIN);
    sett_add(of.world, of.parent, LIGHT);
    scarce_run(of.world, &memory, create_one, NULL, &of);
    CHECK(memory.failures != 0);
    uint32_t failures = memory.failures;
    log_count = 0;
    scarce_run(of.world, &memory, attach, is_not_attached, &of);
    CHECK(memory.failures > failures);
    CHECK_EQ(log_count, 1);
    CHECK_VALID(of.world);
    scarce_end(&memory, of.world);
}

TEST_MAIN(TEST(each_change_is_followed), TEST(deltas_are_followed), TEST(survivors_exit),
          TEST(callbacks_move_nothing), TEST(what_is_not_followed_is_rejected),
          TEST(systems_enter_along_the_hierarchy), TEST(recorded_instances_exit),
          TEST(without_memory_nothing_happens))

/* test_recipe.c: instances made one at a time are what copies made node by node are. */
#include "chance.h"
#include "sett/hierarchy.h"
#include "sett/name.h"
#include "sett/observer.h"
#include "sett/prefab.h"
#include "sett/relationship.h"
#include "states.h"

#include "relation/recipe.h"

enum {
    TYPES = 6,
    NODES = 12,
    MADE = 60
};

typedef struct Aim {
    uint32_t angle;
    uint32_t pad;
    sett_entity at;
} Aim;

static const uint32_t aim_offsets[] = {offsetof(Aim, at)};

/* A world, and the same again in which recipes are dropped all the time. */
typedef struct twin {
    sett_world* world;
    sett_component types[TYPES]; /* plain, sparse set, references, tag, dont_fragment, requires */
    sett_component knows;
    uint64_t heard; /* a hash of the callbacks in their order */
} twin;

static void hear(twin* t, uint32_t what, sett_entity entity)
{
    t->heard = (t->heard ^ (sett_entity_to_u64(entity) * 8 + what)) * 0x100000001B3u;
}

static void hear_add(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)world;
    (void)value;
    hear(user, 1, entity);
}

static void hear_set(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)world;
    hear(user, 2 + *(const uint32_t*)value % 2, entity);
}

static void hear_enter(sett_world* world, sett_entity entity, void* user)
{
    (void)world;
    hear(user, 4, entity);
}

static void init_ones(void* values, uint32_t count, void* user)
{
    (void)user;
    memset(values, 1, (size_t)count * 12);
}

static void begin_twin(twin* t, sett_world* world)
{
    t->world = world;
    for (uint32_t k = 0; k < TYPES; k++) {
        char name[8];
        snprintf(name, sizeof(name), "T%u", (unsigned)k);
        sett_component_desc desc = {.name = name, .size = k == 3 || k == 4 ? 0 : 8};
        if (k == 1) {
            desc.storage = SETT_STORAGE_SPARSE_SET;
            desc.size = 12;
            desc.init = init_ones;
        } else if (k == 2) {
            desc.size = sizeof(Aim);
            desc.align = 4;
            desc.entity_offsets = aim_offsets;
            desc.entity_offset_count = 1;
        } else if (k == 4) {
            desc.dont_fragment = true;
        } else if (k == 5) {
            desc.required = t->types;
            desc.required_count = 2;
        }
        t->types[k] = sett_component_register(world, &desc);
        CHECK(t->types[k] != 0);
    }
    t->knows = sett_relationship_register(
        world, &(sett_relationship_desc){.name = "Knows", .many = true, .size = 4});
    CHECK(t->knows != 0 && sett_hierarchy_register(world, NULL) != 0);
    CHECK(sett_name_register(world) != 0 && sett_instance_of(world) != 0);
}

static void listen(twin* t)
{
    CHECK(sett_observer_create(t->world, &(sett_observer_desc){.component = t->types[0],
                                                               .on_add = hear_add,
                                                               .on_set = hear_set,
                                                               .user = t}) != NULL);
    CHECK(sett_observer_create(
              t->world,
              &(sett_observer_desc){
                  .terms = {{.component = t->types[0], .access = SETT_NONE, .kind = SETT_WITH},
                            {.component = t->types[5], .access = SETT_NONE, .kind = SETT_WITHOUT}},
                  .on_enter = hear_enter,
                  .user = t}) != NULL);
    CHECK(sett_group_create(t->world, &(sett_group_desc){.with = {t->types[1], t->types[0]}}) !=
          NULL);
}

typedef struct trial {
    twin t[2];
    uint64_t state;
    sett_entity node[NODES]; /* the first is the prefab */
    sett_entity made[MADE];
    uint32_t made_count;
} trial;

static uint32_t draw(trial* r, uint32_t limit)
{
    return chance_below(&r->state, limit);
}

/* The same, at random, to a node of both prefabs. */
static void change_prefab(trial* r)
{
    uint32_t what = draw(r, 10);
    uint32_t k = draw(r, NODES);
    sett_entity e = r->node[k];
    sett_entity other = r->node[draw(r, NODES)];
    uint32_t type = draw(r, TYPES);
    uint32_t bits = draw(r, 1000);
    sett_entity fresh[2];
    for (uint32_t w = 0; w < 2; w++) {
        sett_world* world = r->t[w].world;
        Aim aim = {bits, 7, other};
        char name[8];
        snprintf(name, sizeof(name), "n%u", (unsigned)bits % 5);
        if (what < 4) {
            (void)sett_set(world, e, r->t[w].types[type], &aim);
        } else if (what == 4) {
            (void)(sett_has(world, e, r->t[w].types[type]) &&
                   sett_remove(world, e, r->t[w].types[type]));
        } else if (what == 5 && k != 0) {
            (void)sett_hierarchy_attach(world, e, other);
        } else if (what == 6) {
            (void)sett_name_set(world, e, name);
        } else if (what == 7) {
            (void)sett_hierarchy_set_policy(world, e, (sett_children_policy)(bits % 3));
        } else if (what == 8 && bits % 8 == 0) {
            (void)(bits % 16 == 0 ? sett_relate(world, e, r->t[w].knows, other) != NULL
                                  : sett_remove(world, e, r->t[w].knows) == SETT_OK);
        } else if (what == 9 && bits % 4 == 0) {
            CHECK_EQ(sett_prefab_share(world, r->t[w].types[type], bits % 8 == 0), SETT_OK);
        } else if (what == 9 && k != 0 && bits % 4 == 1) {
            (void)sett_entity_destroy(world, e);
            fresh[w] = sett_entity_create(world);
            CHECK_EQ(sett_hierarchy_attach(world, fresh[w], r->node[0]), SETT_OK);
            if (w == 1) {
                CHECK_ENTITY_EQ(fresh[0], fresh[1]);
                r->node[k] = fresh[0];
            }
        }
    }
}

/* An instance with handles for its parts before it is made. */
static sett_entity instantiate_parts(const trial* r, sett_world* world)
{
    sett_entity part[64];
    uint32_t count = sett_cmd_instantiate_tree(sett_commands_here(world), r->node[0], part, 64);
    CHECK(count != 0);
    CHECK_EQ(sett_commands_apply(sett_commands_here(world)), SETT_OK);
    sett_entity of = r->node[0];
    sett_entity at = part[0];
    for (uint32_t k = 0; k < count; k++) { /* two walks side by side */
        CHECK_ENTITY_EQ(at, part[k]);
        CHECK_EQ(sett_hierarchy_child_count(world, at), sett_hierarchy_child_count(world, of));
        at = sett_hierarchy_walk(world, part[0], at);
        of = sett_hierarchy_walk(world, r->node[0], of);
    }
    CHECK(sett_is_null(at) && sett_is_null(of) && sett_is_null(part[63]));
    return part[0];
}

static sett_entity instantiate(trial* r, twin* t, uint32_t how, uint32_t bits, sett_entity parent)
{
    sett_world* world = t->world;
    sett_entity made = sett_null();
    Aim aim = {bits, 3, r->node[0]};
    sett_value values[2] = {{.component = t->types[bits % TYPES], .value = &aim},
                            {.component = t->types[bits / 8 % TYPES], .value = &aim}};
    char name[8];
    snprintf(name, sizeof(name), "i%u", (unsigned)bits % 50);
    sett_instantiate_desc desc = {.prefab = r->node[0],
                                  .parent = bits % 3 != 0 ? parent : sett_null(),
                                  .name = bits % 5 == 0 ? name : NULL,
                                  .values = values,
                                  .value_count = bits % 4 % 3};
    if (desc.value_count == 2 && values[0].component == values[1].component) {
        desc.value_count = 1;
    }
    if (how == 0) {
        CHECK_EQ(sett_instantiate(world, r->node[0], 1, &made), SETT_OK);
    } else if (how == 1) {
        made = sett_cmd_instantiate(sett_commands_here(world), r->node[0]);
        CHECK_EQ(sett_commands_apply(sett_commands_here(world)), SETT_OK);
    } else if (how == 3) { /* in the other world without handles of the parts: they are equal */
        if (t == &r->t[0]) {
            made = instantiate_parts(r, world);
        } else {
            made = sett_cmd_instantiate(sett_commands_here(world), r->node[0]);
            CHECK_EQ(sett_commands_apply(sett_commands_here(world)), SETT_OK);
        }
    } else {
        made = sett_instantiate_with(world, &desc);
        CHECK(!sett_is_null(made) || sett_world_error(world) == SETT_STATUS_CONFLICT);
    }
    return made;
}

static void instantiate_both(trial* r)
{
    uint32_t how = draw(r, 5);
    uint32_t bits = draw(r, 100000);
    sett_entity parent = r->made_count != 0 ? r->made[draw(r, r->made_count)] : sett_null();
    setti_recipe_drop(r->t[1].world);
    sett_entity a = instantiate(r, &r->t[0], how, bits, parent);
    sett_entity b = instantiate(r, &r->t[1], how, bits, parent);
    CHECK_ENTITY_EQ(a, b);
    CHECK_EQ(r->t[0].heard, r->t[1].heard);
    if (!sett_is_null(a)) {
        CHECK_EQ(sett_hierarchy_depth(r->t[0].world, a), sett_hierarchy_depth(r->t[1].world, b));
        CHECK_EQ(sett_has(r->t[0].world, a, r->t[0].types[0]),
                 sett_has(r->t[1].world, a, r->t[1].types[0]));
        if (r->made_count < MADE) {
            r->made[r->made_count++] = a;
        } else { /* and all that is below */
            uint32_t k = draw(r, MADE);
            for (uint32_t w = 0; w < 2; w++) {
                (void)sett_hierarchy_set_policy(r->t[w].world, r->made[k], SETT_CHILDREN_DESTROY);
                (void)sett_entity_destroy(r->t[w].world, r->made[k]);
            }
            r->made[k] = a;
        }
    }
    uint32_t left = 0;
    for (uint32_t k = 0; k < r->made_count; k++) {
        if (sett_entity_valid(r->t[0].world, r->made[k])) {
            r->made[left++] = r->made[k];
        }
    }
    r->made_count = left;
}

static void run_trial(uint64_t seed, bool listens)
{
    static trial r;
    memset(&r, 0, sizeof(r));
    r.state = seed;
    for (uint32_t w = 0; w < 2; w++) {
        begin_twin(&r.t[w], quiet_world());
        if (listens) {
            listen(&r.t[w]);
        }
        for (uint32_t k = 0; k < NODES; k++) {
            r.node[k] = sett_entity_create(r.t[w].world);
            if (k != 0) {
                CHECK_EQ(sett_hierarchy_attach(r.t[w].world, r.node[k], r.node[k / 3]), SETT_OK);
            }
        }
    }
    for (uint32_t step = 0; step < CHECK_ROUNDS(4000); step++) {
        if (draw(&r, 8) == 0) {
            change_prefab(&r);
        } else {
            instantiate_both(&r);
        }
        if (step % 100 == 0) {
            CHECK_MSG(sett_world_hash(r.t[0].world) == sett_world_hash(r.t[1].world),
                      "SETT_SEED=%u, step %u", (unsigned)seed, (unsigned)step);
            CHECK_VALID(r.t[0].world);
        }
    }
    CHECK_SAME(r.t[0].world, r.t[1].world);
    CHECK_END(r.t[0].world);
    CHECK_END(r.t[1].world);
}

static void makes_what_copies_are(void)
{
    uint64_t seed = check_setting("SETT_SEED", 1);
    for (uint64_t k = 0; k < 4; k++) {
        run_trial(seed + k, k % 2 == 1);
    }
}

/* A tree of three, with a value of each kind. */
static sett_entity make_turret(twin* t)
{
    sett_world* world = t->world;
    sett_entity tank = sett_entity_create(world);
    sett_entity turret = sett_entity_create(world);
    sett_entity barrel = sett_entity_create(world);
    CHECK_EQ(sett_hierarchy_attach(world, turret, tank), SETT_OK);
    CHECK_EQ(sett_hierarchy_attach(world, barrel, turret), SETT_OK);
    CHECK_EQ(sett_name_set(world, barrel, "barrel"), SETT_OK);
    Aim aim = {7, 0, tank};
    for (uint32_t k = 0; k < TYPES; k++) {
        CHECK(sett_set(world, tank, t->types[k], &aim) != NULL);
        CHECK(sett_set(world, barrel, t->types[k], &aim) != NULL);
    }
    CHECK_EQ(sett_prefab_make(world, tank), SETT_OK);
    return tank;
}

static void places_names_and_values(void)
{
    twin t = {0};
    begin_twin(&t, quiet_world());
    sett_entity tank = make_turret(&t);
    sett_entity map = sett_entity_create(t.world);
    CHECK_EQ(sett_name_set(t.world, map, "map"), SETT_OK);
    for (uint32_t k = 0; k < 5; k++) { /* node by node, and by recipe */
        char name[8];
        char path[32];
        uint32_t angle[2] = {100 + k, 1};
        sett_value value = {.component = t.types[0], .value = angle};
        snprintf(name, sizeof(name), "t%u", (unsigned)k);
        sett_entity made = sett_instantiate_with(
            t.world,
            &(sett_instantiate_desc){
                .prefab = tank, .parent = map, .name = name, .values = &value, .value_count = 1});
        CHECK(!sett_is_null(made));
        snprintf(path, sizeof(path), "map/t%u", (unsigned)k);
        CHECK_ENTITY_EQ(sett_name_lookup(t.world, sett_null(), path), made);
        CHECK_ENTITY_EQ(sett_hierarchy_last(t.world, map), made);
        CHECK_EQ(sett_hierarchy_depth(t.world, made), 1);
        CHECK_EQ(*(const uint32_t*)sett_get(t.world, made, t.types[0]), 100 + k);
        sett_entity turret = sett_hierarchy_first(t.world, made);
        sett_entity barrel = sett_name_find(t.world, turret, "barrel");
        CHECK_EQ(sett_hierarchy_depth(t.world, barrel), 3);
        CHECK_EQ(*(const uint32_t*)sett_get(t.world, barrel, t.types[0]), 7);
        CHECK_ENTITY_EQ(((const Aim*)sett_get(t.world, barrel, t.types[2]))->at, made);
        CHECK_ENTITY_EQ(sett_target(t.world, made, sett_instance_of(t.world)), tank);
        CHECK_VALID(t.world);
    }
    sett_component Position_id = t.types[0];
    typedef struct Position {
        uint32_t x, y;
    } Position;
    sett_entity made = sett_instantiate_with(
        t.world, &(sett_instantiate_desc){.prefab = tank,
                                          SETT_VALUES(SETT_VALUE(Position, .x = 3, .y = 4))});
    CHECK_EQ(SETT_GET(t.world, made, Position)->y, 4);
    CHECK_END(t.world);
}

static void expect_failure(twin* t, const sett_instantiate_desc* desc, sett_status status)
{
    uint32_t count = sett_entity_count(t->world);
    CHECK(sett_is_null(sett_instantiate_with(t->world, desc)));
    CHECK_EQ(sett_world_error(t->world), status);
    CHECK_EQ(sett_entity_count(t->world), count);
    CHECK_VALID(t->world);
}

static void rejects_what_cannot_be(void)
{
    twin t = {0};
    begin_twin(&t, quiet_world());
    sett_entity tank = make_turret(&t);
    sett_entity gone = sett_entity_create(t.world);
    CHECK_EQ(sett_entity_destroy(t.world, gone), SETT_OK);
    for (uint32_t k = 0; k < 3; k++) {
        sett_value link = {.component = t.knows, .value = NULL};
        sett_value name = {.component = SETT_ID_NAME};
        sett_value unknown = {.component = 999, .value = NULL};
        expect_failure(&t, &(sett_instantiate_desc){.prefab = gone}, SETT_STATUS_STALE);
        expect_failure(&t, &(sett_instantiate_desc){.prefab = tank, .parent = gone},
                       SETT_STATUS_STALE);
        expect_failure(&t, &(sett_instantiate_desc){.prefab = tank, .name = "a/b"},
                       SETT_STATUS_ARGUMENT);
        expect_failure(&t,
                       &(sett_instantiate_desc){.prefab = tank,
                                                .parent = sett_hierarchy_first(t.world, tank),
                                                .name = "barrel"},
                       SETT_STATUS_CONFLICT);
        expect_failure(&t,
                       &(sett_instantiate_desc){.prefab = tank, .values = &link, .value_count = 1},
                       SETT_STATUS_ARGUMENT);
        expect_failure(&t,
                       &(sett_instantiate_desc){.prefab = tank, .values = &name, .value_count = 1},
                       SETT_STATUS_ARGUMENT);
        expect_failure(
            &t, &(sett_instantiate_desc){.prefab = tank, .values = &unknown, .value_count = 1},
            SETT_STATUS_UNREGISTERED);
        CHECK_EQ(sett_instantiate(t.world, tank, 1, NULL), SETT_OK);
    }
    CHECK_END(t.world);
}

typedef struct scarce_tank {
    twin t;
    sett_entity tank, parent;
    uint32_t entities, values, made;
    bool plain;
} scarce_tank;

static bool scarce_make(void* user)
{
    scarce_tank* s = user;
    char name[16];
    snprintf(name, sizeof(name), "tank %u", (unsigned)s->made);
    sett_instantiate_desc desc = {.prefab = s->tank, .parent = s->parent, .name = name};
    return s->plain ? sett_instantiate(s->t.world, s->tank, 1, NULL) == SETT_OK
                    : !sett_is_null(sett_instantiate_with(s->t.world, &desc));
}

static void scarce_same(void* user)
{
    const scarce_tank* s = user;
    CHECK_EQ(sett_entity_count(s->t.world), s->entities);
    CHECK_EQ(sett_component_count(s->t.world, s->t.types[1]), s->values);
}

static void memory_runs_out(void)
{
    static scarce_memory memory;
    scarce_tank s = {.plain = false};
    begin_twin(&s.t, scarce_world(&memory));
    s.tank = make_turret(&s.t);
    s.parent = sett_entity_create(s.t.world);
    for (s.made = 0; s.made < 400; s.made++) {
        s.entities = sett_entity_count(s.t.world);
        s.values = sett_component_count(s.t.world, s.t.types[1]);
        s.plain = s.made % 2 == 0;
        if (s.made < 4 || (s.made > 338 && s.made < 343)) {
            scarce_run(s.t.world, &memory, scarce_make, scarce_same, &s);
        } else {
            CHECK(scarce_make(&s));
        }
        CHECK_EQ(sett_entity_count(s.t.world), s.entities + 3);
        CHECK_EQ(sett_component_count(s.t.world, s.t.types[1]), s.values + 2);
    }
    CHECK(memory.failures > 20);
    /* with a recipe, and where pages are, nothing is asked for at all */
    s.plain = true;
    memory.failures = 0;
    CHECK(scarce_make(&s));
    CHECK(scarce_try(s.t.world, &memory, 0, true, scarce_make, NULL, &s));
    CHECK_VALID(s.t.world);
    scarce_end(&memory, s.t.world);
}

/* Prefabs that come and go leave nothing behind. */
static void recipes_end_with_prefabs(void)
{
    twin t = {0};
    begin_twin(&t, quiet_world());
    static sett_entity last[500];
    size_t size = 0;
    for (uint32_t k = 0; k < 20000; k++) {
        sett_entity prefab = sett_entity_create(t.world);
        sett_entity made[3];
        CHECK(sett_add(t.world, prefab, t.types[0]) != NULL);
        for (uint32_t n = 0; n < 3; n++) {
            CHECK_EQ(sett_instantiate(t.world, prefab, 1, &made[n]), SETT_OK);
            CHECK(sett_has(t.world, made[n], t.types[0]));
        }
        for (uint32_t n = 0; n < 3; n++) {
            CHECK_EQ(sett_entity_destroy(t.world, made[n]), SETT_OK);
        }
        if (!sett_is_null(last[k % 500])) { /* another index each time */
            CHECK_EQ(sett_entity_destroy(t.world, last[k % 500]), SETT_OK);
        }
        last[k % 500] = prefab;
        if (k == 1000) {
            size = t.world->pool.block_size;
        }
    }
    CHECK(t.world->pool.block_size <= 2 * size);
    CHECK_END(t.world);
}

static void one_enters_its_groups(void)
{
    twin t = {0};
    begin_twin(&t, quiet_world());
    sett_group* group =
        sett_group_create(t.world, &(sett_group_desc){.with = {t.types[0], t.types[2]}});
    sett_entity prefab = sett_entity_create(t.world);
    CHECK(sett_set(t.world, prefab, t.types[0], &(uint64_t){7}) != NULL);
    CHECK(sett_add(t.world, prefab, t.types[2]) != NULL);
    CHECK(sett_add(t.world, prefab, t.types[3]) != NULL);
    for (uint32_t k = 0; k < 200; k++) {
        sett_entity made;
        CHECK_EQ(sett_instantiate(t.world, prefab, 1, &made), SETT_OK);
        CHECK(sett_group_has(group, made) && sett_has(t.world, made, t.types[3]));
        CHECK_EQ(*(const uint64_t*)sett_get(t.world, made, t.types[0]), 7);
    }
    CHECK_END(t.world);
}

enum {
    MANY = 40
};

/* Around the most components that a recipe adds at once: values given, name and parent are kept. */
static void large_prefabs_take_what_is_given(void)
{
    twin t = {0};
    begin_twin(&t, quiet_world());
    sett_component types[MANY];
    for (uint32_t k = 0; k < MANY; k++) {
        char name[8];
        snprintf(name, sizeof(name), "M%u", (unsigned)k);
        types[k] =
            sett_component_register(t.world, &(sett_component_desc){.name = name, .size = 4});
    }
    sett_entity map = sett_entity_create(t.world);
    sett_entity first = sett_entity_create(t.world);
    CHECK_EQ(sett_hierarchy_attach(t.world, first, map), SETT_OK);
    for (uint32_t count = 26; count < MANY - 2; count++) {
        sett_entity prefab = sett_entity_create(t.world);
        for (uint32_t k = 0; k < count; k++) {
            CHECK(sett_set(t.world, prefab, types[k], &(uint32_t){100 + k}) != NULL);
        }
        CHECK_EQ(sett_prefab_make(t.world, prefab), SETT_OK);
        for (uint32_t k = 0; k < 16; k++) {
            uint32_t given[] = {k, k + 1, k + 2, k + 3};
            sett_value values[] = {{.component = types[0], .value = &given[0]},
                                   {.component = types[count - 1], .value = &given[1]},
                                   {.component = types[count], .value = &given[2]},
                                   {.component = types[count + 1], .value = &given[3]}};
            uint32_t value_count = k % 5;
            sett_entity made = sett_instantiate_with(
                t.world, &(sett_instantiate_desc){.prefab = prefab,
                                                  .parent = k % 2 != 0 ? map : sett_null(),
                                                  .name = k % 4 > 1 ? "big" : NULL,
                                                  .values = values,
                                                  .value_count = value_count});
            CHECK_MSG(!sett_is_null(made), "%s", sett_world_message(t.world));
            for (uint32_t c = 0; c < count + 2; c++) {
                uint32_t wanted = 100 + c;
                for (uint32_t v = 0; v < value_count; v++) {
                    wanted = values[v].component == types[c] ? given[v] : wanted;
                }
                const uint32_t* value = sett_find(t.world, made, types[c]);
                bool has = c < count || c - count + 2 < value_count;
                CHECK_MSG((value != NULL) == has && (!has || *value == wanted),
                          "%u components, %u values: M%u", (unsigned)count, (unsigned)value_count,
                          (unsigned)c);
            }
            CHECK_EQ(sett_hierarchy_depth(t.world, made), k % 2);
            CHECK_STR_EQ(sett_name_get(t.world, made), k % 4 > 1 ? "big" : NULL);
            CHECK_VALID(t.world);
            CHECK_EQ(sett_entity_destroy(t.world, made), SETT_OK);
        }
    }
    CHECK_END(t.world);
}

TEST_MAIN(TEST(makes_what_copies_are), TEST(places_names_and_values), TEST(rejects_what_cannot_be),
          TEST(memory_runs_out), TEST(recipes_end_with_prefabs), TEST(one_enters_its_groups),
          TEST(large_prefabs_take_what_is_given))

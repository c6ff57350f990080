/* test_bundle.c: entities created with all of their components. */
#include "chance.h"
#include "scarce.h"
#include "sett/observer.h"
#include "sett/relationship.h"
#include "sett/state.h"

typedef struct Position {
    float x, y;
} Position;

typedef struct Health {
    int32_t points;
} Health;

static sett_world* world;
static sett_component Position_id;
static sett_component Health_id;
static sett_component Frozen_id;

static void begin(void)
{
    world = quiet_world();
    Position_id = SETT_REGISTER(world, Position);
    Health_id = SETT_REGISTER(world, Health);
    Frozen_id = SETT_REGISTER_TAG(world, Frozen);
}

static void creates_with_values(void)
{
    begin();
    for (uint32_t k = 0; k < 3000; k++) { /* over a page, the transitions known and not */
        sett_entity e = SETT_CREATE(world, SETT_VALUE(Position, .x = (float)k, .y = 2),
                                    SETT_VALUE_TAG(Frozen), SETT_VALUE(Health, (int32_t)k));
        CHECK_EQ(e.index, k);
        CHECK(SETT_GET(world, e, Position)->x == (float)k && SETT_GET(world, e, Position)->y == 2);
        CHECK_EQ(SETT_GET(world, e, Health)->points, (int32_t)k);
        CHECK(SETT_HAS(world, e, Frozen));
    }
    sett_entity bare = sett_create_with(world, NULL, 0);
    CHECK(sett_entity_valid(world, bare) && sett_entity_components(world, bare, NULL, 0) == 0);
    sett_entity zero =
        sett_create_with(world, &(sett_value){.component = Health_id, .value = NULL}, 1);
    CHECK_EQ(SETT_GET(world, zero, Health)->points, 0);
    CHECK_END(world);
}

typedef struct heard {
    uint32_t added, set, entered;
    float x;
} heard;

static void hear_add(sett_world* w, sett_entity entity, void* value, void* user)
{
    heard* h = user;
    (void)w;
    h->added++;
    h->x = ((const Position*)value)->x;
    CHECK(SETT_HAS(w, entity, Health)); /* all is there */
}

static void hear_set(sett_world* w, sett_entity entity, void* value, void* user)
{
    (void)w;
    (void)entity;
    (void)value;
    ((heard*)user)->set++;
}

static void hear_enter(sett_world* w, sett_entity entity, void* user)
{
    (void)w;
    (void)entity;
    ((heard*)user)->entered++;
}

static void callbacks_see_the_whole(void)
{
    begin();
    heard h = {0, 0, 0, 0};
    heard bare = {0, 0, 0, 0};
    CHECK(sett_observer_create(world, &(sett_observer_desc){.component = Position_id,
                                                            .on_add = hear_add,
                                                            .on_set = hear_set,
                                                            .user = &h}) != NULL);
    CHECK(sett_observer_create(
              world, &(sett_observer_desc){.terms = {SETT_WITH(Position), SETT_WITHOUT(Health)},
                                           .on_enter = hear_enter,
                                           .user = &bare}) != NULL);
    CHECK(sett_observer_create(
              world, &(sett_observer_desc){.terms = {SETT_WITH(Position), SETT_WITH(Health)},
                                           .on_enter = hear_enter,
                                           .user = &h}) != NULL);
    sett_group* group = sett_group_create(
        world, &(sett_group_desc){.with = {Position_id, Health_id}, .without = {Frozen_id}});
    CHECK(group != NULL);
    for (uint32_t k = 1; k <= 5; k++) {
        sett_entity e = SETT_CREATE(world, SETT_VALUE(Position, .x = (float)k),
                                    SETT_VALUE(Health, .points = 3));
        CHECK(!sett_is_null(e));
        CHECK(h.x == (float)k);
        CHECK_EQ(h.added, k);
        CHECK_EQ(h.set, k);
        CHECK_EQ(h.entered, k);
    }
    CHECK_EQ(bare.entered, 0);
    CHECK_EQ(sett_group_count(group), 5);
    CHECK_END(world);
}

static void rejects_what_cannot_be(void)
{
    begin();
    Health health = {3};
    sett_value twice[2] = {{.component = Health_id, .value = &health},
                           {.component = Health_id, .value = &health}};
    sett_component owes =
        sett_relationship_register(world, &(sett_relationship_desc){.name = "Owes"});
    sett_value link = {.component = owes, .value = NULL};
    sett_value unknown = {.component = 999, .value = NULL};
    sett_value many[33];
    for (uint32_t k = 0; k < 33; k++) {
        many[k] = twice[0];
    }
    uint32_t before = sett_entity_count(world);
    sett_value wrong = {Position_id, &health, sizeof(health), "Health"};
    CHECK(sett_is_null(sett_create_with(world, &wrong, 1)));
    CHECK(sett_is_null(sett_create_with(world, twice, 2)));
    CHECK_EQ(sett_world_error(world), SETT_STATUS_ARGUMENT);
    CHECK(strstr(sett_world_message(world), "sett_create_with") != NULL);
    CHECK(sett_is_null(sett_create_with(world, &link, 1)));
    CHECK_EQ(sett_world_error(world), SETT_STATUS_ARGUMENT);
    CHECK(sett_is_null(sett_create_with(world, &unknown, 1)));
    CHECK_EQ(sett_world_error(world), SETT_STATUS_UNREGISTERED);
    CHECK(sett_is_null(sett_create_with(world, many, 33)));
    CHECK_EQ(sett_world_error(world), SETT_STATUS_ARGUMENT);
    sett_query* query = SETT_QUERY_CREATE(world, SETT_IN(Position));
    SETT_CREATE(world, SETT_VALUE(Position, 0, 0));
    SETT_QUERY_EACH(query, b) {
        CHECK(sett_is_null(sett_create_with(world, twice, 1)));
        CHECK_EQ(sett_world_error(world), SETT_STATUS_LOCKED);
    }
    CHECK_EQ(sett_entity_count(world), before + 1);
    CHECK_END(world);
}

/* Two worlds with all kinds of types, one of which creates in bulk what the other creates alone. */
enum {
    TYPES = 9
};

static sett_world* make_twin(sett_component* types)
{
    sett_world* twin = quiet_world();
    for (uint32_t k = 0; k < TYPES; k++) {
        char name[8];
        snprintf(name, sizeof(name), "T%u", (unsigned)k);
        sett_component_desc desc = {.name = name, .size = k % 4 == 3 ? 0 : 4 + 8 * (size_t)k};
        desc.align = desc.size != 0 ? 4 : 0;
        desc.storage =
            k % 3 == 1 && desc.size != 0 ? SETT_STORAGE_SPARSE_SET : SETT_STORAGE_DEFAULT;
        desc.dont_fragment = k == 5;
        desc.track_rows = k == 2;
        desc.keep_order = k == 4;
        if (k == 6) {
            desc.required = types + 1;
            desc.required_count = 2;
        }
        types[k] = sett_component_register(twin, &desc);
        CHECK(types[k] != 0);
    }
    return twin;
}

static void makes_what_bulk_makes(void)
{
    static unsigned char bytes[256];
    static sett_entity made[4000];
    sett_component types[TYPES];
    sett_world* one = make_twin(types);
    sett_world* bulk = make_twin(types);
    uint64_t seed = check_setting("SETT_SEED", 1);
    uint64_t state = seed;
    uint32_t count = 0;
    sett_snapshot held;
    bool holds = false;
    for (uint32_t step = 0; step < CHECK_ROUNDS(8000); step++) {
        sett_value values[TYPES];
        sett_component ids[TYPES];
        const void* given[TYPES];
        uint32_t n = 0;
        for (uint32_t k = 0; k < sizeof(bytes); k++) {
            bytes[k] = (unsigned char)chance_below(&state, 256);
        }
        for (uint32_t k = 0; k < TYPES; k++) {
            if (chance_below(&state, 3) == 0) {
                ids[n] = types[k];
                given[n] = k % 4 == 3 || chance_below(&state, 4) == 0 ? NULL : bytes + 8 * k;
                values[n] = (sett_value){.component = ids[n], .value = given[n]};
                n++;
            }
        }
        sett_entity a = sett_create_with(one, values, n);
        sett_entity b;
        CHECK_EQ(sett_entity_create_many(bulk, 1, ids, n, given, &b), SETT_OK);
        CHECK_ENTITY_EQ(a, b);
        if (count == 4000 || chance_below(&state, 3) == 0) {
            sett_entity gone = count != 0 ? made[chance_below(&state, count)] : a;
            (void)sett_entity_destroy(one, gone);
            (void)sett_entity_destroy(bulk, gone);
        }
        made[count < 4000 ? count++ : chance_below(&state, 4000)] = a;
        if (chance_below(&state, 500) == 0) {
            if (holds) {
                CHECK_EQ(sett_snapshot_drop(one, held), SETT_OK);
            }
            CHECK_EQ(sett_snapshot_take(one, &held), SETT_OK);
            holds = true;
        }
        if (chance_below(&state, 500) == 0) {
            CHECK_MSG(sett_world_hash(one) == sett_world_hash(bulk), "SETT_SEED=%u, step %u",
                      (unsigned)seed, (unsigned)step);
            CHECK_VALID(one);
        }
    }
    CHECK_EQ(sett_world_hash(one), sett_world_hash(bulk));
    CHECK_END(one);
    CHECK_END(bulk);
}

typedef struct scarce_bundle {
    sett_world* world;
    sett_component types[TYPES];
    uint32_t count;
} scarce_bundle;

static bool scarce_create(void* user)
{
    scarce_bundle* s = user;
    static const unsigned char bytes[256];
    sett_value values[TYPES];
    for (uint32_t k = 0; k < TYPES; k++) {
        values[k] = (sett_value){.component = s->types[k], .value = k % 4 == 3 ? NULL : bytes};
    }
    return !sett_is_null(sett_create_with(s->world, values, TYPES));
}

static void scarce_same(void* user)
{
    const scarce_bundle* s = user;
    CHECK_EQ(sett_entity_count(s->world), s->count);
    for (uint32_t k = 0; k < TYPES; k++) {
        CHECK_EQ(sett_component_count(s->world, s->types[k]), s->count);
    }
}

static void memory_runs_out(void)
{
    static scarce_memory memory;
    scarce_bundle s = {scarce_world(&memory), {0}, 0};
    for (uint32_t k = 0; k < TYPES; k++) {
        char name[8];
        snprintf(name, sizeof(name), "T%u", (unsigned)k);
        sett_component_desc desc = {.name = name, .size = k % 4 == 3 ? 0 : 4 + 8 * (size_t)k};
        desc.storage = k % 3 == 1 ? SETT_STORAGE_SPARSE_SET : SETT_STORAGE_DEFAULT;
        s.types[k] = sett_component_register(s.world, &desc);
    }
    for (; s.count < 3; s.count++) {
        scarce_run(s.world, &memory, scarce_create, scarce_same, &s);
    }
    CHECK(memory.failures > 5);
    while (s.count < 1024) { /* the next needs pages */
        CHECK(scarce_create(&s));
        s.count++;
    }
    uint32_t failures = memory.failures;
    scarce_run(s.world, &memory, scarce_create, scarce_same, &s);
    CHECK(memory.failures > failures);
    scarce_end(&memory, s.world);
}

TEST_MAIN(TEST(creates_with_values), TEST(callbacks_see_the_whole), TEST(rejects_what_cannot_be),
          TEST(makes_what_bulk_makes), TEST(memory_runs_out))

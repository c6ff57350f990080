/* test_component_list.c: lists of components: ids, registration, options, failures. */
#include "check.h"
#include "sett/sett.h"
#include "worlds.h"

typedef struct Position {
    float x, y;
} Position;

typedef struct Burning {
    uint32_t left;
} Burning;

typedef struct Height {
    double value;
} Height;

#define GAME(COMPONENT, TAG)                                                                       \
    COMPONENT(Position)                                                                            \
    COMPONENT(Burning, .storage = SETT_STORAGE_SPARSE_SET, .keep_order = true)                     \
    TAG(Player)                                                                                    \
    TAG(Seen, .dont_fragment = true)
SETT_COMPONENTS(GAME)

#define LEVEL(COMPONENT, TAG) COMPONENT(Height)
SETT_COMPONENTS_FROM(LEVEL, 200)

static void ids_follow_the_order_of_the_list(void)
{
    CHECK_EQ(Position_id, 1);
    CHECK_EQ(Burning_id, 2);
    CHECK_EQ(Player_id, 3);
    CHECK_EQ(Seen_id, 4);
    CHECK_EQ(Height_id, 200);
}

static void a_list_registers_its_types(void)
{
    sett_world* world = quiet_world();
    CHECK_EQ(SETT_REGISTER_ALL(world, GAME), SETT_OK);
    CHECK_EQ(SETT_REGISTER_ALL(world, LEVEL), SETT_OK);
    CHECK_EQ(SETT_REGISTER_ALL(world, GAME), SETT_OK); /* the same again is the same */
    CHECK_EQ(sett_component_find(world, "Player"), (uint32_t)Player_id);
    CHECK_EQ(sett_component_find(world, "Height"), 200);
    sett_component_desc desc;
    CHECK_EQ(sett_component_describe(world, Burning_id, &desc), SETT_OK);
    CHECK_EQ(desc.storage, SETT_STORAGE_SPARSE_SET);
    CHECK(desc.keep_order);
    CHECK_EQ(desc.size, sizeof(Burning));
    CHECK_EQ(sett_component_describe(world, Seen_id, &desc), SETT_OK);
    CHECK(desc.dont_fragment && desc.size == 0);

    sett_entity entity = sett_entity_create(world);
    SETT_SET(world, entity, Position, .x = 3);
    CHECK(SETT_ADD_TAG(world, entity, Player));
    CHECK(SETT_GET(world, entity, Position)->x == 3);
    sett_world_destroy(world);
}

static void a_list_stops_at_what_cannot_be_registered(void)
{
    sett_world* world = quiet_world();
    CHECK_EQ(SETT_REGISTER_TAG_WITH(world, Other, .id = Player_id), (uint32_t)Player_id);
    CHECK_EQ(SETT_REGISTER_ALL(world, GAME), SETT_STATUS_CONFLICT);
    CHECK_EQ(sett_component_find(world, "Burning"), (uint32_t)Burning_id);
    CHECK_EQ(sett_component_find(world, "Seen"), 0);
    sett_world_destroy(world);
}

typedef struct Debt {
    uint8_t kind;
    float amount;
} Debt;

#define BONDS(COMPONENT, TAG)                                                                      \
    COMPONENT(Debt, .relationship = SETT_RELATIONSHIP(.many = true),                               \
              .members = SETT_STRUCT(Debt, kind, amount))                                          \
    TAG(Owns, .relationship = SETT_RELATIONSHIP())
SETT_COMPONENTS_FROM(BONDS, 300)

static void a_list_has_relationships(void)
{
    sett_world* world = quiet_world();
    CHECK_MSG(SETT_REGISTER_ALL(world, BONDS) == SETT_OK, "%s", sett_world_message(world));
    CHECK_EQ(SETT_REGISTER_ALL(world, BONDS), SETT_OK);
    CHECK(sett_relationship_sources(world, Debt_id) != 0);
    CHECK(sett_world_hash_portable(world, NULL));
    sett_entity a = sett_entity_create(world);
    sett_entity b = sett_entity_create(world);
    SETT_RELATE(world, a, Debt, b)->amount = 3;
    CHECK(sett_relate(world, a, Debt_id, a) != NULL && sett_relate(world, a, Owns_id, b) != NULL);
    CHECK_EQ(sett_target_count(world, a, Debt_id), 2);
    CHECK(SETT_RELATED(world, a, Debt, b)->amount == 3);
    CHECK(sett_equals(sett_target(world, a, Owns_id), b));
    CHECK_EQ(SETT_REGISTER_TAG_WITH(world, Wrong, .can_disable = true,
                                    .relationship = SETT_RELATIONSHIP()),
             0);
    CHECK_MSG(strstr(sett_world_message(world),
                     "\"Wrong\": a relationship cannot have keep_order, ") != NULL,
              "%s", sett_world_message(world));
    CHECK_END(world);
}

TEST_MAIN(TEST(ids_follow_the_order_of_the_list), TEST(a_list_registers_its_types),
          TEST(a_list_stops_at_what_cannot_be_registered), TEST(a_list_has_relationships))

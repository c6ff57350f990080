/* test_search_errors.c: 200 wrong texts and what is said about each (search_errors.inc). If a
 * message changes on purpose, the test prints the line to put in its place. */
#include "worlds.h"

typedef struct Hold {
    int32_t height;
} Hold;

enum {
    EMPTY,
    FULL
};

typedef struct Cargo {
    int32_t n;
    char text[8];
    sett_entity of;
    int32_t pair[2];
    Hold hold;
} Cargo;

static const struct {
    const char *text, *message;
} wrong[] = {
#include "search_errors.inc"
};

static sett_world* begin(void)
{
    sett_world* world = quiet_world();
    sett_component_register(world, &(sett_component_desc){.name = "Ship"});
    sett_component_register(world, &(sett_component_desc){.name = "Planet"});
    sett_component Cargo_id = SETT_REGISTER(world, Cargo);
    CHECK_EQ(SETT_MEMBERS(world, Cargo, (n, .constants = SETT_CONSTANTS(EMPTY, FULL)), text, of,
                          pair, (hold, .of = SETT_STRUCT(Hold, height))),
             SETT_OK);
    sett_relationship_register(world, &(sett_relationship_desc){.name = "DockedAt"});
    sett_relationship_register(world, &(sett_relationship_desc){.name = "AtWar", .many = true});
    CHECK_EQ(sett_name_set(world, sett_entity_create(world), "earth"), SETT_OK);
    sett_entity sol = sett_entity_create(world);
    sett_entity mars = sett_entity_create(world);
    CHECK_EQ(sett_name_set(world, sol, "sol"), SETT_OK);
    CHECK_EQ(sett_name_set(world, mars, "mars"), SETT_OK);
    CHECK_EQ(sett_hierarchy_attach(world, mars, sol), SETT_OK);
    return world;
}

static void each_says_what_is_wrong(void)
{
    sett_world* world = begin();
    CHECK(sizeof(wrong) / sizeof(wrong[0]) >= 200);
    for (uint32_t k = 0; k < sizeof(wrong) / sizeof(wrong[0]); k++) {
        sett_search* search = sett_search_create(world, wrong[k].text);
        const char* message = search != NULL ? "(none)" : sett_world_message(world);
        CHECK_MSG(strcmp(message, wrong[k].message) == 0, "{\"%s\", \"%s\"},", wrong[k].text,
                  message);
        CHECK(strlen(message) <= 160);
    }
    CHECK_END(world);
}

TEST_MAIN(TEST(each_says_what_is_wrong))

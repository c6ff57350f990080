/* macros.c: every macro of the public headers as a user's file has them. tools/check_headers.sh
 * compiles it as C11, C++17 and C++20 with every warning an error; nothing runs it. */
#include <sett/prefab.h>
#include <sett/relationship.h>
#include <sett/sett.h>
#include <sett/singleton.h>
#include <sett/system.h>

typedef struct Position {
    float x, y;
} Position;

typedef struct Velocity {
    float x, y;
} Velocity;

enum {
    Position_id = 1,
    Velocity_id,
    Frozen_id
};

/* ---- Loops ----------------------------------------------------------------------------------- */

uint32_t nested(sett_query* query);
uint32_t nested(sett_query* query)
{
    uint32_t pairs = 0;
    /* two on one line */
    /* clang-format off */
    SETT_FOR(query, a, i) { pairs += a->base + i; } SETT_FOR(query, a, i) { pairs += i; }
    /* clang-format on */
    SETT_FOR(query, a, i) {
        SETT_FOR(query, b, j) {
            pairs += sett_batch_index(a, i) == sett_batch_index(b, j);
        }
        if (pairs > 100) {
            return pairs;
        }
    }
    SETT_QUERY_EACH(query, a) {
        SETT_EACH(a, i) {
            SETT_QUERY_EACH(query, b) {
                SETT_EACH_RUN(b, j) {
                    pairs += i == j;
                }
            }
        }
    }
    return pairs;
}

uint32_t searched(sett_search* search);
uint32_t searched(sett_search* search)
{
    uint32_t pairs = 0;
    /* clang-format off */
    SETT_SEARCH(search, a, i) { pairs += a->count + i; } SETT_SEARCH(search, a, i) { pairs += i; }
    /* clang-format on */
    SETT_SEARCH(search, a, i)
    {
        SETT_SEARCH(search, b, j)
        {
            pairs += sett_rows_entity(a, 0, i).index == sett_rows_entity(b, 0, j).index;
        }
        if (pairs > 100) {
            return pairs;
        }
    }
    return pairs;
}

void move(sett_context* context);
void move(sett_context* context)
{
    SETT_SYSTEM_FOR(context, b, i) {
        SETT_FIELD_MUT(b, 0, Position)[i].x += SETT_FIELD(b, 1, Velocity)[i].x * context->dt;
    }
    SETT_SYSTEM_EACH(context, b) {
        Position* p = SETT_FIELD_MUT(b, 0, Position);
        SETT_EACH(b, i) {
            p[i].x += context->dt;
        }
    }
}

/* ---- Components ------------------------------------------------------------------------------ */

#define LIST(COMPONENT, TAG)                                                                       \
    COMPONENT(Health)                                                                              \
    TAG(Dead)

typedef struct Health {
    int points;
} Health;

SETT_COMPONENTS_FROM(LIST, 10)

void values(sett_world* world, sett_entity e);
void values(sett_world* world, sett_entity e)
{
    sett_component position = SETT_REGISTER(world, Position);
    sett_component frozen = SETT_REGISTER_TAG(world, Frozen);
    sett_component_desc desc = SETT_TYPE_DESC(Velocity);
    desc.storage = SETT_STORAGE_SPARSE_SET;
    sett_component velocity = sett_component_register(world, &desc);
    SETT_SET(world, e, Position, 1, 2);
    SETT_ADD(world, e, Velocity)->x = SETT_GET(world, e, Position)->x;
    SETT_GET_MUT(world, e, Position)->x = 1;
    SETT_ENSURE(world, e, Velocity)->y = (float)(position + frozen + velocity);
    const Position* found = SETT_FIND(world, e, Position);
    Velocity* written = SETT_FIND_MUT(world, e, Velocity);
    if (found != NULL && written != NULL && SETT_HAS(world, e, Frozen)) {
        (void)SETT_REMOVE(world, e, Frozen);
    }
    (void)SETT_ADD_TAG(world, e, Frozen);
    sett_commands* commands = sett_commands_here(world);
    SETT_CMD_SET(commands, e, Velocity, 1, 2);
    SETT_CMD_ADD(commands, e, Frozen);
    SETT_CMD_REMOVE(commands, e, Frozen);
    SETT_SINGLETON_SET(world, Position, 3, 4);
    SETT_SINGLETON_ENSURE(world, Position)->x += 1;
    const Position* single = SETT_SINGLETON_FIND(world, Position);
    if (single != NULL) {
        SETT_SINGLETON_FIND_MUT(world, Position)->y = single->x;
        SETT_SINGLETON_GET_MUT(world, Position)->y = SETT_SINGLETON_GET(world, Position)->x;
    }
    Velocity speed = {1, 2};
    const Position* origin = SETT_GET(world, e, Position);
    sett_entity other = SETT_CREATE(world, SETT_VALUE_OF(Velocity, &speed),
                                    SETT_VALUE_OF(Position, origin), SETT_VALUE_TAG(Frozen));
    SETT_SET(world, other, Position, 1, 2);
    if (SETT_REGISTER_ALL(world, LIST) != SETT_OK) {
        sett_world_destroy(world);
    }
}

int links(sett_world* world, sett_entity e);
int links(sett_world* world, sett_entity e)
{
    static sett_relationship_desc desc;
    desc.name = "Health";
    desc.type_name = "Health";
    desc.size = sizeof(Health);
    if (sett_relationship_register(world, &desc) == 0) {
        return 0;
    }
    SETT_RELATE(world, e, Health, e)->points = 1;
    SETT_RELATED_MUT(world, e, Health, e)->points++;
    SETT_CMD_RELATE(sett_commands_here(world), e, Health, e, 3);
    return SETT_RELATED(world, e, Health, e)->points;
}

/* ---- Members --------------------------------------------------------------------------------- */

typedef enum State {
    SHUT,
    OPEN
} State;

typedef struct Door {
    bool locked;
    char label[8];
    sett_entity keys[2];
    State state;
    long count;
    float size[2][2];
    double height;
} Door;

void members(sett_world* world, sett_component door);
void members(sett_world* world, sett_component door)
{
    if (SETT_MEMBERS(world, Position, x, y) != SETT_OK) {
        return;
    }
    sett_member list[] = {SETT_MEMBER(Door, locked), SETT_MEMBER(Door, label),
                          SETT_MEMBER(Door, keys),   SETT_MEMBER(Door, state),
                          SETT_MEMBER(Door, count),  SETT_MEMBER(Door, size),
                          SETT_MEMBER(Door, height)};
    list[3].constants = SETT_CONSTANTS(SHUT, OPEN);
    list[5].element = SETT_MEMBER_F32;
    sett_struct of = {"Door", sizeof(Door), sizeof(list) / sizeof(list[0]), list,
                      sett_members_link_};
    sett_members_set(world, door, &of);
}

/* ---- Terms: as a list of arguments, of a descriptor, as values, beside the enumerators ------- */

sett_query* terms(sett_world* world);
sett_query* terms(sett_world* world)
{
    sett_term each[] = {SETT_IN(Position),   SETT_INOUT(Position),   SETT_OUT(Position),
                        SETT_WITH(Position), SETT_WITHOUT(Frozen),   SETT_OPTIONAL(Velocity),
                        SETT_ANY(Velocity),  SETT_CHANGED(Position), SETT_OPTIONAL_INOUT(Velocity)};
    sett_term one = SETT_IN(Velocity);
    one.access = SETT_INOUT;
    switch (each[0].access) {
    case SETT_IN:
        one.kind = SETT_OPTIONAL;
        break;
    case SETT_INOUT:
    case SETT_OUT:
    case SETT_NONE:
        one.kind = SETT_ANY;
        break;
    }
    sett_query* query =
        SETT_QUERY_CREATE(world, SETT_INOUT(Position), SETT_IN(Velocity), SETT_WITHOUT(Frozen),
                          SETT_OPTIONAL(Velocity), SETT_WITHOUT(sett_prefab));
    return one.kind == SETT_WITH || one.kind == SETT_WITHOUT ? NULL : query;
}

/* ---- Designated initialisers: C and C++20 ---------------------------------------------------- */

#if !defined(__cplusplus) || __cplusplus >= 202002L
sett_system* designated(sett_world* world, uint32_t version);
sett_system* designated(sett_world* world, uint32_t version)
{
    sett_component velocity =
        SETT_REGISTER_WITH(world, Velocity, .id = Velocity_id, .storage = SETT_STORAGE_SPARSE_SET,
                           .layout_version = version);
    sett_component frozen = SETT_REGISTER_TAG_WITH(world, Frozen, .id = Frozen_id);
    if (velocity == frozen) {
        return NULL;
    }
    SETT_SET(world, sett_entity_create(world), Velocity, .x = 1, .y = 2);
    return SETT_SYSTEM(world, move, .terms = {SETT_INOUT(Position), SETT_IN(Velocity)});
}
#endif

/* ---- What does not compile ------------------------------------------------------------------- */

#if defined(__cplusplus) && defined(SETT_TEST_NOT_COPYABLE)
struct Text {
    char* text = nullptr;
    Text() = default;
    Text(const Text&)
    {
    }
    Text& operator=(const Text&)
    {
        return *this;
    }
    ~Text()
    {
    }
};

sett_component not_copyable(sett_world* world);
sett_component not_copyable(sett_world* world)
{
    /* 1: without hooks. 2: with hooks that do not suffice. 3: with them, which compiles. */
#if SETT_TEST_NOT_COPYABLE == 1
    return SETT_REGISTER(world, Text);
#elif SETT_TEST_NOT_COPYABLE == 2
    return SETT_REGISTER_WITH(world, Text, .deinit = nullptr, .copy = nullptr);
#else
    return SETT_REGISTER_WITH(world, Text, .deinit = nullptr, .copy = nullptr, .move = nullptr);
#endif
}
#endif

#if defined(__cplusplus) && defined(SETT_TEST_DEFAULTS)
struct Eager {
    int timer = 40;
};

sett_component begins_as_zeroes(sett_world* world);
sett_component begins_as_zeroes(sett_world* world)
{
    /* 1 to 3: values that would begin as zeroes. 4: by what knows the type, which compiles. */
#if SETT_TEST_DEFAULTS == 1
    const sett_component_desc desc = {SETT_TYPE(Eager), .id = 50};
    return sett_component_register(world, &desc);
#elif SETT_TEST_DEFAULTS == 2
    const sett_relationship_desc desc = {.name = "Likes", SETT_LINK_DATA(Eager)};
    return sett_relationship_register(world, &desc);
#elif SETT_TEST_DEFAULTS == 3
    return SETT_REGISTER_WITH(world, Eager, .relationship = nullptr);
#else
    return SETT_REGISTER_WITH(world, Eager, .id = 50);
#endif
}
#endif

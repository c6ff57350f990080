/* consumer.c: a user's program, small and strict. It stands for all the code that is not ours: each
 * way to get at the library is proven by building it (find_package, add_subdirectory, FetchContent,
 * pkg-config, the amalgamation), as C11 and, by the same text, as C++17.
 */
#include <stdio.h>
#include <string.h>

#ifdef SETT_CONSUMER_AMALGAMATION
#include "sett.h"
#else
#include <sett/sett.h>
#endif

typedef struct Position {
    float x, y;
} Position;

typedef struct Velocity {
    float x, y;
} Velocity;

typedef struct Mass {
    float value;
} Mass;

#define MORE(COMPONENT, TAG) COMPONENT(Mass) TAG(Player)
SETT_COMPONENTS_FROM(MORE, 10)

#if defined(__cplusplus)
/* Types whose values do not begin as zeroes. */
struct Scared {
    int timer = 40;
    char level = 3;
    double odds[2] = {0.5, 0.25};
};

struct Calm {
    float depth = 0;
};

#define MOODS(COMPONENT, TAG) COMPONENT(Scared) COMPONENT(Calm)
SETT_COMPONENTS_FROM(MOODS, 20)

static bool is_scared(const Scared* scared)
{
    return scared != NULL && scared->timer == 40 && scared->level == 3 && scared->odds[0] == 0.5 &&
           scared->odds[1] == 0.25;
}

/* By whichever call a value comes, and however the type was registered. */
static bool values_begin_as_cxx_says(void)
{
    bool right = true;
    for (int how = 0; how < 3; how++) {
        sett_world* world = sett_world_create(NULL);
        sett_component_desc desc = SETT_TYPE_DESC(Scared);
        desc.id = Scared_id;
        desc.storage = SETT_STORAGE_SPARSE_SET;
        sett_component id = Scared_id;
        if (how == 0) {
            right = SETT_REGISTER_ALL(world, MOODS) == SETT_OK && right;
        } else {
            id = how == 1 ? sett_component_register(world, &desc) : SETT_REGISTER(world, Scared);
        }
        const sett_component needs[] = {id};
        sett_component_desc armed = sett_component_desc();
        armed.name = "Armed";
        armed.required = needs;
        armed.required_count = 1;
        const sett_component armed_id = sett_component_register(world, &armed);
        sett_entity e[70];
        right = sett_entity_create_many(world, 66, &id, 1, NULL, e) == SETT_OK && right;
        for (int k = 66; k < 70; k++) {
            e[k] = sett_entity_create(world);
        }
        {
            const sett_component Scared_id = id;
            right = is_scared(SETT_ADD(world, e[66], Scared)) && right;
            right = is_scared(SETT_ENSURE(world, e[67], Scared)) && right;
            right = SETT_CMD_ADD(sett_commands_here(world), e[68], Scared) == SETT_OK && right;
            right = sett_commands_apply(sett_commands_here(world)) == SETT_OK && right;
            sett_add(world, e[69], armed_id);
            for (int k = 0; k < 70; k++) {
                right = is_scared(SETT_FIND(world, e[k], Scared)) && right;
            }
        }
        sett_world_destroy(world);
    }
    return right;
}
#else
static bool values_begin_as_cxx_says(void)
{
    return true;
}
#endif

static void count_report(void* user, sett_status status, const char* message)
{
    (void)status;
    (void)message;
    ++*(int*)user;
}

/* A library that was compiled without NDEBUG reports misuse, also on stderr; the other does not. */
static bool reports_misuse(void)
{
    int reports = 0;
    sett_world_desc desc;
    memset(&desc, 0, sizeof(desc));
    desc.assert_fn = count_report;
    desc.hook_user = &reports;
    sett_world* world = sett_world_create(&desc);
    SETT_REGISTER_ALL(world, MORE);
    const sett_entity gone = sett_entity_create(world);
    bool failed = sett_entity_destroy(world, gone) == SETT_OK;
    failed = SETT_GET(world, gone, Mass) == NULL && failed;
    sett_world_destroy(world);
#if defined(NDEBUG)
    return failed && reports == 0;
#else
    return failed && reports == 1;
#endif
}

int main(void)
{
    sett_world* world = sett_world_create(NULL);
    if (world == NULL) {
        return 1;
    }
    const sett_component Position_id = SETT_REGISTER(world, Position);
    sett_component_desc desc = SETT_TYPE_DESC(Velocity);
    desc.storage = SETT_STORAGE_SPARSE_SET;
    const sett_component Velocity_id = sett_component_register(world, &desc);

    const uint32_t count = 100;
    for (uint32_t i = 0; i < count; i++) {
        const sett_entity entity = sett_entity_create(world);
        SETT_SET(world, entity, Position, (float)i, 0.0f);
        if (i % 2 == 0) {
            SETT_SET(world, entity, Velocity, 1.0f, 2.0f);
        }
    }

    sett_query* query = SETT_QUERY_CREATE(world, SETT_INOUT(Position), SETT_IN(Velocity));
    uint32_t moved = 0;
    SETT_QUERY_EACH(query, b) {
        Position* p = SETT_FIELD_MUT(b, 0, Position);
        const Velocity* v = SETT_FIELD(b, 1, Velocity);
        SETT_EACH(b, i) {
            p[i].x += v[i].x;
            p[i].y += v[i].y;
            moved++;
        }
    }
    SETT_FOR(query, b, i) {
        if (SETT_FIELD(b, 0, Position)[i].x > 50.0f) {
            break;
        }
        SETT_FIELD_MUT(b, 0, Position)[i].y += SETT_FIELD(b, 1, Velocity)[i].y;
    }
    const sett_entity player = sett_entity_create(world);
    if (SETT_REGISTER_ALL(world, MORE) != SETT_OK || !SETT_ADD_TAG(world, player, Player) ||
        SETT_SET(world, player, Mass, 2.0f) == NULL) {
        return 1;
    }
    printf("Sett %d: moved %u of %u\n", sett_version(), (unsigned)moved,
           (unsigned)sett_entity_count(world));
    const int failed = moved != count / 2 || sett_version() != SETT_VERSION ||
                       !values_begin_as_cxx_says() || !reports_misuse();
    sett_world_destroy(world);
    return failed;
}

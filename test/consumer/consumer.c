/* consumer.c: a user's program, small and strict. It stands for all the code that is not ours: each
 * way to get at the library is proven by building it (find_package, add_subdirectory, FetchContent,
 * pkg-config, the amalgamation), as C11 and, by the same text, as C++17.
 */
#include <stdio.h>

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
    const int failed = moved != count / 2 || sett_version() != SETT_VERSION;
    sett_world_destroy(world);
    return failed;
}

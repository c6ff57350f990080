/* gdb_target.c: a program to stop in, for test/gdb.sh.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sett/sett.h"

typedef struct Spot {
    int32_t x; /* fixed point */
    uint8_t state;
} Spot;

enum {
    SHUT,
    OPEN
};

#define LIST(COMPONENT, TAG)                                                                       \
    COMPONENT(Spot, .members = SETT_STRUCT(Spot, (x, .scale = 1.0 / 65536, .unit = "m"),           \
                                           (state, .constants = SETT_CONSTANTS(SHUT, OPEN))))
SETT_COMPONENTS(LIST)

void stop_here(sett_world* world, sett_entity entity);
void stop_here(sett_world* world, sett_entity entity)
{
    if (!sett_has(world, entity, Spot_id)) {
        sett_print(world, entity); /* named here, so that the static library's is linked */
    }
}

int main(void)
{
    sett_world* world = sett_world_create(NULL);
    sett_status status = SETT_REGISTER_ALL(world, LIST);
    sett_entity entity = sett_entity_create(world);
    (void)sett_set(world, entity, Spot_id, &(Spot){.x = 98304, .state = OPEN});
    stop_here(world, entity);
    return status == SETT_OK && sett_world_destroy(world) == SETT_OK ? 0 : 1;
}

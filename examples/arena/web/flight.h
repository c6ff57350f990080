/* flight.h: what the server and the page of the arena share: types, and how a ship moves.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef FLIGHT_H
#define FLIGHT_H

#include "sett/sett.h"

enum {
    FLIGHT_CLIENTS = 8,
    FLIGHT_SIZE = 1 << 12, /* of the arena, whose opposite borders meet */
    FLIGHT_RATE = 20       /* ticks a second */
};

typedef struct Place {
    int32_t x, y;
} Place;
typedef struct Ship {
    uint32_t client;
    int32_t vx, vy;
} Ship;
typedef struct Keys { /* the input of a client for a tick */
    int8_t x, y;
} Keys;

#define FLIGHT(COMPONENT, TAG)                                                                     \
    COMPONENT(Place, .members = SETT_STRUCT(Place, x, y))                                          \
    COMPONENT(Ship, .members = SETT_STRUCT(Ship, client, vx, vy))                                  \
    TAG(Stone)
SETT_COMPONENTS(FLIGHT)

static const sett_component flight_sent[] = {Place_id, Ship_id, Stone_id};

static inline sett_status flight_register(sett_world* world)
{
    return SETT_REGISTER_ALL(world, FLIGHT);
}

/* The server does it, and the page at once: in integers, so that both find the same. */
static inline void flight_steer(sett_world* world, sett_entity entity, const Keys* keys)
{
    Ship* ship = SETT_GET_MUT(world, entity, Ship);
    Place* place = SETT_GET_MUT(world, entity, Place);
    ship->vx = (ship->vx * 3 + keys->x * 40) / 4;
    ship->vy = (ship->vy * 3 + keys->y * 40) / 4;
    place->x = (place->x + ship->vx) & (FLIGHT_SIZE - 1);
    place->y = (place->y + ship->vy) & (FLIGHT_SIZE - 1);
}

#endif

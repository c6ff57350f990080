/* human.h - how a human player takes part in the world, so that the game can be played again.
 *
 * All that comes from outside is one Order a tick. What it does follows from the order and the
 * world alone: the same orders, from the same snapshot, make the same game. */
#ifndef FREEDOOM_HUMAN_H
#define FREEDOOM_HUMAN_H

#include "simulation.h"

/* "In this tick I am player `number` of this map, and want that." */
typedef struct Order {
    uint16_t arena;
    uint16_t number; /* from 1 */
    Input input;
} Order;

/* Makes the player that the order names a human, and gives him his input. Who was it before goes on
 * by himself; what he carries goes along to another map. To be called before a tick. Returns the
 * player, null while there is none of that number: he is dead and has not come in again. */
sett_entity human_obey(Simulation* sim, sett_query* players, const Order* order);

/* Like human_obey, for several humans with different numbers, at most COMPONENT_PLAYERS: a
 * human in no order goes on by himself. The players go to `selves`. */
void human_obey_all(Simulation* sim, sett_query* players, const Order* orders, uint32_t count,
                    sett_entity* selves);

/* The direction in which the order's player looks when he comes in. */
uint16_t human_start_angle(const Simulation* sim, const Order* order);

/* The query for `human_obey`: all players. NULL when memory runs out. */
sett_query* human_query(sett_world* world);

#endif

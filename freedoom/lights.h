/* lights.h - what makes the light of a sector change. */
#ifndef FREEDOOM_LIGHTS_H
#define FREEDOOM_LIGHTS_H

#include "simulation.h"

/* What a map says, as a component has it. */
static inline uint8_t lights_level(uint16_t light)
{
    return (uint8_t)(light > 255 ? 255 : light);
}

/* Gives a new sector what its number says: Blink, Glow, Flicker or nothing. */
void lights_set_up(Simulation* sim, sett_entity entity, const Level* level, uint32_t number);

#endif

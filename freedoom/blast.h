/* blast.h - an explosion: hits all bodies around, the less the farther away. */
#ifndef FREEDOOM_BLAST_H
#define FREEDOOM_BLAST_H

#include "simulation.h"

/* `power` is the damage at the centre and also how many map units it reaches. */
void blast(const Job* job, Place place, Position centre, int32_t power, sett_entity cause);

#endif

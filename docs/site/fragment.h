/* fragment.h: what the fragments of code in the pages may use without saying it. */
#ifndef SETT_FRAGMENT_H
#define SETT_FRAGMENT_H

#include "sett/sett.h"

#include <stdio.h>

typedef struct Position {
    float x, y;
} Position;
typedef struct Velocity {
    float x, y;
} Velocity;
typedef struct Health {
    int points;
} Health;
#define FRAGMENT(COMPONENT, TAG)                                                                   \
    COMPONENT(Position) COMPONENT(Velocity) COMPONENT(Health) TAG(Frozen) TAG(Burning)
SETT_COMPONENTS(FRAGMENT)

extern sett_world* world;
extern sett_query* query;
extern sett_commands* commands;
extern sett_entity e, tank, turret;
extern float dt;
extern int frame;

#endif

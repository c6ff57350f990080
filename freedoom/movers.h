/* movers.h - ceilings and floors on their way. */
#ifndef FREEDOOM_MOVERS_H
#define FREEDOOM_MOVERS_H

#include "components.h"

/* Goal and home change places. */
void mover_turn(Mover* mover);

#endif

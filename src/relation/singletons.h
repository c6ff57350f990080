/* singletons.h: singleton.c for other modules. */
#ifndef SETTI_SINGLETONS_H
#define SETTI_SINGLETONS_H

#include "sett/singleton.h"

/* Registers the tag of the entity that has the singletons; 0 on failure. */
sett_component setti_singletons_register(sett_world* world);

#endif

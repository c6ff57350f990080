/* undo.h: the internals of a history, for tests. */
#ifndef SETTI_UNDO_H
#define SETTI_UNDO_H

#include "sett/undo.h"

enum {
    SETTI_SLOT_UNDO = 13
};

/* Returns the world that holds a copy of the selection. */
sett_world* setti_undo_mirror(sett_undo* undo);

#endif

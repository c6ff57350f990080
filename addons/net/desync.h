/* desync.h: what differs between two states. */
#ifndef SETTI_NET_DESYNC_H
#define SETTI_NET_DESYNC_H

#include "sett_net.h"

/* Fills in `entity` and `text`. */
void setti_desync_describe(sett_world* first, const sett_world* second, sett_desync* out);

#endif

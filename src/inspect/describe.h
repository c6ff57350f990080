/* describe.h: parts of texts about entities. */
#ifndef SETTI_DESCRIBE_H
#define SETTI_DESCRIBE_H

#include "base/writer.h"
#include "sett/id.h"

struct sett_world;

/* Adds `entity 7:2`. If the entity is not alive, adds the reason and returns false. */
bool setti_describe_entity(setti_writer* text, struct sett_world* world, sett_entity entity);

/* Adds ` "level/tank"` if the entity has a name. */
void setti_describe_path(setti_writer* text, struct sett_world* world, sett_entity entity);

#endif

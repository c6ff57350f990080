/* atlas.h - the levels to play, out of one or more WAD files. */
#ifndef FREEDOOM_ATLAS_H
#define FREEDOOM_ATLAS_H

#include "level.h"

typedef struct Atlas {
    Level* levels;
    uint32_t count, capacity;
    uint32_t rebuilt; /* of these, how many got a new blockmap */
} Atlas;

/* Adds the maps of a file. `names` are the ones wanted, none for all. A map with a name that is
 * there already takes the other's place, as in the game. Returns false, with the reason, if the
 * file or any map wanted is not sound; what was added stays. */
bool atlas_add(Atlas* atlas, const char* path, const char* const* names, uint32_t name_count,
               Fault* fault);

/* Returns the level of this name, or NULL. */
const Level* atlas_find(const Atlas* atlas, const char* name);

void atlas_deinit(Atlas* atlas);

#endif

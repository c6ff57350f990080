/* archive.h - the world in a file: saved, loaded, and recorded tick by tick. */
#ifndef FREEDOOM_ARCHIVE_H
#define FREEDOOM_ARCHIVE_H

#include "simulation.h"

#include "sett/file.h"

/* Saves the state. */
bool archive_save(const Simulation* sim, const char* path, Fault* fault);

/* Puts the state of a file, or the last tick of a recording, in the place of the simulation's. The
 * file must be of the same levels. */
bool archive_load(Simulation* sim, const char* path, Fault* fault);

/* Begins a recording, which holds a snapshot; NULL on failure. */
sett_journal* archive_record(const Simulation* sim, const char* path, Fault* fault);

/* Adds the tick that has just ended. */
bool archive_add(sett_journal* journal, const Simulation* sim, Fault* fault);

#endif

/* archive.h - the world in a file: saved, loaded, and recorded tick by tick. */
#ifndef FREEDOOM_ARCHIVE_H
#define FREEDOOM_ARCHIVE_H

#include "simulation.h"

#include "sett/file.h"
#include "sett/flight.h"

/* Saves the state. */
bool archive_save(const Simulation* sim, const char* path, Fault* fault);

/* Puts the state of a file, or the last tick of a recording, in the place of the simulation's. The
 * file must be of the same levels. */
bool archive_load(Simulation* sim, const char* path, Fault* fault);

/* Begins a recording, which holds a snapshot; NULL on failure. */
sett_journal* archive_record(const Simulation* sim, const char* path, Fault* fault);

/* Adds the tick that has just ended. */
bool archive_add(sett_journal* journal, const Simulation* sim, Fault* fault);

/* Records the last ticks in memory; `path` receives them if the program crashes. One at a time;
 * NULL on failure. */
sett_flight* archive_fly(const Simulation* sim, const char* path, Fault* fault);

/* Adds the tick that has just ended. */
bool archive_fly_on(sett_flight* flight, const Simulation* sim, Fault* fault);

/* Ends it: nothing has crashed. */
void archive_land(sett_flight* flight, const char* path);

#endif

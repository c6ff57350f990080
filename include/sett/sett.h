/* sett.h: all of Sett. It includes:
 *
 *     core.h          world, components, entities, values, commands, queries, groups, sorting
 *     system.h        systems, and sett_progress, which runs them
 *     threads.h       a pool of threads for systems
 *     observer.h      callbacks when components are added, set and removed
 *     queue.h         the same changes in a queue, to be taken once a frame
 *     event.h         events of your own, sent to entities
 *     hierarchy.h     parents and children
 *     name.h          names, and paths of names
 *     relationship.h  links between entities
 *     random.h        random numbers by entity and frame
 *     search.h        queries over several entities, and queries as text
 *     ordered.h       the matches of a query in an order: parents first, by value, by group
 *     prefab.h        entities as templates for others
 *     duplicate.h     copies of entities
 *     singleton.h     components of the world itself
 *     state.h         snapshots, rollback, hashes, deltas
 *     json.h          entities as JSON, and back
 *     members.h       what values consist of
 *     strings.h       strings and lists in values
 *     file.h          saved worlds, journals
 *     flight.h        the last seconds before a crash, as a recording
 *     sparse_set.h    the sparse set by itself, without a world
 *     describe.h      entities and components as text
 *     trend.h         statistics of the last minutes
 *     trace.h         spans of time for a profiler
 *     undo.h          undo and redo for editors
 *     advise.h        advice about storages, measured in your program
 *     platform.h      the system's functions, replaced by your own
 *     layout.h        storages and groups as a text, to save and to apply
 *
 * Each can also be included by itself. If the linker removes unused functions, what you do not call
 * costs nothing.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_SETT_H
#define SETT_SETT_H

#include "sett/core.h"

#include "sett/advise.h"
#include "sett/describe.h"
#include "sett/duplicate.h"
#include "sett/event.h"
#include "sett/file.h"
#include "sett/flight.h"
#include "sett/hierarchy.h"
#include "sett/json.h"
#include "sett/layout.h"
#include "sett/members.h"
#include "sett/name.h"
#include "sett/observer.h"
#include "sett/ordered.h"
#include "sett/platform.h"
#include "sett/prefab.h"
#include "sett/queue.h"
#include "sett/random.h"
#include "sett/relationship.h"
#include "sett/search.h"
#include "sett/singleton.h"
#include "sett/sparse_set.h"
#include "sett/state.h"
#include "sett/strings.h"
#include "sett/system.h"
#include "sett/threads.h"
#include "sett/trace.h"
#include "sett/trend.h"
#include "sett/undo.h"

#endif

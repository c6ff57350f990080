/* script.h - random games, the same for the same seed on every machine: played, rewound now and
 * then, and played on. */
#ifndef FREEDOOM_SCRIPT_H
#define FREEDOOM_SCRIPT_H

#include "session.h"

#define SCRIPT_TICKS 2048u /* of a script, at most */

typedef struct Script {
    uint64_t chance;
    Input input;
    uint32_t rewinds;
    uint64_t hashes[SCRIPT_TICKS + 1]; /* of the world, by tick: of the game that remained */
    Order orders[SCRIPT_TICKS];        /* that led there */
} Script;

/* Plays on from the session's beginning up to a tick. After each rewind the world must be what it
 * was at that tick: if not, that is the fault. The script is large: not for the stack. */
bool script_play(Script* script, Session* session, uint64_t seed, uint32_t ticks, Fault* fault);

/* Plays what remained once more, without any rewind, in a world that is as it was at first. Every
 * tick must end as before. */
bool script_replay(const Script* script, Simulation* sim, uint32_t ticks, Fault* fault);

#endif

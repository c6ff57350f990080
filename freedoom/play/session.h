/* session.h - a game with a human player, without a window: it goes on, back, and on again.
 *
 * What is needed to go back: a snapshot a second, and the order of each tick, which is all that
 * came from outside. To show a second backwards it is played again from its snapshot; while one is
 * shown, the one before it is made, some ticks a frame. What was seen in the last four seconds is
 * there in any case.
 *
 * Invariant: the world is at tick T = sim.dice.tick; snapshots lie at the multiples of 35 up to
 * `ring_tick`; sights of all ticks from `first_seen` to `last_seen` can be shown. */
#ifndef FREEDOOM_SESSION_H
#define FREEDOOM_SESSION_H

#include "human.h"
#include "sight.h"

#include "sett/state.h"

#define SESSION_SECONDS 60u /* that one can go back */
#define SESSION_SIGHTS (SIMULATION_TICKS_A_SECOND * 4u)
#define SESSION_TICKS (SIMULATION_TICKS_A_SECOND * (SESSION_SECONDS + 2u))
#define SESSION_BYTES ((size_t)300 << 20) /* the most that snapshots of all maps keep */

typedef enum SessionMode {
    SESSION_PLAYS,
    SESSION_REWINDS, /* as long as the key is held */
    SESSION_RETURNS, /* plays from a snapshot to a tick shortly before the one that was shown */
    SESSION_KILLED,  /* shows the last seconds from the killer's eyes */
} SessionMode;

/* What happened in all, in whichever of the pasts. */
typedef struct SessionCount {
    uint32_t kills, doors, items, rewinds, replayed, kill_cams;
} SessionCount;

/* Other humans, whose machines play the same game: together.h. With them there is no
 * rewinding, and all stay on one map. All zeroes: there are none. */
typedef struct SessionOthers {
    /* Plays the next tick with this input; *self becomes the human at this machine. Returns 1; 0 if
     * it waits for the others; -1 if it is over. */
    int (*advance)(void* user, Input input, sett_entity* self);
    /* Writes a line for the display: what happened last, or `costs`, how the network does. */
    void (*tell)(void* user, bool costs, char* out, size_t size);
    void* user;
} SessionOthers;

typedef struct Session {
    Simulation* sim;
    SessionOthers others;
    sett_query* players;
    SightQueries queries;
    sett_ring* ring;
    uint32_t ring_tick; /* of the latest snapshot */
    SessionMode mode;
    Order order;      /* of the next tick */
    sett_entity self; /* null while dead */
    sett_entity body; /* the last one */
    Facing facing;    /* of the body */

    Order orders[SESSION_TICKS];       /* by tick */
    sett_entity selves[SESSION_TICKS]; /* by tick: who the human was at its end, or his corpse */
    Sight sights[SESSION_SIGHTS];      /* by tick: what is seen at its end */
    uint32_t first_seen, last_seen;

    float shown;                 /* tick, while it rewinds and returns */
    float released;              /* what was shown when the key was let go */
    uint32_t start, target;      /* ticks: the world returns from one to the other */
    Sight ghosts[SESSION_TICKS]; /* of the future that was given up, by tick; the living only */
    uint32_t ghost_first, ghost_last; /* none if first > last */

    uint32_t died; /* tick of the last death, 0: none to be shown */
    sett_entity killer;
    sett_entity victim;

    uint64_t deadline; /* of playing ticks again in this frame, host_nanoseconds(); 0: none */

    SessionCount done;
    size_t kept;                          /* the most bytes that snapshots kept */
    uint64_t snapshot_time, restore_time; /* the longest, ns */
} Session;

/* Takes part as player 1 of a map. The session is large: not for the stack. */
bool session_open(Session* session, Simulation* sim, uint32_t arena, Fault* fault);

/* Plays with others from the first tick on, as this player. */
void session_join(Session* session, SessionOthers others, uint16_t number);
void session_close(Session* session);

/* One tick of the clock on the wall: plays one of the game, with this input, or goes on with the
 * killer's view. To be called when the mode is PLAYS or KILLED. */
bool session_tick(Session* session, Input input, Fault* fault);

/* Begins the next tick before it is due, with this input, or goes on with it: see simulation_begin.
 * Only while the mode is PLAYS; session_tick, whose input then counts for nothing, is to end it
 * before anything else is called. */
bool session_begin_tick(Session* session, Input input, float share, Fault* fault);

/* Begins to go back, goes back by so many ticks, and ends. Between them the world is made ready, at
 * most `budget` ticks a call. */
bool session_rewind_begin(Session* session, Fault* fault);
bool session_rewind(Session* session, float ticks, uint32_t budget, Fault* fault);
bool session_rewind_end(Session* session, Fault* fault);

/* While the mode is RETURNS: plays up to `budget` ticks. Then the mode is PLAYS. */
bool session_return(Session* session, uint32_t budget, Fault* fault);

/* Shows how the player died, if another killed him. */
bool session_kill_cam(Session* session, Fault* fault);

/* Another map, from the next tick on. */
void session_go_to(Session* session, uint32_t arena);

/* The map that the human is on. */
uint32_t session_arena(const Session* session);

/* What is to be shown: two sights, and the share of the second. `share` is how far the clock is
 * between two ticks. Returns false before the first tick. */
bool session_show(const Session* session, float share, const Sight** from, const Sight** to,
                  float* mix);

/* The ghosts of the tick that is shown, or NULL. */
const Sight* session_ghosts(const Session* session);

#endif

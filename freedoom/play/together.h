/* together.h - two to four humans in one game, each at his own machine. Only what they press
 * is sent (sett::net): each machine plays all ticks, guesses what has not arrived, and goes back
 * when a guess was wrong.
 *
 *     player 0 is the host, and the others know only his address; what they send to each other goes
 *     through him:            1 <---> 0 <---> 2
 *
 * The player of one who leaves decides for himself; he can come again. */
#ifndef FREEDOOM_TOGETHER_H
#define FREEDOOM_TOGETHER_H

#include "session.h"

#include "sett_net.h"

typedef struct TogetherDesc {
    uint32_t players; /* 2 to COMPONENT_PLAYERS */
    uint32_t local;   /* 0: the host */
    uint64_t version; /* of the game: who has another one, other maps among them, is rejected */
    sett_net_transport transport;     /* to the host; of the host: to all */
    uint64_t (*clock_us)(void* user); /* NULL: the system's */
    void* clock_user;
} TogetherDesc;

typedef struct Together {
    Simulation* sim;
    sett_query* humans;
    sett_session* session;
    TogetherDesc desc;
    sett_entity selves[COMPONENT_PLAYERS]; /* null: is dead, or not there */
    char news[100];                        /* what happened last, for the display */
    char why[400];                         /* why it is over */
} Together;

/* The player who sent a datagram, if it does not lie. */
static inline uint32_t together_sender(const void* datagram)
{
    return *(const unsigned char*)datagram;
}

/* The world is that of a new game, of any state if the game runs already; all are on its first map.
 * `together` may not move. */
bool together_open(Together* together, Simulation* sim, const TogetherDesc* desc, Fault* fault);
void together_close(Together* together);

/* Plays the next tick with this input, if the others are not too late for it. */
sett_session_state together_advance(Together* together, Input input);

/* For session_join. */
SessionOthers together_others(Together* together);

#endif

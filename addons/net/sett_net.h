/* sett_net.h: games over a network. Link sett::net.
 *
 *     sync test    plays each frame again and names what differs     sett_sync_test
 *     session      2 to 8 players and spectators, with rollback      sett_session_*
 *     transport    functions that send and receive datagrams         sett_net_transport
 *     link         a simulated network, for tests                    sett_net_link_*
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_NET_H
#define SETT_NET_H

#include "sett/file.h"
#include "sett/state.h"

#ifdef __GNUC__ /* also where the rest of this add-on is hidden in a shared library */
#pragma GCC visibility push(default)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------ sync test */

/* A difference between two states that should be equal. */
typedef struct sett_desync {
    uint64_t frame;     /* the first frame after which the states differ, counted from 0 */
    sett_entity entity; /* null if no entity differs */
    char text[256];     /* entity, component and member, with both values */
} sett_desync;

/* Plays one frame. */
typedef void (*sett_play_fn)(sett_world* world, uint64_t frame, void* user);

/* Tests whether a game can be rolled back: whether a frame that is played again gives the same
 * state. After each frame it goes back up to `distance` frames, plays them again, and compares
 * hashes (sett_state_hash). A difference comes from state outside of the world: a static variable,
 * the clock, an address, a type with SETT_SAVE_SKIP, a stray write (state.h).
 *
 *     sett_desync first;
 *     if (sett_sync_test(world, 1000, 8, play, NULL, &first) != SETT_OK) { puts(first.text); }
 *
 *   frames    how many; from 0 on
 *   distance  frames to go back, at least 1
 *   user      passed to `play`
 *   first     receives the first difference, or all zeroes. "first world" in its text is the first
 *             play. Can be NULL
 * Returns OK if there is no difference; the world is then `frames` frames further. Returns INVALID
 * with the first difference; the world is then as after the first play of that frame.
 * Fails: ARGUMENT (`distance` is 0), OUT_OF_MEMORY, or as sett_snapshot_take and sett_state_hash.
 * Does not see: values without bytes that are hashed (sett_world_hash), because nothing compares
 * them.
 * Cost: each frame is played `distance` + 1 times and hashed as often.
 * Threads: writer. Since: 0.2 */
sett_status sett_sync_test(sett_world* world, uint32_t frames, uint32_t distance, sett_play_fn play,
                           void* user, sett_desync* first);

/* ------------------------------------------------------------------------------------ transport */

/* The most bytes of a datagram. */
#define SETT_NET_DATAGRAM 1200

/* Functions that send and receive datagrams: they can be lost, doubled, late and in another order,
 * but not in parts. Both are required. `peer` numbers the machines; the transport knows their
 * addresses. */
typedef struct sett_net_transport {
    void* user; /* passed to both */
    /* Sends 1 to SETT_NET_DATAGRAM bytes. */
    void (*send)(void* user, uint32_t peer, const void* bytes, uint32_t size);
    /* Receives the next datagram. Returns its bytes; 0 if there is none. Longer ones than
     * `capacity` are dropped. */
    uint32_t (*receive)(void* user, uint32_t* peer, void* out, uint32_t capacity);
} sett_net_transport;

/* -------------------------------------------------------------------------------------- session */

/* A session: 2 to 8 players, each at a machine with a world of its own. Only inputs are sent. Each
 * machine plays all frames: where an input has not arrived it predicts it; when another one
 * arrives, it goes back and plays these frames again. The game gives inputs and a function that
 * plays one frame, and nothing else:
 *
 *     static void play(sett_world* world, const sett_inputs* inputs, void* user)
 *     {
 *         const Keys* keys = sett_input(inputs, 0);    player 0's
 *         ...
 *         sett_progress(world, 1.0f / 60);
 *     }
 *
 *     sett_session* session = sett_session_create(world, &(sett_session_desc){
 *         .players = 2, .local = 0, .input_size = sizeof(Keys), .play = play,
 *         .transport = transport});
 *     for (each frame) {
 *         sett_session_advance(session, &keys);
 *         draw(world);
 *     }
 *
 * Rules for the game. All machines begin with the same state, have registered the same types and
 * created the same systems. `play` depends on the world and the inputs only: sett_sync_test finds
 * what else it depends on. Between calls of sett_session_advance the program only reads the world,
 * and opens no loop across them.
 *
 * Each peer knows the whole world: a player can read what the game does not show. Nothing is
 * encrypted or signed. A peer's address is proven before it gets more bytes than it sent, and
 * datagrams carry a number that only both sides know; this keeps out those who cannot read the
 * traffic, and no others. A player can end the game for all by sending wrong hashes. */

#define SETT_SESSION_PLAYERS 8
#define SETT_SESSION_SPECTATORS 8
#define SETT_SESSION_SPECTATOR 0xFFFFFFFFu /* as `local`: a machine without a player */

/* The inputs of a frame. */
typedef struct sett_inputs {
    uint64_t frame; /* from 0 on */
    uint32_t players;
    uint32_t present;           /* bits: players that are in the game in this frame */
    uint32_t predicted;         /* bits: players whose input is a prediction. Play sounds when it is
                                 * 0, or be ready to end them */
    bool again;                 /* the frame was played before, with other inputs */
    uint32_t size;              /* bytes of an input */
    const unsigned char* bytes; /* of all players; zeroes of one that is not present */
} sett_inputs;

/* Returns the input of a player. Threads: any. Since: 0.2 */
static inline const void* sett_input(const sett_inputs* inputs, uint32_t player)
{
    return inputs->bytes + (size_t)player * inputs->size;
}

typedef enum sett_session_event_kind {
    SETT_SESSION_SYNCHRONISED, /* all players are connected, or the state of a running game is here:
                                * frames begin */
    SETT_SESSION_INTERRUPTED,  /* nothing was heard of the player for some time */
    SETT_SESSION_RESUMED,      /* it is heard again */
    SETT_SESSION_GONE,    /* from `frame` on the player is not present; its input is zeroes. It can
                          * join again. Player = local: this machine; it joins again by itself */
    SETT_SESSION_JOINED,  /* from `frame` on the player is present again */
    SETT_SESSION_AHEAD,   /* this machine is ahead, and waits a frame for the others */
    SETT_SESSION_DESYNC,  /* the states differ: `text` has frame, entity, component and member;
                          * "first world" is this machine. The session has ended */
    SETT_SESSION_REJECTED /* the peers do not fit together: `text` says why, and names the type */
} sett_session_event_kind;

typedef struct sett_session_event {
    sett_session_event_kind kind;
    uint32_t player; /* or the number of the peer */
    uint64_t frame;
    const char* text; /* valid during the call; "" for most */
} sett_session_event;

/* Options. All zeroes is the default where one is named. */
typedef struct sett_session_desc {
    uint32_t players; /* 2 to SETT_SESSION_PLAYERS */
    /* the player at this machine, or SETT_SESSION_SPECTATOR. Several players at one machine share
     * one input */
    uint32_t local;
    uint32_t input_size;     /* bytes of a player's input, 1 to 64 */
    uint32_t input_delay;    /* frames from an input to its effect, up to 32; see
                              * sett_session_set_delay. Default: 0 */
    uint32_t max_prediction; /* frames that are played ahead of the inputs of others, up to 32;
                              * beyond it the session waits. Default: 8 */
    uint32_t hash_every;     /* frames from one comparison of states to the next; default: 10 */
    uint64_t game_version;   /* peers with another number are rejected */
    void (*play)(sett_world* world, const sett_inputs* inputs, void* user); /* plays one frame */
    /* Predicts the input of a player: writes input_size bytes.
     *   last   its latest input that is known; zeroes at the beginning
     *   ahead  how many frames later the predicted one is
     * Default: `last` */
    void (*predict)(uint32_t player, const void* last, uint32_t ahead, void* out, void* user);
    void (*event)(const sett_session_event* event, void* user); /* default: none */
    void* user;                                                 /* passed to all callbacks */
    /* The numbers of its peers are those of the players; spectators have numbers from `players` on,
     * below SETT_SESSION_PLAYERS + SETT_SESSION_SPECTATORS. */
    sett_net_transport transport;
    uint64_t (*clock_us)(void* user); /* microseconds that do not go back; default: the system's */
    uint32_t interrupted_ms;          /* default: 500 */
    uint32_t timeout_ms;              /* until a player that is not heard is gone; default: 5,000 */
    size_t state_limit;               /* bytes of a state that is received; default: 64 MB */
    /* after a desync both states are written to "<path>_mine.sett" and "<path>_peer<n>.sett", for
     * the inspector; default: not written */
    const char* desync_path;
} sett_session_desc;

typedef enum sett_session_state {
    SETT_SESSION_PLAYED, /* the world is a frame further */
    SETT_SESSION_WAIT,   /* it is not: peers are missing, late, or behind */
    SETT_SESSION_OVER    /* it will not go on: a desync, a rejection, or memory ran out */
} sett_session_state;

typedef struct sett_session_stats {
    uint64_t frame;      /* the next one to be played */
    int64_t final_frame; /* no input of frames up to it can change; -1: none */
    uint64_t replayed;   /* frames that were played again */
    uint64_t rollbacks;
    uint32_t deepest;      /* frames of the longest rollback */
    uint32_t longest_wait; /* calls of sett_session_advance in a row that waited for inputs */
    uint64_t waits;
    uint64_t datagrams, bytes;              /* sent */
    uint64_t rejected;                      /* datagrams received that were not valid */
    uint64_t compared;                      /* hashes of other peers that were equal */
    uint64_t hash;                          /* of the state before frame `hash_frame` */
    int64_t hash_frame;                     /* the latest final frame that was hashed; -1: none */
    uint64_t chain;                         /* a hash of all these hashes since the session began */
    uint32_t present;                       /* bits: players */
    uint32_t ping_us[SETT_SESSION_PLAYERS]; /* there and back; 0: not known */
} sett_session_stats;

typedef struct sett_session sett_session;

/* Creates a session. Its peers are not connected yet.
 *   world  in the state before frame 0; of one that joins a running game, any state
 * Returns NULL if memory runs out, or an option is wrong (the log of the world says which).
 * Threads: writer. Since: 0.2 */
sett_session* sett_session_create(sett_world* world, const sett_session_desc* desc);

/* Says good-bye, drops the snapshots and frees the session. The world stays. NULL is fine.
 * Threads: writer. Since: 0.2 */
void sett_session_destroy(sett_session* session);

/* Receives, goes back and plays again if an input was predicted wrongly, plays the next frame if
 * that is possible, and sends. Call it at the rate of the game's frames, also while it waits or is
 * over: other peers need its answers.
 *   local_input  input_size bytes: the input of this machine's player; of a spectator: NULL
 * Cost: the frames that are played, and O(values that differ) for each comparison of states.
 * Threads: writer. Since: 0.2 */
sett_session_state sett_session_advance(sett_session* session, const void* local_input);

/* Changes the delay of the inputs of this machine, up to 32 frames. While it grows the present
 * input is repeated; while it shrinks inputs are left out. Threads: writer. Since: 0.2 */
void sett_session_set_delay(sett_session* session, uint32_t frames);

/* Fills `stats`. Threads: writer. Since: 0.2 */
void sett_session_stats_get(const sett_session* session, sett_session_stats* stats);

/* ----------------------------------------------------------------------------------------- link */

/* The most endpoints of a link. */
#define SETT_NET_ENDPOINTS 64

/* How a link treats datagrams. All zeroes: all arrive, in order, at once. */
typedef struct sett_net_link_desc {
    uint64_t seed;       /* equal seeds and calls give equal results, on every machine */
    uint32_t latency_us; /* one way */
    uint32_t jitter_us;  /* the latency varies by up to this much, both ways */
    uint32_t loss;       /* lost datagrams, of 10,000 */
    uint32_t duplicate;  /* doubled datagrams, of 10,000 */
    uint32_t reorder;    /* datagrams, of 10,000, that are late by another latency + 20 ms */
    /* that an endpoint can send, with 28 bytes of IP and UDP for each datagram. What would wait
     * over 500 ms is lost. Default: no limit */
    uint32_t bytes_per_second;
} sett_net_link_desc;

typedef struct sett_net_link_stats {
    uint64_t sent;  /* datagrams */
    uint64_t bytes; /* in them, with 28 bytes of IP and UDP each */
    uint64_t lost;
    uint64_t duplicated;
} sett_net_link_stats;

/* A simulated network of up to SETT_NET_ENDPOINTS endpoints. It computes with integers only, and
 * its clock stands still until sett_net_link_advance. */
typedef struct sett_net_link sett_net_link;

/* Creates a link; its clock is at 1 s.
 *   desc  NULL: all zeroes
 * Returns NULL if memory runs out. Threads: any. Since: 0.2 */
sett_net_link* sett_net_link_create(const sett_net_link_desc* desc);

/* Frees a link. NULL is fine. Threads: one at a time. Since: 0.2 */
void sett_net_link_destroy(sett_net_link* link);

/* Changes how datagrams are treated from now on. `seed` is ignored. Threads: one at a time.
 * Since: 0.2 */
void sett_net_link_set(sett_net_link* link, const sett_net_link_desc* desc);

/* Cuts an endpoint off, or connects it again. What it sends is lost, and what arrives for it.
 * Threads: one at a time. Since: 0.2 */
void sett_net_link_cut(sett_net_link* link, uint32_t endpoint, bool cut);

/* Moves the clock on. Threads: one at a time. Since: 0.2 */
void sett_net_link_advance(sett_net_link* link, uint64_t us);

/* Returns the clock, in microseconds. Threads: one at a time. Since: 0.2 */
uint64_t sett_net_link_now(const sett_net_link* link);

/* Returns the functions of an endpoint; `peer` is another endpoint. Its `user` is valid until the
 * link is destroyed. `endpoint` is below SETT_NET_ENDPOINTS. Threads: one at a time. Since: 0.2 */
sett_net_transport sett_net_link_transport(sett_net_link* link, uint32_t endpoint);

/* Fills `stats`, of all endpoints together. Threads: one at a time. Since: 0.2 */
void sett_net_link_stats_get(const sett_net_link* link, sett_net_link_stats* stats);

#ifdef __cplusplus
}
#endif

#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#endif

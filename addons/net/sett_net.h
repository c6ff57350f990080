/* sett_net.h: games over a network. Link sett::net.
 *
 *     sync test    plays each frame again and names what differs     sett_sync_test,
 *                                                                    sett_session_sync_test
 *     session      2 to 8 players and spectators, with rollback      sett_session_*
 *     server       many clients, each with what it may see           sett_server_*, sett_client_*
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
 * addresses.
 *
 * NULL in place of a session, server, client or link: the call does nothing, and a debug build
 * names it on stderr; what it returns is 0, NULL, OVER or a transport that no session takes.
 *
 * Sessions and servers encrypt and sign nothing. A peer's address is proven before it gets more
 * bytes than it sent, and datagrams carry a number that only both sides know: this keeps out those
 * who cannot read the traffic, and no others. */
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
 * created the same systems. `play` depends on the world and the inputs only:
 * sett_session_sync_test finds what else it depends on. Between calls of sett_session_advance the
 * program only reads the world, and opens no loop across them: debug builds log what was written
 * there (not values with SETT_SAVE_SKIP, which are no part of the state). A world has one session
 * at a time.
 *
 * Each peer knows the whole world: a player can read what the game does not show, and can end the
 * game for all by sending wrong hashes. */

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
    SETT_SESSION_INTERRUPTED,  /* nothing was heard of the player for some time. A spectator hears
                                * one player only; when that is gone it takes another one, with
                                * SYNCHRONISED */
    SETT_SESSION_RESUMED,      /* it is heard again */
    SETT_SESSION_GONE,     /* from `frame` on the player is not present; its input is zeroes. It can
                          * join again. Player = local: this machine; it joins again by itself,
                          * also if it stood still for long */
    SETT_SESSION_JOINED,   /* from `frame` on the player is present again */
    SETT_SESSION_AHEAD,    /* this machine is ahead, and waits a frame for the others */
    SETT_SESSION_DESYNC,   /* the states differ: `text` has frame, entity, component and member;
                          * "first world" is this machine. The session has ended */
    SETT_SESSION_REJECTED, /* the peers do not fit together: `text` says why, and names the type.
                            * The session has ended */
    SETT_SESSION_FAILED,   /* the session has ended for another reason: `text` says which */
    SETT_SESSION_WAITING   /* once every timeout_ms: this machine waits for `player`, who has not
                            * answered (a spectator: for any, and `player` is `local`). `text` says
                            * what to look at. Or once for a state that did not arrive in time. A
                            * session waits as long as you call it */
} sett_session_event_kind;

/* Returns the name of a kind of event, such as "GONE". Threads: any. Since: 0.3 */
const char* sett_session_event_name(sett_session_event_kind kind);

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
    /* bytes of a state that is received, beyond which the session fails; default: 64 MB. A state
     * has 3,072 frames to arrive: 51 s at 60 frames a second. For that, sessions keep 8,192 frames
     * of inputs twice: players * input_size * 16,384 bytes */
    size_t state_limit;
    /* after a desync both states are written to "<path>_mine.sett" and "<path>_peer<n>.sett", for
     * the inspector; default: not written */
    const char* desync_path;
} sett_session_desc;

typedef enum sett_session_state {
    SETT_SESSION_PLAYED, /* the world is a frame further */
    SETT_SESSION_WAIT,   /* it is not: peers are missing, late, or behind */
    SETT_SESSION_OVER    /* it will not go on: DESYNC, REJECTED or FAILED has said why */
} sett_session_state;

typedef struct sett_session_stats {
    uint64_t frame;      /* the next one to be played */
    int64_t final_frame; /* no input of frames up to it can change; -1: none */
    uint64_t replayed;   /* frames that were played again */
    uint64_t rollbacks;
    uint32_t deepest;      /* frames of the longest rollback */
    uint32_t longest_wait; /* calls of sett_session_advance in a row that waited for inputs */
    uint64_t waits;
    uint64_t datagrams, bytes; /* sent */
    uint64_t rejected;         /* datagrams received that were not valid */
    uint64_t compared;         /* hashes of other peers that were equal */
    /* To compare machines in a log, compare `hash` of equal `hash_frame`: each machine has hashed
     * another frame last. `chain` is a hash of all these hashes since the session began here: two
     * machines that began together and have equal `hash_frame` have equal ones, so one number at
     * the end of a test says that no frame differed. One that joined later has another */
    uint64_t hash;      /* of the state before frame `hash_frame` */
    int64_t hash_frame; /* the latest final frame that was hashed; -1: none */
    uint64_t chain;
    uint32_t present;                       /* bits: players */
    uint32_t ping_us[SETT_SESSION_PLAYERS]; /* there and back; 0: not known */
} sett_session_stats;

typedef struct sett_session sett_session;

/* Creates a session. Its peers are not connected yet.
 *   world  in the state before frame 0; of one that joins a running game, any state
 * Returns NULL if memory runs out, an option is wrong, or the world has a session (the log of the
 * world says which). Threads: writer. Since: 0.2 */
sett_session* sett_session_create(sett_world* world, const sett_session_desc* desc);

/* Says good-bye, drops the snapshots and frees the session. The world stays. NULL is fine.
 * Threads: writer. Since: 0.2 */
void sett_session_destroy(sett_session* session);

/* Receives, goes back and plays again if an input was predicted wrongly, plays the next frame if
 * that is possible, and sends. Call it at the rate of the game's frames, also while it waits. When
 * it is over call it for timeout_ms more: other peers fetch the state from here, to say what
 * differs.
 *   local_input  input_size bytes: the input of this machine's player; of a spectator it is not
 *                read. NULL of a player is logged, and the call does nothing
 * Cost: the frames that are played, and O(values that differ) for each comparison of states.
 * Threads: writer. Since: 0.2 */
sett_session_state sett_session_advance(sett_session* session, const void* local_input);

/* Changes the delay of the inputs of this machine, up to 32 frames. While it grows the present
 * input is repeated; while it shrinks inputs are left out. Threads: writer. Since: 0.2 */
void sett_session_set_delay(sett_session* session, uint32_t frames);

/* sett_sync_test with the function of a session: plays frames with inputs that are drawn (the same
 * ones each time that a frame is played), with players that are away for a while, and with
 * `predicted` and `again` as in a rollback. Run it before the first session:
 *
 *     sett_desync first;
 *     if (sett_session_sync_test(world, &desc, 1000, 8, &first) != SETT_OK) { puts(first.text); }
 *
 *   desc                     `play`, `user`, `players` and `input_size` are of use. `play` gets any
 *                            bytes as inputs, as a hostile player can send them
 *   frames, distance, first  as of sett_sync_test
 * Returns, fails and costs: as sett_sync_test; ARGUMENT too if one of these options is wrong.
 * Threads: writer. Since: 0.3 */
sett_status sett_session_sync_test(sett_world* world, const sett_session_desc* desc,
                                   uint32_t frames, uint32_t distance, sett_desync* first);

/* Fills `stats`. Threads: writer. Since: 0.2 */
void sett_session_stats_get(const sett_session* session, sett_session_stats* stats);

/* ------------------------------------------------------------------------------------- server */

/* A server plays the game, and sends each client what that client may see. For each client it has a
 * *view*: a small world with the entities in the client's sight, and of them the components of the
 * listed types. What is not in the view is not sent. A datagram leads from the view that the client
 * has acknowledged to the present one, so nothing has to arrive.
 *
 *     static sett_status register_types(sett_world* world)
 *     {
 *         return SETT_REGISTER_ALL(world, GAME);
 *     }
 *     static void see(sett_sight* sight, sett_world* world, uint32_t client, void* user)
 *     {
 *         SETT_FOR(bodies, b, i) {
 *             ... if it is near: sett_sight_add(sight, sett_batch_entity(b, i), 1);
 *         }
 *     }
 *
 *     sett_server* server = sett_server_create(world, &(sett_server_desc){
 *         .clients = 16, .register_types = register_types, .types = sent, .type_count = 2,
 *         .input_size = sizeof(Keys), .see = see, .transport = transport});
 *     for (each tick) {
 *         sett_server_receive(server);
 *         ... steer by sett_server_input(server, client) ...
 *         sett_progress(world, 1.0f / 20);
 *         sett_server_send(server);
 *     }
 *
 * Handles in values are sent as they are; links (relationship.h, hierarchy.h) only if both ends are
 * in sight. A client can say only two things: which view it has, and its inputs. So it can slow
 * down itself, and nothing else. */

#define SETT_SERVER_CLIENTS 1024 /* the most clients */
#define SETT_SERVER_TYPES 64     /* the most types that are sent */

/* What a client sees in this tick; filled by sett_server_desc.see. */
typedef struct sett_sight sett_sight;

/* Adds an entity to the sight. Entities that are not added leave the view.
 *   priority  above 0. If not all changes fit into the budget, priorities add up from tick to tick
 *             until the entity is sent; entities with the highest sums are sent first
 * Cost: O(1). Threads: writer. Since: 0.2 */
void sett_sight_add(sett_sight* sight, sett_entity entity, float priority);

typedef enum sett_server_event {
    SETT_SERVER_JOINED, /* the client is connected */
    SETT_SERVER_LEFT    /* it said good-bye, or was not heard for timeout_ms, or has failed */
} sett_server_event;

/* Options. All zeroes is the default where one is named. */
typedef struct sett_server_desc {
    uint32_t clients; /* the most; numbers of peers are below it; up to SETT_SERVER_CLIENTS */
    /* registers the types in a new world, and does nothing else. Views are such worlds */
    sett_status (*register_types)(sett_world* world);
    /* the types that are sent, up to SETT_SERVER_TYPES; copied. Not "Name" (siblings have different
     * names, and a sibling's parent can be out of sight), and no type with SETT_SAVE_SKIP */
    const sett_component* types;
    uint32_t type_count;
    uint32_t input_size; /* bytes of a client's input, up to 64; default: no inputs */
    /* bytes of a datagram to a client, for each tick; up to SETT_NET_DATAGRAM, which is the
     * default */
    uint32_t budget;
    uint64_t game_version; /* clients with another number are rejected */
    /* adds what a client sees. It only reads the world; required */
    void (*see)(sett_sight* sight, sett_world* world, uint32_t client, void* user);
    void (*event)(sett_server_event event, uint32_t client, void* user); /* default: none */
    void* user;                                                          /* passed to callbacks */
    sett_net_transport transport;     /* the numbers of its peers are those of the clients */
    uint64_t (*clock_us)(void* user); /* microseconds that do not go back; default: the system's */
    uint32_t timeout_ms;              /* default: 5,000 */
} sett_server_desc;

typedef struct sett_server_stats {
    bool connected;
    uint64_t tick;             /* number of calls of sett_server_send */
    uint64_t acknowledged;     /* the latest tick that the client has */
    uint64_t input;            /* number of the input of this tick */
    uint32_t ping_us;          /* there and back; 0: not known */
    uint32_t entities;         /* in the view */
    uint32_t waiting;          /* entities that changed, and did not fit into the budget */
    uint64_t datagrams, bytes; /* sent to the client */
    uint64_t rejected;         /* datagrams from the client that were not valid */
    size_t memory;             /* bytes that the view has from the allocator */
} sett_server_stats;

typedef struct sett_server sett_server;

/* Creates a server.
 * Returns NULL if memory runs out, or an option is wrong (the log of the world says which).
 * Threads: writer. Since: 0.2 */
sett_server* sett_server_create(sett_world* world, const sett_server_desc* desc);

/* Says good-bye to all clients and frees the server. The world stays. NULL is fine.
 * Threads: writer. Since: 0.2 */
void sett_server_destroy(sett_server* server);

/* Receives what has arrived, and takes the next input of each client. Call it before each tick.
 * Threads: writer. Since: 0.2 */
void sett_server_receive(sett_server* server);

/* Returns the input of a client for this tick: input_size bytes; valid until the next
 * sett_server_receive. If none has arrived it is the one before, at first zeroes. Returns NULL if
 * the client is not connected. Threads: writer. Since: 0.2 */
const void* sett_server_input(const sett_server* server, uint32_t client);

/* Sends each client the changes in its view. Call it after each tick. Begins a new tick of the
 * world. What does not fit into a datagram (one large value; many entities that leave the sight at
 * once) is cut into parts, which are sent until all have arrived; until then the view stands still.
 * Cost for each client: `see`, and O(entities in sight x types).
 * Threads: writer. Since: 0.2 */
void sett_server_send(sett_server* server);

/* Ends the connection of a client. Threads: writer. Since: 0.2 */
void sett_server_drop(sett_server* server, uint32_t client);

/* Fills `stats` for a client. Threads: writer. Since: 0.2 */
void sett_server_stats_get(const sett_server* server, uint32_t client, sett_server_stats* stats);

/* ------------------------------------------------------------------------------------- client */

/* A client of a server. The entities of the server appear in its world, under their handles, with
 * the components of the listed types. The program can add components of other types to them, and
 * create entities of its own. What it writes into received components lasts until the server sends
 * them again.
 *
 *     sett_client* client = sett_client_create(world, &(sett_client_desc){
 *         .register_types = register_types, .types = sent, .type_count = 2,
 *         .input_size = sizeof(Keys), .own = own, .predict = steer, .transport = transport});
 *     for (each tick) {
 *         sett_client_advance(client, &keys);
 *         draw(world);
 *     }
 *
 * The client's own entities (a player's ship) do not wait for the server: `predict` moves them at
 * once. When a state arrives they get its values, and `predict` plays the inputs that the server
 * had not played then. */

/* Options. All zeroes is the default where one is named. */
typedef struct sett_client_desc {
    uint32_t server; /* the number of the transport's peer; default: 0 */
    /* as of the server: sett_server_desc */
    sett_status (*register_types)(sett_world* world);
    const sett_component* types;
    uint32_t type_count;
    uint32_t input_size;
    uint64_t game_version;
    /* the server's entities have lower indices, the world's own begin here (sett_entity_set_range);
     * a multiple of 64. Default: 1,048,576 */
    uint32_t first_own;
    /* returns whether this client predicts the entity. Default: none */
    bool (*own)(const sett_world* world, sett_entity entity, void* user);
    /* plays one tick of the client's own entities; called again for the same input when a state
     * arrives. Not called while the client has no own entities */
    void (*predict)(sett_world* world, const void* input, void* user);
    /* types of `types` whose float members are shown late, and between two states, of all entities
     * but the client's own. All their other members are those of the latest state; so do not write
     * these components. The list must stay. Default: none */
    const sett_component* smooth;
    uint32_t smooth_count;
    uint32_t smooth_delay; /* ticks; default: 2 */
    void* user;            /* passed to callbacks */
    sett_net_transport transport;
    uint64_t (*clock_us)(void* user); /* microseconds that do not go back; default: the system's */
    uint32_t timeout_ms;              /* default: 5,000 */
    size_t state_limit;               /* bytes of a datagram in parts; default: 16 MB */
} sett_client_desc;

typedef enum sett_client_state {
    SETT_CLIENT_CONNECTS, /* no state has arrived */
    SETT_CLIENT_PLAYS,
    SETT_CLIENT_OVER /* it will not go on: sett_client_message says why */
} sett_client_state;

typedef struct sett_client_stats {
    uint32_t number;           /* of this client, at the server */
    uint64_t tick;             /* of the latest state that was received */
    uint64_t applied;          /* states */
    uint64_t skipped;          /* states that came late, or twice */
    uint64_t failed;           /* states that did not fit: must be 0 */
    uint64_t rejected;         /* datagrams that were not valid */
    uint64_t corrected;        /* states that found own entities elsewhere than predicted */
    uint32_t entities;         /* received, and in the world */
    uint32_t ping_us;          /* there and back; 0: not known */
    uint64_t datagrams, bytes; /* received */
} sett_client_stats;

typedef struct sett_client sett_client;

/* Creates a client. It is not connected yet.
 *   world  without entities below first_own
 * Returns NULL if memory runs out, or an option is wrong (the log of the world says which).
 * Threads: writer. Since: 0.2 */
sett_client* sett_client_create(sett_world* world, const sett_client_desc* desc);

/* Says good-bye and frees the client. The world stays, with the received entities. NULL is fine.
 * Threads: writer. Since: 0.2 */
void sett_client_destroy(sett_client* client);

/* Receives, brings the world to the latest state, predicts, and sends the input. Call it at the
 * rate of the server's ticks.
 *   input  input_size bytes. NULL is logged, and the call does nothing, unless input_size is 0
 * Callbacks run in the world as in sett_selection_apply.
 * Threads: writer. Since: 0.2 */
sett_client_state sett_client_advance(sett_client* client, const void* input);

/* Shows smooth components between this tick and the next, for pictures that come more often than
 * ticks.
 *   ahead  0 to 1, of a tick
 * Cost: O(values of smooth types). Threads: writer. Since: 0.2 */
void sett_client_show(sett_client* client, float ahead);

/* Returns why the client is over; "" while it is not. Threads: writer. Since: 0.2 */
const char* sett_client_message(const sett_client* client);

/* Fills `stats`. Threads: writer. Since: 0.2 */
void sett_client_stats_get(const sett_client* client, sett_client_stats* stats);

/* ----------------------------------------------------------------------------------------- link */

/* The most endpoints of a link. */
#define SETT_NET_ENDPOINTS 128

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

/* Puts the link around a transport, such as that of sett_enet.h between two programs on one
 * machine: what arrives is late, lost, doubled or in another order, as the options of the link say.
 * The system's clock moves the link's. sett_net_link_cut cuts a peer off.
 *
 *     sett_net_link* bad = sett_net_link_create(
 *         &(sett_net_link_desc){.latency_us = 60000, .jitter_us = 20000, .loss = 500});
 *     sett_net_transport udp = sett_enet_transport(net);
 *     ... .transport = sett_net_link_around(bad, &udp) ...
 *
 *   link       of this transport alone, without other endpoints
 *   transport  copied; its peers are below SETT_NET_ENDPOINTS - 1
 * Returns functions that are valid until the link is destroyed; of NULL: a transport that no
 * session takes. Threads: one at a time. Since: 0.3 */
sett_net_transport sett_net_link_around(sett_net_link* link, const sett_net_transport* transport);

/* Fills `stats`, of all endpoints together. Threads: one at a time. Since: 0.2 */
void sett_net_link_stats_get(const sett_net_link* link, sett_net_link_stats* stats);

#ifdef __cplusplus
}
#endif

#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#endif

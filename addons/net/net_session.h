/* net_session.h: a rollback session, inside.
 *
 *     net_session.c    frames: prediction, rollback, hashes, who is present
 *     session_data.c   the datagrams of a running session
 *     session_hello.c  the handshake
 *     session_state.c  states that are sent: to those who join, and after a desync
 *     session_world.c  one session a world; what is written between two frames
 *
 * Frames, and how far they are known:
 *
 *     final <= known, frame - known <= max_prediction
 *
 *     frame   is played next
 *     known   the inputs of all players are here up to this frame
 *     final   all present players have said that they have these inputs. So no later decision
 *             changes them: such frames are hashed, sent to spectators and to those who join
 *
 * Who is present changes at a frame, by decision of the lowest player who is heard. Decisions have
 * serial numbers; each peer passes them on with its inputs until they are acknowledged, and with
 * the last inputs of one who is gone: not all peers may have heard them. A decision can lead back
 * behind `known`, never behind `final`. With W = max_prediction and D = the greatest delay no peer
 * is more than 2 W + D + 1 frames ahead of `final`: so many snapshots are enough.
 *
 * A machine that stood still is gone for the others. It hears their decisions and plays what it
 * missed; if it missed more than they keep, it fetches the state (SESSION_LOADS), and says so: a
 * machine that fetches is not in the game. A spectator whose source is lost looks for another one
 * (SESSION_CONNECTS), and fetches the state there.
 *
 * A state that was begun is sent to its end, also if frames are played meanwhile: the machine that
 * has it follows the others by their inputs, ten frames a call, and joins when it is near. */
#ifndef SETTI_NET_SESSION_H
#define SETTI_NET_SESSION_H

#include "desync.h"
#include "packet.h"
#include "proof.h"

#define SESSION_PEERS (SETT_SESSION_PLAYERS + SETT_SESSION_SPECTATORS)
/* Frames of inputs that are kept: a state may take half of them to arrive and to be followed up.
 * Of 8 players with 8 bytes these are 1 MB, and 1 MB for what frames were played with. */
#define SESSION_HISTORY 8192u
#define SESSION_FUTURE (SESSION_HISTORY / 2) /* that are received ahead of what was played */
#define SESSION_PREDICTION_MAX 32u
#define SESSION_DELAY_MAX 32u
#define SESSION_SLOTS (2 * SESSION_PREDICTION_MAX + SESSION_DELAY_MAX + 8)
#define SESSION_HELD 64u     /* hashed frames that not all have compared */
#define SESSION_CHANGES 256u /* decisions that are remembered */
#define SESSION_CHUNK 1024u  /* bytes of a state in a datagram */
#define SESSION_BEHIND 224u  /* frames: see data_is_far_ahead */
#define SESSION_PROTOCOL 3u

enum {
    SESSION_HELLO = 1,
    SESSION_CHALLENGE,
    SESSION_WELCOME,
    SESSION_REJECTION,
    SESSION_TYPES_ASK,
    SESSION_TYPES,
    SESSION_DATA, /* from here on only from connected peers: with their token */
    SESSION_FEED,
    SESSION_ASK,
    SESSION_PART,
    SESSION_BYE
};

typedef enum session_mode {
    SESSION_CONNECTS, /* not all players are connected */
    SESSION_LOADS,    /* waits for a state */
    SESSION_RUNS,
    SESSION_COMPARES, /* a desync: waits for the other state */
    SESSION_ENDED
} session_mode;

/* A decision: from `frame` on the player is present, or not. */
typedef struct session_change {
    int64_t frame;
    uint32_t player;
    bool present;
} session_change;

typedef struct session_hash {
    int64_t frame; /* the state before this frame */
    uint64_t hash;
} session_hash;

typedef struct session_peer {
    bool connected;
    bool synced;    /* it has a state: it says which inputs it has */
    bool restarted; /* another program, at the same place */
    bool late;      /* it, or this machine, came to a running game: who has not been met before may
                     * be in the game, and who has no state is not */
    bool loads;     /* it waits for a state */
    bool left;      /* it said good-bye */
    bool interrupted;
    bool conflicts;  /* it has decided differently, and has to give in */
    uint32_t mine;   /* token that it sends us */
    uint32_t theirs; /* token that we send it */
    uint64_t nonce;  /* of its program's session */
    uint64_t cookie; /* that it asks from us */
    uint64_t heard_us, hello_us;
    int64_t acked; /* it has our inputs up to this frame; of a spectator: those of all */
    int64_t known; /* as in the head of this file */
    int64_t frame;
    int64_t advantage;
    uint32_t serial; /* decisions that it knows */
    uint32_t turn;   /* which part of the last inputs of one who is gone it gets next */
    uint32_t stamp;  /* its clock, ms, when it sent the latest datagram */
    uint64_t stamp_us;
    uint32_t ping_us;
    session_hash hash;   /* the latest that it sent */
    int64_t compared;    /* hashes up to this frame are equal */
    uint32_t types_from; /* the entry of its table of types that is asked for, plus 1, after a
                          * rejection */
} session_peer;

/* A state that is sent, or received. */
typedef struct session_blob {
    unsigned char* bytes;
    uint64_t made_us;
    int64_t frame;
    uint32_t size;
    uint32_t parts, arrived;
    uint64_t* asked_us; /* of each part: UINT64_MAX if it is here; odd: it was asked for again */
    uint32_t window;    /* parts that are under way at a time */
    uint32_t grown;     /* parts that arrived in time since the window changed */
    uint64_t slowed_us; /* when it became smaller last; 0: never */
    uint64_t least_us;  /* from a question to its part, at best, */
    uint64_t usual_us;  /* and on average */
} session_blob;

struct sett_session {
    sett_world* world;
    sett_session_desc desc;
    session_mode mode;
    uint64_t secret[2];
    uint64_t nonce;
    uint64_t layout; /* hash of all types */
    proof_type* types;
    uint32_t type_count;
    bool* types_both;       /* which of them a peer with other types has too */
    char types_missing[64]; /* the name of a type that only that peer has */

    session_peer peer[SESSION_PEERS];
    uint32_t source;    /* of the state; of a spectator: of all frames */
    uint64_t called_us; /* when sett_session_advance was called last; 0: never */
    uint64_t told_us;   /* when it was last said for whom this machine waits; 0: never */

    int64_t frame;
    int64_t wrong; /* first frame that was played with other inputs than it should have been */
    int64_t last[SETT_SESSION_PLAYERS];  /* inputs of the player are here up to this frame */
    int64_t fed;                         /* of a spectator: up to this frame */
    uint32_t present;                    /* bits: players, by the latest decision */
    unsigned char* input;                /* [frame % SESSION_HISTORY][player][input_size] */
    unsigned char* used;                 /* what the frame was played with */
    unsigned char mask[SESSION_HISTORY]; /* who is present in a frame */
    int64_t mask_end;                    /* masks are filled in up to here */
    session_change change[SESSION_CHANGES];
    uint32_t serial;                   /* decisions so far */
    uint32_t lineage[SESSION_CHANGES]; /* hash of the first `serial` decisions */
    uint32_t lineage_from;             /* known from this serial on */

    sett_snapshot slot[SESSION_SLOTS]; /* before frame f: f % SESSION_SLOTS */
    int64_t slot_frame[SESSION_SLOTS];
    session_hash held[SESSION_HELD];
    sett_snapshot held_snapshot[SESSION_HELD];
    uint32_t held_count;
    int64_t hashed;   /* the latest frame that was hashed; -1: none */
    uint32_t waiting; /* calls in a row that waited for inputs */
    int64_t waited;   /* the latest frame at which it waited for the others */

    session_blob out, in;
    uint64_t out_us;    /* when the last state was made */
    uint64_t wanted_us; /* when a part of it was asked for last */
    bool follows;   /* it has a state of long ago, and plays what the others have played since */
    uint64_t in_us; /* when the source was asked first, or has sent a part that was missing */
    sett_desync desync;
    sett_session_stats stats;
    bool noted; /* the state after the last call: see session_world.c */
    uint64_t noted_hash;
    uint32_t noted_commands;
    packet packet; /* the one that is written */
    char text[256];
};

/* net_session.c */
uint64_t setti_session_now(const sett_session* s);
void setti_session_event(sett_session* s, sett_session_event_kind kind, uint32_t player,
                         const char* text);
bool setti_session_spectates(const sett_session* s);
bool setti_session_is_present(const sett_session* s, uint32_t player);
int64_t setti_session_known(const sett_session* s);
int64_t setti_session_final(const sett_session* s);
unsigned char setti_session_mask(sett_session* s, int64_t frame);
unsigned char* setti_session_input(sett_session* s, int64_t frame, uint32_t player);
bool setti_session_receive_input(sett_session* s, uint32_t player, int64_t frame,
                                 const unsigned char* bytes);
bool setti_session_decide(sett_session* s, session_change change);
bool setti_session_take(sett_session* s);
bool setti_session_restore(sett_session* s, int64_t frame);
bool setti_session_play_to(sett_session* s, int64_t end, bool again);
bool setti_session_roll_back(sett_session* s);
void setti_session_forget_snapshots(sett_session* s);
void setti_session_compare(sett_session* s);
void setti_session_end(sett_session* s, sett_session_event_kind kind, uint32_t player,
                       const char* text);
void setti_session_tell_presence(sett_session* s, uint32_t before, int64_t frame);
void setti_session_look_for_source(sett_session* s);

/* session_data.c */
packet* setti_session_packet(sett_session* s, uint32_t peer, uint32_t kind);
void setti_session_send(sett_session* s, uint32_t peer, const packet* p);
void setti_session_send_all(sett_session* s);
void setti_session_receive_all(sett_session* s);

/* session_hello.c */
bool setti_session_list_types(sett_session* s);
void setti_session_greet(sett_session* s);
void setti_session_receive_hello(sett_session* s, uint32_t peer, uint32_t kind, packet* p);

/* session_world.c */
const char* setti_session_take_world(sett_session* s, sett_world* world);
void setti_session_leave_world(sett_session* s);
void setti_session_begin_call(sett_session* s);
void setti_session_end_call(sett_session* s);

/* session_state.c */
void setti_session_load(sett_session* s, uint32_t source);
void setti_session_ask(sett_session* s);
void setti_session_receive_ask(sett_session* s, uint32_t peer, packet* p);
void setti_session_receive_part(sett_session* s, uint32_t peer, packet* p);
void setti_session_found_desync(sett_session* s, uint32_t peer, int64_t frame);
void setti_session_free_blobs(sett_session* s);

#endif

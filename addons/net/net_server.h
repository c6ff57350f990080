/* net_server.h: what server and client share, and the inside of a server.
 *
 *     HELLO      versions, nonce, cookie, the types that are sent, the hash of their table
 *     CHALLENGE  the cookie that this address has to show                   17 bytes
 *     WELCOME    the token of the client, its number; or REJECTION
 *     STATE      from the server: a short delta between two views, or a part of one
 *     ACK        from the client: the tick that it has, inputs, parts that it has
 *
 * Ticks count the server's calls of sett_server_send, from 1 on. View 0 is empty. One number is all
 * that the server knows of a client: `acked`, the latest tick that the client has. Deltas lead from
 * there. The client has the snapshots of its states from `acked` on, as far as it knows it. */
#ifndef SETTI_NET_SERVER_H
#define SETTI_NET_SERVER_H

#include "packet.h"
#include "proof.h"
#include "sett/hierarchy.h"
#include "sett/members.h"
#include "sett/name.h"
#include "sett/relationship.h"

#define SERVER_MAGIC 0x43544553u /* "SETC" */
#define SERVER_PROTOCOL 3u
#define SERVER_HELLO_SIZE 96u /* at least; more than any answer to an address that is not proven */
#define SERVER_KEEP 32u       /* views whose acknowledgement is awaited */
#define SERVER_INPUTS 64u     /* inputs of a client that are held */
#define SERVER_INPUTS_SENT 16u
#define SERVER_HEAD 27u /* bytes of a STATE before the delta */
#define SERVER_CHUNK (SETT_NET_DATAGRAM - SERVER_HEAD)
#define SERVER_WINDOW 256u /* parts that are under way */
#define SERVER_LEFT 8u     /* programs of an address that are remembered */
#define SERVER_BURST 4096u /* datagrams received in one call: the rest waits */

enum {
    SERVER_HELLO = 65,
    SERVER_CHALLENGE,
    SERVER_WELCOME,
    SERVER_REJECTION,
    SERVER_STATE, /* from here on with the other side's token */
    SERVER_ACK,
    SERVER_BYE
};

typedef enum server_reason {
    SERVER_FITS,
    SERVER_OTHER_PROTOCOL,
    SERVER_OTHER_LIBRARY,
    SERVER_OTHER_GAME,
    SERVER_OTHER_INPUTS,
    SERVER_OTHER_TYPES,
    SERVER_REASONS
} server_reason;

/* The types that are sent, in the order of the description; relations are also in `relation`. */
typedef struct server_types {
    proof_type type[SETT_SERVER_TYPES];
    sett_component id[SETT_SERVER_TYPES];
    sett_component there[SETT_SERVER_TYPES]; /* in views, or in the received world */
    uint32_t size[SETT_SERVER_TYPES];
    bool plain[SETT_SERVER_TYPES]; /* the value is its bytes */
    char fault[200];               /* what is wrong with the description */
    sett_component relation[SETT_SERVER_TYPES];
    uint32_t count, relations;
} server_types;

/* Of the types that are sent, for short forms of deltas; equal on both sides. */
typedef struct server_table {
    unsigned char* bytes; /* NULL: memory ran out */
    size_t size;
    uint32_t hash;
} server_table;

/* An entity of a view, or one that is to come into it. */
typedef struct view_entity {
    sett_entity entity;
    float priority;    /* in this tick; 0: out of sight */
    float waiting;     /* the sum of priorities since it was sent */
    bool held;         /* the view has it */
    uint32_t left_out; /* ticks for which it was the first that did not fit */
    uint64_t read;     /* changes after this tick of the world are not in the view */
    uint64_t sent;     /* the tick in which the view's values changed last */
} view_entity;

typedef struct view_list {
    view_entity* item;
    uint32_t count, capacity;
} view_list;

struct sett_sight {
    view_list list;
    bool failed; /* memory ran out */
};

typedef struct view_snapshot {
    uint64_t tick; /* 0: none */
    sett_snapshot snapshot;
} view_snapshot;

/* A delta that goes in parts. */
typedef struct view_parts {
    unsigned char* bytes; /* NULL: none */
    uint32_t size, count;
    uint64_t tick, base; /* from `base` to `tick`, whatever is acknowledged meanwhile */
    uint32_t first;      /* the client has all parts before */
    uint64_t* sent_us;   /* of each part; UINT64_MAX: the client has it */
} view_parts;

typedef struct server_client {
    bool connected;
    uint64_t nonce;             /* of its program */
    uint64_t left[SERVER_LEFT]; /* of programs that have left: they do not come again */
    uint32_t mine, theirs;      /* tokens: what it shows, what it is shown */
    uint64_t heard_us;
    uint32_t stamp; /* its clock, ms, in its latest datagram */
    uint64_t stamp_us;

    sett_world* view;
    view_list list; /* ascending by handle */
    uint64_t acked;
    sett_snapshot base; /* of the view at `acked` */
    view_snapshot kept[SERVER_KEEP];
    view_parts parts;
    float cost; /* bytes that an entity takes in a delta, on average */

    uint64_t newest, played; /* numbers of inputs: the latest received, and that of this tick */
    unsigned char input[SERVER_INPUTS][64];
    bool has[SERVER_INPUTS];
    unsigned char present[64];
    sett_server_stats stats;
} server_client;

struct sett_server {
    sett_world* world;
    sett_server_desc desc;
    server_types types;
    uint64_t secret[2];
    uint64_t tick;
    uint64_t world_tick; /* of the world, when this tick is sent */
    server_client** client;
    sett_sight sight;
    view_list merged;
    view_entity** due;
    sett_entity* entities;
    uint32_t due_capacity;
    server_table table;
    unsigned char* whole; /* the delta, */
    size_t whole_capacity;
    unsigned char* out; /* and its short form */
    size_t out_size, out_capacity;
    packet packet;
};

/* server_types.c */
const char* setti_server_list_types(sett_world* world, const sett_component* types, uint32_t count,
                                    server_types* out);
sett_world* setti_server_world(sett_world* world, sett_status (*register_types)(sett_world* world),
                               server_types* types, uint32_t entity_limit);
server_table setti_server_table(sett_world* other, const server_types* types);

/* server_view.c */
bool setti_view_create(sett_server* s, server_client* c);
void setti_view_free(server_client* c);
bool setti_view_update(sett_server* s, server_client* c, uint32_t number);
bool setti_view_acknowledge(sett_server* s, server_client* c, uint64_t tick);
void setti_view_free_parts(server_client* c);

#endif

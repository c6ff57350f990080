/* net_client.h: the inside of a client; see net_server.h.
 *
 *     received   a world that equals the server's view at `tick`: restored to the base of a delta,
 *                then the delta is applied
 *     world      the program's: what differs is copied into it
 *
 * Invariant:  received, at `tick` = the server's view at `tick` */
#ifndef SETTI_NET_CLIENT_H
#define SETTI_NET_CLIENT_H

#include "net_server.h"

#define CLIENT_SAMPLES 16u
#define CLIENT_STATES (SERVER_KEEP + 1) /* that are held: with the server's base */

/* A delta that comes in parts. */
typedef struct client_parts {
    unsigned char* bytes; /* NULL: none */
    bool* has;
    uint64_t tick, base, played;
    size_t size; /* of all; known when the last part is here */
    uint32_t count, arrived, first;
} client_parts;

typedef struct client_list {
    sett_entity* item;
    uint32_t count, capacity;
} client_list;

/* The values of a state that are shown smoothly. */
typedef struct client_sample_item {
    sett_entity entity;
    uint32_t type; /* of desc.smooth */
    size_t at;     /* in `values` */
} client_sample_item;

typedef struct client_sample {
    uint64_t tick;
    client_sample_item* item; /* ascending by type and index */
    unsigned char* values;
    uint32_t count;
} client_sample;

struct sett_client {
    sett_world* world;
    sett_world* received;
    sett_client_desc desc;
    server_types types; /* `there`: in `received` */
    sett_client_state state;
    char text[256];

    uint64_t nonce, cookie;
    uint32_t mine, theirs; /* tokens: what the server shows, what it is shown */
    bool connected;
    uint64_t heard_us, hello_us;

    uint64_t tick, acked; /* the latest state, and the latest one that is held */
    uint64_t copied;      /* changes of `received` after this tick are not in the world */
    view_snapshot have[CLIENT_STATES];
    bool has[CLIENT_STATES];
    client_parts parts;
    server_table table;
    unsigned char* whole; /* a delta, from its short form */
    size_t whole_capacity;
    client_list shown; /* received entities in the world, ascending by index */
    client_list alive; /* in `received` */
    client_list own;   /* predicted */

    uint64_t newest, played; /* numbers of inputs: the latest, and that of the latest state */
    unsigned char input[SERVER_INPUTS][64];
    client_sample sample[CLIENT_SAMPLES];
    uint32_t sample_count;
    double shown_tick;                              /* of smooth values */
    sett_component smooth_there[SETT_SERVER_TYPES]; /* in `received` */
    sett_client_stats stats;
    packet packet;
};

/* net_client.c */
uint64_t setti_client_now(const sett_client* c);
void setti_client_end(sett_client* c, const char* why);

/* client_state.c */
bool setti_client_begin(sett_client* c);
void setti_client_receive_state(sett_client* c, packet* p);
void setti_client_predict(sett_client* c, uint64_t number);
void setti_client_free(sett_client* c);

/* client_smooth.c */
bool setti_client_sample(sett_client* c);
void setti_client_smooth(sett_client* c);
void setti_client_free_samples(sett_client* c);

#endif

/* sett_net.h: games over a network. Link sett::net.
 *
 *     sync test    plays each frame again and names what differs     sett_sync_test
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

/* proof.h: what both handshakes share: a secret, signatures that prove an address, hashes of types.
 */
#ifndef SETTI_NET_PROOF_H
#define SETTI_NET_PROOF_H

#include "sett_net.h"

/* A type as its name and layout, hashed. */
typedef struct proof_type {
    uint32_t name, layout;
    sett_component component;
} proof_type;

/* The system's clock, in microseconds. */
uint64_t setti_proof_clock(void* user);

void setti_proof_draw(uint64_t secret[2]);
uint64_t setti_proof_sign(const uint64_t secret[2], uint64_t a, uint64_t b);
/* Proves an address. It holds for half a minute, or less: what is sent again much later is not
 * believed. */
uint64_t setti_proof_cookie(const uint64_t secret[2], uint32_t peer, uint64_t nonce,
                            uint64_t now_us);
bool setti_proof_holds(const uint64_t secret[2], uint32_t peer, uint64_t nonce, uint64_t now_us,
                       uint64_t cookie);
uint64_t setti_proof_mix(uint64_t hash, uint64_t value);
proof_type setti_proof_type(const sett_world* world, sett_component component);

#endif

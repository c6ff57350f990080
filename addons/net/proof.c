/* proof.c: see proof.h. */
#define _POSIX_C_SOURCE 199309L /* clock_gettime */
#include "proof.h"

#include "sett/members.h"

#include <stdio.h>
#include <time.h>

uint64_t setti_proof_clock(void* user)
{
    struct timespec now;
    (void)user;
#ifdef CLOCK_MONOTONIC
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
#else
    (void)timespec_get(&now, TIME_UTC);
#endif
    return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
}

/* Where the system has random bytes, others cannot guess them; elsewhere the clock has to do. */
void setti_proof_draw(uint64_t secret[2])
{
    secret[0] = setti_proof_clock(NULL) ^ (uint64_t)(uintptr_t)secret << 20;
    secret[1] = (uint64_t)time(NULL) * 0x9E3779B97F4A7C15u;
    FILE* random = fopen("/dev/urandom", "rb");
    if (random != NULL) {
        uint64_t drawn[2];
        if (fread(drawn, sizeof(drawn), 1, random) == 1) {
            secret[0] = drawn[0];
            secret[1] = drawn[1];
        }
        fclose(random);
    }
}

static uint64_t proof_turn(uint64_t x, uint32_t bits)
{
    return x << bits | x >> (64 - bits);
}

static void proof_rounds(uint64_t v[4], uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = proof_turn(v[1], 13) ^ v[0];
        v[3] = proof_turn(v[3], 16) ^ v[2];
        v[0] = proof_turn(v[0], 32) + v[3];
        v[2] += v[1];
        v[1] = proof_turn(v[1], 17) ^ v[2];
        v[3] = proof_turn(v[3], 21) ^ v[0];
        v[2] = proof_turn(v[2], 32);
    }
}

/* SipHash-2-4 of two numbers: only who has the secret can compute it. */
uint64_t setti_proof_sign(const uint64_t secret[2], uint64_t a, uint64_t b)
{
    const uint64_t words[3] = {a, b, (uint64_t)16 << 56};
    uint64_t v[4] = {secret[0] ^ 0x736F6D6570736575u, secret[1] ^ 0x646F72616E646F6Du,
                     secret[0] ^ 0x6C7967656E657261u, secret[1] ^ 0x7465646279746573u};
    for (uint32_t k = 0; k < 3; k++) {
        v[3] ^= words[k];
        proof_rounds(v, 2);
        v[0] ^= words[k];
    }
    v[2] ^= 0xFF;
    proof_rounds(v, 4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

#define PROOF_COOKIE_US 16000000u

uint64_t setti_proof_cookie(const uint64_t secret[2], uint32_t peer, uint64_t nonce,
                            uint64_t now_us)
{
    return setti_proof_sign(secret, (uint64_t)peer << 1 | now_us / PROOF_COOKIE_US << 32, nonce);
}

bool setti_proof_holds(const uint64_t secret[2], uint32_t peer, uint64_t nonce, uint64_t now_us,
                       uint64_t cookie)
{
    return cookie == setti_proof_cookie(secret, peer, nonce, now_us) ||
           cookie == setti_proof_cookie(secret, peer, nonce, now_us - PROOF_COOKIE_US);
}

uint64_t setti_proof_mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}

proof_type setti_proof_type(const sett_world* world, sett_component component)
{
    static const uint16_t one = 1;
    sett_component_desc desc;
    uint64_t name = 1, layout = *(const unsigned char*)&one; /* of which byte order */
    (void)sett_component_describe(world, component, &desc);
    for (const char* c = desc.name; *c != '\0'; c++) {
        name = setti_proof_mix(name, (unsigned char)*c);
    }
    layout = setti_proof_mix(layout, desc.size);
    layout = setti_proof_mix(layout, (uint64_t)desc.save << 8 | (uint64_t)desc.storage);
    layout = setti_proof_mix(layout, desc.relationship != NULL);
    layout = setti_proof_mix(layout, sett_members_fingerprint(world, component));
    return (proof_type){(uint32_t)(name >> 32), (uint32_t)(layout >> 32), component};
}

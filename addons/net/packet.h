/* packet.h: a datagram that is written or read: little endian, with every length checked. */
#ifndef SETTI_NET_PACKET_H
#define SETTI_NET_PACKET_H

#include "sett_net.h"

#include <string.h>

typedef struct packet {
    unsigned char bytes[SETT_NET_DATAGRAM];
    uint32_t size; /* bytes to read, or room to write */
    uint32_t at;
    bool bad; /* something did not fit: what was read is zeroes */
} packet;

static inline packet* packet_begin(packet* p)
{
    p->size = SETT_NET_DATAGRAM;
    p->at = 0;
    p->bad = false;
    return p;
}

/* Receives the next datagram, to be read. False if there is none. */
static inline bool packet_receive(packet* p, const sett_net_transport* from, uint32_t* peer)
{
    p->size = from->receive(from->user, peer, p->bytes, sizeof(p->bytes));
    p->at = 0;
    p->bad = false;
    return p->size != 0;
}

static inline void packet_write(packet* p, uint64_t value, uint32_t size)
{
    p->bad = p->bad || p->size - p->at < size;
    for (uint32_t k = 0; !p->bad && k < size; k++) {
        p->bytes[p->at++] = (unsigned char)(value >> 8 * k);
    }
}

static inline uint64_t packet_read(packet* p, uint32_t size)
{
    uint64_t value = 0;
    p->bad = p->bad || p->size - p->at < size;
    for (uint32_t k = 0; !p->bad && k < size; k++) {
        value |= (uint64_t)p->bytes[p->at++] << 8 * k;
    }
    return value;
}

static inline uint32_t packet_u32(packet* p)
{
    return (uint32_t)packet_read(p, 4);
}

/* Frames are sent plus 1, in 32 bits: -1 (none) is 0. */
static inline void packet_write_frame(packet* p, int64_t frame)
{
    packet_write(p, (uint64_t)(frame + 1), 4);
}

static inline int64_t packet_frame(packet* p)
{
    return (int64_t)packet_u32(p) - 1;
}

static inline void packet_write_bytes(packet* p, const void* bytes, uint32_t size)
{
    p->bad = p->bad || p->size - p->at < size;
    if (!p->bad) {
        memcpy(p->bytes + p->at, bytes, size);
        p->at += size;
    }
}

/* Returns `size` bytes of the datagram; NULL if it does not have them. */
static inline const unsigned char* packet_bytes(packet* p, uint32_t size)
{
    p->bad = p->bad || p->size - p->at < size;
    if (p->bad) {
        return NULL;
    }
    p->at += size;
    return p->bytes + p->at - size;
}

#endif

/* sniffer.h: a transport that notes the latest datagrams that are sent to one peer.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_TEST_SNIFFER_H
#define SETT_TEST_SNIFFER_H

#include "sett_net.h"

#include <string.h>

enum {
    SNIFFER_SEEN = 256
};

typedef struct sniffer {
    sett_net_transport real;
    uint32_t peer; /* whose datagrams are noted */
    unsigned char bytes[SNIFFER_SEEN][SETT_NET_DATAGRAM];
    uint32_t size[SNIFFER_SEEN], count; /* of all; the latest ones are noted */
} sniffer;

static void sniffer_send(void* user, uint32_t peer, const void* bytes, uint32_t size)
{
    sniffer* of = user;
    if (peer == of->peer) {
        memcpy(of->bytes[of->count % SNIFFER_SEEN], bytes, size);
        of->size[of->count++ % SNIFFER_SEEN] = size;
    }
    of->real.send(of->real.user, peer, bytes, size);
}

static uint32_t sniffer_receive(void* user, uint32_t* peer, void* out, uint32_t capacity)
{
    const sniffer* of = user;
    return of->real.receive(of->real.user, peer, out, capacity);
}

static sett_net_transport sniffer_begin(sniffer* of, sett_net_transport real, uint32_t peer)
{
    memset(of, 0, sizeof(*of));
    of->real = real;
    of->peer = peer;
    return (sett_net_transport){of, sniffer_send, sniffer_receive};
}

#endif

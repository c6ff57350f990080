/* net_link.c: a simulated network; see sett_net.h.
 *
 * Shape: a few hundred datagrams under way. Each endpoint has a list of those that are on their way
 * to it, in the order of arrival; most are inserted near its end. */
#include "../argument.h"
#include "proof.h"

#include <stdlib.h>
#include <string.h>

#define NET_LINK_HEAD 28u          /* bytes of IP and UDP */
#define NET_LINK_QUEUE_US 500000u  /* what waits longer to be sent is lost */
#define NET_LINK_LATE_US 20000u    /* of a datagram that is reordered, beyond another latency */
#define NET_LINK_BEGIN_US 1000000u /* so that no time is 0 */
#define NET_LINK_HERE (SETT_NET_ENDPOINTS - 1) /* where the datagrams of a real transport wait */

typedef struct net_link_datagram {
    struct net_link_datagram* next;
    uint64_t at; /* us: when it arrives */
    uint32_t from, size;
    unsigned char bytes[];
} net_link_datagram;

typedef struct net_link_end {
    sett_net_link* link;
    net_link_datagram* first; /* on the way to it, ascending by `at` */
    uint64_t free_at;         /* us: when what it has sent is gone */
    bool cut;
} net_link_end;

struct sett_net_link {
    sett_net_link_desc desc;
    uint64_t chance; /* splitmix64 */
    uint64_t now;
    sett_net_link_stats stats;
    sett_net_transport real; /* what the link is around, or zeroes */
    net_link_end end[SETT_NET_ENDPOINTS];
};

/* 0 to limit - 1. Drawn also if the limit is 0 or 1, so that one option does not change what
 * another one draws. */
static uint64_t net_link_draw(sett_net_link* link, uint64_t limit)
{
    uint64_t x = link->chance += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    x ^= x >> 31;
    return limit != 0 ? x % limit : 0;
}

static void net_link_drop_all(net_link_end* end)
{
    while (end->first != NULL) {
        net_link_datagram* next = end->first->next;
        free(end->first);
        end->first = next;
    }
}

sett_net_link* sett_net_link_create(const sett_net_link_desc* desc)
{
    sett_net_link* link = calloc(1, sizeof(*link));
    if (link == NULL) {
        return NULL;
    }
    link->desc = desc != NULL ? *desc : link->desc;
    link->chance = link->desc.seed;
    link->now = NET_LINK_BEGIN_US;
    for (uint32_t k = 0; k < SETT_NET_ENDPOINTS; k++) {
        link->end[k].link = link;
    }
    return link;
}

void sett_net_link_destroy(sett_net_link* link)
{
    for (uint32_t k = 0; link != NULL && k < SETT_NET_ENDPOINTS; k++) {
        net_link_drop_all(&link->end[k]);
    }
    free(link);
}

void sett_net_link_set(sett_net_link* link, const sett_net_link_desc* desc)
{
    if (!ARGUMENT_IS_NULL(link) && !ARGUMENT_IS_NULL(desc)) {
        link->desc = *desc;
    }
}

void sett_net_link_cut(sett_net_link* link, uint32_t endpoint, bool cut)
{
    if (!ARGUMENT_IS_NULL(link) && endpoint < SETT_NET_ENDPOINTS) {
        link->end[endpoint].cut = cut;
        net_link_drop_all(&link->end[endpoint]);
    }
}

void sett_net_link_advance(sett_net_link* link, uint64_t us)
{
    if (!ARGUMENT_IS_NULL(link)) {
        link->now += us;
    }
}

uint64_t sett_net_link_now(const sett_net_link* link)
{
    return !ARGUMENT_IS_NULL(link) ? link->now : 0;
}

/* Returns when a datagram that is sent now has left; 0 if it is lost in the queue. */
static uint64_t net_link_leave(sett_net_link* link, net_link_end* from, uint32_t size)
{
    const uint64_t rate = link->desc.bytes_per_second;
    uint64_t begin = from->free_at > link->now ? from->free_at : link->now;
    if (rate == 0) {
        return link->now;
    }
    if (begin - link->now > NET_LINK_QUEUE_US) {
        return 0;
    }
    from->free_at = begin + (uint64_t)size * 1000000u / rate;
    return from->free_at;
}

/* Draws the time under way. */
static uint64_t net_link_latency(sett_net_link* link)
{
    const sett_net_link_desc* desc = &link->desc;
    uint64_t us = desc->latency_us + net_link_draw(link, 2 * (uint64_t)desc->jitter_us + 1);
    us = us > desc->jitter_us ? us - desc->jitter_us : 0;
    bool late = net_link_draw(link, 10000) < desc->reorder;
    return late ? us + desc->latency_us + NET_LINK_LATE_US : us;
}

static void net_link_insert(net_link_end* to, net_link_datagram* datagram)
{
    net_link_datagram** at = &to->first;
    while (*at != NULL && (*at)->at <= datagram->at) {
        at = &(*at)->next;
    }
    datagram->next = *at;
    *at = datagram;
}

static void net_link_send(void* user, uint32_t peer, const void* bytes, uint32_t size)
{
    net_link_end* from = user;
    sett_net_link* link = from->link;
    link->stats.sent++;
    link->stats.bytes += size + NET_LINK_HEAD;
    bool twice = net_link_draw(link, 10000) < link->desc.duplicate;
    link->stats.duplicated += twice;
    uint64_t left = net_link_leave(link, from, size + NET_LINK_HEAD);
    for (uint32_t k = 0; k <= twice; k++) {
        bool lost = net_link_draw(link, 10000) < link->desc.loss;
        uint64_t at = left + net_link_latency(link);
        net_link_datagram* datagram = NULL;
        if (!lost && left != 0 && peer < SETT_NET_ENDPOINTS && !from->cut && !link->end[peer].cut) {
            datagram = malloc(sizeof(*datagram) + size);
        }
        if (datagram == NULL) {
            link->stats.lost++;
            continue;
        }
        datagram->at = at;
        datagram->from = (uint32_t)(from - link->end);
        datagram->size = size;
        memcpy(datagram->bytes, bytes, size);
        net_link_insert(&link->end[peer], datagram);
    }
}

static uint32_t net_link_receive(void* user, uint32_t* peer, void* out, uint32_t capacity)
{
    net_link_end* end = user;
    while (end->first != NULL && end->first->at <= end->link->now) {
        net_link_datagram* datagram = end->first;
        uint32_t size = datagram->size <= capacity ? datagram->size : 0;
        memcpy(out, datagram->bytes, size);
        *peer = datagram->from;
        end->first = datagram->next;
        free(datagram);
        if (size != 0) {
            return size;
        }
    }
    return 0;
}

sett_net_transport sett_net_link_transport(sett_net_link* link, uint32_t endpoint)
{
    if (ARGUMENT_IS_NULL(link) || endpoint >= SETT_NET_ENDPOINTS) {
        return (sett_net_transport){.user = NULL}; /* which a session rejects */
    }
    sett_net_transport transport = {&link->end[endpoint], net_link_send, net_link_receive};
    return transport;
}

/* ------------------------------------------------------------------------- around a transport */

static void net_link_real_send(void* user, uint32_t peer, const void* bytes, uint32_t size)
{
    const sett_net_link* link = user;
    link->real.send(link->real.user, peer, bytes, size);
}

/* What has arrived waits as long as the link says; what is sent goes at once. */
static uint32_t net_link_real_receive(void* user, uint32_t* peer, void* out, uint32_t capacity)
{
    sett_net_link* link = user;
    unsigned char bytes[SETT_NET_DATAGRAM];
    uint32_t from, size;
    link->now = setti_proof_clock(NULL);
    while ((size = link->real.receive(link->real.user, &from, bytes, sizeof(bytes))) != 0) {
        if (from < NET_LINK_HERE) {
            net_link_send(&link->end[from], NET_LINK_HERE, bytes, size);
        }
    }
    return net_link_receive(&link->end[NET_LINK_HERE], peer, out, capacity);
}

sett_net_transport sett_net_link_around(sett_net_link* link, const sett_net_transport* transport)
{
    if (ARGUMENT_IS_NULL(link) || ARGUMENT_IS_NULL(transport) || transport->send == NULL ||
        transport->receive == NULL) {
        return (sett_net_transport){.user = NULL};
    }
    link->real = *transport;
    return (sett_net_transport){link, net_link_real_send, net_link_real_receive};
}

void sett_net_link_stats_get(const sett_net_link* link, sett_net_link_stats* stats)
{
    if (!ARGUMENT_IS_NULL(stats)) {
        *stats = !ARGUMENT_IS_NULL(link) ? link->stats : (sett_net_link_stats){.sent = 0};
    }
}

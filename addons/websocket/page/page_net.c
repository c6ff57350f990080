/* page_net.c: see page_net.h. page_net.js calls what is exported, and is called to send.
 *
 * Datagrams that arrive between two frames wait in a ring; what does not fit is lost, as on any
 * network. */
#include "page_net.h"

#include <string.h>

#define PAGE_NET_WAITING 64u

#ifdef __wasm__
#define PAGE_NET_EXPORT(name) __attribute__((export_name(name)))
#define PAGE_NET_IMPORT(name) __attribute__((import_module("net"), import_name(name)))
#else /* to be read by other compilers */
#define PAGE_NET_EXPORT(name)
#define PAGE_NET_IMPORT(name)
#endif

PAGE_NET_IMPORT("send") void page_net_post(const void* bytes, uint32_t size);

typedef struct page_net_datagram {
    uint32_t size;
    unsigned char bytes[SETT_NET_DATAGRAM];
} page_net_datagram;

static struct {
    page_net_datagram waiting[PAGE_NET_WAITING + 1]; /* the last one is for what is lost */
    uint32_t first, count;
} page_net;

static page_net_datagram* page_net_end(void)
{
    const uint32_t end = (page_net.first + page_net.count) % PAGE_NET_WAITING;
    return &page_net.waiting[page_net.count < PAGE_NET_WAITING ? end : PAGE_NET_WAITING];
}

/* Returns where page.js writes a message of at most SETT_NET_DATAGRAM bytes, before it calls
 * net_arrived. */
PAGE_NET_EXPORT("net_room") unsigned char* page_net_room(void);
unsigned char* page_net_room(void)
{
    return page_net_end()->bytes;
}

PAGE_NET_EXPORT("net_arrived") void page_net_arrived(uint32_t size);
void page_net_arrived(uint32_t size)
{
    page_net_end()->size = size;
    page_net.count += page_net.count < PAGE_NET_WAITING;
}

static void page_net_send(void* user, uint32_t peer, const void* bytes, uint32_t size)
{
    (void)user;
    if (peer == 0) {
        page_net_post(bytes, size);
    }
}

static uint32_t page_net_receive(void* user, uint32_t* peer, void* out, uint32_t capacity)
{
    (void)user;
    uint32_t size = 0;
    while (page_net.count != 0 && size == 0) {
        const page_net_datagram* from = &page_net.waiting[page_net.first];
        page_net.first = (page_net.first + 1) % PAGE_NET_WAITING;
        page_net.count--;
        size = from->size <= capacity ? from->size : 0;
        memcpy(out, from->bytes, size);
    }
    *peer = 0;
    return size;
}

sett_net_transport page_net_transport(void)
{
    return (sett_net_transport){NULL, page_net_send, page_net_receive};
}

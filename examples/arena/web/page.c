/* page.c: the arena in a page: a client of sett::net, whose datagrams index.html passes on. */
#include "flight.h"
#include "sett_net.h"

#include <stdint.h>

#define PAGE_EXPORT(name) __attribute__((export_name(name)))

enum {
    WAITING = 64 /* datagrams that have arrived, and wait for the next tick */
};

/* Sends a datagram: a message of the WebSocket. */
__attribute__((import_module("page"), import_name("send"))) void page_post(const void* bytes,
                                                                           uint32_t size);

typedef struct Datagram {
    uint32_t size;
    unsigned char bytes[SETT_NET_DATAGRAM];
} Datagram;

static struct {
    sett_world* world;
    sett_client* client;
    sett_query *places, *own;
    Datagram waiting[WAITING];
    uint32_t first, count;
    float drawn[3 * 4096]; /* x, y, and 0: a stone, 1: another's ship, 2: this one's */
} page;

static void page_transmit(void* user, uint32_t peer, const void* bytes, uint32_t size)
{
    (void)user, (void)peer;
    page_post(bytes, size);
}

static uint32_t page_take(void* user, uint32_t* peer, void* out, uint32_t capacity)
{
    (void)user;
    uint32_t size = 0;
    while (page.count != 0 && size == 0) {
        const Datagram* from = &page.waiting[page.first];
        page.first = (page.first + 1) % WAITING;
        page.count--;
        size = from->size <= capacity ? from->size : 0;
        memcpy(out, from->bytes, size);
    }
    *peer = 0;
    return size;
}

static sett_client_stats page_stats(void)
{
    sett_client_stats stats;
    sett_client_stats_get(page.client, &stats);
    return stats;
}

static bool page_is_own(const sett_world* world, sett_entity entity, void* user)
{
    (void)user;
    const Ship* ship = SETT_FIND(world, entity, Ship);
    return ship != NULL && ship->client == page_stats().number;
}

static void page_predict(sett_world* world, const void* input, void* user)
{
    sett_entity own = sett_null();
    SETT_FOR(page.own, b, i) {
        const sett_entity entity = sett_batch_entity(b, i);
        own = page_is_own(world, entity, user) ? entity : own;
    }
    if (!sett_is_null(own)) {
        flight_steer(world, own, input);
    }
}

PAGE_EXPORT("begin") int page_begin(void)
{
    page.world = sett_world_create(NULL);
    if (page.world == NULL || flight_register(page.world) != SETT_OK) {
        return 0;
    }
    page.places = SETT_QUERY_CREATE(page.world, SETT_IN(Place));
    page.own = SETT_QUERY_CREATE(page.world, SETT_IN(Ship));
    page.client = sett_client_create(page.world, &(sett_client_desc){
                                                     .register_types = flight_register,
                                                     .types = flight_sent,
                                                     .type_count = 3,
                                                     .input_size = sizeof(Keys),
                                                     .own = page_is_own,
                                                     .predict = page_predict,
                                                     .transport = {NULL, page_transmit, page_take},
                                                 });
    return page.client != NULL;
}

/* Returns where the page writes a message that has arrived, before it calls `arrived`. */
PAGE_EXPORT("room") unsigned char* page_room(void)
{
    return page.waiting[(page.first + page.count) % WAITING].bytes;
}

PAGE_EXPORT("arrived") void page_arrived(uint32_t size)
{
    if (page.count < WAITING && size <= SETT_NET_DATAGRAM) { /* else it is lost */
        page.waiting[(page.first + page.count++) % WAITING].size = size;
    }
}

/* Returns 0 while it connects, 1 while it plays, 2 if it is over. */
PAGE_EXPORT("tick") int page_tick(int x, int y)
{
    const Keys keys = {(int8_t)x, (int8_t)y};
    return (int)sett_client_advance(page.client, &keys);
}

/* Lists what is to be drawn. */
PAGE_EXPORT("draw") uint32_t page_draw(void)
{
    uint32_t count = 0;
    SETT_FOR(page.places, b, i) {
        const Place* place = &SETT_FIELD(b, 0, Place)[i];
        const sett_entity entity = sett_batch_entity(b, i);
        if (count < 4096) {
            float* to = &page.drawn[3 * count++];
            to[0] = (float)place->x;
            to[1] = (float)place->y;
            to[2] = page_is_own(page.world, entity, NULL) ? 2.0f
                    : SETT_HAS(page.world, entity, Stone) ? 0.0f
                                                          : 1.0f;
        }
    }
    return count;
}

PAGE_EXPORT("drawn") const float* page_drawn(void)
{
    return page.drawn;
}

PAGE_EXPORT("message") const char* page_message(void)
{
    return sett_client_message(page.client);
}

PAGE_EXPORT("number") uint32_t page_number(void)
{
    return page_stats().number;
}
PAGE_EXPORT("applied") uint32_t page_applied(void)
{
    return (uint32_t)page_stats().applied;
}
PAGE_EXPORT("failed") uint32_t page_failed(void)
{
    return (uint32_t)page_stats().failed;
}
PAGE_EXPORT("corrected") uint32_t page_corrected(void)
{
    return (uint32_t)page_stats().corrected;
}
PAGE_EXPORT("rejected") uint32_t page_rejected(void)
{
    return (uint32_t)page_stats().rejected;
}

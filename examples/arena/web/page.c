/* page.c: the arena in a page: a client of sett::net, whose datagrams page_net.js passes on. */
#include "flight.h"
#include "page_net.h"

#include <stdint.h>

#define PAGE_EXPORT(name) __attribute__((export_name(name)))

static struct {
    sett_world* world;
    sett_client* client;
    sett_query *places, *own;
    float drawn[3 * 4096]; /* x, y, and 0: a stone, 1: another's ship, 2: this one's */
} page;

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
                                                     .transport = page_net_transport(),
                                                 });
    return page.client != NULL;
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

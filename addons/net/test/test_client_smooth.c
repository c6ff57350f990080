/* test_client_smooth.c: entities of others move evenly, whatever the network does. */
#include "chance.h"
#include "sett_net.h"
#include "worlds.h"

typedef struct Place {
    float x;
    double y;
    uint32_t kind;
} Place;
#define SMOOTH_TYPES(COMPONENT, TAG) COMPONENT(Place, .members = SETT_STRUCT(Place, x, y, kind))
SETT_COMPONENTS(SMOOTH_TYPES)

enum {
    TICK_US = 50000,
    SERVER = 1
};

static sett_net_link* net;

static sett_status register_types(sett_world* world)
{
    return SETT_REGISTER_ALL(world, SMOOTH_TYPES);
}

static uint64_t link_clock(void* user)
{
    (void)user;
    return sett_net_link_now(net);
}

static void see(sett_sight* sight, sett_world* world, uint32_t client, void* user)
{
    uint32_t cursor = 0;
    (void)client, (void)user;
    for (sett_entity e; !sett_is_null(e = sett_entity_next(world, &cursor));) {
        sett_sight_add(sight, e, 1);
    }
}

/* A body moves 10 a tick. Returns the largest difference of a step from 10 at the client. */
static float unevenness(bool smooth)
{
    static const sett_component types[] = {Place_id};
    net = sett_net_link_create(&(sett_net_link_desc){
        .seed = 4, .latency_us = 70000, .jitter_us = 40000, .loss = 500, .duplicate = 100});
    sett_world* world = quiet_world();
    sett_world* seen = quiet_world();
    CHECK_EQ(register_types(world), SETT_OK);
    CHECK_EQ(register_types(seen), SETT_OK);
    const sett_entity body = SETT_CREATE(world, SETT_VALUE(Place, 0, 0, 7));
    sett_server* server =
        sett_server_create(world, &(sett_server_desc){.clients = 1,
                                                      .register_types = register_types,
                                                      .types = types,
                                                      .type_count = 1,
                                                      .see = see,
                                                      .transport = sett_net_link_transport(net, 1),
                                                      .clock_us = link_clock});
    sett_client* client =
        sett_client_create(seen, &(sett_client_desc){.server = SERVER,
                                                     .register_types = register_types,
                                                     .types = types,
                                                     .type_count = 1,
                                                     .smooth = types,
                                                     .smooth_count = smooth ? 1 : 0,
                                                     .smooth_delay = 4,
                                                     .transport = sett_net_link_transport(net, 0),
                                                     .clock_us = link_clock});
    CHECK(server != NULL && client != NULL);
    float last = 0, worst = 0;
    for (uint32_t tick = 0; tick < 400; tick++) {
        sett_net_link_advance(net, TICK_US);
        sett_server_receive(server);
        SETT_GET_MUT(world, body, Place)->x += 10;
        SETT_GET_MUT(world, body, Place)->y -= 10;
        sett_server_send(server);
        (void)sett_client_advance(client, NULL);
        if (tick > 60) {
            const Place* place = SETT_GET(seen, body, Place);
            const float step = place->x - last - 10;
            worst = step > worst ? step : -step > worst ? -step : worst;
            last = place->x;
            CHECK(!smooth ||
                  (place->y < -(double)place->x + .01 && place->y > -(double)place->x - .01));
            CHECK_EQ(place->kind, 7);
        } else if (tick == 60) {
            last = SETT_GET(seen, body, Place)->x;
            sett_client_show(client, 0.5f);
            const float half = SETT_GET(seen, body, Place)->x - last;
            CHECK(!smooth || (half > 2 && half < 8));
        }
    }
    for (uint32_t tick = 0; tick < 40; tick++) { /* it rests: what is shown is where it is */
        sett_net_link_advance(net, TICK_US);
        sett_server_receive(server);
        sett_server_send(server);
        (void)sett_client_advance(client, NULL);
    }
    CHECK(SETT_GET(seen, body, Place)->x == SETT_GET(world, body, Place)->x);
    sett_client_destroy(client);
    sett_server_destroy(server);
    CHECK_END(world);
    CHECK_END(seen);
    sett_net_link_destroy(net);
    return worst;
}

static void others_move_evenly(void)
{
    const float uneven = unevenness(false), even = unevenness(true);
    CHECK_MSG(uneven >= 10, "%.1f", (double)uneven); /* it stands still, and jumps */
    CHECK_MSG(even <= 5, "%.1f", (double)even);
}

TEST_MAIN(TEST(others_move_evenly))

/* test_net_server.c: a server sends each client what it sees, and nothing else. */
#include "swarm.h"

static swarm net;

/* The client's world has what the server's has in its sight; returns how many entities. */
static uint32_t check_seen(uint32_t k)
{
    const swarm_client* client = &net.client[k];
    const int64_t radius = (int64_t)net.sight * net.sight;
    uint32_t seen = 0;
    SETT_FOR(net.bodies, b, i) {
        const Place* place = &SETT_FIELD(b, 0, Place)[i];
        const sett_entity entity = sett_batch_entity(b, i);
        bool near = swarm_distance(client, place) < radius;
        CHECK_EQ(sett_entity_valid(client->world, entity), near);
        if (near) {
            seen++;
            CHECK(memcmp(SETT_GET(client->world, entity, Place), place, sizeof(*place)) == 0);
            CHECK_EQ(SETT_GET(client->world, entity, Look)->kind,
                     SETT_GET(net.world, entity, Look)->kind);
            CHECK_EQ(SETT_HAS(client->world, entity, Marked), SETT_HAS(net.world, entity, Marked));
            CHECK(!SETT_HAS(client->world, entity, Plan));
        }
    }
    CHECK_EQ(swarm_stats(&net, k).entities, seen);
    CHECK_EQ(swarm_stats(&net, k).failed, 0);
    return seen;
}

static void a_client_has_what_is_in_sight(void)
{
    swarm_begin(&net, 400, 3000, NULL);
    swarm_serve(&net);
    net.share = 40;
    swarm_client* client = swarm_start(&net, 3);
    swarm_run(&net, 60);
    CHECK_EQ(client->state, SETT_CLIENT_PLAYS);
    net.share = 0;
    swarm_run(&net, 20);
    CHECK(check_seen(3) > 8);
    client->x = (client->x + SWARM_SIZE / 2) % SWARM_SIZE; /* it looks elsewhere, */
    swarm_run(&net, 40);
    CHECK(check_seen(3) > 8);
    client->x = (client->x + SWARM_SIZE / 2) % SWARM_SIZE; /* and back: the same handles */
    uint32_t cursor = 0;
    sett_entity body = sett_entity_next(net.world, &cursor);
    SETT_ADD_TAG(net.world, body, Marked);
    SETT_REMOVE(net.world, body, Ship);
    swarm_run(&net, 40);
    CHECK(check_seen(3) > 8);
    CHECK(client->compared > 80);
    swarm_end(&net);
}

/* Entities end, others begin at their index, components come and go. */
/* The system's clock moves between two calls. */
static uint64_t moving_clock(void* user)
{
    static uint64_t calls;
    return swarm_client_clock(user) + ++calls;
}

static void clocks_move_while_a_client_receives(void)
{
    swarm_begin(&net, 50, 100000, NULL);
    net.client_desc.clock_us = moving_clock;
    swarm_serve(&net);
    const swarm_client* client = swarm_start(&net, 0);
    swarm_run(&net, 40);
    CHECK_MSG(client->state == SETT_CLIENT_PLAYS, "%s", sett_client_message(client->client));
    CHECK(swarm_stats(&net, 0).applied > 30);
    swarm_end(&net);
}

static void a_changing_world_is_followed(void)
{
    swarm_begin(&net, 200, 6000,
                &(sett_net_link_desc){.seed = 2, .latency_us = 60000, .loss = 500});
    swarm_serve(&net);
    swarm_start(&net, 0);
    for (uint32_t round = 0; round < CHECK_ROUNDS(300); round++) {
        const sett_entity some = entity_from(net.world, chance_below(&net.chance, 200));
        const uint32_t what = chance_below(&net.chance, 6);
        if (what == 0) {
            sett_entity_destroy(net.world, some);
            const int32_t at = (int32_t)chance_below(&net.chance, SWARM_SIZE);
            SETT_CREATE(net.world, SETT_VALUE(Place, at, at), SETT_VALUE(Look, 1, round),
                        SETT_VALUE(Plan, 0));
        } else if (what == 1) {
            SETT_ADD_TAG(net.world, some, Marked);
        } else if (what == 2) {
            SETT_REMOVE(net.world, some, Marked);
        } else if (what == 3) {
            net.client[0].x = (int32_t)chance_below(&net.chance, SWARM_SIZE);
        } else {
            SETT_SET(net.world, some, Look, what, round);
        }
        swarm_tick(&net);
    }
    net.share = 0;
    swarm_run(&net, 60);
    check_seen(0);
    CHECK(net.client[0].compared > CHECK_ROUNDS(300) / 3);
    CHECK_VALID(net.world);
    swarm_end(&net);
}

/* The program's own entities, and its own components of received ones. */
static void the_client_has_entities_of_its_own(void)
{
    swarm_begin(&net, 50, 20000, NULL);
    swarm_serve(&net);
    swarm_client* client = swarm_start(&net, 0);
    const sett_entity spark = SETT_CREATE(client->world, SETT_VALUE(Place, 1, 2));
    swarm_run(&net, 20);
    CHECK_EQ(swarm_stats(&net, 0).entities, 50);
    uint32_t cursor = 0;
    const sett_entity body = sett_entity_next(net.world, &cursor);
    SETT_SET(client->world, body, Plan, .vx = 7);
    const sett_entity child = SETT_CREATE(client->world, SETT_VALUE(Place, 3, 4));
    CHECK_EQ(sett_hierarchy_attach(client->world, child, body), SETT_OK);
    swarm_run(&net, 20);
    CHECK_EQ(SETT_GET(client->world, body, Plan)->vx, 7);
    CHECK_EQ(SETT_GET(client->world, spark, Place)->y, 2);
    sett_entity_destroy(net.world, body);
    swarm_run(&net, 5);
    CHECK(!sett_entity_valid(client->world, body));
    CHECK_MSG(sett_entity_valid(client->world, child), "it is the client's own");
    CHECK(sett_entity_valid(client->world, spark));
    swarm_end(&net);
}

/* Links and parents are there if both ends are in sight. */
static void links_lead_to_what_is_in_sight(void)
{
    swarm_begin(&net, 20, 1000, &(sett_net_link_desc){.seed = 2, .latency_us = 30000, .loss = 300});
    net.share = 0;
    swarm_serve(&net);
    swarm_client* client = swarm_start(&net, 0);
    client->x = client->y = 100000;
    const sett_entity tank = SETT_CREATE(net.world, SETT_VALUE(Place, 100000, 100000));
    const sett_entity gun = SETT_CREATE(net.world, SETT_VALUE(Place, 101500, 100000));
    CHECK_EQ(sett_hierarchy_attach(net.world, gun, tank), SETT_OK);
    CHECK_EQ(sett_hierarchy_set_policy(net.world, tank, SETT_CHILDREN_REJECT), SETT_OK);
    for (uint32_t round = 0; round < 5; round++) {
        swarm_run(&net, 10);
        CHECK(sett_entity_valid(client->world, tank) && !sett_entity_valid(client->world, gun));
        client->x += 800; /* both */
        swarm_run(&net, 10);
        CHECK_ENTITY_EQ(sett_hierarchy_parent(client->world, gun), tank);
        client->x += 800; /* the child alone */
        swarm_run(&net, 10);
        CHECK(!sett_entity_valid(client->world, tank) && sett_entity_valid(client->world, gun));
        CHECK_ENTITY_EQ(sett_hierarchy_parent(client->world, gun), sett_null());
        client->x -= 800; /* the parent comes to its child */
        swarm_run(&net, 10);
        CHECK_ENTITY_EQ(sett_hierarchy_parent(client->world, gun), tank);
        client->x -= 800;
        swarm_run(&net, 10);
    }
    CHECK_EQ(swarm_stats(&net, 0).failed, 0);
    swarm_end(&net);
}

static bool is_own(const sett_world* world, sett_entity entity, void* user)
{
    const swarm_client* client = user;
    const Ship* ship = SETT_FIND(world, entity, Ship);
    sett_client_stats stats;
    sett_client_stats_get(client->client, &stats);
    return ship != NULL && ship->client == stats.number;
}

static void predict(sett_world* world, const void* input, void* user)
{
    const swarm_client* client = user;
    const sett_entity ship = client->of->ship[client - client->of->client];
    if (sett_entity_valid(world, ship)) {
        swarm_steer(world, ship, input);
    }
}

static void own_entities_are_predicted(void)
{
    static const sett_net_link_desc links[] = {
        {.seed = 3, .latency_us = 60000},
        {.seed = 4, .latency_us = 60000, .jitter_us = 30000, .loss = 500, .duplicate = 200}};
    for (uint32_t k = 0; k < 2; k++) {
        swarm_begin(&net, 200, 4000, &links[k]);
        net.client_desc.own = is_own;
        net.client_desc.predict = predict;
        swarm_serve(&net);
        for (uint32_t c = 0; c < 4; c++) {
            net.client[c].x = net.client[c].y = 8000;
            net.ship[c] = SETT_CREATE(net.world, SETT_VALUE(Place, 8000, 8000),
                                      SETT_VALUE(Ship, .client = c));
            swarm_start(&net, c);
        }
        swarm_run(&net, 40);
        const Place before = *SETT_GET(net.client[2].world, net.ship[2], Place);
        net.client[2].keys[0] = 3;
        swarm_tick(&net); /* at once; the server's ship has not moved yet */
        CHECK_EQ(SETT_GET(net.client[2].world, net.ship[2], Place)->x, before.x + 3);
        CHECK_EQ(SETT_GET(net.world, net.ship[2], Place)->x, before.x);
        for (uint32_t tick = 0; tick < 200; tick++) {
            net.client[2].keys[0] = (int8_t)(chance_below(&net.chance, 3) - 1);
            swarm_tick(&net);
        }
        const uint64_t corrected = swarm_stats(&net, 2).corrected;
        CHECK_MSG(k == 0 ? corrected == 0 : corrected < 150, "%llu", (unsigned long long)corrected);
        net.client[2].keys[0] = 0;
        swarm_run(&net, 10);
        Ship* ship = SETT_GET_MUT(net.world, net.ship[2], Ship);
        ship->vx = ship->vy = 0; /* no input explains that: it is corrected */
        swarm_run(&net, 30);
        CHECK(swarm_stats(&net, 2).corrected > corrected);
        CHECK_EQ(SETT_GET(net.client[2].world, net.ship[2], Place)->x,
                 SETT_GET(net.world, net.ship[2], Place)->x);
        CHECK_EQ(SETT_GET(net.client[1].world, net.ship[2], Place)->x,
                 SETT_GET(net.world, net.ship[2], Place)->x);
        CHECK_EQ(swarm_stats(&net, 2).failed, 0);
        const uint64_t input = swarm_served(&net, 2).input;
        sett_net_link_cut(net.link, 2, true); /* no more inputs: the last one holds */
        swarm_run(&net, 20);
        CHECK(swarm_served(&net, 2).input <= input + 6);
        swarm_end(&net);
    }
}

static void many_clients_over_a_bad_network(void)
{
    const sett_net_link_desc link = {
        .seed = 7, .latency_us = 50000, .jitter_us = 20000, .loss = 500, .duplicate = 100};
    const uint32_t seconds = (uint32_t)check_setting("SETT_SECONDS", CHECK_ROUNDS(2) + 3);
    swarm_begin(&net, 10000, 700, &link);
    swarm_serve(&net);
    for (uint32_t k = 0; k < SWARM_CLIENTS; k++) {
        swarm_start(&net, k);
    }
    swarm_run(&net, seconds * 20);
    uint64_t applied = 0, compared = 0, bytes = 0, datagrams = 0, entities = 0, waiting = 0;
    size_t memory = 0;
    for (uint32_t k = 0; k < SWARM_CLIENTS; k++) {
        const sett_client_stats stats = swarm_stats(&net, k);
        const sett_server_stats served = swarm_served(&net, k);
        CHECK_MSG(net.client[k].state == SETT_CLIENT_PLAYS, "client %u: %s", k,
                  sett_client_message(net.client[k].client));
        CHECK_EQ(stats.failed, 0);
        CHECK(stats.applied > (seconds - 1) * 20 * 85 / 100);
        /* two states that arrive together are compared once; sett_delta_apply compares all */
        CHECK(net.client[k].compared * 2 > stats.applied);
        CHECK(served.bytes <= served.datagrams * SETT_NET_DATAGRAM);
        applied += stats.applied;
        compared += net.client[k].compared;
        bytes += served.bytes;
        datagrams += served.datagrams;
        entities += served.entities;
        waiting += served.waiting;
        memory += served.memory;
    }
    printf("64 clients, 10,000 bodies, %u s: %llu states, %llu compared; %llu bytes a datagram, "
           "%llu entities in a view, %llu waiting, %llu KB a view\n",
           seconds, (unsigned long long)applied, (unsigned long long)compared,
           (unsigned long long)(bytes / datagrams), (unsigned long long)(entities / SWARM_CLIENTS),
           (unsigned long long)(waiting / SWARM_CLIENTS),
           (unsigned long long)(memory / SWARM_CLIENTS / 1024));
    /* ten minutes later they are so fast that many enter and leave in a tick */
    CHECK(memory / SWARM_CLIENTS < (size_t)(seconds < 60 ? 600 : 1000) << 10);
    swarm_end(&net);
}

TEST_MAIN(TEST(a_client_has_what_is_in_sight), TEST(clocks_move_while_a_client_receives),
          TEST(a_changing_world_is_followed), TEST(the_client_has_entities_of_its_own),
          TEST(links_lead_to_what_is_in_sight), TEST(own_entities_are_predicted),
          TEST(many_clients_over_a_bad_network))

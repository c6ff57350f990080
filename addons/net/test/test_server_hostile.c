/* test_server_hostile.c: a client that sends anything harms only itself, and datagrams of others
 * change nothing at a client. */
#include "sniffer.h"
#include "swarm.h"

static swarm net;

static sniffer from_client, from_server;

static void begin(void)
{
    swarm_begin(&net, 300, 4000, &(sett_net_link_desc){.seed = 3, .latency_us = 30000});
    net.desc.transport = sniffer_begin(&from_server, net.desc.transport, 0);
    swarm_serve(&net);
    swarm_client* client = swarm_start(&net, 0);
    sett_client_destroy(client->client);
    sett_client_desc desc = net.client_desc;
    desc.transport =
        sniffer_begin(&from_client, sett_net_link_transport(net.link, 0), SWARM_SERVER);
    desc.user = client;
    client->client = sett_client_create(client->world, &desc);
    client->x = client->y = SWARM_SIZE / 2;
    swarm_run(&net, 60);
    CHECK(swarm_stats(&net, 0).applied > 40);
}

static void still_plays(void)
{
    const uint64_t applied = swarm_stats(&net, 0).applied;
    swarm_run(&net, 40);
    CHECK_MSG(swarm_stats(&net, 0).applied > applied + 30, "state %d: %s", (int)net.client[0].state,
              sett_client_message(net.client[0].client));
    CHECK_EQ(swarm_stats(&net, 0).failed, 0);
    CHECK_EQ(net.left, 0);
    swarm_end(&net);
}

static void garbage_changes_nothing(void)
{
    uint64_t chance = 5;
    begin();
    for (uint32_t k = 0; k < CHECK_ROUNDS(20000); k++) {
        unsigned char bytes[SETT_NET_DATAGRAM];
        const uint32_t size = 1 + chance_below(&chance, sizeof(bytes));
        for (uint32_t b = 0; b < size; b++) {
            bytes[b] = (unsigned char)chance_draw(&chance);
        }
        bytes[0] = (unsigned char)(SERVER_HELLO - 1 + bytes[0] % 9);
        if (k % 3 == 0) { /* to the client, as if from the server */
            const sett_net_transport from = sett_net_link_transport(net.link, SWARM_SERVER);
            from.send(from.user, 0, bytes, size);
        } else { /* from the client's address, from others, from outside */
            const sett_net_transport from =
                sett_net_link_transport(net.link, k % 3 == 1 ? 0 : k % 100);
            from.send(from.user, SWARM_SERVER, bytes, size);
        }
        if (k % 200 == 0) {
            swarm_tick(&net);
        }
    }
    CHECK_EQ(net.joined, 1);
    CHECK(swarm_served(&net, 0).rejected > CHECK_ROUNDS(20000) / 20);
    CHECK(swarm_stats(&net, 0).rejected > CHECK_ROUNDS(20000) / 20);
    still_plays();
}

/* Cut, altered where that is not the client's own business, again, and from another address. */
static void replayed_datagrams_change_nothing(void)
{
    uint64_t chance = 6;
    begin();
    const uint32_t count = from_client.count < SNIFFER_SEEN ? from_client.count : SNIFFER_SEEN;
    for (uint32_t round = 0; round < CHECK_ROUNDS(40); round++) {
        for (uint32_t k = 0; k < count; k++) {
            unsigned char bytes[SETT_NET_DATAGRAM];
            const bool up = k % 2 == 0;
            const sniffer* of = up ? &from_client : &from_server;
            uint32_t size = of->size[k];
            memcpy(bytes, of->bytes[k], size);
            if (round % 4 == 1) {
                size = 1 + chance_below(&chance, size);
            } else if (round % 4 == 2) {
                bytes[1 + chance_below(&chance, 4)] ^= (unsigned char)(1 + round);
            }
            const sett_net_transport from = sett_net_link_transport(net.link, round % 4 == 3 ? 9
                                                                              : up           ? 0
                                                                                   : SWARM_SERVER);
            from.send(from.user, up ? SWARM_SERVER : 0, bytes, size);
        }
        swarm_tick(&net);
    }
    CHECK_EQ(net.joined, 1);
    still_plays();
}

/* Says that it has what was never sent; or what it never applied: that is its own loss. */
static void lying_acknowledgements_harm_the_liar(void)
{
    begin();
    swarm_start(&net, 1);
    swarm_run(&net, 20);
    unsigned char bytes[SETT_NET_DATAGRAM];
    const uint32_t last = (from_client.count - 1) % SNIFFER_SEEN;
    const sett_net_transport from = sett_net_link_transport(net.link, 0);
    const uint64_t rejected = swarm_served(&net, 0).rejected;
    memcpy(bytes, from_client.bytes[last], from_client.size[last]);
    for (uint32_t k = 0; k < 50; k++) {
        memset(bytes + 5, k % 2 == 0 ? 0x7F : 0xFF, 4);
        from.send(from.user, SWARM_SERVER, bytes, from_client.size[last]);
        swarm_tick(&net);
    }
    CHECK_EQ(swarm_served(&net, 0).rejected, rejected + 50);
    CHECK_EQ(swarm_stats(&net, 0).failed, 0);
    sett_net_link_cut(net.link, 0, true); /* from here on only lies arrive */
    sett_net_link_cut(net.link, 0, false);
    const uint64_t applied = swarm_stats(&net, 1).applied;
    for (uint32_t k = 0; k < 50; k++) {
        const uint64_t tick = swarm_served(&net, 0).tick;
        for (uint32_t b = 0; b < 4; b++) {
            bytes[5 + b] = (unsigned char)(tick >> 8 * b);
        }
        from.send(from.user, SWARM_SERVER, bytes, from_client.size[last]);
        swarm_tick(&net);
    }
    CHECK(swarm_stats(&net, 1).applied > applied + 40);
    CHECK_EQ(swarm_stats(&net, 1).failed, 0);
    swarm_end(&net);
}

/* Connected, and silent but for inputs: it acknowledges nothing. The server's memory for it has a
 * bound, and so has what it sends. */
static void a_client_that_acknowledges_nothing_costs_little(void)
{
    begin();
    unsigned char bytes[SETT_NET_DATAGRAM];
    const uint32_t last = (from_client.count - 1) % SNIFFER_SEEN;
    const uint32_t size = from_client.size[last];
    const sett_net_transport from = sett_net_link_transport(net.link, 0);
    memcpy(bytes, from_client.bytes[last], size);
    sett_client* silent = net.client[0].client;
    net.client[0].client = NULL;
    size_t early = 0;
    for (uint32_t k = 0; k < 1000; k++) {
        from.send(from.user, SWARM_SERVER, bytes, size);
        swarm_tick(&net);
        early = k == 200 ? swarm_served(&net, 0).memory : early;
    }
    CHECK_MSG(swarm_served(&net, 0).memory <= early + early / 4, "%zu, early %zu",
              swarm_served(&net, 0).memory, early);
    CHECK(swarm_served(&net, 0).connected);
    CHECK(swarm_served(&net, 0).bytes < 1200 * (1100 + 60));
    net.client[0].client = silent;
    swarm_end(&net);
}

/* An address that is not proven gets no more bytes than it sent, and no view. */
static void nothing_is_amplified(void)
{
    begin();
    const sett_net_transport from = sett_net_link_transport(net.link, 7);
    unsigned char bytes[SETT_NET_DATAGRAM];
    uint64_t sent = 0, received = 0, chance = 9;
    for (uint32_t k = 0; k < 3000; k++) {
        const uint32_t size = k % 3 == 0 ? SERVER_HELLO_SIZE : 1 + chance_below(&chance, 120);
        memset(bytes, (int)(k % 7), sizeof(bytes));
        bytes[0] = (unsigned char)(SERVER_HELLO + k % 7);
        memcpy(bytes + 1, "SETC", 4);
        from.send(from.user, SWARM_SERVER, bytes, size);
        sent += size;
        if (k % 10 == 0) {
            swarm_tick(&net);
        }
        for (uint32_t peer, got;
             (got = from.receive(from.user, &peer, bytes, sizeof(bytes))) != 0;) {
            received += got;
        }
    }
    CHECK_MSG(received < sent, "%llu for %llu", (unsigned long long)received,
              (unsigned long long)sent);
    CHECK(received > 0);
    CHECK_EQ(net.joined, 1);
    CHECK(net.server->client[7] == NULL);
    still_plays();
}

/* What the first program sent when it came, again. */
static void send_hello_again(const sniffer* hello)
{
    for (uint32_t k = 0; k < SNIFFER_SEEN; k++) {
        if (hello->bytes[k][0] == SERVER_HELLO) {
            const sett_net_transport from = sett_net_link_transport(net.link, 0);
            from.send(from.user, SWARM_SERVER, hello->bytes[k], hello->size[k]);
        }
    }
    swarm_run(&net, 10);
}

static void a_client_that_dies_leaves_and_another_takes_its_place(void)
{
    static sniffer hello;
    begin();
    hello = from_client;
    sett_net_link_cut(net.link, 0, true);
    swarm_run(&net, 120);
    CHECK_EQ(net.left, 1);
    CHECK_EQ(net.client[0].state, SETT_CLIENT_OVER);
    CHECK(!swarm_served(&net, 0).connected);
    swarm_stop(&net.client[0]);
    sett_net_link_cut(net.link, 0, false);
    swarm_start(&net, 0);
    swarm_run(&net, 40);
    CHECK_EQ(net.joined, 2);
    CHECK_EQ(net.client[0].state, SETT_CLIENT_PLAYS);
    /* another program at the same address, without a good-bye */
    sett_net_link_cut(net.link, 0, true);
    swarm_stop(&net.client[0]);
    sett_net_link_cut(net.link, 0, false);
    swarm_start(&net, 0);
    swarm_run(&net, 40);
    CHECK_EQ(net.joined, 3);
    CHECK_EQ(net.left, 2);
    CHECK_EQ(net.client[0].state, SETT_CLIENT_PLAYS);
    send_hello_again(&hello);
    CHECK_EQ(net.joined, 3);
    swarm_run(&net, 700); /* all its cookies are old by now */
    send_hello_again(&hello);
    CHECK_EQ(net.joined, 3);
    CHECK_EQ(swarm_stats(&net, 0).failed, 0);
    sett_server_drop(net.server, 0);
    swarm_run(&net, 5);
    CHECK_EQ(net.client[0].state, SETT_CLIENT_OVER);
    swarm_end(&net);
}

TEST_MAIN(TEST(garbage_changes_nothing), TEST(replayed_datagrams_change_nothing),
          TEST(lying_acknowledgements_harm_the_liar),
          TEST(a_client_that_acknowledges_nothing_costs_little), TEST(nothing_is_amplified),
          TEST(a_client_that_dies_leaves_and_another_takes_its_place))

/* test_session_hostile.c: a machine that sends anything cannot stop the others, nor make them take
 * memory or send more than they received. */
#include "peers.h"
#include "proof.h"
#include "sniffer.h"

static peers net;

static sniffer seen; /* of what player 1 sends to player 0 */

static void start_sniffed(void)
{
    peers_machine* one = peers_start(&net, 1);
    sett_session_destroy(one->session);
    sett_session_desc desc = net.desc;
    desc.local = 1;
    desc.user = one;
    desc.transport = sniffer_begin(&seen, sett_net_link_transport(net.link, 1), 0);
    one->session = sett_session_create(one->world, &desc);
    peers_run(&net, 2000);
}

static void start_two(const sett_net_link_desc* link)
{
    peers_begin(&net, 2, 2, 50, link);
    peers_start(&net, 0);
    start_sniffed();
    CHECK(peers_stats(&net, 0).frame > 60);
}

static void still_plays(void)
{
    uint64_t frame = peers_stats(&net, 0).frame;
    peers_run(&net, 2000);
    CHECK_MSG(peers_stats(&net, 0).frame > frame + 80, "frame %llu, state %d, %s",
              (unsigned long long)peers_stats(&net, 0).frame, (int)net.machine[0].state,
              net.machine[0].text);
    CHECK_EQ(net.machine[0].events[SETT_SESSION_DESYNC], 0);
    CHECK_EQ(net.machine[1].events[SETT_SESSION_DESYNC], 0);
}

/* From an address of its own, and from that of a player. */
static void garbage_changes_nothing(void)
{
    uint64_t chance = 5;
    start_two(NULL);
    for (uint32_t k = 0; k < 20000; k++) {
        unsigned char bytes[SETT_NET_DATAGRAM];
        uint32_t size = 1 + chance_below(&chance, sizeof(bytes));
        for (uint32_t b = 0; b < size; b++) {
            bytes[b] = (unsigned char)chance_draw(&chance);
        }
        bytes[0] = (unsigned char)(bytes[0] % 13);
        sett_net_transport from = sett_net_link_transport(net.link, k % 2 == 0 ? 1 : 2 + k % 20);
        from.send(from.user, 0, bytes, size);
        if (k % 100 == 0) {
            peers_run(&net, 20);
        }
    }
    CHECK(peers_stats(&net, 0).rejected > 10000);
    still_plays();
    peers_end(&net);
}

/* Each byte of what a player sent, changed; and all of it again, much later, and cut. */
static void altered_and_replayed_datagrams_change_nothing(void)
{
    uint64_t chance = 6;
    sett_net_link_desc link = {.seed = 3, .latency_us = 20000};
    start_two(&link);
    uint32_t count = seen.count < SNIFFER_SEEN ? seen.count : SNIFFER_SEEN;
    for (uint32_t round = 0; round < CHECK_ROUNDS(40); round++) {
        for (uint32_t k = 0; k < count; k++) {
            unsigned char bytes[SETT_NET_DATAGRAM];
            uint32_t size = seen.size[k];
            memcpy(bytes, seen.bytes[k], size);
            /* Not the bytes that a peer with its token may say as it likes: keys and hashes. */
            if (round % 4 == 1) {
                size = 1 + chance_below(&chance, size);
            } else if (round % 4 == 2) {
                bytes[1 + chance_below(&chance, 4)] ^= (unsigned char)(1 + round);
            }
            sett_net_transport from = sett_net_link_transport(net.link, round % 4 == 3 ? 9 : 1);
            from.send(from.user, 0, bytes, size);
        }
        peers_run(&net, 100);
    }
    still_plays();
    peers_end(&net);
}

/* Says that it has inputs that were never sent. */
static void lying_acknowledgements_are_rejected(void)
{
    start_two(NULL);
    sett_net_transport from = sett_net_link_transport(net.link, 1);
    unsigned char bytes[SETT_NET_DATAGRAM];
    uint32_t size = seen.size[(seen.count - 1) % SNIFFER_SEEN];
    memcpy(bytes, seen.bytes[(seen.count - 1) % SNIFFER_SEEN], size);
    const uint32_t acked = 1 + 4 + 1 + 1 + 4 + 4 + 4; /* kind, token, flags, players, frames */
    uint64_t before = peers_stats(&net, 0).rejected;
    for (uint32_t k = 0; k < 100; k++) {
        memset(bytes + acked, k % 2 == 0 ? 0x7F : 0xFF, 4);
        from.send(from.user, 0, bytes, size);
        peers_run(&net, 20);
    }
    CHECK_EQ(peers_stats(&net, 0).rejected, before + 100);
    still_plays();
    peers_end(&net);
}

/* An address that is not proven gets no more bytes than it sent. */
static void nothing_is_amplified(void)
{
    start_two(NULL);
    sett_net_transport from = sett_net_link_transport(net.link, 7);
    unsigned char bytes[SETT_NET_DATAGRAM];
    uint64_t sent = 0, received = 0, chance = 9;
    for (uint32_t k = 0; k < 3000; k++) {
        uint32_t size = k % 3 == 0 ? 96 : 1 + chance_below(&chance, 100);
        memset(bytes, 0, sizeof(bytes));
        bytes[0] = (unsigned char)(1 + k % 12);
        memcpy(bytes + 1, "SETT", 4);
        from.send(from.user, 0, bytes, size);
        sent += size;
        if (k % 10 == 0) {
            peers_run(&net, 20);
        }
        for (uint32_t peer, got;
             (got = from.receive(from.user, &peer, bytes, sizeof(bytes))) != 0;) {
            received += got;
        }
    }
    CHECK_MSG(received < sent, "%llu for %llu", (unsigned long long)received,
              (unsigned long long)sent);
    CHECK(received > 0);
    still_plays();
    peers_end(&net);
}

/* A player that stalls, sends half of what it should, and dies. */
static void a_peer_that_dies_in_the_middle_is_gone(void)
{
    start_two(NULL);
    peers_machine* one = &net.machine[1];
    sett_session_destroy(one->session); /* the good-bye is lost: */
    sett_net_link_cut(net.link, 0, true);
    sett_net_link_cut(net.link, 0, false);
    one->session = NULL;
    CHECK_END(one->world);
    uint64_t bytes = peers_stats(&net, 0).bytes;
    peers_run(&net, 4000);
    CHECK(peers_stats(&net, 0).bytes - bytes < 250 * 400); /* it does not send more and more */
    CHECK_EQ(net.machine[0].events[SETT_SESSION_INTERRUPTED], 1);
    CHECK_EQ(net.machine[0].events[SETT_SESSION_GONE], 0);
    peers_run(&net, 4000);
    CHECK_EQ(net.machine[0].events[SETT_SESSION_GONE], 1);
    CHECK_EQ(net.machine[0].state, SETT_SESSION_PLAYED);
    peers_end(&net);
}

static void cookies_are_for_one_address_and_some_seconds(void)
{
    const uint64_t secret[2] = {1, 2};
    const uint64_t second = 1000000;
    for (uint64_t made = 0; made < 40 * second; made += second) {
        uint64_t cookie = setti_proof_cookie(secret, 3, 4, made);
        CHECK(setti_proof_holds(secret, 3, 4, made + 10 * second, cookie));
        CHECK(!setti_proof_holds(secret, 3, 4, made + 40 * second, cookie));
        CHECK(!setti_proof_holds(secret, 5, 4, made, cookie));
        CHECK(!setti_proof_holds(secret, 3, 6, made, cookie));
    }
}

/* The greeting of a program that has ended, sent again when its cookie is old. */
static void an_old_greeting_begins_nothing(void)
{
    static unsigned char hello[SETT_NET_DATAGRAM];
    const uint32_t cookie = 1 + 4 + 4 + 4 + 8 + 8 + 4 + 4 + 8 + 4;
    start_two(NULL);
    peers_stop(&net.machine[1]);
    start_sniffed(); /* it rejoins: player 0 wants its cookie */
    uint32_t k = 0;
    while (k < SNIFFER_SEEN && (seen.size[k] != 96 || seen.bytes[k][cookie] == 0)) {
        k++;
    }
    CHECK(k < SNIFFER_SEEN);
    memcpy(hello, seen.bytes[k], 96);
    peers_stop(&net.machine[1]);
    peers_start(&net, 1);
    peers_run(&net, 40000);
    CHECK_EQ(net.machine[1].state, SETT_SESSION_PLAYED);
    const uint64_t rejected = peers_stats(&net, 0).rejected;
    sett_net_transport from = sett_net_link_transport(net.link, 1);
    from.send(from.user, 0, hello, 96);
    still_plays();
    CHECK_EQ(peers_stats(&net, 0).rejected, rejected); /* it was challenged, not believed */
    peers_end(&net);
}

TEST_MAIN(TEST(garbage_changes_nothing), TEST(altered_and_replayed_datagrams_change_nothing),
          TEST(lying_acknowledgements_are_rejected), TEST(nothing_is_amplified),
          TEST(a_peer_that_dies_in_the_middle_is_gone),
          TEST(cookies_are_for_one_address_and_some_seconds), TEST(an_old_greeting_begins_nothing))

/* test_net_link.c: the simulated network treats datagrams as it was asked to, and always alike. */
#include "check.h"
#include "proof.h"

enum {
    SENT = 20000
};

typedef struct arrival {
    uint32_t number;
    uint64_t at;
} arrival;

typedef struct arrivals {
    arrival item[2 * SENT];
    uint32_t count;
    sett_net_link_stats stats;
} arrivals;

/* Sends numbers from 0 on, one each millisecond, and notes what arrives when. */
static void run(const sett_net_link_desc* desc, uint32_t size, arrivals* out)
{
    unsigned char bytes[SETT_NET_DATAGRAM] = {0};
    sett_net_link* link = sett_net_link_create(desc);
    CHECK(link != NULL);
    sett_net_transport from = sett_net_link_transport(link, 3);
    sett_net_transport to = sett_net_link_transport(link, 5);
    out->count = 0;
    for (uint32_t ms = 0; ms < SENT + 2000; ms++) {
        if (ms < SENT) {
            memcpy(bytes, &ms, sizeof(ms));
            from.send(from.user, 5, bytes, size);
        }
        for (uint32_t peer, got; (got = to.receive(to.user, &peer, bytes, sizeof(bytes))) != 0;) {
            CHECK_EQ(got, size);
            CHECK_EQ(peer, 3);
            CHECK(out->count < 2 * SENT);
            memcpy(&out->item[out->count].number, bytes, sizeof(uint32_t));
            out->item[out->count++].at = sett_net_link_now(link);
        }
        sett_net_link_advance(link, 1000);
    }
    sett_net_link_stats_get(link, &out->stats);
    sett_net_link_destroy(link);
}

static uint32_t late(const arrivals* of)
{
    uint32_t count = 0;
    for (uint32_t k = 1; k < of->count; k++) {
        count += of->item[k].number < of->item[k - 1].number;
    }
    return count;
}

static arrivals first, second;

static void without_options_all_arrive_at_once(void)
{
    run(NULL, 4, &first);
    CHECK_EQ(first.count, SENT);
    CHECK_EQ(late(&first), 0);
    CHECK_EQ(first.stats.bytes, SENT * 32);
    for (uint32_t k = 0; k < SENT; k++) {
        CHECK_EQ(first.item[k].at, 1000000 + 1000 * (uint64_t)k);
    }
}

static void latency_and_jitter_are_within_bounds(void)
{
    sett_net_link_desc desc = {.seed = 7, .latency_us = 60000, .jitter_us = 20000};
    run(&desc, 4, &first);
    CHECK_EQ(first.count, SENT);
    uint64_t least = UINT64_MAX, most = 0;
    for (uint32_t k = 0; k < SENT; k++) {
        uint64_t took = first.item[k].at - 1000000 - 1000 * (uint64_t)first.item[k].number;
        least = took < least ? took : least;
        most = took > most ? took : most;
    }
    CHECK(least >= 40000 && least < 42000);
    CHECK(most <= 80000 && most > 78000);
    CHECK(late(&first) > SENT / 4);
}

static void loss_duplicates_and_reordering_have_their_share(void)
{
    sett_net_link_desc desc = {.seed = 3, .loss = 500, .duplicate = 100};
    run(&desc, 4, &first);
    CHECK(first.stats.duplicated > SENT / 125 && first.stats.duplicated < SENT / 80);
    CHECK(first.stats.lost > SENT / 22 && first.stats.lost < SENT / 18);
    CHECK_EQ(first.count, SENT + first.stats.duplicated - first.stats.lost);
    desc = (sett_net_link_desc){.seed = 3, .reorder = 200};
    run(&desc, 4, &first);
    CHECK_EQ(first.count, SENT);
    CHECK(late(&first) > SENT / 70 && late(&first) < SENT / 40);
}

static void bandwidth_delays_and_then_loses(void)
{
    /* 100 bytes each ms are 100 KB/s. */
    sett_net_link_desc desc = {.bytes_per_second = 200000};
    run(&desc, 72, &first);
    CHECK_EQ(first.count, SENT);
    CHECK_EQ(first.item[SENT - 1].at, 1000000 + 1000 * (uint64_t)SENT);
    desc.bytes_per_second = 50000;
    run(&desc, 72, &first);
    CHECK(first.count > SENT / 2 && first.count < SENT / 2 + 500);
    CHECK_EQ(late(&first), 0);
}

static void equal_seeds_give_equal_results(void)
{
    sett_net_link_desc desc = {.seed = 11,
                               .latency_us = 50000,
                               .jitter_us = 50000,
                               .loss = 1000,
                               .duplicate = 300,
                               .reorder = 100,
                               .bytes_per_second = 40000};
    run(&desc, 10, &first);
    run(&desc, 10, &second);
    CHECK_EQ(first.count, second.count);
    CHECK_EQ(memcmp(first.item, second.item, first.count * sizeof(arrival)), 0);
    /* On every machine: what arrived, as one number. */
    uint64_t sum = 0;
    for (uint32_t k = 0; k < first.count; k++) {
        sum = (sum ^ first.item[k].number ^ first.item[k].at) * 0x9E3779B97F4A7C15u;
    }
    CHECK_EQ(sum, 1588821248667892370u);
    desc.seed = 12;
    run(&desc, 10, &second);
    CHECK(first.count != second.count ||
          memcmp(first.item, second.item, first.count * sizeof(arrival)) != 0);
}

static void an_endpoint_is_cut_off_and_connected_again(void)
{
    sett_net_link* link = sett_net_link_create(NULL);
    sett_net_transport a = sett_net_link_transport(link, 0);
    sett_net_transport b = sett_net_link_transport(link, 1);
    unsigned char byte = 1;
    uint32_t peer;
    a.send(a.user, 1, &byte, 1);
    sett_net_link_cut(link, 1, true);
    a.send(a.user, 1, &byte, 1);
    b.send(b.user, 0, &byte, 1);
    sett_net_link_cut(link, 1, false);
    CHECK_EQ(a.receive(a.user, &peer, &byte, 1), 0);
    CHECK_EQ(b.receive(b.user, &peer, &byte, 1), 0);
    a.send(a.user, 1, &byte, 1);
    CHECK_EQ(b.receive(b.user, &peer, &byte, 1), 1);
    a.send(a.user, SETT_NET_ENDPOINTS, &byte, 1); /* there is no such endpoint */
    unsigned char two[2] = {1, 2};
    a.send(a.user, 1, two, 2); /* too long for the receiver */
    a.send(a.user, 1, &byte, 1);
    CHECK_EQ(b.receive(b.user, &peer, &byte, 1), 1);
    CHECK_EQ(b.receive(b.user, &peer, &byte, 1), 0);
    b.send(b.user, 0, &byte, 1); /* is under way at the end */
    sett_net_link_destroy(link);
}

/* Of two links the outer one is around a transport that is there at once: what it does is by the
 * system's clock, and on the way here only. */
static void a_link_around_a_transport_delays_and_loses(void)
{
    sett_net_link* real = sett_net_link_create(NULL);
    sett_net_link* bad =
        sett_net_link_create(&(sett_net_link_desc){.seed = 3, .latency_us = 20000, .loss = 5000});
    const sett_net_transport inner = sett_net_link_transport(real, 0);
    const sett_net_transport outer = sett_net_link_around(bad, &inner);
    const sett_net_transport other = sett_net_link_transport(real, 5);
    uint32_t peer, number, size, arrived = 0;
    for (number = 0; number < 200; number++) {
        other.send(other.user, 0, &number, sizeof(number));
    }
    CHECK_EQ(outer.receive(outer.user, &peer, &number, sizeof(number)), 0); /* not yet */
    /* Receives once more after the time is over: this thread may have waited in between. */
    const uint64_t begin = setti_proof_clock(NULL);
    for (bool over = false; !over;) {
        over = setti_proof_clock(NULL) - begin >= 25000;
        while ((size = outer.receive(outer.user, &peer, &number, sizeof(number))) != 0) {
            CHECK(size == sizeof(number) && peer == 5 && number < 200);
            arrived++;
        }
    }
    CHECK_MSG(arrived > 60 && arrived < 140, "%u arrive", (unsigned)arrived);
    outer.send(outer.user, 5, &number, sizeof(number));
    CHECK_EQ(other.receive(other.user, &peer, &number, sizeof(number)), sizeof(number));
    sett_net_link_cut(bad, 5, true);
    for (number = 0; number < 50; number++) {
        other.send(other.user, 0, &number, sizeof(number));
    }
    CHECK_EQ(outer.receive(outer.user, &peer, &number, sizeof(number)), 0);
    sett_net_link_stats stats;
    sett_net_link_stats_get(bad, &stats);
    CHECK_EQ(stats.lost, 250 - arrived);
    sett_net_link_destroy(bad);
    sett_net_link_destroy(real);
}

TEST_MAIN(TEST(without_options_all_arrive_at_once), TEST(latency_and_jitter_are_within_bounds),
          TEST(loss_duplicates_and_reordering_have_their_share),
          TEST(bandwidth_delays_and_then_loses), TEST(equal_seeds_give_equal_results),
          TEST(an_endpoint_is_cut_off_and_connected_again),
          TEST(a_link_around_a_transport_delays_and_loses))

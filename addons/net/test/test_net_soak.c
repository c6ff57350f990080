/* test_net_soak.c: 2, 4 and 8 players over four networks, with duplicates and clocks out of step;
 * each final state is hashed, and all are compared. It prints a table.
 *
 *   SETT_SECONDS  simulated seconds of each game; 20. A long run: 600 */
#include "peers.h"

static peers net;
static uint64_t*
    chains; /* of each frame and machine: a hash of all hashes up to it; 0: not noted */

/* Notes how far each machine has hashed. */
static void note(uint64_t frames)
{
    for (uint32_t k = 0; k < net.desc.players; k++) {
        sett_session_stats stats = peers_stats(&net, k);
        if (stats.hash_frame >= 0 && (uint64_t)stats.hash_frame < frames) {
            chains[(uint64_t)stats.hash_frame * net.desc.players + k] = stats.chain;
        }
    }
}

/* Returns up to which frame all states of all machines are equal. */
static uint64_t compare(uint64_t frames)
{
    uint64_t last = 0;
    for (uint64_t f = 0; f < frames; f++) {
        const uint64_t* chain = chains + f * net.desc.players;
        uint32_t both = 0;
        for (uint32_t k = 1; k < net.desc.players; k++) {
            both += chain[0] != 0 && chain[k] != 0;
            CHECK_MSG(chain[0] == 0 || chain[k] == 0 || chain[0] == chain[k],
                      "frame %llu: player %u has another state", (unsigned long long)f, k);
        }
        last = both == net.desc.players - 1 ? f : last;
    }
    return last;
}

static void row(uint32_t players, const sett_net_link_desc* link, uint64_t seconds)
{
    peers_begin(&net, players, 2, 100, link);
    net.desc.hash_every = 1;
    net.desc.max_prediction = link->latency_us > 100000 ? 20 : 10;
    peers_start_all(&net);
    const uint64_t most = seconds * 61 + 100;
    chains = calloc(most * players, sizeof(*chains));
    CHECK(chains != NULL);
    for (uint64_t ms = 0; ms < seconds * 1000; ms += 4) {
        peers_run(&net, 4);
        note(most);
    }
    uint64_t equal = compare(most);
    free(chains);
    uint64_t frames = 0, replayed = 0, bytes = 0, least = UINT64_MAX;
    uint32_t deepest = 0, wait = 0;
    for (uint32_t k = 0; k < players; k++) {
        sett_session_stats stats = peers_stats(&net, k);
        CHECK_MSG(net.machine[k].events[SETT_SESSION_DESYNC] == 0, "%s", net.machine[k].text);
        CHECK_EQ(net.machine[k].events[SETT_SESSION_GONE], 0);
        CHECK(stats.rejected < 20); /* what comes twice, or before the handshake has ended */
        frames += stats.frame;
        replayed += stats.replayed;
        bytes += stats.bytes + 28 * stats.datagrams;
        least = stats.frame < least ? stats.frame : least;
        deepest = stats.deepest > deepest ? stats.deepest : deepest;
        wait = stats.longest_wait > wait ? stats.longest_wait : wait;
    }
    CHECK(least > (seconds - 2) * 50); /* the handshake takes up to two */
    /* hashes of all eight arrive up to three seconds late at the beginning */
    CHECK_MSG(equal + 180 > least, "%llu of %llu frames", (unsigned long long)equal,
              (unsigned long long)least);
    printf("| %u, %u+-%u ms, %u %% | %.2f | %u | %u | %.1f | %llu |\n", players,
           link->latency_us / 1000, link->jitter_us / 1000, link->loss / 100,
           (double)replayed / (double)frames, deepest, wait,
           (double)bytes / 1000.0 / (double)(seconds * players), (unsigned long long)equal);
    peers_end(&net);
}

static void all_networks(void)
{
    static const sett_net_link_desc links[] = {
        {.seed = 1, .latency_us = 30000, .jitter_us = 5000, .loss = 100, .duplicate = 100},
        {.seed = 2, .latency_us = 60000, .jitter_us = 20000, .loss = 500, .duplicate = 100},
        {.seed = 3, .latency_us = 120000, .jitter_us = 40000, .loss = 500, .duplicate = 100},
        {.seed = 4, .latency_us = 200000, .jitter_us = 80000, .loss = 1000, .duplicate = 100}};
    const uint64_t seconds = check_setting("SETT_SECONDS", CHECK_ROUNDS(20) + 3);
    printf(
        "| players, one way, loss | frames played again, a frame | deepest | longest wait, frames"
        " | KB/s up, a peer | frames equal |\n|---|---|---|---|---|---|\n");
    for (uint32_t players = 2; players <= 8; players *= 2) {
        for (uint32_t k = 0; k < 4; k++) {
            row(players, &links[k], seconds);
        }
    }
}

TEST_MAIN(TEST(all_networks))

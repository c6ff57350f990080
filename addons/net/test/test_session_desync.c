/* test_session_desync.c: a planted bit is named by all peers; peers that do not fit say why. */
#include "peers.h"

static peers net;

static void one_bit_is_named_by_all(void)
{
    static const sett_net_link_desc link = {
        .seed = 1, .latency_us = 60000, .jitter_us = 20000, .loss = 500, .duplicate = 100};
    for (uint32_t players = 2; players <= 8; players *= 2) {
        for (uint32_t bad = 0; bad < players; bad += players - 1) {
            peers_begin(&net, players, 4, 3000, &link);
            net.desc.hash_every = bad == 0 ? 1 : 10;
            net.desc.desync_path = "net_desync";
            peers_start_all(&net);
            peers_run(&net, 2000);
            net.machine[bad].planted = true;
            peers_run(&net, 6000);
            for (uint32_t k = 0; k < players; k++) {
                const peers_machine* machine = &net.machine[k];
                CHECK_MSG(machine->state == SETT_SESSION_OVER, "peer %u of %u goes on", k, players);
                CHECK_EQ(machine->events[SETT_SESSION_DESYNC], 1);
                bool named = strstr(machine->text, "entity 5:1: \"Body\" differs: ") != NULL &&
                             strstr(machine->text, "vx is") != NULL;
                CHECK_MSG(named, "%s", machine->text);
            }
            peers_end(&net);
        }
    }
    /* Both states are files: here of player 1 and of player 7, the last one with the bit. */
    sett_world* mine = peers_world(&net);
    sett_world* other = peers_world(&net);
    char text[256];
    CHECK_EQ(sett_world_load(mine, "net_desync_mine.sett"), SETT_OK);
    CHECK_EQ(sett_world_load(other, "net_desync_peer7.sett"), SETT_OK);
    CHECK(sett_world_difference(mine, other, text, sizeof(text)) != 0);
    CHECK(strstr(text, "entity 5:1: \"Body\" differs") != NULL);
    CHECK_END(mine);
    CHECK_END(other);
}

static void worlds_that_begin_differently_are_a_desync_at_once(void)
{
    peers_begin(&net, 2, 2, 20, NULL);
    peers_start_all(&net);
    uint32_t index = 9;
    SETT_GET_MUT(net.machine[1].world, sett_entity_next(net.machine[1].world, &index), Body)->y = 3;
    peers_run(&net, 1000);
    for (uint32_t k = 0; k < 2; k++) {
        CHECK_MSG(strstr(net.machine[k].text,
                         "before frame 0: entity 9:1: \"Body\" differs: y is") != NULL,
                  "%s", net.machine[k].text);
    }
    peers_end(&net);
}

/* ----------------------------------------------------------------------------------- handshake */

typedef struct Body2 {
    int64_t x, y, vx, vy;
} Body2;

/* Player 1 begins again with other options and types. */
static void expect_rejection(const sett_session_desc* desc, const char* type, const char* expected)
{
    peers_begin(&net, 2, 0, 0, NULL);
    peers_start(&net, 0);
    peers_machine* machine = peers_start(&net, 1);
    peers_stop(machine);
    sett_world* world = quiet_world();
    if (type == NULL) {
        CHECK_EQ(SETT_REGISTER_ALL(world, PEERS_TYPES), SETT_OK);
    } else {
        sett_component_desc body = {.name = "Body", .size = 32, .align = 8};
        CHECK(strcmp(type, "Body") != 0 || sett_component_register(world, &body) != 0);
        for (uint32_t k = 0; k < 300 && strcmp(type, "many") == 0; k++) {
            char name[16];
            snprintf(name, sizeof(name), "Tag%u", k);
            CHECK(sett_component_register(world, &(sett_component_desc){.name = name}) != 0);
        }
    }
    machine->world = world;
    sett_session_desc own = net.desc;
    own.local = 1;
    own.game_version = desc->game_version;
    own.hash_every = desc->hash_every;
    own.transport = sett_net_link_transport(net.link, 1);
    own.user = machine;
    machine->session = sett_session_create(world, &own);
    peers_run(&net, 3000);
    CHECK_EQ(machine->state, SETT_SESSION_OVER);
    CHECK_EQ(net.machine[0].state, SETT_SESSION_OVER);
    CHECK_MSG(strstr(machine->text, expected) != NULL, "%s", machine->text);
    CHECK_EQ(machine->events[SETT_SESSION_REJECTED], 1);
    CHECK_EQ(net.machine[0].events[SETT_SESSION_REJECTED], 1);
    peers_end(&net);
}

static void peers_that_do_not_fit_say_why(void)
{
    sett_session_desc same = {0};
    sett_session_desc game = {.game_version = 2};
    sett_session_desc every = {.hash_every = 7};
    expect_rejection(&game, NULL, "peer 0: it has game_version 0, here 2 - start the same version");
    expect_rejection(&every, NULL, "peer 0: it has hash_every 10, here 7");
    expect_rejection(&same, "Body",
                     "peer 0: the type \"Body\" has another layout there - register it alike");
    expect_rejection(
        &same, "none",
        "peer 0: it has the type \"Body\", which is missing here - register the same types");
    expect_rejection(&same, "many", "peer 0: it does not have the type \"Tag0\"");
}

TEST_MAIN(TEST(one_bit_is_named_by_all), TEST(worlds_that_begin_differently_are_a_desync_at_once),
          TEST(peers_that_do_not_fit_say_why))

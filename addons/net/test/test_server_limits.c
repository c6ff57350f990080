/* test_server_limits.c: what a client may not see is in no byte; budgets; large states; clients
 * that do not fit. */
#include "net_client.h"
#include "swarm.h"

static swarm net;

/* ------------------------------------------------------------------------------------- secrets */

enum {
    SECRETS = 200
};

typedef struct recorder {
    sett_net_transport real;
    unsigned char* bytes;
    size_t size, capacity;
    uint32_t largest;
} recorder;

static uint32_t record(void* user, uint32_t* peer, void* out, uint32_t capacity)
{
    recorder* to = user;
    const uint32_t size = to->real.receive(to->real.user, peer, out, capacity);
    if (to->size + size > to->capacity) {
        to->capacity = (to->size + size) * 2;
        to->bytes = realloc(to->bytes, to->capacity);
        CHECK(to->bytes != NULL);
    }
    if (size != 0) { /* or there may be no bytes yet */
        memcpy(to->bytes + to->size, out, size);
    }
    to->size += size;
    to->largest = size > to->largest ? size : to->largest;
    return size;
}

static void record_send(void* user, uint32_t peer, const void* bytes, uint32_t size)
{
    const recorder* to = user;
    to->real.send(to->real.user, peer, bytes, size);
}

static swarm_client* start_recorded(uint32_t k, recorder* to)
{
    swarm_client* client = swarm_start(&net, k);
    *to = (recorder){.real = sett_net_link_transport(net.link, k)};
    sett_client_destroy(client->client);
    sett_client_desc desc = net.client_desc;
    desc.transport = (sett_net_transport){to, record_send, record};
    desc.user = client;
    client->client = sett_client_create(client->world, &desc);
    return client;
}

static void look_for(const Look* secrets, const unsigned char* bytes, size_t size, bool* found)
{
    for (uint32_t k = 0; k < SECRETS; k++) {
        for (size_t at = 0; at + sizeof(Look) <= size && !found[k]; at++) {
            found[k] = memcmp(bytes + at, &secrets[k], sizeof(Look)) == 0;
        }
    }
}

/* 200 secret values wander out of sight, next to those in sight, some of which leave and come back;
 * `sight` is what the client really has. Returns how many of them are in the bytes received, and in
 * what the client unpacked of these. */
static uint32_t leaked(int32_t sight)
{
    static Look secrets[SECRETS];
    bool found[SECRETS] = {false};
    sett_entity bearer[SECRETS];
    recorder to;
    swarm_begin(&net, 300, sight,
                &(sett_net_link_desc){.seed = 3, .latency_us = 40000, .loss = 500});
    for (uint32_t k = 0; k < SECRETS; k++) {
        secrets[k] = (Look){(uint32_t)chance_draw(&net.chance), (uint32_t)chance_draw(&net.chance)};
        bearer[k] = SETT_CREATE(net.world, SETT_VALUE(Place, 100000 + (int32_t)k, 0),
                                SETT_VALUE_OF(Look, &secrets[k]));
    }
    swarm_serve(&net);
    net.share = 60;
    swarm_client* client = start_recorded(0, &to);
    for (uint32_t tick = 0; tick < 400; tick++) {
        client->x = SWARM_SIZE / 2 + (int32_t)(tick % 50) * 20;
        const uint32_t k = chance_below(&net.chance, SECRETS);
        SETT_GET_MUT(net.world, bearer[k], Place)->y++;
        SETT_SET(net.world, bearer[k], Look, secrets[k].kind, secrets[k].health);
        swarm_tick(&net);
        look_for(secrets, client->client->whole, client->client->whole_capacity, found);
    }
    CHECK(swarm_stats(&net, 0).entities > 20);
    CHECK(swarm_stats(&net, 0).applied > 200);
    look_for(secrets, to.bytes, to.size, found);
    free(to.bytes);
    swarm_end(&net);
    uint32_t count = 0;
    for (uint32_t k = 0; k < SECRETS; k++) {
        count += found[k];
    }
    return count;
}

static void no_secret_is_in_any_byte(void)
{
    CHECK_EQ(leaked(4000), 0);
    CHECK_EQ(leaked(1000000), SECRETS); /* the recorder finds them if they are sent */
}

/* ------------------------------------------------------------------------------------- budgets */

/* All is in sight, all moves, and a datagram takes a part of it. */
static void a_budget_is_shared_by_priority(void)
{
    static uint64_t changes[2][64];
    recorder to;
    swarm_begin(&net, 128, 100000, &(sett_net_link_desc){.latency_us = 30000});
    net.desc.budget = 600;
    swarm_serve(&net);
    swarm_client* client = start_recorded(0, &to);
    client->x = client->y = 0;
    uint32_t cursor = 0, count = 0;
    for (sett_entity e; !sett_is_null(e = sett_entity_next(net.world, &cursor)); count++) {
        SETT_GET_MUT(net.world, e, Place)->x = count % 2 == 0 ? 10000 : 25000; /* near, and far */
        SETT_GET_MUT(net.world, e, Place)->y = 0;
    }
    net.share = 0;
    uint32_t last[128] = {0};
    for (uint32_t tick = 0; tick < 400; tick++) {
        SETT_FOR(net.bodies, b, i) {
            const uint32_t index = sett_batch_index(b, i);
            const sett_entity e = sett_batch_entity(b, i);
            *SETT_GET_MUT(net.world, e, Look) = (Look){tick, (uint32_t)chance_draw(&net.chance)};
            const Look* look =
                sett_entity_valid(client->world, e) ? SETT_FIND(client->world, e, Look) : NULL;
            if (look != NULL && look->kind != last[index]) {
                last[index] = look->kind;
                changes[index % 2][index / 2]++;
            }
        }
        swarm_tick(&net);
    }
    uint64_t near = 0, far = 0;
    for (uint32_t k = 0; k < 64; k++) {
        near += changes[0][k];
        far += changes[1][k];
        CHECK_MSG(changes[1][k] > 4, "far entity %u starves: %llu", k,
                  (unsigned long long)changes[1][k]);
    }
    CHECK_MSG(near > 2 * far, "near %llu, far %llu", (unsigned long long)near,
              (unsigned long long)far);
    CHECK(to.largest <= 600);
    CHECK_EQ(swarm_stats(&net, 0).failed, 0);
    CHECK_EQ(swarm_stats(&net, 0).entities, 128);
    free(to.bytes);
    swarm_end(&net);
}

/* ------------------------------------------------------------------------------------- parts */

static void large_values_go_in_parts(void)
{
    const sett_net_link_desc link = {
        .seed = 4, .latency_us = 60000, .jitter_us = 30000, .loss = 1000, .duplicate = 200};
    swarm_begin(&net, 100, 100000, &link);
    recorder to;
    swarm_serve(&net);
    swarm_client* client = start_recorded(0, &to);
    swarm_run(&net, 20);
    const sett_entity land = SETT_CREATE(net.world, SETT_VALUE(Place, client->x, client->y));
    Map* map = SETT_ADD(net.world, land, Map);
    for (uint32_t k = 0; k < 5000; k++) {
        map->tile[k] = (uint32_t)chance_draw(&net.chance);
    }
    swarm_run(&net, 150);
    CHECK(sett_entity_valid(client->world, land));
    CHECK(memcmp(SETT_GET(client->world, land, Map), SETT_GET(net.world, land, Map), sizeof(Map)) ==
          0);
    const uint64_t tick = swarm_stats(&net, 0).tick;
    SETT_GET_MUT(net.world, land, Map)->tile[17]++;
    swarm_run(&net, 20); /* a small change is a small state */
    CHECK_EQ(SETT_GET(client->world, land, Map)->tile[17],
             SETT_GET(net.world, land, Map)->tile[17]);
    CHECK(swarm_stats(&net, 0).tick > tick + 10);
    CHECK_EQ(swarm_stats(&net, 0).failed, 0);
    CHECK(to.largest <= SETT_NET_DATAGRAM);
    free(to.bytes);
    swarm_end(&net);
}

/* While parts are on their way, acknowledgements of states before them arrive, and the first parts
 * can be lost. All parts still lead from the state from which they were cut: here what is in sight
 * changes at once, and all that is sent in that tick is lost. */
static void parts_lead_from_where_they_were_cut(void)
{
    const sett_net_link_desc link = {.seed = 6, .latency_us = 60000};
    sett_net_link_desc dead = link;
    dead.loss = 10000;
    swarm_begin(&net, 3000, 3000, &link);
    swarm_serve(&net);
    swarm_client* client = swarm_start(&net, 0);
    for (uint32_t round = 0; round < 6; round++) {
        swarm_run(&net, 100);
        client->x = client->y = round % 2 == 0 ? 4000 : 12000;
        sett_net_link_set(net.link, &dead);
        swarm_run(&net, 1);
        sett_net_link_set(net.link, &link);
        swarm_run(&net, 20);
        CHECK_EQ(swarm_stats(&net, 0).failed, 0);
        CHECK(swarm_stats(&net, 0).tick > 110);
    }
    swarm_end(&net);
}

/* A thousand entities leave at once. */
static void a_whole_sight_changes_at_once(void)
{
    swarm_begin(&net, 3000, 3000,
                &(sett_net_link_desc){.seed = 5, .latency_us = 60000, .loss = 500});
    swarm_serve(&net);
    swarm_client* client = swarm_start(&net, 0);
    for (uint32_t round = 0; round < 6; round++) {
        client->x = client->y = round % 2 == 0 ? 4000 : 12000;
        swarm_run(&net, 150);
        CHECK_MSG(swarm_stats(&net, 0).entities > 150, "%u", swarm_stats(&net, 0).entities);
    }
    CHECK_EQ(swarm_stats(&net, 0).failed, 0);
    swarm_end(&net);
}

/* ------------------------------------------------------------------------------------ handshake */

static sett_status register_other(sett_world* world)
{
    return SETT_REGISTER_WITH(world, Place, .id = Place_id, .members = SETT_STRUCT(Place, x, y)) !=
                   0
               ? SETT_OK
               : SETT_STATUS_OUT_OF_MEMORY;
}

static sett_status register_wider(sett_world* world)
{
    sett_component_desc desc = {.name = "Look", .size = 12, .id = Look_id};
    return sett_component_register(world, &desc) != 0 ? register_other(world) : SETT_OK;
}

static const char* rejection(sett_client_desc desc, sett_status (*register_types)(sett_world*))
{
    static char text[256];
    sett_world* world = quiet_world();
    CHECK_EQ(register_types(world), SETT_OK);
    desc.register_types = register_types;
    desc.transport = sett_net_link_transport(net.link, 5);
    desc.user = &net.client[5];
    net.client[5].of = &net;
    sett_client* client = sett_client_create(world, &desc);
    CHECK(client != NULL);
    for (uint32_t k = 0; k < 10; k++) {
        swarm_tick(&net);
        sett_client_advance(client, "\0");
    }
    snprintf(text, sizeof(text), "%s", sett_client_message(client));
    sett_client_destroy(client);
    CHECK_END(world);
    return text;
}

static void clients_that_do_not_fit_are_told_why(void)
{
    static const sett_component place[] = {Place_id}, look[] = {Place_id, Look_id};
    swarm_begin(&net, 10, 100000, NULL);
    swarm_serve(&net);
    sett_client_desc desc = net.client_desc;
    desc.game_version = 2;
    CHECK(strstr(rejection(desc, swarm_register), "set the same `game_version`") != NULL);
    desc = net.client_desc;
    desc.input_size = 3;
    CHECK(strstr(rejection(desc, swarm_register), "set the same `input_size`") != NULL);
    desc = net.client_desc;
    desc.types = place;
    desc.type_count = 1;
    CHECK(strstr(rejection(desc, register_other), "other types") != NULL);
    desc.types = look;
    desc.type_count = 2;
    const char* why = rejection(desc, register_wider);
    CHECK_MSG(strstr(why, "it has another layout of \"Look\", or does not send it") != NULL, "%s",
              why);
    CHECK_EQ(net.joined, 0);
    CHECK_EQ(rejection(net.client_desc, swarm_register)[0], '\0');
    CHECK_EQ(net.joined, 1);
    swarm_end(&net);
}

static void wrong_options_are_rejected(void)
{
    static const sett_component name[] = {Place_id, SETT_ID_NAME}, none[] = {900};
    swarm_begin(&net, 10, 1000, NULL);
    CHECK(sett_name_register(net.world) != 0);
    for (uint32_t k = 0; k < 9; k++) {
        sett_server_desc desc = net.desc;
        desc.clients = k == 0 ? 0 : k == 1 ? SETT_SERVER_CLIENTS + 1 : desc.clients;
        desc.input_size = k == 2 ? 65 : 2;
        desc.budget = k == 3 ? 1201 : k == 4 ? 100 : 0;
        desc.see = k == 5 ? NULL : desc.see;
        desc.types = k == 6 ? name : k == 7 ? none : desc.types;
        desc.register_types = k == 8 ? register_other : desc.register_types;
        desc.type_count = k == 6 ? 2 : k == 7 ? 1 : desc.type_count;
        CHECK_MSG(sett_server_create(net.world, &desc) == NULL, "option %u", k);
    }
    sett_world* world = quiet_world();
    CHECK_EQ(swarm_register(world), SETT_OK);
    const sett_client_desc good = net.client_desc;
    for (uint32_t k = 0; k < 4; k++) {
        sett_client_desc desc = good;
        desc.transport = sett_net_link_transport(net.link, 0);
        desc.transport.send = k == 0 ? NULL : desc.transport.send;
        desc.first_own = k == 1 ? 100 : 0;
        desc.register_types = k == 2 ? register_other : desc.register_types;
        if (k == 3) {
            SETT_CREATE(world, SETT_VALUE(Place, 0));
        }
        CHECK_MSG(sett_client_create(world, &desc) == NULL, "option %u", k);
    }
    sett_server_destroy(NULL);
    sett_client_destroy(NULL);
    CHECK_END(world);
    swarm_serve(&net);
    swarm_end(&net);
}

TEST_MAIN(TEST(no_secret_is_in_any_byte), TEST(a_budget_is_shared_by_priority),
          TEST(large_values_go_in_parts), TEST(parts_lead_from_where_they_were_cut),
          TEST(a_whole_sight_changes_at_once), TEST(clients_that_do_not_fit_are_told_why),
          TEST(wrong_options_are_rejected))

/* net_main.c: prints what a server costs: bytes, time and memory for each client and tick; then the
 * tables of net_state.c and net_cubes.c.
 *
 * 1,000 bodies on 200 m x 200 m, positions rounded to 1/512 m, rotations in 32 bits, 20 ticks a
 * second, 50 ms one way. Rows differ in clients, sight, how many bodies move, and loss. */
#include "net_rows.h"
#include "sett/sett.h"
#include "sett_net.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
    BODIES = 1000,
    CLIENTS = 64,
    TICKS = 400,
    TICK_US = 50000
};

typedef struct Body { /* the server's own */
    float vx, vz;
} Body;
typedef struct Place {
    float x, y, z;
    uint32_t turn;
} Place;

#define NET_TYPES(COMPONENT, TAG)                                                                  \
    COMPONENT(Body)                                                                                \
    COMPONENT(Place, .members = SETT_STRUCT(Place, (x, .step = 1.0 / 512), (y, .step = 1.0 / 512), \
                                            (z, .step = 1.0 / 512), turn))
SETT_COMPONENTS(NET_TYPES)

typedef struct net_row {
    uint32_t clients, loss; /* loss: of 10,000 */
    float sight, share;     /* m; of the bodies, how many move */
} net_row;

typedef struct net_scene {
    const net_row* row;
    sett_world* world;
    sett_query *moving, *placed;
    float x[CLIENTS], z[CLIENTS];
    uint64_t seen, seed;
} net_scene;

static sett_status net_register(sett_world* world)
{
    return SETT_REGISTER_ALL(world, NET_TYPES);
}

static float net_draw(net_scene* scene)
{
    return (float)sett_random_uniform(sett_random(1, sett_null(), scene->seed++, 0));
}

static void net_see(sett_sight* sight, sett_world* world, uint32_t client, void* user)
{
    net_scene* scene = user;
    const float radius = scene->row->sight * scene->row->sight;
    (void)world;
    SETT_FOR(scene->placed, b, i) {
        const Place* place = &SETT_FIELD(b, 0, Place)[i];
        const float x = place->x - scene->x[client], z = place->z - scene->z[client];
        if (x * x + z * z < radius) {
            sett_sight_add(sight, sett_batch_entity(b, i), 1);
            scene->seen++;
        }
    }
}

static float net_wrap(float at)
{
    return at < 0 ? at + 200 : at >= 200 ? at - 200 : at;
}

static void net_move(net_scene* scene)
{
    const uint32_t share = (uint32_t)(scene->row->share * BODIES);
    SETT_FOR(scene->moving, b, i) {
        Body* body = &SETT_FIELD_MUT(b, 0, Body)[i];
        Place* place = &SETT_FIELD_MUT(b, 1, Place)[i];
        if (sett_batch_index(b, i) * 7919 % BODIES < share) {
            body->vx = (body->vx + net_draw(scene) - 0.5f) * 0.98f;
            body->vz = (body->vz + net_draw(scene) - 0.5f) * 0.98f;
            place->x = net_wrap(place->x + body->vx / 20);
            place->z = net_wrap(place->z + body->vz / 20);
            place->turn += 1 << 10 | 1;
        }
    }
}

static void net_fill(net_scene* scene)
{
    scene->moving = SETT_QUERY_CREATE(scene->world, SETT_INOUT(Body), SETT_INOUT(Place));
    scene->placed = SETT_QUERY_CREATE(scene->world, SETT_IN(Place));
    for (uint32_t k = 0; k < BODIES; k++) {
        SETT_CREATE(
            scene->world, SETT_VALUE(Body, net_draw(scene) * 4 - 2, net_draw(scene) * 4 - 2),
            SETT_VALUE(Place, net_draw(scene) * 200, net_draw(scene), net_draw(scene) * 200, 0));
    }
    for (uint32_t k = 0; k < CLIENTS; k++) {
        scene->x[k] = net_draw(scene) * 200;
        scene->z[k] = net_draw(scene) * 200;
    }
}

double net_us(void)
{
    struct timespec now;
    (void)timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static sett_net_link* net_link;

static uint64_t net_clock(void* user)
{
    (void)user;
    return sett_net_link_now(net_link);
}

static sett_client* net_join(sett_world** world, uint32_t k, const sett_component* types)
{
    *world = sett_world_create(NULL);
    (void)net_register(*world);
    return sett_client_create(*world,
                              &(sett_client_desc){.server = CLIENTS,
                                                  .register_types = net_register,
                                                  .types = types,
                                                  .type_count = 1,
                                                  .transport = sett_net_link_transport(net_link, k),
                                                  .clock_us = net_clock});
}

static void net_print(net_scene* scene, sett_server* server, sett_client** client, double us)
{
    const net_row* row = scene->row;
    uint64_t bytes = 0, datagrams = 0, applied = 0, failed = 0;
    size_t memory = 0;
    for (uint32_t k = 0; k < row->clients; k++) {
        sett_server_stats served;
        sett_client_stats stats;
        sett_server_stats_get(server, k, &served);
        sett_client_stats_get(client[k], &stats);
        bytes += served.bytes, datagrams += served.datagrams, memory += served.memory;
        applied += stats.applied, failed += stats.failed;
    }
    printf("| %u, %.0f m, %.0f %%, %u %% | %.0f | %.0f | %.1f | %.0f | %.0f | %llu, %llu |\n",
           (unsigned)row->clients, (double)row->sight, (double)row->share * 100,
           (unsigned)row->loss / 100, (double)scene->seen / (row->clients * TICKS),
           (double)bytes / (double)datagrams,
           (double)(bytes + 28 * datagrams) * 8 / row->clients / (TICKS / 20.0) / 1000,
           us / (row->clients * TICKS), (double)memory / row->clients / 1024,
           (unsigned long long)applied, (unsigned long long)failed);
}

static void net_run(const net_row* row)
{
    static const sett_component types[] = {Place_id};
    sett_client* client[CLIENTS];
    sett_world* world[CLIENTS];
    net_scene scene = {.row = row, .world = sett_world_create(NULL)};
    net_link = sett_net_link_create(&(sett_net_link_desc){
        .seed = 9, .latency_us = 50000, .jitter_us = 10000, .loss = row->loss});
    (void)net_register(scene.world);
    net_fill(&scene);
    sett_server* server = sett_server_create(
        scene.world, &(sett_server_desc){.clients = row->clients,
                                         .register_types = net_register,
                                         .types = types,
                                         .type_count = 1,
                                         .see = net_see,
                                         .user = &scene,
                                         .transport = sett_net_link_transport(net_link, CLIENTS),
                                         .clock_us = net_clock});
    for (uint32_t k = 0; k < row->clients; k++) {
        client[k] = net_join(&world[k], k, types);
    }
    double us = 0;
    for (uint32_t tick = 0; tick < TICKS; tick++) {
        sett_net_link_advance(net_link, TICK_US);
        net_move(&scene);
        const double from = net_us();
        sett_server_receive(server);
        sett_server_send(server);
        us += net_us() - from;
        for (uint32_t k = 0; k < row->clients; k++) {
            (void)sett_client_advance(client[k], NULL);
        }
    }
    net_print(&scene, server, client, us);
    for (uint32_t k = 0; k < row->clients; k++) {
        sett_client_destroy(client[k]);
        sett_world_destroy(world[k]);
    }
    sett_server_destroy(server);
    sett_world_destroy(scene.world);
    sett_net_link_destroy(net_link);
}

#ifdef NET_WITHOUT_CUBES
void net_print_cubes(void)
{
    printf("\nThe pile of cubes is left out: libode was not found when this was built.\n");
}
#endif

int main(void)
{
    static const net_row rows[] = {{1, 0, 300, 1},   {1, 0, 300, 0.2f},   {16, 0, 30, 1},
                                   {16, 500, 30, 1}, {16, 500, 30, 0.2f}, {64, 500, 30, 0.2f}};
    printf("| clients, sight, moving, loss | bodies in sight | bytes a datagram | kbit/s a client "
           "| us a client and tick | KB a view | states applied, failed |\n"
           "|---|---|---|---|---|---|---|\n");
    for (uint32_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
        net_run(&rows[k]);
    }
    net_print_hand();
    net_print_rollback();
    net_print_cubes();
    return 0;
}

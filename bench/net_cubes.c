/* net_cubes.c: 900 cubes fall on a heap, and a large one rolls through it: 60 ticks a second, moved
 * by Open Dynamics Engine, sent to one client that sees all. Published for such a scene: 17,370
 * kbit/s raw, a goal of 256 (gafferongames.com, "Snapshot compression"). */
#include "net_rows.h"
#include "sett/sett.h"
#include "sett_net.h"

#include <math.h>
#include <ode/ode.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    CUBES = 901,
    RATE = 60,
    CUBE_TICKS = 20 * RATE,
    CONTACTS = 4
};

typedef struct Cube {
    float x, y, z;
    uint32_t turn; /* the smallest three of a quaternion, 9 bits each */
} Cube;

#define CUBE_TYPES(COMPONENT, TAG)                                                                 \
    COMPONENT(Cube, .members = SETT_STRUCT(Cube, (x, .step = 1.0 / 512), (y, .step = 1.0 / 512),   \
                                           (z, .step = 1.0 / 512), turn))
SETT_COMPONENTS(CUBE_TYPES)

/* ------------------------------------------------------------------------------------- physics */

typedef struct cube_physics {
    dWorldID world;
    dSpaceID space;
    dJointGroupID contacts;
    dBodyID body[CUBES];
} cube_physics;

typedef struct cube_state {
    Cube cube;
    float speed; /* m/s */
} cube_state;

static uint32_t cube_turn(const dReal* q)
{
    uint32_t big = 0;
    for (uint32_t k = 1; k < 4; k++) {
        big = fabs((double)q[k]) > fabs((double)q[big]) ? k : big;
    }
    uint32_t bits = big;
    for (uint32_t k = 0; k < 4; k++) {
        if (k != big) {
            const double value = (double)(q[big] < 0 ? -q[k] : q[k]);
            bits = bits << 9 | (uint32_t)((value * 0.70710678 + 0.5) * 511 + 0.5);
        }
    }
    return bits;
}

/* Rounded here already: a server compares values to find what has changed. */
static float cube_round(dReal at)
{
    return (float)(floor((double)at * 512 + 0.5) / 512);
}

static void cube_collide(void* user, dGeomID a, dGeomID b)
{
    const cube_physics* of = user;
    dContact contact[CONTACTS];
    const int count = dCollide(a, b, CONTACTS, &contact[0].geom, sizeof(dContact));
    for (int k = 0; k < count; k++) {
        contact[k].surface = (dSurfaceParameters){.mode = dContactApprox1, .mu = 0.8};
        dJointID joint = dJointCreateContact(of->world, of->contacts, &contact[k]);
        dJointAttach(joint, dGeomGetBody(a), dGeomGetBody(b));
    }
}

static void cube_add(cube_physics* of, uint32_t k, double side, double x, double y, double z)
{
    dMass mass;
    dMassSetBox(&mass, 1, (dReal)side, (dReal)side, (dReal)side);
    dGeomID geom = dCreateBox(of->space, (dReal)side, (dReal)side, (dReal)side);
    of->body[k] = dBodyCreate(of->world);
    dBodySetMass(of->body[k], &mass);
    dBodySetPosition(of->body[k], (dReal)x, (dReal)y, (dReal)z);
    dGeomSetBody(geom, of->body[k]);
}

static void cube_begin(cube_physics* of)
{
    dInitODE2(0);
    of->world = dWorldCreate();
    of->space = dHashSpaceCreate(NULL);
    of->contacts = dJointGroupCreate(0);
    dWorldSetGravity(of->world, 0, (dReal)-9.81, 0);
    dWorldSetAutoDisableFlag(of->world, 1);
    dWorldSetContactSurfaceLayer(of->world, (dReal)0.005);
    (void)dCreatePlane(of->space, 0, 1, 0, 0);
    for (uint32_t k = 0; k + 1 < CUBES; k++) { /* 9 by 10 by 10, a little askew */
        const uint32_t level = k / 90, row = k % 90 / 10, at = k % 10;
        cube_add(of, k, 0.4, row * 0.5 + level % 3 * 0.07, 1 + level * 0.6,
                 at * 0.5 + level % 2 * 0.1);
    }
    cube_add(of, CUBES - 1, 1.5, -6, 1, 2);
}

/* Pushes the large cube around the heap and through it. */
static void cube_push(const cube_physics* of, uint32_t tick)
{
    const dBodyID large = of->body[CUBES - 1];
    const double angle = tick / 90.0;
    dBodyEnable(large);
    const dReal* at = dBodyGetPosition(large);
    dBodyAddForce(large, (dReal)((2 + 3 * cos(angle) - (double)at[0]) * 25), 0,
                  (dReal)((2 + 3 * sin(angle) - (double)at[2]) * 25));
}

static void cube_end(cube_physics* of)
{
    dJointGroupDestroy(of->contacts);
    dSpaceDestroy(of->space);
    dWorldDestroy(of->world);
    dCloseODE();
}

/* All states, by tick. NULL: memory ran out. */
static cube_state* cube_simulate(void)
{
    cube_physics of;
    cube_state* all = calloc((size_t)CUBE_TICKS * CUBES, sizeof(*all));
    cube_begin(&of);
    for (uint32_t tick = 0; tick < CUBE_TICKS && all != NULL; tick++) {
        cube_push(&of, tick);
        dSpaceCollide(of.space, &of, cube_collide);
        dWorldQuickStep(of.world, (dReal)(1.0 / RATE));
        dJointGroupEmpty(of.contacts);
        for (uint32_t k = 0; k < CUBES; k++) {
            cube_state* to = &all[tick * CUBES + k];
            const dReal* at = dBodyGetPosition(of.body[k]);
            const dReal* speed = dBodyGetLinearVel(of.body[k]);
            to->cube = (Cube){cube_round(at[0]), cube_round(at[1]), cube_round(at[2]),
                              cube_turn(dBodyGetQuaternion(of.body[k]))};
            to->speed = (float)sqrt(
                (double)(speed[0] * speed[0] + speed[1] * speed[1] + speed[2] * speed[2]));
        }
    }
    cube_end(&of);
    return all;
}

/* ------------------------------------------------------------------------------------- sending */

typedef struct cube_scene {
    sett_world* world;
    const cube_state* now;
    sett_entity entity[CUBES];
    sett_net_link* link;
    uint32_t every; /* ticks from one datagram to the next */
} cube_scene;

static sett_status cube_register(sett_world* world)
{
    return SETT_REGISTER_ALL(world, CUBE_TYPES);
}

static void cube_see(sett_sight* sight, sett_world* world, uint32_t client, void* user)
{
    const cube_scene* scene = user;
    (void)world, (void)client;
    for (uint32_t k = 0; k < CUBES; k++) { /* fast ones, and the large one, before others */
        sett_sight_add(sight, scene->entity[k],
                       k + 1 == CUBES ? 1000.0f : 0.05f + scene->now[k].speed);
    }
}

static uint64_t cube_clock(void* user)
{
    return sett_net_link_now(((const cube_scene*)user)->link);
}

static int cube_by_size(const void* a, const void* b)
{
    const float x = *(const float*)a, y = *(const float*)b;
    return x < y ? -1 : x > y;
}

/* Adds how far the client's cubes are from where they were in the tick that it shows. */
static uint32_t cube_errors(const cube_scene* scene, const sett_world* received,
                            const cube_state* then, float* out)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < CUBES; k++) {
        const Cube* at = sett_entity_valid(received, scene->entity[k])
                             ? SETT_FIND(received, scene->entity[k], Cube)
                             : NULL;
        if (at != NULL) {
            const float x = at->x - then[k].cube.x, y = at->y - then[k].cube.y,
                        z = at->z - then[k].cube.z;
            out[count++] = sqrtf(x * x + y * y + z * z);
        }
    }
    return count;
}

static void cube_write(const cube_scene* scene)
{
    for (uint32_t k = 0; k < CUBES; k++) {
        if (memcmp(SETT_GET(scene->world, scene->entity[k], Cube), &scene->now[k].cube,
                   sizeof(Cube)) != 0) {
            *SETT_GET_MUT(scene->world, scene->entity[k], Cube) = scene->now[k].cube;
        }
    }
}

typedef struct cube_totals {
    double us, waiting;
    float* error;
    uint32_t errors;
} cube_totals;

static cube_totals cube_play(cube_scene* scene, const cube_state* all, sett_server* server,
                             sett_client* client, const sett_world* received)
{
    cube_totals totals = {.error = calloc((size_t)CUBE_TICKS * CUBES, sizeof(float))};
    for (uint32_t tick = 0; tick < CUBE_TICKS; tick++) {
        sett_client_stats stats;
        sett_server_stats served;
        sett_net_link_advance(scene->link, 1000000 / RATE);
        scene->now = &all[tick * CUBES];
        cube_write(scene);
        const double from = net_us();
        sett_server_receive(server);
        if (tick % scene->every == 0) {
            sett_server_send(server);
        }
        totals.us += net_us() - from;
        (void)sett_client_advance(client, NULL);
        sett_client_stats_get(client, &stats);
        sett_server_stats_get(server, 0, &served);
        totals.waiting += served.waiting;
        if (stats.tick * scene->every > 2 * RATE &&
            totals.error != NULL) { /* all have arrived then */
            const uint64_t then = (stats.tick - 1) * scene->every;
            totals.errors +=
                cube_errors(scene, received, &all[then * CUBES], totals.error + totals.errors);
        }
    }
    return totals;
}

static void cube_print(const char* name, const cube_totals* totals, const sett_server_stats* served,
                       const sett_client_stats* stats)
{
    qsort(totals->error, totals->errors, sizeof(float), cube_by_size);
    const uint32_t last = totals->errors != 0 ? totals->errors - 1 : 0;
    printf("| %s | %.0f | %.0f | %.0f | %.0f, %.0f | %.0f | %llu, %llu |\n", name,
           (double)served->bytes / (double)served->datagrams,
           (double)(served->bytes + 28 * served->datagrams) * 8 * RATE / CUBE_TICKS / 1000,
           totals->waiting / CUBE_TICKS, (double)totals->error[last / 2] * 1000,
           (double)totals->error[last / 100 * 95] * 1000, totals->us / CUBE_TICKS,
           (unsigned long long)stats->applied, (unsigned long long)stats->failed);
}

static void cube_run(const char* name, const cube_state* all, uint32_t budget, uint32_t every)
{
    static cube_scene scene;
    static const sett_component types[] = {Cube_id};
    scene = (cube_scene){.world = sett_world_create(NULL), .every = every};
    scene.link = sett_net_link_create(
        &(sett_net_link_desc){.seed = 4, .latency_us = 50000, .jitter_us = 5000, .loss = 100});
    (void)cube_register(scene.world);
    for (uint32_t k = 0; k < CUBES; k++) {
        scene.entity[k] = SETT_CREATE(scene.world, SETT_VALUE_OF(Cube, &all[k].cube));
    }
    sett_server* server = sett_server_create(
        scene.world, &(sett_server_desc){.clients = 1,
                                         .register_types = cube_register,
                                         .types = types,
                                         .type_count = 1,
                                         .budget = budget,
                                         .see = cube_see,
                                         .user = &scene,
                                         .transport = sett_net_link_transport(scene.link, 1),
                                         .clock_us = cube_clock});
    sett_world* received = sett_world_create(NULL);
    (void)cube_register(received);
    sett_client* client = sett_client_create(
        received, &(sett_client_desc){.server = 1,
                                      .register_types = cube_register,
                                      .types = types,
                                      .type_count = 1,
                                      .user = &scene,
                                      .transport = sett_net_link_transport(scene.link, 0),
                                      .clock_us = cube_clock});
    sett_server_stats served;
    sett_client_stats stats;
    cube_totals totals = cube_play(&scene, all, server, client, received);
    sett_server_stats_get(server, 0, &served);
    sett_client_stats_get(client, &stats);
    if (totals.error != NULL) {
        cube_print(name, &totals, &served, &stats);
    }
    free(totals.error);
    sett_client_destroy(client);
    sett_server_destroy(server);
    (void)sett_world_destroy(received);
    (void)sett_world_destroy(scene.world);
    sett_net_link_destroy(scene.link);
}

void net_print_cubes(void)
{
    cube_state* all = cube_simulate();
    if (all == NULL) {
        return;
    }
    uint64_t moved = 0;
    for (uint32_t k = CUBES; k < CUBE_TICKS * CUBES; k++) {
        moved += memcmp(&all[k].cube, &all[k - CUBES].cube, sizeof(Cube)) != 0;
    }
    printf(
        "\n901 cubes, 60 ticks a second, 20 s, one client that sees all, 50 ms one way, 1 %% lost; "
        "%.0f of them move in a tick\n"
        "| budget | bytes a datagram | kbit/s | cubes that wait | off by, mm: half, 95 of 100 | "
        "us a tick | states applied, failed |\n|---|---|---|---|---|---|---|\n"
        "| published, raw | | 17,370 | | | | |\n| published goal | | 256 | | | | |\n",
        (double)moved / CUBE_TICKS);
    cube_run("1,200 bytes", all, 1200, 1);
    cube_run("505 bytes: 256 kbit/s", all, 505, 1);
    cube_run("1,038 bytes, 30 a second: 256 kbit/s", all, 1038, 2);
    cube_run("1,200 bytes, 20 a second", all, 1200, 3);
    free(all);
}

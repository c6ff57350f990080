/* event_main.c: what an event, and a component that is switched, cost; beside flecs where it is
 * installed.
 *
 *     sett_events [operations, default 1000000] [repetitions, default 5]
 *
 * Prints nanoseconds an operation, the median of the repetitions. An event has 8 bytes and goes to
 * one entity; each observer adds its number to a sum, which has to be the same in both. Switches,
 * additions and removals go round 1,000 entities of two more components, without observers.
 */
#include "sett/event.h"
#include "sett/sett.h"

#include "base/platform.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(SETT_BENCH_FLECS)
#include <flecs.h>
#endif

#define ENTITIES 1000u
#define REPETITIONS 101

typedef struct Damage {
    uint32_t points, by;
} Damage;

static const uint32_t observers[] = {0, 1, 10, 1000};
static const char* const changes[] = {"switch off, switch on", "remove, add"};

enum {
    EVENTS = sizeof(observers) / sizeof(observers[0]),
    ROWS = EVENTS + 2
};

static uint64_t sum;
static uint32_t operations = 1000000;

static void check(bool good, const char* what)
{
    if (!good) {
        fprintf(stderr, "%s failed\n", what);
        exit(1);
    }
}

/* How often a row is done: an event to a thousand observers less often. */
static uint32_t times_of(uint32_t row)
{
    return row < EVENTS && observers[row] > 10 ? operations / 100 + 1 : operations;
}

/* ----------------------------------------------------------------------------------------- Sett */

static void sett_receive(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)world;
    (void)entity;
    (void)user;
    sum += ((const Damage*)value)->points;
}

static double run_sett(uint32_t row)
{
    static sett_entity e[ENTITIES];
    sett_world* world = sett_world_create(NULL);
    sett_component type[4];
    for (uint32_t k = 0; k < 4; k++) {
        const char* const names[] = {"Damage", "Position", "Velocity", "Health"};
        sett_component_desc desc = {.name = names[k], .size = sizeof(Damage)};
        desc.can_disable = k == 3 && row == EVENTS;
        type[k] = sett_component_register(world, &desc);
    }
    check(sett_entity_create_many(world, ENTITIES, type + 1, 3, NULL, e) == SETT_OK, "creation");
    for (uint32_t k = 0; row < EVENTS && k < observers[row]; k++) {
        sett_observer_desc desc = {.component = type[0], .on_event = sett_receive};
        check(sett_observer_create(world, &desc) != NULL, "sett_observer_create");
    }
    uint32_t times = times_of(row);
    uint64_t begin = setti_platform_now();
    for (uint32_t k = 0; k < times; k++) {
        sett_entity at = e[k % ENTITIES];
        if (row < EVENTS) {
            (void)sett_event_send(world, at, SETT_ROUTE_ENTITY, type[0], &(Damage){k & 7, 0});
        } else if (row == EVENTS) {
            (void)sett_enable(world, at, type[3], false);
            (void)sett_enable(world, at, type[3], true);
        } else {
            (void)sett_remove(world, at, type[3]);
            (void)sett_add(world, at, type[3]);
        }
    }
    double time = (double)(setti_platform_now() - begin) / times;
    sett_world_destroy(world);
    return time;
}

/* ---------------------------------------------------------------------------------------- flecs */

#if defined(SETT_BENCH_FLECS)
static void flecs_receive(ecs_iter_t* it)
{
    sum += ((const Damage*)it->param)->points;
}

static ecs_entity_t flecs_type(ecs_world_t* world, const char* name)
{
    const ecs_entity_desc_t entity = {.name = name, .use_low_id = true};
    const ecs_component_desc_t desc = {.entity = ecs_entity_init(world, &entity),
                                       .type = {.size = sizeof(Damage), .alignment = 4}};
    return ecs_component_init(world, &desc);
}

static double run_flecs(uint32_t row)
{
    static ecs_entity_t e[ENTITIES];
    ecs_world_t* world = ecs_mini();
    ecs_entity_t type[4] = {flecs_type(world, "Damage"), flecs_type(world, "Position"),
                            flecs_type(world, "Velocity"), flecs_type(world, "Health")};
    if (row == EVENTS) {
        ecs_add_id(world, type[3], EcsCanToggle);
    }
    for (uint32_t k = 0; k < ENTITIES; k++) {
        e[k] = ecs_new(world);
        for (uint32_t t = 1; t < 4; t++) {
            ecs_add_id(world, e[k], type[t]);
        }
    }
    for (uint32_t k = 0; row < EVENTS && k < observers[row]; k++) {
        ecs_observer_desc_t desc = {.callback = flecs_receive, .events = {type[0]}};
        desc.query.terms[0].id = type[1];
        check(ecs_observer_init(world, &desc) != 0, "ecs_observer_init");
    }
    const ecs_type_t ids = {.array = &type[1], .count = 1};
    uint32_t times = times_of(row);
    uint64_t begin = setti_platform_now();
    for (uint32_t k = 0; k < times; k++) {
        ecs_entity_t at = e[k % ENTITIES];
        if (row < EVENTS) {
            Damage damage = {k & 7, 0};
            ecs_emit(world, &(ecs_event_desc_t){
                                .event = type[0], .ids = &ids, .entity = at, .param = &damage});
        } else if (row == EVENTS) {
            ecs_enable_id(world, at, type[3], false);
            ecs_enable_id(world, at, type[3], true);
        } else {
            ecs_remove_id(world, at, type[3]);
            ecs_add_id(world, at, type[3]);
        }
    }
    double time = (double)(setti_platform_now() - begin) / times;
    ecs_fini(world);
    return time;
}
#endif

/* ---------------------------------------------------------------------------------------- table */

static int compare(const void* a, const void* b)
{
    double x = *(const double*)a;
    double y = *(const double*)b;
    return (x > y) - (x < y);
}

/* The median; *said becomes the sum of one repetition. */
static double median(double (*run)(uint32_t row), uint32_t row, uint32_t repetitions,
                     uint64_t* said)
{
    double times[REPETITIONS];
    for (uint32_t k = 0; k < repetitions; k++) {
        sum = 0;
        times[k] = run(row);
        *said = sum;
    }
    qsort(times, repetitions, sizeof(times[0]), compare);
    return times[repetitions / 2];
}

int main(int argc, char** argv)
{
    uint32_t repetitions = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 5;
    operations = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : operations;
    if (operations == 0 || repetitions == 0 || repetitions > REPETITIONS) {
        fprintf(stderr, "sett_events [operations] [repetitions, at most %d]\n", REPETITIONS);
        return 1;
    }
    printf("%-32s %10s %10s\n", "ns an operation", "Sett", "flecs");
    for (uint32_t row = 0; row < ROWS; row++) {
        uint64_t expected;
        char name[40];
        snprintf(name, sizeof(name), "event to %" PRIu32 " observers",
                 row < EVENTS ? observers[row] : 0);
        printf("%-32s %10.1f", row < EVENTS ? name : changes[row - EVENTS],
               median(run_sett, row, repetitions, &expected));
#if defined(SETT_BENCH_FLECS)
        uint64_t other;
        printf(" %10.1f", median(run_flecs, row, repetitions, &other));
        check(expected == other, "comparing the sums");
#else
        printf(" %10s", "-");
#endif
        printf("\n");
        fflush(stdout);
    }
    return 0;
}

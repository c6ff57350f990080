/* search_main.c: joins over relationships, beside flecs where it is installed.
 *
 *     sett_searches [entities, default 1000000] [repetitions, default 5]
 *
 * Twenty searches over a world with a tenth as many links of each relationship as entities. Each
 * row of results is read, and counted into a checksum that has to be the same in both. Prints for
 * each the results, nanoseconds a result (the median of the repetitions), and Sett's plan. Creating
 * the searches is not counted; planning, which Sett does when a loop begins, is.
 */
#include "sett/sett.h"

#include "base/platform.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(SETT_BENCH_FLECS)
#include <flecs.h>
#endif

#define COLUMNS 4
#define TAGS 6
#define RELATIONS 5
#define REPETITIONS 101

static const char* const tag_names[TAGS] = {"Ship", "Planet", "Damaged", "Rich", "Rare", "Goods"};
static const char* const relation_names[RELATIONS] = {"DockedAt", "RuledBy", "Targets", "Carries",
                                                      "Ally"};
enum {
    DOCKED_AT,
    RULED_BY,
    TARGETS,
    CARRIES,
    ALLY
};

/* `$this` is the first variable; the others are named. */
static const struct {
    const char* text;
    const char* variables[COLUMNS - 1];
} joins[] = {
    {"Ship, DockedAt($this, $p)", {"p"}},
    {"Ship, DockedAt($this, $p), RuledBy($p, $f)", {"p", "f"}},
    {"Ship, Damaged, DockedAt($this, $p), RuledBy($p, $f)", {"p", "f"}},
    {"Planet, RuledBy($this, $f), Rich($f)", {"f"}},
    {"Ship, Targets($this, $t)", {"t"}},
    {"Ship, Targets($this, $t), Damaged($t)", {"t"}},
    {"Ship, Targets($this, $t), DockedAt($t, $p)", {"t", "p"}},
    {"Ship, DockedAt($this, $p), Targets($this, $t), DockedAt($t, $p)", {"p", "t"}},
    {"Ship, Carries($this, $g)", {"g"}},
    {"Ship, Carries($this, $g), Rare($g)", {"g"}},
    {"Ship, Carries($this, $g), Targets($this, $t), Carries($t, $g)", {"g", "t"}},
    {"Ship, Damaged, !DockedAt($this, _)", {NULL}},
    {"Ship, DockedAt($this, $p), !Rich($p)", {"p"}},
    {"Ship, Targets($this, $t), Targets($t, $this)", {"t"}},
    {"Ship, Targets($this, $t), Targets($t, $u), Targets($u, $this)", {"t", "u"}},
    {"Goods, Rare, Carries($s, $this), DockedAt($s, $p)", {"s", "p"}},
    {"Ship, DockedAt($this, planet)", {NULL}},
    {"Ship, DockedAt($this, $p), RuledBy($p, faction)", {"p"}},
    {"Ship, Damaged, Carries($this, $g), DockedAt($this, $p), RuledBy($p, $f), Rich($f)",
     {"g", "p", "f"}},
    {"Ship, Ally($this, $a), Ally($this, $b), $a != $b", {"a", "b"}},
};
#define JOINS (sizeof(joins) / sizeof(joins[0]))

/* What the worlds are made of, by number of entity. */
typedef struct galaxy {
    uint32_t entities;
    uint32_t links; /* of each relationship */
    uint32_t planets, factions, goods;
    uint64_t state;
} galaxy;

typedef struct result {
    uint64_t count, sum;
    double time; /* nanoseconds a result */
} result;

static uint32_t below(galaxy* g, uint32_t limit)
{
    g->state = g->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((g->state >> 33) * limit >> 31);
}

static bool has_tag(const galaxy* g, uint32_t entity, uint32_t tag)
{
    uint32_t first_ship = g->planets + g->factions + g->goods;
    bool planet = entity < g->planets;
    bool faction = !planet && entity < g->planets + g->factions;
    bool goods = !planet && !faction && entity < first_ship;
    bool ship = entity >= first_ship;
    uint32_t draw = entity * 2654435761u >> 16;
    bool has[TAGS] = {
        ship,           planet, ship && draw % 20 == 0, (planet || faction) && draw % 4 == 0,
        draw % 10 == 0, goods};
    return has[tag];
}

/* The k-th link of a relationship: from which entity to which. */
static void link_of(galaxy* g, uint32_t relation, uint32_t k, uint32_t* source, uint32_t* target)
{
    uint32_t first_ship = g->planets + g->factions + g->goods;
    uint32_t ships = g->entities - first_ship;
    uint32_t stride = ships / (g->links + 1);
    *source = first_ship + k * (stride != 0 ? stride : 1) % ships;
    *target = first_ship + below(g, ships);
    if (relation == DOCKED_AT) {
        *target = below(g, g->planets);
    } else if (relation == RULED_BY) {
        *source = k < g->planets ? k : *source;
        *target = g->planets + below(g, g->factions);
    } else if (relation == CARRIES) {
        *source = first_ship + below(g, ships);
        *target = g->planets + g->factions + below(g, g->goods);
    } else if (relation == TARGETS && below(g, 4) != 0) { /* among those that aim themselves */
        *target = first_ship + below(g, g->links) * (stride != 0 ? stride : 1) % ships;
    } else if (relation == ALLY) {
        *source = first_ship + below(g, g->links / 4 + 1);
    }
}

static galaxy galaxy_of(uint32_t entities)
{
    return (galaxy){
        entities, entities / 10, entities / 500 + 2, entities / 20000 + 2, entities / 1000 + 2, 1};
}

static void add_row(result* r, const uint32_t* row, uint32_t count)
{
    uint64_t mixed = 0;
    for (uint32_t k = 0; k < count; k++) {
        mixed = (mixed + row[k] + 1) * 0x9E3779B97F4A7C15u;
    }
    r->count++;
    r->sum += mixed ^ mixed >> 32;
}

static int compare_times(const void* a, const void* b)
{
    double x = *(const double*)a;
    double y = *(const double*)b;
    return x < y ? -1 : x > y;
}

/* The median of several runs; results have to be the same in each. */
static result measure(result (*run)(void* world, uint32_t join), void* world, uint32_t join,
                      uint32_t repetitions)
{
    double times[REPETITIONS];
    result last = {0};
    for (uint32_t k = 0; k < repetitions; k++) {
        uint64_t from = setti_platform_now();
        last = run(world, join);
        times[k] = (double)(setti_platform_now() - from);
    }
    qsort(times, repetitions, sizeof(times[0]), compare_times);
    last.time = times[repetitions / 2] / (double)(last.count != 0 ? last.count : 1);
    return last;
}

/* ---------------------------------------------------------------------------------------- Sett */

static sett_search* searches[JOINS];

static sett_world* sett_galaxy(galaxy g)
{
    sett_world* world = sett_world_create(NULL);
    sett_component tags[TAGS], relations[RELATIONS];
    for (uint32_t k = 0; k < TAGS; k++) {
        tags[k] = sett_component_register(world, &(sett_component_desc){.name = tag_names[k]});
    }
    for (uint32_t k = 0; k < RELATIONS; k++) {
        relations[k] = sett_relationship_register(
            world, &(sett_relationship_desc){.name = relation_names[k], .many = k >= CARRIES});
    }
    sett_entity* entities = malloc(g.entities * sizeof(*entities));
    sett_entity_create_many(world, g.entities, NULL, 0, NULL, entities);
    for (uint32_t e = 0; e < g.entities; e++) {
        for (uint32_t k = 0; k < TAGS; k++) {
            if (has_tag(&g, e, k)) {
                sett_add(world, entities[e], tags[k]);
            }
        }
    }
    for (uint32_t r = 0; r < RELATIONS; r++) {
        for (uint32_t k = 0; k < g.links; k++) {
            uint32_t source, target;
            link_of(&g, r, k, &source, &target);
            sett_relate(world, entities[source], relations[r], entities[target]);
        }
    }
    sett_name_set(world, entities[0], "planet");
    sett_name_set(world, entities[g.planets], "faction");
    free(entities);
    return world;
}

static result sett_run(void* world, uint32_t join)
{
    result r = {0};
    (void)world;
    SETT_SEARCH(searches[join], rows, i)
    {
        uint32_t row[COLUMNS];
        for (uint32_t v = 0; v < rows->variable_count; v++) {
            row[v] = sett_rows_entity(rows, v, i).index;
        }
        add_row(&r, row, rows->variable_count);
    }
    return r;
}

/* --------------------------------------------------------------------------------------- flecs */

#if defined(SETT_BENCH_FLECS)
static ecs_query_t* queries[JOINS];
static int variables[JOINS][COLUMNS - 1];
static ecs_entity_t flecs_first;

static ecs_world_t* flecs_galaxy(galaxy g)
{
    ecs_world_t* world = ecs_init();
    ecs_entity_t tags[TAGS], relations[RELATIONS];
    for (uint32_t k = 0; k < TAGS; k++) {
        tags[k] = ecs_entity(world, {.name = tag_names[k]});
    }
    for (uint32_t k = 0; k < RELATIONS; k++) {
        relations[k] = ecs_entity(world, {.name = relation_names[k]});
        if (k < CARRIES) {
            ecs_add_id(world, relations[k], EcsExclusive);
        }
    }
    ecs_entity_t* entities = calloc(g.entities, sizeof(*entities));
    for (uint32_t e = 0; e < g.entities; e++) {
        entities[e] = ecs_new(world);
    }
    flecs_first = entities[0];
    for (uint32_t e = 0; e < g.entities; e++) {
        for (uint32_t k = 0; k < TAGS; k++) {
            if (has_tag(&g, e, k)) {
                ecs_add_id(world, entities[e], tags[k]);
            }
        }
    }
    for (uint32_t r = 0; r < RELATIONS; r++) {
        for (uint32_t k = 0; k < g.links; k++) {
            uint32_t source, target;
            link_of(&g, r, k, &source, &target);
            ecs_add_pair(world, entities[source], relations[r], entities[target]);
        }
    }
    ecs_set_name(world, entities[0], "planet");
    ecs_set_name(world, entities[g.planets], "faction");
    free(entities);
    return world;
}

static result flecs_run(void* world, uint32_t join)
{
    result r = {0};
    ecs_iter_t it = ecs_query_iter(world, queries[join]);
    while (ecs_query_next(&it)) {
        uint32_t row[COLUMNS];
        uint32_t count = 1;
        for (; count < COLUMNS && joins[join].variables[count - 1] != NULL; count++) {
            row[count] =
                (uint32_t)(ecs_iter_get_var(&it, variables[join][count - 1]) - flecs_first);
        }
        for (int32_t k = 0; k < it.count; k++) {
            row[0] = (uint32_t)(it.entities[k] - flecs_first);
            add_row(&r, row, count);
        }
    }
    return r;
}

static void flecs_prepare(ecs_world_t* world)
{
    for (uint32_t j = 0; j < JOINS; j++) {
        queries[j] = ecs_query(world, {.expr = joins[j].text});
        for (uint32_t k = 0; k < COLUMNS - 1 && joins[j].variables[k] != NULL; k++) {
            variables[j][k] = ecs_query_find_var(queries[j], joins[j].variables[k]);
        }
    }
}
#endif

int main(int argc, char** argv)
{
    uint32_t entities = argc > 1 ? (uint32_t)atoi(argv[1]) : 1000000;
    uint32_t repetitions = argc > 2 ? (uint32_t)atoi(argv[2]) : 5;
    galaxy g = galaxy_of(entities);
    sett_world* world = sett_galaxy(g);
    int failures = 0;
    uint32_t slower = 0;
    if (repetitions == 0 || repetitions > REPETITIONS) {
        repetitions = 5;
    }
#if defined(SETT_BENCH_FLECS)
    ecs_world_t* other = flecs_galaxy(g);
    flecs_prepare(other);
#endif
    for (uint32_t j = 0; j < JOINS; j++) {
        static char plan[4000];
        searches[j] = sett_search_create(world, joins[j].text);
        if (searches[j] == NULL) {
            return 1;
        }
        result ours = measure(sett_run, world, j, repetitions);
        sett_search_explain(searches[j], plan, sizeof(plan));
        printf("%2u: %" PRIu64 " results, %.1f ns a result", j + 1, ours.count, ours.time);
#if defined(SETT_BENCH_FLECS)
        result theirs = measure(flecs_run, other, j, repetitions);
        bool same = ours.count == theirs.count && ours.sum == theirs.sum;
        failures += !same;
        slower += ours.time > theirs.time;
        printf(", flecs %.1f%s", theirs.time, same ? "" : " WITH OTHER RESULTS");
#endif
        printf("\n%s", plan);
    }
    printf("%u searches, %u slower than the peer, %d with other results\n", (unsigned)JOINS,
           (unsigned)slower, failures);
    sett_world_destroy(world);
    return failures != 0;
}

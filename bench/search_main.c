/* search_main.c: joins over relationships, beside flecs where it is installed.
 *
 *     sett_searches [entities, default 1000000] [repetitions, default 5]
 *
 * Twenty searches over a world with a tenth as many links of each relationship as entities, and
 * the terms `up`, `cascade` and `shared` over a tenth as many entities. Each row of results is
 * read, and counted into a checksum that has to be the same in both. Prints for each the results,
 * nanoseconds a result (the median of the repetitions), and Sett's plan. Creating searches is not
 * counted; planning, which Sett does when a loop begins, is, and stands apart as well.
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
        *source = first_ship +
                  (k % 4 == 0 ? k / 4 * (stride != 0 ? stride : 1) % ships : below(g, ships));
        *target = g->planets + g->factions + below(g, k % 4 == 0 ? g->goods / 20 + 1 : g->goods);
    } else if (relation == TARGETS && k % 16 < 5) { /* pairs, and circles of three */
        uint32_t next = k % 16 < 2 ? k ^ 1 : k % 16 == 4 ? k - 2 : k + 1;
        *target = first_ship + next * (stride != 0 ? stride : 1) % ships;
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

static result sett_join(void* world, uint32_t join)
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

/* ------------------------------------------------------------------------- terms elsewhere */

typedef struct Value {
    uint64_t v;
} Value;

enum {
    TERM_UP,
    TERM_CASCADE,
    TERM_SHARED,
    TERM_KINDS
};
static const char* const term_names[TERM_KINDS] = {"up", "cascade", "shared"};

/* A tree: a hundredth are roots, each entity has four children. */
static uint32_t parent_of(uint32_t k, uint32_t count)
{
    uint32_t roots = count / 100 + 1;
    return k < roots ? UINT32_MAX : (k - roots) / 4;
}

static sett_component Value_id, Local_id;
static sett_query* plain[TERM_KINDS];
static sett_ordered* cascade;

static sett_world* sett_tree(uint32_t count)
{
    sett_world* world = sett_world_create(NULL);
    sett_entity* e = malloc(count * sizeof(*e));
    Value_id = SETT_REGISTER(world, Value);
    Local_id = sett_component_register(
        world, &(sett_component_desc){.name = "Local", .size = sizeof(Value)});
    sett_component Style_id = sett_component_register(
        world, &(sett_component_desc){.name = "Style", .size = sizeof(Value)});
    for (uint32_t k = 0; k < count; k++) {
        uint32_t parent = parent_of(k, count);
        e[k] = sett_entity_create(world);
        sett_set(world, e[k], Local_id, &(Value){k});
        if (parent == UINT32_MAX) {
            sett_set(world, e[k], Value_id, &(Value){k});
        } else {
            sett_hierarchy_attach(world, e[k], e[parent]);
        }
    }
    sett_prefab_share(world, Style_id, true);
    for (uint32_t k = 0; k < 100; k++) {
        sett_entity prefab = sett_entity_create(world);
        sett_set(world, prefab, Style_id, &(Value){k + 1});
        sett_prefab_make(world, prefab);
        sett_instantiate(world, prefab, count / 100, e);
    }
    plain[TERM_UP] = sett_query_create(
        world,
        &(sett_query_desc){.terms = {{.component = Local_id, .access = SETT_IN}, SETT_UP(Value)}});
    plain[TERM_CASCADE] = sett_query_create(
        world, &(sett_query_desc){.terms = {{.component = Local_id, .access = SETT_NONE}}});
    plain[TERM_SHARED] =
        sett_query_create(world, &(sett_query_desc){.terms = {SETT_SHARED(Style)}});
    cascade = sett_ordered_create(
        world, &(sett_ordered_desc){.query = plain[TERM_CASCADE], .cascade = true});
    free(e);
    return world;
}

static result sett_terms(void* given, uint32_t kind)
{
    sett_world* world = given;
    result r = {0};
    if (kind == TERM_CASCADE) {
        uint32_t count;
        const sett_entity* e = sett_ordered_update(cascade, &count);
        for (uint32_t k = 0; k < count; k++) {
            const Value* local = sett_get(world, e[k], Local_id);
            const Value* parent = sett_find(world, sett_hierarchy_parent(world, e[k]), Local_id);
            r.sum += local->v + (parent != NULL ? parent->v : 0);
        }
        r.count = count;
        return r;
    }
    uint32_t field = kind == TERM_UP;
    SETT_FOR(plain[kind], b, i) {
        r.sum += SETT_FIELD_FROM(b, field, i, Value)->v;
        r.count++;
    }
    return r;
}

#if defined(SETT_BENCH_FLECS)
static ecs_query_t* flecs_plain[TERM_KINDS];

static ecs_world_t* flecs_tree(uint32_t count)
{
    ecs_world_t* world = ecs_init();
    ecs_entity_t ids[3];
    ecs_entity_t* e = malloc(count * sizeof(*e));
    static const char* const names[] = {"Value", "Local", "Style"};
    for (uint32_t k = 0; k < 3; k++) {
        ids[k] = ecs_component_init(
            world, &(ecs_component_desc_t){.entity = ecs_entity(world, {.name = names[k]}),
                                           .type = {.size = sizeof(Value), .alignment = 8}});
    }
    ecs_add_pair(world, ids[2], EcsOnInstantiate, EcsInherit);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t parent = parent_of(k, count);
        e[k] = ecs_new(world);
        ecs_set_id(world, e[k], ids[1], sizeof(Value), &(Value){k});
        if (parent == UINT32_MAX) {
            ecs_set_id(world, e[k], ids[0], sizeof(Value), &(Value){k});
        } else {
            ecs_add_pair(world, e[k], EcsChildOf, e[parent]);
        }
    }
    for (uint32_t k = 0; k < 100; k++) {
        ecs_entity_t prefab = ecs_new_w_id(world, EcsPrefab);
        ecs_set_id(world, prefab, ids[2], sizeof(Value), &(Value){k + 1});
        for (uint32_t n = 0; n < count / 100; n++) {
            ecs_new_w_pair(world, EcsIsA, prefab);
        }
    }
    flecs_plain[TERM_UP] = ecs_query(
        world, {.terms = {{.id = ids[1]}, {.id = ids[0], .src.id = EcsUp, .trav = EcsChildOf}},
                .cache_kind = EcsQueryCacheAuto});
    flecs_plain[TERM_CASCADE] = ecs_query(
        world,
        {.terms = {{.id = ids[1]},
                   {.id = ids[1], .src.id = EcsCascade, .trav = EcsChildOf, .oper = EcsOptional}},
         .cache_kind = EcsQueryCacheAuto});
    flecs_plain[TERM_SHARED] =
        ecs_query(world, {.terms = {{.id = ids[2]}}, .cache_kind = EcsQueryCacheAuto});
    free(e);
    return world;
}

static result flecs_terms(void* world, uint32_t kind)
{
    result r = {0};
    ecs_iter_t it = ecs_query_iter(world, flecs_plain[kind]);
    int8_t from = kind != TERM_SHARED;
    while (ecs_query_next(&it)) {
        const Value* local = ecs_field_w_size(&it, sizeof(Value), 0);
        const Value* other = ecs_field_is_set(&it, from) && !ecs_field_is_self(&it, from)
                                 ? ecs_field_w_size(&it, sizeof(Value), from)
                                 : NULL;
        for (int32_t k = 0; k < it.count; k++) {
            r.sum += (kind == TERM_CASCADE ? local[k].v : 0) + (other != NULL ? other->v : 0);
            r.count++;
        }
    }
    return r;
}
#endif

/* ---------------------------------------------------------------------------------- the tables */

/* Microseconds that planning takes: the best of some. */
static double planning(sett_search* search)
{
    double best = 1e9;
    for (uint32_t k = 0; k < 20; k++) {
        sett_rows rows;
        uint64_t from = setti_platform_now();
        sett_search_end(sett_search_begin(search, &rows));
        double time = (double)(setti_platform_now() - from) / 1000;
        best = time < best ? time : best;
    }
    return best;
}

/* Returns whether the peer has the same results; `theirs` NULL: there is no peer. */
static bool print_times(const result* ours, const result* theirs, uint32_t* slower)
{
    bool same = true;
    printf("%9" PRIu64 " %10.1f", ours->count, ours->time);
    if (theirs != NULL) {
        same = ours->count == theirs->count && ours->sum == theirs->sum;
        *slower += ours->time > theirs->time;
        printf(" %11.1f %8.3f%s", theirs->time, ours->time / theirs->time,
               same ? "" : "  OTHER RESULTS");
    }
    return same;
}

static bool print_terms(uint32_t count, uint32_t repetitions, uint32_t* slower)
{
    bool same = true;
    sett_world* world = sett_tree(count);
#if defined(SETT_BENCH_FLECS)
    ecs_world_t* other = flecs_tree(count);
#endif
    printf("\n%-10s %9s %10s %11s %8s\n", "term", "entities", "ns each", "flecs", "ratio");
    for (uint32_t kind = 0; kind < TERM_KINDS; kind++) {
        result ours = measure(sett_terms, world, kind, repetitions);
        result* theirs = NULL;
#if defined(SETT_BENCH_FLECS)
        result found = measure(flecs_terms, other, kind, repetitions);
        theirs = &found;
#endif
        printf("%-10s ", term_names[kind]);
        same &= print_times(&ours, theirs, slower);
        printf("\n");
    }
    sett_world_destroy(world);
    return same;
}

int main(int argc, char** argv)
{
    uint32_t entities = argc > 1 ? (uint32_t)atoi(argv[1]) : 1000000;
    uint32_t repetitions = argc > 2 ? (uint32_t)atoi(argv[2]) : 9;
    galaxy g = galaxy_of(entities);
    sett_world* world = sett_galaxy(g);
    bool same = true;
    uint32_t slower = 0;
    uint32_t others = 0;
    if (repetitions == 0 || repetitions > REPETITIONS) {
        repetitions = 9;
    }
#if defined(SETT_BENCH_FLECS)
    ecs_world_t* other = flecs_galaxy(g);
    flecs_prepare(other);
#endif
    printf("%2s %9s %10s %11s %8s %9s  search, planned in us\n", "", "results", "ns each", "flecs",
           "ratio", "plan us");
    for (uint32_t j = 0; j < JOINS; j++) {
        searches[j] = sett_search_create(world, joins[j].text);
        if (searches[j] == NULL) {
            return 1;
        }
        result ours = measure(sett_join, world, j, repetitions);
        result* theirs = NULL;
#if defined(SETT_BENCH_FLECS)
        result found = measure(flecs_run, other, j, repetitions);
        theirs = &found;
#endif
        printf("%2u ", j + 1);
        same &= print_times(&ours, theirs, &slower);
        printf(" %9.1f  %s\n", planning(searches[j]), joins[j].text);
    }
    same &= print_terms(entities / 10, repetitions, &others);
    printf("\n%u searches, %u slower than the peer; %u of %u terms slower; results %s\n\n",
           (unsigned)JOINS, (unsigned)slower, (unsigned)others, (unsigned)TERM_KINDS,
           same ? "equal" : "DIFFER");
    for (uint32_t j = 0; j < JOINS; j++) {
        static char plan[4000];
        sett_search_explain(searches[j], plan, sizeof(plan));
        printf("%2u: %s", j + 1, plan);
    }
    sett_world_destroy(world);
    return same ? 0 : 1;
}

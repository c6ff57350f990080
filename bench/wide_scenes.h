/* wide_scenes.h: the scenes of wide.h, written once for libraries whose types are numbers. The file
 * that includes it defines before how its library does a step: the types lib_world, lib_entity,
 * lib_type, lib_query and lib_context (of a system), the functions and macros lib_* and LIB_*. All
 * are in line: what the clock sees is what would stand there by hand. */
#ifndef BENCH_WIDE_SCENES_H
#define BENCH_WIDE_SCENES_H

#include "meter.h"
#include "wide.h"

#include <stdio.h>
#include <string.h>

#define WIDE_TYPE(run, world, T) lib_register((run), (world), #T, sizeof(T), _Alignof(T), false)

static lib_entity* wide_entities(lib_world* world, uint32_t count)
{
    lib_entity* e = scene_alloc(count, sizeof(lib_entity));
    for (uint32_t k = 0; k < count; k++) {
        e[k] = lib_create(world);
    }
    return e;
}

/* Types T0, T1 and so on. */
static void wide_numbered(scene_run* run, lib_world* world, size_t size, lib_type* type,
                          uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "T%u", (unsigned)k);
        type[k] = lib_register(run, world, name, size, 4, count == WIDE_TYPES);
    }
}

static void wide_fill_nothing(void* scene)
{
    (void)scene;
}

/* ------------------------------------------------------------------------------- seven systems */

typedef struct wide_bodies {
    lib_world* world;
    lib_type p, v, d, h, g, s, player;
    lib_entity* entities;
    int32_t* picture;
    uint32_t count;
    bool mixed;
} wide_bodies;

static void wide_fill(void* scene)
{
    wide_bodies* b = scene;
    for (uint32_t k = 0; k < b->count; k++) {
        lib_entity e = b->entities[k];
        *LIB_ENSURE(b->world, e, b->p, Position) = wide_position(k);
        *LIB_ENSURE(b->world, e, b->v, Velocity) = scene_velocity(k);
        if (wide_thinks(k, b->mixed)) {
            *LIB_ENSURE(b->world, e, b->d, Thoughts) = wide_thoughts(k);
        }
        if (wide_lives(k, b->mixed)) {
            *LIB_ENSURE(b->world, e, b->player, Player) = wide_player(k);
            *LIB_ENSURE(b->world, e, b->h, Health) = scene_health(k);
            LIB_ENSURE(b->world, e, b->s, Sprite)->character = ' ';
        }
        if (wide_fights(k, b->mixed)) {
            *LIB_ENSURE(b->world, e, b->g, Damage) = scene_damage(k);
        }
    }
    memset(b->picture, 0, WIDE_WIDTH * WIDE_HEIGHT * sizeof(int32_t));
}

static wide_bodies wide_begin(scene_run* run, bool mixed)
{
    wide_bodies b = {.world = lib_begin(run, true), .count = run->count, .mixed = mixed};
    b.p = WIDE_TYPE(run, b.world, Position);
    b.v = WIDE_TYPE(run, b.world, Velocity);
    b.d = WIDE_TYPE(run, b.world, Thoughts);
    b.player = WIDE_TYPE(run, b.world, Player);
    b.h = WIDE_TYPE(run, b.world, Health);
    b.g = WIDE_TYPE(run, b.world, Damage);
    b.s = WIDE_TYPE(run, b.world, Sprite);
    b.entities = wide_entities(b.world, run->count);
    b.picture = scene_alloc(WIDE_WIDTH * WIDE_HEIGHT, sizeof(int32_t));
    wide_fill(&b);
    return b;
}

static void wide_end(wide_bodies* b, scene_run* run)
{
    for (uint32_t k = 0; k < run->count; k++) {
        lib_entity e = b->entities[k];
        run->checksum += wide_body_sum(
            k, LIB_FIND(b->world, e, b->p, Position), LIB_FIND(b->world, e, b->d, Thoughts),
            LIB_FIND(b->world, e, b->h, Health), LIB_FIND(b->world, e, b->s, Sprite));
    }
    run->checksum += wide_picture_sum(b->picture);
    scene_free(b->picture);
    scene_free(b->entities);
    lib_end(b->world);
}

SCENE_SYSTEM_2(wide_move_all, scene_move, Position, const Velocity)
SCENE_SYSTEM_1(wide_think_all, wide_think, Thoughts)
SCENE_SYSTEM_3(wide_turn_all, wide_turn, const Position, Velocity, Thoughts)
SCENE_SYSTEM_1(wide_heal_all, scene_heal, Health)
SCENE_SYSTEM_2(wide_hurt_all, scene_hurt, Health, const Damage)
SCENE_SYSTEM_3(wide_choose_all, wide_choose, Sprite, const Player, const Health)

static void wide_draw_all(lib_context* c)
{
    int32_t* picture = LIB_USER(c);
    LIB_SYSTEM(c, b)
    {
        const Position* p = LIB_FIELD(b, const Position, 0);
        const Sprite* s = LIB_FIELD(b, const Sprite, 1);
        LIB_ROWS(b, i)
        {
            wide_draw(&p[i], &s[i], picture);
        }
    }
}

static void wide_seven(scene_run* run)
{
    wide_bodies b = wide_begin(run, run->variant >= WIDE_seven_mixed);
    lib_system(b.world, "move", wide_move_all, NULL, (lib_type[]){b.p, b.v, 0}, 1);
    lib_system(b.world, "think", wide_think_all, NULL, (lib_type[]){b.d, 0}, 1);
    lib_system(b.world, "turn", wide_turn_all, NULL, (lib_type[]){b.p, b.v, b.d}, 6);
    lib_system(b.world, "heal", wide_heal_all, NULL, (lib_type[]){b.h, 0}, 1);
    lib_system(b.world, "hurt", wide_hurt_all, NULL, (lib_type[]){b.h, b.g, 0}, 1);
    lib_system(b.world, "choose", wide_choose_all, NULL, (lib_type[]){b.s, b.player, b.h}, 1);
    lib_system(b.world, "draw", wide_draw_all, b.picture, (lib_type[]){b.p, b.s, 0}, 0);
    uint32_t rounds = scene_rounds(run->count, 1000000);
    rounds = rounds < 20 ? 20 : rounds;
    LIB_ROUNDS(run, b.world, rounds, wide_fill, &b)
    {
        lib_progress(b.world);
    }
    run->operations = (uint64_t)rounds * run->count;
    wide_end(&b, run);
}

static void wide_three(scene_run* run)
{
    wide_bodies b = wide_begin(run, true);
    lib_query* query = lib_query_create(b.world, (lib_type[]){b.p, b.v, b.d}, 3);
    uint32_t rounds = scene_rounds(run->count, 4000000);
    LIB_ROUNDS(run, b.world, rounds, wide_fill, &b)
    {
        LIB_QUERY(b.world, query, batch)
        {
            Position* p = LIB_FIELD(batch, Position, 0);
            const Velocity* v = LIB_FIELD(batch, const Velocity, 1);
            const Thoughts* d = LIB_FIELD(batch, const Thoughts, 2);
            LIB_ROWS(batch, i)
            {
                p[i].x += v[i].x * SCENE_DT;
                p[i].y += v[i].y * SCENE_DT + (float)d[i].limit;
            }
        }
    }
    run->operations = (uint64_t)rounds * run->count / 2;
    wide_end(&b, run);
}

static void wide_absent(scene_run* run)
{
    wide_bodies b = wide_begin(run, true);
    uint32_t rounds = scene_rounds(run->count, 10000000);
    uint64_t found = 0;
    lib_type absent = WIDE_TYPE(run, b.world, Rare);
    (void)LIB_ADD(b.world, b.entities[run->count - 1], absent, Rare);
    for (uint32_t round = 0; scene_goes_on(run, round, rounds); round++) {
        for (uint32_t k = 0; k < run->count; k++) {
            found += LIB_FIND(b.world, b.entities[k], absent, Rare) != NULL;
        }
    }
    run->operations = (uint64_t)rounds * run->count;
    wide_end(&b, run);
    run->checksum = found;
}

static void wide_bulk(scene_run* run)
{
    uint32_t rounds = scene_rounds(run->count, 1000000);
    Position* p = scene_alloc(run->count, sizeof(Position));
    Velocity* v = scene_alloc(run->count, sizeof(Velocity));
    for (uint32_t k = 0; k < run->count; k++) {
        p[k] = scene_position(k);
        v[k] = scene_velocity(k);
    }
    for (uint32_t round = 0; round < rounds; round++) {
        lib_world* world = lib_begin(run, false);
        lib_type types[2] = {WIDE_TYPE(run, world, Position), WIDE_TYPE(run, world, Velocity)};
        scene_start(run);
        lib_bulk(world, run->count, types, p, v);
        scene_stop(run);
        run->checksum += lib_count(world, types[0]);
        lib_end(world);
    }
    run->operations = (uint64_t)rounds * run->count;
    scene_free(p);
    scene_free(v);
}

/* ----------------------------------------------------------------------------------- rare types */

static void wide_rare(scene_run* run)
{
    lib_world* world = lib_begin(run, false);
    lib_type types[2] = {WIDE_TYPE(run, world, Position),
                         lib_register(run, world, "Rare", sizeof(Rare), 4, true)};
    lib_type rare = types[1];
    lib_entity* e = wide_entities(world, run->count);
    for (uint32_t k = 0; k < run->count; k++) {
        *LIB_ADD(world, e[k], types[0], Position) = scene_position(k);
    }
    for (uint32_t k = 0; k < WIDE_RARE; k++) {
        LIB_ADD(world, e[wide_place(k, run->count)], rare, Rare)->x = 1;
    }
    if (run->variant == WIDE_rare_loop_10k || run->variant == WIDE_rare_loop_1m) {
        lib_query* query = lib_query_create(world, types, 2);
        LIB_ROUNDS(run, world, 1000, wide_fill_nothing, NULL)
        {
            LIB_QUERY(world, query, b)
            {
                Position* at = LIB_FIELD(b, Position, 0);
                const Rare* r = LIB_FIELD(b, const Rare, 1);
                LIB_ROWS(b, i)
                {
                    at[i].x += r[i].x * SCENE_DT;
                }
            }
        }
        run->operations = 1000;
        run->checksum = WIDE_RARE;
    } else {
        uint64_t state = SCENE_SEED;
        run->operations = 200000;
        scene_start(run);
        for (uint32_t k = 0; k < run->operations; k++) {
            lib_entity at = e[scene_random(&state) % run->count];
            if (!lib_has(world, at, rare)) {
                LIB_ADD(world, at, rare, Rare)->x = 2;
                lib_remove(world, at, rare);
                run->checksum++;
            }
            lib_settle(run, world, k);
        }
        scene_stop(run);
    }
    scene_free(e);
    lib_end(world);
}

/* ------------------------------------------------------------------------------- thousand types */

static void wide_types_loop(scene_run* run, lib_world* world, const lib_type* type)
{
    lib_query* query[WIDE_KINDS];
    for (uint32_t k = 0; k < WIDE_KINDS; k++) {
        query[k] =
            lib_query_create(world, (lib_type[]){type[wide_type(k, 0)], type[wide_type(k, 1)]},
                             run->variant == WIDE_types_two ? 2 : 1);
    }
    LIB_ROUNDS(run, world, 40, wide_fill_nothing, NULL)
    {
        for (uint32_t k = 0; k < WIDE_KINDS; k++) {
            LIB_QUERY(world, query[k], b)
            {
                Pair* pair = LIB_FIELD(b, Pair, 0);
                LIB_ROWS(b, i)
                {
                    pair[i].x += 1;
                }
            }
        }
    }
    run->operations = 40 * WIDE_KINDS;
    run->checksum = run->count;
}

static void wide_types(scene_run* run)
{
    lib_world* world = lib_begin(run, false);
    lib_type type[WIDE_TYPES];
    lib_entity* e = scene_alloc(run->count, sizeof(lib_entity));
    wide_numbered(run, world, sizeof(Pair), type, WIDE_TYPES);
    bool counts = run->variant == WIDE_types_create;
    if (counts) {
        scene_start(run);
    }
    for (uint32_t k = 0; k < run->count; k++) {
        e[k] = lib_create(world);
        for (uint32_t i = 0; i < WIDE_EACH; i++) {
            *LIB_ADD(world, e[k], type[wide_type(k % WIDE_KINDS, i)], Pair) = scene_pair(k, i);
        }
    }
    if (counts) {
        scene_stop(run);
    }
    run->operations = run->count;
    if (run->variant == WIDE_types_destroy) {
        scene_start(run);
        for (uint32_t k = 0; k < run->count; k++) {
            lib_destroy(world, e[k]);
        }
        scene_stop(run);
        run->checksum = lib_count(world, type[0]);
    } else if (!counts) {
        wide_types_loop(run, world, type);
    }
    if (run->variant == WIDE_types_bytes) {
        run->operations = (uint64_t)WIDE_EACH * run->count;
        run->bytes = meter_end().live;
    }
    scene_free(e);
    lib_end(world);
}

static void wide_twenty(scene_run* run)
{
    lib_world* world = lib_begin(run, false);
    lib_entity* e = wide_entities(world, run->count);
    lib_type type[WIDE_TERMS];
    wide_numbered(run, world, sizeof(float), type, WIDE_TERMS);
    for (uint32_t n = 0; n < run->count; n++) {
        for (uint32_t k = 0; k < WIDE_TERMS; k++) {
            *LIB_ADD(world, e[n], type[k], float) = (float)((n + k) % 8);
        }
    }
    lib_query* query = lib_query_create(world, type, WIDE_TERMS);
    LIB_ROUNDS(run, world, 20, wide_fill_nothing, NULL)
    {
        LIB_QUERY(world, query, b)
        {
            float* f[WIDE_TERMS];
            for (uint32_t k = 0; k < WIDE_TERMS; k++) {
                f[k] = LIB_FIELD(b, float, k);
            }
            LIB_ROWS(b, i)
            {
                float sum = 0;
                for (uint32_t k = 1; k < WIDE_TERMS; k++) {
                    sum += f[k][i];
                }
                f[0][i] = sum;
            }
        }
    }
    run->operations = 20 * (uint64_t)run->count;
    for (uint32_t n = 0; n < run->count; n++) {
        run->checksum += scene_sum(n, *LIB_FIND(world, e[n], type[0], float));
    }
    scene_free(e);
    lib_end(world);
}

/* -------------------------------------------------------------------------------- parents first */

static void wide_cascade(scene_run* run)
{
    lib_world* world = lib_begin(run, false);
    lib_type spot = WIDE_TYPE(run, world, Spot);
    lib_entity* e = wide_entities(world, run->count);
    for (uint32_t k = 0; k < run->count; k++) {
        *LIB_ADD(world, e[wide_place(k, run->count)], spot, Spot) = (Spot){0, 0, (float)(k % 3), 1};
    }
    for (uint32_t k = 0; k < run->count; k++) {
        uint32_t parent = wide_parent(run->variant, k);
        if (parent != UINT32_MAX) {
            lib_attach(world, e[wide_place(k, run->count)], e[wide_place(parent, run->count)]);
        }
    }
    lib_order* order = lib_order_create(world, spot);
    for (uint32_t round = 0; scene_goes_on(run, round, 50); round++) {
        if (run->variant == WIDE_deep_moved) {
            lib_entity a = e[wide_place(wide_moved(0), run->count)];
            lib_entity b = e[wide_place(wide_moved(1), run->count)];
            lib_entity above = lib_parent(world, a);
            lib_attach(world, a, lib_parent(world, b));
            lib_attach(world, b, above);
        }
        lib_order_visit(world, order, spot);
    }
    run->operations = 50 * (uint64_t)run->count;
    for (uint32_t k = 0; k < run->count; k++) {
        const Spot* at = LIB_FIND(world, e[k], spot, Spot);
        run->checksum += scene_sum(k, at->x) + scene_sum(k, at->y);
    }
    scene_free(e);
    lib_end(world);
}

/* -------------------------------------------------------------------------------------- systems */

static void wide_count_all(lib_context* c)
{
    LIB_SYSTEM(c, b)
    {
        Pair* pair = LIB_FIELD(b, Pair, 0);
        LIB_ROWS(b, i)
        {
            pair[i].x += 1;
        }
    }
}

static void wide_systems(scene_run* run)
{
    lib_world* world = lib_begin(run, true);
    lib_type type[100];
    wide_numbered(run, world, sizeof(Pair), type, 100);
    for (uint32_t k = 0; run->variant == WIDE_busy && k < 100 * WIDE_FEW; k++) {
        (void)LIB_ADD(world, lib_create(world), type[k / WIDE_FEW], Pair);
    }
    for (uint32_t k = 0; k < run->count; k++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "S%u", (unsigned)k);
        lib_system(world, name, wide_count_all, NULL, (lib_type[]){type[k % 100], 0}, 1);
    }
    for (uint32_t round = 0; scene_goes_on(run, round, 100); round++) {
        lib_progress(world);
    }
    run->operations = 100 * (uint64_t)run->count;
    run->checksum = run->count;
    lib_end(world);
}

static void wide_first(scene_run* run)
{
    lib_world* world = lib_begin(run, false);
    lib_type types[2] = {WIDE_TYPE(run, world, Position), WIDE_TYPE(run, world, Velocity)};
    lib_bulk(world, run->count, types, NULL, NULL);
    scene_start(run);
    lib_query* query = lib_query_create(world, types, 2);
    LIB_QUERY(world, query, b)
    {
        Position* p = LIB_FIELD(b, Position, 0);
        const Velocity* v = LIB_FIELD(b, const Velocity, 1);
        LIB_ROWS(b, i)
        {
            scene_move(&p[i], &v[i]);
        }
    }
    scene_stop(run);
    run->operations = run->count;
    run->checksum = run->count;
    lib_end(world);
}

static void wide_observers(scene_run* run)
{
    lib_world* world = lib_begin(run, false);
    bool same = run->variant == WIDE_observed;
    uint64_t called = 0;
    lib_type p = WIDE_TYPE(run, world, Position);
    lib_type v = WIDE_TYPE(run, world, Velocity);
    lib_type others[WIDE_TYPES];
    wide_numbered(run, world, sizeof(Pair), others, same ? 0 : WIDE_TYPES);
    for (uint32_t k = 0; k < (same ? 100u : WIDE_TYPES); k++) {
        lib_observe(world, same ? v : others[k], &called);
    }
    lib_entity* e = wide_entities(world, run->count);
    for (uint32_t k = 0; k < run->count; k++) {
        (void)LIB_ADD(world, e[k], p, Position);
    }
    uint32_t rounds = same ? 20 : 200;
    for (uint32_t round = 0; scene_goes_on(run, round, rounds); round++) {
        for (uint32_t k = 0; k < run->count; k++) {
            lib_add(world, e[k], v);
            lib_remove(world, e[k], v);
        }
    }
    run->operations = (uint64_t)rounds * run->count;
    run->checksum = called;
    scene_free(e);
    lib_end(world);
}

/* ---------------------------------------------------------------------------- links and prefabs */

static void wide_links(scene_run* run)
{
    lib_world* world = lib_begin(run, false);
    bool turns = run->variant == WIDE_link_turn;
    lib_type likes = lib_relationship(world, turns);
    lib_type p = WIDE_TYPE(run, world, Position);
    lib_entity* e = wide_entities(world, run->count);
    for (uint32_t k = 0; k < run->count; k++) {
        (void)LIB_ADD(world, e[k], p, Position);
    }
    uint64_t sum = 0;
    uint32_t rounds = 50;
    if (run->variant == WIDE_link_query) {
        for (uint32_t k = 0; k < run->count; k++) {
            lib_relate(world, e[k], likes, e[k % 1000]);
        }
        lib_targets* targets = lib_targets_create(world, likes);
        for (uint32_t round = 0; scene_goes_on(run, round, rounds); round++) {
            sum += lib_targets_sum(world, targets);
        }
        sum = sum != 0;
    } else {
        for (uint32_t round = 0; scene_goes_on(run, round, rounds); round++) {
            for (uint32_t k = 0; k < run->count; k++) {
                lib_entity target = e[(k + round) % 100];
                lib_relate(world, e[k], likes, target);
                if (!turns) {
                    lib_unrelate(world, e[k], likes, target);
                }
            }
        }
    }
    run->operations = (uint64_t)rounds * run->count;
    run->checksum = sum + run->count;
    scene_free(e);
    lib_end(world);
}

static lib_entity wide_prefab(lib_world* world, const lib_entity* parent, const lib_type* type)
{
    lib_entity e = lib_prefab(world);
    if (parent != NULL) {
        lib_attach(world, e, *parent);
    }
    for (uint32_t k = 0; k < 3; k++) {
        *LIB_ADD(world, e, type[k], Pair) = scene_pair(k, k);
    }
    return e;
}

static void wide_prefabs(scene_run* run)
{
    lib_world* world = lib_begin(run, false);
    lib_type type[3];
    wide_numbered(run, world, sizeof(Pair), type, 3);
    lib_entity root = wide_prefab(world, NULL, type);
    for (uint32_t i = 0; i < SCENE_PREFAB_CHILDREN; i++) {
        lib_entity child = wide_prefab(world, &root, type);
        for (uint32_t j = 0; j < SCENE_PREFAB_LEAVES; j++) {
            (void)wide_prefab(world, &child, type);
        }
    }
    lib_prefab_done(world, root);
    lib_entity* made = scene_alloc(run->count, sizeof(lib_entity));
    bool ends = run->variant == WIDE_prefab_ended;
    if (!ends) {
        scene_start(run);
    }
    for (uint32_t k = 0; k < run->count; k++) {
        made[k] = lib_instantiate(world, root);
    }
    if (ends) {
        scene_start(run);
        for (uint32_t k = 0; k < run->count; k++) {
            lib_destroy(world, made[k]);
        }
    }
    scene_stop(run);
    run->operations = run->count;
    run->checksum = lib_count(world, type[0]);
    scene_free(made);
    lib_end(world);
}

/* ------------------------------------------------------------------------------- names and JSON */

static lib_entity wide_named(lib_world* world, const lib_entity* parent, const char* name)
{
    lib_entity e = parent != NULL ? lib_create_child(world, *parent) : lib_create(world);
    lib_name(world, e, name);
    return e;
}

static void wide_names(scene_run* run)
{
    lib_world* world = lib_begin(run, false);
    uint32_t count = run->count;
    lib_entity top[10], middle[100];
    char text[64];
    for (uint32_t k = 0; k < 10; k++) {
        (void)snprintf(text, sizeof(text), "map%u", (unsigned)k);
        top[k] = wide_named(world, NULL, text);
    }
    for (uint32_t k = 0; k < 100; k++) {
        (void)snprintf(text, sizeof(text), "room%u", (unsigned)k);
        middle[k] = wide_named(world, &top[k % 10], text);
    }
    char(*name)[16] = scene_alloc(count, 16);
    char(*path)[64] = scene_alloc(count, 64);
    for (uint32_t k = 0; k < count; k++) {
        (void)snprintf(name[k], 16, "door%u", (unsigned)k);
        (void)snprintf(path[k], 64, "map%u/room%u/door%u", (unsigned)(k % 10), (unsigned)(k % 100),
                       (unsigned)k);
    }
    bool creates = run->variant == WIDE_names;
    if (creates) {
        scene_start(run);
    }
    for (uint32_t k = 0; k < count; k++) {
        (void)wide_named(world, &middle[k % 100], name[k]);
    }
    if (creates) {
        scene_stop(run);
    }
    run->checksum = creates ? count : 0;
    for (uint32_t round = 0; !creates && scene_goes_on(run, round, 20); round++) {
        for (uint32_t k = 0; k < count; k++) {
            run->checksum += lib_path(world, path[k]);
        }
    }
    run->operations = creates ? count : 20 * (uint64_t)count;
    scene_free(name);
    scene_free(path);
    lib_end(world);
}

static void wide_json(scene_run* run)
{
    lib_world* world = lib_begin(run, true);
    lib_type place, vitals;
    lib_json_types(world, &place, &vitals);
    for (uint32_t k = 0; k < run->count; k++) {
        lib_entity e = lib_create(world);
        *LIB_ADD(world, e, place, Place) = (Place){(float)k * 0.25f, (float)k / 7};
        *LIB_ADD(world, e, vitals, Vitals) = (Vitals){k % 100, 100};
    }
    for (uint32_t round = 0; scene_goes_on(run, round, 5); round++) {
        run->peak = lib_json(world);
    }
    run->operations = 5 * (uint64_t)run->count;
    run->checksum = run->count;
    lib_end(world);
}

/* --------------------------------------------------------------------------------------- worlds */

static void wide_bytes(scene_run* run)
{
    lib_world* world = lib_begin(run, false);
    typedef float three[3];
    lib_type types[4];
    wide_numbered(run, world, sizeof(three), types, 4);
    for (uint32_t k = 0; k < run->count; k++) {
        lib_entity e = lib_create(world);
        for (uint32_t i = 0; i < 4; i++) {
            (*LIB_ADD(world, e, types[i], three))[0] = 1;
        }
    }
    run->checksum = lib_count(world, types[3]);
    run->operations = run->count;
    run->bytes = meter_end().peak;
    lib_end(world);
}

static void wide_worlds(scene_run* run)
{
    static lib_world* worlds[100];
    scene_start(run);
    for (uint32_t k = 0; k < run->count; k++) {
        worlds[k] = lib_begin(run, false);
        lib_type p = WIDE_TYPE(run, worlds[k], Position);
        for (uint32_t i = 0; i < 10; i++) {
            *LIB_ADD(worlds[k], lib_create(worlds[k]), p, Position) = scene_position(i);
        }
        run->checksum += lib_count(worlds[k], p);
    }
    for (uint32_t k = 0; k < run->count; k++) {
        lib_end(worlds[k]);
    }
    scene_stop(run);
    run->operations = run->count;
}

static const scene_fn wide_scenes[WIDE_ROWS] = {
#define WIDE_ROW_SCENE(name, title, entities, scene) wide_##scene,
    WIDE_ROW_LIST(WIDE_ROW_SCENE)
#undef WIDE_ROW_SCENE
};

#endif

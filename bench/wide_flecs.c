/* wide_flecs.c: the scenes of wide.h for flecs, as its manual does them: cached queries, systems in
 * its pipeline, whole tables at a time. */
#include <flecs.h>

#include "wide.h"

#include <stdio.h>
#include <string.h>

static ecs_entity_t wide_flecs_type(ecs_world_t* world, const char* name, size_t size, size_t align)
{
    const ecs_entity_desc_t entity = {.name = name, .use_low_id = true};
    const ecs_component_desc_t desc = {
        .entity = ecs_entity_init(world, &entity),
        .type = {.size = (ecs_size_t)size, .alignment = (ecs_size_t)align},
    };
    ecs_entity_t id = ecs_component_init(world, &desc);
    scene_check(id != 0, "ecs_component_init");
    return id;
}

#define WIDE_TYPE(world, T) wide_flecs_type((world), #T, sizeof(T), _Alignof(T))
#define WIDE_PUT(world, e, id, T) ((T*)ecs_ensure_id((world), (e), (id), sizeof(T)))
#define WIDE_GET(world, e, id, T) ((const T*)ecs_get_id((world), (e), (id)))

static ecs_query_t* wide_flecs_query(ecs_world_t* world, const ecs_entity_t* ids, uint32_t count)
{
    ecs_query_desc_t desc = {.cache_kind = EcsQueryCacheAuto};
    for (uint32_t k = 0; k < count; k++) {
        desc.terms[k].id = ids[k];
        desc.terms[k].inout = k == 0 ? EcsInOut : EcsIn;
    }
    ecs_query_t* query = ecs_query_init(world, &desc);
    scene_check(query != NULL, "ecs_query_init");
    return query;
}

/* ------------------------------------------------------------------------------- seven systems */

typedef struct flecs_bodies {
    ecs_world_t* world;
    ecs_entity_t p, v, d, h, g, s, player;
    ecs_entity_t* entities;
    int32_t* picture;
} flecs_bodies;

static flecs_bodies flecs_bodies_begin(scene_run* run, bool mixed)
{
    flecs_bodies b = {.world = ecs_init()};
    b.p = WIDE_TYPE(b.world, Position);
    b.v = WIDE_TYPE(b.world, Velocity);
    b.d = WIDE_TYPE(b.world, Thoughts);
    b.player = WIDE_TYPE(b.world, Player);
    b.h = WIDE_TYPE(b.world, Health);
    b.g = WIDE_TYPE(b.world, Damage);
    b.s = WIDE_TYPE(b.world, Sprite);
    b.entities = scene_alloc(run->count, sizeof(ecs_entity_t));
    b.picture = scene_alloc(WIDE_WIDTH * WIDE_HEIGHT, sizeof(int32_t));
    memset(b.picture, 0, WIDE_WIDTH * WIDE_HEIGHT * sizeof(int32_t));
    for (uint32_t k = 0; k < run->count; k++) {
        ecs_entity_t e = b.entities[k] = ecs_new(b.world);
        *WIDE_PUT(b.world, e, b.p, Position) = wide_position(k);
        *WIDE_PUT(b.world, e, b.v, Velocity) = scene_velocity(k);
        if (wide_thinks(k, mixed)) {
            *WIDE_PUT(b.world, e, b.d, Thoughts) = wide_thoughts(k);
        }
        if (wide_lives(k, mixed)) {
            *WIDE_PUT(b.world, e, b.player, Player) = wide_player(k);
            *WIDE_PUT(b.world, e, b.h, Health) = scene_health(k);
            WIDE_PUT(b.world, e, b.s, Sprite)->character = ' ';
        }
        if (wide_fights(k, mixed)) {
            *WIDE_PUT(b.world, e, b.g, Damage) = scene_damage(k);
        }
    }
    return b;
}

static void flecs_bodies_end(flecs_bodies* b, scene_run* run)
{
    for (uint32_t k = 0; k < run->count; k++) {
        ecs_entity_t e = b->entities[k];
        run->checksum += wide_body_sum(
            k, WIDE_GET(b->world, e, b->p, Position), WIDE_GET(b->world, e, b->d, Thoughts),
            WIDE_GET(b->world, e, b->h, Health), WIDE_GET(b->world, e, b->s, Sprite));
    }
    run->checksum += wide_picture_sum(b->picture);
    scene_free(b->picture);
    scene_free(b->entities);
    ecs_fini(b->world);
}

static void flecs_seven_move(ecs_iter_t* it)
{
    Position* p = ecs_field(it, Position, 0);
    const Velocity* v = ecs_field(it, Velocity, 1);
    for (int32_t i = 0; i < it->count; i++) {
        scene_move(&p[i], &v[i]);
    }
}

static void flecs_seven_think(ecs_iter_t* it)
{
    Thoughts* d = ecs_field(it, Thoughts, 0);
    for (int32_t i = 0; i < it->count; i++) {
        wide_think(&d[i]);
    }
}

static void flecs_seven_turn(ecs_iter_t* it)
{
    const Position* p = ecs_field(it, Position, 0);
    Velocity* v = ecs_field(it, Velocity, 1);
    Thoughts* d = ecs_field(it, Thoughts, 2);
    for (int32_t i = 0; i < it->count; i++) {
        wide_turn(&p[i], &v[i], &d[i]);
    }
}

static void flecs_seven_heal(ecs_iter_t* it)
{
    Health* h = ecs_field(it, Health, 0);
    for (int32_t i = 0; i < it->count; i++) {
        scene_heal(&h[i]);
    }
}

static void flecs_seven_hurt(ecs_iter_t* it)
{
    Health* h = ecs_field(it, Health, 0);
    const Damage* g = ecs_field(it, Damage, 1);
    for (int32_t i = 0; i < it->count; i++) {
        scene_hurt(&h[i], &g[i]);
    }
}

static void flecs_seven_choose(ecs_iter_t* it)
{
    Sprite* s = ecs_field(it, Sprite, 0);
    const Player* player = ecs_field(it, Player, 1);
    const Health* h = ecs_field(it, Health, 2);
    for (int32_t i = 0; i < it->count; i++) {
        wide_choose(&s[i], &player[i], &h[i]);
    }
}

static void flecs_seven_draw(ecs_iter_t* it)
{
    const Position* p = ecs_field(it, Position, 0);
    const Sprite* s = ecs_field(it, Sprite, 1);
    int32_t* picture = it->ctx;
    for (int32_t i = 0; i < it->count; i++) {
        wide_draw(&p[i], &s[i], picture);
    }
}

static void wide_flecs_system(ecs_world_t* world, ecs_iter_action_t run, void* user,
                              const ecs_entity_t* types, uint32_t writes)
{
    const ecs_id_t phase[] = {ecs_dependson(EcsOnUpdate), EcsOnUpdate, 0};
    ecs_system_desc_t desc = {
        .entity = ecs_entity_init(world, &(ecs_entity_desc_t){.add = phase}),
        .callback = run,
        .ctx = user,
        .query.cache_kind = EcsQueryCacheAuto,
    };
    for (uint32_t k = 0; k < 3 && types[k] != 0; k++) {
        desc.query.terms[k].id = types[k];
        desc.query.terms[k].inout = writes >> k & 1 ? EcsInOut : EcsIn;
    }
    scene_check(ecs_system_init(world, &desc) != 0, "ecs_system_init");
}

static void wide_flecs_seven(scene_run* run)
{
    flecs_bodies b = flecs_bodies_begin(run, run->variant >= WIDE_seven_mixed);
    wide_flecs_system(b.world, flecs_seven_move, NULL, (ecs_entity_t[]){b.p, b.v, 0}, 1);
    wide_flecs_system(b.world, flecs_seven_think, NULL, (ecs_entity_t[]){b.d, 0}, 1);
    wide_flecs_system(b.world, flecs_seven_turn, NULL, (ecs_entity_t[]){b.p, b.v, b.d}, 6);
    wide_flecs_system(b.world, flecs_seven_heal, NULL, (ecs_entity_t[]){b.h, 0}, 1);
    wide_flecs_system(b.world, flecs_seven_hurt, NULL, (ecs_entity_t[]){b.h, b.g, 0}, 1);
    wide_flecs_system(b.world, flecs_seven_choose, NULL, (ecs_entity_t[]){b.s, b.player, b.h}, 1);
    wide_flecs_system(b.world, flecs_seven_draw, b.picture, (ecs_entity_t[]){b.p, b.s, 0}, 0);
    uint32_t rounds = scene_rounds(run->count, 1000000);
    rounds = rounds < 20 ? 20 : rounds;
    for (uint32_t round = 0; scene_goes_on(run, round, rounds); round++) {
        (void)ecs_progress(b.world, SCENE_DT);
    }
    run->operations = (uint64_t)rounds * run->count;
    flecs_bodies_end(&b, run);
}

static void wide_flecs_three(scene_run* run)
{
    flecs_bodies b = flecs_bodies_begin(run, true);
    ecs_query_t* query = wide_flecs_query(b.world, (ecs_entity_t[]){b.p, b.v, b.d}, 3);
    uint32_t rounds = scene_rounds(run->count, 4000000);
    for (uint32_t round = 0; scene_goes_on(run, round, rounds); round++) {
        ecs_iter_t it = ecs_query_iter(b.world, query);
        while (ecs_query_next(&it)) {
            Position* p = ecs_field(&it, Position, 0);
            const Velocity* v = ecs_field(&it, Velocity, 1);
            const Thoughts* d = ecs_field(&it, Thoughts, 2);
            for (int32_t i = 0; i < it.count; i++) {
                p[i].x += v[i].x * SCENE_DT;
                p[i].y += v[i].y * SCENE_DT + (float)d[i].limit;
            }
        }
    }
    run->operations = (uint64_t)rounds * run->count / 2;
    flecs_bodies_end(&b, run);
}

static void wide_flecs_absent(scene_run* run)
{
    flecs_bodies b = flecs_bodies_begin(run, true);
    ecs_entity_t absent = WIDE_TYPE(b.world, Rare);
    (void)WIDE_PUT(b.world, b.entities[run->count - 1], absent, Rare);
    uint32_t rounds = scene_rounds(run->count, 10000000);
    uint64_t found = 0;
    for (uint32_t round = 0; scene_goes_on(run, round, rounds); round++) {
        for (uint32_t k = 0; k < run->count; k++) {
            found += ecs_get_id(b.world, b.entities[k], absent) != NULL;
        }
    }
    run->operations = (uint64_t)rounds * run->count;
    scene_free(b.picture);
    scene_free(b.entities);
    ecs_fini(b.world);
    run->checksum = found;
}

static void wide_flecs_bulk(scene_run* run)
{
    uint32_t rounds = scene_rounds(run->count, 1000000);
    Position* p = scene_alloc(run->count, sizeof(Position));
    Velocity* v = scene_alloc(run->count, sizeof(Velocity));
    for (uint32_t k = 0; k < run->count; k++) {
        p[k] = scene_position(k);
        v[k] = scene_velocity(k);
    }
    for (uint32_t round = 0; round < rounds; round++) {
        ecs_world_t* world = ecs_mini();
        ecs_entity_t pid = WIDE_TYPE(world, Position);
        ecs_entity_t vid = WIDE_TYPE(world, Velocity);
        scene_start(run);
        (void)ecs_bulk_init(world, &(ecs_bulk_desc_t){.count = (int32_t)run->count,
                                                      .ids = {pid, vid},
                                                      .data = (void*[]){p, v}});
        scene_stop(run);
        run->checksum += (uint64_t)ecs_count_id(world, pid);
        ecs_fini(world);
    }
    run->operations = (uint64_t)rounds * run->count;
    scene_free(p);
    scene_free(v);
}

/* ----------------------------------------------------------------------------------- rare types */

static void wide_flecs_rare(scene_run* run)
{
    ecs_world_t* world = ecs_mini();
    ecs_entity_t p = WIDE_TYPE(world, Position);
    ecs_entity_t rare = WIDE_TYPE(world, Rare);
    ecs_entity_t* e = scene_alloc(run->count, sizeof(ecs_entity_t));
    for (uint32_t k = 0; k < run->count; k++) {
        e[k] = ecs_new(world);
        *WIDE_PUT(world, e[k], p, Position) = scene_position(k);
    }
    for (uint32_t k = 0; k < WIDE_RARE; k++) {
        WIDE_PUT(world, e[wide_place(k, run->count)], rare, Rare)->x = 1;
    }
    if (run->variant == WIDE_rare_loop_10k || run->variant == WIDE_rare_loop_1m) {
        ecs_query_t* query = wide_flecs_query(world, (ecs_entity_t[]){p, rare}, 2);
        for (uint32_t round = 0; scene_goes_on(run, round, 1000); round++) {
            ecs_iter_t it = ecs_query_iter(world, query);
            while (ecs_query_next(&it)) {
                Position* at = ecs_field(&it, Position, 0);
                const Rare* r = ecs_field(&it, Rare, 1);
                for (int32_t i = 0; i < it.count; i++) {
                    at[i].x += r[i].x * SCENE_DT;
                }
            }
        }
        run->operations = 1000;
        run->checksum = WIDE_RARE;
    } else {
        uint64_t state = SCENE_SEED;
        const uint32_t rounds = 200000;
        scene_start(run);
        for (uint32_t k = 0; k < rounds; k++) {
            ecs_entity_t at = e[scene_random(&state) % run->count];
            if (!ecs_has_id(world, at, rare)) {
                WIDE_PUT(world, at, rare, Rare)->x = 2;
                ecs_remove_id(world, at, rare);
                run->checksum++;
            }
        }
        scene_stop(run);
        run->operations = rounds;
    }
    scene_free(e);
    ecs_fini(world);
}

/* ------------------------------------------------------------------------------- thousand types */

static void wide_flecs_types(scene_run* run)
{
    static ecs_query_t* query[WIDE_KINDS];
    ecs_world_t* world = ecs_mini();
    ecs_entity_t type[WIDE_TYPES];
    ecs_entity_t* e = scene_alloc(run->count, sizeof(ecs_entity_t));
    for (uint32_t k = 0; k < WIDE_TYPES; k++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "T%u", (unsigned)k);
        type[k] = wide_flecs_type(world, name, sizeof(Pair), 4);
    }
    if (run->variant == WIDE_types_create) {
        scene_start(run);
    }
    for (uint32_t k = 0; k < run->count; k++) {
        e[k] = ecs_new(world);
        for (uint32_t i = 0; i < WIDE_EACH; i++) {
            *WIDE_PUT(world, e[k], type[wide_type(k % WIDE_KINDS, i)], Pair) = scene_pair(k, i);
        }
    }
    if (run->variant == WIDE_types_create) {
        scene_stop(run);
    }
    run->operations = run->count;
    if (run->variant == WIDE_types_one || run->variant == WIDE_types_two) {
        for (uint32_t k = 0; k < WIDE_KINDS; k++) {
            query[k] = wide_flecs_query(
                world, (ecs_entity_t[]){type[wide_type(k, 0)], type[wide_type(k, 1)]},
                run->variant == WIDE_types_two ? 2 : 1);
        }
        for (uint32_t round = 0; scene_goes_on(run, round, 40); round++) {
            for (uint32_t k = 0; k < WIDE_KINDS; k++) {
                ecs_iter_t it = ecs_query_iter(world, query[k]);
                while (ecs_query_next(&it)) {
                    Pair* pair = ecs_field(&it, Pair, 0);
                    for (int32_t i = 0; i < it.count; i++) {
                        pair[i].x += 1;
                    }
                }
            }
        }
        run->operations = 40 * WIDE_KINDS;
        run->checksum = run->count;
    } else if (run->variant == WIDE_types_destroy) {
        scene_start(run);
        for (uint32_t k = 0; k < run->count; k++) {
            ecs_delete(world, e[k]);
        }
        scene_stop(run);
        run->checksum = (uint64_t)ecs_count_id(world, type[0]);
    }
    scene_free(e);
    ecs_fini(world);
}

static void wide_flecs_twenty(scene_run* run)
{
    ecs_world_t* world = ecs_mini();
    ecs_entity_t type[WIDE_TERMS];
    ecs_entity_t* e = scene_alloc(run->count, sizeof(ecs_entity_t));
    for (uint32_t k = 0; k < WIDE_TERMS; k++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "T%u", (unsigned)k);
        type[k] = wide_flecs_type(world, name, 4, 4);
    }
    for (uint32_t n = 0; n < run->count; n++) {
        e[n] = ecs_new(world);
        for (uint32_t k = 0; k < WIDE_TERMS; k++) {
            *WIDE_PUT(world, e[n], type[k], float) = (float)((n + k) % 8);
        }
    }
    ecs_query_t* query = wide_flecs_query(world, type, WIDE_TERMS);
    for (uint32_t round = 0; scene_goes_on(run, round, 20); round++) {
        ecs_iter_t it = ecs_query_iter(world, query);
        while (ecs_query_next(&it)) {
            float* f[WIDE_TERMS];
            for (uint32_t k = 0; k < WIDE_TERMS; k++) {
                f[k] = ecs_field_w_size(&it, sizeof(float), (int8_t)k);
            }
            for (int32_t i = 0; i < it.count; i++) {
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
        run->checksum += scene_sum(n, *WIDE_GET(world, e[n], type[0], float));
    }
    scene_free(e);
    ecs_fini(world);
}

/* -------------------------------------------------------------------------------- parents first */

typedef struct Spot {
    float x, y;
    float local_x, local_y;
} Spot;

static void wide_flecs_cascade(scene_run* run)
{
    ecs_world_t* world = ecs_mini();
    ecs_entity_t spot = WIDE_TYPE(world, Spot);
    ecs_entity_t* e = scene_alloc(run->count, sizeof(ecs_entity_t));
    for (uint32_t k = 0; k < run->count; k++) {
        e[k] = ecs_new(world);
    }
    for (uint32_t k = 0; k < run->count; k++) {
        uint32_t number = wide_place(k, run->count);
        *WIDE_PUT(world, e[number], spot, Spot) = (Spot){0, 0, (float)(k % 3), 1};
    }
    for (uint32_t k = 0; k < run->count; k++) {
        uint32_t parent = wide_parent(run->variant, k);
        if (parent != UINT32_MAX) {
            ecs_add_pair(world, e[wide_place(k, run->count)], EcsChildOf,
                         e[wide_place(parent, run->count)]);
        }
    }
    ecs_query_t* query =
        ecs_query_init(world, &(ecs_query_desc_t){.terms = {{.id = spot},
                                                            {.id = spot,
                                                             .src.id = EcsCascade | EcsUp,
                                                             .trav = EcsChildOf,
                                                             .inout = EcsIn,
                                                             .oper = EcsOptional}},
                                                  .cache_kind = EcsQueryCacheAuto});
    for (uint32_t round = 0; scene_goes_on(run, round, 50); round++) {
        if (run->variant == WIDE_deep_moved) {
            ecs_entity_t a = e[wide_place(wide_moved(0), run->count)];
            ecs_entity_t b = e[wide_place(wide_moved(1), run->count)];
            ecs_entity_t above_a = ecs_get_target(world, a, EcsChildOf, 0);
            ecs_entity_t above_b = ecs_get_target(world, b, EcsChildOf, 0);
            ecs_add_pair(world, a, EcsChildOf, above_b);
            ecs_add_pair(world, b, EcsChildOf, above_a);
        }
        ecs_iter_t it = ecs_query_iter(world, query);
        while (ecs_query_next(&it)) {
            Spot* at = ecs_field(&it, Spot, 0);
            const Spot* above = ecs_field(&it, Spot, 1);
            float x = above != NULL ? above->x : 0;
            float y = above != NULL ? above->y : 0;
            for (int32_t i = 0; i < it.count; i++) {
                at[i].x = at[i].local_x + x;
                at[i].y = at[i].local_y + y;
            }
        }
    }
    run->operations = 50 * (uint64_t)run->count;
    for (uint32_t k = 0; k < run->count; k++) {
        const Spot* at = WIDE_GET(world, e[k], spot, Spot);
        run->checksum += scene_sum(k, at->x) + scene_sum(k, at->y);
    }
    scene_free(e);
    ecs_fini(world);
}

/* -------------------------------------------------------------------------------------- systems */

static void flecs_busy_run(ecs_iter_t* it)
{
    Pair* pair = ecs_field(it, Pair, 0);
    for (int32_t i = 0; i < it->count; i++) {
        pair[i].x += 1;
    }
}

static void wide_flecs_systems(scene_run* run)
{
    ecs_world_t* world = ecs_init();
    ecs_entity_t type[100];
    for (uint32_t k = 0; k < 100; k++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "T%u", (unsigned)k);
        type[k] = wide_flecs_type(world, name, sizeof(Pair), 4);
        for (uint32_t n = 0; run->variant == WIDE_busy && n < WIDE_FEW; n++) {
            (void)WIDE_PUT(world, ecs_new(world), type[k], Pair);
        }
    }
    for (uint32_t k = 0; k < run->count; k++) {
        wide_flecs_system(world, flecs_busy_run, NULL, (ecs_entity_t[]){type[k % 100], 0}, 1);
    }
    for (uint32_t round = 0; scene_goes_on(run, round, 100); round++) {
        (void)ecs_progress(world, SCENE_DT);
    }
    run->operations = 100 * (uint64_t)run->count;
    run->checksum = run->count;
    ecs_fini(world);
}

static void wide_flecs_first(scene_run* run)
{
    ecs_world_t* world = ecs_mini();
    ecs_entity_t pid = WIDE_TYPE(world, Position);
    ecs_entity_t vid = WIDE_TYPE(world, Velocity);
    (void)ecs_bulk_init(world, &(ecs_bulk_desc_t){.count = (int32_t)run->count, .ids = {pid, vid}});
    scene_start(run);
    ecs_query_t* query = wide_flecs_query(world, (ecs_entity_t[]){pid, vid}, 2);
    ecs_iter_t it = ecs_query_iter(world, query);
    while (ecs_query_next(&it)) {
        flecs_seven_move(&it);
    }
    scene_stop(run);
    run->operations = run->count;
    run->checksum = run->count;
    ecs_fini(world);
}

/* ------------------------------------------------------------------------------------ observers */

static void flecs_count_calls(ecs_iter_t* it)
{
    *(uint64_t*)it->ctx += (uint64_t)it->count;
}

static void wide_flecs_observers(scene_run* run)
{
    ecs_world_t* world = ecs_mini();
    bool same = run->variant == WIDE_observed;
    uint64_t called = 0;
    ecs_entity_t p = WIDE_TYPE(world, Position);
    ecs_entity_t v = WIDE_TYPE(world, Velocity);
    for (uint32_t k = 0; k < (same ? 100u : 1000u); k++) {
        ecs_entity_t type = v;
        if (!same) {
            char name[16];
            (void)snprintf(name, sizeof(name), "T%u", (unsigned)k);
            type = wide_flecs_type(world, name, sizeof(Pair), 4);
        }
        ecs_observer_desc_t desc = {
            .callback = flecs_count_calls, .ctx = &called, .events = {EcsOnAdd}};
        desc.query.terms[0].id = type;
        scene_check(ecs_observer_init(world, &desc) != 0, "ecs_observer_init");
    }
    ecs_entity_t* e = scene_alloc(run->count, sizeof(ecs_entity_t));
    for (uint32_t k = 0; k < run->count; k++) {
        e[k] = ecs_new_w_id(world, p);
    }
    uint32_t rounds = same ? 20 : 200;
    for (uint32_t round = 0; scene_goes_on(run, round, rounds); round++) {
        for (uint32_t k = 0; k < run->count; k++) {
            ecs_add_id(world, e[k], v);
            ecs_remove_id(world, e[k], v);
        }
    }
    run->operations = (uint64_t)rounds * run->count;
    run->checksum = called;
    scene_free(e);
    ecs_fini(world);
}

/* ---------------------------------------------------------------------------------------- links */

static void wide_flecs_links(scene_run* run)
{
    ecs_world_t* world = ecs_mini();
    bool turns = run->variant == WIDE_link_turn;
    ecs_entity_t likes = ecs_new(world);
    if (turns) {
        ecs_add_id(world, likes, EcsExclusive);
    }
    ecs_entity_t p = WIDE_TYPE(world, Position);
    ecs_entity_t* e = scene_alloc(run->count, sizeof(ecs_entity_t));
    for (uint32_t k = 0; k < run->count; k++) {
        e[k] = ecs_new_w_id(world, p);
    }
    uint64_t sum = 0;
    uint32_t rounds = 50;
    if (run->variant == WIDE_link_query) {
        for (uint32_t k = 0; k < run->count; k++) {
            ecs_add_pair(world, e[k], likes, e[k % 1000]);
        }
        ecs_query_t* query = ecs_query_init(
            world, &(ecs_query_desc_t){.terms = {{.id = ecs_pair(likes, EcsWildcard)}},
                                       .cache_kind = EcsQueryCacheAuto});
        for (uint32_t round = 0; scene_goes_on(run, round, rounds); round++) {
            ecs_iter_t it = ecs_query_iter(world, query);
            while (ecs_query_next(&it)) {
                uint64_t target = ecs_pair_second(world, ecs_field_id(&it, 0));
                for (int32_t i = 0; i < it.count; i++) {
                    sum += target;
                }
            }
        }
        sum = sum != 0;
    } else {
        for (uint32_t round = 0; scene_goes_on(run, round, rounds); round++) {
            for (uint32_t k = 0; k < run->count; k++) {
                ecs_entity_t target = e[(k + round) % 100];
                ecs_add_pair(world, e[k], likes, target);
                if (!turns) {
                    ecs_remove_pair(world, e[k], likes, target);
                }
            }
        }
    }
    run->operations = (uint64_t)rounds * run->count;
    run->checksum = sum + run->count;
    scene_free(e);
    ecs_fini(world);
}

/* -------------------------------------------------------------------------------------- prefabs */

static ecs_entity_t flecs_prefab_node(ecs_world_t* world, ecs_entity_t parent,
                                      const ecs_entity_t* type)
{
    ecs_entity_t e = ecs_new_w_id(world, EcsPrefab);
    if (parent != 0) {
        ecs_add_pair(world, e, EcsChildOf, parent);
    }
    for (uint32_t k = 0; k < 3; k++) {
        *WIDE_PUT(world, e, type[k], Pair) = scene_pair(k, k);
    }
    return e;
}

static void wide_flecs_prefabs(scene_run* run)
{
    ecs_world_t* world = ecs_mini();
    ecs_entity_t type[3] = {wide_flecs_type(world, "A", sizeof(Pair), 4),
                            wide_flecs_type(world, "B", sizeof(Pair), 4),
                            wide_flecs_type(world, "C", sizeof(Pair), 4)};
    ecs_entity_t root = flecs_prefab_node(world, 0, type);
    for (uint32_t i = 0; i < SCENE_PREFAB_CHILDREN; i++) {
        ecs_entity_t child = flecs_prefab_node(world, root, type);
        for (uint32_t j = 0; j < SCENE_PREFAB_LEAVES; j++) {
            (void)flecs_prefab_node(world, child, type);
        }
    }
    ecs_entity_t* made = scene_alloc(run->count, sizeof(ecs_entity_t));
    bool ends = run->variant == WIDE_prefab_ended;
    if (!ends) {
        scene_start(run);
    }
    for (uint32_t k = 0; k < run->count; k++) {
        made[k] = ecs_new_w_pair(world, EcsIsA, root);
    }
    if (ends) {
        scene_start(run);
        for (uint32_t k = 0; k < run->count; k++) {
            ecs_delete(world, made[k]);
        }
    }
    scene_stop(run);
    run->operations = run->count;
    run->checksum = (uint64_t)ecs_count_id(world, type[0]);
    scene_free(made);
    ecs_fini(world);
}

/* ---------------------------------------------------------------------------------------- names */

static void wide_flecs_names(scene_run* run)
{
    ecs_world_t* world = ecs_mini();
    uint32_t count = run->count;
    ecs_entity_t top[10], middle[100];
    char text[64];
    for (uint32_t k = 0; k < 10; k++) {
        (void)snprintf(text, sizeof(text), "map%u", (unsigned)k);
        top[k] = ecs_new(world);
        (void)ecs_set_name(world, top[k], text);
    }
    for (uint32_t k = 0; k < 100; k++) {
        (void)snprintf(text, sizeof(text), "room%u", (unsigned)k);
        middle[k] = ecs_new_w_pair(world, EcsChildOf, top[k % 10]);
        (void)ecs_set_name(world, middle[k], text);
    }
    char(*name)[16] = scene_alloc(count, 16);
    char(*path)[64] = scene_alloc(count, 64);
    for (uint32_t k = 0; k < count; k++) {
        (void)snprintf(name[k], 16, "door%u", (unsigned)k);
        (void)snprintf(path[k], 64, "map%u/room%u/door%u", (unsigned)(k % 10), (unsigned)(k % 100),
                       (unsigned)k);
    }
    if (run->variant == WIDE_names) {
        scene_start(run);
    }
    for (uint32_t k = 0; k < count; k++) {
        ecs_entity_t e = ecs_new_w_pair(world, EcsChildOf, middle[k % 100]);
        (void)ecs_set_name(world, e, name[k]);
    }
    if (run->variant == WIDE_names) {
        scene_stop(run);
        run->operations = count;
        run->checksum = count;
    } else {
        for (uint32_t round = 0; scene_goes_on(run, round, 20); round++) {
            for (uint32_t k = 0; k < count; k++) {
                run->checksum += ecs_lookup_path_w_sep(world, 0, path[k], "/", NULL, false) != 0;
            }
        }
        run->operations = 20 * (uint64_t)count;
    }
    scene_free(name);
    scene_free(path);
    ecs_fini(world);
}

/* ----------------------------------------------------------------------------------------- JSON */

typedef struct Vitals {
    uint32_t points, most;
} Vitals;

typedef struct Place {
    float x, y;
} Place;

static void wide_flecs_json(scene_run* run)
{
    ecs_world_t* world = ecs_init();
    ecs_entity_t vitals = ecs_struct_init(
        world, &(ecs_struct_desc_t){
                   .entity = ecs_entity_init(world, &(ecs_entity_desc_t){.name = "Vitals"}),
                   .members = {{.name = "points", .type = ecs_id(ecs_u32_t)},
                               {.name = "most", .type = ecs_id(ecs_u32_t)}}});
    ecs_entity_t place = ecs_struct_init(
        world, &(ecs_struct_desc_t){
                   .entity = ecs_entity_init(world, &(ecs_entity_desc_t){.name = "Place"}),
                   .members = {{.name = "x", .type = ecs_id(ecs_f32_t)},
                               {.name = "y", .type = ecs_id(ecs_f32_t)}}});
    for (uint32_t k = 0; k < run->count; k++) {
        ecs_entity_t e = ecs_new(world);
        *WIDE_PUT(world, e, place, Place) = (Place){(float)k * 0.25f, (float)k / 7};
        *WIDE_PUT(world, e, vitals, Vitals) = (Vitals){k % 100, 100};
    }
    size_t size = 0;
    for (uint32_t round = 0; scene_goes_on(run, round, 5); round++) {
        char* text = ecs_world_to_json(world, NULL);
        scene_check(text != NULL, "ecs_world_to_json");
        size = strlen(text);
        ecs_os_free(text);
    }
    run->operations = 5 * (uint64_t)run->count;
    run->checksum = run->count;
    run->peak = size;
    ecs_fini(world);
}

/* --------------------------------------------------------------------------------------- worlds */

static void wide_flecs_bytes(scene_run* run)
{
    ecs_world_t* world = ecs_mini();
    ecs_entity_t types[4];
    for (uint32_t k = 0; k < 4; k++) {
        char name[2] = {(char)('A' + k), 0};
        types[k] = wide_flecs_type(world, name, 12, 4);
    }
    for (uint32_t k = 0; k < run->count; k++) {
        ecs_entity_t e = ecs_new(world);
        for (uint32_t i = 0; i < 4; i++) {
            *(float*)ecs_ensure_id(world, e, types[i], 12) = 1;
        }
    }
    run->checksum = (uint64_t)ecs_count_id(world, types[3]);
    run->operations = run->count;
    ecs_fini(world);
}

static void wide_flecs_worlds(scene_run* run)
{
    static ecs_world_t* worlds[100];
    scene_start(run);
    for (uint32_t k = 0; k < run->count; k++) {
        worlds[k] = ecs_mini();
        ecs_entity_t p = WIDE_TYPE(worlds[k], Position);
        for (uint32_t i = 0; i < 10; i++) {
            *WIDE_PUT(worlds[k], ecs_new(worlds[k]), p, Position) = scene_position(i);
        }
        run->checksum += (uint64_t)ecs_count_id(worlds[k], p);
    }
    for (uint32_t k = 0; k < run->count; k++) {
        ecs_fini(worlds[k]);
    }
    scene_stop(run);
    run->operations = run->count;
}

scene_fn wide_flecs(wide_row row)
{
    switch (row) {
    case WIDE_seven:
    case WIDE_seven_16k:
    case WIDE_seven_262k:
    case WIDE_seven_1m:
    case WIDE_seven_mixed:
    case WIDE_seven_mixed_16k:
    case WIDE_seven_mixed_262k:
    case WIDE_seven_mixed_1m:
        return wide_flecs_seven;
    case WIDE_three_mixed:
    case WIDE_three_mixed_16k:
    case WIDE_three_mixed_262k:
    case WIDE_three_mixed_1m:
        return wide_flecs_three;
    case WIDE_absent:
        return wide_flecs_absent;
    case WIDE_bulk:
    case WIDE_bulk_16k:
    case WIDE_bulk_262k:
    case WIDE_bulk_1m:
        return wide_flecs_bulk;
    case WIDE_rare_pair_10k:
    case WIDE_rare_pair_1m:
    case WIDE_rare_loop_10k:
    case WIDE_rare_loop_1m:
        return wide_flecs_rare;
    case WIDE_types_create:
    case WIDE_types_one:
    case WIDE_types_two:
    case WIDE_types_destroy:
        return wide_flecs_types;
    case WIDE_twenty:
        return wide_flecs_twenty;
    case WIDE_deep:
    case WIDE_deep_moved:
    case WIDE_broad:
    case WIDE_levels:
        return wide_flecs_cascade;
    case WIDE_busy:
    case WIDE_idle:
        return wide_flecs_systems;
    case WIDE_first_frame:
        return wide_flecs_first;
    case WIDE_observed:
    case WIDE_unobserved:
        return wide_flecs_observers;
    case WIDE_link_pair:
    case WIDE_link_turn:
    case WIDE_link_query:
        return wide_flecs_links;
    case WIDE_prefab_trees:
    case WIDE_prefab_ended:
        return wide_flecs_prefabs;
    case WIDE_names:
    case WIDE_paths:
        return wide_flecs_names;
    case WIDE_json:
        return wide_flecs_json;
    case WIDE_bytes:
        return wide_flecs_bytes;
    case WIDE_worlds:
        return wide_flecs_worlds;
    case WIDE_ROWS:
        break;
    }
    return NULL;
}

/* peer_flecs.c: the scenes for flecs. Queries are cached, loops go over whole tables with
 * ecs_field, values are written where they lie (ecs_emplace), structure is changed by id, and the
 * tree uses the Parent storage, which its manual recommends for parents with dozens of children. */
#include "scene_flecs.h"

#include <stdio.h>

#define BENCH_TYPE(world, T) flecs_type((world), #T, sizeof(T), _Alignof(T))

#define BENCH_PUT(world, e, id, T) ((T*)ecs_emplace_id((world), (e), (id), sizeof(T), NULL))
#define BENCH_GET(world, e, id, T) ((const T*)ecs_get_id((world), (e), (id)))

typedef struct flecs_scene {
    ecs_world_t* world;
    ecs_entity_t p, v;
    ecs_query_t* query; /* over both */
    ecs_entity_t* entities;
    uint32_t* movers;
    uint32_t mover_count;
} flecs_scene;

static flecs_scene flecs_begin(const scene_run* run)
{
    flecs_scene scene = {.world = ecs_mini()};
    scene.p = BENCH_TYPE(scene.world, Position);
    scene.v = BENCH_TYPE(scene.world, Velocity);
    scene.query = flecs_query(scene.world, (ecs_entity_t[]){scene.p, scene.v}, 2);
    scene.entities = scene_alloc(run->count, sizeof(ecs_entity_t));
    return scene;
}

static void flecs_fill(flecs_scene* scene, const scene_run* run)
{
    scene->movers = scene_movers(run, &scene->mover_count);
    for (uint32_t k = 0; k < run->count; k++) {
        ecs_entity_t e = scene->entities[k] = ecs_new_w_id(scene->world, scene->p);
        *(Position*)ecs_get_mut_id(scene->world, e, scene->p) = scene_position(k);
    }
    for (uint32_t k = 0; k < scene->mover_count; k++) {
        uint32_t number = scene->movers[k];
        *BENCH_PUT(scene->world, scene->entities[number], scene->v, Velocity) =
            scene_velocity(number);
    }
}

static void flecs_end(flecs_scene* scene)
{
    ecs_fini(scene->world);
    scene_free(scene->entities);
    scene_free(scene->movers);
}

/* ------------------------------------------------------------------------------------ creating */

static void flecs_create_none(scene_run* run)
{
    uint32_t rounds = scene_rounds(run->count, 1000000);
    for (uint32_t round = 0; round < rounds; round++) {
        ecs_world_t* world = ecs_mini();
        ecs_entity_t last = 0;
        scene_start(run);
        for (uint32_t k = 0; k < run->count; k++) {
            last = ecs_new(world);
        }
        scene_stop(run);
        run->checksum += ecs_is_alive(world, last) ? run->count : 0;
        ecs_fini(world);
    }
    run->operations = (uint64_t)rounds * run->count;
}

static uint64_t flecs_sum_2(const flecs_scene* scene, const ecs_entity_t* entities, uint32_t count)
{
    uint64_t sum = 0;
    for (uint32_t k = 0; k < count; k++) {
        sum += scene_sum(k, BENCH_GET(scene->world, entities[k], scene->p, Position)->x) +
               scene_sum(k, BENCH_GET(scene->world, entities[k], scene->v, Velocity)->y);
    }
    return sum;
}

static void flecs_create_2(scene_run* run)
{
    uint32_t rounds = scene_rounds(run->count, 1000000);
    for (uint32_t round = 0; round < rounds; round++) {
        flecs_scene scene = flecs_begin(run);
        scene_start(run);
        for (uint32_t k = 0; k < run->count; k++) {
            ecs_entity_t e = scene.entities[k] = ecs_new_w_id(scene.world, scene.p);
            *(Position*)ecs_get_mut_id(scene.world, e, scene.p) = scene_position(k);
            *BENCH_PUT(scene.world, e, scene.v, Velocity) = scene_velocity(k);
        }
        scene_stop(run);
        run->checksum = flecs_sum_2(&scene, scene.entities, run->count);
        scene.movers = NULL;
        flecs_end(&scene);
    }
    run->operations = (uint64_t)rounds * run->count;
}

static void flecs_create_2_bulk(scene_run* run)
{
    flecs_scene scene = flecs_begin(run);
    Position* p = scene_alloc(run->count, sizeof(Position));
    Velocity* v = scene_alloc(run->count, sizeof(Velocity));
    for (uint32_t k = 0; k < run->count; k++) {
        p[k] = scene_position(k);
        v[k] = scene_velocity(k);
    }
    scene_start(run);
    const ecs_entity_t* made =
        ecs_bulk_init(scene.world, &(ecs_bulk_desc_t){.count = (int32_t)run->count,
                                                      .ids = {scene.p, scene.v},
                                                      .data = (void*[]){p, v}});
    scene_stop(run);
    run->operations = run->count;
    run->checksum = flecs_sum_2(&scene, made, run->count);
    scene.movers = NULL;
    flecs_end(&scene);
    scene_free(p);
    scene_free(v);
}

static void flecs_create_4(scene_run* run)
{
    flecs_scene scene = flecs_begin(run);
    ecs_entity_t c = flecs_type(scene.world, "C", sizeof(Pair), _Alignof(Pair));
    ecs_entity_t d = flecs_type(scene.world, "D", sizeof(Pair), _Alignof(Pair));
    scene_start(run);
    for (uint32_t k = 0; k < run->count; k++) {
        ecs_entity_t e = scene.entities[k] = ecs_new_w_id(scene.world, scene.p);
        *(Position*)ecs_get_mut_id(scene.world, e, scene.p) = scene_position(k);
        *BENCH_PUT(scene.world, e, scene.v, Velocity) = scene_velocity(k);
        *BENCH_PUT(scene.world, e, c, Pair) = (Pair){1, 1};
        *BENCH_PUT(scene.world, e, d, Pair) = (Pair){2, 2};
    }
    scene_stop(run);
    run->operations = run->count;
    for (uint32_t k = 0; k < run->count; k++) {
        ecs_entity_t e = scene.entities[k];
        run->checksum += scene_sum(k, BENCH_GET(scene.world, e, scene.p, Position)->x +
                                          BENCH_GET(scene.world, e, c, Pair)->x) +
                         scene_sum(k, BENCH_GET(scene.world, e, scene.v, Velocity)->y +
                                          BENCH_GET(scene.world, e, d, Pair)->y);
    }
    scene.movers = NULL;
    flecs_end(&scene);
}

/* ----------------------------------------------------------------- destroying, adding, removing */

static void flecs_destroy(scene_run* run)
{
    flecs_scene scene = flecs_begin(run);
    flecs_fill(&scene, run);
    if (run->row == SCENE_destroy_random) {
        scene_shuffle(scene.entities, run->count, sizeof(ecs_entity_t));
    }
    scene_start(run);
    for (uint32_t k = 0; k < run->count; k++) {
        ecs_delete(scene.world, scene.entities[k]);
    }
    scene_stop(run);
    run->operations = run->count;
    run->checksum = (uint64_t)ecs_count_id(scene.world, scene.p);
    flecs_end(&scene);
}

static void flecs_count_call(ecs_iter_t* it)
{
    *(uint64_t*)it->ctx += (uint64_t)it->count;
}

static void flecs_toggle(scene_run* run)
{
    uint64_t called = 0;
    flecs_scene scene = flecs_begin(run);
    if (run->row == SCENE_hooks) {
        ecs_set_hooks_id(scene.world, scene.v,
                         &(ecs_type_hooks_t){.on_add = flecs_count_call,
                                             .on_remove = flecs_count_call,
                                             .ctx = &called});
    }
    for (uint32_t k = 0; k < run->count; k++) {
        scene.entities[k] = ecs_new_w_id(scene.world, scene.p);
    }
    if (run->row == SCENE_toggle_1m) {
        scene_shuffle(scene.entities, run->count, sizeof(ecs_entity_t));
    }
    uint32_t rounds = scene_rounds(run->count, 1000000);
    for (uint32_t round = 0; round < rounds; round++) {
        scene_start(run);
        for (uint32_t k = 0; k < run->count; k++) {
            ecs_add_id(scene.world, scene.entities[k], scene.v);
        }
        scene_stop(run);
        run->checksum += (uint64_t)ecs_count_id(scene.world, scene.v);
        scene_start(run);
        for (uint32_t k = 0; k < run->count; k++) {
            ecs_remove_id(scene.world, scene.entities[k], scene.v);
        }
        scene_stop(run);
    }
    run->operations = (uint64_t)rounds * run->count;
    run->checksum += 3 * called + 7 * (uint64_t)ecs_count_id(scene.world, scene.v);
    scene.movers = NULL;
    flecs_end(&scene);
}

static void flecs_queued(scene_run* run)
{
    flecs_scene scene = flecs_begin(run);
    ecs_query_t* query = flecs_query(scene.world, &scene.p, 1);
    for (uint32_t k = 0; k < run->count; k++) {
        scene.entities[k] = ecs_new_w_id(scene.world, scene.p);
    }
    uint32_t rounds = scene_rounds(run->count, 1000000);
    for (uint32_t round = 0; round < rounds; round++) {
        scene_start(run);
        ecs_defer_begin(scene.world);
        ecs_iter_t it = ecs_query_iter(scene.world, query);
        while (ecs_query_next(&it)) {
            for (int32_t k = 0; k < it.count; k++) {
                ecs_add_id(scene.world, it.entities[k], scene.v);
            }
        }
        ecs_defer_end(scene.world);
        scene_stop(run);
        run->checksum += (uint64_t)ecs_count_id(scene.world, scene.v);
        for (uint32_t k = 0; k < run->count; k++) {
            ecs_remove_id(scene.world, scene.entities[k], scene.v);
        }
    }
    run->operations = (uint64_t)rounds * run->count;
    scene.movers = NULL;
    flecs_end(&scene);
}

/* ----------------------------------------------------------------------------------- by handle */

static void flecs_get_random(scene_run* run)
{
    flecs_scene scene = flecs_begin(run);
    flecs_fill(&scene, run);
    scene_shuffle(scene.entities, run->count, sizeof(ecs_entity_t));
    uint32_t rounds = scene_rounds(run->count, 2000000);
    int64_t sum = 0;
    scene_start(run);
    for (uint32_t round = 0; round < rounds; round++) {
        for (uint32_t k = 0; k < run->count; k++) {
            ecs_entity_t e = scene.entities[k];
            sum += (int64_t)(BENCH_GET(scene.world, e, scene.p, Position)->x +
                             BENCH_GET(scene.world, e, scene.v, Velocity)->y);
        }
    }
    scene_stop(run);
    run->operations = (uint64_t)rounds * run->count;
    run->checksum = (uint64_t)sum;
    flecs_end(&scene);
}

static void flecs_has_random(scene_run* run)
{
    flecs_scene scene = flecs_begin(run);
    flecs_fill(&scene, run);
    scene_shuffle(scene.entities, run->count, sizeof(ecs_entity_t));
    uint32_t rounds = scene_rounds(run->count, 4000000);
    uint64_t sum = 0;
    scene_start(run);
    for (uint32_t round = 0; round < rounds; round++) {
        for (uint32_t k = 0; k < run->count; k++) {
            sum += ecs_owns_id(scene.world, scene.entities[k], scene.v);
        }
    }
    scene_stop(run);
    run->operations = (uint64_t)rounds * run->count;
    run->checksum = sum;
    flecs_end(&scene);
}

/* ------------------------------------------------------------------------------------- in loops */

static void flecs_iterate_1(scene_run* run)
{
    flecs_scene scene = flecs_begin(run);
    flecs_fill(&scene, run);
    ecs_query_t* query = flecs_query(scene.world, &scene.p, 1);
    uint32_t rounds = scene_rounds(run->count, 10000000);
    for (uint32_t round = 0; scene_goes_on(run, round, rounds); round++) {
        ecs_iter_t it = ecs_query_iter(scene.world, query);
        while (ecs_query_next(&it)) {
            Position* p = ecs_field(&it, Position, 0);
            for (int32_t k = 0; k < it.count; k++) {
                p[k].x += 1;
                p[k].y += 1;
            }
        }
    }
    run->operations = (uint64_t)rounds * run->count;
    for (uint32_t k = 0; k < run->count; k++) {
        const Position* p = BENCH_GET(scene.world, scene.entities[k], scene.p, Position);
        run->checksum += scene_sum(k, p->x) + scene_sum(k, p->y);
    }
    flecs_end(&scene);
}

static void flecs_swap(const flecs_scene* scene, scene_swap swap)
{
    for (uint32_t k = 0; k < swap.count; k++) {
        ecs_remove_id(scene->world, scene->entities[swap.out[k]], scene->v);
        *BENCH_PUT(scene->world, scene->entities[swap.in[k]], scene->v, Velocity) =
            scene_velocity(swap.in[k]);
    }
}

static void flecs_move(scene_run* run)
{
    flecs_scene scene = flecs_begin(run);
    flecs_fill(&scene, run);
    scene_swaps swaps = scene_swaps_create(run, scene.movers, scene.mover_count);
    uint32_t rounds = scene_rounds(run->count, 10000000);
    for (uint32_t round = 0; scene_goes_on(run, round, rounds); round++) {
        ecs_iter_t it = ecs_query_iter(scene.world, scene.query);
        while (ecs_query_next(&it)) {
            Position* p = ecs_field(&it, Position, 0);
            const Velocity* v = ecs_field(&it, Velocity, 1);
            for (int32_t k = 0; k < it.count; k++) {
                p[k].x += v[k].x * SCENE_DT;
                p[k].y += v[k].y * SCENE_DT;
            }
        }
        if (swaps.half != 0) {
            flecs_swap(&scene, scene_swaps_at(&swaps, round));
        }
    }
    scene_free(swaps.list);
    run->operations = (uint64_t)rounds * scene.mover_count;
    for (uint32_t k = 0; k < scene.mover_count; k++) {
        uint32_t number = scene.movers[k];
        const Position* p = BENCH_GET(scene.world, scene.entities[number], scene.p, Position);
        run->checksum += scene_sum(number, p->x) + scene_sum(number, p->y);
    }
    flecs_end(&scene);
}

static void flecs_types_26(scene_run* run)
{
    uint32_t count = 26 * run->count;
    ecs_world_t* world = ecs_mini();
    ecs_entity_t single = BENCH_TYPE(world, Single);
    ecs_query_t* query = flecs_query(world, &single, 1);
    ecs_entity_t* entities = scene_alloc(count, sizeof(ecs_entity_t));
    for (uint32_t type = 0; type < 26; type++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "Type%u", (unsigned)type);
        ecs_entity_t id = flecs_type(world, name, sizeof(Pair), _Alignof(Pair));
        for (uint32_t k = 0; k < run->count; k++) {
            uint32_t number = type * run->count + k;
            entities[number] = ecs_new_w_id(world, id);
            BENCH_PUT(world, entities[number], single, Single)->value = (float)(number % 1024);
        }
    }
    uint32_t rounds = scene_rounds(count, 10000000);
    for (uint32_t round = 0; scene_goes_on(run, round, rounds); round++) {
        ecs_iter_t it = ecs_query_iter(world, query);
        while (ecs_query_next(&it)) {
            Single* s = ecs_field(&it, Single, 0);
            for (int32_t k = 0; k < it.count; k++) {
                s[k].value += 1;
            }
        }
    }
    run->operations = (uint64_t)rounds * count;
    for (uint32_t k = 0; k < count; k++) {
        run->checksum += scene_sum(k, BENCH_GET(world, entities[k], single, Single)->value);
    }
    scene_free(entities);
    ecs_fini(world);
}

static void flecs_mixed_10(scene_run* run)
{
    ecs_world_t* world = ecs_mini();
    ecs_entity_t id[10];
    for (uint32_t c = 0; c < 10; c++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "Mixed%u", (unsigned)c);
        id[c] = flecs_type(world, name, sizeof(Pair), _Alignof(Pair));
    }
    ecs_query_t* query = flecs_query(world, (ecs_entity_t[]){id[0], id[4], id[8]}, 3);
    ecs_entity_t* entities = scene_alloc(run->count, sizeof(ecs_entity_t));
    for (uint32_t k = 0; k < run->count; k++) {
        entities[k] = ecs_new(world);
        for (uint32_t c = 0; c < 10; c++) {
            if ((scene_mixed(k) >> c & 1) != 0) {
                *BENCH_PUT(world, entities[k], id[c], Pair) = scene_pair(k, c);
            }
        }
    }
    uint64_t matches = 0;
    for (uint32_t round = 0; scene_goes_on(run, round, SCENE_MIXED_ROUNDS); round++) {
        ecs_iter_t it = ecs_query_iter(world, query);
        while (ecs_query_next(&it)) {
            Pair* x = ecs_field(&it, Pair, 0);
            const Pair* y = ecs_field(&it, Pair, 1);
            const Pair* z = ecs_field(&it, Pair, 2);
            for (int32_t k = 0; k < it.count; k++) {
                x[k].x += y[k].x;
                x[k].y += z[k].y;
            }
            matches += (uint64_t)it.count;
        }
    }
    run->operations = matches / (SCENE_MIXED_ROUNDS + 1) * SCENE_MIXED_ROUNDS;
    for (uint32_t k = 0; k < run->count; k++) {
        if ((scene_mixed(k) & SCENE_MIXED_QUERY) == SCENE_MIXED_QUERY) {
            const Pair* x = BENCH_GET(world, entities[k], id[0], Pair);
            run->checksum += scene_sum(k, x->x) + scene_sum(k, x->y);
        }
    }
    scene_free(entities);
    ecs_fini(world);
}

/* -------------------------------------------------------------------------------------- sorting */

static int flecs_compare(ecs_entity_t a, const void* x, ecs_entity_t b, const void* y)
{
    (void)a;
    (void)b;
    uint64_t left = ((const Key*)x)->key;
    uint64_t right = ((const Key*)y)->key;
    return (left > right) - (left < right);
}

/* A query that is kept in order sorts when it is asked for the next time. */
static void flecs_sort(scene_run* run)
{
    ecs_world_t* world = ecs_mini();
    ecs_entity_t key_id = BENCH_TYPE(world, Key);
    ecs_query_desc_t desc = {.terms = {{.id = key_id, .inout = EcsIn}},
                             .order_by = key_id,
                             .order_by_callback = flecs_compare,
                             .cache_kind = EcsQueryCacheAuto};
    ecs_query_t* query = ecs_query_init(world, &desc);
    ecs_entity_t* entities = scene_alloc(run->count, sizeof(ecs_entity_t));
    for (uint32_t k = 0; k < run->count; k++) {
        entities[k] = ecs_new(world);
        BENCH_PUT(world, entities[k], key_id, Key)->key = scene_key(run->row, k, 0);
    }
    ecs_iter_t first = ecs_query_iter(world, query);
    ecs_iter_fini(&first);
    for (uint32_t round = 1; round <= SCENE_SORT_ROUNDS; round++) {
        for (uint32_t k = 0; k < run->count; k++) {
            ((Key*)ecs_get_mut_id(world, entities[k], key_id))->key = scene_key(run->row, k, round);
        }
        ecs_modified_id(world, entities[0], key_id);
        scene_start(run);
        ecs_iter_t it = ecs_query_iter(world, query);
        scene_stop(run);
        uint64_t rank = 0;
        while (ecs_query_next(&it)) {
            const Key* key = ecs_field(&it, Key, 0);
            for (int32_t k = 0; k < it.count; k++) {
                run->checksum += rank++ * key[k].key;
            }
        }
    }
    run->operations = (uint64_t)SCENE_SORT_ROUNDS * run->count;
    scene_free(entities);
    ecs_fini(world);
}

/* -------------------------------------------------------------------------------- seven systems */

#define BENCH_LOOP(query, first, second, third, body)                                              \
    do {                                                                                           \
        ecs_iter_t it = ecs_query_iter(world, (query));                                            \
        while (ecs_query_next(&it)) {                                                              \
            first;                                                                                 \
            second;                                                                                \
            third;                                                                                 \
            for (int32_t k = 0; k < it.count; k++) {                                               \
                body;                                                                              \
            }                                                                                      \
        }                                                                                          \
    } while (0)

static void flecs_systems_run(ecs_world_t* world, ecs_query_t* const* query, int32_t* frame)
{
    BENCH_LOOP(query[0], Position* p = ecs_field(&it, Position, 0),
               const Velocity* v = ecs_field(&it, Velocity, 1), , scene_move(&p[k], &v[k]));
    BENCH_LOOP(query[1], Data* d = ecs_field(&it, Data, 0), , , scene_age(&d[k]));
    BENCH_LOOP(query[2], const Position* p = ecs_field(&it, Position, 0),
               Velocity* v = ecs_field(&it, Velocity, 1), Data* d = ecs_field(&it, Data, 2),
               scene_turn(&p[k], &v[k], &d[k]));
    BENCH_LOOP(query[3], Health* h = ecs_field(&it, Health, 0), , , scene_heal(&h[k]));
    BENCH_LOOP(query[4], Health* h = ecs_field(&it, Health, 0),
               const Damage* g = ecs_field(&it, Damage, 1), , scene_hurt(&h[k], &g[k]));
    BENCH_LOOP(query[5], Sprite* s = ecs_field(&it, Sprite, 0),
               const Health* h = ecs_field(&it, Health, 1), , scene_choose(&s[k], &h[k]));
    BENCH_LOOP(query[6], const Position* p = ecs_field(&it, Position, 0),
               const Sprite* s = ecs_field(&it, Sprite, 1), , scene_draw(&p[k], &s[k], frame));
}

static void flecs_systems_7(scene_run* run)
{
    ecs_world_t* world = ecs_mini();
    ecs_entity_t p = BENCH_TYPE(world, Position);
    ecs_entity_t v = BENCH_TYPE(world, Velocity);
    ecs_entity_t d = BENCH_TYPE(world, Data);
    ecs_entity_t h = BENCH_TYPE(world, Health);
    ecs_entity_t g = BENCH_TYPE(world, Damage);
    ecs_entity_t s = BENCH_TYPE(world, Sprite);
    ecs_query_t* query[] = {
        flecs_query(world, (ecs_entity_t[]){p, v}, 2),
        flecs_query(world, (ecs_entity_t[]){d}, 1),
        flecs_query(world, (ecs_entity_t[]){p, v, d}, 3),
        flecs_query(world, (ecs_entity_t[]){h}, 1),
        flecs_query(world, (ecs_entity_t[]){h, g}, 2),
        flecs_query(world, (ecs_entity_t[]){s, h}, 2),
        flecs_query(world, (ecs_entity_t[]){p, s}, 2),
    };
    ecs_entity_t* entities = scene_alloc(run->count, sizeof(ecs_entity_t));
    for (uint32_t k = 0; k < run->count; k++) {
        ecs_entity_t e = entities[k] = ecs_new(world);
        *BENCH_PUT(world, e, p, Position) = scene_body_position(k);
        *BENCH_PUT(world, e, v, Velocity) = scene_velocity(k);
        *BENCH_PUT(world, e, d, Data) = scene_data(k);
        if (scene_has_health(k)) {
            *BENCH_PUT(world, e, h, Health) = scene_health(k);
        }
        if (scene_has_damage(k)) {
            *BENCH_PUT(world, e, g, Damage) = scene_damage(k);
        }
        if (scene_has_sprite(k)) {
            BENCH_PUT(world, e, s, Sprite)->character = ' ';
        }
    }
    int32_t* frame = scene_frame_create();
    for (uint32_t round = 0; scene_goes_on(run, round, SCENE_SYSTEM_ROUNDS); round++) {
        flecs_systems_run(world, query, frame);
    }
    run->operations = (uint64_t)SCENE_SYSTEM_ROUNDS * run->count;
    for (uint32_t k = 0; k < run->count; k++) {
        ecs_entity_t e = entities[k];
        run->checksum +=
            scene_body_sum(k, BENCH_GET(world, e, p, Position), BENCH_GET(world, e, d, Data),
                           BENCH_GET(world, e, h, Health), BENCH_GET(world, e, s, Sprite));
    }
    run->checksum += scene_frame_sum(frame);
    scene_free(frame);
    scene_free(entities);
    ecs_fini(world);
}

/* -------------------------------------------------------------------------------- lives in full */

static void flecs_churn(scene_run* run)
{
    ecs_world_t* world = ecs_mini();
    ecs_entity_t a = BENCH_TYPE(world, Ca);
    ecs_entity_t b = BENCH_TYPE(world, Cb);
    ecs_entity_t c = BENCH_TYPE(world, Cc);
    ecs_entity_t d = BENCH_TYPE(world, Cd);
    (void)flecs_query(world, (ecs_entity_t[]){a, b, c, d}, 4);
    ecs_entity_t* entities = scene_alloc(run->count, sizeof(ecs_entity_t));
    scene_start(run);
    for (uint32_t round = 0; round < SCENE_CHURN_ROUNDS; round++) {
        for (uint32_t k = 0; k < run->count; k++) {
            ecs_entity_t e = entities[k] = ecs_new_w_id(world, a);
            ecs_add_id(world, e, b);
            ecs_add_id(world, e, c);
            ecs_add_id(world, e, d);
        }
        for (uint32_t k = 0; k < run->count; k++) {
            ecs_entity_t e = entities[k];
            Ca* fa = ecs_get_mut_id(world, e, a);
            Cd* fd = ecs_get_mut_id(world, e, d);
            scene_write_a(fa, 1);
            scene_write_b(ecs_get_mut_id(world, e, b), 1);
            scene_write_c(ecs_get_mut_id(world, e, c), 1);
            scene_write_d(fd, 1);
            run->checksum += (uint64_t)(fa->f[0] + (float)fd->i);
        }
        for (uint32_t k = 0; k < run->count; k++) {
            ecs_delete(world, entities[k]);
        }
    }
    scene_stop(run);
    run->operations = (uint64_t)SCENE_CHURN_ROUNDS * run->count;
    run->checksum += (uint64_t)ecs_count_id(world, a);
    scene_free(entities);
    ecs_fini(world);
}

static void flecs_tree(scene_run* run)
{
    ecs_world_t* world = ecs_mini();
    ecs_entity_t a = BENCH_TYPE(world, Ca);
    ecs_entity_t b = BENCH_TYPE(world, Cb);
    ecs_entity_t c = BENCH_TYPE(world, Cc);
    ecs_entity_t d = BENCH_TYPE(world, Cd);
    ecs_entity_t* roots = scene_alloc(run->count, sizeof(ecs_entity_t));
    scene_start(run);
    for (uint32_t round = 0; round < SCENE_TREE_ROUNDS; round++) {
        for (uint32_t k = 0; k < run->count; k++) {
            roots[k] = ecs_new_w_id(world, a);
            ecs_add_id(world, roots[k], b);
            for (uint32_t i = 0; i < SCENE_TREE_CHILDREN; i++) {
                ecs_entity_t child = ecs_new_w_parent(world, roots[k], NULL);
                ecs_add_id(world, child, c);
                for (uint32_t j = 0; j < SCENE_TREE_LEAVES; j++) {
                    ecs_entity_t leaf = ecs_new_w_parent(world, child, NULL);
                    ecs_add_id(world, leaf, d);
                }
            }
        }
        run->checksum +=
            (uint64_t)(ecs_count_id(world, a) + ecs_count_id(world, c) + ecs_count_id(world, d));
        for (uint32_t k = 0; k < run->count; k++) {
            ecs_delete(world, roots[k]);
        }
    }
    scene_stop(run);
    run->operations = (uint64_t)SCENE_TREE_ROUNDS * SCENE_TREE_ENTITIES(run->count);
    run->checksum +=
        3 * (uint64_t)(ecs_count_id(world, a) + ecs_count_id(world, c) + ecs_count_id(world, d));
    scene_free(roots);
    ecs_fini(world);
}

/* An entity of a prefab. */
static ecs_entity_t flecs_instance_node(ecs_world_t* world, ecs_entity_t parent, ecs_entity_t first,
                                        size_t first_size, ecs_entity_t second, size_t second_size)
{
    Ca a = {{1, 2, 3, 4, 5, 6}};
    ecs_entity_t e = ecs_new_w_id(world, EcsPrefab);
    if (parent != 0) {
        ecs_add_pair(world, e, EcsChildOf, parent);
    }
    ecs_set_id(world, e, first, first_size, &a);
    ecs_set_id(world, e, second, second_size, &a);
    return e;
}

/* Entities of five components, or trees of ten entities. */
static void flecs_instances(scene_run* run)
{
    ecs_world_t* world = ecs_mini();
    ecs_entity_t p = BENCH_TYPE(world, Position);
    ecs_entity_t a = BENCH_TYPE(world, Ca);
    ecs_entity_t b = BENCH_TYPE(world, Cb);
    ecs_entity_t c = BENCH_TYPE(world, Cc);
    ecs_entity_t d = BENCH_TYPE(world, Cd);
    bool tree = run->row == SCENE_instance_tree;
    ecs_entity_t prefab = flecs_instance_node(world, 0, p, sizeof(Position), a, sizeof(Ca));
    for (uint32_t i = 0; tree && i < SCENE_PREFAB_CHILDREN; i++) {
        ecs_entity_t child = flecs_instance_node(world, prefab, b, sizeof(Cb), c, sizeof(Cc));
        for (uint32_t j = 0; j < SCENE_PREFAB_LEAVES; j++) {
            (void)flecs_instance_node(world, child, c, sizeof(Cc), d, sizeof(Cd));
        }
    }
    if (!tree) {
        Ca given = {{1, 2, 3, 4, 5, 6}};
        ecs_set_id(world, prefab, b, sizeof(Cb), &given);
        ecs_set_id(world, prefab, c, sizeof(Cc), &given);
        ecs_set_id(world, prefab, d, sizeof(Cd), &given);
    }
    ecs_entity_t last = 0;
    scene_start(run);
    for (uint32_t k = 0; k < run->count; k++) {
        last = ecs_new_w_pair(world, EcsIsA, prefab);
    }
    scene_stop(run);
    run->operations = (uint64_t)run->count * (tree ? SCENE_PREFAB_ENTITIES : 1);
    run->checksum = (uint64_t)(ecs_count_id(world, c) + ecs_count_id(world, d)) +
                    (uint64_t)((const Ca*)ecs_get_id(world, last, a))->f[5];
    ecs_fini(world);
}

static void flecs_random_ops(scene_run* run)
{
    typedef struct alive {
        ecs_entity_t entity;
        uint32_t number;
    } alive;
    flecs_scene scene = flecs_begin(run);
    alive* list = scene_alloc(run->count, sizeof(alive));
    uint32_t size = 0;
    uint64_t state = SCENE_SEED;
    scene_start(run);
    for (uint32_t k = 0; k < run->count; k++) {
        uint64_t draw = scene_random(&state) >> 16;
        uint32_t what = draw & 7;
        if (what < 3 || size == 0) {
            ecs_entity_t e = ecs_new_w_id(scene.world, scene.p);
            *(Position*)ecs_get_mut_id(scene.world, e, scene.p) = scene_position(k);
            list[size++] = (alive){e, k};
            continue;
        }
        uint32_t at = (uint32_t)((draw >> 3) % size);
        ecs_entity_t e = list[at].entity;
        switch (what) {
        case 5:
            if (!ecs_owns_id(scene.world, e, scene.v)) {
                *BENCH_PUT(scene.world, e, scene.v, Velocity) = scene_velocity(list[at].number);
            }
            break;
        case 6:
            ecs_remove_id(scene.world, e, scene.v);
            break;
        case 7:
            ecs_delete(scene.world, e);
            list[at] = list[--size];
            break;
        default:
            run->checksum += scene_sum(k, BENCH_GET(scene.world, e, scene.p, Position)->x);
            break;
        }
    }
    scene_stop(run);
    run->operations = run->count;
    run->checksum += (uint64_t)ecs_count_id(scene.world, scene.p) +
                     3 * (uint64_t)ecs_count_id(scene.world, scene.v);
    scene_free(list);
    scene.movers = NULL;
    flecs_end(&scene);
}

static void flecs_empty_world(scene_run* run)
{
    scene_start(run);
    for (uint32_t k = 0; k < run->count; k++) {
        ecs_world_t* world = ecs_mini();
        run->checksum += world != NULL;
        ecs_fini(world);
    }
    scene_stop(run);
    run->operations = run->count;
}

scene_fn scene_flecs(scene_row row)
{
    static const scene_fn rows[SCENE_ROWS] = {
        [SCENE_create_none] = flecs_create_none,
        [SCENE_create_2] = flecs_create_2,
        [SCENE_create_2_bulk] = flecs_create_2_bulk,
        [SCENE_create_4] = flecs_create_4,
        [SCENE_destroy_order] = flecs_destroy,
        [SCENE_destroy_random] = flecs_destroy,
        [SCENE_toggle_10k] = flecs_toggle,
        [SCENE_toggle_1m] = flecs_toggle,
        [SCENE_toggle_1m_order] = flecs_toggle,
        [SCENE_get_random] = flecs_get_random,
        [SCENE_get_typed] = flecs_get_random,
        [SCENE_get_list] = flecs_get_random,
        [SCENE_has_random] = flecs_has_random,
        [SCENE_has_checked] = flecs_has_random,
        [SCENE_iterate_1] = flecs_iterate_1,
        [SCENE_move_16] = flecs_move,
        [SCENE_move_10k] = flecs_move,
        [SCENE_move_1m] = flecs_move,
        [SCENE_move_second] = flecs_move,
        [SCENE_move_random_1] = flecs_move,
        [SCENE_move_random_50] = flecs_move,
        [SCENE_move_toggled] = flecs_move,
        [SCENE_types_26] = flecs_types_26,
        [SCENE_mixed_10] = flecs_mixed_10,
        [SCENE_systems_7] = flecs_systems_7,
        [SCENE_sort] = flecs_sort,
        [SCENE_sort_again] = flecs_sort,
        [SCENE_churn] = flecs_churn,
        [SCENE_tree] = flecs_tree,
        [SCENE_instance] = flecs_instances,
        [SCENE_instance_tree] = flecs_instances,
        [SCENE_random_ops] = flecs_random_ops,
        [SCENE_hooks] = flecs_toggle,
        [SCENE_queued] = flecs_queued,
        [SCENE_empty_world] = flecs_empty_world,
    };
    return rows[row];
}

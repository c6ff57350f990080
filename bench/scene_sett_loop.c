/* scene_sett_loop.c: the scenes that read and write values: by handle and in loops. */
#include "scene_sett.h"

#include <stdio.h>
#include <string.h>

/* `count` entities with positions; those that move have velocities. */
typedef struct loop_scene {
    sett_world* world;
    sett_component Position_id;
    sett_component Velocity_id;
    sett_entity* entities;
    uint32_t* movers;
    uint32_t mover_count;
    uint32_t count;
} loop_scene;

static void loop_scene_fill(void* user)
{
    const loop_scene* scene = user;
    for (uint32_t k = 0; k < scene->count; k++) {
        *(Position*)sett_ensure(scene->world, scene->entities[k], scene->Position_id) =
            scene_position(k);
    }
}

/* `tuned`: the layout in a tuned run, or NULL. */
static loop_scene loop_scene_create(scene_run* run, const char* tuned)
{
    loop_scene scene;
    scene.count = run->count;
    scene.world = scene_world(run, run->count > 100000);
    scene_arrange(run, scene.world, tuned);
    scene.Position_id = SCENE_TYPE(scene.world, Position, SETT_STORAGE_DEFAULT);
    scene.Velocity_id = SCENE_TYPE(scene.world, Velocity, SETT_STORAGE_DEFAULT);
    scene.entities = scene_entities(scene.world, run->count);
    scene.movers = scene_movers(run, &scene.mover_count);
    loop_scene_fill(&scene);
    for (uint32_t k = 0; k < scene.mover_count; k++) {
        uint32_t number = scene.movers[k];
        *(Velocity*)sett_add(scene.world, scene.entities[number], scene.Velocity_id) =
            scene_velocity(number);
    }
    return scene;
}

static void loop_scene_destroy(loop_scene* scene)
{
    sett_world_destroy(scene->world);
    scene_free(scene->entities);
    scene_free(scene->movers);
}

/* --------------------------------------------------------------------------------- by handle */

/* The ways of reading two values of each entity: by id, by accessor, by type, of a list. Each
 * returns the sum of what it read. */
static int64_t get_by_id(const loop_scene* scene, const sett_entity* asked, uint32_t count)
{
    int64_t sum = 0;
    for (uint32_t k = 0; k < count; k++) {
        const Position* p = sett_get(scene->world, asked[k], scene->Position_id);
        const Velocity* v = sett_get(scene->world, asked[k], scene->Velocity_id);
        sum += (int64_t)(p->x + v->y);
    }
    return sum;
}

static int64_t get_by_accessor(const loop_scene* scene, const sett_entity* asked, uint32_t count)
{
    int64_t sum = 0;
    sett_accessor positions = sett_accessor_make(scene->world, scene->Position_id);
    sett_accessor velocities = sett_accessor_make(scene->world, scene->Velocity_id);
    for (uint32_t k = 0; k < count; k++) {
        const Position* p = sett_accessor_find(&positions, asked[k]);
        const Velocity* v = sett_accessor_find(&velocities, asked[k]);
        sum += (int64_t)(p->x + v->y);
    }
    return sum;
}

static int64_t get_by_type(const loop_scene* scene, const sett_entity* asked, uint32_t count)
{
    int64_t sum = 0;
    sett_component Position_id = scene->Position_id;
    sett_component Velocity_id = scene->Velocity_id;
    for (uint32_t k = 0; k < count; k++) {
        const Position* p = SETT_GET(scene->world, asked[k], Position);
        const Velocity* v = SETT_GET(scene->world, asked[k], Velocity);
        sum += (int64_t)(p->x + v->y);
    }
    return sum;
}

static int64_t get_of_list(const loop_scene* scene, const sett_entity* asked, uint32_t count)
{
    const void* p[256];
    const void* v[256];
    int64_t sum = 0;
    for (uint32_t first = 0, some; first < count; first += some) {
        some = count - first < 256 ? count - first : 256;
        (void)sett_find_many(scene->world, asked + first, some, scene->Position_id, p);
        (void)sett_find_many(scene->world, asked + first, some, scene->Velocity_id, v);
        for (uint32_t k = 0; k < some; k++) {
            sum += (int64_t)(((const Position*)p[k])->x + ((const Velocity*)v[k])->y);
        }
    }
    return sum;
}

static void sett_get_two(scene_run* run)
{
    int64_t (*get)(const loop_scene* scene, const sett_entity* asked, uint32_t count) =
        run->row == SCENE_get_typed  ? get_by_type
        : run->row == SCENE_get_list ? get_of_list
        : run->tuned                 ? get_by_accessor
                                     : get_by_id;
    loop_scene scene = loop_scene_create(run, NULL);
    scene_shuffle(scene.entities, run->count, sizeof(sett_entity));
    uint32_t rounds = scene_rounds(run->count, 2000000);
    int64_t sum = 0;
    scene_start(run);
    for (uint32_t round = 0; round < rounds; round++) {
        sum += get(&scene, scene.entities, run->count);
    }
    scene_stop(run);
    run->operations = (uint64_t)rounds * run->count;
    run->checksum = (uint64_t)sum;
    loop_scene_destroy(&scene);
}

static void sett_has_random(scene_run* run)
{
    loop_scene scene = loop_scene_create(run, NULL);
    scene_shuffle(scene.entities, run->count, sizeof(sett_entity));
    const sett_entity* asked = scene.entities;
    uint32_t rounds = scene_rounds(run->count, 4000000);
    uint64_t sum = 0;
    sett_accessor velocities = sett_accessor_make(scene.world, scene.Velocity_id);
    scene_start(run);
    for (uint32_t round = 0; round < rounds; round++) {
        for (uint32_t k = 0; run->tuned && k < run->count; k++) {
            sum += sett_accessor_has(&velocities, asked[k]);
        }
        for (uint32_t k = 0; !run->tuned && k < run->count; k++) {
            sum += sett_has(scene.world, asked[k], scene.Velocity_id);
        }
    }
    scene_stop(run);
    run->operations = (uint64_t)rounds * run->count;
    run->checksum = sum;
    loop_scene_destroy(&scene);
}

/* ------------------------------------------------------------------------------------ in loops */

static void sett_iterate_1(scene_run* run)
{
    loop_scene scene = loop_scene_create(run, NULL);
    sett_query* query =
        scene_query(scene.world, (sett_term[]){{.component = scene.Position_id}, {0}});
    uint32_t rounds = scene_rounds(run->count, 10000000);
    scene_loop loop = scene_loop_begin(run, scene.world, rounds, loop_scene_fill, &scene);
    while (scene_loop_next(&loop)) {
        SETT_QUERY_EACH(query, b) {
            Position* p = sett_batch_field(b, 0);
            SETT_EACH(b, i) {
                p[i].x += 1;
                p[i].y += 1;
            }
        }
    }
    run->operations = (uint64_t)rounds * run->count;
    for (uint32_t k = 0; k < run->count; k++) {
        const Position* p = sett_get(scene.world, scene.entities[k], scene.Position_id);
        run->checksum += scene_sum(k, p->x) + scene_sum(k, p->y);
    }
    loop_scene_destroy(&scene);
}

static void loop_scene_swap(const loop_scene* scene, scene_swap swap)
{
    for (uint32_t k = 0; k < swap.count; k++) {
        (void)sett_remove(scene->world, scene->entities[swap.out[k]], scene->Velocity_id);
        *(Velocity*)sett_add(scene->world, scene->entities[swap.in[k]], scene->Velocity_id) =
            scene_velocity(swap.in[k]);
    }
}

static void sett_move(scene_run* run)
{
    bool sparse = run->row == SCENE_move_toggled;
    bool grouped = run->row == SCENE_move_second || run->row == SCENE_move_random_1 ||
                   run->row == SCENE_move_random_50;
    loop_scene scene = loop_scene_create(run, sparse    ? "sparse_set Velocity"
                                              : grouped ? "group { Position Velocity }"
                                                        : NULL);
    scene_swaps swaps = scene_swaps_create(run, scene.movers, scene.mover_count);
    sett_query* query =
        scene_query(scene.world, (sett_term[]){{.component = scene.Position_id},
                                               {.component = scene.Velocity_id, .access = SETT_IN},
                                               {0}});
    uint32_t rounds = scene_rounds(run->count, 10000000);
    scene_loop loop = scene_loop_begin(run, scene.world, rounds, loop_scene_fill, &scene);
    for (uint32_t round = 0; scene_loop_next(&loop); round++) {
        SETT_QUERY_EACH(query, b) {
            Position* p = sett_batch_field(b, 0);
            const Velocity* v = sett_batch_field(b, 1);
            SETT_EACH(b, i) {
                p[i].x += v[i].x * SCENE_DT;
                p[i].y += v[i].y * SCENE_DT;
            }
        }
        if (swaps.half != 0) {
            loop_scene_swap(&scene, scene_swaps_at(&swaps, round));
        }
    }
    run->operations = (uint64_t)rounds * scene.mover_count;
    for (uint32_t k = 0; k < scene.mover_count; k++) {
        uint32_t number = scene.movers[k];
        const Position* p = sett_get(scene.world, scene.entities[number], scene.Position_id);
        run->checksum += scene_sum(number, p->x) + scene_sum(number, p->y);
    }
    scene_free(swaps.list);
    loop_scene_destroy(&scene);
}

/* A world with many types, of which one entity has some. */
typedef struct many_scene {
    sett_world* world;
    sett_component id[27];
    sett_entity* entities;
    uint32_t count;
} many_scene;

static void types_fill(void* user)
{
    const many_scene* scene = user;
    for (uint32_t k = 0; k < 26 * scene->count; k++) {
        Single* single = sett_ensure(scene->world, scene->entities[k], scene->id[26]);
        single->value = (float)(k % 1024);
        (void)sett_ensure(scene->world, scene->entities[k], scene->id[k / scene->count]);
    }
}

static void sett_types_26(scene_run* run)
{
    many_scene scene = {.world = scene_world(run, false), .count = run->count};
    scene_arrange(run, scene.world, NULL);
    uint32_t count = 26 * run->count;
    scene.id[26] = SCENE_TYPE(scene.world, Single, SETT_STORAGE_DEFAULT);
    scene.entities = scene_entities(scene.world, count);
    for (uint32_t type = 0; type < 26; type++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "Type%u", (unsigned)type);
        scene.id[type] =
            scene_type(scene.world, name, sizeof(Pair), SETT_ALIGNOF(Pair), SETT_STORAGE_DEFAULT);
    }
    types_fill(&scene);
    sett_query* query = scene_query(scene.world, (sett_term[]){{.component = scene.id[26]}, {0}});
    uint32_t rounds = scene_rounds(count, 10000000);
    scene_loop loop = scene_loop_begin(run, scene.world, rounds, types_fill, &scene);
    while (scene_loop_next(&loop)) {
        SETT_QUERY_EACH(query, b) {
            Single* s = sett_batch_field(b, 0);
            SETT_EACH(b, i) {
                s[i].value += 1;
            }
        }
    }
    run->operations = (uint64_t)rounds * count;
    for (uint32_t k = 0; k < count; k++) {
        const Single* s = sett_get(scene.world, scene.entities[k], scene.id[26]);
        run->checksum += scene_sum(k, s->value);
    }
    scene_free(scene.entities);
    sett_world_destroy(scene.world);
}

static void mixed_fill(void* user)
{
    const many_scene* scene = user;
    for (uint32_t k = 0; k < scene->count; k++) {
        for (uint32_t c = 0; c < 10; c++) {
            if ((scene_mixed(k) >> c & 1) != 0) {
                *(Pair*)sett_ensure(scene->world, scene->entities[k], scene->id[c]) =
                    scene_pair(k, c);
            }
        }
    }
}

static void sett_mixed_10(scene_run* run)
{
    many_scene scene = {.world = scene_world(run, true), .count = run->count};
    const sett_component* id = scene.id;
    scene_arrange(run, scene.world, "group { Mixed0 Mixed4 Mixed8 }");
    for (uint32_t c = 0; c < 10; c++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "Mixed%u", (unsigned)c);
        scene.id[c] =
            scene_type(scene.world, name, sizeof(Pair), SETT_ALIGNOF(Pair), SETT_STORAGE_DEFAULT);
    }
    scene.entities = scene_entities(scene.world, run->count);
    mixed_fill(&scene);
    sett_query* query =
        scene_query(scene.world, (sett_term[]){{.component = id[0]},
                                               {.component = id[4], .access = SETT_IN},
                                               {.component = id[8], .access = SETT_IN},
                                               {0}});
    scene_loop loop = scene_loop_begin(run, scene.world, SCENE_MIXED_ROUNDS, mixed_fill, &scene);
    while (scene_loop_next(&loop)) {
        SETT_QUERY_EACH(query, b) {
            Pair* x = sett_batch_field(b, 0);
            const Pair* y = sett_batch_field(b, 1);
            const Pair* z = sett_batch_field(b, 2);
            SETT_EACH(b, i) {
                x[i].x += y[i].x;
                x[i].y += z[i].y;
            }
        }
    }
    run->operations = (uint64_t)SCENE_MIXED_ROUNDS * sett_query_count(query);
    for (uint32_t k = 0; k < run->count; k++) {
        if ((scene_mixed(k) & SCENE_MIXED_QUERY) == SCENE_MIXED_QUERY) {
            const Pair* x = sett_get(scene.world, scene.entities[k], id[0]);
            run->checksum += scene_sum(k, x->x) + scene_sum(k, x->y);
        }
    }
    scene_free(scene.entities);
    sett_world_destroy(scene.world);
}

/* -------------------------------------------------------------------------------------- sorting */

static void sett_sort_row(scene_run* run)
{
    sett_world* world = scene_world(run, false);
    sett_component Key_id = SCENE_TYPE(world, Key, SETT_STORAGE_SPARSE_SET);
    sett_entity* entities = scene_entities(world, run->count);
    sett_query* query =
        scene_query(world, (sett_term[]){{.component = Key_id, .access = SETT_IN}, {0}});
    for (uint32_t k = 0; k < run->count; k++) {
        ((Key*)sett_add(world, entities[k], Key_id))->key = scene_key(run->row, k, 0);
    }
    if (run->row == SCENE_sort_again) {
        (void)sett_sort(world, &(sett_sort_desc){.component = Key_id, .key = SETT_KEY_U64});
    }
    for (uint32_t round = 1; round <= SCENE_SORT_ROUNDS; round++) {
        for (uint32_t k = 0; k < run->count; k++) {
            ((Key*)sett_get_mut(world, entities[k], Key_id))->key = scene_key(run->row, k, round);
        }
        scene_start(run);
        (void)sett_sort(world, &(sett_sort_desc){.component = Key_id, .key = SETT_KEY_U64});
        scene_stop(run);
        uint64_t rank = 0;
        SETT_QUERY_EACH(query, b) {
            const Key* key = sett_batch_field(b, 0);
            SETT_EACH(b, i) {
                run->checksum += rank++ * key[i].key;
            }
        }
    }
    run->operations = (uint64_t)SCENE_SORT_ROUNDS * run->count;
    scene_free(entities);
    sett_world_destroy(world);
}

/* -------------------------------------------------------------------------------- seven systems */

enum {
    BODY_MOVE,
    BODY_AGE,
    BODY_TURN,
    BODY_HEAL,
    BODY_HURT,
    BODY_CHOOSE,
    BODY_DRAW,
    BODY_SYSTEMS
};

static void body_run(sett_query* const* query, int32_t* frame)
{
    SETT_QUERY_EACH(query[BODY_MOVE], b) {
        Position* p = sett_batch_field(b, 0);
        const Velocity* v = sett_batch_field(b, 1);
        SETT_EACH(b, i) {
            scene_move(&p[i], &v[i]);
        }
    }
    SETT_QUERY_EACH(query[BODY_AGE], b) {
        Data* d = sett_batch_field(b, 0);
        SETT_EACH(b, i) {
            scene_age(&d[i]);
        }
    }
    SETT_QUERY_EACH(query[BODY_TURN], b) {
        const Position* p = sett_batch_field(b, 0);
        Velocity* v = sett_batch_field(b, 1);
        Data* d = sett_batch_field(b, 2);
        SETT_EACH(b, i) {
            scene_turn(&p[i], &v[i], &d[i]);
        }
    }
    SETT_QUERY_EACH(query[BODY_HEAL], b) {
        Health* h = sett_batch_field(b, 0);
        SETT_EACH(b, i) {
            scene_heal(&h[i]);
        }
    }
    SETT_QUERY_EACH(query[BODY_HURT], b) {
        Health* h = sett_batch_field(b, 0);
        const Damage* g = sett_batch_field(b, 1);
        SETT_EACH(b, i) {
            scene_hurt(&h[i], &g[i]);
        }
    }
    SETT_QUERY_EACH(query[BODY_CHOOSE], b) {
        Sprite* s = sett_batch_field(b, 0);
        const Health* h = sett_batch_field(b, 1);
        SETT_EACH(b, i) {
            scene_choose(&s[i], &h[i]);
        }
    }
    SETT_QUERY_EACH(query[BODY_DRAW], b) {
        const Position* p = sett_batch_field(b, 0);
        const Sprite* s = sett_batch_field(b, 1);
        SETT_EACH(b, i) {
            scene_draw(&p[i], &s[i], frame);
        }
    }
}

static void bodies_fill(void* user)
{
    const scene_bodies* bodies = user;
    sett_world* world = bodies->world;
    for (uint32_t k = 0; k < bodies->count; k++) {
        sett_entity e = bodies->entities[k];
        *(Position*)sett_ensure(world, e, bodies->p) = scene_body_position(k);
        *(Velocity*)sett_ensure(world, e, bodies->v) = scene_velocity(k);
        *(Data*)sett_ensure(world, e, bodies->d) = scene_data(k);
        if (scene_has_health(k)) {
            *(Health*)sett_ensure(world, e, bodies->h) = scene_health(k);
        }
        if (scene_has_damage(k)) {
            *(Damage*)sett_ensure(world, e, bodies->g) = scene_damage(k);
        }
        if (scene_has_sprite(k)) {
            ((Sprite*)sett_ensure(world, e, bodies->s))->character = ' ';
        }
    }
    memset(bodies->frame, 0, SCENE_FRAME_SIZE * SCENE_FRAME_SIZE * sizeof(int32_t));
}

scene_bodies scene_bodies_create(scene_run* run)
{
    sett_world* world = scene_world(run, true);
    scene_bodies bodies = {.world = world, .count = run->count};
    scene_arrange(run, world, NULL);
    bodies.p = SCENE_TYPE(world, Position, SETT_STORAGE_DEFAULT);
    bodies.v = SCENE_TYPE(world, Velocity, SETT_STORAGE_DEFAULT);
    bodies.d = SCENE_TYPE(world, Data, SETT_STORAGE_DEFAULT);
    bodies.h = SCENE_TYPE(world, Health, SETT_STORAGE_DEFAULT);
    bodies.g = SCENE_TYPE(world, Damage, SETT_STORAGE_DEFAULT);
    bodies.s = SCENE_TYPE(world, Sprite, SETT_STORAGE_DEFAULT);
    bodies.entities = scene_entities(world, run->count);
    bodies.frame = scene_frame_create();
    bodies_fill(&bodies);
    return bodies;
}

void scene_bodies_destroy(scene_bodies* bodies, scene_run* run)
{
    for (uint32_t k = 0; k < run->count; k++) {
        sett_world* world = bodies->world;
        sett_entity e = bodies->entities[k];
        run->checksum +=
            scene_body_sum(k, sett_get(world, e, bodies->p), sett_get(world, e, bodies->d),
                           sett_find(world, e, bodies->h), sett_find(world, e, bodies->s));
    }
    run->checksum += scene_frame_sum(bodies->frame);
    scene_free(bodies->frame);
    scene_free(bodies->entities);
    sett_world_destroy(bodies->world);
}

static void sett_systems_7(scene_run* run)
{
    scene_bodies bodies = scene_bodies_create(run);
    sett_component p = bodies.p, v = bodies.v, d = bodies.d;
    sett_component h = bodies.h, g = bodies.g, s = bodies.s;
    /* clang-format off */
#define BODY_READ(id) {.component = (id), .access = SETT_IN}
#define BODY_WRITE(id) {.component = (id)}
    /* clang-format on */
    const sett_term terms[BODY_SYSTEMS][4] = {
        [BODY_MOVE] = {BODY_WRITE(p), BODY_READ(v)},
        [BODY_AGE] = {BODY_WRITE(d)},
        [BODY_TURN] = {BODY_READ(p), BODY_WRITE(v), BODY_WRITE(d)},
        [BODY_HEAL] = {BODY_WRITE(h)},
        [BODY_HURT] = {BODY_WRITE(h), BODY_READ(g)},
        [BODY_CHOOSE] = {BODY_WRITE(s), BODY_READ(h)},
        [BODY_DRAW] = {BODY_READ(p), BODY_READ(s)},
    };
    sett_query* query[BODY_SYSTEMS];
    for (uint32_t k = 0; k < BODY_SYSTEMS; k++) {
        query[k] = scene_query(bodies.world, terms[k]);
    }
    scene_loop loop =
        scene_loop_begin(run, bodies.world, SCENE_SYSTEM_ROUNDS, bodies_fill, &bodies);
    while (scene_loop_next(&loop)) {
        body_run(query, bodies.frame);
    }
    run->operations = (uint64_t)SCENE_SYSTEM_ROUNDS * run->count;
    scene_bodies_destroy(&bodies, run);
}

scene_fn scene_sett_loop(scene_row row)
{
    static const scene_fn rows[SCENE_ROWS] = {
        [SCENE_get_random] = sett_get_two,     [SCENE_get_typed] = sett_get_two,
        [SCENE_get_list] = sett_get_two,       [SCENE_has_random] = sett_has_random,
        [SCENE_has_checked] = sett_has_random, [SCENE_iterate_1] = sett_iterate_1,
        [SCENE_move_16] = sett_move,           [SCENE_move_10k] = sett_move,
        [SCENE_move_1m] = sett_move,           [SCENE_move_second] = sett_move,
        [SCENE_move_random_1] = sett_move,     [SCENE_move_random_50] = sett_move,
        [SCENE_move_toggled] = sett_move,      [SCENE_types_26] = sett_types_26,
        [SCENE_mixed_10] = sett_mixed_10,      [SCENE_systems_7] = sett_systems_7,
        [SCENE_sort] = sett_sort_row,          [SCENE_sort_again] = sett_sort_row,
    };
    return rows[row];
}

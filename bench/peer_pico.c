/* peer_pico.c: the scenes for pico_ecs, compiled into this file: its calls can be inlined.
 *
 * Capacity: small and growing where a scene creates, given in advance where the scene is about what
 * comes later. As in the other implementations a loop over what the scene has is prepared: here
 * that is a system, whose list of entities every change keeps up. */
#define ecs_new pico_ecs_new /* the one name that it shares with flecs */
#define PICO_ECS_IMPLEMENTATION
#include <pico_ecs.h>

#include "scene.h"

#include <stdlib.h>

#define PICO_GET(ecs, e, comp, T) ((T*)ecs_get((ecs), (e), (comp)))

static ecs_ret_t pico_idle(ecs_t* ecs, ecs_entity_t* entities, size_t count, void* user)
{
    (void)ecs;
    (void)entities;
    (void)count;
    (void)user;
    return 0;
}

/* A system that stands by, as long as a scene changes structure. */
static void pico_prepare(ecs_t* ecs, const ecs_comp_t* required, uint32_t count)
{
    ecs_system_t system = ecs_define_system(ecs, pico_idle, NULL);
    for (uint32_t k = 0; k < count; k++) {
        ecs_require(ecs, system, required[k]);
    }
}

/* ------------------------------------------------------------------------------------ creating */

static void pico_create_none(scene_run* run)
{
    uint32_t rounds = scene_rounds(run->count, 1000000);
    for (uint32_t round = 0; round < rounds; round++) {
        ecs_t* ecs = ecs_new(1024, NULL);
        scene_start(run);
        for (uint32_t k = 0; k < run->count; k++) {
            (void)ecs_create(ecs);
        }
        scene_stop(run);
        run->checksum += ecs->next_entity_id - ecs->entity_pool.size;
        ecs_free(ecs);
    }
    run->operations = (uint64_t)rounds * run->count;
}

static void pico_create_2(scene_run* run)
{
    uint32_t rounds = scene_rounds(run->count, 1000000);
    for (uint32_t round = 0; round < rounds; round++) {
        ecs_t* ecs = ecs_new(1024, NULL);
        ecs_comp_t p = ecs_define_component(ecs, sizeof(Position), NULL);
        ecs_comp_t v = ecs_define_component(ecs, sizeof(Velocity), NULL);
        pico_prepare(ecs, (ecs_comp_t[]){p, v}, 2);
        scene_start(run);
        for (uint32_t k = 0; k < run->count; k++) {
            ecs_entity_t e = ecs_create(ecs);
            ecs_add(ecs, e, p, NULL);
            *PICO_GET(ecs, e, p, Position) = scene_position(k);
            ecs_add(ecs, e, v, NULL);
            *PICO_GET(ecs, e, v, Velocity) = scene_velocity(k);
        }
        scene_stop(run);
        run->checksum = 0;
        for (uint32_t k = 0; k < run->count; k++) {
            ecs_entity_t e = {k};
            run->checksum += scene_sum(k, PICO_GET(ecs, e, p, Position)->x) +
                             scene_sum(k, PICO_GET(ecs, e, v, Velocity)->y);
        }
        ecs_free(ecs);
    }
    run->operations = (uint64_t)rounds * run->count;
}

static void pico_create_4(scene_run* run)
{
    ecs_t* ecs = ecs_new(1024, NULL);
    ecs_comp_t p = ecs_define_component(ecs, sizeof(Position), NULL);
    ecs_comp_t v = ecs_define_component(ecs, sizeof(Velocity), NULL);
    ecs_comp_t c = ecs_define_component(ecs, sizeof(Pair), NULL);
    ecs_comp_t d = ecs_define_component(ecs, sizeof(Pair), NULL);
    pico_prepare(ecs, (ecs_comp_t[]){p, v, c, d}, 4);
    scene_start(run);
    for (uint32_t k = 0; k < run->count; k++) {
        ecs_entity_t e = ecs_create(ecs);
        ecs_add(ecs, e, p, NULL);
        *PICO_GET(ecs, e, p, Position) = scene_position(k);
        ecs_add(ecs, e, v, NULL);
        *PICO_GET(ecs, e, v, Velocity) = scene_velocity(k);
        ecs_add(ecs, e, c, NULL);
        *PICO_GET(ecs, e, c, Pair) = (Pair){1, 1};
        ecs_add(ecs, e, d, NULL);
        *PICO_GET(ecs, e, d, Pair) = (Pair){2, 2};
    }
    scene_stop(run);
    run->operations = run->count;
    for (uint32_t k = 0; k < run->count; k++) {
        ecs_entity_t e = {k};
        run->checksum +=
            scene_sum(k, PICO_GET(ecs, e, p, Position)->x + PICO_GET(ecs, e, c, Pair)->x) +
            scene_sum(k, PICO_GET(ecs, e, v, Velocity)->y + PICO_GET(ecs, e, d, Pair)->y);
    }
    ecs_free(ecs);
}

/* ---------------------------------------------------------------------------------- population */

typedef struct pico_scene {
    ecs_t* ecs;
    ecs_comp_t p, v;
    ecs_entity_t* entities;
    uint32_t* movers;
    uint32_t mover_count;
} pico_scene;

static pico_scene pico_begin(const scene_run* run, const ecs_comp_desc_t* velocity)
{
    pico_scene scene = {.ecs = ecs_new(run->count, NULL)};
    scene.p = ecs_define_component(scene.ecs, sizeof(Position), NULL);
    scene.v = ecs_define_component(scene.ecs, sizeof(Velocity), velocity);
    scene.entities = scene_alloc(run->count, sizeof(ecs_entity_t));
    return scene;
}

static void pico_fill(pico_scene* scene, const scene_run* run)
{
    scene->movers = scene_movers(run, &scene->mover_count);
    for (uint32_t k = 0; k < run->count; k++) {
        ecs_entity_t e = scene->entities[k] = ecs_create(scene->ecs);
        ecs_add(scene->ecs, e, scene->p, NULL);
        *PICO_GET(scene->ecs, e, scene->p, Position) = scene_position(k);
    }
    for (uint32_t k = 0; k < scene->mover_count; k++) {
        ecs_entity_t e = scene->entities[scene->movers[k]];
        ecs_add(scene->ecs, e, scene->v, NULL);
        *PICO_GET(scene->ecs, e, scene->v, Velocity) = scene_velocity(scene->movers[k]);
    }
}

static void pico_end(pico_scene* scene)
{
    ecs_free(scene->ecs);
    scene_free(scene->entities);
    scene_free(scene->movers);
}

/* ----------------------------------------------------------------- destroying, adding, removing */

static void pico_destroy(scene_run* run)
{
    pico_scene scene = pico_begin(run, NULL);
    pico_prepare(scene.ecs, (ecs_comp_t[]){scene.p, scene.v}, 2);
    pico_fill(&scene, run);
    if (run->row == SCENE_destroy_random) {
        scene_shuffle(scene.entities, run->count, sizeof(ecs_entity_t));
    }
    const ecs_entity_t* entities = scene.entities;
    scene_start(run);
    for (uint32_t k = 0; k < run->count; k++) {
        ecs_destroy(scene.ecs, entities[k]);
    }
    scene_stop(run);
    run->operations = run->count;
    run->checksum = scene.ecs->next_entity_id - scene.ecs->entity_pool.size;
    pico_end(&scene);
}

static uint64_t pico_called;

static void pico_on_add(ecs_t* ecs, ecs_entity_t e, ecs_comp_t comp, const void* args, void* user)
{
    (void)ecs;
    (void)e;
    (void)comp;
    (void)args;
    ++*(uint64_t*)user;
}

static void pico_on_remove(ecs_t* ecs, ecs_entity_t e, ecs_comp_t comp, void* user)
{
    (void)ecs;
    (void)e;
    (void)comp;
    ++*(uint64_t*)user;
}

static void pico_toggle(scene_run* run)
{
    pico_called = 0;
    ecs_comp_desc_t desc = {
        .on_add_cb = pico_on_add, .on_remove_cb = pico_on_remove, .udata = &pico_called};
    pico_scene scene = pico_begin(run, run->row == SCENE_hooks ? &desc : NULL);
    pico_prepare(scene.ecs, (ecs_comp_t[]){scene.p, scene.v}, 2);
    for (uint32_t k = 0; k < run->count; k++) {
        scene.entities[k] = ecs_create(scene.ecs);
        ecs_add(scene.ecs, scene.entities[k], scene.p, NULL);
    }
    if (run->row == SCENE_toggle_1m) {
        scene_shuffle(scene.entities, run->count, sizeof(ecs_entity_t));
    }
    const ecs_entity_t* entities = scene.entities;
    uint32_t rounds = scene_rounds(run->count, 1000000);
    for (uint32_t round = 0; round < rounds; round++) {
        scene_start(run);
        for (uint32_t k = 0; k < run->count; k++) {
            ecs_add(scene.ecs, entities[k], scene.v, NULL);
        }
        scene_stop(run);
        for (uint32_t k = 0; k < run->count; k++) {
            run->checksum += ecs_has(scene.ecs, entities[k], scene.v);
        }
        scene_start(run);
        for (uint32_t k = 0; k < run->count; k++) {
            ecs_remove(scene.ecs, entities[k], scene.v);
        }
        scene_stop(run);
    }
    for (uint32_t k = 0; k < run->count; k++) {
        run->checksum += 7 * (uint64_t)ecs_has(scene.ecs, entities[k], scene.v);
    }
    run->operations = (uint64_t)rounds * run->count;
    run->checksum += 3 * pico_called;
    scene.movers = NULL;
    pico_end(&scene);
}

/* ----------------------------------------------------------------------------------- by handle */

static void pico_get_random(scene_run* run)
{
    pico_scene scene = pico_begin(run, NULL);
    pico_fill(&scene, run);
    scene_shuffle(scene.entities, run->count, sizeof(ecs_entity_t));
    const ecs_entity_t* entities = scene.entities;
    uint32_t rounds = scene_rounds(run->count, 2000000);
    int64_t sum = 0;
    scene_start(run);
    for (uint32_t round = 0; round < rounds; round++) {
        for (uint32_t k = 0; k < run->count; k++) {
            sum += (int64_t)(PICO_GET(scene.ecs, entities[k], scene.p, Position)->x +
                             PICO_GET(scene.ecs, entities[k], scene.v, Velocity)->y);
        }
    }
    scene_stop(run);
    run->operations = (uint64_t)rounds * run->count;
    run->checksum = (uint64_t)sum;
    pico_end(&scene);
}

static void pico_has_random(scene_run* run)
{
    pico_scene scene = pico_begin(run, NULL);
    pico_fill(&scene, run);
    scene_shuffle(scene.entities, run->count, sizeof(ecs_entity_t));
    const ecs_entity_t* entities = scene.entities;
    uint32_t rounds = scene_rounds(run->count, 4000000);
    uint64_t sum = 0;
    scene_start(run);
    for (uint32_t round = 0; round < rounds; round++) {
        for (uint32_t k = 0; k < run->count; k++) {
            sum += ecs_has(scene.ecs, entities[k], scene.v);
        }
    }
    scene_stop(run);
    run->operations = (uint64_t)rounds * run->count;
    run->checksum = sum;
    pico_end(&scene);
}

/* ------------------------------------------------------------------------------------- in loops */

static ecs_ret_t pico_iterate_system(ecs_t* ecs, ecs_entity_t* entities, size_t count, void* user)
{
    const pico_scene* scene = user;
    for (size_t k = 0; k < count; k++) {
        Position* p = PICO_GET(ecs, entities[k], scene->p, Position);
        p->x += 1;
        p->y += 1;
    }
    return 0;
}

static void pico_iterate_1(scene_run* run)
{
    pico_scene scene = pico_begin(run, NULL);
    ecs_system_t system =
        ecs_define_system(scene.ecs, pico_iterate_system, &(ecs_sys_desc_t){.udata = &scene});
    ecs_require(scene.ecs, system, scene.p);
    pico_fill(&scene, run);
    uint32_t rounds = scene_rounds(run->count, 10000000);
    for (uint32_t round = 0; scene_goes_on(run, round, rounds); round++) {
        ecs_run_system(scene.ecs, system, 0);
    }
    run->operations = (uint64_t)rounds * run->count;
    for (uint32_t k = 0; k < run->count; k++) {
        const Position* p = PICO_GET(scene.ecs, scene.entities[k], scene.p, Position);
        run->checksum += scene_sum(k, p->x) + scene_sum(k, p->y);
    }
    pico_end(&scene);
}

static ecs_ret_t pico_move_system(ecs_t* ecs, ecs_entity_t* entities, size_t count, void* user)
{
    const pico_scene* scene = user;
    for (size_t k = 0; k < count; k++) {
        Position* p = PICO_GET(ecs, entities[k], scene->p, Position);
        const Velocity* v = PICO_GET(ecs, entities[k], scene->v, Velocity);
        p->x += v->x * SCENE_DT;
        p->y += v->y * SCENE_DT;
    }
    return 0;
}

static void pico_swap(const pico_scene* scene, scene_swap swap)
{
    for (uint32_t k = 0; k < swap.count; k++) {
        ecs_entity_t e = scene->entities[swap.in[k]];
        ecs_remove(scene->ecs, scene->entities[swap.out[k]], scene->v);
        ecs_add(scene->ecs, e, scene->v, NULL);
        *PICO_GET(scene->ecs, e, scene->v, Velocity) = scene_velocity(swap.in[k]);
    }
}

static void pico_move(scene_run* run)
{
    pico_scene scene = pico_begin(run, NULL);
    ecs_system_t system =
        ecs_define_system(scene.ecs, pico_move_system, &(ecs_sys_desc_t){.udata = &scene});
    ecs_require(scene.ecs, system, scene.p);
    ecs_require(scene.ecs, system, scene.v);
    pico_fill(&scene, run);
    scene_swaps swaps = scene_swaps_create(run, scene.movers, scene.mover_count);
    uint32_t rounds = scene_rounds(run->count, 10000000);
    for (uint32_t round = 0; scene_goes_on(run, round, rounds); round++) {
        ecs_run_system(scene.ecs, system, 0);
        if (swaps.half != 0) {
            pico_swap(&scene, scene_swaps_at(&swaps, round));
        }
    }
    scene_free(swaps.list);
    run->operations = (uint64_t)rounds * scene.mover_count;
    for (uint32_t k = 0; k < scene.mover_count; k++) {
        uint32_t number = scene.movers[k];
        const Position* p = PICO_GET(scene.ecs, scene.entities[number], scene.p, Position);
        run->checksum += scene_sum(number, p->x) + scene_sum(number, p->y);
    }
    pico_end(&scene);
}

/* One component of a scene with many, for a system's user data. */
typedef struct pico_many {
    ecs_comp_t id[27];
    uint64_t matches;
    int32_t* frame;
} pico_many;

static ecs_ret_t pico_types_system(ecs_t* ecs, ecs_entity_t* entities, size_t count, void* user)
{
    const pico_many* many = user;
    for (size_t k = 0; k < count; k++) {
        PICO_GET(ecs, entities[k], many->id[26], Single)->value += 1;
    }
    return 0;
}

static void pico_types_26(scene_run* run)
{
    uint32_t count = 26 * run->count;
    ecs_t* ecs = ecs_new(count, NULL);
    pico_many many;
    for (uint32_t type = 0; type < 26; type++) {
        many.id[type] = ecs_define_component(ecs, sizeof(Pair), NULL);
    }
    many.id[26] = ecs_define_component(ecs, sizeof(Single), NULL);
    ecs_system_t system =
        ecs_define_system(ecs, pico_types_system, &(ecs_sys_desc_t){.udata = &many});
    ecs_require(ecs, system, many.id[26]);
    for (uint32_t k = 0; k < count; k++) {
        ecs_entity_t e = ecs_create(ecs);
        ecs_add(ecs, e, many.id[26], NULL);
        PICO_GET(ecs, e, many.id[26], Single)->value = (float)(k % 1024);
        ecs_add(ecs, e, many.id[k / run->count], NULL);
    }
    uint32_t rounds = scene_rounds(count, 10000000);
    for (uint32_t round = 0; scene_goes_on(run, round, rounds); round++) {
        ecs_run_system(ecs, system, 0);
    }
    run->operations = (uint64_t)rounds * count;
    for (uint32_t k = 0; k < count; k++) {
        ecs_entity_t e = {k};
        run->checksum += scene_sum(k, PICO_GET(ecs, e, many.id[26], Single)->value);
    }
    ecs_free(ecs);
}

static ecs_ret_t pico_mixed_system(ecs_t* ecs, ecs_entity_t* entities, size_t count, void* user)
{
    pico_many* many = user;
    for (size_t k = 0; k < count; k++) {
        Pair* x = PICO_GET(ecs, entities[k], many->id[0], Pair);
        x->x += PICO_GET(ecs, entities[k], many->id[4], Pair)->x;
        x->y += PICO_GET(ecs, entities[k], many->id[8], Pair)->y;
    }
    many->matches += count;
    return 0;
}

static void pico_mixed_10(scene_run* run)
{
    ecs_t* ecs = ecs_new(run->count, NULL);
    pico_many many = {.matches = 0};
    for (uint32_t c = 0; c < 10; c++) {
        many.id[c] = ecs_define_component(ecs, sizeof(Pair), NULL);
    }
    ecs_system_t system =
        ecs_define_system(ecs, pico_mixed_system, &(ecs_sys_desc_t){.udata = &many});
    for (uint32_t c = 0; c < 10; c += 4) {
        ecs_require(ecs, system, many.id[c]);
    }
    for (uint32_t k = 0; k < run->count; k++) {
        ecs_entity_t e = ecs_create(ecs);
        for (uint32_t c = 0; c < 10; c++) {
            if ((scene_mixed(k) >> c & 1) != 0) {
                ecs_add(ecs, e, many.id[c], NULL);
                *PICO_GET(ecs, e, many.id[c], Pair) = scene_pair(k, c);
            }
        }
    }
    for (uint32_t round = 0; scene_goes_on(run, round, SCENE_MIXED_ROUNDS); round++) {
        ecs_run_system(ecs, system, 0);
    }
    run->operations = many.matches / (SCENE_MIXED_ROUNDS + 1) * SCENE_MIXED_ROUNDS;
    for (uint32_t k = 0; k < run->count; k++) {
        if ((scene_mixed(k) & SCENE_MIXED_QUERY) == SCENE_MIXED_QUERY) {
            const Pair* x = PICO_GET(ecs, (ecs_entity_t){k}, many.id[0], Pair);
            run->checksum += scene_sum(k, x->x) + scene_sum(k, x->y);
        }
    }
    ecs_free(ecs);
}

/* -------------------------------------------------------------------------------- seven systems */

enum {
    PICO_P,
    PICO_V,
    PICO_D,
    PICO_H,
    PICO_G,
    PICO_S
};

#define PICO_SYSTEM(name, body)                                                                    \
    static ecs_ret_t name(ecs_t* ecs, ecs_entity_t* entities, size_t count, void* user)            \
    {                                                                                              \
        const pico_many* many = user;                                                              \
        for (size_t k = 0; k < count; k++) {                                                       \
            ecs_entity_t e = entities[k];                                                          \
            body;                                                                                  \
        }                                                                                          \
        return 0;                                                                                  \
    }
#define PICO_OF(c, T) PICO_GET(ecs, e, many->id[c], T)

PICO_SYSTEM(pico_body_move, scene_move(PICO_OF(PICO_P, Position), PICO_OF(PICO_V, Velocity)))
PICO_SYSTEM(pico_body_age, scene_age(PICO_OF(PICO_D, Data)))
PICO_SYSTEM(pico_body_turn,
            scene_turn(PICO_OF(PICO_P, Position), PICO_OF(PICO_V, Velocity), PICO_OF(PICO_D, Data)))
PICO_SYSTEM(pico_body_heal, scene_heal(PICO_OF(PICO_H, Health)))
PICO_SYSTEM(pico_body_hurt, scene_hurt(PICO_OF(PICO_H, Health), PICO_OF(PICO_G, Damage)))
PICO_SYSTEM(pico_body_choose, scene_choose(PICO_OF(PICO_S, Sprite), PICO_OF(PICO_H, Health)))
PICO_SYSTEM(pico_body_draw,
            scene_draw(PICO_OF(PICO_P, Position), PICO_OF(PICO_S, Sprite), many->frame))

static void pico_systems_7(scene_run* run)
{
    static const size_t sizes[] = {sizeof(Position), sizeof(Velocity), sizeof(Data),
                                   sizeof(Health),   sizeof(Damage),   sizeof(Sprite)};
    static const struct {
        ecs_system_fn run;
        int first, second, third; /* components, -1: none */
    } bodies[] = {
        {pico_body_move, PICO_P, PICO_V, -1},     {pico_body_age, PICO_D, -1, -1},
        {pico_body_turn, PICO_P, PICO_V, PICO_D}, {pico_body_heal, PICO_H, -1, -1},
        {pico_body_hurt, PICO_H, PICO_G, -1},     {pico_body_choose, PICO_S, PICO_H, -1},
        {pico_body_draw, PICO_P, PICO_S, -1},
    };
    ecs_t* ecs = ecs_new(run->count, NULL);
    pico_many many;
    many.frame = scene_frame_create();
    for (uint32_t c = 0; c < 6; c++) {
        many.id[c] = ecs_define_component(ecs, sizes[c], NULL);
    }
    for (uint32_t k = 0; k < 7; k++) {
        ecs_system_t system =
            ecs_define_system(ecs, bodies[k].run, &(ecs_sys_desc_t){.udata = &many});
        const int needed[] = {bodies[k].first, bodies[k].second, bodies[k].third};
        for (uint32_t j = 0; j < 3; j++) {
            if (needed[j] >= 0) {
                ecs_require(ecs, system, many.id[needed[j]]);
            }
        }
    }
    ecs_entity_t* entities = scene_alloc(run->count, sizeof(ecs_entity_t));
    for (uint32_t k = 0; k < run->count; k++) {
        ecs_entity_t e = entities[k] = ecs_create(ecs);
        for (uint32_t c = 0; c < 6; c++) {
            if (c <= PICO_D || (c == PICO_H && scene_has_health(k)) ||
                (c == PICO_G && scene_has_damage(k)) || (c == PICO_S && scene_has_sprite(k))) {
                ecs_add(ecs, e, many.id[c], NULL);
            }
        }
        *PICO_GET(ecs, e, many.id[PICO_P], Position) = scene_body_position(k);
        *PICO_GET(ecs, e, many.id[PICO_V], Velocity) = scene_velocity(k);
        *PICO_GET(ecs, e, many.id[PICO_D], Data) = scene_data(k);
        *PICO_GET(ecs, e, many.id[PICO_H], Health) = scene_health(k);
        *PICO_GET(ecs, e, many.id[PICO_G], Damage) = scene_damage(k);
        PICO_GET(ecs, e, many.id[PICO_S], Sprite)->character = ' ';
    }
    for (uint32_t round = 0; scene_goes_on(run, round, SCENE_SYSTEM_ROUNDS); round++) {
        ecs_run_systems(ecs, 0);
    }
    run->operations = (uint64_t)SCENE_SYSTEM_ROUNDS * run->count;
    for (uint32_t k = 0; k < run->count; k++) {
        ecs_entity_t e = entities[k];
        run->checksum += scene_body_sum(
            k, PICO_GET(ecs, e, many.id[PICO_P], Position), PICO_GET(ecs, e, many.id[PICO_D], Data),
            scene_has_health(k) ? PICO_GET(ecs, e, many.id[PICO_H], Health) : NULL,
            scene_has_sprite(k) ? PICO_GET(ecs, e, many.id[PICO_S], Sprite) : NULL);
    }
    run->checksum += scene_frame_sum(many.frame);
    scene_free(many.frame);
    scene_free(entities);
    ecs_free(ecs);
}

/* -------------------------------------------------------------------------------- lives in full */

static void pico_churn(scene_run* run)
{
    ecs_t* ecs = ecs_new(run->count, NULL);
    ecs_comp_t a = ecs_define_component(ecs, sizeof(Ca), NULL);
    ecs_comp_t b = ecs_define_component(ecs, sizeof(Cb), NULL);
    ecs_comp_t c = ecs_define_component(ecs, sizeof(Cc), NULL);
    ecs_comp_t d = ecs_define_component(ecs, sizeof(Cd), NULL);
    pico_prepare(ecs, (ecs_comp_t[]){a, b, c, d}, 4);
    ecs_entity_t* entities = scene_alloc(run->count, sizeof(ecs_entity_t));
    scene_start(run);
    for (uint32_t round = 0; round < SCENE_CHURN_ROUNDS; round++) {
        for (uint32_t k = 0; k < run->count; k++) {
            ecs_entity_t e = entities[k] = ecs_create(ecs);
            ecs_add(ecs, e, a, NULL);
            ecs_add(ecs, e, b, NULL);
            ecs_add(ecs, e, c, NULL);
            ecs_add(ecs, e, d, NULL);
        }
        for (uint32_t k = 0; k < run->count; k++) {
            ecs_entity_t e = entities[k];
            Ca* fa = PICO_GET(ecs, e, a, Ca);
            Cd* fd = PICO_GET(ecs, e, d, Cd);
            scene_write_a(fa, 1);
            scene_write_b(PICO_GET(ecs, e, b, Cb), 1);
            scene_write_c(PICO_GET(ecs, e, c, Cc), 1);
            scene_write_d(fd, 1);
            run->checksum += (uint64_t)(fa->f[0] + (float)fd->i);
        }
        for (uint32_t k = 0; k < run->count; k++) {
            ecs_destroy(ecs, entities[k]);
        }
    }
    scene_stop(run);
    run->operations = (uint64_t)SCENE_CHURN_ROUNDS * run->count;
    run->checksum += ecs->next_entity_id - ecs->entity_pool.size;
    scene_free(entities);
    ecs_free(ecs);
}

/* What an instance of a prefab has, by hand. */
static void pico_instances(scene_run* run)
{
    ecs_t* ecs = ecs_new(run->count, NULL);
    ecs_comp_t p = ecs_define_component(ecs, sizeof(Position), NULL);
    ecs_comp_t a = ecs_define_component(ecs, sizeof(Ca), NULL);
    ecs_comp_t b = ecs_define_component(ecs, sizeof(Cb), NULL);
    ecs_comp_t c = ecs_define_component(ecs, sizeof(Cc), NULL);
    ecs_comp_t d = ecs_define_component(ecs, sizeof(Cd), NULL);
    pico_prepare(ecs, (ecs_comp_t[]){p, a, b, c, d}, 5);
    Ca given = {{1, 2, 3, 4, 5, 6}};
    ecs_entity_t last = ECS_INVALID_ENTITY;
    scene_start(run);
    for (uint32_t k = 0; k < run->count; k++) {
        last = ecs_create(ecs);
        ecs_add(ecs, last, p, NULL);
        memcpy(PICO_GET(ecs, last, p, Position), &given, sizeof(Position));
        ecs_add(ecs, last, a, NULL);
        memcpy(PICO_GET(ecs, last, a, Ca), &given, sizeof(Ca));
        ecs_add(ecs, last, b, NULL);
        memcpy(PICO_GET(ecs, last, b, Cb), &given, sizeof(Cb));
        ecs_add(ecs, last, c, NULL);
        memcpy(PICO_GET(ecs, last, c, Cc), &given, sizeof(Cc));
        ecs_add(ecs, last, d, NULL);
        memcpy(PICO_GET(ecs, last, d, Cd), &given, sizeof(Cd));
    }
    scene_stop(run);
    run->operations = run->count;
    run->checksum = 2 * (ecs->next_entity_id - ecs->entity_pool.size) + 2 * 1 +
                    (uint64_t)PICO_GET(ecs, last, a, Ca)->f[5];
    ecs_free(ecs);
}

typedef struct pico_link {
    ecs_entity_t parent, first, next;
} pico_link;

typedef struct pico_tree {
    ecs_t* ecs;
    ecs_comp_t a, b, c, d, link;
} pico_tree;

static ecs_entity_t pico_tree_child(const pico_tree* tree, ecs_entity_t parent, ecs_comp_t type)
{
    ecs_entity_t e = ecs_create(tree->ecs);
    ecs_add(tree->ecs, e, type, NULL);
    ecs_add(tree->ecs, e, tree->link, NULL);
    pico_link* link = PICO_GET(tree->ecs, e, tree->link, pico_link);
    pico_link* above = PICO_GET(tree->ecs, parent, tree->link, pico_link);
    link->parent = parent;
    link->first = ECS_INVALID_ENTITY;
    link->next = above->first;
    above->first = e;
    return e;
}

static void pico_tree_destroy(const pico_tree* tree, ecs_entity_t e)
{
    for (ecs_entity_t child = PICO_GET(tree->ecs, e, tree->link, pico_link)->first;
         ECS_IS_VALID(child);) {
        ecs_entity_t next = PICO_GET(tree->ecs, child, tree->link, pico_link)->next;
        pico_tree_destroy(tree, child);
        child = next;
    }
    ecs_destroy(tree->ecs, e);
}

static void pico_tree_row(scene_run* run)
{
    pico_tree tree = {.ecs = ecs_new(SCENE_TREE_ENTITIES(run->count), NULL)};
    tree.a = ecs_define_component(tree.ecs, sizeof(Ca), NULL);
    tree.b = ecs_define_component(tree.ecs, sizeof(Cb), NULL);
    tree.c = ecs_define_component(tree.ecs, sizeof(Cc), NULL);
    tree.d = ecs_define_component(tree.ecs, sizeof(Cd), NULL);
    tree.link = ecs_define_component(tree.ecs, sizeof(pico_link), NULL);
    ecs_entity_t* roots = scene_alloc(run->count, sizeof(ecs_entity_t));
    scene_start(run);
    for (uint32_t round = 0; round < SCENE_TREE_ROUNDS; round++) {
        for (uint32_t k = 0; k < run->count; k++) {
            roots[k] = ecs_create(tree.ecs);
            ecs_add(tree.ecs, roots[k], tree.a, NULL);
            ecs_add(tree.ecs, roots[k], tree.b, NULL);
            ecs_add(tree.ecs, roots[k], tree.link, NULL);
            PICO_GET(tree.ecs, roots[k], tree.link, pico_link)->first = ECS_INVALID_ENTITY;
            for (uint32_t i = 0; i < SCENE_TREE_CHILDREN; i++) {
                ecs_entity_t child = pico_tree_child(&tree, roots[k], tree.c);
                for (uint32_t j = 0; j < SCENE_TREE_LEAVES; j++) {
                    (void)pico_tree_child(&tree, child, tree.d);
                }
            }
        }
        run->checksum += tree.ecs->next_entity_id - tree.ecs->entity_pool.size;
        for (uint32_t k = 0; k < run->count; k++) {
            pico_tree_destroy(&tree, roots[k]);
        }
    }
    scene_stop(run);
    run->operations = (uint64_t)SCENE_TREE_ROUNDS * SCENE_TREE_ENTITIES(run->count);
    run->checksum += 3 * (tree.ecs->next_entity_id - tree.ecs->entity_pool.size);
    scene_free(roots);
    ecs_free(tree.ecs);
}

static void pico_random_ops(scene_run* run)
{
    typedef struct alive {
        ecs_entity_t entity;
        uint32_t number;
    } alive;
    ecs_t* ecs = ecs_new(1024, NULL);
    ecs_comp_t p = ecs_define_component(ecs, sizeof(Position), NULL);
    ecs_comp_t v = ecs_define_component(ecs, sizeof(Velocity), NULL);
    pico_prepare(ecs, (ecs_comp_t[]){p, v}, 2);
    alive* list = scene_alloc(run->count, sizeof(alive));
    uint32_t size = 0;
    uint64_t with_v = 0;
    uint64_t state = SCENE_SEED;
    scene_start(run);
    for (uint32_t k = 0; k < run->count; k++) {
        uint64_t draw = scene_random(&state) >> 16;
        uint32_t what = draw & 7;
        if (what < 3 || size == 0) {
            ecs_entity_t e = ecs_create(ecs);
            ecs_add(ecs, e, p, NULL);
            *PICO_GET(ecs, e, p, Position) = scene_position(k);
            list[size++] = (alive){e, k};
            continue;
        }
        uint32_t at = (uint32_t)((draw >> 3) % size);
        ecs_entity_t e = list[at].entity;
        switch (what) {
        case 5:
            if (!ecs_has(ecs, e, v)) {
                ecs_add(ecs, e, v, NULL);
                *PICO_GET(ecs, e, v, Velocity) = scene_velocity(list[at].number);
            }
            break;
        case 6:
            if (ecs_has(ecs, e, v)) {
                ecs_remove(ecs, e, v);
            }
            break;
        case 7:
            ecs_destroy(ecs, e);
            list[at] = list[--size];
            break;
        default:
            run->checksum += scene_sum(k, PICO_GET(ecs, e, p, Position)->x);
            break;
        }
    }
    scene_stop(run);
    run->operations = run->count;
    for (uint32_t k = 0; k < size; k++) {
        with_v += ecs_has(ecs, list[k].entity, v);
    }
    run->checksum += size + 3 * with_v;
    scene_free(list);
    ecs_free(ecs);
}

static ecs_ret_t pico_queue_system(ecs_t* ecs, ecs_entity_t* entities, size_t count, void* user)
{
    const pico_scene* scene = user;
    for (size_t k = 0; k < count; k++) {
        ecs_add(ecs, entities[k], scene->v, NULL);
    }
    return 0;
}

static void pico_queued(scene_run* run)
{
    pico_scene scene = pico_begin(run, NULL);
    ecs_system_t system =
        ecs_define_system(scene.ecs, pico_queue_system, &(ecs_sys_desc_t){.udata = &scene});
    ecs_require(scene.ecs, system, scene.p);
    for (uint32_t k = 0; k < run->count; k++) {
        scene.entities[k] = ecs_create(scene.ecs);
        ecs_add(scene.ecs, scene.entities[k], scene.p, NULL);
    }
    uint32_t rounds = scene_rounds(run->count, 1000000);
    for (uint32_t round = 0; round < rounds; round++) {
        scene_start(run);
        ecs_run_system(scene.ecs, system, 0); /* applies the queue when the system has ended */
        scene_stop(run);
        for (uint32_t k = 0; k < run->count; k++) {
            run->checksum += ecs_has(scene.ecs, scene.entities[k], scene.v);
            ecs_remove(scene.ecs, scene.entities[k], scene.v);
        }
    }
    run->operations = (uint64_t)rounds * run->count;
    scene.movers = NULL;
    pico_end(&scene);
}

static void pico_empty_world(scene_run* run)
{
    scene_start(run);
    for (uint32_t k = 0; k < run->count; k++) {
        ecs_t* ecs = ecs_new(32, NULL);
        run->checksum += ecs != NULL;
        ecs_free(ecs);
    }
    scene_stop(run);
    run->operations = run->count;
}

scene_fn scene_pico(scene_row row)
{
    static const scene_fn rows[SCENE_ROWS] = {
        [SCENE_create_none] = pico_create_none,
        [SCENE_create_2] = pico_create_2,
        [SCENE_create_4] = pico_create_4,
        [SCENE_destroy_order] = pico_destroy,
        [SCENE_destroy_random] = pico_destroy,
        [SCENE_toggle_10k] = pico_toggle,
        [SCENE_toggle_1m] = pico_toggle,
        [SCENE_toggle_1m_order] = pico_toggle,
        [SCENE_get_random] = pico_get_random,
        [SCENE_get_typed] = pico_get_random,
        [SCENE_get_list] = pico_get_random,
        [SCENE_has_random] = pico_has_random,
        [SCENE_has_checked] = pico_has_random,
        [SCENE_iterate_1] = pico_iterate_1,
        [SCENE_move_16] = pico_move,
        [SCENE_move_10k] = pico_move,
        [SCENE_move_1m] = pico_move,
        [SCENE_move_second] = pico_move,
        [SCENE_move_random_1] = pico_move,
        [SCENE_move_random_50] = pico_move,
        [SCENE_move_toggled] = pico_move,
        [SCENE_types_26] = pico_types_26,
        [SCENE_mixed_10] = pico_mixed_10,
        [SCENE_systems_7] = pico_systems_7,
        [SCENE_churn] = pico_churn,
        [SCENE_tree] = pico_tree_row,
        [SCENE_instance] = pico_instances,
        [SCENE_random_ops] = pico_random_ops,
        [SCENE_hooks] = pico_toggle,
        [SCENE_queued] = pico_queued,
        [SCENE_empty_world] = pico_empty_world,
    };
    return rows[row];
}

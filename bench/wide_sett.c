/* wide_sett.c: the scenes of wide.h for Sett. */
#include "scene_sett.h"
#include "wide.h"

#include "sett/hierarchy.h"
#include "sett/json.h"
#include "sett/members.h"
#include "sett/name.h"
#include "sett/observer.h"
#include "sett/ordered.h"
#include "sett/prefab.h"
#include "sett/relationship.h"
#include "sett/search.h"

#include <stdio.h>
#include <string.h>

static sett_storage_kind wide_storage(const scene_run* run)
{
    return run->tuned ? SETT_STORAGE_SPARSE_SET : SETT_STORAGE_DEFAULT;
}

static void wide_fill_nothing(void* scene)
{
    (void)scene;
}

/* ------------------------------------------------------------------------------- seven systems */

typedef struct wide_bodies {
    sett_world* world;
    sett_component p, v, d, h, g, s, player;
    sett_entity* entities;
    int32_t* picture;
    uint32_t count;
    bool mixed;
} wide_bodies;

static void wide_fill(void* scene)
{
    wide_bodies* b = scene;
    for (uint32_t k = 0; k < b->count; k++) {
        sett_entity e = b->entities[k];
        *(Position*)sett_ensure(b->world, e, b->p) = wide_position(k);
        *(Velocity*)sett_ensure(b->world, e, b->v) = scene_velocity(k);
        if (wide_thinks(k, b->mixed)) {
            *(Thoughts*)sett_ensure(b->world, e, b->d) = wide_thoughts(k);
        }
        if (wide_lives(k, b->mixed)) {
            *(Player*)sett_ensure(b->world, e, b->player) = wide_player(k);
            *(Health*)sett_ensure(b->world, e, b->h) = scene_health(k);
            ((Sprite*)sett_ensure(b->world, e, b->s))->character = ' ';
        }
        if (wide_fights(k, b->mixed)) {
            *(Damage*)sett_ensure(b->world, e, b->g) = scene_damage(k);
        }
    }
    memset(b->picture, 0, WIDE_WIDTH * WIDE_HEIGHT * sizeof(int32_t));
}

static wide_bodies wide_begin(scene_run* run, bool mixed)
{
    wide_bodies b = {.world = scene_world(run, true), .count = run->count, .mixed = mixed};
    b.p = SCENE_TYPE(b.world, Position, SETT_STORAGE_DEFAULT);
    b.v = SCENE_TYPE(b.world, Velocity, SETT_STORAGE_DEFAULT);
    b.d = SCENE_TYPE(b.world, Thoughts, SETT_STORAGE_DEFAULT);
    b.player = SCENE_TYPE(b.world, Player, SETT_STORAGE_DEFAULT);
    b.h = SCENE_TYPE(b.world, Health, SETT_STORAGE_DEFAULT);
    b.g = SCENE_TYPE(b.world, Damage, SETT_STORAGE_DEFAULT);
    b.s = SCENE_TYPE(b.world, Sprite, SETT_STORAGE_DEFAULT);
    b.entities = scene_entities(b.world, run->count);
    b.picture = scene_alloc(WIDE_WIDTH * WIDE_HEIGHT, sizeof(int32_t));
    wide_fill(&b);
    return b;
}

static void wide_end(wide_bodies* b, scene_run* run)
{
    for (uint32_t k = 0; k < run->count; k++) {
        sett_entity e = b->entities[k];
        run->checksum += wide_body_sum(k, sett_get(b->world, e, b->p), sett_find(b->world, e, b->d),
                                       sett_find(b->world, e, b->h), sett_find(b->world, e, b->s));
    }
    run->checksum += wide_picture_sum(b->picture);
    scene_free(b->picture);
    scene_free(b->entities);
    sett_world_destroy(b->world);
}

static void seven_move(sett_context* c)
{
    SETT_SYSTEM_EACH(c, b) {
        Position* p = sett_batch_field(b, 0);
        const Velocity* v = sett_batch_field(b, 1);
        SETT_EACH(b, i) {
            scene_move(&p[i], &v[i]);
        }
    }
}

static void seven_think(sett_context* c)
{
    SETT_SYSTEM_EACH(c, b) {
        Thoughts* d = sett_batch_field(b, 0);
        SETT_EACH(b, i) {
            wide_think(&d[i]);
        }
    }
}

static void seven_turn(sett_context* c)
{
    SETT_SYSTEM_EACH(c, b) {
        const Position* p = sett_batch_field(b, 0);
        Velocity* v = sett_batch_field(b, 1);
        Thoughts* d = sett_batch_field(b, 2);
        SETT_EACH(b, i) {
            wide_turn(&p[i], &v[i], &d[i]);
        }
    }
}

static void seven_heal(sett_context* c)
{
    SETT_SYSTEM_EACH(c, b) {
        Health* h = sett_batch_field(b, 0);
        SETT_EACH(b, i) {
            scene_heal(&h[i]);
        }
    }
}

static void seven_hurt(sett_context* c)
{
    SETT_SYSTEM_EACH(c, b) {
        Health* h = sett_batch_field(b, 0);
        const Damage* g = sett_batch_field(b, 1);
        SETT_EACH(b, i) {
            scene_hurt(&h[i], &g[i]);
        }
    }
}

static void seven_choose(sett_context* c)
{
    SETT_SYSTEM_EACH(c, b) {
        Sprite* s = sett_batch_field(b, 0);
        const Player* player = sett_batch_field(b, 1);
        const Health* h = sett_batch_field(b, 2);
        SETT_EACH(b, i) {
            wide_choose(&s[i], &player[i], &h[i]);
        }
    }
}

static void seven_draw(sett_context* c)
{
    int32_t* picture = c->user;
    SETT_SYSTEM_EACH(c, b) {
        const Position* p = sett_batch_field(b, 0);
        const Sprite* s = sett_batch_field(b, 1);
        SETT_EACH(b, i) {
            wide_draw(&p[i], &s[i], picture);
        }
    }
}

/* The first term is written, and the second and third where `writes` has their bits. */
static void wide_system(sett_world* world, const char* name, void (*run)(sett_context* c),
                        void* user, const sett_component* types, uint32_t writes)
{
    sett_system_desc desc = {.name = name, .run = run, .user = user, .single_job = user != NULL};
    for (uint32_t k = 0; k < 3 && types[k] != 0; k++) {
        desc.terms[k].component = types[k];
        desc.terms[k].access = writes >> k & 1 ? SETT_INOUT : SETT_IN;
    }
    scene_check(sett_system_create(world, &desc) != NULL, "sett_system_create");
}

static void wide_seven(scene_run* run)
{
    bool mixed = run->variant >= WIDE_seven_mixed;
    wide_bodies b = wide_begin(run, mixed);
    wide_system(b.world, "move", seven_move, NULL, (sett_component[]){b.p, b.v, 0}, 1);
    wide_system(b.world, "think", seven_think, NULL, (sett_component[]){b.d, 0}, 1);
    wide_system(b.world, "turn", seven_turn, NULL, (sett_component[]){b.p, b.v, b.d}, 6);
    wide_system(b.world, "heal", seven_heal, NULL, (sett_component[]){b.h, 0}, 1);
    wide_system(b.world, "hurt", seven_hurt, NULL, (sett_component[]){b.h, b.g, 0}, 1);
    wide_system(b.world, "choose", seven_choose, NULL, (sett_component[]){b.s, b.player, b.h}, 1);
    wide_system(b.world, "draw", seven_draw, b.picture, (sett_component[]){b.p, b.s, 0}, 0);
    uint32_t rounds = scene_rounds(run->count, 1000000);
    rounds = rounds < 20 ? 20 : rounds;
    scene_loop loop = scene_loop_begin(run, b.world, rounds, wide_fill, &b);
    while (scene_loop_next(&loop)) {
        (void)sett_progress(b.world, SCENE_DT);
    }
    run->operations = (uint64_t)rounds * run->count;
    wide_end(&b, run);
}

static void wide_three(scene_run* run)
{
    wide_bodies b = wide_begin(run, true);
    sett_query* query = scene_query(b.world, (sett_term[]){{.component = b.p},
                                                           {.component = b.v, .access = SETT_IN},
                                                           {.component = b.d, .access = SETT_IN},
                                                           {0}});
    uint32_t rounds = scene_rounds(run->count, 4000000);
    scene_loop loop = scene_loop_begin(run, b.world, rounds, wide_fill, &b);
    while (scene_loop_next(&loop)) {
        SETT_QUERY_EACH(query, batch) {
            Position* p = sett_batch_field(batch, 0);
            const Velocity* v = sett_batch_field(batch, 1);
            const Thoughts* d = sett_batch_field(batch, 2);
            SETT_EACH(batch, i) {
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
    sett_component absent = SCENE_TYPE(b.world, Rare, SETT_STORAGE_DEFAULT);
    (void)sett_add(b.world, b.entities[run->count - 1], absent);
    for (uint32_t round = 0; scene_goes_on(run, round, rounds); round++) {
        for (uint32_t k = 0; k < run->count; k++) {
            found += sett_find(b.world, b.entities[k], absent) != NULL;
        }
    }
    run->operations = (uint64_t)rounds * run->count;
    run->checksum = found;
    scene_free(b.picture);
    scene_free(b.entities);
    sett_world_destroy(b.world);
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
        sett_world* world = scene_world(run, true);
        sett_component types[2] = {SCENE_TYPE(world, Position, SETT_STORAGE_DEFAULT),
                                   SCENE_TYPE(world, Velocity, SETT_STORAGE_DEFAULT)};
        const void* values[2] = {p, v};
        scene_start(run);
        (void)sett_entity_create_many(world, run->count, types, 2, values, NULL);
        scene_stop(run);
        run->checksum += sett_entity_count(world);
        sett_world_destroy(world);
    }
    run->operations = (uint64_t)rounds * run->count;
    scene_free(p);
    scene_free(v);
}

/* ----------------------------------------------------------------------------------- rare types */

static void wide_rare(scene_run* run)
{
    sett_world* world = scene_world(run, true);
    sett_component p = SCENE_TYPE(world, Position, SETT_STORAGE_DEFAULT);
    sett_component rare = SCENE_TYPE(world, Rare, wide_storage(run));
    sett_entity* e = scene_entities(world, run->count);
    for (uint32_t k = 0; k < run->count; k++) {
        *(Position*)sett_add(world, e[k], p) = scene_position(k);
    }
    for (uint32_t k = 0; k < WIDE_RARE; k++) {
        ((Rare*)sett_add(world, e[wide_place(k, run->count)], rare))->x = 1;
    }
    if (run->variant == WIDE_rare_loop_10k || run->variant == WIDE_rare_loop_1m) {
        sett_query* query = scene_query(
            world, (sett_term[]){{.component = p}, {.component = rare, .access = SETT_IN}, {0}});
        scene_loop loop = scene_loop_begin(run, world, 1000, wide_fill_nothing, NULL);
        while (scene_loop_next(&loop)) {
            SETT_QUERY_EACH(query, b) {
                Position* at = sett_batch_field(b, 0);
                const Rare* r = sett_batch_field(b, 1);
                SETT_EACH(b, i) {
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
            sett_entity at = e[scene_random(&state) % run->count];
            if (!sett_has(world, at, rare)) {
                ((Rare*)sett_add(world, at, rare))->x = 2;
                (void)sett_remove(world, at, rare);
                run->checksum++;
            }
            if (run->finds == SCENE_FINDS_AUTO && k % 8192 == 0) {
                (void)sett_layout_step(world, UINT32_MAX);
            }
        }
        scene_stop(run);
        run->operations = rounds;
    }
    scene_free(e);
    sett_world_destroy(world);
}

/* ------------------------------------------------------------------------------- thousand types */

static void wide_types(scene_run* run)
{
    sett_world* world = scene_world(run, true);
    sett_component type[WIDE_TYPES];
    sett_entity* e = scene_alloc(run->count, sizeof(sett_entity));
    for (uint32_t k = 0; k < WIDE_TYPES; k++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "T%u", (unsigned)k);
        type[k] = scene_type(world, name, sizeof(Pair), 4, wide_storage(run));
    }
    if (run->variant == WIDE_types_create) {
        scene_start(run);
    }
    for (uint32_t k = 0; k < run->count; k++) {
        e[k] = sett_entity_create(world);
        for (uint32_t i = 0; i < WIDE_EACH; i++) {
            *(Pair*)sett_add(world, e[k], type[wide_type(k % WIDE_KINDS, i)]) = scene_pair(k, i);
        }
    }
    if (run->variant == WIDE_types_create) {
        scene_stop(run);
    }
    run->operations = run->count;
    if (run->variant == WIDE_types_one || run->variant == WIDE_types_two) {
        static sett_query* query[WIDE_KINDS];
        for (uint32_t k = 0; k < WIDE_KINDS; k++) {
            sett_term terms[3] = {{.component = type[wide_type(k, 0)]}};
            if (run->variant == WIDE_types_two) {
                terms[1] = (sett_term){.component = type[wide_type(k, 1)], .access = SETT_IN};
            }
            query[k] = scene_query(world, terms);
        }
        float sum = 0;
        scene_loop loop = scene_loop_begin(run, world, 40, wide_fill_nothing, NULL);
        while (scene_loop_next(&loop)) {
            for (uint32_t k = 0; k < WIDE_KINDS; k++) {
                SETT_QUERY_EACH(query[k], b) {
                    Pair* pair = sett_batch_field(b, 0);
                    SETT_EACH(b, i) {
                        pair[i].x += 1;
                    }
                }
            }
        }
        run->operations = 40 * WIDE_KINDS;
        run->checksum = (uint64_t)sum + run->count;
    } else if (run->variant == WIDE_types_destroy) {
        scene_start(run);
        for (uint32_t k = 0; k < run->count; k++) {
            (void)sett_entity_destroy(world, e[k]);
        }
        scene_stop(run);
        run->checksum = sett_entity_count(world);
    }
    scene_free(e);
    sett_world_destroy(world);
}

static void wide_twenty(scene_run* run)
{
    sett_world* world = scene_world(run, true);
    sett_entity* e = scene_entities(world, run->count);
    sett_query_desc desc = {0};
    for (uint32_t k = 0; k < WIDE_TERMS; k++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "T%u", (unsigned)k);
        desc.terms[k].component = scene_type(world, name, 4, 4, SETT_STORAGE_DEFAULT);
        desc.terms[k].access = k == 0 ? SETT_INOUT : SETT_IN;
    }
    for (uint32_t n = 0; n < run->count; n++) {
        for (uint32_t k = 0; k < WIDE_TERMS; k++) {
            *(float*)sett_add(world, e[n], desc.terms[k].component) = (float)((n + k) % 8);
        }
    }
    sett_query* query = sett_query_create(world, &desc);
    scene_loop loop = scene_loop_begin(run, world, 20, wide_fill_nothing, NULL);
    while (scene_loop_next(&loop)) {
        SETT_QUERY_EACH(query, b) {
            float* f[WIDE_TERMS];
            for (uint32_t k = 0; k < WIDE_TERMS; k++) {
                f[k] = sett_batch_field(b, k);
            }
            SETT_EACH(b, i) {
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
        run->checksum +=
            scene_sum(n, *(const float*)sett_get(world, e[n], desc.terms[0].component));
    }
    scene_free(e);
    sett_world_destroy(world);
}

/* -------------------------------------------------------------------------------- parents first */

typedef struct Spot {
    float x, y;
    float local_x, local_y;
} Spot;

static void wide_cascade(scene_run* run)
{
    sett_world* world = scene_world(run, true);
    sett_component spot = SCENE_TYPE(world, Spot, SETT_STORAGE_DEFAULT);
    sett_entity* e = scene_entities(world, run->count);
    for (uint32_t k = 0; k < run->count; k++) {
        uint32_t number = wide_place(k, run->count);
        *(Spot*)sett_add(world, e[number], spot) = (Spot){0, 0, (float)(k % 3), 1};
    }
    for (uint32_t k = 0; k < run->count; k++) {
        uint32_t parent = wide_parent(run->variant, k);
        if (parent != UINT32_MAX) {
            (void)sett_hierarchy_attach(world, e[wide_place(k, run->count)],
                                        e[wide_place(parent, run->count)]);
        }
    }
    sett_query* query = scene_query(world, (sett_term[]){{.component = spot}, {0}});
    sett_ordered* ordered =
        sett_ordered_create(world, &(sett_ordered_desc){.query = query, .cascade = true});
    uint32_t turn = 0;
    for (uint32_t round = 0; scene_goes_on(run, round, 50); round++) {
        if (run->variant == WIDE_deep_moved) {
            sett_entity a = e[wide_place(wide_moved(0), run->count)];
            sett_entity b = e[wide_place(wide_moved(1), run->count)];
            sett_entity above = sett_hierarchy_parent(world, a);
            (void)sett_hierarchy_attach(world, a, sett_hierarchy_parent(world, b));
            (void)sett_hierarchy_attach(world, b, above);
            turn++;
        }
        uint32_t count;
        const sett_ordered_row* row = sett_ordered_rows(ordered, spot, SETT_INOUT, &count);
        for (uint32_t k = 0; k < count; k++) {
            Spot* at = row[k].value;
            const Spot* above = row[k].parent;
            at->x = at->local_x + (above != NULL ? above->x : 0);
            at->y = at->local_y + (above != NULL ? above->y : 0);
        }
    }
    run->operations = 50 * (uint64_t)run->count;
    for (uint32_t k = 0; k < run->count; k++) {
        const Spot* at = sett_get(world, e[k], spot);
        run->checksum += scene_sum(k, at->x) + scene_sum(k, at->y);
    }
    scene_free(e);
    sett_world_destroy(world);
}

/* -------------------------------------------------------------------------------------- systems */

static void busy_run(sett_context* c)
{
    SETT_SYSTEM_EACH(c, b) {
        Pair* pair = sett_batch_field(b, 0);
        SETT_EACH(b, i) {
            pair[i].x += 1;
        }
    }
}

static void wide_systems(scene_run* run)
{
    sett_world* world = scene_world(run, true);
    sett_component type[100];
    for (uint32_t k = 0; k < 100; k++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "T%u", (unsigned)k);
        type[k] = scene_type(world, name, sizeof(Pair), 4, SETT_STORAGE_DEFAULT);
        for (uint32_t n = 0; run->variant == WIDE_busy && n < WIDE_FEW; n++) {
            (void)sett_add(world, sett_entity_create(world), type[k]);
        }
    }
    for (uint32_t k = 0; k < run->count; k++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "S%u", (unsigned)k);
        wide_system(world, name, busy_run, NULL, (sett_component[]){type[k % 100], 0}, 1);
    }
    for (uint32_t round = 0; scene_goes_on(run, round, 100); round++) {
        (void)sett_progress(world, SCENE_DT);
    }
    run->operations = 100 * (uint64_t)run->count;
    run->checksum = run->count;
    sett_world_destroy(world);
}

static void wide_first(scene_run* run)
{
    sett_world* world = scene_world(run, true);
    sett_component types[2] = {SCENE_TYPE(world, Position, SETT_STORAGE_DEFAULT),
                               SCENE_TYPE(world, Velocity, SETT_STORAGE_DEFAULT)};
    (void)sett_entity_create_many(world, run->count, types, 2, NULL, NULL);
    scene_start(run);
    sett_query* query = scene_query(
        world,
        (sett_term[]){{.component = types[0]}, {.component = types[1], .access = SETT_IN}, {0}});
    SETT_QUERY_EACH(query, b) {
        Position* p = sett_batch_field(b, 0);
        const Velocity* v = sett_batch_field(b, 1);
        SETT_EACH(b, i) {
            scene_move(&p[i], &v[i]);
        }
    }
    scene_stop(run);
    run->operations = run->count;
    run->checksum = run->count;
    sett_world_destroy(world);
}

/* ------------------------------------------------------------------------------------ observers */

static void count_call(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)world;
    (void)entity;
    (void)value;
    ++*(uint64_t*)user;
}

static void wide_observers(scene_run* run)
{
    sett_world* world = scene_world(run, true);
    bool same = run->variant == WIDE_observed;
    uint64_t called = 0;
    sett_component p = SCENE_TYPE(world, Position, SETT_STORAGE_DEFAULT);
    sett_component v = SCENE_TYPE(world, Velocity, SETT_STORAGE_DEFAULT);
    for (uint32_t k = 0; k < (same ? 100u : 1000u); k++) {
        sett_component type = v;
        if (!same) {
            char name[16];
            (void)snprintf(name, sizeof(name), "T%u", (unsigned)k);
            type = scene_type(world, name, sizeof(Pair), 4, SETT_STORAGE_DEFAULT);
        }
        scene_check(sett_observer_create(world, &(sett_observer_desc){.component = type,
                                                                      .on_add = count_call,
                                                                      .user = &called}) != NULL,
                    "sett_observer_create");
    }
    sett_entity* e = scene_entities(world, run->count);
    for (uint32_t k = 0; k < run->count; k++) {
        (void)sett_add(world, e[k], p);
    }
    uint32_t rounds = same ? 20 : 200;
    for (uint32_t round = 0; scene_goes_on(run, round, rounds); round++) {
        for (uint32_t k = 0; k < run->count; k++) {
            (void)sett_add(world, e[k], v);
            (void)sett_remove(world, e[k], v);
        }
    }
    run->operations = (uint64_t)rounds * run->count;
    run->checksum = called;
    scene_free(e);
    sett_world_destroy(world);
}

/* ---------------------------------------------------------------------------------------- links */

static void wide_links(scene_run* run)
{
    sett_world* world = scene_world(run, true);
    bool turns = run->variant == WIDE_link_turn;
    sett_component likes = sett_relationship_register(
        world, &(sett_relationship_desc){.name = "Likes", .many = !turns});
    sett_component p = SCENE_TYPE(world, Position, SETT_STORAGE_DEFAULT);
    sett_entity* e = scene_entities(world, run->count);
    for (uint32_t k = 0; k < run->count; k++) {
        (void)sett_add(world, e[k], p);
    }
    uint64_t sum = 0;
    uint32_t rounds = 50;
    if (run->variant == WIDE_link_query) {
        for (uint32_t k = 0; k < run->count; k++) {
            (void)sett_relate(world, e[k], likes, e[k % 1000]);
        }
        sett_search* search = sett_search_create(world, "Likes($e, $target)");
        scene_check(search != NULL, "sett_search_create");
        for (uint32_t round = 0; scene_goes_on(run, round, rounds); round++) {
            SETT_SEARCH(search, rows, i)
            {
                sum += sett_rows_entity(rows, 1, i).index;
            }
        }
        sum = sum != 0;
    } else {
        for (uint32_t round = 0; scene_goes_on(run, round, rounds); round++) {
            for (uint32_t k = 0; k < run->count; k++) {
                sett_entity target = e[(k + round) % 100];
                (void)sett_relate(world, e[k], likes, target);
                if (!turns) {
                    (void)sett_unrelate(world, e[k], likes, target);
                }
            }
        }
    }
    run->operations = (uint64_t)rounds * run->count;
    run->checksum = sum + run->count;
    scene_free(e);
    sett_world_destroy(world);
}

/* -------------------------------------------------------------------------------------- prefabs */

static sett_entity prefab_node(sett_world* world, sett_entity parent, const sett_component* type)
{
    sett_entity e = sett_entity_create(world);
    for (uint32_t k = 0; k < 3; k++) {
        *(Pair*)sett_add(world, e, type[k]) = scene_pair(k, k);
    }
    if (!sett_is_null(parent)) {
        (void)sett_hierarchy_attach(world, e, parent);
    }
    return e;
}

static void wide_prefabs(scene_run* run)
{
    sett_world* world = scene_world(run, true);
    sett_component type[3] = {scene_type(world, "A", sizeof(Pair), 4, SETT_STORAGE_DEFAULT),
                              scene_type(world, "B", sizeof(Pair), 4, SETT_STORAGE_DEFAULT),
                              scene_type(world, "C", sizeof(Pair), 4, SETT_STORAGE_DEFAULT)};
    sett_entity root = prefab_node(world, sett_null(), type);
    for (uint32_t i = 0; i < SCENE_PREFAB_CHILDREN; i++) {
        sett_entity child = prefab_node(world, root, type);
        for (uint32_t j = 0; j < SCENE_PREFAB_LEAVES; j++) {
            (void)prefab_node(world, child, type);
        }
    }
    (void)sett_prefab_make(world, root);
    sett_entity* made = scene_alloc(run->count, sizeof(sett_entity));
    bool ends = run->variant == WIDE_prefab_ended;
    if (!ends) {
        scene_start(run);
    }
    for (uint32_t k = 0; k < run->count; k++) {
        (void)sett_instantiate(world, root, 1, &made[k]);
    }
    if (ends) {
        scene_start(run);
        for (uint32_t k = 0; k < run->count; k++) {
            (void)sett_entity_destroy(world, made[k]);
        }
    }
    scene_stop(run);
    run->operations = run->count;
    run->checksum = sett_component_count(world, type[0]);
    scene_free(made);
    sett_world_destroy(world);
}

/* ---------------------------------------------------------------------------------------- names */

static void wide_names(scene_run* run)
{
    sett_world* world = scene_world(run, true);
    uint32_t count = run->count;
    sett_entity top[10], middle[100];
    char text[64];
    for (uint32_t k = 0; k < 10; k++) {
        top[k] = sett_entity_create(world);
        (void)snprintf(text, sizeof(text), "map%u", (unsigned)k);
        (void)sett_name_set(world, top[k], text);
    }
    for (uint32_t k = 0; k < 100; k++) {
        middle[k] = sett_entity_create(world);
        (void)sett_hierarchy_attach(world, middle[k], top[k % 10]);
        (void)snprintf(text, sizeof(text), "room%u", (unsigned)k);
        (void)sett_name_set(world, middle[k], text);
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
        sett_entity e = sett_entity_create(world);
        (void)sett_hierarchy_attach(world, e, middle[k % 100]);
        (void)sett_name_set(world, e, name[k]);
    }
    if (run->variant == WIDE_names) {
        scene_stop(run);
        run->operations = count;
        run->checksum = count;
    } else {
        for (uint32_t round = 0; scene_goes_on(run, round, 20); round++) {
            for (uint32_t k = 0; k < count; k++) {
                run->checksum += !sett_is_null(sett_name_lookup(world, sett_null(), path[k]));
            }
        }
        run->operations = 20 * (uint64_t)count;
    }
    scene_free(name);
    scene_free(path);
    sett_world_destroy(world);
}

/* ----------------------------------------------------------------------------------------- JSON */

typedef struct Vitals {
    uint32_t points, most;
} Vitals;

typedef struct Place {
    float x, y;
} Place;

static bool json_take(void* user, const char* text, size_t size)
{
    (void)text;
    *(size_t*)user += size;
    return true;
}

static void wide_json(scene_run* run)
{
    sett_world* world = scene_world(run, true);
    sett_component vitals = SETT_REGISTER(world, Vitals);
    sett_component place = SETT_REGISTER(world, Place);
    (void)sett_members_set(world, vitals, SETT_STRUCT(Vitals, points, most));
    (void)sett_members_set(world, place, SETT_STRUCT(Place, x, y));
    for (uint32_t k = 0; k < run->count; k++) {
        sett_entity e = sett_entity_create(world);
        *(Place*)sett_add(world, e, place) = (Place){(float)k * 0.25f, (float)k / 7};
        *(Vitals*)sett_add(world, e, vitals) = (Vitals){k % 100, 100};
    }
    size_t size = 0;
    for (uint32_t round = 0; scene_goes_on(run, round, 5); round++) {
        size = 0;
        (void)sett_json_write(world, NULL, json_take, &size);
    }
    run->operations = 5 * (uint64_t)run->count;
    run->checksum = run->count;
    run->peak = size;
    sett_world_destroy(world);
}

/* --------------------------------------------------------------------------------------- worlds */

static void wide_bytes(scene_run* run)
{
    sett_world* world = scene_world(run, true);
    sett_component types[4];
    for (uint32_t k = 0; k < 4; k++) {
        char name[2] = {(char)('A' + k), 0};
        types[k] = scene_type(world, name, 12, 4, SETT_STORAGE_DEFAULT);
    }
    for (uint32_t k = 0; k < run->count; k++) {
        sett_entity e = sett_entity_create(world);
        for (uint32_t i = 0; i < 4; i++) {
            *(float*)sett_add(world, e, types[i]) = 1;
        }
    }
    run->checksum = sett_entity_count(world);
    run->operations = run->count;
    sett_world_destroy(world);
}

static void wide_worlds(scene_run* run)
{
    static sett_world* worlds[100];
    scene_start(run);
    for (uint32_t k = 0; k < run->count; k++) {
        worlds[k] = scene_world(run, false);
        sett_component p = SCENE_TYPE(worlds[k], Position, SETT_STORAGE_DEFAULT);
        for (uint32_t i = 0; i < 10; i++) {
            *(Position*)sett_add(worlds[k], sett_entity_create(worlds[k]), p) = scene_position(i);
        }
        run->checksum += sett_entity_count(worlds[k]);
    }
    for (uint32_t k = 0; k < run->count; k++) {
        sett_world_destroy(worlds[k]);
    }
    scene_stop(run);
    run->operations = run->count;
}

scene_fn wide_sett(wide_row row)
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
        return wide_seven;
    case WIDE_three_mixed:
    case WIDE_three_mixed_16k:
    case WIDE_three_mixed_262k:
    case WIDE_three_mixed_1m:
        return wide_three;
    case WIDE_absent:
        return wide_absent;
    case WIDE_bulk:
    case WIDE_bulk_16k:
    case WIDE_bulk_262k:
    case WIDE_bulk_1m:
        return wide_bulk;
    case WIDE_rare_pair_10k:
    case WIDE_rare_pair_1m:
    case WIDE_rare_loop_10k:
    case WIDE_rare_loop_1m:
        return wide_rare;
    case WIDE_types_create:
    case WIDE_types_one:
    case WIDE_types_two:
    case WIDE_types_destroy:
        return wide_types;
    case WIDE_twenty:
        return wide_twenty;
    case WIDE_deep:
    case WIDE_deep_moved:
    case WIDE_broad:
    case WIDE_levels:
        return wide_cascade;
    case WIDE_busy:
    case WIDE_idle:
        return wide_systems;
    case WIDE_first_frame:
        return wide_first;
    case WIDE_observed:
    case WIDE_unobserved:
        return wide_observers;
    case WIDE_link_pair:
    case WIDE_link_turn:
    case WIDE_link_query:
        return wide_links;
    case WIDE_prefab_trees:
    case WIDE_prefab_ended:
        return wide_prefabs;
    case WIDE_names:
    case WIDE_paths:
        return wide_names;
    case WIDE_json:
        return wide_json;
    case WIDE_bytes:
        return wide_bytes;
    case WIDE_worlds:
        return wide_worlds;
    case WIDE_ROWS:
        break;
    }
    return NULL;
}

scene_fn wide_sett_auto(wide_row row)
{
    bool loops = row <= WIDE_three_mixed_1m || (row >= WIDE_rare_pair_10k && row <= WIDE_twenty);
    return loops ? wide_sett(row) : NULL;
}

scene_fn wide_sett_tuned(wide_row row)
{
    return row >= WIDE_rare_pair_10k && row <= WIDE_types_destroy ? wide_sett(row) : NULL;
}

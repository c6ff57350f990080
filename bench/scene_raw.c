/* scene_raw.c: the floor. Parallel arrays, written for the one workload that they are measured
 * with: no handles to check, nothing that could be added, removed or found. What matches a query
 * lies together, because code that knew only this query would have put it there. */
#include "scene.h"

#include <stdlib.h>
#include <string.h>

/* Memory that has never been touched: its first page faults count for the raw arrays as well. */
static void* raw_fresh(size_t count, size_t size)
{
    void* memory = malloc(count * size);
    scene_check(memory != NULL, "memory");
    return memory;
}

static void raw_create_2(scene_run* run)
{
    scene_start(run);
    uint64_t* ids = raw_fresh(run->count, sizeof(uint64_t));
    Position* p = raw_fresh(run->count, sizeof(Position));
    Velocity* v = raw_fresh(run->count, sizeof(Velocity));
    for (uint32_t k = 0; k < run->count; k++) {
        ids[k] = k;
        p[k] = scene_position(k);
        v[k] = scene_velocity(k);
    }
    scene_stop(run);
    run->operations = run->count;
    for (uint32_t k = 0; k < run->count; k++) {
        run->checksum += scene_sum(ids[k], p[k].x) + scene_sum(ids[k], v[k].y);
    }
    free(ids);
    free(p);
    free(v);
}

static void raw_create_4(scene_run* run)
{
    scene_start(run);
    uint64_t* ids = raw_fresh(run->count, sizeof(uint64_t));
    Position* p = raw_fresh(run->count, sizeof(Position));
    Velocity* v = raw_fresh(run->count, sizeof(Velocity));
    Pair* c = raw_fresh(run->count, sizeof(Pair));
    Pair* d = raw_fresh(run->count, sizeof(Pair));
    for (uint32_t k = 0; k < run->count; k++) {
        ids[k] = k;
        p[k] = scene_position(k);
        v[k] = scene_velocity(k);
        c[k].x = c[k].y = 1;
        d[k].x = d[k].y = 2;
    }
    scene_stop(run);
    run->operations = run->count;
    for (uint32_t k = 0; k < run->count; k++) {
        run->checksum += scene_sum(ids[k], p[k].x + c[k].x) + scene_sum(ids[k], v[k].y + d[k].y);
    }
    free(ids);
    free(p);
    free(v);
    free(c);
    free(d);
}

static void raw_get(scene_run* run)
{
    uint32_t* order = scene_shuffled(run->count, SCENE_SEED);
    Position* p = scene_alloc(run->count, sizeof(Position));
    Velocity* v = scene_alloc(run->count, sizeof(Velocity));
    for (uint32_t k = 0; k < run->count; k++) {
        p[k] = scene_position(k);
        v[k] = scene_velocity(k);
    }
    uint32_t rounds = scene_rounds(run->count, 2000000);
    int64_t sum = 0;
    scene_start(run);
    for (uint32_t round = 0; round < rounds; round++) {
        for (uint32_t k = 0; k < run->count; k++) {
            sum += (int64_t)(p[order[k]].x + v[order[k]].y);
        }
    }
    scene_stop(run);
    run->operations = (uint64_t)rounds * run->count;
    run->checksum = (uint64_t)sum;
    scene_free(order);
    scene_free(p);
    scene_free(v);
}

static void raw_iterate(scene_run* run)
{
    Position* p = scene_alloc(run->count, sizeof(Position));
    for (uint32_t k = 0; k < run->count; k++) {
        p[k] = scene_position(k);
    }
    uint32_t rounds = scene_rounds(run->count, 10000000);
    for (uint32_t round = 0; scene_goes_on(run, round, rounds); round++) {
        for (uint32_t k = 0; k < run->count; k++) {
            p[k].x += 1;
            p[k].y += 1;
        }
    }
    run->operations = (uint64_t)rounds * run->count;
    for (uint32_t k = 0; k < run->count; k++) {
        run->checksum += scene_sum(k, p[k].x) + scene_sum(k, p[k].y);
    }
    scene_free(p);
}

/* A function of its own, so that no round can be merged with the next. */
#if defined(__GNUC__)
__attribute__((noinline))
#endif
static void
raw_move_once(Position* restrict p, const Velocity* restrict v, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        p[k].x += v[k].x * SCENE_DT;
        p[k].y += v[k].y * SCENE_DT;
    }
}

static void raw_move(scene_run* run)
{
    uint32_t count;
    uint32_t* movers = scene_movers(run, &count);
    Position* p = scene_alloc(count, sizeof(Position));
    Velocity* v = scene_alloc(count, sizeof(Velocity));
    for (uint32_t k = 0; k < count; k++) {
        p[k] = scene_position(movers[k]);
        v[k] = scene_velocity(movers[k]);
    }
    uint32_t rounds = scene_rounds(run->count, 10000000);
    for (uint32_t round = 0; scene_goes_on(run, round, rounds); round++) {
        raw_move_once(p, v, count);
    }
    run->operations = (uint64_t)rounds * count;
    for (uint32_t k = 0; k < count; k++) {
        run->checksum += scene_sum(movers[k], p[k].x) + scene_sum(movers[k], p[k].y);
    }
    scene_free(movers);
    scene_free(p);
    scene_free(v);
}

static void raw_types(scene_run* run)
{
    uint32_t count = 26 * run->count;
    Single* s = scene_alloc(count, sizeof(Single));
    for (uint32_t k = 0; k < count; k++) {
        s[k].value = (float)(k % 1024);
    }
    uint32_t rounds = scene_rounds(count, 10000000);
    for (uint32_t round = 0; scene_goes_on(run, round, rounds); round++) {
        for (uint32_t k = 0; k < count; k++) {
            s[k].value += 1;
        }
    }
    run->operations = (uint64_t)rounds * count;
    for (uint32_t k = 0; k < count; k++) {
        run->checksum += scene_sum(k, s[k].value);
    }
    scene_free(s);
}

static void raw_mixed(scene_run* run)
{
    Pair* a = scene_alloc(run->count, sizeof(Pair));
    Pair* b = scene_alloc(run->count, sizeof(Pair));
    Pair* c = scene_alloc(run->count, sizeof(Pair));
    uint32_t* number = scene_alloc(run->count, sizeof(uint32_t));
    uint32_t count = 0;
    for (uint32_t k = 0; k < run->count; k++) {
        if ((scene_mixed(k) & SCENE_MIXED_QUERY) == SCENE_MIXED_QUERY) {
            number[count] = k;
            a[count] = scene_pair(k, 0);
            b[count] = scene_pair(k, 4);
            c[count] = scene_pair(k, 8);
            count++;
        }
    }
    uint32_t rounds = SCENE_MIXED_ROUNDS;
    for (uint32_t round = 0; scene_goes_on(run, round, rounds); round++) {
        for (uint32_t k = 0; k < count; k++) {
            a[k].x += b[k].x;
            a[k].y += c[k].y;
        }
    }
    run->operations = (uint64_t)rounds * count;
    for (uint32_t k = 0; k < count; k++) {
        run->checksum += scene_sum(number[k], a[k].x) + scene_sum(number[k], a[k].y);
    }
    scene_free(a);
    scene_free(b);
    scene_free(c);
    scene_free(number);
}

static void raw_systems(scene_run* run)
{
    uint32_t count = run->count;
    Position* p = scene_alloc(count, sizeof(Position));
    Velocity* v = scene_alloc(count, sizeof(Velocity));
    Data* d = scene_alloc(count, sizeof(Data));
    Health* h = scene_alloc(count, sizeof(Health));
    Damage* g = scene_alloc(count, sizeof(Damage));
    Sprite* s = scene_alloc(count, sizeof(Sprite));
    int32_t* frame = scene_frame_create();
    for (uint32_t k = 0; k < count; k++) {
        p[k] = scene_body_position(k);
        v[k] = scene_velocity(k);
        d[k] = scene_data(k);
        h[k] = scene_health(k);
        g[k] = scene_damage(k);
        s[k].character = ' ';
    }
    for (uint32_t round = 0; scene_goes_on(run, round, SCENE_SYSTEM_ROUNDS); round++) {
        for (uint32_t k = 0; k < count; k++) {
            scene_move(&p[k], &v[k]);
        }
        for (uint32_t k = 0; k < count; k++) {
            scene_age(&d[k]);
        }
        for (uint32_t k = 0; k < count; k++) {
            scene_turn(&p[k], &v[k], &d[k]);
        }
        for (uint32_t k = 0; k < count; k += 2) {
            scene_heal(&h[k]);
        }
        for (uint32_t k = 0; k < count; k += 4) {
            scene_hurt(&h[k], &g[k]);
        }
        for (uint32_t k = 0; k < count; k += 6) {
            scene_choose(&s[k], &h[k]);
        }
        for (uint32_t k = 0; k < count; k += 3) {
            scene_draw(&p[k], &s[k], frame);
        }
    }
    run->operations = (uint64_t)SCENE_SYSTEM_ROUNDS * count;
    for (uint32_t k = 0; k < count; k++) {
        run->checksum += scene_body_sum(k, &p[k], &d[k], scene_has_health(k) ? &h[k] : NULL,
                                        scene_has_sprite(k) ? &s[k] : NULL);
    }
    run->checksum += scene_frame_sum(frame);
    scene_free(p);
    scene_free(v);
    scene_free(d);
    scene_free(h);
    scene_free(g);
    scene_free(s);
    scene_free(frame);
}

scene_fn scene_raw(scene_row row)
{
    static const scene_fn rows[SCENE_ROWS] = {
        [SCENE_create_2] = raw_create_2,   [SCENE_create_2_bulk] = raw_create_2,
        [SCENE_create_4] = raw_create_4,   [SCENE_get_random] = raw_get,
        [SCENE_get_typed] = raw_get,       [SCENE_get_list] = raw_get,
        [SCENE_iterate_1] = raw_iterate,   [SCENE_move_16] = raw_move,
        [SCENE_move_10k] = raw_move,       [SCENE_move_1m] = raw_move,
        [SCENE_move_second] = raw_move,    [SCENE_move_random_1] = raw_move,
        [SCENE_move_random_50] = raw_move, [SCENE_types_26] = raw_types,
        [SCENE_mixed_10] = raw_mixed,      [SCENE_systems_7] = raw_systems,
    };
    return rows[row];
}

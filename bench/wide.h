/* wide.h: what is measured beside the table of scene.h: scenes of a public benchmark, written anew,
 * and programs with many types, systems, observers, links and levels. Beside flecs and EnTT where
 * they are installed. A scene does the same work in each; its checksum tells.
 *
 * Public benchmark: https://github.com/abeimler/ecs_benchmark. Its seven systems, of bodies that
 * have all seven components (or, mixed, every second or third); loops over some of them; values
 * that an entity does not have. Sizes are its own; a million is 1,000,000, since its 2^20 is more
 * than EnTT has numbers for. */
#ifndef BENCH_WIDE_H
#define BENCH_WIDE_H

#include "scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(name, title, entities, scene): run->variant is the row, for scenes of several. */
#define WIDE_ROW_LIST(X)                                                                           \
    X(seven, "seven systems, all have all: 1k", 1000, seven)                                       \
    X(seven_16k, "seven systems, all have all: 16k", 16384, seven)                                 \
    X(seven_262k, "seven systems, all have all: 262k", 262144, seven)                              \
    X(seven_1m, "seven systems, all have all: 1M", 1000000, seven)                                 \
    X(seven_mixed, "seven systems, mixed entities: 1k", 1000, seven)                               \
    X(seven_mixed_16k, "seven systems, mixed entities: 16k", 16384, seven)                         \
    X(seven_mixed_262k, "seven systems, mixed entities: 262k", 262144, seven)                      \
    X(seven_mixed_1m, "seven systems, mixed entities: 1M", 1000000, seven)                         \
    X(three_mixed, "loop over 3, mixed entities (match): 1k", 1000, three)                         \
    X(three_mixed_16k, "loop over 3, mixed entities (match): 16k", 16384, three)                   \
    X(three_mixed_262k, "loop over 3, mixed entities (match): 262k", 262144, three)                \
    X(three_mixed_1m, "loop over 3, mixed entities (match): 1M", 1000000, three)                   \
    X(absent, "find a component that is absent, 16k", 16384, absent)                               \
    X(bulk, "create 2 in bulk in a fresh world: 1k", 1000, bulk)                                   \
    X(bulk_16k, "create 2 in bulk in a fresh world: 16k", 16384, bulk)                             \
    X(bulk_262k, "create 2 in bulk in a fresh world: 262k", 262144, bulk)                          \
    X(bulk_1m, "create 2 in bulk in a fresh world: 1M", 1000000, bulk)                             \
    X(rare_pair_10k, "a rare type, add + remove at random: 10k", 10000, rare)                      \
    X(rare_pair_1m, "a rare type, add + remove at random: 1M", 1000000, rare)                      \
    X(rare_loop_10k, "loop over the 64 that have a rare type (pass): of 10k", 10000, rare)         \
    X(rare_loop_1m, "loop over the 64 that have a rare type (pass): of 1M", 1000000, rare)         \
    X(types_create, "1,000 types, 8 an entity, 100 kinds: create", 20000, types)                   \
    X(types_one, "1,000 types: a query of one (query)", 20000, types)                              \
    X(types_two, "1,000 types: a query of two (query)", 20000, types)                              \
    X(types_bytes, "1,000 types: memory (bytes a value of 8)", 20000, types)                       \
    X(types_destroy, "1,000 types: destroy", 20000, types)                                         \
    X(twenty, "query of 20 terms", 100000, twenty)                                                 \
    X(deep, "parents first: chains of 1,000", 10000, cascade)                                      \
    X(deep_moved, "chains of 1,000, two subtrees exchanged a frame", 10000, cascade)               \
    X(broad, "parents first: 1,000 children each", 10000, cascade)                                 \
    X(levels, "parents first: trees of 4 levels", 11110, cascade)                                  \
    X(busy, "1,000 systems of 16 entities (system)", 1000, systems)                                \
    X(idle, "1,000 systems that match nothing (system)", 1000, systems)                            \
    X(first_frame, "first loop of a query, P += V dt", 1000000, first)                             \
    X(observed, "100 observers of one type (pair)", 1000, observers)                               \
    X(unobserved, "1,000 observers of other types (pair)", 1000, observers)                        \
    X(link_pair, "a link made and removed (pair)", 10000, links)                                   \
    X(link_turn, "a link turned to another target", 10000, links)                                  \
    X(link_query, "targets by a query (result)", 10000, links)                                     \
    X(prefab_trees, "instance of a tree of 10, one at a time (tree)", 5000, prefabs)               \
    X(prefab_ended, "instance of a tree of 10, destroyed (tree)", 5000, prefabs)                   \
    X(names, "names: creation", 10000, names)                                                      \
    X(paths, "names: look-up of a path of 3", 10000, names)                                        \
    X(json, "JSON written (entity)", 10000, json)                                                  \
    X(bytes, "memory: 4 components of 48 bytes (bytes)", 1000000, bytes)                           \
    X(worlds, "100 worlds made and ended (world)", 100, worlds)

typedef enum wide_row {
#define WIDE_ROW_ENUM(name, title, entities, scene) WIDE_##name,
    WIDE_ROW_LIST(WIDE_ROW_ENUM)
#undef WIDE_ROW_ENUM
    WIDE_ROWS
} wide_row;

/* The function of a row, NULL where there is none; run->variant is the row. */
scene_fn wide_sett(wide_row row);
scene_fn wide_sett_auto(wide_row row);  /* rows that loop */
scene_fn wide_sett_tuned(wide_row row); /* rows that a storage suits better than the default */
scene_fn wide_flecs(wide_row row);
scene_fn wide_entt(wide_row row);

/* ------------------------------------------------------------------------------- seven systems */

typedef struct Thoughts { /* what the benchmark calls data */
    double sum;
    uint64_t state; /* of random numbers */
    uint64_t drawn;
    int32_t thing;
    int32_t turns;
    uint32_t limit;
    bool flag;
} Thoughts;

typedef struct Player {
    uint64_t state;
    int32_t kind; /* 0 player, 1 monster, 2 hero */
} Player;

#define WIDE_WIDTH 320
#define WIDE_HEIGHT 240

static inline Position wide_position(uint32_t number)
{
    Position position = {(float)(number % 256), (float)(number / 8 % 200)};
    return position;
}

static inline Thoughts wide_thoughts(uint32_t number)
{
    Thoughts data = {0, number + 1u, 0, (int32_t)(number % 10), 0, 1000, false};
    return data;
}

static inline Player wide_player(uint32_t number)
{
    Player player = {number + 7u, (int32_t)(number % 3)};
    return player;
}

static inline bool wide_thinks(uint32_t number, bool mixed)
{
    return !mixed || number % 2 == 0;
}
static inline bool wide_lives(uint32_t number, bool mixed)
{
    return !mixed || number % 3 == 0; /* and is a player, and is drawn */
}
static inline bool wide_fights(uint32_t number, bool mixed)
{
    return !mixed || number % 4 == 0;
}

static inline void wide_think(Thoughts* d)
{
    d->thing = (d->thing + 1) % 1000000;
    d->sum += 0.25;
    d->flag = !d->flag;
    d->drawn = scene_random(&d->state) >> 32;
}

static inline void wide_turn(const Position* p, Velocity* v, Thoughts* d)
{
    if (d->thing % 10 == 0) {
        uint64_t draw = scene_random(&d->state);
        if (p->x > p->y) {
            v->x = (float)(int32_t)(draw >> 40 & 15) - 8;
            v->y = (float)(int32_t)(draw >> 50 & 3) - 1;
        } else {
            v->x = (float)(int32_t)(draw >> 50 & 3) - 1;
            v->y = (float)(int32_t)(draw >> 40 & 15) - 8;
        }
        d->turns++;
    }
}

static inline void wide_choose(Sprite* s, const Player* player, const Health* h)
{
    if (h->status == 2) {
        s->character = '|';
    } else if (h->status == 1) {
        s->character = '_';
    } else {
        s->character = player->kind == 1 ? 'k' : player->kind == 2 ? '+' : '@';
    }
}

static inline void wide_draw(const Position* p, const Sprite* s, int32_t* picture)
{
    int32_t x = (int32_t)p->x;
    int32_t y = (int32_t)p->y;
    if (x >= 0 && x < WIDE_WIDTH && y >= 0 && y < WIDE_HEIGHT) {
        picture[y * WIDE_WIDTH + x] += s->character;
    }
}

static inline uint64_t wide_body_sum(uint32_t number, const Position* p, const Thoughts* d,
                                     const Health* h, const Sprite* s)
{
    uint64_t sum = scene_sum(number, p->x) + 3 * scene_sum(number, p->y);
    sum += d != NULL ? (uint64_t)d->turns * (number + 1) + d->drawn : 0;
    sum += h != NULL ? (uint64_t)h->points * (number + 5) : 0;
    return sum + (s != NULL ? (uint64_t)s->character * (number + 9) : 0);
}

static inline uint64_t wide_picture_sum(const int32_t* picture)
{
    uint64_t sum = 0;
    for (uint64_t k = 0; k < WIDE_WIDTH * WIDE_HEIGHT; k++) {
        sum += (k + 1) * (uint64_t)picture[k];
    }
    return sum;
}

/* ----------------------------------------------------------------------------------- the others */

typedef struct Rare {
    float x, y, z;
} Rare;

typedef struct Spot {
    float x, y;
    float local_x, local_y;
} Spot;

typedef struct Place {
    float x, y;
} Place;

typedef struct Vitals {
    uint32_t points, most;
} Vitals;

#define WIDE_TYPES 1000u
#define WIDE_KINDS 100u
#define WIDE_EACH 8u
#define WIDE_TERMS 20u
#define WIDE_RARE 64u
#define WIDE_FEW 16u /* entities of a system */

/* The k-th type of an entity of a kind: eight that no other kind has, but for the last. */
static inline uint32_t wide_type(uint32_t kind, uint32_t k)
{
    return k == WIDE_EACH - 1 ? WIDE_KINDS * (WIDE_EACH - 1) + kind / 2
                              : kind * (WIDE_EACH - 1) + k;
}

/* The parent of entity `number`, in the order in which parents come first; UINT32_MAX: none. */
static inline uint32_t wide_parent(wide_row row, uint32_t number)
{
    if (row == WIDE_deep || row == WIDE_deep_moved) {
        return number % 1000 == 0 ? UINT32_MAX : number - 1;
    }
    if (row == WIDE_broad) {
        return number < 10 ? UINT32_MAX : number % 10;
    }
    return number < 10 ? UINT32_MAX : (number - 10) / 10;
}

/* Where an entity of that number lies: not in the order of the tree. */
static inline uint32_t wide_place(uint32_t number, uint32_t count)
{
    return (uint32_t)((uint64_t)number * 7919u % count);
}

/* The subtrees that change places in deep_moved: ten levels above the end of two chains. */
static inline uint32_t wide_moved(uint32_t which)
{
    return which == 0 ? 1990 : 3990;
}

#ifdef __cplusplus
}
#endif

#endif

/* scene.h: what is measured. A scene is one workload at one size, written once for each
 * implementation: raw arrays, Sett, and the peers that are installed. Tests may run the scenes as
 * well, at sizes that take no time: a scene's checksum is the same in each implementation.
 *
 *     row       one workload: one line of the table
 *     column    one implementation
 *     run       one execution of one row by one column: what is inside scene_start .. scene_stop
 *               counts, what is outside sets the scene up and clears it away
 *
 * All numbers in the scenes are small multiples of 1/64, so that float arithmetic is exact and the
 * checksums do not depend on the order or the contraction of operations.
 */
#ifndef BENCH_SCENE_H
#define BENCH_SCENE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* X(name, title, entities, goal untuned, goal tuned): goals in ns an operation, 0 for none; they
 * belong to the machine that docs/bench describes, and are for this project's own use. */
#define SCENE_ROW_LIST(X)                                                                          \
    X(create_none, "create, no component", 1000000, 6, 2)                                          \
    X(create_2, "create with 2 components", 1000000, 20, 17)                                       \
    X(create_2_bulk, "create with 2 components, in bulk", 1000000, 8, 6)                           \
    X(create_4, "create with 4 components", 500000, 34, 30)                                        \
    X(destroy_order, "destroy with 2, in order", 1000000, 10, 8)                                   \
    X(destroy_random, "destroy with 2, in random order", 1000000, 30, 25)                          \
    X(toggle_10k, "add + remove one (pair), 10k", 10000, 9, 6)                                     \
    X(toggle_1m_order, "add + remove one (pair), 1M in order", 1000000, 9, 8)                      \
    X(toggle_1m, "add + remove one (pair), 1M random", 1000000, 23, 18)                            \
    X(get_random, "get 2 by id, random order (tuned: accessors)", 1000000, 35, 36)                 \
    X(get_typed, "get 2 by type, random order", 1000000, 36, 36)                                   \
    X(get_list, "find 2 of a list, random order", 1000000, 20, 20)                                 \
    X(has_random, "has, random order", 1000000, 4, 2.6)                                            \
    X(has_checked, "has, checked (EnTT: valid and all_of)", 1000000, 4, 2.6)                       \
    X(iterate_1, "iterate 1 component", 1000000, 0.45, 0.43)                                       \
    X(move_16, "P += V dt, 16", 16, 1.2, 0.9)                                                      \
    X(move_10k, "P += V dt, 10k", 10000, 0.25, 0.23)                                               \
    X(move_1m, "P += V dt, 1M", 1000000, 0.60, 0.58)                                               \
    X(move_second, "every second has V (match)", 1000000, 1.2, 0.58)                               \
    X(move_random_1, "random 1 % has V (match)", 1000000, 2.1, 0.26)                               \
    X(move_random_50, "random 50 % has V (match)", 1000000, 1.4, 0.58)                             \
    X(move_toggled, "1 % has V, another 1 % toggled (match)", 1000000, 0, 0)                       \
    X(types_26, "26 types x 4,000, the common one", 4000, 0.10, 0.08)                              \
    X(mixed_10, "10 components at p = 1/2, query 3 (match)", 200000, 2.5, 0.5)                     \
    X(systems_7, "7 systems, mixed entities", 65536, 8, 6.5)                                       \
    X(churn, "churn: 2,000 x 4, write, delete", 2000, 42, 30)                                      \
    X(tree, "tree 10 x 10 x 20, build, delete", 10, 45, 35)                                        \
    X(instance, "instance of a prefab of 5 (pico, EnTT: by hand)", 100000, 60, 12)                 \
    X(instance_tree, "instances of a tree of 10", 10000, 40, 15)                                   \
    X(random_ops, "random create get add remove destroy", 200000, 40, 35)                          \
    X(hooks, "add + remove, one observer on each (pair)", 10000, 13, 10)                           \
    X(sort, "sort by a 64-bit key, 100k", 100000, 45, 32)                                          \
    X(sort_again, "sort again after 1 % changed, 100k", 100000, 25, 15)                            \
    X(queued, "queue an add each while looping, apply", 100000, 25, 16)                            \
    X(empty_world, "create and destroy an empty world", 1000, 1000, 500)

typedef enum scene_row {
#define SCENE_ROW_ENUM(name, title, entities, untuned, tuned) SCENE_##name,
    SCENE_ROW_LIST(SCENE_ROW_ENUM)
#undef SCENE_ROW_ENUM
    SCENE_ROWS
} scene_row;

/* A frame of a world that looks for its layout. */
typedef struct scene_frame {
    double loops;   /* seconds of the row's loops */
    double step;    /* seconds of sett_layout_step */
    uint64_t moved; /* values */
} scene_frame;

/* How Sett finds a layout before the clock starts. */
typedef enum scene_finding {
    SCENE_FINDS_NONE,    /* not at all: the default, or `layout` */
    SCENE_FINDS_AUTO,    /* by auto_layout, which goes on inside the clock */
    SCENE_FINDS_ADVISED, /* by profiling, and applying what sett_advise proposes */
} scene_finding;

/* Bytes of a layout's text, and frames that are noted, of a run. */
#define SCENE_LAYOUT_SIZE 512
#define SCENE_FRAMES 1024

typedef struct scene_run {
    scene_row row;  /* of scenes that are rows: functions of several tell them apart by it */
    uint32_t count; /* entities, as the row counts them */
    bool tuned;     /* storage, bulk calls and huge pages as suit the workload */
    /* Of rows that loop, in Sett. */
    scene_finding finds;
    uint32_t moves;       /* auto_layout: the most values of a frame; 0: any number */
    const char* layout;   /* the text that is applied at start, or NULL */
    scene_frame* frame;   /* SCENE_FRAMES of them to be filled in while it looks, or NULL */
    uint32_t frames;      /* out: that it looked */
    uint32_t last_change; /* out: the frame of the last change, counted from 1; 0: none */
    char* found;          /* out: the layout at the end, of SCENE_LAYOUT_SIZE bytes; or NULL */
    uint64_t operations;  /* done inside the clock */
    uint64_t checksum;    /* of the results: all columns of a row must agree */
    double seconds;       /* inside the clock */
    double started;       /* the clock's own */

    uint32_t variant;   /* of cases that have several (scene_case.h) */
    bool counted;       /* Sett's worlds count what they ask for, below; costs time */
    size_t bytes;       /* alive now */
    size_t peak;        /* alive at most */
    size_t allocations; /* calls for new memory */
} scene_run;

typedef void (*scene_fn)(scene_run* run);

/* The implementations: the function of a row, NULL where a column has none. */
scene_fn scene_raw(scene_row row);
scene_fn scene_sett(scene_row row);
scene_fn scene_sett_auto(scene_row row); /* the rows that loop, for worlds that find a layout */
/* Where the peers are installed. */
scene_fn scene_pico(scene_row row);
scene_fn scene_entt(scene_row row);
scene_fn scene_entt_group(scene_row row);
scene_fn scene_flecs(scene_row row);

/* -------------------------------------------------------------------------------------- helpers */

double scene_clock(void); /* seconds */
void scene_start(scene_run* run);
void scene_stop(scene_run* run);

/* Compares doubles, for qsort. */
int scene_compare(const void* a, const void* b);

/* Memory of a scene itself: never fails, every page of it has been touched, and the meter (meter.h)
 * does not count it. */
void* scene_alloc(size_t count, size_t size);
void scene_free(void* memory);

/* Ends the program with a message if `held` is false: a scene that failed measures nothing. */
void scene_check(bool held, const char* what);

/* xorshift64*, seeded by the caller: state != 0. */
static inline uint64_t scene_random(uint64_t* state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1du;
}

#define SCENE_SEED 0x5e77u

/* Returns 0 .. count-1 in random order, to be freed. */
uint32_t* scene_shuffled(uint32_t count, uint64_t seed);

/* Brings `count` items of `size` bytes into the order of scene_shuffled. */
void scene_shuffle(void* items, uint32_t count, size_t size);

/* How often a scene over `count` things repeats itself, to fill a few milliseconds, or a part of
 * that: one in scene_divisor, which is 1 but in tests. */
extern uint32_t scene_divisor;
uint32_t scene_rounds(uint32_t count, uint32_t operations);

/* Whether another round comes. The first warms up, `rounds` are inside the clock:
 *
 *     for (uint32_t round = 0; scene_goes_on(run, round, rounds); round++) { ... }
 */
static inline bool scene_goes_on(scene_run* run, uint32_t round, uint32_t rounds)
{
    if (round == 1) {
        scene_start(run);
    }
    if (round > rounds) {
        scene_stop(run);
    }
    return round <= rounds;
}

/* Which entities of a run have the velocity. Returns their numbers, to be freed, in the order in
 * which they are to get it. */
uint32_t* scene_movers(const scene_run* run, uint32_t* mover_count);

/* What changes between the loops of move_toggled: `count` entities lose their velocity, as many
 * others get one. Rounds 0 to 7 go on, 8 to 15 go back: after 16 all is as it was. In other rows
 * nothing changes. */
typedef struct scene_swap {
    const uint32_t* out;
    const uint32_t* in;
    uint32_t count;
} scene_swap;

typedef struct scene_swaps {
    uint32_t*
        list; /* entities: half of the movers, the other half, and eight times as many others */
    uint32_t half;
} scene_swaps;

scene_swaps scene_swaps_create(const scene_run* run, const uint32_t* movers, uint32_t mover_count);
scene_swap scene_swaps_at(const scene_swaps* swaps, uint32_t round);

/* Accumulates one value of the entity with this number into a checksum, in any order. */
static inline uint64_t scene_sum(uint64_t number, float value)
{
    return (2 * number + 1) * (uint64_t)(int64_t)(value * 64);
}

/* A system `name` that calls a function for each entity with its values of types A, B and C. What
 * LIB_SYSTEM, LIB_FIELD and LIB_ROWS are each library says for itself. */
#define SCENE_SYSTEM_1(name, function, A)                                                          \
    static void name(lib_context* c)                                                               \
    {                                                                                              \
        LIB_SYSTEM(c, b)                                                                           \
        {                                                                                          \
            A* first = LIB_FIELD(b, A, 0);                                                         \
            LIB_ROWS(b, i)                                                                         \
            {                                                                                      \
                function(&first[i]);                                                               \
            }                                                                                      \
        }                                                                                          \
    }
#define SCENE_SYSTEM_2(name, function, A, B)                                                       \
    static void name(lib_context* c)                                                               \
    {                                                                                              \
        LIB_SYSTEM(c, b)                                                                           \
        {                                                                                          \
            A* first = LIB_FIELD(b, A, 0);                                                         \
            B* second = LIB_FIELD(b, B, 1);                                                        \
            LIB_ROWS(b, i)                                                                         \
            {                                                                                      \
                function(&first[i], &second[i]);                                                   \
            }                                                                                      \
        }                                                                                          \
    }
#define SCENE_SYSTEM_3(name, function, A, B, C)                                                    \
    static void name(lib_context* c)                                                               \
    {                                                                                              \
        LIB_SYSTEM(c, b)                                                                           \
        {                                                                                          \
            A* first = LIB_FIELD(b, A, 0);                                                         \
            B* second = LIB_FIELD(b, B, 1);                                                        \
            C* third = LIB_FIELD(b, C, 2);                                                         \
            LIB_ROWS(b, i)                                                                         \
            {                                                                                      \
                function(&first[i], &second[i], &third[i]);                                        \
            }                                                                                      \
        }                                                                                          \
    }

/* ----------------------------------------------------------------------------------- components */

#define SCENE_DT (1.0f / 64)

typedef struct Position {
    float x, y;
} Position;

typedef struct Velocity {
    float x, y;
} Velocity;

/* Two more like these, and what rows with many types are filled with. */
typedef struct Pair {
    float x, y;
} Pair;

typedef struct Single {
    float value;
} Single;

static inline Position scene_position(uint32_t number)
{
    Position position = {(float)(number % 1024), (float)(number / 8 % 1024)};
    return position;
}

static inline Velocity scene_velocity(uint32_t number)
{
    Velocity velocity = {(float)(number % 7) - 3, (float)(number % 5) - 2};
    return velocity;
}

/* What the prefab of instance_tree has: a root, so many children, and as many below each. */
#define SCENE_PREFAB_CHILDREN 3u
#define SCENE_PREFAB_LEAVES 2u
#define SCENE_PREFAB_ENTITIES (1 + SCENE_PREFAB_CHILDREN * (1 + SCENE_PREFAB_LEAVES))

/* What mixed_10 has: which of its components an entity gets. */
static inline uint32_t scene_mixed(uint32_t number)
{
    uint64_t state = number + SCENE_SEED;
    (void)scene_random(&state);
    return (uint32_t)(scene_random(&state) >> 40) & 1023;
}

/* The query of mixed_10: components 0, 4 and 8. */
#define SCENE_MIXED_QUERY (1u << 0 | 1u << 4 | 1u << 8)
#define SCENE_MIXED_ROUNDS 40

static inline Pair scene_pair(uint32_t number, uint32_t component)
{
    Pair pair = {(float)(number % 16 + component), (float)(number % 8 + 1)};
    return pair;
}

/* Those of the churn and of the tree: 24, 16, 16 and 16 bytes. */
typedef struct Ca {
    float f[6];
} Ca;
typedef struct Cb {
    float f;
    float g[3];
} Cb;
typedef struct Cc {
    float f[4];
} Cc;
typedef struct Cd {
    int32_t i;
    float f;
    float g[2];
} Cd;

static inline void scene_write_a(Ca* a, float v)
{
    for (int k = 0; k < 6; k++) {
        a->f[k] = v;
    }
}
static inline void scene_write_b(Cb* b, float v)
{
    b->f = b->g[0] = b->g[1] = b->g[2] = v;
}
static inline void scene_write_c(Cc* c, float v)
{
    c->f[0] = c->f[1] = c->f[2] = c->f[3] = v;
}
static inline void scene_write_d(Cd* d, float v)
{
    d->i = (int32_t)v;
    d->f = d->g[0] = d->g[1] = v;
}

#define SCENE_CHURN_ROUNDS 300
#define SCENE_TREE_ROUNDS 500
#define SCENE_TREE_CHILDREN 10
#define SCENE_TREE_LEAVES 20
#define SCENE_TREE_ENTITIES(roots) ((roots) * (1 + SCENE_TREE_CHILDREN * (1 + SCENE_TREE_LEAVES)))

/* What is sorted. */
typedef struct Key {
    uint64_t key;
} Key;

#define SCENE_SORT_ROUNDS 5

/* The key of an entity before a sort; `round` 0 is the first. In sort_again one key in a hundred
 * changes between two sorts, in sort all do. */
static inline uint64_t scene_key(scene_row row, uint32_t number, uint32_t round)
{
    uint64_t state = (uint64_t)number * 2654435761u + SCENE_SEED;
    if (row == SCENE_sort || (round != 0 && (number * 7 + round) % 100 == 0)) {
        state += (uint64_t)round << 40;
    }
    (void)scene_random(&state);
    return scene_random(&state);
}

/* -------------------------------------------------------------------------------- seven systems
 * All entities have position, velocity and data; every second has health, every fourth damage,
 * every third a sprite. The systems: move; age; turn; heal; hurt; choose; draw. */

typedef struct Data {
    int32_t thing;
    float sum;
    int32_t number;
} Data;

typedef struct Health {
    int32_t points, most, status; /* status 0 alive, 1 hurt, 2 dead */
} Health;

typedef struct Damage {
    int32_t attack, defence;
} Damage;

typedef struct Sprite {
    int32_t character;
} Sprite;

#define SCENE_FRAME_SIZE 64
#define SCENE_SYSTEM_ROUNDS 20

static inline void scene_move(Position* p, const Velocity* v)
{
    p->x += v->x * SCENE_DT;
    p->y += v->y * SCENE_DT;
}

static inline void scene_age(Data* d)
{
    d->thing = (d->thing + 1) & 15;
    d->sum += 0.25f;
    d->number += d->thing;
}

static inline void scene_turn(const Position* p, Velocity* v, Data* d)
{
    if ((d->thing & 7) == 0) {
        bool back = p->x > 512;
        v->x = back ? -1.0f : 1.0f;
        v->y = p->y > 512 ? -1.0f : 1.0f;
        d->number++;
    }
}

static inline void scene_heal(Health* h)
{
    if (h->points <= 0 && h->status != 2) {
        h->points = 0;
        h->status = 2;
    } else if (h->status == 2) {
        h->points = h->most;
        h->status = 0;
    } else if (h->points < h->most) {
        h->points++;
        h->status = 1;
    }
}

static inline void scene_hurt(Health* h, const Damage* d)
{
    int32_t total = d->attack - d->defence;
    if (h->status != 2 && total > 0) {
        h->points -= total;
    }
}

static inline void scene_choose(Sprite* s, const Health* h)
{
    s->character = h->status == 0 ? '@' : h->status == 1 ? '*' : '_';
}

static inline void scene_draw(const Position* p, const Sprite* s, int32_t* frame)
{
    uint32_t x = (uint32_t)p->x % SCENE_FRAME_SIZE;
    uint32_t y = (uint32_t)p->y % SCENE_FRAME_SIZE;
    frame[y * SCENE_FRAME_SIZE + x] += s->character; /* a sum: no order of drawing */
}

static inline Position scene_body_position(uint32_t number)
{
    /* far enough from the edge that it stays positive */
    Position position = {(float)(number % 512 + 256), (float)(number / 8 % 512 + 256)};
    return position;
}

static inline Data scene_data(uint32_t number)
{
    Data data = {(int32_t)(number % 16), 0, (int32_t)(number % 100)};
    return data;
}

static inline Health scene_health(uint32_t number)
{
    Health health = {(int32_t)(number % 50 + 1), 50, 0};
    return health;
}

static inline Damage scene_damage(uint32_t number)
{
    Damage damage = {(int32_t)(number % 9), (int32_t)(number % 4)};
    return damage;
}

static inline bool scene_has_health(uint32_t number)
{
    return number % 2 == 0;
}
static inline bool scene_has_damage(uint32_t number)
{
    return number % 4 == 0;
}
static inline bool scene_has_sprite(uint32_t number)
{
    return number % 3 == 0;
}

/* The result of a row: every entity's state, and the frame. NULL for what it does not have. */
uint64_t scene_body_sum(uint32_t number, const Position* p, const Data* d, const Health* h,
                        const Sprite* s);
int32_t* scene_frame_create(void);
uint64_t scene_frame_sum(const int32_t* frame);

#ifdef __cplusplus
}
#endif

#endif

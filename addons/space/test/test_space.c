/* test_space.c: spaces beside a naive evaluator, which looks at all entities of the world in each
 * search. */
#include "chance.h"
#include "scarce.h"
#include "sett/members.h"
#include "sett/system.h"
#include "sett/threads.h"
#include "sett_space.h"
#include "states.h"

#include <math.h>

typedef struct Spot {
    double x, y;
} Spot;

typedef struct Point {
    float pad, z, x, y;
} Point;

typedef struct Place {
    int32_t x, y;
} Place;

typedef struct Short {
    int16_t x, y, z;
} Short;

typedef struct Byte {
    uint8_t x, y;
    int8_t z;
} Byte;

typedef struct Word {
    uint32_t x;
    uint16_t y;
} Word;

/* clang-format off */
#define KINDS(COMPONENT, TAG)                                                                      \
    COMPONENT(Spot) COMPONENT(Place) COMPONENT(Short) TAG(Sheep) TAG(Ghost)                        \
    COMPONENT(Point, .members = SETT_STRUCT(Point, pad, z, x, y))                                  \
    COMPONENT(Byte, .members = SETT_STRUCT(Byte, x, y, z))                                         \
    COMPONENT(Word, .members = SETT_STRUCT(Word, x, y))
/* clang-format on */
SETT_COMPONENTS(KINDS)

/* A space, and what the naive evaluator has to know of it. */
typedef struct plain {
    sett_world* world;
    sett_space* space;
    sett_space_desc desc;
    sett_space_metric metric;
    uint32_t dimensions;
    sett_query* query;
    uint64_t chance;
    double scale; /* of positions */
} plain;

enum {
    SPOT,
    TORUS,
    POINT,
    POINT_TORUS,
    MANHATTAN,
    PLACE,
    PLACE_TORUS,
    SHORT,
    BYTE,
    WORD,
    SETUPS
};

static void describe(plain* p, uint32_t setup)
{
    sett_space_desc* d = &p->desc;
    bool torus = setup == TORUS || setup == POINT_TORUS || setup == PLACE_TORUS || setup == BYTE;
    *d = (sett_space_desc){.periodic = torus};
    p->metric = setup >= PLACE ? SETT_SPACE_CHEBYSHEV : SETT_SPACE_EUCLIDEAN;
    p->dimensions = 2;
    if (setup <= TORUS || setup == MANHATTAN) {
        d->component = Spot_id;
        d->size[0] = 100;
        d->size[1] = 55;
        d->origin[0] = setup == TORUS ? 0 : -20;
        d->cell = 7;
    } else if (setup <= POINT_TORUS) {
        d->component = Point_id;
        d->dimensions = p->dimensions = 3;
        d->size[0] = 30;
        d->size[1] = d->size[2] = 20;
        d->origin[2] = 8;
        d->cell = 6;
    } else {
        d->kind = SETT_SPACE_GRID;
        d->component = setup <= PLACE_TORUS ? Place_id
                       : setup == SHORT     ? Short_id
                       : setup == BYTE      ? Byte_id
                                            : Word_id;
        d->size[0] = 12;
        d->size[1] = 9;
        d->size[2] = 3;
        d->origin[0] = setup == PLACE_TORUS || setup == SHORT ? -3 : 0;
    }
    if (setup == SHORT || setup == BYTE) {
        d->dimensions = p->dimensions = 3;
        d->metric = p->metric = setup == SHORT ? SETT_SPACE_MANHATTAN : SETT_SPACE_EUCLIDEAN;
        d->number = setup == SHORT ? SETT_SPACE_I16 : SETT_SPACE_NUMBER_DEFAULT;
    }
    if (setup == MANHATTAN) {
        d->metric = p->metric = SETT_SPACE_MANHATTAN;
        d->cell = 1000; /* a single cell */
    }
    p->scale = d->size[0];
}

/* ------------------------------------------------------------------------- the naive evaluator */

static void naive_read(const plain* p, sett_entity entity, double at[3])
{
    const void* value = sett_get(p->world, entity, p->desc.component);
    at[2] = 0;
    if (p->desc.component == Spot_id) {
        const Spot* v = value;
        at[0] = v->x, at[1] = v->y;
    } else if (p->desc.component == Point_id) {
        const Point* v = value;
        at[0] = (double)v->x, at[1] = (double)v->y, at[2] = (double)v->z;
    } else if (p->desc.component == Place_id) {
        const Place* v = value;
        at[0] = v->x, at[1] = v->y;
    } else if (p->desc.component == Short_id) {
        const Short* v = value;
        at[0] = v->x, at[1] = v->y, at[2] = v->z;
    } else if (p->desc.component == Byte_id) {
        const Byte* v = value;
        at[0] = v->x, at[1] = v->y, at[2] = v->z;
    } else {
        const Word* v = value;
        at[0] = v->x, at[1] = v->y;
    }
}

/* Whether an entity is in the space; `at` becomes its image in it. */
static bool naive_is_in(const plain* p, double at[3])
{
    for (uint32_t k = 0; k < p->dimensions; k++) {
        double low = p->desc.origin[k];
        double size = p->desc.size[k];
        bool in = at[k] - low >= 0 && at[k] - low < size;
        if (!isfinite(at[k]) || (p->desc.kind == SETT_SPACE_GRID && !p->desc.periodic && !in)) {
            return false;
        }
        if (p->desc.periodic && !in) {
            double rest = fmod(at[k] - low, size);
            rest = rest < 0 ? rest + size : rest;
            at[k] = low + (rest < size ? rest : 0);
        }
    }
    return true;
}

static bool naive_hit(const plain* p, const double from[3], const double to[3], sett_space_hit* hit,
                      double* distance)
{
    double by[3] = {0, 0, 0};
    for (uint32_t k = 0; k < p->dimensions; k++) {
        double size = p->desc.size[k];
        hit->offset[k] = to[k] - from[k];
        if (p->desc.periodic && hit->offset[k] > size / 2) {
            hit->offset[k] -= size;
        } else if (p->desc.periodic && hit->offset[k] < -size / 2) {
            hit->offset[k] += size;
        }
        by[k] = fabs(hit->offset[k]);
    }
    hit->squared = by[0] * by[0] + by[1] * by[1];
    hit->squared += p->dimensions == 3 ? by[2] * by[2] : 0;
    *distance = p->metric == SETT_SPACE_EUCLIDEAN   ? hit->squared
                : p->metric == SETT_SPACE_CHEBYSHEV ? fmax(fmax(by[0], by[1]), by[2])
                                                    : by[0] + by[1] + by[2];
    return true;
}

enum {
    MOST = 2000
};

/* All entities by index, with their distances. Returns how many; `outside` others match. */
static uint32_t naive_all(const plain* p, const double from[3], sett_space_hit* out,
                          double* distance, uint32_t* outside)
{
    uint32_t count = 0;
    uint32_t cursor = 0;
    *outside = 0;
    for (;;) {
        sett_entity entity = sett_entity_next(p->world, &cursor);
        if (sett_is_null(entity)) {
            return count;
        }
        double at[3];
        if (!sett_has(p->world, entity, p->desc.component) ||
            sett_has(p->world, entity, SETT_ID_DISABLED) ||
            (p->query != NULL &&
             (!sett_has(p->world, entity, Sheep_id) || sett_has(p->world, entity, Ghost_id)))) {
            continue;
        }
        naive_read(p, entity, at);
        if (!naive_is_in(p, at)) {
            ++*outside;
            continue;
        }
        CHECK(count < MOST);
        memset(&out[count], 0, sizeof(out[count]));
        out[count].entity = entity;
        naive_hit(p, from, at, &out[count], &distance[count]);
        count++;
    }
}

/* ---------------------------------------------------------------------------------- comparison */

static void check_hit(const sett_space_hit* got, const sett_space_hit* expected)
{
    CHECK_ENTITY_EQ(got->entity, expected->entity);
    for (uint32_t k = 0; k < 3; k++) {
        CHECK(got->offset[k] == expected->offset[k]);
    }
    CHECK(got->squared == expected->squared);
}

/* The hits of a search are those within the radius, each once, by cell and index. */
static void check_near(const plain* p, const double at[3], double radius, sett_entity without)
{
    static sett_space_hit all[MOST];
    static double distance[MOST];
    static bool found[MOST];
    uint32_t outside;
    double from[3] = {at[0], at[1], at[2]};
    if (p->desc.periodic) {
        naive_is_in(p, from);
    }
    uint32_t count = naive_all(p, from, all, distance, &outside);
    double limit = p->metric == SETT_SPACE_EUCLIDEAN ? radius * radius : radius;
    uint32_t expected = 0;
    for (uint32_t k = 0; k < count; k++) {
        found[k] = false;
        expected += distance[k] <= limit && !sett_equals(all[k].entity, without);
    }
    uint32_t hits = 0;
    uint32_t cell = SETT_SPACE_OUTSIDE;
    sett_entity last = sett_null();
    sett_space_near near;
    if (sett_is_null(without)) {
        (void)sett_space_near_begin_at(p->space, at, radius, &near);
    } else {
        (void)sett_space_near_begin(p->space, without, radius, &near);
    }
    for (const sett_space_hit* hit; (hit = sett_space_near_next(&near)) != NULL; hits++) {
        uint32_t k = 0;
        while (k < count && !sett_equals(all[k].entity, hit->entity)) {
            k++;
        }
        CHECK(k < count && !found[k] && distance[k] <= limit);
        check_hit(hit, &all[k]);
        found[k] = true;
        uint32_t in = sett_space_find(p->space, hit->entity, NULL);
        CHECK(in != cell || last.index < hit->entity.index);
        cell = in;
        last = hit->entity;
    }
    CHECK_EQ(hits, expected);
    CHECK_EQ(sett_is_null(without) ? sett_space_near_count_at(p->space, at, radius)
                                   : sett_space_near_count(p->space, without, radius),
             expected);
}

/* The nearest of all others. */
static void check_nearest(const plain* p, const double at[3], double radius, sett_entity without,
                          uint32_t wanted)
{
    static sett_space_hit all[MOST];
    static double distance[MOST];
    sett_space_hit got[40];
    uint32_t outside;
    double from[3] = {at[0], at[1], at[2]};
    if (p->desc.periodic) {
        naive_is_in(p, from);
    }
    uint32_t count = naive_all(p, from, all, distance, &outside);
    double limit = p->metric == SETT_SPACE_EUCLIDEAN ? radius * radius : radius;
    uint32_t given = sett_space_nearest(p->space, at, radius, without, got, wanted);
    for (uint32_t n = 0;; n++) {
        uint32_t best = count;
        for (uint32_t k = 0; k < count; k++) {
            if (distance[k] <= limit && !sett_equals(all[k].entity, without) &&
                (best == count || distance[k] < distance[best])) {
                best = k;
            }
        }
        if (best == count || n == wanted) {
            CHECK_EQ(given, n);
            return;
        }
        CHECK(n < given);
        check_hit(&got[n], &all[best]);
        distance[best] = (double)INFINITY;
        all[best].entity = without; /* an infinite radius does not find it again */
        if (sett_is_null(without)) {
            distance[best] = (double)NAN;
        }
    }
}

/* Numbers, cells, and another space that was made just now. */
static void check_whole(const plain* p)
{
    static sett_space_hit all[MOST];
    static double distance[MOST];
    double from[3] = {p->desc.origin[0], p->desc.origin[1], p->desc.origin[2]};
    uint32_t outside;
    uint32_t count = naive_all(p, from, all, distance, &outside);
    uint32_t got;
    CHECK_EQ(sett_space_count(p->space, &got), count);
    CHECK_EQ(got, outside);
    uint32_t in = 0;
    for (uint32_t k = 0; k < sett_space_cell_count(p->space); k++) {
        uint32_t here;
        const sett_entity* list = sett_space_cell(p->space, k, &here);
        CHECK((list == NULL) == (here == 0));
        for (uint32_t n = 0; n < here; n++) {
            double at[3] = {0, 0, 0};
            double is[3];
            CHECK(n == 0 || list[n - 1].index < list[n].index);
            CHECK_EQ(sett_space_find(p->space, list[n], at), k);
            CHECK_EQ(sett_space_cell_at(p->space, at), k);
            naive_read(p, list[n], is);
            CHECK(naive_is_in(p, is));
            CHECK(at[0] == is[0] && at[1] == is[1] && at[2] == is[2]);
        }
        in += here;
    }
    CHECK_EQ(in, count);
    if (count % 2 == 0) {
        return; /* the other one's update begins a tick */
    }
    sett_space_desc desc = p->desc;
    desc.query = p->query;
    sett_space* fresh = sett_space_create(p->world, &desc);
    CHECK_EQ(sett_space_update(fresh), SETT_OK);
    sett_space_near a, b;
    (void)sett_space_near_begin_at(fresh, from, p->scale / 3, &a);
    (void)sett_space_near_begin_at(p->space, from, p->scale / 3, &b);
    for (;;) {
        const sett_space_hit* x = sett_space_near_next(&a);
        const sett_space_hit* y = sett_space_near_next(&b);
        CHECK((x == NULL) == (y == NULL));
        if (x == NULL) {
            break;
        }
        check_hit(x, y);
    }
    CHECK_EQ(sett_space_destroy(fresh), SETT_OK);
}

/* ------------------------------------------------------------------------------------ the model */

static double draw_unit(plain* p)
{
    return (double)(chance_draw(&p->chance) >> 11) * 0x1p-53;
}

/* A coordinate: mostly within the space, at times at its edge, beyond it, or no number. */
static double draw_coordinate(plain* p, uint32_t k)
{
    double size = p->desc.size[k < p->dimensions ? k : 0];
    uint32_t how = chance_below(&p->chance, 200);
    double x = how == 0   ? (double)NAN
               : how == 1 ? (double)INFINITY
               : how == 2 ? -1e30
               : how == 3 ? 1e9 * draw_unit(p)
               : how < 12 ? size
               : how < 20 ? 0
               : how < 40 ? size * 3 * (draw_unit(p) - 0.5)
                          : size * draw_unit(p);
    return how < 2 ? x : p->desc.origin[k] + (how % 2 == 0 ? floor(x) : x);
}

static double draw_bounded(plain* p, uint32_t k, double low, double high)
{
    double x = draw_coordinate(p, k);
    return !(x > low) ? low : x > high ? high : floor(x);
}

static void move(plain* p, sett_entity e)
{
    void* value = sett_get_mut(p->world, e, p->desc.component);
    double x[3];
    for (uint32_t k = 0; k < 3; k++) {
        x[k] = draw_coordinate(p, k);
    }
    if (p->desc.component == Spot_id) {
        *(Spot*)value = (Spot){x[0], x[1]};
    } else if (p->desc.component == Point_id) {
        *(Point*)value = (Point){0, (float)x[2], (float)x[0], (float)x[1]};
    } else if (p->desc.component == Place_id) {
        *(Place*)value = (Place){(int32_t)draw_bounded(p, 0, INT32_MIN, INT32_MAX),
                                 (int32_t)draw_bounded(p, 1, INT32_MIN, INT32_MAX)};
    } else if (p->desc.component == Short_id) {
        *(Short*)value = (Short){(int16_t)draw_bounded(p, 0, INT16_MIN, INT16_MAX),
                                 (int16_t)draw_bounded(p, 1, INT16_MIN, INT16_MAX),
                                 (int16_t)draw_bounded(p, 2, INT16_MIN, INT16_MAX)};
    } else if (p->desc.component == Byte_id) {
        *(Byte*)value = (Byte){(uint8_t)draw_bounded(p, 0, 0, UINT8_MAX),
                               (uint8_t)draw_bounded(p, 1, 0, UINT8_MAX),
                               (int8_t)draw_bounded(p, 2, INT8_MIN, INT8_MAX)};
    } else {
        *(Word*)value = (Word){(uint32_t)draw_bounded(p, 0, 0, UINT32_MAX),
                               (uint16_t)draw_bounded(p, 1, 0, UINT16_MAX)};
    }
}

static sett_entity create(plain* p)
{
    sett_entity e = sett_entity_create(p->world);
    if (chance_below(&p->chance, 10) != 0) {
        sett_add(p->world, e, p->desc.component);
        move(p, e);
    }
    if (chance_below(&p->chance, 3) != 0) {
        sett_add(p->world, e, Sheep_id);
    }
    return e;
}

static void toggle(plain* p, sett_entity e, sett_component tag)
{
    if (sett_has(p->world, e, tag)) {
        sett_remove(p->world, e, tag);
    } else {
        sett_add(p->world, e, tag);
    }
}

static void change_one(plain* p, sett_snapshot* kept)
{
    uint32_t how = chance_below(&p->chance, 100);
    sett_entity e = entity_from(p->world, chance_below(&p->chance, 900));
    bool has = !sett_is_null(e) && sett_has(p->world, e, p->desc.component);
    if (how < 25 || sett_is_null(e)) {
        create(p);
    } else if (how < 42) {
        sett_entity_destroy(p->world, e);
    } else if (how < 80 && has) {
        move(p, e);
    } else if (how < 84) {
        toggle(p, e, Sheep_id);
    } else if (how < 86) {
        toggle(p, e, Ghost_id);
    } else if (how < 88) {
        toggle(p, e, SETT_ID_DISABLED);
    } else if (how < 91 && has) {
        sett_remove(p->world, e, p->desc.component);
    } else if (how < 93) {
        (void)sett_snapshot_drop(p->world, *kept);
        CHECK_EQ(sett_snapshot_take(p->world, kept), SETT_OK);
    } else if (how < 94 && kept->serial != 0) {
        CHECK_EQ(sett_snapshot_restore(p->world, *kept), SETT_OK);
    } else if (how == 94 && chance_below(&p->chance, 8) == 0) {
        sett_world_clear(p->world);
    } else if (how == 95 && chance_below(&p->chance, 8) == 0) {
        sett_component_convert(p->world, p->desc.component,
                               chance_below(&p->chance, 2) ? SETT_STORAGE_SPARSE_SET
                                                           : SETT_STORAGE_ARRAY);
    } else if (how == 96) {
        sett_world_advance_tick(p->world);
    }
}

/* Searches around an entity and around some place. */
static void check_searches(plain* p)
{
    double at[3];
    for (uint32_t k = 0; k < 3; k++) {
        at[k] = draw_coordinate(p, k);
        at[k] = isfinite(at[k]) ? at[k] : 0;
    }
    uint32_t how = chance_below(&p->chance, 8);
    double radius = how == 0   ? 0
                    : how == 1 ? (double)INFINITY
                    : how == 2 ? p->scale
                    : how < 5  ? floor(p->scale * draw_unit(p) / 4)
                               : p->scale * draw_unit(p) / 4;
    check_near(p, at, radius, sett_null());
    uint32_t wanted = 1 + chance_below(&p->chance, 39);
    check_nearest(p, at, how < 4 ? (double)INFINITY : radius, sett_null(), wanted);
    sett_entity e = entity_from(p->world, chance_below(&p->chance, 900));
    double from[3] = {0, 0, 0};
    if (!sett_is_null(e) && sett_space_find(p->space, e, from) != SETT_SPACE_OUTSIDE) {
        check_near(p, from, radius, e);
        check_nearest(p, from, radius, e, wanted);
    }
}

static plain begin(uint32_t setup, bool with_query, uint64_t seed)
{
    plain p = {.world = quiet_world(), .chance = seed * 977 + setup};
    SETT_REGISTER_ALL(p.world, KINDS);
    (void)sett_disabled_tag(p.world);
    describe(&p, setup);
    if (with_query) {
        p.query = sett_query_create(
            p.world, &(sett_query_desc){.terms = {{.component = Sheep_id},
                                                  {.component = Ghost_id, .kind = SETT_WITHOUT},
                                                  {.component = p.desc.component}}});
    }
    sett_space_desc desc = p.desc;
    desc.query = p.query;
    p.space = sett_space_create(p.world, &desc);
    CHECK_MSG(p.space != NULL, "%s", sett_world_message(p.world));
    return p;
}

static void searches_find_what_a_look_at_all_finds(void)
{
    uint64_t seed = check_setting("SETT_SEED", 1);
    for (uint32_t setup = 0; setup < SETUPS * 2; setup++) {
        plain p = begin(setup / 2, setup % 2 == 1, seed);
        sett_snapshot kept = {0};
        for (uint32_t round = 0; round < CHECK_ROUNDS(400); round++) {
            for (uint32_t k = chance_below(&p.chance, 60); k > 0; k--) {
                change_one(&p, &kept);
            }
            CHECK_EQ(sett_space_update(p.space), SETT_OK);
            check_whole(&p);
            check_searches(&p);
        }
        CHECK_EQ(sett_space_destroy(p.space), SETT_OK);
        CHECK_END(p.world);
    }
}

/* One entity at a time, without an update. */
static void refreshed_entities_are_where_they_went(void)
{
    for (uint32_t setup = 0; setup < SETUPS * 2; setup++) {
        plain p = begin(setup / 2, setup % 2 == 1, 5);
        for (uint32_t k = 0; k < CHECK_ROUNDS(3000); k++) {
            sett_entity e = entity_from(p.world, chance_below(&p.chance, 300));
            uint32_t how = chance_below(&p.chance, 12);
            if (sett_is_null(e) || how < 3) {
                e = create(&p);
            } else if (how < 5) {
                sett_entity_destroy(p.world, e);
                sett_entity other = how == 3 ? create(&p) : e; /* at its index, or a lower one */
                if (other.index != e.index) {
                    CHECK_EQ(sett_space_refresh(p.space, other), SETT_OK);
                }
            } else if (how < 6) {
                toggle(&p, e, Sheep_id);
            } else if (sett_has(p.world, e, p.desc.component)) {
                move(&p, e);
            }
            CHECK_EQ(how >= 9 ? sett_space_move(p.space, e) : sett_space_refresh(p.space, e),
                     SETT_OK);
            if (k % 8 == 0) {
                check_whole(&p);
                check_searches(&p);
            }
        }
        CHECK_EQ(sett_space_update(p.space), SETT_OK);
        check_whole(&p);
        CHECK_END(p.world);
    }
}

/* Deltas, copies of worlds and loads bring other handles and positions. */
static void spaces_follow_deltas_and_loads(void)
{
    static unsigned char bytes[1 << 20];
    for (uint32_t setup = 0; setup < SETUPS; setup++) {
        plain from = begin(setup, true, 9);
        plain p = begin(setup, true, 10);
        sett_snapshot none = {0, 0};
        for (uint32_t round = 0; round < 20; round++) {
            sett_snapshot a = take(from.world);
            for (uint32_t k = 0; k < 80; k++) {
                change_one(&from, &none);
            }
            sett_snapshot b = take(from.world);
            size_t size = 0;
            if (round % 4 == 1) {
                CHECK_EQ(sett_state_encode(from.world, bytes, sizeof(bytes), &size), SETT_OK);
                CHECK_EQ(sett_state_apply(p.world, bytes, size, 0), SETT_OK);
            } else if (round % 4 == 0) {
                CHECK_EQ(sett_world_clone(from.world, p.world), SETT_OK);
            } else {
                CHECK_EQ(sett_delta_encode(from.world, a, b, bytes, sizeof(bytes), &size), SETT_OK);
                CHECK_EQ(sett_delta_apply(p.world, bytes, size), SETT_OK);
            }
            sett_snapshot_drop_all(from.world);
            none = (sett_snapshot){0, 0};
            CHECK_EQ(sett_space_update(p.space), SETT_OK);
            check_whole(&p);
        }
        CHECK_END(p.world);
        CHECK_END(from.world);
    }
}

static void what_a_space_cannot_be_is_rejected(void)
{
    plain p = begin(SPOT, true, 1);
    sett_query* other =
        sett_query_create(p.world, &(sett_query_desc){.terms = {{.component = Sheep_id}}});
    sett_query* changed = sett_query_create(
        p.world, &(sett_query_desc){.terms = {{.component = Spot_id, .changed = true}}});
    const sett_space_desc wrong[] = {
        {.component = Spot_id, .size = {10, 10}},
        {.component = Spot_id, .size = {10, 0}, .cell = 1},
        {.component = Spot_id, .size = {10, (double)NAN}, .cell = 1},
        {.component = Spot_id, .size = {10, 10}, .cell = 1, .origin = {0, (double)INFINITY}},
        {.component = Spot_id, .size = {1e6, 1e6}, .cell = 1},
        {.component = Spot_id, .size = {1e300, 1}, .cell = 1e-300},
        {.component = Spot_id, .size = {10, 10}, .cell = 1, .dimensions = 4},
        {.component = Spot_id, .size = {10, 10}, .cell = 1, .dimensions = 1},
        {.component = Spot_id, .size = {10, 10, 10}, .cell = 1, .dimensions = 3},
        {.component = Spot_id, .size = {10, 10}, .cell = 1, .member = {"u"}},
        {.component = Spot_id, .size = {10, 10}, .cell = 1, .query = other},
        {.component = Spot_id, .size = {10, 10}, .cell = 1, .query = changed},
        {.component = Spot_id, .size = {10, 10}, .kind = SETT_SPACE_GRID, .number = SETT_SPACE_F64},
        {.component = Point_id, .size = {10, 10}, .kind = SETT_SPACE_GRID},
        {.component = Place_id, .size = {10, 10.5}, .kind = SETT_SPACE_GRID},
        {.component = Place_id, .size = {10, 10}, .origin = {0.5}, .kind = SETT_SPACE_GRID},
        {.component = Sheep_id, .size = {10, 10}, .cell = 1},
    };
    for (uint32_t k = 0; k < sizeof(wrong) / sizeof(wrong[0]); k++) {
        CHECK_MSG(sett_space_create(p.world, &wrong[k]) == NULL, "number %u", (unsigned)k);
        CHECK_EQ(sett_world_error(p.world), SETT_STATUS_ARGUMENT);
        CHECK(strncmp(sett_world_message(p.world), "sett_space_create: ", 19) == 0);
        CHECK(strstr(sett_world_message(p.world), " - ") != NULL);
        CHECK(k != 9 ||
              strstr(sett_world_message(p.world), "\"Spot\" has no member \"u\"") != NULL);
    }
    CHECK(sett_space_create(p.world, &(sett_space_desc){.component = 900}) == NULL);
    CHECK_EQ(sett_world_error(p.world), SETT_STATUS_UNREGISTERED);
    CHECK(sett_space_create(NULL, &wrong[0]) == NULL);
    CHECK(sett_space_create(p.world, NULL) == NULL);
    CHECK_END(p.world);
}

static void searches_without_sense_find_nothing(void)
{
    plain p = begin(SPOT, false, 1);
    sett_entity e = sett_entity_create(p.world);
    sett_set(p.world, e, Spot_id, &(Spot){1, 1});
    CHECK_EQ(sett_space_update(p.space), SETT_OK);
    const double at[2] = {1, 1};
    const double none[2] = {(double)NAN, 1};
    double to[3] = {7, 7, 7};
    sett_space_hit hit;
    SETT_SPACE_NEAR_AT(p.space, at, -1, h) {
        CHECK(h == NULL);
    }
    SETT_SPACE_NEAR_AT(p.space, none, 1, h) {
        CHECK(h == NULL);
    }
    SETT_SPACE_NEAR_AT(NULL, at, 1, h) {
        CHECK(h == NULL);
    }
    SETT_SPACE_NEAR(p.space, e, (double)NAN, h) {
        CHECK(h == NULL);
    }
    uint32_t turns = 0;
    for (; turns < 2; turns++) {
        SETT_SPACE_NEAR_AT(p.space, at, 0, h) {
            CHECK_ENTITY_EQ(h->entity, e);
            break;
        }
    }
    CHECK_EQ(turns, 2);
    CHECK_EQ(sett_space_near_count_at(p.space, at, -1), 0);
    CHECK_EQ(sett_space_near_count_at(p.space, none, 1), 0);
    CHECK_EQ(sett_space_near_count_at(NULL, at, 1), 0);
    CHECK_EQ(sett_space_near_count(p.space, e, (double)NAN), 0);
    CHECK_EQ(sett_space_near_count(p.space, e, -1), 0);
    CHECK_EQ(sett_space_near_count(NULL, e, 1), 0);
    CHECK_EQ(sett_space_near_count(p.space, (sett_entity){e.index, e.generation + 1}, 1), 0);
    CHECK_EQ(sett_space_near_count(p.space, sett_null(), 1), 0);
    CHECK_EQ(sett_space_nearest(p.space, at, 5, sett_null(), NULL, 3), 0);
    CHECK_EQ(sett_space_nearest(p.space, none, 5, sett_null(), &hit, 1), 0);
    CHECK_EQ(sett_space_nearest(p.space, at, 5, e, &hit, 1), 0);
    CHECK_EQ(sett_space_nearest(p.space, at, 5, sett_null(), &hit, 1), 1);
    CHECK_EQ(sett_space_cell_at(p.space, none), SETT_SPACE_OUTSIDE);
    CHECK_EQ(sett_space_find(p.space, (sett_entity){e.index, e.generation + 1}, to),
             SETT_SPACE_OUTSIDE);
    CHECK_EQ(sett_space_find(p.space, (sett_entity){4000000000u, 1}, to), SETT_SPACE_OUTSIDE);
    CHECK(to[0] == 7);
    CHECK(sett_space_cell(p.space, 100000, NULL) == NULL);
    sett_space_random_place(p.space, 100000, 1, to);
    CHECK(to[0] == 7);
    CHECK(sett_is_null(sett_space_random_entity(p.space, 0, 1)));
    CHECK_EQ(sett_space_update(NULL), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_space_refresh(NULL, e), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_space_destroy(NULL), SETT_OK);
    CHECK_EQ(sett_space_cell_count(NULL), 0);
    CHECK_EQ(sett_space_count(NULL, NULL), 0);
    CHECK_END(p.world);
}

/* Wherever a loop is left: hits come in blocks, and a loop does not end with one of them. */
static void loops_can_be_left_at_each_hit(void)
{
    plain p = begin(SPOT, false, 1);
    enum {
        ENTITIES = 3 * SETT_SPACE_HITS
    };
    for (uint32_t k = 0; k < ENTITIES; k++) {
        sett_entity e = sett_entity_create(p.world);
        sett_set(p.world, e, Spot_id, &(Spot){1, 1});
    }
    CHECK_EQ(sett_space_update(p.space), SETT_OK);
    const double at[2] = {1, 1};
    for (uint32_t last = 1; last <= ENTITIES + 1; last++) {
        uint32_t hits = 0;
        uint32_t skipped = 0;
        SETT_SPACE_NEAR_AT(p.space, at, 1, hit) {
            CHECK_EQ(hit->entity.index, hits);
            if (++hits == last) {
                break;
            }
            if (hits % 2 == 0) {
                continue;
            }
            skipped++;
        }
        CHECK_EQ(hits, last < ENTITIES ? last : ENTITIES);
        CHECK_EQ(skipped, last <= ENTITIES ? last / 2 : ENTITIES / 2);
    }
    CHECK_END(p.world);
}

/* Each empty cell comes, about as often as the others; full cells never. */
static void random_places_are_uniform(void)
{
    plain p = begin(PLACE_TORUS, false, 3);
    const uint32_t cells = sett_space_cell_count(p.space);
    CHECK_EQ(cells, 108);
    static uint32_t times[108];
    for (uint32_t full = 0; full <= cells; full++) {
        uint32_t empty = cells - full;
        for (uint32_t k = 0; k < empty * 50; k++) {
            uint32_t cell = sett_space_random_empty(p.space, NULL, 0, chance_draw(&p.chance));
            CHECK(cell < cells && sett_space_cell(p.space, cell, NULL) == NULL);
            times[cell]++;
        }
        double square = 0;
        for (uint32_t k = 0; k < cells; k++) {
            bool is = sett_space_cell(p.space, k, NULL) == NULL;
            square += is ? (times[k] - 50.0) * (times[k] - 50.0) / 50 : 0;
            times[k] = 0;
        }
        CHECK_MSG(square <= empty + 6 * sqrt(2.0 * empty), "%g of %u", square, (unsigned)empty);
        uint32_t cell = sett_space_random_empty(p.space, NULL, 0, chance_draw(&p.chance));
        CHECK_EQ(cell == SETT_SPACE_OUTSIDE, full == cells);
        double at[3] = {0, 0, 0};
        sett_space_random_place(p.space, cell, chance_draw(&p.chance), at);
        CHECK(full == cells || sett_space_cell_at(p.space, at) == cell);
        sett_entity e = sett_entity_create(p.world);
        sett_set(p.world, e, Place_id, &(Place){(int32_t)at[0], (int32_t)at[1]});
        CHECK_EQ(sett_space_refresh(p.space, e), SETT_OK);
        CHECK_EQ(full < cells ? sett_space_find(p.space, e, NULL) : cell, cell);
    }
    CHECK_END(p.world);
}

/* Whether a cell is within a radius of another, by search. */
static bool is_around(const plain* p, const double at[3], uint32_t radius, uint32_t cell)
{
    double to[3] = {0, 0, 0};
    sett_space_hit hit;
    double distance;
    double from[3] = {at[0], at[1], at[2]};
    naive_is_in(p, from);
    sett_space_random_place(p->space, cell, 0, to);
    naive_hit(p, from, to, &hit, &distance);
    return distance <= (p->metric == SETT_SPACE_EUCLIDEAN ? radius * radius : radius) &&
           distance > 0;
}

static void random_empty_neighbours_are_within_the_radius(void)
{
    for (uint32_t setup = PLACE; setup < SETUPS; setup++) {
        plain p = begin(setup, false, 3);
        for (uint32_t k = 0; k < 60; k++) {
            create(&p);
        }
        CHECK_EQ(sett_space_update(p.space), SETT_OK);
        for (uint32_t k = 0; k < 40; k++) {
            static uint32_t times[400];
            double at[3];
            uint32_t radius = chance_below(&p.chance, 5);
            for (uint32_t n = 0; n < 3; n++) {
                at[n] = draw_bounded(&p, n, -1000, 1000);
            }
            uint32_t own = sett_space_cell_at(p.space, at);
            uint32_t empty = 0;
            for (uint32_t n = 0; n < sett_space_cell_count(p.space); n++) {
                empty += own != SETT_SPACE_OUTSIDE && is_around(&p, at, radius, n) &&
                         sett_space_cell(p.space, n, NULL) == NULL;
            }
            for (uint32_t n = 0; n < empty * 30 + 1; n++) {
                uint32_t cell =
                    sett_space_random_empty(p.space, at, radius, chance_draw(&p.chance));
                CHECK_EQ(cell == SETT_SPACE_OUTSIDE, empty == 0);
                if (empty != 0) {
                    CHECK(is_around(&p, at, radius, cell));
                    CHECK(sett_space_cell(p.space, cell, NULL) == NULL);
                    times[cell]++;
                }
            }
            uint32_t met = 0;
            for (uint32_t n = 0; n < 400; n++) {
                met += times[n] != 0;
                times[n] = 0;
            }
            CHECK_EQ(met, empty);
        }
        CHECK_EQ(sett_space_random_empty(p.space, (double[3]){0}, 128, 1), SETT_SPACE_OUTSIDE);
        CHECK_END(p.world);
    }
}

/* Places in a cell of a continuous space are in it, and an entity of it is drawn. */
static void random_entities_are_of_their_cell(void)
{
    for (uint32_t setup = SPOT; setup < PLACE; setup++) {
        plain p = begin(setup, false, 4);
        for (uint32_t k = 0; k < 200; k++) {
            create(&p);
        }
        CHECK_EQ(sett_space_update(p.space), SETT_OK);
        for (uint32_t k = 0; k < sett_space_cell_count(p.space); k++) {
            double at[3] = {0, 0, 0};
            uint64_t bits = k % 3 == 0 ? UINT64_MAX : chance_draw(&p.chance);
            sett_space_random_place(p.space, k, bits, at);
            CHECK_EQ(sett_space_cell_at(p.space, at), k);
            sett_entity e = sett_space_random_entity(p.space, k, bits);
            CHECK_EQ(sett_is_null(e), sett_space_cell(p.space, k, NULL) == NULL);
            CHECK(sett_is_null(e) || sett_space_find(p.space, e, NULL) == k);
        }
        CHECK_END(p.world);
    }
}

/* ------------------------------------------------------------------------------------ systems */

static void catch_up(sett_context* c)
{
    CHECK_EQ(sett_space_update(c->user), SETT_OK);
}

/* Each goes towards those around it, while others search and write. */
static void gather(sett_context* c)
{
    SETT_SYSTEM_FOR(c, b, i) {
        Spot* spot = &SETT_FIELD_MUT(b, 0, Spot)[i];
        SETT_SPACE_NEAR(c->user, sett_batch_entity(b, i), 3, hit) {
            spot->x += hit->offset[0] * 0.01;
            spot->y += hit->offset[1] * 0.01;
        }
        CHECK_EQ(sett_space_update(c->user), SETT_STATUS_LOCKED);
    }
}

static uint64_t gathered(uint32_t count)
{
    sett_world* world = quiet_world();
    SETT_REGISTER_ALL(world, KINDS);
    sett_threads* threads = sett_threads_create(count, NULL);
    sett_schedule_configure(world, &(sett_schedule_desc){.tasks = sett_threads_tasks(threads)});
    sett_space* space = sett_space_create(
        world,
        &(sett_space_desc){.component = Spot_id, .size = {200, 200}, .cell = 3, .periodic = true});
    uint64_t chance = 11;
    for (uint32_t k = 0; k < 5000; k++) {
        double x = (double)(chance_draw(&chance) >> 11) * 0x1p-53 * 200;
        double y = (double)(chance_draw(&chance) >> 11) * 0x1p-53 * 200;
        SETT_CREATE(world, SETT_VALUE(Spot, x, y));
    }
    SETT_SYSTEM(world, catch_up, .user = space);
    SETT_SYSTEM(world, gather, .terms = {SETT_INOUT(Spot)}, .user = space);
    for (uint32_t frame = 0; frame < 5; frame++) {
        CHECK_EQ(sett_progress(world, 1), SETT_OK);
    }
    uint64_t hash = sett_world_hash(world);
    CHECK_END(world);
    CHECK_EQ(sett_threads_destroy(threads), SETT_OK);
    return hash;
}

static void systems_search_on_threads(void)
{
    uint64_t one = gathered(1);
    CHECK_EQ(gathered(2), one);
    CHECK_EQ(gathered(4), one);
}

/* ------------------------------------------------------------------------------ scarce memory */

static bool create_space(void* user)
{
    plain* p = user;
    p->space = sett_space_create(p->world, &p->desc);
    return p->space != NULL;
}

static bool update_space(void* user)
{
    plain* p = user;
    return sett_space_update(p->space) == SETT_OK;
}

static bool refresh_entities(void* user)
{
    plain* p = user;
    uint32_t cursor = 0;
    for (sett_entity e; !sett_is_null(e = sett_entity_next(p->world, &cursor));) {
        if (sett_space_refresh(p->space, e) != SETT_OK) {
            return false;
        }
    }
    return true;
}

/* What an update began, the next one ends; what was in stays in. */
static void spaces_without_memory_go_on_later(void)
{
    static scarce_memory memory;
    for (uint32_t way = 0; way < 4; way++) {
        plain p = {.world = scarce_world(&memory), .chance = 7 + way};
        SETT_REGISTER_ALL(p.world, KINDS);
        (void)sett_disabled_tag(p.world);
        describe(&p, way % 2 == 0 ? TORUS : PLACE);
        memory.failures = 0;
        scarce_run(p.world, &memory, create_space, NULL, &p);
        CHECK(memory.failures != 0);
        for (uint32_t round = 0; round < 4; round++) {
            for (uint32_t k = 0; k < 150; k++) {
                create(&p);
            }
            sett_entity far = {5000 * (round + 1), 1};
            CHECK_EQ(sett_entity_create_handle(p.world, far), SETT_OK);
            sett_add(p.world, far, p.desc.component);
            move(&p, far);
            uint32_t cursor = 0;
            for (sett_entity e; !sett_is_null(e = sett_entity_next(p.world, &cursor));) {
                if (sett_has(p.world, e, p.desc.component)) {
                    move(&p, e); /* those that were in as well */
                }
            }
            memory.failures = 0;
            scarce_run(p.world, &memory, way < 2 ? update_space : refresh_entities, NULL, &p);
            CHECK(memory.failures != 0);
            check_whole(&p);
            check_searches(&p);
        }
        scarce_end(&memory, p.world);
    }
}

TEST_MAIN(TEST(searches_find_what_a_look_at_all_finds),
          TEST(refreshed_entities_are_where_they_went), TEST(spaces_follow_deltas_and_loads),
          TEST(what_a_space_cannot_be_is_rejected), TEST(searches_without_sense_find_nothing),
          TEST(loops_can_be_left_at_each_hit), TEST(random_places_are_uniform),
          TEST(random_empty_neighbours_are_within_the_radius),
          TEST(random_entities_are_of_their_cell), TEST(systems_search_on_threads),
          TEST(spaces_without_memory_go_on_later))

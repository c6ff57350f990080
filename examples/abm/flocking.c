/* Birds fly towards their neighbours, as these do, and apart if they are too near.
 *
 * As ABMFrameworksComparison declares it, in the small form. Its large form: --set side=150
 * --set birds=400 --set sight=15 */
#include "sett_abm.h"
#include "sett_space.h"

#include <math.h>

/* clang-format off */
enum { SIDE, BIRDS, SIGHT, COHERE, SEPARATE, MATCH, NEAREST };

typedef struct Bird { double x, y, vx, vy; } Bird;

#define MODEL(COMPONENT, TAG) COMPONENT(Bird, .members = SETT_STRUCT(Bird, x, y, vx, vy))
SETT_COMPONENTS(MODEL)

typedef struct Data { sett_abm_order* birds; sett_space* sky; } Data;
/* clang-format on */

static bool begin(sett_abm* run)
{
    const double* p = run->parameters;
    Data* d = run->data;
    SETT_REGISTER_ALL(run->world, MODEL);
    d->birds = sett_abm_order_create(run->world, SETT_QUERY_CREATE(run->world, SETT_IN(Bird)));
    d->sky = sett_space_create(run->world, &(sett_space_desc){.component = Bird_id,
                                                              .periodic = true,
                                                              .size = {p[SIDE], p[SIDE]},
                                                              .cell = p[SIGHT]});
    for (uint32_t k = 0; k < p[BIRDS]; k++) {
        Bird* bird = SETT_ADD(run->world, sett_entity_create(run->world), Bird);
        double* number[] = {&bird->x, &bird->y, &bird->vx, &bird->vy};
        for (uint32_t n = 0; n < 4; n++) {
            double draw = sett_abm_uniform(run, (sett_entity){k, 0}, n);
            *number[n] = n < 2 ? draw * p[SIDE] : draw * 2 - 1;
        }
    }
    return sett_space_update(d->sky) == SETT_OK;
}

/* A coordinate that has left the sky comes back at the other side. */
static double wrap(double x, double side)
{
    return x < 0 ? x + side : x >= side ? x - side : x;
}

static void step(sett_abm* run)
{
    const double* p = run->parameters;
    Data* d = run->data;
    SETT_ABM_ACTIVATE(d->birds, run->seed, run->step, e) {
        Bird* bird = SETT_GET_MUT(run->world, e, Bird);
        double x = 0, y = 0, count = 0;
        SETT_SPACE_NEAR(d->sky, e, p[SIGHT], hit) {
            const Bird* other = SETT_GET(run->world, hit->entity, Bird);
            double pull = p[COHERE] - (hit->squared < p[NEAREST] * p[NEAREST] ? p[SEPARATE] : 0);
            x += pull * hit->offset[0] + p[MATCH] * other->vx;
            y += pull * hit->offset[1] + p[MATCH] * other->vy;
            count++;
        }
        bird->vx += x / fmax(count, 1);
        bird->vy += y / fmax(count, 1);
        double length = sqrt(bird->vx * bird->vx + bird->vy * bird->vy);
        bird->vx /= length;
        bird->vy /= length;
        bird->x = wrap(bird->x + bird->vx, p[SIDE]);
        bird->y = wrap(bird->y + bird->vy, p[SIDE]);
        sett_space_move(d->sky, e);
    }
}

/* The length of the mean velocity: 1 if all fly in one direction. */
static double order(sett_world* world, void* data)
{
    double x = 0, y = 0, count = 0;
    uint32_t cursor = 0;
    for (sett_entity e; !sett_is_null(e = sett_entity_next(world, &cursor)); count++) {
        x += SETT_GET(world, e, Bird)->vx;
        y += SETT_GET(world, e, Bird)->vy;
    }
    (void)data;
    return sqrt(x * x + y * y) / count;
}

/* clang-format off */
static const sett_abm_model model = {
    .name = "flocking", .steps = 100, .data_size = sizeof(Data), .begin = begin, .step = step,
    .parameters = {{"side", 100}, {"birds", 200}, {"sight", 5}, {"cohere", 0.03},
                   {"separate", 0.015}, {"match", 0.05}, {"nearest", 1}},
    .columns = {{"order", .value = order}},
    .picture = &(sett_abm_picture){"Bird.x", "Bird.y", .size = {100, 100},
                                   .layers = {{"Bird", .colour = 0xFFFFFF}}}};
/* clang-format on */

SETT_ABM_MAIN(model)

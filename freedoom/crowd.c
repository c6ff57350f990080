/* crowd.c - see crowd.h. */
#include "crowd.h"

#include <stdlib.h>
#include <string.h>

bool crowd_init(Crowd* crowd, uint32_t cell_count)
{
    *crowd = (Crowd){.cell_count = cell_count};
    crowd->cell_first = calloc((size_t)cell_count + 1, sizeof *crowd->cell_first);
    return crowd->cell_first != NULL;
}

void crowd_deinit(Crowd* crowd)
{
    free(crowd->bodies);
    free(crowd->arrivals);
    free(crowd->cell_first);
    *crowd = (Crowd){0};
}

void crowd_begin(Crowd* crowd, Arena* arenas, uint32_t arena_count)
{
    crowd->count = 0;
    for (uint32_t i = 0; i < arena_count; ++i) {
        arenas[i].reach = 0;
    }
    memset(crowd->cell_first, 0, ((size_t)crowd->cell_count + 1) * sizeof *crowd->cell_first);
}

static bool crowd_grow(Crowd* crowd)
{
    uint32_t capacity = crowd->capacity == 0 ? 1024 : crowd->capacity * 2;
    CrowdBody* bodies = malloc(capacity * sizeof *bodies);
    CrowdBody* arrivals = malloc(capacity * sizeof *arrivals);
    if (bodies == NULL || arrivals == NULL) {
        free(bodies);
        free(arrivals);
        return false;
    }
    if (crowd->count != 0) {
        memcpy(arrivals, crowd->arrivals, crowd->count * sizeof *arrivals);
    }
    free(crowd->bodies);
    free(crowd->arrivals);
    crowd->bodies = bodies;
    crowd->arrivals = arrivals;
    crowd->capacity = capacity;
    return true;
}

bool crowd_add(Crowd* crowd, Arena* arenas, CrowdBody body)
{
    if (crowd->count == crowd->capacity && !crowd_grow(crowd)) {
        return false;
    }
    Arena* arena = &arenas[body.arena];
    const Level* level = &arena->level;
    arena->reach = fixed_max(arena->reach, body.radius);
    body.cell = arena->first_cell +
                level_cell(level, level_column(level, body.x), level_row(level, body.y));
    ++crowd->cell_first[body.cell];
    crowd->arrivals[crowd->count++] = body;
    return true;
}

/* A counting sort; filled from the back, it keeps the order of arrival within a cell. */
void crowd_sort(Crowd* crowd)
{
    uint32_t sum = 0;
    for (uint32_t cell = 0; cell <= crowd->cell_count; ++cell) {
        sum += crowd->cell_first[cell];
        crowd->cell_first[cell] = sum;
    }
    for (uint32_t i = crowd->count; i-- > 0;) {
        const CrowdBody* body = &crowd->arrivals[i];
        crowd->bodies[--crowd->cell_first[body->cell]] = *body;
    }
}

/* --- sweeping over cells ---------------------------------------------------------------------- */

/* The cells of a row are neighbours, and so are their bodies: a row is one run of the array. */
CrowdSweep crowd_sweep(const Crowd* crowd, const Arena* arena, LevelBox box)
{
    const Level* level = &arena->level;
    int32_t left = level_column(level, box.left);
    int32_t right = level_column(level, box.right);
    int32_t bottom = level_row(level, box.bottom);
    int32_t top = level_row(level, box.top);
    return (CrowdSweep){.crowd = crowd,
                        .row_first_cell = arena->first_cell + level_cell(level, left, bottom),
                        .columns = (uint32_t)(right - left + 1),
                        .row_stride = (uint32_t)level->columns,
                        .rows_left = top - bottom + 1};
}

bool crowd_sweep_next_row(CrowdSweep* sweep)
{
    while (sweep->rows_left > 0) {
        const uint32_t* first = &sweep->crowd->cell_first[sweep->row_first_cell];
        sweep->next = sweep->crowd->bodies + first[0];
        sweep->row_end = sweep->crowd->bodies + first[sweep->columns];
        sweep->row_first_cell += sweep->row_stride;
        --sweep->rows_left;
        if (sweep->next != sweep->row_end) {
            return true;
        }
    }
    return false;
}

/* --- who is in the way ------------------------------------------------------------------------ */

/* Distance of two squares' centres, as squares measure it: along the longer axis. */
static int64_t crowd_gap(const CrowdBody* body, Fixed x, Fixed y)
{
    int64_t dx = fixed_abs64((int64_t)body->x - x);
    int64_t dy = fixed_abs64((int64_t)body->y - y);
    return dx > dy ? dx : dy;
}

static bool crowd_is_level_with(const CrowdBody* body, Fixed z, Fixed height)
{
    return (int64_t)z < (int64_t)body->z + body->height && (int64_t)z + height > body->z;
}

const CrowdBody* crowd_obstacle(const Crowd* crowd, const Arena* arena, RayPoint from, RayPoint to,
                                Fixed radius, Fixed height, sett_entity self)
{
    LevelBox box = level_box(to.x, to.y, radius + arena->reach);
    for (CrowdSweep sweep = crowd_sweep(crowd, arena, box); crowd_sweep_next(&sweep);) {
        const CrowdBody* body = sweep.body;
        int64_t gap = crowd_gap(body, to.x, to.y);
        if (gap < (int64_t)radius + body->radius && gap < crowd_gap(body, from.x, from.y) &&
            crowd_is_level_with(body, to.z, height) && !sett_equals(body->entity, self)) {
            return body;
        }
    }
    return NULL;
}

bool crowd_is_taken(const Crowd* crowd, const Arena* arena, Fixed x, Fixed y, Fixed radius)
{
    LevelBox box = level_box(x, y, radius + arena->reach);
    for (CrowdSweep sweep = crowd_sweep(crowd, arena, box); crowd_sweep_next(&sweep);) {
        if (crowd_gap(sweep.body, x, y) < (int64_t)radius + sweep.body->radius) {
            return true;
        }
    }
    return false;
}

/* A shot's way in 256ths of a unit: its products fit into 64 bits over the longest map. */
typedef struct CrowdShot {
    int64_t x, y, z, dx, dy, dz, length;
} CrowdShot;

#define CROWD_SHOT_SHIFT 8

static CrowdShot crowd_aim(RayPoint from, RayPoint to)
{
    CrowdShot shot = {.x = from.x >> CROWD_SHOT_SHIFT,
                      .y = from.y >> CROWD_SHOT_SHIFT,
                      .z = from.z,
                      .dx = ((int64_t)to.x >> CROWD_SHOT_SHIFT) - (from.x >> CROWD_SHOT_SHIFT),
                      .dy = ((int64_t)to.y >> CROWD_SHOT_SHIFT) - (from.y >> CROWD_SHOT_SHIFT),
                      .dz = (int64_t)to.z - from.z};
    shot.length = fixed_square_root((uint64_t)(shot.dx * shot.dx + shot.dy * shot.dy));
    return shot;
}

/* Whether the shot meets the body, taken as a cylinder, and after which share of its way. */
static bool crowd_shot_meets(const CrowdShot* shot, const CrowdBody* body, Fixed radius,
                             Fixed* share)
{
    int64_t x = (body->x >> CROWD_SHOT_SHIFT) - shot->x;
    int64_t y = (body->y >> CROWD_SHOT_SHIFT) - shot->y;
    int64_t width = ((int64_t)body->radius + radius) >> CROWD_SHOT_SHIFT;
    if (shot->length == 0) {
        return false;
    }
    int64_t along = (x * shot->dx + y * shot->dy) / shot->length;
    int64_t aside = fixed_abs64(x * shot->dy - y * shot->dx) / shot->length;
    if (along < 0 || along - width > shot->length || aside > width) {
        return false;
    }
    int64_t depth = fixed_square_root((uint64_t)(width * width - aside * aside));
    int64_t entry = along > depth ? along - depth : 0;
    if (entry > shot->length) {
        return false;
    }
    int64_t z = shot->z + shot->dz * entry / shot->length;
    *share = (Fixed)(entry * FIXED_ONE / shot->length);
    return z >= body->z && z <= (int64_t)body->z + body->height;
}

const CrowdBody* crowd_first_hit(const Crowd* crowd, const Arena* arena, RayPoint from, RayPoint to,
                                 Fixed radius, sett_entity shooter, Fixed* share)
{
    const CrowdBody* first = NULL;
    CrowdShot shot = crowd_aim(from, to);
    Fixed reach = radius + arena->reach;
    LevelBox box = {.left = fixed_add(fixed_min(from.x, to.x), -reach),
                    .right = fixed_add(fixed_max(from.x, to.x), reach),
                    .bottom = fixed_add(fixed_min(from.y, to.y), -reach),
                    .top = fixed_add(fixed_max(from.y, to.y), reach)};
    for (CrowdSweep sweep = crowd_sweep(crowd, arena, box); crowd_sweep_next(&sweep);) {
        Fixed at = 0;
        if (crowd_shot_meets(&shot, sweep.body, radius, &at) && at <= *share &&
            (first == NULL || at < *share) && !sett_equals(sweep.body->entity, shooter)) {
            first = sweep.body;
            *share = at;
        }
    }
    return first;
}

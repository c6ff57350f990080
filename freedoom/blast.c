/* blast.c - see blast.h. */
#include "blast.h"

#include "spawn.h"

/* Whole units from the centre to the nearest side of a body, measured along the longer axis. */
static int32_t blast_distance(const CrowdBody* body, Position centre)
{
    int64_t dx = fixed_abs64((int64_t)body->x - centre.x);
    int64_t dy = fixed_abs64((int64_t)body->y - centre.y);
    int64_t gap = (dx > dy ? dx : dy) - body->radius;
    return gap < 0 ? 0 : (int32_t)(gap / FIXED_ONE);
}

void blast(const Job* job, Place place, Position centre, int32_t power, sett_entity cause)
{
    const Arena* arena = simulation_arena(job->sim, place);
    const LevelHeights* heights = simulation_heights(job->sim, arena);
    RayPoint eye = {centre.x, centre.y, fixed_add(centre.z, fixed_from_int(8))};
    LevelBox box = level_box(centre.x, centre.y, fixed_from_int(power) + arena->reach);
    for (CrowdSweep sweep = crowd_sweep(&job->sim->crowd, arena, box); crowd_sweep_next(&sweep);) {
        const CrowdBody* body = sweep.body;
        int32_t damage = power - blast_distance(body, centre);
        /* Columns stand unmoved; a wall between is shelter. */
        if (damage > 0 && thing_table[body->type].health != 0 &&
            ray_sees(&arena->level, heights, eye, body->x, body->y, body->z,
                     fixed_add(body->z, body->height))) {
            spawn_hit(job, body->entity, cause, damage);
        }
    }
    spawn_news(job, EVENT_BLAST, place.arena, cause, sett_null(), power);
}

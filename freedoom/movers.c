/* movers.c - the systems that move ceilings and floors, and what stands on them. See systems.h.
 *
 * They come last in a tick: all others have seen the building as it was when it began. Bodies
 * follow a floor at the beginning of the next one. */
#include "movers.h"

#include "collide.h"
#include "spawn.h"
#include "systems.h"

#define CRUSH_DAMAGE 10
#define CRUSH_INTERVAL 4u /* ticks */
#define CRUSH_SLOWER 8    /* times */

/* Whether a body over the sector would be squeezed between these heights. If that hurts, it is hit
 * in the next tick. */
static bool mover_squeezes(const Job* job, Sector sector, Fixed floor, Fixed ceiling, bool hurts)
{
    const Simulation* sim = job->sim;
    bool squeezes = false;
    const Arena* arena = &sim->arenas[sector.arena];
    LevelBox box = level_box_widen(arena->level.sector_boxes[sector.number], arena->reach);
    for (CrowdSweep sweep = crowd_sweep(&sim->crowd, arena, box); crowd_sweep_next(&sweep);) {
        const CrowdBody* body = sweep.body;
        int64_t top = (int64_t)fixed_max(body->z, floor) + body->height;
        if (top > ceiling &&
            collide_touches(&arena->level, body->x, body->y, body->radius, sector.number)) {
            if (!hurts) {
                return true;
            }
            squeezes = true;
            if (sim->dice.tick % CRUSH_INTERVAL == 0) {
                spawn_hit(job, body->entity, sett_null(), CRUSH_DAMAGE);
            }
        }
    }
    return squeezes;
}

void mover_turn(Mover* mover)
{
    Fixed goal = mover->goal;
    mover->goal = mover->home;
    mover->home = goal;
}

/* One tick of waiting at the goal, if it is there. Then it turns, or rests: it is no mover any
 * more. */
static bool mover_waits(Job* job, Mover* mover, sett_entity sector, sett_component type)
{
    if (mover->left == 0) {
        return false;
    }
    if (--mover->left == 0) {
        if (!mover->returns) {
            sett_cmd_remove(job->commands, sector, type);
        }
        mover_turn(mover);
        mover->returns = false;
    }
    return true;
}

static Fixed mover_next(Mover* mover, Fixed now)
{
    Fixed next =
        fixed_clamp(mover->goal, fixed_add(now, -mover->speed), fixed_add(now, mover->speed));
    /* One tick at least, so that those who stand on it learn of the last step, too. */
    mover->left = next != mover->goal ? 0 : mover->returns ? mover->pause : 1;
    return next;
}

/* --- doors ------------------------------------------------------------------------------------ */

static void doors_run(sett_context* context)
{
    Job job = simulation_job(context);
    SETT_SYSTEM_EACH(context, b) {
        Door* door = sett_batch_field(b, 0);
        Heights* heights = sett_batch_field(b, 1);
        const Sector* sector = sett_batch_field(b, 2);
        SETT_EACH(b, i) {
            if (mover_waits(&job, &door[i], sett_batch_entity(b, i), Door_id)) {
                continue;
            }
            Fixed next = mover_next(&door[i], heights[i].ceiling);
            if (next < heights[i].ceiling &&
                mover_squeezes(&job, sector[i], heights[i].floor, next, false)) {
                /* Up again, for another try. */
                mover_turn(&door[i]);
                door[i].returns = true;
                door[i].left = 0;
            } else {
                heights[i].ceiling = next;
            }
        }
    }
}

const sett_system_desc system_doors = {
    .name = "doors",
    .run = doors_run,
    .terms = {SETT_INOUT(Door), SETT_INOUT(Heights), SETT_IN(Sector)},
};

/* --- lifts ------------------------------------------------------------------------------------ */

static void lifts_run(sett_context* context)
{
    Job job = simulation_job(context);
    SETT_SYSTEM_EACH(context, b) {
        Lift* lift = sett_batch_field(b, 0);
        Heights* heights = sett_batch_field(b, 1);
        const Sector* sector = sett_batch_field(b, 2);
        SETT_EACH(b, i) {
            if (mover_waits(&job, &lift[i], sett_batch_entity(b, i), Lift_id)) {
                continue;
            }
            Fixed next = mover_next(&lift[i], heights[i].floor);
            if (next > heights[i].floor &&
                mover_squeezes(&job, sector[i], next, heights[i].ceiling, lift[i].crushes) &&
                !lift[i].crushes) {
                lift[i].left = 0; /* no room above: it stays where it is until there is */
            } else {
                heights[i].floor = next;
            }
        }
    }
}

const sett_system_desc system_lifts = {
    .name = "lifts",
    .run = lifts_run,
    .terms = {SETT_INOUT(Lift), SETT_INOUT(Heights), SETT_IN(Sector)},
};

/* --- crushers --------------------------------------------------------------------------------- */

static void crushers_run(sett_context* context)
{
    Job job = simulation_job(context);
    SETT_SYSTEM_EACH(context, b) {
        Crusher* crusher = sett_batch_field(b, 0);
        Heights* heights = sett_batch_field(b, 1);
        const Sector* sector = sett_batch_field(b, 2);
        SETT_EACH(b, i) {
            Fixed now = heights[i].ceiling;
            Fixed goal = crusher[i].rises ? crusher[i].high : crusher[i].low;
            Fixed speed = crusher[i].speed;
            Fixed next = fixed_clamp(goal, fixed_add(now, -speed), fixed_add(now, speed));
            if (next < now && mover_squeezes(&job, sector[i], heights[i].floor, next, true) &&
                crusher[i].slows) {
                next = fixed_max(goal, fixed_add(now, -speed / CRUSH_SLOWER));
            }
            heights[i].ceiling = next;
            crusher[i].rises = next == goal ? !crusher[i].rises : crusher[i].rises;
        }
    }
}

const sett_system_desc system_crushers = {
    .name = "crushers",
    .run = crushers_run,
    .terms = {SETT_INOUT(Crusher), SETT_INOUT(Heights), SETT_IN(Sector)},
};

/* --- mark and ride ---------------------------------------------------------------------------- */

/* No body reaches farther. */
#define MARK_REACH fixed_from_int(128)

static void mark_run(sett_context* context)
{
    Simulation* sim = context->user;
    for (uint32_t i = 0; i < sim->arena_count; ++i) {
        sim->arenas[i].lifting = level_no_box;
    }
    SETT_SYSTEM_EACH(context, b) {
        const Sector* sector = sett_batch_field(b, 0);
        SETT_EACH(b, i) {
            Arena* arena = &sim->arenas[sector[i].arena];
            LevelBox box = level_box_widen(arena->level.sector_boxes[sector[i].number], MARK_REACH);
            level_box_join(&arena->lifting, &box);
        }
    }
}

const sett_system_desc system_mark = {
    .name = "mark",
    .run = mark_run,
    .single_job = true,
    .terms = {SETT_IN(Sector), SETT_WITH(Lift)},
};

/* The height of something over moving ground. What flies is only pushed. */
static Fixed ride_height(const Simulation* sim, const Arena* arena, sett_entity self, Place place,
                         Position at, const ThingType* type)
{
    const LevelHeights* heights = simulation_heights(sim, arena);
    const Body* body = SETT_FIND(sim->world, self, Body);
    if (body == NULL) {
        return heights[place.sector].floor;
    }
    Fixed floor = collide_footing(&arena->level, heights, at.x, at.y, body->radius, 0).floor;
    return type->flies ? fixed_max(at.z, floor) : floor;
}

/* Few of the many that it visits ride: it declares that it reads, so that their pages count as
 * written only where they are. */
static void ride_run(sett_context* context)
{
    Job job = simulation_job(context);
    SETT_SYSTEM_EACH(context, b) {
        const Position* position = sett_batch_field(b, 0);
        const Place* place = sett_batch_field(b, 1);
        const Thing* thing = sett_batch_field(b, 2);
        SETT_EACH(b, i) {
            const Arena* arena = simulation_arena(job.sim, place[i]);
            if (!level_box_holds(&arena->lifting, position[i].x, position[i].y)) {
                continue;
            }
            sett_entity self = sett_batch_entity(b, i);
            Fixed z = ride_height(job.sim, arena, self, place[i], position[i],
                                  &thing_table[thing[i].type]);
            if (z != position[i].z) {
                SETT_GET_MUT(job.world, self, Position)->z = z;
            }
        }
    }
}

const sett_system_desc system_ride = {
    .name = "ride",
    .run = ride_run,
    .terms = {SETT_IN(Position), SETT_IN(Place), SETT_IN(Thing), SETT_WITHOUT(Missile)},
    .access_any_in = {Body_id},
    .access_inout = {Position_id},
    .after = {"survey", "mark"},
};

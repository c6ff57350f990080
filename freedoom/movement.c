/* movement.c - the systems that move monsters and missiles. See systems.h.
 *
 * Each writes the positions of the entities that it visits and no others; where the others are it
 * takes from the crowd, which shows them as they stood when the tick began. So it does not matter
 * who moves first. Two may step to the same place in the same tick; crowd_obstacle then lets them
 * part. */
#include "blast.h"
#include "collide.h"
#include "spawn.h"
#include "systems.h"
#include "trigger.h"

#define HOVER_SPEED fixed_from_int(4) /* a tick */
#define HOME_INTERVAL 4u              /* ticks */
#define MISSILE_HEIGHT fixed_from_int(8)
#define DOOR_PATIENCE 12u /* ticks to the next try at a door that opens */

/* --- hover ------------------------------------------------------------------------------------ */

static void hover_run(sett_context* context)
{
    Job job = simulation_job(context);
    SETT_SYSTEM_EACH(context, b) {
        Position* position = sett_batch_field(b, 0);
        const Place* place = sett_batch_field(b, 1);
        const Body* body = sett_batch_field(b, 2);
        const Target* target = sett_batch_field(b, 3);
        SETT_EACH(b, i) {
            const Arena* arena = simulation_arena(job.sim, place[i]);
            LevelHeights room = simulation_heights(job.sim, arena)[place[i].sector];
            Fixed z = position[i].z;
            Fixed wanted =
                fixed_clamp(target[i].z, fixed_add(z, -HOVER_SPEED), fixed_add(z, HOVER_SPEED));
            /* Only within the room; under a lintel the walk has moved it already. */
            if (wanted >= room.floor && wanted <= fixed_add(room.ceiling, -body[i].height)) {
                position[i].z = wanted;
            }
        }
    }
}

const sett_system_desc system_hover = {
    .name = "hover",
    .run = hover_run,
    .terms = {SETT_INOUT(Position), SETT_IN(Place), SETT_IN(Body), SETT_IN(Target),
              SETT_WITH(Flying)},
};

/* --- walk ------------------------------------------------------------------------------------- */

static CollideGait move_gait(const ThingType* type)
{
    return type->flies ? COLLIDE_FLIES : type->kind == THING_PLAYER ? COLLIDE_LEAPS : COLLIDE_WALKS;
}

/* Whether a body may be at `to`. Sets to->z to its height there, and what it finds there. */
static bool move_fits(const Simulation* sim, const Arena* arena, RayPoint from, RayPoint* to,
                      const Body* body, const ThingType* type, sett_entity self,
                      CollideFooting* footing)
{
    uint16_t blocking =
        type->kind == THING_PLAYER ? WAD_LINE_BLOCKS : WAD_LINE_BLOCKS | WAD_LINE_BLOCKS_MONSTERS;
    *footing = collide_footing(&arena->level, simulation_heights(sim, arena), to->x, to->y,
                               body->radius, blocking);
    return collide_enter(footing, &to->z, body->height, move_gait(type)) &&
           crowd_obstacle(&sim->crowd, arena, from, *to, body->radius, body->height, self) == NULL;
}

static RayPoint walk_goal(const Position* position, uint8_t direction, int32_t speed)
{
    /* East, north-east, ...; the diagonals are as long as the others. */
    static const Fixed x_of[8] = {65536, 46341, 0, -46341, -65536, -46341, 0, 46341};
    static const Fixed y_of[8] = {0, 46341, 65536, 46341, 0, -46341, -65536, -46341};
    return (RayPoint){.x = fixed_add(position->x, x_of[direction] * speed),
                      .y = fixed_add(position->y, y_of[direction] * speed),
                      .z = position->z};
}

static void walk_run(sett_context* context)
{
    Job job = simulation_job(context);
    SETT_SYSTEM_EACH(context, b) {
        Walk* walk = sett_batch_field(b, 0);
        Position* position = sett_batch_field(b, 1);
        Place* place = sett_batch_field(b, 2);
        const Body* body = sett_batch_field(b, 3);
        const Thing* thing = sett_batch_field(b, 4);
        SETT_EACH(b, i) {
            if (walk[i].wait != 0) {
                --walk[i].wait;
                continue;
            }
            if (walk[i].steps == 0) {
                continue;
            }
            const ThingType* type = &thing_table[thing[i].type];
            const Arena* arena = simulation_arena(job.sim, place[i]);
            RayPoint from = {position[i].x, position[i].y, position[i].z};
            RayPoint to = walk_goal(&position[i], walk[i].direction, type->speed);
            sett_entity self = sett_batch_entity(b, i);
            bool is_player = type->kind == THING_PLAYER;
            CollideFooting footing;
            walk[i].wait = (uint8_t)(type->step_ticks - 1);
            if (move_fits(job.sim, arena, from, &to, &body[i], type, self, &footing)) {
                position[i] = (Position){to.x, to.y, to.z};
                place[i].sector = footing.sector;
                --walk[i].steps;
                trigger_cross(&job, arena, &footing, from, to, self, is_player);
            } else if (trigger_push(&job, arena, &footing, &body[i], self, is_player)) {
                walk[i].wait = DOOR_PATIENCE;
            } else {
                walk[i].steps = 0;
                walk[i].bumped = 1;
            }
        }
    }
}

const sett_system_desc system_walk = {
    .name = "walk",
    .run = walk_run,
    .terms = {SETT_INOUT(Walk), SETT_INOUT(Position), SETT_INOUT(Place), SETT_IN(Body),
              SETT_IN(Thing), SETT_WITHOUT(Pain), SETT_WITHOUT(Charge)},
    .access_any_in = {Special_id, Pack_id},
};

/* --- charge ----------------------------------------------------------------------------------- */

static RayPoint move_goal(const Position* position, const Velocity* velocity)
{
    return (RayPoint){.x = fixed_add(position->x, velocity->x),
                      .y = fixed_add(position->y, velocity->y),
                      .z = fixed_add(position->z, velocity->z)};
}

/* What stopped a charge may have been a body. */
static void charge_bite(const Job* job, Place place, RayPoint from, RayPoint to, const Body* body,
                        const ThingType* type, sett_entity self)
{
    const CrowdBody* other = crowd_obstacle(&job->sim->crowd, simulation_arena(job->sim, place),
                                            from, to, body->radius, body->height, self);
    if (other != NULL) {
        spawn_hit(job, other->entity, self,
                  simulation_roll_damage(job->sim, self, DICE_BITE, type->arms.melee));
    }
}

static void charge_run(sett_context* context)
{
    Job job = simulation_job(context);
    SETT_SYSTEM_EACH(context, b) {
        Charge* charge = sett_batch_field(b, 0);
        const Velocity* velocity = sett_batch_field(b, 1);
        Position* position = sett_batch_field(b, 2);
        Place* place = sett_batch_field(b, 3);
        const Body* body = sett_batch_field(b, 4);
        const Thing* thing = sett_batch_field(b, 5);
        SETT_EACH(b, i) {
            sett_entity self = sett_batch_entity(b, i);
            const ThingType* type = &thing_table[thing[i].type];
            RayPoint from = {position[i].x, position[i].y, position[i].z};
            RayPoint to = move_goal(&position[i], &velocity[i]);
            CollideFooting footing;
            bool fits = move_fits(job.sim, simulation_arena(job.sim, place[i]), from, &to, &body[i],
                                  type, self, &footing);
            if (fits) {
                position[i] = (Position){to.x, to.y, to.z};
                place[i].sector = footing.sector;
            } else {
                charge_bite(&job, place[i], from, to, &body[i], type, self);
            }
            if (!fits || --charge[i].ticks == 0) {
                sett_cmd_remove(job.commands, self, Charge_id);
                sett_cmd_remove(job.commands, self, Velocity_id);
            }
        }
    }
}

const sett_system_desc system_charge = {
    .name = "charge",
    .run = charge_run,
    .terms = {SETT_INOUT(Charge), SETT_IN(Velocity), SETT_INOUT(Position), SETT_INOUT(Place),
              SETT_IN(Body), SETT_IN(Thing)},
};

/* --- home ------------------------------------------------------------------------------------- */

/* Bends a missile's way a quarter of the way towards its prey, at its old speed. */
static void home_bend(Velocity* velocity, const Position* at, const Position* prey, int32_t speed)
{
    int64_t dx = (int64_t)prey->x - at->x;
    int64_t dy = (int64_t)prey->y - at->y;
    int64_t dz = (int64_t)prey->z - at->z;
    /* Halved, so that the square of the longest distance fits. */
    int64_t distance = 2 * (int64_t)fixed_square_root((uint64_t)((dx / 2) * (dx / 2)) +
                                                      (uint64_t)((dy / 2) * (dy / 2)));
    if (distance < FIXED_ONE) {
        return;
    }
    int64_t full = fixed_from_int(speed);
    int64_t x = 3 * (int64_t)velocity->x + dx * full / distance;
    int64_t y = 3 * (int64_t)velocity->y + dy * full / distance;
    int64_t length = (int64_t)fixed_square_root((uint64_t)(x * x) + (uint64_t)(y * y));
    if (length != 0) {
        velocity->x = (Fixed)(x * full / length);
        velocity->y = (Fixed)(y * full / length);
        velocity->z = (Fixed)((3 * (int64_t)velocity->z + dz * full / distance) / 4);
    }
}

static void home_run(sett_context* context)
{
    Job job = simulation_job(context);
    SETT_SYSTEM_EACH(context, b) {
        const Homing* homing = sett_batch_field(b, 0);
        Velocity* velocity = sett_batch_field(b, 1);
        const Position* position = sett_batch_field(b, 2);
        const Thing* thing = sett_batch_field(b, 3);
        SETT_EACH(b, i) {
            const Position* prey = SETT_FIND(job.world, homing[i].prey, Position);
            if (prey != NULL &&
                simulation_is_due(job.sim, sett_batch_entity(b, i), HOME_INTERVAL)) {
                home_bend(&velocity[i], &position[i], prey, thing_table[thing[i].type].speed);
            }
        }
    }
}

const sett_system_desc system_home = {
    .name = "home",
    .run = home_run,
    .terms = {SETT_IN(Homing), SETT_INOUT(Velocity), SETT_IN(Position), SETT_IN(Thing)},
};

/* --- fly -------------------------------------------------------------------------------------- */

/* Where a missile gets to in this tick, and what it meets there. */
typedef struct Flight {
    RayPoint end;
    uint16_t sector;
    bool stopped;
    const CrowdBody* victim; /* of it, or NULL: the building */
} Flight;

static Flight fly_along(const Simulation* sim, const Arena* arena, RayPoint from, RayPoint to,
                        const ThingType* type, sett_entity shooter)
{
    const LevelHeights* heights = simulation_heights(sim, arena);
    Fixed share = ray_reach(&arena->level, heights, from, to);
    Flight flight = {.end = to};
    flight.victim = crowd_first_hit(&sim->crowd, arena, from, to, fixed_from_int(type->radius),
                                    shooter, &share);
    flight.end = ray_point(from, to, share);
    flight.sector = (uint16_t)level_sector_at(&arena->level, flight.end.x, flight.end.y);
    LevelHeights room = heights[flight.sector];
    flight.stopped = share != FIXED_ONE || flight.victim != NULL || to.z < room.floor ||
                     (int64_t)to.z + MISSILE_HEIGHT > room.ceiling ||
                     !level_spans(&arena->level, to.x, to.y);
    return flight;
}

/* A missile passes its harm on, unless it meets one of the kind that threw it. */
static void fly_impact(const Job* job, const Flight* flight, Place place, const ThingType* type,
                       sett_entity self, sett_entity shooter)
{
    Position at = {flight->end.x, flight->end.y, flight->end.z};
    if (flight->victim == NULL) {
        spawn_news(job, EVENT_MISS, place.arena, self, sett_null(), 0);
    } else if (&thing_table[flight->victim->type] != simulation_type_of(job->sim, shooter)) {
        spawn_hit(job, flight->victim->entity, shooter,
                  simulation_roll_damage(job->sim, self, DICE_IMPACT, type->arms.melee));
    }
    if (type->blast != 0) {
        blast(job, place, at, type->blast, shooter);
    }
    spawn_spark(job, place, at);
    spawn_end(job, self);
}

static void fly_run(sett_context* context)
{
    Job job = simulation_job(context);
    SETT_SYSTEM_EACH(context, b) {
        const Missile* missile = sett_batch_field(b, 0);
        const Velocity* velocity = sett_batch_field(b, 1);
        Position* position = sett_batch_field(b, 2);
        Place* place = sett_batch_field(b, 3);
        const Thing* thing = sett_batch_field(b, 4);
        SETT_EACH(b, i) {
            const ThingType* type = &thing_table[thing[i].type];
            RayPoint from = {position[i].x, position[i].y, position[i].z};
            Flight flight =
                fly_along(job.sim, simulation_arena(job.sim, place[i]), from,
                          move_goal(&position[i], &velocity[i]), type, missile[i].shooter);
            position[i] = (Position){flight.end.x, flight.end.y, flight.end.z};
            place[i].sector = flight.sector;
            if (flight.stopped) {
                fly_impact(&job, &flight, place[i], type, sett_batch_entity(b, i),
                           missile[i].shooter);
            }
        }
    }
}

const sett_system_desc system_fly = {
    .name = "fly",
    .run = fly_run,
    .terms = {SETT_IN(Missile), SETT_IN(Velocity), SETT_INOUT(Position), SETT_INOUT(Place),
              SETT_IN(Thing)},
};

/* minds.c - the systems that decide what monsters and players want. See systems.h. */
#include "ray.h"
#include "systems.h"

#define LOOK_INTERVAL 12u   /* ticks from one look around to the next */
#define LOOK_RANGE 1024     /* map units */
#define LOOK_CANDIDATES 4u  /* the nearest so many are tested for being in sight */
#define FORGET_INTERVAL 12u /* ticks */
#define FORGET_PATIENCE 10u /* looks without seeing the enemy */

#define CIRCLE_FAR fixed_from_int(384) /* from here on a player goes towards its enemy */
#define CIRCLE_NEAR fixed_from_int(128)

/* From where, and how much of another, one sees: eyes at three quarters of its height. */
static bool mind_sees(const Simulation* sim, Place place, Position eye, Fixed height,
                      Position other, Fixed other_height)
{
    const Arena* arena = simulation_arena(sim, place);
    RayPoint from = {eye.x, eye.y, fixed_add(eye.z, height - height / 4)};
    return ray_sees(&arena->level, simulation_heights(sim, arena), from, other.x, other.y, other.z,
                    fixed_add(other.z, other_height));
}

/* --- look ------------------------------------------------------------------------------------- */

/* The nearest candidates so far, nearest first. */
typedef struct LookList {
    const CrowdBody* bodies[LOOK_CANDIDATES];
    int64_t distances[LOOK_CANDIDATES]; /* squared, whole units */
    uint32_t count;
} LookList;

static void look_insert(LookList* list, const CrowdBody* body, int64_t distance)
{
    uint32_t at = list->count < LOOK_CANDIDATES ? list->count++ : LOOK_CANDIDATES - 1;
    for (; at > 0 && list->distances[at - 1] > distance; --at) {
        list->bodies[at] = list->bodies[at - 1];
        list->distances[at] = list->distances[at - 1];
    }
    list->bodies[at] = body;
    list->distances[at] = distance;
}

static bool look_finds_foe(uint16_t type, uint16_t other)
{
    ThingClass kind = thing_table[other].kind;
    return other != type && (kind == THING_MONSTER || kind == THING_PLAYER);
}

/* Fighters of other kinds within range. Sight is dear, distance cheap: so distance chooses
 * first. */
static void look_around(const Simulation* sim, Place place, Position eye, uint16_t type,
                        LookList* list)
{
    LevelBox box = level_box(eye.x, eye.y, fixed_from_int(LOOK_RANGE));
    int64_t farthest = (int64_t)LOOK_RANGE * LOOK_RANGE;
    CrowdSweep sweep = crowd_sweep(&sim->crowd, simulation_arena(sim, place), box);
    while (crowd_sweep_next(&sweep)) {
        const CrowdBody* body = sweep.body;
        if (!look_finds_foe(type, body->type)) {
            continue;
        }
        int64_t dx = ((int64_t)body->x - eye.x) >> FIXED_BITS;
        int64_t dy = ((int64_t)body->y - eye.y) >> FIXED_BITS;
        int64_t distance = dx * dx + dy * dy;
        if (distance < farthest) {
            look_insert(list, body, distance);
            farthest =
                list->count == LOOK_CANDIDATES ? list->distances[LOOK_CANDIDATES - 1] : farthest;
        }
    }
}

static void look_run(sett_context* context)
{
    Job job = simulation_job(context);
    SETT_SYSTEM_EACH(context, b) {
        const Position* position = sett_batch_field(b, 0);
        const Place* place = sett_batch_field(b, 1);
        const Body* body = sett_batch_field(b, 2);
        const Thing* thing = sett_batch_field(b, 3);
        SETT_EACH(b, i) {
            sett_entity self = sett_batch_entity(b, i);
            if (!simulation_is_due(job.sim, self, LOOK_INTERVAL)) {
                continue;
            }
            LookList list = {.count = 0};
            look_around(job.sim, place[i], position[i], thing[i].type, &list);
            for (uint32_t k = 0; k < list.count; ++k) {
                const CrowdBody* other = list.bodies[k];
                Position there = {other->x, other->y, other->z};
                if (mind_sees(job.sim, place[i], position[i], body[i].height, there,
                              other->height)) {
                    SETT_CMD_SET(job.commands, self, Target, .enemy = other->entity, .z = other->z,
                                 .patience = FORGET_PATIENCE);
                    break;
                }
            }
        }
    }
}

const sett_system_desc system_look = {
    .name = "look",
    .run = look_run,
    .terms = {SETT_IN(Position), SETT_IN(Place), SETT_IN(Body), SETT_IN(Thing), SETT_WITH(Alive),
              SETT_WITHOUT(Target), SETT_WITHOUT(Pain), SETT_WITHOUT(Input)},
};

/* --- forget ----------------------------------------------------------------------------------- */

/* Returns whether it still sees its enemy, or has seen it not long ago. */
static bool forget_not_yet(const Simulation* sim, Target* target, Position eye, Place place,
                           Fixed height)
{
    const Position* there = SETT_GET(sim->world, target->enemy, Position);
    Fixed other_height = SETT_GET(sim->world, target->enemy, Body)->height;
    bool sees = mind_sees(sim, place, eye, height, *there, other_height);
    target->patience = sees ? FORGET_PATIENCE : target->patience - 1;
    return target->patience != 0;
}

static void forget_run(sett_context* context)
{
    Job job = simulation_job(context);
    SETT_SYSTEM_EACH(context, b) {
        Target* target = sett_batch_field(b, 0);
        const Position* position = sett_batch_field(b, 1);
        const Place* place = sett_batch_field(b, 2);
        const Body* body = sett_batch_field(b, 3);
        SETT_EACH(b, i) {
            sett_entity self = sett_batch_entity(b, i);
            /* Corpses are still entities, but no enemies: they have no health to lose. */
            bool keeps = SETT_HAS(job.world, target[i].enemy, Health);
            if (keeps) {
                target[i].z = SETT_GET(job.world, target[i].enemy, Position)->z;
            }
            if (keeps && simulation_is_due(job.sim, self, FORGET_INTERVAL)) {
                keeps = forget_not_yet(job.sim, &target[i], position[i], place[i], body[i].height);
            }
            if (!keeps) {
                sett_cmd_remove(job.commands, self, Target_id);
            }
        }
    }
}

const sett_system_desc system_forget = {
    .name = "forget",
    .run = forget_run,
    .terms = {SETT_INOUT(Target), SETT_IN(Position), SETT_IN(Place), SETT_IN(Body)},
};

/* --- wander ----------------------------------------------------------------------------------- */

/* Where to walk is decided when the last decision has been walked off; a step takes several
 * ticks. */
static bool mind_is_idle(const Walk* walk)
{
    return walk->steps == 0 && walk->wait == 0;
}

/* On for as many steps as this, and up to so many more. */
static void mind_roam(sett_context* context, uint32_t least, uint32_t more)
{
    Job job = simulation_job(context);
    SETT_SYSTEM_EACH(context, b) {
        Walk* walk = sett_batch_field(b, 0);
        SETT_EACH(b, i) {
            if (!mind_is_idle(&walk[i])) {
                continue;
            }
            sett_entity self = sett_batch_entity(b, i);
            /* In the open it bends its way by up to 45 degrees; at a wall it may turn anywhere. */
            uint32_t turn = walk[i].bumped != 0
                                ? 1 + simulation_roll(job.sim, self, DICE_DIRECTION, 7)
                                : 7 + simulation_roll(job.sim, self, DICE_DIRECTION, 3);
            walk[i].direction = (uint8_t)((walk[i].direction + turn) % 8);
            walk[i].steps = (uint8_t)(least + simulation_roll(job.sim, self, DICE_STEPS, more));
            walk[i].bumped = 0;
        }
    }
}

static void wander_run(sett_context* context)
{
    mind_roam(context, 1, 16);
}

const sett_system_desc system_wander = {
    .name = "wander",
    .run = wander_run,
    .terms = {SETT_INOUT(Walk), SETT_WITH(Monster), SETT_WITHOUT(Target), SETT_WITHOUT(Pain),
              SETT_WITHOUT(Charge)},
};

/* --- chase ------------------------------------------------------------------------------------ */

/* The one of eight directions that leads best along (dx, dy). */
static uint8_t chase_direction(int64_t dx, int64_t dy)
{
    int64_t wide = fixed_abs64(dx);
    int64_t tall = fixed_abs64(dy);
    if (wide > 2 * tall) {
        return dx > 0 ? 0 : 4;
    }
    if (tall > 2 * wide) {
        return dy > 0 ? 2 : 6;
    }
    return dx > 0 ? (dy > 0 ? 1 : 7) : (dy > 0 ? 3 : 5);
}

static void chase_run(sett_context* context)
{
    Job job = simulation_job(context);
    SETT_SYSTEM_EACH(context, b) {
        Walk* walk = sett_batch_field(b, 0);
        const Position* position = sett_batch_field(b, 1);
        const Target* target = sett_batch_field(b, 2);
        SETT_EACH(b, i) {
            const Position* there = SETT_FIND(job.world, target[i].enemy, Position);
            if (there == NULL || !mind_is_idle(&walk[i])) {
                continue;
            }
            sett_entity self = sett_batch_entity(b, i);
            uint8_t straight = chase_direction((int64_t)there->x - position[i].x,
                                               (int64_t)there->y - position[i].y);
            if (walk[i].bumped != 0) {
                /* Around the obstacle: any other direction, and long enough to get past. */
                uint32_t turn = 1 + simulation_roll(job.sim, self, DICE_DIRECTION, 7);
                walk[i].direction = (uint8_t)((straight + turn) % 8);
                walk[i].steps = (uint8_t)(2 + simulation_roll(job.sim, self, DICE_STEPS, 8));
            } else {
                walk[i].direction = straight;
                walk[i].steps = (uint8_t)(1 + simulation_roll(job.sim, self, DICE_STEPS, 3));
            }
            walk[i].bumped = 0;
        }
    }
}

const sett_system_desc system_chase = {
    .name = "chase",
    .run = chase_run,
    .terms = {SETT_INOUT(Walk), SETT_IN(Position), SETT_IN(Target), SETT_WITH(Monster),
              SETT_WITHOUT(Pain), SETT_WITHOUT(Charge)},
};

/* --- explore ---------------------------------------------------------------------------------- */

/* On and on, and off at a wall: so a player sees more of a map than a monster, which wanders. */
static void explore_run(sett_context* context)
{
    mind_roam(context, 8, 40);
}

const sett_system_desc system_explore = {
    .name = "explore",
    .run = explore_run,
    .terms = {SETT_INOUT(Walk), SETT_WITH(Player), SETT_WITHOUT(Target)},
};

/* --- circle ----------------------------------------------------------------------------------- */

/* By how many eighths of a circle a player turns off the straight way to its enemy. */
static uint32_t circle_turn(const Simulation* sim, sett_entity self, int64_t distance)
{
    uint32_t roll = simulation_roll(sim, self, DICE_DIRECTION, 2);
    if (distance > CIRCLE_FAR) {
        return 0;
    }
    if (distance < CIRCLE_NEAR) {
        return roll != 0 ? 3 : 5;
    }
    return roll != 0 ? 2 : 6;
}

static void circle_run(sett_context* context)
{
    Job job = simulation_job(context);
    SETT_SYSTEM_EACH(context, b) {
        Walk* walk = sett_batch_field(b, 0);
        const Position* position = sett_batch_field(b, 1);
        const Target* target = sett_batch_field(b, 2);
        SETT_EACH(b, i) {
            const Position* there = SETT_FIND(job.world, target[i].enemy, Position);
            if (there == NULL || !mind_is_idle(&walk[i])) {
                continue;
            }
            sett_entity self = sett_batch_entity(b, i);
            int64_t dx = (int64_t)there->x - position[i].x;
            int64_t dy = (int64_t)there->y - position[i].y;
            int64_t distance =
                fixed_abs64(dx) > fixed_abs64(dy) ? fixed_abs64(dx) : fixed_abs64(dy);
            uint32_t turn = walk[i].bumped != 0
                                ? 1 + simulation_roll(job.sim, self, DICE_DIRECTION, 7)
                                : circle_turn(job.sim, self, distance);
            walk[i].direction = (uint8_t)((chase_direction(dx, dy) + turn) % 8);
            walk[i].steps = (uint8_t)(2 + simulation_roll(job.sim, self, DICE_STEPS, 6));
            walk[i].bumped = 0;
        }
    }
}

const sett_system_desc system_circle = {
    .name = "circle",
    .run = circle_run,
    .terms = {SETT_INOUT(Walk), SETT_IN(Position), SETT_IN(Target), SETT_WITH(Player)},
};

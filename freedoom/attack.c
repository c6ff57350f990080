/* attack.c - the systems by which monsters and players fight, and their ways to do it. See
 * systems.h. */
#include "blast.h"
#include "collide.h"
#include "ray.h"
#include "spawn.h"
#include "systems.h"

#define ATTACK_RANGE fixed_from_int(2048) /* of bullets, and of patience to throw */
#define ATTACK_BITE fixed_from_int(24)    /* beyond both radii */
#define ATTACK_RETRY 8u                   /* ticks until it tries again when nothing came of it */
#define ATTACK_REST 24u                   /* pauses are longer by up to so many ticks */
#define ATTACK_MUZZLE fixed_from_int(32)  /* height of a weapon */
#define ATTACK_SPREAD 320                 /* of a bullet: up to 64 times this, in 65,536ths */
#define ATTACK_BLIND 4                    /* times as much if one does not see the enemy well */
#define ATTACK_VOLLEY 8000                /* between the missiles of a volley, in 65,536ths */
#define CHARGE_SPEED 20                   /* units a tick */
#define CHARGE_TICKS 40
#define BIRTH_DISTANCE 56 /* units in front of the one who bears */

/* Who attacks whom: everything that the ways to attack have in common. */
typedef struct Duel {
    sett_entity self, enemy;
    const Arms* arms;
    Place place;
    RayPoint from; /* the muzzle */
    RayPoint to;   /* the middle of the enemy */
    int64_t dx, dy, dz;
    int64_t distance; /* in the plane, at least FIXED_ONE */
    int64_t gap;      /* from skin to skin */
} Duel;

/* --- the ways --------------------------------------------------------------------------------- */

static void attack_bite(const Job* job, const Duel* duel)
{
    spawn_hit(job, duel->enemy, duel->self,
              simulation_roll_damage(job->sim, duel->self, DICE_BITE, duel->arms->melee));
}

/* The point at a given distance in the enemy's direction, turned aside by `slant` 65,536ths. */
static RayPoint attack_point(const Duel* duel, int64_t distance, int64_t slant)
{
    int64_t x = duel->dx - duel->dy * slant / FIXED_ONE;
    int64_t y = duel->dy + duel->dx * slant / FIXED_ONE;
    return (RayPoint){.x = fixed_saturate(duel->from.x + x * distance / duel->distance),
                      .y = fixed_saturate(duel->from.y + y * distance / duel->distance),
                      .z = fixed_saturate(duel->from.z + duel->dz * distance / duel->distance)};
}

/* A number around zero, more often small than large. */
static int32_t attack_sway(const Simulation* sim, const Duel* duel, uint32_t n)
{
    uint32_t bits = dice_bits(sim->dice, duel->self.index, DICE_AIM + n);
    return (int32_t)(bits & 63u) - (int32_t)((bits >> 6) & 63u);
}

static void attack_bullet(const Job* job, const Duel* duel, uint32_t n)
{
    const Arena* arena = simulation_arena(job->sim, duel->place);
    int64_t slant = (int64_t)attack_sway(job->sim, duel, n) * ATTACK_SPREAD;
    slant *= SETT_HAS(job->world, duel->enemy, Invisible) ? ATTACK_BLIND : 1;
    RayPoint to = attack_point(duel, ATTACK_RANGE, slant);
    Fixed share = ray_reach(&arena->level, simulation_heights(job->sim, arena), duel->from, to);
    const CrowdBody* victim =
        crowd_first_hit(&job->sim->crowd, arena, duel->from, to, 0, duel->self, &share);
    if (victim != NULL) {
        spawn_hit(
            job, victim->entity, duel->self,
            simulation_roll_damage(job->sim, duel->self, DICE_BULLET + n, duel->arms->bullet));
    } else {
        spawn_news(job, EVENT_MISS, duel->place.arena, duel->self, sett_null(), 0);
    }
    RayPoint end = ray_point(duel->from, to, share);
    Place place = {.arena = duel->place.arena,
                   .sector = (uint16_t)level_sector_at(&arena->level, end.x, end.y)};
    spawn_spark(job, place, (Position){end.x, end.y, end.z});
}

static Velocity attack_velocity(const Duel* duel, int32_t speed, int64_t slant)
{
    RayPoint to = attack_point(duel, fixed_from_int(speed), slant);
    return (Velocity){to.x - duel->from.x, to.y - duel->from.y, to.z - duel->from.z};
}

/* Missiles of a volley leave side by side: one straight, two a little to either side. */
static void attack_throw(const Job* job, const Duel* duel, uint32_t n)
{
    const ThingType* missile = &thing_table[duel->arms->missile];
    int64_t slant = ((int64_t)n * 2 - (duel->arms->volley - 1)) * (ATTACK_VOLLEY / 2);
    Position at = {duel->from.x, duel->from.y, duel->from.z};
    sett_entity entity = spawn_missile(job, duel->arms->missile, duel->place, at,
                                       attack_velocity(duel, missile->speed, slant), duel->self);
    if (missile->homes) {
        SETT_CMD_SET(job->commands, entity, Homing, .prey = duel->enemy);
    }
}

static void attack_charge(const Job* job, const Duel* duel)
{
    Velocity velocity = attack_velocity(duel, CHARGE_SPEED, 0);
    sett_cmd_set(job->commands, duel->self, Velocity_id, &velocity);
    SETT_CMD_SET(job->commands, duel->self, Charge, .ticks = CHARGE_TICKS);
}

static void attack_flames(const Job* job, const Duel* duel)
{
    Position at = {duel->to.x, duel->to.y, duel->to.z};
    spawn_hit(job, duel->enemy, duel->self,
              simulation_roll_damage(job->sim, duel->self, DICE_BULLET, duel->arms->bullet));
    blast(job, duel->place, at, duel->arms->blast, duel->self);
}

/* The newborn needs room in front of its parent. */
static void attack_spawn(const Job* job, const Duel* duel)
{
    const Arena* arena = simulation_arena(job->sim, duel->place);
    const LevelHeights* heights = simulation_heights(job->sim, arena);
    const ThingType* child = &thing_table[duel->arms->missile];
    Fixed radius = fixed_from_int(child->radius);
    Fixed height = fixed_from_int(child->height);
    RayPoint at = attack_point(duel, fixed_from_int(BIRTH_DISTANCE), 0);
    CollideFooting footing =
        collide_footing(&arena->level, heights, at.x, at.y, radius, WAD_LINE_BLOCKS);
    if (ray_reach(&arena->level, heights, duel->from, at) != FIXED_ONE ||
        !collide_enter(&footing, &at.z, height, COLLIDE_FLIES) ||
        crowd_obstacle(&job->sim->crowd, arena, duel->from, at, radius, height, duel->self) !=
            NULL) {
        return;
    }
    Place place = {.arena = duel->place.arena, .sector = footing.sector};
    spawn_thing(job, duel->arms->missile, place, (Position){at.x, at.y, at.z});
    spawn_news(job, EVENT_BIRTH, place.arena, duel->self, sett_null(), 0);
}

static void attack_from_afar(const Job* job, const Duel* duel)
{
    for (uint32_t n = 0; n < duel->arms->volley; ++n) {
        switch (duel->arms->attack) {
        case ATTACK_BULLETS:
            attack_bullet(job, duel, n);
            break;
        case ATTACK_MISSILE:
            attack_throw(job, duel, n);
            break;
        case ATTACK_CHARGE:
            attack_charge(job, duel);
            break;
        case ATTACK_FLAMES:
            attack_flames(job, duel);
            break;
        case ATTACK_SPAWN:
            attack_spawn(job, duel);
            break;
        case ATTACK_NONE:
            break;
        }
    }
}

/* --- the decision ----------------------------------------------------------------------------- */

/* Returns false if the enemy is no more. */
static bool attack_face(const Simulation* sim, Duel* duel, const Position* position,
                        const Body* body)
{
    /* A corpse has a position but no body. */
    const Position* there = SETT_FIND(sim->world, duel->enemy, Position);
    const Body* other = SETT_FIND(sim->world, duel->enemy, Body);
    if (there == NULL || other == NULL) {
        return false;
    }
    duel->from = (RayPoint){position->x, position->y, fixed_add(position->z, ATTACK_MUZZLE)};
    duel->to = (RayPoint){there->x, there->y, fixed_add(there->z, other->height / 2)};
    duel->dx = (int64_t)duel->to.x - duel->from.x;
    duel->dy = (int64_t)duel->to.y - duel->from.y;
    duel->dz = (int64_t)duel->to.z - duel->from.z;
    /* Halved, so that the squares fit. */
    int64_t half_x = duel->dx / 2, half_y = duel->dy / 2;
    uint64_t square = (uint64_t)(half_x * half_x) + (uint64_t)(half_y * half_y);
    duel->distance = 2 * (int64_t)fixed_square_root(square);
    duel->distance = duel->distance < FIXED_ONE ? FIXED_ONE : duel->distance;
    duel->gap = duel->distance - body->radius - other->radius;
    return true;
}

static bool attack_sees(const Simulation* sim, const Duel* duel)
{
    const Arena* arena = simulation_arena(sim, duel->place);
    Fixed half = duel->to.z - SETT_GET(sim->world, duel->enemy, Position)->z;
    return ray_sees(&arena->level, simulation_heights(sim, arena), duel->from, duel->to.x,
                    duel->to.y, fixed_add(duel->to.z, -half), fixed_add(duel->to.z, half));
}

/* Returns whether it came to an attack. */
static bool attack_try(const Job* job, const Duel* duel)
{
    bool bites = duel->arms->melee.damage != 0 && duel->arms->attack != ATTACK_CHARGE &&
                 duel->gap < ATTACK_BITE;
    bool shoots = duel->arms->attack != ATTACK_NONE && duel->distance < ATTACK_RANGE;
    if ((!bites && !shoots) || !attack_sees(job->sim, duel)) {
        return false;
    }
    spawn_news(job, EVENT_SHOT, duel->place.arena, duel->self, duel->enemy, 0);
    if (bites) {
        attack_bite(job, duel);
    } else {
        attack_from_afar(job, duel);
    }
    return true;
}

static void attack_run(sett_context* context)
{
    Job job = simulation_job(context);
    SETT_SYSTEM_EACH(context, b) {
        const Target* target = sett_batch_field(b, 0);
        const Position* position = sett_batch_field(b, 1);
        const Place* place = sett_batch_field(b, 2);
        const Body* body = sett_batch_field(b, 3);
        const Thing* thing = sett_batch_field(b, 4);
        SETT_EACH(b, i) {
            Duel duel = {.self = sett_batch_entity(b, i),
                         .enemy = target[i].enemy,
                         .arms = &thing_table[thing[i].type].arms,
                         .place = place[i]};
            uint32_t pause = ATTACK_RETRY;
            if (attack_face(job.sim, &duel, &position[i], &body[i]) && attack_try(&job, &duel)) {
                pause = duel.arms->pause +
                        simulation_roll(job.sim, duel.self, DICE_COOLDOWN, ATTACK_REST);
            }
            SETT_CMD_SET(job.commands, duel.self, Cooldown, .ticks = (uint16_t)pause);
        }
    }
}

const sett_system_desc system_attack = {
    .name = "attack",
    .run = attack_run,
    .terms = {SETT_IN(Target), SETT_IN(Position), SETT_IN(Place), SETT_IN(Body), SETT_IN(Thing),
              SETT_WITH(Monster), SETT_WITHOUT(Cooldown), SETT_WITHOUT(Pain), SETT_WITHOUT(Charge)},
};

/* --- players ---------------------------------------------------------------------------------- */

/* The most feared weapon that is there, loaded, and not too dangerous at this distance. */
static const WeaponType* shoot_choose(const Pack* pack, int64_t distance)
{
    for (uint32_t i = WEAPON_COUNT; i-- > 0;) {
        const WeaponType* weapon = &weapon_table[i];
        bool is_loaded = weapon->ammo == AMMO_NONE || pack->rounds[weapon->ammo] >= weapon->rounds;
        if ((pack->weapons >> i & 1u) != 0 && is_loaded &&
            distance >= (int64_t)weapon->distance * FIXED_ONE) {
            return weapon;
        }
    }
    return &weapon_table[WEAPON_FIST];
}

static void shoot_run(sett_context* context)
{
    Job job = simulation_job(context);
    SETT_SYSTEM_EACH(context, b) {
        Pack* pack = sett_batch_field(b, 0);
        const Target* target = sett_batch_field(b, 1);
        const Position* position = sett_batch_field(b, 2);
        const Place* place = sett_batch_field(b, 3);
        const Body* body = sett_batch_field(b, 4);
        SETT_EACH(b, i) {
            Duel duel = {
                .self = sett_batch_entity(b, i), .enemy = target[i].enemy, .place = place[i]};
            uint32_t pause = ATTACK_RETRY;
            if (attack_face(job.sim, &duel, &position[i], &body[i])) {
                const WeaponType* weapon = shoot_choose(&pack[i], duel.distance);
                duel.arms = &weapon->arms;
                if (attack_try(&job, &duel)) {
                    pause = weapon->arms.pause;
                    pack[i].rounds[weapon->ammo] =
                        (uint16_t)(pack[i].rounds[weapon->ammo] - weapon->rounds);
                }
            }
            SETT_CMD_SET(job.commands, duel.self, Cooldown, .ticks = (uint16_t)pause);
        }
    }
}

const sett_system_desc system_shoot = {
    .name = "shoot",
    .run = shoot_run,
    .terms = {SETT_INOUT(Pack), SETT_IN(Target), SETT_IN(Position), SETT_IN(Place), SETT_IN(Body),
              SETT_WITHOUT(Cooldown), SETT_WITHOUT(Input)},
    .access_any_in = {Thing_id},
};

/* --- humans ----------------------------------------------------------------------------------- */

#define FIRE_STEEPEST 5 / 8 /* of the distance: so far up or down a shot is bent to a target */
#define FIRE_WIDE 24        /* the distance by this is how far aside a target may be */
#define FIRE_BITE fixed_from_int(40)

/* The nearest that stands about in the direction of the duel, and can be seen. A human aims left
 * and right; up and down is aimed for him. */
static const CrowdBody* fire_find(const Simulation* sim, const Duel* duel)
{
    const Arena* arena = simulation_arena(sim, duel->place);
    const LevelHeights* heights = simulation_heights(sim, arena);
    const CrowdBody* found = NULL;
    int64_t nearest = ATTACK_RANGE;
    LevelBox box = level_box(duel->from.x, duel->from.y, ATTACK_RANGE);
    for (CrowdSweep sweep = crowd_sweep(&sim->crowd, arena, box); crowd_sweep_next(&sweep);) {
        const CrowdBody* body = sweep.body;
        int64_t x = (int64_t)body->x - duel->from.x, y = (int64_t)body->y - duel->from.y;
        int64_t along = (x / 256 * duel->dx + y / 256 * duel->dy) / (duel->distance / 256);
        int64_t aside =
            fixed_abs64(y / 256 * duel->dx - x / 256 * duel->dy) / (duel->distance / 256);
        int64_t up = (int64_t)body->z + body->height / 2 - duel->from.z;
        if (thing_table[body->type].health != 0 && !sett_equals(body->entity, duel->self) &&
            along > 0 && along < nearest && aside < body->radius + along / FIRE_WIDE &&
            fixed_abs64(up) < along * FIRE_STEEPEST + body->height &&
            ray_sees(&arena->level, heights, duel->from, body->x, body->y, body->z,
                     fixed_add(body->z, body->height))) {
            nearest = along;
            found = body;
        }
    }
    return found;
}

/* The weapon in his hands, if it is loaded; otherwise another. */
static const WeaponType* fire_choose(const Pack* pack, const Input* input, Facing* facing)
{
    uint32_t wanted = input->weapon != 0 ? input->weapon : facing->weapon;
    const WeaponType* weapon = shoot_choose(pack, ATTACK_RANGE);
    if (wanted != 0 && wanted <= WEAPON_COUNT && (pack->weapons >> (wanted - 1) & 1u) != 0) {
        const WeaponType* held = &weapon_table[wanted - 1];
        if (held->ammo == AMMO_NONE || pack->rounds[held->ammo] >= held->rounds) {
            weapon = held;
        }
    }
    facing->weapon = (uint8_t)(weapon - weapon_table + 1);
    return weapon;
}

static void fire_weapon(const Job* job, Duel* duel, const WeaponType* weapon)
{
    const CrowdBody* target = fire_find(job->sim, duel);
    duel->arms = &weapon->arms;
    if (target != NULL) {
        int64_t x = ((int64_t)target->x - duel->from.x) / 2;
        int64_t y = ((int64_t)target->y - duel->from.y) / 2;
        int64_t far = 2 * (int64_t)fixed_square_root((uint64_t)(x * x) + (uint64_t)(y * y));
        far = far < FIXED_ONE ? FIXED_ONE : far;
        duel->enemy = target->entity;
        duel->gap = far - target->radius - SETT_GET(job->world, duel->self, Body)->radius;
        duel->dz = ((int64_t)target->z + target->height / 2 - duel->from.z) * duel->distance / far;
    }
    spawn_news(job, EVENT_SHOT, duel->place.arena, duel->self, duel->enemy, 0);
    if (weapon->arms.attack != ATTACK_NONE) {
        attack_from_afar(job, duel);
    } else if (target != NULL && duel->gap < FIRE_BITE) {
        attack_bite(job, duel);
    }
}

static void fire_run(sett_context* context)
{
    Job job = simulation_job(context);
    SETT_SYSTEM_EACH(context, b) {
        const Input* input = sett_batch_field(b, 0);
        Facing* facing = sett_batch_field(b, 1);
        Pack* pack = sett_batch_field(b, 2);
        const Position* position = sett_batch_field(b, 3);
        const Place* place = sett_batch_field(b, 4);
        SETT_EACH(b, i) {
            const WeaponType* weapon = fire_choose(&pack[i], &input[i], &facing[i]);
            if ((input[i].buttons & INPUT_FIRE) == 0) {
                continue;
            }
            Duel duel = {
                .self = sett_batch_entity(b, i),
                .place = place[i],
                .from = {position[i].x, position[i].y, fixed_add(position[i].z, ATTACK_MUZZLE)},
                .dx = (int64_t)fixed_cosine(input[i].angle) * (ATTACK_RANGE / FIXED_ONE),
                .dy = (int64_t)fixed_sine(input[i].angle) * (ATTACK_RANGE / FIXED_ONE),
                .distance = ATTACK_RANGE};
            fire_weapon(&job, &duel, weapon);
            pack[i].rounds[weapon->ammo] =
                (uint16_t)(pack[i].rounds[weapon->ammo] - weapon->rounds);
            SETT_CMD_SET(job.commands, duel.self, Cooldown, .ticks = weapon->arms.pause);
        }
    }
}

const sett_system_desc system_fire = {
    .name = "fire",
    .run = fire_run,
    .terms = {SETT_IN(Input), SETT_INOUT(Facing), SETT_INOUT(Pack), SETT_IN(Position),
              SETT_IN(Place), SETT_WITHOUT(Cooldown)},
    .access_any_in = {Body_id, Thing_id},
};

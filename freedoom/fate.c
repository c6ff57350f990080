/* fate.c - the systems by which hits turn into pain, corpses, explosions, and back. See
 * systems.h. */
#include "blast.h"
#include "spawn.h"
#include "systems.h"

#define PAIN_TICKS 8
#define HURT_PATIENCE 10  /* as of an enemy that was seen */
#define RISE_INTERVAL 40u /* ticks from one look for a healer to the next */
#define RISE_REACH 96     /* map units */
#define RISE_AGE 70u      /* ticks that a corpse lies at least */

/* --- hurt ------------------------------------------------------------------------------------- */

/* Who is hit by another kind turns against it: at once if it has no enemy, else now and then. */
static void hurt_bear_grudge(const Job* job, const Hit* hit, const ThingType* type)
{
    const ThingType* attacker = simulation_type_of(job->sim, hit->attacker);
    if (attacker == type || !SETT_HAS(job->world, hit->attacker, Alive)) {
        return;
    }
    if (!SETT_HAS(job->world, hit->victim, Target) ||
        simulation_roll(job->sim, hit->victim, DICE_GRUDGE, 4) == 0) {
        SETT_CMD_SET(job->commands, hit->victim, Target, .enemy = hit->attacker,
                     .z = SETT_GET(job->world, hit->attacker, Position)->z,
                     .patience = HURT_PATIENCE);
    }
}

/* Armour takes its share, and is used up by it. Returns what is left of the damage. */
static int32_t hurt_player(const Job* job, sett_entity player, int32_t damage)
{
    if (SETT_HAS(job->world, player, Invulnerable)) {
        return 0;
    }
    Armour* armour = SETT_GET_MUT(job->world, player, Armour);
    int32_t share = armour->kind == ARMOUR_BLUE ? damage / 2 : damage / 3;
    int32_t saved = fixed_min(share, armour->points);
    armour->points = (uint16_t)(armour->points - saved);
    armour->kind = armour->points != 0 ? armour->kind : 0;
    return damage - saved;
}

/* A human may ask later who it was, and what he has done himself. */
static void hurt_remember(const Job* job, const Hit* hit, bool kills)
{
    if (SETT_HAS(job->world, hit->victim, Facing)) {
        SETT_GET_MUT(job->world, hit->victim, Facing)->attacker = hit->attacker;
    }
    if (kills && SETT_HAS(job->world, hit->attacker, Facing)) {
        ++SETT_GET_MUT(job->world, hit->attacker, Facing)->kills;
    }
}

static void hurt_living(const Job* job, const Hit* hit, const ThingType* type)
{
    if (simulation_roll(job->sim, hit->victim, DICE_PAIN, 256) < type->pain_chance) {
        SETT_CMD_SET(job->commands, hit->victim, Pain, .ticks = PAIN_TICKS);
    }
    hurt_bear_grudge(job, hit, type);
}

static void hurt_run(sett_context* context)
{
    Job job = simulation_job(context);
    SETT_SYSTEM_EACH(context, b) {
        const Hit* hit = sett_batch_field(b, 0);
        SETT_EACH(b, i) {
            spawn_end(&job, sett_batch_entity(b, i));
            /* It may be a column, or a body that another hit of this tick has ended. */
            if (!SETT_HAS(job.world, hit[i].victim, Health)) {
                continue;
            }
            Health* health = SETT_GET_MUT(job.world, hit[i].victim, Health);
            uint32_t arena = SETT_GET(job.world, hit[i].victim, Place)->arena;
            const ThingType* type = simulation_type_of(job.sim, hit[i].victim);
            bool is_player = type->kind == THING_PLAYER;
            int32_t damage =
                is_player ? hurt_player(&job, hit[i].victim, hit[i].damage) : hit[i].damage;
            hurt_remember(&job, &hit[i], health->points > 0 && health->points <= damage);
            health->points -= damage;
            spawn_news(&job, EVENT_HIT, arena, hit[i].attacker, hit[i].victim, damage);
            if (health->points <= 0) {
                sett_cmd_add(job.commands, hit[i].victim, Dying_id);
            } else if (is_player || type->kind == THING_MONSTER) {
                hurt_living(&job, &hit[i], type);
            }
        }
    }
}

const sett_system_desc system_hurt = {
    .name = "hurt",
    .run = hurt_run,
    .terms = {SETT_IN(Hit)},
    .access_any_in = {Place_id, Thing_id, Position_id},
    .access_any_inout = {Health_id, Armour_id, Facing_id},
};

/* --- die -------------------------------------------------------------------------------------- */

/* With Alive goes all that requires it: its walk, its enemy, its pain. */
static void die_to_corpse(const Job* job, sett_entity self)
{
    sett_cmd_remove(job->commands, self, Alive_id);
    sett_cmd_remove(job->commands, self, Velocity_id);
    sett_cmd_remove(job->commands, self, Body_id);
    sett_cmd_remove(job->commands, self, Health_id);
    sett_cmd_remove(job->commands, self, Dying_id);
    SETT_CMD_SET(job->commands, self, Corpse, .since = job->sim->dice.tick);
}

static void die_drop_item(const Job* job, const ThingType* type, Place place, Position position,
                          sett_entity self)
{
    if (type->drops != 0) {
        spawn_thing(job, thing_table_find(type->drops), place, position);
        spawn_news(job, EVENT_DROP, place.arena, self, sett_null(), 0);
    }
}

static void die_run(sett_context* context)
{
    Job job = simulation_job(context);
    SETT_SYSTEM_EACH(context, b) {
        const Thing* thing = sett_batch_field(b, 0);
        Position* position = sett_batch_field(b, 1);
        const Place* place = sett_batch_field(b, 2);
        SETT_EACH(b, i) {
            sett_entity self = sett_batch_entity(b, i);
            const ThingType* type = &thing_table[thing[i].type];
            spawn_news(&job, EVENT_DEATH, place[i].arena, self, sett_null(), 0);
            if (type->kind == THING_BARREL) {
                blast(&job, place[i], position[i], type->blast, self);
                spawn_spark(&job, place[i], position[i]);
                spawn_end(&job, self);
            } else if (type->arms.attack == ATTACK_CHARGE) {
                /* A lost soul burns up and leaves nothing. */
                spawn_spark(&job, place[i], position[i]);
                spawn_end(&job, self);
            } else {
                const Arena* arena = simulation_arena(job.sim, place[i]);
                position[i].z = simulation_heights(job.sim, arena)[place[i].sector].floor;
                die_drop_item(&job, type, place[i], position[i], self);
                die_to_corpse(&job, self);
            }
        }
    }
}

const sett_system_desc system_die = {
    .name = "die",
    .run = die_run,
    .terms = {SETT_IN(Thing), SETT_INOUT(Position), SETT_IN(Place), SETT_WITH(Dying)},
};

/* --- rise ------------------------------------------------------------------------------------- */

/* Returns an arch-vile close by, or null; also null if a body stands on the corpse. */
static sett_entity rise_find_healer(const Simulation* sim, Place place, Position position,
                                    const ThingType* type)
{
    const Arena* arena = simulation_arena(sim, place);
    sett_entity healer = sett_null();
    LevelBox box = level_box(position.x, position.y, fixed_from_int(RISE_REACH) + arena->reach);
    for (CrowdSweep sweep = crowd_sweep(&sim->crowd, arena, box); crowd_sweep_next(&sweep);) {
        const CrowdBody* body = sweep.body;
        int64_t dx = fixed_abs64((int64_t)body->x - position.x);
        int64_t dy = fixed_abs64((int64_t)body->y - position.y);
        int64_t gap = (dx > dy ? dx : dy) - body->radius;
        if (gap < fixed_from_int(type->radius)) {
            return sett_null();
        }
        if (thing_table[body->type].raises && gap < fixed_from_int(RISE_REACH) &&
            sett_is_null(healer)) {
            healer = body->entity;
        }
    }
    return healer;
}

static void rise_run(sett_context* context)
{
    Job job = simulation_job(context);
    SETT_SYSTEM_EACH(context, b) {
        const Corpse* corpse = sett_batch_field(b, 0);
        const Thing* thing = sett_batch_field(b, 1);
        const Position* position = sett_batch_field(b, 2);
        const Place* place = sett_batch_field(b, 3);
        SETT_EACH(b, i) {
            sett_entity self = sett_batch_entity(b, i);
            const ThingType* type = &thing_table[thing[i].type];
            /* Who brings others back is not brought back, and players come in by the door. */
            if (type->raises || type->kind != THING_MONSTER ||
                job.sim->dice.tick - corpse[i].since < RISE_AGE ||
                !simulation_is_due(job.sim, self, RISE_INTERVAL)) {
                continue;
            }
            sett_entity healer = rise_find_healer(job.sim, place[i], position[i], type);
            if (!sett_is_null(healer) && simulation_roll(job.sim, self, DICE_RISE, 2) == 0) {
                sett_cmd_remove(job.commands, self, Corpse_id);
                spawn_life(&job, self, type);
                spawn_news(&job, EVENT_RISE, place[i].arena, healer, self, 0);
            }
        }
    }
}

const sett_system_desc system_rise = {
    .name = "rise",
    .run = rise_run,
    .terms = {SETT_IN(Corpse), SETT_IN(Thing), SETT_IN(Position), SETT_IN(Place)},
};

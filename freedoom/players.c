/* players.c - the systems by which players come in, and by which the floor goes against them. See
 * systems.h. What they want and how they fight stands beside what monsters want and how they do. */
#include "spawn.h"
#include "systems.h"

#define ENTER_WAIT 175u   /* ticks from a death */
#define BURN_INTERVAL 32u /* ticks */

/* --- enter ------------------------------------------------------------------------------------ */

/* Nearly always there is nothing to do: it declares that it reads, and writes the one it must. */
static void enter_run(sett_context* context)
{
    Job job = simulation_job(context);
    SETT_SYSTEM_EACH(context, b) {
        const Start* start = sett_batch_field(b, 0);
        const Position* position = sett_batch_field(b, 1);
        const Place* place = sett_batch_field(b, 2);
        const Thing* thing = sett_batch_field(b, 3);
        SETT_EACH(b, i) {
            if (SETT_HAS(job.world, start[i].player, Player)) {
                continue;
            }
            Start* mine = SETT_GET_MUT(job.world, sett_batch_entity(b, i), Start);
            Fixed radius = fixed_from_int(thing_table[THING_PLAYER_ROW].radius);
            if (++mine->waited < ENTER_WAIT ||
                crowd_is_taken(&job.sim->crowd, simulation_arena(job.sim, place[i]), position[i].x,
                               position[i].y, radius)) {
                continue;
            }
            uint8_t number = (uint8_t)thing_table[thing[i].type].number;
            *mine = (Start){.player = spawn_player(&job, number, place[i], position[i])};
            spawn_news(&job, EVENT_ENTER, place[i].arena, sett_batch_entity(b, i), sett_null(), 0);
        }
    }
}

const sett_system_desc system_enter = {
    .name = "enter",
    .run = enter_run,
    .terms = {SETT_IN(Start), SETT_IN(Position), SETT_IN(Place), SETT_IN(Thing)},
    .access_inout = {Start_id},
};

/* --- burn ------------------------------------------------------------------------------------- */

/* What a sector does to who stands on it: damage every BURN_INTERVAL ticks. */
static int32_t burn_damage(uint16_t action)
{
    switch (action) {
    case 7:
        return 5;
    case 5:
        return 10;
    case 4:
    case 11:
    case 16:
        return 20;
    default:
        return 0;
    }
}

static void burn_run(sett_context* context)
{
    Job job = simulation_job(context);
    SETT_SYSTEM_EACH(context, b) {
        const Position* position = sett_batch_field(b, 0);
        const Place* place = sett_batch_field(b, 1);
        SETT_EACH(b, i) {
            const Arena* arena = simulation_arena(job.sim, place[i]);
            sett_entity sector = arena->sectors[place[i].sector];
            const Special* special = SETT_FIND(job.world, sector, Special);
            int32_t damage = special != NULL ? burn_damage(special->action) : 0;
            bool touches =
                position[i].z <= simulation_heights(job.sim, arena)[place[i].sector].floor;
            sett_entity self = sett_batch_entity(b, i);
            if (damage != 0 && touches && simulation_is_due(job.sim, self, BURN_INTERVAL)) {
                spawn_hit(&job, self, sector, damage);
            }
        }
    }
}

const sett_system_desc system_burn = {
    .name = "burn",
    .run = burn_run,
    .terms = {SETT_IN(Position), SETT_IN(Place), SETT_WITH(Player), SETT_WITHOUT(Shielded)},
    .access_any_in = {Special_id},
};

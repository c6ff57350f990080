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
    Lane lane = simulation_lane(context);
    SETT_SYSTEM_QUERY(context, b) {
        const Start* start = sett_batch_field(b, 0);
        const Position* position = sett_batch_field(b, 1);
        const Place* place = sett_batch_field(b, 2);
        const Thing* thing = sett_batch_field(b, 3);
        SETT_EACH(b, i) {
            if (SETT_HAS(lane.world, start[i].player, Player)) {
                continue;
            }
            Start* mine = SETT_GET_MUT(lane.world, sett_batch_entity(b, i), Start);
            Fixed radius = fixed_from_int(thing_table[THING_PLAYER_ROW].radius);
            if (++mine->waited < ENTER_WAIT ||
                crowd_is_taken(&lane.sim->crowd, simulation_arena(lane.sim, place[i]),
                               position[i].x, position[i].y, radius)) {
                continue;
            }
            uint8_t number = (uint8_t)thing_table[thing[i].type].number;
            *mine = (Start){.player = spawn_player(&lane, number, place[i], position[i])};
            spawn_news(&lane, EVENT_ENTER, place[i].arena, sett_batch_entity(b, i), sett_null(), 0);
        }
    }
}

const sett_system_desc system_enter = {
    .name = "enter",
    .run = enter_run,
    .terms = {SETT_READS(Start), SETT_READS(Position), SETT_READS(Place), SETT_READS(Thing)},
    .reads = {Player_id},
    .writes = {Start_id},
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
    Lane lane = simulation_lane(context);
    SETT_SYSTEM_QUERY(context, b) {
        const Position* position = sett_batch_field(b, 0);
        const Place* place = sett_batch_field(b, 1);
        SETT_EACH(b, i) {
            const Arena* arena = simulation_arena(lane.sim, place[i]);
            sett_entity sector = arena->sectors[place[i].sector];
            const Special* special = SETT_FIND(lane.world, sector, Special);
            int32_t damage = special != NULL ? burn_damage(special->action) : 0;
            bool touches =
                position[i].z <= simulation_heights(lane.sim, arena)[place[i].sector].floor;
            sett_entity self = sett_batch_entity(b, i);
            if (damage != 0 && touches && simulation_is_due(lane.sim, self, BURN_INTERVAL)) {
                spawn_hit(&lane, self, sector, damage);
            }
        }
    }
}

const sett_system_desc system_burn = {
    .name = "burn",
    .run = burn_run,
    .terms = {SETT_READS(Position), SETT_READS(Place), SETT_HAVING(Player), SETT_LACKS(Shielded)},
    .reads = {Special_id},
};

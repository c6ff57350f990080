/* upkeep.c - the systems that keep indexes and clocks. See systems.h. */
#include "spawn.h"
#include "systems.h"

/* --- survey ----------------------------------------------------------------------------------- */

/* Collision asks for heights by a sector's number, thousands of times a tick; the truth is a
 * component of the sector entities. Reading all of it once a tick costs less than looking each of
 * them up. */
static void survey_run(Simulation* sim, sett_batch* b)
{
    const Sector* sector = sett_batch_field(b, 0);
    const Heights* heights = sett_batch_field(b, 1);
    SETT_EACH(b, i) {
        uint32_t first = sim->arenas[sector[i].arena].first_sector;
        sim->heights[first + sector[i].number] = heights[i];
    }
}

const System system_survey = {
    .name = "survey",
    .run = survey_run,
    .query = {.terms = {SETT_READS(Sector), SETT_READS(Heights)}},
};

/* --- gather ----------------------------------------------------------------------------------- */

static void gather_begin(Simulation* sim)
{
    crowd_begin(&sim->crowd, sim->arenas, sim->arena_count);
}

static void gather_run(Simulation* sim, sett_batch* b)
{
    const Position* position = sett_batch_field(b, 0);
    const Place* place = sett_batch_field(b, 1);
    const Body* body = sett_batch_field(b, 2);
    const Thing* thing = sett_batch_field(b, 3);
    SETT_EACH(b, i) {
        CrowdBody arrival = {.x = position[i].x,
                             .y = position[i].y,
                             .z = position[i].z,
                             .radius = body[i].radius,
                             .height = body[i].height,
                             .arena = place[i].arena,
                             .type = thing[i].type,
                             .entity = sett_batch_entity(b, i)};
        if (!crowd_add(&sim->crowd, sim->arenas, arrival)) {
            sim->error = "out of memory for the crowd";
        }
    }
}

static void gather_end(Simulation* sim)
{
    crowd_sort(&sim->crowd);
}

const System system_gather = {
    .name = "gather",
    .begin = gather_begin,
    .run = gather_run,
    .end = gather_end,
    .query = {.terms = {SETT_READS(Position), SETT_READS(Place), SETT_READS(Body),
                        SETT_READS(Thing)}},
};

/* --- clocks ----------------------------------------------------------------------------------- */

/* A clock is a component that removes itself when it has run down: who waits is who has it. */
static void upkeep_run_clocks(Simulation* sim, sett_batch* b, sett_component component)
{
    Clock* clock = sett_batch_field(b, 0);
    SETT_EACH(b, i) {
        if (--clock[i].ticks == 0) {
            sett_cmd_remove(sim->commands, sett_batch_entity(b, i), component);
        }
    }
}

static void cool_down_run(Simulation* sim, sett_batch* b)
{
    upkeep_run_clocks(sim, b, Cooldown_id);
}

const System system_cool_down = {
    .name = "cool down",
    .run = cool_down_run,
    .query = {.terms = {SETT_WRITES(Cooldown)}},
};

static void recover_run(Simulation* sim, sett_batch* b)
{
    upkeep_run_clocks(sim, b, Pain_id);
}

const System system_recover = {
    .name = "recover",
    .run = recover_run,
    .query = {.terms = {SETT_WRITES(Pain)}},
};

/* A player has none of them or several: a field that he lacks is NULL. */
static void wear_off_run(Simulation* sim, sett_batch* b)
{
    static const sett_component powers[] = {Invulnerable_id, Invisible_id, Shielded_id};
    for (uint32_t k = 0; k < sizeof powers / sizeof powers[0]; ++k) {
        Clock* clock = sett_batch_field(b, k);
        if (clock == NULL) {
            continue;
        }
        SETT_EACH(b, i) {
            if (--clock[i].ticks == 0) {
                sett_cmd_remove(sim->commands, sett_batch_entity(b, i), powers[k]);
            }
        }
    }
}

const System system_wear_off = {
    .name = "wear off",
    .run = wear_off_run,
    .query = {.terms = {SETT_MAY_WRITE(Invulnerable), SETT_MAY_WRITE(Invisible),
                        SETT_MAY_WRITE(Shielded), SETT_HAVING(Player)}},
};

static void expire_run(Simulation* sim, sett_batch* b)
{
    Lifetime* lifetime = sett_batch_field(b, 0);
    SETT_EACH(b, i) {
        if (--lifetime[i].ticks == 0) {
            spawn_end(sim, sett_batch_entity(b, i));
        }
    }
}

const System system_expire = {
    .name = "expire",
    .run = expire_run,
    .query = {.terms = {SETT_WRITES(Lifetime)}},
};

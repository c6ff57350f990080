/* upkeep.c - the systems that keep indexes and clocks. See systems.h. */
#include "spawn.h"
#include "systems.h"

#include "sett/hierarchy.h"
#include "sett/name.h"

#define ADOPT_MAX 1024u /* a tick; the others are adopted in the next one */

/* --- survey ----------------------------------------------------------------------------------- */

/* Collision asks for heights by a sector's number, thousands of times a tick; the truth is a
 * component of the sector entities. Reading all of it once a tick costs less than looking each of
 * them up. */
static void survey_run(sett_context* context)
{
    Simulation* sim = context->user;
    SETT_SYSTEM_QUERY(context, b) {
        const Sector* sector = sett_batch_field(b, 0);
        const Heights* heights = sett_batch_field(b, 1);
        SETT_EACH(b, i) {
            uint32_t first = sim->arenas[sector[i].arena].first_sector;
            sim->heights[first + sector[i].number] = heights[i];
        }
    }
}

const sett_system_desc system_survey = {
    .name = "survey",
    .run = survey_run,
    .whole = true,
    .terms = {SETT_READS(Sector), SETT_READS(Heights)},
};

/* --- gather ----------------------------------------------------------------------------------- */

static void gather_batch(Simulation* sim, const sett_batch* b)
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

static void gather_run(sett_context* context)
{
    Simulation* sim = context->user;
    crowd_begin(&sim->crowd, sim->arenas, sim->arena_count);
    SETT_SYSTEM_QUERY(context, b) {
        gather_batch(sim, b);
    }
    crowd_sort(&sim->crowd);
}

const sett_system_desc system_gather = {
    .name = "gather",
    .run = gather_run,
    .whole = true,
    .terms = {SETT_READS(Position), SETT_READS(Place), SETT_READS(Body), SETT_READS(Thing)},
};

/* --- clocks ----------------------------------------------------------------------------------- */

/* A clock is a component that removes itself when it has run down: who waits is who has it. */
static void upkeep_run_clocks(sett_context* context, sett_component component)
{
    SETT_SYSTEM_QUERY(context, b) {
        Clock* clock = sett_batch_field(b, 0);
        SETT_EACH(b, i) {
            if (--clock[i].ticks == 0) {
                sett_cmd_remove(context->commands, sett_batch_entity(b, i), component);
            }
        }
    }
}

static void cool_down_run(sett_context* context)
{
    upkeep_run_clocks(context, Cooldown_id);
}

const sett_system_desc system_cool_down = {
    .name = "cool down",
    .run = cool_down_run,
    .terms = {SETT_WRITES(Cooldown)},
};

static void recover_run(sett_context* context)
{
    upkeep_run_clocks(context, Pain_id);
}

const sett_system_desc system_recover = {
    .name = "recover",
    .run = recover_run,
    .terms = {SETT_WRITES(Pain)},
};

/* A player has none of them or several: a field that he lacks is NULL. */
static void wear_off_run(sett_context* context)
{
    Lane lane = simulation_lane(context);
    SETT_SYSTEM_QUERY(context, b) {
        static const sett_component powers[] = {Invulnerable_id, Invisible_id, Shielded_id};
        for (uint32_t k = 0; k < sizeof powers / sizeof powers[0]; ++k) {
            Clock* clock = sett_batch_field(b, k);
            if (clock == NULL) {
                continue;
            }
            SETT_EACH(b, i) {
                if (--clock[i].ticks == 0) {
                    sett_cmd_remove(lane.commands, sett_batch_entity(b, i), powers[k]);
                }
            }
        }
    }
}

const sett_system_desc system_wear_off = {
    .name = "wear off",
    .run = wear_off_run,
    .terms = {SETT_MAY_WRITE(Invulnerable), SETT_MAY_WRITE(Invisible), SETT_MAY_WRITE(Shielded),
              SETT_HAVING(Player)},
};

static void expire_run(sett_context* context)
{
    Lane lane = simulation_lane(context);
    SETT_SYSTEM_QUERY(context, b) {
        Lifetime* lifetime = sett_batch_field(b, 0);
        SETT_EACH(b, i) {
            if (--lifetime[i].ticks == 0) {
                spawn_end(&lane, sett_batch_entity(b, i));
            }
        }
    }
}

const sett_system_desc system_expire = {
    .name = "expire",
    .run = expire_run,
    .terms = {SETT_WRITES(Lifetime)},
};

/* --- adopt ------------------------------------------------------------------------------------ */

/* Whoever came into being in this tick and stays for a while becomes a child of its map. That
 * changes structure at once: the system runs alone, and not from inside of a loop. */
static void adopt_run(sett_context* context)
{
    const Simulation* sim = context->user;
    uint32_t count = 0;
    sett_entity* orphans = sett_context_alloc(context, ADOPT_MAX * sizeof *orphans, 8);
    SETT_SYSTEM_QUERY(context, b) {
        SETT_EACH(b, i) {
            if (orphans != NULL && count < ADOPT_MAX) {
                orphans[count++] = sett_batch_entity(b, i);
            }
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        Place place = *SETT_GET(context->world, orphans[i], Place);
        sett_hierarchy_attach(context->world, orphans[i], simulation_arena(sim, place)->map);
    }
}

const sett_system_desc system_adopt = {
    .name = "adopt",
    .run = adopt_run,
    .alone = true,
    .terms = {SETT_HAVING(Thing), SETT_HAVING(Place), SETT_LACKS(Missile), SETT_LACKS(Hierarchy)},
};

/* --- tell ------------------------------------------------------------------------------------- */

const char* event_name(Event event)
{
    static const char* const names[EVENT_COUNT] = {"shot", "hit",   "miss",    "blast", "death",
                                                   "drop", "birth", "rise",    "enter", "pickup",
                                                   "door", "lift",  "teleport"};
    return names[event];
}

static void tell_entity(const Lane* lane, sett_entity entity, uint16_t type)
{
    const char* name =
        type != THING_NOTHING ? thing_table[type].name : sett_name_get(lane->world, entity);
    name = name != NULL ? name : "something";
    fprintf(lane->sim->trace, "\t%s #%lu", name, (unsigned long)entity.index);
}

static void tell_line(const Lane* lane, const News* news)
{
    FILE* trace = lane->sim->trace;
    fprintf(trace, "%lu\t%s\t%s", (unsigned long)lane->sim->dice.tick,
            lane->sim->arenas[news->arena].level.map.name, event_name((Event)news->event));
    tell_entity(lane, news->who, news->types[0]);
    if (!sett_is_null(news->other)) {
        tell_entity(lane, news->other, news->types[1]);
    }
    if (news->amount != 0) {
        fprintf(trace, "\t%ld", (long)news->amount);
    }
    fputc('\n', trace);
}

static void tell_run(sett_context* context)
{
    Lane lane = simulation_lane(context);
    Game* game = SETT_GET_MUT(lane.world, lane.sim->game, Game);
    SETT_SYSTEM_QUERY(context, b) {
        const News* news = sett_batch_field(b, 0);
        SETT_EACH(b, i) {
            ++game->events[news[i].event];
            if (lane.sim->trace != NULL) {
                tell_line(&lane, &news[i]);
            }
            spawn_end(&lane, sett_batch_entity(b, i));
        }
    }
    ++game->tick;
}

const sett_system_desc system_tell = {
    .name = "tell",
    .run = tell_run,
    .whole = true,
    .terms = {SETT_READS(News)},
    .reads = {Name_id},
    .random = {Game_id},
};

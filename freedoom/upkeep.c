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
    SETT_SYSTEM_EACH(context, b) {
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
    .single_job = true,
    .terms = {SETT_IN(Sector), SETT_IN(Heights)},
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
    SETT_SYSTEM_EACH(context, b) {
        gather_batch(sim, b);
    }
    crowd_sort(&sim->crowd);
}

const sett_system_desc system_gather = {
    .name = "gather",
    .run = gather_run,
    .single_job = true,
    .terms = {SETT_IN(Position), SETT_IN(Place), SETT_IN(Body), SETT_IN(Thing)},
};

/* --- clocks ----------------------------------------------------------------------------------- */

/* A clock is a component that removes itself when it has run down: who waits is who has it. */
static void upkeep_run_clocks(sett_context* context, sett_component component)
{
    SETT_SYSTEM_EACH(context, b) {
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
    .terms = {SETT_INOUT(Cooldown)},
};

static void recover_run(sett_context* context)
{
    upkeep_run_clocks(context, Pain_id);
}

const sett_system_desc system_recover = {
    .name = "recover",
    .run = recover_run,
    .terms = {SETT_INOUT(Pain)},
};

/* A player has none of them or several: a field that he lacks is NULL. */
static void wear_off_run(sett_context* context)
{
    Job job = simulation_job(context);
    SETT_SYSTEM_EACH(context, b) {
        static const sett_component powers[] = {Invulnerable_id, Invisible_id, Shielded_id};
        for (uint32_t k = 0; k < sizeof powers / sizeof powers[0]; ++k) {
            Clock* clock = sett_batch_field(b, k);
            if (clock == NULL) {
                continue;
            }
            SETT_EACH(b, i) {
                if (--clock[i].ticks == 0) {
                    sett_cmd_remove(job.commands, sett_batch_entity(b, i), powers[k]);
                }
            }
        }
    }
}

const sett_system_desc system_wear_off = {
    .name = "wear off",
    .run = wear_off_run,
    .terms = {SETT_OPTIONAL_INOUT(Invulnerable), SETT_OPTIONAL_INOUT(Invisible),
              SETT_OPTIONAL_INOUT(Shielded), SETT_WITH(Player)},
};

static void expire_run(sett_context* context)
{
    Job job = simulation_job(context);
    SETT_SYSTEM_EACH(context, b) {
        Lifetime* lifetime = sett_batch_field(b, 0);
        SETT_EACH(b, i) {
            if (--lifetime[i].ticks == 0) {
                spawn_end(&job, sett_batch_entity(b, i));
            }
        }
    }
}

const sett_system_desc system_expire = {
    .name = "expire",
    .run = expire_run,
    .terms = {SETT_INOUT(Lifetime)},
};

/* --- adopt ------------------------------------------------------------------------------------ */

/* An entity that was created in this tick and stays becomes a child of its map. That
 * changes structure at once: the system runs alone, and not from inside of a loop. */
static void adopt_run(sett_context* context)
{
    const Simulation* sim = context->user;
    uint32_t count = 0;
    sett_entity* orphans = sett_context_alloc(context, ADOPT_MAX * sizeof *orphans, 8);
    SETT_SYSTEM_EACH(context, b) {
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
    .exclusive = true,
    .terms = {SETT_WITH(Thing), SETT_WITH(Place), SETT_WITHOUT(Missile),
              SETT_WITHOUT(sett_hierarchy)},
};

/* --- tell ------------------------------------------------------------------------------------- */

const char* event_name(Event event)
{
    static const char* const names[EVENT_COUNT] = {
        "shot",  "hit",    "miss", "blast", "death",  "drop",    "birth",   "rise",
        "enter", "pickup", "door", "lift",  "stairs", "crusher", "teleport"};
    return names[event];
}

static void print_entity(const Job* job, sett_entity entity, uint16_t type)
{
    const char* name =
        type != THING_NOTHING ? thing_table[type].name : sett_name_get(job->world, entity);
    name = name != NULL ? name : "something";
    fprintf(job->sim->trace, "\t%s #%lu", name, (unsigned long)entity.index);
}

static void print_line(const Job* job, const News* news)
{
    FILE* trace = job->sim->trace;
    fprintf(trace, "%lu\t%s\t%s", (unsigned long)job->sim->dice.tick,
            job->sim->arenas[news->arena].level.map.name, event_name((Event)news->event));
    print_entity(job, news->who, news->types[0]);
    if (!sett_is_null(news->other)) {
        print_entity(job, news->other, news->types[1]);
    }
    if (news->amount != 0) {
        fprintf(trace, "\t%ld", (long)news->amount);
    }
    fputc('\n', trace);
}

/* What a human does is counted for him. */
static void print_count(const Job* job, const News* news)
{
    bool counts = news->event == EVENT_DOOR || news->event == EVENT_PICKUP;
    if (counts && SETT_HAS(job->world, news->who, Facing)) {
        Facing* facing = SETT_GET_MUT(job->world, news->who, Facing);
        *(news->event == EVENT_DOOR ? &facing->doors : &facing->items) += 1;
    }
}

/* For those who play sounds. */
static void print_heard(Simulation* sim, const News* news)
{
    if (news->arena == sim->heard_arena && sim->heard_count < SIMULATION_HEARD_MAX) {
        sim->heard[sim->heard_count++] = *news;
    }
}

static void print_run(sett_context* context)
{
    Job job = simulation_job(context);
    Simulation* sim = context->user;
    sim->heard_count = 0;
    Game* game = SETT_GET_MUT(job.world, job.sim->game, Game);
    SETT_SYSTEM_EACH(context, b) {
        const News* news = sett_batch_field(b, 0);
        SETT_EACH(b, i) {
            ++game->events[news[i].event];
            print_count(&job, &news[i]);
            print_heard(sim, &news[i]);
            if (job.sim->trace != NULL) {
                print_line(&job, &news[i]);
            }
            spawn_end(&job, sett_batch_entity(b, i));
        }
    }
    ++game->tick;
}

const sett_system_desc system_notify = {
    .name = "tell",
    .run = print_run,
    .single_job = true,
    .terms = {SETT_IN(News)},
    .access_any_in = {SETT_ID_NAME},
    .access_any_inout = {Game_id, Facing_id},
};

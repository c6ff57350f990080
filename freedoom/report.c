/* report.c - see report.h. */
#include "report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define REPORT_BAR 24 /* width of the longest bar */

/* A number with a comma every three digits, in one of a few buffers, so that a printf can take
 * several. */
static const char* report_number(uint64_t number)
{
    static char buffers[8][32];
    static unsigned next;
    char* buffer = buffers[next++ % 8];
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, number);
    char* to = buffer;
    for (int i = 0; i < length; ++i) {
        if (i != 0 && (length - i) % 3 == 0) {
            *to++ = ',';
        }
        *to++ = digits[i];
    }
    *to = '\0';
    return buffer;
}

static double report_ratio(double a, double b)
{
    return b > 0.0 ? a / b : 0.0;
}

static void report_speed(const Report* report)
{
    uint32_t ticks = report->sim->dice.tick;
    double seconds = (double)report->nanoseconds * 1e-9;
    double game = (double)ticks / SIMULATION_TICKS_A_SECOND;
    printf("\n%s ticks, %.1f s of game time, in %.2f s: %.2f ms a tick, %.1f times as fast as the "
           "game\n",
           report_number(ticks), game, seconds, report_ratio(seconds * 1e3, ticks),
           report_ratio(game, seconds));
}

/* --- systems ---------------------------------------------------------------------------------- */

static uint64_t report_spent(const Report* report, uint32_t n)
{
    sett_system_stats stats;
    sett_system_stats_get(report->sim->systems[n], &stats);
    return stats.time_total;
}

static void report_system(const Report* report, uint32_t n, uint64_t total, uint64_t longest)
{
    const Simulation* sim = report->sim;
    uint32_t ticks = sim->dice.tick;
    double spent = (double)report_spent(report, n);
    uint64_t entities = sim->samples != 0 ? sim->visited[n] / sim->samples : 0;
    char bar[REPORT_BAR + 1] = "";
    memset(bar, '#', (size_t)(report_ratio(spent, (double)longest) * REPORT_BAR + 0.5));
    printf("  %-10s %14s %11.1f %9.3f %6.1f %%  %s\n", sett_system_name(sim->systems[n]),
           entities != 0 ? report_number(entities) : "",
           report_ratio(spent, (double)entities * ticks), report_ratio(spent * 1e-6, ticks),
           report_ratio(spent, (double)total) * 100.0, bar);
}

static void report_systems(const Report* report)
{
    uint64_t total = 0, longest = 0;
    for (uint32_t n = 0; n < simulation_system_count(); ++n) {
        uint64_t spent = report_spent(report, n);
        total += spent;
        longest = spent > longest ? spent : longest;
    }
    printf("\n  %-10s %14s %11s %9s %8s\n", "system", "entities", "ns/entity", "ms/tick", "share");
    for (uint32_t n = 0; n < simulation_system_count(); ++n) {
        report_system(report, n, total, longest);
    }
    printf("  %-10s %14s %11s %9.3f\n", "all", "", "",
           report_ratio((double)total * 1e-6, report->sim->dice.tick));
}

/* --- entities and components ------------------------------------------------------------------ */

static void report_row(const char* label, uint32_t before, uint32_t after)
{
    printf("  %-22s %12s %12s\n", label, report_number(before), report_number(after));
}

static void report_component(const Report* report, const char* label, sett_component id)
{
    report_row(label, report->before.components[id], report->after.components[id]);
}

static void report_entities(const Report* report)
{
    printf("\n  %-22s %12s %12s\n", "entities", "at the start", "at the end");
    report_component(report, "maps", Map_id);
    report_component(report, "sectors", Sector_id);
    report_component(report, "linedefs", Line_id);
    for (int kind = THING_PLAYER; kind < THING_MISSILE; ++kind) {
        report_row(thing_class_name((ThingClass)kind), report->before.things[kind],
                   report->after.things[kind]);
    }
    report_row("start points", report->before.things[THING_START],
               report->after.things[THING_START]);
    report_row("of unknown number", report->before.things[THING_UNKNOWN],
               report->after.things[THING_UNKNOWN]);
    report_component(report, "corpses", Corpse_id);
    report_component(report, "missiles", Missile_id);
    report_component(report, "sparks", Spark_id);
    report_component(report, "doors in motion", Door_id);
    report_component(report, "floors in motion", Lift_id);
    report_component(report, "hits", Hit_id);
    report_row("all", report->before.entities, report->after.entities);
}

static void report_components(const Report* report)
{
    printf("\n  %-22s %12s %12s\n", "components", "at the start", "at the end");
    for (sett_component id = 1; id < COMPONENT_END; ++id) {
        report_component(report, sett_component_name(report->sim->world, id), id);
    }
}

static void report_monsters(const Report* report)
{
    printf("\n  %-22s %12s %12s\n", "monsters", "at the start", "at the end");
    for (uint32_t type = 0; type < thing_table_count; ++type) {
        if (report->before.monsters[type] + report->after.monsters[type] != 0) {
            report_row(thing_table[type].name, report->before.monsters[type],
                       report->after.monsters[type]);
        }
    }
}

/* --- the rest --------------------------------------------------------------------------------- */

static void report_events(const Report* report)
{
    static const char* const labels[EVENT_COUNT] = {
        "shots",
        "hits",
        "misses",
        "explosions",
        "deaths",
        "items dropped",
        "births",
        "risen",
        "players come back",
        "items picked up",
        "doors set in motion",
        "floors set in motion",
        "stairs built",
        "crushers started",
        "teleports",
    };
    const Game* game = SETT_GET(report->sim->world, report->sim->game, Game);
    printf("\n  events\n");
    for (int event = 0; event < EVENT_COUNT; ++event) {
        printf("  %-22s %12s\n", labels[event], report_number(game->events[event]));
    }
}

static void report_memory(const Report* report)
{
    sett_stats stats;
    sett_world_stats(report->sim->world, &stats);
    printf("\n  memory\n");
    printf("  %s entities with %s components of %s types in %s combinations\n",
           report_number(stats.entities), report_number(stats.values),
           report_number(stats.components), report_number(stats.signatures));
    printf("  %.1f MB in %s pages; %.1f MB held, from %s allocations\n",
           (double)stats.page_size * 1e-6, report_number(stats.pages),
           (double)stats.block_size * 1e-6, report_number(stats.allocations));
}

static void report_rewind(const Report* report)
{
    const Rewind* rewind = &report->rewind;
    double share;
    if (rewind->ticks == 0) {
        return;
    }
    printf("\n  the last %.1f s again\n", (double)rewind->ticks / SIMULATION_TICKS_A_SECOND);
    printf("  kept as %.1f MB, once a second; back to their beginning in %.2f ms, the second time "
           "in %.2f ms\n",
           (double)rewind->size * 1e-6, (double)rewind->back[0] * 1e-6,
           (double)rewind->back[1] * 1e-6);
    printf("  played twice, and each tick ended in the same state\n");
    if (rewind_overhead(rewind, &share)) {
        printf("  recording adds %.1f %% to a tick, by %lu seconds with it and %lu without, in "
               "turn\n",
               share * 100.0, (unsigned long)rewind->samples[1].seconds,
               (unsigned long)rewind->samples[0].seconds);
    }
}

void report_print(const Report* report)
{
    report_speed(report);
    report_systems(report);
    report_entities(report);
    report_components(report);
    report_monsters(report);
    report_events(report);
    report_memory(report);
    report_rewind(report);
    printf("\nfinal state 0x%016" PRIx64 "\n", report->hash);
}

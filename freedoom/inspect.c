/* inspect.c - see inspect.h. */
#include "inspect.h"

#include "host.h"

#ifdef FREEDOOM_INSPECTOR
#include "sett_inspector.h"

#include <stdio.h>
#include <stdlib.h>

#define INSPECT_TICK (1000000000u / SIMULATION_TICKS_A_SECOND)

/* What a tick needs is in the world: no input comes from outside. */
static void inspect_run(void* user)
{
    Simulation* sim = user;
    (void)sett_progress(sim->world, 1.0f / SIMULATION_TICKS_A_SECOND);
    simulation_reload(sim);
}

static void inspect_restored(void* user)
{
    simulation_reload(user);
}

#define INSPECT_COLOURS 256u /* more than things have types */
#define INSPECT_WALL 0xb8bcc4u
#define INSPECT_STEP 0x4a505au /* a line that can be walked over */
#define INSPECT_SPECIAL 0xd9a441u

/* A line of the map, in map units. */
static sett_inspector_line inspect_line(const WadMap* map, const WadLine* line)
{
    const WadVertex* start = &map->vertices[line->start];
    const WadVertex* end = &map->vertices[line->end];
    uint32_t rgb = line->special != 0             ? INSPECT_SPECIAL
                   : line->side[1] == WAD_NO_SIDE ? INSPECT_WALL
                                                  : INSPECT_STEP;
    return (sett_inspector_line){(float)start->x, (float)start->y, (float)end->x, (float)end->y,
                                 rgb};
}

/* Who is on a map, by what they are; things have the colours of the pictures. */
static bool inspect_show_things(sett_inspector* inspector, const WadMap* map, uint32_t arena,
                                const sett_inspector_line* lines)
{
    static const char* const kinds[][2] = {{"corpses", "Corpse"},
                                           {"items", "Item"},
                                           {"monsters", "Monster, !Corpse"},
                                           {"missiles", "Missile"},
                                           {"players", "Player"}};
    enum {
        KINDS = sizeof kinds / sizeof kinds[0]
    };
    uint32_t colours[INSPECT_COLOURS];
    char queries[KINDS][96];
    sett_inspector_points points[KINDS];
    for (uint32_t k = 0; k < thing_table_count && k < INSPECT_COLOURS; ++k) {
        colours[k] = thing_table[k].colour;
    }
    for (uint32_t k = 0; k < KINDS; ++k) {
        snprintf(queries[k], sizeof queries[k], "%s, Position, Place.arena == %lu", kinds[k][1],
                 (unsigned long)arena);
        points[k] = (sett_inspector_points){
            .name = kinds[k][0], .query = queries[k], .x = "Position.x", .y = "Position.y"};
    }
    points[0].rgb = 0x7a3030;
    for (uint32_t k = 1; k < KINDS - 1; ++k) {
        points[k].colour = "Thing.type";
        points[k].colours = colours;
        points[k].colour_count = thing_table_count;
    }
    points[2].radius = points[4].radius = "Body.radius";
    points[4].rgb = 0xffffff;
    return sett_inspector_scene(
               inspector, &(sett_inspector_scene_desc){.name = map->name,
                                                       .points = points,
                                                       .point_count = KINDS,
                                                       .lines = lines,
                                                       .line_count = map->line_count}) == SETT_OK;
}

/* Each map is a scene. */
static bool inspect_show(sett_inspector* inspector, const Simulation* sim)
{
    bool good = true;
    for (uint32_t i = 0; good && i < sim->arena_count; ++i) {
        const WadMap* map = &sim->arenas[i].level.map;
        sett_inspector_line* lines = malloc((map->line_count + 1) * sizeof *lines);
        for (uint32_t n = 0; lines != NULL && n < map->line_count; ++n) {
            lines[n] = inspect_line(map, &map->lines[n]);
        }
        good = lines != NULL && inspect_show_things(inspector, map, i, lines);
        free(lines);
    }
    return good;
}

bool inspect_play(Simulation* sim, uint32_t ticks, const char* explorer, Fault* fault)
{
    sett_inspector* inspector = sett_inspector_open(
        sim->world, &(sett_inspector_desc){.title = "Freedoom",
                                           .frame_rate = SIMULATION_TICKS_A_SECOND,
                                           .run_frame = inspect_run,
                                           .restored = inspect_restored,
                                           .static_folder = explorer,
                                           .user = sim});
    if (inspector == NULL) {
        return fault_set(fault, "the inspector cannot be opened");
    }
    if (!inspect_show(inspector, sim)) {
        sett_inspector_close(inspector);
        return fault_set(fault, "out of memory");
    }
    uint64_t next = host_nanoseconds();
    while (sim->dice.tick < ticks) {
        if (sett_inspector_frame(inspector) != 0) {
            inspect_run(sim);
        }
        uint64_t now = host_nanoseconds();
        next = next + INSPECT_TICK > now ? next + INSPECT_TICK : now;
        host_sleep(next - now);
    }
    sett_inspector_close(inspector);
    return true;
}

#else

bool inspect_play(Simulation* sim, uint32_t ticks, const char* explorer, Fault* fault)
{
    (void)sim;
    (void)ticks;
    (void)explorer;
    return fault_set(fault, "--inspect: Sett's inspector was not built: it needs civetweb and zstd "
                            "(Debian's packages libcivetweb-dev and libzstd-dev)");
}

#endif

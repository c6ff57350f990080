/* saves.c - what saving and loading all maps costs, and that the hash is the same afterwards.
 *
 *     freedoom_saves [ticks [folder]]
 */
#include "file_meter.h"

#include "atlas.h"
#include "options.h"
#include "simulation.h"

static int saves_complain(const Fault* fault)
{
    fprintf(stderr, "freedoom_saves: %s\n", fault->text);
    return 1;
}

int main(int count, char** arguments)
{
    Fault fault;
    Options options;
    Atlas atlas = {0}, again = {0};
    Simulation sim, other;
    uint32_t ticks = count > 1 ? (uint32_t)strtoul(arguments[1], NULL, 10) : 350;
    char path[600];
    snprintf(path, sizeof path, "%.500s/freedoom_saves.tmp", count > 2 ? arguments[2] : ".");
    if (!options_parse(&options, 1, arguments, &fault)) {
        return saves_complain(&fault);
    }
    for (uint32_t i = 0; i < options.wad_count; ++i) {
        if (!atlas_add(&atlas, options.wads[i], NULL, 0, &fault) ||
            !atlas_add(&again, options.wads[i], NULL, 0, &fault)) {
            return saves_complain(&fault);
        }
    }
    if (!simulation_init(&sim, atlas.levels, atlas.count, 1, 0, NULL, &fault) ||
        !simulation_init(&other, again.levels, again.count, 1, 0, NULL, &fault)) {
        return saves_complain(&fault);
    }
    while (sim.dice.tick < ticks) {
        if (!simulation_step(&sim, &fault)) {
            return saves_complain(&fault);
        }
    }
    printf("Freedoom, %lu maps, after %lu ticks: %lu entities\n", (unsigned long)atlas.count,
           (unsigned long)ticks, (unsigned long)sett_entity_count(sim.world));
    file_measure_all(sim.world, other.world, path, 0, ticks < 100 ? 1 : FILE_ROUNDS);
    file_measure_autosave(sim.world, path, ticks < 100 ? 1 : FILE_ROUNDS);
    file_remove(path);
    simulation_deinit(&sim);
    simulation_deinit(&other);
    atlas_deinit(&atlas);
    atlas_deinit(&again);
    return 0;
}

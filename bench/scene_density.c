/* scene_density.c: the memory of one type against the share of the entities that have it, beside
 * what the textbook layouts take for N entities and values of C bytes:
 *
 *     an array by entity, one bit each     C N + N / 8
 *     a sparse set                         2 x 4 N + C N share
 */
#include "scene_case.h"
#include "scene_sett.h"

static size_t density_pages(const sett_world* world)
{
    sett_stats stats;
    sett_world_stats(world, &stats);
    return stats.page_size;
}

void scene_density_measure(scene_density* density)
{
    scene_run run = {.count = density->count};
    sett_world* world = scene_world(&run, false);
    sett_component id =
        scene_type(world, "Value", density->size, 4,
                   density->sparse_set ? SETT_STORAGE_SPARSE_SET : SETT_STORAGE_ARRAY);
    sett_entity* entities = scene_entities(world, density->count);
    size_t before = density_pages(world);
    uint64_t state = SCENE_SEED;
    uint32_t having = 0;
    for (uint32_t k = 0; k < density->count; k++) {
        double draw = (double)(scene_random(&state) >> 11) / 9007199254740992.0;
        if (density->spread ? draw < density->share : k < density->share * density->count) {
            (void)sett_add(world, entities[k], id);
            having++;
        }
    }
    density->measured = density_pages(world) - before;
    density->linear = (size_t)density->size * density->count + (density->count + 7) / 8;
    density->sparse = (size_t)8 * density->count + (size_t)density->size * having;
    scene_free(entities);
    sett_world_destroy(world);
}

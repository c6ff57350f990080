/* stats.c: counts and memory of a world. */
#include "world/command.h"
#include "world/world.h"

static void stats_pages(const setti_pages* pages, sett_stats* stats)
{
    for (uint32_t k = 0; k < pages->count; k++) {
        if (pages->data[k] != NULL) {
            stats->pages++;
            stats->page_size += pages->size;
        }
    }
}

static void stats_world(const sett_world* world, sett_stats* stats)
{
    stats->entities = world->entities.count;
    stats->entity_capacity = setti_entity_capacity(&world->entities);
    stats->retired = world->entities.retired;
    stats->components = world->registered.count;
    stats->signatures = SETTI_MAX(setti_signature_count(&world->signatures), 1); /* the empty set */
    stats_pages(&world->entities.pages, stats);
    for (uint32_t k = 0; k < world->registered.count; k++) {
        const setti_type* type = world->registered.item[k];
        stats->values += type->storage.count;
        stats_pages(&type->storage.rows, stats);
        stats_pages(&type->storage.presence, stats);
        if (type->module != NULL && type->module->pages != NULL) {
            stats_pages(type->module->pages(world, type), stats);
        }
    }
    stats->block_size = world->pool.block_size + sizeof(*world);
    stats->free_size = world->pool.block_size - world->pool.used_size;
    stats->allocations = world->pool.allocations;
    setti_commands_stats(world, &stats->block_size, &stats->allocations);
    SETTI_MODULES_EACH(world, calls, count) {
        calls->count(world, stats);
    }
}

SETTI_COLD void sett_world_stats_sized(const sett_world* world, sett_stats* stats, size_t size)
{
    sett_stats all = {0};
    if (!setti_is_null(world, "sett_world_stats", "world")) {
        stats_world(world, &all);
    }
    setti_copy_sized(stats, size, &all, sizeof(all));
}

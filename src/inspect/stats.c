/* stats.c: counts and memory of a world. */
#include "run/run.h"
#include "world/command.h"

static void stats_pages(const setti_pages* pages, sett_stats* stats)
{
    for (uint32_t k = 0; k < pages->count; k++) {
        if (pages->data[k] != NULL) {
            stats->pages++;
            stats->page_size += pages->size;
        }
    }
}

/* Scratch of systems. */
static void stats_run(const setti_run* run, sett_stats* stats)
{
    for (const sett_system* at = run->systems; at != NULL; at = at->next) {
        for (uint32_t k = 0; k < at->job_capacity; k++) {
            stats->block_size += at->jobs[k].side.scratch.size;
            stats->allocations += at->jobs[k].side.scratch.allocations;
        }
    }
}

static void stats_world(const sett_world* world, sett_stats* stats)
{
    stats->entities = world->entities.count;
    stats->entity_capacity = setti_entity_capacity(&world->entities);
    stats->retired = world->entities.retired;
    stats->components = world->registered.count;
    stats->signatures = SETTI_MAX(setti_signature_count(&world->signatures), 1);
    for (const sett_query* at = setti_query_first(world); at != NULL; at = at->next) {
        stats->queries++;
    }
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
    if (setti_run_of(world) != NULL) {
        stats_run(setti_run_of(world), stats);
    }
}

void sett_world_stats_sized(const sett_world* world, sett_stats* stats, size_t size)
{
    sett_stats all = {0};
    if (!setti_is_null(world, "sett_world_stats", "world")) {
        stats_world(world, &all);
    }
    setti_copy_sized(stats, size, &all, sizeof(all));
}

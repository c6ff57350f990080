/* scene_flecs.h: what the scenes of flecs share. */
#ifndef BENCH_SCENE_FLECS_H
#define BENCH_SCENE_FLECS_H

#include <flecs.h>

#include "scene.h"

/* Components have low ids: those are found by an index instead of a hash. */
static inline ecs_entity_t flecs_type(ecs_world_t* world, const char* name, size_t size,
                                      size_t align)
{
    const ecs_entity_desc_t entity = {.name = name, .use_low_id = true};
    const ecs_component_desc_t desc = {
        .entity = ecs_entity_init(world, &entity),
        .type = {.size = (ecs_size_t)size, .alignment = (ecs_size_t)align},
    };
    ecs_entity_t id = ecs_component_init(world, &desc);
    scene_check(id != 0, "ecs_component_init");
    return id;
}

/* A cached query over some components. */
static inline ecs_query_t* flecs_query(ecs_world_t* world, const ecs_entity_t* ids, uint32_t count)
{
    ecs_query_desc_t desc = {.cache_kind = EcsQueryCacheAuto};
    for (uint32_t k = 0; k < count; k++) {
        desc.terms[k].id = ids[k];
        desc.terms[k].inout = k == 0 ? EcsInOut : EcsIn;
    }
    ecs_query_t* query = ecs_query_init(world, &desc);
    scene_check(query != NULL, "ecs_query_init");
    return query;
}

#endif

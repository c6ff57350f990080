/* scene_sett.c: what the scenes of Sett share. */
#include "scene_sett.h"

#include <stdlib.h>

/* The allocator hook that counts: what the world asks for, to the byte. */
static void* scene_take(void* user, size_t size, size_t align)
{
    scene_run* run = user;
    align = align > sizeof(void*) ? align : sizeof(void*);
    void* memory = aligned_alloc(align, (size + align - 1) / align * align);
    scene_check(memory != NULL, "memory");
    run->bytes += size;
    run->peak = run->bytes > run->peak ? run->bytes : run->peak;
    run->allocations++;
    return memory;
}

static void scene_give(void* user, void* ptr, size_t size, size_t align)
{
    scene_run* run = user;
    (void)align;
    run->bytes -= size;
    free(ptr);
}

sett_world* scene_world(scene_run* run, bool huge)
{
    sett_world_desc desc = {0};
    desc.signature_warning = UINT32_MAX; /* scenes that make many sets of components mean to */
    if (run->counted) {
        desc.allocator.alloc_fn = scene_take;
        desc.allocator.free_fn = scene_give;
        desc.allocator.user = run;
    }
    desc.huge_pages = run->tuned && huge;
    sett_world* world = sett_world_create(&desc);
    scene_check(world != NULL, "sett_world_create");
    return world;
}

sett_component scene_type(sett_world* world, const char* name, size_t size, size_t align,
                          sett_storage_kind storage)
{
    sett_component_desc desc = {0};
    desc.name = name;
    desc.size = size;
    desc.align = align;
    desc.storage = storage;
    sett_component id = sett_component_register(world, &desc);
    scene_check(id != 0, "sett_component_register");
    return id;
}

sett_query* scene_query(sett_world* world, const sett_term* terms)
{
    sett_query_desc desc = {0};
    for (uint32_t k = 0; terms[k].component != 0; k++) {
        desc.terms[k] = terms[k];
    }
    sett_query* query = sett_query_create(world, &desc);
    scene_check(query != NULL, "sett_query_create");
    return query;
}

sett_entity* scene_entities(sett_world* world, uint32_t count)
{
    sett_entity* entities = scene_alloc(count, sizeof(sett_entity));
    for (uint32_t k = 0; k < count; k++) {
        entities[k] = sett_entity_create(world);
    }
    return entities;
}

scene_fn scene_sett(scene_row row)
{
    scene_fn found = scene_sett_change(row);
    return found != NULL ? found : scene_sett_loop(row);
}

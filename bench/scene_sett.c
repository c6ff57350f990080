/* scene_sett.c: what the scenes of Sett share. */
#include "scene_sett.h"

#include "sett/layout.h"

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
    desc.auto_layout = run->automatic;
    sett_world* world = sett_world_create(&desc);
    scene_check(world != NULL, "sett_world_create");
    return world;
}

void scene_settle(const scene_run* run, sett_world* world, sett_query* const* queries)
{
    uint32_t last = 0; /* frame of the last change */
    uint32_t most = run->automatic ? scene_rounds(1, 400) : 0;
    for (uint32_t frame = 1; frame <= most || (last != 0 && frame < 2 * last + 64); frame++) {
        for (uint32_t k = 0; queries[k] != NULL; k++) {
            SETT_QUERY_EACH(queries[k], b) {
                (void)b->count; /* the world counts loops, not what is done in them */
            }
        }
        last = sett_layout_step(world, UINT32_MAX) != 0 ? frame : last;
    }
}

void scene_step(const scene_run* run, sett_world* world, uint32_t round)
{
    if (run->automatic && round % (1 + 100000 / run->count) == 0) {
        (void)sett_layout_step(world, UINT32_MAX);
    }
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

scene_fn scene_sett_auto(scene_row row)
{
    bool loops = row >= SCENE_iterate_1 && row <= SCENE_systems_7;
    return loops ? scene_sett(row) : NULL;
}

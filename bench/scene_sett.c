/* scene_sett.c: what the scenes of Sett share. */
#include "scene_sett.h"

#include "sett/advise.h"
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
    sett_world* world = sett_world_create(&desc);
    scene_check(world != NULL, "sett_world_create");
    uint32_t values = run->finds == SCENE_FINDS_AUTO ? SETT_LAYOUT_VALUES : 0;
    scene_check(values == 0 || sett_layout_auto(world, values) == SETT_OK, "sett_layout_auto");
    return world;
}

void scene_arrange(const scene_run* run, sett_world* world, const char* tuned)
{
    const char* text = run->layout != NULL ? run->layout : run->tuned ? tuned : NULL;
    scene_check(text == NULL || sett_layout_apply(world, text) == SETT_OK, "sett_layout_apply");
}

enum {
    LOOP_BEGUN,
    LOOP_FINDING,
    LOOP_WARMING,
    LOOP_CLOCKED
};

#define LOOP_ADVICE 16 /* items; rounds that are profiled before advice is asked for */

scene_loop scene_loop_begin(scene_run* run, sett_world* world, uint32_t rounds,
                            void (*fill)(void* scene), void* scene)
{
    scene_loop loop = {.run = run, .world = world, .rounds = rounds, .fill = fill, .scene = scene};
    return loop;
}

static uint64_t loop_step(const scene_loop* loop)
{
    uint32_t moves = loop->run->moves;
    return sett_layout_step(loop->world, moves != 0 ? moves : UINT32_MAX);
}

/* Ends a frame of a world with auto_layout. Returns whether it has found its layout. */
static bool loop_auto_frame(scene_loop* loop)
{
    scene_run* run = loop->run;
    double looped = scene_clock();
    uint64_t moved = loop_step(loop);
    double stepped = scene_clock();
    if (run->frame != NULL && run->frames < SCENE_FRAMES) {
        run->frame[run->frames] = (scene_frame){looped - loop->began, stepped - looped, moved};
    }
    run->frames++;
    run->last_change = moved != 0 ? run->frames : run->last_change;
    loop->began = scene_clock();
    return run->frames >= scene_rounds(1, 400) && run->frames >= 2 * run->last_change + 64;
}

/* Ends a frame of a world that is profiled. Returns whether there is no more advice. */
static bool loop_advised_frame(scene_loop* loop)
{
    scene_run* run = loop->run;
    if (++run->frames % LOOP_ADVICE != 0) {
        return false;
    }
    sett_advice advice[LOOP_ADVICE];
    scene_check(sett_profile_end(loop->world) == SETT_OK, "sett_profile_end");
    uint32_t count = sett_advise(loop->world, advice, LOOP_ADVICE);
    for (uint32_t k = 0; k < count; k++) {
        scene_check(sett_advice_apply(loop->world, &advice[k]) == SETT_OK, "sett_advice_apply");
    }
    run->last_change = count != 0 ? run->frames : run->last_change;
    if (count == 0 || run->frames >= 6 * LOOP_ADVICE) {
        return true;
    }
    scene_check(sett_profile_begin(loop->world) == SETT_OK, "sett_profile_begin");
    return false;
}

/* Whether another round is to be done to find a layout. */
static bool loop_finds(scene_loop* loop)
{
    bool automatic = loop->run->finds == SCENE_FINDS_AUTO;
    if (loop->run->finds == SCENE_FINDS_NONE) {
        return false;
    }
    if (loop->stage == LOOP_BEGUN) {
        scene_check(automatic || sett_profile_begin(loop->world) == SETT_OK, "sett_profile_begin");
        loop->began = scene_clock();
        loop->stage = LOOP_FINDING;
        return true;
    }
    bool found = automatic ? loop_auto_frame(loop) : loop_advised_frame(loop);
    if (!found || loop->run->frames % 16 != 0) {
        return true;
    }
    loop->fill(loop->scene);
    return false;
}

bool scene_loop_turn(scene_loop* loop)
{
    scene_run* run = loop->run;
    if (loop->stage < LOOP_WARMING) {
        loop->stage = loop_finds(loop) ? LOOP_FINDING : LOOP_WARMING;
        return true;
    }
    if (loop->stage == LOOP_WARMING) {
        loop->stage = LOOP_CLOCKED;
        scene_start(run);
    } else if (run->finds == SCENE_FINDS_AUTO) {
        (void)loop_step(loop);
    }
    if (loop->rounds == 0) {
        scene_stop(run);
        if (run->found != NULL) {
            (void)sett_layout_describe(loop->world, run->found, SCENE_LAYOUT_SIZE);
        }
        return false;
    }
    uint32_t frame = 1 + 100000 / run->count; /* rounds: 100,000 entities make a frame */
    frame = frame < loop->rounds ? frame : loop->rounds;
    loop->rounds -= frame;
    loop->left = frame - 1;
    return true;
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

void scene_system(sett_world* world, const char* name, void (*run)(sett_context* c), void* user,
                  const sett_component* types, uint32_t writes)
{
    sett_system_desc desc = {.name = name, .run = run, .user = user, .single_job = user != NULL};
    for (uint32_t k = 0; k < 3 && types[k] != 0; k++) {
        desc.terms[k].component = types[k];
        desc.terms[k].access = (writes >> k & 1) != 0 ? SETT_INOUT : SETT_IN;
    }
    scene_check(sett_system_create(world, &desc) != NULL, "sett_system_create");
}

sett_entity* scene_entities(sett_world* world, uint32_t count)
{
    sett_entity* entities = scene_alloc(count, sizeof(sett_entity));
    for (uint32_t k = 0; k < count; k++) {
        entities[k] = sett_entity_create(world);
    }
    return entities;
}

sett_entity scene_link_child(sett_world* world, sett_component link, sett_entity parent,
                             sett_component type)
{
    sett_entity e = sett_entity_create(world);
    (void)sett_add(world, e, type);
    scene_link* own = sett_add(world, e, link);
    scene_link* above = sett_get_mut(world, parent, link);
    own->parent = parent;
    own->next = above->first;
    above->first = e;
    return e;
}

void scene_link_destroy(sett_world* world, sett_component link, sett_entity entity)
{
    for (sett_entity child = ((const scene_link*)sett_get(world, entity, link))->first;
         !sett_is_null(child);) {
        sett_entity next = ((const scene_link*)sett_get(world, child, link))->next;
        scene_link_destroy(world, link, child);
        child = next;
    }
    (void)sett_entity_destroy(world, entity);
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

/* scene_sett.h: what the scenes of Sett share. */
#ifndef BENCH_SCENE_SETT_H
#define BENCH_SCENE_SETT_H

#include "scene.h"

#include "sett/sett.h"

/* A world. It counts its memory in the run, if the run asks for that; in a tuned run it uses huge
 * pages, if `huge` says that the scene is large enough. */
sett_world* scene_world(scene_run* run, bool huge);

/* Registers a type in the storage given. */
sett_component scene_type(sett_world* world, const char* name, size_t size, size_t align,
                          sett_storage_kind storage);
#define SCENE_TYPE(world, T, storage) scene_type((world), #T, sizeof(T), SETT_ALIGNOF(T), (storage))

/* In an automatic run: loops until the world has found a layout for these queries, up to a NULL;
 * values stay as they are. Then, in each round, its step, if 100,000 entities make a frame. */
void scene_settle(const scene_run* run, sett_world* world, sett_query* const* queries);
void scene_step(const scene_run* run, sett_world* world, uint32_t round);

/* A query with these terms (a term with component 0 ends the list). */
sett_query* scene_query(sett_world* world, const sett_term* terms);

/* `count` entities, their handles to be freed. */
sett_entity* scene_entities(sett_world* world, uint32_t count);

/* The population of the seven systems; ending it adds its state to the run's checksum. */
typedef struct scene_bodies {
    sett_world* world;
    sett_component p, v, d, h, g, s; /* Position, Velocity, Data, Health, Damage, Sprite */
    sett_entity* entities;
    int32_t* frame;
} scene_bodies;

scene_bodies scene_bodies_create(scene_run* run);
void scene_bodies_destroy(scene_bodies* bodies, scene_run* run);

/* The two halves of scene_sett(). */
scene_fn scene_sett_change(scene_row row);
scene_fn scene_sett_loop(scene_row row);

#endif

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

/* Applies the layout of the run; in a tuned one `tuned`, if it is not NULL. Before types are
 * registered. */
void scene_arrange(const scene_run* run, sett_world* world, const char* tuned);

/* The rounds of a row that loops: while (scene_loop_next(&loop)) { one round }. The first warms up,
 * `rounds` are inside the clock. Where the world finds its layout others come before them, a
 * multiple of 16, and then `fill` writes all values that rounds change as they were at first. */
typedef struct scene_loop {
    scene_run* run;
    sett_world* world;
    void (*fill)(void* scene);
    void* scene;
    uint32_t rounds; /* inside the clock, still to be begun */
    uint32_t left;   /* rounds until there is something to do between two */
    uint32_t stage;
    double began; /* the frame at hand */
} scene_loop;

scene_loop scene_loop_begin(scene_run* run, sett_world* world, uint32_t rounds,
                            void (*fill)(void* scene), void* scene);
bool scene_loop_turn(scene_loop* loop);

static inline bool scene_loop_next(scene_loop* loop)
{
    return loop->left != 0 ? loop->left-- != 0 : scene_loop_turn(loop);
}

/* A query with these terms (a term with component 0 ends the list). */
sett_query* scene_query(sett_world* world, const sett_term* terms);

/* A system over up to three types, of which those are written whose bits are in `writes`. One with
 * a user has one job. */
void scene_system(sett_world* world, const char* name, void (*run)(sett_context* c), void* user,
                  const sett_component* types, uint32_t writes);

/* What SCENE_SYSTEM_1 to 3 (scene.h) stand on. */
typedef sett_context lib_context;
#define LIB_SYSTEM(c, b) SETT_SYSTEM_EACH(c, b)
#define LIB_USER(c) ((c)->user)
#define LIB_FIELD(b, T, k) ((T*)sett_batch_field((b), (k)))
#define LIB_ROWS(b, i) SETT_EACH(b, i)

/* `count` entities, their handles to be freed. */
sett_entity* scene_entities(sett_world* world, uint32_t count);

/* The population of the seven systems; ending it adds its state to the run's checksum. */
typedef struct scene_bodies {
    sett_world* world;
    sett_component p, v, d, h, g, s; /* Position, Velocity, Data, Health, Damage, Sprite */
    sett_entity* entities;
    uint32_t count;
    int32_t* frame;
} scene_bodies;

scene_bodies scene_bodies_create(scene_run* run);
void scene_bodies_destroy(scene_bodies* bodies, scene_run* run);

/* A tree by hand: a component that holds who is above, below and beside. */
typedef struct scene_link {
    sett_entity parent, first, next;
} scene_link;

/* A new child with a component of a type. */
sett_entity scene_link_child(sett_world* world, sett_component link, sett_entity parent,
                             sett_component type);

/* Destroys an entity, children before parents. */
void scene_link_destroy(sett_world* world, sett_component link, sett_entity entity);

/* The two halves of scene_sett(). */
scene_fn scene_sett_change(scene_row row);
scene_fn scene_sett_loop(scene_row row);

#endif

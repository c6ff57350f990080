/* sight.h - what can be seen on one map at the end of one tick, copied out of the world: so that
 * pictures can show moments between two ticks, and moments that are gone. */
#ifndef FREEDOOM_SIGHT_H
#define FREEDOOM_SIGHT_H

#include "render.h"
#include "simulation.h"

typedef struct SightActor {
    sett_entity entity;
    Position position;
    uint16_t sector, look; /* row of thing_table; SIGHT_PUFF */
    uint8_t frame, facing; /* 256 are a full turn */
    uint8_t style;         /* RENDER_* */
    bool alive;
} SightActor;

#define SIGHT_PUFF (STAGE_LOOKS - 1u)

typedef struct Sight {
    uint32_t tick, arena;
    uint32_t actor_count, actor_room, sector_count, sector_room;
    SightActor* actors; /* ascending by the entity's index */
    LevelHeights* heights;
    uint8_t* lights;
} Sight;

/* The queries that find it, and how each row of thing_table looks. */
typedef struct SightQueries {
    const Look* looks[STAGE_LOOKS];
    sett_query* things;
    sett_query* sparks;
} SightQueries;

bool sight_queries_open(SightQueries* queries, sett_world* world);

/* Copies one map. Returns false when memory runs out. */
bool sight_capture(Sight* scene, const SightQueries* queries, const Simulation* sim,
                   uint32_t arena);
void sight_free(Sight* scene);

/* Returns the actor of this entity, or NULL. */
const SightActor* sight_find(const Sight* scene, sett_entity entity);

/* A scene as the renderer takes it. */
typedef struct SightBlend {
    RenderScene render;
    float* floors;
    float* ceilings;
    RenderThing* things;
    uint32_t thing_room, sector_room;
} SightBlend;

/* Mixes two scenes of the same map: share 0 is `from`, 1 is `to`. Leaves out `without`, through
 * whose eyes one looks. Returns false when memory runs out. */
bool sight_blend(SightBlend* blend, const Stage* stage, const Sight* from, const Sight* to,
                 float share, sett_entity without);

/* An actor between two moments; `from` may be NULL. */
RenderThing sight_thing(const Stage* stage, const SightActor* from, const SightActor* to,
                        float share);

/* Adds the living of another scene as ghosts. */
bool sight_haunt(SightBlend* blend, const Sight* ghosts);

void sight_blend_free(SightBlend* blend);

#endif

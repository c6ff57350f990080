/* Frames without allocations.
 *
 * Reserve what a level needs while it loads; after that, frames allocate nothing: a world reuses
 * pages, command buffers and scratch memory. The statistics count each call of the allocator. */
#include "sett/sett.h"

#include <stdio.h>

typedef struct Spark {
    float life;
} Spark;

#define GAME(COMPONENT, TAG) COMPONENT(Spark)
SETT_COMPONENTS(GAME)

enum {
    SPARKS = 5000
};

static void age(sett_context* context)
{
    SETT_SYSTEM_FOR(context, b, i) {
        Spark* spark = &SETT_FIELD_MUT(b, 0, Spark)[i];
        spark->life -= context->dt;
        if (spark->life <= 0) {
            sett_cmd_destroy(context->commands, sett_batch_entity(b, i));
        }
    }
}

static void emit(sett_context* context) /* declares nothing: runs alone, and creates at once */
{
    float* lives = sett_context_alloc(context, 50 * sizeof(float), sizeof(float));
    for (int k = 0; k < 50; k++) { /* scratch memory, valid until the function returns */
        lives[k] = 0.2f + 0.02f * (float)k;
    }
    for (int k = 0; k < 50; k++) {
        SETT_CREATE(context->world, SETT_VALUE(Spark, .life = lives[k]));
    }
}

static uint64_t allocations(sett_world* world)
{
    sett_stats stats;
    sett_world_stats(world, &stats);
    return stats.allocations;
}

int main(void)
{
    sett_world* world = sett_world_create(NULL);
    SETT_REGISTER_ALL(world, GAME);
    SETT_SYSTEM(world, emit, .phase = SETT_PHASE_INPUT);
    SETT_SYSTEM(world, age, .terms = {SETT_INOUT(Spark)});
    sett_entity_reserve(world, SPARKS);
    sett_component_reserve(world, Spark_id, SPARKS);
    for (int frame = 0; frame < 100; frame++) { /* the first frames find their usual size */
        sett_progress(world, 1.0f / 60);
    }
    uint64_t before = allocations(world);
    for (int frame = 0; frame < 1000; frame++) {
        sett_progress(world, 1.0f / 60);
    }
    uint64_t more = allocations(world) - before;
    printf("1000 frames, %u sparks alive, %u allocations\n", (unsigned)sett_entity_count(world),
           (unsigned)more);
    bool right = more == 0 && sett_entity_count(world) > 1000;
    sett_world_destroy(world);
    return right ? 0 : 1;
}

/* orbits.c: a scene in the inspector. Run it, open the address that it prints, choose Scene. */
#include "sett_inspector.h"

#include <math.h>
#include <stdlib.h>

typedef struct Orbit {
    float radius, angle, speed, x, y;
} Orbit;

#define MOONS(COMPONENT, TAG) COMPONENT(Orbit)
SETT_COMPONENTS(MOONS)

static void turn(sett_context* c)
{
    SETT_SYSTEM_FOR(c, b, i) {
        Orbit* orbit = &SETT_FIELD_MUT(b, 0, Orbit)[i];
        orbit->angle += orbit->speed * c->dt;
        orbit->x = orbit->radius * cosf(orbit->angle);
        orbit->y = orbit->radius * sinf(orbit->angle);
    }
}

int main(int count, char** arguments)
{
    sett_world* world = sett_world_create(NULL);
    SETT_REGISTER_ALL(world, MOONS);
    SETT_MEMBERS(world, Orbit, radius, angle, speed, x, y);
    SETT_SYSTEM(world, turn, .terms = {SETT_INOUT(Orbit)});
    for (float k = 1; k <= 200; k++) {
        SETT_CREATE(world, SETT_VALUE(Orbit, .radius = k, .angle = k * k, .speed = 50 / k));
    }
    sett_inspector* inspector = sett_inspector_open(world, NULL);
    sett_inspector_points moons = {.query = "Orbit", .x = "Orbit.x", .y = "Orbit.y"};
    sett_inspector_scene(inspector,
                         &(sett_inspector_scene_desc){.points = &moons, .point_count = 1});
    uint64_t clock = 0;
    for (long frames = count > 1 ? atol(arguments[1]) : 1000000; frames > 0; frames--) {
        if (sett_inspector_frame(inspector) != 0) {
            sett_progress(world, 1.0f / 60);
        }
        sett_frame_wait(&clock, 60);
    }
    sett_inspector_close(inspector);
    sett_world_destroy(world);
    return 0;
}

/* demo.c - see demo.h.
 *
 * Who plays is simple: he shoots what he sees, otherwise he walks to the nearest thing that is of
 * use, or door, by the shortest way over a grid of squares of 32 units. */
#include "demo.h"

#include "collide.h"
#include "ray.h"
#include "special_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEMO_CELL 32
#define DEMO_GRID 1024 /* cells a side, at most */
#define DEMO_CELLS (DEMO_GRID * DEMO_GRID)
#define DEMO_NOBODY 0xffffu
#define DEMO_SIGHT fixed_from_int(900)
#define DEMO_NEAR (300.0f * 65536.0f)
#define DEMO_CIRCLE 6.2831853f

bool demo_init(Demo* demo, uint32_t frames)
{
    *demo = (Demo){.frames = frames};
    demo->from = malloc(DEMO_CELLS * sizeof *demo->from);
    demo->queue = malloc(DEMO_CELLS * sizeof *demo->queue);
    demo->floors = malloc(DEMO_CELLS * sizeof *demo->floors);
    demo->goals = calloc(DEMO_CELLS, 1);
    demo->visited = calloc(DEMO_CELLS, 1);
    return demo->from != NULL && demo->queue != NULL && demo->floors != NULL &&
           demo->goals != NULL && demo->visited != NULL;
}

void demo_deinit(Demo* demo)
{
    free(demo->from);
    free(demo->queue);
    free(demo->floors);
    free(demo->goals);
    free(demo->visited);
}

/* --- seeing ----------------------------------------------------------------------------------- */

static float demo_difference(float wanted, float angle)
{
    float d = fmodf(wanted - angle, DEMO_CIRCLE);
    return d > DEMO_CIRCLE / 2 ? d - DEMO_CIRCLE : d < -DEMO_CIRCLE / 2 ? d + DEMO_CIRCLE : d;
}

static const CrowdBody* demo_find_enemy(const Play* play, Position at, uint32_t arena)
{
    const Simulation* sim = play->sim;
    const Arena* place = &sim->arenas[arena];
    const CrowdBody* found = NULL;
    int64_t nearest = DEMO_SIGHT;
    RayPoint eye = {at.x, at.y, fixed_add(at.z, fixed_from_int(41))};
    LevelBox box = level_box(at.x, at.y, DEMO_SIGHT);
    for (CrowdSweep sweep = crowd_sweep(&sim->crowd, place, box); crowd_sweep_next(&sweep);) {
        const CrowdBody* body = sweep.body;
        int64_t dx = fixed_abs64((int64_t)body->x - at.x),
                dy = fixed_abs64((int64_t)body->y - at.y);
        int64_t distance = dx > dy ? dx : dy;
        if (thing_table[body->type].kind == THING_MONSTER && distance < nearest &&
            ray_sees(&place->level, simulation_heights(sim, place), eye, body->x, body->y, body->z,
                     fixed_add(body->z, body->height))) {
            nearest = distance;
            found = body;
        }
    }
    return found;
}

/* --- the way ---------------------------------------------------------------------------------- */

static RayPoint demo_middle(const Level* level, uint32_t cell)
{
    return (RayPoint){.x = fixed_from_int(level->grid_x + (int32_t)(cell % DEMO_GRID) * DEMO_CELL +
                                          DEMO_CELL / 2),
                      .y = fixed_from_int(level->grid_y + (int32_t)(cell / DEMO_GRID) * DEMO_CELL +
                                          DEMO_CELL / 2)};
}

static uint32_t demo_cell(const Level* level, Position at)
{
    int32_t x = (fixed_floor(at.x) - level->grid_x) / DEMO_CELL;
    int32_t y = (fixed_floor(at.y) - level->grid_y) / DEMO_CELL;
    x = fixed_clamp(x, 0, DEMO_GRID - 1);
    y = fixed_clamp(y, 0, DEMO_GRID - 1);
    return (uint32_t)y * DEMO_GRID + (uint32_t)x;
}

/* Whether a door without a key lies shut at this place. */
static bool demo_is_door(const Simulation* sim, const Arena* arena, uint32_t sector)
{
    const LevelHeights* heights = simulation_heights(sim, arena);
    if (heights[sector].ceiling > heights[sector].floor) {
        return false;
    }
    for (uint32_t i = 0; i < arena->level.map.line_count; ++i) {
        const LevelLine* line = &arena->level.lines[i];
        if (line->back == sector && line->special != 0 &&
            special_find(line->special)->trigger == TRIGGER_KNOCK &&
            special_find(line->special)->key == 0) {
            return true;
        }
    }
    return false;
}

typedef enum DemoGround {
    DEMO_WALL,
    DEMO_FREE,
    DEMO_DOOR,
} DemoGround;

static DemoGround demo_look(const Simulation* sim, const Arena* arena, RayPoint to,
                            Fixed from_floor, Fixed* floor)
{
    const LevelHeights* heights = simulation_heights(sim, arena);
    CollideFooting footing =
        collide_footing(&arena->level, heights, to.x, to.y, fixed_from_int(16), WAD_LINE_BLOCKS);
    *floor = heights[footing.sector].floor;
    if (footing.blocked || (int64_t)footing.floor - from_floor > COLLIDE_STEP) {
        return DEMO_WALL;
    }
    if ((int64_t)footing.ceiling - footing.floor >= fixed_from_int(56)) {
        return DEMO_FREE;
    }
    return demo_is_door(sim, arena, footing.sector) ? DEMO_DOOR : DEMO_WALL;
}

/* Marks the cells with something to go for: items, and monsters. */
static void demo_mark_goals(const Play* play, const Arena* arena, uint8_t* goals)
{
    const Sight* seen = &play->session->sights[play->session->last_seen % SESSION_SIGHTS];
    memset(goals, 0, DEMO_CELLS);
    for (uint32_t i = 0; i < seen->actor_count; ++i) {
        const SightActor* actor = &seen->actors[i];
        if (actor->look != SIGHT_PUFF) {
            ThingClass kind = thing_table[actor->look].kind;
            bool wanted = kind == THING_ITEM || (kind == THING_MONSTER && actor->alive);
            goals[demo_cell(&arena->level, actor->position)] |= wanted ? 1 : 0;
        }
    }
}

/* East, north, west, south. */
static const int32_t demo_steps[4] = {1, DEMO_GRID, -1, -DEMO_GRID};

static void demo_trace_way(Demo* demo, uint32_t cell)
{
    demo->way_count = 0;
    while (demo->from[cell] < 4) {
        demo->way[demo->way_count % 512] = cell;
        ++demo->way_count;
        cell = (uint32_t)((int32_t)cell - demo_steps[demo->from[cell]]);
    }
    demo->way_count = demo->way_count < 512 ? demo->way_count : 0;
}

/* What can be reached from a cell in one step is queued. A door is something to go for, too. */
static uint32_t demo_spread(Demo* demo, const Simulation* sim, const Arena* arena, uint32_t cell,
                            uint32_t tail)
{
    for (uint16_t k = 0; k < 4; ++k) {
        int32_t next = (int32_t)cell + demo_steps[k];
        if (next < 0 || next >= DEMO_CELLS || demo->from[next] != DEMO_NOBODY) {
            continue;
        }
        Fixed floor;
        DemoGround ground = demo_look(sim, arena, demo_middle(&arena->level, (uint32_t)next),
                                      demo->floors[cell], &floor);
        if (ground != DEMO_WALL) {
            demo->goals[next] |= ground == DEMO_DOOR ? 1 : 0;
            demo->from[next] = k;
            demo->floors[next] = floor;
            demo->queue[tail++] = (uint32_t)next;
        }
    }
    return tail;
}

/* Searches in circles of steps from where he stands, for something he has not gone for yet. */
static void demo_plan(Demo* demo, const Play* play, Position at, uint32_t arena_number)
{
    const Arena* arena = &play->sim->arenas[arena_number];
    uint32_t head = 0, tail = 0, cell = demo_cell(&arena->level, at);
    if (demo->arena != arena_number) {
        memset(demo->visited, 0, DEMO_CELLS);
    }
    demo_mark_goals(play, arena, demo->goals);
    memset(demo->from, 0xff, DEMO_CELLS * sizeof *demo->from);
    demo->from[cell] = 4;
    demo->floors[cell] = at.z;
    demo->queue[tail++] = cell;
    while (head < tail) {
        cell = demo->queue[head++];
        if (head > 1 && demo->goals[cell] != 0 && demo->visited[cell] == 0) {
            break;
        }
        tail = demo_spread(demo, play->sim, arena, cell, tail);
    }
    demo->visited[cell] = 1;
    demo_trace_way(demo, cell);
    demo->arena = arena_number;
    demo->planned = demo->frame;
}

/* --- pressing keys ---------------------------------------------------------------------------- */

static float demo_turn(const Play* play, float wanted)
{
    return fmaxf(fminf(demo_difference(wanted, play->angle), 0.16f), -0.16f);
}

static void demo_fight(const Demo* demo, const Play* play, Position at, const CrowdBody* enemy,
                       GameControls* controls)
{
    float wanted = atan2f((float)enemy->y - (float)at.y, (float)enemy->x - (float)at.x);
    float distance = hypotf((float)enemy->x - (float)at.x, (float)enemy->y - (float)at.y);
    controls->turn = demo_turn(play, wanted);
    controls->fire = fabsf(demo_difference(wanted, play->angle)) < 0.12f;
    controls->side = demo->frame / 40 % 2 == 0 ? 90 : -90;
    controls->forward = distance > DEMO_NEAR ? 90 : 0;
}

static void demo_walk(Demo* demo, const Play* play, Position at, uint32_t arena,
                      GameControls* controls)
{
    const Level* level = &play->sim->arenas[arena].level;
    bool moved = fixed_abs64((int64_t)at.x - demo->last.x) > FIXED_ONE * 2 ||
                 fixed_abs64((int64_t)at.y - demo->last.y) > FIXED_ONE * 2;
    demo->stuck = moved ? 0 : demo->stuck + 1;
    demo->last = at;
    if (demo->stuck > 50) {
        demo->lost = 60; /* a monster stands in the way: another direction for a second */
        demo->stuck = 0;
    }
    if (demo->lost != 0) {
        demo->way_count = 0;
        controls->turn = --demo->lost > 40 ? 0.1f : 0.0f;
        controls->forward = 100;
        return;
    }
    if (demo->way_count == 0 || demo->arena != arena || demo->frame - demo->planned > 600) {
        demo_plan(demo, play, at, arena);
    }
    if (demo->way_count == 0) {
        demo->lost = 60;
        return;
    }
    RayPoint to = demo_middle(level, demo->way[demo->way_count - 1]);
    if (fixed_abs64((int64_t)to.x - at.x) < fixed_from_int(20) &&
        fixed_abs64((int64_t)to.y - at.y) < fixed_from_int(20)) {
        --demo->way_count;
    }
    float wanted = atan2f((float)to.y - (float)at.y, (float)to.x - (float)at.x);
    controls->turn = demo_turn(play, wanted);
    controls->forward = fabsf(demo_difference(wanted, play->angle)) < 0.5f ? 100 : 20;
    controls->use = demo->stuck > 6 && demo->frame % 12 < 3;
}

static bool demo_rewinds(uint32_t frame)
{
    return (frame >= DEMO_BACK && frame < DEMO_BACK_END) ||
           (frame >= DEMO_BACK_AGAIN && frame < DEMO_BACK_AGAIN_END);
}

GameControls demo_controls(Demo* demo, const Play* play)
{
    const Session* session = play->session;
    uint32_t frame = demo->frame++;
    GameControls controls = {.rewind = demo_rewinds(frame),
                             .map = frame == DEMO_MAP || frame == DEMO_MAP_END,
                             .help = frame == 10 || frame == 200,
                             .costs = frame == DEMO_COSTS,
                             .kill_cam = session->died != 0 &&
                                         session->sim->dice.tick > session->died + 40};
    const Position* at = SETT_FIND(play->sim->world, session->self, Position);
    if (at != NULL && session->mode == SESSION_PLAYS && !controls.rewind) {
        const CrowdBody* enemy = demo_find_enemy(play, *at, session_arena(session));
        if (enemy != NULL) {
            demo_fight(demo, play, *at, enemy, &controls);
        } else {
            demo_walk(demo, play, *at, session_arena(session), &controls);
        }
    }
    return controls;
}

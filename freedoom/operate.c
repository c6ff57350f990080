/* operate.c - the system by which lines that were pushed or crossed set the building in motion. See
 * systems.h. */
#include "collide.h"
#include "movers.h"
#include "spawn.h"
#include "special_table.h"
#include "systems.h"
#include "trigger.h"

#include <string.h>

#define DOOR_PAUSE 150u               /* ticks that it stays open */
#define DOOR_BREAK_PAUSE 1050u        /* or shut */
#define DOOR_LINTEL fixed_from_int(4) /* what is left of an open door */
#define LIFT_PAUSE 105u               /* ticks */
#define FLOOR_NEAR fixed_from_int(8)
#define CRUSHER_GAP fixed_from_int(8) /* what is left under it */
#define CRUSHER_FAST 8u               /* quarters of a map unit; the others slow down */
#define STAIRS_MAX 256u

/* Who does what where. */
typedef struct Operation {
    const SpecialType* type;
    const Arena* arena;
    Place place; /* the sector */
    sett_entity user;
} Operation;

static Fixed operate_speed(const SpecialType* type)
{
    return type->speed * (FIXED_ONE / 4);
}

/* --- what is around a sector ------------------------------------------------------------------ */

typedef struct Around {
    Fixed lowest_floor, highest_floor; /* of its neighbours */
    Fixed next_floor;                  /* the lowest that is higher than its own, or its own */
    Fixed lowest_ceiling;
} Around;

static void operate_meet(Around* around, LevelHeights own, LevelHeights other)
{
    around->lowest_floor = fixed_min(around->lowest_floor, other.floor);
    around->highest_floor = fixed_max(around->highest_floor, other.floor);
    around->lowest_ceiling = fixed_min(around->lowest_ceiling, other.ceiling);
    bool first = around->next_floor == own.floor;
    if (other.floor > own.floor && (first || other.floor < around->next_floor)) {
        around->next_floor = other.floor;
    }
}

static Around operate_look_around(const Simulation* sim, const Arena* arena, uint16_t sector)
{
    const LevelHeights* heights = simulation_heights(sim, arena);
    LevelHeights own = heights[sector];
    Around around = {.lowest_floor = INT32_MAX,
                     .highest_floor = INT32_MIN,
                     .next_floor = own.floor,
                     .lowest_ceiling = INT32_MAX};
    for (uint32_t i = 0; i < arena->level.map.line_count; ++i) {
        const LevelLine* line = &arena->level.lines[i];
        if (line->back == LEVEL_NO_SECTOR || line->front == line->back) {
            continue;
        }
        if (line->front == sector) {
            operate_meet(&around, own, heights[line->back]);
        } else if (line->back == sector) {
            operate_meet(&around, own, heights[line->front]);
        }
    }
    if (around.lowest_floor == INT32_MAX) {
        around = (Around){own.floor, own.floor, own.floor, own.ceiling};
    }
    return around;
}

/* --- doors ------------------------------------------------------------------------------------ */

/* One that is about to shut turns round for a body that walks into it. */
static bool operate_reopen(const Job* job, const Operation* operation, sett_entity sector)
{
    Door* door = SETT_GET_MUT(job->world, sector, Door);
    if (operation->type->trigger != TRIGGER_KNOCK || door->returns || door->left != 0 ||
        door->goal >= door->home) {
        return false;
    }
    mover_turn(door);
    door->returns = true;
    return true;
}

static bool operate_door(const Job* job, const Operation* operation, sett_entity sector)
{
    if (SETT_HAS(job->world, sector, Door)) {
        return operate_reopen(job, operation, sector);
    }
    if (SETT_HAS(job->world, sector, Crusher)) {
        return false;
    }
    Around around = operate_look_around(job->sim, operation->arena, operation->place.sector);
    LevelHeights now = simulation_heights(job->sim, operation->arena)[operation->place.sector];
    Effect effect = operation->type->effect;
    bool closes = effect == EFFECT_DOOR_CLOSE || effect == EFFECT_DOOR_BREAK;
    Fixed open = fixed_max(now.ceiling, fixed_add(around.lowest_ceiling, -DOOR_LINTEL));
    Door door = {.goal = closes ? now.floor : open,
                 .home = closes ? now.ceiling : now.floor,
                 .speed = operate_speed(operation->type),
                 .pause = DOOR_PAUSE,
                 .returns = effect == EFFECT_DOOR_VISIT || effect == EFFECT_DOOR_BREAK};
    if (effect == EFFECT_DOOR_BREAK) {
        door.pause = DOOR_BREAK_PAUSE;
    }
    if (!door.returns && door.goal == now.ceiling) {
        return false;
    }
    sett_cmd_set(job->commands, sector, Door_id, &door);
    spawn_news(job, EVENT_DOOR, operation->place.arena, operation->user, sector, 0);
    return true;
}

/* --- floors ----------------------------------------------------------------------------------- */

static Fixed operate_floor_goal(const SpecialType* type, LevelHeights now, const Around* around)
{
    switch ((Effect)type->effect) {
    case EFFECT_FLOOR_HIGHEST:
        return fixed_min(now.floor, around->highest_floor);
    case EFFECT_FLOOR_NEAR:
        return fixed_min(now.floor, fixed_add(around->highest_floor, FLOOR_NEAR));
    case EFFECT_FLOOR_NEXT:
        return around->next_floor;
    case EFFECT_FLOOR_CEILING:
        return fixed_max(now.floor, fixed_min(around->lowest_ceiling, now.ceiling));
    case EFFECT_FLOOR_CRUSH:
        return fixed_max(now.floor,
                         fixed_add(fixed_min(around->lowest_ceiling, now.ceiling), -CRUSHER_GAP));
    case EFFECT_FLOOR_UP:
        return fixed_add(now.floor, fixed_from_int(type->height));
    default:
        return fixed_min(now.floor, around->lowest_floor);
    }
}

static bool operate_floor(const Job* job, const Operation* operation, sett_entity sector)
{
    if (SETT_HAS(job->world, sector, Lift)) {
        return false;
    }
    Around around = operate_look_around(job->sim, operation->arena, operation->place.sector);
    LevelHeights now = simulation_heights(job->sim, operation->arena)[operation->place.sector];
    Lift lift = {.goal = operate_floor_goal(operation->type, now, &around),
                 .home = now.floor,
                 .speed = operate_speed(operation->type),
                 .pause = LIFT_PAUSE,
                 .returns = operation->type->effect == EFFECT_LIFT,
                 .crushes = operation->type->effect == EFFECT_FLOOR_CRUSH};
    if (lift.goal == now.floor) {
        return false;
    }
    sett_cmd_set(job->commands, sector, Lift_id, &lift);
    spawn_news(job, EVENT_LIFT, operation->place.arena, operation->user, sector, 0);
    return true;
}

/* --- stairs ----------------------------------------------------------------------------------- */

/* A flight of stairs, as far as it is known. */
typedef struct Stairs {
    uint16_t steps[STAIRS_MAX]; /* sectors */
    uint32_t count;
} Stairs;

static bool operate_is_step(const Stairs* stairs, uint16_t sector)
{
    for (uint32_t i = 0; i < stairs->count; ++i) {
        if (stairs->steps[i] == sector) {
            return true;
        }
    }
    return false;
}

/* The step after the last one: behind the first line that has the last on its right side, and on
 * its left a floor that looks the same and rests. */
static uint16_t operate_next_step(const Job* job, const Arena* arena, const Stairs* stairs)
{
    const Level* level = &arena->level;
    uint16_t last = stairs->steps[stairs->count - 1];
    const char* flat = level->map.sectors[last].floor_flat;
    for (uint32_t i = 0; i < level->map.line_count; ++i) {
        uint16_t next = level->lines[i].back;
        if (level->lines[i].front == last && next != LEVEL_NO_SECTOR &&
            strcmp(level->map.sectors[next].floor_flat, flat) == 0 &&
            !SETT_HAS(job->world, arena->sectors[next], Lift) && !operate_is_step(stairs, next)) {
            return next;
        }
    }
    return LEVEL_NO_SECTOR;
}

static bool operate_stairs(const Job* job, const Operation* operation, sett_entity sector)
{
    if (SETT_HAS(job->world, sector, Lift)) {
        return false;
    }
    const LevelHeights* heights = simulation_heights(job->sim, operation->arena);
    Stairs stairs = {.count = 0};
    Fixed goal = heights[operation->place.sector].floor;
    for (uint16_t step = operation->place.sector;
         step != LEVEL_NO_SECTOR && stairs.count < STAIRS_MAX;
         step = operate_next_step(job, operation->arena, &stairs)) {
        stairs.steps[stairs.count++] = step;
        goal = fixed_add(goal, fixed_from_int(operation->type->height));
        SETT_CMD_SET(job->commands, operation->arena->sectors[step], Lift, .goal = goal,
                     .home = heights[step].floor, .speed = operate_speed(operation->type));
    }
    spawn_news(job, EVENT_STAIRS, operation->place.arena, operation->user, sector,
               (int32_t)stairs.count);
    return true;
}

/* --- crushers --------------------------------------------------------------------------------- */

/* Up to where it is now, or was at first: one that was stopped half-way goes on as before. */
static bool operate_crusher(const Job* job, const Operation* operation, sett_entity sector)
{
    if (SETT_HAS(job->world, sector, Door) || SETT_HAS(job->world, sector, Crusher)) {
        return false;
    }
    LevelHeights now = simulation_heights(job->sim, operation->arena)[operation->place.sector];
    Fixed first =
        fixed_from_int(operation->arena->level.map.sectors[operation->place.sector].ceiling);
    SETT_CMD_SET(job->commands, sector, Crusher, .low = fixed_add(now.floor, CRUSHER_GAP),
                 .high = fixed_max(now.ceiling, first), .speed = operate_speed(operation->type),
                 .slows = operation->type->speed < CRUSHER_FAST);
    spawn_news(job, EVENT_CRUSHER, operation->place.arena, operation->user, sector, 0);
    return true;
}

static bool operate_crusher_stop(const Job* job, sett_entity sector)
{
    if (!SETT_HAS(job->world, sector, Crusher)) {
        return false;
    }
    sett_cmd_remove(job->commands, sector, Crusher_id);
    return true;
}

/* --- teleports -------------------------------------------------------------------------------- */

/* The landing in a sector, as the map's file has it: nothing moves it. */
static const WadThing* operate_find_landing(const Arena* arena, uint16_t sector)
{
    for (uint32_t i = 0; i < arena->level.map.thing_count; ++i) {
        const WadThing* thing = &arena->level.map.things[i];
        if (thing->type == THING_LANDING_NUMBER &&
            level_sector_at(&arena->level, fixed_from_int(thing->x), fixed_from_int(thing->y)) ==
                sector) {
            return thing;
        }
    }
    return NULL;
}

static bool operate_teleport(const Job* job, const Operation* operation)
{
    const WadThing* landing = operate_find_landing(operation->arena, operation->place.sector);
    const Body* body = SETT_FIND(job->world, operation->user, Body);
    if (landing == NULL || body == NULL) {
        return false;
    }
    Position there = {
        .x = fixed_from_int(landing->x),
        .y = fixed_from_int(landing->y),
        .z = simulation_heights(job->sim, operation->arena)[operation->place.sector].floor};
    if (crowd_is_taken(&job->sim->crowd, operation->arena, there.x, there.y, body->radius)) {
        return false;
    }
    *SETT_GET_MUT(job->world, operation->user, Position) = there;
    SETT_GET_MUT(job->world, operation->user, Place)->sector = operation->place.sector;
    spawn_news(job, EVENT_TELEPORT, operation->place.arena, operation->user, sett_null(), 0);
    return true;
}

/* --- the whole -------------------------------------------------------------------------------- */

static bool operate_light(const Job* job, const Operation* operation, sett_entity sector)
{
    Light* light = SETT_GET_MUT(job->world, sector, Light);
    bool changes = light->level != operation->type->height;
    light->level = operation->type->height;
    /* What made it change is switched off. */
    sett_cmd_remove(job->commands, sector, Blink_id);
    sett_cmd_remove(job->commands, sector, Glow_id);
    sett_cmd_remove(job->commands, sector, Flicker_id);
    return changes;
}

/* Returns whether anything happened. */
static bool operate_sector(const Job* job, const Operation* operation)
{
    sett_entity sector = operation->arena->sectors[operation->place.sector];
    switch ((Effect)operation->type->effect) {
    case EFFECT_DOOR_VISIT:
    case EFFECT_DOOR_OPEN:
    case EFFECT_DOOR_CLOSE:
    case EFFECT_DOOR_BREAK:
        return operate_door(job, operation, sector);
    case EFFECT_LIGHT:
        return operate_light(job, operation, sector);
    case EFFECT_TELEPORT:
        return operate_teleport(job, operation);
    case EFFECT_STAIRS:
        return operate_stairs(job, operation, sector);
    case EFFECT_CRUSHER:
        return operate_crusher(job, operation, sector);
    case EFFECT_CRUSHER_STOP:
        return operate_crusher_stop(job, sector);
    case EFFECT_EXIT:
        return false;
    default:
        return operate_floor(job, operation, sector);
    }
}

/* A tag of 0 is none: mappers left it out. */
static bool operate_tagged(const Job* job, Operation operation, uint16_t tag)
{
    const WadMap* map = &operation.arena->level.map;
    bool any = false;
    for (uint32_t i = 0; tag != 0 && i < map->sector_count; ++i) {
        if (map->sectors[i].tag == tag) {
            operation.place.sector = (uint16_t)i;
            bool done = operate_sector(job, &operation);
            any = any || done;
            if (done && operation.type->effect == EFFECT_TELEPORT) {
                break;
            }
        }
    }
    return any;
}

/* Where the way leads is decided outside of the world. */
static void operate_exit(const Job* job, sett_entity user)
{
    if (SETT_HAS(job->world, user, Facing)) {
        SETT_GET_MUT(job->world, user, Facing)->leaves = 1;
    }
}

static void operate_run(sett_context* context)
{
    Job job = simulation_job(context);
    SETT_SYSTEM_EACH(context, b) {
        const Use* use = sett_batch_field(b, 0);
        SETT_EACH(b, i) {
            spawn_end(&job, sett_batch_entity(b, i));
            const Special* special = SETT_FIND(job.world, use[i].line, Special);
            if (special == NULL) {
                continue;
            }
            const Line* line = SETT_GET(job.world, use[i].line, Line);
            Operation operation = {.type = special_find(special->action),
                                   .arena = &job.sim->arenas[line->arena],
                                   .place = {.arena = line->arena},
                                   .user = use[i].user};
            if (operation.type->effect == EFFECT_EXIT) {
                operate_exit(&job, use[i].user);
                continue;
            }
            operation.place.sector = operation.arena->level.lines[line->number].back;
            bool knocks = operation.type->trigger == TRIGGER_KNOCK;
            bool done = knocks ? operation.place.sector != LEVEL_NO_SECTOR &&
                                     operate_sector(&job, &operation)
                               : operate_tagged(&job, operation, special->tag);
            if (done && operation.type->once) {
                sett_cmd_remove(job.commands, use[i].line, Special_id);
            }
        }
    }
}

const sett_system_desc system_operate = {
    .name = "operate",
    .run = operate_run,
    .terms = {SETT_IN(Use)},
    .access_any_in = {Line_id, Special_id, Thing_id, Body_id, Pack_id},
    .access_any_inout = {Door_id, Light_id, Position_id, Place_id, Facing_id},
};

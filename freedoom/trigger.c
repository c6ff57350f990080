/* trigger.c - see trigger.h. */
#include "trigger.h"

#include "ray.h"
#include "spawn.h"
#include "special_table.h"

bool trigger_has_key(const Simulation* sim, sett_entity who, uint8_t key)
{
    const Pack* pack = SETT_FIND(sim->world, who, Pack);
    return key == 0 || (pack != NULL && (pack->keys & key) != 0);
}

/* What the line does at present: some do it only once. */
static const SpecialType* trigger_type(const Simulation* sim, const Arena* arena, uint16_t line)
{
    const Special* special = SETT_FIND(sim->world, arena->lines[line], Special);
    return special_find(special != NULL ? special->action : 0);
}

/* Humans alone leave a map: the others have nowhere to go. */
static bool trigger_is_for(const Simulation* sim, const SpecialType* type, sett_entity self,
                           bool is_player)
{
    if (type->effect == EFFECT_EXIT) {
        return SETT_HAS(sim->world, self, Input);
    }
    bool teleports = type->effect == EFFECT_TELEPORT;
    return is_player ? !teleports || !type->monsters : teleports || type->monsters;
}

void trigger_cross(const Job* job, const Arena* arena, const CollideFooting* footing, RayPoint from,
                   RayPoint to, sett_entity self, bool is_player)
{
    for (uint32_t i = 0; i < footing->special_count; ++i) {
        const LevelLine* line = &arena->level.lines[footing->specials[i]];
        bool from_left = level_line_side(line, from.x, from.y) > 0;
        if (from_left == (level_line_side(line, to.x, to.y) > 0)) {
            continue;
        }
        const SpecialType* type = trigger_type(job->sim, arena, footing->specials[i]);
        /* Who comes out of a teleporter crosses its edge from behind. */
        bool leaves = type->effect == EFFECT_TELEPORT && from_left;
        if (type->trigger == TRIGGER_CROSS && trigger_is_for(job->sim, type, self, is_player) &&
            !leaves) {
            spawn_use(job, arena->lines[footing->specials[i]], self);
        }
    }
}

/* Whether it is the door behind this line that leaves no room. */
static bool trigger_is_shut(const Simulation* sim, const Arena* arena, uint16_t line,
                            const Body* body)
{
    uint16_t behind = arena->level.lines[line].back;
    if (behind == LEVEL_NO_SECTOR) {
        return false;
    }
    LevelHeights room = simulation_heights(sim, arena)[behind];
    return (int64_t)room.ceiling - room.floor < body->height;
}

bool trigger_push(const Job* job, const Arena* arena, const CollideFooting* footing,
                  const Body* body, sett_entity self, bool is_player)
{
    bool opens = false;
    for (uint32_t i = 0; i < footing->special_count; ++i) {
        uint16_t line = footing->specials[i];
        const SpecialType* type = trigger_type(job->sim, arena, line);
        bool pushes = type->trigger == TRIGGER_KNOCK || type->trigger == TRIGGER_PUSH;
        if (pushes && trigger_is_for(job->sim, type, self, is_player) &&
            trigger_has_key(job->sim, self, type->key)) {
            spawn_use(job, arena->lines[line], self);
            opens = opens || (type->trigger == TRIGGER_KNOCK &&
                              trigger_is_shut(job->sim, arena, line, body));
        }
    }
    return opens;
}

bool trigger_use(const Job* job, const Arena* arena, RayPoint from, RayPoint to, const Body* body,
                 sett_entity self)
{
    const Level* level = &arena->level;
    const LevelHeights* heights = simulation_heights(job->sim, arena);
    CollideFooting footing = {.special_count = 0};
    Fixed nearest = FIXED_ONE;
    int32_t shift = FIXED_BITS - LEVEL_WALK_BITS;
    LevelWalk walk =
        level_walk(level, from.x >> shift, from.y >> shift, to.x >> shift, to.y >> shift);
    while (level_walk_next(&walk)) {
        for (uint32_t i = level->cell_first[walk.cell]; i < level->cell_first[walk.cell + 1]; ++i) {
            uint16_t number = level->cell_lines[i];
            const LevelLine* line = &level->lines[number];
            Fixed share = 0;
            if (!ray_meets(line, from, to, &share) || share >= nearest) {
                continue;
            }
            uint8_t trigger = trigger_type(job->sim, arena, number)->trigger;
            bool pushes = trigger == TRIGGER_KNOCK || trigger == TRIGGER_PUSH;
            bool front = level_line_side(line, from.x, from.y) <= 0;
            if ((pushes && front) || ray_is_shut(line, heights)) {
                nearest = share;
                footing.special_count = pushes && front ? 1 : 0;
                footing.specials[0] = number;
            }
        }
    }
    trigger_push(job, arena, &footing, body, self, true);
    return footing.special_count != 0;
}

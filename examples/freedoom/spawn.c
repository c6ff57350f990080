/* spawn.c - see spawn.h. */
#include "spawn.h"

#include "collide.h"

#include <stdlib.h>

#define SPAWN_SPARK_TICKS 12

/* --- a map's building ------------------------------------------------------------------------- */

static void spawn_count(Simulation* sim, uint64_t entities)
{
    sim->counts.created += entities;
}

static void spawn_special(Simulation* sim, sett_entity entity, uint16_t action, uint16_t tag)
{
    if (action != 0 || tag != 0) {
        SETT_SET(sim->world, entity, Special, .action = action, .tag = tag);
    }
}

/* All sectors of a map in one call: their values are laid out as the storages want them. */
static bool spawn_sectors(Simulation* sim, uint32_t arena)
{
    const WadMap* map = &sim->arenas[arena].level.map;
    uint32_t count = map->sector_count;
    Sector* sectors = malloc(count * sizeof *sectors);
    Heights* heights = malloc(count * sizeof *heights);
    sett_entity* entities = malloc(count * sizeof *entities);
    bool good = sectors != NULL && heights != NULL && entities != NULL;
    for (uint32_t i = 0; good && i < count; ++i) {
        sectors[i] = (Sector){.arena = (uint16_t)arena, .number = (uint16_t)i};
        heights[i] = (Heights){.floor = fixed_from_int(map->sectors[i].floor),
                               .ceiling = fixed_from_int(map->sectors[i].ceiling)};
    }
    if (good) {
        const sett_component types[] = {Sector_id, Heights_id};
        const void* values[] = {sectors, heights};
        good = sett_entity_create_many(sim->world, count, types, 2, values, entities) == SETT_OK;
    }
    for (uint32_t i = 0; good && i < count; ++i) {
        spawn_special(sim, entities[i], map->sectors[i].special, map->sectors[i].tag);
    }
    spawn_count(sim, good ? count : 0);
    free(sectors);
    free(heights);
    free(entities);
    return good;
}

static bool spawn_lines(Simulation* sim, uint32_t arena)
{
    const WadMap* map = &sim->arenas[arena].level.map;
    uint32_t count = map->line_count;
    Line* lines = malloc(count * sizeof *lines);
    sett_entity* entities = malloc(count * sizeof *entities);
    bool good = lines != NULL && entities != NULL;
    for (uint32_t i = 0; good && i < count; ++i) {
        lines[i] = (Line){.arena = (uint16_t)arena, .number = (uint16_t)i};
    }
    if (good) {
        const sett_component type = Line_id;
        const void* values[] = {lines};
        good = sett_entity_create_many(sim->world, count, &type, 1, values, entities) == SETT_OK;
    }
    for (uint32_t i = 0; good && i < count; ++i) {
        spawn_special(sim, entities[i], map->lines[i].special, map->lines[i].tag);
    }
    spawn_count(sim, good ? count : 0);
    free(lines);
    free(entities);
    return good;
}

/* --- a map's things --------------------------------------------------------------------------- */

/* A body stands on the highest floor under it, if it can step there; mappers place some halfway
 * over the edge of a pit or inside of a wall. */
static Fixed spawn_floor(const Simulation* sim, Place place, Fixed x, Fixed y, Fixed radius)
{
    const Arena* arena = simulation_arena(sim, place);
    const LevelHeights* heights = simulation_heights(sim, arena);
    Fixed floor = heights[place.sector].floor;
    CollideFooting footing = collide_footing(&arena->level, heights, x, y, radius, 0);
    bool steps = (int64_t)footing.floor - floor <= COLLIDE_STEP;
    return !footing.blocked && steps ? footing.floor : floor;
}

static void spawn_things(Simulation* sim, uint32_t arena)
{
    const Level* level = &sim->arenas[arena].level;
    for (uint32_t i = 0; i < level->map.thing_count; ++i) {
        const WadThing* thing = &level->map.things[i];
        uint32_t type = thing_table_find(thing->type);
        Fixed x = fixed_from_int(thing->x);
        Fixed y = fixed_from_int(thing->y);
        Place place = {.arena = (uint16_t)arena, .sector = (uint16_t)level_sector_at(level, x, y)};
        Fixed radius = fixed_from_int(thing_table[type].radius);
        Fixed z = spawn_floor(sim, place, x, y, radius);
        spawn_thing(sim, type, place, (Position){x, y, z});
    }
}

bool spawn_arena(Simulation* sim, uint32_t arena)
{
    sett_entity map = sett_entity_create(sim->world);
    if (SETT_SET(sim->world, map, Map, .arena = arena) == NULL) {
        return false;
    }
    spawn_count(sim, 1);
    sim->arenas[arena].map = map;
    if (!spawn_sectors(sim, arena) || !spawn_lines(sim, arena)) {
        return false;
    }
    spawn_things(sim, arena);
    return sett_commands_apply(sim->commands) == SETT_OK;
}

/* --- things ----------------------------------------------------------------------------------- */

static sett_entity spawn_at(Simulation* sim, Place place, Position position)
{
    sett_entity entity = sett_cmd_create(sim->commands);
    sett_cmd_set(sim->commands, entity, Position_id, &position);
    sett_cmd_set(sim->commands, entity, Place_id, &place);
    spawn_count(sim, 1);
    return entity;
}

static void spawn_body(Simulation* sim, sett_entity entity, const ThingType* type)
{
    SETT_CMD_SET(sim->commands, entity, Body, .radius = fixed_from_int(type->radius),
                 .height = fixed_from_int(type->height));
}

void spawn_life(Simulation* sim, sett_entity entity, const ThingType* type)
{
    spawn_body(sim, entity, type);
    SETT_CMD_SET(sim->commands, entity, Health, .points = type->health);
    sett_cmd_add(sim->commands, entity, Monster_id);
    if (type->flies) {
        sett_cmd_add(sim->commands, entity, Flying_id);
    }
    if (type->speed != 0) {
        uint32_t direction = simulation_roll(sim, entity, DICE_DIRECTION, 8);
        uint32_t wait = simulation_roll(sim, entity, DICE_SPAWN, type->step_ticks);
        SETT_CMD_SET(sim->commands, entity, Walk, .direction = (uint8_t)direction,
                     .wait = (uint8_t)wait);
    }
}

sett_entity spawn_thing(Simulation* sim, uint32_t type, Place place, Position position)
{
    const ThingType* row = &thing_table[type];
    sett_entity entity = spawn_at(sim, place, position);
    SETT_CMD_SET(sim->commands, entity, Thing, .type = (uint16_t)type);
    switch (row->kind) {
    case THING_MONSTER:
        spawn_life(sim, entity, row);
        break;
    case THING_BARREL:
        spawn_body(sim, entity, row);
        SETT_CMD_SET(sim->commands, entity, Health, .points = row->health);
        break;
    case THING_ITEM:
        sett_cmd_add(sim->commands, entity, Item_id);
        break;
    case THING_SCENERY:
        if (row->radius != 0) {
            spawn_body(sim, entity, row);
        }
        break;
    default:
        break;
    }
    return entity;
}

/* --- what flies, and what is over soon -------------------------------------------------------- */

sett_entity spawn_missile(Simulation* sim, uint32_t type, Place place, Position position,
                          Velocity velocity, sett_entity shooter)
{
    sett_entity entity = spawn_at(sim, place, position);
    SETT_CMD_SET(sim->commands, entity, Thing, .type = (uint16_t)type);
    sett_cmd_set(sim->commands, entity, Velocity_id, &velocity);
    SETT_CMD_SET(sim->commands, entity, Missile, .shooter = shooter);
    return entity;
}

void spawn_spark(Simulation* sim, Place place, Position position)
{
    sett_entity entity = spawn_at(sim, place, position);
    sett_cmd_add(sim->commands, entity, Spark_id);
    SETT_CMD_SET(sim->commands, entity, Lifetime, .ticks = SPAWN_SPARK_TICKS);
}

void spawn_hit(Simulation* sim, sett_entity victim, sett_entity attacker, int32_t damage)
{
    sett_entity entity = sett_cmd_create(sim->commands);
    SETT_CMD_SET(sim->commands, entity, Hit, .victim = victim, .attacker = attacker,
                 .damage = damage);
    spawn_count(sim, 1);
}

void spawn_end(Simulation* sim, sett_entity entity)
{
    sett_cmd_destroy(sim->commands, entity);
    ++sim->counts.destroyed;
}

/* spawn.c - see spawn.h. */
#include "spawn.h"

#include "lights.h"
#include "names.h"
#include "populate.h"

#include "sett/hierarchy.h"

#include <stdlib.h>

#define SPAWN_SPARK_TICKS 12
#define SPAWN_BULLETS 50 /* of a player */

/* --- a map's building ------------------------------------------------------------------------- */

static void spawn_special(Simulation* sim, sett_entity entity, uint16_t action, uint16_t tag)
{
    if (action != 0 || tag != 0) {
        SETT_SET(sim->world, entity, Special, .action = action, .tag = tag);
    }
}

/* Below the map: with it they go. */
static bool spawn_below(Simulation* sim, const Arena* arena, const sett_entity* entities,
                        uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        if (sett_hierarchy_attach(sim->world, entities[i], arena->map) != SETT_OK) {
            return false;
        }
    }
    return true;
}

static void spawn_dress_sectors(Simulation* sim, const Arena* arena)
{
    const Level* level = &arena->level;
    for (uint32_t i = 0; i < level->map.sector_count; ++i) {
        const WadSector* sector = &level->map.sectors[i];
        spawn_special(sim, arena->sectors[i], sector->special, sector->tag);
        lights_set_up(sim, arena->sectors[i], level, i);
    }
}

/* All sectors of a map in one call: their values are laid out as the storages want them. */
static bool spawn_sectors(Simulation* sim, uint32_t number)
{
    Arena* arena = &sim->arenas[number];
    const WadMap* map = &arena->level.map;
    uint32_t count = map->sector_count;
    Sector* sectors = malloc(count * sizeof *sectors);
    Heights* heights = malloc(count * sizeof *heights);
    Light* lights = malloc(count * sizeof *lights);
    arena->sectors = malloc(count * sizeof *arena->sectors);
    bool good = sectors != NULL && heights != NULL && lights != NULL && arena->sectors != NULL;
    for (uint32_t i = 0; good && i < count; ++i) {
        sectors[i] = (Sector){.arena = (uint16_t)number, .number = (uint16_t)i};
        heights[i] = (Heights){.floor = fixed_from_int(map->sectors[i].floor),
                               .ceiling = fixed_from_int(map->sectors[i].ceiling)};
        lights[i] = (Light){.level = lights_level(map->sectors[i].light)};
    }
    if (good) {
        const sett_component types[] = {Sector_id, Heights_id, Light_id};
        const void* values[] = {sectors, heights, lights};
        good =
            sett_entity_create_many(sim->world, count, types, 3, values, arena->sectors) == SETT_OK;
    }
    if (good) {
        spawn_dress_sectors(sim, arena);
        good = spawn_below(sim, arena, arena->sectors, count);
    }
    free(sectors);
    free(heights);
    free(lights);
    return good;
}

static bool spawn_lines(Simulation* sim, uint32_t number)
{
    Arena* arena = &sim->arenas[number];
    const WadMap* map = &arena->level.map;
    uint32_t count = map->line_count;
    Line* lines = malloc(count * sizeof *lines);
    arena->lines = malloc(count * sizeof *arena->lines);
    bool good = lines != NULL && arena->lines != NULL;
    for (uint32_t i = 0; good && i < count; ++i) {
        lines[i] = (Line){.arena = (uint16_t)number, .number = (uint16_t)i};
    }
    if (good) {
        const sett_component type = Line_id;
        const void* values[] = {lines};
        good =
            sett_entity_create_many(sim->world, count, &type, 1, values, arena->lines) == SETT_OK;
    }
    for (uint32_t i = 0; good && i < count; ++i) {
        spawn_special(sim, arena->lines[i], map->lines[i].special, map->lines[i].tag);
    }
    free(lines);
    return good && spawn_below(sim, arena, arena->lines, count);
}

/* --- all of it -------------------------------------------------------------------------------- */

static bool spawn_map(Simulation* sim, uint32_t number)
{
    Arena* arena = &sim->arenas[number];
    arena->map = sett_entity_create(sim->world);
    return SETT_SET(sim->world, arena->map, Map, .arena = number) != NULL;
}

/* Lines last: they never change, and what does should lie together. */
bool spawn_all(Simulation* sim)
{
    bool good = true;
    for (uint32_t i = 0; good && i < sim->arena_count; ++i) {
        good = spawn_map(sim, i) && spawn_sectors(sim, i) && names_give(sim, i);
    }
    good = good && populate(sim);
    for (uint32_t i = 0; good && i < sim->arena_count; ++i) {
        good = spawn_lines(sim, i);
    }
    return good;
}

/* --- things ----------------------------------------------------------------------------------- */

static sett_entity spawn_at(const Job* job, Place place, Position position)
{
    sett_entity entity = sett_cmd_create(job->commands);
    sett_cmd_set(job->commands, entity, Position_id, &position);
    sett_cmd_set(job->commands, entity, Place_id, &place);
    return entity;
}

static void spawn_body(const Job* job, sett_entity entity, const ThingType* type)
{
    SETT_CMD_SET(job->commands, entity, Body, .radius = fixed_from_int(type->radius),
                 .height = fixed_from_int(type->height));
}

/* Not all take the same direction, and not all at once. */
Walk spawn_first_step(const Simulation* sim, sett_entity entity, const ThingType* type)
{
    uint32_t direction = simulation_roll(sim, entity, DICE_DIRECTION, 8);
    uint32_t wait = simulation_roll(sim, entity, DICE_SPAWN, type->step_ticks);
    return (Walk){.direction = (uint8_t)direction, .wait = (uint8_t)wait};
}

void spawn_life(const Job* job, sett_entity entity, const ThingType* type)
{
    spawn_body(job, entity, type);
    SETT_CMD_SET(job->commands, entity, Health, .points = type->health);
    sett_cmd_add(job->commands, entity, Alive_id);
    if (type->kind == THING_MONSTER) {
        sett_cmd_add(job->commands, entity, Monster_id);
    }
    if (type->flies) {
        sett_cmd_add(job->commands, entity, Flying_id);
    }
    if (type->speed != 0) {
        Walk walk = spawn_first_step(job->sim, entity, type);
        sett_cmd_set(job->commands, entity, Walk_id, &walk);
    }
}

sett_entity spawn_thing(const Job* job, uint32_t type, Place place, Position position)
{
    const ThingType* row = &thing_table[type];
    sett_entity entity = spawn_at(job, place, position);
    SETT_CMD_SET(job->commands, entity, Thing, .type = (uint16_t)type);
    switch (row->kind) {
    case THING_MONSTER:
        spawn_life(job, entity, row);
        break;
    case THING_BARREL:
        spawn_body(job, entity, row);
        SETT_CMD_SET(job->commands, entity, Health, .points = row->health);
        break;
    case THING_ITEM:
        sett_cmd_add(job->commands, entity, Item_id);
        break;
    case THING_SCENERY:
        if (row->radius != 0) {
            spawn_body(job, entity, row);
        }
        break;
    default:
        break;
    }
    return entity;
}

sett_entity spawn_player(const Job* job, uint8_t number, Place place, Position position)
{
    sett_entity entity = spawn_at(job, place, position);
    SETT_CMD_SET(job->commands, entity, Thing, .type = THING_PLAYER_ROW);
    spawn_life(job, entity, &thing_table[THING_PLAYER_ROW]);
    SETT_CMD_SET(job->commands, entity, Player, .number = number);
    SETT_CMD_SET(job->commands, entity, Armour, .points = 0);
    SETT_CMD_SET(job->commands, entity, Pack, .rounds = {[AMMO_BULLETS] = SPAWN_BULLETS},
                 .weapons = 1u << WEAPON_FIST | 1u << WEAPON_PISTOL);
    return entity;
}

/* --- what flies, and what is over soon -------------------------------------------------------- */

sett_entity spawn_missile(const Job* job, uint32_t type, Place place, Position position,
                          Velocity velocity, sett_entity shooter)
{
    sett_entity entity = spawn_at(job, place, position);
    SETT_CMD_SET(job->commands, entity, Thing, .type = (uint16_t)type);
    sett_cmd_set(job->commands, entity, Velocity_id, &velocity);
    SETT_CMD_SET(job->commands, entity, Missile, .shooter = shooter);
    return entity;
}

void spawn_spark(const Job* job, Place place, Position position)
{
    sett_entity entity = spawn_at(job, place, position);
    sett_cmd_add(job->commands, entity, Spark_id);
    SETT_CMD_SET(job->commands, entity, Lifetime, .ticks = SPAWN_SPARK_TICKS);
}

void spawn_hit(const Job* job, sett_entity victim, sett_entity attacker, int32_t damage)
{
    sett_entity entity = sett_cmd_create(job->commands);
    SETT_CMD_SET(job->commands, entity, Hit, .victim = victim, .attacker = attacker,
                 .damage = damage);
}

void spawn_use(const Job* job, sett_entity line, sett_entity user)
{
    sett_entity entity = sett_cmd_create(job->commands);
    SETT_CMD_SET(job->commands, entity, Use, .line = line, .user = user);
}

void spawn_pickup(const Job* job, sett_entity player, uint32_t type)
{
    sett_entity entity = sett_cmd_create(job->commands);
    SETT_CMD_SET(job->commands, entity, Pickup, .player = player, .type = type);
}

void spawn_news(const Job* job, Event event, uint32_t arena, sett_entity who, sett_entity other,
                int32_t amount)
{
    const Thing* who_is = SETT_FIND(job->world, who, Thing);
    const Thing* other_is = SETT_FIND(job->world, other, Thing);
    sett_entity entity = sett_cmd_create(job->commands);
    SETT_CMD_SET(job->commands, entity, News, .event = (uint16_t)event, .arena = (uint16_t)arena,
                 .types = {who_is != NULL ? who_is->type : THING_NOTHING,
                           other_is != NULL ? other_is->type : THING_NOTHING},
                 .who = who, .other = other, .amount = amount);
}

void spawn_end(const Job* job, sett_entity entity)
{
    sett_cmd_destroy(job->commands, entity);
}

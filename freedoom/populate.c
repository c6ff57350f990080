/* populate.c - see populate.h.
 *
 * They are cast from moulds: of each type one thing is made by hand, a prefab, and all others of
 * the type are instances of it, those of one map in one call. When all are there the moulds go.
 *
 * Monsters come first, and map by map: so the ten thousand that move lie on eleven pages and not
 * among forty thousand others, which loops, and those who keep what was before, are glad of; and
 * who is visited after each other is on the same map. */
#include "populate.h"

#include "collide.h"
#include "spawn.h"

#include "sett/hierarchy.h"
#include "sett/prefab.h"

#include <stdlib.h>

#define POPULATE_MOULDS 256u

typedef struct Casting {
    Simulation* sim;
    sett_entity moulds[POPULATE_MOULDS]; /* by row of thing_table */
    uint16_t* types;                     /* of a map's things: rows of thing_table */
    uint32_t* chosen;                    /* those of one type */
    sett_entity* entities;               /* what became of them */
} Casting;

/* --- moulds ----------------------------------------------------------------------------------- */

static bool populate_make_moulds(Casting* casting)
{
    Job job = simulation_outside(casting->sim);
    for (uint16_t type = 0; type < thing_table_count; ++type) {
        casting->moulds[type] = spawn_thing(&job, type, (Place){0}, (Position){0});
    }
    bool good = sett_commands_apply(job.commands) == SETT_OK;
    for (uint16_t type = 0; good && type < thing_table_count; ++type) {
        good = sett_prefab_make(job.world, casting->moulds[type]) == SETT_OK;
    }
    return good;
}

static void populate_break_moulds(Casting* casting)
{
    for (uint16_t type = 0; type < thing_table_count; ++type) {
        sett_entity_destroy(casting->sim->world, casting->moulds[type]);
    }
}

/* --- one thing -------------------------------------------------------------------------------- */

/* A body stands on the highest floor under it, if it can step there; mappers place some halfway
 * over the edge of a pit or inside of a wall. */
static Fixed populate_floor(const Simulation* sim, Place place, Fixed x, Fixed y, Fixed radius)
{
    const Arena* arena = simulation_arena(sim, place);
    const LevelHeights* heights = simulation_heights(sim, arena);
    Fixed floor = heights[place.sector].floor;
    CollideFooting footing = collide_footing(&arena->level, heights, x, y, radius, 0);
    bool steps = (int64_t)footing.floor - floor <= COLLIDE_STEP;
    return !footing.blocked && steps ? footing.floor : floor;
}

/* Puts an instance where the map has it. */
static bool populate_place(const Simulation* sim, sett_entity entity, uint32_t arena,
                           const WadThing* thing, const ThingType* type)
{
    sett_world* world = sim->world;
    const Level* level = &sim->arenas[arena].level;
    Fixed x = fixed_from_int(thing->x), y = fixed_from_int(thing->y);
    Place place = {.arena = (uint16_t)arena, .sector = (uint16_t)level_sector_at(level, x, y)};
    Fixed z = populate_floor(sim, place, x, y, fixed_from_int(type->radius));
    SETT_SET(world, entity, Place, .arena = place.arena, .sector = place.sector);
    SETT_SET(world, entity, Position, .x = x, .y = y, .z = z);
    if (SETT_HAS(world, entity, Walk)) {
        *SETT_GET_MUT(world, entity, Walk) = spawn_first_step(sim, entity, type);
    }
    return sett_hierarchy_attach(world, entity, sim->arenas[arena].map) == SETT_OK;
}

/* --- those of a map --------------------------------------------------------------------------- */

static bool populate_cast(Casting* casting, uint32_t arena, uint16_t type)
{
    const WadMap* map = &casting->sim->arenas[arena].level.map;
    uint32_t count = 0;
    for (uint32_t i = 0; i < map->thing_count; ++i) {
        if (casting->types[i] == type) {
            casting->chosen[count++] = i;
        }
    }
    bool good = count == 0 || sett_instantiate(casting->sim->world, casting->moulds[type], count,
                                               casting->entities) == SETT_OK;
    for (uint32_t k = 0; good && k < count; ++k) {
        good = populate_place(casting->sim, casting->entities[k], arena,
                              &map->things[casting->chosen[k]], &thing_table[type]);
    }
    return good;
}

static bool populate_map(Casting* casting, uint32_t arena, bool monsters)
{
    const WadMap* map = &casting->sim->arenas[arena].level.map;
    bool good = true;
    for (uint32_t i = 0; i < map->thing_count; ++i) {
        casting->types[i] = thing_table_find(map->things[i].type);
    }
    for (uint16_t type = 0; good && type < thing_table_count; ++type) {
        if ((thing_table[type].kind == THING_MONSTER) == monsters) {
            good = populate_cast(casting, arena, type);
        }
    }
    return good;
}

/* --- players ---------------------------------------------------------------------------------- */

/* One for each of the four numbers on a map, though it may have the same start twice. */
static bool populate_starts(Simulation* sim)
{
    Job job = simulation_outside(sim);
    bool* taken = calloc(sim->arena_count * COMPONENT_PLAYERS, sizeof *taken);
    sett_query_desc desc = {.terms = {SETT_IN(Thing), SETT_IN(Position), SETT_IN(Place)}};
    sett_query* query = sett_query_create(sim->world, &desc);
    if (taken == NULL || query == NULL) {
        free(taken);
        return false;
    }
    SETT_QUERY_EACH(query, b) {
        const Thing* thing = sett_batch_field(b, 0);
        const Position* position = sett_batch_field(b, 1);
        const Place* place = sett_batch_field(b, 2);
        SETT_EACH(b, i) {
            uint32_t k = thing_table[thing[i].type].number - 1u;
            if (k < COMPONENT_PLAYERS && !taken[place[i].arena * COMPONENT_PLAYERS + k]) {
                taken[place[i].arena * COMPONENT_PLAYERS + k] = true;
                sett_entity player = spawn_player(&job, (uint8_t)(k + 1), place[i], position[i]);
                SETT_CMD_SET(job.commands, sett_batch_entity(b, i), Start, .player = player);
            }
        }
    }
    sett_query_destroy(query);
    free(taken);
    return sett_commands_apply(job.commands) == SETT_OK;
}

/* --- the whole -------------------------------------------------------------------------------- */

static uint32_t populate_most(const Simulation* sim)
{
    uint32_t most = 1;
    for (uint32_t i = 0; i < sim->arena_count; ++i) {
        uint32_t count = sim->arenas[i].level.map.thing_count;
        most = count > most ? count : most;
    }
    return most;
}

bool populate(Simulation* sim)
{
    Casting casting = {.sim = sim};
    uint32_t most = populate_most(sim);
    casting.types = calloc(most, sizeof *casting.types);
    casting.chosen = calloc(most, sizeof *casting.chosen);
    casting.entities = calloc(most, sizeof *casting.entities);
    bool good = casting.types != NULL && casting.chosen != NULL && casting.entities != NULL &&
                populate_make_moulds(&casting);
    for (uint32_t i = 0; good && i < 2 * sim->arena_count; ++i) {
        good = populate_map(&casting, i % sim->arena_count, i < sim->arena_count);
    }
    if (good) {
        populate_break_moulds(&casting);
        good = populate_starts(sim);
    }
    free(casting.types);
    free(casting.chosen);
    free(casting.entities);
    return good;
}

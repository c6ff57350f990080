/* sight.c - see sight.h. */
#include "sight.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIGHT_RETRY 8u    /* ticks of a pause in which no attack was made */
#define SIGHT_FRAME 4u    /* ticks that a frame is shown */
#define SIGHT_IDLE 10u    /* the same, of who stands still */
#define SIGHT_DEATH 6u    /* the same, of who dies */
#define SIGHT_JUMP 96     /* units: who moves farther in a tick was teleported */
#define SIGHT_TURN 256.0f /* of Actor.facing */
#define SIGHT_CIRCLE 6.2831853f
#define SIGHT_SPECTRE 58u /* the number of the one that can hardly be seen */

/* --- queries ---------------------------------------------------------------------------------- */

bool sight_queries_open(SightQueries* queries, sett_world* world)
{
    for (uint16_t row = 0; row < thing_table_count && row < SIGHT_PUFF; ++row) {
        queries->looks[row] = look_find(row);
    }
    queries->looks[SIGHT_PUFF] = &look_puff;
    sett_query_desc things = {.name = "things",
                              .terms = {SETT_IN(Position), SETT_IN(Place), SETT_IN(Thing)}};
    sett_query_desc sparks = {
        .name = "sparks",
        .terms = {SETT_IN(Position), SETT_IN(Place), SETT_IN(Lifetime), SETT_WITH(Spark)}};
    queries->things = sett_query_create(world, &things);
    queries->sparks = sett_query_create(world, &sparks);
    return queries->things != NULL && queries->sparks != NULL;
}

/* --- the look of a thing -----------------------------------------------------------------------
 * */

static uint8_t sight_letter(const char* frames, uint32_t turn)
{
    return (uint8_t)(frames[turn % strlen(frames)] - 'A');
}

static uint8_t sight_angle(float x, float y)
{
    return (uint8_t)(int)floorf(atan2f(y, x) / SIGHT_CIRCLE * SIGHT_TURN + 0.5f);
}

/* An attack is shown while the pause after it is still long. */
static bool sight_attacks(const Look* look, const Cooldown* cooldown, const ThingType* type)
{
    uint32_t pause = type->kind == THING_PLAYER ? 0 : type->arms.pause;
    return look->attack != NULL && cooldown != NULL && cooldown->ticks > SIGHT_RETRY &&
           cooldown->ticks + SIGHT_RETRY > pause;
}

/* The parts of a row that decide how it looks; those that it lacks are NULL. */
typedef struct SightRow {
    const Thing* thing;
    const Position* position;
    const Walk* walk;
    const Target* target;
    const Cooldown* cooldown;
    const Pain* pain;
    const Corpse* corpse;
    const Velocity* velocity;
    const Facing* facing;
} SightRow;

static uint8_t sight_frame(const Simulation* sim, const Look* look, const SightRow* row,
                           uint32_t index)
{
    uint32_t tick = sim->dice.tick, shifted = tick + index * 7;
    if (row->corpse != NULL && look->death != NULL) {
        uint32_t age = (tick - row->corpse->since) / SIGHT_DEATH,
                 last = (uint32_t)strlen(look->death) - 1;
        return sight_letter(look->death, age < last ? age : last);
    }
    if (row->pain != NULL && look->pain != '\0') {
        return (uint8_t)(look->pain - 'A');
    }
    if (sight_attacks(look, row->cooldown, &thing_table[row->thing->type])) {
        return sight_letter(look->attack, row->cooldown->ticks / SIGHT_FRAME);
    }
    bool walks = row->walk != NULL ? row->walk->steps != 0
                                   : row->facing != NULL && row->velocity != NULL &&
                                         (row->velocity->x | row->velocity->y) != 0;
    return look->walk != NULL && walks ? sight_letter(look->walk, shifted / SIGHT_FRAME)
                                       : sight_letter(look->idle, shifted / SIGHT_IDLE);
}

static uint8_t sight_facing(const Simulation* sim, const SightRow* row, bool attacks)
{
    const Position* enemy =
        attacks && row->target != NULL ? SETT_FIND(sim->world, row->target->enemy, Position) : NULL;
    if (row->facing != NULL) {
        return (uint8_t)(row->facing->angle >> 8);
    }
    if (enemy != NULL) {
        return sight_angle((float)enemy->x - (float)row->position->x,
                           (float)enemy->y - (float)row->position->y);
    }
    if (row->velocity != NULL) {
        return sight_angle((float)row->velocity->x, (float)row->velocity->y);
    }
    return row->walk != NULL ? (uint8_t)(row->walk->direction * 32) : 0;
}

/* --- capturing -------------------------------------------------------------------------------- */

static SightActor* sight_add(Sight* scene)
{
    if (scene->actor_count == scene->actor_room) {
        uint32_t room = scene->actor_room == 0 ? 1024 : scene->actor_room * 2;
        SightActor* grown = realloc(scene->actors, room * sizeof *grown);
        if (grown == NULL) {
            return NULL;
        }
        scene->actors = grown;
        scene->actor_room = room;
    }
    return &scene->actors[scene->actor_count++];
}

/* Hangs what hangs from the ceiling. */
static Position sight_hang(const Sight* scene, Position position, uint16_t sector, const Look* look)
{
    if (look->hangs != 0) {
        position.z = fixed_add(scene->heights[sector].ceiling, -fixed_from_int(look->hangs));
    }
    return position;
}

/* Few of the world's things are on this map: looking up the parts of these costs less than a query
 * with optional fields, which would sort all of them. */
static bool sight_add_thing(Sight* scene, const SightQueries* queries, const Simulation* sim,
                            sett_entity self, const Thing* thing, const Position* position,
                            uint16_t sector)
{
    const Look* look = queries->looks[thing->type];
    SightActor* actor = look != NULL ? sight_add(scene) : NULL;
    if (actor == NULL) {
        return look == NULL;
    }
    SightRow row = {.thing = thing,
                    .position = position,
                    .walk = SETT_FIND(sim->world, self, Walk),
                    .target = SETT_FIND(sim->world, self, Target),
                    .cooldown = SETT_FIND(sim->world, self, Cooldown),
                    .pain = SETT_FIND(sim->world, self, Pain),
                    .corpse = SETT_FIND(sim->world, self, Corpse),
                    .velocity = SETT_FIND(sim->world, self, Velocity),
                    .facing = SETT_FIND(sim->world, self, Facing)};
    const ThingType* type = &thing_table[thing->type];
    bool hidden = SETT_HAS(sim->world, self, Invisible) || type->number == SIGHT_SPECTRE;
    bool acts =
        type->kind == THING_MONSTER || type->kind == THING_PLAYER || type->kind == THING_MISSILE;
    *actor = (SightActor){
        .entity = self,
        .position = sight_hang(scene, *position, sector, look),
        .sector = sector,
        .look = thing->type,
        .frame = sight_frame(sim, look, &row, self.index),
        .facing = sight_facing(sim, &row, sight_attacks(look, row.cooldown, type)),
        .style = hidden && row.corpse == NULL ? RENDER_SHADOW : RENDER_SOLID,
        .alive = acts && row.corpse == NULL,
    };
    return true;
}

static bool sight_add_things(Sight* scene, const SightQueries* queries, const Simulation* sim)
{
    bool good = true;
    SETT_QUERY_EACH(queries->things, b) {
        const Position* position = sett_batch_field(b, 0);
        const Place* place = sett_batch_field(b, 1);
        const Thing* thing = sett_batch_field(b, 2);
        SETT_EACH(b, i) {
            good = good && (place[i].arena != scene->arena ||
                            sight_add_thing(scene, queries, sim, sett_batch_entity(b, i), &thing[i],
                                            &position[i], place[i].sector));
        }
    }
    return good;
}

static bool sight_add_sparks(Sight* scene, const SightQueries* queries)
{
    bool good = true;
    SETT_QUERY_EACH(queries->sparks, b) {
        const Position* position = sett_batch_field(b, 0);
        const Place* place = sett_batch_field(b, 1);
        const Lifetime* left = sett_batch_field(b, 2);
        SETT_EACH(b, i) {
            SightActor* actor = place[i].arena == scene->arena ? sight_add(scene) : NULL;
            good = good && (actor != NULL || place[i].arena != scene->arena);
            if (actor != NULL) {
                uint32_t age = left[i].ticks < 12 ? 12u - left[i].ticks : 0;
                *actor = (SightActor){.entity = sett_batch_entity(b, i),
                                      .position = position[i],
                                      .sector = place[i].sector,
                                      .look = SIGHT_PUFF,
                                      .frame = sight_letter(look_puff.idle, age / 3)};
            }
        }
    }
    return good;
}

static int sight_compare(const void* a, const void* b)
{
    uint32_t left = ((const SightActor*)a)->entity.index;
    uint32_t right = ((const SightActor*)b)->entity.index;
    return (left > right) - (left < right);
}

static bool sight_make_room(Sight* scene, uint32_t sectors)
{
    if (sectors > scene->sector_room) {
        free(scene->heights);
        free(scene->lights);
        scene->heights = malloc(sectors * sizeof *scene->heights);
        scene->lights = malloc(sectors);
        scene->sector_room = scene->heights != NULL && scene->lights != NULL ? sectors : 0;
    }
    scene->sector_count = sectors;
    return scene->sector_room >= sectors;
}

bool sight_capture(Sight* scene, const SightQueries* queries, const Simulation* sim, uint32_t arena)
{
    const Arena* place = &sim->arenas[arena];
    uint32_t sectors = place->level.map.sector_count;
    if (!sight_make_room(scene, sectors)) {
        return false;
    }
    scene->tick = sim->dice.tick;
    scene->arena = arena;
    scene->actor_count = 0;
    for (uint32_t i = 0; i < sectors; ++i) {
        scene->heights[i] = *SETT_GET(sim->world, place->sectors[i], Heights);
        scene->lights[i] = SETT_GET(sim->world, place->sectors[i], Light)->level;
    }
    bool good = sight_add_things(scene, queries, sim) && sight_add_sparks(scene, queries);
    qsort(scene->actors, scene->actor_count, sizeof *scene->actors, sight_compare);
    return good;
}

void sight_free(Sight* scene)
{
    free(scene->actors);
    free(scene->heights);
    free(scene->lights);
    *scene = (Sight){0};
}

const SightActor* sight_find(const Sight* scene, sett_entity entity)
{
    uint32_t low = 0, high = scene->actor_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (scene->actors[middle].entity.index < entity.index) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool found = low < scene->actor_count && sett_equals(scene->actors[low].entity, entity);
    return found ? &scene->actors[low] : NULL;
}

/* --- blending --------------------------------------------------------------------------------- */

static float sight_units(Fixed x)
{
    return (float)x / (float)FIXED_ONE;
}

static float sight_mix(Fixed from, Fixed to, float share)
{
    return sight_units(from) + (sight_units(to) - sight_units(from)) * share;
}

static bool sight_blend_room(SightBlend* blend, uint32_t things, uint32_t sectors)
{
    if (things > blend->thing_room) {
        RenderThing* grown = realloc(blend->things, things * 2 * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        blend->things = grown;
        blend->thing_room = things * 2;
    }
    if (sectors > blend->sector_room) {
        free(blend->floors);
        free(blend->ceilings);
        blend->floors = malloc(sectors * sizeof *blend->floors);
        blend->ceilings = malloc(sectors * sizeof *blend->ceilings);
        blend->sector_room = blend->floors != NULL && blend->ceilings != NULL ? sectors : 0;
    }
    return blend->sector_room >= sectors;
}

static bool sight_is_near(Position a, Position b)
{
    return fixed_abs64((int64_t)a.x - b.x) < fixed_from_int(SIGHT_JUMP) &&
           fixed_abs64((int64_t)a.y - b.y) < fixed_from_int(SIGHT_JUMP);
}

RenderThing sight_thing(const Stage* stage, const SightActor* from, const SightActor* to,
                        float share)
{
    bool moves = from != NULL && sight_is_near(from->position, to->position);
    Position start = moves ? from->position : to->position;
    return (RenderThing){.x = sight_mix(start.x, to->position.x, share),
                         .y = sight_mix(start.y, to->position.y, share),
                         .z = sight_mix(start.z, to->position.z, share),
                         .facing = (float)to->facing / SIGHT_TURN * SIGHT_CIRCLE,
                         .sprite = stage->sprites[to->look],
                         .sector = to->sector,
                         .frame = to->frame,
                         .style = to->style,
                         .bright = stage->looks[to->look]->bright};
}

bool sight_blend(SightBlend* blend, const Stage* stage, const Sight* from, const Sight* to,
                 float share, sett_entity without)
{
    if (!sight_blend_room(blend, to->actor_count, to->sector_count)) {
        return false;
    }
    const LevelHeights* old = from->sector_count == to->sector_count ? from->heights : to->heights;
    for (uint32_t i = 0; i < to->sector_count; ++i) {
        blend->floors[i] = sight_mix(old[i].floor, to->heights[i].floor, share);
        blend->ceilings[i] = sight_mix(old[i].ceiling, to->heights[i].ceiling, share);
    }
    uint32_t count = 0, k = 0;
    for (uint32_t i = 0; i < to->actor_count; ++i) {
        const SightActor* actor = &to->actors[i];
        while (k < from->actor_count && from->actors[k].entity.index < actor->entity.index) {
            ++k;
        }
        bool known = k < from->actor_count && sett_equals(from->actors[k].entity, actor->entity);
        if (!sett_equals(actor->entity, without)) {
            blend->things[count++] =
                sight_thing(stage, known ? &from->actors[k] : NULL, actor, share);
        }
    }
    blend->render = (RenderScene){.stage = stage,
                                  .floors = blend->floors,
                                  .ceilings = blend->ceilings,
                                  .lights = to->lights,
                                  .things = blend->things,
                                  .thing_count = count,
                                  .tick = to->tick};
    return true;
}

bool sight_haunt(SightBlend* blend, const Sight* ghosts)
{
    uint32_t count = blend->render.thing_count;
    if (!sight_blend_room(blend, count + ghosts->actor_count, blend->sector_room)) {
        return false;
    }
    for (uint32_t i = 0; i < ghosts->actor_count; ++i) {
        if (ghosts->actors[i].alive) {
            blend->things[count] = sight_thing(blend->render.stage, NULL, &ghosts->actors[i], 1.0f);
            blend->things[count++].style = RENDER_GHOST;
        }
    }
    blend->render.things = blend->things;
    blend->render.thing_count = count;
    return true;
}

void sight_blend_free(SightBlend* blend)
{
    free(blend->floors);
    free(blend->ceilings);
    free(blend->things);
    *blend = (SightBlend){0};
}

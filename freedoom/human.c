/* human.c - see human.h; and the system by which humans move. See systems.h.
 *
 * The pace is the published one: a push of 50 / 32 units a tick forward, 40 / 32 aside, of which
 * 29 / 32 are left in the next tick. So one runs at 16.7 units a tick and slides to a halt. */
#include "human.h"

#include "collide.h"
#include "spawn.h"
#include "systems.h"
#include "trigger.h"

#define STEER_FORWARD 102400 /* the push of Input.forward 127, in 65,536ths of a unit */
#define STEER_SIDE 81920
#define STEER_FRICTION 59392 /* what remains, of 65,536 */
#define STEER_STOP 4096      /* what is slower stands */
#define STEER_FALL FIXED_ONE /* faster every tick */
#define STEER_USE fixed_from_int(64)
#define STEER_TRIES 11   /* directions: straight, and up to 75 degrees to both sides */
#define STEER_TURN 2731u /* 15 degrees */

/* --- moving ----------------------------------------------------------------------------------- */

typedef struct Steer {
    const Job* job;
    const Arena* arena;
    const Body* body;
    sett_entity self;
    RayPoint at;
    CollideFooting footing; /* there */
} Steer;

static CollideFooting steer_footing(const Steer* steer, Fixed x, Fixed y)
{
    return collide_footing(&steer->arena->level, simulation_heights(steer->job->sim, steer->arena),
                           x, y, steer->body->radius, WAD_LINE_BLOCKS);
}

/* Goes there if there is room, no higher than a step. He keeps his height: falling comes later. */
static bool steer_go(Steer* steer, RayPoint to)
{
    CollideFooting footing = steer_footing(steer, to.x, to.y);
    to.z = fixed_max(steer->at.z, footing.floor);
    if (footing.blocked || (int64_t)footing.floor - steer->at.z > COLLIDE_STEP ||
        (int64_t)to.z + steer->body->height > footing.ceiling ||
        crowd_obstacle(&steer->job->sim->crowd, steer->arena, steer->at, to, steer->body->radius,
                       steer->body->height, steer->self) != NULL) {
        return false;
    }
    trigger_cross(steer->job, steer->arena, &footing, steer->at, to, steer->self, true);
    steer->at = to;
    steer->footing = footing;
    return true;
}

/* Half a tick's way, straight or along what stands there. Returns by how much the way was turned,
 * or -1 if there is none. */
static int32_t steer_slide(Steer* steer, const Velocity* velocity)
{
    for (uint32_t k = 0; k < STEER_TRIES; ++k) {
        uint32_t turn = ((k + 1) / 2) * STEER_TURN;
        turn = (k & 1) != 0 ? 65536u - turn : turn;
        int64_t cosine = fixed_cosine(turn), sine = fixed_sine(turn);
        /* Turned, and shortened to the part that leads in the new direction. */
        int64_t x = (velocity->x * cosine - velocity->y * sine) / FIXED_ONE * cosine / FIXED_ONE;
        int64_t y = (velocity->x * sine + velocity->y * cosine) / FIXED_ONE * cosine / FIXED_ONE;
        RayPoint to = {.x = fixed_add(steer->at.x, (Fixed)(x / 2)),
                       .y = fixed_add(steer->at.y, (Fixed)(y / 2)),
                       .z = steer->at.z};
        if (steer_go(steer, to)) {
            return (int32_t)(turn & 0xffffu);
        }
    }
    return -1;
}

static void steer_turn(Velocity* velocity, int32_t turn)
{
    if (turn < 0) {
        velocity->x = velocity->y = 0;
    } else if (turn != 0) {
        int64_t cosine = fixed_cosine((uint32_t)turn), sine = fixed_sine((uint32_t)turn);
        int64_t x = velocity->x, y = velocity->y;
        velocity->x = (Fixed)((x * cosine - y * sine) / FIXED_ONE * cosine / FIXED_ONE);
        velocity->y = (Fixed)((x * sine + y * cosine) / FIXED_ONE * cosine / FIXED_ONE);
    }
}

/* Down to the floor, or up onto it. */
static void steer_fall(Steer* steer, Velocity* velocity)
{
    velocity->z = steer->at.z > steer->footing.floor ? velocity->z - STEER_FALL : 0;
    steer->at.z = fixed_max(fixed_add(steer->at.z, velocity->z), steer->footing.floor);
}

static void steer_push(Velocity* velocity, const Input* input)
{
    int64_t forward = (int64_t)input->forward * STEER_FORWARD / 127;
    int64_t side = (int64_t)input->side * STEER_SIDE / 127;
    int64_t cosine = fixed_cosine(input->angle), sine = fixed_sine(input->angle);
    velocity->x += (Fixed)((forward * cosine + side * sine) / FIXED_ONE);
    velocity->y += (Fixed)((forward * sine - side * cosine) / FIXED_ONE);
}

static void steer_slow(Velocity* velocity)
{
    velocity->x = (Fixed)((int64_t)velocity->x * STEER_FRICTION / FIXED_ONE);
    velocity->y = (Fixed)((int64_t)velocity->y * STEER_FRICTION / FIXED_ONE);
    if (fixed_abs64(velocity->x) < STEER_STOP && fixed_abs64(velocity->y) < STEER_STOP) {
        velocity->x = velocity->y = 0;
    }
}

static void steer_use(const Steer* steer, uint16_t angle)
{
    RayPoint to = {
        .x = fixed_add(steer->at.x, (Fixed)((int64_t)STEER_USE * fixed_cosine(angle) / FIXED_ONE)),
        .y = fixed_add(steer->at.y, (Fixed)((int64_t)STEER_USE * fixed_sine(angle) / FIXED_ONE)),
        .z = steer->at.z};
    trigger_use(steer->job, steer->arena, steer->at, to, steer->body, steer->self);
}

static void steer_run(sett_context* context)
{
    Job job = simulation_job(context);
    SETT_SYSTEM_EACH(context, b) {
        const Input* input = sett_batch_field(b, 0);
        Facing* facing = sett_batch_field(b, 1);
        Velocity* velocity = sett_batch_field(b, 2);
        Position* position = sett_batch_field(b, 3);
        Place* place = sett_batch_field(b, 4);
        const Body* body = sett_batch_field(b, 5);
        SETT_EACH(b, i) {
            Steer steer = {.job = &job,
                           .arena = simulation_arena(job.sim, place[i]),
                           .body = &body[i],
                           .self = sett_batch_entity(b, i),
                           .at = {position[i].x, position[i].y, position[i].z}};
            steer.footing = steer_footing(&steer, steer.at.x, steer.at.y);
            facing[i].angle = input[i].angle;
            steer_push(&velocity[i], &input[i]);
            for (int half = 0; half < 2 && (velocity[i].x | velocity[i].y) != 0; ++half) {
                steer_turn(&velocity[i], steer_slide(&steer, &velocity[i]));
            }
            steer_fall(&steer, &velocity[i]);
            steer_slow(&velocity[i]);
            position[i] = (Position){steer.at.x, steer.at.y, steer.at.z};
            place[i].sector = steer.footing.sector;
            if ((input[i].buttons & INPUT_USE) != 0) {
                steer_use(&steer, input[i].angle);
            }
        }
    }
}

const sett_system_desc system_steer = {
    .name = "steer",
    .run = steer_run,
    .terms = {SETT_IN(Input), SETT_INOUT(Facing), SETT_INOUT(Velocity), SETT_INOUT(Position),
              SETT_INOUT(Place), SETT_IN(Body)},
    .access_any_in = {Special_id, Pack_id},
};

/* --- taking part ------------------------------------------------------------------------------ */

sett_query* human_query(sett_world* world)
{
    sett_query_desc desc = {.name = "players", .terms = {SETT_IN(Player), SETT_IN(Place)}};
    return sett_query_create(world, &desc);
}

/* Back to a player who decides for himself. */
static void human_leave(Simulation* sim, sett_entity player)
{
    sett_remove(sim->world, player, Input_id);
    sett_remove(sim->world, player, Facing_id);
    sett_remove(sim->world, player, Velocity_id);
    *SETT_ENSURE(sim->world, player, Walk) =
        spawn_first_step(sim, player, &thing_table[THING_PLAYER_ROW]);
}

uint16_t human_start_angle(const Simulation* sim, const Order* order)
{
    const WadMap* map = &sim->arenas[order->arena].level.map;
    for (uint32_t i = 0; i < map->thing_count; ++i) {
        if (map->things[i].type == order->number) {
            return (uint16_t)(map->things[i].angle % 360u * 65536u / 360u);
        }
    }
    return 0;
}

static void human_join(Simulation* sim, sett_entity player, sett_entity before, const Order* order)
{
    sett_world* world = sim->world;
    sett_remove(world, player, Walk_id);
    sett_remove(world, player, Target_id);
    SETT_SET(world, player, Input, .angle = order->input.angle);
    SETT_SET(world, player, Facing, .angle = human_start_angle(sim, order));
    SETT_SET(world, player, Velocity, .x = 0);
    if (SETT_HAS(world, before, Pack)) {
        *SETT_GET_MUT(world, player, Pack) = *SETT_GET(world, before, Pack);
        *SETT_GET_MUT(world, player, Health) = *SETT_GET(world, before, Health);
        *SETT_GET_MUT(world, player, Armour) = *SETT_GET(world, before, Armour);
        SETT_GET_MUT(world, player, Pack)->keys = 0;
        Facing* facing = SETT_GET_MUT(world, player, Facing);
        uint16_t angle = facing->angle;
        *facing = *SETT_GET(world, before, Facing);
        facing->angle = angle;
        facing->leaves = 0;
    }
}

/* Another of each monster, where it stands: those that overlap part. */
static void human_multiply(Simulation* sim)
{
    Job job = simulation_outside(sim);
    sett_query_desc desc = {
        .terms = {SETT_IN(Thing), SETT_IN(Place), SETT_IN(Position), SETT_WITH(Monster)}};
    sett_query* query = sett_query_create(sim->world, &desc);
    SETT_QUERY_EACH(query, b) {
        const Thing* thing = sett_batch_field(b, 0);
        const Place* place = sett_batch_field(b, 1);
        const Position* position = sett_batch_field(b, 2);
        SETT_EACH(b, i) {
            spawn_thing(&job, thing[i].type, place[i], position[i]);
        }
    }
    sett_query_destroy(query);
    sett_commands_apply(job.commands);
}

/* What an order finds among the players. */
typedef struct HumanFound {
    sett_entity wanted; /* the one that it names */
    sett_entity before; /* the human of its number, on another map */
} HumanFound;

/* Adds to what the order finds. Returns whether it is about this player. */
static bool human_note(HumanFound* found, const Order* order, sett_entity self, Player player,
                       Place place, bool human)
{
    if (player.number != order->number) {
        return false;
    }
    bool here = place.arena == order->arena;
    found->wanted = here ? self : found->wanted;
    found->before = !here && human ? self : found->before;
    return here;
}

void human_obey_all(Simulation* sim, sett_query* players, const Order* orders, uint32_t count,
                    sett_entity* selves)
{
    HumanFound found[COMPONENT_PLAYERS] = {{{0, 0}, {0, 0}}};
    sett_entity leave[COMPONENT_PLAYERS];
    uint32_t leaves = 0;
    SETT_QUERY_EACH(players, b) {
        const Player* player = sett_batch_field(b, 0);
        const Place* place = sett_batch_field(b, 1);
        SETT_EACH(b, i) {
            sett_entity self = sett_batch_entity(b, i);
            bool human = SETT_HAS(sim->world, self, Input);
            bool named = false;
            for (uint32_t k = 0; k < count; ++k) {
                named =
                    human_note(&found[k], &orders[k], self, player[i], place[i], human) || named;
            }
            if (human && !named && leaves < COMPONENT_PLAYERS) {
                leave[leaves++] = self;
            }
        }
    }
    for (uint32_t k = 0; k < count; ++k) {
        selves[k] = found[k].wanted;
        if (!sett_is_null(selves[k]) && !SETT_HAS(sim->world, selves[k], Input)) {
            human_join(sim, selves[k], found[k].before, &orders[k]);
        }
    }
    for (uint32_t k = 0; k < leaves; ++k) {
        human_leave(sim, leave[k]);
    }
    for (uint32_t k = 0; k < count; ++k) {
        if ((orders[k].input.buttons & INPUT_CROWD) != 0) {
            human_multiply(sim);
        }
        if (!sett_is_null(selves[k])) {
            *SETT_GET_MUT(sim->world, selves[k], Input) = orders[k].input;
        }
    }
}

sett_entity human_obey(Simulation* sim, sett_query* players, const Order* order)
{
    sett_entity self;
    human_obey_all(sim, players, order, 1, &self);
    return self;
}

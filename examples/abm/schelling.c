/* Two groups on a grid: who has too few neighbours of its own group moves to an empty place.
 *
 * As ABMFrameworksComparison declares it, in the small form. Its large form: --set side=100
 * --set agents=8000 --set radius=2 --set wanted=8 */
#include "sett_abm.h"
#include "sett_space.h"

/* clang-format off */
enum { SIDE, AGENTS, RADIUS, WANTED };

typedef struct Agent { int32_t x, y; int32_t group; bool happy; } Agent;

#define MODEL(COMPONENT, TAG) COMPONENT(Agent, .members = SETT_STRUCT(Agent, x, y, group, happy))
SETT_COMPONENTS(MODEL)

typedef struct Data { sett_abm_order* agents; sett_space* grid; } Data;
/* clang-format on */

/* Puts an agent to a random empty place. */
static void move(sett_abm* run, sett_entity e, uint32_t use)
{
    Data* d = run->data;
    double at[2];
    uint32_t cell = sett_space_random_empty(d->grid, NULL, 0, sett_abm_bits(run, e, use));
    sett_space_random_place(d->grid, cell, 0, at);
    Agent* agent = SETT_GET_MUT(run->world, e, Agent);
    agent->x = (int32_t)at[0];
    agent->y = (int32_t)at[1];
    sett_space_move(d->grid, e);
}

static bool begin(sett_abm* run)
{
    const double* p = run->parameters;
    Data* d = run->data;
    SETT_REGISTER_ALL(run->world, MODEL);
    d->agents = sett_abm_order_create(run->world, SETT_QUERY_CREATE(run->world, SETT_IN(Agent)));
    sett_space_desc grid = {Agent_id, SETT_SPACE_GRID, .size = {p[SIDE], p[SIDE]}};
    d->grid = sett_space_create(run->world, &grid);
    for (uint32_t k = 0; k < p[AGENTS] && p[AGENTS] < p[SIDE] * p[SIDE]; k++) {
        move(run, SETT_CREATE(run->world, SETT_VALUE(Agent, .group = k < p[AGENTS] / 2)), 0);
    }
    return sett_world_error(run->world) == SETT_OK;
}

/* How many agents of a group are around a place. */
static uint32_t count(const sett_abm* run, const Agent* agent)
{
    const Data* d = run->data;
    int32_t side = (int32_t)run->parameters[SIDE], radius = (int32_t)run->parameters[RADIUS];
    int32_t left = agent->x > radius ? agent->x - radius : 0;
    int32_t right = agent->x + radius < side ? agent->x + radius : side - 1;
    uint32_t same = 0;
    for (int32_t y = agent->y - radius; y <= agent->y + radius; y++) {
        for (int32_t x = left; x <= right && y >= 0 && y < side; x++) {
            const sett_entity* e = sett_space_cell(d->grid, (uint32_t)(y * side + x), NULL);
            same += e != NULL && SETT_GET(run->world, *e, Agent)->group == agent->group;
        }
    }
    return same - 1; /* without itself */
}

static void step(sett_abm* run)
{
    Data* d = run->data;
    SETT_ABM_ACTIVATE(d->agents, run->seed, run->step, e) {
        Agent* agent = SETT_GET_MUT(run->world, e, Agent);
        agent->happy = count(run, agent) >= run->parameters[WANTED];
        if (!agent->happy) {
            move(run, e, 1);
        }
    }
}

/* clang-format off */
static const sett_abm_model model = {
    .name = "schelling", .steps = 20, .data_size = sizeof(Data), .begin = begin, .step = step,
    .parameters = {{"side", 40}, {"agents", 1000}, {"radius", 1}, {"wanted", 3}},
    .columns = {{"happy", SETT_ABM_MEAN, .query = "Agent", .member = "Agent.happy"}},
    .picture = &(sett_abm_picture){"Agent.x", "Agent.y", .size = {40, 40},
                                   .layers = {{"Agent", .colour = 0xFFFFFF}}}};
/* clang-format on */

SETT_ABM_MAIN(model)

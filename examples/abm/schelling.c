/* Two groups on a grid: who has too few neighbours of its own group moves to an empty place.
 *
 * As ABMFrameworksComparison declares it, in the small form. Its large form: --set side=100
 * --set agents=8000 --set radius=2 --set wanted=8 */
#include "sett_abm.h"
#include "sett_space.h"

/* clang-format off */
enum { SIDE, AGENTS, RADIUS, WANTED };

typedef struct Agent { int32_t x, y; bool happy; } Agent;

#define MODEL(COMPONENT, TAG)                                                                      \
    COMPONENT(Agent, .members = SETT_STRUCT(Agent, x, y, happy)) TAG(Red) TAG(Blue)
SETT_COMPONENTS(MODEL)

/* a grid for each group: it counts who is near, without a look at them */
typedef struct Data { sett_abm_order* agents; sett_space* grid[2]; } Data;
/* clang-format on */

/* Puts an agent to a random empty place. */
static void move(sett_abm* run, sett_entity e, uint32_t use)
{
    Data* d = run->data;
    uint32_t side = (uint32_t)run->parameters[SIDE];
    uint32_t cell;
    do { /* empty of the one group, until it is of the other too */
        cell = sett_space_random_empty(d->grid[0], NULL, 0, sett_abm_bits(run, e, use));
        use += 2;
    } while (sett_space_cell(d->grid[1], cell, NULL) != NULL);
    Agent* agent = SETT_GET_MUT(run->world, e, Agent);
    agent->x = (int32_t)(cell % side);
    agent->y = (int32_t)(cell / side);
    sett_space_move(d->grid[SETT_HAS(run->world, e, Blue)], e);
}

static bool begin(sett_abm* run)
{
    const double* p = run->parameters;
    Data* d = run->data;
    SETT_REGISTER_ALL(run->world, MODEL);
    d->agents = sett_abm_order_create(run->world, SETT_QUERY_CREATE(run->world, SETT_IN(Agent)));
    sett_space_desc grid = {Agent_id, SETT_SPACE_GRID, .size = {p[SIDE], p[SIDE]}};
    sett_component group[] = {Red_id, Blue_id};
    for (uint32_t k = 0; k < 2; k++) {
        grid.query = SETT_QUERY_CREATE(run->world, SETT_IN(Agent), {.component = group[k]});
        d->grid[k] = sett_space_create(run->world, &grid);
    }
    for (uint32_t k = 0; k < p[AGENTS] && p[AGENTS] < p[SIDE] * p[SIDE]; k++) {
        sett_value tag = {.component = group[k < p[AGENTS] / 2]};
        move(run, SETT_CREATE(run->world, SETT_VALUE(Agent, .happy = false), tag), 0);
    }
    return sett_world_error(run->world) == SETT_OK;
}

static void step(sett_abm* run)
{
    const double* p = run->parameters;
    Data* d = run->data;
    SETT_ABM_ACTIVATE(d->agents, run->seed, run->step, e) {
        const sett_space* grid = d->grid[SETT_HAS(run->world, e, Blue)];
        bool happy = sett_space_near_count(grid, e, p[RADIUS]) >= p[WANTED];
        if (happy != SETT_GET(run->world, e, Agent)->happy) {
            SETT_GET_MUT(run->world, e, Agent)->happy = happy;
        }
        if (!happy) {
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
                                   .layers = {{"Red", .colour = 0xE04040},
                                              {"Blue", .colour = 0x4060E0}}}};
/* clang-format on */

SETT_ABM_MAIN(model)

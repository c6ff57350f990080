/* flocking.c: birds over many ranks, in doubles: bit for bit the same on any number of ranks.
 *
 * A sum of floats depends on its order. So a bird adds its neighbours up in the order of their
 * handles, which is the same wherever it is computed.
 *
 *     mpirun -n 4 ./flocking --ticks 1000 --overlap 1
 *
 * With --overlap inner cells are computed while ghosts travel.
 *
 * SPDX-License-Identifier: MIT
 */
#include "run.h"

#include <math.h>

enum {
    SEED = 2,
    NEAR = 256
};
#define CELL 4.0       /* as large as the sight */
#define SPEED 0.5      /* a tick */
#define SEPARATION 1.0 /* birds nearer than this keep off */

typedef struct Position {
    double x, y;
} Position;

typedef struct Velocity {
    double x, y;
} Velocity;

#define FLOCKING(COMPONENT, TAG) COMPONENT(Position) COMPONENT(Velocity)
SETT_COMPONENTS(FLOCKING)

typedef struct bird {
    Position at;
    Velocity v;
} bird;

static sett_query* all;
static double span;
static run_cells lists;
static bird* birds;      /* of each that `all` visits: this rank's, and ghosts */
static Velocity* wanted; /* of each that `own` visits */
static uint32_t capacity;

static uint32_t cell_at(Position p)
{
    return (uint32_t)(p.y / CELL) * options.width + (uint32_t)(p.x / CELL);
}

static uint32_t cell_of(const void* position, void* user)
{
    (void)user;
    return cell_at(*(const Position*)position);
}

static double uniform(sett_entity who, uint32_t use)
{
    return sett_random_uniform(sett_random(SEED, who, 0, use));
}

static void populate(uint32_t cell, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        const sett_entity who = sett_ranks_create_entity(ranks, cell);
        Position* p = SETT_ADD(world, who, Position);
        p->x = (cell % options.width + uniform(who, 0)) * CELL;
        p->y = (cell / options.width + uniform(who, 1)) * CELL;
        SETT_SET(world, who, Velocity, .x = uniform(who, 2) - 0.5, .y = uniform(who, 3) - 0.5);
    }
}

static double apart(double a, double b)
{
    const double d = a - b;
    return d > span / 2 ? d - span : d < -span / 2 ? d + span : d;
}

/* The rows of birds around a cell, ascending by handle: as rows do. */
static uint32_t find_near(uint32_t cell, uint32_t* near)
{
    const uint32_t width = options.width;
    uint32_t count = 0;
    for (uint32_t n = 0; n < 9; n++) {
        const uint32_t x = (cell % width + width + n % 3 - 1) % width;
        const uint32_t y = (cell / width + width + n / 3 - 1) % width;
        const uint32_t at = y * width + x;
        for (uint32_t k = lists.begin[at]; k < lists.begin[at + 1] && count < NEAR; k++) {
            uint32_t to = count++;
            for (; to > 0 && near[to - 1] > lists.item[k]; to--) {
                near[to] = near[to - 1];
            }
            near[to] = lists.item[k];
        }
    }
    return count;
}

static Velocity steer(bird self, uint32_t row, const uint32_t* near, uint32_t count)
{
    double x = 0;
    double y = 0;
    for (uint32_t k = 0; k < count; k++) {
        const bird* other = &birds[near[k]];
        const double dx = apart(other->at.x, self.at.x);
        const double dy = apart(other->at.y, self.at.y);
        const double d2 = dx * dx + dy * dy;
        if (near[k] == row || d2 > CELL * CELL) {
            continue;
        }
        const double push = d2 < SEPARATION ? -0.2 : 0.01; /* keep off, or keep together */
        x += dx * push + other->v.x * 0.05;
        y += dy * push + other->v.y * 0.05;
    }
    x = x * 0.1 + self.v.x;
    y = y * 0.1 + self.v.y;
    const double length = sqrt(x * x + y * y);
    return length > 0 ? (Velocity){x / length * SPEED, y / length * SPEED} : self.v;
}

static void reserve(void)
{
    if (sett_component_count(world, Position_id) > capacity) {
        capacity = sett_component_count(world, Position_id) * 2;
        birds = realloc(birds, capacity * sizeof(*birds));
        wanted = realloc(wanted, capacity * sizeof(*wanted));
    }
}

/* All birds that are here now, by cell. */
static void look(void)
{
    run_cells_clear(&lists, options.width * options.width);
    reserve();
    SETT_FOR(all, b, i) {
        birds[lists.count] = (bird){SETT_FIELD(b, 0, Position)[i], SETT_FIELD(b, 1, Velocity)[i]};
        run_cells_add(&lists, cell_at(SETT_FIELD(b, 0, Position)[i]));
    }
    run_cells_sort(&lists);
}

/* Where birds of this rank want to fly, in inner cells or in the others. */
static void choose(bool inner)
{
    const uint32_t cells = options.width * options.width;
    uint32_t near[NEAR];
    for (uint32_t cell = 0; cell < cells; cell++) {
        if (!sett_ranks_owns(ranks, cell) || sett_ranks_is_inner(ranks, cell) != inner ||
            lists.begin[cell] == lists.begin[cell + 1]) {
            continue;
        }
        const uint32_t count = find_near(cell, near);
        for (uint32_t k = lists.begin[cell]; k < lists.begin[cell + 1]; k++) {
            const uint32_t row = lists.item[k];
            wanted[row] = steer(birds[row], row, near, count);
        }
    }
}

static void fly(void)
{
    uint32_t row = 0;
    SETT_FOR(all, b, i) {
        const uint32_t cell = lists.cell[row];
        const Velocity v = wanted[row++];
        if (!sett_ranks_owns(ranks, cell)) {
            continue; /* a ghost */
        }
        const sett_entity who = sett_batch_entity(b, i);
        Position* p = SETT_GET_MUT(world, who, Position);
        *SETT_GET_MUT(world, who, Velocity) = v;
        p->x = fmod(p->x + v.x + span, span);
        p->y = fmod(p->y + v.y + span, span);
    }
}

/* While ghosts travel, those of the last tick are still here: inner cells do not look at them. The
 * rows of the second look are others, so what was chosen is kept by entity. */
static void tick(uint64_t now)
{
    (void)now;
    if (options.overlap == 0) {
        sett_ranks_begin(ranks);
        look();
        choose(true);
    } else {
        sett_ranks_begin_start(ranks);
        look();
        choose(true);
        uint32_t kept = 0;
        for (uint32_t row = 0; row < lists.count; row++) {
            if (sett_ranks_owns(ranks, lists.cell[row])) {
                wanted[kept++] = wanted[row];
            }
        }
        sett_ranks_begin_wait(ranks);
        look();
        for (uint32_t row = lists.count; row-- > 0;) {
            if (sett_ranks_owns(ranks, lists.cell[row])) {
                wanted[row] = wanted[--kept];
            }
        }
    }
    choose(false);
    fly();
}

int main(int argc, char** argv)
{
    static const run_model flocking = {"flocking", populate, tick, false};
    MPI_Init(&argc, &argv);
    run_read(argc, argv);
    span = options.width * CELL;
    world = sett_world_create(NULL);
    SETT_REGISTER_ALL(world, FLOCKING);
    const sett_component ghosts[] = {Position_id, Velocity_id};
    ranks = sett_ranks_create(world, MPI_COMM_WORLD,
                              &(sett_ranks_desc){.position = Position_id,
                                                 .cell_of = cell_of,
                                                 .cells = options.width * options.width,
                                                 .width = options.width,
                                                 .ghosts = ghosts,
                                                 .ghost_count = 2});
    if (ranks == NULL) {
        run_fail("sett_ranks_create");
    }
    all = SETT_QUERY_CREATE(world, SETT_IN(Position), SETT_IN(Velocity));
    return run(&flocking);
}

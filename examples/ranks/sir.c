/* sir.c: an epidemic over many ranks. People walk about, fall ill beside the ill, become immune and
 * lose it again; some die, some have children.
 *
 *     mpirun -n 4 ./sir --ticks 1000 --balance 50
 *
 * See run.h for the other arguments, and docs/simulation.md.
 *
 * SPDX-License-Identifier: MIT
 */
#include "run.h"

enum {
    CELL = 1024,
    RADIUS = 300,
    STEP = 300,
    SEED = 1
};
enum {
    WELL,
    ILL,
    IMMUNE
};
enum {
    USE_PLACE,
    USE_HEALTH,
    USE_DEATH,
    USE_STEP,
    USE_BIRTH,
    USE_CATCH
};

typedef struct Place {
    int32_t x, y;
} Place;

typedef struct Health {
    uint16_t state, days;
} Health;

#define SIR(COMPONENT, TAG) COMPONENT(Place) COMPONENT(Health)
SETT_COMPONENTS(SIR)

static sett_query* own; /* people of this rank */
static sett_query* all; /* and ghosts */
static int32_t span;    /* the world is a square that is a torus */
static run_cells lists; /* of the ill */
static Place* ill;
static bool* catches; /* of each that `own` visits, in its order */
static uint32_t capacity;

static uint32_t cell_at(Place p)
{
    return (uint32_t)(p.y / CELL) * options.width + (uint32_t)(p.x / CELL);
}

static uint32_t cell_of(const void* position, void* user)
{
    (void)user;
    return cell_at(*(const Place*)position);
}

static uint32_t dice(sett_entity who, uint64_t tick, uint32_t use, uint32_t sides)
{
    return sett_random_range(sett_random(SEED, who, tick, use), sides);
}

static void populate(uint32_t cell, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        const sett_entity who = sett_ranks_create_entity(ranks, cell);
        const uint64_t at = sett_random(SEED, who, 0, USE_PLACE);
        Place* p = SETT_ADD(world, who, Place);
        p->x = (int32_t)(cell % options.width * CELL + at % CELL);
        p->y = (int32_t)(cell / options.width * CELL + (at >> 32) % CELL);
        SETT_ADD(world, who, Health)->state = dice(who, 0, USE_HEALTH, 200) == 0 ? ILL : WELL;
    }
}

static int32_t apart(int32_t a, int32_t b)
{
    const int32_t d = a > b ? a - b : b - a;
    return d < span - d ? d : span - d;
}

/* How many of the ill are near. */
static uint32_t count_ill(Place p)
{
    const uint32_t width = options.width;
    uint32_t count = 0;
    for (uint32_t n = 0; n < 9; n++) {
        const uint32_t x = ((uint32_t)(p.x / CELL) + width + n % 3 - 1) % width;
        const uint32_t y = ((uint32_t)(p.y / CELL) + width + n / 3 - 1) % width;
        const uint32_t cell = y * width + x;
        for (uint32_t k = lists.begin[cell]; k < lists.begin[cell + 1]; k++) {
            const int32_t dx = apart(ill[lists.item[k]].x, p.x);
            const int32_t dy = apart(ill[lists.item[k]].y, p.y);
            count += dx * dx + dy * dy < RADIUS * RADIUS;
        }
    }
    return count;
}

/* Reads the state as of the tick's beginning: who falls ill. */
static void infect(uint64_t tick)
{
    uint32_t at = 0;
    run_cells_clear(&lists, options.width * options.width);
    if (sett_component_count(world, Place_id) > capacity) {
        capacity = sett_component_count(world, Place_id) * 2;
        ill = realloc(ill, capacity * sizeof(*ill));
        catches = realloc(catches, capacity * sizeof(*catches));
    }
    SETT_FOR(all, b, i) {
        if (SETT_FIELD(b, 1, Health)[i].state == ILL) {
            ill[lists.count] = SETT_FIELD(b, 0, Place)[i];
            run_cells_add(&lists, cell_at(SETT_FIELD(b, 0, Place)[i]));
        }
    }
    run_cells_sort(&lists);
    SETT_FOR(own, b, i) {
        const sett_entity who = sett_batch_entity(b, i);
        bool caught = false;
        if (SETT_FIELD(b, 1, Health)[i].state == WELL) {
            uint32_t near = count_ill(SETT_FIELD(b, 0, Place)[i]);
            for (uint32_t k = 0; k < near && !caught; k++) {
                caught = dice(who, tick, USE_CATCH + k, 100) < 12;
            }
        }
        catches[at++] = caught;
    }
}

/* A child: its home is the cell that the parent was in when the tick began. */
typedef struct birth {
    uint32_t home;
    Place place;
} birth;

static void live(uint64_t tick)
{
    uint32_t at = 0;
    uint32_t births = 0;
    uint32_t deaths = 0;
    birth* born = malloc((capacity + 1) * sizeof(*born));
    sett_entity* dead = malloc((capacity + 1) * sizeof(*dead));
    SETT_FOR(own, b, i) {
        const sett_entity who = sett_batch_entity(b, i);
        Place* p = &SETT_FIELD_MUT(b, 0, Place)[i];
        Health* h = &SETT_FIELD_MUT(b, 1, Health)[i];
        const uint32_t home = cell_at(*p);
        h->days = (uint16_t)(h->days + (h->state != WELL));
        if (catches[at++]) {
            *h = (Health){ILL, 0};
        } else if (h->state == ILL && h->days > 10) {
            *h = (Health){IMMUNE, 0};
        } else if (h->state == IMMUNE && h->days > 30) {
            *h = (Health){WELL, 0};
        }
        if (dice(who, tick, USE_DEATH, 1000) < 4) {
            dead[deaths++] = who;
            continue;
        }
        const uint64_t step = sett_random(SEED, who, tick, USE_STEP);
        p->x = (p->x + (int32_t)(step % (2 * STEP + 1)) - STEP + span) % span;
        p->y = (p->y + (int32_t)((step >> 32) % (2 * STEP + 1)) - STEP + span) % span;
        if (dice(who, tick, USE_BIRTH, 1000) < 4) {
            born[births++] = (birth){home, *p};
        }
    }
    sett_entity_destroy_many(world, dead, deaths);
    for (uint32_t k = 0; k < births; k++) { /* in the order of the parents' handles */
        const sett_entity who = sett_ranks_create_entity(ranks, born[k].home);
        if (!sett_is_null(who)) { /* else the cell is full, on any number of ranks */
            SETT_SET(world, who, Place, .x = born[k].place.x, .y = born[k].place.y);
            SETT_ADD(world, who, Health);
        }
    }
    free(born);
    free(dead);
}

static void tick(uint64_t now)
{
    sett_ranks_begin(ranks);
    infect(now);
    live(now);
}

int main(int argc, char** argv)
{
    static const run_model sir = {"sir", populate, tick, false};
    MPI_Init(&argc, &argv);
    run_read(argc, argv);
    span = (int32_t)options.width * CELL;
    world = sett_world_create(NULL);
    SETT_REGISTER_ALL(world, SIR);
    const sett_component ghosts[] = {Place_id, Health_id};
    ranks = sett_ranks_create(world, MPI_COMM_WORLD,
                              &(sett_ranks_desc){.position = Place_id,
                                                 .cell_of = cell_of,
                                                 .cells = options.width * options.width,
                                                 .width = options.width,
                                                 .ghosts = ghosts,
                                                 .ghost_count = 2});
    if (ranks == NULL) {
        run_fail("sett_ranks_create");
    }
    own =
        sett_query_create(world, &(sett_query_desc){.terms = {SETT_INOUT(Place),
                                                              SETT_INOUT(Health),
                                                              {.component = sett_ranks_ghost(ranks),
                                                               .kind = SETT_WITHOUT}}});
    all = SETT_QUERY_CREATE(world, SETT_IN(Place), SETT_IN(Health));
    return run(&sir);
}

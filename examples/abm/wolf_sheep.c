/* Wolves, sheep and grass: each animal walks, eats, starves and multiplies.
 *
 * As ABMFrameworksComparison declares it, in the small form. Its large form: --set side=100
 * --set sheep=1000 --set wolves=500 --set regrow=10 --set lamb=0.4 --set cub=0.2 */
#include "sett_abm.h"
#include "sett_space.h"

/* clang-format off */
enum { SIDE, SHEEP, WOLVES, REGROW, LAMB, CUB, MOST = 256 * 256 };

typedef struct Animal { int32_t x, y; double energy; } Animal;
/* the sheep; of each place the steps until its grass has grown, or 0 */
typedef struct Data { sett_abm_order* order[2]; sett_space* grid; int32_t grass[MOST]; } Data;
#define MODEL(COMPONENT, TAG) COMPONENT(Animal) TAG(Sheep) TAG(Wolf)
#define CREATE(world, animal, tag)                                                                 \
    sett_create_with(world, (sett_value[]){{.component = tag}, SETT_VALUE_OF(Animal, animal)}, 2)
SETT_COMPONENTS(MODEL)
/* clang-format on */

static bool begin(sett_abm* run)
{
    const double* p = run->parameters;
    Data* d = run->data;
    uint32_t side = (uint32_t)p[SIDE], area = side * side;
    SETT_REGISTER_ALL(run->world, MODEL);
    sett_query* sheep = SETT_QUERY_CREATE(run->world, SETT_WITH(Animal), SETT_WITH(Sheep));
    sett_space_desc grid = {Animal_id, SETT_SPACE_GRID, sheep, .size = {side, side}};
    d->grid = sett_space_create(run->world, &grid);
    d->order[0] = sett_abm_order_create(run->world, sheep);
    d->order[1] = sett_abm_order_create(run->world, SETT_QUERY_CREATE(run->world, SETT_WITH(Wolf)));
    for (uint32_t k = 0; k < area && area <= MOST; k++) {
        sett_entity e = {k, 0};
        int32_t x = (int32_t)sett_abm_range(run, e, 0, side);
        int32_t y = (int32_t)sett_abm_range(run, e, 1, side);
        Animal animal = {x, y, sett_abm_range(run, e, 2, k < p[SHEEP] ? 10 : 26)};
        if (k < p[SHEEP] + p[WOLVES]) {
            CREATE(run->world, &animal, k < p[SHEEP] ? Sheep_id : Wolf_id);
        }
        uint32_t left = 1 + sett_abm_range(run, e, 3, (uint32_t)p[REGROW]);
        d->grass[k] = (int32_t)(left * sett_abm_range(run, e, 4, 2)); /* half of it has grown */
    }
    return area <= MOST && sett_space_update(d->grid) == SETT_OK;
}

static void live(sett_abm* run, sett_entity e, sett_component tag)
{
    Data* d = run->data;
    Animal* a = SETT_GET_MUT(run->world, e, Animal);
    int32_t way = (int32_t)sett_abm_range(run, e, 5, 8), side = (int32_t)run->parameters[SIDE];
    way += way >= 4; /* one of the eight places around the middle */
    int32_t x = a->x + way % 3 - 1, y = a->y + way / 3 - 1;
    a->x = x < 0 || x >= side ? a->x : x; /* along an edge */
    a->y = y < 0 || y >= side ? a->y : y;
    a->energy -= 1;
    uint32_t cell = (uint32_t)(a->y * side + a->x);
    if (tag == Sheep_id) {
        sett_space_move(d->grid, e);
        a->energy += d->grass[cell] == 0 ? 5 : 0;
        d->grass[cell] += d->grass[cell] == 0 ? (int32_t)run->parameters[REGROW] + 1 : 0;
    } else if (sett_space_cell(d->grid, cell, NULL) != NULL) {
        sett_entity prey = sett_space_random_entity(d->grid, cell, sett_abm_bits(run, e, 6));
        sett_entity_destroy(run->world, prey);
        sett_space_refresh(d->grid, prey);
        a->energy += 13;
    }
    if (a->energy < 0) {
        sett_entity_destroy(run->world, e);
        sett_space_refresh(d->grid, e);
    } else if (sett_abm_uniform(run, e, 7) <= run->parameters[tag == Sheep_id ? LAMB : CUB]) {
        a->energy /= 2;
        sett_space_refresh(d->grid, CREATE(run->world, a, tag));
    }
}

static void step(sett_abm* run)
{
    Data* d = run->data;
    for (uint32_t k = 0; k < 2; k++) {
        SETT_ABM_ACTIVATE(d->order[k], run->seed + k, run->step, e) {
            live(run, e, k == 0 ? Sheep_id : Wolf_id);
        }
    }
    for (uint32_t k = 0, area = sett_space_cell_count(d->grid); k < area; k++) {
        d->grass[k] -= d->grass[k] > 0;
    }
}

/* clang-format off */
static const sett_abm_model model = {
    .name = "wolf_sheep", .steps = 100, .data_size = sizeof(Data), .begin = begin, .step = step,
    .parameters = {{"side", 25}, {"sheep", 60}, {"wolves", 40}, {"regrow", 20}, {"lamb", 0.2},
        {"cub", 0.1}}, .columns = {{"sheep", .query = "Sheep"}, {"wolves", .query = "Wolf"}}};
/* clang-format on */

SETT_ABM_MAIN(model)

/* An epidemic: people walk at random, infect those near them, and recover. */
#include "sett_abm.h"
#include "sett_space.h"

/* clang-format off */
enum { SIDE, PEOPLE, ILL, REACH, INFECT, RECOVER };

typedef struct Position { float x, y; } Position;

#define MODEL(COMPONENT, TAG)                                                                      \
    COMPONENT(Position, .members = SETT_STRUCT(Position, x, y)) TAG(Healthy) TAG(Ill) TAG(Immune)
SETT_COMPONENTS(MODEL)

typedef struct Data { sett_space* town; sett_query *all, *healthy, *ill; } Data;
/* clang-format on */

static bool begin(sett_abm* run)
{
    const double* p = run->parameters;
    Data* d = run->data;
    SETT_REGISTER_ALL(run->world, MODEL);
    sett_space_desc town = {.component = Position_id, .size = {p[SIDE], p[SIDE]}, .periodic = true};
    town.cell = p[REACH];
    d->town = sett_space_create(run->world, &town);
    d->all = SETT_QUERY_CREATE(run->world, SETT_INOUT(Position));
    d->healthy = SETT_QUERY_CREATE(run->world, SETT_WITH(Healthy));
    d->ill = SETT_QUERY_CREATE(run->world, SETT_WITH(Ill));
    for (uint32_t k = 0; k < p[PEOPLE]; k++) {
        sett_entity e = {k, 0};
        Position at = {(float)(sett_abm_uniform(run, e, 0) * p[SIDE]),
                       (float)(sett_abm_uniform(run, e, 1) * p[SIDE])};
        e = SETT_CREATE(run->world, SETT_VALUE_OF(Position, &at));
        sett_add(run->world, e, k < p[ILL] ? Ill_id : Healthy_id);
    }
    return d->town != NULL;
}

static void walk(sett_abm* run)
{
    Data* d = run->data;
    SETT_FOR(d->all, b, i) {
        Position* at = &SETT_FIELD_MUT(b, 0, Position)[i];
        sett_entity e = sett_batch_entity(b, i);
        at->x += (float)sett_abm_uniform(run, e, 2) - 0.5F;
        at->y += (float)sett_abm_uniform(run, e, 3) - 0.5F;
    }
    sett_space_update(d->town);
}

static void step(sett_abm* run)
{
    const double* p = run->parameters;
    Data* d = run->data;
    sett_commands* later = sett_commands_here(run->world);
    walk(run);
    SETT_FOR(d->healthy, b, i) {
        sett_entity e = sett_batch_entity(b, i);
        double spared = 1;
        SETT_SPACE_NEAR(d->town, e, p[REACH], hit) {
            spared *= SETT_HAS(run->world, hit->entity, Ill) ? 1 - p[INFECT] : 1;
        }
        if (sett_abm_uniform(run, e, 4) >= spared) {
            sett_cmd_remove(later, e, Healthy_id);
            sett_cmd_add(later, e, Ill_id);
        }
    }
    SETT_FOR(d->ill, b, i) {
        sett_entity e = sett_batch_entity(b, i);
        if (sett_abm_uniform(run, e, 5) < p[RECOVER]) {
            sett_cmd_remove(later, e, Ill_id);
            sett_cmd_add(later, e, Immune_id);
        }
    }
    sett_commands_apply(later);
}

/* clang-format off */
static const sett_abm_model model = {
    .name = "sir", .steps = 100, .data_size = sizeof(Data), .begin = begin, .step = step,
    .parameters = {{"side", 100}, {"people", 5000}, {"ill", 10}, {"reach", 1}, {"infect", 0.1},
                   {"recover", 0.05}},
    .columns = {{"healthy", .query = "Healthy"}, {"ill", .query = "Ill"},
                {"immune", .query = "Immune"}},
    .picture = &(sett_abm_picture){"Position.x", "Position.y", .size = {100, 100},
        .layers = {{"Healthy", .colour = 0x60A060}, {"Ill", .colour = 0xE04040},
                   {"Immune", .colour = 0x6060C0}}}};
/* clang-format on */

SETT_ABM_MAIN(model)

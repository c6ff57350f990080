/* trial.c - see trial.h. */
#include "trial.h"

#include "atlas.h"
#include "host.h"
#include "script.h"

#include "sett/typed.h"

#include <stdlib.h>

static bool trial_make_world(const Trial* trial, Simulation* sim, const char* map, uint64_t seed,
                             Fault* fault)
{
    Atlas atlas = {0};
    bool good = true;
    for (uint32_t i = 0; good && i < trial->wad_count; ++i) {
        good = atlas_add(&atlas, trial->wads[i], &map, map != NULL ? 1 : 0, fault);
    }
    good = good && simulation_init(sim, atlas.levels, atlas.count, seed, 1, NULL, fault);
    atlas_deinit(&atlas);
    return good;
}

bool trial_open(const Trial* trial, Simulation* sim, uint32_t seed, Fault* fault)
{
    return trial_make_world(trial, sim, NULL, seed, fault);
}

bool trial_simulate(Simulation* sim, uint32_t ticks, Fault* fault)
{
    bool good = true;
    for (uint32_t i = 0; good && i < ticks; ++i) {
        good = simulation_step(sim, fault);
    }
    return good;
}

/* --- scripts ---------------------------------------------------------------------------------- */

static bool trial_play(Script* script, Simulation* sim, uint32_t number, uint32_t ticks,
                       Fault* fault)
{
    Session* session = calloc(1, sizeof *session);
    if (session == NULL) {
        return fault_set(fault, "out of memory");
    }
    bool good = session_open(session, sim, number % sim->arena_count, fault) &&
                script_play(script, session, number, ticks, fault);
    session_close(session);
    free(session);
    return good;
}

/* Twice: with rewinds, and without. */
static bool trial_play_twice(const Trial* trial, Script* script, uint32_t number, uint32_t ticks,
                             Fault* fault)
{
    char name[WAD_NAME_SIZE];
    uint32_t n = number % TRIAL_MAPS;
    if (n < 36) {
        snprintf(name, sizeof name, "E%uM%u", (unsigned)(n / 9 + 1), (unsigned)(n % 9 + 1));
    } else {
        snprintf(name, sizeof name, "MAP%02u", (unsigned)(n - 35));
    }
    const char* map = number % 10 == 0 ? NULL : name;
    Simulation sim;
    bool good = trial_make_world(trial, &sim, map, number, fault);
    if (good) {
        good = trial_play(script, &sim, number, ticks, fault);
        simulation_deinit(&sim);
    }
    good = good && trial_make_world(trial, &sim, map, number, fault);
    if (good) {
        good = script_replay(script, &sim, ticks, fault);
        simulation_deinit(&sim);
    }
    return good;
}

bool trial_script(const Trial* trial, uint32_t number, uint32_t ticks, uint64_t* hash, Fault* fault)
{
    Script* script = malloc(sizeof *script);
    if (script == NULL || ticks > SCRIPT_TICKS) {
        free(script);
        return fault_set(fault, "out of memory");
    }
    bool good = trial_play_twice(trial, script, number, ticks, fault);
    *hash = UINT64_C(0xcbf29ce484222325) + script->rewinds;
    for (uint32_t i = 0; good && i <= ticks; ++i) {
        *hash = (*hash ^ script->hashes[i]) * UINT64_C(0x100000001b3);
    }
    free(script);
    return good;
}

/* --- a loop ----------------------------------------------------------------------------------- */

typedef struct TrialPlace {
    float x, y;
} TrialPlace;

typedef struct TrialSpeed {
    float x, y;
} TrialSpeed;

#define TRIAL_TYPES(COMPONENT, TAG) COMPONENT(TrialPlace) COMPONENT(TrialSpeed)
SETT_COMPONENTS(TRIAL_TYPES)

/* Functions of their own: browsers replace slow code by fast code between two calls. */
static void trial_step(sett_query* query, float seconds)
{
    SETT_QUERY_EACH(query, b) {
        TrialPlace* place = sett_batch_field(b, 0);
        const TrialSpeed* speed = sett_batch_field(b, 1);
        SETT_EACH(b, i) {
            place[i].x += speed[i].x * seconds;
            place[i].y += speed[i].y * seconds;
        }
    }
}

/* The same, over numbers instead of structs where no row is missing: clang makes vectors of them
 * without the six shuffles for each four structs. */
static void trial_step_numbers(sett_query* query, float seconds)
{
    SETT_QUERY_EACH(query, b) {
        float* place = sett_batch_field(b, 0);
        const float* speed = sett_batch_field(b, 1);
        for (uint32_t k = 0; b->rows == NULL && k < 2 * b->count; ++k) {
            place[k] += speed[k] * seconds;
        }
        for (uint32_t k = 0; b->rows != NULL && k < b->count; ++k) {
            uint32_t i = b->rows[k];
            place[2 * i] += speed[2 * i] * seconds;
            place[2 * i + 1] += speed[2 * i + 1] * seconds;
        }
    }
}

float trial_march(uint32_t entities, uint32_t rounds, bool numbers)
{
    sett_world* world = sett_world_create(NULL);
    SETT_REGISTER_ALL(world, TRIAL_TYPES);
    for (uint32_t i = 0; i < entities; ++i) {
        sett_entity entity = sett_entity_create(world);
        SETT_SET(world, entity, TrialPlace, .x = 0);
        SETT_SET(world, entity, TrialSpeed, .x = 1, .y = 2);
    }
    sett_query_desc desc = {.terms = {SETT_INOUT(TrialPlace), SETT_IN(TrialSpeed)}};
    sett_query* query = sett_query_create(world, &desc);
    void (*step)(sett_query*, float) = numbers ? trial_step_numbers : trial_step;
    uint64_t start = host_nanoseconds();
    for (uint32_t i = 0; i < rounds; ++i) {
        step(query, 1.0f / 64);
    }
    uint64_t time = host_nanoseconds() - start;
    sett_world_destroy(world);
    return (float)time / (float)entities / (float)rounds;
}

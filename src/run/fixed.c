/* fixed.c: loops of fixed steps.
 *
 * The workload: one loop of a game's rules at 60 steps a second, perhaps a slower one beside it.
 * All systems with the same step are one loop, with phases, stages and commands of its own. In each
 * frame every loop runs the steps that have become due:
 *
 *     frame   input | A0 B0  A1  A2 B1  A3 | draw        A: 1/64 second, B: 1/32 second
 *
 * Step k of a loop is due at start + (k + 1) * step. Steps of several loops run in the order in
 * which they are due. So that order, and each state after a step, is a function of the steps alone
 * and not of how time was cut into frames.
 *
 * Rejected: a system that repeats its own steps. With A and B that gives A A A A B B in a long
 * frame and A B A in a short one, and commands are applied after all of them.
 *
 * Invariant:  loops are sorted by step, and each step is there once;
 *             steps * step <= now, but for a rest of less than one step outside of frames
 */
#include "run/run.h"

#include <stdio.h>

/* The place of the pointer to the loop of a step, or where that loop is to be inserted. */
static setti_fixed** fixed_find(setti_run* run, float step)
{
    setti_fixed** at = &run->fixed;
    while (*at != NULL && (*at)->step < step) {
        at = &(*at)->next;
    }
    return at;
}

static setti_fixed* fixed_make(sett_world* world, float step)
{
    setti_run* run = setti_run_of(world);
    setti_fixed** at = fixed_find(run, step);
    if (*at != NULL && (*at)->step == step) {
        return *at;
    }
    setti_fixed* fixed = setti_pool_alloc(&world->pool, sizeof(*fixed), 16);
    if (fixed == NULL) {
        return NULL;
    }
    memset(fixed, 0, sizeof(*fixed));
    fixed->step = step;
    (void)snprintf(fixed->name, sizeof(fixed->name), "fixed step %.9g", (double)step);
    if (run->fixed != NULL) {
        fixed->state.start = run->fixed->state.start + run->fixed->state.now;
    }
    fixed->next = *at;
    *at = fixed;
    setti_world_add_plain_root(world, &fixed->root, &fixed->state, sizeof(fixed->state));
    fixed->root.name = fixed->name;
    fixed->root.optional = true;
    return fixed;
}

bool setti_fixed_set(sett_world* world, const sett_system_desc* desc, setti_fixed** fixed)
{
    const setti_run* run = setti_run_of(world);
    bool in_range = desc->phase >= run->fixed_phase && desc->phase <= run->fixed_last;
    float step = desc->fixed_step > 0 ? desc->fixed_step : in_range ? run->fixed_step : 0;
    *fixed = step > 0 ? fixed_make(world, step) : NULL;
    return *fixed != NULL || !(step > 0);
}

sett_status setti_fixed_check_order(const sett_system* first, const sett_system* then,
                                    const char* call)
{
    const setti_fixed* loops[2] = {first->fixed, then->fixed};
    int phases[2] = {first->desc.phase, then->desc.phase};
    if (loops[0] != NULL && loops[1] != NULL && loops[0] != loops[1]) {
        return setti_world_fail_with(first->world, SETT_STATUS_CONFLICT,
                                     "%s: \"%.100s\" cannot run before \"%.100s\": their fixed "
                                     "steps are %g and %g seconds - set the same `fixed_step`",
                                     call, first->name, then->name, (double)loops[0]->step,
                                     (double)loops[1]->step);
    }
    if (loops[0] == loops[1]) {
        if (phases[0] <= phases[1]) {
            return SETT_OK;
        }
    } else if (loops[0] != NULL ? phases[1] > SETT_PHASE_FIXED : phases[0] <= SETT_PHASE_FIXED) {
        return SETT_OK;
    } else {
        return setti_world_fail_with(first->world, SETT_STATUS_CONFLICT,
                                     "%s: \"%.100s\" cannot run before \"%.100s\": one is in "
                                     "phase %d, and fixed steps run after phase %d - change its "
                                     "`phase`",
                                     call, first->name, then->name, phases[loops[0] != NULL],
                                     SETT_PHASE_FIXED);
    }
    return setti_world_fail_with(first->world, SETT_STATUS_CONFLICT,
                                 "%s: \"%.100s\" cannot run before \"%.100s\": they are in "
                                 "phases %d and %d - change a `phase`",
                                 call, first->name, then->name, phases[0], phases[1]);
}

void setti_fixed_pass(setti_fixed* fixed, float dt)
{
    setti_fixed_state* state = &fixed->state;
    double step = (double)fixed->step;
    uint32_t most = fixed->most != 0 ? fixed->most : SETTI_STEPS_DEFAULT;
    double now = state->now + (double)dt;
    if (fixed->first == fixed->end) { /* without systems no step is due */
        state->start += (double)dt;
    } else if (now >= (double)(state->steps + most + 1) * step) {
        state->now = (double)(state->steps + most) * step;
        state->start += now - state->now; /* the loop does not catch up */
    } else {
        state->now = now;
    }
}

setti_fixed* setti_fixed_due(const setti_run* run)
{
    setti_fixed* found = NULL;
    double first = 0;
    for (setti_fixed* fixed = run->fixed; fixed != NULL; fixed = fixed->next) {
        double due = (double)(fixed->state.steps + 1) * (double)fixed->step;
        if (due <= fixed->state.now && (found == NULL || fixed->state.start + due < first)) {
            found = fixed;
            first = fixed->state.start + due;
        }
    }
    return found;
}

const char* setti_fixed_validate(const sett_world* world)
{
    for (const setti_fixed* at = setti_run_of(world)->fixed; at != NULL; at = at->next) {
        if (!(at->step > 0) || (at->next != NULL && !(at->step < at->next->step))) {
            return "loops of fixed steps are not sorted by step";
        }
        if (!((double)at->state.steps * (double)at->step <= at->state.now)) {
            return "a loop of fixed steps has run steps that are not due";
        }
    }
    return NULL;
}

static const setti_fixed* fixed_of(const sett_world* world, float step)
{
    if (SETTI_IS_NULL(world) || setti_run_of(world) == NULL) {
        return NULL;
    }
    const setti_fixed* fixed = *fixed_find(setti_run_of(world), step);
    return fixed != NULL && fixed->step == step ? fixed : NULL;
}

uint64_t sett_fixed_steps(const sett_world* world, float step)
{
    const setti_fixed* fixed = fixed_of(world, step);
    return fixed != NULL ? fixed->state.steps : 0;
}

float sett_fixed_rest(const sett_world* world, float step)
{
    const setti_fixed* fixed = fixed_of(world, step);
    if (fixed == NULL) {
        return 0;
    }
    double rest = fixed->state.now / (double)step - (double)fixed->state.steps;
    return rest > 0 ? (float)SETTI_MIN(rest, 1.0) : 0;
}

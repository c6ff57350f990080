/* fixed.c: loops of fixed steps.
 *
 * The workload: a loop for the rules of a game at 60 steps a second, perhaps with a slower loop.
 * All systems with the same step form a loop. A loop has its own phases, stages and commands. In
 * each frame every loop runs the steps that have become due:
 *
 *     frame   input | A0 B0  A1  A2 B1  A3 | draw        A: 1/64 second, B: 1/32 second
 *
 * Step k of a loop is due at start + (k + 1) * step. Steps of several loops run in the order of due
 * times. So the order of steps and the state after each step do not depend on frame lengths.
 *
 * Invariant:  loops are sorted by step, and each step has a single loop;
 *             steps * step <= now;  between frames now < (steps + 1) * step
 */
#include "run/run.h"

#include <stdio.h>

/* Returns the pointer in the list that points to the first loop with this step or a longer step. */
static setti_fixed** fixed_find(setti_run* run, float step)
{
    setti_fixed** link = &run->fixed;
    while (*link != NULL && (*link)->step < step) {
        link = &(*link)->next;
    }
    return link;
}

/* Returns the loop of a step. Creates the loop if needed. Returns NULL if memory runs out. */
static setti_fixed* fixed_ensure(sett_world* world, float step)
{
    setti_run* run = setti_run_of(world);
    setti_fixed** link = fixed_find(run, step);
    if (*link != NULL && (*link)->step == step) {
        return *link;
    }
    setti_fixed* fixed = setti_pool_alloc_zero(&world->pool, sizeof(*fixed), 16);
    if (fixed == NULL) {
        return NULL;
    }
    fixed->step = step;
    (void)snprintf(fixed->name, sizeof(fixed->name), "fixed step %.9g", (double)step);
    if (run->fixed != NULL) { /* start + now is the present time, equal in all loops */
        fixed->state.start = run->fixed->state.start + run->fixed->state.now;
    }
    fixed->next = *link;
    *link = fixed;
    setti_world_add_plain_root(world, &fixed->root, &fixed->state, sizeof(fixed->state));
    fixed->root.name = fixed->name;
    fixed->root.optional = true;
    return fixed;
}

bool setti_fixed_set(sett_world* world, const sett_system_desc* desc, setti_fixed** fixed)
{
    const setti_run* run = setti_run_of(world);
    bool in_fixed_phase = desc->phase >= run->fixed_phase && desc->phase <= run->fixed_last;
    float step = 0;
    if (desc->fixed_step > 0) {
        step = desc->fixed_step;
    } else if (in_fixed_phase) {
        step = run->fixed_step;
    }
    if (!(step > 0)) {
        *fixed = NULL; /* the system runs once a frame */
        return true;
    }
    *fixed = fixed_ensure(world, step);
    return *fixed != NULL;
}

sett_status setti_fixed_check_order(const sett_system* first, const sett_system* then,
                                    const char* call)
{
    const setti_fixed* first_loop = first->fixed;
    const setti_fixed* then_loop = then->fixed;
    int first_phase = first->desc.phase;
    int then_phase = then->desc.phase;
    if (first_loop == then_loop) {
        if (first_phase <= then_phase) {
            return SETT_OK;
        }
        return setti_world_fail_with(
            first->world, SETT_STATUS_CONFLICT,
            "%s: system \"%.100s\" of phase %d cannot run before \"%.100s\" "
            "of phase %d - set the same `phase`, or remove the order",
            call, first->name, first_phase, then->name, then_phase);
    }
    if (first_loop != NULL && then_loop != NULL) {
        return setti_world_fail_with(
            first->world, SETT_STATUS_CONFLICT,
            "%s: system \"%.100s\" with fixed steps of %.9g seconds cannot run before \"%.100s\" "
            "with steps of %.9g seconds - set the same `fixed_step`, or remove the order",
            call, first->name, (double)first_loop->step, then->name, (double)then_loop->step);
    }
    /* One system runs in fixed steps, at the end of SETT_PHASE_FIXED. The system `other` runs once
     * a frame. */
    const sett_system* other = first_loop != NULL ? then : first;
    bool must_be_later = other == then;
    bool is_later = other->desc.phase > SETT_PHASE_FIXED;
    if (is_later == must_be_later) {
        return SETT_OK;
    }
    return setti_world_fail_with(
        first->world, SETT_STATUS_CONFLICT,
        "%s: system \"%.100s\" cannot run before \"%.100s\", because fixed steps run at the end of "
        "phase %d - set the `phase` of \"%.100s\", now %d, %s that",
        call, first->name, then->name, SETT_PHASE_FIXED, other->name, other->desc.phase,
        must_be_later ? "above" : "not above");
}

void setti_fixed_pass(setti_fixed* fixed, float dt)
{
    setti_fixed_state* state = &fixed->state;
    double step = (double)fixed->step;
    /* the limit of steps in a frame */
    uint32_t step_limit = fixed->most != 0 ? fixed->most : SETTI_STEPS_DEFAULT;
    double now = state->now + (double)dt;
    if (fixed->first == fixed->end) { /* the loop has no systems, and no step becomes due */
        state->start += (double)dt;
    } else if (now >= (double)(state->steps + step_limit + 1) * step) {
        /* more than `step_limit` steps are due: skips the time of the further steps */
        state->now = (double)(state->steps + step_limit) * step;
        state->start += now - state->now;
    } else {
        state->now = now;
    }
}

setti_fixed* setti_fixed_due(const setti_run* run)
{
    setti_fixed* found = NULL;
    double earliest = 0;
    for (setti_fixed* fixed = run->fixed; fixed != NULL; fixed = fixed->next) {
        double due = (double)(fixed->state.steps + 1) * (double)fixed->step;
        if (!(due <= fixed->state.now)) { /* not due yet */
            continue;
        }
        /* start + due is the due time on the clock that all loops share */
        if (found == NULL || fixed->state.start + due < earliest) {
            found = fixed;
            earliest = fixed->state.start + due;
        }
    }
    return found;
}

SETTI_COLD const char* setti_fixed_validate(const sett_world* world)
{
    const setti_fixed* fixed = setti_run_of(world)->fixed;
    for (; fixed != NULL; fixed = fixed->next) {
        bool is_sorted = fixed->next == NULL || fixed->step < fixed->next->step;
        if (!(fixed->step > 0) || !is_sorted) {
            return "loops of fixed steps are not sorted by step";
        }
        if (!((double)fixed->state.steps * (double)fixed->step <= fixed->state.now)) {
            return "a loop of fixed steps has run steps that are not due";
        }
    }
    return NULL;
}

/* Returns the loop of a step, or NULL if there is no such loop. */
static const setti_fixed* fixed_of(const sett_world* world, float step)
{
    if (SETTI_IS_NULL(world) || setti_run_of(world) == NULL) {
        return NULL;
    }
    const setti_fixed* fixed = *fixed_find(setti_run_of(world), step);
    if (fixed == NULL || fixed->step != step) {
        return NULL;
    }
    return fixed;
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
    /* the part of the next step that has passed */
    double fraction = fixed->state.now / (double)step - (double)fixed->state.steps;
    if (fraction > 0) {
        return (float)SETTI_MIN(fraction, 1.0);
    }
    return 0;
}

/* rewind.c - see rewind.h. */
#include "rewind.h"

#include "host.h"

#include <stdlib.h>
#include <string.h>

bool rewind_init(Rewind* rewind, Simulation* sim, Fault* fault)
{
    *rewind = (Rewind){.ring = sett_ring_create(sim->world, REWIND_SECONDS)};
    return rewind->ring != NULL || fault_set(fault, "out of memory");
}

static bool rewind_fail(const Simulation* sim, Fault* fault)
{
    return fault_set(fault, "tick %lu: %s", (unsigned long)sim->dice.tick,
                     sett_world_message(sim->world));
}

static size_t rewind_size(const Simulation* sim)
{
    sett_snapshot_stats stats;
    sett_snapshot_stats_get(sim->world, &stats);
    return stats.page_size;
}

static bool rewind_take(Rewind* rewind, const Simulation* sim, Fault* fault)
{
    return sett_ring_take(rewind->ring) == SETT_OK || rewind_fail(sim, fault);
}

/* Before and after a tick that belongs to the comparison. */
static void rewind_note(Rewind* rewind, const Simulation* sim, bool recorded, uint32_t place,
                        uint64_t time)
{
    RewindSample* sample = &rewind->samples[recorded];
    if (sample->seconds == REWIND_SAMPLES) {
        return;
    }
    sample->times[place][sample->seconds] = time;
    if (place == SIMULATION_TICKS_A_SECOND - 1) {
        sample->kept += rewind_size(sim) - rewind->size_before;
        sample->seconds++;
    }
}

bool rewind_step(Rewind* rewind, Simulation* sim, Fault* fault)
{
    uint32_t place = sim->dice.tick % SIMULATION_TICKS_A_SECOND;
    bool compared = rewind->ring != NULL && sim->dice.tick < rewind->compare_until;
    bool recorded = !compared || sim->dice.tick / SIMULATION_TICKS_A_SECOND % 2 == 0;
    uint64_t start = host_nanoseconds();
    if (rewind->ring != NULL && recorded && place == 0 && !rewind_take(rewind, sim, fault)) {
        return false;
    }
    uint64_t taken = host_nanoseconds() - start;
    if (compared && place == 0) {
        rewind->size_before = rewind_size(sim);
    }
    start = host_nanoseconds();
    bool good = simulation_step(sim, fault);
    if (compared) {
        rewind_note(rewind, sim, recorded, place, taken + host_nanoseconds() - start);
    }
    return good;
}

/* --- what it costs ---------------------------------------------------------------------------- */

static int rewind_order(const void* a, const void* b)
{
    uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
    return (x > y) - (x < y);
}

/* Of a second: the sum of its ticks' medians, which a neighbour on the machine does not move. */
static double rewind_typical(const RewindSample* sample)
{
    double sum = 0;
    for (uint32_t place = 0; place < SIMULATION_TICKS_A_SECOND; ++place) {
        uint64_t times[REWIND_SAMPLES];
        memcpy(times, sample->times[place], sizeof times);
        qsort(times, sample->seconds, sizeof *times, rewind_order);
        sum += (double)(times[(sample->seconds - 1) / 2] + times[sample->seconds / 2]) / 2;
    }
    return sum;
}

bool rewind_overhead(const Rewind* rewind, double* share)
{
    const RewindSample* without = &rewind->samples[0];
    const RewindSample* with = &rewind->samples[1];
    if (without->seconds == 0 || with->seconds == 0) {
        return false;
    }
    double plain = rewind_typical(without);
    double kept = (double)with->kept / with->seconds;
    double left = (double)without->kept / without->seconds;
    /* A second without recording is not free of it: what is written for the first time since the
     * last snapshot is kept. So only a part of the cost was taken away. */
    double part = left < kept ? 1 - left / kept : 1;
    *share = (rewind_typical(with) / plain - 1) / part;
    return true;
}

/* --- back and forth --------------------------------------------------------------------------- */

static bool rewind_go_back(Rewind* rewind, Simulation* sim, uint64_t* time, Fault* fault)
{
    uint64_t start = host_nanoseconds();
    if (sett_ring_restore(rewind->ring, sett_ring_count(rewind->ring) - 1) != SETT_OK) {
        return rewind_fail(sim, fault);
    }
    *time = host_nanoseconds() - start;
    simulation_reload(sim);
    return true;
}

/* The first time it notes how each tick ends, the second time it compares. */
static bool rewind_replay(Rewind* rewind, Simulation* sim, bool compare, Fault* fault)
{
    for (uint32_t i = 0; i < rewind->ticks; ++i) {
        bool due = i != 0 && sim->dice.tick % SIMULATION_TICKS_A_SECOND == 0;
        if ((due && !rewind_take(rewind, sim, fault)) || !simulation_step(sim, fault)) {
            return false;
        }
        uint64_t hash = sett_world_hash(sim->world);
        rewind->same = rewind->same && (!compare || hash == rewind->hashes[i]);
        rewind->hashes[i] = hash;
    }
    return true;
}

static bool rewind_play_twice(Rewind* rewind, Simulation* sim, Fault* fault)
{
    uint32_t now = sim->dice.tick;
    if (!rewind_go_back(rewind, sim, &rewind->back[0], fault)) {
        return false;
    }
    rewind->ticks = now - sim->dice.tick;
    return rewind_replay(rewind, sim, false, fault) &&
           rewind_go_back(rewind, sim, &rewind->back[1], fault) &&
           rewind_replay(rewind, sim, true, fault);
}

bool rewind_check(Rewind* rewind, Simulation* sim, Fault* fault)
{
    FILE* trace = sim->trace;
    if (rewind->ring == NULL || sett_ring_count(rewind->ring) == 0) {
        return true;
    }
    rewind->size = rewind_size(sim);
    rewind->same = true;
    sim->trace = NULL; /* it is no news */
    uint64_t now = sett_world_hash(sim->world);
    bool good = rewind_play_twice(rewind, sim, fault);
    sim->trace = trace;
    if (good && (!rewind->same || rewind->hashes[rewind->ticks - 1] != now)) {
        return fault_set(fault, "the last %lu ticks, played again, ended in another state",
                         (unsigned long)rewind->ticks);
    }
    return good;
}

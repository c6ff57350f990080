/* rewind.c - see rewind.h. */
#include "rewind.h"

#include "host.h"

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

bool rewind_step(Rewind* rewind, Simulation* sim, Fault* fault)
{
    uint64_t* time = &rewind->times[sim->dice.tick % REWIND_TICKS];
    uint64_t start = host_nanoseconds();
    if (rewind->ring != NULL && sim->dice.tick % SIMULATION_TICKS_A_SECOND == 0 &&
        sett_ring_take(rewind->ring) != SETT_OK) {
        return rewind_fail(sim, fault);
    }
    bool good = simulation_step(sim, fault);
    *time = host_nanoseconds() - start;
    return good;
}

static bool rewind_go_back(Rewind* rewind, Simulation* sim, Fault* fault)
{
    uint64_t start = host_nanoseconds();
    if (sett_ring_restore(rewind->ring, sett_ring_count(rewind->ring) - 1) != SETT_OK) {
        return rewind_fail(sim, fault);
    }
    rewind->back = host_nanoseconds() - start;
    simulation_reload(sim);
    return true;
}

/* The first time it notes how each tick ends, the second time it compares. */
static bool rewind_replay(Rewind* rewind, Simulation* sim, bool compare, Fault* fault)
{
    rewind->replayed = 0;
    for (uint32_t i = 0; i < rewind->ticks; ++i) {
        uint64_t start = host_nanoseconds();
        if (!simulation_step(sim, fault)) {
            return false;
        }
        rewind->replayed += host_nanoseconds() - start;
        uint64_t hash = sett_world_hash(sim->world);
        rewind->same = rewind->same && (!compare || hash == rewind->hashes[i]);
        rewind->hashes[i] = hash;
    }
    return true;
}

static bool rewind_play_twice(Rewind* rewind, Simulation* sim, Fault* fault)
{
    uint32_t now = sim->dice.tick;
    if (!rewind_go_back(rewind, sim, fault)) {
        return false;
    }
    uint64_t back = rewind->back;
    rewind->ticks = now - sim->dice.tick;
    for (uint32_t tick = sim->dice.tick; tick < now; ++tick) {
        rewind->recorded += rewind->times[tick % REWIND_TICKS];
    }
    bool good = rewind_replay(rewind, sim, false, fault) && rewind_go_back(rewind, sim, fault) &&
                rewind_replay(rewind, sim, true, fault);
    rewind->back = back;
    return good;
}

bool rewind_check(Rewind* rewind, Simulation* sim, Fault* fault)
{
    FILE* trace = sim->trace;
    if (rewind->ring == NULL || sett_ring_count(rewind->ring) == 0) {
        return true;
    }
    sett_snapshot_stats stats;
    sett_snapshot_stats_get(sim->world, &stats);
    rewind->size = stats.page_size;
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

/* inspect.c - see inspect.h. */
#include "inspect.h"

#include "host.h"

#ifdef FREEDOOM_INSPECTOR
#include "sett_inspector.h"

#define INSPECT_TICK (1000000000u / SIMULATION_TICKS_A_SECOND)

/* What a tick needs is in the world: no input comes from outside. */
static void inspect_run(void* user)
{
    Simulation* sim = user;
    (void)sett_progress(sim->world, 1.0f / SIMULATION_TICKS_A_SECOND);
    simulation_reload(sim);
}

static void inspect_restored(void* user)
{
    simulation_reload(user);
}

bool inspect_play(Simulation* sim, uint32_t ticks, const char* explorer, Fault* fault)
{
    sett_inspector* inspector = sett_inspector_open(
        sim->world, &(sett_inspector_desc){.title = "Freedoom",
                                           .frame_rate = SIMULATION_TICKS_A_SECOND,
                                           .run_frame = inspect_run,
                                           .restored = inspect_restored,
                                           .static_folder = explorer,
                                           .user = sim});
    if (inspector == NULL) {
        return fault_set(fault, "the inspector cannot be opened");
    }
    uint64_t next = host_nanoseconds();
    while (sim->dice.tick < ticks) {
        if (sett_inspector_frame(inspector) != 0) {
            inspect_run(sim);
        }
        uint64_t now = host_nanoseconds();
        next = next + INSPECT_TICK > now ? next + INSPECT_TICK : now;
        host_sleep(next - now);
    }
    sett_inspector_close(inspector);
    return true;
}

#else

bool inspect_play(Simulation* sim, uint32_t ticks, const char* explorer, Fault* fault)
{
    (void)sim;
    (void)ticks;
    (void)explorer;
    return fault_set(fault, "--inspect: Sett's inspector was not built: it needs civetweb and zstd "
                            "(Debian's packages libcivetweb-dev and libzstd-dev)");
}

#endif

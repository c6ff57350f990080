/* twin.c - on this machine what a page does in a browser, to compare:
 *
 *     freedoom_twin script FIRST COUNT TICKS WAD...   a hash for each script
 *     freedoom_twin simulate TICKS WAD...             all maps: the hash, and ms a tick
 *     freedoom_twin march ROUNDS NUMBERS              ns an entity; NUMBERS: 0 or 1 */
#include "trial.h"

#include "host.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool twin_scripts(const Trial* trial, char** texts, Fault* fault)
{
    uint32_t first = (uint32_t)strtoul(texts[0], NULL, 10);
    uint32_t count = (uint32_t)strtoul(texts[1], NULL, 10);
    uint32_t ticks = (uint32_t)strtoul(texts[2], NULL, 10);
    bool good = true;
    for (uint32_t i = first; good && i < first + count; ++i) {
        uint64_t hash;
        good = trial_script(trial, i, ticks, &hash, fault);
        if (good) {
            printf("%016" PRIx64 "\n", hash);
        }
    }
    return good;
}

static bool twin_simulate(const Trial* trial, uint32_t ticks, Fault* fault)
{
    Simulation sim;
    if (!trial_open(trial, &sim, 1, fault)) {
        return false;
    }
    uint64_t start = host_nanoseconds();
    bool good = trial_simulate(&sim, ticks, fault);
    double time = (double)(host_nanoseconds() - start) * 1e-6;
    printf("%016" PRIx64 " %.3f\n", sett_world_hash(sim.world), time / ticks);
    simulation_deinit(&sim);
    return good;
}

int main(int count, char** texts)
{
    Fault fault;
    bool good = fault_set(&fault, "usage: see twin.c");
    const char* what = count > 1 ? texts[1] : "";
    if (strcmp(what, "script") == 0 && count > 5) {
        Trial trial = {(const char* const*)(texts + 5), (uint32_t)count - 5};
        good = twin_scripts(&trial, texts + 2, &fault);
    } else if (strcmp(what, "simulate") == 0 && count > 3) {
        Trial trial = {(const char* const*)(texts + 3), (uint32_t)count - 3};
        good = twin_simulate(&trial, (uint32_t)strtoul(texts[2], NULL, 10), &fault);
    } else if (strcmp(what, "march") == 0 && count > 3) {
        uint32_t rounds = (uint32_t)strtoul(texts[2], NULL, 10);
        good = printf("%.3f\n", (double)trial_march(10000, rounds, texts[3][0] == '1')) > 0;
    }
    if (!good) {
        fprintf(stderr, "freedoom_twin: %s\n", fault.text);
    }
    return good ? 0 : 1;
}

/* script.c - see script.h. */
#include "script.h"

#define SCRIPT_REWINDS 12u

static uint32_t script_below(uint64_t* chance, uint32_t below)
{
    *chance = *chance * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(((*chance >> 32) * below) >> 32);
}

/* A direction for some ticks, sometimes shooting and pushing. */
static Input script_input(uint64_t* chance, Input before)
{
    if (script_below(chance, 20) != 0) {
        before.buttons &= (uint8_t)~INPUT_USE;
        return before;
    }
    Input input = {.angle = (uint16_t)script_below(chance, 65536)};
    input.forward = (int8_t)((int)script_below(chance, 255) - 127);
    input.side = (int8_t)((int)script_below(chance, 255) - 127);
    input.buttons = (uint8_t)script_below(chance, 4);
    input.weapon = (uint8_t)script_below(chance, WEAPON_COUNT + 1);
    return input;
}

/* Back by up to `ticks`, in steps as frames take them, and then to where it stopped. */
static bool script_rewind(Session* session, uint32_t ticks, Fault* fault)
{
    bool good = session_rewind_begin(session, fault);
    for (uint32_t done = 0; good && done < ticks; done += 2) {
        good = session_rewind(session, 2.0f, 3, fault);
    }
    good = good && session_rewind_end(session, fault);
    while (good && session->mode != SESSION_PLAYS) {
        good = session_return(session, 4, fault);
    }
    return good;
}

static bool script_compare(const Script* script, const Simulation* sim, Fault* fault)
{
    uint32_t tick = sim->dice.tick;
    return sett_world_hash(sim->world) == script->hashes[tick] ||
           fault_set(fault, "tick %lu is not what it was", (unsigned long)tick);
}

bool script_play(Script* script, Session* session, uint64_t seed, uint32_t ticks, Fault* fault)
{
    const Simulation* sim = session->sim;
    *script = (Script){.chance = seed};
    script->hashes[sim->dice.tick] = sett_world_hash(sim->world);
    while (sim->dice.tick < ticks) {
        uint32_t tick = sim->dice.tick;
        script->input = script_input(&script->chance, script->input);
        if (!session_tick(session, script->input, fault)) {
            return false;
        }
        script->orders[tick] = session->orders[tick % SESSION_TICKS];
        script->hashes[tick + 1] = sett_world_hash(sim->world);
        if (script_below(&script->chance, 60) == 0 && script->rewinds < SCRIPT_REWINDS) {
            ++script->rewinds;
            if (!script_rewind(session, script_below(&script->chance, 200), fault) ||
                !script_compare(script, sim, fault)) {
                return false;
            }
        }
    }
    return true;
}

bool script_replay(const Script* script, Simulation* sim, uint32_t ticks, Fault* fault)
{
    sett_query* players = human_query(sim->world);
    bool good = players != NULL || fault_set(fault, "out of memory");
    while (good && sim->dice.tick < ticks) {
        human_obey(sim, players, &script->orders[sim->dice.tick]);
        good = simulation_step(sim, fault) && script_compare(script, sim, fault);
    }
    sett_query_destroy(players);
    return good;
}

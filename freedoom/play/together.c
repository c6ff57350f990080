/* together.c - see together.h. */
#include "together.h"

#include <stdio.h>
#include <string.h>

#define TOGETHER_TIMEOUT 2500u /* ms: then the others go on without him */
#define TOGETHER_DELAY 2u      /* ticks from a key to its effect: fewer guesses are wrong */

/* --- the host passes on ----------------------------------------------------------------------- */

/* Before each datagram: from whom, and to whom. */
#define TOGETHER_HEAD 2u

static void together_send(void* user, uint32_t peer, const void* bytes, uint32_t size)
{
    const Together* together = user;
    const TogetherDesc* desc = &together->desc;
    unsigned char out[SETT_NET_DATAGRAM + TOGETHER_HEAD];
    if (size <= SETT_NET_DATAGRAM) {
        out[0] = (unsigned char)desc->local;
        out[1] = (unsigned char)peer;
        memcpy(out + TOGETHER_HEAD, bytes, size);
        desc->transport.send(desc->transport.user, desc->local == 0 ? peer : 0, out,
                             size + TOGETHER_HEAD);
    }
}

/* A machine cannot pass for another: the host sees who sent it, and the others hear only him. */
static uint32_t together_receive(void* user, uint32_t* peer, void* out, uint32_t capacity)
{
    const Together* together = user;
    const TogetherDesc* desc = &together->desc;
    unsigned char in[SETT_NET_DATAGRAM + TOGETHER_HEAD];
    uint32_t sender, size;
    while ((size = desc->transport.receive(desc->transport.user, &sender, in, sizeof in)) != 0) {
        if (size <= TOGETHER_HEAD || (desc->local == 0 ? in[0] != sender : sender != 0)) {
            continue;
        }
        if (in[1] == desc->local && size - TOGETHER_HEAD <= capacity) {
            *peer = in[0];
            memcpy(out, in + TOGETHER_HEAD, size - TOGETHER_HEAD);
            return size - TOGETHER_HEAD;
        }
        if (desc->local == 0 && in[1] != 0 && in[1] < desc->players && in[1] != sender) {
            desc->transport.send(desc->transport.user, in[1], in, size);
        }
    }
    return 0;
}

/* --- playing ---------------------------------------------------------------------------------- */

static void together_play(sett_world* world, const sett_inputs* inputs, void* user)
{
    Together* together = user;
    Order orders[COMPONENT_PLAYERS];
    sett_entity selves[COMPONENT_PLAYERS];
    uint32_t count = 0;
    Fault fault;
    (void)world;
    simulation_reload(together->sim); /* the world may have gone back */
    for (uint32_t p = 0; p < together->desc.players; ++p) {
        if ((inputs->present >> p & 1u) != 0) {
            orders[count] = (Order){.number = (uint16_t)(p + 1)};
            memcpy(&orders[count++].input, sett_input(inputs, p), sizeof(Input));
        }
    }
    human_obey_all(together->sim, together->humans, orders, count, selves);
    memset(together->selves, 0, sizeof together->selves);
    for (uint32_t k = 0; k < count; ++k) {
        together->selves[orders[k].number - 1] = selves[k];
    }
    if (!simulation_step(together->sim, &fault)) {
        snprintf(together->why, sizeof together->why, "%s", fault.text);
    }
}

static void together_note(const sett_session_event* event, void* user)
{
    static const char* const what[] = {
        [SETT_SESSION_SYNCHRONISED] = "all are here", [SETT_SESSION_INTERRUPTED] = "is silent",
        [SETT_SESSION_RESUMED] = "is back",           [SETT_SESSION_GONE] = "is gone",
        [SETT_SESSION_JOINED] = "has come in",        [SETT_SESSION_DESYNC] = "differs",
        [SETT_SESSION_REJECTED] = "is rejected",      [SETT_SESSION_FAILED] = "cannot go on",
        [SETT_SESSION_WAITING] = "does not answer"};
    Together* together = user;
    bool ends = event->kind == SETT_SESSION_DESYNC || event->kind == SETT_SESSION_REJECTED ||
                event->kind == SETT_SESSION_FAILED;
    if (event->kind == SETT_SESSION_AHEAD) {
        return;
    }
    if (event->kind == SETT_SESSION_SYNCHRONISED) {
        snprintf(together->news, sizeof together->news, "%s", what[event->kind]);
    } else {
        snprintf(together->news, sizeof together->news, "player %u %s",
                 (unsigned)event->player + 1u, what[event->kind]);
    }
    if (ends) {
        snprintf(together->why, sizeof together->why, "%.60s: %.200s", together->news, event->text);
    }
}

static uint64_t together_clock(void* user)
{
    const TogetherDesc* desc = &((const Together*)user)->desc;
    return desc->clock_us(desc->clock_user);
}

bool together_open(Together* together, Simulation* sim, const TogetherDesc* desc, Fault* fault)
{
    *together = (Together){.sim = sim, .desc = *desc, .humans = human_query(sim->world)};
    snprintf(together->news, sizeof together->news, "waiting for %u players",
             (unsigned)desc->players);
    if (together->humans != NULL) {
        together->session = sett_session_create(
            sim->world,
            &(sett_session_desc){.players = desc->players,
                                 .local = desc->local,
                                 .input_size = sizeof(Input),
                                 .input_delay = TOGETHER_DELAY,
                                 .timeout_ms = TOGETHER_TIMEOUT,
                                 .game_version = desc->version,
                                 .play = together_play,
                                 .event = together_note,
                                 .user = together,
                                 .transport = {together, together_send, together_receive},
                                 .clock_us = desc->clock_us != NULL ? together_clock : NULL});
    }
    return together->session != NULL ||
           fault_set(fault, "cannot play together: %s", sett_world_message(sim->world));
}

void together_close(Together* together)
{
    sett_session_destroy(together->session);
    sett_query_destroy(together->humans);
    *together = (Together){.sim = NULL};
}

sett_session_state together_advance(Together* together, Input input)
{
    sett_session_state state = sett_session_advance(together->session, &input);
    return together->why[0] != '\0' ? SETT_SESSION_OVER : state;
}

/* --- for a session ---------------------------------------------------------------------------- */

static int together_tick(void* user, Input input, sett_entity* self)
{
    Together* together = user;
    sett_session_state state = together_advance(together, input);
    *self = together->selves[together->desc.local];
    return state == SETT_SESSION_PLAYED ? 1 : state == SETT_SESSION_WAIT ? 0 : -1;
}

static void together_tell(void* user, bool costs, char* out, size_t size)
{
    const Together* together = user;
    if (!costs) {
        snprintf(out, size, "%s", together->why[0] != '\0' ? together->why : together->news);
        return;
    }
    sett_session_stats stats;
    sett_session_stats_get(together->session, &stats);
    uint32_t ping = 0;
    for (uint32_t p = 0; p < together->desc.players; ++p) {
        ping = stats.ping_us[p] > ping ? stats.ping_us[p] : ping;
    }
    snprintf(out, size, "ping %lu ms   %.2f ticks played again for each, %lu at most   %lu waits",
             (unsigned long)ping / 1000,
             stats.frame != 0 ? (double)stats.replayed / (double)stats.frame : 0.0,
             (unsigned long)stats.deepest, (unsigned long)stats.waits);
}

SessionOthers together_others(Together* together)
{
    return (SessionOthers){together_tick, together_tell, together};
}

/* history.c: see history.h.
 *
 * Observers report what changes; which system it was is known at the end of its step, when the
 * events since the step before get its name. Only after a request: observers cost each change
 * some nanoseconds, and watched systems run one after another.
 */
#include "history.h"

#include <stdlib.h>
#include <string.h>

static void history_add(history* of, history_kind kind, sett_entity entity,
                        sett_component component)
{
    if (of->listens && !sett_world_is_replaying(of->world)) {
        of->events[of->count++ % HISTORY_EVENTS] =
            (history_event){of->frame, kind, false, NULL, entity, component};
    }
}

static void history_enter(sett_world* world, sett_entity entity, void* user)
{
    (void)world;
    history_add(((history_watcher*)user)->of, HISTORY_CREATED, entity, 0);
}

static void history_exit(sett_world* world, sett_entity entity, void* user)
{
    (void)world;
    history_add(((history_watcher*)user)->of, HISTORY_DESTROYED, entity, 0);
}

static void history_on_add(sett_world* world, sett_entity entity, void* value, void* user)
{
    const history_watcher* watcher = user;
    (void)world;
    (void)value;
    history_add(watcher->of, HISTORY_ADDED, entity, watcher->component);
}

static void history_on_remove(sett_world* world, sett_entity entity, void* value, void* user)
{
    const history_watcher* watcher = user;
    (void)world;
    (void)value;
    history_add(watcher->of, HISTORY_REMOVED, entity, watcher->component);
}

static void history_step(sett_world* world, sett_system* system, bool commands, void* user)
{
    history* of = user;
    (void)world;
    if (of->count - of->unknown > HISTORY_EVENTS) {
        of->unknown = of->count - HISTORY_EVENTS;
    }
    for (; of->unknown < of->count; of->unknown++) {
        history_event* event = &of->events[of->unknown % HISTORY_EVENTS];
        event->system = system;
        event->commands = commands;
    }
}

void setti_history_watch(history* of)
{
    (void)sett_schedule_watch(of->world, of->listens ? history_step : NULL, of);
}

static void history_observe(history* of, history_watcher* watcher, sett_component component)
{
    sett_observer_desc desc = {.name = "inspector", .component = component, .user = watcher};
    if (component == 0) {
        desc.on_enter = history_enter;
        desc.on_exit = history_exit;
    } else {
        desc.on_add = history_on_add;
        desc.on_remove = history_on_remove;
    }
    *watcher = (history_watcher){of, component, sett_observer_create(of->world, &desc)};
}

static bool history_begin(history* of)
{
    sett_stats stats;
    sett_world_stats(of->world, &stats);
    of->events = of->events != NULL ? of->events : calloc(HISTORY_EVENTS, sizeof(*of->events));
    of->watchers = calloc(stats.components + 1, sizeof(*of->watchers));
    if (of->events == NULL || of->watchers == NULL) {
        return false;
    }
    history_observe(of, &of->watchers[of->watcher_count++], 0);
    uint32_t left = stats.components;
    for (sett_component id = 1; left != 0 && id < 1u << 20; id++) {
        if (sett_component_name(of->world, id) != NULL) {
            history_observe(of, &of->watchers[of->watcher_count++], id);
            left--;
        }
    }
    of->listens = true;
    of->unknown = of->count;
    setti_history_watch(of);
    return true;
}

static void history_stop(history* of)
{
    for (uint32_t k = 0; k < of->watcher_count; k++) {
        (void)sett_observer_destroy(of->watchers[k].observer);
    }
    free(of->watchers);
    of->watchers = NULL;
    of->watcher_count = 0;
    if (of->listens) {
        of->listens = false;
        setti_history_watch(of);
    }
}

bool setti_history_ask(history* of, sett_world* world, uint64_t frame)
{
    of->world = world;
    of->asked = frame;
    of->frame = frame;
    return of->listens || history_begin(of);
}

void setti_history_frame(history* of, uint64_t frame)
{
    of->frame = frame;
    of->unknown = of->count; /* what is left was done outside of systems */
    if (of->listens && frame > of->asked + HISTORY_PATIENCE) {
        history_stop(of);
    }
}

void setti_history_end(history* of)
{
    history_stop(of);
    free(of->events);
    of->events = NULL;
}

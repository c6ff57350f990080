/* history.h: the last changes of structure, with the system that made them. */
#ifndef INSPECTOR_HISTORY_H
#define INSPECTOR_HISTORY_H

#include "sett_inspector.h"

#define HISTORY_EVENTS 1024  /* that are held */
#define HISTORY_PATIENCE 600 /* frames without a request, until it stops to listen */

typedef enum history_kind {
    HISTORY_CREATED,
    HISTORY_DESTROYED,
    HISTORY_ADDED,
    HISTORY_REMOVED,
} history_kind;

typedef struct history_event {
    uint64_t frame; /* that was running, or had ended */
    history_kind kind;
    bool commands;             /* what the system recorded did it */
    const sett_system* system; /* NULL: outside of systems */
    sett_entity entity;
    sett_component component;
} history_event;

struct history;

/* What an observer of a component needs. */
typedef struct history_watcher {
    struct history* of;
    sett_component component;
    sett_observer* observer;
} history_watcher;

typedef struct history {
    sett_world* world;
    history_event* events; /* of HISTORY_EVENTS, a ring */
    uint64_t count;        /* ever */
    uint64_t unknown;      /* from here on the system is not known yet */
    uint64_t frame;
    uint64_t asked; /* the frame of the last request */
    history_watcher* watchers;
    uint32_t watcher_count;
    bool listens;
} history;

/* A request: listens from now on. False if memory runs out. */
bool setti_history_ask(history* of, sett_world* world, uint64_t frame);

/* A frame has ended; the next one has this number. */
void setti_history_frame(history* of, uint64_t frame);

/* Watches steps again, after another caller did. */
void setti_history_watch(history* of);
void setti_history_end(history* of);

#endif

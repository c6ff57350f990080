/* request.h: what the files that answer requests share. */
#ifndef INSPECTOR_REQUEST_H
#define INSPECTOR_REQUEST_H

#include "inspector.h"

#define REQUEST_PATH 1100  /* bytes of a path or a name */
#define REQUEST_REPORT 400 /* of what a page reports */

/* A request that is being answered. */
typedef struct request {
    sett_inspector* inspector;
    sett_world* world;
    json body;
    inspector_text* out; /* behind {"ok":true, */
} request;

/* Answers why not; both return false then. */
bool setti_request_fail(request* of, const char* why);
bool setti_request_check(request* of, bool done); /* with the world's message */

/* Read a member of the body, or fail. */
bool setti_request_entity(request* of, const char* key, sett_entity* out);
bool setti_request_component(request* of, const char* key, sett_component* out);
bool setti_request_number(request* of, const char* key, uint64_t otherwise, uint64_t* out);

/* An edit was made: a step of the history, of this name and of what the body names. */
void setti_edits_take(request* of, const char* what);

bool setti_request_do_undo(request* of);
bool setti_request_do_redo(request* of);
bool setti_request_do_restore(request* of);
bool setti_request_do_branches(request* of);
bool setti_request_do_writer(request* of);
bool setti_request_do_break(request* of);
bool setti_request_do_systems(request* of);
bool setti_request_do_enable(request* of);
bool setti_request_do_storage(request* of);
bool setti_request_do_explain(request* of);
bool setti_request_do_advice(request* of);
bool setti_request_do_try(request* of);
bool setti_request_do_apply(request* of);
bool setti_request_do_live(request* of);
bool setti_request_do_log(request* of);
bool setti_request_do_scene(request* of);
bool setti_request_do_alarm(request* of);
bool setti_request_do_alarms(request* of);
bool setti_request_do_trend(request* of);

#endif

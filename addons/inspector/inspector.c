/* inspector.c: see sett_inspector.h.
 *
 *     sett_inspector_frame | frame | sett_inspector_frame | frame | ...
 *      answers, sends              answers, sends
 *
 * Everything that touches the world happens in these calls, on the thread of the program. The
 * server's threads only queue, and that of the feed has a copy (feed.c).
 */
#include "inspector.h"
#include "../argument.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define INSPECTOR_BUDGET 300000u    /* nanoseconds a frame, for requests */
#define INSPECTOR_TIMES 16          /* frames between two records of times */
#define INSPECTOR_LIMIT 5           /* milliseconds for a question */
#define INSPECTOR_WARNINGS 100      /* lines of the log */
#define INSPECTOR_RETRY 1000000000u /* nanoseconds until a stream that failed is begun again */

uint64_t setti_inspector_now(void)
{
    struct timespec now;
    (void)timespec_get(&now, TIME_UTC);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

inspector_limit setti_inspector_limit(const sett_inspector* inspector)
{
    uint32_t limit = inspector->desc.answer_limit;
    uint64_t time = limit != 0 ? limit : INSPECTOR_LIMIT;
    return (inspector_limit){setti_inspector_now() + time * 1000000u, false};
}

bool setti_inspector_is_late(void* limit)
{
    inspector_limit* of = limit;
    of->passed = of->passed || setti_inspector_now() > of->end;
    return of->passed;
}

void setti_inspector_warn(sett_inspector* inspector, const char* what)
{
    inspector_text* out = &inspector->scratch;
    inspector_text* last = &inspector->warned;
    setti_out_clear(out);
    setti_out_quote(out, what);
    bool same = last->size == out->size && last->size != 0 && !out->failed &&
                memcmp(last->at, out->at, out->size) == 0;
    if (same || out->failed || inspector->warnings == INSPECTOR_WARNINGS) {
        return;
    }
    inspector->warnings++;
    setti_out_clear(last);
    setti_out_add(last, out->at, out->size);
    setti_out_clear(out);
    setti_out_format(out, "inspector: %s", last->at != NULL ? last->at : "");
    sett_world_log(inspector->world, SETT_LOG_WARNING, out->at);
}

/* What a page shall show too. */
static void inspector_put_problem(sett_inspector* inspector, const char* what)
{
    setti_out_clear(&inspector->problem);
    setti_out_quote(&inspector->problem, what);
    setti_inspector_warn(inspector, what);
}

/* Where a message goes: on the thread of the program, or, to the server alone, on that of the
 * feed. */
static void inspector_send(void* user, const void* bytes, size_t size, bool is_text, bool begins)
{
    sett_inspector* inspector = user;
    if (inspector->send != NULL) {
        inspector->send(inspector->send_user, bytes, size, is_text);
    }
    if (inspector->server != NULL) {
        setti_server_send(inspector->server, bytes, size, is_text, begins);
    }
}

/* Takes what came of the last job of the feed; `wait`s for it. False: it is not done. A world that
 * cannot be written down is tried again a second later. */
static bool inspector_settle_feed(sett_inspector* inspector, bool wait)
{
    feed* from = &inspector->feed;
    if (!setti_feed_is_idle(from, wait)) {
        return false;
    }
    feed_result* result = &from->result;
    if (result->there && result->failed) {
        from->follows = false;
        inspector->retry = setti_inspector_now() + INSPECTOR_RETRY;
        inspector_put_problem(inspector, result->message);
    } else if (result->there) {
        if (from->job.begins) {
            inspector->retry = 0;
            setti_out_clear(&inspector->problem);
        }
        if (result->hashed && from->job.noted) {
            setti_past_note_hash(&inspector->past, from->job.frame, from->job.branch, result->hash);
        }
    }
    result->there = false;
    return true;
}

static bool inspector_open_server(sett_inspector* inspector)
{
    const char* why = NULL;
    const server_desc desc = {.port = inspector->desc.port,
                              .allow_remote = inspector->desc.allow_remote,
                              .static_folder = inspector->desc.static_folder};
    if (inspector->desc.no_server) {
        return true;
    }
    inspector->server = setti_server_open(&desc, &why);
    if (inspector->server == NULL) {
        fprintf(stderr, "sett_inspector_open: %s\n", why);
        return false;
    }
    if (!inspector->desc.quiet) {
        printf("inspector: open %s\n", setti_server_address(inspector->server));
        fflush(stdout);
    }
    return true;
}

sett_inspector* sett_inspector_open_sized(sett_world* world, const sett_inspector_desc* desc,
                                          size_t size)
{
    sett_inspector* inspector = !ARGUMENT_IS_NULL(world) ? calloc(1, sizeof(*inspector)) : NULL;
    if (inspector == NULL) {
        return NULL;
    }
    if (desc != NULL) {
        memcpy(&inspector->desc, desc,
               size < sizeof(inspector->desc) ? size : sizeof(inspector->desc));
    }
    inspector->world = world;
    setti_feed_init(&inspector->feed, world, inspector_send, inspector);
    inspector->running = !inspector->desc.paused;
    setti_inspector_look(inspector);
    setti_out_quote(&inspector->title,
                    inspector->desc.title != NULL ? inspector->desc.title : "Sett");
    if (inspector->title.failed || !setti_past_init(&inspector->past, world, &inspector->desc) ||
        !inspector_open_server(inspector)) {
        sett_inspector_close(inspector);
        return NULL;
    }
    return inspector;
}

void sett_inspector_close(sett_inspector* inspector)
{
    if (inspector == NULL) {
        return;
    }
    setti_feed_deinit(&inspector->feed); /* first: its thread sends */
    setti_server_close(inspector->server);
    (void)sett_search_destroy(inspector->condition);
    setti_edits_clear(inspector);
    setti_history_end(&inspector->history);
    setti_past_deinit(&inspector->past);
    setti_alarm_free(inspector);
    setti_scene_free(inspector);
    free(inspector->advice);
    setti_out_free(&inspector->title);
    setti_out_free(&inspector->answer);
    setti_out_free(&inspector->scratch);
    setti_out_free(&inspector->status);
    setti_out_free(&inspector->problem);
    setti_out_free(&inspector->warned);
    free(inspector);
}

const char* sett_inspector_address(const sett_inspector* inspector)
{
    return !ARGUMENT_IS_NULL(inspector) && inspector->server != NULL
               ? setti_server_address(inspector->server)
               : "";
}

const char* sett_inspector_request(sett_inspector* inspector, const char* body, size_t size,
                                   size_t* answer_size)
{
    if (ARGUMENT_IS_NULL(inspector) || (size != 0 && ARGUMENT_IS_NULL(body))) {
        if (answer_size != NULL) {
            *answer_size = 0;
        }
        return "";
    }
    inspector_settle_feed(inspector, true);
    setti_out_clear(&inspector->answer);
    setti_request_answer(inspector, body, size, &inspector->answer);
    if (answer_size != NULL) {
        *answer_size = inspector->answer.failed ? 0 : inspector->answer.size;
    }
    return inspector->answer.failed || inspector->answer.at == NULL ? "" : inspector->answer.at;
}

void sett_inspector_stream(sett_inspector* inspector, sett_inspector_send_fn send, void* user)
{
    if (ARGUMENT_IS_NULL(inspector)) {
        return;
    }
    inspector->send = send;
    inspector->send_user = user;
    inspector->send_begins = send != NULL;
}

static void inspector_answer(void* user, server_request* request)
{
    sett_inspector* inspector = user;
    inspector_settle_feed(inspector, true);
    inspector->watched = inspector->frame + 1;
    if (inspector->past.count == 0) {
        (void)setti_past_take(&inspector->past, inspector->frame, false);
    }
    if (strcmp(request->path, "request") == 0) {
        setti_request_answer(inspector, request->body, request->size, &request->answer);
    } else {
        setti_explorer_answer(inspector, request);
    }
}

/* The status, where it is another one than was sent last, or `anew`; empty: nothing to send. */
static void inspector_put_status(sett_inspector* inspector, inspector_text* to, bool anew)
{
    inspector_text* out = &inspector->scratch;
    setti_out_clear(to);
    setti_out_clear(out);
    setti_out_add(out, "{\"status\":{", 11);
    setti_request_status(inspector, out);
    setti_out_add(out, "}}", 2);
    bool same = out->size == inspector->status.size && inspector->status.at != NULL &&
                memcmp(out->at, inspector->status.at, out->size) == 0;
    if (!out->failed && (anew || !same)) {
        setti_out_add(to, out->at, out->size);
        setti_out_clear(&inspector->status);
        setti_out_add(&inspector->status, out->at, out->size);
    }
}

static bool inspector_listened(const sett_inspector* inspector)
{
    return inspector->send != NULL ||
           (inspector->server != NULL && setti_server_listened(inspector->server));
}

/* Whether a page has come that has got nothing. */
static bool inspector_is_joined(const sett_inspector* inspector)
{
    return inspector->server != NULL && setti_server_wants_begin(inspector->server);
}

/* Whether the past is stored: with a server, only while a page is there, or was shortly before. */
static bool inspector_is_watched(sett_inspector* inspector)
{
    uint64_t patience = (uint64_t)PAST_PATIENCE * inspector->past.rate;
    if (inspector->server == NULL || inspector->condition != NULL ||
        inspector_listened(inspector)) {
        inspector->watched = inspector->frame + 1;
    }
    return inspector->watched != 0 && inspector->frame < inspector->watched + patience;
}

/* What the feed has to do now. */
static void inspector_plan_feed(sett_inspector* inspector, bool joins)
{
    feed* from = &inspector->feed;
    feed_job* job = &from->job;
    bool waits = setti_inspector_now() < inspector->retry;
    bool jumped = inspector->jumped;
    job->frame = inspector->frame;
    job->begins = (!from->follows || jumped || joins) && !waits;
    job->changed = from->follows && (inspector->played || inspector->edited);
    job->branch = inspector->past.branch;
    job->noted = !jumped && inspector->past.count != 0;
    setti_out_clear(&job->records);
    if (job->begins) {
        inspector->logged = inspector->history.count;
    }
    if (job->begins ||
        (job->changed && inspector->played && inspector->frame % INSPECTOR_TIMES == 0)) {
        setti_feed_times(from, inspector->frame);
    }
    setti_feed_log(from, &inspector->history, &inspector->logged);
    inspector_put_status(inspector, &job->status, job->begins || joins);
    job->status_begins = !from->follows && !job->begins;
}

/* Sends what has changed. */
static void inspector_feed(sett_inspector* inspector)
{
    feed* from = &inspector->feed;
    if (!inspector_listened(inspector)) {
        setti_feed_end(from);
        inspector->played = false;
        inspector->edited = false;
        inspector->jumped = false; /* it begins anew in any case */
        return;
    }
    bool must = inspector->played || inspector->edited || inspector->jumped;
    if (!inspector_settle_feed(inspector, must)) {
        return; /* and there is nothing new but a status, which comes later */
    }
    sett_failure failure = {SETT_OK, ""};
    bool aside = inspector->send == NULL;
    inspector_plan_feed(inspector, inspector->send_begins || inspector_is_joined(inspector));
    inspector->send_begins = false;
    inspector->played = false;
    inspector->edited = false;
    inspector->jumped = false;
    if (from->job.begins || from->job.changed || from->job.records.size != 0 ||
        from->job.status.size != 0) {
        sett_world_swap_failure(inspector->world, &failure);
        setti_feed_work(from, aside);
        sett_world_swap_failure(inspector->world, &failure);
    }
    if (!from->started &&
        inspector_settle_feed(inspector, true)) { /* what failed is said at once */
        inspector_put_status(inspector, &from->job.status, false);
        if (from->job.status.size != 0) {
            inspector_send(inspector, from->job.status.at, from->job.status.size, true,
                           !from->follows);
        }
    }
}

/* Whether the condition is true now. */
bool setti_inspector_holds(sett_inspector* inspector)
{
    sett_rows rows;
    bool holds = false;
    if (inspector->condition == NULL) {
        return false;
    }
    inspector_limit limit = setti_inspector_limit(inspector);
    (void)sett_search_limit(inspector->condition, setti_inspector_is_late, &limit);
    if (sett_search_begin(inspector->condition, &rows) != NULL) {
        holds = sett_rows_next(&rows);
        sett_search_end(&rows);
    }
    if (limit.passed && !holds) {
        inspector_put_problem(inspector,
                              "the condition to break at takes too long: it was removed");
        (void)sett_search_destroy(inspector->condition);
        inspector->condition = NULL;
    }
    return holds;
}

/* A frame has run. */
static void inspector_end_frame(sett_inspector* inspector)
{
    setti_edits_clear(inspector);
    (void)setti_past_fork(&inspector->past, inspector->frame); /* it ran, asked for or not */
    inspector->frame++;
    inspector->played = true;
    setti_history_frame(&inspector->history, inspector->frame);
    if (inspector->steps != 0 && --inspector->steps == 0) {
        inspector->running = false;
    }
    bool holds = setti_inspector_holds(inspector);
    if (holds && !inspector->was_true) {
        inspector->running = false;
        inspector->steps = 0;
        inspector->broke = inspector->frame;
    }
    inspector->was_true = holds;
    setti_alarm_frame(inspector);
    past_branch* branch = &inspector->past.branches[inspector->past.branch];
    branch->to = inspector->frame > branch->to ? inspector->frame : branch->to;
    if (inspector_is_watched(inspector) &&
        (setti_past_wants(&inspector->past, inspector->frame) || !inspector->running)) {
        (void)setti_past_take(&inspector->past, inspector->frame, false);
    }
}

void setti_inspector_look(sett_inspector* inspector)
{
    inspector->ran = sett_world_frame(inspector->world);
    inspector->tick = sett_world_tick(inspector->world);
}

/* A program counts frames by sett_progress, which it calls or not (a menu is open), whatever it was
 * asked for. One that has never called it may run its frames otherwise: then a frame that it was
 * asked for has run if the world's tick moved on, or if there are no systems. */
void setti_inspector_settle(sett_inspector* inspector, bool ends)
{
    sett_world* world = inspector->world;
    bool ran = sett_world_frame(world) != inspector->ran;
    inspector->progresses = inspector->progresses || ran;
    if (!inspector->progresses && inspector->asked && ends) {
        ran = sett_world_tick(world) != inspector->tick || sett_system_next(world, NULL) == NULL;
    }
    if (ran) {
        inspector->asked = false;
        setti_inspector_look(inspector);
        inspector_end_frame(inspector);
    }
}

inspector_edit setti_inspector_before_edit(sett_inspector* inspector)
{
    past* of = &inspector->past;
    const inspector_edit edit = {of->branch, inspector->edited, inspector->changed};
    const past_node* last = of->count != 0 ? &of->nodes[of->count - 1] : NULL;
    (void)setti_past_fork(of, inspector->frame);
    if (!inspector->changed &&
        (last == NULL || last->frame != inspector->frame || last->branch != of->branch)) {
        (void)setti_past_take(of, inspector->frame, false);
    }
    inspector->edited = true;
    inspector->changed = true;
    return edit;
}

void setti_inspector_cancel_edit(sett_inspector* inspector, inspector_edit edit)
{
    setti_past_unfork(&inspector->past, edit.branch);
    inspector->edited = edit.edited;
    inspector->changed = edit.changed;
}

uint32_t sett_inspector_frame(sett_inspector* inspector)
{
    if (inspector == NULL) {
        return 1;
    }
    setti_inspector_settle(inspector, true);
    if (inspector->past.count == 0 && inspector_is_watched(inspector)) {
        (void)setti_past_take(&inspector->past, inspector->frame, false);
    }
    if (inspector->server != NULL) {
        setti_server_poll(inspector->server, INSPECTOR_BUDGET, inspector_answer, inspector);
    }
    inspector_feed(inspector);
    if (inspector->changed) {
        (void)setti_past_take(&inspector->past, inspector->frame, true);
        inspector->changed = false;
    }
    if (inspector->running) {
        (void)setti_past_fork(&inspector->past, inspector->frame);
    }
    if (!inspector_is_watched(inspector)) {
        setti_past_clear(&inspector->past); /* so that the program's writes copy no page */
    } else if (inspector->running) {
        setti_past_note_input(&inspector->past, inspector->frame);
    }
    inspector->alarms.last =
        inspector->running ? inspector->alarms.last : 0; /* no frame is that long */
    setti_inspector_look(inspector);
    inspector->asked = inspector->running;
    return inspector->running ? 1 : 0;
}

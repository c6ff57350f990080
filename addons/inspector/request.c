/* request.c: what a page asks, and what a program answers: protocol.md.
 *
 * The bytes come from outside: a body is checked as a whole before anything is read from it, and
 * what it names is looked up by functions that reject what is not there.
 */
#include "request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------------------------------- failing */

bool setti_request_fail(request* of, const char* why)
{
    setti_out_clear(of->out);
    setti_out_add(of->out, "{\"ok\":false,\"error\":", 20);
    setti_out_quote(of->out, why);
    setti_out_add(of->out, "}", 1);
    return false;
}

bool setti_request_check(request* of, bool done)
{
    return done || setti_request_fail(of, sett_world_message(of->world));
}

/* -------------------------------------------------------------------------------------- reading */

/* "#index:generation", or a path. */
static sett_entity request_handle(const sett_world* world, const char* name)
{
    unsigned long index = 0;
    unsigned long generation = 0;
    char* end = NULL;
    if (name[0] != '#') {
        return sett_name_lookup(world, sett_null(), name);
    }
    index = strtoul(name + 1, &end, 10);
    if (*end == ':') {
        generation = strtoul(end + 1, &end, 10);
    }
    const sett_entity entity = {(uint32_t)index, (uint32_t)generation};
    bool good = *end == '\0' && index <= UINT32_MAX && generation <= UINT32_MAX;
    return good && sett_entity_valid(world, entity) ? entity : sett_null();
}

/* A living entity that a member names. */
bool setti_request_entity(request* of, const char* key, sett_entity* out)
{
    char name[REQUEST_PATH];
    if (!setti_body_string(setti_body_find(of->body, key), name, sizeof(name))) {
        return setti_request_fail(of,
                                  "an entity is missing - send \"#index:generation\" or a path");
    }
    *out = request_handle(of->world, name);
    return !sett_is_null(*out) || setti_request_fail(of, "the entity is not alive");
}

bool setti_request_component(request* of, const char* key, sett_component* out)
{
    char name[REQUEST_PATH];
    if (!setti_body_string(setti_body_find(of->body, key), name, sizeof(name))) {
        return setti_request_fail(of, "a component is missing - send its name");
    }
    *out = sett_component_find(of->world, name);
    return *out != 0 || setti_request_fail(of, "no component has this name - send another name");
}

bool setti_request_number(request* of, const char* key, uint64_t otherwise, uint64_t* out)
{
    json value = setti_body_find(of->body, key);
    *out = otherwise;
    return value.size == 0 || setti_body_number(value, out) ||
           setti_request_fail(of, "a frame, branch or index is not a number - send a number");
}

static void request_put_entity(inspector_text* out, const char* key, sett_entity entity)
{
    setti_out_key(out, key);
    setti_out_format(out, "\"#%u:%u\"", (unsigned)entity.index, (unsigned)entity.generation);
}

/* -------------------------------------------------------------------------------------- answers */

void setti_request_status(const sett_inspector* inspector, inspector_text* out)
{
    const past* times = &inspector->past;
    setti_out_format(out, "\"frame\":%llu,\"running\":%s,\"oldest\":%llu,\"newest\":%llu",
                     (unsigned long long)inspector->frame, inspector->running ? "true" : "false",
                     (unsigned long long)setti_past_oldest(times, inspector->frame),
                     (unsigned long long)setti_past_newest(times, inspector->frame));
    setti_out_format(out, ",\"world_frame\":%llu,\"branch\":%u",
                     (unsigned long long)sett_world_frame(inspector->world),
                     (unsigned)times->branch);
    if (inspector->broke != 0) {
        setti_out_format(out, ",\"broke\":%llu", (unsigned long long)inspector->broke);
    }
    setti_out_key(out, "title");
    setti_out_add(out, inspector->title.at, inspector->title.size);
    setti_edits_put(inspector, out);
    if (inspector->problem.size != 0) {
        setti_out_key(out, "problem");
        setti_out_add(out, inspector->problem.at, inspector->problem.size);
    }
}

static bool request_do_status(request* of)
{
    const sett_inspector_desc* desc = &of->inspector->desc;
    sett_stats stats;
    sett_world_stats(of->world, &stats);
    uint32_t systems = 0;
    for (const sett_system* at = sett_system_next(of->world, NULL); at != NULL;
         at = sett_system_next(of->world, at)) {
        systems++;
    }
    setti_request_status(of->inspector, of->out);
    setti_out_format(of->out,
                     ",\"entities\":%u,\"components\":%u,\"systems\":%u,\"supports\":{"
                     "\"run_frame\":%s,\"inputs\":%s}",
                     (unsigned)stats.entities, (unsigned)stats.components, (unsigned)systems,
                     desc->run_frame != NULL ? "true" : "false",
                     desc->input_get != NULL ? "true" : "false");
    return true;
}

static bool request_do_pause(request* of)
{
    of->inspector->running = false;
    of->inspector->steps = 0;
    return true;
}

static bool request_do_run(request* of)
{
    of->inspector->running = true;
    of->inspector->steps = 0;
    of->inspector->broke = 0;
    return true;
}

static bool request_do_step(request* of)
{
    uint64_t frames = 1;
    json value = setti_body_find(of->body, "frames");
    if (value.size != 0 && (!setti_body_number(value, &frames) || frames == 0 || frames > 100000)) {
        return setti_request_fail(
            of, "`frames` is not a number from 1 to 100,000 - send such a number");
    }
    of->inspector->running = true;
    of->inspector->steps = frames;
    return true;
}

static bool request_do_set(request* of)
{
    sett_entity entity;
    sett_component component;
    json value = setti_body_find(of->body, "value");
    if (!setti_request_entity(of, "entity", &entity) ||
        !setti_request_component(of, "component", &component)) {
        return false;
    }
    if (value.size == 0) {
        return setti_request_fail(of, "a value is missing - send `value`");
    }
    return setti_request_check(
        of, sett_json_set(of->world, entity, component, value.at, value.size) == SETT_OK);
}

static bool request_do_add(request* of)
{
    sett_entity entity;
    sett_component component;
    return setti_request_entity(of, "entity", &entity) &&
           setti_request_component(of, "component", &component) &&
           setti_request_check(of, sett_add(of->world, entity, component) != NULL);
}

static bool request_do_remove(request* of)
{
    sett_entity entity;
    sett_component component;
    if (!setti_request_entity(of, "entity", &entity) ||
        !setti_request_component(of, "component", &component)) {
        return false;
    }
    sett_status status = sett_remove(of->world, entity, component);
    return status == SETT_STATUS_ABSENT
               ? setti_request_fail(of, "the entity does not have the component")
               : setti_request_check(of, status == SETT_OK);
}

static bool request_do_destroy(request* of)
{
    sett_entity entity;
    return setti_request_entity(of, "entity", &entity) &&
           setti_request_check(of, sett_entity_destroy(of->world, entity) == SETT_OK);
}

static bool request_do_instantiate(request* of)
{
    char name[REQUEST_PATH];
    sett_instantiate_desc desc = {.name = NULL};
    json named = setti_body_find(of->body, "name");
    if (!setti_request_entity(of, "prefab", &desc.prefab) ||
        (setti_body_find(of->body, "parent").size != 0 &&
         !setti_request_entity(of, "parent", &desc.parent))) {
        return false;
    }
    if (named.size != 0) {
        if (!setti_body_string(named, name, sizeof(name))) {
            return setti_request_fail(of, "`name` is not a text - send a text");
        }
        desc.name = name;
    }
    sett_entity entity = sett_instantiate_with(of->world, &desc);
    if (!setti_request_check(of, !sett_is_null(entity))) {
        return false;
    }
    request_put_entity(of->out, "entity", entity);
    return true;
}

/* What the page's replica rejects: the program's log shall say it too. */
static bool request_do_report(request* of)
{
    char text[REQUEST_REPORT];
    if (!setti_body_string(setti_body_find(of->body, "text"), text, sizeof(text))) {
        return setti_request_fail(of, "`text` is missing, or longer than 400 bytes - shorten it");
    }
    setti_inspector_warn(of->inspector, text);
    return true;
}

/* ------------------------------------------------------------------------------------ the whole */

typedef struct request_kind {
    const char* name;
    bool (*answer)(request* of);
    bool edits; /* the world */
    bool steps; /* and can be undone */
} request_kind;

static const request_kind request_kinds[] = {
    {"status", request_do_status, false, false},
    {"pause", request_do_pause, false, false},
    {"run", request_do_run, false, false},
    {"step", request_do_step, false, false},
    {"set", request_do_set, true, true},
    {"add", request_do_add, true, true},
    {"remove", request_do_remove, true, true},
    {"destroy", request_do_destroy, true, true},
    {"instantiate", request_do_instantiate, true, true},
    {"undo", setti_request_do_undo, true, false},
    {"redo", setti_request_do_redo, true, false},
    {"restore", setti_request_do_restore, false, false},
    {"branches", setti_request_do_branches, false, false},
    {"writer", setti_request_do_writer, false, false},
    {"break", setti_request_do_break, false, false},
    {"systems", setti_request_do_systems, false, false},
    {"enable", setti_request_do_enable, true, false},
    {"storage", setti_request_do_storage, false, false},
    {"explain", setti_request_do_explain, false, false},
    {"advice", setti_request_do_advice, false, false},
    {"try", setti_request_do_try, false, false},
    {"apply", setti_request_do_apply, false, false},
    {"live", setti_request_do_live, false, false},
    {"log", setti_request_do_log, false, false},
    {"scene", setti_request_do_scene, false, false},
    {"alarm", setti_request_do_alarm, false, false},
    {"alarms", setti_request_do_alarms, false, false},
    {"trend", setti_request_do_trend, false, false},
    {"report", request_do_report, false, false},
};

static const request_kind* request_find(const char* name)
{
    for (size_t k = 0; k < sizeof(request_kinds) / sizeof(request_kinds[0]); k++) {
        if (strcmp(request_kinds[k].name, name) == 0) {
            return &request_kinds[k];
        }
    }
    return NULL;
}

static void request_fail_unknown(inspector_text* out)
{
    setti_out_format(out, "{\"ok\":false,\"error\":\"there is no such request; there are");
    for (size_t k = 0; k < sizeof(request_kinds) / sizeof(request_kinds[0]); k++) {
        setti_out_format(out, "%s %s", k != 0 ? "," : "", request_kinds[k].name);
    }
    setti_out_add(out, "\"}", 2);
}

static void request_answer_body(sett_inspector* inspector, const char* body, size_t size,
                                inspector_text* out)
{
    char name[32];
    request of = {inspector, inspector->world, {NULL, 0}, out};
    if (size > (size_t)1 << 20 || !setti_body_check(body, size, &of.body) || *of.body.at != '{') {
        (void)setti_request_fail(
            &of, "the body is not a JSON object of at most 1 MB - send such an object");
        return;
    }
    if (!setti_body_string(setti_body_find(of.body, "do"), name, sizeof(name))) {
        (void)setti_request_fail(&of, "`do` is missing - send what to do");
        return;
    }
    const request_kind* kind = request_find(name);
    if (kind == NULL) {
        request_fail_unknown(out);
        return;
    }
    setti_out_add(out, "{\"ok\":true", 10);
    size_t empty = out->size;
    setti_out_add(out, ",", 1);
    inspector_edit edit = {inspector->past.branch, inspector->edited, inspector->changed};
    if (kind->steps) {
        setti_edits_begin(inspector);
    }
    if (kind->edits) {
        edit = setti_inspector_before_edit(inspector);
    }
    bool done = kind->answer(&of);
    if (!done && kind->edits) {
        setti_inspector_cancel_edit(inspector, edit);
    }
    if (done && kind->steps) {
        setti_edits_take(&of, kind->name);
    }
    if (done) {
        if (out->size == empty + 1) {
            out->size = empty; /* nothing follows the comma */
        }
        setti_out_add(out, "}", 1);
    }
}

void setti_request_answer(sett_inspector* inspector, const char* body, size_t size,
                          inspector_text* out)
{
    sett_failure failure = {SETT_OK, ""};
    sett_world_swap_failure(inspector->world, &failure);
    setti_inspector_settle(inspector, false);
    uint64_t tick = inspector->tick;
    bool moved = inspector->asked && sett_world_tick(inspector->world) != tick;
    request_answer_body(inspector, body, size, out);
    setti_inspector_look(inspector);
    if (moved && inspector->asked) {
        inspector->tick = tick; /* by the program: sett_inspector_frame shall see it */
    }
    sett_world_swap_failure(inspector->world, &failure);
}

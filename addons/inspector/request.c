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

bool request_fail(request* of, const char* why)
{
    text_clear(of->out);
    text_add(of->out, "{\"ok\":false,\"error\":", 20);
    text_quote(of->out, why);
    text_add(of->out, "}", 1);
    return false;
}

bool request_check(request* of, bool done)
{
    return done || request_fail(of, sett_world_message(of->world));
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
bool request_entity(request* of, const char* key, sett_entity* out)
{
    char name[REQUEST_PATH];
    if (!json_string(json_find(of->body, key), name, sizeof(name))) {
        return request_fail(of, "an entity is missing: \"#index:generation\" or a path");
    }
    *out = request_handle(of->world, name);
    return !sett_is_null(*out) || request_fail(of, "the entity is not alive");
}

bool request_component(request* of, const char* key, sett_component* out)
{
    char name[REQUEST_PATH];
    if (!json_string(json_find(of->body, key), name, sizeof(name))) {
        return request_fail(of, "a component is missing: its name");
    }
    *out = sett_component_find(of->world, name);
    return *out != 0 || request_fail(of, "there is no component of this name");
}

bool request_number(request* of, const char* key, uint64_t otherwise, uint64_t* out)
{
    json value = json_find(of->body, key);
    *out = otherwise;
    return value.size == 0 || json_number(value, out) ||
           request_fail(of, "a frame, branch or index is no number");
}

static void request_put_entity(inspector_text* out, const char* key, sett_entity entity)
{
    text_key(out, key);
    text_format(out, "\"#%u:%u\"", (unsigned)entity.index, (unsigned)entity.generation);
}

/* -------------------------------------------------------------------------------------- answers */

void request_status(const sett_inspector* inspector, inspector_text* out)
{
    const past* times = &inspector->past;
    text_format(out, "\"frame\":%llu,\"running\":%s,\"oldest\":%llu,\"newest\":%llu",
                (unsigned long long)inspector->frame, inspector->running ? "true" : "false",
                (unsigned long long)past_oldest(times, inspector->frame),
                (unsigned long long)past_newest(times, inspector->frame));
    text_format(out, ",\"branch\":%u", (unsigned)times->branch);
    if (inspector->broke != 0) {
        text_format(out, ",\"broke\":%llu", (unsigned long long)inspector->broke);
    }
    text_key(out, "title");
    text_add(out, inspector->title.at, inspector->title.size);
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
    request_status(of->inspector, of->out);
    text_format(of->out,
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
    json value = json_find(of->body, "frames");
    if (value.size != 0 && (!json_number(value, &frames) || frames == 0 || frames > 100000)) {
        return request_fail(of, "frames is a number from 1 to 100000");
    }
    of->inspector->running = true;
    of->inspector->steps = frames;
    return true;
}

static bool request_do_set(request* of)
{
    sett_entity entity;
    sett_component component;
    json value = json_find(of->body, "value");
    if (!request_entity(of, "entity", &entity) || !request_component(of, "component", &component)) {
        return false;
    }
    if (value.size == 0) {
        return request_fail(of, "a value is missing");
    }
    return request_check(of, sett_json_set(of->world, entity, component, value.at, value.size) ==
                                 SETT_OK);
}

static bool request_do_add(request* of)
{
    sett_entity entity;
    sett_component component;
    return request_entity(of, "entity", &entity) &&
           request_component(of, "component", &component) &&
           request_check(of, sett_add(of->world, entity, component) != NULL);
}

static bool request_do_remove(request* of)
{
    sett_entity entity;
    sett_component component;
    if (!request_entity(of, "entity", &entity) || !request_component(of, "component", &component)) {
        return false;
    }
    sett_status status = sett_remove(of->world, entity, component);
    return status == SETT_STATUS_ABSENT ? request_fail(of, "the entity does not have the component")
                                        : request_check(of, status == SETT_OK);
}

static bool request_do_destroy(request* of)
{
    sett_entity entity;
    return request_entity(of, "entity", &entity) &&
           request_check(of, sett_entity_destroy(of->world, entity) == SETT_OK);
}

static bool request_do_instantiate(request* of)
{
    char name[REQUEST_PATH];
    sett_instantiate_desc desc = {.name = NULL};
    json named = json_find(of->body, "name");
    if (!request_entity(of, "prefab", &desc.prefab) ||
        (json_find(of->body, "parent").size != 0 && !request_entity(of, "parent", &desc.parent))) {
        return false;
    }
    if (named.size != 0) {
        if (!json_string(named, name, sizeof(name))) {
            return request_fail(of, "name is a text");
        }
        desc.name = name;
    }
    sett_entity entity = sett_instantiate_with(of->world, &desc);
    if (!request_check(of, !sett_is_null(entity))) {
        return false;
    }
    request_put_entity(of->out, "entity", entity);
    return true;
}

/* ------------------------------------------------------------------------------------ the whole */

typedef struct request_kind {
    const char* name;
    bool (*answer)(request* of);
    bool edits; /* the world */
} request_kind;

static const request_kind request_kinds[] = {
    {"status", request_do_status, false},
    {"pause", request_do_pause, false},
    {"run", request_do_run, false},
    {"step", request_do_step, false},
    {"set", request_do_set, true},
    {"add", request_do_add, true},
    {"remove", request_do_remove, true},
    {"destroy", request_do_destroy, true},
    {"instantiate", request_do_instantiate, true},
    {"restore", request_do_restore, false},
    {"branches", request_do_branches, false},
    {"writer", request_do_writer, false},
    {"break", request_do_break, false},
    {"systems", request_do_systems, false},
    {"enable", request_do_enable, true},
    {"storage", request_do_storage, false},
    {"explain", request_do_explain, false},
    {"advice", request_do_advice, false},
    {"try", request_do_try, false},
    {"apply", request_do_apply, false},
    {"live", request_do_live, false},
    {"log", request_do_log, false},
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

static void request_answer_body(sett_inspector* inspector, const char* body, size_t size,
                                inspector_text* out)
{
    char name[32];
    request of = {inspector, inspector->world, {NULL, 0}, out};
    if (size > (size_t)1 << 20 || !json_check(body, size, &of.body) || *of.body.at != '{') {
        (void)request_fail(&of, "the body is no JSON object");
        return;
    }
    if (!json_string(json_find(of.body, "do"), name, sizeof(name))) {
        (void)request_fail(&of, "what to do is missing");
        return;
    }
    const request_kind* kind = request_find(name);
    if (kind == NULL) {
        (void)request_fail(&of, "there is no such request");
        return;
    }
    text_add(out, "{\"ok\":true", 10);
    size_t empty = out->size;
    text_add(out, ",", 1);
    inspector_edit edit = {inspector->past.branch, inspector->edited, inspector->changed};
    if (kind->edits) {
        edit = inspector_before_edit(inspector);
    }
    bool done = kind->answer(&of);
    if (!done && kind->edits) {
        inspector_cancel_edit(inspector, edit);
    }
    if (done) {
        if (out->size == empty + 1) {
            out->size = empty; /* nothing follows the comma */
        }
        text_add(out, "}", 1);
    }
}

void request_answer(sett_inspector* inspector, const char* body, size_t size, inspector_text* out)
{
    sett_failure failure = {SETT_OK, ""};
    sett_world_swap_failure(inspector->world, &failure);
    inspector_settle(inspector, false);
    uint64_t tick = inspector->tick;
    bool moved = inspector->asked && sett_world_tick(inspector->world) != tick;
    request_answer_body(inspector, body, size, out);
    inspector_look(inspector);
    if (moved && inspector->asked) {
        inspector->tick = tick; /* by the program: sett_inspector_frame shall see it */
    }
    sett_world_swap_failure(inspector->world, &failure);
}

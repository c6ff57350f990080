/* request_tools.c: requests about systems, storages, plans and advice. */
#include "request.h"

#include <stdlib.h>
#include <string.h>

#define REQUEST_ADVICE 16
#define REQUEST_PROFILE 60 /* frames */

static void request_put_system(request* of, const sett_system* system)
{
    sett_system_stats stats;
    sett_system_stats_get(system, &stats);
    setti_out_comma(of->out);
    setti_out_add(of->out, "{", 1);
    setti_out_key(of->out, "name");
    setti_out_quote(of->out, sett_system_name(system));
    setti_out_format(
        of->out,
        ",\"phase\":%d,\"stage\":%u,\"enabled\":%s,\"runs\":%llu,\"time_last\":%llu,"
        "\"time_total\":%llu,\"matches\":%u,\"jobs\":%u",
        stats.phase, (unsigned)stats.stage, sett_system_is_enabled(system) ? "true" : "false",
        (unsigned long long)stats.runs, (unsigned long long)stats.time_last,
        (unsigned long long)stats.time_total, (unsigned)stats.matches, (unsigned)stats.jobs);
    if (stats.waits_for != NULL) {
        const char* on = sett_component_name(of->world, stats.waits_on);
        setti_out_key(of->out, "waits_for");
        setti_out_quote(of->out, sett_system_name(stats.waits_for));
        setti_out_key(of->out, "waits_on");
        setti_out_quote(of->out, on != NULL ? on : "");
    }
    setti_out_add(of->out, "}", 1);
}

/* A text that the library writes as snprintf does. */
static void request_put_text(request* of, const char* key,
                             size_t (*write)(const sett_world* world, char* out, size_t size))
{
    inspector_text* scratch = &of->inspector->scratch;
    size_t size = write(of->world, NULL, 0);
    setti_out_clear(scratch);
    char* at = setti_out_room(scratch, size);
    if (at != NULL) {
        (void)write(of->world, at, size + 1);
        setti_out_key(of->out, key);
        setti_out_quote(of->out, size != 0 ? at : "");
    }
}

bool setti_request_do_systems(request* of)
{
    setti_out_key(of->out, "systems");
    setti_out_add(of->out, "[", 1);
    for (const sett_system* at = sett_system_next(of->world, NULL); at != NULL;
         at = sett_system_next(of->world, at)) {
        request_put_system(of, at);
    }
    setti_out_add(of->out, "]", 1);
    request_put_text(of, "schedule", sett_schedule_describe);
    request_put_text(of, "access", sett_schedule_suggest);
    return true;
}

bool setti_request_do_enable(request* of)
{
    char name[REQUEST_PATH];
    sett_system* system = setti_body_string(setti_body_find(of->body, "system"), name, sizeof(name))
                              ? sett_system_find(of->world, name)
                              : NULL;
    if (system == NULL) {
        return setti_request_fail(of, "there is no such system");
    }
    sett_system_enable(system, setti_body_true(setti_body_find(of->body, "on")));
    return true;
}

/* Entities with the component by pages of 1,024 indices, as shares of 255; the first pages, if
 * there is no time for all. */
static void request_put_occupancy(request* of, sett_component component)
{
    uint32_t cursor = 0;
    uint32_t page = 0;
    uint32_t count = 0;
    sett_entity entity;
    inspector_limit limit = setti_inspector_limit(of->inspector);
    setti_out_key(of->out, "occupancy");
    setti_out_add(of->out, "[", 1);
    while (entity = sett_entity_next(of->world, &cursor), !sett_is_null(entity)) {
        for (; entity.index / 1024 != page; page++, count = 0) {
            setti_out_comma(of->out);
            setti_out_format(of->out, "%u", (unsigned)(count * 255 / 1024));
            (void)setti_inspector_is_late(&limit);
        }
        if (limit.passed) {
            break;
        }
        count += sett_has(of->world, entity, component);
    }
    setti_out_comma(of->out);
    setti_out_format(of->out, "%u]", (unsigned)(count * 255 / 1024));
}

static void request_put_storage(request* of, sett_component component, bool pages)
{
    static const char* const kinds[] = {"default", "array", "sparse_set"};
    sett_component_desc desc;
    if (sett_component_describe(of->world, component, &desc) != SETT_OK) {
        return;
    }
    uint32_t count = sett_component_count(of->world, component);
    setti_out_comma(of->out);
    setti_out_add(of->out, "{", 1);
    setti_out_key(of->out, "component");
    setti_out_quote(of->out, desc.name);
    setti_out_format(
        of->out, ",\"kind\":\"%s\",\"count\":%u,\"size\":%u,\"bytes\":%llu,\"saved\":%s",
        kinds[desc.storage], (unsigned)count, (unsigned)desc.size,
        (unsigned long long)count * desc.size, desc.save != SETT_SAVE_SKIP ? "true" : "false");
    if (pages) {
        request_put_occupancy(of, component);
    }
    setti_out_add(of->out, "}", 1);
}

bool setti_request_do_storage(request* of)
{
    sett_component component = 0;
    sett_stats stats;
    if (setti_body_find(of->body, "component").size != 0 &&
        !setti_request_component(of, "component", &component)) {
        return false;
    }
    setti_out_key(of->out, "storage");
    setti_out_add(of->out, "[", 1);
    if (component != 0) {
        request_put_storage(of, component, true);
    }
    sett_world_stats(of->world, &stats);
    uint32_t left = component == 0 ? stats.components : 0;
    for (sett_component id = 1; left != 0 && id < 1u << 20; id++) {
        if (sett_component_name(of->world, id) != NULL) {
            request_put_storage(of, id, false);
            left--;
        }
    }
    setti_out_add(of->out, "]", 1);
    return true;
}

bool setti_request_do_explain(request* of)
{
    char query[4096];
    if (!setti_body_string(setti_body_find(of->body, "query"), query, sizeof(query))) {
        return setti_request_fail(of, "`query` is missing - send its text");
    }
    sett_search* search = sett_search_create(of->world, query);
    if (!setti_request_check(of, search != NULL)) {
        return false;
    }
    inspector_text* scratch = &of->inspector->scratch;
    size_t size = sett_search_explain(search, NULL, 0);
    setti_out_clear(scratch);
    char* at = setti_out_room(scratch, size);
    if (at != NULL) {
        (void)sett_search_explain(search, at, size + 1);
        setti_out_key(of->out, "plan");
        setti_out_quote(of->out, at);
    }
    inspector_limit limit = setti_inspector_limit(of->inspector);
    (void)sett_search_limit(search, setti_inspector_is_late, &limit);
    uint64_t count = sett_search_count(search);
    setti_out_format(of->out, ",\"count\":%llu,\"complete\":%s", (unsigned long long)count,
                     limit.passed ? "false" : "true");
    (void)sett_search_destroy(search);
    return true;
}

/* --------------------------------------------------------------------------------------- advice */

static void request_put_advice(request* of)
{
    const sett_inspector* inspector = of->inspector;
    setti_out_key(of->out, "advice");
    setti_out_add(of->out, "[", 1);
    for (uint32_t k = 0; k < inspector->advice_count; k++) {
        const sett_advice* item = &inspector->advice[k];
        setti_out_comma(of->out);
        setti_out_format(of->out, "{\"gain\":%llu,\"cost\":%llu,\"moved\":%llu",
                         (unsigned long long)item->gain_ns, (unsigned long long)item->cost_ns,
                         (unsigned long long)item->moved);
        setti_out_key(of->out, "text");
        setti_out_quote(of->out, item->text);
        setti_out_key(of->out, "line");
        setti_out_quote(of->out, item->code);
        setti_out_add(of->out, "}", 1);
    }
    setti_out_add(of->out, "]", 1);
}

/* The first request begins to profile; when enough frames have run, one gets the advice. */
bool setti_request_do_advice(request* of)
{
    sett_inspector* inspector = of->inspector;
    uint64_t frame = inspector->frame + 1;
    if (inspector->advice == NULL) {
        inspector->advice = calloc(REQUEST_ADVICE, sizeof(*inspector->advice));
    }
    if (inspector->advice == NULL) {
        return setti_request_fail(of, "memory ran out");
    }
    if (inspector->profiled == 0) {
        if (!setti_request_check(of, sett_profile_begin(of->world) == SETT_OK)) {
            return false;
        }
        inspector->profiled = frame;
    }
    bool ends = frame >= inspector->profiled + REQUEST_PROFILE || frame < inspector->profiled;
    if (ends) {
        (void)sett_profile_end(of->world);
        inspector->profiled = 0;
        inspector->advice_count = sett_advise(of->world, inspector->advice, REQUEST_ADVICE);
    }
    setti_out_format(of->out, "\"profiling\":%s", ends ? "false" : "true");
    request_put_advice(of);
    return true;
}

static bool request_advice_at(request* of, sett_advice** out)
{
    uint64_t index;
    if (!setti_request_number(of, "advice", 0, &index)) {
        return false;
    }
    if (index >= of->inspector->advice_count) {
        return setti_request_fail(of, "there is no such advice");
    }
    *out = &of->inspector->advice[index];
    return true;
}

/* The shortest of some loops over what the advice is about, in nanoseconds. */
static uint64_t request_measure(sett_world* world, const sett_advice* item)
{
    sett_query_desc desc = {.name = "inspector"};
    uint64_t best = UINT64_MAX;
    volatile unsigned char sum = 0;
    for (uint32_t k = 0; k < SETT_GROUP_TYPES && item->components[k] != 0; k++) {
        desc.terms[k] = (sett_term){.component = item->components[k], .access = SETT_IN};
    }
    sett_query* query = sett_query_create(world, &desc);
    for (uint32_t round = 0; query != NULL && round < 7; round++) {
        uint64_t begin = setti_inspector_now();
        SETT_FOR(query, b, i) {
            for (uint32_t k = 0; k < b->field_count; k++) {
                const unsigned char* value = b->fields[k] != NULL ? sett_batch_at(b, k, i) : NULL;
                sum = (unsigned char)(sum + (value != NULL ? *value : 0));
            }
        }
        uint64_t time = setti_inspector_now() - begin;
        best = time < best ? time : best;
    }
    (void)sett_query_destroy(query);
    return query != NULL ? best : 0;
}

bool setti_request_do_try(request* of)
{
    sett_advice* item = NULL;
    if (!request_advice_at(of, &item)) {
        return false;
    }
    sett_world* copy = sett_world_create(&(sett_world_desc){.log_fn = sett_log_silent});
    bool done = copy != NULL && sett_world_clone(of->world, copy) == SETT_OK;
    uint64_t before = done ? request_measure(copy, item) : 0;
    done = done && sett_advice_apply(copy, item) == SETT_OK;
    uint64_t after = done ? request_measure(copy, item) : 0;
    (void)sett_world_destroy(copy);
    if (!done) {
        return setti_request_fail(of, "the advice cannot be applied to a copy of the world");
    }
    setti_out_format(of->out, "\"before_ns\":%llu,\"after_ns\":%llu", (unsigned long long)before,
                     (unsigned long long)after);
    return true;
}

/* Storages cannot change while snapshots are held: the past is forgotten. */
bool setti_request_do_apply(request* of)
{
    sett_inspector* inspector = of->inspector;
    sett_advice* item = NULL;
    if (!request_advice_at(of, &item)) {
        return false;
    }
    uint64_t before = request_measure(of->world, item);
    setti_past_clear(&inspector->past);
    setti_feed_end(&inspector->feed);
    if (!setti_request_check(of, sett_advice_apply(of->world, item) == SETT_OK)) {
        return false;
    }
    setti_out_format(of->out, "\"before_ns\":%llu,\"after_ns\":%llu", (unsigned long long)before,
                     (unsigned long long)request_measure(of->world, item));
    inspector->advice_count = 0;
    return true;
}

/* Values that are not saved, and so are in no stream. */
bool setti_request_do_live(request* of)
{
    sett_entity entity;
    sett_component ids[256];
    if (!setti_request_entity(of, "entity", &entity)) {
        return false;
    }
    uint32_t count = sett_entity_components(of->world, entity, ids, 256);
    setti_out_key(of->out, "values");
    setti_out_add(of->out, "{", 1);
    for (uint32_t k = 0; k < count && k < 256; k++) {
        sett_component_desc desc;
        char value[2048];
        if (sett_component_describe(of->world, ids[k], &desc) == SETT_OK &&
            desc.save == SETT_SAVE_SKIP) {
            setti_out_key(of->out, desc.name);
            (void)sett_value_describe(of->world, entity, ids[k], value, sizeof(value));
            setti_out_quote(of->out, value);
        }
    }
    setti_out_add(of->out, "}", 1);
    return true;
}

/* -------------------------------------------------------------------------------------- history */

static void request_put_event(request* of, const history_event* event)
{
    static const char* const kinds[] = {"created", "destroyed", "added", "removed"};
    setti_out_comma(of->out);
    setti_out_format(
        of->out, "{\"frame\":%llu,\"kind\":\"%s\",\"entity\":\"#%u:%u\",\"commands\":%s",
        (unsigned long long)event->frame, kinds[event->kind], (unsigned)event->entity.index,
        (unsigned)event->entity.generation, event->commands ? "true" : "false");
    setti_out_key(of->out, "system");
    setti_out_quote(of->out, event->system != NULL ? sett_system_name(event->system) : "");
    setti_out_key(of->out, "component");
    setti_out_quote(of->out,
                    event->component != 0 ? sett_component_name(of->world, event->component) : "");
    setti_out_add(of->out, "}", 1);
}

bool setti_request_do_log(request* of)
{
    history* log = &of->inspector->history;
    uint64_t since;
    if (!setti_request_number(of, "since", 0, &since)) {
        return false;
    }
    if (!setti_history_ask(log, of->world, of->inspector->frame)) {
        return setti_request_fail(of, "memory ran out");
    }
    uint64_t from = log->count > HISTORY_EVENTS ? log->count - HISTORY_EVENTS : 0;
    setti_out_format(of->out, "\"next\":%llu,\"log\":[", (unsigned long long)log->count);
    for (uint64_t k = since > from ? since : from; k < log->count; k++) {
        request_put_event(of, &log->events[k % HISTORY_EVENTS]);
    }
    setti_out_add(of->out, "]", 1);
    return true;
}

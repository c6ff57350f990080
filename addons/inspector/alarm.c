/* alarm.c: conditions that the inspector looks at after each frame, and what happened over time.
 *
 * A condition is "entities > 200000", "frame > 20 ms", or a query, which is true while it has
 * results. The frame in which one becomes true is noted, and logged, or pauses the program. As many
 * alarms as there are cost their time in each frame; without one nothing is done.
 *
 * Invariant:  hit[k % ALARM_HITS] for the last ALARM_HITS of `hits`, ascending by frame
 */
#include "alarm.h"

#include "request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* const alarm_kinds[] = {"query", "entities", "frame"};
static const char* const alarm_actions[] = {"mark", "log", "pause"};

/* "entities > 200000" and "frame > 20 ms", or false: it is a query. */
static bool alarm_read(inspector_alarm* to, const char* text)
{
    char name[16] = "";
    char sign = '\0';
    char unit[4] = "";
    double limit = 0;
    int read = sscanf(text, " %15[a-z] %c %lf %3s", name, &sign, &limit, unit);
    if (read < 3 || (sign != '>' && sign != '<')) {
        return false;
    }
    bool milliseconds = strcmp(name, "frame") == 0 && (read == 3 || strcmp(unit, "ms") == 0);
    to->kind = milliseconds ? ALARM_FRAME : ALARM_ENTITIES;
    to->below = sign == '<';
    to->limit = limit;
    return milliseconds || (strcmp(name, "entities") == 0 && read == 3);
}

/* Milliseconds of the last frame: of all systems, or from frame to frame if there are none. */
static double alarm_frame_time(const sett_inspector* inspector)
{
    uint64_t sum = 0;
    const sett_system* first = sett_system_next(inspector->world, NULL);
    for (const sett_system* at = first; at != NULL; at = sett_system_next(inspector->world, at)) {
        sett_system_stats stats;
        sett_system_stats_get(at, &stats);
        sum += stats.time_last;
    }
    return first != NULL ? (double)sum * 1e-6 : (double)inspector->alarms.span * 1e-6;
}

static bool alarm_query_holds(sett_inspector* inspector, inspector_alarm* of)
{
    sett_rows rows;
    bool holds = false;
    inspector_limit limit = setti_inspector_limit(inspector);
    (void)sett_search_limit(of->search, setti_inspector_is_late, &limit);
    if (sett_search_begin(of->search, &rows) != NULL) {
        holds = sett_rows_next(&rows);
        sett_search_end(&rows);
    }
    of->slow = of->slow || (limit.passed && !holds);
    return holds;
}

static bool alarm_holds(sett_inspector* inspector, inspector_alarm* of)
{
    if (of->slow) {
        return false;
    }
    if (of->kind == ALARM_QUERY) {
        return alarm_query_holds(inspector, of);
    }
    double is = of->kind == ALARM_FRAME ? alarm_frame_time(inspector)
                                        : (double)sett_entity_count(inspector->world);
    return of->below ? is < of->limit : is > of->limit;
}

static void alarm_note(sett_inspector* inspector, const inspector_alarm* of, uint32_t number)
{
    alarms* all = &inspector->alarms;
    all->hit[all->hits++ % ALARM_HITS] = (alarm_hit){inspector->frame, number};
    if (of->action == ALARM_PAUSES) {
        inspector->running = false;
        inspector->steps = 0;
    } else if (of->action == ALARM_LOGS) {
        char text[ALARM_TEXT + 64];
        (void)snprintf(text, sizeof(text), "alarm: %s, in frame %llu", of->text,
                       (unsigned long long)inspector->frame);
        sett_world_log(inspector->world, SETT_LOG_WARNING, text);
    }
}

void setti_alarm_frame(sett_inspector* inspector)
{
    alarms* all = &inspector->alarms;
    uint64_t now = setti_inspector_now();
    all->span = all->last != 0 && now > all->last ? now - all->last : 0;
    all->last = now;
    sett_trend_add(&all->trend, inspector->world, (float)((double)all->span * 1e-9));
    for (uint32_t k = 0; k < all->count; k++) {
        inspector_alarm* of = &all->item[k];
        bool holds = alarm_holds(inspector, of);
        if (holds && !of->was_true) {
            alarm_note(inspector, of, of->number);
        }
        of->was_true = holds;
    }
}

void setti_alarm_free(sett_inspector* inspector)
{
    for (uint32_t k = 0; k < inspector->alarms.count; k++) {
        (void)sett_search_destroy(inspector->alarms.item[k].search);
    }
    inspector->alarms.count = 0;
}

/* ------------------------------------------------------------------------------------- requests */

static void alarm_remove(alarms* all, uint32_t place)
{
    (void)sett_search_destroy(all->item[place].search);
    memmove(&all->item[place], &all->item[place + 1],
            (--all->count - place) * sizeof(all->item[0]));
}

static bool alarm_add(request* of, const char* text, alarm_action action)
{
    alarms* all = &of->inspector->alarms;
    inspector_alarm fresh;
    memset(&fresh, 0, sizeof(fresh));
    if (all->count == ALARM_MOST) {
        return setti_request_fail(of, "there are 32 alarms already - remove one");
    }
    if (!alarm_read(&fresh, text)) {
        fresh.kind = ALARM_QUERY;
        fresh.search = sett_search_create(of->world, text);
        if (!setti_request_check(of, fresh.search != NULL)) {
            return false;
        }
    }
    memcpy(fresh.text, text, strlen(text) + 1);
    fresh.action = action;
    fresh.number = all->added++;
    fresh.was_true = alarm_holds(of->inspector, &fresh); /* what is true already is no event */
    all->item[all->count++] = fresh;
    return true;
}

static bool alarm_read_action(json value, alarm_action* to)
{
    char text[8];
    *to = ALARM_MARKS;
    if (value.size == 0) {
        return true;
    }
    for (uint32_t k = 0; k < 3 && setti_body_string(value, text, sizeof(text)); k++) {
        if (strcmp(text, alarm_actions[k]) == 0) {
            *to = (alarm_action)k;
            return true;
        }
    }
    return false;
}

bool setti_request_do_alarm(request* of)
{
    char text[ALARM_TEXT];
    alarm_action action;
    alarms* all = &of->inspector->alarms;
    if (!setti_body_string(setti_body_find(of->body, "condition"), text, sizeof(text)) ||
        text[0] == '\0') {
        return setti_request_fail(of,
                                  "`condition` is not a text of 1 to 399 bytes - send such a text");
    }
    if (!alarm_read_action(setti_body_find(of->body, "action"), &action)) {
        return setti_request_fail(of, "`action` is not mark, log or pause - send one of the three");
    }
    for (uint32_t k = all->count; k-- != 0;) {
        if (strcmp(all->item[k].text, text) == 0) {
            alarm_remove(all, k);
        }
    }
    return !setti_body_true(setti_body_find(of->body, "on")) || alarm_add(of, text, action);
}

bool setti_request_do_alarms(request* of)
{
    const alarms* all = &of->inspector->alarms;
    uint64_t since = 0;
    if (!setti_request_number(of, "since", 0, &since)) {
        return false;
    }
    setti_out_key(of->out, "alarms");
    setti_out_add(of->out, "[", 1);
    for (uint32_t k = 0; k < all->count; k++) {
        const inspector_alarm* item = &all->item[k];
        setti_out_comma(of->out);
        setti_out_format(of->out, "{\"number\":%u,\"kind\":\"%s\",\"action\":\"%s\"",
                         (unsigned)item->number, alarm_kinds[item->kind],
                         alarm_actions[item->action]);
        setti_out_format(of->out, ",\"true\":%s,\"slow\":%s", item->was_true ? "true" : "false",
                         item->slow ? "true" : "false");
        setti_out_key(of->out, "condition");
        setti_out_quote(of->out, item->text);
        setti_out_add(of->out, "}", 1);
    }
    setti_out_format(of->out, "],\"next\":%llu,\"hits\":[", (unsigned long long)all->hits);
    uint64_t first = all->hits > ALARM_HITS ? all->hits - ALARM_HITS : 0;
    for (uint64_t k = since > first ? since : first; k < all->hits; k++) {
        const alarm_hit* hit = &all->hit[k % ALARM_HITS];
        setti_out_comma(of->out);
        setti_out_format(of->out, "[%llu,%u]", (unsigned long long)hit->frame,
                         (unsigned)hit->alarm);
    }
    setti_out_add(of->out, "]", 1);
    return true;
}

static void alarm_put_spans(request* of, const char* key,
                            const sett_span* (*get)(const sett_trend* trend, uint32_t ago))
{
    setti_out_key(of->out, key);
    setti_out_add(of->out, "[", 1);
    for (uint32_t ago = SETT_TREND_SPANS; ago-- != 0;) {
        const sett_span* span = get(&of->inspector->alarms.trend, ago);
        if (span != NULL) {
            setti_out_comma(of->out);
            setti_out_format(of->out, "[%.4g,%.5g,%.5g,%u,%u,%llu,%llu,%llu]", span->time,
                             (double)span->dt_min, (double)span->dt_max, (unsigned)span->frames,
                             (unsigned)span->entities, (unsigned long long)span->values,
                             (unsigned long long)span->block_size,
                             (unsigned long long)span->allocations);
        }
    }
    setti_out_add(of->out, "]", 1);
}

bool setti_request_do_trend(request* of)
{
    alarm_put_spans(of, "seconds", sett_trend_second);
    alarm_put_spans(of, "minutes", sett_trend_minute);
    return true;
}

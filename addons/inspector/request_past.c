/* request_past.c: requests about other frames: restore, branches, who wrote this, break when. */
#include "request.h"

#include <stdio.h>
#include <string.h>

bool setti_request_do_restore(request* of)
{
    sett_inspector* inspector = of->inspector;
    past* times = &inspector->past;
    uint64_t frame;
    uint64_t branch;
    if (!setti_request_number(of, "frame", inspector->frame, &frame) ||
        !setti_request_number(of, "branch", times->branch, &branch)) {
        return false;
    }
    if (branch > UINT32_MAX) {
        return setti_request_fail(of, "there is no such branch");
    }
    /* The present is stored, unless it is a frame of the past: that can be run again. */
    bool past_frame = inspector->frame < setti_past_newest(times, inspector->frame);
    if ((!past_frame && !setti_past_take(times, inspector->frame, inspector->changed)) ||
        !setti_past_restore(times, (uint32_t)branch, frame)) {
        return setti_request_fail(of, times->why);
    }
    setti_edits_clear(inspector);
    inspector->changed = false;
    inspector->frame = frame;
    inspector->jumped = true;
    inspector->asked = false;
    inspector->running = false;
    inspector->steps = 0;
    inspector->was_true = setti_inspector_holds(inspector);
    return true;
}

bool setti_request_do_branches(request* of)
{
    const past* times = &of->inspector->past;
    setti_out_key(of->out, "branches");
    setti_out_add(of->out, "[", 1);
    for (uint32_t k = 0; k < times->branch_count; k++) {
        const past_branch* branch = &times->branches[k];
        setti_out_comma(of->out);
        setti_out_format(of->out,
                         "{\"id\":%u,\"parent\":%u,\"from\":%llu,\"to\":%llu,\"current\":%s}",
                         (unsigned)k, (unsigned)branch->parent, (unsigned long long)branch->from,
                         (unsigned long long)branch->to, k == times->branch ? "true" : "false");
    }
    setti_out_add(of->out, "]", 1);
    return true;
}

/* The member that is asked about, or all of the value. */
static bool request_member(request* of, past_question* question)
{
    char member[REQUEST_PATH] = "";
    sett_member_ref at;
    sett_component_desc desc;
    json named = setti_body_find(of->body, "member");
    if (sett_component_describe(of->world, question->component, &desc) != SETT_OK) {
        return setti_request_check(of, false);
    }
    question->size = (uint32_t)desc.size;
    if (named.size != 0 && !setti_body_string(named, member, sizeof(member))) {
        return setti_request_fail(of, "`member` is not a text - send a path, such as \"at.x\"");
    }
    if (member[0] != '\0') {
        if (!sett_member_find(of->world, question->component, member, &at)) {
            return setti_request_fail(of, "there is no such member");
        }
        question->offset = at.offset;
        question->size = at.size * at.count;
    }
    question->size = question->size > PAST_VALUE ? PAST_VALUE : question->size;
    return true;
}

static void request_put_writer(request* of, const past_answer* answer)
{
    static const char* const kinds[] = {"nobody", "system ", "commands of system ",
                                        "outside of systems", "not reproducible"};
    bool named = answer->kind == PAST_SYSTEM || answer->kind == PAST_COMMANDS;
    const char* name = named ? sett_system_name(answer->system) : "";
    inspector_text* scratch = &of->inspector->scratch;
    setti_out_clear(scratch);
    setti_out_format(scratch, "%s%s", kinds[answer->kind], name);
    setti_out_key(of->out, "by");
    setti_out_quote(of->out, scratch->at != NULL ? scratch->at : "");
    if (named) {
        setti_out_key(of->out, "system");
        setti_out_quote(of->out, name);
    }
    setti_out_format(of->out, ",\"changes\":%u", (unsigned)answer->changes);
    if (answer->kind == PAST_NOT_REPRODUCIBLE) {
        setti_out_key(of->out, "difference");
        setti_out_quote(of->out, answer->difference);
    }
}

bool setti_request_do_writer(request* of)
{
    past_question question = {.frame = 0};
    past_answer answer;
    char name[REQUEST_PATH];
    unsigned index;
    unsigned generation;
    /* It may have been destroyed since: a handle need not be alive. */
    if (setti_body_string(setti_body_find(of->body, "entity"), name, sizeof(name)) &&
        sscanf(name, "#%u:%u", &index, &generation) == 2) {
        question.entity = (sett_entity){index, generation};
    } else if (!setti_request_entity(of, "entity", &question.entity)) {
        return false;
    }
    if (!setti_request_component(of, "component", &question.component) ||
        !setti_request_number(of, "frame", of->inspector->frame, &question.frame) ||
        !request_member(of, &question)) {
        return false;
    }
    bool asked = setti_past_ask(&of->inspector->past, &question, of->inspector->frame, &answer);
    if (of->inspector->history.listens) {
        setti_history_watch(&of->inspector->history);
    }
    if (!asked) {
        return setti_request_fail(of, of->inspector->past.why);
    }
    request_put_writer(of, &answer);
    return true;
}

bool setti_request_do_break(request* of)
{
    char condition[4096];
    sett_inspector* inspector = of->inspector;
    sett_search* search = NULL;
    if (!setti_body_string(setti_body_find(of->body, "condition"), condition, sizeof(condition))) {
        return setti_request_fail(of, "`condition` is missing - send the text of a query");
    }
    if (condition[0] != '\0') {
        search = sett_search_create(of->world, condition);
        if (!setti_request_check(of, search != NULL)) {
            return false;
        }
    }
    (void)sett_search_destroy(inspector->condition);
    inspector->condition = search;
    inspector->was_true = setti_inspector_holds(inspector);
    inspector->broke = 0;
    setti_out_clear(&inspector->problem);
    return search == NULL || inspector->condition != NULL ||
           setti_request_fail(of,
                              "the condition takes too long for each frame - send a simpler one");
}

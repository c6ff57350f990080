/* edits.c: what pages edit can be undone, by a history of the whole world (sett/undo.h).
 *
 * The workload: a program is paused, some values are changed in a page, and some of that is taken
 * back. The history begins before the first edit, each edit is a step of it, and it ends when a
 * frame runs: from then on going back would take back what systems did too. That is what the past
 * is for.
 *
 * Invariant:  `undo` begins while the inspector is paused, and no frame has run since its first
 *             state
 */
#include "request.h"

#include "sett/undo.h"

#include <stdio.h>

#define EDITS_MEMORY ((size_t)16 << 20) /* bytes of steps */
#define EDITS_NAME 160

void setti_edits_begin(sett_inspector* inspector)
{
    if (inspector->undo != NULL || inspector->running || inspector->no_undo) {
        return;
    }
    inspector->undo =
        sett_undo_create(inspector->world, &(sett_undo_desc){.memory_limit = EDITS_MEMORY});
    inspector->no_undo = inspector->undo == NULL; /* the log says why, once */
}

void setti_edits_clear(sett_inspector* inspector)
{
    (void)sett_undo_destroy(inspector->undo);
    inspector->undo = NULL;
}

/* "set Health of /player" */
void setti_edits_take(request* of, const char* what)
{
    sett_inspector* inspector = of->inspector;
    char component[EDITS_NAME / 4];
    char entity[EDITS_NAME / 2];
    char name[EDITS_NAME];
    json by = setti_body_find(of->body, "entity");
    if (inspector->undo == NULL) {
        return;
    }
    by = by.size != 0 ? by : setti_body_find(of->body, "prefab");
    bool typed =
        setti_body_string(setti_body_find(of->body, "component"), component, sizeof(component));
    bool named = setti_body_string(by, entity, sizeof(entity));
    (void)snprintf(name, sizeof(name), "%s%s%s%s%s", what, typed ? " " : "", typed ? component : "",
                   !named  ? ""
                   : typed ? " of "
                           : " ",
                   named ? entity : "");
    if (sett_undo_step(inspector->undo, name) != SETT_OK) {
        setti_edits_clear(inspector); /* the edit stays; it is no part of a history */
    }
}

void setti_edits_put(const sett_inspector* inspector, inspector_text* out)
{
    const sett_undo* undo = inspector->undo;
    uint32_t now = undo != NULL ? sett_undo_now(undo) : 0;
    uint32_t after = undo != NULL ? sett_undo_after(undo, now) : 0;
    if (undo != NULL && sett_undo_before(undo, now) != 0) {
        setti_out_key(out, "undo");
        setti_out_quote(out, sett_undo_name(undo, now));
    }
    if (after != 0) {
        setti_out_key(out, "redo");
        setti_out_quote(out, sett_undo_name(undo, after));
    }
}

/* Answers what was undone or done again. */
static bool edits_go(request* of, uint32_t to, uint32_t edit, const char* key)
{
    sett_undo* undo = of->inspector->undo;
    if (to == 0) {
        return setti_request_fail(of, "there is no such edit - the history of edits begins when "
                                      "the program is paused, and ends when a frame runs");
    }
    char name[EDITS_NAME];
    (void)snprintf(name, sizeof(name), "%s", sett_undo_name(undo, edit));
    if (!setti_request_check(of, sett_undo_go(undo, to) == SETT_OK)) {
        return false;
    }
    setti_out_key(of->out, key);
    setti_out_quote(of->out, name);
    return true;
}

bool setti_request_do_undo(request* of)
{
    const sett_undo* undo = of->inspector->undo;
    uint32_t now = undo != NULL ? sett_undo_now(undo) : 0;
    return edits_go(of, undo != NULL ? sett_undo_before(undo, now) : 0, now, "undone");
}

bool setti_request_do_redo(request* of)
{
    const sett_undo* undo = of->inspector->undo;
    uint32_t to = undo != NULL ? sett_undo_after(undo, sett_undo_now(undo)) : 0;
    return edits_go(of, to, to, "redone");
}

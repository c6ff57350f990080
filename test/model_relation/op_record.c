/* op_record.c: commands, some in a row.
 *
 * SPDX-License-Identifier: MIT
 */
#include "model_relation/naive.h"

#define RECORDED 8u /* commands, at most */

typedef enum command_kind {
    RELATE,
    UNRELATE,
    ATTACH,
    DETACH,
    DESTROY_ONE,
    INSTANTIATE, /* the target, as the source */
} command_kind;

typedef struct command {
    command_kind kind;
    uint32_t relation, data;
    sett_entity source, target;
} command;

static void command_record(command* c)
{
    sett_commands* commands = sett_commands_here(world);
    sett_component id = relations[c->relation].id;
    sett_status status = SETT_OK;
    switch (c->kind) {
    case RELATE:
        status = sett_cmd_relate(commands, c->source, id, c->target,
                                 relations[c->relation].data ? &c->data : NULL);
        break;
    case UNRELATE:
        status = sett_cmd_unrelate(commands, c->source, id, c->target);
        break;
    case ATTACH:
        status = sett_cmd_attach(commands, c->source, c->target);
        break;
    case DETACH:
        status = sett_cmd_detach(commands, c->source);
        break;
    case DESTROY_ONE:
        status = sett_cmd_destroy(commands, c->source);
        break;
    case INSTANTIATE:
        c->source = sett_cmd_instantiate(commands, c->target);
        WANT(!sett_is_null(c->source) && !sett_entity_valid(world, c->source));
        break;
    }
    WANT(status == SETT_OK);
}

/* Does to the naive world what the command did, which skips what has become senseless. */
static void command_follow(const command* c)
{
    if (c->kind == INSTANTIATE) {
        if (alive(c->target)) {
            naive_copy(slot(c->target), c->source, false, true);
        } else { /* no entity was created, and none ever will have this handle */
            naive.dead[naive.dead_count++ % DEAD] = c->source;
        }
    } else if (c->kind == DESTROY_ONE && alive(c->source)) {
        (void)naive_destroy(slot(c->source));
    } else if (c->kind == DETACH && alive(c->source)) {
        naive.at[slot(c->source)].parent = INDICES;
    } else if (alive(c->source) && alive(c->target)) {
        if (c->kind == RELATE) {
            uint32_t* data = naive_relate(c->relation, slot(c->source), slot(c->target));
            *data = relations[c->relation].data ? c->data : 0;
        } else if (c->kind == UNRELATE) {
            uint32_t found = naive_find(c->relation, slot(c->source), slot(c->target));
            if (found != LINKS) {
                naive_unlink(found);
            }
        } else if (c->kind == ATTACH && !naive_is_below(slot(c->target), slot(c->source))) {
            naive_join(slot(c->source), slot(c->target));
        }
    }
}

/* Some commands in a row. An instance comes last, with a parent and a link: what becomes of it is
 * looked up when all are applied. */
void do_commands(void)
{
    doing = "commands";
    command recorded[RECORDED + 3];
    uint32_t count = below(RECORDED) + 1;
    for (uint32_t k = 0; k < count; k++) {
        recorded[k] = (command){below(8) == 0 ? DESTROY_ONE : (command_kind)below(DESTROY_ONE),
                                below(ACYCLIC), below(1000), some_entity(), some_entity()};
    }
    sett_entity prefab = some_entity();
    if (below(3) == 0 && !(alive(prefab) && naive_size(slot(prefab)) > 30)) {
        recorded[count++] = (command){INSTANTIATE, 0, 0, sett_null(), prefab};
    }
    for (uint32_t k = 0, end = count; k < end; k++) {
        command_record(&recorded[k]);
        if (recorded[k].kind == INSTANTIATE) {
            recorded[count] = (command){ATTACH, 0, 0, recorded[k].source, some_entity()};
            command_record(&recorded[count++]);
            recorded[count] =
                (command){RELATE, below(ACYCLIC), below(1000), some_entity(), recorded[k].source};
            command_record(&recorded[count++]);
        }
    }
    WANT(sett_commands_apply(sett_commands_here(world)) == SETT_OK);
    for (uint32_t k = 0; k < count; k++) {
        command_follow(&recorded[k]);
    }
}

/* op_group.c: groups that own, borrow and track, right ones and wrong ones.
 *
 * SPDX-License-Identifier: MIT
 */
#include "model/operations.h"

static bool can_be_owned(uint32_t type)
{
    return (model_types[type].sparse_set || model_types[type].by_default) &&
           (model_types[type].flags & MODEL_KEEP) == 0 && !model_is_dont_fragment(&model, type);
}

model_group* some_group(void)
{
    uint32_t first = below(MODEL_GROUPS);
    for (uint32_t k = 0; k < MODEL_GROUPS; k++) {
        model_group* group = &model.group[(first + k) % MODEL_GROUPS];
        if (group->group != NULL) {
            return group;
        }
    }
    return NULL;
}

static void group_list(uint64_t types, sett_component* list)
{
    uint32_t count = 0;
    for (uint64_t rest = types; rest != 0; rest &= rest - 1) {
        list[count++] = id_of(model_lowest(rest));
    }
}

/* Conditions that an entity fulfils, mostly, or those of the group that was here before, which
 * queries that are kept may ask for. `with` is without the owned ones. */
static void group_choose(model_group* group)
{
    if (one_in(2) && group->with != 0) {
        group->with &= ~group->owned;
        return;
    }
    uint32_t index = some_live();
    uint32_t kind = below(3); /* 0: a tracked set */
    bool wild = one_in(12);
    bool greedy = one_in(6); /* also wants what others own */
    group->owned = 0;
    group->with = 0;
    group->without = 0;
    for (uint32_t wish = 1 + below(3); wish > 0; wish--) {
        uint32_t type = some_type_of(index);
        if (greedy && model.group_owned != 0) {
            type = model_lowest(model.group_owned);
        }
        bool own = can_be_owned(type) && (greedy || (model.group_owned >> type & 1) == 0);
        own = wild ? one_in(2) : own;
        if (model_is_dont_fragment(&model, type) && !wild) {
            continue;
        }
        group->owned |= kind != 0 && own ? model_bit(type) : 0;
        group->with |= kind == 0 || !own ? model_bit(type) : 0;
    }
    for (uint32_t wish = below(3); wish > 0; wish--) {
        uint32_t type = some_type();
        bool against = !model_has(&model, index, type) && can_be_excluded(type);
        group->without |= against || wild ? model_bit(type) : 0;
    }
}

/* Whether this is a right answer to creating it: which, is open if it is wrong in two ways. */
static bool group_answer_is(const model_group* group, sett_status status)
{
    bool argument = (group->owned | group->with) == 0;
    argument = argument || (group->owned & group->with) != 0; /* each type in one list */
    argument = argument || ((group->owned | group->with) & group->without) != 0;
    for (uint64_t rest = group->owned | group->with | group->without; rest != 0; rest &= rest - 1) {
        argument = argument || model_is_dont_fragment(&model, model_lowest(rest));
    }
    for (uint64_t rest = group->owned; rest != 0; rest &= rest - 1) {
        argument = argument || !can_be_owned(model_lowest(rest));
    }
    for (uint64_t rest = group->without; rest != 0; rest &= rest - 1) {
        argument = argument || !can_be_excluded(model_lowest(rest));
    }
    bool conflict = (group->owned & model.group_owned) != 0;
    return status == SETT_OK                ? !argument && !conflict
           : status == SETT_STATUS_CONFLICT ? conflict
                                            : argument && status == SETT_STATUS_ARGUMENT;
}

static void group_begin(model_group* group)
{
    group->with |= group->owned;
    model.group_owned |= group->owned;
    for (uint64_t rest = group->owned; rest != 0; rest &= rest - 1) {
        model_types[model_lowest(rest)].sparse_set = true; /* arrays were converted */
    }
    model_enter_all(&model, group);
    EXPECT(sett_group_count(group->group) == group->inside_count);
    expect_samples();
}

void op_group_create(void)
{
    static uint32_t serial;
    uint32_t at = 0;
    while (at < run.groups && model.group[at].group != NULL) {
        at++;
    }
    if (at == run.groups || !afford(model.alive)) {
        return;
    }
    model_group* group = &model.group[at];
    group_choose(group);
    snprintf(group->name, sizeof(group->name), "group %u", serial++ % 1000);
    group->notified = !one_in(4);
    sett_group_desc desc = {.name = group->name, .user = group};
    desc.on_enter = group->notified ? model_on_enter : NULL;
    desc.on_exit = group->notified ? model_left : NULL;
    group_list(group->owned, desc.owned);
    group_list(group->with, desc.with);
    group_list(group->without, desc.without);
    group->group = sett_group_create(model.world, &desc);
    sett_status status = group->group != NULL ? SETT_OK : sett_world_error(model.world);
    EXPECT(group_answer_is(group, status));
    EXPECT(status == SETT_OK || strstr(sett_world_message(model.world), group->name) != NULL);
    if (status == SETT_OK) {
        group_begin(group);
        explain_kept();
    }
}

void op_group_destroy(void)
{
    model_group* group = some_group();
    if (group == NULL || (run.groups != 0 && one_in(2)) || !afford(64)) {
        return;
    }
    EXPECT(sett_group_destroy(group->group) == SETT_OK);
    group->group = NULL;
    model.group_owned &= ~group->owned;
    expect_samples();
}

/* op_observer.c: observers of types and of queries.
 *
 * SPDX-License-Identifier: MIT
 */
#include "model/operations.h"

/* From now on it runs; until now it did not. */
static void observer_begin(model_observer* observer)
{
    observer->enabled = true;
    if (observer->type == MODEL_TYPES) {
        model_enter_all(&model, &observer->crossing);
        return;
    }
    for (uint32_t event = 0; event < MODEL_EVENTS; event++) {
        const model_events* all = &model.event[observer->type][event];
        observer->missed[event].calls = all->calls - observer->seen[event].calls;
        observer->missed[event].sum = all->sum - observer->seen[event].sum;
    }
}

static void observer_choose(model_observer* observer, sett_observer_desc* desc)
{
    model_group* crossing = &observer->crossing;
    uint32_t index = some_live();
    uint32_t terms = 0;
    observer->type = some_type();
    if (one_in(2)) {
        observer->wants = 1 + below(15);
        desc->component = id_of(observer->type);
        desc->on_add = (observer->wants & 1) != 0 ? model_observe_add : NULL;
        desc->on_set = (observer->wants & 2) != 0 ? model_observe_set : NULL;
        desc->on_remove = (observer->wants & 4) != 0 ? model_observe_remove : NULL;
        desc->on_event = (observer->wants & 8) != 0 ? model_observe_event : NULL;
        observer->left_to_live = one_in(6) ? 1 + below(40) : 0;
        return;
    }
    observer->type = MODEL_TYPES;
    for (uint32_t wish = 1 + below(4); wish > 0; wish--) {
        bool with = one_in(2);
        uint32_t type = with ? some_type_of(index) : some_type();
        if (with ? !model_is_dont_fragment(&model, type)
                 : can_be_excluded(type) && !model_has(&model, index, type)) {
            desc->terms[terms].component = id_of(type);
            desc->terms[terms++].kind = with ? SETT_WITH : SETT_WITHOUT;
            crossing->with |= with ? model_bit(type) : 0;
            crossing->without |= with ? 0 : model_bit(type);
        }
    }
    desc->on_enter = model_on_enter;
    desc->on_exit = model_left;
    desc->user = crossing;
}

/* The calls during its creation: for all existing matches. */
static void expect_replayed(model_observer* observer)
{
    if (observer->type == MODEL_TYPES) {
        EXPECT_SAME(model_compare_observers(&model));
        return;
    }
    model_events all = {0, 0};
    for (uint32_t k = 0; k < model.alive; k++) {
        uint32_t index = model.live[k];
        if (model_has(&model, index, observer->type)) {
            all.calls++;
            all.sum += model_event_sum(MODEL_ON_ADD, index, NULL, 0);
        }
    }
    EXPECT(observer->seen[MODEL_ON_ADD].calls == all.calls);
    EXPECT(observer->seen[MODEL_ON_ADD].sum == all.sum);
}

void op_observer_create(void)
{
    static uint32_t serial;
    uint32_t at = 0;
    while (at < run.observers && model.observer[at].observer != NULL) {
        at++;
    }
    if (at >= run.observers || !afford(model.alive)) {
        return;
    }
    model_observer* observer = &model.observer[at];
    memset(observer, 0, sizeof(*observer));
    snprintf(observer->name, sizeof(observer->name), "observer %u", serial++ % 1000);
    strcpy(observer->crossing.name, observer->name);
    sett_observer_desc desc = {.name = observer->name, .user = observer};
    observer_choose(observer, &desc);
    desc.replay = (desc.on_add != NULL || desc.on_enter != NULL) && one_in(2);
    desc.disabled = one_in(6);
    observer->left_to_live = desc.replay ? 0 : observer->left_to_live;
    observer->enabled = !desc.disabled;
    observer->observer = sett_observer_create(model.world, &desc);
    EXPECT(observer->observer != NULL);
    EXPECT(sett_observer_is_enabled(observer->observer) == !desc.disabled);
    if (desc.replay && !desc.disabled) {
        expect_replayed(observer);
    }
    if (observer->type != MODEL_TYPES) {
        model.observed |= model_bit(observer->type);
    }
    if (observer->enabled) {
        observer_begin(observer);
    }
}

static model_observer* some_observer(void)
{
    model_observer* observer = &model.observer[below(MODEL_OBSERVERS)];
    return observer->observer != NULL ? observer : NULL;
}

/* An event with a payload, to an entity that need not have the type. */
void op_event(void)
{
    static _Alignas(4096) unsigned char value[20480];
    uint32_t number = some_type();
    uint32_t index = some_live();
    const model_observer* observer = some_observer();
    if (observer != NULL && observer->type != MODEL_TYPES && !one_in(8)) {
        number = observer->type;
    }
    const model_type* type = &model_types[number];
    sett_entity entity = model_handle(&model, index);
    model_fill(value, type->size, some_seed());
    sett_status status = sett_event_send(model.world, entity, SETT_ROUTE_ENTITY, type->id, value);
    if ((type->flags & MODEL_OWNED) != 0) {
        EXPECT(status == SETT_STATUS_ARGUMENT);
        return;
    }
    EXPECT(status == SETT_OK);
    if ((model.observed & model_bit(number)) != 0) {
        model_events* all = &model.event[number][MODEL_ON_EVENT];
        all->calls++;
        all->sum += model_event_sum(MODEL_ON_EVENT, index, value, type->size);
    }
    EXPECT_SAME(model_compare_observers(&model));
}

void op_observer_destroy(void)
{
    model_observer* observer = some_observer();
    if (observer != NULL && (run.observers == 0 || one_in(3))) {
        sett_observer_destroy(observer->observer);
        observer->observer = NULL;
    }
}

void op_observer_enable(void)
{
    model_observer* observer = some_observer();
    if (observer == NULL || !afford(model.alive)) {
        return;
    }
    sett_observer_enable(observer->observer, !observer->enabled);
    if (observer->enabled) {
        observer->enabled = false;
    } else {
        observer_begin(observer);
    }
}

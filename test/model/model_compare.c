/* model_compare.c: whether the world is what the model says. NULL, or how it differs.
 *
 * SPDX-License-Identifier: MIT
 */
#include "model/model.h"

CHECK_PRINTF(2, 3)
static const char* model_differs(model_world* m, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(m->reason, sizeof(m->reason), format, arguments);
    va_end(arguments);
    return m->reason;
}

/* One value of a living entity. NULL, or how the world differs. */
const char* model_compare_value(model_world* m, uint32_t index, uint32_t number)
{
    const model_type* type = &model_types[number];
    sett_entity entity = model_handle(m, index);
    const void* value = sett_find(m->world, entity, type->id);
    if (value == NULL) {
        return model_differs(m, "entity %u lacks %s", index, type->name);
    }
    if (type->size != 0 && (uintptr_t)value % type->align != 0) {
        return model_differs(m, "entity %u: %s at %p is not aligned", index, type->name, value);
    }
    if (!model_value_is(type, value, m->seed[number][index])) {
        return model_differs(m, "entity %u: %s has another value", index, type->name);
    }
    uint64_t changed = sett_changed_tick(m->world, entity, type->id);
    uint64_t written = m->tick[number][index];
    bool exact = (type->flags & MODEL_TRACK) != 0 && type->size != 0;
    if (exact ? changed != written : changed < written || changed > m->now) {
        return model_differs(m, "entity %u: %s changed at %llu, not %llu", index, type->name,
                             (unsigned long long)changed, (unsigned long long)written);
    }
    return NULL;
}

/* The list of an entity's components: ascending, then the dont_fragment ones. */
const char* model_compare_list(model_world* m, uint32_t index)
{
    sett_component ids[MODEL_TYPES_MAX];
    uint32_t count = sett_entity_components(m->world, model_handle(m, index), ids, MODEL_TYPES_MAX);
    uint64_t found = 0;
    bool dont_fragment = false;
    for (uint32_t k = 0; k < count && k < MODEL_TYPES_MAX; k++) {
        uint32_t number = 0;
        while (number < MODEL_TYPES && model_types[number].id != ids[k]) {
            number++;
        }
        if (number == MODEL_TYPES || (found & model_bit(number)) != 0) {
            return model_differs(m, "entity %u: component %u is listed wrongly", index, ids[k]);
        }
        bool is_dont_fragment = model_is_dont_fragment(m, number);
        if (dont_fragment ? !is_dont_fragment : !is_dont_fragment && k > 0 && ids[k - 1] > ids[k]) {
            return model_differs(m, "entity %u: components are listed out of order", index);
        }
        dont_fragment = is_dont_fragment;
        found |= model_bit(number);
    }
    return found == m->mask[index] ? NULL
                                   : model_differs(m, "entity %u: another set is listed", index);
}

/* Whether an entity that lives is in the groups that it should be in. */
static const char* model_compare_member(model_world* m, uint32_t index)
{
    for (uint32_t k = 0; k < MODEL_GROUPS; k++) {
        const model_group* group = &m->group[k];
        if (group->group == NULL) {
            continue;
        }
        bool member = model_is_member(group, m->mask[index]);
        if (sett_group_has(group->group, model_handle(m, index)) != member) {
            return model_differs(m, "entity %u is %s %s", index, member ? "not in" : "in",
                                 group->name);
        }
        if (group->notified && (group->inside[index] != 0) != member) {
            return model_differs(m, "%s was not notified of entity %u", group->name, index);
        }
    }
    return NULL;
}

/* Whether observers of queries were notified correctly of an entity that lives. */
static const char* model_compare_crossing(model_world* m, uint32_t index)
{
    for (uint32_t k = 0; k < MODEL_OBSERVERS; k++) {
        const model_observer* observer = &m->observer[k];
        const model_group* crossing = &observer->crossing;
        if (observer->observer != NULL && observer->type == MODEL_TYPES && observer->enabled &&
            (crossing->inside[index] != 0) != model_is_member(crossing, m->mask[index])) {
            return model_differs(m, "%s was not notified of entity %u", observer->name, index);
        }
    }
    return NULL;
}

/* Everything about one index. */
const char* model_compare_index(model_world* m, uint32_t index)
{
    sett_entity at = sett_entity_at(m->world, index);
    if (m->life[index] != MODEL_ALIVE) {
        return sett_is_null(at) ? NULL : model_differs(m, "index %u lives", index);
    }
    if (!sett_equals(at, model_handle(m, index)) || !sett_entity_valid(m->world, at)) {
        return model_differs(m, "index %u: generation %u is not %u", index, at.generation,
                             m->generation[index]);
    }
    const char* reason = model_compare_member(m, index);
    reason = reason == NULL ? model_compare_crossing(m, index) : reason;
    for (uint64_t rest = m->mask[index]; rest != 0 && reason == NULL; rest &= rest - 1) {
        reason = model_compare_value(m, index, model_lowest(rest));
    }
    return reason;
}

const char* model_compare_counts(model_world* m)
{
    uint64_t owned = m->owned_waiting;
    for (uint32_t type = 0; type < MODEL_TYPES; type++) {
        uint32_t count = sett_component_count(m->world, model_types[type].id);
        if (count != m->count[type]) {
            return model_differs(m, "%u have %s, not %u", count, model_types[type].name,
                                 m->count[type]);
        }
        owned += (model_types[type].flags & MODEL_OWNED) != 0 ? count : 0;
        if ((model_types[type].flags & MODEL_NOTIFIED) != 0 &&
            (m->notified_added[type] != m->added[type] || m->notified_set[type] != m->set[type] ||
             m->notified_removed[type] != m->removed[type])) {
            return model_differs(m, "hooks of %s were not called once each",
                                 model_types[type].name);
        }
    }
    if (owned != m->owned_live) {
        return model_differs(m, "%llu owned values exist, not %llu",
                             (unsigned long long)m->owned_live, (unsigned long long)owned);
    }
    if (sett_entity_count(m->world) != m->alive) {
        return model_differs(m, "%u entities, not %u", sett_entity_count(m->world), m->alive);
    }
    return NULL;
}

const char* model_compare_groups(model_world* m)
{
    for (uint32_t k = 0; k < MODEL_GROUPS; k++) {
        const model_group* group = &m->group[k];
        if (group->group == NULL) {
            continue;
        }
        uint32_t members = model_members(m, group);
        uint32_t count = sett_group_count(group->group);
        if (count != members) {
            return model_differs(m, "%u in %s, not %u", count, group->name, members);
        }
        if (group->notified && group->inside_count != members) {
            return model_differs(m, "%s was notified of %u, not %u", group->name,
                                 group->inside_count, members);
        }
    }
    return NULL;
}

const char* model_compare_observers(model_world* m)
{
    for (uint32_t k = 0; k < MODEL_OBSERVERS; k++) {
        const model_observer* observer = &m->observer[k];
        if (observer->observer == NULL || !observer->enabled) {
            continue;
        }
        if (observer->type == MODEL_TYPES) {
            uint32_t members = model_members(m, &observer->crossing);
            if (observer->crossing.inside_count != members) {
                return model_differs(m, "%s was notified of %u, not %u", observer->name,
                                     observer->crossing.inside_count, members);
            }
            continue;
        }
        for (uint32_t event = 0; event < MODEL_EVENTS; event++) {
            const model_events* all = &m->event[observer->type][event];
            const model_events* seen = &observer->seen[event];
            const model_events* missed = &observer->missed[event];
            if ((observer->wants >> event & 1) != 0 && (seen->calls + missed->calls != all->calls ||
                                                        seen->sum + missed->sum != all->sum)) {
                return model_differs(m,
                                     "%s: event %u of %s: told %llu times, not %llu, or of others",
                                     observer->name, event, model_types[observer->type].name,
                                     (unsigned long long)seen->calls,
                                     (unsigned long long)(all->calls - missed->calls));
            }
        }
    }
    return NULL;
}

/* The whole world. Counts are equal and everything expected is found: so nothing else is there. */
const char* model_compare(model_world* m)
{
    const char* reason = model_compare_counts(m);
    reason = reason == NULL ? model_compare_groups(m) : reason;
    reason = reason == NULL ? model_compare_observers(m) : reason;
    for (uint32_t index = 0; index < MODEL_INDICES && reason == NULL; index++) {
        reason = model_compare_index(m, index);
    }
    uint32_t cursor = 0;
    uint32_t walked = 0;
    for (sett_entity e = sett_entity_next(m->world, &cursor); !sett_is_null(e) && reason == NULL;
         e = sett_entity_next(m->world, &cursor)) {
        walked++;
        if (!model_valid(m, e)) {
            reason = model_differs(m, "the walk meets entity %u:%u", e.index, e.generation);
        }
    }
    if (reason == NULL && walked != m->alive) {
        reason = model_differs(m, "the walk meets %u entities, not %u", walked, m->alive);
    }
    sett_stats stats;
    sett_world_stats(m->world, &stats);
    for (uint32_t type = 0; type < MODEL_TYPES; type++) {
        stats.values -= m->count[type];
    }
    if (reason == NULL && stats.values != 0) {
        reason = model_differs(m, "statistics count other values");
    }
    if (reason == NULL && (stats.entities != m->alive || stats.retired != m->retired)) {
        reason = model_differs(m, "statistics count %u alive, %u retired", stats.entities,
                               stats.retired);
    }
    return reason;
}

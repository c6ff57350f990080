/* model_hooks.c: what the world calls while it works. Every call is counted in the model and checks
 * what has to hold at that moment.
 *
 * SPDX-License-Identifier: MIT
 */
#include "model/model.h"

/* ---- Of values ------------------------------------------------------------------------------- */

static void model_init_owned(void* values, uint32_t count, void* user)
{
    (void)user;
    for (uint32_t k = 0; k < count; k++) {
        model_owned* owned = (model_owned*)values + k;
        owned->self = owned;
        owned->block = calloc(1, sizeof(uint32_t));
        owned->guard = MODEL_GUARD;
        CHECK(owned->block != NULL);
    }
    model.owned_live += count;
}

static void model_deinit_owned(void* values, uint32_t count, void* user)
{
    (void)user;
    for (uint32_t k = 0; k < count; k++) {
        model_owned* owned = (model_owned*)values + k;
        CHECK_MSG(owned->self == owned && owned->guard == MODEL_GUARD,
                  "deinit of what is no value");
        free(owned->block);
        memset(owned, 0xDD, sizeof(*owned));
    }
    model.owned_live -= count;
}

static void model_copy_owned(void* to, const void* from, uint32_t count, void* user)
{
    (void)user;
    for (uint32_t k = 0; k < count; k++) {
        const model_owned* source = (const model_owned*)from + k;
        model_owned* target = (model_owned*)to + k;
        CHECK_MSG(target->self == target && target->guard == MODEL_GUARD, "copy onto raw memory");
        CHECK_MSG(source->self == source && source->guard == MODEL_GUARD,
                  "copy of what is no value");
        *target->block = *source->block;
    }
}

static void model_move_owned(void* to, void* from, uint32_t count, void* user)
{
    (void)user;
    for (uint32_t k = 0; k < count; k++) {
        model_owned* source = (model_owned*)from + k;
        model_owned* target = (model_owned*)to + k;
        CHECK_MSG(source->self == source && source->guard == MODEL_GUARD,
                  "move of what is no value");
        *target = *source;
        target->self = target;
        memset(source, 0xEE, sizeof(*source));
    }
}

static void model_init_seeded(void* values, uint32_t count, void* user)
{
    const model_type* type = user;
    for (uint32_t k = 0; k < count; k++) {
        model_fill((unsigned char*)values + (size_t)k * type->size, type->size, MODEL_INIT_SEED);
    }
}

/* ---- Of types -------------------------------------------------------------------------------- */

/* In every hook: the entity lives and has the component, at this address, and structure is
 * locked. */
static void model_notified(sett_world* world, sett_entity entity, const void* value,
                           const model_type* type)
{
    CHECK(world == model.world);
    CHECK(sett_entity_valid(world, entity));
    CHECK_PTR_EQ(sett_find(world, entity, type->id), value);
    if (entity.index % 16 == 0) {
        CHECK(sett_is_null(sett_entity_create(world)));
        CHECK_EQ(sett_world_error(world), SETT_STATUS_LOCKED);
    }
}

static void model_on_add(sett_world* world, sett_entity entity, void* value, void* user)
{
    const model_type* type = user;
    model_notified(world, entity, value, type);
    for (uint64_t rest = type->closure; rest != 0; rest &= rest - 1) {
        CHECK(sett_has(world, entity, model_types[model_lowest(rest)].id));
    }
    model.notified_added[type->number]++;
}

static void model_on_set(sett_world* world, sett_entity entity, void* value, void* user)
{
    const model_type* type = user;
    model_notified(world, entity, value, type);
    model.notified_set[type->number]++;
}

static void model_on_remove(sett_world* world, sett_entity entity, void* value, void* user)
{
    const model_type* type = user;
    model_notified(world, entity, value, type);
    for (uint64_t rest = type->closure; rest != 0; rest &= rest - 1) {
        CHECK(sett_has(world, entity, model_types[model_lowest(rest)].id));
    }
    if (model.destroying) { /* not noted in the model yet: it has all that it had */
        for (uint64_t rest = model.mask[entity.index]; rest != 0; rest &= rest - 1) {
            CHECK(sett_has(world, entity, model_types[model_lowest(rest)].id));
        }
    }
    model.notified_removed[type->number]++;
}

void model_give_hooks(const model_type* type, sett_component_desc* desc)
{
    if ((type->flags & MODEL_OWNED) != 0) {
        desc->init = model_init_owned;
        desc->deinit = model_deinit_owned;
        desc->copy = model_copy_owned;
        desc->move = model_move_owned;
    }
    if ((type->flags & MODEL_SEEDED) != 0) {
        desc->init = model_init_seeded;
    }
    if ((type->flags & MODEL_NOTIFIED) != 0) {
        desc->on_add = model_on_add;
        desc->on_set = model_on_set;
        desc->on_remove = model_on_remove;
    }
}

/* ---- Of groups and observers ----------------------------------------------------------------- */

/* Of a group: the entity has all that the group asks for, in either direction. */
static void model_crossed(sett_world* world, sett_entity entity, const model_group* group)
{
    CHECK(world == model.world);
    CHECK(sett_entity_valid(world, entity));
    for (uint64_t rest = group->with; rest != 0; rest &= rest - 1) {
        CHECK(sett_has(world, entity, model_types[model_lowest(rest)].id));
    }
    if (entity.index % 16 == 0) {
        CHECK(sett_is_null(sett_entity_create(world)));
        CHECK_EQ(sett_world_error(world), SETT_STATUS_LOCKED);
    }
}

void model_on_enter(sett_world* world, sett_entity entity, void* user)
{
    model_group* group = user;
    model_crossed(world, entity, group);
    for (uint64_t rest = group->without; rest != 0; rest &= rest - 1) {
        CHECK(!sett_has(world, entity, model_types[model_lowest(rest)].id));
    }
    CHECK(group->group == NULL || sett_group_has(group->group, entity));
    CHECK_MSG(group->inside[entity.index] == 0, "%s: entered twice", group->name);
    group->inside[entity.index] = 1;
    group->inside_count++;
}

void model_left(sett_world* world, sett_entity entity, void* user)
{
    model_group* group = user;
    model_crossed(world, entity, group);
    CHECK_MSG(group->inside[entity.index] == 1, "%s: left without having entered", group->name);
    group->inside[entity.index] = 0;
    group->inside_count--;
}

/* Of an observer: counts the call, and ends the observer if its time has come. */
static void model_observed(sett_world* world, sett_entity entity, const void* value,
                           model_observer* observer, model_event event)
{
    const model_type* type = &model_types[observer->type];
    if (event != MODEL_ON_EVENT) {
        model_notified(world, entity, value, type);
    }
    CHECK_MSG(observer->enabled && (observer->wants >> event & 1) != 0, "%s: must not run",
              observer->name);
    observer->seen[event].calls++;
    observer->seen[event].sum +=
        (type->flags & MODEL_OWNED) != 0
            ? model_event_sum(event, entity.index, ((const model_owned*)value)->block, 4)
            : model_event_sum(event, entity.index, value, type->size);
    if (observer->left_to_live != 0 && --observer->left_to_live == 0 &&
        observer->observer != NULL) {
        sett_observer_destroy(observer->observer);
        observer->observer = NULL;
        observer->enabled = false;
    }
}

void model_observe_add(sett_world* world, sett_entity entity, void* value, void* user)
{
    model_observed(world, entity, value, user, MODEL_ON_ADD);
}

void model_observe_set(sett_world* world, sett_entity entity, void* value, void* user)
{
    model_observed(world, entity, value, user, MODEL_ON_SET);
}

void model_observe_remove(sett_world* world, sett_entity entity, void* value, void* user)
{
    model_observed(world, entity, value, user, MODEL_ON_REMOVE);
}

void model_observe_event(sett_world* world, sett_entity entity, void* value, void* user)
{
    CHECK(sett_entity_valid(world, entity));
    model_observed(world, entity, value, user, MODEL_ON_EVENT);
}

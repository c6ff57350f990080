/* model.c: how the naive world begins, changes and ends, everything in the obvious way.
 *
 * SPDX-License-Identifier: MIT
 */
#include "model/model.h"

model_world model;

/* ---- Changes --------------------------------------------------------------------------------- */

/* Notes an event of an observed type, with the value that the model has by now. */
static void model_happens(model_world* m, model_event event, uint32_t index, uint32_t type)
{
    if ((m->observed >> type & 1) == 0) {
        return;
    }
    unsigned char bytes[64];
    size_t size = model_types[type].size;
    uint32_t seed = m->seed[type][index];
    bool owned = (model_types[type].flags & MODEL_OWNED) != 0;
    model_fill(bytes, size < sizeof(bytes) ? size : sizeof(bytes), seed);
    m->event[type][event].calls++;
    m->event[type][event].sum += owned ? model_event_sum(event, index, &seed, sizeof(seed))
                                       : model_event_sum(event, index, bytes, size);
}

void model_create(model_world* m, sett_entity entity)
{
    m->life[entity.index] = MODEL_ALIVE;
    m->generation[entity.index] = entity.generation;
    m->mask[entity.index] = 0;
    m->place[entity.index] = m->alive;
    m->live[m->alive++] = entity.index;
}

/* The value becomes what `seed` makes; written now. A tag has nothing to write. */
void model_write(model_world* m, uint32_t index, uint32_t type, uint32_t seed)
{
    m->seed[type][index] = seed;
    m->tick[type][index] = model_types[type].size != 0 ? m->now : m->tick[type][index];
}

static void model_add_one(model_world* m, uint32_t index, uint32_t type)
{
    m->mask[index] |= model_bit(type);
    m->count[type]++;
    m->stamp[type][index] = ++m->stamps;
    m->added[type]++;
    model_happens(m, MODEL_ON_ADD, index, type);
    m->tick[type][index] = m->now;
    model_write(m, index, type,
                (model_types[type].flags & MODEL_SEEDED) != 0 ? MODEL_INIT_SEED : 0);
}

/* Adds a type after what it requires; requirements stand in front of it in the table. */
void model_add(model_world* m, uint32_t index, uint32_t type)
{
    for (uint64_t missing = model_types[type].closure & ~m->mask[index]; missing != 0;
         missing &= missing - 1) {
        model_add_one(m, index, model_lowest(missing));
    }
    model_add_one(m, index, type);
}

void model_set(model_world* m, uint32_t index, uint32_t type, uint32_t seed)
{
    if (!model_has(m, index, type)) {
        model_add(m, index, type);
    }
    model_write(m, index, type, seed);
    m->set[type]++;
    model_happens(m, MODEL_ON_SET, index, type);
}

void model_remove_set(model_world* m, uint32_t index, uint64_t types)
{
    for (uint64_t rest = types & m->mask[index]; rest != 0; rest &= rest - 1) {
        uint32_t type = model_lowest(rest);
        m->mask[index] &= ~model_bit(type);
        m->count[type]--;
        m->removed[type]++;
        model_happens(m, MODEL_ON_REMOVE, index, type);
    }
}

void model_remove(model_world* m, uint32_t index, uint32_t type)
{
    model_remove_set(m, index, model_types[type].dependants | model_bit(type));
}

void model_enable(model_world* m, uint32_t index, uint32_t type, bool on)
{
    uint32_t off = model_types[type].off;
    if (model_has(m, index, off) != on) {
        return;
    }
    if (on) {
        model_remove(m, index, off);
    } else {
        model_add(m, index, off);
    }
}

/* Takes an entity with all that it has from those that are alive. */
static void model_end_one(model_world* m, uint32_t index)
{
    model_remove_set(m, index, UINT64_MAX);
    uint32_t place = m->place[index];
    uint32_t last = m->live[--m->alive];
    m->live[place] = last;
    m->place[last] = place;
}

void model_forget(model_world* m, uint32_t index)
{
    model_end_one(m, index);
    m->life[index] = MODEL_FREE;
    m->generation[index] = 1;
    m->lowest = index < m->lowest ? index : m->lowest;
}

void model_destroy(model_world* m, uint32_t index)
{
    model_end_one(m, index);
    if (m->generation[index] == MODEL_GENERATION_MAX) {
        m->life[index] = MODEL_RETIRED;
        m->retired++;
    } else {
        m->life[index] = MODEL_FREE;
        m->generation[index]++;
        m->lowest = index < m->lowest ? index : m->lowest;
    }
}

void model_enter_all(const model_world* m, model_group* group)
{
    memset(group->inside, 0, sizeof(group->inside));
    group->inside_count = 0;
    for (uint32_t k = 0; k < m->alive; k++) {
        uint32_t index = m->live[k];
        group->inside[index] = model_is_member(group, m->mask[index]);
        group->inside_count += group->inside[index];
    }
}

/* ---- Beginning and end ----------------------------------------------------------------------- */

void model_begin(model_world* m, bool plain)
{
    memset(m, 0, sizeof(*m));
    m->plain = plain;
    sett_world_desc desc = {0};
    desc.log_fn = sett_log_silent;
    desc.entity_limit = MODEL_INDICES;
    m->world = sett_world_create(&desc);
    CHECK(m->world != NULL);
    for (uint32_t index = 0; index < MODEL_INDICES; index++) {
        m->generation[index] = 1;
    }
    for (uint32_t type = 0; type < MODEL_TYPES; type++) {
        model_register(m, type);
    }
    m->now = sett_world_tick(m->world);
    m->buffer[0] = sett_commands_here(m->world);
    for (uint32_t k = 1; k < MODEL_BUFFERS; k++) {
        m->buffer[k] = sett_commands_create(m->world);
        CHECK(m->buffer[k] != NULL);
    }
}

void model_end(model_world* m)
{
    m->destroying = true;
    sett_world_destroy(m->world);
    for (uint32_t type = 0; type < MODEL_TYPES; type++) {
        free(m->seed[type]);
        free(m->tick[type]);
        free(m->stamp[type]);
    }
    CHECK_EQ(m->owned_live, 0);
}

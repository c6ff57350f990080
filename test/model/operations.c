/* operations.c: what the random operations share: the run, what it expects, what it picks.
 *
 * SPDX-License-Identifier: MIT
 */
#include "model/operations.h"

#include "world/world.h"

model_run run;

bool afford(uint64_t cost)
{
    if (run.budget < 0) {
        return false;
    }
    run.budget -= (int64_t)cost;
    return true;
}

/* ---- What is expected ------------------------------------------------------------------------ */

_Noreturn void fail(const char* file, int line, const char* reason)
{
    check_failed(
        file, line,
        "operation %llu (%s): %s; again with: test_model --seed %llu --ops %llu --from %llu %s",
        (unsigned long long)run.done, run.name, reason, (unsigned long long)run.seed,
        (unsigned long long)run.done + 1,
        (unsigned long long)(run.done < PERIOD ? 0 : run.done - PERIOD), check_progress.running);
}

void expect_same(const char* file, int line, const char* difference)
{
    if (difference != NULL) {
        fail(file, line, difference);
    }
}

void expect_fresh(sett_entity entity)
{
    EXPECT(!sett_is_null(entity));
    EXPECT(entity.index < MODEL_INDICES);
    while (model.life[model.lowest] != MODEL_FREE) {
        model.lowest++;
    }
    EXPECT(entity.index == model.lowest);
    EXPECT(entity.generation == model.generation[entity.index]);
}

void expect_samples(void)
{
    for (uint32_t k = below(8); k < model.alive; k += 1 + model.alive / 16) {
        EXPECT_SAME(model_compare_index(&model, model.live[k]));
    }
}

/* ---- What is picked -------------------------------------------------------------------------- */

uint32_t some_seed(void)
{
    return one_in(8) ? 0 : (uint32_t)chance() | 8;
}

uint32_t some_live(void)
{
    return model.live[below(model.alive)];
}

sett_entity some_stale(void)
{
    sett_entity entity = sett_null();
    uint32_t kind = below(6);
    entity.index = kind == 0 ? (uint32_t)chance() : below(run.reach);
    if (kind <= 1) {
        entity.generation = (uint32_t)chance();
    } else if (kind <= 4) {
        uint32_t step = 1 + below(3);
        uint32_t generation = model.generation[entity.index];
        entity.generation = kind == 2           ? generation + step
                            : generation > step ? generation - step
                                                : 0;
    } else {
        entity.generation = model.generation[entity.index];
    }
    return model_valid(&model, entity) ? sett_null() : entity;
}

uint32_t some_type(void)
{
    return below(MODEL_DRAWN);
}

uint32_t some_switched(void)
{
    return one_in(8) ? some_type()
                     : model_types[MODEL_DRAWN + below(MODEL_TYPES - MODEL_DRAWN)].off;
}

uint32_t some_type_of(uint32_t index)
{
    uint64_t mask = model.mask[index] & (model_bit(MODEL_DRAWN) - 1);
    for (uint32_t skip = mask != 0 ? below(8) : 0; skip > 0 && (mask & (mask - 1)) != 0; skip--) {
        mask &= mask - 1;
    }
    return mask != 0 && !one_in(8) ? model_lowest(mask) : some_type();
}

bool can_be_excluded(uint32_t type)
{
    return !model_is_dont_fragment(&model, type) && model_types[type].off == MODEL_TYPES;
}

bool has_room(uint32_t type, uint32_t more)
{
    uint32_t cap = model_types[type].cap;
    return cap == 0 || model.count[type] + more <= cap;
}

const setti_storage* storage_of(uint32_t type)
{
    return &setti_world_type(model.world, id_of(type))->storage;
}

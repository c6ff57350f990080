/* model_value.c: the bytes of values, made from a number and known again by it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "model/model.h"

#include "chance.h"

/* Byte `at` to `at + 7` of the value that `seed` makes; seed 0 makes zeroes. */
static uint64_t model_word(uint32_t seed, size_t at)
{
    return seed == 0 ? 0 : chance_mix(seed * 0x9E3779B97F4A7C15u + at);
}

void model_fill(void* value, size_t size, uint32_t seed)
{
    unsigned char* bytes = value;
    for (size_t at = 0; at < size; at += 8) {
        uint64_t word = model_word(seed, at);
        memcpy(bytes + at, &word, size - at < 8 ? size - at : 8);
    }
}

bool model_filled(const void* value, size_t size, uint32_t seed)
{
    const unsigned char* bytes = value;
    for (size_t at = 0; at < size; at += 8) {
        uint64_t word = model_word(seed, at);
        if (memcmp(bytes + at, &word, size - at < 8 ? size - at : 8) != 0) {
            return false;
        }
    }
    return true;
}

/* What a value adds to the sum of events: the first bytes decide. An addition counts by its entity
 * alone, because in bulk the values are given before callbacks run. */
uint64_t model_event_sum(model_event event, uint32_t index, const void* bytes, size_t size)
{
    unsigned char first[64] = {0};
    uint64_t sum = chance_mix(index + 1);
    if (event == MODEL_ON_ADD || size == 0) {
        return sum;
    }
    memcpy(first, bytes, size < sizeof(first) ? size : sizeof(first));
    for (size_t at = 0; at < sizeof(first) && at < size; at += 8) {
        uint64_t word;
        memcpy(&word, first + at, 8);
        sum = chance_mix(sum + word);
    }
    return sum;
}

/* Whether a value in the world is what `seed` makes. */
bool model_value_is(const model_type* type, const void* value, uint32_t seed)
{
    if ((type->flags & MODEL_OWNED) != 0) {
        const model_owned* owned = value;
        return owned->self == owned && owned->guard == MODEL_GUARD && *owned->block == seed;
    }
    return model_filled(value, type->size, seed);
}

/* Writes a value in the world, or in a batch's copy of it. */
void model_value_write(const model_type* type, void* value, uint32_t seed)
{
    if ((type->flags & MODEL_OWNED) != 0) {
        *((model_owned*)value)->block = seed;
    } else {
        model_fill(value, type->size, seed);
    }
}

/* Makes a value outside of the world. Owned ones borrow `block`. */
void model_value_make(const model_type* type, void* value, uint32_t* block, uint32_t seed)
{
    if ((type->flags & MODEL_OWNED) != 0) {
        model_owned* owned = value;
        owned->self = owned;
        owned->block = block;
        owned->guard = MODEL_GUARD;
        *block = seed;
    } else {
        model_fill(value, type->size, seed);
    }
}

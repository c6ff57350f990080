/* round.c: rounds floating point numbers to the steps of their members, for the network.
 *
 * The workload: one call in a frame, before the snapshot for the next delta; some ten thousand
 * values of few types. Most values are rounded already, so only changed values are written.
 *
 * Values outside of a delta are rounded too, because sender and receiver compare hashes of whole
 * worlds.
 *
 * Invariant:  after a call, each number below 2^52 steps is a multiple of the step;
 *             a second call writes nothing
 */
#include "sett/members.h"
#include "world/world.h"

/* Whether a struct, or a struct inside of it, has a member with a step. */
static bool round_concerns(const sett_struct* structure)
{
    if (structure == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < structure->count; k++) {
        const sett_member* member = &structure->members[k];
        if (member->step != 0) {
            return true;
        }
        if (member->kind == SETT_MEMBER_STRUCT && round_concerns(member->of)) {
            return true;
        }
    }
    return false;
}

/* Rounds a number to the nearest multiple of `step`, and a half away from 0. */
static double round_number(double number, double step)
{
    double steps = number / step; /* exact, because a step is a power of two */
    if (!(steps > -4503599627370496.0 && steps < 4503599627370496.0)) { /* 2^52 */
        return number; /* NaN, infinite, or so large that the number is a multiple already */
    }
    int64_t whole = (int64_t)steps;
    double rest = steps - (double)whole;
    if (rest >= 0.5) {
        whole++;
    } else if (rest <= -0.5) {
        whole--;
    }
    return (double)whole * step;
}

/* The argument `out` to compare without writing. */
#define ROUND_ONLY_TEST NULL

/* Rounds the number at `at`. If it changes, writes it to `out`, and returns true. */
static bool round_element(const void* at, uint32_t size, double step, void* out)
{
    float narrow;
    double wide;
    double rounded;
    SETTI_ASSERT(size == sizeof(narrow) || size == sizeof(wide));
    if (size == sizeof(narrow)) {
        memcpy(&narrow, at, size);
        rounded = round_number((double)narrow, step);
        narrow = (float)rounded;
    } else {
        memcpy(&wide, at, size);
        rounded = round_number(wide, step);
        wide = rounded;
    }
    const void* bytes = size == sizeof(narrow) ? (const void*)&narrow : (const void*)&wide;
    bool is_nan = rounded != rounded; /* a NaN stays */
    bool changes = memcmp(at, bytes, size) != 0 && !is_nan;
    if (changes && out != NULL) {
        memcpy(out, bytes, size);
    }
    return changes;
}

/* Rounds the numbers of a value. Writes changed numbers to `out`. Returns true if any changes. */
static bool round_value(const sett_struct* structure, const unsigned char* value,
                        unsigned char* out)
{
    bool changes = false;
    for (uint32_t k = 0; k < structure->count; k++) {
        const sett_member* member = &structure->members[k];
        bool nested = member->kind == SETT_MEMBER_STRUCT;
        uint32_t size = nested ? member->of->size : member->size / member->count;
        if (!nested && member->step == 0) {
            continue;
        }
        for (uint32_t n = 0; n < member->count; n++) {
            uint32_t at = member->offset + n * size;
            unsigned char* to = out != NULL ? out + at : NULL;
            bool this_changes = nested ? round_value(member->of, value + at, to)
                                       : round_element(value + at, size, member->step, to);
            if (this_changes) {
                changes = true;
            }
        }
    }
    return changes;
}

sett_status sett_world_round(sett_world* world)
{
    sett_status status = setti_world_check_unlocked(world, "sett_world_round");
    if (status != SETT_OK) {
        return status;
    }
    for (uint32_t k = 0; k < world->registered.count; k++) {
        setti_type* type = world->registered.item[k];
        const sett_struct* structure = type->members != NULL ? &type->members->of : NULL;
        if (!round_concerns(structure)) {
            continue;
        }
        SETTI_EACH_INDEX(index, &type->storage) {
            const void* value = setti_storage_find(&type->storage, index);
            if (round_value(structure, value, ROUND_ONLY_TEST)) {
                void* out = setti_storage_find_mut(&world->pool, &type->storage, index);
                (void)round_value(structure, out, out);
            }
        }
    }
    return SETT_OK;
}

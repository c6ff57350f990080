/* round.c: rounds floating point numbers to the steps of their members, for the network.
 *
 * The workload: one call a frame, before the snapshot for the next delta is taken; some ten
 * thousand values of few types. Most values are rounded already, so only changed values are
 * written.
 *
 * Values outside of a delta are rounded too, because sender and receiver compare hashes of whole
 * worlds.
 *
 * Invariant:  after a call, each number below 2^52 steps is a multiple of the step;
 *             a second call writes nothing
 */
#include "sett/members.h"
#include "world/world.h"

/* Whether a struct, or a nested struct, has a member with a step. `structure` may be NULL. */
static bool round_has_step(const sett_struct* structure)
{
    if (structure == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < structure->count; k++) {
        const sett_member* member = &structure->members[k];
        if (member->step != 0) {
            return true;
        }
        if (member->kind == SETT_MEMBER_STRUCT && round_has_step(member->of)) {
            return true;
        }
    }
    return false;
}

/* Rounds a number to the nearest multiple of `step`. Between two multiples, rounds away from 0. */
static double round_number(double number, double step)
{
    double steps = number / step;            /* exact, because a step is a power of two */
    const double limit = 4503599627370496.0; /* 2^52 */
    bool is_small = steps > -limit && steps < limit;
    if (!is_small) {
        return number; /* NaN, infinite, or so large that the number is a multiple already */
    }
    int64_t whole = (int64_t)steps;
    double fraction = steps - (double)whole;
    if (fraction >= 0.5) {
        whole++;
    } else if (fraction <= -0.5) {
        whole--;
    }
    return (double)whole * step;
}

/* The argument `out` if nothing is to be written. */
#define ROUND_ONLY_TEST NULL

/* Rounds a number. Returns true if rounding changes the number. Then writes the rounded number to
 * `out`, if `out` is not NULL.
 *   size  bytes of the number: of a float, or of a double */
static bool round_element(const void* element, uint32_t size, double step, void* out)
{
    float narrow;
    double wide;
    double rounded;
    SETTI_ASSERT(size == sizeof(narrow) || size == sizeof(wide));
    if (size == sizeof(narrow)) {
        memcpy(&narrow, element, size);
        rounded = round_number((double)narrow, step);
        narrow = (float)rounded;
    } else {
        memcpy(&wide, element, size);
        rounded = round_number(wide, step);
        wide = rounded;
    }
    const void* bytes = size == sizeof(narrow) ? (const void*)&narrow : (const void*)&wide;
    bool is_nan = rounded != rounded; /* a NaN stays */
    bool changes = memcmp(element, bytes, size) != 0 && !is_nan;
    if (changes && out != NULL) {
        memcpy(out, bytes, size);
    }
    return changes;
}

/* Rounds the numbers of a value. Writes the changed numbers to `out`, if `out` is not NULL.
 * Returns true if a number changes. */
static bool round_value(const sett_struct* structure, const unsigned char* value,
                        unsigned char* out)
{
    bool changes = false;
    for (uint32_t k = 0; k < structure->count; k++) {
        const sett_member* member = &structure->members[k];
        bool nested = member->kind == SETT_MEMBER_STRUCT;
        if (!nested && member->step == 0) {
            continue;
        }
        uint32_t size =
            nested ? member->of->size : member->size / member->count; /* bytes of an element */
        for (uint32_t n = 0; n < member->count; n++) {
            uint32_t offset = member->offset + n * size;
            const unsigned char* element = value + offset;
            unsigned char* element_out = NULL;
            if (out != NULL) {
                element_out = out + offset;
            }
            bool element_changes;
            if (nested) {
                element_changes = round_value(member->of, element, element_out);
            } else {
                element_changes = round_element(element, size, member->step, element_out);
            }
            if (element_changes) {
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
        if (!round_has_step(structure)) {
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

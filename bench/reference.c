/* reference.c: see reference.h. Written as one would at the first go, and no worse: the arrays grow
 * by doubling, bits are walked byte by byte. */
#include "reference.h"

#include "scene.h"

#include <string.h>

#define REFERENCE_FIRST 64u /* values or slots that there is room for at first */

const char* const reference_names[REFERENCE_KINDS] = {"linear with bytes", "linear with bits",
                                                      "sparse set", "ordered", "dictionary"};

static bool reference_is_linear(const reference* ref)
{
    return ref->kind <= REFERENCE_LINEAR_BITS;
}

/* An array of zeroes in place of an old one, of which `kept` bytes stay. */
static void* reference_renew(reference* ref, void* old, size_t old_size, size_t kept, size_t size)
{
    unsigned char* memory = scene_alloc(1, size);
    memset(memory + kept, 0, size - kept);
    if (old != NULL) {
        memcpy(memory, old, kept);
        scene_free(old);
    }
    ref->bytes += size - old_size;
    return memory;
}

static void reference_grow_set(reference* ref)
{
    size_t old = ref->capacity;
    size_t now = old != 0 ? 2 * old : REFERENCE_FIRST;
    size_t size = ref->size;
    ref->values = reference_renew(ref, ref->values, old * size, old * size, now * size);
    ref->numbers = reference_renew(ref, ref->numbers, old * 4, old * 4, now * 4);
    ref->capacity = (uint32_t)now;
}

void reference_init(reference* ref, reference_kind kind, uint32_t size, uint32_t limit)
{
    memset(ref, 0, sizeof(*ref));
    ref->kind = kind;
    ref->size = size;
    ref->limit = limit;
    if (reference_is_linear(ref)) {
        size_t flags = kind == REFERENCE_LINEAR_BYTES ? limit : ((size_t)limit + 7) / 8;
        ref->values = reference_renew(ref, NULL, 0, 0, (size_t)limit * size);
        ref->flags = reference_renew(ref, NULL, 0, 0, flags);
    } else if (kind != REFERENCE_DICTIONARY) {
        ref->rows = reference_renew(ref, NULL, 0, 0, (size_t)limit * 4);
    }
}

void reference_deinit(reference* ref)
{
    scene_free(ref->values);
    scene_free(ref->flags);
    scene_free(ref->rows);
    scene_free(ref->numbers);
}

static unsigned char* reference_value(const reference* ref, uint32_t at)
{
    return ref->values + (size_t)at * ref->size;
}

/* ---- The dictionary -------------------------------------------------------------------------- */

static uint32_t reference_home(const reference* ref, uint32_t number)
{
    return (number * 2654435769u >> 7) & (ref->capacity - 1);
}

/* The slot of a number, or the free one at which it would have been found. */
static uint32_t reference_slot(const reference* ref, uint32_t number)
{
    uint32_t slot = reference_home(ref, number);
    while (ref->numbers[slot] != 0 && ref->numbers[slot] != number + 1) {
        slot = (slot + 1) & (ref->capacity - 1);
    }
    return slot;
}

static void reference_grow_dictionary(reference* ref)
{
    reference old = *ref;
    size_t size = old.capacity != 0 ? (size_t)2 * old.capacity : REFERENCE_FIRST;
    ref->bytes = 0;
    ref->capacity = (uint32_t)size;
    ref->values = reference_renew(ref, NULL, 0, 0, size * ref->size);
    ref->numbers = reference_renew(ref, NULL, 0, 0, size * 4);
    for (uint32_t k = 0; k < old.capacity; k++) {
        if (old.numbers[k] != 0) {
            uint32_t slot = reference_slot(ref, old.numbers[k] - 1);
            ref->numbers[slot] = old.numbers[k];
            memcpy(reference_value(ref, slot), reference_value(&old, k), ref->size);
        }
    }
    scene_free(old.values);
    scene_free(old.numbers);
}

/* What lies behind the hole moves into it where that is nearer to its home. */
static void reference_close(reference* ref, uint32_t hole)
{
    uint32_t mask = ref->capacity - 1;
    for (uint32_t k = (hole + 1) & mask; ref->numbers[k] != 0; k = (k + 1) & mask) {
        uint32_t home = reference_home(ref, ref->numbers[k] - 1);
        if (((k - home) & mask) >= ((k - hole) & mask)) {
            ref->numbers[hole] = ref->numbers[k];
            memcpy(reference_value(ref, hole), reference_value(ref, k), ref->size);
            hole = k;
        }
    }
    ref->numbers[hole] = 0;
}

/* ---- All of them ----------------------------------------------------------------------------- */

void* reference_find(const reference* ref, uint32_t number)
{
    switch (ref->kind) {
    case REFERENCE_LINEAR_BYTES:
        return ref->flags[number] != 0 ? reference_value(ref, number) : NULL;
    case REFERENCE_LINEAR_BITS:
        return (ref->flags[number / 8] >> number % 8 & 1) != 0 ? reference_value(ref, number)
                                                               : NULL;
    case REFERENCE_DICTIONARY:
        if (ref->capacity != 0) {
            uint32_t slot = reference_slot(ref, number);
            return ref->numbers[slot] != 0 ? reference_value(ref, slot) : NULL;
        }
        return NULL;
    default:
        return ref->rows[number] != 0 ? reference_value(ref, ref->rows[number] - 1) : NULL;
    }
}

void* reference_add(reference* ref, uint32_t number)
{
    unsigned char* value;
    if (reference_is_linear(ref)) {
        value = reference_value(ref, number);
        if (ref->kind == REFERENCE_LINEAR_BYTES) {
            ref->flags[number] = 1;
        } else {
            ref->flags[number / 8] |= (unsigned char)(1u << number % 8);
        }
    } else if (ref->kind == REFERENCE_DICTIONARY) {
        if (2 * ref->count >= ref->capacity) {
            reference_grow_dictionary(ref);
        }
        uint32_t slot = reference_slot(ref, number);
        ref->numbers[slot] = number + 1;
        value = reference_value(ref, slot);
    } else {
        if (ref->count == ref->capacity) {
            reference_grow_set(ref);
        }
        ref->numbers[ref->count] = number;
        ref->rows[number] = ref->count + 1;
        value = reference_value(ref, ref->count);
    }
    ref->count++;
    return memset(value, 0, ref->size);
}

static void reference_remove_row(reference* ref, uint32_t number)
{
    uint32_t row = ref->rows[number] - 1;
    uint32_t last = ref->count - 1;
    size_t behind = last - row;
    if (ref->kind == REFERENCE_ORDERED) {
        memmove(reference_value(ref, row), reference_value(ref, row + 1), behind * ref->size);
        memmove(&ref->numbers[row], &ref->numbers[row + 1], behind * sizeof(uint32_t));
        for (uint32_t k = row; k < last; k++) {
            ref->rows[ref->numbers[k]] = k + 1;
        }
    } else if (row != last) {
        memcpy(reference_value(ref, row), reference_value(ref, last), ref->size);
        ref->numbers[row] = ref->numbers[last];
        ref->rows[ref->numbers[row]] = row + 1;
    }
    ref->rows[number] = 0; /* in the end: the last may be the one that goes */
}

void reference_remove(reference* ref, uint32_t number)
{
    switch (ref->kind) {
    case REFERENCE_LINEAR_BYTES:
        ref->flags[number] = 0;
        break;
    case REFERENCE_LINEAR_BITS:
        ref->flags[number / 8] &= (unsigned char)~(1u << number % 8);
        break;
    case REFERENCE_DICTIONARY:
        reference_close(ref, reference_slot(ref, number));
        break;
    default:
        reference_remove_row(ref, number);
        break;
    }
    ref->count--;
}

static void reference_touch(unsigned char* value)
{
    float first;
    memcpy(&first, value, sizeof(first));
    first += 1;
    memcpy(value, &first, sizeof(first));
}

static void reference_visit_bits(reference* ref)
{
    for (uint32_t k = 0; k < ref->limit; k += 8) {
        for (uint32_t bits = ref->flags[k / 8], at = k; bits != 0; bits >>= 1, at++) {
            if ((bits & 1) != 0) {
                reference_touch(reference_value(ref, at));
            }
        }
    }
}

void reference_visit(reference* ref)
{
    switch (ref->kind) {
    case REFERENCE_LINEAR_BYTES:
        for (uint32_t k = 0; k < ref->limit; k++) {
            if (ref->flags[k] != 0) {
                reference_touch(reference_value(ref, k));
            }
        }
        break;
    case REFERENCE_LINEAR_BITS:
        reference_visit_bits(ref);
        break;
    case REFERENCE_DICTIONARY:
        for (uint32_t k = 0; k < ref->capacity; k++) {
            if (ref->numbers[k] != 0) {
                reference_touch(reference_value(ref, k));
            }
        }
        break;
    default:
        for (uint32_t k = 0; k < ref->count; k++) {
            reference_touch(reference_value(ref, k));
        }
        break;
    }
}

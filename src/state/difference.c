/* difference.c: the first difference between two worlds, in words.
 *
 * The workload: two runs got different hashes, and a programmer looks for the cause. The text names
 * the lowest different entity, the first different component, and the bytes. Types are matched by
 * name. If all entities are equal, the text names the lowest index whose next entity differs.
 *
 * Functions that return int write a text like snprintf, or return 0 if there is no difference.
 */
#include "sett/state.h"
#include "state/hash.h"
#include "state/selection.h"
#include "world/written.h"

#include <stdio.h>

/* The types with one name in the worlds `a` and `b`; NULL: the world lacks the type. */
typedef struct difference_pair {
    const setti_type* a;
    const setti_type* b;
} difference_pair;

static int difference_entity(sett_entity a, sett_entity b, char* out, size_t size)
{
    if (sett_is_null(b)) {
        return snprintf(out, size, "entity %u:%u is in the first world only", SETTI_HANDLE(a));
    }
    if (sett_is_null(a)) {
        return snprintf(out, size, "entity %u:%u is in the second world only", SETTI_HANDLE(b));
    }
    return snprintf(out, size, "index %u: entity %u:%u in the first world, %u:%u in the second",
                    (unsigned)a.index, SETTI_HANDLE(a), SETTI_HANDLE(b));
}

static int difference_slot(const sett_world* a, const sett_world* b, uint32_t index, char* out,
                           size_t size)
{
    uint32_t in_a = setti_entity_generation(&a->entities, index);
    uint32_t in_b = setti_entity_generation(&b->entities, index);
    if (in_a == in_b) {
        return 0;
    }
    return snprintf(out, size,
                    "the next entity at index %u has generation %u in the first world, %u in the "
                    "second (0: the index is used up)",
                    (unsigned)index, (unsigned)(in_a & ~SETTI_DEAD),
                    (unsigned)(in_b & ~SETTI_DEAD));
}

/* Returns the bits of the byte at an offset that are not padding. */
static unsigned char difference_mask(const setti_type* type, size_t at)
{
    const unsigned char* mask = type->desc.mask;
    return mask != NULL ? mask[at] : 255;
}

/* Returns the offset of the first different byte of two values of the same size, or SIZE_MAX. */
static size_t difference_byte(difference_pair pair, const unsigned char* a, const unsigned char* b)
{
    /* setti_hash_size is 0 in a world that does not save the type */
    size_t end = SETTI_MAX(setti_hash_size(pair.a), setti_hash_size(pair.b));
    for (size_t at = 0; at < end; at++) {
        if ((a[at] & difference_mask(pair.a, at)) != (b[at] & difference_mask(pair.b, at))) {
            return at;
        }
    }
    return SIZE_MAX;
}

/* Returns a remark if the byte at an offset may be padding, or an empty text. */
static const char* difference_padding(difference_pair pair, size_t at)
{
    if (difference_mask(pair.a, at) != difference_mask(pair.b, at)) {
        return "; padding there is known in one of the worlds only: register it alike";
    }
    bool known = pair.a->padding_known && pair.b->padding_known;
    /* padding never begins at a multiple of the alignment */
    return !known && at % pair.a->desc.align != 0
               ? "; these bytes may be padding (sett_component_desc.mask)"
               : "";
}

/* Prints up to eight bytes of a value, from offset `at` on. */
static void difference_print_bytes(char out[32], const unsigned char* value, size_t at, size_t end)
{
    size_t length = 0;
    out[0] = '\0';
    for (size_t k = at; k < end && k < at + 8; k++) {
        length += (size_t)snprintf(out + length, 32 - length, " %02X", value[k]);
    }
}

/* Writes how two values differ, for the end of a sentence. */
SETTI_COLD static int difference_values(const setti_type* type_a, const void* a,
                                        const setti_type* type_b, const void* b, char* out,
                                        size_t size)
{
    difference_pair pair = {type_a, type_b};
    if (type_a->desc.size != type_b->desc.size) {
        return snprintf(out, size, ": %zu bytes in the first world, %zu in the second",
                        type_a->desc.size, type_b->desc.size);
    }
    bool known = type_a->members != NULL || type_a->desc.write != NULL;
    bool equal = known && setti_hash_same(type_a, a, b);
    size_t at = equal ? SIZE_MAX : difference_byte(pair, a, b);
    if (at == SIZE_MAX) {
        return 0;
    }
    setti_writer text = {out, size, 0};
    setti_writer_add(&text, ": ");
    if (type_a->members != NULL && type_b->members != NULL &&
        setti_members_equal(&type_a->members->of, &type_b->members->of)) {
        setti_value_print_differences(&text, &type_a->members->of, a, b);
        return (int)text.length;
    }
    if (type_a->desc.write != NULL && type_b->desc.write != NULL) {
        setti_type_print(type_a, a, &text);
        setti_writer_add(&text, " in the first world, ");
        setti_type_print(type_b, b, &text);
        setti_writer_add(&text, " in the second");
        return (int)text.length;
    }
    char in_a[32];
    char in_b[32];
    difference_print_bytes(in_a, a, at, type_a->desc.size);
    difference_print_bytes(in_b, b, at, type_a->desc.size);
    return snprintf(out, size, " from byte %zu on:%s in the first world,%s in the second%s", at,
                    in_a, in_b, difference_padding(pair, at));
}

/* Writes how the module describes each of two values. Returns 0 if the module describes no values,
 * or both equally. */
SETTI_COLD static int difference_described(sett_entity entity, difference_pair pair, char* out,
                                           size_t size)
{
    const setti_module* module = pair.a->module;
    char text[2][128];
    if (module == NULL || module->describe == NULL || pair.b->module != module) {
        return 0;
    }
    for (uint32_t k = 0; k < 2; k++) {
        const setti_type* type = k == 0 ? pair.a : pair.b;
        setti_writer writer = setti_writer_begin(text[k], sizeof(text[k]));
        module->describe(type->world, type, entity, &writer);
    }
    if (strcmp(text[0], text[1]) == 0) {
        return 0;
    }
    return snprintf(out, size, ": %s in the first world, %s in the second", text[0], text[1]);
}

SETTI_COLD static int difference_component(sett_entity entity, difference_pair pair, char* out,
                                           size_t size)
{
    const setti_type* any = pair.a != NULL ? pair.a : pair.b;
    const void* a = pair.a != NULL ? setti_storage_find(&pair.a->storage, entity.index) : NULL;
    const void* b = pair.b != NULL ? setti_storage_find(&pair.b->storage, entity.index) : NULL;
    if ((a == NULL) != (b == NULL)) {
        return snprintf(out, size, "entity %u:%u has \"%.100s\" in the %s world only",
                        SETTI_HANDLE(entity), any->desc.name, a != NULL ? "first" : "second");
    }
    if (a == NULL) {
        return 0;
    }
    const setti_module* module = pair.a->module;
    if (module == NULL) {
        static const char call[] = "sett_world_difference";
        setti_world_touch(pair.a->world, entity, pair.a->id, SETTI_ACCESS_READ, call);
        setti_world_touch(pair.b->world, entity, pair.b->id, SETTI_ACCESS_READ, call);
    }
    if (module != NULL && module->difference != NULL && pair.b->module == module) {
        return module->difference(entity, pair.a, pair.b, difference_values, out, size);
    }
    if (difference_values(pair.a, a, pair.b, b, NULL, 0) == 0) { /* only measures the text */
        return 0;
    }
    int length = snprintf(out, size, "entity %u:%u: \"%.100s\" differs", SETTI_HANDLE(entity),
                          any->desc.name);
    size_t at = SETTI_MIN((size_t)length, size);
    char* rest = out != NULL ? out + at : NULL;
    int added = difference_described(entity, pair, rest, size - at);
    if (added == 0) {
        added = difference_values(pair.a, a, pair.b, b, rest, size - at);
    }
    return length + added;
}

SETTI_COLD static int difference_components(const sett_world* a, const sett_world* b,
                                            const sett_selection* selection, sett_entity entity,
                                            char* out, size_t size)
{
    int length = 0;
    for (uint32_t k = 0; length == 0 && k < a->registered.count; k++) {
        const setti_type* type = a->registered.item[k];
        if (!setti_selection_has_type(selection, type)) {
            continue;
        }
        difference_pair pair = {type, setti_type_find(b, type->desc.name)};
        length = difference_component(entity, pair, out, size);
    }
    bool all_types = selection->type_count == 0;
    for (uint32_t k = 0; all_types && length == 0 && k < b->registered.count; k++) {
        const setti_type* type = b->registered.item[k];
        if (type->storage.count != 0 && setti_type_find(a, type->desc.name) == NULL) {
            difference_pair pair = {NULL, type};
            length = difference_component(entity, pair, out, size);
        }
    }
    return length;
}

SETTI_COLD size_t sett_world_difference(const sett_world* a, const sett_world* b, char* out,
                                        size_t size)
{
    size = setti_writer_empty(out, size);
    if (SETTI_IS_NULL(a) || SETTI_IS_NULL(b)) {
        return 0;
    }
    static const sett_selection all = {0};
    uint32_t end =
        SETTI_MAX(setti_entity_capacity(&a->entities), setti_entity_capacity(&b->entities));
    int length = 0;
    for (uint32_t index = 0; length == 0 && index < end; index++) {
        sett_entity in_a = setti_entity_at(&a->entities, index);
        sett_entity in_b = setti_entity_at(&b->entities, index);
        if (!sett_equals(in_a, in_b)) {
            length = difference_entity(in_a, in_b, out, size);
        } else if (!sett_is_null(in_a)) {
            length = difference_components(a, b, &all, in_a, out, size);
        }
    }
    for (uint32_t index = 0; length == 0 && index < end; index++) {
        length = difference_slot(a, b, index, out, size);
    }
    return length > 0 ? (size_t)length : 0;
}

size_t sett_selection_difference(sett_world* a, const sett_world* b,
                                 const sett_selection* selection, char* out, size_t size)
{
    setti_selected selected;
    size = setti_writer_empty(out, size);
    if (SETTI_IS_NULL(a) || SETTI_IS_NULL(b)) {
        return 0;
    }
    if (setti_selection_find(a, selection, __func__, &selected) != SETT_OK) {
        return (size_t)snprintf(out, size, "%s", sett_world_message(a));
    }
    int length = 0;
    for (uint32_t k = 0; length == 0 && k < selected.count; k++) {
        sett_entity entity = selected.entity[k];
        bool in_a = sett_entity_valid(a, entity);
        bool in_b = sett_entity_valid(b, entity);
        if (in_a != in_b) {
            const sett_entity none = sett_null();
            length = difference_entity(in_a ? entity : none, in_b ? entity : none, out, size);
        } else if (in_a) {
            length = difference_components(a, b, selection, entity, out, size);
        }
    }
    setti_selection_free(a, &selected);
    return length > 0 ? (size_t)length : 0;
}

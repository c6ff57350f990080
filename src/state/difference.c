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

/* The types of the worlds `a` and `b` that have the same name. */
typedef struct difference_pair {
    const setti_type* a; /* NULL: world `a` lacks the type */
    const setti_type* b; /* NULL: world `b` lacks the type */
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
    uint32_t generation_a = setti_entity_generation(&a->entities, index);
    uint32_t generation_b = setti_entity_generation(&b->entities, index);
    if (generation_a == generation_b) {
        return 0;
    }
    return snprintf(out, size,
                    "the next entity at index %u has generation %u in the first world, %u in the "
                    "second (0: the index is used up)",
                    (unsigned)index, (unsigned)(generation_a & ~SETTI_DEAD),
                    (unsigned)(generation_b & ~SETTI_DEAD));
}

/* Returns the mask of the byte at an offset: the bits that are not padding. */
static unsigned char difference_mask(const setti_type* type, size_t offset)
{
    const unsigned char* mask = type->desc.mask;
    return mask != NULL ? mask[offset] : 255;
}

/* Returns the offset of the first byte that differs in two values of the same size. Returns
 * SIZE_MAX if no byte differs. */
static size_t difference_byte(difference_pair pair, const unsigned char* a, const unsigned char* b)
{
    /* setti_hash_size is 0 in a world that does not save the type */
    size_t end = SETTI_MAX(setti_hash_size(pair.a), setti_hash_size(pair.b));
    for (size_t offset = 0; offset < end; offset++) {
        int byte_a = a[offset] & difference_mask(pair.a, offset);
        int byte_b = b[offset] & difference_mask(pair.b, offset);
        if (byte_a != byte_b) {
            return offset;
        }
    }
    return SIZE_MAX;
}

/* Returns a remark if the byte at an offset may be padding. Otherwise returns an empty text. */
static const char* difference_padding(difference_pair pair, size_t offset)
{
    if (difference_mask(pair.a, offset) != difference_mask(pair.b, offset)) {
        return "; padding there is known in one of the worlds only: register it alike";
    }
    bool padding_known = pair.a->padding_known && pair.b->padding_known;
    /* padding never begins at a multiple of the alignment */
    if (padding_known || offset % pair.a->desc.align == 0) {
        return "";
    }
    return "; these bytes may be padding (sett_component_desc.mask)";
}

/* Prints up to eight bytes of a value. `first` is the offset of the first byte to print, and `end`
 * is the size of the value. */
static void difference_print_bytes(char out[32], const unsigned char* value, size_t first,
                                   size_t end)
{
    size_t length = 0;
    out[0] = '\0';
    for (size_t k = first; k < end && k < first + 8; k++) {
        length += (size_t)snprintf(out + length, 32 - length, " %02X", value[k]);
    }
}

/* Writes how two values differ. The text continues the caller's sentence. */
SETTI_COLD static int difference_values(const setti_type* type_a, const void* a,
                                        const setti_type* type_b, const void* b, char* out,
                                        size_t size)
{
    difference_pair pair = {type_a, type_b};
    if (type_a->desc.size != type_b->desc.size) {
        return snprintf(out, size, ": %zu bytes in the first world, %zu in the second",
                        type_a->desc.size, type_b->desc.size);
    }
    bool content_known = type_a->members != NULL || type_a->desc.write != NULL;
    if (content_known && setti_hash_same(type_a, a, b)) {
        return 0; /* the values are equal, although bytes of addresses can differ */
    }
    size_t first = difference_byte(pair, a, b);
    if (first == SIZE_MAX) {
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
    char bytes_a[32];
    char bytes_b[32];
    difference_print_bytes(bytes_a, a, first, type_a->desc.size);
    difference_print_bytes(bytes_b, b, first, type_a->desc.size);
    return snprintf(out, size, " from byte %zu on:%s in the first world,%s in the second%s", first,
                    bytes_a, bytes_b, difference_padding(pair, first));
}

/* Writes the module's descriptions of an entity's values in the two worlds. Returns 0 if the module
 * describes no values, or if the descriptions are equal. */
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

/* Returns the value of an entity. Returns NULL if there is none, or if `type` is NULL. */
static const void* difference_find(const setti_type* type, sett_entity entity)
{
    if (type == NULL) {
        return NULL;
    }
    return setti_storage_find(&type->storage, entity.index);
}

SETTI_COLD static int difference_component(sett_entity entity, difference_pair pair, char* out,
                                           size_t size)
{
    const char* name = pair.a != NULL ? pair.a->desc.name : pair.b->desc.name;
    const void* a = difference_find(pair.a, entity);
    const void* b = difference_find(pair.b, entity);
    if (a == NULL && b == NULL) {
        return 0;
    }
    if (a == NULL || b == NULL) {
        return snprintf(out, size, "entity %u:%u has \"%.100s\" in the %s world only",
                        SETTI_HANDLE(entity), name, a != NULL ? "first" : "second");
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
    int length =
        snprintf(out, size, "entity %u:%u: \"%.100s\" differs", SETTI_HANDLE(entity), name);
    size_t written = SETTI_MIN((size_t)length, size);
    size_t rest_size = size - written;
    char* rest = NULL; /* `out` may be NULL, to measure the text */
    if (out != NULL) {
        rest = out + written;
    }
    int added = difference_described(entity, pair, rest, rest_size);
    if (added == 0) {
        added = difference_values(pair.a, a, pair.b, b, rest, rest_size);
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
        sett_entity entity_a = setti_entity_at(&a->entities, index);
        sett_entity entity_b = setti_entity_at(&b->entities, index);
        if (!sett_equals(entity_a, entity_b)) {
            length = difference_entity(entity_a, entity_b, out, size);
        } else if (!sett_is_null(entity_a)) {
            length = difference_components(a, b, &all, entity_a, out, size);
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
            sett_entity entity_a = in_a ? entity : sett_null();
            sett_entity entity_b = in_b ? entity : sett_null();
            length = difference_entity(entity_a, entity_b, out, size);
        } else if (in_a) {
            length = difference_components(a, b, selection, entity, out, size);
        }
    }
    setti_selection_free(a, &selected);
    return length > 0 ? (size_t)length : 0;
}

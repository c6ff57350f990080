/* difference.c: the first difference between two worlds, in words.
 *
 * The workload: two machines, or two runs, whose hashes parted: where? So it says the lowest entity
 * that differs, and of its components the first registered, and bytes. Types are matched by name.
 */
#include "relation/chain.h"
#include "sett/state.h"
#include "state/hash.h"

#include <stdio.h>

typedef struct difference_pair {
    const setti_type* a; /* NULL: this world does not know the type */
    const setti_type* b;
} difference_pair;

static const setti_type* difference_find(const sett_world* world, const char* name)
{
    sett_component id = sett_component_find(world, name);
    return id != 0 ? setti_world_type(world, id) : NULL;
}

static int difference_entity(sett_entity a, sett_entity b, char* out, size_t size)
{
    if (sett_is_null(b)) {
        return snprintf(out, size, "entity %u:%u is in the first world only", (unsigned)a.index,
                        (unsigned)a.generation);
    }
    if (sett_is_null(a)) {
        return snprintf(out, size, "entity %u:%u is in the second world only", (unsigned)b.index,
                        (unsigned)b.generation);
    }
    return snprintf(out, size, "index %u: entity %u:%u in the first world, %u:%u in the second",
                    (unsigned)a.index, (unsigned)a.index, (unsigned)a.generation, (unsigned)b.index,
                    (unsigned)b.generation);
}

/* The offset of the first byte that counts and differs; SIZE_MAX if none does. */
static size_t difference_byte(const setti_type* type, const unsigned char* a,
                              const unsigned char* b)
{
    sett_byte_range whole;
    uint32_t count;
    const sett_byte_range* range = setti_hash_ranges(type, &whole, &count);
    for (uint32_t k = 0; k < count; k++) {
        for (size_t at = range[k].offset; at < (size_t)range[k].offset + range[k].size; at++) {
            if (a[at] != b[at]) {
                return at;
            }
        }
    }
    return SIZE_MAX;
}

/* Up to eight bytes from an offset on. */
static void difference_print_bytes(char* out, size_t size, const unsigned char* value, size_t at,
                                   size_t end)
{
    size_t length = 0;
    out[0] = '\0';
    for (size_t k = at; k < end && k < at + 8 && length + 3 < size; k++) {
        length += (size_t)snprintf(out + length, size - length, " %02X", value[k]);
    }
}

static int difference_values(sett_entity entity, const setti_type* type, const unsigned char* a,
                             const unsigned char* b, size_t at, char* out, size_t size)
{
    char in_a[32];
    char in_b[32];
    difference_print_bytes(in_a, sizeof(in_a), a, at, type->desc.size);
    difference_print_bytes(in_b, sizeof(in_b), b, at, type->desc.size);
    return snprintf(out, size,
                    "entity %u:%u: \"%.100s\" differs from byte %zu on:%s in the first world,%s in "
                    "the second",
                    (unsigned)entity.index, (unsigned)entity.generation, type->desc.name, at, in_a,
                    in_b);
}

/* The first link of a source that one world has and the other has not, or has with other data. */
static int difference_links(sett_entity entity, const setti_relation* a, const setti_relation* b,
                            bool second, char* out, size_t size)
{
    sett_link_cursor cursor = {NULL, 0, 0, false};
    sett_entity target;
    while (!sett_is_null(target = sett_target_next(a->world, entity, a->links->id, &cursor))) {
        const void* data = sett_related(b->world, entity, b->links->id, target);
        if (data == NULL || (a->data_size == b->data_size && a->data_size != 0 &&
                             memcmp(data, cursor.data, a->data_size) != 0)) {
            return snprintf(out, size, "entity %u:%u: \"%.100s\" leads to entity %u:%u %s",
                            (unsigned)entity.index, (unsigned)entity.generation,
                            a->links->desc.name, (unsigned)target.index,
                            (unsigned)target.generation,
                            data != NULL ? "with other data in the second world"
                            : second     ? "in the second world only"
                                         : "in the first world only");
        }
    }
    return 0;
}

/* 0 if the entity, which both have, is the same in this type. */
static int difference_component(sett_entity entity, difference_pair pair, char* out, size_t size)
{
    const setti_type* any = pair.a != NULL ? pair.a : pair.b;
    const void* a = pair.a != NULL ? setti_storage_find(&pair.a->storage, entity.index) : NULL;
    const void* b = pair.b != NULL ? setti_storage_find(&pair.b->storage, entity.index) : NULL;
    if ((a == NULL) != (b == NULL)) {
        return snprintf(out, size, "entity %u:%u has \"%.100s\" in the %s world only",
                        (unsigned)entity.index, (unsigned)entity.generation, any->desc.name,
                        a != NULL ? "first" : "second");
    }
    if (a == NULL) {
        return 0;
    }
    if (pair.a->desc.size != pair.b->desc.size) {
        return snprintf(out, size, "\"%.100s\" has %zu bytes in the first world, %zu in the second",
                        any->desc.name, pair.a->desc.size, pair.b->desc.size);
    }
    if (pair.a->relation != NULL && pair.b->relation != NULL) {
        int length = difference_links(entity, pair.a->relation, pair.b->relation, false, out, size);
        return length != 0
                   ? length
                   : difference_links(entity, pair.b->relation, pair.a->relation, true, out, size);
    }
    size_t at = difference_byte(pair.a, a, b);
    return at != SIZE_MAX ? difference_values(entity, pair.a, a, b, at, out, size) : 0;
}

static int difference_components(const sett_world* a, const sett_world* b, sett_entity entity,
                                 char* out, size_t size)
{
    int length = 0;
    for (uint32_t k = 0; length == 0 && k < a->registered.count; k++) {
        const setti_type* type = a->registered.item[k];
        difference_pair pair = {type, difference_find(b, type->desc.name)};
        length = difference_component(entity, pair, out, size);
    }
    for (uint32_t k = 0; length == 0 && k < b->registered.count; k++) {
        const setti_type* type = b->registered.item[k];
        if (type->storage.count != 0 && difference_find(a, type->desc.name) == NULL) {
            difference_pair pair = {NULL, type};
            length = difference_component(entity, pair, out, size);
        }
    }
    return length;
}

size_t sett_world_difference(const sett_world* a, const sett_world* b, char* out, size_t size)
{
    uint32_t end =
        SETTI_MAX(setti_id_set_capacity(&a->entities.ids), setti_id_set_capacity(&b->entities.ids));
    int length = 0;
    for (uint32_t index = 0; length == 0 && index < end; index++) {
        sett_entity in_a = setti_entity_at(&a->entities, index);
        sett_entity in_b = setti_entity_at(&b->entities, index);
        if (!sett_equals(in_a, in_b)) {
            length = difference_entity(in_a, in_b, out, size);
        } else if (!sett_is_null(in_a)) {
            length = difference_components(a, b, in_a, out, size);
        }
    }
    if (length == 0 && size != 0) {
        out[0] = '\0';
    }
    return length > 0 ? (size_t)length : 0;
}

/* change_word.c: up to 64 neighbouring entities get a component together. This is for components
 * that run no callback and need no other type. The slow path, setti_change_put, handles every case.
 *
 * The workload: a world is read from a file, type by type. Most of the 64 entities have the same
 * signature. So the signature with the type is looked up only for an entity whose signature differs
 * from the previous one. Runs of values are copied by one call.
 *
 * Invariant:  all steps that can fail precede the first change: either all entities of a word get
 *             the component, or no entity
 */
#include "world/change.h"

/* The flags that a bare type may have. */
#define WORD_PLAIN (SETTI_TYPE_REQUIRED | SETTI_TYPE_SHARED | SETTI_TYPE_OTHER)

bool setti_change_is_bare(const sett_world* world, const setti_type* type)
{
    return SETTI_FAST_PATHS && world->listeners == NULL &&
           (type->flags & ~(uint32_t)WORD_PLAIN) == 0;
}

/* Reports that memory ran out. Returns false. */
static bool word_no_memory(sett_world* world, const setti_type* type, const char* call)
{
    setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, call, sett_null(), type->id);
    return false;
}

/* Looks up the signatures after the change. For the entity at an index, after[index - first]
 * becomes its signature. Returns false after an error. */
static bool word_prepare(sett_world* world, const setti_type* type, uint32_t first, uint64_t bits,
                         uint32_t* after, const char* call)
{
    const setti_entity_page* page = setti_entity_page_of(&world->entities, first);
    uint32_t known = SETTI_NONE; /* the signature of the previous entity; none before the first */
    uint32_t with_type = 0;      /* `known` with the type added */
    for (uint64_t rest = bits; rest != 0; rest &= rest - 1) {
        uint32_t k = setti_bits_lowest(rest);
        uint32_t slot = (first + k) & SETTI_ENTITY_MASK;
        if (page == NULL || (page->generation[slot] & SETTI_DEAD) != 0) {
            sett_entity dead = setti_entity_upcoming(&world->entities, first + k);
            setti_world_fail(world, SETT_STATUS_STALE, call, dead, type->id);
            return false;
        }
        if (page->signature[slot] != known) {
            known = page->signature[slot];
            with_type = setti_edit_toggle(world, known, type);
        }
        if (with_type == SETTI_NONE) {
            return word_no_memory(world, type, call);
        }
        after[k] = with_type;
    }
    return true;
}

/* Writes `count` values, and zeroes their padding. If `values` is NULL, all bytes become zero. */
static void word_write(const setti_type* type, unsigned char* row, const unsigned char* values,
                       uint32_t count)
{
    const unsigned char* mask = type->desc.mask;
    size_t size = (size_t)count * type->storage.size;
    if (values == NULL) {
        memset(row, 0, size);
        return;
    }
    memcpy(row, values, size);
    for (size_t k = 0; mask != NULL && k < size; k++) {
        row[k] &= mask[k % type->storage.size];
    }
}

bool setti_change_add_word(sett_world* world, setti_type* type, uint32_t first, uint64_t bits,
                           const unsigned char* values, const char* call)
{
    setti_storage* storage = &type->storage;
    uint32_t after[64]; /* the signatures after the change, by index - first */
    SETTI_ASSERT(first % 64 == 0 && bits != 0 && setti_change_is_bare(world, type));
    SETTI_ASSERT(world->locks == 0 && call != NULL);
    setti_edit_settle(world);
    if (!word_prepare(world, type, first, bits, after, call)) {
        return false;
    }
    if (!setti_storage_reserve_rows(&world->pool, storage, setti_bits_count(bits)) ||
        !setti_storage_reserve_indices(&world->pool, storage, first, 64)) {
        return word_no_memory(world, type, call);
    }
    setti_entity_write(&world->pool, &world->entities, first);
    setti_entity_page* page = setti_entity_page_of(&world->entities, first);
    for (uint64_t rest = bits; rest != 0;) {
        uint32_t k = setti_bits_lowest(rest);
        uint64_t gap = ~(rest >> k); /* its lowest set bit is the end of the run that begins at k */
        uint32_t count = 64;         /* the length of the run */
        if (gap != 0) {
            count = setti_bits_lowest(gap);
        }
        /* `count` becomes the number of inserted rows, which may be less than the run */
        unsigned char* row = setti_storage_insert(&world->pool, storage, first + k, &count);
        SETTI_ASSERT(count != 0);
        if (storage->size != 0) {
            word_write(type, row, values, count);
            if (values != NULL) {
                values += (size_t)count * storage->size;
            }
        }
        memcpy(&page->signature[(first + k) & SETTI_ENTITY_MASK], after + k,
               count * sizeof(*after));
        rest &= ~(setti_bits_below(count) << k);
    }
    return true;
}

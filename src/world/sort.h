/* sort.h: calls of sort.c for other modules. */
#ifndef SETTI_SORT_H
#define SETTI_SORT_H

#include "sett/members.h"
#include "world/world.h"

/* Converts a number to an unsigned key. Keys have the same order as the numbers. */
static inline uint64_t setti_sort_key(const void* value, sett_key_kind kind)
{
    SETTI_ASSERT(value != NULL && kind != SETT_KEY_NONE && kind <= SETT_KEY_F64);
    uint32_t narrow = 0;
    uint64_t wide = 0;
    if (kind == SETT_KEY_U64 || kind == SETT_KEY_I64 || kind == SETT_KEY_F64) {
        memcpy(&wide, value, sizeof(wide));
    } else {
        memcpy(&narrow, value, sizeof(narrow));
        wide = (uint64_t)narrow << 32; /* so that the sign is the highest bit */
    }
    uint64_t sign = (uint64_t)1 << 63;
    switch (kind) {
    case SETT_KEY_I32:
    case SETT_KEY_I64:
        wide ^= sign;
        break;
    case SETT_KEY_F32:
    case SETT_KEY_F64:
        if ((wide & sign) != 0) {
            wide = ~wide; /* the bits of negative floats descend */
        } else {
            wide |= sign; /* above all negative floats */
        }
        break;
    case SETT_KEY_NONE:
    case SETT_KEY_U32:
    case SETT_KEY_U64:
        break;
    }
    return wide;
}

/* Whether a key of a kind can be at `offset` in values of a type. Returns false only if the type
 * has a member there that is a number of another kind. */
static inline bool setti_sort_key_fits(const setti_type* type, size_t offset, sett_key_kind kind)
{
    static const sett_member_kind value_kinds[] = {
        /* by sett_key_kind */
        SETT_MEMBER_UNKNOWN, SETT_MEMBER_U32, SETT_MEMBER_I32, SETT_MEMBER_F32,
        SETT_MEMBER_U64,     SETT_MEMBER_I64, SETT_MEMBER_F64};
    const sett_struct* structure = type->desc.members;
    if (structure == NULL) {
        return true; /* the members are not known */
    }
    for (uint32_t k = 0; k < structure->count; k++) {
        const sett_member* member = &structure->members[k];
        bool is_number = member->kind >= SETT_MEMBER_BOOL && member->kind <= SETT_MEMBER_F64;
        if (is_number && member->offset == offset) {
            return member->kind == value_kinds[kind];
        }
    }
    return true; /* no number is known at the offset */
}

/* A walk that visits entities in sorted order. */
typedef struct setti_sort_walk {
    /* Returns the index of the next entity, or SETTI_NONE at the end. */
    uint32_t (*next)(struct setti_sort_walk* walk);
} setti_sort_walk;

/* Sorts the rows of a type in the order of a walk. Entities that the walk does not visit follow. */
sett_status setti_sort_in_order(sett_world* world, sett_component component, const char* call,
                                setti_sort_walk* walk);

/* Moves the row old_rows[k] to the row k, for all k < count. Returns false if memory runs out. */
bool setti_sort_rows(sett_world* world, setti_type* type, const uint32_t* old_rows, uint32_t count);

#endif

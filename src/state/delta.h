/* delta.h: what the two ends of a delta share: how its bytes are laid out, and what may travel.
 *
 *     head     magic, version, hash before, hash after, bytes in all, hash of the bytes from here
 *              on; counts of the next four
 *     types    name, form and kind, size, layout version, bytes a value, hash of its mask, counts
 *              of its three, extent
 *     ended    index, generation            ascending by index
 *     begun    index, generation            ascending by index
 *     slots    index, next generation       ascending: dead indices whose next life is not the next
 *     and type by type
 *     entries  kind, index, value           ascending by index; removed: no value
 *     lists    owner, kept, count, members  ascending by owner: what follows the first `kept`
 *     rows     runs of a sparse set's rows: first row, count, indices; a gap is SETTI_NONE
 *
 * All numbers are little-endian and lie one after another without gaps.
 *
 * The form says what a value looks like, and how it is made:
 *
 *     values   its bytes, padding as zeroes (sett_component_desc.mask and bytes)
 *     tree     parent's index plus one, policy       lists: children of an owner
 *     name     length, text
 *     link     target, data                          lists: sources of an owner
 *     links    how many, of each target and data     lists: sources of an owner
 *     target   nothing: that it has the list
 *
 * A list is sent where it is not what comes out of the entries alone: whoever was in it before and
 * is in it still, as they were, then those who are new, ascending.
 */
#ifndef SETTI_DELTA_H
#define SETTI_DELTA_H

#include "relation/chain.h"
#include "relation/links.h"
#include "relation/name_table.h"

#define SETTI_DELTA_MAGIC 0x44544553u /* "SETD" */
/* 1: no links, no order; 2: spare pages; 3: no masks; 4: order of free indices */
#define SETTI_DELTA_VERSION 5u
#define SETTI_DELTA_COUNTS 40 /* where the head's counts are, and the checked bytes */
#define SETTI_DELTA_HEAD (SETTI_DELTA_COUNTS + 4 * 4) /* bytes */

typedef enum setti_delta_kind {
    SETTI_DELTA_REMOVED,
    SETTI_DELTA_ADDED,
    SETTI_DELTA_CHANGED,
    SETTI_DELTA_KINDS
} setti_delta_kind;

typedef enum setti_delta_form {
    SETTI_DELTA_VALUES,
    SETTI_DELTA_TREE,
    SETTI_DELTA_NAME,
    SETTI_DELTA_LINK,
    SETTI_DELTA_LINKS,
    SETTI_DELTA_TARGET
} setti_delta_form;

/* How values of a type travel. */
setti_delta_form setti_delta_form_of(const sett_world* world, const setti_type* type);

/* NULL, or why values of this type cannot travel. */
const char* setti_delta_rejects(const setti_type* type);

/* Bytes of a value; of links: of each of its targets; of a name: 0. */
uint32_t setti_delta_bytes(const sett_world* world, const setti_type* type);

/* Applies a delta; `trust` leaves out the comparison of hashes, for tests. */
sett_status setti_delta_apply(sett_world* world, const void* bytes, size_t size, bool trust);

#endif

/* entity_table.c: see entity_table.h. Creating takes the first free row of the complete sparse set,
 * destroying gives the row back.
 *
 *     rows     | alive and retired | reserved | free ...        of ids.dense
 *              0               count   + reserved
 *
 * Invariant:  row < count <=> its index is alive or retired;  alive <=> generation has no
 * SETTI_DEAD;
 *             not alive => signature == 0;  retired = members with generation == SETTI_RETIRED;
 *             the page of every member and of every reserved index exists
 */
#include "world/entity_table.h"

#include <string.h>

void setti_entity_init(setti_entity_table* table, uint32_t limit)
{
    memset(table, 0, sizeof(*table));
    setti_pages_init(&table->pages, sizeof(setti_entity_page), 64);
    setti_id_set_init(&table->ids, limit);
}

static bool entity_reserve_page(setti_pool* pool, setti_entity_table* table, uint32_t index)
{
    uint32_t number = index >> SETTI_ID_SET_SHIFT;
    bool fresh;
    if (SETTI_LIKELY(setti_entity_page_of(table, index) != NULL)) {
        return true;
    }
    if (!setti_pages_ensure(pool, &table->pages, number, &fresh)) {
        return false;
    }
    setti_entity_page* page = table->pages.data[number];
    for (uint32_t k = 0; fresh && k < SETTI_ID_SET_ROWS; k++) {
        page->generation[k] = SETTI_DEAD | 1;
        page->signature[k] = 0;
    }
    return true;
}

sett_status setti_entity_reserve_index(setti_pool* pool, setti_entity_table* table, uint32_t index)
{
    if (index >= table->ids.limit) {
        return SETT_STATUS_LIMIT;
    }
    /* Creation swaps with row `count` and, where there are reservations, with the row behind them
     * first. */
    setti_id_set* ids = &table->ids;
    uint32_t behind = ids->count + table->reserved;
    bool reserved = setti_id_set_reserve_id(pool, ids, index) &&
                    setti_id_set_reserve_page(pool, ids, behind) &&
                    setti_id_set_reserve_page(pool, ids, setti_id_set_dense(ids, behind)) &&
                    entity_reserve_page(pool, table, index);
    return reserved ? SETT_OK : SETT_STATUS_OUT_OF_MEMORY;
}

sett_status setti_entity_reserve(setti_pool* pool, setti_entity_table* table, uint32_t count)
{
    uint32_t taken = table->ids.count + table->reserved;
    if (count > table->ids.limit - taken) {
        return SETT_STATUS_LIMIT;
    }
    /* Rows without a page are the identity, page after page: one look a page is enough for them.
     * What the first needs of the set is there for all, and whose page exists needs no more. */
    for (uint32_t k = 0; k < count;) {
        uint32_t row = taken + k;
        bool fresh = setti_id_set_page_of(&table->ids, row) == NULL;
        if (k != 0 && !fresh && setti_entity_page_of(table, setti_entity_upcoming(table, k))) {
            k++;
            continue;
        }
        if (!setti_id_set_reserve_page(pool, &table->ids, row)) {
            return SETT_STATUS_OUT_OF_MEMORY;
        }
        sett_status status =
            setti_entity_reserve_index(pool, table, setti_entity_upcoming(table, k));
        if (status != SETT_OK) {
            return status;
        }
        k += fresh ? SETTI_ID_SET_ROWS - (row & SETTI_ID_SET_MASK) : 1;
    }
    return SETT_OK;
}

void setti_entity_create_at(setti_pool* pool, setti_entity_table* table, sett_entity entity)
{
    setti_id_set* ids = &table->ids;
    /* first to the end of the reserved rows, then in front of them */
    if (SETTI_UNLIKELY(table->reserved != 0)) {
        setti_id_set_swap(pool, ids, setti_id_set_sparse(ids, entity.index),
                          ids->count + table->reserved);
    }
    setti_id_set_request(pool, ids, entity.index);
    setti_entity_write(pool, table, entity.index);
    setti_entity_page_of(table, entity.index)->generation[entity.index & SETTI_ID_SET_MASK] =
        entity.generation;
}

void setti_entity_create_run(setti_pool* pool, setti_entity_table* table, uint32_t run, bool down,
                             uint32_t signature, sett_entity* out)
{
    for (uint32_t done = 0; done < run;) {
        uint32_t first = setti_entity_upcoming(table, 0);
        uint32_t slot = first & SETTI_ID_SET_MASK;
        uint32_t count = SETTI_MIN(run - done, down ? slot + 1 : SETTI_ID_SET_ROWS - slot);
        if (table->reserved != 0) { /* each has to be exchanged with a reserved row */
            count = 1;
            setti_entity_create(pool, table);
        } else {
            table->ids.count += count;
        }
        setti_entity_page* page = setti_entity_page_of(table, first);
        setti_entity_write(pool, table, first);
        uint32_t lowest = down ? slot + 1 - count : slot;
        for (uint32_t k = lowest; k < lowest + count; k++) {
            page->generation[k] &= ~SETTI_DEAD;
            page->signature[k] = signature;
        }
        for (uint32_t k = 0; out != NULL && k < count; k++) {
            out[done + k].index = down ? first - k : first + k;
            out[done + k].generation = page->generation[down ? slot - k : slot + k];
        }
        done += count;
    }
}

void setti_entity_destroy_rare(setti_pool* pool, setti_entity_table* table, uint32_t index)
{
    setti_entity_page* page = setti_entity_page_of(table, index);
    uint32_t slot = index & SETTI_ID_SET_MASK;
    setti_entity_write(pool, table, index);
    page->signature[slot] = 0;
    if (page->generation[slot] == SETTI_GENERATION_MAX) {
        page->generation[slot] = SETTI_RETIRED; /* stays a member, so that nobody gets it again */
        table->retired++;
        return;
    }
    page->generation[slot] = (page->generation[slot] + 1) | SETTI_DEAD;
    setti_id_set_remove(pool, &table->ids, index);
    /* It lies in front of the reserved rows: to behind them. */
    setti_id_set_swap(pool, &table->ids, table->ids.count, table->ids.count + table->reserved);
}

void setti_entity_leave(setti_pool* pool, setti_entity_table* table, uint32_t count,
                        uint32_t retired)
{
    setti_id_set* ids = &table->ids;
    uint32_t end = ids->count;
    uint32_t cow = end - count; /* rows below stay: in front those that are retired */
    for (uint32_t row = cow; retired != 0; row++) {
        uint32_t index = setti_id_set_dense(ids, row);
        const setti_entity_page* page = setti_entity_page_of(table, index);
        if (page->generation[index & SETTI_ID_SET_MASK] == SETTI_RETIRED) {
            setti_id_set_swap(pool, ids, row, cow++);
            retired--;
        }
    }
    ids->count = cow;
    table->retired -= end - cow;
    /* They lie in front of the reserved rows: to behind them. */
    for (uint32_t k = 0; k < SETTI_MIN(end - cow, table->reserved); k++) {
        setti_id_set_swap(pool, ids, cow + k, end + table->reserved - 1 - k);
    }
}

void setti_entity_set_next(setti_pool* pool, setti_entity_table* table, sett_entity entity)
{
    setti_entity_page* page = setti_entity_page_of(table, entity.index);
    SETTI_ASSERT((page->generation[entity.index & SETTI_ID_SET_MASK] & SETTI_DEAD) != 0);
    setti_entity_write(pool, table, entity.index);
    page->generation[entity.index & SETTI_ID_SET_MASK] = entity.generation | SETTI_DEAD;
}

sett_entity setti_entity_reservation(setti_entity_table* table)
{
    sett_entity entity = setti_entity_in_row(table, table->ids.count + table->reserved);
    table->reserved++;
    return entity;
}

bool setti_entity_reserve_reservation(setti_pool* pool, setti_entity_table* table, uint32_t index,
                                      uint32_t ahead)
{
    /* One exchange: of the index's row with the first behind all that is reserved by then. Those
     * before it move only what lies in rows that they reserved as well. */
    setti_id_set* ids = &table->ids;
    uint32_t behind = ids->count + table->reserved + ahead;
    return setti_id_set_reserve_page(pool, ids, index) &&
           setti_id_set_reserve_page(pool, ids, setti_id_set_sparse(ids, index)) &&
           setti_id_set_reserve_page(pool, ids, behind) &&
           setti_id_set_reserve_page(pool, ids, setti_id_set_dense(ids, behind)) &&
           entity_reserve_page(pool, table, index);
}

void setti_entity_reservation_index(setti_pool* pool, setti_entity_table* table, uint32_t index)
{
    setti_id_set* ids = &table->ids;
    SETTI_ASSERT(setti_id_set_sparse(ids, index) >= ids->count + table->reserved);
    setti_id_set_swap(pool, ids, setti_id_set_sparse(ids, index), ids->count + table->reserved);
    table->reserved++;
}

bool setti_entity_is_reserved(const setti_entity_table* table, uint32_t index)
{
    uint32_t row = setti_id_set_sparse(&table->ids, index);
    return row >= table->ids.count && row - table->ids.count < table->reserved;
}

void setti_entity_keep_reservation(setti_pool* pool, setti_entity_table* table, uint32_t index)
{
    SETTI_ASSERT(setti_entity_is_reserved(table, index));
    setti_id_set* ids = &table->ids;
    setti_entity_page* page = setti_entity_page_of(table, index);
    sett_entity entity = {index, page->generation[index & SETTI_ID_SET_MASK] & ~SETTI_DEAD};
    if (setti_id_set_sparse(ids, index) != ids->count) {
        setti_entity_break_reservation(pool, table, index);
        setti_entity_create_at(pool, table, entity);
        return;
    }
    /* Reservations are mostly kept in the order in which they were made. The two exchanges that the
     * other way takes would undo each other: it is in its row already. */
    setti_entity_write(pool, table, index);
    page->generation[index & SETTI_ID_SET_MASK] = entity.generation;
    table->reserved--;
    ids->count++;
}

void setti_entity_break_reservation(setti_pool* pool, setti_entity_table* table, uint32_t index)
{
    SETTI_ASSERT(setti_entity_is_reserved(table, index));
    table->reserved--;
    setti_id_set_swap(pool, &table->ids, setti_id_set_sparse(&table->ids, index),
                      table->ids.count + table->reserved);
}

const char* setti_entity_validate(const setti_entity_table* table)
{
    const char* reason = setti_id_set_validate(&table->ids);
    if (reason != NULL) {
        return reason;
    }
    uint32_t retired = 0;
    for (uint32_t row = 0; row < setti_id_set_capacity(&table->ids); row++) {
        uint32_t index = setti_id_set_dense(&table->ids, row);
        const setti_entity_page* page = setti_entity_page_of(table, index);
        if (page == NULL) {
            if (row < table->ids.count + table->reserved) {
                return "entity table: a member or a reserved index has no page";
            }
            continue;
        }
        uint32_t generation = page->generation[index & SETTI_ID_SET_MASK];
        bool member = row < table->ids.count;
        bool alive = (generation & SETTI_DEAD) == 0;
        retired += member && generation == SETTI_RETIRED;
        if (alive != (member && generation != SETTI_RETIRED) || generation == 0) {
            return "entity table: alive without being a member, or the other way round";
        }
        if (!alive && page->signature[index & SETTI_ID_SET_MASK] != 0) {
            return "entity table: a dead slot has a signature";
        }
    }
    return retired == table->retired ? NULL : "entity table: retired slots miscounted";
}

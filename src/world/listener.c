/* listener.c: members of groups and tracked sets. See listener.h.
 *
 * An owning group places the members in the first rows of all owned storages, in the same order. So
 * a loop over the members reads plain arrays:
 *
 *     A   e7 e4 | e8 e6 e3         length 2
 *     B   e7 e4 | e5
 *
 * In each storage, an entity that enters exchanges rows with the first entity after the members. An
 * entity that leaves exchanges rows with the last member. A tracked set has a bitmap of members and
 * moves no values. An observer has no members.
 *
 * Invariant:  e is a member <=> e's signature has all types of `with`, no type of `without`, a type
 *             of `any`, and no tag of `hidden` (except tags in `with` or `any`);
 *             group: rows 0..length-1 of all owned storages hold the same entities in the same
 *             order
 */
#include "world/listener.h"

#include "world/world.h"

bool setti_listener_require(setti_pool* pool, setti_listener* listener, setti_type* type)
{
    if (!setti_type_list_add(pool, &listener->with, type)) {
        return false;
    }
    if (type->off == NULL) {
        return true; /* the type cannot be switched off */
    }
    return setti_type_list_add(pool, &listener->without, type->off);
}

bool setti_listener_is_on(const setti_signature_table* table, uint32_t signature,
                          const setti_type* type)
{
    if (signature == SETTI_NONE || !setti_signature_has(table, signature, type->id)) {
        return false;
    }
    return type->off == NULL || !setti_signature_has(table, signature, type->off->id);
}

/* Whether a signature meets the condition `any`. */
static bool listener_has_any(const setti_listener* listener, const setti_signature_table* table,
                             uint32_t signature)
{
    if (listener->any.count == 0) {
        return true;
    }
    for (uint32_t k = 0; k < listener->any.count; k++) {
        if (setti_listener_is_on(table, signature, listener->any.item[k])) {
            return true;
        }
    }
    return false;
}

/* Whether a signature has a hidden tag that the conditions do not name. */
static bool listener_hides(const setti_listener* listener, const setti_signature_table* table,
                           uint32_t signature)
{
    if (listener->hidden == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < SETTI_HIDDEN; k++) {
        const setti_type* tag = listener->hidden[k];
        bool has_tag = tag != NULL && setti_signature_has(table, signature, tag->id);
        if (!has_tag) {
            continue;
        }
        if (!setti_type_list_has(&listener->with, tag) &&
            !setti_type_list_has(&listener->any, tag)) {
            return true;
        }
    }
    return false;
}

bool setti_listener_matches(const setti_listener* listener, const setti_signature_table* table,
                            uint32_t signature)
{
    if (signature == SETTI_NONE) {
        return false; /* the entity does not exist */
    }
    for (uint32_t k = 0; k < listener->with.count; k++) {
        if (!setti_signature_has(table, signature, listener->with.item[k]->id)) {
            return false;
        }
    }
    for (uint32_t k = 0; k < listener->without.count; k++) {
        if (setti_signature_has(table, signature, listener->without.item[k]->id)) {
            return false;
        }
    }
    return !listener_hides(listener, table, signature) &&
           listener_has_any(listener, table, signature);
}

bool setti_listener_has(const setti_listener* listener, uint32_t index)
{
    SETTI_ASSERT(!listener->observes);
    if (listener->owned.count == 0) {
        return setti_storage_has(&listener->members, index);
    }
    return setti_sparse_row(&listener->owned.item[0]->storage, index) < listener->length;
}

bool setti_listener_reserve(setti_pool* pool, setti_listener* listener, uint32_t index)
{
    if (listener->owned.count != 0 || listener->observes) {
        return true; /* no bitmap of members */
    }
    return setti_storage_reserve(pool, &listener->members, index);
}

/* Exchanges two values of an owned storage. */
static void group_exchange_values(const setti_listener* group, const setti_storage* storage,
                                  void* a, void* b)
{
    SETTI_ASSERT(storage->move == NULL || group->row_size >= storage->size);
    unsigned char* x = a;
    unsigned char* y = b;
    if (storage->move != NULL) {
        storage->move(group->row, x, 1, storage->user);
        storage->move(x, y, 1, storage->user);
        storage->move(y, group->row, 1, storage->user);
        return;
    }
    unsigned char buffer[64];
    for (size_t left = storage->size; left != 0;) {
        size_t part = SETTI_MIN(left, sizeof(buffer));
        setti_row_copy(buffer, x, part);
        setti_row_copy(x, y, part);
        setti_row_copy(y, buffer, part);
        x += part;
        y += part;
        left -= part;
    }
}

/* Exchanges two rows of an owned storage. */
static void group_swap(setti_pool* pool, const setti_listener* group, setti_storage* storage,
                       uint32_t a, uint32_t b)
{
    SETTI_ASSERT(a < storage->extent && b < storage->extent);
    if (a == b) {
        return;
    }
    uint32_t index_a = *setti_storage_index(storage, a);
    uint32_t index_b = *setti_storage_index(storage, b);
    setti_sparse_assign_row(pool, storage, index_a, b);
    setti_sparse_assign_row(pool, storage, index_b, a);
    if (storage->tracked) {
        uint64_t tick = *setti_storage_tick(storage, a);
        setti_storage_move_tick(storage, b, storage, a); /* a gets the tick of b */
        setti_pages_join_restored(&storage->rows, a >> storage->shift, b >> storage->shift);
        *setti_storage_tick(storage, b) = tick;
    }
    if (storage->size != 0) {
        group_exchange_values(group, storage, setti_storage_at(storage, a),
                              setti_storage_at(storage, b));
    }
}

/* Moves the entity `index` to the row `row` in all owned storages. The entity in the row `row` gets
 * the old row of `index`. */
static void group_exchange(setti_pool* pool, const setti_listener* group, uint32_t index,
                           uint32_t row)
{
    for (uint32_t k = 0; k < group->owned.count; k++) { /* prefetches, so that misses overlap */
        const setti_storage* storage = &group->owned.item[k]->storage;
        uint32_t old_row = setti_sparse_row(storage, index);
        SETTI_PREFETCH(setti_storage_at(storage, old_row));
        SETTI_PREFETCH(setti_storage_index(storage, old_row));
        SETTI_PREFETCH(setti_sparse_entry(storage, *setti_storage_index(storage, row)));
    }
    for (uint32_t k = 0; k < group->owned.count; k++) {
        setti_storage* storage = &group->owned.item[k]->storage;
        group_swap(pool, group, storage, setti_sparse_row(storage, index), row);
    }
}

void setti_listener_enter(setti_pool* pool, setti_listener* listener, uint32_t index)
{
    if (listener->observes) {
        return;
    }
    SETTI_ASSERT(!setti_listener_has(listener, index));
    if (listener->owned.count == 0) {
        uint32_t count = 1;
        setti_storage_insert(pool, &listener->members, index, &count);
        return;
    }
    listener->use.churn++;
    group_exchange(pool, listener, index, listener->length++); /* the row after the members */
}

void setti_listener_leave(setti_pool* pool, setti_listener* listener, uint32_t index)
{
    if (listener->observes) {
        return;
    }
    SETTI_ASSERT(setti_listener_has(listener, index));
    if (listener->owned.count == 0) {
        setti_storage_erase(pool, &listener->members, index);
        return;
    }
    listener->use.churn++;
    group_exchange(pool, listener, index, --listener->length); /* the last member's row */
}

SETTI_COLD const char* setti_listener_validate(const setti_listener* listener)
{
    if (listener->owned.count == 0) {
        return setti_storage_validate(&listener->members);
    }
    const setti_storage* first = &listener->owned.item[0]->storage;
    for (uint32_t k = 0; k < listener->owned.count; k++) {
        const setti_storage* storage = &listener->owned.item[k]->storage;
        if (storage->extent < listener->length) {
            return "group: longer than a storage that it owns";
        }
        for (uint32_t row = 0; row < listener->length; row++) {
            if (*setti_storage_index(storage, row) != *setti_storage_index(first, row)) {
                return "group: owned storages differ in their first rows";
            }
        }
    }
    return NULL;
}

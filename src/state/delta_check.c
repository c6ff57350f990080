/* delta_check.c: checks a parsed delta against the world, before the first change.
 *
 * The workload: any bytes meet any world. Entities may not exist, and components may exist already.
 * A part of a world, from a selection, may have what `allowed` excludes. A part's entries are
 * first written anew: with full values in place of rounded ones, and without dead targets.
 *
 * Invariant:  a check leaves the world's state unchanged
 */
#include "base/bits.h"
#include "state/delta_reader.h"
#include "state/selection.h"

#define CHECK_NODE_BYTES 5u /* the fewest bytes of a hierarchy entry: parent and policy */
#define CHECK_LINK_BYTES 8u /* the fewest bytes of a link: its target */

/* ------------------------------------------------------------------------------------- entities */

static bool check_has_index(const setti_delta_handles* list, uint32_t index)
{
    sett_entity entity;
    return setti_delta_find_handle(list, index, &entity);
}

static bool check_has_handle(const setti_delta_handles* list, sett_entity entity)
{
    sett_entity found;
    return setti_delta_find_handle(list, entity.index, &found) && sett_equals(found, entity);
}

/* Whether the delta may contain an entity. */
static bool check_is_allowed(const setti_delta* delta, sett_entity entity)
{
    if (delta->part == NULL || delta->part->entities == NULL) {
        return true;
    }
    return setti_selected_has(delta->part->entities, entity);
}

static sett_status check_reject_excluded(const setti_delta* delta, sett_entity entity,
                                         const char* verb)
{
    return setti_delta_fail(
        delta, SETT_STATUS_INVALID,
        "the selection %s entity %u:%u, which `allowed` excludes - discard the selection, or "
        "allow the entity",
        verb, SETTI_HANDLE(entity));
}

static sett_status check_ended(const setti_delta* delta)
{
    setti_delta_handles handles = delta->ended;
    sett_entity entity;
    while (setti_delta_next_handle(&handles, &entity)) {
        if (delta->part == NULL && !sett_entity_valid(delta->world, entity)) {
            return setti_delta_reject(delta, "entity %u:%u is destroyed, but does not exist",
                                      SETTI_HANDLE(entity));
        }
        if (!check_is_allowed(delta, entity)) {
            return check_reject_excluded(delta, entity, "destroys");
        }
    }
    return SETT_OK;
}

/* Returns the generation that the slot `index` has after the delta has destroyed entities. *dead
 * becomes true if no entity has the slot then. Returns SETTI_RETIRED if the slot is used up. */
static uint32_t check_generation(const setti_delta* delta, uint32_t index, bool* dead)
{
    uint32_t current = setti_entity_generation(&delta->world->entities, index);
    *dead = (current & SETTI_DEAD) != 0;
    if (!*dead && check_has_handle(&delta->ended, (sett_entity){index, current})) {
        *dead = true;
        if (current == SETTI_GENERATION_MAX) {
            return SETTI_RETIRED; /* the slot's last entity ends */
        }
    }
    return current;
}

/* Fails because this world cannot create an entity at its index.
 *   current  the generation of the index in this world
 *   dead     no entity of this world has the index */
static sett_status check_reject_index(const setti_delta* delta, sett_entity entity,
                                      uint32_t current, bool dead)
{
    if (delta->part == NULL) {
        return setti_delta_reject(delta, "entity %u:%u is created, and its index %s",
                                  SETTI_HANDLE(entity), dead ? "is used up" : "has an entity");
    }
    if (dead) {
        return setti_delta_fail(
            delta, SETT_STATUS_INVALID,
            "the selection has entity %u:%u, and this world has used up the generations of that "
            "index - give this world another range of indices (sett_entity_set_range)",
            SETTI_HANDLE(entity));
    }
    return setti_delta_fail(
        delta, SETT_STATUS_INVALID,
        "the selection has entity %u:%u, and entity %u:%u of this world has the same index - "
        "destroy that entity, or give this world another range of indices before it creates "
        "entities (sett_entity_set_range)",
        SETTI_HANDLE(entity), (unsigned)entity.index, (unsigned)current);
}

static sett_status check_reject_limit(const setti_delta* delta, uint32_t index)
{
    return setti_delta_fail(
        delta, SETT_STATUS_LIMIT,
        "the %s has entity index %u, and the entity_limit of this world is %u - create this world "
        "with a higher limit",
        setti_delta_noun(delta), (unsigned)index, (unsigned)delta->world->entities.limit);
}

static sett_status check_begun(const setti_delta* delta)
{
    setti_delta_handles handles = delta->begun;
    sett_entity entity;
    while (setti_delta_next_handle(&handles, &entity)) {
        bool dead;
        uint32_t current = check_generation(delta, entity.index, &dead);
        bool exists = !dead && current == entity.generation;
        if (!check_is_allowed(delta, entity)) {
            return check_reject_excluded(delta, entity, exists ? "changes" : "creates");
        }
        if (delta->part != NULL && exists) {
            continue; /* a part lists all entities with entries, also those that exist here */
        }
        if (entity.generation == 0 || entity.generation > SETTI_GENERATION_MAX) {
            return setti_delta_reject(delta, "entity %u:%u has an invalid generation",
                                      SETTI_HANDLE(entity));
        }
        if (entity.index >= delta->world->entities.limit) {
            return check_reject_limit(delta, entity.index);
        }
        if (!dead || current == SETTI_RETIRED) {
            return check_reject_index(delta, entity, current, dead);
        }
    }
    return SETT_OK;
}

static sett_status check_slots(const setti_delta* delta)
{
    setti_delta_handles handles = delta->slots;
    sett_entity slot;
    if (delta->part != NULL) {
        return SETT_OK; /* a part lists parents here, dead parents too */
    }
    while (setti_delta_next_handle(&handles, &slot)) {
        bool dead;
        uint32_t current = check_generation(delta, slot.index, &dead);
        if (!dead || check_has_index(&delta->begun, slot.index)) {
            return setti_delta_reject(delta, "index %u is freed, but has an entity",
                                      (unsigned)slot.index);
        }
        if (slot.index >= delta->world->entities.limit) {
            return check_reject_limit(delta, slot.index);
        }
        if (current == SETTI_RETIRED || (slot.generation & SETTI_DEAD) == 0) {
            return setti_delta_reject(delta, "index %u is freed with an invalid generation",
                                      (unsigned)slot.index);
        }
    }
    return SETT_OK;
}

setti_fate setti_delta_fate(const setti_delta* delta, uint32_t index)
{
    sett_entity present = setti_entity_at(&delta->world->entities, index);
    if (!sett_is_null(present) && !check_has_handle(&delta->ended, present)) {
        return SETTI_FATE_STAYS;
    }
    return check_has_index(&delta->begun, index) ? SETTI_FATE_BEGINS : SETTI_FATE_NONE;
}

/* -------------------------------------------------------------------------------------- entries */

/* Returns the reason why an entry does not fit this world, or NULL if it fits. */
static const char* check_entry(const setti_delta* delta, const setti_delta_type* delta_type,
                               setti_delta_entry entry)
{
    setti_fate fate = setti_delta_fate(delta, entry.index);
    bool has =
        fate == SETTI_FATE_STAYS && setti_storage_has(&delta_type->type->storage, entry.index);
    /* without a codec, changed values are in the section SETTI_DELTA_CHANGES */
    uint32_t kinds = delta_type->codec != NULL ? SETTI_DELTA_KINDS : SETTI_DELTA_CHANGED;
    if (entry.kind >= kinds) {
        return "the kind of the change is unknown";
    }
    if (fate == SETTI_FATE_NONE) {
        return "the entity does not exist";
    }
    if (delta->part != NULL && !check_has_index(&delta->begun, entry.index)) {
        return "the selection does not list the entity";
    }
    bool is_added = entry.kind == SETTI_DELTA_ADDED;
    if (delta->part == NULL && has == is_added) {
        return has ? "the entity has the component already"
                   : "the entity does not have the component";
    }
    if (entry.kind == SETTI_DELTA_REMOVED || delta_type->codec == NULL ||
        delta_type->codec->check == NULL) {
        return NULL;
    }
    return delta_type->codec->check(&delta->player, delta_type->type, &entry);
}

static sett_status check_block(const setti_delta* delta, const setti_delta_type* delta_type,
                               setti_delta_entry block)
{
    const char* why = NULL;
    setti_delta_entry entry = block;
    if (delta->loading && delta_type->codec == NULL) { /* setti_delta_play checks the entities */
        bool added = block.kind == SETTI_DELTA_ADDED;
        why = added ? NULL : "a whole state has no removed or changed components";
    } else {
        while (why == NULL && setti_delta_take(&block, delta_type, &entry)) {
            why = check_entry(delta, delta_type, entry);
        }
    }
    if (why != NULL) {
        return setti_delta_reject(delta, "\"%.100s\" of index %u: %s", delta_type->type->desc.name,
                                  (unsigned)entry.index, why);
    }
    return SETT_OK;
}

static sett_status check_reject_incomplete(const setti_delta* delta,
                                           const setti_delta_type* delta_type)
{
    return setti_delta_reject(delta, "the values of \"%.100s\" are incomplete",
                              delta_type->type->desc.name);
}

static sett_status check_entries(const setti_delta* delta, setti_delta_reader* reader,
                                 const setti_delta_type* delta_type)
{
    uint64_t end = 0; /* the least index that the next entry can have */
    for (uint32_t k = 0; k < delta_type->count[SETTI_DELTA_ENTRIES]; k++) {
        setti_delta_entry entry = setti_delta_next(reader, delta_type);
        if (reader->short_of) {
            return check_reject_incomplete(delta, delta_type);
        }
        uint64_t first = entry.index;
        uint64_t last = first;
        if (entry.bits != 0) {
            last += setti_bits_highest(entry.bits);
            first += setti_bits_lowest(entry.bits);
        }
        if (first < end) {
            return setti_delta_reject(delta,
                                      "the values of \"%.100s\" are not in the order of entities",
                                      delta_type->type->desc.name);
        }
        sett_status status = check_block(delta, delta_type, entry);
        if (status != SETT_OK) {
            return status;
        }
        end = last + 1;
    }
    return SETT_OK;
}

static sett_status check_lists(const setti_delta* delta, setti_delta_reader* reader,
                               const setti_delta_type* delta_type)
{
    if (delta_type->count[SETTI_DELTA_LISTS] != 0 &&
        (delta_type->codec == NULL || delta_type->codec->list == NULL)) {
        return setti_delta_reject(delta, "\"%.100s\" has no links, but an order of links",
                                  delta_type->type->desc.name);
    }
    for (uint32_t k = 0; k < delta_type->count[SETTI_DELTA_LISTS]; k++) {
        (void)setti_delta_read(reader, 8); /* owner, kept members */
        uint32_t count = setti_delta_u32(reader);
        if (reader->short_of || !setti_delta_skip(reader, count, 4)) {
            return setti_delta_reject(delta, "the order of links of \"%.100s\" is incomplete",
                                      delta_type->type->desc.name);
        }
    }
    return SETT_OK;
}

/* ---------------------------------------------------------------------------------------- parts */

/* Whether an entity will be alive after the part is applied. */
static bool check_will_live(const setti_delta* delta, sett_entity entity)
{
    if (check_has_handle(&delta->begun, entity)) {
        return true;
    }
    return sett_entity_valid(delta->world, entity) && !check_has_handle(&delta->ended, entity);
}

/* Whether a parent will be alive after the part is applied. `parent` is its index plus 1. */
static bool check_parent_will_live(const setti_delta* delta, uint32_t parent)
{
    sett_entity entity;
    /* In a part, `slots` lists the parents. */
    bool listed = setti_delta_find_handle(&delta->slots, parent - 1, &entity);
    return listed && check_will_live(delta, entity);
}

/* Copies the links of an entry, except those to targets that will be dead. Always copies the node
 * of a hierarchy. Returns the number of copied items. */
static uint32_t check_copy_items(const setti_delta* delta, const setti_delta_type* delta_type,
                                 const setti_delta_entry* entry, unsigned char* out)
{
    if (entry->kind == SETTI_DELTA_REMOVED) {
        return 0;
    }
    uint32_t items = delta_type->form == SETTI_DELTA_LINKS ? entry->count : 1;
    uint32_t count = 0;
    for (uint32_t k = 0; k < items; k++) {
        const unsigned char* item = entry->bytes + (size_t)k * delta_type->bytes;
        if (delta_type->form != SETTI_DELTA_TREE) { /* check_write_filtered checks the parent */
            sett_entity target = {setti_delta_word(item, 0), setti_delta_word(item, 1)};
            if (!check_will_live(delta, target)) {
                continue;
            }
        }
        memcpy(out + (size_t)count * delta_type->bytes, item, delta_type->bytes);
        count++;
    }
    return count;
}

/* Writes an entry without dead targets. If no target is left, the entry removes the component.
 * Returns the size of the written entry. */
static size_t check_write_filtered(const setti_delta* delta, const setti_delta_type* delta_type,
                                   const setti_delta_entry* entry, unsigned char* out)
{
    size_t count_size = delta_type->form == SETTI_DELTA_LINKS ? 4 : 0;
    unsigned char* items = out + SETTI_DELTA_ENTRY_HEAD + count_size;
    uint32_t count = check_copy_items(delta, delta_type, entry, items);
    out[0] = (unsigned char)(count != 0 ? entry->kind : SETTI_DELTA_REMOVED);
    setti_bytes_put(out + 1, entry->index, 4);
    if (count == 0) {
        return SETTI_DELTA_ENTRY_HEAD;
    }
    if (delta_type->form == SETTI_DELTA_TREE &&
        !check_parent_will_live(delta, setti_delta_word(items, 0))) {
        setti_bytes_put(items, 0, 4); /* no parent */
    }
    setti_bytes_put(out + SETTI_DELTA_ENTRY_HEAD, count, count_size); /* none if count_size is 0 */
    return SETTI_DELTA_ENTRY_HEAD + count_size + (size_t)count * delta_type->bytes;
}

/* Writes an entry with full values in place of its `count` rounded values. `head` has the entry's
 * first bytes, which are copied. Returns the size of the written entry. */
static size_t check_write_restored(const setti_delta_type* delta_type,
                                   const setti_delta_entry* entry, uint32_t count,
                                   const unsigned char* head, unsigned char* out)
{
    size_t value_size = setti_delta_bytes(delta_type->type);
    size_t size = entry->bits != 0 ? SETTI_DELTA_BLOCK_HEAD : SETTI_DELTA_ENTRY_HEAD;
    memcpy(out, head, size);
    for (uint32_t k = 0; k < count; k++) {
        setti_send_unpack(delta_type->type->members, entry->bytes + (size_t)k * delta_type->bytes,
                          value_size, out + size);
        size += value_size;
    }
    return size;
}

/* Writes a part's entries anew, into delta_type->filtered: with full values in place of rounded
 * values, or without dead targets. */
static sett_status check_rewrite(setti_delta* delta, setti_delta_reader* reader,
                                 setti_delta_type* delta_type)
{
    setti_bytes* out = &delta_type->filtered;
    size_t value_size = setti_delta_bytes(delta_type->type);
    for (uint32_t k = 0; k < delta_type->count[SETTI_DELTA_ENTRIES]; k++) {
        const unsigned char* begin = reader->at;
        setti_delta_entry entry = setti_delta_next(reader, delta_type);
        if (reader->short_of || entry.kind >= SETTI_DELTA_KINDS) {
            return check_reject_incomplete(delta, delta_type);
        }
        uint32_t values = 1;
        /* without dead targets, an entry is not larger; 4: a removed entry may get a count */
        size_t entry_room = (size_t)(reader->at - begin) + 4;
        if (entry.bits != 0) {
            values = setti_bits_count(entry.bits);
        }
        if (delta_type->sent && entry.kind == SETTI_DELTA_REMOVED) {
            values = 0;
        }
        if (delta_type->sent) {
            entry_room = SETTI_DELTA_BLOCK_HEAD + values * value_size;
        }
        if (!setti_bytes_reserve(&delta->world->pool, out, entry_room)) {
            return setti_world_no_memory(delta->world, delta->player.call);
        }
        unsigned char* end = setti_bytes_end(out);
        if (delta_type->sent) {
            out->size += check_write_restored(delta_type, &entry, values, begin, end);
        } else {
            out->size += check_write_filtered(delta, delta_type, &entry, end);
        }
    }
    if (delta_type->sent) {
        delta_type->bytes = (uint32_t)value_size;
    }
    delta_type->section[SETTI_DELTA_ENTRIES] =
        (setti_delta_reader){.at = out->data, .end = setti_bytes_end(out)};
    return SETT_OK;
}

/* Fails because an entry would, by a requirement, add or remove a component of the type `other`. */
static sett_status check_reject_required(const setti_delta* delta, const setti_type* type,
                                         const setti_type* other, bool removed)
{
    if (removed) {
        return setti_delta_fail(
            delta, SETT_STATUS_INVALID,
            "the selection removes \"%.100s\", which \"%.100s\" requires, but `allowed` has "
            "only the first - allow both types",
            type->desc.name, other->desc.name);
    }
    return setti_delta_fail(
        delta, SETT_STATUS_INVALID,
        "the selection adds \"%.100s\", which requires \"%.100s\", but `allowed` has only "
        "the first - allow both types",
        type->desc.name, other->desc.name);
}

/* By requirements, an entry that adds or removes a component adds or removes other components, too.
 * Returns the type of such a component that `allowed` excludes, or NULL. */
static const setti_type* check_find_excluded(const setti_delta* delta,
                                             const setti_delta_type* delta_type,
                                             const setti_delta_entry* entry)
{
    bool removed = entry->kind == SETTI_DELTA_REMOVED;
    const setti_type_list* list =
        removed ? &delta_type->type->dependants : &delta_type->type->required;
    for (uint32_t k = 0; k < list->count; k++) {
        const setti_type* other = list->item[k];
        bool has = setti_delta_fate(delta, entry->index) == SETTI_FATE_STAYS &&
                   setti_storage_has(&other->storage, entry->index);
        bool changes = has == removed; /* removes what exists, or adds what is missing */
        bool is_switch = setti_type_switched(other) == delta_type->type; /* comes with the type */
        if (changes && !is_switch && !setti_selection_has_type(delta->part->selection, other)) {
            return other;
        }
    }
    return NULL;
}

/* Fails if entries would, by requirements, add or remove components of excluded types. */
static sett_status check_required(const setti_delta* delta, const setti_delta_type* delta_type,
                                  setti_delta_reader reader)
{
    for (uint32_t n = 0; n < delta_type->count[SETTI_DELTA_ENTRIES]; n++) {
        setti_delta_entry block = setti_delta_next(&reader, delta_type);
        setti_delta_entry entry;
        while (setti_delta_take(&block, delta_type, &entry)) {
            const setti_type* other = check_find_excluded(delta, delta_type, &entry);
            if (other != NULL) {
                return check_reject_required(delta, delta_type->type, other,
                                             entry.kind == SETTI_DELTA_REMOVED);
            }
        }
    }
    return SETT_OK;
}

/* Checks the entries of a type in a part of a world. */
static sett_status check_part(setti_delta* delta, setti_delta_reader* reader,
                              setti_delta_type* delta_type)
{
    /* The target of a node in the hierarchy is its parent. */
    bool has_targets = delta_type->form == SETTI_DELTA_TREE ||
                       delta_type->form == SETTI_DELTA_LINK ||
                       delta_type->form == SETTI_DELTA_LINKS;
    if (!setti_selection_has_type(delta->part->selection, delta_type->type)) {
        return setti_delta_fail(
            delta, SETT_STATUS_INVALID,
            "the selection changes type \"%.100s\", which `allowed` excludes - discard the "
            "selection, or add the type to `allowed`",
            delta_type->type->desc.name);
    }
    if (delta_type->count[SETTI_DELTA_CHANGES] != 0 || delta_type->count[SETTI_DELTA_LISTS] != 0 ||
        delta_type->count[SETTI_DELTA_ROWS] != 0 || delta_type->form == SETTI_DELTA_TARGET) {
        return setti_delta_reject(delta, "\"%.100s\" has orders or targets, which only deltas have",
                                  delta_type->type->desc.name);
    }
    uint32_t fewest = delta_type->form == SETTI_DELTA_TREE ? CHECK_NODE_BYTES : CHECK_LINK_BYTES;
    if (has_targets && delta_type->bytes < fewest) {
        return setti_delta_reject(delta, "a link of \"%.100s\" has too few bytes",
                                  delta_type->type->desc.name);
    }
    sett_status status;
    if (has_targets || delta_type->sent) {
        status = check_rewrite(delta, reader, delta_type);
        setti_delta_reader rewritten = delta_type->section[SETTI_DELTA_ENTRIES];
        if (status == SETT_OK) {
            status = check_entries(delta, &rewritten, delta_type);
        }
    } else {
        status = check_entries(delta, reader, delta_type);
    }
    if (status == SETT_OK && delta->part->selection->types != NULL) {
        status = check_required(delta, delta_type, delta_type->section[SETTI_DELTA_ENTRIES]);
    }
    return status;
}

/* Skips runs of rows. Returns false if rows do not ascend, or are not below `limit`. */
static bool check_skip_runs(setti_delta_reader* reader, uint32_t count, uint64_t limit)
{
    uint64_t end = 0;
    for (uint32_t k = 0; k < count; k++) {
        uint64_t first = setti_delta_u32(reader);
        uint32_t rows = setti_delta_u32(reader);
        bool run_fits = rows != 0 && first >= end && first + rows <= limit;
        if (!run_fits || !setti_delta_skip(reader, rows, 4)) { /* 4: bytes of an index */
            return false;
        }
        end = first + rows;
    }
    return true;
}

/* Checks the sections of a type, and notes where they begin. */
static sett_status check_type(setti_delta* delta, setti_delta_reader* reader,
                              setti_delta_type* delta_type)
{
    delta_type->section[SETTI_DELTA_ENTRIES] = *reader;
    sett_status status;
    if (delta->part != NULL) {
        status = check_part(delta, reader, delta_type);
    } else {
        status = check_entries(delta, reader, delta_type);
    }
    if (status == SETT_OK) {
        status = setti_delta_read_changes(delta, reader, delta_type);
    }
    delta_type->section[SETTI_DELTA_LISTS] = *reader;
    if (status == SETT_OK) {
        status = check_lists(delta, reader, delta_type);
    }
    delta_type->section[SETTI_DELTA_ROWS] = *reader;
    if (status != SETT_OK) {
        return status;
    }
    uint32_t limit = delta_type->kind == SETTI_SPARSE ? delta_type->extent : 0; /* 0: no rows */
    if (!check_skip_runs(reader, delta_type->count[SETTI_DELTA_ROWS], limit)) {
        return setti_delta_reject(delta, "the order of rows of \"%.100s\" is %s",
                                  delta_type->type->desc.name,
                                  reader->short_of ? "incomplete" : "impossible");
    }
    return SETT_OK;
}

sett_status setti_delta_check(setti_delta* delta, setti_delta_reader* reader)
{
    sett_status status = check_ended(delta);
    if (status == SETT_OK) {
        status = check_begun(delta);
    }
    if (status == SETT_OK) {
        status = check_slots(delta);
    }
    for (uint32_t k = 0; status == SETT_OK && k < delta->type_count; k++) {
        status = check_type(delta, reader, &delta->type[k]);
    }
    if (status == SETT_OK && reader->at != reader->end) {
        status = setti_delta_reject(delta, "bytes follow the last value");
    }
    return status;
}

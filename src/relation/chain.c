/* chain.c: the lists of links.
 *
 * The workload: a program makes and removes links one at a time, thousands a frame, and walks over
 * the sources of targets. So links form doubly linked lists, removing a link is O(1), and the
 * entity's component stores the first and the last link. Rejected: one storage for each target, as
 * archetypes have; ten thousand targets would be ten thousand storages.
 *
 *     target's component   count first last
 *                                  |     +------------------+
 *                                  v                        v
 *     links                   [target . next]-->[...]-->[target . next = none]
 *
 * With many targets, records have no gaps, so that memory can be freed: the last record moves into
 * the gap of a deleted record, and four neighbours get the new number.
 *
 * Before a link is made, a search tests whether the link exists already, in the shorter of the
 * source's and the target's list. For a thousand sources with a thousand targets each, these
 * searches would be quadratic. So a hash table of all links is built after searches have visited
 * four times as many links as there are. It has 6 to 24 bytes a link, and is used until the state
 * is replaced.
 *
 * Invariant:  list.count = number of links from first to last;  next[previous[x]] == x;
 *             a link to a living target is in the target's list, and in no other list;
 *             with many: a record is in the source's list;  record_count = sum of list.count;
 *             the table of pairs has each record, and nothing else
 */
#include "relation/chain.h"

/* Before the table of pairs is built, searches visit each link this many times on average. */
#define CHAIN_PATIENCE 4

/* Returns the list of the links to a living entity, marked as written. Returns NULL if the entity
 * is not a target. */
SETTI_INLINE sett_links* chain_list(const setti_relation* relation, sett_entity target)
{
    SETTI_ASSERT(setti_entity_is_current(&relation->world->entities, target));
    setti_pool* pool = &relation->world->pool;
    const setti_storage* storage = &relation->sources->storage;
    void* list;
    if (setti_array_try_find_mut(pool, storage, target.index, &list)) {
        return list;
    }
    return setti_storage_find_mut(pool, storage, target.index);
}

/* Like chain_list, but returns NULL for a dead entity. */
static sett_links* chain_sources(const setti_relation* relation, sett_entity target)
{
    if (!setti_entity_is_current(&relation->world->entities, target)) {
        return NULL;
    }
    return chain_list(relation, target);
}

/* Returns the list of the links from a source, marked as written. */
static sett_links* chain_targets(const setti_relation* relation, uint32_t source)
{
    return setti_storage_find_mut(&relation->world->pool, &relation->links->storage, source);
}

static setti_chain_record* chain_record_mut(const setti_relation* relation, uint32_t place)
{
    SETTI_ASSERT(relation->many);
    return (setti_chain_record*)(void*)setti_chain_write(relation, place);
}

/* Returns the neighbours of the link at `place`, and marks the link as written. */
SETTI_INLINE sett_chain_* chain_at(const setti_relation* relation, setti_link_side side,
                                   uint32_t place)
{
    if (side == SETTI_SOURCES) {
        return &setti_chain_write(relation, place)->chain_;
    }
    return &chain_record_mut(relation, place)->by_source;
}

/* Appends `count` links to a list, from place `first` on. The caller has made them neighbours of
 * each other.
 *   chain  the neighbours of the first link */
SETTI_INLINE void chain_append_run(const setti_relation* relation, setti_link_side side,
                                   sett_links* list, sett_chain_* chain, uint32_t first,
                                   uint32_t count)
{
    SETTI_ASSERT(list->count == 0 || list->last_ != first);
    chain->previous = list->count != 0 ? list->last_ : SETTI_NONE;
    if (list->count != 0) {
        chain_at(relation, side, list->last_)->next = first;
    } else {
        list->first_ = first;
    }
    list->last_ = first + count - 1;
    list->count += count;
}

/* Appends one link to a list. */
static void chain_append(const setti_relation* relation, setti_link_side side, sett_links* list,
                         sett_chain_* chain, uint32_t place)
{
    chain->next = SETTI_NONE;
    chain_append_run(relation, side, list, chain, place, 1);
}

/* Corrects the two neighbours of a link. The link before it gets `next` as the next link. The link
 * after it gets `previous` as the previous link.
 *   chain  the present neighbours
 *   list   NULL if the entity of the list is dead */
static void chain_redirect(const setti_relation* relation, setti_link_side side, sett_links* list,
                           const sett_chain_* chain, uint32_t next, uint32_t previous)
{
    if (chain->previous != SETTI_NONE) {
        chain_at(relation, side, chain->previous)->next = next;
    } else if (list != NULL) {
        list->first_ = next;
    }
    if (chain->next != SETTI_NONE) {
        chain_at(relation, side, chain->next)->previous = previous;
    } else if (list != NULL) {
        list->last_ = previous;
    }
}

/* Removes a link from a list. `list` is NULL if the entity of the list is dead. */
static void chain_unlink(const setti_relation* relation, setti_link_side side, sett_links* list,
                         const sett_chain_* chain)
{
    SETTI_ASSERT(list == NULL || list->count != 0);
    chain_redirect(relation, side, list, chain, chain->next, chain->previous);
    if (list != NULL) {
        list->count--;
    }
}

void setti_chain_unlink(setti_relation* relation, sett_link* link)
{
    SETTI_ASSERT(!relation->many);
    if (!sett_is_null(link->target)) {
        chain_unlink(relation, SETTI_SOURCES, chain_sources(relation, link->target), &link->chain_);
        link->target = sett_null();
    }
}

/* Makes exclusive links in neighbouring rows, each of them a neighbour of the next. The caller
 * corrects `previous` of the first link and `next` of the last. */
static void chain_fill(const setti_relation* relation, unsigned char* row, uint32_t first,
                       uint32_t count, sett_entity target)
{
    for (uint32_t k = 0; k < count; k++, row += relation->links->storage.size) {
        sett_link* link = (sett_link*)(void*)row;
        link->target = target;
        link->chain_.next = first + k + 1;
        link->chain_.previous = first + k - 1;
    }
}

/* Returns how many sources at the begin of an array have neighbouring values on one page. */
static uint32_t chain_run(const setti_storage* storage, const sett_entity* sources, uint32_t count)
{
    uint32_t rows = setti_storage_rows(storage);
    uint32_t page_rest = 1;
    if (storage->kind == SETTI_ARRAY) {
        /* the rows from the first source to the end of the page */
        page_rest = rows - (sources[0].index & (rows - 1));
    }
    uint32_t run = 1;
    while (run < count && run < page_rest && sources[run].index == sources[0].index + run) {
        run++;
    }
    return run;
}

void setti_chain_link_many(const setti_relation* relation, const sett_entity* sources,
                           uint32_t count, sett_entity target)
{
    SETTI_ASSERT(!relation->many);
    setti_pool* pool = &relation->world->pool;
    const setti_storage* storage = &relation->links->storage;
    sett_links* list = chain_list(relation, target);
    SETTI_ASSERT(list != NULL && count != 0);
    for (uint32_t linked = 0, run; linked < count; linked += run) {
        run = chain_run(storage, sources + linked, count - linked);
        uint32_t first = sources[linked].index;
        sett_link* link = setti_storage_find_mut(pool, storage, first);
        chain_fill(relation, (unsigned char*)link, first, run, target);
        chain_append_run(relation, SETTI_SOURCES, list, &link->chain_, first, run);
    }
    /* chain_fill has made the last link lead to a row after it. */
    chain_at(relation, SETTI_SOURCES, list->last_)->next = SETTI_NONE;
}

bool setti_chain_reserve_target(const setti_relation* relation, uint32_t index)
{
    uint32_t signature = setti_entity_set_of(&relation->world->entities, index);
    if (setti_storage_has(&relation->sources->storage, index)) {
        return true;
    }
    return setti_change_reserve_add(relation->world, relation->sources, index, &signature);
}

void setti_chain_make_target(const setti_relation* relation, sett_entity target)
{
    SETTI_ASSERT(setti_entity_is_current(&relation->world->entities, target));
    if (!setti_storage_has(&relation->sources->storage, target.index)) {
        (void)setti_change_add_reserved(relation->world, relation->sources, target);
    }
}

/* Returns the slot of the table of pairs at which a search for a pair begins. */
static uint32_t pair_home(const setti_relation* relation, uint32_t source, uint32_t target)
{
    SETTI_ASSERT(relation->pair_capacity != 0);
    /* The odd factors mix all bits of both indices into the upper half. */
    uint64_t mixed = (source + target * (uint64_t)0x9E3779B97F4A7C15u) * 0xBF58476D1CE4E5B9u;
    return (uint32_t)(mixed >> 32) & (relation->pair_capacity - 1);
}

static uint32_t pair_home_of(const setti_relation* relation, uint32_t place)
{
    const setti_chain_record* record = setti_chain_record_at(relation, place);
    return pair_home(relation, record->source, record->link.target.index);
}

/* Returns true if the table of pairs exists and belongs to the present state. */
static bool pair_is_current(const setti_relation* relation)
{
    return relation->pair_capacity != 0 && relation->pair_epoch == relation->world->epoch;
}

static uint32_t pair_next_slot(const setti_relation* relation, uint32_t slot)
{
    return (slot + 1) & (relation->pair_capacity - 1);
}

/* Adds a record to the table of pairs, which must have room. */
static void pair_put(const setti_relation* relation, uint32_t place)
{
    SETTI_ASSERT(pair_is_current(relation));
    uint32_t slot = pair_home_of(relation, place);
    while (relation->pairs[slot] != 0) {
        slot = pair_next_slot(relation, slot);
    }
    relation->pairs[slot] = place + 1; /* 0 is an empty slot */
}

/* Returns the slot of a record that is in the table of pairs. */
static uint32_t pair_slot(const setti_relation* relation, uint32_t place)
{
    uint32_t slot = pair_home_of(relation, place);
    while (relation->pairs[slot] != place + 1) {
        SETTI_ASSERT(relation->pairs[slot] != 0);
        slot = pair_next_slot(relation, slot);
    }
    return slot;
}

/* Removes a record from the table of pairs, and moves later records into the gap (Knuth, TAOCP 3,
 * 6.4, algorithm R). */
static void pair_remove(const setti_relation* relation, uint32_t place)
{
    SETTI_ASSERT(pair_is_current(relation));
    uint32_t mask = relation->pair_capacity - 1;
    uint32_t hole = pair_slot(relation, place);
    for (uint32_t slot = (hole + 1) & mask; relation->pairs[slot] != 0; slot = (slot + 1) & mask) {
        uint32_t home = pair_home_of(relation, relation->pairs[slot] - 1);
        /* A search that begins at `home` passes the hole before it reaches `slot`. */
        bool may_move = ((slot - home) & mask) >= ((slot - hole) & mask);
        if (may_move) {
            relation->pairs[hole] = relation->pairs[slot];
            hole = slot;
        }
    }
    relation->pairs[hole] = 0;
}

void setti_chain_drop_pairs(setti_relation* relation)
{
    setti_pool_free(&relation->world->pool, relation->pairs,
                    relation->pair_capacity * sizeof(*relation->pairs), 16);
    relation->pairs = NULL;
    relation->pair_capacity = 0;
    relation->walked = 0;
}

/* Builds the table of pairs. Leaves no table if memory runs out. */
static void pair_make(setti_relation* relation)
{
    setti_pool* pool = &relation->world->pool;
    uint32_t count = relation->record_count;
    setti_chain_drop_pairs(relation);
    bool has_reservation = pool->held != NULL; /* reserved memory is for the change in progress */
    if (has_reservation || count > UINT32_MAX / 8) { /* the capacity must fit into 32 bits */
        return;
    }
    /* At most a third is used now, and at most 2/3 when the number of links has doubled. */
    uint32_t capacity = setti_bits_ceil(count * 3 + 16);
    relation->pairs = setti_pool_alloc_zero(pool, capacity * sizeof(*relation->pairs), 16);
    if (relation->pairs == NULL) {
        return;
    }
    relation->pair_capacity = capacity;
    relation->pair_epoch = relation->world->epoch;
    for (uint32_t place = 0; place < count; place++) {
        pair_put(relation, place);
    }
}

/* Adds a new record to the table of pairs, if there is a table. Builds a larger table if more than
 * 2/3 are used. */
static void pair_append(setti_relation* relation, uint32_t place)
{
    if (!pair_is_current(relation)) {
        return;
    }
    bool is_full = (uint64_t)relation->record_count * 3 > (uint64_t)relation->pair_capacity * 2;
    if (is_full) {
        pair_make(relation);
    } else {
        pair_put(relation, place);
    }
}

/* Removes the record at `place` from the table of pairs. The entry of the record `last` gets the
 * number `place`, because that record is about to move there. */
static void pair_delete(const setti_relation* relation, uint32_t place, uint32_t last)
{
    if (pair_is_current(relation)) {
        pair_remove(relation, place);
        if (place != last) {
            relation->pairs[pair_slot(relation, last)] = place + 1;
        }
    }
}

/* Returns the place of a link in the table of pairs, or SETTI_NONE. */
static uint32_t pair_find(const setti_relation* relation, uint32_t source, sett_entity target)
{
    uint32_t slot = pair_home(relation, source, target.index);
    for (; relation->pairs[slot] != 0; slot = pair_next_slot(relation, slot)) {
        const setti_chain_record* record =
            setti_chain_record_at(relation, relation->pairs[slot] - 1);
        if (record->source == source && sett_equals(record->link.target, target)) {
            return relation->pairs[slot] - 1;
        }
    }
    return SETTI_NONE;
}

bool setti_chain_reserve(setti_relation* relation)
{
    bool fresh; /* an out parameter, not needed */
    if (relation->record_count == SETTI_NONE) {
        return false; /* SETTI_NONE is no place */
    }
    return setti_pages_ensure(&relation->world->pool, &relation->records,
                              relation->record_count >> relation->layout.shift, &fresh);
}

bool setti_chain_claim(setti_relation* relation, uint32_t count)
{
    SETTI_ASSERT(relation->many);
    bool fresh; /* an out parameter, not needed */
    uint64_t end = (uint64_t)relation->record_count + relation->claimed + count;
    if (end >= SETTI_NONE) {
        return false; /* SETTI_NONE is no place */
    }
    uint32_t first_page = (relation->record_count + relation->claimed) >> relation->layout.shift;
    uint32_t last_page = (uint32_t)(end - 1) >> relation->layout.shift;
    for (uint32_t page = first_page; page <= last_page; page++) {
        if (!setti_pages_ensure(&relation->world->pool, &relation->records, page, &fresh)) {
            return false;
        }
    }
    relation->claimed += count;
    return true;
}

void setti_chain_delete(setti_relation* relation, uint32_t place)
{
    SETTI_ASSERT(relation->many && place < relation->record_count);
    const setti_chain_record* record = setti_chain_record_at(relation, place);
    const sett_link* link = &record->link;
    chain_unlink(relation, SETTI_TARGETS, chain_targets(relation, record->source),
                 &record->by_source);
    chain_unlink(relation, SETTI_SOURCES, chain_sources(relation, link->target), &link->chain_);
    uint32_t last = --relation->record_count;
    SETTI_ASSERT(last != SETTI_NONE && place <= last);
    pair_delete(relation, place, last);
    if (place != last) {
        setti_chain_record* moved = chain_record_mut(relation, place);
        memcpy(moved, setti_chain_record_at(relation, last), relation->layout.size);
        /* Makes the neighbours lead to the new place. */
        chain_redirect(relation, SETTI_TARGETS, chain_targets(relation, moved->source),
                       &moved->by_source, place, place);
        chain_redirect(relation, SETTI_SOURCES, chain_sources(relation, moved->link.target),
                       &moved->link.chain_, place, place);
    }
    /* Keeps one empty page, so that adding and removing a link in turn allocates nothing. */
    uint32_t spare = (relation->record_count >> relation->layout.shift) + 1;
    if (setti_pages_get(&relation->records, spare) != NULL) {
        setti_pages_free(&relation->world->pool, &relation->records, spare);
    }
}

bool setti_chain_delete_one(setti_relation* relation, uint32_t place)
{
    uint32_t source = setti_chain_source(relation, place);
    const sett_links* targets = setti_storage_find(&relation->links->storage, source);
    if (!relation->many || targets->count == 1) {
        return false;
    }
    sett_entity target = setti_chain_at(relation, place)->target;
    setti_chain_delete(relation, place);
    setti_chain_notify(relation, source, target);
    return true;
}

void setti_chain_requeue(setti_relation* relation, setti_link_side side, uint32_t place)
{
    sett_chain_* chain = chain_at(relation, side, place);
    sett_links* list;
    if (side == SETTI_TARGETS) {
        list = chain_targets(relation, setti_chain_source(relation, place));
    } else {
        list = chain_list(relation, setti_chain_at(relation, place)->target);
    }
    SETTI_ASSERT(list != NULL && list->count != 0);
    if (list->last_ != place) {
        chain_unlink(relation, side, list, chain);
        chain_append(relation, side, list, chain, place);
    }
}

void setti_chain_notify(const setti_relation* relation, uint32_t source, sett_entity target)
{
    sett_world* world = relation->world;
    if ((relation->links->flags & SETTI_TYPE_ON_SET) != 0) {
        /* sett_set writes the value that is there already, and runs on_set. */
        const void* value = setti_storage_find(&relation->links->storage, source);
        world->changed_link.relationship = relation->links->id;
        world->changed_link.source = source;
        world->changed_link.target = target;
        (void)sett_set(world, setti_entity_at(&world->entities, source), relation->links->id,
                       value);
        world->changed_link.relationship = 0;
    }
}

void* setti_chain_link(setti_relation* relation, uint32_t source, sett_entity target)
{
    SETTI_ASSERT(setti_storage_has(&relation->links->storage, source));
    sett_links* sources = chain_list(relation, target);
    uint32_t place = source;
    if (relation->many) {
        SETTI_ASSERT(relation->record_count != SETTI_NONE);
        place = relation->record_count++;
        setti_chain_record* record = chain_record_mut(relation, place);
        memset(record, 0, relation->layout.size);
        record->source = source;
        chain_append(relation, SETTI_TARGETS, chain_targets(relation, source), &record->by_source,
                     place);
    }
    sett_link* link = setti_chain_write(relation, place);
    SETTI_ASSERT(sources != NULL && sett_is_null(link->target));
    link->target = target;
    chain_append(relation, SETTI_SOURCES, sources, &link->chain_, place);
    pair_append(relation, place);
    return (unsigned char*)link + relation->layout.data;
}

/* Returns the place of a link, or SETTI_NONE. Sets `*steps` to the number of links visited in
 * lists. */
static uint32_t chain_walk(const setti_relation* relation, sett_entity source, sett_entity target,
                           uint32_t* steps)
{
    const setti_entity_table* entities = &relation->world->entities;
    *steps = 0;
    if (!setti_entity_is_current(entities, source) || !setti_entity_is_current(entities, target)) {
        return SETTI_NONE;
    }
    const sett_links* targets = setti_storage_find(&relation->links->storage, source.index);
    const sett_links* sources = setti_storage_find(&relation->sources->storage, target.index);
    bool has_targets = targets != NULL && targets->count != 0;
    bool has_sources = sources != NULL && sources->count != 0;
    if (!has_targets || !has_sources) {
        return SETTI_NONE;
    }
    if (pair_is_current(relation)) {
        return pair_find(relation, source.index, target);
    }
    bool along_targets = targets->count <= sources->count; /* walks over the shorter list */
    uint32_t place = along_targets ? targets->first_ : sources->first_;
    for (; place != SETTI_NONE; ++*steps) {
        const setti_chain_record* record = setti_chain_record_at(relation, place);
        bool found;
        if (along_targets) {
            found = sett_equals(record->link.target, target);
        } else {
            found = record->source == source.index;
        }
        if (found) {
            return place;
        }
        place = along_targets ? record->by_source.next : record->link.chain_.next;
    }
    return SETTI_NONE;
}

uint32_t setti_chain_look_up(const setti_relation* relation, sett_entity source, sett_entity target)
{
    uint32_t steps; /* an out parameter, not needed */
    return chain_walk(relation, source, target, &steps);
}

uint32_t setti_chain_search(setti_relation* relation, sett_entity source, sett_entity target)
{
    uint32_t steps;
    uint32_t place = chain_walk(relation, source, target, &steps);
    relation->walked += steps;
    uint64_t limit = (uint64_t)relation->record_count * CHAIN_PATIENCE;
    if (relation->walked > limit && !pair_is_current(relation)) {
        pair_make(relation); /* later searches use the table instead of walks */
    }
    return place;
}

/* Returns the neighbours of the link at `place`, or NULL if there is no such link. Sets `*owner` to
 * the entity that the list belongs to. */
static const sett_chain_* chain_neighbours(const setti_relation* relation, setti_link_side side,
                                           uint32_t place, sett_entity* owner)
{
    if (relation->many && place >= relation->record_count) {
        return NULL;
    }
    const sett_link* link = setti_chain_at(relation, place);
    if (link == NULL) {
        return NULL;
    }
    if (side == SETTI_SOURCES) {
        *owner = link->target;
        return &link->chain_;
    }
    const setti_chain_record* record = setti_chain_record_at(relation, place);
    *owner = setti_entity_at(&relation->world->entities, record->source);
    return &record->by_source;
}

/* Returns NULL if the lists of one side are valid. Otherwise returns the reason. Sets `*total` to
 * the number of links in these lists. */
SETTI_COLD static const char* chain_validate_lists(const setti_relation* relation,
                                                   setti_link_side side, uint64_t* total)
{
    /* A target has a list of sources; a source has a list of targets. */
    const setti_type* type = side == SETTI_SOURCES ? relation->sources : relation->links;
    *total = 0;
    SETTI_EACH_INDEX(index, &type->storage) {
        const sett_links* list = setti_storage_find(&type->storage, index);
        uint32_t place = list->count != 0 ? list->first_ : SETTI_NONE;
        uint32_t previous = SETTI_NONE; /* before the first link */
        uint32_t count = 0;
        for (; place != SETTI_NONE && count <= list->count; count++) {
            sett_entity owner = sett_null();
            const sett_chain_* chain = chain_neighbours(relation, side, place, &owner);
            if (chain == NULL || chain->previous != previous) {
                return "relationship: a list's neighbours disagree";
            }
            if (!sett_equals(owner, setti_entity_at(&relation->world->entities, index))) {
                return "relationship: a link is in the list of another entity";
            }
            previous = place;
            place = chain->next;
        }
        if (count != list->count || (count != 0 && previous != list->last_)) {
            return "relationship: a list's count or end is wrong";
        }
        if (side == SETTI_TARGETS && count == 0) {
            return "relationship: a source without a target has the component";
        }
        *total += count;
    }
    return NULL;
}

/* Returns true if there is no table of pairs, or if it has as many entries as there are records. */
static bool chain_validate_pairs(const setti_relation* relation)
{
    uint32_t count = 0;
    if (!pair_is_current(relation)) {
        return true;
    }
    for (uint32_t slot = 0; slot < relation->pair_capacity; slot++) {
        count += relation->pairs[slot] != 0;
    }
    return count == relation->record_count; /* chain_validate_once finds each record */
}

/* Returns false if two links have the same source and target. */
static bool chain_validate_once(const setti_relation* relation)
{
    const setti_entity_table* entities = &relation->world->entities;
    for (uint32_t place = 0; place < relation->record_count; place++) {
        const setti_chain_record* record = setti_chain_record_at(relation, place);
        sett_entity source = setti_entity_at(entities, record->source);
        if (setti_chain_look_up(relation, source, record->link.target) != place) {
            return false; /* another link has the same source and target */
        }
    }
    return true;
}

/* Returns true if no entity is in a cycle. A link of a cycle is not visited by a walk from a
 * root. */
static bool chain_has_no_cycle(const setti_relation* relation)
{
    const setti_storage* links = &relation->links->storage;
    uint32_t visited = 0;
    SETTI_EACH_INDEX(root, &relation->sources->storage) {
        if (setti_storage_has(links, root)) {
            continue; /* an entity with a target is no root */
        }
        uint32_t index = setti_chain_first(relation, root, SETTI_SOURCES);
        for (; index != SETTI_NONE; index = setti_chain_next_below(relation, root, index)) {
            visited++;
        }
    }
    return visited == links->count;
}

/* Returns NULL if the lists of sources and the records are valid. Otherwise returns the reason.
 * Sets `*total` to the number of records in these lists. */
static const char* chain_validate_many(const setti_relation* relation, uint64_t* total)
{
    const char* reason = chain_validate_lists(relation, SETTI_TARGETS, total);
    if (reason != NULL) {
        return reason;
    }
    if (*total != relation->record_count) {
        return "relationship: records are missing from their sources' lists";
    }
    if (!chain_validate_pairs(relation)) {
        return "relationship: the table of pairs is wrong";
    }
    if (!chain_validate_once(relation)) {
        return "relationship: an entity leads to another twice";
    }
    return NULL;
}

SETTI_COLD const char* setti_chain_validate(const setti_relation* relation)
{
    uint64_t in_target_lists;
    uint64_t in_sources = relation->links->storage.count;
    const char* reason = chain_validate_lists(relation, SETTI_SOURCES, &in_target_lists);
    if (reason == NULL && relation->many) {
        reason = chain_validate_many(relation, &in_sources);
    }
    if (reason != NULL) {
        return reason;
    }
    if (in_target_lists != in_sources) {
        return "relationship: links are missing from their targets' lists";
    }
    if (relation->desc.acyclic && !chain_has_no_cycle(relation)) {
        return "relationship: acyclic links lead in a circle";
    }
    return NULL;
}

/* delta_play.c: carries out a checked delta, by the calls that a program would make.
 *
 * The workload: entries that are valid one by one, from a peer that may be hostile: parents in a
 * cycle, two siblings of one name, a missing target. The calls reject these, and the caller undoes
 * the rest.
 *
 * Entities that are destroyed are first unlinked from those that stay, so that no clean-up policy
 * destroys or rejects anything: the effects of policies are in the delta. Names are removed before
 * entities move and set when all are in their places, so that none conflicts with another.
 *
 *     names off, moved nodes off, ended: links off | end | begin, next lives | links, values |
 *     names | "sources" that go | lists
 *
 * Invariant:  each step is one call that needs room for the pages of one entity's change
 */
#include "state/delta_reader.h"
#include "state/hash.h"
#include "world/change.h"
#include "world/command.h"

/* Whether the entity at an index exists before and after. */
static bool play_stays(const setti_delta* delta, uint32_t index)
{
    return !sett_is_null(setti_entity_at(&delta->world->entities, index)) &&
           !setti_delta_lists(&delta->ended, index);
}

/* ------------------------------------------------------------------------------------ loosening */

/* Makes a root of a node that will move. */
static bool play_loosen_node(const setti_delta* delta, setti_delta_entry entry)
{
    sett_world* world = delta->world;
    uint32_t parent = setti_hierarchy_parent(world, entry.index);
    setti_delta_reader value = {entry.bytes, entry.bytes != NULL ? entry.bytes + 5 : NULL, false};
    if (parent == 0 || !play_stays(delta, entry.index) ||
        (entry.kind == SETTI_DELTA_CHANGED && setti_delta_u32(&value) == parent &&
         play_stays(delta, parent - 1))) {
        return true;
    }
    sett_entity entity = setti_entity_at(&world->entities, entry.index);
    return setti_delta_room(delta) && sett_hierarchy_detach(world, entity) == SETT_OK;
}

static bool play_loosen(const setti_delta* delta, const setti_delta_type* of)
{
    setti_delta_reader from = of->part[SETTI_DELTA_ENTRIES];
    bool done = true;
    for (uint32_t k = 0; done && k < of->count[SETTI_DELTA_ENTRIES]; k++) {
        setti_delta_entry entry = setti_delta_next(&from, of);
        if (of->form == SETTI_DELTA_TREE) {
            done = play_loosen_node(delta, entry);
        } else if (play_stays(delta, entry.index)) {
            done = setti_delta_room(delta);
            if (done) {
                setti_name_end(delta->world, entry.index);
            }
        }
    }
    return done;
}

/* Removes an entity's links of a relationship. */
static bool play_cut_targets(const setti_delta* delta, const setti_relation* relation,
                             sett_entity entity)
{
    sett_world* world = delta->world;
    sett_component id = relation->links->id;
    bool done = true;
    while (done && sett_target_count(world, entity, id) != 0) {
        done = setti_delta_room(delta) &&
               sett_unrelate(world, entity, id, sett_target(world, entity, id)) == SETT_OK;
    }
    return done;
}

/* The same, and the links to it. */
static bool play_cut_links(const setti_delta* delta, const setti_relation* relation,
                           sett_entity entity)
{
    sett_world* world = delta->world;
    sett_component id = relation->links->id;
    bool done = play_cut_targets(delta, relation, entity);
    while (done && sett_source_count(world, id, entity) != 0) {
        sett_link_cursor cursor = {NULL, 0, 0, false};
        sett_entity source = sett_source_next(world, id, entity, &cursor);
        done = setti_delta_room(delta) && sett_unrelate(world, source, id, entity) == SETT_OK;
    }
    return done;
}

static bool play_cut_off(const setti_delta* delta, sett_entity entity)
{
    sett_world* world = delta->world;
    if (!setti_delta_room(delta)) {
        return false;
    }
    for (uint32_t k = 0; k < world->registered.count; k++) {
        setti_type* type = world->registered.item[k];
        if (type->module != NULL && type->module->isolate != NULL &&
            setti_storage_has(&type->storage, entity.index)) {
            type->module->isolate(world, type, entity.index);
        }
    }
    bool done = sett_hierarchy_detach(world, entity) == SETT_OK;
    for (const setti_relation* at = world->relations; done && at != NULL; at = at->next) {
        done = play_cut_links(delta, at, entity);
    }
    return done;
}

/* Applies to all entities of a list. */
static bool play_each(const setti_delta* delta, setti_delta_lives lives,
                      bool (*fn)(const setti_delta* delta, sett_entity entity))
{
    sett_entity entity;
    bool done = true;
    while (done && setti_delta_next_life(&lives, &entity)) {
        done = fn(delta, entity);
    }
    return done;
}

static bool play_all_dont_fragment(const setti_delta* delta)
{
    bool done = true;
    for (uint32_t pass = 0; done && pass < 2; pass++) {
        setti_delta_form form = pass == 0 ? SETTI_DELTA_NAME : SETTI_DELTA_TREE;
        for (uint32_t k = 0; done && k < delta->type_count; k++) {
            done = delta->type[k].form != form || play_loosen(delta, &delta->type[k]);
        }
    }
    return done && play_each(delta, delta->ended, play_cut_off);
}

/* ------------------------------------------------------------------------------------- entities */

/* Its children would be destroyed too, although the delta has entries about them: those that are
 * destroyed are listed, and unlinked by now; the others have moved away. */
static bool play_end(const setti_delta* delta, sett_entity entity)
{
    if (sett_hierarchy_child_count(delta->world, entity) != 0) {
        (void)setti_delta_reject(delta, "an entity ends, and its children stay where they are");
        return false;
    }
    return setti_delta_room(delta) && sett_entity_destroy(delta->world, entity) == SETT_OK;
}

/* Creates an entity; if the delta goes back in time, with an earlier generation than its index had.
 */
static bool play_begin(const setti_delta* delta, sett_entity entity)
{
    sett_world* world = delta->world;
    setti_entity_table* table = &world->entities;
    if (delta->loading) {
        sett_status status = setti_entity_reserve_index(&world->pool, table, entity.index);
        if (status != SETT_OK) {
            setti_world_fail(world, status, "sett_delta_apply", entity, 0);
            return false;
        }
        setti_entity_create_at(&world->pool, table, entity);
        return true;
    }
    if (!setti_delta_room(delta)) {
        return false;
    }
    if (entity.generation < setti_entity_upcoming(table, entity.index).generation) {
        setti_entity_set_next(&world->pool, table, entity);
    }
    return sett_entity_create_handle(world, entity) == SETT_OK;
}

/* Sets the next generation of a dead index. */
static bool play_slot(const setti_delta* delta, sett_entity slot)
{
    sett_world* world = delta->world;
    if (setti_entity_is_claimed(&world->entities, slot.index)) {
        return true; /* a recorded creation has this index: its handle stays */
    }
    if (!setti_delta_room(delta)) {
        return false;
    }
    sett_status status = setti_entity_reserve_index(&world->pool, &world->entities, slot.index);
    if (status != SETT_OK) {
        setti_world_fail(world, status, "sett_delta_apply", slot, 0);
        return false;
    }
    setti_entity_set_next(&world->pool, &world->entities, slot);
    return true;
}

/* --------------------------------------------------------------------------------------- values */

/* Writes the bytes of a value that count; not what it owns. */
static void play_write(const setti_type* type, unsigned char* value, const unsigned char* bytes)
{
    size_t size = setti_hash_size(type);
    const unsigned char* mask = type->desc.mask;
    if (mask == NULL && size != 0) {
        memcpy(value, bytes, size);
    }
    for (size_t k = 0; mask != NULL && k < size; k++) {
        value[k] = (unsigned char)((value[k] & ~mask[k]) | (bytes[k] & mask[k]));
    }
    if (setti_delta_turns(type)) {
        setti_canonical_turn_value(type->members, value);
    }
}

/* The value of an entry that is being set. */
typedef struct play_fill {
    setti_edit_fill fill; /* first */
    const setti_delta_type* of;
    const unsigned char* bytes;
} play_fill;

static void play_fill_write(const setti_edit_fill* given, void* value)
{
    const play_fill* fill = (const play_fill*)(const void*)given;
    setti_delta_rule* rule = fill->of->rule;
    if (rule != NULL) {
        rule->convert(rule, fill->bytes, value);
    } else {
        play_write(fill->of->type, value, fill->bytes);
    }
}

static bool play_value(sett_world* world, const setti_delta_type* of, sett_entity entity,
                       setti_delta_entry entry)
{
    const play_fill fill = {{play_fill_write}, of, entry.bytes};
    setti_type* type = of->type;
    return type->storage.size != 0
               ? setti_change_put(world, type, entity, &fill.fill, "sett_delta_apply") != NULL
               : sett_ensure(world, entity, type->id) != NULL;
}

static bool play_node(const setti_delta* delta, const setti_type* type, sett_entity entity,
                      setti_delta_entry entry)
{
    sett_world* world = delta->world;
    setti_delta_reader value = {entry.bytes, entry.bytes + 5, false};
    uint32_t parent = setti_delta_u32(&value);
    uint32_t policy = (uint32_t)setti_delta_number(&value, 1);
    if (sett_ensure(world, entity, type->id) == NULL) {
        return false;
    }
    const sett_hierarchy* node = setti_storage_find(&type->storage, entity.index);
    if ((node->children & SETTI_POLICY) != policy &&
        sett_hierarchy_set_policy(world, entity, (sett_children_policy)policy) != SETT_OK) {
        return false;
    }
    if (node->parent == parent) {
        return true;
    }
    return setti_delta_room(delta) &&
           (parent != 0 ? sett_hierarchy_attach(world, entity,
                                                setti_entity_at(&world->entities, parent - 1))
                        : sett_hierarchy_detach(world, entity)) == SETT_OK;
}

static bool play_name(const setti_delta* delta, const setti_type* type, sett_entity entity,
                      setti_delta_entry entry)
{
    char text[SETT_NAME_MAX + 1];
    if (entry.count == 0) { /* the component alone: the entity lost its name to a sibling */
        return sett_ensure(delta->world, entity, type->id) != NULL;
    }
    memcpy(text, entry.bytes, entry.count);
    text[entry.count] = '\0';
    if (strlen(text) != entry.count) {
        (void)setti_delta_reject(delta, "a name has a zero in it");
        return false;
    }
    return sett_name_set(delta->world, entity, text) == SETT_OK;
}

static bool play_link(sett_world* world, const setti_type* type, sett_entity entity,
                      setti_delta_entry entry)
{
    setti_delta_reader from = {entry.bytes, entry.bytes + sizeof(sett_entity), false};
    sett_entity target = setti_delta_entity(&from);
    return setti_relation_relate(world, entity, type->id, target, from.at) != NULL;
}

/* ---------------------------------------------------------------------------------------- links */

/* The k-th target of an entry, and its data. */
static const unsigned char* play_target(const setti_relation* relation, setti_delta_entry entry,
                                        uint32_t k, sett_entity* target)
{
    size_t size = 8 + (size_t)relation->data_size;
    setti_delta_reader from = {entry.bytes + k * size, entry.bytes + (k + 1) * size, false};
    *target = setti_delta_entity(&from);
    return from.at;
}

/* Whether a source has these targets, in this order. */
static bool play_leads_so(const setti_relation* relation, uint32_t source, setti_delta_entry entry)
{
    const sett_links* links = setti_storage_find(&relation->links->storage, source);
    if (links == NULL || links->count != entry.count) {
        return false;
    }
    uint32_t place = links->first_;
    for (uint32_t k = 0; k < entry.count; k++) {
        const setti_chain_record* record = setti_chain_record_at(relation, place);
        sett_entity target;
        (void)play_target(relation, entry, k, &target);
        if (!sett_equals(record->target, target)) {
            return false;
        }
        place = record->by_source.next;
    }
    return true;
}

/* Relates a source to all targets, in their order, and removes other links, which are then in
 * front. */
static bool play_lead(const setti_delta* delta, setti_relation* relation, sett_entity source,
                      setti_delta_entry entry)
{
    sett_world* world = delta->world;
    sett_component id = relation->links->id;
    for (uint32_t k = 0; k < entry.count; k++) {
        sett_entity target;
        const unsigned char* data = play_target(relation, entry, k, &target);
        if (!setti_delta_room(delta) ||
            setti_relation_relate(world, source, id, target, data) == NULL) {
            return false;
        }
        setti_chain_requeue(relation, setti_chain_find(relation, source, target), true);
    }
    while (sett_target_count(world, source, id) > entry.count) {
        sett_entity target = sett_target(world, source, id);
        if (!setti_delta_room(delta) || sett_unrelate(world, source, id, target) != SETT_OK) {
            return false;
        }
    }
    if (!play_leads_so(relation, source.index, entry)) {
        (void)setti_delta_reject(delta, "an entity leads to another twice");
        return false;
    }
    return true;
}

static bool play_links(const setti_delta* delta, setti_relation* relation, sett_entity source,
                       setti_delta_entry entry)
{
    sett_world* world = delta->world;
    if (!play_leads_so(relation, source.index, entry)) {
        return play_lead(delta, relation, source, entry);
    }
    bool done = true;
    for (uint32_t k = 0; done && k < entry.count && relation->data_size != 0; k++) {
        sett_entity target;
        const unsigned char* data = play_target(relation, entry, k, &target);
        const void* now = sett_related(world, source, relation->links->id, target);
        if (memcmp(now, data, relation->data_size) != 0) {
            done = setti_delta_room(delta) &&
                   setti_relation_relate(world, source, relation->links->id, target, data) != NULL;
        }
    }
    return done;
}

/* Adds the list of a target; removes it, which only deltas back in time do. */
static bool play_list_head(const setti_delta* delta, setti_type* type, sett_entity entity,
                           setti_delta_entry entry)
{
    sett_world* world = delta->world;
    const sett_links* list = setti_storage_find(&type->storage, entity.index);
    setti_edit_settle(world);
    if (entry.kind == SETTI_DELTA_REMOVED && list != NULL && list->count != 0) {
        (void)setti_delta_reject(delta, "an entity stops being a target that is one");
        return false;
    }
    bool done = entry.kind == SETTI_DELTA_REMOVED
                    ? list == NULL || setti_change_reserve_remove(world, type, entity.index)
                    : setti_chain_reserve_target(type->relation_of_sources, entity.index);
    if (!done) {
        setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, "sett_delta_apply", entity, type->id);
    } else if (entry.kind != SETTI_DELTA_REMOVED) {
        setti_chain_make_target(type->relation_of_sources, entity);
    } else if (list != NULL) {
        setti_change_remove_reserved(world, type, entity.index);
    }
    return done;
}

/* -------------------------------------------------------------------------------------- entries */

/* Skips what requirements have done already, in either direction. */
static bool play_remove(sett_world* world, const setti_type* type, sett_entity entity)
{
    return !sett_has(world, entity, type->id) || sett_remove(world, entity, type->id) == SETT_OK;
}

static bool play_entry(const setti_delta* delta, const setti_delta_type* of,
                       setti_delta_entry entry)
{
    sett_world* world = delta->world;
    setti_type* type = of->type;
    sett_entity entity = setti_entity_at(&world->entities, entry.index);
    if (sett_is_null(entity)) { /* a policy or an observer has destroyed it */
        (void)setti_delta_reject(delta, "an entry is about an entity that is gone by then");
        return false;
    }
    if (!setti_delta_room(delta)) {
        return false;
    }
    if (of->form == SETTI_DELTA_TARGET) {
        return play_list_head(delta, type, entity, entry);
    }
    if (entry.kind == SETTI_DELTA_REMOVED) {
        return of->form == SETTI_DELTA_LINKS ? play_cut_targets(delta, type->relation, entity)
                                             : play_remove(world, type, entity);
    }
    switch (of->form) {
    case SETTI_DELTA_TREE:
        return play_node(delta, type, entity, entry);
    case SETTI_DELTA_NAME:
        return play_name(delta, type, entity, entry);
    case SETTI_DELTA_LINK:
        return play_link(world, type, entity, entry);
    case SETTI_DELTA_LINKS:
        return play_links(delta, type->relation, entity, entry);
    default:
        return play_value(world, of, entity, entry);
    }
}

/* The pass of an entry: names after all moves, removed lists after all links. */
static uint32_t play_pass(const setti_delta_type* of, setti_delta_entry entry)
{
    if (of->form == SETTI_DELTA_NAME) {
        return 1;
    }
    return of->form == SETTI_DELTA_TARGET && entry.kind == SETTI_DELTA_REMOVED ? 2 : 0;
}

/* A block at once, where the world is bare; else its entries. */
static bool play_block(const setti_delta* delta, const setti_delta_type* of,
                       setti_delta_entry block)
{
    sett_world* world = delta->world;
    setti_delta_entry entry;
    bool done = true;
    if (delta->loading && block.bits != 0 && of->rule == NULL && !setti_delta_turns(of->type) &&
        setti_fast_is_bare(world, of->type)) {
        const unsigned char* values = of->bytes != 0 ? block.bytes : NULL;
        return setti_fast_add_word(world, of->type, block.index, block.bits, values,
                                   "sett_delta_apply");
    }
    while (done && setti_delta_take(&block, of, &entry)) {
        done = play_entry(delta, of, entry);
    }
    return done;
}

static bool play_entries(const setti_delta* delta, uint32_t pass)
{
    bool done = true;
    for (uint32_t t = 0; done && t < delta->type_count; t++) {
        const setti_delta_type* of = &delta->type[t];
        setti_delta_reader from = of->part[SETTI_DELTA_ENTRIES];
        for (uint32_t k = 0; done && k < of->count[SETTI_DELTA_ENTRIES]; k++) {
            setti_delta_entry entry = setti_delta_next(&from, of);
            done = play_pass(of, entry) != pass || play_block(delta, of, entry);
        }
    }
    return done;
}

/* ---------------------------------------------------------------------------------------- lists */

/* How long an owner's list is; SETTI_NONE if it has none. */
static uint32_t play_list_count(const setti_delta_type* of, uint32_t owner)
{
    if (of->form == SETTI_DELTA_TREE) {
        const sett_hierarchy* node = setti_storage_find(&of->type->storage, owner);
        return node != NULL ? node->children / SETTI_CHILD : SETTI_NONE;
    }
    const sett_links* list = setti_storage_find(&of->type->relation->sources->storage, owner);
    return list != NULL ? list->count : SETTI_NONE;
}

/* Moves a member of an owner's list to its end; false if it is not a member. */
static bool play_requeue(const setti_delta* delta, const setti_delta_type* of, sett_entity owner,
                         uint32_t index)
{
    sett_world* world = delta->world;
    sett_entity member = setti_entity_at(&world->entities, index);
    const void* value = setti_storage_find(&of->type->storage, index);
    if (of->form == SETTI_DELTA_TREE) {
        return value != NULL && ((const sett_hierarchy*)value)->parent == owner.index + 1 &&
               sett_hierarchy_attach(world, member, owner) == SETT_OK;
    }
    uint32_t place = value != NULL ? index : SETTI_NONE;
    if (of->form == SETTI_DELTA_LINKS) {
        place = setti_chain_find(of->type->relation, member, owner);
    } else if (value != NULL && !sett_equals(((const sett_link*)value)->target, owner)) {
        return false;
    }
    if (place != SETTI_NONE) {
        setti_chain_requeue(of->type->relation, place, false);
    }
    return place != SETTI_NONE;
}

/* The place of the last in an owner's list, and of the one before another. */
static uint32_t play_list_last(const setti_delta_type* of, uint32_t owner)
{
    if (of->form == SETTI_DELTA_TREE) {
        const sett_hierarchy* node = setti_storage_find(&of->type->storage, owner);
        const sett_hierarchy* first =
            node->first != 0 ? setti_storage_find(&of->type->storage, node->first - 1) : NULL;
        return first != NULL ? first->previous - 1 : SETTI_NONE;
    }
    const sett_links* list = setti_storage_find(&of->type->relation->sources->storage, owner);
    return list->count != 0 ? list->last_ : SETTI_NONE;
}

static uint32_t play_list_previous(const setti_delta_type* of, uint32_t place)
{
    if (of->form == SETTI_DELTA_TREE) {
        const sett_hierarchy* node = setti_storage_find(&of->type->storage, place);
        return node->previous - 1;
    }
    if (of->form == SETTI_DELTA_LINKS) {
        return setti_chain_record_at(of->type->relation, place)->by_target.previous;
    }
    const sett_link* link = setti_storage_find(&of->type->storage, place);
    return link->chain_.previous;
}

/* Whether an owner's list ends with these; it need not where one is named twice. */
static bool play_list_ends(const setti_delta_type* of, uint32_t owner,
                           const setti_delta_reader* members, uint32_t count)
{
    uint32_t place = play_list_last(of, owner);
    for (uint32_t k = count; k-- > 0;) {
        setti_delta_reader from = {members->at + (size_t)k * 4, members->end, false};
        uint32_t member = place;
        if (of->form == SETTI_DELTA_LINKS && place != SETTI_NONE) {
            member = setti_chain_record_at(of->type->relation, place)->source;
        }
        if (place == SETTI_NONE || member != setti_delta_u32(&from)) {
            return false;
        }
        place = play_list_previous(of, place);
    }
    return true;
}

static bool play_list(const setti_delta* delta, const setti_delta_type* of,
                      setti_delta_reader* from)
{
    uint32_t index = setti_delta_u32(from);
    uint32_t saved = setti_delta_u32(from);
    uint32_t count = setti_delta_u32(from);
    setti_delta_reader members = *from;
    sett_entity owner = setti_entity_at(&delta->world->entities, index);
    bool fits = !sett_is_null(owner) && play_list_count(of, index) != SETTI_NONE &&
                (uint64_t)saved + count == play_list_count(of, index);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t member = setti_delta_u32(from);
        if (fits && !setti_delta_room(delta)) {
            return false;
        }
        fits = fits && play_requeue(delta, of, owner, member);
    }
    if (!fits || !play_list_ends(of, index, &members, count)) {
        (void)setti_delta_reject(delta, "a list is not of those who are in it");
        return false;
    }
    return true;
}

static bool play_lists(const setti_delta* delta)
{
    bool done = true;
    for (uint32_t t = 0; done && t < delta->type_count; t++) {
        setti_delta_reader from = delta->type[t].part[SETTI_DELTA_LISTS];
        for (uint32_t k = 0; done && k < delta->type[t].count[SETTI_DELTA_LISTS]; k++) {
            done = play_list(delta, &delta->type[t], &from);
        }
    }
    return done;
}

bool setti_delta_play(const setti_delta* delta)
{
    setti_commands_receive(delta->world, true);
    bool done = play_all_dont_fragment(delta) && play_each(delta, delta->ended, play_end) &&
                play_each(delta, delta->begun, play_begin) &&
                play_each(delta, delta->slots, play_slot) && play_entries(delta, 0) &&
                play_entries(delta, 1) && play_entries(delta, 2) && play_lists(delta);
    setti_commands_receive(delta->world, false);
    return done;
}

/* Whether a value has the bytes of its entry, without padding. */
static bool play_is_value(const setti_type* type, const unsigned char* value,
                          const unsigned char* bytes)
{
    const unsigned char* mask = type->desc.mask;
    size_t size = setti_hash_size(type);
    size_t k = setti_delta_turns(type) ? size : 0; /* turned, they are not compared */
    while (k < size && ((value[k] ^ bytes[k]) & (mask != NULL ? mask[k] : 255)) == 0) {
        k++;
    }
    return k == size;
}

bool setti_delta_find_altered(const setti_delta* delta, sett_entity* entity, const char** name)
{
    for (uint32_t t = 0; t < delta->type_count; t++) {
        const setti_delta_type* of = &delta->type[t];
        setti_delta_reader from = of->part[SETTI_DELTA_ENTRIES];
        for (uint32_t k = 0; of->form == SETTI_DELTA_VALUES && k < of->count[SETTI_DELTA_ENTRIES];
             k++) {
            setti_delta_entry entry = setti_delta_next(&from, of);
            const void* value = setti_storage_find(&of->type->storage, entry.index);
            if (entry.bytes != NULL && value != NULL &&
                !play_is_value(of->type, value, entry.bytes)) {
                *entity = setti_entity_at(&delta->world->entities, entry.index);
                *name = of->type->desc.name;
                return true;
            }
        }
    }
    return false;
}

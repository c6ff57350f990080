/* delta_play.c: plays a checked delta with public calls, like a program.
 *
 * The workload: a hostile peer can send entries that are valid alone, but not together, such as
 * parents in a cycle. Calls reject such entries, and setti_delta_play's caller undoes the delta.
 *
 * Ended entities are first unlinked, so that no clean-up policy acts: the delta has the effects of
 * the sender's policies. Names are removed before nodes move, and set after all nodes have moved.
 * So two siblings never have the same name. The order of steps:
 *
 *     remove names, detach moved nodes, unlink ended entities | end | create, set generations |
 *     links, values | names | remove "sources" | look for cycles | lists
 *
 * Invariant:  each step is one call, which copies at most the pages that setti_delta_room reserves
 */
#include "state/delta_reader.h"
#include "state/hash.h"
#include "state/view.h"
#include "world/change.h"
#include "world/command.h"

#include <string.h>

/* The passes over entries. */
enum {
    PLAY_FIRST,  /* links and values */
    PLAY_SECOND, /* names */
    PLAY_LAST    /* removes "sources" */
};

/* Unlinks the values that entries will change, in the types of a pass. Returns false on failure,
 * as the functions below do. */
static bool play_detach_moved(const setti_delta* delta, uint32_t pass)
{
    for (uint32_t t = 0; t < delta->type_count; t++) {
        const setti_delta_type* delta_type = &delta->type[t];
        const setti_codec* codec = delta_type->codec;
        if (codec == NULL || codec->detach_for_move == NULL || codec->pass != pass) {
            continue;
        }
        setti_delta_reader reader = delta_type->section[SETTI_DELTA_ENTRIES];
        for (uint32_t k = 0; k < delta_type->count[SETTI_DELTA_ENTRIES]; k++) {
            setti_delta_entry entry = setti_delta_next(&reader, delta_type);
            if (!codec->detach_for_move(&delta->player, delta_type->type, &entry)) {
                return false;
            }
        }
    }
    return true;
}

/* Unlinks an entity that will be destroyed, in the types of a pass. */
static bool play_detach_entity(const setti_delta* delta, sett_entity entity, uint32_t pass)
{
    const setti_type_list* types = &delta->world->registered;
    for (uint32_t k = 0; k < types->count; k++) {
        const setti_codec* codec = setti_delta_codec(types->item[k]);
        bool detaches = codec != NULL && codec->detach != NULL && codec->pass == pass;
        if (detaches && !codec->detach(&delta->player, types->item[k], entity)) {
            return false;
        }
    }
    return true;
}

/* Unlinks the entities that will be destroyed, in the types of a pass. */
static bool play_detach_ended(const setti_delta* delta, uint32_t pass)
{
    setti_delta_handles ended = delta->ended;
    sett_entity entity;
    while (setti_delta_next_handle(&ended, &entity)) {
        if (delta->part != NULL && !sett_entity_valid(delta->world, entity)) {
            continue; /* the receiver of a part may have destroyed the entity before */
        }
        if (!play_detach_entity(delta, entity, pass)) {
            return false;
        }
    }
    return true;
}

/* Calls `fn` for each entity of a list. If `fn` returns false, stops and returns false. */
static bool play_each(const setti_delta* delta, setti_delta_handles handles,
                      bool (*fn)(const setti_delta* delta, sett_entity entity))
{
    sett_entity entity;
    while (setti_delta_next_handle(&handles, &entity)) {
        if (!fn(delta, entity)) {
            return false;
        }
    }
    return true;
}

/* ------------------------------------------------------------------------------------- entities */

static bool play_end(const setti_delta* delta, sett_entity entity)
{
    sett_world* world = delta->world;
    if (delta->part != NULL && !sett_entity_valid(world, entity)) {
        return true; /* the receiver of a part may have destroyed the entity before */
    }
    if (!setti_delta_room(delta)) {
        return false;
    }
    if (delta->part != NULL && !setti_entity_in_range(&world->entities, entity.index)) {
        return sett_entity_forget(world, entity) == SETT_OK; /* the handle can come back */
    }
    return sett_entity_destroy(world, entity) == SETT_OK;
}

static bool play_begin(const setti_delta* delta, sett_entity entity)
{
    SETTI_ASSERT(!delta->loading || delta->world->listeners == NULL);
    sett_world* world = delta->world;
    setti_entity_table* table = &world->entities;
    if (delta->part != NULL && sett_entity_valid(world, entity)) {
        return true; /* exists already */
    }
    if (delta->loading) {
        sett_status status = setti_entity_reserve_index(&world->pool, table, entity.index);
        if (status != SETT_OK) {
            setti_world_fail(world, status, delta->player.call, entity, 0);
            return false;
        }
        setti_entity_create_at(&world->pool, table, entity);
        return true;
    }
    if (!setti_delta_room(delta)) {
        return false;
    }
    if (entity.generation < setti_entity_upcoming(table, entity.index).generation) {
        setti_entity_set_next(&world->pool, table, entity); /* the delta leads back in time */
    }
    return sett_entity_create_handle(world, entity) == SETT_OK;
}

/* Sets the next generation of a free index. */
static bool play_slot(const setti_delta* delta, sett_entity slot)
{
    sett_world* world = delta->world;
    if (setti_entity_is_claimed(&world->entities, slot.index)) {
        return true; /* a recorded creation has the index */
    }
    if (!setti_delta_room(delta)) {
        return false;
    }
    sett_status status = setti_entity_reserve_index(&world->pool, &world->entities, slot.index);
    if (status != SETT_OK) {
        setti_world_fail(world, status, delta->player.call, slot, 0);
        return false;
    }
    if (slot.generation == SETTI_RETIRED) {
        setti_entity_retire(&world->pool, &world->entities, slot.index);
    } else {
        setti_entity_set_next(&world->pool, &world->entities, slot);
    }
    return true;
}

/* --------------------------------------------------------------------------------------- values */

/* Writes the bytes of an entry to a value. Leaves the value's padding as it is. */
static void play_write(const setti_type* type, unsigned char* value, const unsigned char* bytes)
{
    size_t size = setti_hash_size(type);
    const unsigned char* mask = type->desc.mask;
    if (mask != NULL) {
        for (size_t k = 0; k < size; k++) {
            value[k] = (unsigned char)((value[k] & ~mask[k]) | (bytes[k] & mask[k]));
        }
    } else if (size != 0) {
        memcpy(value, bytes, size);
    }
    if (setti_delta_turns(type)) {
        setti_canonical_turn_value(type->members, value);
    }
}

void setti_delta_read_data(const setti_player* player, const setti_type* type,
                           const unsigned char* bytes, void* value)
{
    SETTI_ASSERT(type->delta_number != 0);
    const setti_delta* delta = (const setti_delta*)player;
    setti_delta_rule* rule = delta->type[type->delta_number - 1].rule;
    if (rule != NULL) {
        rule->convert(rule, bytes, setti_delta_bytes(type), value);
    } else {
        play_write(setti_type_data(type), value, bytes);
    }
}

/* Tells setti_change_put to write an entry's value into the component. */
typedef struct play_fill {
    setti_edit_fill fill; /* first */
    const setti_delta_type* delta_type;
    const unsigned char* bytes;
} play_fill;

static void play_fill_write(const setti_edit_fill* given, void* value)
{
    const play_fill* fill = (const play_fill*)(const void*)given;
    setti_delta_rule* rule = fill->delta_type->rule;
    if (rule != NULL) {
        rule->convert(rule, fill->bytes, fill->delta_type->bytes, value);
    } else {
        play_write(fill->delta_type->type, value, fill->bytes);
    }
}

/* A type with SETTI_TYPE_ONE marks the one entity that has the singletons. Returns true if a part
 * adds such a type to `entity`, and another entity of this world has it already. */
static bool play_moves_singletons(const setti_delta* delta, const setti_type* type,
                                  sett_entity entity)
{
    bool is_singletons = (type->flags & SETTI_TYPE_ONE) != 0;
    if (delta->part == NULL || !is_singletons || type->storage.count == 0) {
        return false;
    }
    return !setti_storage_has(&type->storage, entity.index);
}

static bool play_value(const setti_delta* delta, const setti_delta_type* delta_type,
                       sett_entity entity, setti_delta_entry entry)
{
    SETTI_ASSERT(delta_type->codec == NULL && (entry.bytes != NULL || delta_type->bytes == 0));
    sett_world* world = delta->world;
    const play_fill fill = {{play_fill_write}, delta_type, entry.bytes};
    setti_type* type = delta_type->type;
    if (play_moves_singletons(delta, type, entity)) {
        setti_world_fail_input(world, SETT_STATUS_INVALID,
                               "%s: entity %u:%u of the selection has the sender's singletons, and "
                               "another entity has those of this world - leave sett_singletons out "
                               "of the selection",
                               delta->player.call, SETTI_HANDLE(entity));
        return false;
    }
    if (type->storage.size == 0) {
        return sett_ensure(world, entity, type->id) != NULL;
    }
    return setti_change_put(world, type, entity, &fill.fill, delta->player.call) != NULL;
}

/* -------------------------------------------------------------------------------------- entries */

static bool play_entry(const setti_delta* delta, const setti_delta_type* delta_type,
                       setti_delta_entry entry)
{
    sett_world* world = delta->world;
    setti_type* type = delta_type->type;
    sett_entity entity = setti_entity_at(&world->entities, entry.index);
    if (sett_is_null(entity)) { /* a policy or an observer destroyed the entity */
        (void)setti_delta_reject(delta,
                                 "\"%.100s\" of index %u: an earlier change destroys the entity",
                                 type->desc.name, (unsigned)entry.index);
        return false;
    }
    if (!setti_delta_room(delta)) {
        return false;
    }
    const setti_codec* codec = delta_type->codec;
    if (entry.kind == SETTI_DELTA_REMOVED && codec != NULL && codec->remove != NULL) {
        return codec->remove(&delta->player, type, entity);
    }
    if (entry.kind == SETTI_DELTA_REMOVED) {
        if (!sett_has(world, entity, type->id)) {
            return true; /* was removed together with a type that it requires */
        }
        return sett_remove(world, entity, type->id) == SETT_OK;
    }
    if (codec != NULL) {
        return codec->play(&delta->player, type, entity, &entry);
    }
    return play_value(delta, delta_type, entity, entry);
}

/* Returns the pass in which an entry is played. */
static uint32_t play_pass(const setti_codec* codec, setti_delta_entry entry)
{
    if (codec == NULL) {
        return PLAY_FIRST;
    }
    return entry.kind != SETTI_DELTA_REMOVED ? codec->pass : codec->remove_pass;
}

static bool play_block(const setti_delta* delta, const setti_delta_type* delta_type,
                       setti_delta_entry block)
{
    sett_world* world = delta->world;
    setti_delta_entry entry;
    bool converts = delta_type->rule != NULL || setti_delta_turns(delta_type->type);
    bool is_new_block = delta->loading && block.bits != 0;
    if (is_new_block && !converts && setti_change_is_bare(world, delta_type->type)) {
        /* adds all values of the block at once */
        const unsigned char* values = delta_type->bytes != 0 ? block.bytes : NULL;
        return setti_change_add_word(world, delta_type->type, block.index, block.bits, values,
                                     delta->player.call);
    }
    while (setti_delta_take(&block, delta_type, &entry)) {
        if (!play_entry(delta, delta_type, entry)) {
            return false;
        }
    }
    return true;
}

static bool play_section(const setti_delta* delta, const setti_delta_type* delta_type,
                         setti_delta_section section, uint32_t pass)
{
    setti_delta_reader reader = delta_type->section[section];
    for (uint32_t k = 0; k < delta_type->count[section]; k++) {
        setti_delta_entry entry = setti_delta_next(&reader, delta_type);
        bool in_pass = play_pass(delta_type->codec, entry) == pass;
        if (in_pass && !play_block(delta, delta_type, entry)) {
            return false;
        }
    }
    return true;
}

static bool play_entries(const setti_delta* delta, uint32_t pass)
{
    for (uint32_t t = 0; t < delta->type_count; t++) {
        const setti_delta_type* delta_type = &delta->type[t];
        if (!play_section(delta, delta_type, SETTI_DELTA_ENTRIES, pass) ||
            !play_section(delta, delta_type, SETTI_DELTA_CHANGES, pass)) {
            return false;
        }
    }
    return true;
}

/* Replaces *index by the index of the first owner of that entity. Returns false if the entity has
 * no owner. */
static bool play_follow(const setti_delta* delta, const setti_delta_type* delta_type,
                        uint32_t* index)
{
    SETTI_ASSERT(delta_type->codec->owner != NULL);
    setti_codec_cursor cursor = {0};
    sett_entity next = delta_type->codec->owner(delta->player.sides, delta_type->type, *index,
                                                SETTI_AFTER, &cursor);
    if (sett_is_null(next)) {
        return false;
    }
    *index = next.index;
    return true;
}

/* Follows the owners of an entity, up to an entity that has no owner or is in `seen`. Adds the
 * entities on the way to `seen`. Returns an index in a cycle of owners, or SETTI_NONE if there is
 * no cycle.
 *   seen  a bit for each place of a value */
static uint32_t play_find_circle(const setti_delta* delta, const setti_delta_type* delta_type,
                                 uint32_t index, unsigned char* seen)
{
    const setti_storage* storage = &delta_type->type->storage;
    uint32_t last = index;
    uint32_t owner = index;
    uint32_t steps = storage->count; /* no chain without a cycle has more */
    while (play_follow(delta, delta_type, &owner)) {
        uint32_t place = setti_storage_slot(storage, last);
        if (((seen[place / 8] >> (place % 8)) & 1) != 0) {
            break;
        }
        if (steps-- == 0) {
            return last;
        }
        last = owner;
    }
    owner = index; /* goes the same way again, and marks it */
    while (owner != last) {
        uint32_t place = setti_storage_slot(storage, owner);
        seen[place / 8] |= (unsigned char)(1u << (place % 8));
        (void)play_follow(delta, delta_type, &owner);
    }
    return SETTI_NONE;
}

static void play_report_circle(const setti_delta* delta, const setti_type* type, sett_entity entity)
{
    const char* noun = setti_delta_noun(delta);
    const char* call = delta->player.call;
    if (delta->part != NULL) {
        setti_world_fail_input(delta->world, SETT_STATUS_INVALID,
                               "%s: \"%.100s\" is acyclic, but with the links of the %s "
                               "entity %u:%u leads back to itself - select the targets of "
                               "these links, too",
                               call, type->desc.name, noun, SETTI_HANDLE(entity));
        return;
    }
    setti_world_fail_input(delta->world, SETT_STATUS_INVALID,
                           "%s: \"%.100s\" is acyclic in this world, but by the links of "
                           "the %s entity %u:%u leads back to itself - register it "
                           "without `acyclic`",
                           call, type->desc.name, noun, SETTI_HANDLE(entity));
}

/* Checks that the owners of the delta's entries form no cycle. Follows each owner at most twice. */
static bool play_check_circles(const setti_delta* delta, const setti_delta_type* delta_type)
{
    sett_world* world = delta->world;
    setti_delta_reader reader = delta_type->section[SETTI_DELTA_ENTRIES];
    size_t size = delta_type->type->storage.extent / 8 + 1;
    unsigned char* seen = setti_pool_alloc(&world->pool, size, 16);
    uint32_t found = SETTI_NONE;
    if (seen == NULL) {
        setti_world_no_memory(world, delta->player.call);
        return false;
    }
    memset(seen, 0, size);
    for (uint32_t k = 0; found == SETTI_NONE && k < delta_type->count[SETTI_DELTA_ENTRIES]; k++) {
        setti_delta_entry entry = setti_delta_next(&reader, delta_type);
        found = play_find_circle(delta, delta_type, entry.index, seen);
    }
    setti_pool_free(&world->pool, seen, size, 16);
    if (found == SETTI_NONE) {
        return true;
    }
    play_report_circle(delta, delta_type->type, setti_entity_at(&world->entities, found));
    return false;
}

static bool play_check_all_circles(const setti_delta* delta)
{
    for (uint32_t t = 0; t < delta->type_count; t++) {
        const setti_delta_type* delta_type = &delta->type[t];
        const setti_codec* codec = delta_type->codec;
        bool acyclic = codec != NULL && codec->acyclic != NULL && codec->acyclic(delta_type->type);
        if (acyclic && !play_check_circles(delta, delta_type)) {
            return false;
        }
    }
    return true;
}

/* Whether the last `count` members of a list are the given ones, in order.
 *   place  of the list's last member
 *   given  stands at the first given member */
static bool play_list_ends(const setti_delta* delta, const setti_delta_type* delta_type,
                           uint32_t place, const setti_delta_reader* given, uint32_t count)
{
    for (uint32_t k = count; k-- > 0;) {
        if (place == SETTI_NONE) {
            return false; /* the list is shorter */
        }
        uint32_t member = delta_type->codec->step(delta->player.sides, delta_type->type,
                                                  SETTI_AFTER, &place, SETTI_LIST_PREVIOUS);
        if (member != setti_delta_word(given->at, k)) {
            return false;
        }
    }
    return true;
}

/* Reads the new order of a list. Moves the members to the list's end, in this order. */
static bool play_list(const setti_delta* delta, const setti_delta_type* delta_type,
                      setti_delta_reader* reader)
{
    const setti_codec* codec = delta_type->codec;
    SETTI_ASSERT(codec->list != NULL && codec->requeue != NULL);
    uint32_t index = setti_delta_u32(reader);
    uint32_t kept = setti_delta_u32(reader); /* members at the beginning that are not moved */
    uint32_t count = setti_delta_u32(reader);
    setti_delta_reader again = *reader; /* play_list_ends reads the members a second time */
    setti_codec_list list;
    sett_entity owner = setti_entity_at(&delta->world->entities, index);
    bool list_fits =
        !sett_is_null(owner) &&
        codec->list(delta->player.sides, delta_type->type, index, SETTI_AFTER, &list) &&
        (uint64_t)kept + count == list.count;
    for (uint32_t k = 0; list_fits && k < count; k++) {
        if (!setti_delta_room(delta)) {
            return false;
        }
        list_fits = codec->requeue(delta_type->type, owner, setti_delta_u32(reader));
    }
    /* compares the end of the list: a member that was given twice is not at both places */
    list_fits = list_fits &&
                codec->list(delta->player.sides, delta_type->type, index, SETTI_AFTER, &list) &&
                play_list_ends(delta, delta_type, list.last, &again, count);
    if (!list_fits) {
        return delta->player.reject(&delta->player, delta_type->type,
                                    "the order of links names an entity without such a link");
    }
    return true;
}

static bool play_lists(const setti_delta* delta)
{
    for (uint32_t t = 0; t < delta->type_count; t++) {
        setti_delta_reader reader = delta->type[t].section[SETTI_DELTA_LISTS];
        for (uint32_t k = 0; k < delta->type[t].count[SETTI_DELTA_LISTS]; k++) {
            if (!play_list(delta, &delta->type[t], &reader)) {
                return false;
            }
        }
    }
    return true;
}

/* Unlinks values and entities. Detached nodes become roots, and two roots cannot share a name:
 * PLAY_SECOND, the pass of names, comes first. */
static bool play_detach(const setti_delta* delta)
{
    return play_detach_moved(delta, PLAY_SECOND) && play_detach_moved(delta, PLAY_FIRST) &&
           play_detach_ended(delta, PLAY_SECOND) && play_detach_ended(delta, PLAY_FIRST);
}

/* Destroys and creates entities, and sets the generations of free indices. */
static bool play_entities(const setti_delta* delta)
{
    if (!play_each(delta, delta->ended, play_end) || !play_each(delta, delta->begun, play_begin)) {
        return false;
    }
    if (delta->part != NULL) {
        return true; /* `slots` has the parents */
    }
    return play_each(delta, delta->slots, play_slot);
}

bool setti_delta_play(setti_delta* delta)
{
    setti_view live; /* SETTI_AFTER is the live world */
    SETTI_ASSERT(delta->player.room != NULL && delta->player.fate != NULL);
    setti_view_init_empty(delta->world, &live);
    delta->player.sides = &live.sides;
    setti_commands_receive(delta->world, true);
    bool played = play_detach(delta) && play_entities(delta) && play_entries(delta, PLAY_FIRST) &&
                  play_entries(delta, PLAY_SECOND) && play_entries(delta, PLAY_LAST) &&
                  play_check_all_circles(delta) && play_lists(delta);
    setti_commands_receive(delta->world, false);
    return played;
}

/* Whether a value has the bytes of an entry, except for padding. All bytes count as
 * equal if deltas have them in another order than this machine. */
static bool play_is_value(const setti_type* type, const unsigned char* value,
                          const unsigned char* bytes)
{
    const unsigned char* mask = type->desc.mask;
    size_t size = setti_hash_size(type);
    if (setti_delta_turns(type)) {
        return true;
    }
    for (size_t k = 0; k < size; k++) {
        uint32_t difference = value[k] ^ bytes[k];
        if (mask != NULL) {
            difference &= mask[k];
        }
        if (difference != 0) {
            return false;
        }
    }
    return true;
}

/* Finds an entity whose value differs from its entry in a section. Returns false if no value
 * differs. */
static bool play_find_altered(const setti_delta* delta, const setti_delta_type* delta_type,
                              setti_delta_section section, sett_entity* entity)
{
    setti_delta_reader reader = delta_type->section[section];
    for (uint32_t k = 0; k < delta_type->count[section]; k++) {
        setti_delta_entry block = setti_delta_next(&reader, delta_type);
        setti_delta_entry entry;
        while (setti_delta_take(&block, delta_type, &entry)) {
            const void* value = setti_storage_find(&delta_type->type->storage, entry.index);
            if (entry.bytes != NULL && value != NULL &&
                !play_is_value(delta_type->type, value, entry.bytes)) {
                *entity = setti_entity_at(&delta->world->entities, entry.index);
                return true;
            }
        }
    }
    return false;
}

bool setti_delta_find_altered(const setti_delta* delta, sett_entity* entity, const char** name)
{
    for (uint32_t t = 0; t < delta->type_count; t++) {
        const setti_delta_type* delta_type = &delta->type[t];
        if (delta_type->codec != NULL) {
            continue; /* only values that are sent as bytes are compared */
        }
        if (play_find_altered(delta, delta_type, SETTI_DELTA_ENTRIES, entity) ||
            play_find_altered(delta, delta_type, SETTI_DELTA_CHANGES, entity)) {
            *name = delta_type->type->desc.name;
            return true;
        }
    }
    return false;
}

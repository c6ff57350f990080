/* links_codec.c: the codecs of relationships, for deltas: the targets and data of links. */
#include "relation/chain.h"
#include "relation/codecs.h"

/* Returns the link at `place` in the state `side`. With many targets, the link is a record.
 * Otherwise it is the value of the source with the index `place`. */
static const void* codec_link_at(setti_sides* sides, const setti_type* type, uint32_t place,
                                 uint32_t side)
{
    SETTI_ASSERT(place != SETTI_NONE);
    const setti_relation* relation = setti_relation_of_links(type);
    if (!relation->many) {
        return sides->value(sides, type, place, side);
    }
    const unsigned char* page =
        sides->page(sides, &relation->records, place >> relation->layout.shift, side);
    uint32_t row = place & (((uint32_t)1 << relation->layout.shift) - 1); /* on the page */
    return page + (size_t)row * relation->layout.size;
}

#define CODEC_TARGET_BYTES 8 /* index and generation of a link's target; the data follow */

static uint32_t codec_link_bytes(const setti_type* type)
{
    return CODEC_TARGET_BYTES + setti_relation_of_links(type)->data_size;
}

static void codec_link_encode(setti_encoder* encoder, const setti_type* type, const void* value)
{
    const sett_link* link = value;
    setti_encode_number(encoder, link->target.index, 4);
    setti_encode_number(encoder, link->target.generation, 4);
    encoder->write_data(encoder, setti_relation_of_links(type)->data_type,
                        (const unsigned char*)value + setti_relation_of_links(type)->layout.data);
}

/* Reads the k-th target of an entry. Returns the encoded data that follow the target. */
static const unsigned char* codec_link_target(const setti_delta_entry* entry, uint32_t k,
                                              sett_entity* target)
{
    SETTI_ASSERT(k < entry->count || entry->count == 0);
    const unsigned char* bytes = entry->bytes + k * (size_t)entry->size;
    target->index = setti_delta_word(bytes, 0);
    target->generation = setti_delta_word(bytes, 1);
    return bytes + CODEC_TARGET_BYTES;
}

/* Like codec_link_target, but decodes the data into `memory`. Members that are not encoded keep the
 * data of the present link. Returns `memory`, or NULL if the links have no data. */
static const void* codec_link_data(const setti_player* player, const setti_type* type,
                                   sett_entity source, const setti_delta_entry* entry, uint32_t k,
                                   sett_entity* target, void* memory)
{
    const setti_relation* relation = setti_relation_of_links(type);
    const unsigned char* bytes = codec_link_target(entry, k, target);
    if (relation->data_size == 0) {
        return NULL;
    }
    sett_entity old_target = *target;
    if (!relation->many) {
        old_target = sett_target(type->world, source, type->id);
    }
    const void* old_data = NULL;
    if (!sett_is_null(old_target)) {
        old_data = sett_related(type->world, source, type->id, old_target);
    }
    memset(memory, 0, relation->data_size);
    if (old_data != NULL) {
        memcpy(memory, old_data, relation->data_size);
    }
    player->read_data(player, type, bytes, memory);
    return memory;
}

/* Allocates `*memory` for the data of a link, or sets it to NULL if links have no data. Returns
 * false if memory runs out. */
static bool codec_link_begin(const setti_player* player, const setti_type* type, sett_entity source,
                             void** memory)
{
    size_t size = setti_relation_of_links(type)->data_size;
    *memory = NULL;
    if (size == 0) {
        return true;
    }
    *memory = setti_pool_alloc(&type->world->pool, size, 16);
    if (*memory == NULL) {
        setti_world_fail(type->world, SETT_STATUS_OUT_OF_MEMORY, player->call, source, type->id);
    }
    return *memory != NULL;
}

static void codec_link_end(const setti_type* type, void* memory)
{
    setti_pool_free(&type->world->pool, memory, setti_relation_of_links(type)->data_size, 16);
}

/* Removes all links from an entity. Returns false on failure. */
static bool codec_link_unrelate_all(const setti_player* player, setti_type* type,
                                    sett_entity entity)
{
    sett_world* world = type->world;
    while (sett_target_count(world, entity, type->id) != 0) {
        if (!player->room(player)) {
            return false;
        }
        sett_entity target = sett_target(world, entity, type->id);
        if (sett_unrelate(world, entity, type->id, target) != SETT_OK) {
            return false;
        }
    }
    return true;
}

/* Removes all links from and to an entity. */
static bool codec_link_detach(const setti_player* player, setti_type* type, sett_entity entity)
{
    sett_world* world = type->world;
    if (!codec_link_unrelate_all(player, type, entity)) {
        return false;
    }
    while (sett_source_count(world, type->id, entity) != 0) {
        sett_link_cursor cursor = {0};
        sett_entity source = sett_source_next(world, type->id, entity, &cursor);
        if (!player->room(player) || sett_unrelate(world, source, type->id, entity) != SETT_OK) {
            return false;
        }
    }
    return true;
}

static bool codec_link_list(setti_sides* sides, const setti_type* type, uint32_t owner,
                            uint32_t side, setti_codec_list* list)
{
    const sett_links* sources =
        sides->value(sides, setti_relation_of_links(type)->sources, owner, side);
    list->count = sources != NULL ? sources->count : 0;
    list->first = list->count != 0 ? sources->first_ : SETTI_NONE;
    list->last = list->count != 0 ? sources->last_ : SETTI_NONE;
    return sources != NULL;
}

static uint32_t codec_link_step(setti_sides* sides, const setti_type* type, uint32_t side,
                                uint32_t* place, setti_list_step step)
{
    const sett_link* link = codec_link_at(sides, type, *place, side);
    uint32_t member = *place;
    if (setti_relation_of_links(type)->many) {
        const setti_chain_record* record = (const setti_chain_record*)(const void*)link;
        member = record->source;
    }
    *place = step == SETTI_LIST_PREVIOUS ? link->chain_.previous : link->chain_.next;
    return member;
}

static bool codec_link_requeue(setti_type* type, sett_entity owner, uint32_t member)
{
    sett_entity source = setti_entity_at(&type->world->entities, member);
    uint32_t place = setti_chain_find(setti_relation_of_links(type), source, owner);
    if (place == SETTI_NONE) {
        return false;
    }
    setti_chain_requeue(setti_relation_of_links(type), SETTI_SOURCES, place);
    return true;
}

static bool codec_link_play(const setti_player* player, setti_type* type, sett_entity entity,
                            const setti_delta_entry* entry)
{
    sett_entity target;
    void* memory;
    if (!codec_link_begin(player, type, entity, &memory)) {
        return false;
    }
    const void* data = codec_link_data(player, type, entity, entry, 0, &target, memory);
    const void* made =
        setti_relation_relate(type->world, entity, type->id, target, data, player->call);
    codec_link_end(type, memory);
    return made != NULL;
}

static bool codec_link_acyclic(const setti_type* type)
{
    return setti_relation_of_links(type)->desc.acyclic;
}

/* Returns the target of a source in the first call with a cursor, and null in later calls. */
static sett_entity codec_link_owner(setti_sides* sides, const setti_type* type, uint32_t index,
                                    uint32_t side, setti_codec_cursor* cursor)
{
    bool is_first_call = cursor->number == 0;
    cursor->number++;
    if (!is_first_call) {
        return sett_null();
    }
    const sett_link* link = sides->value(sides, type, index, side);
    return link != NULL ? link->target : sett_null();
}

const setti_codec setti_link_codec = {
    .form = SETTI_DELTA_LINK,
    .direct = true,
    .bytes = codec_link_bytes,
    .encode = codec_link_encode,
    .detach = codec_link_detach,
    .play = codec_link_play,
    .acyclic = codec_link_acyclic,
    .owner = codec_link_owner,
    .list = codec_link_list,
    .step = codec_link_step,
    .requeue = codec_link_requeue,
};

static void codec_links_encode(setti_encoder* encoder, const setti_type* type, const void* value)
{
    const sett_links* links = value;
    uint32_t place = links->first_;
    setti_encode_number(encoder, links->count, 4);
    for (uint32_t k = 0; k < links->count; k++) {
        const setti_chain_record* record = codec_link_at(encoder->sides, type, place, SETTI_AFTER);
        codec_link_encode(encoder, type, record);
        place = record->by_source.next;
    }
}

static const char* codec_links_check(const setti_player* player, const setti_type* type,
                                     const setti_delta_entry* entry)
{
    (void)player;
    (void)type;
    if (entry->count == 0) {
        return "an entity has a relationship without a target";
    }
    return NULL;
}

/* Returns true if a source has exactly the targets of an entry, in the same order. */
static bool codec_links_are_equal(const setti_relation* relation, uint32_t source,
                                  const setti_delta_entry* entry)
{
    const sett_links* links = setti_storage_find(&relation->links->storage, source);
    if (links == NULL || links->count != entry->count) {
        return false;
    }
    uint32_t place = links->first_;
    for (uint32_t k = 0; k < entry->count; k++) {
        const setti_chain_record* record = setti_chain_record_at(relation, place);
        sett_entity target;
        (void)codec_link_target(entry, k, &target);
        if (!sett_equals(record->link.target, target)) {
            return false;
        }
        place = record->by_source.next;
    }
    return true;
}

/* Gives a source the targets of an entry, in the order of the entry, and removes all other
 * targets. */
static bool codec_links_set(const setti_player* player, setti_relation* relation,
                            sett_entity source, const setti_delta_entry* entry, void* memory)
{
    SETTI_ASSERT(entry->count != 0);
    sett_world* world = relation->world;
    sett_component id = relation->links->id;
    for (uint32_t k = 0; k < entry->count; k++) {
        sett_entity target;
        const void* data =
            codec_link_data(player, relation->links, source, entry, k, &target, memory);
        if (!player->room(player) ||
            setti_relation_relate(world, source, id, target, data, player->call) == NULL) {
            return false;
        }
        setti_chain_requeue(relation, SETTI_TARGETS, setti_chain_find(relation, source, target));
    }
    while (sett_target_count(world, source, id) > entry->count) { /* other targets come first now */
        sett_entity target = sett_target(world, source, id);
        if (!player->room(player) || sett_unrelate(world, source, id, target) != SETT_OK) {
            return false;
        }
    }
    if (codec_links_are_equal(relation, source.index, entry)) {
        return true;
    }
    return player->reject(player, relation->links, "an entity has two links to one target");
}

/* Sets the data of a source's links. The source must have the targets of the entry. */
static bool codec_links_set_data(const setti_player* player, setti_type* type, sett_entity source,
                                 const setti_delta_entry* entry, void* memory)
{
    size_t data_size = setti_relation_of_links(type)->data_size;
    for (uint32_t k = 0; k < entry->count; k++) {
        sett_entity target;
        const void* data = codec_link_data(player, type, source, entry, k, &target, memory);
        const void* old_data = sett_related(type->world, source, type->id, target);
        if (memcmp(old_data, data, data_size) == 0) {
            continue;
        }
        if (!player->room(player) || setti_relation_relate(type->world, source, type->id, target,
                                                           data, player->call) == NULL) {
            return false;
        }
    }
    return true;
}

static bool codec_links_play(const setti_player* player, setti_type* type, sett_entity source,
                             const setti_delta_entry* entry)
{
    setti_relation* relation = setti_relation_of_links(type);
    void* memory;
    if (!codec_link_begin(player, type, source, &memory)) {
        return false;
    }
    bool played = true;
    if (!codec_links_are_equal(relation, source.index, entry)) {
        played = codec_links_set(player, relation, source, entry, memory);
    } else if (relation->data_size != 0) {
        played = codec_links_set_data(player, type, source, entry, memory);
    }
    codec_link_end(type, memory);
    return played;
}

static sett_entity codec_links_owner(setti_sides* sides, const setti_type* type, uint32_t index,
                                     uint32_t side, setti_codec_cursor* cursor)
{
    const sett_links* links = sides->value(sides, type, index, side);
    if (links == NULL || cursor->number == links->count) {
        return sett_null();
    }
    if (cursor->number++ == 0) {
        cursor->place = links->first_;
    }
    const setti_chain_record* record = codec_link_at(sides, type, cursor->place, side);
    cursor->place = record->by_source.next;
    return record->link.target;
}

const setti_codec setti_links_codec = {
    .form = SETTI_DELTA_LINKS,
    .counted = 4,
    .bytes = codec_link_bytes,
    .encode = codec_links_encode,
    .check = codec_links_check,
    .detach = codec_link_detach,
    .play = codec_links_play,
    .remove = codec_link_unrelate_all,
    .owner = codec_links_owner,
    .list = codec_link_list,
    .step = codec_link_step,
    .requeue = codec_link_requeue,
};

static bool codec_target_differs(const void* before, const void* after)
{
    (void)before;
    (void)after;
    return false; /* the codec of the links compares them */
}

/* Reports an error if `reserved` is false. Returns `reserved`. */
static bool codec_target_check_memory(const setti_player* player, const setti_type* type,
                                      sett_entity entity, bool reserved)
{
    if (!reserved) {
        setti_world_fail(type->world, SETT_STATUS_OUT_OF_MEMORY, player->call, entity, type->id);
    }
    return reserved;
}

static bool codec_target_play(const setti_player* player, setti_type* type, sett_entity entity,
                              const setti_delta_entry* entry)
{
    (void)entry;
    setti_edit_settle(type->world);
    bool reserved = setti_chain_reserve_target(setti_relation_of_ends(type), entity.index);
    if (reserved) {
        setti_chain_make_target(setti_relation_of_ends(type), entity);
    }
    return codec_target_check_memory(player, type, entity, reserved);
}

/* Removes the "sources" component of an entity to which no link leads. */
static bool codec_target_remove(const setti_player* player, setti_type* type, sett_entity entity)
{
    const sett_links* list = setti_storage_find(&type->storage, entity.index);
    setti_edit_settle(type->world);
    if (list == NULL) {
        return true;
    }
    if (list->count != 0) {
        return player->reject(player, type, "an entity with links to it is no target");
    }
    bool reserved = setti_change_reserve_remove(type->world, type, entity.index);
    if (reserved) {
        setti_change_remove_reserved(type->world, type, entity.index);
    }
    return codec_target_check_memory(player, type, entity, reserved);
}

const setti_codec setti_target_codec = {
    .form = SETTI_DELTA_TARGET,
    .remove_pass = 2,
    .differs = codec_target_differs,
    .play = codec_target_play,
    .remove = codec_target_remove,
};

/* hierarchy_codec.c: the codecs of hierarchy nodes and names, for deltas. A node is encoded as the
 * link to the parent and the policy, a name as its text.
 *
 * Names are unique among siblings. So the names of moving entities are removed before the moves,
 * and set when all entities are in place.
 *
 * state/delta_value.c and state/delta_play.c tell the workload and the invariant.
 */
#include "relation/codecs.h"
#include "relation/hierarchy.h"
#include "relation/name.h"

#define CODEC_NODE_BYTES 5  /* the parent's link, and the policy */
#define CODEC_NODE_POLICY 4 /* position of the policy */

static uint32_t codec_node_bytes(const setti_type* type)
{
    (void)type;
    return CODEC_NODE_BYTES;
}

static bool codec_node_differs(const void* before, const void* after)
{
    const sett_hierarchy* old_node = before;
    const sett_hierarchy* new_node = after;
    /* The other bits of `children` are the number of children, which follows from the parents. */
    return ((old_node->children ^ new_node->children) & SETTI_POLICY) != 0;
}

static void codec_node_encode(setti_encoder* encoder, const setti_type* type, const void* value)
{
    const sett_hierarchy* node = value;
    (void)type;
    setti_encode_number(encoder, node->parent, 4);
    setti_encode_number(encoder, node->children & SETTI_POLICY, 1);
}

static const char* codec_node_check(const setti_player* player, const setti_type* type,
                                    const setti_delta_entry* entry)
{
    uint32_t parent = setti_delta_word(entry->bytes, 0);
    (void)type;
    if (parent != 0 && player->fate(player, setti_link_index(parent)) == SETTI_FATE_NONE) {
        return "an entity has a parent that does not exist";
    }
    if (entry->bytes[CODEC_NODE_POLICY] > SETT_CHILDREN_REJECT) {
        return "an entity has an unknown policy";
    }
    return NULL;
}

/* Makes a node a child of `parent`, or a root if `parent` is null. */
static sett_status codec_node_place(const setti_player* player, sett_entity entity,
                                    sett_entity parent, sett_world* world)
{
    if (!player->room(player)) {
        return SETT_STATUS_OUT_OF_MEMORY;
    }
    if (sett_is_null(parent)) {
        return sett_hierarchy_detach(world, entity);
    }
    return sett_hierarchy_attach(world, entity, parent);
}

/* Like codec_node_place, but removes the node's name if a new sibling has it. */
static bool codec_node_move(const setti_player* player, sett_entity entity, sett_entity parent,
                            sett_world* world)
{
    sett_status status = codec_node_place(player, entity, parent, world);
    if (status == SETT_STATUS_CONFLICT && player->room(player)) {
        setti_name_end(world, entity.index);
        status = codec_node_place(player, entity, parent, world);
    }
    return status == SETT_OK;
}

/* Makes an entity a root if it survives and gets another parent. */
static bool codec_node_detach_for_move(const setti_player* player, setti_type* type,
                                       const setti_delta_entry* entry)
{
    sett_world* world = type->world;
    uint32_t parent = setti_hierarchy_parent(world, entry->index);
    if (parent == 0 || player->fate(player, entry->index) != SETTI_FATE_STAYS) {
        return true;
    }
    bool keeps_parent = entry->kind == SETTI_DELTA_CHANGED &&
                        setti_delta_word(entry->bytes, 0) == parent &&
                        player->fate(player, setti_link_index(parent)) == SETTI_FATE_STAYS;
    if (keeps_parent) {
        return true;
    }
    sett_entity entity = setti_entity_at(&world->entities, entry->index);
    return codec_node_move(player, entity, sett_null(), world);
}

/* Makes an entity and all its children roots. */
static bool codec_node_detach(const setti_player* player, setti_type* type, sett_entity entity)
{
    sett_world* world = type->world;
    if (setti_hierarchy_parent(world, entity.index) != 0 &&
        !codec_node_move(player, entity, sett_null(), world)) {
        return false;
    }
    sett_entity child = sett_hierarchy_first(world, entity);
    while (!sett_is_null(child)) {
        if (!codec_node_move(player, child, sett_null(), world)) {
            return false;
        }
        child = sett_hierarchy_first(world, entity);
    }
    return true;
}

static bool codec_node_play(const setti_player* player, setti_type* type, sett_entity entity,
                            const setti_delta_entry* entry)
{
    sett_world* world = type->world;
    uint32_t parent = setti_delta_word(entry->bytes, 0);
    uint32_t policy = entry->bytes[CODEC_NODE_POLICY];
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
    return codec_node_move(player, entity, setti_hierarchy_entity(world, parent), world);
}

/* Returns the parent of a node in the first call with a cursor, and null in later calls. */
static sett_entity codec_node_owner(setti_sides* sides, const setti_type* type, uint32_t index,
                                    uint32_t side, setti_codec_cursor* cursor)
{
    bool is_first_call = cursor->number == 0;
    cursor->number++;
    if (!is_first_call) {
        return sett_null();
    }
    const sett_hierarchy* node = sides->value(sides, type, index, side);
    if (node == NULL || node->parent == 0) {
        return sett_null();
    }
    return sides->entity(sides, setti_link_index(node->parent), side);
}

static bool codec_node_list(setti_sides* sides, const setti_type* type, uint32_t owner,
                            uint32_t side, setti_codec_list* list)
{
    const sett_hierarchy* node = sides->value(sides, type, owner, side);
    if (node == NULL) {
        return false;
    }
    list->count = node->children / SETTI_CHILD;
    list->first = setti_link_index(node->first);
    list->last = SETTI_NONE;
    if (node->first != SETTI_NO_LINK) {
        node = sides->value(sides, type, list->first, side);
        list->last = setti_link_index(node->previous);
    }
    return true;
}

static uint32_t codec_node_step(setti_sides* sides, const setti_type* type, uint32_t side,
                                uint32_t* place, setti_list_step step)
{
    SETTI_ASSERT(*place != SETTI_NONE);
    uint32_t member = *place;
    const sett_hierarchy* node = sides->value(sides, type, member, side);
    *place = setti_link_index(step == SETTI_LIST_PREVIOUS ? node->previous : node->next);
    return member;
}

static bool codec_node_requeue(setti_type* type, sett_entity owner, uint32_t member)
{
    sett_world* world = type->world;
    if (setti_hierarchy_parent(world, member) != setti_link_to(owner.index)) {
        return false;
    }
    sett_entity child = setti_entity_at(&world->entities, member);
    return sett_hierarchy_attach(world, child, owner) == SETT_OK;
}

const setti_codec setti_hierarchy_codec = {
    .form = SETTI_DELTA_TREE,
    .by_index = true,
    .whole = true, /* depths are repaired by subtree */
    .direct = true,
    .bytes = codec_node_bytes,
    .differs = codec_node_differs,
    .encode = codec_node_encode,
    .check = codec_node_check,
    .detach_for_move = codec_node_detach_for_move,
    .detach = codec_node_detach,
    .play = codec_node_play,
    .owner = codec_node_owner,
    .list = codec_node_list,
    .step = codec_node_step,
    .requeue = codec_node_requeue,
};

/* Names are set after nodes are in place. */
static const setti_type* codec_name_follows(const sett_world* world)
{
    if (setti_hierarchy_of(world) == NULL) {
        return NULL;
    }
    return setti_hierarchy_of(world)->type;
}

static bool codec_name_differs(const void* before, const void* after)
{
    return ((const sett_name*)before)->key != ((const sett_name*)after)->key;
}

/* Returns the text of a key in a saved page of texts, or NULL. Texts end `end` bytes after the
 * begin of the page. */
static const char* codec_name_in_page(const unsigned char* page, size_t end, uint64_t key,
                                      size_t* length)
{
    SETTI_ASSERT(end != 0);
    size_t offset = 0;
    uint16_t head = 0;
    while (offset + SETTI_TEXT_HEAD <= SETTI_TEXT_PAGE && offset < end) {
        memcpy(&head, page + offset, sizeof(head));
        if (head == 0) { /* the end of the page */
            return NULL;
        }
        bool is_hole = (head & SETTI_TEXT_HOLE) != 0;
        *length = head & ~SETTI_TEXT_HOLE;
        const char* text = (const char*)page + offset + SETTI_TEXT_HEAD;
        if (!is_hole && setti_hash_bytes(text, *length) == key) {
            return text;
        }
        offset += SETTI_TEXT_HEAD + *length + 1; /* a zero byte follows the text */
    }
    return NULL;
}

/* Returns the text of a key, from the world or from the encoded state. Returns NULL if the text is
 * lost. */
static const char* codec_name_text(setti_sides* sides, sett_world* world, uint64_t key,
                                   size_t* length)
{
    setti_texts* texts = &setti_names_of(world)->texts;
    const char* text = setti_text_of(world, texts, key);
    if (text != NULL) {
        *length = strlen(text);
        return text;
    }
    *length = 0;
    uint32_t used = sides->number(sides, &texts->root, SETTI_AFTER);
    for (uint32_t number = 0; number < texts->pages.capacity; number++) {
        const unsigned char* page = sides->page(sides, &texts->pages, number, SETTI_AFTER);
        size_t begin = (size_t)number * SETTI_TEXT_PAGE;
        if (page == NULL || begin >= used) {
            continue;
        }
        text = codec_name_in_page(page, used - begin, key, length);
        if (text != NULL) {
            return text;
        }
    }
    return NULL;
}

static void codec_name_encode(setti_encoder* encoder, const setti_type* type, const void* value)
{
    SETTI_ASSERT(type == setti_names_of(type->world)->type);
    uint64_t key = ((const sett_name*)value)->key;
    size_t length = 0;
    const char* text = "";
    if (key != 0) {
        text = codec_name_text(encoder->sides, type->world, key, &length);
    }
    if (text == NULL) { /* the text was removed, and the key is not the hash of the text */
        length = 0;
    }
    if (text == NULL && encoder->status == SETT_OK) {
        encoder->status = setti_world_fail_with(
            type->world, SETT_STATUS_LOST,
            "%s: the text of a name in the encoded state is lost, because a later name has the "
            "same hash - take a new snapshot",
            encoder->call);
    }
    setti_encode_number(encoder, length, 2);
    encoder->write(encoder, text, length);
}

static const char* codec_name_check(const setti_player* player, const setti_type* type,
                                    const setti_delta_entry* entry)
{
    (void)player;
    (void)type;
    if (entry->count > SETT_NAME_MAX) {
        return "a name has more than 1000 bytes";
    }
    return NULL;
}

/* Clears the name of an entity that survives. */
static bool codec_name_detach_for_move(const setti_player* player, setti_type* type,
                                       const setti_delta_entry* entry)
{
    if (player->fate(player, entry->index) != SETTI_FATE_STAYS) {
        return true;
    }
    if (!player->room(player)) {
        return false;
    }
    setti_name_end(type->world, entry->index);
    return true;
}

static bool codec_name_detach(const setti_player* player, setti_type* type, sett_entity entity)
{
    if (setti_storage_has(&type->storage, entity.index) && !player->room(player)) {
        return false;
    }
    setti_name_end(type->world, entity.index);
    return true;
}

static bool codec_name_play(const setti_player* player, setti_type* type, sett_entity entity,
                            const setti_delta_entry* entry)
{
    SETTI_ASSERT(entry->count <= SETT_NAME_MAX);
    char text[SETT_NAME_MAX + 1];
    if (entry->count == 0) { /* an empty component: the entity has lost its name to a sibling */
        return sett_ensure(type->world, entity, type->id) != NULL;
    }
    memcpy(text, entry->bytes, entry->count);
    text[entry->count] = '\0';
    if (strlen(text) != entry->count) {
        return player->reject(player, type, "a name contains a zero byte");
    }
    sett_status status = sett_name_set(type->world, entity, text);
    if (status == SETT_OK) {
        return true;
    }
    if (status != SETT_STATUS_CONFLICT || !player->room(player)) {
        return false;
    }
    /* A sibling has the name: the entity gets an empty component. */
    return sett_ensure(type->world, entity, type->id) != NULL;
}

const setti_codec setti_name_codec = {
    .form = SETTI_DELTA_NAME,
    .counted = 2,
    .pass = 1,
    .remove_pass = 1,
    .follows = codec_name_follows,
    .differs = codec_name_differs,
    .encode = codec_name_encode,
    .check = codec_name_check,
    .detach_for_move = codec_name_detach_for_move,
    .detach = codec_name_detach,
    .play = codec_name_play,
};

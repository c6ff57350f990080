/* merge.c: adds the contents of a file to the program's world.
 *
 * The workload: a library of prefabs, a level or a mod is added to a running game. The file is
 * read, migrated and checked in a separate world, like a file of sett_world_load. The chosen
 * entities become the nodes of one copy between two worlds (relation/clone.h). Some nodes are
 * merged onto entities of the program's world. The copy reserves all memory first, and runs
 * callbacks last.
 *
 *     file -> separate world -> nodes:  chosen | outside | top
 *                                         |        |        +-- desc.parent, for roots
 *                                         |        +-- not chosen, found in the world by its path
 *                                         +-- created, or merged onto an entity of the world
 *
 * Invariant:  an entity of the world has one node at most;  nodes of parents come before nodes of
 *             children
 */
#include "file/load.h"
#include "file/types.h"
#include "relation/clone.h"
#include "relation/hierarchy.h"
#include "relation/name.h"
#include "relation/singleton.h"
#include "sett/relationship.h"
#include "state/hash.h"
#include "state/replica.h"

#include <stdio.h>

static const char merge_call[] = "sett_world_merge";

typedef struct merge_job {
    const sett_merge_desc* desc;
    const char* path;       /* the path of the file */
    sett_world* from_world; /* the contents of the file */
    sett_world* to_world;   /* the program's world */
    setti_clone clone;

    /* link of an entity of the file -> index of the world's entity with the same path */
    setti_hash_map by_path;
    setti_hash_map by_entity; /* link of an entity of the world -> node */
    setti_hash_map by_value;  /* hash of a value -> index of the world's entity with the value */
    setti_hash_map by_name;   /* hash of a parent and a new name -> node */
    unsigned char* verdicts;  /* SETTI_CLONE_... by id of a type of `from_world` */
    size_t verdict_size;
    sett_merge_pair* pairs; /* memory for the result */
    size_t pair_size;       /* bytes of `pairs` */
} merge_job;

static sett_status merge_no_memory(const merge_job* job)
{
    return setti_world_no_memory(job->to_world, merge_call);
}

/* Returns true if values of a type may contain handles that the library cannot find. */
static bool merge_is_raw(const setti_type* type)
{
    const setti_type* data_type = setti_type_data(type);
    bool handles_known = data_type->desc.entity_offset_count != 0 || data_type->members != NULL ||
                         type->ends != NULL;
    return data_type->desc.size != 0 && !handles_known;
}

/* Returns true if the program allows a type in `raw`. */
static bool merge_allows_raw(const merge_job* job, const setti_type* type)
{
    for (uint32_t k = 0; k < job->desc->raw_count; k++) {
        if (strcmp(job->desc->raw[k], type->desc.name) == 0) {
            return true;
        }
    }
    return false;
}

/* Returns true if the program chooses a type. An empty list of types chooses all types. */
static bool merge_chooses(const merge_job* job, const setti_type* type)
{
    if (job->desc->type_count == 0) {
        return true;
    }
    for (uint32_t k = 0; k < job->desc->type_count; k++) {
        const char* chosen = sett_component_name(job->to_world, job->desc->types[k]);
        if (strcmp(chosen, type->desc.name) == 0) {
            return true;
        }
    }
    return false;
}

/* Returns true for the library's types that every merge includes. */
static bool merge_is_always_merged(const sett_world* from_world, const setti_type* type)
{
    const setti_name_table* names = setti_names_of(from_world);
    const setti_hierarchy* tree = setti_hierarchy_of(from_world);
    bool is_name = names != NULL && type == names->type;
    bool is_hierarchy = tree != NULL && type == tree->type;
    return is_name || is_hierarchy || type == setti_singleton_tag(from_world);
}

/* Decides which types are merged. Registers the merged types that the program's world lacks. */
static sett_status merge_decide(merge_job* job)
{
    sett_world* from_world = job->from_world;
    sett_status status = SETT_OK;
    job->verdict_size = from_world->type_capacity;
    job->verdicts = setti_pool_alloc(&job->to_world->pool, job->verdict_size, 16);
    if (job->verdicts == NULL) {
        return merge_no_memory(job);
    }
    memset(job->verdicts, SETTI_CLONE_SKIP, job->verdict_size);
    for (uint32_t k = 0; status == SETT_OK && k < from_world->registered.count; k++) {
        const setti_type* type = from_world->registered.item[k];
        bool always = merge_is_always_merged(from_world, type);
        bool chosen = always || merge_chooses(job, type);
        if (!chosen || type->storage.count == 0) { /* 0: no entity of the file has the type */
            continue;
        }
        bool raw = !always && merge_is_raw(type) && !merge_allows_raw(job, type);
        job->verdicts[type->id] = raw ? SETTI_CLONE_RAW : SETTI_CLONE_TAKE;
        status = setti_replica_join(job->to_world, from_world, type, merge_call);
    }
    job->clone.merge.verdicts = job->verdicts;
    return status;
}

/* Registers the types that the merge needs. Returns false after an error of the world. */
static bool merge_register_types(merge_job* job)
{
    sett_world* world = job->to_world;
    bool needs_tree = !sett_is_null(job->desc->parent) && setti_hierarchy_of(world) == NULL;
    if (needs_tree && sett_hierarchy_register(world, NULL) == 0) {
        return false;
    }
    if (!setti_clone_register(&job->clone)) {
        return false;
    }
    return merge_decide(job) == SETT_OK;
}

/* Calls merge_register_types. Reports its error as an error of sett_world_merge. */
static sett_status merge_register(merge_job* job)
{
    sett_world* world = job->to_world;
    char why[SETTI_MESSAGE_SIZE];
    SETTI_ASSERT(world->locks == 0 && world->quiet_locks == 0);
    world->quiet = true;
    bool registered = merge_register_types(job);
    world->quiet = false;
    if (registered) {
        return SETT_OK;
    }
    if (world->error == SETT_STATUS_OUT_OF_MEMORY) {
        return merge_no_memory(job);
    }
    /* a copy, because the new message overwrites the world's message */
    snprintf(why, sizeof(why), "%s", setti_message_why(sett_world_message(world)));
    return setti_world_fail_input(world, world->error, "%s: %s", merge_call, why);
}

/* Returns the node of an entity of the file, or SETTI_NONE if there is none. */
static uint32_t merge_file_node(const merge_job* job, uint32_t file_index)
{
    return setti_hash_map_find(&job->clone.by_index, setti_link_to(file_index));
}

/* Returns the node of an entity of the world, or SETTI_NONE if there is none. */
static uint32_t merge_world_node(const merge_job* job, uint32_t world_index)
{
    return setti_hash_map_find(&job->by_entity, setti_link_to(world_index));
}

/* Returns true if the node stands for a merged entity of the file. */
static bool merge_is_merged(const setti_clone_node* node)
{
    return node->index != SETTI_NONE && !node->outside;
}

/* Returns the node of the parent that an entity of the file will have. Returns SETTI_NONE if the
 * entity will be a root. The node `top` replaces a parent that is not merged. */
static uint32_t merge_parent_node(const merge_job* job, uint32_t file_index)
{
    uint32_t link = setti_hierarchy_parent(job->from_world, file_index);
    uint32_t top = job->clone.merge.top;
    if (link == SETTI_NO_LINK) {
        return top;
    }
    uint32_t node = merge_file_node(job, setti_link_index(link));
    if (node == SETTI_NONE) {
        return top;
    }
    bool is_replaced = job->clone.nodes[node].outside && top != SETTI_NONE;
    return is_replaced ? top : node;
}

/* Finds the parent that an entity of the file will have. *parent becomes null for a root. Returns
 * false if the parent does not exist yet. */
static bool merge_find_parent(const merge_job* job, uint32_t file_index, sett_entity* parent)
{
    uint32_t node = merge_parent_node(job, file_index);
    if (node == SETTI_NONE) {
        *parent = sett_null();
        return true;
    }
    *parent = job->clone.nodes[node].onto;
    return !sett_is_null(*parent);
}

/* Returns the name of an entity of the file, or NULL. */
static const char* merge_name(const merge_job* job, uint32_t file_index)
{
    sett_entity original = setti_entity_at(&job->from_world->entities, file_index);
    return sett_name_get(job->from_world, original);
}

/* Returns the index of the world's entity that has a value, or SETTI_NONE if there is none.
 * *last_key becomes the last key that was searched in `by_value`. If no entity was found, that key
 * is free. */
static uint32_t merge_find_value(const merge_job* job, const setti_type* type, const void* value,
                                 uint64_t* last_key)
{
    setti_hash_type hash_type;
    setti_hash_begin(&hash_type, type);
    uint64_t hash = setti_hash_value(&hash_type, sett_null(), value);
    uint64_t key = hash != 0 ? hash : 1; /* a key cannot be 0 */
    uint32_t index = setti_hash_map_find(&job->by_value, key);
    while (index != SETTI_NONE &&
           !setti_hash_same(type, setti_storage_find(&type->storage, index), value)) {
        key = setti_hash_next(key);
        index = setti_hash_map_find(&job->by_value, key);
    }
    *last_key = key;
    return index;
}

#define MERGE_PATH 60 /* room for a path in a message */

/* Writes the path of the entity at an index. Returns the entity. */
static sett_entity merge_path_of(const sett_world* world, uint32_t index, char path[MERGE_PATH])
{
    sett_entity entity = setti_entity_at(&world->entities, index);
    (void)sett_name_path(world, entity, path, MERGE_PATH);
    return entity;
}

/* Reports two entities of the file that match the same entity of the world. */
static sett_status merge_fail_match(const merge_job* job, uint32_t file_index, uint32_t other_index,
                                    sett_entity world_entity)
{
    char path[3][MERGE_PATH];
    const setti_type* tag = setti_singleton_tag(job->from_world);
    uint32_t kept_index = other_index;
    uint32_t changed_index = file_index;
    if (tag != NULL && setti_storage_has(&tag->storage, file_index)) {
        /* the tag matches whatever the path and value are: only the other entity can change */
        kept_index = file_index;
        changed_index = other_index;
    }
    sett_entity kept = merge_path_of(job->from_world, kept_index, path[0]);
    sett_entity changed = merge_path_of(job->from_world, changed_index, path[1]);
    (void)merge_path_of(job->to_world, world_entity.index, path[2]);
    const char* what = "name";
    const char* quote = "";
    if (job->desc->match != SETT_MERGE_PATH) {
        what = sett_component_name(job->to_world, job->desc->match_component);
        quote = "\"";
    }
    return setti_world_fail_input(
        job->to_world, SETT_STATUS_CONFLICT,
        "%s: entities \"%s\" (%u:%u) and \"%s\" (%u:%u) of the file match the same entity of the "
        "world, \"%s\" (%u:%u) - change the %s%.100s%s of entity %u:%u in the file",
        merge_call, path[0], SETTI_HANDLE(kept), path[1], SETTI_HANDLE(changed), path[2],
        SETTI_HANDLE(world_entity), quote, what, quote, SETTI_HANDLE(changed));
}

/* Fills `by_value`. Reports an error if two entities of the world have the same value. */
static sett_status merge_list_values(merge_job* job)
{
    const setti_type* type = setti_world_type(job->to_world, job->desc->match_component);
    uint64_t key;
    SETTI_EACH_INDEX(index, &type->storage) {
        const void* value = setti_storage_find(&type->storage, index);
        uint32_t other = merge_find_value(job, type, value, &key);
        if (other != SETTI_NONE) {
            char path[2][MERGE_PATH];
            sett_entity first = merge_path_of(job->to_world, index, path[0]);
            sett_entity second = merge_path_of(job->to_world, other, path[1]);
            return setti_world_fail_input(
                job->to_world, SETT_STATUS_CONFLICT,
                "%s: entities \"%s\" (%u:%u) and \"%s\" (%u:%u) of the world have the same value "
                "of `match_component` \"%.100s\" - change one of the values",
                merge_call, path[0], SETTI_HANDLE(first), path[1], SETTI_HANDLE(second),
                type->desc.name);
        }
        if (!setti_hash_map_set(&job->to_world->pool, &job->by_value, key, index)) {
            return merge_no_memory(job);
        }
    }
    return SETT_OK;
}

/* Returns the world's entity that has the parent and the name of an entity of the file. Returns
 * null if there is none. */
static sett_entity merge_match_path(const merge_job* job, uint32_t file_index)
{
    const char* name = merge_name(job, file_index);
    sett_entity parent;
    if (name == NULL || !merge_find_parent(job, file_index, &parent)) {
        return sett_null();
    }
    return sett_name_find(job->to_world, parent, name);
}

/* Returns the world's entity that has the same value of `match_component` as an entity of the
 * file. Returns null if there is none. */
static sett_entity merge_match_value(const merge_job* job, uint32_t file_index)
{
    const setti_type* type = setti_world_type(job->to_world, job->desc->match_component);
    const setti_type* file_type = setti_type_find(job->from_world, type->desc.name);
    uint64_t unused_key;
    if (file_type == NULL) {
        return sett_null();
    }
    const void* value = setti_storage_find(&file_type->storage, file_index);
    if (value == NULL) {
        return sett_null();
    }
    uint32_t world_index = merge_find_value(job, type, value, &unused_key);
    if (world_index == SETTI_NONE) {
        return sett_null();
    }
    return setti_entity_at(&job->to_world->entities, world_index);
}

/* Returns the world's entity that an entity of the file is merged with. Returns null if a new
 * entity is to be created. */
static sett_entity merge_match(const merge_job* job, uint32_t file_index)
{
    const setti_type* tag = setti_singleton_tag(job->from_world);
    if (tag != NULL && setti_storage_has(&tag->storage, file_index)) {
        return setti_singleton_find(job->to_world);
    }
    switch (job->desc->match) {
    case SETT_MERGE_PATH:
        return merge_match_path(job, file_index);
    case SETT_MERGE_VALUE:
        return merge_match_value(job, file_index);
    default:
        return sett_null();
    }
}

/* Returns true if an entity of the file has a chosen type. An empty list of types chooses all
 * entities. */
static bool merge_is_chosen(const merge_job* job, uint32_t file_index)
{
    if (job->desc->type_count == 0) {
        return true;
    }
    for (uint32_t k = 0; k < job->from_world->registered.count; k++) {
        const setti_type* type = job->from_world->registered.item[k];
        bool chosen = job->verdicts[type->id] != SETTI_CLONE_SKIP &&
                      !merge_is_always_merged(job->from_world, type);
        if (chosen && setti_storage_has(&type->storage, file_index)) {
            return true;
        }
    }
    return false;
}

/* Maps an entity of the file and an entity of the world to a node. Returns false if memory runs
 * out.
 *   file_index    SETTI_NONE if there is no entity of the file
 *   world_entity  null if there is no entity of the world */
static bool merge_map_node(merge_job* job, uint32_t node, uint32_t file_index,
                           sett_entity world_entity)
{
    setti_pool* pool = &job->to_world->pool;
    if (file_index != SETTI_NONE &&
        !setti_hash_map_set(pool, &job->clone.by_index, setti_link_to(file_index), node)) {
        return false;
    }
    if (sett_is_null(world_entity)) {
        return true;
    }
    return setti_hash_map_set(pool, &job->by_entity, setti_link_to(world_entity.index), node);
}

/* Appends a node for an entity of the file and an entity of the world. One of them can be
 * missing (merge_map_node). If `outside` is true, the entity of the file is not merged. Returns
 * false if memory runs out. */
static bool merge_append(merge_job* job, uint32_t file_index, sett_entity world_entity,
                         bool outside)
{
    SETTI_ASSERT(job->clone.node_count < job->clone.node_room);
    uint32_t number = job->clone.node_count++;
    setti_clone_node* node = &job->clone.nodes[number];
    setti_clone_init_node(&job->clone, node, file_index);
    node->onto = world_entity;
    node->outside = outside;
    return merge_map_node(job, number, file_index, world_entity);
}

/* Adds a node for an unmerged entity of the file, if the world has an entity with the same path.
 * Does nothing if the entity of the file has a node already. */
static sett_status merge_add_outside(merge_job* job, uint32_t file_index)
{
    uint32_t world_index = setti_hash_map_find(&job->by_path, setti_link_to(file_index));
    if (world_index == SETTI_NONE || merge_file_node(job, file_index) != SETTI_NONE) {
        return SETT_OK;
    }
    uint32_t node = merge_world_node(job, world_index);
    bool added;
    if (node != SETTI_NONE) { /* both entities get the same node */
        added = merge_map_node(job, node, file_index, sett_null());
    } else {
        const bool outside = true;
        sett_entity world_entity = setti_entity_at(&job->to_world->entities, world_index);
        added = merge_append(job, file_index, world_entity, outside);
    }
    if (!added) {
        return merge_no_memory(job);
    }
    return SETT_OK;
}

/* Replaces `other`, an unmerged node, by `node`. Both stand for the same entity of the world.
 * Returns false if memory runs out. */
static bool merge_replace(merge_job* job, uint32_t node, uint32_t other)
{
    SETTI_ASSERT(node != other && other < job->clone.node_count);
    uint32_t file_index = job->clone.nodes[other].index;
    if (other == job->clone.merge.top) {
        job->clone.merge.top = node;
    }
    job->clone.nodes[other].onto = sett_null();
    job->clone.nodes[other].index = SETTI_NONE; /* the node remains in the list, unused */
    job->clone.nodes[other].outside = true;
    job->clone.nodes[other].edit.creates = false;
    return merge_map_node(job, node, file_index, sett_null());
}

/* Adds a node for an entity of the file, if the entity is chosen. An unmerged parent gets a node
 * first. */
static sett_status merge_add_chosen(merge_job* job, uint32_t file_index)
{
    if (!merge_is_chosen(job, file_index)) {
        return SETT_OK;
    }
    uint32_t parent = setti_hierarchy_parent(job->from_world, file_index);
    if (parent != SETTI_NO_LINK && merge_add_outside(job, setti_link_index(parent)) != SETT_OK) {
        return job->to_world->error;
    }
    sett_entity world_entity = merge_match(job, file_index);
    uint32_t earlier = SETTI_NONE; /* an earlier node for the same entity of the world */
    if (!sett_is_null(world_entity)) {
        earlier = merge_world_node(job, world_entity.index);
    }
    if (earlier != SETTI_NONE && merge_is_merged(&job->clone.nodes[earlier])) {
        return merge_fail_match(job, file_index, job->clone.nodes[earlier].index, world_entity);
    }
    const bool outside = false;
    uint32_t number = job->clone.node_count;
    if (!merge_append(job, file_index, world_entity, outside)) {
        return merge_no_memory(job);
    }
    if (earlier != SETTI_NONE && !merge_replace(job, number, earlier)) {
        return merge_no_memory(job);
    }
    return SETT_OK;
}

typedef sett_status (*merge_visit)(merge_job* job, uint32_t file_index);

/* Visits `root` and the descendants in the file, parents before children. */
static sett_status merge_each_below(merge_job* job, sett_entity root, merge_visit visit)
{
    sett_status status = SETT_OK;
    sett_entity entity = root;
    while (status == SETT_OK && !sett_is_null(entity)) {
        status = visit(job, entity.index);
        entity = sett_hierarchy_walk(job->from_world, root, entity);
    }
    return status;
}

/* Visits all entities of the file, parents before children. */
static sett_status merge_each(merge_job* job, merge_visit visit)
{
    sett_status status = SETT_OK;
    uint32_t cursor = 0;
    sett_entity entity = sett_entity_next(job->from_world, &cursor);
    while (status == SETT_OK && !sett_is_null(entity)) {
        if (setti_hierarchy_parent(job->from_world, entity.index) == SETTI_NO_LINK) {
            status = merge_each_below(job, entity, visit);
        }
        entity = sett_entity_next(job->from_world, &cursor);
    }
    return status;
}

static sett_status merge_add_all(merge_job* job)
{
    const char* subtree = job->desc->subtree;
    if (subtree == NULL) {
        return merge_each(job, merge_add_chosen);
    }
    sett_entity root = setti_name_lookup(job->from_world, sett_null(), subtree);
    if (!sett_is_null(root)) {
        return merge_each_below(job, root, merge_add_chosen);
    }
    return setti_world_fail_input(job->to_world, SETT_STATUS_ABSENT,
                                  "%s: file \"%.150s\" has no entity with the path \"%.150s\" - "
                                  "set `subtree` to a path in the file",
                                  merge_call, job->path, subtree);
}

/* Maps an entity of the file to the world's entity with the same path, if there is one. The caller
 * has visited the parent before. */
static sett_status merge_find_path(merge_job* job, uint32_t file_index)
{
    const char* name = merge_name(job, file_index);
    uint32_t parent_link = setti_hierarchy_parent(job->from_world, file_index);
    sett_entity parent = sett_null();
    if (parent_link != SETTI_NO_LINK) {
        uint32_t parent_index = setti_hash_map_find(&job->by_path, parent_link);
        if (parent_index == SETTI_NONE) {
            return SETT_OK; /* the world has no entity with the parent's path */
        }
        parent = setti_entity_at(&job->to_world->entities, parent_index);
    }
    if (name == NULL) {
        return SETT_OK;
    }
    sett_entity world_entity = sett_name_find(job->to_world, parent, name);
    if (sett_is_null(world_entity)) {
        return SETT_OK;
    }
    bool mapped = setti_hash_map_set(&job->to_world->pool, &job->by_path, setti_link_to(file_index),
                                     world_entity.index);
    if (!mapped) {
        return merge_no_memory(job);
    }
    return SETT_OK;
}

/* Returns true if the new entity of a node will have the parent `parent` and the name `name`. */
static bool merge_will_have(const merge_job* job, const setti_clone_node* node, sett_entity parent,
                            const char* name)
{
    sett_entity new_parent;
    if (!merge_find_parent(job, node->index, &new_parent) || !sett_equals(new_parent, parent)) {
        return false;
    }
    const char* new_name = merge_name(job, node->index);
    if (node->name != 0) { /* merge_number_name has chosen another name */
        new_name = setti_text_of(job->to_world, &setti_names_of(job->to_world)->texts, node->name);
    }
    return strcmp(new_name, name) == 0;
}

/* Returns true if a child of `parent` has or will have the name `name`. Otherwise *key becomes a
 * free key of `by_name` for the name. */
static bool merge_is_taken(const merge_job* job, sett_entity parent, const char* name,
                           uint64_t* key)
{
    uint64_t parent_hash = 0; /* of a root */
    if (!sett_is_null(parent)) {
        parent_hash = (uint64_t)setti_link_to(parent.index) << 20;
    }
    /* equal names under different parents get different keys */
    uint64_t hash = setti_hash_bytes(name, strlen(name)) ^ parent_hash;
    *key = hash != 0 ? hash : 1; /* a key cannot be 0 */
    uint32_t step = 0;
    uint32_t node = setti_hash_map_find(&job->by_name, *key);
    while (node != SETTI_NONE) {
        bool too_many = step == SETTI_HASH_STEPS; /* names with the same hash: counts as taken */
        if (too_many || merge_will_have(job, &job->clone.nodes[node], parent, name)) {
            return true;
        }
        step++;
        *key = setti_hash_next(*key);
        node = setti_hash_map_find(&job->by_name, *key);
    }
    return !sett_is_null(sett_name_find(job->to_world, parent, name));
}

/* A search for a free name, such as "door_2". */
typedef struct merge_numbering {
    const merge_job* job;
    sett_entity parent;
    const char* name;             /* the name without a number */
    uint64_t key;                 /* the key of `text` in `by_name` */
    char text[SETT_NAME_MAX + 1]; /* the name with the number that was tried last */
} merge_numbering;

/* Tries a number: fills in `text` and `key`. Returns true if the name `text` is taken. */
static bool merge_number_taken(void* user, uint32_t number)
{
    merge_numbering* search = user;
    char digits[16];
    int size = snprintf(digits, sizeof(digits), "_%u", (unsigned)number);
    /* cuts the name, so that the number fits */
    snprintf(search->text, sizeof(search->text), "%.*s%s", SETT_NAME_MAX - size, search->name,
             digits);
    return merge_is_taken(search->job, search->parent, search->text, &search->key);
}

/* Gives the new entity of a node a free name with a number. *key becomes the free key of that name
 * in `by_name`. */
static sett_status merge_number_name(merge_job* job, setti_clone_node* node, sett_entity parent,
                                     const char* name, uint64_t* key)
{
    merge_numbering search = {.job = job, .parent = parent, .name = name};
    uint32_t number = setti_name_number(merge_number_taken, &search);
    (void)merge_number_taken(&search, number); /* fills in the text and key of the free number */
    *key = search.key;
    node->name = setti_text_add(job->to_world, &setti_names_of(job->to_world)->texts, search.text,
                                strlen(search.text));
    if (node->name == 0) {
        return setti_name_fail(job->to_world, search.text, merge_call);
    }
    return SETT_OK;
}

/* Reports a name that a child of `parent` has or will have. */
static sett_status merge_fail_name(const merge_job* job, sett_entity parent, const char* name)
{
    sett_entity owner = sett_name_find(job->to_world, parent, name);
    if (sett_is_null(owner)) {
        return setti_world_fail_input(job->to_world, SETT_STATUS_CONFLICT,
                                      "%s: two new entities would have the name \"%.200s\" and the "
                                      "same parent - set .names = SETT_MERGE_NUMBER",
                                      merge_call, name);
    }
    const char* remedy = ", or .match = SETT_MERGE_PATH to merge with it";
    if (job->desc->match == SETT_MERGE_PATH) {
        remedy = "";
    }
    return setti_world_fail_input(
        job->to_world, SETT_STATUS_CONFLICT,
        "%s: entity %u:%u has the name \"%.200s\" already - set .names = SETT_MERGE_NUMBER%s",
        merge_call, SETTI_HANDLE(owner), name, remedy);
}

/* Rejects or changes the name of a new entity, if a sibling has the name. Notes the resulting name
 * in `by_name`. */
static sett_status merge_check_name(merge_job* job, uint32_t number)
{
    setti_clone_node* node = &job->clone.nodes[number];
    const char* name = merge_name(job, node->index);
    sett_entity parent;
    uint64_t key;
    if (name == NULL || !merge_find_parent(job, node->index, &parent)) {
        return SETT_OK; /* no name, or a new parent: its children have different names */
    }
    if (merge_is_taken(job, parent, name, &key)) {
        if (job->desc->names != SETT_MERGE_NUMBER) {
            return merge_fail_name(job, parent, name);
        }
        sett_status status = merge_number_name(job, node, parent, name, &key);
        if (status != SETT_OK) {
            return status;
        }
    }
    bool noted = setti_hash_map_set(&job->to_world->pool, &job->by_name, key, number);
    if (!noted) {
        return merge_no_memory(job);
    }
    return SETT_OK;
}

/* Checks the names of new entities. Notes which nodes the new entities bring into the hierarchy. */
static sett_status merge_prepare_names(merge_job* job)
{
    sett_status status = SETT_OK;
    for (uint32_t k = 0; status == SETT_OK && k < job->clone.node_count; k++) {
        setti_clone_node* node = &job->clone.nodes[k];
        if (!merge_is_merged(node) || !sett_is_null(node->onto)) {
            continue; /* not a new entity */
        }
        uint32_t parent = merge_parent_node(job, node->index);
        if (parent != SETTI_NONE) {
            node->in_tree = true;
            job->clone.nodes[parent].in_tree = true;
        }
        status = merge_check_name(job, k);
    }
    return status;
}

/* An entity on a path of links. */
typedef struct merge_position {
    uint32_t node;  /* SETTI_NONE: the entity has no node */
    uint32_t index; /* the index in the world; SETTI_NONE: the entity will be created */
} merge_position;

/* Returns the node of the target of a link in the file. Returns SETTI_NONE if the node's entity has
 * no such link, or if the target has no node. */
static uint32_t merge_target_node(const merge_job* job, const setti_relation* file_relation,
                                  uint32_t node)
{
    sett_entity original =
        setti_entity_at(&job->from_world->entities, job->clone.nodes[node].index);
    sett_entity target = sett_target(job->from_world, original, file_relation->links->id);
    if (sett_is_null(target)) {
        return SETTI_NONE;
    }
    return merge_file_node(job, target.index);
}

/* Moves `position` to the target of the link that the entity will have after the merge. Returns
 * false if the entity will have no link. */
static bool merge_step(const merge_job* job, const setti_relation* file_relation,
                       const setti_relation* relation, merge_position* position)
{
    const setti_storage* links = &relation->links->storage;
    /* a link in the world, before the merge */
    bool has_link = position->index != SETTI_NONE && setti_storage_has(links, position->index);
    bool merged =
        position->node != SETTI_NONE && merge_is_merged(&job->clone.nodes[position->node]);
    bool keeps_link = has_link && !job->clone.merge.overwrites;
    uint32_t target_node = SETTI_NONE;
    if (merged && !keeps_link) {
        target_node = merge_target_node(job, file_relation, position->node);
    }
    if (target_node != SETTI_NONE) {
        sett_entity world_entity = job->clone.nodes[target_node].onto;
        position->node = target_node;
        position->index = sett_is_null(world_entity) ? SETTI_NONE : world_entity.index;
        return true;
    }
    if (!has_link) {
        return false;
    }
    const sett_link* link = setti_storage_find(links, position->index);
    position->index = link->target.index;
    position->node = merge_world_node(job, position->index);
    return true;
}

/* Follows the links of `relation` from a node. Reports an error if the links would form a cycle
 * after the merge. */
static sett_status merge_check_cycle(const merge_job* job, const setti_type* file_links,
                                     const setti_relation* relation, uint32_t node)
{
    uint32_t start = job->clone.nodes[node].onto.index; /* where the path begins */
    merge_position position = {.node = node, .index = start};
    uint32_t through = start; /* the last entity of the world on the path */
    uint64_t links = (uint64_t)file_links->storage.count + relation->links->storage.count;
    uint64_t steps_left = 2 * links; /* no path without a cycle is as long */
    while (merge_step(job, setti_relation_of_links(file_links), relation, &position)) {
        if (position.index != SETTI_NONE) {
            through = position.index;
        }
        /* if no steps are left, the path goes round a cycle that `start` is not part of */
        if (position.index == start || steps_left == 0) {
            return setti_world_fail_input(
                job->to_world, SETT_STATUS_CYCLE,
                "%s: the \"%.100s\" links of the file and of the world would form a cycle "
                "through entity %u:%u - remove its link from the file or the world",
                merge_call, relation->links->desc.name,
                SETTI_HANDLE(setti_entity_at(&job->to_world->entities, through)));
        }
        steps_left--;
    }
    return SETT_OK;
}

/* Reports an error if links of `relation` would form a cycle after the merge. Each new cycle has an
 * existing entity that gets a link from the file, so only paths from such entities are followed.
 *   file_links  the type of the links in the file */
static sett_status merge_check_cycles(const merge_job* job, const setti_type* file_links,
                                      const setti_relation* relation)
{
    sett_status status = SETT_OK;
    for (uint32_t k = 0; status == SETT_OK && k < job->clone.node_count; k++) {
        const setti_clone_node* node = &job->clone.nodes[k];
        bool gets_link = !sett_is_null(node->onto) && merge_is_merged(node) &&
                         setti_storage_has(&file_links->storage, node->index);
        if (gets_link) {
            status = merge_check_cycle(job, file_links, relation, k);
        }
    }
    return status;
}

static sett_status merge_check_all_cycles(const merge_job* job)
{
    sett_status status = SETT_OK;
    const setti_relation* relation = setti_relations_of(job->to_world);
    for (; status == SETT_OK && relation != NULL; relation = relation->next) {
        const setti_type* type = setti_type_find(job->from_world, relation->links->desc.name);
        bool merged = type != NULL && job->verdicts[type->id] != SETTI_CLONE_SKIP;
        if (merged && relation->desc.acyclic) {
            status = merge_check_cycles(job, type, relation);
        }
    }
    return status;
}

/* Fills in the result. The result takes over the memory of `pairs`. */
static void merge_report(merge_job* job, const sett_load_result* file, sett_merge_result* result)
{
    memset(result, 0, sizeof(*result));
    result->file = *file;
    result->outside = job->clone.merge.outside;
    result->lost = job->clone.merge.lost;
    for (uint32_t k = 0; k < job->clone.node_count; k++) {
        const setti_clone_node* node = &job->clone.nodes[k];
        if (!merge_is_merged(node)) {
            continue;
        }
        if (sett_is_null(node->onto)) {
            result->created++;
        } else {
            result->matched++;
        }
    }
    uint32_t cursor = 0;
    for (sett_entity entity = sett_entity_next(job->from_world, &cursor); !sett_is_null(entity);
         entity = sett_entity_next(job->from_world, &cursor)) { /* ascending, for sett_merge_find */
        uint32_t number = merge_file_node(job, entity.index);
        if (number == SETTI_NONE) {
            continue;
        }
        const setti_clone_node* node = &job->clone.nodes[number];
        /* an unmerged entity can share the node of a merged entity */
        bool is_original = node->index == entity.index;
        if (is_original && merge_is_merged(node)) {
            job->pairs[result->pair_count++] = (sett_merge_pair){entity, node->copies[0]};
        }
    }
    result->pairs = job->pairs;
    result->size_ = job->pair_size;
    job->pairs = NULL;
}

void sett_merge_result_free(sett_world* world, sett_merge_result* result)
{
    if (!SETTI_IS_NULL(world) && result != NULL) {
        setti_pool_free(&world->pool, setti_unconst(result->pairs), result->size_, 16);
        memset(result, 0, sizeof(*result));
    }
}

sett_entity sett_merge_find(const sett_merge_result* result, sett_entity in_file)
{
    uint32_t low = 0;
    uint32_t high = result != NULL ? result->pair_count : 0;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const sett_merge_pair* pair = &result->pairs[middle];
        if (pair->file.index == in_file.index) {
            bool same_generation = pair->file.generation == in_file.generation;
            return same_generation ? pair->entity : sett_null();
        }
        if (pair->file.index < in_file.index) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return sett_null();
}

static sett_status merge_fail_option(sett_world* world, const char* name, unsigned value,
                                     const char* constants)
{
    return setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                                 "%s: `%s` has an unknown value, %u - use %s", merge_call, name,
                                 value, constants);
}

/* Checks that values of `match_component` can be compared. */
static sett_status merge_check_match(sett_world* world, sett_component component)
{
    const setti_type* type = setti_world_type(world, component);
    if (type == NULL) {
        return setti_world_fail(world, SETT_STATUS_UNREGISTERED, merge_call, sett_null(),
                                component);
    }
    if (type->module == NULL && setti_hash_size(type) != 0) {
        return SETT_OK;
    }
    if (type->module != NULL) {
        return setti_world_fail_with(
            world, SETT_STATUS_ARGUMENT,
            "%s: `match_component` is \"%.100s\", whose values the library "
            "writes - pass a component of the program",
            merge_call, type->desc.name);
    }
    return setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                                 "%s: `match_component` is \"%.100s\", which has no saved values - "
                                 "pass a component whose values are saved",
                                 merge_call, type->desc.name);
}

static sett_status merge_check(sett_world* world, const sett_merge_desc* desc)
{
    sett_status status = setti_world_check_unlocked(world, merge_call);
    if (status != SETT_OK) {
        return status;
    }
    if ((unsigned)desc->match > SETT_MERGE_VALUE) {
        return merge_fail_option(world, "match", (unsigned)desc->match,
                                 "SETT_MERGE_NEW, SETT_MERGE_PATH or SETT_MERGE_VALUE");
    }
    if ((unsigned)desc->existing > SETT_MERGE_REJECT) {
        return merge_fail_option(world, "existing", (unsigned)desc->existing,
                                 "SETT_MERGE_KEEP, SETT_MERGE_OVERWRITE or SETT_MERGE_REJECT");
    }
    if ((unsigned)desc->names > SETT_MERGE_NUMBER) {
        return merge_fail_option(world, "names", (unsigned)desc->names,
                                 "SETT_MERGE_REJECT_NAME or SETT_MERGE_NUMBER");
    }
    if (setti_world_lacks_list(world, desc->types, desc->type_count, merge_call, "types") ||
        setti_world_lacks_list(world, desc->raw, desc->raw_count, merge_call, "raw")) {
        return world->error;
    }
    if (!sett_is_null(desc->parent) && !sett_entity_valid(world, desc->parent)) {
        return setti_world_fail(world, SETT_STATUS_STALE, merge_call, desc->parent, 0);
    }
    for (uint32_t k = 0; k < desc->type_count; k++) {
        if (setti_world_type(world, desc->types[k]) == NULL) {
            return setti_world_fail(world, SETT_STATUS_UNREGISTERED, merge_call, sett_null(),
                                    desc->types[k]);
        }
    }
    if (desc->match == SETT_MERGE_VALUE) {
        return merge_check_match(world, desc->match_component);
    }
    return SETT_OK;
}

/* Allocates room for the nodes. Adds the node of the parent in the descriptor, if there is one. */
static sett_status merge_begin_nodes(merge_job* job)
{
    setti_clone* clone = &job->clone;
    size_t size;
    clone->node_room = job->from_world->entities.count + 1; /* 1: the parent in the descriptor */
    if (!setti_multiply(clone->node_room, sizeof(*clone->nodes), &size)) {
        return merge_no_memory(job);
    }
    clone->nodes = setti_pool_alloc(&job->to_world->pool, size, 16);
    if (clone->nodes == NULL) {
        return merge_no_memory(job);
    }
    clone->merge.top = SETTI_NONE;
    if (sett_is_null(job->desc->parent)) {
        return SETT_OK;
    }
    const bool outside = false;
    clone->merge.top = 0; /* the first node */
    bool added = merge_append(job, SETTI_NONE, job->desc->parent, outside);
    if (!added) {
        return merge_no_memory(job);
    }
    return SETT_OK;
}

static sett_status merge_gather(merge_job* job)
{
    /* entities that are not chosen can be parents or targets of chosen ones */
    bool partial = job->desc->subtree != NULL || job->desc->type_count != 0;
    sett_status status = merge_begin_nodes(job);
    if (status == SETT_OK && job->desc->match == SETT_MERGE_VALUE) {
        status = merge_list_values(job);
    }
    if (status == SETT_OK && partial) {
        status = merge_each(job, merge_find_path);
    }
    if (status == SETT_OK) {
        status = merge_add_all(job);
    }
    if (status == SETT_OK && partial) {
        status = merge_each(job, merge_add_outside);
    }
    return status;
}

static sett_status merge_run(merge_job* job)
{
    sett_status status = merge_gather(job);
    if (status != SETT_OK) {
        return status;
    }
    status = merge_prepare_names(job);
    if (status != SETT_OK) {
        return status;
    }
    status = merge_check_all_cycles(job);
    if (status != SETT_OK) {
        return status;
    }
    /* the last allocation before the world changes */
    job->pair_size = SETTI_MAX(job->clone.node_count, 1) * sizeof(*job->pairs);
    job->pairs = setti_pool_alloc(&job->to_world->pool, job->pair_size, 16);
    if (job->pairs == NULL) {
        return merge_no_memory(job);
    }
    return setti_clone_carry_out(&job->clone, NULL);
}

static sett_status merge_loaded(sett_world* world, const sett_merge_desc* desc, const char* path,
                                const setti_loaded* loaded, sett_merge_result* result)
{
    merge_job job = {.desc = desc, .path = path};
    job.from_world = loaded->contents;
    job.to_world = world;
    job.clone.from = loaded->contents;
    job.clone.to = world;
    job.clone.desc.call = merge_call;
    job.clone.count = 1; /* one copy of each node */
    job.clone.merge.overwrites = desc->existing == SETT_MERGE_OVERWRITE;
    job.clone.merge.rejects = desc->existing == SETT_MERGE_REJECT;
    sett_status status = merge_register(&job);
    if (status == SETT_OK) {
        setti_names_hold(world); /* preserves new names that no entity has yet */
        status = merge_run(&job);
        setti_names_let_go(world);
    }
    if (status == SETT_OK && result != NULL) {
        merge_report(&job, &loaded->result, result);
    }
    setti_pool* pool = &world->pool;
    setti_clone_release(&job.clone);
    setti_hash_map_deinit(pool, &job.by_path);
    setti_hash_map_deinit(pool, &job.by_entity);
    setti_hash_map_deinit(pool, &job.by_value);
    setti_hash_map_deinit(pool, &job.by_name);
    setti_pool_free(pool, job.verdicts, job.verdict_size, 16);
    setti_pool_free(pool, job.pairs, job.pair_size, 16);
    return status;
}

sett_status sett_world_merge_sized(sett_world* world, const char* path,
                                   const sett_merge_desc* given, size_t size,
                                   sett_merge_result* result)
{
    static const sett_merge_desc defaults;
    sett_merge_desc full;
    setti_loaded loaded;
    if (given == NULL) {
        given = &defaults;
        size = sizeof(defaults);
    }
    const sett_merge_desc* desc =
        setti_world_desc(world, given, size, &full, sizeof(full), merge_call);
    if (desc == NULL) {
        return setti_world_failure(world);
    }
    sett_status status = merge_check(world, desc);
    if (status == SETT_OK) {
        status = setti_load_apart(world, merge_call, path, desc->file, &loaded);
    }
    if (status != SETT_OK) {
        return status;
    }
    status = merge_loaded(world, desc, path, &loaded, result);
    if (status == SETT_OK && loaded.result.new_types != 0) {
        setti_types_report(world, loaded.contents, merge_call);
    }
    (void)sett_world_message(world); /* formats the message before loaded.contents is freed */
    setti_loaded_free(world, &loaded);
    return status;
}

/* merge.c: adds the contents of a file to the program's world.
 *
 * The workload: a library of prefabs, a level, a mod, added to a running game. The file is read,
 * migrated and checked in a separate world, as by sett_world_load. The chosen entities become the
 * nodes of one copy between two worlds (relation/clone.h). Some nodes are merged onto entities of
 * the program's world. The copy reserves all memory first, and runs callbacks last.
 *
 *     file -> a world apart -> nodes:  chosen | outside | top
 *                                        |        |        +-- desc.parent, for roots
 *                                        |        +-- not chosen, found in the world by its path
 *                                        +-- created, or merged onto an entity of the world
 *
 * Invariant:  an entity of the world has one node at most;  parents come before children
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
    const char* path; /* of the file */
    sett_world* from; /* the contents of the file */
    sett_world* to;   /* the program's world */
    setti_clone clone;

    setti_hash_map by_path;  /* link of an entity of `from` -> index in `to` of the same path */
    setti_hash_map by_onto;  /* link of an entity of `to` -> node */
    setti_hash_map by_value; /* hash of a value -> index of the entity of `to` */
    setti_hash_map by_name;  /* hash of a parent and a new name -> node */
    unsigned char* verdicts; /* SETTI_CLONE_... by id of a type of `from` */
    size_t verdict_size;
    sett_merge_pair* pairs; /* for the result */
    size_t pair_size;       /* bytes of `pairs` */
} merge_job;

static sett_status merge_no_memory(const merge_job* job)
{
    return setti_world_no_memory(job->to, merge_call);
}

/* Returns true if values may contain unknown handles. */
static bool merge_is_raw(const setti_type* type)
{
    const setti_type* value = setti_type_data(type);
    return value->desc.size != 0 && value->desc.entity_offset_count == 0 &&
           value->members == NULL && type->ends == NULL;
}

/* Returns true if the program allows raw values of a type. */
static bool merge_allows_raw(const merge_job* job, const setti_type* type)
{
    for (uint32_t k = 0; k < job->desc->raw_count; k++) {
        if (strcmp(job->desc->raw[k], type->desc.name) == 0) {
            return true;
        }
    }
    return false;
}

/* Returns true if the program chooses a type. Without a list of types, all are chosen. */
static bool merge_chooses(const merge_job* job, const setti_type* type)
{
    for (uint32_t k = 0; k < job->desc->type_count; k++) {
        if (strcmp(sett_component_name(job->to, job->desc->types[k]), type->desc.name) == 0) {
            return true;
        }
    }
    return job->desc->type_count == 0;
}

/* Returns true for types that every merge includes. */
static bool merge_is_always_merged(const sett_world* from_world, const setti_type* type)
{
    return (setti_names_of(from_world) != NULL && type == setti_names_of(from_world)->type) ||
           (setti_hierarchy_of(from_world) != NULL &&
            type == setti_hierarchy_of(from_world)->type) ||
           type == setti_singleton_tag(from_world);
}

/* Decides which types are merged. Registers those that the world lacks. */
static sett_status merge_decide(merge_job* job)
{
    sett_world* from_world = job->from;
    sett_status status = SETT_OK;
    job->verdict_size = from_world->type_capacity;
    job->verdicts = setti_pool_alloc(&job->to->pool, job->verdict_size, 16);
    if (job->verdicts == NULL) {
        return merge_no_memory(job);
    }
    memset(job->verdicts, SETTI_CLONE_SKIP, job->verdict_size);
    for (uint32_t k = 0; status == SETT_OK && k < from_world->registered.count; k++) {
        const setti_type* type = from_world->registered.item[k];
        bool always = merge_is_always_merged(from_world, type);
        if (type->storage.count == 0 || (!always && !merge_chooses(job, type))) {
            continue;
        }
        bool raw = !always && merge_is_raw(type) && !merge_allows_raw(job, type);
        job->verdicts[type->id] = raw ? SETTI_CLONE_RAW : SETTI_CLONE_TAKE;
        status = setti_replica_join(job->to, from_world, type, merge_call);
    }
    job->clone.merge.verdicts = job->verdicts;
    return status;
}

/* Registers the types that the merge needs. Reports failures of these calls as its own. */
static sett_status merge_register(merge_job* job)
{
    sett_world* world = job->to;
    char why[SETTI_MESSAGE_SIZE];
    bool needs_tree = !sett_is_null(job->desc->parent) && setti_hierarchy_of(world) == NULL;
    SETTI_ASSERT(world->locks == 0 && world->quiet_locks == 0);
    world->quiet = true;
    bool registered = (!needs_tree || sett_hierarchy_register(world, NULL) != 0) &&
                      setti_clone_register(&job->clone) && merge_decide(job) == SETT_OK;
    world->quiet = false;
    if (registered) {
        return SETT_OK;
    }
    if (world->error == SETT_STATUS_OUT_OF_MEMORY) {
        return merge_no_memory(job);
    }
    snprintf(why, sizeof(why), "%s", setti_message_why(sett_world_message(world)));
    return setti_world_fail_input(world, world->error, "%s: %s", merge_call, why);
}

/* Returns the node of an entity of the file, or SETTI_NONE. */
static uint32_t merge_node_of(const merge_job* job, uint32_t index)
{
    return setti_hash_map_find(&job->clone.by_index, setti_link_to(index));
}

/* Returns the node of an entity of the world, or SETTI_NONE. */
static uint32_t merge_node_onto(const merge_job* job, uint32_t onto)
{
    return setti_hash_map_find(&job->by_onto, setti_link_to(onto));
}

static bool merge_is_merged(const setti_clone_node* node)
{
    return node->index != SETTI_NONE && !node->outside;
}

/* Returns the node of the parent that an entity of the file will have, or SETTI_NONE for a root.
 * The node `top` replaces a parent that is not merged. */
static uint32_t merge_parent_node(const merge_job* job, uint32_t index)
{
    uint32_t link = setti_hierarchy_parent(job->from, index);
    uint32_t top = job->clone.merge.top;
    uint32_t node = link != SETTI_NO_LINK ? merge_node_of(job, setti_link_index(link)) : SETTI_NONE;
    if (node == SETTI_NONE) {
        return top;
    }
    bool is_replaced = job->clone.nodes[node].outside && top != SETTI_NONE;
    return is_replaced ? top : node;
}

/* Finds the new parent; null for a root. Returns false if the parent is still to be created. */
static bool merge_find_parent(const merge_job* job, uint32_t index, sett_entity* parent)
{
    uint32_t node = merge_parent_node(job, index);
    *parent = node != SETTI_NONE ? job->clone.nodes[node].onto : sett_null();
    return node == SETTI_NONE || !sett_is_null(*parent);
}

static const char* merge_name(const merge_job* job, uint32_t index)
{
    return sett_name_get(job->from, setti_entity_at(&job->from->entities, index));
}

/* Returns the index of the world's entity with a value, or SETTI_NONE. *free_key becomes the key of
 * `by_value` where the search ended. */
static uint32_t merge_find_value(const merge_job* job, const setti_type* type, const void* value,
                                 uint64_t* free_key)
{
    setti_hash_type hash_type;
    setti_hash_begin(&hash_type, type);
    uint64_t hash = setti_hash_value(&hash_type, sett_null(), value);
    uint64_t key = hash != 0 ? hash : 1;
    uint32_t index = setti_hash_map_find(&job->by_value, key);
    while (index != SETTI_NONE &&
           !setti_hash_same(type, setti_storage_find(&type->storage, index), value)) {
        key = setti_hash_next(key);
        index = setti_hash_map_find(&job->by_value, key);
    }
    *free_key = key;
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

/* Reports two entities of the file that match the same entity. */
static sett_status merge_fail_match(const merge_job* job, uint32_t index, uint32_t other,
                                    sett_entity onto)
{
    char path[3][MERGE_PATH];
    const setti_type* tag = setti_singleton_tag(job->from);
    bool by_tag = tag != NULL && setti_storage_has(&tag->storage, index); /* change the other */
    sett_entity keep = merge_path_of(job->from, by_tag ? index : other, path[0]);
    sett_entity change = merge_path_of(job->from, by_tag ? other : index, path[1]);
    (void)merge_path_of(job->to, onto.index, path[2]);
    bool by_path = job->desc->match == SETT_MERGE_PATH;
    const char* quote = by_path ? "" : "\"";
    return setti_world_fail_input(
        job->to, SETT_STATUS_CONFLICT,
        "%s: entities \"%s\" (%u:%u) and \"%s\" (%u:%u) of the file match the same entity of the "
        "world, \"%s\" (%u:%u) - change the %s%.100s%s of entity %u:%u in the file",
        merge_call, path[0], SETTI_HANDLE(keep), path[1], SETTI_HANDLE(change), path[2],
        SETTI_HANDLE(onto), quote,
        by_path ? "name" : sett_component_name(job->to, job->desc->match_component), quote,
        SETTI_HANDLE(change));
}

/* Fills `by_value`. Fails if two entities of the world have the same value. */
static sett_status merge_list_values(merge_job* job)
{
    const setti_type* type = setti_world_type(job->to, job->desc->match_component);
    uint64_t key;
    SETTI_EACH_INDEX(index, &type->storage) {
        const void* value = setti_storage_find(&type->storage, index);
        uint32_t other = merge_find_value(job, type, value, &key);
        if (other != SETTI_NONE) {
            char path[2][MERGE_PATH];
            sett_entity first = merge_path_of(job->to, index, path[0]);
            sett_entity second = merge_path_of(job->to, other, path[1]);
            return setti_world_fail_input(
                job->to, SETT_STATUS_CONFLICT,
                "%s: entities \"%s\" (%u:%u) and \"%s\" (%u:%u) of the world have the same value "
                "of `match_component` \"%.100s\" - change one of the values",
                merge_call, path[0], SETTI_HANDLE(first), path[1], SETTI_HANDLE(second),
                type->desc.name);
        }
        if (!setti_hash_map_set(&job->to->pool, &job->by_value, key, index)) {
            return merge_no_memory(job);
        }
    }
    return SETT_OK;
}

/* Returns the world's entity for an entity of the file, or null. */
static sett_entity merge_match(const merge_job* job, uint32_t index)
{
    const setti_type* tag = setti_singleton_tag(job->from);
    if (tag != NULL && setti_storage_has(&tag->storage, index)) {
        return setti_singleton_find(job->to);
    }
    if (job->desc->match == SETT_MERGE_PATH) {
        const char* name = merge_name(job, index);
        sett_entity parent;
        bool findable = name != NULL && merge_find_parent(job, index, &parent);
        return findable ? sett_name_find(job->to, parent, name) : sett_null();
    }
    if (job->desc->match != SETT_MERGE_VALUE) {
        return sett_null();
    }
    const setti_type* type = setti_world_type(job->to, job->desc->match_component);
    const setti_type* file_type = setti_type_find(job->from, type->desc.name);
    const void* value = file_type != NULL ? setti_storage_find(&file_type->storage, index) : NULL;
    uint64_t key;
    uint32_t onto = value != NULL ? merge_find_value(job, type, value, &key) : SETTI_NONE;
    return onto != SETTI_NONE ? setti_entity_at(&job->to->entities, onto) : sett_null();
}

/* Returns true if an entity has a chosen type. Without a list of types, all are chosen. */
static bool merge_is_chosen(const merge_job* job, uint32_t index)
{
    if (job->desc->type_count == 0) {
        return true;
    }
    for (uint32_t k = 0; k < job->from->registered.count; k++) {
        const setti_type* type = job->from->registered.item[k];
        bool chosen =
            job->verdicts[type->id] != SETTI_CLONE_SKIP && !merge_is_always_merged(job->from, type);
        if (chosen && setti_storage_has(&type->storage, index)) {
            return true;
        }
    }
    return job->desc->type_count == 0;
}

/* Maps an entity of the file (or SETTI_NONE) and an entity of the world (or null) to a node. */
static bool merge_map_node(merge_job* job, uint32_t node, uint32_t index, sett_entity onto)
{
    setti_pool* pool = &job->to->pool;
    return (index == SETTI_NONE ||
            setti_hash_map_set(pool, &job->clone.by_index, setti_link_to(index), node)) &&
           (sett_is_null(onto) ||
            setti_hash_map_set(pool, &job->by_onto, setti_link_to(onto.index), node));
}

/* Appends a node for these entities, which are not merged if `outside`. Fails without memory. */
static bool merge_append(merge_job* job, uint32_t index, sett_entity onto, bool outside)
{
    SETTI_ASSERT(job->clone.node_count < job->clone.node_room);
    uint32_t number = job->clone.node_count++;
    setti_clone_node* node = &job->clone.nodes[number];
    setti_clone_init_node(&job->clone, node, index);
    node->onto = onto;
    node->outside = outside;
    return merge_map_node(job, number, index, onto);
}

/* Adds a node for an unmerged entity, if the world has an entity of the same path. */
static sett_status merge_add_outside(merge_job* job, uint32_t index)
{
    uint32_t onto = setti_hash_map_find(&job->by_path, setti_link_to(index));
    if (onto == SETTI_NONE || merge_node_of(job, index) != SETTI_NONE) {
        return SETT_OK;
    }
    const bool outside = true;
    uint32_t node = merge_node_onto(job, onto);
    bool added = node != SETTI_NONE
                     ? merge_map_node(job, node, index, sett_null())
                     : merge_append(job, index, setti_entity_at(&job->to->entities, onto), outside);
    return added ? SETT_OK : merge_no_memory(job);
}

/* Lets `node` replace `other`, an unmerged node for the same entity of the world. */
static bool merge_replace(merge_job* job, uint32_t node, uint32_t other)
{
    SETTI_ASSERT(node != other && other < job->clone.node_count);
    uint32_t index = job->clone.nodes[other].index;
    if (other == job->clone.merge.top) {
        job->clone.merge.top = node;
    }
    job->clone.nodes[other].onto = sett_null();
    job->clone.nodes[other].index = SETTI_NONE; /* remains unused */
    job->clone.nodes[other].outside = true;
    job->clone.nodes[other].edit.creates = false;
    return index == SETTI_NONE || merge_map_node(job, node, index, sett_null());
}

/* Adds a node for an entity of the file if it is chosen, and for an unmerged parent. */
static sett_status merge_add_chosen(merge_job* job, uint32_t index)
{
    if (!merge_is_chosen(job, index)) {
        return SETT_OK;
    }
    uint32_t parent = setti_hierarchy_parent(job->from, index);
    if (parent != SETTI_NO_LINK && merge_add_outside(job, setti_link_index(parent)) != SETT_OK) {
        return job->to->error;
    }
    sett_entity onto = merge_match(job, index);
    uint32_t same_target = sett_is_null(onto) ? SETTI_NONE : merge_node_onto(job, onto.index);
    if (same_target != SETTI_NONE && merge_is_merged(&job->clone.nodes[same_target])) {
        return merge_fail_match(job, index, job->clone.nodes[same_target].index, onto);
    }
    const bool outside = false;
    uint32_t number = job->clone.node_count;
    bool added = merge_append(job, index, onto, outside) &&
                 (same_target == SETTI_NONE || merge_replace(job, number, same_target));
    return added ? SETT_OK : merge_no_memory(job);
}

typedef sett_status (*merge_visit)(merge_job* job, uint32_t index);

/* Visits a tree of the file. Parents come first. */
static sett_status merge_each_below(merge_job* job, sett_entity root, merge_visit visit)
{
    sett_status status = SETT_OK;
    sett_entity at = root;
    for (; status == SETT_OK && !sett_is_null(at); at = sett_hierarchy_walk(job->from, root, at)) {
        status = visit(job, at.index);
    }
    return status;
}

static sett_status merge_each(merge_job* job, merge_visit visit)
{
    sett_status status = SETT_OK;
    uint32_t cursor = 0;
    for (sett_entity at = sett_entity_next(job->from, &cursor);
         status == SETT_OK && !sett_is_null(at); at = sett_entity_next(job->from, &cursor)) {
        if (setti_hierarchy_parent(job->from, at.index) == SETTI_NO_LINK) {
            status = merge_each_below(job, at, visit);
        }
    }
    return status;
}

static sett_status merge_add_all(merge_job* job)
{
    const char* subtree = job->desc->subtree;
    if (subtree == NULL) {
        return merge_each(job, merge_add_chosen);
    }
    sett_entity root = setti_name_lookup(job->from, sett_null(), subtree);
    if (!sett_is_null(root)) {
        return merge_each_below(job, root, merge_add_chosen);
    }
    return setti_world_fail_input(job->to, SETT_STATUS_ABSENT,
                                  "%s: file \"%.150s\" has no entity with the path \"%.150s\" - "
                                  "set `subtree` to a path in the file",
                                  merge_call, job->path, subtree);
}

/* Maps an entity of the file to the world's entity with the same path, if there is one. Call it for
 * the parent first. */
static sett_status merge_find_path(merge_job* job, uint32_t index)
{
    const char* name = merge_name(job, index);
    uint32_t parent_link = setti_hierarchy_parent(job->from, index);
    sett_entity parent = sett_null();
    if (parent_link != SETTI_NO_LINK) {
        uint32_t parent_index = setti_hash_map_find(&job->by_path, parent_link);
        if (parent_index == SETTI_NONE) {
            return SETT_OK; /* the world has no entity with the parent's path */
        }
        parent = setti_entity_at(&job->to->entities, parent_index);
    }
    sett_entity same = name != NULL ? sett_name_find(job->to, parent, name) : sett_null();
    bool done = sett_is_null(same) ||
                setti_hash_map_set(&job->to->pool, &job->by_path, setti_link_to(index), same.index);
    return done ? SETT_OK : merge_no_memory(job);
}

/* Returns true if the new entity of a node will have this parent and this name. */
static bool merge_will_have(const merge_job* job, const setti_clone_node* node, sett_entity parent,
                            const char* name)
{
    sett_entity new_parent;
    if (!merge_find_parent(job, node->index, &new_parent) || !sett_equals(new_parent, parent)) {
        return false;
    }
    bool renamed = node->name != 0;
    const char* text = renamed ? setti_text_of(job->to, &setti_names_of(job->to)->texts, node->name)
                               : merge_name(job, node->index);
    return strcmp(text, name) == 0;
}

/* Returns true if a child of `parent` has or will have a name. Otherwise *key is a free key. */
static bool merge_is_taken(const merge_job* job, sett_entity parent, const char* name,
                           uint64_t* key)
{
    uint64_t of_parent = sett_is_null(parent) ? 0 : (uint64_t)setti_link_to(parent.index) << 20;
    uint64_t hash = setti_hash_bytes(name, strlen(name)) ^ of_parent;
    *key = hash != 0 ? hash : 1;
    for (uint32_t step = 0;; step++) {
        uint32_t node = setti_hash_map_find(&job->by_name, *key);
        if (node == SETTI_NONE) {
            break;
        }
        if (step == SETTI_HASH_STEPS || /* too many names with the same hash */
            merge_will_have(job, &job->clone.nodes[node], parent, name)) {
            return true;
        }
        *key = setti_hash_next(*key);
    }
    return !sett_is_null(sett_name_find(job->to, parent, name));
}

/* A search for a free name, such as "door_2". */
typedef struct merge_numbering {
    const merge_job* job;
    sett_entity parent;
    const char* name;
    uint64_t key;
    char text[SETT_NAME_MAX + 1];
} merge_numbering;

/* Fills in text and key for a number. Returns true if the name is taken. */
static bool merge_number_taken(void* user, uint32_t number)
{
    merge_numbering* search = user;
    char digits[16];
    int size = snprintf(digits, sizeof(digits), "_%u", (unsigned)number);
    snprintf(search->text, sizeof(search->text), "%.*s%s", SETT_NAME_MAX - size, search->name,
             digits);
    return merge_is_taken(search->job, search->parent, search->text, &search->key);
}

/* Gives a node a free name. *key becomes its key. */
static sett_status merge_number_name(merge_job* job, setti_clone_node* node, sett_entity parent,
                                     const char* name, uint64_t* key)
{
    merge_numbering search = {.job = job, .parent = parent, .name = name};
    uint32_t number = setti_name_number(merge_number_taken, &search);
    (void)merge_number_taken(&search, number);
    *key = search.key;
    node->name =
        setti_text_add(job->to, &setti_names_of(job->to)->texts, search.text, strlen(search.text));
    return node->name != 0 ? SETT_OK : setti_name_fail(job->to, search.text, merge_call);
}

/* Reports a name that a child of `parent` has or will have. */
static sett_status merge_fail_name(const merge_job* job, sett_entity parent, const char* name)
{
    sett_entity taken = sett_name_find(job->to, parent, name);
    if (sett_is_null(taken)) {
        return setti_world_fail_input(job->to, SETT_STATUS_CONFLICT,
                                      "%s: two new entities would have the name \"%.200s\" and the "
                                      "same parent - set .names = SETT_MERGE_NUMBER",
                                      merge_call, name);
    }
    return setti_world_fail_input(
        job->to, SETT_STATUS_CONFLICT,
        "%s: entity %u:%u has the name \"%.200s\" already - set .names = SETT_MERGE_NUMBER%s",
        merge_call, SETTI_HANDLE(taken), name,
        job->desc->match == SETT_MERGE_PATH ? ""
                                            : ", or .match = SETT_MERGE_PATH to merge with it");
}

/* Rejects or changes a new entity's name that a sibling has. Notes the name in `by_name`. */
static sett_status merge_check_name(merge_job* job, uint32_t number)
{
    setti_clone_node* node = &job->clone.nodes[number];
    const char* name = merge_name(job, node->index);
    sett_entity parent;
    uint64_t key;
    sett_status status = SETT_OK;
    if (name == NULL || !merge_find_parent(job, node->index, &parent)) {
        return SETT_OK; /* no name, or the parent is new too */
    }
    if (merge_is_taken(job, parent, name, &key)) {
        status = job->desc->names == SETT_MERGE_NUMBER
                     ? merge_number_name(job, node, parent, name, &key)
                     : merge_fail_name(job, parent, name);
    }
    if (status == SETT_OK && !setti_hash_map_set(&job->to->pool, &job->by_name, key, number)) {
        status = merge_no_memory(job);
    }
    return status;
}

/* Prepares the names of new entities. Notes which nodes will be in the hierarchy. */
static sett_status merge_prepare_names(merge_job* job)
{
    sett_status status = SETT_OK;
    for (uint32_t k = 0; status == SETT_OK && k < job->clone.node_count; k++) {
        setti_clone_node* node = &job->clone.nodes[k];
        if (!merge_is_merged(node) || !sett_is_null(node->onto)) {
            continue;
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

/* A position on a path of links. */
typedef struct merge_position {
    uint32_t node;  /* SETTI_NONE: the entity is not merged */
    uint32_t index; /* in the world; SETTI_NONE: the node's entity will be created */
} merge_position;

/* Follows the link that an entity will have after the merge. Returns false without a link. */
static bool merge_step(const merge_job* job, const setti_relation* in_file,
                       const setti_relation* relation, merge_position* at)
{
    const setti_storage* links = &relation->links->storage;
    bool has_link = at->index != SETTI_NONE && setti_storage_has(links, at->index);
    bool merged = at->node != SETTI_NONE && merge_is_merged(&job->clone.nodes[at->node]);
    bool takes_file_link = merged && (!has_link || job->clone.merge.overwrites);
    uint32_t next = SETTI_NONE; /* the node of the link's target in the file */
    if (takes_file_link) {
        sett_entity in_from =
            setti_entity_at(&job->from->entities, job->clone.nodes[at->node].index);
        sett_entity target = sett_target(job->from, in_from, in_file->links->id);
        next = sett_is_null(target) ? SETTI_NONE : merge_node_of(job, target.index);
    }
    if (next != SETTI_NONE) {
        sett_entity onto = job->clone.nodes[next].onto;
        at->node = next;
        at->index = sett_is_null(onto) ? SETTI_NONE : onto.index;
        return true;
    }
    if (has_link) {
        at->index = ((const sett_link*)setti_storage_find(links, at->index))->target.index;
        at->node = merge_node_onto(job, at->index);
    }
    return has_link;
}

/* Fails if links of `relation` would form a cycle after the merge. */
static sett_status merge_check_circles(const merge_job* job, const setti_relation* relation)
{
    const setti_type* type = setti_type_find(job->from, relation->links->desc.name);
    for (uint32_t k = 0; type != NULL && k < job->clone.node_count; k++) {
        const setti_clone_node* first = &job->clone.nodes[k];
        bool gets_link = !sett_is_null(first->onto) && merge_is_merged(first) &&
                         setti_storage_has(&type->storage, first->index);
        if (!gets_link) {
            continue;
        }
        merge_position at = {.node = k, .index = first->onto.index};
        uint32_t through = first->onto.index; /* the last entity of the world on the path */
        uint64_t steps = 2 * ((uint64_t)type->storage.count + relation->links->storage.count);
        while (merge_step(job, setti_relation_of_links(type), relation, &at)) {
            through = at.index != SETTI_NONE ? at.index : through;
            /* with more steps than links, the path goes round a cycle without `first` */
            if (at.index == first->onto.index || steps-- == 0) {
                return setti_world_fail_input(
                    job->to, SETT_STATUS_CYCLE,
                    "%s: the \"%.100s\" links of the file and of the world would form a cycle "
                    "through entity %u:%u - remove its link from the file or the world",
                    merge_call, relation->links->desc.name,
                    SETTI_HANDLE(setti_entity_at(&job->to->entities, through)));
            }
        }
    }
    return SETT_OK;
}

static sett_status merge_check_all_circles(const merge_job* job)
{
    sett_status status = SETT_OK;
    for (const setti_relation* at = setti_relations_of(job->to); status == SETT_OK && at != NULL;
         at = at->next) {
        const setti_type* type = setti_type_find(job->from, at->links->desc.name);
        if (at->desc.acyclic && type != NULL && job->verdicts[type->id] != SETTI_CLONE_SKIP) {
            status = merge_check_circles(job, at);
        }
    }
    return status;
}

static void merge_report(merge_job* job, const sett_load_result* file, sett_merge_result* result)
{
    memset(result, 0, sizeof(*result));
    result->file = *file;
    result->outside = job->clone.merge.outside;
    result->lost = job->clone.merge.lost;
    for (uint32_t k = 0; k < job->clone.node_count; k++) {
        const setti_clone_node* node = &job->clone.nodes[k];
        result->created += merge_is_merged(node) && sett_is_null(node->onto) ? 1 : 0;
        result->matched += merge_is_merged(node) && !sett_is_null(node->onto) ? 1 : 0;
    }
    uint32_t cursor = 0;
    for (sett_entity at = sett_entity_next(job->from, &cursor); !sett_is_null(at);
         at = sett_entity_next(job->from, &cursor)) { /* in the order of sett_merge_find */
        uint32_t number = merge_node_of(job, at.index);
        const setti_clone_node* node = number != SETTI_NONE ? &job->clone.nodes[number] : NULL;
        /* an unmerged entity can lead to another entity's node */
        bool is_original = node != NULL && node->index == at.index;
        if (is_original && merge_is_merged(node)) {
            job->pairs[result->pair_count++] = (sett_merge_pair){at, node->copies[0]};
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
            return sett_equals(pair->file, in_file) ? pair->entity : sett_null();
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
    return setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                                 "%s: `match_component` is \"%.100s\", which has no %s - pass a "
                                 "component whose values are saved",
                                 merge_call, type->desc.name,
                                 type->module != NULL ? "values of the program" : "saved values");
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
    return desc->match == SETT_MERGE_VALUE ? merge_check_match(world, desc->match_component)
                                           : SETT_OK;
}

static sett_status merge_gather(merge_job* job)
{
    setti_clone* clone = &job->clone;
    clone->node_room = job->from->entities.count + 1;
    size_t size;
    clone->nodes = setti_multiply(clone->node_room, sizeof(*clone->nodes), &size)
                       ? setti_pool_alloc(&job->to->pool, size, 16)
                       : NULL;
    bool has_top = !sett_is_null(job->desc->parent);
    const bool outside = false;
    clone->merge.top = has_top ? 0 : SETTI_NONE; /* the first node */
    if (clone->nodes == NULL ||
        (has_top && !merge_append(job, SETTI_NONE, job->desc->parent, outside))) {
        return merge_no_memory(job);
    }
    bool partial = job->desc->subtree != NULL || job->desc->type_count != 0;
    sett_status status = job->desc->match == SETT_MERGE_VALUE ? merge_list_values(job) : SETT_OK;
    if (status == SETT_OK && partial) {
        status = merge_each(job, merge_find_path);
    }
    status = status == SETT_OK ? merge_add_all(job) : status;
    if (status == SETT_OK && partial) {
        status = merge_each(job, merge_add_outside);
    }
    return status;
}

static sett_status merge_run(merge_job* job)
{
    sett_status status = merge_gather(job);
    status = status == SETT_OK ? merge_prepare_names(job) : status;
    status = status == SETT_OK ? merge_check_all_circles(job) : status;
    if (status == SETT_OK) { /* the last allocation before the world changes */
        job->pair_size = SETTI_MAX(job->clone.node_count, 1) * sizeof(*job->pairs);
        job->pairs = setti_pool_alloc(&job->to->pool, job->pair_size, 16);
        status = job->pairs != NULL ? SETT_OK : merge_no_memory(job);
    }
    return status == SETT_OK ? setti_clone_carry_out(&job->clone, NULL) : status;
}

static sett_status merge_loaded(sett_world* world, const sett_merge_desc* desc, const char* path,
                                const setti_loaded* loaded, sett_merge_result* result)
{
    merge_job job = {.desc = desc, .path = path};
    job.from = job.clone.from = loaded->apart;
    job.to = job.clone.to = world;
    job.clone.desc.call = merge_call;
    job.clone.count = 1;
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
    setti_hash_map_deinit(pool, &job.by_onto);
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
    const sett_merge_desc* desc =
        setti_world_desc(world, given != NULL ? given : &defaults,
                         given != NULL ? size : sizeof(full), &full, sizeof(full), merge_call);
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
        setti_types_report(world, loaded.apart, merge_call);
    }
    (void)sett_world_message(world); /* formats the message before loaded.apart is freed */
    setti_loaded_free(world, &loaded);
    return status;
}

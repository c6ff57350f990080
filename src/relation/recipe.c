/* recipe.c: instances of prefabs, created one at a time.
 *
 * The workload: shots, monsters and effects, created one by one while a game runs. Analysing a
 * subtree and reserving memory type by type took 8,700 instructions for an entity of 5 components,
 * and 65,000 for a tree of ten; hand-written code takes 870 and 8,700. So a recipe stores clone.c's
 * analysis:
 *
 *     nodes     index, signature, links and name of the original, which are compared with the
 *               prefab each time; signature, parent and number of parts of the copy
 *     parts     type and source of a value: the parts of all nodes in turn
 *
 * Values are read from the prefab each time, so setting a value needs no new recipe. Comparing a
 * node's signature, links and name takes 30 instructions. Rejected: a version counter in the
 * prefab, which each structural change would have to update.
 *
 * Invariant:  a recipe with unchanged nodes creates the same instance as clone.c
 */
#include "relation/recipe.h"
#include "relation/chain.h"
#include "relation/hierarchy.h"
#include "relation/name.h"
#include "relation/prefab.h"

#define RECIPE_ROOT_MOST 32 /* most components of an instance's root, including given values */
#define RECIPE_TRIES 64     /* instances that clone.c makes before the prefab is analysed again */
#define RECIPE_LIMIT 64     /* first capacity of the table of recipes */

/* A node of the prefab, and its copy. */
typedef struct recipe_node {
    uint32_t index;                         /* entity index of the original */
    uint32_t signature;                     /* the original's, when the recipe was made */
    uint64_t dont_fragment_hash;            /* tells which dont_fragment types the original has */
    sett_hierarchy links;                   /* the original's, when the recipe was made */
    sett_hierarchy copy;                    /* the hierarchy's component of the copy */
    uint64_t name;                          /* key of the copy's name, or 0 */
    uint32_t part_count;                    /* number of components of the copy */
    uint32_t copy_signature;                /* signature of the copy */
    uint32_t parent, first, next, previous; /* node numbers, or SETTI_NONE */
    uint32_t level;                         /* depth below the root */
    bool in_tree;                           /* the original has the hierarchy's component */
    bool derives;                           /* copies get an InstanceOf link to the original */
    bool has_references;                    /* values contain references */
} recipe_node;

typedef struct prefab_recipe {
    sett_entity prefab;
    uint32_t version; /* recipes_of(world)->version, when the recipe was made */
    uint32_t epoch;   /* world->transition_epoch, when the recipe was made */
    bool simple;    /* copies get no links except the hierarchy's and InstanceOf; false: unusable */
    uint32_t tries; /* instances that clone.c made while `simple` was false */
    size_t size;    /* of this struct, in bytes */
    uint32_t node_count;
    uint32_t part_count;
    uint32_t named;          /* number of nodes with a name */
    setti_hash_map by_index; /* link of the original -> node, if values have references */
    recipe_node* nodes;
    /* Memory for one instance. It is used again for the next, with other addresses of values. */
    setti_edit* edits;      /* by node */
    setti_edit_part* parts; /* of all nodes in turn */
    sett_entity* copies;    /* by node */
} prefab_recipe;

struct setti_recipes {
    setti_hash_map by_prefab; /* index of a prefab + 1 -> slot */
    /* An item is NULL if the prefab was instantiated once, and has no recipe yet. */
    prefab_recipe** slots;
    prefab_recipe* last; /* the last used recipe, or NULL */
    uint32_t count;
    uint32_t capacity;
    uint32_t version; /* increases when all recipes become outdated */
};

enum {
    SETTI_SLOT_RECIPES = 3
};

SETTI_INLINE struct setti_recipes* recipes_of(const sett_world* world)
{
    return world->module[SETTI_SLOT_RECIPES];
}

static void recipe_free(sett_world* world, prefab_recipe* recipe)
{
    recipes_of(world)->last = NULL;
    if (recipe != NULL) {
        setti_hash_map_deinit(&world->pool, &recipe->by_index);
        setti_pool_free(&world->pool, recipe, recipe->size, 16);
    }
}

/* Returns the slot of a prefab, or NULL if the prefab was never instantiated. */
static prefab_recipe** recipe_slot(const sett_world* world, sett_entity prefab)
{
    const struct setti_recipes* recipes = recipes_of(world);
    if (recipes == NULL) {
        return NULL;
    }
    uint32_t slot = setti_hash_map_find(&recipes->by_prefab, (uint64_t)prefab.index + 1);
    return slot != SETTI_NONE ? &recipes->slots[slot] : NULL;
}

void setti_recipe_drop(sett_world* world)
{
    struct setti_recipes* recipes = recipes_of(world);
    if (recipes == NULL) {
        return;
    }
    for (uint32_t k = 0; k < recipes->count; k++) {
        recipe_free(world, recipes->slots[k]);
    }
    setti_hash_map_deinit(&world->pool, &recipes->by_prefab);
    setti_pool_free(&world->pool, recipes->slots, recipes->capacity * sizeof(prefab_recipe*), 16);
    memset(recipes, 0, sizeof(*recipes));
}

/* Frees the slots of destroyed prefabs, and slots without a recipe. */
static void recipe_prune(sett_world* world)
{
    struct setti_recipes* recipes = recipes_of(world);
    uint32_t remaining = 0;
    setti_hash_map_deinit(&world->pool, &recipes->by_prefab);
    for (uint32_t k = 0; k < recipes->count; k++) {
        prefab_recipe* recipe = recipes->slots[k];
        bool keeps = false;
        if (recipe != NULL && setti_entity_is_current(&world->entities, recipe->prefab)) {
            keeps = setti_hash_map_set(&world->pool, &recipes->by_prefab,
                                       (uint64_t)recipe->prefab.index + 1, remaining);
        }
        if (keeps) {
            recipes->slots[remaining++] = recipe;
        } else {
            recipe_free(world, recipe);
        }
    }
    recipes->count = remaining;
}

/* Adds an empty slot. Returns NULL if memory runs out. */
static prefab_recipe** recipe_add_slot(sett_world* world, sett_entity prefab)
{
    SETTI_ASSERT(recipe_slot(world, prefab) == NULL);
    setti_pool* pool = &world->pool;
    struct setti_recipes* recipes = recipes_of(world);
    if (recipes == NULL) {
        recipes = setti_pool_alloc_zero(pool, sizeof(*recipes), 16);
        if (recipes == NULL) {
            return NULL;
        }
        world->module[SETTI_SLOT_RECIPES] = recipes;
    }
    bool is_full = recipes->count == recipes->capacity;
    if (is_full) {
        recipe_prune(world);
    }
    if (is_full && recipes->count * 2 >= recipes->capacity) { /* pruning has freed less than half */
        prefab_recipe** grown =
            setti_pool_grow(pool, recipes->slots, sizeof(prefab_recipe*), recipes->count,
                            SETTI_MAX(recipes->count + 1, RECIPE_LIMIT), &recipes->capacity);
        if (grown == NULL) {
            return NULL;
        }
        recipes->slots = grown;
    }
    if (!setti_hash_map_set(pool, &recipes->by_prefab, (uint64_t)prefab.index + 1,
                            recipes->count)) {
        return NULL;
    }
    recipes->slots[recipes->count] = NULL;
    return &recipes->slots[recipes->count++];
}

void setti_recipe_forget(sett_world* world)
{
    if (recipes_of(world) != NULL) {
        recipes_of(world)->version++;
    }
}

/* Returns a hash that tells which dont_fragment types an entity has. */
static uint64_t recipe_dont_fragment_hash(const sett_world* world, uint32_t index)
{
    uint64_t hash = world->dont_fragment.count;
    for (uint32_t k = 0; k < world->dont_fragment.count; k++) {
        hash = hash * 31 + setti_storage_has(&world->dont_fragment.item[k]->storage, index);
    }
    return hash;
}

/* Returns the number of the node to which a link of the hierarchy leads, or SETTI_NONE. */
static uint32_t recipe_node_of(const setti_clone* plan, uint32_t link)
{
    if (link == SETTI_NO_LINK) {
        return SETTI_NONE;
    }
    if (plan->node_count == 1) { /* then plan->by_index is empty */
        return 0;
    }
    return setti_hash_map_find(&plan->by_index, link);
}

/* Notes the links of an original in the hierarchy, and the nodes to which they lead. */
static void recipe_note_links(const sett_world* world, const setti_clone* plan,
                              prefab_recipe* recipe, uint32_t k)
{
    recipe_node* node = &recipe->nodes[k];
    const sett_hierarchy* links = setti_hierarchy_find(world, node->index);
    node->in_tree = links != NULL;
    node->parent = node->first = node->next = node->previous = SETTI_NONE;
    if (links == NULL) {
        return;
    }
    node->links = *links;
    node->first = recipe_node_of(plan, links->first);
    if (k != 0) { /* the root's parent and siblings are not copied */
        node->parent = recipe_node_of(plan, links->parent);
        node->next = recipe_node_of(plan, links->next);
        node->previous = recipe_node_of(plan, links->previous);
        SETTI_ASSERT(node->parent < k);
        node->level = recipe->nodes[node->parent].level + 1;
    }
}

/* Fills in node k. Returns false if the recipe is not simple. */
static bool recipe_fill_node(const sett_world* world, const setti_clone* plan,
                             prefab_recipe* recipe, uint32_t k)
{
    SETTI_ASSERT(k < recipe->node_count && plan->nodes[k].counterpart == SETTI_NONE);
    const setti_clone_node* planned = &plan->nodes[k];
    recipe_node* node = &recipe->nodes[k];
    node->index = planned->index;
    node->signature = setti_entity_set_of(&world->entities, planned->index);
    node->dont_fragment_hash = recipe_dont_fragment_hash(world, planned->index);
    if (setti_clone_keeps_name(plan, planned)) {
        node->name = setti_name_key(world, planned->index);
        recipe->named++;
    }
    node->copy_signature = planned->edit.to;
    node->derives = planned->derives;
    node->part_count = planned->edit.added_count;
    recipe_note_links(world, plan, recipe, k);
    recipe->edits[k] = (setti_edit){.entities = &recipe->copies[k],
                                    .count = 1,
                                    .to = node->copy_signature,
                                    .added = recipe->parts + recipe->part_count,
                                    .added_count = node->part_count,
                                    .creates = true};
    for (uint32_t t = 0; t < node->part_count; t++) {
        setti_edit_part* part = &recipe->parts[recipe->part_count++];
        *part = planned->edit.added[t];
        const setti_type* type = part->type;
        if (setti_hierarchy_of(world) != NULL && type == setti_hierarchy_of(world)->type) {
            part->value = &node->copy;
            part->quiet = true; /* the value is the library's, so on_set does not run */
        }
        if (part->origin != NULL && type->desc.entity_offset_count != 0) {
            node->has_references = true;
        }
        bool is_instance_of = planned->derives && type == plan->instances->links;
        bool has_links = type->links != NULL && !is_instance_of;
        if (type->ends != NULL || has_links) {
            return false;
        }
    }
    return true;
}

/* Allocates a recipe and, in the same piece of memory, the arrays. Returns NULL if memory runs
 * out. */
static prefab_recipe* recipe_alloc(sett_world* world, const setti_clone* plan)
{
    size_t part_count = 0;
    for (uint32_t k = 0; k < plan->node_count; k++) {
        part_count += plan->nodes[k].edit.added_count;
    }
    size_t node_count = plan->node_count;
    size_t size = sizeof(prefab_recipe) +
                  node_count * (sizeof(recipe_node) + sizeof(setti_edit) + sizeof(sett_entity)) +
                  part_count * sizeof(setti_edit_part);
    prefab_recipe* recipe = setti_pool_alloc_zero(&world->pool, size, 16);
    if (recipe != NULL) {
        recipe->size = size;
        recipe->nodes = (recipe_node*)(void*)(recipe + 1);
        recipe->edits = (setti_edit*)(void*)(recipe->nodes + node_count);
        recipe->parts = (setti_edit_part*)(void*)(recipe->edits + node_count);
        recipe->copies = (sett_entity*)(void*)(recipe->parts + part_count);
    }
    return recipe;
}

/* Makes a recipe from an analysis. Returns NULL if memory runs out. */
static prefab_recipe* recipe_make(sett_world* world, const setti_clone* plan, sett_entity prefab)
{
    prefab_recipe* recipe = recipe_alloc(world, plan);
    if (recipe == NULL) {
        return NULL;
    }
    recipe->prefab = prefab;
    recipe->version = recipes_of(world)->version;
    recipe->epoch = world->transition_epoch;
    recipe->node_count = plan->node_count;
    recipe->simple = true;
    bool has_references = false;
    for (uint32_t k = 0; k < plan->node_count && recipe->simple; k++) {
        recipe->simple = recipe_fill_node(world, plan, recipe, k);
        if (recipe->nodes[k].has_references) {
            has_references = true;
        }
    }
    if (!has_references) {
        return recipe;
    }
    for (uint32_t k = 0; k < plan->node_count; k++) {
        if (!setti_hash_map_set(&world->pool, &recipe->by_index,
                                setti_link_to(plan->nodes[k].index), k)) {
            recipe_free(world, recipe);
            return NULL;
        }
    }
    return recipe;
}

void setti_recipe_learn(sett_world* world, sett_entity prefab)
{
    prefab_recipe** slot = recipe_slot(world, prefab);
    if (slot == NULL) { /* the first instance */
        (void)recipe_add_slot(world, prefab);
        return;
    }
    prefab_recipe* old = *slot;
    if (old != NULL && !old->simple && old->tries < RECIPE_TRIES) {
        old->tries++; /* clone.c makes more instances before the next analysis */
        return;
    }
    setti_clone plan = {
        .desc = {.call = "sett_instantiate", .root = prefab},
        .from = world,
        .to = world,
        .count = 1,
        .instances = setti_relation_of_links(world->module_type[SETTI_MODULE_TYPE_INSTANCE_OF])};
    prefab_recipe* recipe = NULL;
    if (setti_clone_plan(&plan) == SETT_OK) {
        recipe = recipe_make(world, &plan, prefab);
    }
    setti_clone_release(&plan);
    recipe_free(world, old);
    *slot = recipe;
}

/* Returns true if the original still has the links that the recipe noted. `links` are the present
 * links of the original, or NULL if the original is not in the hierarchy. */
static bool recipe_has_links(const recipe_node* node, const sett_hierarchy* links, bool is_root)
{
    if (links == NULL || !node->in_tree) {
        return (links != NULL) == node->in_tree; /* true: in the hierarchy neither then nor now */
    }
    if (links->first != node->links.first || links->children != node->links.children) {
        return false;
    }
    if (is_root) {
        return true; /* the root's parent and siblings do not matter */
    }
    return links->parent == node->links.parent && links->next == node->links.next &&
           links->previous == node->links.previous;
}

/* Returns true if the original of a node is as it was when the recipe was made. */
static bool recipe_is_unchanged(const sett_world* world, const recipe_node* node, bool is_root)
{
    if (!recipe_has_links(node, setti_hierarchy_find(world, node->index), is_root)) {
        return false;
    }
    if (setti_entity_set_of(&world->entities, node->index) != node->signature) {
        return false;
    }
    bool may_be_named = !is_root && setti_names_of(world) != NULL;
    if (may_be_named && setti_name_key(world, node->index) != node->name) {
        return false;
    }
    if (world->dont_fragment.count == 0) {
        return true;
    }
    return recipe_dont_fragment_hash(world, node->index) == node->dont_fragment_hash;
}

/* Returns the recipe of a prefab, or NULL if no recipe can be used. */
static prefab_recipe* recipe_find(const sett_world* world, sett_entity prefab)
{
    struct setti_recipes* recipes = recipes_of(world);
    if (recipes == NULL) {
        return NULL;
    }
    if (recipes->last == NULL || !sett_equals(recipes->last->prefab, prefab)) {
        prefab_recipe** slot = recipe_slot(world, prefab);
        recipes->last = slot != NULL ? *slot : NULL;
    }
    prefab_recipe* recipe = recipes->last;
    if (recipe == NULL || !sett_equals(recipe->prefab, prefab) || !recipe->simple) {
        return NULL;
    }
    if (recipe->version != recipes->version || recipe->epoch != world->transition_epoch) {
        return NULL;
    }
    /* Equal links lead to the same entities, because links to destroyed entities are removed. */
    for (uint32_t k = 0; k < recipe->node_count; k++) {
        if (!recipe_is_unchanged(world, &recipe->nodes[k], k == 0)) {
            return NULL;
        }
    }
    return recipe;
}

/* Adds a value to the root's edit, or replaces the value there. Returns false if clone.c has to
 * make the instance. */
static bool recipe_add(sett_world* world, setti_edit* edit, setti_type* type, const void* value)
{
    for (uint32_t k = 0; k < edit->added_count; k++) {
        setti_edit_part* part = &edit->added[k];
        if (part->type == type) {
            bool keeps_copy = value == NULL && part->origin == NULL; /* the hierarchy's value */
            if (!keeps_copy) {
                part->value = value;
            }
            part->origin = NULL;
            return true;
        }
    }
    if (type == NULL || edit->added_count >= RECIPE_ROOT_MOST) {
        return false;
    }
    return setti_change_include_fast(world, edit, type, value);
}

/* Adds the given values, parent and name to the root's edit. Returns false if clone.c has to make
 * the instance. */
static bool recipe_begin_root(sett_world* world, prefab_recipe* recipe,
                              const setti_clone_desc* instance, setti_edit_part* room)
{
    SETTI_ASSERT(recipe->edits[0].added == recipe->parts);
    setti_edit* edit = &recipe->edits[0];
    if (instance->value_count == 0 && instance->name == 0 && sett_is_null(instance->parent)) {
        return true;
    }
    if (edit->added_count > RECIPE_ROOT_MOST) {
        return false;
    }
    /* The parts are changed in `room`, so that the recipe's parts stay as they are. */
    memcpy(room, edit->added, edit->added_count * sizeof(*room));
    edit->added = room;
    for (uint32_t k = 0; k < instance->value_count; k++) {
        setti_type* type = setti_world_type(world, instance->values[k].component);
        if (type == NULL || type->cascade != NULL ||
            !recipe_add(world, edit, type, instance->values[k].value)) {
            return false;
        }
    }
    if (!sett_is_null(instance->parent) &&
        !recipe_add(world, edit, setti_hierarchy_of(world)->type, NULL)) {
        return false;
    }
    if (instance->name != 0) {
        return recipe_add(world, edit, setti_names_of(world)->type, NULL);
    }
    return true;
}

/* Reserves the entities of the copies. `root_copy` is the entity that becomes the root's copy.
 * If it is NULL, a new entity becomes the root's copy. */
static bool recipe_reserve_entities(sett_world* world, prefab_recipe* recipe,
                                    const sett_entity* root_copy)
{
    setti_entity_table* table = &world->entities;
    uint32_t k = root_copy != NULL ? 1 : 0;         /* the first node that gets a new entity */
    uint32_t hint = setti_entity_hint_index(table); /* the reservation advances the hint */
    uint32_t index = hint;
    if (root_copy != NULL) {
        recipe->copies[0].index = root_copy->index;
    }
    if (setti_entity_reserve(&world->pool, table, &hint, recipe->node_count - k) != SETT_OK) {
        return false;
    }
    while (k < recipe->node_count) {
        setti_entity_run run = setti_entity_next_run(table, index, recipe->node_count - k);
        for (index = run.first; index < run.first + run.count; index++) {
            recipe->copies[k++].index = index;
        }
    }
    return true;
}

/* Reserves entities and memory for an instance. Returns false if memory runs out. */
static bool recipe_reserve(sett_world* world, prefab_recipe* recipe,
                           const setti_clone_desc* instance)
{
    uint32_t name_count = recipe->named;
    if (instance->name != 0) {
        name_count++;
    }
    if (!recipe_reserve_entities(world, recipe, instance->into)) {
        return false;
    }
    for (uint32_t k = 0; k < recipe->node_count; k++) {
        if (!setti_edit_reserve_at(world, &recipe->edits[k], recipe->copies[k].index)) {
            return false;
        }
    }
    if (name_count != 0 && !setti_name_reserve(world, name_count)) {
        setti_edit_unclaim(world); /* the steps above do this themselves if they fail */
        return false;
    }
    return true;
}

/* Returns the link of the copy of a node, or SETTI_NO_LINK for SETTI_NONE. */
static uint32_t recipe_copy_link(const prefab_recipe* recipe, uint32_t node)
{
    return node != SETTI_NONE ? setti_link_to(recipe->copies[node].index) : SETTI_NO_LINK;
}

/* Computes the hierarchy's components of the first `count` copies. */
SETTI_INLINE void recipe_link_copies(const sett_world* world, prefab_recipe* recipe, uint32_t count,
                                     const setti_clone_desc* instance)
{
    uint32_t depth = 0; /* of the root's copy */
    if (!sett_is_null(instance->parent)) {
        depth = setti_hierarchy_find(world, instance->parent.index)->depth + 1;
    }
    for (uint32_t k = 0; k < count; k++) {
        recipe_node* node = &recipe->nodes[k];
        if (node->in_tree) {
            node->copy.parent = recipe_copy_link(recipe, node->parent);
            node->copy.first = recipe_copy_link(recipe, node->first);
            node->copy.next = recipe_copy_link(recipe, node->next);
            node->copy.previous = recipe_copy_link(recipe, node->previous);
            node->copy.children = node->links.children;
            /* Below a moved parent, the depth is wrong until the repair. */
            node->copy.depth = (depth + node->level) & ~SETTI_MOVED;
        }
    }
}

/* Replaces each original to which a copy refers by the original's copy. */
static void recipe_remap(sett_world* world, const prefab_recipe* recipe, const setti_edit* edit,
                         uint32_t index)
{
    for (uint32_t p = 0; p < edit->added_count; p++) {
        const setti_type* type = edit->added[p].type;
        bool is_copied = edit->added[p].origin != NULL;
        for (uint32_t n = 0; is_copied && n < type->desc.entity_offset_count; n++) {
            unsigned char* bytes = setti_storage_find(&type->storage, index);
            sett_entity reference;
            bytes += type->desc.entity_offsets[n];
            memcpy(&reference, bytes, sizeof(reference));
            if (!setti_entity_is_current(&world->entities, reference)) {
                continue;
            }
            uint32_t node = setti_hash_map_find(&recipe->by_index, setti_link_to(reference.index));
            if (node != SETTI_NONE) {
                memcpy(bytes, &recipe->copies[node], sizeof(reference));
            }
        }
    }
}

/* Attaches, links and names the copies. Then runs callbacks. */
SETTI_INLINE void recipe_finish(sett_world* world, const prefab_recipe* recipe, uint32_t count,
                                const setti_clone_desc* instance)
{
    SETTI_ASSERT(instance->into_count == 0 || sett_equals(recipe->copies[0], instance->into[0]));
    if (!sett_is_null(instance->parent)) {
        setti_hierarchy_append(world, recipe->copies[0].index, instance->parent.index);
    }
    for (uint32_t k = 0; k < count; k++) {
        const recipe_node* node = &recipe->nodes[k];
        if (node->has_references) {
            recipe_remap(world, recipe, &recipe->edits[k], recipe->copies[k].index);
        }
        if (node->derives) {
            (void)setti_chain_link(
                setti_relation_of_links(world->module_type[SETTI_MODULE_TYPE_INSTANCE_OF]),
                recipe->copies[k].index, setti_entity_at(&world->entities, node->index));
        }
        uint64_t name = k == 0 ? instance->name : node->name;
        if (name != 0) {
            setti_name_give(world, recipe->copies[k].index, name);
        }
    }
    for (uint32_t k = 0; k < count; k++) {
        setti_edit_notify_entering(world, &recipe->edits[k]);
    }
}

/* Makes an instance of a prefab without children and names. */
static bool recipe_make_one(sett_world* world, prefab_recipe* recipe,
                            const setti_clone_desc* instance, sett_entity* out)
{
    recipe_link_copies(world, recipe, 1, instance);
    if (!setti_edit_begin(world, &recipe->edits[0])) {
        return false;
    }
    *out = recipe->copies[0];
    recipe_finish(world, recipe, 1, instance);
    return true;
}

/* Creates the copies. Runs no callbacks for new components. */
static void recipe_commit(sett_world* world, prefab_recipe* recipe,
                          const setti_clone_desc* instance)
{
    recipe_link_copies(world, recipe, recipe->node_count, instance);
    if (instance->into_count != 0) {
        recipe->copies[0] = instance->into[0];
        setti_edit_notify_leaving(world, &recipe->edits[0]);
    }
    for (uint32_t k = 0; k < recipe->node_count; k++) {
        setti_edit_commit(world, &recipe->edits[k]);
    }
}

/* Makes an instance of any prefab with a recipe. Returns false if memory runs out. */
static bool recipe_make_all(sett_world* world, prefab_recipe* recipe,
                            const setti_clone_desc* instance, sett_entity* out)
{
    setti_edit_pin(world);
    bool reserved = recipe_reserve(world, recipe, instance);
    if (reserved) {
        recipe_commit(world, recipe, instance);
    }
    setti_edit_unpin(world);
    if (reserved) {
        *out = recipe->copies[0];
        recipe_finish(world, recipe, recipe->node_count, instance);
    }
    return reserved;
}

bool setti_recipe_run(sett_world* world, const setti_clone_desc* instance, sett_entity* out)
{
    setti_edit_part room[RECIPE_ROOT_MOST];
    prefab_recipe* recipe = recipe_find(world, instance->root);
    bool is_observed = instance->into_count != 0 && world->upward_observers != 0;
    if (recipe == NULL || instance->into_count > 1 || is_observed) {
        return false;
    }
    if (!sett_is_null(instance->parent)) {
        const sett_hierarchy* parent_node = setti_hierarchy_find(world, instance->parent.index);
        if (parent_node == NULL || parent_node->children >= SETTI_CHILDREN_LIMIT) {
            return false;
        }
    }
    /* The last instance may have changed the root's edit. */
    recipe->edits[0].added = recipe->parts;
    recipe->edits[0].added_count = recipe->nodes[0].part_count;
    recipe->edits[0].to = recipe->nodes[0].copy_signature;
    recipe->edits[0].creates = instance->into_count == 0;
    if (!recipe_begin_root(world, recipe, instance, room)) {
        return false;
    }
    bool has_names = recipe->named != 0 || instance->name != 0;
    if (recipe->node_count == 1 && instance->into_count == 0 && !has_names) {
        return recipe_make_one(world, recipe, instance, out);
    }
    return recipe_make_all(world, recipe, instance, out);
}

/* clone.c: copies of an entity, or of a subtree.
 *
 * The workload: a hundred thousand instances of one prefab at once, and one at a time while a game
 * runs. So it works node by node and not copy by copy: all copies of one node are created in bulk,
 * with neighbouring indices, and each type's values are written page by page.
 *
 *     nodes      root | child | child's child | ...          parents first
 *     edits      Position Sprite | Position | ...            what the copies of each node get
 *     copies     root 0 1 2 .. count-1 | child 0 1 2 .. | ...
 *
 * All memory is reserved before the first entity exists. Then the copies are created, attached and
 * linked; callbacks run last, when everything that the copies refer to exists. Components of
 * relationships are created with the rest, without a target, and linked afterwards; so are the
 * "sources" components of copies that other copies link to. Entities outside have theirs already.
 *
 * Invariant:  a reference, a link or a parent of a copy is the copy, with the same number, of what
 * the original's is, if that is copied too;  else the same within a world, none in another
 */
#include "relation/clone.h"

#include "relation/links.h"
#include "relation/name_table.h"

static void* clone_alloc(const setti_clone* clone, size_t count, size_t size)
{
    size_t bytes;
    bool fits = setti_multiply(SETTI_MAX(count, 1), size, &bytes);
    return fits ? setti_pool_alloc(&clone->to->pool, bytes, 16) : NULL;
}

static void clone_free(const setti_clone* clone, const void* piece, size_t count, size_t size)
{
    setti_pool_free(&clone->to->pool, setti_unconst(piece), SETTI_MAX(count, 1) * size, 16);
}

static sett_status clone_no_memory(const setti_clone* clone)
{
    return setti_world_fail(clone->to, SETT_STATUS_OUT_OF_MEMORY, clone->call, sett_null(), 0);
}

/* Walks the types of an entity, the dont_fragment ones last; starts with *cursor = 0, ends with
 * NULL. */
static setti_type* clone_next_type(const setti_clone* clone, const setti_clone_node* node,
                                   uint32_t* cursor)
{
    SETTI_ASSERT(setti_entity_page_of(&clone->from->entities, node->index) != NULL);
    const sett_world* from = clone->from;
    const setti_entity_page* page = setti_entity_page_of(&from->entities, node->index);
    uint32_t set = page->signature[node->index & SETTI_ENTITY_MASK];
    uint32_t count = set != 0 ? from->signatures.record[set].count : 0;
    if (*cursor < count) {
        return from->types[from->signatures.record[set].types[(*cursor)++]];
    }
    while (*cursor - count < from->dont_fragment.count) {
        setti_type* type = from->dont_fragment.item[(*cursor)++ - count];
        if (setti_storage_has(&type->storage, node->index)) {
            return type;
        }
    }
    return NULL;
}

/* The node of an entity that is copied, SETTI_NONE for others. */
static uint32_t clone_node_of(const setti_clone* clone, sett_entity entity)
{
    if (!setti_entity_is_current(&clone->from->entities, entity)) {
        return SETTI_NONE;
    }
    if (clone->node_count == 1) {
        return clone->nodes[0].index == entity.index ? 0 : SETTI_NONE;
    }
    return setti_hash_map_find(&clone->by_index, (uint64_t)entity.index + 1);
}

/* ---------------------------------------------------------------------------------------- links */

/* A walk over the links of one type that the copies of a node get. */
typedef struct clone_links {
    setti_relation* relation; /* of `from` */
    sett_link_cursor cursor;
    sett_entity target;
    uint32_t node; /* of the target, SETTI_NONE: it is not copied */
} clone_links;

static clone_links clone_links_begin(setti_relation* relation)
{
    clone_links links;
    memset(&links, 0, sizeof(links));
    links.relation = relation;
    return links;
}

static bool clone_links_next(const setti_clone* clone, const setti_clone_node* node,
                             clone_links* links)
{
    sett_entity source = setti_entity_at(&clone->from->entities, node->index);
    /* Instances are linked to the node itself, whatever the node is an instance of. */
    bool none = links->relation == clone->instances && node->derives;
    do {
        links->target = none ? sett_null()
                             : sett_target_next(clone->from, source, links->relation->links->id,
                                                &links->cursor);
        if (sett_is_null(links->target)) {
            return false;
        }
        links->node = clone_node_of(clone, links->target);
    } while (links->node == SETTI_NONE && clone->from != clone->to);
    return true;
}

/* Calls `visit` for each link of a node that its copies get; false as soon as it says so. */
static bool clone_each_link(setti_clone* clone, setti_clone_node* node,
                            bool (*visit)(setti_clone* clone, setti_clone_node* node,
                                          const clone_links* links))
{
    uint32_t cursor = 0;
    setti_type* type;
    while ((type = clone_next_type(clone, node, &cursor)) != NULL) {
        if (type->relation != NULL) {
            clone_links links = clone_links_begin(type->relation);
            while (clone_links_next(clone, node, &links)) {
                if (!visit(clone, node, &links)) {
                    return false;
                }
            }
        }
    }
    return true;
}

/* -------------------------------------------------------------------------------------- mapping */

static bool clone_is_same(const setti_type* a, const setti_type* b)
{
    const setti_relation* r = a->relation;
    const setti_relation* s = b->relation;
    return a->desc.size == b->desc.size && a->desc.align == b->desc.align &&
           a->desc.layout_version == b->desc.layout_version && (r == NULL) == (s == NULL) &&
           (r == NULL || (r->many == s->many && r->data_size == s->data_size));
}

/* The type that copies get for one of `from`: by name in another world. NULL if that has none, and
 * says so. */
static setti_type* clone_map(const setti_clone* clone, setti_type* type)
{
    if (clone->from == clone->to) {
        return type;
    }
    setti_type* to = setti_world_type(clone->to, sett_component_find(clone->to, type->desc.name));
    if (to != NULL && clone_is_same(type, to)) {
        return to;
    }
    setti_world_fail_with(clone->to, to == NULL ? SETT_STATUS_UNREGISTERED : SETT_STATUS_CONFLICT,
                          "%s: \"%.100s\" is %s in the other world", clone->call, type->desc.name,
                          to == NULL ? "not registered"
                                     : "of another size, alignment, version or kind");
    return NULL;
}

/* ------------------------------------------------------------------------------------ gathering */

/* What follows in the subtree. */
static sett_entity clone_walk(const setti_clone* clone, sett_entity root, sett_entity at)
{
    return clone->alone ? sett_null() : sett_hierarchy_walk(clone->from, root, at);
}

/* Lists the entities to be copied. */
static sett_status clone_gather(setti_clone* clone, sett_entity root)
{
    const setti_entity_table* table = &clone->to->entities;
    for (sett_entity at = root; !sett_is_null(at); at = clone_walk(clone, root, at)) {
        clone->node_count++;
    }
    uint64_t made = (uint64_t)clone->node_count * clone->count - !sett_is_null(clone->into);
    if (made > table->limit - setti_entity_taken(table)) {
        return setti_world_fail(clone->to, SETT_STATUS_LIMIT, clone->call, sett_null(), 0);
    }
    clone->nodes = clone_alloc(clone, clone->node_count, sizeof(*clone->nodes));
    if (clone->nodes == NULL) {
        return clone_no_memory(clone);
    }
    memset(clone->nodes, 0, clone->node_count * sizeof(*clone->nodes));
    uint32_t k = 0;
    for (sett_entity at = root; !sett_is_null(at); at = clone_walk(clone, root, at), k++) {
        setti_clone_node* node = &clone->nodes[k];
        node->index = at.index;
        node->lead = SETTI_NONE;
        node->derives = clone->instances != NULL && k == 0;
        node->edit.count = clone->count;
        node->edit.repeat = true;
        node->edit.begins = k != 0 || sett_is_null(clone->into);
        if (clone->node_count > 1 &&
            !setti_hash_map_set(&clone->to->pool, &clone->by_index, (uint64_t)at.index + 1, k)) {
            return clone_no_memory(clone);
        }
    }
    return SETT_OK;
}

/* Finds out whether the copies of a node share values with it. */
static void clone_measure(setti_clone* clone, setti_clone_node* node)
{
    uint32_t cursor = 0;
    const setti_type* type;
    while (clone->instances != NULL && !node->derives &&
           (type = clone_next_type(clone, node, &cursor)) != NULL) {
        node->derives = (type->flags & SETTI_TYPE_SHARED) != 0;
    }
}

static bool clone_count_lead(setti_clone* clone, setti_clone_node* node, const clone_links* links)
{
    (void)node;
    clone->lead_room += links->node != SETTI_NONE;
    return true;
}

static bool clone_add_lead(setti_clone* clone, setti_clone_node* node, const clone_links* links)
{
    (void)node;
    if (links->node == SETTI_NONE) {
        return true;
    }
    setti_type* sources = clone_map(clone, links->relation->sources);
    clone->leads[clone->lead_count].sources = sources;
    clone->leads[clone->lead_count].next = clone->nodes[links->node].lead;
    clone->nodes[links->node].lead = clone->lead_count++;
    return sources != NULL;
}

/* Collects the links between nodes, and reserves memory for the plan. */
static sett_status clone_survey(setti_clone* clone)
{
    for (uint32_t k = 0; k < clone->node_count; k++) {
        clone_measure(clone, &clone->nodes[k]);
    }
    for (uint32_t k = 0; k < clone->node_count; k++) {
        (void)clone_each_link(clone, &clone->nodes[k], clone_count_lead);
    }
    clone->leads = clone_alloc(clone, clone->lead_room, sizeof(*clone->leads));
    if (clone->leads == NULL) {
        return clone_no_memory(clone);
    }
    for (uint32_t k = 0; k < clone->node_count; k++) {
        if (!clone_each_link(clone, &clone->nodes[k], clone_add_lead)) {
            return clone->to->error;
        }
    }
    return SETT_OK;
}

/* ------------------------------------------------------------------------------------- planning */

/* A copy that becomes a sibling of its original keeps its name only in another world. */
bool setti_clone_keeps_name(const setti_clone* clone, const setti_clone_node* node)
{
    return setti_name_key(clone->from, node->index) != 0 &&
           (node != clone->nodes || clone->from != clone->to);
}

/* Whether copies of a node get one of its types. */
static bool clone_keeps(const setti_clone* clone, const setti_clone_node* node,
                        const setti_type* type)
{
    const sett_world* from = clone->from;
    if (type->relation_of_sources != NULL) {
        return false; /* others lead here: see leads */
    }
    if (type->relation != NULL) {
        clone_links links = clone_links_begin(type->relation);
        return clone_links_next(clone, node, &links);
    }
    if (from->name_table != NULL && type == from->name_table->type) {
        return setti_clone_keeps_name(clone, node);
    }
    return clone->instances == NULL ||
           ((type->flags & SETTI_TYPE_SHARED) == 0 && type != from->hidden[SETTI_HIDDEN_PREFAB]);
}

/* Whether a type's values can be copied, and are not the library's own to be made anew. */
static bool clone_copies_value(const setti_clone* clone, const setti_type* type,
                               const setti_type* to)
{
    const sett_world* from = clone->from;
    bool owns = to->desc.copy == NULL && to->desc.deinit != NULL;
    return !owns && type->relation == NULL && type->storage.size != 0 &&
           (from->hierarchy == NULL || type != from->hierarchy->type) &&
           (from->name_table == NULL || type != from->name_table->type);
}

/* Adds what the root's copy gets beside, in place of the original's values. */
static sett_status clone_plan_given(setti_clone* clone, setti_edit* edit)
{
    for (uint32_t k = 0; k < clone->given_count; k++) {
        setti_type* type = setti_world_type(clone->to, clone->given[k].component);
        if (type == NULL) {
            return setti_world_fail(clone->to, SETT_STATUS_UNREGISTERED, clone->call, sett_null(),
                                    clone->given[k].component);
        }
        if (type->cascade != NULL) {
            return setti_world_fail_with(clone->to, SETT_STATUS_ARGUMENT,
                                         "%s: \"%.100s\" is written by the library only - leave it "
                                         "out of the values",
                                         clone->call, type->desc.name);
        }
        setti_edit_part* part = setti_edit_include(clone->to, edit, type);
        if (part == NULL) {
            return clone_no_memory(clone);
        }
        part->origin = NULL;
        part->value = clone->given[k].value;
    }
    bool done = (sett_is_null(clone->parent) ||
                 setti_edit_include(clone->to, edit, clone->to->hierarchy->type) != NULL) &&
                (clone->name == 0 ||
                 setti_edit_include(clone->to, edit, clone->to->name_table->type) != NULL);
    return done ? SETT_OK : clone_no_memory(clone);
}

/* Adds one type of a node, with its value. */
static sett_status clone_plan_type(setti_clone* clone, setti_clone_node* node, setti_type* type)
{
    setti_type* to = clone_map(clone, type);
    if (to == NULL) {
        return clone->to->error;
    }
    setti_edit_part* part = setti_edit_include(clone->to, &node->edit, to);
    if (part == NULL) {
        return clone_no_memory(clone);
    }
    part->origin = clone_copies_value(clone, type, to) ? &type->storage : NULL;
    part->source = node->index;
    return SETT_OK;
}

static sett_status clone_plan_node(setti_clone* clone, setti_clone_node* node)
{
    uint32_t cursor = 0;
    setti_type* type;
    sett_status status = SETT_OK;
    while (status == SETT_OK && (type = clone_next_type(clone, node, &cursor)) != NULL) {
        if (clone_keeps(clone, node, type)) {
            status = clone_plan_type(clone, node, type);
        }
    }
    bool done = true;
    for (uint32_t k = node->lead; done && k != SETTI_NONE; k = clone->leads[k].next) {
        done = setti_edit_include(clone->to, &node->edit, clone->leads[k].sources) != NULL;
    }
    if (done && node->derives) {
        done = setti_edit_include(clone->to, &node->edit, clone->instances->links) != NULL;
    }
    if (status == SETT_OK && !done) {
        status = clone_no_memory(clone);
    }
    return status == SETT_OK && node == clone->nodes ? clone_plan_given(clone, &node->edit)
                                                     : status;
}

/* Reserves records for the links of copies. */
static bool clone_claim_record(setti_clone* clone, setti_clone_node* node, const clone_links* links)
{
    setti_relation* relation = clone_map(clone, links->relation->links)->relation;
    (void)node;
    return !relation->many || setti_chain_claim(relation, clone->count);
}

/* Finds which names copies get, and reserves memory for them. */
static bool clone_reserve_names(setti_clone* clone)
{
    uint64_t count = 0;
    for (uint32_t k = 0; clone->from->name_table != NULL && k < clone->node_count; k++) {
        setti_clone_node* node = &clone->nodes[k];
        if (!setti_clone_keeps_name(clone, node)) {
            continue;
        }
        node->name = setti_name_key(clone->from, node->index);
        if (clone->from != clone->to) {
            const char* text =
                setti_text_of(clone->from, &clone->from->name_table->texts, node->name);
            node->name =
                setti_text_add(clone->to, &clone->to->name_table->texts, text, strlen(text));
            if (node->name == 0) {
                return false;
            }
        }
        count += clone->count;
    }
    if (clone->name != 0) {
        clone->nodes[0].name = clone->name;
        count++;
    }
    return count == 0 || (count < UINT32_MAX && setti_name_reserve(clone->to, (uint32_t)count));
}

/* Reserves memory for the parent to have children. */
static bool clone_reserve_parent(setti_clone* clone)
{
    if (sett_is_null(clone->parent) ||
        setti_hierarchy_find(clone->to, clone->parent.index) != NULL) {
        return true;
    }
    setti_type* type = clone->to->hierarchy->type;
    uint32_t signature = *setti_entity_signature(&clone->to->entities, clone->parent);
    clone->parent_joins = true;
    return setti_change_reserve_add(clone->to, type, clone->parent.index, &signature);
}

/* Prepares and reserves all that creating the copies needs. */
static sett_status clone_reserve(setti_clone* clone)
{
    sett_status status = SETT_OK;
    if (!clone_reserve_names(clone) || !clone_reserve_parent(clone)) {
        return clone_no_memory(clone);
    }
    uint32_t from = clone->to->entities.hint * 64;
    for (uint32_t k = 0; k < clone->node_count && status == SETT_OK; k++) {
        setti_clone_node* node = &clone->nodes[k];
        if (!clone_each_link(clone, node, clone_claim_record)) {
            return clone_no_memory(clone);
        }
        /* The prefab gets its list of instances, the first time. */
        if (node->derives && !setti_chain_reserve_target(clone->instances, node->index)) {
            return clone_no_memory(clone);
        }
        status = setti_edit_reserve(clone->to, &node->edit, &from);
        if (status != SETT_OK) {
            setti_world_fail(clone->to, status, clone->call, sett_null(), 0);
        }
    }
    clone->to->claim_from = from; /* callbacks may record creations before all copies exist */
    return status;
}

/* --------------------------------------------------------------------------------------- making */

/* Writes what a reference in a copy is: `k` is the copy's number. */
static void clone_remap(const setti_clone* clone, unsigned char* at, uint32_t k)
{
    sett_entity reference;
    memcpy(&reference, at, sizeof(reference));
    uint32_t node = sett_is_null(reference) ? SETTI_NONE : clone_node_of(clone, reference);
    if (node != SETTI_NONE) {
        reference = clone->nodes[node].copies[k];
    } else if (clone->from != clone->to) {
        reference = sett_null();
    }
    memcpy(at, &reference, sizeof(reference));
}

/* Remaps the references in all copies of a node's values. */
static void clone_remap_node(const setti_clone* clone, const setti_clone_node* node)
{
    for (uint32_t s = 0; s < node->edit.added_count; s++) {
        const setti_type* type = node->edit.added[s].type;
        if (node->edit.added[s].origin == NULL || type->desc.entity_offset_count == 0) {
            continue;
        }
        for (uint32_t k = 0; k < clone->count; k++) {
            unsigned char* value = setti_storage_find(&type->storage, node->copies[k].index);
            for (uint32_t n = 0; n < type->desc.entity_offset_count; n++) {
                clone_remap(clone, value + type->desc.entity_offsets[n], k);
            }
        }
    }
}

static bool clone_make_link(setti_clone* clone, setti_clone_node* node, const clone_links* links)
{
    SETTI_ASSERT(clone->count != 0);
    setti_relation* relation = clone_map(clone, links->relation->links)->relation;
    for (uint32_t k = 0; k < clone->count; k++) {
        sett_entity target =
            links->node != SETTI_NONE ? clone->nodes[links->node].copies[k] : links->target;
        unsigned char* made = setti_chain_link(relation, node->copies[k].index, target);
        memcpy(made, links->cursor.data, relation->data_size);
        const sett_component_desc* data = &relation->data_type->desc;
        for (uint32_t n = 0; n < data->entity_offset_count; n++) {
            clone_remap(clone, made + data->entity_offsets[n], k);
        }
    }
    return true;
}

/* Attaches the copies of a node to the copies of its parent; those of the root become siblings of
 * the original, or roots, if they are instances or in another world. */
static void clone_place(const setti_clone* clone, const setti_clone_node* node)
{
    const sett_hierarchy* place = setti_hierarchy_find(clone->from, node->index);
    if (place == NULL) {
        return;
    }
    sett_entity parent = place->parent != 0
                             ? setti_entity_at(&clone->from->entities, place->parent - 1)
                             : sett_null();
    uint32_t above = sett_is_null(parent) ? SETTI_NONE : clone_node_of(clone, parent);
    bool beside = above == SETTI_NONE && clone->from == clone->to && clone->instances == NULL;
    uint32_t policy = place->children & SETTI_POLICY;
    for (uint32_t k = 0; k < clone->count; k++) {
        if (policy != 0) {
            (void)sett_hierarchy_set_policy(clone->to, node->copies[k],
                                            (sett_children_policy)policy);
        }
        if (above != SETTI_NONE) {
            (void)sett_hierarchy_attach(clone->to, node->copies[k], clone->nodes[above].copies[k]);
        } else if (beside && !sett_is_null(parent)) {
            (void)sett_hierarchy_attach(clone->to, node->copies[k], parent);
        }
    }
}

/* Everything is reserved: nothing can fail from here on. */
static void clone_make(setti_clone* clone)
{
    if (clone->parent_joins) {
        (void)setti_change_add_reserved(clone->to, clone->to->hierarchy->type, clone->parent);
    }
    for (uint32_t k = 0; k < clone->node_count; k++) {
        setti_clone_node* node = &clone->nodes[k];
        if (node->derives) {
            setti_chain_make_target(clone->instances,
                                    setti_entity_at(&clone->from->entities, node->index));
        }
        setti_edit_commit_many(clone->to, &node->edit);
    }
    for (uint32_t k = 0; k < clone->node_count; k++) {
        setti_clone_node* node = &clone->nodes[k];
        clone_remap_node(clone, node);
        if (node->derives) {
            setti_chain_link_many(clone->instances, node->copies, clone->count,
                                  setti_entity_at(&clone->from->entities, node->index));
        }
        (void)clone_each_link(clone, node, clone_make_link);
        clone_place(clone, node);
        if (k == 0 && !sett_is_null(clone->parent)) {
            (void)sett_hierarchy_attach(clone->to, node->copies[0], clone->parent);
        }
        for (uint32_t c = 0; node->name != 0 && c < clone->count; c++) {
            setti_name_give(clone->to, node->copies[c].index, node->name);
        }
    }
    for (uint32_t k = 0; k < clone->node_count; k++) {
        setti_edit_notify_entering(clone->to, &clone->nodes[k].edit);
    }
}

void setti_clone_release(setti_clone* clone)
{
    for (uint32_t k = 0; clone->nodes != NULL && k < clone->node_count; k++) {
        setti_edit_free(clone->to, &clone->nodes[k].edit);
    }
    clone->to->claim_from = 0;
    for (setti_relation* at = clone->to->relations; at != NULL; at = at->next) {
        at->claimed = 0;
    }
    setti_hash_map_deinit(&clone->to->pool, &clone->by_index);
    clone_free(clone, clone->nodes, clone->node_count, sizeof(*clone->nodes));
    clone_free(clone, clone->copies, clone->copy_room, sizeof(*clone->copies));
    clone_free(clone, clone->leads, clone->lead_room, sizeof(*clone->leads));
}

/* Names are reserved before entities have them: their texts are not garbage meanwhile. */
static void clone_hold_texts(const setti_clone* clone, int by)
{
    if (clone->to->name_table != NULL) {
        clone->to->name_table->texts.hold += (uint32_t)by;
    }
}

sett_status setti_clone_plan(setti_clone* clone, sett_entity root)
{
    sett_status status = clone_gather(clone, root);
    if (status == SETT_OK) {
        status = clone_survey(clone);
    }
    for (uint32_t k = 0; k < clone->node_count && status == SETT_OK; k++) {
        status = clone_plan_node(clone, &clone->nodes[k]);
    }
    return status;
}

/* Gives the nodes room for their copies. */
static sett_status clone_make_room(setti_clone* clone, sett_entity* out)
{
    clone->copy_room = (size_t)(clone->node_count - (out != NULL)) * clone->count;
    clone->copies = clone_alloc(clone, clone->copy_room, sizeof(*clone->copies));
    if (clone->copies == NULL) {
        return clone_no_memory(clone);
    }
    sett_entity* copies = out != NULL ? out : clone->copies;
    for (uint32_t k = 0; k < clone->node_count; k++) {
        clone->nodes[k].copies = clone->nodes[k].edit.entities = copies;
        copies = copies == out ? clone->copies : copies + clone->count;
    }
    if (!sett_is_null(clone->into)) {
        clone->nodes[0].copies[0] = clone->into;
    }
    return SETT_OK;
}

sett_status setti_clone_run(setti_clone* clone, sett_entity root, sett_entity* out)
{
    SETTI_ASSERT(clone->count != 0 && clone->nodes == NULL);
    if ((clone->from->hierarchy != NULL && clone->to->hierarchy == NULL &&
         sett_hierarchy_register(clone->to, NULL) == 0) ||
        (clone->from->name_table != NULL && clone->to->name_table == NULL &&
         sett_name_register(clone->to) == 0)) {
        return clone->to->error;
    }
    setti_edit_settle(clone->to);
    clone_hold_texts(clone, 1);
    sett_status status = setti_clone_plan(clone, root);
    if (status == SETT_OK) {
        status = clone_make_room(clone, out);
    }
    if (status == SETT_OK) {
        status = clone_reserve(clone);
    }
    if (status == SETT_OK) {
        clone_make(clone);
    } else {
        setti_edit_unclaim(clone->to);
    }
    clone_hold_texts(clone, -1);
    setti_clone_release(clone);
    return status;
}

/* relationship.c: adds, removes and finds links. chain.c has the lists of links, and cleanup.c
 * handles destroyed entities.
 *
 * Any call may remove a source's component: the cascade removes the links from the lists. Only this
 * file adds the component, because a link also changes the target. Memory for the changes of both
 * entities is reserved first.
 *
 * Invariant:  an entity has the component  <=>  it has at least one target;
 *             an entity that is a target has the "<name> sources" component
 */
#include "relation/chain.h"
#include "sett/members.h"
#include "world/command.h"

#include <stdio.h>

#define RECORD_PAGE ((size_t)16 << 10) /* limit of a page in bytes; but 16 records always fit */

static const char relation_register_call[] = "sett_relationship_register";

/* The copy hook of links. Copies only data, because sett_relate sets the target. */
static void links_copy(void* copies, const void* originals, uint32_t count, void* user)
{
    const setti_relation* relation = user;
    size_t size = relation->links->storage.size;
    if (relation->many) {
        return; /* the data are in records */
    }
    for (uint32_t k = 0; k < count; k++) {
        size_t offset = k * size + relation->layout.data;
        memcpy((unsigned char*)copies + offset, (const unsigned char*)originals + offset,
               relation->data_size);
    }
}

/* Writes a link's data if `data` is not NULL. */
static void relation_write(const setti_relation* relation, void* link_data, const void* data)
{
    if (data != NULL && relation->data_size != 0) {
        memcpy(link_data, data, relation->data_size);
    }
}

/* Computes where records, and the data in links, are. */
static void relation_lay_out(setti_relation* relation, const sett_component_desc* data)
{
    size_t head_size = relation->many ? sizeof(setti_chain_record) : sizeof(sett_link);
    size_t align = SETTI_MAX(data->align, sizeof(uint32_t));
    size_t data_begin = setti_align_up(head_size, align);
    size_t size = setti_align_up(data_begin + data->size, align);
    uint32_t shift = 10; /* at most 1,024 records in a page, at least 16 */
    while (shift > 4 && size << shift > RECORD_PAGE) {
        shift--;
    }
    setti_pages_init(&relation->records, size << shift, SETTI_MAX(align, 64)); /* cache lines */
    relation->data_size = (uint32_t)data->size;
    relation->layout = (setti_records){
        .pages = &relation->records,
        .count = &relation->record_count,
        .root = &relation->root,
        .listed = offsetof(sett_links, count),
        .first = offsetof(sett_links, first_),
        .next = offsetof(setti_chain_record, by_source) + offsetof(sett_chain_, next),
        .shift = shift,
        .size = (uint32_t)size,
        .source = offsetof(setti_chain_record, source),
        .target = offsetof(setti_chain_record, link) + offsetof(sett_link, target),
        .data = (uint32_t)data_begin};
}

/* Comparisons and hashes leave out local members: the neighbours in lists and the ends of lists. */
static const sett_struct* const link_members =
    SETT_STRUCT(sett_link, target, (chain_, .element = SETT_MEMBER_OPAQUE, .local = true));
static const sett_struct* const list_members =
    SETT_STRUCT(sett_links, count, (first_, .local = true), (last_, .local = true));

static sett_component relation_register_sources(sett_world* world, const char* name)
{
    char text[256];
    snprintf(text, sizeof(text), "%.240s sources", name);
    const setti_type* known = setti_type_find(world, text);
    if (known != NULL && !setti_component_is_type(known, sizeof(sett_links), "sett_links")) {
        setti_world_fail_with(world, SETT_STATUS_CONFLICT,
                              "%s: relationship \"%.100s\" cannot have its component \"%.110s\", "
                              "because another component has this name - choose another name",
                              relation_register_call, name, text);
        return 0;
    }
    sett_component_desc desc = {.name = text,
                                .id = setti_component_own_id(world, text),
                                .type_name = "sett_links",
                                .size = sizeof(sett_links),
                                .align = sizeof(uint32_t),
                                .members = list_members};
    return sett_component_register(world, &desc);
}

/* Describes an exclusive link. The first member is the sett_link, and the members of the data
 * follow. */
static void relation_fill_members(const setti_relation* relation, sett_member* member)
{
    const sett_struct* data = relation->data_type->desc.members;
    member[0] = (sett_member){.name = "link", .size = sizeof(sett_link), .of = link_members};
    if (data == NULL) {
        return;
    }
    for (uint32_t k = 0; k < data->count; k++) {
        member[k + 1] = data->members[k];
        member[k + 1].offset += relation->layout.data;
    }
}

/* Fills the mask of an exclusive link: the target and the data are compared, the neighbours are
 * not. */
static void relation_fill_mask(const setti_relation* relation, unsigned char* mask)
{
    const sett_component_desc* data = &relation->data_type->desc;
    memset(mask, 255, sizeof(sett_entity)); /* the target */
    if (data->mask != NULL) {
        memcpy(mask + relation->layout.data, data->mask, data->size);
    } else {
        memset(mask + relation->layout.data, 255, data->size);
    }
}

/* Describes the value of an exclusive link by members, or by a mask. The caller frees `*memory`.
 * Returns false if memory runs out. */
static bool relation_describe_value(const setti_relation* relation, sett_struct* structure,
                                    sett_component_desc* desc, void** memory, size_t* memory_size)
{
    SETTI_ASSERT(!relation->many);
    const sett_component_desc* data = &relation->data_type->desc;
    bool has_members = data->size == 0 || data->members != NULL;
    uint32_t member_count = data->members != NULL ? data->members->count : 0;
    *memory_size = relation->layout.size;
    if (has_members) {
        *memory_size = (member_count + 1) * sizeof(sett_member); /* the first describes the link */
    }
    *memory = setti_pool_alloc(&relation->world->pool, *memory_size, 16);
    if (*memory == NULL) {
        return false;
    }
    if (has_members) {
        relation_fill_members(relation, *memory);
        *structure = (sett_struct){desc->name, relation->layout.size, member_count + 1, *memory,
                                   sett_members_link_};
        desc->members = structure;
    } else {
        memset(*memory, 0, *memory_size);
        relation_fill_mask(relation, *memory);
        desc->mask = *memory;
    }
    return true;
}

static sett_component relation_register_links(setti_relation* relation,
                                              const sett_relationship_desc* given)
{
    sett_struct structure;
    void* memory = NULL;
    size_t memory_size = 0;
    sett_component_desc desc = {.name = given->name,
                                .type_name = relation->many ? "sett_links" : NULL,
                                .id = given->id,
                                .storage = given->storage,
                                .size = relation->many ? sizeof(sett_links) : relation->layout.size,
                                .align = sizeof(uint32_t),
                                .members = list_members,
                                .copy = links_copy,
                                .user = relation};
    if (!relation->many) {
        desc.align = SETTI_MAX(relation->data_type->desc.align, sizeof(uint32_t));
        desc.members = NULL;
        if (!relation_describe_value(relation, &structure, &desc, &memory, &memory_size)) {
            setti_world_no_memory(relation->world, relation_register_call);
            return 0;
        }
    }
    sett_component id = sett_component_register(relation->world, &desc);
    setti_pool_free(&relation->world->pool, memory, memory_size, 16);
    return id;
}

/* Returns true if two relations have the same options and the same data. The members of the data
 * may be described for `a` only. */
static bool relation_is_same(const setti_relation* a, const setti_relation* b)
{
    if (a->many != b->many || a->desc.acyclic != b->desc.acyclic) {
        return false;
    }
    if (a->desc.transitive != b->desc.transitive || a->desc.reflexive != b->desc.reflexive) {
        return false;
    }
    if (a->desc.on_target_destroyed != b->desc.on_target_destroyed ||
        a->desc.on_source_destroyed != b->desc.on_source_destroyed) {
        return false;
    }
    if (a->data_type->members == NULL && b->data_type->members != NULL) {
        return false;
    }
    char list[SETTI_MESSAGE_SIZE];
    setti_writer writer = setti_writer_begin(list, sizeof(list));
    setti_component_differences(&writer, &a->data_type->desc, &b->data_type->desc);
    return writer.length == 0;
}

static const char* relation_check_desc(const sett_relationship_desc* desc)
{
    if (desc->size > (size_t)1 << 16) {
        return "`size` is more than 64 KB - use less data";
    }
    if ((unsigned)desc->on_target_destroyed > SETT_CLEANUP_REJECT) {
        return "`on_target_destroyed` has an unknown value - use SETT_CLEANUP_REMOVE, _DESTROY or "
               "_REJECT";
    }
    if ((unsigned)desc->on_source_destroyed > SETT_CLEANUP_REJECT) {
        return "`on_source_destroyed` has an unknown value - use SETT_CLEANUP_REMOVE, _DESTROY or "
               "_REJECT";
    }
    if (desc->acyclic && desc->many) {
        return "`acyclic` needs one target for each source - leave out `many`";
    }
    return NULL;
}

static void relation_free(setti_relation* relation)
{
    setti_pool* pool = &relation->world->pool;
    if (relation->data_type != NULL) {
        setti_component_free_parts(pool, setti_unconst(relation->data_type));
    }
    setti_pool_free(pool, relation, sizeof(*relation), 16);
}

/* Makes a relation without the components `links` and `sources`. Returns NULL on failure. */
static setti_relation* relation_make(sett_world* world, const sett_relationship_desc* desc)
{
    sett_component_desc data = {.name = desc->name,
                                .type_name = desc->type_name,
                                .size = desc->size,
                                .align = desc->align,
                                .mask = desc->mask,
                                .entity_offsets = desc->entity_offsets,
                                .entity_offset_count = desc->entity_offset_count,
                                .members = desc->members};
    setti_relation* relation =
        setti_world_alloc(world, sizeof(*relation), 16, relation_register_call);
    if (relation == NULL) {
        return NULL;
    }
    relation->world = world;
    relation->desc = *desc;
    relation->many = desc->many;
    relation->data_type = setti_component_make_part(world, &data, relation_register_call);
    if (relation->data_type == NULL) {
        relation_free(relation);
        return NULL;
    }
    relation_lay_out(relation, &data);
    return relation;
}

/* Returns the relation of a component of sources, or of a component of targets. */
static const setti_relation* relation_of_either(const setti_type* type)
{
    if (type->links != NULL) {
        return setti_relation_of_links(type);
    }
    return setti_relation_of_ends(type);
}

sett_status setti_relation_join(sett_world* to_world, const setti_relation* relation,
                                const sett_component_desc* data)
{
    const setti_type* links = relation->links;
    sett_relationship_desc desc = relation->desc;
    desc.name = data->name;
    desc.type_name = data->type_name;
    desc.id = setti_world_type(to_world, links->id) == NULL ? links->id : 0;
    desc.storage = links->desc.storage;
    desc.size = data->size;
    desc.align = data->align;
    desc.mask = data->mask;
    desc.members = data->members;
    desc.entity_offsets = data->entity_offsets;
    desc.entity_offset_count = data->entity_offset_count;
    setti_type* joined = setti_world_type(to_world, sett_relationship_register(to_world, &desc));
    if (joined == NULL) {
        return to_world->error;
    }
    const sett_component_desc* named = data->old_names != NULL ? data : &links->desc;
    return setti_component_rename(to_world, joined, named, relation_register_call);
}

static sett_status relation_join(sett_world* to_world, const sett_world* from_world,
                                 const setti_type* type)
{
    const setti_relation* relation = relation_of_either(type);
    (void)from_world;
    return setti_relation_join(to_world, relation, &relation->data_type->desc);
}

static bool relation_same(const setti_type* a, const setti_type* b)
{
    const setti_relation* relation_a = relation_of_either(a);
    const setti_relation* relation_b = relation_of_either(b);
    if (!relation_is_same(relation_a, relation_b)) {
        return false;
    }
    return relation_a->data_type->padding_hash == relation_b->data_type->padding_hash;
}

/* Names a link, and adds `text`. Returns the length, like snprintf. */
static int relation_name_link(const setti_relation* relation, sett_entity source,
                              sett_entity target, const char* text, char* out, size_t size)
{
    return snprintf(out, size, "entity %u:%u: \"%.100s\" to entity %u:%u%s", SETTI_HANDLE(source),
                    relation->links->desc.name, SETTI_HANDLE(target), text);
}

/* Describes an entity's first link in `a` that is missing in `b`, or has other data there. Returns
 * the length of the description, or 0 if there is no such link.
 *   compare_data  compares the data of two links; NULL: data are not compared */
SETTI_COLD static int relation_difference_one(sett_entity entity, const setti_relation* a,
                                              const setti_relation* b, const char* missing_text,
                                              setti_value_difference compare_data, char* out,
                                              size_t size)
{
    sett_link_cursor cursor = {0};
    sett_entity target = sett_target_next(a->world, entity, a->links->id, &cursor);
    while (!sett_is_null(target)) {
        const void* data = sett_related(b->world, entity, b->links->id, target);
        if (data == NULL) {
            return relation_name_link(a, entity, target, missing_text, out, size);
        }
        bool differs = compare_data != NULL &&
                       compare_data(a->data_type, cursor.data, b->data_type, data, NULL, 0) != 0;
        if (differs) {
            int length = relation_name_link(a, entity, target, " differs", out, size);
            size_t end = SETTI_MIN((size_t)length, size);
            return length + compare_data(a->data_type, cursor.data, b->data_type, data, out + end,
                                         size - end);
        }
        target = sett_target_next(a->world, entity, a->links->id, &cursor);
    }
    return 0;
}

static int relation_difference(sett_entity entity, const setti_type* a, const setti_type* b,
                               setti_value_difference compare_data, char* out, size_t size)
{
    const setti_relation* first = setti_relation_of_links(a);
    const setti_relation* second = setti_relation_of_links(b);
    int length = relation_difference_one(entity, first, second, " in the first world only",
                                         compare_data, out, size);
    if (length != 0) {
        return length;
    }
    return relation_difference_one(entity, second, first, " in the second world only", NULL, out,
                                   size);
}

SETTI_COLD static void relation_describe(sett_world* world, const setti_type* type,
                                         sett_entity entity, setti_writer* out)
{
    if (type->links == NULL) {
        sett_component links = setti_relation_of_ends(type)->links->id;
        setti_writer_add(out, "%u links", (unsigned)sett_source_count(world, links, entity));
        return;
    }
    sett_link_cursor cursor = {0};
    const char* separator = "to ";
    sett_entity target = sett_target_next(world, entity, type->id, &cursor);
    while (!sett_is_null(target)) {
        setti_writer_add(out, "%s%u:%u", separator, SETTI_HANDLE(target));
        separator = ", ";
        target = sett_target_next(world, entity, type->id, &cursor);
    }
}

static const char* relation_validate(sett_world* world, setti_type* type)
{
    (void)world;
    return setti_chain_validate(setti_relation_of_links(type));
}

static const setti_pages* relation_pages(const sett_world* world, const setti_type* type)
{
    (void)world;
    return &setti_relation_of_links(type)->records;
}

/* Returns true if a source has a link to `target`, or if `old` leads to `target`. `old` is a former
 * exclusive link of the source, or NULL. */
static bool relation_links_to(const sett_world* world, const setti_type* type, sett_entity source,
                              const void* old, sett_entity target)
{
    setti_relation* relation = setti_relation_of_links(type);
    const sett_link* link = old;
    if (link != NULL && sett_equals(link->target, target)) {
        return true;
    }
    if (sett_is_null(source) || !setti_storage_has(&type->storage, source.index)) {
        return false;
    }
    if (relation->many) {
        return setti_chain_search(relation, source, target) != SETTI_NONE;
    }
    return sett_equals(sett_target(world, source, type->id), target);
}

/* Appends a relation to the list of the world's relationships. */
static void relation_append(sett_world* world, setti_relation* relation)
{
    setti_relation* last = setti_relations_of(world);
    if (last == NULL) {
        world->module[SETTI_SLOT_RELATIONS] = relation;
        return;
    }
    while (last->next != NULL) {
        last = last->next;
    }
    last->next = relation;
}

/* Connects a relation with the two registered components, and with the world. */
static void relation_publish(setti_relation* relation, sett_component links, sett_component sources)
{
    SETTI_ASSERT(relation->links == NULL && relation->sources == NULL);
    sett_world* world = relation->world;
    relation->links = setti_world_type(world, links);
    relation->sources = setti_world_type(world, sources);
    static const setti_module module = {.validate = relation_validate,
                                        .pages = relation_pages,
                                        .join = relation_join,
                                        .same = relation_same,
                                        .difference = relation_difference,
                                        .describe = relation_describe,
                                        .leads = relation_links_to};
    static const setti_module ends = {.join = relation_join, .describe = relation_describe};
    relation->links->links = relation;
    relation->links->data_type = relation->data_type;
    relation->links->module = &module;
    relation->sources->module = &ends;
    relation->links->flags |= SETTI_TYPE_LINKED;
    relation->sources->ends = relation;
    relation->sources->flags |= SETTI_TYPE_LINKED | SETTI_TYPE_STAYS;
    setti_component_guard(relation->sources, "sett_relate or sett_unrelate");
    relation->links->writers = "sett_relate or sett_cmd_relate, or sett_related_mut for the data";
    setti_cleanup_tie(relation);
    relation_append(world, relation);
    if (relation->many) {
        setti_world_add_root(world, &relation->root, &relation->record_count,
                             sizeof(relation->record_count), &relation->records, NULL);
        relation->root.name = relation->links->desc.name;
        relation->links->records = &relation->layout;
    }
}

/* Reports an error and returns false if the component `known` is not the same relationship. */
static bool relation_check_known(sett_world* world, const setti_relation* relation,
                                 sett_component known, const sett_relationship_desc* desc)
{
    const setti_relation* existing = setti_relation_of(world, known);
    const char* wrong = NULL;
    bool has_other_id = desc->id != 0 && desc->id != known;
    if (existing == NULL) {
        wrong = "as a component - choose another name";
    } else if (has_other_id || !relation_is_same(existing, relation)) {
        wrong = "with other options - pass the same options, or another name";
    }
    if (wrong != NULL) {
        setti_world_fail_with(world, SETT_STATUS_CONFLICT,
                              "%s: \"%.100s\" is registered already, %s", relation_register_call,
                              desc->name, wrong);
    }
    return wrong == NULL;
}

SETTI_COLD sett_component sett_relationship_register_sized(sett_world* world,
                                                           const sett_relationship_desc* desc,
                                                           size_t size)
{
    sett_relationship_desc full;
    desc = setti_world_desc(world, desc, size, &full, sizeof(full), relation_register_call);
    if (desc == NULL || setti_world_check_serial(world, relation_register_call) != SETT_OK) {
        return 0;
    }
    const char* wrong = relation_check_desc(desc);
    if (wrong != NULL) {
        setti_world_fail_argument(world, relation_register_call, desc->name, wrong);
        return 0;
    }
    setti_relation* relation = relation_make(world, desc);
    if (relation == NULL) {
        return 0;
    }
    sett_component known = sett_component_find(world, desc->name);
    if (known != 0) {
        bool same = relation_check_known(world, relation, known, desc);
        relation_free(relation);
        return same ? known : 0;
    }
    /* If registering the links fails, the component of targets stays. It has no hooks, so it does
     * no harm. */
    sett_component sources = relation_register_sources(world, desc->name);
    sett_component links = 0;
    if (sources != 0) {
        links = relation_register_links(relation, desc);
    }
    if (links == 0) {
        relation_free(relation);
        return 0;
    }
    relation_publish(relation, links, sources);
    return links;
}

#define RELATION_IS_NONE "%s: component %u \"%.100s\" is not a relationship - %s"

/* Returns the end of a message RELATION_IS_NONE. */
static const char* relation_remedy(sett_component component)
{
    if (component == SETT_ID_HIERARCHY) {
        return "read the hierarchy with sett_hierarchy_parent or sett_hierarchy_first, change it "
               "with sett_hierarchy_attach or sett_cmd_attach";
    }
    return "pass one that sett_relationship_register has registered";
}

/* Returns the relation for a call that only reads. Returns NULL if the component is no
 * relationship. */
static const setti_relation* relation_to_read(const sett_world* world, sett_component relationship,
                                              const char* call)
{
    if (setti_is_null(world, call, "world")) {
        return NULL;
    }
    const setti_relation* relation = setti_relation_of(world, relationship);
#if !defined(NDEBUG)
    if (relation == NULL) {
        setti_world_misuse_with(world, SETT_STATUS_ARGUMENT, RELATION_IS_NONE, call,
                                (unsigned)relationship, setti_component_text(world, relationship),
                                relation_remedy(relationship));
    }
#endif
    return relation;
}

sett_component sett_relationship_sources(const sett_world* world, sett_component relationship)
{
    const setti_relation* relation = relation_to_read(world, relationship, __func__);
    return relation != NULL ? relation->sources->id : 0;
}

setti_relation* setti_relation_check(sett_world* world, sett_component relationship,
                                     sett_entity entity, const char* call)
{
    if (setti_world_check_unlocked(world, call) != SETT_OK) {
        return NULL;
    }
    setti_relation* relation = setti_relation_of(world, relationship);
    if (relation == NULL) {
        setti_world_fail_with(world, SETT_STATUS_ARGUMENT, RELATION_IS_NONE, call,
                              (unsigned)relationship, setti_component_text(world, relationship),
                              relation_remedy(relationship));
        return NULL;
    }
    if (setti_entity_signature(&world->entities, entity) == NULL) {
        setti_world_fail(world, SETT_STATUS_STALE, call, entity, relationship);
        return NULL;
    }
    return relation;
}

/* The arguments for a source's first link. */
typedef struct relation_fill {
    setti_edit_fill fill; /* first member */
    setti_relation* relation;
    sett_entity source;
    sett_entity target;
    const void* data;
} relation_fill;

/* Makes the first link of a source when the source gets the component. */
static void relation_fill_value(const setti_edit_fill* fill, void* value)
{
    const relation_fill* link = (const relation_fill*)(const void*)fill;
    void* data = setti_chain_link(link->relation, link->source.index, link->target);
    (void)value;
    relation_write(link->relation, data, link->data);
}

/* Fast path of relation_add_link. Returns NULL if the slow path is needed. */
static void* relation_try_link(setti_relation* relation, sett_entity source, sett_entity target,
                               const void* data)
{
    SETTI_ASSERT(!relation->many && !setti_storage_has(&relation->links->storage, source.index));
    if (!setti_storage_has(&relation->sources->storage, target.index)) {
        return NULL;
    }
    void* link = setti_change_try_add_link(relation->world, relation->links, source);
    if (link == NULL) {
        return NULL;
    }
    memset(link, 0, relation->links->storage.size);
    void* link_data = setti_chain_link(relation, source.index, target);
    relation_write(relation, link_data, data);
    return link_data;
}

/* Makes a link. If `existing` is not NULL, makes this exclusive link lead to `target` instead.
 * Returns the link's data, or NULL if memory runs out. */
static void* relation_add_link(setti_relation* relation, sett_entity source, sett_entity target,
                               const void* data, const sett_link* existing)
{
    sett_world* world = relation->world;
    setti_type* type = relation->links;
    bool has_links =
        existing != NULL || (relation->many && setti_storage_has(&type->storage, source.index));
    void* old = NULL; /* a copy of the link, for on_replace */
    if (existing != NULL && setti_change_keeps_link(type)) {
        old = setti_change_preserve(world, type, existing);
        if (old == NULL) {
            return NULL;
        }
    }
    relation_fill new_link = {{relation_fill_value}, relation, source, target, data};
    bool reserved = !relation->many || setti_chain_reserve(relation);
    if (!reserved ||
        !setti_change_add_two(world, relation->sources, target, type, source, &new_link.fill)) {
        setti_change_release(world, type, old);
        return NULL;
    }
    if (has_links) { /* otherwise relation_fill_value has made the link */
        if (!relation->many) {
            setti_chain_unlink(relation, setti_chain_write(relation, source.index));
        }
        relation_write(relation, setti_chain_link(relation, source.index, target), data);
        world->replaced_link = old;
        setti_chain_notify(relation, source.index, target);
        world->replaced_link = NULL;
        setti_change_release(world, type, old);
    }
    uint32_t place = source.index;
    if (relation->many) {
        place = relation->record_count - 1; /* new records are appended */
    }
    return (unsigned char*)setti_chain_at(relation, place) + relation->layout.data;
}

/* Makes a link to `target`, or makes the exclusive link lead to `target`. If there is a link to
 * `target`, writes the data. Returns the link's data, or NULL if memory runs out. */
static void* relation_link(setti_relation* relation, sett_entity source, sett_entity target,
                           const void* data)
{
    uint32_t place = source.index;
    if (relation->many) {
        place = setti_chain_search(relation, source, target);
    }
    sett_link* link = NULL;
    if (place != SETTI_NONE) {
        link = setti_chain_write(relation, place); /* NULL: the source has no exclusive link */
    }
    if (link != NULL && sett_equals(link->target, target)) {
        unsigned char* link_data = (unsigned char*)link + relation->layout.data;
        if (data != NULL && memcmp(link_data, data, relation->data_size) != 0) {
            relation_write(relation, link_data, data);
            setti_chain_notify(relation, source.index, link->target);
        }
        return link_data;
    }
    void* new_data = NULL;
    if (link == NULL && !relation->many) {
        new_data = relation_try_link(relation, source, target, data);
    }
    if (SETTI_LIKELY(new_data != NULL)) {
        return new_data;
    }
    return relation_add_link(relation, source, target, data, link);
}

static uint32_t relation_target_index(const setti_relation* relation, uint32_t index)
{
    const sett_link* link = setti_storage_find(&relation->links->storage, index);
    return link != NULL ? link->target.index : SETTI_NONE;
}

/* Returns true if `first` is `last`, or if links lead from `first` to `last`. One walk follows
 * links from `first`, and one goes back from `last`, step by step in turn. The shorter walk
 * decides. */
static bool relation_leads(const setti_relation* relation, uint32_t first, uint32_t last)
{
    SETTI_ASSERT(relation->desc.acyclic && !relation->many);
    uint32_t forward = first;
    uint32_t backward = last;
    while (forward != SETTI_NONE && backward != SETTI_NONE) {
        if (forward == last || backward == first) {
            return true;
        }
        forward = relation_target_index(relation, forward);
        backward = setti_chain_next_below(relation, last, backward);
    }
    return false;
}

/* Fails if the relationship is acyclic, and the link would close a cycle. */
static sett_status relation_check_cycle(const setti_relation* relation, sett_entity source,
                                        sett_entity target, const char* call)
{
    if (!relation->desc.acyclic || relation->world->receiving) {
        return SETT_OK; /* delta_play.c checks for cycles when all links of a delta are made */
    }
    if (!relation_leads(relation, target.index, source.index)) {
        return SETT_OK;
    }
    return setti_world_fail_with(relation->world, SETT_STATUS_CYCLE,
                                 "%s: a \"%.100s\" link from entity %u:%u to %u:%u would form a "
                                 "cycle - choose another target, or first remove another link",
                                 call, relation->links->desc.name, SETTI_HANDLE(source),
                                 SETTI_HANDLE(target));
}

/* Like setti_chain_find, but may build the table of pairs. */
static uint32_t relation_find_link(setti_relation* relation, sett_entity source, sett_entity target)
{
    if (relation->many) {
        return setti_chain_search(relation, source, target);
    }
    return setti_chain_find(relation, source, target);
}

/* Asks the hook may_relate if the link does not exist yet. Fails if the hook rejects the link. */
SETTI_APART static sett_status relation_call_hook(setti_relation* relation, sett_entity source,
                                                  sett_entity target, const char* call)
{
    SETTI_ASSERT(relation->desc.may_relate != NULL);
    sett_world* world = relation->world;
    if (relation_find_link(relation, source, target) != SETTI_NONE) {
        return SETT_OK; /* the link exists already */
    }
    const char* outer = setti_world_begin_call(world, relation->links->desc.name);
    bool may = relation->desc.may_relate(world, source, target, relation->desc.user);
    setti_world_end_call(world, outer);
    if (may) {
        return SETT_OK;
    }
    return setti_world_fail_with(
        world, SETT_STATUS_REJECTED,
        "%s: `may_relate` of \"%.100s\" rejects a link from entity %u:%u to %u:%u - "
        "choose another target",
        call, relation->links->desc.name, SETTI_HANDLE(source), SETTI_HANDLE(target));
}

/* Tells relation_relate to ask the program's hook may_relate, or to skip the hook. */
typedef enum relation_asking {
    RELATION_ASK_HOOK,
    RELATION_SKIP_HOOK
} relation_asking;

static void* relation_relate(sett_world* world, sett_entity source, sett_component relationship,
                             sett_entity target, const void* data, relation_asking asking,
                             const char* call)
{
    setti_relation* relation = setti_relation_check(world, relationship, source, call);
    if (relation == NULL) {
        return NULL;
    }
    if (setti_entity_signature(&world->entities, target) == NULL) {
        setti_world_fail(world, SETT_STATUS_STALE, call, target, relationship);
        return NULL;
    }
    if (relation_check_cycle(relation, source, target, call) != SETT_OK) {
        return NULL;
    }
    if (SETTI_UNLIKELY(asking == RELATION_ASK_HOOK && relation->desc.may_relate != NULL) &&
        relation_call_hook(relation, source, target, call) != SETT_OK) {
        return NULL;
    }
    void* link_data = relation_link(relation, source, target, data);
    if (link_data == NULL) {
        setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, call, source, relationship);
    }
    return link_data;
}

void* setti_relation_relate(sett_world* world, sett_entity source, sett_component relationship,
                            sett_entity target, const void* data, const char* call)
{
    return relation_relate(world, source, relationship, target, data, RELATION_SKIP_HOOK, call);
}

void* sett_relate(sett_world* world, sett_entity source, sett_component relationship,
                  sett_entity target)
{
    return relation_relate(world, source, relationship, target, NULL, RELATION_ASK_HOOK, __func__);
}

void* sett_relate_set(sett_world* world, sett_entity source, sett_component relationship,
                      sett_entity target, const void* data)
{
    return relation_relate(world, source, relationship, target, data, RELATION_ASK_HOOK, __func__);
}

sett_status sett_unrelate(sett_world* world, sett_entity source, sett_component relationship,
                          sett_entity target)
{
    setti_relation* relation = setti_relation_check(world, relationship, source, __func__);
    if (relation == NULL) {
        return setti_world_failure(world);
    }
    uint32_t place = relation_find_link(relation, source, target);
    if (place == SETTI_NONE) {
        return SETT_STATUS_ABSENT;
    }
    if (setti_chain_delete_one(relation, place)) {
        return SETT_OK;
    }
    return sett_remove(world, source, relationship); /* the only link */
}

/* A recorded call. The link's data follow it if there are any. */
typedef struct relation_call {
    setti_command_call call; /* first member */
    sett_component relationship;
    sett_entity target;
    bool has_data;
} relation_call;

static sett_status relation_apply_relate(sett_world* world, sett_entity source, const void* given)
{
    const relation_call* call = given;
    if (!sett_entity_valid(world, call->target)) {
        return SETT_OK; /* the target has been destroyed */
    }
    const void* data = NULL;
    if (call->has_data) {
        data = call + 1;
    }
    const void* link_data = relation_relate(world, source, call->relationship, call->target, data,
                                            RELATION_ASK_HOOK, "sett_cmd_relate");
    return link_data != NULL ? SETT_OK : world->error;
}

static sett_status relation_apply_unrelate(sett_world* world, sett_entity source, const void* given)
{
    const relation_call* call = given;
    if (sett_related(world, source, call->relationship, call->target) == NULL) {
        return SETT_OK;
    }
    return sett_unrelate(world, source, call->relationship, call->target);
}

static void relation_print(const sett_world* world, const void* given, char* out, size_t size)
{
    const relation_call* call = given;
    snprintf(out, size, " %s entity %u:%u by \"%.100s\"",
             call->call.kind->apply == relation_apply_relate ? "to" : "from",
             SETTI_HANDLE(call->target), setti_world_type(world, call->relationship)->desc.name);
}

static sett_status relation_record(sett_commands* commands, sett_entity source,
                                   sett_component relationship, sett_entity target,
                                   const void* data, const setti_command_kind* kind,
                                   const char* call)
{
    const sett_world* world = sett_commands_world(commands);
    const setti_relation* relation = setti_relation_of(world, relationship);
    if (relation == NULL) {
        setti_world_misuse_with(world, SETT_STATUS_ARGUMENT, RELATION_IS_NONE, call,
                                (unsigned)relationship, setti_component_text(world, relationship),
                                relation_remedy(relationship));
        return SETT_STATUS_ARGUMENT;
    }
    setti_commands_check_handle(commands, source, relationship, call);
    size_t size = data != NULL ? relation->data_size : 0;
    sett_status status;
    relation_call* record =
        setti_commands_call(commands, source, kind, sizeof(*record) + size, &status);
    if (record == NULL) {
        return status;
    }
    record->relationship = relationship;
    record->target = target;
    record->has_data = size != 0;
    if (size != 0) {
        memcpy(record + 1, data, size);
    }
    return SETT_OK;
}

sett_status sett_cmd_relate(sett_commands* commands, sett_entity source,
                            sett_component relationship, sett_entity target, const void* data)
{
    static const setti_command_kind kind = {"relate", relation_apply_relate, relation_print};
    if (SETTI_IS_NULL(commands)) {
        return SETT_STATUS_ARGUMENT;
    }
    setti_commands_check_handle(commands, target, relationship, __func__);
    return relation_record(commands, source, relationship, target, data, &kind, __func__);
}

sett_status sett_cmd_unrelate(sett_commands* commands, sett_entity source,
                              sett_component relationship, sett_entity target)
{
    static const setti_command_kind kind = {"unrelate", relation_apply_unrelate, relation_print};
    if (SETTI_IS_NULL(commands)) {
        return SETT_STATUS_ARGUMENT;
    }
    return relation_record(commands, source, relationship, target, NULL, &kind, __func__);
}

/* Like relation_to_read, for a call that accesses data. Also checks that a running system may
 * access the data. */
static const setti_relation* relation_accessed(const sett_world* world, sett_entity source,
                                               sett_component relationship, uint32_t access,
                                               const char* call)
{
    const setti_relation* relation = relation_to_read(world, relationship, call);
    if (relation != NULL && relation->data_size != 0) {
        setti_world_touch(world, source, relationship, access, call);
    }
    return relation;
}

bool sett_is_related(const sett_world* world, sett_entity source, sett_component relationship,
                     sett_entity target)
{
    const setti_relation* relation = relation_to_read(world, relationship, __func__);
    return relation != NULL && setti_chain_find(relation, source, target) != SETTI_NONE;
}

const void* sett_related(const sett_world* world, sett_entity source, sett_component relationship,
                         sett_entity target)
{
    const setti_relation* relation =
        relation_accessed(world, source, relationship, SETTI_ACCESS_READ, __func__);
    if (relation == NULL) {
        return NULL;
    }
    uint32_t place = setti_chain_find(relation, source, target);
    if (place == SETTI_NONE) {
        return NULL;
    }
    return (const unsigned char*)setti_chain_at(relation, place) + relation->layout.data;
}

void* sett_related_mut(sett_world* world, sett_entity source, sett_component relationship,
                       sett_entity target)
{
    const setti_relation* relation =
        relation_accessed(world, source, relationship, SETTI_ACCESS_WRITE, __func__);
    if (relation == NULL) {
        return NULL;
    }
    uint32_t place = setti_chain_find(relation, source, target);
    if (place == SETTI_NONE) {
        return NULL;
    }
    return (unsigned char*)setti_chain_write(relation, place) + relation->layout.data;
}

/* Returns true if the data of links have the C type `type_name`. Otherwise writes a message to
 * `out`. */
static bool relation_has_type(const sett_world* world, sett_component relationship, size_t size,
                              const char* type_name, const char* call, char out[SETTI_MESSAGE_SIZE])
{
    const setti_relation* relation = setti_relation_of(world, relationship);
    if (relation == NULL) {
        snprintf(out, SETTI_MESSAGE_SIZE, RELATION_IS_NONE, call, (unsigned)relationship,
                 setti_component_text(world, relationship), relation_remedy(relationship));
        return false;
    }
    if (setti_component_is_type(relation->data_type, size, type_name)) {
        return true;
    }
    const sett_component_desc* data = &relation->data_type->desc;
    const char* name = relation->links->desc.name;
    if (data->size == 0) {
        snprintf(out, SETTI_MESSAGE_SIZE,
                 "%s: links of \"%.100s\" have no data - sett_relate adds a link, sett_target "
                 "returns its target",
                 call, name);
    } else if (!relation->many && size == relation->links->storage.size) {
        snprintf(out, SETTI_MESSAGE_SIZE,
                 "%s: links of \"%.100s\" have data of %u bytes, not %.60s (%u bytes) - pass the "
                 "type of the data alone, without the sett_link",
                 call, name, (unsigned)data->size, type_name, (unsigned)size);
    } else {
        snprintf(out, SETTI_MESSAGE_SIZE,
                 "%s: links of \"%.100s\" have data of type %.60s (%u bytes), not %.60s (%u bytes) "
                 "- is %.60s_id the id of another relationship?",
                 call, name, data->type_name != NULL ? data->type_name : "unknown",
                 (unsigned)data->size, type_name, (unsigned)size, type_name);
    }
    return false;
}

bool sett_relationship_check_type_(const sett_world* world, sett_component relationship,
                                   size_t size, const char* type_name, const char* call)
{
    char message[SETTI_MESSAGE_SIZE];
    if (setti_is_null(world, call, "world")) {
        return false;
    }
    bool has_type = relation_has_type(world, relationship, size, type_name, call, message);
    if (!has_type) {
        setti_world_misuse_with(world, SETT_STATUS_ARGUMENT, "%s", message);
    }
    return has_type;
}

bool sett_relationship_check_change_(sett_world* world, sett_component relationship, size_t size,
                                     const char* type_name, const char* call)
{
    char message[SETTI_MESSAGE_SIZE];
    if (setti_is_null(world, call, "world")) {
        return false;
    }
    bool has_type = relation_has_type(world, relationship, size, type_name, call, message);
    if (!has_type) {
        setti_world_fail_checked(world, SETT_STATUS_ARGUMENT, message);
    }
    return has_type;
}

/* Returns the value of the component that has an entity's links on a side. Returns NULL if there is
 * no such value. */
SETTI_INLINE const void* relation_value(const sett_world* world, const setti_relation* relation,
                                        sett_entity entity, setti_link_side side)
{
    if (relation == NULL || !setti_entity_is_current(&world->entities, entity)) {
        return NULL;
    }
    const setti_type* type = side == SETTI_SOURCES ? relation->sources : relation->links;
    return setti_storage_find(&type->storage, entity.index);
}

sett_entity sett_target(const sett_world* world, sett_entity source, sett_component relationship)
{
    const setti_relation* relation = relation_to_read(world, relationship, __func__);
    const void* value = relation_value(world, relation, source, SETTI_TARGETS);
    if (value == NULL) {
        return sett_null();
    }
    const sett_link* link = value;
    if (relation->many) {
        const sett_links* links = value;
        link = setti_chain_at(relation, links->first_);
    }
    return link->target;
}

sett_entity sett_target_changed(const sett_world* world, sett_entity source,
                                sett_component relationship)
{
    const setti_relation* relation = relation_to_read(world, relationship, __func__);
    if (relation == NULL || world->calling == NULL) {
        return sett_null(); /* no relationship, or no callback is running */
    }
    if (world->changed_link.relationship == relationship &&
        world->changed_link.source == source.index) {
        return world->changed_link.target;
    }
    if (sett_target_count(world, source, relationship) != 1) {
        return sett_null();
    }
    return sett_target(world, source, relationship);
}

uint32_t sett_target_count(const sett_world* world, sett_entity source, sett_component relationship)
{
    const setti_relation* relation = relation_to_read(world, relationship, __func__);
    const sett_links* links = relation_value(world, relation, source, SETTI_TARGETS);
    if (links == NULL) {
        return 0;
    }
    return relation->many ? links->count : 1;
}

uint32_t sett_source_count(const sett_world* world, sett_component relationship, sett_entity target)
{
    const setti_relation* relation = relation_to_read(world, relationship, __func__);
    const sett_links* sources = relation_value(world, relation, target, SETTI_SOURCES);
    return sources != NULL ? sources->count : 0;
}

/* Returns an entity's next target or source, or null at the end. If the program deletes links in
 * the loop, records may move. Then another entity's link may be at the next place. */
static sett_entity relation_next(const setti_relation* relation, sett_entity entity,
                                 sett_link_cursor* cursor, setti_link_side side)
{
    const setti_entity_table* entities = &relation->world->entities;
    if (!setti_entity_is_current(entities, entity)) {
        return sett_null();
    }
    uint32_t place = setti_chain_first(relation, entity.index, side);
    if (place != SETTI_NONE && cursor->begun_) {
        place = cursor->next_;
    }
    if (relation->many && place != SETTI_NONE && place >= relation->record_count) {
        place = cursor->at_; /* the last result was deleted: the next record has moved there */
    }
    if (place == SETTI_NONE || (relation->many && place >= relation->record_count)) {
        return sett_null();
    }
    const sett_link* link = setti_chain_at(relation, place);
    if (link == NULL) { /* the program has removed the link */
        return sett_null();
    }
    uint32_t source = setti_chain_source(relation, place);
    uint32_t next;
    bool is_of_entity;
    if (side == SETTI_SOURCES) {
        is_of_entity = sett_equals(link->target, entity);
        next = link->chain_.next;
    } else {
        is_of_entity = source == entity.index;
        next = setti_chain_next(relation, place, SETTI_TARGETS);
    }
    if (!is_of_entity) { /* another link has got the place */
        return sett_null();
    }
    cursor->begun_ = true;
    cursor->at_ = place;
    cursor->next_ = next;
    cursor->data = (const unsigned char*)link + relation->layout.data;
    if (side == SETTI_SOURCES) {
        return setti_entity_at(entities, source);
    }
    return link->target;
}

sett_entity sett_target_next(const sett_world* world, sett_entity source,
                             sett_component relationship, sett_link_cursor* cursor)
{
    const setti_relation* relation = relation_to_read(world, relationship, __func__);
    if (relation == NULL) {
        return sett_null();
    }
    return relation_next(relation, source, cursor, SETTI_TARGETS);
}

sett_entity sett_source_next(const sett_world* world, sett_component relationship,
                             sett_entity target, sett_link_cursor* cursor)
{
    const setti_relation* relation = relation_to_read(world, relationship, __func__);
    if (relation == NULL) {
        return sett_null();
    }
    return relation_next(relation, target, cursor, SETTI_SOURCES);
}

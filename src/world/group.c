/* group.c: creates and destroys groups. The commits of edits move members (listener.c). */
#include "world/change.h"

/* A group that is being made. */
typedef struct group_draft {
    sett_group* group;
    const sett_group_desc* desc;
    const char* call;
    setti_conversion conversion[SETT_GROUP_TYPES]; /* reserved, from array to sparse set */
    uint32_t conversion_count;
    /* the number of members if the members are in the first rows already; otherwise SETTI_NONE */
    uint32_t arranged;
} group_draft;

static sett_status group_out_of_memory(const group_draft* draft)
{
    return setti_world_no_memory(draft->group->world, draft->call);
}

static sett_status group_reject_type(const group_draft* draft, const setti_type* type,
                                     const char* why)
{
    return setti_world_fail_with(draft->group->world, SETT_STATUS_ARGUMENT,
                                 "%s: group \"%.100s\": \"%.100s\" %s", draft->call,
                                 draft->group->listener.name, type->desc.name, why);
}

/* Adds the types with the ids `ids` to `list`, a list of the new group. A 0 ends `ids`. Fails if a
 * group cannot have one of the types in this list. */
static sett_status group_add_types(const group_draft* draft, const sett_component* ids,
                                   setti_type_list* list)
{
    sett_world* world = draft->group->world;
    const char* name = draft->group->listener.name;
    for (uint32_t k = 0; k < SETT_GROUP_TYPES && ids[k] != 0; k++) {
        setti_type* type = setti_world_type(world, ids[k]);
        if (type == NULL) {
            return setti_world_fail_with(
                world, SETT_STATUS_UNREGISTERED,
                "%s: group \"%.100s\": component %u is not registered in this world - %s",
                draft->call, name, (unsigned)ids[k], setti_component_remedy(ids[k]));
        }
        setti_listener* listener = &draft->group->listener;
        const char* wrong = NULL;
        if ((type->flags & SETTI_TYPE_DONT_FRAGMENT) != 0) {
            wrong = "is dont_fragment, which a group cannot have - leave it out, "
                    "or register it without .dont_fragment";
        } else if (list == &listener->without && type->off != NULL) {
            wrong = "can be switched off, and cannot be in `without` of a group - "
                    "leave it out, and test sett_is_enabled in the loop";
        }
        if (wrong != NULL) {
            return group_reject_type(draft, type, wrong);
        }
        bool added;
        if (list == &listener->with) {
            added = setti_listener_require(&world->pool, listener, type);
        } else {
            added = setti_type_list_add(&world->pool, list, type);
        }
        if (!added) {
            return group_out_of_memory(draft);
        }
    }
    return SETT_OK;
}

/* Whether `id` is one of the first `count` ids in a list. A 0 ends the list. */
static bool group_list_has(const sett_component* list, uint32_t count, sett_component id)
{
    for (uint32_t k = 0; k < count && list[k] != 0; k++) {
        if (list[k] == id) {
            return true;
        }
    }
    return false;
}

/* The number of lists in a descriptor: `owned`, `with` and `without`. */
#define GROUP_LISTS 3

/* Checks that the id lists[list][position] is not in an earlier list, and not earlier in the same
 * list. */
static sett_status group_check_id(const group_draft* draft, const sett_component* const* lists,
                                  uint32_t list, uint32_t position)
{
    static const char* const names[GROUP_LISTS] = {"owned", "with", "without"};
    sett_world* world = draft->group->world;
    sett_component id = lists[list][position];
    for (uint32_t earlier = 0; earlier <= list; earlier++) {
        bool same_list = earlier == list;
        uint32_t count = same_list ? position : SETT_GROUP_TYPES; /* ids before this id */
        if (group_list_has(lists[earlier], count, id)) {
            return setti_world_fail_with(
                world, SETT_STATUS_ARGUMENT,
                "%s: group \"%.100s\": \"%.100s\" (component %u) is in `%s` and %sin "
                "`%s` - leave out one",
                draft->call, draft->group->listener.name, setti_component_text(world, id),
                (unsigned)id, names[earlier], same_list ? "again " : "", names[list]);
        }
    }
    return SETT_OK;
}

/* Checks that no type is in two lists, or twice in a list. */
static sett_status group_check_lists(const group_draft* draft)
{
    const sett_group_desc* desc = draft->desc;
    const sett_component* const lists[GROUP_LISTS] = {desc->owned, desc->with, desc->without};
    for (uint32_t list = 0; list < GROUP_LISTS; list++) {
        for (uint32_t k = 0; k < SETT_GROUP_TYPES && lists[list][k] != 0; k++) {
            sett_status status = group_check_id(draft, lists, list, k);
            if (status != SETT_OK) {
                return status;
            }
        }
    }
    return SETT_OK;
}

/* Whether `owner`, the group that owns a type now, gives way to the new group. */
static bool group_gives_way(const group_draft* draft, const setti_listener* owner)
{
    const setti_listener* created = &draft->group->listener;
    if (!owner->by_layout) {
        return false;
    }
    if (!created->by_layout) {
        return true; /* the program creates the new group */
    }
    return created->automatic && owner->automatic; /* an automatic layout replaces another */
}

/* Fails if the new group cannot own a type. */
static sett_status group_check_owned(const group_draft* draft, const setti_type* type)
{
    sett_world* world = draft->group->world;
    const char* name = draft->group->listener.name;
    if (type->owner != NULL && !group_gives_way(draft, type->owner)) {
        return setti_world_fail_with(
            world, SETT_STATUS_CONFLICT,
            "%s: group \"%.100s\" cannot own \"%.100s\", which group \"%.100s\" owns - in one of "
            "the groups, list the component in `with`",
            draft->call, name, type->desc.name, type->owner->name);
    }
    bool must_stay_array = type->storage.kind != SETTI_SPARSE && !type->default_storage;
    const char* wrong = NULL;
    if (type->storage.keep_order) {
        wrong = "keeps its order (keep_order), so no group can own it - list it in `with`";
    } else if (must_stay_array && !draft->group->listener.by_layout) {
        wrong = "is registered as an array and cannot be owned - call "
                "sett_component_convert(world, id, SETT_STORAGE_SPARSE_SET) first, or list it in "
                "`with`";
    }
    if (wrong != NULL) {
        return group_reject_type(draft, type, wrong);
    }
    return SETT_OK;
}

/* Checks the owned types. Reserves the conversions of the types that are arrays. */
static sett_status group_reserve_owned(group_draft* draft)
{
    sett_world* world = draft->group->world;
    const setti_type_list* owned = &draft->group->listener.owned;
    for (uint32_t k = 0; k < owned->count; k++) {
        sett_status status = group_check_owned(draft, owned->item[k]);
        if (status != SETT_OK) {
            return status;
        }
    }
    for (uint32_t k = 0; k < owned->count; k++) {
        if (owned->item[k]->storage.kind == SETTI_SPARSE) {
            continue;
        }
        setti_conversion* conversion = &draft->conversion[draft->conversion_count];
        if (!setti_conversion_reserve(world, conversion, owned->item[k], SETT_STORAGE_SPARSE_SET)) {
            return group_out_of_memory(draft);
        }
        draft->conversion_count++;
    }
    return SETT_OK;
}

SETTI_COLD static void group_free(sett_group* group)
{
    setti_pool* pool = &group->world->pool;
    setti_listener* listener = &group->listener;
    setti_type_list_deinit(pool, &listener->with);
    setti_type_list_deinit(pool, &listener->without);
    setti_type_list_deinit(pool, &listener->owned);
    setti_storage_deinit(pool, &listener->members);
    setti_pool_free(pool, listener->row, listener->row_size, listener->row_align);
    setti_pool_free(pool, listener->name, strlen(listener->name) + 1, 1);
    setti_pool_free(pool, group, sizeof(*group), 64);
}

/* Allocates listener->row if an owned type has a move hook. */
static sett_status group_make_row(const group_draft* draft)
{
    setti_listener* listener = &draft->group->listener;
    size_t size = 0;
    for (uint32_t k = 0; k < listener->owned.count; k++) {
        const setti_storage* storage = &listener->owned.item[k]->storage;
        if (storage->move != NULL) {
            size = SETTI_MAX(size, storage->size);
        }
        listener->row_align = SETTI_MAX(listener->row_align, storage->align);
    }
    if (size == 0) {
        return SETT_OK; /* no move hook */
    }
    listener->row = setti_pool_alloc(&draft->group->world->pool, size, listener->row_align);
    if (listener->row == NULL) {
        return group_out_of_memory(draft);
    }
    listener->row_size = size;
    return SETT_OK;
}

/* Adds the types of the descriptor to the lists of the group. */
static sett_status group_add_lists(const group_draft* draft)
{
    sett_world* world = draft->group->world;
    setti_listener* listener = &draft->group->listener;
    const sett_group_desc* desc = draft->desc;
    sett_status status = group_add_types(draft, desc->owned, &listener->owned);
    if (status != SETT_OK) {
        return status;
    }
    /* members need the owned types, too */
    status = group_add_types(draft, desc->owned, &listener->with);
    if (status != SETT_OK) {
        return status;
    }
    status = group_add_types(draft, desc->with, &listener->with);
    if (status != SETT_OK) {
        return status;
    }
    status = group_add_types(draft, desc->without, &listener->without);
    if (status != SETT_OK) {
        return status;
    }
    if (listener->with.count == 0) {
        return setti_world_fail_with(
            world, SETT_STATUS_ARGUMENT,
            "%s: group \"%.100s\" has no types in `owned` and `with` - list "
            "one there that is registered: its id is 0 until then",
            draft->call, listener->name);
    }
    return SETT_OK;
}

static sett_status group_init(group_draft* draft)
{
    sett_status status = group_check_lists(draft);
    if (status != SETT_OK) {
        return status;
    }
    status = group_add_lists(draft);
    if (status != SETT_OK) {
        return status;
    }
    status = group_make_row(draft);
    if (status != SETT_OK) {
        return status;
    }
    return group_reserve_owned(draft);
}

/* Whether the entity `index` is at the row `row` in all owned storages. */
static bool group_is_at(const setti_listener* listener, uint32_t index, uint32_t row)
{
    for (uint32_t k = 0; k < listener->owned.count; k++) {
        if (setti_sparse_row(&listener->owned.item[k]->storage, index) != row) {
            return false;
        }
    }
    return true;
}

/* Makes all matching entities members of a group with owned types. */
static void group_admit(sett_world* world, setti_listener* listener)
{
    const setti_storage* storage = &listener->owned.item[0]->storage;
    /* the group has at most as many members as the rarest owned type has values */
    uint32_t member_limit = storage->count;
    setti_matches known;
    setti_matches_init(&known);
    for (uint32_t k = 1; k < listener->owned.count; k++) {
        member_limit = SETTI_MIN(member_limit, listener->owned.item[k]->storage.count);
    }
    /* An entity that enters exchanges rows with an entity in a lower row. The loop has tested the
     * entities in lower rows. */
    for (uint32_t row = 0; row < storage->extent && listener->length < member_limit; row++) {
        uint32_t index = *setti_storage_index(storage, row);
        uint32_t signature = setti_entity_set_of(&world->entities, index);
        if (!setti_matches_find(&known, listener, &world->signatures, signature)) {
            continue;
        }
        if (group_is_at(listener, index, listener->length)) { /* in place already */
            listener->length++;
        } else {
            setti_listener_enter(&world->pool, listener, index);
        }
    }
}

bool setti_change_admit(sett_world* world, setti_listener* listener)
{
    SETTI_ASSERT(listener->with.count != 0 && !listener->observes);
    if (listener->owned.count != 0) {
        group_admit(world, listener);
        return true;
    }
    const setti_storage* rarest = &listener->with.item[0]->storage;
    for (uint32_t k = 1; k < listener->with.count; k++) {
        const setti_storage* storage = &listener->with.item[k]->storage;
        rarest = storage->count < rarest->count ? storage : rarest;
    }
    SETTI_EACH_INDEX(index, rarest) {
        if (!setti_listener_matches(listener, &world->signatures,
                                    setti_entity_set_of(&world->entities, index))) {
            continue;
        }
        if (!setti_listener_reserve(&world->pool, listener, index)) {
            return false;
        }
        setti_listener_enter(&world->pool, listener, index);
    }
    return true;
}

#if !defined(NDEBUG)
/* Whether the members are in the first `length` rows of the owned storages. Tests only three
 * rows. */
static bool group_is_arranged(const sett_world* world, const setti_listener* listener,
                              uint32_t length)
{
    const setti_storage* storage = &listener->owned.item[0]->storage;
    const uint32_t tested[] = {0, length - 1, length}; /* rows out of range are skipped */
    if (length > storage->count) {
        return false;
    }
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t row = tested[k];
        if (row >= storage->count) {
            continue;
        }
        uint32_t index = *setti_storage_index(storage, row);
        bool matches = setti_listener_matches(listener, &world->signatures,
                                              setti_entity_set_of(&world->entities, index));
        bool is_member = row < length;
        if (matches != is_member) {
            return false;
        }
        if (is_member && !group_is_at(listener, index, row)) {
            return false;
        }
    }
    return true;
}
#endif

/* Carries out the reserved conversions. Returns the number of members if the members are now the
 * first rows of all owned storages. Returns SETTI_NONE if this is not known. */
static uint32_t group_convert(group_draft* draft)
{
    const setti_listener* listener = &draft->group->listener;
    uint32_t member_count = SETTI_NONE;
    bool arranged = draft->conversion_count == listener->owned.count; /* all are converted */
    for (uint32_t k = 0; k < draft->conversion_count; k++) {
        /* the members come first in the new storage, in the order of indices */
        uint32_t count =
            setti_conversion_commit(draft->group->world, &draft->conversion[k], listener);
        if (k != 0 && count != member_count) {
            arranged = false;
        }
        member_count = count;
    }
    draft->conversion_count = 0;
    return arranged ? member_count : SETTI_NONE;
}

/* Ends the groups that have owned the types until now. Adds the matching entities to the group. */
static sett_status group_fill(group_draft* draft)
{
    SETTI_ASSERT(draft->group->listener.length == 0);
    sett_world* world = draft->group->world;
    setti_listener* listener = &draft->group->listener;
    for (uint32_t k = 0; k < listener->owned.count; k++) {
        if (listener->owned.item[k]->owner != NULL) {
            setti_group_end(setti_group_of(listener->owned.item[k]->owner));
        }
    }
    if (draft->conversion_count != 0) {
        draft->arranged = group_convert(draft);
    }
    if (draft->arranged != SETTI_NONE) { /* no search for members, which takes 2 ms for 500,000 */
        SETTI_ASSERT(group_is_arranged(world, listener, draft->arranged));
        listener->length = draft->arranged;
        return SETT_OK;
    }
    if (!setti_change_admit(world, listener)) {
        return group_out_of_memory(draft);
    }
    return SETT_OK;
}

static void group_link(sett_world* world, setti_listener* listener)
{
    setti_edit_listen(world, listener);
    setti_world_add_plain_root(world, &listener->root, &listener->length, sizeof(listener->length));
    setti_world_add_storage(world, &listener->members_root, &listener->members);
    for (uint32_t k = 0; k < listener->owned.count; k++) {
        listener->owned.item[k]->owner = listener;
    }
    world->listener_version++;
}

/* Properties of a new group, in addition to the descriptor. */
typedef struct group_options {
    bool by_layout;
    bool automatic;
    uint32_t length; /* see group_draft.arranged */
    setti_type* const* hidden;
} group_options;

/* Allocates a group. The group has no conditions yet. Returns NULL if memory runs out. */
static sett_group* group_alloc(sett_world* world, const sett_group_desc* desc,
                               group_options options, const char* call)
{
    const char* name = desc->name != NULL ? desc->name : "group";
    size_t size = strlen(name) + 1;
    sett_group* group = setti_world_alloc(world, sizeof(*group), 64, call);
    if (group == NULL) {
        return NULL;
    }
    char* copy = setti_world_alloc(world, size, 1, call);
    if (copy == NULL) {
        setti_pool_free(&world->pool, group, sizeof(*group), 64);
        return NULL;
    }
    group->world = world;
    group->listener.name = memcpy(copy, name, size);
    group->listener.on_enter = desc->on_enter;
    group->listener.on_exit = desc->on_exit;
    group->listener.user = desc->user;
    group->listener.by_layout = options.by_layout;
    group->listener.automatic = options.automatic;
    group->listener.hidden = options.hidden;
    setti_storage_init_tag(&group->listener.members);
    return group;
}

SETTI_COLD static sett_group* group_create(sett_world* world, const sett_group_desc* desc,
                                           group_options options, const char* call)
{
    if (setti_world_check_unlocked(world, call) != SETT_OK ||
        setti_world_check_no_snapshots(world, call) != SETT_OK) {
        return NULL;
    }
    sett_group* group = group_alloc(world, desc, options, call);
    if (group == NULL) {
        return NULL;
    }
    group_draft draft = {.group = group, .desc = desc, .call = call, .arranged = options.length};
    sett_status status = group_init(&draft);
    if (status == SETT_OK) {
        status = group_fill(&draft);
    }
    while (draft.conversion_count > 0) { /* after a failure: drops the reserved conversions */
        setti_conversion_drop(world, &draft.conversion[--draft.conversion_count]);
    }
    if (status != SETT_OK) {
        group_free(group);
        return NULL;
    }
    group_link(world, &group->listener);
    group->listener.use.churn = 0; /* does not count the first members */
    return group;
}

SETTI_COLD sett_group* sett_group_create_sized(sett_world* world, const sett_group_desc* desc,
                                               size_t size)
{
    sett_group_desc full;
    desc = setti_world_desc(world, desc, size, &full, sizeof(full), "sett_group_create");
    if (desc == NULL) {
        return NULL;
    }
    group_options options = {.length = SETTI_NONE};
    return group_create(world, desc, options, "sett_group_create");
}

sett_group* setti_group_create_for_layout(sett_world* world, const sett_group_desc* desc,
                                          bool automatic, uint32_t length, const char* call)
{
    group_options options = {.by_layout = true, .automatic = automatic, .length = length};
    return group_create(world, desc, options, call);
}

sett_group* setti_group_create_for_system(sett_world* world, const sett_group_desc* desc,
                                          const char* call)
{
    group_options options = {.length = SETTI_NONE, .hidden = world->hidden};
    return group_create(world, desc, options, call);
}

void setti_group_end(sett_group* group)
{
    SETTI_ASSERT(group->world->locks == 0);
    sett_world* world = group->world;
    setti_listener* listener = &group->listener;
    setti_world_remove_root(world, &listener->root);
    setti_world_remove_root(world, &listener->members_root);
    setti_edit_unlisten(world, listener);
    for (uint32_t k = 0; k < listener->owned.count; k++) {
        SETTI_ASSERT(listener->owned.item[k]->owner == listener);
        listener->owned.item[k]->owner = NULL;
    }
    world->listener_version++;
    group_free(group);
}

sett_status sett_group_destroy(sett_group* group)
{
    if (group == NULL) {
        return SETT_OK;
    }
    sett_status status = setti_world_check_unlocked(group->world, __func__);
    if (status != SETT_OK) {
        return status;
    }
    status = setti_world_check_no_snapshots(group->world, __func__);
    if (status != SETT_OK) {
        return status;
    }
    setti_group_end(group);
    return SETT_OK;
}

sett_status setti_group_give_way(sett_world* world, const setti_type* type, const char* call)
{
    setti_listener* owner = type->owner;
    if (owner == NULL) {
        return SETT_OK;
    }
    if (!owner->by_layout) {
        return setti_world_fail_with(
            world, SETT_STATUS_CONFLICT,
            "%s: \"%.100s\" is owned by group \"%.100s\" - destroy the group first", call,
            type->desc.name, owner->name);
    }
    sett_status status = setti_world_check_no_snapshots(world, call);
    if (status == SETT_OK) {
        setti_group_end(setti_group_of(owner));
    }
    return status;
}

uint32_t sett_group_count(const sett_group* group)
{
    if (SETTI_IS_NULL(group)) {
        return 0;
    }
    const setti_listener* listener = &group->listener;
    return listener->owned.count != 0 ? listener->length : listener->members.count;
}

bool sett_group_has(const sett_group* group, sett_entity entity)
{
    return !SETTI_IS_NULL(group) && sett_entity_valid(group->world, entity) &&
           setti_listener_has(&group->listener, entity.index);
}

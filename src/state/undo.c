/* undo.c: histories of editors.
 *
 * The workload: an artist changes a few values, some hundred times an hour, while a simulation
 * changes the rest of the world. A snapshot per step would hold all pages of the simulation. A
 * delta of the selection holds only the few values.
 *
 * A step needs a delta in each direction, and two states exist while a delta is encoded. So each
 * history has a second world, the mirror. The mirror has all entities, because links and parents
 * lead to entities. The mirror has values of selected entities only, and marks these entities with
 * a tag. Taking a step updates the mirror and encodes two deltas. Going to a step applies deltas to
 * the mirror. Then the differences between mirror and world are applied to the world.
 *
 *     world  --sync-->  mirror  --delta-->  mirror at the step  --selection-->  world
 *
 * Invariant:  between calls the mirror is in the state of the step `now`;
 *             now_snapshot = the mirror's snapshot of this state;
 *             size = the sum of the steps' sizes <= limit
 */
#include "state/undo.h"

#include "sett/hierarchy.h"
#include "sett/name.h"
#include "state/delta.h"
#include "state/replica.h"
#include "state/selection.h"
#include "state/snapshot.h"
#include "world/command.h"

#include <stdio.h>

#define UNDO_LIMIT ((size_t)64 << 20) /* 64 MB, the default of `memory_limit` */

/* A step, with two deltas: from the previous step to this step, and back. */
typedef struct undo_step {
    struct undo_step* before; /* the previous step, or NULL at the begin of the history */
    struct undo_step* after;  /* the step that redo goes to, or NULL */
    struct undo_step* next;   /* used by undo_walk only: the next step on the way forward */
    struct undo_step* older;  /* all steps form a list, from the oldest to the youngest */
    struct undo_step* younger;
    uint32_t number;
    uint32_t branches;   /* number of steps that have this step as `before` */
    size_t size;         /* bytes of this struct and `data` */
    size_t forward_size; /* bytes of the delta from `before` to this step */
    size_t back_size;    /* bytes of the delta from this step to `before` */
    char data[];         /* the delta from `before`, the delta to `before`, the terminated name */
} undo_step;

struct sett_undo {
    sett_world* world;
    sett_undo* next; /* list of the world's histories */
    sett_world* mirror;
    sett_selection selection;     /* of the world; the history owns the lists of the selection */
    sett_component* mirror_types; /* the selected types, as types of the mirror; without `tag` */
    uint32_t mirror_type_count;
    uint32_t mirror_type_capacity;
    sett_component tag;         /* marks the selected entities in the mirror */
    uint64_t tick;              /* the mirror has all writes of the world up to this tick */
    sett_snapshot now_snapshot; /* the mirror's snapshot of the state of `now` */
    undo_step* oldest;
    undo_step* youngest;
    undo_step* now;
    uint32_t number; /* the number of the latest step */
    size_t limit;
    size_t size;
};

/* A move from the present state to a step. */
typedef struct undo_move {
    sett_snapshot live;          /* the mirror's snapshot from before the move */
    setti_selected selected;     /* entities that are selected before the move */
    setti_selected changing;     /* entities selected at the step, or destroyed by the move */
    setti_selected entering;     /* entities of the world that are selected at the step only */
    setti_bytes changing_delta;  /* the changes of the values of `changing` */
    setti_bytes entering_values; /* all values of `entering` */
} undo_move;

sett_world* setti_undo_mirror(sett_undo* undo)
{
    return undo->mirror;
}

/* Reports a message in the world. Writes `call` before the message, unless the message begins with
 * `call`. */
static sett_status undo_report(sett_world* world, sett_status status, const char* call,
                               const char* message)
{
    size_t length = strlen(call);
    if (status == SETT_STATUS_OUT_OF_MEMORY) {
        return setti_world_no_memory(world, call);
    }
    bool begins_with_call = strncmp(message, call, length) == 0;
    /* a message begins with "call: " or "call, ", not with a longer name */
    char separator = begins_with_call ? message[length] : '\0';
    if (separator == ':' || separator == ',') {
        return setti_world_fail_input(world, status, "%s", message);
    }
    return setti_world_fail_input(world, status, "%s: %.400s", call, message);
}

/* Reports the mirror's message in the world. Returns `status`. */
static sett_status undo_fail(sett_undo* undo, sett_status status, const char* call)
{
    return undo_report(undo->world, status, call, sett_world_message(undo->mirror));
}

/* Reports the mirror's message in the world. Returns the mirror's status. */
static sett_status undo_fail_mirror(sett_undo* undo, const char* call)
{
    return undo_fail(undo, sett_world_error(undo->mirror), call);
}

static bool undo_list_add(sett_world* world, setti_selected* list, sett_entity entity)
{
    bool added = setti_selected_add(world, list, entity);
    if (!added) {
        setti_world_no_memory(world, "sett_undo");
    }
    return added;
}

/* Lists the tagged entities of the mirror: the selected entities. */
static bool undo_list_tagged(sett_undo* undo, setti_selected* list)
{
    sett_world* mirror = undo->mirror;
    const setti_storage* storage = &setti_world_type(mirror, undo->tag)->storage;
    list->count = 0;
    SETTI_EACH_INDEX(index, storage) {
        if (!undo_list_add(mirror, list, setti_entity_at(&mirror->entities, index))) {
            return false;
        }
    }
    return true;
}

/* Lists the entities of `world` that `other` lacks. The list is allocated in `mirror`. */
static bool undo_list_only(const sett_world* world, const sett_world* other, sett_world* mirror,
                           setti_selected* list)
{
    uint32_t cursor = 0;
    uint32_t index;
    while ((index = setti_entity_next(&world->entities, &cursor)) != SETTI_NONE) {
        sett_entity entity = setti_entity_at(&world->entities, index);
        if (!sett_entity_valid(other, entity) && !undo_list_add(mirror, list, entity)) {
            return false;
        }
    }
    return true;
}

/* -------------------------------------------------------------------- updating the mirror */

/* Applies an encoded part to a world, then frees the bytes. `pool` has allocated the bytes. */
static sett_status undo_apply(sett_world* world, setti_pool* pool, setti_bytes* bytes,
                              const char* call)
{
    static const sett_selection all = {0};
    const setti_delta_allowed allowed = {.selection = &all};
    sett_status status = setti_delta_apply_part(world, bytes->data, bytes->size, &allowed, call);
    setti_bytes_free(pool, bytes);
    return status;
}

/* Returns true if a type of the world and the mirror's type of the same name differ in layout. */
static bool undo_type_differs(const setti_type* type, const setti_type* mirrored)
{
    if (mirrored->desc.size != type->desc.size ||
        mirrored->desc.layout_version != type->desc.layout_version) {
        return true;
    }
    return setti_delta_form_of(mirrored) != setti_delta_form_of(type) ||
           setti_delta_bytes(mirrored) != setti_delta_bytes(type);
}

/* Registers the world's new types in the mirror. */
static sett_status undo_sync_types(sett_undo* undo, const char* call)
{
    const sett_world* world = undo->world;
    for (uint32_t k = 0; k < world->registered.count; k++) {
        const setti_type* type = world->registered.item[k];
        const setti_type* mirrored = setti_type_find(undo->mirror, type->desc.name);
        if (mirrored != NULL && undo_type_differs(type, mirrored)) {
            return setti_world_fail_with(undo->world, SETT_STATUS_CONFLICT,
                                         "%s: \"%.100s\" has another layout than when the history "
                                         "began - create a new history (sett_undo_create)",
                                         call, type->desc.name);
        }
        if (setti_replica_join(undo->mirror, world, type, call) != SETT_OK) {
            return undo_fail_mirror(undo, call);
        }
    }
    return SETT_OK;
}

/* Sets undo->mirror_types to the selected types. All types are selected if the selection lists no
 * types. */
static sett_status undo_find_types(sett_undo* undo, const char* call)
{
    const sett_world* world = undo->world;
    const sett_selection* selection = &undo->selection;
    bool selects_all = selection->type_count == 0;
    uint32_t count = selects_all ? world->registered.count : selection->type_count;
    undo->mirror_type_count = 0;
    if (count == 0) {
        return setti_world_fail_with(undo->world, SETT_STATUS_ARGUMENT,
                                     "%s: no component is registered - register a component first",
                                     call);
    }
    for (uint32_t k = 0; k < count; k++) {
        const setti_type* type;
        if (selects_all) {
            type = world->registered.item[k];
        } else {
            type = setti_world_type(world, selection->types[k]);
        }
        if (type == NULL) {
            return setti_world_fail(undo->world, SETT_STATUS_UNREGISTERED, call, sett_null(),
                                    selection->types[k]);
        }
        sett_component* types =
            setti_pool_grow(&undo->mirror->pool, undo->mirror_types, sizeof(*types),
                            undo->mirror_type_count, 1, &undo->mirror_type_capacity);
        if (types == NULL) {
            return setti_world_no_memory(undo->world, call);
        }
        undo->mirror_types = types;
        types[undo->mirror_type_count++] = setti_type_find(undo->mirror, type->desc.name)->id;
    }
    return SETT_OK;
}

/* Destroys and creates entities of the mirror. */
static sett_status undo_apply_handles(sett_world* mirror, const setti_selected* destroyed,
                                      const setti_selected* created, const char* call)
{
    setti_bytes bytes = {0};
    sett_status status = setti_selection_encode_handles(mirror, destroyed, created, call, &bytes);
    if (status != SETT_OK) {
        setti_bytes_free(&mirror->pool, &bytes);
        return status;
    }
    return undo_apply(mirror, &mirror->pool, &bytes, call);
}

/* Creates and destroys entities of the mirror until it has the same entities as the world. */
static sett_status undo_sync_entities(sett_undo* undo, const char* call)
{
    sett_world* mirror = undo->mirror;
    setti_selected destroyed = {0};
    setti_selected created = {0};
    sett_status status = SETT_OK;
    bool listed = undo_list_only(mirror, undo->world, mirror, &destroyed) &&
                  undo_list_only(undo->world, mirror, mirror, &created);
    if (!listed) {
        status = mirror->error;
    } else if (destroyed.count + created.count != 0) {
        status = undo_apply_handles(mirror, &destroyed, &created, call);
    }
    setti_selection_free(mirror, &destroyed);
    setti_selection_free(mirror, &created);
    if (status != SETT_OK) {
        return undo_fail(undo, status, call);
    }
    return SETT_OK;
}

static bool undo_has_children(const sett_world* world, sett_entity entity)
{
#if defined(SETT_NO_RELATION)
    (void)world;
    (void)entity;
    return false;
#else
    return !sett_is_null(sett_hierarchy_first(world, entity));
#endif
}

/* Removes an entity's values from the mirror, except values that other entities depend on. The
 * entity leaves the hierarchy last, after its name is removed. Otherwise the entity would be a root
 * with a name, and another root could have the same name. */
static bool undo_remove_values(sett_undo* undo, sett_entity entity)
{
    sett_world* mirror = undo->mirror;
    const setti_type* hierarchy = NULL; /* the type whose values are parents */
    for (uint32_t k = 0; k < mirror->registered.count; k++) {
        const setti_type* type = mirror->registered.item[k];
        setti_delta_form form = setti_delta_form_of(type);
        if (form == SETTI_DELTA_TREE) {
            hierarchy = type;
            continue;
        }
        bool removes = form != SETTI_DELTA_TARGET && sett_has(mirror, entity, type->id);
        if (removes && sett_remove(mirror, entity, type->id) != SETT_OK) {
            return false;
        }
    }
    bool in_hierarchy = hierarchy != NULL && sett_has(mirror, entity, hierarchy->id);
    if (!in_hierarchy || undo_has_children(mirror, entity)) {
        return true;
    }
    return sett_remove(mirror, entity, hierarchy->id) == SETT_OK;
}

/* Removes the values and the tag of entities that are no longer selected. */
static sett_status undo_sync_deselected(sett_undo* undo, const setti_selected* selected,
                                        const char* call)
{
    sett_world* mirror = undo->mirror;
    setti_selected tagged = {0};
    bool ok = undo_list_tagged(undo, &tagged);
    for (uint32_t k = 0; ok && k < tagged.count; k++) {
        if (!setti_selected_has(selected, tagged.entity[k])) {
            ok = undo_remove_values(undo, tagged.entity[k]);
        }
    }
    setti_selection_free(mirror, &tagged);
    if (!ok) {
        return undo_fail_mirror(undo, call);
    }
    return SETT_OK;
}

/* Tags the selected entities in the mirror. */
static bool undo_sync_tags(sett_undo* undo, const setti_selected* selected)
{
    bool ok = true;
    for (uint32_t k = 0; ok && k < selected->count; k++) {
        if (sett_entity_valid(undo->mirror, selected->entity[k])) {
            ok = sett_ensure(undo->mirror, selected->entity[k], undo->tag) != NULL;
        }
    }
    return ok;
}

#if defined(SETT_NO_RELATION)
/* Without relations, there are no children to order. */
static bool undo_arrange(const sett_world* from_world, sett_world* to_world,
                         const setti_selected* list)
{
    (void)from_world;
    (void)to_world;
    (void)list;
    return true;
}
#else
/* Returns true if the list of children in `to_world` begins with all children that `parent` has in
 * `from_world`, in the same order. */
static bool undo_is_arranged(const sett_world* from_world, const sett_world* to_world,
                             sett_entity parent)
{
    sett_entity to_child = sett_hierarchy_first(to_world, parent);
    for (sett_entity child = sett_hierarchy_first(from_world, parent); !sett_is_null(child);
         child = sett_hierarchy_next(from_world, child)) {
        if (!sett_equals(child, to_child)) {
            return false;
        }
        to_child = sett_hierarchy_next(to_world, to_child);
    }
    return true;
}

/* Gives the children of `parent` in `to_world` the order of `from_world`. Overwrites `order`, the
 * caller's scratch list. */
static bool undo_order_children(const sett_world* from_world, sett_world* to_world,
                                sett_entity parent, setti_selected* order)
{
    order->count = 0;
    for (sett_entity child = sett_hierarchy_first(from_world, parent); !sett_is_null(child);
         child = sett_hierarchy_next(from_world, child)) {
        bool in_both = sett_equals(sett_hierarchy_parent(to_world, child), parent);
        if (in_both && !undo_list_add(to_world, order, child)) {
            return false;
        }
    }
    if (order->count == 0) {
        return true;
    }
    return sett_hierarchy_order(to_world, parent, order->entity, order->count) == SETT_OK;
}

/* Orders the children of all listed entities. */
static bool undo_order(const sett_world* from_world, sett_world* to_world,
                       const setti_selected* list)
{
    setti_selected order = {0};
    bool ok = true;
    for (uint32_t k = 0; ok && k < list->count; k++) {
        sett_entity parent = list->entity[k];
        bool in_both = sett_entity_valid(from_world, parent) && sett_entity_valid(to_world, parent);
        if (in_both && !undo_is_arranged(from_world, to_world, parent)) {
            ok = undo_order_children(from_world, to_world, parent, &order);
        }
    }
    setti_selection_free(to_world, &order);
    return ok;
}

/* Returns true if an entity lacks its name of `from_world` in `to_world`, and no sibling there has
 * the name. */
static bool undo_can_rename(const sett_world* from_world, const sett_world* to_world,
                            sett_entity entity)
{
    const char* name = sett_name_get(from_world, entity);
    const char* current = sett_name_get(to_world, entity);
    if (name == NULL || !sett_entity_valid(to_world, entity)) {
        return false;
    }
    if (current != NULL && strcmp(current, name) == 0) {
        return false;
    }
    sett_entity parent = sett_hierarchy_parent(to_world, entity);
    return sett_is_null(sett_name_find(to_world, parent, name));
}

/* Sets names in `to_world` that could not be set while other entities still had these names. */
static bool undo_rename(const sett_world* from_world, sett_world* to_world,
                        const setti_selected* list)
{
    for (uint32_t k = 0; k < list->count; k++) {
        sett_entity entity = list->entity[k];
        if (undo_can_rename(from_world, to_world, entity) &&
            sett_name_set(to_world, entity, sett_name_get(from_world, entity)) != SETT_OK) {
            return false;
        }
    }
    return true;
}

/* Copies the order of children, and names, from `from_world` to `to_world`. */
static bool undo_arrange(const sett_world* from_world, sett_world* to_world,
                         const setti_selected* list)
{
    return undo_order(from_world, to_world, list) && undo_rename(from_world, to_world, list);
}
#endif

/* Copies the values, names and order of selected entities to the mirror. */
static sett_status undo_sync_values(sett_undo* undo, const setti_selected* selected,
                                    const char* call)
{
    sett_world* world = undo->world;
    sett_world* mirror = undo->mirror;
    const sett_selection listed = {.entities = selected->entity,
                                   .entity_count = selected->count,
                                   .types = undo->selection.types,
                                   .type_count = undo->selection.type_count};
    const setti_part part = {.selection = &listed, .to_world = mirror, .tick = undo->tick};
    setti_bytes bytes = {0};
    if (selected->count == 0) {
        return SETT_OK;
    }
    sett_status status = setti_selection_encode(world, &part, call, &bytes);
    if (status != SETT_OK) {
        setti_bytes_free(&world->pool, &bytes);
        return status;
    }
    status = undo_apply(mirror, &world->pool, &bytes, call);
    if (status != SETT_OK) {
        return undo_fail(undo, status, call);
    }
    bool equal = undo_sync_tags(undo, selected) && undo_arrange(world, mirror, selected);
    if (!equal) {
        return undo_fail_mirror(undo, call);
    }
    return SETT_OK;
}

/* Gives the mirror the types and entities of the world. */
static bool undo_sync_handles(sett_undo* undo, const char* call)
{
    sett_world* world = undo->world;
    if (setti_world_check_unlocked(world, call) != SETT_OK) {
        return false;
    }
    if (setti_commands_apply_all(world, call) != SETT_OK) {
        return false;
    }
    if (undo_sync_types(undo, call) != SETT_OK || undo_find_types(undo, call) != SETT_OK) {
        return false;
    }
    return undo_sync_entities(undo, call) == SETT_OK;
}

/* Makes the mirror equal to the present selection. */
static sett_status undo_sync(sett_undo* undo, const char* call)
{
    sett_world* world = undo->world;
    setti_selected selected = {0};
    sett_status status;
    bool ready = undo_sync_handles(undo, call) &&
                 setti_selection_find(world, &undo->selection, call, &selected) == SETT_OK;
    if (ready) {
        status = undo_sync_deselected(undo, &selected, call);
    } else {
        status = setti_world_failure(world);
    }
    if (status == SETT_OK) {
        status = undo_sync_values(undo, &selected, call);
    }
    setti_selection_free(world, &selected);
    return status;
}

static sett_status undo_take(sett_undo* undo, sett_snapshot* out, const char* call)
{
    sett_status status = sett_snapshot_take(undo->mirror, out);
    if (status != SETT_OK) {
        return undo_fail(undo, status, call);
    }
    return SETT_OK;
}

/* Replaces the snapshot of the present step by `snapshot`, the mirror's present state. */
static void undo_settle(sett_undo* undo, sett_snapshot snapshot)
{
    setti_snapshot_release(undo->mirror, undo->now_snapshot);
    undo->now_snapshot = snapshot;
    undo->tick = sett_world_tick(undo->world); /* the mirror has all writes until now */
    sett_world_advance_tick(undo->world);
}

/* Restores the mirror to the present step after a failure, and releases the mirror's snapshot
 * `taken`. Returns `status`. */
static sett_status undo_reset(sett_undo* undo, sett_snapshot taken, sett_status status)
{
    (void)setti_snapshot_undo(undo->mirror, undo->now_snapshot, "sett_undo");
    setti_snapshot_release(undo->mirror, taken);
    return status;
}

/* --------------------------------------------------------------------------------------- steps */

/* Returns the step with this number, or NULL if there is none. */
static undo_step* undo_find(const sett_undo* undo, uint32_t number)
{
    undo_step* step = undo->now->number == number ? undo->now : undo->oldest;
    while (step != NULL && step->number != number) {
        step = step->younger;
    }
    return step;
}

static void undo_free_step(sett_undo* undo, undo_step* step)
{
    undo->size -= step->size;
    setti_pool_free(&undo->world->pool, step, step->size, 16);
}

static void undo_free_steps(sett_undo* undo)
{
    while (undo->oldest != NULL) {
        undo_step* step = undo->oldest;
        undo->oldest = step->younger;
        undo_free_step(undo, step);
    }
}

/* Frees a step that undo_find_forgettable has returned. This is the end of a branch, or the oldest
 * step if at most one step follows directly. */
static void undo_forget(sett_undo* undo, undo_step* step)
{
    SETTI_ASSERT(step != undo->now && step->branches <= 1);
    if (step->branches != 0) {
        /* searches the step that follows, because step->after can be NULL */
        undo_step* second = step->younger;
        while (second->before != step) {
            second = second->younger;
        }
        second->before = NULL; /* the history begins there now */
    }
    if (step->before != NULL) {
        step->before->branches--;
        if (step->before->after == step) {
            step->before->after = NULL;
        }
    }
    if (step->older != NULL) {
        step->older->younger = step->younger;
    } else {
        undo->oldest = step->younger;
    }
    if (step->younger != NULL) {
        step->younger->older = step->older;
    } else {
        undo->youngest = step->older;
    }
    undo_free_step(undo, step);
}

/* Returns the step to forget next. This is the oldest step if at most one step follows directly,
 * otherwise the oldest end of a branch. Never returns the present step. Returns NULL if no step can
 * be forgotten. */
static undo_step* undo_find_forgettable(const sett_undo* undo)
{
    undo_step* oldest = undo->oldest;
    if (oldest != NULL && oldest != undo->now && oldest->branches <= 1) {
        return oldest;
    }
    for (undo_step* step = oldest; step != NULL; step = step->younger) {
        if (step != undo->now && step->branches == 0) {
            return step;
        }
    }
    return NULL;
}

static void undo_copy_bytes(char* destination, const setti_bytes* bytes)
{
    if (bytes->size != 0) {
        memcpy(destination, bytes->data, bytes->size);
    }
}

static undo_step* undo_make_step(sett_undo* undo, const char* name, const setti_bytes* forward,
                                 const setti_bytes* back, const char* call)
{
    size_t length = strlen(name) + 1;
    size_t size = sizeof(undo_step) + forward->size + back->size + length;
    if (size > undo->limit) {
        (void)setti_world_fail_with(undo->world, SETT_STATUS_LIMIT,
                                    "%s: the step takes %lu bytes, and `memory_limit` is %lu bytes "
                                    "- create the history with a higher limit, or begin again from "
                                    "the present state (sett_undo_clear)",
                                    call, (unsigned long)size, (unsigned long)undo->limit);
        return NULL;
    }
    undo_step* step = setti_world_alloc(undo->world, size, 16, call);
    if (step != NULL) {
        step->size = size;
        step->forward_size = forward->size;
        step->back_size = back->size;
        memcpy(step->data + forward->size + back->size, name, length);
        undo_copy_bytes(step->data, forward);
        undo_copy_bytes(step->data + forward->size, back);
    }
    return step;
}

/* Makes a new step the present step. Forgets steps while the history is above the limit. */
static void undo_add_step(sett_undo* undo, undo_step* step)
{
    step->number = ++undo->number;
    step->before = undo->now;
    step->older = undo->youngest;
    if (undo->youngest != NULL) {
        undo->youngest->younger = step;
    } else {
        undo->oldest = step;
    }
    undo->youngest = step;
    if (undo->now != NULL) {
        undo->now->after = step;
        undo->now->branches++;
    }
    undo->now = step;
    undo->size += step->size;
    while (undo->size > undo->limit) {
        undo_step* forgotten = undo_find_forgettable(undo);
        if (forgotten == NULL) {
            break;
        }
        undo_forget(undo, forgotten);
    }
}

/* Makes a step from the snapshot of the present step to the mirror's new snapshot `taken`. *step
 * becomes NULL if the two snapshots are equal. */
static sett_status undo_encode(sett_undo* undo, sett_snapshot taken, const char* name,
                               const char* call, undo_step** step)
{
    sett_world* mirror = undo->mirror;
    setti_bytes forward = {0};
    setti_bytes back = {0};
    *step = NULL;
    sett_status status = setti_delta_encode(mirror, undo->now_snapshot, taken, call, &forward);
    if (status == SETT_OK) {
        status = setti_delta_encode(mirror, taken, undo->now_snapshot, call, &back);
    }
    if (status != SETT_OK) {
        status = undo_fail(undo, status, call);
    } else if (forward.size > SETTI_DELTA_HEAD) { /* otherwise nothing changed */
        *step = undo_make_step(undo, name, &forward, &back, call);
        if (*step == NULL) {
            status = undo->world->error;
        }
    }
    setti_bytes_free(&mirror->pool, &forward);
    setti_bytes_free(&mirror->pool, &back);
    return status;
}

sett_status sett_undo_step(sett_undo* undo, const char* name)
{
    sett_snapshot taken = {0, 0}; /* the mirror's snapshot of the new step */
    undo_step* step = NULL;
    if (SETTI_IS_NULL(undo)) {
        return SETT_STATUS_ARGUMENT;
    }
    sett_status status = undo_sync(undo, __func__);
    if (status == SETT_OK) {
        status = undo_take(undo, &taken, __func__);
    }
    if (status == SETT_OK) {
        status = undo_encode(undo, taken, name != NULL ? name : "", __func__, &step);
    }
    if (status != SETT_OK) {
        return undo_reset(undo, taken, status);
    }
    undo_settle(undo, taken);
    if (step != NULL) {
        undo_add_step(undo, step);
    }
    return SETT_OK;
}

/* -------------------------------------------------------------------------------------- moving */

/* Moves the mirror from the step `start` to the step `goal`: back to their latest common step, then
 * forward. */
static sett_status undo_walk(sett_undo* undo, undo_step* start, undo_step* goal, const char* call)
{
    undo_step* common = start;
    undo_step* ancestor = goal;
    while (common != ancestor) { /* the later step of the two goes back, until they are the same */
        if (common->number > ancestor->number) {
            common = common->before;
        } else {
            ancestor->before->next = ancestor;
            ancestor = ancestor->before;
        }
    }
    undo_step* step = start;
    while (step != common) { /* applies the deltas back to the common step */
        sett_status status = setti_delta_apply_from(undo->mirror, step->data + step->forward_size,
                                                    step->back_size, SETTI_FROM_DELTA, call);
        if (status != SETT_OK) {
            return status;
        }
        step = step->before;
    }
    while (step != goal) { /* applies the deltas forward to the goal */
        step = step->next;
        sett_status status = setti_delta_apply_from(undo->mirror, step->data, step->forward_size,
                                                    SETTI_FROM_DELTA, call);
        if (status != SETT_OK) {
            return status;
        }
    }
    return SETT_OK;
}

/* Lists the entities that a move changes. The mirror has moved to the step already. */
static sett_status undo_move_find(sett_undo* undo, undo_move* move, const char* call)
{
    sett_world* mirror = undo->mirror;
    setti_selected tagged = {0};
    bool ok = undo_list_tagged(undo, &tagged);
    for (uint32_t k = 0; ok && k < tagged.count; k++) {
        sett_entity entity = tagged.entity[k];
        bool enters =
            sett_entity_valid(undo->world, entity) && !setti_selected_has(&move->selected, entity);
        setti_selected* list = enters ? &move->entering : &move->changing;
        ok = undo_list_add(mirror, list, entity);
    }
    for (uint32_t k = 0; ok && k < move->selected.count; k++) {
        sett_entity entity = move->selected.entity[k];
        if (!sett_entity_valid(mirror, entity)) { /* the move destroys the entity */
            ok = undo_list_add(mirror, &move->changing, entity);
        }
    }
    setti_selection_free(mirror, &tagged);
    if (!ok) {
        return undo_fail(undo, SETT_STATUS_OUT_OF_MEMORY, call);
    }
    return SETT_OK;
}

/* Encodes the mirror's values of the listed entities. `part` limits which values are encoded. */
static sett_status undo_encode_list(const sett_undo* undo, const setti_selected* list,
                                    setti_part part, const char* call, setti_bytes* out)
{
    const sett_selection listed = {.entities = list->entity,
                                   .entity_count = list->count,
                                   .types = undo->mirror_types,
                                   .type_count = undo->mirror_type_count};
    if (list->count == 0) {
        return SETT_OK;
    }
    part.selection = &listed;
    return setti_selection_encode(undo->mirror, &part, call, out);
}

static sett_status undo_move_encode(sett_undo* undo, undo_move* move, const char* call)
{
    const setti_part changes = {.since = move->live};    /* values that differ from the snapshot */
    const setti_part values = {.to_world = undo->world}; /* all values */
    sett_status status =
        undo_encode_list(undo, &move->changing, changes, call, &move->changing_delta);
    if (status == SETT_OK) {
        status = undo_encode_list(undo, &move->entering, values, call, &move->entering_values);
    }
    if (status != SETT_OK) {
        return undo_fail(undo, status, call);
    }
    return SETT_OK;
}

/* Saves the mirror's present state in move->live, and the selected entities in move->selected. Then
 * moves the mirror to a step. */
static sett_status undo_move_mirror(sett_undo* undo, undo_move* move, undo_step* step,
                                    const char* call)
{
    if (!undo_list_tagged(undo, &move->selected)) {
        return SETT_STATUS_OUT_OF_MEMORY;
    }
    sett_status status = sett_snapshot_take(undo->mirror, &move->live);
    if (status != SETT_OK) {
        return status;
    }
    /* deltas lead from step to step: unrecorded changes go first */
    status = setti_snapshot_undo(undo->mirror, undo->now_snapshot, call);
    if (status != SETT_OK) {
        return status;
    }
    return undo_walk(undo, undo->now, step, call);
}

/* Moves the mirror to a step and encodes the changes. */
static sett_status undo_move_prepare(sett_undo* undo, undo_move* move, undo_step* step,
                                     const char* call)
{
    sett_status status = undo_move_mirror(undo, move, step, call);
    if (status != SETT_OK) {
        return undo_fail(undo, status, call);
    }
    status = undo_move_find(undo, move, call);
    if (status != SETT_OK) {
        return status;
    }
    return undo_move_encode(undo, move, call);
}

/* Undoes a move of the world that failed with `status`. Returns the status to report. If
 * `reports_again` is true, the world's message is reported once more, as a message of `call`. */
static sett_status undo_revert(sett_world* world, sett_snapshot before, sett_status status,
                               bool reports_again, const char* call)
{
    char message[SETTI_MESSAGE_SIZE];
    if (sett_snapshot_status(world, before) != SETT_OK) {
        return setti_world_fail_with(world, SETT_STATUS_LOST,
                                     "%s: the move failed, and memory ran out before it was "
                                     "undone: this world has a part of it - load a saved state, "
                                     "then call sett_undo_clear",
                                     call);
    }
    (void)sett_world_message(world); /* formats the message */
    memcpy(message, world->message, sizeof(message));
    (void)setti_snapshot_undo(world, before, call);
    if (reports_again) {
        return undo_report(world, status, call, message);
    }
    return status;
}

/* Applies the encoded changes and values of a move to the world. */
static sett_status undo_move_apply(sett_undo* undo, undo_move* move, const char* call)
{
    setti_pool* pool = &undo->mirror->pool;
    if (move->changing_delta.size != 0) {
        sett_status status = undo_apply(undo->world, pool, &move->changing_delta, call);
        if (status != SETT_OK) {
            return status;
        }
    }
    if (move->entering_values.size == 0) {
        return SETT_OK;
    }
    return undo_apply(undo->world, pool, &move->entering_values, call);
}

/* Makes a move in the world. If the move fails, the world is as before. */
static sett_status undo_move_world(sett_undo* undo, undo_move* move, const char* call)
{
    sett_world* world = undo->world;
    sett_snapshot before;
    sett_status status = setti_snapshot_take(world, &before, call);
    if (status != SETT_OK) {
        return status;
    }
    status = undo_move_apply(undo, move, call);
    if (status != SETT_OK) {
        status = undo_revert(world, before, status, false, call);
    } else {
        bool arranged = undo_arrange(undo->mirror, world, &move->changing) &&
                        undo_arrange(undo->mirror, world, &move->entering);
        if (!arranged) {
            status = undo_revert(world, before, world->error, true, call);
        }
    }
    setti_snapshot_release(world, before);
    return status;
}

/* Makes `step` the present step. `snapshot` is the mirror's snapshot of the step. */
static void undo_arrive(sett_undo* undo, undo_step* step, sett_snapshot snapshot)
{
    undo_settle(undo, snapshot);
    undo->now = step;
    /* from each earlier step, redo goes to the branch of `step` */
    for (undo_step* ancestor = step; ancestor->before != NULL; ancestor = ancestor->before) {
        ancestor->before->after = ancestor;
    }
}

static void undo_move_end(sett_undo* undo, undo_move* move)
{
    setti_pool* pool = &undo->mirror->pool;
    setti_snapshot_release(undo->mirror, move->live);
    setti_selection_free(undo->mirror, &move->selected);
    setti_selection_free(undo->mirror, &move->changing);
    setti_selection_free(undo->mirror, &move->entering);
    setti_bytes_free(pool, &move->changing_delta);
    setti_bytes_free(pool, &move->entering_values);
}

/* Moves the mirror and the world to a step. *taken becomes the mirror's snapshot of the step. */
static sett_status undo_move_both(sett_undo* undo, undo_move* move, undo_step* step,
                                  sett_snapshot* taken, const char* call)
{
    sett_status status = undo_sync(undo, call);
    if (status != SETT_OK) {
        return status;
    }
    status = undo_move_prepare(undo, move, step, call);
    if (status != SETT_OK) {
        return status;
    }
    status = undo_take(undo, taken, call);
    if (status != SETT_OK) {
        return status;
    }
    return undo_move_world(undo, move, call);
}

static sett_status undo_go(sett_undo* undo, undo_step* step, const char* call)
{
    undo_move move = {.live = {0, 0}};
    sett_snapshot taken = {0, 0};
    sett_status status = undo_move_both(undo, &move, step, &taken, call);
    if (status == SETT_OK) {
        undo_arrive(undo, step, taken);
    } else {
        undo_reset(undo, taken, status);
    }
    undo_move_end(undo, &move);
    return status;
}

sett_status sett_undo_go(sett_undo* undo, uint32_t step)
{
    if (SETTI_IS_NULL(undo)) {
        return SETT_STATUS_ARGUMENT;
    }
    undo_step* found = undo_find(undo, step);
    if (found == NULL) {
        return setti_world_fail_with(undo->world, SETT_STATUS_ARGUMENT,
                                     "sett_undo_go: step %u does not exist - pass one that "
                                     "sett_undo_next lists",
                                     (unsigned)step);
    }
    return undo_go(undo, found, "sett_undo_go");
}

sett_status sett_undo_back(sett_undo* undo)
{
    if (SETTI_IS_NULL(undo)) {
        return SETT_STATUS_ARGUMENT;
    }
    if (undo->now->before == NULL) {
        return SETT_STATUS_ABSENT;
    }
    return undo_go(undo, undo->now->before, "sett_undo_back");
}

sett_status sett_undo_forward(sett_undo* undo)
{
    if (SETTI_IS_NULL(undo)) {
        return SETT_STATUS_ARGUMENT;
    }
    if (undo->now->after == NULL) {
        return SETT_STATUS_ABSENT;
    }
    return undo_go(undo, undo->now->after, "sett_undo_forward");
}

/* ------------------------------------------------------------------------- beginning and ending */

static void undo_free(sett_undo* undo)
{
    setti_pool* pool = &undo->world->pool;
    undo_free_steps(undo);
    if (undo->mirror != NULL) {
        (void)sett_world_destroy(undo->mirror);
    }
    setti_pool_free(pool, setti_unconst(undo->selection.types),
                    undo->selection.type_count * sizeof(sett_component), 16);
    setti_pool_free(pool, setti_unconst(undo->selection.entities),
                    undo->selection.entity_count * sizeof(sett_entity), 16);
    setti_pool_free(pool, undo, sizeof(*undo), 16);
}

static void undo_free_all(sett_world* world)
{
    for (sett_undo* undo = world->module[SETTI_SLOT_UNDO]; undo != NULL;) {
        sett_undo* next = undo->next;
        undo_free(undo);
        undo = next;
    }
    world->module[SETTI_SLOT_UNDO] = NULL;
}

/* Copies a list. `out` is the address of a pointer, which becomes the address of the copy. If the
 * list is empty, nothing is set. *copied_count becomes the number of items. Returns false if memory
 * runs out. */
static bool undo_copy(sett_world* world, void* out, uint32_t* copied_count, const void* list,
                      uint32_t count, size_t item_size, const char* call)
{
    if (count == 0) {
        return true;
    }
    void* copy = setti_world_alloc(world, count * item_size, 16, call);
    if (copy == NULL) {
        return false;
    }
    memcpy(copy, list, count * item_size);
    *copied_count = count;
    memcpy(out, &copy, sizeof(copy)); /* memcpy, because the pointer can have any type */
    return true;
}

static bool undo_copy_selection(sett_undo* undo, const sett_selection* selection, const char* call)
{
    sett_world* world = undo->world;
    sett_selection* copy = &undo->selection;
    copy->query = selection->query;
    if (setti_selection_check(world, selection, call) != SETT_OK) {
        return false;
    }
    return undo_copy(world, &copy->entities, &copy->entity_count, selection->entities,
                     selection->entity_count, sizeof(*selection->entities), call) &&
           undo_copy(world, &copy->types, &copy->type_count, selection->types,
                     selection->type_count, sizeof(*selection->types), call);
}

static bool undo_make_mirror(sett_undo* undo, const char* call)
{
    undo->mirror = setti_replica_create(undo->world);
    if (undo->mirror == NULL) {
        (void)setti_world_no_memory(undo->world, call);
        return false;
    }
    if (undo_sync_types(undo, call) != SETT_OK) {
        return false;
    }
    undo->tag = sett_component_register(
        undo->mirror, &(sett_component_desc){.name = "sett undo: selected", .dont_fragment = true});
    if (undo->tag == 0) {
        (void)undo_fail_mirror(undo, call);
        return false;
    }
    return undo_take(undo, &undo->now_snapshot, call) == SETT_OK;
}

/* Makes the first step of a history, which has no deltas. *taken becomes the mirror's snapshot of
 * the step. Returns NULL after a failure. */
static undo_step* undo_make_first(sett_undo* undo, sett_snapshot* taken, const char* call)
{
    static const setti_bytes none = {0};
    if (undo_sync(undo, call) != SETT_OK || undo_take(undo, taken, call) != SETT_OK) {
        return NULL;
    }
    return undo_make_step(undo, "", &none, &none, call);
}

/* Begins the history anew at the present state. */
static sett_status undo_begin(sett_undo* undo, const char* call)
{
    sett_snapshot taken = {0, 0};
    undo_step* step = undo_make_first(undo, &taken, call);
    if (step == NULL) {
        return undo_reset(undo, taken, setti_world_failure(undo->world));
    }
    undo_free_steps(undo);
    undo->youngest = NULL;
    undo->now = NULL;
    undo->number = 0;
    undo_settle(undo, taken);
    undo_add_step(undo, step);
    return SETT_OK;
}

SETTI_COLD sett_undo* sett_undo_create_sized(sett_world* world, const sett_undo_desc* given,
                                             size_t size)
{
    static const char call[] = "sett_undo_create";
    static const setti_module_calls calls = {.slot = SETTI_SLOT_UNDO, .free = undo_free_all};
    sett_undo_desc desc = {.memory_limit = 0};
    if (SETTI_IS_NULL(world) || setti_world_check_unlocked(world, call) != SETT_OK) {
        return NULL;
    }
    if (given != NULL) {
        setti_copy_sized(&desc, sizeof(desc), given, size);
    }
    sett_undo* undo = setti_world_alloc(world, sizeof(*undo), 16, call);
    if (undo == NULL) {
        return NULL;
    }
    undo->world = world;
    undo->limit = desc.memory_limit != 0 ? desc.memory_limit : UNDO_LIMIT;
    bool begun = undo_copy_selection(undo, &desc.selection, call) && undo_make_mirror(undo, call) &&
                 undo_begin(undo, call) == SETT_OK;
    if (!begun) {
        undo_free(undo);
        return NULL;
    }
    undo->next = world->module[SETTI_SLOT_UNDO];
    world->module[SETTI_SLOT_UNDO] = undo;
    setti_world_add_calls(world, &calls);
    return undo;
}

sett_status sett_undo_destroy(sett_undo* undo)
{
    if (undo == NULL) {
        return SETT_OK;
    }
    sett_status status = setti_world_check_serial(undo->world, "sett_undo_destroy");
    if (status != SETT_OK) {
        return status;
    }
    sett_undo* first = undo->world->module[SETTI_SLOT_UNDO];
    if (first == undo) {
        undo->world->module[SETTI_SLOT_UNDO] = undo->next;
    }
    for (sett_undo* other = first; other != NULL; other = other->next) {
        if (other->next == undo) {
            other->next = undo->next;
        }
    }
    undo_free(undo);
    return SETT_OK;
}

sett_status sett_undo_clear(sett_undo* undo)
{
    if (SETTI_IS_NULL(undo)) {
        return SETT_STATUS_ARGUMENT;
    }
    return undo_begin(undo, "sett_undo_clear");
}

/* Returns the number of a step, or 0 if the step is NULL. */
static uint32_t undo_number(const undo_step* step)
{
    return step != NULL ? step->number : 0;
}

uint32_t sett_undo_now(const sett_undo* undo)
{
    return SETTI_IS_NULL(undo) ? 0 : undo->now->number;
}

uint32_t sett_undo_next(const sett_undo* undo, uint32_t step)
{
    if (SETTI_IS_NULL(undo)) {
        return 0;
    }
    if (step == 0) {
        return undo_number(undo->oldest);
    }
    const undo_step* found = undo_find(undo, step);
    if (found == NULL) {
        return 0;
    }
    return undo_number(found->younger);
}

uint32_t sett_undo_before(const sett_undo* undo, uint32_t step)
{
    if (SETTI_IS_NULL(undo)) {
        return 0;
    }
    const undo_step* found = undo_find(undo, step);
    if (found == NULL) {
        return 0;
    }
    return undo_number(found->before);
}

uint32_t sett_undo_after(const sett_undo* undo, uint32_t step)
{
    if (SETTI_IS_NULL(undo)) {
        return 0;
    }
    const undo_step* found = undo_find(undo, step);
    if (found == NULL) {
        return 0;
    }
    return undo_number(found->after);
}

const char* sett_undo_name(const sett_undo* undo, uint32_t step)
{
    if (SETTI_IS_NULL(undo)) {
        return NULL;
    }
    const undo_step* found = undo_find(undo, step);
    if (found == NULL) {
        return NULL;
    }
    return found->data + found->forward_size + found->back_size;
}

size_t sett_undo_size(const sett_undo* undo, size_t* copy)
{
    if (SETTI_IS_NULL(undo)) {
        return 0;
    }
    if (copy != NULL) {
        sett_stats stats;
        sett_world_stats(undo->mirror, &stats);
        *copy = (size_t)stats.block_size;
    }
    return undo->size;
}

/* undo.c: histories of editors.
 *
 * The workload: an artist changes a few values, some hundred times an hour, while a simulation
 * changes the rest of the world. A snapshot per step would hold all pages of the simulation. A
 * delta of the selection holds only the few values.
 *
 * A step needs a delta in each direction, and two states exist while a delta is encoded. So each
 * history has a second world, the mirror. The mirror has all entities, because links and parents
 * lead to them. Selected entities have their values and a tag there. Taking a step updates the
 * mirror and encodes two deltas. Going to a step applies deltas to the mirror. Then the differences
 * between mirror and world are applied to the world.
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

#define UNDO_LIMIT ((size_t)64 << 20)

/* A step, with deltas from and to the previous step. */
typedef struct undo_step {
    struct undo_step* before; /* the previous step, or NULL at the begin of the history */
    struct undo_step* after;  /* the step to redo, or NULL */
    struct undo_step* path;   /* scratch of undo_walk: the next step on the way forward */
    struct undo_step* older;  /* list of all steps, in order of taking */
    struct undo_step* younger;
    uint32_t number;
    uint32_t branches; /* number of steps with this step as `before` */
    size_t size;       /* bytes of this struct and `data` */
    size_t forward;    /* bytes of the delta from `before` */
    size_t back;       /* bytes of the delta to `before` */
    char data[];       /* the delta from `before`, the delta to `before`, the terminated name */
} undo_step;

struct sett_undo {
    sett_world* world;
    sett_undo* next; /* list of the world's histories */
    sett_world* mirror;
    sett_selection selection;     /* in the world; the history owns its lists */
    sett_component* mirror_types; /* the selected types in the mirror, without `tag` */
    uint32_t mirror_type_count;
    uint32_t mirror_type_capacity;
    sett_component tag;         /* marks the selected entities in the mirror */
    uint64_t tick;              /* of the world: the mirror has all writes up to this tick */
    sett_snapshot now_snapshot; /* of the mirror, in the state of `now` */
    undo_step* oldest;
    undo_step* youngest;
    undo_step* now;
    uint32_t number; /* of the latest step */
    size_t limit;
    size_t size;
};

/* A move from the present state to a step. */
typedef struct undo_move {
    sett_snapshot live;          /* of the mirror, in the present state */
    setti_selected selected;     /* entities selected in the present state */
    setti_selected changing;     /* entities selected at the step, or destroyed by the move */
    setti_selected entering;     /* entities selected at the step only, but alive in the world */
    setti_bytes changing_delta;  /* the changes of the values of `changing` */
    setti_bytes entering_values; /* all values of `entering` */
} undo_move;

sett_world* setti_undo_mirror(sett_undo* undo)
{
    return undo->mirror;
}

/* Reports a message in the world. Writes `call` before it, unless it begins with `call`. */
static sett_status undo_report(sett_world* world, sett_status status, const char* call,
                               const char* message)
{
    size_t length = strlen(call);
    if (status == SETT_STATUS_OUT_OF_MEMORY) {
        return setti_world_no_memory(world, call);
    }
    bool begins = strncmp(message, call, length) == 0;
    if (begins && (message[length] == ':' || message[length] == ',')) {
        return setti_world_fail_input(world, status, "%s", message);
    }
    return setti_world_fail_input(world, status, "%s: %.400s", call, message);
}

/* Reports the mirror's message in the world. */
static sett_status undo_fail(sett_undo* undo, sett_status status, const char* call)
{
    return undo_report(undo->world, status, call, sett_world_message(undo->mirror));
}

/* Reports the mirror's status and message in the world. */
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

/* Lists the entities of `world` that `other` lacks. `mirror` allocates the list. */
static bool undo_list_only(const sett_world* world, const sett_world* other, sett_world* mirror,
                           setti_selected* list)
{
    uint32_t cursor = 0;
    for (uint32_t index; (index = setti_entity_next(&world->entities, &cursor)) != SETTI_NONE;) {
        sett_entity entity = setti_entity_at(&world->entities, index);
        if (!sett_entity_valid(other, entity) && !undo_list_add(mirror, list, entity)) {
            return false;
        }
    }
    return true;
}

/* -------------------------------------------------------------------- updating the mirror */

/* Applies an encoded part, and frees its bytes, which are of `pool`. */
static sett_status undo_apply(sett_world* world, setti_pool* pool, setti_bytes* bytes,
                              const char* call)
{
    static const sett_selection all = {0};
    const setti_delta_allowed allowed = {.selection = &all};
    sett_status status = setti_delta_apply_part(world, bytes->data, bytes->size, &allowed, call);
    setti_bytes_free(pool, bytes);
    return status;
}

/* Returns true if a type has another layout in the mirror. */
static bool undo_type_differs(const setti_type* type, const setti_type* mirrored)
{
    return mirrored->desc.size != type->desc.size ||
           mirrored->desc.layout_version != type->desc.layout_version ||
           setti_delta_form_of(mirrored) != setti_delta_form_of(type) ||
           setti_delta_bytes(mirrored) != setti_delta_bytes(type);
}

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
        const setti_type* type =
            selects_all ? world->registered.item[k] : setti_world_type(world, selection->types[k]);
        if (type == NULL) {
            return setti_world_fail(undo->world, SETT_STATUS_UNREGISTERED, call, sett_null(),
                                    selection->types[k]);
        }
        sett_component* item =
            setti_pool_grow(&undo->mirror->pool, undo->mirror_types, sizeof(*item),
                            undo->mirror_type_count, 1, &undo->mirror_type_capacity);
        if (item == NULL) {
            return setti_world_no_memory(undo->world, call);
        }
        undo->mirror_types = item;
        item[undo->mirror_type_count++] = setti_type_find(undo->mirror, type->desc.name)->id;
    }
    return SETT_OK;
}

/* Creates and destroys entities, so that the mirror has those of the world. */
static sett_status undo_sync_entities(sett_undo* undo, const char* call)
{
    sett_world* mirror = undo->mirror;
    setti_selected destroyed = {0};
    setti_selected created = {0};
    setti_bytes bytes = {0};
    bool listed = undo_list_only(mirror, undo->world, mirror, &destroyed) &&
                  undo_list_only(undo->world, mirror, mirror, &created);
    sett_status status = listed ? SETT_OK : mirror->error;
    if (status == SETT_OK && destroyed.count + created.count != 0) {
        status = setti_selection_encode_handles(mirror, &destroyed, &created, call, &bytes);
        if (status == SETT_OK) {
            status = undo_apply(mirror, &mirror->pool, &bytes, call);
        }
        setti_bytes_free(&mirror->pool, &bytes);
    }
    setti_selection_free(mirror, &destroyed);
    setti_selection_free(mirror, &created);
    return status == SETT_OK ? status : undo_fail(undo, status, call);
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

/* Removes an entity's values, except values on which other entities depend. The hierarchy is last:
 * without its parent the entity is a root, and a name that it still has could be the name of
 * another root. */
static bool undo_remove_values(sett_undo* undo, sett_entity entity)
{
    sett_world* mirror = undo->mirror;
    const setti_type* tree = NULL; /* the hierarchy's type */
    for (uint32_t k = 0; k < mirror->registered.count; k++) {
        const setti_type* type = mirror->registered.item[k];
        setti_delta_form form = setti_delta_form_of(type);
        if (form == SETTI_DELTA_TREE) {
            tree = type;
        } else if (form != SETTI_DELTA_TARGET && sett_has(mirror, entity, type->id) &&
                   sett_remove(mirror, entity, type->id) != SETT_OK) {
            return false;
        }
    }
    bool in_tree = tree != NULL && sett_has(mirror, entity, tree->id);
    return !in_tree || undo_has_children(mirror, entity) ||
           sett_remove(mirror, entity, tree->id) == SETT_OK;
}

/* Removes the values, and the tag, of entities that are not selected any more. */
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
    return ok ? SETT_OK : undo_fail_mirror(undo, call);
}

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
/* Returns true if the parent's children in `to_world` begin with its children in `from_world`. */
static bool undo_is_arranged(const sett_world* from_world, const sett_world* to_world,
                             sett_entity parent)
{
    sett_entity in_to = sett_hierarchy_first(to_world, parent);
    for (sett_entity child = sett_hierarchy_first(from_world, parent); !sett_is_null(child);
         child = sett_hierarchy_next(from_world, child)) {
        if (!sett_equals(child, in_to)) {
            return false;
        }
        in_to = sett_hierarchy_next(to_world, in_to);
    }
    return true;
}

/* Orders the parent's children in `to_world` as in `from_world`. `order` is scratch memory. */
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
    uint32_t count = order->count;
    return count == 0 || sett_hierarchy_order(to_world, parent, order->entity, count) == SETT_OK;
}

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

/* Returns true if an entity of `to_world` lacks its name of `from_world`, and no sibling has the
 * name. */
static bool undo_lost_name(const sett_world* from_world, const sett_world* to_world,
                           sett_entity entity)
{
    const char* name = sett_name_get(from_world, entity);
    const char* present = sett_name_get(to_world, entity);
    if (name == NULL || !sett_entity_valid(to_world, entity)) {
        return false;
    }
    bool has_it = present != NULL && strcmp(present, name) == 0;
    return !has_it &&
           sett_is_null(sett_name_find(to_world, sett_hierarchy_parent(to_world, entity), name));
}

/* Sets the names that could not be set while other entities still had them. */
static bool undo_rename(const sett_world* from_world, sett_world* to_world,
                        const setti_selected* list)
{
    for (uint32_t k = 0; k < list->count; k++) {
        sett_entity entity = list->entity[k];
        if (undo_lost_name(from_world, to_world, entity) &&
            sett_name_set(to_world, entity, sett_name_get(from_world, entity)) != SETT_OK) {
            return false;
        }
    }
    return true;
}

/* Copies names, and the order of children, from `from_world` to `to_world`. */
static bool undo_arrange(const sett_world* from_world, sett_world* to_world,
                         const setti_selected* list)
{
    return undo_order(from_world, to_world, list) && undo_rename(from_world, to_world, list);
}
#endif

static sett_status undo_sync_values(sett_undo* undo, const setti_selected* selected,
                                    const char* call)
{
    sett_world* world = undo->world;
    sett_world* mirror = undo->mirror;
    const sett_selection listed = {.entities = selected->entity,
                                   .entity_count = selected->count,
                                   .types = undo->selection.types,
                                   .type_count = undo->selection.type_count};
    const setti_part part = {.selection = &listed, .into = mirror, .tick = undo->tick};
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
    bool done = undo_sync_tags(undo, selected) && undo_arrange(world, mirror, selected);
    return done ? SETT_OK : undo_fail_mirror(undo, call);
}

/* Makes the mirror equal to the present selection. */
static sett_status undo_sync(sett_undo* undo, const char* call)
{
    sett_world* world = undo->world;
    setti_selected selected = {0};
    bool ready = setti_world_check_unlocked(world, call) == SETT_OK &&
                 setti_commands_apply_all(world, call) == SETT_OK &&
                 undo_sync_types(undo, call) == SETT_OK && undo_find_types(undo, call) == SETT_OK &&
                 undo_sync_entities(undo, call) == SETT_OK &&
                 setti_selection_find(world, &undo->selection, call, &selected) == SETT_OK;
    sett_status status =
        ready ? undo_sync_deselected(undo, &selected, call) : setti_world_failure(world);
    if (status == SETT_OK) {
        status = undo_sync_values(undo, &selected, call);
    }
    setti_selection_free(world, &selected);
    return status;
}

static sett_status undo_take(sett_undo* undo, sett_snapshot* out, const char* call)
{
    sett_status status = sett_snapshot_take(undo->mirror, out);
    return status == SETT_OK ? SETT_OK : undo_fail(undo, status, call);
}

/* Makes the mirror's snapshot `to` that of the present step. */
static void undo_settle(sett_undo* undo, sett_snapshot to)
{
    setti_snapshot_release(undo->mirror, undo->now_snapshot);
    undo->now_snapshot = to;
    undo->tick = sett_world_tick(undo->world); /* the mirror has all writes until now */
    sett_world_advance_tick(undo->world);
}

/* After a failure: restores the mirror to the present step. Returns `status`. */
static sett_status undo_reset(sett_undo* undo, sett_snapshot taken, sett_status status)
{
    (void)setti_snapshot_undo(undo->mirror, undo->now_snapshot, "sett_undo");
    setti_snapshot_release(undo->mirror, taken);
    return status;
}

/* --------------------------------------------------------------------------------------- steps */

/* Returns the step with a number, or NULL. */
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

/* Frees a step that undo_find_least has returned: the first of the tree, with at most one next
 * step, or a step without next steps. */
static void undo_forget(sett_undo* undo, undo_step* step)
{
    SETTI_ASSERT(step != undo->now && step->branches <= 1);
    if (step->branches != 0) {
        undo_step* second = step->younger; /* step->after can be NULL, so this searches */
        while (second->before != step) {
            second = second->younger;
        }
        second->before = NULL;
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

/* Returns the step to forget next: the oldest step if it has at most one next step, else the oldest
 * end of a branch. Never returns the present step. NULL: no step can be forgotten. */
static undo_step* undo_find_least(const sett_undo* undo)
{
    undo_step* step = undo->oldest;
    if (step != NULL && step != undo->now && step->branches <= 1) {
        return step;
    }
    while (step != NULL && (step == undo->now || step->branches != 0)) {
        step = step->younger;
    }
    return step;
}

static void undo_copy_bytes(char* to, const setti_bytes* from)
{
    if (from->size != 0) {
        memcpy(to, from->data, from->size);
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
        step->forward = forward->size;
        step->back = back->size;
        memcpy(step->data + forward->size + back->size, name, length);
        undo_copy_bytes(step->data, forward);
        undo_copy_bytes(step->data + forward->size, back);
    }
    return step;
}

/* Makes a new step the present step. */
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
    undo_step* least;
    while (undo->size > undo->limit && (least = undo_find_least(undo)) != NULL) {
        undo_forget(undo, least);
    }
}

/* Makes a step from the present snapshot to `to`. *step becomes NULL if they are equal. */
static sett_status undo_encode(sett_undo* undo, sett_snapshot to, const char* name,
                               const char* call, undo_step** step)
{
    sett_world* mirror = undo->mirror;
    setti_bytes forward = {0};
    setti_bytes back = {0};
    *step = NULL;
    sett_status status = setti_delta_encode(mirror, undo->now_snapshot, to, call, &forward);
    if (status == SETT_OK) {
        status = setti_delta_encode(mirror, to, undo->now_snapshot, call, &back);
    }
    if (status != SETT_OK) {
        status = undo_fail(undo, status, call);
    } else if (forward.size > SETTI_DELTA_HEAD) { /* else nothing changed */
        *step = undo_make_step(undo, name, &forward, &back, call);
        status = *step != NULL ? SETT_OK : undo->world->error;
    }
    setti_bytes_free(&mirror->pool, &forward);
    setti_bytes_free(&mirror->pool, &back);
    return status;
}

sett_status sett_undo_step(sett_undo* undo, const char* name)
{
    sett_snapshot to = {0, 0};
    undo_step* step = NULL;
    if (SETTI_IS_NULL(undo)) {
        return SETT_STATUS_ARGUMENT;
    }
    sett_status status = undo_sync(undo, __func__);
    if (status == SETT_OK) {
        status = undo_take(undo, &to, __func__);
    }
    if (status == SETT_OK) {
        status = undo_encode(undo, to, name != NULL ? name : "", __func__, &step);
    }
    if (status != SETT_OK) {
        return undo_reset(undo, to, status);
    }
    undo_settle(undo, to);
    if (step != NULL) {
        undo_add_step(undo, step);
    }
    return SETT_OK;
}

/* -------------------------------------------------------------------------------------- moving */

/* Moves the mirror from one step to another: back to their latest common step, then forward. */
static sett_status undo_walk(sett_undo* undo, undo_step* from, undo_step* step, const char* call)
{
    sett_status status = SETT_OK;
    undo_step* common = from;
    for (undo_step* at = step;
         common != at;) { /* the later of the two goes back, until they meet */
        if (common->number > at->number) {
            common = common->before;
        } else {
            at->before->path = at;
            at = at->before;
        }
    }
    for (undo_step* at = from; status == SETT_OK && at != common; at = at->before) {
        status = setti_delta_apply_from(undo->mirror, at->data + at->forward, at->back,
                                        SETTI_FROM_DELTA, call);
    }
    for (undo_step* at = common; status == SETT_OK && at != step;) {
        at = at->path;
        status =
            setti_delta_apply_from(undo->mirror, at->data, at->forward, SETTI_FROM_DELTA, call);
    }
    return status;
}

/* Lists the entities that a move changes. The mirror is at the step of the move already. */
static sett_status undo_move_find(sett_undo* undo, undo_move* move, const char* call)
{
    sett_world* mirror = undo->mirror;
    setti_selected tagged = {0};
    bool ok = undo_list_tagged(undo, &tagged);
    for (uint32_t k = 0; ok && k < tagged.count; k++) {
        sett_entity entity = tagged.entity[k];
        bool enters =
            sett_entity_valid(undo->world, entity) && !setti_selected_has(&move->selected, entity);
        ok = undo_list_add(mirror, enters ? &move->entering : &move->changing, entity);
    }
    for (uint32_t k = 0; ok && k < move->selected.count; k++) {
        sett_entity entity = move->selected.entity[k];
        if (!sett_entity_valid(mirror, entity)) {
            ok = undo_list_add(mirror, &move->changing, entity);
        }
    }
    setti_selection_free(mirror, &tagged);
    return ok ? SETT_OK : undo_fail(undo, SETT_STATUS_OUT_OF_MEMORY, call);
}

/* Encodes the selected values of listed entities. */
static sett_status undo_encode_list(const sett_undo* undo, const setti_selected* list,
                                    setti_part part, const char* call, setti_bytes* out)
{
    const sett_selection listed = {.entities = list->entity,
                                   .entity_count = list->count,
                                   .types = undo->mirror_types,
                                   .type_count = undo->mirror_type_count};
    part.selection = &listed;
    return list->count != 0 ? setti_selection_encode(undo->mirror, &part, call, out) : SETT_OK;
}

static sett_status undo_move_encode(sett_undo* undo, undo_move* move, const char* call)
{
    const setti_part since = {.since = move->live};
    const setti_part into = {.into = undo->world};
    setti_bytes* changes = &move->changing_delta;
    sett_status status = undo_encode_list(undo, &move->changing, since, call, changes);
    if (status == SETT_OK) {
        status = undo_encode_list(undo, &move->entering, into, call, &move->entering_values);
    }
    return status == SETT_OK ? SETT_OK : undo_fail(undo, status, call);
}

/* Moves the mirror to a step and encodes the changes. */
static sett_status undo_move_mirror(sett_undo* undo, undo_move* move, undo_step* step,
                                    const char* call)
{
    sett_status status = undo_list_tagged(undo, &move->selected)
                             ? sett_snapshot_take(undo->mirror, &move->live)
                             : SETT_STATUS_OUT_OF_MEMORY;
    if (status == SETT_OK) {
        status = setti_snapshot_undo(undo->mirror, undo->now_snapshot, call);
    }
    if (status == SETT_OK) {
        status = undo_walk(undo, undo->now, step, call);
    }
    if (status != SETT_OK) {
        return undo_fail(undo, status, call);
    }
    status = undo_move_find(undo, move, call);
    return status == SETT_OK ? undo_move_encode(undo, move, call) : status;
}

/* Undoes a move of the world that failed with `status`. Returns the status to report.
 *   message  true: reports the world's message again, as that of `call` */
static sett_status undo_revert(sett_world* world, sett_snapshot before, sett_status status,
                               bool message, const char* call)
{
    char why[SETTI_MESSAGE_SIZE];
    if (sett_snapshot_status(world, before) != SETT_OK) {
        return setti_world_fail_with(world, SETT_STATUS_LOST,
                                     "%s: the move failed, and memory ran out before it was "
                                     "undone: this world has a part of it - load a saved state, "
                                     "then call sett_undo_clear",
                                     call);
    }
    (void)sett_world_message(world); /* formats the message */
    memcpy(why, world->message, sizeof(why));
    (void)setti_snapshot_undo(world, before, call);
    return message ? undo_report(world, status, call, why) : status;
}

/* Applies the changes of a move to the world: all or none. */
static sett_status undo_move_world(sett_undo* undo, undo_move* move, const char* call)
{
    sett_world* world = undo->world;
    setti_pool* pool = &undo->mirror->pool;
    sett_snapshot before;
    sett_status status = setti_snapshot_take(world, &before, call);
    if (status != SETT_OK) {
        return status;
    }
    if (move->changing_delta.size != 0) {
        status = undo_apply(world, pool, &move->changing_delta, call);
    }
    if (status == SETT_OK && move->entering_values.size != 0) {
        status = undo_apply(world, pool, &move->entering_values, call);
    }
    bool applied = status == SETT_OK;
    bool arranged = applied && undo_arrange(undo->mirror, world, &move->changing) &&
                    undo_arrange(undo->mirror, world, &move->entering);
    if (applied && !arranged) {
        status = world->error;
    }
    if (status != SETT_OK) {
        status = undo_revert(world, before, status, applied, call);
    }
    setti_snapshot_release(world, before);
    return status;
}

/* Makes `to` the present step. */
static void undo_arrive(sett_undo* undo, undo_step* to, sett_snapshot snapshot)
{
    undo_settle(undo, snapshot);
    undo->now = to;
    for (undo_step* step = to; step->before != NULL; step = step->before) {
        step->before->after = step; /* redo follows the branch of `to` */
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

static sett_status undo_go(sett_undo* undo, undo_step* step, const char* call)
{
    undo_move move = {.live = {0, 0}};
    sett_snapshot taken = {0, 0}; /* of the mirror at `step` */
    sett_status status = undo_sync(undo, call);
    if (status == SETT_OK) {
        status = undo_move_mirror(undo, &move, step, call);
    }
    if (status == SETT_OK) {
        status = undo_take(undo, &taken, call);
    }
    if (status == SETT_OK) {
        status = undo_move_world(undo, &move, call);
    }
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
    undo_step* to = undo_find(undo, step);
    if (to == NULL) {
        return setti_world_fail_with(undo->world, SETT_STATUS_ARGUMENT,
                                     "sett_undo_go: step %u does not exist - pass one that "
                                     "sett_undo_next lists",
                                     (unsigned)step);
    }
    return undo_go(undo, to, "sett_undo_go");
}

sett_status sett_undo_back(sett_undo* undo)
{
    if (SETTI_IS_NULL(undo)) {
        return SETT_STATUS_ARGUMENT;
    }
    return undo->now->before != NULL ? undo_go(undo, undo->now->before, "sett_undo_back")
                                     : SETT_STATUS_ABSENT;
}

sett_status sett_undo_forward(sett_undo* undo)
{
    if (SETTI_IS_NULL(undo)) {
        return SETT_STATUS_ARGUMENT;
    }
    return undo->now->after != NULL ? undo_go(undo, undo->now->after, "sett_undo_forward")
                                    : SETT_STATUS_ABSENT;
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

/* Copies a list. `out` is the address of a pointer that becomes the copy, or NULL. *copied becomes
 * the count. Returns false if memory runs out. */
static bool undo_copy(sett_world* world, void* out, uint32_t* copied, const void* list,
                      uint32_t count, size_t each, const char* call)
{
    void* copy = count != 0 ? setti_world_alloc(world, count * each, 16, call) : NULL;
    if (copy != NULL) {
        memcpy(copy, list, count * each);
        *copied = count;
    }
    memcpy(out, &copy, sizeof(copy)); /* a pointer of any type */
    return count == 0 || copy != NULL;
}

static bool undo_copy_selection(sett_undo* undo, const sett_selection* from, const char* call)
{
    sett_world* world = undo->world;
    sett_selection* to = &undo->selection;
    to->query = from->query;
    return setti_selection_check(world, from, call) == SETT_OK &&
           undo_copy(world, &to->entities, &to->entity_count, from->entities, from->entity_count,
                     sizeof(*from->entities), call) &&
           undo_copy(world, &to->types, &to->type_count, from->types, from->type_count,
                     sizeof(*from->types), call);
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
    }
    return undo->tag != 0 && undo_take(undo, &undo->now_snapshot, call) == SETT_OK;
}

/* Begins the history anew at the present state. */
static sett_status undo_begin(sett_undo* undo, const char* call)
{
    static const setti_bytes none = {0};
    sett_snapshot taken = {0, 0};
    sett_status status = undo_sync(undo, call);
    if (status == SETT_OK) {
        status = undo_take(undo, &taken, call);
    }
    undo_step* step = status == SETT_OK ? undo_make_step(undo, "", &none, &none, call) : NULL;
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
    if (!undo_copy_selection(undo, &desc.selection, call) || !undo_make_mirror(undo, call) ||
        undo_begin(undo, call) != SETT_OK) {
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
    for (sett_undo* at = first; at != NULL; at = at->next) {
        if (at->next == undo) {
            at->next = undo->next;
        }
    }
    undo_free(undo);
    return SETT_OK;
}

sett_status sett_undo_clear(sett_undo* undo)
{
    return SETTI_IS_NULL(undo) ? SETT_STATUS_ARGUMENT : undo_begin(undo, "sett_undo_clear");
}

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
    const undo_step* at = undo_find(undo, step);
    return at != NULL ? undo_number(at->younger) : 0;
}

uint32_t sett_undo_before(const sett_undo* undo, uint32_t step)
{
    const undo_step* at = SETTI_IS_NULL(undo) ? NULL : undo_find(undo, step);
    return at != NULL ? undo_number(at->before) : 0;
}

uint32_t sett_undo_after(const sett_undo* undo, uint32_t step)
{
    const undo_step* at = SETTI_IS_NULL(undo) ? NULL : undo_find(undo, step);
    return at != NULL ? undo_number(at->after) : 0;
}

const char* sett_undo_name(const sett_undo* undo, uint32_t step)
{
    const undo_step* at = SETTI_IS_NULL(undo) ? NULL : undo_find(undo, step);
    return at != NULL ? at->data + at->forward + at->back : NULL;
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

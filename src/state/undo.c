/* undo.c: histories of editors.
 *
 * The workload: an artist who changes a few values, some hundred times an hour, in a world of which
 * a simulation changes the rest. A snapshot for each step would have all pages that the simulation
 * writes; deltas between two states of the selection have the few values.
 *
 * Such deltas are needed in both directions, and can only be encoded while both states are there.
 * So a history has a world of its own, the mirror: all entities of the world, because links and
 * parents lead to them, and the values of the selected ones, which have a tag. A step updates it
 * and encodes two deltas. Going to a step applies deltas to the mirror, and then its differences
 * from the world to the world, as a selection.
 *
 *     world  --sync-->  mirror  --delta-->  mirror at the step  --selection-->  world
 *
 * Invariant:  between calls the mirror is in the state of the step `now`, and `at` is its snapshot;
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

/* A step, with the deltas from the step before and back to it. */
typedef struct undo_step {
    struct undo_step* before; /* the step before; NULL: the history's begin */
    struct undo_step* after;  /* the step to redo, or NULL */
    struct undo_step* next;   /* scratch: the next step towards the one to go to */
    struct undo_step* older;  /* list of all, in order of taking */
    struct undo_step* younger;
    uint32_t number;
    uint32_t branches; /* number of steps whose `before` this is */
    size_t size;       /* of this struct and `data`, in bytes */
    size_t forward;    /* of the delta from `before`, in bytes */
    size_t back;       /* of the delta to `before`, in bytes */
    char data[];       /* both deltas, and the terminated name */
} undo_step;

struct sett_undo {
    sett_world* world;
    sett_undo* next; /* list of the world's histories */
    sett_world* mirror;
    sett_selection selection; /* in the world; the history owns its lists */
    sett_component* there;    /* the selected types in the mirror; not `tag` */
    uint32_t there_count;
    uint32_t there_capacity;
    sett_component tag; /* in the mirror, of selected entities */
    uint64_t tick;      /* of the world; the mirror has all writes up to it */
    sett_snapshot at;
    undo_step* oldest;
    undo_step* youngest;
    undo_step* now;
    uint32_t number; /* the latest step's */
    size_t limit;
    size_t size;
};

/* A move from the present state to that of a step. */
typedef struct undo_move {
    sett_snapshot live;      /* of the mirror, in the present state */
    setti_selected selected; /* selected in `live` */
    setti_selected there;    /* selected at the step, or ending */
    setti_selected enters;   /* selected at the step only, and alive in `live` */
    setti_bytes changes;     /* of the values of `there` */
    setti_bytes whole;       /* of the values of `enters` */
} undo_move;

sett_world* setti_undo_mirror(sett_undo* undo)
{
    return undo->mirror;
}

/* ------------------------------------------------------------------------------------ failures */

/* Fails in the world as the mirror failed. */
static sett_status undo_fail(sett_undo* undo, sett_status status, const char* call)
{
    if (status == SETT_STATUS_OUT_OF_MEMORY) {
        return setti_world_no_memory(undo->world, call);
    }
    return setti_world_fail_input(undo->world, status, "%s: %.400s", call,
                                  sett_world_message(undo->mirror));
}

static sett_status undo_fail_state(sett_undo* undo, const char* call)
{
    return undo_fail(undo, sett_world_error(undo->mirror), call);
}

/* --------------------------------------------------------------------------------------- lists */

/* Adds to a list in a world's pool. If memory runs out, that world fails. */
static bool undo_list_add(sett_world* world, setti_selected* list, sett_entity entity)
{
    return setti_selected_add(world, list, entity) ||
           setti_world_no_memory(world, "sett_undo") == SETT_OK;
}

/* Lists the tagged entities of the mirror. */
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

/* Lists, in the mirror's pool, the entities of a world that another one lacks. */
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

/* -------------------------------------------------------------------- bringing it up to date */

/* Applies an encoded part to a world, and frees its bytes, which are in `pool`. */
static sett_status undo_apply(sett_world* world, setti_pool* pool, setti_bytes* bytes)
{
    static const sett_selection all = {0};
    const setti_delta_allowed allowed = {.selection = &all};
    sett_status status = setti_delta_apply_part(world, bytes->data, bytes->size, &allowed);
    setti_bytes_free(pool, bytes);
    return status;
}

/* Registers the world's new types in the mirror. */
static sett_status undo_sync_types(sett_undo* undo, const char* call)
{
    const sett_world* world = undo->world;
    for (uint32_t k = 0; k < world->registered.count; k++) {
        const setti_type* type = world->registered.item[k];
        if (setti_replica_join(undo->mirror, world, type) != SETT_OK) {
            return undo_fail_state(undo, call);
        }
    }
    return SETT_OK;
}

/* Finds the types of the selection in the mirror. */
static sett_status undo_find_types(sett_undo* undo, const char* call)
{
    const sett_world* world = undo->world;
    const sett_selection* of = &undo->selection;
    uint32_t count = of->type_count != 0 ? of->type_count : world->registered.count;
    undo->there_count = 0;
    if (count == 0) {
        return setti_world_fail_with(undo->world, SETT_STATUS_ARGUMENT,
                                     "%s: no component is registered - register some", call);
    }
    for (uint32_t k = 0; k < count; k++) {
        const setti_type* type =
            of->type_count != 0 ? setti_world_type(world, of->types[k]) : world->registered.item[k];
        sett_component* item = setti_pool_grow(&undo->mirror->pool, undo->there, sizeof(*item),
                                               undo->there_count, 1, &undo->there_capacity);
        if (type == NULL) {
            return setti_world_fail(undo->world, SETT_STATUS_UNREGISTERED, call, sett_null(),
                                    of->types[k]);
        }
        if (item == NULL) {
            return setti_world_no_memory(undo->world, call);
        }
        undo->there = item;
        item[undo->there_count++] = setti_type_find(undo->mirror, type->desc.name)->id;
    }
    return SETT_OK;
}

/* Creates and destroys entities in the mirror, without values, as the world did. */
static sett_status undo_sync_entities(sett_undo* undo, const char* call)
{
    sett_world* mirror = undo->mirror;
    setti_selected ended = {0};
    setti_selected begun = {0};
    setti_bytes bytes = {0};
    bool listed = undo_list_only(mirror, undo->world, mirror, &ended) &&
                  undo_list_only(undo->world, mirror, mirror, &begun);
    sett_status status = listed ? SETT_OK : mirror->error;
    if (status == SETT_OK && ended.count + begun.count != 0) {
        status = setti_selection_encode_handles(mirror, &ended, &begun, call, &bytes);
        status = status == SETT_OK ? undo_apply(mirror, &mirror->pool, &bytes) : status;
        setti_bytes_free(&mirror->pool, &bytes);
    }
    setti_selection_free(mirror, &ended);
    setti_selection_free(mirror, &begun);
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

/* Whether a value of the mirror can be removed without removing links to its entity, or children:
 * these belong to other entities. */
static bool undo_can_remove(const sett_world* mirror, sett_entity entity, const setti_type* type)
{
    setti_delta_form form = setti_delta_form_of(type);
    return form != SETTI_DELTA_TARGET && sett_has(mirror, entity, type->id) &&
           !(form == SETTI_DELTA_TREE && undo_has_children(mirror, entity));
}

/* Removes the values of an entity of the mirror. The hierarchy is last: without it the entity is a
 * root, and its name could be that of another root. */
static bool undo_remove_values(sett_undo* undo, sett_entity entity)
{
    sett_world* mirror = undo->mirror;
    bool done = true;
    for (uint32_t tree = 0; tree < 2; tree++) {
        for (uint32_t k = 0; done && k < mirror->registered.count; k++) {
            const setti_type* type = mirror->registered.item[k];
            bool now = (setti_delta_form_of(type) == SETTI_DELTA_TREE) == (tree == 1);
            done = !now || !undo_can_remove(mirror, entity, type) ||
                   sett_remove(mirror, entity, type->id) == SETT_OK;
        }
    }
    return done;
}

/* Removes values and tag of entities that are not selected any more. */
static sett_status undo_sync_deselected(sett_undo* undo, const setti_selected* selected,
                                        const char* call)
{
    sett_world* mirror = undo->mirror;
    setti_selected tagged = {0};
    bool done = undo_list_tagged(undo, &tagged);
    for (uint32_t k = 0; done && k < tagged.count; k++) {
        done = setti_selected_has(selected, tagged.entity[k]) ||
               undo_remove_values(undo, tagged.entity[k]);
    }
    setti_selection_free(mirror, &tagged);
    return done ? SETT_OK : undo_fail_state(undo, call);
}

static bool undo_sync_tags(sett_undo* undo, const setti_selected* selected)
{
    bool done = true;
    for (uint32_t k = 0; done && k < selected->count; k++) {
        done = !sett_entity_valid(undo->mirror, selected->entity[k]) ||
               sett_ensure(undo->mirror, selected->entity[k], undo->tag) != NULL;
    }
    return done;
}

#if defined(SETT_NO_RELATION)
static bool undo_arrange(const sett_world* from, sett_world* to, const setti_selected* list)
{
    (void)from;
    (void)to;
    (void)list;
    return true;
}
#else
/* Whether an entity's children, as far as both worlds have them, have one order. */
static bool undo_is_arranged(const sett_world* from, const sett_world* to, sett_entity parent)
{
    sett_entity b = sett_hierarchy_first(to, parent);
    for (sett_entity a = sett_hierarchy_first(from, parent); !sett_is_null(a);
         a = sett_hierarchy_next(from, a)) {
        if (!sett_equals(a, b)) {
            return false;
        }
        b = sett_hierarchy_next(to, b);
    }
    return true;
}

/* Orders the children of listed entities as in another world. */
static bool undo_order(const sett_world* from, sett_world* to, const setti_selected* list)
{
    setti_selected order = {0};
    bool done = true;
    for (uint32_t k = 0; done && k < list->count; k++) {
        sett_entity parent = list->entity[k];
        if (!sett_entity_valid(from, parent) || !sett_entity_valid(to, parent) ||
            undo_is_arranged(from, to, parent)) {
            continue;
        }
        order.count = 0;
        for (sett_entity at = sett_hierarchy_first(from, parent); done && !sett_is_null(at);
             at = sett_hierarchy_next(from, at)) {
            done = !sett_equals(sett_hierarchy_parent(to, at), parent) ||
                   undo_list_add(to, &order, at);
        }
        done = done && (order.count == 0 ||
                        sett_hierarchy_order(to, parent, order.entity, order.count) == SETT_OK);
    }
    setti_selection_free(to, &order);
    return done;
}

/* Whether an entity lacks its name in another world, and could have it. */
static bool undo_lost_name(const sett_world* from, const sett_world* to, sett_entity entity)
{
    const char* name = sett_name_get(from, entity);
    const char* has = sett_name_get(to, entity);
    return name != NULL && sett_entity_valid(to, entity) &&
           (has == NULL || strcmp(has, name) != 0) &&
           sett_is_null(sett_name_find(to, sett_hierarchy_parent(to, entity), name));
}

/* Gives listed entities the names that they lost because another entity had the name for a moment.
 * Others retain theirs. */
static bool undo_rename(const sett_world* from, sett_world* to, const setti_selected* list)
{
    for (uint32_t k = 0; k < list->count; k++) {
        sett_entity entity = list->entity[k];
        if (undo_lost_name(from, to, entity) &&
            sett_name_set(to, entity, sett_name_get(from, entity)) != SETT_OK) {
            return false;
        }
    }
    return true;
}

/* Orders the children of listed entities as in another world, and gives them lost names. */
static bool undo_arrange(const sett_world* from, sett_world* to, const setti_selected* list)
{
    return undo_order(from, to, list) && undo_rename(from, to, list);
}
#endif

/* Copies the values of the selection to the mirror. */
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
    status = undo_apply(mirror, &world->pool, &bytes);
    if (status == SETT_OK &&
        !(undo_sync_tags(undo, selected) && undo_arrange(world, mirror, selected))) {
        status = mirror->error;
    }
    return status == SETT_OK ? SETT_OK : undo_fail(undo, status, call);
}

/* Updates the mirror to the world. After a failure, call undo_reset. */
static sett_status undo_sync(sett_undo* undo, const char* call)
{
    sett_world* world = undo->world;
    setti_selected selected = {0};
    sett_status status = setti_world_check_unlocked(world, call);
    status = status == SETT_OK ? setti_commands_apply_all(world) : status;
    status = status == SETT_OK ? undo_sync_types(undo, call) : status;
    status = status == SETT_OK ? undo_find_types(undo, call) : status;
    status = status == SETT_OK ? undo_sync_entities(undo, call) : status;
    status =
        status == SETT_OK ? setti_selection_find(world, &undo->selection, call, &selected) : status;
    status = status == SETT_OK ? undo_sync_deselected(undo, &selected, call) : status;
    status = status == SETT_OK ? undo_sync_values(undo, &selected, call) : status;
    setti_selection_free(world, &selected);
    return status;
}

/* Notes that the mirror has all writes until now. */
static void undo_note_tick(sett_undo* undo)
{
    undo->tick = sett_world_tick(undo->world);
    sett_world_advance_tick(undo->world);
}

/* Restores the mirror to the present step, after a failure. Returns its status. */
static sett_status undo_reset(sett_undo* undo, sett_status status)
{
    (void)setti_snapshot_undo(undo->mirror, undo->at);
    return status;
}

/* --------------------------------------------------------------------------------------- steps */

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

/* Makes the one step after the history's begin the new begin. */
static void undo_forget_first(const undo_step* first)
{
    undo_step* second = first->younger; /* `after` may be NULL, if a branch was forgotten */
    while (second != NULL && second->before != first) {
        second = second->younger;
    }
    SETTI_ASSERT(second != NULL);
    second->before = NULL;
}

/* Forgets the oldest step, or the end of a branch: no other step is reached through these. */
static void undo_forget(sett_undo* undo, undo_step* step)
{
    SETTI_ASSERT(step != undo->now);
    if (step->branches != 0) {
        undo_forget_first(step);
    }
    if (step->before != NULL) {
        step->before->branches--;
        step->before->after = step->before->after == step ? NULL : step->before->after;
    }
    *(step->older != NULL ? &step->older->younger : &undo->oldest) = step->younger;
    *(step->younger != NULL ? &step->younger->older : &undo->youngest) = step->older;
    undo_free_step(undo, step);
}

/* The next step to forget: the oldest if it has at most one branch, else the oldest end of a
 * branch. Never the present step. */
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
                                    "%s: an undo step takes %lu bytes, and `memory_limit` is %lu "
                                    "- raise the limit, or take steps more often",
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

static void undo_add_step(sett_undo* undo, undo_step* step)
{
    step->number = ++undo->number;
    step->before = undo->now;
    step->older = undo->youngest;
    *(undo->youngest != NULL ? &undo->youngest->younger : &undo->oldest) = step;
    undo->youngest = step;
    if (undo->now != NULL) {
        undo->now->after = step;
        undo->now->branches++;
    }
    undo->now = step;
    undo->size += step->size;
    while (undo->size > undo->limit && (step = undo_find_least(undo)) != NULL) {
        undo_forget(undo, step);
    }
}

/* Makes a step from two states of the mirror, with the deltas in both directions; *step becomes
 * NULL if they are equal. */
static sett_status undo_encode(sett_undo* undo, sett_snapshot to, const char* name,
                               const char* call, undo_step** step)
{
    sett_world* mirror = undo->mirror;
    setti_bytes forward = {0};
    setti_bytes back = {0};
    *step = NULL;
    sett_status status = setti_delta_encode(mirror, undo->at, to, &forward);
    status = status == SETT_OK ? setti_delta_encode(mirror, to, undo->at, &back) : status;
    if (status != SETT_OK) {
        status = undo_fail(undo, status, call);
    } else if (forward.size > SETTI_DELTA_HEAD) {
        *step = undo_make_step(undo, name, &forward, &back, call);
        status = *step != NULL ? SETT_OK : undo->world->error;
    }
    setti_bytes_free(&mirror->pool, &forward);
    setti_bytes_free(&mirror->pool, &back);
    return status;
}

sett_status sett_undo_step(sett_undo* undo, const char* name)
{
    sett_snapshot to;
    undo_step* step = NULL;
    if (SETTI_IS_NULL(undo)) {
        return SETT_STATUS_ARGUMENT;
    }
    sett_status status = undo_sync(undo, __func__);
    if (status != SETT_OK) {
        return undo_reset(undo, status);
    }
    if (sett_snapshot_take(undo->mirror, &to) != SETT_OK) {
        return undo_reset(undo, undo_fail_state(undo, __func__));
    }
    status = undo_encode(undo, to, name != NULL ? name : "", __func__, &step);
    if (status != SETT_OK) {
        undo_reset(undo, status);
        (void)sett_snapshot_drop(undo->mirror, to);
        return status;
    }
    (void)sett_snapshot_drop(undo->mirror, undo->at);
    undo->at = to;
    undo_note_tick(undo);
    if (step != NULL) {
        undo_add_step(undo, step);
    }
    return SETT_OK;
}

/* -------------------------------------------------------------------------------------- moving */

/* Applies deltas back to where two branches meet, then forward to a step. */
static sett_status undo_walk(sett_undo* undo, undo_step* from, undo_step* to)
{
    sett_status status = SETT_OK;
    undo_step* meet = from;
    for (undo_step* at = to; meet != at;) { /* a step has a higher number than its `before` */
        if (meet->number > at->number) {
            meet = meet->before;
        } else {
            at->before->next = at;
            at = at->before;
        }
    }
    for (undo_step* at = from; status == SETT_OK && at != meet; at = at->before) {
        status =
            setti_delta_apply(undo->mirror, at->data + at->forward, at->back, SETTI_COMPARE_HASHES);
    }
    while (status == SETT_OK && meet != to) {
        meet = meet->next;
        status = setti_delta_apply(undo->mirror, meet->data, meet->forward, SETTI_COMPARE_HASHES);
    }
    return status;
}

/* Fills in the lists of a move; the mirror is in the state of the step to go to. */
static sett_status undo_move_find(sett_undo* undo, undo_move* move, const char* call)
{
    sett_world* mirror = undo->mirror;
    setti_selected tagged = {0};
    bool done = undo_list_tagged(undo, &tagged);
    for (uint32_t k = 0; done && k < tagged.count; k++) {
        sett_entity entity = tagged.entity[k];
        bool enters =
            sett_entity_valid(undo->world, entity) && !setti_selected_has(&move->selected, entity);
        done = undo_list_add(mirror, enters ? &move->enters : &move->there, entity);
    }
    for (uint32_t k = 0; done && k < move->selected.count; k++) {
        sett_entity entity = move->selected.entity[k];
        done = sett_entity_valid(mirror, entity) || undo_list_add(mirror, &move->there, entity);
    }
    setti_selection_free(mirror, &tagged);
    return done ? SETT_OK : undo_fail(undo, SETT_STATUS_OUT_OF_MEMORY, call);
}

/* Encodes the selected types of listed entities of the mirror, if there are any. */
static sett_status undo_encode_list(const sett_undo* undo, const setti_selected* list,
                                    setti_part part, const char* call, setti_bytes* out)
{
    const sett_selection listed = {.entities = list->entity,
                                   .entity_count = list->count,
                                   .types = undo->there,
                                   .type_count = undo->there_count};
    part.selection = &listed;
    return list->count != 0 ? setti_selection_encode(undo->mirror, &part, call, out) : SETT_OK;
}

/* Encodes the changes from the world to the mirror. */
static sett_status undo_move_encode(sett_undo* undo, undo_move* move, const char* call)
{
    const setti_part since = {.since = move->live};
    const setti_part into = {.into = undo->world};
    sett_status status = undo_encode_list(undo, &move->there, since, call, &move->changes);
    status = status == SETT_OK ? undo_encode_list(undo, &move->enters, into, call, &move->whole)
                               : status;
    return status == SETT_OK ? SETT_OK : undo_fail(undo, status, call);
}

/* Moves the mirror from the world's state, of which it keeps a snapshot, back to the last step and
 * from there to step `to`. Then finds and encodes what differs from the snapshot. */
static sett_status undo_move_mirror(sett_undo* undo, undo_move* move, undo_step* to,
                                    const char* call)
{
    sett_status status = undo_list_tagged(undo, &move->selected)
                             ? sett_snapshot_take(undo->mirror, &move->live)
                             : SETT_STATUS_OUT_OF_MEMORY;
    status = status == SETT_OK ? setti_snapshot_undo(undo->mirror, undo->at) : status;
    status = status == SETT_OK ? undo_walk(undo, undo->now, to) : status;
    if (status != SETT_OK) {
        return undo_fail(undo, status, call);
    }
    status = undo_move_find(undo, move, call);
    return status == SETT_OK ? undo_move_encode(undo, move, call) : status;
}

/* Applies the changes to the world, all or none. */
static sett_status undo_move_world(sett_undo* undo, undo_move* move, const char* call)
{
    sett_world* world = undo->world;
    setti_pool* pool = &undo->mirror->pool;
    sett_snapshot before;
    sett_status status = sett_snapshot_take(world, &before);
    if (status != SETT_OK) {
        return status;
    }
    if (move->changes.size != 0) {
        status = undo_apply(world, pool, &move->changes);
    }
    if (status == SETT_OK && move->whole.size != 0) {
        status = undo_apply(world, pool, &move->whole);
    }
    if (status == SETT_OK && !(undo_arrange(undo->mirror, world, &move->there) &&
                               undo_arrange(undo->mirror, world, &move->enters))) {
        status = world->error;
    }
    if (status != SETT_OK) {
        char why[SETTI_MESSAGE_SIZE];
        snprintf(why, sizeof(why), "%s", sett_world_message(world));
        (void)setti_snapshot_undo(world, before);
        status = setti_world_fail_input(world, status, "%s: %.400s", call, why);
    }
    (void)sett_snapshot_drop(world, before);
    return status;
}

/* Makes a step the present one. */
static void undo_arrive(sett_undo* undo, undo_step* to, sett_snapshot at)
{
    (void)sett_snapshot_drop(undo->mirror, undo->at);
    undo->at = at;
    undo->now = to;
    for (undo_step* step = to; step->before != NULL; step = step->before) {
        step->before->after = step;
    }
    undo_note_tick(undo);
}

static void undo_move_end(sett_undo* undo, undo_move* move)
{
    setti_pool* pool = &undo->mirror->pool;
    if (sett_snapshot_status(undo->mirror, move->live) == SETT_OK) {
        (void)sett_snapshot_drop(undo->mirror, move->live);
    }
    setti_selection_free(undo->mirror, &move->selected);
    setti_selection_free(undo->mirror, &move->there);
    setti_selection_free(undo->mirror, &move->enters);
    setti_bytes_free(pool, &move->changes);
    setti_bytes_free(pool, &move->whole);
}

static sett_status undo_go(sett_undo* undo, undo_step* to, const char* call)
{
    undo_move move = {.live = {0, 0}};
    sett_snapshot at = {0, 0};
    sett_status status = undo_sync(undo, call);
    status = status == SETT_OK ? undo_move_mirror(undo, &move, to, call) : status;
    if (status == SETT_OK && sett_snapshot_take(undo->mirror, &at) != SETT_OK) {
        status = undo_fail_state(undo, call);
    }
    status = status == SETT_OK ? undo_move_world(undo, &move, call) : status;
    if (status == SETT_OK) {
        undo_arrive(undo, to, at);
    } else {
        undo_reset(undo, status);
        if (at.serial != 0) {
            (void)sett_snapshot_drop(undo->mirror, at);
        }
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

/* Ends histories with their world: mirrors are not in its pool. */
static void undo_free_all(sett_world* world)
{
    for (sett_undo* undo = world->module[SETTI_SLOT_UNDO]; undo != NULL;) {
        sett_undo* next = undo->next;
        undo_free(undo);
        undo = next;
    }
    world->module[SETTI_SLOT_UNDO] = NULL;
}

/* Copies a list of `count` items into the world's pool. `at` is the address of the pointer to it,
 * which becomes NULL if the list is empty. Sets *copied to the count of a copy, for undo_free. */
static bool undo_copy(sett_world* world, void* at, uint32_t* copied, const void* list,
                      uint32_t count, size_t each, const char* call)
{
    void* copy = count != 0 ? setti_world_alloc(world, count * each, 16, call) : NULL;
    if (copy != NULL) {
        memcpy(copy, list, count * each);
        *copied = count;
    }
    memcpy(at, &copy, sizeof(copy));
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
    if (undo->tag == 0 || sett_snapshot_take(undo->mirror, &undo->at) != SETT_OK) {
        (void)undo_fail_state(undo, call);
        return false;
    }
    return true;
}

/* Makes the present state the begin of the history. */
static sett_status undo_begin(sett_undo* undo, const char* call)
{
    static const setti_bytes none = {0};
    sett_snapshot at;
    undo_step* step = NULL;
    sett_status status = undo_sync(undo, call);
    if (status == SETT_OK) {
        step = undo_make_step(undo, "", &none, &none, call);
        status = step != NULL ? SETT_OK : undo->world->error;
    }
    if (status == SETT_OK && sett_snapshot_take(undo->mirror, &at) != SETT_OK) {
        status = undo_fail_state(undo, call);
        setti_pool_free(&undo->world->pool, step, step->size, 16);
    }
    if (status != SETT_OK) {
        return undo_reset(undo, status);
    }
    undo_free_steps(undo);
    undo->youngest = NULL;
    undo->now = NULL;
    undo->number = 0;
    (void)sett_snapshot_drop(undo->mirror, undo->at);
    undo->at = at;
    undo_note_tick(undo);
    undo_add_step(undo, step);
    return SETT_OK;
}

sett_undo* sett_undo_create_sized(sett_world* world, const sett_undo_desc* given, size_t size)
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
        at->next = at->next == undo ? undo->next : at->next;
    }
    undo_free(undo);
    return SETT_OK;
}

sett_status sett_undo_clear(sett_undo* undo)
{
    return SETTI_IS_NULL(undo) ? SETT_STATUS_ARGUMENT : undo_begin(undo, "sett_undo_clear");
}

/* ------------------------------------------------------------------------------------- looking */

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
    const undo_step* at = step != 0 ? undo_find(undo, step) : undo->oldest;
    return undo_number(step != 0 && at != NULL ? at->younger : at);
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

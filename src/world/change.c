/* change.c: the one place where the structure of a world changes: which entities exist and which
 * components they have.
 *
 * Every change runs in the same order. Adding: check, reserve all memory, tell the groups that are
 * left, storage, value, signature, groups, on_add, tell the groups that are entered. Removing:
 * check, reserve, tell left, on_remove, leave, value, storage, signature, enter, tell entered. What
 * can fail comes first, so that a call that fails leaves the world as it was.
 *
 * The workload: add and remove of plain types on living entities, a transition that was taken a
 * moment before. That path is in line at the top of sett_add and sett_remove: entity, type, one
 * bit, one number. Everything else (hooks, requirements, loose types, a missing page, a transition
 * seen for the first time, misuse) leaves it through one branch to the slow form below, which
 * handles all cases.
 *
 * Invariant:  a type that is not loose is in an entity's signature  <=>  its storage has the
 * entity's index
 *             a storage has an index  =>  the entity at that index is alive
 *             an entity has a type  =>  it has all that the type requires
 */
#include "world/change.h"

#include "base/keep.h"

/* ----------------------------------------------------------------------------------- signatures */

static bool type_is_hooked(const setti_type* type)
{
    return (type->flags & SETTI_TYPE_REMOVE_HOOKS) != 0;
}

/* The signature with the type toggled; the signature itself for a loose type. SETTI_NONE when
 * memory runs out. */
static uint32_t change_toggle(sett_world* world, uint32_t signature, const setti_type* type)
{
    if ((type->flags & SETTI_TYPE_LOOSE) != 0) {
        return signature;
    }
    return setti_signature_toggle(&world->pool, &world->signatures, signature, type->id,
                                  type_is_hooked(type));
}

/* Names the types that make the sets many: those in a quarter to three quarters of all sets. */
SETTI_COLD static void change_warn_signatures(sett_world* world)
{
    const setti_signature_table* table = &world->signatures;
    char blame[SETTI_MESSAGE_SIZE / 2] = "";
    size_t at = 0;
    for (uint32_t k = 0; k < world->registered.count && at < sizeof(blame) - 64; k++) {
        uint32_t sets = 0;
        for (uint32_t number = 1; number < table->count; number++) {
            sets += setti_signature_has(table, number, world->registered.item[k]->id);
        }
        if (sets >= table->count / 4 && sets <= table->count - table->count / 4) {
            const char* name = world->registered.item[k]->desc.name;
            size_t length = SETTI_MIN(strlen(name), (size_t)48);
            memcpy(blame + at, " ", 1);
            memcpy(blame + at + 1, name, length);
            at += length + 1;
            blame[at] = '\0';
        }
    }
    setti_world_log(
        world, SETT_LOG_WARNING,
        "%u different sets of components exist; types that many entities have independently of "
        "each other are cheaper when registered as loose:%s",
        (unsigned)setti_signature_count(table), blame);
    world->signature_warning =
        SETTI_MAX(setti_signature_count(table) * 2, world->signature_warning);
}

static void change_mark_signatures(void* user, const void* data)
{
    const setti_entity_page* page = data;
    const setti_signature_table* table = user;
    for (uint32_t slot = 0; slot < SETTI_ID_SET_ROWS; slot++) {
        table->record[page->signature[slot] & ~SETTI_DYING].mark = 1;
    }
}

void setti_change_reclaim_signatures(sett_world* world)
{
    setti_signature_table* table = &world->signatures;
    const setti_pages* pages = &world->entities.pages;
    for (uint32_t number = 0; number < pages->count && table->count != 0; number++) {
        if (pages->data[number] != NULL) {
            change_mark_signatures(table, pages->data[number]);
        }
    }
    if (world->pool.keep_from != 0 && table->count != 0) { /* what is kept has them too */
        world->pool.keeper->each(world->pool.keeper, pages, change_mark_signatures, table);
    }
    setti_signature_sweep(&world->pool, table);
    table->reclaim_at = SETTI_MAX(setti_signature_count(table) * 2, SETTI_SIGNATURE_RECLAIM);
    setti_change_forget_transitions(world);
}

void setti_change_forget_transitions(sett_world* world)
{
    setti_plan_forget(&world->pool, &world->plans);
    for (uint32_t k = 0; k < world->registered.count; k++) {
        setti_type_forget_transitions(world->registered.item[k]);
    }
}

/* At the start of a change that may make signatures: the numbers in hand are only those of living
 * entities. */
static void change_settle(sett_world* world)
{
    uint32_t count = setti_signature_count(&world->signatures);
    if (SETTI_UNLIKELY(count >= SETTI_SIGNATURE_RECLAIM && count >= world->signatures.reclaim_at)) {
        setti_change_reclaim_signatures(world);
    }
    if (SETTI_UNLIKELY(count >= world->signature_warning)) {
        change_warn_signatures(world);
    }
}

static void change_set_signature(sett_world* world, uint32_t index, uint32_t* signature,
                                 uint32_t to)
{
    setti_entity_write(&world->pool, &world->entities, index);
    *signature = to;
}

/* ---------------------------------------------------------------------------------------- hooks */

typedef void (*change_told)(sett_world* world, sett_entity entity, void* user);

/* Calls all who are told of an event: of each its function as it is by then, because those before
 * may have disabled it. */
SETTI_APART static void change_call_all(sett_world* world, const setti_type* type,
                                        setti_event event, sett_entity entity, void* value)
{
    const setti_call* call = type->told[event].item;
    const setti_call* end = call + type->told[event].count;
    const char* outer = world->calling;
    world->locks++;
    for (; call != end; call++) {
        world->calling = call->name;
        call->fn(world, entity, value, call->user);
    }
    world->locks--;
    world->calling = outer;
}

SETTI_INLINE bool change_is_told(const setti_type* type, setti_event event)
{
    return (type->flags & (uint32_t)SETTI_TYPE_ON_ADD << event) != 0;
}

static void change_call(sett_world* world, const setti_type* type, setti_event event,
                        sett_entity entity, void* value)
{
    if (change_is_told(type, event)) {
        change_call_all(world, type, event, entity, value);
    }
}

/* The same on the short ways, where nothing is locked, and mostly for one. */
SETTI_INLINE void change_call_unlocked(sett_world* world, const setti_type* type, setti_event event,
                                       sett_entity entity, void* value)
{
    const setti_call* call = type->told[event].item;
    if (SETTI_UNLIKELY(type->told[event].count != 1)) {
        change_call_all(world, type, event, entity, value);
        return;
    }
    world->locks++;
    world->calling = call->name;
    call->fn(world, entity, value, call->user);
    world->locks--;
    world->calling = NULL;
}

/* Ends the value that the entity has. It counts as written first: a snapshot may need it as it
 * is. */
static void change_deinit_value(sett_world* world, const setti_type* type, uint32_t index)
{
    if (SETTI_UNLIKELY(type->desc.deinit != NULL)) {
        type->desc.deinit(setti_storage_find_mut(&world->pool, &type->storage, index), 1,
                          type->desc.user);
    }
}

/* ------------------------------------------------------------------------------------ listeners */

static const setti_plan_step* change_plan(sett_world* world, uint32_t from, const setti_type* type,
                                          uint32_t to)
{
    return setti_plan_find(&world->pool, &world->plans, world->listeners, &world->signatures, from,
                           type != NULL ? type->id : 0, to);
}

/* Whether nobody listens to a transition: only such ones may take the short way. */
static bool change_is_plain(sett_world* world, uint32_t from, const setti_type* type, uint32_t to)
{
    const setti_plan_step* plan = change_plan(world, from, type, to);
    return plan != NULL && plan->listener == NULL;
}

/* One walk over the listeners that a transition concerns, in order of their creation. */
typedef struct change_walk {
    const setti_plan_step* step;
    setti_listener* next; /* without a plan: the next to ask */
    uint32_t from;
    uint32_t to;
} change_walk;

static change_walk change_walk_begin(sett_world* world, uint32_t from, const setti_type* type,
                                     uint32_t to)
{
    change_walk walk = {change_plan(world, from, type, to), world->listeners, from, to};
    return walk;
}

/* The next listener that is entered, or left; NULL at the end. */
static setti_listener* change_walk_next(const sett_world* world, change_walk* walk, bool enters)
{
    for (; walk->step != NULL && walk->step->listener != NULL; walk->step++) {
        if (walk->step->enters == enters) {
            return (walk->step++)->listener;
        }
    }
    while (walk->step == NULL && walk->next != NULL) {
        setti_listener* listener = walk->next;
        walk->next = listener->next;
        bool before = setti_listener_matches(listener, &world->signatures, walk->from);
        bool after = setti_listener_matches(listener, &world->signatures, walk->to);
        if (before != after && after == enters) {
            return listener;
        }
    }
    return NULL;
}

static void change_tell(sett_world* world, setti_listener* listener, bool enters,
                        sett_entity entity)
{
    change_told told = enters ? listener->entered : listener->left;
    if (told != NULL) {
        const char* outer = world->calling;
        world->calling = listener->name;
        world->locks++;
        told(world, entity, listener->user);
        world->locks--;
        world->calling = outer;
    }
}

/* Tells those that the entity is about to leave; everything still exists. */
static void change_tell_left(sett_world* world, change_walk walk, sett_entity entity)
{
    setti_listener* listener;
    while ((listener = change_walk_next(world, &walk, false)) != NULL) {
        change_tell(world, listener, false, entity);
    }
}

static void change_leave(sett_world* world, change_walk walk, uint32_t index)
{
    setti_listener* listener;
    while ((listener = change_walk_next(world, &walk, false)) != NULL) {
        setti_listener_leave(&world->pool, listener, index);
    }
}

static void change_enter(sett_world* world, change_walk walk, uint32_t index)
{
    setti_listener* listener;
    while ((listener = change_walk_next(world, &walk, true)) != NULL) {
        setti_listener_enter(&world->pool, listener, index);
    }
}

static void change_tell_entered(sett_world* world, change_walk walk, sett_entity entity)
{
    setti_listener* listener;
    while ((listener = change_walk_next(world, &walk, true)) != NULL) {
        change_tell(world, listener, true, entity);
    }
}

/* Makes sure that entering needs no memory. */
static bool change_reserve_listeners(sett_world* world, change_walk walk, uint32_t index)
{
    setti_listener* listener;
    while ((listener = change_walk_next(world, &walk, true)) != NULL) {
        if (!setti_listener_reserve(&world->pool, listener, index)) {
            return false;
        }
    }
    return true;
}

/* --------------------------------------------------------------------------------------- adding */

/* Everything an addition needs, reserved: pages, edges, and places with listeners. */
static bool change_reserve(sett_world* world, setti_type* type, uint32_t index, uint32_t* signature)
{
    uint32_t from = *signature;
    if (!setti_storage_reserve(&world->pool, &type->storage, index)) {
        return false;
    }
    *signature = change_toggle(world, from, type);
    return *signature != SETTI_NONE &&
           change_reserve_listeners(world, change_walk_begin(world, from, type, *signature), index);
}

bool setti_change_reserve(sett_world* world, setti_type* type, sett_entity entity)
{
    change_settle(world);
    uint32_t signature = *setti_entity_signature(&world->entities, entity);
    return change_reserve(world, type, entity.index, &signature);
}

void setti_change_settle(sett_world* world)
{
    change_settle(world);
}

bool setti_change_reserve_add(sett_world* world, setti_type* type, uint32_t index,
                              uint32_t* signature)
{
    return change_reserve(world, type, index, signature);
}

/* Adds one reserved type to one entity. */
static void* change_attach(sett_world* world, setti_type* type, sett_entity entity)
{
    uint32_t* signature = setti_entity_signature(&world->entities, entity);
    uint32_t from = *signature;
    uint32_t to = change_toggle(world, from, type);
    change_walk walk = change_walk_begin(world, from, type, to);
    change_tell_left(world, walk, entity);
    change_leave(world, walk, entity.index);
    uint32_t count = 1;
    void* value = setti_storage_insert(&world->pool, &type->storage, entity.index, &count);
    setti_type_init_values(type, value, 1);
    change_set_signature(world, entity.index, signature, to);
    change_enter(world, walk, entity.index);
    if (change_is_plain(world, from, type, to)) {
        setti_type_added(type, from)->from = from;
        setti_type_added(type, from)->to = to;
    } else {
        value = setti_storage_find(&type->storage, entity.index); /* a group may have moved it */
    }
    change_call(world, type, SETTI_ON_ADD, entity, value);
    change_tell_entered(world, walk, entity);
    return value;
}

void* setti_change_add_reserved(sett_world* world, setti_type* type, sett_entity entity)
{
    return change_attach(world, type, entity);
}

/* Adds a type that the entity does not have, and before it what it requires. NULL when memory runs
 * out. */
static void* change_add(sett_world* world, setti_type* type, sett_entity entity)
{
    change_settle(world);
    uint32_t signature = *setti_entity_signature(&world->entities, entity);
    for (uint32_t k = 0; k < type->required.count; k++) {
        setti_type* needed = type->required.item[k];
        if (!setti_storage_has(&needed->storage, entity.index) &&
            !change_reserve(world, needed, entity.index, &signature)) {
            return NULL;
        }
    }
    if (!change_reserve(world, type, entity.index, &signature)) {
        return NULL;
    }
    for (uint32_t k = 0; k < type->required.count; k++) {
        if (!setti_storage_has(&type->required.item[k]->storage, entity.index)) {
            change_attach(world, type->required.item[k], entity);
        }
    }
    return change_attach(world, type, entity);
}

/* Whether the world, the type and the entity allow a change; fails as `call` otherwise. */
static setti_type* change_check(sett_world* world, sett_entity entity, sett_component component,
                                const char* call)
{
    setti_type* type = setti_world_type(world, component);
    if (setti_world_check_unlocked(world, call) != SETT_OK) {
        return NULL;
    }
    if (setti_entity_signature(&world->entities, entity) == NULL) {
        setti_world_fail(world, SETT_STATUS_STALE, call, entity, component);
        return NULL;
    }
    if (type == NULL) {
        setti_world_fail(world, SETT_STATUS_UNREGISTERED, call, entity, component);
    }
    return type;
}

/* Types of relationships come with places in lists, which their own functions see to. */
SETTI_COLD static sett_status change_refuse_linked(sett_world* world, const setti_type* type,
                                                   const char* call)
{
    return setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                                 "%s: \"%.100s\" belongs to a relationship: sett_relate adds it, "
                                 "sett_unrelate and sett_unrelate_sources end links",
                                 call, type->desc.name);
}

SETTI_COLD static void* change_add_slow(sett_world* world, sett_entity entity,
                                        sett_component component, const char* call)
{
    setti_type* type = change_check(world, entity, component, call);
    if (type == NULL) {
        return NULL;
    }
    if (setti_storage_has(&type->storage, entity.index)) {
        setti_world_fail(world, SETT_STATUS_PRESENT, call, entity, component);
        return NULL;
    }
    if ((type->flags & SETTI_TYPE_LINKED) != 0) {
        change_refuse_linked(world, type, call);
        return NULL;
    }
    void* value = change_add(world, type, entity);
    if (value == NULL) {
        setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, call, entity, component);
    }
    return value;
}

/* The short way: a plain type, a transition seen lately, pages that exist. The new row is not
 * initialised. NULL: take the long way. Calls nothing, so that sett_add need not save registers. */
SETTI_INLINE void* change_try_add(sett_world* world, setti_type* type, sett_entity entity)
{
    uint32_t* signature = setti_entity_signature(&world->entities, entity);
    if (SETTI_UNLIKELY(signature == NULL || type == NULL || world->locks != 0 ||
                       (type->flags & SETTI_TYPE_SLOW_ADD) != 0)) {
        return NULL;
    }
    const setti_transition* added = setti_type_added(type, *signature);
    if (SETTI_UNLIKELY(added->from != *signature ||
                       !setti_entity_try_write(&world->pool, &world->entities, entity.index))) {
        return NULL;
    }
    void* value = setti_matrix_try_insert(&world->pool, &type->storage, entity.index);
    if (SETTI_LIKELY(value != NULL)) {
        *signature = added->to;
    }
    return value;
}

/* The same for packed storages and tags, with their pages reserved on the way. */
static void* change_try_add_other(sett_world* world, setti_type* type, sett_entity entity)
{
    uint32_t* signature = setti_entity_signature(&world->entities, entity);
    setti_storage* storage = &type->storage;
    uint32_t count = 1;
    if (signature == NULL || world->locks != 0 || storage->kind == SETTI_MATRIX ||
        (type->flags & SETTI_TYPE_SLOW_ADD) != 0 || setti_storage_has(storage, entity.index)) {
        return NULL;
    }
    const setti_transition* added = setti_type_added(type, *signature);
    if (added->from != *signature || !setti_storage_reserve(&world->pool, storage, entity.index)) {
        return NULL;
    }
    change_set_signature(world, entity.index, signature, added->to);
    return setti_storage_insert(&world->pool, storage, entity.index, &count);
}

/* The same for a loose type that requires none: no signature and no group knows of it. */
static void* change_try_add_loose(sett_world* world, setti_type* type, sett_entity entity)
{
    setti_storage* storage = &type->storage;
    uint32_t count = 1;
    if (setti_entity_signature(&world->entities, entity) == NULL || world->locks != 0 ||
        (type->flags & SETTI_TYPE_REQUIRES) != 0 || setti_storage_has(storage, entity.index) ||
        !setti_storage_reserve(&world->pool, storage, entity.index)) {
        return NULL;
    }
    return setti_storage_insert(&world->pool, storage, entity.index, &count);
}

/* Remembers a known edge, for another try. */
static bool change_recall_added(sett_world* world, setti_type* type, sett_entity entity)
{
    const uint32_t* signature = setti_entity_signature(&world->entities, entity);
    if (type == NULL || signature == NULL) {
        return false;
    }
    setti_transition* added = setti_type_added(type, *signature);
    uint32_t to = setti_signature_edge(&world->signatures, *signature, type->id);
    if (added->from == *signature || to == SETTI_NONE ||
        !change_is_plain(world, *signature, type, to)) {
        return false;
    }
    added->from = *signature;
    added->to = to;
    return true;
}

/* Makes a value just added by the short way what it has to be. */
SETTI_APART static void* change_finish(sett_world* world, const setti_type* type,
                                       sett_entity entity, void* value)
{
    setti_type_init_values(type, value, 1);
    if (change_is_told(type, SETTI_ON_ADD)) {
        change_call_unlocked(world, type, SETTI_ON_ADD, entity, value);
    }
    return value;
}

/* The long way of adding: a known edge first, then everything else. */
static void* change_add_long(sett_world* world, sett_entity entity, sett_component component,
                             const char* call)
{
    setti_type* type = setti_world_type(world, component);
    if (SETTI_UNLIKELY(world->recording) && type != NULL) {
        type->use.added++;
    }
    void* value = NULL;
    if (world->locks != 0) {
        /* refused below; what is remembered here is not to be written to from systems */
    } else if (type != NULL && (type->flags & SETTI_TYPE_LOOSE) != 0) {
        value = change_try_add_loose(world, type, entity);
    } else if (type != NULL && type->storage.kind != SETTI_MATRIX) {
        value = change_try_add_other(world, type, entity);
    } else if (change_recall_added(world, type, entity)) {
        value = change_try_add(world, type, entity);
    }
    return value != NULL ? change_finish(world, type, entity, value)
                         : change_add_slow(world, entity, component, call);
}

void* sett_add(sett_world* world, sett_entity entity, sett_component component)
{
    setti_type* type = setti_world_hot_type(world, component);
    void* value = change_try_add(world, type, entity);
    if (SETTI_UNLIKELY(value == NULL)) {
        return change_add_long(world, entity, component, "sett_add");
    }
    if (SETTI_UNLIKELY((type->flags & SETTI_TYPE_ADD_HOOKS) != 0)) {
        return change_finish(world, type, entity, value);
    }
    return setti_row_zero(value, type->storage.size);
}

/* The type of a write that the short path did not know: not registered, or use is recorded, or a
 * system is watched. */
static setti_type* change_type(const sett_world* world, sett_component component, const char* call)
{
    setti_type* type = setti_world_type(world, component);
    if (type != NULL && world->guard != NULL) {
        world->guard->touch(world->guard, world, component, SETTI_ACCESS_WRITE, call);
    }
    return type;
}

SETTI_INLINE void* change_ensure(sett_world* world, sett_entity entity, setti_type* type)
{
    if (SETTI_LIKELY(setti_entity_signature(&world->entities, entity) != NULL)) {
        void* value = setti_storage_find_mut(&world->pool, &type->storage, entity.index);
        if (value != NULL) {
            return value;
        }
    }
    return change_add_long(world, entity, type->id, "sett_ensure");
}

SETTI_COLD static void* change_ensure_unknown(sett_world* world, sett_entity entity,
                                              sett_component component)
{
    setti_type* type = change_type(world, component, "sett_ensure");
    return type != NULL ? change_ensure(world, entity, type)
                        : change_add_long(world, entity, component, "sett_ensure");
}

void* sett_ensure(sett_world* world, sett_entity entity, sett_component component)
{
    setti_type* type = setti_world_hot_type(world, component);
    return SETTI_LIKELY(type != NULL) ? change_ensure(world, entity, type)
                                      : change_ensure_unknown(world, entity, component);
}

/* Those who are told of a set may set values themselves, and so on: up to here. */
SETTI_COLD static bool change_set_too_deep(sett_world* world, sett_entity entity,
                                           const setti_type* type)
{
    setti_world_fail_with(world, SETT_STATUS_LIMIT,
                          "sett_set, entity %u:%u, component \"%.100s\": called by \"%.100s\", "
                          "which is told of sets, %u of them inside one another",
                          (unsigned)entity.index, (unsigned)entity.generation, type->desc.name,
                          world->calling, (unsigned)SETTI_EVENT_DEPTH);
    setti_world_log(world, SETT_LOG_ERROR, "%s", world->message);
    return false;
}

/* Who is told of a set runs in no order with what runs beside. */
SETTI_COLD static bool change_set_in_system(sett_world* world, const setti_type* type)
{
    setti_world_fail_with(world, SETT_STATUS_LOCKED,
                          "sett_set: system %.200s runs, and somebody is told of sets of "
                          "\"%.100s\"; record it with sett_cmd_set into context->commands",
                          world->running, type->desc.name);
    return false;
}

/* Writes a value of a type with hooks over one that is initialised. */
SETTI_COLD static bool change_set_hooked(sett_world* world, const setti_type* type,
                                         sett_entity entity, void* row, const void* value)
{
    bool told = change_is_told(type, SETTI_ON_SET);
    if (told && world->running != NULL) {
        return change_set_in_system(world, type);
    }
    if (told && world->set_depth == SETTI_EVENT_DEPTH) {
        return change_set_too_deep(world, entity, type);
    }
    if (type->desc.copy == NULL && value != row) {
        setti_type_deinit_values(type, row, 1); /* without copy, what is given moves in */
    }
    if (value != row) {
        setti_type_copy_values(type, row, value, type->storage.size != 0);
    }
    if (told) {
        world->set_depth++;
        change_call_all(world, type, SETTI_ON_SET, entity, row);
        world->set_depth--;
    }
    return true;
}

/* False only where those who are told of sets set values, and the like goes too deep, and in
 * systems. */
SETTI_INLINE bool change_write(sett_world* world, const setti_type* type, sett_entity entity,
                               void* row, const void* value)
{
    if (SETTI_UNLIKELY((type->flags & SETTI_TYPE_SLOW_SET) != 0)) {
        return change_set_hooked(world, type, entity, row, value);
    }
    if (type->storage.size != 0) {
        setti_row_copy(row, value, type->storage.size);
    }
    return true;
}

/* Adds for sett_set where values may move meanwhile, by compaction or because a group takes the
 * entity in, and with them what `value` points to: a plain value is set aside, one with a move hook
 * is found again. */
static void* change_set_moving(sett_world* world, sett_entity entity, const setti_type* type,
                               const void* value)
{
    static const char call[] = "sett_set";
    const setti_storage* storage = &type->storage;
    size_t align = SETTI_MAX(storage->align, 16);
    uint32_t source = SETTI_NONE;
    void* aside = NULL;
    if (type->desc.move != NULL) {
        source = setti_storage_owner(storage, value);
    } else {
        aside = setti_pool_alloc(&world->pool, storage->size, align);
        if (aside == NULL) {
            setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, call, entity, type->id);
            return NULL;
        }
        setti_row_copy(aside, value, storage->size);
        value = aside;
    }
    void* row = change_add_long(world, entity, type->id, call);
    if (row != NULL) {
        value = source != SETTI_NONE ? setti_storage_find(storage, source) : value;
        (void)change_write(world, type, entity, row, value); /* not inside of a callback */
    }
    setti_pool_free(&world->pool, aside, storage->size, align);
    return row;
}

static bool change_may_move(const sett_world* world, const setti_type* type)
{
    return type != NULL && type->storage.size != 0 && world->locks == 0 &&
           (world->listeners != NULL || setti_packed_is_full(&type->storage));
}

SETTI_INLINE void* change_set(sett_world* world, sett_entity entity, setti_type* type,
                              const void* value)
{
    void* row = NULL;
    if (SETTI_UNLIKELY(value == NULL && type->storage.size != 0)) {
        setti_world_fail(world, SETT_STATUS_ARGUMENT, "sett_set", entity, type->id);
        return NULL;
    }
    if (SETTI_LIKELY(setti_entity_signature(&world->entities, entity) != NULL)) {
        row = setti_matrix_try_find_mut(&world->pool, &type->storage, entity.index);
        if (row == NULL && (type->storage.kind != SETTI_MATRIX || type->storage.tracked ||
                            SETTI_UNLIKELY(world->pool.keep_from != 0))) {
            row = setti_storage_find_mut(&world->pool, &type->storage, entity.index);
        }
    }
    if (row == NULL) {
        row = SETTI_LIKELY(!world->recording) ? change_try_add(world, type, entity) : NULL;
        if (SETTI_UNLIKELY(row == NULL)) {
            if (change_may_move(world, type)) {
                return change_set_moving(world, entity, type, value);
            }
            row = change_add_long(world, entity, type->id, "sett_set");
            if (row == NULL) {
                return NULL;
            }
        } else if (SETTI_UNLIKELY((type->flags & (SETTI_TYPE_ADD_HOOKS | SETTI_TYPE_SLOW_SET)) !=
                                  0)) {
            change_finish(world, type, entity, row); /* as sett_add leaves it */
        }
    }
    return SETTI_LIKELY(change_write(world, type, entity, row, value)) ? row : NULL;
}

SETTI_COLD static void* change_set_unknown(sett_world* world, sett_entity entity,
                                           sett_component component, const void* value)
{
    setti_type* type = change_type(world, component, "sett_set");
    return type != NULL ? change_set(world, entity, type, value)
                        : change_add_long(world, entity, component, "sett_set");
}

void* sett_set(sett_world* world, sett_entity entity, sett_component component, const void* value)
{
    setti_type* type = setti_world_hot_type(world, component);
    return SETTI_LIKELY(type != NULL) ? change_set(world, entity, type, value)
                                      : change_set_unknown(world, entity, component, value);
}

/* ------------------------------------------------------------------------------------- removing */

/* Removes a type that the entity has; the edge exists, and so do places with listeners. */
static void change_detach(sett_world* world, setti_type* type, sett_entity entity)
{
    uint32_t* signature = setti_entity_signature(&world->entities, entity);
    uint32_t from = *signature;
    uint32_t to = change_toggle(world, from, type);
    change_walk walk = change_walk_begin(world, from, type, to);
    change_tell_left(world, walk, entity);
    if (change_is_told(type, SETTI_ON_REMOVE)) {
        change_call_all(world, type, SETTI_ON_REMOVE, entity,
                        setti_storage_find(&type->storage, entity.index));
    }
    if (type->ties != NULL) {
        type->ties->cut(world, type, entity.index);
    }
    change_leave(world, walk, entity.index);
    change_deinit_value(world, type, entity.index);
    setti_storage_erase(&world->pool, &type->storage, entity.index);
    change_set_signature(world, entity.index, signature, to);
    change_enter(world, walk, entity.index);
    if (change_is_plain(world, from, type, to)) {
        setti_type_removed(type, from)->from = from;
        setti_type_removed(type, from)->to = to;
    }
    change_tell_entered(world, walk, entity);
}

/* What removing a type needs, reserved. */
static bool change_reserve_removal(sett_world* world, const setti_type* type, uint32_t index,
                                   uint32_t* signature)
{
    uint32_t from = *signature;
    *signature = change_toggle(world, from, type);
    return *signature != SETTI_NONE &&
           change_reserve_listeners(world, change_walk_begin(world, from, type, *signature), index);
}

/* The same for a type and before it what requires it, the latest registered first; passes over what
 * is not in the signature (any more). False when memory runs out. */
static bool change_reserve_removals(sett_world* world, setti_type* type, uint32_t index,
                                    uint32_t* signature)
{
    for (uint32_t k = type->dependants.count + 1; k-- > 0;) {
        const setti_type* going = k > 0 ? type->dependants.item[k - 1] : type;
        bool loose = (going->flags & SETTI_TYPE_LOOSE) != 0;
        if ((loose || setti_signature_has(&world->signatures, *signature, going->id)) &&
            !change_reserve_removal(world, going, index, signature)) {
            return false;
        }
    }
    return true;
}

/* Removes a type that the entity has, all reserved, and before it what requires it. */
static void change_remove_reserved(sett_world* world, setti_type* type, sett_entity entity)
{
    for (uint32_t k = type->dependants.count; k-- > 0;) {
        if (setti_storage_has(&type->dependants.item[k]->storage, entity.index)) {
            change_detach(world, type->dependants.item[k], entity);
        }
    }
    change_detach(world, type, entity);
}

/* The same without anything reserved. False when memory runs out. */
static bool change_remove(sett_world* world, setti_type* type, sett_entity entity)
{
    change_settle(world);
    uint32_t signature = *setti_entity_signature(&world->entities, entity);
    if (!change_reserve_removals(world, type, entity.index, &signature)) {
        return false;
    }
    change_remove_reserved(world, type, entity);
    return true;
}

bool setti_change_reserve_remove(sett_world* world, setti_type* type, uint32_t index)
{
    const setti_entity_page* page = setti_entity_page_of(&world->entities, index);
    uint32_t signature = page->signature[index & SETTI_ID_SET_MASK];
    return change_reserve_removals(world, type, index, &signature);
}

void setti_change_remove_reserved(sett_world* world, setti_type* type, uint32_t index)
{
    change_remove_reserved(world, type, setti_entity_at(&world->entities, index));
}

/* The next type of a set, from the k-th on, whose value has to go from an entity that stays. */
static setti_type* change_next_stranded(const sett_world* world, uint32_t set, uint32_t index,
                                        uint32_t* k)
{
    while (set != 0 && *k < world->signatures.record[set].count) {
        setti_type* type = world->types[world->signatures.record[set].types[(*k)++]];
        if (type->ties != NULL && type->ties->stranded != NULL &&
            setti_storage_has(&type->storage, index) && type->ties->stranded(world, type, index)) {
            return type;
        }
    }
    return NULL;
}

/* Several types may go, and what they need depends on the order: both walk the set that the entity
 * has at first, upwards. */
bool setti_change_reserve_stranded(sett_world* world, uint32_t index)
{
    const setti_entity_page* page = setti_entity_page_of(&world->entities, index);
    uint32_t set = page->signature[index & SETTI_ID_SET_MASK];
    uint32_t signature = set;
    uint32_t k = 0;
    setti_type* type;
    while ((type = change_next_stranded(world, set, index, &k)) != NULL) {
        if (!change_reserve_removals(world, type, index, &signature)) {
            return false;
        }
    }
    return true;
}

void setti_change_remove_stranded(sett_world* world, uint32_t index)
{
    const setti_entity_page* page = setti_entity_page_of(&world->entities, index);
    uint32_t set = page->signature[index & SETTI_ID_SET_MASK];
    uint32_t k = 0;
    setti_type* type;
    while ((type = change_next_stranded(world, set, index, &k)) != NULL) {
        change_remove_reserved(world, type, setti_entity_at(&world->entities, index));
    }
}

SETTI_COLD static sett_status change_remove_slow(sett_world* world, sett_entity entity,
                                                 sett_component component)
{
    static const char call[] = "sett_remove";
    setti_type* type = change_check(world, entity, component, call);
    if (type == NULL) {
        return world->error;
    }
    if (!setti_storage_has(&type->storage, entity.index)) {
        return setti_world_fail(world, SETT_STATUS_ABSENT, call, entity, component);
    }
    if ((type->flags & SETTI_TYPE_KEPT) != 0) {
        return change_refuse_linked(world, type, call);
    }
    if (!change_remove(world, type, entity)) {
        return setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, call, entity, component);
    }
    return SETT_OK;
}

/* The long way of removing: a known edge first, then everything else. */
static sett_status change_remove_long(sett_world* world, sett_entity entity,
                                      sett_component component)
{
    setti_type* type = setti_world_type(world, component);
    if (SETTI_UNLIKELY(world->recording)) {
        if (type != NULL) {
            type->use.removed++;
        }
        return change_remove_slow(world, entity, component);
    }
    uint32_t* signature = setti_entity_signature(&world->entities, entity);
    if (type == NULL || signature == NULL || world->locks != 0 ||
        (type->flags & (SETTI_TYPE_REQUIRED | SETTI_TYPE_REMOVE_HOOKS)) != 0 ||
        !setti_storage_has(&type->storage, entity.index)) {
        return change_remove_slow(world, entity, component);
    }
    if ((type->flags & SETTI_TYPE_LOOSE) != 0) { /* no signature and no group knows of it */
        setti_storage_erase(&world->pool, &type->storage, entity.index);
        return SETT_OK;
    }
    setti_transition* removed = setti_type_removed(type, *signature);
    if (removed->from != *signature) {
        uint32_t to = setti_signature_edge(&world->signatures, *signature, component);
        if (to == SETTI_NONE || !change_is_plain(world, *signature, type, to)) {
            return change_remove_slow(world, entity, component);
        }
        removed->from = *signature;
        removed->to = to;
    }
    setti_storage_erase(&world->pool, &type->storage, entity.index);
    change_set_signature(world, entity.index, signature, removed->to);
    return SETT_OK;
}

static sett_status change_emptied(sett_world* world, setti_type* type, uint32_t index)
{
    setti_matrix_word_emptied(&world->pool, &type->storage, index);
    return SETT_OK;
}

/* The short way for a type that is told of its removal, or has values to end. What the call would
 * have to keep in memory is worked out again behind it. */
SETTI_APART static sett_status change_remove_told(sett_world* world, setti_type* type,
                                                  sett_entity entity, uint32_t* signature)
{
    setti_storage* storage = &type->storage;
    uint64_t* word = setti_storage_word(storage, entity.index);
    if (word == NULL || (*word >> (entity.index % 64) & 1) == 0) {
        return change_remove_slow(world, entity, type->id);
    }
    if (change_is_told(type, SETTI_ON_REMOVE)) {
        change_call_unlocked(world, type, SETTI_ON_REMOVE, entity,
                             setti_storage_at(storage, entity.index));
    }
    if (type->ties != NULL) {
        type->ties->cut(world, type, entity.index);
    }
    change_deinit_value(world, type, entity.index);
    setti_erased erased = setti_matrix_erase_bit(&world->pool, storage, word, entity.index);
    change_set_signature(world, entity.index, signature, setti_type_removed(type, *signature)->to);
    return erased == SETTI_ERASED ? SETT_OK : change_emptied(world, type, entity.index);
}

sett_status sett_remove(sett_world* world, sett_entity entity, sett_component component)
{
    setti_type* type = setti_world_hot_type(world, component);
    uint32_t* signature = setti_entity_signature(&world->entities, entity);
    if (SETTI_UNLIKELY(signature == NULL || type == NULL || world->locks != 0 ||
                       (type->flags & SETTI_TYPE_SLOW_REMOVE) != 0 ||
                       type->storage.kind == SETTI_PACKED)) {
        return change_remove_long(world, entity, component);
    }
    const setti_transition* removed = setti_type_removed(type, *signature);
    if (SETTI_UNLIKELY(removed->from != *signature ||
                       !setti_entity_try_write(&world->pool, &world->entities, entity.index))) {
        return change_remove_long(world, entity, component);
    }
    if (SETTI_UNLIKELY((type->flags & SETTI_TYPE_REMOVE_HOOKS) != 0)) {
        return change_remove_told(world, type, entity, signature);
    }
    setti_erased erased = setti_matrix_try_erase(&world->pool, &type->storage, entity.index);
    if (SETTI_UNLIKELY(erased == SETTI_NOT_ERASED)) {
        return change_remove_slow(world, entity, component);
    }
    *signature = removed->to;
    return SETTI_LIKELY(erased == SETTI_ERASED) ? SETT_OK
                                                : change_emptied(world, type, entity.index);
}

/* Takes all components off an entity, hooks first, values then. Needs no memory. Leaves the
 * signature for the caller to reset. */
static void change_strip(sett_world* world, sett_entity entity, uint32_t* signature)
{
    uint32_t set = *signature & ~SETTI_DYING;
    const setti_signature empty = {NULL, 0, 0, 0, 0, 0};
    const setti_signature record = set != 0 ? world->signatures.record[set] : empty;
    const setti_type_list* loose = &world->loose;
    change_walk walk = change_walk_begin(world, set, NULL, 0);
    change_tell_left(world, walk, entity);
    for (uint32_t k = loose->count; k-- > 0;) {
        setti_type* type = loose->item[k];
        if (change_is_told(type, SETTI_ON_REMOVE) &&
            setti_storage_has(&type->storage, entity.index)) {
            change_call_all(world, type, SETTI_ON_REMOVE, entity,
                            setti_storage_find(&type->storage, entity.index));
        }
    }
    for (uint32_t k = record.count; record.hooked != 0 && k-- > 0;) {
        const setti_type* type = world->types[record.types[k]];
        if (change_is_told(type, SETTI_ON_REMOVE)) {
            change_call_all(world, type, SETTI_ON_REMOVE, entity,
                            setti_storage_find(&type->storage, entity.index));
        }
    }
    world->stripping = true;
    for (uint32_t k = record.count; record.hooked != 0 && world->tied != 0 && k-- > 0;) {
        setti_type* type = world->types[record.types[k]];
        if (type->ties != NULL) {
            type->ties->cut(world, type, entity.index);
        }
    }
    world->stripping = false;
    change_leave(world, walk, entity.index);
    for (uint32_t k = loose->count; k-- > 0;) {
        setti_type* type = loose->item[k];
        void* value = setti_storage_find(&type->storage, entity.index);
        if (value != NULL) {
            change_deinit_value(world, type, entity.index);
            setti_storage_erase(&world->pool, &type->storage, entity.index);
        }
    }
    for (uint32_t k = record.count; k-- > 0;) {
        setti_type* type = world->types[record.types[k]];
        change_deinit_value(world, type, entity.index);
        setti_storage_erase(&world->pool, &type->storage, entity.index);
    }
}

/* Whether a set has types that stay as long as their entity does. */
static bool change_keeps(const sett_world* world, uint32_t set)
{
    const setti_signature* record = &world->signatures.record[set];
    for (uint32_t k = 0; set != 0 && k < record->count; k++) {
        if ((world->types[record->types[k]]->flags & SETTI_TYPE_KEPT) != 0) {
            return true;
        }
    }
    return false;
}

/* Takes all components off an entity but those that are kept, one by one. False when memory runs
 * out, with nothing changed. */
SETTI_COLD static bool change_clear_kept(sett_world* world, sett_entity entity)
{
    change_settle(world);
    uint32_t set = *setti_entity_signature(&world->entities, entity);
    for (uint32_t pass = 0; pass < 2; pass++) {
        uint32_t signature = set;
        for (uint32_t k = world->signatures.record[set].count; k-- > 0;) {
            setti_type* type = world->types[world->signatures.record[set].types[k]];
            if ((type->flags & SETTI_TYPE_KEPT) != 0) {
                continue;
            }
            if (pass == 0 && !change_reserve_removals(world, type, entity.index, &signature)) {
                return false;
            }
            if (pass == 1 && setti_storage_has(&type->storage, entity.index)) {
                change_remove_reserved(world, type, entity);
            }
        }
    }
    for (uint32_t k = world->loose.count; k-- > 0;) { /* these need no memory */
        if (setti_storage_has(&world->loose.item[k]->storage, entity.index)) {
            change_remove_reserved(world, world->loose.item[k], entity);
        }
    }
    return true;
}

sett_status sett_entity_clear(sett_world* world, sett_entity entity)
{
    static const char call[] = "sett_entity_clear";
    sett_status status = setti_world_check_unlocked(world, call);
    if (status != SETT_OK) {
        return status;
    }
    uint32_t* signature = setti_entity_signature(&world->entities, entity);
    if (signature == NULL) {
        return setti_world_fail(world, SETT_STATUS_STALE, call, entity, 0);
    }
    if (world->tied != 0 && change_keeps(world, *signature)) {
        return change_clear_kept(world, entity)
                   ? SETT_OK
                   : setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, call, entity, 0);
    }
    change_strip(world, entity, signature);
    change_set_signature(world, entity.index, signature, 0);
    return SETT_OK;
}

/* ------------------------------------------------------------------------------------- creating */

/* Refused, out of memory or in need of pages. */
SETTI_COLD static sett_entity change_create_slow(sett_world* world)
{
    static const char call[] = "sett_entity_create";
    if (setti_world_check_unlocked(world, call) != SETT_OK) {
        return sett_null();
    }
    sett_status status = setti_entity_reserve(&world->pool, &world->entities, 1);
    if (status != SETT_OK) {
        setti_world_fail(world, status, call, sett_null(), 0);
        return sett_null();
    }
    return setti_entity_create(&world->pool, &world->entities);
}

sett_entity sett_entity_create(sett_world* world)
{
    setti_entity_table* table = &world->entities;
    uint32_t row = table->ids.count;
    const setti_id_page* page = setti_id_set_page_of(&table->ids, row);
    if (SETTI_UNLIKELY(page == NULL || world->locks != 0 || table->promised != 0 ||
                       row >= table->ids.limit)) {
        return change_create_slow(world);
    }
    /* An index that lived before has its page; a fresh one is its own row, and may not. */
    sett_entity entity;
    entity.index = page->dense[row & SETTI_ID_SET_MASK];
    setti_entity_page* home = setti_entity_page_of(table, entity.index);
    if (SETTI_UNLIKELY(home == NULL ||
                       !setti_entity_try_write(&world->pool, table, entity.index))) {
        return change_create_slow(world);
    }
    uint32_t* generation = &home->generation[entity.index & SETTI_ID_SET_MASK];
    entity.generation = *generation & ~SETTI_DEAD;
    *generation = entity.generation;
    table->ids.count = row + 1;
    return entity;
}

sett_status sett_entity_create_handle(sett_world* world, sett_entity entity)
{
    static const char call[] = "sett_entity_create_handle";
    setti_entity_table* table = &world->entities;
    sett_status status = setti_world_check_unlocked(world, call);
    if (status != SETT_OK) {
        return status;
    }
    if (entity.index >= table->ids.limit) {
        return setti_world_fail(world, SETT_STATUS_LIMIT, call, entity, 0);
    }
    if (sett_is_null(entity) || entity.generation > SETTI_GENERATION_MAX) {
        return setti_world_fail(world, SETT_STATUS_STALE, call, entity, 0);
    }
    const setti_entity_page* page = setti_entity_page_of(table, entity.index);
    uint32_t slot = entity.index & SETTI_ID_SET_MASK;
    uint32_t current = page != NULL ? page->generation[slot] : (SETTI_DEAD | 1);
    if ((current & SETTI_DEAD) == 0 || setti_entity_is_promised(table, entity.index)) {
        return setti_world_fail(world, SETT_STATUS_PRESENT, call, entity, 0);
    }
    if (current == SETTI_RETIRED || entity.generation < (current & ~SETTI_DEAD)) {
        return setti_world_fail(world, SETT_STATUS_STALE, call, entity, 0);
    }
    status = setti_entity_reserve_index(&world->pool, table, entity.index);
    if (status != SETT_OK) {
        return setti_world_fail(world, status, call, entity, 0);
    }
    setti_entity_create_at(&world->pool, table, entity);
    return SETT_OK;
}

/* Adds a type to the list and to the signature; known types are passed over. */
static sett_status change_bulk_add(sett_world* world, setti_bulk* bulk, setti_type* type)
{
    for (uint32_t k = 0; k < bulk->types.count; k++) {
        if (bulk->types.item[k] == type) {
            return SETT_OK;
        }
    }
    bulk->signature = change_toggle(world, bulk->signature, type);
    if (bulk->signature == SETTI_NONE || !setti_type_list_add(&world->pool, &bulk->types, type)) {
        return SETT_STATUS_OUT_OF_MEMORY;
    }
    return SETT_OK;
}

sett_status setti_bulk_prepare(sett_world* world, setti_bulk* bulk, const char* call)
{
    for (uint32_t k = 0; k < bulk->component_count; k++) {
        setti_type* type = setti_world_type(world, bulk->components[k]);
        sett_status status = type != NULL ? SETT_OK : SETT_STATUS_UNREGISTERED;
        for (uint32_t j = 0; j < k; j++) {
            status = bulk->components[j] == bulk->components[k] ? SETT_STATUS_ARGUMENT : status;
        }
        if (status == SETT_OK && (type->flags & SETTI_TYPE_LINKED) != 0 && !bulk->linked) {
            return change_refuse_linked(world, type, call);
        }
        for (uint32_t j = 0; status == SETT_OK && j < type->required.count; j++) {
            status = change_bulk_add(world, bulk, type->required.item[j]);
        }
        if (status == SETT_OK) {
            status = change_bulk_add(world, bulk, type);
        }
        if (status != SETT_OK) {
            return setti_world_fail(world, status, call, sett_null(), bulk->components[k]);
        }
    }
    return SETT_OK;
}

/* How many of the next `count` creations take indices that follow one another. */
static uint32_t change_run(const setti_entity_table* table, uint32_t ahead, uint32_t count)
{
    uint32_t row = table->ids.count + table->promised + ahead;
    uint32_t first = setti_id_set_dense(&table->ids, row);
    uint32_t run = 1;
    while (run < count) { /* page by page: a page that does not exist is the identity */
        const setti_id_page* page = setti_id_set_page_of(&table->ids, row + run);
        uint32_t slot = (row + run) & SETTI_ID_SET_MASK;
        uint32_t end = SETTI_MIN(SETTI_ID_SET_ROWS - slot, count - run);
        for (uint32_t k = 0; k < end; k++, run++) {
            if ((page != NULL ? page->dense[slot + k] : row + run) != first + run) {
                return run;
            }
        }
    }
    return run;
}

/* Rows behind those that were reserved for others and not taken yet. */
static bool change_bulk_claim(sett_world* world, setti_bulk* bulk)
{
    bool done = true;
    bulk->claimed = true;
    for (uint32_t k = 0; k < bulk->types.count; k++) {
        setti_type* type = bulk->types.item[k];
        type->claimed += bulk->count;
        done = done && setti_storage_reserve_rows(&world->pool, &type->storage, type->claimed);
    }
    return done;
}

static void change_bulk_unclaim(setti_bulk* bulk)
{
    for (uint32_t k = 0; k < bulk->types.count && bulk->claimed; k++) {
        bulk->types.item[k]->claimed -= bulk->count;
    }
    bulk->claimed = false;
}

sett_status setti_bulk_reserve(sett_world* world, setti_bulk* bulk, uint32_t ahead)
{
    setti_entity_table* table = &world->entities;
    if (bulk->count > SETTI_NONE - ahead) {
        return SETT_STATUS_LIMIT;
    }
    sett_status status = setti_entity_reserve(&world->pool, table, ahead + bulk->count);
    if (status != SETT_OK || bulk->types.count == 0) {
        return status;
    }
    if (!change_bulk_claim(world, bulk)) {
        return SETT_STATUS_OUT_OF_MEMORY;
    }
    change_walk walk = change_walk_begin(world, 0, NULL, bulk->signature);
    for (uint32_t done = 0; done < bulk->count;) {
        uint32_t run = change_run(table, ahead + done, bulk->count - done);
        uint32_t first = setti_entity_upcoming(table, ahead + done);
        for (uint32_t k = 0; k < run && world->listeners != NULL; k++) {
            if (!change_reserve_listeners(world, walk, first + k)) {
                return SETT_STATUS_OUT_OF_MEMORY;
            }
        }
        for (uint32_t k = 0; k < bulk->types.count; k++) {
            if (!setti_storage_reserve_indices(&world->pool, &bulk->types.item[k]->storage, first,
                                               run)) {
                return SETT_STATUS_OUT_OF_MEMORY;
            }
        }
        done += run;
    }
    return SETT_OK;
}

/* Which of the caller's value arrays belongs to a type; NULL if none does. */
static const unsigned char* change_bulk_values(const setti_bulk* bulk, const setti_type* type)
{
    for (uint32_t k = 0; bulk->values != NULL && k < bulk->component_count; k++) {
        if (bulk->components[k] == type->id) {
            return bulk->values[k];
        }
    }
    return NULL;
}

/* Writes `count` copies of one value to rows. */
static void change_repeat(const setti_type* type, unsigned char* rows, const unsigned char* value,
                          uint32_t count)
{
    size_t size = type->storage.size;
    if (type->desc.copy != NULL) {
        for (uint32_t k = 0; k < count; k++) {
            type->desc.copy(rows + k * size, value, 1, type->desc.user);
        }
        return;
    }
    setti_row_copy(rows, value, size);
    for (size_t done = size, end = size * count; done < end;) { /* what is there, twice */
        size_t step = SETTI_MIN(done, end - done);
        memcpy(rows + done, rows, step);
        done += step;
    }
}

/* Gives `run` entities with neighbouring indices one type; `values` has the first one's, or, to
 * repeat, the one that all get. */
static void change_bulk_fill(sett_world* world, setti_type* type, uint32_t first, uint32_t run,
                             const unsigned char* values, bool repeat)
{
    for (uint32_t done = 0; done < run;) {
        uint32_t count = run - done;
        void* rows = setti_storage_insert(&world->pool, &type->storage, first + done, &count);
        if (values == NULL || type->desc.copy != NULL) {
            setti_type_init_values(type, rows, count);
        }
        if (values != NULL && type->storage.size != 0 && repeat) {
            change_repeat(type, rows, values, count);
        } else if (values != NULL && type->storage.size != 0) {
            setti_type_copy_values(type, rows, values + (size_t)done * type->storage.size, count);
        }
        done += count;
    }
}

void setti_bulk_create(sett_world* world, setti_bulk* bulk, sett_entity* out)
{
    setti_entity_table* table = &world->entities;
    bulk->row = table->ids.count;
    for (uint32_t done = 0; done < bulk->count;) {
        uint32_t run = change_run(table, 0, bulk->count - done);
        uint32_t first = setti_entity_upcoming(table, 0);
        setti_entity_create_run(&world->pool, table, run, bulk->signature,
                                out != NULL ? out + done : NULL);
        for (uint32_t k = 0; k < bulk->types.count; k++) {
            setti_type* type = bulk->types.item[k];
            const unsigned char* given = change_bulk_values(bulk, type);
            size_t offset = bulk->repeat ? 0 : (size_t)done * type->storage.size;
            change_bulk_fill(world, type, first, run, given != NULL ? given + offset : NULL,
                             bulk->repeat);
        }
        done += run;
    }
    change_bulk_unclaim(bulk);
    change_walk walk = change_walk_begin(world, 0, NULL, bulk->signature);
    for (uint32_t k = 0; k < bulk->count && world->listeners != NULL; k++) {
        change_enter(world, walk, setti_id_set_dense(&table->ids, bulk->row + k));
    }
}

/* Tells the hooks of a type of entities that were created together. */
static void change_bulk_call(sett_world* world, setti_type* type, const setti_bulk* bulk, bool set)
{
    for (uint32_t k = 0; k < bulk->count; k++) {
        uint32_t index = setti_id_set_dense(&world->entities.ids, bulk->row + k);
        sett_entity entity = setti_entity_at(&world->entities, index);
        void* value = setti_storage_find(&type->storage, index);
        change_call(world, type, SETTI_ON_ADD, entity, value);
        if (set) {
            change_call(world, type, SETTI_ON_SET, entity, value);
        }
    }
}

void setti_bulk_tell(sett_world* world, const setti_bulk* bulk)
{
    for (uint32_t k = 0; k < bulk->types.count; k++) {
        setti_type* type = bulk->types.item[k];
        if ((type->flags & (SETTI_TYPE_ON_ADD | SETTI_TYPE_ON_SET)) != 0) {
            change_bulk_call(world, type, bulk, change_bulk_values(bulk, type) != NULL);
        }
    }
    change_walk walk = change_walk_begin(world, 0, NULL, bulk->signature);
    for (uint32_t k = 0; k < bulk->count && world->listeners != NULL; k++) {
        uint32_t index = setti_id_set_dense(&world->entities.ids, bulk->row + k);
        change_tell_entered(world, walk, setti_entity_at(&world->entities, index));
    }
}

void setti_bulk_free(sett_world* world, setti_bulk* bulk)
{
    change_bulk_unclaim(bulk);
    setti_type_list_deinit(&world->pool, &bulk->types);
}

sett_status sett_entity_create_many(sett_world* world, uint32_t count,
                                    const sett_component* components, uint32_t component_count,
                                    const void* const* values, sett_entity* out)
{
    static const char call[] = "sett_entity_create_many";
    sett_status status = setti_world_check_unlocked(world, call);
    if (status != SETT_OK || count == 0) {
        return status;
    }
    change_settle(world);
    setti_bulk bulk;
    memset(&bulk, 0, sizeof(bulk));
    bulk.components = components;
    bulk.component_count = component_count;
    bulk.values = values;
    bulk.count = count;
    status = setti_bulk_prepare(world, &bulk, call);
    if (status == SETT_OK) {
        status = setti_bulk_reserve(world, &bulk, 0);
        if (status != SETT_OK) {
            setti_world_fail(world, status, call, sett_null(), 0);
        }
    }
    if (status == SETT_OK) {
        setti_bulk_create(world, &bulk, out);
        setti_bulk_tell(world, &bulk);
    }
    setti_bulk_free(world, &bulk);
    return status;
}

/* ----------------------------------------------------------------------------------- destroying */

/* Destroying one entity may doom others, which have to go before it: its children, say. They gather
 * in the last rows of the entity table, which is a permutation and so needs no memory for it:
 *
 *     rows     | alive ...          | ... third found | second | first |   promised, free
 *                                                                      count
 *
 * Each is asked in turn whom it dooms, and counts as dying from then on. When nobody refuses, they
 * end from the last found to the first, and their rows all at once. A chain of a million entities
 * takes no more stack than one. */

void setti_change_doom(sett_world* world, uint32_t index)
{
    setti_entity_table* table = &world->entities;
    setti_id_set* ids = &table->ids;
    setti_entity_page* page = table->pages.data[index >> SETTI_ID_SET_SHIFT];
    uint32_t* signature = &page->signature[index & SETTI_ID_SET_MASK];
    if ((*signature & SETTI_DYING) != 0) {
        return;
    }
    change_set_signature(world, index, signature, *signature | SETTI_DYING);
    uint32_t row = setti_id_set_sparse(ids, index);
    uint32_t to = ids->count - 1 - world->doomed++;
    if (row != to) {
        setti_id_set_put(&world->pool, ids, row, setti_id_set_dense(ids, to));
        setti_id_set_put(&world->pool, ids, to, index);
    }
}

/* The first type of a signature that has ties, or NULL. */
static setti_type* change_tied_type(const sett_world* world, uint32_t set)
{
    const setti_signature* record = &world->signatures.record[set];
    for (uint32_t k = 0; set != 0 && world->tied != 0 && k < record->count; k++) {
        if (world->types[record->types[k]]->ties != NULL) {
            return world->types[record->types[k]];
        }
    }
    return NULL;
}

/* What is asked of the ties of everybody doomed, one question after another. */
typedef enum change_question {
    CHANGE_DOOM,
    CHANGE_JUDGE,
    CHANGE_RELEASE,
} change_question;

static sett_status change_ask_type(sett_world* world, setti_type* type, uint32_t index,
                                   change_question question)
{
    const setti_ties* ties = type->ties;
    if (question == CHANGE_RELEASE) {
        if (ties->release != NULL) {
            ties->release(world, type, index);
        }
        return SETT_OK;
    }
    sett_status (*ask)(sett_world*, setti_type*, uint32_t) =
        question == CHANGE_DOOM ? ties->doom : ties->judge;
    return ask != NULL ? ask(world, type, index) : SETT_OK;
}

/* Asks the ties of one of the doomed. */
static sett_status change_ask(sett_world* world, uint32_t index, change_question question)
{
    const setti_entity_page* page = setti_entity_page_of(&world->entities, index);
    uint32_t set = page->signature[index & SETTI_ID_SET_MASK] & ~SETTI_DYING;
    sett_status status = SETT_OK;
    for (uint32_t k = 0; set != 0 && k < world->signatures.record[set].count; k++) {
        setti_type* type = world->types[world->signatures.record[set].types[k]];
        if (type->ties != NULL && status == SETT_OK) {
            status = change_ask_type(world, type, index, question);
        }
    }
    return status;
}

SETTI_INLINE void change_erase(sett_world* world, setti_type* type, uint32_t index)
{
    setti_erased erased = setti_matrix_try_erase(&world->pool, &type->storage, index);
    if (SETTI_UNLIKELY(erased != SETTI_ERASED)) {
        if (erased == SETTI_EMPTIED) {
            setti_matrix_word_emptied(&world->pool, &type->storage, index);
        } else {
            setti_storage_erase(&world->pool, &type->storage, index);
        }
    }
}

/* change_strip where nobody but the ties has to be told. False when somebody has: nothing is done
 * then. */
static bool change_strip_quietly(sett_world* world, uint32_t index, uint32_t set)
{
    const setti_signature* record = &world->signatures.record[set];
    bool quiet = world->loose.count == 0 && world->listeners == NULL;
    for (uint32_t k = 0; quiet && k < record->count; k++) {
        quiet = (world->types[record->types[k]]->flags & SETTI_TYPE_ENDINGS) == 0;
    }
    if (!quiet) {
        return false;
    }
    for (uint32_t k = record->count; k-- > 0;) {
        setti_type* type = world->types[record->types[k]];
        if (type->ties != NULL) {
            type->ties->cut(world, type, index);
        }
    }
    for (uint32_t k = record->count; k-- > 0;) {
        change_erase(world, world->types[record->types[k]], index);
    }
    return true;
}

/* Ends the `count` entities in the last rows of the table. */
static void change_destroy_last(sett_world* world, uint32_t count)
{
    setti_entity_table* table = &world->entities;
    uint32_t end = table->ids.count;
    uint32_t retired = 0;
    for (uint32_t row = end - count; row < end; row++) {
        uint32_t index = setti_id_set_dense(&table->ids, row);
        setti_entity_page* page = table->pages.data[index >> SETTI_ID_SET_SHIFT];
        uint32_t* signature = &page->signature[index & SETTI_ID_SET_MASK];
        uint32_t set = *signature & ~SETTI_DYING;
        world->stripping = true;
        if (set == 0 || !change_strip_quietly(world, index, set)) {
            change_strip(world, setti_entity_at(table, index), signature);
        }
        retired += setti_entity_end(&world->pool, table, index);
    }
    world->stripping = false;
    setti_entity_leave(&world->pool, table, count, retired);
}

/* Destroys an entity and all whom that dooms; refused, unless forced, when one of them refuses. */
static sett_status change_destroy_tied(sett_world* world, uint32_t index, bool forced)
{
    setti_entity_table* table = &world->entities;
    uint32_t last = table->ids.count - 1;
    sett_status status = SETT_OK;
    change_settle(world); /* what is reserved from here on has to stay */
    setti_change_doom(world, index);
    for (uint32_t k = 0; k < world->doomed && (status == SETT_OK || forced); k++) {
        status = change_ask(world, setti_id_set_dense(&table->ids, last - k), CHANGE_DOOM);
    }
    uint32_t count = world->doomed;
    world->doomed = 0;
    for (uint32_t k = 0; k < count && status == SETT_OK && !forced; k++) {
        status = change_ask(world, setti_id_set_dense(&table->ids, last - k), CHANGE_JUDGE);
    }
    if (status == SETT_OK || forced) {
        /* By force everybody goes: what is left of links goes with those who keep them. */
        for (uint32_t k = 0; k < count && !forced; k++) {
            (void)change_ask(world, setti_id_set_dense(&table->ids, last - k), CHANGE_RELEASE);
        }
        change_destroy_last(world, count);
        return SETT_OK;
    }
    for (uint32_t k = 0; k < count; k++) {
        uint32_t spared = setti_id_set_dense(&table->ids, last - k);
        setti_entity_page_of(table, spared)->signature[spared & SETTI_ID_SET_MASK] &= ~SETTI_DYING;
    }
    return status;
}

bool setti_change_is_plain(const sett_world* world, uint32_t signature, const setti_type* type)
{
    const setti_signature* record = &world->signatures.record[signature & ~SETTI_DYING];
    bool plain = signature != 0 && world->loose.count == 0 && world->listeners == NULL;
    for (uint32_t k = 0; plain && k < record->count; k++) {
        const setti_type* item = world->types[record->types[k]];
        plain = (item->flags & SETTI_TYPE_ENDINGS) == 0 && (item->ties == NULL || item == type);
    }
    return plain;
}

/* Destroys an entity and all whom that dooms one after another, without gathering them. False when
 * they are not plain: then nothing is done. */
static bool change_destroy_plain(sett_world* world, setti_type* tied, uint32_t index)
{
    uint32_t at = tied->ties->begin != NULL ? tied->ties->begin(world, tied, index) : SETTI_NONE;
    if (at == SETTI_NONE) {
        return false;
    }
    while (at != SETTI_NONE) {
        uint32_t next = tied->ties->next(world, tied, index, at);
        const setti_entity_page* page = world->entities.pages.data[at >> SETTI_ID_SET_SHIFT];
        const setti_signature* record =
            &world->signatures.record[page->signature[at & SETTI_ID_SET_MASK]];
        for (uint32_t k = record->count; k-- > 0;) {
            change_erase(world, world->types[record->types[k]], at);
        }
        setti_entity_destroy(&world->pool, &world->entities, at);
        at = next;
    }
    return true;
}

/* Destroys an entity with hooked or loose types, or while there are groups. Not cold: whole trees
 * end here. */
SETTI_APART static sett_status change_destroy_slow(sett_world* world, sett_entity entity,
                                                   uint32_t* signature, bool forced)
{
    if ((*signature & SETTI_DYING) != 0) {
        return SETT_OK; /* from one of its own removal hooks */
    }
    setti_type* tied = change_tied_type(world, *signature);
    if (tied != NULL) {
        return change_destroy_plain(world, tied, entity.index)
                   ? SETT_OK
                   : change_destroy_tied(world, entity.index, forced);
    }
    change_set_signature(world, entity.index, signature, *signature | SETTI_DYING);
    change_strip(world, entity, signature);
    setti_entity_destroy(&world->pool, &world->entities, entity.index);
    return SETT_OK;
}

SETTI_INLINE sett_status change_destroy(sett_world* world, sett_entity entity, uint32_t* signature,
                                        bool forced)
{
    uint32_t set = *signature;
    if (SETTI_UNLIKELY((set & SETTI_DYING) != 0 || world->loose.count != 0 ||
                       world->listeners != NULL ||
                       (set != 0 && world->signatures.record[set].hooked != 0))) {
        return change_destroy_slow(world, entity, signature, forced);
    }
    const setti_signature* record = &world->signatures.record[set];
    uint32_t count = set != 0 ? record->count : 0;
    for (uint32_t k = 0; k < count; k++) {
        setti_type* type = world->types[record->types[k]];
        change_erase(world, type, entity.index);
    }
    setti_entity_destroy(&world->pool, &world->entities, entity.index);
    return SETT_OK;
}

/* The same for those who destroy many: one copy of the code serves them. */
static sett_status change_destroy_index(sett_world* world, uint32_t index, bool forced)
{
    sett_entity entity = setti_entity_at(&world->entities, index);
    if (sett_is_null(entity)) {
        return SETT_OK;
    }
    return change_destroy(world, entity, setti_entity_signature(&world->entities, entity), forced);
}

sett_status sett_entity_destroy(sett_world* world, sett_entity entity)
{
    static const char call[] = "sett_entity_destroy";
    uint32_t* signature = setti_entity_signature(&world->entities, entity);
    if (signature == NULL) {
        world->error = SETT_STATUS_STALE; /* an ordinary answer, so nobody is told */
        world->error_call = call;
        world->error_entity = entity;
        world->error_component = 0;
        return SETT_STATUS_STALE;
    }
    if (SETTI_UNLIKELY((*signature & SETTI_DYING) != 0)) {
        return SETT_OK;
    }
    sett_status status = setti_world_check_unlocked(world, call);
    return SETTI_LIKELY(status == SETT_OK) ? change_destroy(world, entity, signature, false)
                                           : status;
}

sett_status sett_entity_destroy_many(sett_world* world, const sett_entity* entities, uint32_t count)
{
    sett_status status = setti_world_check_unlocked(world, "sett_entity_destroy_many");
    for (uint32_t k = 0; status != SETT_STATUS_LOCKED && k < count; k++) {
        if (setti_entity_signature(&world->entities, entities[k]) != NULL &&
            change_destroy_index(world, entities[k].index, false) != SETT_OK) {
            status = world->error; /* the others go all the same */
        }
    }
    return status;
}

/* The type, if the world is unlocked and knows it. */
static setti_type* change_check_type(sett_world* world, sett_component component, const char* call)
{
    setti_type* type = setti_world_type(world, component);
    if (setti_world_check_unlocked(world, call) != SETT_OK) {
        return NULL;
    }
    if (type == NULL) {
        setti_world_fail(world, SETT_STATUS_UNREGISTERED, call, sett_null(), component);
    }
    return type;
}

sett_status sett_entity_destroy_with(sett_world* world, sett_component component)
{
    setti_type* type = change_check_type(world, component, "sett_entity_destroy_with");
    if (type == NULL) {
        return world->error;
    }
    sett_status status = SETT_OK;
    uint32_t cursor = 0;
    for (uint32_t index = setti_storage_next(&type->storage, &cursor); index != SETTI_NONE;
         index = setti_storage_next(&type->storage, &cursor)) {
        if (change_destroy_index(world, index, false) != SETT_OK) {
            status = world->error; /* the others go all the same */
        }
    }
    return status;
}

sett_status sett_component_clear(sett_world* world, sett_component component)
{
    static const char call[] = "sett_component_clear";
    setti_type* type = change_check_type(world, component, call);
    if (type == NULL) {
        return world->error;
    }
    if ((type->flags & SETTI_TYPE_KEPT) != 0) {
        return change_refuse_linked(world, type, call);
    }
    uint32_t cursor = 0;
    for (uint32_t index = setti_storage_next(&type->storage, &cursor); index != SETTI_NONE;
         index = setti_storage_next(&type->storage, &cursor)) {
        if (!change_remove(world, type, setti_entity_at(&world->entities, index))) {
            return setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, call, sett_null(), component);
        }
    }
    return SETT_OK;
}

sett_status sett_component_reserve(sett_world* world, sett_component component, uint32_t count)
{
    static const char call[] = "sett_component_reserve";
    setti_type* type = change_check_type(world, component, call);
    if (type == NULL) {
        return world->error;
    }
    /* A matrix has its rows where the entities are: room for all that exist and, behind the highest
     * index, for `count` to come. */
    const setti_id_set* ids = &world->entities.ids;
    uint32_t end = ids->limit - ids->count < count ? ids->limit : ids->count + count;
    end = SETTI_MAX(end, setti_id_set_capacity(ids));
    if (count != 0 && (!setti_storage_reserve_rows(&world->pool, &type->storage, count) ||
                       !setti_storage_reserve_indices(&world->pool, &type->storage, 0, end))) {
        return setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, call, sett_null(), component);
    }
    return SETT_OK;
}

sett_status sett_component_compact(sett_world* world, sett_component component)
{
    setti_type* type = change_check_type(world, component, "sett_component_compact");
    if (type == NULL) {
        return world->error;
    }
    setti_storage_compact(&world->pool, &type->storage);
    return SETT_OK;
}

/* Fills `to` with the values of `from`; all of it reserved. */
static void change_convert(sett_world* world, setti_storage* from, setti_storage* to)
{
    bool packed = from->kind == SETTI_PACKED;
    uint32_t cursor = 0;
    for (uint32_t k = 0; k < from->extent; k++) { /* rows in their order, or indices in theirs */
        uint32_t index = packed ? *setti_storage_index(from, k) : setti_storage_next(from, &cursor);
        if (index == SETTI_NONE) {
            continue;
        }
        uint32_t count = 1;
        void* row = setti_storage_insert(&world->pool, to, index, &count);
        void* value = setti_storage_find(from, index);
        if (from->move != NULL && from->size != 0) {
            from->move(row, value, 1, from->user);
        } else {
            setti_row_copy(row, value, from->size);
        }
        if (from->tracked && to->tracked) {
            *setti_storage_tick(to, setti_storage_place(to, index)) =
                *setti_storage_tick(from, setti_storage_place(from, index));
        }
    }
}

sett_status sett_component_convert(sett_world* world, sett_component component,
                                   sett_storage_kind kind)
{
    static const char call[] = "sett_component_convert";
    setti_type* type = change_check_type(world, component, call);
    if (type == NULL) {
        return world->error;
    }
    sett_component_desc desc = type->desc;
    desc.storage = kind;
    const char* wrong = setti_component_resolve(&desc);
    if (wrong != NULL) {
        return setti_world_fail_with(world, SETT_STATUS_ARGUMENT, "%s: \"%.100s\": %s", call,
                                     desc.name, wrong);
    }
    if (desc.storage == type->desc.storage) {
        return SETT_OK;
    }
    if (setti_world_check_unkept(world, call) != SETT_OK) {
        return world->error;
    }
    if (type->owner != NULL) {
        return setti_world_fail_with(world, SETT_STATUS_CONFLICT,
                                     "%s: \"%.100s\" is arranged by group \"%.100s\"", call,
                                     desc.name, type->owner->name);
    }
    setti_storage made;
    setti_component_init_storage(&made, &desc);
    uint32_t cursor = 0;
    bool reserved = setti_storage_reserve_rows(&world->pool, &made, type->storage.count);
    for (uint32_t index = setti_storage_next(&type->storage, &cursor);
         reserved && index != SETTI_NONE; index = setti_storage_next(&type->storage, &cursor)) {
        reserved = setti_storage_reserve_indices(&world->pool, &made, index, 1);
    }
    if (!reserved) {
        setti_storage_deinit(&world->pool, &made);
        return setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, call, sett_null(), component);
    }
    change_convert(world, &type->storage, &made);
    setti_storage_deinit(&world->pool, &type->storage);
    made.rows.notes = type->storage.rows.notes;
    made.presence.notes = type->storage.presence.notes;
    type->storage = made;
    type->desc.storage = desc.storage;
    world->listener_version++; /* queries look again at where their terms lie */
    return SETT_OK;
}

void setti_change_destroy_all(sett_world* world)
{
    setti_entity_table* table = &world->entities;
    /* the last first: nothing has to be swapped; those doomed with it move behind it and go too */
    for (uint32_t row = table->ids.count; row > 0; row = SETTI_MIN(row, table->ids.count)) {
        row--;
        (void)change_destroy_index(world, setti_id_set_dense(&table->ids, row), true);
    }
}

/* ------------------------------------------------------------------------------------ newcomers */

static bool change_admit_one(sett_world* world, setti_listener* listener, uint32_t index)
{
    const setti_entity_page* page = setti_entity_page_of(&world->entities, index);
    uint32_t signature = page->signature[index & SETTI_ID_SET_MASK];
    if (!setti_listener_matches(listener, &world->signatures, signature)) {
        return true;
    }
    if (!setti_listener_reserve(&world->pool, listener, index)) {
        return false;
    }
    setti_listener_enter(&world->pool, listener, index);
    return true;
}

bool setti_change_admit(sett_world* world, setti_listener* listener)
{
    bool done = true;
    if (listener->owned.count != 0) {
        /* Upwards: what an exchange brings to a row has been looked at before. */
        const setti_storage* storage = &listener->owned.item[0]->storage;
        for (uint32_t row = 0; done && row < storage->extent; row++) {
            done = change_admit_one(world, listener, *setti_storage_index(storage, row));
        }
        return done;
    }
    const setti_storage* fewest = &listener->with.item[0]->storage;
    for (uint32_t k = 1; k < listener->with.count; k++) {
        const setti_storage* storage = &listener->with.item[k]->storage;
        fewest = storage->count < fewest->count ? storage : fewest;
    }
    uint32_t cursor = 0;
    for (uint32_t index = setti_storage_next(fewest, &cursor); done && index != SETTI_NONE;
         index = setti_storage_next(fewest, &cursor)) {
        done = change_admit_one(world, listener, index);
    }
    return done;
}

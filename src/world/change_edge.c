/* change_edge.c: what a step from one set of components to another means beside the storage's work:
 * the number of the set that it leads to, and who is told of it.
 *
 * A step is an edge of the graph of signatures. Which listeners it concerns is a plan, made once
 * for each edge; a walk goes through it twice, for those that are left and for those that are
 * entered. Only what has no plan yet, or no memory for one, asks every listener.
 *
 * The workload: hooked types, groups and observers, and every transition seen for the first time.
 * What nobody listens to is remembered by its type and does not come here again.
 *
 * Invariant:  a transition remembered by its type  =>  nobody listens to it
 *             numbers in hand are those of living entities, or made since setti_change_settle
 */
#include "base/cow.h"
#include "world/change_internal.h"

/* ----------------------------------------------------------------------------------- signatures */

static bool type_is_hooked(const setti_type* type)
{
    return (type->flags & SETTI_TYPE_REMOVE_HOOKS) != 0;
}

uint32_t setti_change_toggle(sett_world* world, uint32_t signature, const setti_type* type)
{
    if ((type->flags & SETTI_TYPE_DONT_FRAGMENT) != 0) {
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
        "each other are cheaper when registered as dont_fragment:%s",
        (unsigned)setti_signature_count(table), blame);
    world->signature_warning =
        SETTI_MAX(setti_signature_count(table) * 2, world->signature_warning);
}

static void change_mark_signatures(void* user, const void* data)
{
    const setti_entity_page* page = data;
    const setti_signature_table* table = user;
    for (uint32_t slot = 0; slot < SETTI_ENTITY_ROWS; slot++) {
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
    if (world->pool.cow_from != 0 && table->count != 0) { /* what is kept has them too */
        world->pool.cow->each(world->pool.cow, pages, change_mark_signatures, table);
    }
    setti_signature_sweep(&world->pool, table);
    table->reclaim_at = SETTI_MAX(setti_signature_count(table) * 2, SETTI_SIGNATURE_RECLAIM);
    setti_change_forget_transitions(world);
}

void setti_change_forget_transitions(sett_world* world)
{
    world->transition_epoch++;
    setti_plan_forget(&world->pool, &world->plans);
    for (uint32_t k = 0; k < world->registered.count; k++) {
        setti_type_forget_transitions(world->registered.item[k]);
    }
}

void setti_change_settle(sett_world* world)
{
    uint32_t count = setti_signature_count(&world->signatures);
    if (SETTI_UNLIKELY(count >= SETTI_SIGNATURE_RECLAIM && count >= world->signatures.reclaim_at)) {
        setti_change_reclaim_signatures(world);
    }
    if (SETTI_UNLIKELY(count >= world->signature_warning)) {
        change_warn_signatures(world);
    }
}

/* -------------------------------------------------------------------------------------- telling */

typedef void (*change_notified)(sett_world* world, sett_entity entity, void* user);

void setti_change_call_all(sett_world* world, const setti_type* type, setti_event event,
                           sett_entity entity, void* value)
{
    const setti_call* call = type->notified[event].item;
    const setti_call* end = call + type->notified[event].count;
    const char* outer = world->calling;
    world->locks++;
    for (; call != end; call++) {
        world->calling = call->name;
        call->fn(world, entity, value, call->user);
    }
    world->locks--;
    world->calling = outer;
}

static const setti_plan_step* change_plan(sett_world* world, uint32_t from, const setti_type* type,
                                          uint32_t to)
{
    return setti_plan_find(&world->pool, &world->plans, world->listeners, &world->signatures, from,
                           type != NULL ? type->id : 0, to);
}

bool setti_change_is_unheard(sett_world* world, uint32_t from, const setti_type* type, uint32_t to)
{
    const setti_plan_step* plan = change_plan(world, from, type, to);
    return plan != NULL && plan->listener == NULL;
}

setti_change_walk setti_change_walk_begin(sett_world* world, uint32_t from, const setti_type* type,
                                          uint32_t to)
{
    setti_change_walk walk = {change_plan(world, from, type, to), world->listeners, from, to};
    return walk;
}

/* The next listener that is entered, or left; NULL at the end. */
static setti_listener* change_walk_next(const sett_world* world, setti_change_walk* walk,
                                        bool enters)
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

static void change_notify(sett_world* world, setti_listener* listener, bool enters,
                          sett_entity entity)
{
    change_notified notified = enters ? listener->on_enter : listener->on_exit;
    if (notified != NULL) {
        const char* outer = world->calling;
        world->calling = listener->name;
        world->locks++;
        notified(world, entity, listener->user);
        world->locks--;
        world->calling = outer;
    }
}

void setti_change_notify_exit(sett_world* world, setti_change_walk walk, sett_entity entity)
{
    setti_listener* listener;
    while ((listener = change_walk_next(world, &walk, false)) != NULL) {
        change_notify(world, listener, false, entity);
    }
}

void setti_change_leave(sett_world* world, setti_change_walk walk, uint32_t index)
{
    setti_listener* listener;
    while ((listener = change_walk_next(world, &walk, false)) != NULL) {
        setti_listener_leave(&world->pool, listener, index);
    }
}

void setti_change_enter(sett_world* world, setti_change_walk walk, uint32_t index)
{
    setti_listener* listener;
    while ((listener = change_walk_next(world, &walk, true)) != NULL) {
        setti_listener_enter(&world->pool, listener, index);
    }
}

void setti_change_notify_enter(sett_world* world, setti_change_walk walk, sett_entity entity)
{
    setti_listener* listener;
    while ((listener = change_walk_next(world, &walk, true)) != NULL) {
        change_notify(world, listener, true, entity);
    }
}

bool setti_change_reserve_listeners(sett_world* world, setti_change_walk walk, uint32_t index)
{
    setti_listener* listener;
    while ((listener = change_walk_next(world, &walk, true)) != NULL) {
        if (!setti_listener_reserve(&world->pool, listener, index)) {
            return false;
        }
    }
    return true;
}

/* ------------------------------------------------------------------------------------ newcomers */

static bool change_admit_one(sett_world* world, setti_listener* listener, uint32_t index)
{
    const setti_entity_page* page = setti_entity_page_of(&world->entities, index);
    uint32_t signature = page->signature[index & SETTI_ENTITY_MASK];
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

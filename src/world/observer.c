/* observer.c: creates, disables and destroys observers. edit_notify.c calls observers.
 *
 * The workload: some dozens of observers, created when a program starts, and thousands of events in
 * a frame. A type has a list of calls for each event, with an entry for the descriptor's callback
 * and for each observer of the type. An observer of a query is a listener without members:
 *
 *     type     notified[ADD]     [ descriptor's | observer | observer ]
 *              notified[REMOVE]  [ observer | observer | descriptor's ]
 *     world    listeners     group - observer - tracked set      in order of creation
 *
 * An observer of every component has entries in the lists of all types. world->observe_type adds
 * the entries for types registered later.
 *
 * The entry of an observer with terms, an entity or a target calls a filter function. The entry of
 * a disabled observer calls a function that does nothing. While the world is locked, a list may be
 * in use, so a destroyed observer is freed later.
 *
 * Invariant:  a type has the flag of an event <=> the type's list of the event is not empty;
 *             an entry belongs to the type's descriptor or to an observer in the world's list
 */
#include "sett/observer.h"

#include "world/change.h"
#include "world/term.h"

struct sett_observer {
    setti_listener listener; /* has the name; for a query also conditions and callbacks */
    sett_world* world;
    sett_observer* next;
    sett_observer* previous;
    setti_type* type; /* NULL for an observer of a query or of every component */
    sett_observer_desc desc;
    bool enabled;
    bool ended; /* destroyed, but not freed yet */
};

/* The `user` of an entry that belongs to an observer of every component. */
typedef struct observer_part {
    const sett_observer* observer;
    sett_component component;
} observer_part;

/* A function in a type's list of calls. */
typedef void (*observer_fn)(sett_world*, sett_entity, void*, void*);

/* The function of a disabled observer. */
static void observer_idle(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)world;
    (void)entity;
    (void)value;
    (void)user;
}

/* --------------------------------------------------------------------------------------- filter */

/* The argument `old` for an event that has no old value. */
#define OBSERVER_NO_OLD NULL

/* Whether an event of a component is about a link to `target`.
 *   old  in on_set: the old value; otherwise OBSERVER_NO_OLD */
static bool observer_concerns_target(const sett_world* world, sett_entity entity,
                                     sett_component component, const void* old, sett_entity target)
{
    const setti_type* type = setti_world_type(world, component);
    if (type == NULL || type->module == NULL || type->module->leads == NULL) {
        return false;
    }
    bool link_is_known = /* on_set of one link runs */
        world->changed_link.relationship == component && world->changed_link.source == entity.index;
    if (link_is_known && sett_equals(world->changed_link.target, target)) {
        return true;
    }
    sett_entity source = entity;
    if (link_is_known) {
        source = sett_null(); /* tests only `old`, because the entity's other links stay */
    }
    return type->module->leads(world, type, source, old, target);
}

/* Whether an event matches the observer's entity, target and terms.
 *   old  in on_set: the old value; otherwise OBSERVER_NO_OLD */
static bool observer_wants(const sett_observer* observer, sett_entity entity,
                           sett_component component, const void* old)
{
    const sett_observer_desc* desc = &observer->desc;
    if (!sett_is_null(desc->entity) && !sett_equals(desc->entity, entity)) {
        return false;
    }
    if (!sett_is_null(desc->target) &&
        !observer_concerns_target(observer->world, entity, component, old, desc->target)) {
        return false;
    }
    bool has_any_terms = false; /* if there are SETT_ANY terms, one of them must be met */
    bool meets_any_term = false;
    for (uint32_t k = 0; k < SETT_QUERY_TERMS && desc->terms[k].component != 0; k++) {
        const sett_term* term = &desc->terms[k];
        bool has = sett_is_enabled(observer->world, entity, term->component);
        if (term->kind == SETT_WITH && !has) {
            return false;
        }
        if (term->kind == SETT_WITHOUT && has) {
            return false;
        }
        if (term->kind == SETT_ANY) {
            has_any_terms = true;
            meets_any_term = meets_any_term || has;
        }
    }
    return !has_any_terms || meets_any_term;
}

/* The functions of an observer with a filter. Each calls the callback `event` of the descriptor. */
#define OBSERVER_FILTER(event, old)                                                                \
    static void observer_filter_##event(sett_world* world, sett_entity entity, void* value,        \
                                        void* user)                                                \
    {                                                                                              \
        const sett_observer* observer = user;                                                      \
        if (observer_wants(observer, entity, observer->desc.component, old)) {                     \
            observer->desc.event(world, entity, value, observer->desc.user);                       \
        }                                                                                          \
    }
OBSERVER_FILTER(on_add, OBSERVER_NO_OLD)
OBSERVER_FILTER(on_set, world->replaced)
OBSERVER_FILTER(on_remove, OBSERVER_NO_OLD)
OBSERVER_FILTER(on_event, OBSERVER_NO_OLD)
#undef OBSERVER_FILTER

/* The on_set function of an observer with on_replace. */
static void observer_replaced(sett_world* world, sett_entity entity, void* value, void* user)
{
    const sett_observer* observer = user;
    const sett_observer_desc* desc = &observer->desc;
    if (!observer_wants(observer, entity, desc->component, world->replaced)) {
        return;
    }
    if (desc->on_set != NULL) {
        desc->on_set(world, entity, value, desc->user);
    }
    if (world->replaced != NULL) {
        desc->on_replace(world, entity, world->replaced, value, desc->user);
    }
}

/* The functions of an observer of every component, one for each event. Each calls on_any with the
 * argument `change`. */
#define OBSERVER_OF_ALL(event, change, old)                                                        \
    static void observer_any_##event(sett_world* world, sett_entity entity, void* value,           \
                                     void* user)                                                   \
    {                                                                                              \
        const observer_part* part = user;                                                          \
        const sett_observer* observer = part->observer;                                            \
        if (observer_wants(observer, entity, part->component, old)) {                              \
            observer->desc.on_any(world, entity, part->component, change, value,                   \
                                  observer->desc.user);                                            \
        }                                                                                          \
    }
OBSERVER_OF_ALL(on_add, SETT_CHANGE_ADD, OBSERVER_NO_OLD)
OBSERVER_OF_ALL(on_set, SETT_CHANGE_SET, world->replaced)
OBSERVER_OF_ALL(on_remove, SETT_CHANGE_REMOVE, OBSERVER_NO_OLD)
#undef OBSERVER_OF_ALL

/* Returns the observer's entry for an event. The entry's `fn` is NULL if the observer does not
 * observe the event. */
static setti_call observer_call_of(const sett_observer* observer, uint32_t event)
{
    SETTI_ASSERT(event < SETTI_EVENTS);
    const sett_observer_desc* desc = &observer->desc;
    static const observer_fn filters[SETTI_EVENTS] = {
        observer_filter_on_add, observer_filter_on_set, observer_filter_on_remove,
        observer_filter_on_event};
    static const observer_fn of_all[SETTI_EVENTS] = {observer_any_on_add, observer_any_on_set,
                                                     observer_any_on_remove, NULL};
    const observer_fn callbacks[SETTI_EVENTS] = {desc->on_add, desc->on_set, desc->on_remove,
                                                 desc->on_event};
    bool has_filter =
        desc->terms[0].component != 0 || !sett_is_null(desc->entity) || !sett_is_null(desc->target);
    setti_call call = {callbacks[event], desc->user, observer->listener.name,
                       setti_unconst(observer)};
    if (desc->on_any != NULL) {
        call.fn = of_all[event]; /* observer_enlist sets `user` */
    } else if (event == SETTI_ON_SET && desc->on_replace != NULL) {
        call.fn = observer_replaced;
        call.user = setti_unconst(observer);
    } else if (call.fn != NULL && has_filter) {
        call.fn = filters[event];
        call.user = setti_unconst(observer);
    }
    return call;
}

/* --------------------------------------------------------------------------------------- checks */

/* An observer that a program asks for. */
typedef struct observer_request {
    sett_world* world;
    const sett_observer_desc* desc;
    const char* name;
    const char* call; /* the program's call, for messages */
} observer_request;

SETTI_COLD static sett_status observer_reject_type(const observer_request* asked,
                                                   const setti_type* type, const char* why)
{
    return setti_world_fail_with(asked->world, SETT_STATUS_ARGUMENT,
                                 "%s: observer \"%.100s\": \"%.100s\" %s", asked->call, asked->name,
                                 type->desc.name, why);
}

SETTI_COLD static sett_status observer_reject_id(const observer_request* asked, sett_component id)
{
    id = id != UINT32_MAX ? id : 0; /* SETT_TERM_ID of an unregistered type */
    return setti_world_fail_with(
        asked->world, SETT_STATUS_UNREGISTERED,
        "%s: observer \"%.100s\": component %u is not registered in this world - %s", asked->call,
        asked->name, (unsigned)id, setti_component_remedy(id));
}

/* Whether a callback for one component is set. */
static bool observer_has_component_callback(const sett_observer_desc* desc)
{
    if (desc->on_add != NULL || desc->on_set != NULL || desc->on_remove != NULL) {
        return true;
    }
    return desc->on_event != NULL || desc->on_replace != NULL;
}

/* Whether a callback for a query is set. */
static bool observer_has_query_callback(const sett_observer_desc* desc)
{
    return desc->on_enter != NULL || desc->on_exit != NULL;
}

/* Checks the members of a descriptor with on_any. Returns NULL if they are valid. Otherwise returns
 * what is wrong. */
static const char* observer_check_any(const sett_observer_desc* desc)
{
    bool has_other_callback =
        observer_has_component_callback(desc) || observer_has_query_callback(desc);
    if (desc->component != 0 || has_other_callback || desc->replay) {
        return "`on_any` observes every component - leave out `component`, `replay` and other "
               "callbacks";
    }
    return NULL;
}

/* Checks the members of a descriptor with `component`. Returns NULL if they are valid. Otherwise
 * returns what is wrong. */
static const char* observer_check_component(const sett_observer_desc* desc)
{
    if (observer_has_query_callback(desc)) {
        return "`component` is set beside on_enter or on_exit, which observe a query - leave "
               "out `component`, and list it in `terms`";
    }
    if (!observer_has_component_callback(desc)) {
        return "no callback is set - set on_add, on_set, on_remove, on_replace or on_event";
    }
    if (desc->replay && desc->on_add == NULL) {
        return "`replay` is set without on_add - set on_add, or leave out `replay`";
    }
    return NULL;
}

/* Checks the members of a descriptor for a query. Returns NULL if they are valid. Otherwise returns
 * what is wrong. */
static const char* observer_check_query(const sett_observer_desc* desc)
{
    if (observer_has_component_callback(desc)) {
        return "on_add, on_set, on_remove, on_event or on_replace is set without `component` - set "
               "`component`, too";
    }
    if (!sett_is_null(desc->entity) || !sett_is_null(desc->target)) {
        return "`entity` or `target` is set without `component` - set `component`, too";
    }
    if (!observer_has_query_callback(desc)) {
        return "no callback is set - set on_enter or on_exit";
    }
    if (desc->replay && desc->on_enter == NULL) {
        return "`replay` is set without on_enter - set on_enter, or leave out `replay`";
    }
    return NULL;
}

/* Checks which members of a descriptor are set. Returns NULL if they go together. Otherwise returns
 * what is wrong. */
static const char* observer_check_members(const sett_observer_desc* desc)
{
    if (desc->on_any != NULL) {
        return observer_check_any(desc);
    }
    if (desc->component != 0) {
        return observer_check_component(desc);
    }
    return observer_check_query(desc);
}

/* Whether values of a type own memory. */
static bool observer_type_owns(const setti_type* type)
{
    if (type->links != NULL) {
        /* without records, a value is one link: plain bytes */
        return type->records != NULL;
    }
    return (type->flags & (SETTI_TYPE_COPY | SETTI_TYPE_DEINIT)) != 0 || type->writers != NULL;
}

/* Checks the observed component. Returns NULL if it can be observed. Otherwise returns what is
 * wrong. */
static const char* observer_check_type(const sett_observer_desc* desc, const setti_type* type)
{
    if (!sett_is_null(desc->target) && type->links == NULL) {
        return "is not a relationship, so its observer cannot have `target` - leave out `target`";
    }
    bool has_plain_values = type->storage.size != 0 && !observer_type_owns(type);
    if (desc->on_replace != NULL && !has_plain_values) {
        return "has no values, or values that are more than plain bytes, so on_replace cannot pass "
               "the old one - use on_set";
    }
    return NULL;
}

/* Checks a term of an observer of a query. Returns NULL if the term can be observed. Otherwise
 * returns what is wrong with the term's type. */
static const char* observer_check_term(const sett_term* term, const setti_type* type)
{
    if (term->kind == SETT_WITHOUT && type->off != NULL && !setti_term_is_upward(term)) {
        return "can be switched off, and cannot be SETT_WITHOUT in an observer of a query - test "
               "for it in the callback";
    }
    if ((type->flags & SETTI_TYPE_DONT_FRAGMENT) != 0) {
        return "is dont_fragment, which observers of queries cannot see - observe it as "
               "`component`";
    }
    return NULL;
}

/* Checks the components of the terms. */
static sett_status observer_check_terms(const observer_request* asked, bool of_query)
{
    const sett_world* world = asked->world;
    const sett_observer_desc* desc = asked->desc;
    for (uint32_t k = 0; k < setti_term_count(desc->terms); k++) {
        const sett_term* term = &desc->terms[k];
        const setti_type* type = setti_world_type(world, term->component);
        if (type == NULL) {
            return observer_reject_id(asked, term->component);
        }
        if (setti_term_is_upward(term) && world->upward_calls == NULL) {
            return observer_reject_id(asked, SETT_ID_HIERARCHY);
        }
        if (!of_query) {
            continue; /* a filter can test every type */
        }
        const char* wrong = observer_check_term(term, type);
        if (wrong != NULL) {
            return observer_reject_type(asked, type, wrong);
        }
    }
    return SETT_OK;
}

/* Checks the observed component. */
static sett_status observer_check_observed(const observer_request* asked)
{
    const sett_observer_desc* desc = asked->desc;
    const setti_type* type = setti_world_type(asked->world, desc->component);
    if (type == NULL) {
        return observer_reject_id(asked, desc->component);
    }
    const char* wrong = observer_check_type(desc, type);
    if (wrong != NULL) {
        return observer_reject_type(asked, type, wrong);
    }
    return SETT_OK;
}

static sett_status observer_check(const observer_request* asked)
{
    const sett_observer_desc* desc = asked->desc;
    sett_status status = setti_world_check_unlocked(asked->world, asked->call);
    if (status != SETT_OK) {
        return status;
    }
    uint32_t wrong_term;
    bool of_query = desc->component == 0 && desc->on_any == NULL;
    uint32_t allowed = of_query ? SETTI_TERM_OF_ENTERING : SETTI_TERM_OF_VALUES;
    const char* wrong = setti_terms_check(desc->terms, allowed, &wrong_term);
    if (wrong != NULL) {
        return setti_term_reject(asked->world, desc->terms, wrong_term, asked->call, asked->name,
                                 wrong);
    }
    wrong = observer_check_members(desc);
    if (wrong != NULL) {
        return setti_world_fail_argument(asked->world, asked->call, asked->name, wrong);
    }
    status = observer_check_terms(asked, of_query);
    if (status != SETT_OK || desc->component == 0) { /* 0: no component to check */
        return status;
    }
    return observer_check_observed(asked);
}

/* ---------------------------------------------------------------------------------------- lists */

/* Updates a type's flags of events after the type's lists of calls have changed. */
static void observer_update_flags(sett_world* world, setti_type* type)
{
    bool was_hooked = (type->flags & SETTI_TYPE_REMOVE_HOOKS) != 0;
    for (uint32_t event = 0; event < SETTI_EVENTS; event++) {
        uint32_t flag = (uint32_t)SETTI_TYPE_ON_ADD << event; /* flags are in order of events */
        type->flags &= ~flag;
        if (type->notified[event].count != 0) {
            type->flags |= flag;
        }
    }
    bool is_hooked = (type->flags & SETTI_TYPE_REMOVE_HOOKS) != 0;
    if (is_hooked != was_hooked) {
        setti_signature_hook(&world->signatures, type->id, is_hooked);
    }
}

/* Reserves room for the observer's entries in a type's lists. Returns false if memory runs out. */
static bool observer_reserve_entries(const sett_observer* observer, setti_type* type)
{
    for (uint32_t event = 0; event < SETTI_EVENTS; event++) {
        bool has_entry = observer_call_of(observer, event).fn != NULL;
        if (has_entry && !setti_call_list_reserve(&observer->world->pool, &type->notified[event])) {
            return false;
        }
    }
    return true;
}

/* The argument `part` for an observer of one component. */
#define OBSERVER_NO_PART ((observer_part*)NULL)

/* Adds the observer's entries to a type's lists. The room for the entries must be reserved.
 *   part  the `user` of the entries, or OBSERVER_NO_PART */
SETTI_COLD static void observer_enlist(const sett_observer* observer, setti_type* type,
                                       observer_part* part)
{
    SETTI_ASSERT((part != NULL) == (observer->desc.on_any != NULL));
    for (uint32_t event = 0; event < SETTI_EVENTS; event++) {
        setti_call_list* list = &type->notified[event];
        setti_call call = observer_call_of(observer, event);
        if (call.fn == NULL) {
            continue;
        }
        if (!observer->enabled) {
            call.fn = observer_idle;
        }
        if (part != NULL) {
            call.user = part;
        }
        SETTI_ASSERT(list->count < list->capacity);
        uint32_t position = list->count++;
        if (event == SETTI_ON_REMOVE && position != 0 &&
            list->item[position - 1].observer == NULL) {
            list->item[position] = list->item[position - 1]; /* the descriptor's entry stays last */
            position--;
        }
        list->item[position] = call;
    }
    observer_update_flags(observer->world, type);
}

/* Removes the observer's entries from a type's lists, if the observer has entries there. */
SETTI_COLD static void observer_delist(const sett_observer* observer, setti_type* type)
{
    sett_world* world = observer->world;
    observer_part* part = NULL;
    for (uint32_t event = 0; event < SETTI_EVENTS; event++) {
        setti_call_list* list = &type->notified[event];
        uint32_t count = 0;
        for (uint32_t k = 0; k < list->count; k++) {
            if (list->item[k].observer != observer) {
                list->item[count++] = list->item[k];
            } else if (observer->desc.on_any != NULL) {
                part = list->item[k].user; /* the same in all entries of the type */
            }
        }
        list->count = count;
    }
    setti_pool_free(&world->pool, part, sizeof(*part), 16); /* NULL if there is no on_any */
    observer_update_flags(world, type);
}

/* Adds an observer of every component to a type. Returns false if memory runs out. */
SETTI_COLD static bool observer_join_type(const sett_observer* observer, setti_type* type)
{
    setti_pool* pool = &observer->world->pool;
    observer_part* part = setti_pool_alloc(pool, sizeof(*part), 16);
    if (part == NULL || !observer_reserve_entries(observer, type)) {
        setti_pool_free(pool, part, sizeof(*part), 16);
        return false;
    }
    *part = (observer_part){observer, type->id};
    observer_enlist(observer, type, part);
    return true;
}

static void observer_leave_types(const sett_observer* observer)
{
    const setti_type_list* types = &observer->world->registered;
    for (uint32_t k = 0; k < types->count; k++) {
        observer_delist(observer, types->item[k]);
    }
}

/* Adds an observer of every component to all types. Returns false if memory runs out. Then the
 * observer is in no type. */
static bool observer_join_types(const sett_observer* observer)
{
    const setti_type_list* types = &observer->world->registered;
    for (uint32_t k = 0; k < types->count; k++) {
        if (!observer_join_type(observer, types->item[k])) {
            observer_leave_types(observer);
            return false;
        }
    }
    return true;
}

/* Adds the observers of every component to a type, the oldest first. Returns false if memory runs
 * out. */
static bool observer_join_all(const sett_world* world, setti_type* type)
{
    const sett_observer* observer = world->observers;
    while (observer != NULL && observer->next != NULL) {
        observer = observer->next; /* the last in the list is the oldest */
    }
    for (; observer != NULL; observer = observer->previous) {
        if (observer->desc.on_any != NULL && !observer_join_type(observer, type)) {
            return false;
        }
    }
    return true;
}

/* For world->observe_type: adds the observers of every component to a type, or removes them if
 * `begins` is false. Returns true if the type has these observers afterwards. */
static bool observer_observe_type(sett_world* world, setti_type* type, bool begins)
{
    if (begins && observer_join_all(world, type)) {
        return true;
    }
    /* removes the observers, also if memory ran out after some were added */
    for (const sett_observer* observer = world->observers; observer != NULL;
         observer = observer->next) {
        if (observer->desc.on_any != NULL) {
            observer_delist(observer, type);
        }
    }
    return false;
}

/* Whether an observer of a query may match an entity that has no components. */
static bool observer_matches_new(const sett_observer* observer)
{
    return observer->listener.with.count == 0 && observer->listener.any.count == 0;
}

static void observer_link(sett_observer* observer)
{
    SETTI_ASSERT(observer->next == NULL && observer->previous == NULL);
    sett_world* world = observer->world;
    SETTI_LIST_ADD(world->observers, observer);
    if (!sett_is_null(observer->desc.target)) {
        world->target_observers++;
    }
    if (observer->desc.on_any != NULL) {
        world->observe_type = observer_observe_type;
    } else if (observer->type != NULL) {
        if (observer->desc.on_replace != NULL) {
            observer->type->replace_observers++;
        }
        observer_enlist(observer, observer->type, OBSERVER_NO_PART);
    } else {
        setti_edit_listen(world, &observer->listener);
        world->all_observers += observer_matches_new(observer);
        world->upward_observers += observer->listener.upward_count != 0;
    }
}

static void observer_unlink(sett_observer* observer)
{
    sett_world* world = observer->world;
    SETTI_LIST_REMOVE(world->observers, observer);
    if (!sett_is_null(observer->desc.target)) {
        world->target_observers--;
    }
    if (observer->desc.on_any != NULL) {
        observer_leave_types(observer);
    } else if (observer->type != NULL) {
        if (observer->desc.on_replace != NULL) {
            observer->type->replace_observers--;
        }
        observer_delist(observer, observer->type);
    } else {
        setti_edit_unlisten(world, &observer->listener);
        world->all_observers -= observer_matches_new(observer);
        world->upward_observers -= observer->listener.upward_count != 0;
    }
}

SETTI_COLD static void observer_free(sett_observer* observer)
{
    setti_pool* pool = &observer->world->pool;
    setti_listener* listener = &observer->listener;
    setti_type_list_deinit(pool, &listener->with);
    setti_type_list_deinit(pool, &listener->without);
    setti_type_list_deinit(pool, &listener->any);
    if (listener->name != NULL) {
        setti_pool_free(pool, listener->name, strlen(listener->name) + 1, 1);
    }
    setti_pool_free(pool, observer, sizeof(*observer), 16);
}

static void observer_free_user(const sett_observer* observer)
{
    if (observer->desc.free_user != NULL) {
        observer->desc.free_user(observer->desc.user);
    }
}

/* Frees the destroyed observers. */
static void observer_sweep(sett_world* world)
{
    SETTI_ASSERT(world->locks == 0);
    if (!world->observers_ended) {
        return;
    }
    world->observers_ended = false;
    for (sett_observer* observer = world->observers; observer != NULL;) {
        sett_observer* next = observer->next;
        if (observer->ended) {
            observer_unlink(observer);
            observer_free_user(observer);
            observer_free(observer);
        }
        observer = next;
    }
}

void setti_observer_free_users(sett_world* world)
{
    for (const sett_observer* observer = world->observers; observer != NULL;
         observer = observer->next) {
        observer_free_user(observer);
    }
}

const char* setti_observer_of_type(sett_world* world, const setti_type* type)
{
    observer_sweep(world);
    for (const sett_observer* observer = world->observers; observer != NULL;
         observer = observer->next) {
        if (observer->type == type) {
            return observer->listener.name;
        }
        for (uint32_t k = 0; k < SETT_QUERY_TERMS && observer->desc.terms[k].component != 0; k++) {
            if (observer->desc.terms[k].component == type->id) {
                return observer->listener.name;
            }
        }
    }
    return NULL;
}

/* --------------------------------------------------------------------------------------- replay */

/* Calls a new observer for an existing entity, if the entity matches.
 *   value  the entity's value of the observed component; not used by an observer of a query */
static void observer_replay_one(const sett_observer* observer, sett_entity entity, void* value)
{
    SETTI_ASSERT(observer->enabled && observer->world->locks != 0);
    sett_world* world = observer->world;
    if (observer->type != NULL) {
        setti_call call = observer_call_of(observer, SETTI_ON_ADD);
        call.fn(world, entity, value, call.user);
        return;
    }
    const setti_listener* listener = &observer->listener;
    bool matches;
    if (listener->upward_count != 0) {
        matches = world->upward_calls->matches(world, listener, entity.index);
    } else {
        uint32_t signature = *setti_entity_signature(&world->entities, entity);
        matches = setti_listener_matches(listener, &world->signatures, signature);
    }
    if (matches) {
        observer->desc.on_enter(world, entity, observer->desc.user);
    }
}

/* Returns the storage with the fewest candidates for a replay. Returns NULL if all entities are
 * candidates. */
static const setti_storage* observer_rarest(const sett_observer* observer)
{
    if (observer->type != NULL) {
        return &observer->type->storage;
    }
    const setti_type_list* required = &observer->listener.with;
    const setti_storage* rarest = NULL;
    for (uint32_t k = 0; k < required->count; k++) {
        const setti_storage* storage = &required->item[k]->storage;
        if (rarest == NULL || storage->count < rarest->count) {
            rarest = storage;
        }
    }
    return rarest;
}

/* Calls a new observer for all existing entities. */
static void observer_replay(const sett_observer* observer)
{
    SETTI_ASSERT(observer->world->locks == 0);
    sett_world* world = observer->world;
    const setti_storage* storage = observer_rarest(observer);
    const char* outer = setti_world_begin_call(world, observer->listener.name);
    uint32_t cursor = 0;
    if (storage != NULL) {
        uint32_t index;
        while ((index = setti_storage_next_row(storage, &cursor)) != SETTI_NONE) {
            observer_replay_one(observer, setti_entity_at(&world->entities, index),
                                setti_storage_find(storage, index));
        }
    } else {
        sett_entity entity = sett_entity_next(world, &cursor);
        while (!sett_is_null(entity)) {
            observer_replay_one(observer, entity, NULL);
            entity = sett_entity_next(world, &cursor);
        }
    }
    setti_world_end_call(world, outer);
}

/* ----------------------------------------------------------------------------------- the public */

/* Adds a term to an observer of a query. Returns false if memory runs out. */
static bool observer_add_term(sett_world* world, setti_listener* listener, const sett_term* term)
{
    setti_type* type = setti_world_type(world, term->component);
    SETTI_ASSERT(type != NULL && term->kind != SETT_OPTIONAL);
    if (setti_term_is_upward(term)) {
        SETTI_ASSERT(listener->upward_count < SETT_QUERY_ELSEWHERE);
        listener->upward[listener->upward_count++] =
            (setti_upward_term){type, term->walk, term->kind == SETT_WITH};
        return true;
    }
    if (term->kind == SETT_WITH) {
        return setti_listener_require(&world->pool, listener, type);
    }
    setti_type_list* list = term->kind == SETT_ANY ? &listener->any : &listener->without;
    return setti_type_list_add(&world->pool, list, type);
}

/* Allocates a copy of the name, and the observer's entries in lists of types, or conditions.
 * Returns false if memory runs out. */
static bool observer_reserve(sett_observer* observer, const char* name)
{
    sett_world* world = observer->world;
    const sett_observer_desc* desc = &observer->desc;
    setti_listener* listener = &observer->listener;
    listener->name = setti_pool_alloc(&world->pool, strlen(name) + 1, 1);
    if (listener->name == NULL) {
        return false;
    }
    memcpy(listener->name, name, strlen(name) + 1);
    if (desc->on_any != NULL) {
        return observer_join_types(observer);
    }
    if (observer->type != NULL) {
        return observer_reserve_entries(observer, observer->type);
    }
    for (uint32_t k = 0; k < setti_term_count(desc->terms); k++) {
        if (!observer_add_term(world, listener, &desc->terms[k])) {
            return false;
        }
    }
    return true;
}

/* Makes an observer that is not in the world's list yet. Returns NULL if memory runs out. */
static sett_observer* observer_make(const observer_request* asked)
{
    sett_world* world = asked->world;
    const sett_observer_desc* desc = asked->desc;
    sett_observer* observer = setti_world_alloc(world, sizeof(*observer), 16, asked->call);
    if (observer == NULL) {
        return NULL;
    }
    observer->world = world;
    observer->type = setti_world_type(world, desc->component);
    observer->desc = *desc;
    observer->listener.user = desc->user;
    observer->listener.observes = true;
    /* an observer without terms sees hidden entities, too: NULL hides none */
    observer->listener.hidden = desc->terms[0].component != 0 ? world->hidden : NULL;
    setti_storage_init_tag(&observer->listener.members);
    if (!observer_reserve(observer, asked->name)) {
        observer_free(observer);
        setti_world_no_memory(world, asked->call);
        return NULL;
    }
    return observer;
}

sett_observer* setti_observer_create(sett_world* world, const sett_observer_desc* desc,
                                     const char* call)
{
    const char* name = desc->name != NULL ? desc->name : "observer";
    const observer_request asked = {world, desc, name, call};
    if (observer_check(&asked) != SETT_OK) {
        return NULL;
    }
    observer_sweep(world);
    sett_observer* observer = observer_make(&asked);
    if (observer == NULL) {
        return NULL;
    }
    observer_link(observer);
    sett_observer_enable(observer, !desc->disabled);
    if (desc->replay && observer->enabled) {
        observer_replay(observer);
    }
    return observer;
}

SETTI_COLD sett_observer* sett_observer_create_sized(sett_world* world,
                                                     const sett_observer_desc* desc, size_t size,
                                                     size_t term_size)
{
    static const char call[] = "sett_observer_create";
    sett_observer_desc full;
    desc =
        setti_world_desc_terms(world, desc, size, term_size, &full, sizeof(full), full.terms, call);
    if (desc == NULL) {
        return NULL;
    }
    return setti_observer_create(world, desc, call);
}

/* Enables or disables the observer's entries in a type's lists. */
static void observer_enable_in(const sett_observer* observer, setti_type* type)
{
    for (uint32_t event = 0; event < SETTI_EVENTS; event++) {
        setti_call_list* list = &type->notified[event];
        for (uint32_t k = 0; k < list->count; k++) {
            if (list->item[k].observer != observer) {
                continue;
            }
            if (observer->enabled) {
                list->item[k].fn = observer_call_of(observer, event).fn;
            } else {
                list->item[k].fn = observer_idle;
            }
        }
    }
}

void sett_observer_enable(sett_observer* observer, bool enabled)
{
    if (SETTI_IS_NULL(observer) ||
        setti_world_check_serial(observer->world, "sett_observer_enable") != SETT_OK) {
        return;
    }
    observer->enabled = enabled;
    observer->listener.on_enter = enabled ? observer->desc.on_enter : NULL;
    observer->listener.on_exit = enabled ? observer->desc.on_exit : NULL;
    const setti_type_list* types = &observer->world->registered;
    if (observer->desc.on_any != NULL) {
        for (uint32_t k = 0; k < types->count; k++) {
            observer_enable_in(observer, types->item[k]);
        }
    } else if (observer->type != NULL) {
        observer_enable_in(observer, observer->type);
    }
}

bool sett_observer_is_enabled(const sett_observer* observer)
{
    return !SETTI_IS_NULL(observer) && observer->enabled;
}

sett_status sett_observer_destroy(sett_observer* observer)
{
    if (observer == NULL) {
        return SETT_OK;
    }
    sett_world* world = observer->world;
    sett_status status = setti_world_check_serial(world, "sett_observer_destroy");
    if (status != SETT_OK) {
        return status;
    }
    const bool enabled = false;
    sett_observer_enable(observer, enabled);
    observer->ended = true;
    world->observers_ended = true;
    if (world->locks == 0) {
        observer_sweep(world);
    }
    return SETT_OK;
}

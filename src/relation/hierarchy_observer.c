/* hierarchy_observer.c: observers of queries that ask the parent or an ancestor for a component. An
 * entity enters when an ancestor gets the component, or when the entity is attached below such an
 * ancestor. The entity leaves when no ancestor has the component any more.
 *
 * The workload: a few observers show or hide subtrees; most changes concern few entities. So no
 * data are stored for each entity. A match is computed twice: in the present world, and in a view,
 * the world before or after the change, where an entity has another signature or parent.
 *
 *     before the change    matches now, but not in the view of the world after     -> on_exit
 *     after it             matches now, but not in the view of the world before    -> on_enter
 *
 * A walk over descendants skips the subtrees of entities with the component: there, the nearest
 * ancestor with the component is the same before and after the change.
 *
 * Invariant:  an entity matches  <=>  the entity has had one more on_enter than on_exit
 */
#include "relation/hierarchy.h"

/* The present world with two exceptions: one entity's signature, and one entity's parent. */
typedef struct tree_view {
    uint32_t index; /* the entity with another `signature`, or SETTI_NONE */
    uint32_t signature;
    uint32_t child;  /* link of the entity with another `parent`, or SETTI_NO_LINK */
    uint32_t parent; /* a link */
} tree_view;

static const tree_view view_now = {.index = SETTI_NONE, .child = SETTI_NO_LINK};

#define OBSERVER_ALL_TERMS UINT32_MAX /* a set of terms, bit k: term k */
#define OBSERVER_EXITS false          /* the view is the world after a change: on_exit */
#define OBSERVER_ENTERS true          /* the view is the world before a change: on_enter */

static uint32_t view_signature(const sett_world* world, const tree_view* view, uint32_t index)
{
    return index == view->index ? view->signature
                                : setti_entity_set_of(&world->entities, index) & ~SETTI_DYING;
}

static uint32_t view_parent(const sett_world* world, const tree_view* view, uint32_t index)
{
    if (setti_link_to(index) == view->child) {
        return view->parent;
    }
    bool has_node = index != view->index ||
                    (view->signature != SETTI_NONE &&
                     setti_signature_has(&world->signatures, view->signature, SETT_ID_HIERARCHY));
    return has_node ? setti_hierarchy_parent(world, index) : 0;
}

static bool view_has(const sett_world* world, const tree_view* view, uint32_t index,
                     const setti_type* type)
{
    return setti_listener_is_on(&world->signatures, view_signature(world, view, index), type);
}

/* Returns true if a term's search upwards from the entity of link `at` finds the component. */
static bool view_finds(const sett_world* world, const tree_view* view,
                       const setti_upward_term* term, uint32_t at)
{
    if (term->walk == SETT_WALK_ONE) {
        return at != 0 && view_has(world, view, setti_link_index(at), term->type);
    }
    while (at != 0 && !view_has(world, view, setti_link_index(at), term->type)) {
        at = view_parent(world, view, setti_link_index(at));
    }
    return at != 0;
}

static bool view_matches(const sett_world* world, const setti_listener* listener,
                         const tree_view* view, uint32_t index)
{
    uint32_t signature = view_signature(world, view, index);
    bool matches = setti_listener_matches(listener, &world->signatures, signature);
    for (uint32_t k = 0; matches && k < listener->upward_count; k++) {
        const setti_upward_term* term = &listener->upward[k];
        SETTI_ASSERT(term->walk != SETT_WALK_NONE);
        bool from_self = term->walk == SETT_WALK_SELF_UP;
        uint32_t from = from_self ? setti_link_to(index) : view_parent(world, view, index);
        matches = view_finds(world, view, term, from) == term->with;
    }
    return matches;
}

/* Runs callbacks for one entity if it matches now, but not in the view. */
static void observer_notify(sett_world* world, const setti_listener* listener,
                            const tree_view* view, uint32_t index, bool enters)
{
    void (*callback)(sett_world*, sett_entity, void*) =
        enters ? listener->on_enter : listener->on_exit;
    if (callback == NULL || !view_matches(world, listener, &view_now, index) ||
        view_matches(world, listener, view, index)) {
        return;
    }
    const char* outer = setti_world_begin_call(world, listener->name);
    callback(world, setti_entity_at(&world->entities, index), listener->user);
    setti_world_end_call(world, outer);
}

/* Returns true if a change of the components of `terms` above an entity can concern its
 * descendants: not if the entity has the components too. */
static bool observer_descends(const sett_world* world, const setti_listener* listener,
                              uint32_t terms, uint32_t index)
{
    for (uint32_t k = 0; k < listener->upward_count; k++) {
        const setti_upward_term* term = &listener->upward[k];
        if ((terms >> k & 1) != 0 && term->walk != SETT_WALK_ONE &&
            !view_has(world, &view_now, index, term->type)) {
            return true;
        }
    }
    return false;
}

/* A walk over the descendants of a changed entity, the root. Below the root, the present world and
 * the view are equal. So the results of searches upwards from the root are computed once, and
 * searches from descendants end at the root. */
typedef struct tree_below {
    const setti_listener* listener;
    uint32_t root;                            /* entity index */
    bool found_now[SETT_QUERY_ELSEWHERE];     /* by term: whether a search from `root` finds, now */
    bool found_in_view[SETT_QUERY_ELSEWHERE]; /* the same, in the view */
    uint32_t signature;                       /* the last tested signature */
    bool matches;                             /* whether the query matches `signature` */
} tree_below;

static void below_begin(const sett_world* world, tree_below* below, const tree_view* view)
{
    for (uint32_t k = 0; k < below->listener->upward_count; k++) {
        const setti_upward_term* term = &below->listener->upward[k];
        uint32_t root = setti_link_to(below->root);
        below->found_now[k] = view_finds(world, &view_now, term, root);
        below->found_in_view[k] = view_finds(world, view, term, root);
    }
}

/* Whether term k finds its component for a descendant of the root, now and in the view. */
static void below_find(const sett_world* world, const tree_below* below, uint32_t k, uint32_t index,
                       bool* found_now, bool* found_in_view)
{
    const setti_upward_term* term = &below->listener->upward[k];
    uint32_t at = term->walk == SETT_WALK_SELF_UP
                      ? index
                      : setti_link_index(setti_hierarchy_parent(world, index));
    bool found = false;
    while (!found && at != below->root) {
        found = view_has(world, &view_now, at, term->type);
        if (term->walk == SETT_WALK_ONE) {
            *found_now = *found_in_view = found;
            return;
        }
        if (!found) {
            at = setti_link_index(setti_hierarchy_parent(world, at));
        }
    }
    *found_now = found || below->found_now[k];
    *found_in_view = found || below->found_in_view[k];
}

/* Returns true if a descendant of the root matches now, but not in the view. */
static bool below_changes(const sett_world* world, tree_below* below, uint32_t index)
{
    uint32_t signature = view_signature(world, &view_now, index);
    if (signature != below->signature) {
        below->signature = signature;
        below->matches = setti_listener_matches(below->listener, &world->signatures, signature);
    }
    bool matches_now = below->matches;
    bool matches_in_view = true; /* the signature is the same in the view */
    for (uint32_t k = 0; matches_now && k < below->listener->upward_count; k++) {
        bool found_now;
        bool found_in_view;
        below_find(world, below, k, index, &found_now, &found_in_view);
        matches_now = found_now == below->listener->upward[k].with;
        matches_in_view = matches_in_view && found_in_view == below->listener->upward[k].with;
    }
    return matches_now && !matches_in_view;
}

/* Runs callbacks for the descendants of `root`, above which `terms` change. */
static void observer_notify_below(sett_world* world, const setti_listener* listener,
                                  const tree_view* view, uint32_t root, uint32_t terms, bool enters)
{
    void (*callback)(sett_world*, sett_entity, void*) =
        enters ? listener->on_enter : listener->on_exit;
    const sett_hierarchy* node = setti_hierarchy_find(world, root);
    if (callback == NULL || node == NULL || node->first == 0) {
        return;
    }
    tree_below below = {.listener = listener, .root = root, .signature = SETTI_NONE};
    below_begin(world, &below, view);
    const char* outer = setti_world_begin_call(world, listener->name);
    uint32_t at = node->first;
    while (at != 0) {
        if (below_changes(world, &below, setti_link_index(at))) {
            callback(world, setti_entity_at(&world->entities, setti_link_index(at)),
                     listener->user);
        }
        node = setti_hierarchy_find(world, setti_link_index(at));
        uint32_t next = node->first;
        if (next != 0 && !observer_descends(world, listener, terms, setti_link_index(at))) {
            next = 0; /* skips the subtree */
        }
        while (next == 0 && at != setti_link_to(root)) { /* climbs until there is a next sibling */
            next = node->next;
            at = node->parent;
            node = setti_hierarchy_find(world, setti_link_index(at));
        }
        at = next;
    }
    setti_world_end_call(world, outer);
}

/* Returns the terms with a component that an edit adds or removes, as bits. */
static uint32_t observer_changed_terms(const sett_world* world, const setti_listener* listener,
                                       const setti_edit* edit)
{
    uint32_t terms = 0;
    for (uint32_t k = 0; k < listener->upward_count; k++) {
        const setti_type* type = listener->upward[k].type;
        terms |= (uint32_t)(setti_listener_is_on(&world->signatures, edit->from, type) !=
                            setti_listener_is_on(&world->signatures, edit->to, type))
                 << k;
    }
    return terms;
}

/* Runs callbacks for an entity changed by an edit, and for its descendants. */
static void tree_notify_edit(sett_world* world, const setti_listener* listener,
                             const setti_edit* edit, sett_entity entity, bool enters)
{
    const setti_signature_table* table = &world->signatures;
    uint32_t in_view = enters ? setti_edit_before(edit) : setti_edit_after(edit);
    tree_view view = {.index = entity.index, .signature = in_view, .child = SETTI_NO_LINK};
    bool had_node = !edit->creates && setti_signature_has(table, edit->from, SETT_ID_HIERARCHY);
    bool has_node = !edit->destroys && !edit->removes_all &&
                    setti_signature_has(table, edit->to, SETT_ID_HIERARCHY);
    if (enters && had_node && !has_node) {
        view.child = setti_link_to(entity.index);
        view.parent = setti_hierarchy_of(world)->released;
    }
    observer_notify(world, listener, &view, entity.index, enters);
    /* A new node has no children, except for copies. A removed node has released the children. */
    bool may_have_children = had_node && has_node;
    uint32_t terms = may_have_children ? observer_changed_terms(world, listener, edit) : 0;
    if (terms != 0) {
        observer_notify_below(world, listener, &view, entity.index, terms, enters);
    }
}

static void tree_notify_move(sett_world* world, uint32_t index, uint32_t parent, bool enters)
{
    const tree_view view = {.index = SETTI_NONE, .child = setti_link_to(index), .parent = parent};
    for (const setti_listener* listener = world->listeners; listener != NULL;
         listener = listener->next) {
        if (listener->upward_count == 0) {
            continue;
        }
        observer_notify(world, listener, &view, index, enters);
        if (observer_descends(world, listener, OBSERVER_ALL_TERMS, index)) {
            observer_notify_below(world, listener, &view, index, OBSERVER_ALL_TERMS, enters);
        }
    }
}

void setti_hierarchy_notify_moving(sett_world* world, uint32_t index, uint32_t to)
{
    tree_notify_move(world, index, to, OBSERVER_EXITS);
}

void setti_hierarchy_notify_moved(sett_world* world, uint32_t index, uint32_t from)
{
    tree_notify_move(world, index, from, OBSERVER_ENTERS);
}

static bool tree_observer_matches(sett_world* world, const setti_listener* listener, uint32_t index)
{
    return view_matches(world, listener, &view_now, index);
}

const setti_upward_calls setti_hierarchy_observers = {tree_observer_matches, tree_notify_edit,
                                                      setti_hierarchy_release};

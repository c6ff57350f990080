/* hierarchy_observer.c: observers of queries that ask the parent or an ancestor for a component. An
 * entity enters when an ancestor gets the component, or when the entity is attached below such an
 * ancestor. The entity leaves when no ancestor has the component any more.
 *
 * The workload: a few observers show or hide subtrees; most changes concern few entities. So no
 * data are stored for each entity. Whether an entity matches is computed twice: in the present
 * world, and in a *view*. A view is the world before or after the change: one entity has another
 * signature or parent there.
 *
 *     before the change    matches now, but not in the view of the world after     -> on_exit
 *     after it             matches now, but not in the view of the world before    -> on_enter
 *
 * A walk over descendants skips the subtrees of entities with the component. In such a subtree, the
 * nearest ancestor with the component is the same before and after the change.
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

#define OBSERVER_ALL_TERMS UINT32_MAX /* a set of terms: bit k stands for term k */
#define OBSERVER_EXITS false          /* as `enters`: runs on_exit; the view is after the change */
#define OBSERVER_ENTERS true /* as `enters`: runs on_enter; the view is before the change */

/* Returns the signature of an entity in the view. */
static uint32_t view_signature(const sett_world* world, const tree_view* view, uint32_t index)
{
    if (index == view->index) {
        return view->signature;
    }
    return setti_entity_set_of(&world->entities, index) & ~SETTI_DYING; /* without the flag */
}

/* Returns the link of an entity's parent in the view, or 0. */
static uint32_t view_parent(const sett_world* world, const tree_view* view, uint32_t index)
{
    if (setti_link_to(index) == view->child) {
        return view->parent;
    }
    if (index == view->index) {
        bool has_node = view->signature != SETTI_NONE &&
                        setti_signature_has(&world->signatures, view->signature, SETT_ID_HIERARCHY);
        if (!has_node) {
            return 0;
        }
    }
    return setti_hierarchy_parent(world, index);
}

/* Returns true if an entity has a component in the view. */
static bool view_has(const sett_world* world, const tree_view* view, uint32_t index,
                     const setti_type* type)
{
    return setti_listener_is_on(&world->signatures, view_signature(world, view, index), type);
}

/* Returns true if a term's search upwards from the entity of `link` finds the component. */
static bool view_finds(const sett_world* world, const tree_view* view,
                       const setti_upward_term* term, uint32_t link)
{
    if (term->walk == SETT_WALK_ONE) {
        return link != 0 && view_has(world, view, setti_link_index(link), term->type);
    }
    while (link != 0 && !view_has(world, view, setti_link_index(link), term->type)) {
        link = view_parent(world, view, setti_link_index(link));
    }
    return link != 0;
}

/* Returns true if an entity matches an observer's query in the view. */
static bool view_matches(const sett_world* world, const setti_listener* listener,
                         const tree_view* view, uint32_t index)
{
    uint32_t signature = view_signature(world, view, index);
    if (!setti_listener_matches(listener, &world->signatures, signature)) {
        return false;
    }
    for (uint32_t k = 0; k < listener->upward_count; k++) {
        const setti_upward_term* term = &listener->upward[k];
        SETTI_ASSERT(term->walk != SETT_WALK_NONE);
        uint32_t first = setti_link_to(index); /* link of the entity at which the search begins */
        if (term->walk != SETT_WALK_SELF_UP) {
            first = view_parent(world, view, index);
        }
        /* A term that forbids the component has `with` false: the search must find nothing. */
        if (view_finds(world, view, term, first) != term->with) {
            return false;
        }
    }
    return true;
}

/* Runs callbacks for one entity if it matches now, but not in the view. */
static void observer_notify(sett_world* world, const setti_listener* listener,
                            const tree_view* view, uint32_t index, bool enters)
{
    void (*callback)(sett_world*, sett_entity, void*) =
        enters ? listener->on_enter : listener->on_exit;
    if (callback == NULL) {
        return;
    }
    if (!view_matches(world, listener, &view_now, index) ||
        view_matches(world, listener, view, index)) {
        return;
    }
    const char* outer = setti_world_begin_call(world, listener->name);
    callback(world, setti_entity_at(&world->entities, index), listener->user);
    setti_world_end_call(world, outer);
}

/* Returns true if a change of components above an entity can concern descendants of the entity.
 * `terms` are the terms with these components. Searches end at the entity if it has the component
 * of the term. */
static bool observer_descends(const sett_world* world, const setti_listener* listener,
                              uint32_t terms, uint32_t index)
{
    for (uint32_t k = 0; k < listener->upward_count; k++) {
        const setti_upward_term* term = &listener->upward[k];
        bool changes = (terms >> k & 1) != 0;
        if (changes && term->walk != SETT_WALK_ONE &&
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
    uint32_t root; /* entity index */
    /* For each term: whether a search from the root finds the component. */
    bool found_now[SETT_QUERY_ELSEWHERE];
    bool found_in_view[SETT_QUERY_ELSEWHERE];
    uint32_t signature; /* the last tested signature */
    bool matches;       /* the query matches `signature` */
} tree_below;

/* Computes the results of searches from the root. */
static void below_begin(const sett_world* world, tree_below* walk, const tree_view* view)
{
    for (uint32_t k = 0; k < walk->listener->upward_count; k++) {
        const setti_upward_term* term = &walk->listener->upward[k];
        uint32_t root = setti_link_to(walk->root);
        walk->found_now[k] = view_finds(world, &view_now, term, root);
        walk->found_in_view[k] = view_finds(world, view, term, root);
    }
}

/* Searches the component of term k for a descendant of the root, now and in the view. */
static void below_find(const sett_world* world, const tree_below* walk, uint32_t k, uint32_t index,
                       bool* found_now, bool* found_in_view)
{
    const setti_upward_term* term = &walk->listener->upward[k];
    uint32_t ancestor = index;
    if (term->walk != SETT_WALK_SELF_UP) {
        ancestor = setti_link_index(setti_hierarchy_parent(world, index));
    }
    bool found = false;
    while (!found && ancestor != walk->root) {
        found = view_has(world, &view_now, ancestor, term->type);
        if (term->walk == SETT_WALK_ONE) {
            *found_now = found;
            *found_in_view = found;
            return;
        }
        if (!found) {
            ancestor = setti_link_index(setti_hierarchy_parent(world, ancestor));
        }
    }
    *found_now = found || walk->found_now[k];
    *found_in_view = found || walk->found_in_view[k];
}

/* Returns true if a descendant of the root matches now, but not in the view. */
static bool below_changes(const sett_world* world, tree_below* walk, uint32_t index)
{
    uint32_t signature = view_signature(world, &view_now, index);
    if (signature != walk->signature) {
        walk->signature = signature;
        walk->matches = setti_listener_matches(walk->listener, &world->signatures, signature);
    }
    if (!walk->matches) {
        return false;
    }
    bool matches_in_view = true; /* the signature is the same in the view */
    for (uint32_t k = 0; k < walk->listener->upward_count; k++) {
        bool found_now;
        bool found_in_view;
        below_find(world, walk, k, index, &found_now, &found_in_view);
        if (found_now != walk->listener->upward[k].with) {
            return false; /* does not match now */
        }
        if (found_in_view != walk->listener->upward[k].with) {
            matches_in_view = false;
        }
    }
    return !matches_in_view;
}

/* Runs callbacks for the descendants of `root`, because the components of `terms` change at `root`
 * or above. */
static void observer_notify_below(sett_world* world, const setti_listener* listener,
                                  const tree_view* view, uint32_t root, uint32_t terms, bool enters)
{
    void (*callback)(sett_world*, sett_entity, void*) =
        enters ? listener->on_enter : listener->on_exit;
    const sett_hierarchy* node = setti_hierarchy_find(world, root);
    if (callback == NULL || node == NULL || node->first == 0) {
        return;
    }
    tree_below walk = {.listener = listener, .root = root, .signature = SETTI_NONE};
    below_begin(world, &walk, view);
    const char* outer = setti_world_begin_call(world, listener->name);
    uint32_t link = node->first;
    while (link != 0) {
        if (below_changes(world, &walk, setti_link_index(link))) {
            callback(world, setti_entity_at(&world->entities, setti_link_index(link)),
                     listener->user);
        }
        node = setti_hierarchy_find(world, setti_link_index(link));
        uint32_t next = node->first;
        if (next != 0 && !observer_descends(world, listener, terms, setti_link_index(link))) {
            next = 0; /* skips the subtree */
        }
        /* Climbs until there is a next sibling. */
        while (next == 0 && link != setti_link_to(root)) {
            next = node->next;
            link = node->parent;
            node = setti_hierarchy_find(world, setti_link_index(link));
        }
        link = next;
    }
    setti_world_end_call(world, outer);
}

/* Returns the terms whose component an edit adds or removes. Bit k stands for term k. */
static uint32_t observer_changed_terms(const sett_world* world, const setti_listener* listener,
                                       const setti_edit* edit)
{
    uint32_t terms = 0;
    for (uint32_t k = 0; k < listener->upward_count; k++) {
        const setti_type* type = listener->upward[k].type;
        bool before = setti_listener_is_on(&world->signatures, edit->from, type);
        bool after = setti_listener_is_on(&world->signatures, edit->to, type);
        if (before != after) {
            terms |= (uint32_t)1 << k;
        }
    }
    return terms;
}

/* Runs callbacks for an entity changed by an edit, and for its descendants. */
static void tree_notify_edit(sett_world* world, const setti_listener* listener,
                             const setti_edit* edit, sett_entity entity, bool enters)
{
    const setti_signature_table* table = &world->signatures;
    tree_view view = {.index = entity.index, .child = SETTI_NO_LINK};
    if (enters) {
        view.signature = setti_edit_before(edit);
    } else {
        view.signature = setti_edit_after(edit);
    }
    bool had_node = !edit->creates && setti_signature_has(table, edit->from, SETT_ID_HIERARCHY);
    bool has_node = !edit->destroys && !edit->removes_all &&
                    setti_signature_has(table, edit->to, SETT_ID_HIERARCHY);
    if (enters && had_node && !has_node) {
        view.child = setti_link_to(entity.index);
        view.parent = setti_hierarchy_of(world)->released; /* the parent before the edit */
    }
    observer_notify(world, listener, &view, entity.index, enters);
    if (!had_node || !has_node) {
        return; /* a new node has no children, except for copies; a removed one has released them */
    }
    uint32_t terms = observer_changed_terms(world, listener, edit);
    if (terms != 0) {
        observer_notify_below(world, listener, &view, entity.index, terms, enters);
    }
}

/* Runs callbacks for an entity and its descendants, because the entity moves. `parent` is the
 * parent in the view (a link). */
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

void setti_hierarchy_notify_moving(sett_world* world, uint32_t index, uint32_t new_parent)
{
    tree_notify_move(world, index, new_parent, OBSERVER_EXITS);
}

void setti_hierarchy_notify_moved(sett_world* world, uint32_t index, uint32_t old_parent)
{
    tree_notify_move(world, index, old_parent, OBSERVER_ENTERS);
}

static bool tree_observer_matches(sett_world* world, const setti_listener* listener, uint32_t index)
{
    return view_matches(world, listener, &view_now, index);
}

const setti_upward_calls setti_hierarchy_observers = {tree_observer_matches, tree_notify_edit,
                                                      setti_hierarchy_release};

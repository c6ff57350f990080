/* snapshot.c: the tree of snapshots: take, restore, drop.
 *
 * The workload: each frame takes a snapshot and drops the oldest. Some frames restore a snapshot
 * from a few frames ago. Editors have many snapshots, restored and dropped in any order.
 *
 * The snapshots form a tree whose root is the live world. Each snapshot is stored as the difference
 * from its parent. Pages of the live world never move. A restore walks from the live world to the
 * snapshot and reverses each edge on the way: the stored pages and the live pages change places
 * (H. Baker's shallow binding, and his arrays):
 *
 *     a <- b <- c <- live                  restore a:        live -> a -> b -> c
 *                \                                                         \
 *                 d                                                         d
 *
 * A dropped snapshot with one child is merged into the child. A dropped snapshot with more children
 * stays, hidden. The snapshot next to the live world (the head) stays as well, because the tick of
 * a live page tells whether the head's difference has the page. If a child became the head, ticks
 * of pages would change, and change detection would report unchanged pages. The next take or
 * restore frees a hidden head.
 *
 * The clock is not part of the state: it continues after a restore, while the ticks of writes are
 * restored with the pages. So writes after a restore are later than all restored writes. A system's
 * `since` is part of the state, so the system sees the same changes again. Cursors outside of the
 * state (a renderer's) have to see the exchanged pages: each page has a second tick for restores
 * (setti_pages_restored), and these cursors compare the later tick of the two.
 *
 * Invariant:  parent == NULL for the head, and for no other snapshot;
 *             cow_from = the head's tick + 1 <= the world's tick, or 0 without a head (except at
 *             the end of a stage of threads that lost the head);
 *             a page's ticks of writes and of restores <= the world's tick;
 *             `others` = bytes in all diffs except the head's, `pages` = number of these pages;
 *             a live page's tick >= cow_from  <=>  the head's diff has an entry for it (cow.c)
 */
#include "state/snapshot.h"

#include "state/restored.h"

#include "world/command.h"
#include "world/trace.h"

/* Calls `visit` with each saved page of a table. */
static void state_each(setti_cow* cow, const setti_pages* pages,
                       void (*visit)(void* user, const void* data), void* user)
{
    setti_state* state = (setti_state*)cow;
    for (const setti_snapshot* node = state->oldest; node != NULL; node = node->younger) {
        for (uint32_t k = 0; k < node->diff.count; k++) {
            const setti_cow_entry* saved = &node->diff.item[k];
            if (saved->pages == pages && saved->data != NULL) {
                visit(user, saved->data);
            }
        }
    }
}

/* Adds a diff to the totals of all diffs except the head's. */
static void state_count_others(setti_state* state, const setti_diff* diff)
{
    state->cow.others += diff->size;
    state->cow.pages += diff->pages;
}

/* Subtracts a diff from the totals of all diffs except the head's. */
static void state_discount_others(setti_state* state, const setti_diff* diff)
{
    SETTI_ASSERT(state->cow.others >= diff->size && state->cow.pages >= diff->pages);
    state->cow.others -= diff->size;
    state->cow.pages -= diff->pages;
}

static void state_set_head(setti_state* state, setti_snapshot* head)
{
    SETTI_ASSERT(head == NULL || head->parent == NULL);
    if (state->head != NULL) {
        state_count_others(state, &state->head->diff);
    }
    if (head != NULL) {
        state_discount_others(state, &head->diff);
    }
    state->head = head;
    state->cow.diff = head != NULL ? &head->diff : NULL;
    /* while threads run, cow_from stays: setti_cow_settle sets it afterwards */
    if (!state->world->side_by_side) {
        state->world->pool.cow_from = head != NULL ? head->tick + 1 : 0;
    }
}

setti_snapshot* setti_snapshot_find(const sett_world* world, sett_snapshot snapshot,
                                    sett_status* status)
{
    const setti_state* state = setti_state_of(world);
    *status = SETT_STATUS_STALE;
    if (state == NULL || snapshot.serial == 0 || snapshot.slot >= state->slot_count) {
        return NULL;
    }
    const setti_snapshot_slot* slot = &state->slot[snapshot.slot];
    if (slot->serial != snapshot.serial) { /* the slot has a newer handle: the status is a guess */
        *status = snapshot.serial <= state->lost_serial ? SETT_STATUS_LOST : SETT_STATUS_STALE;
        return NULL;
    }
    if (slot->node != NULL) {
        *status = SETT_OK;
    } else if (slot->lost) {
        *status = SETT_STATUS_LOST;
    }
    return slot->node;
}

sett_status setti_snapshot_fail(sett_world* world, sett_snapshot snapshot, sett_status status,
                                const char* call)
{
    const char* why;
    if (snapshot.serial == 0) {
        why = "the handle is null - pass one that sett_snapshot_take has set";
    } else if (status == SETT_STATUS_STALE) {
        why = "it was dropped, or taken in another world - pass a snapshot that this world holds";
    } else {
        why = "it is lost, because memory ran out or memory_limit was exceeded - take a new one";
    }
    return setti_world_fail_with(world, status, "%s: snapshot %u:%u: %s", call,
                                 (unsigned)snapshot.slot, (unsigned)snapshot.serial, why);
}

static bool state_reserve_slot(setti_state* state)
{
    if (state->free_slot != SETTI_NONE || state->slot_count < state->slot_capacity) {
        return true;
    }
    void* slots = setti_pool_grow(&state->world->pool, state->slot, sizeof(*state->slot),
                                  state->slot_count, 1, &state->slot_capacity);
    if (slots == NULL) {
        return false;
    }
    state->slot = slots;
    return true;
}

static sett_snapshot state_occupy_slot(setti_state* state, setti_snapshot* node)
{
    SETTI_ASSERT(state->free_slot != SETTI_NONE || state->slot_count < state->slot_capacity);
    uint32_t number = state->free_slot;
    if (number != SETTI_NONE) {
        state->free_slot = state->slot[number].next_free;
    } else {
        number = state->slot_count++;
    }
    setti_snapshot_slot* slot = &state->slot[number];
    slot->node = node;
    state->serial += state->serial == UINT32_MAX ? 2 : 1; /* no handle gets the null serial 0 */
    slot->serial = state->serial;
    slot->lost = false;
    node->slot = number;
    sett_snapshot handle = {number, slot->serial};
    return handle;
}

/* Ends the handle of a snapshot. `lost` is true if the program did not drop the snapshot. */
static void state_free_slot(setti_state* state, setti_snapshot* node, bool lost)
{
    SETTI_ASSERT(state->slot[node->slot].node == node);
    setti_snapshot_slot* slot = &state->slot[node->slot];
    slot->node = NULL;
    slot->lost = lost;
    slot->next_free = state->free_slot;
    state->free_slot = node->slot;
    if (lost) {
        state->lost++;
        state->lost_serial = SETTI_MAX(state->lost_serial, slot->serial);
    }
}

/* Saves all roots, and the number of pages of each table that a root has. */
static void roots_save(const sett_world* world, unsigned char* out)
{
    for (const setti_root* root = world->roots; root != NULL; root = root->next) {
        uint32_t counts[2];
        for (uint32_t k = 0; k < 2; k++) {
            counts[k] = root->pages[k] != NULL ? root->pages[k]->count : 0;
        }
        memcpy(out + root->saved_at, root->address, root->size);
        memcpy(out + root->saved_at + root->size, counts, sizeof(counts));
    }
}

const unsigned char* setti_snapshot_root(const setti_snapshot* node, const setti_root* root)
{
    if (root->number >= node->root_count) {
        return NULL;
    }
    return node->roots + root->saved_at;
}

/* Restores all roots, and the number of pages of each table that a root has. A root that is newer
 * than the snapshot gets its first contents. */
static void roots_restore(const sett_world* world, const setti_snapshot* node)
{
    for (const setti_root* root = world->roots; root != NULL; root = root->next) {
        uint32_t counts[2] = {0, 0};
        const unsigned char* saved = setti_snapshot_root(node, root);
        memcpy(root->address, saved != NULL ? saved : root->first, root->size);
        if (saved != NULL) {
            memcpy(counts, saved + root->size, sizeof(counts));
        }
        for (uint32_t k = 0; k < 2; k++) {
            if (root->pages[k] != NULL) {
                setti_pages_set_count(root->pages[k], counts[k]);
            }
        }
    }
}

/* ----------------------------------------------------------------------------------------- tree */

static void state_link_child(setti_snapshot* node, setti_snapshot* parent)
{
    SETTI_ASSERT(node->parent == NULL && node != parent);
    node->parent = parent;
    node->sibling_previous = NULL;
    node->sibling_next = parent->child;
    if (parent->child != NULL) {
        parent->child->sibling_previous = node;
    }
    parent->child = node;
}

static void state_unlink_child(setti_snapshot* node)
{
    SETTI_ASSERT(node->parent != NULL);
    setti_snapshot* previous = node->sibling_previous;
    if (previous != NULL) {
        previous->sibling_next = node->sibling_next;
    } else {
        node->parent->child = node->sibling_next;
    }
    if (node->sibling_next != NULL) {
        node->sibling_next->sibling_previous = previous;
    }
    node->parent = NULL;
}

/* Frees a snapshot that has no children and is not the head any more. */
static void state_free(setti_state* state, setti_snapshot* node)
{
    setti_pool* pool = &state->world->pool;
    if (node->parent != NULL) {
        state_unlink_child(node);
    }
    if (node->older != NULL) {
        node->older->younger = node->younger;
    } else {
        state->oldest = node->younger;
    }
    if (node->younger != NULL) {
        node->younger->older = node->older;
    } else {
        state->youngest = node->older;
    }
    state->count--;
    state->hidden -= node->hidden;
    state_discount_others(state, &node->diff);
    setti_diff_deinit(pool, &node->diff);
    setti_pool_free(pool, node->roots, node->root_size, 16);
    setti_pool_free(pool, node, sizeof(*node), 16);
}

/* Merges a hidden snapshot into its only child. If memory runs out, returns false, and a later call
 * of state_tidy tries again. */
static bool state_merge(setti_state* state, setti_snapshot* node)
{
    SETTI_ASSERT(node->hidden && node->child != NULL && node->child->sibling_next == NULL);
    setti_snapshot* child = node->child;
    const setti_diff old_diffs[2] = {child->diff, node->diff};
    if (!setti_diff_merge(&state->world->pool, &child->diff, &node->diff)) {
        state->postponed = true;
        return false;
    }
    state_discount_others(state, &old_diffs[0]);
    state_discount_others(state, &old_diffs[1]);
    state_count_others(state, &child->diff); /* node->diff is empty now */
    setti_snapshot* parent = node->parent;
    state_unlink_child(child);
    state_link_child(child, parent);
    state_free(state, node);
    return true;
}

/* Frees a hidden snapshot. Returns false if the snapshot has to stay. */
static bool state_collapse(setti_state* state, setti_snapshot* node)
{
    SETTI_ASSERT(node->hidden);
    if (node->child == NULL) {
        if (node == state->head) {
            state_set_head(state, NULL);
        }
        state_free(state, node);
        return true;
    }
    bool one_child = node->child->sibling_next == NULL;
    return one_child && node != state->head && state_merge(state, node);
}

static void state_retry_merges(setti_state* state)
{
    state->postponed = false;
    for (setti_snapshot* snapshot = state->oldest; snapshot != NULL;) {
        bool freed = snapshot->hidden && state_collapse(state, snapshot);
        /* if `snapshot` was freed, its neighbours may be gone too: begins again */
        snapshot = freed ? state->oldest : snapshot->younger;
    }
}

/* Frees hidden snapshots on the way from `node` to the head, up to the first that has to stay.
 * Tries postponed merges again. */
static void state_tidy(setti_state* state, setti_snapshot* node)
{
    while (node != NULL && node->hidden) {
        setti_snapshot* parent = node->parent;
        if (!state_collapse(state, node)) {
            break;
        }
        node = parent;
    }
    if (state->postponed) {
        state_retry_merges(state);
    }
}

typedef enum state_reason {
    STATE_DROPPED, /* by the program */
    STATE_LOST     /* because memory ran out, or because of the limit */
} state_reason;

/* Ends a snapshot. The snapshot is freed as soon as no other snapshot depends on it. */
static void state_drop(setti_state* state, setti_snapshot* node, state_reason reason)
{
    SETTI_ASSERT(!node->hidden);
    state_free_slot(state, node, reason == STATE_LOST);
    node->hidden = true;
    state->hidden++;
    state_tidy(state, node);
}

/* Ends all snapshots. */
static void state_end(setti_cow* cow, setti_cow_reason reason)
{
    bool out_of_memory = reason == SETTI_COW_OUT_OF_MEMORY;
    setti_state* state = (setti_state*)cow;
    uint32_t ended = state->count - state->hidden; /* hidden snapshots had ended already */
    state_set_head(state, NULL);
    for (setti_snapshot* node = state->oldest; node != NULL; node = node->younger) {
        node->parent = NULL; /* state_free does not have to unlink children */
        if (!node->hidden) {
            state_free_slot(state, node, out_of_memory);
        }
    }
    while (state->oldest != NULL) {
        state_free(state, state->oldest);
    }
    state->postponed = false;
    if (out_of_memory) {
        setti_world_log(state->world, SETT_LOG_WARNING,
                        "memory ran out for copies of pages: %u snapshots are lost, and the world "
                        "itself is complete - free memory, and take a new snapshot",
                        (unsigned)ended);
    }
}

/* Returns the size of all saved pages in bytes. */
static size_t state_size(const setti_state* state)
{
    return state->cow.others + (state->head != NULL ? state->head->diff.size : 0);
}

/* Drops the oldest snapshots until the size of all snapshots is within the limit. */
static void state_enforce_limit(setti_state* state)
{
    size_t limit = state->cow.limit;
    uint32_t dropped = 0;
    while (limit != 0 && state_size(state) > limit) {
        setti_snapshot* node = state->oldest;
        while (node != state->head && node->hidden) {
            node = node->younger;
        }
        if (node == state->head || state->count - state->hidden == 1) {
            break; /* the head and the only snapshot always stay */
        }
        state_drop(state, node, STATE_LOST);
        dropped++;
    }
    if (dropped != 0) {
        setti_world_log(state->world, SETT_LOG_WARNING,
                        "snapshots take more than sett_snapshot_options.memory_limit, %llu bytes: "
                        "%u of the oldest are lost - raise the limit, or drop snapshots "
                        "earlier",
                        (unsigned long long)limit, (unsigned)dropped);
    }
}

void setti_state_lift_limit(setti_state* state)
{
    state->cow.limit = 0;
}

void setti_state_set_limit(setti_state* state)
{
    state->cow.limit = state->options.memory_limit;
    state_enforce_limit(state);
}

/* Drops snapshots, because the saved pages exceed the limit. */
static void state_full(setti_cow* cow)
{
    setti_state* state = (setti_state*)cow;
    /* if a write may be in progress, the limit is enforced later, by the next snapshot */
    if (state->world->locks == 0 && !state->world->side_by_side && !state->has_clones) {
        state_enforce_limit(state);
    }
}

/* ---------------------------------------------------------------------------------------- calls */

/* Prepares the types that were registered after the last call. */
static sett_status snapshot_prepare(setti_state* state, const char* call)
{
    const setti_type_list* types = &state->world->registered;
    uint32_t* prepared = &state->world->prepared;
    while (*prepared < types->count) {
        setti_type* type = types->item[*prepared];
        sett_status status = setti_values_prepare(state->world, type, call);
        if (status != SETT_OK) {
            return status;
        }
        if (setti_pages_values(&type->storage.rows) != NULL) {
            state->has_values = true;
        }
        if (type->desc.save == SETT_SAVE_CLONE) {
            state->has_clones = true;
        }
        ++*prepared;
    }
    return SETT_OK;
}

static setti_snapshot* snapshot_make(setti_state* state)
{
    sett_world* world = state->world;
    setti_pool* pool = &world->pool;
    const setti_root* last = world->last_root;
    size_t size = last->saved_at + SETTI_ROOT_SAVED(last->size);
    setti_snapshot* node = setti_pool_alloc_zero(pool, sizeof(*node), 16);
    unsigned char* roots = setti_pool_alloc(pool, size, 16);
    if (node == NULL || roots == NULL || !state_reserve_slot(state)) {
        setti_pool_free(pool, node, sizeof(*node), 16);
        setti_pool_free(pool, roots, size, 16);
        return NULL;
    }
    node->tick = pool->tick;
    node->root_count = last->number + 1;
    node->root_size = size;
    node->roots = roots;
    roots_save(world, roots);
    return node;
}

sett_status setti_snapshot_take(sett_world* world, sett_snapshot* out, const char* call)
{
    if (setti_world_check_unlocked(world, call) != SETT_OK) {
        return world->error;
    }
    setti_state* state = setti_state_get(world, call);
    if (state == NULL) {
        return world->error;
    }
    sett_status status = snapshot_prepare(state, call);
    if (status != SETT_OK) {
        return status;
    }
    status = setti_commands_apply_all(world, call);
    if (status != SETT_OK) {
        return status;
    }
    SETTI_ASSERT(world->entities.reserved == 0); /* all commands are applied: no index is claimed */
    setti_snapshot* node = snapshot_make(state);
    if (node == NULL) {
        return setti_world_no_memory(world, call);
    }
    setti_trace_begin(world, SETT_SPAN_SNAPSHOT, "snapshot", 0);
    node->older = state->youngest;
    if (node->older != NULL) {
        node->older->younger = node;
    } else {
        state->oldest = node;
    }
    state->youngest = node;
    state->count++;
    *out = state_occupy_slot(state, node);
    setti_snapshot* previous = state->head;
    if (previous != NULL) {
        state->cow.expected = previous->diff.count; /* a guess: the same number of pages again */
        state_link_child(previous, node);
    }
    state_set_head(state, node);
    world->pool.tick++;          /* writes from now on are later than the snapshot */
    state_tidy(state, previous); /* a hidden head could not be freed before */
    state_enforce_limit(state);
    setti_trace_end(world, SETT_SPAN_SNAPSHOT);
    return SETT_OK;
}

sett_status sett_snapshot_take(sett_world* world, sett_snapshot* out)
{
    if (SETTI_IS_NULL(world)) {
        return SETT_STATUS_ARGUMENT;
    }
    return setti_snapshot_take(world, out, __func__);
}

setti_snapshot* setti_snapshot_path(setti_snapshot* target)
{
    setti_snapshot* node = target;
    node->next = NULL;
    while (node->parent != NULL) {
        node->parent->next = node;
        node = node->parent;
    }
    return node;
}

/* Returns an entry of a path by number. The numbers count the entries of all snapshots of the path.
 * `first` is the first snapshot of the path. */
static setti_cow_entry* restore_entry(const setti_snapshot* first, uint32_t entry_number)
{
    const setti_snapshot* node = first;
    for (; entry_number >= node->diff.count; node = node->next) {
        entry_number -= node->diff.count;
    }
    return &node->diff.item[entry_number];
}

/* Exchanges a live page with the page of `saved`, the entry `entry_number` of the path. A later
 * entry of the path can exchange the same live page again. */
static void restore_swap(setti_state* state, const setti_snapshot* first, setti_diff* diff,
                         setti_cow_entry* saved, uint32_t entry_number)
{
    setti_pool* pool = &state->world->pool;
    /* 1 + the number of the entry that holds the live page's own address, or 0 */
    uint32_t* lent = setti_pages_entry(saved->pages, saved->number);
    /* true: the table and `saved` exchange pages, and no bytes are copied */
    bool plain = saved->kind == SETTI_COW_COPY && setti_pages_values(saved->pages) == NULL;
    if (*setti_pages_restored(saved->pages, saved->number) != pool->tick) {
        *lent = 0; /* not exchanged yet in this restore: the page is at its own address */
    }
    if (!plain && *lent != 0) { /* the page returns to its own address */
        setti_cow_give_back(restore_entry(first, *lent - 1));
        *lent = 0;
    }
    setti_cow_swap(pool, diff, saved);
    if (plain && *lent == 0) {
        saved->kind = SETTI_COW_LENT; /* `saved` has the page's own address now */
        *lent = entry_number + 1;
    }
}

/* Returns true if an entry is restored in `pass`: pages of values with hooks in pass 0, other pages
 * in pass 1. */
static bool restore_is_now(const setti_state* state, const setti_cow_entry* saved, uint32_t pass)
{
    bool has_hooks = state->has_values && setti_pages_values(saved->pages) != NULL;
    return has_hooks == (pass == 0);
}

/* Restores the pages of a diff, and saves the live pages in the diff. `first` is the first snapshot
 * of the path, and `first_number` is the number of the diff's first entry in the path. If `first`
 * is NULL, the diff belongs to the head, and the live pages are not saved. */
static void restore_diff(setti_state* state, const setti_snapshot* first, setti_diff* diff,
                         uint32_t first_number)
{
    /* values with hooks come first: presence pages still tell which rows have a live value */
    for (uint32_t pass = state->has_values ? 0 : 1; pass < 2; pass++) {
        for (uint32_t k = 0; k < diff->count; k++) {
            if (!restore_is_now(state, &diff->item[k], pass)) {
                continue;
            }
            if (first == NULL) {
                setti_cow_undo(&state->world->pool, diff, &diff->item[k]);
            } else {
                restore_swap(state, first, diff, &diff->item[k], first_number + k);
            }
        }
    }
}

/* Copies all live pages back to their own addresses. */
static void restore_addresses(const setti_snapshot* first)
{
    /* the last snapshot of the path is the new head: its diff is empty */
    for (const setti_snapshot* node = first; node->next != NULL; node = node->next) {
        for (uint32_t k = 0; k < node->diff.count; k++) {
            if (node->diff.item[k].kind == SETTI_COW_LENT) {
                setti_cow_give_back(&node->diff.item[k]);
            }
        }
    }
}

/* Updates the caches of exchanged entity pages. */
static void restore_entities(sett_world* world, const setti_diff* diff)
{
    for (uint32_t k = 0; k < diff->count; k++) {
        if (diff->item[k].pages == &world->entities.pages) {
            setti_entity_refresh(&world->entities, diff->item[k].number);
        }
    }
}

/* Restores the last snapshot of the path that begins at `head`. The snapshot becomes the head. */
static void restore_walk(setti_state* state, setti_snapshot* head)
{
    SETTI_ASSERT(head == state->head);
    static const setti_diff nothing = {0};
    setti_pool* pool = &state->world->pool;
    pool->restored = ++pool->tick; /* marks the pages of the head's diff */
    for (const setti_snapshot* node = head->next; node != NULL; node = node->next) {
        state_discount_others(state, &node->diff); /* the loop below counts the reversed diffs */
    }
    restore_diff(state, NULL, &head->diff, 0); /* goes back to the state of the head */
    roots_restore(state->world, head);
    restore_entities(state->world, &head->diff);
    setti_diff_deinit(pool, &head->diff);
    const setti_snapshot* first = head;
    uint32_t first_number = 0;     /* the number in the path of the first entry of next->diff */
    pool->restored = ++pool->tick; /* marks the pages exchanged below */
    while (head->next != NULL) {
        setti_snapshot* next = head->next;
        restore_diff(state, first, &next->diff, first_number);
        roots_restore(state->world, next);
        restore_entities(state->world, &next->diff);
        state_unlink_child(next);
        head->diff = next->diff; /* reverses the edge */
        first_number += head->diff.count;
        state_link_child(head, next);
        next->diff = nothing;
        state_count_others(state, &head->diff);
        head = next;
    }
    restore_addresses(first);
    state->head = NULL; /* so state_set_head does not count the diff of the old head again */
    state_set_head(state, head);
    state->world->epoch++;
}

/* Prepares a restore, and drops recorded commands. Returns the snapshot, or NULL after a
 * failure. */
static setti_snapshot* restore_check(sett_world* world, sett_snapshot snapshot, const char* call)
{
    sett_status status = setti_world_check_unlocked(world, call);
    if (status != SETT_OK) {
        return NULL;
    }
    if (setti_snapshot_find(world, snapshot, &status) == NULL) {
        (void)setti_snapshot_fail(world, snapshot, status, call);
        return NULL;
    }
    if (snapshot_prepare(setti_state_of(world), call) != SETT_OK) {
        return NULL;
    }
    setti_commands_drop_all(world);
    /* dropping commands may have ended the snapshot */
    setti_snapshot* target = setti_snapshot_find(world, snapshot, &status);
    if (target == NULL) {
        (void)setti_snapshot_fail(world, snapshot, status, call);
    }
    return target;
}

/* What a restore does if memory runs out. */
typedef enum restore_need {
    RESTORE_OR_FAIL,
    RESTORE_ALWAYS /* restores, but initialises SETT_SAVE_SKIP values anew */
} restore_need;

static sett_status restore_to(sett_world* world, sett_snapshot snapshot, const char* call,
                              restore_need need)
{
    setti_snapshot* target = restore_check(world, snapshot, call);
    if (target == NULL) {
        return world->error;
    }
    setti_state* state = setti_state_of(world);
    setti_restored changes = {0};
    bool notifies = state->options.restored != NULL;
    bool changes_known = !notifies || setti_restored_find(world, target, &changes);
    if (!changes_known && need == RESTORE_OR_FAIL) {
        return setti_world_no_memory(world, call);
    }
    setti_snapshot* head = setti_snapshot_path(target);
    setti_carried* carried = NULL;
    bool values_carried = setti_values_carry(state, head, &carried);
    if (!values_carried && need == RESTORE_OR_FAIL) {
        setti_restored_free(world, &changes);
        return setti_world_no_memory(world, call);
    }
    if (!values_carried) {
        setti_values_each_skipped(state, setti_type_deinit_values);
    }
    restore_walk(state, head);
    if (values_carried) {
        setti_values_settle(state, carried);
    } else {
        setti_values_each_skipped(state, setti_type_init_values);
    }
    if (head != target) { /* the old head may be hidden, and can be freed now */
        state_tidy(state, head);
    }
    if (notifies && changes_known) {
        setti_restored_notify(world, &changes);
    } else if (notifies) {
        setti_world_log(world, SETT_LOG_WARNING,
                        "%s: memory ran out, so sett_snapshot_options.restored was not called - "
                        "read the whole world again where the program mirrors it",
                        call);
    }
    setti_restored_free(world, &changes);
    return SETT_OK;
}

sett_status setti_snapshot_restore(sett_world* world, sett_snapshot snapshot, const char* call)
{
    setti_trace_begin(world, SETT_SPAN_RESTORE, "restore", 0);
    sett_status status = restore_to(world, snapshot, call, RESTORE_OR_FAIL);
    setti_trace_end(world, SETT_SPAN_RESTORE);
    return status;
}

sett_status sett_snapshot_restore(sett_world* world, sett_snapshot snapshot)
{
    if (SETTI_IS_NULL(world)) {
        return SETT_STATUS_ARGUMENT;
    }
    return setti_snapshot_restore(world, snapshot, __func__);
}

sett_status setti_snapshot_undo(sett_world* world, sett_snapshot snapshot, const char* call)
{
    return restore_to(world, snapshot, call, RESTORE_ALWAYS);
}

void setti_snapshot_release(sett_world* world, sett_snapshot snapshot)
{
    sett_status status;
    setti_snapshot* node = setti_snapshot_find(world, snapshot, &status);
    if (node != NULL) {
        state_drop(setti_state_of(world), node, STATE_DROPPED);
    }
}

sett_status sett_snapshot_drop(sett_world* world, sett_snapshot snapshot)
{
    if (SETTI_IS_NULL(world)) {
        return SETT_STATUS_ARGUMENT;
    }
    if (setti_world_check_serial(world, "sett_snapshot_drop") != SETT_OK) {
        return world->error;
    }
    sett_status status;
    setti_snapshot* node = setti_snapshot_find(world, snapshot, &status);
    if (node == NULL) {
        return setti_snapshot_fail(world, snapshot, status, "sett_snapshot_drop");
    }
    state_drop(setti_state_of(world), node, STATE_DROPPED);
    return SETT_OK;
}

void sett_snapshot_drop_all(sett_world* world)
{
    if (SETTI_IS_NULL(world) || setti_world_check_serial(world, __func__) != SETT_OK) {
        return;
    }
    setti_state* state = setti_state_of(world);
    if (state != NULL) {
        /* the reason says that memory did not run out: the snapshots do not count as lost */
        state_end(&state->cow, SETTI_COW_WORLD_ENDS);
    }
}

sett_status sett_snapshot_status(const sett_world* world, sett_snapshot snapshot)
{
    if (SETTI_IS_NULL(world)) {
        return SETT_STATUS_ARGUMENT;
    }
    sett_status status;
    (void)setti_snapshot_find(world, snapshot, &status);
    return status;
}

SETTI_COLD sett_status sett_snapshot_set_options_sized(sett_world* world,
                                                       const sett_snapshot_options* options,
                                                       size_t size)
{
    static const char call[] = "sett_snapshot_set_options";
    static const sett_snapshot_options defaults;
    sett_snapshot_options full;
    if (options == NULL) {
        options = &defaults;
        size = sizeof(defaults);
    }
    options = setti_world_desc(world, options, size, &full, sizeof(full), call);
    if (options == NULL) {
        return setti_world_failure(world);
    }
    if (setti_world_check_serial(world, call) != SETT_OK) {
        return world->error;
    }
    setti_state* state = setti_state_get(world, call);
    if (state == NULL) {
        return SETT_STATUS_OUT_OF_MEMORY;
    }
    state->options = *options;
    state->cow.limit = state->options.memory_limit;
    return SETT_OK;
}

void sett_snapshot_stats_get_sized(const sett_world* world, sett_snapshot_stats* stats, size_t size)
{
    sett_snapshot_stats all = {0};
    const setti_state* state = NULL;
    if (!setti_is_null(world, "sett_snapshot_stats_get", "world")) {
        state = setti_state_of(world);
    }
    if (state != NULL) {
        uint32_t head_pages = state->head != NULL ? state->head->diff.pages : 0;
        all.snapshots = state->count - state->hidden;
        all.hidden = state->hidden;
        all.lost = state->lost;
        all.pages = (uint32_t)state->cow.pages + head_pages;
        all.page_size = state_size(state);
    }
    setti_copy_sized(stats, size, &all, sizeof(all));
}

/* Checks that the head has a copy of each page that was written after the head was taken. Adds the
 * number of these pages to *saved. Returns the error, or NULL. */
static const char* state_check_pages(const sett_world* world, const setti_pages* pages,
                                     uint32_t* saved)
{
    const setti_snapshot* head = setti_state_of(world)->head;
    for (uint32_t number = 0; number < pages->count; number++) {
        uint32_t entry = *setti_pages_entry(pages, number);
        if (pages->tick[number] > world->pool.tick ||
            *setti_pages_restored(pages, number) > world->pool.restored) {
            return "a page was written or restored later than now";
        }
        if (head == NULL || pages->tick[number] <= head->tick) {
            continue;
        }
        ++*saved;
        const setti_cow_entry* item = NULL;
        if (entry < head->diff.count) {
            item = &head->diff.item[entry];
        }
        if (item == NULL || item->pages != pages || item->number != number) {
            return "snapshot: a page that was written since has no copy";
        }
        bool lacks_live_page = item->kind == SETTI_COW_COPY && pages->data[number] == NULL;
        bool lacks_copy = item->data == NULL;
        if (lacks_live_page || lacks_copy != (item->kind == SETTI_COW_ABSENT)) {
            return "snapshot: the copy of a page is of another kind";
        }
    }
    return NULL;
}

static bool state_check_diff(const setti_diff* diff)
{
    size_t size = 0;
    uint32_t pages = 0;
    for (uint32_t k = 0; k < diff->count; k++) {
        if (diff->item[k].data != NULL) {
            size += diff->item[k].pages->size;
            pages++;
        }
    }
    return size == diff->size && pages == diff->pages;
}

static const char* state_check_tree(const setti_state* state)
{
    uint32_t count = 0;
    uint32_t hidden = 0;
    uint32_t children = 0;
    size_t others = 0;
    size_t pages = 0;
    for (const setti_snapshot* node = state->oldest; node != NULL; node = node->younger) {
        bool is_root = node->parent == NULL;
        if (is_root != (node == state->head) || !state_check_diff(&node->diff)) {
            return "snapshot: two are next to the live world, or a size is miscounted";
        }
        for (const setti_snapshot* snapshot = node->child; snapshot != NULL;
             snapshot = snapshot->sibling_next) {
            children += snapshot->parent == node;
        }
        count++;
        hidden += node->hidden;
        if (node != state->head) {
            others += node->diff.size;
            pages += node->diff.pages;
        }
    }
    bool same_counts = count == state->count && hidden == state->hidden;
    bool same_totals = others == state->cow.others && pages == state->cow.pages;
    if (!same_counts || !same_totals) {
        return "snapshot: the totals are miscounted";
    }
    if (children + 1 != count) { /* all snapshots except the head are children */
        return "snapshot: a child is missing in its parent's list";
    }
    return NULL;
}

SETTI_COLD static const char* state_validate(sett_world* world, const char** where)
{
    (void)where;
    const setti_state* state = setti_state_of(world);
    if (state == NULL || state->head == NULL) {
        return world->pool.cow_from == 0 ? NULL : "pages are copied although there is no snapshot";
    }
    const setti_snapshot* head = state->head;
    uint64_t cow_from = world->pool.cow_from;
    bool ticks_match = cow_from == head->tick + 1 && cow_from <= world->pool.tick;
    bool is_head = state->cow.diff == &head->diff && head->parent == NULL;
    if (!ticks_match || !is_head) {
        return "snapshot: pages are copied for another snapshot than the latest";
    }
    const char* reason = state_check_tree(state);
    if (reason != NULL) {
        return reason;
    }
    uint32_t saved = 0;
    for (const setti_root* root = world->roots; root != NULL; root = root->next) {
        for (uint32_t k = 0; k < 2; k++) {
            if (root->pages[k] != NULL) {
                reason = state_check_pages(world, root->pages[k], &saved);
            }
            if (reason != NULL) {
                return reason;
            }
        }
    }
    if (saved != head->diff.count) {
        return "snapshot: a page has two copies, or was not written";
    }
    return NULL;
}

setti_state* setti_state_get(sett_world* world, const char* call)
{
    static const setti_module_calls calls = {.slot = SETTI_SLOT_STATE, .validate = state_validate};
    if (setti_state_of(world) == NULL) {
        setti_state* state = setti_world_alloc(world, sizeof(*state), 16, call);
        if (state == NULL) {
            return NULL;
        }
        state->world = world;
        state->free_slot = SETTI_NONE;
        state->cow.end = state_end;
        state->cow.full = state_full;
        state->cow.each = state_each;
        world->module[SETTI_SLOT_STATE] = state;
        setti_world_add_calls(world, &calls);
        setti_cow_begin(&world->pool, &state->cow);
    }
    return setti_state_of(world);
}

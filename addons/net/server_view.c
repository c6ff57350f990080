/* server_view.c: what a client sees: a world with a part of the server's; see net_server.h.
 *
 * The workload: some ten clients to a thousand, each of which sees some hundred entities, of which
 * most change in each tick. The sight is merged with the list of the view's entities; both ascend
 * by handle. Entities out of sight are forgotten at once; of those that changed, the ones that
 * waited longest are copied, as many as a datagram takes, the rest waits.
 *
 * A delta has all that changed since the acknowledged tick: entities that were copied after it are
 * paid for already, so the budget of a tick is for what is left.
 *
 * Invariant:  the view = values that the client may have, some ticks old
 *             delta(base, view), applied to base = view */
#include "../argument.h"
#include "net_server.h"

#include <stdlib.h>

#define VIEW_FIRST 268435392u /* of the view's range, which it never uses: 2^28 - 64 */
#define VIEW_HEAD 20          /* bytes of a short delta of one type, without changes */
#define VIEW_COST 32          /* bytes that an entity takes, before that is known */
#define VIEW_RECORD 8         /* bytes that a short form of a type can have more, at most */
#define VIEW_LEFT_OUT 16u     /* ticks for which an entity waits for an acknowledgement to fit in */
#define VIEW_TRIM 64u         /* ticks from one trim of a view to the next */

/* ---------------------------------------------------------------------------------------- lists */

static uint64_t view_key(const view_entity* of)
{
    return (uint64_t)of->entity.index << 32 | of->entity.generation;
}

static bool view_reserve(view_list* list, uint32_t count)
{
    if (count > list->capacity) {
        uint32_t capacity = count + count / 2 + 16;
        view_entity* item = realloc(list->item, capacity * sizeof(*item));
        if (item == NULL) {
            return false;
        }
        list->item = item;
        list->capacity = capacity;
    }
    return true;
}

void sett_sight_add(sett_sight* sight, sett_entity entity, float priority)
{
    if (ARGUMENT_IS_NULL(sight) || !(priority > 0)) {
        return;
    }
    view_list* list = &sight->list;
    if (!view_reserve(list, list->count + 1)) {
        sight->failed = true;
        return;
    }
    list->item[list->count++] = (view_entity){.entity = entity, .priority = priority};
}

static int view_by_handle(const void* a, const void* b)
{
    const uint64_t x = view_key(a), y = view_key(b);
    return x < y ? -1 : x > y;
}

/* Ascending; most programs fill it that way. */
static void view_sort(view_list* list)
{
    bool ascends = true;
    for (uint32_t k = 1; k < list->count && ascends; k++) {
        ascends = view_key(&list->item[k - 1]) < view_key(&list->item[k]);
    }
    if (!ascends) {
        qsort(list->item, list->count, sizeof(*list->item), view_by_handle);
    }
}

/* Longest waiting first. */
static int view_by_waiting(const void* a, const void* b)
{
    const view_entity* x = *(view_entity* const*)a;
    const view_entity* y = *(view_entity* const*)b;
    if (x->waiting != y->waiting) {
        return x->waiting > y->waiting ? -1 : 1;
    }
    return view_by_handle(x, y);
}

/* ---------------------------------------------------------------------------------------- sight */

/* Without its components first: so no policy destroys or rejects anything. */
static bool view_forget(sett_world* view, sett_entity entity)
{
    return !sett_entity_valid(view, entity) || (sett_entity_clear(view, entity) == SETT_OK &&
                                                sett_entity_forget(view, entity) == SETT_OK);
}

/* Adds what is in sight to the merged list, with what the view knows of it. */
static void view_see(sett_server* s, const view_entity* seen, const view_entity* known)
{
    view_list* merged = &s->merged;
    view_entity* last = merged->count != 0 ? &merged->item[merged->count - 1] : NULL;
    if (last != NULL && view_key(last) == view_key(seen)) { /* added twice */
        last->priority = seen->priority > last->priority ? seen->priority : last->priority;
    } else if (sett_entity_valid(s->world, seen->entity)) {
        view_entity* item = &merged->item[merged->count++];
        *item = known != NULL ? *known : (view_entity){.entity = seen->entity};
        item->priority = seen->priority;
    }
}

/* Merges the sight with the list, and forgets what is out of sight. */
static bool view_merge(sett_server* s, server_client* c)
{
    const view_list* sight = &s->sight.list;
    const view_list* list = &c->list;
    uint32_t i = 0, k = 0;
    s->merged.count = 0;
    if (!view_reserve(&s->merged, sight->count + list->count)) {
        return false;
    }
    while (i < sight->count || k < list->count) {
        const uint64_t seen = i < sight->count ? view_key(&sight->item[i]) : UINT64_MAX;
        const uint64_t known = k < list->count ? view_key(&list->item[k]) : UINT64_MAX;
        if (seen <= known) {
            view_see(s, &sight->item[i++], seen == known ? &list->item[k] : NULL);
        }
        if (known <= seen) {
            const view_entity* gone = &list->item[k++];
            bool stays = known == seen && sett_entity_valid(s->world, gone->entity);
            if (!stays && !view_forget(c->view, gone->entity)) {
                return false;
            }
        }
    }
    const view_list swapped = c->list;
    c->list = s->merged;
    s->merged = swapped;
    return true;
}

static bool view_look(sett_server* s, server_client* c, uint32_t number)
{
    s->sight.list.count = 0;
    s->sight.failed = false;
    s->desc.see(&s->sight, s->world, number, s->desc.user);
    view_sort(&s->sight.list);
    return !s->sight.failed && view_merge(s, c);
}

/* --------------------------------------------------------------------------------------- choice */

/* Whether the view has another value of a type. Links are copied in any case. */
static bool view_differs(const sett_server* s, const server_client* c, const view_entity* of,
                         uint32_t k)
{
    const sett_component id = s->types.id[k], there = s->types.there[k];
    const bool has = sett_has(s->world, of->entity, id);
    if (s->types.size[k] == 0) {
        return has != sett_has(c->view, of->entity, there);
    }
    const void* seen = sett_find(c->view, of->entity, there); /* one look-up: it is a sparse set */
    if (has != (seen != NULL)) {
        return true;
    }
    if (!has || sett_changed_tick(s->world, of->entity, id) <= of->read) {
        return false;
    }
    return !s->types.plain[k] ||
           memcmp(sett_find(s->world, of->entity, id), seen, s->types.size[k]) != 0;
}

static bool view_is_due(const sett_server* s, const server_client* c, const view_entity* of)
{
    bool due = !of->held;
    for (uint32_t k = 0; k < s->types.count && !due; k++) {
        due = view_differs(s, c, of, k);
    }
    return due;
}

static bool view_reserve_due(sett_server* s, uint32_t count)
{
    if (count > s->due_capacity) {
        uint32_t capacity = count + count / 2 + 16;
        view_entity** due = realloc(s->due, capacity * sizeof(view_entity*));
        s->due = due != NULL ? due : s->due;
        sett_entity* entities = realloc(s->entities, capacity * sizeof(*entities));
        s->entities = entities != NULL ? entities : s->entities;
        if (due == NULL || entities == NULL) {
            return false;
        }
        s->due_capacity = capacity;
    }
    return true;
}

/* Lists what has to be copied, longest waiting first. Returns how many. */
static uint32_t view_list_due(sett_server* s, server_client* c)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < c->list.count; k++) {
        view_entity* of = &c->list.item[k];
        of->held = of->held && sett_entity_valid(c->view, of->entity);
        if (view_is_due(s, c, of)) {
            of->waiting += of->priority;
            s->due[count++] = of;
        }
    }
    qsort(s->due, count, sizeof(*s->due), view_by_waiting);
    return count;
}

/* Entities that are in the next delta anyway. */
static uint32_t view_unacknowledged(const server_client* c)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < c->list.count; k++) {
        count += c->list.item[k].sent > c->acked;
    }
    return count;
}

/* Bytes of a delta. A tenth stays free: entities that were sent can take some bytes more when
 * the client acknowledges a part of them. */
static uint32_t view_limit(const sett_server* s)
{
    return (s->desc.budget - SERVER_HEAD) / 10 * 9;
}

/* Returns how many of those that are due the datagram probably takes. */
static uint32_t view_choose(const sett_server* s, const server_client* c, uint32_t due)
{
    const uint32_t before = view_unacknowledged(c);
    float room = (float)view_limit(s) - VIEW_HEAD - c->cost * (float)before;
    uint32_t count = 0;
    while (count < due) {
        const float cost = s->due[count]->sent > c->acked ? 0 : c->cost;
        if (cost > room && (count > 0 || before > 0)) {
            break;
        }
        room -= cost;
        count++;
    }
    return count;
}

/* --------------------------------------------------------------------------------------- deltas */

/* Copies the first `count` that are due, and the links of all. */
static bool view_copy(sett_server* s, server_client* c, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        s->entities[k] = s->due[k]->entity;
    }
    sett_selection chosen = {.entities = s->entities,
                             .entity_count = count,
                             .types = s->types.id,
                             .type_count = s->types.count};
    if (count != 0 && sett_selection_copy(s->world, &chosen, 0, c->view) != SETT_OK) {
        return false;
    }
    if (s->types.relations != 0) { /* the other end may have come into sight */
        chosen.entity_count = 0;
        for (uint32_t k = 0; k < c->list.count; k++) {
            if (sett_entity_valid(c->view, c->list.item[k].entity)) {
                s->entities[chosen.entity_count++] = c->list.item[k].entity;
            }
        }
        chosen.types = s->types.relation;
        chosen.type_count = s->types.relations;
        if (sett_selection_copy(s->world, &chosen, 0, c->view) != SETT_OK) {
            return false;
        }
    }
    return sett_world_round(c->view) == SETT_OK;
}

static bool view_room(unsigned char** bytes, size_t* capacity, size_t size)
{
    if (size > *capacity) {
        unsigned char* grown = realloc(*bytes, size);
        if (grown == NULL) {
            return false;
        }
        *bytes = grown;
        *capacity = size;
    }
    return true;
}

static bool view_encode(sett_server* s, server_client* c, sett_snapshot after)
{
    sett_status status = SETT_STATUS_LIMIT;
    size_t size = SETT_NET_DATAGRAM;
    for (uint32_t again = 0; again < 2 && status == SETT_STATUS_LIMIT; again++) {
        if (!view_room(&s->whole, &s->whole_capacity, size)) {
            return false;
        }
        status = sett_delta_encode(c->view, c->base, after, s->whole, s->whole_capacity, &size);
    }
    return status == SETT_OK &&
           view_room(&s->out, &s->out_capacity, size + (size_t)VIEW_RECORD * s->types.count) &&
           sett_delta_shorten(c->view, s->table.bytes, s->table.size, s->whole, size, s->out,
                              s->out_capacity, &s->out_size) == SETT_OK;
}

/* Copies and encodes; fewer entities if the delta is too large. With `parts` one is enough. Makes a
 * snapshot of the view. *count: how many of those that are due it has. */
static bool view_make(sett_server* s, server_client* c, uint32_t* count, bool parts,
                      sett_snapshot* after)
{
    const uint32_t limit = view_limit(s);
    sett_snapshot before;
    if (sett_snapshot_take(c->view, &before) != SETT_OK) {
        return false;
    }
    for (;;) {
        if (!view_copy(s, c, *count) || sett_snapshot_take(c->view, after) != SETT_OK ||
            !view_encode(s, c, *after)) {
            return false;
        }
        if (s->out_size <= limit || *count == 0 || (parts && *count == 1)) {
            return sett_snapshot_drop(c->view, before) == SETT_OK;
        }
        const uint64_t fit = (uint64_t)*count * limit / s->out_size * 7 / 8;
        *count = fit < *count ? (uint32_t)fit : *count - 1;
        if (sett_snapshot_restore(c->view, before) != SETT_OK ||
            sett_snapshot_drop(c->view, *after) != SETT_OK) {
            return false;
        }
    }
}

static void view_note(sett_server* s, server_client* c, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        view_entity* of = s->due[k];
        of->held = true;
        of->waiting = 0;
        of->left_out = 0;
        of->read = s->world_tick;
        of->sent = s->tick;
    }
    const float units = (float)view_unacknowledged(c);
    if (units > 0) {
        c->cost += (((float)s->out_size - VIEW_HEAD) / units - c->cost) / 4;
    }
}

void setti_view_free_parts(server_client* c)
{
    free(c->parts.bytes);
    free(c->parts.sent_us);
    c->parts = (view_parts){.bytes = NULL};
}

static bool view_cut(sett_server* s, server_client* c)
{
    const size_t count = (s->out_size + SERVER_CHUNK - 1) / SERVER_CHUNK;
    if (count > UINT16_MAX) {
        return false;
    }
    c->parts = (view_parts){.bytes = malloc(s->out_size),
                            .size = (uint32_t)s->out_size,
                            .count = (uint32_t)count,
                            .tick = s->tick,
                            .base = c->acked,
                            .sent_us = calloc(count, sizeof(uint64_t))};
    if (c->parts.bytes == NULL || c->parts.sent_us == NULL) {
        setti_view_free_parts(c);
        return false;
    }
    memcpy(c->parts.bytes, s->out, s->out_size);
    return true;
}

/* Brings the view up to date, and makes the delta in s->out, or in c->parts. Returns false if
 * memory runs out, or the world's state cannot be sent. */
bool setti_view_update(sett_server* s, server_client* c, uint32_t number)
{
    sett_snapshot after;
    sett_failure none = {SETT_OK, ""};
    sett_world_swap_failure(c->view, &none); /* server_fail logs only what fails from here on */
    if (!view_look(s, c, number) || !view_reserve_due(s, c->list.count + 1)) {
        return false;
    }
    const uint32_t due = view_list_due(s, c);
    uint32_t count = view_choose(s, c, due);
    /* one that does not fit alone, or would have to wait too long for that */
    bool parts = view_unacknowledged(c) == 0;
    if (due != 0 && s->due[0]->left_out > VIEW_LEFT_OUT) {
        parts = true;
        count = 1;
    }
    if (!view_make(s, c, &count, parts, &after)) {
        return false;
    }
    if (due != 0 && count == 0) {
        s->due[0]->left_out++;
    }
    view_note(s, c, count);
    view_snapshot* kept = &c->kept[s->tick % SERVER_KEEP];
    if (kept->tick != 0) {
        (void)sett_snapshot_drop(c->view, kept->snapshot);
    }
    *kept = (view_snapshot){s->tick, after};
    c->stats.waiting = due - count;
    if ((s->tick + number) % VIEW_TRIM == 0) { /* frees what joining took */
        (void)sett_world_trim(c->view);
    }
    return s->out_size <= SERVER_CHUNK || view_cut(s, c);
}

/* ------------------------------------------------------------------------------ acknowledgement */

/* Returns false if the client cannot have that tick. */
bool setti_view_acknowledge(sett_server* s, server_client* c, uint64_t tick)
{
    view_snapshot* kept = &c->kept[tick % SERVER_KEEP];
    if (tick > s->tick) {
        return false;
    }
    if (tick <= c->acked || kept->tick != tick) {
        return true; /* an old one */
    }
    (void)sett_snapshot_drop(c->view, c->base);
    c->base = kept->snapshot;
    c->acked = tick;
    kept->tick = 0;
    for (uint32_t k = 0; k < SERVER_KEEP; k++) {
        if (c->kept[k].tick != 0 && c->kept[k].tick < tick) {
            (void)sett_snapshot_drop(c->view, c->kept[k].snapshot);
            c->kept[k].tick = 0;
        }
    }
    if (c->parts.bytes != NULL && c->parts.tick <= tick) {
        setti_view_free_parts(c);
    }
    return true;
}

bool setti_view_create(sett_server* s, server_client* c)
{
    c->view = setti_server_world(s->world, s->desc.register_types, &s->types, 0);
    c->cost = VIEW_COST;
    return c->view != NULL && sett_entity_set_range(c->view, VIEW_FIRST, 0) == SETT_OK &&
           sett_snapshot_take(c->view, &c->base) == SETT_OK;
}

void setti_view_free(server_client* c)
{
    setti_view_free_parts(c);
    free(c->list.item);
    (void)sett_world_destroy(c->view);
}

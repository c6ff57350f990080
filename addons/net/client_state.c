/* client_state.c: states that a client receives; see net_client.h.
 *
 * The workload: a state in each tick, of some hundred entities. It follows from one that the client
 * has acknowledged, so `received` goes back to that one first. The world gets what differs; the
 * client's own entities get all, and their inputs are played again. */
#include "net_client.h"

#include <stdio.h>
#include <stdlib.h>

/* -------------------------------------------------------------------------------------- lists */

static bool client_add(client_list* list, sett_entity entity)
{
    if (list->count == list->capacity) {
        uint32_t capacity = list->capacity * 2 + 64;
        sett_entity* item = realloc(list->item, capacity * sizeof(*item));
        if (item == NULL) {
            return false;
        }
        list->item = item;
        list->capacity = capacity;
    }
    list->item[list->count++] = entity;
    return true;
}

static bool client_list_alive(sett_client* c)
{
    uint32_t cursor = 0;
    bool done = true;
    c->alive.count = 0;
    for (;;) {
        sett_entity entity = sett_entity_next(c->received, &cursor);
        if (sett_is_null(entity) || !done) {
            return done;
        }
        done = client_add(&c->alive, entity);
    }
}

/* Lists the client's own entities, of those that are in the world. */
static bool client_list_own(sett_client* c)
{
    bool done = true;
    c->own.count = 0;
    for (uint32_t k = 0; k < c->alive.count && c->desc.own != NULL && done; k++) {
        if (sett_entity_valid(c->world, c->alive.item[k]) &&
            c->desc.own(c->world, c->alive.item[k], c->desc.user)) {
            done = client_add(&c->own, c->alive.item[k]);
        }
    }
    return done;
}

/* -------------------------------------------------------------------------------------- world */

/* Copies the components of the listed types; entities that are in `before` only end. */
static bool client_copy(sett_client* c, const client_list* list, const client_list* before,
                        uint64_t since)
{
    static const sett_entity none;
    const sett_selection selection = {.entities = list->item != NULL ? list->item : &none,
                                      .entity_count = list->count,
                                      .types = c->types.there,
                                      .type_count = c->types.count,
                                      .before = before->item,
                                      .before_count = before->count};
    return sett_selection_copy(c->received, &selection, since, c->world) == SETT_OK;
}

/* A sum over the values of the client's own entities. */
static uint64_t client_hash_own(sett_client* c)
{
    const sett_selection selection = {.entities = c->own.item,
                                      .entity_count = c->own.count,
                                      .types = c->types.id,
                                      .type_count = c->types.count};
    uint64_t sum = 0;
    if (c->own.count != 0) {
        (void)sett_selection_hash(c->world, &selection, false, &sum);
    }
    return sum;
}

/* Plays an input, if there is anything that it can move. */
void setti_client_predict(sett_client* c, uint64_t number)
{
    if (c->own.count != 0 && c->desc.predict != NULL) {
        c->desc.predict(c->world, c->input[number % SERVER_INPUTS], c->desc.user);
    }
}

/* The inputs that the server had not played, on top of its state. */
static void client_play_again(sett_client* c)
{
    const uint64_t held = c->newest < SERVER_INPUTS ? 0 : c->newest - SERVER_INPUTS;
    const uint64_t from = c->played > held ? c->played : held;
    for (uint64_t n = from + 1; n <= c->newest; n++) {
        setti_client_predict(c, n);
    }
}

static const char client_no_memory[] = "memory ran out - free some, and create a new client";

/* Brings the world to the received state, and the client's own entities to the present. */
static void client_show(sett_client* c)
{
    const uint64_t tick = sett_world_tick(c->received);
    sett_failure failure = {SETT_OK, ""}; /* the program's failure, while the client works */
    sett_world_swap_failure(c->world, &failure);
    bool done = client_list_alive(c) && client_list_own(c);
    const uint32_t predicted = c->own.count;
    const uint64_t before = client_hash_own(c);
    done = done && client_copy(c, &c->alive, &c->shown, c->copied) && client_list_own(c) &&
           (c->own.count == 0 || client_copy(c, &c->own, &c->own, 0));
    (void)sett_world_message(c->world);
    sett_world_swap_failure(c->world, &failure);
    if (!done) {
        const char* why = failure.message;
        setti_client_end(c, why[0] != '\0' ? why : client_no_memory);
        return;
    }
    c->copied = tick;
    (void)sett_world_advance_tick(c->received);
    const client_list shown = c->shown;
    c->shown = c->alive;
    c->alive = shown;
    if (!setti_client_sample(c)) {
        setti_client_end(c, client_no_memory);
        return;
    }
    client_play_again(c);
    c->stats.corrected += predicted == c->own.count && client_hash_own(c) != before;
    c->state = SETT_CLIENT_PLAYS;
}

/* ------------------------------------------------------------------------------------- states */

/* Returns the place of a state; CLIENT_STATES if it is not held. */
static uint32_t client_find(const sett_client* c, uint64_t tick)
{
    uint32_t k = 0;
    while (k < CLIENT_STATES && !(c->has[k] && c->have[k].tick == tick)) {
        k++;
    }
    return k;
}

/* The server goes on from `base`: it does not use earlier states any more. */
static void client_drop(sett_client* c, uint64_t base)
{
    for (uint32_t k = 0; k < CLIENT_STATES; k++) {
        if (c->has[k] && c->have[k].tick < base) {
            (void)sett_snapshot_drop(c->received, c->have[k].snapshot);
            c->has[k] = false;
        }
    }
}

/* A state that is not held is not acknowledged. */
static void client_hold(sett_client* c)
{
    uint32_t k = 0;
    while (k < CLIENT_STATES && c->has[k]) {
        k++;
    }
    if (k < CLIENT_STATES && sett_snapshot_take(c->received, &c->have[k].snapshot) == SETT_OK) {
        c->have[k].tick = c->tick;
        c->has[k] = true;
        c->acked = c->tick;
    }
}

/* Makes a delta whole, in c->whole. Of a few bytes it cannot be made large without end. */
static bool client_expand(sett_client* c, const unsigned char* bytes, size_t size, size_t* whole)
{
    if (sett_delta_expand(c->received, c->table.bytes, c->table.size, bytes, size, NULL, 0,
                          whole) != SETT_OK ||
        *whole > c->desc.state_limit + SETT_NET_DATAGRAM * 4) {
        return false;
    }
    if (*whole > c->whole_capacity) {
        unsigned char* grown = realloc(c->whole, *whole);
        if (grown == NULL) {
            return false;
        }
        c->whole = grown;
        c->whole_capacity = *whole;
    }
    return sett_delta_expand(c->received, c->table.bytes, c->table.size, bytes, size, c->whole,
                             *whole, whole) == SETT_OK;
}

static void client_apply(sett_client* c, uint64_t tick, uint64_t base, uint64_t played,
                         const unsigned char* bytes, size_t size)
{
    const uint32_t from = client_find(c, base);
    size_t whole;
    if (from == CLIENT_STATES || !client_expand(c, bytes, size, &whole) ||
        sett_snapshot_restore(c->received, c->have[from].snapshot) != SETT_OK ||
        sett_delta_apply(c->received, c->whole, whole) != SETT_OK) {
        c->stats.failed++;
        return;
    }
    client_drop(c, base);
    c->tick = tick;
    c->played = played > c->played && played <= c->newest ? played : c->played;
    c->stats.applied++;
    client_hold(c);
    client_show(c);
}

/* -------------------------------------------------------------------------------------- parts */

static void client_free_parts(sett_client* c)
{
    free(c->parts.bytes);
    free(c->parts.has);
    c->parts = (client_parts){.bytes = NULL};
}

static bool client_begin_parts(sett_client* c, uint64_t tick, uint64_t base, uint64_t played,
                               uint32_t count)
{
    client_free_parts(c);
    if ((size_t)count * SERVER_CHUNK > c->desc.state_limit) {
        char text[160];
        snprintf(text, sizeof(text),
                 "a state of the server has up to %llu bytes, and `state_limit` is %llu bytes - "
                 "raise it if you trust the server",
                 (unsigned long long)count * SERVER_CHUNK, (unsigned long long)c->desc.state_limit);
        setti_client_end(c, text);
        return false;
    }
    c->parts = (client_parts){.bytes = malloc((size_t)count * SERVER_CHUNK),
                              .has = calloc(count, sizeof(bool)),
                              .tick = tick,
                              .base = base,
                              .played = played,
                              .count = count};
    if (c->parts.bytes == NULL || c->parts.has == NULL) {
        client_free_parts(c);
        return false;
    }
    return true;
}

static void client_receive_part(sett_client* c, uint32_t part, const unsigned char* bytes,
                                uint32_t size)
{
    client_parts* parts = &c->parts;
    const bool last = part + 1 == parts->count;
    if (part >= parts->count || parts->has[part] || (!last && size != SERVER_CHUNK)) {
        return;
    }
    memcpy(parts->bytes + (size_t)part * SERVER_CHUNK, bytes, size);
    parts->has[part] = true;
    parts->arrived++;
    parts->size = last ? (size_t)part * SERVER_CHUNK + size : parts->size;
    while (parts->first < parts->count && parts->has[parts->first]) {
        parts->first++;
    }
    if (parts->arrived == parts->count) {
        const client_parts all = *parts;
        client_apply(c, all.tick, all.base, all.played, all.bytes, all.size);
        client_free_parts(c);
    }
}

void setti_client_receive_state(sett_client* c, packet* p)
{
    const uint64_t tick = packet_u32(p);
    const uint64_t base = packet_u32(p);
    const uint64_t played = packet_u32(p);
    const uint32_t stamp = packet_u32(p);
    const uint32_t held_ms = (uint32_t)packet_read(p, 2);
    const uint32_t part = (uint32_t)packet_read(p, 2);
    const uint32_t count = (uint32_t)packet_read(p, 2);
    const uint32_t size = p->size - p->at;
    if (p->bad || size == 0 || size > SERVER_CHUNK || tick <= base || part >= count) {
        c->stats.rejected++;
        return;
    }
    const uint64_t now = setti_client_now(c);
    const uint32_t took = (uint32_t)(now / 1000) - stamp - held_ms;
    c->heard_us = now;
    if (stamp != 0 && took < 10000) {
        c->stats.ping_us =
            c->stats.ping_us != 0 ? (c->stats.ping_us * 7 + took * 1000) / 8 : took * 1000;
    }
    if (tick <= c->tick) {
        c->stats.skipped++;
    } else if (count == 1) {
        client_apply(c, tick, base, played, p->bytes + p->at, size);
    } else if (tick >= c->parts.tick &&
               (c->parts.bytes != NULL && tick == c->parts.tick && count == c->parts.count
                    ? true
                    : client_begin_parts(c, tick, base, played, count))) {
        client_receive_part(c, part, p->bytes + p->at, size);
    }
}

/* --------------------------------------------------------------------------- beginning and end */

/* State 0 is empty. */
bool setti_client_begin(sett_client* c)
{
    c->received =
        setti_server_world(c->world, c->desc.register_types, &c->types, c->desc.first_own);
    if (c->received != NULL) {
        c->table = setti_server_table(c->received, &c->types);
    }
    c->has[0] = c->table.bytes != NULL;
    return c->has[0] && sett_snapshot_take(c->received, &c->have[0].snapshot) == SETT_OK;
}

void setti_client_free(sett_client* c)
{
    client_free_parts(c);
    setti_client_free_samples(c);
    free(c->table.bytes);
    free(c->whole);
    free(c->shown.item);
    free(c->alive.item);
    free(c->own.item);
    (void)sett_world_destroy(c->received);
}

/* order.c: declared orders of systems: "move" runs before "draw".
 *
 * The workload: some dozens of systems, at times thousands with generated names. So names are
 * hashed, and the entry of a name has the system and all orders about the name: no search visits
 * other systems.
 *
 *     names, by hash   | -> "move", its system, about it: { "draw" after it }, ...
 *
 * Invariant:  a name exists while a system or an order uses the name;  name->system->entry == name;
 *             an order is in the list of its system and in the list of its name
 */
#include "run/run.h"

static setti_system_name** order_bucket(const setti_run* run, uint64_t key)
{
    SETTI_ASSERT(run->name_capacity != 0 && (run->name_capacity & (run->name_capacity - 1)) == 0);
    return &run->names[(key >> 32) & (run->name_capacity - 1)];
}

SETTI_COLD setti_system_name* setti_order_find_name(const setti_run* run, const char* text)
{
    uint64_t key = setti_hash_bytes(text, strlen(text));
    setti_system_name* name = run->name_capacity != 0 ? *order_bucket(run, key) : NULL;
    while (name != NULL && (name->key != key || strcmp(name->text, text) != 0)) {
        name = name->next;
    }
    return name;
}

static void order_link_name(setti_run* run, setti_system_name* name)
{
    setti_system_name** bucket = order_bucket(run, name->key);
    name->next = *bucket;
    *bucket = name;
}

/* Reserves memory for one more name. Returns false if memory runs out. */
static bool order_reserve_name(sett_world* world)
{
    setti_run* run = setti_run_of(world);
    if (run->name_count < run->name_capacity) {
        return true;
    }
    uint32_t old_capacity = run->name_capacity;
    setti_system_name** old_names = run->names;
    uint32_t capacity = SETTI_MAX(old_capacity * 2, 16);
    size_t size = capacity * sizeof(setti_system_name*);
    setti_system_name** names = setti_pool_alloc_zero(&world->pool, size, 16);
    if (names == NULL) {
        return false;
    }
    run->names = names;
    run->name_capacity = capacity;
    for (uint32_t k = 0; k < old_capacity; k++) {
        setti_system_name* name = old_names[k];
        while (name != NULL) {
            setti_system_name* next = name->next;
            order_link_name(run, name);
            name = next;
        }
    }
    setti_pool_free(&world->pool, old_names, old_capacity * sizeof(setti_system_name*), 16);
    return true;
}

SETTI_COLD setti_system_name* setti_order_ensure_name(sett_world* world, const char* text)
{
    setti_system_name* name = setti_order_find_name(setti_run_of(world), text);
    if (name != NULL) {
        return name;
    }
    if (!order_reserve_name(world)) {
        return NULL;
    }
    size_t length = strlen(text);
    name = setti_pool_alloc_zero(&world->pool, sizeof(*name) + length + 1, 16);
    if (name != NULL) {
        memcpy(name->text, text, length);
        name->key = setti_hash_bytes(text, length);
        order_link_name(setti_run_of(world), name);
        setti_run_of(world)->name_count++;
    }
    return name;
}

void setti_order_release_name(sett_world* world, setti_system_name* name)
{
    SETTI_ASSERT(name->system == NULL || name->system->entry == name);
    if (name->system != NULL || name->about != NULL) {
        return;
    }
    setti_system_name** link = order_bucket(setti_run_of(world), name->key);
    SETTI_ASSERT(setti_run_of(world)->name_count != 0);
    while (*link != name) {
        SETTI_ASSERT(*link != NULL);
        link = &(*link)->next;
    }
    *link = name->next;
    setti_run_of(world)->name_count--;
    setti_pool_free(&world->pool, name, sizeof(*name) + strlen(name->text) + 1, 16);
}

bool setti_order_add(sett_system* system, const char* text, bool after)
{
    SETTI_ASSERT(text != NULL);
    sett_world* world = system->world;
    setti_system_name* name = setti_order_ensure_name(world, text);
    if (name == NULL) {
        return false;
    }
    setti_order* order = setti_pool_alloc(&world->pool, sizeof(*order), 16);
    if (order == NULL) {
        setti_order_release_name(world, name);
        return false;
    }
    *order = (setti_order){.system = system,
                           .name = name,
                           .next = system->orders,
                           .next_about = name->about,
                           .after = after};
    system->orders = order;
    if (name->about != NULL) {
        name->about->previous_about = order;
    }
    name->about = order;
    return true;
}

void setti_order_pop(sett_system* system)
{
    sett_world* world = system->world;
    setti_order* order = system->orders;
    SETTI_ASSERT(order != NULL && order->system == system);
    setti_system_name* name = order->name;
    system->orders = order->next;
    if (order->previous_about != NULL) {
        order->previous_about->next_about = order->next_about;
    } else {
        name->about = order->next_about;
    }
    if (order->next_about != NULL) {
        order->next_about->previous_about = order->previous_about;
    }
    setti_pool_free(&world->pool, order, sizeof(*order), 16);
    setti_order_release_name(world, name);
}

setti_order_walk setti_order_walk_begin(const sett_system* system, bool back)
{
    SETTI_ASSERT(system->entry != NULL && system->entry->system == system);
    setti_order_walk walk = {system->orders, system->entry->about, back};
    return walk;
}

sett_system* setti_order_walk_next(setti_order_walk* walk)
{
    while (walk->own != NULL) {
        const setti_order* order = walk->own;
        walk->own = order->next;
        bool is_earlier = order->after; /* the named system runs before the declaring system */
        if (is_earlier == walk->back && order->name->system != NULL) {
            return order->name->system;
        }
    }
    while (walk->about != NULL) {
        const setti_order* order = walk->about;
        walk->about = order->next_about;
        bool is_later = order->after; /* the declaring system runs after the named system */
        if (is_later != walk->back) {
            return order->system;
        }
    }
    return NULL;
}

bool setti_order_is_declared(const sett_system* first, const sett_system* then)
{
    SETTI_ASSERT(first != then);
    setti_order_walk walk = setti_order_walk_begin(then, SETTI_WALK_EARLIER);
    const sett_system* system = setti_order_walk_next(&walk);
    while (system != NULL && system != first) {
        system = setti_order_walk_next(&walk);
    }
    return system != NULL;
}

SETTI_COLD void setti_order_report_unknown(sett_world* world, const char* call)
{
    const setti_run* run = setti_run_of(world);
    for (const sett_system* system = run->systems; system != NULL; system = system->next) {
        for (setti_order* order = system->orders; order != NULL; order = order->next) {
            if (order->name->known || order->reported) {
                continue;
            }
            order->reported = true;
            setti_guess guess = setti_guess_begin(order->name->text, strlen(order->name->text));
            for (const sett_system* at = run->systems; at != NULL; at = at->next) {
                setti_guess_try(&guess, at->name);
            }
            setti_world_log(
                world, SETT_LOG_WARNING,
                "%s: system \"%.100s\" is to run %s \"%.100s\", but no system has this name%s",
                call, system->name, order->after ? "after" : "before", order->name->text,
                guess.found != NULL ? setti_guess_text(&guess)
                                    : " - correct the name, or create the system");
        }
    }
}

SETTI_COLD sett_status setti_order_check_phases(const sett_system* system, const char* call)
{
    sett_status status = SETT_OK;
    const sett_system* other;
    setti_order_walk before = setti_order_walk_begin(system, SETTI_WALK_EARLIER);
    while (status == SETT_OK && (other = setti_order_walk_next(&before)) != NULL) {
        status = setti_fixed_check_order(other, system, call);
    }
    setti_order_walk after = setti_order_walk_begin(system, SETTI_WALK_LATER);
    while (status == SETT_OK && (other = setti_order_walk_next(&after)) != NULL) {
        status = setti_fixed_check_order(system, other, call);
    }
    return status;
}

/* Writes a text before path + at, or its end if there is too little room. Returns the new begin. */
static size_t order_prepend(char* path, size_t at, const char* text)
{
    size_t length = strlen(text);
    size_t written = SETTI_MIN(length, at);
    memcpy(path + at - written, text + length - written, written);
    return at - written;
}

/* Reports a cycle: from `start` to `last`, and back to `start`. */
SETTI_COLD static sett_status order_fail_cycle(const sett_system* start, const sett_system* last,
                                               const char* call)
{
    char path[SETTI_MESSAGE_SIZE / 2];
    size_t at = sizeof(path) - 1;
    path[at] = '\0';
    at = order_prepend(path, at, start->name);
    for (const sett_system* from = last; from != start; from = from->walk_from) {
        SETTI_ASSERT(from->walk_from != NULL);
        at = order_prepend(path, order_prepend(path, at, " -> "), from->name);
    }
    at = order_prepend(path, order_prepend(path, at, " -> "), start->name);
    return setti_world_fail_with(
        start->world, SETT_STATUS_CYCLE,
        "%s: systems wait for each other: %s%s - remove one of these orders", call,
        at == 0 ? "... " : "", path + at);
}

/* Joins a forward and a back walk from `start` to a cycle, by reversing links of the back walk.
 *     walk_from before:  start <- .. <- earlier     at -> .. -> last -> start
 *     walk_from after:   start <- .. <- earlier <-  at <- .. <- last
 * Returns `last`. */
static sett_system* order_join(const sett_system* start, sett_system* earlier, sett_system* system)
{
    while (system != start) {
        SETTI_ASSERT(system != NULL);
        sett_system* next = system->walk_from;
        system->walk_from = earlier;
        earlier = system;
        system = next;
    }
    return earlier;
}

/* Visits the first system of *todo, and adds its neighbours to *todo. Returns the last system of a
 * cycle, or NULL. */
static sett_system* order_step(sett_system* start, sett_system** todo, bool back)
{
    SETTI_ASSERT(*todo != NULL);
    setti_run* run = setti_run_of(start->world);
    uint64_t seen = back ? run->walks - 1 : run->walks;          /* number of this walk */
    uint64_t seen_by_other = back ? run->walks : run->walks - 1; /* number of the other walk */
    sett_system* from = *todo;
    *todo = from->walk_next;
    setti_order_walk walk = setti_order_walk_begin(from, back);
    sett_system* system;
    while ((system = setti_order_walk_next(&walk)) != NULL) {
        run->work++;
        if (system == start || system->walk_seen == seen_by_other) { /* the walks meet: a cycle */
            return back ? order_join(start, system, from) : order_join(start, from, system);
        }
        if (system->walk_seen != seen) {
            system->walk_seen = seen;
            system->walk_from = from;
            system->walk_next = *todo;
            *todo = system;
        }
    }
    return NULL;
}

/* Bidirectional search: a forward walk and a back walk take steps in turn. Without a cycle, one of
 * them runs out of systems. */
SETTI_COLD sett_status setti_order_check_cycle(sett_system* start, const char* call)
{
    setti_run* run = setti_run_of(start->world);
    sett_system* todo[2] = {start, start};
    run->walks += 2;
    start->walk_next = NULL;
    for (uint32_t back = 0; todo[back] != NULL; back ^= 1) { /* 0: forward, 1: back */
        const sett_system* last = order_step(start, &todo[back], back != 0);
        if (last != NULL) {
            return order_fail_cycle(start, last, call);
        }
    }
    return SETT_OK;
}

SETTI_COLD const char* setti_order_validate(const sett_world* world)
{
    const setti_run* run = setti_run_of(world);
    uint32_t names = 0;
    for (uint32_t k = 0; k < run->name_capacity; k++) {
        for (const setti_system_name* name = run->names[k]; name != NULL; name = name->next) {
            names++;
            if (order_bucket(run, name->key) != &run->names[k] ||
                (name->system == NULL && name->about == NULL)) {
                return "a name of systems is in the wrong place, or for nothing";
            }
            if (name->system != NULL && name->system->entry != name) {
                return "a name is of another system";
            }
        }
    }
    return names == run->name_count ? NULL : "names of systems are miscounted";
}

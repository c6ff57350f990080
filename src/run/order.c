/* order.c: declared orders of systems: "move" runs before "draw".
 *
 * The workload: some dozens of systems, at times thousands with generated names. So names are
 * hashed. The entry of a name has the system with the name, and all orders about the name. So no
 * search visits other systems.
 *
 *     names, by hash   | -> "move", its system, about it: { "draw" after it }, ...
 *
 * Invariant:  a name exists while a system or an order uses the name;  name->system->entry == name;
 *             an order is in the list of its system and in the list of its name
 */
#include "run/run.h"

/* Returns the bucket of a hash. The capacity is a power of two. */
static setti_system_name** order_bucket(const setti_run* run, uint64_t hash)
{
    SETTI_ASSERT(run->name_capacity != 0 && (run->name_capacity & (run->name_capacity - 1)) == 0);
    return &run->names[(hash >> 32) & (run->name_capacity - 1)]; /* upper half of the hash */
}

SETTI_COLD setti_system_name* setti_order_find_name(const setti_run* run, const char* text)
{
    if (run->name_capacity == 0) {
        return NULL;
    }
    uint64_t key = setti_hash_bytes(text, strlen(text));
    setti_system_name* name = *order_bucket(run, key);
    for (; name != NULL; name = name->next) {
        if (name->key == key && strcmp(name->text, text) == 0) {
            return name;
        }
    }
    return NULL;
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

/* Warns that an order names a system that does not exist. */
static void order_report_unknown(const setti_order* order, const char* call)
{
    sett_world* world = order->system->world;
    const char* text = order->name->text;
    setti_guess guess = setti_guess_begin(text, strlen(text));
    const sett_system* system = setti_run_of(world)->systems;
    for (; system != NULL; system = system->next) {
        setti_guess_try(&guess, system->name);
    }
    const char* remedy = " - correct the name, or create the system";
    if (guess.found != NULL) {
        remedy = setti_guess_text(&guess);
    }
    setti_world_log(world, SETT_LOG_WARNING,
                    "%s: system \"%.100s\" is to run %s \"%.100s\", but no system has this name%s",
                    call, order->system->name, order->after ? "after" : "before", text, remedy);
}

SETTI_COLD void setti_order_report_unknown(sett_world* world, const char* call)
{
    const setti_run* run = setti_run_of(world);
    for (const sett_system* system = run->systems; system != NULL; system = system->next) {
        for (setti_order* order = system->orders; order != NULL; order = order->next) {
            if (!order->name->known && !order->reported) {
                order->reported = true;
                order_report_unknown(order, call);
            }
        }
    }
}

SETTI_COLD sett_status setti_order_check_phases(const sett_system* system, const char* call)
{
    const sett_system* other;
    setti_order_walk earlier = setti_order_walk_begin(system, SETTI_WALK_EARLIER);
    while ((other = setti_order_walk_next(&earlier)) != NULL) {
        sett_status status = setti_fixed_check_order(other, system, call);
        if (status != SETT_OK) {
            return status;
        }
    }
    setti_order_walk later = setti_order_walk_begin(system, SETTI_WALK_LATER);
    while ((other = setti_order_walk_next(&later)) != NULL) {
        sett_status status = setti_fixed_check_order(system, other, call);
        if (status != SETT_OK) {
            return status;
        }
    }
    return SETT_OK;
}

/* Writes `text` in front of path + begin. If there is too little room, writes only the end of
 * `text`. Returns the new begin. */
static size_t order_prepend(char* path, size_t begin, const char* text)
{
    size_t length = strlen(text);
    size_t written = SETTI_MIN(length, begin);
    memcpy(path + begin - written, text + length - written, written);
    return begin - written;
}

/* Reports a cycle. The cycle leads from `start` along walk_from to `last`, and back to `start`. */
SETTI_COLD static sett_status order_fail_cycle(const sett_system* start, const sett_system* last,
                                               const char* call)
{
    char path[SETTI_MESSAGE_SIZE / 2];
    size_t begin = sizeof(path) - 1; /* the path is written from the end */
    path[begin] = '\0';
    begin = order_prepend(path, begin, start->name);
    for (const sett_system* system = last; system != start; system = system->walk_from) {
        SETTI_ASSERT(system->walk_from != NULL);
        begin = order_prepend(path, begin, " -> ");
        begin = order_prepend(path, begin, system->name);
    }
    begin = order_prepend(path, begin, " -> ");
    begin = order_prepend(path, begin, start->name);
    return setti_world_fail_with(
        start->world, SETT_STATUS_CYCLE,
        "%s: systems wait for each other: %s%s - remove one of these orders", call,
        begin == 0 ? "... " : "", path + begin);
}

/* Joins two walks from `start`, a forward walk and a back walk, to a cycle. Reverses the links of
 * the back walk, from `system` on:
 *     walk_from before:  start <- .. <- earlier     system -> .. -> last -> start
 *     walk_from after:   start <- .. <- earlier <-  system <- .. <- last
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

/* One step of a forward walk or of a back walk from `start`. Visits the first system of *todo, and
 * adds the neighbours of the system to *todo. If the two
 * walks meet, joins them to a cycle, and returns the last system of the cycle. Otherwise returns
 * NULL.
 *   back  the step belongs to the back walk */
static sett_system* order_step(sett_system* start, sett_system** todo, bool back)
{
    SETTI_ASSERT(*todo != NULL);
    setti_run* run = setti_run_of(start->world);
    uint64_t forward_number = run->walks;
    uint64_t back_number = run->walks - 1;
    uint64_t own_number = back ? back_number : forward_number;
    uint64_t other_number = back ? forward_number : back_number;
    sett_system* visited = *todo;
    *todo = visited->walk_next;
    setti_order_walk walk = setti_order_walk_begin(visited, back);
    sett_system* system;
    while ((system = setti_order_walk_next(&walk)) != NULL) {
        run->work++;
        if (system == start || system->walk_seen == other_number) { /* the walks meet: a cycle */
            if (back) {
                return order_join(start, system, visited);
            }
            return order_join(start, visited, system);
        }
        if (system->walk_seen != own_number) {
            system->walk_seen = own_number;
            system->walk_from = visited;
            system->walk_next = *todo;
            *todo = system;
        }
    }
    return NULL;
}

/* Searches in both directions: a forward walk and a back walk from `start` take steps in turn. If
 * there is no cycle, one of the walks runs out of systems. */
SETTI_COLD sett_status setti_order_check_cycle(sett_system* start, const char* call)
{
    setti_run* run = setti_run_of(start->world);
    sett_system* todo[2] = {start, start};
    run->walks += 2; /* a new number for each walk */
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
            bool is_used = name->system != NULL || name->about != NULL;
            if (!is_used || order_bucket(run, name->key) != &run->names[k]) {
                return "a name of systems is in the wrong place, or for nothing";
            }
            if (name->system != NULL && name->system->entry != name) {
                return "a name is of another system";
            }
        }
    }
    return names == run->name_count ? NULL : "names of systems are miscounted";
}

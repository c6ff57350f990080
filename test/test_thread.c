/* test_thread.c: threads. The pool does each item once; a simulation ends in the same state, bit by
 * bit, whichever thread runs its jobs, in whatever order and however late; what may be called from
 * systems that run side by side can be. Meant for the thread sanitizer as much as for its own
 * checks (tools/test.sh tsan). */
#include "chance.h"
#include "sett/threads.h"
#include "worlds.h"

#include "base/platform.h"
#include "world/world.h"

#include <stdatomic.h>

/* ---- The pool -------------------------------------------------------------------------------- */

#define ITEMS 5000

typedef struct tally {
    uint8_t done[ITEMS];
    uint32_t least; /* items that a range has to have, but the last */
    uint32_t count;
    atomic_uint ranges;
} tally;

static void tally_task(uint32_t begin, uint32_t end, void* context)
{
    tally* t = context;
    CHECK(begin < end && end <= t->count);
    CHECK(end - begin >= t->least || end == t->count);
    for (uint32_t k = begin; k < end; k++) {
        t->done[k]++;
    }
    atomic_fetch_add(&t->ranges, 1);
}

static void tally_run(sett_threads* threads, uint32_t count, uint32_t least)
{
    static tally t;
    memset(&t, 0, sizeof(t));
    t.count = count;
    t.least = least;
    sett_tasks tasks = sett_threads_tasks(threads);
    void* handle = tasks.enqueue(tally_task, count, least, &t, tasks.user);
    if (handle != NULL) {
        tasks.finish(handle, tasks.user);
    }
    for (uint32_t k = 0; k < count; k++) {
        CHECK_EQ(t.done[k], 1);
    }
    CHECK(atomic_load(&t.ranges) >= 1);
}

static void each_item_is_done_once(void)
{
    for (uint32_t workers = 1; workers <= 8; workers++) {
        sett_threads* threads = sett_threads_create(workers, NULL);
        CHECK(threads != NULL);
        CHECK_EQ(sett_threads_count(threads), workers);
        for (uint32_t round = 1; round < 200; round++) {
            tally_run(threads, 1 + round * 37 % 200, 1);
        }
        tally_run(threads, ITEMS, 1);
        tally_run(threads, ITEMS, 64);
        tally_run(threads, ITEMS, ITEMS * 2);
        sett_threads_destroy(threads);
    }
    sett_threads_destroy(NULL);
    sett_threads* threads = sett_threads_create(0, NULL);
    CHECK(threads != NULL && sett_threads_count(threads) >= 1);
    tally_run(threads, 100, 1);
    sett_threads_destroy(threads);
}

typedef struct nested {
    sett_tasks tasks;
    atomic_uint done;
} nested;

static void nested_inner(uint32_t begin, uint32_t end, void* context)
{
    nested* n = context;
    atomic_fetch_add(&n->done, end - begin);
}

static void nested_outer(uint32_t begin, uint32_t end, void* context)
{
    nested* n = context;
    for (uint32_t k = begin; k < end; k++) { /* the pool is busy: done at once */
        CHECK(n->tasks.enqueue(nested_inner, 10, 1, n, n->tasks.user) == NULL);
    }
}

static void a_busy_pool_lets_others_work_themselves(void)
{
    sett_threads* threads = sett_threads_create(3, NULL);
    nested n = {.tasks = sett_threads_tasks(threads)};
    void* handle = n.tasks.enqueue(nested_outer, 50, 1, &n, n.tasks.user);
    CHECK(handle != NULL);
    CHECK_EQ(sett_threads_destroy(threads), SETT_STATUS_LOCKED); /* its task is not finished */
    n.tasks.finish(handle, n.tasks.user);
    CHECK_EQ(atomic_load(&n.done), 500);
    sett_threads_destroy(threads);
}

static void* no_memory(void* user, size_t size, size_t align)
{
    (void)user, (void)size, (void)align;
    return NULL;
}

static void no_memory_no_pool(void)
{
    CHECK(sett_threads_create(4, &(sett_allocator){.alloc_fn = no_memory}) == NULL);
}

/* ---- A simulation ---------------------------------------------------------------------------- */

typedef struct Place {
    float x, y;
} Place;

typedef struct Speed {
    float x, y;
} Speed;

typedef struct Health {
    int32_t points;
} Health;

typedef struct Target {
    sett_entity entity;
    uint32_t hits;
} Target;

typedef struct Badge {
    uint64_t number;
} Badge;

typedef struct town {
    sett_world* world;
    sett_component Place_id, Speed_id, Health_id, Target_id;
    sett_component Badge_id;  /* sparse-set */
    sett_component Marked_id; /* a tag */
    sett_query* everyone;
    uint32_t most;     /* entities that it is filled up to */
    bool delayed;      /* workers come late, now and then */
    atomic_uint calls; /* of anything, from anywhere */
} town;

static void come_late(sett_context* c)
{
    town* t = c->user;
    uint32_t call = atomic_fetch_add(&t->calls, 1);
    if (t->delayed && chance_of(call, setti_platform_now(), 3) % 4 == 0) {
        uint64_t until = setti_platform_now() + chance_of(call, 1, 2) % 200000;
        while (setti_platform_now() < until) {
            setti_lock_pause();
        }
    }
}

static void town_move(sett_context* c)
{
    come_late(c);
    SETT_SYSTEM_EACH(c, b) {
        Place* p = sett_batch_field(b, 0);
        const Speed* v = sett_batch_field(b, 1);
        SETT_EACH(b, i) {
            p[i].x += v[i].x;
            p[i].y += v[i].y;
        }
    }
}

static void town_age(sett_context* c)
{
    come_late(c);
    SETT_SYSTEM_EACH(c, b) {
        Health* h = sett_batch_field(b, 0);
        SETT_EACH(b, i) {
            h[i].points -= (int32_t)(chance_of(c->frame, sett_batch_index(b, i), 5) % 3);
        }
    }
}

/* Looks at others, and remembers one: a handle in a component. */
static void town_aim(sett_context* c)
{
    town* t = c->user;
    come_late(c);
    SETT_SYSTEM_EACH(c, b) {
        Target* target = sett_batch_field(b, 0);
        SETT_EACH(b, i) {
            uint32_t index = sett_batch_index(b, i);
            sett_entity other =
                sett_entity_at(c->world, chance_of(c->frame, index, 7) % (t->most + 1));
            const Place* p = sett_find(c->world, other, t->Place_id);
            if (p != NULL && p->x < p->y && sett_has(c->world, other, t->Health_id)) {
                target[i].entity = other;
            }
        }
    }
}

/* Writes to whomever: one job. */
static void town_shoot(sett_context* c)
{
    town* t = c->user;
    come_late(c);
    SETT_SYSTEM_EACH(c, b) {
        const Target* target = sett_batch_field(b, 0);
        SETT_EACH(b, i) {
            Health* h = sett_find_mut(c->world, target[i].entity, t->Health_id);
            if (h != NULL && chance_of(c->frame, sett_batch_index(b, i), 11) % 8 == 0) {
                h->points -= 5;
            }
        }
    }
}

static void town_end(sett_context* c)
{
    come_late(c);
    SETT_SYSTEM_EACH(c, b) {
        const Health* h = sett_batch_field(b, 0);
        SETT_EACH(b, i) {
            if (h[i].points <= 0) {
                CHECK_EQ(sett_cmd_destroy(c->commands, sett_batch_entity(b, i)), SETT_OK);
            }
        }
    }
}

/* New ones take aim at their maker, and are aimed at by it before they are. */
static void town_spawn(sett_context* c)
{
    town* t = c->user;
    come_late(c);
    if (sett_entity_count(c->world) > t->most - t->most / 8) {
        return;
    }
    SETT_SYSTEM_EACH(c, b) {
        Target* target = sett_batch_field(b, 0);
        const Place* place = sett_batch_field(b, 1);
        SETT_EACH(b, i) {
            sett_entity maker = sett_batch_entity(b, i);
            uint32_t dice = chance_of(c->frame, maker.index, 13);
            if (dice % 32 != 0) { /* a job never records more than a chunk takes */
                continue;
            }
            sett_entity made = sett_cmd_create(c->commands);
            CHECK(!sett_is_null(made));
            target[i].entity = made;
            target[i].hits++;
            Place at = {place[i].y, place[i].x};
            Speed v = {(float)(dice % 7) - 3, (float)(dice % 5) - 2};
            CHECK_EQ(sett_cmd_set(c->commands, made, t->Place_id, &at), SETT_OK);
            CHECK_EQ(sett_cmd_set(c->commands, made, t->Speed_id, &v), SETT_OK);
            CHECK_EQ(
                sett_cmd_set(c->commands, made, t->Health_id, &(Health){20 + (int32_t)(dice % 50)}),
                SETT_OK);
            CHECK_EQ(sett_cmd_set(c->commands, made, t->Target_id, &(Target){maker, 0}), SETT_OK);
        }
    }
}

static void town_badge(sett_context* c)
{
    town* t = c->user;
    come_late(c);
    SETT_SYSTEM_EACH(c, b) {
        const Health* h = sett_batch_field(b, 0);
        SETT_EACH(b, i) {
            sett_entity e = sett_batch_entity(b, i);
            uint32_t dice = chance_of(c->frame, e.index, 17) % 64;
            if (dice == 0) {
                Badge badge = {c->frame << 32 | (uint32_t)h[i].points};
                CHECK_EQ(sett_cmd_set(c->commands, e, t->Badge_id, &badge), SETT_OK);
            } else if (dice == 1) {
                CHECK_EQ(sett_cmd_remove(c->commands, e, t->Badge_id), SETT_OK);
            } else if (dice == 2) {
                CHECK_EQ(sett_cmd_add(c->commands, e, t->Marked_id), SETT_OK);
            }
        }
    }
}

/* Gathers: a sparse-set type beside an array, and a loop over everyone within. */
static void town_count(sett_context* c)
{
    town* t = c->user;
    come_late(c);
    SETT_SYSTEM_EACH(c, b) {
        Badge* badge = sett_batch_field(b, 0);
        const Place* place = sett_batch_field(b, 1);
        uint32_t* order = sett_context_alloc(c, b->count * sizeof(uint32_t), 4);
        CHECK(order != NULL);
        uint32_t k = 0;
        SETT_EACH(b, i) {
            order[k++] = i;
        }
        while (k-- > 0) {
            badge[order[k]].number += (uint64_t)(int64_t)place[order[k]].x;
        }
        if (c->job == 0 && c->frame % 16 == 0) {
            sett_batch inner;
            uint32_t others = 0;
            CHECK(sett_context_query(c, t->everyone, &inner) != NULL);
            while (sett_batch_next(&inner)) {
                others += inner.count;
            }
            sett_batch_end(&inner);
            badge[order[0]].number += others;
        }
    }
}

static void town_begin(town* t, const sett_world_desc* desc, uint32_t most)
{
    memset(t, 0, sizeof(*t));
    t->most = most;
    t->world = sett_world_create(desc);
    CHECK(t->world != NULL);
    t->Place_id = SETT_REGISTER(t->world, Place);
    t->Speed_id = SETT_REGISTER(t->world, Speed);
    t->Health_id = SETT_REGISTER(t->world, Health);
    t->Target_id = SETT_REGISTER(t->world, Target);
    t->Badge_id = sett_component_register(
        t->world, &(sett_component_desc){SETT_TYPE(Badge), .storage = SETT_STORAGE_SPARSE_SET});
    t->Marked_id = sett_component_register(t->world, &(sett_component_desc){.name = "Marked"});
    for (uint32_t k = 0; k < most; k++) {
        sett_entity e = sett_entity_create(t->world);
        sett_set(t->world, e, t->Place_id, &(Place){(float)(k % 31), (float)(k % 17)});
        sett_set(t->world, e, t->Speed_id, &(Speed){(float)(k % 7) - 3, (float)(k % 5) - 2});
        sett_set(t->world, e, t->Health_id, &(Health){(int32_t)(k % 60)});
        sett_set(t->world, e, t->Target_id, &(Target){sett_null(), k});
        if (k % 9 == 0) {
            sett_set(t->world, e, t->Badge_id, &(Badge){k});
        }
    }
    sett_component Place_id = t->Place_id, Speed_id = t->Speed_id, Health_id = t->Health_id;
    sett_component Target_id = t->Target_id, Badge_id = t->Badge_id, Marked_id = t->Marked_id;
    t->everyone = sett_query_create(t->world, &(sett_query_desc){.terms = {SETT_IN(Place)}});
    sett_world* w = t->world;
    CHECK(SETT_SYSTEM(w, town_move, .user = t, .terms = {SETT_INOUT(Place), SETT_IN(Speed)}));
    CHECK(SETT_SYSTEM(w, town_age, .user = t, .terms = {SETT_INOUT(Health), SETT_WITHOUT(Marked)}));
    CHECK(SETT_SYSTEM(w, town_aim, .user = t, .access_any_in = {t->Place_id, t->Health_id},
                      .terms = {SETT_INOUT(Target)}));
    CHECK(SETT_SYSTEM(w, town_shoot, .user = t, .access_any_inout = {t->Health_id},
                      .terms = {SETT_IN(Target)}));
    CHECK(SETT_SYSTEM(w, town_spawn, .user = t, .phase = 1,
                      .terms = {SETT_INOUT(Target), SETT_IN(Place)}));
    CHECK(SETT_SYSTEM(w, town_badge, .user = t, .phase = 1, .terms = {SETT_IN(Health)}));
    CHECK(SETT_SYSTEM(w, town_end, .user = t, .phase = 1, .terms = {SETT_IN(Health)}));
    CHECK(SETT_SYSTEM(w, town_count, .user = t, .phase = 2, .access_any_in = {t->Place_id},
                      .terms = {SETT_INOUT(Badge), SETT_IN(Place)}));
}

static uint64_t hash_bytes(uint64_t hash, const void* bytes, size_t size)
{
    const unsigned char* at = bytes;
    for (size_t k = 0; k < size; k++) {
        hash = (hash ^ at[k]) * 0x100000001B3u;
    }
    return hash;
}

/* Everything: who lives where and has what, in which order rows lie, which slots come next. */
static uint64_t town_hash(const town* t)
{
    const sett_world* world = t->world;
    uint64_t hash = 0xCBF29CE484222325u;
    for (uint32_t index = 0; index < setti_entity_capacity(&world->entities); index++) {
        uint32_t generation = setti_entity_generation(&world->entities, index);
        hash = hash_bytes(hash, &generation, sizeof(generation));
    }
    for (uint32_t k = 0; k < world->registered.count; k++) {
        const setti_storage* storage = &world->registered.item[k]->storage;
        uint32_t cursor = 0;
        hash = hash_bytes(hash, &storage->count, sizeof(storage->count));
        for (uint32_t index = setti_storage_next(storage, &cursor); index != SETTI_NONE;
             index = setti_storage_next(storage, &cursor)) {
            hash = hash_bytes(hash, &index, sizeof(index));
            if (storage->size != 0) {
                hash = hash_bytes(hash, setti_storage_find(storage, index), storage->size);
            }
        }
    }
    return hash;
}

static void town_frames(town* t, uint32_t frames)
{
    for (uint32_t k = 0; k < frames; k++) {
        CHECK_EQ(sett_progress(t->world, 0.125f), SETT_OK);
    }
}

static uint64_t town_finish(town* t)
{
    CHECK_VALID(t->world);
    uint64_t hash = town_hash(t);
    sett_world_destroy(t->world);
    return hash;
}

/* ---- Determinism ----------------------------------------------------------------------------- */

#define TOWN 9000
#define FRAMES 40

/* What 40 frames end in, with any compiler, on any number of threads. A change to the order of
 * loops (query/plan.c), of commands, or of what is created changes it; nothing else may. */
#define TOWN_HASH 0xEA89D7D4B665EFDEu

static uint64_t run_town(const sett_tasks* tasks, bool delayed, bool no_times)
{
    static town t;
    town_begin(&t, NULL, TOWN);
    t.delayed = delayed;
    sett_schedule_desc desc = {.no_times = no_times};
    if (tasks != NULL) {
        desc.tasks = *tasks;
    }
    CHECK_EQ(sett_schedule_configure(t.world, &desc), SETT_OK);
    town_frames(&t, FRAMES);
    CHECK(sett_entity_count(t.world) > TOWN / 2);
    CHECK(sett_component_count(t.world, t.Badge_id) > TOWN / 100);
    return town_finish(&t);
}

static void the_state_is_pinned(void)
{
    uint64_t hash = run_town(NULL, false, false);
    CHECK_MSG(hash == TOWN_HASH,
              "the hash is 0x%llX; write it down if an order was changed on purpose",
              (unsigned long long)hash);
}

static void the_number_of_workers_does_not_matter(void)
{
    static const uint32_t workers[] = {1, 2, 4, 8};
    uint64_t rounds = check_setting("SETT_ROUNDS", 2);
    for (uint64_t round = 0; round < rounds; round++) {
        for (uint32_t k = 0; k < 4; k++) {
            sett_threads* threads = sett_threads_create(workers[k], NULL);
            sett_tasks tasks = sett_threads_tasks(threads);
            CHECK_EQ(run_town(&tasks, round % 2 == 1, true), TOWN_HASH);
            sett_threads_destroy(threads);
        }
    }
}

/* A job system of one's own: each item by itself, last to first, on this thread. */
static void* backwards(sett_task_fn task, uint32_t count, uint32_t min_range, void* context,
                       void* user)
{
    (void)min_range;
    ++*(uint32_t*)user;
    for (uint32_t k = count; k-- > 0;) {
        task(k, k + 1, context);
    }
    return NULL;
}

static void not_needed(void* handle, void* user)
{
    (void)user;
    CHECK_MSG(false, "finish of %p", handle);
}

static void the_order_of_jobs_does_not_matter(void)
{
    uint32_t tasks = 0;
    sett_tasks own = {backwards, not_needed, &tasks};
    CHECK_EQ(run_town(&own, false, true), TOWN_HASH);
    CHECK(tasks > FRAMES * 2);
    /* Short stages stay here. */
    uint32_t few = 0;
    own.user = &few;
    CHECK_EQ(run_town(&own, false, false), TOWN_HASH);
    CHECK(few <= tasks);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

typedef struct limited {
    atomic_bool closed;
    atomic_uint_least64_t held;
    atomic_uint rejected;
} limited;

static void* limited_alloc(void* user, size_t size, size_t align)
{
    limited* memory = user;
    if (atomic_load(&memory->closed)) {
        atomic_fetch_add(&memory->rejected, 1);
        return NULL;
    }
    align = align < sizeof(void*) ? sizeof(void*) : align;
    void* fresh = aligned_alloc(align, (size + align - 1) & ~(align - 1));
    CHECK(fresh != NULL);
    atomic_fetch_add(&memory->held, size);
    return fresh;
}

static void limited_free(void* user, void* address, size_t size, size_t align)
{
    limited* memory = user;
    (void)align;
    atomic_fetch_sub(&memory->held, size);
    free(address);
}

static void the_steady_state_allocates_nothing(void)
{
    static limited memory;
    static town t;
    memset(&memory, 0, sizeof(memory));
    for (uint32_t workers = 1; workers <= 4; workers += 3) {
        sett_threads* threads = sett_threads_create(workers, NULL);
        town_begin(&t,
                   &(sett_world_desc){.allocator = {limited_alloc, limited_free, &memory, NULL}},
                   4000);
        sett_schedule_desc desc = {.tasks = sett_threads_tasks(threads), .no_times = true};
        CHECK_EQ(sett_schedule_configure(t.world, &desc), SETT_OK);
        /* How far indices reach varies, and with it the number of jobs and the pages in use: their
         * maximum comes after 2,000 frames, with addresses of 32 bits after 3,000. */
        town_frames(&t, 5000);
        atomic_store(&memory.closed, true);
        town_frames(&t, 1000);
        CHECK_EQ(atomic_load(&memory.rejected), 0);
        atomic_store(&memory.closed, false);
        town_finish(&t);
        CHECK_EQ(atomic_load(&memory.held), 0);
        sett_threads_destroy(threads);
    }
}

/* ---- What may be called side by side --------------------------------------------------------- */

static void reads_everything(sett_context* c)
{
    town* t = c->user;
    sett_world* world = c->world;
    sett_component ids[16];
    uint64_t sum = 0;
    SETT_SYSTEM_EACH(c, b) {
        SETT_EACH(b, i) {
            sett_entity e = sett_batch_entity(b, i);
            sett_entity other = sett_entity_at(world, chance_of(e.index, 1, 2) % t->most);
            sum += sett_entity_valid(world, other);
            sum += sett_find(world, other, t->Place_id) != NULL;
            sum += sett_has(world, other, t->Badge_id);
            sum += sett_entity_components(world, other, ids, 16);
            sum += sett_changed_tick(world, other, t->Place_id) != 0;
            sum += sett_query_matches(t->everyone, other);
            sum += sett_batch_at(b, 0, i) != NULL;
        }
    }
    uint32_t cursor = 0;
    for (sett_entity e = sett_entity_next(world, &cursor); !sett_is_null(e);
         e = sett_entity_next(world, &cursor)) {
        sum += e.index;
    }
    sum += sett_entity_count(world) + sett_world_tick(world);
    sum += sett_component_count(world, t->Place_id) + sett_query_count(t->everyone);
    sum += sett_component_find(world, "Place") + sett_query_first(t->everyone).index;
    sum += strlen(sett_component_name(world, t->Place_id));
    sum += sett_world_error(world);
    sett_component_desc desc;
    sum += sett_component_describe(world, t->Place_id, &desc);
    sett_accessor places = sett_accessor_make(world, t->Place_id);
    sum += sett_accessor_find(&places, sett_entity_at(world, 0)) != NULL;
    sum += sett_is_null(sett_component_owner(world, t->Place_id, &sum));
    sum += strlen(sett_system_name(c->system)) + sett_system_is_enabled(c->system);
    sum += sett_system_find(world, "none") == NULL;
    /* And what it must not do is rejected, from any thread. */
    sum += sett_is_null(sett_entity_create(world));
    sum += sett_add(world, sett_query_first(t->everyone), t->Marked_id) == NULL;
    sett_batch batch;
    sum += sett_query_begin(t->everyone, &batch) == NULL;
    CHECK_EQ(sett_remove(world, sett_query_first(t->everyone), t->Place_id), SETT_STATUS_LOCKED);
    CHECK_EQ(sett_entity_destroy(world, sett_query_first(t->everyone)), SETT_STATUS_LOCKED);
    CHECK_EQ(sett_progress(world, 1), SETT_STATUS_LOCKED);
    atomic_fetch_add(&t->calls, sum != 0);
}

static void writes_its_own(sett_context* c)
{
    town* t = c->user;
    SETT_SYSTEM_EACH(c, b) {
        SETT_EACH(b, i) {
            sett_entity e = sett_batch_entity(b, i);
            ((Target*)sett_get_mut(c->world, e, t->Target_id))->hits++;
            CHECK(sett_set(c->world, e, t->Speed_id, &(Speed){1, 1}) != NULL);
        }
    }
}

static void readers_run_side_by_side(void)
{
    static town t;
    town_begin(&t, &(sett_world_desc){.log_fn = sett_log_silent}, 5000);
    sett_threads* threads = sett_threads_create(4, NULL);
    sett_schedule_desc desc = {.tasks = sett_threads_tasks(threads), .no_times = true};
    CHECK_EQ(sett_schedule_configure(t.world, &desc), SETT_OK);
    sett_component Place_id = t.Place_id, Health_id = t.Health_id;
    sett_system_desc system = {.name = "reads", .run = reads_everything, .user = &t, .phase = -5};
    system.terms[0] = (sett_term)SETT_IN(Place);
    CHECK(sett_system_create(t.world, &system) != NULL);
    system.name = "reads too";
    CHECK(sett_system_create(t.world, &system) != NULL);
    system.name = "writes";
    system.run = writes_its_own;
    system.terms[0] = (sett_term)SETT_IN(Health);
    system.access_inout[0] = t.Target_id;
    system.access_inout[1] = t.Speed_id;
    CHECK(sett_system_create(t.world, &system) != NULL);
    t.calls = 0;
    town_frames(&t, 3);
    CHECK(t.calls >= 3 * 2 * 5);
    CHECK_EQ(sett_world_error(t.world), SETT_STATUS_LOCKED); /* the last one of the last job */
    CHECK_MSG(strstr(sett_world_message(t.world), "sett_progress: ") != NULL, "%s",
              sett_world_message(t.world));
    town_finish(&t);
    sett_threads_destroy(threads);
}

/* Fails in each job, and otherwise in the last one. */
static void changes_structure(sett_context* c)
{
    SETT_SYSTEM_FOR(c, b, i) {
        sett_entity e = sett_batch_entity(b, i);
        if (e.index % 100 == 7) {
            CHECK(e.index < 4800 ? sett_is_null(sett_entity_create(c->world))
                                 : sett_entity_clear(c->world, e) == SETT_STATUS_LOCKED);
        }
    }
}

static void failures_of_jobs_are_the_worlds(void)
{
    char messages[2][512];
    for (uint32_t k = 0; k < 2; k++) {
        static town t;
        town_begin(&t, &(sett_world_desc){.log_fn = sett_log_silent}, 5000);
        sett_threads* threads = sett_threads_create(k == 0 ? 1 : 4, NULL);
        sett_schedule_desc desc = {.tasks = sett_threads_tasks(threads), .no_times = true};
        CHECK_EQ(sett_schedule_configure(t.world, &desc), SETT_OK);
        sett_component Place_id = t.Place_id;
        sett_system* system =
            SETT_SYSTEM(t.world, changes_structure, .phase = -5, .terms = {SETT_IN(Place)});
        CHECK(system != NULL);
        CHECK_EQ(sett_progress(t.world, 1), SETT_OK);
        CHECK_EQ(sett_world_error(t.world), SETT_STATUS_LOCKED);
        snprintf(messages[k], sizeof(messages[k]), "%s", sett_world_message(t.world));
        sett_system_enable(system, false);
        CHECK_EQ(sett_progress(t.world, 1), SETT_OK);
        CHECK_STR_EQ(sett_world_message(t.world), messages[k]); /* it stays, as any failure */
        town_finish(&t);
        sett_threads_destroy(threads);
    }
    CHECK_MSG(strstr(messages[0], "sett_entity_clear: ") != NULL, "%s", messages[0]);
    CHECK_STR_EQ(messages[0], messages[1]);
}

typedef struct neighbour {
    town t;
    sett_tasks tasks;
    uint64_t hash;
} neighbour;

static void neighbour_body(void* user)
{
    neighbour* n = user;
    town_begin(&n->t, NULL, TOWN);
    sett_schedule_desc desc = {.tasks = n->tasks, .no_times = true};
    CHECK_EQ(sett_schedule_configure(n->t.world, &desc), SETT_OK);
    town_frames(&n->t, FRAMES);
    n->hash = town_finish(&n->t);
}

static void two_worlds_share_a_pool(void)
{
    static neighbour n[2];
    sett_threads* threads = sett_threads_create(3, NULL);
    setti_thread thread[2];
    for (uint32_t k = 0; k < 2; k++) {
        n[k].tasks = sett_threads_tasks(threads);
        thread[k].body = neighbour_body;
        thread[k].user = &n[k];
        CHECK(setti_thread_start(&thread[k]));
    }
    for (uint32_t k = 0; k < 2; k++) {
        setti_thread_join(&thread[k]);
        CHECK_EQ(n[k].hash, TOWN_HASH);
    }
    sett_threads_destroy(threads);
}

/* ---- The guard ------------------------------------------------------------------------------- */

#define WATCHED 4 /* systems, and workers */

typedef struct watch {
    sett_component own[WATCHED];   /* which the k-th system declares to write */
    sett_component other[WATCHED]; /* and which it writes without saying so */
    sett_component common;         /* which all read without saying so */
    sett_component rare;           /* which the first reads in one row only */
    setti_lock lock;
    uint32_t lines;
    uint32_t lists; /* suggested */
    char log[8000];
} watch;

static void watch_log(void* user, sett_log_level level, const char* message)
{
    watch* w = user;
    setti_lock_take(&w->lock);
    CHECK(strlen(w->log) + strlen(message) + 2 < sizeof(w->log));
    strcat(w->log, message);
    strcat(w->log, "\n");
    w->lines += level == SETT_LOG_ERROR;
    w->lists += level == SETT_LOG_WARNING;
    setti_lock_release(&w->lock);
}

static void watch_run(sett_context* c)
{
    const watch* w = c->user;
    uint32_t number = (uint32_t)(sett_system_name(c->system)[0] - '0');
    SETT_SYSTEM_EACH(c, b) {
        SETT_EACH(b, i) {
            sett_entity e = sett_batch_entity(b, i);
            CHECK(sett_get_mut(c->world, e, w->own[number]) != NULL);
            CHECK(sett_get_mut(c->world, e, w->other[number]) != NULL);
            CHECK(sett_has(c->world, e, w->common));
            CHECK(sett_get(c->world, e, w->common) != NULL);
            if (number == 0 && e.index == 9000) {
                CHECK(sett_get(c->world, e, w->rare) != NULL);
            }
        }
    }
}

static void watch_expect(const watch* w, uint32_t number, const char* what, const char* component)
{
    char line[100];
    snprintf(line, sizeof(line), "system \"%u\" %s \"%s\"", (unsigned)number, what, component);
    CHECK_MSG(strstr(w->log, line) != NULL, "%s is missing in:\n%s", line, w->log);
}

/* Undeclared accesses of a system are reported with its name, once, from any thread; those of
 * parallel systems with theirs. */
static void the_guard_watches_all_threads(void)
{
    static watch w;
    memset(&w, 0, sizeof(w));
    sett_world* world = sett_world_create(&(sett_world_desc){.log_fn = watch_log, .hook_user = &w});
    static const char* const own[WATCHED] = {"own 0", "own 1", "own 2", "own 3"};
    static const char* const other[WATCHED] = {"other 0", "other 1", "other 2", "other 3"};
    static const char* const names[WATCHED] = {"0", "1", "2", "3"};
    sett_component all[2 * WATCHED + 2];
    for (uint32_t k = 0; k < 2 * WATCHED; k++) {
        const char* name = k < WATCHED ? own[k] : other[k - WATCHED];
        all[k] = sett_component_register(world, &(sett_component_desc){.name = name, .size = 4});
    }
    memcpy(w.own, all, sizeof(w.own));
    memcpy(w.other, all + WATCHED, sizeof(w.other));
    w.common = sett_component_register(world, &(sett_component_desc){.name = "common", .size = 4});
    w.rare = sett_component_register(world, &(sett_component_desc){.name = "rare", .size = 4});
    all[2 * WATCHED] = w.common;
    all[2 * WATCHED + 1] = w.rare;
    CHECK_EQ(sett_entity_create_many(world, 12000, all, 2 * WATCHED + 2, NULL, NULL), SETT_OK);
    for (uint32_t k = 0; k < WATCHED; k++) {
        sett_system_desc desc = {.name = names[k], .run = watch_run, .user = &w};
        desc.terms[0] = (sett_term){.component = w.own[k]};
        CHECK(sett_system_create(world, &desc) != NULL);
    }
    sett_threads* threads = sett_threads_create(WATCHED, NULL);
    sett_schedule_desc schedule = {.tasks = sett_threads_tasks(threads), .no_times = true};
    schedule.guard = SETT_GUARD_OFF;
    CHECK_EQ(sett_schedule_configure(world, &schedule), SETT_OK);
    CHECK_EQ(sett_progress(world, 1), SETT_OK);
    CHECK_EQ(w.lines, 0);
    schedule.guard = SETT_GUARD_ON;
    CHECK_EQ(sett_schedule_configure(world, &schedule), SETT_OK);
    for (uint32_t frame = 0; frame < 3; frame++) {
        CHECK_EQ(sett_progress(world, 1), SETT_OK);
        CHECK_EQ(w.lines, 2 * WATCHED + 1);
    }
    for (uint32_t k = 0; k < WATCHED; k++) {
        watch_expect(&w, k, "writes", other[k]);
        watch_expect(&w, k, "reads", "common");
    }
    watch_expect(&w, 0, "reads", "rare");
    CHECK_EQ(w.lists, WATCHED);
    CHECK_EQ(world->hot_capacity, world->type_capacity);
    sett_world_destroy(world);
    sett_threads_destroy(threads);
}

typedef struct passer_by {
    sett_context* context;
    sett_entity entity;
} passer_by;

static void pass_by(void* user)
{
    const passer_by* p = user;
    /* Declared to be read only: in the system itself this would be reported. */
    CHECK(sett_get_mut(p->context->world, p->entity, 1) != NULL);
}

static void not_a_system(sett_context* c)
{
    passer_by p = {c, *(const sett_entity*)c->user};
    setti_thread thread = {.body = pass_by, .user = &p};
    CHECK(setti_thread_start(&thread));
    setti_thread_join(&thread);
}

/* Accesses of a thread that runs no job of this world are not reported. */
static void the_guard_passes_over_other_threads(void)
{
    static watch w;
    memset(&w, 0, sizeof(w));
    sett_world* world = sett_world_create(&(sett_world_desc){.log_fn = watch_log, .hook_user = &w});
    sett_component id =
        sett_component_register(world, &(sett_component_desc){.name = "A", .size = 4});
    sett_entity e = sett_entity_create(world);
    sett_add(world, e, id);
    sett_system_desc desc = {.name = "0", .run = not_a_system, .user = &e};
    desc.access_any_in[0] = id;
    CHECK(sett_system_create(world, &desc) != NULL);
    sett_schedule_configure(world, &(sett_schedule_desc){.guard = SETT_GUARD_ON});
    CHECK_EQ(sett_progress(world, 1), SETT_OK);
    CHECK_EQ(w.lines, 0);
    sett_world_destroy(world);
}

/* ---- The wrong order ------------------------------------------------------------------------- */

static void outlive_note(void* user, sett_log_level level, const char* message)
{
    (void)level;
    *(uint32_t*)user += strstr(message, "the thread pool was destroyed before this world") != NULL;
}

static void outlive_run(sett_context* c)
{
    SETT_SYSTEM_EACH(c, b) {
        uint32_t* value = b->fields[0];
        SETT_EACH(b, i) {
            value[i]++;
        }
    }
}

static sett_world* outlive_world(sett_threads* threads, uint32_t* noted)
{
    sett_world* world =
        sett_world_create(&(sett_world_desc){.log_fn = outlive_note, .hook_user = noted});
    sett_component type =
        sett_component_register(world, &(sett_component_desc){.name = "T", .size = 4});
    CHECK_EQ(sett_entity_create_many(world, 5000, &type, 1, NULL, NULL), SETT_OK);
    CHECK(sett_system_create(world, &(sett_system_desc){.name = "count",
                                                        .run = outlive_run,
                                                        .terms = {{.component = type}}}) != NULL);
    sett_schedule_desc desc = {.tasks = sett_threads_tasks(threads), .no_times = true};
    CHECK_EQ(sett_schedule_configure(world, &desc), SETT_OK);
    CHECK_EQ(sett_schedule_configure(world, &desc), SETT_OK); /* counts once */
    CHECK_EQ(sett_progress(world, 1), SETT_OK);
    CHECK_EQ(*noted, 0);
    return world;
}

static void a_world_survives_its_pool(void)
{
    sett_threads* threads = sett_threads_create(3, NULL);
    uint32_t noted[2] = {0, 0};
    sett_world* world[2] = {outlive_world(threads, &noted[0]), outlive_world(threads, &noted[1])};
    CHECK_EQ(sett_threads_destroy(threads), SETT_OK);
    for (uint32_t k = 0; k < 2; k++) {
        CHECK_EQ(sett_progress(world[k], 1), SETT_OK);
#if !defined(NDEBUG)
        CHECK_EQ(noted[k], 1);
#endif
    }
    CHECK_EQ(sett_schedule_configure(world[0], &(sett_schedule_desc){.no_times = true}), SETT_OK);
    noted[0] = 0;
    CHECK_EQ(sett_progress(world[0], 1), SETT_OK);
    CHECK_EQ(noted[0], 0);
    CHECK_END(world[0]);
    CHECK_EQ(sett_progress(world[1], 1), SETT_OK); /* the pool is there as long as it is used */
    CHECK_END(world[1]);
}

TEST_MAIN(TEST(each_item_is_done_once), TEST(a_busy_pool_lets_others_work_themselves),
          TEST(no_memory_no_pool), TEST(the_state_is_pinned),
          TEST(the_number_of_workers_does_not_matter), TEST(the_order_of_jobs_does_not_matter),
          TEST(the_steady_state_allocates_nothing), TEST(readers_run_side_by_side),
          TEST(failures_of_jobs_are_the_worlds), TEST(two_worlds_share_a_pool),
          TEST(a_world_survives_its_pool), TEST(the_guard_watches_all_threads),
          TEST(the_guard_passes_over_other_threads))

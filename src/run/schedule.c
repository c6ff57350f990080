/* schedule.c: computes the order of systems, and the systems that may run in parallel.
 *
 * The workload: some dozens of systems, at times thousands, created once. A frame computes the
 * schedule again if systems were created or destroyed, in O(n log n + orders and declarations). The
 * four steps:
 *
 *     1. Rank: the number of a system in the order of creation. If the system names others of the
 *        same phase in `before`, the rank is their lowest rank, unless the number is lower.
 *     2. Place: sort by section and phase. Then repeatedly place the system with the lowest rank.
 *        Of equal ranks, the system created first is placed first. A system waits until the systems
 *        are placed that are declared to run before it.
 *     3. Stage: 0 if the system waits for no system. Else 1 + the highest stage of the systems for
 *        which it waits: earlier systems in conflict, and systems declared to run before it.
 *     4. Sort by section, phase, stage, place. A loop of fixed steps (fixed.c) is a section, with
 *        all phases of the loop. Outside of these loops, each phase is a section.
 *
 *     sorted   | input | move  age | turn | draw |
 *     stages     0       1            2      3
 *
 * So a system with "after" waits, a system with "before" goes ahead, and other systems keep their
 * order.
 *
 * A heap does all three sorts. To compare all pairs of systems would take quadratic time. So each
 * component has a track of the latest systems that used the component (schedule_track).
 *
 * Invariant, once scheduled:  sorted has every system once, by section, phase, stage and place;
 *             stages divide `sorted` without gaps, where section, phase or stage changes;
 *             no two systems of a stage conflict or have a declared order
 */
#include "run/run.h"

static bool schedule_is_less(const sett_system* a, const sett_system* b)
{
    if (a->section != b->section) {
        return a->section < b->section;
    }
    if (a->key != b->key) {
        return a->key < b->key;
    }
    return a->tie < b->tie;
}

/* Adds a system to the heap. The system that sorts first is at the top. */
static void schedule_push(setti_run* run, sett_system* system)
{
    SETTI_ASSERT(run->heap_count < run->count);
    uint32_t hole = run->heap_count++; /* moves up to the place of `system` */
    while (hole != 0) {
        uint32_t parent = (hole - 1) / 2;
        if (!schedule_is_less(system, run->heap[parent])) {
            break;
        }
        run->heap[hole] = run->heap[parent];
        hole = parent;
        run->work++;
    }
    run->heap[hole] = system;
}

/* Takes the system that sorts first from the heap. */
static sett_system* schedule_pop(setti_run* run)
{
    SETTI_ASSERT(run->heap_count != 0);
    sett_system* first = run->heap[0];
    const uint32_t count = --run->heap_count;
    sett_system* last = run->heap[count];
    uint32_t hole = 0; /* moves down to the place of `last` */
    for (uint32_t child = 1; child < count; child = 2 * hole + 1) {
        if (child + 1 < count && schedule_is_less(run->heap[child + 1], run->heap[child])) {
            child++;
        }
        if (!schedule_is_less(run->heap[child], last)) {
            break;
        }
        run->heap[hole] = run->heap[child];
        hole = child;
        run->work++;
    }
    run->heap[hole] = last;
    return first;
}

/* Returns the upper half of a sort key: the phase as an unsigned number. */
static uint64_t schedule_phase(int phase)
{
    return (uint64_t)((uint32_t)phase ^ 0x80000000u) << 32; /* negative phases sort first */
}

/* Returns the sort key of a system: the phase, with `minor` as the lower half. */
static uint64_t schedule_key(const sett_system* system, uint32_t minor)
{
    return schedule_phase(system->desc.phase) | minor;
}

static bool schedule_is_same_phase(const sett_system* a, const sett_system* b)
{
    return a->section == b->section && a->desc.phase == b->desc.phase;
}

/* Sorts all systems by keys and ties. A system follows the systems that are declared to run before
 * it: Kahn's algorithm with a heap. */
static void schedule_sort(setti_run* run)
{
    run->heap_count = 0;
    run->sorted_count = 0;
    for (sett_system* system = run->systems; system != NULL; system = system->next) {
        setti_order_walk walk = setti_order_walk_begin(system, SETTI_WALK_EARLIER);
        system->waiting = 0;
        while (setti_order_walk_next(&walk) != NULL) {
            system->waiting++;
            run->work++;
        }
        if (system->waiting == 0) {
            schedule_push(run, system);
        }
    }
    while (run->heap_count != 0) {
        sett_system* first = schedule_pop(run);
        sett_system* then;
        setti_order_walk walk = setti_order_walk_begin(first, SETTI_WALK_LATER);
        run->sorted[run->sorted_count++] = first;
        while ((then = setti_order_walk_next(&walk)) != NULL) {
            SETTI_ASSERT(then->waiting != 0);
            if (--then->waiting == 0) {
                schedule_push(run, then);
            }
        }
    }
    SETTI_ASSERT(run->sorted_count == run->count); /* there are no cycles */
}

/* Sorts the systems by section, phase and creation. */
static void schedule_sort_created(setti_run* run)
{
    uint32_t number = 0;
    uint32_t loop_number = 1;
    for (setti_fixed* fixed = run->fixed; fixed != NULL; fixed = fixed->next) {
        fixed->number = loop_number++;
    }
    for (sett_system* system = run->systems; system != NULL; system = system->next) {
        system->tie = number++;
        system->section = schedule_phase(system->desc.phase);
        if (system->fixed != NULL) { /* sorts after the other systems of SETT_PHASE_FIXED */
            system->section = schedule_phase(SETT_PHASE_FIXED) | system->fixed->number;
        }
        system->key = schedule_key(system, 0); /* 0: `tie` sorts the systems of a phase */
    }
    schedule_sort(run);
}

/* Sets the lower half of each system's key to the rank. */
static void schedule_rank(setti_run* run)
{
    /* goes backwards: the systems that `system` names have ranks already */
    for (uint32_t k = run->sorted_count; k-- > 0;) {
        sett_system* system = run->sorted[k];
        uint32_t rank = system->tie;
        for (const setti_order* order = system->orders; order != NULL; order = order->next) {
            const sett_system* named = order->name->system;
            bool is_before_named = order->after == SETTI_ORDER_BEFORE && named != NULL;
            if (is_before_named && schedule_is_same_phase(named, system)) {
                rank = SETTI_MIN(rank, (uint32_t)named->key); /* the lower half: the rank */
            }
        }
        system->key = schedule_key(system, rank);
    }
}

/* The latest systems that use a component. */
typedef struct schedule_track {
    sett_system* toucher; /* reads or writes the component */
    sett_system* writer;
    sett_system* recorder; /* has the component in `records` */
} schedule_track;

/* The systems that a later system may have to wait for. */
typedef struct schedule_tracks {
    setti_hash_map slots;  /* component -> slot */
    schedule_track* track; /* tracks by slot */
    uint32_t count;
    uint32_t capacity;
    sett_system* any;       /* in the highest stage, of all systems with a function */
    sett_system* exclusive; /* in the highest stage, of all exclusive systems */
} schedule_tracks;

/* Returns the system in the higher stage: `a` or `b`. If both are in the same stage, returns the
 * system that is placed first. Ignores systems in another phase than `system`. `a` and `b` may be
 * NULL. */
static sett_system* schedule_later(sett_system* a, sett_system* b, const sett_system* system)
{
    if (b == NULL || !schedule_is_same_phase(b, system)) {
        return a;
    }
    if (a == NULL || !schedule_is_same_phase(a, system)) {
        return b;
    }
    if (a->stage != b->stage) {
        return a->stage > b->stage ? a : b;
    }
    return b->place < a->place ? b : a;
}

/* Creates a track for each declared component. Returns false if memory runs out. */
static bool schedule_tracks_init(sett_world* world, schedule_tracks* tracks)
{
    setti_pool* pool = &world->pool;
    memset(tracks, 0, sizeof(*tracks));
    for (const sett_system* system = setti_run_of(world)->systems; system != NULL;
         system = system->next) {
        tracks->capacity += system->access_count;
    }
    size_t size = tracks->capacity * sizeof(schedule_track);
    if (size == 0) {
        return true;
    }
    tracks->track = setti_pool_alloc_zero(pool, size, 16);
    if (tracks->track == NULL) {
        return false;
    }
    for (const sett_system* system = setti_run_of(world)->systems; system != NULL;
         system = system->next) {
        for (uint32_t k = 0; k < system->access_count; k++) {
            sett_component component = system->access[k].component;
            if (setti_hash_map_find(&tracks->slots, component) != SETTI_NONE) {
                continue;
            }
            SETTI_ASSERT(tracks->count < tracks->capacity);
            if (!setti_hash_map_set(pool, &tracks->slots, component, tracks->count)) {
                return false;
            }
            tracks->count++;
        }
    }
    return true;
}

static schedule_track* schedule_track_of(const schedule_tracks* tracks, sett_component component)
{
    uint32_t slot = setti_hash_map_find(&tracks->slots, component);
    SETTI_ASSERT(slot < tracks->count); /* each declared component has a slot */
    return &tracks->track[slot];
}

/* Returns the latest system in conflict with `system`, or NULL if there is none. */
static sett_system* schedule_find_conflict(setti_run* run, const schedule_tracks* tracks,
                                           const sett_system* system)
{
    if (system->desc.run == NULL) {
        return NULL;
    }
    if (system->exclusive) { /* conflicts with every system that has a function */
        return schedule_later(NULL, tracks->any, system);
    }
    sett_system* found = schedule_later(NULL, tracks->exclusive, system);
    for (uint32_t k = 0; k < system->access_count; k++) {
        const setti_access* access = &system->access[k];
        const schedule_track* track = schedule_track_of(tracks, access->component);
        run->work++;
        if ((access->flags & SETTI_ACCESS_WRITES) != 0) {
            found = schedule_later(found, track->toucher, system);
        } else if ((access->flags & SETTI_ACCESS_READS) != 0) {
            found = schedule_later(found, track->writer, system);
        }
    }
    return found;
}

/* Returns the latest system that records a component used by `system`, and sets *recorded to the
 * component. Returns NULL if there is no such system. */
static sett_system* schedule_find_recorder(const schedule_tracks* tracks, const sett_system* system,
                                           sett_component* recorded)
{
    sett_system* found = NULL;
    if (system->desc.run == NULL) {
        return NULL;
    }
    for (uint32_t k = 0; k < system->access_count; k++) {
        const setti_access* access = &system->access[k];
        sett_system* recorder = schedule_track_of(tracks, access->component)->recorder;
        if (access->flags == SETTI_ACCESS_RECORDS) {
            continue; /* the system only records the component, and does not use it */
        }
        sett_system* later = schedule_later(found, recorder, system);
        if (later != found) {
            found = later;
            *recorded = access->component;
        }
    }
    return found;
}

/* Notes a system in the tracks, for the systems that follow. */
static void schedule_track_system(schedule_tracks* tracks, sett_system* system)
{
    if (system->desc.run == NULL) {
        return;
    }
    tracks->any = schedule_later(tracks->any, system, system);
    if (system->exclusive) {
        tracks->exclusive = schedule_later(tracks->exclusive, system, system);
    }
    for (uint32_t k = 0; k < system->access_count; k++) {
        const setti_access* access = &system->access[k];
        schedule_track* track = schedule_track_of(tracks, access->component);
        if ((access->flags & SETTI_ACCESS_READS) != 0) {
            track->toucher = schedule_later(track->toucher, system, system);
        }
        if ((access->flags & SETTI_ACCESS_WRITES) != 0) {
            track->writer = schedule_later(track->writer, system, system);
        }
        if ((access->flags & SETTI_ACCESS_RECORDS) != 0) {
            track->recorder = schedule_later(track->recorder, system, system);
        }
    }
}

/* Sets waits_on to the component for which a system waits. Sets 0 if the system does not wait, or
 * waits because of a declared order or an exclusive system.
 *   recorded  the component that the system uses and an earlier system records, or 0 */
static void schedule_set_reason(sett_system* system, sett_component recorded)
{
    const sett_system* earlier = system->waits_for;
    system->waits_on = 0;
    if (earlier == NULL || setti_order_is_declared(earlier, system)) {
        return;
    }
    bool conflicts = setti_system_conflicts(earlier, system, &system->waits_on);
    if (!conflicts) {
        system->waits_on = recorded; /* waits until the commands are applied */
    }
}

/* Finds the stage of a system. The stages of earlier systems are known. */
static void schedule_find_stage(setti_run* run, schedule_tracks* tracks, sett_system* system)
{
    sett_system* waits_for = schedule_find_conflict(run, tracks, system);
    setti_order_walk walk = setti_order_walk_begin(system, SETTI_WALK_EARLIER);
    sett_system* earlier;
    while ((earlier = setti_order_walk_next(&walk)) != NULL) {
        waits_for = schedule_later(waits_for, earlier, system);
        run->work++;
    }
    sett_component recorded = 0; /* the component that `recorder` records */
    sett_system* recorder = schedule_find_recorder(tracks, system, &recorded);
    waits_for = schedule_later(waits_for, recorder, system);
    system->awaits_commands = recorder != NULL;
    system->waits_for = waits_for;
    system->stage = 0;
    if (waits_for != NULL) {
        system->stage = waits_for->stage + 1;
    }
    SETTI_ASSERT(waits_for == NULL || waits_for->stage < system->stage);
    schedule_set_reason(system, recorded);
    schedule_track_system(tracks, system);
}

/* Finds the stages of all systems. Returns false if memory runs out. */
static bool schedule_find_stages(sett_world* world)
{
    setti_run* run = setti_run_of(world);
    schedule_tracks tracks;
    bool has_tracks = schedule_tracks_init(world, &tracks);
    if (has_tracks) {
        for (uint32_t k = 0; k < run->sorted_count; k++) {
            schedule_find_stage(run, &tracks, run->sorted[k]);
        }
    }
    setti_hash_map_deinit(&world->pool, &tracks.slots);
    setti_pool_free(&world->pool, tracks.track, tracks.capacity * sizeof(schedule_track), 16);
    return has_tracks;
}

/* Sorts the systems by section, phase, stage and place. */
static void schedule_sort_stages(setti_run* run)
{
    for (uint32_t k = 0; k < run->sorted_count; k++) {
        sett_system* system = run->sorted[k];
        system->key = schedule_key(system, system->stage);
        system->tie = system->place;
        schedule_push(run, system);
    }
    for (uint32_t k = 0; k < run->sorted_count; k++) {
        run->sorted[k] = schedule_pop(run);
    }
}

/* Bytes for each system in the four arrays `sorted`, `heap`, `empty` and `stages`. */
#define SCHEDULE_SYSTEM_SIZE (3 * sizeof(void*) + sizeof(setti_stage))

/* Makes room for all systems. Returns false if memory runs out. */
static bool schedule_reserve_systems(setti_pool* pool, setti_run* run)
{
    if (run->count <= run->capacity) {
        return true;
    }
    uint32_t capacity = setti_bits_ceil(SETTI_MAX(run->count, 8));
    sett_system** sorted = setti_pool_alloc(pool, capacity * SCHEDULE_SYSTEM_SIZE, 16);
    if (sorted == NULL) {
        return false;
    }
    setti_pool_free(pool, run->sorted, run->capacity * SCHEDULE_SYSTEM_SIZE, 16);
    run->sorted = sorted; /* the other arrays follow in the same memory */
    run->heap = sorted + capacity;
    run->empty = (const setti_storage**)(void*)(sorted + 2 * capacity);
    run->stages = (setti_stage*)(void*)(sorted + 3 * capacity);
    run->capacity = capacity;
    return true;
}

/* Bytes for each job in the two arrays `slices` and `buffers`. */
#define SCHEDULE_JOB_SIZE (sizeof(setti_slice) + sizeof(sett_commands*))

/* Makes room for all jobs of all systems. Returns false if memory runs out. */
static bool schedule_reserve_slices(setti_pool* pool, setti_run* run)
{
    uint32_t jobs = 0;
    for (const sett_system* system = run->systems; system != NULL; system = system->next) {
        jobs += system->job_capacity;
    }
    if (jobs <= run->slice_capacity) {
        return true;
    }
    uint32_t capacity = setti_bits_ceil(jobs);
    setti_slice* slices = setti_pool_alloc(pool, capacity * SCHEDULE_JOB_SIZE, 64);
    if (slices == NULL) {
        return false;
    }
    setti_pool_free(pool, run->slices, run->slice_capacity * SCHEDULE_JOB_SIZE, 64);
    run->slices = slices; /* `buffers` follows in the same memory */
    run->buffers = (sett_commands**)(void*)(slices + capacity);
    run->slice_capacity = capacity;
    return true;
}

/* Whether a new stage begins between two neighbours in `sorted`. */
static bool schedule_is_cut(const sett_system* a, const sett_system* b)
{
    return !schedule_is_same_phase(a, b) || a->stage != b->stage;
}

/* Finds the stages of each fixed loop, and the loop's limit of steps in a frame. */
static void schedule_find_loops(setti_run* run)
{
    uint32_t stage = 0;
    /* skips the stages before the fixed loops; loops sort after SETT_PHASE_FIXED itself */
    while (stage < run->stage_count &&
           run->sorted[run->stages[stage].first]->section <= schedule_phase(SETT_PHASE_FIXED)) {
        stage++;
    }
    run->fixed_first = stage;
    for (setti_fixed* fixed = run->fixed; fixed != NULL; fixed = fixed->next) {
        fixed->first = stage;
        /* the limit of the schedule is for the loop with the schedule's step */
        fixed->most = fixed->step == run->fixed_step ? run->fixed_most : 0;
        while (stage < run->stage_count && run->sorted[run->stages[stage].first]->fixed == fixed) {
            stage++;
        }
        fixed->end = stage;
    }
    run->fixed_end = stage;
    for (const sett_system* system = run->systems; system != NULL; system = system->next) {
        if (system->fixed != NULL) {
            system->fixed->most = SETTI_MAX(system->fixed->most, system->desc.max_steps);
        }
    }
}

/* Divides the sorted systems into stages. */
static void schedule_cut(setti_run* run)
{
    SETTI_ASSERT(run->sorted_count == run->count);
    run->stage_count = 0;
    for (uint32_t k = 0; k < run->sorted_count; k++) {
        if (k == 0 || schedule_is_cut(run->sorted[k - 1], run->sorted[k])) {
            setti_stage* stage = &run->stages[run->stage_count++];
            stage->first = k;
            stage->count = 0;
            stage->exclusive = run->sorted[k]->exclusive;
            bool begins_phase =
                k == 0 || run->sorted[k - 1]->desc.phase != run->sorted[k]->desc.phase;
            stage->applies = stage->exclusive || begins_phase;
        }
        run->empty[k] = NULL; /* no empty storage is known yet */
        setti_stage* last = &run->stages[run->stage_count - 1];
        last->applies = last->applies || run->sorted[k]->awaits_commands;
        last->count++;
    }
    schedule_find_loops(run);
}

bool setti_schedule_update(sett_world* world)
{
    setti_run* run = setti_run_of(world);
    if (run->scheduled || world->busy) { /* the schedule does not change during a frame */
        return true;
    }
    if (!schedule_reserve_systems(&world->pool, run) ||
        !schedule_reserve_slices(&world->pool, run)) {
        return false;
    }
    schedule_sort_created(run);
    schedule_rank(run);
    schedule_sort(run);
    for (uint32_t k = 0; k < run->sorted_count; k++) {
        run->sorted[k]->place = k;
    }
    if (!schedule_find_stages(world)) {
        return false;
    }
    schedule_sort_stages(run);
    schedule_cut(run);
    run->scheduled = true;
    return true;
}

/* Whether two systems may be in the same stage, and run side by side. */
static bool schedule_may_share_stage(const sett_system* earlier, const sett_system* later)
{
    sett_component conflict;
    if (setti_system_conflicts(later, earlier, &conflict)) {
        return false;
    }
    return !setti_order_is_declared(earlier, later) && !schedule_is_cut(earlier, later);
}

/* Checks a stage. Returns NULL if the stage is valid. Otherwise returns what is wrong. */
static const char* schedule_validate_stage(const setti_run* run, const setti_stage* stage)
{
    for (uint32_t k = stage->first; k < stage->first + stage->count; k++) {
        const sett_system* system = run->sorted[k];
        if (k > 0 && setti_order_is_declared(system, run->sorted[k - 1])) {
            return "a system runs before one that it is after";
        }
        for (uint32_t j = stage->first; j < k; j++) {
            if (!schedule_may_share_stage(run->sorted[j], system)) {
                return "two systems of one stage may not run side by side";
            }
        }
    }
    return NULL;
}

/* Checks all stages. Returns NULL if they are valid. Otherwise returns what is wrong. */
static const char* schedule_validate_stages(const setti_run* run)
{
    uint32_t next = 0;
    for (uint32_t s = 0; s < run->stage_count; s++) {
        const setti_stage* stage = &run->stages[s];
        if (stage->first != next || stage->count == 0) {
            return "stages do not cut the sorted systems without gaps";
        }
        const char* wrong = schedule_validate_stage(run, stage);
        if (wrong != NULL) {
            return wrong;
        }
        next += stage->count;
    }
    if (next != run->count || run->sorted_count != next) {
        return "the schedule misses a system";
    }
    return NULL;
}

SETTI_COLD const char* setti_schedule_validate(const sett_world* world)
{
    const setti_run* run = setti_run_of(world);
    if (run->scheduled) {
        const char* wrong = schedule_validate_stages(run);
        if (wrong != NULL) {
            return wrong;
        }
    }
    uint32_t count = 0;
    for (const sett_system* system = run->systems; system != NULL; system = system->next) {
        count++;
        if (system->entry->system != system) {
            return "a system is not the one of its name";
        }
    }
    if (count != run->count) {
        return "systems are miscounted";
    }
    const char* wrong = setti_fixed_validate(world);
    if (wrong != NULL) {
        return wrong;
    }
    return setti_order_validate(world);
}

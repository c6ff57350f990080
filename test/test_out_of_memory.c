/* test_out_of_memory.c: whatever allocation fails, the call that needed it says so and changes
 * nothing.
 *
 * A script of steps touches every function of the library. It runs
 *   - once for every n, with the n-th call to the allocator failing, or the n-th and all that
 *     follow until the step is over;
 *   - once with each step squeezed: the pool is left with 0, 32, 64, ... bytes and gets no more
 *     blocks, until the step gets through. So each of the pool's own allocations fails too, which
 *     the allocator alone never sees.
 * After every failure the world must look as before and be valid; in the end it must look as if
 * nothing had ever failed, and every byte must have gone back with the size and alignment that it
 * was asked for with.
 *
 * SPDX-License-Identifier: MIT
 */
#include "scarce.h"
#include "sett/observer.h"
#include "sett/sparse_set.h"

#include "world/world.h"

/* ---- An allocator that counts and fails ------------------------------------------------------ */

#define PIECES 4096

typedef struct memory_piece {
    void* address;
    size_t size;
    size_t align;
} memory_piece;

static struct memory {
    memory_piece piece[PIECES];
    uint32_t count;
    uint64_t calls;   /* for memory, so far */
    uint64_t fail_at; /* this call fails; 0: none */
    bool sticky;      /* so do all that follow */
    bool closed;      /* all calls for blocks of the pool fail */
    uint64_t failed;
} memory;

static void* memory_take(size_t size, size_t align)
{
    memory.calls++;
    bool reached = memory.sticky ? memory.calls >= memory.fail_at : memory.calls == memory.fail_at;
    bool block = align == SETTI_POOL_STEP && size % 4096 == 0;
    if ((memory.closed && block) || (memory.fail_at != 0 && reached)) {
        memory.failed++;
        return NULL;
    }
    CHECK(size != 0 && align != 0 && (align & (align - 1)) == 0);
    CHECK(memory.count < PIECES);
    size_t least = align < sizeof(void*) ? sizeof(void*) : align;
    void* address = aligned_alloc(least, (size + least - 1) & ~(least - 1));
    CHECK(address != NULL);
    memset(address, 0xA5, size); /* no code may rely on zeroes */
    memory.piece[memory.count++] = (memory_piece){address, size, align};
    return address;
}

static void memory_give(void* address, size_t size, size_t align)
{
    uint32_t k = 0;
    while (k < memory.count && memory.piece[k].address != address) {
        k++;
    }
    CHECK_MSG(k < memory.count, "%p given back that was never taken", address);
    CHECK_EQ(memory.piece[k].size, size);
    CHECK_EQ(memory.piece[k].align, align);
    memory.piece[k] = memory.piece[--memory.count];
    free(address);
}

static void* memory_alloc(void* user, size_t size, size_t align)
{
    CHECK_PTR_EQ(user, &memory);
    return memory_take(size, align);
}

static void memory_free(void* user, void* address, size_t size, size_t align)
{
    CHECK_PTR_EQ(user, &memory);
    memory_give(address, size, align);
}

static void memory_begin(uint64_t fail_at, bool sticky)
{
    CHECK_EQ(memory.count, 0);
    memory.calls = 0;
    memory.fail_at = fail_at;
    memory.sticky = sticky;
    memory.closed = false;
    memory.failed = 0;
}

static void memory_end(void)
{
    for (uint32_t k = 0; k < memory.count; k++) {
        CHECK_MSG(false, "%zu bytes leak", memory.piece[k].size);
    }
}

/* ---- What a world looks like ----------------------------------------------------------------- */

enum {
    SMALL,         /* array, 8 bytes */
    WIDE,          /* array, 1,000 bytes: pages straight from the allocator */
    ALIGNED,       /* array, 64 bytes aligned to 512 */
    SPARSE,        /* 24 bytes */
    HUGE,          /* sparse-set, 40,000 bytes */
    KEPT,          /* keep_order, 3,000 bytes */
    MARK,          /* tag */
    DONT_FRAGMENT, /* dont_fragment tag */
    NEEDY,         /* requires SMALL, SPARSE and DONT_FRAGMENT */
    HOOKED,        /* counts the calls of its hooks */
    TYPES
};

#define ENTITIES 40

typedef struct script {
    sett_world* world;
    sett_component id[TYPES];
    sett_component late;
    sett_entity entity[ENTITIES];
    sett_entity bulk[70];
    sett_entity reserved;
    sett_commands* commands;
    sett_query* query;
    sett_observer* observer[2];
    uint32_t notified; /* hooks called: adds - removes */
} script;

/* A text that grows. */
typedef struct text {
    char* bytes;
    size_t size;
    size_t capacity;
} text;

static void text_add(text* t, const void* bytes, size_t size)
{
    while (t->size + size > t->capacity) {
        t->capacity = t->capacity == 0 ? 65536 : t->capacity * 2;
        t->bytes = realloc(t->bytes, t->capacity);
        CHECK(t->bytes != NULL);
    }
    memcpy(t->bytes + t->size, bytes, size);
    t->size += size;
}

static void text_number(text* t, uint64_t number)
{
    text_add(t, &number, sizeof(number));
}

static void dump_entity(const script* s, text* t, sett_entity entity)
{
    sett_component ids[32];
    uint32_t count = sett_entity_components(s->world, entity, ids, 32);
    text_number(t, sett_entity_to_u64(entity));
    text_number(t, count);
    for (uint32_t k = 0; k < count; k++) {
        sett_component_desc desc;
        CHECK_EQ(sett_component_describe(s->world, ids[k], &desc), SETT_OK);
        const unsigned char* value = sett_find(s->world, entity, ids[k]);
        CHECK(value != NULL);
        text_number(t, ids[k]);
        text_add(t, value, desc.size < 64 ? desc.size : 64);
        if (desc.size > 64) {
            text_add(t, value + desc.size - 8, 8);
        }
    }
}

/* All that a caller can see: entities in their order, components, values, what waits. */
static void dump(const script* s, text* t)
{
    t->size = 0;
    if (s->world == NULL) {
        return;
    }
    uint32_t cursor = 0;
    for (sett_entity e = sett_entity_next(s->world, &cursor); !sett_is_null(e);
         e = sett_entity_next(s->world, &cursor)) {
        dump_entity(s, t, e);
    }
    sett_stats stats;
    sett_world_stats(s->world, &stats);
    text_number(t, stats.entities);
    text_number(t, stats.components);
    text_number(t, stats.queries);
    text_number(t, stats.values);
    text_number(t, s->world->locks);
    text_number(t, s->world->entities.reserved);
    text_number(t, s->notified);
    for (uint32_t k = 0; k < TYPES; k++) {
        text_number(t, s->id[k] != 0 ? sett_component_count(s->world, s->id[k]) : 0);
    }
    text_number(t, s->commands != NULL ? sett_commands_count(s->commands) : 0);
}

/* ---- The script ------------------------------------------------------------------------------ */

static void script_on_add(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)world;
    (void)entity;
    (void)value;
    ((script*)user)->notified++;
}

static void script_on_remove(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)world;
    (void)entity;
    (void)value;
    ((script*)user)->notified--;
}

static void script_init(void* values, uint32_t count, void* user)
{
    (void)user;
    memset(values, 1, (size_t)count * 8);
}

static bool step_world(script* s)
{
    sett_world_desc desc = {.allocator = {memory_alloc, memory_free, &memory, NULL},
                            .log_fn = sett_log_silent};
    s->world = sett_world_create(&desc);
    return s->world != NULL;
}

static bool register_type(script* s, uint32_t k, sett_component_desc desc)
{
    s->id[k] = sett_component_register(s->world, &desc);
    return s->id[k] != 0;
}

static bool step_register_small(script* s)
{
    static const uint32_t offsets[] = {0};
    return register_type(s, SMALL,
                         (sett_component_desc){.name = "small",
                                               .size = 8,
                                               .align = 4,
                                               .entity_offsets = offsets,
                                               .entity_offset_count = 1});
}

static bool step_register_wide(script* s)
{
    return register_type(
        s, WIDE,
        (sett_component_desc){.name = "wide", .size = 1000, .storage = SETT_STORAGE_ARRAY});
}

static bool step_register_aligned(script* s)
{
    return register_type(s, ALIGNED,
                         (sett_component_desc){.name = "aligned", .size = 512, .align = 512});
}

static bool step_register_sparse(script* s)
{
    return register_type(s, SPARSE,
                         (sett_component_desc){.name = "sparse-set",
                                               .size = 24,
                                               .storage = SETT_STORAGE_SPARSE_SET,
                                               .track_rows = true,
                                               .id = 70000});
}

static bool step_register_huge(script* s)
{
    return register_type(s, HUGE, (sett_component_desc){.name = "huge", .size = 40000});
}

static bool step_register_kept(script* s)
{
    return register_type(s, KEPT,
                         (sett_component_desc){.name = "kept", .size = 3000, .keep_order = true});
}

static bool step_register_mark(script* s)
{
    return register_type(s, MARK, (sett_component_desc){.name = "mark"});
}

static bool step_register_dont_fragment(script* s)
{
    return register_type(s, DONT_FRAGMENT,
                         (sett_component_desc){.name = "dont_fragment", .dont_fragment = true});
}

static bool step_register_needy(script* s)
{
    const sett_component needed[] = {s->id[SMALL], s->id[SPARSE], s->id[DONT_FRAGMENT]};
    return register_type(s, NEEDY,
                         (sett_component_desc){
                             .name = "needy", .size = 16, .required = needed, .required_count = 3});
}

static bool step_register_hooked(script* s)
{
    return register_type(s, HOOKED,
                         (sett_component_desc){.name = "hooked",
                                               .size = 8,
                                               .dont_fragment = true,
                                               .init = script_init,
                                               .on_add = script_on_add,
                                               .on_remove = script_on_remove,
                                               .user = s});
}

static bool step_create(script* s)
{
    for (uint32_t k = 0; k < ENTITIES; k++) {
        if (sett_is_null(s->entity[k])) {
            s->entity[k] = sett_entity_create(s->world);
            return !sett_is_null(
                s->entity[k]); /* one at a time: a step that fails changes nothing */
        }
    }
    return true;
}

static bool step_create_handle(script* s)
{
    sett_entity far = {5000, 3};
    return sett_entity_create_handle(s->world, far) == SETT_OK;
}

static bool step_add_small(script* s)
{
    return sett_add(s->world, s->entity[0], s->id[SMALL]) != NULL;
}

static bool step_add_needy(script* s)
{
    return sett_add(s->world, s->entity[1], s->id[NEEDY]) != NULL;
}

static bool step_add_needy_elsewhere(script* s)
{
    sett_entity far = {5000, 3};
    return sett_add(s->world, far, s->id[NEEDY]) != NULL;
}

static bool step_ensure_wide(script* s)
{
    return sett_ensure(s->world, s->entity[2], s->id[WIDE]) != NULL;
}

static bool step_ensure_hooked(script* s)
{
    return sett_ensure(s->world, s->entity[2], s->id[HOOKED]) != NULL;
}

static bool step_set_aligned(script* s)
{
    static const unsigned char value[512] = {1, 2, 3};
    return sett_set(s->world, s->entity[2], s->id[ALIGNED], value) != NULL;
}

static bool step_set_sparse(script* s)
{
    static const unsigned char value[24] = {4, 5, 6};
    return sett_set(s->world, s->entity[3], s->id[SPARSE], value) != NULL;
}

static bool step_set_huge(script* s)
{
    static const unsigned char value[40000] = {7, 8, 9};
    return sett_set(s->world, s->entity[3], s->id[HUGE], value) != NULL;
}

static bool step_set_mark(script* s)
{
    return sett_set(s->world, s->entity[3], s->id[MARK], NULL) != NULL;
}

static bool step_create_many(script* s)
{
    static uint64_t values[70];
    for (uint32_t k = 0; k < 70; k++) {
        values[k] = k + 1;
    }
    const sett_component ids[] = {s->id[SMALL], s->id[NEEDY], s->id[KEPT], s->id[MARK],
                                  s->id[HOOKED]};
    const void* arrays[] = {values, NULL, NULL, NULL, values};
    return sett_entity_create_many(s->world, 70, ids, 5, arrays, s->bulk) == SETT_OK;
}

static bool step_create_many_large(script* s)
{
    const sett_component ids[] = {s->id[WIDE], s->id[ALIGNED], s->id[HUGE], s->id[DONT_FRAGMENT]};
    return sett_entity_create_many(s->world, 12, ids, 4, NULL, NULL) == SETT_OK;
}

/* Every third one leaves a gap; then something in the middle goes. */
static bool step_remove_kept(script* s)
{
    for (uint32_t k = 0; k < 70; k += 3) {
        if (sett_has(s->world, s->bulk[k], s->id[KEPT])) {
            return sett_remove(s->world, s->bulk[k], s->id[KEPT]) == SETT_OK;
        }
    }
    return true;
}

static bool step_remove_needed(script* s)
{
    return sett_remove(s->world, s->bulk[10], s->id[SMALL]) == SETT_OK;
}

static bool step_remove_sparse(script* s)
{
    return sett_remove(s->world, s->bulk[11], s->id[SPARSE]) == SETT_OK;
}

static bool step_component_clear(script* s)
{
    return sett_component_clear(s->world, s->id[MARK]) == SETT_OK;
}

static bool step_reserve_entities(script* s)
{
    return sett_entity_reserve(s->world, 9000) == SETT_OK;
}

static bool step_reserve_small(script* s)
{
    return sett_component_reserve(s->world, s->id[SMALL], 9000) == SETT_OK;
}

static bool step_reserve_sparse(script* s)
{
    return sett_component_reserve(s->world, s->id[SPARSE], 3000) == SETT_OK;
}

static bool step_reserve_huge(script* s)
{
    return sett_component_reserve(s->world, s->id[HUGE], 3) == SETT_OK;
}

static bool step_own_commands(script* s)
{
    s->commands = sett_commands_here(s->world);
    return s->commands != NULL;
}

static bool step_more_commands(script* s)
{
    sett_commands* more = sett_commands_create(s->world);
    if (more == NULL) {
        return false;
    }
    if (sett_cmd_add(more, s->entity[5], s->id[MARK]) != SETT_OK ||
        sett_is_null(sett_cmd_create(more))) {
        sett_commands_destroy(more);
        return false;
    }
    sett_commands_clear(more);
    sett_commands_destroy(more);
    return true;
}

static bool step_cmd_create(script* s)
{
    s->reserved = sett_cmd_create(s->commands);
    return !sett_is_null(s->reserved);
}

static bool step_cmd_add(script* s)
{
    return sett_cmd_add(s->commands, s->reserved, s->id[NEEDY]) == SETT_OK;
}

static bool step_cmd_set(script* s)
{
    static const unsigned char value[40000] = {10, 11, 12};
    return sett_cmd_set(s->commands, s->reserved, s->id[HUGE], value) == SETT_OK;
}

static bool step_cmd_set_aligned(script* s)
{
    static const unsigned char value[512] = {13};
    return sett_cmd_set(s->commands, s->reserved, s->id[ALIGNED], value) == SETT_OK;
}

static bool step_cmd_remove(script* s)
{
    return sett_cmd_remove(s->commands, s->bulk[12], s->id[SMALL]) == SETT_OK;
}

static bool step_cmd_clear(script* s)
{
    return sett_cmd_clear(s->commands, s->bulk[13]) == SETT_OK;
}

static bool step_cmd_destroy(script* s)
{
    return sett_cmd_destroy(s->commands, s->bulk[14]) == SETT_OK;
}

static bool step_apply(script* s)
{
    return sett_commands_apply(s->commands) == SETT_OK;
}

static bool step_query_create(script* s)
{
    sett_query_desc desc = {
        "script",
        {{.component = s->id[SMALL], .access = SETT_INOUT, .kind = SETT_WITH},
         {.component = s->id[SPARSE], .access = SETT_INOUT, .kind = SETT_WITH},
         {.component = s->id[KEPT], .access = SETT_IN, .kind = SETT_OPTIONAL},
         {.component = s->id[HUGE], .access = SETT_NONE, .kind = SETT_WITHOUT}}};
    s->query = sett_query_create(s->world, &desc);
    return s->query != NULL;
}

/* Gathering needs scratch. */
static bool step_query_loop(script* s)
{
    sett_batch batch;
    sett_batch* b = sett_query_begin(s->query, &batch);
    if (b == NULL) {
        return false;
    }
    uint32_t count = 0;
    while (sett_batch_next(b)) {
        uint64_t* small = sett_batch_field(b, 0);
        SETT_EACH(b, row) {
            small[row] += 1000;
            count++;
        }
    }
    sett_batch_end(b);
    CHECK_EQ(count, sett_query_count(s->query));
    CHECK(count > 20);
    return true;
}

static bool step_register_late(script* s)
{
    const sett_component needed[] = {s->id[NEEDY], s->id[KEPT]};
    sett_component_desc desc = {
        .name = "late", .size = 4, .id = 900000, .required = needed, .required_count = 2};
    s->late = sett_component_register(s->world, &desc);
    return s->late != 0;
}

static bool step_add_late(script* s)
{
    return sett_add(s->world, s->entity[20], s->late) != NULL;
}

/* Callbacks for existing matches run during the creation, but only once it cannot fail. */
static bool step_observe_component(script* s)
{
    sett_observer_desc desc = {.name = "of a component", .component = s->id[HOOKED], .user = s};
    desc.on_add = script_on_add;
    desc.on_set = script_on_add;
    desc.on_remove = script_on_remove;
    desc.replay = true;
    s->observer[0] = sett_observer_create(s->world, &desc);
    return s->observer[0] != NULL;
}

static void script_on_enter(sett_world* world, sett_entity entity, void* user)
{
    script_on_add(world, entity, NULL, user);
}

static bool step_observe_query(script* s)
{
    sett_observer_desc desc = {.name = "of a query", .user = s, .on_enter = script_on_enter};
    for (uint32_t k = 0; k < 5; k++) { /* lists of types grow by fours */
        const sett_component with[] = {s->id[SMALL], s->id[NEEDY], s->id[KEPT], s->id[MARK],
                                       s->id[WIDE]};
        desc.terms[k].component = with[k];
    }
    desc.terms[5].component = s->id[HUGE];
    desc.terms[5].kind = SETT_WITHOUT;
    desc.replay = true;
    s->observer[1] = sett_observer_create(s->world, &desc);
    return s->observer[1] != NULL;
}

/* From here on: what needs no memory, and never fails. */
static bool step_never_fails(script* s)
{
    sett_world* w = s->world;
    sett_entity gone[] = {s->entity[0], s->bulk[20], s->bulk[20], s->entity[1]};
    CHECK_EQ(sett_entity_destroy(w, s->bulk[30]), SETT_OK);
    CHECK_EQ(sett_entity_destroy_many(w, gone, 4), SETT_OK);
    CHECK_EQ(sett_entity_clear(w, s->bulk[31]), SETT_OK);
    CHECK_EQ(sett_component_compact(w, s->id[KEPT]), SETT_OK);
    CHECK_EQ(sett_entity_destroy_with(w, s->id[HUGE]), SETT_OK);
    CHECK_EQ(sett_component_count(w, s->id[HUGE]), 0);
    CHECK(sett_get_mut(w, s->bulk[33], s->id[NEEDY]) != NULL);
    CHECK(sett_get(w, s->bulk[33], s->id[NEEDY]) != NULL);
    CHECK(sett_changed_tick(w, s->bulk[33], s->id[NEEDY]) == sett_world_tick(w));
    uint64_t tick = sett_world_advance_tick(w);
    CHECK_EQ(tick, sett_world_tick(w));
    CHECK_EQ(sett_component_find(w, "kept"), s->id[KEPT]);
    CHECK_STR_EQ(sett_component_name(w, s->id[KEPT]), "kept");
    sett_query_destroy(s->query);
    s->query = NULL;
    sett_observer_enable(s->observer[0], false);
    sett_observer_destroy(s->observer[0]);
    sett_observer_destroy(s->observer[1]);
    CHECK_EQ(sett_world_trim(w), SETT_OK);
    return true;
}

typedef struct script_step {
    bool (*run)(script* s);
    uint32_t times;
    bool partly; /* may change some of it before it fails, as documented */
    bool silent; /* answers with a status, but leaves sett_world_error alone */
} script_step;

static const script_step steps[] = {
    {step_register_small, 1, 0, 0},
    {step_register_wide, 1, 0, 0},
    {step_register_aligned, 1, 0, 0},
    {step_register_sparse, 1, 0, 0},
    {step_register_huge, 1, 0, 0},
    {step_register_kept, 1, 0, 0},
    {step_register_mark, 1, 0, 0},
    {step_register_dont_fragment, 1, 0, 0},
    {step_register_needy, 1, 0, 0},
    {step_register_hooked, 1, 0, 0},
    {step_create, ENTITIES, 0, 0},
    {step_create_handle, 1, 0, 0},
    {step_add_small, 1, 0, 0},
    {step_add_needy, 1, 0, 0},
    {step_add_needy_elsewhere, 1, 0, 0},
    {step_ensure_wide, 1, 0, 0},
    {step_ensure_hooked, 1, 0, 0},
    {step_set_aligned, 1, 0, 0},
    {step_set_sparse, 1, 0, 0},
    {step_set_huge, 1, 0, 0},
    {step_set_mark, 1, 0, 0},
    {step_create_many, 1, 0, 0},
    {step_create_many_large, 1, 0, 0},
    {step_remove_kept, 24, 0, 0},
    {step_remove_needed, 1, 0, 0},
    {step_remove_sparse, 1, 0, 0},
    {step_observe_component, 1, 0, 0},
    {step_observe_query, 1, 0, 0},
    {step_component_clear, 1, 1, 0},
    {step_reserve_entities, 1, 0, 0},
    {step_reserve_small, 1, 0, 0},
    {step_reserve_sparse, 1, 0, 0},
    {step_reserve_huge, 1, 0, 0},
    {step_own_commands, 1, 0, 0},
    {step_more_commands, 1, 0, 1},
    {step_cmd_create, 1, 0, 0},
    {step_cmd_add, 1, 0, 1},
    {step_cmd_set, 1, 0, 1},
    {step_cmd_set_aligned, 1, 0, 1},
    {step_cmd_remove, 1, 0, 1},
    {step_cmd_clear, 1, 0, 1},
    {step_cmd_destroy, 1, 0, 1},
    {step_apply, 1, 1, 0},
    {step_query_create, 1, 0, 0},
    {step_query_loop, 1, 0, 0},
    {step_register_late, 1, 0, 0},
    {step_add_late, 1, 0, 0},
    {step_never_fails, 1, 0, 0},
};

#define STEPS (sizeof(steps) / sizeof(steps[0]))

static void expect_valid(const script* s)
{
    CHECK_VALID(s->world);
}

/* After a failure: nothing changed, and it was memory that was missing. */
static void expect_unchanged(const script* s, const script_step* step, const text* before)
{
    static text after;
    if (!step->silent) {
        CHECK_EQ(sett_world_error(s->world), SETT_STATUS_OUT_OF_MEMORY);
        CHECK(strstr(sett_world_message(s->world), "allocator") != NULL);
    }
    expect_valid(s);
    dump(s, &after);
    if (!step->partly) {
        CHECK_EQ(after.size, before->size);
        CHECK(memcmp(after.bytes, before->bytes, after.size) == 0);
    }
    text_add(&after, "", 1); /* keeps its memory, and is not NULL */
}

static void script_end(script* s)
{
    sett_world_destroy(s->world);
    memory_end();
}

/* What the world looks like in the end must not depend on what failed on the way. */
static void expect_final(const script* s)
{
    static text first;
    static text now;
    expect_valid(s);
    dump(s, &now);
    if (first.size == 0) {
        text_add(&first, now.bytes, now.size);
    }
    CHECK(first.size > 1000);
    CHECK_EQ(now.size, first.size);
    CHECK(memcmp(now.bytes, first.bytes, now.size) == 0);
}

/* ---- The n-th call for memory fails ---------------------------------------------------------- */

/* Runs one step until it succeeds; each time that it fails, the memory it wants is there again
 * the next time. */
static void run_step(script* s, const script_step* step)
{
    static text before;
    dump(s, &before);
    uint64_t failed = memory.failed;
    while (!step->run(s)) {
        CHECK(memory.failed > failed);
        failed = memory.failed;
        expect_unchanged(s, step, &before);
        if (memory.sticky) {
            memory.fail_at = 0;
        }
    }
    if (memory.sticky && memory.failed != 0) {
        memory.fail_at =
            0; /* the failure was borne without a word, such as an edge not remembered */
    }
}

/* The whole script. Returns how many calls for memory there were. */
static uint64_t run_script(uint64_t fail_at, bool sticky)
{
    script s;
    memset(&s, 0, sizeof(s));
    memory_begin(fail_at, sticky);
    while (!step_world(&s)) {
        CHECK_EQ(memory.calls, 1);
        memory.fail_at = 0;
    }
    for (size_t k = 0; k < STEPS; k++) {
        for (uint32_t time = 0; time < steps[k].times; time++) {
            run_step(&s, &steps[k]);
        }
    }
    expect_final(&s);
    uint64_t calls = memory.calls;
    CHECK(fail_at == 0 || fail_at > calls || memory.failed != 0);
    script_end(&s);
    return calls;
}

static void every_call_for_memory_fails_once(void)
{
    uint64_t calls = run_script(0, false);
    CHECK(calls > 30);
    uint64_t n = 1;
    while (run_script(n, false) >= n) {
        n++;
    }
    CHECK(n >= calls);
    printf("  %llu calls for memory\n", (unsigned long long)n - 1);
}

static void memory_runs_out_for_good(void)
{
    uint64_t calls = run_script(0, true);
    uint64_t n = 1;
    while (run_script(n, true) >= n) {
        n++;
    }
    CHECK(n >= calls);
}

/* ---- The pool is squeezed -------------------------------------------------------------------- */

static uint32_t squeezed_failures;

/* Runs one step with ever more memory left, until it gets through. */
static void run_step_squeezed(script* s, const script_step* step)
{
    static text before;
    static scarce_memory squeezed; /* what was taken from the pool; blocks come from `memory` */
    setti_pool* pool = &s->world->pool;
    dump(s, &before);
    for (size_t left = 0; left <= SCARCE_MOST; left += left < 2048 ? 32 : 512) {
        scarce_squeeze(pool, &squeezed, left);
        memory.closed = true;
        bool done = step->run(s);
        if (!done) {
            squeezed_failures++;
            expect_unchanged(s, step, &before);
        }
        memory.closed = false;
        scarce_give_back(pool, &squeezed);
        CHECK(setti_pool_validate(pool) == NULL);
        if (done) {
            return;
        }
    }
    CHECK_MSG(false, "%u bytes are not enough for step %u", SCARCE_MOST, (unsigned)(step - steps));
}

static void the_pool_runs_dry_anywhere(void)
{
    script s;
    memset(&s, 0, sizeof(s));
    memory_begin(0, false);
    CHECK(step_world(&s));
    for (size_t k = 0; k < STEPS; k++) {
        for (uint32_t time = 0; time < steps[k].times; time++) {
            run_step_squeezed(&s, &steps[k]);
        }
    }
    expect_final(&s);
    script_end(&s);
    CHECK(squeezed_failures > 500);
    printf("  %u failures\n", squeezed_failures);
}

/* ---- The sparse set -------------------------------------------------------------------------- */

static int compare_downwards(uint32_t a, uint32_t b, void* user)
{
    (void)user;
    return (a < b) - (a > b);
}

/* Runs until success; what fails leaves the number of members and the order. */
static void run_set(uint64_t fail_at)
{
    memory_begin(fail_at, false);
    sett_allocator allocator = {memory_alloc, memory_free, &memory, NULL};
    sett_sparse_set* set = sett_sparse_set_create(&allocator, 100000);
    if (set == NULL) {
        set = sett_sparse_set_create(&allocator, 100000);
    }
    CHECK(set != NULL);
    for (uint32_t k = 0; k < 3000; k++) {
        uint32_t id;
        if (sett_sparse_set_add(set, &id) == SETT_STATUS_OUT_OF_MEMORY) {
            CHECK_EQ(sett_sparse_set_count(set), k);
            CHECK_EQ(sett_sparse_set_validate(set, NULL), SETT_OK);
            CHECK_EQ(sett_sparse_set_add(set, &id), SETT_OK);
        }
        CHECK_EQ(id, k);
    }
    if (sett_sparse_set_request(set, 99000) == SETT_STATUS_OUT_OF_MEMORY) {
        CHECK_EQ(sett_sparse_set_count(set), 3000);
        CHECK(!sett_sparse_set_has(set, 99000));
        CHECK_EQ(sett_sparse_set_validate(set, NULL), SETT_OK);
        CHECK_EQ(sett_sparse_set_request(set, 99000), SETT_OK);
    }
    if (sett_sparse_set_reserve(set, 60000) != SETT_OK) {
        CHECK_EQ(sett_sparse_set_validate(set, NULL), SETT_OK);
        CHECK_EQ(sett_sparse_set_reserve(set, 60000), SETT_OK);
    }
    for (uint32_t k = 0; k < 100; k++) { /* until a sort needs memory from the allocator */
        if (sett_sparse_set_sort(set, compare_downwards, NULL) != SETT_OK) {
            CHECK_EQ(sett_sparse_set_at(set, 0), 0);
            CHECK_EQ(sett_sparse_set_at(set, 3000), 99000);
            CHECK_EQ(sett_sparse_set_sort(set, compare_downwards, NULL), SETT_OK);
        }
        CHECK_EQ(sett_sparse_set_at(set, 0), 99000);
        CHECK_EQ(sett_sparse_set_at(set, 3000), 0);
        CHECK_EQ(sett_sparse_set_sort(set, NULL, NULL), SETT_OK);
    }
    CHECK_EQ(sett_sparse_set_validate(set, NULL), SETT_OK);
    sett_sparse_set_destroy(set);
    memory_end();
}

static void a_sparse_set_bears_every_failure(void)
{
    run_set(0);
    uint64_t calls = memory.calls;
    CHECK(calls > 5);
    for (uint64_t n = 1; n <= calls; n++) {
        run_set(n);
        CHECK_EQ(memory.failed, 1);
    }
}

TEST_MAIN(TEST(every_call_for_memory_fails_once), TEST(memory_runs_out_for_good),
          TEST(the_pool_runs_dry_anywhere), TEST(a_sparse_set_bears_every_failure))

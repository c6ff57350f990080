/* Snapshots: what they promise, one promise at a time. test_model_state.c holds them
 * against random
 * operations.
 *
 * SPDX-License-Identifier: MIT
 */
#include "states.h"

#include "sett/system.h"

#include "state/snapshot.h"
#include "world/world.h"

typedef struct value {
    uint32_t a;
    uint32_t b;
} value;

static sett_component value_id;
static sett_component other_id;
static char said[1024];

static void keep_message(void* user, sett_log_level level, const char* message)
{
    (void)user;
    (void)level;
    snprintf(said, sizeof(said), "%s", message);
}

static sett_world* begin(void)
{
    sett_world_desc desc = {.log_fn = keep_message};
    sett_world* world = sett_world_create(&desc);
    CHECK(world != NULL);
    sett_component_desc type = {.name = "value", .size = sizeof(value), .align = 4};
    value_id = sett_component_register(world, &type);
    type.name = "other";
    type.storage = SETT_STORAGE_SPARSE_SET;
    other_id = sett_component_register(world, &type);
    said[0] = '\0';
    return world;
}

static sett_entity spawn(sett_world* world, uint32_t a)
{
    sett_entity entity = sett_entity_create(world);
    value v = {a, 0};
    CHECK(sett_set(world, entity, value_id, &v) != NULL);
    return entity;
}

static uint32_t read(sett_world* world, sett_entity entity)
{
    const value* v = sett_find(world, entity, value_id);
    return v != NULL ? v->a : UINT32_MAX;
}

static void write(sett_world* world, sett_entity entity, uint32_t a)
{
    value* v = sett_get_mut(world, entity, value_id);
    CHECK(v != NULL);
    v->a = a;
}

static sett_snapshot_stats stats_of(const sett_world* world)
{
    sett_snapshot_stats stats;
    sett_snapshot_stats_get(world, &stats);
    return stats;
}

static void restoring_goes_back_and_forward_and_another_way(void)
{
    sett_world* world = begin();
    sett_entity e = spawn(world, 1);
    sett_snapshot one = take(world);
    write(world, e, 2);
    sett_entity f = spawn(world, 20);
    sett_snapshot two = take(world);
    CHECK_EQ(sett_entity_destroy(world, e), SETT_OK);
    CHECK_EQ(sett_snapshot_restore(world, one), SETT_OK);
    CHECK_EQ(read(world, e), 1);
    CHECK(!sett_entity_valid(world, f));
    write(world, e, 3); /* another way from `one` */
    sett_snapshot three = take(world);
    CHECK_EQ(sett_snapshot_restore(world, two), SETT_OK);
    CHECK_EQ(read(world, e), 2);
    CHECK_EQ(read(world, f), 20);
    CHECK_EQ(sett_snapshot_restore(world, three), SETT_OK);
    CHECK_EQ(read(world, e), 3);
    CHECK(!sett_entity_valid(world, f));
    CHECK_EQ(sett_snapshot_restore(world, one), SETT_OK);
    CHECK_EQ(read(world, e), 1);
    CHECK_END(world);
}

static void the_same_handles_come_next(void)
{
    sett_world* world = begin();
    sett_entity e[40];
    for (uint32_t k = 0; k < 40; k++) {
        e[k] = spawn(world, k);
    }
    for (uint32_t k = 0; k < 40; k += 3) {
        CHECK_EQ(sett_entity_destroy(world, e[k]), SETT_OK);
    }
    sett_snapshot snapshot = take(world);
    sett_entity next[30];
    for (uint32_t k = 0; k < 30; k++) {
        next[k] = spawn(world, k);
    }
    CHECK_EQ(sett_snapshot_restore(world, snapshot), SETT_OK);
    for (uint32_t k = 0; k < 30; k++) {
        CHECK(!sett_entity_valid(world, next[k]));
    }
    for (uint32_t k = 0; k < 30; k++) {
        CHECK(sett_equals(sett_entity_create(world), next[k]));
    }
    sett_world_destroy(world);
}

static void addresses_hold(void)
{
    sett_world* world = begin();
    static sett_entity e[3000];
    static const void* at[3000];
    for (uint32_t k = 0; k < 3000; k++) {
        e[k] = spawn(world, k);
        at[k] = sett_get(world, e[k], value_id);
    }
    sett_snapshot snapshot = take(world);
    for (uint32_t k = 0; k < 3000; k++) {
        write(world, e[k], k + 1);
        CHECK_PTR_EQ(sett_get(world, e[k], value_id), at[k]);
    }
    CHECK_EQ(sett_world_clear(world), SETT_OK); /* pages go, and are parked */
    CHECK_EQ(sett_world_trim(world), SETT_OK);
    for (uint32_t k = 0; k < 5000; k++) {
        (void)spawn(world, 7); /* others take their places */
    }
    CHECK_VALID(world);
    CHECK_EQ(sett_snapshot_restore(world, snapshot), SETT_OK);
    for (uint32_t k = 0; k < 3000; k++) {
        CHECK_EQ(read(world, e[k]), k);
        CHECK_PTR_EQ(sett_get(world, e[k], value_id), at[k]);
    }
    CHECK_END(world);
}

/* Over a chain of snapshots each page is exchanged once, at its address: also one that is written,
 * freed, made again and written again on the way. */
static void addresses_hold_over_a_chain(void)
{
    enum {
        CHAIN = 8,
        FREED = 4
    };
    sett_world* world = begin();
    static sett_entity e[2][2000];
    static const void* at[2][2000];
    sett_snapshot chain[CHAIN];
    for (uint32_t k = 0; k < CHAIN; k++) {
        bool late = k > FREED;
        for (uint32_t i = 0; i < 2000 && (k == 0 || k == FREED + 1); i++) {
            e[late][i] = spawn(world, 0);
            at[late][i] = sett_get(world, e[late][i], value_id);
        }
        for (uint32_t i = 0; i < 2000 && k != FREED; i++) {
            write(world, e[late][i], k * 10000 + i);
        }
        if (k == FREED) {
            CHECK_EQ(sett_world_clear(world), SETT_OK);
            CHECK_EQ(sett_world_trim(world), SETT_OK);
        }
        chain[k] = take(world);
    }
    static const uint32_t order[] = {0, 7, 1, 6, 0, 2, 7, 4, 5, 3, 4, 0, 5, 7, 2, 6, 4, 1};
    for (uint32_t step = 0; step < sizeof(order) / sizeof(order[0]); step++) {
        uint32_t k = order[step];
        bool late = k > FREED;
        CHECK_EQ(sett_snapshot_restore(world, chain[k]), SETT_OK);
        CHECK_VALID(world);
        CHECK_EQ(sett_component_count(world, value_id), k == FREED ? 0 : 2000);
        for (uint32_t i = 0; i < 2000 && k != FREED; i++) {
            CHECK_EQ(read(world, e[late][i]), k * 10000 + i);
            CHECK_PTR_EQ(sett_get(world, e[late][i], value_id), at[late][i]);
        }
    }
    CHECK_END(world);
}

static void any_of_a_chain_can_be_dropped(void)
{
    for (uint32_t first = 0; first < 5; first++) {
        for (uint32_t second = 0; second < 5; second++) {
            sett_world* world = begin();
            sett_entity e = spawn(world, 0);
            sett_entity f = spawn(world, 0);
            sett_snapshot chain[5];
            for (uint32_t k = 0; k < 5; k++) {
                write(world, e, k);
                if (k % 2 == 0) {
                    CHECK_EQ(sett_entity_destroy(world, f), SETT_OK);
                    f = spawn(world, k);
                }
                chain[k] = take(world);
            }
            CHECK_EQ(sett_snapshot_drop(world, chain[first]), SETT_OK);
            CHECK_EQ(sett_snapshot_drop(world, chain[second]),
                     first == second ? SETT_STATUS_STALE : SETT_OK);
            CHECK_VALID(world);
            for (uint32_t k = 0; k < 5; k++) {
                if (k == first || k == second) {
                    CHECK_EQ(sett_snapshot_restore(world, chain[k]), SETT_STATUS_STALE);
                    continue;
                }
                CHECK_EQ(sett_snapshot_restore(world, chain[k]), SETT_OK);
                CHECK_EQ(read(world, e), k);
                CHECK_VALID(world);
            }
            sett_world_destroy(world);
        }
    }
}

static void dropping_all_gives_memory_back(void)
{
    sett_world* world = begin();
    sett_entity e = spawn(world, 0);
    size_t before = world->pool.used_size;
    sett_snapshot kept[20];
    for (uint32_t k = 0; k < 20; k++) {
        kept[k] = take(world);
        write(world, e, k);
        (void)spawn(world, k);
    }
    CHECK(stats_of(world).page_size != 0);
    CHECK_EQ(stats_of(world).snapshots, 20);
    for (uint32_t k = 0; k < 20; k++) {
        CHECK_EQ(sett_snapshot_drop(world, kept[(k * 7) % 20]), SETT_OK);
        CHECK_VALID(world);
    }
    sett_snapshot_stats stats = stats_of(world);
    CHECK_EQ(stats.snapshots, 0);
    CHECK_EQ(stats.hidden, 0);
    CHECK_EQ(stats.page_size, 0);
    CHECK_EQ(world->pool.cow_from, 0);
    /* the state itself and its table of handles stay */
    CHECK(world->pool.used_size - before <= 2048);
    sett_world_destroy(world);
}

static void an_untouched_world_copies_nothing(void)
{
    sett_world* world = begin();
    sett_entity e = spawn(world, 5);
    (void)take(world);
    (void)take(world);
    CHECK_EQ(read(world, e), 5);
    CHECK_EQ(stats_of(world).pages, 0);
    write(world, e, 6);
    CHECK_EQ(stats_of(world).pages, 1);
    write(world, e, 7);
    CHECK_EQ(stats_of(world).pages, 1);
    sett_world_destroy(world);
}

static void structure_in_use_rejects(void)
{
    sett_world* world = begin();
    (void)spawn(world, 1);
    sett_snapshot snapshot = take(world);
    sett_query_desc desc = {
        .terms = {{.component = value_id, .access = SETT_IN, .kind = SETT_WITH}}};
    sett_query* query = sett_query_create(world, &desc);
    sett_snapshot another = {0, 0};
    SETT_QUERY_EACH(query, b) {
        CHECK_EQ(sett_snapshot_take(world, &another), SETT_STATUS_LOCKED);
        CHECK_EQ(sett_snapshot_restore(world, snapshot), SETT_STATUS_LOCKED);
    }
    CHECK_EQ(another.serial, 0);
    sett_group_desc group = {.name = "late", .with = {value_id}};
    CHECK(sett_group_create(world, &group) == NULL);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_LOCKED);
    CHECK(strstr(sett_world_message(world), "sett_snapshot_drop_all") != NULL);
    CHECK_EQ(sett_component_convert(world, value_id, SETT_STORAGE_SPARSE_SET), SETT_STATUS_LOCKED);
    sett_snapshot_drop_all(world);
    sett_group* made = sett_group_create(world, &group);
    CHECK(made != NULL);
    CHECK_EQ(sett_component_convert(world, value_id, SETT_STORAGE_SPARSE_SET), SETT_OK);
    snapshot = take(world);
    CHECK_EQ(sett_group_destroy(made), SETT_STATUS_LOCKED);
    CHECK_EQ(sett_snapshot_drop(world, snapshot), SETT_OK);
    CHECK_EQ(sett_group_destroy(made), SETT_OK);
    sett_world_destroy(world);
}

static void handles_that_are_none_are_rejected(void)
{
    sett_world* world = begin();
    sett_snapshot none = {0, 0};
    sett_snapshot made_up = {5, 9};
    CHECK_EQ(sett_snapshot_restore(world, none), SETT_STATUS_STALE);
    CHECK_EQ(sett_snapshot_drop(world, made_up), SETT_STATUS_STALE);
    sett_snapshot snapshot = take(world);
    CHECK_EQ(sett_snapshot_restore(world, none), SETT_STATUS_STALE);
    CHECK_EQ(sett_snapshot_status(world, made_up), SETT_STATUS_STALE);
    CHECK_EQ(sett_snapshot_status(world, snapshot), SETT_OK);
    sett_snapshot_drop_all(world);
    CHECK_EQ(sett_snapshot_status(world, snapshot), SETT_STATUS_STALE);
    sett_snapshot next = take(world); /* in the same slot */
    CHECK_EQ(sett_snapshot_status(world, snapshot), SETT_STATUS_STALE);
    CHECK_EQ(sett_snapshot_status(world, next), SETT_OK);
    sett_world_destroy(world);
}

static void commands_are_applied_by_taking_and_dropped_by_restoring(void)
{
    sett_world* world = begin();
    sett_commands* own = sett_commands_here(world);
    sett_commands* second = sett_commands_create(world);
    value v = {4, 4};
    sett_entity reserved = sett_cmd_create(own);
    CHECK_EQ(sett_cmd_set(second, reserved, value_id, &v), SETT_OK);
    sett_snapshot snapshot = take(world);
    CHECK_EQ(sett_commands_count(own) + sett_commands_count(second), 0);
    CHECK(sett_entity_valid(world, reserved));
    sett_entity never = sett_cmd_create(own);
    CHECK_EQ(sett_cmd_destroy(second, reserved), SETT_OK);
    CHECK_EQ(sett_snapshot_restore(world, snapshot), SETT_OK);
    CHECK_EQ(sett_commands_count(own) + sett_commands_count(second), 0);
    CHECK(sett_entity_valid(world, reserved));
    CHECK(sett_equals(sett_entity_create(world), never)); /* as if it had not been reserved */
    CHECK_END(world);
}

static void types_registered_later_are_empty_before(void)
{
    sett_world* world = begin();
    sett_entity e = spawn(world, 1);
    sett_snapshot before = take(world);
    sett_component_desc desc = {.name = "late", .size = 8};
    sett_component late = sett_component_register(world, &desc);
    CHECK(sett_add(world, e, late) != NULL);
    sett_snapshot after = take(world);
    CHECK_EQ(sett_snapshot_restore(world, before), SETT_OK);
    CHECK(!sett_has(world, e, late));
    CHECK_EQ(sett_component_count(world, late), 0);
    CHECK_VALID(world);
    CHECK_EQ(sett_snapshot_restore(world, after), SETT_OK);
    CHECK(sett_has(world, e, late));
    CHECK_END(world);
}

static void no_deinit(void* values, uint32_t count, void* user)
{
    (void)values;
    (void)count;
    (void)user;
}

static void types_that_do_not_say_how_are_rejected_by_name(void)
{
    sett_world* world = begin();
    sett_snapshot snapshot;
    sett_component_desc desc = {.name = "Texture", .size = 8, .deinit = no_deinit};
    CHECK(sett_component_register(world, &desc) != 0);
    CHECK_EQ(sett_snapshot_take(world, &snapshot), SETT_STATUS_ARGUMENT);
    CHECK(strstr(sett_world_message(world), "\"Texture\"") != NULL);
    CHECK(strstr(sett_world_message(world), "SETT_SAVE_SKIP") != NULL);
    sett_world_destroy(world);

    world = begin();
    desc.save = SETT_SAVE_CLONE;
    CHECK(sett_component_register(world, &desc) != 0);
    CHECK_EQ(sett_snapshot_take(world, &snapshot), SETT_STATUS_ARGUMENT);
    CHECK(strstr(sett_world_message(world), "`copy` hook") != NULL);
    sett_world_destroy(world);

    world = begin();
    desc.save = SETT_SAVE_SKIP;
    CHECK(sett_component_register(world, &desc) != 0);
    CHECK_EQ(sett_snapshot_take(world, &snapshot), SETT_OK);
    sett_world_destroy(world);
}

static void the_clock_goes_on_at_a_restore(void)
{
    sett_world* world = begin();
    sett_entity e = spawn(world, 1);
    sett_snapshot snapshot = take(world);
    sett_world_advance_tick(world);
    write(world, e, 2);
    uint64_t changed = sett_changed_tick(world, e, value_id);
    uint64_t tick = sett_world_tick(world);
    CHECK_EQ(sett_snapshot_restore(world, snapshot), SETT_OK);
    CHECK(sett_world_tick(world) > tick);
    CHECK(sett_changed_tick(world, e, value_id) > changed); /* the restore changed it */
    CHECK(sett_changed_tick(world, e, value_id) <= sett_world_tick(world));
    uint64_t restored = sett_changed_tick(world, e, value_id);
    sett_world_advance_tick(world);
    CHECK_EQ(sett_snapshot_restore(world, snapshot), SETT_OK); /* nothing differs */
    CHECK_EQ(sett_changed_tick(world, e, value_id), restored);
    sett_world_destroy(world);
}

/* How many entities a query visits that compares with this tick. */
static uint32_t changed_since(sett_query* query, uint64_t since)
{
    uint32_t count = 0;
    sett_query_set_since(query, since);
    SETT_QUERY_EACH(query, b) {
        SETT_EACH(b, i) {
            count++;
        }
    }
    return count;
}

/* The position of a cursor that saw everything up to now. */
static uint64_t look(sett_world* world)
{
    uint64_t seen = sett_world_tick(world);
    sett_world_advance_tick(world);
    return seen;
}

static void a_cursor_sees_what_a_restore_exchanged(void)
{
    static const sett_component_desc kinds[] = {
        {.name = "array", .size = 4},
        {.name = "tracked", .size = 4, .track_rows = true},
        {.name = "sparse-set", .size = 4, .storage = SETT_STORAGE_SPARSE_SET, .track_rows = true},
        {.name = "tag"},
    };
    for (uint32_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
        sett_world* world = begin();
        sett_component id = sett_component_register(world, &kinds[k]);
        sett_query* query = sett_query_create(
            world,
            &(sett_query_desc){
                .terms = {
                    {.component = id, .access = SETT_IN, .kind = SETT_WITH, .changed = true}}});
        sett_entity e = spawn(world, 1);
        CHECK(sett_add(world, e, id) != NULL || kinds[k].size == 0);
        uint64_t seen = look(world);
        CHECK_EQ(changed_since(query, seen), 0);
        sett_snapshot with = take(world);
        CHECK_EQ(sett_snapshot_restore(world, with), SETT_OK);
        CHECK_EQ(changed_since(query, seen), 0);
        if (kinds[k].size != 0) {
            *(uint32_t*)sett_get_mut(world, e, id) = 7;
            seen = look(world); /* it saw the 7 */
            CHECK_EQ(sett_snapshot_restore(world, with), SETT_OK);
            CHECK_EQ(changed_since(query, seen), 1);
            CHECK(sett_changed_tick(world, e, id) > seen);
        }
        CHECK_EQ(sett_remove(world, e, id), SETT_OK);
        seen = look(world); /* it saw that the value is gone */
        CHECK_EQ(sett_snapshot_restore(world, with), SETT_OK);
        CHECK_EQ(changed_since(query, seen), 1); /* and that it is back, though nothing wrote it */
        CHECK(sett_changed_tick(world, e, id) > seen);
        CHECK_EQ(changed_since(query, look(world)), 0);
        sett_world_destroy(world);
    }
}

static void rows_that_move_take_along_that_they_were_restored(void)
{
    sett_world* world = begin();
    sett_component id = sett_component_register(
        world,
        &(sett_component_desc){
            .name = "row", .size = 4, .storage = SETT_STORAGE_SPARSE_SET, .track_rows = true});
    sett_query* query = sett_query_create(
        world,
        &(sett_query_desc){
            .terms = {{.component = id, .access = SETT_IN, .kind = SETT_WITH, .changed = true}}});
    static sett_entity e[3000];
    for (uint32_t k = 0; k < 3000; k++) {
        e[k] = sett_entity_create(world);
        *(uint32_t*)sett_ensure(world, e[k], id) = 3000 - k;
    }
    sett_snapshot snapshot = take(world);
    sett_world_advance_tick(world);
    *(uint32_t*)sett_get_mut(world, e[2999], id) = 7;
    uint64_t seen = look(world);
    CHECK_EQ(sett_snapshot_restore(world, snapshot), SETT_OK);
    sett_snapshot_drop_all(world);
    CHECK(sett_changed_tick(world, e[2999], id) > seen);
    CHECK(sett_changed_tick(world, e[0], id) <= seen); /* on another page */
    CHECK_EQ(sett_remove(world, e[0], id), SETT_OK);   /* the last row moves to the first place */
    CHECK(sett_changed_tick(world, e[2999], id) > seen);
    CHECK_EQ(sett_sort(world, &(sett_sort_desc){.component = id, .key = SETT_KEY_U32}), SETT_OK);
    CHECK(sett_changed_tick(world, e[2999], id) > seen);
    CHECK_EQ(sett_component_convert(world, id, SETT_STORAGE_ARRAY), SETT_OK);
    CHECK(sett_changed_tick(world, e[2999], id) > seen);
    CHECK(changed_since(query, seen) >= 1);
    sett_world_destroy(world);
}

typedef struct observed {
    uint32_t count;
    uint32_t sum;
} observed;

static void observe_changed(sett_context* context)
{
    observed* to = context->user;
    SETT_SYSTEM_EACH(context, b) {
        SETT_EACH(b, i) {
            to->count++;
            to->sum += sett_batch_entity(b, i).index;
        }
    }
}

/* "Since" of a system is state: after a restore it sees again what it saw the first time, and not
 * what the restore exchanged. */
static void a_system_sees_the_same_changes_again(void)
{
    sett_world* world = begin();
    observed seen = {0, 0};
    sett_system_desc desc = {
        .name = "observer",
        .run = observe_changed,
        .terms = {{.component = value_id, .access = SETT_IN, .kind = SETT_WITH, .changed = true}},
        .user = &seen};
    CHECK(sett_system_create(world, &desc) != NULL);
    static sett_entity e[9000];
    for (uint32_t k = 0; k < 9000; k++) {
        e[k] = spawn(world, k);
    }
    CHECK_EQ(sett_progress(world, 0.1f), SETT_OK);
    CHECK_EQ(seen.count, 9000);
    write(world, e[5000], 1);
    sett_snapshot snapshot = take(world);
    observed first[3];
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t frame = 0; frame < 3; frame++) {
            seen.count = 0;
            seen.sum = 0;
            CHECK_EQ(sett_progress(world, 0.1f), SETT_OK);
            if (round == 0) {
                first[frame] = seen;
            }
            CHECK_EQ(seen.count, first[frame].count);
            CHECK_EQ(seen.sum, first[frame].sum);
            write(world, e[frame], round); /* seen in the next frame */
        }
        CHECK(first[0].count != 0 && first[0].count < 9000);
        write(world, e[7000], 1); /* after the last frame: the restore exchanges its page */
        CHECK_EQ(sett_snapshot_restore(world, snapshot), SETT_OK);
    }
    sett_world_destroy(world);
}

static void a_limit_drops_the_oldest_and_says_so(void)
{
    sett_world* world = begin();
    static sett_entity e[20000];
    for (uint32_t k = 0; k < 20000; k++) {
        e[k] = spawn(world, k);
    }
    sett_snapshot_options options = {.memory_limit = 400000};
    CHECK_EQ(sett_snapshot_set_options(world, &options), SETT_OK);
    sett_snapshot at[6];
    for (uint32_t frame = 0; frame < 6; frame++) {
        at[frame] = take(world);
        for (uint32_t k = 0; k < 20000; k++) {
            write(world, e[k], k + frame + 1);
            if (k % 100 == 0) { /* also between two takings */
                CHECK(stats_of(world).page_size <= options.memory_limit);
            }
        }
    }
    CHECK(strstr(said, "sett_snapshot_options.memory_limit, 400000 bytes: ") != NULL);
    CHECK_EQ(sett_snapshot_status(world, at[0]), SETT_STATUS_LOST);
    CHECK_EQ(sett_snapshot_restore(world, at[0]), SETT_STATUS_LOST);
    CHECK(strstr(sett_world_message(world), "it is lost, because memory ran out or memory_limit "
                                            "was exceeded - take a new one") != NULL);
    CHECK_EQ(sett_snapshot_status(world, at[5]), SETT_OK);
    CHECK(stats_of(world).page_size <= options.memory_limit);
    CHECK(stats_of(world).lost != 0);
    CHECK_EQ(sett_snapshot_restore(world, at[5]), SETT_OK);
    CHECK_EQ(read(world, e[7]), 12);
    CHECK_END(world);
}

/* While a loop is open nothing is dropped: the limit is passed by what the loop writes, and obeyed
 * when the next page is kept outside of it. */
static void a_loop_may_pass_the_limit_by_what_it_writes(void)
{
    sett_world* world = begin();
    for (uint32_t k = 0; k < 20000; k++) {
        (void)spawn(world, k);
    }
    sett_entity outside = sett_entity_create(world);
    CHECK(sett_add(world, outside, value_id) != NULL);
    sett_query* query = sett_query_create(
        world, &(sett_query_desc){
                   .terms = {{.component = value_id, .access = SETT_INOUT, .kind = SETT_WITH}}});
    sett_snapshot first = take(world);
    size_t one = 0; /* bytes that one loop keeps */
    for (uint32_t round = 0; round < 3; round++) {
        SETT_QUERY_EACH(query, b) {
            value* v = sett_batch_field(b, 0);
            SETT_EACH(b, i) {
                v[i].a++;
            }
        }
        if (round == 0) {
            one = stats_of(world).page_size;
            CHECK_EQ(sett_snapshot_set_options(
                         world, &(sett_snapshot_options){.memory_limit = one + one / 2}),
                     SETT_OK);
        }
        CHECK_EQ(sett_snapshot_status(world, first), SETT_OK);
        CHECK(stats_of(world).page_size <= one + one / 2 + one);
        if (round == 0) {
            (void)take(world);
        }
    }
    CHECK(stats_of(world).page_size > one + one / 2);
    CHECK_EQ(sett_entity_destroy(world, outside), SETT_OK); /* keeps a page */
    CHECK_EQ(sett_snapshot_status(world, first), SETT_STATUS_LOST);
    CHECK(stats_of(world).page_size <= one + one / 2);
    CHECK_END(world);
}

/* It cannot be restored any more, and its pages are freed with the next one. */
static void what_lies_right_behind_stays_until_the_next(void)
{
    sett_world* world = begin();
    sett_entity e = spawn(world, 1);
    sett_snapshot first = take(world);
    write(world, e, 2);
    sett_snapshot second = take(world);
    write(world, e, 3);
    CHECK_EQ(sett_snapshot_drop(world, second), SETT_OK);
    CHECK_EQ(stats_of(world).snapshots, 1);
    CHECK_EQ(stats_of(world).hidden, 1);
    CHECK_EQ(sett_snapshot_restore(world, second), SETT_STATUS_STALE);
    (void)take(world);
    CHECK_EQ(stats_of(world).hidden, 0);
    CHECK_VALID(world);
    CHECK_EQ(sett_snapshot_restore(world, first), SETT_OK);
    CHECK_EQ(read(world, e), 1);
    sett_world_destroy(world);
}

static void a_ring_holds_the_last_frames(void)
{
    sett_world* world = begin();
    sett_entity e = spawn(world, 0);
    sett_ring* ring = sett_ring_create(world, 4);
    CHECK_EQ(sett_ring_restore(ring, 0), SETT_STATUS_ARGUMENT);
    for (uint32_t frame = 0; frame < 10; frame++) {
        write(world, e, frame);
        CHECK_EQ(sett_ring_take(ring), SETT_OK);
    }
    CHECK_EQ(sett_ring_count(ring), 4);
    CHECK_EQ(stats_of(world).snapshots, 4);
    CHECK_EQ(sett_ring_restore(ring, 4), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_ring_restore(ring, 2), SETT_OK);
    CHECK_EQ(read(world, e), 7);
    CHECK_EQ(sett_ring_count(ring), 2);
    for (uint32_t frame = 20; frame < 25; frame++) {
        write(world, e, frame);
        CHECK_EQ(sett_ring_take(ring), SETT_OK);
    }
    CHECK_EQ(sett_ring_restore(ring, 3), SETT_OK);
    CHECK_EQ(read(world, e), 21);
    CHECK_EQ(sett_snapshot_status(world, sett_ring_at(ring, 0)), SETT_OK);
    CHECK_EQ(sett_snapshot_status(world, sett_ring_at(ring, 1)), SETT_STATUS_STALE);
    sett_ring_destroy(ring);
    CHECK_EQ(stats_of(world).snapshots, 0);
    CHECK_END(world);
}

/* Frames that are played again are taken again, by the same loop. */
static void a_ring_knows_frames_by_their_numbers(void)
{
    sett_world* world = quiet_world();
    sett_ring* ring = sett_ring_create(world, 5);
    uint64_t hash[40];
    CHECK_EQ(sett_ring_restore_frame(ring, 3), SETT_STATUS_ARGUMENT);
    for (uint64_t round = 0, from = 10; round < 3; round++, from = 16 - round) {
        if (round != 0) {
            CHECK_EQ(sett_ring_restore_frame(ring, from), SETT_OK);
            CHECK_EQ(sett_world_hash(world), hash[from]);
        }
        for (uint64_t frame = from; frame < 18; frame++) {
            CHECK_EQ(sett_ring_take_frame(ring, frame), SETT_OK);
            hash[frame] = sett_world_hash(world);
            sett_entity_create(world);
        }
        CHECK_EQ(sett_ring_count(ring), 5);
    }
    uint64_t of_14 = 0;
    CHECK_EQ(sett_snapshot_hash(world, sett_ring_at_frame(ring, 14), &of_14), SETT_OK);
    CHECK_EQ(of_14, hash[14]);
    CHECK_EQ(sett_ring_at_frame(ring, 12).serial, 0);
    CHECK_EQ(sett_ring_restore_frame(ring, 12), SETT_STATUS_ARGUMENT);
    CHECK(strstr(sett_world_message(world),
                 "no frame 12 - pass one of its 5 frames, from 13 to 17") != NULL);
    CHECK_EQ(sett_ring_take(ring), SETT_OK);
    CHECK_EQ(sett_ring_at_frame(ring, 18).serial, sett_ring_at(ring, 0).serial);
    CHECK_END(world);
}

/* What ended without the ring is no more in it. */
static void a_ring_counts_what_can_be_restored(void)
{
    sett_world* world = begin();
    sett_entity e = spawn(world, 0);
    sett_ring* ring = sett_ring_create(world, 4);
    for (uint32_t frame = 0; frame < 6; frame++) {
        write(world, e, frame);
        CHECK_EQ(sett_ring_take(ring), SETT_OK);
    }
    sett_snapshot_drop_all(world);
    CHECK_EQ(sett_ring_count(ring), 0);
    CHECK_EQ(sett_ring_at(ring, 0).serial, 0);
    CHECK_EQ(sett_ring_restore(ring, 0), SETT_STATUS_ARGUMENT);
    CHECK(strstr(sett_world_message(world), "the ring is empty - take a snapshot first") != NULL);
    CHECK_EQ(sett_ring_take(ring), SETT_OK);
    write(world, e, 9);
    CHECK_EQ(sett_snapshot_set_options(world, &(sett_snapshot_options){.memory_limit = 1}),
             SETT_OK);
    sett_snapshot other = take(world); /* the latest snapshot is never lost by the limit */
    CHECK_EQ(sett_ring_restore(ring, 0), SETT_STATUS_LOST);
    CHECK(strstr(sett_world_message(world), "all snapshots of the ring are lost: ") != NULL);
    CHECK_EQ(sett_snapshot_set_options(world, &(sett_snapshot_options){0}), SETT_OK);
    CHECK_EQ(sett_snapshot_drop(world, other), SETT_OK);
    for (uint32_t count = 1; count <= 6; count++) {
        write(world, e, 10 + count);
        CHECK_EQ(sett_ring_take(ring), SETT_OK);
        CHECK_EQ(sett_ring_count(ring), count < 4 ? count : 4);
        CHECK_EQ(sett_ring_restore(ring, 4), SETT_STATUS_ARGUMENT);
    }
    CHECK_EQ(sett_snapshot_drop(world, sett_ring_at(ring, 3)), SETT_OK); /* the oldest */
    CHECK_EQ(sett_ring_count(ring), 3);
    CHECK_EQ(sett_snapshot_drop(world, sett_ring_at(ring, 1)), SETT_OK); /* one in between */
    CHECK_EQ(sett_ring_restore(ring, 1), SETT_STATUS_STALE);
    CHECK_EQ(sett_ring_restore(ring, 2), SETT_OK);
    CHECK_EQ(read(world, e), 14);
    CHECK_EQ(sett_ring_count(ring), 1);
    sett_ring_destroy(ring);
    CHECK_EQ(stats_of(world).snapshots, 0);
    CHECK_END(world);
}

static void frames_allocate_nothing_once_it_runs(void)
{
    sett_world* world = begin();
    static sett_entity e[5000];
    for (uint32_t k = 0; k < 5000; k++) {
        e[k] = spawn(world, k);
    }
    sett_ring* ring = sett_ring_create(world, 8);
    uint64_t allocations = 0;
    for (uint32_t frame = 0; frame < 40; frame++) {
        CHECK_EQ(sett_ring_take(ring), SETT_OK);
        for (uint32_t k = frame % 7; k < 5000; k += 7) {
            write(world, e[k], frame);
        }
        if (frame == 20) {
            allocations = world->pool.allocations;
        }
    }
    CHECK_EQ(world->pool.allocations, allocations);
    sett_world_destroy(world);
}

static void validation_sees_a_page_that_was_written_unkept(void)
{
    sett_world* world = begin();
    sett_entity e = spawn(world, 1);
    (void)take(world);
    CHECK_VALID(world);
    setti_pages* rows = &world->types[value_id]->storage.rows;
    uint64_t tick = rows->tick[e.index];
    rows->tick[e.index] = world->pool.tick; /* as if something had gone round the barrier */
    CHECK_EQ(sett_world_validate(world, NULL), SETT_STATUS_INVALID);
    rows->tick[e.index] = tick;
    CHECK_VALID(world);
    world->pool.cow_from++;
    CHECK_EQ(sett_world_validate(world, NULL), SETT_STATUS_INVALID);
    world->pool.cow_from--;
    sett_world_destroy(world);
}

/* However many are held, taking, dropping and restoring look at neighbours only: none of them goes
 * along the list of all, whose far end leads nowhere meanwhile. */
static void costs_do_not_grow_with_snapshots_held(void)
{
    enum {
        HELD = 200
    };
    sett_world* world = begin();
    sett_entity e = spawn(world, 1);
    static sett_snapshot held[HELD];
    for (uint32_t k = 0; k < HELD; k++) {
        write(world, e, k);
        held[k] = take(world);
    }
    setti_snapshot* oldest = setti_state_of(world)->oldest;
    setti_snapshot* second = oldest->younger;
    oldest->younger = (setti_snapshot*)(uintptr_t)64;
    for (uint32_t k = 0; k < 50; k++) {
        write(world, e, 1000 + k);
        sett_snapshot taken = take(world);
        write(world, e, 2000 + k);
        CHECK_EQ(sett_snapshot_restore(world, held[HELD - 1]), SETT_OK);
        CHECK_EQ(sett_snapshot_restore(world, taken), SETT_OK);
        CHECK_EQ(read(world, e), 1000 + k);
        CHECK_EQ(sett_snapshot_drop(world, taken), SETT_OK);
        CHECK_EQ(sett_snapshot_drop(world, held[20 + k]), SETT_OK); /* in the middle: merged */
    }
    oldest->younger = second;
    CHECK_VALID(world);
    CHECK_EQ(sett_snapshot_restore(world, held[0]), SETT_OK);
    CHECK_EQ(read(world, e), 0);
    sett_world_destroy(world);
}

static void signatures_of_snapshots_are_not_reclaimed(void)
{
    sett_world* world = begin();
    sett_entity e = spawn(world, 1);
    CHECK(sett_add(world, e, other_id) != NULL);
    sett_snapshot snapshot = take(world);
    CHECK_EQ(sett_entity_destroy(world, e), SETT_OK);
    CHECK_EQ(sett_world_trim(world), SETT_OK); /* removes unused signatures */
    sett_component_desc desc = {.name = "new"};
    sett_component fresh = sett_component_register(world, &desc);
    sett_entity f = sett_entity_create(world);
    CHECK(sett_add(world, f, fresh) != NULL); /* and would use the number again */
    CHECK_EQ(sett_snapshot_restore(world, snapshot), SETT_OK);
    sett_component has[4];
    CHECK_EQ(sett_entity_components(world, e, has, 4), 2);
    CHECK_END(world);
}

static sett_restored heard[16];
static uint32_t heard_count;

static void hear(sett_world* world, const sett_restored* items, uint32_t count, void* user)
{
    CHECK_PTR_EQ(user, &heard_count);
    CHECK(count <= 16);
    CHECK_EQ(sett_entity_destroy(world, items[count - 1].entity), SETT_STATUS_LOCKED);
    memcpy(heard, items, count * sizeof(*items));
    heard_count = count;
}

static void a_restore_notifies_what_it_did(void)
{
    sett_world* world = begin();
    sett_entity e = spawn(world, 1);
    sett_entity f = spawn(world, 2);
    sett_entity still = spawn(world, 3);
    (void)still;
    sett_snapshot_options options = {.restored = hear, .user = &heard_count};
    CHECK_EQ(sett_snapshot_set_options(world, &options), SETT_OK);
    sett_snapshot snapshot = take(world);
    write(world, e, 7);
    CHECK(sett_add(world, e, other_id) != NULL);
    CHECK_EQ(sett_entity_destroy(world, f), SETT_OK);
    sett_entity g = spawn(world, 4);
    CHECK_EQ(g.index, f.index);
    CHECK_EQ(sett_snapshot_restore(world, snapshot), SETT_OK);
    const sett_restored expected[] = {
        {SETT_RESTORED_KILLED, 0, g},         {SETT_RESTORED_REVIVED, 0, f},
        {SETT_RESTORED_CHANGED, value_id, e}, {SETT_RESTORED_REMOVED, value_id, g},
        {SETT_RESTORED_ADDED, value_id, f},   {SETT_RESTORED_REMOVED, other_id, e},
    };
    CHECK_EQ(heard_count, 6);
    for (uint32_t k = 0; k < 6; k++) {
        CHECK_EQ(heard[k].kind, expected[k].kind);
        CHECK_EQ(heard[k].component, expected[k].component);
        CHECK(sett_equals(heard[k].entity, expected[k].entity));
    }
    sett_world_destroy(world);
}

TEST_MAIN(TEST(restoring_goes_back_and_forward_and_another_way), TEST(the_same_handles_come_next),
          TEST(addresses_hold), TEST(addresses_hold_over_a_chain),
          TEST(any_of_a_chain_can_be_dropped), TEST(dropping_all_gives_memory_back),
          TEST(an_untouched_world_copies_nothing), TEST(structure_in_use_rejects),
          TEST(handles_that_are_none_are_rejected),
          TEST(commands_are_applied_by_taking_and_dropped_by_restoring),
          TEST(types_registered_later_are_empty_before),
          TEST(types_that_do_not_say_how_are_rejected_by_name),
          TEST(the_clock_goes_on_at_a_restore), TEST(a_cursor_sees_what_a_restore_exchanged),
          TEST(rows_that_move_take_along_that_they_were_restored),
          TEST(a_system_sees_the_same_changes_again), TEST(a_limit_drops_the_oldest_and_says_so),
          TEST(a_loop_may_pass_the_limit_by_what_it_writes),
          TEST(what_lies_right_behind_stays_until_the_next), TEST(a_ring_holds_the_last_frames),
          TEST(a_ring_knows_frames_by_their_numbers), TEST(a_ring_counts_what_can_be_restored),
          TEST(frames_allocate_nothing_once_it_runs),
          TEST(validation_sees_a_page_that_was_written_unkept),
          TEST(costs_do_not_grow_with_snapshots_held),
          TEST(signatures_of_snapshots_are_not_reclaimed), TEST(a_restore_notifies_what_it_did))

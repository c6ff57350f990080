/* states.c: misuses of snapshots, deltas and JSON. */
#include "misuse_table.h"

static void restore_what_was_never_taken(scene* s)
{
    sett_snapshot none = {0, 0};
    FAILS(sett_snapshot_restore(s->world, none), STALE);
}

static void restore_dropped(scene* s)
{
    sett_snapshot snapshot;
    CHECK_EQ(sett_snapshot_take(s->world, &snapshot), SETT_OK);
    CHECK_EQ(sett_snapshot_drop(s->world, snapshot), SETT_OK);
    FAILS(sett_snapshot_restore(s->world, snapshot), STALE);
}

static void ring_too_far_back(scene* s)
{
    sett_ring* ring = sett_ring_create(s->world, 8);
    CHECK_EQ(sett_ring_take(ring), SETT_OK);
    FAILS(sett_ring_restore(ring, 3), ARGUMENT);
}

static void group_while_snapshots_are_held(scene* s)
{
    sett_snapshot snapshot;
    CHECK_EQ(sett_snapshot_take(s->world, &snapshot), SETT_OK);
    IS_NULL(sett_group_create(s->world, &(sett_group_desc){.with = {Position_id}}));
}

static void write_behind_the_back(scene* s)
{
    CHECK_EQ(sett_world_check_writes(s->world), SETT_OK);
    ((Position*)setti_unconst(sett_get(s->world, s->e, Position_id)))->x = 99;
    FAILS(sett_world_check_writes(s->world), INVALID);
}

static void free_nothing(void* values, uint32_t count, void* user)
{
    (void)values;
    (void)count;
    (void)user;
}

static void save_what_is_owned(scene* s)
{
    sett_component_desc desc = {.name = "Song", .size = sizeof(char*), .deinit = free_nothing};
    CHECK(sett_component_register(s->world, &desc) != 0);
    FAILS(sett_world_save(s->world, "never-written.sett"), ARGUMENT);
}

static void clone_into_itself(scene* s)
{
    FAILS(sett_world_clone(s->world, s->world), ARGUMENT);
}

/* The delta of a change of Position, from a world that was a copy of this one. */
static size_t make_delta(scene* s, unsigned char bytes[2048])
{
    sett_snapshot before;
    sett_snapshot after;
    size_t size;
    sett_world* sender = quiet_world();
    CHECK_EQ(sett_world_clone(s->world, sender), SETT_OK);
    CHECK_EQ(sett_snapshot_take(sender, &before), SETT_OK);
    CHECK(SETT_SET(sender, s->e, Position, .x = 5) != NULL);
    CHECK_EQ(sett_snapshot_take(sender, &after), SETT_OK);
    CHECK_EQ(sett_delta_encode(sender, before, after, bytes, 2048, &size), SETT_OK);
    sett_world_destroy(sender);
    return size;
}

static void delta_altered(scene* s)
{
    unsigned char bytes[2048];
    size_t size = make_delta(s, bytes);
    bytes[size - 1] ^= 1;
    FAILS(sett_delta_apply(s->world, bytes, size), INVALID);
}

static void delta_of_another_state(scene* s)
{
    unsigned char bytes[2048];
    size_t size = make_delta(s, bytes);
    CHECK(SETT_SET(s->world, s->f, Position, .x = 6) != NULL);
    FAILS(sett_delta_apply(s->world, bytes, size), CONFLICT);
}

static void delta_applied_twice(scene* s)
{
    unsigned char bytes[2048];
    size_t size = make_delta(s, bytes);
    CHECK_EQ(sett_delta_apply(s->world, bytes, size), SETT_OK);
    FAILS(sett_delta_apply(s->world, bytes, size), CONFLICT);
}

static void write_value(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)world, (void)entity, (void)user;
    ((Position*)value)->x += 1;
}

static void record_in_delta(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)value, (void)user;
    FAILS(sett_cmd_add(sett_commands_here(world), entity, Frozen_id), LOCKED);
}

static void watch_positions(scene* s, void (*run)(sett_world*, sett_entity, void*, void*))
{
    CHECK(sett_observer_create(s->world, &(sett_observer_desc){.name = "mirror",
                                                               .component = Position_id,
                                                               .on_set = run}) != NULL);
}

static void delta_written_to(scene* s)
{
    unsigned char bytes[2048];
    size_t size = make_delta(s, bytes);
    watch_positions(s, write_value);
    FAILS(sett_delta_apply(s->world, bytes, size), INVALID);
}

static void delta_recorded(scene* s)
{
    unsigned char bytes[2048];
    size_t size = make_delta(s, bytes);
    watch_positions(s, record_in_delta);
    CHECK_EQ(sett_delta_apply(s->world, bytes, size), SETT_OK);
}

static sett_status json_write(scene* s, sett_json_desc desc)
{
    char text[2000] = "none";
    CHECK_EQ(sett_json_format(s->world, &desc, text, sizeof(text)), 0);
    return sett_world_error(s->world);
}

static void json_of_null(scene* s)
{
    FAILS(json_write(s, (sett_json_desc){.single = true}), STALE);
}

static void json_of_the_dead(scene* s)
{
    FAILS(json_write(s, (sett_json_desc){.entity = s->dead}), STALE);
}

static void json_of_another_world(scene* s)
{
    FAILS(json_write(s, (sett_json_desc){.query = misuse_query_elsewhere(s)}), ARGUMENT);
}

static const misuse states_rows[] = {
    {"restore a snapshot that was never taken", "STALE", restore_what_was_never_taken, EVERY},
    {"restore a dropped snapshot", "STALE", restore_dropped, EVERY},
    {"go back further than a ring reaches", "ARGUMENT", ring_too_far_back, EVERY},
    {"create a group while snapshots are held", "NULL", group_while_snapshots_are_held, EVERY},
    {"write through a const address (`sett_world_check_writes` finds it)", "INVALID",
     write_behind_the_back, EVERY},
    {"clone a world into itself", "ARGUMENT", clone_into_itself, EVERY},
    {"save, or load, a type that owns memory and has SETT_SAVE_BYTES", "ARGUMENT",
     save_what_is_owned, EVERY},
    {"apply a delta that was altered", "INVALID", delta_altered, EVERY},
    {"apply a delta to another state", "CONFLICT", delta_of_another_state, EVERY},
    {"apply a delta twice", "CONFLICT", delta_applied_twice, EVERY},
    {"write in a callback while a delta is applied", "INVALID", delta_written_to, EVERY},
    {"record in a callback while a delta is applied", "LOCKED", delta_recorded, EVERY},
};

const misuse_section misuse_states = MISUSE_SECTION("Snapshots and deltas", states_rows);

static const misuse json_rows[] = {
    {"write a single entity, which a lookup did not find", "STALE", json_of_null, EVERY},
    {"write a destroyed entity", "STALE", json_of_the_dead, EVERY},
    {"write the entities of a query of another world", "ARGUMENT", json_of_another_world, EVERY},
};

const misuse_section misuse_json = MISUSE_SECTION("JSON", json_rows);

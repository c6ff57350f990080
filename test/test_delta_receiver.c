/* What the receiver of a delta notices: types that it lacks, memory, notifications, and what cannot
 * be undone.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sett/hierarchy.h"
#include "sett/name.h"
#include "sett/observer.h"
#include "sett/prefab.h"
#include "sett/relationship.h"
#include "sett/singleton.h"
#include "states.h"

#include "base/page.h"
#include "state/delta.h"

static sett_component number(sett_world* world, const char* name, uint32_t version)
{
    sett_component id = sett_component_register(
        world, &(sett_component_desc){.name = name, .size = 4, .layout_version = version});
    CHECK(id != 0);
    return id;
}

static void put(sett_world* world, sett_entity entity, sett_component id, uint32_t value)
{
    CHECK(sett_set(world, entity, id, &value) != NULL);
}

/* ---- Types ----------------------------------------------------------------------------------- */

static void a_missing_type_is_named(void)
{
    sett_world* world = quiet_world();
    sett_world* peer = quiet_world();
    number(world, "known", 0);
    sett_component id = number(world, "b\"a\\d\n\x1b[31m", 0);
    number(peer, "known", 0);
    for (uint32_t k = 0; k < 50; k++) { /* there may be more of them there than here */
        char name[16];
        snprintf(name, sizeof(name), "other %u", (unsigned)k);
        number(k % 2 == 0 ? world : peer, name, 0);
    }
    sett_snapshot a = take(world);
    put(world, sett_entity_create(world), id, 1);
    unsigned char* bytes;
    size_t size = encode(world, a, take(world), &bytes);
    CHECK_EQ(sett_delta_apply(peer, bytes, size), SETT_STATUS_CONFLICT);
    const char* message = sett_world_message(peer);
    CHECK_MSG(strstr(message, "\"b\\x22a\\x5cd\\x0a\\x1b[31m\" is not registered") != NULL, "%s",
              message);
    CHECK(strchr(message, '\n') == NULL && strchr(message, 0x1b) == NULL);
    CHECK_EQ(sett_entity_count(peer), 0);
    free(bytes);
    CHECK_END(world);
    CHECK_END(peer);
}

/* Applies what has changed since `before`, and returns the message. */
static const char* reason(sett_world* world, sett_snapshot before, sett_world* peer)
{
    unsigned char* bytes;
    size_t size = encode(world, before, take(world), &bytes);
    CHECK_EQ(sett_delta_apply(peer, bytes, size), SETT_STATUS_CONFLICT);
    free(bytes);
    return sett_world_message(peer);
}

/* "<relationship> sources" stands for the relationship, but other types can have such names. */
static void a_missing_relationship_is_named(void)
{
    sett_world* world = quiet_world();
    sett_world* peer = quiet_world();
    sett_component plain = number(world, "Power sources", 0);
    sett_entity e = sett_entity_create(world);
    sett_snapshot before = take(world);
    put(world, e, plain, 1);
    CHECK_STR_EQ(reason(world, before, peer),
                 "sett_delta_apply: type \"Power sources\" is not registered in this world - "
                 "register the type as the sender does");
    sett_component likes =
        sett_relationship_register(world, &(sett_relationship_desc){.name = "Likes"});
    before = take(world);
    CHECK(sett_relate(world, e, likes, e) != NULL);
    CHECK_STR_EQ(reason(world, before, peer),
                 "sett_delta_apply: relationship \"Likes\" is not registered in this world - "
                 "register the relationship as the sender does");
    CHECK_END(world);
    CHECK_END(peer);
}

static void two_types_with_names_of_one_type_are_rejected(void)
{
    static const char* const old[] = {"Weight"};
    const sett_component_desc desc = {
        .name = "Mass", .size = 4, .old_names = old, .old_name_count = 1};
    sett_world* world = quiet_world();
    sett_world* peer = quiet_world();
    CHECK(sett_component_register(peer, &desc) != 0);
    sett_component weight = number(world, "Weight", 0);
    sett_component mass = number(world, "Mass", 0);
    sett_snapshot before = take(world);
    sett_entity e = sett_entity_create(world);
    put(world, e, weight, 1);
    put(world, e, mass, 2);
    CHECK_STR_EQ(reason(world, before, peer),
                 "sett_delta_apply: two types of the delta have a name of \"Mass\", one of its "
                 "`old_names` - leave it out, or rename the type as the sender does");
    CHECK_END(world);
    CHECK_END(peer);
}

/* The index of the source is above the rows of its sparse set. */
static void circles_of_far_entities_are_found(void)
{
    const sett_relationship_desc desc = {
        .name = "In", .acyclic = true, .storage = SETT_STORAGE_SPARSE_SET};
    const sett_entity far = {50000000, 1};
    sett_world* world = quiet_world();
    sett_world* peer = quiet_world();
    sett_component in = sett_relationship_register(world, &desc);
    CHECK_EQ(sett_relationship_register(peer, &desc), in);
    sett_snapshot before = take(world);
    sett_entity e = sett_entity_create(world);
    CHECK_EQ(sett_entity_create_handle(world, far), SETT_OK);
    CHECK(sett_relate(world, far, in, e) != NULL);
    unsigned char* bytes;
    size_t size = encode(world, before, take(world), &bytes);
    CHECK_APPLY(peer, bytes, size);
    CHECK_SAME(world, peer);
    free(bytes);

    sett_world* sender = quiet_world(); /* allows the circle */
    sett_relationship_desc open = desc;
    open.acyclic = false;
    CHECK_EQ(sett_relationship_register(sender, &open), in);
    sett_snapshot empty = take(sender);
    CHECK_EQ(sett_entity_create_handle(sender, e), SETT_OK);
    CHECK_EQ(sett_entity_create_handle(sender, far), SETT_OK);
    CHECK(sett_relate(sender, far, in, e) != NULL && sett_relate(sender, e, in, far) != NULL);
    size = encode(sender, empty, take(sender), &bytes);
    sett_world* receiver = quiet_world();
    CHECK_EQ(sett_relationship_register(receiver, &desc), in);
    CHECK_EQ(sett_delta_apply(receiver, bytes, size), SETT_STATUS_INVALID);
    CHECK_MSG(strstr(sett_world_message(receiver), "leads back to itself") != NULL, "%s",
              sett_world_message(receiver));
    CHECK_EQ(sett_entity_count(receiver), 0);
    free(bytes);
    CHECK_END(sender);
    CHECK_END(receiver);
    CHECK_END(world);
    CHECK_END(peer);
}

static void a_type_of_another_layout_version_is_rejected(void)
{
    sett_world* world = quiet_world();
    sett_world* peer = quiet_world();
    sett_component id = number(world, "value", 7);
    number(peer, "value", 6);
    sett_snapshot a = take(world);
    put(world, sett_entity_create(world), id, 1);
    unsigned char* bytes;
    size_t size = encode(world, a, take(world), &bytes);
    CHECK_EQ(sett_delta_apply(peer, bytes, size), SETT_STATUS_CONFLICT);
    const char* message = sett_world_message(peer);
    CHECK_MSG(strstr(message, "\"value\"") != NULL && strstr(message, "layout_version 6") != NULL &&
                  strstr(message, "layout_version 7") != NULL,
              "%s", message);
    CHECK_EQ(sett_entity_count(peer), 0);
    free(bytes);
    CHECK_END(world);
    CHECK_END(peer);
}

static void types_of_the_library_register_themselves(void)
{
    sett_world* world = quiet_world();
    sett_world* peer = quiet_world();
    sett_component id = number(world, "value", 0);
    CHECK_EQ(number(peer, "value", 0), id);
    sett_snapshot a = take(world);
    sett_entity base = sett_entity_create(world);
    sett_entity part = sett_entity_create(world);
    sett_entity hidden = sett_entity_create(world);
    put(world, base, id, 1);
    put(world, part, id, 2);
    put(world, hidden, id, 3);
    CHECK_EQ(sett_hierarchy_attach(world, part, base), SETT_OK);
    CHECK_EQ(sett_name_set(world, part, "part"), SETT_OK);
    CHECK_EQ(sett_prefab_make(world, base), SETT_OK);
    sett_entity made;
    CHECK_EQ(sett_instantiate(world, base, 1, &made), SETT_OK);
    CHECK(sett_ensure(world, hidden, sett_disabled_tag(world)) != NULL);
    CHECK(sett_has(world, hidden, sett_disabled_tag(world)));
    uint32_t nine = 9;
    CHECK(sett_singleton_set(world, id, &nine) != NULL);
    unsigned char* bytes;
    size_t size = encode(world, a, take(world), &bytes);
    sett_query* query = sett_query_create(
        peer,
        &(sett_query_desc){.terms = {{.component = id, .access = SETT_IN, .kind = SETT_WITH}}});
    CHECK_APPLY(peer, bytes, size);
    CHECK_SAME(world, peer);
    uint32_t sum = 0;
    SETT_QUERY_EACH(query, b) {
        const uint32_t* value = sett_batch_field(b, 0);
        SETT_EACH(b, i) {
            sum += value[i];
        }
    }
    CHECK_EQ(sum, 1 + 2 + 9); /* the instance of both, the singleton */
    CHECK_EQ(*(const uint32_t*)sett_singleton_find(peer, id), 9);
    CHECK(sett_equals(sett_target(peer, made, sett_instance_of(peer)), base));
    CHECK(sett_equals(sett_name_find(peer, base, "part"), part));
    free(bytes);
    CHECK_END(world);
    CHECK_END(peer);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

typedef struct meter {
    size_t held;
    size_t most;
} meter;

static void* meter_alloc(void* user, size_t size, size_t align)
{
    meter* m = user;
    m->held += size;
    m->most = SETTI_MAX(m->most, m->held);
    return aligned_alloc(SETTI_MAX(align, 16), setti_align_up(size, SETTI_MAX(align, 16)));
}

static void meter_free(void* user, void* address, size_t size, size_t align)
{
    meter* m = user;
    (void)align;
    m->held -= size;
    free(address);
}

#define FAR_TYPES 40

static sett_world* far_world(meter* m)
{
    sett_world_desc desc = {.log_fn = sett_log_silent, .entity_limit = UINT32_MAX - 1};
    if (m != NULL) {
        desc.allocator = (sett_allocator){meter_alloc, meter_free, m, NULL};
    }
    sett_world* world = sett_world_create(&desc);
    CHECK(world != NULL);
    for (uint32_t k = 0; k < FAR_TYPES; k++) {
        char name[16];
        snprintf(name, sizeof(name), "t%u", (unsigned)k);
        number(world, name, 0);
    }
    return world;
}

/* A delta that is about another index; returns in how many places. */
static uint32_t forge(const unsigned char* bytes, size_t size, uint32_t index, uint32_t other,
                      unsigned char* out)
{
    uint32_t places = 0;
    memcpy(out, bytes, size);
    for (size_t at = 0; at + 4 <= size; at++) {
        if (memcmp(out + at, &index, 4) == 0) {
            memcpy(out + at, &other, 4);
            places++;
        }
    }
    return places;
}

/* Some thousand bytes that name an entity far out in many types would make tables of gigabytes: the
 * first of them, or some until the limit is met, which are given back. */
static void a_delta_takes_no_more_memory_than_it_may(void)
{
    static const uint32_t far[] = {0xEEEEEEE0, 0x10000000};
    const sett_entity near_by = {0x00010203, 1};
    meter m = {0, 0};
    sett_world* world = far_world(NULL);
    sett_world* peer = far_world(&m);
    sett_snapshot a = take(world);
    CHECK_EQ(sett_entity_create_handle(world, near_by), SETT_OK);
    for (uint32_t k = 0; k < FAR_TYPES; k++) {
        CHECK(sett_add(world, near_by, 1 + k) != NULL);
    }
    unsigned char* bytes;
    size_t size = encode(world, a, take(world), &bytes);
    unsigned char* forged = malloc(size);
    CHECK(size < 10000);
    (void)take(peer); /* the peer holds one of its own */
    for (uint32_t k = 0; k < 2; k++) {
        CHECK(forge(bytes, size, near_by.index, far[k], forged) > FAR_TYPES);
        size_t before = m.held;
        m.most = m.held;
        CHECK_EQ(setti_delta_apply(peer, forged, size, SETTI_TRUST), SETT_STATUS_LIMIT);
        CHECK_MSG(strstr(sett_world_message(peer), "bytes of memory - raise "
                                                   "sett_snapshot_options.delta_limit") != NULL,
                  "%s", sett_world_message(peer));
        CHECK_MSG(m.most < before + ((size_t)100 << 20), "%zu MB", m.most >> 20);
        CHECK_MSG(m.held <= before + 65536, "%zu KB more than before", (m.held - before) >> 10);
        CHECK_EQ(sett_entity_count(peer), 0);
        CHECK_VALID(peer);
    }
    sett_snapshot_options options = {.delta_limit = (size_t)64 << 10};
    CHECK_EQ(sett_snapshot_set_options(peer, &options), SETT_OK);
    CHECK_EQ(sett_delta_apply(peer, bytes, size), SETT_STATUS_LIMIT);
    CHECK_VALID(peer);
    CHECK_EQ(sett_snapshot_set_options(peer, NULL), SETT_OK);
    CHECK_APPLY(peer, bytes, size);
    CHECK_SAME(world, peer);
    free(forged);
    free(bytes);
    CHECK_END(world);
    CHECK_END(peer);
    CHECK_EQ(m.held, 0);
}

/* ---- Lives of indices ------------------------------------------------------------------------ */

/* Between any two states around the last life of an index: what is encoded applies. */
static void the_last_life_travels_or_is_rejected_when_encoded(void)
{
    enum {
        STATES = 6
    };
    const sett_entity last = {3, 0x7FFFFFFF};
    sett_world* world = quiet_world();
    sett_component id = number(world, "value", 0);
    for (uint32_t k = 0; k < 8; k++) {
        put(world, sett_entity_create(world), id, k);
    }
    sett_snapshot state[STATES];
    state[0] = take(world);
    CHECK_EQ(sett_entity_destroy(world, (sett_entity){3, 1}), SETT_OK);
    state[1] = take(world);
    CHECK_EQ(sett_entity_create_handle(world, (sett_entity){3, 0x7FFFFFFE}), SETT_OK);
    state[2] = take(world);
    CHECK_EQ(sett_entity_destroy(world, (sett_entity){3, 0x7FFFFFFE}), SETT_OK);
    CHECK_EQ(sett_entity_create_handle(world, last), SETT_OK);
    put(world, last, id, 77);
    state[3] = take(world);
    put(world, last, id, 78);
    state[4] = take(world);
    CHECK_EQ(sett_entity_destroy(world, last), SETT_OK);
    state[5] = take(world);
    uint32_t applied = 0;
    uint32_t rejected = 0;
    for (uint32_t a = 0; a < STATES; a++) {
        for (uint32_t b = 0; b < STATES; b++) {
            static unsigned char bytes[4096];
            size_t size;
            sett_status status =
                sett_delta_encode(world, state[a], state[b], bytes, sizeof(bytes), &size);
            if (status != SETT_OK) {
                CHECK_EQ(status, SETT_STATUS_ARGUMENT);
                CHECK(strstr(sett_world_message(world), "index 3 has used up") != NULL);
                rejected++;
                continue;
            }
            sett_world* peer = quiet_world();
            CHECK_EQ(sett_snapshot_restore(world, state[a]), SETT_OK);
            CHECK_EQ(sett_world_clone(world, peer), SETT_OK);
            CHECK_EQ(sett_snapshot_restore(world, state[b]), SETT_OK);
            CHECK_APPLY(peer, bytes, size);
            CHECK_SAME(world, peer);
            applied++;
            sett_world_destroy(peer);
        }
    }
    CHECK(applied >= STATES + 10 && rejected >= 5);
    CHECK_END(world);
}

/* An index that was used up earlier is used up for the receiver, too. */
static void used_up_indices_travel(void)
{
    const sett_entity last = {3, 0x7FFFFFFF};
    static unsigned char bytes[4096];
    sett_world* world = quiet_world();
    sett_world* peer = quiet_world();
    sett_world* loaded = quiet_world();
    sett_snapshot empty = take(world);
    CHECK_EQ(sett_entity_create_handle(world, last), SETT_OK);
    CHECK_EQ(sett_entity_destroy(world, last), SETT_OK);
    size_t size;
    CHECK_MSG(sett_delta_encode(world, empty, take(world), bytes, sizeof(bytes), &size) == SETT_OK,
              "%s", sett_world_message(world));
    CHECK_APPLY(peer, bytes, size);
    CHECK_SAME(world, peer);
    CHECK(sett_entity_create_handle(peer, last) != SETT_OK);
    CHECK_EQ(sett_state_encode(world, bytes, sizeof(bytes), &size), SETT_OK);
    CHECK_EQ(sett_state_apply(loaded, bytes, size, 0), SETT_OK);
    CHECK_SAME(world, loaded);
    for (uint32_t k = 0; k < 8; k++) {
        CHECK_ENTITY_EQ(sett_entity_create(peer), sett_entity_create(loaded));
    }
    CHECK_END(world);
    CHECK_END(peer);
    CHECK_END(loaded);
}

/* One that would give an index a life behind its last one. */
static void no_life_follows_the_last(void)
{
    const sett_entity last = {3, 0x7FFFFFFF};
    sett_world* world = quiet_world();
    sett_world* peer = quiet_world();
    CHECK_EQ(sett_entity_create_handle(world, (sett_entity){3, 5}), SETT_OK);
    CHECK_EQ(sett_entity_create_handle(peer, last), SETT_OK);
    sett_snapshot a = take(world);
    CHECK_EQ(sett_entity_destroy(world, (sett_entity){3, 5}), SETT_OK);
    CHECK_EQ(sett_entity_create_handle(world, (sett_entity){3, 9}), SETT_OK);
    unsigned char* bytes;
    size_t size = encode(world, a, take(world), &bytes);
    const unsigned char ended[8] = {3, 0, 0, 0, 5, 0, 0, 0};
    size_t at = SETTI_DELTA_HEAD;
    while (memcmp(bytes + at, ended, sizeof(ended)) != 0) {
        at++;
        CHECK(at + sizeof(ended) <= size);
    }
    memcpy(bytes + at + 4, &last.generation, 4);
    CHECK_EQ(setti_delta_apply(peer, bytes, size, SETTI_TRUST), SETT_STATUS_INVALID);
    CHECK_MSG(strstr(sett_world_message(peer), "entity 3:9 is created, and its index is used up") !=
                  NULL,
              "%s", sett_world_message(peer));
    CHECK(sett_entity_valid(peer, last));
    free(bytes);
    CHECK_END(world);
    CHECK_END(peer);
}

static uint32_t rejected;

static void record_one(sett_world* world, sett_entity entity, void* value, void* user)
{
    const sett_component* id = user;
    sett_commands* commands[2] = {sett_commands_here(world), sett_commands_create(world)};
    (void)value;
    for (uint32_t k = 0; k < 2; k++) {
        CHECK(sett_is_null(sett_cmd_create(commands[k])));
        CHECK_EQ(sett_cmd_add(commands[k], entity, *id), SETT_STATUS_LOCKED);
        CHECK_EQ(sett_commands_count(commands[k]), 0);
    }
    rejected++;
}

/* What an observer of the receiver would change is the sender's to change: it would make the next
 * delta fail. */
static void callbacks_record_nothing_meanwhile(void)
{
    sett_world* world = quiet_world();
    sett_component id = number(world, "value", 0);
    sett_entity e = sett_entity_create(world);
    put(world, e, id, 1);
    sett_world* peer = quiet_world();
    CHECK_EQ(sett_world_clone(world, peer), SETT_OK);
    const sett_observer_desc desc = {
        .name = "echo", .component = id, .on_set = record_one, .user = &id};
    CHECK(sett_observer_create(peer, &desc) != NULL);
    sett_snapshot before = take(world);
    for (uint32_t k = 0; k < 3; k++) {
        put(world, e, id, 10 + k);
        sett_snapshot after = take(world);
        unsigned char* bytes;
        size_t size = encode(world, before, after, &bytes);
        CHECK_APPLY(peer, bytes, size);
        CHECK_EQ(rejected, k + 1);
        CHECK_MSG(
            strstr(sett_world_message(peer),
                   "add \"value\" to entity 0:1: a callback of \"echo\" uses a command buffer "
                   "while a delta, a selection or an undo step is applied") ==
                sett_world_message(peer),
            "%s", sett_world_message(peer));
        before = after;
        free(bytes);
    }
    CHECK_EQ(sett_cmd_destroy(sett_commands_here(peer), e), SETT_OK); /* afterwards it may */
    CHECK_END(world);
    CHECK_END(peer);
}

static void write_own(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)world, (void)entity, (void)user;
    *(uint32_t*)value += 1;
}

static void write_other(sett_world* world, sett_entity entity, void* value, void* user)
{
    const sett_component* id = user;
    (void)value;
    *(uint32_t*)sett_get_mut(world, entity, *id) += 1;
}

/* The message names what a callback has changed. */
static void callbacks_write_nothing(void)
{
    sett_world* world = quiet_world();
    sett_component id = number(world, "value", 0);
    sett_component other = number(world, "other", 0);
    sett_entity e = sett_entity_create(world);
    put(world, e, id, 1);
    put(world, e, other, 1);
    for (uint32_t k = 0; k < 2; k++) {
        sett_world* peer = quiet_world();
        CHECK_EQ(sett_world_clone(world, peer), SETT_OK);
        const sett_observer_desc desc = {
            .component = id, .on_set = k == 0 ? write_own : write_other, .user = &other};
        CHECK(sett_observer_create(peer, &desc) != NULL);
        sett_snapshot before = take(world);
        put(world, e, id, 10 + k);
        unsigned char* bytes;
        size_t size = encode(world, before, take(world), &bytes);
        CHECK_EQ(sett_delta_apply(peer, bytes, size), SETT_STATUS_INVALID);
        const char* message = sett_world_message(peer);
        const char* wanted = k == 0 ? "sett_delta_apply: a callback of this world wrote "
                                      "\"value\" of entity 0:1, a value that the delta sets - "
                                    : "the result differs from the sender's state - remove writes "
                                      "from callbacks of this world, or apply the sender's whole "
                                      "state (sett_state_apply)";
        CHECK_MSG(strstr(message, wanted) != NULL, "%s", message);
        free(bytes);
        CHECK_END(peer);
    }
    CHECK_END(world);
}

/* ---- Work ------------------------------------------------------------------------------------ */

/* Encoding goes over types and over pages that differ: not over roots for each type, and not over
 * the world for its hash, once that of one of the snapshots is known. */
static void encoding_costs_what_differs(void)
{
    sett_world* world = quiet_world();
    sett_world* peer = quiet_world();
    for (uint32_t k = 0; k < 300; k++) {
        char name[16];
        snprintf(name, sizeof(name), "t%u", (unsigned)k);
        CHECK_EQ(number(world, name, 0), number(peer, name, 0));
    }
    for (uint32_t k = 0; k < 5000; k++) {
        put(world, sett_entity_create(world), 1 + k % 300, k);
    }
    CHECK_EQ(sett_world_clone(world, peer), SETT_OK);
    sett_snapshot last = take(world);
    for (uint32_t frame = 0; frame < 5; frame++) {
        put(world, (sett_entity){frame, 1}, 1 + frame, frame + 70000);
        sett_snapshot now = take(world);
        static unsigned char bytes[65536];
        size_t size;
        uint64_t tick = sett_world_tick(world);
        setti_root* second = world->roots->next;
        world->roots->next = (setti_root*)(uintptr_t)64; /* no walk over the roots */
        sett_status status = SETT_OK;
        if (frame != 0) {
            status = sett_delta_encode(world, last, now, bytes, sizeof(bytes), &size);
        }
        world->roots->next = second;
        if (frame == 0) {
            status = sett_delta_encode(world, last, now, bytes, sizeof(bytes), &size);
        }
        CHECK_EQ(status, SETT_OK);
        CHECK_EQ(sett_world_tick(world) == tick, frame != 0); /* hashing begins a new one */
        CHECK_APPLY(peer, bytes, size);
        CHECK_SAME(world, peer);
        CHECK_EQ(sett_snapshot_drop(world, last), SETT_OK);
        last = now;
    }
    CHECK_END(world);
    CHECK_END(peer);
}

static char said[512];

/* A sender and a receiver that go on as they are ask the allocator for nothing. */
static void cycles_take_no_memory(void)
{
    sett_world* sender = quiet_world();
    sett_world* receiver = quiet_world();
    sett_component id[2];
    for (uint32_t k = 0; k < 2; k++) {
        sett_world* world = k == 0 ? sender : receiver;
        id[k] = sett_component_register(world, &(sett_component_desc){.name = "A", .size = 4});
        CHECK(id[k] != 0);
    }
    sett_snapshot before = take(sender);
    for (uint32_t k = 0; k < 3000; k++) {
        put(sender, sett_entity_create(sender), id[0], k);
    }
    sett_stats stats[2];
    for (uint32_t round = 0; round < 100; round++) {
        static unsigned char bytes[65536];
        size_t size;
        for (uint32_t k = 0; k < 10; k++) {
            put(sender, sett_entity_at(sender, k * 7 + round), id[0], round);
        }
        sett_snapshot after = take(sender);
        CHECK_EQ(sett_delta_encode(sender, before, after, bytes, sizeof(bytes), &size), SETT_OK);
        CHECK_EQ(sett_snapshot_drop(sender, before), SETT_OK);
        before = after;
        CHECK_APPLY(receiver, bytes, size);
        for (uint32_t k = 0; k < 2 && round == 10; k++) {
            sett_world_stats(k == 0 ? sender : receiver, &stats[k]);
        }
    }
    for (uint32_t k = 0; k < 2; k++) {
        sett_stats now;
        sett_world_stats(k == 0 ? sender : receiver, &now);
        CHECK_EQ(now.allocations, stats[k].allocations);
    }
    sett_stats trimmed;
    sett_world_trim(receiver);
    sett_world_stats(receiver, &trimmed);
    CHECK(trimmed.block_size < stats[1].block_size);
    sett_snapshot_drop_all(sender);
    CHECK_END(sender);
    CHECK_END(receiver);
}

static void keep_info(void* user, sett_log_level level, const char* message)
{
    (void)user;
    if (level == SETT_LOG_INFO) {
        snprintf(said, sizeof(said), "%s", message);
    }
}

static void count_warnings(void* user, sett_log_level level, const char* message)
{
    (void)message;
    *(uint32_t*)user += level == SETT_LOG_ERROR;
}

/* Two indices cannot be encoded: the message is about one of them. */
static void used_up_indices_are_reported_once(void)
{
    uint32_t warnings = 0;
    sett_world* world =
        sett_world_create(&(sett_world_desc){.log_fn = count_warnings, .hook_user = &warnings});
    sett_snapshot none = take(world);
    for (uint32_t k = 0; k < 2; k++) {
        const sett_entity last = {k, 0x7FFFFFFF};
        CHECK_EQ(sett_entity_create_handle(world, last), SETT_OK);
        CHECK_EQ(sett_entity_destroy(world, last), SETT_OK);
    }
    sett_snapshot used_up = take(world);
    size_t size;
    CHECK_EQ(sett_delta_encode(world, used_up, none, NULL, 0, &size), SETT_STATUS_ARGUMENT);
#if !defined(NDEBUG) /* only debug builds report failures to the log */
    CHECK_EQ(warnings, 1);
#endif
    CHECK_END(world);
}

static void an_order_that_is_not_taken_over_is_reported_once(void)
{
    sett_world* world = quiet_world();
    sett_world* peer = sett_world_create(&(sett_world_desc){.log_fn = keep_info});
    const sett_component_desc desc = {
        .name = "rows", .size = 4, .storage = SETT_STORAGE_SPARSE_SET};
    sett_component id = sett_component_register(world, &desc);
    for (uint32_t k = 0; k < 8; k++) {
        put(world, sett_entity_create(world), id, 8 - k);
    }
    CHECK_EQ(sett_world_clone(world, peer), SETT_OK);
    CHECK_EQ(sett_sort(peer, &(sett_sort_desc){.component = id, .key = SETT_KEY_U32}), SETT_OK);
    for (uint32_t round = 0; round < 2; round++) {
        sett_snapshot a = take(world);
        put(world, sett_entity_create(world), id, 100 + round);
        CHECK_EQ(sett_remove(world, (sett_entity){round, 1}, id), SETT_OK);
        unsigned char* bytes;
        size_t size = encode(world, a, take(world), &bytes);
        said[0] = '\0';
        CHECK_APPLY(peer, bytes, size);
        CHECK_EQ(strstr(said, "\"rows\" keep this world's order") != NULL, round == 0);
        free(bytes);
    }
    CHECK_SAME(world, peer);
    CHECK_END(world);
    CHECK_END(peer);
}

TEST_MAIN(TEST(a_missing_type_is_named), TEST(a_missing_relationship_is_named),
          TEST(two_types_with_names_of_one_type_are_rejected),
          TEST(circles_of_far_entities_are_found),
          TEST(a_type_of_another_layout_version_is_rejected),
          TEST(types_of_the_library_register_themselves),
          TEST(a_delta_takes_no_more_memory_than_it_may),
          TEST(the_last_life_travels_or_is_rejected_when_encoded), TEST(used_up_indices_travel),
          TEST(no_life_follows_the_last), TEST(callbacks_record_nothing_meanwhile),
          TEST(callbacks_write_nothing), TEST(encoding_costs_what_differs),
          TEST(used_up_indices_are_reported_once), TEST(cycles_take_no_memory),
          TEST(an_order_that_is_not_taken_over_is_reported_once))

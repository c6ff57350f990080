/* Hashes, first differences, copies of worlds, and writes behind the library's back.
 *
 * SPDX-License-Identifier: MIT
 */
#include "owned.h"
#include "sett/hierarchy.h"
#include "sett/name.h"
#include "sett/prefab.h"
#include "sett/relationship.h"
#include "states.h"

#include "world/world.h"

typedef struct padded {
    uint8_t kind;
    uint32_t amount; /* three bytes of padding before it */
} padded;

typedef struct point {
    uint32_t x;
    uint32_t y;
} point;

enum {
    POINT = 1,
    PADDED,
    TAG,
    OWNED
};

static sett_world* begin(sett_storage_kind kind, bool reversed)
{
    static const sett_byte_range bytes[] = {{0, 1}, {4, 4}};
    const sett_component_desc types[] = {
        {.name = "point", .size = sizeof(point), .align = 4, .storage = kind},
        {.name = "padded",
         .size = sizeof(padded),
         .bytes = bytes,
         .byte_count = 2,
         .storage = kind},
        {.name = "tag"},
    };
    sett_world* world = quiet_world();
    for (uint32_t k = 0; k < 3; k++) {
        CHECK(sett_component_register(world, &types[reversed ? 2 - k : k]) != 0);
    }
    return world;
}

static sett_component id_of(const sett_world* world, const char* name)
{
    return sett_component_find(world, name);
}

static void give(sett_world* world, sett_entity entity, uint32_t number)
{
    point p = {number, number * 3};
    padded q;
    memset(&q, (int)number, sizeof(q)); /* other padding for other numbers */
    q.kind = 4;
    q.amount = number;
    CHECK(sett_set(world, entity, id_of(world, "point"), &p) != NULL);
    if (number % 3 == 0) {
        CHECK(sett_set(world, entity, id_of(world, "padded"), &q) != NULL);
    }
    if (number % 2 == 0) {
        CHECK(sett_ensure(world, entity, id_of(world, "tag")) != NULL);
    }
}

static void equal_states_have_equal_hashes(void)
{
    sett_world* a = begin(SETT_STORAGE_ARRAY, false);
    sett_world* b = begin(SETT_STORAGE_SPARSE_SET, true);
    for (uint32_t k = 0; k < 3000; k++) {
        give(a, sett_entity_create(a), k);
    }
    for (uint32_t k = 3000; k-- > 0;) { /* backwards, and some of it twice */
        sett_entity e = {k, 1};
        CHECK_EQ(sett_entity_create_handle(b, e), SETT_OK);
        if (k % 5 == 0) {
            give(b, e, k + 1);
            CHECK_EQ(sett_entity_clear(b, e), SETT_OK);
        }
        give(b, e, k);
    }
    char text[256];
    CHECK_EQ(sett_world_difference(a, b, text, sizeof(text)), 0);
    CHECK_STR_EQ(text, "");
    uint64_t hash = sett_world_hash(a);
    CHECK_EQ(hash, sett_world_hash(b));
    CHECK_EQ(sett_component_convert(a, id_of(a, "point"), SETT_STORAGE_SPARSE_SET), SETT_OK);
    CHECK_EQ(sett_world_hash(a), hash);
    CHECK_EQ(sett_sort(a, &(sett_sort_desc){.component = id_of(a, "point"),
                                            .key = SETT_KEY_U32,
                                            .key_offset = 4}),
             SETT_OK);
    CHECK_EQ(sett_world_hash(a), hash);
    sett_world_destroy(a);
    sett_world_destroy(b);
}

/* Pinned: the same number on every machine and in every version that does not say otherwise. */
static void the_hash_is_the_same_everywhere(void)
{
    sett_world* world = begin(SETT_STORAGE_ARRAY, false);
    uint64_t empty = sett_world_hash(world);
    CHECK_EQ(empty, 0);
    sett_entity e = sett_entity_create(world);
    give(world, e, 6);
    CHECK_EQ(sett_world_hash(world), 5309179320692636027u);
    sett_world_destroy(world);
}

/* Worlds can have one hash and differ in a value that no hash sees: its type is named. */
static void values_that_no_hash_sees_are_named(void)
{
    sett_world* world = quiet_world();
    sett_component raw = 0;
    CHECK(sett_hierarchy_register(world, NULL) != 0 && sett_name_register(world) != 0);
    sett_component_desc skipped = {.name = "skipped", .size = 4, .save = SETT_SAVE_SKIP};
    CHECK(sett_component_register(world, &skipped) != 0);
    CHECK(sett_world_hash_portable(world, &raw));
    sett_component_desc desc = {.name = "owned", OWNED_TYPE};
    sett_component id = sett_component_register(world, &desc);
    uint64_t before = sett_world_hash(world);
    CHECK(!sett_world_hash_portable(world, &raw));
    CHECK_EQ(raw, id);
    sett_entity entity = sett_entity_create(world);
    owned* value = sett_add(world, entity, id);
    uint64_t one = sett_world_hash(world);
    *value->to = 2;
    CHECK(one != before && sett_world_hash(world) == one);
    CHECK_END(world);
}

static void each_change_changes_the_hash(void)
{
    sett_world* world = begin(SETT_STORAGE_ARRAY, false);
    sett_component p = id_of(world, "point");
    sett_entity e[200];
    for (uint32_t k = 0; k < 200; k++) {
        e[k] = sett_entity_create(world);
        give(world, e[k], k);
    }
    uint64_t hash = sett_world_hash(world);
    CHECK_EQ(sett_world_hash(world), hash);
    ((point*)sett_get_mut(world, e[150], p))->y ^= 1;
    CHECK(sett_world_hash(world) != hash);
    ((point*)sett_get_mut(world, e[150], p))->y ^= 1;
    CHECK_EQ(sett_world_hash(world), hash);
    CHECK_EQ(sett_remove(world, e[4], id_of(world, "tag")), SETT_OK);
    uint64_t without = sett_world_hash(world);
    CHECK(without != hash);
    CHECK(sett_add(world, e[4], id_of(world, "tag")) != NULL);
    CHECK_EQ(sett_world_hash(world), hash);
    point kept = *(const point*)sett_get(world, e[7], p);
    CHECK_EQ(sett_remove(world, e[7], p), SETT_OK); /* clears a bit, writes no row */
    CHECK(sett_world_hash(world) != hash);
    CHECK(sett_set(world, e[7], p, &kept) != NULL);
    CHECK_EQ(sett_world_hash(world), hash);
    sett_entity fresh = sett_entity_create(world);
    CHECK(sett_world_hash(world) != hash);
    CHECK_EQ(sett_entity_destroy(world, fresh), SETT_OK);
    uint64_t after = sett_world_hash(world); /* the next handle at its index is another by now */
    CHECK(after != hash);
    sett_entity again = sett_entity_create(world); /* the same index, a later generation */
    CHECK_EQ(again.index, fresh.index);
    uint64_t later = sett_world_hash(world);
    CHECK(later != hash && later != after);
    sett_world_destroy(world);
}

/* Two worlds of the same entities that give other handles next are not equal: the hashes say so at
 * once, not when the handles are given out. */
static void dead_slots_count(void)
{
    sett_world* a = begin(SETT_STORAGE_ARRAY, false);
    sett_world* b = begin(SETT_STORAGE_ARRAY, false);
    give(a, sett_entity_create(a), 1);
    give(b, sett_entity_create(b), 1);
    CHECK_EQ(sett_entity_destroy(b, sett_entity_create(b)), SETT_OK);
    CHECK(sett_world_hash(a) != sett_world_hash(b));
    char text[256];
    CHECK(sett_world_difference(a, b, text, sizeof(text)) != 0);
    CHECK_STR_EQ(text, "the next entity at index 1 has generation 1 in the first world, 2 in the "
                       "second (0: the index is used up)");
    CHECK_EQ(sett_entity_destroy(a, sett_entity_create(a)), SETT_OK);
    CHECK_EQ(sett_world_hash(a), sett_world_hash(b));
    CHECK_EQ(sett_world_difference(a, b, text, sizeof(text)), 0);
    CHECK_ENTITY_EQ(sett_entity_create(a), sett_entity_create(b));
    sett_world_destroy(a);
    sett_world_destroy(b);
}

/* A removal callback may compute the hash, and advance the clock. */
static void ask_and_advance(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)entity, (void)value;
    *(uint64_t*)user = sett_world_hash(world);
    sett_world_advance_tick(world);
}

static void what_goes_after_the_call_is_seen(void)
{
    uint64_t during = 0;
    for (uint32_t held = 0; held < 2; held++) {
        sett_world* world = sett_world_create(NULL);
        sett_component id = sett_component_register(
            world, &(sett_component_desc){
                       .name = "told", .size = 4, .on_remove = ask_and_advance, .user = &during});
        sett_entity e[3];
        for (uint32_t k = 0; k < 3; k++) {
            e[k] = sett_entity_create(world);
            *(uint32_t*)sett_add(world, e[k], id) = k;
        }
        CHECK_EQ(sett_remove(world, e[0], id), SETT_OK); /* the transition is known from here on */
        sett_snapshot snapshot;
        CHECK(held == 0 || sett_snapshot_take(world, &snapshot) == SETT_OK);
        sett_world_advance_tick(world); /* what is known of pages written before this holds */
        uint64_t before = sett_world_hash(world);
        CHECK_EQ(sett_remove(world, e[1], id), SETT_OK);
        CHECK_EQ(during, before);
        CHECK(sett_world_hash(world) != before);
        sett_world* copy = sett_world_create(NULL); /* knows nothing yet */
        sett_component_register(copy, &(sett_component_desc){.name = "told", .size = 4});
        CHECK_EQ(sett_world_clone(world, copy), SETT_OK);
        CHECK_EQ(sett_world_hash(world), sett_world_hash(copy));
        CHECK_EQ(sett_world_validate(world, NULL), SETT_OK);
        sett_world_destroy(copy);
        CHECK(held == 0 || sett_snapshot_restore(world, snapshot) == SETT_OK);
        CHECK(held == 0 || sett_world_hash(world) == before);
        sett_world_destroy(world);
    }
}

static void padding_does_not_matter(void)
{
    sett_world* a = begin(SETT_STORAGE_ARRAY, false);
    sett_world* b = begin(SETT_STORAGE_ARRAY, false);
    sett_component id = id_of(a, "padded");
    padded q;
    for (uint32_t k = 0; k < 2; k++) {
        sett_world* world = k == 0 ? a : b;
        memset(&q, k == 0 ? 0x11 : 0x77, sizeof(q));
        q.kind = 1;
        q.amount = 5;
        CHECK(sett_set(world, sett_entity_create(world), id, &q) != NULL);
    }
    CHECK_EQ(sett_world_hash(a), sett_world_hash(b));
    CHECK_EQ(sett_world_difference(a, b, NULL, 0), 0);
    sett_world_destroy(a);
    sett_world_destroy(b);
}

static void the_first_difference_is_said(void)
{
    sett_world* a = begin(SETT_STORAGE_ARRAY, false);
    sett_world* b = begin(SETT_STORAGE_SPARSE_SET, false);
    char text[256];
    for (uint32_t k = 0; k < 20; k++) {
        give(a, sett_entity_create(a), k);
        give(b, sett_entity_create(b), k);
    }
    sett_entity e = {12, 1};
    ((point*)sett_get_mut(b, e, id_of(b, "point")))->y = 0x11223344;
    size_t length = sett_world_difference(a, b, text, sizeof(text));
    CHECK_EQ(length, strlen(text));
    CHECK_STR_EQ(text, "entity 12:1: \"point\" differs from byte 4 on: 24 00 00 00 in the first "
                       "world, 44 33 22 11 in the second");
    CHECK_EQ(sett_remove(b, (sett_entity){6, 1}, id_of(b, "tag")), SETT_OK);
    sett_world_difference(a, b, text, sizeof(text));
    CHECK_STR_EQ(text, "entity 6:1 has \"tag\" in the first world only");
    CHECK_EQ(sett_entity_destroy(a, (sett_entity){5, 1}), SETT_OK);
    sett_world_difference(a, b, text, sizeof(text));
    CHECK_STR_EQ(text, "entity 5:1 is in the second world only");
    (void)sett_entity_create(a);
    sett_world_difference(a, b, text, sizeof(text));
    CHECK_STR_EQ(text, "index 5: entity 5:2 in the first world, 5:1 in the second");
    sett_component_desc desc = {.name = "extra"};
    sett_component extra = sett_component_register(b, &desc);
    CHECK(sett_add(b, (sett_entity){0, 1}, extra) != NULL);
    sett_world_difference(a, b, text, 20); /* cut, as snprintf cuts */
    CHECK_STR_EQ(text, "entity 0:1 has \"ext");
    sett_world_destroy(a);
    sett_world_destroy(b);
}

static void restoring_forgets_what_was_known(void)
{
    sett_world* world = begin(SETT_STORAGE_ARRAY, false);
    sett_component p = id_of(world, "point");
    sett_entity e = sett_entity_create(world);
    give(world, e, 1);
    sett_snapshot snapshot = take(world);
    uint64_t hash = sett_world_hash(world);
    uint64_t seen[2];
    for (uint32_t k = 0; k < 2; k++) { /* two futures, with equal ticks */
        CHECK_EQ(sett_snapshot_restore(world, snapshot), SETT_OK);
        ((point*)sett_get_mut(world, e, p))->x = 100 + k;
        seen[k] = sett_world_hash(world);
    }
    CHECK(seen[0] != seen[1]);
    CHECK_EQ(sett_snapshot_restore(world, snapshot), SETT_OK);
    CHECK_EQ(sett_world_hash(world), hash);
    sett_world_destroy(world);
}

/* Hashing a snapshot leaves the remembered hash of a page that has more rows in the snapshot. */
static void writes_unseen_are_named_after_snapshots_are_hashed(void)
{
    const sett_storage_kind kinds[] = {SETT_STORAGE_ARRAY, SETT_STORAGE_SPARSE_SET};
    for (uint32_t k = 0; k < 2; k++) {
        sett_world* world = begin(kinds[k], false);
        sett_component p = id_of(world, "point");
        sett_entity e[2] = {sett_entity_create(world), sett_entity_create(world)};
        give(world, e[0], 1);
        give(world, e[1], 2);
        sett_snapshot snapshot;
        CHECK_EQ(sett_snapshot_take(world, &snapshot), SETT_OK);
        CHECK_EQ(sett_remove(world, e[1], p), SETT_OK);
        point* kept = (point*)(uintptr_t)sett_get(world, e[0], p);
        CHECK_EQ(sett_world_check_writes(world), SETT_OK);
        uint64_t hash = 0;
        CHECK_EQ(sett_snapshot_hash(world, snapshot, &hash), SETT_OK);
        kept->x = 10;
        CHECK_EQ(sett_world_check_writes(world), SETT_STATUS_INVALID);
        sett_world_destroy(world);
    }
}

static void writes_unseen_are_named(void)
{
    sett_world* world = begin(SETT_STORAGE_ARRAY, false);
    sett_component p = id_of(world, "point");
    sett_entity e = sett_entity_create(world);
    give(world, e, 1);
    point* kept = sett_get_mut(world, e, p);
    CHECK_EQ(sett_world_check_writes(world), SETT_OK);
    ((point*)sett_get_mut(world, e, p))->x = 9;
    CHECK_EQ(sett_world_check_writes(world), SETT_OK);
    kept->x = 10; /* through an address from before */
    CHECK_EQ(sett_world_check_writes(world), SETT_STATUS_INVALID);
    CHECK_MSG(strstr(sett_world_message(world), "\"point\" of entity 0:1 was") != NULL, "%s",
              sett_world_message(world));
    CHECK_EQ(sett_world_check_writes(world), SETT_OK);
    sett_world_destroy(world);
}

/* Each of them, in every storage: also the one after one that was found, and one to a page that was
 * written properly while another was found. */
static void every_unseen_write_is_named(void)
{
    for (uint32_t sparse = 0; sparse < 2; sparse++) {
        sett_world* world =
            begin(sparse != 0 ? SETT_STORAGE_SPARSE_SET : SETT_STORAGE_ARRAY, false);
        sett_component p = id_of(world, "point");
        sett_entity e[3000];
        for (uint32_t k = 0; k < 3000; k++) {
            e[k] = sett_entity_create(world);
            if (k >= 10) { /* the first page does not begin with a value */
                give(world, e[k], k);
            }
        }
        CHECK_EQ(sett_name_set(world, e[10], "boss"), SETT_OK);
        point* near_by = sett_get_mut(world, e[20], p);
        point* far_out = sett_get_mut(world, e[2999], p);
        CHECK_EQ(sett_world_check_writes(world), SETT_OK);
        for (uint32_t k = 0; k < 4; k++) {
            near_by->x++;
            ((point*)sett_get_mut(world, e[2999], p))->x++;
            CHECK_EQ(sett_world_check_writes(world), SETT_STATUS_INVALID);
            CHECK_MSG(strstr(sett_world_message(world),
                             "\"point\" of entity 10:1 (\"boss\"), or of another of "),
                      "%s", sett_world_message(world));
            far_out->x++;
            CHECK_EQ(sett_world_check_writes(world), SETT_STATUS_INVALID);
            CHECK_EQ(sett_world_check_writes(world), SETT_OK);
        }
        sett_world_destroy(world);
    }
}

/* ---- Copies ---------------------------------------------------------------------------------- */

static void a_copy_is_the_same_and_goes_on_alike(void)
{
    sett_world* from = begin(SETT_STORAGE_SPARSE_SET, false);
    sett_world* into = sett_world_create(NULL);
    sett_component_desc desc = {.name = "owned", OWNED_TYPE};
    sett_component id = sett_component_register(from, &desc);
    for (uint32_t k = 0; k < 2000; k++) {
        sett_entity e = sett_entity_create(from);
        give(from, e, k);
        if (k % 7 == 0) {
            *((owned*)sett_add(from, e, id))->to = (int)k;
        }
    }
    for (uint32_t k = 0; k < 2000; k += 4) {
        CHECK_EQ(sett_entity_destroy(from, (sett_entity){k, 1}), SETT_OK);
    }
    sett_component_desc other = {.name = "another"}; /* so that sets have other numbers there */
    sett_component own = sett_component_register(into, &other);
    for (uint32_t k = 0; k < 50; k++) {
        CHECK(sett_add(into, sett_entity_create(into), own) != NULL);
    }
    CHECK_EQ(sett_world_clone(from, into), SETT_OK);
    char text[256];
    CHECK_EQ(sett_world_difference(from, into, text, sizeof(text)), 0);
    CHECK_EQ(sett_world_hash(from), sett_world_hash(into));
    CHECK_EQ(sett_component_count(into, own), 0);
    CHECK_EQ(sett_world_validate(into, NULL), SETT_OK);
    CHECK_EQ(owned_alive, 2 * sett_component_count(from, id));
    sett_entity e = {7, 1};
    CHECK_EQ(*((const owned*)sett_get(into, e, id_of(into, "owned")))->to, 7);
    CHECK(sett_get(into, e, id_of(into, "owned")) != sett_get(from, e, id));
    for (uint32_t k = 0; k < 700; k++) {
        CHECK(sett_equals(sett_entity_create(from), sett_entity_create(into)));
    }
    for (uint32_t k = 0; k < 100; k++) { /* sets of components are what they are */
        sett_entity at = {4 * k + 1, 1};
        CHECK_EQ(sett_remove(into, at, id_of(into, "point")), SETT_OK);
        CHECK_EQ(sett_remove(from, at, id_of(from, "point")), SETT_OK);
    }
    CHECK_EQ(sett_world_hash(from), sett_world_hash(into));
    CHECK_EQ(sett_world_validate(into, NULL), SETT_OK);
    sett_world_destroy(from);
    sett_world_destroy(into);
    CHECK_EQ(owned_alive, 0);
}

static void a_copy_keeps_the_groups_of_its_world(void)
{
    sett_world* from = begin(SETT_STORAGE_SPARSE_SET, false);
    sett_world* into = begin(SETT_STORAGE_SPARSE_SET, true);
    for (uint32_t k = 0; k < 500; k++) {
        give(from, sett_entity_create(from), k);
    }
    sett_group_desc desc = {.owned = {id_of(into, "point"), id_of(into, "padded")}};
    sett_group* group = sett_group_create(into, &desc);
    sett_group_desc set = {.with = {id_of(into, "tag")}, .without = {id_of(into, "padded")}};
    sett_group* tracked = sett_group_create(into, &set);
    give(into, sett_entity_create(into), 3);
    CHECK_EQ(sett_world_clone(from, into), SETT_OK);
    CHECK_EQ(sett_world_validate(into, NULL), SETT_OK);
    CHECK_EQ(sett_group_count(group), 167);
    CHECK_EQ(sett_group_count(tracked), 166);
    CHECK_EQ(sett_world_hash(from), sett_world_hash(into));
    CHECK_EQ(sett_world_clone(from, into), SETT_OK); /* and once more */
    CHECK_EQ(sett_world_validate(into, NULL), SETT_OK);
    CHECK_EQ(sett_group_count(group), 167);
    sett_world_destroy(from);
    sett_world_destroy(into);
}

/* What modules keep goes along into a world that has not heard of them, and works there. */
static void copies_have_what_modules_register(void)
{
    sett_world* from = begin(SETT_STORAGE_SPARSE_SET, false);
    sett_world* into = quiet_world();
    const sett_relationship_desc desc = {.name = "owes",
                                         .size = 8,
                                         .align = 8,
                                         .many = true,
                                         .on_target_destroyed = SETT_CLEANUP_REJECT};
    const sett_hierarchy_desc tree = {.policy = SETT_CHILDREN_DETACH};
    CHECK_EQ(sett_hierarchy_register(from, &tree), SETT_ID_HIERARCHY);
    sett_component owes = sett_relationship_register(from, &desc);
    sett_entity e[4];
    CHECK_EQ(sett_entity_create_many(from, 4, NULL, 0, NULL, e), SETT_OK);
    CHECK_EQ(sett_hierarchy_attach(from, e[1], e[0]), SETT_OK);
    CHECK_EQ(sett_name_set(from, e[1], "child"), SETT_OK);
    *(int*)sett_relate(from, e[2], owes, e[3]) = 7;
    CHECK_EQ(sett_prefab_make(from, e[0]), SETT_OK);
    CHECK_EQ(sett_instantiate(from, e[0], 2, NULL), SETT_OK);
    CHECK_EQ(sett_world_clone(from, into), SETT_OK);
    CHECK_EQ(sett_world_hash(from), sett_world_hash(into));
    CHECK_EQ(sett_world_validate(into, NULL), SETT_OK);

    CHECK_EQ(sett_component_count(into, SETT_ID_HIERARCHY), 6);
    CHECK_EQ(sett_relationship_register(into, &desc), owes);
    CHECK_STR_EQ(sett_name_get(into, e[1]), "child");
    CHECK(sett_equals(sett_target(into, e[2], owes), e[3]));
    CHECK_EQ(*(const int*)sett_related(into, e[2], owes, e[3]), 7);
    *(int*)sett_related_mut(into, e[2], owes, e[3]) = 8; /* data of links count */
    CHECK(sett_world_hash(from) != sett_world_hash(into));
    CHECK_EQ(sett_entity_destroy(into, e[3]), SETT_STATUS_REJECTED);
    CHECK_EQ(sett_instantiate(into, e[0], 1, NULL), SETT_OK);
    CHECK_EQ(sett_source_count(into, sett_instance_of(into), e[0]), 3);
    CHECK_EQ(sett_entity_destroy(into, e[0]), SETT_OK);
    CHECK(sett_entity_valid(into, e[1])); /* the policy came along */
    CHECK_EQ(sett_world_validate(into, NULL), SETT_OK);
    sett_world_destroy(into);

    sett_relationship_desc other = desc; /* the end of a target means something else here */
    other.on_target_destroyed = SETT_CLEANUP_DESTROY;
    into = sett_world_create(&(sett_world_desc){.log_fn = sett_log_silent});
    CHECK(sett_relationship_register(into, &other) != 0);
    CHECK_EQ(sett_world_clone(from, into), SETT_STATUS_CONFLICT);
    CHECK(strstr(sett_world_message(into), "\"owes\"") != NULL);
    sett_world_destroy(into);
    sett_world_destroy(from);
}

static void copies_that_cannot_be_are_rejected(void)
{
    sett_world* from = begin(SETT_STORAGE_SPARSE_SET, false);
    sett_world* into = begin(SETT_STORAGE_ARRAY, false);
    give(into, sett_entity_create(into), 3);
    CHECK_EQ(sett_world_clone(from, into), SETT_OK); /* a storage is no obstacle: it is copied */
    CHECK_SAME(from, into);
    sett_snapshot snapshot;
    sett_world* same = begin(SETT_STORAGE_SPARSE_SET, false);
    CHECK_EQ(sett_snapshot_take(same, &snapshot), SETT_OK);
    CHECK_EQ(sett_world_clone(from, same), SETT_STATUS_LOCKED);
    CHECK_EQ(sett_snapshot_drop(same, snapshot), SETT_OK);
    CHECK_EQ(sett_world_clone(from, same), SETT_OK);
    CHECK_EQ(sett_world_clone(from, from), SETT_STATUS_ARGUMENT);
    sett_entity parent = sett_entity_create(from);
    CHECK_EQ(sett_hierarchy_attach(from, sett_entity_create(from), parent), SETT_OK);
    CHECK(sett_component_register(
              same, &(sett_component_desc){.name = "Hierarchy", .size = 24, .align = 8}) != 0);
    CHECK_EQ(sett_world_clone(from, same), SETT_STATUS_CONFLICT); /* something else of that name */
    CHECK(strstr(sett_world_message(same), "\"Hierarchy\"") != NULL);
    sett_world_destroy(same);
    sett_world_destroy(from);
    sett_world_destroy(into);
}

/* Each part of a type that two worlds must agree on: named, and nothing changed. */
static void copies_compare_all_of_a_type(void)
{
    static const uint32_t offsets[] = {0, 8};
    static const sett_byte_range ranges[] = {{0, 8}, {8, 8}};
    static const unsigned char mask[16] = {255, 255, 255, 255, 255, 255, 255, 1};
    static const char* const why[] = {
        "other required types", "required_count 1, not 0", "layout_version 2, not 1",
        "other entity_offsets", "entity_offset_count 0",   "other bytes",
        "byte_count 0, not 1",  "other padding",           "align 16, not 8"};
    for (uint32_t way = 0; way < sizeof(why) / sizeof(why[0]); way++) {
        sett_world* world[2];
        for (uint32_t k = 0; k < 2; k++) {
            world[k] = sett_world_create(&(sett_world_desc){.log_fn = sett_log_silent});
            sett_component ids[2];
            /* under other ids: names decide */
            ids[k] = sett_component_register(world[k], &(sett_component_desc){.name = "one"});
            ids[1 - k] = sett_component_register(world[k], &(sett_component_desc){.name = "two"});
            sett_component_desc desc = {.name = "thing", .size = 16, .align = 8};
            desc.required = &ids[way == 0 ? 0 : k];
            desc.required_count = way == 1 ? k : 1;
            desc.layout_version = way == 2 ? 1 + k : 1;
            desc.entity_offsets = &offsets[way == 3 ? k : 0];
            desc.entity_offset_count = way == 4 ? 1 - k : 1;
            desc.bytes = &ranges[way == 5 ? k : 0];
            desc.byte_count = way == 6 ? 1 - k : 1;
            desc.mask = way == 7 && k == 0 ? mask : NULL;
            desc.align = way == 8 && k == 1 ? 16 : 8;
            CHECK(sett_component_register(world[k], &desc) != 0);
            CHECK(sett_add(world[k], sett_entity_create(world[k]), 3) != NULL);
        }
        uint64_t hash = sett_world_hash(world[1]);
        CHECK_EQ(sett_world_clone(world[0], world[1]), SETT_STATUS_CONFLICT);
        CHECK_MSG(strstr(sett_world_message(world[1]), "sett_world_clone: \"thing\" differs") !=
                          NULL &&
                      strstr(sett_world_message(world[1]), why[way]) != NULL,
                  "%u: %s", way, sett_world_message(world[1]));
        CHECK_EQ(sett_world_hash(world[1]), hash);
        CHECK_EQ(sett_world_validate(world[1], NULL), SETT_OK);
        sett_world_destroy(world[0]);
        sett_world_destroy(world[1]);
    }
}

TEST_MAIN(TEST(equal_states_have_equal_hashes), TEST(the_hash_is_the_same_everywhere),
          TEST(values_that_no_hash_sees_are_named), TEST(each_change_changes_the_hash),
          TEST(dead_slots_count), TEST(what_goes_after_the_call_is_seen),
          TEST(padding_does_not_matter), TEST(the_first_difference_is_said),
          TEST(restoring_forgets_what_was_known), TEST(writes_unseen_are_named),
          TEST(writes_unseen_are_named_after_snapshots_are_hashed),
          TEST(every_unseen_write_is_named), TEST(a_copy_is_the_same_and_goes_on_alike),
          TEST(a_copy_keeps_the_groups_of_its_world), TEST(copies_have_what_modules_register),
          TEST(copies_that_cannot_be_are_rejected), TEST(copies_compare_all_of_a_type))

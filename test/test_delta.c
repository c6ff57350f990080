/* Deltas: what differs between two snapshots, written down and played onto another world; and what
 * is rejected.
 *
 * SPDX-License-Identifier: MIT
 */
#include "chance.h"
#include "sett/hierarchy.h"
#include "sett/name.h"
#include "sett/observer.h"
#include "sett/relationship.h"
#include "states.h"

#include "relation/hierarchy.h"
#include "state/delta.h"

static uint64_t chance_state;

static uint32_t below(uint32_t limit)
{
    return chance_below(&chance_state, limit);
}

enum {
    ARRAY = 1,
    SPARSE,
    PADDED,
    TAG,
    DONT_FRAGMENT,
    ORDERED,
    NEEDY,
    SKIPPED,
    WIDE,
    TYPES = WIDE
};

static sett_world* begin(bool other)
{
    static const sett_byte_range bytes[] = {{0, 1}, {4, 4}};
    static const sett_component needed[] = {ARRAY};
    sett_storage_kind sparse_set = other ? SETT_STORAGE_ARRAY : SETT_STORAGE_SPARSE_SET;
    const sett_component_desc types[] = {
        {.name = "array", .size = 8, .id = ARRAY},
        {.name = "sparse-set", .size = 12, .id = SPARSE, .storage = sparse_set},
        {.name = "padded", .size = 8, .id = PADDED, .bytes = bytes, .byte_count = 2},
        {.name = "tag", .id = TAG},
        {.name = "dont_fragment", .size = 4, .id = DONT_FRAGMENT, .dont_fragment = true},
        {.name = "ordered", .size = 20, .id = ORDERED, .keep_order = true},
        {.name = "needy", .size = 4, .id = NEEDY, .required = needed, .required_count = 1},
        {.name = "skipped", .size = 4, .id = SKIPPED, .save = SETT_SAVE_SKIP},
        {.name = "wide", .size = 512, .id = WIDE, .storage = SETT_STORAGE_SPARSE_SET},
    };
    sett_world* world = quiet_world();
    for (uint32_t k = 0; k < TYPES; k++) {
        CHECK_EQ(sett_component_register(world, &types[k]), types[k].id);
    }
    return world;
}

static void disturb(sett_world* world, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        uint32_t alive = world->entities.count;
        sett_entity e = entity_from(world, alive != 0 ? below(alive) : 0);
        sett_component id = 1 + below(TYPES);
        switch (below(6)) {
        case 0:
            if (alive < 3000) {
                (void)sett_entity_create(world);
            }
            break;
        case 1:
            if (below(3) == 0) {
                (void)sett_entity_destroy(world, e);
            }
            break;
        case 2:
            if (sett_has(world, e, id)) {
                (void)sett_remove(world, e, id);
            }
            break;
        default: {
            if (!sett_entity_valid(world, e)) {
                break;
            }
            void* value = sett_ensure(world, e, id);
            size_t size = world->types[id]->storage.size;
            if (size != 0 && below(4) != 0) {
                memset(value, (int)below(256), size);
            }
            break;
        }
        }
    }
}

/* A peer follows a world by nothing but deltas, with other storages. */
static void a_peer_follows(void)
{
    for (uint32_t round = 0; round < 6; round++) {
        chance_state = check_setting("SETT_SEED", 1) + round;
        sett_world* world = begin(false);
        sett_world* peer = begin(true);
        sett_snapshot last = take(world);
        for (uint32_t frame = 0; frame < 40; frame++) {
            disturb(world, below(frame % 8 == 0 ? 4000 : 60));
            sett_snapshot now = take(world);
            unsigned char* bytes;
            size_t size = encode(world, last, now, &bytes);
            CHECK_APPLY(peer, bytes, size);
            CHECK_SAME(world, peer);
            CHECK_EQ(sett_snapshot_drop(world, last), SETT_OK);
            last = now;
            free(bytes);
        }
        sett_world_destroy(world);
        sett_world_destroy(peer);
    }
}

/* Between any two snapshots of a tree, in either direction, wherever the live world is. */
static void any_two_snapshots_can_be_distinguished(void)
{
    chance_state = check_setting("SETT_SEED", 1);
    sett_world* world = begin(false);
    sett_world* peer = begin(true);
    sett_snapshot tree[8];
    disturb(world, 3000);
    for (uint32_t k = 0; k < 8; k++) {
        if (k > 2 && below(2) == 0) {
            CHECK_EQ(sett_snapshot_restore(world, tree[below(k)]), SETT_OK);
        }
        disturb(world, 200);
        tree[k] = take(world);
    }
    disturb(world, 200); /* the live world is none of them */
    uint64_t live = sett_world_hash(world);
    for (uint32_t a = 0; a < 8; a++) {
        for (uint32_t b = 0; b < 8; b++) {
            unsigned char* bytes;
            size_t size = encode(world, tree[a], tree[b], &bytes);
            CHECK_EQ(sett_world_hash(world), live);
            sett_snapshot here = take(world);
            CHECK_EQ(sett_snapshot_restore(world, tree[a]), SETT_OK);
            CHECK_EQ(sett_world_clone(world, peer), SETT_OK); /* gets the storages, too */
            sett_world* copy = sett_world_create(NULL);
            CHECK_EQ(sett_world_clone(world, copy), SETT_OK);
            CHECK_APPLY(copy, bytes, size);
            CHECK_EQ(sett_snapshot_restore(world, tree[b]), SETT_OK);
            CHECK_SAME(world, copy);
            CHECK_EQ(sett_snapshot_restore(world, here), SETT_OK);
            CHECK_EQ(sett_snapshot_drop(world, here), SETT_OK);
            sett_world_destroy(copy);
            free(bytes);
        }
    }
    sett_world_destroy(world);
    sett_world_destroy(peer);
}

typedef struct scene {
    sett_world* world;
    sett_world* peer;
    unsigned char* bytes;
    size_t size;
    uint64_t hash; /* of the peer, where the delta begins */
} scene;

static scene begin_scene(void)
{
    scene s;
    chance_state = 5;
    s.world = begin(false);
    s.peer = begin(false);
    disturb(s.world, 500);
    CHECK_EQ(sett_world_clone(s.world, s.peer), SETT_OK);
    sett_snapshot a = take(s.world);
    disturb(s.world, 100);
    s.size = encode(s.world, a, take(s.world), &s.bytes);
    s.hash = sett_world_hash(s.peer);
    return s;
}

static void rejected(const scene* s, const unsigned char* bytes, size_t size, sett_status status)
{
    sett_status got = sett_delta_apply(s->peer, bytes, size);
    CHECK(got != SETT_OK);
    CHECK(status == SETT_OK || got == status);
    CHECK_EQ(sett_world_error(s->peer), got);
    CHECK(strstr(sett_world_message(s->peer), "delta") != NULL);
    CHECK_EQ(sett_world_hash(s->peer), s->hash);
}

static void end_scene(scene* s)
{
    CHECK_APPLY(s->peer, s->bytes, s->size); /* still fits */
    CHECK_SAME(s->world, s->peer);
    rejected(&(scene){.peer = s->peer, .hash = sett_world_hash(s->peer)}, s->bytes, s->size,
             SETT_STATUS_CONFLICT); /* no more */
    free(s->bytes);
    sett_world_destroy(s->world);
    sett_world_destroy(s->peer);
}

static void what_is_cut_off_is_rejected(void)
{
    scene s = begin_scene();
    for (size_t size = 0; size < s.size; size += size < 200 ? 1 : 7) {
        unsigned char* cut = malloc(size + 1); /* its end is the end of memory */
        memcpy(cut, s.bytes, size);
        rejected(&s, cut, size, SETT_STATUS_INVALID);
        if (size >= 28) { /* also if it says that this is all of it */
            for (uint32_t k = 0; k < 4; k++) {
                cut[24 + k] = (unsigned char)(size >> (8 * k));
            }
            rejected(&s, cut, size, SETT_OK);
        }
        free(cut);
    }
    end_scene(&s);
}

static void what_is_altered_is_rejected(void)
{
    scene s = begin_scene();
    for (size_t at = 0; at < s.size; at += at < 400 ? 1 : 5) {
        for (uint32_t bit = 0; bit < 8; bit += at < 400 ? 1 : 3) {
            s.bytes[at] ^= (unsigned char)(1u << bit);
            rejected(&s, s.bytes, s.size, SETT_OK);
            s.bytes[at] ^= (unsigned char)(1u << bit);
        }
    }
    CHECK_EQ(sett_world_validate(s.peer, NULL), SETT_OK);
    end_scene(&s);
}

static void other_types_are_rejected(void)
{
    scene s = begin_scene();
    sett_world* bare = quiet_world();
    CHECK_EQ(sett_delta_apply(bare, s.bytes, s.size), SETT_STATUS_CONFLICT);
    for (uint32_t k = 0; k < TYPES; k++) {
        char name[16];
        snprintf(name, sizeof(name), "t%u", (unsigned)k);
        sett_component_desc desc = {.name = name, .size = 8};
        CHECK(sett_component_register(bare, &desc) != 0);
    }
    CHECK_EQ(sett_delta_apply(bare, s.bytes, s.size), SETT_STATUS_CONFLICT);
    CHECK(strstr(sett_world_message(bare), "\"array\"") != NULL);
    sett_world_destroy(bare);
    end_scene(&s);
}

/* A family, debts and names change in every way that there is; the receiver, with other numbers for
 * the types, has the same afterwards. */
static void links_and_names_travel(void)
{
    sett_world* world[2];
    sett_component owes[2];
    sett_component likes[2];
    for (uint32_t k = 0; k < 2; k++) {
        world[k] = begin(k != 0);
        if (k != 0) {
            CHECK(sett_name_register(world[k]) != 0);
        }
        CHECK(sett_hierarchy_register(world[k], NULL) != 0);
        owes[k] = sett_relationship_register(
            world[k], &(sett_relationship_desc){.name = "owes", .size = 4, .align = 4});
        likes[k] = sett_relationship_register(
            world[k], &(sett_relationship_desc){.name = "likes", .many = true});
        CHECK(sett_name_register(world[k]) != 0);
    }
    sett_snapshot a = take(world[0]);
    sett_entity e[6];
    CHECK_EQ(sett_entity_create_many(world[0], 6, NULL, 0, NULL, e), SETT_OK);
    for (uint32_t k = 1; k < 6; k++) { /* the last is the first child */
        CHECK_EQ(k == 1 ? sett_hierarchy_attach(world[0], e[k], e[0])
                        : sett_hierarchy_insert_before(world[0], e[k], e[k - 1]),
                 SETT_OK);
        *(int*)sett_relate(world[0], e[6 - k], owes[0], e[0]) = (int)k;
        CHECK(sett_relate(world[0], e[0], likes[0], e[6 - k]) != NULL);
    }
    CHECK_EQ(sett_name_set(world[0], e[1], "one"), SETT_OK);
    CHECK_EQ(sett_name_set(world[0], e[2], "two"), SETT_OK);
    sett_snapshot b = take(world[0]);
    CHECK_EQ(sett_name_set(world[0], e[1], "three"), SETT_OK); /* they exchange names */
    CHECK_EQ(sett_name_set(world[0], e[2], "one"), SETT_OK);
    CHECK_EQ(sett_name_set(world[0], e[1], "two"), SETT_OK);
    CHECK_EQ(sett_hierarchy_detach(world[0], e[2]), SETT_OK); /* parent and child change places */
    CHECK_EQ(sett_hierarchy_attach(world[0], e[0], e[2]), SETT_OK);
    CHECK(sett_relate(world[0], e[3], owes[0], e[4]) != NULL);
    CHECK_EQ(sett_unrelate(world[0], e[0], likes[0], e[5]), SETT_OK);
    CHECK_EQ(sett_entity_destroy(world[0], e[5]), SETT_OK);
    sett_snapshot c = take(world[0]);
    const sett_snapshot at[4] = {a, b, c, b};
    for (uint32_t k = 0; k < 3; k++) {
        unsigned char* bytes;
        size_t size = encode(world[0], at[k], at[k + 1], &bytes);
        CHECK_EQ(sett_snapshot_restore(world[0], at[k + 1]), SETT_OK);
        CHECK_APPLY(world[1], bytes, size);
        CHECK_SAME(world[0], world[1]);
        CHECK_STR_EQ(sett_name_get(world[1], e[2]), k == 1 ? "one" : "two");
        CHECK(sett_equals(sett_hierarchy_parent(world[1], e[0]), k == 1 ? e[2] : sett_null()));
        CHECK(sett_equals(sett_hierarchy_first(world[1], e[0]), k == 1 ? e[4] : e[5]));
        CHECK(sett_equals(sett_target(world[1], e[0], likes[1]), k == 1 ? e[4] : e[5]));
        CHECK(sett_equals(sett_target(world[1], e[3], owes[1]), k == 1 ? e[4] : e[0]));
        CHECK_EQ(*(const int*)sett_related(world[1], e[3], owes[1], k == 1 ? e[4] : e[0]), 3);
        free(bytes);
    }
    sett_world_destroy(world[0]);
    sett_world_destroy(world[1]);
}

/* A world with three entities, the second below the first, the third below one of them; and a peer
 * that is the same. */
typedef struct family {
    sett_world* world;
    sett_world* peer;
    sett_entity e[3];
    sett_snapshot start;
} family;

static family begin_family(uint32_t parent_of_third)
{
    family f = {.world = begin(false), .peer = begin(false)};
    CHECK(sett_hierarchy_register(f.world, NULL) != 0);
    CHECK(sett_hierarchy_register(f.peer, NULL) != 0);
    CHECK_EQ(sett_entity_create_many(f.world, 3, NULL, 0, NULL, f.e), SETT_OK);
    CHECK_EQ(sett_hierarchy_attach(f.world, f.e[1], f.e[0]), SETT_OK);
    CHECK_EQ(sett_hierarchy_attach(f.world, f.e[2], f.e[parent_of_third]), SETT_OK);
    CHECK_EQ(sett_world_clone(f.world, f.peer), SETT_OK);
    f.start = take(f.world);
    return f;
}

static void end_family(family* f)
{
    sett_world_destroy(f->world);
    sett_world_destroy(f->peer);
}

/* What its own checks cannot see the calls reject; then all that was done before is undone. */
static void what_cannot_be_is_rejected_and_undone(void)
{
    family f = begin_family(0);
    CHECK_EQ(sett_hierarchy_attach(f.world, f.e[2], f.e[1]), SETT_OK);
    CHECK(sett_set(f.world, f.e[0], ARRAY, "01234567") != NULL);
    sett_snapshot b = take(f.world);
    unsigned char* bytes;
    size_t size = encode(f.world, f.start, b, &bytes);
    uint64_t hash = sett_world_hash(f.peer);
    /* the entry of the child: changed, index, parent plus one, policy */
    const unsigned char entry[] = {2, 2, 0, 0, 0, 2, 0, 0, 0, 0};
    uint32_t found = 0;
    for (size_t k = 0; k + sizeof(entry) <= size; k++) {
        if (memcmp(bytes + k, entry, sizeof(entry)) == 0) {
            bytes[k + 5] = 3; /* below itself */
            found++;
        }
    }
    CHECK_EQ(found, 1);
    CHECK_EQ(sett_delta_apply(f.peer, bytes, size), SETT_STATUS_INVALID); /* altered */
    CHECK_EQ(setti_delta_apply(f.peer, bytes, size, SETTI_TRUST), SETT_STATUS_INVALID);
    CHECK_MSG(strstr(sett_world_message(f.peer), "cannot be its own parent") != NULL, "%s",
              sett_world_message(f.peer));
    CHECK_EQ(sett_world_hash(f.peer), hash);
    CHECK_EQ(sett_world_validate(f.peer, NULL), SETT_OK);
    free(bytes);
    end_family(&f);
}

/* Writes a number into a delta. */
static void forge(unsigned char* bytes, uint32_t number)
{
    for (uint32_t k = 0; k < 4; k++) {
        bytes[k] = (unsigned char)(number >> (8 * k));
    }
}

/* The place of the only occurrence of some bytes. */
static unsigned char* only(unsigned char* bytes, size_t size, const void* what, size_t length)
{
    unsigned char* found = NULL;
    for (size_t k = 0; k + length <= size; k++) {
        if (memcmp(bytes + k, what, length) == 0) {
            CHECK(found == NULL);
            found = bytes + k;
        }
    }
    CHECK(found != NULL);
    return found;
}

/* A delta that ends an entity without saying so of its children: these become roots, which the hash
 * does not allow; whatever its other parts are about. */
static void children_do_not_end_behind_its_back(void)
{
    for (uint32_t what = 0; what < 4; what++) {
        sett_component led[2];
        sett_component likes[2];
        sett_world* world[2];
        for (uint32_t k = 0; k < 2; k++) {
            world[k] = begin(false);
            CHECK(sett_hierarchy_register(world[k], NULL) != 0);
            led[k] = sett_relationship_register(world[k], &(sett_relationship_desc){.name = "led"});
            likes[k] = sett_relationship_register(
                world[k], &(sett_relationship_desc){.name = "likes", .size = 4, .many = true});
            CHECK(sett_name_register(world[k]) != 0);
        }
        sett_entity e[5]; /* a spare, a parent, its child, and two others */
        CHECK_EQ(sett_entity_create_many(world[0], 5, NULL, 0, NULL, e), SETT_OK);
        CHECK_EQ(sett_hierarchy_attach(world[0], e[2], e[1]), SETT_OK);
        CHECK(sett_relate(world[0], e[2], likes[0], e[4]) != NULL);
        CHECK_EQ(sett_world_clone(world[0], world[1]), SETT_OK);
        sett_snapshot a = take(world[0]);
        CHECK_EQ(sett_entity_destroy(world[0], e[3]), SETT_OK);
        if (what == 0) { /* a value, a list of sources, links, a name of the child */
            CHECK(sett_set(world[0], e[2], ARRAY, "01234567") != NULL);
        } else if (what == 1) {
            CHECK(sett_relate(world[0], e[4], led[0], e[2]) != NULL);
        } else if (what == 2) {
            *(int*)sett_related_mut(world[0], e[2], likes[0], e[4]) = 9;
        } else {
            CHECK_EQ(sett_name_set(world[0], e[2], "it"), SETT_OK);
        }
        unsigned char* bytes;
        size_t size = encode(world[0], a, take(world[0]), &bytes);
        uint64_t hash = sett_world_hash(world[1]);
        const unsigned char ended[] = {3, 0, 0, 0, 1, 0, 0, 0};
        forge(only(bytes, size, ended, sizeof(ended)), e[1].index);
        CHECK_EQ(setti_delta_apply(world[1], bytes, size, SETTI_COMPARE_HASHES),
                 SETT_STATUS_INVALID);
        CHECK_EQ(sett_world_hash(world[1]), hash);
        CHECK_EQ(sett_world_validate(world[1], NULL), SETT_OK);
        CHECK_EQ(setti_delta_apply(world[1], bytes, size, SETTI_TRUST), SETT_OK);
        CHECK(sett_entity_valid(world[1], e[2]) && !sett_entity_valid(world[1], e[1]));
        CHECK(sett_is_null(sett_hierarchy_parent(world[1], e[2])));
        CHECK_EQ(sett_world_validate(world[1], NULL), SETT_OK);
        free(bytes);
        sett_world_destroy(world[0]);
        sett_world_destroy(world[1]);
    }
}

/* A parent goes and another begins in its place, with the same child. */
static void another_parent_may_have_the_place(void)
{
    family f = begin_family(1);
    CHECK_EQ(sett_hierarchy_detach(f.world, f.e[1]), SETT_OK);
    CHECK_EQ(sett_entity_destroy(f.world, f.e[0]), SETT_OK);
    sett_entity again = sett_entity_create(f.world);
    CHECK_EQ(again.index, f.e[0].index);
    CHECK_EQ(sett_hierarchy_attach(f.world, f.e[1], again), SETT_OK);
    unsigned char* bytes;
    size_t size = encode(f.world, f.start, take(f.world), &bytes);
    CHECK_APPLY(f.peer, bytes, size);
    CHECK_SAME(f.world, f.peer);
    free(bytes);
    end_family(&f);
}

static void other_versions_are_rejected_by_number(void)
{
    scene s = begin_scene();
    s.bytes[4] = 1;
    rejected(&s, s.bytes, s.size, SETT_STATUS_INVALID);
    CHECK(strstr(sett_world_message(s.peer), "the delta has version 1 of the format,") != NULL);
    s.bytes[4] = SETTI_DELTA_VERSION;
    end_scene(&s);
}

static void snapshots_of_the_peer_stay(void)
{
    scene s = begin_scene();
    sett_snapshot kept = take(s.peer);
    CHECK_APPLY(s.peer, s.bytes, s.size);
    CHECK(sett_world_hash(s.peer) != s.hash);
    CHECK_EQ(sett_snapshot_restore(s.peer, kept), SETT_OK);
    CHECK_EQ(sett_world_hash(s.peer), s.hash);
    CHECK_EQ(sett_snapshot_drop(s.peer, kept), SETT_OK);
    end_scene(&s);
}

/* The limit on memory is for what stays: a delta that is rejected costs no older snapshot, one that
 * is accepted those that are too much with it. */
static void what_is_rejected_costs_no_snapshot(void)
{
    sett_world* world = begin(false);
    sett_world* peer = begin(false);
    for (uint32_t k = 0; k < 2000; k++) {
        sett_entity e = sett_entity_create(world);
        CHECK(sett_add(world, e, WIDE) != NULL);
        CHECK(sett_add(world, e, ARRAY) != NULL);
    }
    CHECK_EQ(sett_world_clone(world, peer), SETT_OK);
    sett_snapshot a = take(world);
    for (uint32_t k = 0; k < 2000; k++) {
        memset(sett_find_mut(world, (sett_entity){k, 1}, WIDE), 7, 512);
    }
    unsigned char* bytes;
    size_t size = encode(world, a, take(world), &bytes);
    CHECK_EQ(sett_snapshot_set_options(peer,
                                       &(sett_snapshot_options){.memory_limit = (size_t)256 << 10}),
             SETT_OK);
    sett_snapshot kept[3];
    for (uint32_t k = 0; k < 3; k++) {
        kept[k] = take(peer);
        CHECK(sett_set(peer, (sett_entity){k, 1}, ARRAY, "01234567") != NULL);
    }
    for (uint32_t k = 0; k < 3; k++) { /* so that the delta fits */
        CHECK(sett_set(peer, (sett_entity){k, 1}, ARRAY, "\0\0\0\0\0\0\0") != NULL);
    }
    unsigned char reserved[8];
    memcpy(reserved, bytes + 16, 8);
    memset(bytes + 16, 0x5A, 8); /* it promises another hash, which the sum does not cover */
    for (uint32_t k = 0; k < 2; k++) {
        sett_status status = sett_delta_apply(peer, bytes, size);
        CHECK_MSG(status == (k == 0 ? SETT_STATUS_INVALID : SETT_OK), "%s",
                  sett_world_message(peer));
        for (uint32_t i = 0; i < 3; i++) {
            bool stays = k == 0 || i == 2;
            CHECK_EQ(sett_snapshot_status(peer, kept[i]), stays ? SETT_OK : SETT_STATUS_LOST);
        }
        CHECK_EQ(sett_world_validate(peer, NULL), SETT_OK);
        memcpy(bytes + 16, reserved, 8);
    }
    CHECK_SAME(world, peer);
    free(bytes);
    sett_world_destroy(world);
    sett_world_destroy(peer);
}

static size_t largest; /* bytes that were asked for at once */

static void* counting_alloc(void* user, size_t size, size_t align)
{
    (void)user;
    largest = size > largest ? size : largest;
    return aligned_alloc(SETTI_MAX(align, 16), setti_align_up(size, SETTI_MAX(align, 16)));
}

static void counting_free(void* user, void* address, size_t size, size_t align)
{
    (void)user;
    (void)size;
    (void)align;
    free(address);
}

/* Handles may be created far out, and travel; where such a delta is rejected, what was made room
 * for costs nothing later. */
static void entities_far_out_travel(void)
{
    sett_world* world = begin(false);
    sett_world_desc counting = {.allocator = {counting_alloc, counting_free, NULL, NULL},
                                .log_fn = sett_log_silent};
    sett_world* peer = sett_world_create(&counting);
    disturb(world, 200);
    CHECK_EQ(sett_world_clone(world, peer), SETT_OK);
    sett_snapshot a = take(world);
    const sett_entity far = {5000000, 3};
    CHECK_EQ(sett_entity_create_handle(world, far), SETT_OK);
    CHECK(sett_set(world, far, ARRAY, "01234567") != NULL);
    CHECK(sett_add(world, far, SPARSE) != NULL);
    sett_snapshot b = take(world);
    disturb(world, 20);
    sett_snapshot c = take(world);
    unsigned char* bytes;
    size_t size = encode(world, a, b, &bytes);
    bytes[16] ^= 1; /* promises another hash */
    CHECK_EQ(sett_delta_apply(peer, bytes, size), SETT_STATUS_INVALID);
    bytes[16] ^= 1;
    sett_snapshot peers = take(peer);
    unsigned char* none;
    largest = 0;
    (void)encode(peer, peers, take(peer), &none);
    CHECK(largest < 100000);
    free(none);
    CHECK_APPLY(peer, bytes, size);
    free(bytes);
    for (uint32_t k = 0; k < 2; k++) { /* there, and away again */
        const sett_snapshot at[3] = {b, c, a};
        size = encode(world, at[k], at[k + 1], &bytes);
        CHECK_APPLY(peer, bytes, size);
        CHECK_EQ(sett_snapshot_restore(world, at[k + 1]), SETT_OK);
        CHECK_SAME(world, peer);
        free(bytes);
    }
    for (uint32_t k = 0; k < 2000; k++) { /* the same handles come next */
        CHECK(sett_equals(sett_entity_create(world), sett_entity_create(peer)));
    }
    sett_world_destroy(world);
    sett_world_destroy(peer);
}

typedef struct loose {
    float number;
    char text[8];
} loose;

/* Two states with one hash: which NaN it is, and what follows a text's end, does not count. */
static void differences_are_of_what_counts(void)
{
    static const unsigned char nan[2][4] = {{1, 0, 0xC0, 0x7F}, {9, 8, 0xC1, 0xFF}};
    static const char* const text[2] = {"abc\0xyz", "abc\0\1\2\3"};
    sett_world* world[2] = {quiet_world(), quiet_world()};
    sett_entity e = sett_null();
    for (uint32_t k = 0; k < 2; k++) {
        CHECK_EQ(sett_component_register(
                     world[k], &(sett_component_desc){.name = "loose",
                                                      .size = sizeof(loose),
                                                      .members = SETT_STRUCT(loose, number, text)}),
                 1);
        e = sett_entity_create(world[k]);
        loose* value = sett_add(world[k], e, 1);
        memcpy(&value->number, nan[SETTI_BIG_ENDIAN ? 0 : k], 4);
        memcpy(value->text, text[k], 8);
    }
    CHECK_SAME(world[0], world[1]);
    sett_snapshot before = take(world[0]);
    loose* value = sett_get_mut(world[0], e, 1);
    value->number = 1.5f;
    value->text[3] = 'd';
    unsigned char* bytes;
    size_t size = encode(world[0], before, take(world[0]), &bytes);
    CHECK_APPLY(world[1], bytes, size);
    CHECK_SAME(world[0], world[1]);
    CHECK(memcmp(sett_get(world[1], e, 1), value, sizeof(loose)) == 0);
    free(bytes);
    CHECK_END(world[0]);
    CHECK_END(world[1]);
}

/* 10,000 timers that count down, of which some were wound up, take little more than the latter. */
static void what_changes_alike_takes_little(void)
{
    sett_world* world = quiet_world();
    CHECK_EQ(sett_component_register(world, &(sett_component_desc){.name = "time", .size = 4}), 1);
    for (uint32_t k = 0; k < 10000; k++) {
        uint32_t left = 1000 + k;
        CHECK(sett_set(world, sett_entity_create(world), 1, &left) != NULL);
    }
    sett_snapshot before = take(world);
    for (uint32_t k = 0; k < 10000; k++) {
        uint32_t* left = sett_get_mut(world, sett_entity_at(world, k), 1);
        *left -= k % 1000 == 0 ? *left - 77777 : 1;
    }
    unsigned char* bytes;
    size_t size = encode(world, before, take(world), &bytes);
    CHECK_MSG(size < SETTI_DELTA_HEAD + 64 + 10000 / 64 * 10 + 500, "%zu bytes", size);
    CHECK_EQ(sett_snapshot_restore(world, before), SETT_OK);
    CHECK_APPLY(world, bytes, size);
    CHECK_EQ(*(const uint32_t*)sett_get(world, sett_entity_at(world, 3000), 1), 77777);
    free(bytes);
    CHECK_END(world);
}

enum {
    SIZES = 41,
    SIZED = 300
};

static void alter(sett_world* world, sett_component type, uint32_t size)
{
    for (uint32_t k = 0; k < SIZED; k++) {
        if (below(3) == 0) {
            unsigned char* value = sett_get_mut(world, sett_entity_at(world, k), type);
            value[below(size)] = (unsigned char)below(256);
        }
    }
}

/* Values of all sizes change, in both storages, some beside entities that come and go. */
static void changes_of_all_sizes_travel(void)
{
    sett_world* world[2] = {quiet_world(), quiet_world()};
    chance_state = check_setting("SETT_SEED", 1);
    for (uint32_t k = 0; k < 2 * SIZES; k++) {
        sett_component_desc desc = {.size = k / 2 + 1,
                                    .storage = (k % 2 != 0) ? SETT_STORAGE_SPARSE_SET
                                                            : SETT_STORAGE_ARRAY};
        char name[32];
        (void)snprintf(name, sizeof(name), "type %u", (unsigned)k);
        desc.name = name;
        for (uint32_t n = 0; n < 2; n++) {
            CHECK_EQ(sett_component_register(world[n], &desc), k + 1);
        }
    }
    for (uint32_t k = 0; k < SIZED; k++) {
        sett_entity e[2] = {sett_entity_create(world[0]), sett_entity_create(world[1])};
        for (uint32_t t = 1; t <= 2 * SIZES; t++) {
            CHECK(sett_add(world[0], e[0], t) != NULL && sett_add(world[1], e[1], t) != NULL);
        }
    }
    sett_snapshot last = take(world[0]);
    for (uint32_t round = 0; round < 4; round++) {
        for (uint32_t t = 1; t <= 2 * SIZES; t++) {
            alter(world[0], t, (t + 1) / 2);
        }
        sett_snapshot now = take(world[0]);
        unsigned char* bytes;
        size_t size = encode(world[0], last, now, &bytes);
        CHECK_APPLY(world[1], bytes, size);
        CHECK_SAME(world[0], world[1]);
        CHECK_EQ(sett_snapshot_drop(world[0], last), SETT_OK);
        last = now;
        free(bytes);
    }
    CHECK_END(world[0]);
    CHECK_END(world[1]);
}

typedef struct floats {
    float a;
    float b;
    float c;
} floats;

/* NaN in any member, before or after; another NaN is no change. */
static void changes_of_nan_travel(void)
{
    static const uint32_t bits[3] = {0x3FC00000u, 0x7FC00000u, 0x7FC00001u};
    sett_world* world[2] = {quiet_world(), quiet_world()};
    for (uint32_t n = 0; n < 2; n++) {
        CHECK_EQ(sett_component_register(
                     world[n], &(sett_component_desc){.name = "floats",
                                                      .size = sizeof(floats),
                                                      .members = SETT_STRUCT(floats, a, b, c)}),
                 1);
        for (uint32_t k = 0; k < 64; k++) {
            CHECK(sett_set(world[n], sett_entity_create(world[n]), 1, &(floats){1, 2, 3}) != NULL);
        }
    }
    sett_snapshot last = take(world[0]);
    for (uint32_t round = 0; round < 27; round++) { /* each of the three to each */
        for (uint32_t k = 0; k < 64; k++) {
            unsigned char* value = sett_get_mut(world[0], sett_entity_at(world[0], k), 1);
            memcpy(value + k % 3 * 4, &bits[(k < 32 ? round : round / 3) % 3], 4);
        }
        sett_snapshot now = take(world[0]);
        unsigned char* bytes;
        size_t size = encode(world[0], last, now, &bytes);
        CHECK_APPLY(world[1], bytes, size);
        CHECK_SAME(world[0], world[1]);
        last = now;
        free(bytes);
    }
    for (uint32_t k = 0; k < 64; k++) {
        floats* value = sett_get_mut(world[0], sett_entity_at(world[0], k), 1);
        memcpy(&value->b, &bits[1], 4);
    }
    sett_snapshot one = take(world[0]);
    for (uint32_t k = 0; k < 64; k++) {
        floats* value = sett_get_mut(world[0], sett_entity_at(world[0], k), 1);
        memcpy(&value->b, &bits[2], 4);
    }
    unsigned char* nothing;
    unsigned char* little;
    size_t size = encode(world[0], one, one, &nothing);
    CHECK_EQ(encode(world[0], one, take(world[0]), &little), size);
    CHECK(memcmp(nothing, little, size) == 0);
    free(nothing);
    free(little);
    CHECK_END(world[0]);
    CHECK_END(world[1]);
}

/* ---- Orders of lists ------------------------------------------------------------------------- */

enum {
    LINK = 1,
    LINKS,
    LISTED = 8 /* indices, of which any two can be linked */
};

static sett_world* begin_lists(void)
{
    sett_world* world = quiet_world();
    CHECK_EQ(sett_relationship_register(world, &(sett_relationship_desc){.name = "link"}), LINK);
    CHECK_EQ(
        sett_relationship_register(world, &(sett_relationship_desc){.name = "links", .many = true}),
        LINKS);
    CHECK(sett_hierarchy_register(world, NULL) != 0);
    return world;
}

static void move_in_lists(sett_world* world)
{
    sett_entity a = sett_entity_at(world, below(LISTED));
    sett_entity b = sett_entity_at(world, below(LISTED));
    sett_component id = below(2) != 0 ? LINK : LINKS;
    switch (below(9)) { /* what is not possible is rejected */
    case 0:
        (void)sett_entity_destroy(world, a);
        break;
    case 1:
    case 2:
        (void)sett_entity_create_handle(world, (sett_entity){below(LISTED), 1 + below(50)});
        break;
    case 3:
        (void)sett_hierarchy_insert_before(world, a, b);
        break;
    case 4:
        (void)sett_hierarchy_insert_after(world, a, b);
        break;
    case 5:
        (void)sett_unrelate(world, a, id, b);
        break;
    case 6:
        (void)sett_relate(world, a, id, b);
        break;
    default:
        (void)sett_hierarchy_attach(world, a, b);
        break;
    }
}

static void check_lists(const sett_world* world, const sett_world* peer)
{
    for (uint32_t k = 0; k < LISTED; k++) {
        sett_entity owner = sett_entity_at(world, k);
        CHECK(sett_equals(sett_entity_at(peer, k), owner));
        sett_entity here = sett_is_null(owner) ? owner : sett_hierarchy_first(world, owner);
        sett_entity there = sett_is_null(owner) ? owner : sett_hierarchy_first(peer, owner);
        for (; !sett_is_null(here) || !sett_is_null(there);
             here = sett_hierarchy_next(world, here), there = sett_hierarchy_next(peer, there)) {
            CHECK(sett_equals(here, there));
        }
        for (sett_component id = LINK; id <= LINKS && !sett_is_null(owner); id++) {
            sett_link_cursor at = {0};
            sett_link_cursor same = {0};
            do {
                here = sett_source_next(world, id, owner, &at);
                CHECK(sett_equals(here, sett_source_next(peer, id, owner, &same)));
            } while (!sett_is_null(here));
        }
    }
}

static void check_lists_travel(sett_world* world, sett_snapshot a, sett_snapshot b,
                               sett_world* peer)
{
    unsigned char* bytes;
    size_t size = encode(world, a, b, &bytes);
    CHECK_APPLY(peer, bytes, size);
    free(bytes);
}

/* Few entities in few lists, so that all happens: members that move within their list, that leave
 * it and are followed at their index by others, in lists whose owners do the same. */
static void lists_travel_in_their_order(void)
{
    chance_state = check_setting("SETT_SEED", 1);
    for (uint32_t round = 0; round < 40; round++) {
        sett_world* world = begin_lists();
        sett_world* peer = begin_lists();
        sett_snapshot last = take(world);
        for (uint32_t frame = 0; frame < 200; frame++) {
            for (uint32_t k = 1 + below(6); k > 0; k--) {
                move_in_lists(world);
            }
            sett_snapshot now = take(world);
            check_lists_travel(world, last, now, peer);
            CHECK_SAME(world, peer);
            check_lists(world, peer);
            if (frame % 4 == 0) { /* there and back */
                check_lists_travel(world, now, last, peer);
                check_lists_travel(world, last, now, peer);
                check_lists(world, peer);
            }
            CHECK_EQ(sett_snapshot_drop(world, last), SETT_OK);
            last = now;
        }
        CHECK_END(world);
        CHECK_END(peer);
    }
}

/* Another entity at a member's index: the one before it has the same bytes, and another place. */
static void a_follower_can_have_the_index_of_another(void)
{
    sett_world* world = begin_lists();
    sett_world* peer = begin_lists();
    sett_snapshot empty = take(world);
    sett_entity e[4];
    for (uint32_t k = 0; k < 4; k++) {
        e[k] = sett_entity_create(world);
        CHECK(k == 0 || sett_hierarchy_attach(world, e[k], e[0]) == SETT_OK);
    }
    sett_snapshot before = take(world);
    check_lists_travel(world, empty, before, peer);
    CHECK_EQ(sett_entity_destroy(world, e[2]), SETT_OK); /* 1 2 3 become 3 1 2 */
    CHECK_EQ(sett_hierarchy_insert_before(world, e[3], e[1]), SETT_OK);
    sett_entity again = sett_entity_create(world);
    CHECK_EQ(again.index, e[2].index);
    CHECK_EQ(sett_hierarchy_attach(world, again, e[0]), SETT_OK);
    check_lists_travel(world, before, take(world), peer);
    check_lists(world, peer);
    CHECK_END(world);
    CHECK_END(peer);
}

/* A packet of a game with many types: those that nothing is said about take no bytes, and need not
 * be there. */
static void types_that_do_not_occur_take_no_bytes(void)
{
    sett_world* world = quiet_world();
    sett_world* peer = quiet_world();
    char name[16];
    for (uint32_t k = 1; k <= 64; k++) {
        snprintf(name, sizeof(name), "type%u", (unsigned)k);
        CHECK_EQ(sett_component_register(world, &(sett_component_desc){.name = name, .size = 8}),
                 k);
    }
    CHECK_EQ(sett_component_register(peer, &(sett_component_desc){.name = "type7", .size = 8}), 1);
    sett_snapshot a = take(world);
    unsigned char* bytes;
    size_t size = encode(world, a, take(world), &bytes);
    CHECK_EQ(size, SETTI_DELTA_HEAD);
    CHECK_APPLY(peer, bytes, size);
    free(bytes);
    a = take(world);
    sett_entity e = sett_entity_create(world);
    CHECK(sett_add(world, e, 7) != NULL);
    size = encode(world, a, take(world), &bytes);
    CHECK_EQ(size, SETTI_DELTA_HEAD + SETTI_DELTA_HANDLES_SIZE + 5 + 8 + 43 + strlen("type7"));
    CHECK_APPLY(peer, bytes, size);
    CHECK_SAME(world, peer);
    free(bytes);
    a = take(world);
    CHECK(sett_add(world, e, 8) != NULL);
    size = encode(world, a, take(world), &bytes);
    CHECK_EQ(sett_delta_apply(peer, bytes, size), SETT_STATUS_CONFLICT);
    CHECK(strstr(sett_world_message(peer), "type \"type8\" is not registered") != NULL);
    free(bytes);
    CHECK_END(world);
    CHECK_END(peer);
}

static void check_rows(sett_world* world, sett_world* peer, sett_component id)
{
    const setti_storage* rows = &setti_world_type(world, id)->storage;
    const setti_storage* others = &setti_world_type(peer, id)->storage;
    CHECK_EQ(rows->extent, others->extent);
    for (uint32_t row = 0; row < rows->extent; row++) {
        CHECK_EQ(*setti_storage_index(rows, row), *setti_storage_index(others, row));
    }
}

/* Rows of types about which a delta says nothing, of groups, and of entities that end, are those of
 * the sender too. */
static void orders_follow_where_few_types_occur(void)
{
    enum {
        ROUNDS = 400,
        KINDS = 5
    };
    sett_world* world[2] = {quiet_world(), quiet_world()};
    for (uint32_t k = 0; k < 2; k++) {
        for (uint32_t id = 1; id <= KINDS; id++) {
            char name[8];
            snprintf(name, sizeof(name), "t%u", (unsigned)id);
            sett_component_desc desc = {.name = name, .size = 4, .keep_order = id == 4};
            desc.storage = SETT_STORAGE_SPARSE_SET;
            CHECK_EQ(sett_component_register(world[k], &desc), id);
        }
        CHECK(sett_group_create(world[k], &(sett_group_desc){.owned = {1, 2}}) != NULL);
    }
    chance_state = 5;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        sett_snapshot a = take(world[0]);
        for (uint32_t k = below(3); k-- > 0;) {
            uint32_t alive = sett_entity_count(world[0]);
            sett_entity e = entity_from(world[0], alive != 0 ? below(alive) : 0);
            sett_component id = 1 + below(KINDS);
            if (alive < 20 || below(8) == 0) {
                (void)sett_entity_create(world[0]);
            } else if (below(3) == 0) {
                CHECK_EQ(sett_entity_destroy(world[0], e), SETT_OK);
            } else if (sett_has(world[0], e, id)) {
                CHECK_EQ(sett_remove(world[0], e, id), SETT_OK);
            } else {
                CHECK(sett_add(world[0], e, id) != NULL);
            }
        }
        unsigned char* bytes;
        size_t size = encode(world[0], a, take(world[0]), &bytes);
        CHECK_APPLY(world[1], bytes, size);
        free(bytes);
        CHECK_SAME(world[0], world[1]);
        for (sett_component id = 1; id <= KINDS; id++) {
            check_rows(world[0], world[1], id);
        }
        CHECK_EQ(sett_snapshot_drop(world[0], a), SETT_OK);
    }
    CHECK_END(world[0]);
    CHECK_END(world[1]);
}

/* The default policy of children is not part of any node. */
static void a_policy_travels_without_nodes(void)
{
    static const sett_children_policy policies[] = {SETT_CHILDREN_DETACH, SETT_CHILDREN_REJECT,
                                                    SETT_CHILDREN_DESTROY};
    sett_world* world = quiet_world();
    sett_world* peer = quiet_world();
    sett_snapshot a = take(world);
    sett_entity parent = sett_entity_create(world);
    sett_entity child = sett_entity_create(world);
    CHECK_EQ(sett_hierarchy_attach(world, child, parent), SETT_OK);
    for (uint32_t k = 0; k < 3; k++) {
        CHECK(sett_hierarchy_register(world, &(sett_hierarchy_desc){policies[k]}) != 0);
        unsigned char* bytes;
        sett_snapshot b = take(world);
        size_t size = encode(world, a, b, &bytes);
        CHECK_APPLY(peer, bytes, size);
        free(bytes);
        a = b;
        CHECK_EQ(setti_hierarchy_of(peer)->policy, policies[k]);
    }
    CHECK_EQ(sett_entity_destroy(peer, parent), SETT_OK);
    CHECK(!sett_entity_valid(peer, child));
    CHECK_END(world);
    CHECK_END(peer);
}

TEST_MAIN(TEST(types_that_do_not_occur_take_no_bytes), TEST(orders_follow_where_few_types_occur),
          TEST(a_policy_travels_without_nodes), TEST(changes_of_all_sizes_travel),
          TEST(changes_of_nan_travel), TEST(differences_are_of_what_counts),
          TEST(what_changes_alike_takes_little), TEST(a_peer_follows),
          TEST(any_two_snapshots_can_be_distinguished), TEST(what_is_cut_off_is_rejected),
          TEST(what_is_altered_is_rejected), TEST(other_types_are_rejected),
          TEST(links_and_names_travel), TEST(what_cannot_be_is_rejected_and_undone),
          TEST(other_versions_are_rejected_by_number), TEST(children_do_not_end_behind_its_back),
          TEST(another_parent_may_have_the_place), TEST(snapshots_of_the_peer_stay),
          TEST(what_is_rejected_costs_no_snapshot), TEST(entities_far_out_travel),
          TEST(lists_travel_in_their_order), TEST(a_follower_can_have_the_index_of_another))

/* test_replica.c: the replica of the page as a program of this machine. Recordings come
 * from outside: truncated ones, ones with flipped bits, and ones whose checksums were made to fit.
 *
 * SPDX-License-Identifier: MIT
 */
#include "follow_view.c"

#include "chance.h"
#include "check.h"
#include "files.h"

#define FRAMES 60
#define LEAVES 40

typedef struct test_place {
    float x, y;
    sett_entity near;
} test_place;

typedef struct test_kind {
    int32_t number;
    uint8_t sort;
    uint8_t rings[2];
} test_kind;

static const char* const test_rings[] = {"inner", "outer"};
static const sett_constant test_sorts[] = {{"oak", 0}, {"beech", 1}, {"ash", 2}, {NULL, 0}};

typedef struct test_recording {
    disk* disk;
    const unsigned char* bytes;
    size_t size;
    uint64_t hash[FRAMES + 1];
} test_recording;

static void test_change(sett_world* world, const sett_component ids[4], sett_entity root,
                        sett_entity* all, uint64_t* state)
{
    char name[32];
    for (uint32_t k = 0; k < 12; k++) {
        uint32_t at = chance_below(state, LEAVES);
        sett_entity other = all[chance_below(state, LEAVES)];
        other = sett_entity_valid(world, other) ? other : root;
        if (!sett_entity_valid(world, all[at])) {
            all[at] = sett_entity_create(world);
            snprintf(name, sizeof(name), "leaf%u", (unsigned)at);
            (void)sett_name_set(world, all[at], name);
            (void)sett_hierarchy_attach(world, all[at], root);
            sett_set(world, all[at], ids[1], &(test_kind){(int32_t)k, (uint8_t)(k % 3), {1, 2}});
        }
        switch (chance_below(state, 6)) {
        case 0:
            sett_set(world, all[at], ids[0], &(test_place){(float)k, 2, other});
            break;
        case 1:
            sett_add(world, all[at], ids[2]);
            break;
        case 2:
            sett_remove(world, all[at], ids[chance_below(state, 3)]);
            break;
        case 3:
            (void)sett_relate(world, all[at], ids[3], other);
            break;
        case 4:
            sett_entity_destroy(world, all[at]);
            break;
        default:
            sett_set(world, all[at], ids[1],
                     &(test_kind){(int32_t)k * -7, (uint8_t)(k % 3), {1, 2}});
        }
    }
}

/* A forest of FRAMES frames, in memory. */
static test_recording test_record(uint32_t keyframe_every)
{
    test_recording made = {.disk = disk_create()};
    uint64_t state = 7;
    sett_entity all[LEAVES] = {{0, 0}};
    sett_world* world = sett_world_create(&(sett_world_desc){.log_fn = sett_log_silent});
    const sett_component ids[4] = {
        sett_component_register(
            world, &(sett_component_desc){SETT_TYPE(test_place),
                                          .members = SETT_STRUCT(test_place, x, y, near)}),
        sett_component_register(
            world, &(sett_component_desc){SETT_TYPE(test_kind), .storage = SETT_STORAGE_SPARSE_SET,
                                          .members = SETT_STRUCT(
                                              test_kind, number, (sort, .constants = test_sorts),
                                              (rings, .element_names = test_rings))}),
        sett_component_register(world, &(sett_component_desc){.name = "Old"}),
        sett_relationship_register(world, &(sett_relationship_desc){.name = "Likes", .many = true}),
    };
    sett_entity root = sett_entity_create(world);
    (void)sett_name_set(world, root, "root");
    test_change(world, ids, root, all, &state);
    sett_file_desc desc = {.files = &made.disk->files, .keyframe_every = keyframe_every};
    sett_journal* journal = sett_journal_create(world, "forest", &desc);
    CHECK(journal != NULL);
    made.hash[0] = sett_world_hash(world);
    for (uint32_t frame = 1; frame <= FRAMES; frame++) {
        test_change(world, ids, root, all, &state);
        CHECK_EQ(sett_journal_append(journal, frame), SETT_OK);
        made.hash[frame] = sett_world_hash(world);
    }
    CHECK_EQ(sett_journal_destroy(journal), SETT_OK);
    sett_world_destroy(world);
    const disk_node* node = &made.disk->node[disk_find(made.disk, "forest")->node];
    made.bytes = node->bytes;
    made.size = node->size;
    return made;
}

static int test_feed(const unsigned char* bytes, size_t size, size_t piece)
{
    int status = 0;
    for (size_t at = 0; status == 0 && at < size; at += piece) {
        size_t part = SETTI_MIN(piece, size - at);
        memcpy(follow_input(part), bytes + at, part);
        status = follow_feed(part);
    }
    return status;
}

static int test_filter(const char* query, const char* part)
{
    size_t length = strlen(query);
    char* to = follow_input(length + strlen(part) + 1);
    memcpy(to, query, length + 1);
    memcpy(to + length + 1, part, strlen(part));
    return (int)follow_filter(length + 1 + strlen(part));
}

/* What the page asks about a frame. */
static void test_look(void)
{
    (void)test_filter("", "");
    follow_expand_all(1);
    (void)follow_tree();
    (void)follow_rows(0, 60);
    (void)follow_types();
    for (uint32_t k = 0; k < view.rows; k++) {
        (void)follow_entity(view.row[k], follow_generation(view.row[k]));
    }
    for (sett_component id = 1; id < 8; id++) {
        (void)follow_pages(id);
    }
    (void)follow_info();
    (void)follow_entries(f.first);
}

/* Goes to every frame that can be reached, and compares. Returns how many there are. */
static uint32_t test_visit(const test_recording* of, uint32_t stride)
{
    uint32_t reached = 0;
    for (uint32_t k = 0; k < f.end; k++) {
        uint32_t number = (uint32_t)((uint64_t)k * stride % f.end);
        const follow_entry* entry = follow_at(number);
        if (follow_seek(number, 1e9) != 1) {
            continue;
        }
        reached++;
        test_look();
        const char* reason = "";
        CHECK_MSG(sett_world_validate(f.world, &reason) == SETT_OK, "%s", reason);
        if (of != NULL) {
            CHECK_EQ(sett_world_hash(f.world), of->hash[entry->frame]);
        }
    }
    if (f.end > 1 && follow_diff(0, f.end - 1) >= 0) {
        (void)follow_changes(0, 100);
    }
    return reached;
}

static void every_frame_is_that_of_the_sender(void)
{
    for (uint32_t keyframes = 0; keyframes < 32; keyframes += 16) {
        test_recording made = test_record(keyframes);
        follow_reset();
        CHECK_EQ(test_feed(made.bytes, made.size, keyframes == 0 ? made.size : 77), 0);
        CHECK_EQ(f.end, FRAMES + 1);
        CHECK_EQ(test_visit(&made, 1), FRAMES + 1);
        CHECK_EQ(test_visit(&made, 37), FRAMES + 1);
        CHECK(follow_diff(3, 40) > 0);
        CHECK(follow_changes(0, 100) > 2);
        follow_reset();
        disk_destroy(made.disk);
    }
}

static void names_are_found(void)
{
    test_recording made = test_record(0);
    follow_reset();
    CHECK_EQ(test_feed(made.bytes, made.size, made.size), 0);
    CHECK_EQ(follow_seek(f.end - 1, 1e9), 1);
    CHECK_EQ(test_filter("", "ROOT"), 1);
    CHECK_EQ(test_filter("", "root "), 0); /* and not what lies behind the name */
    CHECK(test_filter("test_kind", "") > 0);
    CHECK_EQ(test_filter("test_kind(", ""), -1);
    follow_reset();
    disk_destroy(made.disk);
}

static void element_names_travel(void)
{
    test_recording made = test_record(0);
    follow_reset();
    CHECK_EQ(test_feed(made.bytes, made.size, made.size), 0);
    CHECK_EQ(follow_seek(f.end - 1, 1e9), 1);
    CHECK(test_filter("test_kind", "") > 0);
    size_t size = follow_entity(view.row[0], follow_generation(view.row[0]));
    CHECK(follow_add(&view.out, "", 1));
    CHECK(size != 0 && strstr(view.out.data, "\"rings\": {\"inner\": 1, \"outer\": 2}") != NULL);
    follow_reset();
    disk_destroy(made.disk);
}

static void what_is_cut_off_is_read_so_far(void)
{
    test_recording made = test_record(16);
    for (uint32_t k = 0; k < 100; k++) {
        follow_reset();
        CHECK_EQ(test_feed(made.bytes, made.size * k / 100, 4096), 0);
        (void)test_visit(&made, 1);
    }
    follow_reset();
    disk_destroy(made.disk);
}

/* Makes the checksums fit, as one who wants to do harm would. */
static void test_seal(unsigned char* bytes, size_t size)
{
    uint64_t identity = setti_bytes_get(bytes + 16, 8);
    setti_bytes_put(bytes + 24, setti_checksum(0, bytes, 24), 8);
    size_t at = SETTI_STREAM_HEADER;
    while (at + SETTI_STREAM_RECORD <= size) {
        size_t length = (size_t)setti_bytes_get(bytes + at + 4, 4);
        if (length > size - at - SETTI_STREAM_RECORD) {
            return;
        }
        setti_bytes_put(
            bytes + at + 16,
            stream_checksum(identity, bytes + at, bytes + at + SETTI_STREAM_RECORD, length), 8);
        at += SETTI_STREAM_RECORD + length;
    }
}

static void flipped_bits_do_no_harm(void)
{
    test_recording made = test_record(16);
    unsigned char* bytes = malloc(made.size);
    uint64_t state = check_setting("SETT_SEED", 1);
    uint64_t rounds = check_setting("SETT_OPERATIONS", 300);
    uint32_t found = 0;
    for (uint64_t round = 0; round < rounds; round++) {
        bool sealed = round % 4 != 0;
        memcpy(bytes, made.bytes, made.size);
        for (uint32_t k = chance_below(&state, 3) + 1; k != 0; k--) {
            /* half of them in the state and its types, at the start */
            size_t limit = chance_below(&state, 2) == 0 ? 2048 : made.size;
            bytes[chance_below(&state, (uint32_t)SETTI_MIN(limit, made.size))] ^=
                (unsigned char)(1u << chance_below(&state, 8));
        }
        if (sealed) {
            test_seal(bytes, made.size);
        }
        follow_reset();
        bool whole = test_feed(bytes, made.size, 4096) == 0;
        uint32_t reached = test_visit(sealed ? NULL : &made, 1);
        found += !whole || reached != FRAMES + 1;
        CHECK(sealed || !whole);
    }
    printf("flipped_bits_do_no_harm: %u of %u recordings rejected in part or whole\n",
           (unsigned)found, (unsigned)rounds);
    follow_reset();
    free(bytes);
    disk_destroy(made.disk);
}

TEST_MAIN(TEST(every_frame_is_that_of_the_sender), TEST(names_are_found),
          TEST(element_names_travel), TEST(what_is_cut_off_is_read_so_far),
          TEST(flipped_bits_do_no_harm))

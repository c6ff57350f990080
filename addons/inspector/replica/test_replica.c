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
    if (f.end > 1 && follow_diff(0, f.end - 1, 0) >= 0) {
        (void)follow_changes(0, 100);
        for (uint32_t id = 1; id < 8; id++) {
            (void)follow_diff(0, f.end - 1, id);
            (void)follow_changes(0, 100);
        }
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
        CHECK(follow_diff(3, 40, 0) > 0);
        uint32_t listed = 0;
        for (size_t at = 0, size = follow_counts(); at < size; at += sizeof(follow_tally)) {
            follow_tally count;
            memcpy(&count, view.counts.data + at, sizeof(count));
            CHECK(follow_diff(3, 40, count.component) > 0);
            CHECK(follow_changes(0, 100) > 2);
            listed += view.changes;
            CHECK(count.component == 0 ||
                  view.changes == count.changed + count.added + count.removed);
        }
        CHECK_EQ(listed, view.changes_all);
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
        /* Or a bit was flipped twice. */
        bool changed = memcmp(bytes, made.bytes, made.size) != 0;
        if (sealed) {
            test_seal(bytes, made.size);
        }
        follow_reset();
        bool whole = test_feed(bytes, made.size, 4096) == 0;
        uint32_t reached = test_visit(sealed ? NULL : &made, 1);
        found += !whole || reached != FRAMES + 1;
        /* A length that grew makes a recording that is cut off there. */
        CHECK(sealed || !changed || !whole || reached < FRAMES + 1);
    }
    printf("flipped_bits_do_no_harm: %u of %u recordings rejected in part or whole\n",
           (unsigned)found, (unsigned)rounds);
    follow_reset();
    free(bytes);
    disk_destroy(made.disk);
}

/* ---------------------------------------------------------------------------- each kind of type */

/* What is rejected is named. */
static void rejected_types_are_named(void)
{
    static const char name[] = "test_place";
    test_recording made = test_record(0);
    unsigned char* bytes = malloc(made.size);
    size_t at = 0;
    memcpy(bytes, made.bytes, made.size);
    while (memcmp(bytes + at, name, sizeof(name) - 1) != 0) {
        at++;
    }
    bytes[at + sizeof(name) - 1 + 4] ^= 32; /* the size, behind form, storage, save and flags */
    test_seal(bytes, made.size);
    follow_reset();
    CHECK_EQ(test_feed(bytes, made.size, made.size), 0);
    CHECK_EQ(follow_seek(0, 1e9), -1);
    CHECK_MSG(strstr(follow_why(), name) != NULL, "%s", follow_why());
    follow_reset();
    free(bytes);
    disk_destroy(made.disk);
}

/* A query that would take hours is ended. */
static void queries_end_in_time(void)
{
    test_recording made = test_record(0);
    follow_reset();
    CHECK_EQ(test_feed(made.bytes, made.size, made.size), 0);
    CHECK_EQ(follow_seek(f.end - 1, 1e9), 1);
    double begin = follow_clock();
    CHECK(test_filter("test_kind($a), test_kind($b), test_kind($c), test_kind($d), test_kind($e), "
                      "test_kind($f), test_kind($g), test_kind($h)",
                      "") >= 0);
    CHECK(view.cut);
    printf("queries_end_in_time: %.0f ms\n", follow_clock() - begin);
    CHECK(test_filter("test_kind", "") > 0);
    CHECK(!view.cut);
    follow_reset();
    disk_destroy(made.disk);
}

/* A value with padding in its middle and at its end, and its members. */
typedef struct test_gap {
    uint8_t small;
    double large;
    uint8_t end;
} test_gap;

typedef struct test_book {
    sett_string title;
    sett_list scores;
    uint32_t pages;
} test_book;

#define TEST_ITEMS 6

/* What the types of one program are, and how their values change. */
typedef struct test_scene {
    sett_world* world;
    sett_component id;
    sett_entity item[TEST_ITEMS];
    bool links;
} test_scene;

typedef struct test_form {
    const char* name;
    sett_relationship_desc link;
    sett_component_desc type;
    void (*change)(test_scene* scene, sett_entity entity, uint32_t frame);
} test_form;

static void test_copy(void* to, const void* from, uint32_t count, void* user)
{
    (void)user;
    memcpy(to, from, count * sizeof(test_gap));
}

static void test_change_tag(test_scene* scene, sett_entity entity, uint32_t frame)
{
    if (frame % 2 == 0) {
        sett_ensure(scene->world, entity, scene->id);
    } else {
        sett_remove(scene->world, entity, scene->id);
    }
}

/* Padding holds what was there before. */
static void test_noise(void* data, uint32_t frame)
{
    test_gap* gap = data;
    memset(data, (int)frame + 17, sizeof(*gap));
    gap->small = (uint8_t)frame;
    gap->large = frame;
    gap->end = 3;
}

static void test_change_gap(test_scene* scene, sett_entity entity, uint32_t frame)
{
    test_noise(sett_ensure(scene->world, entity, scene->id), frame);
}

static void test_change_book(test_scene* scene, sett_entity entity, uint32_t frame)
{
    char title[32];
    test_book* book = sett_ensure(scene->world, entity, scene->id);
    snprintf(title, sizeof(title), "volume %u", (unsigned)frame);
    CHECK_EQ(sett_string_set(scene->world, &book->title, title), SETT_OK);
    *SETT_LIST_PUSH(scene->world, &book->scores, uint32_t) = frame;
    book->pages = frame;
}

static void test_change_enabled(test_scene* scene, sett_entity entity, uint32_t frame)
{
    test_change_gap(scene, entity, frame);
    CHECK_EQ(sett_enable(scene->world, entity, scene->id, frame % 2 == 0), SETT_OK);
}

static void test_change_prefab(test_scene* scene, sett_entity entity, uint32_t frame)
{
    test_change_gap(scene, entity, frame);
    if (frame == 1) {
        CHECK_EQ(sett_prefab_make(scene->world, entity), SETT_OK);
        CHECK_EQ(sett_prefab_share(scene->world, scene->id, true), SETT_OK);
    }
    CHECK_EQ(sett_instantiate(scene->world, entity, 1, NULL), SETT_OK);
}

static void test_change_link(test_scene* scene, sett_entity entity, uint32_t frame)
{
    const setti_relation* relation = setti_relation_of(scene->world, scene->id);
    for (uint32_t k = 0; k < (relation->many ? 3u : 1u); k++) {
        sett_entity target = scene->item[(entity.index + frame + k) % TEST_ITEMS];
        void* data = sett_relate(scene->world, entity, scene->id, target);
        CHECK(data != NULL);
        if (relation->data_size == sizeof(test_gap)) {
            test_noise(data, frame);
        } else if (relation->data_size == sizeof(test_place)) {
            *(test_place*)data = (test_place){(float)frame, 2, target};
        } else if (relation->data_size != 0) {
            memset(data, (int)frame, relation->data_size);
        }
    }
}

#define TEST_LINK(title, ...)                                                                      \
    {title, {.name = title, __VA_ARGS__}, {.name = NULL}, test_change_link},                       \
    {                                                                                              \
        title " to many", {.name = title " to many", .many = true, __VA_ARGS__}, {.name = NULL},   \
            test_change_link                                                                       \
    }

#define TEST_TYPE(title, change, ...)                                                              \
    {                                                                                              \
        title, {.name = NULL}, {.name = title, __VA_ARGS__}, change                                \
    }
#define TEST_GAP .size = sizeof(test_gap), .align = _Alignof(test_gap)

/* Plays what a program sends of one form of type: from its first frame on, or registered later. */
static void test_follow_form(const test_form* form, bool late)
{
    test_scene scene = {.world = sett_world_create(&(sett_world_desc){.log_fn = sett_log_silent})};
    disk* drive = disk_create();
    uint64_t hash[8];
    sett_component other = sett_component_register(
        scene.world, &(sett_component_desc){SETT_TYPE(test_place),
                                            .members = SETT_STRUCT(test_place, x, y, near)});
    for (uint32_t k = 0; k < TEST_ITEMS; k++) {
        scene.item[k] = sett_entity_create(scene.world);
        sett_add(scene.world, scene.item[k], other);
    }
    sett_journal* journal = NULL;
    for (uint32_t frame = 0; frame < 8; frame++) {
        if (frame == (late ? 3 : 0)) {
            scene.id = form->link.name != NULL
                           ? sett_relationship_register(scene.world, &form->link)
                           : sett_component_register(scene.world, &form->type);
            CHECK_MSG(scene.id != 0, "%s", sett_world_message(scene.world));
        }
        for (uint32_t k = 0; scene.id != 0 && k < 4; k++) {
            if (frame == 5 && form->change != test_change_prefab) {
                sett_remove(scene.world, scene.item[k], scene.id);
            } else {
                form->change(&scene, scene.item[k], frame);
            }
        }
        if (frame == 0) {
            sett_file_desc desc = {.files = &drive->files};
            journal = sett_journal_create(scene.world, "form", &desc);
            CHECK_MSG(journal != NULL, "%s", sett_world_message(scene.world));
        } else {
            CHECK_EQ(sett_journal_append(journal, frame), SETT_OK);
        }
        hash[frame] = sett_world_hash(scene.world);
    }
    CHECK_EQ(sett_journal_destroy(journal), SETT_OK);
    const disk_node* node = &drive->node[disk_find(drive, "form")->node];
    follow_reset();
    CHECK_EQ(test_feed(node->bytes, node->size, node->size), 0);
    for (uint32_t k = 0; k < f.end; k++) {
        uint32_t number = k * 5 % f.end;
        int there = follow_seek(number, 1e9);
        CHECK_MSG(there == 1, "%s%s, frame %u: %s", form->name, late ? ", late" : "",
                  (unsigned)number, follow_why());
        test_look();
        CHECK_EQ(sett_world_hash(f.world), hash[number]);
        CHECK_EQ(sett_world_validate(f.world, NULL), SETT_OK);
    }
    CHECK_EQ(f.end, 8);
    CHECK_EQ(follow_seek(7, 1e9), 1);
    CHECK_EQ(sett_component_count(f.world, sett_component_find(f.world, form->name)),
             sett_component_count(scene.world, scene.id));
    follow_reset();
    disk_destroy(drive);
    sett_world_destroy(scene.world);
}

static void every_kind_of_type_is_followed(void)
{
    static const sett_byte_range bytes[] = {{offsetof(test_gap, small), 1},
                                            {offsetof(test_gap, large), 8},
                                            {offsetof(test_gap, end), 1}};
    const sett_struct* gap = SETT_STRUCT(test_gap, small, large, end);
    const sett_struct* place = SETT_STRUCT(test_place, x, y, near);
    const sett_struct* book =
        SETT_STRUCT(test_book, title, (scores, .element = SETT_MEMBER_U32), pages);
    unsigned char mask[sizeof(test_gap)] = {0};
    for (uint32_t k = 0; k < 3; k++) {
        memset(mask + bytes[k].offset, 255, bytes[k].size);
    }
    const test_form forms[] = {
        TEST_LINK("no data", .size = 0),
        TEST_LINK("raw", .size = 12, .align = 4),
        TEST_LINK("raw, of small alignment", .size = 16, .align = 2),
        TEST_LINK("members", SETT_LINK_DATA(test_place), .members = place),
        TEST_LINK("padding", .size = sizeof(test_gap), .align = 8, .mask = mask),
        TEST_LINK("members and padding", SETT_LINK_DATA(test_gap), .members = gap),
        TEST_TYPE("Tag", test_change_tag, .size = 0),
        TEST_TYPE("Raw", test_change_gap, TEST_GAP, .mask = mask),
        TEST_TYPE("Members", test_change_gap, TEST_GAP, .members = gap),
        TEST_TYPE("Bytes", test_change_gap, TEST_GAP, .bytes = bytes, .byte_count = 3),
        TEST_TYPE("Strings", test_change_book, .size = sizeof(test_book), .members = book),
        TEST_TYPE("Sparse", test_change_gap, TEST_GAP, .mask = mask,
                  .storage = SETT_STORAGE_SPARSE_SET),
        TEST_TYPE("Sparse strings", test_change_book, .size = sizeof(test_book), .members = book,
                  .storage = SETT_STORAGE_SPARSE_SET),
        TEST_TYPE("Clone", test_change_gap, TEST_GAP, .members = gap, .copy = test_copy,
                  .save = SETT_SAVE_CLONE),
        TEST_TYPE("Clone bytes", test_change_gap, TEST_GAP, .bytes = bytes, .byte_count = 3,
                  .copy = test_copy, .save = SETT_SAVE_CLONE),
        TEST_TYPE("Skip", test_change_gap, TEST_GAP, .save = SETT_SAVE_SKIP),
        TEST_TYPE("Enabled", test_change_enabled, TEST_GAP, .mask = mask, .can_disable = true),
        TEST_TYPE("Dont fragment", test_change_gap, TEST_GAP, .mask = mask, .dont_fragment = true),
        TEST_TYPE("Rows", test_change_gap, TEST_GAP, .mask = mask, .track_rows = true),
        TEST_TYPE("Prefab of", test_change_prefab, TEST_GAP, .members = gap),
    };
    for (uint32_t k = 0; k < sizeof(forms) / sizeof(forms[0]); k++) {
        test_follow_form(&forms[k], false);
        test_follow_form(&forms[k], true);
    }
}

TEST_MAIN(TEST(every_frame_is_that_of_the_sender), TEST(names_are_found),
          TEST(element_names_travel), TEST(every_kind_of_type_is_followed),
          TEST(rejected_types_are_named), TEST(queries_end_in_time),
          TEST(what_is_cut_off_is_read_so_far), TEST(flipped_bits_do_no_harm))

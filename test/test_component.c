/* test_component.c: registering types. */
#include "sett/hierarchy.h"
#include "sett/name.h"
#include "sett/prefab.h"
#include "sett/relationship.h"
#include "sett/singleton.h"
#include "worlds.h"

static sett_component must_register(sett_world* world, sett_component_desc desc)
{
    sett_component id = sett_component_register(world, &desc);
    CHECK_MSG(id != 0, "%s", sett_world_message(world));
    return id;
}

static void must_reject(sett_world* world, sett_component_desc desc, sett_status status,
                        const char* text)
{
    sett_stats before;
    sett_stats after;
    sett_world_stats(world, &before);
    CHECK_EQ(sett_component_register(world, &desc), 0);
    CHECK_EQ(sett_world_error(world), status);
    CHECK_MSG(strstr(sett_world_message(world), text) != NULL, "\"%s\" is not in: %s", text,
              sett_world_message(world));
    sett_world_stats(world, &after);
    CHECK_EQ(after.components, before.components);
}

static void defaults_are_resolved(void)
{
    static const size_t expected[][3] = {
        {1, 1, SETT_STORAGE_ARRAY},        {2, 2, SETT_STORAGE_ARRAY},
        {6, 2, SETT_STORAGE_ARRAY},        {8, 8, SETT_STORAGE_ARRAY},
        {12, 4, SETT_STORAGE_ARRAY},       {256, 16, SETT_STORAGE_ARRAY},
        {257, 1, SETT_STORAGE_SPARSE_SET}, {4096, 16, SETT_STORAGE_SPARSE_SET}};
    sett_world* world = quiet_world();
    for (uint32_t k = 0; k < 8; k++) {
        char name[16];
        sett_component_desc desc;
        snprintf(name, sizeof(name), "type%u", k);
        sett_component id =
            must_register(world, (sett_component_desc){.name = name, .size = expected[k][0]});
        name[0] = 'x'; /* the name was copied */
        CHECK_EQ(id, k + 1);
        CHECK_EQ(sett_component_describe(world, id, &desc), SETT_OK);
        CHECK_EQ(desc.id, id);
        CHECK_EQ(desc.size, expected[k][0]);
        CHECK_EQ(desc.align, expected[k][1]);
        CHECK_EQ(desc.storage, expected[k][2]);
        CHECK(desc.name[0] == 't' && desc.name != name);
        CHECK_EQ(sett_component_find(world, desc.name), id);
        CHECK_STR_EQ(sett_component_name(world, id), desc.name);
    }
    CHECK_EQ(sett_component_find(world, "nothing"), 0);
    CHECK(sett_component_name(world, 0) == NULL && sett_component_name(world, 9) == NULL);
    CHECK(sett_component_name(world, UINT32_MAX) == NULL);
    CHECK_END(world);
}

static void the_same_again_is_the_same(void)
{
    sett_world* world = quiet_world();
    static const uint32_t offsets[] = {0, 8};
    sett_component base = must_register(world, (sett_component_desc){.name = "base"});
    sett_component_desc desc = {.name = "twice",
                                .size = 16,
                                .required = &base,
                                .required_count = 1,
                                .entity_offsets = offsets,
                                .entity_offset_count = 2,
                                .layout_version = 3,
                                .track_rows = true};
    sett_component id = must_register(world, desc);
    CHECK_EQ(sett_component_register(world, &desc), id);
    desc.id = id;
    CHECK_EQ(sett_component_register(world, &desc), id);
    desc.align = 16; /* what the default resolves to */
    desc.storage = SETT_STORAGE_ARRAY;
    CHECK_EQ(sett_component_register(world, &desc), id);
    sett_stats stats;
    sett_world_stats(world, &stats);
    CHECK_EQ(stats.components, 2);
    sett_component_desc described;
    sett_component_describe(world, id, &described);
    CHECK(described.required != &base && described.required[0] == base);
    CHECK(described.entity_offsets != offsets && described.entity_offsets[1] == 8);
    CHECK_END(world);
}

static void a_conflict_says_what_differs(void)
{
    sett_world* world = quiet_world();
    sett_component_desc first = {.name = "thing", .size = 48, .align = 8, .id = 30};
    must_register(world, first);
    sett_component_desc other = first;
    other.size = 56;
    must_reject(world, other, SETT_STATUS_CONFLICT, "\"thing\" is registered already");
    CHECK(strstr(sett_world_message(world), "with other options: size 48, not 56") != NULL);
    other = first;
    other.id = 31;
    other.storage = SETT_STORAGE_SPARSE_SET;
    must_reject(world, other, SETT_STATUS_CONFLICT, "array, not sparse-set; id 30, not 31");
    other = first;
    other.name = "other"; /* the id is taken */
    must_reject(world, other, SETT_STATUS_CONFLICT,
                "\"other\" cannot have id 30: \"thing\" has this id");
    CHECK_EQ(sett_component_find(world, "other"), 0);
    CHECK_END(world);
}

/* Each field that two registrations must agree on. */
static void every_difference_is_a_conflict(void)
{
    sett_world* world = quiet_world();
    static const uint32_t offset = 8;
    static const uint32_t elsewhere = 12;
    static const sett_byte_range range = {0, 8};
    static const sett_byte_range another = {8, 8};
    sett_component base = must_register(world, (sett_component_desc){.name = "base"});
    sett_component second = must_register(world, (sett_component_desc){.name = "second"});
    sett_component_desc good = {
        .name = "thing", .size = 64, .align = 8, .storage = SETT_STORAGE_SPARSE_SET};
    must_register(world, good);
    for (uint32_t way = 0; way < 8; way++) {
        sett_component_desc bad = good;
        bad.align = way == 0 ? 16 : bad.align;
        bad.storage = way == 1 ? SETT_STORAGE_ARRAY : bad.storage;
        bad.save = way == 2 ? SETT_SAVE_SKIP : bad.save;
        bad.layout_version = way == 3 ? 1 : 0;
        bad.keep_order = way == 4;
        bad.dont_fragment = way == 5;
        bad.track_rows = way == 6;
        bad.required = way == 7 ? &base : NULL;
        bad.required_count = way == 7;
        must_reject(world, bad, SETT_STATUS_CONFLICT, "thing");
    }
    sett_component_desc first = good;
    first.name = "first";
    first.entity_offsets = &offset;
    first.entity_offset_count = 1;
    first.bytes = &range;
    first.byte_count = 1;
    first.required = &base;
    first.required_count = 1;
    must_register(world, first);
    good = first;
    good.entity_offsets = &elsewhere;
    must_reject(world, good, SETT_STATUS_CONFLICT, "other entity_offsets");
    good = first;
    good.bytes = &another;
    must_reject(world, good, SETT_STATUS_CONFLICT, "other bytes");
    good = first;
    good.required = &second;
    must_reject(world, good, SETT_STATUS_CONFLICT, "other required types");
    CHECK_END(world);
}

static void bad_descriptors_are_rejected(void)
{
    sett_world* world = quiet_world();
    static const uint32_t outside = 4;
    static const uint32_t none = 0;
    static const sett_component_desc bad[] = {
        {.name = NULL},
        {.name = ""},
        {.name = "x", .size = 8, .align = 3},
        {.name = "x", .size = 8192, .align = 8192},
        {.name = "x", .size = 12, .align = 8},
        {.name = "x", .size = 8, .storage = (sett_storage_kind)7},
        {.name = "x", .size = 8, .storage = SETT_STORAGE_ARRAY, .keep_order = true},
        {.name = "x", .size = ((size_t)1 << 20) + 16, .storage = SETT_STORAGE_ARRAY},
        {.name = "x", .size = ((size_t)1 << 26) + 16},
        {.name = "x", .size = SIZE_MAX - 15},
        {.name = "x", .id = 1048576},
        {.name = "x", .id = UINT32_MAX},
        {.name = "x", .required_count = 1},
        {.name = "x", .size = 8, .entity_offset_count = 1},
        {.name = "x", .size = 8, .entity_offsets = &outside, .entity_offset_count = 1},
        {.name = "x", .size = 4, .entity_offsets = &none, .entity_offset_count = 1},
    };
    for (uint32_t k = 0; k < sizeof(bad) / sizeof(bad[0]); k++) {
        must_reject(world, bad[k], SETT_STATUS_ARGUMENT, "sett_component_register");
    }
    CHECK_END(world);
}

/* Pieces of a value: where their ends do not fit 32 bits, too. */
static void bad_pieces_are_rejected(void)
{
    static const uint32_t wraps[] = {UINT32_MAX - 3};
    static const uint32_t odd[] = {6};
    static const uint32_t twice[] = {8, 16, 8};
    static const uint32_t crossing[] = {8, 12};
    static const sett_byte_range far_out[] = {{8, UINT32_MAX - 7}};
    static const sett_byte_range behind[] = {{UINT32_MAX, 1}};
    static const sett_byte_range overlap[] = {{0, 8}, {16, 4}, {7, 2}};
    static const sett_byte_range empty[] = {{4, 0}};
    static const sett_byte_range touching[] = {{8, 8}, {0, 8}};
    static const struct {
        const char* why;
        const uint32_t* offsets;
        uint32_t offset_count;
        const sett_byte_range* ranges;
        uint32_t range_count;
        size_t align;
    } bad[] = {
        {"lies outside of the value", wraps, 1, NULL, 0, 4},
        {"is not a multiple of 4", odd, 1, NULL, 0, 4},
        {"is not a multiple of 4", twice, 2, NULL, 0, 2},
        {"two of `entity_offsets` overlap", twice, 3, NULL, 0, 4},
        {"two of `entity_offsets` overlap", crossing, 2, NULL, 0, 4},
        {"lies outside of the value", NULL, 0, far_out, 1, 4},
        {"lies outside of the value", NULL, 0, behind, 1, 4},
        {"two ranges in `bytes` overlap", NULL, 0, overlap, 3, 4},
        {"a range in `bytes` is empty", NULL, 0, empty, 1, 4},
    };
    sett_world* world = quiet_world();
    for (uint32_t k = 0; k < sizeof(bad) / sizeof(bad[0]); k++) {
        sett_component_desc desc = {.name = "x",
                                    .size = 24,
                                    .align = bad[k].align,
                                    .entity_offsets = bad[k].offsets,
                                    .entity_offset_count = bad[k].offset_count,
                                    .bytes = bad[k].ranges,
                                    .byte_count = bad[k].range_count};
        must_reject(world, desc, SETT_STATUS_ARGUMENT, bad[k].why);
    }
    must_register(world, (sett_component_desc){.name = "x",
                                               .size = 24,
                                               .align = 8,
                                               .entity_offsets = twice,
                                               .entity_offset_count = 2,
                                               .bytes = touching,
                                               .byte_count = 2});
    CHECK_END(world);
}

static void own_ids_and_automatic_ones_live_together(void)
{
    sett_world* world = quiet_world();
    CHECK_EQ(must_register(world, (sett_component_desc){.name = "two", .id = 2}), 2);
    CHECK_EQ(must_register(world, (sett_component_desc){.name = "last", .id = 1048575}), 1048575);
    CHECK_EQ(must_register(world, (sett_component_desc){.name = "a"}), 1);
    CHECK_EQ(must_register(world, (sett_component_desc){.name = "b"}), 3);
    sett_entity e = sett_entity_create(world);
    CHECK(sett_add(world, e, 1048575) != NULL && sett_add(world, e, 2) != NULL);
    CHECK(sett_add(world, e, 3) != NULL);
    sett_component ids[4] = {0, 0, 0, 0};
    CHECK_EQ(sett_entity_components(world, e, ids, 2), 3); /* more than there is room for */
    CHECK(ids[0] == 2 && ids[1] == 3 && ids[2] == 0);
    CHECK_EQ(sett_entity_components(world, e, ids, 4), 3);
    CHECK_EQ(ids[2], 1048575);
    CHECK_END(world);
}

static void the_list_has_dont_fragment_types_last(void)
{
    sett_world* world = quiet_world();
    sett_component dont_fragment = must_register(
        world, (sett_component_desc){.name = "dont_fragment", .id = 5, .dont_fragment = true});
    sett_component lower = must_register(
        world, (sett_component_desc){.name = "lower", .id = 3, .dont_fragment = true});
    sett_component tag = must_register(world, (sett_component_desc){.name = "tag", .id = 9});
    sett_entity e = sett_entity_create(world);
    CHECK(sett_add(world, e, dont_fragment) && sett_add(world, e, tag) &&
          sett_add(world, e, lower));
    sett_component ids[4];
    CHECK_EQ(sett_entity_components(world, e, ids, 4), 3);
    CHECK_EQ(ids[0], tag);
    CHECK((ids[1] == lower && ids[2] == dont_fragment) ||
          (ids[1] == dont_fragment && ids[2] == lower));
    CHECK_END(world);
}

static void requirements_must_be_there_and_not_in_circles(void)
{
    sett_world* world = quiet_world();
    sett_component self = 40;
    sett_component missing = 41;
    must_reject(
        world, (sett_component_desc){.name = "a", .id = 40, .required = &self, .required_count = 1},
        SETT_STATUS_CYCLE, "requires itself");
    must_reject(world,
                (sett_component_desc){.name = "a", .required = &missing, .required_count = 1},
                SETT_STATUS_UNREGISTERED, "41");
    sett_component a = must_register(world, (sett_component_desc){.name = "a"});
    sett_component b = must_register(
        world, (sett_component_desc){.name = "b", .required = &a, .required_count = 1});
    /* a cannot come to require b later: that is another registration. */
    must_reject(world, (sett_component_desc){.name = "a", .required = &b, .required_count = 1},
                SETT_STATUS_CONFLICT, "\"a\"");
    CHECK_END(world);
}

static void many_types(void)
{
    enum {
        COUNT = 70000
    };
    sett_world* world = quiet_world();
    for (uint32_t k = 0; k < COUNT; k++) {
        char name[16];
        snprintf(name, sizeof(name), "t%u", k);
        sett_component id =
            must_register(world, (sett_component_desc){.name = name, .size = k % 3 * 8});
        CHECK_EQ(id, k < 1023 ? k + 1 : k + 65); /* 1,024 to 1,087 are the library's */
    }
    CHECK_EQ(sett_component_find(world, "t65535"), 65600);
    sett_entity e = sett_entity_create(world);
    for (uint32_t k = 1; k <= COUNT; k += 9999) {
        CHECK(sett_add(world, e, k) != NULL);
    }
    for (uint32_t k = 1; k <= COUNT; k += 101) {
        CHECK_EQ(sett_has(world, e, k), (k - 1) % 9999 == 0);
    }
    CHECK_EQ(sett_entity_destroy(world, e), SETT_OK);
    CHECK_END(world);
}

static void the_librarys_ids_are_constant(void)
{
    sett_world* world = quiet_world();
    sett_component likes =
        sett_relationship_register(world, &(sett_relationship_desc){.name = "Likes"});
    CHECK_EQ(likes, 1);
    CHECK_EQ(sett_relationship_sources(world, likes), SETT_ID_RESERVED_END);
    CHECK(!sett_is_null(sett_singletons(world)));
    CHECK_EQ(sett_component_find(world, "Singletons"), SETT_ID_SINGLETONS);
    CHECK_EQ(sett_disabled_tag(world), SETT_ID_DISABLED);
    CHECK_EQ(sett_prefab_tag(world), SETT_ID_PREFAB);
    CHECK_EQ(sett_instance_of(world), SETT_ID_INSTANCE_OF);
    CHECK_EQ(sett_relationship_sources(world, SETT_ID_INSTANCE_OF), SETT_ID_INSTANCE_OF_SOURCES);
    CHECK_EQ(sett_name_register(world), SETT_ID_NAME);
    CHECK_EQ(sett_hierarchy_register(world, NULL), SETT_ID_HIERARCHY);
    CHECK_EQ(must_register(world, (sett_component_desc){.name = "mine"}), 2);
    must_reject(world, (sett_component_desc){.name = "taken", .id = SETT_ID_HIERARCHY},
                SETT_STATUS_CONFLICT, "the library has ids 1024 to 1087");
    must_reject(world, (sett_component_desc){.name = "spare", .id = SETT_ID_RESERVED_END - 1},
                SETT_STATUS_CONFLICT, "\"spare\" cannot have id 1087");
    CHECK_EQ(must_register(world, (sett_component_desc){.name = "far", .id = 2000}), 2000);
    CHECK_END(world);
}

static void registering_is_structure(void)
{
    sett_world* world = quiet_world();
    sett_component known = must_register(world, (sett_component_desc){.name = "known"});
    sett_entity_create(world);
    sett_query* query = sett_query_create(world, &(sett_query_desc){.name = "all"});
    uint32_t loops = 0;
    SETT_QUERY_EACH(query, b) {
        CHECK(b->count == 1);
        must_reject(world, (sett_component_desc){.name = "new"}, SETT_STATUS_LOCKED, "\"all\"");
        CHECK_EQ(sett_component_register(world, &(sett_component_desc){.name = "known"}), known);
        loops++;
    }
    CHECK_EQ(loops, 1);
    CHECK_END(world);
}

/* Values of every alignment lie where they must, in both storages, next to each other. */
static void values_are_aligned(void)
{
    static const size_t aligns[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 1024, 4096};
    sett_world* world = quiet_world();
    for (uint32_t k = 0; k < 22; k++) {
        size_t align = aligns[k / 2];
        char name[16];
        snprintf(name, sizeof(name), "a%u", k);
        sett_component id = must_register(
            world, (sett_component_desc){.name = name,
                                         .size = align * 3,
                                         .align = align,
                                         .track_rows = k % 3 == 0,
                                         .storage = k % 2 == 0 ? SETT_STORAGE_ARRAY
                                                               : SETT_STORAGE_SPARSE_SET});
        for (uint32_t n = 0; n < 70; n++) {
            unsigned char* value = sett_add(world, sett_entity_create(world), id);
            CHECK(value != NULL);
            CHECK_EQ((uintptr_t)value % align, 0);
            for (size_t at = 0; at < align * 3; at++) {
                CHECK_EQ(value[at], 0);
            }
            memset(value, 0xFF, align * 3);
        }
    }
    CHECK_END(world);
}

static void typed_helpers(void)
{
    typedef struct Point {
        float x, y;
    } Point;
    sett_world* world = quiet_world();
    sett_component Point_id = SETT_REGISTER(world, Point);
    sett_component Marked_id = SETT_REGISTER_TAG(world, Marked);
    CHECK_STR_EQ(sett_component_name(world, Point_id), "Point");
    sett_component_desc desc = {SETT_TYPE(Point), .id = Point_id};
    CHECK_EQ(sett_component_register(world, &desc), Point_id);
    sett_entity e = sett_entity_create(world);
    CHECK(SETT_SET(world, e, Point, .x = 1, .y = 2) != NULL);
    CHECK(SETT_HAS(world, e, Point) && !SETT_HAS(world, e, Marked));
    CHECK(SETT_GET(world, e, Point)->y > 1.5f);
    SETT_GET_MUT(world, e, Point)->x = 9;
    CHECK(SETT_FIND(world, e, Point)->x > 8.5f);
    CHECK_EQ(SETT_REMOVE(world, e, Point), SETT_OK);
    CHECK(SETT_FIND(world, e, Point) == NULL);
    Point* fresh = SETT_ADD(world, e, Point);
    CHECK(fresh->x == 0 && fresh->y == 0);
    CHECK_PTR_EQ(SETT_ENSURE(world, e, Point), fresh);
    CHECK(sett_ensure(world, e, Marked_id) != NULL && SETT_HAS(world, e, Marked));
    CHECK_EQ(SETT_CMD_SET(sett_commands_here(world), e, Point, .x = 3), SETT_OK);
    CHECK_EQ(sett_commands_apply(sett_commands_here(world)), SETT_OK);
    CHECK(SETT_GET(world, e, Point)->x > 2.5f && SETT_GET(world, e, Point)->x < 3.5f);
    CHECK_END(world);
}

TEST_MAIN(TEST(defaults_are_resolved), TEST(the_same_again_is_the_same),
          TEST(a_conflict_says_what_differs), TEST(every_difference_is_a_conflict),
          TEST(bad_descriptors_are_rejected), TEST(bad_pieces_are_rejected),
          TEST(own_ids_and_automatic_ones_live_together), TEST(the_librarys_ids_are_constant),
          TEST(the_list_has_dont_fragment_types_last),
          TEST(requirements_must_be_there_and_not_in_circles), TEST(many_types),
          TEST(registering_is_structure), TEST(values_are_aligned), TEST(typed_helpers))

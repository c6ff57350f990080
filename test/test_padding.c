/* test_padding.c: bytes that are part of no member: hashed, compared and sent as zeroes. */
#include "states.h"

typedef struct Shot {
    float x, y;
    bool fire;
} Shot;

/* Overwrites a value's padding as a compiler may that copies it member by member. */
static void fill_shot(Shot* shot, unsigned char noise)
{
    unsigned char* bytes = (unsigned char*)shot;
    memset(bytes, noise, sizeof(*shot));
    shot->x = 1;
    shot->y = 2;
    shot->fire = true;
    memset(bytes + offsetof(Shot, fire) + 1, noise, sizeof(*shot) - offsetof(Shot, fire) - 1);
}

static const sett_byte_range shot_bytes[] = {{0, offsetof(Shot, fire) + 1}};

/* The mask that is Shot's, for compilers that do not know it. */
static void shot_mask(unsigned char* mask)
{
    memset(mask, 255, sizeof(Shot));
    memset(mask + offsetof(Shot, fire) + 1, 0, sizeof(Shot) - offsetof(Shot, fire) - 1);
}

typedef enum source {
    NOTHING,
    RANGES,
    MASK,
    COMPILER,
    SOURCES
} source;

static const bool knows_padding[] = {false, true, true, SETT_PADDING_KNOWN != 0};

static sett_world* shot_world(source from, unsigned char noise, uint32_t count)
{
    sett_world* world = quiet_world();
    unsigned char mask[sizeof(Shot)];
    shot_mask(mask);
    sett_component_desc desc = {SETT_TYPE(Shot), .id = 1};
    if (from == RANGES) {
        desc.bytes = shot_bytes;
        desc.byte_count = 1;
    }
    desc.mask = from == MASK ? mask : NULL;
    enum {
        Shot_id = 1
    };
    CHECK_EQ(from == COMPILER ? SETT_REGISTER_WITH(world, Shot, .id = Shot_id)
                              : sett_component_register(world, &desc),
             1);
    for (uint32_t k = 0; k < count; k++) {
        Shot shot;
        fill_shot(&shot, noise);
        CHECK(sett_set(world, sett_entity_create(world), 1, &shot) != NULL);
    }
    return world;
}

/* Worlds that know of the padding are the same whatever lies in it, and the same as worlds that do
 * not know where it is zeroes. */
static void padding_counts_as_zeroes(void)
{
    for (uint32_t a = 0; a < SOURCES; a++) {
        for (uint32_t b = 0; b < SOURCES; b++) {
            char text[256];
            unsigned char noise[] = {knows_padding[a] ? 0xAB : 0, knows_padding[b] ? 0xCD : 0};
            sett_world* one = shot_world((source)a, noise[0], 3);
            sett_world* other = shot_world((source)b, noise[1], 3);
            CHECK_EQ(sett_world_hash(one), sett_world_hash(other));
            CHECK_EQ(sett_world_difference(one, other, text, sizeof(text)), 0);
            ((Shot*)sett_get_mut(one, sett_entity_at(one, 1), 1))->fire = false;
            CHECK(sett_world_hash(one) != sett_world_hash(other));
            CHECK(strstr((sett_world_difference(one, other, text, sizeof(text)), text),
                         "from byte 8 on: 00 ") != NULL);
            CHECK_END(one);
            CHECK_END(other);
        }
    }
}

/* What the compiler says: between members, behind them, within arrays and nested structs, and the
 * bits that a bit-field leaves. */
typedef struct Inner {
    uint8_t a;
    uint16_t b;
} Inner;

typedef struct Outer {
    Inner inner[2];
    uint8_t c;
    uint32_t bits : 5;
    double d;
    bool e;
} Outer;

typedef union Either {
    float wide;
    struct {
        uint8_t a;
        uint16_t b;
    } narrow;
} Either;

#define PADDED_LIST(COMPONENT, TAG)                                                                \
    COMPONENT(Inner)                                                                               \
    TAG(Tag)                                                                                       \
    COMPONENT(Outer, .storage = SETT_STORAGE_SPARSE_SET)

SETT_COMPONENTS(PADDED_LIST)

static void lists_say_it_too(void)
{
    sett_world* world = quiet_world();
    sett_component_desc desc;
    CHECK_EQ(SETT_REGISTER_ALL(world, PADDED_LIST), SETT_OK);
    CHECK_EQ(sett_component_describe(world, Outer_id, &desc), SETT_OK);
    CHECK_EQ(desc.mask != NULL, SETT_PADDING_KNOWN);
    CHECK_EQ(sett_component_describe(world, Inner_id, &desc), SETT_OK);
    CHECK(desc.mask == NULL || memcmp(desc.mask, "\377\0\377\377", 4) == 0);
    CHECK_EQ(sett_component_describe(world, Tag_id, &desc), SETT_OK);
    CHECK(desc.mask == NULL);
    CHECK_END(world);
}

static void the_compiler_says_where_it_is(void)
{
    /* as 64-bit machines lay it out */
    static const unsigned char expected[32] = {255, 0,   255, 255, 255, 0,   255, 255, 255,
                                               31,  0,   0,   0,   0,   0,   0,   255, 255,
                                               255, 255, 255, 255, 255, 255, 255};
    sett_world* world = quiet_world();
    sett_component_desc desc;
    sett_component id = SETT_REGISTER(world, Outer);
    CHECK_EQ(sett_component_describe(world, id, &desc), SETT_OK);
    CHECK_EQ(desc.mask != NULL, SETT_PADDING_KNOWN);
    if (desc.mask != NULL && sizeof(Outer) == sizeof(expected)) {
        CHECK_EQ(memcmp(desc.mask, expected, sizeof(expected)), 0);
    }
    CHECK_EQ(sett_component_register(world, &desc), id); /* as it is described */
    id = SETT_REGISTER(world, Either); /* all of the float counts, whichever member is meant */
    CHECK_EQ(sett_component_describe(world, id, &desc), SETT_OK);
    CHECK(desc.mask == NULL);
    CHECK_END(world);
}

/* A mask of ones is none: such a type is hashed as one of which nothing is said. */
static void types_without_padding_have_no_mask(void)
{
    static const unsigned char ones[8] = {255, 255, 255, 255, 255, 255, 255, 255};
    static const sett_byte_range all[] = {{4, 4}, {0, 4}};
    sett_world* world = quiet_world();
    sett_component_desc desc = {.name = "a", .size = 8, .mask = ones};
    sett_component_desc ranges = {.name = "b", .size = 8, .bytes = all, .byte_count = 2};
    sett_component_desc described;
    CHECK_EQ(sett_component_describe(world, sett_component_register(world, &desc), &described),
             SETT_OK);
    CHECK(described.mask == NULL);
    CHECK_EQ(sett_component_describe(world, sett_component_register(world, &ranges), &described),
             SETT_OK);
    CHECK(described.mask == NULL && described.byte_count == 2);
    CHECK_END(world);
}

/* Ranges and a mask together: what either leaves out is padding. */
static void ranges_and_masks_come_together(void)
{
    unsigned char mask[sizeof(Shot)];
    static const sett_byte_range y_and_fire[] = {{4, 8}};
    shot_mask(mask);
    sett_world* world = quiet_world();
    sett_component_desc desc = {SETT_TYPE(Shot), .mask = mask, .bytes = y_and_fire,
                                .byte_count = 1};
    sett_component id = sett_component_register(world, &desc);
    CHECK_EQ(sett_component_describe(world, id, &desc), SETT_OK);
    const unsigned char* known = desc.mask;
    for (uint32_t k = 0; k < sizeof(Shot); k++) {
        CHECK_EQ(known[k], k < 4 ? 0 : mask[k]);
    }
    CHECK_END(world);
}

static void a_difference_may_be_padding(void)
{
    char text[256];
    static const char maybe[] = "these bytes may be padding";
    sett_world* one = shot_world(NOTHING, 1, 1);
    sett_world* other = shot_world(NOTHING, 2, 1);
    CHECK(sett_world_difference(one, other, text, sizeof(text)) != 0);
    CHECK_MSG(strstr(text, maybe) != NULL, "%s", text);
    memset(sett_get_mut(one, sett_entity_at(one, 0), 1), 1, 1);
    CHECK(sett_world_difference(one, other, text, sizeof(text)) != 0);
    CHECK_MSG(strstr(text, maybe) == NULL, "%s",
              text); /* where a member begins nothing is padding */
    CHECK_END(one);
    one = shot_world(MASK, 1, 1); /* known here, and not there */
    CHECK(sett_world_difference(one, other, text, sizeof(text)) != 0);
    CHECK_MSG(strstr(text, "known in one of the worlds only") != NULL, "%s", text);
    CHECK_END(one);
    CHECK_END(other);
}

static uint32_t changes;

static void count_changes(sett_world* world, const sett_restored* items, uint32_t count, void* user)
{
    (void)world;
    (void)user;
    for (uint32_t k = 0; k < count; k++) {
        changes += items[k].kind == SETT_RESTORED_CHANGED;
    }
}

/* A rollback does not report a value whose padding alone is another one. */
static void rollbacks_do_not_see_it(void)
{
    sett_world* world = shot_world(RANGES, 1, 2);
    sett_snapshot_options options = {.restored = count_changes};
    CHECK_EQ(sett_snapshot_set_options(world, &options), SETT_OK);
    sett_snapshot before = take(world);
    Shot shot;
    fill_shot(&shot, 7);
    CHECK(sett_set(world, sett_entity_at(world, 0), 1, &shot) != NULL);
    changes = 0;
    CHECK_EQ(sett_snapshot_restore(world, before), SETT_OK);
    CHECK_EQ(changes, 0);
    shot.fire = false;
    CHECK(sett_set(world, sett_entity_at(world, 0), 1, &shot) != NULL);
    CHECK_EQ(sett_snapshot_restore(world, before), SETT_OK);
    CHECK_EQ(changes, 1);
    CHECK_END(world);
}

/* A delta from a world that knows of the padding fits one that does not, and the other way round,
 * as long as the padding there is zeroes. */
static void deltas_carry_zeroes(void)
{
    for (uint32_t a = 0; a < SOURCES; a++) {
        for (uint32_t b = 0; b < SOURCES; b++) {
            sett_world* from = shot_world((source)a, knows_padding[a] ? 5 : 0, 2);
            sett_world* to = shot_world((source)b, knows_padding[b] ? 6 : 0, 2);
            sett_snapshot before = take(from);
            Shot shot;
            fill_shot(&shot, knows_padding[a] ? 9 : 0);
            shot.x = 4;
            CHECK(sett_set(from, sett_entity_at(from, 1), 1, &shot) != NULL);
            CHECK(sett_set(from, sett_entity_create(from), 1, &shot) != NULL);
            unsigned char* bytes;
            size_t size = encode(from, before, take(from), &bytes);
            CHECK_APPLY(to, bytes, size);
            CHECK_SAME(from, to);
            const unsigned char* fresh = sett_get(to, sett_entity_at(to, 2), 1);
            CHECK(fresh[9] == 0 && fresh[11] == 0);
            free(bytes);
            CHECK_END(from);
            CHECK_END(to);
        }
    }
}

/* Where the knowledge differs and the states do, the message says so. */
static void deltas_name_what_is_known_differently(void)
{
    sett_world* from = shot_world(MASK, 5, 2);
    sett_world* to = shot_world(NOTHING, 6, 2);
    sett_snapshot before = take(from);
    Shot shot;
    fill_shot(&shot, 9);
    CHECK(sett_set(from, sett_entity_create(from), 1, &shot) != NULL);
    unsigned char* bytes;
    size_t size = encode(from, before, take(from), &bytes);
    CHECK_EQ(sett_delta_apply(to, bytes, size), SETT_STATUS_CONFLICT);
    CHECK_MSG(strstr(sett_world_message(to),
                     "the sender takes other bytes of \"Shot\" for padding") != NULL,
              "%s", sett_world_message(to));
    free(bytes);
    CHECK_END(from);
    CHECK_END(to);
}

/* A value that owns something travels by its declared bytes; what it owns stays the receiver's. */
typedef struct Owner {
    int number;
    void* mine;
} Owner;

static void owner_init(void* values, uint32_t count, void* user)
{
    Owner* owner = values;
    for (uint32_t k = 0; k < count; k++) {
        owner[k].number = 0;
        owner[k].mine = user;
    }
}

static void owner_copy(void* to, const void* from, uint32_t count, void* user)
{
    (void)user;
    for (uint32_t k = 0; k < count; k++) {
        ((Owner*)to)[k].number = ((const Owner*)from)[k].number;
    }
}

static void what_is_owned_does_not_travel(void)
{
    static int here;
    static int there;
    static const sett_byte_range number[] = {{0, sizeof(int)}};
    sett_component_desc desc = {SETT_TYPE(Owner),   .id = 1,         .save = SETT_SAVE_CLONE,
                                .bytes = number,    .byte_count = 1, .init = owner_init,
                                .copy = owner_copy, .user = &here};
    sett_world* from = quiet_world();
    sett_world* to = quiet_world();
    CHECK_EQ(sett_component_register(from, &desc), 1);
    desc.user = &there;
    CHECK_EQ(sett_component_register(to, &desc), 1);
    sett_snapshot before = take(from);
    ((Owner*)sett_add(from, sett_entity_create(from), 1))->number = 3;
    unsigned char* bytes;
    size_t size = encode(from, before, take(from), &bytes);
    CHECK_APPLY(to, bytes, size);
    CHECK_SAME(from, to);
    const Owner* owner = sett_get(to, sett_entity_at(to, 0), 1);
    CHECK_EQ(owner->number, 3);
    CHECK_PTR_EQ(owner->mine, &there);
    free(bytes);
    CHECK_END(from);
    CHECK_END(to);
}

/* The padding of a hundred values, all different: one hash. */
static void wide_values_and_every_storage(void)
{
    typedef struct Wide {
        uint8_t a;
        uint64_t b[9];
        uint16_t c;
    } Wide;
    static const sett_byte_range members[] = {
        {0, 1}, {offsetof(Wide, b), 72}, {offsetof(Wide, c), 2}};
    uint64_t hash[4];
    for (uint32_t way = 0; way < 4; way++) {
        sett_world* world = quiet_world();
        sett_component_desc desc = {SETT_TYPE(Wide), .bytes = members, .byte_count = 3};
        desc.storage = way % 2 == 0 ? SETT_STORAGE_ARRAY : SETT_STORAGE_SPARSE_SET;
        sett_component id = sett_component_register(world, &desc);
        for (uint32_t k = 0; k < 100; k++) {
            Wide wide;
            memset(&wide, way < 2 ? 0 : (int)(k + way), sizeof(wide));
            wide.a = (uint8_t)k;
            memset(wide.b, (int)k, sizeof(wide.b));
            wide.c = (uint16_t)k;
            CHECK(sett_set(world, sett_entity_create(world), id, &wide) != NULL);
        }
        hash[way] = sett_world_hash(world);
        CHECK_EQ(hash[way], hash[0]);
        CHECK_END(world);
    }
}

TEST_MAIN(TEST(padding_counts_as_zeroes), TEST(the_compiler_says_where_it_is),
          TEST(lists_say_it_too), TEST(types_without_padding_have_no_mask),
          TEST(ranges_and_masks_come_together), TEST(a_difference_may_be_padding),
          TEST(rollbacks_do_not_see_it), TEST(deltas_carry_zeroes),
          TEST(deltas_name_what_is_known_differently), TEST(what_is_owned_does_not_travel),
          TEST(wide_values_and_every_storage))

/* test_debug_info.c: members from debug information: each kind of member, the types of the example
 * 14_members.c, and what is left out with its reason. */
#include "described.h"

/* ---- of 14_members.c */

typedef struct Position {
    float x, y;
} Position;

typedef enum DoorState {
    SHUT,
    OPEN
} DoorState;

enum {
    RED_KEY = 1,
    BLUE_KEY = 2
};

typedef struct Door {
    int32_t height;
    DoorState state;
    uint32_t keys;
    sett_entity opened_by;
    char label[16];
} Door;

/* ---- each kind */

typedef struct {
    double x, y;
} Vec2;

typedef enum Level {
    BELOW = -1,
    MIDDLE = 200,
    ABOVE = 70000
} Level;

typedef enum Mode {
    MODE_A = 200,
    MODE_B = 0xFFFF
} Mode;

struct Pair {
    uint8_t low;
    uint32_t high;
};

typedef const int16_t Alias;

typedef struct Kinds {
    bool flag;
    char letter;
    signed char s8;
    int8_t i8;
    uint8_t u8;
    short i16;
    uint16_t u16;
    int i32;
    uint32_t u32;
    long along;
    unsigned long ulong_;
    long long i64;
    uint64_t u64;
    float f32;
    double f64;
    char text[7];
    sett_entity handle;
    sett_entity handles[3];
    uint16_t numbers[5];
    float matrix[2][3];
    char lines[2][8];
    Level level;
    Mode mode;
    DoorState states[2];
    Vec2 at;
    struct Pair pairs[2];
    Alias alias;
    uint16_t after;
    union {
        int number;
        float real;
    } either;
    struct {
        int inner_a;
        char inner_b[4];
    };
    void* address;
    const char* words[2];
    void (*call)(int);
} Kinds;

#define LEVELS SETT_CONSTANTS(BELOW, MIDDLE, ABOVE)

#define SAID(COMPONENT, TAG)                                                                       \
    COMPONENT(Position, .members = SETT_STRUCT(Position, (x, .unit = "m"), (y, .unit = "m")))      \
    COMPONENT(Door, .members = SETT_STRUCT(                                                        \
                        Door, (height, .scale = 1.0 / 65536, .unit = "m"),                         \
                        (state, .constants = SETT_CONSTANTS(SHUT, OPEN)),                          \
                        (keys, .constants = SETT_CONSTANTS(RED_KEY, BLUE_KEY), .bits = true),      \
                        opened_by, label))                                                         \
    TAG(Player)
SETT_COMPONENTS(SAID)

enum {
    Kinds_id = 100
};

static sett_component said_kinds(sett_world* world)
{
    const sett_member members[] = {
        SETT_MEMBER(Kinds, flag),
        SETT_MEMBER(Kinds, letter),
        SETT_MEMBER(Kinds, s8),
        SETT_MEMBER(Kinds, i8),
        SETT_MEMBER(Kinds, u8),
        SETT_MEMBER(Kinds, i16),
        SETT_MEMBER(Kinds, u16),
        SETT_MEMBER(Kinds, i32),
        SETT_MEMBER(Kinds, u32),
        SETT_MEMBER(Kinds, along),
        SETT_MEMBER(Kinds, ulong_),
        SETT_MEMBER(Kinds, i64),
        SETT_MEMBER(Kinds, u64),
        SETT_MEMBER(Kinds, f32),
        SETT_MEMBER(Kinds, f64),
        SETT_MEMBER(Kinds, text),
        SETT_MEMBER(Kinds, handle),
        SETT_MEMBER(Kinds, handles),
        SETT_MEMBER(Kinds, numbers),
        SETT_MEMBER(Kinds, matrix, .element = SETT_MEMBER_F32),
        SETT_MEMBER(Kinds, lines, .element = SETT_MEMBER_TEXT),
        SETT_MEMBER(Kinds, level, .constants = LEVELS),
        SETT_MEMBER(Kinds, mode, .constants = SETT_CONSTANTS(MODE_A, MODE_B)),
        SETT_MEMBER(Kinds, states, .element = SETT_MEMBER_U32),
        SETT_MEMBER(Kinds, at, .of = SETT_STRUCT(Vec2, x, y)),
        SETT_MEMBER(Kinds, pairs,
                    .of = &(sett_struct){"Pair", sizeof(struct Pair), 2,
                                         (sett_member[]){
                                             SETT_MEMBER(struct Pair, low),
                                             SETT_MEMBER(struct Pair, high),
                                         },
                                         NULL}),
        SETT_MEMBER(Kinds, alias),
        SETT_MEMBER(Kinds, after),
        SETT_MEMBER(Kinds, either, .element = SETT_MEMBER_OPAQUE),
        SETT_MEMBER(Kinds, inner_a),
        SETT_MEMBER(Kinds, inner_b),
        SETT_MEMBER(Kinds, address, .element = SETT_MEMBER_OPAQUE, .local = true),
        SETT_MEMBER(Kinds, words, .element = SETT_MEMBER_OPAQUE, .local = true),
        SETT_MEMBER(Kinds, call, .element = SETT_MEMBER_OPAQUE, .local = true),
    };
    const sett_struct of = {"Kinds", sizeof(Kinds), sizeof(members) / sizeof(members[0]), members,
                            NULL};
    sett_component_desc desc = {SETT_TYPE(Kinds), .id = Kinds_id};
    CHECK_EQ(sett_component_register(world, &desc), Kinds_id);
    CHECK_MSG(sett_members_set(world, Kinds_id, &of) == SETT_OK, "%s", sett_world_message(world));
    return Kinds_id;
}

static void constants_equal(const sett_member* said, const sett_member* found)
{
    CHECK(found->constants != NULL);
    uint32_t k = 0;
    for (; said->constants[k].name != NULL; k++) {
        CHECK_STR_EQ(said->constants[k].name, found->constants[k].name);
        CHECK_EQ(said->constants[k].value, found->constants[k].value);
    }
    CHECK(found->constants[k].name == NULL);
}

static void each_kind_is_found(void)
{
    char text[4096] = "";
    sett_debug_info_desc desc = {described_log, text};
    sett_debug_info_result result;
    sett_member_ref a;
    sett_member_ref b;
    static const char* const enums[] = {"level", "mode"};
    sett_world* said = quiet_world();
    CHECK_EQ(SETT_REGISTER_ALL(said, SAID), SETT_OK);
    sett_component kinds = said_kinds(said);
    sett_world* found = described_bare(said);
    CHECK_EQ(sett_debug_info_describe(found, &desc, &result), SETT_OK);
    CHECK_STR_EQ(text, "");
    CHECK_EQ(result.described, 3);
    CHECK_EQ(result.left_out, 0);
    CHECK_EQ(described_all(said, found), 3);
    for (size_t k = 0; k < sizeof(enums) / sizeof(enums[0]); k++) {
        CHECK(sett_member_find(said, kinds, enums[k], &a));
        CHECK(sett_member_find(found, kinds, enums[k], &b));
        constants_equal(a.member, b.member);
    }
    /* local as well: so the library takes one for the other */
    CHECK_EQ(sett_members_set(said, kinds, sett_members_get(found, kinds)), SETT_OK);
    CHECK_EQ(sett_members_fingerprint(said, kinds), sett_members_fingerprint(found, kinds));
    /* again: nothing to do */
    CHECK_EQ(sett_debug_info_describe(found, &desc, &result), SETT_OK);
    CHECK_EQ(result.described, 0);
    CHECK_END(said);
    CHECK_END(found);
}

typedef struct Holder {
    int32_t count;
    void* at;
} Holder;

/* With a mask and without. */
static void padding_is_no_obstacle(void)
{
    sett_world* world = quiet_world();
    sett_component masked = SETT_REGISTER(world, Holder);
    sett_component_desc desc = {SETT_TYPE(Holder)};
    desc.name = "Bare";
    sett_component bare = sett_component_register(world, &desc);
    sett_debug_info_result result;
    CHECK_EQ(sett_debug_info_describe(world, NULL, &result), SETT_OK);
    CHECK_EQ(result.described, 2);
    CHECK_EQ(sett_members_fingerprint(world, masked), sett_members_fingerprint(world, bare));
    sett_member_ref ref;
    CHECK(sett_member_find(world, bare, "at", &ref) && ref.member->local);
    sett_add(world, sett_entity_create(world), bare);
    CHECK_END(world);
}

/* ---- what the library registers and derives */

static void values_are_shown(void)
{
    char text[512];
    sett_world* world = quiet_world();
    sett_component door = SETT_REGISTER(world, Door);
    CHECK_EQ(sett_debug_info_describe(world, NULL, NULL), SETT_OK);
    sett_entity entity = sett_entity_create(world);
    Door value = {.height = 7, .state = OPEN, .opened_by = entity, .label = "yard"};
    sett_set(world, entity, door, &value);
    sett_entity_describe_values(world, entity, text, sizeof(text));
    CHECK_MSG(strstr(text, "OPEN") != NULL && strstr(text, "yard") != NULL, "%s", text);
    CHECK_END(world);
}

/* ---- what is left out */

typedef struct Bits {
    uint32_t low : 3;
    uint32_t high : 29;
} Bits;

typedef struct Twice { /* and another one in namesake.c */
    uint32_t left;
    float right;
} Twice;

typedef struct Sized { /* of another size there, so it is clear which is meant */
    uint32_t only;
} Sized;

typedef struct Tail {
    uint32_t count;
    char rest[];
} Tail;

typedef union Either {
    int number;
    float real;
} Either;

static void what_is_unclear_is_left_out(void)
{
    char text[4096] = "";
    sett_debug_info_desc desc = {described_log, text};
    sett_debug_info_result result;
    sett_world* world = quiet_world();
    sett_component bits = SETT_REGISTER(world, Bits);
    sett_component twice = SETT_REGISTER(world, Twice);
    sett_component sized = SETT_REGISTER(world, Sized);
    sett_component either = SETT_REGISTER(world, Either);
    sett_component position = SETT_REGISTER(world, Position);
    sett_component_desc plain = {.name = "Tail", .size = sizeof(Tail)};
    sett_component tail = sett_component_register(world, &plain); /* by the component's name */
    plain = (sett_component_desc){.name = "Nowhere", .size = 8};
    CHECK(sett_component_register(world, &plain) != 0);
    plain = (sett_component_desc){.name = "Door", .size = 8};
    CHECK(sett_component_register(world, &plain) != 0);
    CHECK(sett_hierarchy_register(world, NULL) != 0 && sett_name_register(world) != 0);
    sett_relationship_desc owes = {.name = "Owes", .many = true, .size = 8};
    CHECK(sett_relationship_register(world, &owes) != 0);
    sett_add(world, sett_entity_create(world), position);
    CHECK_EQ(sett_debug_info_describe(world, &desc, &result), SETT_OK);
    CHECK_MSG(strstr(text, "\"Bits\" has no members: it has the bit-field \"low\"") != NULL, "%s",
              text);
    CHECK(strstr(text, "\"Twice\" has no members: the program has several types") != NULL);
    CHECK(strstr(text, "\"Either\" has no members: no struct is named") != NULL);
    CHECK(strstr(text, "\"Position\" has no members: it has values already") != NULL);
    CHECK(strstr(text, "\"Nowhere\" has no members: the program's debug information") != NULL);
    CHECK(strstr(text, "\"Door\" has no members: the debug information has another size") != NULL);
    CHECK(sett_members_get(world, bits) == NULL && sett_members_get(world, twice) == NULL);
    CHECK(sett_members_get(world, either) == NULL);
    CHECK_STR_EQ(sett_members_get(world, sized)->members[0].name, "only");
    CHECK_EQ(sett_members_get(world, tail)->count, 1);
    CHECK_EQ(result.described, 2);
    CHECK_EQ(result.left_out, 6);
    CHECK_EQ(sett_world_error(world), SETT_OK);
    CHECK_END(world);
}

TEST_MAIN(TEST(each_kind_is_found), TEST(padding_is_no_obstacle), TEST(values_are_shown),
          TEST(what_is_unclear_is_left_out))

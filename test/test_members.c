/* test_members.c: what values consist of, said by macros; what follows from it; the canonical form
 * and the hash. */
#include "states.h"

#include "chance.h"
#include "scarce.h"
#include "value/value.h"

#include <math.h>

#define SHUT_MACRO 0

typedef enum Mood {
    CALM,
    ANGRY = 5,
} Mood;

typedef struct Vec2 {
    float x, y;
} Vec2;

typedef struct All {
    bool b;
    int8_t i8;
    uint8_t u8;
    int16_t i16;
    uint16_t u16;
    int32_t i32;
    uint32_t u32;
    int64_t i64;
    uint64_t u64;
    float f32;
    double f64;
    char text[7];
    char letter;
    sett_entity who[2];
    Mood mood;
    Vec2 at[3];
    long l;
    unsigned long ul;
    uint16_t rounds[3];
    int32_t fixed;
    float matrix[2][2];
    unsigned char blob[5];
    uint8_t cache;
} All;

static const char* const round_names[] = {"bullets", "shells", "cells"};

#define ALL_STRUCT                                                                                 \
    SETT_STRUCT(All, b, i8, u8, i16, u16, i32, u32, i64, u64, (f32, .unit = "m", .maximum = 4),    \
                f64, text, letter, who, (mood, .constants = SETT_CONSTANTS(CALM, ANGRY)),          \
                (at, .of = SETT_STRUCT(Vec2, x, y)), l, ul,                                        \
                (rounds, .element_names = round_names),                                            \
                (fixed, .scale = 1.0 / 65536, .description = "a height"),                          \
                (matrix, .element = SETT_MEMBER_F32), (blob, .element = SETT_MEMBER_OPAQUE),       \
                (cache, .local = true))

static const sett_struct* const all_static = ALL_STRUCT;

typedef struct Position {
    float x, y;
} Position;

typedef struct Link {
    uint8_t kind;
    sett_entity to;
} Link;

#define LIST(COMPONENT, TAG)                                                                       \
    COMPONENT(All, .members = ALL_STRUCT)                                                          \
    COMPONENT(Position)                                                                            \
    COMPONENT(Link, .members = SETT_STRUCT(Link, kind, to))                                        \
    TAG(Marked)
SETT_COMPONENTS(LIST)

static sett_world* list_world(void)
{
    sett_world* world = quiet_world();
    CHECK_EQ(SETT_REGISTER_ALL(world, LIST), SETT_OK);
    return world;
}

static const sett_member* member_of(const sett_struct* of, const char* name)
{
    for (uint32_t k = 0; k < of->count; k++) {
        if (strcmp(of->members[k].name, name) == 0) {
            return &of->members[k];
        }
    }
    CHECK_MSG(false, "no member %s", name);
    return NULL;
}

/* Kinds, offsets and counts as the compiler sees them. */
static void macros_see_what_c_sees(void)
{
    sett_world* world = list_world();
    const sett_struct* of = sett_members_get(world, All_id);
    CHECK(of != NULL && of->members != all_static->members);
    CHECK_STR_EQ(of->name, "All");
    CHECK_EQ(of->count, 23);
    CHECK_EQ(of->size, sizeof(All));
    static const struct {
        const char* name;
        sett_member_kind kind;
        uint32_t count;
    } expected[] = {
        {"b", SETT_MEMBER_BOOL, 1},      {"i8", SETT_MEMBER_I8, 1},
        {"u8", SETT_MEMBER_U8, 1},       {"i16", SETT_MEMBER_I16, 1},
        {"u16", SETT_MEMBER_U16, 1},     {"i32", SETT_MEMBER_I32, 1},
        {"u32", SETT_MEMBER_U32, 1},     {"i64", SETT_MEMBER_I64, 1},
        {"u64", SETT_MEMBER_U64, 1},     {"f32", SETT_MEMBER_F32, 1},
        {"f64", SETT_MEMBER_F64, 1},     {"text", SETT_MEMBER_TEXT, 7},
        {"letter", SETT_MEMBER_TEXT, 1}, {"who", SETT_MEMBER_ENTITY, 2},
        {"at", SETT_MEMBER_STRUCT, 3},   {"rounds", SETT_MEMBER_U16, 3},
        {"fixed", SETT_MEMBER_I32, 1},   {"matrix", SETT_MEMBER_F32, 4},
        {"blob", SETT_MEMBER_OPAQUE, 5}, {"cache", SETT_MEMBER_U8, 1},
    };
    for (size_t k = 0; k < sizeof(expected) / sizeof(expected[0]); k++) {
        const sett_member* member = member_of(of, expected[k].name);
        CHECK_MSG(member->kind == expected[k].kind, "%s is %s", member->name,
                  sett_member_kind_name(member->kind));
        CHECK_EQ(member->count, expected[k].count);
    }
    CHECK_EQ(member_of(of, "l")->size, sizeof(long));
    CHECK_EQ(member_of(of, "f64")->offset, offsetof(All, f64));
    CHECK_STR_EQ(member_of(of, "f32")->unit, "m");
    CHECK_STR_EQ(member_of(of, "mood")->constants[1].name, "ANGRY");
    CHECK_EQ(member_of(of, "mood")->constants[1].value, ANGRY);
    CHECK(member_of(of, "mood")->constants[2].name == NULL);
    CHECK_STR_EQ(member_of(of, "rounds")->element_names[2], "cells");
    CHECK_STR_EQ(member_of(of, "fixed")->description, "a height");
    CHECK_STR_EQ(member_of(of, "at")->of->members[1].name, "y");
    CHECK(sett_members_get(world, Position_id) == NULL);
    CHECK_EQ(sett_members_fingerprint(world, Position_id), 0);
    CHECK_STR_EQ(sett_member_kind_name(SETT_MEMBER_F32), "f32");
    CHECK_EQ(sett_member_kind_size(SETT_MEMBER_ENTITY), 8);
    CHECK_END(world);
}

static void paths_lead_to_members(void)
{
    sett_world* world = list_world();
    sett_member_ref ref;
    sett_component component;
    CHECK(sett_member_lookup(world, "All.at[1].y", &component, &ref));
    CHECK_EQ(component, All_id);
    CHECK_EQ(ref.offset, offsetof(All, at[1].y));
    CHECK_EQ(ref.kind, SETT_MEMBER_F32);
    CHECK_EQ(ref.count, 1);
    CHECK(sett_member_find(world, All_id, "rounds.cells", &ref));
    CHECK_EQ(ref.offset, offsetof(All, rounds[2]));
    CHECK_EQ(ref.size, 2);
    CHECK(sett_member_find(world, All_id, "rounds[2]", &ref));
    CHECK_EQ(ref.offset, offsetof(All, rounds[2]));
    CHECK(sett_member_find(world, All_id, "rounds", &ref));
    CHECK_EQ(ref.count, 3);
    CHECK(sett_member_find(world, All_id, "text", &ref));
    CHECK_EQ(ref.count, 7);
    static const char* const wrong[] = {
        "",        "nothing", "at.x",       "at[3].x",   "at[1",
        "at[].x",  "at[1]x",  "at[1].",     "rounds[3]", "rounds.x",
        "text[0]", "b.c",     "rounds[-1]", ".b",        "at[99999999999].x"};
    for (size_t k = 0; k < sizeof(wrong) / sizeof(wrong[0]); k++) {
        CHECK_MSG(!sett_member_find(world, All_id, wrong[k], &ref), "%s", wrong[k]);
    }
    CHECK(!sett_member_lookup(world, "All", &component, &ref));
    CHECK(!sett_member_lookup(world, "Nothing.x", &component, &ref));
    CHECK(!sett_member_find(world, Position_id, "x", &ref));
    CHECK_EQ(SETT_MEMBERS(world, Position, x, y), SETT_OK);
    CHECK(sett_member_lookup(world, "Position.x", &component, &ref));
    CHECK_END(world);
}

static void padding_and_handles_follow(void)
{
    sett_world* world = list_world();
    sett_component_desc desc;
    CHECK_EQ(sett_component_describe(world, Link_id, &desc), SETT_OK);
    CHECK_EQ(desc.entity_offset_count, 1);
    CHECK_EQ(desc.entity_offsets[0], offsetof(Link, to));
    CHECK_EQ(memcmp(desc.mask, "\377\0\0\0\377\377\377\377\377\377\377\377", 12), 0);
    CHECK_EQ(sett_component_register(world, &desc), Link_id); /* as it is described */
    CHECK_EQ(sett_component_describe(world, All_id, &desc), SETT_OK);
    CHECK_EQ(desc.entity_offset_count, 2);
    CHECK_EQ(((const unsigned char*)desc.mask)[offsetof(All, cache)], 0);
    CHECK_EQ(((const unsigned char*)desc.mask)[offsetof(All, blob)], 255);
    CHECK_END(world);
}

static const char* said(sett_world* world, sett_component component, const sett_struct* of,
                        sett_status expected)
{
    CHECK_EQ(sett_members_set(world, component, of), expected);
    return sett_world_message(world);
}

#define CHECK_SAID(text, part) CHECK_MSG(strstr((text), (part)) != NULL, "%s", (text))

typedef struct Four {
    uint32_t a, b, c;
    uint8_t d;
} Four;

static sett_component Four_id;

static void what_is_wrong_is_said(void)
{
    for (int known = 0; known <= SETT_PADDING_KNOWN; known++) {
        sett_world* world = quiet_world();
        sett_component_desc plain = {SETT_TYPE(Four)};
        Four_id = known ? SETT_REGISTER(world, Four) : sett_component_register(world, &plain);
        const sett_status wrong = SETT_STATUS_ARGUMENT;
        CHECK_SAID(said(world, Four_id, SETT_STRUCT(Four, a, c, d), wrong),
                   known ? "byte 4" : "bytes 4 to 7");
        CHECK_SAID(said(world, Four_id, SETT_STRUCT(Four, a, b, c), wrong),
                   known ? "byte 12" : "bytes 12 to 15");
        CHECK_SAID(said(world, Four_id, SETT_STRUCT(Four, a, b, c, d, d), wrong), "is listed "
                                                                                  "twice - leave "
                                                                                  "out one");
        CHECK_SAID(said(world, Four_id, SETT_STRUCT(Vec2, x, y), wrong),
                   "describes a struct of 8 bytes, and `size` is 16");
        CHECK_SAID(said(world, Four_id, SETT_STRUCT(Four, a, b, c, (d, .bits = true)), wrong),
                   "has .bits without constants that name the bits - set .constants");
        CHECK_SAID(said(world, Four_id,
                        SETT_STRUCT(Four, (a, .constants = SETT_CONSTANTS(SHUT_MACRO)), b, c, d),
                        wrong),
                   "a constant named by its value");
        CHECK_SAID(said(world, Four_id, SETT_STRUCT(Four, a, b, c, (d, .scale = -1)), wrong),
                   "has a scale that is not between 0 and 1e30 - set another .scale");
        CHECK_SAID(said(world, Four_id,
                        SETT_STRUCT(Four, a, b, c, (d, .of = SETT_STRUCT(Vec2, x, y))), wrong),
                   "has a size that is no multiple of its element's - correct .of or .element");
        CHECK_SAID(said(world, Four_id, &(sett_struct){.name = "Four", .size = 16}, wrong),
                   "Four has no members");
        CHECK_SAID(
            said(world, Four_id,
                 &(sett_struct){.size = 16, .members = SETT_STRUCT(Four, a)->members, .count = 1},
                 wrong),
            "a struct has no name");
        CHECK_EQ(sett_members_set(world, 99, SETT_STRUCT(Four, a, b, c, d)),
                 SETT_STATUS_UNREGISTERED);
        CHECK_EQ(SETT_MEMBERS(world, Four, a, b, c, d), SETT_OK);
        CHECK_EQ(SETT_MEMBERS(world, Four, (a, .unit = "m"), b, c, (d, .scale = 2)), SETT_OK);
        CHECK_STR_EQ(sett_members_get(world, Four_id)->members[0].unit, "m"); /* the last counts */
        CHECK_VALID(world);
        CHECK_SAID(said(world, Four_id, SETT_STRUCT(Four, b, a, c, d), SETT_STATUS_CONFLICT),
                   "other members");
        CHECK_END(world);
    }
}

typedef struct Rich {
    uint32_t a;
    float f;
    double d;
    uint32_t many[4];
    sett_string text;
    sett_list list;
} Rich;

/* What is wrong with one member of Rich, put in the place of a right one. */
static void wrong_members(const char* expected, const sett_member* wrong)
{
    sett_world* world = quiet_world();
    sett_struct of = *SETT_STRUCT(Rich, a, f, d, many, text, (list, .element = SETT_MEMBER_U32));
    sett_member members[6];
    memcpy(members, of.members, sizeof(members));
    for (uint32_t k = 0; k < 6; k++) {
        if (members[k].offset == wrong->offset) {
            members[k] = *wrong;
        }
    }
    of.members = members;
    sett_component_desc desc = {.name = "Rich", .size = sizeof(Rich), .align = 8, .members = &of};
    CHECK_EQ(sett_component_register(world, &desc), 0);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_ARGUMENT);
    CHECK_SAID(sett_world_message(world), expected);
    CHECK_EQ(sett_component_find(world, "Rich"), 0);
    desc.members = SETT_STRUCT(Rich, a, f, d, many, text, (list, .element = SETT_MEMBER_U32));
    CHECK(sett_component_register(world, &desc) != 0);
    CHECK_END(world);
}

#define WRONG(expected, ...) wrong_members(expected, SETT_STRUCT(Rich, (__VA_ARGS__))->members)

static void each_wrong_member_is_explained(void)
{
    static const char* const hole[] = {"x", "y", NULL, "z"};
    static const char* const twins[] = {"x", "y", "x", "z"};
    static const char* const dotted[] = {"x", "y", "a.b", "z"};
    static const char* const right[] = {"x", "y", "z", "w"};
    const char* own = "without dots";
    WRONG("has two constants with the same name", a,
          .constants = (const sett_constant[]){{"ON", 1}, {"OFF", 2}, {"ON", 3}, {NULL, 0}});
    WRONG("for each element", many, .element_names = hole);
    WRONG("for each element", many, .element_names = twins);
    WRONG("for each element", many, .element_names = dotted);
    WRONG("has more or fewer names than elements - give each element one name", many,
          .element_names = right, .count = 3);
    WRONG("is a list, but has .element_names, as only arrays do - leave them out", list,
          .element = SETT_MEMBER_U32, .element_names = right);
    WRONG("items whose type C cannot name", list, .unit = "m");
    WRONG("items whose type C cannot name", list, .element = SETT_MEMBER_STRUCT);
    WRONG("items whose type C cannot name", list, .element = (sett_member_kind)99);
    WRONG("single characters or bytes", list, .element = SETT_MEMBER_TEXT);
    WRONG("single characters or bytes", list, .element = SETT_MEMBER_OPAQUE);
    WRONG("list with handles", list, .element = SETT_MEMBER_ENTITY);
    WRONG("list with handles", list, .of = SETT_STRUCT(Link, kind, to));
    WRONG("own strings or lists", list, .element = SETT_MEMBER_STRING);
    WRONG("own strings or lists", list, .element = SETT_MEMBER_LIST);
    WRONG("with local members", list, .of = SETT_STRUCT(Vec2, x, (y, .local = true)));
    WRONG("is a string", text, .element = SETT_MEMBER_U64);
    WRONG("is a string", text, .of = SETT_STRUCT(Vec2, x, y));
    WRONG("has constants, but is not an integer", f, .constants = SETT_CONSTANTS(CALM, ANGRY));
    WRONG("neither f32 nor f64", a, .step = 0.5);
    WRONG("not a power of two", f, .step = 0.3);
    WRONG("not a power of two", f, .step = -0.5);
    WRONG("not a power of two", d, .step = 0x1p-61);
    WRONG("has a scale, but", f, .scale = 0.5);
    WRONG("has a scale, but", a, .scale = 0.5, .constants = SETT_CONSTANTS(CALM, ANGRY));
    WRONG("has a scale that is not between 0 and 1e30 - set another .scale", a, .scale = -1);
    WRONG("has a scale that is not between 0 and 1e30 - set another .scale", a,
          .scale = (double)NAN);
    WRONG("neither f32 nor f64", a, .send = {.scale = 4, .bits = 8});
    WRONG("neither f32 nor f64", list, .element = SETT_MEMBER_F32, .send = {.scale = 4, .bits = 8});
    WRONG("is sent rounded, and needs a positive .scale and .bits from 2 to 24 (f64: 32)", f,
          .send = {.scale = 4, .bits = 25});
    WRONG("is sent rounded, and needs a positive .scale and .bits from 2 to 24 (f64: 32)", f,
          .send = {.scale = 4, .bits = 1});
    WRONG("is sent rounded, and needs a positive .scale and .bits from 2 to 24 (f64: 32)", d,
          .send = {.bits = 8});
    WRONG("is sent rounded, and needs a positive .scale and .bits from 2 to 24 (f64: 32)", d,
          .send = {.scale = (double)NAN, .bits = 8});
    WRONG("has strings or lists - leave out .send", d, .send = {.scale = 4, .bits = 32});
    WRONG("C cannot name", a, .element = (sett_member_kind)99);
    WRONG("C cannot name", a, .element = SETT_MEMBER_STRUCT);
    static const char* const names[] = {NULL, "", "a.b", "a[", "a]", "a\"b", "a\\b", "a\nb"};
    for (uint32_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
        sett_member nameless = SETT_STRUCT(Rich, a)->members[0];
        nameless.name = names[k];
        wrong_members(own, &nameless);
    }
    sett_member shifted = SETT_STRUCT(Rich, many)->members[0];
    shifted.size = sizeof(Rich);
    wrong_members("lies outside of the struct", &shifted);
    shifted.size = 20;
    wrong_members("overlaps another member - leave out one", &shifted);
    shifted.size = 0;
    wrong_members("has a size that is no multiple of its element's - correct .of or .element",
                  &shifted);
    shifted.size = 15;
    wrong_members("has a size that is no multiple of its element's - correct .of or .element",
                  &shifted);
}

/* Structs in structs: what is wrong with a whole one. */
static void each_wrong_struct_is_explained(void)
{
    enum {
        LEVELS = SETT_MEMBERS_DEPTH + 1,
        MANY = SETTI_MEMBERS_COUNT_MAX + 1
    };
    sett_world* world = quiet_world();
    static sett_member chain[LEVELS];
    static sett_struct level[LEVELS];
    for (uint32_t k = 0; k < LEVELS; k++) {
        chain[k] = (sett_member){.name = "in", .kind = SETT_MEMBER_U32, .size = 4, .count = 1};
        level[k] = (sett_struct){"Level", 4, 1, &chain[k], sett_members_link_};
        if (k != 0) {
            chain[k].of = &level[k - 1];
        }
    }
    sett_component_desc desc = {.name = "Level", .size = 4, .align = 4};
    sett_component id = sett_component_register(world, &desc);
    const sett_status wrong = SETT_STATUS_ARGUMENT;
    CHECK_SAID(said(world, id, &level[LEVELS - 1], wrong), "at most 8 levels");
    CHECK_EQ(sett_members_set(world, id, &level[LEVELS - 2]), SETT_OK);
    static sett_member many[MANY];
    static char names[MANY][8];
    for (uint32_t k = 0; k < MANY; k++) {
        snprintf(names[k], sizeof(names[k]), "m%u", k);
        many[k] = (sett_member){
            .name = names[k], .kind = SETT_MEMBER_U8, .offset = k, .size = 1, .count = 1};
    }
    sett_struct wide = {"Wide", MANY, MANY, many, sett_members_link_};
    desc = (sett_component_desc){.name = "Wide", .size = MANY};
    id = sett_component_register(world, &desc);
    CHECK_SAID(said(world, id, &wide, wrong), "at most 512");
    sett_struct empty = {"Empty", 0, 1, many, sett_members_link_};
    sett_member nested = {.name = "e", .of = &empty, .size = 4, .count = 1};
    sett_struct outer = {"Outer", 4, 1, &nested, sett_members_link_};
    desc = (sett_component_desc){.name = "Outer", .size = 4};
    id = sett_component_register(world, &desc);
    CHECK_SAID(said(world, id, &outer, wrong), "a size of 0 bytes");
    empty = (sett_struct){"Empty", 4, 0, many, sett_members_link_};
    CHECK_SAID(said(world, id, &outer, wrong), "has no members");
    static sett_member strings = {
        .name = "s", .kind = SETT_MEMBER_STRING, .size = 1025 * sizeof(sett_string), .count = 1025};
    sett_struct owning = {"Owning", strings.size, 1, &strings, sett_members_link_};
    desc = (sett_component_desc){.name = "Owning", .size = strings.size, .align = 8};
    id = sett_component_register(world, &desc);
    CHECK_SAID(said(world, id, &owning, wrong), "more than 1024 strings and lists");
    CHECK_END(world);
}

typedef struct Pointing {
    float* to;
    const char* text;
} Pointing;

static void pointers_are_no_arrays(void)
{
    sett_world* world = quiet_world();
    sett_component_desc desc = {SETT_TYPE(Pointing)};
    sett_component id = sett_component_register(world, &desc);
    CHECK_SAID(said(world, id, SETT_STRUCT(Pointing, to, text), SETT_STATUS_ARGUMENT),
               "C cannot name");
    CHECK_EQ(sett_members_set(world, id,
                              SETT_STRUCT(Pointing, (to, .element = SETT_MEMBER_OPAQUE),
                                          (text, .element = SETT_MEMBER_OPAQUE, .local = true))),
             SETT_OK);
    CHECK_END(world);
}

typedef struct Spaced {
    uint8_t small;
    float* to;
    uint32_t forgotten[2];
    float* last;
} Spaced;

/* Also where no mask says what is padding. */
static void padding_before_pointers_is_explained(void)
{
    sett_world* world = quiet_world();
    sett_component_desc desc = {SETT_TYPE(Spaced)};
    sett_component id = sett_component_register(world, &desc);
    CHECK_SAID(said(world, id,
                    SETT_STRUCT(Spaced, small, (to, .element = SETT_MEMBER_OPAQUE),
                                (last, .element = SETT_MEMBER_OPAQUE)),
                    SETT_STATUS_ARGUMENT),
               "belong to no member");
    CHECK_EQ(sett_members_set(world, id,
                              SETT_STRUCT(Spaced, small, (to, .element = SETT_MEMBER_OPAQUE),
                                          forgotten, (last, .element = SETT_MEMBER_OPAQUE))),
             SETT_OK);
    CHECK_END(world);
}

static void members_come_before_values(void)
{
    sett_world* world = list_world();
    sett_entity e = sett_entity_create(world);
    SETT_SET(world, e, Position, .x = 1);
    CHECK_SAID(said(world, Position_id, SETT_STRUCT(Position, x, y), SETT_STATUS_CONFLICT),
               "1 entities have \"Position\" already");
    CHECK_EQ(sett_entity_destroy(world, e), SETT_OK);
    sett_snapshot snapshot = take(world);
    CHECK_EQ(SETT_MEMBERS(world, Position, x, y), SETT_STATUS_LOCKED);
    CHECK_EQ(sett_snapshot_drop(world, snapshot), SETT_OK);
    CHECK_EQ(SETT_MEMBERS(world, Position, x, y), SETT_OK);
    CHECK_END(world);
}

static void clones_carry_them(void)
{
    sett_world* from = list_world();
    CHECK_EQ(SETT_MEMBERS(from, Position, x, y), SETT_OK);
    SETT_SET(from, sett_entity_create(from), Position, .x = NAN);
    sett_world* empty = quiet_world();
    sett_world* alike = list_world(); /* in which Position has no members yet */
    CHECK_EQ(sett_world_clone(from, empty), SETT_OK);
    CHECK_EQ(sett_world_clone(from, alike), SETT_OK);
    CHECK_END(from);
    const sett_struct* of = sett_members_get(empty, Position_id);
    CHECK(of != NULL && strcmp(of->members[1].name, "y") == 0);
    CHECK(sett_members_get(alike, Position_id) != NULL);
    CHECK_EQ(sett_members_fingerprint(empty, All_id), sett_members_fingerprint(alike, All_id));
    CHECK_EQ(sett_world_hash(empty), sett_world_hash(alike));
    CHECK_END(empty);
    CHECK_END(alike);
}

/* ------------------------------------------------------------------------------- canonical form */

typedef struct Mixed {
    float f;
    double d;
    char text[8];
    uint8_t small;
    sett_entity who;
    bool yes;
    int32_t cache;
} Mixed;

static sett_component Mixed_id;

static sett_world* mixed_world(void)
{
    sett_world* world = quiet_world();
    Mixed_id = SETT_REGISTER(world, Mixed);
    CHECK_EQ(SETT_MEMBERS(world, Mixed, f, d, text, small, who, yes, (cache, .local = true)),
             SETT_OK);
    return world;
}

static Mixed draw_mixed(uint64_t* state, unsigned char noise)
{
    Mixed v;
    memset(&v, noise, sizeof(v));
    uint64_t payload = 0x7FF8000000000001u + chance_below(state, 100);
    v.f = chance_below(state, 4) == 0 ? NAN : (float)chance_below(state, 10);
    v.d = -0.0;
    if (chance_below(state, 4) == 0) {
        memcpy(&v.d, &payload, sizeof(v.d));
    }
    uint32_t length = chance_below(state, 8);
    memcpy(v.text, "abcdefgh", length);
    v.text[length] = '\0'; /* behind it the noise stays */
    v.small = (uint8_t)chance_below(state, 3);
    v.who = (sett_entity){chance_below(state, 9), 1};
    v.yes = chance_below(state, 2) == 1;
    v.cache = (int32_t)noise;
    return v;
}

static uint64_t hash_of(const Mixed* value)
{
    sett_world* world = mixed_world();
    CHECK(sett_set(world, sett_entity_create(world), Mixed_id, value) != NULL);
    uint64_t hash = sett_world_hash(world);
    CHECK_END(world);
    return hash;
}

static const setti_members* members_of(sett_world* world, sett_component id)
{
    return setti_world_type(world, id)->members;
}

/* Noise in padding, behind texts, in local members and in NaNs does not count. */
static void noise_does_not_count(void)
{
    sett_world* world = mixed_world();
    const setti_members* members = members_of(world, Mixed_id);
    CHECK_EQ(members->size, 4 + 8 + 8 + 1 + 8 + 1);
    for (uint64_t seed = 0; seed < 40; seed++) {
        uint64_t state = seed;
        uint64_t again = seed;
        Mixed a = draw_mixed(&state, 0);
        Mixed b = draw_mixed(&again, 0xEE);
        if (seed % 4 == 0 && isnan(b.f)) {
            uint32_t payload = 0xFFC12345u;
            memcpy(&b.f, &payload, sizeof(b.f));
        }
        unsigned char in_a[64];
        unsigned char in_b[64];
        setti_canonical_encode(members, &a, in_a);
        setti_canonical_encode(members, &b, in_b);
        CHECK_EQ(memcmp(in_a, in_b, members->size), 0);
        CHECK(setti_canonical_same(members, &a, &b));
        CHECK_EQ(hash_of(&a), hash_of(&b));
        b.small ^= 1;
        CHECK(!setti_canonical_same(members, &a, &b));
        CHECK(hash_of(&a) != hash_of(&b));
    }
    CHECK_END(world);
}

static void bytes_are_little_endian_in_declared_order(void)
{
    sett_world* world = quiet_world();
    Four_id = SETT_REGISTER(world, Four);
    CHECK_EQ(SETT_MEMBERS(world, Four, d, b, a, c), SETT_OK);
    Four v = {.a = 0x01020304, .b = 0x05060708, .c = 0x090A0B0C, .d = 0x0D};
    unsigned char out[13];
    setti_canonical_encode(members_of(world, Four_id), &v, out);
    CHECK_EQ(memcmp(out, "\x0D\x08\x07\x06\x05\x04\x03\x02\x01\x0C\x0B\x0A\x09", 13), 0);
    float nan = NAN;
    sett_component id = SETT_REGISTER(world, Position);
    CHECK_EQ(sett_members_set(world, id, SETT_STRUCT(Position, x, y)), SETT_OK);
    Position p = {-nan, -0.0f};
    setti_canonical_encode(members_of(world, id), &p, out);
    CHECK_EQ(memcmp(out, "\0\0\xC0\x7F\0\0\0\x80", 8), 0);
    CHECK_END(world);
}

/* In pieces of any size the same bytes come out. */
static void encoding_in_pieces_is_the_same(void)
{
    sett_world* world = list_world();
    const setti_members* members = members_of(world, All_id);
    All v;
    memset(&v, 0x41, sizeof(v));
    unsigned char whole[sizeof(All)];
    setti_canonical_encode(members, &v, whole);
    for (size_t capacity = 8; capacity < 40; capacity++) {
        unsigned char piece[40];
        setti_canonical_cursor cursor = {0, 0};
        size_t at = 0;
        for (size_t n; (n = setti_canonical_next(members, &v, &cursor, piece, capacity)) != 0;) {
            CHECK(n <= capacity && at + n <= members->size);
            CHECK_EQ(memcmp(piece, whole + at, n), 0);
            at += n;
        }
        CHECK_EQ(at, members->size);
    }
    CHECK_END(world);
}

/* Where members are adjacent the hash is that of the bytes, as without members. */
static void adjacent_members_hash_as_bytes(void)
{
    sett_world* one = list_world();
    sett_world* other = list_world();
    CHECK_EQ(SETT_MEMBERS(one, Position, x, y), SETT_OK);
    for (int k = 0; k < 100; k++) {
        SETT_SET(one, sett_entity_create(one), Position, .x = (float)k, .y = -0.0f);
        SETT_SET(other, sett_entity_create(other), Position, .x = (float)k, .y = -0.0f);
    }
    CHECK_EQ(sett_world_hash(one), sett_world_hash(other));
    sett_component raw = 0;
    CHECK(!sett_world_hash_portable(one, &raw)); /* All has a blob */
    CHECK_EQ(raw, All_id);
    CHECK_END(one);
    CHECK_END(other);
    one = mixed_world();
    CHECK(sett_world_hash_portable(one, NULL));
    CHECK_END(one);
}

typedef struct Floats {
    int32_t i;
    float f[3];
    double d[2];
    uint16_t u;
    uint16_t v;
    float last;
} Floats;

/* The hash of adjacent floats is that of the canonical form, whatever their bits. */
static void adjacent_floats_hash_as_their_canonical_form(void)
{
    uint64_t state = check_setting("SETT_SEED", 1);
    sett_world* world = quiet_world();
    sett_component id = SETT_REGISTER(world, Floats);
    CHECK_EQ(sett_members_set(world, id, SETT_STRUCT(Floats, i, f, d, u, v, last)), SETT_OK);
    CHECK(!members_of(world, id)->adjacent == SETTI_BIG_ENDIAN);
    sett_entity e = sett_entity_create(world);
    uint32_t changed = 0;
    for (int round = 0; round < CHECK_ROUNDS(20000); round++) {
        uint32_t words[sizeof(Floats) / 4];
        Floats v;
        Floats canonical;
        unsigned char bytes[sizeof(Floats)];
        for (size_t k = 0; k < sizeof(words) / 4; k++) {
            words[k] = (uint32_t)chance_draw(&state);
            words[k] |= chance_below(&state, 3) == 0 ? 0x7F800000u : 0;
            words[k] &= chance_below(&state, 3) == 0 ? 0xFFF00000u : UINT32_MAX;
            words[k] &= chance_below(&state, 3) == 0 ? 0xFF800000u : UINT32_MAX;
        }
        memcpy(&v, words, sizeof(v));
        setti_canonical_encode(members_of(world, id), &v, bytes);
        memcpy(&canonical, bytes, sizeof(canonical)); /* floats only: no padding */
        setti_canonical_turn_value(members_of(world, id), &canonical);
        changed += memcmp(&v, &canonical, sizeof(v)) != 0;
        CHECK(sett_set(world, e, id, &v) != NULL);
        uint64_t hash = sett_world_hash(world);
        CHECK(sett_set(world, e, id, &canonical) != NULL);
        CHECK_EQ(sett_world_hash(world), hash);
    }
    CHECK(changed > 1000);
    CHECK_END(world);
}

typedef struct Apart {
    uint32_t first;
    double all[40]; /* behind padding, where 8 bytes are aligned to 8 */
    float last;
} Apart;

#if defined(__GNUC__)
typedef struct __attribute__((packed)) Packed {
    uint32_t first;
    double all[40];
    float last;
} Packed;
#else
typedef Apart Packed;
#endif

/* Large values: the hash does not depend on where the compiler puts the members, as 32-bit and
 * 64-bit machines do it in two ways, nor on the bits of NaN. */
static void large_values_hash_alike_however_they_lie(void)
{
    uint64_t state = check_setting("SETT_SEED", 1);
    sett_world* world[2] = {quiet_world(), quiet_world()};
    const sett_component_desc desc[2] = {
        {.name = "Large", .size = sizeof(Apart), .members = SETT_STRUCT(Apart, first, all, last)},
        {.name = "Large", .size = sizeof(Packed), .members = SETT_STRUCT(Packed, first, all, last)},
    };
    sett_entity e[2];
    sett_component id[2];
    uint64_t before = 0;
    for (uint32_t w = 0; w < 2; w++) {
        id[w] = sett_component_register(world[w], &desc[w]);
        CHECK_MSG(id[w] != 0, "%s", sett_world_message(world[w]));
        e[w] = sett_entity_create(world[w]);
    }
    CHECK(members_of(world[0], id[0])->size > SETTI_NAN_SIZE);
    for (uint32_t round = 0; round < 300; round++) {
        Apart a;
        Packed b;
        memset(&a, (int)round, sizeof(a)); /* noise in padding */
        a.first = (uint32_t)chance_draw(&state);
        a.last = round % 5 == 0 ? NAN : 2.5f;
        for (uint32_t k = 0; k < 40; k++) {
            a.all[k] = chance_below(&state, 60) == 0 ? (double)NAN : (double)chance_draw(&state);
        }
        b.first = a.first;
        b.last = a.last;
        memcpy(b.all, a.all, sizeof(b.all));
        for (uint32_t k = 0; k < 40; k++) {
            uint64_t payload = 0xFFF0000000000001u + round;
            if (isnan(a.all[k])) {
                memcpy((unsigned char*)&b + offsetof(Packed, all) + k * 8, &payload, 8);
            }
        }
        CHECK(sett_set(world[0], e[0], id[0], &a) != NULL);
        CHECK(sett_set(world[1], e[1], id[1], &b) != NULL);
        CHECK_EQ(sett_world_hash(world[0]), sett_world_hash(world[1]));
        CHECK(sett_world_hash(world[0]) != before);
        before = sett_world_hash(world[0]);
    }
    CHECK_END(world[0]);
    CHECK_END(world[1]);
}

static void fingerprints_tell_layouts_apart(void)
{
    sett_world* world = quiet_world();
    const sett_struct* forms[] = {SETT_STRUCT(Four, a, b, c, d), SETT_STRUCT(Four, b, a, c, d),
                                  SETT_STRUCT(Four, a, b, c, (d, .element = SETT_MEMBER_I8)),
                                  SETT_STRUCT(Four, a, b, c, (d, .local = true))};
    uint64_t prints[4];
    for (int k = 0; k < 4; k++) {
        char name[] = {(char)('a' + k), '\0'};
        sett_component_desc desc = {.name = name, .size = sizeof(Four), .align = 4};
        desc.members = forms[k];
        prints[k] = sett_members_fingerprint(world, sett_component_register(world, &desc));
        CHECK(prints[k] != 0);
        for (int j = 0; j < k; j++) {
            CHECK(prints[j] != prints[k]);
        }
    }
    CHECK_END(world);
}

static void descriptors_are_checked(void)
{
    sett_world* world = quiet_world();
    static const uint32_t right[] = {offsetof(Link, to)};
    static const uint32_t wrong[] = {0};
    static const sett_byte_range bytes[] = {{0, 1}};
    sett_component_desc desc = {SETT_TYPE(Link), .members = SETT_STRUCT(Link, kind, to),
                                .entity_offsets = wrong, .entity_offset_count = 1};
    CHECK_EQ(sett_component_register(world, &desc), 0);
    CHECK_SAID(sett_world_message(world), "entity_offsets");
    desc.entity_offsets = right;
    desc.bytes = bytes;
    desc.byte_count = 1;
    CHECK_EQ(sett_component_register(world, &desc), 0);
    CHECK_SAID(sett_world_message(world), "`bytes`");
    desc.byte_count = 0;
    sett_struct by_hand = *desc.members;
    by_hand.calls_ = NULL;
    desc.members = &by_hand;
    CHECK_EQ(sett_component_register(world, &desc), 0);
    CHECK_SAID(sett_world_message(world), "sett_members_set");
    by_hand.calls_ = sett_members_link_;
    sett_component id = sett_component_register(world, &desc);
    CHECK(id != 0);
    desc.entity_offset_count = 0; /* and as before without what follows */
    CHECK_EQ(sett_component_register(world, &desc), id);
    desc.members = NULL;
    CHECK_EQ(sett_component_register(world, &desc), id);
    desc.members = SETT_STRUCT(Link, to, kind);
    CHECK_EQ(sett_component_register(world, &desc), 0);
    CHECK_SAID(sett_world_message(world), "other members");
    sett_component hierarchy = sett_hierarchy_register(world, NULL);
    CHECK_SAID(said(world, hierarchy, SETT_STRUCT(Four, a, b, c, d), SETT_STATUS_ARGUMENT),
               "of the library");
    CHECK_END(world);
}

static void validation_sees_what_is_broken(void)
{
    const char* reason = "";
    sett_world* world = list_world();
    setti_type* type = setti_world_type(world, Link_id);
    unsigned char* mask = setti_unconst(type->desc.mask);
    uint32_t* offsets = setti_unconst(type->desc.entity_offsets);
    mask[1] = 255;
    CHECK_EQ(sett_world_validate(world, &reason), SETT_STATUS_INVALID);
    CHECK_SAID(reason, "without a member");
    mask[0] = mask[1] = 0;
    CHECK_EQ(sett_world_validate(world, &reason), SETT_STATUS_INVALID);
    CHECK_SAID(reason, "counts as padding");
    mask[0] = 255;
    offsets[0] += 4;
    CHECK_EQ(sett_world_validate(world, &reason), SETT_STATUS_INVALID);
    CHECK_SAID(reason, "handles");
    offsets[0] -= 4;
    CHECK_END(world);
}

/* ----------------------------------------------------------------------------------- no memory */

static bool step_register(void* user)
{
    sett_component_desc desc = {SETT_TYPE(All), .members = ALL_STRUCT};
    return sett_component_register(user, &desc) != 0;
}

static bool step_members(void* user)
{
    return sett_members_set(user, 1, ALL_STRUCT) == SETT_OK;
}

static void no_members(void* user)
{
    CHECK(sett_members_get(user, 1) == NULL);
}

static void memory_may_run_out(void)
{
    static scarce_memory memory;
    sett_world* world = scarce_world(&memory);
    scarce_run(world, &memory, step_register, no_members, world);
    scarce_end(&memory, world);
    world = scarce_world(&memory);
    sett_component_desc desc = {SETT_TYPE(All)};
    CHECK_EQ(sett_component_register(world, &desc), 1);
    memory.failures = 0;
    scarce_run(world, &memory, step_members, no_members, world);
    CHECK(memory.failures > 3);
    scarce_end(&memory, world);
}

TEST_MAIN(TEST(macros_see_what_c_sees), TEST(paths_lead_to_members),
          TEST(padding_and_handles_follow), TEST(what_is_wrong_is_said),
          TEST(each_wrong_member_is_explained), TEST(each_wrong_struct_is_explained),
          TEST(pointers_are_no_arrays), TEST(padding_before_pointers_is_explained),
          TEST(members_come_before_values), TEST(clones_carry_them), TEST(noise_does_not_count),
          TEST(bytes_are_little_endian_in_declared_order), TEST(encoding_in_pieces_is_the_same),
          TEST(adjacent_members_hash_as_bytes), TEST(adjacent_floats_hash_as_their_canonical_form),
          TEST(large_values_hash_alike_however_they_lie), TEST(fingerprints_tell_layouts_apart),
          TEST(descriptors_are_checked), TEST(validation_sees_what_is_broken),
          TEST(memory_may_run_out))

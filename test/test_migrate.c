/* test_migrate.c: files of programs that have changed since: members were added, removed, became
 * wider or something else. */
#include "saved.h"
#include "sett/json.h"
#include "sett/members.h"

typedef struct Inner1 {
    int16_t a;
    uint8_t b;
} Inner1;
typedef struct Inner2 {
    uint8_t b;
    int64_t a;
    float c;
} Inner2;

typedef struct Thing1 {
    uint8_t hp;
    int16_t depth;
    float x;
    char label[8];
    uint16_t gone;
    Inner1 inner[2];
    sett_entity friend;
} Thing1;

typedef struct Thing2 {
    double x;
    sett_entity friend;
    Inner2 inner[3];
    int32_t hp; /* unsigned before */
    int64_t depth;
    uint32_t armour; /* new */
    char label[12];
} Thing2;

static const sett_struct* thing1(void)
{
    static const sett_member inner[] = {SETT_MEMBER(Inner1, a), SETT_MEMBER(Inner1, b)};
    static const sett_struct inner_of = {"Inner", sizeof(Inner1), 2, inner, NULL};
    static const sett_member members[] = {
        SETT_MEMBER(Thing1, hp),    SETT_MEMBER(Thing1, depth),
        SETT_MEMBER(Thing1, x),     SETT_MEMBER(Thing1, label),
        SETT_MEMBER(Thing1, gone),  SETT_MEMBER(Thing1, inner, .of = &inner_of),
        SETT_MEMBER(Thing1, friend)};
    static const sett_struct of = {"Thing", sizeof(Thing1), 7, members, sett_members_link_};
    return &of;
}

static const sett_struct* thing2(void)
{
    static const sett_member inner[] = {SETT_MEMBER(Inner2, b), SETT_MEMBER(Inner2, a),
                                        SETT_MEMBER(Inner2, c)};
    static const sett_struct inner_of = {"Inner", sizeof(Inner2), 3, inner, NULL};
    static const sett_member members[] = {SETT_MEMBER(Thing2, x),
                                          SETT_MEMBER(Thing2, friend),
                                          SETT_MEMBER(Thing2, inner, .of = &inner_of),
                                          SETT_MEMBER(Thing2, hp),
                                          SETT_MEMBER(Thing2, depth),
                                          SETT_MEMBER(Thing2, armour),
                                          SETT_MEMBER(Thing2, label)};
    static const sett_struct of = {"Thing", sizeof(Thing2), 7, members, sett_members_link_};
    return &of;
}

static void armour_init(void* values, uint32_t count, void* user)
{
    Thing2* things = values;
    (void)user;
    memset(things, 0, count * sizeof(*things));
    for (uint32_t k = 0; k < count; k++) {
        things[k].armour = 50;
    }
}

static sett_world* old_world(void)
{
    sett_world* world = quiet_world();
    sett_component_desc desc = {.name = "Thing",
                                .size = sizeof(Thing1),
                                .align = SETT_ALIGNOF(Thing1),
                                .id = 1,
                                .members = thing1()};
    CHECK_MSG(sett_component_register(world, &desc) == 1, "%s", sett_world_message(world));
    return world;
}

static sett_world* new_world(void)
{
    sett_world* world = quiet_world();
    sett_component_desc desc = {.name = "Thing",
                                .size = sizeof(Thing2),
                                .align = SETT_ALIGNOF(Thing2),
                                .id = 1,
                                .members = thing2(),
                                .init = armour_init};
    CHECK_MSG(sett_component_register(world, &desc) == 1, "%s", sett_world_message(world));
    return world;
}

static Thing1 make(uint32_t k, sett_entity friend)
{
    Thing1 thing = {.hp = (uint8_t)(200 + k % 50),
                    .depth = (int16_t)(-3 * (int32_t)k),
                    .x = (float)k / 4,
                    .label = "label",
                    .gone = 7,
                    .inner = {{(int16_t)-5, 1}, {(int16_t)k, 2}},
                    .friend = friend};
    thing.label[5] = (char)('a' + k % 26);
    return thing;
}

static void check_thing(const Thing2* is, uint32_t k, sett_entity friend)
{
    Thing1 was = make(k, friend);
    CHECK_EQ(is->hp, was.hp);
    CHECK_EQ(is->depth, was.depth);
    CHECK(is->x == (double)was.x);
    CHECK(memcmp(is->label, was.label, 8) == 0 && is->label[8] == '\0');
    CHECK_EQ(is->armour, 50);
    for (uint32_t i = 0; i < 3; i++) {
        CHECK_EQ(is->inner[i].a, i < 2 ? was.inner[i].a : 0);
        CHECK_EQ(is->inner[i].b, i < 2 ? was.inner[i].b : 0);
    }
    CHECK_ENTITY_EQ(is->friend, friend);
}

static void members_are_found_by_name(void)
{
    disk* to = disk_create();
    sett_world* world = old_world();
    sett_world* into = new_world();
    sett_entity made[300];
    for (uint32_t k = 0; k < 300; k++) {
        made[k] = sett_entity_create(world);
    }
    sett_file_desc desc = {.files = &to->files};
    sett_journal* journal = sett_journal_create(world, "f", &desc);
    CHECK(journal != NULL);
    for (uint32_t k = 0; k < 300; k++) { /* half of it through a journal */
        Thing1 thing = make(k, made[299 - k]);
        CHECK(sett_set(world, made[k], 1, &thing) != NULL);
        if (k % 50 == 0) {
            CHECK_EQ(sett_journal_append(journal, k + 1), SETT_OK);
        }
    }
    CHECK_EQ(sett_journal_append(journal, 1000), SETT_OK);
    sett_load_result result;
    CHECK_MSG(loads(into, to, &result) == SETT_OK, "%s", sett_world_message(into));
    CHECK_EQ(result.dropped, 1); /* gone */
    CHECK_EQ(result.changes, 7);
    CHECK_EQ(result.frame, 1000);
    for (uint32_t k = 0; k < 300; k++) {
        check_thing(sett_get(into, made[k], 1), k, made[299 - k]);
    }
    CHECK_VALID(into);
    CHECK_EQ(sett_journal_destroy(journal), SETT_OK);
    CHECK_END(world);
    CHECK_END(into);
    disk_destroy(to);
}

/* What would lose something is rejected, and named; a function of the program can do it. */
static bool narrow(const sett_struct* members, const void* from, void* to, void* user)
{
    const Thing2* was = from;
    Thing1* is = to;
    ++*(uint32_t*)user;
    CHECK_EQ(members->count, 7);
    CHECK_EQ(is->gone, 0); /* new: its default */
    is->hp = (uint8_t)was->hp;
    is->depth = (int16_t)was->depth;
    is->x = (float)was->x;
    memcpy(is->label, was->label, 8);
    return was->hp < 256;
}

static void what_would_lose_something_asks_the_program(void)
{
    disk* to = disk_create();
    sett_world* world = new_world();
    sett_world* into = old_world();
    uint32_t calls = 0;
    Thing2 thing = {.x = 2.5, .hp = 40, .depth = -9, .label = "door"};
    sett_entity e = sett_entity_create(world);
    CHECK(sett_set(world, e, 1, &thing) != NULL);
    saves(world, to, 1);
    uint64_t hash = sett_world_hash(into);
    CHECK_EQ(loads(into, to, NULL), SETT_STATUS_CONFLICT);
    CHECK_MSG(strstr(sett_world_message(into), "member \"depth\"") != NULL ||
                  strstr(sett_world_message(into), "member \"hp\"") != NULL,
              "%s", sett_world_message(into));
    CHECK_EQ(sett_world_hash(into), hash);
    uint64_t print = sett_members_fingerprint(world, 1);
    CHECK_EQ(sett_struct_fingerprint(sett_members_get(world, 1)), print);
    CHECK_EQ(sett_struct_fingerprint(NULL), 0);
    CHECK_EQ(sett_file_migrate(into, 1, print, narrow, &calls), SETT_OK);
    CHECK_EQ(sett_file_migrate(into, 9, print, narrow, &calls), SETT_STATUS_UNREGISTERED);
    sett_load_result result;
    CHECK_MSG(loads(into, to, &result) == SETT_OK, "%s", sett_world_message(into));
    CHECK_EQ(calls, 1);
    CHECK_EQ(result.dropped, 0); /* `armour` has gone: the function knows */
    const Thing1* is = sett_get(into, e, 1);
    CHECK(is->hp == 40 && is->depth == -9 && is->x == 2.5f && strcmp(is->label, "door") == 0);
    thing.hp = 300;
    CHECK(sett_set(world, e, 1, &thing) != NULL);
    saves(world, to, 2);
    CHECK_EQ(loads(into, to, NULL), SETT_STATUS_CONFLICT);
    CHECK(strstr(sett_world_message(into), "the function of sett_file_migrate returned false") !=
          NULL);
    CHECK_EQ(((const Thing1*)sett_get(into, e, 1))->hp, 40);
    CHECK_END(world);
    CHECK_END(into);
    disk_destroy(to);
}

typedef struct Gauge1 {
    float level; /* `amount` now */
    uint8_t kind[4];
} Gauge1;

typedef struct Gauge2 {
    uint32_t amount;
    char kind[8]; /* text now */
} Gauge2;

static bool rename_and_retype(const sett_struct* members, const void* from, void* to, void* user)
{
    const Gauge1* was = from;
    Gauge2* is = to;
    (void)members, (void)user;
    is->amount = (uint32_t)was->level;
    snprintf(is->kind, sizeof(is->kind), "k%u", (unsigned)was->kind[0]);
    return true;
}

/* What has another name or another type is converted by the program, also through a journal. */
static void renamed_and_retyped_members_ask_the_program(void)
{
    static const sett_member kinds[] = {SETT_MEMBER(Gauge1, level), SETT_MEMBER(Gauge1, kind)};
    static const sett_struct older = {"Gauge", sizeof(Gauge1), 2, kinds, sett_members_link_};
    disk* to = disk_create();
    sett_world* world = quiet_world();
    sett_world* into = quiet_world();
    sett_entity e = sett_entity_create(world);
    sett_component old = sett_component_register(
        world, &(sett_component_desc){.name = "Gauge", .size = sizeof(Gauge1), .members = &older});
    sett_component is = sett_component_register(
        into, &(sett_component_desc){.name = "Gauge",
                                     .size = sizeof(Gauge2),
                                     .members = SETT_STRUCT(Gauge2, amount, kind)});
    sett_journal* journal = sett_journal_create(world, "f", &(sett_file_desc){.files = &to->files});
    for (uint32_t k = 1; k < 5; k++) {
        CHECK(sett_set(world, e, old, &(Gauge1){(float)k, {(uint8_t)k}}) != NULL);
        CHECK_EQ(sett_journal_append(journal, k), SETT_OK);
    }
    CHECK_EQ(sett_journal_destroy(journal), SETT_OK);
    CHECK_EQ(loads(into, to, NULL), SETT_STATUS_CONFLICT);
    CHECK_EQ(sett_file_migrate(into, is, sett_struct_fingerprint(&older), rename_and_retype, NULL),
             SETT_OK);
    CHECK_MSG(loads(into, to, NULL) == SETT_OK, "%s", sett_world_message(into));
    const Gauge2* gauge = sett_get(into, e, is);
    CHECK(gauge->amount == 4 && strcmp(gauge->kind, "k4") == 0);
    CHECK_END(world);
    CHECK_END(into);
    disk_destroy(to);
}

/* A world that does not know the type has its members all the same, and writes them back. */
static void members_travel_with_unknown_types(void)
{
    disk* to = disk_create();
    sett_world* world = old_world();
    sett_world* stranger = quiet_world();
    sett_world* into = new_world();
    sett_entity e = sett_entity_create(world);
    Thing1 thing = make(3, e);
    CHECK(sett_set(world, e, 1, &thing) != NULL);
    saves(world, to, 1);
    CHECK_MSG(loads(stranger, to, NULL) == SETT_OK, "%s", sett_world_message(stranger));
    sett_component id = sett_component_find(stranger, "Thing");
    CHECK_EQ(sett_members_fingerprint(stranger, id), sett_members_fingerprint(world, 1));
    CHECK_EQ(sett_world_hash(stranger), sett_world_hash(world));
    saves(stranger, to, 2);
    CHECK_MSG(loads(into, to, NULL) == SETT_OK, "%s", sett_world_message(into));
    check_thing(sett_get(into, e, 1), 3, e);
    CHECK_END(world);
    CHECK_END(stranger);
    CHECK_END(into);
    disk_destroy(to);
}

typedef struct Carried {
    uint16_t kind;
    uint8_t slots[3];
} Carried;

/* Names that a program reads from its own data: gone when the call returns. */
static sett_status name_kinds(sett_world* world, sett_component id, const char* suffix)
{
    static const char* const stems[] = {"sword", "rope", "lamp"};
    sett_constant* kinds = calloc(4, sizeof(*kinds));
    char** slots = calloc(3, sizeof(*slots));
    CHECK(kinds != NULL && slots != NULL);
    for (uint32_t k = 0; k < 3; k++) {
        char* name = malloc(32);
        slots[k] = malloc(32);
        CHECK(name != NULL && slots[k] != NULL);
        snprintf(name, 32, "%s%s", stems[k], suffix);
        snprintf(slots[k], 32, "slot%s%u", suffix, (unsigned)k);
        kinds[k] = (sett_constant){name, 10 * (int64_t)k};
    }
    sett_member members[] = {
        SETT_MEMBER(Carried, kind, .constants = kinds),
        SETT_MEMBER(Carried, slots, .element_names = (const char* const*)slots)};
    sett_struct of = {"Carried", sizeof(Carried), 2, members, sett_members_link_};
    sett_status status = sett_members_set(world, id, &of);
    for (uint32_t k = 0; k < 3; k++) {
        free(setti_unconst(kinds[k].name));
        free(slots[k]);
    }
    free(kinds);
    free(slots);
    memset(members, 0xA5, sizeof(members));
    return status;
}

static void check_names(sett_world* world, sett_entity e, const char* json, const char* words)
{
    char text[200];
    sett_member_ref ref;
    sett_component id = sett_component_find(world, "Carried");
    sett_json_format_value(world, e, id, text, sizeof(text));
    CHECK_STR_EQ(text, json);
    sett_value_describe(world, e, id, text, sizeof(text));
    CHECK_MSG(strstr(text, words) != NULL, "%s", text);
    CHECK_EQ(sett_json_set(world, e, id, json, strlen(json)), SETT_OK);
    CHECK(!sett_member_find(world, id, "slots.nothing", &ref));
}

/* Copied, so the table may go; replaced by another table while there are values; carried by clones
 * and files, also to a program that does not know the type. */
static void names_come_from_a_table_at_run_time(void)
{
    static const char first[] =
        "{\"kind\": \"ropeA\", \"slots\": {\"slotA0\": 1, \"slotA1\": 2, \"slotA2\": 3}}";
    static const char second[] =
        "{\"kind\": \"ropeB\", \"slots\": {\"slotB0\": 1, \"slotB1\": 2, \"slotB2\": 3}}";
    sett_world* world = quiet_world();
    sett_world* copy = quiet_world();
    sett_world* stranger = quiet_world();
    disk* to = disk_create();
    sett_member_ref ref;
    sett_component id = sett_component_register(world, &(sett_component_desc){SETT_TYPE(Carried)});
    CHECK_EQ(name_kinds(world, id, "A"), SETT_OK);
    sett_entity e = sett_entity_create(world);
    CHECK(sett_set(world, e, id, &(Carried){10, {1, 2, 3}}) != NULL);
    check_names(world, e, first, "kind = ropeA, slots = {slotA0 = 1, slotA1 = 2, slotA2 = 3}");
    CHECK(sett_member_find(world, id, "slots.slotA1", &ref));
    CHECK_EQ(ref.offset, offsetof(Carried, slots) + 1);
    uint64_t hash = sett_world_hash(world);
    CHECK_EQ(name_kinds(world, id, "B"), SETT_OK);
    check_names(world, e, second, "kind = ropeB, slots = {slotB0 = 1, slotB1 = 2, slotB2 = 3}");
    CHECK(!sett_member_find(world, id, "slots.slotA1", &ref));
    CHECK_EQ(sett_json_set(world, e, id, first, strlen(first)), SETT_STATUS_INVALID);
    CHECK_EQ(sett_world_hash(world), hash); /* names are no part of the state */
    CHECK_EQ(sett_world_clone(world, copy), SETT_OK);
    saves(world, to, 1);
    CHECK_MSG(loads(stranger, to, NULL) == SETT_OK, "%s", sett_world_message(stranger));
    CHECK_END(world);
    check_names(copy, e, second, "kind = ropeB");
    check_names(stranger, e, second, "slots = {slotB0 = 1, slotB1 = 2, slotB2 = 3}");
    CHECK_END(copy);
    CHECK_END(stranger);
    disk_destroy(to);
}

/* ---- Components that have another name now --------------------------------------------------- */

typedef struct Spot {
    int32_t x, y;
} Spot;

enum {
    SPOT = 1,
    STAMP,
    BLOB,
    NEEDS,
    LOVES,
    TAILS
};

/* The names before, and now. */
static const char* const renamed[2][TAILS + 1] = {
    {"", "Pos", "Mark", "raw", "Needs", "Likes", "Follows"},
    {"", "Position", "Stamp", "Blob", "Needs", "Loves", "Tails"}};

static sett_world* renamed_world(bool now, bool knows)
{
    static const sett_component needed = SPOT;
    sett_world* world = quiet_world();
    for (sett_component id = SPOT; id <= TAILS; id++) {
        sett_component_desc desc = {.name = renamed[now][id], .id = id};
        desc.size = id == SPOT || id == LOVES ? sizeof(Spot) : id == BLOB ? 8 : 0;
        desc.members = id == SPOT || id == LOVES ? SETT_STRUCT(Spot, x, y) : NULL;
        desc.can_disable = id == SPOT;
        desc.required = id == NEEDS ? &needed : NULL;
        desc.required_count = id == NEEDS;
        if (now && knows && strcmp(renamed[0][id], renamed[1][id]) != 0) {
            desc.old_names = &renamed[0][id];
            desc.old_name_count = 1;
        }
        desc.relationship = id == LOVES   ? SETT_RELATIONSHIP(.many = true)
                            : id == TAILS ? SETT_RELATIONSHIP()
                                          : NULL;
        CHECK_MSG(sett_component_register(world, &desc) == id, "%s", sett_world_message(world));
    }
    return world;
}

static void fill_renamed(sett_world* world, sett_entity e[3])
{
    static const uint64_t blob = 77;
    for (uint32_t k = 0; k < 3; k++) {
        e[k] = sett_entity_create(world);
        CHECK(sett_set(world, e[k], SPOT, &(Spot){(int32_t)k, 5}) != NULL);
    }
    CHECK(sett_add(world, e[0], STAMP) != NULL && sett_add(world, e[0], NEEDS) != NULL);
    CHECK(sett_set(world, e[1], BLOB, &blob) != NULL);
    CHECK_EQ(sett_enable(world, e[2], SPOT, false), SETT_OK);
    Spot* data = sett_relate(world, e[0], LOVES, e[1]);
    CHECK(data != NULL);
    *data = (Spot){8, 9};
    CHECK(sett_relate(world, e[2], TAILS, e[1]) != NULL);
}

static void check_renamed(sett_world* world, const sett_entity e[3], bool json)
{
    for (uint32_t k = 0; k < 3; k++) {
        const Spot* spot = sett_get(world, e[k], SPOT);
        CHECK(spot != NULL && spot->x == (int32_t)k && spot->y == 5);
        CHECK_EQ(sett_is_enabled(world, e[k], SPOT), k != 2);
    }
    CHECK(sett_has(world, e[0], STAMP) && sett_has(world, e[0], NEEDS));
    const uint64_t* blob = sett_find(world, e[1], BLOB);
    CHECK(json || (blob != NULL && *blob == 77));
    const Spot* data = sett_related(world, e[0], LOVES, e[1]);
    CHECK(data != NULL && data->x == 8 && data->y == 9);
    CHECK_ENTITY_EQ(sett_target(world, e[2], TAILS), e[1]);
    CHECK_EQ(sett_source_count(world, TAILS, e[1]), 1);
    CHECK_VALID(world);
}

static void components_are_found_by_former_names(void)
{
    disk* to = disk_create();
    sett_world* world = renamed_world(false, false);
    sett_file_desc desc = {.files = &to->files};
    sett_journal* journal = sett_journal_create(world, "f", &desc);
    sett_entity e[3];
    CHECK(journal != NULL);
    fill_renamed(world, e);
    CHECK_EQ(sett_journal_append(journal, 1), SETT_OK);
    CHECK_EQ(sett_journal_destroy(journal), SETT_OK);

    sett_world* into = renamed_world(true, true);
    CHECK_MSG(loads(into, to, NULL) == SETT_OK, "%s", sett_world_message(into));
    check_renamed(into, e, false);
    CHECK_EQ(sett_component_find(into, "Pos"), SPOT);
    CHECK(strcmp(sett_component_name(into, SPOT), "Position") == 0);
    CHECK_END(into);

    into = renamed_world(true, true);
    sett_merge_result result;
    static const char* const raw = "Blob";
    CHECK_MSG(sett_world_merge(into, "f",
                               &(sett_merge_desc){.file = &desc, .raw = &raw, .raw_count = 1},
                               &result) == SETT_OK,
              "%s", sett_world_message(into));
    sett_entity merged[3];
    for (uint32_t k = 0; k < 3; k++) {
        merged[k] = sett_merge_find(&result, e[k]);
    }
    check_renamed(into, merged, false);
    sett_merge_result_free(into, &result);
    CHECK_END(into);

    static char text[4000];
    CHECK_EQ(sett_remove(world, e[1], BLOB), SETT_OK); /* no members: not in JSON */
    size_t size = sett_json_format(world, NULL, text, sizeof(text));
    CHECK(size != 0 && size < sizeof(text));
    into = renamed_world(true, true);
    CHECK_MSG(sett_json_read(into, text, size, NULL, NULL) == SETT_OK, "%s",
              sett_world_message(into));
    check_renamed(into, e, true);
    CHECK_END(into);

    into = renamed_world(true, false); /* it does not know the names */
    CHECK(loads(into, to, NULL) != SETT_OK);
    CHECK_END(into);
    CHECK_END(world);
    disk_destroy(to);
}

/* A name means one type, now or before. */
static void former_names_are_unique(void)
{
    static const char* const names[] = {"Pos", "Place"};
    static const char* const own[] = {"A"};
    static const char* const none[] = {NULL};
    sett_world* world = quiet_world();
    sett_component_desc desc = {.name = "Position", .old_names = names, .old_name_count = 2};
    sett_component id = sett_component_register(world, &desc);
    CHECK(id != 0);
    CHECK_EQ(sett_component_register(world, &(sett_component_desc){.name = "Pos"}), 0);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_CONFLICT);
    CHECK_EQ(sett_component_register(
                 world,
                 &(sett_component_desc){.name = "A", .old_names = &names[1], .old_name_count = 1}),
             0);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_CONFLICT);
    CHECK_EQ(sett_component_register(
                 world, &(sett_component_desc){.name = "A", .old_names = own, .old_name_count = 1}),
             0);
    CHECK_EQ(
        sett_component_register(
            world, &(sett_component_desc){.name = "A", .old_names = none, .old_name_count = 1}),
        0);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_component_register(world, &(sett_component_desc){.name = "Position"}), id);
    CHECK_EQ(sett_component_find(world, "Place"), id);
    desc.old_name_count = 1; /* a later list replaces the earlier one */
    CHECK_EQ(sett_component_register(world, &desc), id);
    CHECK_EQ(sett_component_find(world, "Place"), 0);
    CHECK_EQ(sett_component_unregister(world, id), SETT_OK);
    CHECK_EQ(sett_component_find(world, "Pos"), 0);
    CHECK(sett_component_register(world, &(sett_component_desc){.name = "Pos"}) != 0);
    CHECK_END(world);
}

TEST_MAIN(TEST(members_are_found_by_name), TEST(what_would_lose_something_asks_the_program),
          TEST(renamed_and_retyped_members_ask_the_program),
          TEST(members_travel_with_unknown_types), TEST(names_come_from_a_table_at_run_time),
          TEST(components_are_found_by_former_names), TEST(former_names_are_unique))

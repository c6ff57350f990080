/* test_link_data.c: what is known of the data of links: its padding and its members, in hashes,
 * comparisons, deltas, searches, JSON and files. */
#include <math.h>

#include "saved.h"
#include "sett/json.h"
#include "sett/members.h"
#include "sett/search.h"

typedef struct Debt {
    uint8_t kind;
    float amount;
    char note[5];
    uint16_t cache;
} Debt;

typedef struct Debt2 {
    char note[8];
    double amount;
    uint32_t interest;
} Debt2;

typedef enum knowledge {
    NOTHING,
    MASK,
    MEMBERS,
    KNOWLEDGES
} knowledge;

enum {
    OWES = 1
};

/* A world where entity 1 owes to 0, and 2 to 0 and 1 if there may be many. */
static sett_world* debt_world(knowledge of, bool many)
{
    static unsigned char mask[sizeof(Debt)];
    memset(mask + offsetof(Debt, kind), 255, 1);
    memset(mask + offsetof(Debt, amount), 255, 4);
    memset(mask + offsetof(Debt, note), 255, 5);
    memset(mask + offsetof(Debt, cache), 255, 2);
    sett_world* world = quiet_world();
    sett_relationship_desc desc = {.name = "Owes",
                                   .id = OWES,
                                   .size = sizeof(Debt),
                                   .align = SETT_ALIGNOF(Debt),
                                   .many = many,
                                   .mask = of == MASK ? mask : NULL};
    const sett_struct* members = SETT_STRUCT(Debt, kind, amount, note, (cache, .local = true));
    desc.members = of == MEMBERS ? members : NULL;
    CHECK_MSG(sett_relationship_register(world, &desc) == OWES, "%s", sett_world_message(world));
    return world;
}

/* The value of a link has the link in front of the data, so that neither is set by sett_set: it
 * would read behind data of their own size. */
static void data_is_not_set(bool many)
{
    sett_world* world = debt_world(NOTHING, many);
    sett_commands* commands = sett_commands_here(world);
    sett_entity e[2] = {sett_entity_create(world), sett_entity_create(world)};
    Debt* data = malloc(sizeof(*data));
    CHECK(data != NULL);
    memset(data, 0, sizeof(*data));
    data->amount = 3;
    for (uint32_t k = 0; k < 2; k++) {
        CHECK(sett_set(world, e[0], OWES, data) == NULL);
        CHECK_EQ(sett_world_error(world), SETT_STATUS_ARGUMENT);
        CHECK(strstr(sett_world_message(world), "call sett_relate or sett_cmd_relate") != NULL);
        CHECK_EQ(sett_set_many(world, e, 1, OWES, data), SETT_STATUS_ARGUMENT);
        CHECK_EQ(sett_cmd_set(commands, e[0], OWES, data), SETT_STATUS_ARGUMENT);
        CHECK_EQ(sett_commands_count(commands), 0);
        CHECK_EQ(sett_has(world, e[0], OWES), k == 1);
        CHECK_EQ(sett_cmd_relate(commands, e[0], OWES, e[1], data), SETT_OK);
        CHECK_EQ(sett_commands_apply(commands), SETT_OK);
        CHECK_EQ(memcmp(sett_related(world, e[0], OWES, e[1]), data, sizeof(*data)), 0);
    }
    free(data);
    CHECK_END(world);
}

static void data_is_set_through_the_link(void)
{
    data_is_not_set(false);
    data_is_not_set(true);
}

static Debt* owe(sett_world* world, uint32_t source, uint32_t target, unsigned char noise)
{
    Debt* debt =
        sett_relate(world, sett_entity_at(world, source), OWES, sett_entity_at(world, target));
    CHECK(debt != NULL);
    memset(debt, noise, sizeof(*debt));
    debt->kind = (uint8_t)source;
    debt->amount = (float)(10 * source + target);
    memcpy(debt->note, "note", 5);
    debt->cache = 0;
    return debt;
}

static sett_world* full_world(knowledge of, bool many, unsigned char noise)
{
    sett_world* world = debt_world(of, many);
    for (uint32_t k = 0; k < 3; k++) {
        (void)sett_entity_create(world);
    }
    (void)owe(world, 1, 0, noise);
    (void)owe(world, 2, 0, (unsigned char)(noise + 1));
    if (many) {
        (void)owe(world, 2, 1, (unsigned char)(noise + 2));
    }
    return world;
}

static const char* difference(const sett_world* a, const sett_world* b)
{
    static char text[512];
    (void)sett_world_difference(a, b, text, sizeof(text));
    return text;
}

static void padding_of_links_counts_as_zeroes(void)
{
    for (uint32_t way = 0; way < 4; way++) {
        knowledge of = way % 2 == 0 ? MASK : MEMBERS;
        bool many = way / 2 != 0;
        sett_world* one = full_world(of, many, 0);
        sett_world* other = full_world(of, many, 0xAB);
        CHECK_SAME(one, other);
        sett_snapshot before = take(one);
        owe(one, 1, 0, 7)->amount = 99;
        (void)owe(one, 0, 2, 8);
        unsigned char* bytes;
        size_t size = encode(one, before, take(one), &bytes);
        CHECK_APPLY(other, bytes, size);
        CHECK_SAME(one, other);
        free(bytes);

        CHECK_EQ(sett_snapshot_restore(one, before), SETT_OK); /* padding alone: nothing differs */
        owe(one, 1, 0, 9);
        size_t padded = 0;
        CHECK_EQ(sett_delta_encode(one, before, take(one), NULL, 0, &padded), SETT_OK);
        CHECK_EQ(sett_delta_encode(one, before, before, NULL, 0, &size), SETT_OK);
        CHECK_EQ(padded, size);
        CHECK_END(one);
        CHECK_END(other);
    }
}

static void a_difference_names_target_and_member(void)
{
    for (uint32_t many = 0; many < 2; many++) {
        for (uint32_t of = 0; of < KNOWLEDGES; of++) {
            sett_world* one = full_world((knowledge)of, many != 0, 0);
            sett_world* other = full_world((knowledge)of, many != 0, 0);
            owe(other, 2, 0, 3)->amount = 5;
            CHECK(sett_world_hash(one) != sett_world_hash(other));
            CHECK_MSG(strstr(difference(one, other),
                             "entity 2:1: \"Owes\" to entity 0:1 differs") != NULL,
                      "%s", difference(one, other));
            const char* how[] = {"these bytes may be padding", " differs from byte ",
                                 ": amount is 20 in the first world, 5 in the second"};
            CHECK_MSG(strstr(difference(one, other), how[of]) != NULL, "%s",
                      difference(one, other));
            CHECK_END(one);
            CHECK_END(other);
        }
    }
}

static void deltas_name_padding_known_differently(void)
{
    sett_world* one = full_world(MASK, true, 0);
    sett_world* other = full_world(NOTHING, true, 3);
    sett_snapshot before = take(one);
    (void)owe(one, 0, 1, 5);
    unsigned char* bytes;
    size_t size = encode(one, before, take(one), &bytes);
    CHECK_EQ(sett_delta_apply(other, bytes, size), SETT_STATUS_CONFLICT);
    CHECK_MSG(strstr(sett_world_message(other),
                     "the sender takes other bytes of \"Owes\" for padding - register it with the "
                     "same `members`, `mask` and `bytes` in both programs") != NULL,
              "%s", sett_world_message(other));
    free(bytes);
    CHECK_END(one);
    CHECK_END(other);
}

/* As values: text behind its end and the bits of a NaN do not count, nor do local members; those
 * stay the receiver's. */
static void members_make_the_hash_canonical(void)
{
    for (uint32_t many = 0; many < 2; many++) {
        sett_world* one = full_world(MEMBERS, many != 0, 0);
        sett_world* other = full_world(MEMBERS, many != 0, 0xAB);
        sett_component raw = 0;
        CHECK_MSG(sett_world_hash_portable(one, &raw), "%u", (unsigned)raw);
        uint32_t nan = 0xFFC01234;
        Debt* debt = owe(one, 1, 0, 0);
        memcpy(debt->note, "a\0b", 4);
        debt->amount = NAN;
        debt->cache = 3;
        debt = owe(other, 1, 0, 0);
        memcpy(debt->note, "a\0c", 4);
        memcpy(&debt->amount, &nan, 4);
        debt->cache = 4;
        CHECK_SAME(one, other);
        sett_snapshot before = take(one);
        owe(one, 1, 0, 0)->cache = 5;
        unsigned char* bytes;
        size_t size = encode(one, before, take(one), &bytes);
        CHECK_APPLY(other, bytes, size);
        CHECK_SAME(one, other);
        debt = sett_related_mut(other, sett_entity_at(other, 1), OWES, sett_entity_at(other, 0));
        CHECK_EQ(debt->cache, 4);
        free(bytes);
        sett_world* copy = quiet_world();
        CHECK_MSG(sett_world_clone(other, copy) == SETT_OK, "%s", sett_world_message(copy));
        CHECK_SAME(other, copy);
        CHECK(sett_world_hash_portable(copy, NULL));
        CHECK_END(one);
        CHECK_END(other);
        CHECK_END(copy);
    }
    sett_world* world = debt_world(MASK, true);
    sett_component raw = 0;
    CHECK(!sett_world_hash_portable(world, &raw));
    CHECK_EQ(raw, OWES);
    CHECK_END(world);
}

static uint64_t matches(sett_world* world, const char* text)
{
    sett_search* search = sett_search_create(world, text);
    CHECK_MSG(search != NULL, "%s", sett_world_message(world));
    uint64_t count = sett_search_count(search);
    CHECK_EQ(sett_search_destroy(search), SETT_OK);
    return count;
}

static void searches_compare_them(void)
{
    sett_world* world = full_world(MEMBERS, false, 0);
    CHECK_EQ(matches(world, "Owes($this, $who), $this.Owes.amount > 15"), 1);
    CHECK_EQ(matches(world, "Owes($this, $who), $this.Owes.note == \"note\""), 2);
    CHECK_EQ(sett_members_get(world, OWES)->count, 5);
    CHECK_END(world);
    world = full_world(MEMBERS, true, 0);
    CHECK_EQ(matches(world, "Owes($this, $who), $this.Owes.count > 1"), 2); /* 2 leads to both */
    CHECK(sett_search_create(world, "Owes, $this.Owes.amount > 15") == NULL);
    CHECK_MSG(strstr(sett_world_message(world), "to compare: an entity has many links - use "
                                                "another component") != NULL,
              "%s", sett_world_message(world));
    CHECK_END(world);
}

static void json_has_them_by_name(void)
{
    for (uint32_t many = 0; many < 2; many++) {
        char text[2048];
        sett_world* one = full_world(MEMBERS, many != 0, 0xAB);
        sett_world* other = debt_world(MEMBERS, many != 0);
        size_t length = sett_json_format(one, NULL, text, sizeof(text));
        CHECK(length != 0 && length < sizeof(text));
        CHECK_MSG(strstr(text, "\"data\": {\"kind\": 1, \"amount\": 10, \"note\": \"note\"}") !=
                      NULL,
                  "%s", text);
        CHECK_MSG(sett_json_read(other, text, length, NULL, NULL) == SETT_OK, "%s",
                  sett_world_message(other));
        CHECK_SAME(one, other);
        CHECK_END(one);
        CHECK_END(other);
    }
}

static void files_are_migrated_by_member(void)
{
    for (uint32_t many = 0; many < 2; many++) {
        disk* to = disk_create();
        sett_world* one = full_world(MEMBERS, many != 0, 0xAB);
        saves(one, to, 1);
        sett_world* same = debt_world(MEMBERS, many != 0);
        CHECK_MSG(loads(same, to, NULL) == SETT_OK, "%s", sett_world_message(same));
        CHECK_SAME(one, same);
        sett_world* into = quiet_world();
        sett_relationship_desc desc = {.name = "Owes",
                                       .size = sizeof(Debt2),
                                       .align = SETT_ALIGNOF(Debt2),
                                       .many = many != 0,
                                       .members = SETT_STRUCT(Debt2, note, amount, interest)};
        CHECK_EQ(sett_relationship_register(into, &desc), OWES);
        sett_load_result result;
        CHECK_MSG(loads(into, to, &result) == SETT_OK, "%s", sett_world_message(into));
        CHECK_EQ(result.dropped, 2); /* kind, and cache */
        const Debt2* debt =
            sett_related(into, sett_entity_at(into, 2), OWES, sett_entity_at(into, 0));
        CHECK(debt->amount == 20 && strcmp(debt->note, "note") == 0 && debt->interest == 0);
        CHECK_EQ(sett_source_count(into, OWES, sett_entity_at(into, 0)), 2);
        CHECK_END(one);
        CHECK_END(same);
        CHECK_END(into);
        disk_destroy(to);
    }
}

static void what_is_said_wrongly_is_rejected(void)
{
    sett_world* world = debt_world(MEMBERS, true);
    sett_relationship_desc desc = {.name = "Owes", .many = true, .size = sizeof(Debt)};
    desc.align = SETT_ALIGNOF(Debt);
    CHECK_EQ(sett_relationship_register(world, &desc), OWES); /* says less */
    desc.members = SETT_STRUCT(Debt, kind, amount, note, cache);
    CHECK_EQ(sett_relationship_register(world, &desc), 0);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_CONFLICT);
    desc.name = "Lends";
    desc.size *= 2;
    CHECK_EQ(sett_relationship_register(world, &desc), 0);
    CHECK_MSG(strstr(sett_world_message(world), "take members and size from the same struct") !=
                  NULL,
              "%s", sett_world_message(world));
    CHECK_EQ(sett_component_find(world, "Lends"), 0);
    CHECK_END(world);
}

/* Entries of a delta come by index: on the way there may be a circle that neither state has. */
static void deltas_turn_acyclic_links_around(void)
{
    sett_world* worlds[2];
    const sett_relationship_desc desc = {.name = "ReportsTo", .id = 2, .acyclic = true};
    for (uint32_t k = 0; k < 2; k++) {
        worlds[k] = quiet_world();
        CHECK_EQ(sett_relationship_register(worlds[k], &desc), 2);
        sett_entity low = sett_entity_create(worlds[k]);
        sett_entity high = sett_entity_create(worlds[k]);
        CHECK(sett_relate(worlds[k], high, 2, low) != NULL);
    }
    sett_entity low = sett_entity_at(worlds[0], 0);
    sett_entity high = sett_entity_at(worlds[0], 1);
    sett_snapshot before = take(worlds[0]);
    CHECK_EQ(sett_unrelate(worlds[0], high, 2, low), SETT_OK);
    CHECK(sett_relate(worlds[0], low, 2, high) != NULL);
    unsigned char* bytes;
    size_t size = encode(worlds[0], before, take(worlds[0]), &bytes);
    CHECK_APPLY(worlds[1], bytes, size);
    CHECK_SAME(worlds[0], worlds[1]);
    CHECK(sett_relate(worlds[1], high, 2, low) == NULL);
    CHECK_EQ(sett_world_error(worlds[1]), SETT_STATUS_CYCLE);
    free(bytes);
    CHECK_END(worlds[0]);
    CHECK_END(worlds[1]);
}

/* What bytes from elsewhere lead to is checked; a long way out, and into what was seen, is none. */
static void bytes_bring_no_circle(void)
{
    enum {
        LENGTH = 20000
    };
    sett_relationship_desc desc = {.name = "ReportsTo", .id = 2};
    sett_world* free_world = quiet_world();
    sett_world* into = quiet_world();
    sett_world* follower = quiet_world();
    CHECK_EQ(sett_relationship_register(free_world, &desc), 2);
    desc.acyclic = true;
    CHECK_EQ(sett_relationship_register(into, &desc), 2);
    CHECK_EQ(sett_relationship_register(follower, &desc), 2);
    disk* to = disk_create();
    sett_snapshot empty = take(free_world);
    for (uint32_t k = 0; k < LENGTH; k++) { /* each leads to the one behind it */
        sett_entity next = sett_entity_create(free_world);
        CHECK(k == 0 ||
              sett_relate(free_world, sett_entity_at(free_world, k - 1), 2, next) != NULL);
    }
    saves(free_world, to, 1);
    CHECK_MSG(loads(into, to, NULL) == SETT_OK, "%s", sett_world_message(into));
    CHECK_SAME(free_world, into);
    CHECK(sett_relate(free_world, sett_entity_at(free_world, LENGTH - 1), 2,
                      sett_entity_at(free_world, 5)) != NULL);
    saves(free_world, to, 1);
    disk_remove(to, "f.previous");
    CHECK_EQ(loads(into, to, NULL), SETT_STATUS_INVALID);
    CHECK_MSG(
        strstr(sett_world_message(into),
               "\"ReportsTo\" is acyclic in this world, but by the links of the file entity ") !=
            NULL,
        "%s", sett_world_message(into));
    uint64_t hash = sett_world_hash(follower);
    unsigned char* bytes;
    size_t size = encode(free_world, empty, take(free_world), &bytes);
    CHECK_EQ(sett_delta_apply(follower, bytes, size), SETT_STATUS_INVALID);
    CHECK_EQ(sett_world_hash(follower), hash);
    free(bytes);
    disk_destroy(to);
    CHECK_END(free_world);
    CHECK_END(follower);
    CHECK_END(into);
}

TEST_MAIN(TEST(data_is_set_through_the_link), TEST(padding_of_links_counts_as_zeroes),
          TEST(a_difference_names_target_and_member), TEST(deltas_name_padding_known_differently),
          TEST(members_make_the_hash_canonical), TEST(searches_compare_them),
          TEST(json_has_them_by_name), TEST(files_are_migrated_by_member),
          TEST(deltas_turn_acyclic_links_around), TEST(bytes_bring_no_circle),
          TEST(what_is_said_wrongly_is_rejected))

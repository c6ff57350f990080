/* test_delta_hostile.c: deltas that were altered, and sealed again so that only what they say is
 * wrong: each is rejected with a sentence, and the world is as it was. */
#include "sett/name.h"
#include "states.h"

#include "state/delta.h"

/* A delta as large as it gets while it is altered. */
typedef struct letter {
    unsigned char bytes[8192];
    size_t size;
} letter;

static void put_number(letter* to, size_t at, uint64_t number, size_t size)
{
    for (size_t k = 0; k < size; k++) {
        to->bytes[at + k] = (unsigned char)(number >> (8 * k));
    }
}

/* Makes the head tell the truth about what follows it. */
static void seal(letter* of)
{
    put_number(of, 24, of->size, 8);
    put_number(of, 32,
               setti_delta_seal(of->bytes + SETTI_DELTA_COUNTS, of->size - SETTI_DELTA_COUNTS), 8);
}

static void write_letter(letter* to, sett_world* world, sett_snapshot a, sett_snapshot b)
{
    CHECK_EQ(sett_delta_encode(world, a, b, to->bytes, sizeof(to->bytes), &to->size), SETT_OK);
}

/* Where these bytes are first; they have to be there. */
static size_t find_bytes(const letter* in, const void* wanted, size_t size)
{
    for (size_t at = 0; at + size <= in->size; at++) {
        if (memcmp(in->bytes + at, wanted, size) == 0) {
            return at;
        }
    }
    CHECK_MSG(false, "%zu bytes are not in the delta", size);
    return 0;
}

static void rejects(sett_world* world, const letter* altered, const char* why)
{
    uint64_t hash = sett_world_hash(world);
    CHECK_EQ(sett_delta_apply(world, altered->bytes, altered->size), SETT_STATUS_INVALID);
    CHECK_MSG(strstr(sett_world_message(world), why) != NULL, "\"%s\" is not in: %s", why,
              sett_world_message(world));
    CHECK_EQ(sett_world_hash(world), hash);
    CHECK_VALID(world);
}

static void a_type_is_listed_once(void)
{
    sett_world* world[2] = {quiet_world(), quiet_world()};
    for (uint32_t k = 0; k < 2; k++) {
        CHECK_EQ(
            sett_component_register(world[k], &(sett_component_desc){.name = "aaa", .size = 4}), 1);
        CHECK_EQ(
            sett_component_register(world[k], &(sett_component_desc){.name = "bbb", .size = 4}), 2);
    }
    sett_snapshot before = take(world[0]);
    sett_entity e = sett_entity_create(world[0]);
    CHECK(sett_add(world[0], e, 1) != NULL && sett_add(world[0], e, 2) != NULL);
    static letter delta;
    write_letter(&delta, world[0], before, take(world[0]));
    seal(&delta);
    letter whole = delta;
    delta.size--;
    rejects(world[1], &delta, "pass all of them, and no others");
    delta.size += 2;
    rejects(world[1], &delta, "pass all of them, and no others");
    delta = whole;
    delta.bytes[find_bytes(&delta, "bbb", 3)] = 0;
    seal(&delta);
    rejects(world[1], &delta, "the name of a type is invalid");
    delta = whole;
    memcpy(delta.bytes + find_bytes(&delta, "bbb", 3), "aaa", 3);
    seal(&delta);
    rejects(world[1], &delta, "a type is listed twice");
    CHECK_APPLY(world[1], whole.bytes, whole.size); /* unaltered it fits */
    CHECK_SAME(world[0], world[1]);
    CHECK_END(world[0]);
    CHECK_END(world[1]);
}

/* Values without members are bytes in the order of the machine that wrote them. */
static void another_byte_order_is_rejected_by_name(void)
{
    sett_world* world = quiet_world();
    CHECK_EQ(sett_component_register(world, &(sett_component_desc){.name = "raw", .size = 4}), 1);
    sett_snapshot before = take(world);
    CHECK(sett_add(world, sett_entity_create(world), 1) != NULL);
    static letter delta;
    write_letter(&delta, world, before, take(world));
    CHECK_EQ(sett_snapshot_restore(world, before), SETT_OK);
    delta.bytes[find_bytes(&delta, "raw", 3) + 3] ^= SETTI_DELTA_BIG_ENDIAN;
    seal(&delta);
    CHECK_EQ(sett_delta_apply(world, delta.bytes, delta.size), SETT_STATUS_ARGUMENT);
    CHECK(strstr(sett_world_message(world), "\"raw\" comes from a machine of another byte order") !=
          NULL);
    CHECK_END(world);
}

static void names_are_not_too_long(void)
{
    static char name[SETT_NAME_MAX + 1];
    memset(name, 'n', SETT_NAME_MAX);
    sett_world* world[2] = {quiet_world(), quiet_world()};
    CHECK(sett_name_register(world[0]) != 0 && sett_name_register(world[1]) != 0);
    sett_snapshot before = take(world[0]);
    sett_entity e = sett_entity_create(world[0]);
    CHECK_EQ(sett_name_set(world[0], e, name), SETT_OK);
    static letter delta;
    write_letter(&delta, world[0], before, take(world[0]));
    seal(&delta);
    letter whole = delta;
    const size_t more[] = {1, 2, 1000};
    for (uint32_t k = 0; k < 3; k++) {
        delta = whole;
        size_t at = find_bytes(&delta, name, SETT_NAME_MAX);
        memmove(delta.bytes + at + more[k], delta.bytes + at, delta.size - at);
        memset(delta.bytes + at, 'n', more[k]);
        delta.size += more[k];
        put_number(&delta, at - 2, SETT_NAME_MAX + more[k], 2);
        seal(&delta);
        rejects(world[1], &delta, "a name has more than 1000 bytes");
    }
    CHECK_APPLY(world[1], whole.bytes, whole.size);
    CHECK_SAME(world[0], world[1]);
    CHECK_STR_EQ(sett_name_get(world[1], e), name);
    CHECK_END(world[0]);
    CHECK_END(world[1]);
}

/* Rows with gaps, of a world whose type keeps its order, for one whose type does not: there rows
 * have none, whatever the delta says. */
static void gaps_are_for_types_that_keep_their_order(void)
{
    for (uint32_t keeps = 0; keeps < 2; keeps++) {
        sett_world* world[2] = {quiet_world(), quiet_world()};
        for (uint32_t k = 0; k < 2; k++) {
            sett_component_desc desc = {.name = "row", .size = 4};
            desc.storage = SETT_STORAGE_SPARSE_SET;
            desc.keep_order = k == 0 || keeps == 1;
            CHECK_EQ(sett_component_register(world[k], &desc), 1);
            for (uint32_t n = 0; n < 20; n++) {
                CHECK(sett_set(world[k], sett_entity_create(world[k]), 1, &n) != NULL);
            }
        }
        sett_snapshot before = take(world[0]);
        CHECK_EQ(sett_remove(world[0], sett_entity_at(world[0], 7), 1), SETT_OK);
        CHECK_EQ(sett_remove(world[0], sett_entity_at(world[0], 3), 1), SETT_OK);
        static letter delta;
        write_letter(&delta, world[0], before, take(world[0]));
        CHECK_APPLY(world[1], delta.bytes, delta.size);
        CHECK_SAME(world[0], world[1]);
        const setti_storage* rows = &setti_world_type(world[1], 1)->storage;
        CHECK_EQ(rows->extent, keeps == 1 ? 20 : 18);
        CHECK_END(world[0]);
        CHECK_END(world[1]);
    }
}

/* Differences of values, each byte of them wrong in some way. */
static void altered_changes_are_rejected(void)
{
    sett_world* world[2] = {quiet_world(), quiet_world()};
    for (uint32_t k = 0; k < 2; k++) {
        CHECK_EQ(sett_component_register(world[k], &(sett_component_desc){.name = "a", .size = 4}),
                 1);
        CHECK_EQ(sett_component_register(world[k], &(sett_component_desc){.name = "b", .size = 4}),
                 2);
        sett_entity e = sett_entity_create(world[k]);
        CHECK(sett_add(world[k], e, 1) != NULL && sett_add(world[k], e, 2) != NULL);
    }
    sett_snapshot before = take(world[0]);
    for (sett_component id = 1; id <= 2; id++) {
        memcpy(sett_get_mut(world[0], sett_entity_at(world[0], 0), id), "\1\2\3\4", 4);
    }
    static letter delta;
    write_letter(&delta, world[0], before, take(world[0]));
    letter whole = delta;
    /* one entity; four bytes, as they are; for the second type only the latter */
    size_t at = find_bytes(&delta, "\0\1\1\7\1\2\3\4\7\1\2\3\4", 13);
    CHECK_EQ(at + 13 + 2 * (43 + 1), delta.size); /* the types follow */
    static const struct {
        size_t at, from, to; /* where, what is there, and what is written */
        const char* why;
    } altered[] = {
        {0, 0, 1, "they change a value that does not exist"},   /* another entity */
        {0, 0, 200, "they change a value that does not exist"}, /* a number that goes on */
        {1, 1, 0, "they change a value that does not exist"},   /* no entity */
        {1, 1, 3, "they change a value that does not exist"},   /* one more byte of them */
        {2, 1, 3, "they change a value that does not exist"},   /* one more */
        {3, 7, 9, "they end within"},                           /* more bytes than values have */
        {3, 7, 6, "they end within"},   /* the same byte four times, and then others */
        {8, 7, 255, "they end within"}, /* a number that does not end */
    };
    for (uint32_t k = 0; k < sizeof(altered) / sizeof(altered[0]); k++) {
        delta = whole;
        CHECK_EQ(delta.bytes[at + altered[k].at], altered[k].from);
        delta.bytes[at + altered[k].at] = (unsigned char)altered[k].to;
        seal(&delta);
        rejects(world[1], &delta, altered[k].why);
    }
    /* the first type has the entities of the one before, and there is none */
    delta = whole;
    size_t count = find_bytes(&delta, "\1\0a", 3) + 3 + 1 + 3 * 4 + 8 + 4;
    CHECK_EQ(delta.bytes[count], 1);
    put_number(&delta, count, SETTI_NONE, 4);
    seal(&delta);
    rejects(world[1], &delta, "they change a value that does not exist");
    /* a count where there are none */
    delta = whole;
    delta.size -= 13;
    memmove(delta.bytes + at, delta.bytes + at + 13, delta.size - at);
    put_number(&delta, count - 13, 0, 4);
    seal(&delta);
    rejects(world[1], &delta, "they change a value that does not exist");
    CHECK_APPLY(world[1], whole.bytes, whole.size); /* unaltered it fits */
    CHECK_SAME(world[0], world[1]);
    CHECK_END(world[0]);
    CHECK_END(world[1]);
}

TEST_MAIN(TEST(a_type_is_listed_once), TEST(names_are_not_too_long),
          TEST(another_byte_order_is_rejected_by_name),
          TEST(gaps_are_for_types_that_keep_their_order), TEST(altered_changes_are_rejected))

/* test_delta_hostile.c: deltas that were altered, and sealed again so that only what they say is
 * wrong: each is rejected with a sentence, and the world is as it was. */
#include "sett/hierarchy.h"
#include "sett/name.h"
#include "sett/relationship.h"
#include "sett/singleton.h"
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
    rejects(world[1], &delta, "pass the whole delta and no other bytes");
    delta.size += 2;
    rejects(world[1], &delta, "pass the whole delta and no other bytes");
    delta = whole;
    delta.bytes[find_bytes(&delta, "bbb", 3)] = 0;
    seal(&delta);
    rejects(world[1], &delta, "the name of a type is invalid");
    delta = whole;
    memcpy(delta.bytes + find_bytes(&delta, "bbb", 3), "aaa", 3);
    seal(&delta);
    rejects(world[1], &delta, "\"aaa\" is listed twice");
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
    CHECK_EQ(sett_delta_apply(world, delta.bytes, delta.size), SETT_STATUS_CONFLICT);
    CHECK(strstr(sett_world_message(world),
                 "values of \"raw\" come from a machine of another byte order") != NULL);
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
        {0, 0, 1, "a changed value of "},                          /* another entity */
        {0, 0, 200, "a changed value of "},                        /* a number that goes on */
        {1, 1, 0, "a changed value of "},                          /* no entity */
        {1, 1, 3, "a changed value of "},                          /* one more byte of them */
        {2, 1, 3, "a changed value of "},                          /* one more */
        {3, 7, 9, "the changed values of "},                       /* more bytes than values have */
        {3, 7, 6, "the changed values of "},                       /* the same byte four times */
        {8, 7, 255, "the changed values of \"b\" are incomplete"}, /* a number that does not end */
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
    rejects(world[1], &delta, "a changed value of ");
    /* a count where there are none */
    delta = whole;
    delta.size -= 13;
    memmove(delta.bytes + at, delta.bytes + at + 13, delta.size - at);
    put_number(&delta, count - 13, 0, 4);
    seal(&delta);
    rejects(world[1], &delta, "a changed value of ");
    CHECK_APPLY(world[1], whole.bytes, whole.size); /* unaltered it fits */
    CHECK_SAME(world[0], world[1]);
    CHECK_END(world[0]);
    CHECK_END(world[1]);
}

/* A delta with a part of it overwritten. */
typedef struct forgery {
    size_t at;
    uint64_t number;
    size_t size; /* bytes of the number */
    const char* why;
} forgery;

static void rejects_all(sett_world* world, const letter* whole, const forgery* list, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        letter delta = *whole;
        put_number(&delta, list[k].at, list[k].number, list[k].size);
        seal(&delta);
        rejects(world, &delta, list[k].why);
    }
}

/* Where the counts of a type's sections are, after its name. */
static size_t counts_of(const letter* delta, const char* name)
{
    char text[64] = {(char)strlen(name), 0}; /* the length of the name is before it */
    memcpy(text + 2, name, strlen(name));
    return find_bytes(delta, text, 2 + strlen(name)) + 2 + strlen(name) + 21;
}

#define COUNT(list) (uint32_t)(sizeof(list) / sizeof((list)[0]))

/* Two worlds with types and an entity; what the first one does is then sent to the second. */
typedef struct pair {
    sett_world* world[2];
    sett_component type[4]; /* a value, a tag, rows, links */
    sett_entity old;
    sett_snapshot before;
} pair;

static pair begin_pair(void)
{
    pair p;
    for (uint32_t k = 0; k < 2; k++) {
        sett_world* world = p.world[k] = quiet_world();
        p.type[0] =
            sett_component_register(world, &(sett_component_desc){.name = "val", .size = 4});
        p.type[1] = sett_component_register(world, &(sett_component_desc){.name = "tag"});
        p.type[2] = sett_component_register(
            world,
            &(sett_component_desc){.name = "row", .size = 4, .storage = SETT_STORAGE_SPARSE_SET});
        p.type[3] = sett_relationship_register(world, &(sett_relationship_desc){.name = "Likes"});
        p.old = sett_entity_create(world);
        CHECK(sett_add(world, p.old, p.type[0]) != NULL);
        CHECK(sett_add(world, sett_entity_create(world), p.type[0]) != NULL);
        CHECK(p.type[3] != 0);
    }
    p.before = take(p.world[0]);
    return p;
}

static void end_pair(pair* p, const letter* whole)
{
    CHECK_APPLY(p->world[1], whole->bytes, whole->size); /* unaltered it fits */
    CHECK_SAME(p->world[0], p->world[1]);
    CHECK_END(p->world[0]);
    CHECK_END(p->world[1]);
}

static void heads_are_checked(void)
{
    pair p = begin_pair();
    CHECK(sett_add(p.world[0], sett_entity_create(p.world[0]), p.type[0]) != NULL);
    static letter whole;
    write_letter(&whole, p.world[0], p.before, take(p.world[0]));
    letter delta = whole;
    delta.size = 40;
    rejects(p.world[1], &delta, "the delta is damaged: the header is incomplete - get it from");
    delta = whole;
    delta.bytes[delta.size - 1] ^= 1;
    rejects(p.world[1], &delta, "the delta is damaged: the checksum is wrong - get it from");
    size_t name = find_bytes(&whole, "val", 3);
    const forgery list[] = {
        {SETTI_DELTA_TYPES_SIZE, 100000, 4, "the descriptions of types are incomplete"},
        {SETTI_DELTA_COUNT_TYPES, 0, 4, "bytes follow the descriptions of types"},
        {SETTI_DELTA_COUNT_BEGUN, 1000, 4, "the list of entities is incomplete"},
        {name - 2, 200, 2, "the description of a type is incomplete"},
    };
    rejects_all(p.world[1], &whole, list, COUNT(list));
    end_pair(&p, &whole);
}

static void handles_are_checked(void)
{
    pair p = begin_pair();
    sett_world* world = p.world[0];
    CHECK_EQ(sett_entity_destroy(world, p.old), SETT_OK);
    sett_entity created = sett_entity_create(world);
    CHECK_EQ(created.index, p.old.index);
    CHECK_EQ(sett_entity_create_handle(world, (sett_entity){7, 1}), SETT_OK);
    sett_entity freed = {9, 4};
    CHECK_EQ(sett_entity_create_handle(world, freed), SETT_OK);
    CHECK_EQ(sett_entity_destroy(world, freed), SETT_OK);
    static letter whole;
    write_letter(&whole, world, p.before, take(world));
    const unsigned char last[] = {7, 0, 0, 0, 1, 0, 0, 0, 1};
    const unsigned char slot[] = {9, 0, 0, 0, 5, 0, 0, 128, 1};
    size_t at = find_bytes(&whole, last, sizeof(last));
    size_t free_at = find_bytes(&whole, slot, sizeof(slot));
    const forgery list[] = {
        {SETTI_DELTA_HEAD + 4, 9, 4, "entity 0:9 is destroyed, but does not exist"},
        {at + 4, 0, 4, "entity 7:0 has an invalid generation"},
        {at, 1, 4, "entity 1:1 is created, and its index has an entity"},
        {free_at, 1, 4, "index 1 is freed, but has an entity"},
        {free_at + 4, 5, 4, "index 9 is freed with an invalid generation"},
    };
    rejects_all(p.world[1], &whole, list, COUNT(list));
    for (uint32_t k = 0; k < 2; k++) {
        letter delta = whole;
        put_number(&delta, k == 0 ? at : free_at, 0x7FFFFFFF, 4);
        seal(&delta);
        CHECK_EQ(sett_delta_apply(p.world[1], delta.bytes, delta.size), SETT_STATUS_LIMIT);
        CHECK(strstr(sett_world_message(p.world[1]),
                     "the delta has entity index 2147483647, and the entity_limit of this world is "
                     "268435456 - create") != NULL);
    }
    end_pair(&p, &whole);
}

static void values_are_checked(void)
{
    pair p = begin_pair();
    sett_world* world = p.world[0];
    for (uint32_t k = 0; k < 2; k++) {
        sett_entity e = {100 + 100 * k, 1};
        CHECK_EQ(sett_entity_create_handle(world, e), SETT_OK);
        CHECK(sett_set(world, e, p.type[0], "\x51\x52\x53\x54") != NULL);
    }
    CHECK(sett_add(world, p.old, p.type[1]) != NULL);
    CHECK(sett_relate(world, p.old, p.type[3], sett_entity_at(world, 100)) != NULL);
    for (uint32_t k = 0; k < 3; k++) {
        CHECK(sett_add(world, sett_entity_create(world), p.type[2]) != NULL);
    }
    static letter whole;
    write_letter(&whole, world, p.before, take(world));
    const unsigned char second[] = {1, 200, 0, 0, 0, 0x51};
    size_t at = find_bytes(&whole, second, sizeof(second));
    const forgery list[] = {
        {at + 1, 250, 4, "\"val\" of index 250: the entity does not exist"},
        {at + 1, 3, 4, "the values of \"val\" are not in the order of entities"},
        {at, 7, 1, "\"val\" of index 200: the kind of the change is unknown"},
        {counts_of(&whole, "val"), 1000, 4, "\"val\""},
        {counts_of(&whole, "val") + 8, 1, 4, "\"val\" has no links, but an order of links"},
        {counts_of(&whole, "tag") + 4, 1, 4,
         "values of \"tag\" are changed in part, not as a whole"},
        {counts_of(&whole, "Likes") + 8, 200, 4, "the order of links of \"Likes\" is incomplete"},
        {counts_of(&whole, "row") + 12, 1000, 4, "the order of rows of \"row\" is "},
    };
    rejects_all(p.world[1], &whole, list, COUNT(list));
    end_pair(&p, &whole);
}

/* Parents that are valid alone, and a circle together. */
static void a_step_fails_as_the_call_of_the_program(void)
{
    sett_world* world[2] = {quiet_world(), quiet_world()};
    for (uint32_t k = 0; k < 2; k++) {
        CHECK(sett_hierarchy_register(world[k], NULL) != 0);
        for (uint32_t n = 0; n < 3; n++) {
            CHECK(sett_add(world[k], sett_entity_create(world[k]), SETT_ID_HIERARCHY) != NULL);
        }
    }
    sett_snapshot before = take(world[0]);
    for (uint32_t k = 0; k < 2; k++) {
        CHECK_EQ(sett_hierarchy_attach(world[0], sett_entity_at(world[0], k),
                                       sett_entity_at(world[0], 2)),
                 SETT_OK);
    }
    static letter whole;
    write_letter(&whole, world[0], before, take(world[0]));
    letter delta = whole;
    const unsigned char first[] = {2, 0, 0, 0, 0, 3, 0, 0, 0};
    const unsigned char second[] = {2, 1, 0, 0, 0, 3, 0, 0, 0};
    put_number(&delta, find_bytes(&delta, first, sizeof(first)) + 5, 2, 4);
    put_number(&delta, find_bytes(&delta, second, sizeof(second)) + 5, 1, 4);
    seal(&delta);
    rejects(world[1], &delta,
            "sett_delta_apply: a change of the delta fails: sett_hierarchy_attach");
    CHECK_APPLY(world[1], whole.bytes, whole.size);
    CHECK_SAME(world[0], world[1]);
    CHECK_END(world[0]);
    CHECK_END(world[1]);
}

typedef struct lines {
    uint32_t count;
    char last[512];
} lines;

static void count_line(void* user, sett_log_level level, const char* message)
{
    lines* to = user;
    (void)level;
    to->count++;
    snprintf(to->last, sizeof(to->last), "%s", message);
}

/* Applies a selection that fails so, which is logged once, as the call that was made. */
static void part_fails(lines* logged, sett_world* world, const letter* part, const char* why)
{
    uint64_t hash = sett_world_hash(world);
    logged->count = 0;
    CHECK_EQ(sett_selection_apply(world, part->bytes, part->size, NULL), SETT_STATUS_INVALID);
    CHECK_MSG(strstr(sett_world_message(world), why) == sett_world_message(world), "%s",
              sett_world_message(world));
#if !defined(NDEBUG)
    CHECK_EQ(logged->count, 1);
    CHECK_STR_EQ(logged->last, sett_world_message(world));
#endif
    CHECK_EQ(sett_world_hash(world), hash);
}

static void write_part(letter* to, sett_world* world, const sett_selection* selection)
{
    CHECK_EQ(sett_selection_encode(world, selection, (sett_snapshot){0, 0}, to->bytes,
                                   sizeof(to->bytes), &to->size),
             SETT_OK);
}

static void selections_fail_as_the_call_of_the_program(void)
{
    static lines logged;
    static letter part;
    sett_world* from = quiet_world();
    sett_world* into =
        sett_world_create(&(sett_world_desc){.log_fn = count_line, .hook_user = &logged});
    sett_relationship_desc desc = {.name = "Follows", .acyclic = true};
    sett_component follows = sett_relationship_register(from, &desc);
    CHECK(follows != 0 && sett_relationship_register(into, &desc) == follows);
    sett_component score[2];
    for (uint32_t k = 0; k < 2; k++) {
        score[k] = sett_component_register(k == 0 ? from : into,
                                           &(sett_component_desc){.name = "Score", .size = 4});
    }
    sett_entity a = sett_entity_create(from);
    sett_entity b = sett_entity_create(from);
    CHECK_ENTITY_EQ(sett_entity_create(into), a);
    CHECK_ENTITY_EQ(sett_entity_create(into), b);
    CHECK(sett_relate(from, a, follows, b) != NULL && sett_relate(into, b, follows, a) != NULL);
    const sett_selection one = {.entities = &a, .entity_count = 1};
    write_part(&part, from, &one);
    part_fails(&logged, into, &part,
               "sett_selection_apply: \"Follows\" is acyclic, but with the links of the selection "
               "entity ");
    logged.count = 0;
    CHECK_EQ(sett_selection_copy(from, &one, 0, into), SETT_STATUS_INVALID);
    CHECK(strstr(sett_world_message(into), "sett_selection_copy: \"Follows\" is acyclic") ==
          sett_world_message(into));
    /* singletons of both */
    CHECK_EQ(sett_entity_set_range(from, 64, 0), SETT_OK);
    CHECK(sett_singleton_ensure(from, score[0]) != NULL);
    CHECK(sett_singleton_ensure(into, score[1]) != NULL);
    sett_entity holder = sett_singletons(from);
    write_part(&part, from, &(sett_selection){.entities = &holder, .entity_count = 1});
    part_fails(&logged, into, &part,
               "sett_selection_apply: entity 64:1 of the selection has the sender's singletons, ");
    /* the index of another entity */
    sett_entity other = {sett_singletons(into).index, 77};
    CHECK_EQ(sett_world_clear(from), SETT_OK);
    CHECK_EQ(sett_entity_create_handle(from, other), SETT_OK);
    write_part(&part, from, &(sett_selection){.entities = &other, .entity_count = 1});
    part_fails(&logged, into, &part, "sett_selection_apply: the selection has entity ");
    CHECK(strstr(sett_world_message(into), "of this world has the same index - destroy") != NULL);
    /* what only deltas have */
    CHECK(sett_add(from, other, score[0]) != NULL);
    write_part(&part, from, &(sett_selection){.entities = &other, .entity_count = 1});
    put_number(&part, counts_of(&part, "Score") + 8, 1, 4);
    seal(&part);
    CHECK_EQ(sett_world_clear(into), SETT_OK);
    part_fails(&logged, into, &part,
               "sett_selection_apply: the selection is damaged: \"Score\" has ");
    CHECK(strstr(sett_world_message(into), "has orders or targets, which only deltas have") !=
          NULL);
    CHECK_END(into);
    CHECK_END(from);
}

TEST_MAIN(TEST(heads_are_checked), TEST(handles_are_checked), TEST(values_are_checked),
          TEST(a_step_fails_as_the_call_of_the_program),
          TEST(selections_fail_as_the_call_of_the_program), TEST(a_type_is_listed_once),
          TEST(names_are_not_too_long), TEST(another_byte_order_is_rejected_by_name),
          TEST(gaps_are_for_types_that_keep_their_order), TEST(altered_changes_are_rejected))

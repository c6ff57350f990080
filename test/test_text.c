/* test_text.c: texts kept once, in pages that come back with the state. */
#include "check.h"
#include "scarce.h"

#include "relation/text.h"

static void expect_text(sett_world* world, setti_texts* texts, uint64_t key, const char* text)
{
    CHECK_STR_EQ(setti_text_of(world, texts, key), text);
    CHECK_EQ(setti_text_find(world, texts, text, strlen(text)), key);
    CHECK_STR_EQ(setti_text_validate(world, texts), NULL);
}

static void keeps_each_once(void)
{
    sett_world* world = sett_world_create(NULL);
    setti_texts texts = {0};
    setti_text_init(world, &texts);
    CHECK_EQ(setti_text_find(world, &texts, "a", 1), 0);
    CHECK(setti_text_of(world, &texts, 0) == NULL && setti_text_of(world, &texts, 5) == NULL);
    uint64_t a = setti_text_add(world, &texts, "a", 1);
    uint64_t ab = setti_text_add(world, &texts, "ab", 2);
    CHECK(a != 0 && ab != 0 && a != ab);
    CHECK_EQ(a, setti_hash_bytes("a", 1)); /* the same in every world */
    CHECK_EQ(setti_text_add(world, &texts, "ab??", 2), ab);
    expect_text(world, &texts, a, "a");
    expect_text(world, &texts, ab, "ab");
    sett_world_destroy(world);
}

static void fills_pages_with_all_lengths(void)
{
    enum {
        COUNT = 3000
    };
    static uint64_t key[COUNT];
    static char text[SETTI_TEXT_MAX + 1];
    sett_world* world = sett_world_create(NULL);
    setti_texts texts = {0};
    setti_text_init(world, &texts);
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t k = 0; k < COUNT; k++) {
            uint32_t length = 4 + k % (SETTI_TEXT_MAX - 3);
            memset(text, 'a' + (int)(k % 26), length);
            snprintf(text, 5, "%04u", k);
            text[4] = 'x';
            text[length] = '\0';
            uint64_t found = setti_text_add(world, &texts, text, length);
            CHECK(found != 0 && (round == 0 || found == key[k]));
            key[k] = found;
        }
        expect_text(world, &texts, key[COUNT - 1], text);
        uint32_t used = texts.used;
        world->epoch++; /* the table is made anew, and finds the same */
        CHECK_STR_EQ(setti_text_of(world, &texts, key[COUNT - 1]), text);
        CHECK_EQ(texts.used, used);
        CHECK_EQ(texts.where.count, COUNT);
    }
    sett_world_destroy(world);
}

/* That two texts hash alike cannot be had by waiting: one is put where the other would be. */
static void distinguishes_texts_that_hash_alike(void)
{
    sett_world* world = sett_world_create(NULL);
    setti_texts texts = {0};
    setti_text_init(world, &texts);
    uint64_t a = setti_text_add(world, &texts, "a", 1);
    uint64_t b = setti_hash_bytes("b", 1);
    uint32_t place = setti_hash_map_find(&texts.where, a);
    CHECK(setti_hash_map_set(&world->pool, &texts.where, b, place));
    CHECK_EQ(setti_text_find(world, &texts, "b", 1), 0);
    CHECK_EQ(setti_text_add(world, &texts, "b", 1), b + 1);
    CHECK_EQ(setti_text_find(world, &texts, "b", 1), b + 1);
    CHECK_STR_EQ(setti_text_of(world, &texts, b + 1), "b");
    CHECK(setti_text_validate(world, &texts) != NULL); /* and that is seen */
    sett_world_destroy(world);
}

static void does_without_memory(void)
{
    static scarce_memory memory;
    sett_world* world = scarce_world(&memory);
    setti_texts texts = {0};
    setti_text_init(world, &texts);
    uint64_t key[100];
    char text[8];
    for (uint32_t k = 0; k < 100; k++) {
        snprintf(text, sizeof(text), "t%u", k);
        key[k] = setti_text_add(world, &texts, text, strlen(text));
    }
    world->epoch++;
    scarce_squeeze(&world->pool, &memory, 0);
    memory.strict = true;
    CHECK_EQ(setti_text_find(world, &texts, "t100", 4), 0);
    CHECK_EQ(setti_text_add(world, &texts, "t5", 2), 0);
    for (uint32_t k = 0; k < 100; k++) {
        snprintf(text, sizeof(text), "t%u", k);
        CHECK_EQ(setti_text_find(world, &texts, text, strlen(text)), key[k]);
        CHECK_STR_EQ(setti_text_of(world, &texts, key[k]), text);
    }
    CHECK(texts.epoch != world->epoch);
    scarce_give_back(&world->pool, &memory);
    expect_text(world, &texts, key[7], "t7");
    CHECK_EQ(texts.epoch, world->epoch);
    scarce_end(&memory, world);
}

typedef struct user {
    uint64_t key;
} user;

static uint32_t pages_of(const setti_texts* texts)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < texts->pages.count; k++) {
        count += texts->pages.data[k] != NULL;
    }
    return count;
}

static uint64_t add_text(sett_world* world, setti_texts* texts, char* out, uint32_t number)
{
    uint32_t length = 1 + number * 7919 % 60;
    memset(out, '.', 80);
    int digits = snprintf(out, 80, "%u", (unsigned)number);
    out[digits] = '.';
    out[digits + (int)length] = '\0';
    uint64_t key = setti_text_add(world, texts, out, strlen(out));
    CHECK(key != 0);
    return key;
}

/* A thousand users, each of which takes another text again and again. */
static void gives_the_room_of_garbage_to_others(void)
{
    enum {
        USERS = 1000
    };
    static sett_entity e[USERS];
    static char text[USERS][80];
    static const char* address[USERS];
    sett_world* world = sett_world_create(NULL);
    setti_texts texts = {0};
    setti_text_init(world, &texts);
    sett_component id =
        sett_component_register(world, &(sett_component_desc){.name = "user", .size = 8});
    texts.users = setti_world_type(world, id);
    for (uint32_t k = 0; k < USERS; k++) {
        e[k] = sett_entity_create(world);
        user value = {add_text(world, &texts, text[k], k)};
        CHECK(sett_set(world, e[k], id, &value) != NULL);
    }
    uint32_t few = pages_of(&texts);
    for (uint32_t n = USERS; n < 100 * USERS; n++) {
        uint32_t k = n * 7 % (USERS / 2); /* half of them keep what they have */
        user value = {add_text(world, &texts, text[k], n)};
        CHECK(sett_set(world, e[k], id, &value) != NULL);
        CHECK(pages_of(&texts) <= 3 * few);
        if (n % 20011 == 0) {
            world->epoch++; /* the tables are made anew */
        }
        if (n % 9973 == 0) {
            CHECK_STR_EQ(setti_text_validate(world, &texts), NULL);
        }
    }
    for (uint32_t k = 0; k < USERS; k++) {
        uint64_t key = ((const user*)sett_get(world, e[k], id))->key;
        address[k] = setti_text_of(world, &texts, key);
        expect_text(world, &texts, key, text[k]);
    }
    setti_text_sweep(world, &texts);
    for (uint32_t k = 0; k < USERS; k++) { /* what is used stays where it is */
        CHECK_PTR_EQ(setti_text_of(world, &texts, ((const user*)sett_get(world, e[k], id))->key),
                     address[k]);
    }
    CHECK_STR_EQ(setti_text_validate(world, &texts), NULL);
    CHECK_EQ(texts.where.count, USERS);
    texts.hold++;
    CHECK_EQ(sett_world_clear(world), SETT_OK);
    setti_text_sweep(world, &texts);
    CHECK_EQ(texts.where.count, USERS);
    texts.hold--;
    setti_text_sweep(world, &texts);
    CHECK_EQ(texts.where.count, 0);
    CHECK_EQ(texts.used, 0);
    CHECK_EQ(pages_of(&texts), 0);
    sett_world_destroy(world);
}

TEST_MAIN(TEST(gives_the_room_of_garbage_to_others), TEST(keeps_each_once),
          TEST(fills_pages_with_all_lengths), TEST(distinguishes_texts_that_hash_alike),
          TEST(does_without_memory))

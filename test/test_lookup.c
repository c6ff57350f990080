/* test_lookup.c: entities by the value of a member, against a look at all of them. */
#include "lookups.h"
#include "timing.h"

#include "base/hash_map.h"

typedef struct Item {
    uint64_t key;
    sett_entity owner;
    float weight;
    int16_t cell;
} Item;

typedef struct items {
    sett_world* world;
    sett_component item;
    sett_lookup* by_key;
    sett_lookup* by_owner;
    sett_lookup* by_weight;
    sett_lookup* by_cell;
} items;

static void items_begin(items* s, sett_world* world, sett_storage_kind storage)
{
    s->world = world;
    s->item = SETT_REGISTER_WITH(world, Item, .storage = storage);
    sett_component Item_id = s->item;
    CHECK_EQ(SETT_MEMBERS(world, Item, key, owner, weight, cell), SETT_OK);
    s->by_key = sett_lookup_create(world, s->item, "key");
    s->by_owner = sett_lookup_create(world, s->item, "owner");
    s->by_weight = sett_lookup_create(world, s->item, "weight");
    s->by_cell = sett_lookup_create(world, s->item, "cell");
    CHECK(s->by_key != NULL && s->by_owner != NULL && s->by_weight != NULL && s->by_cell != NULL);
}

typedef bool (*items_equal_fn)(const Item* item, const Item* wanted);

static bool same_key(const Item* item, const Item* wanted)
{
    return item->key == wanted->key;
}

static bool same_owner(const Item* item, const Item* wanted)
{
    return sett_equals(item->owner, wanted->owner);
}

static bool same_weight(const Item* item, const Item* wanted)
{
    return !(item->weight < wanted->weight) && !(item->weight > wanted->weight);
}

static bool same_cell(const Item* item, const Item* wanted)
{
    return item->cell == wanted->cell;
}

/* The look-up finds what a look at all entities finds. */
static void items_compare(const items* s, sett_lookup* lookup, const void* value,
                          items_equal_fn equal, const Item* wanted)
{
    sett_entity found[2000];
    uint32_t count = sett_lookup_find(lookup, value, found, 2000);
    uint32_t expected = 0;
    CHECK(count <= 2000);
    CHECK_EQ(sett_lookup_find(lookup, value, NULL, 0), count);
    uint32_t index = 0;
    for (sett_entity e = sett_entity_next(s->world, &index); !sett_is_null(e);
         e = sett_entity_next(s->world, &index)) {
        const Item* item = sett_find(s->world, e, s->item);
        if (item != NULL && equal(item, wanted)) {
            CHECK(expected < count);
            CHECK_ENTITY_EQ(found[expected], e);
            expected++;
        }
    }
    CHECK_EQ(count, expected);
}

static void items_compare_all(const items* s, const Item* wanted)
{
    items_compare(s, s->by_key, &wanted->key, same_key, wanted);
    items_compare(s, s->by_owner, &wanted->owner, same_owner, wanted);
    items_compare(s, s->by_weight, &wanted->weight, same_weight, wanted);
    items_compare(s, s->by_cell, &wanted->cell, same_cell, wanted);
}

static Item random_item(const sett_world* world)
{
    static const float weights[] = {0.0f, -0.0f, 1.5f, -2.0f};
    Item item = {0};
    item.key = draw(50) * 0x100000001u;
    item.owner = draw(4) == 0 ? sett_null() : entity_from(world, draw(100));
    item.weight = weights[draw(4)];
    item.cell = (int16_t)(draw(40) - 20);
    return item;
}

static int by_key(const void* a, const void* b, void* user)
{
    (void)user;
    uint64_t x = ((const Item*)a)->key;
    uint64_t y = ((const Item*)b)->key;
    return x < y ? -1 : x > y;
}

static void set_random_item(sett_world* world, sett_entity e, sett_component component)
{
    Item item = random_item(world);
    CHECK(sett_set(world, e, component, &item) != NULL);
}

/* Searches that look-ups serve have the results of searches that none serves, in their order. */
static void searches_agree(const items* s, const Item* wanted)
{
    char text[2][200];
    uint64_t hash[2];
    uint32_t count[2];
    for (int kind = 0; kind < 3; kind++) {
        const char* member = kind == 0 ? "cell" : kind == 1 ? "weight" : "key";
        char value[40];
        if (kind == 1) {
            (void)snprintf(value, sizeof(value), "%.2f", (double)wanted->weight);
        } else {
            (void)snprintf(value, sizeof(value), "%lld",
                           kind == 0 ? (long long)wanted->cell : (long long)wanted->key);
        }
        (void)snprintf(text[0], sizeof(text[0]), "Item, Item.%s == %s", member, value);
        (void)snprintf(text[1], sizeof(text[1]), "Item, Item.%s >= %s, Item.%s <= %s", member,
                       value, member, value);
        for (int k = 0; k < 2; k++) {
            count[k] = results_of(s->world, text[k], &hash[k]);
        }
        CHECK_EQ(count[0], count[1]);
        CHECK_EQ(hash[0], hash[1]);
    }
}

static void look_ups_find_what_a_look_at_all_finds(void)
{
    uint64_t seed = check_setting("SETT_SEED", 1);
    uint64_t operations = check_setting("SETT_OPERATIONS", CHECK_ROUNDS(40000));
    state = seed;
    items s;
    items_begin(&s, quiet_world(), SETT_STORAGE_DEFAULT);
    lookup_changes c = {.sort = {.component = s.item, .compare = by_key}, .set = set_random_item};
    for (uint64_t k = 0; k < operations; k++) {
        change_something(&c, s.world);
        if (draw(16) == 0) {
            Item wanted = random_item(s.world);
            if (draw(2) == 0) { /* each of them brings the look-ups up to date */
                searches_agree(&s, &wanted);
            }
            items_compare_all(&s, &wanted);
        }
    }
    CHECK_EQ(sett_lookup_destroy(s.by_owner), SETT_OK);
    CHECK_END(s.world);
}

/* What is written while the search is open counts, as without a look-up. */
static void searches_see_writes_of_their_own_loops(void)
{
    items s;
    items_begin(&s, quiet_world(), SETT_STORAGE_ARRAY);
    static sett_entity all[20000];
    for (uint32_t k = 0; k < 20000; k++) {
        Item item = {.cell = (int16_t)(k % 40)};
        all[k] = sett_entity_create(s.world);
        CHECK(sett_set(s.world, all[k], s.item, &item) != NULL);
    }
    sett_search* search = sett_search_create(s.world, "Item, Item.cell == 3");
    for (int writes = 0; writes < 2; writes++) {
        uint32_t count = 0;
        bool last = false;
        bool other = false;
        SETT_SEARCH(search, rows, i)
        {
            sett_entity e = sett_rows_entity(rows, 0, i);
            if (writes != 0 && count == 0) {
                ((Item*)sett_get_mut(s.world, all[19990], s.item))->cell = 3;
                ((Item*)sett_get_mut(s.world, all[19963], s.item))->cell = 4; /* was 3 */
            }
            CHECK_EQ(sett_lookup_destroy(s.by_cell), SETT_STATUS_LOCKED); /* the search reads it */
            last = last || e.index == all[19990].index;
            other = other || e.index == all[19963].index;
            count++;
        }
        CHECK_EQ(count, 500);
        CHECK_EQ(last, writes != 0);
        CHECK_EQ(other, writes == 0);
    }
    sett_search_destroy(search);
    CHECK_END(s.world);
}

static void copies_of_worlds_are_read_again(void)
{
    items a;
    items b;
    items_begin(&a, quiet_world(), SETT_STORAGE_DEFAULT);
    items_begin(&b, quiet_world(), SETT_STORAGE_DEFAULT);
    for (uint32_t k = 0; k < 300; k++) {
        Item item = {.key = k % 7};
        CHECK(sett_set(a.world, sett_entity_create(a.world), a.item, &item) != NULL);
        item.key = 3;
        CHECK(sett_set(b.world, sett_entity_create(b.world), b.item, &item) != NULL);
    }
    Item wanted = {.key = 3};
    items_compare_all(&a, &wanted);
    items_compare_all(&b, &wanted);
    CHECK_EQ(sett_world_clone(a.world, b.world), SETT_OK);
    items_compare_all(&b, &wanted);
    CHECK_END(a.world);
    CHECK_END(b.world);
}

/* Many keys, in which the bits that differ are the lowest, the highest, or all the same but few. */
static void keys_that_are_alike_are_told_apart(void)
{
    items s;
    items_begin(&s, quiet_world(), SETT_STORAGE_DEFAULT);
    for (uint32_t k = 0; k < 20000; k++) {
        Item item = {.key = k < 10000 ? (uint64_t)k << 50 : k, .cell = 7};
        CHECK(sett_set(s.world, sett_entity_create(s.world), s.item, &item) != NULL);
    }
    for (uint64_t k = 1; k < 10000; k += 7) {
        uint64_t key = k << 50;
        sett_entity found;
        CHECK_EQ(sett_lookup_find(s.by_key, &key, &found, 1), 1 + (k % 16384 == 0));
        key = k + 10000;
        CHECK_EQ(sett_lookup_find(s.by_key, &key, &found, 1), 1);
    }
    int16_t cell = 7;
    sett_entity none = {9, 9};
    CHECK_EQ(sett_lookup_find(s.by_cell, &cell, &none, 1), 20000);
    CHECK_EQ(none.index, 9); /* no room for all: none is written */
    CHECK_END(s.world);
}

/* Keys that a hash table at an address has in one slot, as one who knew it could choose them. */
static uint64_t colliding_key(const void* address, uint32_t k)
{
    uint64_t first = 0x9E3779B97F4A7C15u;
    uint64_t second = 0xD6E8FEB86659FD93u;
    uint64_t inverse[2] = {first, second};
    for (int n = 0; n < 6; n++) { /* Newton's method */
        inverse[0] *= 2 - first * inverse[0];
        inverse[1] *= 2 - second * inverse[1];
    }
    uint64_t hash = (uint64_t)(k + 1) * inverse[1];
    hash ^= hash >> 32;
    return (hash * inverse[0]) ^ (uint64_t)(uintptr_t)address;
}

/* They collide in the one look-up whose address it is, and are spread in all others; an ordered
 * look-up has no hash. */
static void keys_that_collide_do_so_in_one_look_up_only(void)
{
    enum {
        ALL = 6000
    };
    double ms[3]; /* to bring up to date: at that address, another one, ordered */
    items s;
    items_begin(&s, quiet_world(), SETT_STORAGE_DEFAULT);
    sett_lookup* lookup[3] = {s.by_key, sett_lookup_create(s.world, s.item, "key"),
                              sett_lookup_create_ordered(s.world, s.item, "key")};
    for (uint32_t k = 0; k < ALL; k++) {
        Item item = {.key = colliding_key(s.by_key, k)};
        CHECK(sett_set(s.world, sett_entity_create(s.world), s.item, &item) != NULL);
        CHECK_EQ(setti_hash_home(item.key, 0, s.by_key), 0);
    }
    for (int way = 0; way < 3; way++) {
        uint64_t key = colliding_key(s.by_key, 0);
        sett_entity found;
        double began = timing_ms();
        CHECK_EQ(sett_lookup_find(lookup[way], &key, &found, 1), 1);
        ms[way] = timing_ms() - began;
        for (uint32_t k = 0; k < ALL; k += 7) {
            key = colliding_key(s.by_key, k);
            CHECK_EQ(sett_lookup_find(lookup[way], &key, &found, 1), 1);
            CHECK_EQ(found.index, k);
        }
    }
    CHECK_MSG(ms[1] < ms[0] / 4 && ms[2] < ms[0] / 4, "%.2f, %.2f, %.2f ms", ms[0], ms[1], ms[2]);
    CHECK_END(s.world);
}

typedef struct placed_at {
    float at[2];
} placed_at;

static void what_cannot_be_looked_up_is_rejected(void)
{
    items s;
    items_begin(&s, quiet_world(), SETT_STORAGE_DEFAULT);
    CHECK(sett_lookup_create(s.world, s.item, "none") == NULL);
    CHECK_EQ(sett_world_error(s.world), SETT_STATUS_ARGUMENT);
    CHECK(strstr(sett_world_message(s.world), "\"Item\" has no member \"none\" - pass one") !=
          NULL);
    sett_component placed = sett_component_register(
        s.world, &(sett_component_desc){.name = "Placed",
                                        .size = sizeof(placed_at),
                                        .members = SETT_STRUCT(placed_at, at)});
    CHECK(sett_lookup_create(s.world, placed, "att") == NULL);
    CHECK(strstr(sett_world_message(s.world), "no member \"att\" - did you mean \"at\"?") != NULL);
    CHECK(sett_lookup_create(s.world, placed, "at") == NULL);
    CHECK(strstr(sett_world_message(s.world), "is not a single number, bool or handle - pass a "
                                              "member or element of it that is") != NULL);
    CHECK(sett_lookup_create(s.world, 900, "key") == NULL);
    CHECK_EQ(sett_world_error(s.world), SETT_STATUS_UNREGISTERED);
    CHECK_EQ(sett_component_unregister(s.world, s.item), SETT_STATUS_CONFLICT);
    CHECK_EQ(sett_lookup_destroy(s.by_key), SETT_OK);
    CHECK_EQ(sett_lookup_destroy(NULL), SETT_OK);
    CHECK_END(s.world);
}

static Item numbered_item(const sett_world* world, uint32_t k)
{
    Item item = {.key = k % 11, .weight = (float)(k % 5), .cell = (int16_t)(k % 41)};
    item.owner = entity_from(world, k % 50);
    return item;
}

/* For several values of each member. */
static void items_compare_some(const items* s)
{
    for (uint32_t k = 0; k < 44; k += 4) {
        Item wanted = numbered_item(s->world, k);
        items_compare_all(s, &wanted);
    }
}

static uint32_t pages_of(const items* s)
{
    const setti_pages* rows = &setti_world_type(s->world, s->item)->storage.rows;
    uint32_t count = 0;
    for (uint32_t k = 0; k < rows->count; k++) {
        count += rows->data[k] != NULL;
    }
    return count;
}

/* Pages of values go when the last value in them ends, and come back with the values. */
static void pages_may_vanish_and_come_back(void)
{
    enum {
        COUNT = 5000
    };
    const sett_storage_kind kinds[] = {SETT_STORAGE_ARRAY, SETT_STORAGE_SPARSE_SET};
    for (uint32_t kind = 0; kind < 2; kind++) {
        items s;
        items_begin(&s, quiet_world(), kinds[kind]);
        sett_entity e[COUNT];
        CHECK_EQ(sett_entity_create_many(s.world, COUNT, NULL, 0, NULL, e), SETT_OK);
        for (uint32_t k = 0; k < COUNT; k++) {
            Item item = numbered_item(s.world, k);
            CHECK(sett_set(s.world, e[k], s.item, &item) != NULL);
        }
        items_compare_some(&s);
        uint32_t all = pages_of(&s);
        sett_snapshot full;
        CHECK_EQ(sett_snapshot_take(s.world, &full), SETT_OK);
        for (uint32_t k = 1000; k < 4000; k++) {
            CHECK_EQ(sett_remove(s.world, e[k], s.item), SETT_OK);
        }
        CHECK_EQ(sett_world_trim(s.world), SETT_OK);
        CHECK(pages_of(&s) < all);
        items_compare_some(&s);
        for (uint32_t k = 2000; k < 3000; k++) { /* other values where there were some */
            Item item = numbered_item(s.world, k + 1);
            CHECK(sett_set(s.world, e[k], s.item, &item) != NULL);
        }
        items_compare_some(&s);
        sett_snapshot other;
        CHECK_EQ(sett_snapshot_take(s.world, &other), SETT_OK);
        for (uint32_t k = 0; k < COUNT; k++) {
            if (sett_has(s.world, e[k], s.item)) {
                CHECK_EQ(sett_remove(s.world, e[k], s.item), SETT_OK);
            }
        }
        CHECK_EQ(sett_world_trim(s.world), SETT_OK);
        items_compare_some(&s);
        const sett_snapshot path[] = {full, other, full, other};
        for (uint32_t k = 0; k < 4; k++) {
            CHECK_EQ(sett_snapshot_restore(s.world, path[k]), SETT_OK);
            items_compare_some(&s);
        }
        CHECK_END(s.world);
    }
}

static bool look_up(void* user)
{
    items* s = user;
    uint64_t key = 3;
    sett_entity found[500];
    uint32_t count = sett_lookup_find(s->by_key, &key, found, 500);
    CHECK(count == 0 || count == 300);
    return count != 0;
}

static void look_ups_without_memory_go_on_later(void)
{
    static scarce_memory memory;
    items s;
    items_begin(&s, scarce_world(&memory), SETT_STORAGE_DEFAULT);
    for (uint32_t k = 0; k < 2100; k++) {
        Item item = {.key = k % 7};
        CHECK(sett_set(s.world, sett_entity_create(s.world), s.item, &item) != NULL);
    }
    scarce_run(s.world, &memory, look_up, NULL, &s);
    CHECK(memory.failures != 0);
    scarce_end(&memory, s.world);
}

TEST_MAIN(TEST(look_ups_find_what_a_look_at_all_finds), TEST(copies_of_worlds_are_read_again),
          TEST(searches_see_writes_of_their_own_loops), TEST(keys_that_are_alike_are_told_apart),
          TEST(keys_that_collide_do_so_in_one_look_up_only),
          TEST(what_cannot_be_looked_up_is_rejected), TEST(pages_may_vanish_and_come_back),
          TEST(look_ups_without_memory_go_on_later))

/* test_lookup_range.c: entities by a range of values, against a look at all of them. */
#include "lookups.h"

#include <math.h>

typedef struct Unit {
    double wealth;
    uint64_t key;
    int64_t debt;
    float points;
    int32_t height;
    uint16_t cell;
    int8_t mood;
    bool is_alive;
} Unit;

/* Below 0: a is below b; 2: one of them is no number. */
#define ORDER_BY(member)                                                                           \
    static int order_##member(const Unit* a, const Unit* b)                                        \
    {                                                                                              \
        return a->member < b->member ? -1 : a->member > b->member ? 1 : 0;                         \
    }
#define ORDER_BY_FLOAT(member)                                                                     \
    static int order_##member(const Unit* a, const Unit* b)                                        \
    {                                                                                              \
        if (isnan(a->member) || isnan(b->member)) {                                                \
            return 2;                                                                              \
        }                                                                                          \
        return a->member < b->member ? -1 : a->member > b->member ? 1 : 0;                         \
    }
ORDER_BY_FLOAT(wealth)
ORDER_BY_FLOAT(points)
ORDER_BY(key)
ORDER_BY(debt)
ORDER_BY(height)
ORDER_BY(cell)
ORDER_BY(mood)
ORDER_BY(is_alive)

typedef struct unit_member {
    const char* name;
    size_t offset;
    int (*order)(const Unit* a, const Unit* b);
} unit_member;

#define MEMBER_ROW(member)                                                                         \
    {                                                                                              \
#member, offsetof(Unit, member), order_##member                                            \
    }
static const unit_member members[] = {MEMBER_ROW(wealth), MEMBER_ROW(points),  MEMBER_ROW(key),
                                      MEMBER_ROW(debt),   MEMBER_ROW(height),  MEMBER_ROW(cell),
                                      MEMBER_ROW(mood),   MEMBER_ROW(is_alive)};
enum {
    MEMBERS = sizeof(members) / sizeof(members[0]),
    MOST = 1500
};

typedef struct units {
    sett_world* world;
    sett_component unit;
    sett_lookup* by[MEMBERS];
} units;

static void units_begin(units* s, sett_world* world, bool looks_up)
{
    s->world = world;
    sett_component Unit_id = SETT_REGISTER(world, Unit);
    s->unit = Unit_id;
    CHECK_EQ(SETT_MEMBERS(world, Unit, wealth, points, key, debt, height, cell, mood, is_alive),
             SETT_OK);
    for (uint32_t k = 0; k < MEMBERS && looks_up; k++) {
        s->by[k] = sett_lookup_create_ordered(world, s->unit, members[k].name);
        CHECK(s->by[k] != NULL);
    }
}

static double random_float(void)
{
    static const double rare[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, -1.5, 1e30, -1e-30};
    return draw(3) == 0 ? rare[draw(8)] : (double)draw(2001) / 4 - 250;
}

/* Small numbers, and those at the ends. */
static int64_t random_integer(int64_t low, int64_t high)
{
    int64_t small = (int64_t)draw(100) - (low < 0 ? 50 : 0);
    return draw(8) != 0 ? small : draw(2) == 0 ? low + draw(3) : high - draw(3);
}

static Unit random_unit(void)
{
    Unit unit = {0};
    unit.wealth = random_float();
    unit.points = (float)random_float();
    unit.key = draw(8) == 0 ? UINT64_MAX - draw(3) : draw(1000);
    unit.debt = random_integer(INT64_MIN, INT64_MAX);
    unit.height = (int32_t)random_integer(INT32_MIN, INT32_MAX);
    unit.cell = (uint16_t)random_integer(0, UINT16_MAX);
    unit.mood = (int8_t)random_integer(INT8_MIN, INT8_MAX);
    unit.is_alive = draw(2) == 0;
    return unit;
}

typedef struct one_unit {
    sett_entity entity;
    Unit unit;
} one_unit;

static bool is_between(const unit_member* by, const Unit* unit, const Unit* from, const Unit* to)
{
    return by->order(unit, unit) != 2 && (from == NULL || by->order(from, unit) <= 0) &&
           (to == NULL || by->order(unit, to) <= 0);
}

/* Lists the units from one to another, by value and then by index. */
static uint32_t units_list(const units* s, const unit_member* by, const Unit* from, const Unit* to,
                           one_unit* out)
{
    uint32_t count = 0;
    uint32_t index = 0;
    for (sett_entity e = sett_entity_next(s->world, &index); !sett_is_null(e);
         e = sett_entity_next(s->world, &index)) {
        const Unit* unit = sett_find(s->world, e, s->unit);
        if (unit == NULL || !is_between(by, unit, from, to)) {
            continue;
        }
        CHECK(count < MOST);
        uint32_t at = count++;
        for (; at != 0 && by->order(&out[at - 1].unit, unit) > 0; at--) {
            out[at] = out[at - 1];
        }
        out[at] = (one_unit){e, *unit};
    }
    return count;
}

static void units_compare(const units* s, uint32_t member, const Unit* from, const Unit* to)
{
    static one_unit expected[MOST];
    sett_entity found[MOST];
    const unit_member* by = &members[member];
    const void* low = from != NULL ? (const char*)from + by->offset : NULL;
    const void* high = to != NULL ? (const char*)to + by->offset : NULL;
    uint32_t count = units_list(s, by, from, to, expected);
    if ((from != NULL && by->order(from, from) == 2) || (to != NULL && by->order(to, to) == 2)) {
        count = 0;
    }
    uint32_t first = draw(3) == 0 ? draw(count + 2) : 0;
    uint32_t room = draw(3) == 0 ? draw(count + 2) : MOST;
    uint32_t given = first < count ? (count - first < room ? count - first : room) : 0;
    found[given < MOST ? given : 0] = sett_null();
    CHECK_EQ(sett_lookup_range(s->by[member], low, high, first, found, room), count);
    for (uint32_t k = 0; k < given; k++) {
        CHECK_ENTITY_EQ(found[k], expected[first + k].entity);
    }
    CHECK(given == 0 || given == MOST || sett_is_null(found[given])); /* no more than asked for */
    CHECK_EQ(sett_lookup_range(s->by[member], low, high, first, NULL, 0), count);
}

/* The order answers for equal values too. */
static void units_compare_equal(const units* s, uint32_t member, const Unit* wanted)
{
    static one_unit expected[MOST];
    sett_entity found[MOST];
    const unit_member* by = &members[member];
    if (by->order(wanted, wanted) == 2) {
        return;
    }
    uint32_t count = units_list(s, by, wanted, wanted, expected);
    const void* value = (const char*)wanted + by->offset;
    CHECK_EQ(sett_lookup_find(s->by[member], value, found, MOST), count);
    for (uint32_t k = 0; k < count; k++) {
        CHECK_ENTITY_EQ(found[k], expected[k].entity);
    }
}

static void write_condition(char* out, size_t size)
{
    static const char* const signs[] = {"<", "<=", ">", ">=", "=="};
    static const char* const ends[] = {"-128", "127",   "65535", "-2147483648", "2147483647",
                                       "300",  "-1000", "0",     "16777217",    "-129"};
    const char* name = members[draw(MEMBERS - 1)].name;
    const char* sign = signs[draw(5)];
    switch (draw(3)) {
    case 0:
        (void)snprintf(out, size, "Unit.%s %s %d", name, sign, (int)draw(120) - 60);
        break;
    case 1:
        (void)snprintf(out, size, "Unit.%s %s %.2f", name, sign, (double)draw(2001) / 4 - 250);
        break;
    default:
        (void)snprintf(out, size, "Unit.%s %s %s", name, sign, ends[draw(10)]);
    }
}

/* Searches that look-ups serve have the results of those in a world without look-ups. */
static void searches_agree(const units* s, const units* plain)
{
    CHECK_EQ(sett_world_clone(s->world, plain->world), SETT_OK);
    for (uint32_t round = 0; round < 6; round++) {
        char text[200];
        char condition[2][80];
        uint64_t hash[2];
        write_condition(condition[0], sizeof(condition[0]));
        write_condition(condition[1], sizeof(condition[1]));
        (void)snprintf(text, sizeof(text), draw(3) == 0 ? "Unit, %s, %s" : "Unit, %s", condition[0],
                       condition[1]);
        uint32_t count = results_of(s->world, text, &hash[0]);
        CHECK_MSG(count == results_of(plain->world, text, &hash[1]), "%s", text);
        CHECK_MSG(hash[0] == hash[1], "%s", text);
    }
}

static int by_key(const void* a, const void* b, void* user)
{
    (void)user;
    return order_key(a, b);
}

static void set_random_unit(sett_world* world, sett_entity e, sett_component component)
{
    Unit unit = random_unit();
    CHECK(sett_set(world, e, component, &unit) != NULL);
}

static void ranges_are_what_a_look_at_all_finds(void)
{
    state = check_setting("SETT_SEED", 1);
    uint64_t operations = check_setting("SETT_OPERATIONS", CHECK_ROUNDS(40000));
    units s;
    units plain;
    units_begin(&s, quiet_world(), true);
    units_begin(&plain, quiet_world(), false);
    lookup_changes c = {.sort = {.component = s.unit, .compare = by_key}, .set = set_random_unit};
    for (uint64_t k = 0; k < operations; k++) {
        change_something(&c, s.world);
        if (draw(16) == 0) {
            Unit from = random_unit();
            Unit to = random_unit();
            if (draw(4) == 0) { /* each of them brings the look-ups up to date */
                searches_agree(&s, &plain);
            }
            uint32_t member = draw(MEMBERS);
            units_compare(&s, member, draw(4) != 0 ? &from : NULL, draw(4) != 0 ? &to : NULL);
            units_compare_equal(&s, draw(MEMBERS), &from);
        }
    }
    CHECK_END(s.world);
    CHECK_END(plain.world);
}

/* Values written one by one, all at once, and taken away, in chunks that split and join. */
static void many_values_stay_in_order(void)
{
    enum {
        COUNT = 20000
    };
    static sett_entity e[COUNT];
    static sett_entity found[COUNT];
    units s;
    units_begin(&s, quiet_world(), true);
    state = 7;
    for (uint32_t k = 0; k < COUNT; k++) {
        e[k] = sett_entity_create(s.world);
        set_random_unit(s.world, e[k], s.unit);
    }
    uint32_t present = COUNT;
    for (uint32_t round = 0; round < 60; round++) {
        uint32_t changes = round % 10 == 9 ? COUNT : 500; /* of key, up or down */
        for (uint32_t k = 0; k < changes; k++) {
            Unit* unit = sett_find_mut(s.world, e[draw(COUNT)], s.unit);
            if (unit != NULL) {
                unit->key = draw(8) == 0 ? draw(20) : draw(100000);
            }
        }
        for (uint32_t k = 0; round > 40 && k < 800; k++) {
            sett_entity one = e[draw(COUNT)];
            if (sett_has(s.world, one, s.unit)) {
                CHECK_EQ(sett_remove(s.world, one, s.unit), SETT_OK);
                present--;
            }
        }
        sett_lookup* lookup = s.by[2];
        CHECK_EQ(sett_lookup_range(lookup, NULL, NULL, 0, found, COUNT), present);
        for (uint32_t k = 1; k < present; k++) {
            const Unit* a = sett_get(s.world, found[k - 1], s.unit);
            const Unit* b = sett_get(s.world, found[k], s.unit);
            CHECK(a->key < b->key || (a->key == b->key && found[k - 1].index < found[k].index));
        }
        sett_entity largest[10];
        CHECK_EQ(sett_lookup_range(lookup, NULL, NULL, present - 10, largest, 10), present);
        for (uint32_t k = 0; k < 10; k++) {
            CHECK_ENTITY_EQ(largest[k], found[present - 10 + k]);
        }
    }
    CHECK_END(s.world);
}

static void what_has_no_order_is_rejected(void)
{
    typedef struct Owned {
        sett_entity owner;
        uint32_t price;
    } Owned;
    sett_world* world = quiet_world();
    sett_component Owned_id = SETT_REGISTER(world, Owned);
    CHECK_EQ(SETT_MEMBERS(world, Owned, owner, price), SETT_OK);
    CHECK(sett_lookup_create_ordered(world, Owned_id, "owner") == NULL);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_ARGUMENT);
    CHECK(strstr(sett_world_message(world), "is a handle, which has no order") != NULL);
    CHECK(sett_lookup_create_ordered(world, Owned_id, "none") == NULL);
    CHECK(sett_lookup_create_ordered(world, Owned_id, NULL) == NULL);
    CHECK_EQ(sett_lookup_range(NULL, NULL, NULL, 0, NULL, 0), 0);
    sett_lookup* plain = sett_lookup_create(world, Owned_id, "price");
    CHECK_EQ(sett_lookup_range(plain, NULL, NULL, 0, NULL, 0), 0);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_ARGUMENT);
    CHECK(strstr(sett_world_message(world), "sett_lookup_create_ordered") != NULL);
    sett_lookup* ordered = sett_lookup_create_ordered(world, Owned_id, "price");
    CHECK_EQ(sett_lookup_range(ordered, NULL, NULL, 0, NULL, 0), 0); /* of none */
    sett_query* query = SETT_QUERY_CREATE(world, SETT_IN(Owned));
    CHECK(sett_set(world, sett_entity_create(world), Owned_id, &(Owned){.price = 1}) != NULL);
    SETT_FOR(query, b, i) {
        CHECK_EQ(sett_lookup_range(ordered, NULL, NULL, 0, NULL, 0), 0);
        CHECK_EQ(sett_world_error(world), SETT_STATUS_LOCKED);
    }
    CHECK_EQ(sett_lookup_range(ordered, NULL, NULL, 0, NULL, 0), 1);
    CHECK_END(world);
}

static bool ask_range(void* user)
{
    units* s = user;
    uint64_t from = 3;
    uint64_t to = 5;
    sett_entity found[2100];
    uint32_t count = sett_lookup_range(s->by[2], &from, &to, 0, found, 2100);
    CHECK(count == 0 || count == 900);
    for (uint32_t k = 1; k < count; k++) {
        CHECK(found[k - 1].index < found[k].index || k == 300 || k == 600);
    }
    return count != 0;
}

/* At the first time, when all are sorted, and when some have changed: chunks split. */
static void ranges_without_memory_are_found_later(void)
{
    for (uint32_t changed = 0; changed < 2; changed++) {
        static scarce_memory memory;
        units s;
        memory = (scarce_memory){0};
        units_begin(&s, scarce_world(&memory), true);
        sett_entity e[2100];
        for (uint32_t k = 0; k < 2100; k++) {
            Unit unit = {.key = changed != 0 && k % 7 == 3 && k / 7 < 280 ? 100 : k % 7};
            e[k] = sett_entity_create(s.world);
            CHECK(sett_set(s.world, e[k], s.unit, &unit) != NULL);
        }
        if (changed != 0) {
            CHECK_EQ(sett_lookup_range(s.by[2], NULL, NULL, 0, NULL, 0), 2100);
            for (uint32_t k = 3; k < 280 * 7; k += 7) {
                ((Unit*)sett_get_mut(s.world, e[k], s.unit))->key = 3;
            }
        }
        scarce_run(s.world, &memory, ask_range, NULL, &s);
        CHECK(memory.failures != 0);
        scarce_end(&memory, s.world);
    }
}

TEST_MAIN(TEST(ranges_are_what_a_look_at_all_finds), TEST(many_values_stay_in_order),
          TEST(what_has_no_order_is_rejected), TEST(ranges_without_memory_are_found_later))

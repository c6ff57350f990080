/* test_search.c: searches: what each kind of term means, texts and descriptors, binding, locks,
 * memory that runs out. Combinations of terms are those of test_search_random.c. */
#include "chance.h"
#include "scarce.h"

#include "search/search.h"

#include <locale.h>

static sett_component Ship, Planet, Cargo, DockedAt, RuledBy, AtWar, LocatedIn;

static sett_component tag(sett_world* world, const char* name)
{
    return sett_component_register(world, &(sett_component_desc){.name = name});
}

static sett_component relation(sett_world* world, const char* name, bool many)
{
    return sett_relationship_register(world, &(sett_relationship_desc){.name = name, .many = many});
}

static void register_all(sett_world* world)
{
    Ship = tag(world, "Ship");
    Planet = tag(world, "Planet");
    Cargo = sett_component_register(world, &(sett_component_desc){.name = "Cargo", .size = 4});
    DockedAt = relation(world, "DockedAt", false);
    RuledBy = relation(world, "RuledBy", false);
    AtWar = relation(world, "AtWar", true);
    LocatedIn = relation(world, "LocatedIn", false);
}

static sett_entity make(sett_world* world, const char* name, sett_component component)
{
    sett_entity entity = sett_entity_create(world);
    CHECK_EQ(sett_name_set(world, entity, name), SETT_OK);
    if (component != 0) {
        CHECK(sett_add(world, entity, component) != NULL);
    }
    return entity;
}

/* earth and mars are ruled by the red, venus by the blue; a and b are docked at earth, c at venus,
 * d nowhere. */
static sett_world* galaxy(void)
{
    sett_world* world = quiet_world();
    register_all(world);
    sett_entity red = make(world, "red", 0);
    sett_entity blue = make(world, "blue", 0);
    sett_entity earth = make(world, "earth", Planet);
    sett_entity mars = make(world, "mars", Planet);
    sett_entity venus = make(world, "venus", Planet);
    sett_entity sol = make(world, "sol", 0);
    sett_entity milky = make(world, "milky", 0);
    sett_entity ships[4];
    for (uint32_t k = 0; k < 4; k++) {
        ships[k] = make(world, (const char[2]){(char)('a' + k), '\0'}, Ship);
    }
    sett_relate(world, red, AtWar, blue);
    sett_relate(world, earth, RuledBy, red);
    sett_relate(world, mars, RuledBy, red);
    sett_relate(world, venus, RuledBy, blue);
    sett_relate(world, earth, LocatedIn, sol);
    sett_relate(world, mars, LocatedIn, sol);
    sett_relate(world, sol, LocatedIn, milky);
    sett_relate(world, ships[0], DockedAt, earth);
    sett_relate(world, ships[1], DockedAt, earth);
    sett_relate(world, ships[2], DockedAt, venus);
    return world;
}

static int compare_rows(const void* a, const void* b)
{
    return strcmp(a, b);
}

/* All results as words, each variable by its name: "a earth, b earth", sorted if they have no
 * order. */
static const char* results(sett_world* world, sett_search* search)
{
    static char out[1000];
    char rows_of[64][64];
    uint32_t count = 0;
    CHECK_MSG(search != NULL, "%s", sett_world_message(world));
    SETT_SEARCH(search, rows, i)
    {
        char* at = rows_of[count++];
        at[0] = '\0';
        for (uint32_t v = 0; v < rows->variable_count; v++) {
            sett_entity entity = sett_rows_entity(rows, v, i);
            const char* name = sett_is_null(entity) ? "-" : sett_name_get(world, entity);
            strcat(strcat(at, v != 0 ? " " : ""), name != NULL ? name : "?");
        }
    }
    CHECK_EQ(count, sett_search_count(search));
    sett_search_desc desc;
    sett_search_describe(search, &desc);
    if (!desc.order.cascade && desc.order.by.kind == SETT_OPERAND_ENTITY) {
        qsort(rows_of, count, sizeof(rows_of[0]), compare_rows);
    }
    out[0] = '\0';
    for (uint32_t k = 0; k < count; k++) {
        strcat(strcat(out, k != 0 ? ", " : ""), rows_of[k]);
    }
    return out;
}

static void check_text(sett_world* world, const char* text, const char* expected)
{
    sett_search* search = sett_search_create(world, text);
    CHECK_MSG(search != NULL, "%s: %s", text, sett_world_message(world));
    CHECK_STR_EQ(results(world, search), expected);
    CHECK_EQ(sett_search_destroy(search), SETT_OK);
}

static void terms_of_one_entity(void)
{
    sett_world* world = galaxy();
    check_text(world, "Ship", "a, b, c, d");
    check_text(world, "Ship, DockedAt", "a, b, c");
    check_text(world, "Ship, !DockedAt", "d");
    check_text(world, "Ship || Planet", "a, b, c, d, earth, mars, venus");
    check_text(world, "Ship || Planet, .name != \"a\", RuledBy || DockedAt",
               "b, c, earth, mars, venus");
    check_text(world, "Planet(earth)", "");
    check_text(world, "Planet($p), $p == earth || $p == mars", "earth, mars");
    check_text(world, "Ship, !{DockedAt, .name == \"c\"}", "a, b, d");
    check_text(world, "?Ship, .name ~= \"ar\"", "earth, mars");
    check_text(world, "Planet, .name > \"earth\", .name < \"venus\"", "mars");
    check_text(world, "Planet // a comment\n, .name !~ \"a\"", "venus");
    CHECK_END(world);
}

static void one_result_without_variables(void)
{
    sett_world* world = galaxy();
    const char* texts[] = {"Planet(earth)", "Ship(earth)", "DockedAt(a, earth)", "AtWar(_, _)",
                           "Ship(_)"};
    const uint32_t counts[] = {1, 0, 1, 1, 1};
    for (uint32_t k = 0; k < 5; k++) {
        sett_search* search = sett_search_create(world, texts[k]);
        CHECK_EQ(sett_search_count(search), counts[k]);
        sett_search_destroy(search);
    }
    CHECK_END(world);
}

static void joins(void)
{
    sett_world* world = galaxy();
    check_text(world, "Ship($s), DockedAt($s, $p), RuledBy($p, $f)",
               "a earth red, b earth red, c venus blue");
    check_text(world, "Ship($s), DockedAt($s, $p), RuledBy($p, $f), !AtWar($f, blue)",
               "c venus blue");
    check_text(world, "Ship($s), DockedAt($s, $p), RuledBy($p, $f), AtWar($f, $_foe)",
               "a earth red blue, b earth red blue");
    check_text(world, "RuledBy($p, $f), RuledBy($q, $f), $p != $q",
               "earth red mars, mars red earth");
    check_text(world, "Planet($p), !DockedAt($s, $p)", "mars");
    check_text(world, "Planet($p), !{DockedAt($s, $p), $s.name == \"a\"}", "mars, venus");
    check_text(world, "(DockedAt, earth)", "a, b");
    check_text(world, "DockedAt(*, $p)", "a earth, b earth, c venus");
    check_text(world, "DockedAt(_, $p)", "earth, venus");
    check_text(world, "Ship($s), ?DockedAt($s, $p)", "a earth, b earth, c venus, d -");
    check_text(world, "Planet($p), ?DockedAt($s, $p)", "earth a, earth b, mars -, venus c");
    check_text(world, "DockedAt($a, $b) || AtWar($a, $b)", "a earth, b earth, c venus, red blue");
    CHECK_END(world);
}

static uint32_t count_of(sett_world* world, const char* text)
{
    sett_search* search = sett_search_create(world, text);
    CHECK_MSG(search != NULL, "%s", sett_world_message(world));
    uint32_t count = (uint32_t)sett_search_count(search);
    CHECK_EQ(sett_search_destroy(search), SETT_OK);
    return count;
}

/* A term of any link finds whom a list over all relationships finds; beside a naive search. */
static void any_relationship(void)
{
    enum {
        PLACES = 9
    };
    uint64_t state = check_setting("SETT_SEED", 1);
    for (uint32_t round = 0; round < CHECK_ROUNDS(60); round++) {
        sett_world* world = quiet_world();
        register_all(world);
        const sett_component kinds[] = {DockedAt, RuledBy, AtWar, LocatedIn};
        sett_entity e[PLACES];
        bool linked[PLACES][PLACES] = {{false}};
        for (uint32_t k = 0; k < PLACES; k++) {
            e[k] = make(world, (const char[2]){(char)('a' + k), '\0'}, k % 3 == 0 ? Ship : 0);
        }
        for (uint32_t k = 0; k < 2 * PLACES; k++) {
            uint32_t from = chance_below(&state, PLACES);
            uint32_t to = chance_below(&state, PLACES);
            uint32_t kind = chance_below(&state, 5);
            if (kind < 4) {
                sett_relate(world, e[from], kinds[kind], e[to]);
            } else {
                (void)sett_hierarchy_attach(world, e[from], e[to]);
            }
        }
        for (uint32_t from = 0; from < PLACES; from++) {
            for (uint32_t to = 0; to < PLACES; to++) {
                for (uint32_t kind = 0; kind < 4; kind++) {
                    linked[from][to] |= sett_related(world, e[from], kinds[kind], e[to]) != NULL;
                }
                linked[from][to] |= sett_equals(sett_hierarchy_parent(world, e[from]), e[to]);
            }
        }
        uint32_t to_b = 0;
        for (uint32_t k = 0; k < PLACES; k++) {
            to_b += linked[k][1];
        }
        char text[64];
        snprintf(text, sizeof(text), "*($this, #%u:%u)", SETTI_HANDLE(e[1]));
        CHECK_EQ(count_of(world, text), to_b);
        snprintf(text, sizeof(text), ".name ~= \"\", (*, #%u:%u)", SETTI_HANDLE(e[1]));
        CHECK_EQ(count_of(world, text), to_b);
        snprintf(text, sizeof(text), ".name ~= \"\", !*($this, #%u:%u)", SETTI_HANDLE(e[1]));
        CHECK_EQ(count_of(world, text), PLACES - to_b);
        snprintf(text, sizeof(text), "Planet || *($this, #%u:%u)", SETTI_HANDLE(e[1]));
        CHECK_EQ(count_of(world, text), to_b);
        uint32_t pairs = 0;
        for (uint32_t k = 0; k < PLACES * PLACES; k++) {
            pairs += linked[k / PLACES][k % PLACES] && k / PLACES % 3 == 0;
        }
        CHECK_EQ(count_of(world, "Ship($s), *($s, $x)"), pairs);
        const sett_search_term terms[] = {
            {.component = Ship, .access = SETT_NONE},
            {.component = SETT_ANY_RELATIONSHIP, .target = SETT_VAR("x"), .access = SETT_NONE}};
        sett_search* search = sett_search_create_desc(
            world, &(sett_search_desc){.name = "ships", .terms = terms, .term_count = 2});
        CHECK_MSG(search != NULL, "%s", sett_world_message(world));
        CHECK_EQ(sett_search_count(search), pairs);
        CHECK_END(world);
    }
    sett_world* bare = quiet_world();
    CHECK(sett_search_create(bare, "*($this, $x)") == NULL);
    CHECK(strstr(sett_world_message(bare), "\"*\" stands for any relationship, and none is "
                                           "registered - register one first") != NULL);
    CHECK_END(bare);
}

static void closures(void)
{
    sett_world* world = galaxy();
    check_text(world, "LocatedIn($x, milky)", "sol");
    check_text(world, "LocatedIn+($x, milky)", "earth, mars, sol");
    check_text(world, "LocatedIn*($x, milky)", "earth, mars, milky, sol");
    check_text(world, "LocatedIn?($x, milky)", "milky, sol");
    check_text(world, "LocatedIn+(earth, $x)", "milky, sol");
    check_text(world, "DockedAt($s, $p), LocatedIn+($p, milky)", "a earth, b earth");
    sett_entity milky = sett_name_find(world, sett_null(), "milky");
    sett_relate(world, milky, LocatedIn, sett_name_find(world, sett_null(), "sol"));
    check_text(world, "LocatedIn+(sol, $x)", "milky, sol"); /* a circle */
    check_text(world, "Planet($p), LocatedIn+($p, $p)", "");
    check_text(world, "LocatedIn+($p, $p)", "milky, sol");
    CHECK_END(world);
}

static void walks(void)
{
    sett_world* world = galaxy();
    sett_entity earth = sett_name_find(world, sett_null(), "earth");
    sett_entity moon = make(world, "moon", 0);
    sett_entity base = make(world, "base", 0);
    sett_hierarchy_attach(world, moon, earth);
    sett_hierarchy_attach(world, base, moon);
    check_text(world, "Planet(parent)", "moon");
    check_text(world, "Planet(up)", "base, moon");
    check_text(world, "Planet(self|up)", "base, earth, mars, moon, venus");
    check_text(world, "Planet($x|up), ChildOf($x, $y)", "base moon, moon earth");
    check_text(world, "Planet(target DockedAt)", "a, b, c");
    check_text(world, "Planet(up DockedAt), !Planet(parent)", "a, b, c");
    check_text(world, "ChildOf+($x, earth)", "base, moon");
    check_text(world, "ChildOf", "base, moon");
    check_text(world, "Hierarchy", "base, earth, moon");
    CHECK_END(world);
}

static void prefabs_and_singletons(void)
{
    sett_world* world = galaxy();
    sett_entity freighter = make(world, "freighter", Ship);
    CHECK_EQ(sett_prefab_make(world, freighter), SETT_OK);
    CHECK_EQ(sett_prefab_share(world, Cargo, true), SETT_OK);
    CHECK(sett_set(world, freighter, Cargo, &(int){5}) != NULL);
    sett_entity one;
    CHECK_EQ(sett_instantiate(world, freighter, 1, &one), SETT_OK);
    sett_name_set(world, one, "one");
    check_text(world, "Cargo", "");
    check_text(world, "Cargo(prefab)", "one");
    check_text(world, "Cargo, Prefab", "freighter");
    check_text(world, "Ship", "a, b, c, d, one");
    check_text(world, "InstanceOf($s, $p)", "one freighter");
    check_text(world, "InstanceOf($s, $p), Ship($p)", "");
    check_text(world, "InstanceOf($s, $p), Ship($p), Prefab($p)", "one freighter");
    check_text(world, "Planet, Cargo(singleton)", "");
    CHECK(sett_singleton_set(world, Cargo, &(int){1}) != NULL);
    check_text(world, "Planet, Cargo(singleton)", "earth, mars, venus");
    CHECK_END(world);
}

typedef struct Hull {
    int32_t points;
} Hull;

/* A text that asks for a component, or compares a member of it, skips what is hidden. */
static void hidden_entities(void)
{
    sett_world* world = galaxy();
    sett_component Hull_id = SETT_REGISTER(world, Hull);
    CHECK_EQ(SETT_MEMBERS(world, Hull, points), SETT_OK);
    sett_entity wreck = make(world, "wreck", Ship);
    sett_entity model = make(world, "model", Ship);
    sett_entity a = sett_name_find(world, sett_null(), "a");
    SETT_SET(world, wreck, Hull, .points = 1);
    SETT_SET(world, model, Hull, .points = 2);
    SETT_SET(world, a, Hull, .points = 3);
    CHECK_EQ(sett_prefab_make(world, model), SETT_OK);
    CHECK(sett_add(world, wreck, sett_disabled_tag(world)) != NULL);
    sett_entity venus = sett_name_find(world, sett_null(), "venus");
    CHECK_EQ(sett_relate(world, wreck, AtWar, venus) != NULL, true);
    CHECK_EQ(sett_relate(world, venus, AtWar, wreck) != NULL, true);
    check_text(world, "Hull", "a");
    check_text(world, "Hull.points < 10", "a");
    check_text(world, "Hull, Hull.points < 10", "a");
    check_text(world, "Hull.points < 10, Disabled", "wreck");
    check_text(world, "Hull.points < 10, Prefab", "model");
    check_text(world, "Hull.points < 10 order_by Hull.points", "a");
    check_text(world, "AtWar(venus, $x)", "wreck"); /* a target */
    check_text(world, "AtWar(venus, $x), Hull($x)", "");
    check_text(world, "AtWar(venus, $x), $x.Hull.points == 1", "");
    check_text(world, "$x.Hull.points <= $y.Hull.points", "a a");
    check_text(world, ".name == \"wreck\"", "wreck");
    /* `_` as a source is as a variable that occurs nowhere else */
    check_text(world, "Planet($p), AtWar($s, $p)", "");
    check_text(world, "Planet($p), AtWar(*, $p)", "");
    check_text(world, "Planet($p), AtWar(_, $p)", "");
    check_text(world, "Planet($p), !AtWar(_, $p)", "earth, mars, venus");
    check_text(world, "Planet($p), !AtWar($s, $p)", "earth, mars, venus");
    check_text(world, "Planet($p), AtWar+(_, $p)", "venus"); /* from itself */
    check_text(world, "Planet($p), AtWar($p, _)", "venus");
    check_text(world, "Planet($p), AtWar(wreck, $p)", "venus");
    check_text(world, "Planet, Hull(_)", "earth, mars, venus");
    check_text(world, "Planet, Prefab(_)", "earth, mars, venus");
    CHECK_EQ(sett_remove(world, a, Hull_id), SETT_OK);
    check_text(world, "Planet, Hull(_)", "");
    CHECK_END(world);
}

/* A component that is switched off is absent. */
static void switched_off(void)
{
    sett_world* world = galaxy();
    sett_component Hull_id = SETT_REGISTER_WITH(world, Hull, .can_disable = true);
    CHECK_EQ(SETT_MEMBERS(world, Hull, points), SETT_OK);
    sett_entity a = sett_name_find(world, sett_null(), "a");
    sett_entity b = sett_name_find(world, sett_null(), "b");
    sett_entity c = sett_name_find(world, sett_null(), "c");
    SETT_SET(world, a, Hull, .points = 1);
    SETT_SET(world, b, Hull, .points = 2);
    sett_hierarchy_attach(world, c, a);
    static const struct {
        const char *text, *on, *off;
    } all[] = {
        {"Hull", "a, b", "b"},
        {"Ship, Hull", "a, b", "b"},
        {"Ship, !Hull", "c, d", "a, c, d"},
        {"DockedAt, ?Hull", "a, b, c", "a, b, c"},
        {"Hull || Planet", "a, b, earth, mars, venus", "b, earth, mars, venus"},
        {"Hull.points > 0", "a, b", "b"},
        {"Ship, !Hull.points > 0", "c, d", "a, c, d"},
        {"[drive] Hull, DockedAt", "a, b", "b"},
        {"Ship, Hull(parent)", "c", ""},
        {"Ship, !Hull(self|up)", "d", "a, c, d"},
        {"Planet, Hull(a)", "earth, mars, venus", ""},
        {"DockedAt($s, $p), Hull($s)", "a earth, b earth", "b earth"},
        {"Planet($p), !{DockedAt($s, $p), Hull($s)}", "mars, venus", "mars, venus"},
        {"Ship order_by Hull.points desc", "c, d, b, a", "a, c, d, b"},
    };
    for (uint32_t kind = 0; kind < 2; kind++) {
        for (uint32_t k = 0; k < sizeof(all) / sizeof(all[0]); k++) {
            check_text(world, all[k].text, all[k].on);
            CHECK_EQ(sett_enable(world, a, Hull_id, false), SETT_OK);
            check_text(world, all[k].text, all[k].off);
            CHECK_EQ(sett_enable(world, a, Hull_id, true), SETT_OK);
        }
        CHECK_EQ(sett_component_convert(world, Hull_id, SETT_STORAGE_SPARSE_SET), SETT_OK);
    }
    CHECK_EQ(sett_enable(world, a, Hull_id, false), SETT_OK);
    check_text(world, "Planet, Hull(_)", "earth, mars, venus");
    CHECK_EQ(sett_enable(world, b, Hull_id, false), SETT_OK);
    check_text(world, "Planet, Hull(_)", "");
    CHECK_END(world);
}

typedef enum mode {
    REST = 3,
    WALK,
    RUN
} mode;

typedef struct State {
    int8_t small;
    uint64_t large;
    float f;
    double d;
    mode mode;
    bool on;
    char text[6];
    sett_entity aim;
    int32_t fixed;
    int32_t pair[2];
} State;

static void members(void)
{
    sett_world* world = galaxy();
    sett_component State_id = SETT_REGISTER(world, State);
    CHECK_EQ(SETT_MEMBERS(world, State, small, large, f, d,
                          (mode, .constants = SETT_CONSTANTS(REST, WALK, RUN)), on, text, aim,
                          (fixed, .scale = 1.0 / 16), pair),
             SETT_OK);
    sett_entity earth = sett_name_find(world, sett_null(), "earth");
    const State values[] = {
        {-1, UINT64_MAX, 0.1f, strtod("nan", NULL), REST, true, "abcdef", earth, 8, {1, 2}},
        {5, 1, 1e30f, 9007199254740992.0, RUN, false, "xyz", {0, 0}, -24, {3, 4}},
    };
    CHECK(sett_set(world, sett_name_find(world, sett_null(), "a"), State_id, &values[0]) != NULL);
    CHECK(sett_set(world, sett_name_find(world, sett_null(), "b"), State_id, &values[1]) != NULL);
    static const struct {
        const char *text, *expected;
    } all[] = {
        {"State.small < 0", "a"},
        {"State.small < State.large", "a"},
        {"State.large > -1", "a, b"},
        {"State.large == 1.0", "b"},
        {"State.f == 0.1", "a"},
        {"State.f > 1e29", "b"},
        {"State.d == 9007199254740993", ""},
        {"State.d < 9007199254740993", "b"},
        {"State.d != 1", "a, b"},
        {"State.d >= 0", "b"},
        {"State.d <= 0", ""},
        {"State.mode == RUN", "b"},
        {"State.mode < RUN", "a"},
        {"State.on == true", "a"},
        {"State.text == \"abcdef\"", "a"},
        {"State.text ~= \"yz\"", "b"},
        {"State.text < \"b\"", "a"},
        {"State.fixed == 0.5", "a"},
        {"State.fixed < -1", "b"},
        {"State.pair[1] == 4", "b"},
        {"State.aim == earth", "a"},
        {"$s.State.aim == $p", "a earth"},
        {"$s.State.small == $t.State.small", "a a, b b"},
        {"Ship, !State.small < 0", "b, c, d"},
        {"Ship($s), DockedAt($s, $p), $s.State.aim == $p, $p.name ~= $p.name", "a earth"},
    };
    for (uint32_t k = 0; k < sizeof(all) / sizeof(all[0]); k++) {
        check_text(world, all[k].text, all[k].expected);
        sett_search* search = sett_search_create(world, all[k].text);
        char text[200];
        sett_search_print(search, text, sizeof(text));
        check_text(world, text, all[k].expected);
        sett_search_destroy(search);
    }
    sett_entity_destroy(world, earth);
    check_text(world, "$s.State.aim == $p", ""); /* the value is a stale handle */
    CHECK_END(world);
}

static void terms_from_c(void)
{
    sett_world* world = galaxy();
    sett_entity blue = sett_name_find(world, sett_null(), "blue");
    const sett_search_term terms[] = {
        {.component = Ship, .source = SETT_VAR("s")},
        {.component = DockedAt, .source = SETT_VAR("s"), .target = SETT_VAR("p")},
        {.component = RuledBy,
         .source = SETT_VAR("p"),
         .target = SETT_FIXED(blue),
         .negated = true},
        {.kind = SETT_SEARCH_BEGIN, .negated = true},
        {.kind = SETT_SEARCH_COMPARE,
         .left = {.kind = SETT_OPERAND_NAME, .of = SETT_VAR("s")},
         .right = {.kind = SETT_OPERAND_TEXT, .text = "b"}},
        {.kind = SETT_SEARCH_END}};
    sett_search* search =
        sett_search_create_desc(world, &(sett_search_desc){.terms = terms, .term_count = 6});
    CHECK_STR_EQ(results(world, search), "a earth");
    char text[200];
    sett_search_print(search, text, sizeof(text));
    CHECK_STR_EQ(text, "Ship($s), DockedAt($s, $p), !RuledBy($p, blue), !{$s.name == \"b\"}");
    CHECK_EQ(sett_search_print(search, text, 5), strlen("Ship($s), DockedAt($s, $p), !RuledBy($p, "
                                                        "blue), !{$s.name == \"b\"}"));
    CHECK_STR_EQ(text, "Ship");
    sett_search_desc desc;
    sett_search_describe(search, &desc);
    CHECK_EQ(desc.term_count, 6);
    sett_search* again = sett_search_create_desc(world, &desc);
    CHECK_EQ(sett_search_destroy(search), SETT_OK);
    CHECK_STR_EQ(results(world, again), "a earth");
    CHECK_EQ(sett_search_variable(again, "p"), 1);
    CHECK_EQ(sett_search_variable(again, "q"), UINT32_MAX);
    CHECK_STR_EQ(sett_search_variable_name(again, 0), "s");
    CHECK(sett_search_variable_name(again, 2) == NULL);
    sett_search_destroy(again);
    const sett_search_term wrong[] = {{.component = Ship}, {.component = 999}};
    CHECK(sett_search_create_desc(world, &(sett_search_desc){.terms = wrong, .term_count = 2}) ==
          NULL);
    CHECK_STR_EQ(
        sett_world_message(world),
        "sett_search_create_desc: search \"search\", term 1: component 999 is not registered "
        "in this world - register the component first");
    const sett_search_term any[] = {{.component = SETT_ANY_RELATIONSHIP,
                                     .source = {.variable = "s"},
                                     .target = {.variable = "t"}},
                                    {.component = 999}};
    CHECK(sett_search_create_desc(
              world, &(sett_search_desc){.name = "all", .terms = any, .term_count = 2}) == NULL);
    CHECK_MSG(strstr(sett_world_message(world), ": search \"all\", term 1: component 999 is ") !=
                  NULL,
              "%s", sett_world_message(world)); /* the first term has become several */
    CHECK_END(world);
}

typedef struct Count {
    int n;
} Count;

static void printed_again(void)
{
    sett_world* world = galaxy();
    sett_component Count_id = SETT_REGISTER(world, Count);
    CHECK_EQ(SETT_MEMBERS(world, Count, n), SETT_OK);
    static const char* const texts[] = {
        "Ship",
        "[in] Ship, [out] Cargo, [none] Planet",
        "Ship($s), DockedAt($s, $p) || RuledBy($p, red), !{AtWar(_, $p), ?Cargo($p)}",
        "LocatedIn+($x, milky), LocatedIn*($x, *), LocatedIn?(*, $x)",
        "Cargo(parent), Cargo($x|up), Cargo(self|up DockedAt), Cargo($x|target DockedAt)",
        "Cargo(prefab), Cargo(singleton), !Cargo(#77:3)",
        "{Ship || {Planet, Cargo}} || !{Ship}",
        "\"DockedAt sources\"($x), $x.name ~= \"a \\\" quote\", $x != $y, Ship($y)",
        "Ship, [in drive] Cargo($x), ?Cargo",
        "Ship($s), DockedAt($s, $p) group_by $p cascade $s.LocatedIn order_by $p.Count.n desc",
        "Ship group_by DockedAt cascade order_by .name",
        "Ship cascade LocatedIn",
        "Count.n < 10, $x.Count.n >= 0.5, Count.n == -3, Count.n != 1.0, Count.n > 1e+30",
        "Count.n < 1e999, Count.n > -1e999",
    };
    for (uint32_t k = 0; k < sizeof(texts) / sizeof(texts[0]); k++) {
        sett_search* search = sett_search_create(world, texts[k]);
        CHECK_MSG(search != NULL, "%s", sett_world_message(world));
        char text[300];
        sett_search_print(search, text, sizeof(text));
        CHECK_STR_EQ(text, texts[k]);
        sett_search_destroy(search);
    }
    CHECK_END(world);
}

/* A type whose name is no word is quoted wherever one is named, and printed so. */
static void types_are_quoted(void)
{
    static const char* const texts[] = {
        "\"physics.Body\"",
        "[in] \"physics.Body\"($x)",
        "\"physics.Body\".n > 1",
        "$x.\"physics.Body\".n > 1",
        "\"physics.Body\".n == \"physics.Body\".n",
        "Ship order_by \"physics.Body\".n desc",
        "Ship($s) order_by $s.\"physics.Body\".n",
        "Ship group_by \"docked.at\" cascade \"docked.at\" order_by \"physics.Body\".n",
        "\"physics.Body\"($x|target \"docked.at\")",
        "\"physics.Body\"(up \"docked.at\")",
        "\"docked.at\"+($x, earth)",
    };
    sett_world* world = galaxy();
    sett_component body =
        sett_component_register(world, &(sett_component_desc){.name = "physics.Body",
                                                              .size = sizeof(Count),
                                                              .members = SETT_STRUCT(Count, n)});
    CHECK(body != 0 && relation(world, "docked.at", false) != 0);
    for (uint32_t k = 0; k < sizeof(texts) / sizeof(texts[0]); k++) {
        sett_search* search = sett_search_create(world, texts[k]);
        CHECK_MSG(search != NULL, "%s: %s", texts[k], sett_world_message(world));
        char text[300];
        sett_search_print(search, text, sizeof(text));
        CHECK_STR_EQ(text, texts[k]);
        sett_search_destroy(search);
    }
    sett_entity a = sett_name_lookup(world, sett_null(), "a");
    CHECK(sett_add(world, a, body) != NULL);
    check_text(world, "\"physics.Body\".n <= \"physics.Body\".n", "a");
    /* a text stays one */
    check_text(world, "Ship, .name == \"physics.Body\"", "");
    CHECK(sett_search_create(world, "Ship($s), Ship.n($s) > 3") == NULL);
    CHECK_MSG(
        strstr(sett_world_message(world), "(a variable stands in front: $pile.Pile.amount > 3)"),
        "%s", sett_world_message(world));
    CHECK(sett_search_create(world, "Ship, .name == \"physics.Bod\".n") == NULL);
    CHECK(strstr(sett_world_message(world), "\"physics.Bod\" is not registered") != NULL);
    CHECK_END(world);
}

/* A path as sett_name_path writes it, over parents without names. */
static void paths_with_numbers(void)
{
    sett_world* world = galaxy();
    sett_entity none = sett_entity_create(world);
    sett_entity dock = sett_entity_create(world);
    sett_entity below = sett_entity_create(world);
    CHECK_EQ(sett_hierarchy_attach(world, dock, none), SETT_OK);
    CHECK_EQ(sett_hierarchy_attach(world, below, dock), SETT_OK);
    CHECK_EQ(sett_name_set(world, dock, "dock"), SETT_OK);
    CHECK(sett_relate(world, sett_name_lookup(world, sett_null(), "d"), DockedAt, below) != NULL);
    char path[64];
    sett_name_path(world, below, path, sizeof(path));
    char text[128];
    snprintf(text, sizeof(text), "DockedAt($x, %s)", path);
    check_text(world, text, "d");
    snprintf(text, sizeof(text), "DockedAt($x, \"%s\")", path);
    check_text(world, text, "d");
    sett_search* search = sett_search_create(world, text);
    sett_search_print(search, text, sizeof(text)); /* an index alone could be another's by then */
    snprintf(path, sizeof(path), "DockedAt($x, #%u:%u)", (unsigned)below.index,
             (unsigned)below.generation);
    CHECK_STR_EQ(text, path);
    sett_search_destroy(search);
    CHECK_END(world);
}

static void locales_do_not_matter(void)
{
    static const char* const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "C"};
    sett_world* world = galaxy();
    sett_component Count_id = SETT_REGISTER(world, Count);
    CHECK_EQ(SETT_MEMBERS(world, Count, n), SETT_OK);
    size_t k = 0;
    while (setlocale(LC_NUMERIC, names[k]) == NULL) {
        k++;
    }
    sett_search* search = sett_search_create(world, "Count.n > 0.5, Count.n < 9223372036854775807");
    CHECK_MSG(search != NULL, "%s", sett_world_message(world));
    char text[100];
    sett_search_print(search, text, sizeof(text));
    setlocale(LC_NUMERIC, "C");
    CHECK_STR_EQ(text, "Count.n > 0.5, Count.n < 9223372036854775807");
    char digits[600] = "Count.n == 0.";
    memset(digits + strlen(digits), '1', 500);
    CHECK(sett_search_create(world, digits) == NULL);
    CHECK_STR_EQ(
        sett_world_message(world),
        "sett_search_create: column 12: a number has more than 400 characters - write fewer "
        "digits");
    CHECK_END(world);
}

/* Results in an order: by a target, parents first, by a member or a name. */
static void orders(void)
{
    sett_world* world = galaxy();
    sett_component Count_id = SETT_REGISTER(world, Count);
    CHECK_EQ(SETT_MEMBERS(world, Count, n), SETT_OK);
    static const char* const counted[] = {"b", "a", "earth", "venus"};
    for (int k = 0; k < 4; k++) {
        sett_entity at = sett_name_find(world, sett_null(), counted[k]);
        CHECK(sett_set(world, at, Count_id, &(Count){k - 1}) != NULL);
    }
    check_text(world, "Ship order_by .name desc", "d, c, b, a");
    check_text(world, "Ship order_by Count.n", "c, d, b, a");
    check_text(world, "Ship, DockedAt order_by Count.n desc", "c, a, b");
    check_text(world, "Ship($s), DockedAt($s, $p) order_by $p.Count.n desc",
               "c venus, a earth, b earth");
    check_text(world, "Ship($s), DockedAt($s, $p) group_by $p order_by $s.Count.n desc",
               "a earth, b earth, c venus");
    check_text(world, "Planet($p), RuledBy($p, $f) group_by $p.RuledBy order_by $p.name desc",
               "mars red, earth red, venus blue");
    check_text(world, "LocatedIn*($x, milky) cascade $x.LocatedIn order_by $x.name desc",
               "milky, sol, mars, earth");
    check_text(world,
               "LocatedIn*($x, milky), ?DockedAt($s, $x) cascade $x.LocatedIn order_by "
               "$s.name desc",
               "milky -, sol -, mars -, earth b, earth a");
    static const sett_search_term terms[] = {{.component = 1}};
    sett_search_term ships = terms[0];
    ships.component = Ship;
    sett_search* search = sett_search_create_desc(
        world, &(sett_search_desc){.terms = &ships,
                                   .term_count = 1,
                                   .order = {.by = {.kind = SETT_OPERAND_NAME}, .reverse = true}});
    CHECK_STR_EQ(results(world, search), "d, c, b, a");
    char text[100];
    sett_search_print(search, text, sizeof(text));
    CHECK_STR_EQ(text, "Ship order_by .name desc");
    ships.drives = true;
    CHECK(sett_search_create_desc(
              world, &(sett_search_desc){
                         .terms = &ships, .term_count = 1, .order = {.group_by = AtWar}}) == NULL);
    CHECK_STR_EQ(
        sett_world_message(world),
        "sett_search_create_desc: search \"search\", order: group_by is not followed by an "
        "exclusive relationship - name one");
    CHECK_EQ(sett_component_unregister(world, Count_id), SETT_OK);
    CHECK(sett_search_create(world, "Ship cascade DockedAt") != NULL);
    CHECK(sett_component_unregister(world, DockedAt) != SETT_OK);
    CHECK_END(world);
}

/* More results in an order than a block has rows. */
static void many_rows_in_order(void)
{
    sett_world* world = quiet_world();
    sett_component Count_id = SETT_REGISTER(world, Count);
    CHECK_EQ(SETT_MEMBERS(world, Count, n), SETT_OK);
    for (int k = 0; k < 5000; k++) {
        CHECK(sett_set(world, sett_entity_create(world), Count_id, &(Count){k * 37 % 5000}) !=
              NULL);
    }
    sett_search* search = sett_search_create(world, "Count order_by Count.n");
    int next = 0;
    SETT_SEARCH(search, rows, i)
    {
        CHECK_EQ(SETT_GET(world, sett_rows_entity(rows, 0, i), Count)->n, next);
        next++;
    }
    CHECK_EQ(next, 5000);
    CHECK_EQ(sett_search_count(search), 5000);
    CHECK_END(world);
}

/* What drives can be said: the plan begins with it. */
static void the_driver_is_said(void)
{
    sett_world* world = galaxy();
    static const struct {
        const char *text, *plan;
    } all[] = {{"Ship($s), DockedAt($s, $p), Planet($p)", "scan       $s by DockedAt "},
               {"[drive] Ship($s), DockedAt($s, $p), Planet($p)", "scan       $s by Ship"},
               {"Ship($s), [drive] DockedAt($s, $p), Planet($p)", "scan       $s by DockedAt "},
               {"Ship($s), DockedAt($s, $p), [in drive] Planet($p)", "scan       $p by Planet"}};
    for (uint32_t k = 0; k < 4; k++) {
        char plan[1000];
        sett_search* search = sett_search_create(world, all[k].text);
        CHECK_STR_EQ(results(world, search), "a earth, b earth, c venus");
        sett_search_explain(search, plan, sizeof(plan));
        const char* first = strchr(plan, '\n') + 3;
        CHECK_MSG(strncmp(first, all[k].plan, strlen(all[k].plan)) == 0, "%s", plan);
    }
    sett_query_desc desc;
    CHECK_EQ(sett_query_parse(world, "Ship, [in drive] Cargo", &desc), SETT_OK);
    CHECK(desc.terms[1].drives && !desc.terms[0].drives && desc.terms[1].access == SETT_IN);
    CHECK_EQ(sett_query_parse(world, "Ship order_by .name", &desc), SETT_STATUS_ARGUMENT);
    CHECK_STR_EQ(sett_world_message(world), "sett_query_parse: column 6: a query cannot have an "
                                            "order - use sett_search_create");
    CHECK_END(world);
}

/* Lists of || that have to find a variable each: more combinations than there are branches. */
static void many_lists(void)
{
    sett_world* world = galaxy();
    static const char text[] = "Ship($a) || Planet($a) || RuledBy($a, _), "
                               "Ship($b) || Planet($b) || RuledBy($b, _), "
                               "Ship($c) || Planet($c) || RuledBy($c, _), "
                               "Ship($d) || Planet($d) || RuledBy($d, _)";
    sett_search* search = sett_search_create(world, text);
    CHECK_MSG(search != NULL, "%s", sett_world_message(world));
    CHECK_EQ(sett_search_count(search), 7 * 7 * 7 * 7);
    char longest[2000] = "";
    for (uint32_t k = 0; k < 21; k++) { /* 63 terms */
        static const char* const sides[] = {"Ship($%c) || Planet($%c) || Cargo($%c)",
                                            ", Ship($%c) || Planet($%c) || Cargo($%c)"};
        char name = (char)('a' + k);
        snprintf(longest + strlen(longest), 60, sides[k != 0], name, name, name);
    }
    search = sett_search_create(world, longest);
    CHECK_MSG(search != NULL, "%s", sett_world_message(world));
    CHECK_END(world);
}

static void bound_variables(void)
{
    sett_world* world = galaxy();
    sett_search* search = sett_search_create(world, "Ship($s), DockedAt($s, $p)");
    CHECK_EQ(sett_search_bind(search, 1, sett_name_find(world, sett_null(), "venus")), SETT_OK);
    CHECK_STR_EQ(results(world, search), "c venus");
    CHECK_EQ(sett_search_bind(search, 0, sett_name_find(world, sett_null(), "a")), SETT_OK);
    CHECK_STR_EQ(results(world, search), "");
    CHECK_EQ(sett_search_bind(search, 1, sett_null()), SETT_OK);
    CHECK_STR_EQ(results(world, search), "a earth");
    sett_entity_destroy(world, sett_name_find(world, sett_null(), "a"));
    CHECK_STR_EQ(results(world, search), "");
    CHECK_EQ(sett_search_bind(search, 2, sett_null()), SETT_STATUS_ARGUMENT);
    CHECK_END(world);
}

static void locked_while_open(void)
{
    sett_world* world = galaxy();
    sett_search* search = sett_search_create(world, "Ship($s), DockedAt($s, $p)");
    uint32_t count = 0;
    SETT_SEARCH(search, rows, i)
    {
        CHECK_EQ(sett_entity_destroy(world, sett_rows_entity(rows, 0, i)), SETT_STATUS_LOCKED);
        CHECK(strstr(sett_world_message(world), "Ship($s), DockedAt($s, $p)") != NULL);
        CHECK_EQ(sett_search_destroy(search), SETT_STATUS_LOCKED);
        CHECK_EQ(sett_search_bind(search, 0, sett_null()), SETT_STATUS_LOCKED);
        CHECK_EQ(sett_search_limit(search, NULL, NULL), SETT_STATUS_LOCKED);
        uint32_t inner = 0;
        SETT_SEARCH(search, more, k)
        {
            inner++;
            if (inner == 2) {
                break;
            }
        }
        CHECK_EQ(inner, 2);
        count++;
    }
    CHECK_EQ(count, 3);
    sett_rows left;
    CHECK(sett_search_begin(search, &left) != NULL);
    CHECK(sett_is_null(sett_entity_create(world)));
    CHECK(strstr(sett_world_message(world), "a loop over search") != NULL);
    CHECK(strstr(sett_world_message(world), "call sett_search_end(rows)") != NULL);
    sett_query_end_all(world);
    CHECK(!sett_rows_next(&left));
    sett_search_end(&left);
    CHECK(sett_add(world, sett_name_find(world, sett_null(), "red"), Ship) != NULL);
    CHECK_EQ(sett_search_destroy(search), SETT_OK);
    CHECK_EQ(sett_search_destroy(NULL), SETT_OK);
    CHECK_EQ(sett_search_count(NULL), 0);
    CHECK_END(world);
}

static sett_entity first_of(sett_search* search, uint32_t deep)
{
    SETT_SEARCH(search, rows, i)
    {
        return deep != 0 ? first_of(search, deep - 1) : sett_rows_entity(rows, 0, i);
    }
    return sett_null();
}

static void left_by_return(void)
{
    sett_world* world = galaxy();
    sett_search* search = sett_search_create(world, "Ship order_by .name");
    for (uint32_t deep = 0; deep < 3; deep++) {
        CHECK_STR_EQ(sett_name_get(world, first_of(search, deep)), "a");
        CHECK_EQ(sett_progress(world, 1), SETT_OK);
    }
    SETT_SEARCH(search, rows, i)
    {
        sett_search_end(rows); /* as was needed once */
        goto left;
    }
left:
    CHECK(sett_add(world, sett_name_find(world, sett_null(), "red"), Ship) != NULL);
    CHECK_EQ(sett_search_destroy(search), SETT_OK);
    CHECK_END(world);
}

/* More results than a block has rows, through every kind of step. */
static void many_rows(void)
{
    sett_world* world = quiet_world();
    register_all(world);
    sett_entity planets[10];
    for (uint32_t k = 0; k < 10; k++) {
        planets[k] = sett_entity_create(world);
        sett_add(world, planets[k], Planet);
    }
    for (uint32_t k = 0; k < 5000; k++) {
        sett_entity ship = sett_entity_create(world);
        sett_add(world, ship, Ship);
        sett_relate(world, ship, DockedAt, planets[k % 10]);
        sett_relate(world, ship, AtWar, planets[k % 7]);
        sett_relate(world, ship, AtWar, planets[k % 10]);
    }
    static const struct {
        const char* text;
        uint32_t count;
    } all[] = {{"DockedAt($s, $p)", 5000},
               {"DockedAt($s, $p), AtWar($s, $p)", 5000},
               {"Planet($p), DockedAt($s, $p), DockedAt($t, $p)", 2500000},
               {"Planet($p), Planet($q), DockedAt($s, $p), DockedAt($s, $q)", 5000},
               {"Planet($p), !{DockedAt($s, $p), AtWar($s, $p)}", 0},
               {"Ship($s), !{DockedAt($s, $p), DockedAt($t, $p), $s != $t}", 0},
               {"DockedAt+($s, $p) || AtWar($s, $p)", 9496}};
    for (uint32_t k = 0; k < sizeof(all) / sizeof(all[0]); k++) {
        sett_search* search = sett_search_create(world, all[k].text);
        CHECK_MSG(sett_search_count(search) == all[k].count, "%s: %u, not %u", all[k].text,
                  (unsigned)sett_search_count(search), all[k].count);
        sett_search_destroy(search);
    }
    CHECK_END(world);
}

/* Explains name each step, with its estimate. */
static void plans_in_words(void)
{
    sett_world* world = galaxy();
    sett_search* search =
        sett_search_create(world, "Ship($s), DockedAt($s, $p), RuledBy($p, blue), !AtWar($s, $s)");
    char text[1000];
    size_t length = sett_search_explain(search, text, sizeof(text));
    CHECK_EQ(length, strlen(text));
    CHECK_STR_EQ(text,
                 "\"Ship($s), DockedAt($s, $p), RuledBy($p, blue), !AtWar($s, $s)\", steps and the "
                 "rows that they are estimated to leave:\n"
                 "  sources to $p RuledBy($p, blue) -> 1.0\n"
                 "  sources to $s DockedAt($s, $p) -> 1.0\n"
                 "  test       Ship($s) -> 1.0\n"
                 "  test       not AtWar($s, $s) -> 1.0\n");
    CHECK_EQ(sett_search_explain(NULL, text, sizeof(text)), 0);
    CHECK_END(world);
}

/* Shares are looked up for each pair of types, once in a plan: one is not taken for another. */
static void plans_know_shares(void)
{
    sett_world* world = quiet_world();
    const sett_component types[] = {tag(world, "A"), tag(world, "B"), tag(world, "C")};
    for (uint32_t k = 0; k < 4000; k++) {
        sett_entity e = sett_entity_create(world);
        CHECK(k >= 1000 || sett_add(world, e, types[0]) != NULL);
        CHECK(k % 2 == 0 || sett_add(world, e, types[1]) != NULL);
        CHECK(k % 10 != 0 || sett_add(world, e, types[2]) != NULL);
    }
    static const char* const texts[][2] = {
        {"[drive] A, B, C", "-> 49\n"},    /* a half, and of that a tenth */
        {"[drive] A, !B, !C", "-> 450\n"}, /* a half, and nine tenths */
    };
    for (uint32_t k = 0; k < sizeof(texts) / sizeof(texts[0]); k++) {
        char text[500];
        sett_search* search = sett_search_create(world, texts[k][0]);
        sett_search_explain(search, text, sizeof(text));
        CHECK_MSG(strstr(text, texts[k][1]) != NULL, "%s", text);
        CHECK_EQ(sett_search_destroy(search), SETT_OK);
    }
    CHECK_END(world);
}

/* Explains say what may not be meant: pairs of everything, and values that are not seen. */
static void plans_have_notes(void)
{
    static const struct {
        const char* text;
        const char* note; /* NULL: none */
    } all[] = {
        {"Ship($s), Planet($p)", "no term joins $p to"},
        {"Ship($s), Planet($p), $s != $p", NULL},
        {"Ship($s), DockedAt($s, $p), Planet($p)", NULL},
        {"DockedAt($s, $p), RuledBy($q, $f), Planet($p)", "no term joins $q to"},
        {"Ship($s), !DockedAt($s, $p), Planet($p)", NULL},
        {"Ship($s), Ship(blue)", NULL},
        {"Cargo($f)", "Cargo($f) does not see values that are shared from a prefab"},
        {"Cargo($f|prefab)", NULL},
    };
    char text[1000];
    sett_world* world = galaxy();
    CHECK_EQ(sett_prefab_share(world, Cargo, true), SETT_OK);
    for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++) {
        sett_search* search = sett_search_create(world, all[k].text);
        CHECK_MSG(search != NULL, "%s", sett_world_message(world));
        sett_search_explain(search, text, sizeof(text));
        CHECK_MSG(all[k].note != NULL ? strstr(text, all[k].note) != NULL
                                      : strstr(text, "note:") == NULL,
                  "%s", text);
    }
    CHECK_END(world);
}

typedef struct many {
    sett_world* world;
    uint64_t found;
} many;

static bool create_and_run(void* user)
{
    many* m = user;
    sett_search* search = sett_search_create(
        m->world, "Ship($s), DockedAt($s, $p), LocatedIn+($p, $g), !{AtWar($p, $x), Ship($x)}");
    if (search == NULL) {
        return false;
    }
    sett_rows rows;
    bool begun = sett_search_begin(search, &rows) != NULL;
    m->found = 0;
    uint64_t failures = sett_world_error(m->world) == SETT_STATUS_OUT_OF_MEMORY;
    while (begun && sett_rows_next(&rows)) {
        m->found += rows.count;
    }
    (void)failures;
    if (begun) {
        sett_search_end(&rows);
    }
    bool done = begun && m->found == 200;
    CHECK_EQ(sett_search_destroy(search), SETT_OK);
    return done;
}

static void memory_runs_out(void)
{
    static scarce_memory memory;
    sett_world* world = scarce_world(&memory);
    register_all(world);
    sett_entity at = sett_entity_create(world);
    sett_entity planet = at;
    for (uint32_t k = 0; k < 200; k++) { /* more than what a closure has room for at first */
        sett_entity next = sett_entity_create(world);
        sett_relate(world, at, LocatedIn, next);
        at = next;
    }
    sett_entity ship = sett_entity_create(world);
    sett_add(world, ship, Ship);
    sett_relate(world, ship, DockedAt, planet);
    many m = {world, 0};
    for (size_t left = 0; !scarce_try(world, &memory, left, true, create_and_run, NULL, &m) &&
                          !scarce_try(world, &memory, left, false, create_and_run, NULL, &m);) {
        left += 512;
        CHECK_MSG(left < 200000, "no end");
    }
    CHECK(memory.failures > 2);
    scarce_end(&memory, world);
}

/* A term of a relationship with traits means what the text says with "+", "?" or "*". */
static void traits(void)
{
    static const char* const texts[][2] = {
        {"In($x, milky)", "LocatedIn+($x, milky)"},
        {"In(earth, *)", "LocatedIn+(earth, *)"},
        {"In?($x, sol)", "LocatedIn*($x, sol)"},
        {"Planet($p), In($p, $g)", "Planet($p), LocatedIn+($p, $g)"},
        {"Like(earth, $x)", "LocatedIn?(earth, $x)"},
        {"Like+($x, sol)", "LocatedIn*($x, sol)"},
        {"Within($x, milky)", "LocatedIn*($x, milky)"},
        {"Planet($p), !{Within($p, milky)}", "Planet($p), !{LocatedIn*($p, milky)}"}};
    sett_world* world = galaxy();
    const sett_relationship_desc desc[3] = {
        {.name = "In", .transitive = true},
        {.name = "Like", .reflexive = true},
        {.name = "Within", .transitive = true, .reflexive = true}};
    for (uint32_t k = 0; k < 3; k++) {
        sett_component trait = sett_relationship_register(world, &desc[k]);
        uint32_t cursor = 0;
        for (sett_entity e; !sett_is_null(e = sett_entity_next(world, &cursor));) {
            sett_entity target = sett_target(world, e, LocatedIn);
            CHECK(sett_is_null(target) || sett_relate(world, e, trait, target) != NULL);
        }
    }
    for (uint32_t k = 0; k < sizeof(texts) / sizeof(texts[0]); k++) {
        char expected[1000];
        sett_search* search = sett_search_create(world, texts[k][1]);
        snprintf(expected, sizeof(expected), "%s", results(world, search));
        CHECK(expected[0] != '\0');
        check_text(world, texts[k][0], expected);
    }
    CHECK_END(world);
}

static void find_in_system(sett_context* context)
{
    sett_search* search = context->user;
    uint32_t count = 0;
    SETT_SEARCH(search, rows, i)
    {
        count += !sett_is_null(sett_rows_entity(rows, 1, i));
    }
    CHECK_EQ(count, 3);
    SETT_SYSTEM_FOR(context, b, i) {
        sett_cmd_remove(context->commands, sett_batch_entity(b, i), Planet);
    }
}

static void in_a_system(void)
{
    sett_world* world = galaxy();
    sett_search* search = sett_search_create(world, "Ship($s), DockedAt($s, $p)");
    SETT_SYSTEM(world, find_in_system, .user = search,
                .terms = {{.component = Planet, .access = SETT_NONE}},
                .access_any_in = {Ship, DockedAt});
    sett_progress(world, 1);
    CHECK_EQ(sett_component_count(world, Planet), 0);
    CHECK_END(world);
}

/* A limit, as one that counts how often it is asked. */
typedef struct patience {
    uint32_t asked, most;
} patience;

static bool patience_ends(void* user)
{
    patience* of = user;
    return ++of->asked > of->most;
}

/* Whatever a text makes the search do, it asks the limit, ends when it says so, and is whole again
 * without it. */
static void limits_end_searches(void)
{
    static const char* const texts[] = {
        "Ship($a), Ship($b), $a != $b, Ship($c), Ship($d), $c != $d", /* pairs of pairs */
        "Ship($a), Ship($b), $a.name ~= $b.name, $a != $b",           /* which leave none */
        "Ship($a), Ship($b), !{Ship($c), $c != $b}",                  /* in a list */
        "Ship($a), Ship($b), After+($a, $b)",                         /* chains of links */
        "After+($a, $b), !After+($b, $a)",
        "Ship($a), After+(_, $a), After*($a, $b), Ship($b)",
        "Near+($a, $b), Near+($b, $a)", /* many links of each */
        "Ship($a), Ship($b) order_by $a.name",
        "Ship($a), Ship($b), Ship(_)",
    };
    sett_world* world = quiet_world();
    sett_component ship = sett_component_register(world, &(sett_component_desc){.name = "Ship"});
    sett_component after =
        sett_relationship_register(world, &(sett_relationship_desc){.name = "After"});
    sett_component near =
        sett_relationship_register(world, &(sett_relationship_desc){.name = "Near", .many = true});
    sett_entity all[200];
    uint32_t asked[sizeof(texts) / sizeof(texts[0])] = {0};
    char name[16];
    for (uint32_t k = 0; k < 200; k++) {
        all[k] = sett_entity_create(world);
        CHECK(sett_add(world, all[k], ship) != NULL);
        snprintf(name, sizeof(name), "%03u", (unsigned)k);
        CHECK_EQ(sett_name_set(world, all[k], name), SETT_OK);
        if (k != 0) {
            CHECK(sett_relate(world, all[k], after, all[k - 1]) != NULL);
            CHECK(sett_relate(world, all[k], near, all[k / 2]) != NULL);
            CHECK(sett_relate(world, all[k / 2], near, all[k]) != NULL);
        }
    }
    for (uint32_t k = 0; k < sizeof(texts) / sizeof(texts[0]); k++) {
        sett_search* search = sett_search_create(world, texts[k]);
        CHECK_MSG(search != NULL, "%s", sett_world_message(world));
        for (uint32_t most = 0; most < 3; most++) {
            patience limit = {0, most};
            uint64_t count = 0;
            CHECK_EQ(sett_search_limit(search, patience_ends, &limit), SETT_OK);
            CHECK(sett_search_count(search) <= (most + 1) * 100000);
            CHECK_MSG(limit.asked == most + 1, "%s: %u", texts[k], (unsigned)limit.asked);
            limit.asked = 0;
            SETT_SEARCH(search, rows, i)
            {
                CHECK(sett_entity_valid(world, sett_rows_entity(rows, 0, i)));
                count++;
            }
            CHECK_EQ(limit.asked, most + 1);
            CHECK(strstr(texts[k], "order_by") == NULL || count == 0);
        }
        CHECK_EQ(sett_search_limit(search, NULL, NULL), SETT_OK);
        if (k > 0) {
            patience limit = {0, UINT32_MAX};
            uint64_t whole = sett_search_count(search);
            CHECK_EQ(sett_search_limit(search, patience_ends, &limit), SETT_OK);
            CHECK_EQ(sett_search_count(search), whole);
            asked[k] = limit.asked;
        }
        CHECK_EQ(sett_search_destroy(search), SETT_OK);
    }
    CHECK_MSG(asked[4] > 1000, "%u", (unsigned)asked[4]); /* 20,000 chains of up to 200 links */
    CHECK_MSG(asked[1] > 45, "%u", (unsigned)asked[1]);   /* 40,000 pairs, each tested */
    CHECK_EQ(sett_world_error(world), SETT_OK);           /* a limit is no lack of memory */
    CHECK_EQ(sett_search_limit(NULL, patience_ends, NULL), SETT_STATUS_ARGUMENT);
    CHECK_END(world);
}

TEST_MAIN(TEST(terms_of_one_entity), TEST(one_result_without_variables), TEST(joins),
          TEST(any_relationship), TEST(closures), TEST(traits), TEST(walks),
          TEST(prefabs_and_singletons), TEST(hidden_entities), TEST(switched_off), TEST(members),
          TEST(terms_from_c), TEST(printed_again), TEST(types_are_quoted), TEST(paths_with_numbers),
          TEST(locales_do_not_matter), TEST(orders), TEST(many_rows_in_order),
          TEST(the_driver_is_said), TEST(many_lists), TEST(bound_variables),
          TEST(limits_end_searches), TEST(locked_while_open), TEST(left_by_return), TEST(many_rows),
          TEST(plans_in_words), TEST(plans_know_shares), TEST(plans_have_notes),
          TEST(memory_runs_out), TEST(in_a_system))

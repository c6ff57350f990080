/* test_search_limits.c: searches at their limits and one beyond, and descriptors with what no text
 * can say: each is made, or rejected with its reason, and the world stays sound.
 *
 * SPDX-License-Identifier: MIT
 */
#include "scarce.h"

#include "search/search.h"

typedef struct Cargo {
    int32_t n;
    float f;
    char text[8];
    sett_entity of;
    unsigned char blob[4];
} Cargo;

static sett_component Ship, Cargo_id, DockedAt, AtWar;
static sett_entity earth;

static sett_world* begin(void)
{
    sett_world* world = quiet_world();
    Ship = sett_component_register(world, &(sett_component_desc){.name = "Ship"});
    Cargo_id = SETT_REGISTER(world, Cargo);
    CHECK_EQ(SETT_MEMBERS(world, Cargo, n, f, text, of, (blob, .element = SETT_MEMBER_OPAQUE)),
             SETT_OK);
    DockedAt = sett_relationship_register(world, &(sett_relationship_desc){.name = "DockedAt"});
    AtWar =
        sett_relationship_register(world, &(sett_relationship_desc){.name = "AtWar", .many = true});
    earth = sett_entity_create(world);
    CHECK(sett_add(world, earth, Ship) != NULL);
    SETT_SET(world, earth, Cargo, .n = 7, .f = 2);
    return world;
}

/* A text of a part for each number below `count`, "%u" in it the number, with `between`. */
static const char* text_of(const char* part, const char* between, uint32_t count)
{
    static char text[8000];
    size_t size = 0;
    for (uint32_t k = 0; k < count; k++) {
        CHECK(size + 120 < sizeof(text));
        const char* number = strchr(part, '%');
        int before = number != NULL ? (int)(number - part) : (int)strlen(part);
        size += (size_t)snprintf(text + size, sizeof(text) - size, "%s%.*s", k != 0 ? between : "",
                                 before, part);
        if (number != NULL) {
            size +=
                (size_t)snprintf(text + size, sizeof(text) - size, "%u%s", (unsigned)k, number + 1);
        }
    }
    return text;
}

static void limit(sett_world* world, const char* part, const char* between, uint32_t most,
                  const char* message)
{
    sett_search* search = sett_search_create(world, text_of(part, between, most));
    CHECK_MSG(search != NULL, "%u: %s", most, sett_world_message(world));
    CHECK(sett_search_count(search) <= 1);
    CHECK_EQ(sett_search_destroy(search), SETT_OK);
    CHECK(sett_search_create(world, text_of(part, between, most + 1)) == NULL);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_LIMIT);
    CHECK_MSG(strstr(sett_world_message(world), message) != NULL, "%s", sett_world_message(world));
}

static void each_limit_is_reached_and_not_passed(void)
{
    sett_world* world = begin();
    limit(world, "Ship", ", ", 64, "64 terms");
    limit(world, "!{Ship}", ", ", 21, "64 terms"); /* a list counts as two */
    limit(world, "Ship($x%)", ", ", 32, "32 variables");
    limit(world, "Ship || Ship", ", ", 32, "64 terms");
    limit(world, "Cargo.n != %", ", ", 32, "32 comparisons");
    sett_entity all[40];
    CHECK_EQ(sett_entity_create_many(world, 40, NULL, 0, NULL, all), SETT_OK);
    limit(world, "!Ship(#%)", ", ", 32, "32 variables"); /* entities count */
    CHECK_END(world);
}

/* The most lists, sides and branches that terms can make: all of it fits. */
static void the_most_lists_of_a_text_fit(void)
{
    sett_world* world = begin();
    static const char* const parts[] = {"!Ship || !Cargo",
                                        "!Ship($a) || !Cargo($b)",
                                        "Ship || !DockedAt($this, *)",
                                        "!{!Ship || !Cargo}",
                                        "Ship($a) || Cargo($a) || DockedAt($a, _)",
                                        "!DockedAt($this, $x) || !AtWar($x, $y)"};
    for (uint32_t k = 0; k < sizeof(parts) / sizeof(parts[0]); k++) {
        for (uint32_t count = 1; count <= 32; count++) {
            sett_search* search = sett_search_create(world, text_of(parts[k], ", ", count));
            if (search == NULL) {
                CHECK_MSG(sett_world_error(world) == SETT_STATUS_LIMIT ||
                              sett_world_error(world) == SETT_STATUS_ARGUMENT,
                          "%s", sett_world_message(world));
                CHECK(strstr(sett_world_message(world), "or make two searches") == NULL);
                continue;
            }
            CHECK(sett_search_count(search) <= sett_entity_count(world) * 3);
            CHECK_EQ(sett_search_destroy(search), SETT_OK);
        }
    }
    CHECK_END(world);
}

static void must_reject(sett_world* world, const sett_search_desc* desc, sett_status status,
                        const char* message)
{
    CHECK_MSG(sett_search_create_desc(world, desc) == NULL, "made, not: %s", message);
    CHECK_EQ(sett_world_error(world), status);
    CHECK_MSG(strstr(sett_world_message(world), message) != NULL, "%s, not: %s",
              sett_world_message(world), message);
    CHECK_VALID(world);
}

#define TERM(...)                                                                                  \
    (&(sett_search_desc){.terms = (const sett_search_term[]){{__VA_ARGS__}}, .term_count = 1})
#define TERMS(count, ...)                                                                          \
    (&(sett_search_desc){.terms = (const sett_search_term[]){__VA_ARGS__}, .term_count = (count)})
#define MEMBER(path)                                                                               \
    {                                                                                              \
        .kind = SETT_OPERAND_MEMBER, .component = Cargo_id, .text = (path)                         \
    }

static void wrong_descriptors_are_explained(void)
{
    sett_world* world = begin();
    const sett_status wrong = SETT_STATUS_ARGUMENT;
    must_reject(world, &(sett_search_desc){.term_count = 0}, wrong, "pass 1 to 64");
    must_reject(world, &(sett_search_desc){.term_count = 2}, wrong, "terms");
    sett_search_term many[65] = {{.component = Ship}};
    for (uint32_t k = 1; k < 65; k++) {
        many[k] = many[0];
    }
    must_reject(world, &(sett_search_desc){.terms = many, .term_count = 65}, SETT_STATUS_LIMIT,
                "65 terms - pass 1 to 64");
    const sett_search_desc full = {.terms = many, .term_count = 64};
    many[62] =
        (sett_search_term){.component = SETT_ANY_RELATIONSHIP, .target = SETT_VAR("x")}; /* two */
    must_reject(world, &full, SETT_STATUS_LIMIT, "more than 64 terms");
    many[63] = many[62];
    must_reject(world, &full, SETT_STATUS_LIMIT, "stands for too many relationships");
    many[63].target.variable = NULL;
    must_reject(world, &full, wrong, "as a relationship has no target"); /* though it is full */
    must_reject(world, TERM(.component = 900), SETT_STATUS_UNREGISTERED, "component 900");
    must_reject(world, TERM(.kind = (sett_search_kind)9), wrong,
                "`kind` has an unknown value - use a constant from SETT_SEARCH_TERM to");
    must_reject(world, TERM(.component = Ship, .source = SETT_VAR("two words")), wrong,
                "cannot be the name");
    must_reject(world, TERM(.component = Ship, .source = SETT_VAR("")), wrong,
                "cannot be the name");
    must_reject(world, TERM(.component = Ship, .walk = SETT_WALK_UP, .along = 900),
                SETT_STATUS_UNREGISTERED, "component 900");
    must_reject(world, TERM(.component = Ship, .walk = SETT_WALK_UP, .along = Ship), wrong,
                "is not a relationship - name one after");
    must_reject(world, TERM(.component = Ship, .walk = SETT_WALK_UP, .along = AtWar), wrong,
                "many targets for each source");
    must_reject(
        world,
        TERM(.component = Ship, .walk = SETT_WALK_UP, .along = DockedAt, .source = SETT_VAR("_")),
        wrong, "parent, up and target cannot begin at \"_\" - name a variable or an entity");
    must_reject(world, TERM(.kind = SETT_SEARCH_BEGIN), wrong,
                "SETT_SEARCH_BEGIN is without SETT_SEARCH_END - add the end");
    must_reject(world, TERM(.kind = SETT_SEARCH_END), wrong,
                "SETT_SEARCH_END is without SETT_SEARCH_BEGIN - add the beginning");
    must_reject(world, TERM(.component = Ship, .or_next = true), wrong, "a term is missing after");
    must_reject(world, TERMS(2, {.kind = SETT_SEARCH_BEGIN}, {.kind = SETT_SEARCH_END}), wrong,
                "a list is empty");
    must_reject(world,
                TERMS(3, {.kind = SETT_SEARCH_BEGIN}, {.component = Ship, .or_next = true},
                      {.kind = SETT_SEARCH_END}),
                wrong, "a term is missing after");
    must_reject(
        world,
        TERMS(2, {.component = Ship, .or_next = true}, {.component = Cargo_id, .optional = true}),
        wrong, "a term beside");
    must_reject(world, TERM(.component = Ship, .optional = true, .negated = true), wrong,
                "both optional and negated");
    must_reject(world,
                TERM(.component = DockedAt, .optional = true, .source = SETT_VAR("a"),
                     .target = SETT_VAR("b")),
                wrong, "no other term uses an end of the optional link - use one in another term");
    must_reject(world, TERM(.component = Cargo_id, .target = SETT_VAR("b")), wrong,
                "is not a relationship");
    must_reject(world, TERM(.component = DockedAt, .walk = SETT_WALK_UP, .target = SETT_VAR("b")),
                wrong, "a term has a walk, such as (up), and a target - leave out one");
    must_reject(world, TERM(.component = Ship, .steps = SETT_STEPS_ONE_OR_MORE), wrong,
                "has no target");
    must_reject(
        world,
        TERMS(2, {.component = Ship, .drives = true}, {.component = Cargo_id, .drives = true}),
        wrong, "two terms have [drive] - leave out one");
    /* comparisons */
    const sett_search_operand n = MEMBER("n");
    const sett_search_operand text = MEMBER("text");
    const sett_search_operand seven = {.kind = SETT_OPERAND_INTEGER, .integer = 7};
    const sett_search_operand word = {.kind = SETT_OPERAND_TEXT, .text = "a"};
    static const struct {
        sett_operand_kind kind;
        const char *path, *message;
    } operands[] = {
        {SETT_OPERAND_MEMBER, "none", "has no member \"none\""},
        {SETT_OPERAND_MEMBER, NULL, "has no member \"\""},
        {SETT_OPERAND_MEMBER, "blob", "blob"},
        {SETT_OPERAND_TEXT, NULL, "`text` of an operand is NULL - set it"},
        {SETT_OPERAND_CONSTANT, NULL, "`text` of an operand is NULL - set it"},
        {(sett_operand_kind)99, "n",
         "`kind` of an operand has an unknown value - use a constant from"},
    };
    for (uint32_t k = 0; k < sizeof(operands) / sizeof(operands[0]); k++) {
        must_reject(world,
                    TERM(.kind = SETT_SEARCH_COMPARE, .left = n,
                         .right = {.kind = operands[k].kind,
                                   .component = Cargo_id,
                                   .text = operands[k].path}),
                    wrong, operands[k].message);
    }
    must_reject(world,
                TERM(.kind = SETT_SEARCH_COMPARE, .right = seven,
                     .left = {.kind = SETT_OPERAND_MEMBER, .component = 900, .text = "n"}),
                SETT_STATUS_UNREGISTERED, "component 900");
    must_reject(world, TERM(.kind = SETT_SEARCH_COMPARE, .left = seven, .right = seven), wrong,
                "both sides are constant - write a member or an entity on the left side");
    must_reject(world, TERM(.kind = SETT_SEARCH_COMPARE, .left = seven, .right = n), wrong,
                "the left side is constant - swap the sides");
    must_reject(world, TERM(.kind = SETT_SEARCH_COMPARE, .left = n, .right = word), wrong,
                "the two sides of a comparison are not both numbers, both texts or both entities "
                "- write two of one kind");
    must_reject(
        world,
        TERM(.kind = SETT_SEARCH_COMPARE, .left = n, .right = seven, .compare = (sett_compare)99),
        wrong, "`compare` has an unknown value - use a constant from SETT_COMPARE_EQUAL");
    must_reject(world,
                TERM(.kind = SETT_SEARCH_COMPARE, .left = n, .right = seven,
                     .compare = SETT_COMPARE_CONTAINS),
                wrong, "~=\" and \"!~\" compare only texts - use == or !=");
    must_reject(world,
                TERM(.kind = SETT_SEARCH_COMPARE, .left = MEMBER("of"),
                     .right = {.kind = SETT_OPERAND_ENTITY, .of = SETT_FIXED(earth)},
                     .compare = SETT_COMPARE_LESS),
                wrong, "entities have no order");
    must_reject(world,
                TERM(.kind = SETT_SEARCH_COMPARE, .left = n,
                     .right = {.kind = SETT_OPERAND_CONSTANT, .text = "RED"}),
                wrong, "is not a constant of");
    must_reject(
        world,
        TERM(.kind = SETT_SEARCH_COMPARE, .left = {.kind = SETT_OPERAND_NAME},
             .right = {.kind = SETT_OPERAND_CONSTANT, .text = "RED"}),
        wrong, "stands for a constant of a member, and the other side is no member - write a text");
    must_reject(world,
                TERM(.kind = SETT_SEARCH_COMPARE, .right = word, .compare = SETT_COMPARE_CONTAINS,
                     .left = {.kind = SETT_OPERAND_NAME, .of = SETT_VAR("_")}),
                wrong, "_\" cannot be compared - use a variable");
    must_reject(world,
                TERM(.kind = SETT_SEARCH_COMPARE, .left = text, .right = word, .optional = true),
                wrong, "a comparison has no \"?\" - leave it out");
    /* orders */
    sett_search_desc order = *TERM(.component = Ship);
    order.order.by = seven;
    must_reject(world, &order, wrong, "order_by is not followed by a member");
    order.order.by = (sett_search_operand)MEMBER("none");
    must_reject(world, &order, wrong, "has no member");
    order.order.by = (sett_search_operand){.kind = (sett_operand_kind)99};
    must_reject(world, &order, wrong, "order");
    order.order.by = (sett_search_operand){.kind = SETT_OPERAND_ENTITY};
    order.order.group_by = Ship;
    must_reject(world, &order, wrong,
                "group_by is not followed by an exclusive relationship - name one");
    order.order.group_by = 900;
    must_reject(world, &order, wrong,
                "group_by is not followed by an exclusive relationship - name one");
    CHECK(sett_search_create_sized(world, TERM(.component = Ship), sizeof(sett_search_desc),
                                   sizeof(sett_search_term) + 8) == NULL);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_MISMATCH);
    CHECK_EQ(sett_search_destroy(NULL), SETT_OK);
    CHECK_END(world);
}

/* What the table above says is wrong is all that is: nearly the same is found. */
static void right_neighbours_are_found(void)
{
    sett_world* world = begin();
    const sett_search_operand seven = {.kind = SETT_OPERAND_INTEGER, .integer = 7};
    const sett_search_operand two = {.kind = SETT_OPERAND_NUMBER, .number = 2};
    const sett_search_desc* const right[] = {
        TERM(.component = Ship),
        TERM(.kind = SETT_SEARCH_COMPARE, .left = MEMBER("n"), .right = seven),
        TERM(.kind = SETT_SEARCH_COMPARE, .left = MEMBER("f"), .right = two),
        TERM(.kind = SETT_SEARCH_COMPARE, .left = MEMBER("n"), .right = two,
             .compare = SETT_COMPARE_GREATER),
        TERM(.component = Ship, .walk = SETT_WALK_SELF_UP),
        TERMS(3, {.kind = SETT_SEARCH_BEGIN}, {.component = Ship}, {.kind = SETT_SEARCH_END}),
        TERMS(2, {.component = DockedAt, .or_next = true}, {.component = Cargo_id}),
    };
    for (uint32_t k = 0; k < sizeof(right) / sizeof(right[0]); k++) {
        sett_search* search = sett_search_create_desc(world, right[k]);
        CHECK_MSG(search != NULL, "%s", sett_world_message(world));
        uint32_t count = 0;
        SETT_SEARCH(search, rows, i)
        {
            CHECK_ENTITY_EQ(sett_rows_entity(rows, 0, i), earth);
            count++;
        }
        CHECK_EQ(count, 1);
        CHECK_EQ(sett_search_destroy(search), SETT_OK);
    }
    CHECK_END(world);
}

TEST_MAIN(TEST(each_limit_is_reached_and_not_passed), TEST(the_most_lists_of_a_text_fit),
          TEST(wrong_descriptors_are_explained), TEST(right_neighbours_are_found))

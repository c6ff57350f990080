/* test_relationship.c: links between entities, both ways, and what the end of either side means. */
#include "chance.h"
#include "scarce.h"
#include "sett/hierarchy.h"
#include "sett/observer.h"
#include "sett/relationship.h"
#include "sett/state.h"

#include "relation/chain.h"

typedef struct Owes {
    sett_link link;
    int32_t amount;
} Owes;

typedef struct Position {
    float x, y;
} Position;

static sett_world* world;
static sett_component owes;  /* exclusive, with data */
static sett_component likes; /* many, with data */
static sett_entity e[16];

static void begin(const sett_relationship_desc* more)
{
    sett_world_desc desc = {.log_fn = sett_log_silent};
    sett_relationship_desc exclusive = {.name = "Owes", .size = 4, .align = 4};
    sett_relationship_desc many = {.name = "Likes", .size = 8, .align = 8, .many = true};
    if (more != NULL) {
        exclusive.on_target_destroyed = many.on_target_destroyed = more->on_target_destroyed;
        exclusive.on_source_destroyed = many.on_source_destroyed = more->on_source_destroyed;
        exclusive.storage = more->storage;
    }
    world = sett_world_create(&desc);
    CHECK(world != NULL);
    owes = sett_relationship_register(world, &exclusive);
    likes = sett_relationship_register(world, &many);
    CHECK(owes != 0 && likes != 0);
    for (uint32_t k = 0; k < 16; k++) {
        e[k] = sett_entity_create(world);
    }
}

/* The sources of a target, as a number with a digit for each. */
static uint64_t sources_of(sett_component relationship, sett_entity target)
{
    sett_link_cursor cursor = {0};
    uint64_t digits = 0;
    uint32_t count = 0;
    for (sett_entity at; !sett_is_null(at = sett_source_next(world, relationship, target, &cursor));
         count++) {
        digits = digits * 16 + at.index;
    }
    CHECK_EQ(count, sett_source_count(world, relationship, target));
    return digits;
}

static uint64_t targets_of(sett_component relationship, sett_entity source)
{
    sett_link_cursor cursor = {0};
    uint64_t digits = 0;
    uint32_t count = 0;
    for (sett_entity at; !sett_is_null(at = sett_target_next(world, source, relationship, &cursor));
         count++) {
        digits = digits * 16 + at.index;
        CHECK_PTR_EQ(cursor.data, sett_related(world, source, relationship, at));
    }
    CHECK_EQ(count, sett_target_count(world, source, relationship));
    return digits;
}

static void exclusive_has_one_target(void)
{
    begin(NULL);
    int32_t* amount = sett_relate(world, e[1], owes, e[2]);
    CHECK(amount != NULL);
    CHECK_EQ(*amount, 0);
    *amount = 5;
    const Owes* value = sett_get(world, e[1], owes);
    CHECK_ENTITY_EQ(value->link.target, e[2]);
    CHECK_EQ(value->amount, 5);
    CHECK_ENTITY_EQ(sett_target(world, e[1], owes), e[2]);
    CHECK_EQ(targets_of(owes, e[1]), 2);
    CHECK_EQ(sources_of(owes, e[2]), 1);
    CHECK_PTR_EQ(sett_related(world, e[1], owes, e[2]), &value->amount);
    CHECK(sett_related(world, e[1], owes, e[3]) == NULL);
    CHECK(sett_is_related(world, e[1], owes, e[2]) && !sett_is_related(world, e[1], owes, e[3]));
    CHECK(sett_related(world, e[2], owes, e[1]) == NULL);

    CHECK(sett_relate(world, e[1], owes, e[3]) != NULL); /* turned, data kept */
    CHECK_EQ(*(const int32_t*)sett_related(world, e[1], owes, e[3]), 5);
    CHECK_EQ(sources_of(owes, e[2]), 0);
    CHECK_EQ(sources_of(owes, e[3]), 1);
    CHECK_EQ(sett_unrelate(world, e[1], owes, e[2]), SETT_STATUS_ABSENT);
    CHECK_EQ(sett_unrelate(world, e[1], owes, e[3]), SETT_OK);
    CHECK(!sett_has(world, e[1], owes));
    CHECK_EQ(sett_source_count(world, owes, e[3]), 0);
    CHECK(sett_is_null(sett_target(world, e[1], owes)));
    CHECK_END(world);
}

static void sources_keep_their_order(void)
{
    begin(NULL);
    for (uint32_t k = 1; k < 8; k++) {
        CHECK(sett_relate(world, e[k], owes, e[0]) != NULL);
        CHECK(sett_relate(world, e[k], likes, e[0]) != NULL);
        CHECK(sett_relate(world, e[0], likes, e[k]) != NULL);
    }
    CHECK_EQ(sources_of(owes, e[0]), 0x1234567);
    CHECK_EQ(sources_of(likes, e[0]), 0x1234567);
    CHECK_EQ(targets_of(likes, e[0]), 0x1234567);
    CHECK_VALID(world);
    CHECK_EQ(sett_remove(world, e[1], owes), SETT_OK);
    CHECK_EQ(sett_unrelate(world, e[7], owes, e[0]), SETT_OK);
    CHECK_EQ(sett_unrelate(world, e[4], owes, e[0]), SETT_OK);
    CHECK_EQ(sett_unrelate(world, e[1], likes, e[0]), SETT_OK);
    CHECK_EQ(sett_unrelate(world, e[4], likes, e[0]), SETT_OK);
    CHECK_EQ(sett_unrelate(world, e[0], likes, e[7]), SETT_OK);
    CHECK_EQ(sources_of(owes, e[0]), 0x2356);
    CHECK_EQ(sources_of(likes, e[0]), 0x23567);
    CHECK_EQ(targets_of(likes, e[0]), 0x123456);
    CHECK_VALID(world);
    CHECK_EQ(sett_entity_destroy(world, e[3]), SETT_OK);
    CHECK_EQ(sources_of(owes, e[0]), 0x256);
    CHECK_EQ(sources_of(likes, e[0]), 0x2567);
    CHECK_EQ(targets_of(likes, e[0]), 0x12456);
    CHECK_END(world);
}

static void many_carry_data_each(void)
{
    begin(NULL);
    for (uint32_t s = 0; s < 8; s++) {
        for (uint32_t t = 0; t < 8; t++) {
            uint64_t* data = sett_relate(world, e[s], likes, e[t]);
            CHECK_EQ(*data, 0);
            *data = s * 100 + t;
        }
    }
    CHECK_VALID(world);
    CHECK_EQ(*(uint64_t*)sett_relate(world, e[3], likes, e[5]), 305); /* it exists already */
    for (uint32_t k = 0; k < 8; k++) {
        CHECK_EQ(sett_unrelate(world, e[k], likes, e[(k * 3) % 8]), SETT_OK);
        CHECK_EQ(sett_unrelate(world, e[k], likes, e[(k * 3) % 8]), SETT_STATUS_ABSENT);
        CHECK_VALID(world);
    }
    for (uint32_t s = 0; s < 8; s++) {
        CHECK_EQ(sett_target_count(world, e[s], likes), 7);
        for (uint32_t t = 0; t < 8; t++) {
            const uint64_t* data = sett_related(world, e[s], likes, e[t]);
            CHECK_EQ(data == NULL, t == (s * 3) % 8);
            CHECK(data == NULL || *data == s * 100 + t);
            CHECK_PTR_EQ(sett_related_mut(world, e[s], likes, e[t]), data);
        }
    }
    CHECK_EQ(sett_remove(world, e[2], likes), SETT_OK);
    CHECK_EQ(sett_target_count(world, e[2], likes), 0);
    CHECK_EQ(sett_source_count(world, likes, e[0]), 6);
    CHECK_EQ(sett_component_clear(world, likes), SETT_OK);
    CHECK_EQ(sett_component_count(world, likes), 0);
    CHECK_END(world);
}

/* Links end under a walk that has just returned them. */
static void walks_survive_the_end_of_what_they_returned(void)
{
    for (uint32_t step = 1; step < 4; step++) {
        begin(NULL);
        for (uint32_t k = 1; k < 12; k++) {
            CHECK(sett_relate(world, e[0], likes, e[k]) != NULL);
            CHECK(sett_relate(world, e[k], likes, e[0]) != NULL);
            CHECK(sett_relate(world, e[k], owes, e[0]) != NULL);
        }
        uint32_t seen[3] = {0, 0, 0};
        sett_link_cursor cursor = {0};
        for (sett_entity at; !sett_is_null(at = sett_target_next(world, e[0], likes, &cursor));) {
            if (++seen[0] % step == 0) {
                CHECK_EQ(sett_unrelate(world, e[0], likes, at), SETT_OK);
            }
        }
        cursor = (sett_link_cursor){0};
        for (sett_entity at; !sett_is_null(at = sett_source_next(world, likes, e[0], &cursor));) {
            if (++seen[1] % step == 0) {
                CHECK_EQ(sett_unrelate(world, at, likes, e[0]), SETT_OK);
            }
        }
        cursor = (sett_link_cursor){0};
        for (sett_entity at; !sett_is_null(at = sett_source_next(world, owes, e[0], &cursor));) {
            if (++seen[2] % step == 0) {
                CHECK_EQ(sett_entity_destroy(world, at), SETT_OK);
            }
        }
        CHECK_EQ(seen[0], 11);
        CHECK_EQ(seen[1], 11);
        CHECK_EQ(seen[2], 11);
        CHECK_EQ(sett_source_count(world, owes, e[0]), 11 - 11 / step);
        CHECK_END(world);
    }
}

static void an_entity_may_lead_to_itself(void)
{
    begin(NULL);
    CHECK(sett_relate(world, e[1], owes, e[1]) != NULL);
    CHECK(sett_relate(world, e[1], likes, e[1]) != NULL);
    CHECK(sett_relate(world, e[2], owes, e[1]) != NULL);
    CHECK_VALID(world);
    CHECK_EQ(sources_of(owes, e[1]), 0x12);
    CHECK_EQ(sett_entity_destroy(world, e[1]), SETT_OK);
    CHECK(!sett_has(world, e[2], owes));
    CHECK_END(world);
}

static void presence_is_a_plain_term(void)
{
    begin(NULL);
    sett_component Position_id = SETT_REGISTER(world, Position);
    for (uint32_t k = 0; k < 16; k++) {
        CHECK(SETT_ADD(world, e[k], Position) != NULL);
    }
    for (uint32_t k = 0; k < 6; k++) {
        CHECK(sett_relate(world, e[k], owes, e[k % 2 + 10]) != NULL);
    }
    sett_query* any = sett_query_create(
        world,
        &(sett_query_desc){.terms = {SETT_IN(Position),
                                     {.component = owes, .access = SETT_IN, .kind = SETT_WITH}}});
    sett_query* none = sett_query_create(
        world, &(sett_query_desc){
                   .terms = {SETT_IN(Position),
                             {.component = owes, .access = SETT_NONE, .kind = SETT_WITHOUT}}});
    CHECK_EQ(sett_query_count(any), 6);
    CHECK_EQ(sett_query_count(none), 10);
    sett_query* targets = sett_query_create(
        world, &(sett_query_desc){.terms = {{.component = sett_relationship_sources(world, owes),
                                             .access = SETT_IN,
                                             .kind = SETT_WITH}}});
    CHECK_EQ(sett_query_count(targets), 2);

    CHECK_EQ(sett_remove(world, e[2], Position_id), SETT_OK);
    CHECK(sett_query_matches(any, e[0]) && !sett_query_matches(any, e[2]));
    CHECK_END(world);
}

static void misuse_is_rejected(void)
{
    begin(NULL);
    sett_component Position_id = SETT_REGISTER(world, Position);
    sett_component sources = sett_relationship_sources(world, owes);
    CHECK(sources != 0);
    CHECK_EQ(sett_relationship_sources(world, Position_id), 0);
    CHECK(sett_relate(world, e[0], Position_id, e[1]) == NULL);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_ARGUMENT);
    CHECK(sett_relate(world, e[0], owes, sett_null()) == NULL);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_STALE);
    CHECK(sett_relate(world, sett_null(), owes, e[0]) == NULL);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_STALE);
    CHECK(sett_add(world, e[0], owes) == NULL);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_ARGUMENT);
    CHECK(sett_set(world, e[0], owes, &(Owes){.amount = 1}) == NULL);
    CHECK(sett_ensure(world, e[0], owes) == NULL);
    CHECK(sett_add(world, e[0], sources) == NULL);
    CHECK_EQ(sett_entity_create_many(world, 2, &owes, 1, NULL, NULL), SETT_STATUS_ARGUMENT);
    CHECK(sett_component_register(world, &(sett_component_desc){.name = "Debtor",
                                                                .required = &owes,
                                                                .required_count = 1}) == 0);
    CHECK(sett_relate(world, e[0], owes, e[1]) != NULL);
    CHECK(sett_set(world, e[0], owes, &(Owes){.link.target = e[2], .amount = 7}) == NULL);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_ARGUMENT);
    CHECK_ENTITY_EQ(sett_target(world, e[0], owes), e[1]); /* a link is not a value to be set */
    CHECK_EQ(*(const int32_t*)sett_related(world, e[0], owes, e[1]), 0);
    CHECK_EQ(sett_remove(world, e[1], sources), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_component_clear(world, sources), SETT_STATUS_ARGUMENT);
    sett_query* query = sett_query_create(world, &(sett_query_desc){.name = "all"});
    SETT_QUERY_EACH(query, batch) {
        CHECK(sett_relate(world, e[0], owes, e[2]) == NULL);
        CHECK_EQ(sett_world_error(world), SETT_STATUS_LOCKED);
        CHECK_EQ(sett_unrelate(world, e[0], owes, e[1]), SETT_STATUS_LOCKED);
        CHECK(strstr(sett_world_message(world), "sett_unrelate: a loop") != NULL);
        CHECK_EQ(sett_unrelate_sources(world, owes, e[1]), SETT_STATUS_LOCKED);
    }
    CHECK_EQ(sett_relationship_register(world, &(sett_relationship_desc){.name = "Owes"}), 0);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_CONFLICT);
    CHECK_EQ(sett_relationship_register(world, &(sett_relationship_desc){.name = "Position"}), 0);
    CHECK_EQ(sett_relationship_register(
                 world, &(sett_relationship_desc){.name = "Owes", .size = 4, .align = 4}),
             owes);
    CHECK_END(world);
}

/* An entity that is cleared loses its own links; those that lead to it are others' components. */
static void acyclic_links_close_no_circle(void)
{
    sett_world* of = quiet_world();
    sett_relationship_desc desc = {.name = "ReportsTo", .acyclic = true};
    sett_component reports = sett_relationship_register(of, &desc);
    sett_entity chain[4];
    for (uint32_t k = 0; k < 4; k++) {
        chain[k] = sett_entity_create(of);
        CHECK(k == 0 || sett_relate(of, chain[k], reports, chain[k - 1]) != NULL);
    }
    CHECK(sett_relate(of, chain[0], reports, chain[3]) == NULL);
    CHECK_EQ(sett_world_error(of), SETT_STATUS_CYCLE);
    CHECK(strstr(sett_world_message(of), "a \"ReportsTo\" link from entity 0:1 to 3:1") != NULL);
    CHECK(sett_relate(of, chain[2], reports, chain[2]) == NULL);
    CHECK_ENTITY_EQ(sett_target(of, chain[2], reports), chain[1]);
    CHECK(sett_relate(of, chain[3], reports, chain[0]) != NULL); /* redirected */
    CHECK(sett_relate(of, chain[2], reports, chain[3]) != NULL);
    desc.acyclic = false;
    CHECK_EQ(sett_relationship_register(of, &desc), 0);
    CHECK_EQ(sett_world_error(of), SETT_STATUS_CONFLICT);
    desc = (sett_relationship_desc){.name = "Needs", .acyclic = true, .many = true};
    CHECK_EQ(sett_relationship_register(of, &desc), 0);
    sett_world* copy = quiet_world();
    CHECK_EQ(sett_world_clone(of, copy), SETT_OK);
    CHECK(sett_relate(copy, chain[0], reports, chain[2]) == NULL);
    CHECK_END(copy);
    CHECK_END(of);
}

typedef struct ruling {
    uint32_t asked;
    sett_entity rejected; /* as a target */
    bool locked;          /* structure could not change meanwhile */
} ruling;

static bool may_relate(sett_world* of, sett_entity source, sett_entity target, void* user)
{
    ruling* ruled = user;
    CHECK(sett_entity_valid(of, source) && sett_entity_valid(of, target));
    ruled->asked++;
    ruled->locked = sett_entity_destroy(of, source) == SETT_STATUS_LOCKED;
    return !sett_equals(target, ruled->rejected);
}

static void a_hook_rejects_links(void)
{
    for (uint32_t many = 0; many < 2; many++) {
        sett_world* of = quiet_world();
        ruling ruled = {0};
        sett_component rated = sett_relationship_register(
            of, &(sett_relationship_desc){
                    .name = "Likes", .many = many != 0, .may_relate = may_relate, .user = &ruled});
        sett_entity a = sett_entity_create(of);
        sett_entity b = sett_entity_create(of);
        ruled.rejected = sett_entity_create(of);
        CHECK(sett_relate(of, a, rated, b) != NULL);
        CHECK(sett_relate(of, a, rated, b) != NULL);
        CHECK_EQ(ruled.asked, 1); /* not for a link that exists */
        CHECK(ruled.locked);
        CHECK(sett_relate(of, a, rated, ruled.rejected) == NULL);
        CHECK_EQ(sett_world_error(of), SETT_STATUS_REJECTED);
        CHECK(strstr(sett_world_message(of), "`may_relate` of \"Likes\" rejects a link from "
                                             "entity 0:1 to 2:1") != NULL);
        CHECK(sett_relate_set(of, a, rated, ruled.rejected, NULL) == NULL);
        CHECK(strstr(sett_world_message(of), "sett_relate_set: `may_relate` of") != NULL);
        CHECK_EQ(sett_target_count(of, a, rated), 1);
        CHECK_ENTITY_EQ(sett_target(of, a, rated), b);
        CHECK(!sett_has(of, ruled.rejected, sett_relationship_sources(of, rated)));

        sett_commands* commands = sett_commands_here(of);
        CHECK_EQ(sett_cmd_relate(commands, b, rated, ruled.rejected, NULL), SETT_OK);
        CHECK_EQ(sett_cmd_relate(commands, b, rated, a, NULL), SETT_OK);
        CHECK_EQ(sett_commands_apply(commands), SETT_OK); /* the others are applied */
        CHECK_EQ(sett_target_count(of, b, rated), 1);
        CHECK_EQ(ruled.asked, 5);
        CHECK_ENTITY_EQ(sett_target(of, b, rated), a);

        ruled.rejected = b; /* links that come with a state are not asked for */
        CHECK(!sett_is_null(sett_duplicate(of, a, NULL)));
        CHECK_EQ(ruled.asked, 5);
        CHECK_EQ(sett_source_count(of, rated, b), 2);
        CHECK_END(of);
    }
}

/* In random trees each link is rejected that would form a cycle, and no other: whether the way
 * from the target up or the tree below the source ends first. */
static void circles_are_found_from_both_ends(void)
{
    sett_world* of = quiet_world();
    sett_relationship_desc desc = {.name = "ReportsTo", .acyclic = true};
    sett_component reports = sett_relationship_register(of, &desc);
    sett_entity entity[24];
    uint32_t up[24]; /* its own number: no target */
    uint32_t rejected = 0;
    uint64_t chance = 1;
    for (uint32_t k = 0; k < 24; k++) {
        entity[k] = sett_entity_create(of);
        up[k] = k;
    }
    for (uint32_t k = 0; k < 4000; k++) {
        chance = chance * 6364136223846793005u + 1442695040888963407u;
        uint32_t source = (uint32_t)(chance >> 33) % 24;
        uint32_t target = (uint32_t)(chance >> 48) % 24;
        if ((chance >> 60) == 0 && up[source] != source) {
            CHECK_EQ(sett_unrelate(of, entity[source], reports, entity[up[source]]), SETT_OK);
            up[source] = source;
        }
        uint32_t at = target;
        while (at != source && up[at] != at) {
            at = up[at];
        }
        bool made = sett_relate(of, entity[source], reports, entity[target]) != NULL;
        CHECK_EQ(made, at != source);
        CHECK(made || sett_world_error(of) == SETT_STATUS_CYCLE);
        up[source] = made ? target : up[source];
        rejected += !made;
    }
    CHECK(rejected > 400 && rejected < 3600);
    CHECK_END(of);
}

/* A link without data has zeroes, where another link's data lay before; with data has them. */
static void new_links_have_the_data_given(void)
{
    sett_world* of = quiet_world();
    sett_component owed = sett_relationship_register(
        of, &(sett_relationship_desc){.name = "Owed", .size = sizeof(int), .align = sizeof(int)});
    sett_entity source[3];
    sett_entity target = sett_entity_create(of);
    for (uint32_t k = 0; k < 3; k++) {
        source[k] = sett_entity_create(of);
        *(int*)sett_relate(of, source[k], owed, target) = 7;
    }
    CHECK_EQ(sett_unrelate(of, source[1], owed, target), SETT_OK);
    CHECK_EQ(*(int*)sett_relate(of, source[1], owed, target), 0);
    CHECK_EQ(sett_unrelate(of, source[2], owed, target), SETT_OK);
    sett_commands* commands = sett_commands_here(of);
    CHECK_EQ(sett_cmd_relate(commands, source[2], owed, target, &(int){9}), SETT_OK);
    CHECK_EQ(sett_commands_apply(commands), SETT_OK);
    CHECK_EQ(*(const int*)sett_related(of, source[2], owed, target), 9);
    CHECK_EQ(*(const int*)sett_related(of, source[0], owed, target), 7);
    CHECK_END(of);
}

static void the_nearest_that_has_it_is_found(void)
{
    sett_world* of = quiet_world();
    sett_component on = sett_relationship_register(of, &(sett_relationship_desc){.name = "On"});
    sett_component many =
        sett_relationship_register(of, &(sett_relationship_desc){.name = "Many", .many = true});
    sett_component has = sett_component_register(of, &(sett_component_desc){.name = "Has"});
    sett_entity chain[4];
    for (uint32_t k = 0; k < 4; k++) {
        chain[k] = sett_entity_create(of);
        CHECK(k == 0 || sett_relate(of, chain[k], on, chain[k - 1]) != NULL);
    }
    CHECK(sett_is_null(sett_find_up(of, chain[3], SETT_ID_HIERARCHY, has)));
    CHECK(sett_add(of, chain[1], has) != NULL);
    CHECK_ENTITY_EQ(sett_find_up(of, chain[3], on, has), chain[1]);
    CHECK_ENTITY_EQ(sett_find_up(of, chain[1], on, has), chain[1]);
    CHECK(sett_is_null(sett_find_up(of, chain[0], on, has)));
    CHECK(sett_relate(of, chain[0], on, chain[3]) != NULL); /* a circle */
    CHECK_ENTITY_EQ(sett_find_up(of, chain[0], on, has), chain[1]);
    CHECK_EQ(sett_component_clear(of, has), SETT_OK);
    CHECK(sett_is_null(sett_find_up(of, chain[3], on, has)));
    CHECK(sett_add(of, chain[0], has) != NULL);
    CHECK_EQ(sett_hierarchy_attach(of, chain[2], chain[0]), SETT_OK);
    CHECK_ENTITY_EQ(sett_find_up(of, chain[2], SETT_ID_HIERARCHY, has), chain[0]);
    CHECK(sett_is_null(sett_find_up(of, chain[2], many, has)));
    CHECK(sett_is_null(sett_find_up(of, chain[2], has, has)));
    CHECK(sett_is_null(sett_find_up(of, chain[2], on, 999)));
    CHECK(sett_is_null(sett_find_up(of, sett_null(), on, has)));
    CHECK_END(of);
}

static void clearing_keeps_what_leads_here(void)
{
    begin(NULL);
    sett_component Position_id = SETT_REGISTER(world, Position);
    CHECK(SETT_ADD(world, e[1], Position) != NULL);
    CHECK(sett_relate(world, e[1], owes, e[2]) != NULL);
    CHECK(sett_relate(world, e[3], owes, e[1]) != NULL);
    CHECK(sett_relate(world, e[3], likes, e[1]) != NULL);
    CHECK_EQ(sett_entity_clear(world, e[1]), SETT_OK);
    CHECK(!SETT_HAS(world, e[1], Position));
    CHECK_EQ(sett_source_count(world, owes, e[2]), 0);
    CHECK_EQ(sources_of(owes, e[1]), 3);
    CHECK_EQ(sources_of(likes, e[1]), 3);
    CHECK_VALID(world);
    CHECK_EQ(sett_unrelate_sources(world, likes, e[1]), SETT_OK);
    CHECK_EQ(sett_unrelate_sources(world, likes, e[1]), SETT_OK);
    CHECK(!sett_has(world, e[3], likes));
    CHECK(sett_has(world, e[3], owes));
    CHECK_END(world);
}

static void ends_of_targets_remove_links(void)
{
    begin(NULL);
    for (uint32_t k = 1; k < 6; k++) {
        CHECK(sett_relate(world, e[k], owes, e[0]) != NULL);
        CHECK(sett_relate(world, e[k], likes, e[0]) != NULL);
    }
    CHECK(sett_relate(world, e[2], likes, e[9]) != NULL);
    CHECK(sett_relate(world, e[3], owes, e[9]) != NULL);
    CHECK_EQ(sett_entity_destroy(world, e[0]), SETT_OK);
    CHECK_EQ(sett_component_count(world, owes), 1);
    CHECK_EQ(sett_component_count(world, likes), 1);
    CHECK_EQ(targets_of(likes, e[2]), 9);
    CHECK_EQ(sources_of(owes, e[9]), 3);
    CHECK_EQ(sett_entity_count(world), 15);
    CHECK_END(world);
}

static void ends_spread(void)
{
    begin(&(sett_relationship_desc){.on_target_destroyed = SETT_CLEANUP_DESTROY});
    for (uint32_t k = 1; k < 10; k++) { /* a chain, and a circle of another relationship */
        CHECK(sett_relate(world, e[k], owes, e[k - 1]) != NULL);
        CHECK(sett_relate(world, e[k], likes, e[k % 9 + 1]) != NULL);
    }
    CHECK(sett_relate(world, e[10], likes, e[11]) != NULL);
    CHECK_EQ(sett_entity_destroy(world, e[5]), SETT_OK);
    CHECK_EQ(sett_entity_count(world), 7); /* e[0], and the six that take no part */
    CHECK(sett_entity_valid(world, e[10]));
    CHECK_VALID(world);
    CHECK_EQ(sett_entity_destroy(world, e[10]), SETT_OK);
    CHECK(sett_entity_valid(world, e[11]));
    CHECK_END(world);

    begin(&(sett_relationship_desc){.on_source_destroyed = SETT_CLEANUP_DESTROY});
    for (uint32_t k = 1; k < 5; k++) {
        CHECK(sett_relate(world, e[0], likes, e[k]) != NULL);
    }
    CHECK(sett_relate(world, e[4], owes, e[7]) != NULL);
    CHECK(sett_relate(world, e[8], owes, e[4]) != NULL);
    CHECK_EQ(sett_entity_destroy(world, e[0]), SETT_OK);
    CHECK_EQ(sett_entity_count(world), 10);
    CHECK(!sett_entity_valid(world, e[7]));
    CHECK(sett_entity_valid(world, e[8]));
    CHECK(!sett_has(world, e[8], owes));
    CHECK_END(world);
}

static void ends_are_rejected(void)
{
    begin(&(sett_relationship_desc){.on_target_destroyed = SETT_CLEANUP_REJECT});
    CHECK(sett_relate(world, e[1], owes, e[0]) != NULL);
    CHECK_EQ(sett_entity_destroy(world, e[0]), SETT_STATUS_REJECTED);
    CHECK(strstr(sett_world_message(world), "Owes") != NULL);
    CHECK(sett_entity_valid(world, e[0]));
    CHECK_VALID(world);
    CHECK_EQ(sett_entity_destroy(world, e[1]), SETT_OK);
    CHECK_EQ(sett_entity_destroy(world, e[0]), SETT_OK);
    CHECK(sett_relate(world, e[2], owes, e[2]) != NULL); /* goes together */
    CHECK_EQ(sett_entity_destroy(world, e[2]), SETT_OK);
    CHECK(sett_relate(world, e[4], likes, e[5]) != NULL);
    CHECK_EQ(sett_world_clear(world), SETT_OK); /* no policy rejects */
    CHECK_EQ(sett_entity_count(world), 0);
    CHECK_END(world);

    begin(&(sett_relationship_desc){.on_source_destroyed = SETT_CLEANUP_REJECT});
    CHECK(sett_relate(world, e[1], likes, e[0]) != NULL);
    CHECK_EQ(sett_entity_destroy(world, e[1]), SETT_STATUS_REJECTED);
    CHECK_EQ(sett_entity_destroy(world, e[0]), SETT_OK);
    CHECK_EQ(sett_entity_destroy(world, e[1]), SETT_OK);
    CHECK_END(world);
}

static void count_ends(sett_world* in, sett_entity entity, void* value, void* user)
{
    CHECK(sett_entity_valid(in, entity) && value != NULL);
    ++*(uint32_t*)user;
}

/* However a whole world ends, and whichever end of a link is the first to go. */
static void all_entities_end_with_any_cleanup(void)
{
    for (uint32_t way = 0; way < 4 * 9 * 4; way++) {
        sett_cleanup on_target = (sett_cleanup)(way / 4 % 3);
        sett_cleanup on_source = (sett_cleanup)(way / 12 % 3);
        bool upwards = way / 36 % 2 != 0; /* sources have the lower indices */
        bool observed = way / 72 != 0;
        uint32_t ends = 0;
        begin(&(sett_relationship_desc){.on_target_destroyed = on_target,
                                        .on_source_destroyed = on_source});
        sett_world* other = world;
        begin(&(sett_relationship_desc){.on_target_destroyed = on_target,
                                        .on_source_destroyed = on_source});
        sett_observer_desc sees = {.component = owes, .on_remove = count_ends, .user = &ends};
        CHECK(!observed || sett_observer_create(world, &sees) != NULL);
        for (uint32_t k = 0; k < 14; k += 2) {
            sett_entity source = upwards ? e[k] : e[k + 1];
            sett_entity target = upwards ? e[k + 1] : e[k];
            CHECK(sett_relate(world, source, owes, target) != NULL);
            CHECK(sett_relate(world, source, likes, target) != NULL);
            CHECK(sett_relate(world, source, likes, e[15 - k]) != NULL);
        }
        sett_status status = SETT_OK;
        switch (way % 4) {
        case 0: /* sett_world_destroy alone */
            break;
        case 1:
            status = sett_world_clear(world);
            CHECK_EQ(sett_entity_count(world), 0);
            break;
        case 2:
            status = sett_world_clone(other, world);
            CHECK_EQ(sett_entity_count(world), 16);
            break;
        default:
            status = sett_component_clear(world, likes);
            status = status == SETT_OK ? sett_world_clear(world) : status;
            break;
        }
        CHECK_EQ(status, SETT_OK);
        CHECK_EQ(ends, observed && way % 4 != 0 ? 7 : 0);
        CHECK_END(world);
        CHECK_EQ(ends, observed ? 7 : 0);
        CHECK_END(other);
    }
}

/* One destruction takes several links, of several relationships, from one entity that stays. */
static void survivors_lose_all_that_leads_to_the_dead(void)
{
    begin(NULL);
    sett_component below = sett_relationship_register(
        world,
        &(sett_relationship_desc){.name = "Below", .on_target_destroyed = SETT_CLEANUP_DESTROY});
    sett_component Position_id = SETT_REGISTER(world, Position);
    sett_component tags[4];
    for (uint32_t k = 0; k < 4; k++) {
        char name[8] = {'T', (char)('0' + k), 0};
        tags[k] = sett_component_register(world, &(sett_component_desc){.name = name});
    }
    for (uint32_t k = 1; k < 5; k++) {
        CHECK(sett_relate(world, e[k], below, e[0]) != NULL);
    }
    for (uint32_t k = 6; k < 10; k++) {
        CHECK(SETT_ADD(world, e[k], Position) != NULL);
        CHECK(sett_add(world, e[k], tags[k - 6]) != NULL);
        CHECK(sett_relate(world, e[k], owes, e[k - 5]) != NULL);
        for (uint32_t t = 0; t < 5; t++) {
            CHECK(sett_relate(world, e[k], likes, e[t]) != NULL);
        }
    }
    CHECK(sett_relate(world, e[7], likes, e[11]) != NULL);
    CHECK_EQ(sett_entity_destroy(world, e[0]), SETT_OK);
    CHECK_EQ(sett_entity_count(world), 11);
    CHECK_EQ(sett_component_count(world, owes), 0);
    CHECK_EQ(sett_component_count(world, likes), 1);
    CHECK_EQ(sett_component_count(world, below), 0);
    CHECK_EQ(targets_of(likes, e[7]), 11);
    CHECK_END(world);
}

static void sparse_and_converted_links_hold(void)
{
    begin(&(sett_relationship_desc){.storage = SETT_STORAGE_SPARSE_SET});
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t k = 1; k < 10; k++) {
            CHECK(sett_relate(world, e[k], owes, e[k % 3 == 0 ? 0 : 10]) != NULL);
        }
        CHECK_EQ(sources_of(owes, e[0]), 0x369);
        CHECK_EQ(sett_remove(world, e[3], owes), SETT_OK);
        CHECK_EQ(sources_of(owes, e[0]), 0x69);
        CHECK_EQ(sett_component_convert(
                     world, owes, round % 2 == 0 ? SETT_STORAGE_ARRAY : SETT_STORAGE_SPARSE_SET),
                 SETT_OK);
        CHECK_VALID(world);
        CHECK_EQ(sett_component_clear(world, owes), SETT_OK);
        CHECK_VALID(world);
    }
    CHECK_END(world);
}

static void links_are_recorded(void)
{
    begin(NULL);
    sett_commands* commands = sett_commands_here(world);
    sett_component sources = sett_relationship_sources(world, owes);
    sett_entity made = sett_cmd_create(commands);
    int32_t amount = 9;
    CHECK_EQ(sett_cmd_relate(commands, made, owes, e[1], &amount), SETT_OK);
    CHECK_EQ(sett_cmd_relate(commands, e[1], likes, made, NULL), SETT_OK);
    CHECK_EQ(sett_cmd_relate(commands, e[1], likes, e[2], NULL), SETT_OK);
    CHECK_EQ(sett_cmd_unrelate(commands, e[1], likes, made), SETT_OK);
    CHECK_EQ(sett_cmd_unrelate(commands, e[1], likes, e[3]), SETT_OK); /* none: skipped */
    CHECK_EQ(sett_cmd_relate(commands, e[3], owes, e[4], NULL), SETT_OK);
    CHECK_EQ(sett_cmd_relate(commands, e[4], owes, e[5], NULL), SETT_OK);
    CHECK_EQ(sett_cmd_add(commands, e[6], owes), SETT_OK); /* not the way: skipped */
    CHECK_EQ(sett_cmd_set(commands, e[6], owes, &(Owes){.amount = 3}), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_cmd_remove(commands, e[1], sources), SETT_OK);
    CHECK_EQ(sett_cmd_relate(commands, e[6], sources, e[1], NULL), SETT_STATUS_ARGUMENT);
    char text[1024];
    CHECK(sett_commands_describe(commands, text, sizeof(text)) < sizeof(text));
    CHECK(strstr(text, "\n2: relate entity ") != NULL);
    CHECK(strstr(text, "\n5: unrelate entity ") != NULL);
    CHECK_EQ(sett_entity_destroy(world, e[4]), SETT_OK);
    CHECK_EQ(sett_commands_apply(commands), SETT_OK);
    CHECK_EQ(sett_commands_count(commands), 0);
    CHECK_ENTITY_EQ(sett_target(world, made, owes), e[1]);
    CHECK_EQ(*(const int32_t*)sett_related(world, made, owes, e[1]), 9);
    CHECK_ENTITY_EQ(sett_target(world, e[1], likes), e[2]);
    CHECK_EQ(sett_target_count(world, e[1], likes), 1);
    CHECK_EQ(sett_component_count(world, owes), 1);
    CHECK_EQ(sett_cmd_relate(commands, e[1], likes, e[2], NULL), SETT_OK);
    sett_commands_clear(commands);
    CHECK_END(world);
}

/* A world whose links were made in some order, others in between. */
static sett_world* linked_world(uint32_t step)
{
    begin(NULL);
    for (uint32_t k = 0; k < 7; k++) {
        uint32_t at = k * step % 7;
        *(int32_t*)sett_relate(world, e[at], owes, e[at + 1]) = (int32_t)at;
        *(uint64_t*)sett_relate(world, e[at], likes, e[at + 2]) = at;
        CHECK(step == 1 || sett_relate(world, e[9], likes, e[at]) != NULL);
        *(uint64_t*)sett_relate(world, e[at], likes, e[9]) = at + 100;
    }
    CHECK(sett_relate(world, e[9], likes, e[0]) != NULL);
    CHECK(sett_relate(world, e[0], owes, e[9]) != NULL);
    CHECK(sett_relate(world, e[0], owes, e[1]) != NULL);
    for (uint32_t k = 0; k < 7; k++) { /* everything is a target once: that shows */
        CHECK(sett_relate(world, e[9], likes, e[k]) != NULL);
    }
    CHECK_EQ(sett_remove(world, e[9], likes), SETT_OK);
    return world;
}

static void links_are_part_of_the_state(void)
{
    char text[256];
    sett_world* a = linked_world(1);
    sett_world* b = linked_world(3);
    uint64_t hash = sett_world_hash(a);
    CHECK_EQ(hash, sett_world_hash(b));
    CHECK_EQ(sett_world_difference(a, b, text, sizeof(text)), 0);
    *(uint64_t*)sett_related_mut(b, e[2], likes, e[4]) = 77;
    CHECK(hash != sett_world_hash(b));
    CHECK(sett_world_difference(a, b, text, sizeof(text)) != 0);
    CHECK_MSG(strstr(text, "Likes") != NULL, "%s", text);
    *(uint64_t*)sett_related_mut(b, e[2], likes, e[4]) = 2;
    CHECK_EQ(hash, sett_world_hash(b));
    CHECK_EQ(sett_unrelate(b, e[2], likes, e[4]), SETT_OK);
    *(uint64_t*)sett_relate(b, e[2], likes, e[8]) = 2;
    CHECK(hash != sett_world_hash(b));
    CHECK(sett_world_difference(a, b, text, sizeof(text)) != 0);
    CHECK_MSG(strstr(text, "only") != NULL, "%s", text);

    world = b; /* and it comes back */
    sett_snapshot snapshot;
    CHECK_EQ(sett_snapshot_take(b, &snapshot), SETT_OK);
    uint64_t before = sett_world_hash(b);
    uint64_t sources = sources_of(likes, e[9]);
    for (uint32_t round = 0; round < 3; round++) {
        CHECK_EQ(sett_entity_destroy(b, e[2]), SETT_OK);
        CHECK_EQ(sett_unrelate_sources(b, likes, e[9]), SETT_OK);
        for (uint32_t k = 3; k < 16; k++) {
            CHECK(sett_relate(b, e[k], likes, e[k * round % 13 + 3]) != NULL);
            CHECK(sett_relate(b, e[k], owes, e[3]) != NULL);
        }
        CHECK_VALID(world);
        CHECK(before != sett_world_hash(b));
        CHECK_EQ(sett_snapshot_restore(b, snapshot), SETT_OK);
        CHECK_VALID(world);
        CHECK_EQ(before, sett_world_hash(b));
        CHECK_EQ(sources, sources_of(likes, e[9]));
    }
    CHECK_EQ(sett_snapshot_drop(b, snapshot), SETT_OK);
    CHECK_EQ(sett_world_clone(b, a), SETT_OK);
    CHECK_EQ(before, sett_world_hash(a));
    world = a;
    CHECK_EQ(sources, sources_of(likes, e[9]));
    CHECK_EQ(sett_entity_destroy(a, e[9]), SETT_OK);
    CHECK_VALID(world);
    sett_world_destroy(a);
    sett_world_destroy(b);
}

typedef struct notified {
    uint32_t added, set, removed;
    sett_entity target; /* as it was when last told */
} notified;

static void on_added(sett_world* of, sett_entity entity, void* value, void* user)
{
    notified* t = user;
    t->added++;
    (void)value;
    t->target = sett_target(of, entity, owes);
    CHECK(sett_has(of, entity, likes) || !sett_is_null(t->target));
}

static void on_changed(sett_world* of, sett_entity entity, void* value, void* user)
{
    notified* t = user;
    (void)value;
    t->set++;
    t->target = sett_target(of, entity, owes);
}

static void on_removed(sett_world* of, sett_entity entity, void* value, void* user)
{
    notified* t = user;
    (void)value;
    t->removed++;
    t->target = sett_target(of, entity, owes);
    CHECK(sett_target_count(of, entity, owes) + sett_target_count(of, entity, likes) != 0);
}

static void observers_are_notified_of_links(void)
{
    begin(NULL);
    notified one = {0};
    notified many = {0};
    sett_observer_desc desc = {.component = owes,
                               .on_add = on_added,
                               .on_set = on_changed,
                               .on_remove = on_removed,
                               .user = &one};
    CHECK(sett_observer_create(world, &desc) != NULL);
    desc.component = likes;
    desc.user = &many;
    CHECK(sett_observer_create(world, &desc) != NULL);
    CHECK(sett_relate(world, e[0], owes, e[1]) != NULL);
    CHECK_EQ(one.added, 1);
    CHECK_ENTITY_EQ(one.target, e[1]); /* it leads there when callbacks run */
    CHECK(sett_relate(world, e[0], owes, e[2]) != NULL);
    CHECK_EQ(one.set, 1);
    CHECK_ENTITY_EQ(one.target, e[2]);
    CHECK(sett_relate(world, e[0], owes, e[2]) != NULL); /* nothing changes */
    CHECK_EQ(one.set, 1);
    CHECK_EQ(sett_entity_destroy(world, e[2]), SETT_OK);
    CHECK_EQ(one.removed, 1);
    CHECK_ENTITY_EQ(one.target, e[2]); /* and still then */
    for (uint32_t k = 1; k < 6; k++) {
        if (k != 2) {
            CHECK(sett_relate(world, e[0], likes, e[k]) != NULL);
        }
    }
    CHECK_EQ(many.added, 1);
    CHECK_EQ(many.set, 3);
    CHECK_EQ(sett_unrelate(world, e[0], likes, e[1]), SETT_OK);
    CHECK_EQ(sett_entity_destroy(world, e[3]), SETT_OK);
    CHECK_EQ(sett_unrelate_sources(world, likes, e[4]), SETT_OK);
    CHECK_EQ(many.set, 6);
    CHECK_EQ(sett_unrelate(world, e[0], likes, e[5]), SETT_OK);
    CHECK_EQ(many.removed, 1);
    CHECK_END(world);
}

static uint32_t hooks;

static void on_remove(sett_world* of, sett_entity entity, void* value, void* user)
{
    (void)value;
    (void)user;
    hooks++;
    CHECK(sett_entity_valid(of, entity));
    CHECK_EQ(sett_entity_destroy(of, entity), SETT_OK); /* it is being destroyed */
}

/* A chain that a stack would not hold, and no memory to be had. */
static void deep_chains_end_without_memory(void)
{
    enum {
        DEEP = 300000
    };
    static scarce_memory memory;
    sett_world* deep = scarce_world(&memory);
    sett_component follows = sett_relationship_register(
        deep,
        &(sett_relationship_desc){.name = "Follows", .on_target_destroyed = SETT_CLEANUP_DESTROY});
    sett_component watched = sett_component_register(
        deep, &(sett_component_desc){.name = "Watched", .on_remove = on_remove});
    sett_entity first = sett_entity_create(deep);
    sett_entity last = first;
    for (uint32_t k = 1; k < DEEP; k++) {
        sett_entity next = sett_entity_create(deep);
        CHECK(k % 1000 != 0 || sett_add(deep, next, watched) != NULL);
        CHECK(sett_relate(deep, next, follows, last) != NULL);
        last = next;
    }
    CHECK(sett_relate(deep, first, follows, last) != NULL); /* a circle */
    memory.closed = memory.strict = true;
    hooks = 0;
    CHECK_EQ(sett_entity_destroy(deep, first), SETT_OK);
    CHECK_EQ(hooks, DEEP / 1000 - 1);
    CHECK_EQ(sett_entity_count(deep), 0);
    memory.closed = memory.strict = false;
    CHECK_VALID(deep);
    scarce_end(&memory, deep);
}

/* ------------------------------------------------------------------------- memory that runs out */

typedef struct scarcity {
    sett_world* world;
    sett_component owes, likes;
    sett_entity e[8];
    sett_component types[8];
    uint32_t entities;
} scarcity;

static bool register_step(void* user)
{
    scarcity* s = user;
    s->likes = sett_relationship_register(
        s->world, &(sett_relationship_desc){.name = "Likes", .size = 8, .many = true});
    return s->likes != 0;
}

static bool relate_exclusive(void* user)
{
    scarcity* s = user;
    return sett_relate(s->world, s->e[1], s->owes, s->e[2]) != NULL;
}

static bool relate_many(void* user)
{
    scarcity* s = user;
    return sett_relate(s->world, s->e[3], s->likes, s->e[4]) != NULL;
}

static bool unrelate(void* user)
{
    scarcity* s = user;
    return sett_unrelate(s->world, s->e[1], s->owes, s->e[2]) == SETT_OK;
}

static bool destroy_target(void* user)
{
    scarcity* s = user;
    return sett_entity_destroy(s->world, s->e[0]) == SETT_OK;
}

static void nothing_related(void* user)
{
    const scarcity* s = user;
    CHECK_EQ(sett_component_count(s->world, s->owes), 0);
    CHECK_EQ(sett_component_count(s->world, sett_relationship_sources(s->world, s->owes)), 0);
}

static void none_liked(void* user)
{
    const scarcity* s = user;
    CHECK_EQ(sett_component_count(s->world, s->likes), 0);
    CHECK_EQ(sett_component_count(s->world, sett_relationship_sources(s->world, s->likes)), 0);
}

static void still_related(void* user)
{
    const scarcity* s = user;
    CHECK_ENTITY_EQ(sett_target(s->world, s->e[1], s->owes), s->e[2]);
}

static void all_alive(void* user)
{
    const scarcity* s = user;
    CHECK_EQ(sett_entity_count(s->world), s->entities);
    CHECK_EQ(sett_source_count(s->world, s->owes, s->e[0]), 5);
    CHECK_EQ(sett_source_count(s->world, s->likes, s->e[0]), 5);
}

static void memory_runs_out(void)
{
    static scarce_memory memory;
    scarcity s = {.world = scarce_world(&memory)};
    world = s.world;
    for (uint32_t k = 0; k < 8; k++) {
        char name[8] = {'T', (char)('0' + k), 0};
        s.e[k] = sett_entity_create(world);
        s.types[k] = sett_component_register(world, &(sett_component_desc){.name = name});
    }
    s.owes = sett_relationship_register(world, &(sett_relationship_desc){.name = "Owes"});
    scarce_run(world, &memory, register_step, NULL, &s);
    scarce_run(world, &memory, relate_exclusive, nothing_related, &s);
    scarce_run(world, &memory, relate_many, none_liked, &s);
    /* Sets of components that a removal has not led to yet. */
    for (uint32_t k = 1; k < 7; k++) {
        CHECK(sett_add(world, s.e[k], s.types[k]) != NULL);
    }
    scarce_run(world, &memory, unrelate, still_related, &s);
    CHECK_EQ(sett_remove(world, s.e[3], s.likes), SETT_OK);
    for (uint32_t k = 1; k < 6; k++) {
        CHECK(sett_relate(world, s.e[k], s.owes, s.e[0]) != NULL);
        CHECK(sett_relate(world, s.e[k], s.likes, s.e[0]) != NULL);
        CHECK(sett_add(world, s.e[k], s.types[k + 2]) != NULL);
    }
    s.entities = sett_entity_count(world);
    sett_group* without =
        sett_group_create(world, &(sett_group_desc){.with = {s.types[3]}, .without = {s.owes}});
    CHECK(without != NULL);
    CHECK_EQ(sett_world_trim(world), SETT_OK);
    scarce_run(world, &memory, destroy_target, all_alive, &s);
    CHECK_EQ(sett_component_count(world, s.owes), 0);
    CHECK_EQ(sett_component_count(world, s.likes), 0);
    CHECK(memory.failures > 20);
    scarce_end(&memory, world);
}

static void loops_over_links(void)
{
    begin(NULL);
    for (uint32_t k = 1; k < 5; k++) {
        *(int32_t*)sett_relate(world, e[k], owes, e[0]) = (int32_t)k;
        sett_relate(world, e[5], likes, e[k]);
    }
    int32_t sum = 0;
    for (uint32_t twice = 0; twice < 2; twice++) {
        SETT_SOURCES(world, owes, e[0], who, link) {
            sum += *(const int32_t*)link.data;
            if (sett_equals(who, e[2])) {
                CHECK_EQ(sett_unrelate(world, who, owes, e[0]), SETT_OK);
                continue;
            }
            if (sett_equals(who, e[3])) {
                break;
            }
        }
    }
    CHECK_EQ(sum, 1 + 2 + 3 + 1 + 3);
    uint32_t count = 0;
    SETT_TARGETS(world, e[5], likes, whom, link) {
        CHECK_PTR_EQ(link.data, sett_related(world, e[5], likes, whom));
        CHECK_ENTITY_EQ(whom, e[++count]);
    }
    CHECK_EQ(count, 4);
    CHECK_END(world);
}

/* Each of many leads to each of many: looking along lists grows with the number of links made. */
static void many_lead_to_many(void)
{
    enum {
        SIDE = 400
    };
    static sett_entity from[SIDE];
    static sett_entity to[SIDE];
    begin(NULL);
    setti_relation* relation = setti_relation_of(world, likes);
    CHECK_EQ(sett_entity_create_many(world, SIDE, NULL, 0, NULL, from), SETT_OK);
    CHECK_EQ(sett_entity_create_many(world, SIDE, NULL, 0, NULL, to), SETT_OK);
    uint64_t steps = 0;
    for (uint32_t k = 0; k < SIDE; k++) {
        for (uint32_t j = 0; j < SIDE; j++) {
            uint64_t walked = relation->walked;
            int64_t* data = sett_relate(world, from[k], likes, to[j]);
            CHECK(data != NULL);
            *data = (int64_t)k * SIDE + j;
            steps += relation->walked > walked ? relation->walked - walked : 0;
        }
    }
    CHECK(steps < 16 * SIDE * SIDE); /* about 200 times as many along lists */
    CHECK(relation->pair_capacity != 0);
    CHECK_VALID(world);
    sett_snapshot snapshot;
    CHECK_EQ(sett_snapshot_take(world, &snapshot), SETT_OK);
    uint64_t hash = sett_world_hash(world);
    for (uint32_t k = 0; k < SIDE; k += 2) {
        for (uint32_t j = k % 3; j < SIDE; j += 3) {
            CHECK_EQ(sett_unrelate(world, from[k], likes, to[j]), SETT_OK);
            CHECK(sett_related(world, from[k], likes, to[j]) == NULL);
        }
    }
    CHECK_VALID(world);
    CHECK_EQ(sett_entity_destroy(world, to[7]), SETT_OK);
    CHECK_VALID(world);
    CHECK_EQ(sett_snapshot_restore(world, snapshot), SETT_OK); /* the table is of another state */
    CHECK_EQ(sett_snapshot_drop(world, snapshot), SETT_OK);
    CHECK_EQ(sett_world_hash(world), hash);
    for (uint32_t k = 0; k < SIDE; k += 7) {
        for (uint32_t j = 0; j < SIDE; j++) {
            const int64_t* data = sett_relate(world, from[k], likes, to[j]);
            CHECK(data != NULL && *data == (int64_t)k * SIDE + j);
        }
    }
    CHECK_VALID(world);
    CHECK(relation->pair_capacity != 0 && relation->pair_epoch == world->epoch);
    CHECK_EQ(sett_world_trim(world), SETT_OK);
    CHECK_EQ(relation->pair_capacity, 0);
    CHECK(sett_related(world, from[SIDE - 1], likes, to[SIDE - 1]) != NULL);
    CHECK_END(world);
}

enum {
    SLOTS = 60
};

/* Entities with nothing but values and links, alone and in trees, come and go: where each leads is
 * what was noted. */
typedef struct slot {
    sett_entity entity; /* null: none */
    uint32_t parent, target;
} slot;

static void end_slot(slot* slots, uint32_t k)
{
    slots[k] = (slot){sett_null(), SLOTS, SLOTS};
    for (uint32_t n = 0; n < SLOTS; n++) {
        slots[n].target = slots[n].target == k ? SLOTS : slots[n].target;
        if (!sett_is_null(slots[n].entity) && slots[n].parent == k) {
            end_slot(slots, n);
        }
    }
}

static void plain_sources_end_quickly(void)
{
    slot slots[SLOTS];
    uint64_t chance = 7;
    sett_snapshot held = {0};
    for (uint32_t k = 0; k < SLOTS; k++) {
        slots[k] = (slot){sett_null(), SLOTS, SLOTS};
    }
    begin(NULL);
    sett_component a =
        sett_component_register(world, &(sett_component_desc){.name = "A", .size = 8, .align = 4});
    for (uint32_t step = 0; step < 20000; step++) {
        uint32_t k = chance_below(&chance, SLOTS);
        uint32_t other = chance_below(&chance, SLOTS);
        slot* s = &slots[k];
        if (sett_is_null(s->entity)) {
            *s = (slot){sett_entity_create(world), SLOTS, SLOTS};
            CHECK(sett_add(world, s->entity, a) != NULL);
            if (!sett_is_null(slots[other].entity) && other != k) {
                s->parent = other;
                CHECK_EQ(sett_hierarchy_attach(world, s->entity, slots[other].entity), SETT_OK);
            }
        } else if (chance_below(&chance, 3) == 0) {
            CHECK_EQ(sett_entity_destroy(world, s->entity), SETT_OK);
            end_slot(slots, k);
        } else if (!sett_is_null(slots[other].entity)) {
            CHECK(sett_relate(world, s->entity, owes, slots[other].entity) != NULL);
            s->target = other;
        }
        if (step % 1000 == 500) {
            CHECK_EQ(sett_snapshot_take(world, &held), SETT_OK);
        } else if (step % 1000 == 700) {
            CHECK_EQ(sett_snapshot_drop(world, held), SETT_OK);
        }
        for (uint32_t n = 0; n < SLOTS; n++) {
            CHECK_EQ(sett_entity_valid(world, slots[n].entity), !sett_is_null(slots[n].entity));
            sett_entity target = sett_is_null(slots[n].entity)
                                     ? sett_null()
                                     : sett_target(world, slots[n].entity, owes);
            CHECK(sett_equals(target, slots[n].target < SLOTS ? slots[slots[n].target].entity
                                                              : sett_null()));
        }
        if (step % 50 == 0) {
            CHECK_EQ(sett_world_validate(world, NULL), SETT_OK);
        }
    }
    CHECK_END(world);
}

/* Neither can be made by calls; a file that has either is rejected. */
static void what_no_file_may_have_is_reported(void)
{
    sett_world* own = quiet_world();
    const char* why = "";
    sett_component crowd =
        sett_relationship_register(own, &(sett_relationship_desc){.name = "many", .many = true});
    sett_component upward = sett_relationship_register(
        own, &(sett_relationship_desc){.name = "under", .acyclic = true});
    sett_entity at[4];
    for (uint32_t k = 0; k < 4; k++) {
        at[k] = sett_entity_create(own);
    }
    CHECK(sett_relate(own, at[0], upward, at[1]) != NULL);
    CHECK(sett_relate(own, at[2], upward, at[1]) != NULL);
    CHECK(sett_relate(own, at[1], upward, at[3]) != NULL);
    CHECK_VALID(own);
    own->receiving = true; /* circles are not looked for */
    CHECK(sett_relate(own, at[3], upward, at[0]) != NULL);
    own->receiving = false;
    CHECK_EQ(sett_world_validate(own, &why), SETT_STATUS_INVALID);
    CHECK_MSG(strstr(why, "in a circle") != NULL, "%s", why);
    CHECK_EQ(sett_unrelate(own, at[3], upward, at[0]), SETT_OK);
    CHECK_VALID(own);
    setti_relation* relation = setti_relation_of(own, crowd);
    CHECK(sett_relate(own, at[0], crowd, at[1]) != NULL && setti_chain_reserve(relation));
    (void)setti_chain_link(relation, at[0].index, at[1]);
    CHECK_EQ(sett_world_validate(own, &why), SETT_STATUS_INVALID);
    CHECK_MSG(strstr(why, "to another twice") != NULL, "%s", why);
    CHECK_EQ(sett_unrelate(own, at[0], crowd, at[1]), SETT_OK);
    CHECK_END(own);
}

TEST_MAIN(TEST(what_no_file_may_have_is_reported), TEST(many_lead_to_many), TEST(loops_over_links),
          TEST(exclusive_has_one_target), TEST(sources_keep_their_order),
          TEST(many_carry_data_each), TEST(walks_survive_the_end_of_what_they_returned),
          TEST(an_entity_may_lead_to_itself), TEST(presence_is_a_plain_term),
          TEST(misuse_is_rejected), TEST(acyclic_links_close_no_circle), TEST(a_hook_rejects_links),
          TEST(circles_are_found_from_both_ends), TEST(new_links_have_the_data_given),
          TEST(the_nearest_that_has_it_is_found), TEST(clearing_keeps_what_leads_here),
          TEST(all_entities_end_with_any_cleanup), TEST(ends_of_targets_remove_links),
          TEST(ends_spread), TEST(ends_are_rejected),
          TEST(survivors_lose_all_that_leads_to_the_dead), TEST(sparse_and_converted_links_hold),
          TEST(links_are_recorded), TEST(links_are_part_of_the_state),
          TEST(observers_are_notified_of_links), TEST(deep_chains_end_without_memory),
          TEST(plain_sources_end_quickly), TEST(memory_runs_out))

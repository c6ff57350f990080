/* test_merge.c: a file added to a world that goes on: what is created, matched, overwritten, where
 * references lead, who is notified when; and a naive merge by public calls, which ends in the same
 * state. */
#include "saved.h"

typedef struct Spot {
    int32_t x, y;
} Spot;

typedef struct Aim {
    sett_entity at;
    int32_t n;
} Aim;

typedef struct Badge {
    uint32_t number;
} Badge;

enum {
    SPOT = 1,
    AIM,
    BADGE,
    BLOB,
    TAG,
    LOOSE,
    MERGED_TYPES = LOOSE
};

static sett_component owns, likes, boss;

static void register_merged(sett_world* world)
{
    static const uint32_t in_data[] = {0};
    const sett_component_desc types[] = {
        {.name = "Spot", .size = sizeof(Spot), .id = SPOT, .members = SETT_STRUCT(Spot, x, y)},
        {.name = "Aim", .size = sizeof(Aim), .id = AIM, .members = SETT_STRUCT(Aim, at, n)},
        {.name = "Badge",
         .size = sizeof(Badge),
         .id = BADGE,
         .members = SETT_STRUCT(Badge, number)},
        {.name = "Blob", .size = 8, .id = BLOB},
        {.name = "Tag", .id = TAG},
        {.name = "Loose",
         .size = sizeof(Badge),
         .id = LOOSE,
         .dont_fragment = true,
         .members = SETT_STRUCT(Badge, number)},
    };
    for (uint32_t k = 0; k < MERGED_TYPES; k++) {
        CHECK_EQ(sett_component_register(world, &types[k]), types[k].id);
    }
    owns = sett_relationship_register(world, &(sett_relationship_desc){.name = "owns"});
    likes = sett_relationship_register(world, &(sett_relationship_desc){.name = "likes",
                                                                        .size = sizeof(sett_entity),
                                                                        .align = 4,
                                                                        .many = true,
                                                                        .entity_offsets = in_data,
                                                                        .entity_offset_count = 1});
    boss = sett_relationship_register(world,
                                      &(sett_relationship_desc){.name = "boss", .acyclic = true});
    CHECK(owns != 0 && likes != 0 && boss != 0);
}

static sett_world* merged_world(void)
{
    sett_world* world = quiet_world();
    register_merged(world);
    return world;
}

static sett_status merges(sett_world* world, disk* from, sett_merge_desc desc,
                          sett_merge_result* result)
{
    const sett_file_desc file = {.files = &from->files};
    desc.file = &file;
    return sett_world_merge(world, "f", &desc, result);
}

#define CHECK_MERGE(world, from, result, ...)                                                      \
    CHECK_MSG(merges((world), (from), (sett_merge_desc){__VA_ARGS__}, (result)) == SETT_OK, "%s",  \
              sett_world_message(world))

static void said(const sett_world* world, const char* text)
{
    CHECK_MSG(strstr(sett_world_message(world), text) != NULL, "%s", sett_world_message(world));
}

static sett_entity named(sett_world* world, sett_entity parent, const char* name)
{
    sett_entity entity = sett_entity_create(world);
    CHECK(sett_is_null(parent) || sett_hierarchy_attach(world, entity, parent) == SETT_OK);
    CHECK_EQ(sett_name_set(world, entity, name), SETT_OK);
    return entity;
}

static sett_entity at_path(const sett_world* world, const char* path)
{
    return sett_name_lookup(world, sett_null(), path);
}

static int32_t x_of(const sett_world* world, const char* path)
{
    const Spot* spot = sett_find(world, at_path(world, path), SPOT);
    return spot != NULL ? spot->x : -1;
}

/* "/den" with "/den/ant" and "/den/bee", who aim at each other and at "/far". */
static void fill(sett_world* world, int32_t x)
{
    sett_entity far = named(world, sett_null(), "far");
    sett_entity den = named(world, sett_null(), "den");
    sett_entity ant = named(world, den, "ant");
    sett_entity bee = named(world, den, "bee");
    sett_set(world, ant, SPOT, &(Spot){x, 1});
    sett_set(world, bee, SPOT, &(Spot){x + 1, 2});
    sett_set(world, ant, AIM, &(Aim){bee, 1});
    sett_set(world, bee, AIM, &(Aim){ant, 2});
    sett_set(world, den, AIM, &(Aim){far, 3});
    CHECK(sett_relate(world, ant, owns, bee) != NULL && sett_relate(world, bee, owns, ant) != NULL);
    *(sett_entity*)sett_relate(world, den, likes, far) = ant;
    *(sett_entity*)sett_relate(world, den, likes, bee) = far;
}

static disk* saved(sett_world* (*make)(void), void (*put)(sett_world*, int32_t), int32_t x,
                   sett_entity* ant)
{
    disk* to = disk_create();
    sett_world* world = make();
    put(world, x);
    saves(world, to, 9);
    *ant = at_path(world, "den/ant");
    CHECK_END(world);
    return to;
}

static void all_of_it_is_created(void)
{
    sett_entity ant;
    sett_merge_result result;
    disk* from = saved(merged_world, fill, 10, &ant);
    sett_world* world = merged_world();
    sett_entity first = sett_entity_create(world);
    CHECK_MERGE(world, from, &result, .match = SETT_MERGE_NEW);
    CHECK_EQ(result.created, 4);
    CHECK_EQ(result.matched + result.outside + result.lost, 0);
    CHECK_EQ(result.file.frame, 9);
    CHECK_EQ(result.pair_count, 4);
    CHECK_EQ(x_of(world, "den/bee"), 11);
    sett_entity made = at_path(world, "den/ant");
    CHECK_ENTITY_EQ(sett_merge_find(&result, ant), made);
    CHECK_ENTITY_EQ(sett_merge_find(&result, (sett_entity){77, 1}), sett_null());
    CHECK_ENTITY_EQ(((const Aim*)sett_find(world, made, AIM))->at, at_path(world, "den/bee"));
    CHECK_ENTITY_EQ(sett_target(world, at_path(world, "den/bee"), owns), made);
    CHECK_ENTITY_EQ(*(const sett_entity*)sett_related(world, at_path(world, "den"), likes,
                                                      at_path(world, "far")),
                    made);
    CHECK(sett_entity_valid(world, first));
    sett_merge_result_free(world, &result);
    CHECK_END(world);
    disk_destroy(from);
}

static void existing_components_stay_or_go(void)
{
    sett_entity ant;
    sett_merge_result result;
    disk* from = saved(merged_world, fill, 10, &ant);
    sett_world* world = merged_world();
    fill(world, 50);
    sett_entity was = at_path(world, "den/ant");
    uint64_t hash = sett_world_hash(world);
    CHECK_MERGE(world, from, &result, .match = SETT_MERGE_PATH);
    CHECK_EQ(result.matched, 4);
    CHECK_EQ(result.created, 0);
    CHECK_EQ(sett_world_hash(world), hash);
    CHECK_ENTITY_EQ(sett_merge_find(&result, ant), was);
    sett_merge_result_free(world, &result);
    CHECK_EQ(merges(world, from,
                    (sett_merge_desc){.match = SETT_MERGE_PATH, .existing = SETT_MERGE_REJECT},
                    NULL),
             SETT_STATUS_PRESENT);
    CHECK(strstr(sett_world_message(world), "already - set `existing` to SETT_MERGE_KEEP or "
                                            "SETT_MERGE_OVERWRITE") != NULL);
    CHECK_EQ(sett_world_hash(world), hash);
    CHECK(sett_relate(world, was, owns, was) != NULL);
    CHECK_EQ(sett_remove(world, at_path(world, "den/bee"), SPOT), SETT_OK);
    CHECK_MERGE(world, from, NULL, .match = SETT_MERGE_PATH, .existing = SETT_MERGE_OVERWRITE);
    CHECK_EQ(x_of(world, "den/ant"), 10);
    CHECK_EQ(x_of(world, "den/bee"), 11);
    CHECK_ENTITY_EQ(sett_target(world, was, owns), at_path(world, "den/bee"));
    CHECK_EQ(sett_target_count(world, at_path(world, "den"), likes), 2);
    CHECK_END(world);
    disk_destroy(from);
}

static void entities_are_matched_by_a_value(void)
{
    sett_entity ant;
    sett_merge_result result;
    disk* from = disk_create();
    sett_world* world = merged_world();
    sett_world* source = merged_world();
    fill(source, 10);
    fill(world, 50);
    ant = at_path(source, "den/ant");
    sett_entity far = at_path(world, "far");
    sett_set(source, ant, BADGE, &(Badge){7});
    sett_set(source, at_path(source, "den/bee"), BADGE, &(Badge){8});
    sett_set(world, far, BADGE, &(Badge){7});
    saves(source, from, 0);
    CHECK_MERGE(world, from, &result, .match = SETT_MERGE_VALUE, .match_component = BADGE,
                .names = SETT_MERGE_NUMBER, .existing = SETT_MERGE_OVERWRITE);
    CHECK_EQ(result.matched, 1);
    CHECK_EQ(result.created, 3);
    CHECK_ENTITY_EQ(sett_merge_find(&result, ant), far);
    CHECK_EQ(x_of(world, "far"), 10);
    CHECK_EQ(x_of(world, "den_2/bee"), 11);
    CHECK_ENTITY_EQ(sett_target(world, at_path(world, "den_2/bee"), owns), far);
    CHECK(sett_is_null(at_path(world, "den_2/ant")));
    sett_merge_result_free(world, &result);
    sett_set(world, at_path(world, "den"), BADGE, &(Badge){8}); /* "den_2/bee" has it */
    CHECK_EQ(merges(world, from,
                    (sett_merge_desc){.match = SETT_MERGE_VALUE, .match_component = BADGE}, NULL),
             SETT_STATUS_CONFLICT);
    said(world, "\"den\" (");
    said(world,
         "of the world have the same value of `match_component` \"Badge\" - change one of the "
         "values");
    sett_remove(world, at_path(world, "den"), BADGE);
    sett_set(source, at_path(source, "far"), BADGE, &(Badge){8});
    saves(source, from, 0);
    CHECK_EQ(merges(world, from,
                    (sett_merge_desc){.match = SETT_MERGE_VALUE, .match_component = BADGE}, NULL),
             SETT_STATUS_CONFLICT);
    said(world, ": entities \"far\" (0:1) and \"den/bee\" (3:1) of the file match");
    said(world, " of the file match the same entity of the world, \"den_2/bee\" (");
    said(world, " - change the \"Badge\" of entity 3:1 in the file");
    CHECK_EQ(merges(world, from,
                    (sett_merge_desc){.match = SETT_MERGE_VALUE, .match_component = TAG}, NULL),
             SETT_STATUS_ARGUMENT);
    said(world, "which has no saved values - pass a component whose values are saved");
    CHECK_EQ(merges(world, from,
                    (sett_merge_desc){.match = SETT_MERGE_VALUE, .match_component = SETT_ID_NAME},
                    NULL),
             SETT_STATUS_ARGUMENT);
    said(world, "whose values the library writes - pass a component of the program");
    CHECK_EQ(merges(world, from, (sett_merge_desc){.match = SETT_MERGE_VALUE}, NULL),
             SETT_STATUS_UNREGISTERED);
    CHECK_EQ(merges(world, from, (sett_merge_desc){.match = (sett_merge_match)3}, NULL),
             SETT_STATUS_ARGUMENT);
    said(world, "`match` has an unknown value, 3 - use SETT_MERGE_NEW, SETT_MERGE_PATH or "
                "SETT_MERGE_VALUE");
    CHECK_EQ(merges(world, from, (sett_merge_desc){.existing = (sett_merge_existing)4}, NULL),
             SETT_STATUS_ARGUMENT);
    said(world, "`existing` has an unknown value, 4 - use SETT_MERGE_KEEP, ");
    CHECK_EQ(merges(world, from, (sett_merge_desc){.names = (sett_merge_names)5}, NULL),
             SETT_STATUS_ARGUMENT);
    said(world, "`names` has an unknown value, 5 - use SETT_MERGE_REJECT_NAME or ");
    CHECK_END(source);
    CHECK_END(world);
    disk_destroy(from);
}

static void names_that_are_taken(void)
{
    sett_entity ant;
    disk* from = saved(merged_world, fill, 10, &ant);
    sett_world* world = merged_world();
    (void)named(world, sett_null(), "den");
    (void)named(world, sett_null(), "den_2");
    uint64_t hash = sett_world_hash(world);
    CHECK_EQ(merges(world, from, (sett_merge_desc){0}, NULL), SETT_STATUS_CONFLICT);
    said(world, "entity 0:1 has the name \"den\" already - set .names = SETT_MERGE_NUMBER, or "
                ".match = SETT_MERGE_PATH to merge with it");
    CHECK_EQ(sett_world_hash(world), hash);
    CHECK_MERGE(world, from, NULL, .names = SETT_MERGE_NUMBER);
    CHECK_EQ(x_of(world, "den_3/ant"), 10);
    CHECK_END(world);
    disk_destroy(from);
}

/* A subtree under a parent; what it refers to outside is found by path, or lost. */
static void a_subtree(void)
{
    sett_entity ant;
    sett_merge_result result;
    disk* from = saved(merged_world, fill, 10, &ant);
    sett_world* world = merged_world();
    sett_entity home = sett_entity_create(world);
    CHECK_EQ(merges(world, from, (sett_merge_desc){.subtree = "/cave"}, NULL), SETT_STATUS_ABSENT);
    said(world, "file \"f\" has no entity with the path \"/cave\" - set `subtree` to a path in "
                "the file");
    CHECK_MERGE(world, from, &result, .subtree = "/den", .parent = home);
    CHECK_EQ(result.created, 3);
    CHECK_EQ(result.lost, 3); /* an aim, a link with data, data of a link */
    CHECK_EQ(result.outside, 0);
    sett_entity den = sett_name_lookup(world, home, "den");
    CHECK_ENTITY_EQ(sett_hierarchy_parent(world, den), home);
    CHECK_ENTITY_EQ(((const Aim*)sett_find(world, den, AIM))->at, sett_null());
    CHECK_EQ(sett_target_count(world, den, likes), 1);
    sett_merge_result_free(world, &result);
    sett_entity far = named(world, sett_null(), "far");
    CHECK_MERGE(world, from, &result, .subtree = "den/bee");
    CHECK_EQ(result.created, 1);
    CHECK_EQ(result.lost, 3); /* its parent, its aim and what it owns */
    CHECK(!sett_is_null(at_path(world, "bee")));
    sett_merge_result_free(world, &result);
    CHECK_MERGE(world, from, &result, .subtree = "den");
    CHECK_EQ(result.outside, 3);
    CHECK_EQ(result.lost, 0);
    CHECK_ENTITY_EQ(((const Aim*)sett_find(world, at_path(world, "den"), AIM))->at, far);
    sett_merge_result_free(world, &result);
    CHECK_EQ(merges(world, from, (sett_merge_desc){.parent = {99, 1}}, NULL), SETT_STATUS_STALE);
    CHECK_END(world);
    disk_destroy(from);
}

static void chosen_types(void)
{
    static const sett_component spots[] = {SPOT};
    sett_entity ant;
    sett_merge_result result;
    disk* from = saved(merged_world, fill, 10, &ant);
    sett_world* world = merged_world();
    (void)named(world, named(world, sett_null(), "den"), "ant");
    CHECK_MERGE(world, from, &result, .types = spots, .type_count = 1, .match = SETT_MERGE_PATH);
    CHECK_EQ(result.matched, 1);
    CHECK_EQ(result.created, 1);
    CHECK_EQ(result.outside, 1); /* the parent of the bee */
    CHECK_EQ(x_of(world, "den/ant"), 10);
    CHECK_EQ(x_of(world, "den/bee"), 11);
    CHECK(!sett_has(world, at_path(world, "den/bee"), AIM));
    CHECK_EQ(sett_target_count(world, at_path(world, "den/bee"), owns), 0);
    sett_merge_result_free(world, &result);
    CHECK_EQ(merges(world, from, (sett_merge_desc){.types = &(sett_component){99}, .type_count = 1},
                    NULL),
             SETT_STATUS_UNREGISTERED);
    CHECK_END(world);
    disk_destroy(from);
}

static void raw_types_have_to_be_listed(void)
{
    static const char* const raw[] = {"Blob"};
    disk* from = disk_create();
    sett_world* source = merged_world();
    sett_world* world = merged_world();
    sett_set(source, sett_entity_create(source), BLOB, "1234567");
    saves(source, from, 0);
    uint64_t hash = sett_world_hash(world);
    CHECK_EQ(merges(world, from, (sett_merge_desc){0}, NULL), SETT_STATUS_ARGUMENT);
    CHECK(strstr(sett_world_message(world), "\"Blob\"") != NULL);
    CHECK_EQ(sett_world_hash(world), hash);
    CHECK_MERGE(world, from, NULL, .raw = raw, .raw_count = 1);
    CHECK_EQ(sett_component_count(world, BLOB), 1);
    CHECK_END(source);
    CHECK_END(world);
    disk_destroy(from);
}

static void circles_are_rejected(void)
{
    disk* from = disk_create();
    sett_world* source = merged_world();
    sett_world* world = merged_world();
    sett_entity a = named(source, sett_null(), "a");
    sett_entity b = named(source, sett_null(), "b");
    sett_entity c = named(source, sett_null(), "c");
    CHECK(sett_relate(source, a, boss, b) != NULL && sett_relate(source, b, boss, c) != NULL);
    saves(source, from, 0);
    sett_entity own = named(world, sett_null(), "a");
    sett_entity last = named(world, sett_null(), "c");
    CHECK(sett_relate(world, last, boss, own) != NULL);
    uint64_t hash = sett_world_hash(world);
    CHECK_EQ(merges(world, from, (sett_merge_desc){.match = SETT_MERGE_PATH}, NULL),
             SETT_STATUS_CYCLE);
    CHECK_EQ(sett_world_hash(world), hash);
    CHECK_EQ(sett_unrelate(world, last, boss, own), SETT_OK);
    CHECK_MERGE(world, from, NULL, .match = SETT_MERGE_PATH);
    CHECK_ENTITY_EQ(sett_target(world, at_path(world, "b"), boss), last);
    CHECK_END(source);
    CHECK_END(world);
    disk_destroy(from);
}

/* An entity whose links lead into a circle is not a part of it. */
static void circles_are_named_by_their_members(void)
{
    disk* from = disk_create();
    sett_world* source = merged_world();
    sett_world* world = merged_world();
    sett_entity z = named(source, sett_null(), "z");
    sett_entity a = named(source, sett_null(), "a");
    sett_entity b = named(source, sett_null(), "b");
    CHECK(sett_relate(source, z, boss, a) != NULL && sett_relate(source, a, boss, b) != NULL);
    saves(source, from, 0);
    (void)named(world, sett_null(), "z");
    sett_entity own = named(world, sett_null(), "a");
    sett_entity other = named(world, sett_null(), "b");
    CHECK(sett_relate(world, other, boss, own) != NULL);
    CHECK_EQ(merges(world, from, (sett_merge_desc){.match = SETT_MERGE_PATH}, NULL),
             SETT_STATUS_CYCLE);
    said(world,
         "the \"boss\" links of the file and of the world would form a cycle through entity ");
    const char* message = sett_world_message(world);
    CHECK_MSG(strstr(message, "entity 0:1") == NULL, "%s", message); /* "z" */
    CHECK_END(source);
    CHECK_END(world);
    disk_destroy(from);
}

/* What a callback saw. */
typedef struct seen {
    uint32_t adds, sets, replaced;
    int32_t old, now;
    bool complete;
} seen;

static void look(sett_world* world, seen* at)
{
    sett_entity ant = at_path(world, "den/ant");
    const Aim* aim = sett_find(world, ant, AIM);
    at->complete = at->complete && aim != NULL && sett_entity_valid(world, aim->at) &&
                   x_of(world, "den/bee") == 11 && !sett_is_null(sett_target(world, ant, owns));
}

static void on_add(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)entity, (void)value;
    ((seen*)user)->adds++;
    look(world, user);
}

static void on_set(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)entity, (void)value;
    ((seen*)user)->sets++;
    look(world, user);
}

static void on_replace(sett_world* world, sett_entity entity, const void* old, void* value,
                       void* user)
{
    seen* at = user;
    (void)entity;
    at->replaced++;
    at->old = ((const Spot*)old)->x;
    at->now = ((const Spot*)value)->x;
    look(world, at);
}

static void callbacks_run_when_all_is_there(void)
{
    sett_entity ant;
    seen at = {.complete = true};
    disk* from = saved(merged_world, fill, 10, &ant);
    sett_world* world = merged_world();
    sett_entity own = named(world, named(world, sett_null(), "den"), "ant");
    sett_set(world, own, SPOT, &(Spot){5, 5});
    CHECK(sett_observer_create(
              world, &(sett_observer_desc){.component = SPOT, .on_add = on_add, .user = &at}) !=
          NULL);
    CHECK(sett_observer_create(world, &(sett_observer_desc){.component = SPOT,
                                                            .on_replace = on_replace,
                                                            .user = &at}) != NULL);
    CHECK(sett_observer_create(
              world, &(sett_observer_desc){.component = AIM, .on_set = on_set, .user = &at}) !=
          NULL);
    CHECK_MERGE(world, from, NULL, .match = SETT_MERGE_PATH, .existing = SETT_MERGE_OVERWRITE);
    CHECK(at.complete);
    CHECK_EQ(at.adds, 1);
    CHECK_EQ(at.sets, 3);
    CHECK_EQ(at.replaced, 1);
    CHECK_EQ(at.old, 5);
    CHECK_EQ(at.now, 10);
    CHECK_END(world);
    disk_destroy(from);
}

/* Prefabs stay prefabs, instances lead to them, singletons become those of the world. */
static void a_library_of_prefabs(void)
{
    sett_merge_result result;
    disk* from = disk_create();
    sett_world* source = merged_world();
    sett_world* world = merged_world();
    sett_entity library = named(source, sett_null(), "library");
    sett_entity imp = named(source, library, "imp");
    sett_entity one;
    sett_set(source, imp, SPOT, &(Spot){1, 2});
    CHECK_EQ(sett_prefab_make(source, library), SETT_OK);
    CHECK_EQ(sett_instantiate(source, imp, 1, &one), SETT_OK);
    sett_singleton_set(source, BADGE, &(Badge){4});
    saves(source, from, 0);
    sett_singleton_set(world, SPOT, &(Spot){9, 9});
    CHECK_MERGE(world, from, &result, .existing = SETT_MERGE_REJECT);
    CHECK_EQ(result.matched, 1);
    CHECK_EQ(((const Badge*)sett_singleton_find(world, BADGE))->number, 4);
    sett_entity own = at_path(world, "library/imp");
    CHECK(sett_has(world, own, sett_prefab_tag(world)));
    CHECK_ENTITY_EQ(sett_target(world, sett_merge_find(&result, one), sett_instance_of(world)),
                    own);
    CHECK_EQ(sett_instantiate(world, own, 3, NULL), SETT_OK);
    sett_merge_result_free(world, &result);
    CHECK_END(source);
    CHECK_END(world);
    disk_destroy(from);
}

/* Types that the world does not have come along. */
static void unknown_types(void)
{
    sett_entity ant;
    sett_merge_result result;
    disk* from = saved(merged_world, fill, 10, &ant);
    sett_world* world = quiet_world();
    CHECK_EQ(merges(world, from, (sett_merge_desc){0}, NULL), SETT_STATUS_CONFLICT);
    (void)sett_relationship_register(world, &(sett_relationship_desc){.name = "owns"});
    static const uint32_t in_data[] = {0};
    (void)sett_relationship_register(world, &(sett_relationship_desc){.name = "likes",
                                                                      .size = sizeof(sett_entity),
                                                                      .align = 4,
                                                                      .many = true,
                                                                      .entity_offsets = in_data,
                                                                      .entity_offset_count = 1});
    (void)sett_relationship_register(world,
                                     &(sett_relationship_desc){.name = "boss", .acyclic = true});
    CHECK_MERGE(world, from, &result, .match = SETT_MERGE_NEW);
    CHECK_EQ(result.file.new_types, MERGED_TYPES);
    const Aim* aim = sett_find(world, at_path(world, "den/ant"), sett_component_find(world, "Aim"));
    CHECK_ENTITY_EQ(aim->at, at_path(world, "den/bee"));
    sett_merge_result_free(world, &result);
    CHECK_END(world);
    disk_destroy(from);
}

/* ---------------------------------------------------------------------------------------- naive */

/* A merge by public calls, entity by entity, of a world that is no file; what it looks up it looks
 * up again and again. Entities are created in the order of trees: so they get the same handles. */
typedef struct naive {
    sett_world* from;
    sett_world* to;
    const sett_merge_desc* desc;
    sett_entity map[256]; /* by index in `from` */
    bool met[256];
    uint32_t lost;
} naive;

static sett_entity naive_match(const naive* of, sett_entity in_file, sett_entity parent)
{
    const char* name = sett_name_get(of->from, in_file);
    const Badge* badge = sett_find(of->from, in_file, BADGE);
    uint32_t cursor = 0;
    sett_entity at;
    if (of->desc->match == SETT_MERGE_PATH && name != NULL) {
        return sett_name_find(of->to, parent, name);
    }
    while (of->desc->match == SETT_MERGE_VALUE && badge != NULL &&
           !sett_is_null(at = sett_entity_next(of->to, &cursor))) {
        const Badge* other = sett_find(of->to, at, BADGE);
        if (other != NULL && other->number == badge->number) {
            return at;
        }
        cursor = at.index + 1;
    }
    return sett_null();
}

/* First all matches, then all creations: what is created is no match of another one. */
static void naive_match_tree(naive* of, sett_entity root)
{
    SETT_SUBTREE(of->from, root, at) {
        sett_entity above = sett_hierarchy_parent(of->from, at);
        sett_entity parent = sett_is_null(above) ? sett_null() : of->map[above.index];
        bool reachable = sett_is_null(above) || !sett_is_null(parent);
        bool by_path = of->desc->match == SETT_MERGE_PATH;
        of->map[at.index] = reachable || !by_path ? naive_match(of, at, parent) : sett_null();
        of->met[at.index] = !sett_is_null(of->map[at.index]);
    }
}

static void naive_create_tree(naive* of, sett_entity root)
{
    SETT_SUBTREE(of->from, root, at) {
        if (!of->met[at.index]) {
            of->map[at.index] = sett_entity_create(of->to);
        }
    }
}

static void naive_place(naive* of, sett_entity at)
{
    sett_entity above = sett_hierarchy_parent(of->from, at);
    sett_entity made = of->map[at.index];
    const char* name = sett_name_get(of->from, at);
    char text[64];
    sett_entity parent = sett_is_null(above) ? sett_null() : of->map[above.index];
    if (sett_has(of->from, at, SETT_ID_HIERARCHY)) {
        CHECK(sett_ensure(of->to, made, SETT_ID_HIERARCHY) != NULL);
    }
    CHECK(sett_is_null(parent) || sett_hierarchy_attach(of->to, made, parent) == SETT_OK);
    snprintf(text, sizeof(text), "%s", name != NULL ? name : "");
    for (uint32_t k = 2; name != NULL && !sett_is_null(sett_name_find(of->to, parent, text)); k++) {
        snprintf(text, sizeof(text), "%s_%u", name, (unsigned)k);
    }
    CHECK(name == NULL || sett_name_set(of->to, made, text) == SETT_OK);
}

static void naive_values(naive* of, sett_entity at, const bool* had)
{
    sett_entity made = of->map[at.index];
    bool overwrites = of->desc->existing == SETT_MERGE_OVERWRITE;
    for (sett_component id = SPOT; id <= LOOSE; id++) {
        const void* value = sett_find(of->from, at, id);
        Aim aim;
        if (!sett_has(of->from, at, id) || (had[id] && !overwrites)) {
            continue;
        }
        if (id == AIM) {
            memcpy(&aim, value, sizeof(aim));
            bool there = sett_entity_valid(of->from, aim.at);
            of->lost += !there && !sett_is_null(aim.at);
            aim.at = there ? of->map[aim.at.index] : sett_null();
            value = &aim;
        }
        CHECK(id == TAG ? sett_ensure(of->to, made, id) != NULL
                        : sett_set(of->to, made, id, value) != NULL);
    }
}

static void naive_links(naive* of, sett_entity at, const bool* had)
{
    sett_entity made = of->map[at.index];
    SETT_TARGETS(of->from, at, owns, target, link) {
        if (!had[owns] || of->desc->existing == SETT_MERGE_OVERWRITE) {
            CHECK(sett_relate(of->to, made, owns, of->map[target.index]) != NULL);
        }
    }
    SETT_TARGETS(of->from, at, likes, target, link) {
        sett_entity who = *(const sett_entity*)link.data;
        if (!had[likes] || of->desc->existing == SETT_MERGE_OVERWRITE) {
            of->lost += !sett_is_null(who) && !sett_entity_valid(of->from, who);
            who = sett_entity_valid(of->from, who) ? of->map[who.index] : sett_null();
            *(sett_entity*)sett_relate(of->to, made, likes, of->map[target.index]) = who;
        }
    }
}

static void naive_merge(naive* of)
{
    for (uint32_t pass = 0; pass < 4; pass++) {
        uint32_t cursor = 0;
        for (sett_entity root; !sett_is_null(root = sett_entity_next(of->from, &cursor));
             cursor = root.index + 1) {
            if (!sett_is_null(sett_hierarchy_parent(of->from, root))) {
                continue;
            }
            if (pass == 0) {
                naive_match_tree(of, root);
            } else if (pass == 1) {
                naive_create_tree(of, root);
            } else if (pass == 2) {
                SETT_SUBTREE(of->from, root, at) {
                    if (!of->met[at.index]) {
                        naive_place(of, at);
                    }
                }
            } else {
                SETT_SUBTREE(of->from, root, at) {
                    bool had[32] = {false};
                    for (sett_component id = SPOT; id <= LOOSE; id++) {
                        had[id] = sett_has(of->to, of->map[at.index], id);
                    }
                    had[owns] = sett_has(of->to, of->map[at.index], owns);
                    had[likes] = sett_has(of->to, of->map[at.index], likes);
                    naive_values(of, at, had);
                    naive_links(of, at, had);
                }
            }
        }
    }
}

/* Names in trees, some badges (no two alike), values, references also to the dead, links. */
static void scatter(sett_world* world, uint64_t* chance, uint32_t count)
{
    sett_entity dead = sett_entity_create(world);
    for (uint32_t k = 0; k < count; k++) {
        (void)sett_entity_create(world);
    }
    CHECK_EQ(sett_entity_destroy(world, dead), SETT_OK);
    for (uint32_t k = 0; k < count * 6; k++) {
        sett_entity a = entity_from(world, chance_below(chance, count));
        sett_entity b = entity_from(world, chance_below(chance, count));
        sett_entity c = chance_below(chance, 5) == 0 ? dead : b;
        char name[16];
        snprintf(name, sizeof(name), "n%u", (unsigned)chance_below(chance, 6));
        switch (chance_below(chance, 8)) {
        case 0:
            (void)sett_hierarchy_attach(world, a, b);
            break;
        case 1:
            (void)sett_name_set(world, a, name);
            break;
        case 2:
            sett_set(world, a, SPOT, &(Spot){(int32_t)k, (int32_t)chance_below(chance, 9)});
            break;
        case 3:
            sett_set(world, a, AIM, &(Aim){c, (int32_t)k});
            break;
        case 4:
            CHECK(sett_relate(world, a, owns, b) != NULL);
            break;
        case 5:
            *(sett_entity*)sett_relate(world, a, likes, b) = c;
            break;
        case 6:
            sett_set(world, a, LOOSE, &(Badge){k});
            break;
        default:
            CHECK(sett_ensure(world, a, TAG) != NULL);
            break;
        }
    }
    for (uint32_t k = 0; k < count; k += 1 + chance_below(chance, 4)) {
        sett_set(world, entity_from(world, k), BADGE, &(Badge){k});
    }
}

static void random_merges_end_as_a_naive_one(void)
{
    uint64_t chance = check_setting("SETT_SEED", 1);
    uint64_t rounds = check_setting("SETT_ROUNDS", 200);
    uint32_t matched = 0;
    for (uint64_t round = 0; round < rounds; round++) {
        sett_merge_result result;
        disk* from = disk_create();
        sett_world* source = merged_world();
        sett_world* world = merged_world();
        sett_world* copy = merged_world();
        static naive of;
        sett_merge_desc desc = {.match = (sett_merge_match)chance_below(&chance, 3),
                                .match_component = BADGE,
                                .existing = (sett_merge_existing)chance_below(&chance, 2),
                                .names = SETT_MERGE_NUMBER};
        scatter(source, &chance, 1 + chance_below(&chance, 40));
        scatter(world, &chance, 1 + chance_below(&chance, 40));
        CHECK_EQ(sett_world_clone(world, copy), SETT_OK);
        CHECK(sett_hierarchy_register(copy, NULL) != 0);
        saves(source, from, 0);
        of = (naive){.from = source, .to = copy, .desc = &desc};
        naive_merge(&of);
        CHECK_MSG(merges(world, from, desc, &result) == SETT_OK, "round %u: %s", (unsigned)round,
                  sett_world_message(world));
        CHECK_SAME(copy, world);
        CHECK_EQ(result.lost, of.lost);
        for (uint32_t k = 0; k < result.pair_count; k++) {
            CHECK_ENTITY_EQ(result.pairs[k].entity, of.map[result.pairs[k].file.index]);
        }
        matched += result.matched;
        sett_merge_result_free(world, &result);
        CHECK_END(source);
        CHECK_END(copy);
        CHECK_END(world);
        disk_destroy(from);
    }
    CHECK(matched > rounds);
}

/* --------------------------------------------------------------------------------------- memory */

typedef struct scarce_merge {
    sett_world* world;
    disk* from;
    uint64_t hash;
    sett_entity next;
} scarce_merge;

static bool merge_scarcely(void* user)
{
    scarce_merge* of = user;
    return merges(of->world, of->from,
                  (sett_merge_desc){.match = SETT_MERGE_PATH,
                                    .existing = SETT_MERGE_OVERWRITE,
                                    .names = SETT_MERGE_NUMBER},
                  NULL) == SETT_OK;
}

static sett_entity next_handle(sett_world* world)
{
    sett_snapshot before = take(world);
    sett_entity next = sett_entity_create(world);
    CHECK_EQ(sett_snapshot_restore(world, before), SETT_OK);
    CHECK_EQ(sett_snapshot_drop(world, before), SETT_OK);
    return next;
}

static void nothing_was_merged(void* user)
{
    scarce_merge* of = user;
    CHECK_EQ(sett_world_hash(of->world), of->hash);
    CHECK_ENTITY_EQ(next_handle(of->world), of->next);
}

static bool merge_with(scarce_merge* of, scarce_memory* memory, size_t left, uint32_t blocks)
{
    scarce_squeeze(&of->world->pool, memory, left);
    memory->strict = true;
    memory->allowed = blocks;
    bool done = merge_scarcely(of);
    memory->allowed = 0;
    scarce_give_back(&of->world->pool, memory);
    CHECK_VALID(of->world);
    if (!done) {
        CHECK_MSG(sett_world_error(of->world) == SETT_STATUS_OUT_OF_MEMORY,
                  "%u bytes, %u blocks: %s", (unsigned)left, (unsigned)blocks,
                  sett_world_message(of->world));
        nothing_was_merged(of);
        memory->failures++;
    }
    return done;
}

/* What is read into has blocks of its own: every number of them, and then ever more bytes. */
static void no_allocation_that_fails_leaves_a_half(void)
{
    static scarce_memory memory;
    sett_entity ant;
    disk* from = saved(merged_world, fill, 10, &ant);
    bool enough = false;
    for (uint32_t blocks = 0; !enough; blocks++) {
        seen at = {.complete = true};
        sett_world* world = scarce_world(&memory);
        register_merged(world);
        sett_entity own = named(world, named(world, sett_null(), "den"), "ant");
        sett_set(world, own, SPOT, &(Spot){5, 5});
        CHECK(sett_observer_create(world, &(sett_observer_desc){.component = SPOT,
                                                                .on_replace = on_replace,
                                                                .user = &at}) != NULL);
        scarce_merge of = {.world = world, .from = from};
        of.hash = sett_world_hash(world);
        of.next = next_handle(world);
        bool done = false;
        for (size_t left = 0; !done && left <= 8192; left += left < 4096 ? 64 : 1024) {
            done = merge_with(&of, &memory, left, blocks);
            enough = done && left == 0;
        }
        CHECK_EQ(at.replaced, done);
        CHECK_EQ(x_of(world, "den/bee"), done ? 11 : -1);
        CHECK(blocks < 1000);
        scarce_end(&memory, world);
    }
    CHECK(memory.failures > 100);
    disk_destroy(from);
}

/* Any call, of the file or of what decompresses it. */
static void no_call_that_fails_leaves_a_half(void)
{
    disk* from = disk_create();
    sett_compression runs = runs_or_fail(from);
    const sett_file_desc file = {.files = &from->files, .compression = &runs};
    sett_world* filled = merged_world();
    fill(filled, 10);
    CHECK_EQ(sett_world_save_with(filled, "f", &file), SETT_OK);
    uint32_t failures = 0;
    bool done = false;
    for (uint32_t n = 1; !done; n++) {
        sett_merge_result result = {.created = 0};
        sett_world* world = merged_world();
        uint64_t hash = sett_world_hash(world);
        from->done = 0;
        from->fails_at = n;
        sett_status status =
            sett_world_merge(world, "f", &(sett_merge_desc){.file = &file}, &result);
        done = from->done < n;
        CHECK(status == SETT_OK || sett_world_hash(world) == hash);
        CHECK_EQ(x_of(world, "den/bee"), status == SETT_OK ? 11 : -1);
        CHECK_EQ(from->open, 0);
        failures += status != SETT_OK;
        sett_merge_result_free(world, &result);
        CHECK_END(world);
    }
    CHECK(failures > 5);
    CHECK_END(filled);
    disk_destroy(from);
}

/* Two entities of the file, one of them left out, are one in the world: a link to each is one. */
static void links_that_meet_are_one(void)
{
    sett_world* filled = merged_world();
    sett_world* world = merged_world();
    disk* from = disk_create();
    sett_component types[] = {BADGE, likes};
    sett_entity left_out = sett_entity_create(filled);
    sett_entity chosen = sett_entity_create(filled);
    sett_entity fan = sett_entity_create(filled);
    CHECK_EQ(sett_name_set(filled, left_out, "x"), SETT_OK);
    *(Badge*)sett_add(filled, chosen, BADGE) = (Badge){1};
    CHECK(sett_relate(filled, fan, likes, left_out) != NULL);
    CHECK(sett_relate(filled, fan, likes, chosen) != NULL);
    saves(filled, from, 0);
    sett_entity there = sett_entity_create(world);
    CHECK_EQ(sett_name_set(world, there, "x"), SETT_OK);
    *(Badge*)sett_add(world, there, BADGE) = (Badge){1};
    sett_merge_result result;
    CHECK_MERGE(world, from, &result, .match = SETT_MERGE_VALUE, .match_component = BADGE,
                .types = types, .type_count = 2);
    CHECK_EQ(sett_target_count(world, sett_merge_find(&result, fan), likes), 1);
    sett_merge_result_free(world, &result);
    /* the parent of what comes is itself one of the entities of the file */
    CHECK_MERGE(world, from, &result, .match = SETT_MERGE_VALUE, .match_component = BADGE,
                .parent = there);
    CHECK_ENTITY_EQ(sett_merge_find(&result, chosen), there);
    CHECK_ENTITY_EQ(sett_hierarchy_parent(world, sett_merge_find(&result, fan)), there);
    sett_merge_result_free(world, &result);
    CHECK_END(filled);
    CHECK_END(world);
    disk_destroy(from);
}

static void failures_inside_are_failures_of_the_merge(void)
{
    disk* from = disk_create();
    sett_world* source = quiet_world();
    sett_world* world = quiet_world();
    (void)sett_entity_create(source);
    saves(source, from, 0);
    CHECK(sett_component_register(
              world, &(sett_component_desc){.name = "Hierarchy", .size = 4, .align = 4}) != 0);
    sett_entity parent = sett_entity_create(world);
    CHECK(merges(world, from, (sett_merge_desc){.parent = parent}, NULL) != SETT_OK);
    CHECK_MSG(strncmp(sett_world_message(world), "sett_world_merge: ", 18) == 0, "%s",
              sett_world_message(world));
    CHECK(strstr(sett_world_message(world), "register") == NULL ||
          strstr(sett_world_message(world), ": sett_") == NULL);
    CHECK_EQ(sett_entity_count(world), 1);
    CHECK_END(source);
    CHECK_END(world);
    disk_destroy(from);
}

TEST_MAIN(TEST(links_that_meet_are_one), TEST(failures_inside_are_failures_of_the_merge),
          TEST(all_of_it_is_created), TEST(existing_components_stay_or_go),
          TEST(entities_are_matched_by_a_value), TEST(names_that_are_taken), TEST(a_subtree),
          TEST(chosen_types), TEST(raw_types_have_to_be_listed), TEST(circles_are_rejected),
          TEST(circles_are_named_by_their_members), TEST(callbacks_run_when_all_is_there),
          TEST(a_library_of_prefabs), TEST(unknown_types), TEST(random_merges_end_as_a_naive_one),
          TEST(no_allocation_that_fails_leaves_a_half), TEST(no_call_that_fails_leaves_a_half))

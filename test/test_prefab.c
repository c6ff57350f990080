/* test_prefab.c: instances of templates, and the tags that hide entities from queries. */
#include "scarce.h"
#include "sett/hierarchy.h"
#include "sett/name.h"
#include "sett/prefab.h"
#include "sett/relationship.h"

typedef struct Position {
    float x, y;
} Position;

typedef struct Sprite {
    uint32_t frame;
    uint32_t pad;
    sett_entity light; /* remapped */
} Sprite;

static sett_world* world;
static sett_component Position_id, Sprite_id, Burning_id;

static const uint32_t sprite_offsets[] = {offsetof(Sprite, light)};

static void register_all(sett_world* of, sett_storage_kind storage)
{
    Position_id = sett_component_register(
        of, &(sett_component_desc){SETT_TYPE(Position), .storage = storage});
    Sprite_id = sett_component_register(
        of, &(sett_component_desc){SETT_TYPE(Sprite), .storage = storage,
                                   .entity_offsets = sprite_offsets, .entity_offset_count = 1});
    Burning_id = SETT_REGISTER_TAG(of, Burning);
    CHECK(Position_id != 0 && Sprite_id != 0 && Burning_id != 0);
}

static void begin(sett_storage_kind storage)
{
    world = quiet_world();
    register_all(world, storage);
}

static sett_query* query_of(sett_component a, sett_term_kind kind, sett_component b)
{
    sett_query_desc desc = {.terms = {{.component = a, .access = SETT_IN, .kind = SETT_WITH},
                                      {.component = b, .access = SETT_NONE, .kind = kind}}};
    sett_query* query = sett_query_create(world, &desc);
    CHECK(query != NULL);
    return query;
}

/* All ways of walking agree on how many match. */
static void counts(sett_query* query, uint32_t count)
{
    uint32_t visited = 0;
    uint32_t matched = 0;
    CHECK_EQ(sett_query_count(query), count);
    SETT_QUERY_EACH(query, batch) {
        SETT_EACH(batch, i) {
            CHECK(sett_query_matches(query, sett_batch_entity(batch, i)));
            visited++;
        }
    }
    CHECK_EQ(visited, count);
    uint32_t cursor = 0;
    for (sett_entity at; !sett_is_null(at = sett_entity_next(world, &cursor));) {
        matched += sett_query_matches(query, at);
    }
    CHECK_EQ(matched, count);
    CHECK_EQ(sett_is_null(sett_query_first(query)), count == 0);
}

static void queries_skip_hidden_entities(void)
{
    for (uint32_t kind = 0; kind < 3; kind++) {
        begin(kind == 0 ? SETT_STORAGE_ARRAY : SETT_STORAGE_SPARSE_SET);
        sett_entity e[3000];
        CHECK_EQ(sett_entity_create_many(world, 3000, &Position_id, 1, NULL, e), SETT_OK);
        CHECK(sett_add(world, e[7], Burning_id) != NULL);
        if (kind == 2) { /* an owning group decides the order */
            sett_group_desc group = {.owned = {Position_id}};
            CHECK(sett_group_create(world, &group) != NULL);
        }
        sett_query* all = sett_query_create(world, &(sett_query_desc){.name = "all"});
        sett_query* with = query_of(Position_id, SETT_WITHOUT, Burning_id);
        counts(with, 2999);
        sett_component prefab = sett_prefab_tag(world);
        sett_component disabled = sett_disabled_tag(world);
        CHECK(prefab != 0 && disabled != 0 && prefab != disabled);
        CHECK_EQ(sett_prefab_tag(world), prefab);
        counts(with, 2999);
        CHECK(sett_add(world, e[0], disabled) != NULL);
        CHECK(sett_add(world, e[1], prefab) != NULL);
        CHECK(sett_add(world, e[2999], disabled) != NULL);
        CHECK(sett_add(world, e[2999], prefab) != NULL);
        CHECK(sett_add(world, e[7], disabled) != NULL);
        counts(with, 2996);
        counts(all, 2996);
        counts(query_of(Position_id, SETT_WITH, prefab), 1); /* the other tag still hides */
        counts(query_of(Position_id, SETT_OPTIONAL, prefab), 2997);
        counts(query_of(Position_id, SETT_OPTIONAL, disabled), 2998);
        counts(query_of(Position_id, SETT_WITHOUT, disabled), 2996);
        char text[512];
        sett_query_explain(with, text, sizeof(text));
        CHECK_MSG(strstr(text, "Disabled") != NULL, "%s", text);
        CHECK_EQ(sett_component_clear(world, disabled), SETT_OK);
        CHECK_EQ(sett_component_clear(world, prefab), SETT_OK);
        counts(with, 2999);
        CHECK_END(world);
    }
}

/* A turret with a barrel and a light on it; the turret's sprite names the light, the light's the
 * turret and an entity outside. */
static sett_entity make_turret(sett_entity outside)
{
    sett_entity e[3];
    for (uint32_t k = 0; k < 3; k++) {
        e[k] = sett_entity_create(world);
        CHECK(SETT_SET(world, e[k], Position, (float)k, 0) != NULL);
        CHECK(k == 0 || sett_hierarchy_attach(world, e[k], e[k - 1]) == SETT_OK);
    }
    CHECK(SETT_SET(world, e[0], Sprite, .frame = 10, .light = e[2]) != NULL);
    CHECK(SETT_SET(world, e[1], Sprite, .frame = 11, .light = outside) != NULL);
    CHECK(SETT_SET(world, e[2], Sprite, .frame = 12, .light = e[0]) != NULL);
    CHECK(sett_add(world, e[2], Burning_id) != NULL);
    CHECK_EQ(sett_prefab_make(world, e[0]), SETT_OK);
    return e[0];
}

static void check_turret(sett_entity turret, sett_entity outside)
{
    sett_entity barrel = sett_hierarchy_first(world, turret);
    sett_entity light = sett_hierarchy_first(world, barrel);
    CHECK_EQ(sett_hierarchy_child_count(world, turret), 1);
    CHECK_EQ(sett_hierarchy_child_count(world, light), 0);
    CHECK(sett_is_null(sett_hierarchy_parent(world, turret)));
    const Sprite* sprite = SETT_GET(world, turret, Sprite);
    CHECK_EQ(sprite->frame, 10);
    CHECK_ENTITY_EQ(sprite->light, light);
    CHECK_ENTITY_EQ(SETT_GET(world, barrel, Sprite)->light, outside);
    CHECK_ENTITY_EQ(SETT_GET(world, light, Sprite)->light, turret);
    CHECK(SETT_GET(world, light, Position)->x == 2);
    CHECK(sett_has(world, light, Burning_id));
    CHECK(!sett_has(world, light, sett_prefab_tag(world)));
    CHECK(!sett_has(world, turret, sett_prefab_tag(world)));
}

static void instances_are_like_the_prefab(void)
{
    for (uint32_t kind = 0; kind < 2; kind++) {
        begin(kind == 0 ? SETT_STORAGE_ARRAY : SETT_STORAGE_SPARSE_SET);
        sett_entity outside = sett_entity_create(world);
        sett_entity turret = make_turret(outside);
        static sett_entity made[1500];
        CHECK_EQ(sett_instantiate(world, turret, 0, made), SETT_OK);
        CHECK_EQ(sett_instantiate(world, turret, 1, made), SETT_OK);
        check_turret(made[0], outside);
        CHECK_EQ(sett_instantiate(world, turret, 1500, made), SETT_OK);
        CHECK_EQ(sett_entity_count(world), 4 + 3 + 4500);
        for (uint32_t k = 0; k < 1500; k++) {
            check_turret(made[k], outside);
            CHECK_ENTITY_EQ(sett_target(world, made[k], sett_instance_of(world)), turret);
            CHECK(k == 0 || made[k].index == made[k - 1].index + 1);
        }
        CHECK_VALID(world);
        CHECK_EQ(sett_source_count(world, sett_instance_of(world), turret), 1501);
        counts(query_of(Sprite_id, SETT_WITH, Position_id), 4503);
        CHECK_EQ(sett_entity_destroy(world, made[3]), SETT_OK);
        CHECK_EQ(sett_source_count(world, sett_instance_of(world), turret), 1500);
        CHECK_EQ(sett_entity_destroy(world, turret), SETT_OK); /* instances stay */
        CHECK_EQ(sett_entity_count(world), 1 + 4500);
        CHECK_EQ(sett_component_count(world, sett_instance_of(world)), 0);
        CHECK_END(world);
    }
}

/* An instance gets a place in the hierarchy only if it has children, or a parent. */
static void instances_of_leaves_are_in_no_hierarchy(void)
{
    begin(SETT_STORAGE_DEFAULT);
    sett_component hierarchy = sett_hierarchy_register(world, NULL);
    sett_entity e[3];
    sett_entity made[2];
    CHECK_EQ(sett_entity_create_many(world, 3, &Position_id, 1, NULL, e), SETT_OK);
    CHECK_EQ(sett_prefab_make(world, e[0]), SETT_OK);
    CHECK_EQ(sett_hierarchy_attach(world, e[1], e[0]), SETT_OK);
    for (uint32_t k = 0; k < 4; k++) { /* with a recipe, too */
        CHECK_EQ(sett_instantiate(world, e[1], k == 0 ? 2 : 1, made), SETT_OK);
        CHECK(!sett_has(world, made[0], hierarchy));
        sett_instantiate_desc desc = {.prefab = e[1], .parent = e[2]};
        CHECK_ENTITY_EQ(sett_hierarchy_parent(world, sett_instantiate_with(world, &desc)), e[2]);
    }
    CHECK_EQ(sett_hierarchy_set_policy(world, e[1], SETT_CHILDREN_DETACH), SETT_OK);
    CHECK_EQ(sett_instantiate(world, e[1], 1, made), SETT_OK);
    CHECK(sett_has(world, made[0], hierarchy));
    CHECK_EQ(sett_instantiate(world, e[0], 1, made), SETT_OK);
    CHECK_EQ(sett_hierarchy_child_count(world, made[0]), 1);
    CHECK_END(world);
}

static void shared_values_are_the_prefabs(void)
{
    begin(SETT_STORAGE_DEFAULT);
    sett_entity turret = make_turret(sett_null());
    sett_entity barrel = sett_hierarchy_first(world, turret);
    CHECK_EQ(sett_prefab_share(world, Sprite_id, true), SETT_OK);
    CHECK_EQ(sett_prefab_share(world, 999, true), SETT_STATUS_UNREGISTERED);
    sett_entity made[4];
    CHECK_EQ(sett_instantiate(world, turret, 4, made), SETT_OK);
    sett_entity part = sett_hierarchy_first(world, made[2]);
    CHECK(!sett_has(world, made[2], Sprite_id));
    CHECK_ENTITY_EQ(sett_target(world, part, sett_instance_of(world)), barrel);
    CHECK_PTR_EQ(sett_prefab_get(world, made[2], Sprite_id), SETT_GET(world, turret, Sprite));
    CHECK_PTR_EQ(sett_prefab_get(world, part, Sprite_id), SETT_GET(world, barrel, Sprite));
    CHECK(sett_prefab_get(world, part, Burning_id) == NULL);
    CHECK(sett_prefab_get(world, sett_null(), Sprite_id) == NULL);
    ((Sprite*)sett_get_mut(world, turret, Sprite_id))->frame = 77;
    Sprite* own = sett_prefab_override(world, made[1], Sprite_id);
    CHECK(own != NULL);
    CHECK_EQ(own->frame, 77);
    own->frame = 5;
    CHECK_PTR_EQ(sett_prefab_override(world, made[1], Sprite_id), own);
    CHECK_PTR_EQ(sett_prefab_get(world, made[1], Sprite_id), own);
    CHECK_EQ(((const Sprite*)sett_prefab_get(world, made[0], Sprite_id))->frame, 77);
    CHECK(sett_prefab_override(world, made[1], Burning_id) == NULL);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_ABSENT);

    /* A prefab of a prefab: what it does not have itself is the first one's. */
    sett_entity second[1];
    CHECK_EQ(sett_instantiate(world, made[0], 1, second), SETT_OK);
    CHECK_ENTITY_EQ(sett_target(world, second[0], sett_instance_of(world)), made[0]);
    CHECK_EQ(((const Sprite*)sett_prefab_get(world, second[0], Sprite_id))->frame, 77);
    CHECK_EQ(sett_prefab_share(world, Sprite_id, false), SETT_OK);
    CHECK_EQ(sett_instantiate(world, turret, 1, second), SETT_OK);
    CHECK_EQ(SETT_GET(world, second[0], Sprite)->frame, 77);
    CHECK_END(world);
}

static void instances_are_looked_into_by_name(void)
{
    begin(SETT_STORAGE_DEFAULT);
    sett_entity turret = make_turret(sett_null());
    sett_entity barrel = sett_hierarchy_first(world, turret);
    CHECK_EQ(sett_name_set(world, turret, "turret"), SETT_OK);
    CHECK_EQ(sett_name_set(world, barrel, "barrel"), SETT_OK);
    CHECK_EQ(sett_name_set(world, sett_hierarchy_first(world, barrel), "light"), SETT_OK);
    sett_entity made[200];
    CHECK_EQ(sett_instantiate(world, turret, 200, made), SETT_OK);
    CHECK_VALID(world);
    for (uint32_t k = 0; k < 200; k++) {
        CHECK(sett_name_get(world, made[k]) == NULL);
        sett_entity own = sett_hierarchy_first(world, sett_hierarchy_first(world, made[k]));
        CHECK_ENTITY_EQ(sett_name_lookup(world, made[k], "barrel/light"), own);
    }
    CHECK_ENTITY_EQ(sett_name_lookup(world, sett_null(), "turret/barrel"), barrel);
    CHECK_EQ(sett_name_set(world, made[7], "seventh"), SETT_OK);
    CHECK_ENTITY_EQ(sett_name_lookup(world, sett_null(), "seventh/barrel"),
                    sett_hierarchy_first(world, made[7]));
    CHECK_END(world);
}

/* Relationships inside of a prefab lead to the instance's own, those to outside stay. */
static void links_of_prefabs_are_the_instances(void)
{
    begin(SETT_STORAGE_DEFAULT);
    static const uint32_t offsets[] = {0};
    sett_component aims =
        sett_relationship_register(world, &(sett_relationship_desc){.name = "Aims",
                                                                    .size = sizeof(sett_entity),
                                                                    .align = 4,
                                                                    .entity_offsets = offsets,
                                                                    .entity_offset_count = 1});
    sett_component knows = sett_relationship_register(
        world, &(sett_relationship_desc){.name = "Knows", .size = 4, .align = 4, .many = true});
    sett_entity outside = sett_entity_create(world);
    sett_entity turret = make_turret(outside);
    sett_entity barrel = sett_hierarchy_first(world, turret);
    sett_entity light = sett_hierarchy_first(world, barrel);
    *(sett_entity*)sett_relate(world, barrel, aims, turret) = light;
    CHECK(sett_relate(world, light, aims, outside) != NULL);
    CHECK(sett_relate(world, outside, aims, light) != NULL);
    *(int32_t*)sett_relate(world, turret, knows, outside) = 1;
    *(int32_t*)sett_relate(world, turret, knows, light) = 2;
    *(int32_t*)sett_relate(world, turret, knows, turret) = 3;
    CHECK(sett_relate(world, outside, knows, turret) != NULL);
    sett_entity made[300];
    CHECK_EQ(sett_instantiate(world, turret, 300, made), SETT_OK);
    CHECK_VALID(world);
    for (uint32_t k = 0; k < 300; k++) {
        sett_entity own_barrel = sett_hierarchy_first(world, made[k]);
        sett_entity own_light = sett_hierarchy_first(world, own_barrel);
        CHECK_ENTITY_EQ(sett_target(world, own_barrel, aims), made[k]);
        CHECK_ENTITY_EQ(*(const sett_entity*)sett_related(world, own_barrel, aims, made[k]),
                        own_light);
        CHECK_ENTITY_EQ(sett_target(world, own_light, aims), outside);
        CHECK_EQ(sett_target_count(world, made[k], knows), 3);
        CHECK_EQ(*(const int32_t*)sett_related(world, made[k], knows, outside), 1);
        CHECK_EQ(*(const int32_t*)sett_related(world, made[k], knows, own_light), 2);
        CHECK_EQ(*(const int32_t*)sett_related(world, made[k], knows, made[k]), 3);
        CHECK_EQ(sett_source_count(world, knows, made[k]), 1);
    }
    CHECK_EQ(sett_source_count(world, knows, outside), 301);
    CHECK_EQ(sett_source_count(world, aims, outside), 301);
    CHECK_EQ(sett_source_count(world, aims, light), 1);
    CHECK_END(world);
}

/* ---------------------------------------------------------------------------------------- hooks */

typedef struct Handle {
    uint32_t* owned;
} Handle;

static uint32_t living;
static uint32_t notified[2];

static void handle_init(void* values, uint32_t count, void* user)
{
    (void)user;
    for (uint32_t k = 0; k < count; k++) {
        ((Handle*)values)[k].owned = calloc(1, sizeof(uint32_t));
        living++;
    }
}

static void handle_deinit(void* values, uint32_t count, void* user)
{
    (void)user;
    for (uint32_t k = 0; k < count; k++) {
        free(((Handle*)values)[k].owned);
        living--;
    }
}

static void handle_copy(void* to, const void* from, uint32_t count, void* user)
{
    (void)user;
    for (uint32_t k = 0; k < count; k++) {
        *((Handle*)to)[k].owned = *((const Handle*)from)[k].owned;
    }
}

static void handle_on_add(sett_world* of, sett_entity entity, void* value, void* user)
{
    (void)user;
    const Handle* handle = value;
    notified[0]++;
    CHECK_EQ(*handle->owned, notified[0] == 1 ? 0u : 9u); /* the prefab's own was added first */
    if (notified[0] > 1) {                                /* the whole instance is there */
        CHECK(!sett_is_null(sett_hierarchy_first(of, entity)));
        CHECK(!sett_is_null(sett_target(of, entity, sett_instance_of(of))));
    }
}

static void handle_on_set(sett_world* of, sett_entity entity, void* value, void* user)
{
    (void)of;
    (void)entity;
    (void)value;
    (void)user;
    notified[1]++;
}

static void values_that_own_are_copied(void)
{
    begin(SETT_STORAGE_DEFAULT);
    sett_component owner = sett_component_register(
        world, &(sett_component_desc){SETT_TYPE(Handle), .init = handle_init,
                                      .deinit = handle_deinit, .copy = handle_copy,
                                      .on_add = handle_on_add, .on_set = handle_on_set});
    sett_component uncopied =
        sett_component_register(world, &(sett_component_desc){.name = "Uncopied",
                                                              .size = sizeof(Handle),
                                                              .init = handle_init,
                                                              .deinit = handle_deinit});
    sett_entity turret = make_turret(sett_null());
    living = notified[0] = notified[1] = 0;
    *((Handle*)sett_add(world, turret, owner))->owned = 9;
    *((Handle*)sett_add(world, turret, uncopied))->owned = 8;
    sett_entity made[10];
    CHECK_EQ(sett_instantiate(world, turret, 10, made), SETT_OK);
    CHECK_EQ(living, 22);
    CHECK_EQ(notified[0], 11);
    CHECK_EQ(notified[1], 10);
    const Handle* copy = sett_get(world, made[5], owner);
    CHECK_EQ(*copy->owned, 9);
    CHECK_EQ(*((const Handle*)sett_get(world, made[5], uncopied))->owned, 0);
    CHECK_END(world);
    CHECK_EQ(living, 0);
}

static void misuse_is_rejected(void)
{
    begin(SETT_STORAGE_DEFAULT);
    sett_entity turret = make_turret(sett_null());
    sett_entity made[1];
    sett_entity other = sett_entity_create(world);
    CHECK_EQ(sett_instantiate(world, sett_null(), 1, made), SETT_STATUS_STALE);
    CHECK_EQ(sett_prefab_make(world, sett_null()), SETT_STATUS_STALE);
    CHECK_STR_EQ(sett_world_message(world),
                 "sett_prefab_make: the handle is null - pass the handle of an entity");
    sett_query* query = sett_query_create(world, &(sett_query_desc){.name = "all"});
    sett_component prefab = sett_prefab_tag(world);
    CHECK(prefab != 0);
    sett_query_desc named = {
        .terms = {{.component = prefab, .access = SETT_NONE, .kind = SETT_WITH}}};
    query = sett_query_create(world, &named);
    uint32_t batches = 0;
    SETT_QUERY_EACH(query, batch) {
        batches++;
        CHECK_EQ(sett_instantiate(world, turret, 1, made), SETT_STATUS_LOCKED);
        CHECK_EQ(sett_prefab_make(world, turret), SETT_OK); /* is one already */
        CHECK_EQ(sett_prefab_make(world, other), SETT_STATUS_LOCKED);
        CHECK(strstr(sett_world_message(world), "sett_prefab_make: a loop") != NULL);
    }
    CHECK_EQ(batches, 1);
    CHECK_EQ(sett_entity_destroy(world, other), SETT_OK);
    CHECK_EQ(sett_entity_count(world), 3);
    CHECK_END(world);

    world = sett_world_create(&(sett_world_desc){.log_fn = sett_log_silent, .entity_limit = 1000});
    register_all(world, SETT_STORAGE_DEFAULT);
    turret = make_turret(sett_null());
    static sett_entity many[400];
    CHECK_EQ(sett_instantiate(world, turret, 400, many), SETT_STATUS_LIMIT);
    CHECK_EQ(sett_instantiate(world, turret, UINT32_MAX, NULL), SETT_STATUS_LIMIT);
    CHECK_EQ(sett_entity_count(world), 3);
    CHECK_EQ(sett_instantiate(world, turret, 300, many), SETT_OK);
    CHECK_END(world);
}

static bool is_prefab(sett_entity entity)
{
    return sett_has(world, entity, SETT_ID_PREFAB);
}

static sett_entity named(sett_entity parent, const char* name)
{
    sett_entity made = sett_entity_create(world);
    CHECK(sett_is_null(parent) || sett_hierarchy_attach(world, made, parent) == SETT_OK);
    CHECK_EQ(sett_name_set(world, made, name), SETT_OK);
    return made;
}

static void children_of_prefabs_are_prefabs(void)
{
    begin(SETT_STORAGE_DEFAULT);
    sett_entity e[4];
    CHECK_EQ(sett_entity_create_many(world, 4, NULL, 0, NULL, e), SETT_OK);
    CHECK_EQ(sett_hierarchy_attach(world, e[2], e[1]), SETT_OK);
    CHECK_EQ(sett_prefab_make(world, e[0]), SETT_OK);
    CHECK_EQ(sett_hierarchy_attach(world, e[1], e[0]), SETT_OK);
    CHECK(is_prefab(e[1]) && is_prefab(e[2]));
    CHECK_EQ(sett_hierarchy_insert_before(world, e[3], e[1]), SETT_OK);
    CHECK(is_prefab(e[3]));
    sett_entity part =
        sett_instantiate_with(world, &(sett_instantiate_desc){.prefab = e[1], .parent = e[0]});
    CHECK(is_prefab(part) && is_prefab(sett_hierarchy_first(world, part)));
    /* a rejected attachment tags nothing, and an instance is no prefab */
    sett_entity other = named(sett_null(), "a");
    CHECK_EQ(sett_name_set(world, e[3], "a"), SETT_OK);
    CHECK_EQ(sett_hierarchy_attach(world, other, e[0]), SETT_STATUS_CONFLICT);
    CHECK(!is_prefab(other));
    sett_entity made;
    CHECK_EQ(sett_instantiate(world, e[0], 1, &made), SETT_OK);
    CHECK_EQ(sett_hierarchy_child_count(world, made), 3);
    CHECK(!is_prefab(made) && !is_prefab(sett_hierarchy_first(world, made)));
    CHECK_END(world);
}

/* By whichever call a subtree comes below a prefab, also if a part of it has the tag already. */
static void all_below_prefabs_are_prefabs(void)
{
    for (uint32_t how = 0; how < 5; how++) {
        for (uint32_t tagged = 0; tagged < 2; tagged++) {
            begin(SETT_STORAGE_DEFAULT);
            sett_component tag = sett_prefab_tag(world);
            sett_entity e[4]; /* a prefab, its child, another one with a child */
            CHECK_EQ(sett_entity_create_many(world, 4, NULL, 0, NULL, e), SETT_OK);
            CHECK_EQ(sett_hierarchy_attach(world, e[1], e[0]), SETT_OK);
            CHECK_EQ(sett_hierarchy_attach(world, e[3], e[2]), SETT_OK);
            CHECK_EQ(how < 4 ? sett_prefab_make(world, e[0]) : SETT_OK, SETT_OK);
            CHECK(tagged == 0 || sett_add(world, e[2], tag) != NULL);
            sett_entity top = e[2];
            if (how == 0) {
                CHECK_EQ(sett_hierarchy_attach(world, top, e[0]), SETT_OK);
            } else if (how == 1) {
                CHECK_EQ(sett_hierarchy_insert_before(world, top, e[1]), SETT_OK);
            } else if (how == 2) {
                CHECK_EQ(sett_hierarchy_insert_after(world, top, e[1]), SETT_OK);
            } else if (how == 3) {
                CHECK_EQ(sett_cmd_attach(sett_commands_here(world), top, e[0]), SETT_OK);
                CHECK_EQ(sett_commands_apply(sett_commands_here(world)), SETT_OK);
            } else { /* a copy, made where sett_add has made a prefab of the parent alone */
                CHECK_EQ(sett_hierarchy_attach(world, top, e[0]), SETT_OK);
                CHECK(sett_add(world, e[0], tag) != NULL);
                CHECK(!is_prefab(e[1]) && !is_prefab(e[3]));
                top = sett_duplicate(world, top, NULL);
            }
            CHECK(is_prefab(top) && is_prefab(sett_hierarchy_first(world, top)));
            CHECK_ENTITY_EQ(sett_hierarchy_parent(world, top), e[0]);
            CHECK_END(world);
        }
    }
}

/* A prefab's links to its children are slots: an instance's lead to its own. */
static void slots_lead_to_the_instances_child(void)
{
    begin(SETT_STORAGE_DEFAULT);
    sett_component slot = sett_relationship_register(world, &(sett_relationship_desc){.name = "S"});
    sett_entity tank = sett_entity_create(world);
    sett_entity barrel = named(tank, "barrel");
    CHECK(sett_relate(world, tank, slot, barrel) != NULL);
    CHECK_EQ(sett_prefab_make(world, tank), SETT_OK);
    sett_entity made[2];
    CHECK_EQ(sett_instantiate(world, tank, 2, made), SETT_OK);
    for (uint32_t k = 0; k < 2; k++) {
        sett_entity own = sett_target(world, made[k], slot);
        CHECK_ENTITY_EQ(sett_hierarchy_parent(world, own), made[k]);
        CHECK_ENTITY_EQ(sett_name_find(world, made[k], "barrel"), own);
    }
    CHECK_END(world);
}

/* tank: Position 1, Sprite that knows the tank; turret { Position 2, barrel }, hatch
 * heavy: Position 9; turret { Burning } */
static void prefabs_have_several_bases(void)
{
    begin(SETT_STORAGE_DEFAULT);
    sett_component slot = sett_relationship_register(world, &(sett_relationship_desc){.name = "S"});
    sett_component armed = SETT_REGISTER_TAG(world, Armed);
    CHECK_EQ(sett_prefab_share(world, armed, true), SETT_OK);
    sett_entity tank = sett_entity_create(world);
    sett_set(world, tank, Position_id, &(Position){1, 1});
    sett_set(world, tank, Sprite_id, &(Sprite){.frame = 3, .light = tank});
    sett_add(world, tank, armed);
    sett_entity turret = named(tank, "turret");
    sett_set(world, turret, Position_id, &(Position){2, 2});
    sett_set(world, turret, Sprite_id, &(Sprite){.light = tank});
    sett_entity barrel = named(turret, "barrel");
    sett_set(world, barrel, Sprite_id, &(Sprite){.light = turret});
    CHECK(sett_relate(world, tank, slot, turret) != NULL);
    named(tank, "hatch");
    sett_entity heavy = sett_entity_create(world);
    sett_set(world, heavy, Position_id, &(Position){9, 9});
    sett_add(world, named(heavy, "turret"), Burning_id);
    sett_entity fast = sett_entity_create(world);
    sett_add(world, named(fast, "hatch"), Burning_id);
    CHECK(sett_prefab_make(world, tank) == SETT_OK && sett_prefab_make(world, heavy) == SETT_OK);

    sett_entity bases[] = {tank, fast};
    sett_instantiate_desc desc = {.prefab = heavy, .bases = bases, .base_count = 2};
    sett_entity made = sett_instantiate_with(world, &desc);
    CHECK_VALID(world);
    CHECK_ENTITY_EQ(sett_target(world, made, sett_instance_of(world)), heavy);
    CHECK(((const Position*)sett_get(world, made, Position_id))->x == 9);
    CHECK_ENTITY_EQ(((const Sprite*)sett_get(world, made, Sprite_id))->light, made);
    CHECK(sett_has(world, made, armed) && !is_prefab(made));
    CHECK_EQ(sett_hierarchy_child_count(world, made), 2);
    sett_entity own = sett_name_find(world, made, "turret");
    CHECK(sett_has(world, own, Burning_id));
    CHECK(((const Position*)sett_get(world, own, Position_id))->x == 2);
    CHECK_ENTITY_EQ(((const Sprite*)sett_get(world, own, Sprite_id))->light, made);
    CHECK_ENTITY_EQ(sett_target(world, made, slot), own);
    sett_entity end = sett_name_lookup(world, made, "turret/barrel");
    CHECK_ENTITY_EQ(((const Sprite*)sett_get(world, end, Sprite_id))->light, own);
    CHECK(sett_has(world, sett_name_find(world, made, "hatch"), Burning_id));

    /* a variant: its instances are as it is, with values of their own */
    CHECK_EQ(sett_prefab_make(world, made), SETT_OK);
    sett_entity two[2];
    CHECK_EQ(sett_instantiate(world, made, 2, two), SETT_OK);
    CHECK(sett_has(world, sett_name_lookup(world, two[1], "turret/barrel"), Sprite_id));
    desc.values = &(sett_value){.component = Sprite_id, .value = &(Sprite){.frame = 8}};
    desc.value_count = 1;
    made = sett_instantiate_with(world, &desc);
    CHECK_EQ(((const Sprite*)sett_get(world, made, Sprite_id))->frame, 8);

    sett_component reports = sett_relationship_register(
        world, &(sett_relationship_desc){.name = "Reports", .acyclic = true});
    sett_entity first = sett_entity_create(world);
    sett_entity second = sett_entity_create(world);
    CHECK(sett_relate(world, named(first, "a"), reports, named(first, "b")) != NULL);
    CHECK(sett_relate(world, named(second, "b"), reports, named(second, "a")) != NULL);
    sett_instantiate_desc circle = {.prefab = first, .bases = &second, .base_count = 1};
    CHECK(sett_is_null(sett_instantiate_with(world, &circle)));
    CHECK_EQ(sett_world_error(world), SETT_STATUS_CYCLE);
    CHECK(strstr(sett_world_message(world),
                 "the \"Reports\" links of the prefab and of its bases") != NULL);

    bases[1] = turret; /* is in the tank */
    CHECK(sett_is_null(sett_instantiate_with(world, &desc)));
    CHECK_EQ(sett_world_error(world), SETT_STATUS_ARGUMENT);
    bases[1] = sett_null();
    CHECK(sett_is_null(sett_instantiate_with(world, &desc)));
    CHECK_EQ(sett_world_error(world), SETT_STATUS_STALE);
    CHECK_END(world);
}

/* What a prefab and its bases name alike is one entity at every depth. */
static void descendants_of_one_path_are_one(void)
{
    begin(SETT_STORAGE_DEFAULT);
    sett_entity prefabs[3];
    for (uint32_t k = 0; k < 3; k++) {
        prefabs[k] = sett_entity_create(world);
        sett_entity hand = named(named(named(prefabs[k], "body"), "arm"), "hand");
        sett_set(world, hand, Position_id, &(Position){(float)k, 0});
        CHECK_EQ(sett_prefab_make(world, prefabs[k]), SETT_OK);
    }
    sett_entity made = sett_instantiate_with(
        world,
        &(sett_instantiate_desc){.prefab = prefabs[0], .bases = &prefabs[1], .base_count = 2});
    static const char* const paths[] = {"body", "body/arm", "body/arm/hand"};
    sett_entity at = made;
    for (uint32_t k = 0; k < 3; k++) {
        CHECK_EQ(sett_hierarchy_child_count(world, at), 1);
        at = sett_name_lookup(world, made, paths[k]);
    }
    CHECK(((const Position*)sett_get(world, at, Position_id))->x == 0);
    CHECK_END(world);
}

/* ------------------------------------------------------------------------- memory that runs out */

typedef struct scarcity {
    sett_entity prefab;
    sett_entity base; /* null: none */
    sett_entity made[200];
    uint32_t entities;
    uint64_t values;
} scarcity;

static bool instantiate(void* user)
{
    scarcity* s = user;
    if (!sett_is_null(s->base)) {
        s->made[0] = sett_instantiate_with(
            world,
            &(sett_instantiate_desc){.prefab = s->prefab, .bases = &s->base, .base_count = 1});
        return !sett_is_null(s->made[0]);
    }
    return sett_instantiate(world, s->prefab, 200, s->made) == SETT_OK;
}

static uint64_t count_values(void)
{
    sett_stats stats;
    sett_world_stats(world, &stats);
    return stats.values;
}

static void nothing_made(void* user)
{
    const scarcity* s = user;
    CHECK_EQ(sett_entity_count(world), s->entities);
    CHECK_EQ(count_values(), s->values);
}

static void memory_runs_out(void)
{
    static scarce_memory memory;
    static scarcity s;
    for (uint32_t kind = 0; kind < 2; kind++) {
        world = scarce_world(&memory);
        register_all(world, kind == 0 ? SETT_STORAGE_ARRAY : SETT_STORAGE_SPARSE_SET);
        sett_component knows = sett_relationship_register(
            world, &(sett_relationship_desc){.name = "Knows", .many = true});
        sett_group_desc group = {.with = {Position_id, Sprite_id}};
        CHECK(sett_group_create(world, &group) != NULL);
        s.prefab = make_turret(sett_null());
        sett_entity child = sett_hierarchy_first(world, s.prefab);
        CHECK_EQ(sett_name_set(world, child, "child"), SETT_OK);
        CHECK(sett_relate(world, s.prefab, knows, child) != NULL);
        s.entities = sett_entity_count(world);
        s.values = count_values();
        scarce_run(world, &memory, instantiate, nothing_made, &s);
        CHECK_EQ(sett_entity_count(world), s.entities + 600);
        s.base = s.prefab;
        s.prefab = sett_entity_create(world);
        s.entities = sett_entity_count(world);
        s.values = count_values();
        scarce_run(world, &memory, instantiate, nothing_made, &s);
        CHECK_EQ(sett_entity_count(world), s.entities + 3);
        s.base = sett_null();
        CHECK(memory.failures > 20);
        scarce_end(&memory, world);
    }
}

/* Links of a relationship with many targets, more than a page of records: room for all of them is
 * reserved before the first instance exists. */
static void links_of_instances_fill_pages(void)
{
    begin(SETT_STORAGE_DEFAULT);
    sett_component knows = sett_relationship_register(
        world, &(sett_relationship_desc){.name = "Knows", .size = 2048, .align = 4, .many = true});
    static sett_entity made[300];
    sett_entity prefab = sett_entity_create(world);
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t* data = sett_relate(world, prefab, knows, sett_entity_create(world));
        CHECK(data != NULL);
        data[511] = k;
    }
    CHECK_EQ(sett_instantiate(world, prefab, 300, made), SETT_OK);
    CHECK_VALID(world);
    for (uint32_t k = 0; k < 300; k += 13) {
        sett_link_cursor cursor = {0};
        for (uint32_t link = 0; link < 3; link++) {
            CHECK(!sett_is_null(sett_target_next(world, made[k], knows, &cursor)));
            CHECK_EQ(((const uint32_t*)cursor.data)[511], link);
        }
    }
    CHECK_END(world);
}

/* What a prefab leads to and what it has from a base may be one entity in the instance. */
static void links_that_meet_are_one(void)
{
    begin(SETT_STORAGE_DEFAULT);
    sett_component knows = sett_relationship_register(
        world, &(sett_relationship_desc){.name = "Knows", .size = 4, .align = 4, .many = true});
    sett_entity prefab = sett_entity_create(world);
    sett_entity base = sett_entity_create(world);
    *(uint32_t*)sett_relate(world, prefab, knows, prefab) = 1;
    *(uint32_t*)sett_relate(world, prefab, knows, base) = 2;
    sett_entity made = sett_instantiate_with(
        world, &(sett_instantiate_desc){.prefab = prefab, .bases = &base, .base_count = 1});
    CHECK_EQ(sett_target_count(world, made, knows), 1);
    CHECK_EQ(*(const uint32_t*)sett_related(world, made, knows, made), 2);
    CHECK_END(world);
}

/* Two prefabs: the first has had a place in the hierarchy, and its instances need none for it; the
 * second has a child. */
typedef struct lone_scene {
    sett_world* world;
    sett_entity first, second;
    uint32_t count;
} lone_scene;

static bool lone_instantiate(void* user)
{
    const lone_scene* s = user;
    sett_entity instance = sett_instantiate_with(
        s->world,
        &(sett_instantiate_desc){.prefab = s->first, .bases = &s->second, .base_count = 1});
    CHECK(sett_is_null(instance) || sett_hierarchy_child_count(s->world, instance) == 1);
    return !sett_is_null(instance);
}

static void lone_unchanged(void* user)
{
    const lone_scene* s = user;
    CHECK_EQ(sett_entity_count(s->world), s->count);
}

/* The place is reserved for the children of the second, here in another page than theirs. */
static void a_base_with_children_behind_a_lone_node(void)
{
    static scarce_memory memory;
    static lone_scene s;
    s.world = scarce_world(&memory);
    sett_world* w = s.world;
    s.first = sett_entity_create(w);
    s.second = sett_entity_create(w);
    CHECK_EQ(sett_hierarchy_attach(w, s.first, sett_entity_create(w)), SETT_OK);
    CHECK_EQ(sett_hierarchy_attach(w, sett_entity_create(w), s.second), SETT_OK);
    CHECK_EQ(sett_prefab_make(w, s.first), SETT_OK);
    CHECK_EQ(sett_prefab_make(w, s.second), SETT_OK);
    CHECK_EQ(sett_entity_create_many(w, 2000, NULL, 0, NULL, NULL), SETT_OK);
    CHECK_EQ(sett_entity_destroy(w, sett_entity_at(w, 700)), SETT_OK); /* the next instance's */
    s.count = sett_entity_count(w);
    scarce_run(w, &memory, lone_instantiate, lone_unchanged, &s);
    scarce_end(&memory, w);
}

TEST_MAIN(TEST(a_base_with_children_behind_a_lone_node), TEST(links_that_meet_are_one),
          TEST(children_of_prefabs_are_prefabs), TEST(all_below_prefabs_are_prefabs),
          TEST(slots_lead_to_the_instances_child), TEST(prefabs_have_several_bases),
          TEST(descendants_of_one_path_are_one), TEST(links_of_instances_fill_pages),
          TEST(queries_skip_hidden_entities), TEST(instances_are_like_the_prefab),
          TEST(instances_of_leaves_are_in_no_hierarchy), TEST(shared_values_are_the_prefabs),
          TEST(links_of_prefabs_are_the_instances), TEST(instances_are_looked_into_by_name),
          TEST(values_that_own_are_copied), TEST(misuse_is_rejected), TEST(memory_runs_out))

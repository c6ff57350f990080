/* test_selection.c: a part of a world: hashed, encoded, applied, copied.
 *
 * SPDX-License-Identifier: MIT
 */
#include "chance.h"
#include "scarce.h"
#include "sett/sett.h"
#include "worlds.h"

typedef struct Body {
    float x;
    char kind; /* and padding */
    double y;
} Body;

typedef struct Rare {
    uint32_t number;
} Rare;

typedef struct Sent { /* numbers that are not changed by rounding */
    float x;
    uint16_t n; /* and padding */
} Sent;

#define KINDS(COMPONENT, TAG)                                                                      \
    COMPONENT(Body, .members = SETT_STRUCT(Body, x, kind, y))                                      \
    COMPONENT(Rare, .storage = SETT_STORAGE_SPARSE_SET)                                            \
    COMPONENT(Sent, .members = SETT_STRUCT(Sent, (x, .send = {.scale = 8, .bits = 10}), n))        \
    TAG(Hot)                                                                                       \
    TAG(Apart, .dont_fragment = true)
SETT_COMPONENTS(KINDS)

#define ENTITIES 120u

static uint64_t chance_state;

static uint32_t below(uint32_t limit)
{
    return chance_below(&chance_state, limit);
}

typedef struct scene {
    sett_world* world;
    sett_component owes;  /* exclusive, with data */
    sett_component likes; /* to many */
} scene;

static void prepare(scene* s)
{
    CHECK_EQ(SETT_REGISTER_ALL(s->world, KINDS), SETT_OK);
    s->owes = sett_relationship_register(
        s->world, &(sett_relationship_desc){.name = "Owes", .size = sizeof(uint32_t)});
    s->likes = sett_relationship_register(
        s->world,
        &(sett_relationship_desc){.name = "Likes", .size = sizeof(uint32_t), .many = true});
    CHECK(s->owes != 0 && s->likes != 0);
    CHECK(sett_name_register(s->world) != 0 && sett_hierarchy_register(s->world, NULL) != 0);
}

static scene begin(void)
{
    scene s = {.world = quiet_world()};
    prepare(&s);
    return s;
}

static sett_entity some(const scene* s)
{
    return sett_entity_at(s->world, below(ENTITIES));
}

/* One random change. */
static void change(const scene* s)
{
    sett_world* world = s->world;
    sett_entity e = some(s);
    sett_entity other = some(s);
    uint32_t n = below(100);
    if (n < 12 || sett_is_null(e)) {
        uint32_t index = below(ENTITIES);
        (void)sett_entity_create_handle(world, (sett_entity){index, 1 + below(4)});
    } else if (n < 16) {
        CHECK_EQ(sett_entity_destroy(world, e), SETT_OK);
    } else if (n < 45) {
        Body body;
        memset(&body, (int)below(256), sizeof(body)); /* padding, NaN */
        body.kind = (char)below(3);
        body.x = below(4) == 0 ? body.x : (float)below(3);
        body.y = below(4) == 0 ? body.y : below(3);
        CHECK(sett_set(world, e, Body_id, &body) != NULL);
    } else if (n < 50) {
        CHECK(SETT_SET(world, e, Rare, .number = below(3)) != NULL);
    } else if (n < 55) {
        CHECK(SETT_SET(world, e, Sent, .x = (float)below(1000) / 8 - 64, .n = 7) != NULL);
    } else if (n < 60) {
        CHECK(sett_ensure(world, e, below(2) == 0 ? Hot_id : Apart_id) != NULL);
    } else if (n < 70) {
        const sett_component types[] = {Body_id, Rare_id, Hot_id, Apart_id, Sent_id};
        (void)sett_remove(world, e, types[below(5)]);
    } else if (n < 78 && !sett_is_null(other)) {
        (void)sett_hierarchy_attach(world, e, other); /* may be a circle */
    } else if (n < 80) {
        (void)sett_hierarchy_detach(world, e);
    } else if (n < 85) {
        char name[16];
        snprintf(name, sizeof(name), "n%u", (unsigned)e.index); /* unique wherever it is */
        (void)sett_name_set(world, e, below(3) == 0 ? NULL : name);
    } else if (n < 92 && !sett_is_null(other)) {
        uint32_t* data = sett_relate(world, e, s->owes, other);
        if (data != NULL) {
            *data = below(3);
        }
    } else if (!sett_is_null(other) && below(3) == 0) {
        (void)sett_unrelate(world, e, s->likes, other);
    } else if (!sett_is_null(other)) {
        uint32_t* data = sett_relate(world, e, s->likes, other);
        CHECK(data != NULL);
        *data = below(3);
    }
}

static uint64_t sum_of(const scene* s, const sett_selection* selection, bool handles)
{
    uint64_t sum;
    CHECK_EQ(sett_selection_hash(s->world, selection, handles, &sum), SETT_OK);
    return sum;
}

/* Disjoint parts, of entities or of types, add up to the whole. */
static void parts_add_up(void)
{
    chance_state = check_setting("SETT_SEED", 1);
    scene s = begin();
    sett_entity list[5][ENTITIES];
    for (uint32_t round = 0; round < CHECK_ROUNDS(10000); round++) {
        sett_selection part[5] = {{0}};
        change(&s);
        for (uint32_t k = 0; k < ENTITIES; k++) {
            uint32_t of = below(5);
            list[of][part[of].entity_count++] =
                (sett_entity){k, sett_is_null(sett_entity_at(s.world, k))
                                     ? 7u
                                     : sett_entity_at(s.world, k).generation};
        }
        uint64_t sum[2] = {0, 0};
        for (uint32_t k = 0; k < 5; k++) {
            part[k].entities = list[k];
            sum[0] += sum_of(&s, &part[k], false);
            sum[1] += sum_of(&s, &part[k], true);
        }
        const sett_selection all = {0};
        CHECK_EQ(sum[0], sum_of(&s, &all, false));
        CHECK_EQ(sum[1], sum_of(&s, &all, true));
        CHECK((sum[0] == sum[1]) == (sett_entity_count(s.world) == 0));
        if (round % 100 == 0) {
            uint64_t types = 0;
            sett_query* query = SETT_QUERY_CREATE(s.world, SETT_WITH(Body));
            sett_query* rest = SETT_QUERY_CREATE(s.world, SETT_WITHOUT(Body));
            types += sum_of(&s, &(sett_selection){.query = query}, true);
            types += sum_of(&s, &(sett_selection){.query = rest}, true);
            CHECK_EQ(types, sum[1]);
            sett_query_destroy(query);
            sett_query_destroy(rest);
        }
    }
    CHECK_END(s.world);
}

static void the_first_difference_is_named(void)
{
    char text[200];
    scene a = begin();
    scene b = begin();
    for (uint32_t k = 0; k < 4; k++) {
        CHECK(SETT_CREATE(a.world, SETT_VALUE(Body, .y = k)).generation == 1);
        CHECK(SETT_CREATE(b.world, SETT_VALUE(Body, .y = k)).generation == 1);
    }
    const sett_entity list[2] = {{3, 1}, {1, 1}};
    const sett_selection part = {.entities = list, .entity_count = 2};
    SETT_GET_MUT(b.world, ((sett_entity){2, 1}), Body)->y = 9; /* not selected */
    CHECK_EQ(sett_selection_difference(a.world, b.world, &part, text, sizeof(text)), 0);
    SETT_GET_MUT(b.world, list[0], Body)->x = 4;
    CHECK(sett_selection_difference(a.world, b.world, &part, text, sizeof(text)) != 0);
    CHECK_MSG(strstr(text, "entity 3:1: \"Body\" differs: x") != NULL, "%s", text);
    const sett_selection rare = {
        .entities = list, .entity_count = 2, .types = &(sett_component){Rare_id}, .type_count = 1};
    CHECK_EQ(sett_selection_difference(a.world, b.world, &rare, text, sizeof(text)), 0);
    CHECK_EQ(sett_entity_destroy(b.world, list[1]), SETT_OK);
    CHECK(sett_selection_difference(a.world, b.world, &part, text, sizeof(text)) != 0);
    CHECK_MSG(strstr(text, "entity 1:1 is in the first world only") != NULL, "%s", text);
    CHECK_END(a.world);
    CHECK_END(b.world);
}

/* Which entity a link leads to is in no component's bytes. */
static void links_count(void)
{
    uint64_t sum[2];
    for (uint32_t way = 0; way < 2; way++) {
        scene s = begin();
        sett_entity e[3];
        CHECK_EQ(sett_entity_create_many(s.world, 3, NULL, 0, NULL, e), SETT_OK);
        CHECK(sett_relate(s.world, e[0], s.likes, e[1 + way]) != NULL);
        sum[way] = sum_of(&s, &(sett_selection){.entities = e, .entity_count = 1}, true);
        CHECK_END(s.world);
    }
    CHECK(sum[0] != sum[1]);
}

/* The links of an entity, as far as their targets are there. */
static void expect_links(const scene* from, const scene* into, sett_entity e,
                         sett_component relationship, sett_component there)
{
    uint32_t count = 0;
    SETT_TARGETS(from->world, e, relationship, target, link) {
        if (sett_entity_valid(into->world, target)) {
            const uint32_t* data = sett_related(into->world, e, there, target);
            CHECK(data != NULL);
            CHECK_EQ(*data, *(const uint32_t*)link.data);
            count++;
        }
    }
    CHECK_EQ(sett_target_count(into->world, e, there), count);
}

/* What a part has become, compared entity by entity: by its values, its name, its parent and its
 * links, as far as these are there. */
static void expect_part(const scene* from, const scene* into, const sett_entity* list,
                        uint32_t count)
{
    const sett_component types[] = {Body_id, Rare_id, Hot_id, Apart_id, Sent_id};
    for (uint32_t k = 0; k < count; k++) {
        sett_entity e = list[k];
        CHECK_EQ(sett_entity_valid(from->world, e), sett_entity_valid(into->world, e));
        if (!sett_entity_valid(from->world, e)) {
            continue;
        }
        uint64_t sum[2];
        const sett_selection one = {
            .entities = &e, .entity_count = 1, .types = types, .type_count = 5};
        CHECK_EQ(sett_selection_hash(from->world, &one, true, &sum[0]), SETT_OK);
        CHECK_EQ(sett_selection_hash(into->world, &one, true, &sum[1]), SETT_OK);
        CHECK_EQ(sum[0], sum[1]);
        const char* name = sett_name_get(from->world, e);
        const char* there = sett_name_get(into->world, e);
        CHECK((name == NULL) == (there == NULL) && (name == NULL || strcmp(name, there) == 0));
        sett_entity parent = sett_hierarchy_parent(from->world, e);
        parent = sett_entity_valid(into->world, parent) ? parent : sett_null();
        CHECK(sett_equals(parent, sett_hierarchy_parent(into->world, e)));
        expect_links(from, into, e, from->owes, into->owes);
        expect_links(from, into, e, from->likes, into->likes);
    }
}

/* The indices that are sent; of the others the receivers have some from the beginning. */
static bool is_sent(uint32_t index)
{
    return index % 3 != 0;
}

static scene receiver(void)
{
    scene s = begin();
    for (uint32_t k = 0; k < ENTITIES + 6; k += 6) {
        CHECK_EQ(sett_entity_create_handle(s.world, (sett_entity){k, 1}), SETT_OK);
    }
    return s;
}

static uint32_t add_sent(const scene* s, sett_entity* list, uint32_t count)
{
    for (uint32_t k = 0; k < ENTITIES; k++) {
        sett_entity e = sett_entity_at(s->world, k);
        if (is_sent(k) && !sett_is_null(e)) {
            list[count++] = e;
        }
    }
    return count;
}

static void apply_of_an_encode_equals_copy(void)
{
    static unsigned char bytes[65536];
    sett_entity list[2 * ENTITIES];
    chance_state = check_setting("SETT_SEED", 1);
    scene from = begin();
    scene applied = receiver();
    scene copied = receiver();
    sett_snapshot since = {0, 0};
    uint64_t tick = 0;
    for (uint32_t step = 0; step < CHECK_ROUNDS(100000);) {
        uint32_t count = add_sent(&from, list, 0);
        for (uint32_t more = 1 + below(40); more > 0; more--, step++) {
            change(&from);
        }
        count = add_sent(&from, list, count);
        const sett_selection part = {.entities = list, .entity_count = count};
        size_t size;
        CHECK_EQ(sett_selection_encode(from.world, &part, since, bytes, sizeof(bytes), &size),
                 SETT_OK);
        CHECK_MSG(sett_selection_apply(applied.world, bytes, size, &part) == SETT_OK, "step %u: %s",
                  (unsigned)step, sett_world_message(applied.world));
        CHECK_MSG(sett_selection_copy(from.world, &part, tick, copied.world) == SETT_OK,
                  "step %u: %s", (unsigned)step, sett_world_message(copied.world));
        expect_part(&from, &applied, list, count);
        expect_part(&from, &copied, list, count);
        if (step % 8 == 0) {
            CHECK_VALID(applied.world);
            CHECK_VALID(copied.world);
        }
        sett_snapshot_drop_all(from.world);
        tick = sett_world_tick(from.world);
        CHECK_EQ(sett_snapshot_take(from.world, &since), SETT_OK);
        (void)sett_world_advance_tick(from.world);
        if (below(20) == 0) { /* the state before is lost: all of it again */
            CHECK_EQ(sett_world_clear(applied.world), SETT_OK);
            sett_world_destroy(applied.world);
            applied = receiver();
            count = add_sent(&from, list, 0);
            const sett_selection all = {.entities = list, .entity_count = count};
            const sett_snapshot none = {0, 0};
            CHECK_EQ(sett_selection_encode(from.world, &all, none, bytes, sizeof(bytes), &size),
                     SETT_OK);
            CHECK_EQ(sett_selection_apply(applied.world, bytes, size, NULL), SETT_OK);
            expect_part(&from, &applied, list, count);
        }
    }
    CHECK_END(applied.world);
    CHECK_END(copied.world);
    sett_snapshot_drop_all(from.world);
    CHECK_END(from.world);
}

/* A world whose own handles are others, so that entities that leave it are forgotten. */
static scene watcher(void)
{
    scene s = begin();
    CHECK_EQ(sett_entity_set_range(s.world, 1 << 20, 0), SETT_OK);
    return s;
}

/* Some of the living entities, others in each call. */
static uint32_t look(const scene* s, sett_entity* list)
{
    uint32_t count = 0;
    uint32_t share = 1 + below(4);
    for (uint32_t k = 0; k < ENTITIES; k++) {
        sett_entity e = sett_entity_at(s->world, k);
        if (!sett_is_null(e) && below(4) < share) {
            list[count++] = e;
        }
    }
    return count;
}

/* With what was selected before, a receiver has what is selected, and nothing else. */
static void entities_enter_and_leave(void)
{
    static unsigned char bytes[65536];
    static sett_entity seen[3][ENTITIES]; /* now; by the receivers of bytes, and of copies */
    uint32_t had[2] = {0, 0};
    chance_state = check_setting("SETT_SEED", 1);
    scene from = begin();
    scene applied = watcher();
    scene copied = watcher();
    const uint64_t empty = sett_world_hash(applied.world);
    sett_snapshot since = {0, 0};
    uint64_t tick = 0;
    for (uint32_t step = 0, end = CHECK_ROUNDS(100000); step <= end;) {
        for (uint32_t more = 1 + below(40); more > 0; more--, step++) {
            change(&from);
        }
        uint32_t count = step <= end ? look(&from, seen[0]) : 0; /* at last nothing */
        sett_selection part = {
            .entities = seen[0], .entity_count = count, .before = seen[1], .before_count = had[0]};
        size_t size;
        CHECK_EQ(sett_selection_encode(from.world, &part, since, bytes, sizeof(bytes), &size),
                 SETT_OK);
        part.before = seen[2];
        part.before_count = had[1];
        CHECK_MSG(sett_selection_copy(from.world, &part, tick, copied.world) == SETT_OK,
                  "step %u: %s", (unsigned)step, sett_world_message(copied.world));
        expect_part(&from, &copied, seen[0], count);
        CHECK_EQ(sett_entity_count(copied.world), count);
        memcpy(seen[2], seen[0], sizeof(seen[0]));
        had[1] = count;
        tick = sett_world_tick(from.world);
        (void)sett_world_advance_tick(from.world);
        if (below(4) == 0 && step <= end) { /* the bytes are lost */
            continue;
        }
        CHECK_MSG(sett_selection_apply(applied.world, bytes, size, NULL) == SETT_OK, "step %u: %s",
                  (unsigned)step, sett_world_message(applied.world));
        expect_part(&from, &applied, seen[0], count);
        CHECK_EQ(sett_entity_count(applied.world), count);
        memcpy(seen[1], seen[0], sizeof(seen[0]));
        had[0] = count;
        sett_snapshot_drop_all(from.world);
        CHECK_EQ(sett_snapshot_take(from.world, &since), SETT_OK);
        if (below(8) == 0) {
            CHECK_VALID(applied.world);
            CHECK_VALID(copied.world);
        }
    }
    CHECK_EQ(sett_world_hash(applied.world), empty); /* no handle is used up */
    CHECK_EQ(sett_world_hash(copied.world), empty);
    CHECK_END(applied.world);
    CHECK_END(copied.world);
    sett_snapshot_drop_all(from.world);
    CHECK_END(from.world);
}

/* Two siblings here, which are none there, have one name: one of them loses it, until their parents
 * are back. */
static void names_are_unique_here(void)
{
    static unsigned char bytes[4096];
    scene from = begin();
    scene into = watcher();
    sett_entity e[4]; /* 0 and 1: turrets of the tanks 2 and 3 */
    CHECK_EQ(sett_entity_create_many(from.world, 4, NULL, 0, NULL, e), SETT_OK);
    for (uint32_t k = 0; k < 2; k++) {
        CHECK_EQ(sett_hierarchy_attach(from.world, e[k], e[2 + k]), SETT_OK);
        CHECK_EQ(sett_name_set(from.world, e[k], "turret"), SETT_OK);
    }
    static const uint32_t counts[] = {2, 4, 2, 4, 3};
    sett_snapshot since = {0, 0};
    for (uint32_t step = 0; step < 5; step++) {
        const sett_selection part = {.entities = e,
                                     .entity_count = counts[step],
                                     .before = e,
                                     .before_count = step != 0 ? counts[step - 1] : 0};
        size_t size;
        CHECK_EQ(sett_selection_encode(from.world, &part, since, bytes, sizeof(bytes), &size),
                 SETT_OK);
        CHECK_MSG(sett_selection_apply(into.world, bytes, size, NULL) == SETT_OK, "%s",
                  sett_world_message(into.world));
        uint32_t named = 0;
        for (uint32_t k = 0; k < 2; k++) {
            named += sett_name_get(into.world, e[k]) != NULL;
            CHECK_EQ(sett_is_null(sett_hierarchy_parent(into.world, e[k])), counts[step] <= 2 + k);
        }
        CHECK_EQ(named, counts[step] == 2 ? 1 : 2);
        CHECK_VALID(into.world);
        sett_snapshot_drop_all(from.world);
        CHECK_EQ(sett_snapshot_take(from.world, &since), SETT_OK);
    }
    CHECK_END(into.world);
    sett_snapshot_drop_all(from.world);
    CHECK_END(from.world);
}

/* A part without a list says what ended. */
static void all_of_a_world_is_followed(void)
{
    static unsigned char bytes[65536];
    sett_entity list[ENTITIES];
    chance_state = check_setting("SETT_SEED", 1);
    scene from = begin();
    scene into = begin();
    sett_snapshot since = {0, 0};
    const sett_selection all = {0};
    for (uint32_t step = 0; step < CHECK_ROUNDS(3000); step++) {
        size_t size;
        change(&from);
        CHECK_EQ(sett_selection_encode(from.world, &all, since, bytes, sizeof(bytes), &size),
                 SETT_OK);
        CHECK_MSG(sett_selection_apply(into.world, bytes, size, NULL) == SETT_OK, "step %u: %s",
                  (unsigned)step, sett_world_message(into.world));
        CHECK_EQ(sum_of(&from, &all, true), sum_of(&into, &all, true));
        sett_snapshot_drop_all(from.world);
        CHECK_EQ(sett_snapshot_take(from.world, &since), SETT_OK);
    }
    CHECK(look(&from, list) != 0);
    CHECK_END(into.world);
    sett_snapshot_drop_all(from.world);
    CHECK_END(from.world);
}

/* Bytes are about what changed, however much is selected. */
static void few_changes_are_few_bytes(void)
{
    static sett_entity list[1000];
    const sett_selection part = {.entities = list, .entity_count = 1000};
    sett_snapshot since;
    size_t size;
    scene s = begin();
    for (uint32_t k = 0; k < 1000; k++) {
        list[k] = SETT_CREATE(s.world, SETT_VALUE(Body, .x = 1));
        CHECK(k % 3 != 1 || sett_hierarchy_attach(s.world, list[k], list[k - 1]) == SETT_OK);
        (void)sett_entity_create(s.world); /* not selected */
    }
    CHECK_EQ(sett_snapshot_take(s.world, &since), SETT_OK);
    SETT_GET_MUT(s.world, list[7], Body)->x = 2;
    CHECK_EQ(sett_selection_encode(s.world, &part, since, NULL, 0, &size), SETT_OK);
    CHECK(size < 60 + 9 + 43 + 4 + 20 + 5 + sizeof(Body));
    sett_snapshot_drop_all(s.world);
    CHECK_END(s.world);
}

/* What is not allowed, or was damaged, changes nothing. */
static void what_is_not_allowed_changes_nothing(void)
{
    static unsigned char bytes[65536];
    sett_entity list[ENTITIES];
    chance_state = check_setting("SETT_SEED", 1);
    scene from = begin();
    scene into = begin();
    for (uint32_t k = 0; k < 2000; k++) {
        change(&from);
    }
    uint32_t count = add_sent(&from, list, 0);
    const sett_selection part = {.entities = list, .entity_count = count};
    const sett_snapshot none = {0, 0};
    size_t size;
    CHECK_EQ(sett_selection_encode(from.world, &part, none, bytes, sizeof(bytes), &size), SETT_OK);
    uint64_t hash = sett_world_hash(into.world);
    const sett_selection fewer = {.entities = list + 1, .entity_count = count - 1};
    CHECK_EQ(sett_selection_apply(into.world, bytes, size, &fewer), SETT_STATUS_INVALID);
    CHECK(strstr(sett_world_message(into.world), "sett_selection_apply: the selection creates") !=
          NULL);
    CHECK(strstr(sett_world_message(into.world), ", which `allowed` excludes") != NULL);
    const sett_selection body = {.types = &(sett_component){Body_id}, .type_count = 1};
    CHECK_EQ(sett_selection_apply(into.world, bytes, size, &body), SETT_STATUS_INVALID);
    CHECK(strstr(sett_world_message(into.world),
                 "sett_selection_apply: the selection changes type \"") != NULL);
    sett_query* query = SETT_QUERY_CREATE(into.world, SETT_WITH(Body));
    CHECK_EQ(sett_selection_apply(from.world, bytes, size, &(sett_selection){.query = query}),
             SETT_STATUS_ARGUMENT);
    CHECK(strstr(sett_world_message(from.world), "belongs to another world") != NULL);
    CHECK_EQ(sett_selection_apply(into.world, bytes, size, &(sett_selection){.query = query}),
             SETT_STATUS_INVALID);
    CHECK_EQ(sett_selection_apply(into.world, bytes, size,
                                  &(sett_selection){.query = query, .entities = list}),
             SETT_STATUS_ARGUMENT);
    for (uint32_t k = 0; k < CHECK_ROUNDS(5000); k++) {
        size_t at = below((uint32_t)size);
        unsigned char flip = (unsigned char)(1u << below(8));
        bytes[at] ^= flip;
        if (at < 40 && at >= 8 && at < 24) {
            bytes[at] ^= flip; /* the hashes of a delta, which mean nothing here */
            continue;
        }
        CHECK(sett_selection_apply(into.world, bytes, below(4) == 0 ? at : size, NULL) != SETT_OK);
        bytes[at] ^= flip;
    }
    CHECK_EQ(sett_world_hash(into.world), hash);
    CHECK_EQ(sett_selection_apply(into.world, bytes, size, NULL), SETT_OK);
    CHECK_EQ(sett_selection_apply(into.world, bytes, size, NULL), SETT_OK); /* again */
    expect_part(&from, &into, list, count);
    CHECK_END(into.world);
    CHECK_END(from.world);
}

/* A type that is allowed does not bring, or take along, one that is not. */
static void what_types_require_must_be_allowed(void)
{
    static unsigned char bytes[4096];
    const sett_snapshot none = {0, 0};
    scene from = begin();
    scene into = begin();
    sett_component needy[2];
    for (uint32_t k = 0; k < 2; k++) {
        sett_world* world = k == 0 ? from.world : into.world;
        needy[k] = sett_component_register(
            world, &(sett_component_desc){.name = "Needy",
                                          .size = 4,
                                          .required = &(sett_component){Rare_id},
                                          .required_count = 1});
    }
    sett_entity e = sett_entity_create(from.world);
    CHECK_EQ(sett_entity_create(into.world).index, e.index);
    CHECK(sett_add(from.world, e, needy[0]) != NULL);
    const sett_selection sent = {.types = needy, .type_count = 1};
    const sett_selection allowed = {.types = needy + 1, .type_count = 1};
    size_t size;
    CHECK_EQ(sett_selection_encode(from.world, &sent, none, bytes, sizeof(bytes), &size), SETT_OK);
    uint64_t hash = sett_world_hash(into.world);
    CHECK_EQ(sett_selection_apply(into.world, bytes, size, &allowed), SETT_STATUS_INVALID);
    CHECK_MSG(strstr(sett_world_message(into.world),
                     "adds \"Needy\", which requires \"Rare\", but `allowed` has only the first - "
                     "allow both types") != NULL,
              "%s", sett_world_message(into.world));
    CHECK_EQ(sett_world_hash(into.world), hash);
    CHECK(sett_add(into.world, e, Rare_id) != NULL); /* it is there already */
    CHECK_EQ(sett_selection_apply(into.world, bytes, size, &allowed), SETT_OK);
    CHECK(sett_has(into.world, e, needy[1]));
    const sett_selection rare = {.types = &(sett_component){Rare_id}, .type_count = 1};
    sett_snapshot since;
    CHECK_EQ(sett_snapshot_take(from.world, &since), SETT_OK);
    CHECK_EQ(sett_remove(from.world, e, Rare_id), SETT_OK);
    CHECK_EQ(sett_selection_encode(from.world, &rare, since, bytes, sizeof(bytes), &size), SETT_OK);
    hash = sett_world_hash(into.world);
    CHECK_EQ(sett_selection_apply(into.world, bytes, size, &rare), SETT_STATUS_INVALID);
    CHECK_MSG(strstr(sett_world_message(into.world),
                     "removes \"Rare\", which \"Needy\" requires, but `allowed` has only the "
                     "first - allow both types") != NULL,
              "%s", sett_world_message(into.world));
    CHECK_EQ(sett_world_hash(into.world), hash);
    CHECK_EQ(sett_selection_apply(into.world, bytes, size, NULL), SETT_OK);
    CHECK(!sett_has(into.world, e, needy[1]) && !sett_has(into.world, e, Rare_id));
    CHECK_END(into.world);
    sett_snapshot_drop_all(from.world);
    CHECK_END(from.world);
}

/* --------------------------------------------------------------------------------- memory */

typedef struct scarce_part {
    scene from;
    scene into;
    sett_selection part;
    sett_entity list[ENTITIES];
    unsigned char* bytes;
    size_t size;
    sett_world* world; /* which has no memory */
    uint64_t hash;
} scarce_part;

static bool step_encode(void* user)
{
    static unsigned char out[65536];
    scarce_part* of = user;
    size_t size = 0;
    bool done = sett_selection_encode(of->from.world, &of->part, (sett_snapshot){0, 0}, out,
                                      sizeof(out), &size) == SETT_OK;
    CHECK(!done || (size == of->size && memcmp(out, of->bytes, size) == 0));
    return done;
}

static bool step_apply(void* user)
{
    scarce_part* of = user;
    return sett_selection_apply(of->into.world, of->bytes, of->size, &of->part) == SETT_OK;
}

static bool step_copy(void* user)
{
    scarce_part* of = user;
    return sett_selection_copy(of->from.world, &of->part, 0, of->into.world) == SETT_OK;
}

/* Each allocation fails once: of encoding, of applying, of copying on both sides. */
static void every_allocation_fails_once(void)
{
    static bool (*const steps[])(void*) = {step_encode, step_apply, step_copy, step_copy};
    static scarce_memory memory;
    static unsigned char bytes[65536];
    for (uint32_t k = 0; k < 4; k++) {
        chance_state = check_setting("SETT_SEED", 1);
        scarce_part of = {.from = {.world = scarce_world(&memory)},
                          .into = {.world = scarce_world(&memory)},
                          .bytes = bytes};
        prepare(&of.from);
        prepare(&of.into);
        for (uint32_t n = 0; n < 600; n++) {
            change(&of.from);
        }
        of.part =
            (sett_selection){.entities = of.list, .entity_count = add_sent(&of.from, of.list, 0)};
        of.part.before = of.list;
        of.part.before_count = of.part.entity_count / 2;
        CHECK_EQ(sett_selection_encode(of.from.world, &of.part, (sett_snapshot){0, 0}, bytes,
                                       sizeof(bytes), &of.size),
                 SETT_OK);
        of.world = k == 0 || k == 3 ? of.from.world : of.into.world;
        uint64_t hash[2] = {sett_world_hash(of.from.world), sett_world_hash(of.into.world)};
        uint32_t failures = 0;
        for (bool done = false; !done; failures += !done) {
            scarce_squeeze(&of.world->pool, &memory, 0);
            memory.strict = true;
            memory.allowed = failures;
            done = steps[k](&of);
            memory.allowed = 0;
            scarce_give_back(&of.world->pool, &memory);
            if (!done) {
                sett_world* says = k == 0 ? of.from.world : of.into.world;
                CHECK_EQ(sett_world_error(says), SETT_STATUS_OUT_OF_MEMORY);
                CHECK_EQ(sett_world_hash(of.from.world), hash[0]);
                CHECK_EQ(sett_world_hash(of.into.world), hash[1]);
                CHECK_VALID(of.world);
            }
        }
        CHECK_MSG(failures != 0, "step %u never failed", (unsigned)k);
        if (k != 0) {
            expect_part(&of.from, &of.into, of.list, of.part.entity_count);
        }
        CHECK_END(of.from.world);
        CHECK_END(of.into.world);
        CHECK_EQ(memory.held, 0);
    }
}

TEST_MAIN(TEST(parts_add_up), TEST(links_count), TEST(the_first_difference_is_named),
          TEST(apply_of_an_encode_equals_copy), TEST(entities_enter_and_leave),
          TEST(names_are_unique_here), TEST(all_of_a_world_is_followed),
          TEST(few_changes_are_few_bytes), TEST(what_is_not_allowed_changes_nothing),
          TEST(what_types_require_must_be_allowed), TEST(every_allocation_fails_once))

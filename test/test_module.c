/* test_module.c: a third party's relation, written as the library's own are: what it registers is
 * all that copies, checks, statistics, snapshots and deltas know of it.
 *
 * Squads: a leader has the tag "Leader", its members a component that names it. When a leader is
 * destroyed so are its members; when it stops leading they follow none. */
#include "sett/duplicate.h"
#include "states.h"

#include "world/change.h"
#include "world/codec.h"

typedef struct member {
    sett_entity leader; /* null: none */
} member;

static setti_type* squad_type(const sett_world* world, const char* name)
{
    return setti_world_type(world, sett_component_find(world, name));
}

/* The members of a leader, from an index on; SETTI_NONE behind the last. */
static uint32_t squad_next(const sett_world* world, sett_entity leader, uint32_t* cursor)
{
    const setti_storage* storage = &squad_type(world, "Member")->storage;
    uint32_t index = setti_storage_next(storage, cursor);
    while (index != SETTI_NONE &&
           !sett_equals(((const member*)setti_storage_find(storage, index))->leader, leader)) {
        index = setti_storage_next(storage, cursor);
    }
    return index;
}

static sett_status squad_collect(sett_world* world, setti_type* type, uint32_t index)
{
    uint32_t cursor = 0;
    sett_entity leader = setti_entity_at(&world->entities, index);
    (void)type;
    for (uint32_t at = squad_next(world, leader, &cursor); at != SETTI_NONE;
         at = squad_next(world, leader, &cursor)) {
        setti_change_collect(world, at);
    }
    return SETT_OK;
}

static void squad_unlink(sett_world* world, setti_type* type, uint32_t index)
{
    uint32_t cursor = 0;
    sett_entity leader = setti_entity_at(&world->entities, index);
    (void)type;
    for (uint32_t at = squad_next(world, leader, &cursor); at != SETTI_NONE;
         at = squad_next(world, leader, &cursor)) {
        member* value =
            setti_storage_find_mut(&world->pool, &squad_type(world, "Member")->storage, at);
        value->leader = sett_null();
    }
}

static void squad_leave(sett_world* world, setti_type* type, uint32_t index)
{
    (void)world;
    (void)type;
    (void)index;
}

static const char* squad_validate(sett_world* world, setti_type* type)
{
    const setti_type* leaders = squad_type(world, "Leader");
    uint32_t cursor = 0;
    for (uint32_t at = setti_storage_next(&type->storage, &cursor); at != SETTI_NONE;
         at = setti_storage_next(&type->storage, &cursor)) {
        const member* value = setti_storage_find(&type->storage, at);
        if (!sett_is_null(value->leader) && !sett_has(world, value->leader, leaders->id)) {
            return "a member follows one who does not lead";
        }
    }
    return NULL;
}

static void squad_register(sett_world* world);

static uint32_t joins;

static sett_status squad_join(sett_world* into, const sett_world* from, const setti_type* type)
{
    (void)from;
    (void)type;
    joins++;
    squad_register(into);
    return SETT_OK;
}

static bool squad_same(const setti_type* a, const setti_type* b)
{
    return a->storage.size == b->storage.size;
}

/* A delta says who follows whom, once all leaders lead; the receiver checks it like a call. */
static uint32_t squad_bytes(const setti_type* type)
{
    (void)type;
    return 8;
}

static void squad_encode(setti_encoder* to, const setti_type* type, const void* value)
{
    const member* of = value;
    (void)type;
    setti_encode_number(to, of->leader.index, 4);
    setti_encode_number(to, of->leader.generation, 4);
}

static const char* squad_check(const setti_player* player, const setti_type* type,
                               const setti_delta_entry* entry)
{
    bool none = setti_delta_word(entry->bytes, 1) == 0;
    uint32_t leader = setti_delta_word(entry->bytes, 0);
    (void)type;
    return none || player->fate(player, leader) != SETTI_FATE_NONE ? NULL : "no such leader";
}

static uint32_t plays;

static bool squad_play(const setti_player* player, setti_type* type, sett_entity entity,
                       const setti_delta_entry* entry)
{
    sett_world* world = type->world;
    member value = {{setti_delta_word(entry->bytes, 0), setti_delta_word(entry->bytes, 1)}};
    plays++;
    if (!sett_is_null(value.leader) &&
        !sett_has(world, value.leader, squad_type(world, "Leader")->id)) {
        return player->reject(player, type, "a member would follow one who does not lead");
    }
    return sett_set(world, entity, type->id, &value) != NULL;
}

/* The members that stay are said by the delta to follow another, or none. */
static bool squad_isolate(const setti_player* player, setti_type* type, sett_entity entity)
{
    bool leads = sett_has(type->world, entity, type->id);
    if (leads && player->room(player)) {
        squad_unlink(type->world, type, entity.index);
    }
    return true;
}

static bool squad_lead(const setti_player* player, setti_type* type, sett_entity entity,
                       const setti_delta_entry* entry)
{
    (void)player;
    (void)entry;
    return sett_ensure(type->world, entity, type->id) != NULL;
}

static void squad_register(sett_world* world)
{
    static const setti_codec leads_on = {
        .form = SETTI_DELTA_OTHER, .detach = squad_isolate, .play = squad_lead};
    static const setti_codec follows_on = {.form = SETTI_DELTA_OTHER,
                                           .pass = 1,
                                           .bytes = squad_bytes,
                                           .encode = squad_encode,
                                           .check = squad_check,
                                           .play = squad_play};
    static const setti_cascade leads = {.collect = squad_collect, .unlink = squad_unlink};
    static const setti_cascade follows = {.unlink = squad_leave};
    static const setti_module leading = {.join = squad_join};
    static const setti_module following = {
        .validate = squad_validate, .join = squad_join, .same = squad_same};
    static const uint32_t offsets[] = {offsetof(member, leader)};
    if (sett_component_find(world, "Leader") == 0) {
        sett_component leader =
            sett_component_register(world, &(sett_component_desc){.name = "Leader"});
        sett_component in =
            sett_component_register(world, &(sett_component_desc){.name = "Member",
                                                                  .size = sizeof(member),
                                                                  .align = 4,
                                                                  .entity_offsets = offsets,
                                                                  .entity_offset_count = 1});
        CHECK(leader != 0 && in != 0);
        setti_component_set_cascade(world, setti_world_type(world, leader), &leads);
        setti_component_set_cascade(world, setti_world_type(world, in), &follows);
        setti_world_type(world, leader)->module = &leading;
        setti_world_type(world, leader)->codec = &leads_on;
        setti_world_type(world, in)->codec = &follows_on;
        setti_world_type(world, in)->module = &following;
    }
}

static void squad_follow(sett_world* world, sett_entity entity, sett_entity leader)
{
    member value = {leader};
    if (!sett_has(world, leader, squad_type(world, "Leader")->id)) {
        CHECK(sett_add(world, leader, squad_type(world, "Leader")->id) != NULL);
    }
    CHECK(sett_set(world, entity, squad_type(world, "Member")->id, &value) != NULL);
}

static sett_entity leader_of(const sett_world* world, sett_entity entity)
{
    const member* value = sett_find(world, entity, squad_type(world, "Member")->id);
    return value != NULL ? value->leader : sett_null();
}

/* Two squads: e[0] leads 1 to 4, e[5] leads 6 to 9. */
static sett_world* begin(sett_entity* e)
{
    sett_world* world = quiet_world();
    squad_register(world);
    for (uint32_t k = 0; k < 10; k++) {
        e[k] = sett_entity_create(world);
    }
    for (uint32_t k = 0; k < 10; k++) {
        if (k % 5 != 0) {
            squad_follow(world, e[k], e[k - k % 5]);
        }
    }
    return world;
}

static void ends_cascade(void)
{
    sett_entity e[10];
    sett_world* world = begin(e);
    CHECK_EQ(sett_entity_destroy(world, e[0]), SETT_OK);
    CHECK_EQ(sett_entity_count(world), 5);
    CHECK_EQ(sett_remove(world, e[5], squad_type(world, "Leader")->id), SETT_OK);
    CHECK_EQ(sett_entity_count(world), 5);
    CHECK(sett_is_null(leader_of(world, e[7])));
    CHECK_END(world);
}

/* Whom sett_add makes a leader is counted when room to destroy all together is made. */
static void many_end_together(void)
{
    sett_world* world = quiet_world();
    squad_register(world);
    sett_entity first = sett_entity_create(world);
    sett_entity leader = first;
    for (uint32_t k = 0; k < 1000; k++) {
        sett_entity entity = sett_entity_create(world);
        squad_follow(world, entity, leader);
        leader = entity;
    }
    CHECK_VALID(world);
    CHECK_EQ(sett_entity_destroy(world, first), SETT_OK);
    CHECK_EQ(sett_entity_count(world), 0);
    CHECK_END(world);
}

static void validation_asks_it(void)
{
    sett_entity e[10];
    sett_world* world = begin(e);
    const char* reason = NULL;
    member value = {e[3]};
    CHECK_VALID(world);
    CHECK(sett_set(world, e[2], squad_type(world, "Member")->id, &value) != NULL);
    CHECK(sett_world_validate(world, &reason) != SETT_OK);
    CHECK_STR_EQ(reason, "Member: a member follows one who does not lead");
    sett_world_destroy(world);
}

static void snapshots_bring_it_back(void)
{
    sett_entity e[10];
    sett_world* world = begin(e);
    sett_snapshot then = take(world);
    uint64_t hash = sett_world_hash(world);
    CHECK_EQ(sett_entity_destroy(world, e[0]), SETT_OK);
    squad_follow(world, e[6], e[7]);
    CHECK(sett_world_hash(world) != hash);
    CHECK_EQ(sett_snapshot_restore(world, then), SETT_OK);
    CHECK_EQ(sett_world_hash(world), hash);
    CHECK_ENTITY_EQ(leader_of(world, e[6]), e[5]);
    CHECK_EQ(sett_entity_destroy(world, e[5]), SETT_OK);
    CHECK_EQ(sett_entity_count(world), 5);
    CHECK_END(world);
}

/* A copy made into an empty world has the module, and squads end there as here. */
static void clones_have_it(void)
{
    sett_entity e[10];
    sett_world* world = begin(e);
    sett_world* copy = quiet_world();
    uint32_t before = joins;
    CHECK_EQ(sett_world_clone(world, copy), SETT_OK);
    CHECK(joins > before);
    CHECK_SAME(world, copy);
    CHECK_EQ(sett_entity_destroy(copy, e[0]), SETT_OK);
    CHECK_EQ(sett_entity_count(copy), 5);
    CHECK_VALID(copy);
    /* a world where the names are taken by something else is rejected */
    sett_world* other = quiet_world();
    CHECK(sett_component_register(other, &(sett_component_desc){.name = "Leader"}) != 0);
    CHECK_EQ(sett_world_clone(world, other), SETT_STATUS_CONFLICT);
    CHECK_END(world);
    CHECK_END(copy);
    CHECK_END(other);
}

static void copies_follow_copies(void)
{
    sett_entity e[10];
    sett_world* world = begin(e);
    sett_entity same = sett_duplicate(world, e[1], NULL);
    CHECK_ENTITY_EQ(leader_of(world, same), e[0]);
    CHECK_EQ(sett_entity_destroy(world, e[0]), SETT_OK);
    CHECK(!sett_entity_valid(world, same));
    CHECK_END(world);
}

static void deltas_send_it(void)
{
    sett_entity e[10];
    sett_world* world = begin(e);
    sett_world* peer = quiet_world();
    CHECK_EQ(sett_world_clone(world, peer), SETT_OK);
    sett_snapshot a = take(world);
    CHECK_EQ(sett_entity_destroy(world, e[0]), SETT_OK);
    squad_follow(world, e[6], e[7]);
    squad_follow(world, sett_entity_create(world), e[5]);
    CHECK_EQ(sett_remove(world, e[8], squad_type(world, "Member")->id), SETT_OK);
    sett_snapshot b = take(world);
    unsigned char* bytes;
    size_t size = encode(world, a, b, &bytes);
    plays = 0;
    CHECK_APPLY(peer, bytes, size);
    CHECK_EQ(plays, 2);
    CHECK_SAME(world, peer);
    CHECK_ENTITY_EQ(leader_of(peer, e[6]), e[7]);
    CHECK_EQ(sett_entity_destroy(peer, e[5]), SETT_OK);
    CHECK_EQ(sett_entity_destroy(world, e[5]), SETT_OK);
    CHECK_SAME(world, peer);
    free(bytes);
    CHECK_END(world);
    CHECK_END(peer);
}

TEST_MAIN(TEST(ends_cascade), TEST(many_end_together), TEST(validation_asks_it),
          TEST(snapshots_bring_it_back), TEST(clones_have_it), TEST(copies_follow_copies),
          TEST(deltas_send_it))

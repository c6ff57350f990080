/* test_mirror.c: a mirror is what its world is, whatever was done since the last copy, also while
 * snapshots and a journal of it are held. */
#include "saved.h"
#include "scarce.h"
#include "sett/file.h"
#include "sett/group.h"
#include "sett/hierarchy.h"
#include "sett/name.h"
#include "sett/prefab.h"
#include "sett/relationship.h"
#include "sett/sort.h"
#include "sett/system.h"
#include "sett/threads.h" /* this test runs under the thread sanitizer too */

#include "base/platform.h"

enum {
    ROUNDS = 400,
    LIKES = 40,
    LATE = 50
};

static scarce_memory memory;

static void run_nothing(sett_context* context)
{
    (void)context;
}

/* Names, parents, links, orders: what modules store beside values. */
static void relate(sett_world* world, uint64_t* chance, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        uint32_t alive = sett_entity_count(world);
        sett_entity e = entity_from(world, chance_below(chance, alive));
        sett_entity other = entity_from(world, chance_below(chance, alive));
        char name[32];
        switch (chance_below(chance, 8)) {
        case 0:
        case 1:
            (void)snprintf(name, sizeof(name), "thing %u", (unsigned)chance_below(chance, 400));
            (void)sett_name_set(world, e, name);
            break;
        case 2:
        case 3:
            (void)sett_hierarchy_attach(world, e, other);
            break;
        case 4:
        case 5:
            (void)sett_relate(world, e, LIKES, other);
            break;
        case 6:
            (void)sett_hierarchy_detach(world, e);
            break;
        default:
            (void)sett_unrelate(world, e, LIKES, other);
            break;
        }
    }
}

static sett_world* relate_types(sett_world* world)
{
    register_types(world);
    CHECK_EQ(sett_relationship_register(
                 world, &(sett_relationship_desc){.name = "likes", .id = LIKES, .many = true}),
             LIKES);
    CHECK(sett_system_create(world, &(sett_system_desc){.name = "nothing", .run = run_nothing}) !=
          NULL);
    return world;
}

static sett_world* related_world(void)
{
    return relate_types(scarce_world(&memory));
}

/* What a journal has, loaded; how far systems are goes along. */
static uint64_t loaded_hash(disk* from, uint64_t frame)
{
    sett_world* into = related_world();
    sett_file_desc desc = {.files = &from->files};
    sett_load_result result;
    CHECK_MSG(sett_world_load_with(into, "f", &desc, &result) == SETT_OK, "%s",
              sett_world_message(into));
    uint64_t hash = sett_world_hash(into);
    CHECK_EQ(sett_world_frame(into), frame);
    CHECK_END(into);
    return hash;
}

/* Anything may happen between two copies: changes, restores, an end of all, other types. */
static void act(sett_world* world, uint64_t* chance, sett_snapshot* held)
{
    uint32_t what = chance_below(chance, 40);
    if (what == 0) {
        CHECK_EQ(sett_world_clear(world), SETT_OK);
        (void)sett_entity_create(world);
    } else if (what < 4 && held->serial != 0) {
        CHECK_EQ(sett_snapshot_restore(world, *held), SETT_OK);
    } else if (what < 6) {
        if (held->serial != 0) {
            CHECK_EQ(sett_snapshot_drop(world, *held), SETT_OK);
        }
        CHECK_EQ(sett_snapshot_take(world, held), SETT_OK);
    } else if (what == 6) {
        CHECK_EQ(sett_sort(world, &(sett_sort_desc){.component = RARE, .key = SETT_KEY_U32}),
                 SETT_OK);
    } else if (what == 7) {
        sett_entity made[500];
        CHECK_EQ(sett_entity_create_many(world, 500, NULL, 0, NULL, made), SETT_OK);
        for (uint32_t k = 0; k < 500; k++) {
            CHECK(sett_add(world, made[k], PLACE) != NULL);
        }
    } else if (what == 8) {
        sett_world_trim(world);
    } else {
        change(world, chance, 1 + chance_below(chance, 60));
        relate(world, chance, chance_below(chance, 30));
    }
    CHECK_EQ(sett_progress(world, 1.0f / 60), SETT_OK);
}

static void follows_its_world(void)
{
    uint64_t chance = check_setting("SETT_SEED", 41);
    for (uint32_t run = 0; run < 3; run++) {
        sett_world* world = related_world();
        sett_mirror* mirror = sett_mirror_create(world);
        sett_snapshot held = {0, 0};
        disk* to = disk_create();
        sett_file_desc desc = {.files = &to->files};
        sett_journal* journal = NULL;
        sett_snapshot old = {0, 0};
        uint64_t old_hash = 0;
        CHECK(mirror != NULL);
        change(world, &chance, 300);
        for (uint32_t k = 0; k < ROUNDS; k++) {
            act(world, &chance, &held);
            if (k == ROUNDS / 2) { /* a type that comes later */
                CHECK_EQ(sett_component_register(
                             world, &(sett_component_desc){.name = "late", .size = 8, .id = LATE}),
                         LATE);
            }
            if (k > ROUNDS / 2 && sett_entity_count(world) != 0) {
                (void)sett_ensure(world, entity_from(world, k % sett_entity_count(world)), LATE);
            }
            CHECK_MSG(sett_mirror_copy(mirror) == SETT_OK, "%s", sett_world_message(world));
            sett_world* copy = sett_mirror_world(mirror);
            if (run == 1 && journal == NULL) {
                journal = sett_journal_create(copy, "f", &desc);
                CHECK(journal != NULL);
            } else if (run == 1) {
                CHECK_EQ(sett_journal_append(journal, k), SETT_OK);
            }
            if (k % 8 == 0) {
                CHECK_SAME(world, sett_mirror_world(mirror));
            }
            if (run == 2 && k % 16 == 0) { /* an old state of the mirror stays what it was */
                uint64_t hash = 0;
                if (old.serial != 0) {
                    CHECK_EQ(sett_snapshot_hash(copy, old, &hash), SETT_OK);
                    CHECK_EQ(hash, old_hash);
                    CHECK_EQ(sett_snapshot_drop(copy, old), SETT_OK);
                }
                CHECK_EQ(sett_snapshot_take(copy, &old), SETT_OK);
                old_hash = sett_world_hash(copy);
            }
        }
        if (journal != NULL) {
            CHECK_EQ(sett_journal_destroy(journal), SETT_OK);
            CHECK_EQ(loaded_hash(to, sett_world_frame(world)), sett_world_hash(world));
        }
        CHECK_SAME(world, sett_mirror_world(mirror));
        sett_mirror_destroy(mirror);
        disk_destroy(to);
        scarce_end(&memory, world);
    }
}

/* Rewinds the mirror: what its snapshots have is not overwritten by what is copied later. */
static void snapshots_of_a_mirror_stay(void)
{
    uint64_t chance = 7;
    sett_world* world = related_world();
    sett_mirror* mirror = sett_mirror_create(world);
    sett_snapshot at[8];
    uint64_t hash[8];
    change(world, &chance, 500);
    for (uint32_t k = 0; k < 8; k++) {
        change(world, &chance, 100);
        relate(world, &chance, 40);
        CHECK_MSG(sett_mirror_copy(mirror) == SETT_OK, "%s", sett_world_message(world));
        CHECK_EQ(sett_snapshot_take(sett_mirror_world(mirror), &at[k]), SETT_OK);
        hash[k] = sett_world_hash(world);
    }
    for (uint32_t k = 8; k-- != 0;) {
        CHECK_EQ(sett_snapshot_restore(sett_mirror_world(mirror), at[k]), SETT_OK);
        CHECK_EQ(sett_world_hash(sett_mirror_world(mirror)), hash[k]);
        CHECK_VALID(sett_mirror_world(mirror));
    }
    sett_mirror_destroy(mirror);
    scarce_end(&memory, world);
}

typedef struct writer {
    sett_mirror* mirror;
    sett_journal* journal;
    sett_file_desc desc;
    uint64_t frame;
} writer;

static void writer_body(void* user)
{
    writer* of = user;
    sett_world_own(sett_mirror_world(of->mirror));
    if (of->journal == NULL) {
        of->journal = sett_journal_create(sett_mirror_world(of->mirror), "f", &of->desc);
    } else {
        CHECK_EQ(sett_journal_append(of->journal, of->frame), SETT_OK);
    }
    CHECK(of->journal != NULL);
}

/* Another thread writes down what the world was while the program changes it. */
static void another_thread_writes_it_down(void)
{
    uint64_t chance = 5;
    sett_world* world = relate_types(quiet_world()); /* both threads allocate */
    disk* to = disk_create();
    writer of = {sett_mirror_create(world), NULL, {.files = &to->files}, 0};
    change(world, &chance, 300);
    for (; of.frame < 60; of.frame++) {
        CHECK_EQ(sett_mirror_copy(of.mirror), SETT_OK);
        setti_thread thread = {.body = writer_body, .user = &of};
        bool started = setti_thread_start(&thread);
        if (!started) {
            writer_body(&of);
        }
        change(world, &chance, 60);
        relate(world, &chance, 30);
        CHECK_EQ(sett_progress(world, 1.0f / 60), SETT_OK);
        if (started) {
            setti_thread_join(&thread);
        }
    }
    CHECK_EQ(sett_mirror_copy(of.mirror), SETT_OK);
    writer_body(&of);
    CHECK_EQ(sett_journal_destroy(of.journal), SETT_OK);
    CHECK_EQ(loaded_hash(to, 60), sett_world_hash(world));
    sett_mirror_destroy(of.mirror);
    disk_destroy(to);
    CHECK_END(world);
}

static void own_nothing(void* to, const void* from, uint32_t count, void* user)
{
    (void)to;
    (void)from;
    (void)count;
    (void)user;
}

/* Says what cannot be followed, and is good again when that is mended. */
static void says_what_cannot_be_followed(void)
{
    sett_world* world = related_world();
    sett_mirror* mirror = sett_mirror_create(world);
    CHECK_EQ(sett_mirror_copy(NULL), SETT_STATUS_ARGUMENT);
    CHECK(sett_mirror_world(NULL) == NULL && sett_mirror_create(NULL) == NULL);
    CHECK(sett_mirror_supports(world, NULL) && !sett_mirror_supports(NULL, NULL));
    sett_mirror_destroy(NULL);
    CHECK_MSG(sett_mirror_copy(mirror) == SETT_OK, "%s", sett_world_message(world));
    CHECK_EQ(sett_component_convert(world, RARE, SETT_STORAGE_ARRAY), SETT_OK);
    CHECK_EQ(sett_mirror_copy(mirror), SETT_STATUS_CONFLICT);
    CHECK(strstr(sett_world_message(world),
                 "sett_mirror_copy: the storage or the members of "
                 "\"rare\" have changed since the mirror was created") != NULL);
    CHECK_EQ(sett_component_convert(world, RARE, SETT_STORAGE_SPARSE_SET), SETT_OK);
    CHECK_MSG(sett_mirror_copy(mirror) == SETT_OK, "%s", sett_world_message(world));
    sett_group* group =
        sett_group_create(sett_mirror_world(mirror), &(sett_group_desc){.with = {PLACE, FLAG}});
    CHECK(group != NULL);
    CHECK_EQ(sett_mirror_copy(mirror), SETT_STATUS_CONFLICT);
    CHECK(strstr(sett_world_message(world), "the mirror's world has group") != NULL);
    CHECK_EQ(sett_group_destroy(group), SETT_OK);
    CHECK_EQ(sett_component_unregister(world, APART), SETT_OK);
    CHECK_EQ(sett_mirror_copy(mirror), SETT_STATUS_CONFLICT);
    CHECK(strstr(
              sett_world_message(world),
              "a component was unregistered after the mirror was created - destroy the mirror, and "
              "create another one") != NULL);
    sett_mirror_destroy(mirror);
    mirror = sett_mirror_create(world);
    CHECK_MSG(sett_mirror_copy(mirror) == SETT_OK, "%s", sett_world_message(world));
    sett_component owner = sett_component_register(
        world, &(sett_component_desc){
                   .name = "owner", .size = 8, .copy = own_nothing, .save = SETT_SAVE_CLONE});
    sett_component hooked = 0;
    CHECK(owner != 0 && !sett_mirror_supports(world, &hooked));
    CHECK_EQ(hooked, owner);
    CHECK_EQ(sett_mirror_copy(mirror), SETT_STATUS_ARGUMENT);
    CHECK(
        strstr(sett_world_message(world),
               "\"owner\" has value hooks or SETT_SAVE_CLONE, so a mirror cannot copy its values - "
               "work on the world itself") != NULL);
    sett_mirror_destroy(mirror);
    scarce_end(&memory, world);
}

/* Each piece of memory fails once: the copy is then made anew. */
static void memory_runs_out(void)
{
    uint64_t chance = 11;
    sett_world* world = related_world();
    change(world, &chance, 400);
    sett_mirror* mirror = NULL;
    uint32_t failed = 0;
    bool whole = false;
    for (uint32_t n = 0; !whole; n++) {
        scarce_squeeze(&world->pool, &memory, 0);
        memory.strict = true;
        memory.allowed = n;
        mirror = sett_mirror_create(world);
        sett_status status = mirror != NULL ? sett_mirror_copy(mirror) : sett_world_error(world);
        sett_snapshot first = {0, 0};
        bool held =
            status == SETT_OK && sett_snapshot_take(sett_mirror_world(mirror), &first) == SETT_OK;
        scarce_give_back(&world->pool, &memory);
        change(world, &chance, 5);
        for (uint32_t k = 0; k < 200; k++) {
            (void)sett_set(world, sett_entity_create(world), PLACE, &(float[3]){1, 2, 3});
        }
        scarce_squeeze(&world->pool, &memory, 0);
        memory.strict = true;
        memory.allowed = n;
        status = held ? sett_mirror_copy(mirror) : status;
        scarce_give_back(&world->pool, &memory);
        CHECK(status == SETT_OK || status == SETT_STATUS_OUT_OF_MEMORY);
        whole = held && status == SETT_OK;
        failed += !whole;
        CHECK_VALID(world);
        if (whole) {
            CHECK_SAME(world, sett_mirror_world(mirror));
        } else if (held) {
            CHECK_EQ(sett_mirror_copy(mirror), SETT_STATUS_OUT_OF_MEMORY); /* and stays so */
        }
        sett_mirror_destroy(mirror);
    }
    CHECK(failed > 3);
    scarce_end(&memory, world);
}

TEST_MAIN(TEST(follows_its_world), TEST(snapshots_of_a_mirror_stay),
          TEST(another_thread_writes_it_down), TEST(says_what_cannot_be_followed),
          TEST(memory_runs_out))

/* test_file.c: worlds in files: they come back; a crash, a full disk and damaged bytes leave the
 * old state or the new one, and nothing else. */
#include "owned.h"
#include "saved.h"

#include "file/stream.h"
#include "file/types.h"
#include "state/delta.h"

static sett_component knows, owns; /* relationships */

static void register_links(sett_world* world)
{
    knows = sett_relationship_register(
        world, &(sett_relationship_desc){.name = "knows", .size = 4, .many = true});
    owns = sett_relationship_register(world, &(sett_relationship_desc){.name = "owns"});
    CHECK(knows != 0 && owns != 0);
}

/* Names, parents and links. */
static void tie(sett_world* world, uint64_t* chance, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        sett_entity a = entity_from(world, chance_below(chance, sett_entity_count(world)));
        sett_entity b = entity_from(world, chance_below(chance, sett_entity_count(world)));
        char name[16];
        snprintf(name, sizeof(name), "n%u", (unsigned)k);
        (void)sett_hierarchy_attach(world, a, b);
        (void)sett_name_set(world, b, name);
        (void)sett_relate(world, a, owns, b);
        (void)sett_relate(world, b, knows, a);
    }
    (void)sett_prefab_tag(world);
    (void)sett_add(world, entity_from(world, 3), sett_prefab_tag(world));
}

static void a_world_comes_back(void)
{
    for (uint32_t round = 0; round < 8; round++) {
        uint64_t chance = check_setting("SETT_SEED", 1) + round;
        disk* to = disk_create();
        sett_world* world = typed_world();
        sett_world* copy = typed_world();
        sett_load_result result = {0};
        register_links(world);
        register_links(copy);
        change(world, &chance, round * 700);
        if (round > 1) {
            tie(world, &chance, 60);
        }
        change(copy, &chance, 50); /* what was there goes */
        saves(world, to, 40 + round);
        CHECK_MSG(loads(copy, to, &result) == SETT_OK, "%s", sett_world_message(copy));
        CHECK_SAME(world, copy);
        CHECK_EQ(result.frame, 40 + round);
        CHECK_EQ(result.generation + result.changes + result.new_types, 0);
        CHECK_EQ(result.cut, 0);
        for (uint32_t k = 0; k < 5; k++) { /* and both go on alike */
            CHECK_ENTITY_EQ(sett_entity_create(world), sett_entity_create(copy));
        }
        CHECK_END(world);
        CHECK_END(copy);
        disk_destroy(to);
    }
}

/* Types that a world does not know travel on. */
static void unknown_types_are_written_back(void)
{
    uint64_t chance = 5;
    disk* to = disk_create();
    sett_world* world = typed_world();
    sett_world* stranger = quiet_world();
    sett_world* again = typed_world();
    sett_load_result result;
    change(world, &chance, 2000);
    saves(world, to, 0);
    CHECK_MSG(loads(stranger, to, &result) == SETT_OK, "%s", sett_world_message(stranger));
    CHECK_EQ(result.new_types, PLAIN_TYPES);
    CHECK_EQ(sett_world_hash(stranger), sett_world_hash(world));
    CHECK_EQ(sett_component_count(stranger, sett_component_find(stranger, "rare")),
             sett_component_count(world, RARE));
    saves(stranger, to, 0);
    CHECK_MSG(loads(again, to, &result) == SETT_OK, "%s", sett_world_message(again));
    CHECK_SAME(world, again);
    CHECK_END(world);
    CHECK_END(stranger);
    CHECK_END(again);
    disk_destroy(to);
}

/* Pointers are local members: what they lead to is not in the file, and as `init` makes it. */
static void what_a_value_owns_stays_out(void)
{
    const sett_component_desc desc = {
        OWNED_TYPE, .name = "owned", .id = 1,
        .members = SETT_STRUCT(owned, (to, .element = SETT_MEMBER_OPAQUE, .local = true), pad)};
    disk* to = disk_create();
    sett_world* world = quiet_world();
    sett_world* into = quiet_world();
    CHECK_EQ(sett_component_register(world, &desc), 1);
    CHECK_EQ(sett_component_register(into, &desc), 1);
    sett_entity e = sett_entity_create(world);
    owned* value = sett_ensure(world, e, 1);
    *value->to = 9;
    value->pad = 77;
    saves(world, to, 1);
    CHECK_MSG(loads(into, to, NULL) == SETT_OK, "%s", sett_world_message(into));
    const owned* read = sett_get(into, e, 1);
    CHECK_EQ(read->pad, 77);
    CHECK(read->to != value->to);
    CHECK_EQ(*read->to, 1);
    CHECK_END(world);
    CHECK_END(into);
    CHECK_EQ(owned_alive, 0);
    disk_destroy(to);
}

typedef struct song {
    char* text;
} song;

static uint32_t songs_freed;

static void song_deinit(void* values, uint32_t count, void* user)
{
    (void)user;
    for (uint32_t k = 0; k < count; k++) {
        songs_freed += ((song*)values)[k].text != NULL;
    }
}

static sett_world* song_world(bool frees)
{
    sett_world* world = quiet_world();
    sett_component_desc desc = {.name = "song", .size = sizeof(song), .id = 1};
    desc.deinit = frees ? song_deinit : NULL;
    CHECK_EQ(sett_component_register(world, &desc), 1);
    return world;
}

static void check_rejected(sett_world* world, sett_status status, const char* call)
{
    const char* message = sett_world_message(world);
    CHECK_EQ(status, SETT_STATUS_ARGUMENT);
    CHECK_MSG(strncmp(message, call, strlen(call)) == 0 &&
                  strstr(message, "\"song\" has a deinit, copy or move hook"),
              "%s", message);
    CHECK_EQ(songs_freed, 0);
    CHECK_VALID(world);
}

/* A pointer that comes from a file is not freed, also if the file is forged: a plain type of the
 * same name and size is enough. */
static void pointers_of_files_are_not_freed(void)
{
    disk* to = disk_create();
    sett_world* world = song_world(false);
    sett_world* into = song_world(true);
    sett_file_desc desc = {.files = &to->files};
    const char* const raw[] = {"song"};
    sett_merge_desc merge = {.file = &desc, .raw = raw, .raw_count = 1};
    unsigned char* bytes;
    sett_snapshot before = take(world);
    ((song*)sett_ensure(world, sett_entity_create(world), 1))->text = (char*)&songs_freed;
    size_t size = encode(world, before, take(world), &bytes);
    saves(world, to, 1);
    check_rejected(into, sett_world_load_with(into, "f", &desc, NULL), "sett_world_load_with:");
    check_rejected(into, sett_world_merge(into, "f", &merge, NULL), "sett_world_merge:");
    check_rejected(into, sett_delta_apply(into, bytes, size), "sett_delta_apply:");
    check_rejected(into, setti_delta_load(into, bytes, size, SIZE_MAX, SETTI_FROM_FILE),
                   "sett_delta_apply:");
    sett_journal* journal = sett_journal_create(world, "f", &desc);
    CHECK(journal != NULL);
    ((song*)sett_get_mut(world, sett_entity_at(world, 0), 1))->text++;
    CHECK_EQ(sett_journal_append(journal, 2), SETT_OK);
    CHECK_EQ(sett_journal_destroy(journal), SETT_OK);
    check_rejected(into, sett_world_load_with(into, "f", &desc, NULL), "sett_world_load_with:");
    CHECK_EQ(sett_entity_count(into), 0);
    free(bytes);
    CHECK_END(world);
    CHECK_END(into);
    disk_destroy(to);
}

/* Nor is one written: what owns memory is not its bytes. */
static void pointers_are_not_saved(void)
{
    disk* to = disk_create();
    sett_world* world = song_world(true);
    sett_file_desc desc = {.files = &to->files};
    song* value = sett_ensure(world, sett_entity_create(world), 1);
    value->text = (char*)&songs_freed;
    check_rejected(world, sett_world_save_with(world, "f", &desc), "sett_world_save_with:");
    CHECK(sett_journal_create(world, "f", &desc) == NULL);
    check_rejected(world, sett_world_error(world), "sett_journal_create:");
    CHECK(disk_find(to, "f") == NULL);
    value->text = NULL;
    CHECK_END(world);
    /* of a type that is registered meanwhile */
    world = quiet_world();
    sett_journal* journal = sett_journal_create(world, "f", &desc);
    sett_component_desc late = {.name = "song", .size = sizeof(song), .deinit = song_deinit};
    CHECK(sett_component_register(world, &late) != 0);
    check_rejected(world, sett_journal_append(journal, 1), "sett_journal_append:");
    CHECK_EQ(sett_journal_destroy(journal), SETT_OK);
    CHECK_END(world);
    disk_destroy(to);
}

static char warned[512];

static void note_warning(void* user, sett_log_level level, const char* message)
{
    (void)user;
    if (level == SETT_LOG_WARNING) {
        snprintf(warned, sizeof(warned), "%s", message);
    }
}

/* A program that loads before it registers its types learns it when it loads, and again where an
 * id is taken. */
static void types_that_only_a_file_has_are_named(void)
{
    disk* to = disk_create();
    sett_world* world = typed_world();
    sett_world* into = sett_world_create(&(sett_world_desc){.log_fn = note_warning});
    sett_file_desc desc = {.files = &to->files};
    CHECK(sett_ensure(world, sett_entity_create(world), PLACE) != NULL);
    saves(world, to, 1);
    CHECK_EQ(sett_world_load_with(into, "f", &desc, NULL), SETT_OK);
    CHECK_MSG(strcmp(warned,
                     "sett_world_load_with: these types are not registered in this world, so "
                     "their values are loaded as plain bytes: \"place\", \"flag\", "
                     "\"rare\", \"queued\" and 4 more - register them before loading") == 0,
              "%s", warned);
    warned[0] = '\0';
    CHECK_EQ(sett_world_load_with(into, "f", &desc, NULL), SETT_OK);
    CHECK_STR_EQ(warned, "");
    sett_component_desc late = {.name = "late", .size = 4, .id = PLACE};
    CHECK_EQ(sett_component_register(into, &late), 0);
    CHECK_MSG(strstr(sett_world_message(into),
                     "\"place\" has this id - choose another (a file has "
                     "brought that type: register types before loading)") != NULL,
              "%s", sett_world_message(into));
    sett_component_desc same = {.name = "place", .size = 12};
    CHECK_EQ(sett_component_register(into, &same), PLACE);
    CHECK_EQ(sett_component_register(into, &late), 0);
    CHECK(strstr(sett_world_message(into), "a file has brought") == NULL);
    CHECK_END(world);
    CHECK_END(into);
    disk_destroy(to);
}

/* What is wrong with a file is said in the words of files. */
static void messages_of_loading_speak_of_files(void)
{
    static const char* const texts[] = {"dear diary\n", "a text that is longer than the head is\n"};
    disk* to = disk_create();
    sett_world* world = quiet_world();
    sett_file_desc desc = {.files = &to->files};
    for (uint32_t k = 0; k < 2; k++) {
        void* file = to->files.open(to->files.user, "f", SETT_FILE_CREATE);
        CHECK(to->files.write(to->files.user, file, texts[k], strlen(texts[k])));
        CHECK(to->files.close(to->files.user, file));
        CHECK_EQ(sett_world_load_with(world, "f", &desc, NULL), SETT_STATUS_INVALID);
        CHECK_STR_EQ(sett_world_message(world),
                     "sett_world_load_with: \"f\": the file is not one of Sett - load one that "
                     "sett_world_save wrote");
    }
    /* another save policy */
    sett_world* into = quiet_world();
    sett_component_desc type = {.name = "place", .size = 4};
    CHECK_EQ(sett_component_register(world, &type), 1);
    type.save = SETT_SAVE_SKIP;
    CHECK_EQ(sett_component_register(into, &type), 1);
    for (uint32_t k = 0; k < 2; k++) {
        sett_world* from = k == 0 ? world : into;
        sett_world* other = k == 0 ? into : world;
        CHECK(sett_ensure(from, sett_entity_create(from), 1) != NULL);
        saves(from, to, 1);
        CHECK_EQ(sett_world_load_with(other, "f", &desc, NULL), SETT_STATUS_CONFLICT);
        CHECK_STR_EQ(
            sett_world_message(other),
            k == 0
                ? "sett_world_load_with: \"f\": the file has values of \"place\", and this world "
                  "leaves them out (SETT_SAVE_SKIP) - register the type with the same `save`"
                : "sett_world_load_with: \"f\": the file leaves out values of \"place\" "
                  "(SETT_SAVE_SKIP), and this world saves them - register the type with the "
                  "same `save`");
    }
    CHECK_END(world);
    CHECK_END(into);
    disk_destroy(to);
}

/* Finds the text that a message contains. Returns `count` if it contains none. */
static uint32_t find_text(const char* message, const char* const* texts, uint32_t count)
{
    uint32_t k = 0;
    while (k < count && strstr(message, texts[k]) == NULL) {
        k++;
    }
    return k;
}

/* Any call of the files fails. The message names the step, and the status fits it. */
static void messages_name_the_step_that_failed(void)
{
    static const char* const saving[] = {
        "\"f.lock\" cannot be created - check that its folder exists and can be written",
        "\"f.new\" cannot be created - check that no folder and no read-only file has this name",
        "\"f.new\" cannot be written - check that the disk has room",
        "\"f\" cannot be renamed to \"f.previous\" - check that its folder can be written, and "
        "that no folder has the new name",
        "\"f.new\" cannot be renamed to \"f\" - check that its folder can be written, and that no "
        "folder has the new name",
        "is written, but its folder cannot be synced: a power cut may bring back the old file - "
        "repeat this call",
    };
    static const char* const loading[] = {
        "\"f\": cannot be opened - check that it exists and can be read",
        "\"f\": the size of the file cannot be read - check that it is a regular file",
        "\"f\": the file cannot be read - check the disk",
        "\"f\": cannot be closed - load it again",
    };
    uint32_t saves_failed = 0;
    uint32_t loads_failed = 0;
    sett_status status;
    bool all = false;
    for (uint32_t n = 1; !all; n++) {
        disk* to = disk_create();
        sett_world* world = typed_world();
        sett_file_desc desc = {.files = &to->files};
        saves(world, to, 1);
        to->fails_at = to->done + n;
        status = sett_world_save_with(world, "f", &desc);
        uint32_t text = status != SETT_OK ? find_text(sett_world_message(world), saving, 6) : 0;
        CHECK_MSG(text < 6, "%s", sett_world_message(world));
        CHECK(status == SETT_OK || status == SETT_STATUS_FILE);
        saves_failed |= status != SETT_OK ? 1u << text : 0;
        all = to->done < to->fails_at; /* no call failed: each has failed once */
        CHECK_END(world);
        disk_destroy(to);
    }
    CHECK_EQ(saves_failed, 63);
    all = false;
    for (uint32_t n = 1; !all; n++) {
        disk* to = disk_create();
        sett_world* world = typed_world();
        saves(world, to, 1);
        to->fails_at = to->done + n;
        status = loads(world, to, NULL);
        all = to->done < to->fails_at;
        uint32_t text = status != SETT_OK ? find_text(sett_world_message(world), loading, 4) : 0;
        CHECK_MSG(text < 4, "%s", sett_world_message(world));
        CHECK(status == SETT_OK || status == SETT_STATUS_FILE);
        loads_failed |= status != SETT_OK ? 1u << text : 0;
        CHECK_END(world);
        disk_destroy(to);
    }
    CHECK_EQ(loads_failed, 15);
}

static void types_laid_out_otherwise_are_rejected(void)
{
    disk* to = disk_create();
    sett_world* world = typed_world();
    sett_world* other = quiet_world();
    CHECK(sett_component_register(other, &(sett_component_desc){.name = "place", .size = 16}) != 0);
    CHECK(sett_set(world, sett_entity_create(world), PLACE, "twelve bytes") != NULL);
    saves(world, to, 0);
    CHECK_EQ(loads(other, to, NULL), SETT_STATUS_CONFLICT);
    CHECK(strstr(sett_world_message(other), "type \"place\" has another layout in this world") !=
          NULL);
    CHECK_EQ(sett_entity_count(other), 0);
    CHECK_END(world);
    CHECK_END(other);
    disk_destroy(to);
}

static void the_user_block_is_read_without_loading(void)
{
    disk* to = disk_create();
    sett_world* world = typed_world();
    sett_file_desc desc = {.files = &to->files, .user_block = "Chapter 4", .user_size = 10};
    sett_file_info info;
    char title[64] = "";
    CHECK_EQ(sett_world_save_with(world, "f", &desc), SETT_OK);
    CHECK_EQ(sett_file_info_get("f", &desc, title, sizeof(title), &info), SETT_OK);
    CHECK_STR_EQ(title, "Chapter 4");
    CHECK_EQ(info.user_size, 10);
    CHECK_EQ(info.size, to->node[disk_find(to, "f")->node].size);
    CHECK_EQ(sett_file_info_get("g", &desc, title, sizeof(title), &info), SETT_STATUS_FILE);
    to->node[disk_find(to, "f")->node].bytes[40] ^= 1;
    CHECK_EQ(sett_file_info_get("f", &desc, title, sizeof(title), &info), SETT_STATUS_INVALID);
    CHECK_END(world);
    disk_destroy(to);
}

static void loading_needs_a_world_without_snapshots(void)
{
    disk* to = disk_create();
    sett_world* world = typed_world();
    saves(world, to, 0);
    sett_snapshot held = take(world);
    CHECK_EQ(loads(world, to, NULL), SETT_STATUS_LOCKED);
    CHECK_EQ(sett_snapshot_drop(world, held), SETT_OK);
    CHECK_EQ(loads(world, to, NULL), SETT_OK);
    CHECK_EQ(sett_world_load(world, NULL), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_world_load(world, "/no/such/folder/f"), SETT_STATUS_FILE);
    CHECK_END(world);
    disk_destroy(to);
}

/* The same on a real disk, in the folder where the test runs. */
static void files_of_the_system_behave_alike(void)
{
    static const char path[] = "sett_test_file";
    uint64_t chance = 2;
    sett_world* world = typed_world();
    sett_world* into = typed_world();
    sett_load_result result;
    change(world, &chance, 5000);
    CHECK_EQ(sett_world_save(world, "/no/such/folder/f"), SETT_STATUS_FILE);
    CHECK(strstr(sett_world_message(world), "check that its folder exists") != NULL);
    CHECK_EQ(sett_world_load(into, "/no/such/folder/f"), SETT_STATUS_FILE);
    CHECK_MSG(sett_world_save(world, path) == SETT_OK, "%s", sett_world_message(world));
    sett_journal* journal = sett_journal_create(world, path, NULL);
    CHECK_MSG(journal != NULL, "%s", sett_world_message(world));
    CHECK_EQ(sett_world_save(into, path), SETT_STATUS_LOCKED);
    CHECK(strstr(sett_world_message(into),
                 "\"sett_test_file.lock\" is locked by another writer, "
                 "such as an open journal - wait, end the journal, or choose "
                 "another path") != NULL);
    change(world, &chance, 500);
    CHECK_EQ(sett_journal_append(journal, 7), SETT_OK);
    CHECK_EQ(sett_journal_sync(journal), SETT_OK);
    CHECK_MSG(sett_world_load_with(into, path, NULL, &result) == SETT_OK, "%s",
              sett_world_message(into));
    CHECK_EQ(result.frame, 7);
    CHECK_SAME(world, into);
    CHECK_EQ(sett_journal_destroy(journal), SETT_OK);
    CHECK(remove("sett_test_file.lock") != 0); /* it is gone */
    CHECK_EQ(remove(path), 0);
    CHECK_EQ(sett_world_load_with(into, path, NULL, &result), SETT_OK);
    CHECK_EQ(result.generation, 1);
    CHECK_EQ(remove("sett_test_file.previous"), 0);
    CHECK_EQ(sett_world_load(into, path), SETT_STATUS_FILE);
    CHECK_END(world);
    CHECK_END(into);
}

/* -------------------------------------------------------------------------------------- systems */

static void count_run(sett_context* context)
{
    ++*(uint32_t*)context->user;
}

/* A system that runs once, one that waits, one that is off: in a world that goes on they do what
 * they would have done. */
static sett_world* running_world(uint32_t* runs)
{
    sett_world* world = typed_world();
    sett_system_desc desc[3] = {
        {.name = "once", .run = count_run, .user = &runs[0], .run_once = true},
        {.name = "slow", .run = count_run, .user = &runs[1], .interval = 0.35f},
        {.name = "off", .run = count_run, .user = &runs[2]}};
    for (uint32_t k = 0; k < 3; k++) {
        CHECK(sett_system_create(world, &desc[k]) != NULL);
    }
    return world;
}

static void systems_go_on_where_they_were(void)
{
    disk* to = disk_create();
    uint32_t runs[2][3] = {{0}};
    sett_world* world = running_world(runs[0]);
    sett_world* copy = running_world(runs[1]);
    sett_system_enable(sett_system_find(world, "off"), false);
    for (uint32_t frame = 0; frame < 13; frame++) {
        CHECK_EQ(sett_progress(world, 0.1f), SETT_OK);
    }
    CHECK_EQ(runs[0][0], 1);
    uint32_t slow = runs[0][1];
    saves(world, to, 13);
    CHECK_MSG(loads(copy, to, NULL) == SETT_OK, "%s", sett_world_message(copy));
    for (uint32_t frame = 0; frame < 9; frame++) {
        CHECK_EQ(sett_progress(world, 0.1f), SETT_OK);
        CHECK_EQ(sett_progress(copy, 0.1f), SETT_OK);
        CHECK_EQ(runs[1][0], 0);
        CHECK_EQ(runs[1][1], runs[0][1] - slow);
        CHECK_EQ(runs[1][2], 0);
    }
    CHECK(runs[0][1] > slow);
    CHECK_END(world);
    CHECK_END(copy);
    disk_destroy(to);
}

/* -------------------------------------------------------------------------------- scarce memory */

typedef struct scarce_save {
    sett_world* world;
    disk* to;
    sett_journal* journal;
    uint64_t hash;
} scarce_save;

static bool scarce_step(void* user)
{
    scarce_save* of = user;
    return sett_world_save_with(of->world, "f", &(sett_file_desc){.files = &of->to->files}) ==
           SETT_OK;
}

static bool scarce_journal(void* user)
{
    scarce_save* of = user;
    if (of->journal == NULL) {
        of->journal =
            sett_journal_create(of->world, "j", &(sett_file_desc){.files = &of->to->files});
    }
    return of->journal != NULL && sett_journal_append(of->journal, 1) == SETT_OK;
}

static void scarce_unchanged(void* user)
{
    scarce_save* of = user;
    CHECK_EQ(sett_world_hash(of->world), of->hash);
    CHECK_EQ(of->to->open, 0);
    CHECK(of->to->locks == (of->journal != NULL));
}

static bool scarce_load(void* user)
{
    scarce_save* of = user;
    sett_status status = loads(of->world, of->to, NULL);
    uint64_t hash = sett_world_hash(of->world);
    CHECK(status == SETT_OK || hash == of->hash || sett_entity_count(of->world) == 0);
    of->hash = hash;
    return status == SETT_OK;
}

static void without_memory_nothing_is_lost(void)
{
    static scarce_memory memory;
    uint64_t chance = 4;
    scarce_save of = {scarce_world(&memory), disk_create(), NULL, 0};
    register_types(of.world);
    change(of.world, &chance, 200);
    of.hash = sett_world_hash(of.world);
    scarce_run(of.world, &memory, scarce_step, scarce_unchanged, &of);
    CHECK(memory.failures > 5);
    bool done = false;
    for (uint32_t n = 0; !done; n++) { /* what is read into has blocks of its own: any fails */
        memory.closed = true;
        memory.strict = true;
        memory.allowed = n;
        done = scarce_load(&of);
        memory.closed = false;
        CHECK_VALID(of.world);
        CHECK(n < 1000);
    }
    change(of.world, &chance, 200);
    of.hash = sett_world_hash(of.world);
    scarce_run(of.world, &memory, scarce_journal, scarce_unchanged, &of);
    CHECK_EQ(sett_journal_destroy(of.journal), SETT_OK);
    disk_destroy(of.to);
    scarce_end(&memory, of.world);
}

/* -------------------------------------------------------------------------------------- crashes */

/* Two states of a world, the first saved for certain. */
typedef struct crash {
    disk* to;
    sett_world* world;
    uint64_t hash[2];
    uint32_t first_call; /* of the second save */
    uint32_t last_call;  /* behind it */
    uint32_t tried;
    uint32_t wrong;
} crash;

static void crash_begin(crash* of, bool no_folder_sync, bool no_sync)
{
    uint64_t chance = 9;
    memset(of, 0, sizeof(*of));
    of->to = disk_create();
    of->world = typed_world();
    change(of->world, &chance, 60);
    saves(of->world, of->to, 1);
    change(of->world, &chance, 10);
    saves(of->world, of->to, 2);
    of->hash[0] = sett_world_hash(of->world);
    change(of->world, &chance, 40);
    of->hash[1] = sett_world_hash(of->world);
    of->first_call = of->to->calls;
    of->to->no_folder_sync = no_folder_sync;
    of->to->no_sync = no_sync;
    saves(of->world, of->to, 3);
    of->last_call = of->to->calls;
}

static void crash_end(crash* of)
{
    CHECK_END(of->world);
    disk_destroy(of->to);
}

/* What is found after a crash behind so many calls is the old state or the new one; the new one if
 * the call had returned. */
static void crash_try(crash* of, uint32_t count, uint32_t names, disk_tear tear)
{
    disk* left = disk_crash(of->to, count, names, tear);
    sett_world* found = typed_world();
    bool good = loads(found, left, NULL) == SETT_OK;
    uint64_t hash = good ? sett_world_hash(found) : 0;
    good = good && (hash == of->hash[1] || (hash == of->hash[0] && count != of->last_call));
    of->tried++;
    of->wrong += !good;
    CHECK_END(found);
    disk_destroy(left);
}

static void crash_everywhere(crash* of)
{
    for (uint32_t count = of->first_call; count <= of->last_call; count++) {
        uint32_t all = 1u << disk_open_names(of->to, count);
        for (uint32_t names = 0; names < all; names++) {
            for (uint32_t until = 0; until < 16; until += CHECK_STEP_OF(5)) {
                crash_try(of, count, names, (disk_tear){false, 0, until});
            }
            crash_try(of, count, names, (disk_tear){false, 0, UINT32_MAX});
            for (uint64_t seed = 0; seed < 8; seed += CHECK_STEP_OF(5)) {
                crash_try(of, count, names, (disk_tear){true, seed, 0});
            }
        }
    }
}

static void a_crash_leaves_the_old_state_or_the_new_one(void)
{
    crash of;
    for (uint32_t k = 0; k < 2; k++) {
        compressing = k == 1 ? &run_lengths : NULL;
        crash_begin(&of, false, false);
        crash_everywhere(&of);
        CHECK(of.tried > CHECK_ROUNDS(500));
        CHECK_EQ(of.wrong, 0);
        crash_end(&of);
    }
    compressing = NULL;
}

/* The test above sees what it is there to see. */
static void a_missing_sync_is_noticed(void)
{
    crash of;
    crash_begin(&of, true, false);
    crash_everywhere(&of);
    CHECK(of.wrong > 0);
    crash_end(&of);
    crash_begin(&of, false, true);
    crash_everywhere(&of);
    CHECK(of.wrong > 0);
    crash_end(&of);
}

/* ----------------------------------------------------------------------------- calls that fail */

static void any_call_of_a_save_fails(bool compresses)
{
    bool done = false;
    for (uint32_t n = 1; !done; n++) {
        uint64_t chance = 3;
        disk* to = disk_create();
        sett_compression runs = runs_or_fail(to);
        sett_file_desc desc = {.files = &to->files, .compression = compresses ? &runs : NULL};
        sett_world* world = typed_world();
        sett_world* found = typed_world();
        change(world, &chance, 100);
        saves(world, to, 1);
        uint64_t old = sett_world_hash(world);
        change(world, &chance, 100);
        uint64_t now = sett_world_hash(world);
        to->done = 0;
        to->fails_at = n;
        sett_status status = sett_world_save_with(world, "f", &desc);
        done = to->done < n;
        to->fails_at = 0;
        CHECK(status == SETT_OK || status == SETT_STATUS_FILE || status == SETT_STATUS_LOCKED);
        CHECK_EQ(sett_world_hash(world), now);
        CHECK_EQ(to->open + to->locks, 0);
        CHECK_MSG(loads(found, to, NULL) == SETT_OK, "call %u: %s", (unsigned)n,
                  sett_world_message(found));
        uint64_t hash = sett_world_hash(found);
        CHECK(hash == now || (hash == old && status != SETT_OK));
        saves(world, to, 3); /* and the next save is as any */
        CHECK_EQ(loads(found, to, NULL), SETT_OK);
        CHECK_EQ(sett_world_hash(found), now);
        CHECK_END(world);
        CHECK_END(found);
        disk_destroy(to);
    }
}

static void a_save_that_fails_leaves_a_state(void)
{
    any_call_of_a_save_fails(false);
    any_call_of_a_save_fails(true);
}

static void any_call_of_a_load_fails(bool compresses)
{
    uint64_t chance = 3;
    disk* to = disk_create();
    sett_compression runs = runs_or_fail(to);
    sett_file_desc desc = {.files = &to->files, .compression = compresses ? &runs : NULL};
    sett_world* world = typed_world();
    sett_world* into = typed_world();
    change(world, &chance, 300);
    CHECK_EQ(sett_world_save_with(world, "f", &desc), SETT_OK);
    change(into, &chance, 30);
    uint64_t old = sett_world_hash(into);
    uint32_t failed = 0;
    bool done = false;
    for (uint32_t n = 1; !done; n++) {
        to->done = 0;
        to->fails_at = n;
        sett_status status = sett_world_load_with(into, "f", &desc, NULL);
        done = to->done < n;
        to->fails_at = 0;
        CHECK(status == SETT_OK || status == SETT_STATUS_FILE || status == SETT_STATUS_INVALID);
        CHECK_EQ(sett_world_hash(into), status == SETT_OK ? sett_world_hash(world) : old);
        CHECK_EQ(to->open, 0);
        old = sett_world_hash(into);
        failed += status != SETT_OK;
    }
    CHECK(failed > 5);
    CHECK_END(world);
    CHECK_END(into);
    disk_destroy(to);
}

static void a_load_that_fails_changes_nothing(void)
{
    any_call_of_a_load_fails(false);
    any_call_of_a_load_fails(true);
}

/* A damaged file: the one before it is loaded, and the result says so. */
static void the_generation_before_is_kept(void)
{
    uint64_t chance = 3;
    disk* to = disk_create();
    sett_world* world = typed_world();
    sett_world* into = typed_world();
    sett_load_result result;
    change(world, &chance, 300);
    saves(world, to, 1);
    uint64_t old = sett_world_hash(world);
    change(world, &chance, 300);
    saves(world, to, 2);
    to->node[disk_find(to, "f")->node].bytes[200] ^= 4;
    CHECK_EQ(loads(into, to, &result), SETT_OK);
    CHECK_EQ(result.generation, 1);
    CHECK_EQ(result.frame, 1);
    CHECK_EQ(sett_world_hash(into), old);
    to->node[disk_find(to, "f")->node].size -= 60;
    saves(world, to, 3); /* a file that is cut off does not take the place of that one */
    to->node[disk_find(to, "f")->node].bytes[200] ^= 4;
    CHECK_EQ(loads(into, to, &result), SETT_OK);
    CHECK_EQ(result.frame, 1);
    CHECK_EQ(sett_world_hash(into), old);
    to->node[disk_find(to, "f.previous")->node].bytes[200] ^= 4;
    CHECK_EQ(loads(into, to, &result), SETT_STATUS_INVALID);
    CHECK_MSG(strstr(sett_world_message(into), "the checksum of a record is wrong") != NULL, "%s",
              sett_world_message(into));
    CHECK_EQ(sett_world_hash(into), old);
    saves(world, to, 4); /* and where none is whole, none is lost */
    CHECK_EQ(to->names, 2);
    CHECK_EQ(loads(into, to, &result), SETT_OK);
    CHECK_SAME(world, into);
    CHECK_END(world);
    CHECK_END(into);
    disk_destroy(to);
}

/* In the middle: what is there ends as it should. */
static void damage(disk* to, const char* name)
{
    disk_node* node = &to->node[disk_find(to, name)->node];
    node->bytes[node->size / 2] ^= 4;
}

static uint32_t calls_of_a_save(sett_world* world, disk* to)
{
    uint32_t before = to->done;
    saves(world, to, 1);
    return to->done - before;
}

/* A file with its end, and damaged before it, does not take the place of the one before it. A file
 * of another program is read to see that; one that this world has written or loaded is not. */
static void damage_by_others_is_noticed(void)
{
    uint64_t chance = 3;
    disk* to = disk_create();
    sett_world* world = typed_world();
    sett_world* later = typed_world();
    change(world, &chance, 300);
    saves(world, to, 1);
    uint64_t old = sett_world_hash(world);
    change(world, &chance, 300);
    saves(world, to, 2);
    damage(to, "f");
    saves(later, to, 3);
    damage(to, "f");
    sett_load_result result;
    CHECK_EQ(loads(later, to, &result), SETT_OK);
    CHECK_EQ(result.generation, 1);
    CHECK_EQ(sett_world_hash(later), old);
    saves(world, to, 4);
    uint32_t calls = calls_of_a_save(world, to);
    CHECK(calls_of_a_save(later, to) > calls);
    CHECK_EQ(calls_of_a_save(later, to), calls);
    CHECK(calls_of_a_save(world, to) > calls);
    CHECK_EQ(loads(later, to, NULL), SETT_OK);
    CHECK_EQ(calls_of_a_save(later, to), calls);
    CHECK_END(world);
    CHECK_END(later);
    disk_destroy(to);
}

/* ------------------------------------------------------------------------------- damaged bytes */

static void every_bit_and_every_length(void)
{
    uint64_t chance = 3;
    disk* to = disk_create();
    sett_world* world = typed_world();
    sett_world* into = typed_world();
    register_links(world);
    register_links(into);
    change(world, &chance, 40);
    tie(world, &chance, 4);
    saves(world, to, 1);
    uint64_t hash = sett_world_hash(world);
    disk_node* node = &to->node[disk_find(to, "f")->node];
    size_t size = node->size;
    for (size_t bit = 0; bit < size * 8; bit += CHECK_STEP) {
        node->bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        CHECK_EQ(sett_world_clear(into), SETT_OK);
        bool good = loads(into, to, NULL) == SETT_OK;
        CHECK(!good || sett_world_hash(into) == hash);
        /* The last record, `end`, only says that nothing follows. */
        CHECK_EQ(good, bit / 8 >= size - SETTI_STREAM_RECORD);
        node->bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    for (size_t length = 0; length < size; length += CHECK_STEP) {
        node->size = length;
        bool good = loads(into, to, NULL) == SETT_OK;
        CHECK_EQ(good, length >= size - SETTI_STREAM_RECORD);
    }
    node->size = size;
    CHECK_END(world);
    CHECK_END(into);
    disk_destroy(to);
}

static void every_bit_and_every_length_is_checked(void)
{
    every_bit_and_every_length();
    compressing = &run_lengths;
    every_bit_and_every_length();
    compressing = NULL;
}

/* What compresses to nothing, and what says of itself what is not so. */
static size_t lies_bound(void* user, size_t size)
{
    (void)user, (void)size;
    return 64;
}

static size_t lies_compress(void* user, const void* from, size_t size, void* to, size_t capacity)
{
    (void)user, (void)from, (void)size;
    memset(to, 1, capacity);
    return 16;
}

static bool lies_decompress(void* user, const void* from, size_t size, void* to, size_t to_size)
{
    (void)from, (void)size, (void)to, (void)to_size;
    ++*(uint32_t*)user;
    return false;
}

static void compressed_records_are_bounded(void)
{
    static const size_t sizes[] = {200, (size_t)300 << 20, SIZE_MAX / 2, SIZE_MAX};
    uint32_t calls = 0;
    const sett_compression lies = {&calls, lies_bound, lies_compress, lies_decompress};
    for (uint32_t k = 0; k < 4; k++) {
        disk* to = disk_create();
        sett_world* into = typed_world();
        sett_world* from = typed_world();
        setti_stream stream = {.compression = &lies, .pool = &into->pool};
        setti_bytes types = {NULL, 0, 0};
        sett_file_desc desc = {.files = &to->files, .compression = &lies};
        void* file = to->files.open(to, "f", SETT_FILE_CREATE);
        setti_stream_begin(&stream, &to->files, file, 1);
        CHECK(setti_types_encode(from, &types));
        (void)setti_stream_write(&stream, SETTI_STREAM_TYPES, 0, types.data, types.size);
        CHECK(setti_stream_write(&stream, SETTI_STREAM_STATE, 0, "", sizes[k]));
        (void)to->files.close(to, file);
        setti_bytes_free(&from->pool, &types);
        CHECK_EQ(sett_world_load_with(into, "f", &desc, NULL),
                 k == 0 ? SETT_STATUS_INVALID : SETT_STATUS_LIMIT);
        CHECK_EQ(calls, 1); /* only memory that is allowed is taken */
        desc.compression = NULL;
        CHECK_EQ(sett_world_load_with(into, "f", &desc, NULL), SETT_STATUS_ARGUMENT);
        CHECK(strstr(sett_world_message(into),
                     "sett_file_desc.compression to the functions that it "
                     "was saved with") != NULL);
        CHECK_END(from);
        CHECK_END(into);
        disk_destroy(to);
    }
}

/* A few entities far apart, whose pages take much more memory than the file has bytes. */
static void sparse_worlds_are_loaded(void)
{
    disk* to = disk_create();
    sett_world* world = typed_world();
    sett_world* into = typed_world();
    for (uint32_t k = 1; k < 100; k++) {
        sett_entity e = {k * 123457, k};
        CHECK_EQ(sett_entity_create_handle(world, e), SETT_OK);
        for (sett_component id = PLACE; id < PLACE + 3; id++) {
            CHECK(sett_add(world, e, id) != NULL);
        }
    }
    saves(world, to, 1);
    CHECK(to->node[disk_find(to, "f")->node].size < 16384);
    CHECK_MSG(loads(into, to, NULL) == SETT_OK, "%s", sett_world_message(into));
    CHECK_SAME(world, into);
    CHECK_END(world);
    CHECK_END(into);
    disk_destroy(to);
}

/* A file of few bytes that names an entity far away: the limit holds. */
static void memory_is_limited(void)
{
    disk* to = disk_create();
    sett_world* world = typed_world();
    sett_world* into = typed_world();
    for (uint32_t k = 1; k < 250; k++) {
        CHECK_EQ(sett_entity_create_handle(world, (sett_entity){k << 17, 1}), SETT_OK);
        CHECK(sett_add(world, (sett_entity){k << 17, 1}, PLACE) != NULL);
    }
    saves(world, to, 1);
    sett_stats before, after;
    sett_world_stats(into, &before);
    sett_file_desc desc = {.files = &to->files, .limit = (size_t)4 << 20};
    CHECK_EQ(sett_world_load_with(into, "f", &desc, NULL), SETT_STATUS_LIMIT);
    sett_world_stats(into, &after);
    CHECK_EQ(after.block_size, before.block_size);
    desc.limit = 1;
    CHECK_EQ(sett_world_load_with(into, "f", &desc, NULL), SETT_STATUS_LIMIT);
    CHECK(strstr(sett_world_message(into),
                 "sett_file_desc.limit is 1 bytes, and has to be more than "
                 "twice the size of the file, ") != NULL);
    desc.limit = (size_t)256 << 20;
    CHECK_MSG(sett_world_load_with(into, "f", &desc, NULL) == SETT_OK, "%s",
              sett_world_message(into));
    CHECK_SAME(world, into);
    CHECK_END(world);
    CHECK_END(into);
    disk_destroy(to);
}

/* What a component requires since the file was saved is added, as by sett_add. */
static void components_may_require_more(void)
{
    disk* files = disk_create();
    sett_world* saved = quiet_world();
    sett_world* world = quiet_world();
    sett_component small =
        sett_component_register(saved, &(sett_component_desc){.name = "Small", .size = 4});
    sett_component other = sett_component_register(saved, &(sett_component_desc){.name = "Other"});
    sett_entity e = sett_entity_create(saved);
    *(uint32_t*)sett_add(saved, e, small) = 7;
    CHECK(sett_add(saved, sett_entity_create(saved), other) != NULL);
    saves(saved, files, 1);
    sett_component made[3];
    made[0] = sett_component_register(world, &(sett_component_desc){.name = "Deep"});
    made[1] = sett_component_register(
        world, &(sett_component_desc){
                   .name = "New", .size = 4, .required = &made[0], .required_count = 1});
    made[2] = sett_component_register(
        world, &(sett_component_desc){
                   .name = "Small", .size = 4, .required = &made[1], .required_count = 1});
    CHECK_MSG(loads(world, files, NULL) == SETT_OK, "%s", sett_world_message(world));
    CHECK(sett_has(world, e, made[0]) && sett_has(world, e, made[1]));
    CHECK_EQ(*(const uint32_t*)sett_get(world, e, made[2]), 7);
    CHECK_EQ(sett_component_count(world, made[1]), 1);
    CHECK_END(saved);
    CHECK_END(world);
    disk_destroy(files);
}

/* A tag that says of a component that it is off, without the component. */
static void switches_without_their_type_are_rejected(void)
{
    disk* files = disk_create();
    sett_world* saved = quiet_world();
    sett_world* world = quiet_world();
    sett_component tag = sett_component_register(saved, &(sett_component_desc){.name = "Lamp off"});
    CHECK(sett_add(saved, sett_entity_create(saved), tag) != NULL);
    saves(saved, files, 1);
    CHECK(sett_component_register(
              world, &(sett_component_desc){.name = "Lamp", .size = 4, .can_disable = true}) != 0);
    CHECK_EQ(loads(world, files, NULL), SETT_STATUS_INVALID);
    CHECK_EQ(sett_entity_count(world), 0);
    CHECK_END(saved);
    CHECK_END(world);
    disk_destroy(files);
}

static uint32_t lines_broken;

static void count_broken_lines(void* user, sett_log_level level, const char* message)
{
    (void)user;
    (void)level;
    lines_broken += strchr(message, '\n') != NULL;
}

/* Names out of files do not forge lines of the log. */
static void messages_are_one_line(void)
{
    disk* files = disk_create();
    sett_world* saved = quiet_world();
    sett_world* world = sett_world_create(&(sett_world_desc){.log_fn = count_broken_lines});
    static const char name[] = "bad\nsett: error: forged";
    sett_component bad =
        sett_component_register(saved, &(sett_component_desc){.name = name, .size = 4});
    CHECK(sett_add(saved, sett_entity_create(saved), bad) != NULL);
    saves(saved, files, 1);
    CHECK_EQ(loads(world, files, NULL), SETT_OK);
    CHECK_EQ(sett_component_convert(world, sett_component_find(world, name), 99),
             SETT_STATUS_ARGUMENT);
    CHECK_MSG(strstr(sett_world_message(world), "bad\\x0asett") != NULL, "%s",
              sett_world_message(world));
    CHECK_EQ(lines_broken, 0);
    CHECK_END(saved);
    CHECK_END(world);
    disk_destroy(files);
}

typedef enum copied_change {
    CHANGE_NOTHING,
    CHANGE_CONVERT,
    CHANGE_CONVERT_BACK,
    CHANGE_SORT,
    CHANGE_MEMBERS,
    CHANGE_REGISTER,
    CHANGE_UNREGISTER,
    CHANGE_POLICY,
    CHANGE_LAYOUT,
    CHANGE_GROUP,
    CHANGES
} copied_change;

typedef struct Point {
    float x, y;
} Point;

/* One call that changes a type after it was registered. */
static void change_a_type(sett_world* world, copied_change change)
{
    sett_status status = SETT_OK;
    sett_component point = sett_component_find(world, "Point");
    sett_component late = sett_component_find(world, "Late");
    switch (change) {
    case CHANGE_CONVERT:
        status = sett_component_convert(world, point, SETT_STORAGE_SPARSE_SET);
        break;
    case CHANGE_CONVERT_BACK:
        status = sett_component_convert(world, point, SETT_STORAGE_ARRAY);
        break;
    case CHANGE_SORT:
        status = sett_sort(world, &(sett_sort_desc){.component = sett_component_find(world, "Key"),
                                                    .key = SETT_KEY_U32,
                                                    .reverse = true});
        break;
    case CHANGE_MEMBERS: {
        sett_entity first = sett_entity_at(world, 0);
        CHECK_EQ(sett_remove_many(world, &first, 1, late), SETT_OK);
        status = sett_members_set(world, late, SETT_STRUCT(Point, x, y));
        void* value = sett_add(world, first, late);
        CHECK(value != NULL);
        memset(value, 0xFF, sizeof(Point)); /* hashed as any NaN if the members are known */
        break;
    }
    case CHANGE_REGISTER: {
        sett_component more =
            sett_component_register(world, &(sett_component_desc){.name = "More", .size = 8});
        CHECK(sett_add(world, sett_entity_at(world, 1), more) != NULL);
        break;
    }
    case CHANGE_UNREGISTER:
        status = sett_component_unregister(world, sett_component_find(world, "More"));
        break;
    case CHANGE_POLICY:
        status = sett_hierarchy_set_policy(world, sett_entity_at(world, 2), SETT_CHILDREN_REJECT);
        break;
    case CHANGE_LAYOUT:
        status = sett_layout_apply(world, "sparse_set Point");
        break;
    case CHANGE_GROUP:
        CHECK_EQ(sett_component_convert(world, point, SETT_STORAGE_SPARSE_SET), SETT_OK);
        CHECK(sett_group_create(
                  world, &(sett_group_desc){.owned = {point},
                                            .with = {sett_component_find(world, "Key")}}) != NULL);
        break;
    default:
        break;
    }
    CHECK_MSG(status == SETT_OK, "%u: %s", (unsigned)change, sett_world_message(world));
}

static sett_world* copied_world(void)
{
    sett_world* world = quiet_world();
    CHECK(sett_hierarchy_register(world, NULL) != 0);
    CHECK(sett_component_register(
              world, &(sett_component_desc){.name = "Point",
                                            SETT_LINK_DATA(Point),
                                            .members = SETT_STRUCT(Point, x, y)}) != 0);
    CHECK(sett_component_register(world, &(sett_component_desc){.name = "Key", .size = 4}) != 0);
    CHECK(sett_component_register(
              world, &(sett_component_desc){.name = "Late", .size = sizeof(Point), .align = 4}) !=
          0);
    return world;
}

/* Each copy that the library makes, after each call that changes a type. */
static void copies_follow_their_world(void)
{
    disk* files = disk_create();
    sett_world* world = copied_world();
    sett_world* clone = copied_world();
    sett_file_desc desc = {.files = &files->files};
    for (uint32_t k = 0; k < 20; k++) {
        sett_entity e = sett_entity_create(world);
        *(Point*)sett_add(world, e, sett_component_find(world, "Point")) =
            (Point){(float)(k * 7 % 20), 1};
        *(uint32_t*)sett_add(world, e, sett_component_find(world, "Key")) = k * 3 % 20;
    }
    CHECK(sett_add(world, sett_entity_at(world, 0), sett_component_find(world, "Late")) != NULL);
    sett_autosave* autosave = sett_autosave_create(world, "f", &desc);
    CHECK(autosave != NULL);
    for (uint32_t change = 0; change < CHANGES; change++) {
        change_a_type(world, (copied_change)change);
        CHECK_MSG(sett_autosave_start(autosave, change) == SETT_OK, "%u: %s", (unsigned)change,
                  sett_world_message(world));
        CHECK_EQ(sett_autosave_wait(autosave), SETT_OK);
        sett_world* read = copied_world();
        if (change >= CHANGE_MEMBERS) {
            CHECK_EQ(
                sett_members_set(read, sett_component_find(read, "Late"), SETT_STRUCT(Point, x, y)),
                SETT_OK);
        }
        CHECK_MSG(loads(read, files, NULL) == SETT_OK, "%u: %s", (unsigned)change,
                  sett_world_message(read));
        CHECK_SAME(world, read);
        CHECK_END(read);
        CHECK_MSG(sett_world_clone(world, clone) == SETT_OK, "%u: %s", (unsigned)change,
                  sett_world_message(clone));
        CHECK_SAME(world, clone);
        sett_journal* journal = sett_journal_create(world, "g", &desc);
        CHECK(journal != NULL);
        *(uint32_t*)sett_get_mut(world, sett_entity_at(world, 3),
                                 sett_component_find(world, "Key")) = change;
        CHECK_EQ(sett_journal_append(journal, change + 1), SETT_OK);
        CHECK_EQ(sett_journal_destroy(journal), SETT_OK);
        CHECK_MSG(sett_world_load_with(clone, "g", &desc, NULL) == SETT_OK, "%u: %s",
                  (unsigned)change, sett_world_message(clone));
        CHECK_SAME(world, clone);
    }
    CHECK_EQ(sett_autosave_destroy(autosave), SETT_OK);
    CHECK_END(world);
    CHECK_END(clone);
    disk_destroy(files);
}

TEST_MAIN(TEST(components_may_require_more), TEST(switches_without_their_type_are_rejected),
          TEST(messages_are_one_line), TEST(copies_follow_their_world), TEST(a_world_comes_back),
          TEST(unknown_types_are_written_back), TEST(what_a_value_owns_stays_out),
          TEST(pointers_of_files_are_not_freed), TEST(pointers_are_not_saved),
          TEST(types_that_only_a_file_has_are_named), TEST(messages_of_loading_speak_of_files),
          TEST(messages_name_the_step_that_failed), TEST(types_laid_out_otherwise_are_rejected),
          TEST(the_user_block_is_read_without_loading),
          TEST(loading_needs_a_world_without_snapshots), TEST(files_of_the_system_behave_alike),
          TEST(systems_go_on_where_they_were), TEST(without_memory_nothing_is_lost),
          TEST(a_crash_leaves_the_old_state_or_the_new_one), TEST(a_missing_sync_is_noticed),
          TEST(a_save_that_fails_leaves_a_state), TEST(a_load_that_fails_changes_nothing),
          TEST(the_generation_before_is_kept), TEST(damage_by_others_is_noticed),
          TEST(every_bit_and_every_length_is_checked), TEST(compressed_records_are_bounded),
          TEST(sparse_worlds_are_loaded), TEST(memory_is_limited))

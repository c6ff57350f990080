/* test_journal.c: files that follow a world, and files written beside it: after a crash they lead
 * to a frame that was, and not to one before the last sync. */
#include "base/atomic.h"
#include "saved.h"
#include "scarce.h"
#include "sett/threads.h" /* autosaves start one: this test runs under the thread sanitizer too */

#define FRAMES 12

/* A world whose journal was followed for some frames, and the hash of each. */
typedef struct followed {
    disk* to;
    sett_world* world;
    sett_journal* journal;
    uint64_t chance;
    uint64_t hash[FRAMES + 1];
    uint32_t calls[FRAMES + 1]; /* made when the frame was appended */
} followed;

static sett_journal* begin_journal(sett_world* world, disk* to)
{
    sett_file_desc desc = {.files = &to->files, .compression = compressing};
    sett_journal* journal = sett_journal_create(world, "f", &desc);
    CHECK_MSG(journal != NULL, "%s", sett_world_message(world));
    return journal;
}

static void follow(followed* of, uint32_t synced)
{
    memset(of, 0, sizeof(*of));
    of->chance = 4;
    of->to = disk_create();
    of->world = typed_world();
    change(of->world, &of->chance, 100);
    of->journal = begin_journal(of->world, of->to);
    for (uint32_t frame = 0; frame <= FRAMES; frame++) {
        if (frame != 0) {
            change(of->world, &of->chance, 20);
            CHECK_EQ(sett_journal_append(of->journal, frame), SETT_OK);
        }
        if (frame == synced) {
            CHECK_EQ(sett_journal_sync(of->journal), SETT_OK);
        }
        of->hash[frame] = sett_world_hash(of->world);
        of->calls[frame] = of->to->calls;
    }
}

static void follow_end(followed* of)
{
    CHECK_EQ(sett_journal_destroy(of->journal), SETT_OK);
    CHECK_EQ(of->to->locks, 0);
    CHECK_END(of->world);
    disk_destroy(of->to);
}

static sett_status loads_until(sett_world* world, disk* from, uint64_t last, sett_load_result* out)
{
    sett_file_desc desc = {.files = &from->files, .last_frame = last};
    return sett_world_load_with(world, "f", &desc, out);
}

static void a_journal_leads_to_each_of_its_frames(void)
{
    followed of;
    follow(&of, 0);
    sett_world* into = typed_world();
    sett_load_result result;
    for (uint32_t frame = 1; frame <= FRAMES; frame++) {
        CHECK_EQ(loads_until(into, of.to, frame, &result), SETT_OK);
        CHECK_EQ(sett_world_hash(into), of.hash[frame]);
        CHECK_EQ(result.frame, frame);
        CHECK_EQ(result.changes, frame);
        CHECK_EQ(result.cut, 0);
    }
    CHECK_EQ(loads(into, of.to, NULL), SETT_OK);
    CHECK_SAME(of.world, into);
    CHECK_ENTITY_EQ(sett_entity_create(of.world), sett_entity_create(into));
    CHECK_END(into);
    follow_end(&of);
}

static void a_journal_excludes_other_writers(void)
{
    followed of;
    follow(&of, 0);
    sett_file_desc desc = {.files = &of.to->files};
    CHECK_EQ(sett_world_save_with(of.world, "f", &desc), SETT_STATUS_LOCKED);
    CHECK(sett_journal_create(of.world, "f", &desc) == NULL);
    CHECK_EQ(sett_world_error(of.world), SETT_STATUS_LOCKED);
    CHECK_EQ(sett_journal_append(of.journal, 1), SETT_STATUS_ARGUMENT); /* it was at 12 */
    CHECK_EQ(sett_world_load(of.world, "f"), SETT_STATUS_LOCKED);       /* it holds a snapshot */
    follow_end(&of);
}

static void types_may_come_later(void)
{
    followed of;
    follow(&of, 0);
    sett_world* into = typed_world();
    sett_component late =
        sett_component_register(of.world, &(sett_component_desc){.name = "late", .size = 4});
    CHECK(sett_set(of.world, sett_entity_create(of.world), late, "late") != NULL);
    CHECK_EQ(sett_journal_append(of.journal, FRAMES + 1), SETT_OK);
    sett_load_result result;
    CHECK_MSG(loads(into, of.to, &result) == SETT_OK, "%s", sett_world_message(into));
    CHECK_EQ(result.changes, FRAMES + 1);
    CHECK_EQ(result.new_types, 1);
    CHECK_EQ(sett_world_hash(into), sett_world_hash(of.world));
    CHECK_END(into);
    follow_end(&of);
}

/* The frame that a hash is of; FRAMES + 1: none. */
static uint32_t frame_of(const followed* of, uint64_t hash)
{
    uint32_t frame = 0;
    while (frame <= FRAMES && of->hash[frame] != hash) {
        frame++;
    }
    return frame;
}

static void a_crash_leaves_a_frame(void)
{
    enum {
        SYNCED = 5
    };
    followed of;
    follow(&of, SYNCED);
    uint32_t seen[FRAMES + 2] = {0};
    for (uint32_t frame = 0; frame <= FRAMES; frame++) {
        for (uint32_t tear = 0; tear < 60; tear += CHECK_STEP_OF(6)) {
            disk_tear torn = {tear >= 40, tear, tear < 39 ? tear : UINT32_MAX};
            disk* left = disk_crash(of.to, of.calls[frame], 0, torn);
            sett_world* into = typed_world();
            sett_load_result result;
            CHECK_MSG(loads(into, left, &result) == SETT_OK, "%s", sett_world_message(into));
            uint32_t found = frame_of(&of, sett_world_hash(into));
            CHECK_EQ(found, result.frame);
            CHECK(found <= frame && (frame < SYNCED || found >= SYNCED));
            CHECK_EQ(found, result.changes);
            seen[found]++;
            CHECK_END(into);
            disk_destroy(left);
        }
    }
    for (uint32_t frame = 0; frame <= FRAMES; frame++) {
        CHECK(seen[frame] > 0);
    }
    follow_end(&of);
}

static void a_crash_leaves_a_frame_since_the_last_sync(void)
{
    a_crash_leaves_a_frame();
    compressing = &run_lengths;
    a_crash_leaves_a_frame();
    compressing = NULL;
}

enum {
    SMALL = 4 /* frames */
};

/* The frame that is loaded, of those up to `most`; SMALL + 1: none. */
static uint32_t frame_found(sett_world* into, disk* from, const uint64_t* hash, uint32_t most)
{
    sett_load_result result = {.frame = SMALL + 1};
    if (loads(into, from, &result) == SETT_OK) {
        CHECK(result.frame <= most);
        CHECK_EQ(sett_world_hash(into), hash[result.frame]);
    }
    return (uint32_t)result.frame;
}

/* Whichever bit of a small journal is damaged, and wherever it ends: what is loaded is a frame,
 * which lies before the damage. A recording has inputs, keyframes and an index, and was closed:
 * damage before its last keyframe need not matter. */
static void every_bit_and_every_length(bool recording)
{
    uint64_t chance = 6;
    uint64_t hash[SMALL + 1];
    disk* to = disk_create();
    sett_world* world = typed_world();
    sett_world* into = typed_world();
    change(world, &chance, 25);
    hash[0] = sett_world_hash(world);
    sett_file_desc desc = {.files = &to->files, .keyframe_every = recording ? 2 : 0};
    sett_journal* journal = sett_journal_create(world, "f", &desc);
    for (uint64_t frame = 1; frame <= SMALL; frame++) {
        CHECK(!recording ||
              sett_journal_write(journal, SETT_RECORD_INPUT, frame, "go", 2) == SETT_OK);
        change(world, &chance, 6);
        CHECK_EQ(sett_journal_append(journal, frame), SETT_OK);
        hash[frame] = sett_world_hash(world);
    }
    disk_node* node = &to->node[disk_find(to, "f")->node];
    if (recording) {
        CHECK_EQ(sett_journal_destroy(journal), SETT_OK);
    }
    const size_t size = node->size;
    const uint32_t most = recording ? SMALL : SMALL - 1;
    uint32_t found[SMALL + 2] = {0}; /* the last: nothing was loaded */
    for (size_t bit = 0; bit < size * 8; bit += CHECK_STEP) {
        node->bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        found[frame_found(into, to, hash, most)]++;
        node->bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    for (node->size = 0; node->size < size; node->size += CHECK_STEP) {
        found[frame_found(into, to, hash, most)]++;
    }
    node->size = size;
    for (uint32_t frame = 0; frame <= SMALL + 1; frame++) {
        CHECK((found[frame] > 100 / CHECK_STEP) == (frame <= most || frame > SMALL));
    }
    CHECK(recording || sett_journal_destroy(journal) == SETT_OK);
    CHECK_END(world);
    CHECK_END(into);
    disk_destroy(to);
}

static void a_damaged_journal_ends_before_the_damage(void)
{
    every_bit_and_every_length(false);
    every_bit_and_every_length(true);
}

/* Any call fails: what was appended before is there. */
static void any_call_of_a_journal_fails(bool compresses)
{
    bool done = false;
    for (uint32_t n = 1; !done; n++) {
        disk* to = disk_create();
        sett_compression runs = runs_or_fail(to);
        sett_file_desc desc = {
            .files = &to->files, .compression = compresses ? &runs : NULL, .keyframe_every = 2};
        sett_world* world = typed_world();
        sett_world* into = typed_world();
        uint64_t chance = n;
        uint64_t hash = 0;
        change(world, &chance, 50);
        to->fails_at = n;
        sett_journal* journal = sett_journal_create(world, "f", &desc);
        uint64_t frame = 0;
        sett_status status = journal != NULL ? SETT_OK : sett_world_error(world);
        while (status == SETT_OK && frame < 3) {
            hash = sett_world_hash(world);
            change(world, &chance, 10);
            status = sett_journal_append(journal, ++frame);
            hash = status == SETT_OK ? sett_world_hash(world) : hash;
        }
        if (journal != NULL && status != SETT_OK) {
            CHECK_EQ(sett_journal_append(journal, ++frame), SETT_STATUS_FILE); /* for good */
        }
        CHECK(status == SETT_OK || status == SETT_STATUS_FILE || status == SETT_STATUS_LOCKED);
        sett_status ended = sett_journal_destroy(journal);
        done = to->done < n;
        CHECK_EQ(done, status == SETT_OK && ended == SETT_OK && to->done < n);
        to->fails_at = 0;
        CHECK_EQ(to->open + to->locks, 0);
        if (journal != NULL) {
            CHECK_MSG(loads(into, to, NULL) == SETT_OK, "%s", sett_world_message(into));
            bool behind = sett_world_hash(into) == sett_world_hash(world); /* a keyframe failed */
            CHECK(sett_world_hash(into) == hash || (behind && status != SETT_OK));
        }
        sett_snapshot_stats stats;
        sett_snapshot_stats_get(world, &stats);
        CHECK_EQ(stats.snapshots, 0);
        CHECK_END(world);
        CHECK_END(into);
        disk_destroy(to);
    }
}

/* Whether a journal on this disk leads to the frame of its world. */
static bool leads_to(disk* to, sett_world* world, uint64_t frame)
{
    sett_world* into = typed_world();
    sett_load_result result;
    CHECK_MSG(loads(into, to, &result) == SETT_OK, "%s", sett_world_message(into));
    bool same = result.frame == frame && sett_world_hash(into) == sett_world_hash(world);
    CHECK_END(into);
    return same;
}

/* Memory runs out at every place of an append. The message says whether the frame is recorded. */
static void a_frame_is_recorded_without_its_keyframe(void)
{
    static scarce_memory memory;
    disk* to = disk_create();
    sett_world* world = scarce_world(&memory);
    uint64_t chance = 5;
    uint32_t recorded = 0;
    uint32_t failed = 0;
    register_types(world);
    change(world, &chance, 8000); /* the state does not fit into what the pool has */
    sett_file_desc desc = {.files = &to->files, .keyframe_every = 1};
    sett_journal* journal = sett_journal_create(world, "f", &desc);
    CHECK_MSG(journal != NULL, "%s", sett_world_message(world));
    for (uint32_t n = 0; n < 80; n++) {
        uint64_t frame = n + 1;
        change(world, &chance, 10);
        scarce_squeeze(&world->pool, &memory, 1024 * n);
        memory.strict = true;
        memory.allowed = 0;
        sett_status status = sett_journal_append(journal, frame);
        scarce_give_back(&world->pool, &memory);
        bool done = status == SETT_OK;
        const char* message = sett_world_message(world);
        bool without =
            !done && strstr(message, "is recorded, but memory ran out for its keyframe - "
                                     "free memory before the next keyframe") != NULL;
        CHECK_MSG(done || status == SETT_STATUS_OUT_OF_MEMORY, "%s", message);
        CHECK_MSG(done || strncmp(message, "sett_journal_append: ", 21) == 0, "%s", message);
        CHECK_MSG(leads_to(to, world, frame) == (done || without), "%u: %s", (unsigned)n, message);
        recorded += without;
        failed += !done && !without;
    }
    CHECK_MSG(recorded > 1 && failed > 1, "%u %u", (unsigned)recorded, (unsigned)failed);
    CHECK_EQ(sett_journal_append(journal, 100), SETT_OK);
    CHECK(leads_to(to, world, 100));
    CHECK_EQ(sett_journal_destroy(journal), SETT_OK);
    scarce_end(&memory, world);
    disk_destroy(to);
}

/* A journal whose snapshot has ended says why. */
static void a_journal_needs_its_snapshot(void)
{
    for (uint32_t dropped = 0; dropped < 2; dropped++) {
        disk* to = disk_create();
        sett_world* world = typed_world();
        uint64_t chance = 6;
        change(world, &chance, 3000);
        sett_journal* journal = begin_journal(world, to);
        if (dropped) {
            sett_snapshot_drop_all(world);
        } else {
            sett_snapshot_options options = {.memory_limit = 1};
            CHECK_EQ(sett_snapshot_set_options(world, &options), SETT_OK);
            change(world, &chance, 3000);
        }
        CHECK_EQ(sett_journal_append(journal, 1), dropped ? SETT_STATUS_STALE : SETT_STATUS_LOST);
        CHECK_STR_EQ(sett_world_message(world),
                     dropped
                         ? "sett_journal_append: \"f\" cannot go on: the program dropped all "
                           "snapshots - destroy the journal and create it again"
                         : "sett_journal_append: \"f\" cannot go on: its snapshot is lost, because "
                           "memory ran out or sett_snapshot_options.memory_limit was exceeded - "
                           "free memory or raise the limit, then destroy the journal and create it "
                           "again");
        CHECK_EQ(sett_journal_destroy(journal), SETT_OK);
        CHECK_END(world);
        disk_destroy(to);
    }
}

/* The changes of a journal need more memory than its state. */
static void a_journal_keeps_to_the_limit(void)
{
    disk* to = disk_create();
    sett_world* world = typed_world();
    sett_world* into = typed_world();
    sett_journal* journal = begin_journal(world, to);
    for (uint32_t k = 1; k < 250; k++) {
        CHECK_EQ(sett_entity_create_handle(world, (sett_entity){k << 17, 1}), SETT_OK);
        CHECK(sett_add(world, (sett_entity){k << 17, 1}, PLACE) != NULL);
    }
    CHECK_EQ(sett_journal_append(journal, 1), SETT_OK);
    CHECK_EQ(sett_journal_destroy(journal), SETT_OK);
    sett_file_desc desc = {.files = &to->files, .limit = (size_t)4 << 20};
    CHECK_EQ(sett_world_load_with(into, "f", &desc, NULL), SETT_STATUS_LIMIT);
    CHECK_MSG(strstr(sett_world_message(into), "raise sett_file_desc.limit if you trust") != NULL,
              "%s", sett_world_message(into));
    CHECK_END(world);
    CHECK_END(into);
    disk_destroy(to);
}

static void a_full_disk_ends_a_journal(void)
{
    any_call_of_a_journal_fails(false);
    any_call_of_a_journal_fails(true);
}

#if SETTI_ATOMICS
static setti_signal disk_goes_on;

static bool write_when_told(void* user, void* file, const void* bytes, size_t size)
{
    while (!setti_signal_is(&disk_goes_on, 1)) {
    }
    return disk_write(user, file, bytes, size);
}

static void count_misuse(void* user, sett_status status, const char* message)
{
    (void)status;
    (void)message;
    ++*(uint32_t*)user;
}
#endif

static void a_slow_disk_puts_an_autosave_off(void)
{
#if SETTI_ATOMICS
    uint32_t misuse = 0;
    disk* to = disk_create();
    to->files.write = write_when_told;
    sett_world* world = sett_world_create(&(sett_world_desc){
        .log_fn = sett_log_silent, .assert_fn = count_misuse, .hook_user = &misuse});
    sett_file_desc desc = {.files = &to->files};
    sett_autosave* autosave = sett_autosave_create(world, "f", &desc);
    CHECK_EQ(sett_autosave_start(autosave, 1), SETT_OK);
    CHECK_EQ(sett_autosave_start(autosave, 2), SETT_STATUS_LOCKED);
    CHECK_EQ(sett_autosave_status(autosave), SETT_STATUS_LOCKED);
    CHECK_EQ(misuse, 0);
    setti_signal_set(&disk_goes_on, 1);
    CHECK_EQ(sett_autosave_wait(autosave), SETT_OK);
    CHECK_EQ(sett_autosave_start(autosave, 3), SETT_OK);
    CHECK_EQ(sett_autosave_destroy(autosave), SETT_OK);
    CHECK_END(world);
    disk_destroy(to);
#endif
}

static void an_autosave_is_of_the_moment_when_it_began(void)
{
    disk* to = disk_create();
    sett_world* world = typed_world();
    sett_world* into = typed_world();
    uint64_t chance = 8;
    sett_file_desc desc = {.files = &to->files};
    sett_autosave* autosave = sett_autosave_create(world, "f", &desc);
    CHECK(autosave != NULL);
    CHECK_EQ(sett_autosave_status(autosave), SETT_OK);
    for (uint32_t frame = 1; frame < 6; frame++) {
        sett_status status;
        change(world, &chance, 3000);
        uint64_t hash = sett_world_hash(world);
        CHECK_MSG(sett_autosave_start(autosave, frame) == SETT_OK, "%s", sett_world_message(world));
        do {
            change(world, &chance, 10); /* the world goes on */
            status = sett_autosave_status(autosave);
        } while (status == SETT_STATUS_LOCKED);
        CHECK_EQ(status, SETT_OK);
        sett_load_result result;
        CHECK_EQ(loads(into, to, &result), SETT_OK);
        CHECK_EQ(sett_world_hash(into), hash);
        CHECK_EQ(result.frame, frame);
        /* a type that ends, and is another the next time */
        sett_component_desc spare = {.name = "Spare", .size = frame * 4};
        CHECK(frame == 1 || sett_component_unregister(world, 900) == SETT_OK);
        sett_component old = sett_component_find(into, "Spare");
        CHECK(frame == 1 || sett_component_unregister(into, old) == SETT_OK);
        spare.id = 900;
        CHECK_EQ(sett_component_register(world, &spare), 900);
        CHECK(sett_add(world, entity_from(world, 0), 900) != NULL);
    }
    CHECK_EQ(sett_autosave_start(autosave, 7), SETT_OK);
    CHECK_EQ(sett_autosave_wait(autosave), SETT_OK);
    CHECK_EQ(sett_autosave_status(autosave), SETT_OK);
    to->fails_at = to->done + 3;
    CHECK_EQ(sett_autosave_start(autosave, 8), SETT_OK);
    CHECK_EQ(sett_autosave_wait(autosave), SETT_STATUS_FILE);
    CHECK(strncmp(sett_world_message(world), "sett_autosave_wait: \"f", 22) == 0);
    CHECK_EQ(sett_autosave_start(autosave, 9), SETT_OK);
    CHECK(strncmp(sett_world_message(world), "sett_autosave_start: \"f", 23) ==
          0); /* the last one */
    CHECK_EQ(sett_autosave_wait(autosave), SETT_OK);
    to->fails_at = to->done + 3;
    CHECK_EQ(sett_autosave_start(autosave, 10), SETT_OK);
    CHECK_EQ(sett_autosave_destroy(autosave), SETT_STATUS_FILE);
    CHECK(strstr(sett_world_message(world), "f.new") != NULL);
    CHECK_END(world);
    CHECK_END(into);
    disk_destroy(to);
}

/* ---------------------------------------------------------------------------------- recordings */

typedef struct records {
    uint32_t kinds[16];
    uint32_t inputs; /* right ones */
    uint32_t own;
} records;

static bool count_record(void* user, uint32_t kind, uint64_t frame, const void* bytes, size_t size)
{
    records* all = user;
    if (kind == SETT_RECORD_PROGRAM + 5) {
        all->own++;
        return true;
    }
    CHECK(kind < 16);
    all->kinds[kind]++;
    all->inputs += kind == SETT_RECORD_INPUT && size == sizeof(frame) &&
                   memcmp(bytes, &frame, sizeof(frame)) == 0;
    return true;
}

static void a_recording_has_keyframes_and_an_index(void)
{
    uint64_t chance = 9;
    uint64_t hash[FRAMES + 1];
    disk* to = disk_create();
    sett_world* world = typed_world();
    change(world, &chance, 200);
    sett_file_desc desc = {.files = &to->files, .keyframe_every = 3};
    sett_journal* journal = sett_journal_create(world, "f", &desc);
    CHECK(journal != NULL);
    CHECK_EQ(sett_journal_write(journal, 3, 1, NULL, 0), SETT_STATUS_ARGUMENT); /* a state */
    for (uint64_t frame = 1; frame <= FRAMES; frame++) {
        change(world, &chance, 20);
        CHECK_EQ(sett_journal_write(journal, SETT_RECORD_INPUT, frame, &frame, sizeof(frame)),
                 SETT_OK);
        CHECK_EQ(sett_journal_append(journal, frame), SETT_OK);
        hash[frame] = sett_world_hash(world);
    }
    CHECK_EQ(sett_journal_write(journal, SETT_RECORD_INPUT, 1, NULL, 0), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_journal_write(journal, SETT_RECORD_PROGRAM + 5, FRAMES, "own", 3), SETT_OK);
    CHECK_EQ(sett_journal_destroy(journal), SETT_OK);

    records all = {.own = 0};
    CHECK_EQ(sett_file_records("f", &desc, count_record, &all), SETT_OK);
    CHECK_EQ(all.kinds[3], 1);
    CHECK_EQ(all.kinds[4], FRAMES);
    CHECK_EQ(all.kinds[5], FRAMES / 3);
    CHECK_EQ(all.inputs, FRAMES);
    CHECK_EQ(all.kinds[9], 1);
    CHECK_EQ(all.kinds[10], 1);
    CHECK_EQ(all.own, 1);
    for (uint64_t frame = 1; frame <= FRAMES; frame++) {
        sett_load_result result;
        sett_world* read = typed_world();
        CHECK_EQ(loads_until(read, to, frame, &result), SETT_OK);
        CHECK_EQ(sett_world_hash(read), hash[frame]);
        CHECK_EQ(result.changes, frame % 3); /* since the keyframe before it */
        CHECK_END(read);
    }
    CHECK_END(world);
    disk_destroy(to);
}

TEST_MAIN(TEST(a_recording_has_keyframes_and_an_index), TEST(a_journal_leads_to_each_of_its_frames),
          TEST(a_journal_excludes_other_writers), TEST(types_may_come_later),
          TEST(a_crash_leaves_a_frame_since_the_last_sync),
          TEST(a_damaged_journal_ends_before_the_damage), TEST(a_full_disk_ends_a_journal),
          TEST(a_frame_is_recorded_without_its_keyframe), TEST(a_journal_needs_its_snapshot),
          TEST(a_journal_keeps_to_the_limit), TEST(a_slow_disk_puts_an_autosave_off),
          TEST(an_autosave_is_of_the_moment_when_it_began))

/* test_stream.c: files whose records are whole and stand in a wrong order, or are none that a save
 * writes: loading rejects them with the reason, and the world stays as it was.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/checksum.h"
#include "file/stream.h"
#include "files.h"
#include "sett/system.h"
#include "states.h"

typedef struct Value {
    uint64_t number;
} Value;

static struct {
    disk* disk;
    sett_world* world;
    sett_file_desc desc;
    unsigned char* bytes[SETTI_STREAM_KINDS]; /* of the records of a save, by kind */
    size_t size[SETTI_STREAM_KINDS];
    setti_stream stream;
} s;

static bool keep_record(void* user, uint32_t kind, uint64_t frame, const void* bytes, size_t size)
{
    (void)user;
    (void)frame;
    CHECK(kind < SETTI_STREAM_KINDS);
    free(s.bytes[kind]);
    s.bytes[kind] = malloc(size + 1);
    CHECK(s.bytes[kind] != NULL);
    memcpy(s.bytes[kind], bytes, size);
    s.size[kind] = size;
    return true;
}

static void run_nothing(sett_context* context)
{
    (void)context;
}

static sett_world* make_world(uint32_t count)
{
    sett_world* world = quiet_world();
    sett_component Value_id = SETT_REGISTER(world, Value);
    CHECK_EQ(SETT_MEMBERS(world, Value, number), SETT_OK);
    CHECK(sett_system_create(world, &(sett_system_desc){.name = "idle", .run = run_nothing}) !=
          NULL);
    for (uint32_t k = 0; k < count; k++) {
        SETT_SET(world, sett_entity_create(world), Value, .number = k);
    }
    return world;
}

/* A journal of three frames gives one record of each kind. */
static void begin(void)
{
    memset(&s, 0, sizeof(s));
    s.disk = disk_create();
    s.desc.files = &s.disk->files;
    s.world = make_world(100);
    sett_journal* journal = sett_journal_create(s.world, "file", &s.desc);
    CHECK(journal != NULL);
    (void)sett_entity_create(s.world);
    CHECK_EQ(sett_progress(s.world, 1), SETT_OK);
    CHECK_EQ(sett_journal_append(journal, 1), SETT_OK);
    CHECK_EQ(sett_journal_destroy(journal), SETT_OK);
    CHECK_EQ(sett_file_records("file", &s.desc, keep_record, NULL), SETT_OK);
    CHECK(s.bytes[SETTI_STREAM_STATE] != NULL && s.bytes[SETTI_STREAM_DELTA] != NULL);
    CHECK(s.bytes[SETTI_STREAM_TYPES] != NULL && s.bytes[SETTI_STREAM_RUN] != NULL);
}

static void end(void)
{
    for (uint32_t k = 0; k < SETTI_STREAM_KINDS; k++) {
        free(s.bytes[k]);
    }
    CHECK_END(s.world);
    disk_destroy(s.disk);
}

static void* open_file(void)
{
    const sett_files* files = &s.disk->files;
    (void)files->unlink(files->user, "file.previous");
    void* file = files->open(files->user, "file", SETT_FILE_CREATE);
    CHECK(file != NULL);
    memset(&s.stream, 0, sizeof(s.stream));
    setti_stream_begin(&s.stream, files, file, 77);
    return file;
}

static void put(uint32_t kind, uint64_t frame)
{
    CHECK(setti_stream_write(&s.stream, kind, frame, s.bytes[kind], s.size[kind]));
}

static sett_status load(void* file, const char** message)
{
    const sett_files* files = &s.disk->files;
    CHECK(files->close(files->user, file));
    static sett_world* into;
    if (into != NULL) {
        CHECK_END(into);
    }
    into = make_world(7);
    uint64_t hash = sett_world_hash(into);
    sett_status status = sett_world_load_with(into, "file", &s.desc, NULL);
    *message = sett_world_message(into);
    if (status != SETT_OK) {
        CHECK_EQ(sett_world_hash(into), hash);
        return status;
    }
    CHECK_END(into);
    into = NULL;
    return status;
}

/* Kinds of records, at ascending frames. */
static void must_reject(const uint32_t* kinds, uint32_t count, const char* expected)
{
    const char* message;
    void* file = open_file();
    for (uint32_t k = 0; k < count; k++) {
        put(kinds[k], k);
    }
    sett_status status = load(file, &message);
    CHECK_MSG(status == SETT_STATUS_INVALID, "%s: status %d", expected, (int)status);
    CHECK_MSG(strstr(message, expected) != NULL, "%s, not: %s", message, expected);
}

#define REJECT(expected, ...)                                                                      \
    must_reject((const uint32_t[]){__VA_ARGS__},                                                   \
                sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), expected)

enum {
    TYPES = SETTI_STREAM_TYPES,
    STATE = SETTI_STREAM_STATE,
    DELTA = SETTI_STREAM_DELTA,
    RUN = SETTI_STREAM_RUN
};

static void records_in_a_wrong_order_are_rejected(void)
{
    const char* message;
    begin();
    REJECT("it has two states", TYPES, STATE, STATE);
    REJECT("the file is damaged: it does not begin with a state - load a copy", TYPES, DELTA);
    REJECT("it has no state", TYPES);
    REJECT("it has no state", TYPES, RUN);
    /* what is left after that is right: a state, and the delta behind it */
    void* file = open_file();
    put(TYPES, 0);
    put(RUN, 0);
    put(STATE, 0);
    put(DELTA, 1);
    CHECK_EQ(load(file, &message), SETT_OK);
    end();
}

static void wrong_bytes_in_whole_records_are_rejected(void)
{
    const char* message;
    begin();
    void* file = open_file();
    put(TYPES, 0);
    CHECK(setti_stream_write(&s.stream, RUN, 0, "\377\377\377\377", 4));
    put(STATE, 0);
    CHECK_EQ(load(file, &message), SETT_STATUS_INVALID);
    CHECK_MSG(strstr(message,
                     "the file is damaged: the times of systems are invalid - load a copy") != NULL,
              "%s", message);
    file = open_file();
    CHECK(setti_stream_write(&s.stream, TYPES, 0, "\377\377\377\377", 4));
    put(STATE, 0);
    CHECK_EQ(load(file, &message), SETT_STATUS_INVALID);
    file = open_file();
    put(TYPES, 0);
    CHECK(setti_stream_write(&s.stream, STATE, 0, "state", 5));
    CHECK_EQ(load(file, &message), SETT_STATUS_INVALID);
    end();
}

/* What is wrong behind a state is cut off: the state is loaded. */
static void the_end_of_a_journal_may_be_wrong(void)
{
    begin();
    for (uint32_t wrong = 0; wrong < 4; wrong++) {
        const sett_files* files = &s.disk->files;
        sett_load_result result;
        void* file = open_file();
        put(TYPES, 5);
        put(STATE, 5);
        switch (wrong) {
        case 0: /* a frame before the last one */
            put(DELTA, 4);
            break;
        case 1: /* a kind that this version does not know */
            CHECK(setti_stream_write(&s.stream, SETTI_STREAM_KINDS, 5, "x", 1));
            break;
        case 2: /* a delta that does not fit */
            CHECK(setti_stream_write(&s.stream, DELTA, 5, s.bytes[DELTA], s.size[DELTA] - 1));
            break;
        default: /* half a record */
            CHECK(files->write(files->user, file, "half a record", 13));
        }
        CHECK(files->close(files->user, file));
        sett_world* into = make_world(3);
        CHECK_MSG(sett_world_load_with(into, "file", &s.desc, &result) == SETT_OK, "%u: %s", wrong,
                  sett_world_message(into));
        CHECK_EQ(sett_entity_count(into), 100);
        CHECK_EQ(result.frame, 5);
        CHECK(result.cut != 0);
        CHECK_END(into);
    }
    end();
}

/* A payload of several pages, of which one is of another payload. */
static void payloads_do_not_go_on_with_others(void)
{
    const char* message;
    begin();
    free(s.bytes[STATE]);
    s.size[STATE] = SETTI_STREAM_PAGE + 100;
    s.bytes[STATE] = calloc(1, s.size[STATE]);
    CHECK(s.bytes[STATE] != NULL);
    void* file = open_file();
    uint64_t first = s.stream.offset;
    put(STATE, 3);
    /* the second page, by its head: of another frame, with a right checksum */
    disk_node* node = &s.disk->node[disk_find(s.disk, "file")->node];
    size_t second = (size_t)first + SETTI_STREAM_RECORD + SETTI_STREAM_PAGE;
    node->size = second;
    s.stream.offset = second;
    const unsigned char rest[100] = {0};
    CHECK(setti_stream_write(&s.stream, STATE, 4, rest, sizeof(rest)));
    CHECK_EQ(load(file, &message), SETT_STATUS_INVALID);
    CHECK_MSG(strstr(message, "the file is damaged: two records are mixed - load a copy") != NULL,
              "%s", message);
    end();
}

static void other_versions_are_rejected(void)
{
    const char* message;
    begin();
    void* file = open_file();
    put(TYPES, 0);
    put(STATE, 0);
    disk_node* node = &s.disk->node[disk_find(s.disk, "file")->node];
    node->bytes[8] = 9;
    CHECK_EQ(load(file, &message), SETT_STATUS_INVALID);
    CHECK_MSG(strstr(message, "the file is damaged: its header was altered - load a copy") != NULL,
              "%s", message);
    file = open_file();
    put(TYPES, 0);
    put(STATE, 0);
    node = &s.disk->node[disk_find(s.disk, "file")->node];
    node->bytes[8] = 9;
    setti_bytes_put(node->bytes + 24, setti_checksum(0, node->bytes, 24), 8);
    CHECK_EQ(load(file, &message), SETT_STATUS_INVALID);
    CHECK_MSG(strstr(message, "the format version of the file differs") != NULL, "%s", message);
    end();
}

TEST_MAIN(TEST(records_in_a_wrong_order_are_rejected),
          TEST(wrong_bytes_in_whole_records_are_rejected), TEST(the_end_of_a_journal_may_be_wrong),
          TEST(payloads_do_not_go_on_with_others), TEST(other_versions_are_rejected))

/* test_released.c: files of released versions are loaded by this one. test/corpus/released has a
 * folder a version, with three files: a saved world, a journal and JSON.
 *
 * 0.1 wrote no files. Those of a version that is not released are written anew when its format
 * changes: SETT_WRITE=1 test_released.
 *
 * SPDX-License-Identifier: MIT
 */
#include "states.h"

#include "sett/file.h"
#include "sett/json.h"
#include "sett/strings.h"

#ifndef SETT_DOCS
#define SETT_DOCS "docs" /* the folder */
#endif

typedef struct Place {
    float x;
    double y;
} Place;

typedef struct Door {
    uint8_t state;
    uint64_t big;
    Place at[2];
    int16_t height;
    char label[6];
    sett_entity owner;
    bool locked;
    int64_t last;
} Door;

typedef struct Sign {
    sett_string text;
    sett_list pages;
} Sign;

typedef struct Debt {
    uint32_t amount;
} Debt;

typedef struct Rare {
    uint32_t a;
    int16_t b;
} Rare;

#define KINDS(COMPONENT, TAG)                                                                      \
    COMPONENT(Place, .members = SETT_STRUCT(Place, x, y))                                          \
    COMPONENT(Door, .members = SETT_STRUCT(Door, state, big, (at, .of = SETT_STRUCT(Place, x, y)), \
                                           height, label, owner, locked, last))                    \
    COMPONENT(Sign, .members = SETT_STRUCT(Sign, text, (pages, .element = SETT_MEMBER_U32)))       \
    COMPONENT(Rare, .members = SETT_STRUCT(Rare, a, b), .storage = SETT_STORAGE_SPARSE_SET)        \
    TAG(Marked)                                                                                    \
    TAG(Apart, .dont_fragment = true)
SETT_COMPONENTS(KINDS)

static sett_component owes, likes;

static sett_world* released_world(void)
{
    sett_world* world = quiet_world();
    sett_relationship_desc desc = {
        .name = "owes", .many = true, SETT_LINK_DATA(Debt), .members = SETT_STRUCT(Debt, amount)};
    CHECK_EQ(SETT_REGISTER_ALL(world, KINDS), SETT_OK);
    owes = sett_relationship_register(world, &desc);
    likes = sett_relationship_register(world, &(sett_relationship_desc){.name = "likes"});
    CHECK(owes != 0 && likes != 0);
    CHECK(sett_name_register(world) != 0 && sett_hierarchy_register(world, NULL) != 0);
    return world;
}

static void put_values(sett_world* world, sett_entity e, uint32_t k)
{
    char text[24];
    SETT_SET(world, e, Place, .x = (float)k / 4, .y = k * 1.5);
    if (k % 2 == 0) {
        SETT_SET(world, e, Door, .state = (uint8_t)k, .big = 0x0102030405060708u * k,
                 .at = {{(float)k / 8, k * 0.5}, {-1, 1e300}}, .height = (int16_t)(-(int)k),
                 .label = "door", .owner = e, .locked = k % 3 == 0, .last = -((int64_t)k << 33));
    }
    if (k % 3 == 0) {
        Sign* sign = sett_ensure(world, e, Sign_id);
        snprintf(text, sizeof(text), "sign %u \xC3\xA9", (unsigned)k);
        CHECK_EQ(sett_string_set(world, &sign->text, text), SETT_OK);
        for (uint32_t page = 0; page < k % 5; page++) {
            *SETT_LIST_PUSH(world, &sign->pages, uint32_t) = k * 1000 + page;
        }
    }
    if (k % 5 == 0) {
        SETT_SET(world, e, Rare, .a = k * 70000, .b = (int16_t)(k - 100));
        CHECK(sett_ensure(world, e, k % 2 == 0 ? Marked_id : Apart_id) != NULL);
    }
}

static void put_links(sett_world* world, sett_entity e, uint32_t k)
{
    sett_entity parent = sett_entity_at(world, k / 3);
    char name[16];
    snprintf(name, sizeof(name), "n%u", (unsigned)k);
    if (k % 4 == 0) {
        CHECK_EQ(sett_name_set(world, e, name), SETT_OK);
    }
    if (k > 5 && !sett_is_null(parent)) {
        CHECK_EQ(sett_hierarchy_attach(world, e, parent), SETT_OK);
        Debt* debt = sett_relate(world, e, owes, parent);
        debt->amount = k * 1000007;
        CHECK(k % 2 != 0 || sett_relate(world, e, likes, parent) != NULL);
    }
}

static void fill(sett_world* world)
{
    for (uint32_t k = 0; k < 60; k++) {
        sett_entity e = sett_entity_create(world);
        if (k % 7 == 3) { /* its index is free, with another generation */
            CHECK_EQ(sett_entity_destroy(world, e), SETT_OK);
            continue;
        }
        put_values(world, e, k);
        put_links(world, e, k);
    }
}

/* What a journal has behind its state. */
static void go_on(sett_world* world, uint32_t frame)
{
    for (uint32_t k = frame; k < 60; k += 7) {
        sett_entity e = sett_entity_at(world, k);
        if (!sett_is_null(e) && k % 5 == 4) {
            CHECK_EQ(sett_entity_destroy(world, e), SETT_OK);
        } else if (!sett_is_null(e)) {
            put_values(world, e, k + frame);
        }
    }
}

static void path_of(const char* version, const char* file, char* out, size_t size)
{
    snprintf(out, size, "%s/../test/corpus/released/%s/%s", SETT_DOCS, version, file);
}

static void write_files(const char* version)
{
    static char text[65536];
    char path[1024];
    sett_world* world = released_world();
    fill(world);
    path_of(version, "world.sett", path, sizeof(path));
    CHECK_EQ(sett_world_save(world, path), SETT_OK);
    size_t length = sett_json_format(world, &(sett_json_desc){.query = NULL}, text, sizeof(text));
    CHECK(length < sizeof(text));
    path_of(version, "world.json", path, sizeof(path));
    FILE* file = fopen(path, "wb");
    CHECK(file != NULL && fwrite(text, 1, length, file) == length && fclose(file) == 0);
    path_of(version, "journal.sett", path, sizeof(path));
    sett_journal* journal = sett_journal_create(world, path, NULL);
    for (uint32_t frame = 1; frame <= 4; frame++) {
        go_on(world, frame);
        CHECK_EQ(sett_journal_append(journal, frame), SETT_OK);
    }
    CHECK_EQ(sett_journal_destroy(journal), SETT_OK);
    CHECK_END(world);
}

static void load_saved(const char* version, const char* file, uint32_t frames)
{
    char path[1024];
    sett_world* wanted = released_world();
    sett_world* world = released_world();
    fill(wanted);
    for (uint32_t frame = 1; frame <= frames; frame++) {
        go_on(wanted, frame);
    }
    path_of(version, file, path, sizeof(path));
    CHECK_MSG(sett_world_load(world, path) == SETT_OK, "%s: %s", path, sett_world_message(world));
    CHECK_SAME(wanted, world);
    CHECK_END(world);
    CHECK_END(wanted);
}

/* JSON creates entities with handles of their own: "#12:1" becomes "#". */
static void drop_handles(char* text)
{
    char* to = text;
    for (const char* at = text; *at != '\0';) {
        *to++ = *at;
        at += *at == '#' ? 1 + strspn(at + 1, "0123456789:") : 1;
    }
    *to = '\0';
}

static void load_json(const char* version)
{
    static char text[65536];
    static char wanted_text[65536];
    static char world_text[65536];
    const sett_json_desc all = {.query = NULL};
    char path[1024];
    sett_world* wanted = released_world();
    sett_world* world = released_world();
    fill(wanted);
    path_of(version, "world.json", path, sizeof(path));
    FILE* file = fopen(path, "rb");
    CHECK_MSG(file != NULL, "%s", path);
    size_t size = fread(text, 1, sizeof(text), file);
    CHECK(size < sizeof(text) && fclose(file) == 0);
    CHECK_MSG(sett_json_read(world, text, size, NULL, NULL) == SETT_OK, "%s: %s", path,
              sett_world_message(world));
    CHECK(sett_json_format(wanted, &all, wanted_text, sizeof(wanted_text)) < sizeof(wanted_text));
    CHECK(sett_json_format(world, &all, world_text, sizeof(world_text)) < sizeof(world_text));
    drop_handles(wanted_text);
    drop_handles(world_text);
    CHECK_STR_EQ(world_text, wanted_text);
    CHECK_END(world);
    CHECK_END(wanted);
}

static void load_version(const char* version)
{
    load_saved(version, "world.sett", 0);
    load_saved(version, "journal.sett", 4);
    load_json(version);
}

/* Each version of CHANGELOG.md that writes files has its own here. */
static void files_of_all_versions_load(void)
{
    char line[256];
    char version[16];
    uint32_t count = 0;
    FILE* changes = fopen(SETT_DOCS "/../CHANGELOG.md", "r");
    CHECK(changes != NULL);
    while (fgets(line, sizeof(line), changes) != NULL) {
        if (sscanf(line, "## [%15[0-9.]]", version) == 1 && strcmp(version, "0.1.0") != 0) {
            if (strstr(line, "unreleased") != NULL && check_setting("SETT_WRITE", 0) != 0) {
                write_files(version);
            }
            load_version(version);
            count++;
        }
    }
    CHECK_EQ(fclose(changes), 0);
    CHECK(count >= 1);
}

TEST_MAIN(TEST(files_of_all_versions_load))

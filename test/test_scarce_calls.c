/* test_scarce_calls.c: memory runs out at every point of calls that have no such test beside what
 * they do: each fails with OUT_OF_MEMORY and leaves the world as it was, or does all of it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "scarce.h"

#include "sett/event.h"
#include "sett/file.h"
#include "sett/json.h"
#include "sett/layout.h"
#include "sett/ordered.h"
#include "sett/search.h"
#include "sett/state.h"
#include "sett/strings.h"
#include "sett/system.h"

#define ENTITIES 200
#define FILE_PATH "sett_test_scarce"

typedef struct Item {
    uint64_t key;
    sett_entity owner;
    char text[8];
    sett_string word;
} Item;

typedef struct Blow {
    unsigned char bytes[400];
} Blow;

static struct {
    scarce_memory memory;
    sett_world* world;
    sett_component item, blow, one, many, tag;
    sett_entity e[ENTITIES];
    sett_entity root;
    sett_query* query;
    sett_ordered* ordered;
    sett_autosave* autosave;
    sett_journal* journal;
    sett_world* other;
    char text[200000];
    size_t size;
    char whole[200000]; /* text, written with enough memory */
    uint64_t frame;
    uint64_t hash;
    uint32_t count;
    uint64_t values;
    uint32_t heard;
} s;

static void register_types(sett_world* world)
{
    static const sett_component_desc tag = {.name = "Tag"};
    s.item = sett_component_register(
        world, &(sett_component_desc){SETT_TYPE(Item),
                                      .members = SETT_STRUCT(Item, key, owner, text, word)});
    Blow mask;
    memset(&mask, 255, sizeof(mask));
    mask.bytes[3] = 0;
    s.blow = sett_component_register(world, &(sett_component_desc){SETT_TYPE(Blow), .mask = &mask});
    s.tag = sett_component_register(world, &tag);
    s.one = sett_relationship_register(world, &(sett_relationship_desc){.name = "One", .size = 8});
    s.many =
        sett_relationship_register(world, &(sett_relationship_desc){.name = "Many", .many = true});
    CHECK(s.item != 0 && s.blow != 0 && s.tag != 0 && s.one != 0 && s.many != 0);
}

static void fill(sett_world* world)
{
    CHECK_EQ(sett_entity_create_many(world, ENTITIES, NULL, 0, NULL, s.e), SETT_OK);
    s.root = s.e[0];
    for (uint32_t k = 0; k < ENTITIES; k++) {
        char name[24];
        snprintf(name, sizeof(name), "entity %u", k);
        CHECK_EQ(sett_name_set(world, s.e[k], name), SETT_OK);
        if (k % 2 == 0) {
            Item* item = sett_ensure(world, s.e[k], s.item);
            item->key = k % 17;
            item->owner = s.e[k / 2];
            CHECK_EQ(sett_string_set(world, &item->word, name), SETT_OK);
        }
        if (k != 0) {
            CHECK_EQ(sett_hierarchy_attach(world, s.e[k], s.e[k / 5]), SETT_OK);
            CHECK(sett_relate(world, s.e[k], s.one, s.e[k / 3]) != NULL);
            CHECK(sett_relate(world, s.e[k], s.many, s.e[k / 7]) != NULL);
            CHECK(sett_relate(world, s.e[k], s.many, s.e[k - 1]) != NULL);
        }
    }
}

static void nothing(void)
{
}

static void unchanged(void)
{
    CHECK_EQ(sett_entity_count(s.world), s.count);
    CHECK_EQ(sett_world_hash(s.world), s.hash);
}

static uint64_t count_values(void)
{
    return sett_component_count(s.world, s.item) * (uint64_t)1000000 +
           sett_component_count(s.world, s.many) * (uint64_t)1000 +
           sett_component_count(s.world, s.one) + sett_component_count(s.world, s.blow);
}

/* ---------------------------------------------------------------------------------------- files */

static void begin_autosave(void)
{
    s.autosave = sett_autosave_create(s.world, FILE_PATH, NULL);
    CHECK(s.autosave != NULL);
}

static bool step_autosave(void* user)
{
    (void)user;
    return sett_autosave_start(s.autosave, 1) == SETT_OK &&
           sett_autosave_wait(s.autosave) == SETT_OK;
}

static void end_autosave(void)
{
    (void)sett_autosave_destroy(s.autosave);
}

static bool step_save(void* user)
{
    (void)user;
    return sett_world_save(s.world, FILE_PATH) == SETT_OK;
}

static void begin_saved(void)
{
    CHECK_EQ(sett_world_save(s.world, FILE_PATH), SETT_OK);
    CHECK_EQ(sett_world_save(s.world, FILE_PATH), SETT_OK);
    s.world->whole_file = 0; /* as in a later program */
}

static bool step_merge(void* user)
{
    static const char* const raw[] = {"One"};
    sett_merge_result result;
    (void)user;
    sett_status status = sett_world_merge(
        s.world, FILE_PATH,
        &(sett_merge_desc){
            .names = SETT_MERGE_NUMBER, .parent = s.root, .raw = raw, .raw_count = 1},
        &result);
    if (status == SETT_OK) {
        CHECK_EQ(result.created, ENTITIES);
        sett_merge_result_free(s.world, &result);
    }
    return status == SETT_OK;
}

static bool step_journal(void* user)
{
    (void)user;
    s.journal = sett_journal_create(s.world, FILE_PATH, NULL);
    return s.journal != NULL;
}

static void end_journal(void)
{
    CHECK_EQ(sett_journal_destroy(s.journal), SETT_OK);
    CHECK_EQ(sett_world_load(s.world, FILE_PATH), SETT_OK);
    unchanged();
}

/* Each append writes a keyframe. */
static void begin_append(void)
{
    sett_file_desc desc = {.keyframe_every = 1};
    s.journal = sett_journal_create(s.world, FILE_PATH, &desc);
    CHECK(s.journal != NULL);
}

static bool step_append(void* user)
{
    (void)user;
    return sett_journal_append(s.journal, ++s.frame) == SETT_OK;
}

static bool step_encode(void* user)
{
    (void)user;
    size_t size = 0;
    return sett_state_encode(s.world, s.text, sizeof(s.text), &size) == SETT_OK;
}

/* ----------------------------------------------------------------------------------------- JSON */

static bool step_format(void* user)
{
    (void)user;
    s.size = sett_json_format(s.world, &(sett_json_desc){0}, s.text, sizeof(s.text));
    CHECK(s.size < sizeof(s.text));
    CHECK(s.size == 0 || s.whole[0] == '\0' || strcmp(s.text, s.whole) == 0);
    return s.size != 0;
}

static void begin_text(void)
{
    for (uint32_t k = 0; k < ENTITIES; k += 50) {
        memset(sett_ensure(s.world, s.e[k], s.blow), 1 + (int)k, sizeof(Blow));
    }
    CHECK(step_format(NULL));
    memcpy(s.whole, s.text, s.size + 1);
}

static bool step_read(void* user)
{
    sett_json_result result;
    (void)user;
    sett_json_read_desc desc = {.parent = s.root};
    bool done = sett_json_read(s.world, s.text, s.size, &desc, &result) == SETT_OK;
    CHECK(!done || result.entities == ENTITIES);
    return done;
}

static bool step_set_value(void* user)
{
    static const char value[] = "{\"key\": 5, \"word\": \"a longer word, which needs memory\"}";
    (void)user;
    return sett_json_set(s.world, s.e[1], s.item, value, sizeof(value) - 1) == SETT_OK;
}

/* ------------------------------------------------------------------------------------- searches */

static bool step_search(void* user)
{
    (void)user;
    sett_search* search = sett_search_create(
        s.world, "Item($x), One($x, $y), Many($x, $z), Hierarchy+($x, $w) order_by $x.Item.key");
    bool done = search != NULL && sett_search_count(search) != 0;
    CHECK_EQ(sett_search_destroy(search), SETT_OK);
    return done;
}

static bool step_order(void* user)
{
    (void)user;
    s.ordered = sett_ordered_create(
        s.world, &(sett_ordered_desc){.text = "Item cascade order_by Item.key desc"});
    return s.ordered != NULL;
}

static void begin_order(void)
{
    CHECK(step_order(NULL));
}

static bool step_order_update(void* user)
{
    uint32_t count = 0;
    (void)user;
    bool done = sett_ordered_update(s.ordered, &count) != NULL;
    CHECK(!done || count == ENTITIES / 2);
    return done;
}

static bool step_lookup(void* user)
{
    uint64_t key = 3;
    (void)user;
    sett_lookup* lookup = sett_lookup_create(s.world, s.item, "key");
    uint32_t count = lookup != NULL ? sett_lookup_find(lookup, &key, NULL, 0) : 0;
    CHECK(count == 0 || count == 6);
    CHECK_EQ(sett_lookup_destroy(lookup), SETT_OK);
    return count != 0;
}

/* ------------------------------------------------------------------------------------ structure */

static bool step_register_needing(void* user)
{
    static const char* const old_names[] = {"Elder", "Eldest"};
    (void)user;
    const sett_component needs[] = {s.item, s.tag, s.blow};
    return sett_component_register(s.world, &(sett_component_desc){.name = "Needing",
                                                                   .size = 24,
                                                                   .required = needs,
                                                                   .required_count = 3,
                                                                   .old_names = old_names,
                                                                   .old_name_count = 2}) != 0;
}

static bool step_add_many(void* user)
{
    (void)user;
    return sett_add_many(s.world, s.e, ENTITIES, s.blow) == SETT_OK;
}

static bool step_names(void* user)
{
    (void)user;
    for (uint32_t k = s.heard; k < 100; k++, s.heard++) {
        char name[64];
        snprintf(name, sizeof(name), "another name, so long that it is not short: %u", k);
        if (sett_name_set(s.world, s.e[k], name) != SETT_OK) {
            return false;
        }
    }
    return true;
}

static bool step_singleton(void* user)
{
    Item item = {.key = 1};
    (void)user;
    return sett_singleton_set(s.world, s.item, &item) != NULL;
}

static bool step_duplicate(void* user)
{
    (void)user;
    return !sett_is_null(sett_duplicate(s.world, s.e[1], NULL));
}

static void hear(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)world;
    (void)entity;
    (void)value;
    (void)user;
    s.heard++;
}

static bool step_observe(void* user)
{
    (void)user;
    sett_observer* observer = sett_observer_create(
        s.world, &(sett_observer_desc){.component = s.blow, .on_add = hear, .on_remove = hear});
    return observer != NULL;
}

static void run_nothing(sett_context* context)
{
    (void)context;
}

static bool step_system(void* user)
{
    (void)user;
    sett_system* system = sett_system_create(
        s.world,
        &(sett_system_desc){.name = "idle", .terms = {{.component = s.item}}, .run = run_nothing});
    return system != NULL && sett_progress(s.world, 0.1f) == SETT_OK;
}

static bool step_schedule(void* user)
{
    (void)user;
    return sett_schedule_configure(s.world, &(sett_schedule_desc){.job_limit = 40}) == SETT_OK;
}

static bool step_layout(void* user)
{
    (void)user;
    return sett_layout_auto(s.world, 1000) == SETT_OK;
}

static bool step_snapshot(void* user)
{
    sett_snapshot snapshot;
    (void)user;
    return sett_snapshot_take(s.world, &snapshot) == SETT_OK;
}

static bool step_commands(void* user)
{
    (void)user;
    sett_commands* commands = sett_commands_create(s.world);
    bool done = commands != NULL;
    for (uint32_t k = 0; done && k < 20; k++) {
        Item item = {.key = k};
        done = !sett_is_null(sett_cmd_create(commands)) &&
               sett_cmd_set(commands, s.e[k], s.item, &item) == SETT_OK &&
               sett_cmd_relate(commands, s.e[k], s.one, s.e[k + 1], NULL) == SETT_OK;
    }
    if (!done) {
        if (commands != NULL) {
            sett_commands_clear(commands);
        }
        sett_commands_destroy(commands);
        return false;
    }
    sett_commands_clear(commands);
    sett_commands_destroy(commands);
    return true;
}

typedef struct call {
    const char* name;
    void (*begin)(void);
    bool (*step)(void* user);
    void (*end)(void);
    enum {
        WHOLE,   /* a failure changes nothing */
        HANDLES, /* but that handles are used up */
        PARTLY,  /* it may have done a part, as documented */
    } fails;
} call;

static const call calls[] = {
    {"autosave", begin_autosave, step_autosave, end_autosave, WHOLE},
    {"save", begin_saved, step_save, nothing, WHOLE},
    {"merge", begin_saved, step_merge, nothing, WHOLE},
    {"journal", nothing, step_journal, end_journal, WHOLE},
    {"encode", nothing, step_encode, nothing, WHOLE},
    {"append", begin_append, step_append, end_journal, WHOLE},
    {"format", begin_text, step_format, nothing, WHOLE},
    {"read", begin_text, step_read, nothing, HANDLES},
    {"set value", nothing, step_set_value, nothing, PARTLY},
    {"search", nothing, step_search, nothing, WHOLE},
    {"order", nothing, step_order, nothing, WHOLE},
    {"order update", begin_order, step_order_update, nothing, WHOLE},
    {"look-up", nothing, step_lookup, nothing, WHOLE},
    {"register", nothing, step_register_needing, nothing, WHOLE},
    {"add many", nothing, step_add_many, nothing, PARTLY},
    {"names", nothing, step_names, nothing, PARTLY},
    {"singleton", nothing, step_singleton, nothing, WHOLE},
    {"duplicate", nothing, step_duplicate, nothing, WHOLE},
    {"observer", nothing, step_observe, nothing, WHOLE},
    {"system", nothing, step_system, nothing, PARTLY},
    {"schedule", nothing, step_schedule, nothing, WHOLE},
    {"layout", nothing, step_layout, nothing, WHOLE},
    {"snapshot", nothing, step_snapshot, nothing, WHOLE},
    {"commands", nothing, step_commands, nothing, WHOLE},
};

/* Tries with so many bytes in the pool, and so many blocks behind them. */
static bool try(const call* of, size_t left, uint32_t blocks)
{
    scarce_squeeze(&s.world->pool, &s.memory, left);
    s.memory.strict = true;
    s.memory.allowed = blocks;
    bool done = of->step(NULL);
    sett_status status = sett_world_error(s.world);
    s.memory.allowed = 0;
    scarce_give_back(&s.world->pool, &s.memory);
    CHECK_VALID(s.world);
    if (!done) {
        CHECK_MSG(status == SETT_STATUS_OUT_OF_MEMORY, "%s: %s", of->name,
                  sett_world_message(s.world));
        s.memory.failures++;
        if (of->fails == WHOLE) {
            unchanged();
        } else if (of->fails == HANDLES) {
            CHECK_EQ(sett_entity_count(s.world), s.count);
            CHECK_EQ(count_values(), s.values);
        }
    }
    return done;
}

static void try_all(const call* of)
{
    for (size_t left = 0; left < 6000; left += left < 2000 ? 64 : 256) {
        if (try(of, left, 0)) {
            return;
        }
    }
    for (uint32_t blocks = 0; blocks < 400; blocks++) {
        for (size_t left = 0; left < 40000; left += 13000) {
            if (try(of, left, blocks)) {
                return;
            }
        }
    }
    CHECK_MSG(false, "%s: 400 blocks are not enough", of->name);
}

static void run(const call* of)
{
    memset(&s, 0, sizeof(s));
    s.world = scarce_world(&s.memory);
    register_types(s.world);
    fill(s.world);
    of->begin();
    s.hash = sett_world_hash(s.world);
    s.count = sett_entity_count(s.world);
    s.values = count_values();
    try_all(of);
    CHECK_MSG(s.memory.failures != 0, "%s needs no memory", of->name);
    of->end();
    scarce_end(&s.memory, s.world);
    (void)remove(FILE_PATH);
    (void)remove(FILE_PATH ".previous");
}

static void calls_fail_whole_or_not_at_all(void)
{
    for (size_t k = 0; k < sizeof(calls) / sizeof(calls[0]); k++) {
        printf("  %s\n", calls[k].name);
        fflush(stdout);
        run(&calls[k]);
    }
}

TEST_MAIN(TEST(calls_fail_whole_or_not_at_all))

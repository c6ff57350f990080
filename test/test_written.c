/* test_written.c: values of types whose hooks write and read them, on all roads of a value.
 *
 * SPDX-License-Identifier: MIT
 */
#include "saved.h"

#include "chance.h"
#include "sett/sett.h"
#include "state/delta.h"

/* A text in memory of its own, as std::string has it: short ones in the value itself, so that its
 * bytes differ wherever it lies. */
typedef struct Label {
    char* text;
    char own[8];
    uint32_t size;
    uint32_t unused; /* what is never written is not part of the value */
} Label;

/* A number that lives elsewhere, and is written by its name. */
typedef struct Asset {
    uint32_t number;
} Asset;

static int64_t labels_alive;
static bool read_denied;

static void label_init(void* values, uint32_t count, void* user)
{
    Label* label = values;
    (void)user;
    for (uint32_t k = 0; k < count; k++) {
        label[k] = (Label){.text = label[k].own, .unused = (uint32_t)(uintptr_t)&label[k]};
        labels_alive++;
    }
}

static void label_clear(Label* label)
{
    if (label->text != label->own) {
        free(label->text);
    }
    label->text = label->own;
    label->size = 0;
}

static void label_deinit(void* values, uint32_t count, void* user)
{
    Label* label = values;
    (void)user;
    for (uint32_t k = 0; k < count; k++) {
        label_clear(&label[k]);
        memset(&label[k], 0xDD, sizeof(label[k]));
        labels_alive--;
    }
}

static void label_set(Label* label, const void* text, size_t size)
{
    label_clear(label);
    if (size > sizeof(label->own)) {
        label->text = malloc(size);
        CHECK(label->text != NULL);
    }
    if (size != 0) {
        memcpy(label->text, text, size);
    }
    label->size = (uint32_t)size;
}

static void label_copy(void* to, const void* from, uint32_t count, void* user)
{
    (void)user;
    for (uint32_t k = 0; k < count; k++) {
        const Label* of = (const Label*)from + k;
        label_set((Label*)to + k, of->text, of->size);
    }
}

static void label_move(void* to, void* from, uint32_t count, void* user)
{
    Label* into = to;
    Label* of = from;
    (void)user;
    for (uint32_t k = 0; k < count; k++) {
        into[k] = of[k];
        into[k].text = of[k].text == of[k].own ? into[k].own : of[k].text;
        memset(&of[k], 0xDD, sizeof(of[k]));
    }
}

/* In two pieces; the user's pointer is the type's own. */
static void label_write(const void* value, sett_sink* to, void* user)
{
    const Label* label = value;
    CHECK(user == &labels_alive);
    to->write(to, label->text, label->size / 2);
    to->write(to, label->text + label->size / 2, label->size - label->size / 2);
}

/* A text with a '!' in it is no label; what was read up to it stays. */
static sett_status label_read(void* value, const void* bytes, size_t size, void* user)
{
    const char* bad = size != 0 ? memchr(bytes, '!', size) : NULL;
    CHECK(user == &labels_alive);
    if (read_denied) {
        return SETT_STATUS_OUT_OF_MEMORY;
    }
    label_set(value, bytes, bad != NULL ? (size_t)(bad - (const char*)bytes) : size);
    return bad != NULL ? SETT_STATUS_REJECTED : SETT_OK;
}

static const char* const asset_names[] = {"", "stone", "wood", "glass"};

static void asset_write(const void* value, sett_sink* to, void* user)
{
    const char* name = asset_names[((const Asset*)value)->number];
    (void)user;
    to->write(to, name, strlen(name));
}

static sett_status asset_read(void* value, const void* bytes, size_t size, void* user)
{
    (void)user;
    for (uint32_t k = 0; k < 4; k++) {
        if (size == strlen(asset_names[k]) && memcmp(bytes, asset_names[k], size) == 0) {
            ((Asset*)value)->number = k;
            return SETT_OK;
        }
    }
    return SETT_STATUS_INVALID;
}

#define LABEL_HOOKS                                                                                \
    .init = label_init, .deinit = label_deinit, .copy = label_copy, .move = label_move,            \
    .write = label_write, .read = label_read, .user = &labels_alive

#define TYPES(COMPONENT, TAG)                                                                      \
    COMPONENT(Label, LABEL_HOOKS)                                                                  \
    COMPONENT(Asset, .write = asset_write, .read = asset_read)                                     \
    TAG(Seen)
SETT_COMPONENTS(TYPES)

static const sett_component_desc rare_label = {.name = "RareLabel",
                                               .size = sizeof(Label),
                                               .align = SETT_ALIGNOF(Label),
                                               .id = 20,
                                               .storage = SETT_STORAGE_SPARSE_SET,
                                               LABEL_HOOKS};
#define RARE_LABEL 20

static scarce_memory memory; /* of all worlds of a test */

static sett_world* label_world(void)
{
    sett_world* world = scarce_world(&memory);
    CHECK_MSG(SETT_REGISTER_ALL(world, TYPES) == SETT_OK, "%s", sett_world_message(world));
    CHECK_EQ(sett_component_register(world, &rare_label), RARE_LABEL);
    return world;
}

static void all_is_given_back(void)
{
    CHECK_EQ(memory.held, 0);
    CHECK_EQ(labels_alive, 0);
}

/* ----------------------------------------------------------------------------------- the model */

#define ENTITIES 40u
#define LONGEST 2600u /* more than is compared at a time */

typedef struct model_entity {
    bool there[3];
    uint32_t size[2]; /* of label, rare label */
    uint32_t seed[2];
    uint32_t asset;
} model_entity;

typedef struct model {
    model_entity of[ENTITIES];
} model;

static void text_of(uint32_t seed, uint32_t size, char* out)
{
    for (uint32_t k = 0; k < size; k++) {
        out[k] = (char)(seed % 5 == 0 ? (seed + k) | 0x80 : 'a' + (seed + k) % 26);
    }
    if (size != 0 && seed % 3 == 0) {
        out[size - 1] = '\n'; /* differs at the end only */
    }
}

static void model_check(const sett_world* world, const model* of)
{
    static const sett_component ids[] = {Label_id, RARE_LABEL};
    char text[LONGEST];
    for (uint32_t k = 0; k < ENTITIES; k++) {
        sett_entity e = sett_entity_at(world, k);
        for (uint32_t t = 0; t < 2; t++) {
            const Label* label = sett_find(world, e, ids[t]);
            CHECK_EQ(label != NULL, of->of[k].there[t]);
            if (label != NULL) {
                CHECK_EQ(label->size, of->of[k].size[t]);
                text_of(of->of[k].seed[t], label->size, text);
                CHECK(memcmp(label->text, text, label->size) == 0);
            }
        }
        const Asset* asset = sett_find(world, e, Asset_id);
        CHECK_EQ(asset != NULL, of->of[k].there[2]);
        CHECK(asset == NULL || asset->number == of->of[k].asset);
    }
}

static void model_step(sett_world* world, uint64_t* chance, model* of)
{
    static const sett_component ids[] = {Label_id, RARE_LABEL, Asset_id};
    uint32_t k = chance_below(chance, ENTITIES);
    uint32_t t = chance_below(chance, 3);
    sett_entity e = sett_entity_at(world, k);
    model_entity* is = &of->of[k];
    if (chance_below(chance, 5) == 0) {
        CHECK_EQ(sett_remove(world, e, ids[t]) == SETT_OK, is->there[t]);
        is->there[t] = false;
        return;
    }
    void* value = sett_ensure(world, e, ids[t]);
    is->there[t] = true;
    if (t == 2) {
        is->asset = ((Asset*)value)->number = chance_below(chance, 4);
        return;
    }
    bool long_one = chance_below(chance, 12) == 0;
    is->size[t] = chance_below(chance, long_one ? LONGEST : 14);
    is->seed[t] = chance_below(chance, 30);
    char text[LONGEST];
    text_of(is->seed[t], is->size[t], text);
    label_set(value, text, is->size[t]);
}

static sett_world* model_world(model* of)
{
    sett_world* world = label_world();
    memset(of, 0, sizeof(*of));
    for (uint32_t k = 0; k < ENTITIES; k++) {
        CHECK_EQ(sett_entity_create(world).index, k);
    }
    return world;
}

/* What a peer gets in each way has to be what is here. */
static void every_road(sett_world* world, const model* live, uint32_t road)
{
    static char text[1 << 19];
    sett_world* peer = label_world();
    size_t size = 0;
    if (road == 0) {
        disk* to = disk_create();
        saves(world, to, 1);
        CHECK_MSG(loads(peer, to, NULL) == SETT_OK, "%s", sett_world_message(peer));
        disk_destroy(to);
    } else if (road == 1) {
        size = sett_json_format(world, NULL, text, sizeof(text));
        CHECK(size != 0 && size < sizeof(text));
        sett_json_read_desc kept = {.keep_handles = true};
        CHECK_MSG(sett_json_read(peer, text, size, &kept, NULL) == SETT_OK, "%s",
                  sett_world_message(peer));
        uint64_t sum[2];
        CHECK_EQ(sett_selection_hash(world, &(sett_selection){0}, false, &sum[0]), SETT_OK);
        CHECK_EQ(sett_selection_hash(peer, &(sett_selection){0}, false, &sum[1]), SETT_OK);
        CHECK_EQ(sum[0], sum[1]);
        model_check(peer, live);
        CHECK_END(peer);
        return;
    } else if (road == 2) {
        CHECK_EQ(sett_selection_encode(world, &(sett_selection){0}, (sett_snapshot){0}, text,
                                       sizeof(text), &size),
                 SETT_OK);
        CHECK_MSG(sett_selection_apply(peer, text, size, NULL) == SETT_OK, "%s",
                  sett_world_message(peer));
    } else if (road == 3) {
        CHECK_EQ(sett_selection_copy(world, &(sett_selection){0}, 0, peer), SETT_OK);
    } else {
        CHECK_EQ(sett_world_clone(world, peer), SETT_OK);
    }
    model_check(peer, live);
    CHECK_SAME(world, peer);
    CHECK_END(peer);
}

static void values_are_equal_on_all_roads(void)
{
    uint64_t chance = check_setting("SETT_SEED", 1);
    uint32_t steps = (uint32_t)check_setting("SETT_OPERATIONS", 6000);
    model live;
    model saved[5];
    sett_snapshot snapshot[5] = {{0, 0}};
    uint64_t hash[5];
    sett_world* world = model_world(&live);
    sett_world* replica = label_world();
    CHECK_EQ(sett_world_clone(world, replica), SETT_OK);
    sett_snapshot confirmed = take(world);
    for (uint32_t step = 0; step < steps; step++) {
        uint32_t s = chance_below(&chance, 5);
        uint32_t what = chance_below(&chance, 80);
        if (what < 70) {
            model_step(world, &chance, &live);
        } else if (what < 74) {
            (void)sett_snapshot_drop(world, snapshot[s]);
            snapshot[s] = take(world);
            saved[s] = live;
            hash[s] = sett_world_hash(world);
        } else if (what < 77 && sett_snapshot_status(world, snapshot[s]) == SETT_OK) {
            uint64_t of;
            CHECK_EQ(sett_snapshot_hash(world, snapshot[s], &of), SETT_OK);
            CHECK_EQ(of, hash[s]);
            CHECK_EQ(sett_snapshot_restore(world, snapshot[s]), SETT_OK);
            live = saved[s];
            model_check(world, &live);
            CHECK_EQ(sett_world_hash(world), hash[s]);
        } else if (what == 78) {
            unsigned char* bytes;
            sett_snapshot now = take(world);
            size_t size = encode(world, confirmed, now, &bytes);
            CHECK_APPLY(replica, bytes, size);
            CHECK_SAME(world, replica);
            model_check(replica, &live);
            free(bytes);
            CHECK_EQ(sett_snapshot_drop(world, confirmed), SETT_OK);
            confirmed = now;
        } else if (what == 79) {
            every_road(world, &live, chance_below(&chance, 5));
        }
        if (step % 64 == 0) {
            CHECK_VALID(world);
            model_check(world, &live);
        }
    }
    CHECK(sett_world_hash_portable(world, NULL));
    CHECK_END(world);
    CHECK_END(replica);
    all_is_given_back();
}

/* ---------------------------------------------------------------------------------- one by one */

/* Entity 0 with a label of this text, and nothing else. */
static sett_world* labelled(const char* text)
{
    sett_world* world = label_world();
    sett_entity e = sett_entity_create(world);
    label_set(sett_add(world, e, Label_id), text, strlen(text));
    return world;
}

static void differences_and_texts_show_it(void)
{
    sett_world* a = labelled("one");
    sett_world* b = labelled("two");
    sett_entity e = sett_entity_at(a, 0);
    char text[256];
    CHECK(sett_world_hash(a) != sett_world_hash(b));
    CHECK(sett_world_difference(a, b, text, sizeof(text)) != 0);
    CHECK_MSG(strstr(text, "\"one\" in the first world, \"two\" in the second") != NULL, "%s",
              text);
    (void)sett_value_describe(a, e, Label_id, text, sizeof(text));
    CHECK_STR_EQ(text, "\"one\"");
    (void)sett_json_format_value(a, e, Label_id, text, sizeof(text));
    CHECK_STR_EQ(text, "\"one\"");
    label_set(sett_get_mut(a, e, Label_id), "\xff", 1);
    (void)sett_json_format_value(a, e, Label_id, text, sizeof(text));
    CHECK_STR_EQ(text, "{\"base64\": \"/w==\"}");
    CHECK_EQ(sett_json_set(a, e, Label_id, "\"two\"", 5), SETT_OK);
    CHECK_SAME(a, b);
    CHECK_EQ(sett_json_set(a, e, Label_id, "\"two!\"", 6), SETT_STATUS_INVALID);
    CHECK_MSG(strstr(sett_world_message(a), "`read` hook rejects the value") != NULL, "%s",
              sett_world_message(a));
    CHECK_EQ(sett_json_set(a, e, Label_id, "[1]", 3), SETT_STATUS_INVALID);
    CHECK_SAME(a, b);
    char longer[1500];
    memset(longer, 'x', sizeof(longer));
    label_set(sett_get_mut(a, e, Label_id), longer, sizeof(longer));
    longer[1400] = 'y';
    label_set(sett_get_mut(b, e, Label_id), longer, sizeof(longer));
    CHECK(sett_world_difference(a, b, NULL, 0) != 0);
    CHECK_END(a);
    CHECK_END(b);
    all_is_given_back();
}

static void misuse(sett_world* world, sett_component_desc desc, const char* why)
{
    desc.name = "Wrong";
    desc.size = sizeof(Label);
    desc.align = SETT_ALIGNOF(Label);
    CHECK_EQ(sett_component_register(world, &desc), 0);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_ARGUMENT);
    CHECK_MSG(strstr(sett_world_message(world), why) != NULL, "%s", sett_world_message(world));
}

static void what_does_not_fit_together_is_rejected(void)
{
    static const sett_byte_range range[] = {{0, 8}};
    sett_world* world = label_world();
    misuse(world, (sett_component_desc){.write = label_write},
           "only one of `write` and `read` is set");
    misuse(world, (sett_component_desc){.read = label_read},
           "only one of `write` and `read` is set");
    misuse(world,
           (sett_component_desc){
               .write = label_write, .read = label_read, .bytes = range, .byte_count = 1},
           "`bytes` is set beside `write` and `read` - leave out `bytes`");
    misuse(world,
           (sett_component_desc){
               .write = label_write, .read = label_read, .members = SETT_STRUCT(Asset, number)},
           "`members` has no strings or lists");
    misuse(world,
           (sett_component_desc){.write = label_write, .read = label_read, .deinit = label_deinit},
           "`deinit` or `move` is set beside `write`, but not `copy` - set `copy`");
    misuse(world,
           (sett_component_desc){.write = label_write,
                                 .read = label_read,
                                 .relationship = SETT_RELATIONSHIP(.many = true)},
           "a relationship has no hooks");
    CHECK_EQ(sett_members_set(world, Asset_id, SETT_STRUCT(Asset, number)), SETT_STATUS_ARGUMENT);
    sett_component_desc bare = rare_label;
    bare.write = NULL;
    bare.read = NULL;
    bare.save = SETT_SAVE_CLONE;
    CHECK_EQ(sett_component_register(world, &bare), 0);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_CONFLICT);
    CHECK_END(world);
    all_is_given_back();
}

/* A file of a program that has the type, read by one that does not, and back. */
static void files_keep_values_of_unknown_types(void)
{
    disk* to = disk_create();
    sett_world* world = labelled("a long label that is kept");
    sett_world* stranger = scarce_world(&memory);
    sett_world* back = label_world();
    sett_world* other = scarce_world(&memory);
    CHECK_EQ(sett_component_register(other, &(sett_component_desc){.name = "Label",
                                                                   .size = sizeof(Label),
                                                                   .align = _Alignof(Label)}),
             1);
    saves(world, to, 1);
    CHECK_MSG(loads(stranger, to, NULL) == SETT_OK, "%s", sett_world_message(stranger));
    const sett_list* list =
        sett_find(stranger, sett_entity_at(stranger, 0), sett_component_find(stranger, "Label"));
    CHECK(list != NULL && list->count == 25 && memcmp(list->items, "a long", 6) == 0);
    CHECK_EQ(loads(other, to, NULL), SETT_STATUS_CONFLICT);
    sett_component_desc named = rare_label;
    named.name = "Title";
    named.old_names = (const char* const[]){"Label"};
    named.old_name_count = 1;
    sett_world* later = scarce_world(&memory);
    CHECK_EQ(sett_component_register(later, &named), RARE_LABEL);
    CHECK_MSG(loads(later, to, NULL) == SETT_OK, "%s", sett_world_message(later));
    const Label* title = sett_get(later, sett_entity_at(later, 0), RARE_LABEL);
    CHECK(title->size == 25 && memcmp(title->text, "a long", 6) == 0);
    CHECK_END(later);
    disk_destroy(to);
    to = disk_create();
    saves(stranger, to, 2);
    CHECK_MSG(loads(back, to, NULL) == SETT_OK, "%s", sett_world_message(back));
    CHECK_SAME(world, back);
    disk_destroy(to);
    to = disk_create();
    saves(other, to, 3); /* plain bytes are no value of the hooks */
    CHECK_EQ(loads(back, to, NULL), SETT_STATUS_CONFLICT);
    disk_destroy(to);
    CHECK_END(world);
    CHECK_END(stranger);
    CHECK_END(other);
    CHECK_END(back);
    all_is_given_back();
}

/* ------------------------------------------------------------ hooks that write a struct of text */

/* What the hooks of a titled label write: its text behind a length, and its size. */
typedef struct Titled {
    sett_string text;
    uint32_t size;
} Titled;
/* An earlier layout of it. */
typedef struct Short {
    sett_string text;
} Short;
/* A later layout of it. */
typedef struct Retitled {
    uint64_t size;
    sett_string text;
    sett_string note;
} Retitled;

static bool titled_is_wrong; /* titled_write leaves out the length of the text */

static void titled_write(const void* value, sett_sink* to, void* user)
{
    const Label* label = value;
    (void)user;
    if (titled_is_wrong) {
        to->write(to, "x", 1);
        return;
    }
    to->write(to, &label->size, 4);
    to->write(to, label->text, label->size);
    to->write(to, &label->size, 4);
}

static sett_status titled_read(void* value, const void* bytes, size_t size, void* user)
{
    uint32_t length[2] = {0, 0};
    (void)user;
    if (size >= 8) {
        memcpy(&length[0], bytes, 4);
        memcpy(&length[1], (const char*)bytes + size - 4, 4);
    }
    if (size < 8 || length[0] != size - 8 || length[1] != size - 8) {
        return SETT_STATUS_INVALID;
    }
    label_set(value, (const char*)bytes + 4, size - 8);
    return SETT_OK;
}

static sett_world* titled_world(void)
{
    sett_world* world = scarce_world(&memory);
    sett_component_desc desc = rare_label;
    desc.name = "Titled";
    desc.id = 0;
    desc.write = titled_write;
    desc.read = titled_read;
    desc.members = SETT_STRUCT(Titled, text, size);
    CHECK_MSG(sett_component_register(world, &desc) == 1, "%s", sett_world_message(world));
    return world;
}

static bool titled_is(sett_world* world, const char* text)
{
    const Label* label = sett_get(world, sett_entity_at(world, 0), 1);
    return label->size == strlen(text) && memcmp(label->text, text, label->size) == 0;
}

static void hooks_that_write_a_struct_have_its_members(void)
{
    sett_world* world = titled_world();
    sett_world* back = titled_world();
    sett_world* plain = scarce_world(&memory);
    sett_component_desc desc = {SETT_TYPE(Retitled),
                                .members = SETT_STRUCT(Retitled, size, text, note)};
    desc.name = "Titled";
    CHECK_EQ(sett_component_register(plain, &desc), 1);
    CHECK_EQ(sett_members_set(world, 1, SETT_STRUCT(Titled, text, size)), SETT_OK);
    CHECK_EQ(sett_members_set(world, 1, desc.members), SETT_STATUS_CONFLICT);
    CHECK(strstr(sett_world_message(world), "hooks, so its members are fixed at the first") !=
          NULL);
    sett_entity e = sett_entity_create(world);
    label_set(sett_add(world, e, 1), "a label of some length", 22);
    char text[128];
    CHECK(sett_json_format_value(world, e, 1, text, sizeof(text)) < sizeof(text));
    CHECK_MSG(strcmp(text, "{\"text\": \"a label of some length\", \"size\": 22}") == 0, "%s",
              text);

    disk* to = disk_create();
    saves(world, to, 1);
    CHECK_MSG(loads(plain, to, NULL) == SETT_OK, "%s", sett_world_message(plain));
    const Retitled* now = sett_get(plain, sett_entity_at(plain, 0), 1);
    CHECK(now->size == 22 && strcmp(now->text.text, "a label of some length") == 0);
    disk_destroy(to);
    to = disk_create();
    saves(plain, to, 2); /* a number that would become narrower is not converted */
    CHECK_EQ(loads(back, to, NULL), SETT_STATUS_CONFLICT);
    CHECK(strstr(sett_world_message(back), "\"Titled\"") != NULL);
    disk_destroy(to);

    sett_world* older = scarce_world(&memory); /* without the number, which then stays 0 */
    desc = (sett_component_desc){SETT_TYPE(Titled), .members = SETT_STRUCT(Titled, text, size)};
    CHECK_EQ(sett_component_register(older, &desc), 1);
    Titled* titled = sett_add(older, sett_entity_create(older), 1);
    CHECK_EQ(sett_string_set(older, &titled->text, "told"), SETT_OK);
    titled->size = 4;
    to = disk_create();
    saves(older, to, 3);
    CHECK_MSG(loads(back, to, NULL) == SETT_OK, "%s", sett_world_message(back));
    CHECK(titled_is(back, "told"));
    CHECK_EQ(sett_world_hash(back), sett_world_hash(older));
    titled = sett_get_mut(older, sett_entity_at(older, 0), 1);
    titled->size = 5; /* no value of the hooks */
    disk_destroy(to);
    to = disk_create();
    saves(older, to, 4);
    CHECK(loads(back, to, NULL) != SETT_OK);
    CHECK_MSG(strstr(sett_world_message(back), "hook of \"Titled\"") != NULL, "%s",
              sett_world_message(back));
    disk_destroy(to);

    uint32_t failures = 0;
    static const char other[] = "{\"text\": \"other\", \"size\": 5}";
    for (bool done = false; !done; failures += !done) {
        scarce_squeeze(&world->pool, &memory, 0);
        memory.strict = true;
        memory.allowed = failures;
        done = sett_json_format_value(world, e, 1, text, sizeof(text)) != 0 &&
               sett_json_set(world, e, 1, other, sizeof(other) - 1) == SETT_OK;
        memory.allowed = 0;
        scarce_give_back(&world->pool, &memory);
        CHECK_VALID(world);
        CHECK(titled_is(world, done ? "other" : "a label of some length"));
    }
    CHECK(failures != 0);
    CHECK_EQ(sett_json_set(world, e, 1, "{\"text\": \"long\"}", 16), SETT_STATUS_INVALID);
    CHECK_END(world);
    CHECK_END(back);
    CHECK_END(plain);
    CHECK_END(older);
    all_is_given_back();
}

/* Values with other members go through both hooks; the message names the one that fails. */
static void the_hook_that_fails_is_named(void)
{
    sett_world* back = titled_world();
    sett_world* older = scarce_world(&memory);
    disk* to = disk_create();
    CHECK_EQ(
        sett_component_register(older, &(sett_component_desc){.name = "Titled",
                                                              .size = sizeof(sett_string),
                                                              .align = SETT_ALIGNOF(sett_string),
                                                              .members = SETT_STRUCT(Short, text)}),
        1);
    sett_string* text = sett_add(older, sett_entity_create(older), 1);
    CHECK_EQ(sett_string_set(older, text, "told"), SETT_OK);
    saves(older, to, 1);
    CHECK_EQ(loads(back, to, NULL), SETT_STATUS_CONFLICT); /* the size is 0 */
    CHECK_MSG(strstr(sett_world_message(back), "\"Titled\": the `read` hook rejects") != NULL, "%s",
              sett_world_message(back));
    titled_is_wrong = true;
    CHECK_EQ(loads(back, to, NULL), SETT_STATUS_CONFLICT);
    titled_is_wrong = false;
    CHECK_MSG(strstr(sett_world_message(back), "\"Titled\": the `write` hook does not") != NULL,
              "%s", sett_world_message(back));
    disk_destroy(to);
    CHECK_END(back);
    CHECK_END(older);
    all_is_given_back();
}

/* The bytes that the hook of an older program wrote. */
static bool label_convert(const sett_struct* members, const void* from, void* to, void* user)
{
    const sett_list* bytes = from;
    (void)members;
    (void)user;
    char text[64] = "old: ";
    CHECK(bytes->count < sizeof(text) - 5);
    memcpy(text + 5, bytes->items, bytes->count);
    label_clear(to);
    label_set(to, text, bytes->count + 5);
    return true;
}

static void files_of_another_layout_are_converted_or_rejected(void)
{
    disk* to = disk_create();
    sett_world* world = labelled("a label");
    saves(world, to, 1);
    sett_component_desc newer = rare_label;
    newer.name = "Label";
    newer.layout_version = 2;
    sett_world* back = scarce_world(&memory);
    CHECK_EQ(sett_component_register(back, &newer), RARE_LABEL);
    CHECK_EQ(loads(back, to, NULL), SETT_STATUS_CONFLICT);
    CHECK(strstr(sett_world_message(back), "type \"Label\" has another layout in this world") !=
          NULL);
    CHECK_EQ(sett_file_migrate(back, RARE_LABEL, 0, label_convert, NULL), SETT_OK);
    CHECK_MSG(loads(back, to, NULL) == SETT_OK, "%s", sett_world_message(back));
    const Label* label = sett_get(back, sett_entity_at(back, 0), RARE_LABEL);
    CHECK(label->size == 12 && memcmp(label->text, "old: a label", 12) == 0);
    disk_destroy(to);
    CHECK_END(world);
    CHECK_END(back);
    all_is_given_back();
}

/* ------------------------------------------------------------------------------------- hostile */

typedef struct packet {
    sett_world* into;
    unsigned char* bytes;
    size_t size;
    uint64_t hash;
    bool part;
    uint32_t tries;
} packet;

static packet packet_of(const char* text, bool part)
{
    packet p = {.part = part};
    sett_world* world = label_world();
    p.into = label_world();
    sett_snapshot before = take(world);
    sett_entity e = sett_entity_create(world);
    label_set(sett_add(world, e, Label_id), text, strlen(text));
    ((Asset*)sett_add(world, e, Asset_id))->number = 2;
    if (part) {
        (void)sett_selection_encode(world, &(sett_selection){0}, (sett_snapshot){0}, NULL, 0,
                                    &p.size);
        p.bytes = malloc(p.size);
        CHECK(p.bytes != NULL);
        CHECK_EQ(sett_selection_encode(world, &(sett_selection){0}, (sett_snapshot){0}, p.bytes,
                                       p.size, &p.size),
                 SETT_OK);
    } else {
        p.size = encode(world, before, take(world), &p.bytes);
    }
    CHECK_END(world);
    e = sett_entity_create(p.into); /* not what the delta begins with, but for a part */
    CHECK_EQ(part ? SETT_OK : sett_entity_destroy(p.into, e), SETT_OK);
    if (part) {
        label_set(sett_add(p.into, e, Label_id), "before", 6);
    } else {
        CHECK_END(p.into);
        p.into = label_world();
    }
    p.hash = sett_world_hash(p.into);
    return p;
}

static bool packet_apply(void* user)
{
    packet* p = user;
    p->tries++;
    return (p->part ? sett_selection_apply(p->into, p->bytes, p->size, NULL)
                    : sett_delta_apply(p->into, p->bytes, p->size)) == SETT_OK;
}

static void packet_unchanged(void* user)
{
    packet* p = user;
    CHECK_EQ(sett_world_hash(p->into), p->hash);
}

static void packet_end(packet* p)
{
    free(p->bytes);
    CHECK_END(p->into);
    all_is_given_back();
}

static void a_rejected_value_changes_nothing(void)
{
    for (uint32_t part = 0; part < 2; part++) {
        packet p = packet_of("a label that is rejected!", part != 0);
        CHECK(!packet_apply(&p));
        CHECK_EQ(sett_world_error(p.into), SETT_STATUS_INVALID);
        CHECK_MSG(strstr(sett_world_message(p.into), "`read` hook of \"Label\"") != NULL, "%s",
                  sett_world_message(p.into));
        packet_unchanged(&p);
        packet_end(&p);
        p = packet_of("a label", part != 0);
        read_denied = true;
        CHECK(!packet_apply(&p));
        CHECK_EQ(sett_world_error(p.into), SETT_STATUS_OUT_OF_MEMORY);
        packet_unchanged(&p);
        read_denied = false;
        CHECK_MSG(packet_apply(&p), "%s", sett_world_message(p.into));
        packet_end(&p);
    }
}

/* Any byte another one, and any end missing, with no seal to say so. */
static void hostile_bytes_do_no_harm(void)
{
    packet p = packet_of("some label", false);
    for (size_t at = 0; at < p.size; at++) {
        for (uint32_t bit = 0; bit < 8; bit++) {
            p.bytes[at] ^= (unsigned char)(1u << bit);
            if (setti_delta_apply(p.into, p.bytes, p.size, SETTI_TRUST) == SETT_OK) {
                CHECK_VALID(p.into);
                (void)sett_world_hash(p.into);
                CHECK_END(p.into);
                p.into = label_world();
                CHECK_EQ(sett_world_hash(p.into), p.hash);
            } else {
                packet_unchanged(&p);
            }
            p.bytes[at] ^= (unsigned char)(1u << bit);
        }
        CHECK(setti_delta_apply(p.into, p.bytes, at, SETTI_TRUST) != SETT_OK);
    }
    CHECK(packet_apply(&p));
    packet_end(&p);
}

static bool step_json(void* user)
{
    packet* p = user;
    char text[64];
    return sett_json_format_value(p->into, sett_entity_at(p->into, 0), Label_id, text,
                                  sizeof(text)) != 0 &&
           sett_json_set(p->into, sett_entity_at(p->into, 0), Label_id, "\"other\"", 7) == SETT_OK;
}

static void every_allocation_fails_once(void)
{
    static bool (*const steps[])(void*) = {packet_apply, packet_apply, step_json};
    for (uint32_t k = 0; k < 3; k++) {
        packet p = packet_of("a label of some length", k != 0);
        uint32_t failures = 0;
        for (bool done = false; !done; failures += !done) {
            scarce_squeeze(&p.into->pool, &memory, 0);
            memory.strict = true;
            memory.allowed = failures;
            done = steps[k](&p);
            memory.allowed = 0;
            scarce_give_back(&p.into->pool, &memory);
            CHECK_VALID(p.into);
            if (!done) {
                CHECK_EQ(sett_world_error(p.into), SETT_STATUS_OUT_OF_MEMORY);
                packet_unchanged(&p);
            }
        }
        CHECK_MSG(failures != 0, "step %u never failed", (unsigned)k);
        CHECK(sett_world_hash(p.into) != p.hash);
        packet_end(&p);
    }
}

TEST_MAIN(TEST(values_are_equal_on_all_roads), TEST(differences_and_texts_show_it),
          TEST(what_does_not_fit_together_is_rejected),
          TEST(files_of_another_layout_are_converted_or_rejected),
          TEST(files_keep_values_of_unknown_types),
          TEST(hooks_that_write_a_struct_have_its_members), TEST(the_hook_that_fails_is_named),
          TEST(a_rejected_value_changes_nothing), TEST(hostile_bytes_do_no_harm),
          TEST(every_allocation_fails_once))

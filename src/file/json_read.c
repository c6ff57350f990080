/* json_read.c: entities from a JSON text.
 *
 * The workload: texts of some MB, from people and programs, right or wrong. The text is read in
 * three passes. JSON_COLLECT checks the grammar and collects the references of entities. JSON_CHECK
 * checks all values. JSON_APPLY changes the world, in three walks (json_load_apply). Between
 * the passes only the table of entities is stored. JSON_COLLECT also registers library types.
 *
 *     entries       | offset of the reference, handle in the text, handle in the world | ...
 *     by_reference  hash of a reference -> entry; on a collision the next free key
 *
 * A world has at most one entity of singletons. If the world has one, the text's entity of
 * singletons is merged: references lead to the world's entity, and the values of the text are held
 * until all other entities are complete:
 *
 *     held      type, value | ...      after the types that the type requires
 *
 * The world can reject the text during JSON_APPLY. Then the entities of the text are destroyed.
 * Entities outside of the text lose the types that the text gave them as parents or targets:
 *
 *     ends      entity, type ("Hierarchy", or the sources of a relationship) | ...
 *
 * Invariant:  no entity of the world changes before two passes have found no error;
 *             each reference leads to one entry at most
 */
#include "file/json_value.h"
#include "relation/hierarchy.h"
#include "relation/name.h"
#include "relation/relationship.h"
#include "relation/singleton.h"
#include "sett/hierarchy.h"
#include "sett/name.h"
#include "sett/relationship.h"
#include "world/change.h"
#include "world/codec.h"

#include <stdio.h>

static const char json_read_call[] = "sett_json_read";

typedef enum json_read_pass {
    JSON_COLLECT,
    JSON_CHECK,
    JSON_APPLY
} json_read_pass;

/* The place of an entity in the hierarchy. */
typedef struct json_read_place {
    sett_entity parent; /* null: a root */
    char* name;         /* NULL: no name */
    bool node;          /* the entity has the component "Hierarchy" even without a parent */
    sett_children_policy policy;
} json_read_place;

#define JSON_NO_REFERENCE SIZE_MAX

/* An entity of the text. */
typedef struct json_read_entry {
    size_t offset;           /* where the text has the reference, or JSON_NO_REFERENCE */
    sett_entity text_handle; /* null: the text gives no handle */
    sett_entity entity;      /* the entity of the world; null: not created yet */
} json_read_entry;

/* A component of the text for the world's singletons. */
typedef struct json_read_held {
    setti_type* type;
    void* value; /* NULL: no value */
    bool added;  /* the world's singletons lacked the type */
} json_read_held;

/* An entity, and the type that the text gives the entity as a parent or target. */
typedef struct json_read_end {
    sett_entity entity;
    setti_type* type;
} json_read_end;

typedef struct json_load {
    setti_json_reader reader; /* first member: json_load_find casts to json_load */
    sett_world* world;
    const sett_json_read_desc* desc;
    const char* call;
    json_read_pass pass;
    json_read_entry* entries;
    uint32_t entry_count;
    uint32_t entry_capacity;
    uint32_t current;             /* number of the entry being read */
    size_t handle_offset;         /* offset of the current entry's handle */
    uint32_t singletons;          /* number of the entry with the singleton tag, or SETTI_NONE */
    sett_entity world_singletons; /* the entity that takes in the entry `singletons`, or null */
    json_read_held* held;
    uint32_t held_count;
    uint32_t held_capacity;
    json_read_end* ends;
    uint32_t end_count;
    uint32_t end_capacity;
    setti_hash_map by_reference;
    setti_scratch value;
    uint64_t* seen; /* a bit for each component id: the current entity has the component */
    size_t seen_size;
    uint32_t lost;                  /* number of references that became null */
    bool outer_quiet;               /* sett_world.quiet before the text is read */
    uint32_t outer_quiet_locks;     /* sett_world.quiet_locks before the text is read */
    sett_status status;             /* INVALID, or the error of a call of the world */
    char wrong[SETTI_MESSAGE_SIZE]; /* storage for an error message that contains a name */
} json_load;

/* Stores a formatted error of the text. Does nothing if there is an error already. Returns
 * false. */
static bool json_load_fail(json_load* load, size_t offset, const char* format, ...)
    SETTI_PRINTF(3, 4);

static bool json_load_fail(json_load* load, size_t offset, const char* format, ...)
{
    va_list arguments;
    if (load->reader.json.wrong == NULL) {
        va_start(arguments, format);
        setti_message_format(load->wrong, sizeof(load->wrong), format, arguments);
        va_end(arguments);
    }
    return setti_json_fail(&load->reader.json, offset, load->wrong);
}

/* ----------------------------------------------------------------------------------- references */

/* Copies the reference of an entry to `text`, without JSON's escapes. */
static void json_load_reference(const json_load* load, const json_read_entry* entry,
                                char text[SETTI_JSON_REFERENCE])
{
    SETTI_ASSERT(entry->offset < load->reader.json.size);
    setti_json json = load->reader.json; /* a copy, so that the reader does not move */
    size_t length;
    json.offset = entry->offset;
    json.wrong = NULL;
    if (!setti_json_string(&json, text, SETTI_JSON_REFERENCE, &length)) {
        text[0] = '\0';
    }
}

/* Returns true if `text` is the handle or the path of the entry. */
static bool json_load_is_entry(const json_load* load, const json_read_entry* entry,
                               const char* text)
{
    char path[SETTI_JSON_REFERENCE];
    sett_entity handle = sett_null();
    if (setti_json_parse_handle(text, &handle)) {
        return sett_equals(entry->text_handle, handle);
    }
    json_load_reference(load, entry, path);
    return strcmp(path, text) == 0;
}

/* Returns the key of the reference `text` in `by_reference`. If no entry has the reference, returns
 * a free key, or 0 if no key is free. *number becomes the number of the entry with the reference,
 * or SETTI_NONE if there is none. */
static uint64_t json_load_key(const json_load* load, const char* text, uint32_t* number)
{
    uint64_t key = setti_hash_bytes(text, strlen(text));
    for (uint32_t step = 0; step < SETTI_HASH_STEPS; step++, key = setti_hash_next(key)) {
        *number = setti_hash_map_find(&load->by_reference, key);
        if (*number == SETTI_NONE || json_load_is_entry(load, &load->entries[*number], text)) {
            return key;
        }
    }
    *number = SETTI_NONE;
    return 0; /* other references have taken all keys */
}

/* Removes the escapes of a path in place. Returns false after an unknown escape. */
static bool json_load_unescape(char* path)
{
    char* end = path; /* the end of the text without escapes */
    for (const char* next = path; *next != '\0'; next++) {
        if (*next == '\\') {
            next++;
            if (*next != '\\') {
                return false; /* only a backslash has an escape */
            }
        }
        *end++ = *next;
    }
    *end = '\0';
    return true;
}

/* Counts a lost reference. JSON_APPLY finds the same references, so only JSON_CHECK counts them. */
static void json_load_lose(json_load* load)
{
    if (load->pass == JSON_CHECK) {
        load->lost++;
    }
}

/* Finds an entity outside of the text. *out becomes null if the reference is lost. Returns false
 * after an error. Removes the escapes of a path in `text`. */
static bool json_load_find_outside(json_load* load, char* text, size_t offset, sett_entity* out)
{
    bool is_handle = setti_json_parse_handle(text, out);
    if (!is_handle && text[0] != '/') {
        return setti_json_fail(&load->reader.json, offset,
                               "\"/path\" or \"#index:generation\" is expected");
    }
    if (is_handle) {
        if (load->desc->keep_handles || sett_is_null(*out)) {
            return true;
        }
    }
    *out = sett_null(); /* without `keep_handles`, handles lead to entities of the text only */
    if (!is_handle && json_load_unescape(text)) {
        *out = setti_name_lookup(load->world, sett_null(), text);
    }
    if (!sett_is_null(*out)) {
        return true;
    }
    if (load->entry_count == 0) { /* in sett_json_set, which rejects unknown paths */
        return json_load_fail(load, offset, "no entity has the path \"%.200s\" - correct the path",
                              text);
    }
    json_load_lose(load);
    return true;
}

/* Finds the entity of a reference (setti_json_reader.find). Searches the text first, then the
 * world. */
static bool json_load_find(setti_json_reader* reader, const char* text, size_t offset,
                           sett_entity* out)
{
    json_load* load = (json_load*)(void*)reader;
    char copy[SETTI_JSON_REFERENCE];
    uint32_t number;
    (void)json_load_key(load, text, &number);
    if (number != SETTI_NONE) {
        *out = load->entries[number].entity;
        return true;
    }
    snprintf(copy, sizeof(copy), "%s", text);
    return json_load_find_outside(load, copy, offset, out);
}

/* ----------------------------------------------------------------------------------- collecting */

/* Adds a reference of the current entry to `by_reference`. Fails if a different entry has the
 * reference. */
static bool json_load_add_key(json_load* load, const char* text, size_t offset)
{
    uint32_t owner;
    uint64_t key = json_load_key(load, text, &owner);
    if (owner != SETTI_NONE && owner != load->current) {
        const char* what = text[0] == '#' ? "handle" : "path";
        return json_load_fail(load, offset,
                              "two entities of the text have the %s \"%.200s\" - change the %s of "
                              "one of them",
                              what, text, what);
    }
    if (key == 0) {
        return json_load_fail(load, offset,
                              "64 other paths of the text have the hash of \"%.200s\" - change "
                              "this path",
                              text);
    }
    return setti_hash_map_set(&load->world->pool, &load->by_reference, key, load->current);
}

/* Reads a reference, and collects it for the current entity. The reference is the value of the key
 * "handle" if `handle_key` is true, otherwise of the key "entity". */
static bool json_load_collect_reference(json_load* load, bool handle_key)
{
    setti_json* json = &load->reader.json;
    char text[SETTI_JSON_REFERENCE];
    size_t length;
    size_t offset = setti_json_skip_space(json);
    json_read_entry* entry = &load->entries[load->current];
    if (!setti_json_string(json, text, sizeof(text), &length)) {
        return false;
    }
    sett_entity handle = sett_null();
    /* the lengths differ if the text contains a zero byte */
    bool parsed = strlen(text) == length && setti_json_parse_handle(text, &handle);
    bool is_handle = parsed && !sett_is_null(handle);
    bool is_path = !handle_key && text[0] == '/';
    if (!is_handle && !is_path) {
        if (handle_key) {
            return setti_json_fail(json, offset, "\"#index:generation\" is expected");
        }
        return setti_json_fail(json, offset, "\"/path\" or \"#index:generation\" is expected");
    }
    bool has_handle = !sett_is_null(entry->text_handle);
    if (is_handle && has_handle && !sett_equals(entry->text_handle, handle)) {
        return json_load_fail(load, offset,
                              "the entity has the handles #%u:%u and #%u:%u in the text - leave "
                              "out one of them",
                              SETTI_HANDLE(entry->text_handle), SETTI_HANDLE(handle));
    }
    if (is_handle) {
        load->handle_offset = offset;
        entry->text_handle = handle;
    }
    if (!handle_key) {
        entry->offset = offset;
    }
    return json_load_add_key(load, text, offset);
}

/* Returns true if the current entity is merged into the world's singletons. */
static bool json_load_is_merged(const json_load* load)
{
    return load->current == load->singletons && !sett_is_null(load->world_singletons);
}

/* Makes the current entity the text's entity of singletons. */
static bool json_load_collect_singletons(json_load* load)
{
    if (load->singletons != SETTI_NONE && load->singletons != load->current) {
        return setti_json_fail(
            &load->reader.json, load->reader.json.offset,
            "two entities of the text have the tag \"Singletons\" - move all singletons to one of "
            "them");
    }
    load->singletons = load->current;
    load->world_singletons = setti_singleton_find(load->world);
    load->entries[load->current].entity = load->world_singletons;
    return true;
}

/* If a call of the world has failed, stores the world's error as an error of the text. Returns
 * `succeeded`. */
static bool json_load_check_call(json_load* load, bool succeeded)
{
    sett_world* world = load->world;
    if (succeeded || world->error == SETT_STATUS_OUT_OF_MEMORY) {
        return succeeded; /* json_load_result reports that memory ran out */
    }
    SETTI_ASSERT(load->reader.json.wrong == NULL && world->error != SETT_OK);
    load->status = world->error;
    return json_load_fail(load, load->reader.json.offset, "%s",
                          setti_message_why(sett_world_message(world)));
}

/* Registers the library's type called `name`, if there is one. If the current entity has the
 * singleton tag, makes it the text's entity of singletons.
 *   component  true for a key of "components", false for a key of "links" */
static bool json_load_collect_type(json_load* load, const char* name, bool component)
{
    sett_world* world = load->world;
    if (setti_type_find(world, name) == NULL) {
        sett_status status = setti_codec_register_library(world, name);
        if (!json_load_check_call(load, status == SETT_OK)) {
            return false;
        }
    }
    const setti_type* type = setti_type_find(world, name);
    if (component && type != NULL && type == setti_singleton_tag(world)) {
        return json_load_collect_singletons(load);
    }
    return true;
}

/* Registers the library's types among the keys of an object.
 *   components  true for the object "components", false for "links" */
static bool json_load_collect_types(json_load* load, bool components)
{
    setti_json* json = &load->reader.json;
    char key[SETTI_JSON_KEY];
    if (setti_json_peek(json) != '{') {
        return setti_json_skip(json); /* JSON_CHECK rejects the value */
    }
    if (!setti_json_begin(json, '{')) { /* nested too deep */
        return false;
    }
    while (setti_json_key(json, key)) {
        if (!json_load_collect_type(load, key, components) || !setti_json_skip(json)) {
            return false;
        }
    }
    return json->wrong == NULL;
}

/* The keys of an entity. Bit k stands for json_keys[k]. */
enum {
    JSON_NO_KEYS = 0,
    JSON_NAME = 1,
    JSON_PARENT = 2,
    JSON_COMPONENTS = 4,
    JSON_LINKS = 8,
    JSON_ENTITY = 16,
    JSON_HANDLE = 32,
    JSON_POLICY = 64
};

static const char* const json_keys[] = {"name",   "parent", "components", "links",
                                        "entity", "handle", "policy"};
#define JSON_KEYS (sizeof(json_keys) / sizeof(json_keys[0]))

/* Returns the bit of a key, or JSON_NO_KEYS for an unknown key. */
static uint32_t json_load_key_bit(const char* key)
{
    for (uint32_t k = 0; k < JSON_KEYS; k++) {
        if (strcmp(json_keys[k], key) == 0) {
            return (uint32_t)1 << k;
        }
    }
    return JSON_NO_KEYS;
}

/* Skips the value of an unknown key if the caller allows unknown keys. Otherwise fails. `keys` are
 * the known keys. Messages call the object `what`. */
static bool json_load_skip_key(json_load* load, const char* key, const char* const* keys,
                               uint32_t count, const char* what)
{
    setti_guess guess = setti_guess_begin(key, strlen(key));
    for (uint32_t k = 0; k < count; k++) {
        setti_guess_try(&guess, keys[k]);
    }
    snprintf(load->wrong, sizeof(load->wrong), "\"%.100s\" is not a key of %s", key, what);
    return setti_json_unknown(&load->reader, load->reader.json.offset, load->wrong,
                              " - leave it out", &guess);
}

/* Appends an entry to `entries`. Returns NULL if memory runs out. */
static json_read_entry* json_load_add_entry(json_load* load)
{
    json_read_entry* entries = setti_pool_grow(&load->world->pool, load->entries, sizeof(*entries),
                                               load->entry_count, 1, &load->entry_capacity);
    if (entries == NULL) {
        return NULL;
    }
    load->entries = entries;
    load->current = load->entry_count++;
    entries[load->current] = (json_read_entry){.offset = JSON_NO_REFERENCE};
    return &entries[load->current];
}

static bool json_load_collect_key(json_load* load, const char* key)
{
    setti_json* json = &load->reader.json;
    const json_read_entry* entry = &load->entries[load->current];
    const bool handle_key = true;
    const bool components = true;
    switch (json_load_key_bit(key)) {
    case JSON_ENTITY:
        if (entry->offset != JSON_NO_REFERENCE) {
            return setti_json_fail(json, json->offset,
                                   "\"entity\" occurs twice - leave out one of them");
        }
        return json_load_collect_reference(load, !handle_key);
    case JSON_HANDLE:
        return json_load_collect_reference(load, handle_key);
    case JSON_COMPONENTS:
        return json_load_collect_types(load, components);
    case JSON_LINKS:
        return json_load_collect_types(load, !components);
    default:
        return setti_json_skip(json);
    }
}

/* Appends an entry for the next entity of the text, and collects the entity's references. */
static bool json_load_collect_entity(json_load* load)
{
    setti_json* json = &load->reader.json;
    char key[SETTI_JSON_KEY];
    const json_read_entry* entry = json_load_add_entry(load);
    if (entry == NULL || !setti_json_begin(json, '{')) {
        return false;
    }
    while (setti_json_key(json, key)) {
        if (!json_load_collect_key(load, key)) {
            return false;
        }
    }
    if (json->wrong != NULL) {
        return false;
    }
    bool creates_handle = load->desc->keep_handles && !json_load_is_merged(load);
    if (creates_handle && sett_entity_valid(load->world, entry->text_handle)) {
        return json_load_fail(load, load->handle_offset,
                              "the world has entity %u:%u already - destroy it first, or "
                              "leave out `keep_handles`",
                              SETTI_HANDLE(entry->text_handle));
    }
    return true;
}

/* ------------------------------------------------------------------------------------- entities */

/* Returns the entity of the current entry. */
static sett_entity json_load_self(const json_load* load)
{
    return load->entries[load->current].entity;
}

/* Notes the type that an entity will get as a parent or target. Does nothing if the entity has the
 * type already. Returns false if memory runs out. */
static bool json_load_add_end(json_load* load, sett_entity entity, setti_type* type)
{
    if (setti_storage_has(&type->storage, entity.index)) {
        return true;
    }
    json_read_end* grown = setti_pool_grow(&load->world->pool, load->ends, sizeof(*grown),
                                           load->end_count, 1, &load->end_capacity);
    if (grown == NULL) {
        return false;
    }
    load->ends = grown;
    load->ends[load->end_count].entity = entity;
    load->ends[load->end_count++].type = type;
    return true;
}

/* Returns true if an entity is still a parent, child or target. */
static bool json_load_is_end(const sett_world* world, const json_read_end* end)
{
    const setti_relation* relation = setti_relation_of_ends(end->type);
    if (relation != NULL) {
        return sett_source_count(world, relation->links->id, end->entity) != 0;
    }
    /* the type is "Hierarchy" */
    return sett_hierarchy_child_count(world, end->entity) != 0 ||
           !sett_is_null(sett_hierarchy_parent(world, end->entity));
}

/* Removes the types that the text gave to parents and targets. A type that an entity still needs
 * is not removed. */
static void json_load_remove_ends(json_load* load)
{
    sett_world* world = load->world;
    setti_edit_settle(world);
    for (uint32_t k = load->end_count; k-- > 0;) {
        const json_read_end* end = &load->ends[k];
        bool has_type = sett_entity_valid(world, end->entity) &&
                        setti_storage_has(&end->type->storage, end->entity.index);
        if (!has_type || json_load_is_end(world, end)) {
            continue;
        }
        if (setti_change_reserve_remove(world, end->type, end->entity.index)) {
            setti_change_remove_reserved(world, end->type, end->entity.index);
        }
    }
}

/* Fills a buffer with the value that the current entity has. If the entity has no value, fills the
 * buffer with the initial value.
 *   owns  true if a value in the buffer can own memory, so that hooks must copy it */
static void json_load_begin_value(const json_load* load, const setti_type* type, void* value,
                                  bool owns)
{
    const sett_component_desc* desc = &type->desc;
    bool applies = load->pass == JSON_APPLY;
    /* if `applies` is false, the value is discarded: zeroes are enough, except for a `write`
     * hook */
    bool wants_init = applies || desc->write != NULL;
    const void* present = NULL;
    if (applies) {
        present = setti_storage_find(&type->storage, json_load_self(load).index);
    }
    if (present != NULL && owns) {
        setti_type_init_values(type, value, 1);
        setti_type_copy_values(type, value, present, 1);
    } else if (present != NULL) {
        memcpy(value, present, desc->size);
    } else if (wants_init && desc->init != NULL) {
        setti_type_call_init(type, value, 1);
    } else {
        memset(value, 0, desc->size);
    }
}

/* Reads a value into a buffer. In JSON_APPLY, sets the component to the value.
 *   owns  true if a value in the buffer can own memory */
static bool json_load_buffered(json_load* load, setti_type* type, bool owns)
{
    sett_world* world = load->world;
    unsigned char* value =
        setti_scratch_get(&world->pool, &load->value, type->desc.size, type->desc.align);
    if (value == NULL) {
        return false;
    }
    json_load_begin_value(load, type, value, owns);
    bool valid = setti_json_read_value(&load->reader, type, value);
    if (valid && load->pass == JSON_APPLY) {
        const void* set = sett_set(world, json_load_self(load), type->id, value);
        valid = json_load_check_call(load, set != NULL);
    }
    if (owns) {
        setti_type_deinit_values(type, value, 1);
    }
    return valid;
}

/* Reads a component of the current entity. In JSON_APPLY, sets the component. */
static bool json_load_value(json_load* load, setti_type* type)
{
    const sett_component_desc* desc = &type->desc;
    bool has_owned = type->members != NULL && type->members->owned_count != 0;
    bool buffer_owns = desc->write != NULL || has_owned;
    bool has_hooks = desc->copy != NULL || desc->deinit != NULL || desc->move != NULL;
    bool in_place = has_hooks && !buffer_owns; /* a copy of the bytes would share owned memory */
    /* a tag, or null in the text */
    bool no_value = desc->size == 0 || setti_json_peek(&load->reader.json) == 'n';
    bool needs_no_buffer = no_value || in_place;
    if (load->pass == JSON_APPLY && needs_no_buffer) {
        void* value = sett_ensure(load->world, json_load_self(load), type->id);
        if (!json_load_check_call(load, value != NULL)) {
            return false;
        }
        return setti_json_read_value(&load->reader, type, value);
    }
    if (no_value) {
        return setti_json_read_value(&load->reader, type, NULL);
    }
    return json_load_buffered(load, type, buffer_owns);
}

/* ---------------------------------------------------------------------------- merged singletons */

/* Appends a type to `held`. Returns NULL if memory runs out. */
static json_read_held* json_load_hold(json_load* load, setti_type* type)
{
    json_read_held* grown = setti_pool_grow(&load->world->pool, load->held, sizeof(*grown),
                                            load->held_count, 1, &load->held_capacity);
    if (grown == NULL) {
        return NULL;
    }
    load->held = grown;
    load->held[load->held_count] = (json_read_held){.type = type};
    return &load->held[load->held_count++];
}

/* Reads a component of the singletons into `held`. First appends the types that the component
 * requires. */
static bool json_load_hold_component(json_load* load, setti_type* type)
{
    /* false for a tag, and for null in the text */
    bool has_value = type->desc.size != 0 && setti_json_peek(&load->reader.json) != 'n';
    for (uint32_t k = 0; k < type->required.count; k++) {
        if (json_load_hold(load, type->required.item[k]) == NULL) {
            return false;
        }
    }
    json_read_held* held = json_load_hold(load, type);
    if (held == NULL) {
        return false;
    }
    if (has_value) {
        const sett_component_desc* desc = &type->desc;
        held->value = setti_pool_alloc(&load->world->pool, desc->size, SETTI_MAX(desc->align, 1));
        if (held->value == NULL) {
            return false;
        }
        setti_type_init_values(type, held->value, 1);
    }
    return setti_json_read_value(&load->reader, type, held->value);
}

static void json_load_move(const setti_type* type, void* destination, void* original)
{
    if (type->desc.move != NULL) {
        setti_type_call_move(type, destination, original, 1);
    } else {
        memcpy(destination, original, type->desc.size);
    }
}

/* Adds the reference or number of an entry to the path in messages. Returns the former length of
 * the path, for setti_json_leave. */
static size_t json_load_enter_entry(json_load* load, uint32_t number)
{
    char text[SETTI_JSON_REFERENCE];
    const json_read_entry* entry = &load->entries[number];
    if (entry->offset != JSON_NO_REFERENCE) {
        json_load_reference(load, entry, text);
    } else {
        snprintf(text, sizeof(text), "entities[%u]", (unsigned)number);
    }
    text[SETTI_JSON_PATH / 2] = '\0'; /* leaves room for types and members */
    return setti_json_enter(&load->reader, "", text);
}

/* Fails because a call of the world has failed. The message names the entry. */
static bool json_load_fail_entry(json_load* load, uint32_t number)
{
    size_t offset = load->entries[number].offset;
    (void)json_load_enter_entry(load, number);
    load->reader.json.offset = offset != JSON_NO_REFERENCE ? offset : 0;
    return json_load_check_call(load, false);
}

/* Adds the held types that the world's singletons lack. Makes the buffer of json_load_swap large
 * enough for each value. */
static bool json_load_add_held(json_load* load)
{
    for (uint32_t k = 0; k < load->held_count; k++) {
        json_read_held* held = &load->held[k];
        const sett_component_desc* desc = &held->type->desc;
        if (!sett_has(load->world, load->world_singletons, held->type->id)) {
            if (sett_ensure(load->world, load->world_singletons, held->type->id) == NULL) {
                return json_load_fail_entry(load, load->singletons);
            }
            held->added = true;
        }
        if (held->value != NULL &&
            setti_scratch_get(&load->world->pool, &load->value, desc->size, desc->align) == NULL) {
            return false;
        }
    }
    return true;
}

/* Exchanges the held value with the value of the world's singletons. */
static void json_load_swap(json_load* load, const json_read_held* held)
{
    const setti_type* type = held->type;
    setti_pool* pool = &load->world->pool;
    void* present = sett_find_mut(load->world, load->world_singletons, type->id);
    void* buffer = setti_scratch_get(pool, &load->value, type->desc.size, type->desc.align);
    if (present == NULL) {
        return; /* a callback removed the component */
    }
    SETTI_ASSERT(buffer != NULL);
    json_load_move(type, buffer, present);
    json_load_move(type, present, held->value);
    json_load_move(type, held->value, buffer);
}

/* Runs on_set and on_replace for a held value. */
static void json_load_notify(json_load* load, const json_read_held* held)
{
    sett_world* world = load->world;
    const void* present = sett_find(world, load->world_singletons, held->type->id);
    if (present != NULL && (held->type->flags & SETTI_TYPE_ON_SET) != 0) {
        bool replaces = setti_change_keeps_link(held->type) && !held->added;
        world->replaced_link = replaces ? held->value : NULL; /* the old value, after the swap */
        /* sets the value to itself, to run the callbacks */
        (void)sett_set(world, load->world_singletons, held->type->id, present);
        world->replaced_link = NULL;
    }
}

/* Writes all held values to the world's singletons, then runs callbacks. */
static bool json_load_merge_singletons(json_load* load)
{
    if (!json_load_add_held(load)) {
        /* removes the types that were added before the error */
        for (uint32_t k = load->held_count; k-- > 0;) {
            if (load->held[k].added) {
                (void)sett_remove(load->world, load->world_singletons, load->held[k].type->id);
            }
        }
        return false;
    }
    for (uint32_t k = 0; k < load->held_count; k++) {
        if (load->held[k].value != NULL) {
            json_load_swap(load, &load->held[k]);
        }
    }
    for (uint32_t k = 0; k < load->held_count; k++) {
        if (load->held[k].value != NULL) {
            json_load_notify(load, &load->held[k]);
        }
    }
    return true;
}

/* ------------------------------------------------------------------------- components and links */

/* Skips or rejects the name of an unknown type. */
static bool json_load_unknown_type(json_load* load, const char* name, const char* wrong)
{
    setti_guess guess = setti_guess_begin(name, strlen(name));
    setti_component_guess(load->world, &guess);
    return setti_json_unknown(&load->reader, load->reader.json.offset, wrong,
                              " - register the type, or leave it out", &guess);
}

static bool json_load_components(json_load* load)
{
    setti_json* json = &load->reader.json;
    char key[SETTI_JSON_KEY];
    bool valid = setti_json_begin(json, '{');
    while (valid && setti_json_key(json, key)) {
        setti_type* type = setti_type_find(load->world, key);
        size_t before = setti_json_enter(&load->reader, " ", key);
        if (type == NULL) {
            valid = json_load_unknown_type(load, key, "no component has this name");
        } else if (type->module != NULL) {
            valid =
                setti_json_fail(json, json->offset,
                                "the library writes this component - use \"name\", \"parent\" or "
                                "\"links\" instead");
        } else if (setti_bits_test_and_set(load->seen, type->id)) {
            valid = setti_json_fail(json, json->offset,
                                    "the component occurs twice - leave out one of them");
        } else if (!json_load_is_merged(load) || load->pass != JSON_APPLY) {
            valid = json_load_value(load, type);
        } else if (type == setti_singleton_tag(load->world)) {
            valid = setti_json_read_value(&load->reader, type, NULL); /* the world has the tag */
        } else {
            valid = json_load_hold_component(load, type);
        }
        setti_json_leave(&load->reader, before);
    }
    return valid && json->wrong == NULL;
}

/* Finds a target or parent. *out becomes null if the reference is lost. */
static bool json_load_find_linked(json_load* load, const char* text, size_t offset,
                                  sett_entity* out)
{
    if (!json_load_find(&load->reader, text, offset, out)) {
        return false;
    }
    if (!sett_is_null(*out) && !sett_entity_valid(load->world, *out)) { /* a stale handle */
        json_load_lose(load);
        *out = sett_null();
    }
    return true;
}

/* Finds a parent. If desc->parent is not null, it replaces a parent outside of the text. */
static bool json_load_find_parent(json_load* load, const char* text, size_t offset,
                                  sett_entity* out)
{
    uint32_t number = SETTI_NONE; /* the parent's entry */
    uint32_t lost_before = load->lost;
    (void)json_load_key(load, text, &number);
    bool valid = json_load_find_linked(load, text, offset, out);
    if (valid && number == SETTI_NONE && !sett_is_null(load->desc->parent)) {
        *out = load->desc->parent;
        load->lost = lost_before; /* a replaced parent does not count as lost */
    }
    return valid;
}

/* Finds the entity of the reference `text`, at an offset of the whole text. Returns false after an
 * error. */
typedef bool (*json_load_follow)(json_load* load, const char* text, size_t offset,
                                 sett_entity* out);

/* Reads a reference, and finds the entity with the function `follow`. */
static bool json_load_target(json_load* load, json_load_follow follow, sett_entity* out)
{
    setti_json* json = &load->reader.json;
    char text[SETTI_JSON_REFERENCE];
    size_t length;
    size_t offset = setti_json_skip_space(json);
    if (!setti_json_string(json, text, sizeof(text), &length)) {
        return false;
    }
    return follow(load, text, offset, out);
}

/* Reads the data of a link into load->value. */
static bool json_load_link_data(json_load* load, const setti_type* type)
{
    size_t size = type->desc.size;
    if (size == 0 && setti_json_peek(&load->reader.json) != 'n') { /* null is allowed */
        return setti_json_unknown(&load->reader, load->reader.json.offset,
                                  "the relationship has no data", " - leave out \"data\"", NULL);
    }
    void* value =
        setti_scratch_get(&load->world->pool, &load->value, SETTI_MAX(size, 1), type->desc.align);
    if (value == NULL) {
        return false;
    }
    memset(value, 0, size);
    return setti_json_read_value(&load->reader, type, value);
}

typedef struct json_read_link {
    sett_entity target; /* null: the reference is lost */
    bool has_data;      /* the data is in load->value */
} json_read_link;

/* Reads a link of the form {"to": ..., "data": ...}. */
static bool json_load_link_keys(json_load* load, const setti_relation* relation,
                                json_read_link* link)
{
    setti_json* json = &load->reader.json;
    char key[SETTI_JSON_KEY];
    size_t offset = json->offset;
    bool has_target = false;
    bool valid = setti_json_begin(json, '{');
    while (valid && setti_json_key(json, key)) {
        bool is_target = strcmp(key, "to") == 0;
        bool is_data = !is_target && strcmp(key, "data") == 0;
        bool second_target = is_target && has_target;
        bool second_data = is_data && link->has_data;
        if (second_target || second_data) {
            valid = json_load_fail(load, json->offset,
                                   "\"%s\" occurs twice - leave out one of them", key);
        } else if (is_target) {
            has_target = true;
            valid = json_load_target(load, json_load_find_linked, &link->target);
        } else if (is_data) {
            link->has_data = true;
            valid = json_load_link_data(load, relation->data_type);
        } else {
            valid = json_load_fail(load, json->offset,
                                   "a link has the keys \"to\" and \"data\" - leave out \"%.100s\"",
                                   key);
        }
    }
    if (!valid || json->wrong != NULL) {
        return false;
    }
    if (!has_target) {
        return setti_json_fail(json, offset, "the link has no \"to\" - add its target");
    }
    return true;
}

static bool json_load_make_link(json_load* load, const setti_type* type, const json_read_link* link)
{
    const setti_relation* relation = setti_relation_of_links(type);
    if (!json_load_add_end(load, link->target, relation->sources)) {
        return false;
    }
    void* data = sett_relate(load->world, json_load_self(load), type->id, link->target);
    if (data == NULL) {
        return json_load_check_call(load, false);
    }
    if (link->has_data && relation->data_size != 0) {
        memcpy(data, load->value.bytes, relation->data_size);
    }
    return true;
}

static bool json_load_link(json_load* load, const setti_type* type)
{
    setti_json* json = &load->reader.json;
    json_read_link link = {.target = sett_null()};
    if (json_load_is_merged(load)) {
        return setti_json_fail(
            json, json->offset,
            "the world has singletons already, and a text cannot add links to them - leave out "
            "\"links\", and call sett_relate");
    }
    bool valid;
    if (setti_json_peek(json) == '{') {
        valid = json_load_link_keys(load, setti_relation_of_links(type), &link);
    } else {
        valid = json_load_target(load, json_load_find_linked, &link.target);
    }
    if (valid && load->pass == JSON_APPLY && !sett_is_null(link.target)) {
        return json_load_make_link(load, type, &link);
    }
    return valid;
}

static bool json_load_targets(json_load* load, const setti_type* type)
{
    setti_json* json = &load->reader.json;
    bool valid = setti_json_begin(json, '[');
    for (uint32_t count = 0; valid && setti_json_item(json); count++) {
        if (count == 0 || setti_relation_of_links(type)->many) {
            valid = json_load_link(load, type);
        } else {
            valid = setti_json_fail(json, json->offset,
                                    "the relationship is exclusive, and the entity has two "
                                    "targets - leave out one of them");
        }
    }
    return valid && json->wrong == NULL;
}

static bool json_load_links(json_load* load)
{
    setti_json* json = &load->reader.json;
    char key[SETTI_JSON_KEY];
    bool valid = setti_json_begin(json, '{');
    while (valid && setti_json_key(json, key)) {
        const setti_type* type = setti_type_find(load->world, key);
        size_t before = setti_json_enter(&load->reader, " ", key);
        if (type != NULL && type->links != NULL) {
            valid = json_load_targets(load, type);
        } else {
            valid = json_load_unknown_type(load, key, "no relationship has this name");
        }
        setti_json_leave(&load->reader, before);
    }
    return valid && json->wrong == NULL;
}

/* Cuts a path at the last slash. Returns the name after the slash. */
static char* json_load_split(char* path)
{
    char* slash = path;
    for (char* next = path; *next != '\0'; next++) {
        if (*next == '/') {
            slash = next;
        } else if (*next == '\\' && next[1] != '\0') {
            next++; /* skips the escaped character */
        }
    }
    *slash = '\0';
    return slash + 1;
}

static bool json_fail_name(json_load* load, size_t offset, const char* wrong)
{
    return json_load_fail(load, offset, "the entity's name %s", wrong);
}

/* Takes the parent and the name from the path of the key "entity", if the key has a path. `text` is
 * the memory for the path, and place->name points into it. */
static bool json_load_place(json_load* load, json_read_place* place,
                            char text[SETTI_JSON_REFERENCE])
{
    const json_read_entry* entry = &load->entries[load->current];
    place->parent = load->desc->parent;
    if (entry->offset == JSON_NO_REFERENCE) {
        return true;
    }
    json_load_reference(load, entry, text);
    if (text[0] != '/') {
        return true;
    }
    place->name = json_load_split(text);
    const char* wrong = "contains a lone backslash - double it, or leave it out";
    if (json_load_unescape(place->name)) {
        wrong = setti_name_check(place->name); /* NULL: the name is valid */
    }
    if (wrong != NULL) {
        return json_fail_name(load, entry->offset, wrong);
    }
    if (text[0] == '\0') { /* the path was "/name" */
        return true;
    }
    return json_load_find_parent(load, text, entry->offset, &place->parent);
}

/* Reads "name" into `text`. */
static bool json_load_name(json_load* load, char text[SETTI_JSON_REFERENCE])
{
    setti_json* json = &load->reader.json;
    size_t offset = setti_json_skip_space(json);
    size_t length = 0;
    if (setti_json_peek(json) == '{') {
        if (!setti_json_read_base64(json, (unsigned char*)text, SETT_NAME_MAX, &length)) {
            return false;
        }
        text[SETTI_MIN(length, (size_t)SETT_NAME_MAX)] = '\0';
    } else if (!setti_json_string(json, text, SETTI_JSON_REFERENCE, &length)) {
        return false;
    }
    if (length > SETT_NAME_MAX) {
        return json_fail_name(load, offset, "has more than 1000 bytes - shorten it");
    }
    if (strlen(text) != length) {
        return json_fail_name(load, offset, "contains a zero byte - remove it");
    }
    const char* wrong = setti_name_check(text);
    if (wrong != NULL) {
        return json_fail_name(load, offset, wrong);
    }
    return true;
}

static bool json_load_attach(json_load* load, sett_entity parent)
{
    sett_world* world = load->world;
    if (!json_load_check_call(load, setti_hierarchy_register(world) != 0)) {
        return false;
    }
    if (!json_load_add_end(load, parent, setti_hierarchy_of(world)->type)) {
        return false;
    }
    sett_status status = sett_hierarchy_attach(world, json_load_self(load), parent);
    return json_load_check_call(load, status == SETT_OK);
}

/* Gives the current entity the parent, the policy and the name. */
static bool json_load_set_place(json_load* load, const json_read_place* place)
{
    sett_world* world = load->world;
    sett_entity self = json_load_self(load);
    sett_status status = SETT_OK;
    if (!sett_is_null(place->parent) && !json_load_attach(load, place->parent)) {
        return false;
    }
    if (place->node) {
        status = sett_hierarchy_set_policy(world, self, place->policy);
    }
    if (status == SETT_OK && place->name != NULL) {
        status = sett_name_set(world, self, place->name);
    }
    return json_load_check_call(load, status == SETT_OK);
}

static bool json_load_policy(json_load* load, json_read_place* place)
{
    setti_json* json = &load->reader.json;
    char text[SETTI_JSON_KEY];
    size_t length;
    size_t offset = setti_json_skip_space(json);
    uint32_t policy = SETT_CHILDREN_DESTROY; /* the first policy that a text can contain */
    if (!setti_json_string(json, text, sizeof(text), &length)) {
        return false;
    }
    while (policy <= SETT_CHILDREN_REJECT && strcmp(setti_json_policies[policy], text) != 0) {
        policy++;
    }
    if (policy > SETT_CHILDREN_REJECT) { /* no policy has this name */
        return setti_json_fail(json, offset, "\"DESTROY\", \"DETACH\" or \"REJECT\" is expected");
    }
    place->node = true;
    place->policy = (sett_children_policy)policy;
    return true;
}

/* Reads "name" into `text`. Fails if the path has given a name already. */
static bool json_load_key_name(json_load* load, json_read_place* place,
                               char text[SETTI_JSON_REFERENCE])
{
    setti_json* json = &load->reader.json;
    if (place->name != NULL) {
        return setti_json_fail(
            json, json->offset,
            "the path of \"entity\" gives the name already - leave out \"name\"");
    }
    place->name = text;
    return json_load_name(load, text);
}

/* Reads "parent". null stands for a node without a parent. */
static bool json_load_key_parent(json_load* load, json_read_place* place)
{
    setti_json* json = &load->reader.json;
    if (setti_json_peek(json) == 'n') { /* null */
        place->node = true;
        return setti_json_skip(json);
    }
    return json_load_target(load, json_load_find_parent, &place->parent);
}

/* Reads those keys of the current entity whose bits are in `wanted`. If the key "name" is read,
 * stores the name in `text`, and place->name becomes `text`. */
static bool json_load_keys(json_load* load, uint32_t wanted, json_read_place* place,
                           char text[SETTI_JSON_REFERENCE])
{
    setti_json* json = &load->reader.json;
    char key[SETTI_JSON_KEY];
    uint32_t seen = 0;
    bool valid = setti_json_begin(json, '{');
    while (valid && setti_json_key(json, key)) {
        uint32_t bit = json_load_key_bit(key);
        if ((seen & bit) != 0) {
            return json_load_fail(load, json->offset, "\"%s\" occurs twice - leave out one of them",
                                  key);
        }
        seen |= bit;
        if (bit == JSON_NO_KEYS && load->pass == JSON_CHECK) {
            valid = json_load_skip_key(load, key, json_keys, JSON_KEYS, "an entity");
        } else if ((bit & wanted) == 0) {
            valid = setti_json_skip(json);
        } else if (bit == JSON_NAME) {
            valid = json_load_key_name(load, place, text);
        } else if (bit == JSON_PARENT) {
            valid = json_load_key_parent(load, place);
        } else if (bit == JSON_POLICY) {
            valid = json_load_policy(load, place);
        } else if (bit == JSON_COMPONENTS) {
            valid = json_load_components(load);
        } else {
            valid = json_load_links(load);
        }
    }
    return valid && json->wrong == NULL;
}

/* Reads the wanted keys of the current entity. In JSON_APPLY, if `wanted` contains JSON_NAME, gives
 * the entity the name and the parent of the text. */
static bool json_load_entity(json_load* load, uint32_t wanted)
{
    char text[SETTI_JSON_REFERENCE];
    json_read_place place = {.policy = SETT_CHILDREN_DEFAULT};
    bool wants_place = (wanted & JSON_NAME) != 0;
    memset(load->seen, 0, load->seen_size);
    if (wants_place && !json_load_place(load, &place, text)) {
        return false;
    }
    if (!json_load_keys(load, wanted, &place, text)) {
        return false;
    }
    /* the world's entity of singletons does not move */
    bool applies = load->pass == JSON_APPLY && !json_load_is_merged(load);
    if (wants_place && applies) {
        return json_load_set_place(load, &place);
    }
    return true;
}

/* --------------------------------------------------------------------------------------- passes */

/* Reads the wanted keys of each entity in the list. In JSON_COLLECT, `wanted` is JSON_NO_KEYS. */
static bool json_load_walk_entities(json_load* load, uint32_t wanted)
{
    setti_json* json = &load->reader.json;
    bool valid = setti_json_begin(json, '[');
    for (uint32_t k = 0; valid && setti_json_item(json); k++) {
        load->current = k;
        if (wanted == JSON_NO_KEYS) {
            valid = json_load_collect_entity(load);
        } else {
            size_t before = json_load_enter_entry(load, k);
            valid = json_load_entity(load, wanted);
            setti_json_leave(&load->reader, before);
        }
    }
    return valid && json->wrong == NULL;
}

static const char* const json_entities = "entities"; /* the only key of the text */

/* Skips the value of an unknown key of the text. Only JSON_COLLECT can reject the key. */
static bool json_load_skip_top(json_load* load, const char* key)
{
    if (load->pass == JSON_COLLECT) {
        return json_load_skip_key(load, key, &json_entities, 1, "the text");
    }
    return setti_json_skip(&load->reader.json);
}

/* Reads the wanted keys of all entities. In JSON_COLLECT, `wanted` is JSON_NO_KEYS. */
static bool json_load_walk(json_load* load, uint32_t wanted)
{
    setti_json* json = &load->reader.json;
    char key[SETTI_JSON_KEY];
    bool found = false;
    json->offset = 0;
    json->depth = 0;
    bool valid = setti_json_begin(json, '{');
    while (valid && setti_json_key(json, key)) {
        if (strcmp(key, json_entities) != 0) {
            valid = json_load_skip_top(load, key);
        } else if (found) {
            valid = setti_json_fail(json, json->offset,
                                    "\"entities\" occurs twice - leave out one of them");
        } else {
            found = true;
            valid = json_load_walk_entities(load, wanted);
        }
    }
    if (!valid || json->wrong != NULL || !setti_json_end(json)) {
        return false;
    }
    if (!found) {
        return setti_json_fail(json, json->offset, "\"entities\" is missing - add it");
    }
    return true;
}

/* Returns true if the new entity of an entry gets the handle that the text gives. */
static bool json_load_preserves_handle(const json_load* load, const json_read_entry* entry)
{
    return load->desc->keep_handles && !sett_is_null(entry->text_handle);
}

/* Creates the entity of an entry. Adds the singleton tag at once, before a callback could create a
 * second entity of singletons. Returns false if a call of the world fails. */
static bool json_load_create_entry(json_load* load, uint32_t number)
{
    json_read_entry* entry = &load->entries[number];
    if (!json_load_preserves_handle(load, entry)) {
        entry->entity = sett_entity_create(load->world);
    } else if (sett_entity_create_handle(load->world, entry->text_handle) == SETT_OK) {
        entry->entity = entry->text_handle;
    }
    if (sett_is_null(entry->entity)) {
        return false;
    }
    if (number != load->singletons) {
        return true;
    }
    const setti_type* tag = setti_singleton_tag(load->world);
    return tag == NULL || sett_ensure(load->world, entry->entity, tag->id) != NULL;
}

/* Creates the entities of the text. If `preserved` is true, creates only those with preserved
 * handles. Otherwise creates only those with new handles. */
static bool json_load_create(json_load* load, bool preserved)
{
    for (uint32_t k = 0; k < load->entry_count; k++) {
        const json_read_entry* entry = &load->entries[k];
        bool exists = !sett_is_null(entry->entity); /* created, or the world's singletons */
        if (exists || json_load_preserves_handle(load, entry) != preserved) {
            continue;
        }
        if (!json_load_create_entry(load, k)) {
            return json_load_fail_entry(load, k);
        }
    }
    return true;
}

/* Changes the world. Creates preserved handles first, because new handles could take their indices.
 * Callbacks can rely on the order of the walks: names and parents, then components, then links. */
static bool json_load_apply(json_load* load)
{
    const bool preserved = true;
    load->pass = JSON_APPLY;
    if (!json_load_create(load, preserved) || !json_load_create(load, !preserved)) {
        return false;
    }
    if (!json_load_walk(load, JSON_NAME | JSON_PARENT | JSON_POLICY)) {
        return false;
    }
    if (!json_load_walk(load, JSON_COMPONENTS) || !json_load_walk(load, JSON_LINKS)) {
        return false;
    }
    return json_load_merge_singletons(load);
}

/* Destroys the entities of the text. */
static void json_load_undo(json_load* load)
{
    SETTI_ASSERT(load->pass == JSON_APPLY);
    /* Round 0 clears all entities, because links and children can prevent destroying an entity. */
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t k = load->entry_count; k-- > 0;) {
            sett_entity entity = load->entries[k].entity;
            if (!sett_entity_valid(load->world, entity) ||
                sett_equals(entity, load->world_singletons)) {
                continue;
            }
            if (round == 0) {
                (void)sett_entity_clear(load->world, entity);
            } else {
                (void)sett_entity_destroy(load->world, entity);
            }
        }
    }
    json_load_remove_ends(load);
}

static void json_load_free(json_load* load)
{
    setti_pool* pool = &load->world->pool;
    setti_pool_free(pool, load->entries, load->entry_capacity * sizeof(*load->entries), 16);
    setti_hash_map_deinit(pool, &load->by_reference);
    for (uint32_t k = 0; k < load->held_count; k++) {
        const setti_type* type = load->held[k].type;
        if (load->held[k].value != NULL) {
            setti_type_deinit_values(type, load->held[k].value, 1);
            setti_pool_free(pool, load->held[k].value, type->desc.size,
                            SETTI_MAX(type->desc.align, 1));
        }
    }
    setti_pool_free(pool, load->held, load->held_capacity * sizeof(*load->held), 16);
    setti_pool_free(pool, load->ends, load->end_capacity * sizeof(*load->ends), 16);
    setti_pool_free(pool, load->value.bytes, load->value.size, load->value.align);
    setti_pool_free(pool, load->seen, load->seen_size, 8);
}

/* Prepares reading a text into `world`. */
static void json_load_init(json_load* load, sett_world* world, const char* call, const char* text,
                           size_t size)
{
    memset(load, 0, sizeof(*load));
    load->world = world;
    load->call = call;
    load->singletons = SETTI_NONE;
    load->status = SETT_STATUS_INVALID;
    setti_json_reader_init(&load->reader, world, text, size);
    load->reader.find = json_load_find;
    load->outer_quiet = world->quiet;
    load->outer_quiet_locks = world->quiet_locks;
    world->quiet_locks = world->locks;
    world->quiet = true; /* json_load_result reports failures */
}

/* Lets the world report failures again. If `valid` is false, reports the error. An error without a
 * message means that memory ran out. */
static sett_status json_load_result(json_load* load, bool valid)
{
    load->world->quiet_locks = load->outer_quiet_locks;
    load->world->quiet = load->outer_quiet;
    if (valid) {
        return SETT_OK;
    }
    return setti_json_report(&load->reader, load->status, load->call);
}

/* Reads the text in all passes. Returns false after an error, with all changes undone. */
static bool json_load_passes(json_load* load)
{
    bool collected = json_load_walk(load, JSON_NO_KEYS);
    /* a bit for each component id, rounded up to words of 64 bits */
    load->seen_size = ((size_t)load->world->type_capacity / 64 + 1) * sizeof(uint64_t);
    load->seen = setti_pool_alloc(&load->world->pool, load->seen_size, 8);
    if (!collected || load->seen == NULL) {
        return false;
    }
    load->reader.skipped = 0; /* unknown keys beside "entities" do not count */
    load->pass = JSON_CHECK;
    if (!json_load_walk(load,
                        JSON_NAME | JSON_PARENT | JSON_POLICY | JSON_COMPONENTS | JSON_LINKS)) {
        return false;
    }
    uint32_t skipped = load->reader.skipped;
    bool applied = json_load_apply(load);
    if (!applied) {
        json_load_undo(load);
    }
    load->reader.skipped = skipped; /* JSON_APPLY has counted the same names again */
    return applied;
}

static void json_load_report(const json_load* load, bool valid, sett_json_result* result)
{
    memset(result, 0, sizeof(*result));
    result->skipped = load->reader.skipped;
    result->lost = load->lost;
    result->first = sett_null();
    if (!valid || load->entry_count == 0) {
        return;
    }
    result->first = load->entries[0].entity;
    result->entities = load->entry_count;
    if (!sett_is_null(load->world_singletons)) {
        result->entities--; /* the entity of singletons was not created */
    }
}

sett_status sett_json_read_sized(sett_world* world, const char* text, size_t size,
                                 const sett_json_read_desc* desc, size_t desc_size,
                                 sett_json_result* result)
{
    static const sett_json_read_desc defaults = {0};
    sett_json_read_desc full;
    if (desc == NULL) {
        desc = &defaults;
        desc_size = sizeof(defaults);
    }
    desc = setti_world_desc(world, desc, desc_size, &full, sizeof(full), json_read_call);
    if (desc == NULL) {
        return setti_world_failure(world);
    }
    setti_world_check_owner(world, json_read_call);
    sett_status status = setti_world_check_unlocked(world, json_read_call);
    if (status != SETT_OK) {
        return status;
    }
    if (setti_world_lacks_list(world, text, size, json_read_call, "text")) {
        return world->error;
    }
    if (!sett_is_null(desc->parent) && !sett_entity_valid(world, desc->parent)) {
        return setti_world_fail(world, SETT_STATUS_STALE, json_read_call, desc->parent, 0);
    }
    json_load load;
    json_load_init(&load, world, json_read_call, text, size);
    load.desc = desc;
    load.reader.allow_unknown = desc->allow_unknown;
    bool valid = json_load_passes(&load);
    status = json_load_result(&load, valid);
    if (result != NULL) {
        json_load_report(&load, valid, result);
    }
    json_load_free(&load);
    return status;
}

sett_status sett_json_set(sett_world* world, sett_entity entity, sett_component component,
                          const char* text, size_t size)
{
    static const sett_json_read_desc preserve_handles = {.keep_handles = true};
    if (SETTI_IS_NULL(world)) {
        return SETT_STATUS_ARGUMENT;
    }
    if (setti_world_check_serial(world, "sett_json_set") != SETT_OK ||
        setti_world_lacks_list(world, text, size, "sett_json_set", "text")) {
        return world->error;
    }
    setti_type* type = setti_world_type(world, component);
    if (type == NULL) {
        return setti_world_fail(world, SETT_STATUS_UNREGISTERED, __func__, entity, component);
    }
    if (!sett_entity_valid(world, entity)) {
        return setti_world_fail(world, SETT_STATUS_STALE, __func__, entity, component);
    }
    if (type->module != NULL) {
        return setti_component_reject_set(world, type, __func__);
    }
    json_read_entry self = {.offset = JSON_NO_REFERENCE, .text_handle = entity, .entity = entity};
    json_load load;
    json_load_init(&load, world, __func__, text, size);
    load.desc = &preserve_handles;
    load.pass = JSON_CHECK;
    load.entries = &self; /* `entry_count` stays 0: no reference leads to `self` */
    (void)setti_json_enter(&load.reader, "", type->desc.name);
    bool valid = json_load_value(&load, type) && setti_json_end(&load.reader.json);
    if (valid) {
        load.pass = JSON_APPLY;
        load.reader.json.offset = 0;
        valid = json_load_value(&load, type);
    }
    setti_pool_free(&world->pool, load.value.bytes, load.value.size, load.value.align);
    return json_load_result(&load, valid);
}

/* delta_read.c: reads the bytes of a delta: the head, types, lists of handles, and entries. It also
 * reports what is wrong, for all files that apply a delta.
 *
 * The workload: bytes from a network, of a peer that may be broken or hostile. A number in them is
 * compared with the bytes that are left, before memory of that size is read or allocated.
 *
 * Invariant:  a reader never passes its end: a read beyond it returns nothing and sets `short_of`
 */
#include "base/bits.h"
#include "base/writer.h"
#include "state/delta_reader.h"

#include <stdarg.h>
#include <stdio.h>

#define READ_TYPE_BYTES 43 /* bytes of a type's record, without the name */

/* -------------------------------------------------------------------------------------- reading */

const unsigned char* setti_delta_read(setti_delta_reader* reader, size_t size)
{
    SETTI_ASSERT(reader->at <= reader->end);
    if ((size_t)(reader->end - reader->at) < size) {
        reader->short_of = true;
        reader->at = reader->end;
        return NULL;
    }
    const unsigned char* bytes = reader->at;
    reader->at += size;
    return bytes;
}

bool setti_delta_skip(setti_delta_reader* reader, uint32_t count, size_t item_size)
{
    size_t size;
    if (!setti_multiply(count, item_size, &size)) {
        size = SIZE_MAX; /* the read will fail */
    }
    return setti_delta_read(reader, size) != NULL;
}

setti_delta_entry setti_delta_next(setti_delta_reader* reader, const setti_delta_type* delta_type)
{
    setti_delta_entry entry = {.kind = (uint32_t)setti_delta_number(reader, 1),
                               .size = delta_type->bytes};
    size_t size = delta_type->bytes;
    entry.index = setti_delta_u32(reader);
    if (delta_type->codec == NULL && (entry.kind & SETTI_DELTA_BLOCK) != 0) {
        entry.kind -= SETTI_DELTA_BLOCK;
        entry.bits = setti_delta_number(reader, 8);
        size *= setti_bits_count(entry.bits); /* up to 64 values of up to 64 MB: below 2^33 */
        if (sizeof(size) == 4 &&
            (uint64_t)delta_type->bytes * setti_bits_count(entry.bits) > UINT32_MAX) {
            size = SIZE_MAX; /* the read will fail */
        }
        /* an invalid block counts as a read beyond the end */
        reader->short_of = reader->short_of || entry.bits == 0 || entry.index % 64 != 0;
    }
    if (entry.kind == SETTI_DELTA_REMOVED) {
        return entry;
    }
    if (delta_type->codec != NULL && delta_type->codec->counted != 0) {
        entry.count = (uint32_t)setti_delta_number(reader, delta_type->codec->counted);
        if (!setti_multiply(entry.count, SETTI_MAX(delta_type->bytes, 1), &size)) {
            size = SIZE_MAX; /* the read will fail */
        }
    }
    entry.bytes = setti_delta_read(reader, size);
    return entry;
}

bool setti_delta_take(setti_delta_entry* block, const setti_delta_type* delta_type,
                      setti_delta_entry* entry)
{
    SETTI_ASSERT(block->bits == 0 || delta_type->codec == NULL);
    *entry = *block;
    if (block->kind == SETTI_NONE) {
        return false; /* all entries are taken */
    }
    if (block->bits == 0) {
        block->kind = SETTI_NONE;
        return true;
    }
    entry->index += setti_bits_lowest(block->bits);
    entry->bits = 0;
    block->bits &= block->bits - 1; /* clears the lowest bit */
    if (block->bits == 0) {
        block->kind = SETTI_NONE;
    }
    if (block->bytes != NULL) {
        block->bytes += delta_type->bytes;
    }
    return true;
}

bool setti_delta_find_handle(const setti_delta_handles* list, uint32_t index, sett_entity* entity)
{
    uint32_t low = 0;
    uint32_t high = list->runs;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        setti_delta_reader run = list->from;
        run.at += (size_t)middle * SETTI_DELTA_HANDLES_SIZE;
        sett_entity first = setti_delta_entity(&run);
        uint64_t count = setti_delta_number(&run, 1);
        if (index >= first.index && index - first.index < count) {
            *entity = (sett_entity){index, first.generation};
            return true;
        }
        if (first.index < index) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return false;
}

/* ------------------------------------------------------------------------------------- messages */

/* How messages name the bytes, and what they advise. */
typedef struct read_words {
    const char* noun;   /* what the bytes are */
    const char* sender; /* who wrote them */
    const char* remedy; /* what to do if the bytes are damaged */
    const char* limit;  /* what to do if the bytes need too much memory */
} read_words;

static const read_words* read_words_of(const setti_delta* delta)
{
    static const char again[] = "get it from the sender again";
    static const char limit[] = "raise sett_snapshot_options.delta_limit if you trust the sender";
    static const read_words words[] = {
        [SETTI_FROM_DELTA] = {"delta", "sender", again, limit},
        [SETTI_FROM_SELECTION] = {"selection", "sender", again, limit},
        [SETTI_FROM_STATE] = {"state", "sender", again,
                              "pass a higher `limit` if you trust the sender"},
        [SETTI_FROM_FILE] = {"file", "program that wrote it", "load a copy",
                             "raise sett_file_desc.limit if you trust the file"},
    };
    return &words[delta->source];
}

sett_status setti_delta_fail(const setti_delta* delta, sett_status status, const char* format, ...)
{
    char why[SETTI_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(why, sizeof(why), format, arguments);
    va_end(arguments);
    return setti_world_fail_input(delta->world, status, "%s: %s", delta->player.call, why);
}

const char* setti_delta_noun(const setti_delta* delta)
{
    return read_words_of(delta)->noun;
}

sett_status setti_delta_reject(const setti_delta* delta, const char* format, ...)
{
    const read_words* words = read_words_of(delta);
    char why[SETTI_MESSAGE_SIZE / 2];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(why, sizeof(why), format, arguments);
    va_end(arguments);
    return setti_world_fail_input(delta->world, SETT_STATUS_INVALID,
                                  "%s: the %s is damaged: %s - %s", delta->player.call, words->noun,
                                  why, words->remedy);
}

sett_status setti_delta_reject_size(const setti_delta* delta)
{
    const read_words* words = read_words_of(delta);
    return setti_delta_fail(delta, SETT_STATUS_LIMIT,
                            "the %s needs more than %llu bytes of memory - %s", words->noun,
                            (unsigned long long)delta->limit, words->limit);
}

sett_status setti_delta_fail_step(const setti_delta* delta)
{
    sett_world* world = delta->world;
    const char* call = delta->player.call;
    size_t length = strlen(call);
    sett_status status = world->error;
    char text[SETTI_MESSAGE_SIZE];
    if (status == SETT_STATUS_OUT_OF_MEMORY && world->pool.denied) {
        return setti_delta_reject_size(delta); /* the limit for this delta is reached */
    }
    if (status == SETT_STATUS_OUT_OF_MEMORY) {
        return setti_world_no_memory(world, call);
    }
    snprintf(text, sizeof(text), "%s", sett_world_message(world));
    if (strncmp(text, call, length) == 0 && (text[length] == ':' || text[length] == ',')) {
        return setti_world_fail_input(world, status, "%s", text); /* it names the call already */
    }
    if (status != SETT_STATUS_LIMIT && status != SETT_STATUS_LOCKED) {
        status = SETT_STATUS_INVALID; /* the bytes ask for a change that cannot be made */
    }
    return setti_world_fail_input(world, status, "%s: a change of the %s fails: %.380s", call,
                                  setti_delta_noun(delta), text);
}

/* -------------------------------------------------------------------------------------- parsing */

/* The parts of a type's record that are compared with the type of this world. */
typedef struct read_record {
    char name[256];
    uint32_t form; /* with flags */
    uint32_t size;
    uint32_t version;
} read_record;

/* Whether encoded values of a type have the same size and rounding in the delta and in this
 * world. */
static bool read_has_size(const setti_delta_type* delta_type)
{
    uint32_t bytes = setti_delta_bytes(delta_type->type);
    if (!delta_type->sent) {
        return bytes == delta_type->bytes;
    }
    if (!setti_delta_sends(delta_type->type)) {
        return false;
    }
    const setti_members* members = delta_type->type->members;
    uint64_t rounding = setti_send_fingerprint(members); /* sent in place of the padding's hash */
    return setti_send_size(members, bytes) == delta_type->bytes &&
           rounding == delta_type->padding_hash;
}

/* Whether a type has the same layout in the delta and in this world. */
static bool read_fits_type(const setti_delta_type* delta_type, const read_record* record)
{
    const setti_module* module = delta_type->type->module;
    bool version_fits = delta_type->type->desc.layout_version == record->version;
    if (module != NULL && module->choice != NULL) {
        version_fits = record->version < module->choices; /* the version is the sender's choice */
    }
    bool size_fits = setti_delta_size(delta_type->type) == record->size;
    bool form_fits = setti_delta_form_of(delta_type->type) == delta_type->form;
    return version_fits && size_fits && form_fits && read_has_size(delta_type);
}

static sett_status read_reject_unknown(const setti_delta* delta, setti_delta_form form, char* name)
{
    bool has_links =
        form == SETTI_DELTA_TARGET || form == SETTI_DELTA_LINK || form == SETTI_DELTA_LINKS;
    const char* kind = has_links ? "relationship" : "type";
    char* suffix = strrchr(name, ' ');
    if (form == SETTI_DELTA_TARGET && suffix != NULL) { /* "<relationship> sources" */
        *suffix = '\0';
    } else if (suffix != NULL && strcmp(suffix, " off") == 0) { /* the tag of a switched-off type */
        *suffix = '\0';
        if (setti_type_find(delta->world, name) != NULL) {
            return setti_delta_fail(delta, SETT_STATUS_CONFLICT,
                                    "\"%s\" has `can_disable` at the %s, and not in this world - "
                                    "register it with `can_disable`",
                                    name, read_words_of(delta)->sender);
        }
        *suffix = ' ';
    }
    return setti_delta_fail(
        delta, SETT_STATUS_CONFLICT,
        "%s \"%s\" is not registered in this world - register the %s as the %s does", kind, name,
        kind, read_words_of(delta)->sender);
}

/* Fails because either the sender or this world leaves out the values of a type.
 *   sender_skips  true: the sender leaves them out; false: this world does */
static sett_status read_reject_policy(const setti_delta* delta, bool sender_skips, const char* name)
{
    const char* noun = setti_delta_noun(delta);
    if (sender_skips) {
        return setti_delta_fail(
            delta, SETT_STATUS_CONFLICT,
            "the %s leaves out values of \"%s\" (SETT_SAVE_SKIP), and this world saves them - "
            "register the type with the same `save`",
            noun, name);
    }
    return setti_delta_fail(
        delta, SETT_STATUS_CONFLICT,
        "the %s has values of \"%s\", and this world leaves them out (SETT_SAVE_SKIP) - "
        "register the type with the same `save`",
        noun, name);
}

static bool read_is_component(setti_delta_form form)
{
    return form == SETTI_DELTA_VALUES || form == SETTI_DELTA_OWNED;
}

/* Returns which options of a type differ. Returns NULL if its size or version differs.
 *   same_layout  the size and the version are equal */
static const char* read_find_difference(const setti_delta_type* delta_type, bool same_layout)
{
    const setti_module* module = delta_type->type->module;
    setti_delta_form form = setti_delta_form_of(delta_type->type);
    bool is_component = read_is_component(form);
    if (is_component != read_is_component(delta_type->form)) {
        return "relationship options (or none)";
    }
    bool version_is_choice = module != NULL && module->choice != NULL;
    if (!version_is_choice && !same_layout && form == delta_type->form) {
        return NULL;
    }
    return is_component ? "members, `bytes` or hooks" : "relationship options";
}

static sett_status read_reject_type(const setti_delta* delta, const setti_delta_type* delta_type,
                                    const read_record* record)
{
    const setti_type* type = delta_type->type;
    const read_words* words = read_words_of(delta);
    char name[160] = "";
    setti_writer writer = {name, sizeof(name), 0};
    setti_writer_add_escaped(&writer, record->name, strlen(record->name));
    if (type == NULL) {
        return read_reject_unknown(delta, delta_type->form, name);
    }
    bool is_component = read_is_component(delta_type->form) && type->module == NULL;
    bool sender_skips =
        delta_type->form == SETTI_DELTA_VALUES && delta_type->bytes == 0 && record->size != 0;
    bool world_skips = type->desc.save == SETT_SAVE_SKIP;
    bool same_layout =
        setti_delta_size(type) == record->size && type->desc.layout_version == record->version;
    if (is_component && same_layout && sender_skips != world_skips) {
        return read_reject_policy(delta, sender_skips, name);
    }
    const char* difference = read_find_difference(delta_type, same_layout);
    if (difference != NULL) {
        return setti_delta_fail(
            delta, SETT_STATUS_CONFLICT,
            "type \"%s\" is registered here with other %s than in the %s - register the type as "
            "the %s does",
            name, difference, words->noun, words->sender);
    }
    return setti_delta_fail(
        delta, SETT_STATUS_CONFLICT,
        "type \"%s\" is registered with %u bytes and layout_version %u here, in the %s with %u "
        "bytes and layout_version %u - register the type as the %s does",
        name, (unsigned)setti_delta_size(type), (unsigned)type->desc.layout_version, words->noun,
        (unsigned)record->size, (unsigned)record->version, words->sender);
}

/* Returns the rule that converts values of a type, or NULL. */
static setti_delta_rule* read_find_rule(const setti_delta* delta, const char* name)
{
    const setti_delta_rules* rules = delta->rules;
    uint32_t count = rules != NULL ? rules->count : 0;
    for (uint32_t k = 0; k < count; k++) {
        unsigned char* address = (unsigned char*)rules->first + k * rules->size;
        setti_delta_rule* rule = (setti_delta_rule*)(void*)address;
        if (strcmp(rule->name, name) == 0) {
            return rule;
        }
    }
    return NULL;
}

/* Reads the record of a type into `delta_type` and `record`. The type is not looked up yet. */
static sett_status read_type_record(const setti_delta* delta, setti_delta_reader* reader,
                                    setti_delta_type* delta_type, read_record* record)
{
    size_t length = (size_t)setti_delta_number(reader, 2);
    const unsigned char* bytes = setti_delta_read(reader, length);
    record->form = (uint32_t)setti_delta_number(reader, 1);
    record->size = setti_delta_u32(reader);
    record->version = setti_delta_u32(reader);
    memset(delta_type, 0, sizeof(*delta_type));
    delta_type->form = (setti_delta_form)(record->form % SETTI_DELTA_KIND);
    delta_type->kind = (record->form % SETTI_DELTA_SENT) / SETTI_DELTA_KIND; /* without flags */
    delta_type->sent = (record->form & SETTI_DELTA_SENT) != 0;
    delta_type->bytes = setti_delta_u32(reader);
    delta_type->padding_hash = setti_delta_number(reader, 8);
    for (uint32_t k = 0; k < SETTI_DELTA_SECTIONS; k++) {
        delta_type->count[k] = setti_delta_u32(reader);
    }
    delta_type->extent = setti_delta_u32(reader);
    delta_type->choice = record->version;
    if (reader->short_of) {
        return setti_delta_reject(delta, "the description of a type is incomplete");
    }
    if (length == 0 || length >= sizeof(record->name) || memchr(bytes, 0, length) != NULL) {
        return setti_delta_reject(delta, "the name of a type is invalid");
    }
    memcpy(record->name, bytes, length);
    record->name[length] = '\0';
    return SETT_OK;
}

/* Finds the type of a record in this world. Registers a type of the library that is missing.
 * Fails if the type does not fit the record. */
static sett_status read_match_type(const setti_delta* delta, setti_delta_type* delta_type,
                                   const read_record* record)
{
    sett_world* world = delta->world;
    if (setti_type_find(world, record->name) == NULL) {
        world->receiving = true; /* a failure is reported once, below */
        sett_status status = setti_codec_register_library(world, record->name);
        world->receiving = false;
        if (status != SETT_OK) {
            return setti_delta_fail_step(delta);
        }
    }
    delta_type->type = setti_type_find(world, record->name);
    delta_type->rule = read_find_rule(delta, record->name);
    if (delta_type->type == NULL) {
        return read_reject_type(delta, delta_type, record);
    }
    if (delta_type->rule == NULL && !read_fits_type(delta_type, record)) {
        return read_reject_type(delta, delta_type, record);
    }
    delta_type->renamed = strcmp(record->name, delta_type->type->desc.name) != 0;
    if (delta_type->count[SETTI_DELTA_ENTRIES] == 0 &&
        delta_type->count[SETTI_DELTA_CHANGES] == 0) {
        return SETT_OK; /* the delta has no values of the type */
    }
    if ((record->form & SETTI_DELTA_BIG_ENDIAN) != setti_delta_order_of(delta_type->type)) {
        return setti_delta_fail(
            delta, SETT_STATUS_CONFLICT,
            "values of \"%.100s\" come from a machine of another byte order, and some of their "
            "bytes are in no member - describe all members in both programs",
            delta_type->type->desc.name);
    }
    const char* why = setti_delta_rejects(delta_type->type);
    if (why != NULL) {
        return setti_world_fail_with(world, SETT_STATUS_ARGUMENT, "%s: \"%.100s\" %s",
                                     delta->player.call, delta_type->type->desc.name, why);
    }
    return SETT_OK;
}

/* Fails because a second record has the type of an earlier record. */
static sett_status read_reject_twice(const setti_delta* delta, const setti_delta_type* delta_type)
{
    const char* name = delta_type->type->desc.name;
    const read_words* words = read_words_of(delta);
    if (!delta_type->renamed && !delta->type[delta_type->type->delta_number - 1].renamed) {
        return setti_delta_reject(delta, "\"%.100s\" is listed twice", name);
    }
    return setti_delta_fail(
        delta, SETT_STATUS_CONFLICT,
        "two types of the %s have a name of \"%.100s\", one of its `old_names` - leave it out, or "
        "rename the type as the %s does",
        words->noun, name, words->sender);
}

static sett_status read_type(setti_delta* delta, setti_delta_reader* reader)
{
    SETTI_ASSERT(delta->types_found < delta->type_count);
    setti_delta_type* delta_type = &delta->type[delta->types_found];
    read_record record;
    sett_status status = read_type_record(delta, reader, delta_type, &record);
    if (status == SETT_OK) {
        status = read_match_type(delta, delta_type, &record);
    }
    if (status != SETT_OK) {
        return status;
    }
    /* the codec of the sender's form: with a rule, the type can have another form here */
    if (delta_type->form == SETTI_DELTA_OWNED) {
        delta_type->codec = &setti_owned_codec;
    } else if (delta_type->form != SETTI_DELTA_VALUES) {
        delta_type->codec = setti_delta_codec(delta_type->type);
    }
    if (delta_type->sent && delta->part == NULL) {
        return setti_delta_reject(delta,
                                  "\"%.100s\" has rounded values, which only selections have",
                                  delta_type->type->desc.name);
    }
    if (delta_type->type->delta_number != 0) {
        return read_reject_twice(delta, delta_type);
    }
    delta->types_found++;
    delta_type->type->delta_number = delta->types_found; /* 0 means: not in the delta */
    return SETT_OK;
}

static sett_status read_format(setti_delta* delta, setti_delta_reader* reader)
{
    uint64_t magic = setti_delta_number(reader, 4);
    uint32_t version = setti_delta_u32(reader);
    bool is_part = delta->part != NULL;
    uint64_t expected_magic = is_part ? SETTI_DELTA_PART : SETTI_DELTA_MAGIC;
    bool is_known = !reader->short_of && magic == expected_magic;
    if (!is_known && delta->loading) {
        return setti_delta_reject(delta, "the beginning is wrong");
    }
    if (!is_known && is_part) {
        return setti_delta_fail(
            delta, SETT_STATUS_INVALID,
            "these bytes are not a selection - pass what sett_selection_encode wrote, or "
            "sett_delta_expand if it was shortened");
    }
    if (!is_known) {
        return setti_delta_fail(
            delta, SETT_STATUS_INVALID,
            "these bytes are not a delta - pass what sett_delta_encode wrote, or "
            "sett_delta_expand if it was shortened");
    }
    uint32_t short_flag = is_part ? 0 : version & SETTI_DELTA_SHORT;
    delta->hash_mask = short_flag != 0 ? UINT32_MAX : UINT64_MAX;
    if (version != (SETTI_DELTA_VERSION | short_flag)) {
        return setti_delta_fail(
            delta, SETT_STATUS_INVALID,
            "the %s has version %u of the format, and this library reads version %u - use the "
            "same library as the %s",
            setti_delta_noun(delta), (unsigned)version, (unsigned)SETTI_DELTA_VERSION,
            read_words_of(delta)->sender);
    }
    return SETT_OK;
}

/* Reads the head. Moves the end of `reader` to the first record of a type: these records are the
 * last bytes of a delta. */
static sett_status read_head(setti_delta* delta, setti_delta_reader* reader)
{
    SETTI_ASSERT(delta->type == NULL);
    size_t size = (size_t)(reader->end - reader->at);
    sett_status status = read_format(delta, reader);
    if (status != SETT_OK) {
        return status;
    }
    delta->before = setti_delta_number(reader, 8);
    delta->after = setti_delta_number(reader, 8);
    uint64_t stated_size = setti_delta_number(reader, 8);
    uint64_t seal = setti_delta_number(reader, 8);
    size_t sealed_size = (size_t)(reader->end - reader->at);
    bool altered = setti_delta_seal(reader->at, sealed_size) != seal;
    uint32_t type_count = setti_delta_u32(reader);
    size_t types_size = setti_delta_u32(reader);
    delta->ended.runs = setti_delta_u32(reader);
    delta->begun.runs = setti_delta_u32(reader);
    delta->slots.runs = setti_delta_u32(reader);
    if (reader->short_of) {
        return setti_delta_reject(delta, "the header is incomplete");
    }
    if (stated_size != size && delta->loading) {
        return setti_delta_reject(delta, "the header has a wrong size");
    }
    if (stated_size != size) {
        const char* noun = setti_delta_noun(delta);
        return setti_delta_fail(
            delta, SETT_STATUS_INVALID,
            "`size` is %llu bytes, but the header of the %s says %llu bytes - pass the whole %s "
            "and no other bytes",
            (unsigned long long)size, noun, (unsigned long long)stated_size, noun);
    }
    /* short hashes have no upper halves; the seal does not cover the version */
    bool version_altered = ((delta->before | delta->after) & ~delta->hash_mask) != 0;
    if (version_altered || (altered && !delta->trusted)) {
        return setti_delta_reject(delta, "the checksum is wrong");
    }
    if (types_size > (size_t)(reader->end - reader->at) ||
        type_count > types_size / READ_TYPE_BYTES) {
        return setti_delta_reject(delta, "the descriptions of types are incomplete");
    }
    delta->type_count = type_count;
    reader->end -= types_size;
    return SETT_OK;
}

size_t setti_delta_types_size(const setti_delta* delta)
{
    return ((size_t)delta->type_count + 1) * sizeof(*delta->type); /* + 1: never 0 bytes */
}

static sett_status read_types(setti_delta* delta, setti_delta_reader* reader)
{
    sett_status status = SETT_OK;
    delta->type = setti_pool_alloc(&delta->world->pool, setti_delta_types_size(delta), 16);
    if (delta->type == NULL) {
        return setti_world_no_memory(delta->world, delta->player.call);
    }
    while (status == SETT_OK && delta->types_found < delta->type_count) {
        status = read_type(delta, reader);
    }
    if (status == SETT_OK && reader->at != reader->end) {
        status = setti_delta_reject(delta, "bytes follow the descriptions of types");
    }
    return status;
}

/* Notes where a list of handles begins, and skips it. Returns false if it is incomplete, or if its
 * indices do not ascend. */
static bool read_skip_handles(setti_delta_reader* reader, setti_delta_handles* handles)
{
    setti_delta_reader run = *reader;
    uint64_t end = 0;
    handles->from = *reader;
    if (!setti_delta_skip(reader, handles->runs, SETTI_DELTA_HANDLES_SIZE)) {
        return false;
    }
    for (uint32_t k = 0; k < handles->runs; k++) {
        sett_entity first = setti_delta_entity(&run);
        uint64_t count = setti_delta_number(&run, 1);
        bool run_fits = first.index >= end && count != 0 && count <= SETTI_DELTA_HANDLES_MAX;
        end = first.index + count;
        if (!run_fits || end > SETTI_NONE) { /* SETTI_NONE is not an index */
            return false;
        }
    }
    return true;
}

sett_status setti_delta_parse(setti_delta* delta, setti_delta_reader* reader)
{
    const unsigned char* end = reader->end;
    sett_status status = read_head(delta, reader);
    if (status != SETT_OK) {
        return status;
    }
    setti_delta_reader types = {.at = reader->end, .end = end};
    status = read_types(delta, &types);
    if (status != SETT_OK) {
        return status;
    }
    bool lists_fit = read_skip_handles(reader, &delta->ended) &&
                     read_skip_handles(reader, &delta->begun) &&
                     read_skip_handles(reader, &delta->slots);
    if (!lists_fit) {
        return setti_delta_reject(delta, "the list of entities is %s",
                                  reader->short_of ? "incomplete" : "not in order");
    }
    return SETT_OK;
}

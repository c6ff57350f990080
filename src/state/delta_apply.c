/* delta_apply.c: applies a delta to a world that is in the delta's first state.
 *
 * The workload: bytes from a network. The peer may be broken or hostile, so everything is checked
 * before the first change. If the result does not have the announced hash, a snapshot restores the
 * state. Memory for page copies is reserved before each step, so that the restore cannot fail.
 *
 * Invariant:  a failure leaves the state unchanged, bit by bit
 */
#include "sett/state.h"

#include "base/bits.h"
#include "base/writer.h"
#include "state/delta_reader.h"
#include "state/selection.h"
#include "world/change.h"
#include "world/command.h"

#include <stdarg.h>
#include <stdio.h>

static const char apply_call[] = "sett_delta_apply";

#define APPLY_TYPE_BYTES 43 /* bytes of a type's record, without the name */
#define APPLY_NODE_BYTES 5u /* the fewest bytes of a hierarchy entry: parent and policy */
#define APPLY_LINK_BYTES 8u /* the fewest bytes of a link: its target */

/* Default limit of the memory for a delta: size of the world + APPLY_BYTES + APPLY_BYTES_A_BYTE for
 * each byte of the delta. A tag takes 13 bytes of a delta and 26 bytes of a world. */
#define APPLY_BYTES ((size_t)64 << 20)
#define APPLY_BYTES_A_BYTE ((size_t)64)

/* -------------------------------------------------------------------------------------- reading */

const unsigned char* setti_delta_read(setti_delta_reader* from, size_t size)
{
    SETTI_ASSERT(from->at <= from->end);
    if ((size_t)(from->end - from->at) < size) {
        from->short_of = true;
        from->at = from->end;
        return NULL;
    }
    const unsigned char* bytes = from->at;
    from->at += size;
    return bytes;
}

/* Skips `count` items of `each` bytes. Returns false if fewer bytes are left. */
static bool apply_skip(setti_delta_reader* from, uint32_t count, size_t each)
{
    size_t size;
    if (!setti_multiply(count, each, &size)) {
        size = SIZE_MAX; /* the read will fail */
    }
    return setti_delta_read(from, size) != NULL;
}

setti_delta_entry setti_delta_next(setti_delta_reader* from, const setti_delta_type* of)
{
    setti_delta_entry entry = {.kind = (uint32_t)setti_delta_number(from, 1), .size = of->bytes};
    size_t size = of->bytes;
    entry.index = setti_delta_u32(from);
    if (of->codec == NULL && (entry.kind & SETTI_DELTA_BLOCK) != 0) {
        entry.kind -= SETTI_DELTA_BLOCK;
        entry.bits = setti_delta_number(from, 8);
        size *= setti_bits_count(entry.bits); /* up to 64 values of up to 64 MB: below 2^33 */
        if (sizeof(size) == 4 && (uint64_t)of->bytes * setti_bits_count(entry.bits) > UINT32_MAX) {
            size = SIZE_MAX; /* the read will fail */
        }
        /* an invalid block counts as a read beyond the end */
        from->short_of = from->short_of || entry.bits == 0 || entry.index % 64 != 0;
    }
    if (entry.kind == SETTI_DELTA_REMOVED) {
        return entry;
    }
    if (of->codec != NULL && of->codec->counted != 0) {
        entry.count = (uint32_t)setti_delta_number(from, of->codec->counted);
        if (!setti_multiply(entry.count, SETTI_MAX(of->bytes, 1), &size)) {
            size = SIZE_MAX;
        }
    }
    entry.bytes = setti_delta_read(from, size);
    return entry;
}

bool setti_delta_take(setti_delta_entry* block, const setti_delta_type* of,
                      setti_delta_entry* entry)
{
    SETTI_ASSERT(block->bits == 0 || of->codec == NULL);
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
    block->kind = block->bits != 0 ? block->kind : SETTI_NONE;
    block->bytes = block->bytes != NULL ? block->bytes + of->bytes : NULL;
    return true;
}

/* Finds the handle with an index, by bisection. Returns false if the list has none. */
static bool apply_find_handle(const setti_delta_handles* list, uint32_t index, sett_entity* entity)
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

static bool apply_has_index(const setti_delta_handles* list, uint32_t index)
{
    sett_entity entity;
    return apply_find_handle(list, index, &entity);
}

static bool apply_has_handle(const setti_delta_handles* list, sett_entity entity)
{
    sett_entity found;
    return apply_find_handle(list, entity.index, &found) && sett_equals(found, entity);
}

/* The words of messages about the bytes. */
typedef struct apply_words {
    const char* noun;   /* what the bytes are */
    const char* sender; /* who wrote them */
    const char* remedy; /* if they are damaged */
    const char* limit;  /* the remedy if they need too much memory */
} apply_words;

static const apply_words* apply_words_of(const setti_delta* delta)
{
    static const char again[] = "get it from the sender again";
    static const char limit[] = "raise sett_snapshot_options.delta_limit if you trust the sender";
    static const apply_words words[] = {
        [SETTI_FROM_DELTA] = {"delta", "sender", again, limit},
        [SETTI_FROM_SELECTION] = {"selection", "sender", again, limit},
        [SETTI_FROM_STATE] = {"state", "sender", again,
                              "pass a higher `limit` if you trust the sender"},
        [SETTI_FROM_FILE] = {"file", "program that wrote it", "load a copy",
                             "raise sett_file_desc.limit if you trust the file"},
    };
    return &words[delta->source];
}

/* Fails in the name of the program's call. */
SETTI_PRINTF(3, 4)
static sett_status apply_fail(const setti_delta* delta, sett_status status, const char* format, ...)
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
    return apply_words_of(delta)->noun;
}

sett_status setti_delta_reject(const setti_delta* delta, const char* format, ...)
{
    const apply_words* words = apply_words_of(delta);
    char why[SETTI_MESSAGE_SIZE / 2];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(why, sizeof(why), format, arguments);
    va_end(arguments);
    return setti_world_fail_input(delta->world, SETT_STATUS_INVALID,
                                  "%s: the %s is damaged: %s - %s", delta->player.call, words->noun,
                                  why, words->remedy);
}

static sett_status apply_reject_size(const setti_delta* delta)
{
    const apply_words* words = apply_words_of(delta);
    return apply_fail(delta, SETT_STATUS_LIMIT, "the %s needs more than %llu bytes of memory - %s",
                      words->noun, (unsigned long long)delta->limit, words->limit);
}

/* Reports the world's latest error, which a call of the library met, for the program's call. */
static sett_status apply_fail_step(const setti_delta* delta)
{
    sett_world* world = delta->world;
    const char* call = delta->player.call;
    size_t length = strlen(call);
    sett_status status = world->error;
    char text[SETTI_MESSAGE_SIZE];
    if (status == SETT_STATUS_OUT_OF_MEMORY) {
        return world->pool.denied ? apply_reject_size(delta) : setti_world_no_memory(world, call);
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

/* The parts of a type's record that are compared with the type here. */
typedef struct apply_record {
    char name[256];
    uint32_t form; /* with flags */
    uint32_t size;
    uint32_t version;
} apply_record;

/* Whether encoded values have the same size in the delta and here, and the same rounding. */
static bool apply_has_size(const setti_delta_type* of)
{
    uint32_t bytes = setti_delta_bytes(of->type);
    if (!of->sent) {
        return bytes == of->bytes;
    }
    return setti_delta_sends(of->type) && setti_send_size(of->type->members, bytes) == of->bytes &&
           setti_send_fingerprint(of->type->members) == of->padding_hash; /* of the rounding */
}

/* Whether a type has the same layout in the delta and here. */
static bool apply_fits_type(const setti_delta_type* of, const apply_record* record)
{
    const setti_module* module = of->type->module;
    bool version_fits = of->type->desc.layout_version == record->version;
    if (module != NULL && module->choice != NULL) {
        version_fits = record->version < module->choices; /* the version is the sender's choice */
    }
    return setti_delta_size(of->type) == record->size && version_fits &&
           setti_delta_form_of(of->type) == of->form && apply_has_size(of);
}

static sett_status apply_reject_unknown(const setti_delta* delta, setti_delta_form form, char* name)
{
    const bool linked =
        form == SETTI_DELTA_TARGET || form == SETTI_DELTA_LINK || form == SETTI_DELTA_LINKS;
    const char* kind = linked ? "relationship" : "type";
    char* suffix = strrchr(name, ' ');
    if (form == SETTI_DELTA_TARGET && suffix != NULL) { /* "<relationship> sources" */
        *suffix = '\0';
    } else if (suffix != NULL && strcmp(suffix, " off") == 0) { /* the tag of a switched-off type */
        *suffix = '\0';
        if (setti_type_find(delta->world, name) != NULL) {
            return apply_fail(delta, SETT_STATUS_CONFLICT,
                              "\"%s\" has `can_disable` at the %s, and not in this world - "
                              "register it with `can_disable`",
                              name, apply_words_of(delta)->sender);
        }
        *suffix = ' ';
    }
    return apply_fail(delta, SETT_STATUS_CONFLICT,
                      "%s \"%s\" is not registered in this world - register the %s as the %s does",
                      kind, name, kind, apply_words_of(delta)->sender);
}

/* Fails because one side, the sender or this world, leaves out the values of a type. */
static sett_status apply_reject_policy(const setti_delta* delta, bool left_out_there,
                                       const char* name)
{
    return apply_fail(
        delta, SETT_STATUS_CONFLICT,
        left_out_there
            ? "the %s leaves out values of \"%s\" (SETT_SAVE_SKIP), and this world saves them - "
              "register the type with the same `save`"
            : "the %s has values of \"%s\", and this world leaves them out (SETT_SAVE_SKIP) - "
              "register the type with the same `save`",
        setti_delta_noun(delta), name);
}

static bool apply_is_component(setti_delta_form form)
{
    return form == SETTI_DELTA_VALUES || form == SETTI_DELTA_OWNED;
}

/* Returns which options of a type differ. Returns NULL if the size or the version differs. */
static const char* apply_find_difference(const setti_delta_type* of, bool same_layout)
{
    const setti_module* module = of->type->module;
    setti_delta_form form = setti_delta_form_of(of->type);
    bool chosen = module != NULL && module->choice != NULL; /* then the version is a choice */
    bool component = apply_is_component(form);
    if (component != apply_is_component(of->form)) {
        return "relationship options (or none)";
    }
    if (chosen || same_layout || form != of->form) {
        return component ? "members, `bytes` or hooks" : "relationship options";
    }
    return NULL;
}

static sett_status apply_reject_type(const setti_delta* delta, const setti_delta_type* of,
                                     const apply_record* record)
{
    const setti_type* type = of->type;
    const apply_words* words = apply_words_of(delta);
    char name[160] = "";
    setti_writer writer = {name, sizeof(name), 0};
    setti_writer_add_escaped(&writer, record->name, strlen(record->name));
    if (type == NULL) {
        return apply_reject_unknown(delta, of->form, name);
    }
    bool components = apply_is_component(of->form) && type->module == NULL;
    bool left_out_there = of->form == SETTI_DELTA_VALUES && of->bytes == 0 && record->size != 0;
    bool left_out_here = type->desc.save == SETT_SAVE_SKIP;
    bool same_layout =
        setti_delta_size(type) == record->size && type->desc.layout_version == record->version;
    if (components && same_layout && left_out_there != left_out_here) {
        return apply_reject_policy(delta, left_out_there, name);
    }
    const char* difference = apply_find_difference(of, same_layout);
    if (difference != NULL) {
        return apply_fail(
            delta, SETT_STATUS_CONFLICT,
            "type \"%s\" is registered here with other %s than in the %s - register the type as "
            "the %s does",
            name, difference, words->noun, words->sender);
    }
    return apply_fail(
        delta, SETT_STATUS_CONFLICT,
        "type \"%s\" is registered with %u bytes and layout_version %u here, in the %s with %u "
        "bytes and layout_version %u - register the type as the %s does",
        name, (unsigned)setti_delta_size(type), (unsigned)type->desc.layout_version, words->noun,
        (unsigned)record->size, (unsigned)record->version, words->sender);
}

static setti_delta_rule* apply_find_rule(const setti_delta* delta, const char* name)
{
    const setti_delta_rules* rules = delta->rules;
    uint32_t count = rules != NULL ? rules->count : 0;
    for (uint32_t k = 0; k < count; k++) {
        unsigned char* at = (unsigned char*)rules->first + k * rules->size;
        setti_delta_rule* rule = (setti_delta_rule*)(void*)at;
        if (strcmp(rule->name, name) == 0) {
            return rule;
        }
    }
    return NULL;
}

static sett_status apply_read_record(const setti_delta* delta, setti_delta_reader* from,
                                     setti_delta_type* of, apply_record* record)
{
    size_t length = (size_t)setti_delta_number(from, 2);
    const unsigned char* bytes = setti_delta_read(from, length);
    record->form = (uint32_t)setti_delta_number(from, 1);
    record->size = setti_delta_u32(from);
    record->version = setti_delta_u32(from);
    memset(of, 0, sizeof(*of));
    of->form = (setti_delta_form)(record->form % SETTI_DELTA_KIND);
    of->kind = record->form % SETTI_DELTA_SENT / SETTI_DELTA_KIND;
    of->sent = (record->form & SETTI_DELTA_SENT) != 0;
    of->bytes = setti_delta_u32(from);
    of->padding_hash = setti_delta_number(from, 8);
    for (uint32_t k = 0; k < SETTI_DELTA_SECTIONS; k++) {
        of->count[k] = setti_delta_u32(from);
    }
    of->extent = setti_delta_u32(from);
    of->choice = record->version;
    if (from->short_of) {
        return setti_delta_reject(delta, "the description of a type is incomplete");
    }
    if (length == 0 || length >= sizeof(record->name) || memchr(bytes, 0, length) != NULL) {
        return setti_delta_reject(delta, "the name of a type is invalid");
    }
    memcpy(record->name, bytes, length);
    record->name[length] = '\0';
    return SETT_OK;
}

/* Finds the type of a record, or registers it if it is one of the library's. Compares the two. */
static sett_status apply_match_type(const setti_delta* delta, setti_delta_type* of,
                                    const apply_record* record)
{
    sett_world* world = delta->world;
    if (setti_type_find(world, record->name) == NULL) {
        world->receiving = true; /* a failure is reported once, below */
        sett_status status = setti_codec_register_library(world, record->name);
        world->receiving = false;
        if (status != SETT_OK) {
            return apply_fail_step(delta);
        }
    }
    of->type = setti_type_find(world, record->name);
    of->rule = apply_find_rule(delta, record->name);
    if (of->type == NULL || (of->rule == NULL && !apply_fits_type(of, record))) {
        return apply_reject_type(delta, of, record);
    }
    of->renamed = strcmp(record->name, of->type->desc.name) != 0;
    if (of->count[SETTI_DELTA_ENTRIES] == 0 && of->count[SETTI_DELTA_CHANGES] == 0) {
        return SETT_OK; /* the delta has no values of the type */
    }
    if ((record->form & SETTI_DELTA_BIG_ENDIAN) != setti_delta_order_of(of->type)) {
        return apply_fail(
            delta, SETT_STATUS_CONFLICT,
            "values of \"%.100s\" come from a machine of another byte order, and some of their "
            "bytes are in no member - describe all members in both programs",
            of->type->desc.name);
    }
    const char* why = setti_delta_rejects(of->type);
    return why == NULL ? SETT_OK
                       : setti_world_fail_with(world, SETT_STATUS_ARGUMENT, "%s: \"%.100s\" %s",
                                               delta->player.call, of->type->desc.name, why);
}

/* Fails because a second record has the type of an earlier record. */
static sett_status apply_reject_twice(const setti_delta* delta, const setti_delta_type* of)
{
    const char* name = of->type->desc.name;
    const apply_words* words = apply_words_of(delta);
    if (!of->renamed && !delta->type[of->type->delta_number - 1].renamed) {
        return setti_delta_reject(delta, "\"%.100s\" is listed twice", name);
    }
    return apply_fail(
        delta, SETT_STATUS_CONFLICT,
        "two types of the %s have a name of \"%.100s\", one of its `old_names` - leave it out, or "
        "rename the type as the %s does",
        words->noun, name, words->sender);
}

static sett_status apply_parse_type(setti_delta* delta, setti_delta_reader* from)
{
    SETTI_ASSERT(delta->types_found < delta->type_count);
    setti_delta_type* of = &delta->type[delta->types_found];
    apply_record record;
    sett_status status = apply_read_record(delta, from, of, &record);
    if (status == SETT_OK) {
        status = apply_match_type(delta, of, &record);
    }
    if (status != SETT_OK) {
        return status;
    }
    /* the codec of the sender's form: with a rule, the type can have another form here */
    if (of->form == SETTI_DELTA_OWNED) {
        of->codec = &setti_owned_codec;
    } else if (of->form != SETTI_DELTA_VALUES) {
        of->codec = setti_delta_codec(of->type);
    }
    if (of->sent && delta->part == NULL) {
        return setti_delta_reject(delta,
                                  "\"%.100s\" has rounded values, which only selections have",
                                  of->type->desc.name);
    }
    if (of->type->delta_number != 0) {
        return apply_reject_twice(delta, of);
    }
    of->type->delta_number = ++delta->types_found; /* position + 1; 0 means: not in the delta */
    return SETT_OK;
}

static sett_status apply_parse_format(setti_delta* delta, setti_delta_reader* from)
{
    uint64_t magic = setti_delta_number(from, 4);
    uint32_t version = setti_delta_u32(from);
    bool is_part = delta->part != NULL;
    bool is_known = !from->short_of && magic == (is_part ? SETTI_DELTA_PART : SETTI_DELTA_MAGIC);
    if (!is_known && delta->loading) {
        return setti_delta_reject(delta, "the beginning is wrong");
    }
    if (!is_known) {
        return apply_fail(
            delta, SETT_STATUS_INVALID,
            is_part ? "these bytes are not a selection - pass what sett_selection_encode wrote, or "
                      "sett_delta_expand if it was shortened"
                    : "these bytes are not a delta - pass what sett_delta_encode wrote, or "
                      "sett_delta_expand if it was shortened");
    }
    bool half_hashes = !is_part && (version & SETTI_DELTA_SHORT) != 0;
    delta->hash_mask = half_hashes ? UINT32_MAX : UINT64_MAX;
    if (version != (SETTI_DELTA_VERSION | (half_hashes ? SETTI_DELTA_SHORT : 0))) {
        return apply_fail(
            delta, SETT_STATUS_INVALID,
            "the %s has version %u of the format, and this library reads version %u - use the "
            "same library as the %s",
            setti_delta_noun(delta), (unsigned)version, (unsigned)SETTI_DELTA_VERSION,
            apply_words_of(delta)->sender);
    }
    return SETT_OK;
}

/* Reads the head, and cuts the records of types off the end of `from`. */
static sett_status apply_parse_head(setti_delta* delta, setti_delta_reader* from)
{
    SETTI_ASSERT(delta->type == NULL);
    size_t size = (size_t)(from->end - from->at);
    sett_status status = apply_parse_format(delta, from);
    if (status != SETT_OK) {
        return status;
    }
    delta->before = setti_delta_number(from, 8);
    delta->after = setti_delta_number(from, 8);
    uint64_t stated_size = setti_delta_number(from, 8);
    uint64_t seal = setti_delta_number(from, 8);
    size_t sealed_size = (size_t)(from->end - from->at);
    bool altered = setti_delta_seal(from->at, sealed_size) != seal;
    uint32_t type_count = setti_delta_u32(from);
    size_t types_size = setti_delta_u32(from);
    delta->ended.runs = setti_delta_u32(from);
    delta->begun.runs = setti_delta_u32(from);
    delta->slots.runs = setti_delta_u32(from);
    if (from->short_of) {
        return setti_delta_reject(delta, "the header is incomplete");
    }
    if (stated_size != size && delta->loading) {
        return setti_delta_reject(delta, "the header has a wrong size");
    }
    if (stated_size != size) {
        const char* noun = setti_delta_noun(delta);
        return apply_fail(
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
    if (types_size > (size_t)(from->end - from->at) || type_count > types_size / APPLY_TYPE_BYTES) {
        return setti_delta_reject(delta, "the descriptions of types are incomplete");
    }
    delta->type_count = type_count;
    from->end -= types_size;
    return SETT_OK;
}

static size_t apply_types_size(const setti_delta* delta)
{
    return ((size_t)delta->type_count + 1) * sizeof(*delta->type); /* + 1: never 0 bytes */
}

static sett_status apply_parse_types(setti_delta* delta, setti_delta_reader* from)
{
    sett_status status = SETT_OK;
    delta->type = setti_pool_alloc(&delta->world->pool, apply_types_size(delta), 16);
    if (delta->type == NULL) {
        return setti_world_no_memory(delta->world, delta->player.call);
    }
    while (status == SETT_OK && delta->types_found < delta->type_count) {
        status = apply_parse_type(delta, from);
    }
    if (status == SETT_OK && from->at != from->end) {
        status = setti_delta_reject(delta, "bytes follow the descriptions of types");
    }
    return status;
}

/* Skips runs of rows. Returns false unless rows ascend and are below `limit`. */
static bool apply_skip_runs(setti_delta_reader* from, uint32_t count, uint64_t limit)
{
    uint64_t end = 0;
    for (uint32_t k = 0; k < count; k++) {
        uint64_t first = setti_delta_u32(from);
        uint32_t rows = setti_delta_u32(from);
        bool fits = rows != 0 && first >= end && first + rows <= limit;
        if (!fits || !apply_skip(from, rows, 4)) { /* 4: bytes of an index */
            return false;
        }
        end = first + rows;
    }
    return true;
}

/* Notes where a list of handles begins, and skips it. Returns false if it is incomplete, or if its
 * indices do not ascend. */
static bool apply_skip_handles(setti_delta_reader* from, setti_delta_handles* handles)
{
    setti_delta_reader run = *from;
    uint64_t end = 0;
    handles->from = *from;
    if (!apply_skip(from, handles->runs, SETTI_DELTA_HANDLES_SIZE)) {
        return false;
    }
    for (uint32_t k = 0; k < handles->runs; k++) {
        sett_entity first = setti_delta_entity(&run);
        uint64_t count = setti_delta_number(&run, 1);
        bool fits = first.index >= end && count != 0 && count <= SETTI_DELTA_HANDLES_MAX;
        end = first.index + count;
        if (!fits || end > SETTI_NONE) {
            return false;
        }
    }
    return true;
}

/* Reads the head, the types and the lists of handles. Leaves the sections of types in `from`. */
static sett_status apply_parse(setti_delta* delta, setti_delta_reader* from)
{
    const unsigned char* end = from->end;
    sett_status status = apply_parse_head(delta, from);
    if (status != SETT_OK) {
        return status;
    }
    setti_delta_reader types = {.at = from->end, .end = end};
    status = apply_parse_types(delta, &types);
    if (status != SETT_OK) {
        return status;
    }
    bool fits = apply_skip_handles(from, &delta->ended) &&
                apply_skip_handles(from, &delta->begun) && apply_skip_handles(from, &delta->slots);
    return fits ? SETT_OK
                : setti_delta_reject(delta, "the list of entities is %s",
                                     from->short_of ? "incomplete" : "not in order");
}

/* ------------------------------------------------------------------------------------- checking */

/* Whether the delta may contain an entity. */
static bool apply_is_allowed(const setti_delta* delta, sett_entity entity)
{
    return delta->part == NULL || delta->part->entities == NULL ||
           setti_selected_has(delta->part->entities, entity);
}

static sett_status apply_reject_excluded(const setti_delta* delta, sett_entity entity,
                                         const char* verb)
{
    return apply_fail(
        delta, SETT_STATUS_INVALID,
        "the selection %s entity %u:%u, which `allowed` excludes - discard the selection, or "
        "allow the entity",
        verb, SETTI_HANDLE(entity));
}

static sett_status apply_check_ended(const setti_delta* delta)
{
    setti_delta_handles handles = delta->ended;
    sett_entity entity;
    while (setti_delta_next_handle(&handles, &entity)) {
        if (delta->part == NULL && !sett_entity_valid(delta->world, entity)) {
            return setti_delta_reject(delta, "entity %u:%u is destroyed, but does not exist",
                                      SETTI_HANDLE(entity));
        }
        if (!apply_is_allowed(delta, entity)) {
            return apply_reject_excluded(delta, entity, "destroys");
        }
    }
    return SETT_OK;
}

/* Returns the generation of a slot. *dead: after the delta has destroyed entities, the slot is
 * free, or is used up if the result is SETTI_RETIRED. */
static uint32_t apply_generation(const setti_delta* delta, uint32_t index, bool* dead)
{
    uint32_t current = setti_entity_generation(&delta->world->entities, index);
    *dead = (current & SETTI_DEAD) != 0;
    if (!*dead && apply_has_handle(&delta->ended, (sett_entity){index, current})) {
        *dead = true;
        if (current == SETTI_GENERATION_MAX) {
            return SETTI_RETIRED; /* the slot's last entity ends */
        }
    }
    return current;
}

/* Fails because this world cannot create an entity at its index.
 *   current  the present generation of the index
 *   dead     no entity has the index */
static sett_status apply_reject_index(const setti_delta* delta, sett_entity entity,
                                      uint32_t current, bool dead)
{
    if (delta->part == NULL) {
        return setti_delta_reject(delta, "entity %u:%u is created, and its index %s",
                                  SETTI_HANDLE(entity), dead ? "is used up" : "has an entity");
    }
    if (dead) {
        return apply_fail(
            delta, SETT_STATUS_INVALID,
            "the selection has entity %u:%u, and this world has used up the generations of that "
            "index - give this world another range of indices (sett_entity_set_range)",
            SETTI_HANDLE(entity));
    }
    return apply_fail(
        delta, SETT_STATUS_INVALID,
        "the selection has entity %u:%u, and entity %u:%u of this world has the same index - give "
        "this world another range of indices (sett_entity_set_range)",
        SETTI_HANDLE(entity), (unsigned)entity.index, (unsigned)current);
}

static sett_status apply_reject_limit(const setti_delta* delta, uint32_t index)
{
    return apply_fail(
        delta, SETT_STATUS_LIMIT,
        "the %s has entity index %u, and the entity_limit of this world is %u - create this world "
        "with a higher limit",
        setti_delta_noun(delta), (unsigned)index, (unsigned)delta->world->entities.limit);
}

static sett_status apply_check_begun(const setti_delta* delta)
{
    setti_delta_handles handles = delta->begun;
    sett_entity entity;
    while (setti_delta_next_handle(&handles, &entity)) {
        bool dead;
        uint32_t current = apply_generation(delta, entity.index, &dead);
        bool exists = !dead && current == entity.generation;
        if (!apply_is_allowed(delta, entity)) {
            return apply_reject_excluded(delta, entity, exists ? "changes" : "creates");
        }
        if (delta->part != NULL && exists) {
            continue; /* a part lists all entities with entries, also those that exist here */
        }
        if (entity.generation == 0 || entity.generation > SETTI_GENERATION_MAX) {
            return setti_delta_reject(delta, "entity %u:%u has an invalid generation",
                                      SETTI_HANDLE(entity));
        }
        if (entity.index >= delta->world->entities.limit) {
            return apply_reject_limit(delta, entity.index);
        }
        if (!dead || current == SETTI_RETIRED) {
            return apply_reject_index(delta, entity, current, dead);
        }
    }
    return SETT_OK;
}

static sett_status apply_check_slots(const setti_delta* delta)
{
    setti_delta_handles handles = delta->slots;
    sett_entity slot;
    if (delta->part != NULL) {
        return SETT_OK; /* a part lists parents here, dead parents too */
    }
    while (setti_delta_next_handle(&handles, &slot)) {
        bool dead;
        uint32_t current = apply_generation(delta, slot.index, &dead);
        if (!dead || apply_has_index(&delta->begun, slot.index)) {
            return setti_delta_reject(delta, "index %u is freed, but has an entity",
                                      (unsigned)slot.index);
        }
        if (slot.index >= delta->world->entities.limit) {
            return apply_reject_limit(delta, slot.index);
        }
        if (current == SETTI_RETIRED || (slot.generation & SETTI_DEAD) == 0) {
            return setti_delta_reject(delta, "index %u is freed with an invalid generation",
                                      (unsigned)slot.index);
        }
    }
    return SETT_OK;
}

setti_fate setti_delta_fate(const setti_delta* delta, uint32_t index)
{
    sett_entity present = setti_entity_at(&delta->world->entities, index);
    if (!sett_is_null(present) && !apply_has_handle(&delta->ended, present)) {
        return SETTI_FATE_STAYS;
    }
    return apply_has_index(&delta->begun, index) ? SETTI_FATE_BEGINS : SETTI_FATE_NONE;
}

/* Returns the reason why an entry does not fit the present world, or NULL. */
static const char* apply_check_entry(const setti_delta* delta, const setti_delta_type* of,
                                     setti_delta_entry entry)
{
    setti_fate fate = setti_delta_fate(delta, entry.index);
    bool has = fate == SETTI_FATE_STAYS && setti_storage_has(&of->type->storage, entry.index);
    /* without a codec, changed values are in the section SETTI_DELTA_CHANGES */
    if (entry.kind >= (of->codec != NULL ? SETTI_DELTA_KINDS : SETTI_DELTA_CHANGED)) {
        return "the kind of the change is unknown";
    }
    if (fate == SETTI_FATE_NONE) {
        return "the entity does not exist";
    }
    if (delta->part != NULL && !apply_has_index(&delta->begun, entry.index)) {
        return "the selection does not list the entity";
    }
    bool is_added = entry.kind == SETTI_DELTA_ADDED;
    if (delta->part == NULL && has == is_added) {
        return has ? "the entity has the component already"
                   : "the entity does not have the component";
    }
    if (entry.kind == SETTI_DELTA_REMOVED || of->codec == NULL || of->codec->check == NULL) {
        return NULL;
    }
    return of->codec->check(&delta->player, of->type, &entry);
}

static sett_status apply_check_block(const setti_delta* delta, const setti_delta_type* of,
                                     setti_delta_entry block)
{
    const char* why = NULL;
    setti_delta_entry entry = block;
    if (delta->loading && of->codec == NULL) { /* setti_delta_play checks the entities */
        bool added = block.kind == SETTI_DELTA_ADDED;
        why = added ? NULL : "a whole state has no removed or changed components";
    } else {
        while (why == NULL && setti_delta_take(&block, of, &entry)) {
            why = apply_check_entry(delta, of, entry);
        }
    }
    return why == NULL ? SETT_OK
                       : setti_delta_reject(delta, "\"%.100s\" of index %u: %s",
                                            of->type->desc.name, (unsigned)entry.index, why);
}

static sett_status apply_reject_incomplete(const setti_delta* delta, const setti_delta_type* of)
{
    return setti_delta_reject(delta, "the values of \"%.100s\" are incomplete",
                              of->type->desc.name);
}

static sett_status apply_check_entries(const setti_delta* delta, setti_delta_reader* from,
                                       const setti_delta_type* of)
{
    uint64_t end = 0;
    for (uint32_t k = 0; k < of->count[SETTI_DELTA_ENTRIES]; k++) {
        setti_delta_entry entry = setti_delta_next(from, of);
        if (from->short_of) {
            return apply_reject_incomplete(delta, of);
        }
        uint64_t first = entry.index;
        uint64_t last = first;
        if (entry.bits != 0) {
            last += setti_bits_highest(entry.bits);
            first += setti_bits_lowest(entry.bits);
        }
        if (first < end) {
            return setti_delta_reject(delta,
                                      "the values of \"%.100s\" are not in the order of entities",
                                      of->type->desc.name);
        }
        sett_status status = apply_check_block(delta, of, entry);
        if (status != SETT_OK) {
            return status;
        }
        end = last + 1;
    }
    return SETT_OK;
}

static sett_status apply_check_lists(const setti_delta* delta, setti_delta_reader* from,
                                     const setti_delta_type* of)
{
    if (of->count[SETTI_DELTA_LISTS] != 0 && (of->codec == NULL || of->codec->list == NULL)) {
        return setti_delta_reject(delta, "\"%.100s\" has no links, but an order of links",
                                  of->type->desc.name);
    }
    for (uint32_t k = 0; k < of->count[SETTI_DELTA_LISTS]; k++) {
        (void)setti_delta_read(from, 8); /* owner, kept members */
        uint32_t count = setti_delta_u32(from);
        if (from->short_of || !apply_skip(from, count, 4)) {
            return setti_delta_reject(delta, "the order of links of \"%.100s\" is incomplete",
                                      of->type->desc.name);
        }
    }
    return SETT_OK;
}

static bool apply_will_live(const setti_delta* delta, sett_entity entity)
{
    return apply_has_handle(&delta->begun, entity) ||
           (sett_entity_valid(delta->world, entity) && !apply_has_handle(&delta->ended, entity));
}

/* Whether a parent, given as index + 1, is alive after the part. */
static bool apply_parent_will_live(const setti_delta* delta, uint32_t parent)
{
    sett_entity entity;
    /* a part lists parents in `slots` */
    return apply_find_handle(&delta->slots, parent - 1, &entity) && apply_will_live(delta, entity);
}

/* Copies the links of an entry whose targets will live. Returns the number of copied items. */
static uint32_t apply_copy_items(const setti_delta* delta, const setti_delta_type* of,
                                 const setti_delta_entry* entry, unsigned char* out)
{
    if (entry->kind == SETTI_DELTA_REMOVED) {
        return 0;
    }
    uint32_t items = of->form == SETTI_DELTA_LINKS ? entry->count : 1;
    uint32_t count = 0;
    for (uint32_t k = 0; k < items; k++) {
        const unsigned char* item = entry->bytes + (size_t)k * of->bytes;
        bool stays = of->form == SETTI_DELTA_TREE; /* apply_write_filtered checks the parent */
        if (!stays) {
            sett_entity target = {setti_delta_word(item, 0), setti_delta_word(item, 1)};
            stays = apply_will_live(delta, target);
        }
        if (stays) {
            memcpy(out + (size_t)count++ * of->bytes, item, of->bytes);
        }
    }
    return count;
}

/* Writes an entry without dead targets. If no target is left, the entry removes the component.
 * Returns the size of the written entry. */
static size_t apply_write_filtered(const setti_delta* delta, const setti_delta_type* of,
                                   const setti_delta_entry* entry, unsigned char* out)
{
    size_t count_size = of->form == SETTI_DELTA_LINKS ? 4 : 0;
    unsigned char* items = out + SETTI_DELTA_ENTRY_HEAD + count_size;
    uint32_t count = apply_copy_items(delta, of, entry, items);
    out[0] = (unsigned char)(count != 0 ? entry->kind : SETTI_DELTA_REMOVED);
    setti_bytes_put(out + 1, entry->index, 4);
    if (count == 0) {
        return SETTI_DELTA_ENTRY_HEAD;
    }
    if (of->form == SETTI_DELTA_TREE &&
        !apply_parent_will_live(delta, setti_delta_word(items, 0))) {
        setti_bytes_put(items, 0, 4); /* no parent */
    }
    setti_bytes_put(out + SETTI_DELTA_ENTRY_HEAD, count, count_size); /* none if count_size is 0 */
    return SETTI_DELTA_ENTRY_HEAD + count_size + (size_t)count * of->bytes;
}

/* Writes an entry with full values in place of its `count` rounded values. Returns the size. */
static size_t apply_write_restored(const setti_delta_type* of, const setti_delta_entry* entry,
                                   uint32_t count, const unsigned char* head, unsigned char* out)
{
    size_t value_size = setti_delta_bytes(of->type);
    size_t size = entry->bits != 0 ? SETTI_DELTA_BLOCK_HEAD : SETTI_DELTA_ENTRY_HEAD;
    memcpy(out, head, size);
    for (uint32_t k = 0; k < count; k++) {
        setti_send_unpack(of->type->members, entry->bytes + (size_t)k * of->bytes, value_size,
                          out + size);
        size += value_size;
    }
    return size;
}

/* Rewrites a part's entries: restores rounded values, or removes dead targets. */
static sett_status apply_rewrite(setti_delta* delta, setti_delta_reader* from, setti_delta_type* of)
{
    setti_bytes* out = &of->filtered;
    size_t value_size = setti_delta_bytes(of->type);
    for (uint32_t k = 0; k < of->count[SETTI_DELTA_ENTRIES]; k++) {
        const unsigned char* begin = from->at;
        setti_delta_entry entry = setti_delta_next(from, of);
        if (from->short_of || entry.kind >= SETTI_DELTA_KINDS) {
            return apply_reject_incomplete(delta, of);
        }
        uint32_t values = entry.bits != 0 ? setti_bits_count(entry.bits) : 1;
        size_t most = (size_t)(from->at - begin) + 4; /* 4: a count, which removed entries lack */
        if (of->sent) {
            values = entry.kind != SETTI_DELTA_REMOVED ? values : 0;
            most = SETTI_DELTA_BLOCK_HEAD + values * value_size;
        }
        if (!setti_bytes_reserve(&delta->world->pool, out, most)) {
            return setti_world_no_memory(delta->world, delta->player.call);
        }
        unsigned char* end = setti_bytes_end(out);
        out->size += of->sent ? apply_write_restored(of, &entry, values, begin, end)
                              : apply_write_filtered(delta, of, &entry, end);
    }
    if (of->sent) {
        of->bytes = (uint32_t)value_size;
    }
    of->section[SETTI_DELTA_ENTRIES] =
        (setti_delta_reader){.at = out->data, .end = setti_bytes_end(out)};
    return SETT_OK;
}

static sett_status apply_reject_required(const setti_delta* delta, const setti_type* type,
                                         const setti_type* other, bool removed)
{
    return apply_fail(
        delta, SETT_STATUS_INVALID,
        removed
            ? "the selection removes \"%.100s\", which \"%.100s\" requires, but `allowed` has "
              "only the first - allow both types"
            : "the selection adds \"%.100s\", which requires \"%.100s\", but `allowed` has only "
              "the first - allow both types",
        type->desc.name, other->desc.name);
}

/* Returns a type that `allowed` excludes, and that an entry would add or remove too, or NULL. */
static const setti_type* apply_find_excluded(const setti_delta* delta, const setti_delta_type* of,
                                             const setti_delta_entry* entry)
{
    bool removed = entry->kind == SETTI_DELTA_REMOVED;
    const setti_type_list* list = removed ? &of->type->dependants : &of->type->required;
    for (uint32_t k = 0; k < list->count; k++) {
        const setti_type* other = list->item[k];
        bool has = setti_delta_fate(delta, entry->index) == SETTI_FATE_STAYS &&
                   setti_storage_has(&other->storage, entry->index);
        bool changes = has == removed;
        bool is_switch = setti_type_switched(other) == of->type; /* comes with the type */
        if (changes && !is_switch && !setti_selection_has_type(delta->part->selection, other)) {
            return other;
        }
    }
    return NULL;
}

/* Fails if entries would, by requirements, add or remove components of excluded types. */
static sett_status apply_check_required(const setti_delta* delta, const setti_delta_type* of,
                                        setti_delta_reader from)
{
    for (uint32_t n = 0; n < of->count[SETTI_DELTA_ENTRIES]; n++) {
        setti_delta_entry block = setti_delta_next(&from, of);
        setti_delta_entry entry;
        while (setti_delta_take(&block, of, &entry)) {
            const setti_type* other = apply_find_excluded(delta, of, &entry);
            if (other != NULL) {
                return apply_reject_required(delta, of->type, other,
                                             entry.kind == SETTI_DELTA_REMOVED);
            }
        }
    }
    return SETT_OK;
}

static sett_status apply_check_part(setti_delta* delta, setti_delta_reader* from,
                                    setti_delta_type* of)
{
    bool has_targets = of->form == SETTI_DELTA_TREE || of->form == SETTI_DELTA_LINK ||
                       of->form == SETTI_DELTA_LINKS;
    bool rewritten = has_targets || of->sent;
    if (!setti_selection_has_type(delta->part->selection, of->type)) {
        return apply_fail(
            delta, SETT_STATUS_INVALID,
            "the selection changes type \"%.100s\", which `allowed` excludes - discard the "
            "selection, or add the type to `allowed`",
            of->type->desc.name);
    }
    if (of->count[SETTI_DELTA_CHANGES] != 0 || of->count[SETTI_DELTA_LISTS] != 0 ||
        of->count[SETTI_DELTA_ROWS] != 0 || of->form == SETTI_DELTA_TARGET) {
        return setti_delta_reject(delta, "\"%.100s\" has orders or targets, which only deltas have",
                                  of->type->desc.name);
    }
    if (has_targets &&
        of->bytes < (of->form == SETTI_DELTA_TREE ? APPLY_NODE_BYTES : APPLY_LINK_BYTES)) {
        return setti_delta_reject(delta, "a link of \"%.100s\" has too few bytes",
                                  of->type->desc.name);
    }
    sett_status status = rewritten ? apply_rewrite(delta, from, of) : SETT_OK;
    setti_delta_reader entries = of->section[SETTI_DELTA_ENTRIES];
    if (status == SETT_OK) {
        status = apply_check_entries(delta, rewritten ? &entries : from, of);
    }
    if (status == SETT_OK && delta->part->selection->types != NULL) {
        status = apply_check_required(delta, of, of->section[SETTI_DELTA_ENTRIES]);
    }
    return status;
}

/* Checks the sections of a type, and notes where they begin. */
static sett_status apply_check_type(setti_delta* delta, setti_delta_reader* from,
                                    setti_delta_type* of)
{
    of->section[SETTI_DELTA_ENTRIES] = *from;
    sett_status status = delta->part != NULL ? apply_check_part(delta, from, of)
                                             : apply_check_entries(delta, from, of);
    if (status == SETT_OK) {
        status = setti_delta_read_changes(delta, from, of);
    }
    of->section[SETTI_DELTA_LISTS] = *from;
    if (status == SETT_OK) {
        status = apply_check_lists(delta, from, of);
    }
    of->section[SETTI_DELTA_ROWS] = *from;
    uint32_t limit = of->kind == SETTI_SPARSE ? of->extent : 0;
    if (status != SETT_OK || apply_skip_runs(from, of->count[SETTI_DELTA_ROWS], limit)) {
        return status;
    }
    return setti_delta_reject(delta, "the order of rows of \"%.100s\" is %s", of->type->desc.name,
                              from->short_of ? "incomplete" : "impossible");
}

static sett_status apply_check(setti_delta* delta, setti_delta_reader* from)
{
    sett_status status = apply_check_ended(delta);
    if (status == SETT_OK) {
        status = apply_check_begun(delta);
    }
    if (status == SETT_OK) {
        status = apply_check_slots(delta);
    }
    for (uint32_t k = 0; status == SETT_OK && k < delta->type_count; k++) {
        status = apply_check_type(delta, from, &delta->type[k]);
    }
    if (status == SETT_OK && from->at != from->end) {
        status = setti_delta_reject(delta, "bytes follow the last value");
    }
    return status;
}

/* ----------------------------------------------------------------------------------------- room */

/* The most pages of a table that a step copies. To delete a link, 9 records change: the deleted
 * record, 4 neighbours in lists, and 4 neighbours of the record that fills the gap. */
#define APPLY_STEP_PAGES 9

/* The most memory of the pool for a piece of `size` bytes. */
static size_t apply_piece_size(size_t size)
{
    return setti_align_up(size, SETTI_POOL_STEP) + 256;
}

/* Returns the table of which a step may write all pages, or NULL. */
static const setti_pages* apply_find_whole(const setti_delta* delta)
{
    const setti_type_list* types = &delta->world->registered;
    for (uint32_t k = 0; k < types->count; k++) {
        const setti_codec* codec = setti_delta_codec(types->item[k]);
        if (codec != NULL && codec->whole) {
            return &types->item[k]->storage.rows;
        }
    }
    return NULL;
}

/* Computes the memory for a step. Returns false when memory runs out. */
static bool apply_measure(setti_delta* delta)
{
    SETTI_ASSERT(!delta->loading && delta->world->pool.cow != NULL);
    setti_pool* pool = &delta->world->pool;
    const setti_pages* whole = apply_find_whole(delta);
    bool done = true;
    delta->room = (size_t)64 << 10; /* tables, sets of components, new pages */
    delta->room_pages = 0;
    for (const setti_root* root = delta->world->roots; root != NULL; root = root->next) {
        for (uint32_t k = 0; k < 2; k++) {
            const setti_pages* pages = root->pages[k];
            if (pages == NULL) {
                continue;
            }
            uint32_t count =
                pages == whole ? pages->count : SETTI_MIN(pages->count, APPLY_STEP_PAGES);
            delta->room_pages += count + 2;          /* 2: new pages */
            if (pages->size > SETTI_POOL_PAGE_MAX) { /* too large for the pool's blocks */
                done = done && setti_cow_hold(pool, pool->cow, pages, count);
            } else {
                delta->room += count * apply_piece_size(pages->size);
            }
        }
    }
    if (!done) {
        setti_world_no_memory(delta->world, delta->player.call);
    }
    return done;
}

/* Reserves `size` bytes for copies of `pages` pages. Sets the world's error on failure. */
static bool apply_reserve(const setti_delta* delta, size_t size, uint32_t pages)
{
    setti_pool* pool = &delta->world->pool;
    if (setti_pool_is_above(pool)) {
        (void)apply_reject_size(delta);
        return false;
    }
    /* a spare is taken when memory has run out: for this step, there are too few */
    bool done = pool->cow->diff != NULL && !pool->cow->spare_taken &&
                setti_diff_reserve(pool, pool->cow->diff, pages) && setti_pool_hold(pool, size);
    if (!done) {
        setti_world_no_memory(delta->world, delta->player.call);
    }
    return done;
}

bool setti_delta_room(const setti_delta* delta)
{
    return delta->loading || apply_reserve(delta, delta->room, delta->room_pages);
}

bool setti_delta_room_to_arrange(const setti_delta* delta, const setti_storage* storage,
                                 uint32_t extent)
{
    if (delta->loading) {
        return true;
    }
    SETTI_ASSERT(storage->kind == SETTI_SPARSE);
    setti_pool* pool = &delta->world->pool;
    const setti_pages* rows = &storage->rows;
    uint32_t pages = SETTI_MAX(rows->count, (extent >> storage->shift) + 1);
    size_t piece = apply_piece_size(rows->size);
    size_t presence = storage->presence.count * apply_piece_size(storage->presence.size);
    size_t table = apply_piece_size((size_t)pages * 64); /* the table of pages may grow */
    size_t scratch = 0;                                  /* the buffer of the sort */
    size_t size = delta->room + presence + table;
    bool done = setti_multiply(storage->count, SETTI_MAX(storage->size, 8), &scratch);
    if (done && scratch <= SETTI_POOL_PAGE_MAX) {
        size += apply_piece_size(scratch); /* a larger buffer is not from the pool's blocks */
    }
    if (done && rows->size > SETTI_POOL_PAGE_MAX) {
        done = setti_cow_hold(pool, pool->cow, rows, rows->count);
    } else if (done) {
        done = piece <= (SIZE_MAX - size) / 2 / pages;
        size += done ? 2 * pages * piece : 0; /* copies, and new pages in place of parked pages */
    }
    if (!done) {
        setti_world_no_memory(delta->world, delta->player.call);
        return false;
    }
    return apply_reserve(delta, size, delta->room_pages + pages + storage->presence.count);
}

/* ------------------------------------------------------------------------------------- changing */

/* Returns the limit of memory for a delta of `size` bytes. */
static size_t apply_limit(const setti_delta* delta, size_t size)
{
    size_t limit = setti_state_of(delta->world)->options.delta_limit;
    if (limit != 0) {
        return limit;
    }
    size = SETTI_MIN(size, SIZE_MAX / 4 / APPLY_BYTES_A_BYTE); /* no overflow below */
    return size * APPLY_BYTES_A_BYTE + APPLY_BYTES + delta->world->pool.block_size;
}

/* Returns the capacities of all tables, two for each root, or NULL when memory runs out. */
static uint32_t* apply_list_capacities(const sett_world* world, size_t size)
{
    uint32_t* capacity = setti_pool_alloc(setti_unconst(&world->pool), size, 16);
    if (capacity == NULL) {
        return NULL;
    }
    for (const setti_root* root = world->roots; root != NULL; root = root->next) {
        for (uint32_t k = 0; k < 2; k++) {
            const setti_pages* pages = root->pages[k];
            capacity[2 * root->number + k] = pages != NULL ? pages->capacity : 0;
        }
    }
    return capacity;
}

/* Frees the memory of an undone delta. The first `roots` roots had the capacities in `capacity`. */
static void apply_free_undone(sett_world* world, const uint32_t* capacity, uint32_t roots)
{
    SETTI_ASSERT(world->pool.ceiling == 0);
    for (const setti_root* root = world->roots; root != NULL && root->number < roots;
         root = root->next) {
        for (uint32_t k = 0; k < 2; k++) {
            if (root->pages[k] != NULL) {
                setti_pages_shrink(&world->pool, root->pages[k], capacity[2 * root->number + k]);
            }
        }
    }
    setti_entity_trim(&world->pool, &world->entities);
    setti_edit_reclaim_signatures(world);
    setti_pool_trim(&world->pool);
}

/* Whether hashes of states must be compared. Parts have none. */
static bool apply_has_hashes(const setti_delta* delta)
{
    return !delta->trusted && delta->part == NULL;
}

/* Whether the world's hash is `hash`, in the sent bits. */
static bool apply_is_state(const setti_delta* delta, uint64_t hash)
{
    return ((sett_world_hash(delta->world) ^ hash) & delta->hash_mask) == 0;
}

static sett_status apply_reject_result(const setti_delta* delta)
{
    sett_entity entity;
    const char* name;
    if (!setti_delta_find_altered(delta, &entity, &name)) {
        return apply_fail(
            delta, SETT_STATUS_INVALID,
            "the result differs from the sender's state - remove writes from callbacks of this "
            "world, or apply the sender's whole state (sett_state_apply)");
    }
    return setti_world_fail_with(delta->world, SETT_STATUS_INVALID,
                                 "%s: a callback of this world wrote \"%.100s\" of entity %u:%u, "
                                 "a value that the delta sets - let callbacks of this world "
                                 "only read",
                                 delta->player.call, name, SETTI_HANDLE(entity));
}

/* Gives types with choices the sender's choices. */
static void apply_choices(const setti_delta* delta)
{
    for (uint32_t k = 0; k < delta->type_count; k++) {
        setti_type* type = delta->type[k].type;
        if (type->module != NULL && type->module->choose != NULL) {
            type->module->choose(type, delta->type[k].choice);
        }
    }
}

/* Plays a delta, and checks the result. While loading, there is no snapshot `undo`. */
static sett_status apply_play(setti_delta* delta, sett_snapshot undo)
{
    sett_world* world = delta->world;
    sett_status status = SETT_OK;
    sett_status found;
    if (!delta->loading && !apply_measure(delta)) {
        return world->error;
    }
    setti_pool_set_ceiling(&world->pool, delta->limit);
    const setti_snapshot* before = setti_snapshot_find(world, undo, &found);
    SETTI_ASSERT(delta->loading || before != NULL);
    if (!setti_delta_play(delta) ||
        (delta->part == NULL && !setti_delta_arrange(delta, setti_unconst(before)))) {
        status = apply_fail_step(delta);
    } else if (world->last_tag != NULL && world->last_tag->storage.count > 1) {
        status = setti_delta_reject(delta, "two entities have singletons");
    } else if (apply_has_hashes(delta) && !apply_is_state(delta, delta->after)) {
        status = apply_reject_result(delta);
    }
    setti_pool_set_ceiling(&world->pool, 0);
    if (status == SETT_OK && delta->part == NULL) {
        apply_choices(delta);
    }
    return status;
}

/* Plays a delta. After a failure, restores the state. */
static sett_status apply_or_undo(setti_delta* delta)
{
    sett_world* world = delta->world;
    setti_state* state = setti_state_of(world);
    SETTI_ASSERT(state != NULL && world->locks == 0);
    sett_snapshot undo;
    setti_state_lift_limit(state); /* so that no older snapshot is dropped to make room */
    sett_status status = setti_snapshot_take(world, &undo, delta->player.call);
    if (status != SETT_OK) {
        setti_state_set_limit(state);
        return status;
    }
    status = apply_play(delta, undo);
    if (status != SETT_OK) {
        (void)sett_world_message(world); /* writes the text while the named entity exists */
        sett_status back = sett_snapshot_status(world, undo);
        if (back == SETT_OK) {
            back = setti_snapshot_undo(world, undo, delta->player.call);
        } else {
            setti_world_fail_with(
                world, back,
                "%s: the %s failed, and memory ran out before it was undone: this "
                "world has a part of it - apply a whole state (sett_state_apply)",
                delta->player.call, setti_delta_noun(delta));
        }
        status = back != SETT_OK ? back : status;
    }
    if (sett_snapshot_status(world, undo) == SETT_OK) { /* not dropped by the undo */
        (void)sett_snapshot_drop(world, undo);
    }
    setti_state_set_limit(state);
    if (status == SETT_OK && !world->pool.small) { /* keeps the memory for the next delta */
        setti_pool_end_hold(&world->pool);
    } else {
        setti_pool_let_go(&world->pool);
    }
    setti_cow_let_go(&world->pool, world->pool.cow);
    world->epoch++;
    return status;
}

static sett_status apply_reject_state(const setti_delta* delta)
{
    if (apply_is_state(delta, delta->after)) {
        return apply_fail(delta, SETT_STATUS_CONFLICT,
                          "this world is in the delta's last state already - skip the delta");
    }
    for (uint32_t k = 0; k < delta->type_count; k++) {
        const setti_delta_type* of = &delta->type[k];
        if (of->padding_hash != setti_type_data(of->type)->padding_hash) {
            return apply_fail(
                delta, SETT_STATUS_CONFLICT,
                "this world differs from the delta's first state: the sender takes other bytes of "
                "\"%.100s\" for padding - register it with the same `members`, `mask` and `bytes` "
                "in both programs",
                of->type->desc.name);
        }
    }
    return apply_fail(
        delta, SETT_STATUS_CONFLICT,
        "this world differs from the delta's first state - apply all deltas in order and change "
        "nothing between them, or begin with the sender's whole state (sett_state_apply)");
}

/* Plays a delta. After a failure, restores the state and frees memory. */
static sett_status apply_change(setti_delta* delta, size_t size)
{
    sett_world* world = delta->world;
    if (setti_state_get(world, delta->player.call) == NULL) {
        return world->error;
    }
    uint32_t roots = world->last_root->number + 1;
    size_t old_size = world->pool.block_size;
    uint32_t* capacity = apply_list_capacities(world, 2 * roots * sizeof(*capacity));
    if (capacity == NULL) {
        return setti_world_no_memory(world, delta->player.call);
    }
    delta->limit = apply_limit(delta, size);
    sett_status status = apply_or_undo(delta);
    if (status != SETT_OK && world->pool.block_size > old_size) {
        apply_free_undone(world, capacity, roots);
    }
    setti_pool_free(&world->pool, capacity, 2 * roots * sizeof(*capacity), 16);
    return status;
}

static void apply_end(const setti_delta* delta)
{
    for (uint32_t k = 0; k < delta->types_found; k++) {
        delta->type[k].type->delta_number = 0;
        setti_bytes_free(&delta->world->pool, &delta->type[k].changes);
        setti_bytes_free(&delta->world->pool, &delta->type[k].filtered);
    }
    if (delta->type != NULL) {
        setti_pool_free(&delta->world->pool, delta->type, apply_types_size(delta), 16);
    }
}

static setti_fate apply_fate(const setti_player* player, uint32_t index)
{
    return setti_delta_fate((const setti_delta*)player, index);
}

static bool apply_player_room(const setti_player* player)
{
    return setti_delta_room((const setti_delta*)player);
}

static bool apply_player_reject(const setti_player* player, const setti_type* type, const char* why)
{
    const setti_delta* delta = (const setti_delta*)player;
    return setti_delta_reject(delta, "\"%.100s\": %s", type->desc.name, why) == SETT_OK;
}

/* Applies recorded commands, then parses and checks a delta. */
static sett_status apply_begin(setti_delta* delta, setti_delta_reader* from)
{
    sett_world* world = delta->world;
    sett_status status = setti_world_check_unlocked(world, delta->player.call);
    SETTI_ASSERT(!delta->loading || (world->entities.count == 0 && world->listeners == NULL));
    if (status == SETT_OK && !delta->loading) { /* the reader of a file checks the file's types */
        status = setti_values_check(world, delta->player.call);
    }
    delta->player.fate = apply_fate;
    delta->player.room = apply_player_room;
    delta->player.reject = apply_player_reject;
    delta->player.read_data = setti_delta_read_data;
    if (status == SETT_OK) {
        status = setti_commands_apply_all(world, delta->player.call);
    }
    if (status == SETT_OK) {
        status = apply_parse(delta, from);
    }
    if (status == SETT_OK && apply_has_hashes(delta) && !apply_is_state(delta, delta->before)) {
        status = apply_reject_state(delta);
    }
    return status == SETT_OK ? apply_check(delta, from) : status;
}

static sett_status apply_bytes(setti_delta* delta, const void* bytes, size_t size)
{
    setti_delta_reader from = setti_delta_reader_of(bytes, size);
    const sett_snapshot no_undo = {0, 0};
    sett_status status = apply_begin(delta, &from);
    if (status == SETT_OK && delta->loading) {
        status = apply_play(delta, no_undo);
    } else if (status == SETT_OK) {
        status = apply_change(delta, size);
    }
    apply_end(delta);
    return status;
}

sett_status setti_delta_apply(sett_world* world, const void* bytes, size_t size, setti_trust trust)
{
    setti_delta delta = {
        .player.call = apply_call, .world = world, .trusted = trust == SETTI_TRUST};
    return apply_bytes(&delta, bytes, size);
}

sett_status setti_delta_apply_from(sett_world* world, const void* bytes, size_t size,
                                   setti_delta_source source, const char* call)
{
    setti_delta delta = {.player.call = call, .world = world, .source = source};
    return apply_bytes(&delta, bytes, size);
}

sett_status setti_delta_apply_part(sett_world* world, const void* bytes, size_t size,
                                   const setti_delta_allowed* allowed, const char* call)
{
    setti_delta delta = {
        .player.call = call, .world = world, .source = SETTI_FROM_SELECTION, .part = allowed};
    return apply_bytes(&delta, bytes, size);
}

sett_status setti_delta_load(sett_world* world, const void* bytes, size_t size, size_t limit,
                             setti_delta_source source)
{
    setti_delta delta = {.player.call = apply_call,
                         .world = world,
                         .loading = true,
                         .source = source,
                         .limit = limit};
    return apply_bytes(&delta, bytes, size);
}

sett_status setti_delta_convert(sett_world* world, const setti_bytes* state,
                                const setti_delta_rules* rules)
{
    setti_delta delta = {.player.call = apply_call,
                         .world = world,
                         .rules = rules,
                         .loading = true,
                         .trusted = true, /* converted values change the hash */
                         .source = SETTI_FROM_FILE};
    return apply_bytes(&delta, state->data, state->size);
}

sett_status sett_delta_apply(sett_world* world, const void* bytes, size_t size)
{
    if (world != NULL && setti_world_lacks_list(world, bytes, size, __func__, "bytes")) {
        return SETT_STATUS_ARGUMENT;
    }
    return setti_delta_apply_from(world, bytes, size, SETTI_FROM_DELTA, __func__);
}

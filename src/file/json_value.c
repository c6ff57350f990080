/* json_value.c: values of components as JSON, by their members.
 *
 * The workload: as in json_text.c. A value is read over an initialised value, so that members
 * missing in the text stay unchanged.
 *
 * Invariant:  a written value is read as a value with the same canonical form
 */
#include "file/json_value.h"

#include "sett/hierarchy.h"
#include "sett/name.h"
#include "state/snapshot.h"
#include "value/number.h"
#include "world/written.h"

#include <stdio.h>

#define JSON_INTEGER_MAX (((uint64_t)1 << 53) - 1) /* JavaScript rounds larger integers */
#define JSON_SEEN (SETTI_MEMBERS_COUNT_MAX / 64)   /* words of a set with a bit for each member */

/* Writes "/name" with escapes, so that it ends before text[end]. Returns the offset of the '/', or
 * 0 if there is no room. */
static size_t reference_add(char* text, size_t end, const char* name)
{
    size_t begin = end;
    for (size_t k = strlen(name); k > 0; k--) {
        bool escape = name[k - 1] == '\\' || name[k - 1] == '/';
        if (begin < 4) { /* this character, the escape and the '/' must fit after text[0] */
            return 0;
        }
        text[--begin] = name[k - 1];
        if (escape) {
            text[--begin] = '\\';
        }
    }
    text[--begin] = '/';
    return begin;
}

size_t setti_json_path(sett_world* world, sett_entity entity, char text[SETTI_JSON_REFERENCE])
{
    const size_t end = SETTI_JSON_REFERENCE - 1;
    size_t begin = end; /* the names are written from the last to the first */
    text[end] = '\0';
    while (!sett_is_null(entity)) {
        const char* name = NULL;
        if (world->naming != NULL) {
            name = sett_name_get(world, entity);
        }
        if (name == NULL || !setti_utf8_is_valid(name, strlen(name))) {
            return 0;
        }
        begin = reference_add(text, begin, name);
        if (begin == 0) {
            return 0;
        }
        entity = sett_hierarchy_parent(world, entity);
    }
    memmove(text, text + begin, end - begin + 1); /* 1: the zero at the end */
    return end - begin;
}

size_t setti_json_handle(sett_entity entity, char out[SETTI_JSON_HANDLE])
{
    size_t length = 2;
    memcpy(out, "\"#", 2);
    length += setti_number_digits(entity.index, out + length);
    out[length++] = ':';
    length += setti_number_digits(entity.generation, out + length);
    out[length++] = '"';
    return length;
}

void setti_json_add_reference(setti_json_out* out, sett_world* world, sett_entity entity)
{
    char text[SETTI_JSON_REFERENCE];
    size_t length = 0;
    if (sett_entity_valid(world, entity)) {
        length = setti_json_path(world, entity, text);
    }
    if (length != 0) {
        setti_json_add_string(out, text, length);
    } else {
        setti_json_add(out, text, setti_json_handle(entity, text));
    }
}

static void value_add_struct(setti_json_out* out, sett_world* world, const sett_struct* structure,
                             const unsigned char* value);

/* Returns the first constant that has the value `value`. Returns NULL if there is none. Also
 * returns NULL if an earlier constant has the same name, because a reader would find the earlier
 * one. */
static const sett_constant* value_constant(const sett_member* member, int64_t value)
{
    const sett_constant* constant = member->constants;
    while (constant->name != NULL && constant->value != value) {
        constant++;
    }
    if (constant->name == NULL) {
        return NULL;
    }
    for (const sett_constant* earlier = member->constants; earlier != constant; earlier++) {
        if (strcmp(earlier->name, constant->name) == 0) {
            return NULL;
        }
    }
    return constant;
}

/* Writes a number. Writes it in quotes if JSON has no such number, or if JavaScript would round
 * it. */
static void value_add_number(setti_json_out* out, const sett_member* member,
                             const unsigned char* bytes)
{
    char number[SETTI_NUMBER_SIZE];
    size_t length = setti_number_write(member->kind, bytes, member->scale, number);
    bool quoted;
    if (setti_number_is_integer(member->kind) && member->scale == 0) {
        uint64_t value = (uint64_t)setti_number_load(member->kind, bytes);
        if (number[0] == '-') {
            value = 0 - value; /* the magnitude */
        }
        quoted = value > JSON_INTEGER_MAX;
    } else {
        quoted = number[0] > '9' || number[length - 1] > '9'; /* letters: NaN, -Infinity */
    }
    if (quoted) {
        setti_json_add_text(out, "\"");
    }
    setti_json_add(out, number, length);
    if (quoted) {
        setti_json_add_text(out, "\"");
    }
}

/* Writes a list of the names of the set bits. All bits without a name become one number. */
static void value_add_bits(setti_json_out* out, const sett_member* member, int64_t value)
{
    uint64_t unnamed = (uint64_t)value;
    const char* between = "[";
    unsigned char bytes[8];
    for (const sett_constant* constant = member->constants; constant->name != NULL; constant++) {
        uint64_t bits = (uint64_t)constant->value;
        if (bits != 0 && (unnamed & bits) == bits) {
            setti_json_add_text(out, between);
            setti_json_add_string(out, constant->name, strlen(constant->name));
            between = ", ";
            unnamed &= ~bits;
        }
    }
    if (unnamed != 0) {
        setti_number_store(member->kind, (int64_t)unnamed, bytes);
        setti_json_add_text(out, between);
        value_add_number(out, member, bytes);
    }
    setti_json_add_text(out, value == 0 ? "[]" : "]"); /* 0: "[" was not written */
}

static void value_add_named(setti_json_out* out, const sett_member* member,
                            const unsigned char* bytes)
{
    if (member->constants == NULL) {
        value_add_number(out, member, bytes);
        return;
    }
    int64_t value = setti_number_load(member->kind, bytes);
    const sett_constant* constant = value_constant(member, value);
    if (member->bits) {
        value_add_bits(out, member, value);
    } else if (constant != NULL) {
        setti_json_add_string(out, constant->name, strlen(constant->name));
    } else {
        value_add_number(out, member, bytes);
    }
}

static void value_add_entity(setti_json_out* out, sett_world* world, const unsigned char* bytes)
{
    sett_entity entity;
    memcpy(&entity, bytes, sizeof(entity));
    /* a null handle with an index, such as "#7:0", is written as a handle */
    if (sett_is_null(entity) && entity.index == 0) {
        setti_json_add_text(out, "null");
    } else {
        setti_json_add_reference(out, world, entity);
    }
}

static void value_add_element(setti_json_out* out, sett_world* world, const sett_member* member,
                              const unsigned char* bytes);

/* Writes elements as a list, or as an object if the elements have names. */
static void value_add_elements(setti_json_out* out, sett_world* world, const sett_member* member,
                               const unsigned char* bytes, uint32_t count)
{
    const char* const* names = member->element_names;
    size_t element_size = member->size / member->count;
    const char* between = names != NULL ? "{" : "[";
    for (uint32_t k = 0; k < count; k++) {
        setti_json_add_text(out, between);
        between = ", ";
        if (names != NULL) {
            setti_json_add_string(out, names[k], strlen(names[k]));
            setti_json_add_text(out, ": ");
        }
        value_add_element(out, world, member, bytes);
        bytes += element_size;
    }
    if (names != NULL) {
        setti_json_add_text(out, "}");
    } else if (count != 0) {
        setti_json_add_text(out, "]");
    } else {
        setti_json_add_text(out, "[]");
    }
}

/* Writes a text, which ends at the first zero byte or at the end of the member. */
static void value_add_text(setti_json_out* out, const sett_member* member,
                           const unsigned char* bytes)
{
    size_t length = member->size;
    const unsigned char* end = memchr(bytes, 0, length);
    if (end != NULL) {
        length = (size_t)(end - bytes);
    }
    setti_json_add_bytes(out, (const char*)bytes, length);
}

static void value_add_element(setti_json_out* out, sett_world* world, const sett_member* member,
                              const unsigned char* bytes)
{
    sett_string string;
    sett_member item;
    sett_list list;
    switch (member->kind) {
    case SETT_MEMBER_BOOL:
        setti_json_add_text(out, *bytes != 0 ? "true" : "false");
        break;
    case SETT_MEMBER_TEXT:
        value_add_text(out, member, bytes);
        break;
    case SETT_MEMBER_ENTITY:
        value_add_entity(out, world, bytes);
        break;
    case SETT_MEMBER_OPAQUE:
        setti_json_add_base64(out, bytes, member->size);
        break;
    case SETT_MEMBER_STRUCT:
        value_add_struct(out, world, member->of, bytes);
        break;
    case SETT_MEMBER_STRING:
        string = setti_owned_string(bytes);
        setti_json_add_bytes(out, sett_string_get(&string), strlen(sett_string_get(&string)));
        break;
    case SETT_MEMBER_LIST:
        item = setti_member_item(member);
        list = setti_owned_list(bytes, item.size);
        value_add_elements(out, world, &item, list.items, list.count);
        break;
    default:
        value_add_named(out, member, bytes);
        break;
    }
}

static void value_add_struct(setti_json_out* out, sett_world* world, const sett_struct* structure,
                             const unsigned char* value)
{
    const char* between = "{";
    for (uint32_t k = 0; k < structure->count; k++) {
        const sett_member* member = &structure->members[k];
        if (!member->local) {
            setti_json_add_text(out, between);
            setti_json_add_string(out, member->name, strlen(member->name));
            setti_json_add_text(out, ": ");
            if (setti_member_is_array(member)) {
                value_add_elements(out, world, member, value + member->offset, member->count);
            } else {
                value_add_element(out, world, member, value + member->offset);
            }
            between = ", ";
        }
    }
    bool is_empty = *between == '{'; /* no member was written */
    setti_json_add_text(out, is_empty ? "{}" : "}");
}

/* Writes the bytes of a value if the type has no known members. Padding is written as zeroes. */
static void value_add_raw(setti_json_out* out, sett_world* world, const setti_type* type,
                          const unsigned char* value)
{
    size_t size = type->desc.size;
    const unsigned char* mask = type->desc.mask;
    if (mask == NULL) { /* no padding */
        setti_json_add_base64(out, value, size);
        return;
    }
    unsigned char* copy = setti_pool_alloc(&world->pool, size, 8);
    if (copy == NULL) {
        out->no_memory = true;
        return;
    }
    for (size_t k = 0; k < size; k++) {
        copy[k] = value[k] & mask[k];
    }
    setti_json_add_base64(out, copy, size);
    setti_pool_free(&world->pool, copy, size, 8);
}

/* Writes the struct that a `write` hook makes of a value. Returns false if the hook fails. */
static bool value_add_shown(setti_json_out* out, sett_world* world, const setti_type* type,
                            const void* value)
{
    setti_written_view view;
    bool shown = setti_written_show(type, value, &view) == SETT_OK;
    if (shown) {
        value_add_struct(out, world, &type->written->of, view.value);
    }
    setti_written_end(&view);
    return shown;
}

/* Writes the struct that a `write` hook makes of a value. Without a struct, writes the bytes. */
static void value_add_written(setti_json_out* out, sett_world* world, const setti_type* type,
                              const void* value)
{
    if (type->written != NULL && value_add_shown(out, world, type, value)) {
        return;
    }
    setti_bytes bytes = {0};
    if (!setti_type_write_bytes(type, value, &world->pool, &bytes)) {
        out->no_memory = true;
    }
    setti_json_add_bytes(out, (const char*)bytes.data, bytes.size);
    setti_bytes_free(&world->pool, &bytes);
}

/* Returns true if a JSON text contains the values of a type. */
static bool value_is_saved(const setti_type* type)
{
    const sett_component_desc* desc = &type->desc;
    bool owns = desc->copy != NULL || desc->deinit != NULL || desc->move != NULL;
    if (type->members == NULL && desc->write == NULL) {
        return desc->save == SETT_SAVE_BYTES && !owns;
    }
    bool is_opaque = type->members != NULL && type->members->opaque;
    /* opaque bytes in a text could become a pointer that hooks free */
    bool is_unsafe = is_opaque && setti_values_unsaved(type) != NULL;
    return desc->save != SETT_SAVE_SKIP && !is_unsafe;
}

void setti_json_add_value(setti_json_out* out, sett_world* world, const setti_type* type,
                          const void* value)
{
    if (type->desc.size == 0) {
        setti_json_add_text(out, "true");
    } else if (!value_is_saved(type)) {
        setti_json_add_text(out, "null");
    } else if (type->members != NULL) {
        value_add_struct(out, world, &type->members->of, value);
    } else if (type->desc.write != NULL) {
        value_add_written(out, world, type, value);
    } else {
        value_add_raw(out, world, type, value);
    }
}

void setti_json_reader_init(setti_json_reader* reader, sett_world* world, const char* text,
                            size_t size)
{
    memset(reader, 0, sizeof(*reader));
    reader->json.text = text;
    reader->json.size = size;
    reader->world = world;
    reader->path.out = reader->path_text;
    reader->path.size = sizeof(reader->path_text);
}

size_t setti_json_enter(setti_json_reader* reader, const char* separator, const char* name)
{
    size_t before = reader->path.length;
    setti_writer_add_text(&reader->path, separator);
    setti_writer_add_text(&reader->path, name);
    return before;
}

void setti_json_leave(setti_json_reader* reader, size_t before)
{
    SETTI_ASSERT(before <= reader->path.length);
    if (reader->json.wrong == NULL) { /* the message of an error needs the path */
        reader->path.length = before;
        reader->path_text[SETTI_MIN(before, sizeof(reader->path_text) - 1)] = '\0';
    }
}

/* Stores an error if it is the first error. The message is `wrong` and then the formatted text.
 * Returns false. */
static bool value_fail(setti_json_reader* reader, size_t offset, const char* wrong,
                       const char* format, ...) SETTI_PRINTF(4, 5);

static bool value_fail(setti_json_reader* reader, size_t offset, const char* wrong,
                       const char* format, ...)
{
    va_list arguments;
    if (reader->json.wrong == NULL) {
        va_start(arguments, format);
        (void)vsnprintf(reader->message_end, sizeof(reader->message_end), format, arguments);
        va_end(arguments);
    }
    return setti_json_fail(&reader->json, offset, wrong);
}

bool setti_json_unknown(setti_json_reader* reader, size_t offset, const char* wrong,
                        const char* remedy, setti_guess* guess)
{
    reader->skipped++;
    if (reader->allow_unknown) {
        return setti_json_skip(&reader->json);
    }
    if (guess != NULL && guess->found != NULL) {
        remedy = setti_guess_text(guess);
    }
    return value_fail(reader, offset, wrong, "%s", remedy);
}

/* Reads a number that the character `end` follows. Returns the text after `end`. Returns NULL if
 * the text does not begin with such a number. */
static const char* handle_number(const char* text, char end, uint32_t* number)
{
    size_t digits = strspn(text, "0123456789");
    /* a u32 has at most 10 digits */
    if (digits == 0 || digits > 10 || text[digits] != end) {
        return NULL;
    }
    if (setti_number_read(SETT_MEMBER_U32, text, digits, 0, number) != NULL) {
        return NULL;
    }
    return text + digits + 1;
}

bool setti_json_parse_handle(const char* text, sett_entity* out)
{
    if (text[0] != '#') {
        return false;
    }
    const char* generation = handle_number(text + 1, ':', &out->index);
    if (generation == NULL) {
        return false;
    }
    return handle_number(generation, '\0', &out->generation) != NULL;
}

static bool value_read_struct(setti_json_reader* reader, const sett_struct* structure,
                              unsigned char* value);

static bool value_read_entity(setti_json_reader* reader, unsigned char* bytes)
{
    setti_json* json = &reader->json;
    char text[SETTI_JSON_REFERENCE];
    sett_entity entity = sett_null();
    size_t length;
    char first_char = setti_json_peek(json);
    size_t offset = json->offset;
    if (first_char == 'n') {
        if (!setti_json_null(json)) {
            return false;
        }
    } else if (first_char == '"') {
        if (!setti_json_string(json, text, sizeof(text), &length)) {
            return false;
        }
        if (!reader->find(reader, text, offset, &entity)) {
            return false;
        }
    } else {
        return setti_json_fail(json, offset,
                               "null, \"/path\" or \"#index:generation\" is expected");
    }
    memcpy(bytes, &entity, sizeof(entity));
    return true;
}

bool setti_json_read_base64(setti_json* json, unsigned char* out, size_t capacity, size_t* length)
{
    char key[SETTI_JSON_KEY];
    size_t offset = json->offset;
    bool begins = setti_json_begin(json, '{') && setti_json_key(json, key);
    if (!begins || strcmp(key, "base64") != 0) {
        return setti_json_fail(json, offset, "{\"base64\": \"...\"} is expected");
    }
    if (!setti_json_base64(json, out, capacity, length)) {
        return false;
    }
    bool has_more = setti_json_key(json, key); /* false at the end, but also after an error */
    if (has_more || json->wrong != NULL) {
        return setti_json_fail(json, offset, "{\"base64\": \"...\"} is expected");
    }
    return true;
}

static bool value_fail_few(setti_json_reader* reader, size_t offset, const char* wrong,
                           size_t count, size_t expected)
{
    return value_fail(reader, offset, wrong, ": %u instead of %u - write all of them",
                      (unsigned)count, (unsigned)expected);
}

/* Reads base64. Fails if more bytes than `capacity` follow. */
static bool value_read_base64(setti_json_reader* reader, unsigned char* out, size_t capacity,
                              size_t* length)
{
    size_t offset = reader->json.offset;
    if (!setti_json_read_base64(&reader->json, out, capacity, length)) {
        return false;
    }
    if (*length > capacity) {
        return value_fail(reader, offset, "the value has too many bytes",
                          ": %u, and %u fit - shorten it", (unsigned)*length, (unsigned)capacity);
    }
    return true;
}

/* Reads a string or base64. Stores at most `capacity` bytes. *length becomes the number of all
 * bytes. */
static bool value_read_chars(setti_json_reader* reader, unsigned char* out, size_t capacity,
                             size_t* length)
{
    if (setti_json_peek(&reader->json) == '{') {
        return setti_json_read_base64(&reader->json, out, capacity, length);
    }
    return setti_json_chars(&reader->json, (char*)out, capacity, length);
}

static bool value_read_text(setti_json_reader* reader, const sett_member* member,
                            unsigned char* bytes)
{
    setti_json* json = &reader->json;
    size_t length = 0;
    size_t offset = json->offset;
    memset(bytes, 0, member->size);
    if (!value_read_chars(reader, bytes, member->size, &length)) {
        return false;
    }
    if (length > member->size) {
        return value_fail(reader, offset, "the value has too many bytes",
                          ": %u, and %u fit - shorten it", (unsigned)length, member->size);
    }
    if (memchr(bytes, 0, length) != NULL) {
        return setti_json_fail(json, offset, "a text contains a zero byte - remove it");
    }
    return true;
}

/* Counts the bytes of a string without storing the bytes. *begin becomes a copy of `reader->json`
 * before the string, so that the caller can read the string again. */
static bool value_count_chars(setti_json_reader* reader, setti_json* begin, size_t* length)
{
    unsigned char unused; /* the capacity is 0 */
    (void)setti_json_skip_space(&reader->json);
    *begin = reader->json;
    return value_read_chars(reader, &unused, 0, length);
}

static bool value_read_string(setti_json_reader* reader, unsigned char* bytes)
{
    setti_json* json = &reader->json;
    const sett_allocator* allocator = &reader->world->pool.allocator;
    size_t length = 0;
    setti_json begin;
    if (!value_count_chars(reader, &begin, &length)) {
        return false;
    }
    if (length > INT32_MAX) {
        return setti_json_fail(json, begin.offset, "a text has more than 2 GB - shorten it");
    }
    char* text = setti_owned_create(allocator, length + 1);
    if (text == NULL) {
        return false; /* `json` has no error, so that setti_json_report reports OUT_OF_MEMORY */
    }
    *json = begin;
    (void)value_read_chars(reader, (unsigned char*)text, length, &length);
    text[length] = '\0';
    if (memchr(text, 0, length) != NULL) {
        setti_owned_drop(text);
        return setti_json_fail(json, begin.offset, "a text contains a zero byte - remove it");
    }
    if (length == 0) { /* an empty string has no text */
        setti_owned_drop(text);
        text = NULL;
    }
    sett_string string = setti_owned_string(bytes);
    setti_owned_drop(string.text);
    string.room_ = 0;
    string.text = text;
    memcpy(bytes, &string, sizeof(string));
    return true;
}

/* Fails because no constant has the name. The message lists as many known constants as fit. */
static bool value_fail_constant(setti_json_reader* reader, size_t offset,
                                const sett_constant* known)
{
    setti_writer list = setti_writer_begin(reader->message_end, sizeof(reader->message_end));
    const char* between = ": ";
    for (; known->name != NULL; known++) {
        size_t length = strlen(between) + strlen(known->name);
        if (list.length + length + sizeof(", ...") > list.size) { /* room for "..." must remain */
            setti_writer_add(&list, "%s...", between);
            break;
        }
        setti_writer_add(&list, "%s%s", between, known->name);
        between = ", ";
    }
    return setti_json_fail(&reader->json, offset, "not one of the member's constants");
}

/* Returns the first constant called `name`, or NULL if there is none. */
static const sett_constant* value_find_constant(const sett_member* member, const char* name)
{
    const sett_constant* constant = member->constants;
    if (constant == NULL) {
        return NULL;
    }
    while (constant->name != NULL && strcmp(constant->name, name) != 0) {
        constant++;
    }
    return constant->name != NULL ? constant : NULL;
}

/* Reads the name of a constant, or a number in quotes. */
static bool value_read_constant(setti_json_reader* reader, const sett_member* member,
                                unsigned char* bytes)
{
    setti_json* json = &reader->json;
    char name[SETTI_JSON_KEY];
    size_t length;
    size_t offset = json->offset;
    if (!setti_json_string(json, name, sizeof(name), &length)) {
        return false;
    }
    const sett_constant* constant = value_find_constant(member, name);
    if (constant != NULL) {
        setti_number_store(member->kind, constant->value, bytes);
        return true;
    }
    const char* wrong = setti_number_read(member->kind, name, strlen(name), member->scale, bytes);
    if (wrong == NULL) {
        return true;
    }
    if (member->constants != NULL) {
        return value_fail_constant(reader, offset, member->constants);
    }
    return value_fail(reader, offset, wrong, " (%s)", sett_member_kind_name(member->kind));
}

/* Reads NaN, Infinity or -Infinity in quotes. Rejects numbers in quotes. The caller rejects other
 * words. */
static bool value_read_word(setti_json* json, char word[SETTI_NUMBER_SIZE], size_t* length)
{
    size_t offset = json->offset;
    if (!setti_json_string(json, word, SETTI_NUMBER_SIZE, length)) {
        return false;
    }
    /* also true for an empty word, because strchr finds the zero at the end */
    bool looks_like_number = strchr("0123456789+-", word[0]) != NULL;
    bool is_word = !looks_like_number || strcmp(word, "-Infinity") == 0;
    if (*length >= SETTI_NUMBER_SIZE || !is_word) { /* too long, or a number */
        return setti_json_fail(json, offset, "a number is expected, without quotes");
    }
    return true;
}

static bool value_read_number(setti_json_reader* reader, const sett_member* member,
                              unsigned char* bytes)
{
    setti_json* json = &reader->json;
    char word[SETTI_NUMBER_SIZE];
    const char* text = word;
    size_t length;
    bool quoted = setti_json_peek(json) == '"';
    size_t offset = json->offset;
    if (quoted && setti_number_is_integer(member->kind)) {
        return value_read_constant(reader, member, bytes);
    }
    if (quoted) {
        if (!value_read_word(json, word, &length)) {
            return false;
        }
    } else {
        if (!setti_json_number(json, &text, &length)) {
            return false;
        }
    }
    const char* wrong = setti_number_read(member->kind, text, length, member->scale, bytes);
    if (wrong != NULL) {
        return value_fail(reader, offset, wrong, " (%s)", sett_member_kind_name(member->kind));
    }
    return true;
}

/* Reads a set of bits. The text has a list of constants and numbers, or a single number. */
static bool value_read_bits(setti_json_reader* reader, const sett_member* member,
                            unsigned char* bytes)
{
    setti_json* json = &reader->json;
    int64_t bits = 0;
    if (setti_json_peek(json) != '[') {
        return value_read_number(reader, member, bytes);
    }
    (void)setti_json_begin(json, '[');
    while (setti_json_item(json)) {
        unsigned char number[8];
        if (!value_read_number(reader, member, number)) {
            return false;
        }
        bits |= setti_number_load(member->kind, number);
    }
    setti_number_store(member->kind, bits, bytes);
    return json->wrong == NULL;
}

static bool value_read_element(setti_json_reader* reader, const sett_member* member,
                               unsigned char* bytes);

/* Reads the element `k` of an array or list that has room for `count` elements. */
static bool value_read_item(setti_json_reader* reader, const sett_member* member, uint32_t k,
                            uint32_t count, unsigned char* bytes)
{
    char number[16];
    bool valid;
    snprintf(number, sizeof(number), "[%u]", (unsigned)k);
    size_t before = setti_json_enter(reader, "", number);
    if (k < count) {
        valid = value_read_element(reader, member, bytes);
    } else {
        valid = value_fail(reader, reader->json.offset, "too many elements",
                           ": the array has %u - leave out the rest", (unsigned)count);
    }
    setti_json_leave(reader, before);
    return valid;
}

/* Counts the items of the list that follows. On success, `json` is before the list again. */
static bool value_count_items(setti_json* json, uint32_t* count)
{
    (void)setti_json_skip_space(json);
    const setti_json begin = *json;
    *count = 0;
    if (!setti_json_begin(json, '[')) {
        return false;
    }
    while (setti_json_item(json)) {
        if (!setti_json_skip(json)) {
            return false;
        }
        ++*count;
    }
    if (json->wrong != NULL) {
        return false;
    }
    *json = begin;
    return true;
}

/* Reads a list of `count` items. */
static bool value_read_items(setti_json_reader* reader, const sett_member* item, uint32_t count,
                             unsigned char* items)
{
    setti_json* json = &reader->json;
    if (!setti_json_begin(json, '[')) {
        return false;
    }
    for (uint32_t k = 0; setti_json_item(json); k++) {
        if (!value_read_item(reader, item, k, count, items)) {
            return false;
        }
        items += item->size;
    }
    return true; /* value_count_items has found no error */
}

/* Reads a list. A first pass counts the items. */
static bool value_read_list(setti_json_reader* reader, const sett_member* member,
                            unsigned char* bytes)
{
    const sett_member item = setti_member_item(member);
    const sett_list old_list = setti_owned_list(bytes, item.size);
    sett_list new_list = {.count = 0};
    uint32_t count;
    if (!value_count_items(&reader->json, &count)) {
        return false;
    }
    if (!setti_list_resize(&reader->world->pool.allocator, &new_list, item.size, count)) {
        return false;
    }
    unsigned char* items = setti_unconst(new_list.items);
    uint32_t common = SETTI_MIN(count, old_list.count);
    if (common != 0) { /* members missing in the text stay unchanged */
        memcpy(items, old_list.items, (size_t)common * item.size);
    }
    if (!value_read_items(reader, &item, count, items)) {
        setti_owned_drop(new_list.items);
        return false;
    }
    setti_owned_drop(old_list.items);
    memcpy(bytes, &new_list, sizeof(new_list));
    return true;
}

/* Reads opaque bytes. Fails if the text has too few bytes. */
static bool value_read_opaque(setti_json_reader* reader, const sett_member* member,
                              unsigned char* bytes)
{
    size_t offset = reader->json.offset;
    size_t length = 0;
    if (!value_read_base64(reader, bytes, member->size, &length)) {
        return false;
    }
    if (length != member->size) {
        return value_fail_few(reader, offset, "too few bytes", length, member->size);
    }
    return true;
}

static bool value_read_element(setti_json_reader* reader, const sett_member* member,
                               unsigned char* bytes)
{
    bool flag = false;
    (void)setti_json_skip_space(&reader->json); /* errors refer to the value */
    switch (member->kind) {
    case SETT_MEMBER_BOOL:
        if (!setti_json_bool(&reader->json, &flag)) {
            return false;
        }
        *bytes = flag;
        return true;
    case SETT_MEMBER_TEXT:
        return value_read_text(reader, member, bytes);
    case SETT_MEMBER_ENTITY:
        return value_read_entity(reader, bytes);
    case SETT_MEMBER_OPAQUE:
        return value_read_opaque(reader, member, bytes);
    case SETT_MEMBER_STRUCT:
        return value_read_struct(reader, member->of, bytes);
    case SETT_MEMBER_STRING:
        return value_read_string(reader, bytes);
    case SETT_MEMBER_LIST:
        return value_read_list(reader, member, bytes);
    default:
        if (member->bits) {
            return value_read_bits(reader, member, bytes);
        }
        return value_read_number(reader, member, bytes);
    }
}

/* Skips or rejects a name that no element has. */
static bool value_unknown_element(setti_json_reader* reader, const sett_member* member,
                                  const char* name)
{
    setti_guess guess = setti_guess_begin(name, strlen(name));
    for (uint32_t k = 0; k < member->count; k++) {
        setti_guess_try(&guess, member->element_names[k]);
    }
    return setti_json_unknown(reader, reader->json.offset, "no element has this name",
                              " - correct the name, or leave it out", &guess);
}

/* Reads the elements of an array from an object. Missing elements stay unchanged. */
static bool value_read_named(setti_json_reader* reader, const sett_member* member,
                             unsigned char* bytes)
{
    setti_json* json = &reader->json;
    char key[SETTI_JSON_KEY];
    size_t element_size = member->size / member->count;
    bool valid = setti_json_begin(json, '{');
    while (valid && setti_json_key(json, key)) {
        size_t before = setti_json_enter(reader, ".", key);
        uint32_t k = 0;
        while (k < member->count && strcmp(member->element_names[k], key) != 0) {
            k++;
        }
        if (k < member->count) {
            valid = value_read_element(reader, member, bytes + k * element_size);
        } else {
            valid = value_unknown_element(reader, member, key);
        }
        setti_json_leave(reader, before);
    }
    return valid && json->wrong == NULL;
}

/* Reads the elements of an array from a list. */
static bool value_read_array(setti_json_reader* reader, const sett_member* member,
                             unsigned char* bytes)
{
    setti_json* json = &reader->json;
    size_t offset = setti_json_skip_space(json);
    size_t element_size = member->size / member->count;
    uint32_t count = 0;
    if (!setti_json_begin(json, '[')) {
        return false;
    }
    while (setti_json_item(json)) {
        unsigned char* element = bytes + count * element_size;
        if (!value_read_item(reader, member, count, member->count, element)) {
            return false;
        }
        count++;
    }
    if (json->wrong != NULL) {
        return false;
    }
    if (count != member->count) {
        return value_fail_few(reader, offset, "too few elements", count, member->count);
    }
    return true;
}

static bool value_read_member(setti_json_reader* reader, const sett_member* member,
                              unsigned char* bytes)
{
    if (!setti_member_is_array(member)) {
        return value_read_element(reader, member, bytes);
    }
    if (member->element_names != NULL && setti_json_peek(&reader->json) == '{') {
        return value_read_named(reader, member, bytes);
    }
    return value_read_array(reader, member, bytes);
}

/* Skips or rejects a name that no member has. `offset` is the offset of the value in the text. */
static bool value_unknown_member(setti_json_reader* reader, const sett_struct* structure,
                                 const char* name, size_t offset)
{
    setti_guess guess = setti_guess_begin(name, strlen(name));
    for (uint32_t k = 0; k < structure->count; k++) {
        if (!structure->members[k].local) {
            setti_guess_try(&guess, structure->members[k].name);
        }
    }
    return setti_json_unknown(reader, offset, "no member has this name",
                              " - correct the name, or leave it out", &guess);
}

static bool value_read_struct(setti_json_reader* reader, const sett_struct* structure,
                              unsigned char* value)
{
    setti_json* json = &reader->json;
    char key[SETTI_JSON_KEY];
    uint64_t seen[JSON_SEEN] = {0};
    bool valid = setti_json_begin(json, '{');
    while (valid && setti_json_key(json, key)) {
        const sett_member* member = setti_struct_member(structure, key, strlen(key));
        size_t offset = json->offset;
        size_t before = setti_json_enter(reader, ".", key);
        if (member == NULL) {
            valid = value_unknown_member(reader, structure, key, offset);
        } else if (member->local) {
            valid = setti_json_unknown(reader, offset,
                                       "the member is local: only the program writes it",
                                       " - leave it out", NULL);
        } else if (setti_bits_test_and_set(seen, (uint32_t)(member - structure->members))) {
            valid =
                setti_json_fail(json, offset, "the member occurs twice - leave out one of them");
        } else {
            valid = value_read_member(reader, member, value + member->offset);
        }
        setti_json_leave(reader, before);
    }
    return valid && json->wrong == NULL;
}

/* Returns true if an object with the key "base64" follows. */
static bool value_is_base64(const setti_json_reader* reader)
{
    setti_json ahead = reader->json;
    char key[SETTI_JSON_KEY];
    if (!setti_json_begin(&ahead, '{') || !setti_json_key(&ahead, key)) {
        return false;
    }
    return strcmp(key, "base64") == 0;
}

/* Reads the bytes of a value if the type has no known members. */
static bool value_read_raw(setti_json_reader* reader, const setti_type* type, unsigned char* value)
{
    size_t length = 0;
    size_t offset = reader->json.offset;
    if (!value_is_base64(reader)) {
        return setti_json_fail(&reader->json, offset,
                               "the members of this type are not known - declare them with "
                               "SETT_MEMBERS (of data of links: .members at registration), or "
                               "write {\"base64\": \"...\"}");
    }
    if (!value_read_base64(reader, value, type->desc.size, &length)) {
        return false;
    }
    if (length != type->desc.size) {
        return value_fail_few(reader, offset, "too few bytes", length, type->desc.size);
    }
    for (uint32_t k = 0; k < type->desc.entity_offset_count; k++) {
        char text[32];
        sett_entity entity;
        memcpy(&entity, value + type->desc.entity_offsets[k], sizeof(entity));
        /* the entity of the world may have another handle */
        snprintf(text, sizeof(text), "#%u:%u", (unsigned)entity.index, (unsigned)entity.generation);
        if (!sett_is_null(entity) && !reader->find(reader, text, offset, &entity)) {
            return false;
        }
        memcpy(value + type->desc.entity_offsets[k], &entity, sizeof(entity));
    }
    return true;
}

/* Reads the struct that the hooks of a type describe. The `write` hook makes the struct of `value`.
 * After the struct was read from the text, the `read` hook stores it in `value`. */
static bool value_read_shown(setti_json_reader* reader, const setti_type* type, void* value)
{
    setti_json* json = &reader->json;
    setti_written_view view;
    size_t offset = json->offset;
    sett_status shown = setti_written_show(type, value, &view);
    sett_status stored = SETT_OK;
    bool valid = false;
    if (shown == SETT_OK) {
        valid = value_read_struct(reader, &type->written->of, view.value);
    }
    if (valid) {
        stored = setti_written_store(&view, value);
    }
    setti_written_end(&view);
    if (shown == SETT_STATUS_INVALID) {
        return setti_json_fail(
            json, offset,
            "the `write` hook does not write what `members` describes - correct the hook");
    }
    if (stored == SETT_STATUS_INVALID) {
        return setti_json_fail(json, offset,
                               "the `read` hook rejects the value - correct the value");
    }
    return valid && stored == SETT_OK;
}

static bool value_read_written(setti_json_reader* reader, const setti_type* type, void* value)
{
    setti_json* json = &reader->json;
    setti_pool* pool = &reader->world->pool;
    size_t length = 0;
    setti_json begin;
    if (!value_count_chars(reader, &begin, &length)) {
        return false;
    }
    unsigned char* bytes = setti_pool_alloc(pool, length + 1, 16);
    if (bytes == NULL) {
        return false; /* `json` has no error, so that setti_json_report reports OUT_OF_MEMORY */
    }
    *json = begin;
    (void)value_read_chars(reader, bytes, length, &length);
    sett_status status = setti_type_read_bytes(type, bytes, length, value);
    setti_pool_free(pool, bytes, length + 1, 16);
    if (status == SETT_STATUS_INVALID) {
        return setti_json_fail(json, begin.offset,
                               "the `read` hook rejects the value - correct the value");
    }
    return status == SETT_OK;
}

static bool value_read_tag(setti_json* json)
{
    size_t offset = json->offset;
    char key[SETTI_JSON_KEY];
    bool present = false;
    char first_char = setti_json_peek(json);
    if (first_char == '{') { /* {} means true: other tools write a tag as an empty object */
        if (!setti_json_begin(json, '{')) {
            return false;
        }
        bool has_key = setti_json_key(json, key); /* false at the end, but also after an error */
        if (has_key || json->wrong != NULL) {
            return setti_json_fail(json, offset, "a tag has no members - write true");
        }
        return true;
    }
    if (first_char != 't' && first_char != 'f') {
        return setti_json_fail(json, offset, "the component is a tag - write true");
    }
    if (!setti_json_bool(json, &present)) {
        return false;
    }
    if (!present) {
        return setti_json_fail(json, offset,
                               "a tag cannot be false - leave it out, or call sett_remove");
    }
    return true;
}

bool setti_json_read_value(setti_json_reader* reader, const setti_type* type, void* value)
{
    setti_json* json = &reader->json;
    char first_char = setti_json_peek(json);
    if (first_char == 'n') { /* null: the value stays unchanged */
        return setti_json_null(json);
    }
    if (type->desc.size == 0) {
        return value_read_tag(json);
    }
    if (!value_is_saved(type)) {
        return setti_json_fail(json, json->offset,
                               "JSON does not contain values of this type - write null");
    }
    if (type->written != NULL && first_char == '{' && !value_is_base64(reader)) {
        return value_read_shown(reader, type, value);
    }
    if (type->desc.write != NULL) {
        return value_read_written(reader, type, value);
    }
    if (type->members != NULL) {
        return value_read_struct(reader, &type->members->of, value);
    }
    return value_read_raw(reader, type, value);
}

sett_status setti_json_report(setti_json_reader* reader, sett_status status, const char* call)
{
    const setti_json* json = &reader->json;
    if (json->wrong == NULL) {
        return setti_world_no_memory(reader->world, call);
    }
    setti_text_place place = setti_text_place_of(json->text, json->wrong_offset);
    const char* before_path = reader->path.length != 0 ? ", " : "";
    return setti_world_fail_input(reader->world, status, "%s: line %u, column %u%s%s: %s%s", call,
                                  place.line, place.column, before_path, reader->path_text,
                                  json->wrong, reader->message_end);
}

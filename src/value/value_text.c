/* value_text.c: writes values as text, for logs, debuggers and differences. */
#include "value/number.h"
#include "value/value.h"

#define TEXT_BYTES 16      /* the most bytes printed of an opaque member */
#define TEXT_ITEMS 64      /* the most items printed of a list */
#define TEXT_PATH 160      /* characters of a member's path */
#define TEXT_DIFFERENCES 4 /* the most differences printed */

typedef struct text_entities {
    setti_value_entity write;
    void* user;
} text_entities;

void setti_value_print_bytes(setti_writer* out, const void* bytes, size_t size)
{
    const unsigned char* byte = bytes;
    setti_writer_add(out, "%zu byte%s:", size, size == 1 ? "" : "s");
    for (size_t k = 0; k < size && k < TEXT_BYTES; k++) {
        setti_writer_add(out, " %02x", byte[k]);
    }
    setti_writer_add(out, size > TEXT_BYTES ? " ..." : "");
}

/* Writes the names of the set bits, then the set bits that have no name as a number. */
static void text_add_bits(setti_writer* out, const sett_constant* constants, int64_t value)
{
    uint64_t unnamed = (uint64_t)value;
    const char* separator = "";
    for (; constants->name != NULL; constants++) {
        uint64_t bits = (uint64_t)constants->value;
        if (bits != 0 && (unnamed & bits) == bits) {
            setti_writer_add(out, "%s%s", separator, constants->name);
            separator = " | ";
            unnamed &= ~bits;
        }
    }
    if (unnamed != 0 || value == 0) {
        setti_writer_add(out, "%s0x%llx", separator, (unsigned long long)unnamed);
    }
}

static void text_add_number(setti_writer* out, const sett_member* member, const void* bytes)
{
    const sett_constant* constant = member->constants;
    if (constant != NULL) { /* the member is an integer */
        int64_t value = setti_number_load(member->kind, bytes);
        if (member->bits) {
            text_add_bits(out, constant, value);
            return;
        }
        for (; constant->name != NULL; constant++) {
            if (constant->value == value) {
                setti_writer_add(out, "%s", constant->name);
                return;
            }
        }
    }
    char number[SETTI_NUMBER_SIZE];
    setti_number_write(member->kind, bytes, member->scale, number);
    setti_writer_add(out, "%s", number);
}

static void text_add_string(setti_writer* out, const char* text, size_t size)
{
    const char* end = memchr(text, 0, size);
    setti_writer_add(out, "\"");
    for (size_t k = 0; k < size && text + k != end; k++) {
        unsigned char byte = (unsigned char)text[k];
        bool is_control = byte < 0x20 || byte == 0x7F;
        bool is_escaped = is_control || byte == '"' || byte == '\\';
        setti_writer_add(out, is_escaped ? "\\x%02x" : "%c", byte);
    }
    setti_writer_add(out, "\"");
}

static void text_add_entity(setti_writer* out, const unsigned char* bytes,
                            const text_entities* entities)
{
    sett_entity entity;
    memcpy(&entity, bytes, sizeof(entity));
    if (sett_is_null(entity)) {
        setti_writer_add(out, "none");
    } else if (entities->write != NULL) {
        entities->write(entities->user, out, entity);
    } else {
        setti_writer_add(out, "%u:%u", (unsigned)entity.index, (unsigned)entity.generation);
    }
}

static void text_add_element(setti_writer* out, const sett_member* member,
                             const unsigned char* bytes, const text_entities* entities);

static void text_add_list(setti_writer* out, const sett_member* member, const unsigned char* bytes,
                          const text_entities* entities)
{
    const sett_member item = setti_member_item(member);
    const sett_list list = setti_owned_list(bytes, item.size);
    setti_writer_add(out, "[");
    for (uint32_t k = 0; k < list.count && k < TEXT_ITEMS; k++) {
        setti_writer_add(out, k != 0 ? ", " : "");
        text_add_element(out, &item, (const unsigned char*)list.items + (size_t)k * item.size,
                         entities);
    }
    if (list.count > TEXT_ITEMS) {
        setti_writer_add(out, ", and %u more", (unsigned)list.count - TEXT_ITEMS);
    }
    setti_writer_add(out, "]");
}

/* Writes an element of a member. A text or an opaque member is one element. */
static void text_add_element(setti_writer* out, const sett_member* member,
                             const unsigned char* bytes, const text_entities* entities)
{
    sett_string string;
    switch (member->kind) {
    case SETT_MEMBER_BOOL:
        setti_writer_add(out, *bytes != 0 ? "true" : "false");
        break;
    case SETT_MEMBER_TEXT:
        text_add_string(out, (const char*)bytes, member->size);
        break;
    case SETT_MEMBER_STRING:
        string = setti_owned_string(bytes);
        text_add_string(out, sett_string_get(&string), strlen(sett_string_get(&string)));
        break;
    case SETT_MEMBER_LIST:
        text_add_list(out, member, bytes, entities);
        break;
    case SETT_MEMBER_OPAQUE:
        setti_value_print_bytes(out, bytes, member->size);
        break;
    case SETT_MEMBER_STRUCT:
        setti_writer_add(out, "{");
        setti_value_print(out, member->of, bytes, entities->write, entities->user);
        setti_writer_add(out, "}");
        break;
    case SETT_MEMBER_ENTITY:
        text_add_entity(out, bytes, entities);
        break;
    default:
        text_add_number(out, member, bytes);
        break;
    }
}

static void text_add_member(setti_writer* out, const sett_member* member,
                            const unsigned char* bytes, const text_entities* entities)
{
    uint32_t element_size = member->size / member->count;
    const char* const* names = member->element_names;
    if (!setti_member_is_array(member)) {
        text_add_element(out, member, bytes, entities);
    } else {
        setti_writer_add(out, names != NULL ? "{" : "[");
        for (uint32_t k = 0; k < member->count; k++) {
            setti_writer_add(out, k != 0 ? ", " : "");
            if (names != NULL) {
                setti_writer_add(out, "%s = ", names[k]);
            }
            text_add_element(out, member, bytes + (size_t)k * element_size, entities);
        }
        setti_writer_add(out, names != NULL ? "}" : "]");
    }
    if (member->unit != NULL) {
        setti_writer_add(out, " %s", member->unit);
    }
}

void setti_value_print(setti_writer* out, const sett_struct* structure, const void* value,
                       setti_value_entity entity, void* user)
{
    text_entities entities = {entity, user};
    for (uint32_t k = 0; k < structure->count; k++) {
        const sett_member* member = &structure->members[k];
        setti_writer_add(out, "%s%s = ", k != 0 ? ", " : "", member->name);
        text_add_member(out, member, (const unsigned char*)value + member->offset, &entities);
    }
}

typedef struct text_difference {
    setti_writer* out;
    uint32_t count; /* differences so far; only the first TEXT_DIFFERENCES are written */
} text_difference;

static void difference_add(text_difference* difference, const char* path, const sett_member* member,
                           const unsigned char* a, const unsigned char* b)
{
    static const text_entities numbers = {NULL, NULL}; /* writes handles as numbers */
    if (difference->count++ < TEXT_DIFFERENCES) {
        setti_writer_add(difference->out, "%s%s is ", difference->count > 1 ? "; " : "", path);
        text_add_element(difference->out, member, a, &numbers);
        setti_writer_add(difference->out, " in the first world, ");
        text_add_element(difference->out, member, b, &numbers);
        setti_writer_add(difference->out, " in the second");
    }
}

static void difference_element(text_difference* difference, const sett_member* member,
                               const char* path, const unsigned char* a, const unsigned char* b,
                               uint32_t size);

static void difference_list(text_difference* difference, const sett_member* member,
                            const char* path, const unsigned char* a, const unsigned char* b)
{
    const sett_member item = setti_member_item(member);
    const sett_list x = setti_owned_list(a, item.size);
    const sett_list y = setti_owned_list(b, item.size);
    if (x.count != y.count) {
        /* both lists are written as one difference */
        difference_add(difference, path, member, a, b);
        return;
    }
    if (x.items == y.items) {
        return; /* the items are shared */
    }
    for (uint32_t k = 0; k < x.count; k++) {
        char item_path[TEXT_PATH];
        setti_writer path_writer = {item_path, sizeof(item_path), 0};
        size_t offset = (size_t)k * item.size;
        setti_writer_add(&path_writer, "%s[%u]", path, (unsigned)k);
        difference_element(difference, &item, item_path, (const unsigned char*)x.items + offset,
                           (const unsigned char*)y.items + offset, item.size);
    }
}

/* Compares two structs. `path` is "" for the whole value. Otherwise it ends with a point. */
SETTI_COLD static void difference_walk(text_difference* difference, const sett_struct* structure,
                                       const char* path, const unsigned char* a,
                                       const unsigned char* b)
{
    for (uint32_t k = 0; k < structure->count; k++) {
        const sett_member* member = &structure->members[k];
        bool is_array = setti_member_is_array(member);
        uint32_t count = is_array ? member->count : 1;
        uint32_t element_size = member->size / count;
        if (member->local) {
            continue;
        }
        for (uint32_t n = 0; n < count; n++) {
            char item_path[TEXT_PATH];
            setti_writer path_writer = {item_path, sizeof(item_path), 0};
            size_t offset = member->offset + (size_t)n * element_size;
            setti_writer_add(&path_writer, "%s%s", path, member->name);
            if (is_array && member->element_names != NULL) {
                setti_writer_add(&path_writer, ".%s", member->element_names[n]);
            } else if (is_array) {
                setti_writer_add(&path_writer, "[%u]", (unsigned)n);
            }
            difference_element(difference, member, item_path, a + offset, b + offset, element_size);
        }
    }
}

SETTI_COLD static void difference_element(text_difference* difference, const sett_member* member,
                                          const char* path, const unsigned char* a,
                                          const unsigned char* b, uint32_t size)
{
    char nested_path[TEXT_PATH];
    if (member->kind == SETT_MEMBER_STRUCT) {
        setti_writer path_writer = {nested_path, sizeof(nested_path), 0};
        setti_writer_add(&path_writer, "%s.", path);
        difference_walk(difference, member->of, nested_path, a, b);
    } else if (member->kind == SETT_MEMBER_LIST) {
        difference_list(difference, member, path, a, b);
    } else if (!setti_canonical_same_element(member->kind, size, a, b)) {
        difference_add(difference, path, member, a, b);
    }
}

uint32_t setti_value_print_differences(setti_writer* out, const sett_struct* structure,
                                       const void* a, const void* b)
{
    text_difference difference = {out, 0};
    difference_walk(&difference, structure, "", a, b);
    if (difference.count > TEXT_DIFFERENCES) {
        setti_writer_add(out, "; and %u more", (unsigned)difference.count - TEXT_DIFFERENCES);
    }
    return difference.count;
}

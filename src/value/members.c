/* members.c: checks and copies the declared members of types, and finds members by path.
 *
 * The workload: some hundred types with a few members each, declared once. All facts about a type
 * are in one allocation. The same code walks over the members twice: first to measure the memory,
 * then to fill the memory.
 *
 *     setti_members, members, nested structs, constants, texts | NaN words | strings and lists |
 *     pieces | pieces of items | offsets of handles | numbers to round
 *
 * Invariant:  members of a struct do not overlap;  a gap is shorter than the alignment of the next
 *             member, or the mask from the compiler says that the gap is padding
 */
#include "value/value.h"

#include "base/hash_map.h"
#include "value/number.h"

#include <stdio.h>

static const struct {
    const char* name;
    uint32_t size;
} member_kinds[SETT_MEMBER_KINDS] = {
    [SETT_MEMBER_UNKNOWN] = {"unknown", 0},
    [SETT_MEMBER_BOOL] = {"bool", sizeof(bool)},
    [SETT_MEMBER_I8] = {"i8", 1},
    [SETT_MEMBER_U8] = {"u8", 1},
    [SETT_MEMBER_I16] = {"i16", 2},
    [SETT_MEMBER_U16] = {"u16", 2},
    [SETT_MEMBER_I32] = {"i32", 4},
    [SETT_MEMBER_U32] = {"u32", 4},
    [SETT_MEMBER_I64] = {"i64", 8},
    [SETT_MEMBER_U64] = {"u64", 8},
    [SETT_MEMBER_F32] = {"f32", 4},
    [SETT_MEMBER_F64] = {"f64", 8},
    [SETT_MEMBER_TEXT] = {"text", 1},
    [SETT_MEMBER_ENTITY] = {"entity", sizeof(sett_entity)},
    [SETT_MEMBER_OPAQUE] = {"opaque", 1},
    [SETT_MEMBER_STRUCT] = {"struct", 0},
    [SETT_MEMBER_STRING] = {"string", sizeof(sett_string)},
    [SETT_MEMBER_LIST] = {"list", sizeof(sett_list)},
};

const char* sett_member_kind_name(sett_member_kind kind)
{
    return (unsigned)kind < SETT_MEMBER_KINDS ? member_kinds[kind].name : "?";
}

uint32_t sett_member_kind_size(sett_member_kind kind)
{
    return (unsigned)kind < SETT_MEMBER_KINDS ? member_kinds[kind].size : 0;
}

/* Returns the kind of a member. For an array, returns the kind of the elements. */
static sett_member_kind member_kind(const sett_member* member)
{
    if (member->kind == SETT_MEMBER_LIST) {
        return SETT_MEMBER_LIST;
    }
    if (member->of != NULL) {
        return SETT_MEMBER_STRUCT;
    }
    return member->element != SETT_MEMBER_UNKNOWN ? member->element : member->kind;
}

static uint32_t member_element_size(const sett_member* member)
{
    if (member->kind != SETT_MEMBER_LIST && member->of != NULL) {
        return member->of->size;
    }
    return sett_member_kind_size(member_kind(member));
}

sett_member setti_member_item(const sett_member* list)
{
    sett_member item = *list;
    SETTI_ASSERT(list->kind == SETT_MEMBER_LIST);
    item.kind = list->of != NULL ? SETT_MEMBER_STRUCT : list->element;
    item.element = item.kind;
    item.offset = 0;
    item.size = member_element_size(&item);
    item.count = 1;
    item.local = false;
    return item;
}

static uint32_t struct_align(const sett_struct* structure);

static uint32_t member_align(const sett_member* member)
{
    switch (member_kind(member)) {
    case SETT_MEMBER_STRUCT:
        return struct_align(member->of);
    case SETT_MEMBER_ENTITY:
        return SETT_ALIGNOF(sett_entity);
    case SETT_MEMBER_STRING:
    case SETT_MEMBER_LIST:
        return SETT_ALIGNOF(sett_string);
    default: /* a number is aligned to the number's size */
        return member_element_size(member);
    }
}

SETTI_COLD static uint32_t struct_align(const sett_struct* structure)
{
    uint32_t align = 1;
    for (uint32_t k = 0; k < structure->count; k++) {
        align = SETTI_MAX(align, member_align(&structure->members[k]));
    }
    return align;
}

static bool member_name_is_good(const char* name)
{
    if (name == NULL || *name == '\0') {
        return false;
    }
    for (; *name != '\0'; name++) {
        if (strchr(".[]\"\\", *name) != NULL || (unsigned char)*name < 0x20) { /* or control */
            return false;
        }
    }
    return true;
}

SETTI_COLD static const char* item_check(const sett_member* item)
{
    /* Copies of a list share the items. So an item cannot own memory. It cannot hold handles
     * either, because some copies would need other handles. */
    switch (member_kind(item)) {
    case SETT_MEMBER_ENTITY:
        return "is a list with handles - use a relationship, which is a list of entities";
    case SETT_MEMBER_STRING:
    case SETT_MEMBER_LIST:
        return "is a list whose items own strings or lists - use arrays of char";
    default:
        break;
    }
    if (item->of == NULL) {
        return NULL;
    }
    for (uint32_t k = 0; k < item->of->count; k++) {
        const sett_member* inner = &item->of->members[k];
        if (inner->local) {
            return "is a list of structs with local members - leave out the local members";
        }
        const char* wrong = item_check(inner);
        if (wrong != NULL) {
            return wrong;
        }
    }
    return NULL;
}

static const char* list_check(const sett_member* member)
{
    if (member->of == NULL) { /* with `of`, `element` is ignored */
        sett_member_kind element = member->element;
        if (sett_member_kind_size(element) == 0) { /* unknown, or a struct without `of` */
            return "is a list of items whose type C cannot name - set .of or .element";
        }
        if (element == SETT_MEMBER_TEXT || element == SETT_MEMBER_OPAQUE) {
            return "is a list of single characters or bytes - use sett_string, or .element = "
                   "SETT_MEMBER_U8";
        }
    }
    if (member->element_names != NULL) {
        return "is a list, but has .element_names, as only arrays do - leave them out";
    }
    const sett_member item = setti_member_item(member);
    return item_check(&item);
}

/* Whether a step is a power of two from 2^-60 to 2^60. */
static bool member_is_step(double step)
{
    uint64_t bits;
    memcpy(&bits, &step, sizeof(bits));
    bool power_of_two = bits << 12 == 0; /* behind sign and exponent, the mantissa is 0 */
    return power_of_two && step >= 0x1p-60 && step <= 0x1p60;
}

/* Whether the name of a constant begins like a number. SETT_CONSTANTS gives such names to constants
 * that are macros. */
static bool member_has_number_as_name(const sett_constant* constants)
{
    for (; constants->name != NULL && constants->name[0] != '\0'; constants++) {
        if (strchr("0123456789-(", constants->name[0]) != NULL) {
            return true;
        }
    }
    return false;
}

static bool member_names_are_good(const char* const* names, uint32_t count)
{
    if (count > SETTI_MEMBERS_COUNT_MAX) {
        return false;
    }
    for (uint32_t k = 0; k < count; k++) {
        if (!member_name_is_good(names[k])) {
            return false;
        }
        for (uint32_t j = 0; j < k; j++) {
            if (strcmp(names[j], names[k]) == 0) {
                return false;
            }
        }
    }
    return true;
}

/* Whether no two constants with different values have the same name. */
static bool member_constants_differ(const sett_constant* constants)
{
    for (uint32_t k = 0; k < SETTI_MEMBERS_COUNT_MAX && constants[k].name != NULL; k++) {
        for (uint32_t j = 0; j < k; j++) {
            if (constants[j].value != constants[k].value &&
                strcmp(constants[j].name, constants[k].name) == 0) {
                return false;
            }
        }
    }
    return true;
}

static const char* member_check_send(const sett_member* member, sett_member_kind kind)
{
    const sett_member_send* send = &member->send;
    if (send->scale == 0 && send->bits == 0) {
        return NULL;
    }
    if (member->kind == SETT_MEMBER_LIST || !setti_number_is_float(kind)) {
        return "is sent rounded, but is neither f32 nor f64 - leave out .send";
    }
    /* an f32's mantissa has 24 bits */
    const uint32_t most_bits = (kind == SETT_MEMBER_F32) ? 24 : 32;
    bool scale_is_good = send->scale > 0 && send->scale <= 1e30; /* false for NaN */
    if (!scale_is_good || send->bits < 2 || send->bits > most_bits) {
        return "is sent rounded, and needs a positive .scale and .bits from 2 to 24 (f64: 32)";
    }
    return NULL;
}

static const char* member_check_constants(const sett_member* member, bool is_integer)
{
    const sett_constant* constants = member->constants;
    if (constants == NULL) {
        if (member->bits) {
            return "has .bits without constants that name the bits - set .constants";
        }
        return NULL;
    }
    if (!is_integer) {
        return "has constants, but is not an integer - leave out .constants";
    }
    if (member_has_number_as_name(constants)) {
        return "has a constant named by its value, because SETT_CONSTANTS was given a macro - "
               "write {\"RED\", RED} (members.h)";
    }
    if (!member_constants_differ(constants)) {
        return "has two constants with the same name - rename one";
    }
    return NULL;
}

/* Checks the constants, the scale, the step and the rounding of a member. For a list, checks those
 * of an item. Returns the error, or NULL. */
static const char* member_check_extras(const sett_member* given)
{
    bool is_list = given->kind == SETT_MEMBER_LIST;
    sett_member item = *given; /* the member, or an item of the list */
    const char* wrong;
    if (is_list) {
        wrong = list_check(given);
        if (wrong != NULL) {
            return wrong;
        }
        item = setti_member_item(given);
    }
    const sett_member* member = &item;
    sett_member_kind kind = member_kind(member);
    bool is_integer = setti_number_is_integer(kind);
    wrong = member_check_constants(member, is_integer);
    if (wrong != NULL) {
        return wrong;
    }
    bool has_constants = member->constants != NULL;
    bool may_have_scale = is_integer && member_element_size(member) <= 4 && !has_constants;
    if (member->scale != 0 && !may_have_scale) {
        return "has a scale, but is no plain integer of at most 32 bits - leave out .scale";
    }
    if (member->scale < 0 || !(member->scale <= 1e30)) { /* also if NaN */
        return "has a scale that is not between 0 and 1e30 - set another .scale";
    }
    bool may_have_step = setti_number_is_float(kind) && !is_list;
    if (member->step != 0 && !may_have_step) {
        return "has a step, but is neither f32 nor f64 - leave out .step";
    }
    if (member->step != 0 && !member_is_step(member->step)) {
        return "has a step that is not a power of two from 2^-60 to 2^60 - set another .step";
    }
    return member_check_send(given, kind); /* rejects a list that is sent rounded */
}

/* Checks that no earlier member has the name or the bytes of member `k`. Returns the error, or
 * NULL. */
static const char* member_check_before(const sett_struct* structure, uint32_t k)
{
    const sett_member* member = &structure->members[k];
    for (uint32_t j = 0; j < k; j++) {
        const sett_member* other = &structure->members[j];
        if (strcmp(other->name, member->name) == 0) {
            return "is listed twice - leave out one";
        }
        if (member->offset < other->offset + other->size &&
            other->offset < member->offset + member->size) {
            return "overlaps another member - leave out one";
        }
    }
    return NULL;
}

static const char* member_check(const sett_struct* structure, uint32_t k)
{
    const sett_member* member = &structure->members[k];
    if (!member_name_is_good(member->name)) {
        return "needs a name without dots, brackets, quotes and backslashes";
    }
    uint32_t element_size = member_element_size(member);
    if ((unsigned)member_kind(member) >= SETT_MEMBER_KINDS || element_size == 0) {
        return "is of a type that C cannot name - set .of or .element (SETT_MEMBER_OPAQUE for "
               "plain bytes)";
    }
    if (member->kind == SETT_MEMBER_STRING && member_kind(member) != SETT_MEMBER_STRING) {
        return "is a string - leave out .of and .element";
    }
    if (member->size == 0 || member->size % element_size != 0) {
        return "has a size that is no multiple of its element's - correct .of or .element";
    }
    uint32_t count = member->size / element_size;
    bool has_names = member->element_names != NULL;
    if (has_names && member->count != 0 && member->count != count) {
        return "has more or fewer names than elements - give each element one name";
    }
    bool is_list = member->kind == SETT_MEMBER_LIST; /* list_check rejects names of lists */
    if (has_names && !is_list && !member_names_are_good(member->element_names, count)) {
        return "needs a name of its own for each element, without dots, brackets, quotes and "
               "backslashes";
    }
    if (member->offset > structure->size || member->size > structure->size - member->offset) {
        return "lies outside of the struct - correct its offset or size";
    }
    const char* wrong = member_check_before(structure, k);
    if (wrong != NULL) {
        return wrong;
    }
    return member_check_extras(member);
}

/* Returns the highest alignment that a member can have. */
static uint32_t member_highest_align(const sett_member* member, uint32_t struct_alignment)
{
    uint32_t offset_or_size = member->offset | member->size;
    /* the lowest set bit: the largest power of two that divides the offset and the size */
    uint32_t power = offset_or_size & (0u - offset_or_size);
    if (member_kind(member) == SETT_MEMBER_OPAQUE) { /* of unknown type, perhaps a pointer */
        return SETTI_MIN(power, struct_alignment);
    }
    return member_align(member);
}

/* Returns the first member at or after `offset`. Returns NULL if there is no such member. */
static const sett_member* struct_next_member(const sett_struct* structure, uint32_t offset)
{
    const sett_member* next = NULL;
    for (uint32_t k = 0; k < structure->count; k++) {
        const sett_member* member = &structure->members[k];
        if (member->offset < offset) {
            continue;
        }
        if (next == NULL || member->offset < next->offset) {
            next = member;
        }
    }
    return next;
}

/* Returns the error if a gap between members is too long for padding. Otherwise returns NULL. */
static const char* struct_check_gaps(const sett_struct* structure, uint32_t struct_alignment,
                                     char* out)
{
    uint32_t gap_start = 0; /* the end of the last member */
    while (gap_start < structure->size) {
        const sett_member* next = struct_next_member(structure, gap_start);
        uint32_t gap_end = structure->size;
        uint32_t align = struct_alignment; /* padding is shorter than this */
        if (next != NULL) {
            gap_end = next->offset;
            align = member_highest_align(next, struct_alignment);
        }
        if (gap_end - gap_start >= align) {
            snprintf(out, SETTI_VALUE_MESSAGE,
                     "bytes %u to %u of %.60s belong to no member - describe them, if need be "
                     "with .element = SETT_MEMBER_OPAQUE",
                     (unsigned)gap_start, (unsigned)gap_end - 1, structure->name);
            return out;
        }
        gap_start = gap_end;
        if (next != NULL) {
            gap_start += next->size;
        }
    }
    return NULL;
}

/* Checks a struct without checking the members. Returns the error, or NULL. `depth` is 1 for the
 * outermost struct. */
static const char* struct_check_shape(const sett_struct* structure, uint32_t depth, char* out)
{
    if (structure->name == NULL) {
        snprintf(out, SETTI_VALUE_MESSAGE, "the description of a struct has no name - set `name`");
    } else if (structure->members == NULL || structure->count == 0) {
        snprintf(out, SETTI_VALUE_MESSAGE, "%.60s has no members - list at least one",
                 structure->name);
    } else if (structure->size == 0) {
        snprintf(out, SETTI_VALUE_MESSAGE, "%.60s has a size of 0 bytes - set `size`",
                 structure->name);
    } else if (structure->count > SETTI_MEMBERS_COUNT_MAX) {
        snprintf(out, SETTI_VALUE_MESSAGE, "%.60s has %u members, at most %u - nest some",
                 structure->name, (unsigned)structure->count, (unsigned)SETTI_MEMBERS_COUNT_MAX);
    } else if (depth > SETT_MEMBERS_DEPTH) {
        snprintf(out, SETTI_VALUE_MESSAGE,
                 "%.60s is nested in %u structs, at most %u levels - nest fewer", structure->name,
                 (unsigned)depth - 1, (unsigned)SETT_MEMBERS_DEPTH);
    } else {
        return NULL;
    }
    return out;
}

/* Checks a struct and the members. Returns the error, or NULL. If `check_gaps` is true, also checks
 * for gaps between the members. */
SETTI_COLD static const char* struct_check(const sett_struct* structure, size_t align,
                                           bool check_gaps, uint32_t depth, char* out)
{
    const char* wrong = struct_check_shape(structure, depth, out);
    if (wrong != NULL) {
        return wrong;
    }
    for (uint32_t k = 0; k < structure->count; k++) {
        const sett_member* member = &structure->members[k];
        if (member->of != NULL) {
            wrong = struct_check(member->of, align, check_gaps, depth + 1, out);
            if (wrong != NULL) {
                return wrong;
            }
        }
        wrong = member_check(structure, k);
        if (wrong != NULL) {
            const char* name = member->name != NULL ? member->name : "";
            snprintf(out, SETTI_VALUE_MESSAGE, "member \"%.60s\" of %.60s %s", name,
                     structure->name, wrong);
            return out;
        }
    }
    if (!check_gaps) {
        return NULL;
    }
    return struct_check_gaps(structure, (uint32_t)SETTI_MAX(align, struct_align(structure)), out);
}

/* Whether the byte at offset `byte` of a struct belongs to a member. */
static bool struct_has_byte(const sett_struct* structure, uint32_t byte)
{
    for (uint32_t k = 0; k < structure->count; k++) {
        const sett_member* member = &structure->members[k];
        if (byte < member->offset || byte - member->offset >= member->size) {
            continue;
        }
        if (member_kind(member) != SETT_MEMBER_STRUCT) {
            return true;
        }
        uint32_t nested_byte = (byte - member->offset) % member->of->size;
        return struct_has_byte(member->of, nested_byte); /* no other member has this byte */
    }
    return false;
}

/* Counts the strings and lists of a value. SETTI_OWNED_COUNT_MAX + 1 means too many. */
static size_t struct_count_owned(const sett_struct* structure)
{
    size_t count = 0;
    for (uint32_t k = 0; k < structure->count; k++) {
        const sett_member* member = &structure->members[k];
        sett_member_kind kind = member_kind(member);
        size_t in_element = 0; /* strings and lists of one element */
        if (kind == SETT_MEMBER_STRUCT) {
            in_element = struct_count_owned(member->of);
        } else if (kind >= SETT_MEMBER_STRING) {
            in_element = 1;
        }
        if (in_element != 0) {
            size_t elements = member->size / member_element_size(member);
            count = SETTI_MIN(count + in_element * elements, (size_t)SETTI_OWNED_COUNT_MAX + 1);
        }
    }
    return count;
}

bool setti_struct_owns(const sett_struct* structure)
{
    return struct_count_owned(structure) != 0;
}

/* Whether a struct has a member that selections round. */
static bool struct_rounds(const sett_struct* structure)
{
    for (uint32_t k = 0; k < structure->count; k++) {
        const sett_member* member = &structure->members[k];
        if (member->send.bits != 0) {
            return true;
        }
        if (member->of != NULL && struct_rounds(member->of)) {
            return true;
        }
    }
    return false;
}

SETTI_COLD const char* setti_members_check(const sett_struct* structure, size_t align,
                                           const unsigned char* mask, char* out)
{
    bool check_gaps = mask == NULL; /* with a mask, the loop below checks each byte */
    const char* wrong = struct_check(structure, align, check_gaps, 1, out);
    if (wrong != NULL) {
        return wrong;
    }
    size_t owned = struct_count_owned(structure);
    if (owned != 0 && struct_rounds(structure)) {
        snprintf(out, SETTI_VALUE_MESSAGE, "%.60s has strings or lists - leave out .send",
                 structure->name);
        return out;
    }
    if (owned > SETTI_OWNED_COUNT_MAX) {
        snprintf(out, SETTI_VALUE_MESSAGE, "%.60s has more than %u strings and lists - split it",
                 structure->name, (unsigned)SETTI_OWNED_COUNT_MAX);
        return out;
    }
    if (mask == NULL) {
        return NULL;
    }
    for (uint32_t k = 0; k < structure->size; k++) {
        if (mask[k] != 0 && !struct_has_byte(structure, k)) {
            snprintf(out, SETTI_VALUE_MESSAGE,
                     "byte %u of %.60s belongs to no member, and is not padding - describe it, "
                     "if need be with .element = SETT_MEMBER_OPAQUE",
                     (unsigned)k, structure->name);
            return out;
        }
    }
    return NULL;
}

typedef struct piece_list {
    setti_piece* array; /* NULL in the first walk, which only counts the pieces */
    setti_piece last;   /* the latest piece */
    uint32_t count;
    uint32_t first; /* the first piece of the value or item; not joined to earlier pieces */
} piece_list;

/* The state of a walk over members. The first walk measures the memory, the second fills the
 * memory. */
typedef struct member_copy {
    unsigned char* base; /* NULL in the first walk, like `sends`, `entities` and `owned` */
    size_t used;         /* bytes after `base` that are filled, or measured */
    piece_list pieces;
    piece_list items; /* pieces of the items of lists */
    setti_send* sends;
    uint32_t* entities;
    setti_owned* owned;
    uint32_t send_count;
    uint32_t entity_count;
    uint32_t owned_count;
} member_copy;

/* Appends a copy of `size` bytes. Returns NULL in the first walk. Otherwise returns the copy. */
static void* copy_append(member_copy* copy, const void* original, size_t size)
{
    void* appended = NULL;
    if (copy->base != NULL) {
        appended = copy->base + copy->used;
    }
    copy->used += setti_align_up(size, 8); /* aligns the next copy */
    if (appended != NULL && size != 0) {
        memcpy(appended, original, size);
    }
    return appended;
}

static const char* copy_text(member_copy* copy, const char* text)
{
    if (text == NULL) {
        return NULL;
    }
    return copy_append(copy, text, strlen(text) + 1);
}

/* Copies constants and their names. The last constant, which has no name, marks the end. */
static const sett_constant* copy_constants(member_copy* copy, const sett_constant* constants)
{
    uint32_t count = 0;
    while (constants[count].name != NULL) {
        count++;
    }
    /* + 1: with the constant that marks the end */
    sett_constant* copies = copy_append(copy, constants, (count + 1) * sizeof(*constants));
    for (uint32_t k = 0; k < count; k++) {
        const char* name = copy_text(copy, constants[k].name);
        if (copies != NULL) {
            copies[k].name = name;
        }
    }
    return copies;
}

static const char* const* copy_names(member_copy* copy, const char* const* names, uint32_t count)
{
    const char** copies = copy_append(copy, names, count * sizeof(*names));
    for (uint32_t k = 0; k < count; k++) {
        const char* name = copy_text(copy, names[k]);
        if (copies != NULL) {
            copies[k] = name;
        }
    }
    return copies;
}

static sett_struct copy_struct(member_copy* copy, const sett_struct* original);

static sett_member copy_member(member_copy* copy, const sett_member* original)
{
    sett_member member = *original;
    member.kind = member_kind(original); /* for an array, the kind of the elements */
    member.element = member.kind;
    if (member.kind == SETT_MEMBER_LIST) {
        member.element = setti_member_item(original).kind;
    }
    member.count = original->size / member_element_size(original);
    member.name = copy_text(copy, original->name);
    member.unit = copy_text(copy, original->unit);
    member.description = copy_text(copy, original->description);
    if (original->constants != NULL) {
        member.constants = copy_constants(copy, original->constants);
    }
    if (original->element_names != NULL) {
        member.element_names = copy_names(copy, original->element_names, member.count);
    }
    if (original->of != NULL) {
        /* `nested`, which has the address of the copied members, replaces these bytes */
        sett_struct* structure = copy_append(copy, original->of, sizeof(*structure));
        sett_struct nested = copy_struct(copy, original->of);
        if (structure != NULL) {
            *structure = nested;
        }
        member.of = structure;
    }
    return member;
}

SETTI_COLD static sett_struct copy_struct(member_copy* copy, const sett_struct* original)
{
    sett_struct copied = *original;
    copied.name = copy_text(copy, original->name);
    /* the loop replaces these bytes by copies with the addresses of copied texts and structs */
    sett_member* members = copy_append(copy, original->members, original->count * sizeof(*members));
    for (uint32_t k = 0; k < original->count; k++) {
        sett_member member = copy_member(copy, &original->members[k]);
        if (members != NULL) {
            members[k] = member;
        }
    }
    copied.members = members;
    return copied;
}

setti_piece setti_piece_of(sett_member_kind kind, uint32_t offset, uint32_t size,
                           uint32_t element_size)
{
    setti_piece piece = {offset, size, SETTI_PIECE_BYTES, (uint16_t)element_size};
    if (setti_number_is_float(kind)) {
        piece.kind = SETTI_PIECE_FLOAT;
    } else if (kind == SETT_MEMBER_BOOL) {
        piece.kind = SETTI_PIECE_BOOL;
    } else if (kind == SETT_MEMBER_TEXT) {
        piece.kind = SETTI_PIECE_TEXT;
    } else if (kind == SETT_MEMBER_ENTITY) {
        piece.unit = 4; /* index and generation */
    }
    if (piece.kind == SETTI_PIECE_BYTES && !SETTI_BIG_ENDIAN) {
        piece.unit = 1; /* adjacent numbers of different sizes then join in one piece */
    }
    return piece;
}

/* Adds a piece. If the last piece is adjacent and alike, extends the last piece instead. */
SETTI_APART static void piece_add(piece_list* pieces, setti_piece piece)
{
    bool has_last = pieces->count != pieces->first;
    bool can_join = has_last && piece.kind < SETTI_PIECE_TEXT; /* texts, strings, lists cannot */
    bool is_alike = pieces->last.kind == piece.kind && pieces->last.unit == piece.unit;
    bool joins = can_join && is_alike && pieces->last.offset + pieces->last.size == piece.offset;
    if (joins) {
        piece.offset = pieces->last.offset;
        piece.size += pieces->last.size;
    }
    pieces->last = piece;
    if (!joins) {
        pieces->count++;
    }
    if (pieces->array != NULL) {
        pieces->array[pieces->count - 1] = piece;
    }
}

static void pieces_add(member_copy* copy, piece_list* pieces, const sett_struct* structure,
                       uint32_t base);

/* Adds a string or a list, and the pieces of the list's items. */
static void owned_add(member_copy* copy, const sett_member* member, uint32_t offset)
{
    piece_list* items = &copy->items;
    setti_owned owned = {.offset = offset};
    items->first = items->count;
    if (member->kind == SETT_MEMBER_LIST) {
        const sett_member item = setti_member_item(member);
        /* a struct whose only member is the item */
        const sett_struct only_item = {"", item.size, 1, &item, NULL};
        pieces_add(copy, items, &only_item, 0);
        owned.item_size = item.size;
    }
    if (copy->owned != NULL) { /* NULL in the first walk */
        owned.pieces = items->array + items->first;
        owned.piece_count = items->count - items->first;
        for (uint32_t k = 0; k < owned.piece_count; k++) {
            owned.encoded_item_size += owned.pieces[k].size;
        }
        copy->owned[copy->owned_count] = owned;
    }
    copy->owned_count++;
}

/* Adds an element that is more than plain bytes: a handle, a rounded number, a struct, a string or
 * a list. */
static void element_add(member_copy* copy, piece_list* pieces, const sett_member* member,
                        uint32_t offset)
{
    sett_member_kind kind = member_kind(member);
    uint32_t size = member_element_size(member);
    if (kind == SETT_MEMBER_ENTITY) {
        if (copy->entities != NULL) { /* NULL in the first walk */
            copy->entities[copy->entity_count] = offset;
        }
        copy->entity_count++;
    }
    if (member->send.bits != 0) {
        if (copy->sends != NULL) { /* NULL in the first walk */
            copy->sends[copy->send_count] = (setti_send){
                offset, (uint16_t)size, (uint16_t)member->send.bits, member->send.scale};
        }
        copy->send_count++;
    }
    if (kind == SETT_MEMBER_STRUCT) {
        pieces_add(copy, pieces, member->of, offset);
    }
    if (kind >= SETT_MEMBER_STRING) { /* a string or a list */
        if (!member->local) {
            /* the unit of an owned piece is an index in copy->owned */
            piece_add(pieces,
                      (setti_piece){offset, size, SETTI_PIECE_OWNED, (uint16_t)copy->owned_count});
        }
        owned_add(copy, member, offset);
    }
}

/* Adds the pieces, handles, rounded numbers, strings and lists of a struct. `base` is the offset of
 * the struct in the value. */
SETTI_COLD static void pieces_add(member_copy* copy, piece_list* pieces,
                                  const sett_struct* structure, uint32_t base)
{
    for (uint32_t k = 0; k < structure->count; k++) {
        const sett_member* member = &structure->members[k];
        sett_member_kind kind = member_kind(member);
        uint32_t element_size = member_element_size(member);
        uint32_t offset = base + member->offset;
        uint32_t end = offset + member->size;
        bool is_one_piece = kind < SETT_MEMBER_STRUCT;
        if (!is_one_piece || kind == SETT_MEMBER_ENTITY || member->send.bits != 0) {
            for (uint32_t element = offset; element < end; element += element_size) {
                element_add(copy, pieces, member, element);
            }
        }
        if (is_one_piece && !member->local) {
            piece_add(pieces, setti_piece_of(kind, offset, member->size, element_size));
        }
    }
}

/* Whether the canonical form of a struct has bytes without a declared meaning. */
static bool struct_is_opaque(const sett_struct* structure)
{
    for (uint32_t k = 0; k < structure->count; k++) {
        const sett_member* member = &structure->members[k];
        if (member->local) {
            continue;
        }
        if (member->kind == SETT_MEMBER_OPAQUE) {
            return true;
        }
        if (member->of != NULL && struct_is_opaque(member->of)) {
            return true;
        }
    }
    return false;
}

/* Adds `word` to a fingerprint. */
static uint64_t fingerprint_step(uint64_t fingerprint, uint64_t word)
{
    fingerprint = (fingerprint ^ word) * 0x9E3779B97F4A7C15u;
    return fingerprint ^ (fingerprint >> 29);
}

/* Adds the members of a struct to `fingerprint`, and returns the new fingerprint. */
SETTI_COLD static uint64_t struct_fingerprint_of(const sett_struct* structure, uint64_t fingerprint)
{
    for (uint32_t k = 0; k < structure->count; k++) {
        const sett_member* member = &structure->members[k];
        if (member->local) {
            continue;
        }
        uint64_t name_hash = setti_hash_bytes(member->name, strlen(member->name));
        fingerprint = fingerprint_step(fingerprint, name_hash);
        uint32_t element_size = member_element_size(member);
        uint32_t count = 0;
        if (element_size != 0) {
            count = member->size / element_size;
        }
        sett_member_kind kind = member_kind(member);
        fingerprint = fingerprint_step(fingerprint, ((uint64_t)kind << 32) | count);
        if (kind == SETT_MEMBER_LIST) {
            fingerprint = fingerprint_step(fingerprint, (uint64_t)setti_member_item(member).kind);
        }
        if (member->of != NULL) {
            fingerprint = struct_fingerprint_of(member->of, fingerprint);
        }
    }
    return fingerprint_step(fingerprint, structure->count);
}

uint64_t sett_struct_fingerprint(const sett_struct* structure)
{
    if (structure == NULL) {
        return 0;
    }
    uint64_t fingerprint = struct_fingerprint_of(structure, 0x6D656D62657273u); /* "members" */
    return fingerprint != 0 ? fingerprint : 1; /* 0 means that no members are known */
}

static bool member_equals(const sett_member* a, const sett_member* b)
{
    sett_member_kind kind = member_kind(a);
    if (kind != member_kind(b) || strcmp(a->name, b->name) != 0) {
        return false;
    }
    if (a->offset != b->offset || a->size != b->size || a->local != b->local) {
        return false;
    }
    if (kind == SETT_MEMBER_LIST && setti_member_item(a).kind != setti_member_item(b).kind) {
        return false;
    }
    return a->of == NULL || setti_members_equal(a->of, b->of);
}

bool setti_members_equal(const sett_struct* a, const sett_struct* b)
{
    if (a->size != b->size || a->count != b->count) {
        return false;
    }
    for (uint32_t k = 0; k < a->count; k++) {
        if (!member_equals(&a->members[k], &b->members[k])) {
            return false;
        }
    }
    return true;
}

/* Whether adjacent bytes of each value are the canonical form, if the value has no NaN. */
static bool pieces_are_adjacent(const setti_members* members)
{
    if (SETTI_BIG_ENDIAN || members->piece_count == 0) {
        return false;
    }
    uint32_t end = members->pieces->offset; /* the end of the pieces so far */
    for (uint32_t k = 0; k < members->piece_count; k++) {
        const setti_piece* piece = &members->pieces[k];
        if (piece->kind >= SETTI_PIECE_TEXT || piece->offset != end) {
            return false;
        }
        end += piece->size;
    }
    return true;
}

/* Fills in `words`, by which NaN is found in eight bytes at a time (setti_nan_word). Returns false
 * if a float is not aligned. */
static bool pieces_make_words(const setti_members* members, setti_nan_word* words)
{
    memset(words, 0, ((size_t)members->size / 8 + 1) * sizeof(*words)); /* + 1: the last bytes */
    for (uint32_t k = 0; k < members->piece_count; k++) {
        const setti_piece* piece = &members->pieces[k];
        uint32_t first = piece->offset - members->pieces->offset; /* in the canonical form */
        bool is_f32 = piece->unit == 4;
        if (piece->kind != SETTI_PIECE_FLOAT) {
            continue;
        }
        for (uint32_t offset = first; offset < first + piece->size; offset += piece->unit) {
            uint32_t shift = (offset % 8) * 8; /* of the float's bits in the word */
            if (shift % (8 * piece->unit) != 0) {
                return false;
            }
            setti_nan_word* word = &words[offset / 8];
            /* the least NaN + this number = the sign bit: 0x7F800001 + 0x7FFFFF = 0x80000000 */
            if (is_f32) {
                word->add |= (uint64_t)0x7FFFFF << shift;
            } else {
                word->add |= 0xFFFFFFFFFFFFFu;
            }
            word->test |= (uint64_t)1 << (shift + 8 * piece->unit - 1); /* the sign bit */
        }
    }
    return true;
}

/* Returns the size of the words to find NaN, or 0 if the type is too large for words. */
static size_t words_size(const sett_struct* structure)
{
    if (structure->size > SETTI_NAN_SIZE) {
        return 0;
    }
    return (structure->size / 8 + 1) * sizeof(setti_nan_word); /* + 1: the last bytes */
}

/* Walks once over a struct and the members (see member_copy). Returns the copy of the struct. */
static sett_struct members_walk(member_copy* copy, const sett_struct* structure)
{
    copy->used = setti_align_up(sizeof(setti_members), 8); /* setti_members comes first */
    sett_struct copied = copy_struct(copy, structure);
    pieces_add(copy, &copy->pieces, structure, 0);
    return copied;
}

/* Computes the facts that follow from the pieces and from the struct. */
static void members_complete(setti_members* members, setti_nan_word* words)
{
    for (uint32_t k = 0; k < members->piece_count; k++) {
        members->size += members->pieces[k].size;
        members->floats = members->floats || members->pieces[k].kind == SETTI_PIECE_FLOAT;
        members->varies = members->varies || members->pieces[k].kind == SETTI_PIECE_OWNED;
    }
    members->opaque = struct_is_opaque(&members->of);
    members->adjacent = pieces_are_adjacent(members);
    bool has_words = members->adjacent && members->floats && words_size(&members->of) != 0;
    if (has_words && pieces_make_words(members, words)) {
        members->words = words;
    }
    members->fingerprint = sett_struct_fingerprint(&members->of);
}

SETTI_COLD setti_members* setti_members_create(setti_pool* pool, const sett_struct* structure)
{
    member_copy measured = {0}; /* by the first walk */
    (void)members_walk(&measured, structure);
    /* offsets of the parts in the allocation; handles and numbers to round are aligned to 8 */
    size_t words = measured.used;
    size_t owned = words + words_size(structure);
    size_t pieces = owned + measured.owned_count * sizeof(setti_owned);
    size_t items = pieces + measured.pieces.count * sizeof(setti_piece);
    size_t entities = setti_align_up(items + measured.items.count * sizeof(setti_piece), 8);
    size_t sends = setti_align_up(entities + measured.entity_count * sizeof(uint32_t), 8);
    size_t total_size = sends + measured.send_count * sizeof(setti_send);
    unsigned char* base = setti_pool_alloc(pool, total_size, 8);
    if (base == NULL) {
        return NULL;
    }
    member_copy copy = {.base = base};
    copy.owned = (setti_owned*)(void*)(base + owned);
    copy.pieces.array = (setti_piece*)(void*)(base + pieces);
    copy.items.array = (setti_piece*)(void*)(base + items);
    copy.entities = (uint32_t*)(void*)(base + entities);
    copy.sends = (setti_send*)(void*)(base + sends);
    setti_members* members = (setti_members*)(void*)base;
    sett_struct copied = members_walk(&copy, structure);
    SETTI_ASSERT(copy.used == words && copy.items.count == measured.items.count);
    *members = (setti_members){.of = copied,
                               .pieces = copy.pieces.array,
                               .piece_count = copy.pieces.count,
                               .entities = copy.entities,
                               .entity_count = copy.entity_count,
                               .sends = copy.sends,
                               .send_count = copy.send_count,
                               .owned = copy.owned,
                               .owned_count = copy.owned_count,
                               .room = total_size};
    members_complete(members, (setti_nan_word*)(void*)(base + words));
    return members;
}

void setti_members_mask(const setti_members* members, unsigned char* mask)
{
    memset(mask, 0, members->of.size);
    for (uint32_t k = 0; k < members->piece_count; k++) {
        memset(mask + members->pieces[k].offset, 255, members->pieces[k].size);
    }
}

const sett_member* setti_struct_member(const sett_struct* structure, const char* name,
                                       size_t length)
{
    for (uint32_t k = 0; k < structure->count; k++) {
        const char* member_name = structure->members[k].name;
        if (strncmp(member_name, name, length) == 0 && member_name[length] == '\0') {
            return &structure->members[k];
        }
    }
    return NULL;
}

/* Reads "[12]" or ".name" from a path. Sets *element to the index of that element, and returns the
 * rest of the path. Returns NULL if the member has no such element. */
static const char* path_element(const sett_member* member, const char* path, uint32_t* element)
{
    if (*path == '[') {
        size_t digits = strspn(path + 1, "0123456789");
        const char* end = path + 1 + digits;
        const char* wrong = setti_number_read(SETT_MEMBER_U32, path + 1, digits, 0, element);
        if (wrong != NULL || *end != ']' || *element >= member->count) {
            return NULL;
        }
        return end + 1;
    }
    size_t length = strcspn(path + 1, ".[");
    for (uint32_t k = 0; k < member->count; k++) {
        const char* name = member->element_names[k];
        if (strncmp(name, path + 1, length) == 0 && name[length] == '\0') {
            *element = k;
            return path + 1 + length;
        }
    }
    return NULL;
}

static void member_guess(const sett_struct* structure, const char* name, size_t length,
                         setti_guess* guess)
{
    *guess = setti_guess_begin(name, length);
    for (uint32_t k = 0; k < structure->count; k++) {
        setti_guess_try(guess, structure->members[k].name);
    }
}

/* Whether a path can name an element of the member. No path names an item of a list. */
static bool member_has_elements(const sett_member* member)
{
    if (member->kind == SETT_MEMBER_LIST) {
        return member->count != 1; /* true for an array of lists */
    }
    return member->kind != SETT_MEMBER_TEXT && member->kind != SETT_MEMBER_OPAQUE;
}

/* Reads the index or the name of an element, if the path begins with one. Returns NULL if the
 * member has no such element. Otherwise returns the rest of the path. */
static const char* path_find_element(const sett_member* member, const char* path,
                                     sett_member_ref* out)
{
    bool has_index = *path == '[';
    bool has_name = *path == '.' && member->element_names != NULL;
    bool names_element = has_index || has_name;
    if (!names_element || !member_has_elements(member)) {
        return path;
    }
    uint32_t element;
    const char* rest = path_element(member, path, &element);
    if (rest != NULL) {
        out->count = 1;
        out->offset += element * out->size;
    }
    return rest;
}

bool setti_members_find(const sett_struct* structure, const char* path, sett_member_ref* out,
                        setti_guess* guess)
{
    uint32_t struct_offset = 0; /* of `structure` in the value */
    for (;;) {
        size_t length = strcspn(path, ".[");
        const sett_member* member = setti_struct_member(structure, path, length);
        if (member == NULL) {
            if (guess != NULL) {
                member_guess(structure, path, length, guess);
            }
            return false;
        }
        path += length;
        out->member = member;
        out->kind = member->kind;
        out->size = member->size / member->count;
        out->count = member->count;
        out->offset = struct_offset + member->offset;
        path = path_find_element(member, path, out);
        if (path == NULL) {
            return false;
        }
        if (*path == '\0') {
            return true;
        }
        if (*path != '.' || member->kind != SETT_MEMBER_STRUCT || out->count != 1) {
            return false; /* only a single struct has members */
        }
        path++;
        structure = member->of;
        struct_offset = out->offset;
    }
}

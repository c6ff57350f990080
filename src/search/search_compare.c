/* search_compare.c: comparisons of names, members and entities.
 *
 * Numbers of different kinds are compared by value: -1 is below every unsigned number, 2^53 + 1 is
 * not equal to the nearest double. A constant beside an f32 member is first rounded to f32. So
 * `== 0.1` is true for a member set to 0.1.
 *
 * Invariant:  a comparison with NaN is false, except !=;  a comparison without a value is false
 */
#include "search/search.h"
#include "sett/name.h"
#include "value/number.h"

#include <math.h>
#include <stdio.h>

/* Makes a value of a text. The text ends at the first zero, or after `max_length` bytes. */
static void side_text(setti_side_value* value, const char* text, size_t max_length)
{
    const char* end = memchr(text, '\0', max_length);
    value->kind = SETTI_VALUE_TEXT;
    value->text = text;
    value->length = max_length;
    if (end != NULL) {
        value->length = (size_t)(end - text);
    }
}

/* Whether a member can be compared: a single number, text or entity. */
static bool side_is_single(const sett_member_ref* member)
{
    switch (member->kind) {
    case SETT_MEMBER_OPAQUE:
    case SETT_MEMBER_STRUCT:
    case SETT_MEMBER_UNKNOWN:
    case SETT_MEMBER_STRING:
    case SETT_MEMBER_LIST:
        return false;
    case SETT_MEMBER_TEXT: /* an array of characters */
        return true;
    default:
        return member->count == 1;
    }
}

/* Prepares a side that is a member. Writes the reason of an error to `message`. */
static sett_status side_prepare_member(sett_world* world, setti_search_side* side,
                                       const sett_search_operand* operand,
                                       char message[SETTI_MESSAGE_SIZE])
{
    const char* path = operand->text != NULL ? operand->text : "";
    side->type = setti_world_type(world, operand->component);
    if (side->type == NULL) {
        snprintf(message, SETTI_MESSAGE_SIZE, "component %u is not registered in this world - %s",
                 (unsigned)operand->component, setti_component_remedy(operand->component));
        return SETT_STATUS_UNREGISTERED;
    }
    const char* name = side->type->desc.name;
    const sett_struct* structure = sett_members_get(world, operand->component);
    setti_guess guess = setti_guess_begin("", 0);
    if (structure == NULL || !setti_members_find(structure, path, &side->member, &guess)) {
        const char* reason;
        if (side->type->written != NULL) {
            reason = " to compare: it is a C++ type with strings or lists - put the member into "
                     "another component";
        } else if (structure == NULL) {
            reason = ": its members are not known - declare them with SETT_MEMBERS";
        } else if (side->type->records != NULL) {
            reason = " to compare: an entity has many links - use another component";
        } else if (guess.found != NULL) {
            reason = setti_guess_text(&guess);
        } else {
            reason = " - name one of its members";
        }
        snprintf(message, SETTI_MESSAGE_SIZE, "\"%.100s\" has no member \"%.100s\"%s", name, path,
                 reason);
        return SETT_STATUS_ARGUMENT;
    }
    if (!side_is_single(&side->member)) {
        snprintf(message, SETTI_MESSAGE_SIZE,
                 "\"%.100s.%.100s\" is not a single number, text or entity - name a member or "
                 "element of it that is",
                 name, path);
        return SETT_STATUS_ARGUMENT;
    }
    side->gives = SETTI_VALUE_NUMBER;
    if (side->member.kind == SETT_MEMBER_ENTITY) {
        side->gives = SETTI_VALUE_ENTITY;
    } else if (side->member.kind == SETT_MEMBER_TEXT) {
        side->gives = SETTI_VALUE_TEXT;
    }
    return SETT_OK;
}

sett_status setti_compare_prepare(sett_world* world, setti_search_side* side,
                                  const sett_search_operand* operand,
                                  char message[SETTI_MESSAGE_SIZE])
{
    setti_side_value* value = &side->value;
    *side = (setti_search_side){.kind = operand->kind};
    switch (operand->kind) {
    case SETT_OPERAND_ENTITY:
        side->gives = SETTI_VALUE_ENTITY;
        return SETT_OK;
    case SETT_OPERAND_NAME:
        side->gives = SETTI_VALUE_TEXT;
        side->type = setti_world_type(world, sett_name_register(world));
        message[0] = '\0'; /* a failure was reported already */
        return side->type != NULL ? SETT_OK : world->error;
    case SETT_OPERAND_MEMBER:
        return side_prepare_member(world, side, operand, message);
    case SETT_OPERAND_TEXT:
    case SETT_OPERAND_CONSTANT:
        side->gives = operand->kind == SETT_OPERAND_TEXT ? SETTI_VALUE_TEXT : SETTI_VALUE_NUMBER;
        if (operand->text != NULL) {
            side_text(value, operand->text, strlen(operand->text) + 1);
            return SETT_OK;
        }
        snprintf(message, SETTI_MESSAGE_SIZE, "`text` of an operand is NULL - set it");
        return SETT_STATUS_ARGUMENT;
    case SETT_OPERAND_INTEGER:
        side->gives = value->kind = SETTI_VALUE_NUMBER;
        value->form = SETTI_FORM_SIGNED;
        value->bits = (uint64_t)operand->integer;
        return SETT_OK;
    case SETT_OPERAND_NUMBER:
        side->gives = value->kind = SETTI_VALUE_NUMBER;
        value->form = SETTI_FORM_FLOAT;
        value->number = operand->number;
        return SETT_OK;
    }
    snprintf(message, SETTI_MESSAGE_SIZE,
             "`kind` of an operand has an unknown value - use a constant from SETT_OPERAND_ENTITY "
             "to SETT_OPERAND_CONSTANT");
    return SETT_STATUS_ARGUMENT;
}

/* Replaces the name of a constant on `side` by the number of the constant. `other` must be the
 * member that has the constant. Returns false and writes `message` if there is no such constant. */
static bool side_find_constant(setti_search_side* side, const setti_search_side* other,
                               char message[SETTI_MESSAGE_SIZE])
{
    static const sett_constant truth[] = {{"false", 0}, {"true", 1}, {NULL, 0}};
    const char* name = side->value.text;
    const sett_member* member = other->member.member;
    if (member == NULL) {
        snprintf(
            message, SETTI_MESSAGE_SIZE,
            "\"%.100s\" stands for a constant of a member, and the other side is no member - write "
            "a text in quotes",
            name);
        return false;
    }
    setti_guess guess = setti_guess_begin(name, strlen(name));
    bool is_bool = other->member.kind == SETT_MEMBER_BOOL;
    const sett_constant* constant = is_bool ? truth : member->constants;
    for (; constant != NULL && constant->name != NULL; constant++) {
        if (strcmp(constant->name, name) == 0) {
            side->value = (setti_side_value){.kind = SETTI_VALUE_NUMBER,
                                             .form = SETTI_FORM_SIGNED,
                                             .bits = (uint64_t)constant->value};
            return true;
        }
        setti_guess_try(&guess, constant->name);
    }
    const char* remedy = " - write one, or a number";
    if (guess.found != NULL) {
        remedy = setti_guess_text(&guess);
    }
    snprintf(message, SETTI_MESSAGE_SIZE, "\"%.100s\" is not a constant of member \"%.100s\"%s",
             name, member->name, remedy);
    return false;
}

/* Returns NULL, or the reason why two sides cannot be compared. */
static const char* compare_check(const setti_search_side* left, const setti_search_side* right,
                                 sett_compare compare)
{
    if ((unsigned)compare > SETT_COMPARE_NOT_CONTAINS) {
        return "`compare` has an unknown value - use a constant from SETT_COMPARE_EQUAL to "
               "SETT_COMPARE_NOT_CONTAINS";
    }
    if (left->gives != right->gives) {
        return "the two sides of a comparison are not both numbers, both texts or both entities "
               "- write two of one kind";
    }
    /* Texts and all later kinds are constants. */
    bool left_is_constant = left->kind >= SETT_OPERAND_TEXT;
    bool right_is_constant = right->kind >= SETT_OPERAND_TEXT;
    if (left_is_constant && right_is_constant) {
        return "both sides are constant - write a member or an entity on the left side";
    }
    if (left_is_constant) {
        return "the left side is constant - swap the sides";
    }
    if (left->gives == SETTI_VALUE_ENTITY && compare > SETT_COMPARE_NOT_EQUAL) {
        return "entities have no order - compare them with == or !=";
    }
    if (left->gives != SETTI_VALUE_TEXT && compare >= SETT_COMPARE_CONTAINS) {
        return "\"~=\" and \"!~\" compare only texts - use == or !=";
    }
    return NULL;
}

bool setti_compare_join(setti_search_side* left, setti_search_side* right, sett_compare compare,
                        char message[SETTI_MESSAGE_SIZE])
{
    if (left->kind == SETT_OPERAND_CONSTANT && !side_find_constant(left, right, message)) {
        return false;
    }
    if (right->kind == SETT_OPERAND_CONSTANT && !side_find_constant(right, left, message)) {
        return false;
    }
    const char* wrong = compare_check(left, right, compare);
    if (wrong != NULL) {
        snprintf(message, SETTI_MESSAGE_SIZE, "%s", wrong);
        return false;
    }
    if (left->member.kind == SETT_MEMBER_F32) { /* rounds the constant to f32 */
        right->value.number = (double)(float)right->value.number;
    }
    return true;
}

bool setti_compare_is_scaled(const sett_member_ref* member)
{
    double scale = member->member->scale;
    if (scale < 0 || scale > 0) {
        return scale < 1 || scale > 1; /* a scale of 1 changes nothing */
    }
    return false; /* 0: no scale is set */
}

/* Reads a member of the entity `index`. Leaves `value` at SETTI_VALUE_NONE if the entity has no
 * enabled component. */
static void side_member(setti_side_value* value, const sett_world* world,
                        const setti_search_side* side, uint32_t index)
{
    const unsigned char* row = setti_storage_find(&side->type->storage, index);
    if (row == NULL || !setti_type_is_on(side->type, index)) {
        return;
    }
    const sett_member_ref* member = &side->member;
    SETTI_ASSERT(member->offset + (size_t)member->size * member->count <= side->type->storage.size);
    const void* bytes = row + member->offset;
    if (member->kind == SETT_MEMBER_TEXT) {
        side_text(value, bytes, (size_t)member->size * member->count);
        return;
    }
    if (member->kind == SETT_MEMBER_ENTITY) {
        sett_entity entity;
        memcpy(&entity, bytes, sizeof(entity));
        value->kind = sett_entity_valid(world, entity) ? SETTI_VALUE_ENTITY : SETTI_VALUE_NONE;
        value->bits = entity.index;
        return;
    }
    value->kind = SETTI_VALUE_NUMBER;
    value->number = setti_number_float(member->kind, bytes);
    if (setti_number_is_float(member->kind)) {
        value->form = SETTI_FORM_FLOAT;
        return;
    }
    value->form = SETTI_FORM_UNSIGNED;
    if (setti_compare_is_scaled(member)) {
        value->form = SETTI_FORM_FLOAT;
    } else if (setti_number_is_signed(member->kind)) {
        value->form = SETTI_FORM_SIGNED;
    }
    value->bits = (uint64_t)setti_number_load(member->kind, bytes);
    value->number *= member->member->scale; /* only read if the form is FLOAT */
}

/* Reads the value of a side for an entity. If `index` is SETTI_NONE, only a constant side has a
 * value. */
static setti_side_value side_get(sett_world* world, const setti_search_side* side, uint32_t index)
{
    setti_side_value value = side->value;
    if (side->kind == SETT_OPERAND_MEMBER) {
        side_member(&value, world, side, index);
    } else if (side->kind == SETT_OPERAND_ENTITY && index != SETTI_NONE) {
        value.kind = SETTI_VALUE_ENTITY;
        value.bits = index;
    } else if (side->kind == SETT_OPERAND_NAME && index != SETTI_NONE) {
        const char* name = sett_name_get(world, setti_entity_at(&world->entities, index));
        if (name != NULL) {
            side_text(&value, name, strlen(name) + 1);
        }
    }
    return value;
}

uint32_t setti_compare_entity(sett_world* world, const setti_search_side* side, uint32_t index)
{
    setti_side_value value = side_get(world, side, index);
    return value.kind == SETTI_VALUE_ENTITY ? (uint32_t)value.bits : SETTI_NONE;
}

bool setti_compare_key(sett_world* world, const setti_search_side* side, uint32_t index,
                       uint64_t* key, const char** text)
{
    setti_side_value value = side_get(world, side, index);
    double number = value.number + 0.0; /* -0 becomes 0 */
    *text = value.text;
    if (value.form == SETTI_FORM_FLOAT) {
        *key = setti_sort_key(&number, SETT_KEY_F64);
    } else if (value.form == SETTI_FORM_SIGNED) {
        *key = setti_sort_key(&value.bits, SETT_KEY_I64);
    } else {
        *key = value.bits;
    }
    return value.kind != SETTI_VALUE_NONE;
}

/* The order of two values: -1, 0 or 1 if the first is below, equal to or above the second. It is
 * ORDER_NONE if one of them is NaN. */
#define ORDER_NONE 2
#define ORDER_OF(a, b) ((a) < (b) ? -1 : (a) > (b))

static bool order_is_below_zero(const setti_side_value* integer)
{
    SETTI_ASSERT(integer->form != SETTI_FORM_FLOAT);
    return integer->form == SETTI_FORM_SIGNED && (int64_t)integer->bits < 0;
}

/* Compares an integer `a` with a float `b` that is not NaN. */
static int order_integer_float(const setti_side_value* a, double b)
{
    bool negative = order_is_below_zero(a);
    if (negative != (b < 0)) {
        return negative ? -1 : 1;
    }
    /* The signs are equal: the distances from 0 are compared. */
    uint64_t a_distance = negative ? 0 - a->bits : a->bits;
    double b_distance = negative ? -b : b;
    int order = -1;
    if (b_distance < 18446744073709551616.0) { /* 2^64; a larger `b` is always farther from 0 */
        uint64_t whole = (uint64_t)b_distance;
        double fraction = b_distance - (double)whole;
        order = ORDER_OF(a_distance, whole);
        if (order == 0) {
            order = ORDER_OF(0.0, fraction);
        }
    }
    return negative ? -order : order;
}

static int order_numbers(const setti_side_value* a, const setti_side_value* b)
{
    if (a->form != SETTI_FORM_FLOAT && b->form != SETTI_FORM_FLOAT) {
        bool a_is_negative = order_is_below_zero(a);
        bool b_is_negative = order_is_below_zero(b);
        if (a_is_negative != b_is_negative) {
            return a_is_negative ? -1 : 1;
        }
        return ORDER_OF(a->bits, b->bits); /* also right for two negative integers */
    }
    if (isnan(a->number) || isnan(b->number)) {
        return ORDER_NONE;
    }
    if (a->form != SETTI_FORM_FLOAT) {
        return order_integer_float(a, b->number);
    }
    if (b->form != SETTI_FORM_FLOAT) {
        return -order_integer_float(b, a->number);
    }
    return ORDER_OF(a->number, b->number);
}

static int order_texts(const setti_side_value* a, const setti_side_value* b)
{
    SETTI_ASSERT(a->kind == SETTI_VALUE_TEXT && b->kind == SETTI_VALUE_TEXT);
    int order = memcmp(a->text, b->text, SETTI_MIN(a->length, b->length));
    if (order != 0) {
        return ORDER_OF(order, 0);
    }
    return ORDER_OF(a->length, b->length); /* the shorter text is the beginning of the longer one */
}

/* Whether the text `a` contains the text `b`. */
static bool compare_contains(const setti_side_value* a, const setti_side_value* b)
{
    for (size_t start = 0; start + b->length <= a->length; start++) {
        if (memcmp(a->text + start, b->text, b->length) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether a comparison is true if its two sides have the order `order`. */
static bool compare_is(sett_compare compare, int order)
{
    switch (compare) {
    case SETT_COMPARE_EQUAL:
        return order == 0;
    case SETT_COMPARE_NOT_EQUAL:
        return order != 0;
    case SETT_COMPARE_LESS:
        return order < 0;
    case SETT_COMPARE_LESS_OR_EQUAL:
        return order <= 0;
    case SETT_COMPARE_GREATER:
        return order > 0 && order != ORDER_NONE;
    default: /* SETT_COMPARE_GREATER_OR_EQUAL */
        return order >= 0 && order != ORDER_NONE;
    }
}

bool setti_compare_test(sett_world* world, const setti_search_side* left,
                        const setti_search_side* right, sett_compare compare, uint32_t a,
                        uint32_t b)
{
    setti_side_value left_value = side_get(world, left, a);
    setti_side_value right_value = side_get(world, right, b);
    if (left_value.kind == SETTI_VALUE_NONE || right_value.kind == SETTI_VALUE_NONE) {
        return false;
    }
    SETTI_ASSERT(left_value.kind == right_value.kind);
    if (left_value.kind == SETTI_VALUE_ENTITY) {
        bool is_equal = left_value.bits == right_value.bits;
        bool wants_equal = compare == SETT_COMPARE_EQUAL;
        return is_equal == wants_equal;
    }
    if (compare >= SETT_COMPARE_CONTAINS) {
        bool wants_part = compare == SETT_COMPARE_CONTAINS;
        return compare_contains(&left_value, &right_value) == wants_part;
    }
    int order;
    if (left_value.kind == SETTI_VALUE_TEXT) {
        order = order_texts(&left_value, &right_value);
    } else {
        order = order_numbers(&left_value, &right_value);
    }
    return compare_is(compare, order);
}

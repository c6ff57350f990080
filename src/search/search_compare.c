/* search_compare.c: comparisons of names, members and entities.
 *
 * Numbers of different kinds are compared by what they are worth: -1 is below every unsigned
 * number, 2^53 + 1 is not equal to the nearest double. A number in the text of the search that
 * meets an f32 is rounded to one first, so that `== 0.1` is what it seems to be.
 *
 * Invariant:  a comparison with NaN is false, except !=;  without a value on one side it is false
 */
#include "search/search_tree.h"

#include "sett/name.h"
#include "value/number.h"

#include <stdio.h>

typedef enum value_kind {
    VALUE_NONE,
    VALUE_SIGNED,
    VALUE_UNSIGNED,
    VALUE_FLOAT,
    VALUE_TEXT,
    VALUE_ENTITY
} value_kind;

typedef struct side_value {
    value_kind kind;
    int64_t integer;
    uint64_t natural;
    double number;
    const char* text; /* not ended by a zero */
    size_t length;
    uint32_t index;
} side_value;

/* ------------------------------------------------------------------------------ preparing */

setti_search_side_kind setti_compare_kind(const setti_search_side* side)
{
    switch (side->operand->kind) {
    case SETT_OPERAND_ENTITY:
        return SETTI_SIDE_ENTITY;
    case SETT_OPERAND_NAME:
    case SETT_OPERAND_TEXT:
        return SETTI_SIDE_TEXT;
    case SETT_OPERAND_MEMBER:
        return side->member.kind == SETT_MEMBER_ENTITY ? SETTI_SIDE_ENTITY
               : side->member.kind == SETT_MEMBER_TEXT ? SETTI_SIDE_TEXT
                                                       : SETTI_SIDE_NUMBER;
    default:
        return SETTI_SIDE_NUMBER;
    }
}

static bool compare_is_member(const setti_search_side* side)
{
    return side->operand->kind == SETT_OPERAND_MEMBER;
}

bool setti_compare_constant(setti_search_side* side, const setti_search_side* other)
{
    SETTI_ASSERT(side->operand->kind == SETT_OPERAND_CONSTANT);
    const char* name = side->operand->text;
    if (!compare_is_member(other)) {
        return false;
    }
    if (other->member.kind == SETT_MEMBER_BOOL) {
        side->constant = strcmp(name, "true") == 0;
        return side->constant != 0 || strcmp(name, "false") == 0;
    }
    const sett_constant* at = other->member.member->constants;
    while (at != NULL && at->name != NULL && strcmp(at->name, name) != 0) {
        at++;
    }
    if (at == NULL || at->name == NULL) {
        return false;
    }
    side->constant = at->value;
    return true;
}

const char* setti_compare_check(const setti_search_side* left, const setti_search_side* right,
                                sett_compare compare)
{
    setti_search_side_kind kind = setti_compare_kind(left);
    if (kind != setti_compare_kind(right)) {
        return "the sides differ: a number, a text and an entity cannot be compared";
    }
    if (left->operand->kind >= SETT_OPERAND_TEXT && right->operand->kind >= SETT_OPERAND_TEXT) {
        return "two values are compared, and nothing of an entity";
    }
    if (left->operand->kind >= SETT_OPERAND_TEXT) {
        return "a value stands on the right side of a comparison";
    }
    if (kind == SETTI_SIDE_ENTITY && compare > SETT_COMPARE_NOT_EQUAL) {
        return "entities are compared by == and != only";
    }
    if (kind != SETTI_SIDE_TEXT && compare >= SETT_COMPARE_CONTAINS) {
        return "\"~=\" and \"!~\" are for names and texts";
    }
    return NULL;
}

sett_status setti_compare_member(sett_world* world, setti_search_side* side,
                                 char message[SETTI_MESSAGE_SIZE])
{
    SETTI_ASSERT(side->operand != NULL);
    const sett_search_operand* operand = side->operand;
    const char* path = operand->text != NULL ? operand->text : "";
    side->type = setti_world_type(world, operand->component);
    if (side->type == NULL) {
        snprintf(message, SETTI_MESSAGE_SIZE, "component %u is not registered in this world",
                 (unsigned)operand->component);
        return SETT_STATUS_UNREGISTERED;
    }
    const char* name = side->type->desc.name;
    const sett_struct* of = sett_members_get(world, operand->component);
    setti_guess guess = setti_guess_begin("", 0);
    if (of == NULL || !setti_members_find(of, path, &side->member, &guess)) {
        snprintf(message, SETTI_MESSAGE_SIZE, "\"%.100s\" has no member \"%.100s\"%s", name, path,
                 of == NULL ? ": its members are not known - SETT_MEMBERS says them"
                 : side->type->records != NULL ? ": an entity has one for each of its links"
                                               : setti_guess_text(&guess));
        return SETT_STATUS_ARGUMENT;
    }
    sett_member_kind kind = side->member.kind;
    if (kind == SETT_MEMBER_OPAQUE || kind == SETT_MEMBER_STRUCT || kind == SETT_MEMBER_UNKNOWN ||
        kind == SETT_MEMBER_STRING || kind == SETT_MEMBER_LIST ||
        (side->member.count != 1 && kind != SETT_MEMBER_TEXT)) {
        snprintf(message, SETTI_MESSAGE_SIZE,
                 "\"%.100s.%.100s\" is not one number, text or entity: name a part of it", name,
                 path);
        return SETT_STATUS_ARGUMENT;
    }
    return SETT_OK;
}

/* ---------------------------------------------------------------------------------- values */

static void side_text(side_value* value, const void* at, size_t room)
{
    const char* end = memchr(at, '\0', room);
    value->kind = VALUE_TEXT;
    value->text = at;
    value->length = end != NULL ? (size_t)(end - (const char*)at) : room;
}

static void side_entity(side_value* value, const sett_world* world, const void* at)
{
    sett_entity entity;
    memcpy(&entity, at, sizeof(entity));
    value->kind = sett_entity_valid(world, entity) ? VALUE_ENTITY : VALUE_NONE;
    value->index = entity.index;
}

static void side_member(side_value* value, const sett_world* world, const setti_search_side* side,
                        uint32_t index)
{
    const unsigned char* row = setti_storage_find(&side->type->storage, index);
    if (row == NULL) {
        return;
    }
    const sett_member_ref* member = &side->member;
    SETTI_ASSERT(member->offset + (size_t)member->size * member->count <= side->type->storage.size);
    const void* at = row + member->offset;
    double scale = member->member->scale;
    switch (member->kind) {
    case SETT_MEMBER_F32:
    case SETT_MEMBER_F64:
        value->kind = VALUE_FLOAT;
        value->number = setti_number_float(member->kind, at);
        return;
    case SETT_MEMBER_TEXT:
        side_text(value, at, (size_t)member->size * member->count);
        return;
    case SETT_MEMBER_ENTITY:
        side_entity(value, world, at);
        return;
    case SETT_MEMBER_I8:
    case SETT_MEMBER_I16:
    case SETT_MEMBER_I32:
    case SETT_MEMBER_I64:
        value->kind = VALUE_SIGNED;
        value->integer = setti_number_load(member->kind, at);
        value->number = (double)value->integer * scale;
        break;
    default:
        value->kind = VALUE_UNSIGNED;
        value->natural = (uint64_t)setti_number_load(member->kind, at);
        value->number = (double)value->natural * scale;
        break;
    }
    if (scale < 0 || scale > 0) {
        value->kind = scale < 1 || scale > 1 ? VALUE_FLOAT : value->kind;
    }
}

/* What a side is, for the entity of its variable. */
static side_value side_get(sett_world* world, const setti_search_side* side, uint32_t index)
{
    side_value value = {.kind = VALUE_NONE};
    const sett_search_operand* operand = side->operand;
    switch (operand->kind) {
    case SETT_OPERAND_ENTITY:
        value.kind = index != SETTI_NONE ? VALUE_ENTITY : VALUE_NONE;
        value.index = index;
        break;
    case SETT_OPERAND_NAME: {
        const char* name = index != SETTI_NONE
                               ? sett_name_get(world, setti_entity_at(&world->entities, index))
                               : NULL;
        if (name != NULL) {
            side_text(&value, name, strlen(name) + 1);
        }
        break;
    }
    case SETT_OPERAND_TEXT:
        side_text(&value, operand->text, strlen(operand->text) + 1);
        break;
    case SETT_OPERAND_MEMBER:
        side_member(&value, world, side, index);
        break;
    case SETT_OPERAND_NUMBER:
        value.kind = VALUE_FLOAT;
        value.number = operand->number;
        break;
    default:
        value.kind = VALUE_SIGNED;
        value.integer = side->constant;
        break;
    }
    return value;
}

uint32_t setti_compare_entity(sett_world* world, const setti_search_side* side, uint32_t index)
{
    side_value value = side_get(world, side, index);
    return value.kind == VALUE_ENTITY ? value.index : SETTI_NONE;
}

bool setti_compare_key(sett_world* world, const setti_search_side* side, uint32_t index,
                       uint64_t* key, const char** text)
{
    side_value value = side_get(world, side, index);
    double number = value.number + 0.0; /* one zero */
    switch (value.kind) {
    case VALUE_SIGNED:
        *key = (uint64_t)value.integer ^ (uint64_t)1 << 63;
        break;
    case VALUE_UNSIGNED:
        *key = value.natural;
        break;
    case VALUE_FLOAT:
        *key = setti_sort_key(&number, SETT_KEY_F64);
        break;
    case VALUE_ENTITY:
        *key = value.index;
        break;
    default:
        *text = value.text;
        break;
    }
    return value.kind != VALUE_NONE;
}

/* ------------------------------------------------------------------------------- comparing */

/* The order of two values; NaN has none. */
#define ORDER_NONE 2
#define ORDER_OF(a, b) ((a) < (b) ? -1 : (a) > (b))

static int order_signed_float(int64_t a, double b)
{
    if (b >= 9223372036854775808.0) {
        return -1;
    }
    if (b < -9223372036854775808.0) {
        return 1;
    }
    int64_t whole = (int64_t)b;
    return a != whole ? ORDER_OF(a, whole) : ORDER_OF(0.0, b - (double)whole);
}

static int order_unsigned_float(uint64_t a, double b)
{
    if (b >= 18446744073709551616.0) {
        return -1;
    }
    if (b < 0) {
        return 1;
    }
    uint64_t whole = (uint64_t)b;
    return a != whole ? ORDER_OF(a, whole) : ORDER_OF(0.0, b - (double)whole);
}

static int order_float(const side_value* a, double b)
{
    switch (a->kind) {
    case VALUE_SIGNED:
        return order_signed_float(a->integer, b);
    case VALUE_UNSIGNED:
        return order_unsigned_float(a->natural, b);
    default:
        return ORDER_OF(a->number, b);
    }
}

static bool order_is_nan(const side_value* value)
{
    return value->kind == VALUE_FLOAT && !(value->number <= 0) && !(value->number >= 0);
}

static int order_numbers(const side_value* a, const side_value* b)
{
    SETTI_ASSERT(a->kind >= VALUE_SIGNED && a->kind <= VALUE_FLOAT);
    SETTI_ASSERT(b->kind >= VALUE_SIGNED && b->kind <= VALUE_FLOAT);
    if (order_is_nan(a) || order_is_nan(b)) {
        return ORDER_NONE;
    }
    if (b->kind == VALUE_FLOAT) {
        return order_float(a, b->number);
    }
    if (a->kind == VALUE_FLOAT) {
        return -order_float(b, a->number);
    }
    if (a->kind == b->kind) {
        return a->kind == VALUE_SIGNED ? ORDER_OF(a->integer, b->integer)
                                       : ORDER_OF(a->natural, b->natural);
    }
    bool swapped = a->kind == VALUE_UNSIGNED;
    const side_value* s = swapped ? b : a;
    const side_value* u = swapped ? a : b;
    int order = s->integer < 0 ? -1 : ORDER_OF((uint64_t)s->integer, u->natural);
    return swapped ? -order : order;
}

static int order_texts(const side_value* a, const side_value* b)
{
    SETTI_ASSERT(a->kind == VALUE_TEXT && b->kind == VALUE_TEXT);
    size_t common = SETTI_MIN(a->length, b->length);
    int order = memcmp(a->text, b->text, common);
    return order != 0 ? order : ORDER_OF(a->length, b->length);
}

static bool compare_contains(const side_value* a, const side_value* b)
{
    for (size_t at = 0; at + b->length <= a->length; at++) {
        if (memcmp(a->text + at, b->text, b->length) == 0) {
            return true;
        }
    }
    return false;
}

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
    default:
        return order >= 0 && order != ORDER_NONE;
    }
}

/* A number in the text that meets an f32 becomes one. */
static void compare_round(side_value* literal, const setti_search_side* side,
                          const setti_search_side* other)
{
    if (side->operand->kind == SETT_OPERAND_NUMBER && compare_is_member(other) &&
        other->member.kind == SETT_MEMBER_F32) {
        literal->number = (double)(float)literal->number;
    }
}

bool setti_compare_test(sett_world* world, const setti_search_side* left,
                        const setti_search_side* right, sett_compare compare, uint32_t a,
                        uint32_t b)
{
    side_value x = side_get(world, left, a);
    side_value y = side_get(world, right, b);
    if (x.kind == VALUE_NONE || y.kind == VALUE_NONE) {
        return false;
    }
    SETTI_ASSERT((x.kind == VALUE_TEXT) == (y.kind == VALUE_TEXT));
    if (x.kind == VALUE_ENTITY) {
        return (x.index == y.index) == (compare == SETT_COMPARE_EQUAL);
    }
    if (compare >= SETT_COMPARE_CONTAINS) {
        return compare_contains(&x, &y) == (compare == SETT_COMPARE_CONTAINS);
    }
    if (x.kind == VALUE_TEXT) {
        return compare_is(compare, SETTI_MIN(order_texts(&x, &y), 1));
    }
    compare_round(&x, left, right);
    compare_round(&y, right, left);
    return compare_is(compare, order_numbers(&x, &y));
}

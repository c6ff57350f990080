/* abm_member.c: numbers in components, by the names of members, and queries by text.
 *
 * The workload: a handful a run, found once, then read for each of many agents a row of data. So a
 * path is resolved to component, offset and kind, and a read is a switch.
 */
#include "abm.h"

#include "sett/members.h"
#include "sett/search.h"

#include <stdarg.h>
#include <string.h>

sett_status setti_abm_fail(sett_world* world, sett_status status, const char* format, ...)
{
    sett_failure failure = {.status = status};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(failure.message, sizeof(failure.message), format, arguments);
    va_end(arguments);
#ifndef NDEBUG
    sett_world_log(world, SETT_LOG_ERROR, failure.message);
#endif
    sett_world_swap_failure(world, &failure);
    return status;
}

sett_status setti_abm_fail_write(sett_world* world, const char* call, const char* path)
{
    return setti_abm_fail(
        world, SETT_STATUS_FILE,
        "%s: \"%.200s\" cannot be written - check that its folder exists, and that "
        "the disk has room",
        call, path);
}

bool setti_abm_member_find(sett_world* world, const char* path, const char* call, abm_member* out)
{
    sett_member_ref ref = {.count = 0};
    bool found = path != NULL && sett_member_lookup(world, path, &out->component, &ref);
    if (!found || ref.count != 1 || ref.kind < SETT_MEMBER_BOOL || ref.kind > SETT_MEMBER_F64) {
        (void)setti_abm_fail(world, SETT_STATUS_ARGUMENT,
                             found ? "%s: \"%.200s\" is not one number - name a member that is one"
                                   : "%s: no component has a member \"%.200s\" - write "
                                     "\"Component.member\", with a registered component",
                             call, path != NULL ? path : "");
        return false;
    }
    out->offset = ref.offset;
    out->kind = (int)ref.kind;
    return true;
}

double setti_abm_member_read(const abm_member* member, const void* value)
{
    const unsigned char* at = (const unsigned char*)value + member->offset;
    union {
        bool yes;
        int8_t i8;
        uint8_t u8;
        int16_t i16;
        uint16_t u16;
        int32_t i32;
        uint32_t u32;
        int64_t i64;
        uint64_t u64;
        float f32;
        double f64;
    } v;
    static const uint8_t sizes[] = {0, 1, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
    memcpy(&v, at, sizes[member->kind]);
    switch (member->kind) {
    case SETT_MEMBER_BOOL:
        return v.yes ? 1 : 0;
    case SETT_MEMBER_I8:
        return v.i8;
    case SETT_MEMBER_U8:
        return v.u8;
    case SETT_MEMBER_I16:
        return v.i16;
    case SETT_MEMBER_U16:
        return v.u16;
    case SETT_MEMBER_I32:
        return v.i32;
    case SETT_MEMBER_U32:
        return v.u32;
    case SETT_MEMBER_I64:
        return (double)v.i64;
    case SETT_MEMBER_U64:
        return (double)v.u64;
    case SETT_MEMBER_F32:
        return (double)v.f32;
    default:
        return v.f64;
    }
}

sett_query* setti_abm_query(sett_world* world, const char* text, sett_component required,
                            uint32_t* term)
{
    sett_query_desc desc;
    if (sett_query_parse(world, text, &desc) != SETT_OK) {
        return NULL;
    }
    *term = SETT_QUERY_TERMS;
    uint32_t count = 0;
    for (; count < SETT_QUERY_TERMS && desc.terms[count].component != 0; count++) {
        sett_term* t = &desc.terms[count];
        bool elsewhere = t->walk != SETT_WALK_NONE || t->singleton || !sett_is_null(t->entity);
        bool it = t->component == required && t->kind == SETT_WITH && !elsewhere;
        t->access = it ? SETT_IN : SETT_NONE;
        *term = it ? count : *term;
    }
    if (required != 0 && *term == SETT_QUERY_TERMS && count < SETT_QUERY_TERMS) {
        /* in front: terms elsewhere come last */
        memmove(&desc.terms[1], &desc.terms[0], count * sizeof(desc.terms[0]));
        desc.terms[0] = (sett_term){.component = required, .access = SETT_IN};
        *term = 0;
    }
    return sett_query_create(world, &desc);
}

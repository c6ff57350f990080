/* space_create.c: how a space is created from its descriptor, and ends.
 *
 * The workload: once a world. Whatever a descriptor can have wrong is found here, so that updates
 * and searches check nothing. Memory is the world's: a space needs no end of its own.
 *
 * Invariant:  the product of `cells` is `cell_count`, at most SETT_SPACE_CELLS
 */
#include "../argument.h"
#include "space.h"

#include "sett/members.h"

#include <stdio.h>
#include <string.h>

/* Up to here each whole number is a double. */
#define SPACE_WHOLE 9007199254740992.0

static const char space_call[] = "sett_space_create";

static sett_space_number space_number_of(sett_member_kind kind)
{
    switch (kind) {
    case SETT_MEMBER_F32:
        return SETT_SPACE_F32;
    case SETT_MEMBER_F64:
        return SETT_SPACE_F64;
    case SETT_MEMBER_I8:
        return SETT_SPACE_I8;
    case SETT_MEMBER_U8:
        return SETT_SPACE_U8;
    case SETT_MEMBER_I16:
        return SETT_SPACE_I16;
    case SETT_MEMBER_U16:
        return SETT_SPACE_U16;
    case SETT_MEMBER_I32:
        return SETT_SPACE_I32;
    case SETT_MEMBER_U32:
        return SETT_SPACE_U32;
    default:
        return SETT_SPACE_NUMBER_DEFAULT;
    }
}

static uint32_t space_number_size(sett_space_number number)
{
    switch (number) {
    case SETT_SPACE_F64:
        return 8;
    case SETT_SPACE_F32:
    case SETT_SPACE_I32:
    case SETT_SPACE_U32:
        return 4;
    case SETT_SPACE_I16:
    case SETT_SPACE_U16:
        return 2;
    case SETT_SPACE_I8:
    case SETT_SPACE_U8:
        return 1;
    default:
        return 0;
    }
}

/* Coordinates of a type without members: one after another from its first byte on. */
static sett_space_number space_guess(const sett_space* s, const sett_space_desc* desc)
{
    if (desc->number != SETT_SPACE_NUMBER_DEFAULT) {
        return desc->number;
    }
    if (!s->is_grid && s->stride == s->dimensions * 8) {
        return SETT_SPACE_F64;
    }
    if (!s->is_grid && s->stride == s->dimensions * 4) {
        return SETT_SPACE_F32;
    }
    return s->is_grid ? SETT_SPACE_I32 : SETT_SPACE_NUMBER_DEFAULT;
}

#define SPACE_TEXT 200 /* bytes of the text that says what is wrong */

/* Where the coordinates lie. Returns what is wrong, in `out`, or NULL. */
static const char* space_take_members(sett_space* s, const sett_space_desc* desc, char* out)
{
    const char* name = sett_component_name(s->world, s->component);
    static const char* const usual[] = {"x", "y", "z"};
    bool has = sett_members_get(s->world, s->component) != NULL;
    for (uint32_t k = 0; k < s->dimensions; k++) {
        sett_member_ref ref = {.count = 1};
        const char* path = desc->member[k] != NULL ? desc->member[k] : usual[k];
        if (has || desc->member[k] != NULL) {
            if (!sett_member_find(s->world, s->component, path, &ref)) {
                snprintf(out, SPACE_TEXT, "\"%.60s\" has no member \"%.60s\" - set `member`", name,
                         path);
                return out;
            }
            s->number[k] = space_number_of(ref.kind);
            s->offset[k] = ref.offset;
        } else {
            s->number[k] = space_guess(s, desc);
            s->offset[k] = k * space_number_size(s->number[k]);
        }
        uint32_t size = space_number_size(s->number[k]);
        if (size == 0 || ref.count != 1 || s->offset[k] + size > s->stride) {
            snprintf(out, SPACE_TEXT,
                     "coordinate %u of \"%.60s\" is not one number in the value - set `member` or "
                     "`number`",
                     (unsigned)k, name);
            return out;
        }
        if (s->is_grid && (s->number[k] == SETT_SPACE_F32 || s->number[k] == SETT_SPACE_F64)) {
            snprintf(
                out, SPACE_TEXT,
                "coordinate %u of \"%.60s\" is not an integer, as a grid needs - use integers, or "
                "SETT_SPACE_CONTINUOUS",
                (unsigned)k, name);
            return out;
        }
    }
    return NULL;
}

/* Sizes and cells. Returns what is wrong, or NULL. */
static const char* space_take_size(sett_space* s, const sett_space_desc* desc)
{
    if (!s->is_grid && !(desc->cell > 0 && space_is_finite(desc->cell))) {
        return "`cell`, the edge of a cell, is not a number above 0 - set another number";
    }
    uint64_t count = 1;
    for (uint32_t k = 0; k < 3; k++) {
        bool is = k < s->dimensions;
        s->size[k] = is ? desc->size[k] : 1;
        s->origin[k] = is ? desc->origin[k] : 0;
        double cell = s->is_grid || !is ? 1 : desc->cell;
        double cells = s->size[k] / cell;
        if (!(s->size[k] > 0) || !space_is_finite(s->size[k]) || !space_is_finite(s->origin[k])) {
            return "`size` is not above 0, or `size` or `origin` is not finite - set other numbers";
        }
        if (cells >= SETT_SPACE_CELLS + 1.0) {
            return s->is_grid
                       ? "`size` makes more than SETT_SPACE_CELLS (67,108,864) cells - lower it"
                       : "`size` and `cell` make more than SETT_SPACE_CELLS (67,108,864) cells - "
                         "raise `cell`";
        }
        s->cells[k] = cells < 1 ? 1 : (int32_t)cells;
        bool whole = s->origin[k] >= -SPACE_WHOLE && s->origin[k] <= SPACE_WHOLE &&
                     (double)(int64_t)s->origin[k] == s->origin[k];
        if (s->is_grid && (s->cells[k] != cells || !whole)) {
            return "`size` or `origin` of a grid is not an integer - set integers";
        }
        s->corner[k] = s->is_grid ? (int64_t)s->origin[k] : 0;
        s->inverse[k] = s->cells[k] / s->size[k];
        s->edge[k] = s->size[k] / s->cells[k];
        count *= (uint64_t)s->cells[k];
        if (count > SETT_SPACE_CELLS) {
            return s->is_grid
                       ? "`size` makes more than SETT_SPACE_CELLS (67,108,864) cells - lower it"
                       : "`size` and `cell` make more than SETT_SPACE_CELLS (67,108,864) cells - "
                         "raise `cell`";
        }
    }
    s->cell_count = (uint32_t)count;
    return NULL;
}

/* The query: the terms of the program's, of which only the position is read. */
static const char* space_take_query(sett_space* s, const sett_query* query)
{
    sett_query_desc desc = {.name = "space"};
    uint32_t count = 0;
    s->term = SETT_QUERY_TERMS;
    while (query != NULL && sett_query_term_at(query, count, &desc.terms[count])) {
        sett_term* term = &desc.terms[count];
        if (term->changed) {
            return "a term of `query` is `changed` - leave `changed` out";
        }
        term->access = SETT_NONE;
        term->drives = false;
        if (term->component == s->component && term->kind == SETT_WITH &&
            term->walk == SETT_WALK_NONE && sett_is_null(term->entity) && !term->singleton) {
            term->access = SETT_IN;
            s->term = count;
        }
        count++;
    }
    if (query == NULL) {
        desc.terms[0] = (sett_term){.component = s->component, .access = SETT_IN};
        s->term = 0;
    }
    if (s->term == SETT_QUERY_TERMS) {
        return "`query` does not require the component of the positions - add a term SETT_IN";
    }
    s->all = sett_query_create(s->world, &desc);
    return NULL;
}

static const char* space_take(sett_space* s, const sett_space_desc* desc, char* out)
{
    s->component = desc->component;
    s->is_grid = desc->kind == SETT_SPACE_GRID;
    s->periodic = desc->periodic;
    s->dimensions = desc->dimensions != 0 ? desc->dimensions : 2;
    s->metric = desc->metric;
    if (s->metric == SETT_SPACE_METRIC_DEFAULT) {
        s->metric = s->is_grid ? SETT_SPACE_CHEBYSHEV : SETT_SPACE_EUCLIDEAN;
    }
    s->stale = true;
    if (s->dimensions < 2 || s->dimensions > 3) {
        return "`dimensions` is not 2 or 3 - set 2 or 3";
    }
    s->entry_size = (uint32_t)(sizeof(sett_entity) + (s->is_grid ? 0 : s->dimensions * 8));
    const char* wrong = space_take_members(s, desc, out);
    wrong = wrong == NULL ? space_take_size(s, desc) : wrong;
    return wrong == NULL ? space_take_query(s, desc->query) : wrong;
}

static void space_end(sett_space* s)
{
    sett_world* world = s->world;
    (void)sett_query_destroy(s->all);
    (void)sett_world_release(world, s->cell, (size_t)s->cell_count * sizeof(*s->cell), 16);
    (void)sett_world_release(world, s, sizeof(*s), 16);
}

sett_space* sett_space_create(sett_world* world, const sett_space_desc* desc)
{
    if (ARGUMENT_IS_NULL(world) || ARGUMENT_IS_NULL(desc)) {
        return NULL;
    }
    sett_component_desc type;
    if (sett_component_describe(world, desc->component, &type) != SETT_OK) {
        (void)setti_space_fail(world, SETT_STATUS_UNREGISTERED, space_call,
                               "`component` is not a registered component - register it first");
        return NULL;
    }
    sett_space* s = sett_world_alloc(world, sizeof(*s), 16);
    if (s == NULL) {
        return NULL;
    }
    memset(s, 0, sizeof(*s));
    s->world = world;
    s->stride = (uint32_t)type.size;
    char text[SPACE_TEXT];
    const char* wrong = space_take(s, desc, text);
    if (wrong == NULL && s->all != NULL) {
        s->cell = sett_world_alloc(world, (size_t)s->cell_count * sizeof(*s->cell), 16);
    }
    if (s->cell == NULL) {
        space_end(s);
        if (wrong != NULL) {
            (void)setti_space_fail(world, SETT_STATUS_ARGUMENT, space_call, wrong);
        }
        return NULL;
    }
    memset(s->cell, 0, (size_t)s->cell_count * sizeof(*s->cell));
    return s;
}

static void space_release_cells(sett_space* s)
{
    for (uint32_t k = 0; k < s->cell_count; k++) {
        while (s->cell[k].count != 0) {
            setti_space_erase(s, k, space_handles(&s->cell[k])[s->cell[k].count - 1].index);
        }
    }
    while (s->spare != NULL) {
        void* chunk = s->spare;
        memcpy(&s->spare, chunk, sizeof(s->spare));
        (void)sett_world_release(s->world, chunk, 64, 16);
    }
}

sett_status sett_space_destroy(sett_space* s)
{
    if (s == NULL) {
        return SETT_OK;
    }
    sett_status status = sett_query_destroy(s->all);
    if (status != SETT_OK) {
        return status;
    }
    s->all = NULL;
    space_release_cells(s);
    for (uint32_t number = 0; number < s->page_room; number++) {
        (void)sett_world_release(s->world, s->page[number], sizeof(space_page), 16);
    }
    (void)sett_world_release(s->world, s->page, s->page_room * sizeof(*s->page), 16);
    space_end(s);
    return SETT_OK;
}

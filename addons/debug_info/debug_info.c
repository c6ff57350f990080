/* debug_info.c: see sett_debug_info.h.
 *
 * The workload: once at the start of a program. All units are walked; each type of a wanted name
 * and size is read wherever it occurs, and compared with what was found first, because names of C
 * types are only unique within a file.
 */
#include "sett_debug_info.h"

#include "sett/relationship.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define INFO_TEXT 256

/* The library's own types (sett_component_desc.id). */
#define INFO_OWN_FIRST 1024
#define INFO_OWN_LAST 1087

/* In front of each piece of memory: the last one made is the first to be freed. */
typedef union info_piece {
    union info_piece* next;
    uint64_t align;
} info_piece;

/* A component without members. */
typedef struct info_type {
    sett_component id;
    const char* name; /* of the component */
    const char* c_name;
    bool tag_only; /* c_name was written behind `struct` */
    bool differs;  /* found in several forms */

    size_t size;
    const sett_struct* of;  /* as found first, or NULL */
    char reason[INFO_TEXT]; /* why it was not found */
} info_type;

typedef struct info_reader {
    info_type* types;
    uint32_t count;
    uint32_t units; /* of debug information that were found */
    info_piece* pieces;
    bool no_memory;

    char wrong[INFO_TEXT]; /* why the last struct could not be read */
} info_reader;

typedef struct info_list {
    sett_member* items;
    uint32_t count;
    uint32_t room;
} info_list;

/* --------------------------------------------------------------------------------------- memory */

static void* info_alloc(info_reader* reader, size_t size)
{
    info_piece* piece = calloc(1, sizeof(*piece) + size);
    if (piece == NULL) {
        reader->no_memory = true;
        return NULL;
    }
    piece->next = reader->pieces;
    reader->pieces = piece;
    return piece + 1;
}

static void info_free(info_reader* reader, const info_piece* end)
{
    while (reader->pieces != end) {
        info_piece* next = reader->pieces->next;
        free(reader->pieces);
        reader->pieces = next;
    }
}

static sett_member* info_add(info_reader* reader, info_list* list)
{
    if (list->count == list->room) {
        uint32_t room = list->room * 2 + 16;
        sett_member* items = info_alloc(reader, room * sizeof(*items));
        if (items == NULL) {
            return NULL;
        }
        if (list->count != 0) {
            memcpy(items, list->items, list->count * sizeof(*items));
        }
        list->items = items;
        list->room = room;
    }
    return &list->items[list->count++];
}

/* ----------------------------------------------------------------------------------- one struct */

static bool info_fail(info_reader* reader, const char* what, const char* name)
{
    snprintf(reader->wrong, sizeof(reader->wrong),
             "%s \"%.100s\" - pass its members to "
             "sett_members_set",
             what, name);
    return false;
}

static bool info_has(Dwarf_Die* die, unsigned int what)
{
    return dwarf_hasattr(die, what) != 0;
}

static bool info_number(Dwarf_Die* die, unsigned int what, Dwarf_Word* out)
{
    Dwarf_Attribute attribute;
    return dwarf_attr(die, what, &attribute) != NULL && dwarf_formudata(&attribute, out) == 0;
}

static bool info_is_struct(Dwarf_Die* type)
{
    int tag = dwarf_tag(type);
    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
}

/* Follows typedefs, const and the like, and references to a type unit, to the type itself. */
static bool info_resolve(Dwarf_Die* from, Dwarf_Die* type)
{
    Dwarf_Attribute attribute;
    return dwarf_peel_type(from, type) == 0 &&
           (dwarf_attr(type, DW_AT_signature, &attribute) == NULL ||
            dwarf_formref_die(&attribute, type) != NULL);
}

/* The type that a member or an array is of, and its first name. */
static bool info_type_of(Dwarf_Die* die, Dwarf_Die* type, const char** name)
{
    Dwarf_Attribute attribute;
    Dwarf_Die named;
    if (dwarf_attr(die, DW_AT_type, &attribute) == NULL ||
        dwarf_formref_die(&attribute, &named) == NULL || !info_resolve(&named, type)) {
        return false;
    }
    *name = dwarf_diename(&named) != NULL ? dwarf_diename(&named) : dwarf_diename(type);
    return true;
}

static sett_member_kind info_integer(bool is_signed, Dwarf_Word size)
{
    switch (size) {
    case 1:
        return is_signed ? SETT_MEMBER_I8 : SETT_MEMBER_U8;
    case 2:
        return is_signed ? SETT_MEMBER_I16 : SETT_MEMBER_U16;
    case 4:
        return is_signed ? SETT_MEMBER_I32 : SETT_MEMBER_U32;
    case 8:
        return is_signed ? SETT_MEMBER_I64 : SETT_MEMBER_U64;
    default:
        return SETT_MEMBER_OPAQUE;
    }
}

static sett_member_kind info_base(Dwarf_Die* type, Dwarf_Word size)
{
    const char* name = dwarf_diename(type);
    Dwarf_Word encoding = 0;
    (void)info_number(type, DW_AT_encoding, &encoding);
    switch (encoding) {
    case DW_ATE_boolean:
        return size == sizeof(bool) ? SETT_MEMBER_BOOL : SETT_MEMBER_OPAQUE;
    case DW_ATE_signed_char:
    case DW_ATE_unsigned_char:
        if (name != NULL && strcmp(name, "char") == 0) {
            return SETT_MEMBER_TEXT;
        }
        return info_integer(encoding == DW_ATE_signed_char, size);
    case DW_ATE_signed:
        return info_integer(true, size);
    case DW_ATE_unsigned:
    case DW_ATE_UTF:
        return info_integer(false, size);
    case DW_ATE_float:
        return size == 4 ? SETT_MEMBER_F32 : size == 8 ? SETT_MEMBER_F64 : SETT_MEMBER_OPAQUE;
    default:
        return SETT_MEMBER_OPAQUE;
    }
}

/* The value of an enumerator. gcc writes what is not negative without a sign, in as few bytes as
 * that takes. */
static int64_t info_enumerator(Dwarf_Die* die)
{
    Dwarf_Attribute attribute;
    Dwarf_Sword value = 0;
    Dwarf_Word word = 0;
    if (dwarf_attr(die, DW_AT_const_value, &attribute) == NULL) {
        return 0;
    }
    unsigned int form = dwarf_whatform(&attribute);
    if (form == DW_FORM_sdata || form == DW_FORM_implicit_const) {
        (void)dwarf_formsdata(&attribute, &value);
    } else if (dwarf_formudata(&attribute, &word) == 0) {
        value = (Dwarf_Sword)word;
    }
    return value;
}

static bool info_read_enum(info_reader* reader, Dwarf_Die* type, Dwarf_Word size,
                           sett_member* member)
{
    Dwarf_Die die;
    Dwarf_Die under;
    Dwarf_Word encoding = 0;
    const char* name;
    uint32_t count = 0;
    bool is_signed = false;
    for (int next = dwarf_child(type, &die); next == 0; next = dwarf_siblingof(&die, &die)) {
        count += dwarf_tag(&die) == DW_TAG_enumerator;
        is_signed = is_signed || info_enumerator(&die) < 0;
    }
    if (info_type_of(type, &under, &name) && info_number(&under, DW_AT_encoding, &encoding)) {
        is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
    }
    member->kind = info_integer(is_signed, size);
    sett_constant* list = info_alloc(reader, (count + 1) * sizeof(*list));
    if (list == NULL) {
        return false;
    }
    member->constants = count != 0 ? list : NULL;
    for (int next = dwarf_child(type, &die); next == 0; next = dwarf_siblingof(&die, &die)) {
        if (dwarf_tag(&die) == DW_TAG_enumerator) {
            *list++ = (sett_constant){dwarf_diename(&die), info_enumerator(&die)};
        }
    }
    return true;
}

static const sett_struct* info_read_struct(info_reader* reader, Dwarf_Die* type, const char* name,
                                           uint32_t depth);
static bool info_read_members(info_reader* reader, Dwarf_Die* type, uint32_t base, uint32_t depth,
                              info_list* list);

/* What an element is. */
static bool info_read_kind(info_reader* reader, Dwarf_Die* type, const char* name, uint32_t depth,
                           sett_member* member)
{
    Dwarf_Word size = 0;
    (void)dwarf_aggregate_size(type, &size);
    member->kind = SETT_MEMBER_OPAQUE;
    switch (dwarf_tag(type)) {
    case DW_TAG_base_type:
        member->kind = info_base(type, size);
        return true;
    case DW_TAG_enumeration_type:
        return info_read_enum(reader, type, size, member);
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
        if (name != NULL && strcmp(name, "sett_entity") == 0) {
            member->kind = SETT_MEMBER_ENTITY;
            return true;
        }
        if (name != NULL && strcmp(name, "sett_string") == 0) {
            member->kind = SETT_MEMBER_STRING;
            return true;
        }
        if (name != NULL && strcmp(name, "sett_list") == 0) {
            return info_fail(reader, "only the program knows the items of the list", member->name);
        }
        member->kind = SETT_MEMBER_STRUCT;
        member->of = info_read_struct(reader, type, name != NULL ? name : member->name, depth + 1);
        return member->of != NULL;
    case DW_TAG_union_type:
        return true;
    default:
        member->local = true;
        return true; /* some kind of address */
    }
}

static bool info_read_member(info_reader* reader, Dwarf_Die* die, uint32_t base, uint32_t depth,
                             info_list* list)
{
    Dwarf_Die type;
    Dwarf_Word offset = 0;
    Dwarf_Word size = 0;
    const char* of = NULL;
    const char* name = dwarf_diename(die);
    const char* shown = name != NULL ? name : "";
    if (info_has(die, DW_AT_bit_size) || info_has(die, DW_AT_data_bit_offset)) {
        snprintf(reader->wrong, sizeof(reader->wrong),
                 "it has the bit-field \"%.100s\" - replace it by an integer", shown);
        return false;
    }
    if (!info_type_of(die, &type, &of) || info_has(&type, DW_AT_declaration) ||
        (info_has(die, DW_AT_data_member_location) &&
         !info_number(die, DW_AT_data_member_location, &offset))) {
        return info_fail(reader, "the debug information lacks type or place of", shown);
    }
    offset += base;
    if ((name == NULL || dwarf_tag(die) == DW_TAG_inheritance) && info_is_struct(&type)) {
        return info_read_members(reader, &type, (uint32_t)offset, depth + 1, list);
    }
    if (dwarf_aggregate_size(&type, &size) != 0 || size == 0) {
        return true; /* an array without elements, such as a flexible one */
    }
    while (dwarf_tag(&type) == DW_TAG_array_type) {
        if (!info_type_of(&type, &type, &of)) {
            return info_fail(reader, "the debug information lacks the type of", shown);
        }
    }
    if (name == NULL) {
        char* made = info_alloc(reader, 24);
        if (made == NULL) {
            return false;
        }
        snprintf(made, 24, "union_%u", (unsigned)offset);
        name = made;
    }
    sett_member member = {.name = name, .offset = (uint32_t)offset, .size = (uint32_t)size};
    bool done = info_read_kind(reader, &type, of, depth, &member);
    sett_member* place = done ? info_add(reader, list) : NULL;
    if (place != NULL) {
        *place = member;
    }
    return place != NULL;
}

static bool info_read_members(info_reader* reader, Dwarf_Die* type, uint32_t base, uint32_t depth,
                              info_list* list)
{
    Dwarf_Die die;
    const char* name = dwarf_diename(type) != NULL ? dwarf_diename(type) : "";
    bool done =
        depth <= SETT_MEMBERS_DEPTH || info_fail(reader, "structs are nested too deep in", name);
    for (int next = dwarf_child(type, &die); done && next == 0;
         next = dwarf_siblingof(&die, &die)) {
        int tag = dwarf_tag(&die);
        /* in C++ a static member is one that is declared */
        if ((tag == DW_TAG_member || tag == DW_TAG_inheritance) &&
            !info_has(&die, DW_AT_declaration)) {
            done = info_read_member(reader, &die, base, depth, list);
        }
    }
    return done;
}

/* Returns NULL if memory runs out, or with the reason in reader->wrong. */
static const sett_struct* info_read_struct(info_reader* reader, Dwarf_Die* type, const char* name,
                                           uint32_t depth)
{
    info_list list = {0};
    if (!info_read_members(reader, type, 0, depth, &list)) {
        return NULL;
    }
    sett_struct* of = info_alloc(reader, sizeof(*of));
    if (of != NULL) {
        *of = (sett_struct){name, (uint32_t)dwarf_bytesize(type), list.count, list.items, NULL};
    }
    return of;
}

/* --------------------------------------------------------------------------- all of the program */

static bool info_is_same(const sett_struct* a, const sett_struct* b)
{
    bool same = a->size == b->size && a->count == b->count;
    for (uint32_t k = 0; same && k < a->count; k++) {
        const sett_member* x = &a->members[k];
        const sett_member* y = &b->members[k];
        same = strcmp(x->name, y->name) == 0 && x->kind == y->kind && x->offset == y->offset &&
               x->size == y->size && (x->of == NULL || info_is_same(x->of, y->of));
    }
    return same;
}

/* Something with the name of a wanted type. */
static void info_take(info_reader* reader, info_type* wanted, Dwarf_Die* die)
{
    Dwarf_Die type;
    const info_piece* end = reader->pieces;
    if (!info_resolve(die, &type) || !info_is_struct(&type)) {
        (void)info_fail(reader, "no struct is named", wanted->c_name);
    } else if ((size_t)dwarf_bytesize(&type) != wanted->size) {
        (void)info_fail(reader, "the debug information has another size of", wanted->c_name);
    } else {
        const sett_struct* of = info_read_struct(reader, &type, wanted->c_name, 1);
        if (of != NULL && wanted->of == NULL) {
            wanted->of = of;
            return;
        }
        wanted->differs = wanted->differs || (of != NULL && !info_is_same(of, wanted->of));
    }
    info_free(reader, end);
    snprintf(wanted->reason, sizeof(wanted->reason), "%s", reader->wrong);
}

static void info_read_unit(info_reader* reader, Dwarf_Die* unit)
{
    Dwarf_Die die;
    for (int next = dwarf_child(unit, &die); next == 0; next = dwarf_siblingof(&die, &die)) {
        bool alias = dwarf_tag(&die) == DW_TAG_typedef;
        const char* name = alias || info_is_struct(&die) ? dwarf_diename(&die) : NULL;
        if (name == NULL || info_has(&die, DW_AT_declaration)) {
            continue;
        }
        for (uint32_t k = 0; k < reader->count; k++) {
            info_type* wanted = &reader->types[k];
            if (strcmp(name, wanted->c_name) == 0 && !(alias && wanted->tag_only)) {
                info_take(reader, wanted, &die);
            }
        }
    }
}

static int info_read_module(Dwfl_Module* module, void** data, const char* name, Dwarf_Addr start,
                            void* user)
{
    (void)data;
    (void)name;
    (void)start;
    info_reader* reader = user;
    Dwarf_Addr bias;
    Dwarf* dwarf = dwfl_module_getdwarf(module, &bias);
    Dwarf_CU* unit = NULL;
    Dwarf_Die die;
    Dwarf_Die split; /* what -gsplit-dwarf put into another file */
    while (dwarf != NULL && !reader->no_memory &&
           dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, &split) == 0) {
        reader->units++;
        info_read_unit(reader, dwarf_tag(&split) != DW_TAG_invalid ? &split : &die);
    }
    return reader->no_memory ? DWARF_CB_ABORT : DWARF_CB_OK;
}

/* Debug information that is not in the file itself: would be searched on the network, too. */
static int info_find_none(Dwfl_Module* module, void** data, const char* name, Dwarf_Addr base,
                          const char* file, const char* link, GElf_Word check, char** found)
{
    (void)module, (void)data, (void)name, (void)base;
    (void)file, (void)link, (void)check, (void)found;
    return -1;
}

/* -------------------------------------------------------------------------------------- a world */

static void info_want(info_reader* reader, const sett_world* world)
{
    sett_component_desc desc;
    sett_stats stats;
    sett_world_stats(world, &stats);
    uint32_t left = stats.components;
    for (sett_component id = 1; left != 0; id++) {
        if (sett_component_name(world, id) == NULL) {
            continue;
        }
        left--;
        bool own = id >= INFO_OWN_FIRST && id <= INFO_OWN_LAST;
        if (own || sett_component_describe(world, id, &desc) != SETT_OK || desc.size == 0 ||
            desc.members != NULL || sett_relationship_sources(world, id) != 0) {
            continue;
        }
        const char* name = desc.type_name != NULL ? desc.type_name : desc.name;
        if (strncmp(name, "sett_", 5) == 0) {
            continue;
        }
        if (reader->types != NULL) {
            info_type* wanted = &reader->types[reader->count];
            name += strncmp(name, "const ", 6) == 0 ? 6 : 0;
            wanted->tag_only = strncmp(name, "struct ", 7) == 0;
            wanted->c_name = name + (wanted->tag_only ? 7 : 0);
            wanted->name = desc.name;
            wanted->id = id;
            wanted->size = desc.size;
            (void)info_fail(reader, "the program's debug information (-g) has no", name);
            snprintf(wanted->reason, sizeof(wanted->reason), "%s", reader->wrong);
        }
        reader->count++;
    }
}

static const char* info_set(sett_world* world, info_type* type, sett_status* status)
{
    if (type->differs) {
        return "the program has several types of this name and size - give them different names";
    }
    if (type->of == NULL) {
        return type->reason;
    }
    if (sett_component_count(world, type->id) != 0) {
        return "it has values already - describe it right after registering";
    }
    *status = sett_members_set(world, type->id, type->of);
    return *status != SETT_OK ? sett_world_message(world) : NULL;
}

static sett_status info_apply(info_reader* reader, sett_world* world,
                              const sett_debug_info_desc* desc, uint32_t* described)
{
    char line[1024];
    sett_failure failure = {SETT_OK, ""};
    sett_status status = SETT_OK;
    sett_world_swap_failure(world, &failure);
    for (uint32_t k = 0; k < reader->count && status == SETT_OK; k++) {
        info_type* type = &reader->types[k];
        const char* reason = info_set(world, type, &status);
        if (reason != NULL) {
            snprintf(line, sizeof(line),
                     "sett_debug_info_describe: component %u \"%.100s\" has no members: %s",
                     (unsigned)type->id, type->name, reason);
            desc->log_fn(desc->log_user, SETT_LOG_WARNING, line);
        }
        if (status == SETT_STATUS_ARGUMENT || status == SETT_STATUS_CONFLICT) {
            status = SETT_OK; /* of this type only */
        }
        *described += reason == NULL;
    }
    sett_world_swap_failure(world, &failure);
    return status;
}

/* Names of types and members stay where libdw has them, until it is ended. */
static sett_status info_read(info_reader* reader, Dwfl* dwfl)
{
    if (dwfl == NULL) {
        return SETT_STATUS_OUT_OF_MEMORY;
    }
    if (dwfl_linux_proc_report(dwfl, getpid()) == 0 && dwfl_report_end(dwfl, NULL, NULL) == 0) {
        (void)dwfl_getmodules(dwfl, info_read_module, reader, 0);
    }
    if (reader->no_memory) {
        return SETT_STATUS_OUT_OF_MEMORY;
    }
    return reader->units != 0 ? SETT_OK : SETT_STATUS_ABSENT;
}

static sett_status info_describe(info_reader* reader, sett_world* world,
                                 const sett_debug_info_desc* desc, uint32_t* described)
{
    static const Dwfl_Callbacks callbacks = {
        .find_elf = dwfl_linux_proc_find_elf,
        .find_debuginfo = info_find_none,
        .section_address = dwfl_offline_section_address,
    };
    reader->types = calloc(reader->count, sizeof(*reader->types));
    if (reader->types == NULL) {
        return SETT_STATUS_OUT_OF_MEMORY;
    }
    reader->count = 0;
    info_want(reader, world);
    Dwfl* dwfl = dwfl_begin(&callbacks);
    sett_status status = info_read(reader, dwfl);
    if (status == SETT_OK) {
        status = info_apply(reader, world, desc, described);
    } else if (status == SETT_STATUS_ABSENT) {
        desc->log_fn(desc->log_user, SETT_LOG_WARNING,
                     "sett_debug_info_describe: the program has no debug information, so its "
                     "components have no members - compile it with -g, and do not strip it");
    }
    dwfl_end(dwfl);
    info_free(reader, NULL);
    free(reader->types);
    return status;
}

sett_status sett_debug_info_describe(sett_world* world, const sett_debug_info_desc* desc,
                                     sett_debug_info_result* result)
{
    sett_debug_info_desc with = {sett_log_stderr, NULL};
    info_reader reader = {0};
    uint32_t described = 0;
    if (world == NULL) {
        return SETT_STATUS_ARGUMENT;
    }
    if (desc != NULL && desc->log_fn != NULL) {
        with = *desc;
    }
    info_want(&reader, world); /* counts */
    sett_status status =
        reader.count != 0 ? info_describe(&reader, world, &with, &described) : SETT_OK;
    if (result != NULL) {
        *result = (sett_debug_info_result){described, reader.count - described};
    }
    return status;
}

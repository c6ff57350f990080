/* types.c: see types.h.
 *
 * The workload: some dozens of types, in a program that has changed since the file was written. A
 * type missing in the file needs no work. If the program lacks a type, its values are preserved as
 * opaque bytes, because the mod with the type may be installed again.
 *
 * Invariant:  in the separate world of setti_types_decode, each type has the layout of the file
 */
#include "file/types.h"

#include "base/writer.h"
#include "file/member_record.h"
#include "relation/relationship.h"
#include "state/delta.h"
#include "state/delta_reader.h"
#include "state/replica.h"
#include "state/snapshot.h"
#include "world/written.h"

enum {
    TYPES_KEEP_ORDER = 1,
    TYPES_DONT_FRAGMENT = 2,
    TYPES_TRACK_ROWS = 4,
    TYPES_CAN_DISABLE = 8,
    TYPES_FLAGS = 15 /* all flags */
};

#define TYPES_NAMED 4 /* the most names of types in a log line */

static const char types_call[] = "sett_world_load";

/* Returns the members that a file stores for the values of a type. Returns NULL if the members are
 * unknown. */
static const sett_struct* types_members(const setti_type* type)
{
    if (type->desc.write != NULL && type->written == NULL) { /* the hook writes a list of bytes */
        return setti_written_struct();
    }
    return type->desc.members;
}

SETTI_COLD static void types_write(const setti_type* type, setti_record_writer* writer)
{
    const sett_component_desc* desc = &type->desc;
    const setti_type* data_type = setti_type_data(type);
    uint32_t flags = 0;
    flags |= desc->keep_order ? TYPES_KEEP_ORDER : 0u;
    flags |= desc->dont_fragment ? TYPES_DONT_FRAGMENT : 0u;
    flags |= desc->track_rows ? TYPES_TRACK_ROWS : 0u;
    flags |= desc->can_disable ? TYPES_CAN_DISABLE : 0u;
    size_t align = data_type->desc.align;
    uint64_t padding_hash = data_type->padding_hash;
    if (data_type->desc.write != NULL) { /* the file has a list of the bytes that the hook writes */
        align = SETT_ALIGNOF(sett_list);
        padding_hash = 0;
    }
    setti_record_put_text(writer, desc->name);
    setti_record_put(writer, (uint64_t)setti_delta_form_of(type), 1);
    setti_record_put(writer, (uint64_t)desc->storage, 1);
    setti_record_put(writer, (uint64_t)desc->save, 1);
    setti_record_put(writer, flags, 1);
    setti_record_put(writer, setti_delta_size(data_type), 4);
    setti_record_put(writer, align, 4);
    setti_record_put(writer, desc->layout_version, 4);
    setti_record_put(writer, padding_hash, 8);
    setti_member_record_write(writer, types_members(data_type));
}

/* Writes the record of all types. Only counts bytes if `out` is NULL. Returns the number of
 * bytes. */
static size_t types_write_all(const sett_world* world, unsigned char* out)
{
    setti_record_writer writer = {out, 0};
    setti_record_put(&writer, world->registered.count, 4);
    for (uint32_t k = 0; k < world->registered.count; k++) {
        types_write(world->registered.item[k], &writer);
    }
    return writer.size;
}

SETTI_COLD bool setti_types_encode(sett_world* world, setti_bytes* out)
{
    size_t size = types_write_all(world, NULL);
    if (!setti_bytes_reserve(&world->pool, out, size)) {
        return false;
    }
    out->size = types_write_all(world, out->data);
    return true;
}

/* The description of a type in the file. */
typedef struct types_entry {
    char name[256];
    uint32_t form; /* setti_delta_form */
    uint64_t padding_hash;
    sett_component_desc desc;
} types_entry;

/* Reads the name of a type. Returns false if the name is invalid. */
static bool types_next_name(setti_delta_reader* reader, types_entry* entry)
{
    size_t length = (size_t)setti_delta_number(reader, 2);
    const unsigned char* name = setti_delta_read(reader, length);
    if (reader->short_of || length == 0 || length >= sizeof(entry->name)) {
        return false;
    }
    if (memchr(name, 0, length) != NULL) {
        return false;
    }
    memcpy(entry->name, name, length); /* the caller has set all bytes to zero */
    return true;
}

/* Reads a type. Returns false if the type is invalid, or if memory runs out. */
static bool types_next(setti_delta_reader* reader, setti_arena* arena, types_entry* entry)
{
    memset(entry, 0, sizeof(*entry));
    if (!types_next_name(reader, entry)) {
        return false;
    }
    sett_component_desc* desc = &entry->desc;
    entry->form = (uint32_t)setti_delta_number(reader, 1);
    uint64_t storage = setti_delta_number(reader, 1);
    uint64_t save = setti_delta_number(reader, 1);
    uint64_t flags = setti_delta_number(reader, 1);
    desc->name = entry->name;
    desc->size = setti_delta_u32(reader);
    desc->align = setti_delta_u32(reader);
    desc->layout_version = setti_delta_u32(reader);
    entry->padding_hash = setti_delta_number(reader, 8);
    desc->storage = (sett_storage_kind)storage;
    desc->save = save == SETT_SAVE_SKIP ? SETT_SAVE_SKIP : SETT_SAVE_BYTES;
    desc->keep_order = (flags & TYPES_KEEP_ORDER) != 0;
    desc->dont_fragment = (flags & TYPES_DONT_FRAGMENT) != 0;
    desc->track_rows = (flags & TYPES_TRACK_ROWS) != 0;
    desc->can_disable = (flags & TYPES_CAN_DISABLE) != 0;
    bool known_form = entry->form < SETTI_DELTA_FORMS;
    bool known_options = storage <= SETT_STORAGE_SPARSE_SET && save <= SETT_SAVE_SKIP;
    bool known_flags = flags <= TYPES_FLAGS;
    if (reader->short_of || !known_form) {
        return false;
    }
    if (!known_options || !known_flags) {
        return false;
    }
    return setti_member_record_read(reader, arena, &desc->members);
}

static sett_status types_reject(sett_world* world, sett_status status, const types_entry* entry,
                                const char* why)
{
    char text[160] = "";
    setti_writer writer = {text, sizeof(text), 0};
    setti_writer_add_escaped(&writer, entry->name, strlen(entry->name));
    return setti_world_fail_with(world, status, "type \"%s\" %s", text, why);
}

static sett_status types_reject_damaged(sett_world* world, const types_entry* entry)
{
    return types_reject(world, SETT_STATUS_INVALID, entry,
                        "is described wrongly, so the file is damaged - load a copy");
}

/* Rejects a type of the file that has the form `program_form` in the program. */
static sett_status types_reject_kind(sett_world* world, const types_entry* entry,
                                     uint32_t program_form)
{
    static const char* const kinds[SETTI_DELTA_FORMS] = {
        [SETTI_DELTA_VALUES] = "a component",
        [SETTI_DELTA_TREE] = "the library's hierarchy",
        [SETTI_DELTA_NAME] = "the library's names",
        [SETTI_DELTA_LINK] = "a relationship without `many`",
        [SETTI_DELTA_LINKS] = "a relationship with `many`",
        [SETTI_DELTA_TARGET] = "the list of sources of a relationship",
        [SETTI_DELTA_OTHER] = "a type of another module",
        [SETTI_DELTA_OWNED] = "a component"};
    char why[192];
    setti_writer writer = {why, sizeof(why), 0};
    setti_writer_add(&writer, "is %s in the file, and %s in this world - register it as %s",
                     kinds[entry->form], kinds[program_form], kinds[entry->form]);
    return types_reject(world, SETT_STATUS_CONFLICT, entry, why);
}

/* Registers a type with the layout of the file. The program calls the type `program_name`. */
SETTI_COLD static sett_status types_register(sett_world* world, const types_entry* entry,
                                             const char* program_name)
{
    SETTI_ASSERT(setti_type_find(world, entry->name) == NULL);
    sett_component_desc desc = entry->desc;
    if (strcmp(entry->name, program_name) != 0) {
        desc.old_names = &program_name; /* the program's name leads to the type too */
        desc.old_name_count = 1;
    }
    if (sett_component_register(world, &desc) != 0) {
        return SETT_OK;
    }
    if (world->error == SETT_STATUS_ARGUMENT) {
        return types_reject_damaged(world, entry);
    }
    return world->error;
}

/* Returns true for a form of components. Values can be converted between these forms. */
static bool types_is_convertible(uint32_t form)
{
    return form == SETTI_DELTA_VALUES || form == SETTI_DELTA_OWNED;
}

/* Registers a type that the program lacks. Increments *unknown if the library lacks the type
 * too. */
static sett_status types_add(sett_world* world, const types_entry* entry, uint32_t* unknown)
{
    sett_status status = setti_codec_register_library(world, entry->name);
    if (status != SETT_OK || sett_component_find(world, entry->name) != 0) {
        return status;
    }
    if (entry->form == SETTI_DELTA_TARGET) {
        return SETT_OK; /* the relationship registers the type */
    }
    if (!types_is_convertible(entry->form)) {
        return types_reject(world, SETT_STATUS_CONFLICT, entry,
                            "is a relationship that is not registered in this world - "
                            "register it before loading");
    }
    ++*unknown;
    status = types_register(world, entry, entry->name);
    if (status == SETT_OK) {
        setti_type_find(world, entry->name)->flags |= SETTI_TYPE_FROM_FILE;
    }
    return status;
}

static bool types_same_members(const sett_struct* a, const sett_struct* b)
{
    if (a == NULL || b == NULL) {
        return a == b; /* true if both are unknown */
    }
    return a == b || setti_members_equal(a, b);
}

SETTI_COLD void setti_types_report(const sett_world* world, const sett_world* loaded,
                                   const char* call)
{
    char names[SETTI_MESSAGE_SIZE / 2] = "";
    setti_writer writer = {names, sizeof(names), 0};
    uint32_t count = 0;
    for (uint32_t k = 0; k < loaded->registered.count; k++) {
        const setti_type* type = loaded->registered.item[k];
        const setti_type* local = setti_type_find(world, type->desc.name);
        bool from_file = local != NULL && (local->flags & SETTI_TYPE_FROM_FILE) != 0;
        if (!from_file) {
            continue;
        }
        if (count < TYPES_NAMED) {
            const char* between = count != 0 ? ", " : "";
            setti_writer_add(&writer, "%s\"%.50s\"", between, type->desc.name);
        }
        count++;
    }
    if (count > TYPES_NAMED) {
        setti_writer_add(&writer, " and %u more", (unsigned)(count - TYPES_NAMED));
    }
    if (count != 0) {
        setti_world_log(world, SETT_LOG_WARNING,
                        "%s: these types are not registered in this world, so their values "
                        "are loaded as plain bytes: %s - register them before loading",
                        call, names);
    }
}

bool setti_types_same(const setti_type* a, const setti_type* b)
{
    a = setti_type_data(a);
    b = setti_type_data(b);
    bool same_bytes = a->desc.size == b->desc.size && a->padding_hash == b->padding_hash;
    bool same_hooks = (a->desc.write != NULL) == (b->desc.write != NULL);
    bool same_version = a->desc.layout_version == b->desc.layout_version;
    if (!same_bytes || !same_hooks || !same_version) {
        return false;
    }
    return types_same_members(a->desc.members, b->desc.members);
}

/* Returns true if values of the file must be converted to become values of the program's type. */
static bool types_differ(const setti_type* local, const types_entry* entry)
{
    const sett_component_desc* desc = &entry->desc;
    bool padding_counts = local->padding_hash != 0 && local->desc.write == NULL;
    if (padding_counts && local->padding_hash != entry->padding_hash) {
        return true;
    }
    if (strcmp(local->desc.name, entry->name) != 0) {
        return true;
    }
    if (setti_delta_size(local) != desc->size ||
        local->desc.layout_version != desc->layout_version) {
        return true;
    }
    return !types_same_members(types_members(local), desc->members);
}

/* Registers a relationship that the file and the program have. The registered type has the name and
 * the members of the file. */
static sett_status types_join_links(sett_world* world, const sett_world* to_world,
                                    const setti_type* local, const types_entry* entry)
{
    const sett_component_desc* desc = &entry->desc;
    sett_component_desc data = setti_type_data(local)->desc;
    bool renamed = strcmp(local->desc.name, entry->name) != 0;
    bool differs = desc->members != NULL && data.members != NULL &&
                   !setti_members_equal(data.members, desc->members);
    if (!renamed && !differs) {
        return setti_replica_join_bare(world, to_world, local, types_call);
    }
    if (differs) {
        data = *desc;
        data.size = desc->members->size;
    }
    data.name = entry->name;
    data.old_names = NULL;
    data.old_name_count = 0;
    if (renamed) {
        data.old_names = &local->desc.name; /* the program's name leads to the type too */
        data.old_name_count = 1;
    }
    return setti_relation_join(world, setti_relation_of_links(local), &data);
}

/* Registers the type of an entry in the separate world `world`, with the layout of the file. */
static sett_status types_join(sett_world* world, const sett_world* to_world,
                              const types_entry* entry, uint32_t* unknown)
{
    const setti_type* local = setti_type_find(to_world, entry->name);
    const char* why = NULL;
    if (local != NULL) {
        why = setti_values_unsaved(local);
    }
    if (why != NULL) { /* rejected before a hook can free a loaded value */
        return types_reject(world, SETT_STATUS_ARGUMENT, entry, why);
    }
    if (setti_type_find(world, entry->name) != NULL) {
        return SETT_OK; /* registered by an earlier record, or by a type that requires the type */
    }
    if (local == NULL) {
        return types_add(world, entry, unknown);
    }
    uint32_t form = (uint32_t)setti_delta_form_of(local);
    bool both_convertible = types_is_convertible(form) && types_is_convertible(entry->form);
    if (form != entry->form && !both_convertible) {
        return types_reject_kind(world, entry, form);
    }
    if (entry->form == SETTI_DELTA_TARGET) {
        return SETT_OK; /* the relationship registers the type */
    }
    if (types_is_convertible(entry->form) && types_differ(local, entry)) {
        /* load_migrate converts the values */
        return types_register(world, entry, local->desc.name);
    }
    if (local->links != NULL) {
        return types_join_links(world, to_world, local, entry);
    }
    return setti_replica_join_bare(world, to_world, local, types_call);
}

sett_status setti_types_decode(sett_world* world, const sett_world* to_world,
                               const setti_bytes* record, uint32_t* unknown)
{
    setti_delta_reader reader = {record->data, setti_bytes_end(record), false};
    setti_arena arena = {.allocator = &world->pool.allocator}; /* for the members of one entry */
    uint32_t count = setti_delta_u32(&reader);
    sett_status status = SETT_OK;
    types_entry entry;
    for (uint32_t k = 0; status == SETT_OK && k < count; k++) {
        setti_arena_reset(&arena);
        if (types_next(&reader, &arena, &entry)) {
            status = types_join(world, to_world, &entry, unknown);
        } else if (arena.denied) { /* memory ran out */
            status = SETT_STATUS_OUT_OF_MEMORY;
        } else {
            status = types_reject_damaged(world, &entry);
        }
    }
    if (status == SETT_OK && reader.at != reader.end) {
        status = setti_world_fail_with(world, SETT_STATUS_INVALID,
                                       "the file is damaged: bytes follow the types - load a copy");
    }
    setti_arena_deinit(&arena);
    return status;
}

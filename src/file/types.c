/* types.c: see types.h.
 *
 * The workload: some dozens of types, of programs that have changed since the file was written:
 * types were added (the file lacks them: nothing happens), or are gone (they travel on as opaque
 * bytes, because a mod that is not there today may be there tomorrow).
 *
 * Invariant:  a type of the world that is read into has the layout that the file says
 */
#include "file/types.h"

#include "base/writer.h"
#include "state/delta.h"
#include "state/delta_reader.h"
#include "state/replica.h"

#define TYPES_EACH 18 /* bytes of a type, its name apart */

enum {
    TYPES_KEEP_ORDER = 1,
    TYPES_DONT_FRAGMENT = 2,
    TYPES_TRACK_ROWS = 4,
    TYPES_FLAGS = 7
};

static unsigned char* types_put(unsigned char* at, uint64_t number, size_t size)
{
    for (size_t k = 0; k < size; k++) {
        at[k] = (unsigned char)(number >> (8 * k));
    }
    return at + size;
}

static unsigned char* types_encode(const sett_world* world, const setti_type* type,
                                   unsigned char* at)
{
    const sett_component_desc* desc = &type->desc;
    size_t length = strlen(desc->name);
    uint32_t flags = (desc->keep_order ? TYPES_KEEP_ORDER : 0u) |
                     (desc->dont_fragment ? TYPES_DONT_FRAGMENT : 0u) |
                     (desc->track_rows ? TYPES_TRACK_ROWS : 0u);
    at = types_put(at, length, 2);
    memcpy(at, desc->name, length);
    at = types_put(at + length, (uint64_t)setti_delta_form_of(world, type), 1);
    at = types_put(at, (uint64_t)desc->storage, 1);
    at = types_put(at, (uint64_t)desc->save, 1);
    at = types_put(at, flags, 1);
    at = types_put(at, desc->size, 4);
    at = types_put(at, desc->align, 4);
    return types_put(at, desc->layout_version, 4);
}

bool setti_types_encode(sett_world* world, setti_bytes* out)
{
    size_t size = 4;
    for (uint32_t k = 0; k < world->registered.count; k++) {
        size += TYPES_EACH + strlen(world->registered.item[k]->desc.name);
    }
    out->data = setti_pool_alloc(&world->pool, size, 16);
    if (out->data == NULL) {
        return false;
    }
    out->size = size;
    out->capacity = size;
    unsigned char* at = types_put(out->data, world->registered.count, 4);
    for (uint32_t k = 0; k < world->registered.count; k++) {
        at = types_encode(world, world->registered.item[k], at);
    }
    SETTI_ASSERT(at == out->data + size);
    return true;
}

/* -------------------------------------------------------------------------------------- reading */

/* A type as the file has it. */
typedef struct types_entry {
    char name[256];
    uint32_t form;
    sett_component_desc desc;
} types_entry;

static bool types_next(setti_delta_reader* from, types_entry* entry)
{
    memset(entry, 0, sizeof(*entry));
    size_t length = (size_t)setti_delta_number(from, 2);
    const unsigned char* name = setti_delta_read(from, length);
    if (from->short_of || length == 0 || length >= sizeof(entry->name) ||
        memchr(name, 0, length) != NULL) {
        return false;
    }
    memcpy(entry->name, name, length);
    sett_component_desc* desc = &entry->desc;
    entry->form = (uint32_t)setti_delta_number(from, 1);
    uint64_t storage = setti_delta_number(from, 1);
    uint64_t save = setti_delta_number(from, 1);
    uint64_t flags = setti_delta_number(from, 1);
    desc->name = entry->name;
    desc->size = setti_delta_u32(from);
    desc->align = setti_delta_u32(from);
    desc->layout_version = setti_delta_u32(from);
    desc->storage = (sett_storage_kind)storage;
    desc->save = save == SETT_SAVE_SKIP ? SETT_SAVE_SKIP : SETT_SAVE_BYTES;
    desc->keep_order = (flags & TYPES_KEEP_ORDER) != 0;
    desc->dont_fragment = (flags & TYPES_DONT_FRAGMENT) != 0;
    desc->track_rows = (flags & TYPES_TRACK_ROWS) != 0;
    return !from->short_of && entry->form <= SETTI_DELTA_TARGET &&
           storage <= SETT_STORAGE_SPARSE_SET && save <= SETT_SAVE_SKIP && flags <= TYPES_FLAGS;
}

static sett_status types_reject(sett_world* world, const types_entry* entry, const char* why)
{
    char text[160] = "";
    setti_writer writer = {text, sizeof(text), 0};
    setti_writer_add_escaped(&writer, entry->name, strlen(entry->name));
    return setti_world_fail_with(world, SETT_STATUS_CONFLICT, "type \"%s\" %s", text, why);
}

/* One that the other world does not have. */
static sett_status types_register(sett_world* world, const types_entry* entry, uint32_t* unknown)
{
    sett_status status = setti_delta_register_own(world, entry->name);
    if (status != SETT_OK || sett_component_find(world, entry->name) != 0) {
        return status;
    }
    if (entry->form != SETTI_DELTA_VALUES) {
        return entry->form == SETTI_DELTA_TARGET
                   ? SETT_OK /* comes with its relationship, or is missed there */
                   : types_reject(world, entry,
                                  "is a relationship that is not registered in this world - "
                                  "register it before loading");
    }
    ++*unknown;
    return sett_component_register(world, &entry->desc) != 0 ? SETT_OK : world->error;
}

static sett_status types_join(sett_world* world, const sett_world* into, const types_entry* entry,
                              uint32_t* unknown)
{
    sett_component id = sett_component_find(into, entry->name);
    if (id == 0) {
        return types_register(world, entry, unknown);
    }
    const setti_type* own = setti_world_type(into, id);
    if (own->desc.size != entry->desc.size ||
        own->desc.layout_version != entry->desc.layout_version ||
        (uint32_t)setti_delta_form_of(into, own) != entry->form) {
        return types_reject(world, entry, "is laid out otherwise in this world");
    }
    return setti_replica_join(world, into, own);
}

sett_status setti_types_decode(sett_world* world, const sett_world* into, const setti_bytes* from,
                               uint32_t* unknown)
{
    setti_delta_reader reader = {from->data, from->data + from->size, false};
    uint32_t count = setti_delta_u32(&reader);
    sett_status status = SETT_OK;
    types_entry entry;
    for (uint32_t k = 0; status == SETT_OK && k < count; k++) {
        if (!types_next(&reader, &entry)) {
            return setti_world_fail_with(world, SETT_STATUS_INVALID,
                                         "a type has no proper name or options");
        }
        status = types_join(world, into, &entry, unknown);
    }
    if (status == SETT_OK && reader.at != reader.end) {
        status = setti_world_fail_with(world, SETT_STATUS_INVALID, "bytes follow the types");
    }
    return status;
}

/* delta_apply.c: playing a delta onto a world that is where it begins.
 *
 * The workload: bytes from a network, of a peer that may be broken or hostile. So nothing is
 * believed: every length, number, handle and kind is looked at before anything is changed, against
 * the bytes that there are and against the world; and what comes out has to hash to what was
 * promised, or a snapshot taken before brings everything back.
 *
 * Invariant:  after a failure the state is what it was, bit by bit
 */
#include "base/bits.h"
#include "sett/state.h"
#include "state/delta.h"
#include "state/hash.h"
#include "state/snapshot.h"
#include "world/command.h"

static const char apply_call[] = "sett_delta_apply";

/* -------------------------------------------------------------------------------------- reading */

typedef struct apply_reader {
    const unsigned char* at;
    const unsigned char* end;
    bool short_of; /* something was read beyond the end */
} apply_reader;

static const unsigned char* apply_read(apply_reader* from, size_t size)
{
    if ((size_t)(from->end - from->at) < size) {
        from->short_of = true;
        from->at = from->end;
        return NULL;
    }
    const unsigned char* bytes = from->at;
    from->at += size;
    return bytes;
}

static uint64_t apply_number(apply_reader* from, size_t size)
{
    const unsigned char* bytes = apply_read(from, size);
    uint64_t number = 0;
    for (size_t k = 0; bytes != NULL && k < size; k++) {
        number |= (uint64_t)bytes[k] << (8 * k);
    }
    return number;
}

static sett_entity apply_entity(apply_reader* from)
{
    sett_entity entity;
    entity.index = (uint32_t)apply_number(from, 4);
    entity.generation = (uint32_t)apply_number(from, 4);
    return entity;
}

/* One entry of a type; the value's bytes, NULL if it is removed. */
typedef struct apply_entry {
    uint32_t kind;
    uint32_t index;
    const unsigned char* bytes;
} apply_entry;

static apply_entry apply_next(apply_reader* from, uint32_t bytes)
{
    apply_entry entry = {(uint32_t)apply_number(from, 1), 0, NULL};
    entry.index = (uint32_t)apply_number(from, 4);
    if (entry.kind != SETTI_DELTA_REMOVED) {
        entry.bytes = apply_read(from, bytes);
    }
    return entry;
}

/* -------------------------------------------------------------------------------------- parsing */

/* A delta whose parts were found. */
typedef struct apply_delta {
    sett_world* world;
    uint64_t before;
    uint64_t after;
    uint32_t type_count;
    uint32_t ended_count;
    uint32_t begun_count;
    struct apply_type {
        setti_type* type;
        uint32_t bytes;
        uint32_t entries;
    } * type;
    apply_reader ended;
    apply_reader begun;
    apply_reader entries;
} apply_delta;

static sett_status apply_refuse(const apply_delta* delta, const char* why)
{
    return setti_world_fail_with(delta->world, SETT_STATUS_INVALID, "%s: %s", apply_call, why);
}

static sett_status apply_parse_type(apply_delta* delta, apply_reader* from, uint32_t number)
{
    size_t length = (size_t)apply_number(from, 2);
    const unsigned char* bytes = apply_read(from, length);
    uint32_t size = (uint32_t)apply_number(from, 4);
    uint32_t version = (uint32_t)apply_number(from, 4);
    delta->type[number].bytes = (uint32_t)apply_number(from, 4);
    delta->type[number].entries = (uint32_t)apply_number(from, 4);
    if (from->short_of || length == 0 || length > 255) {
        return apply_refuse(delta, "a type has no proper name, or the bytes end within it");
    }
    char name[256];
    memcpy(name, bytes, length);
    name[length] = '\0';
    sett_component id = sett_component_find(delta->world, name);
    setti_type* type = id != 0 ? setti_world_type(delta->world, id) : NULL;
    if (type == NULL || type->desc.size != size || type->desc.layout_version != version ||
        setti_delta_bytes(type) != delta->type[number].bytes) {
        return setti_world_fail_with(
            delta->world, SETT_STATUS_CONFLICT,
            "%s: \"%.100s\", %u bytes, version %u, is not registered here, "
            "or laid out otherwise",
            apply_call, name, (unsigned)size, (unsigned)version);
    }
    const char* why = setti_delta_refuses(type);
    if (why != NULL && delta->type[number].entries != 0) {
        return setti_world_fail_with(delta->world, SETT_STATUS_ARGUMENT, "%s: \"%.100s\" %s",
                                     apply_call, name, why);
    }
    for (uint32_t k = 0; k < number; k++) {
        if (delta->type[k].type == type) {
            return apply_refuse(delta, "a type is listed twice");
        }
    }
    delta->type[number].type = type;
    return SETT_OK;
}

static sett_status apply_parse_head(apply_delta* delta, apply_reader* from)
{
    size_t size = (size_t)(from->end - from->at);
    uint64_t magic = apply_number(from, 4);
    uint64_t version = apply_number(from, 4);
    delta->before = apply_number(from, 8);
    delta->after = apply_number(from, 8);
    uint64_t total = apply_number(from, 4);
    delta->type_count = (uint32_t)apply_number(from, 4);
    delta->ended_count = (uint32_t)apply_number(from, 4);
    delta->begun_count = (uint32_t)apply_number(from, 4);
    if (from->short_of || magic != SETTI_DELTA_MAGIC) {
        return apply_refuse(delta, "this is no delta");
    }
    if (version != SETTI_DELTA_VERSION) {
        return apply_refuse(delta, "it is of another version of the library");
    }
    if (total != size) {
        return apply_refuse(delta, "its bytes were cut off, or others follow");
    }
    if (delta->type_count > delta->world->registered.count) {
        return apply_refuse(delta, "it has types that this world has not");
    }
    return SETT_OK;
}

/* Finds the parts, and room to work. */
static sett_status apply_parse(apply_delta* delta, apply_reader* from)
{
    sett_world* world = delta->world;
    sett_status status = apply_parse_head(delta, from);
    if (status != SETT_OK) {
        return status;
    }
    size_t size = (delta->type_count + 1) * sizeof(*delta->type);
    delta->type = setti_pool_alloc(&world->pool, size, 16);
    for (uint32_t k = 0; delta->type != NULL && status == SETT_OK && k < delta->type_count; k++) {
        status = apply_parse_type(delta, from, k);
    }
    if (delta->type == NULL) {
        return setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, apply_call, sett_null(), 0);
    }
    delta->ended = *from;
    (void)apply_read(from, (size_t)delta->ended_count * 8);
    delta->begun = *from;
    (void)apply_read(from, (size_t)delta->begun_count * 8);
    delta->entries = *from;
    if (status == SETT_OK && from->short_of) {
        status = apply_refuse(delta, "its bytes end within the entities");
    }
    return status;
}

/* ------------------------------------------------------------------------------------- checking */

/* Whether an index is in a list of entities, which ascends: by bisection of its bytes. */
static bool apply_lists(const apply_reader* list, uint32_t count, uint32_t index)
{
    uint32_t low = 0;
    uint32_t high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        apply_reader from = {list->at + (size_t)middle * 8, list->end, false};
        uint32_t here = apply_entity(&from).index;
        if (here == index) {
            return true;
        }
        if (here < index) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return false;
}

static sett_status apply_check_ended(const apply_delta* delta)
{
    apply_reader from = delta->ended;
    sett_entity last = {0, 0};
    for (uint32_t k = 0; k < delta->ended_count; k++) {
        sett_entity entity = apply_entity(&from);
        if (k != 0 && entity.index <= last.index) {
            return apply_refuse(delta, "entities that end are not in order");
        }
        if (!sett_entity_valid(delta->world, entity)) {
            return apply_refuse(delta, "an entity ends that is not there");
        }
        last = entity;
    }
    return SETT_OK;
}

static sett_status apply_check_begun(const apply_delta* delta)
{
    const setti_entity_table* table = &delta->world->entities;
    apply_reader from = delta->begun;
    sett_entity last = {0, 0};
    for (uint32_t k = 0; k < delta->begun_count; k++) {
        sett_entity entity = apply_entity(&from);
        if (k != 0 && entity.index <= last.index) {
            return apply_refuse(delta, "entities that begin are not in order");
        }
        const setti_entity_page* page = setti_entity_page_of(table, entity.index);
        uint32_t current =
            page != NULL ? page->generation[entity.index & SETTI_ID_SET_MASK] : SETTI_DEAD | 1;
        bool ends = apply_lists(&delta->ended, delta->ended_count, entity.index);
        bool free = ends ? current != SETTI_GENERATION_MAX
                         : (current & SETTI_DEAD) != 0 && current != SETTI_RETIRED;
        if (!free || entity.index >= table->ids.limit || entity.generation == 0 ||
            entity.generation > SETTI_GENERATION_MAX) {
            return apply_refuse(delta, "an entity begins where one is, or as none can be");
        }
        last = entity;
    }
    return SETT_OK;
}

/* Whether the entry makes sense of the world as it is. */
static const char* apply_check_entry(const apply_delta* delta, const setti_type* type,
                                     apply_entry entry)
{
    bool begins = apply_lists(&delta->begun, delta->begun_count, entry.index);
    bool stays = !sett_is_null(setti_entity_at(&delta->world->entities, entry.index)) &&
                 !apply_lists(&delta->ended, delta->ended_count, entry.index);
    bool has = stays && setti_storage_has(&type->storage, entry.index);
    if (entry.kind >= SETTI_DELTA_KINDS) {
        return "an entry is of no kind that there is";
    }
    if (!begins && !stays) {
        return "an entry is about an entity that is not there";
    }
    if (has == (entry.kind == SETTI_DELTA_ADDED)) {
        return has ? "a component is added that is there" : "a component is not there";
    }
    return NULL;
}

static sett_status apply_check_entries(const apply_delta* delta)
{
    apply_reader from = delta->entries;
    for (uint32_t t = 0; t < delta->type_count; t++) {
        uint32_t last = 0;
        for (uint32_t k = 0; k < delta->type[t].entries; k++) {
            apply_entry entry = apply_next(&from, delta->type[t].bytes);
            if (from.short_of) {
                return apply_refuse(delta, "its bytes end within the entries");
            }
            if (k != 0 && entry.index <= last) {
                return apply_refuse(delta, "entries are not in order");
            }
            const char* why = apply_check_entry(delta, delta->type[t].type, entry);
            if (why != NULL) {
                return apply_refuse(delta, why);
            }
            last = entry.index;
        }
    }
    return from.at == from.end ? SETT_OK : apply_refuse(delta, "bytes follow its last entry");
}

static sett_status apply_check(const apply_delta* delta)
{
    sett_status status = apply_check_ended(delta);
    if (status == SETT_OK) {
        status = apply_check_begun(delta);
    }
    return status == SETT_OK ? apply_check_entries(delta) : status;
}

/* ------------------------------------------------------------------------------------- changing */

static void apply_write(const setti_type* type, unsigned char* value, const unsigned char* bytes)
{
    sett_byte_range whole;
    uint32_t count;
    const sett_byte_range* range = setti_hash_ranges(type, &whole, &count);
    for (uint32_t k = 0; k < count; k++) {
        memcpy(value + range[k].offset, bytes, range[k].size);
        bytes += range[k].size;
    }
}

/* Does one entry. What requirements did already, in either direction, is passed over. */
static bool apply_do(sett_world* world, const setti_type* type, apply_entry entry)
{
    sett_entity entity = setti_entity_at(&world->entities, entry.index);
    if (entry.kind == SETTI_DELTA_REMOVED) {
        return !sett_has(world, entity, type->id) ||
               sett_remove(world, entity, type->id) == SETT_OK;
    }
    unsigned char* value = sett_ensure(world, entity, type->id);
    if (value != NULL && type->storage.size != 0) {
        apply_write(type, value, entry.bytes);
    }
    return value != NULL;
}

/* Begins an entity; where time goes back, in an earlier life than its index has seen. */
static bool apply_begin(sett_world* world, sett_entity entity)
{
    setti_entity_table* table = &world->entities;
    const setti_entity_page* page = setti_entity_page_of(table, entity.index);
    if (page != NULL &&
        entity.generation < (page->generation[entity.index & SETTI_ID_SET_MASK] & ~SETTI_DEAD)) {
        setti_entity_set_next(&world->pool, table, entity);
    }
    return sett_entity_create_handle(world, entity) == SETT_OK;
}

static bool apply_play(const apply_delta* delta)
{
    sett_world* world = delta->world;
    bool done = true;
    apply_reader from = delta->ended;
    for (uint32_t k = 0; done && k < delta->ended_count; k++) {
        done = sett_entity_destroy(world, apply_entity(&from)) == SETT_OK;
    }
    from = delta->begun;
    for (uint32_t k = 0; done && k < delta->begun_count; k++) {
        done = apply_begin(world, apply_entity(&from));
    }
    from = delta->entries;
    for (uint32_t t = 0; done && t < delta->type_count; t++) {
        for (uint32_t k = 0; done && k < delta->type[t].entries; k++) {
            done = apply_do(world, delta->type[t].type, apply_next(&from, delta->type[t].bytes));
        }
    }
    return done;
}

/* Plays it; what fails on the way, or comes out otherwise than promised, is taken back. */
static sett_status apply_change(const apply_delta* delta, bool trust)
{
    sett_world* world = delta->world;
    sett_snapshot undo;
    sett_status status = sett_snapshot_take(world, &undo);
    if (status != SETT_OK) {
        return status;
    }
    if (!apply_play(delta)) {
        status = world->error;
    } else if (!trust && sett_world_hash(world) != delta->after) {
        status = apply_refuse(delta, "what it makes of the world is not what it promised");
    }
    if (status != SETT_OK) {
        (void)sett_world_message(world); /* written, before what it is about is gone */
        sett_status back = sett_snapshot_restore(world, undo);
        status = back == SETT_OK ? status : back;
    }
    if (sett_snapshot_status(world, undo) == SETT_OK) {
        (void)sett_snapshot_drop(world, undo);
    }
    world->epoch++;
    return status;
}

sett_status setti_delta_apply(sett_world* world, const void* bytes, size_t size, bool trust)
{
    apply_reader from = {bytes, (const unsigned char*)bytes + size, false};
    apply_delta delta;
    memset(&delta, 0, sizeof(delta));
    delta.world = world;
    sett_status status = setti_world_check_unlocked(world, apply_call);
    if (status == SETT_OK) {
        status = setti_commands_apply_all(world);
    }
    if (status == SETT_OK) {
        status = apply_parse(&delta, &from);
    }
    if (status == SETT_OK && !trust && sett_world_hash(world) != delta.before) {
        status = setti_world_fail_with(world, SETT_STATUS_CONFLICT,
                                       "%s: this world is not in the state that the delta is from",
                                       apply_call);
    }
    if (status == SETT_OK) {
        status = apply_check(&delta);
    }
    if (status == SETT_OK) {
        status = apply_change(&delta, trust);
    }
    setti_pool_free(&world->pool, delta.type, (delta.type_count + 1) * sizeof(*delta.type), 16);
    return status;
}

sett_status sett_delta_apply(sett_world* world, const void* bytes, size_t size)
{
    return setti_delta_apply(world, bytes, size, false);
}

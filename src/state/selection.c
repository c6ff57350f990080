/* selection.c: a part of a world: its hash, and its values as bytes.
 *
 * The workload: a server that sends each client what it sees, a machine that owns a strip of the
 * world and shares its borders. What travels is a delta (delta.h) with another magic number: it
 * follows from no state of the receiver, and so has whole values, and no hashes, orders and lists:
 *
 *     ended     selected handles that `since` has, and the world has not
 *     begun     the selected entities: those that the receiver lacks are created
 *     slots     parents that are not selected, with their generations
 *     entries   values that changed since then, as if they were added; removed ones
 *
 * Applying one is that of a delta (delta_apply.c), with other checks.
 *
 * Invariant:  copying a selection = encoding it and applying the bytes
 */
#include "state/selection.h"

#include "state/delta_writer.h"
#include "state/snapshot.h"
#include "world/command.h"

#include <stdio.h>

/* ------------------------------------------------------------------------------------ entities */

static uint64_t selection_key(sett_entity entity)
{
    return (uint64_t)entity.index << 32 | entity.generation;
}

static void selection_sink(sett_entity* item, uint32_t at, uint32_t count)
{
    sett_entity down = item[at];
    for (uint32_t next = 2 * at + 1; next < count; next = 2 * at + 1) {
        next += next + 1 < count && selection_key(item[next]) < selection_key(item[next + 1]);
        if (selection_key(down) >= selection_key(item[next])) {
            break;
        }
        item[at] = item[next];
        at = next;
    }
    item[at] = down;
}

/* Ascending, without what is there twice; most lists ascend already. */
static void selection_sort(setti_selected* selected)
{
    sett_entity* item = selected->entity;
    uint32_t count = selected->count;
    bool ascends = true;
    for (uint32_t k = 1; k < count && ascends; k++) {
        ascends = selection_key(item[k - 1]) < selection_key(item[k]);
    }
    for (uint32_t k = ascends ? 0 : count / 2; k-- > 0;) {
        selection_sink(item, k, count);
    }
    for (uint32_t left = ascends ? 0 : count; left > 1;) {
        sett_entity last = item[--left];
        item[left] = item[0];
        item[0] = last;
        selection_sink(item, 0, left);
    }
    selected->count = 0;
    for (uint32_t k = 0; k < count; k++) {
        if (k == 0 || selection_key(item[k]) != selection_key(item[k - 1])) {
            item[selected->count++] = item[k];
        }
    }
}

static sett_status selection_check(sett_world* world, const sett_selection* selection,
                                   const char* call)
{
    if (selection->entities != NULL && selection->query != NULL) {
        return setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                                     "%s: a selection has a list of entities or a query, not both",
                                     call);
    }
    if (setti_world_lacks_list(world, selection->entities, selection->entity_count, call,
                               "entities") ||
        setti_world_lacks_list(world, selection->types, selection->type_count, call, "types")) {
        return world->error;
    }
    for (uint32_t k = 0; k < selection->type_count; k++) {
        if (setti_world_type(world, selection->types[k]) == NULL) {
            return setti_world_fail(world, SETT_STATUS_UNREGISTERED, call, sett_null(),
                                    selection->types[k]);
        }
    }
    return SETT_OK;
}

sett_status setti_selection_find(sett_world* world, const sett_selection* selection,
                                 const char* call, setti_selected* out)
{
    sett_status status = selection_check(world, selection, call);
    uint32_t count = selection->entity_count;
    *out = (setti_selected){NULL, 0, 0};
    if (status == SETT_OK && selection->entities == NULL) {
        count =
            selection->query != NULL ? sett_query_count(selection->query) : world->entities.count;
    }
    if (status != SETT_OK || count == 0) {
        return status;
    }
    out->entity =
        setti_pool_grow(&world->pool, NULL, sizeof(*out->entity), 0, count, &out->capacity);
    if (out->entity == NULL) {
        return setti_world_no_memory(world, call);
    }
    if (selection->entities != NULL) {
        memcpy(out->entity, selection->entities, count * sizeof(*out->entity));
        out->count = count;
    } else if (selection->query != NULL) {
        SETT_QUERY_EACH(selection->query, b) {
            SETT_EACH(b, row) {
                out->entity[out->count++] = sett_batch_entity(b, row);
            }
        }
    } else {
        uint32_t cursor = 0;
        while (out->count < count) {
            uint32_t index = setti_entity_next(&world->entities, &cursor);
            out->entity[out->count++] = setti_entity_at(&world->entities, index);
        }
    }
    selection_sort(out);
    return SETT_OK;
}

void setti_selection_free(sett_world* world, setti_selected* selected)
{
    setti_pool_free(&world->pool, selected->entity, selected->capacity * sizeof(sett_entity), 16);
}

bool setti_selected_has(const setti_selected* selected, sett_entity entity)
{
    uint32_t low = 0;
    uint32_t high = selected->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (selection_key(selected->entity[middle]) < selection_key(entity)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < selected->count && sett_equals(selected->entity[low], entity);
}

bool setti_selection_has_type(const sett_selection* selection, const setti_type* type)
{
    bool has = selection->type_count == 0;
    for (uint32_t k = 0; k < selection->type_count && !has; k++) {
        has = selection->types[k] == type->id;
    }
    return has;
}

/* ---------------------------------------------------------------------------------------- hash */

/* The sum of a type's values of all selected entities. */
static uint64_t selection_sum(const sett_world* world, const setti_selected* selected,
                              const setti_type* type)
{
    setti_hash_type of;
    uint64_t sum = 0;
    setti_hash_begin(&of, type);
    for (uint32_t k = 0; k < selected->count && type->storage.count != 0; k++) {
        sett_entity entity = selected->entity[k];
        const void* value = setti_entity_is_current(&world->entities, entity)
                                ? setti_storage_find(&type->storage, entity.index)
                                : NULL;
        if (value == NULL) {
            continue;
        }
        sum += setti_hash_value(&of, entity, value);
        if (type->records != NULL) {
            setti_view view;
            setti_view_init_empty(setti_unconst(world), &view); /* side 1 is the live world */
            setti_view_list list = setti_view_records(type, value);
            for (const void* record;
                 (record = setti_view_next_record(&view, type->records, &list, 1)) != NULL;) {
                sum += setti_hash_link(&of, entity, record);
            }
        }
    }
    return sum;
}

sett_status sett_selection_hash(sett_world* world, const sett_selection* selection, bool handles,
                                uint64_t* sum)
{
    static const char call[] = "sett_selection_hash";
    setti_selected selected;
    if (SETTI_IS_NULL(world)) {
        return SETT_STATUS_ARGUMENT;
    }
    *sum = 0;
    sett_status status = setti_world_check_serial(world, call);
    if (status == SETT_OK) {
        status = setti_selection_find(world, selection, call, &selected);
    }
    if (status != SETT_OK) {
        return status;
    }
    for (uint32_t k = 0; k < selected.count && handles; k++) {
        bool alive = sett_entity_valid(world, selected.entity[k]);
        *sum += alive ? setti_hash_entity(selected.entity[k]) : 0;
    }
    for (uint32_t k = 0; k < world->registered.count; k++) {
        if (setti_selection_has_type(selection, world->registered.item[k])) {
            *sum += selection_sum(world, &selected, world->registered.item[k]);
        }
    }
    setti_selection_free(world, &selected);
    return SETT_OK;
}

/* ------------------------------------------------------------------------------------- encoding */

/* What is encoded, and since when. */
typedef struct selection_job {
    setti_delta_writer to;
    sett_world* world;
    const sett_selection* selection;
    setti_selected selected;
    setti_view* since;      /* side 0 of it; NULL: */
    uint64_t tick;          /* what was written after this; */
    const sett_world* into; /* what this has and the world has not is removed; or NULL */
    bool rounds;            /* the type's values are sent rounded: */
    setti_bytes packed;     /* room for two of them */
} selection_job;

static bool selection_is_alive(const selection_job* job, sett_entity entity)
{
    return sett_entity_valid(job->world, entity);
}

/* Whether an entity was the same before, so that only changes of it count. */
static bool selection_was_there(const selection_job* job, sett_entity entity)
{
    return job->since != NULL &&
           sett_equals(setti_view_entity(job->since, entity.index, 0), entity);
}

/* The counterpart of a type in the world that is copied to; NULL: none. */
static const setti_type* selection_type_there(const selection_job* job, const setti_type* type)
{
    return job->into != NULL ? setti_type_find(job->into, type->desc.name) : NULL;
}

/* Whether a value with a codec may be another one. */
static bool selection_codec_differs(const selection_job* job, const void* before, const void* after)
{
    const setti_type* type = job->to.type;
    if (type->records != NULL) {
        return true; /* they may differ */
    }
    return job->to.codec->form == SETTI_DELTA_OWNED
               ? !setti_hash_same(type, before, after)
               : memcmp(before, after, type->storage.size) != 0;
}

/* A value as it is sent, where it is rounded. */
static unsigned char* selection_pack(selection_job* job, const void* value, uint32_t place)
{
    setti_delta_writer* to = &job->to;
    const setti_members* members = to->type->members;
    size_t begin = to->size;
    size_t size = setti_delta_bytes(to->type);
    unsigned char* packed = job->packed.data + place * setti_send_size(members, size);
    setti_delta_write_bytes(to, to->type, value);
    if (to->encoder.status == SETT_OK) {
        setti_send_pack(members, to->out + begin, size, packed);
    }
    to->size = begin;
    return packed;
}

static void selection_write_value(selection_job* job, const void* value)
{
    if (job->rounds) {
        size_t size = setti_send_size(job->to.type->members, setti_delta_bytes(job->to.type));
        setti_delta_write(&job->to, selection_pack(job, value, 0), size);
    } else {
        setti_delta_write_bytes(&job->to, job->to.type, value);
    }
}

/* Whether two values of a type without a codec are sent alike. */
static bool selection_is_same(selection_job* job, const void* before, const void* after)
{
    if (!job->rounds) {
        return setti_hash_same(job->to.type, before, after);
    }
    const unsigned char* was = selection_pack(job, before, 0);
    const unsigned char* is = selection_pack(job, after, 1);
    return memcmp(was, is, (size_t)(is - was)) == 0;
}

/* What is said of an entity's value; SETTI_DELTA_KINDS: nothing. */
static setti_delta_kind selection_kind(selection_job* job, sett_entity entity, const void* value)
{
    const setti_type* type = job->to.type;
    setti_delta_kind set = job->to.codec != NULL ? SETTI_DELTA_CHANGED : SETTI_DELTA_ADDED;
    if (selection_was_there(job, entity)) {
        const void* before = setti_view_value(job->since, type, entity.index, 0);
        if (value == NULL) {
            return before != NULL ? SETTI_DELTA_REMOVED : SETTI_DELTA_KINDS;
        }
        bool same =
            before != NULL && (job->to.codec != NULL ? !selection_codec_differs(job, before, value)
                                                     : selection_is_same(job, before, value));
        return same ? SETTI_DELTA_KINDS : set;
    }
    const setti_type* there = selection_type_there(job, type);
    bool known = there != NULL && sett_entity_valid(job->into, entity);
    if (value == NULL) {
        return known && setti_storage_has(&there->storage, entity.index) ? SETTI_DELTA_REMOVED
                                                                         : SETTI_DELTA_KINDS;
    }
    bool old = known && job->tick != 0 && setti_storage_has(&there->storage, entity.index) &&
               type->records == NULL &&
               sett_changed_tick(job->world, entity, type->id) <= job->tick;
    return old ? SETTI_DELTA_KINDS : set;
}

static void selection_write_entry(selection_job* job, sett_entity entity, const void* value,
                                  setti_delta_kind kind)
{
    setti_delta_writer* to = &job->to;
    setti_delta_write_number(to, kind, 1);
    setti_delta_write_number(to, entity.index, 4);
    if (kind != SETTI_DELTA_REMOVED && to->codec != NULL && to->codec->encode != NULL) {
        to->codec->encode(&to->encoder, to->type, value);
    } else if (kind != SETTI_DELTA_REMOVED && to->codec == NULL) {
        selection_write_value(job, value);
    }
    to->count++;
}

/* The values of one word of indices that are set: one by one, or as a block. */
static void selection_write_block(selection_job* job, uint32_t base, uint64_t bits)
{
    setti_delta_writer* to = &job->to;
    const setti_storage* storage = &to->type->storage;
    if ((bits & (bits - 1)) == 0) {
        uint32_t index = base + setti_bits_lowest(bits);
        selection_write_entry(job, setti_entity_at(&job->world->entities, index),
                              setti_storage_find(storage, index), SETTI_DELTA_ADDED);
        return;
    }
    setti_delta_write_number(to, SETTI_DELTA_ADDED + SETTI_DELTA_BLOCK, 1);
    setti_delta_write_number(to, base, 4);
    setti_delta_write_number(to, bits, 8);
    for (; bits != 0; bits &= bits - 1) {
        selection_write_value(job, setti_storage_find(storage, base + setti_bits_lowest(bits)));
    }
    to->count++;
}

/* The entries of the writer's type. Blocks end where an entry of another kind follows. */
static void selection_write_entries(selection_job* job)
{
    uint32_t base = SETTI_NONE;
    uint64_t bits = 0;
    job->to.count = 0;
    for (uint32_t k = 0; k <= job->selected.count; k++) {
        bool ends = k == job->selected.count;
        sett_entity entity = ends ? sett_null() : job->selected.entity[k];
        const void* value = NULL;
        setti_delta_kind kind = SETTI_DELTA_KINDS;
        if (!ends && selection_is_alive(job, entity)) {
            value = setti_storage_find(&job->to.type->storage, entity.index);
            kind = selection_kind(job, entity, value);
        }
        bool plain = kind == SETTI_DELTA_ADDED;
        if (bits != 0 &&
            (ends || (kind != SETTI_DELTA_KINDS && (!plain || entity.index / 64 != base / 64)))) {
            selection_write_block(job, base, bits);
            bits = 0;
        }
        if (plain) {
            base = entity.index / 64 * 64;
            bits |= (uint64_t)1 << (entity.index % 64);
        } else if (kind != SETTI_DELTA_KINDS) {
            selection_write_entry(job, entity, value, kind);
        }
    }
}

/* Writes handles of one kind. */
static uint32_t selection_write_lives(selection_job* job, bool ended)
{
    setti_delta_begin_lives(&job->to);
    for (uint32_t k = 0; k < job->selected.count; k++) {
        sett_entity entity = job->selected.entity[k];
        bool alive = selection_is_alive(job, entity);
        bool gone = !alive && (job->since != NULL
                                   ? selection_was_there(job, entity)
                                   : job->into != NULL && sett_entity_valid(job->into, entity));
        if (ended ? gone : alive) {
            setti_delta_write_life(&job->to, entity.index, entity.generation);
        }
    }
    return job->to.count;
}

/* Adds to a list the handles that values of a type with a codec name by index alone. */
static bool selection_find_owners(const selection_job* job, const setti_type* type,
                                  setti_selected* owners)
{
    const setti_codec* codec = setti_delta_codec(type);
    setti_sides* sides = job->to.encoder.sides;
    for (uint32_t k = 0; k < job->selected.count; k++) {
        sett_entity entity = job->selected.entity[k];
        setti_codec_cursor cursor = {0, 0};
        sett_entity owner;
        while (selection_is_alive(job, entity) &&
               !sett_is_null(owner = codec->owner(sides, type, entity.index, 1, &cursor))) {
            sett_entity* item = setti_pool_grow(&job->world->pool, owners->entity, sizeof(*item),
                                                owners->count, 1, &owners->capacity);
            if (item == NULL) {
                return false;
            }
            owners->entity = item;
            item[owners->count++] = owner;
        }
    }
    return true;
}

static void selection_write_parents(selection_job* job)
{
    setti_selected owners = {NULL, 0, 0};
    for (uint32_t k = 0; k < job->world->registered.count; k++) {
        const setti_type* type = job->world->registered.item[k];
        if (setti_delta_form_of(type) == SETTI_DELTA_TREE &&
            setti_selection_has_type(job->selection, type) &&
            !selection_find_owners(job, type, &owners)) {
            job->to.encoder.status = SETT_STATUS_OUT_OF_MEMORY;
        }
    }
    selection_sort(&owners);
    setti_delta_begin_lives(&job->to);
    for (uint32_t k = 0; k < owners.count; k++) {
        setti_delta_write_life(&job->to, owners.entity[k].index, owners.entity[k].generation);
    }
    setti_selection_free(job->world, &owners);
}

static bool selection_sends(const selection_job* job, const setti_type* type)
{
    return setti_selection_has_type(job->selection, type) &&
           setti_delta_form_of(type) != SETTI_DELTA_TARGET; /* links say it */
}

/* Makes room for values of the writer's type that are sent rounded; false without memory. */
static bool selection_begin_type(selection_job* job)
{
    const setti_type* type = job->to.type;
    job->rounds = setti_delta_sends(type);
    if (!job->rounds ||
        setti_bytes_reserve(&job->world->pool, &job->packed, 2 * (size_t)setti_delta_bytes(type))) {
        return true;
    }
    job->to.encoder.status = SETT_STATUS_OUT_OF_MEMORY;
    return false;
}

static void selection_write_types(selection_job* job)
{
    setti_delta_writer* to = &job->to;
    const setti_type_list* types = &job->world->registered;
    size_t size = ((size_t)types->count + 1) * sizeof(uint32_t);
    uint32_t* counts = setti_pool_alloc(&job->world->pool, size, 16);
    uint32_t sent = 0;
    if (counts == NULL) {
        to->encoder.status = SETT_STATUS_OUT_OF_MEMORY;
        return;
    }
    memset(counts, 0, size);
    for (uint32_t k = 0; k < types->count; k++) {
        to->type = types->item[k];
        to->codec = setti_delta_codec(to->type);
        to->count = 0;
        if (selection_sends(job, to->type) && selection_begin_type(job)) {
            selection_write_entries(job);
        }
        counts[k] = to->count;
    }
    size_t from = to->size;
    for (uint32_t k = 0; k < types->count; k++) {
        if (counts[k] != 0) {
            uint32_t count[SETTI_DELTA_PARTS] = {counts[k]};
            setti_delta_write_type(to, types->item[k], setti_delta_sends(types->item[k]), count, 0);
            sent++;
        }
    }
    setti_delta_write_at(to, SETTI_DELTA_COUNTS, sent, 4);
    setti_delta_write_at(to, SETTI_DELTA_COUNTS + 4, to->size - from, 4);
    setti_pool_free(&job->world->pool, counts, size, 16);
}

static void selection_write(selection_job* job, setti_view* sides)
{
    setti_delta_writer* to = &job->to;
    to->pool = &job->world->pool;
    setti_delta_begin_encoder(to, &sides->sides);
    setti_delta_write_head(to, SETTI_DELTA_PART);
    uint32_t count = selection_write_lives(job, true);
    setti_delta_write_at(to, SETTI_DELTA_COUNTS + 8, count, 4);
    count = selection_write_lives(job, false);
    setti_delta_write_at(to, SETTI_DELTA_COUNTS + 12, count, 4);
    selection_write_parents(job);
    setti_delta_write_at(to, SETTI_DELTA_COUNTS + 16, to->count, 4);
    selection_write_types(job);
    setti_delta_write_seal(to);
}

/* Types that are selected, and that some selected entity has, must be such that can be sent. */
static sett_status selection_check_types(const selection_job* job, const char* call)
{
    for (uint32_t k = 0; k < job->world->registered.count; k++) {
        const setti_type* type = job->world->registered.item[k];
        const char* why = setti_delta_rejects(type);
        if (why == NULL || !setti_selection_has_type(job->selection, type)) {
            continue;
        }
        for (uint32_t n = 0; n < job->selected.count; n++) {
            sett_entity entity = job->selected.entity[n];
            if (selection_is_alive(job, entity) && sett_has(job->world, entity, type->id)) {
                return setti_world_fail_with(job->world, SETT_STATUS_ARGUMENT, "%s: \"%.100s\" %s",
                                             call, type->desc.name, why);
            }
        }
    }
    return SETT_OK;
}

/* Encodes into memory of the world's pool. `since` NULL: by tick. */
static sett_status selection_encode(selection_job* job, setti_snapshot* since, const char* call)
{
    sett_world* world = job->world;
    setti_view live;
    setti_view view;
    sett_status status = setti_world_check_unlocked(world, call);
    if (status == SETT_OK) {
        status = setti_commands_apply_all(world);
    }
    if (status == SETT_OK) {
        status = setti_selection_find(world, job->selection, call, &job->selected);
    }
    if (status != SETT_OK) {
        return status;
    }
    if (since != NULL && !setti_view_init(world, since, NULL, &view)) {
        setti_selection_free(world, &job->selected);
        return setti_world_no_memory(world, call);
    }
    setti_view_init_empty(world, &live);
    job->since = since != NULL ? &view : NULL;
    status = selection_check_types(job, call);
    if (status == SETT_OK) {
        selection_write(job, since != NULL ? &view : &live);
        status = job->to.encoder.status;
    }
    if (since != NULL) {
        setti_view_deinit(world, &view);
    }
    setti_selection_free(world, &job->selected);
    return status != SETT_STATUS_OUT_OF_MEMORY
               ? status
               : setti_world_fail(world, status, call, sett_null(), 0);
}

static void selection_end(selection_job* job)
{
    setti_pool_free(&job->world->pool, job->to.out, job->to.capacity, 16);
    setti_bytes_free(&job->world->pool, &job->packed);
}

sett_status sett_selection_encode(sett_world* world, const sett_selection* selection,
                                  sett_snapshot since, void* out, size_t capacity, size_t* size)
{
    static const char call[] = "sett_selection_encode";
    if (SETTI_IS_NULL(world)) {
        return SETT_STATUS_ARGUMENT;
    }
    sett_status status = SETT_OK;
    bool none = since.slot == 0 && since.serial == 0;
    setti_snapshot* node = none ? NULL : setti_snapshot_find(world, since, &status);
    *size = 0;
    if (status != SETT_OK) {
        return setti_snapshot_fail(world, since, status, call);
    }
    selection_job job = {.world = world, .selection = selection};
    status = selection_encode(&job, node, call);
    if (status == SETT_OK) {
        *size = job.to.size;
    }
    if (status == SETT_OK && out != NULL && job.to.size > capacity) {
        status = setti_world_fail_with(world, SETT_STATUS_LIMIT,
                                       "%s: it takes %lu bytes, and there is room for %lu", call,
                                       (unsigned long)job.to.size, (unsigned long)capacity);
    } else if (status == SETT_OK && out != NULL) {
        memcpy(out, job.to.out, job.to.size);
    }
    selection_end(&job);
    return status;
}

/* ------------------------------------------------------------------------------------- applying */

sett_status sett_selection_apply(sett_world* world, const void* bytes, size_t size,
                                 const sett_selection* allowed)
{
    static const char call[] = "sett_selection_apply";
    static const sett_selection all = {0};
    setti_selected selected;
    if (SETTI_IS_NULL(world)) {
        return SETT_STATUS_ARGUMENT;
    }
    allowed = allowed != NULL ? allowed : &all;
    sett_status status = setti_world_check_unlocked(world, call);
    if (status == SETT_OK && setti_world_lacks_list(world, bytes, size, call, "bytes")) {
        return world->error;
    }
    if (status == SETT_OK) {
        status = setti_selection_find(world, allowed, call, &selected);
    }
    if (status != SETT_OK) {
        return status;
    }
    const setti_delta_allowed limits = {
        allowed, allowed->entities != NULL || allowed->query != NULL ? &selected : NULL};
    status = setti_delta_apply_part(world, bytes, size, &limits);
    setti_selection_free(world, &selected);
    const char* why = sett_world_message(world);
    size_t inner = sizeof("sett_delta_apply: ") - 1;
    if (status != SETT_OK && strncmp(why, "sett_delta_apply: ", inner) == 0) {
        char text[SETTI_MESSAGE_SIZE];
        snprintf(text, sizeof(text), "%s", why + inner);
        status = setti_world_fail_input(world, status, "%s: %.400s", call, text);
    }
    return status;
}

sett_status sett_selection_copy(sett_world* from, const sett_selection* selection,
                                uint64_t since_tick, sett_world* into)
{
    static const char call[] = "sett_selection_copy";
    if (SETTI_IS_NULL(from) || SETTI_IS_NULL(into)) {
        return SETT_STATUS_ARGUMENT;
    }
    if (from == into) {
        return setti_world_fail_with(into, SETT_STATUS_ARGUMENT, "%s: into itself", call);
    }
    selection_job job = {.world = from, .selection = selection, .tick = since_tick, .into = into};
    sett_status status = selection_encode(&job, NULL, call);
    if (status == SETT_OK) {
        status = sett_selection_apply(into, job.to.out, job.to.size, NULL);
    } else {
        status = setti_world_fail_with(into, status, "%s", sett_world_message(from));
    }
    selection_end(&job);
    return status;
}

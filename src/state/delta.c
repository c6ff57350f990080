/* delta.c: encodes the difference between two snapshots.
 *
 * The workload: a server sends each client the changes since the client's last confirmed state.
 * compare.c finds the differences, delta_value.c writes values and links, delta_order.c writes the
 * order of rows. No snapshot is restored to compute a hash: the sum of the other state follows from
 * the sum of one state and the differences.
 *
 * Invariant:  sum(after) = sum(before) - hashes of values before + hashes of values after
 */
#include "base/checksum.h"
#include "state/delta_writer.h"
#include "state/hash.h"
#include "state/snapshot.h"
#include "world/command.h"
#include "world/written.h"

const setti_codec* setti_delta_codec(const setti_type* type)
{
    if (setti_type_varies(type)) {
        return setti_hash_size(type) != 0 ? &setti_owned_codec : NULL;
    }
    if (type->codec != NULL) {
        return type->codec;
    }
    return setti_codec_own(type);
}

setti_delta_form setti_delta_form_of(const setti_type* type)
{
    const setti_codec* codec = setti_delta_codec(type);
    return codec != NULL ? codec->form : SETTI_DELTA_VALUES;
}

const char* setti_delta_rejects(const setti_type* type)
{
    if (type->desc.save == SETT_SAVE_CLONE && setti_hash_size(type) == 0) {
        return "has SETT_SAVE_CLONE, but no members, `bytes` or `write` hook to encode - set one "
               "of the three, or use SETT_SAVE_SKIP";
    }
    return setti_values_unsaved(type);
}

size_t setti_delta_size(const setti_type* type)
{
    if (type->desc.write == NULL) {
        return type->desc.size;
    }
    if (type->written != NULL) {
        return type->written->of.size;
    }
    return setti_written_struct()->size;
}

bool setti_delta_sends(const setti_type* type)
{
    if (type->members == NULL || type->members->send_count == 0) {
        return false;
    }
    return setti_delta_form_of(type) == SETTI_DELTA_VALUES && setti_hash_size(type) != 0;
}

uint32_t setti_delta_bytes(const setti_type* type)
{
    const setti_codec* codec = setti_delta_codec(type);
    if (codec == NULL) {
        return (uint32_t)setti_hash_size(type);
    }
    if (codec->bytes == NULL) {
        return 0; /* the values have no fixed size */
    }
    return codec->bytes(type);
}

/* -------------------------------------------------------------------------------------- writing */

#define DELTA_ROOM 16384      /* the least capacity of a buffer that grows, in bytes */
#define DELTA_ROOM_SMALL 1024 /* its least capacity in worlds with small_pages */

static bool delta_has_room(const setti_delta_writer* writer, size_t size)
{
    return writer->size <= writer->capacity && size <= writer->capacity - writer->size;
}

/* Makes room for `size` more bytes. A failure becomes the writer's status. */
SETTI_COLD static void delta_grow(setti_delta_writer* writer, size_t size)
{
    SETTI_ASSERT(writer->pool != NULL);
    size_t least_capacity = writer->pool->small ? DELTA_ROOM_SMALL : DELTA_ROOM;
    size_t capacity =
        SETTI_MAX(SETTI_MAX(writer->size + size, writer->capacity * 2), least_capacity);
    bool complete = writer->size <= writer->capacity; /* no byte was lost by a failure before */
    unsigned char* out = NULL;
    if (complete) {
        out = setti_pool_alloc(writer->pool, capacity, 16);
    }
    if (out == NULL) {
        writer->encoder.status = SETT_STATUS_OUT_OF_MEMORY;
        return;
    }
    if (writer->size != 0) {
        memcpy(out, writer->out, writer->size);
    }
    setti_pool_free(writer->pool, writer->out, writer->capacity, 16);
    writer->out = out;
    writer->capacity = capacity;
}

void setti_delta_write(setti_delta_writer* writer, const void* bytes, size_t size)
{
    if (writer->pool != NULL && !delta_has_room(writer, size)) {
        delta_grow(writer, size);
    }
    if (size != 0 && delta_has_room(writer, size)) {
        memcpy(writer->out + writer->size, bytes, size);
    }
    writer->size += size; /* counts bytes without room, too */
}

void setti_delta_write_number(setti_delta_writer* writer, uint64_t number, size_t size)
{
    unsigned char bytes[8];
    SETTI_ASSERT(size <= sizeof(bytes));
    setti_bytes_put(bytes, number, sizeof(bytes)); /* not `size`: gcc warns of sizes above 8 */
    setti_delta_write(writer, bytes, size);
}

void setti_delta_write_at(setti_delta_writer* writer, size_t offset, uint64_t number, size_t size)
{
    SETTI_ASSERT(offset + size <= writer->size);
    size_t end = writer->size;
    writer->size = offset;
    setti_delta_write_number(writer, number, size);
    writer->size = end;
}

void setti_delta_begin_handles(setti_delta_writer* writer)
{
    writer->count = 0;
    writer->run_count = SETTI_DELTA_HANDLES_MAX; /* so that the first handle begins a run */
    writer->run_next = 0;
    writer->run_generation = 0;
}

void setti_delta_write_handle(setti_delta_writer* writer, uint32_t index, uint32_t generation)
{
    SETTI_ASSERT(writer->run_count == SETTI_DELTA_HANDLES_MAX || index >= writer->run_next);
    bool continues = index == writer->run_next && generation == writer->run_generation;
    if (writer->run_count == SETTI_DELTA_HANDLES_MAX || !continues) { /* begins a run */
        setti_delta_write_number(writer, index, 4);
        setti_delta_write_number(writer, generation, 4);
        writer->run_at = writer->size;
        setti_delta_write_number(writer, 0, 1); /* the count of the run, set below */
        writer->run_count = 0;
        writer->run_generation = generation;
        writer->count++;
    }
    setti_delta_write_at(writer, writer->run_at, ++writer->run_count, 1);
    writer->run_next = index + 1;
}

static void delta_write_entity(setti_compare_sink* sink, const sett_entity* ended,
                               const sett_entity* begun)
{
    (void)begun; /* delta_write_begun writes the list of created entities */
    if (ended != NULL) {
        setti_delta_write_handle((setti_delta_writer*)sink, ended->index, ended->generation);
    }
}

static void delta_write_new_entities(setti_delta_writer* writer)
{
    uint32_t cursor = SETTI_NONE; /* before the first */
    const setti_view_page* page;
    setti_view* view = writer->walk->view;
    while ((page = setti_view_next(view, &view->world->entities.pages, &cursor)) != NULL) {
        const setti_entity_page* entities = page->in[SETTI_AFTER];
        for (uint32_t slot = 0; slot < SETTI_ENTITY_ROWS; slot++) {
            if ((entities->generation[slot] & SETTI_DEAD) == 0) {
                setti_delta_write_handle(writer, (page->number << SETTI_ENTITY_SHIFT) + slot,
                                         entities->generation[slot]);
            }
        }
    }
}

static void delta_write_begun(setti_delta_writer* writer)
{
    setti_delta_begin_handles(writer);
    if (writer->walk->view->empty) { /* all entities are new, and none is marked */
        delta_write_new_entities(writer);
    }
    uint32_t index = SETTI_NONE; /* before the first */
    while (setti_marks_next(&writer->walk->begun, &index)) {
        sett_entity entity = setti_view_entity(writer->walk->view, index, SETTI_AFTER);
        setti_delta_write_handle(writer, index, entity.generation);
    }
}

/* What is known of a type before its record is written. */
typedef struct delta_note {
    uint32_t count[SETTI_DELTA_SECTIONS];
    bool occurs; /* the delta gets a record of the type */
} delta_note;

void setti_delta_write_record(setti_delta_writer* writer, const setti_type* type,
                              setti_rounding rounding)
{
    const setti_module* module = type->module;
    size_t length = strlen(type->desc.name);
    uint64_t form = (unsigned)setti_delta_form_of(type) + SETTI_DELTA_KIND * type->storage.kind;
    uint32_t version = type->desc.layout_version;
    size_t bytes = setti_delta_bytes(type);
    uint64_t padding_hash = setti_type_data(type)->padding_hash;
    form |= setti_delta_order_of(type);
    if (module != NULL && module->choice != NULL) {
        version = module->choice(type); /* the sender's choice, in place of a version */
    }
    if (rounding == SETTI_ROUNDED) {
        SETTI_ASSERT(setti_delta_sends(type));
        form |= SETTI_DELTA_SENT;
        bytes = setti_send_size(type->members, bytes);
        padding_hash = setti_send_fingerprint(type->members);
    }
    setti_delta_write_number(writer, length, 2);
    setti_delta_write(writer, type->desc.name, length);
    setti_delta_write_number(writer, form, 1);
    setti_delta_write_number(writer, setti_delta_size(type), 4);
    setti_delta_write_number(writer, version, 4);
    setti_delta_write_number(writer, bytes, 4);
    setti_delta_write_number(writer, padding_hash, 8);
}

void setti_delta_write_type(setti_delta_writer* writer, const setti_type* type,
                            setti_rounding rounding, const uint32_t count[SETTI_DELTA_SECTIONS],
                            uint32_t extent)
{
    setti_delta_write_record(writer, type, rounding);
    for (uint32_t k = 0; k < SETTI_DELTA_SECTIONS; k++) {
        setti_delta_write_number(writer, count[k], 4);
    }
    setti_delta_write_number(writer, extent, 4);
}

/* Sets note->occurs if another type of the group of `type` occurs: to order rows, the receiver
 * needs all types of a group.
 *   note   what is known of `type`
 *   notes  of all types, in the order of registration */
static void delta_note_group(const delta_note* notes, delta_note* note, const setti_type* type)
{
    const setti_type_list* types = &type->world->registered;
    if (type->owner == NULL || note->occurs) {
        return;
    }
    for (uint32_t k = 0; k < types->count; k++) {
        if (types->item[k]->owner == type->owner && notes[k].occurs) {
            note->occurs = true;
            return;
        }
    }
}

static void delta_write_types(setti_delta_writer* writer, delta_note* notes)
{
    const setti_type_list* types = &writer->walk->view->world->registered;
    size_t begin = writer->size;
    uint32_t count = 0;
    for (uint32_t k = 0; k < types->count; k++) {
        delta_note_group(notes, &notes[k], types->item[k]);
    }
    for (uint32_t k = 0; k < types->count; k++) {
        if (notes[k].occurs) {
            setti_delta_write_type(
                writer, types->item[k], SETTI_EXACT, notes[k].count,
                setti_view_extent(writer->walk->view, types->item[k], SETTI_AFTER));
            count++;
        }
    }
    setti_delta_write_at(writer, SETTI_DELTA_COUNT_TYPES, count, 4);
    setti_delta_write_at(writer, SETTI_DELTA_TYPES_SIZE, writer->size - begin, 4);
}

void setti_delta_write_head(setti_delta_writer* writer, uint32_t magic)
{
    SETTI_ASSERT(writer->size == 0);
    setti_delta_write_number(writer, magic, 4);
    setti_delta_write_number(writer, SETTI_DELTA_VERSION, 4);
    while (writer->size < SETTI_DELTA_HEAD) { /* numbers that setti_delta_write_at sets later */
        setti_delta_write_number(writer, 0, 4);
    }
}

/* Whether the delta may have entries of a type. */
static bool delta_concerns(const setti_delta_writer* writer, const setti_type* type)
{
    const setti_codec* codec = setti_delta_codec(type);
    if (setti_compare_concerns(writer->walk, type)) {
        return true;
    }
    if (codec == NULL || codec->follows == NULL) {
        return false;
    }
    /* The owners of these lists decide which values are written. */
    const setti_type* list_type = codec->follows(type->world);
    return list_type != NULL && setti_compare_concerns(writer->walk, list_type);
}

static void delta_write_sections(setti_delta_writer* writer, const setti_type* type,
                                 delta_note* note)
{
    static void (*const write_section[SETTI_DELTA_SECTIONS])(setti_delta_writer*) = {
        setti_delta_write_entries, setti_delta_write_changes, setti_delta_write_lists,
        setti_delta_write_rows};
    writer->type = type;
    writer->codec = setti_delta_codec(type);
    setti_hash_begin(&writer->sum.hash_type, type);
    note->occurs = false;
    for (uint32_t k = 0; k < SETTI_DELTA_SECTIONS; k++) {
        write_section[k](writer);
        note->count[k] = writer->count;
        if (writer->count != 0) {
            note->occurs = true;
        }
    }
}

/* Writes the sections of all types that may differ, then the records of types. */
static void delta_write_all_sections(setti_delta_writer* writer)
{
    const setti_type_list* types = &writer->walk->view->world->registered;
    setti_pool* pool = setti_unconst(&writer->walk->view->world->pool);
    size_t size = ((size_t)types->count + 1) * sizeof(delta_note); /* + 1: never 0 bytes */
    delta_note* notes = setti_pool_alloc(pool, size, 16);
    if (notes == NULL) {
        writer->encoder.status = SETT_STATUS_OUT_OF_MEMORY;
        return;
    }
    memset(notes, 0, size);
    for (uint32_t k = 0; k < types->count; k++) {
        const setti_type* type = types->item[k];
        if (delta_concerns(writer, type)) {
            delta_write_sections(writer, type, &notes[k]);
        }
        if ((type->flags & SETTI_TYPE_CHOSEN) != 0) {
            notes[k].occurs = true; /* the receiver needs the sender's choice */
        }
    }
    delta_write_types(writer, notes);
    setti_pool_free(pool, notes, size, 16);
}

uint64_t setti_delta_seal(const void* bytes, size_t size)
{
    return setti_checksum(SETTI_DELTA_MAGIC, bytes, size);
}

static void delta_encoder_write(setti_encoder* encoder, const void* bytes, size_t size)
{
    setti_delta_write(encoder->user, bytes, size);
}

static void delta_encoder_write_data(setti_encoder* encoder, const setti_type* data,
                                     const void* value)
{
    setti_delta_write_bytes(encoder->user, data, value);
}

void setti_delta_begin_encoder(setti_delta_writer* writer, setti_sides* sides)
{
    writer->encoder.sides = sides;
    writer->encoder.write = delta_encoder_write;
    writer->encoder.write_data = delta_encoder_write_data;
    writer->encoder.user = writer;
}

void setti_delta_write_seal(setti_delta_writer* writer)
{
    SETTI_ASSERT(writer->size >= SETTI_DELTA_HEAD);
    setti_delta_write_at(writer, SETTI_DELTA_SIZE, writer->size, 8);
    if (writer->size <= writer->capacity) {
        const unsigned char* sealed = writer->out + SETTI_DELTA_COUNTS;
        uint64_t seal = setti_delta_seal(sealed, writer->size - SETTI_DELTA_COUNTS);
        setti_delta_write_at(writer, SETTI_DELTA_SEAL, seal, 8);
    }
}

/* Writes everything except the hashes. */
static void delta_write_all(setti_delta_writer* writer, setti_compare* walk)
{
    writer->walk = walk;
    setti_delta_begin_encoder(writer, &walk->view->sides);
    setti_delta_write_head(writer, SETTI_DELTA_MAGIC);
    setti_delta_begin_handles(writer);
    if (!writer->walk->view->empty) {
        writer->sink.entity = delta_write_entity;
        writer->walk->sink = &writer->sink;
        setti_compare_entities(writer->walk);
    }
    setti_delta_write_at(writer, SETTI_DELTA_COUNT_ENDED, writer->count, 4);
    delta_write_begun(writer);
    setti_delta_write_at(writer, SETTI_DELTA_COUNT_BEGUN, writer->count, 4);
    setti_delta_write_slots(writer);
    setti_delta_write_at(writer, SETTI_DELTA_COUNT_SLOTS, writer->count, 4);
    delta_write_all_sections(writer);
    setti_delta_end_changes(writer);
    setti_delta_write_seal(writer);
}

/* Writes the hashes of the two states. The seal does not cover them. */
static void delta_write_hashes(setti_delta_writer* writer, uint64_t before, uint64_t after)
{
    setti_delta_write_at(writer, SETTI_DELTA_HASH_BEFORE, setti_hash_finish(before), 8);
    setti_delta_write_at(writer, SETTI_DELTA_HASH_AFTER, setti_hash_finish(after), 8);
}

/* ---------------------------------------------------------------------------------------- calls */

/* Fails if a type that cannot be sent may differ. */
static sett_status delta_check_types(sett_world* world, const char* call, setti_compare* walk)
{
    for (uint32_t k = 0; k < world->registered.count; k++) {
        const setti_type* type = world->registered.item[k];
        const char* why = setti_delta_rejects(type);
        if (why == NULL) {
            continue;
        }
        uint32_t row_page = SETTI_NONE; /* before the first */
        uint32_t presence_page = SETTI_NONE;
        if (setti_view_next(walk->view, &type->storage.rows, &row_page) != NULL ||
            setti_view_next(walk->view, &type->storage.presence, &presence_page) != NULL) {
            return setti_world_fail_with(world, SETT_STATUS_ARGUMENT, "%s: \"%.100s\" %s", call,
                                         type->desc.name, why);
        }
    }
    return SETT_OK;
}

static sett_status delta_encode(sett_world* world, setti_snapshot* a, setti_snapshot* b,
                                setti_delta_writer* writer)
{
    const char* call = writer->encoder.call;
    setti_view view;
    setti_compare walk;
    sett_status status = SETT_OK;
    if (!a->summed && !b->summed) { /* of two sums, one follows from the other */
        status = setti_snapshot_sum(world, b, call);
    }
    if (status != SETT_OK) {
        return status;
    }
    if (!setti_view_init(world, a, b, &view)) {
        return SETT_STATUS_OUT_OF_MEMORY;
    }
    if (!setti_compare_init(&view, &walk)) {
        setti_view_deinit(world, &view);
        return SETT_STATUS_OUT_OF_MEMORY;
    }
    status = delta_check_types(world, call, &walk);
    if (status == SETT_OK) {
        writer->sum.view = &view;
        setti_delta_sum_slots(&writer->sum);
        delta_write_all(writer, &walk);
        status = writer->encoder.status;
    }
    if (status == SETT_OK) {
        if (!a->summed) {
            a->sum = b->sum - writer->sum.sum;
        }
        b->sum = a->sum + writer->sum.sum; /* the same number if `b` was summed */
        a->summed = true;
        b->summed = true;
        delta_write_hashes(writer, a->sum, b->sum);
    }
    setti_compare_deinit(&walk);
    setti_view_deinit(world, &view);
    return status;
}

static sett_status delta_encode_handles(sett_world* world, sett_snapshot a, sett_snapshot b,
                                        setti_delta_writer* writer)
{
    setti_snapshot* node[2];
    sett_snapshot handle[2] = {a, b};
    sett_status status;
    for (uint32_t k = 0; k < 2; k++) {
        node[k] = setti_snapshot_find(world, handle[k], &status);
        if (node[k] == NULL) {
            return setti_snapshot_fail(world, handle[k], status, writer->encoder.call);
        }
    }
    status = delta_encode(world, node[0], node[1], writer);
    if (status == SETT_STATUS_OUT_OF_MEMORY) {
        return setti_world_no_memory(world, writer->encoder.call);
    }
    return status;
}

sett_status sett_delta_encode(sett_world* world, sett_snapshot a, sett_snapshot b, void* out,
                              size_t capacity, size_t* size)
{
    if (SETTI_IS_NULL(world)) {
        return SETT_STATUS_ARGUMENT;
    }
    setti_delta_writer writer = {
        .encoder.call = __func__, .out = out, .capacity = out != NULL ? capacity : 0};
    *size = 0;
    sett_status status = delta_encode_handles(world, a, b, &writer);
    if (status != SETT_OK) {
        return status;
    }
    *size = writer.size;
    return setti_delta_check_capacity(world, __func__, out, capacity, writer.size);
}

sett_status setti_delta_check_capacity(sett_world* world, const char* call, const void* out,
                                       size_t capacity, size_t size)
{
    if (out == NULL || size <= capacity) {
        return SETT_OK;
    }
    return setti_world_fail_with(world, SETT_STATUS_LIMIT,
                                 "%s: the result takes %lu bytes, and the buffer has %lu bytes - "
                                 "pass a larger buffer",
                                 call, (unsigned long)size, (unsigned long)capacity);
}

/* Moves the writer's bytes to `out`. If `status` is a failure, frees the bytes instead. Returns
 * `status`. */
static sett_status delta_take_bytes(sett_world* world, sett_status status,
                                    const setti_delta_writer* writer, setti_bytes* out)
{
    setti_bytes bytes = {writer->out, writer->size, writer->capacity};
    if (status == SETT_OK) {
        *out = bytes;
    } else {
        setti_bytes_free(&world->pool, &bytes);
    }
    return status;
}

sett_status setti_delta_encode(sett_world* world, sett_snapshot a, sett_snapshot b,
                               const char* call, setti_bytes* out)
{
    setti_delta_writer writer = {.encoder.call = call, .pool = &world->pool};
    sett_status status = delta_encode_handles(world, a, b, &writer);
    return delta_take_bytes(world, status, &writer, out);
}

/* Returns a likely size of the whole state in bytes. */
static size_t delta_guess_size(const sett_world* world)
{
    size_t size = 4096 + (size_t)world->entities.count;
    for (uint32_t k = 0; k < world->registered.count; k++) {
        const setti_type* type = world->registered.item[k];
        size_t value_room = (size_t)setti_delta_bytes(type) + 1;
        /* 128: the record; the limit of the count avoids an overflow */
        size +=
            128 + SETTI_MIN((size_t)type->storage.count, SIZE_MAX / 4 / value_room) * value_room;
    }
    return size;
}

/* Encodes the live state as a delta from the empty world. */
static sett_status delta_encode_all(sett_world* world, const char* call, setti_delta_writer* writer)
{
    setti_view view;
    setti_compare walk;
    uint64_t sum = setti_hash_sum(world, NULL);
    setti_view_init_empty(world, &view);
    if (!setti_compare_init(&view, &walk)) {
        return setti_world_no_memory(world, call);
    }
    sett_status status = delta_check_types(world, call, &walk);
    if (status == SETT_OK) {
        writer->pool = &world->pool;
        delta_grow(writer, delta_guess_size(world));
        status = writer->encoder.status;
    }
    if (status == SETT_OK) {
        delta_write_all(writer, &walk);
        delta_write_hashes(writer, 0 /* the sum of the empty world */, sum);
        status = writer->encoder.status;
    }
    setti_compare_deinit(&walk);
    if (status == SETT_STATUS_OUT_OF_MEMORY) {
        return setti_world_no_memory(world, call);
    }
    return status;
}

sett_status setti_delta_encode_state(sett_world* world, const char* call, setti_bytes* out)
{
    setti_delta_writer writer = {.encoder.call = call};
    sett_status status = setti_world_check_unlocked(world, call);
    if (status == SETT_OK) {
        status = setti_commands_apply_all(world, call);
    }
    if (status == SETT_OK) {
        status = delta_encode_all(world, call, &writer);
    }
    return delta_take_bytes(world, status, &writer, out);
}

/* selection.c: a part of a world: its hash, and its values as bytes.
 *
 * The workload: a server sends each client the entities in view. A machine owns a strip of the
 * world and shares the borders. The bytes are a delta (delta.h) with another magic number. The
 * receiver can be in any state. So a part has whole values, and no hashes, orders or lists:
 *
 *     ended     entities of the receiver that are dead now, or not selected any more
 *     begun     entities with entries, and entities for the receiver to create
 *     slots     handles of the parents that entries name by index
 *     entries   changed values, encoded as added values; removed components
 *
 * Entries come last, but decide which entities are listed. So a second writer collects the entries.
 * A part is applied like a delta, with other checks (delta_check.c).
 *
 * Invariant:  copying a selection = encoding it and applying the bytes
 */
#include "state/selection.h"

#include "state/delta_writer.h"
#include "state/snapshot.h"
#include "world/command.h"
#include "world/term.h"

/* Returns a sort key: the index, then the generation. */
static uint64_t selection_key(sett_entity entity)
{
    return (uint64_t)entity.index << 32 | entity.generation;
}

/* Moves the item at `position` down to the place where it belongs in the heap. */
static void selection_sink(sett_entity* item, uint32_t position, uint32_t count)
{
    sett_entity sinking = item[position];
    for (uint32_t child = 2 * position + 1; child < count; child = 2 * position + 1) {
        /* adds 1 if the second child is greater */
        child += child + 1 < count && selection_key(item[child]) < selection_key(item[child + 1]);
        if (selection_key(sinking) >= selection_key(item[child])) {
            break;
        }
        item[position] = item[child];
        position = child;
    }
    item[position] = sinking;
}

/* Sorts handles in place (heapsort), and removes duplicates. */
static void selection_sort(setti_selected* selected)
{
    sett_entity* item = selected->entity;
    uint32_t count = selected->count;
    bool ascends = true; /* most lists are sorted already, without duplicates */
    for (uint32_t k = 1; k < count && ascends; k++) {
        ascends = selection_key(item[k - 1]) < selection_key(item[k]);
    }
    if (ascends) {
        return;
    }
    for (uint32_t k = count / 2; k-- > 0;) { /* makes a heap of all items */
        selection_sink(item, k, count);
    }
    for (uint32_t heap_count = count; heap_count > 1;) { /* moves the greatest item to the end */
        sett_entity last = item[--heap_count];
        item[heap_count] = item[0];
        item[0] = last;
        selection_sink(item, 0, heap_count);
    }
    selected->count = 0;
    for (uint32_t k = 0; k < count; k++) {
        if (k == 0 || selection_key(item[k]) != selection_key(item[k - 1])) {
            item[selected->count++] = item[k];
        }
    }
}

sett_status setti_selection_check(sett_world* world, const sett_selection* selection,
                                  const char* call)
{
    if (selection == NULL) {
        return setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                                     "%s: the selection is NULL - pass the address of one", call);
    }
    if (selection->entities != NULL && selection->query != NULL) {
        return setti_world_fail_with(
            world, SETT_STATUS_ARGUMENT,
            "%s: `entities` and `query` of a selection are both set - set only one", call);
    }
    if (selection->query != NULL && setti_query_world(selection->query) != world) {
        return setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                                     "%s: the `query` of the selection belongs to another world - "
                                     "create it in the world that this call reads or changes",
                                     call);
    }
    if (setti_world_lacks_list(world, selection->entities, selection->entity_count, call,
                               "entities") ||
        setti_world_lacks_list(world, selection->types, selection->type_count, call, "types") ||
        setti_world_lacks_list(world, selection->before, selection->before_count, call, "before")) {
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

/* Appends the entities of a query to a list that has room for them. */
static sett_status selection_list_query(sett_world* world, sett_query* query, const char* call,
                                        setti_selected* out)
{
    sett_batch local;
    sett_batch* batch = sett_query_begin_local_(query, &local);
    if (batch == NULL) {
        sett_status status = setti_world_failure(world);
        if (status == SETT_STATUS_OUT_OF_MEMORY) {
            return setti_world_no_memory(world, call);
        }
        return status;
    }
    while (sett_batch_next(batch)) {
        for (uint32_t k = 0; k < batch->count; k++) {
            uint32_t row = batch->rows != NULL ? batch->rows[k] : k;
            out->entity[out->count++] = sett_batch_entity(batch, row);
        }
    }
    sett_batch_end(batch);
    return SETT_OK;
}

sett_status setti_selection_find(sett_world* world, const sett_selection* selection,
                                 const char* call, setti_selected* out)
{
    *out = (setti_selected){0};
    sett_status status = setti_selection_check(world, selection, call);
    if (status != SETT_OK) {
        return status;
    }
    uint32_t count = world->entities.count; /* without a list and a query, all entities */
    if (selection->entities != NULL) {
        count = selection->entity_count;
    } else if (selection->query != NULL) {
        count = sett_query_count(selection->query);
    }
    if (count == 0) {
        return SETT_OK;
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
        status = selection_list_query(world, selection->query, call, out);
        if (status != SETT_OK) {
            setti_selection_free(world, out);
            *out = (setti_selected){0};
            return status;
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

bool setti_selected_add(sett_world* world, setti_selected* selected, sett_entity entity)
{
    sett_entity* items = setti_pool_grow(&world->pool, selected->entity, sizeof(*items),
                                         selected->count, 1, &selected->capacity);
    if (items == NULL) {
        return false;
    }
    selected->entity = items;
    items[selected->count++] = entity;
    return true;
}

/* Returns the position of a handle in a sorted list, or SETTI_NONE if the list lacks the handle. */
static uint32_t selection_position(const setti_selected* selected, sett_entity entity)
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
    bool found = low < selected->count && sett_equals(selected->entity[low], entity);
    return found ? low : SETTI_NONE;
}

bool setti_selected_has(const setti_selected* selected, sett_entity entity)
{
    return selection_position(selected, entity) != SETTI_NONE;
}

bool setti_selection_has_type(const sett_selection* selection, const setti_type* type)
{
    if (selection->type_count == 0) { /* no list selects all types */
        return true;
    }
    for (uint32_t k = 0; k < selection->type_count; k++) {
        if (selection->types[k] == type->id) {
            return true;
        }
    }
    return false;
}

/* Returns the sum of the hashes of all values of a type that selected entities have. */
static uint64_t selection_sum(const sett_world* world, const setti_selected* selected,
                              const setti_type* type)
{
    setti_view view; /* SETTI_AFTER is the live world */
    setti_delta_sum sum = {.view = &view};
    setti_view_init_empty(setti_unconst(world), &view);
    setti_hash_begin(&sum.hash_type, type);
    for (uint32_t k = 0; k < selected->count && type->storage.count != 0; k++) {
        sett_entity entity = selected->entity[k];
        const void* value = NULL;
        if (setti_entity_is_current(&world->entities, entity)) {
            value = setti_storage_find(&type->storage, entity.index);
        }
        setti_delta_sum_value(&sum, sett_null(), NULL, entity, value); /* nothing to subtract */
    }
    return sum.sum;
}

sett_status sett_selection_hash(sett_world* world, const sett_selection* selection, bool handles,
                                uint64_t* sum)
{
    setti_selected selected;
    if (SETTI_IS_NULL(world)) {
        return SETT_STATUS_ARGUMENT;
    }
    *sum = 0;
    sett_status status = setti_world_check_serial(world, __func__);
    if (status == SETT_OK) {
        status = setti_selection_find(world, selection, __func__, &selected);
    }
    if (status != SETT_OK) {
        return status;
    }
    for (uint32_t k = 0; handles && k < selected.count; k++) {
        if (sett_entity_valid(world, selected.entity[k])) {
            *sum += setti_hash_entity(selected.entity[k]);
        }
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

/* Marks of a selected entity. */
enum {
    SELECTION_ALIVE = 1,
    SELECTION_KNOWN = 2,  /* the receiver has the entity: only changes are sent */
    SELECTION_LISTED = 4, /* the entity has an entry */
    SELECTION_OWNED = 8   /* an entry of the entity names owners by index: `slots` lists owners */
};

/* Stands for the kind of an entry when the receiver needs no entry. */
#define SELECTION_NO_ENTRY SETTI_DELTA_KINDS

typedef struct selection_job {
    setti_delta_writer writer;       /* writes everything except entries */
    setti_delta_writer entry_writer; /* the entries follow the lists of handles */
    sett_world* world;
    const sett_selection* selection;
    setti_selected selected;
    unsigned char* mark;        /* SELECTION_* of each selected entity */
    bool any_enter;             /* some selected entities are new to the receiver */
    setti_selected before;      /* selection->before, sorted */
    setti_view* since;          /* SETTI_BEFORE is the receiver's state; NULL: `tick` decides */
    uint64_t tick;              /* without `since`: values written later are sent */
    const sett_world* to_world; /* the receiving world, or NULL if it is not known */
    bool exact;                 /* values are not rounded */
    bool rounds;                /* the current type's values are rounded */
    setti_bytes packed;         /* memory for two rounded values, to compare them */
} selection_job;

/* Returns true if the receiver is known to have an entity. */
static bool selection_is_known(const selection_job* job, sett_entity entity)
{
    if (job->selection->before != NULL && !setti_selected_has(&job->before, entity)) {
        return false;
    }
    if (job->since != NULL) {
        return sett_equals(setti_view_entity(job->since, entity.index, SETTI_BEFORE), entity);
    }
    return job->to_world != NULL && sett_entity_valid(job->to_world, entity);
}

static void selection_mark(selection_job* job)
{
    for (uint32_t k = 0; k < job->selected.count; k++) {
        sett_entity entity = job->selected.entity[k];
        bool alive = sett_entity_valid(job->world, entity);
        bool known = selection_is_known(job, entity);
        int alive_mark = alive ? SELECTION_ALIVE : 0;
        int known_mark = known ? SELECTION_KNOWN : 0;
        job->mark[k] = (unsigned char)(alive_mark | known_mark);
        if (alive && !known) {
            job->any_enter = true;
        }
    }
}

/* Returns true if a selected entity is new to the receiver. */
static bool selection_enters(const selection_job* job, sett_entity entity)
{
    uint32_t position = selection_position(&job->selected, entity);
    if (position == SETTI_NONE) {
        return false;
    }
    return (job->mark[position] & (SELECTION_ALIVE | SELECTION_KNOWN)) == SELECTION_ALIVE;
}

/* Returns true if an owner of the entity's value is new to the receiver. Owners are the parent of
 * the entity, or the targets of links. */
static bool selection_has_new_owner(const selection_job* job, sett_entity entity)
{
    const setti_codec* codec = job->entry_writer.codec;
    const setti_type* owner_type = job->entry_writer.type;
    if (codec->follows != NULL) { /* the owner of a name is the owner of the hierarchy's node */
        owner_type = codec->follows(job->world);
    }
    if (owner_type != NULL) {
        codec = setti_delta_codec(owner_type); /* the codec of the hierarchy, after `follows` */
    }
    if (!job->any_enter || codec->owner == NULL) {
        return false;
    }
    setti_codec_cursor cursor = {0};
    setti_sides* sides = job->entry_writer.encoder.sides;
    sett_entity owner;
    do {
        owner = codec->owner(sides, owner_type, entity.index, SETTI_AFTER, &cursor);
    } while (!sett_is_null(owner) && !selection_enters(job, owner));
    return !sett_is_null(owner);
}

/* Returns true if two values may differ. The type must have a codec. */
static bool selection_codec_differs(const selection_job* job, const void* before, const void* after)
{
    const setti_type* type = job->entry_writer.type;
    if (type->records != NULL) {
        return true; /* records lie outside of the value, and are not compared */
    }
    if (job->entry_writer.codec->form == SETTI_DELTA_OWNED) {
        return !setti_hash_same(type, before, after);
    }
    return memcmp(before, after, type->storage.size) != 0;
}

/* Rounds a value into the half of job->packed for `side`. Returns the address of the half. */
static unsigned char* selection_pack(selection_job* job, const void* value, uint32_t side)
{
    setti_delta_writer* entry_writer = &job->entry_writer;
    const setti_members* members = entry_writer->type->members;
    size_t begin = entry_writer->size;
    size_t size = setti_delta_bytes(entry_writer->type);
    unsigned char* packed = job->packed.data + side * setti_send_size(members, size);
    /* the value is written after the entries for a moment, to get its bytes */
    setti_delta_write_bytes(entry_writer, entry_writer->type, value);
    if (entry_writer->encoder.status == SETT_OK) {
        setti_send_pack(members, entry_writer->out + begin, size, packed);
    }
    entry_writer->size = begin; /* drops the bytes */
    return packed;
}

static void selection_write_value(selection_job* job, const void* value)
{
    const setti_type* type = job->entry_writer.type;
    if (job->rounds) {
        size_t size = setti_send_size(type->members, setti_delta_bytes(type));
        setti_delta_write(&job->entry_writer, selection_pack(job, value, SETTI_AFTER), size);
    } else {
        setti_delta_write_bytes(&job->entry_writer, type, value);
    }
}

/* Returns true if two values are equal. Values that are sent rounded are compared after
 * rounding. */
static bool selection_is_same(selection_job* job, const void* before, const void* after)
{
    if (!job->rounds) {
        return setti_hash_same(job->entry_writer.type, before, after);
    }
    const unsigned char* packed_before = selection_pack(job, before, SETTI_BEFORE);
    const unsigned char* packed_after = selection_pack(job, after, SETTI_AFTER);
    size_t size = (size_t)(packed_after - packed_before); /* the halves are adjacent */
    return memcmp(packed_before, packed_after, size) == 0;
}

/* Returns true if the receiver, which has the value `before`, needs the value `after`. */
static bool selection_differs(selection_job* job, sett_entity entity, const void* before,
                              const void* after)
{
    if (job->entry_writer.codec == NULL) {
        return !selection_is_same(job, before, after);
    }
    return selection_codec_differs(job, before, after) || selection_has_new_owner(job, entity);
}

/* Returns the kind of the entry for a value, compared with the snapshot job->since. The receiver
 * must have the entity. `value` is NULL if the entity has no value. */
static setti_delta_kind selection_kind_since(selection_job* job, sett_entity entity,
                                             const void* value)
{
    const setti_type* type = job->entry_writer.type;
    const void* before = setti_view_value(job->since, type, entity.index, SETTI_BEFORE);
    if (value == NULL) {
        return before != NULL ? SETTI_DELTA_REMOVED : SELECTION_NO_ENTRY;
    }
    if (before != NULL && !selection_differs(job, entity, before, value)) {
        return SELECTION_NO_ENTRY;
    }
    return job->entry_writer.codec != NULL ? SETTI_DELTA_CHANGED : SETTI_DELTA_ADDED;
}

/* Returns true if the receiving world is known, and the entity has a value of the type there. */
static bool selection_receiver_has(const selection_job* job, const setti_type* type,
                                   sett_entity entity)
{
    if (job->to_world == NULL) {
        return false;
    }
    const setti_type* to_type = setti_type_find(job->to_world, type->desc.name);
    return to_type != NULL && setti_storage_has(&to_type->storage, entity.index);
}

/* Returns the kind of the entry for the value of the k-th selected entity. `value` is NULL if the
 * entity has no value. */
static setti_delta_kind selection_kind(selection_job* job, uint32_t k, const void* value)
{
    const setti_type* type = job->entry_writer.type;
    sett_entity entity = job->selected.entity[k];
    bool known = (job->mark[k] & SELECTION_KNOWN) != 0;
    if (known && job->since != NULL) {
        return selection_kind_since(job, entity, value);
    }
    bool receiver_has_value = known && selection_receiver_has(job, type, entity);
    if (value == NULL) {
        return receiver_has_value ? SETTI_DELTA_REMOVED : SELECTION_NO_ENTRY;
    }
    bool has_owner = job->entry_writer.codec != NULL && job->entry_writer.codec->owner != NULL;
    /* a value with an owner is always sent, because the owner can be new to the receiver */
    bool may_be_old = receiver_has_value && job->tick != 0 && !has_owner;
    if (may_be_old && sett_changed_tick(job->world, entity, type->id) <= job->tick) {
        return SELECTION_NO_ENTRY;
    }
    return job->entry_writer.codec != NULL ? SETTI_DELTA_CHANGED : SETTI_DELTA_ADDED;
}

static void selection_write_entry(selection_job* job, sett_entity entity, const void* value,
                                  setti_delta_kind kind)
{
    setti_delta_writer* entry_writer = &job->entry_writer;
    setti_delta_write_number(entry_writer, (uint64_t)kind, 1);
    setti_delta_write_number(entry_writer, entity.index, 4);
    bool has_value = kind != SETTI_DELTA_REMOVED;
    if (has_value && entry_writer->codec == NULL) {
        selection_write_value(job, value);
    } else if (has_value && entry_writer->codec->encode != NULL) {
        entry_writer->codec->encode(&entry_writer->encoder, entry_writer->type, value);
    }
    entry_writer->count++;
}

/* Writes the added values of the entities at index `base` + k, for each bit k of `bits`. */
static void selection_write_block(selection_job* job, uint32_t base, uint64_t bits)
{
    setti_delta_writer* entry_writer = &job->entry_writer;
    const setti_storage* storage = &entry_writer->type->storage;
    bool one_value = (bits & (bits - 1)) == 0;
    if (one_value) { /* for one value, an entry is shorter than a block */
        uint32_t index = base + setti_bits_lowest(bits);
        selection_write_entry(job, setti_entity_at(&job->world->entities, index),
                              setti_storage_find(storage, index), SETTI_DELTA_ADDED);
        return;
    }
    setti_delta_write_number(entry_writer, SETTI_DELTA_ADDED + SETTI_DELTA_BLOCK, 1);
    setti_delta_write_number(entry_writer, base, 4);
    setti_delta_write_number(entry_writer, bits, 8);
    for (; bits != 0; bits &= bits - 1) {
        selection_write_value(job, setti_storage_find(storage, base + setti_bits_lowest(bits)));
    }
    entry_writer->count++;
}

/* Added values of up to 64 neighbouring entities. */
typedef struct selection_block {
    uint32_t base; /* the first of the 64 indices, a multiple of 64 */
    uint64_t bits; /* bit k: the entity at index `base` + k has a value in the block */
} selection_block;

static void selection_end_block(selection_job* job, selection_block* block)
{
    if (block->bits != 0) {
        selection_write_block(job, block->base, block->bits);
        block->bits = 0;
    }
}

/* Adds an entry. An entry of the kind SETTI_DELTA_ADDED is collected in `block`. Before another
 * entry is written, the block is written. */
static void selection_add_entry(selection_job* job, selection_block* block, sett_entity entity,
                                const void* value, setti_delta_kind kind)
{
    uint32_t base = entity.index / 64 * 64;
    if (kind != SETTI_DELTA_ADDED || base != block->base) {
        selection_end_block(job, block);
    }
    if (kind == SETTI_DELTA_ADDED) {
        block->base = base;
        block->bits |= (uint64_t)1 << (entity.index % 64);
    } else {
        selection_write_entry(job, entity, value, kind);
    }
}

static void selection_write_entries(selection_job* job)
{
    const setti_codec* codec = job->entry_writer.codec;
    bool names_owners = codec != NULL && codec->by_index;
    selection_block block = {0};
    job->entry_writer.count = 0;
    for (uint32_t k = 0; k < job->selected.count; k++) {
        if ((job->mark[k] & SELECTION_ALIVE) == 0) {
            continue;
        }
        sett_entity entity = job->selected.entity[k];
        const void* value = setti_storage_find(&job->entry_writer.type->storage, entity.index);
        setti_delta_kind kind = selection_kind(job, k, value);
        if (kind == SELECTION_NO_ENTRY) {
            continue;
        }
        job->mark[k] |= SELECTION_LISTED;
        if (value != NULL && names_owners) {
            job->mark[k] |= SELECTION_OWNED;
        }
        selection_add_entry(job, &block, entity, value, kind);
    }
    selection_end_block(job, &block);
}

/* Writes the handles of all entities that were destroyed since the snapshot job->since. Writes none
 * if there is no snapshot. */
static void selection_write_all_ended(selection_job* job)
{
    if (job->since == NULL) {
        return;
    }
    setti_view_slot slot = {.index = SETTI_NONE};
    while (setti_view_next_slot(job->since, &slot)) {
        if ((slot.generation[SETTI_BEFORE] & SETTI_DEAD) == 0) {
            setti_delta_write_handle(&job->writer, slot.index, slot.generation[SETTI_BEFORE]);
        }
    }
}

/* Returns true if the receiver has to destroy an entity. The entity is in job->before if the
 * program gave a list `before`, otherwise in job->selected. */
static bool selection_must_destroy(const selection_job* job, sett_entity entity)
{
    uint32_t position = selection_position(&job->selected, entity);
    unsigned char mark = position != SETTI_NONE ? job->mark[position] : 0;
    if (job->selection->before != NULL) { /* the receiver has all entities of job->before */
        return (mark & SELECTION_ALIVE) == 0;
    }
    return mark == SELECTION_KNOWN; /* known and not alive */
}

static void selection_write_ended(selection_job* job)
{
    const sett_selection* selection = job->selection;
    /* the entities that the receiver may have to destroy */
    const setti_selected* list = selection->before != NULL ? &job->before : &job->selected;
    bool is_partial =
        selection->before != NULL || selection->entities != NULL || selection->query != NULL;
    setti_delta_begin_handles(&job->writer);
    if (!is_partial) { /* a destroyed entity is not in job->selected */
        selection_write_all_ended(job);
        return;
    }
    for (uint32_t k = 0; k < list->count; k++) {
        if (selection_must_destroy(job, list->entity[k])) {
            setti_delta_write_handle(&job->writer, list->entity[k].index,
                                     list->entity[k].generation);
        }
    }
}

static void selection_write_begun(selection_job* job)
{
    setti_delta_begin_handles(&job->writer);
    for (uint32_t k = 0; k < job->selected.count; k++) {
        unsigned char mark = job->mark[k];
        bool alive = (mark & SELECTION_ALIVE) != 0;
        bool known = (mark & SELECTION_KNOWN) != 0;
        bool has_entry = (mark & SELECTION_LISTED) != 0;
        if (alive && (!known || has_entry)) {
            sett_entity entity = job->selected.entity[k];
            setti_delta_write_handle(&job->writer, entity.index, entity.generation);
        }
    }
}

/* Appends a list of handles. Writes the number of handles at `count_offset` of the head. */
static void selection_write_list(setti_delta_writer* writer, const setti_selected* list,
                                 size_t count_offset)
{
    setti_delta_begin_handles(writer);
    for (uint32_t k = 0; k < list->count; k++) {
        setti_delta_write_handle(writer, list->entity[k].index, list->entity[k].generation);
    }
    setti_delta_write_at(writer, count_offset, writer->count, 4);
}

/* Appends the owners of a type's sent values to `owners`. Returns false if memory runs out. */
static bool selection_find_owners(const selection_job* job, const setti_type* type,
                                  setti_selected* owners)
{
    const setti_codec* codec = setti_delta_codec(type);
    setti_sides* sides = job->entry_writer.encoder.sides;
    for (uint32_t k = 0; k < job->selected.count; k++) {
        if ((job->mark[k] & SELECTION_OWNED) == 0) {
            continue;
        }
        uint32_t index = job->selected.entity[k].index;
        setti_codec_cursor cursor = {0};
        sett_entity owner = codec->owner(sides, type, index, SETTI_AFTER, &cursor);
        while (!sett_is_null(owner)) {
            if (!setti_selected_add(job->world, owners, owner)) {
                return false;
            }
            owner = codec->owner(sides, type, index, SETTI_AFTER, &cursor);
        }
    }
    return true;
}

static void selection_write_parents(selection_job* job)
{
    setti_selected owners = {0};
    for (uint32_t k = 0; k < job->world->registered.count; k++) {
        const setti_type* type = job->world->registered.item[k];
        /* only entries of the hierarchy name the owner by index */
        bool has_parents = setti_delta_form_of(type) == SETTI_DELTA_TREE &&
                           setti_selection_has_type(job->selection, type);
        if (has_parents && !selection_find_owners(job, type, &owners)) {
            job->writer.encoder.status = SETT_STATUS_OUT_OF_MEMORY;
        }
    }
    selection_sort(&owners);
    selection_write_list(&job->writer, &owners, SETTI_DELTA_COUNT_SLOTS);
    setti_selection_free(job->world, &owners);
}

/* Writes the entries of all types. counts[k] becomes the number of entries of type k. */
static void selection_write_values(selection_job* job, uint32_t* counts)
{
    setti_delta_writer* entry_writer = &job->entry_writer;
    for (uint32_t k = 0; k < job->world->registered.count; k++) {
        entry_writer->type = job->world->registered.item[k];
        entry_writer->codec = setti_delta_codec(entry_writer->type);
        entry_writer->count = 0;
        job->rounds = !job->exact && setti_delta_sends(entry_writer->type);
        size_t packed_size = 2 * (size_t)setti_delta_bytes(entry_writer->type);
        /* the receiver derives lists of sources from the links */
        bool follows_links = setti_delta_form_of(entry_writer->type) == SETTI_DELTA_TARGET;
        if (!follows_links && setti_selection_has_type(job->selection, entry_writer->type)) {
            bool reserved =
                !job->rounds || setti_bytes_reserve(&job->world->pool, &job->packed, packed_size);
            if (reserved) {
                selection_write_entries(job);
            } else {
                entry_writer->encoder.status = SETT_STATUS_OUT_OF_MEMORY;
            }
        }
        counts[k] = entry_writer->count;
    }
}

static void selection_write_types(selection_job* job, const uint32_t* counts)
{
    setti_delta_writer* writer = &job->writer;
    const setti_type_list* types = &job->world->registered;
    uint32_t type_count = 0;
    size_t start = writer->size;
    for (uint32_t k = 0; k < types->count; k++) {
        if (counts[k] != 0) {
            uint32_t sections[SETTI_DELTA_SECTIONS] = {counts[k]}; /* the others stay empty */
            bool rounded = !job->exact && setti_delta_sends(types->item[k]);
            setti_delta_write_type(writer, types->item[k], rounded ? SETTI_ROUNDED : SETTI_EXACT,
                                   sections, 0);
            type_count++;
        }
    }
    setti_delta_write_at(writer, SETTI_DELTA_COUNT_TYPES, type_count, 4);
    setti_delta_write_at(writer, SETTI_DELTA_TYPES_SIZE, writer->size - start, 4);
}

static void selection_write(selection_job* job, setti_view* view, uint32_t* counts)
{
    setti_delta_writer* writer = &job->writer;
    writer->pool = &job->world->pool;
    job->entry_writer.pool = &job->world->pool;
    setti_delta_begin_encoder(&job->entry_writer, &view->sides);
    selection_mark(job);
    selection_write_values(job, counts);
    setti_delta_write_head(writer, SETTI_DELTA_PART);
    selection_write_ended(job);
    setti_delta_write_at(writer, SETTI_DELTA_COUNT_ENDED, writer->count, 4);
    selection_write_begun(job);
    setti_delta_write_at(writer, SETTI_DELTA_COUNT_BEGUN, writer->count, 4);
    selection_write_parents(job);
    if (job->entry_writer.encoder.status == SETT_OK) {
        setti_delta_write(writer, job->entry_writer.out, job->entry_writer.size);
    }
    selection_write_types(job, counts);
    setti_delta_write_seal(writer);
}

/* Fails if a selected entity has a value of a type that cannot be sent. */
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
            if (sett_entity_valid(job->world, entity) && sett_has(job->world, entity, type->id)) {
                return setti_world_fail_with(job->world, SETT_STATUS_ARGUMENT, "%s: \"%.100s\" %s",
                                             call, type->desc.name, why);
            }
        }
    }
    return SETT_OK;
}

static sett_status selection_encode_view(selection_job* job, setti_view* view, const char* call)
{
    sett_world* world = job->world;
    sett_status status = selection_check_types(job, call);
    if (status != SETT_OK) {
        return status;
    }
    size_t counts_size = ((size_t)world->registered.count + 1) * sizeof(uint32_t);
    size_t size = counts_size + job->selected.count; /* one byte for each mark */
    uint32_t* counts = setti_pool_alloc(&world->pool, size, 16);
    if (counts == NULL) {
        return SETT_STATUS_OUT_OF_MEMORY;
    }
    job->mark = (unsigned char*)counts + counts_size;
    job->entry_writer.encoder.call = call;
    selection_write(job, view, counts);
    setti_pool_free(&world->pool, counts, size, 16);
    if (job->entry_writer.encoder.status != SETT_OK) {
        return job->entry_writer.encoder.status;
    }
    return job->writer.encoder.status;
}

/* Encodes a part. `snapshot` is the receiver's state. If the handle is null, job->tick decides
 * which values are sent. */
static sett_status selection_encode(selection_job* job, sett_snapshot snapshot, const char* call)
{
    sett_world* world = job->world;
    setti_view view;
    sett_status status = SETT_OK;
    bool by_tick = snapshot.slot == 0 && snapshot.serial == 0; /* true: the handle is null */
    setti_snapshot* since = NULL;
    if (!by_tick) {
        since = setti_snapshot_find(world, snapshot, &status);
    }
    if (status != SETT_OK) {
        return setti_snapshot_fail(world, snapshot, status, call);
    }
    bool ready = setti_world_check_unlocked(world, call) == SETT_OK &&
                 setti_commands_apply_all(world, call) == SETT_OK &&
                 setti_selection_find(world, job->selection, call, &job->selected) == SETT_OK;
    if (ready && job->selection->before != NULL) {
        const sett_selection before = {.entities = job->selection->before,
                                       .entity_count = job->selection->before_count};
        ready = setti_selection_find(world, &before, call, &job->before) == SETT_OK;
    }
    if (!ready) {
        return setti_world_failure(world);
    }
    if (since == NULL) {
        setti_view_init_empty(world, &view);
    } else if (!setti_view_init(world, since, NULL, &view)) {
        return setti_world_no_memory(world, call);
    }
    job->since = since != NULL ? &view : NULL;
    status = selection_encode_view(job, &view, call);
    if (since != NULL) {
        setti_view_deinit(world, &view);
    }
    if (status == SETT_STATUS_OUT_OF_MEMORY) {
        return setti_world_no_memory(world, call);
    }
    return status;
}

static void selection_free_job(selection_job* job)
{
    setti_pool* pool = &job->world->pool;
    setti_pool_free(pool, job->entry_writer.out, job->entry_writer.capacity, 16);
    setti_pool_free(pool, job->writer.out, job->writer.capacity, 16);
    setti_bytes_free(pool, &job->packed);
    setti_selection_free(job->world, &job->selected);
    setti_selection_free(job->world, &job->before);
}

sett_status sett_selection_encode(sett_world* world, const sett_selection* selection,
                                  sett_snapshot since, void* out, size_t capacity, size_t* size)
{
    if (SETTI_IS_NULL(world)) {
        return SETT_STATUS_ARGUMENT;
    }
    selection_job job = {.world = world, .selection = selection};
    sett_status status = selection_encode(&job, since, __func__);
    *size = status == SETT_OK ? job.writer.size : 0; /* also if `out` is too small */
    if (status == SETT_OK) {
        status = setti_delta_check_capacity(world, __func__, out, capacity, job.writer.size);
    }
    if (status == SETT_OK && out != NULL) {
        memcpy(out, job.writer.out, job.writer.size);
    }
    selection_free_job(&job);
    return status;
}

sett_status setti_selection_encode(sett_world* world, const setti_part* part, const char* call,
                                   setti_bytes* out)
{
    selection_job job = {.world = world,
                         .selection = part->selection,
                         .tick = part->tick,
                         .to_world = part->to_world,
                         .exact = true};
    sett_status status = selection_encode(&job, part->since, call);
    *out = (setti_bytes){job.writer.out, job.writer.size, job.writer.capacity};
    job.writer.out = NULL; /* the caller has the bytes */
    job.writer.capacity = 0;
    selection_free_job(&job);
    return status;
}

sett_status setti_selection_encode_handles(sett_world* world, const setti_selected* ended,
                                           const setti_selected* begun, const char* call,
                                           setti_bytes* out)
{
    static const setti_selected none = {0};
    setti_delta_writer writer = {.pool = &world->pool};
    setti_delta_write_head(&writer, SETTI_DELTA_PART);
    selection_write_list(&writer, ended, SETTI_DELTA_COUNT_ENDED);
    selection_write_list(&writer, begun, SETTI_DELTA_COUNT_BEGUN);
    selection_write_list(&writer, &none, SETTI_DELTA_COUNT_SLOTS);
    setti_delta_write_seal(&writer);
    *out = (setti_bytes){writer.out, writer.size, writer.capacity};
    if (writer.encoder.status != SETT_OK) {
        return setti_world_no_memory(world, call);
    }
    return SETT_OK;
}

/* ------------------------------------------------------------------------------------- applying */

static sett_status selection_apply(sett_world* world, const void* bytes, size_t size,
                                   const sett_selection* allowed, const char* call)
{
    static const sett_selection all = {0};
    setti_selected selected;
    if (allowed == NULL) {
        allowed = &all;
    }
    if (setti_world_check_unlocked(world, call) != SETT_OK ||
        setti_world_lacks_list(world, bytes, size, call, "bytes")) {
        return setti_world_failure(world);
    }
    sett_status status = setti_selection_find(world, allowed, call, &selected);
    if (status != SETT_OK) {
        return status;
    }
    bool limits_entities = allowed->entities != NULL || allowed->query != NULL;
    const setti_delta_allowed limits = {.selection = allowed,
                                        .entities = limits_entities ? &selected : NULL};
    status = setti_delta_apply_part(world, bytes, size, &limits, call);
    setti_selection_free(world, &selected);
    return status;
}

sett_status sett_selection_apply(sett_world* world, const void* bytes, size_t size,
                                 const sett_selection* allowed)
{
    if (SETTI_IS_NULL(world)) {
        return SETT_STATUS_ARGUMENT;
    }
    return selection_apply(world, bytes, size, allowed, __func__);
}

sett_status sett_selection_copy(sett_world* from_world, const sett_selection* selection,
                                uint64_t since_tick, sett_world* to_world)
{
    if (setti_is_null(from_world, __func__, "from") || setti_is_null(to_world, __func__, "into")) {
        return SETT_STATUS_ARGUMENT;
    }
    if (from_world == to_world) {
        return setti_world_fail_with(to_world, SETT_STATUS_ARGUMENT,
                                     "%s: `from` and `into` are one world - pass two worlds",
                                     __func__);
    }
    selection_job job = {
        .world = from_world, .selection = selection, .tick = since_tick, .to_world = to_world};
    sett_status status = selection_encode(&job, (sett_snapshot){0, 0}, __func__);
    if (status == SETT_OK) {
        status = selection_apply(to_world, job.writer.out, job.writer.size, NULL, __func__);
    } else {
        status = setti_world_fail_with(to_world, status, "%s", sett_world_message(from_world));
    }
    selection_free_job(&job);
    return status;
}

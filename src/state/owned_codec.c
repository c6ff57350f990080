/* owned_codec.c: the codec for values that own memory.
 *
 * The workload: titles and inventories of some entities change seldom. So a changed value is sent
 * whole, as the size and the bytes of the canonical form.
 *
 * Invariant:  a length is used only after the reader has checked that so many bytes follow
 */
#include "state/delta.h"
#include "state/delta_reader.h"
#include "world/change.h"
#include "world/written.h"

typedef struct owned_sink {
    sett_sink sink;         /* first */
    setti_encoder* encoder; /* NULL: bytes are only counted */
    uint64_t size;
} owned_sink;

static void owned_sink_write(sett_sink* given, const void* bytes, size_t size)
{
    owned_sink* sink = (owned_sink*)(void*)given;
    sink->size += size;
    if (sink->encoder != NULL && size != 0) {
        sink->encoder->write(sink->encoder, bytes, size);
    }
}

static void owned_encode(setti_encoder* encoder, const setti_type* type, const void* value)
{
    owned_sink sink = {.sink.write = owned_sink_write};
    setti_type_write(type, value, &sink.sink); /* only counts the bytes */
    if (sink.size > UINT32_MAX) {
        encoder->status = setti_world_fail_with(type->world, SETT_STATUS_LIMIT,
                                                "%s: a value of \"%.100s\" has more than 4 GB - "
                                                "shorten it",
                                                encoder->call, type->desc.name);
        return;
    }
    setti_encode_number(encoder, sink.size, 4);
    sink.encoder = encoder;
    setti_type_write(type, value, &sink.sink);
}

/* Returns the delta's record of a type. */
static setti_delta_type* owned_delta_type(const setti_player* player, const setti_type* type)
{
    const setti_delta* delta = (const setti_delta*)player; /* its first member is the player */
    return &delta->type[type->delta_number - 1];
}

static const char* owned_check(const setti_player* player, const setti_type* type,
                               const setti_delta_entry* entry)
{
    if (owned_delta_type(player, type)->rule != NULL) { /* this process encoded the bytes */
        return NULL;
    }
    if (setti_type_read(type, entry->bytes, entry->count, NULL) != SETT_OK) {
        return "the strings or lists of a value are invalid, or do not fit its `members` here";
    }
    return NULL;
}

/* setti_change_put calls `fill`, which reads the value of an entry into the component. */
typedef struct owned_fill {
    setti_edit_fill fill; /* first */
    const setti_type* type;
    setti_delta_rule* rule;
    const setti_delta_entry* entry;
    sett_status* status;
} owned_fill;

static void owned_fill_write(const setti_edit_fill* given, void* value)
{
    const owned_fill* fill = (const owned_fill*)(const void*)given;
    const setti_delta_entry* entry = fill->entry;
    if (fill->rule != NULL) {
        fill->rule->convert(fill->rule, entry->bytes, entry->count, value);
    } else {
        *fill->status = setti_type_read(fill->type, entry->bytes, entry->count, value);
    }
}

static bool owned_play(const setti_player* player, setti_type* type, sett_entity entity,
                       const setti_delta_entry* entry)
{
    sett_world* world = type->world;
    sett_status status = SETT_OK; /* owned_fill_write can set another status */
    const owned_fill fill = {
        {owned_fill_write}, type, owned_delta_type(player, type)->rule, entry, &status};
    void* value;
    if (type->storage.size != 0) {
        value = setti_change_put(world, type, entity, &fill.fill, player->call);
    } else {
        value = sett_ensure(world, entity, type->id);
    }
    if (value == NULL) {
        return false;
    }
    if (status == SETT_STATUS_INVALID) { /* a failure undoes the delta */
        (void)setti_world_fail_input(
            world, status,
            "%s: the `read` hook of \"%.100s\" rejects the value of "
            "entity %u:%u - accept in `read` all that `write` writes, also in other versions of "
            "the program",
            player->call, type->desc.name, SETTI_HANDLE(entity));
    } else if (status != SETT_OK) {
        (void)setti_world_fail(world, status, player->call, entity, type->id);
    }
    return status == SETT_OK;
}

const setti_codec setti_owned_codec = {.form = SETTI_DELTA_OWNED,
                                       .counted = 4,
                                       .encode = owned_encode,
                                       .check = owned_check,
                                       .play = owned_play};

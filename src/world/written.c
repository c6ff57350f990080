/* written.c: the canonical form of values with strings or lists, and of types with hooks that write
 * and read values.
 *
 * The workload: texts and containers of another language. Hashes, deltas and files contain the
 * values, and do not know how the values are laid out in memory.
 *
 * The canonical form of a type with hooks is a list of bytes: the hook's bytes with their count. A
 * program without the type loads the value as a list, and can save the list again. The hooks of a
 * type with `written` write the canonical form of a struct instead, with named members.
 *
 * Invariant:  setti_type_same(a, b)  <=>  setti_type_write writes equal bytes for a and b
 */
#include "world/written.h"

#include "base/bytes.h"
#include "sett/members.h"

#define WRITTEN_WINDOW 1024u /* bytes for one comparison in setti_type_same */

const sett_struct* setti_written_struct(void)
{
    static const sett_member bytes = {.name = "bytes",
                                      .kind = SETT_MEMBER_LIST,
                                      .size = sizeof(sett_list),
                                      .count = 1,
                                      .element = SETT_MEMBER_U8};
    static const sett_struct list = {.name = "Written",
                                     .size = sizeof(sett_list),
                                     .members = &bytes,
                                     .count = 1,
                                     .calls_ = sett_members_link_};
    return &list;
}

/* Calls the hook `write` of a type. */
static void written_call_write(const setti_type* type, const void* value, sett_sink* sink)
{
    SETTI_ASSERT(type->desc.write != NULL);
    type->desc.write(value, sink, type->desc.user);
}

/* A sink that counts the bytes. */
typedef struct written_count {
    sett_sink sink; /* first */
    uint64_t size;
} written_count;

/* Counts the bytes, and drops them. */
static void written_add(sett_sink* sink, const void* bytes, size_t size)
{
    (void)bytes;
    ((written_count*)(void*)sink)->size += size;
}

static uint64_t written_size(const setti_type* type, const void* value)
{
    written_count count = {{written_add}, 0};
    written_call_write(type, value, &count.sink);
    return count.size;
}

void setti_type_write(const setti_type* type, const void* value, sett_sink* sink)
{
    SETTI_ASSERT(setti_type_varies(type));
    if (type->desc.write == NULL) {
        setti_canonical_write(type->members, value, sink);
        return;
    }
    if (type->written == NULL) { /* a list of bytes begins with the count */
        unsigned char count[4];
        setti_bytes_put(count, SETTI_MIN(written_size(type, value), UINT32_MAX), 4);
        sink->write(sink, count, 4);
    }
    written_call_write(type, value, sink);
}

sett_status setti_type_read_bytes(const setti_type* type, const void* bytes, size_t size,
                                  void* value)
{
    SETTI_ASSERT(type->desc.read != NULL);
    sett_status status = setti_type_call_read(type, value, bytes, size);
    if (status == SETT_OK || status == SETT_STATUS_OUT_OF_MEMORY) {
        return status;
    }
    return SETT_STATUS_INVALID; /* a program's hook may return any status */
}

sett_status setti_type_read(const setti_type* type, const unsigned char* bytes, size_t size,
                            void* value)
{
    SETTI_ASSERT(setti_type_varies(type));
    if (type->desc.write == NULL) {
        return setti_canonical_read(type->members, &type->world->pool.allocator, bytes, size,
                                    value);
    }
    uint32_t count_size = 0;
    if (type->written == NULL) { /* a list of bytes begins with the count */
        count_size = 4;
        if (size < 4 || setti_bytes_get(bytes, 4) != size - 4) {
            return SETT_STATUS_INVALID;
        }
    }
    if (value == NULL) {
        return SETT_OK; /* only the hook could check the bytes */
    }
    return setti_type_read_bytes(type, bytes + count_size, size - count_size, value);
}

/* A sink that stores WRITTEN_WINDOW bytes of a value, from an offset on. */
typedef struct written_window {
    sett_sink sink;   /* first */
    uint64_t offset;  /* bytes before the window */
    uint64_t written; /* bytes written to the sink so far, stored or not */
    size_t used;      /* stored bytes */
    unsigned char bytes[WRITTEN_WINDOW];
} written_window;

/* Stores the part of the bytes that is inside of the window. */
static void written_add_window(sett_sink* sink, const void* bytes, size_t size)
{
    written_window* window = (written_window*)(void*)sink;
    uint64_t skipped = 0; /* how many of these bytes are before the window */
    if (window->offset > window->written) {
        skipped = SETTI_MIN(window->offset - window->written, (uint64_t)size);
    }
    size_t count = SETTI_MIN(size - (size_t)skipped, WRITTEN_WINDOW - window->used);
    if (count != 0) {
        memcpy(window->bytes + window->used, (const unsigned char*)bytes + skipped, count);
    }
    window->used += count;
    window->written += size;
}

bool setti_type_same(const setti_type* type, const void* a, const void* b)
{
    SETTI_ASSERT(type->desc.write != NULL);
    /* for each window, the hook writes both values again */
    for (uint64_t offset = 0;; offset += WRITTEN_WINDOW) {
        written_window x = {.sink.write = written_add_window, .offset = offset};
        written_window y = {.sink.write = written_add_window, .offset = offset};
        written_call_write(type, a, &x.sink);
        written_call_write(type, b, &y.sink);
        if (x.written != y.written || x.used != y.used) {
            return false;
        }
        if (memcmp(x.bytes, y.bytes, x.used) != 0) {
            return false;
        }
        if (x.used < WRITTEN_WINDOW) {
            return true; /* this was the last window */
        }
    }
}

/* A sink that appends the bytes to a buffer. */
typedef struct written_collect {
    sett_sink sink; /* first */
    setti_pool* pool;
    setti_bytes* out;
    bool failed; /* memory has run out */
} written_collect;

static void written_append(sett_sink* sink, const void* bytes, size_t size)
{
    written_collect* collect = (written_collect*)(void*)sink;
    if (collect->failed || size == 0) {
        return;
    }
    unsigned char* room = setti_bytes_add(collect->pool, collect->out, size);
    if (room == NULL) {
        collect->failed = true;
        return;
    }
    memcpy(room, bytes, size);
}

bool setti_type_write_bytes(const setti_type* type, const void* value, setti_pool* pool,
                            setti_bytes* out)
{
    written_collect collect = {{written_append}, pool, out, false};
    written_call_write(type, value, &collect.sink);
    return !collect.failed;
}

/* A sink that writes the bytes as an escaped text. */
typedef struct written_print {
    sett_sink sink; /* first */
    setti_writer* out;
} written_print;

static void written_escape(sett_sink* sink, const void* bytes, size_t size)
{
    setti_writer_add_escaped(((written_print*)(void*)sink)->out, bytes, size);
}

void setti_type_print(const setti_type* type, const void* value, setti_writer* out)
{
    written_print print = {{written_escape}, out};
    setti_writer_add(out, "\"");
    written_call_write(type, value, &print.sink);
    setti_writer_add(out, "\"");
}

sett_status setti_written_show(const setti_type* type, const void* value, setti_written_view* view)
{
    SETTI_ASSERT(type->written != NULL);
    setti_pool* pool = &type->world->pool;
    memset(view, 0, sizeof(*view));
    view->type = type;
    view->value = setti_pool_alloc(pool, type->written->of.size, 16);
    if (view->value == NULL) {
        return SETT_STATUS_OUT_OF_MEMORY;
    }
    memset(view->value, 0, type->written->of.size);
    if (!setti_type_write_bytes(type, value, pool, &view->bytes)) {
        return SETT_STATUS_OUT_OF_MEMORY;
    }
    return setti_canonical_read(type->written, &pool->allocator, view->bytes.data, view->bytes.size,
                                view->value);
}

sett_status setti_written_store(setti_written_view* view, void* value)
{
    setti_pool* pool = &view->type->world->pool;
    view->bytes.size = 0;
    written_collect collect = {{written_append}, pool, &view->bytes, false};
    setti_canonical_write(view->type->written, view->value, &collect.sink);
    if (collect.failed) {
        return SETT_STATUS_OUT_OF_MEMORY;
    }
    return setti_type_read_bytes(view->type, view->bytes.data, view->bytes.size, value);
}

void setti_written_end(setti_written_view* view)
{
    setti_pool* pool = &view->type->world->pool;
    if (view->value != NULL) {
        setti_owned_deinit_hook(view->value, 1, view->type->written);
        setti_pool_free(pool, view->value, view->type->written->of.size, 16);
    }
    setti_bytes_free(pool, &view->bytes);
}

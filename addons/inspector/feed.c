/* feed.c: the stream of a world, as bytes in memory.
 *
 * A journal (sett/file.h) whose files are these functions: what it writes is what is sent. A new
 * listener needs a beginning: the journal is created anew, which gives the stream a new header.
 */
#include "inspector.h"

#include <string.h>

#define FEED_BEGINS 0x89 /* the first byte of a header */

static void* feed_open(void* user, const char* path, sett_file_mode mode)
{
    (void)path;
    return mode == SETT_FILE_READ ? NULL : user; /* nothing was there before */
}

static bool feed_done(void* user, void* file)
{
    (void)user;
    (void)file;
    return true;
}

static size_t feed_read(void* user, void* file, uint64_t offset, void* out, size_t size)
{
    (void)user;
    (void)file;
    (void)offset;
    (void)out;
    (void)size;
    return 0;
}

static bool feed_write(void* user, void* file, const void* bytes, size_t size)
{
    feed* to = user;
    (void)file;
    setti_out_add(&to->bytes, bytes, size);
    return !to->bytes.failed;
}

static bool feed_size(void* user, void* file, uint64_t* size)
{
    (void)user;
    (void)file;
    *size = 0;
    return true;
}

static bool feed_rename(void* user, const char* from, const char* to)
{
    (void)user;
    (void)from;
    (void)to;
    return true;
}

static bool feed_path(void* user, const char* path)
{
    (void)user;
    (void)path;
    return true;
}

static sett_status feed_lock(void* user, const char* path, void** lock)
{
    (void)path;
    *lock = user;
    return SETT_OK;
}

static void feed_unlock(void* user, void* lock)
{
    (void)user;
    (void)lock;
}

bool setti_feed_begin(feed* to, uint64_t frame)
{
    const sett_file_desc desc = {.files = &to->files, .frame = frame};
    setti_feed_end(to);
    to->files = (sett_files){.user = to,
                             .open = feed_open,
                             .close = feed_done,
                             .read = feed_read,
                             .write = feed_write,
                             .size = feed_size,
                             .sync = feed_done,
                             .rename = feed_rename,
                             .unlink = feed_path,
                             .lock = feed_lock,
                             .unlock = feed_unlock,
                             .sync_folder = feed_path};
    to->journal = sett_journal_create(to->world, "stream", &desc);
    to->serial++;
    return to->journal != NULL;
}

bool setti_feed_frame(feed* to, uint64_t frame)
{
    return to->journal != NULL && sett_journal_append(to->journal, frame) == SETT_OK;
}

/* A number of a stream, little-endian. */
static uint64_t feed_read_number(const inspector_text* from, size_t at, size_t size)
{
    uint64_t number = 0;
    for (size_t k = size; k-- != 0;) {
        number = number << 8 | (unsigned char)from->at[at + k];
    }
    return number;
}

/* docs/stream.md: the kind and the size are at 0 and 4 of a record, whose payload is at 24; the
 * hash is at 16 of a delta, in the first of the records that it is split into. */
bool setti_feed_hash(const feed* of, uint64_t* hash)
{
    enum {
        HEADER = 32,
        RECORD = 24,
        STATE = 3,
        DELTA = 4,
        GOES_ON = 1
    };
    const inspector_text* from = &of->bytes;
    size_t at = from->size != 0 && (unsigned char)from->at[0] == FEED_BEGINS ? HEADER : 0;
    bool found = false;
    bool goes_on = false;
    while (!from->failed && at + RECORD <= from->size) {
        uint64_t kind = feed_read_number(from, at, 2);
        size_t size = (size_t)feed_read_number(from, at + 4, 4);
        if ((kind == STATE || kind == DELTA) && !goes_on && at + RECORD + 24 <= from->size) {
            *hash = feed_read_number(from, at + RECORD + 16, 8);
            found = true;
        }
        goes_on = (feed_read_number(from, at + 2, 2) & GOES_ON) != 0;
        at += RECORD + size;
    }
    return found;
}

static void feed_number(inspector_text* to, uint64_t number, size_t size)
{
    unsigned char bytes[8];
    for (size_t k = 0; k < size; k++) {
        bytes[k] = (unsigned char)(number >> (8 * k));
    }
    setti_out_add(to, bytes, size);
}

static void feed_text(inspector_text* to, const char* text)
{
    size_t size = text != NULL ? strlen(text) : 0;
    size = size < UINT16_MAX ? size : UINT16_MAX;
    feed_number(to, size, 2);
    setti_out_add(to, text, size);
}

static void feed_write_record(feed* to, uint32_t kind, uint64_t frame)
{
    if (!to->record.failed && to->journal != NULL) {
        (void)sett_journal_write(to->journal, kind, frame, to->record.at, to->record.size);
    }
}

void setti_feed_times(feed* to, uint64_t frame)
{
    uint32_t count = 0;
    setti_out_clear(&to->record);
    feed_number(&to->record, 0, 4);
    for (const sett_system* at = sett_system_next(to->world, NULL); at != NULL;
         at = sett_system_next(to->world, at)) {
        sett_system_stats stats;
        sett_system_stats_get(at, &stats);
        feed_text(&to->record, sett_system_name(at));
        feed_number(&to->record, stats.runs, 8);
        feed_number(&to->record, stats.time_last, 8);
        feed_number(&to->record, stats.time_total, 8);
        count++;
    }
    if (count != 0 && !to->record.failed) {
        for (size_t k = 0; k < 4; k++) {
            to->record.at[k] = (char)(unsigned char)(count >> (8 * k));
        }
        feed_write_record(to, SETT_RECORD_TIMES, frame);
    }
}

void setti_feed_log(feed* to, const history* from, uint64_t* since)
{
    uint64_t first = from->count > HISTORY_EVENTS ? from->count - HISTORY_EVENTS : 0;
    for (uint64_t k = *since > first ? *since : first; k < from->count; k++) {
        const history_event* event = &from->events[k % HISTORY_EVENTS];
        setti_out_clear(&to->record);
        feed_number(&to->record, (uint64_t)event->kind + 1, 1);
        feed_text(&to->record, event->system != NULL ? sett_system_name(event->system) : "");
        feed_text(&to->record,
                  event->component != 0 ? sett_component_name(to->world, event->component) : "");
        feed_number(&to->record, event->entity.index, 4);
        feed_number(&to->record, event->entity.generation, 4);
        feed_text(&to->record, event->commands ? "commands" : "");
        feed_write_record(to, SETT_RECORD_LOG, from->frame);
    }
    *since = from->count;
}

void setti_feed_end(feed* to)
{
    (void)sett_journal_destroy(to->journal);
    to->journal = NULL;
    setti_out_clear(&to->bytes); /* of its end too: the next one follows */
}

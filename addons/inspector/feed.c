/* feed.c: the stream of a world, as bytes in memory.
 *
 * A journal (sett/file.h) whose files are these functions: what it writes is what is sent. A new
 * listener needs a beginning: the journal is created anew, which gives the stream a new header.
 *
 * Writing down what a frame changed takes ten times what copying the changed pages takes. So the
 * journal is that of a mirror (sett_mirror_copy), on a thread of its own, where that is possible:
 * not of types with hooks for their values. A program that runs frames faster than they can be
 * written down waits for the thread: each frame is in the stream, and in their order.
 *
 *     the program      frame | copy | frame ...       | copy | frame
 *     the thread                      encode, send             encode, send
 *
 * Invariant:  while `busy`, only the thread touches what is in a feed, but `lock`, `busy`, `ends`
 */
#include "inspector.h"

#include <stdio.h>
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

static void feed_fail(feed* to)
{
    to->result.failed = true;
    (void)snprintf(to->result.message, sizeof(to->result.message), "%s",
                   sett_world_message(to->from));
}

static void feed_end_journal(feed* to)
{
    (void)sett_journal_destroy(to->journal);
    to->journal = NULL;
    setti_out_clear(&to->bytes); /* of its end too: the next one follows */
}

/* Begins a stream: header, types and state are in `bytes` then. */
static bool feed_begin(feed* to)
{
    const sett_file_desc desc = {.files = &to->files, .frame = to->job.frame};
    feed_end_journal(to);
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
    to->journal = sett_journal_create(to->from, "stream", &desc);
    return to->journal != NULL;
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
static bool feed_find_hash(const feed* of, uint64_t* hash)
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

/* Adds `record` to those of the next job. */
static void feed_add_record(feed* to, uint32_t kind, uint64_t frame)
{
    inspector_text* records = &to->job.records;
    if (!to->record.failed) {
        feed_number(records, frame, 8);
        feed_number(records, kind, 4);
        feed_number(records, to->record.size, 4);
        setti_out_add(records, to->record.at, to->record.size);
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
        feed_add_record(to, SETT_RECORD_TIMES, frame);
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
        feed_add_record(to, SETT_RECORD_LOG, from->frame);
    }
    *since = from->count;
}

/* ------------------------------------------------------------------------------------- the work */

static void feed_write_records(const feed* to)
{
    const inspector_text* from = &to->job.records;
    for (size_t at = 0; !from->failed && at < from->size;) {
        uint64_t frame = feed_read_number(from, at, 8);
        uint32_t kind = (uint32_t)feed_read_number(from, at + 8, 4);
        size_t size = (size_t)feed_read_number(from, at + 12, 4);
        (void)sett_journal_write(to->journal, kind, frame, from->at + at + 16, size);
        at += 16 + size;
    }
}

/* Writes down and sends what the job says. */
static void feed_run(feed* to)
{
    const feed_job* job = &to->job;
    bool begins = job->begins;
    bool done = true;
    if (!begins && job->changed) {
        begins = to->journal == NULL || sett_journal_append(to->journal, job->frame) != SETT_OK;
    }
    if (begins && !feed_begin(to)) {
        done = false;
        feed_fail(to);
    }
    if (done) {
        feed_write_records(to);
        to->result.hashed = feed_find_hash(to, &to->result.hash);
    }
    if (to->bytes.size != 0 && !to->bytes.failed) {
        to->send(to->user, to->bytes.at, to->bytes.size, false, begins && done);
    }
    if (job->status.size != 0) {
        to->send(to->user, job->status.at, job->status.size, true, job->status_begins || !done);
    }
    setti_out_clear(&to->bytes);
    to->result.there = true;
}

static void* feed_thread(void* user)
{
    feed* to = user;
    (void)pthread_mutex_lock(&to->lock);
    while (!to->ends) {
        if (!to->busy) {
            (void)pthread_cond_wait(&to->woken, &to->lock);
            continue;
        }
        (void)pthread_mutex_unlock(&to->lock);
        sett_world_own(to->from);
        feed_run(to);
        (void)pthread_mutex_lock(&to->lock);
        to->busy = false;
        (void)pthread_cond_broadcast(&to->woken);
    }
    (void)pthread_mutex_unlock(&to->lock);
    return NULL;
}

static void feed_stop_thread(feed* to)
{
    if (to->started) {
        (void)setti_feed_is_idle(to, true);
        (void)pthread_mutex_lock(&to->lock);
        to->ends = true;
        (void)pthread_cond_broadcast(&to->woken);
        (void)pthread_mutex_unlock(&to->lock);
        (void)pthread_join(to->thread, NULL);
        to->started = false;
        to->ends = false;
    }
}

/* A mirror of the world as it is now, and a thread that writes it down. False: there is none, and
 * the world itself has to be. */
static bool feed_go_aside(feed* to)
{
    to->mirror = sett_mirror_supports(to->world, NULL) ? sett_mirror_create(to->world) : NULL;
    if (to->mirror == NULL || sett_mirror_copy(to->mirror) != SETT_OK) {
        sett_mirror_destroy(to->mirror);
        to->mirror = NULL;
        return false;
    }
    to->started = pthread_create(&to->thread, NULL, feed_thread, to) == 0;
    to->from = sett_mirror_world(to->mirror); /* without a thread: that is written down here */
    return true;
}

/* Ends the stream. */
static void feed_close(feed* to)
{
    feed_stop_thread(to);
    if (to->mirror != NULL) {
        sett_world_own(to->from);
    }
    feed_end_journal(to);
    sett_mirror_destroy(to->mirror);
    to->mirror = NULL;
    to->from = to->world;
}

/* Makes the mirror what the world is. Where it cannot follow, the stream begins anew; where the
 * stream does, it is tried to have one. */
static void feed_follow(feed* to, bool aside)
{
    bool follows = to->mirror != NULL && aside && sett_mirror_supports(to->world, NULL) &&
                   sett_mirror_copy(to->mirror) == SETT_OK;
    if (!follows && (to->mirror != NULL || (to->job.begins && aside))) {
        feed_close(to);
        to->job.begins = true;
        (void)(aside && feed_go_aside(to));
    }
}

void setti_feed_work(feed* to, bool aside)
{
    memset(&to->result, 0, sizeof(to->result));
    if (to->job.begins || to->job.changed) {
        feed_follow(to, aside);
    }
    to->follows = to->follows || to->job.begins;
    if (!to->started) {
        feed_run(to);
        return;
    }
    (void)pthread_mutex_lock(&to->lock);
    to->busy = true;
    (void)pthread_cond_broadcast(&to->woken);
    (void)pthread_mutex_unlock(&to->lock);
}

bool setti_feed_is_idle(feed* of, bool wait)
{
    (void)pthread_mutex_lock(&of->lock);
    while (of->busy && wait) {
        (void)pthread_cond_wait(&of->woken, &of->lock);
    }
    bool idle = !of->busy;
    (void)pthread_mutex_unlock(&of->lock);
    return idle;
}

void setti_feed_init(feed* to, sett_world* world, feed_send_fn send, void* user)
{
    to->world = world;
    to->from = world;
    to->send = send;
    to->user = user;
    (void)pthread_mutex_init(&to->lock, NULL);
    (void)pthread_cond_init(&to->woken, NULL);
}

void setti_feed_end(feed* to)
{
    feed_close(to);
    to->follows = false;
    to->result.there = false;
    setti_out_clear(&to->job.records);
    setti_out_clear(&to->job.status);
}

void setti_feed_deinit(feed* to)
{
    setti_feed_end(to);
    (void)pthread_cond_destroy(&to->woken);
    (void)pthread_mutex_destroy(&to->lock);
    setti_out_free(&to->bytes);
    setti_out_free(&to->record);
    setti_out_free(&to->job.records);
    setti_out_free(&to->job.status);
}

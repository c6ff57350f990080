/* feed.c: the stream of a world, as bytes in memory.
 *
 * A journal (sett/file.h) whose files are these functions: what it writes is what is sent. A new
 * listener needs a beginning: the journal is created anew, which gives the stream a new header.
 */
#include "inspector.h"

#include <string.h>

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
    text_add(&to->bytes, bytes, size);
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

bool feed_begin(feed* to, uint64_t frame)
{
    const sett_file_desc desc = {.files = &to->files, .frame = frame};
    feed_end(to);
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

bool feed_frame(feed* to, uint64_t frame)
{
    return to->journal != NULL && sett_journal_append(to->journal, frame) == SETT_OK;
}

void feed_end(feed* to)
{
    (void)sett_journal_destroy(to->journal);
    to->journal = NULL;
    text_clear(&to->bytes); /* of its end too: the next one follows */
}

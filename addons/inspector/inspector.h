/* inspector.h: what the parts of the inspector share.
 *
 *     server.c     civetweb: threads, tokens, queues          knows no world
 *     compressor.c what crosses the socket                    likewise, on the server's threads
 *     request.c    answers JSON by JSON                       on the thread of the program
 *     explorer.c   answers the flecs explorer                 likewise
 *     past.c       snapshots, branches, who wrote this         likewise
 *     feed.c       the stream: a journal into memory          likewise, or on a thread of its own
 *     alarm.c      conditions, and what happened over time    likewise
 *     edits.c      undo and redo of what pages edit          likewise
 *     scene.c      what the page draws                        likewise
 *     inspector.c  frames, and what holds it together         likewise
 */
#ifndef INSPECTOR_INSPECTOR_H
#define INSPECTOR_INSPECTOR_H

#include "alarm.h"
#include "history.h"
#include "inspector_text.h"
#include "past.h"
#include "sett_inspector.h"

#include "sett/undo.h"

#include <pthread.h>

/* ----------------------------------------------------------------------------------------- feed */

typedef void (*feed_send_fn)(void* user, const void* bytes, size_t size, bool is_text, bool begins);

/* What is to be written down behind a frame. */
typedef struct feed_job {
    uint64_t frame;
    bool begins;            /* the stream begins anew */
    bool changed;           /* the world did, since the last one */
    inspector_text records; /* beside: of each frame, kind, size, bytes */
    inspector_text status;  /* to be sent behind; empty: nothing */
    bool status_begins;     /* as of setti_server_send */
    uint32_t branch;        /* for the program: of the hash, */
    bool noted;             /* whether it is noted */
} feed_job;

/* What came of it. */
typedef struct feed_result {
    bool there;
    bool failed;
    char message[400]; /* why */
    bool hashed;
    uint64_t hash; /* of the world behind that frame */
} feed_result;

/* The stream of docs/stream.md, as bytes in memory. What is written down is the world itself, or a
 * mirror of it on a thread (feed.c). */
typedef struct feed {
    sett_world* world;
    sett_mirror* mirror;   /* NULL: none */
    sett_world* from;      /* what is written down: `world`, or that of the mirror */
    sett_journal* journal; /* NULL: none */
    sett_files files;
    inspector_text bytes; /* that were written since they were taken */
    inspector_text record;
    bool follows; /* a stream was begun, and has not failed since */
    feed_job job;
    feed_result result;
    feed_send_fn send;
    void* user;   /* passed to it */
    bool started; /* the thread runs */
    bool busy;    /* it has a job */
    bool ends;
    pthread_t thread;
    pthread_mutex_t lock; /* of `busy` and `ends` */
    pthread_cond_t woken;
} feed;

void setti_feed_init(feed* to, sett_world* world, feed_send_fn send, void* user);
void setti_feed_deinit(feed* to);

/* Whether the last job is done; `wait`s for that. */
bool setti_feed_is_idle(feed* of, bool wait);

/* Does what `job` says: sends what has changed, and fills `result`. `aside`: on the thread, if the
 * world can be mirrored. The last job is done, and its result was taken. */
void setti_feed_work(feed* to, bool aside);

/* Records of docs/stream.md for the next job: how long systems took; the changes of structure from
 * `*since` on. */
void setti_feed_times(feed* to, uint64_t frame);
void setti_feed_log(feed* to, const history* from, uint64_t* since);

/* Ends the stream, and with it thread and mirror. */
void setti_feed_end(feed* to);

/* --------------------------------------------------------------------------------------- server */

typedef struct server server;

/* A request from the net, as the program answers it. */
typedef struct server_request {
    const char* method;
    const char* path; /* decoded, without the first '/' */
    const char* query;
    const char* body;
    size_t size;
    inspector_text answer;
    int status; /* of HTTP; 0: 200 */
} server_request;

typedef struct server_desc {
    uint16_t port;
    bool allow_remote;
    const char* static_folder;
} server_desc;

/* NULL: `why` says why not. */
server* setti_server_open(const server_desc* desc, const char** why);
void setti_server_close(server* from);
const char* setti_server_address(const server* from);

/* Whether a text is the token: in the same time for all texts of its length. */
bool setti_server_is_token(const char* token, const char* given);

/* Answers what waits, until `nanoseconds` are over. */
typedef void (*server_answer_fn)(void* user, server_request* request);
void setti_server_poll(server* from, uint64_t nanoseconds, server_answer_fn answer, void* user);

/* Whether the stream has a reader; whether it has a new one, which needs a beginning. */
bool setti_server_listened(server* from);
bool setti_server_wants_begin(server* from);

/* Sends a message to all that listen; `begins` says that a new listener can begin here. */
void setti_server_send(server* from, const void* bytes, size_t size, bool is_text, bool begins);

/* ------------------------------------------------------------------------------------ inspector */

struct sett_inspector {
    sett_world* world;
    sett_inspector_desc desc;
    inspector_text title;
    server* server; /* NULL: none */
    sett_inspector_send_fn send;
    void* send_user;
    bool send_begins; /* it has just been set */
    feed feed;
    inspector_text answer;
    inspector_text scratch;
    inspector_text status;  /* the last one that was sent */
    inspector_text problem; /* why pages do not get what they should; quoted */
    inspector_text warned;  /* the last warning, quoted */
    uint32_t warnings;      /* that were logged */
    uint64_t retry;         /* when a stream that could not begin is begun again */
    uint64_t frame;         /* frames run */
    uint64_t steps;         /* frames to run before it pauses */
    past past;
    history history;
    uint64_t logged;        /* events of it that were sent */
    uint64_t watched;       /* the last frame in which a page or a request was there, plus one */
    sett_search* condition; /* to break when it becomes true; NULL: none */
    bool was_true;
    uint64_t broke; /* the frame in which it did */
    bool running;
    bool asked;      /* the call before let a frame run */
    bool progresses; /* the program runs frames by sett_progress */
    uint64_t ran;    /* frames of the world, */
    uint64_t tick;   /* and its tick, when it was looked at last */
    bool played;     /* a frame has run that the feed does not have */
    bool edited;     /* by a request, since the feed's last record */
    bool jumped;     /* the world is that of another frame: the feed begins anew */
    bool changed;    /* as `edited`, since the last snapshot */
    sett_undo* undo; /* of edits while it is paused; NULL: none yet */
    bool no_undo;    /* the world cannot have one */
    sett_advice* advice;
    uint32_t advice_count;
    alarms alarms;
    inspector_text* scenes; /* JSON: sett_inspector_scene */
    uint32_t scene_count;
    uint64_t profiled; /* the frame in which profiling began, plus one; 0: it does not run */
};

uint64_t setti_inspector_now(void); /* nanoseconds */

/* How long a question may still take. */
typedef struct inspector_limit {
    uint64_t end; /* by setti_inspector_now */
    bool passed;  /* it was, when that was looked at */
} inspector_limit;

inspector_limit setti_inspector_limit(const sett_inspector* inspector);

/* Whether an inspector_limit has passed: for sett_search_limit too. */
bool setti_inspector_is_late(void* limit);

/* A sentence for the program's log: one line, and once. */
void setti_inspector_warn(sett_inspector* inspector, const char* what);

/* Counts the frame that the program has run since the last look, if it did. `ends`: in
 * sett_inspector_frame. */
void setti_inspector_settle(sett_inspector* inspector, bool ends);

/* What has happened in the world up to now is no frame of the program. */
void setti_inspector_look(sett_inspector* inspector);

/* A request is about to change the world; it was rejected, and has changed nothing. */
typedef struct inspector_edit {
    uint32_t branch;
    bool edited, changed;
} inspector_edit;

inspector_edit setti_inspector_before_edit(sett_inspector* inspector);
void setti_inspector_cancel_edit(sett_inspector* inspector, inspector_edit edit);

/* Before the first edit of a pause; when a frame runs; the names of what can be undone and done
 * again, as members. */
void setti_edits_begin(sett_inspector* inspector);
void setti_edits_clear(sett_inspector* inspector);
void setti_edits_put(const sett_inspector* inspector, inspector_text* out);

/* After each frame. */
void setti_alarm_frame(sett_inspector* inspector);
void setti_alarm_free(sett_inspector* inspector);
void setti_scene_free(sett_inspector* inspector);

/* Whether the condition to break at is true. One that cannot be answered in time is removed. */
bool setti_inspector_holds(sett_inspector* inspector);

/* ------------------------------------------------------------------------------------- requests */

/* Answers a request of protocol.md in `out`. */
void setti_request_answer(sett_inspector* inspector, const char* body, size_t size,
                          inspector_text* out);

/* Answers a request of the flecs explorer. */
void setti_explorer_answer(sett_inspector* inspector, server_request* request);

/* The members of a status, without braces. */
void setti_request_status(const sett_inspector* inspector, inspector_text* out);

#endif

/* sett_inspector.h: look into a running world with a browser, and go back in time in it.
 *
 *     sett_inspector* inspector = sett_inspector_open(
 *         world, &(sett_inspector_desc){.title = "my game", .run_frame = run, .user = game});
 *     while (playing) {
 *         if (sett_inspector_frame(inspector)) {
 *             run(game);
 *         }
 *     }
 *     sett_inspector_close(inspector);
 *
 * It listens on this machine only, and prints the address to open; the address contains a secret
 * token, without which nothing is answered. protocol.md describes what is sent. An add-on: the core
 * has nothing of it.
 *
 * Going back needs snapshots of the world (sett/state.h), so while an inspector is open groups and
 * storages cannot be changed: that is LOCKED. To answer "who wrote this", and to go to a frame of
 * which no snapshot is stored, frames are run again with `run_frame`. What a frame depends on has
 * to be in the world, or in the input of that frame (`input_get`). A frame that comes out otherwise
 * is rejected, and the world stays as it is: the answer says that it cannot be reproduced.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_INSPECTOR_H
#define SETT_INSPECTOR_H

#include "sett/sett.h"

#ifdef __GNUC__ /* also where the rest of this add-on is hidden in a shared library */
#pragma GCC visibility push(default)
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sett_inspector sett_inspector;

/* Options. All zeroes is the default. */
typedef struct sett_inspector_desc {
    const char* title;         /* shown in the page; default: "Sett" */
    uint16_t port;             /* default: one that is free */
    bool allow_remote;         /* listen on all interfaces; default: on this machine only */
    bool no_server;            /* only sett_inspector_request and sett_inspector_stream */
    bool quiet;                /* do not print the address */
    bool paused;               /* begin paused */
    const char* static_folder; /* of the open-source flecs explorer (protocol.md); default: none */
    uint32_t seconds;          /* of the past that is stored; default: 300 */
    uint32_t frame_rate;       /* frames a second, as far as that is known; default: 60 */
    size_t memory_limit;       /* bytes of the past that is stored; default: 256 MB */

    /* Runs a frame as the program does, by sett_progress and what it does around it. Default: no
     * frame is run again, so no writers are found, and only stored frames can be restored */
    void (*run_frame)(void* user);
    /* The world is that of another frame: the program reads from it what it holds elsewhere. */
    void (*restored)(void* user);
    /* The input of a frame: input_get writes what the next frame will get from outside, up to
     * `capacity` bytes, and returns its size; input_set makes the next frame get it. */
    size_t (*input_get)(void* user, uint64_t frame, void* out, size_t capacity);
    void (*input_set)(void* user, uint64_t frame, const void* bytes, size_t size);
    void* user; /* passed to all */

    /* Milliseconds that a question about the world may take: then its answer has what was found up
     * to there, and says so. Requests that change the world, go back in time, or run frames take as
     * long as that takes. Default: 5 */
    uint32_t answer_limit;
} sett_inspector_desc;

/* Opens an inspector, starts its server and prints one line with the address to stdout.
 * Returns NULL if memory runs out or the port is taken; sett_world_message says which.
 * Threads: writer of the world. Since: 0.2 */
sett_inspector* sett_inspector_open_sized(sett_world* world, const sett_inspector_desc* desc,
                                          size_t size);
static inline sett_inspector* sett_inspector_open(sett_world* world,
                                                  const sett_inspector_desc* desc)
{
    return sett_inspector_open_sized(world, desc, sizeof(*desc));
}

/* Call it between frames: it answers what the browser asked, about 0.3 ms of it, and sends what has
 * changed. Returns how many frames to run before the next call: 1, or 0 while it is paused. A
 * program may run none, for example while a menu is open: frames that sett_progress has run are
 * counted, not those that were asked for. NULL: returns 1.
 * Cost: nothing is sent and little is done while no browser is connected.
 * Threads: writer of the world. Since: 0.2 */
uint32_t sett_inspector_frame(sett_inspector* inspector);

/* Stops the server, drops the snapshots and frees all. NULL is fine. Call it before the world is
 * destroyed.
 * Threads: writer of the world. Since: 0.2 */
void sett_inspector_close(sett_inspector* inspector);

/* Returns the address, token included; "" without a server. Threads: any. Since: 0.2 */
const char* sett_inspector_address(const sett_inspector* inspector);

/* ----------------------------------------------------------------------------------- the scene */

/* The entities that a query finds, drawn as discs. A member is "Component.member". */
typedef struct sett_inspector_points {
    const char* name;        /* in the legend; default: the query */
    const char* query;       /* docs/queries.md, such as "Monster, !Corpse" */
    const char* x;           /* a member: to the right, */
    const char* y;           /* and up */
    const char* radius;      /* a member, in the units of x; default: 3 pixels */
    const char* colour;      /* a member: chooses one of `colours`; default: `rgb` */
    const uint32_t* colours; /* 0xrrggbb by the member's value, modulo their count */
    uint32_t colour_count;
    uint32_t rgb; /* 0xrrggbb; 0: a colour by its place in the list */
} sett_inspector_points;

/* A line that does not move. */
typedef struct sett_inspector_line {
    float x0, y0, x1, y1;
    uint32_t rgb; /* 0xrrggbb */
} sett_inspector_line;

/* An image below all others, that does not change. */
typedef struct sett_inspector_image {
    const uint32_t* pixels; /* 0xrrggbb, rows from above */
    uint32_t width, height;
    float left, top, right, bottom; /* where it lies */
} sett_inspector_image;

typedef struct sett_inspector_scene_desc {
    const char* name; /* of several ones */
    const sett_inspector_points* points;
    uint32_t point_count;
    const sett_inspector_line* lines;
    uint32_t line_count;
    const sett_inspector_image* image; /* NULL: none */
} sett_inspector_scene_desc;

/* Adds a scene to what the page draws: any frame of the past too, and two frames side by side. The
 * page reads the members from its copy of the world; a click selects an entity. The descriptor and
 * all that it leads to are copied.
 *   inspector  of the program
 *   desc       the scene; all zeroes: nothing is drawn
 * Returns SETT_OK. Fails: SETT_STATUS_ARGUMENT: points without query, x or y, an image without
 * pixels; SETT_STATUS_LIMIT: there are 256 scenes; SETT_STATUS_OUT_OF_MEMORY. Nothing changes then.
 * Cost: O(lines + pixels), once; nothing in a frame. Threads: writer of the world. Since: 0.2 */
sett_status sett_inspector_scene_sized(sett_inspector* inspector,
                                       const sett_inspector_scene_desc* desc, size_t size);
static inline sett_status sett_inspector_scene(sett_inspector* inspector,
                                               const sett_inspector_scene_desc* desc)
{
    return sett_inspector_scene_sized(inspector, desc, sizeof(*desc));
}

/* -------------------------------------------------------------------------- without a transport */

/* Answers one request: `body` is the JSON text of protocol.md, from an untrusted source.
 *   answer_size  receives the size of the answer; can be NULL
 * Returns the answer, JSON with a zero behind it, valid until the next call.
 * Threads: writer of the world. Since: 0.2 */
const char* sett_inspector_request(sett_inspector* inspector, const char* body, size_t size,
                                   size_t* answer_size);

/* Takes a message of the stream: binary, or text. */
typedef void (*sett_inspector_send_fn)(void* user, const void* bytes, size_t size, bool text);

/* Passes the messages of /stream to a function, from the next sett_inspector_frame on, beginning
 * with a header and a whole state. NULL ends it.
 * Threads: writer of the world. Since: 0.2 */
void sett_inspector_stream(sett_inspector* inspector, sett_inspector_send_fn send, void* user);

#ifdef __cplusplus
}
#endif

#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#endif

/* The inspector without a transport: requests as text, messages as bytes. */
#include "check.h"
#include "inspector.h"

#include <time.h>

typedef struct Position {
    float x, y;
} Position;

enum {
    Position_id = 1,
    Marked_id
};

/* A world, an inspector, and what was sent. */
typedef struct scene {
    sett_world* world;
    sett_inspector* inspector;
    sett_entity entity;
    uint32_t messages;
    unsigned char first[64]; /* the beginning of the last message */
    size_t size;             /* of it */
    char status[1024];
} scene;

static void scene_take(void* user, const void* bytes, size_t size, bool text)
{
    scene* of = user;
    if (text) {
        CHECK(size < sizeof(of->status));
        memcpy(of->status, bytes, size);
        of->status[size] = '\0';
        return;
    }
    of->messages++;
    of->size = size;
    memcpy(of->first, bytes, size < sizeof(of->first) ? size : sizeof(of->first));
}

static void move(sett_context* context)
{
    SETT_SYSTEM_FOR(context, b, i) {
        SETT_FIELD_MUT(b, 0, Position)[i].x += 1;
    }
}

static void scene_open(scene* of, bool paused)
{
    memset(of, 0, sizeof(*of));
    of->world = sett_world_create(&(sett_world_desc){.log_fn = sett_log_silent});
    CHECK_EQ(SETT_REGISTER(of->world, Position), Position_id);
    CHECK_EQ(SETT_MEMBERS(of->world, Position, x, y), SETT_OK);
    CHECK_EQ(SETT_REGISTER_TAG(of->world, Marked), Marked_id);
    of->entity = SETT_CREATE(of->world, SETT_VALUE(Position, .x = 1, .y = 2));
    CHECK_EQ(sett_name_set(of->world, of->entity, "a"), SETT_OK);
    CHECK(SETT_SYSTEM(of->world, move, .terms = {SETT_INOUT(Position)}) != NULL);
    of->inspector = sett_inspector_open(
        of->world, &(sett_inspector_desc){.title = "<b>", .no_server = true, .paused = paused});
    CHECK(of->inspector != NULL);
    sett_inspector_stream(of->inspector, scene_take, of);
}

static void scene_close(scene* of)
{
    sett_inspector_close(of->inspector);
    CHECK_EQ(sett_world_destroy(of->world), SETT_OK);
}

static const char* scene_ask(scene* of, const char* body)
{
    return sett_inspector_request(of->inspector, body, strlen(body), NULL);
}

static uint32_t scene_frame(scene* of)
{
    uint32_t count = sett_inspector_frame(of->inspector);
    if (count != 0) {
        CHECK_EQ(sett_progress(of->world, 1), SETT_OK);
    }
    return count;
}

/* What an answer to undo or redo ends with. */
static const char* scene_name(const char* name)
{
    static char text[128];
    (void)snprintf(text, sizeof(text), "\"%s\"}", name);
    return text;
}

static void requests_edit(void)
{
    scene s;
    scene_open(&s, true);
    CHECK_STR_EQ(scene_ask(&s, "{\"do\":\"set\",\"entity\":\"a\",\"component\":\"Position\","
                               "\"value\":{\"y\":7.5}}"),
                 "{\"ok\":true}");
    CHECK(SETT_GET(s.world, s.entity, Position)->y == 7.5f);
    CHECK(SETT_GET(s.world, s.entity, Position)->x == 1);
    CHECK_STR_EQ(scene_ask(&s, "{\"do\":\"add\",\"entity\":\"#0:1\",\"component\":\"Marked\"}"),
                 "{\"ok\":true}");
    CHECK(sett_has(s.world, s.entity, Marked_id));
    CHECK_STR_EQ(scene_ask(&s, "{\"do\":\"remove\",\"entity\":\"/a\",\"component\":\"Marked\"}"),
                 "{\"ok\":true}");
    CHECK(!sett_has(s.world, s.entity, Marked_id));
    CHECK_STR_EQ(scene_ask(&s, "{\"do\":\"instantiate\",\"prefab\":\"a\",\"name\":\"b\"}"),
                 "{\"ok\":true,\"entity\":\"#1:1\"}");
    CHECK(!sett_is_null(sett_name_lookup(s.world, sett_null(), "b")));
    CHECK_STR_EQ(scene_ask(&s, "{\"do\":\"destroy\",\"entity\":\"a\"}"), "{\"ok\":true}");
    CHECK(!sett_entity_valid(s.world, s.entity));
    scene_close(&s);
}

/* Handles, values and links, as JSON. A target that has lost its last link has another hash. */
static void scene_write(scene* of, char* out, size_t size)
{
    size_t length = sett_json_format(of->world, &(sett_json_desc){.query = NULL}, out, size);
    CHECK(length != 0 && length < size);
}

static void scene_check(scene* of, const char* wanted)
{
    char text[1024];
    scene_write(of, text, sizeof(text));
    CHECK_STR_EQ(text, wanted);
}

static void edits_are_undone(void)
{
    static const char undo[] = "{\"do\":\"undo\"}";
    static const char redo[] = "{\"do\":\"redo\"}";
    static const char set[] = "{\"do\":\"set\",\"entity\":\"a\",\"component\":\"Position\","
                              "\"value\":{\"y\":7.5}}";
    scene s;
    scene_open(&s, true);
    CHECK(strstr(scene_ask(&s, undo), "\"ok\":false") != NULL);
    char state[5][1024];
    scene_write(&s, state[0], sizeof(state[0]));
    static const char* const edits[] = {
        set,
        "{\"do\":\"add\",\"entity\":\"a\",\"component\":\"Marked\"}",
        "{\"do\":\"instantiate\",\"prefab\":\"a\",\"name\":\"b\"}",
        "{\"do\":\"destroy\",\"entity\":\"a\"}",
    };
    static const char* const names[] = {"set Position of a", "add Marked of a", "instantiate a",
                                        "destroy a"};
    for (uint32_t k = 0; k < 4; k++) {
        CHECK(strstr(scene_ask(&s, edits[k]), "{\"ok\":true") != NULL);
        scene_write(&s, state[k + 1], sizeof(state[k + 1]));
        CHECK_EQ(scene_frame(&s), 0);
    }
    CHECK(strstr(s.status, "\"undo\":\"destroy a\"") != NULL);
    CHECK(strstr(s.status, "\"redo\"") == NULL);
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t k = 4; k-- != 0;) {
            CHECK_STR_EQ(scene_ask(&s, undo) + 20, scene_name(names[k]));
            scene_check(&s, state[k]);
        }
        CHECK(strstr(scene_ask(&s, undo), "\"ok\":false") != NULL);
        CHECK_EQ(scene_frame(&s), 0);
        CHECK(strstr(s.status, "\"redo\":\"set Position of a\"") != NULL);
        CHECK(strstr(s.status, "\"undo\"") == NULL);
        for (uint32_t k = 0; k < 4; k++) {
            CHECK_STR_EQ(scene_ask(&s, redo) + 20, scene_name(names[k]));
            scene_check(&s, state[k + 1]);
        }
        CHECK(strstr(scene_ask(&s, redo), "\"ok\":false") != NULL);
    }
    scene_close(&s);
}

/* A frame ends the history: going back would take back what systems did. */
static void frames_end_what_can_be_undone(void)
{
    static const char set[] = "{\"do\":\"set\",\"entity\":\"a\",\"component\":\"Position\","
                              "\"value\":{\"y\":7.5}}";
    static const char add[] = "{\"do\":\"add\",\"entity\":\"a\",\"component\":\"Marked\"}";
    scene s;
    scene_open(&s, true);
    CHECK_STR_EQ(scene_ask(&s, set), "{\"ok\":true}");
    CHECK_STR_EQ(scene_ask(&s, "{\"do\":\"step\"}"), "{\"ok\":true}");
    CHECK_EQ(scene_frame(&s), 1);
    CHECK_EQ(scene_frame(&s), 0);
    CHECK(strstr(s.status, "\"undo\"") == NULL);
    CHECK(strstr(scene_ask(&s, "{\"do\":\"undo\"}"), "ends when a frame runs") != NULL);
    CHECK(SETT_GET(s.world, s.entity, Position)->y == 7.5f);
    CHECK(SETT_GET(s.world, s.entity, Position)->x == 2);
    /* So does another frame of the past. */
    CHECK_STR_EQ(scene_ask(&s, add), "{\"ok\":true}");
    CHECK_EQ(scene_frame(&s), 0);
    CHECK(strstr(s.status, "\"undo\":\"add Marked of a\"") != NULL);
    CHECK(strstr(scene_ask(&s, "{\"do\":\"restore\",\"frame\":1}"), "\"ok\":true") != NULL);
    CHECK(strstr(scene_ask(&s, "{\"do\":\"undo\"}"), "\"ok\":false") != NULL);
    /* While it runs there is no history: an edit costs what it costs. */
    CHECK_STR_EQ(scene_ask(&s, "{\"do\":\"run\"}"), "{\"ok\":true}");
    CHECK_STR_EQ(scene_ask(&s, set), "{\"ok\":true}");
    CHECK(strstr(scene_ask(&s, "{\"do\":\"undo\"}"), "\"ok\":false") != NULL);
    CHECK_EQ(scene_frame(&s), 1);
    scene_close(&s);
}

static void requests_are_rejected(void)
{
    static const char* const bodies[] = {
        "",
        "{",
        "[]",
        "{\"do\":\"fly\"}",
        "{\"do\":7}",
        "{\"do\":\"set\",\"entity\":\"#7:1\",\"component\":\"Position\",\"value\":{}}",
        "{\"do\":\"set\",\"entity\":\"a\",\"component\":\"Nothing\",\"value\":{}}",
        "{\"do\":\"set\",\"entity\":\"a\",\"component\":\"Position\",\"value\":{\"z\":1}}",
        "{\"do\":\"set\",\"entity\":\"a\",\"component\":\"Position\"}",
        "{\"do\":\"remove\",\"entity\":\"a\",\"component\":\"Marked\"}",
        "{\"do\":\"step\",\"frames\":0}",
        "{\"do\":\"step\",\"frames\":-1}",
        "{\"do\":\"status\"} x",
        "{\"do\":\"\\u0000\"}",
        "{\"do\":\"sta\xFFtus\"}",
    };
    scene s;
    scene_open(&s, true);
    for (size_t k = 0; k < sizeof(bodies) / sizeof(bodies[0]); k++) {
        CHECK_MSG(strncmp(scene_ask(&s, bodies[k]), "{\"ok\":false,\"error\":\"", 21) == 0,
                  "body %u: %s", (unsigned)k, scene_ask(&s, bodies[k]));
    }
    CHECK(strstr(scene_ask(&s, "{\"do\":\"fly\"}"), "there are status, pause, run,") != NULL);
    CHECK_EQ(sett_world_error(s.world), SETT_OK); /* that is the program's */
    CHECK_STR_EQ(sett_world_message(s.world), "");
    CHECK(sett_add(s.world, s.entity, 99) == NULL);
    scene_ask(&s, "{\"do\":\"explain\",\"query\":\"(\"}");
    CHECK_EQ(sett_world_error(s.world), SETT_STATUS_UNREGISTERED);
    CHECK(strstr(sett_world_message(s.world), "component 99") != NULL);
    scene_close(&s);
}

static void frames_pause_and_step(void)
{
    scene s;
    scene_open(&s, false);
    CHECK_EQ(scene_frame(&s), 1);
    CHECK_STR_EQ(scene_ask(&s, "{\"do\":\"pause\"}"), "{\"ok\":true}");
    CHECK_EQ(scene_frame(&s), 0);
    CHECK_EQ(scene_frame(&s), 0);
    CHECK_STR_EQ(scene_ask(&s, "{\"do\":\"step\",\"frames\":2}"), "{\"ok\":true}");
    CHECK_EQ(scene_frame(&s), 1);
    CHECK_EQ(scene_frame(&s), 1);
    CHECK_EQ(scene_frame(&s), 0);
    CHECK(SETT_GET(s.world, s.entity, Position)->x == 4);
    CHECK(strstr(s.status, "\"frame\":3,\"running\":false") != NULL);
    CHECK(strstr(s.status, "\"title\":\"\\u003cb\\u003e\"") != NULL);

    /* Another one counts anew; the world does not. */
    sett_inspector_close(s.inspector);
    s.inspector = sett_inspector_open(s.world, &(sett_inspector_desc){.no_server = true});
    const char* status = scene_ask(&s, "{\"do\":\"status\"}");
    CHECK(strstr(status, "\"frame\":0,") != NULL && strstr(status, "\"world_frame\":3,") != NULL);
    scene_close(&s);
}

static void stream_follows_frames(void)
{
    scene s;
    scene_open(&s, false);
    CHECK_EQ(scene_frame(&s), 1);
    CHECK_EQ(s.messages, 1);
    CHECK_EQ(memcmp(s.first, "\x89SETT\r\n\x1A", 8), 0); /* a header, types, a state */
    CHECK_EQ(scene_frame(&s), 1);
    CHECK_EQ(s.messages, 2);
    CHECK(s.first[0] != 0x89);
    scene_ask(&s, "{\"do\":\"pause\"}");
    CHECK_EQ(scene_frame(&s), 0);
    CHECK_EQ(scene_frame(&s), 0);
    CHECK_EQ(s.messages, 3); /* nothing more has changed, */
    scene_ask(&s, "{\"do\":\"destroy\",\"entity\":\"a\"}");
    CHECK_EQ(scene_frame(&s), 0);
    CHECK_EQ(s.messages, 4); /* and now something has */
    scene_close(&s);
}

/* ----------------------------------------------------------------------------------------- past */

/* A program whose systems note who wrote what: each writes some entities, chosen by chance. */
#define WRITERS 4
#define WRITTEN 16

typedef struct Cell {
    uint32_t value;
    uint32_t other;
} Cell;

typedef struct Clock {
    uint32_t frame;
} Clock;

enum {
    Cell_id = 1,
    Clock_id,
    Flag_id
};

typedef struct game {
    sett_world* world;
    sett_inspector* inspector;
    sett_entity cells[WRITTEN];
    sett_entity clock;
    uint32_t input;  /* from outside */
    uint32_t hidden; /* what a program should not have */
    uint32_t restored;
    uint32_t rank[WRITTEN]; /* of that write, in the order in which they take effect */
    char last[WRITTEN][32]; /* who wrote it in this frame, by the systems' own word */
} game;

static uint32_t game_chance(uint32_t frame, uint32_t a, uint32_t b)
{
    uint32_t x = frame * 2654435761u ^ a * 40503u ^ b * 97u;
    x ^= x >> 15;
    x *= 2246822519u;
    return x ^ x >> 13;
}

static void game_write(sett_context* context, uint32_t number)
{
    game* of = context->user;
    uint32_t frame = SETT_GET(context->world, of->clock, Clock)->frame;
    for (uint32_t k = 0; k < WRITTEN; k++) {
        uint32_t chance = game_chance(frame, number, k);
        sett_entity cell = of->cells[k];
        const char* by = NULL;
        uint32_t rank = number / 2 * 100 + number + 1; /* commands: at the end of the phase */
        if (chance % 5 == 0) {
            SETT_GET_MUT(context->world, cell, Cell)->value += chance / 8 + 1;
            by = "system ";
        } else if (chance % 23 == 1) {
            Cell value = *SETT_GET(context->world, cell, Cell);
            value.value = chance | 1;
            (void)sett_cmd_set(context->commands, cell, Cell_id, &value);
            by = "commands of system ";
            rank += 10;
        }
        if (by != NULL && !sett_world_is_replaying(context->world) && rank > of->rank[k]) {
            of->rank[k] = rank;
            (void)snprintf(of->last[k], sizeof(of->last[k]), "%swrite_%u", by, (unsigned)number);
        }
    }
}

static void write_0(sett_context* context)
{
    game_write(context, 0);
}
static void write_1(sett_context* context)
{
    game_write(context, 1);
}
static void write_2(sett_context* context)
{
    game_write(context, 2);
}
static void write_3(sett_context* context)
{
    game_write(context, 3);
}

static void game_run(void* user)
{
    game* of = user;
    SETT_GET_MUT(of->world, of->clock, Clock)->frame += 1 + of->input;
    memset(of->last, 0, sizeof(of->last));
    memset(of->rank, 0, sizeof(of->rank));
    CHECK_EQ(sett_progress(of->world, 1), SETT_OK);
    SETT_GET_MUT(of->world, of->cells[0], Cell)->other += of->hidden;
}

static void game_restored(void* user)
{
    ((game*)user)->restored++;
}

static size_t game_input_get(void* user, uint64_t frame, void* out, size_t capacity)
{
    (void)frame;
    CHECK(capacity >= sizeof(uint32_t));
    memcpy(out, &((game*)user)->input, sizeof(uint32_t));
    return sizeof(uint32_t);
}

static void game_input_set(void* user, uint64_t frame, const void* bytes, size_t size)
{
    (void)frame;
    CHECK_EQ(size, sizeof(uint32_t));
    memcpy(&((game*)user)->input, bytes, size);
}

static void game_open(game* of)
{
    void (*const writers[WRITERS])(sett_context*) = {write_0, write_1, write_2, write_3};
    static const char* const names[WRITERS] = {"write_0", "write_1", "write_2", "write_3"};
    memset(of, 0, sizeof(*of));
    of->world = sett_world_create(&(sett_world_desc){.log_fn = sett_log_silent});
    CHECK_EQ(SETT_REGISTER(of->world, Cell), Cell_id);
    CHECK_EQ(SETT_MEMBERS(of->world, Cell, value, other), SETT_OK);
    CHECK_EQ(SETT_REGISTER(of->world, Clock), Clock_id);
    CHECK_EQ(SETT_MEMBERS(of->world, Clock, frame), SETT_OK);
    CHECK_EQ(SETT_REGISTER_TAG(of->world, Flag), Flag_id);
    of->clock = SETT_CREATE(of->world, SETT_VALUE(Clock, .frame = 0));
    for (uint32_t k = 0; k < WRITTEN; k++) {
        of->cells[k] = SETT_CREATE(of->world, SETT_VALUE(Cell, .value = k));
    }
    for (uint32_t k = 0; k < WRITERS; k++) {
        CHECK(sett_system_create(of->world, &(sett_system_desc){.name = names[k],
                                                                .run = writers[k],
                                                                .user = of,
                                                                .phase = (int)k / 2,
                                                                .access_any_in = {Clock_id},
                                                                .access_any_inout = {Cell_id}}) !=
              NULL);
    }
    of->inspector =
        sett_inspector_open(of->world, &(sett_inspector_desc){.no_server = true,
                                                              .frame_rate = 10,
                                                              .run_frame = game_run,
                                                              .restored = game_restored,
                                                              .input_get = game_input_get,
                                                              .input_set = game_input_set,
                                                              .user = of});
    CHECK(of->inspector != NULL);
}

static void game_close(game* of)
{
    const char* reason = "";
    sett_inspector_close(of->inspector);
    CHECK_MSG(sett_world_validate(of->world, &reason) == SETT_OK, "%s", reason);
    CHECK_EQ(sett_world_destroy(of->world), SETT_OK);
}

static void game_play(game* of, uint32_t frames)
{
    for (uint32_t k = 0; k < frames; k++) {
        of->input = game_chance(k, 7, 7) % 3;
        if (sett_inspector_frame(of->inspector) != 0) {
            game_run(of);
        }
    }
    of->input = 0;
}

static const char* game_ask(game* of, const char* body)
{
    return sett_inspector_request(of->inspector, body, strlen(body), NULL);
}

static const char* game_writer(game* of, sett_entity entity, const char* member, uint64_t frame)
{
    char body[256];
    (void)snprintf(body, sizeof(body),
                   "{\"do\":\"writer\",\"entity\":\"#%u:%u\",\"component\":\"Cell\",\"member\":"
                   "\"%s\",\"frame\":%u}",
                   (unsigned)entity.index, (unsigned)entity.generation, member, (unsigned)frame);
    return game_ask(of, body);
}

/* Each frame each cell: who wrote it? */
static void writers_are_found(void)
{
    static char planted[64][WRITTEN][32];
    char expected[64];
    uint32_t count = 0;
    game g;
    game_open(&g);
    for (uint32_t frame = 1; frame < 64; frame++) {
        game_play(&g, 1);
        memcpy(planted[frame], g.last, sizeof(g.last));
    }
    game_ask(&g, "{\"do\":\"pause\"}");
    CHECK_EQ(sett_inspector_frame(g.inspector), 0);
    uint64_t hash = sett_world_hash(g.world);
    for (uint32_t frame = 1; frame < 64; frame++) {
        for (uint32_t k = 0; k < WRITTEN; k++) {
            const char* by = planted[frame][k];
            (void)snprintf(expected, sizeof(expected), "\"by\":\"%s\"", by[0] ? by : "nobody");
            const char* answer = game_writer(&g, g.cells[k], "value", frame);
            CHECK_MSG(strstr(answer, expected) != NULL, "frame %u, cell %u: %s, not %s", frame, k,
                      answer, expected);
            count++;
        }
    }
    CHECK(count > 1000);
    CHECK_EQ(sett_world_hash(g.world), hash);
    game_close(&g);
}

static void edits_are_outside(void)
{
    game g;
    game_open(&g);
    game_play(&g, 25);
    game_ask(&g, "{\"do\":\"pause\"}");
    CHECK_EQ(sett_inspector_frame(g.inspector), 0);
    char body[128];
    (void)snprintf(body, sizeof(body),
                   "{\"do\":\"set\",\"entity\":\"#%u:1\",\"component\":\"Cell\",\"value\":"
                   "{\"value\":5}}",
                   (unsigned)g.cells[3].index);
    CHECK_STR_EQ(game_ask(&g, body), "{\"ok\":true}");
    CHECK_EQ(sett_inspector_frame(g.inspector), 0);
    CHECK(strstr(game_writer(&g, g.cells[3], "value", 25), "outside of systems") != NULL);
    CHECK(strstr(game_writer(&g, g.cells[4], "value", 25), "outside of systems") == NULL);
    game_ask(&g, "{\"do\":\"run\"}");
    game_play(&g, 25);
    CHECK(strstr(game_writer(&g, g.cells[3], "value", 40), "not reproducible") == NULL);
    game_close(&g);
}

/* A program with state outside of its world is found out. */
static void hidden_state_is_not_reproducible(void)
{
    game g;
    game_open(&g);
    game_play(&g, 15);
    g.hidden = 1;
    game_play(&g, 15);
    g.hidden = 7;
    const char* answer = game_writer(&g, g.cells[0], "value", 18);
    CHECK_MSG(strstr(answer, "not reproducible") != NULL, "%s", answer);
    CHECK_MSG(strstr(answer, "Cell") != NULL, "%s", answer);
    game_close(&g);
}

static void game_drop(void* user, const void* bytes, size_t size, bool text)
{
    (void)user;
    (void)bytes;
    (void)size;
    (void)text;
}

static const char* game_restore(game* of, uint32_t frame)
{
    char body[64];
    (void)snprintf(body, sizeof(body), "{\"do\":\"restore\",\"frame\":%u}", (unsigned)frame);
    return game_ask(of, body);
}

/* A frame that depended on what is not there any more is rejected, and the world stays. With a
 * stream each frame has a hash; without one all frames up to the next snapshot are in doubt. */
static void frames_that_come_out_otherwise_are_rejected(void)
{
    for (uint32_t streamed = 0; streamed < 2; streamed++) {
        uint64_t seen[36];
        uint32_t rejected = 0;
        game g;
        game_open(&g);
        if (streamed) {
            sett_inspector_stream(g.inspector, game_drop, NULL);
        }
        for (uint32_t k = 0; k <= 35; k++) {
            seen[k] = sett_world_hash(g.world);
            g.hidden = k >= 15 && k < 18;
            game_play(&g, 1);
        }
        g.hidden = 0;
        for (uint32_t k = 0; k < 36; k++) {
            uint32_t frame = k * 7 % 36;
            uint64_t before = sett_world_hash(g.world);
            const char* answer = game_restore(&g, frame);
            if (strcmp(answer, "{\"ok\":true}") == 0) {
                CHECK_EQ(sett_world_hash(g.world), seen[frame]);
                CHECK(frame < (streamed ? 16u : 11u) || frame >= 20);
                continue;
            }
            CHECK_MSG(strstr(answer, "cannot be reproduced") != NULL, "%s", answer);
            CHECK_MSG(strstr(answer, frame <= 15 ? "stored frame is 10\"" : "stored frame is 20\""),
                      "%s", answer);
            CHECK_EQ(sett_world_hash(g.world), before);
            rejected++;
        }
        CHECK_EQ(rejected, streamed ? 4 : 9);
        game_close(&g);
    }
}

/* A program may run no frame though it was asked to, and one though it was not. */
static void frames_that_ran_are_counted(void)
{
    for (uint32_t streamed = 0; streamed < 2; streamed++) {
        uint64_t seen[64];
        uint32_t ran = 0;
        char expected[32];
        game g;
        game_open(&g);
        if (streamed) {
            sett_inspector_stream(g.inspector, game_drop, NULL);
        }
        seen[0] = sett_world_hash(g.world);
        for (uint32_t k = 0; k < 90; k++) {
            bool paused = k >= 60 && k < 70;
            if (k == 60) {
                game_ask(&g, "{\"do\":\"pause\"}");
            } else if (k == 70) {
                game_ask(&g, "{\"do\":\"run\"}");
            }
            g.input = game_chance(k, 7, 7) % 3;
            CHECK_EQ(sett_inspector_frame(g.inspector), paused ? 0 : 1);
            g.input = paused ? 0 : g.input; /* it was not asked for it */
            if (k % 3 == 1) {
                game_run(&g);
                seen[++ran] = sett_world_hash(g.world);
            }
            (void)snprintf(expected, sizeof(expected), "\"frame\":%u,", (unsigned)ran);
            const char* status = game_ask(&g, "{\"do\":\"status\"}");
            CHECK_MSG(strstr(status, expected) != NULL, "%s: %s", expected, status);
        }
        for (uint32_t k = 0; k <= ran; k++) {
            uint32_t frame = k * 7 % (ran + 1);
            g.input = 0;
            CHECK_STR_EQ(game_restore(&g, frame), "{\"ok\":true}");
            CHECK_EQ(sett_world_hash(g.world), seen[frame]);
            CHECK_EQ(sett_inspector_frame(g.inspector), 0); /* that ran no frame */
        }
        game_close(&g);
    }
}

/* Going back, changing something and playing on is the same as having done so at once. */
static void edited_pasts_go_on(void)
{
    static const char edit[] = "{\"do\":\"set\",\"entity\":\"#4:1\",\"component\":\"Cell\","
                               "\"value\":{\"value\":77}}";
    game a;
    game b;
    uint64_t hashes[3];
    game_open(&a);
    game_open(&b);
    game_play(&a, 18);
    game_ask(&a, "{\"do\":\"pause\"}");
    CHECK_EQ(sett_inspector_frame(a.inspector), 0);
    CHECK_STR_EQ(game_ask(&a, "{\"do\":\"restore\",\"frame\":13}"), "{\"ok\":true}");
    CHECK(a.restored != 0);
    CHECK_STR_EQ(game_ask(&a, edit), "{\"ok\":true}");
    game_ask(&a, "{\"do\":\"run\"}");
    CHECK_EQ(sett_inspector_frame(a.inspector), 1);
    a.input = 0;
    game_run(&a);
    for (uint32_t k = 0; k < 20; k++) {
        CHECK_EQ(sett_inspector_frame(a.inspector), 1);
        game_run(&a);
    }
    game_play(&b, 13);
    game_ask(&b, edit);
    for (uint32_t k = 0; k < 21; k++) {
        CHECK_EQ(sett_inspector_frame(b.inspector), 1);
        game_run(&b);
    }
    CHECK_EQ(sett_world_hash(a.world), sett_world_hash(b.world));
    CHECK_EQ(sett_inspector_frame(a.inspector), 1); /* counts the last frame, begins another */
    CHECK(strstr(game_ask(&a, "{\"do\":\"branches\"}"),
                 "{\"id\":0,\"parent\":0,\"from\":0,\"to\":18,\"current\":false},"
                 "{\"id\":1,\"parent\":0,\"from\":13,\"to\":34,\"current\":true}") != NULL);
    /* and back to the abandoned future, and to this one again */
    game_ask(&a, "{\"do\":\"pause\"}");
    hashes[0] = sett_world_hash(a.world);
    CHECK_STR_EQ(game_ask(&a, "{\"do\":\"restore\",\"frame\":17,\"branch\":0}"), "{\"ok\":true}");
    hashes[1] = sett_world_hash(a.world);
    CHECK_STR_EQ(game_ask(&a, "{\"do\":\"restore\",\"frame\":34,\"branch\":1}"), "{\"ok\":true}");
    CHECK_EQ(sett_world_hash(a.world), hashes[0]);
    CHECK_STR_EQ(game_ask(&a, "{\"do\":\"restore\",\"frame\":17,\"branch\":0}"), "{\"ok\":true}");
    hashes[2] = sett_world_hash(a.world);
    CHECK_EQ(hashes[1], hashes[2]);
    CHECK(hashes[0] != hashes[1]);
    CHECK(strncmp(game_ask(&a, "{\"do\":\"restore\",\"frame\":99}"), "{\"ok\":false", 11) == 0);
    /* what is rejected abandons no future */
    CHECK(strncmp(game_ask(&a, "{\"do\":\"remove\",\"entity\":\"#4:1\",\"component\":\"Flag\"}"),
                  "{\"ok\":false", 11) == 0);
    CHECK_EQ(sett_inspector_frame(a.inspector), 0);
    CHECK(strstr(game_ask(&a, "{\"do\":\"branches\"}"), "\"id\":2") == NULL);
    CHECK_STR_EQ(game_ask(&a, "{\"do\":\"restore\",\"frame\":18}"), "{\"ok\":true}");
    game_close(&a);
    game_close(&b);
}

static void conditions_pause(void)
{
    game g;
    game_open(&g);
    CHECK_STR_EQ(game_ask(&g, "{\"do\":\"break\",\"condition\":\"Clock, Clock.frame >= 12\"}"),
                 "{\"ok\":true}");
    uint32_t frames = 0;
    while (frames < 100 && sett_inspector_frame(g.inspector) != 0) {
        game_run(&g);
        frames++;
    }
    CHECK_EQ(frames, 12);
    CHECK(strstr(game_ask(&g, "{\"do\":\"status\"}"), "\"broke\":12") != NULL);
    CHECK_STR_EQ(game_ask(&g, "{\"do\":\"restore\",\"frame\":11}"),
                 "{\"ok\":true}"); /* step back */
    CHECK_EQ(SETT_GET(g.world, g.clock, Clock)->frame, 11);
    game_ask(&g, "{\"do\":\"run\"}");
    CHECK_EQ(sett_inspector_frame(g.inspector), 1);
    game_run(&g);
    CHECK_EQ(sett_inspector_frame(g.inspector), 0); /* true again */
    CHECK(strncmp(game_ask(&g, "{\"do\":\"break\",\"condition\":\"Nothing\"}"), "{\"ok\":false",
                  11) == 0);
    CHECK_STR_EQ(game_ask(&g, "{\"do\":\"break\",\"condition\":\"\"}"), "{\"ok\":true}");
    game_close(&g);
}

static void spawn(sett_context* context)
{
    sett_entity born = sett_cmd_create(context->commands);
    (void)sett_cmd_add(context->commands, born, Flag_id);
    SETT_SYSTEM_FOR(context, b, i) {
        if (i == 0) {
            (void)sett_cmd_destroy(context->commands, sett_batch_entity(b, i));
        }
    }
}

static void changes_are_listed(void)
{
    game g;
    game_open(&g);
    CHECK(SETT_SYSTEM(g.world, spawn, .terms = {SETT_IN(Clock)}, .phase = 50) != NULL);
    CHECK_STR_EQ(game_ask(&g, "{\"do\":\"log\"}"), "{\"ok\":true,\"next\":0,\"log\":[]}");
    CHECK_EQ(sett_inspector_frame(g.inspector), 1);
    CHECK_EQ(sett_progress(g.world, 1), SETT_OK);
    CHECK_EQ(sett_inspector_frame(g.inspector), 1);
    const char* answer = game_ask(&g, "{\"do\":\"log\"}");
    CHECK_MSG(strstr(answer, "\"kind\":\"created\",\"entity\":\"#17:1\",\"commands\":true,"
                             "\"system\":\"spawn\",\"component\":\"\"}") != NULL,
              "%s", answer);
    CHECK(strstr(answer, "\"kind\":\"added\",\"entity\":\"#17:1\",\"commands\":true,"
                         "\"system\":\"spawn\",\"component\":\"Flag\"}") != NULL);
    CHECK(strstr(answer, "\"kind\":\"destroyed\",\"entity\":\"#0:1\",\"commands\":true,"
                         "\"system\":\"spawn\"") != NULL);
    CHECK_EQ(sett_entity_destroy(g.world, g.cells[0]), SETT_OK);
    CHECK(strstr(game_ask(&g, "{\"do\":\"log\",\"since\":4}"),
                 "\"kind\":\"removed\",\"entity\":\"#1:1\",\"commands\":false,\"system\":\"\","
                 "\"component\":\"Cell\"}") != NULL);
    game_close(&g);
}

static void tools_answer(void)
{
    game g;
    game_open(&g);
    game_play(&g, 3);
    const char* answer = game_ask(&g, "{\"do\":\"systems\"}");
    CHECK(strstr(answer, "\"name\":\"write_1\",\"phase\":0,\"stage\":1,\"enabled\":true") != NULL);
    CHECK(strstr(answer, "\"waits_for\":\"write_0\",\"waits_on\":\"Cell\"") != NULL);
    char lists[1000]; /* of one line, so that it is the same text in JSON */
    size_t length = sett_schedule_suggest(g.world, lists, sizeof(lists));
    CHECK(length != 0 && length < sizeof(lists));
    lists[strcspn(lists, "\n")] = '\0';
    CHECK(strstr(answer, lists) != NULL && strstr(answer, "\"access\":\"") != NULL);
    CHECK_STR_EQ(game_ask(&g, "{\"do\":\"enable\",\"system\":\"write_1\",\"on\":false}"),
                 "{\"ok\":true}");
    CHECK(!sett_system_is_enabled(sett_system_find(g.world, "write_1")));
    answer = game_ask(&g, "{\"do\":\"storage\",\"component\":\"Cell\"}");
    CHECK(strstr(answer, "\"kind\":\"array\",\"count\":16,\"size\":8,\"bytes\":128") != NULL);
    CHECK(strstr(answer, "\"occupancy\":[3]") != NULL);
    CHECK(strstr(game_ask(&g, "{\"do\":\"storage\"}"), "\"component\":\"Clock\"") != NULL);
    CHECK(strstr(game_ask(&g, "{\"do\":\"explain\",\"query\":\"Cell, !Clock\"}"), "\"count\":16") !=
          NULL);
    CHECK(strstr(game_ask(&g, "{\"do\":\"advice\"}"), "\"profiling\":true") != NULL);
    game_play(&g, 61);
    CHECK(strstr(game_ask(&g, "{\"do\":\"advice\"}"), "\"profiling\":false") != NULL);
    CHECK(strncmp(game_ask(&g, "{\"do\":\"try\",\"advice\":99}"), "{\"ok\":false", 11) == 0);
    CHECK(strstr(game_ask(&g, "{\"do\":\"live\",\"entity\":\"#0:1\"}"), "\"values\":{}") != NULL);
    game_close(&g);
}

/* ----------------------------------------------------------------------------- limits, warnings */

/* 3,000 entities: 9,000,000 pairs of names, none of which is in the other. */
static void scene_crowd(scene* of)
{
    for (uint32_t k = 0; k < 3000; k++) {
        char name[16];
        sett_entity entity = sett_entity_create(of->world);
        (void)snprintf(name, sizeof(name), "%04u", (unsigned)k);
        CHECK(sett_add(of->world, entity, Marked_id) != NULL);
        CHECK_EQ(sett_name_set(of->world, entity, name), SETT_OK);
    }
}

/* Whatever is asked, the program's thread has it back in some milliseconds: all of these would take
 * hours. Times are of the processor, because the machine may be busy. */
static void questions_end_in_time(void)
{
    static const char* const queries[] = {
        "Marked($a), Marked($b), Marked($c), Marked($d), Marked($e), $a != $b, $c != $d",
        "Marked($a), Marked($b), $a.name ~= $b.name, $a != $b",
        "Marked($a), Marked($b), Marked($c), Marked($d), !{Marked($d), $d != $c} order_by $a.name",
    };
    scene s;
    char body[512];
    scene_open(&s, true);
    scene_crowd(&s);
    for (uint32_t k = 0; k < sizeof(queries) / sizeof(queries[0]); k++) {
        clock_t begin = clock();
        (void)snprintf(body, sizeof(body), "{\"do\":\"explain\",\"query\":\"%s\"}", queries[k]);
        CHECK(strstr(scene_ask(&s, body), "\"complete\":false") != NULL);
        clock_t middle = clock();
        (void)snprintf(body, sizeof(body), "{\"do\":\"break\",\"condition\":\"%s\"}", queries[k]);
        const char* answer = scene_ask(&s, body);
        clock_t end = clock();
        CHECK_MSG(k == 0 || strstr(answer, "takes too long") != NULL, "%s", answer);
        CHECK((s.inspector->condition != NULL) == (k == 0)); /* its first result comes at once */
        printf("questions_end_in_time: explain %.1f ms, break %.1f ms\n",
               (double)(middle - begin) * 1e3 / CLOCKS_PER_SEC,
               (double)(end - middle) * 1e3 / CLOCKS_PER_SEC);
        CHECK((end - begin) / (CLOCKS_PER_SEC / 1000) < 200);
    }
    CHECK(strstr(scene_ask(&s, "{\"do\":\"explain\",\"query\":\"Marked\"}"),
                 "\"count\":3000,\"complete\":true") != NULL);
    scene_close(&s);
}

/* A condition that becomes too much to look at later is removed, which the page and the log say. */
static void slow_conditions_are_removed(void)
{
    scene s;
    scene_open(&s, false);
    CHECK_STR_EQ(scene_ask(&s, "{\"do\":\"break\",\"condition\":\"Marked($a), Marked($b), "
                               "$a.name ~= $b.name, $a != $b\"}"),
                 "{\"ok\":true}");
    scene_frame(&s);
    CHECK(s.inspector->condition != NULL);
    scene_crowd(&s);
    scene_frame(&s);
    scene_frame(&s);
    CHECK(s.inspector->condition == NULL);
    CHECK(strstr(s.status, "\"problem\":\"the condition to break at takes too long") != NULL);
    CHECK_STR_EQ(scene_ask(&s, "{\"do\":\"break\",\"condition\":\"\"}"), "{\"ok\":true}");
    scene_frame(&s);
    CHECK(strstr(s.status, "problem") == NULL);
    scene_close(&s);
}

typedef struct warnings {
    uint32_t count;
    char last[512];
} warnings;

static void warnings_take(void* user, sett_log_level level, const char* message)
{
    warnings* of = user;
    of->count += level == SETT_LOG_WARNING;
    (void)snprintf(of->last, sizeof(of->last), "%s", message);
}

static void pocket_copy(void* to, const void* from, uint32_t count, void* user)
{
    (void)user;
    memcpy(to, from, count * 8);
}

/* A world that cannot be sent is not an empty one: page and log name the type. */
static void what_cannot_be_shown_is_said(void)
{
    scene s;
    warnings log = {0, ""};
    memset(&s, 0, sizeof(s));
    s.world = sett_world_create(&(sett_world_desc){.log_fn = warnings_take, .hook_user = &log});
    sett_component pocket = sett_component_register(
        s.world, &(sett_component_desc){
                     .name = "Pocket", .size = 8, .copy = pocket_copy, .save = SETT_SAVE_CLONE});
    s.entity = sett_entity_create(s.world);
    CHECK(sett_add(s.world, s.entity, pocket) != NULL);
    s.inspector = sett_inspector_open(s.world, &(sett_inspector_desc){.no_server = true});
    sett_inspector_stream(s.inspector, scene_take, &s);
    for (uint32_t k = 0; k < 20; k++) {
        scene_frame(&s);
    }
    CHECK_EQ(s.messages, 0);
    CHECK(strstr(s.status, "\"problem\":\"") != NULL &&
          strstr(s.status, "\\\"Pocket\\\" has SETT_SAVE_CLONE"));
    CHECK_EQ(log.count, 1);
    CHECK(strstr(log.last, "\\\"Pocket\\\" has SETT_SAVE_CLONE, but no") != NULL);
    CHECK_EQ(sett_world_error(s.world), SETT_OK); /* it is not the program's failure */
    scene_close(&s);
}

static void what_pages_cannot_read_is_said(void)
{
    static const char report[] = "{\"do\":\"report\",\"text\":\"\\\"Likes\\\"\\nERROR\"}";
    scene s;
    warnings log = {0, ""};
    memset(&s, 0, sizeof(s));
    s.world = sett_world_create(&(sett_world_desc){.log_fn = warnings_take, .hook_user = &log});
    s.inspector = sett_inspector_open(s.world, &(sett_inspector_desc){.no_server = true});
    sett_inspector_stream(s.inspector, scene_take, &s);
    scene_frame(&s);
    CHECK_STR_EQ(scene_ask(&s, report), "{\"ok\":true}");
    (void)scene_ask(&s, report);
    scene_frame(&s);
    CHECK_EQ(log.count, 1);
    CHECK_STR_EQ(log.last, "inspector: \"\\\"Likes\\\"\\u000aERROR\""); /* one line */
    CHECK(strstr(s.status, "problem") == NULL); /* the page shows it already */
    CHECK(strncmp(scene_ask(&s, "{\"do\":\"report\"}"), "{\"ok\":false", 11) == 0);
    scene_close(&s);
}

static void scene_step(scene* of)
{
    (void)sett_inspector_frame(of->inspector);
    CHECK_EQ(sett_progress(of->world, 1), SETT_OK);
    (void)sett_inspector_frame(of->inspector);
}

static void alarms_note_pause_and_end(void)
{
    scene of;
    scene_open(&of, false);
    CHECK(strstr(scene_ask(&of, "{\"do\":\"alarm\"}"), "`condition` is not a text") != NULL);
    CHECK(strstr(scene_ask(&of, "{\"do\":\"alarm\",\"condition\":\"entities > 1\",\"action\":"
                                "\"shout\",\"on\":true}"),
                 "`action` is not mark, log or pause") != NULL);
    CHECK(strstr(scene_ask(&of, "{\"do\":\"alarm\",\"condition\":\"Nothing\",\"on\":true}"),
                 "\"ok\":false") != NULL);
    CHECK(strstr(scene_ask(&of, "{\"do\":\"alarm\",\"condition\":\"entities > 1\",\"on\":true}"),
                 "\"ok\":true") != NULL);
    CHECK(strstr(scene_ask(&of, "{\"do\":\"alarm\",\"condition\":\"Position.x > 3\",\"action\":"
                                "\"pause\",\"on\":true}"),
                 "\"ok\":true") != NULL);
    CHECK(
        strstr(scene_ask(&of, "{\"do\":\"alarm\",\"condition\":\"frame > 60000 ms\",\"on\":true}"),
               "\"ok\":true") != NULL);
    CHECK(strstr(scene_ask(&of, "{\"do\":\"alarm\",\"condition\":\"entities > 0\",\"on\":true}"),
                 "\"ok\":true") != NULL); /* true already: no event */
    scene_step(&of);
    CHECK(strstr(scene_ask(&of, "{\"do\":\"alarms\"}"), "\"hits\":[]") != NULL);
    sett_entity second = sett_entity_create(of.world);
    scene_step(&of);
    CHECK(strstr(scene_ask(&of, "{\"do\":\"alarms\"}"), "\"hits\":[[2,0]]") != NULL);
    scene_step(&of); /* x is 4 */
    CHECK_EQ(sett_inspector_frame(of.inspector), 0);
    CHECK(strstr(scene_ask(&of, "{\"do\":\"alarms\",\"since\":1}"), "\"hits\":[[3,1]]") != NULL);
    CHECK_EQ(sett_entity_destroy(of.world, second), SETT_OK);
    CHECK(strstr(scene_ask(&of, "{\"do\":\"alarm\",\"condition\":\"entities > 1\"}"),
                 "\"ok\":true") != NULL);
    CHECK(strstr(scene_ask(&of, "{\"do\":\"alarms\"}"), "\"number\":0,") == NULL);
    CHECK(strstr(scene_ask(&of, "{\"do\":\"trend\"}"), "\"seconds\":[") != NULL);
    scene_close(&of);
}

static void scenes_are_copied(void)
{
    scene of;
    char query[] = "Position";
    const uint32_t pixels[] = {0x010203, 0xfffefd};
    const sett_inspector_points points[] = {
        {.query = query, .x = "Position.x", .y = "Position.y", .rgb = 255}};
    const sett_inspector_line line = {0, 1, 2, 3.5f, 0x00ff00};
    const sett_inspector_image image = {pixels, 2, 1, -1, 1, 1, -1};
    sett_inspector_scene_desc desc = {.name = "all",
                                      .points = points,
                                      .point_count = 1,
                                      .lines = &line,
                                      .line_count = 1,
                                      .image = &image};
    scene_open(&of, true);
    CHECK(strstr(scene_ask(&of, "{\"do\":\"scene\"}"), "\"scenes\":[]") != NULL);
    CHECK_EQ(sett_inspector_scene(of.inspector, &desc), SETT_OK);
    query[0] = '?';
    CHECK(strstr(scene_ask(&of, "{\"do\":\"scene\"}"), "\"scenes\":[\"all\"]") != NULL);
    const char* answer = scene_ask(&of, "{\"do\":\"scene\",\"number\":0}");
    CHECK_MSG(strstr(answer, "\"query\":\"Position\"") != NULL, "%s", answer);
    CHECK_MSG(strstr(answer, "\"lines\":[0,1,2,3.5,65280]") != NULL, "%s", answer);
    CHECK_MSG(strstr(answer, "\"pixels\":\"010203fffefd\"") != NULL, "%s", answer);
    CHECK(strstr(scene_ask(&of, "{\"do\":\"scene\",\"number\":1}"), "no scene") != NULL);
    desc.points = &(sett_inspector_points){.query = "Position", .x = "Position.x"};
    CHECK_EQ(sett_inspector_scene(of.inspector, &desc), SETT_STATUS_ARGUMENT);
    desc = (sett_inspector_scene_desc){.line_count = 1};
    CHECK_EQ(sett_inspector_scene(of.inspector, &desc), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_inspector_scene(NULL, &desc), SETT_STATUS_ARGUMENT);
    CHECK(strstr(scene_ask(&of, "{\"do\":\"scene\"}"), "\"scenes\":[\"all\"]") != NULL);
    scene_close(&of);
}

TEST_MAIN(TEST(alarms_note_pause_and_end), TEST(scenes_are_copied), TEST(requests_edit),
          TEST(edits_are_undone), TEST(frames_end_what_can_be_undone), TEST(requests_are_rejected),
          TEST(frames_pause_and_step), TEST(stream_follows_frames), TEST(writers_are_found),
          TEST(edits_are_outside), TEST(hidden_state_is_not_reproducible),
          TEST(frames_that_come_out_otherwise_are_rejected), TEST(frames_that_ran_are_counted),
          TEST(edited_pasts_go_on), TEST(conditions_pause), TEST(changes_are_listed),
          TEST(tools_answer), TEST(questions_end_in_time), TEST(slow_conditions_are_removed),
          TEST(what_cannot_be_shown_is_said), TEST(what_pages_cannot_read_is_said))

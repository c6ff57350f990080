/* The inspector without a transport: requests as text, messages as bytes. */
#include "check.h"
#include "sett_inspector.h"

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

TEST_MAIN(TEST(requests_edit), TEST(requests_are_rejected), TEST(frames_pause_and_step),
          TEST(stream_follows_frames))

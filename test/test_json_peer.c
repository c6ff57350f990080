/* test_json_peer.c: our JSON against that of jansson, where it is installed: what we write it reads
 * as the same; what it writes we read as the same; of altered texts both think the same. */
#include "worlds.h"

#include "chance.h"
#include "file/json_text.h"
#include "sett/json.h"

#if !defined(SETT_TEST_JANSSON)

static void jansson_is_not_installed(void)
{
    puts("  skipped: libjansson-dev was not found");
}

TEST_MAIN(TEST(jansson_is_not_installed))

#else

#include <jansson.h>
#include <math.h>

#define PEER_FLAGS (JSON_DECODE_ANY | JSON_ALLOW_NUL)

typedef struct Peer {
    double number;
    float single;
    int64_t wide;
    int32_t list[4];
    char text[12];
    bool flag;
} Peer;

static sett_component Peer_id;

static sett_world* peer_world(void)
{
    sett_world* world = quiet_world();
    Peer_id = SETT_REGISTER(world, Peer);
    CHECK_EQ(SETT_MEMBERS(world, Peer, number, single, wide, list, text, flag), SETT_OK);
    return world;
}

static Peer draw_peer(uint64_t* state)
{
    Peer v;
    memset(&v, 0, sizeof(v));
    do {
        uint64_t bits = chance_draw(state);
        memcpy(&v.number, &bits, sizeof(bits));
        memcpy(&v.single, (const char*)&bits + 2, sizeof(v.single));
    } while (!isfinite(v.number) || !isfinite(v.single));
    v.wide = (int64_t)(chance_draw(state) >> 12) * (chance_below(state, 2) ? 1 : -1);
    for (int k = 0; k < 4; k++) {
        v.list[k] = (int32_t)chance_draw(state);
    }
    size_t used = 0;
    while (used < 8) { /* UTF-8 of all lengths, and controls */
        static const char* const pieces[] = {
            "a", "\"", "\\", "\n", "\x01", "/", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", ""};
        const char* piece = pieces[chance_below(state, 10)];
        memcpy(v.text + used, piece, strlen(piece));
        used += strlen(piece) + (*piece == '\0' ? 8 : 0);
    }
    v.flag = chance_below(state, 2) == 1;
    return v;
}

static void what_we_write_it_reads(void)
{
    uint64_t state = check_setting("SETT_SEED", 1);
    sett_world* world = peer_world();
    sett_entity e = sett_entity_create(world);
    for (int round = 0; round < CHECK_ROUNDS(5000); round++) {
        char text[1024];
        Peer v = draw_peer(&state);
        CHECK(sett_set(world, e, Peer_id, &v) != NULL);
        size_t size = sett_json_format_value(world, e, Peer_id, text, sizeof(text));
        json_error_t error;
        json_t* read = json_loadb(text, size, PEER_FLAGS, &error);
        CHECK_MSG(read != NULL, "%s: %s", error.text, text);
        CHECK(json_number_value(json_object_get(read, "number")) == v.number);
        CHECK((float)json_number_value(json_object_get(read, "single")) == v.single);
        CHECK_EQ(json_integer_value(json_object_get(read, "wide")), v.wide);
        for (size_t k = 0; k < 4; k++) {
            CHECK_EQ(json_integer_value(json_array_get(json_object_get(read, "list"), k)),
                     v.list[k]);
        }
        CHECK_STR_EQ(json_string_value(json_object_get(read, "text")), v.text);
        CHECK_EQ(json_is_true(json_object_get(read, "flag")), v.flag);
        json_decref(read);
    }
    CHECK_END(world);
}

static void what_it_writes_we_read(void)
{
    uint64_t state = check_setting("SETT_SEED", 1);
    static const size_t flags[] = {0, JSON_COMPACT, JSON_INDENT(3), JSON_ENSURE_ASCII,
                                   JSON_ESCAPE_SLASH};
    sett_world* world = peer_world();
    sett_entity e = sett_entity_create(world);
    for (int round = 0; round < CHECK_ROUNDS(5000); round++) {
        Peer v = draw_peer(&state);
        json_t* list = json_array();
        for (int k = 0; k < 4; k++) {
            json_array_append_new(list, json_integer(v.list[k]));
        }
        json_t* made = json_pack("{s:f, s:f, s:I, s:o, s:s, s:b}", "number", v.number, "single",
                                 (double)v.single, "wide", (json_int_t)v.wide, "list", list, "text",
                                 v.text, "flag", (int)v.flag);
        CHECK(made != NULL);
        char* text = json_dumps(made, flags[chance_below(&state, 5)]);
        CHECK_MSG(sett_json_set(world, e, Peer_id, text, strlen(text)) == SETT_OK, "%s: %s",
                  sett_world_message(world), text);
        const Peer* read = sett_get(world, e, Peer_id);
        CHECK(read->number == v.number && read->single == v.single && read->wide == v.wide);
        CHECK_EQ(memcmp(read->list, v.list, sizeof(v.list)), 0);
        CHECK_STR_EQ(read->text, v.text);
        CHECK_EQ(read->flag, v.flag);
        free(text);
        json_decref(made);
    }
    CHECK_END(world);
}

/* A value of any form, as text. */
static json_t* draw_value(uint64_t* state, int depth)
{
    json_t* made;
    switch (chance_below(state, depth > 0 ? 8 : 6)) {
    case 0:
        return json_null();
    case 1:
        return json_boolean(chance_below(state, 2));
    case 2:
        return json_integer((json_int_t)(chance_draw(state) >> 20));
    case 3:
        return json_real((double)chance_below(state, 1000000) / 64 - 5000);
    case 4:
    case 5:
        return json_string(chance_below(state, 2) ? "a\"\\\n\xc3\xa9" : "\xf0\x9f\x98\x80");
    case 6:
        made = json_array();
        for (uint32_t k = chance_below(state, 4); k > 0; k--) {
            json_array_append_new(made, draw_value(state, depth - 1));
        }
        return made;
    default:
        made = json_object();
        for (uint32_t k = chance_below(state, 4); k > 0; k--) {
            char key[] = {(char)('a' + k), '\0'};
            json_object_set_new(made, key, draw_value(state, depth - 1));
        }
        return made;
    }
}

static void altered_texts_are_judged_alike(void)
{
    uint64_t state = check_setting("SETT_SEED", 1);
    uint32_t good = 0;
    for (int round = 0; round < CHECK_ROUNDS(40000); round++) {
        json_t* made = draw_value(&state, 4);
        char* text = json_dumps(made, JSON_ENCODE_ANY);
        size_t size = strlen(text);
        for (uint32_t k = chance_below(&state, 3); k > 0; k--) {
            static const char bytes[] = "{}[]\",:0159.eE+-\\/unlt \x01\xff\xc3";
            text[chance_below(&state, (uint32_t)size)] =
                bytes[chance_below(&state, sizeof(bytes) - 1)];
        }
        size = chance_below(&state, 8) == 0 ? chance_below(&state, (uint32_t)size) : size;
        json_error_t error;
        json_t* read = json_loadb(text, size, PEER_FLAGS, &error);
        setti_json json = {.text = text, .size = size};
        bool ours = setti_json_skip(&json) && setti_json_end(&json);
        /* it stops at numbers that no double holds, which are grammar to us */
        bool judged = read != NULL || json_error_code(&error) != json_error_numeric_overflow;
        CHECK_MSG(!judged || ours == (read != NULL), "%.*s: %s, %s", (int)size, text, error.text,
                  ours ? "accepted" : json.wrong);
        good += ours;
        json_decref(read);
        json_decref(made);
        free(text);
    }
    CHECK(good > 1000);
}

TEST_MAIN(TEST(what_we_write_it_reads), TEST(what_it_writes_we_read),
          TEST(altered_texts_are_judged_alike))

#endif

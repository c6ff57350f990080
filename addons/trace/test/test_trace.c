/* test_trace.c: spans of a world, and the file that Perfetto opens: it is read with the rules of
 * JSON and of the trace event format.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sett_trace.h"

#include "check.h"
#include "sett/sett.h"
#include "worlds.h"

#include <ctype.h>

typedef struct Place {
    float x;
} Place;

#define KINDS(COMPONENT, TAG) COMPONENT(Place)
SETT_COMPONENTS(KINDS)

static const char path[] = "sett_test_trace.json";

static void walk(sett_context* context)
{
    SETT_SYSTEM_FOR(context, b, i) {
        SETT_FIELD_MUT(b, 0, Place)[i].x += 1;
        if (i == 0) {
            sett_cmd_create(sett_commands_here(context->world));
        }
    }
}

static void rest(sett_context* context)
{
    (void)context;
}

/* ----------------------------------------------------------------------------- a reader of JSON */

static char text[4 << 20];
static const char* at;

typedef struct event {
    char name[64], kind[16], phase[4];
    double time, duration, thread, number;
} event;

static event events[20000];
static uint32_t event_count;

static void skip(void)
{
    while (isspace((unsigned char)*at)) {
        at++;
    }
}

static void expect(char c)
{
    skip();
    CHECK_MSG(*at == c, "'%c' and not '%c' at byte %ld", *at, c, (long)(at - text));
    at++;
}

static void read_text(char* out, size_t size)
{
    size_t length = 0;
    expect('"');
    while (*at != '"') {
        CHECK((unsigned char)*at >= ' ');
        if (*at == '\\') {
            at++;
            CHECK(strchr("\"\\/bfnrtu", *at) != NULL);
        }
        if (length + 1 < size) {
            out[length++] = *at;
        }
        at++;
    }
    out[length] = '\0';
    at++;
}

static double read_number(void)
{
    char* end;
    skip();
    double number = strtod(at, &end);
    CHECK(end != at);
    at = end;
    return number;
}

static void read_event(event* to)
{
    char key[32];
    char rest_of[64];
    expect('{');
    do {
        read_text(key, sizeof(key));
        expect(':');
        if (strcmp(key, "name") == 0) {
            read_text(to->name, sizeof(to->name));
        } else if (strcmp(key, "cat") == 0) {
            read_text(to->kind, sizeof(to->kind));
        } else if (strcmp(key, "ph") == 0) {
            read_text(to->phase, sizeof(to->phase));
        } else if (strcmp(key, "args") == 0) {
            expect('{');
            read_text(key, sizeof(key));
            expect(':');
            skip();
            if (*at == '"') {
                read_text(rest_of, sizeof(rest_of));
            } else {
                to->number = read_number();
            }
            expect('}');
        } else {
            double number = read_number();
            *(strcmp(key, "ts") == 0    ? &to->time
              : strcmp(key, "dur") == 0 ? &to->duration
                                        : &to->thread) = number;
        }
        skip();
    } while (*at == ',' && *at++ != '\0');
    expect('}');
}

static void read_file(void)
{
    char key[32];
    FILE* file = fopen(path, "r");
    CHECK(file != NULL);
    size_t size = fread(text, 1, sizeof(text) - 1, file);
    text[size] = '\0';
    fclose(file);
    at = text;
    event_count = 0;
    memset(events, 0, sizeof(events));
    expect('{');
    read_text(key, sizeof(key));
    CHECK_STR_EQ(key, "displayTimeUnit");
    expect(':');
    read_text(key, sizeof(key));
    CHECK_STR_EQ(key, "ns");
    expect(',');
    read_text(key, sizeof(key));
    CHECK_STR_EQ(key, "traceEvents");
    expect(':');
    expect('[');
    do {
        CHECK(event_count < 20000);
        read_event(&events[event_count++]);
        skip();
    } while (*at == ',' && *at++ != '\0');
    expect(']');
    expect('}');
    skip();
    CHECK(*at == '\0');
}

static uint32_t count_of(const char* kind, const char* name)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < event_count; k++) {
        count += strcmp(events[k].kind, kind) == 0 && strcmp(events[k].name, name) == 0;
    }
    return count;
}

/* Two spans of a thread are apart, or one is inside of the other. */
static void check_nested(void)
{
    for (uint32_t a = 0; a < event_count; a++) {
        for (uint32_t b = a + 1; b < event_count; b++) {
            const event* first = events[a].time <= events[b].time ? &events[a] : &events[b];
            const event* second = first == &events[a] ? &events[b] : &events[a];
            double end = first->time + first->duration;
            CHECK(first->thread != second->thread || strcmp(first->phase, "X") != 0 ||
                  strcmp(second->phase, "X") != 0 || end <= second->time + 0.0005 ||
                  end + 0.0005 >= second->time + second->duration);
        }
    }
}

static sett_world* begin(uint32_t entities)
{
    sett_world* world = quiet_world();
    CHECK_EQ(SETT_REGISTER_ALL(world, KINDS), SETT_OK);
    sett_system_desc odd = {.name = "a \"quoted\"\\\n name", .run = rest};
    CHECK(SETT_SYSTEM(world, walk, .terms = {SETT_INOUT(Place)}) != NULL);
    CHECK(sett_system_create(world, &odd) != NULL);
    sett_component types[] = {Place_id};
    CHECK_EQ(sett_entity_create_many(world, entities, types, 1, NULL, NULL), SETT_OK);
    return world;
}

static void spans_are_a_file(void)
{
    sett_snapshot snapshot;
    sett_world* world = begin(10000);
    sett_threads* threads = sett_threads_create(3, NULL);
    sett_trace_file* file = sett_trace_file_create(5000);
    CHECK(threads != NULL && file != NULL);
    sett_schedule_desc schedule = {.tasks = sett_threads_tasks(threads)};
    CHECK_EQ(sett_schedule_configure(world, &schedule), SETT_OK);
    CHECK_EQ(sett_trace_set(world, &(sett_trace){sett_trace_file_begin, sett_trace_file_end, file}),
             SETT_OK);
    for (uint32_t frame = 0; frame < 20; frame++) {
        CHECK_EQ(sett_progress(world, 0.01f), SETT_OK);
    }
    CHECK_EQ(sett_snapshot_take(world, &snapshot), SETT_OK);
    CHECK_EQ(sett_snapshot_restore(world, snapshot), SETT_OK);
    CHECK_EQ(sett_trace_set(world, NULL), SETT_OK);
    CHECK_EQ(sett_progress(world, 0.01f), SETT_OK); /* not in it */
    CHECK(sett_trace_file_save(file, path));
    CHECK_EQ(sett_trace_file_lost(file), 0);
    read_file();
    check_nested();
    CHECK_EQ(count_of("frame", "frame"), 20);
    CHECK(count_of("job", "walk") >= 40);
    CHECK_EQ(count_of("system", "a \"quoted\"\\u000a name"), 20); /* of \u the reader leaves u */
    CHECK(count_of("commands", "commands") >= 20);
    CHECK_EQ(count_of("snapshot", "snapshot"), 1);
    CHECK_EQ(count_of("restore", "restore"), 1);
    double last = -1;
    for (uint32_t k = 0; k < event_count; k++) {
        CHECK(strcmp(events[k].phase, "X") == 0 || strcmp(events[k].phase, "M") == 0);
        CHECK(events[k].duration >= 0 && events[k].time >= 0);
        if (strcmp(events[k].kind, "frame") == 0) {
            CHECK(events[k].number > last);
            last = events[k].number;
        }
    }
    sett_trace_file_destroy(file);
    CHECK_END(world);
    sett_threads_destroy(threads);
    remove(path);
}

/* What does not fit is counted, and the file stays whole. */
static void a_full_file_is_whole(void)
{
    sett_world* world = begin(10);
    sett_trace_file* file = sett_trace_file_create(7);
    sett_trace trace = {sett_trace_file_begin, sett_trace_file_end, file};
    CHECK_EQ(sett_trace_set(world, &trace), SETT_OK);
    for (uint32_t frame = 0; frame < 20; frame++) {
        CHECK_EQ(sett_progress(world, 0.01f), SETT_OK);
    }
    CHECK(sett_trace_file_lost(file) > 0);
    CHECK(sett_trace_file_save(file, path));
    read_file();
    CHECK(event_count > 2 && event_count <= 8);
    sett_trace_file_clear(file);
    CHECK_EQ(sett_trace_file_lost(file), 0);
    CHECK(sett_trace_file_save(file, path));
    read_file();
    CHECK_EQ(event_count, 1);
    CHECK(!sett_trace_file_save(file, "no/such/folder/trace.json"));
    CHECK(sett_trace_file_create(0) == NULL);
    CHECK_END(world);
    sett_trace_file_destroy(file);
    sett_trace_file_destroy(NULL);
    remove(path);
}

static void set_inside(sett_context* context)
{
    CHECK_EQ(sett_trace_set(context->world, NULL), SETT_STATUS_LOCKED);
}

static void wrong_calls_are_reported(void)
{
    sett_world* world = begin(10);
    sett_trace half = {.begin = sett_trace_file_begin};
    CHECK_EQ(sett_trace_set(world, &half), SETT_STATUS_ARGUMENT);
    sett_system_desc sets = {.name = "sets", .run = set_inside};
    CHECK(sett_system_create(world, &sets) != NULL);
    CHECK_EQ(sett_progress(world, 0.01f), SETT_OK);
    CHECK_END(world);
}

TEST_MAIN(TEST(spans_are_a_file), TEST(a_full_file_is_whole), TEST(wrong_calls_are_reported))

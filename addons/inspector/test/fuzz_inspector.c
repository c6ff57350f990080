/* Feeds bytes to what answers the net: requests of the page, and of the flecs explorer (a first
 * byte below 4: the method; then path?query). Whatever they are, the answer is JSON, and the world
 * stays sound.
 */
#include "inspector.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

typedef struct Place {
    float x, y;
    sett_entity owner;
    char label[8];
} Place;

enum {
    Place_id = 1,
    Mark_id
};

static void fuzz_check(bool condition, const char* reason)
{
    if (!condition) {
        fprintf(stderr, "fuzz_inspector: %s\n", reason);
        abort();
    }
}

static void drift(sett_context* context)
{
    SETT_SYSTEM_FOR(context, b, i) {
        SETT_FIELD_MUT(b, 0, Place)[i].x += 1;
    }
}

static void fuzz_run(void* user)
{
    (void)sett_progress(user, 1);
}

static void fuzz_is_json(const char* bytes, size_t size)
{
    json value;
    fuzz_check(setti_body_check(bytes, size, &value), "the answer is no JSON");
}

static void fuzz_explore(sett_inspector* inspector, const uint8_t* data, size_t size)
{
    char* text = calloc(1, size + 2);
    char* query;
    if (text == NULL) {
        return;
    }
    memcpy(text, data, size);
    query = strchr(text, '?');
    server_request request = {.method = data[0] & 1   ? "PUT"
                                        : data[0] & 2 ? "DELETE"
                                                      : "GET",
                              .path = text + 1,
                              .query = query != NULL ? query + 1 : ""};
    if (query != NULL) {
        *query = '\0';
    }
    setti_explorer_answer(inspector, &request);
    fuzz_is_json(request.answer.at, request.answer.size);
    setti_out_free(&request.answer);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    const char* reason = "";
    sett_world* world = sett_world_create(&(sett_world_desc){.log_fn = sett_log_silent});
    (void)!SETT_REGISTER(world, Place);
    (void)SETT_MEMBERS(world, Place, x, y, owner, label);
    (void)!SETT_REGISTER_TAG(world, Mark);
    sett_entity a = sett_name_ensure(world, sett_null(), "a");
    (void)sett_name_ensure(world, a, "b");
    (void)!SETT_SET(world, a, Place, .x = 1);
    (void)!SETT_SYSTEM(world, drift, .terms = {SETT_INOUT(Place)});
    sett_inspector* inspector = sett_inspector_open(
        world, &(sett_inspector_desc){
                   .no_server = true, .run_frame = fuzz_run, .frame_rate = 2, .user = world});
    fuzz_check(inspector != NULL, "it cannot be opened");
    for (int frame = 0; frame < 3; frame++) {
        (void)sett_inspector_frame(inspector);
        fuzz_run(world);
    }
    if (size != 0 && data[0] < 4) {
        fuzz_explore(inspector, data, size);
    } else {
        size_t answered;
        const char* answer = sett_inspector_request(inspector, (const char*)data, size, &answered);
        fuzz_is_json(answer, answered);
    }
    if (sett_inspector_frame(inspector) != 0) {
        fuzz_run(world);
    }
    fuzz_check(sett_world_validate(world, &reason) == SETT_OK, reason);
    sett_inspector_close(inspector);
    fuzz_check(sett_world_destroy(world) == SETT_OK, "the world is in use");
    return 0;
}

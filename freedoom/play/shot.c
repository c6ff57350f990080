/* shot.c - see shot.h. */
#include "shot.h"

#include "host.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>

/* libpng's short interface: no error handling by jumps. */
static bool shot_write(const Render* render, const char* path, Fault* fault)
{
    size_t width = (size_t)render_width(render), height = (size_t)render_height(render);
    uint32_t* rows = malloc(width * height * sizeof *rows);
    uint8_t* bytes = malloc(width * height * 3);
    bool good = rows != NULL && bytes != NULL;
    if (good) {
        render_copy_rows(render, rows, width);
        for (size_t i = 0; i < width * height; ++i) {
            bytes[i * 3] = (uint8_t)(rows[i] >> 16);
            bytes[i * 3 + 1] = (uint8_t)(rows[i] >> 8);
            bytes[i * 3 + 2] = (uint8_t)rows[i];
        }
        png_image image = {.version = PNG_IMAGE_VERSION,
                           .width = (png_uint_32)width,
                           .height = (png_uint_32)height,
                           .format = PNG_FORMAT_RGB};
        good = png_image_write_to_file(&image, path, 0, bytes, 0, NULL) != 0;
    }
    free(rows);
    free(bytes);
    return good || fault_set(fault, "%s: cannot be written", path);
}

bool shot_take_due(Demo* demo, const Play* play, Fault* fault)
{
    static const char* const names[] = {"help",   "fight",  "map",  "rewind",
                                        "ghosts", "killed", "costs"};
    const Session* session = play->session;
    const Cooldown* cooldown = SETT_FIND(play->sim->world, session->self, Cooldown);
    bool plays = session->mode == SESSION_PLAYS && !play->above;
    bool due[] = {demo->frame == 100,
                  plays && session->done.kills >= 1 && cooldown != NULL && cooldown->ticks > 10,
                  demo->frame == DEMO_MAP_END - 20,
                  demo->frame == DEMO_BACK_END - 30,
                  plays && session_ghosts(session) != NULL && demo->frame > DEMO_BACK_END + 60,
                  session->mode == SESSION_KILLED,
                  demo->frame == DEMO_COSTS + 90};
    for (uint32_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        char path[64];
        if (!due[i] || (demo->pictures >> i & 1u) != 0) {
            continue;
        }
        demo->pictures |= 1u << i;
        snprintf(path, sizeof path, "out/play-%s.png", names[i]);
        if (!host_make_folder("out") || !shot_write(play->render, path, fault)) {
            return fault_set(fault, "%s: cannot be written", path);
        }
    }
    return true;
}

bool shot_record(const Demo* demo, const Play* play, uint32_t interval, Fault* fault)
{
    char path[64];
    snprintf(path, sizeof path, "out/play-%05lu.png", (unsigned long)demo->frame);
    return interval == 0 || demo->frame % interval != 0 ||
           (host_make_folder("out") && shot_write(play->render, path, fault));
}

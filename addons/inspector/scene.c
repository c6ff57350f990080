/* scene.c: what a program has its page draw, as text for the request *scene*.
 *
 * A scene says which members of which entities are places, sizes and colours; the page draws them
 * from its copy of the world. So the program does nothing in a frame, and the past, branches and
 * two frames side by side cost it nothing. Lines and pixels do not move: they are copied once.
 *
 * Invariant:  scenes hold texts of their own: the program's descriptor can go
 */
#include "../argument.h"
#include "request.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SCENE_MOST 256u        /* scenes */
#define SCENE_PIXELS 16000000u /* of an image */

static void scene_put_number(inspector_text* to, const char* key, double value)
{
    setti_out_key(to, key);
    setti_out_format(to, "%.9g", isfinite(value) ? value : 0.0);
}

static void scene_put_text(inspector_text* to, const char* key, const char* text)
{
    setti_out_key(to, key);
    setti_out_quote(to, text != NULL ? text : "");
}

static void scene_put_points(inspector_text* to, const sett_inspector_points* points)
{
    setti_out_comma(to);
    setti_out_add(to, "{", 1);
    scene_put_text(to, "name", points->name != NULL ? points->name : points->query);
    scene_put_text(to, "query", points->query);
    scene_put_text(to, "x", points->x);
    scene_put_text(to, "y", points->y);
    scene_put_text(to, "radius", points->radius);
    scene_put_text(to, "colour", points->colour);
    scene_put_number(to, "rgb", points->rgb);
    setti_out_key(to, "colours");
    setti_out_add(to, "[", 1);
    for (uint32_t k = 0; k < points->colour_count; k++) {
        setti_out_comma(to);
        setti_out_format(to, "%lu", (unsigned long)points->colours[k]);
    }
    setti_out_add(to, "]}", 2);
}

/* Five numbers a line. */
static void scene_put_lines(inspector_text* to, const sett_inspector_line* lines, uint32_t count)
{
    setti_out_key(to, "lines");
    setti_out_add(to, "[", 1);
    for (uint32_t k = 0; k < count; k++) {
        const sett_inspector_line* line = &lines[k];
        const float numbers[] = {line->x0, line->y0, line->x1, line->y1};
        for (uint32_t n = 0; n < 4; n++) {
            setti_out_comma(to);
            setti_out_format(to, "%.7g", isfinite(numbers[n]) ? (double)numbers[n] : 0.0);
        }
        setti_out_format(to, ",%lu", (unsigned long)(line->rgb & 0xffffffu));
    }
    setti_out_add(to, "]", 1);
}

/* Six letters a pixel, rows from above. */
static void scene_put_image(inspector_text* to, const sett_inspector_image* image)
{
    setti_out_key(to, "image");
    setti_out_add(to, "{", 1);
    scene_put_number(to, "width", image->width);
    scene_put_number(to, "height", image->height);
    scene_put_number(to, "left", (double)image->left);
    scene_put_number(to, "top", (double)image->top);
    scene_put_number(to, "right", (double)image->right);
    scene_put_number(to, "bottom", (double)image->bottom);
    setti_out_key(to, "pixels");
    setti_out_add(to, "\"", 1);
    for (size_t k = 0; k < (size_t)image->width * image->height; k++) {
        setti_out_format(to, "%06lx", (unsigned long)(image->pixels[k] & 0xffffffu));
    }
    setti_out_add(to, "\"}", 2);
}

/* Why a descriptor cannot be taken; NULL: it can. */
static const char* scene_reject(const sett_inspector_scene_desc* desc)
{
    const sett_inspector_image* image = desc->image;
    if ((desc->point_count != 0 && desc->points == NULL) ||
        (desc->line_count != 0 && desc->lines == NULL)) {
        return "sett_inspector_scene: `points` or `lines` is NULL, and its count is not 0 - "
               "set the list";
    }
    if (image != NULL && (image->pixels == NULL || image->width == 0 || image->height == 0 ||
                          (uint64_t)image->width * image->height > SCENE_PIXELS)) {
        return "sett_inspector_scene: `image` has no pixels, or more than 16,000,000 - set "
               "`pixels`, `width` and `height`";
    }
    for (uint32_t k = 0; k < desc->point_count; k++) {
        const sett_inspector_points* points = &desc->points[k];
        if (points->query == NULL || points->x == NULL || points->y == NULL ||
            (points->colour_count != 0 && points->colours == NULL)) {
            return "sett_inspector_scene: `query`, `x`, `y` or `colours` of points is NULL - set "
                   "all, such as .x = \"Position.x\"";
        }
    }
    return NULL;
}

static void scene_write(inspector_text* to, const sett_inspector_scene_desc* desc)
{
    setti_out_add(to, "{", 1);
    scene_put_text(to, "name", desc->name);
    setti_out_key(to, "points");
    setti_out_add(to, "[", 1);
    for (uint32_t k = 0; k < desc->point_count; k++) {
        scene_put_points(to, &desc->points[k]);
    }
    setti_out_add(to, "]", 1);
    scene_put_lines(to, desc->lines, desc->line_count);
    if (desc->image != NULL) {
        scene_put_image(to, desc->image);
    }
    setti_out_add(to, "}", 1);
}

static sett_status scene_fail(sett_inspector* inspector, sett_status status, const char* why)
{
    setti_inspector_warn(inspector, why);
    return status;
}

sett_status sett_inspector_scene_sized(sett_inspector* inspector,
                                       const sett_inspector_scene_desc* given, size_t size)
{
    sett_inspector_scene_desc desc;
    memset(&desc, 0, sizeof(desc));
    if (ARGUMENT_IS_NULL(inspector) || argument_is_null(given, __func__, "desc")) {
        return SETT_STATUS_ARGUMENT;
    }
    memcpy(&desc, given, size < sizeof(desc) ? size : sizeof(desc));
    const char* why = scene_reject(&desc);
    if (why != NULL) {
        return scene_fail(inspector, SETT_STATUS_ARGUMENT, why);
    }
    if (inspector->scene_count == SCENE_MOST) {
        return scene_fail(inspector, SETT_STATUS_LIMIT,
                          "sett_inspector_scene: there are 256 scenes already - put more points "
                          "and lines into one scene");
    }
    inspector_text text;
    memset(&text, 0, sizeof(text));
    scene_write(&text, &desc);
    inspector_text* grown = NULL;
    if (!text.failed) {
        grown = realloc(inspector->scenes, (inspector->scene_count + 1) * sizeof(*grown));
    }
    if (grown == NULL) {
        setti_out_free(&text);
        return SETT_STATUS_OUT_OF_MEMORY;
    }
    inspector->scenes = grown;
    inspector->scenes[inspector->scene_count++] = text;
    return SETT_OK;
}

void setti_scene_free(sett_inspector* inspector)
{
    for (uint32_t k = 0; k < inspector->scene_count; k++) {
        setti_out_free(&inspector->scenes[k]);
    }
    free(inspector->scenes);
}

/* Without a number the names: each is the first member of its text. */
bool setti_request_do_scene(request* of)
{
    const sett_inspector* inspector = of->inspector;
    uint64_t number = 0;
    json value = setti_body_find(of->body, "number");
    if (value.size != 0) {
        if (!setti_body_number(value, &number) || number >= inspector->scene_count) {
            return setti_request_fail(of, "there is no scene of this number");
        }
        setti_out_key(of->out, "scene");
        setti_out_add(of->out, inspector->scenes[number].at, inspector->scenes[number].size);
        return true;
    }
    setti_out_key(of->out, "scenes");
    setti_out_add(of->out, "[", 1);
    for (uint32_t k = 0; k < inspector->scene_count; k++) {
        json scene;
        setti_out_comma(of->out);
        if (setti_body_check(inspector->scenes[k].at, inspector->scenes[k].size, &scene)) {
            json name = setti_body_find(scene, "name");
            setti_out_add(of->out, name.at, name.size);
        }
    }
    setti_out_add(of->out, "]", 1);
    return true;
}

/* abm_picture.c: where the agents are, as a picture.
 *
 * The workload: one each n steps, of up to a million agents and some million pixels. libpng writes
 * it where there is one; otherwise it is a PPM, which other programs can turn into what they like.
 */
#include "../argument.h"
#include "abm.h"

#include "sett/loop.h"

#include <stdlib.h>
#include <string.h>

#ifdef SETT_HAS_PNG
#include <png.h>
#endif

#define ABM_PIXELS_MOST 16384u

static const char abm_picture_call[] = "sett_abm_picture_write";

typedef struct abm_canvas {
    uint32_t width;
    uint32_t height;
    double scale;          /* pixels a unit */
    unsigned char* pixels; /* three bytes each, from the top on */
} abm_canvas;

static void abm_canvas_dot(const abm_canvas* c, double x, double y, uint32_t dot, uint32_t colour)
{
    double left = x * c->scale;
    double top = (double)c->height - y * c->scale - dot;
    for (uint32_t row = 0; row < dot; row++) {
        for (uint32_t column = 0; column < dot; column++) {
            double px = left + column;
            double py = top + row;
            if (!(px >= 0 && px < c->width && py >= 0 && py < c->height)) {
                continue;
            }
            unsigned char* at = &c->pixels[((size_t)py * c->width + (size_t)px) * 3];
            at[0] = (unsigned char)(colour >> 16);
            at[1] = (unsigned char)(colour >> 8);
            at[2] = (unsigned char)colour;
        }
    }
}

static bool abm_canvas_write_ppm(const abm_canvas* c, FILE* file)
{
    fprintf(file, "P6\n%u %u\n255\n", (unsigned)c->width, (unsigned)c->height);
    fwrite(c->pixels, 3, (size_t)c->width * c->height, file);
    return ferror(file) == 0;
}

#ifdef SETT_HAS_PNG
static bool abm_canvas_write(const abm_canvas* c, FILE* file)
{
    png_image image;
    memset(&image, 0, sizeof(image));
    image.version = PNG_IMAGE_VERSION;
    image.width = c->width;
    image.height = c->height;
    image.format = PNG_FORMAT_RGB;
    return png_image_write_to_stdio(&image, file, 0, c->pixels, 0, NULL) != 0;
}
#endif

static bool abm_picture_save(const abm_canvas* c, const char* path)
{
    char name[1024];
    size_t length = strlen(path);
    bool is_png = length >= 4 && strcmp(path + length - 4, ".png") == 0;
    snprintf(name, sizeof(name), "%s", path);
#ifndef SETT_HAS_PNG
    if (is_png && length < sizeof(name)) {
        memcpy(name + length - 4, ".ppm", 4);
    }
#endif
    FILE* file = fopen(name, "wb");
    if (file == NULL) {
        return false;
    }
#ifdef SETT_HAS_PNG
    bool good = is_png ? abm_canvas_write(c, file) : abm_canvas_write_ppm(c, file);
#else
    bool good = abm_canvas_write_ppm(c, file);
#endif
    return fclose(file) == 0 && good;
}

static bool abm_picture_layer(sett_world* world, const sett_abm_picture* p,
                              const sett_abm_layer* layer, const abm_member members[2],
                              const abm_canvas* c)
{
    uint32_t term;
    sett_component_desc type;
    sett_query* query = setti_abm_query(world, layer->query, members[0].component, &term);
    if (query == NULL || sett_component_describe(world, members[0].component, &type) != SETT_OK) {
        return false;
    }
    uint32_t dot = layer->dot != 0 ? layer->dot : c->scale > 1 ? (uint32_t)c->scale : 1;
    SETT_FOR(query, b, i) {
        const unsigned char* value = sett_batch_field(b, term);
        value += (size_t)i * type.size;
        abm_canvas_dot(c, setti_abm_member_read(&members[0], value) - p->origin[0],
                       setti_abm_member_read(&members[1], value) - p->origin[1], dot,
                       layer->colour);
    }
    return sett_query_destroy(query) == SETT_OK;
}

sett_status sett_abm_picture_write(sett_world* world, const sett_abm_picture* p, const char* path)
{
    if (ARGUMENT_IS_NULL(world) || argument_is_null(p, __func__, "picture") ||
        ARGUMENT_IS_NULL(path)) {
        return SETT_STATUS_ARGUMENT;
    }
    abm_member members[2];
    if (!setti_abm_member_find(world, p->x, abm_picture_call, &members[0]) ||
        !setti_abm_member_find(world, p->y, abm_picture_call, &members[1])) {
        return SETT_STATUS_ARGUMENT;
    }
    abm_canvas c = {.width = p->width != 0 ? p->width : 512};
    c.scale = c.width / p->size[0];
    double height = p->size[1] * c.scale;
    if (members[0].component != members[1].component) {
        return setti_abm_fail(world, SETT_STATUS_ARGUMENT,
                              "%s: `x` is \"%.100s\", and `y` is \"%.100s\" of another component - "
                              "name two members of one component",
                              abm_picture_call, p->x, p->y);
    }
    if (!(height >= 1) || !(height <= ABM_PIXELS_MOST) || c.width > ABM_PIXELS_MOST) {
        return setti_abm_fail(world, SETT_STATUS_ARGUMENT,
                              "%s: by `width` and `size` the picture has %u x %g pixels - change "
                              "them: each edge has 1 to %u pixels",
                              abm_picture_call, (unsigned)c.width, height, ABM_PIXELS_MOST);
    }
    c.height = (uint32_t)height;
    c.pixels = malloc((size_t)c.width * c.height * 3);
    if (c.pixels == NULL) {
        return setti_abm_fail(world, SETT_STATUS_OUT_OF_MEMORY,
                              "%s: no memory for %u x %u pixels - set a smaller `width`",
                              abm_picture_call, (unsigned)c.width, (unsigned)c.height);
    }
    for (size_t k = 0; k < (size_t)c.width * c.height; k++) {
        c.pixels[k * 3] = (unsigned char)(p->background >> 16);
        c.pixels[k * 3 + 1] = (unsigned char)(p->background >> 8);
        c.pixels[k * 3 + 2] = (unsigned char)p->background;
    }
    bool drawn = true;
    for (uint32_t k = 0; k < 8 && p->layers[k].query != NULL && drawn; k++) {
        drawn = abm_picture_layer(world, p, &p->layers[k], members, &c);
    }
    bool saved = drawn && abm_picture_save(&c, path);
    free(c.pixels);
    if (!drawn) {
        return sett_world_error(world);
    }
    return saved ? SETT_OK : setti_abm_fail_write(world, abm_picture_call, path);
}

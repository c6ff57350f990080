/* canvas_png.c - the way from a canvas to a file. See canvas.h. */
#include "canvas.h"

#include <errno.h>
#include <math.h>
#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void canvas_png_convert_row(const Canvas* canvas, int row, uint8_t* bytes)
{
    const float* from = canvas->rgb + (size_t)row * (size_t)canvas->width * 3;
    for (size_t i = 0; i < (size_t)canvas->width * 3; ++i) {
        bytes[i] = (uint8_t)(fminf(fmaxf(from[i], 0.0f), 255.0f) + 0.5f);
    }
}

/* libpng reports errors by jumping here; what must survive the jump is the caller's. */
static bool canvas_png_encode(const Canvas* canvas, FILE* stream, uint8_t* row_bytes)
{
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png != NULL ? png_create_info_struct(png) : NULL;
    if (info == NULL || setjmp(png_jmpbuf(png)) != 0) {
        png_destroy_write_struct(&png, &info);
        return false;
    }
    png_init_io(png, stream);
    png_set_IHDR(png, info, (png_uint_32)canvas->width, (png_uint_32)canvas->height, 8,
                 PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    for (int row = 0; row < canvas->height; ++row) {
        canvas_png_convert_row(canvas, row, row_bytes);
        png_write_row(png, row_bytes);
    }
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    return true;
}

bool canvas_write_png(const Canvas* canvas, const char* path, Fault* fault)
{
    uint8_t* row_bytes = malloc((size_t)canvas->width * 3);
    FILE* stream = row_bytes != NULL ? fopen(path, "wb") : NULL;
    if (stream == NULL) {
        fault_set(fault, "%s: cannot be written: %s", path, strerror(errno));
        free(row_bytes);
        return false;
    }
    bool good = canvas_png_encode(canvas, stream, row_bytes);
    good = fclose(stream) == 0 && good;
    free(row_bytes);
    return good || fault_set(fault, "%s: cannot be written", path);
}

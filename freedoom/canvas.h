/* canvas.h - smooth lines, discs and letters on a raster, and the way from there to a PNG file.
 *
 * Pictures are for looking at and no part of the simulation: floating point is welcome here. */
#ifndef FREEDOOM_CANVAS_H
#define FREEDOOM_CANVAS_H

#include "fault.h"

#include <stdint.h>

typedef struct Canvas {
    int width, height;
    float* rgb; /* 0 to 255, three for each pixel, rows from top to bottom */
} Canvas;

bool canvas_init(Canvas* canvas, int width, int height, uint32_t colour);
void canvas_deinit(Canvas* canvas);

/* Colours are 0xrrggbb. Mixes b into a: share 0 is a, 1 is b. */
uint32_t canvas_mix(uint32_t a, uint32_t b, float share);

/* What follows mixes `colour` into the pixels by how much of each it covers, times `alpha`.
 * Coordinates in pixels; the centre of the first pixel is at 0.5, 0.5. What lies outside is cut
 * off. */
void canvas_span(Canvas* canvas, int row, float left, float right, uint32_t colour, float alpha);
void canvas_line(Canvas* canvas, float x0, float y0, float x1, float y1, float width,
                 uint32_t colour, float alpha);
void canvas_square(Canvas* canvas, float x, float y, float half, uint32_t colour, float alpha);
void canvas_disc(Canvas* canvas, float x, float y, float radius, uint32_t colour, float alpha);
void canvas_ring(Canvas* canvas, float x, float y, float radius, float width, uint32_t colour,
                 float alpha);

/* Letters are 5 by 7 dots of `size` pixels; small ones come out as capitals. */
void canvas_text(Canvas* canvas, int x, int y, int size, const char* text, uint32_t colour);
int canvas_text_width(int size, const char* text);

/* A letter's dots: seven rows, bit 4 is the leftmost dot. NULL for a space. */
const uint8_t* canvas_letter_rows(char letter);

bool canvas_write_png(const Canvas* canvas, const char* path, Fault* fault);

#endif

/* canvas.c - see canvas.h. */
#include "canvas.h"

#include "fixed.h"

#include <stdlib.h>
#include <string.h>

/* --- pixels ----------------------------------------------------------------------------------- */

typedef struct CanvasColour {
    float channel[3];
} CanvasColour;

static CanvasColour canvas_split(uint32_t colour)
{
    return (CanvasColour){
        {(float)(colour >> 16 & 0xffu), (float)(colour >> 8 & 0xffu), (float)(colour & 0xffu)}};
}

uint32_t canvas_mix(uint32_t a, uint32_t b, float share)
{
    CanvasColour from = canvas_split(a);
    CanvasColour to = canvas_split(b);
    uint32_t mixed = 0;
    for (int k = 0; k < 3; ++k) {
        float value = from.channel[k] + (to.channel[k] - from.channel[k]) * share;
        mixed = mixed << 8 | (uint32_t)(value + 0.5f);
    }
    return mixed;
}

static void canvas_blend(Canvas* canvas, int x, int y, CanvasColour colour, float cover)
{
    if (x < 0 || y < 0 || x >= canvas->width || y >= canvas->height || cover <= 0.0f) {
        return;
    }
    float* pixel = canvas->rgb + ((size_t)y * (size_t)canvas->width + (size_t)x) * 3;
    for (int k = 0; k < 3; ++k) {
        pixel[k] += (colour.channel[k] - pixel[k]) * cover;
    }
}

bool canvas_init(Canvas* canvas, int width, int height, uint32_t colour)
{
    *canvas = (Canvas){.width = width, .height = height};
    canvas->rgb = calloc((size_t)width * (size_t)height * 3, sizeof *canvas->rgb);
    if (canvas->rgb == NULL) {
        return false;
    }
    for (int row = 0; row < height; ++row) {
        canvas_span(canvas, row, 0.0f, (float)width, colour, 1.0f);
    }
    return true;
}

void canvas_deinit(Canvas* canvas)
{
    free(canvas->rgb);
    *canvas = (Canvas){0};
}

/* --- shapes ----------------------------------------------------------------------------------- */

static float canvas_clamp(float x, float low, float high)
{
    return x < low ? low : (x > high ? high : x);
}

static float canvas_abs(float x)
{
    return x < 0.0f ? -x : x;
}

/* To a 256th of a pixel; spares the program the mathematical library. */
static float canvas_length(float dx, float dy)
{
    return (float)fixed_square_root((uint64_t)((dx * dx + dy * dy) * 65536.0f)) / 256.0f;
}

void canvas_span(Canvas* canvas, int row, float left, float right, uint32_t colour, float alpha)
{
    CanvasColour parts = canvas_split(colour);
    left = canvas_clamp(left, 0.0f, (float)canvas->width);
    right = canvas_clamp(right, 0.0f, (float)canvas->width);
    for (int x = (int)left; (float)x < right; ++x) {
        float from = left > (float)x ? left : (float)x;
        float to = right < (float)x + 1.0f ? right : (float)x + 1.0f;
        canvas_blend(canvas, x, row, parts, (to - from) * alpha);
    }
}

/* Distance of a point from the segment that starts at (x, y) and goes by (dx, dy). */
static float canvas_distance(float px, float py, float x, float y, float dx, float dy)
{
    float square = dx * dx + dy * dy;
    float along = square > 0.0f ? ((px - x) * dx + (py - y) * dy) / square : 0.0f;
    along = canvas_clamp(along, 0.0f, 1.0f);
    return canvas_length(px - x - dx * along, py - y - dy * along);
}

void canvas_line(Canvas* canvas, float x0, float y0, float x1, float y1, float width,
                 uint32_t colour, float alpha)
{
    CanvasColour parts = canvas_split(colour);
    float dx = x1 - x0, dy = y1 - y0;
    bool steep = canvas_abs(dy) > canvas_abs(dx);
    float reach = width * 0.5f + 1.0f;
    float limit = (float)(steep ? canvas->height : canvas->width);
    /* One step a pixel along the longer axis; across, as far as the line is wide there. */
    float start = steep ? y0 : x0;
    float end = steep ? y1 : x1;
    float first = canvas_clamp((start < end ? start : end) - reach, 0.0f, limit);
    float last = canvas_clamp((start < end ? end : start) + reach, 0.0f, limit);
    float slope = start != end ? (steep ? dx / dy : dy / dx) : 0.0f;
    float across = 3.0f * reach; /* the slope is at most 1: more than enough */
    for (int major = (int)first; (float)major < last; ++major) {
        float middle = (steep ? x0 : y0) + ((float)major + 0.5f - start) * slope;
        for (int minor = (int)(middle - across); (float)minor <= middle + across; ++minor) {
            int x = steep ? minor : major;
            int y = steep ? major : minor;
            float away = canvas_distance((float)x + 0.5f, (float)y + 0.5f, x0, y0, dx, dy);
            float cover =
                canvas_clamp(width * 0.5f + 0.5f - away, 0.0f, width < 1.0f ? width : 1.0f);
            canvas_blend(canvas, x, y, parts, cover * alpha);
        }
    }
}

void canvas_square(Canvas* canvas, float x, float y, float half, uint32_t colour, float alpha)
{
    float top = canvas_clamp(y - half, 0.0f, (float)canvas->height);
    float bottom = canvas_clamp(y + half, 0.0f, (float)canvas->height);
    for (int row = (int)top; (float)row < bottom; ++row) {
        float from = top > (float)row ? top : (float)row;
        float to = bottom < (float)row + 1.0f ? bottom : (float)row + 1.0f;
        canvas_span(canvas, row, x - half, x + half, colour, alpha * (to - from));
    }
}

void canvas_ring(Canvas* canvas, float x, float y, float radius, float width, uint32_t colour,
                 float alpha)
{
    CanvasColour parts = canvas_split(colour);
    float reach = radius + width * 0.5f + 1.0f;
    for (int row = (int)(y - reach); (float)row <= y + reach; ++row) {
        for (int column = (int)(x - reach); (float)column <= x + reach; ++column) {
            float away =
                canvas_abs(canvas_length((float)column + 0.5f - x, (float)row + 0.5f - y) - radius);
            float cover = canvas_clamp(width * 0.5f + 0.5f - away, 0.0f, 1.0f);
            canvas_blend(canvas, column, row, parts, cover * alpha);
        }
    }
}

void canvas_disc(Canvas* canvas, float x, float y, float radius, uint32_t colour, float alpha)
{
    /* A ring without a hole. */
    canvas_ring(canvas, x, y, 0.0f, radius * 2.0f, colour, alpha);
}

/* --- letters ---------------------------------------------------------------------------------- */

typedef struct CanvasLetter {
    char letter;
    uint8_t rows[7]; /* the leftmost of five dots is bit 4 */
} CanvasLetter;

/* clang-format off */
static const CanvasLetter canvas_letters[] = {
    {'A', {0x0e, 0x11, 0x11, 0x1f, 0x11, 0x11, 0x11}},
    {'B', {0x1e, 0x11, 0x11, 0x1e, 0x11, 0x11, 0x1e}},
    {'C', {0x0e, 0x11, 0x10, 0x10, 0x10, 0x11, 0x0e}},
    {'D', {0x1e, 0x11, 0x11, 0x11, 0x11, 0x11, 0x1e}},
    {'E', {0x1f, 0x10, 0x10, 0x1e, 0x10, 0x10, 0x1f}},
    {'F', {0x1f, 0x10, 0x10, 0x1e, 0x10, 0x10, 0x10}},
    {'G', {0x0e, 0x11, 0x10, 0x17, 0x11, 0x11, 0x0e}},
    {'H', {0x11, 0x11, 0x11, 0x1f, 0x11, 0x11, 0x11}},
    {'I', {0x0e, 0x04, 0x04, 0x04, 0x04, 0x04, 0x0e}},
    {'J', {0x07, 0x02, 0x02, 0x02, 0x02, 0x12, 0x0c}},
    {'K', {0x11, 0x12, 0x14, 0x18, 0x14, 0x12, 0x11}},
    {'L', {0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x1f}},
    {'M', {0x11, 0x1b, 0x15, 0x15, 0x11, 0x11, 0x11}},
    {'N', {0x11, 0x19, 0x15, 0x15, 0x13, 0x11, 0x11}},
    {'O', {0x0e, 0x11, 0x11, 0x11, 0x11, 0x11, 0x0e}},
    {'P', {0x1e, 0x11, 0x11, 0x1e, 0x10, 0x10, 0x10}},
    {'Q', {0x0e, 0x11, 0x11, 0x11, 0x15, 0x12, 0x0d}},
    {'R', {0x1e, 0x11, 0x11, 0x1e, 0x14, 0x12, 0x11}},
    {'S', {0x0f, 0x10, 0x10, 0x0e, 0x01, 0x01, 0x1e}},
    {'T', {0x1f, 0x04, 0x04, 0x04, 0x04, 0x04, 0x04}},
    {'U', {0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x0e}},
    {'V', {0x11, 0x11, 0x11, 0x11, 0x11, 0x0a, 0x04}},
    {'W', {0x11, 0x11, 0x11, 0x15, 0x15, 0x1b, 0x11}},
    {'X', {0x11, 0x11, 0x0a, 0x04, 0x0a, 0x11, 0x11}},
    {'Y', {0x11, 0x11, 0x0a, 0x04, 0x04, 0x04, 0x04}},
    {'Z', {0x1f, 0x01, 0x02, 0x04, 0x08, 0x10, 0x1f}},
    {'0', {0x0e, 0x11, 0x13, 0x15, 0x19, 0x11, 0x0e}},
    {'1', {0x04, 0x0c, 0x04, 0x04, 0x04, 0x04, 0x0e}},
    {'2', {0x0e, 0x11, 0x01, 0x02, 0x04, 0x08, 0x1f}},
    {'3', {0x0e, 0x11, 0x01, 0x06, 0x01, 0x11, 0x0e}},
    {'4', {0x02, 0x06, 0x0a, 0x12, 0x1f, 0x02, 0x02}},
    {'5', {0x1f, 0x10, 0x1e, 0x01, 0x01, 0x11, 0x0e}},
    {'6', {0x06, 0x08, 0x10, 0x1e, 0x11, 0x11, 0x0e}},
    {'7', {0x1f, 0x01, 0x02, 0x04, 0x08, 0x08, 0x08}},
    {'8', {0x0e, 0x11, 0x11, 0x0e, 0x11, 0x11, 0x0e}},
    {'9', {0x0e, 0x11, 0x11, 0x0f, 0x01, 0x02, 0x0c}},
    {'-', {0x00, 0x00, 0x00, 0x0e, 0x00, 0x00, 0x00}},
    {'.', {0x00, 0x00, 0x00, 0x00, 0x00, 0x0c, 0x0c}},
    {',', {0x00, 0x00, 0x00, 0x00, 0x0c, 0x04, 0x08}},
    {':', {0x00, 0x0c, 0x0c, 0x00, 0x0c, 0x0c, 0x00}},
    {'/', {0x01, 0x01, 0x02, 0x04, 0x08, 0x10, 0x10}},
    {'\'', {0x0c, 0x04, 0x08, 0x00, 0x00, 0x00, 0x00}},
    {'(', {0x02, 0x04, 0x08, 0x08, 0x08, 0x04, 0x02}},
    {')', {0x08, 0x04, 0x02, 0x02, 0x02, 0x04, 0x08}},
    {'+', {0x00, 0x04, 0x04, 0x1f, 0x04, 0x04, 0x00}},};
/* clang-format on */

static const CanvasLetter* canvas_find_letter(char letter)
{
    if (letter >= 'a' && letter <= 'z') {
        letter = (char)(letter - 'a' + 'A');
    }
    for (size_t i = 0; i < sizeof canvas_letters / sizeof canvas_letters[0]; ++i) {
        if (canvas_letters[i].letter == letter) {
            return &canvas_letters[i];
        }
    }
    return NULL; /* a space */
}

const uint8_t* canvas_letter_rows(char letter)
{
    const CanvasLetter* found = canvas_find_letter(letter);
    return found != NULL ? found->rows : NULL;
}

static void canvas_letter(Canvas* canvas, int x, int y, int size, const CanvasLetter* letter,
                          uint32_t colour)
{
    for (int row = 0; row < 7 * size; ++row) {
        for (int dot = 0; dot < 5; ++dot) {
            if ((letter->rows[row / size] & (16u >> dot)) != 0) {
                canvas_span(canvas, y + row, (float)(x + dot * size), (float)(x + (dot + 1) * size),
                            colour, 1.0f);
            }
        }
    }
}

void canvas_text(Canvas* canvas, int x, int y, int size, const char* text, uint32_t colour)
{
    for (; *text != '\0'; ++text, x += 6 * size) {
        const CanvasLetter* letter = canvas_find_letter(*text);
        if (letter != NULL) {
            canvas_letter(canvas, x, y, size, letter, colour);
        }
    }
}

int canvas_text_width(int size, const char* text)
{
    return (int)strlen(text) * 6 * size;
}

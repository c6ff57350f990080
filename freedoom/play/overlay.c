/* overlay.c - what lies on top of the view: images, letters, tints. */
#include "canvas.h"
#include "raster.h"

#define OVERLAY_WIDTH 320.0f
#define OVERLAY_HEIGHT 200.0f
#define OVERLAY_TEXT 0xf0f0e8
#define OVERLAY_SHADOW 0x101010

void render_image(Render* render, const Art* art, const ArtImage* image, float x, float y,
                  float scale)
{
    float wide = (float)render->width / OVERLAY_WIDTH * scale;
    float tall = (float)render->height / OVERLAY_HEIGHT * scale;
    float left = (x - (float)image->left * scale) * (float)render->width / OVERLAY_WIDTH;
    float top = (y - (float)image->top * scale) * (float)render->height / OVERLAY_HEIGHT;
    int first = raster_pixel(left, 0, render->width);
    int last = raster_pixel(left + (float)image->width * wide, 0, render->width);
    int high = raster_pixel(top, 0, render->height);
    int low = raster_pixel(top + (float)image->height * tall, 0, render->height);
    for (int column = first; column < last; ++column) {
        int u = (int)(((float)column + 0.5f - left) / wide);
        raster_masked(render->pixels + (size_t)column * (size_t)render->height, high, low, image,
                      raster_min(u, image->width - 1), -top / tall, 1.0f / tall, art->colours,
                      RENDER_SOLID);
    }
}

/* A dot of a letter, on its shadow. */
static void overlay_dot(Render* render, int x, int y, int size, uint32_t colour)
{
    for (int column = raster_max(x, 0); column < raster_min(x + size, render->width); ++column) {
        for (int row = raster_max(y, 0); row < raster_min(y + size, render->height); ++row) {
            render->pixels[(size_t)column * (size_t)render->height + (size_t)row] = colour;
        }
    }
}

static void overlay_letters(Render* render, int x, int y, int size, const char* text,
                            uint32_t colour)
{
    for (; *text != '\0'; ++text, x += 6 * size) {
        const uint8_t* rows = canvas_letter_rows(*text);
        for (int dot = 0; rows != NULL && dot < 35; ++dot) {
            if ((rows[dot / 5] >> (4 - dot % 5) & 1) != 0) {
                overlay_dot(render, x + dot % 5 * size, y + dot / 5 * size, size, colour);
            }
        }
    }
}

void render_text(Render* render, int x, int y, int size, const char* text)
{
    x = x < 0 ? (render->width - canvas_text_width(size, text)) / 2 : x;
    y = y < 0 ? render->height + y : y;
    int edge = (size + 1) / 2; /* dark all around: lamps and skies are as bright as the text */
    for (int k = 0; k < 9; ++k) {
        overlay_letters(render, x + (k % 3 - 1) * edge, y + (k / 3 - 1) * edge, size, text,
                        OVERLAY_SHADOW);
    }
    overlay_letters(render, x, y, size, text, OVERLAY_TEXT);
}

void render_shade(Render* render, int x, int y, int width, int height)
{
    int right = raster_min(x + width, render->width), low = raster_min(y + height, render->height);
    for (int column = raster_max(x, 0); column < right; ++column) {
        for (int row = raster_max(y, 0); row < low; ++row) {
            uint32_t* at = &render->pixels[(size_t)column * (size_t)render->height + (size_t)row];
            *at = *at >> 3 & 0x1f1f1fu;
        }
    }
}

void render_tint(Render* render, uint32_t colour, uint32_t share)
{
    size_t count = (size_t)render->width * (size_t)render->height;
    uint32_t red_blue = (colour & 0xff00ffu) * share, green = (colour & 0xff00u) * share;
    for (size_t i = 0; i < count; ++i) {
        uint32_t old = render->pixels[i];
        uint32_t a = ((old & 0xff00ffu) * (256 - share) + red_blue) >> 8;
        uint32_t b = ((old & 0xff00u) * (256 - share) + green) >> 8;
        render->pixels[i] = (a & 0xff00ffu) | (b & 0xff00u);
    }
}

/* Square by square, so that both sides stay in the cache. */
void render_copy_rows(const Render* render, uint32_t* rows, size_t stride)
{
    enum {
        SQUARE = 16
    };
    for (int x0 = 0; x0 < render->width; x0 += SQUARE) {
        int x1 = raster_min(x0 + SQUARE, render->width);
        for (int y0 = 0; y0 < render->height; y0 += SQUARE) {
            int y1 = raster_min(y0 + SQUARE, render->height);
            for (int y = y0; y < y1; ++y) {
                for (int x = x0; x < x1; ++x) {
                    rows[(size_t)y * stride + (size_t)x] =
                        render->pixels[(size_t)x * (size_t)render->height + (size_t)y];
                }
            }
        }
    }
}

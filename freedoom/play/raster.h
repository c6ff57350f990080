/* raster.h - what the parts of the renderer share: render.c (the building), billboard.c (things),
 * overlay.c (what lies on top). */
#ifndef FREEDOOM_RASTER_H
#define FREEDOOM_RASTER_H

#include "render.h"

#define RASTER_NONE 0xffffffffu
#define RASTER_NEAR 0.05f  /* what is nearer is cut off */
#define RASTER_ASPECT 1.2f /* pixels of the old screens were so much higher than wide */

/* A seg that was drawn: a thing behind it is hidden by it. */
typedef struct RasterWall {
    float a, b, c;  /* a x + b y >= c on the side of the eye, in the eye's coordinates */
    float farthest; /* its greatest distance */
} RasterWall;

/* What a column's window became when a wall was drawn. From the farthest wall to the nearest. */
typedef struct RasterStep {
    uint32_t next; /* the one before it, nearer; or RASTER_NONE */
    uint32_t wall;
    float inverse; /* of the distance */
    int top, bottom;
} RasterStep;

/* A column of a wall with holes: drawn when all behind it is. */
typedef struct RasterGrate {
    uint32_t next; /* nearer, or RASTER_NONE */
    float inverse;
    const ArtImage* image;
    const uint32_t* shade;
    int u;
    float v, step; /* texture row at the first pixel row, and from one to the next */
    int top, bottom;
} RasterGrate;

struct Render {
    int width, height;
    uint32_t* pixels;
    float centre_x, centre_y; /* pixels */
    float focus_x, focus_y;   /* pixels that one unit has at a distance of one */

    /* By column. The window is what is not yet drawn: rows top to bottom - 1. */
    int* top;
    int* bottom;
    int* next_open; /* the next column with a window, from this one on; see raster_open */
    float* slope;   /* of the ray: units to the right at a distance of one */
    float* reach;   /* inverse distance of the first wall at the eye's height */
    uint32_t* steps_of;
    uint32_t* grates_of;

    /* By row. */
    float* row_distance; /* at which a plane one unit below or above the eye is seen */
    float* row_offset;   /* pixels from the horizon */

    RasterWall* walls;
    RasterStep* steps;
    RasterGrate* grates;
    uint32_t wall_count, wall_room, step_count, step_room, grate_count, grate_room;
    uint32_t* order; /* of things, for sorting */
    float* depths;
    uint32_t order_room;

    const RenderScene* scene;
    float forward_x, forward_y, right_x, right_y;
    bool failed;
};

static inline int raster_min(int a, int b)
{
    return a < b ? a : b;
}

static inline int raster_max(int a, int b)
{
    return a > b ? a : b;
}

static inline float raster_clamp(float x, float low, float high)
{
    return x < low ? low : x > high ? high : x;
}

/* The first pixel whose centre is at `edge` or after it. */
static inline int raster_pixel(float edge, int low, int high)
{
    float at = raster_clamp(edge - 0.5f, (float)low - 1.0f, (float)high + 1.0f);
    int whole = (int)at;
    whole += (float)whole < at ? 1 : 0;
    return raster_min(raster_max(whole, low), high);
}

/* Growing arrays. Returns false, and notes it, when memory runs out. */
bool raster_grow(Render* render, void** array, uint32_t* room, uint32_t count, size_t size);

/* How the light of a sector becomes weaker with distance: the table at an inverse distance. */
static inline const uint32_t* raster_shade(const Render* render, int light, float inverse)
{
    float near = 1280.0f * inverse;
    int level = (15 - light) * 4 - (int)(near < 24.0f ? near : 24.0f);
    return render->scene->stage->art->shades[raster_min(raster_max(level, 0), ART_SHADES - 1)];
}

/* Draws the rows of a column of a texture; v is the texture's row at pixel row 0. */
void raster_texture(uint32_t* column, int top, int bottom, const ArtImage* image, int u, float v,
                    float step, const uint32_t* shade);

/* The same, for an image with holes that is not repeated. */
void raster_masked(uint32_t* column, int top, int bottom, const ArtImage* image, int u, float v,
                   float step, const uint32_t* shade, RenderStyle style);

/* billboard.c: draws all things and grates, farthest first. */
void raster_things(Render* render);

#endif

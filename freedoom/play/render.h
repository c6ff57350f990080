/* render.h - a map as a player sees it, drawn by the processor.
 *
 * Pixels are 0xrrggbb and lie column after column, each from top to bottom: walls, floors and
 * sprites are all drawn in columns. Lengths are map units; angles are radians, 0 is east,
 * counter-clockwise. */
#ifndef FREEDOOM_RENDER_H
#define FREEDOOM_RENDER_H

#include "stage.h"

#include <stddef.h>

typedef enum RenderStyle {
    RENDER_SOLID,
    RENDER_SHADOW, /* darkens what is behind it */
    RENDER_GHOST,  /* pale, and transparent */
} RenderStyle;

/* A sprite that stands somewhere. */
typedef struct RenderThing {
    float x, y, z; /* z is that of the feet */
    float facing;
    const ArtSprite* sprite;
    uint16_t sector;
    uint8_t frame;
    uint8_t style;
    bool bright; /* shines by itself */
} RenderThing;

/* What is to be drawn. Heights and light by the sector's number on the map. */
typedef struct RenderScene {
    const Stage* stage;
    const float* floors;
    const float* ceilings;
    const uint8_t* lights;
    const RenderThing* things;
    uint32_t thing_count;
    float x, y, z, angle; /* of the eye */
    uint32_t tick;        /* for textures that move */
} RenderScene;

typedef struct Render Render;

/* Returns NULL when memory runs out. */
Render* render_create(int width, int height);
void render_destroy(Render* render);

/* Draws the scene over all of the picture. Returns false when memory runs out. */
bool render_draw(Render* render, const RenderScene* scene);

int render_width(const Render* render);
int render_height(const Render* render);

/* The picture: pixel (x, y) is [x * height + y]. */
uint32_t* render_pixels(Render* render);

/* The distance along the view's axis at which the eye's own height first meets a wall, in a column
 * of the last picture; 0 if it does nowhere. */
float render_reach(const Render* render, int column);

/* Copies the picture to rows of `stride` pixels, as windows and files want them. */
void render_copy_rows(const Render* render, uint32_t* rows, size_t stride);

/* --- on top of it ----------------------------------------------------------------------------- */

/* Draws an image with its hot spot at a place of a picture of 320 by 200. */
void render_image(Render* render, const Art* art, const ArtImage* image, float x, float y,
                  float scale);

/* Writes letters of 5 by 7 dots of `size` pixels, from a pixel on; x < 0 is in the middle, y < 0
 * counts from below. */
void render_text(Render* render, int x, int y, int size, const char* text);

/* Darkens a rectangle, on which letters are to be read. */
void render_shade(Render* render, int x, int y, int width, int height);

/* Mixes a colour into all of the picture: share 0 to 256. */
void render_tint(Render* render, uint32_t colour, uint32_t share);

#endif

/* art.h - the pictures of a WAD file: palette, textures, flats and sprites, read with distrust.
 *
 * Formats, all numbers little endian:
 *
 *     PLAYPAL    palettes of 256 colours, 3 bytes each; the first is the usual one
 *     COLORMAP   34 tables of 256 bytes: what each colour becomes in less and less light
 *     patch      width, height, left, top (16 bits each); width offsets (32 bits) of columns. A
 *                column is a list of posts {row, length, unused, colours ..., unused}, ended by 255
 *     PNAMES     a count and names of 8 bytes: the patches that textures are made of
 *     TEXTURE1/2 a count and offsets; there {name 8, 4 unused, width, height, 4 unused, count,
 *                count times {x, y, patch, 4 unused}}
 *     flats      64 rows of 64 colours, between the lumps F_START and F_END
 *     sprites    patches between S_START and S_END: four letters, then a frame and a rotation,
 *                perhaps a second pair for which the patch is mirrored. Rotation 0 is for all
 *                sides; 1 is the front, 3 the left side of the picture, 5 the back
 *
 * Images are decoded when they are first asked for. */
#ifndef FREEDOOM_ART_H
#define FREEDOOM_ART_H

#include "wad.h"

#include <stdbool.h>

#define ART_NONE 0xffffu /* no texture, no flat */
#define ART_SHADES 32    /* of light: 0 is the brightest */
#define ART_FLAT_SIZE 64
#define ART_FRAMES 29 /* A to Z, and three more */

/* Columns of colours from top to bottom. */
typedef struct ArtImage {
    int width, height;
    int left, top;   /* of the hot spot, from the upper left corner */
    uint8_t* pixels; /* width * height */
    uint8_t* solid;  /* 1 where there is a pixel; NULL: everywhere */
} ArtImage;

/* A sprite's picture from one side. */
typedef struct ArtView {
    uint32_t lump; /* 0: there is none */
    bool mirrored;
} ArtView;

typedef struct ArtSprite {
    char name[5];
    ArtView views[ART_FRAMES][8];
} ArtSprite;

typedef struct ArtTexture {
    char name[WAD_NAME_SIZE];
    uint16_t width, height, patch_count;
    size_t patches;        /* where the list is in the file */
    uint16_t first, count; /* of the textures that it shows in turn */
    ArtImage* image;       /* NULL until it is asked for */
} ArtTexture;

typedef struct ArtFlat {
    char name[WAD_NAME_SIZE];
    const uint8_t* pixels;
    uint16_t first, count;
} ArtFlat;

typedef struct Art {
    Wad wad;
    uint32_t colours[256];                /* 0xrrggbb */
    uint32_t shades[ART_SHADES + 1][256]; /* the last one is for the invulnerable */
    ArtTexture* textures;
    ArtFlat* flats;
    ArtSprite* sprites;
    ArtImage** images; /* by lump; NULL until it is asked for */
    uint32_t* patch_lumps;
    uint32_t texture_count, flat_count, sprite_count, patch_count;
    ArtImage nothing; /* what stands in for an image that is damaged */
} Art;

/* Reads a file's pictures. Returns false, and leaves nothing to close, if one of the tables is
 * missing or not sound; a damaged image is replaced by an empty one when it is asked for. */
bool art_open(Art* art, const char* path, Fault* fault);
void art_close(Art* art);

/* Returns the number of a texture or flat, ART_NONE for "-" and unknown names. Cost: O(all). */
uint16_t art_find_texture(const Art* art, const char* name);
uint16_t art_find_flat(const Art* art, const char* name);

/* Returns the sprite of this name of four letters, NULL if there is none. */
const ArtSprite* art_find_sprite(const Art* art, const char* name);

/* The image of a texture or flat; those that move show another every eight ticks. */
const ArtImage* art_texture(Art* art, uint16_t texture, uint32_t tick);
const uint8_t* art_flat(const Art* art, uint16_t flat, uint32_t tick);

/* The image in a lump of the file: a sprite's picture or a part of the display. Never NULL. */
const ArtImage* art_image(Art* art, uint32_t lump);

/* The same by the lump's name. */
const ArtImage* art_picture(Art* art, const char* name);

#endif

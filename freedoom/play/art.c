/* art.c - see art.h.
 *
 * Invariant: every number handed out is in range. A texture's `first` + `count` and a flat's are
 * within their tables, an image's pixels fill width * height, and every patch of PNAMES has a lump
 * or 0. */
#include "art.h"

#include <stdlib.h>
#include <string.h>

#define ART_IMAGE_LIMIT 4096 /* pixels a side */
#define ART_TICKS 8u         /* that each image of a moving texture is shown */

/* --- bytes ------------------------------------------------------------------------------------ */

static uint32_t art_number(const uint8_t* at, int bytes)
{
    uint32_t number = 0;
    for (int i = 0; i < bytes; ++i) {
        number |= (uint32_t)at[i] << (8 * i);
    }
    return number;
}

static int art_signed(const uint8_t* at)
{
    int bits = (int)art_number(at, 2);
    return bits < 0x8000 ? bits : bits - 0x10000;
}

static void art_copy_name(char name[WAD_NAME_SIZE], const uint8_t* at)
{
    for (int i = 0; i < WAD_NAME_SIZE - 1; ++i) {
        name[i] = (char)(at[i] >= 'a' && at[i] <= 'z' ? at[i] - 'a' + 'A' : at[i]);
    }
    name[WAD_NAME_SIZE - 1] = '\0';
}

static const uint8_t* art_bytes(const Art* art, const WadLump* lump)
{
    return art->wad.bytes + lump->offset;
}

static uint32_t art_lump_number(const Art* art, const char* name)
{
    const WadLump* lump = wad_find_lump(&art->wad, name);
    return lump != NULL ? (uint32_t)(lump - art->wad.lumps) : 0;
}

/* --- colours ---------------------------------------------------------------------------------- */

static bool art_read_colours(Art* art, Fault* fault)
{
    const WadLump* palette = wad_find_lump(&art->wad, "PLAYPAL");
    const WadLump* map = wad_find_lump(&art->wad, "COLORMAP");
    if (palette == NULL || palette->size < 768 || map == NULL || map->size < 33 * 256) {
        return fault_set(fault, "%s: has no PLAYPAL or COLORMAP", art->wad.label);
    }
    const uint8_t* rgb = art_bytes(art, palette);
    const uint8_t* shade = art_bytes(art, map);
    for (uint32_t i = 0; i < 256; ++i) {
        art->colours[i] =
            (uint32_t)rgb[i * 3] << 16 | (uint32_t)rgb[i * 3 + 1] << 8 | rgb[i * 3 + 2];
    }
    for (uint32_t s = 0; s <= ART_SHADES; ++s) {
        for (uint32_t i = 0; i < 256; ++i) {
            art->shades[s][i] = art->colours[shade[s * 256 + i]];
        }
    }
    return true;
}

/* --- patches ---------------------------------------------------------------------------------- */

static bool art_alloc_image(ArtImage* image, int width, int height, bool holes)
{
    size_t size = (size_t)width * (size_t)height;
    image->width = width;
    image->height = height;
    image->pixels = calloc(size, 1);
    image->solid = holes ? calloc(size, 1) : NULL;
    return image->pixels != NULL && (!holes || image->solid != NULL);
}

static void art_free_image(ArtImage* image)
{
    if (image != NULL) {
        free(image->pixels);
        free(image->solid);
        free(image);
    }
}

/* Draws one column of a patch into column x of an image, `y` rows further down. */
static void art_draw_column(ArtImage* image, int x, int y, const uint8_t* bytes, size_t size,
                            size_t at)
{
    while (at + 4 <= size && bytes[at] != 255) {
        int row = y + bytes[at];
        size_t length = bytes[at + 1];
        at += 3;
        for (size_t i = 0; i < length && at + i < size; ++i, ++row) {
            if (row >= 0 && row < image->height) {
                size_t to = (size_t)x * (size_t)image->height + (size_t)row;
                image->pixels[to] = bytes[at + i];
                image->solid[to] = 1;
            }
        }
        at += length + 1;
    }
}

/* Whether a lump begins like a patch. */
static bool art_is_patch(const uint8_t* bytes, size_t size)
{
    if (size < 8) {
        return false;
    }
    size_t width = art_number(bytes, 2), height = art_number(bytes + 2, 2);
    return width > 0 && width <= ART_IMAGE_LIMIT && height > 0 && height <= ART_IMAGE_LIMIT &&
           8 + width * 4 <= size;
}

static void art_draw_patch(const Art* art, uint32_t number, ArtImage* image, int x, int y)
{
    const WadLump* lump = &art->wad.lumps[number];
    const uint8_t* bytes = art_bytes(art, lump);
    if (!art_is_patch(bytes, lump->size)) {
        return;
    }
    int width = (int)art_number(bytes, 2);
    for (int i = 0; i < width; ++i) {
        if (x + i >= 0 && x + i < image->width) {
            art_draw_column(image, x + i, y, bytes, lump->size, art_number(bytes + 8 + i * 4, 4));
        }
    }
}

/* An image without holes is drawn faster. */
static void art_drop_mask(ArtImage* image)
{
    size_t size = (size_t)image->width * (size_t)image->height;
    if (memchr(image->solid, 0, size) == NULL) {
        free(image->solid);
        image->solid = NULL;
    }
}

const ArtImage* art_image(Art* art, uint32_t number)
{
    const WadLump* lump = &art->wad.lumps[number];
    const uint8_t* bytes = art_bytes(art, lump);
    if (art->images[number] != NULL) {
        return art->images[number];
    }
    ArtImage* image = art_is_patch(bytes, lump->size) ? calloc(1, sizeof *image) : NULL;
    if (image == NULL) {
        return &art->nothing;
    }
    if (!art_alloc_image(image, (int)art_number(bytes, 2), (int)art_number(bytes + 2, 2), true)) {
        art_free_image(image);
        return &art->nothing;
    }
    image->left = art_signed(bytes + 4);
    image->top = art_signed(bytes + 6);
    art_draw_patch(art, number, image, 0, 0);
    art->images[number] = image;
    return image;
}

const ArtImage* art_picture(Art* art, const char* name)
{
    uint32_t number = art_lump_number(art, name);
    return number != 0 ? art_image(art, number) : &art->nothing;
}

/* --- textures --------------------------------------------------------------------------------- */

static bool art_read_patch_names(Art* art, Fault* fault)
{
    const WadLump* lump = wad_find_lump(&art->wad, "PNAMES");
    size_t count = lump != NULL && lump->size >= 4 ? art_number(art_bytes(art, lump), 4) : 0;
    if (count == 0 || count > (lump->size - 4) / 8) {
        return fault_set(fault, "%s: has no sound PNAMES", art->wad.label);
    }
    art->patch_lumps = calloc(count, sizeof *art->patch_lumps);
    if (art->patch_lumps == NULL) {
        return fault_set(fault, "%s: out of memory", art->wad.label);
    }
    art->patch_count = (uint32_t)count;
    for (size_t i = 0; i < count; ++i) {
        char name[WAD_NAME_SIZE];
        art_copy_name(name, art_bytes(art, lump) + 4 + i * 8);
        art->patch_lumps[i] = art_lump_number(art, name);
    }
    return true;
}

static bool art_read_texture(Art* art, const WadLump* lump, size_t at)
{
    if (at + 22 > lump->size) {
        return false;
    }
    const uint8_t* bytes = art_bytes(art, lump) + at;
    ArtTexture* texture = &art->textures[art->texture_count];
    *texture = (ArtTexture){.width = (uint16_t)art_number(bytes + 12, 2),
                            .height = (uint16_t)art_number(bytes + 14, 2),
                            .patch_count = (uint16_t)art_number(bytes + 20, 2),
                            .patches = lump->offset + at + 22,
                            .first = (uint16_t)art->texture_count,
                            .count = 1};
    art_copy_name(texture->name, bytes);
    ++art->texture_count;
    return texture->width > 0 && texture->width <= ART_IMAGE_LIMIT && texture->height > 0 &&
           texture->height <= ART_IMAGE_LIMIT &&
           (size_t)texture->patch_count * 10 <= lump->size - at - 22;
}

/* Either of the two lists may be missing. */
static bool art_read_texture_list(Art* art, const char* name, Fault* fault)
{
    const WadLump* lump = wad_find_lump(&art->wad, name);
    if (lump == NULL) {
        return true;
    }
    size_t count = lump->size >= 4 ? art_number(art_bytes(art, lump), 4) : ART_NONE;
    if (count + art->texture_count >= ART_NONE || count > (lump->size - 4) / 4) {
        return fault_set(fault, "%s: %s is not sound", art->wad.label, name);
    }
    ArtTexture* grown =
        realloc(art->textures, (art->texture_count + count + 1) * sizeof *art->textures);
    if (grown == NULL) {
        return fault_set(fault, "%s: out of memory", art->wad.label);
    }
    art->textures = grown;
    for (size_t i = 0; i < count; ++i) {
        if (!art_read_texture(art, lump, art_number(art_bytes(art, lump) + 4 + i * 4, 4))) {
            return fault_set(fault, "%s: %s: texture %zu is not sound", art->wad.label, name, i);
        }
    }
    return true;
}

static ArtImage* art_compose(Art* art, const ArtTexture* texture)
{
    ArtImage* image = calloc(1, sizeof *image);
    if (image == NULL || !art_alloc_image(image, texture->width, texture->height, true)) {
        art_free_image(image);
        return NULL;
    }
    const uint8_t* at = art->wad.bytes + texture->patches;
    for (uint32_t i = 0; i < texture->patch_count; ++i, at += 10) {
        uint32_t patch = art_number(at + 4, 2);
        if (patch < art->patch_count && art->patch_lumps[patch] != 0) {
            art_draw_patch(art, art->patch_lumps[patch], image, art_signed(at), art_signed(at + 2));
        }
    }
    art_drop_mask(image);
    return image;
}

const ArtImage* art_texture(Art* art, uint16_t number, uint32_t tick)
{
    const ArtTexture* shown = &art->textures[number];
    uint32_t turn = (uint32_t)number - shown->first + tick / ART_TICKS;
    ArtTexture* texture = &art->textures[shown->first + turn % shown->count];
    if (texture->image == NULL) {
        texture->image = art_compose(art, texture);
    }
    return texture->image != NULL ? texture->image : &art->nothing;
}

uint16_t art_find_texture(const Art* art, const char* name)
{
    for (uint32_t i = 0; i < art->texture_count && name[0] != '-'; ++i) {
        if (strcmp(art->textures[i].name, name) == 0) {
            return (uint16_t)i;
        }
    }
    return ART_NONE;
}

/* --- flats ------------------------------------------------------------------------------------ */

static bool art_read_flats(Art* art, Fault* fault)
{
    uint32_t first = art_lump_number(art, "F_START"), last = art_lump_number(art, "F_END");
    art->flats = calloc((size_t)art->wad.lump_count + 1, sizeof *art->flats);
    if (first == 0 || last <= first || last - first >= ART_NONE || art->flats == NULL) {
        return fault_set(fault, "%s: has no flats", art->wad.label);
    }
    for (uint32_t i = first + 1; i < last; ++i) {
        const WadLump* lump = &art->wad.lumps[i];
        if (lump->size >= ART_FLAT_SIZE * ART_FLAT_SIZE) {
            ArtFlat* flat = &art->flats[art->flat_count];
            *flat = (ArtFlat){
                .pixels = art_bytes(art, lump), .first = (uint16_t)art->flat_count, .count = 1};
            memcpy(flat->name, lump->name, WAD_NAME_SIZE);
            ++art->flat_count;
        }
    }
    return art->flat_count != 0 || fault_set(fault, "%s: has no flats", art->wad.label);
}

uint16_t art_find_flat(const Art* art, const char* name)
{
    for (uint32_t i = 0; i < art->flat_count; ++i) {
        if (strcmp(art->flats[i].name, name) == 0) {
            return (uint16_t)i;
        }
    }
    return ART_NONE;
}

const uint8_t* art_flat(const Art* art, uint16_t number, uint32_t tick)
{
    const ArtFlat* flat = &art->flats[number];
    uint32_t turn = (uint32_t)number - flat->first + tick / ART_TICKS;
    return art->flats[flat->first + turn % flat->count].pixels;
}

/* --- what moves ------------------------------------------------------------------------------- */

/* Published pairs of names: all in between, in the order of the file, are shown in turn. */
static const char* const art_cycles[][2] = {
    {"NUKAGE1", "NUKAGE3"},   {"FWATER1", "FWATER4"},   {"SWATER1", "SWATER4"},
    {"LAVA1", "LAVA4"},       {"BLOOD1", "BLOOD3"},     {"RROCK05", "RROCK08"},
    {"SLIME01", "SLIME04"},   {"SLIME05", "SLIME08"},   {"SLIME09", "SLIME12"},
    {"BLODGR1", "BLODGR4"},   {"SLADRIP1", "SLADRIP3"}, {"BLODRIP1", "BLODRIP4"},
    {"FIREWALA", "FIREWALL"}, {"GSTFONT1", "GSTFONT3"}, {"FIRELAV3", "FIRELAVA"},
    {"FIREMAG1", "FIREMAG3"}, {"FIREBLU1", "FIREBLU2"}, {"ROCKRED1", "ROCKRED3"},
    {"BFALL1", "BFALL4"},     {"SFALL1", "SFALL4"},     {"WFALL1", "WFALL4"},
    {"DBRAIN1", "DBRAIN4"},
};

static void art_set_cycles(Art* art)
{
    for (size_t c = 0; c < sizeof art_cycles / sizeof art_cycles[0]; ++c) {
        uint16_t first = art_find_flat(art, art_cycles[c][0]);
        uint16_t last = art_find_flat(art, art_cycles[c][1]);
        for (uint32_t i = first; last != ART_NONE && i <= last; ++i) {
            art->flats[i].first = first;
            art->flats[i].count = (uint16_t)(last - first + 1);
        }
        first = art_find_texture(art, art_cycles[c][0]);
        last = art_find_texture(art, art_cycles[c][1]);
        for (uint32_t i = first; last != ART_NONE && i <= last; ++i) {
            art->textures[i].first = first;
            art->textures[i].count = (uint16_t)(last - first + 1);
        }
    }
}

/* --- sprites ---------------------------------------------------------------------------------- */

static ArtSprite* art_ensure_sprite(Art* art, const char* name)
{
    for (uint32_t i = art->sprite_count; i-- > 0;) {
        if (memcmp(art->sprites[i].name, name, 4) == 0) {
            return &art->sprites[i];
        }
    }
    ArtSprite* sprite = &art->sprites[art->sprite_count++];
    memcpy(sprite->name, name, 4);
    return sprite;
}

static void art_note_view(ArtSprite* sprite, char frame, char rotation, ArtView view)
{
    int f = frame - 'A', r = rotation - '1';
    if (f < 0 || f >= ART_FRAMES || r < -1 || r >= 8) {
        return;
    }
    for (int i = 0; i < 8; ++i) {
        if (r == -1 || r == i) {
            sprite->views[f][i] = view;
        }
    }
}

static bool art_read_sprites(Art* art, Fault* fault)
{
    uint32_t first = art_lump_number(art, "S_START"), last = art_lump_number(art, "S_END");
    art->sprites = calloc((size_t)art->wad.lump_count + 1, sizeof *art->sprites);
    if (first == 0 || last <= first || art->sprites == NULL) {
        return fault_set(fault, "%s: has no sprites", art->wad.label);
    }
    for (uint32_t i = first + 1; i < last; ++i) {
        const char* name = art->wad.lumps[i].name;
        if (strlen(name) >= 6) {
            ArtSprite* sprite = art_ensure_sprite(art, name);
            art_note_view(sprite, name[4], name[5], (ArtView){i, false});
            if (strlen(name) == 8) {
                art_note_view(sprite, name[6], name[7], (ArtView){i, true});
            }
        }
    }
    return true;
}

const ArtSprite* art_find_sprite(const Art* art, const char* name)
{
    for (uint32_t i = 0; i < art->sprite_count; ++i) {
        if (memcmp(art->sprites[i].name, name, 4) == 0) {
            return &art->sprites[i];
        }
    }
    return NULL;
}

/* --- the whole -------------------------------------------------------------------------------- */

bool art_open(Art* art, const char* path, Fault* fault)
{
    *art = (Art){0};
    if (!wad_open(&art->wad, path, fault)) {
        return false;
    }
    art->nothing.width = art->nothing.height = 1;
    art->nothing.pixels = calloc(1, 1);
    art->nothing.solid = calloc(1, 1);
    art->images = calloc((size_t)art->wad.lump_count + 1, sizeof *art->images);
    bool good = art->nothing.pixels != NULL && art->nothing.solid != NULL && art->images != NULL;
    if (!good) {
        fault_set(fault, "%s: out of memory", path);
    }
    good = good && art_read_colours(art, fault) && art_read_patch_names(art, fault) &&
           art_read_texture_list(art, "TEXTURE1", fault) &&
           art_read_texture_list(art, "TEXTURE2", fault) && art_read_flats(art, fault) &&
           art_read_sprites(art, fault);
    if (good) {
        art_set_cycles(art);
    } else {
        art_close(art);
    }
    return good;
}

void art_close(Art* art)
{
    for (uint32_t i = 0; i < art->texture_count; ++i) {
        art_free_image(art->textures[i].image);
    }
    for (uint32_t i = 0; art->images != NULL && i < art->wad.lump_count; ++i) {
        art_free_image(art->images[i]);
    }
    free(art->nothing.pixels);
    free(art->nothing.solid);
    free(art->images);
    free(art->textures);
    free(art->flats);
    free(art->sprites);
    free(art->patch_lumps);
    wad_close(&art->wad);
    *art = (Art){0};
}

/* cut.c - cuts from WAD files what a page needs, so that it does not load 50 MB:
 *
 *     freedoom_cut FOLDER MAP WAD...
 *
 *     FOLDER/levels.wad   all maps, as far as the simulation needs them: it is the same, bit by bit
 *     FOLDER/first.wad    one map, and all pictures that can be seen there
 *
 * Lumps keep their names and their order, so both are WAD files like any other. */
#include "atlas.h"
#include "sound.h"
#include "stage.h"
#include "thing_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CUT_LUMPS 16384u
#define CUT_MAP_LUMPS 10u /* after a map's marker */

typedef struct CutEntry {
    char name[WAD_NAME_SIZE];
    uint32_t offset, size;
} CutEntry;

/* A WAD in the making. */
typedef struct Cut {
    uint8_t* bytes;
    size_t size, capacity;
    CutEntry entries[CUT_LUMPS];
    uint32_t count;
    bool failed; /* out of memory, or too many lumps */
} Cut;

/* --- bytes ------------------------------------------------------------------------------------ */

static void cut_set(uint8_t* at, uint32_t value, int bytes)
{
    for (int i = 0; i < bytes; ++i) {
        at[i] = (uint8_t)(value >> (8 * i));
    }
}

static uint32_t cut_number(const uint8_t* at, int bytes)
{
    uint32_t number = 0;
    for (int i = 0; i < bytes; ++i) {
        number |= (uint32_t)at[i] << (8 * i);
    }
    return number;
}

/* Adds a lump, and returns where its bytes go; NULL if there is no room. */
static uint8_t* cut_add(Cut* cut, const char* name, size_t size)
{
    if (cut->size + size > cut->capacity) {
        size_t capacity = (cut->size + size) * 2;
        uint8_t* grown = realloc(cut->bytes, capacity);
        cut->capacity = grown != NULL ? capacity : cut->capacity;
        cut->bytes = grown != NULL ? grown : cut->bytes;
        cut->failed = cut->failed || grown == NULL;
    }
    cut->failed = cut->failed || cut->count == CUT_LUMPS;
    if (cut->failed) {
        return NULL;
    }
    CutEntry* entry = &cut->entries[cut->count++];
    *entry = (CutEntry){.offset = (uint32_t)cut->size, .size = (uint32_t)size};
    snprintf(entry->name, sizeof entry->name, "%s", name);
    uint8_t* at = cut->bytes + cut->size;
    cut->size += size;
    return at;
}

/* Returns where the copy is; NULL if there is no room. */
static uint8_t* cut_copy(Cut* cut, const Wad* wad, uint32_t lump)
{
    const WadLump* from = &wad->lumps[lump];
    uint8_t* at = cut_add(cut, from->name, from->size);
    if (at != NULL && from->size != 0) {
        memcpy(at, wad->bytes + from->offset, from->size);
    }
    return at;
}

static bool cut_write(const Cut* cut, const char* folder, const char* name, Fault* fault)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE* file = fopen(path, "wb");
    if (file == NULL || cut->failed) {
        return fault_set(fault, "%s: cannot be written", path);
    }
    uint8_t header[12] = "PWAD";
    cut_set(header + 4, cut->count, 4);
    cut_set(header + 8, (uint32_t)(sizeof header + cut->size), 4);
    bool good =
        fwrite(header, sizeof header, 1, file) == 1 && fwrite(cut->bytes, cut->size, 1, file) == 1;
    for (uint32_t i = 0; i < cut->count; ++i) {
        uint8_t entry[16] = {0};
        cut_set(entry, (uint32_t)sizeof header + cut->entries[i].offset, 4);
        cut_set(entry + 4, cut->entries[i].size, 4);
        memcpy(entry + 8, cut->entries[i].name, strlen(cut->entries[i].name));
        good = good && fwrite(entry, sizeof entry, 1, file) == 1;
    }
    good = fclose(file) == 0 && good;
    return good || fault_set(fault, "%s: cannot be written", path);
}

/* --- all maps, to simulate -------------------------------------------------------------------- */

/* What a wall shows is not simulated. */
static void cut_bare_sides(Cut* cut, const Wad* wad, uint32_t lump)
{
    uint8_t* sides = cut_copy(cut, wad, lump);
    for (size_t i = 0; sides != NULL && i + 30 <= wad->lumps[lump].size; i += 30) {
        memset(sides + i, 0, 28);
        sides[i + 4] = sides[i + 12] = sides[i + 20] = '-';
    }
}

/* Of a subsector's segs one is enough to say in which sector it lies. */
static void cut_first_segs(Cut* cut, const Wad* wad, uint32_t segs, uint32_t subsectors)
{
    const uint8_t* from = wad->bytes + wad->lumps[subsectors].offset;
    const uint8_t* old = wad->bytes + wad->lumps[segs].offset;
    size_t count = wad->lumps[subsectors].size / 4;
    uint8_t* seg = cut_add(cut, "SEGS", count * 12);
    for (size_t i = 0; seg != NULL && i < count; ++i) {
        memcpy(seg + i * 12, old + (size_t)cut_number(from + i * 4 + 2, 2) * 12, 12);
    }
    uint8_t* subsector = cut_add(cut, "SSECTORS", count * 4);
    for (size_t i = 0; subsector != NULL && i < count; ++i) {
        cut_set(subsector + i * 4, 1, 2);
        cut_set(subsector + i * 4 + 2, (uint32_t)i, 2);
    }
}

static void cut_bare_map(Cut* cut, const Wad* wad, uint32_t marker)
{
    uint32_t segs = 0;
    for (uint32_t i = marker; i <= marker + CUT_MAP_LUMPS && i < wad->lump_count; ++i) {
        const char* name = wad->lumps[i].name;
        if (strcmp(name, "SIDEDEFS") == 0) {
            cut_bare_sides(cut, wad, i);
        } else if (strcmp(name, "SEGS") == 0) {
            segs = i;
        } else if (strcmp(name, "SSECTORS") == 0) {
            cut_first_segs(cut, wad, segs, i);
        } else if (strcmp(name, "REJECT") != 0) {
            cut_copy(cut, wad, i);
        }
    }
}

/* All but the table that the game does not read. */
static void cut_whole_map(Cut* cut, const Wad* wad, uint32_t marker)
{
    for (uint32_t i = marker; i <= marker + CUT_MAP_LUMPS && i < wad->lump_count; ++i) {
        if (strcmp(wad->lumps[i].name, "REJECT") != 0) {
            cut_copy(cut, wad, i);
        }
    }
}

/* Their tables are sound, and in the usual order: the atlas has read them. */
static bool cut_levels(const char* folder, const char* const* wads, int wad_count, const char* map,
                       Fault* fault)
{
    Cut* cut = calloc(1, sizeof *cut);
    bool good = cut != NULL || fault_set(fault, "out of memory");
    for (int i = 0; good && i < wad_count; ++i) {
        Wad wad;
        good = wad_open(&wad, wads[i], fault);
        for (uint32_t m = 0; good && m < wad.map_count; ++m) {
            if (strcmp(wad_map_name(&wad, m), map) == 0) {
                cut_whole_map(cut, &wad, wad.maps[m]);
            } else {
                cut_bare_map(cut, &wad, wad.maps[m]);
            }
        }
        if (good) {
            wad_close(&wad);
        }
    }
    good = good && cut_write(cut, folder, "levels.wad", fault);
    free(cut != NULL ? cut->bytes : NULL);
    free(cut);
    return good;
}

/* --- one map, to see -------------------------------------------------------------------------- */

/* What is needed of a file's pictures. */
typedef struct CutArt {
    Art art;
    bool textures[ART_NONE];
    bool flats[ART_NONE];
    bool patches[ART_NONE];
    bool lumps[CUT_LUMPS];
} CutArt;

static void cut_want_texture(CutArt* needs, uint16_t number)
{
    const Art* art = &needs->art;
    for (uint32_t i = 0; number != ART_NONE && i < art->textures[number].count; ++i) {
        const ArtTexture* texture = &art->textures[art->textures[number].first + i];
        needs->textures[texture - art->textures] = true;
        for (uint32_t p = 0; p < texture->patch_count; ++p) {
            needs->patches[cut_number(art->wad.bytes + texture->patches + p * 10 + 4, 2)] = true;
        }
    }
}

static void cut_want_flat(CutArt* needs, uint16_t number)
{
    const ArtFlat* flats = needs->art.flats;
    for (uint32_t i = 0; number != ART_NONE && i < flats[number].count; ++i) {
        needs->flats[flats[number].first + i] = true;
    }
}

/* All lumps whose names begin so. */
static void cut_want_lumps(CutArt* needs, const char* prefix)
{
    for (uint32_t i = 0; i < needs->art.wad.lump_count; ++i) {
        const char* name = needs->art.wad.lumps[i].name;
        bool begins = strncmp(name, prefix, strlen(prefix)) == 0;
        needs->lumps[i] = needs->lumps[i] || begins;
    }
}

/* What is on the map at the start, and what can come: what is thrown, dropped, or carried. */
static bool cut_can_be_there(const Level* level, uint16_t row)
{
    ThingClass kind = thing_table[row].kind;
    if (kind != THING_MONSTER && kind != THING_SCENERY && kind != THING_BARREL) {
        return true;
    }
    for (uint32_t i = 0; i < level->map.thing_count; ++i) {
        if (thing_table_find(level->map.things[i].type) == row) {
            return true;
        }
    }
    return false;
}

static void cut_want_all(CutArt* needs, const Stage* stage)
{
    const WadMap* map = &stage->level->map;
    for (uint32_t i = 0; i < map->side_count; ++i) {
        cut_want_texture(needs, stage->sides[i].upper);
        cut_want_texture(needs, stage->sides[i].lower);
        cut_want_texture(needs, stage->sides[i].middle);
    }
    cut_want_texture(needs, stage->sky);
    for (uint32_t i = 0; i < map->sector_count; ++i) {
        cut_want_flat(needs, stage->sectors[i].floor);
        cut_want_flat(needs, stage->sectors[i].ceiling);
    }
    cut_want_flat(needs, stage->sky_flat);
    for (uint16_t row = 0; row < thing_table_count; ++row) {
        if (stage->sprites[row] != NULL && cut_can_be_there(stage->level, row)) {
            cut_want_lumps(needs, stage->sprites[row]->name);
        }
    }
    cut_want_lumps(needs, look_puff.sprite);
    for (uint32_t i = 0; i < WEAPON_COUNT; ++i) {
        cut_want_lumps(needs, look_weapons[i].sprite);
        cut_want_lumps(needs, look_weapons[i].flash != NULL ? look_weapons[i].flash : "PUNG");
    }
    for (uint32_t i = 0; sound_lump(i) != NULL; ++i) {
        cut_want_lumps(needs, sound_lump(i));
    }
    cut_want_lumps(needs, "STTNUM");
    cut_want_lumps(needs, "STTPRCNT");
    cut_want_lumps(needs, "STKEYS");
    cut_want_lumps(needs, "PLAYPAL");
    cut_want_lumps(needs, "COLORMAP");
    cut_want_lumps(needs, "PNAMES");
    cut_want_lumps(needs, "F_START");
    cut_want_lumps(needs, "F_END");
    cut_want_lumps(needs, "S_START");
    cut_want_lumps(needs, "S_END");
    for (uint32_t p = 0; p < needs->art.patch_count; ++p) {
        needs->lumps[needs->art.patch_lumps[p]] |= needs->patches[p];
    }
    for (uint32_t i = 0; i < needs->art.flat_count; ++i) {
        size_t offset = (size_t)(needs->art.flats[i].pixels - needs->art.wad.bytes);
        for (uint32_t n = 0; needs->flats[i] && n < needs->art.wad.lump_count; ++n) {
            const WadLump* lump = &needs->art.wad.lumps[n];
            needs->lumps[n] = needs->lumps[n] || (lump->offset == offset && lump->size != 0);
        }
    }
}

/* Both lists in one. */
static void cut_textures(Cut* cut, const CutArt* needs)
{
    const Art* art = &needs->art;
    uint32_t count = 0;
    size_t size = 4;
    for (uint32_t i = 0; i < art->texture_count; ++i) {
        count += needs->textures[i];
        size += needs->textures[i] ? 4 + 22 + (size_t)art->textures[i].patch_count * 10 : 0;
    }
    uint8_t* bytes = cut_add(cut, "TEXTURE1", size);
    if (bytes == NULL) {
        return;
    }
    cut_set(bytes, count, 4);
    size_t entry = 4, at = 4 + (size_t)count * 4;
    for (uint32_t i = 0; i < art->texture_count; ++i) {
        size_t length = 22 + (size_t)art->textures[i].patch_count * 10;
        if (needs->textures[i]) {
            cut_set(bytes + entry, (uint32_t)at, 4);
            memcpy(bytes + at, art->wad.bytes + art->textures[i].patches - 22, length);
            entry += 4;
            at += length;
        }
    }
}

static void cut_lumps(Cut* cut, const CutArt* needs, const char* map)
{
    const Wad* wad = &needs->art.wad;
    cut_add(cut, "FREEDOOM", 0); /* lump 0 is none where pictures are concerned */
    for (uint32_t m = 0; m < wad->map_count; ++m) {
        if (strcmp(wad_map_name(wad, m), map) == 0) {
            cut_whole_map(cut, wad, wad->maps[m]);
        }
    }
    cut_textures(cut, needs);
    for (uint32_t i = 1; i < wad->lump_count; ++i) {
        if (needs->lumps[i]) {
            cut_copy(cut, wad, i);
        }
    }
}

static bool cut_seen(const char* folder, const char* wad, const char* map, const Level* level,
                     Fault* fault)
{
    Cut* cut = calloc(1, sizeof *cut);
    CutArt* needs = calloc(1, sizeof *needs);
    Stage stage = {0};
    bool good = (cut != NULL && needs != NULL) || fault_set(fault, "out of memory");
    good = good && art_open(&needs->art, wad, fault);
    good = good && stage_open(&stage, level, &needs->art, fault);
    if (good) {
        cut_want_all(needs, &stage);
        cut_lumps(cut, needs, map);
        stage_close(&stage);
        art_close(&needs->art);
    }
    good = good && cut_write(cut, folder, "first.wad", fault);
    free(cut != NULL ? cut->bytes : NULL);
    free(cut);
    free(needs);
    return good;
}

/* The map as the last of the files has it. */
static bool cut_first(const char* folder, const char* const* wads, int wad_count, const char* map,
                      Fault* fault)
{
    for (int i = wad_count; i-- > 0;) {
        Atlas atlas = {0};
        bool good = atlas_add(&atlas, wads[i], &map, 1, fault);
        const Level* level = atlas_find(&atlas, map);
        bool found = good && level != NULL;
        good = good && (!found || cut_seen(folder, wads[i], map, level, fault));
        atlas_deinit(&atlas);
        if (!good || found) {
            return good;
        }
    }
    return fault_set(fault, "%s: no file has a map of this name", map);
}

int main(int count, char** texts)
{
    Fault fault;
    if (count < 4) {
        fputs("usage: freedoom_cut FOLDER MAP WAD...\n", stderr);
        return 2;
    }
    const char* const* wads = (const char* const*)(texts + 3);
    if (!cut_first(texts[1], wads, count - 3, texts[2], &fault) ||
        !cut_levels(texts[1], wads, count - 3, texts[2], &fault)) {
        fprintf(stderr, "freedoom_cut: %s\n", fault.text);
        return 1;
    }
    return 0;
}

/* wad_cut.h - a small WAD made of some maps of a real one, to be damaged by tests.
 *
 * Header and directory come first, so that a cut of the end leaves them whole: then it is the lumps
 * that are missing, which is the more interesting case. */
#ifndef FREEDOOM_WAD_CUT_H
#define FREEDOOM_WAD_CUT_H

#include "check.h"
#include "wad.h"

#ifndef FREEDOOM_WAD_FOLDER
#define FREEDOOM_WAD_FOLDER "/usr/share/games/doom"
#endif

#define WAD_CUT_FIRST FREEDOOM_WAD_FOLDER "/freedoom1.wad"
#define WAD_CUT_SECOND FREEDOOM_WAD_FOLDER "/freedoom2.wad"

typedef struct WadCut {
    uint8_t* bytes;
    size_t size;
} WadCut;

static inline void wad_cut_put(uint8_t* at, uint32_t value, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        at[i] = (uint8_t)(value >> (8 * i));
    }
}

static inline uint32_t wad_cut_get(const uint8_t* at, size_t size)
{
    uint32_t value = 0;
    for (size_t i = 0; i < size; i++) {
        value |= (uint32_t)at[i] << (8 * i);
    }
    return value;
}

static inline uint32_t wad_cut_find(const Wad* wad, const char* map)
{
    for (uint32_t n = 0; n < wad->map_count; n++) {
        if (strcmp(wad_map_name(wad, n), map) == 0) {
            return wad->maps[n];
        }
    }
    CHECK_MSG(false, "%s has no map %s", wad->label, map);
    return 0;
}

/* The marker and the ten lumps after it. */
#define WAD_CUT_LUMPS 11u

static inline WadCut wad_cut_make(const char* path, const char* const* maps, uint32_t map_count)
{
    Wad wad;
    Fault fault;
    CHECK_MSG(wad_open(&wad, path, &fault), "%s", fault.text);
    uint32_t lumps = map_count * WAD_CUT_LUMPS;
    size_t size = 12 + (size_t)lumps * 16;
    for (uint32_t m = 0; m < map_count; m++) {
        for (uint32_t k = 0; k < WAD_CUT_LUMPS; k++) {
            size += wad.lumps[wad_cut_find(&wad, maps[m]) + k].size;
        }
    }
    WadCut cut = {malloc(size), size};
    CHECK(cut.bytes != NULL);
    memcpy(cut.bytes, "PWAD", 4);
    wad_cut_put(cut.bytes + 4, lumps, 4);
    wad_cut_put(cut.bytes + 8, 12, 4);
    size_t end = 12 + (size_t)lumps * 16;
    uint8_t* entry = cut.bytes + 12;
    for (uint32_t m = 0; m < map_count; m++) {
        for (uint32_t k = 0; k < WAD_CUT_LUMPS; k++, entry += 16) {
            const WadLump* lump = &wad.lumps[wad_cut_find(&wad, maps[m]) + k];
            memcpy(cut.bytes + end, wad.bytes + lump->offset, lump->size);
            wad_cut_put(entry, (uint32_t)end, 4);
            wad_cut_put(entry + 4, (uint32_t)lump->size, 4);
            memcpy(entry + 8, lump->name, 8);
            end += lump->size;
        }
    }
    wad_close(&wad);
    return cut;
}

/* The directory entry of the n-th lump after the first marker. */
static inline uint8_t* wad_cut_entry(const WadCut* cut, uint32_t n)
{
    return cut->bytes + 12 + (size_t)n * 16;
}

/* The bytes of that lump. */
static inline uint8_t* wad_cut_lump(const WadCut* cut, uint32_t n)
{
    return cut->bytes + wad_cut_get(wad_cut_entry(cut, n), 4);
}

/* The usual small generator; tests print the seed that they begin with. */
static inline uint32_t wad_cut_random(uint64_t* state, uint32_t below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(((*state >> 32) * below) >> 32);
}

/* Overwrites a few bytes, more often where offsets, counts and indices are than elsewhere. */
static inline void wad_cut_damage(uint8_t* bytes, size_t size, size_t directory, size_t entries,
                                  uint64_t* state)
{
    static const uint32_t spicy[] = {0, 1, 0x7fff, 0x8000, 0xfffe, 0xffff, 0x7fffffff, 0xffffffff};
    uint32_t count = 1 + wad_cut_random(state, 6);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t where = wad_cut_random(state, 8);
        size_t at = where == 0  ? wad_cut_random(state, 12)
                    : where < 3 ? directory + wad_cut_random(state, (uint32_t)(entries * 16))
                                : wad_cut_random(state, (uint32_t)size);
        size_t width = (size_t)1 << wad_cut_random(state, 3);
        uint32_t value = wad_cut_random(state, 2) == 0
                             ? spicy[wad_cut_random(state, sizeof spicy / sizeof spicy[0])]
                             : wad_cut_random(state, UINT32_MAX);
        if (at + width <= size) {
            wad_cut_put(bytes + at, value, width);
        }
    }
}

#endif

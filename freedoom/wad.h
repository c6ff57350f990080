/* wad.h - reads the levels out of a WAD file, trusting none of its bytes.
 *
 * A WAD is a header, a pile of lumps and a directory. A map is a marker lump (E1M1, MAP01) followed
 * by lumps with its tables, which refer to each other by number: lines to vertices and sides, sides
 * to sectors, segs to lines, subsectors to segs, nodes to nodes, the blockmap to lines. Whatever
 * wad_read_map hands out has been checked: every number is in range, the nodes form no cycle and
 * every list of the blockmap ends. Code above this file indexes without looking again. */
#ifndef FREEDOOM_WAD_H
#define FREEDOOM_WAD_H

#include "fault.h"

#include <stddef.h>
#include <stdint.h>

#define WAD_NAME_SIZE 9           /* eight characters and a zero */
#define WAD_NO_SIDE 0xffffu       /* a line with nothing on that side */
#define WAD_SUBSECTOR_BIT 0x8000u /* in a node's child: it is a subsector, not a node */
#define WAD_BLOCK_LIST_END 0xffffu

/* Bits of WadLine.flags. */
#define WAD_LINE_BLOCKS 0x0001u
#define WAD_LINE_BLOCKS_MONSTERS 0x0002u
#define WAD_LINE_TWO_SIDED 0x0004u
#define WAD_LINE_UPPER_UNPEGGED 0x0008u /* its upper texture hangs from the ceiling in front */
#define WAD_LINE_LOWER_UNPEGGED 0x0010u /* the others stand on the floor */

typedef struct WadThing {
    int16_t x, y;   /* map units */
    uint16_t angle; /* degrees, 0 is east, counter-clockwise */
    uint16_t type;  /* see thing_table.h */
    uint16_t flags; /* at which skill and in which kind of game it appears */
} WadThing;

typedef struct WadVertex {
    int16_t x, y;
} WadVertex;

typedef struct WadLine {
    uint16_t start, end; /* vertices */
    uint16_t flags;
    uint16_t special; /* what it does when used, crossed or shot; 0 is nothing */
    uint16_t tag;     /* the sectors it does that to */
    uint16_t side[2]; /* right, left as seen from start to end; only the left may be WAD_NO_SIDE */
} WadLine;

/* Names of textures and flats are upper case; "-" is none. */
typedef struct WadSide {
    int16_t x, y; /* where the textures begin */
    char upper[WAD_NAME_SIZE], lower[WAD_NAME_SIZE], middle[WAD_NAME_SIZE];
    uint16_t sector;
} WadSide;

typedef struct WadSector {
    int16_t floor, ceiling; /* heights in map units */
    uint16_t light;         /* 0 to 255 */
    uint16_t special;
    uint16_t tag;
    char floor_flat[WAD_NAME_SIZE], ceiling_flat[WAD_NAME_SIZE];
} WadSector;

typedef struct WadSeg {
    uint16_t start, end; /* vertices */
    uint16_t line;
    uint16_t side; /* 0 or 1, and the line has that side */
} WadSeg;

typedef struct WadSubsector {
    uint16_t seg_count; /* at least 1 */
    uint16_t first_seg;
} WadSubsector;

/* A rectangle of map units. */
typedef struct WadBox {
    int16_t top, bottom, left, right;
} WadBox;

typedef struct WadNode {
    int16_t x, y, dx, dy; /* the line that parts the plane */
    WadBox box[2];        /* around what lies to the right, to the left */
    uint16_t
        child[2]; /* right, left; a child that is a node has a smaller number than its parent */
} WadNode;

/* Grid of squares of 128 units. The lists are kept as in the file: from offset[i], in words, a
 * zero, the lines, WAD_BLOCK_LIST_END. `words` is NULL if the map has none; that is allowed. */
typedef struct WadBlockmap {
    int16_t x, y; /* lower left corner, map units */
    uint16_t columns, rows;
    uint32_t word_count;
    uint16_t* words; /* the whole lump; the offsets start at words[4] */
} WadBlockmap;

typedef struct WadMap {
    char name[WAD_NAME_SIZE];
    uint32_t thing_count, vertex_count, line_count, side_count, sector_count;
    uint32_t seg_count, subsector_count, node_count;
    WadThing* things;
    WadVertex* vertices;
    WadLine* lines;
    WadSide* sides;
    WadSector* sectors;
    WadSeg* segs;
    WadSubsector* subsectors;
    WadNode* nodes; /* the last one is the root; none if there is one subsector only */
    WadBlockmap blockmap;
} WadMap;

typedef struct WadLump {
    char name[WAD_NAME_SIZE];
    size_t offset, size; /* inside the file, checked */
} WadLump;

typedef struct Wad {
    char* label; /* how messages call it: its path */
    uint8_t* bytes;
    size_t size;
    WadLump* lumps;
    uint32_t lump_count;
    uint32_t* maps; /* the markers' places in the directory */
    uint32_t map_count;
} Wad;

/* Reads a file and checks header and directory. A file without any map is rejected.
 * Returns false, and leaves nothing to close, if the file cannot be read or is not sound. */
bool wad_open(Wad* wad, const char* path, Fault* fault);

/* The same with bytes in memory, which are copied. */
bool wad_open_memory(Wad* wad, const char* label, const void* bytes, size_t size, Fault* fault);

void wad_close(Wad* wad);

/* Name of the n-th map, n < map_count. */
const char* wad_map_name(const Wad* wad, uint32_t n);

/* Returns the last lump of this name, or NULL. Cost: O(lumps). */
const WadLump* wad_find_lump(const Wad* wad, const char* name);

/* Reads and checks one map. Returns false, and leaves nothing to free, if it is not sound. */
bool wad_read_map(const Wad* wad, uint32_t n, WadMap* map, Fault* fault);

void wad_free_map(WadMap* map);

#endif

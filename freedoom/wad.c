/* wad.c - see wad.h.
 *
 * All reading goes through two doors: wad_open_* checks once that every lump lies inside the file,
 * and wad_take_table hands a lump's records to a decoder one at a time, after checking that the
 * lump holds whole records. The decoders turn little-endian bytes into structs; the checks of what
 * they mean follow when all tables of a map are there, since most of them need two. */
#include "wad.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WAD_HEADER_SIZE 12u
#define WAD_ENTRY_SIZE 16u
#define WAD_FILE_LIMIT ((size_t)512 << 20) /* larger than any real one; a pipe may never end */

/* The lumps of a map, in the order in which they follow the marker. */
typedef enum WadTable {
    WAD_THINGS,
    WAD_LINEDEFS,
    WAD_SIDEDEFS,
    WAD_VERTEXES,
    WAD_SEGS,
    WAD_SSECTORS,
    WAD_NODES,
    WAD_SECTORS,
    WAD_REJECT,
    WAD_BLOCKMAP,
    WAD_TABLE_COUNT
} WadTable;

static const char* const wad_table_names[WAD_TABLE_COUNT] = {
    "THINGS",   "LINEDEFS", "SIDEDEFS", "VERTEXES", "SEGS",
    "SSECTORS", "NODES",    "SECTORS",  "REJECT",   "BLOCKMAP",
};

/* What a step of reading a map needs to know, mostly for its messages. */
typedef struct WadReader {
    const Wad* wad;
    WadMap* map;
    const WadLump* lumps[WAD_TABLE_COUNT]; /* NULL where the map has none */
    Fault* fault;
} WadReader;

/* --- bytes -------------------------------------------------------------------------------------
 */

static uint16_t wad_u16(const uint8_t* at)
{
    return (uint16_t)(at[0] | (unsigned)at[1] << 8);
}

static int16_t wad_i16(const uint8_t* at)
{
    uint16_t bits = wad_u16(at);
    return (int16_t)(bits < 0x8000u ? (int)bits : (int)bits - 0x10000);
}

static uint32_t wad_u32(const uint8_t* at)
{
    return wad_u16(at) | (uint32_t)wad_u16(at + 2) << 16;
}

static void wad_copy_name(char name[WAD_NAME_SIZE], const uint8_t* at)
{
    memcpy(name, at, WAD_NAME_SIZE - 1);
    name[WAD_NAME_SIZE - 1] = '\0';
}

/* Some editors write the names of textures in lower case. */
static void wad_copy_upper(char name[WAD_NAME_SIZE], const uint8_t* at)
{
    wad_copy_name(name, at);
    for (int i = 0; name[i] != '\0'; ++i) {
        name[i] = (char)(name[i] >= 'a' && name[i] <= 'z' ? name[i] - 'a' + 'A' : name[i]);
    }
}

/* --- the file ----------------------------------------------------------------------------------
 */

/* Reads to the end instead of asking for the size: the answer can be wrong, and is for a directory.
 */
static bool wad_read_stream(Wad* wad, FILE* stream, Fault* fault)
{
    size_t capacity = 0;
    for (;;) {
        if (wad->size == capacity) {
            capacity = capacity == 0 ? (size_t)1 << 20 : capacity * 2;
            uint8_t* grown = capacity <= WAD_FILE_LIMIT ? realloc(wad->bytes, capacity) : NULL;
            if (grown == NULL) {
                return fault_set(fault, "%s: too large", wad->label);
            }
            wad->bytes = grown;
        }
        size_t got = fread(wad->bytes + wad->size, 1, capacity - wad->size, stream);
        wad->size += got;
        if (got == 0) {
            break;
        }
    }
    if (ferror(stream)) {
        return fault_set(fault, "%s: cannot be read: %s", wad->label, strerror(errno));
    }
    return true;
}

static bool wad_check_header(Wad* wad, size_t* directory_offset, Fault* fault)
{
    if (wad->size < WAD_HEADER_SIZE) {
        return fault_set(fault, "%s: not a WAD file: %zu bytes, the header alone has %u",
                         wad->label, wad->size, WAD_HEADER_SIZE);
    }
    if (memcmp(wad->bytes, "IWAD", 4) != 0 && memcmp(wad->bytes, "PWAD", 4) != 0) {
        return fault_set(fault, "%s: not a WAD file: it starts with neither IWAD nor PWAD",
                         wad->label);
    }
    uint32_t count = wad_u32(wad->bytes + 4);
    uint32_t offset = wad_u32(wad->bytes + 8);
    if (offset > wad->size || count > (wad->size - offset) / WAD_ENTRY_SIZE) {
        return fault_set(fault,
                         "%s: directory of %lu lumps at byte %lu does not fit into %zu bytes",
                         wad->label, (unsigned long)count, (unsigned long)offset, wad->size);
    }
    wad->lump_count = count;
    *directory_offset = offset;
    return true;
}

static bool wad_read_directory(Wad* wad, size_t directory_offset, Fault* fault)
{
    wad->lumps = calloc((size_t)wad->lump_count + 1, sizeof *wad->lumps);
    if (wad->lumps == NULL) {
        return fault_set(fault, "%s: out of memory", wad->label);
    }
    for (uint32_t i = 0; i < wad->lump_count; ++i) {
        const uint8_t* entry = wad->bytes + directory_offset + (size_t)i * WAD_ENTRY_SIZE;
        WadLump* lump = &wad->lumps[i];
        uint32_t offset = wad_u32(entry);
        uint32_t size = wad_u32(entry + 4);
        wad_copy_name(lump->name, entry + 8);
        /* Markers are empty and carry any offset. */
        if (size != 0 && (offset > wad->size || size > wad->size - offset)) {
            return fault_set(fault, "%s: lump %lu (%s): %lu bytes at byte %lu, the file has %zu",
                             wad->label, (unsigned long)i, lump->name, (unsigned long)size,
                             (unsigned long)offset, wad->size);
        }
        lump->offset = size == 0 ? 0 : offset;
        lump->size = size;
    }
    return true;
}

static bool wad_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* ExMy or MAPxx. */
static bool wad_is_map_name(const char* name)
{
    if (name[0] == 'E' && wad_is_digit(name[1]) && name[2] == 'M' && wad_is_digit(name[3])) {
        return name[4] == '\0';
    }
    return strncmp(name, "MAP", 3) == 0 && wad_is_digit(name[3]) && wad_is_digit(name[4]) &&
           name[5] == '\0';
}

static bool wad_find_maps(Wad* wad, Fault* fault)
{
    wad->maps = calloc((size_t)wad->lump_count + 1, sizeof *wad->maps);
    if (wad->maps == NULL) {
        return fault_set(fault, "%s: out of memory", wad->label);
    }
    for (uint32_t i = 0; i < wad->lump_count; ++i) {
        if (wad_is_map_name(wad->lumps[i].name)) {
            wad->maps[wad->map_count++] = i;
        }
    }
    if (wad->map_count == 0) {
        return fault_set(fault, "%s: no map in it (no lump named like E1M1 or MAP01 among %lu)",
                         wad->label, (unsigned long)wad->lump_count);
    }
    return true;
}

static bool wad_index_bytes(Wad* wad, Fault* fault)
{
    size_t directory_offset = 0;
    return wad_check_header(wad, &directory_offset, fault) &&
           wad_read_directory(wad, directory_offset, fault) && wad_find_maps(wad, fault);
}

static bool wad_set_label(Wad* wad, const char* label, Fault* fault)
{
    *wad = (Wad){0};
    size_t size = strlen(label) + 1;
    wad->label = malloc(size);
    if (wad->label == NULL) {
        return fault_set(fault, "%s: out of memory", label);
    }
    memcpy(wad->label, label, size);
    return true;
}

bool wad_open(Wad* wad, const char* path, Fault* fault)
{
    if (!wad_set_label(wad, path, fault)) {
        return false;
    }
    FILE* stream = fopen(path, "rb");
    bool good = stream != NULL;
    if (stream == NULL) {
        fault_set(fault, "%s: cannot be opened: %s", path, strerror(errno));
    } else {
        good = wad_read_stream(wad, stream, fault);
        fclose(stream);
    }
    good = good && wad_index_bytes(wad, fault);
    if (!good) {
        wad_close(wad);
    }
    return good;
}

bool wad_open_memory(Wad* wad, const char* label, const void* bytes, size_t size, Fault* fault)
{
    if (!wad_set_label(wad, label, fault)) {
        return false;
    }
    wad->size = size;
    wad->bytes = malloc(size + 1);
    bool good = wad->bytes != NULL;
    if (!good) {
        fault_set(fault, "%s: out of memory", label);
    } else if (size != 0) {
        memcpy(wad->bytes, bytes, size);
    }
    good = good && wad_index_bytes(wad, fault);
    if (!good) {
        wad_close(wad);
    }
    return good;
}

void wad_close(Wad* wad)
{
    free(wad->label);
    free(wad->bytes);
    free(wad->lumps);
    free(wad->maps);
    *wad = (Wad){0};
}

const char* wad_map_name(const Wad* wad, uint32_t n)
{
    return wad->lumps[wad->maps[n]].name;
}

const WadLump* wad_find_lump(const Wad* wad, const char* name)
{
    for (uint32_t i = wad->lump_count; i-- > 0;) {
        if (strcmp(wad->lumps[i].name, name) == 0) {
            return &wad->lumps[i];
        }
    }
    return NULL;
}

/* --- a map's lumps -----------------------------------------------------------------------------
 */

static int wad_table_of(const char* name)
{
    for (int table = 0; table < WAD_TABLE_COUNT; ++table) {
        if (strcmp(name, wad_table_names[table]) == 0) {
            return table;
        }
    }
    return -1;
}

static bool wad_find_tables(WadReader* reader, uint32_t marker)
{
    const Wad* wad = reader->wad;
    const char* map_name = wad->lumps[marker].name;
    for (uint32_t i = marker + 1; i < wad->lump_count; ++i) {
        const WadLump* lump = &wad->lumps[i];
        if (strcmp(lump->name, "BEHAVIOR") == 0 || strcmp(lump->name, "TEXTMAP") == 0) {
            return fault_set(reader->fault, "%s: %s: has a %s lump: not a map in Doom's format",
                             wad->label, map_name, lump->name);
        }
        int table = wad_table_of(lump->name);
        if (table < 0) {
            break;
        }
        if (reader->lumps[table] != NULL) {
            return fault_set(reader->fault, "%s: %s: two %s lumps", wad->label, map_name,
                             lump->name);
        }
        reader->lumps[table] = lump;
    }
    for (int table = 0; table < WAD_TABLE_COUNT; ++table) {
        bool optional = table == WAD_REJECT || table == WAD_BLOCKMAP;
        if (reader->lumps[table] == NULL && !optional) {
            return fault_set(reader->fault, "%s: %s: has no %s lump", wad->label, map_name,
                             wad_table_names[table]);
        }
    }
    return true;
}

typedef void WadDecode(void* record, const uint8_t* bytes);

/* Decodes a lump of records of `stride` bytes into an array of `record_size` structs. */
static bool wad_take_table(WadReader* reader, WadTable table, size_t stride, size_t record_size,
                           WadDecode* decode, void** records, uint32_t* count)
{
    const Wad* wad = reader->wad;
    const WadLump* lump = reader->lumps[table];
    if (lump->size % stride != 0) {
        return fault_set(reader->fault, "%s: %s: %s has %zu bytes, not a multiple of %zu",
                         wad->label, reader->map->name, lump->name, lump->size, stride);
    }
    size_t n = lump->size / stride;
    /* Everything refers to records by 16 bits; more of them than that are a lie about the size. */
    if (n > 0x10000u) {
        return fault_set(reader->fault, "%s: %s: %s has %zu records, 65536 is the most", wad->label,
                         reader->map->name, lump->name, n);
    }
    char* memory = calloc(n + 1, record_size);
    if (memory == NULL) {
        return fault_set(reader->fault, "%s: out of memory", wad->label);
    }
    for (size_t i = 0; i < n; ++i) {
        decode(memory + i * record_size, wad->bytes + lump->offset + i * stride);
    }
    *records = memory;
    *count = (uint32_t)n;
    return true;
}

static void wad_decode_thing(void* record, const uint8_t* at)
{
    *(WadThing*)record = (WadThing){.x = wad_i16(at),
                                    .y = wad_i16(at + 2),
                                    .angle = wad_u16(at + 4),
                                    .type = wad_u16(at + 6),
                                    .flags = wad_u16(at + 8)};
}

static void wad_decode_line(void* record, const uint8_t* at)
{
    *(WadLine*)record = (WadLine){.start = wad_u16(at),
                                  .end = wad_u16(at + 2),
                                  .flags = wad_u16(at + 4),
                                  .special = wad_u16(at + 6),
                                  .tag = wad_u16(at + 8),
                                  .side = {wad_u16(at + 10), wad_u16(at + 12)}};
}

static void wad_decode_side(void* record, const uint8_t* at)
{
    WadSide* side = record;
    *side = (WadSide){.x = wad_i16(at), .y = wad_i16(at + 2), .sector = wad_u16(at + 28)};
    wad_copy_upper(side->upper, at + 4);
    wad_copy_upper(side->lower, at + 12);
    wad_copy_upper(side->middle, at + 20);
}

static void wad_decode_vertex(void* record, const uint8_t* at)
{
    *(WadVertex*)record = (WadVertex){.x = wad_i16(at), .y = wad_i16(at + 2)};
}

/* A seg is two vertices, an angle, line, side, offset; the last follows from the others. */
static void wad_decode_seg(void* record, const uint8_t* at)
{
    *(WadSeg*)record = (WadSeg){.start = wad_u16(at),
                                .end = wad_u16(at + 2),
                                .line = wad_u16(at + 6),
                                .side = wad_u16(at + 8)};
}

static void wad_decode_subsector(void* record, const uint8_t* at)
{
    *(WadSubsector*)record = (WadSubsector){.seg_count = wad_u16(at), .first_seg = wad_u16(at + 2)};
}

static WadBox wad_decode_box(const uint8_t* at)
{
    return (WadBox){.top = wad_i16(at),
                    .bottom = wad_i16(at + 2),
                    .left = wad_i16(at + 4),
                    .right = wad_i16(at + 6)};
}

static void wad_decode_node(void* record, const uint8_t* at)
{
    *(WadNode*)record = (WadNode){.x = wad_i16(at),
                                  .y = wad_i16(at + 2),
                                  .dx = wad_i16(at + 4),
                                  .dy = wad_i16(at + 6),
                                  .box = {wad_decode_box(at + 8), wad_decode_box(at + 16)},
                                  .child = {wad_u16(at + 24), wad_u16(at + 26)}};
}

static void wad_decode_sector(void* record, const uint8_t* at)
{
    WadSector* sector = record;
    *sector = (WadSector){.floor = wad_i16(at),
                          .ceiling = wad_i16(at + 2),
                          .light = wad_u16(at + 20),
                          .special = wad_u16(at + 22),
                          .tag = wad_u16(at + 24)};
    wad_copy_upper(sector->floor_flat, at + 4);
    wad_copy_upper(sector->ceiling_flat, at + 12);
}

/* `field` and `field_count` are members of WadMap, of different types for each table. */
#define WAD_TAKE(reader, table, stride, type, decode, field, field_count)                          \
    wad_take_table_into(reader, table, stride, sizeof(type), decode, &(reader)->map->field,        \
                        sizeof(reader)->map->field, &(reader)->map->field_count)

/* Pointers of different types may not be written through one void**; memcpy is the clean way. */
static bool wad_take_table_into(WadReader* reader, WadTable table, size_t stride,
                                size_t record_size, WadDecode* decode, void* field,
                                size_t field_size, uint32_t* count)
{
    void* records = NULL;
    bool good = wad_take_table(reader, table, stride, record_size, decode, &records, count);
    memcpy(field, &records, field_size);
    return good;
}

static bool wad_take_tables(WadReader* r)
{
    return WAD_TAKE(r, WAD_THINGS, 10, WadThing, wad_decode_thing, things, thing_count) &&
           WAD_TAKE(r, WAD_LINEDEFS, 14, WadLine, wad_decode_line, lines, line_count) &&
           WAD_TAKE(r, WAD_SIDEDEFS, 30, WadSide, wad_decode_side, sides, side_count) &&
           WAD_TAKE(r, WAD_VERTEXES, 4, WadVertex, wad_decode_vertex, vertices, vertex_count) &&
           WAD_TAKE(r, WAD_SEGS, 12, WadSeg, wad_decode_seg, segs, seg_count) &&
           WAD_TAKE(r, WAD_SSECTORS, 4, WadSubsector, wad_decode_subsector, subsectors,
                    subsector_count) &&
           WAD_TAKE(r, WAD_NODES, 28, WadNode, wad_decode_node, nodes, node_count) &&
           WAD_TAKE(r, WAD_SECTORS, 26, WadSector, wad_decode_sector, sectors, sector_count);
}

/* --- what the numbers refer to -----------------------------------------------------------------
 */

/* One check for all references: the user learns which record of which lump points where. */
static bool wad_check_index(const WadReader* reader, WadTable from, uint32_t record, uint32_t index,
                            WadTable to, uint32_t count)
{
    if (index < count) {
        return true;
    }
    return fault_set(
        reader->fault, "%s: %s: %s record %lu refers to number %lu of %s, which has %lu",
        reader->wad->label, reader->map->name, wad_table_names[from], (unsigned long)record,
        (unsigned long)index, wad_table_names[to], (unsigned long)count);
}

static bool wad_check_not_empty(const WadReader* reader)
{
    const WadMap* map = reader->map;
    const struct {
        WadTable table;
        uint32_t count;
    } needed[] = {{WAD_LINEDEFS, map->line_count},      {WAD_SIDEDEFS, map->side_count},
                  {WAD_VERTEXES, map->vertex_count},    {WAD_SEGS, map->seg_count},
                  {WAD_SSECTORS, map->subsector_count}, {WAD_SECTORS, map->sector_count}};
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; ++i) {
        if (needed[i].count == 0) {
            return fault_set(reader->fault, "%s: %s: %s is empty", reader->wad->label, map->name,
                             wad_table_names[needed[i].table]);
        }
    }
    if (map->node_count > WAD_SUBSECTOR_BIT) {
        return fault_set(reader->fault, "%s: %s: NODES has %lu records, %u is the most",
                         reader->wad->label, map->name, (unsigned long)map->node_count,
                         WAD_SUBSECTOR_BIT);
    }
    if (map->node_count == 0 && map->subsector_count != 1) {
        return fault_set(reader->fault, "%s: %s: NODES is empty, and there are %lu SSECTORS",
                         reader->wad->label, map->name, (unsigned long)map->subsector_count);
    }
    return true;
}

static bool wad_check_lines(const WadReader* reader)
{
    const WadMap* map = reader->map;
    for (uint32_t i = 0; i < map->line_count; ++i) {
        const WadLine* line = &map->lines[i];
        bool has_left = line->side[1] != WAD_NO_SIDE;
        if (!wad_check_index(reader, WAD_LINEDEFS, i, line->start, WAD_VERTEXES,
                             map->vertex_count) ||
            !wad_check_index(reader, WAD_LINEDEFS, i, line->end, WAD_VERTEXES, map->vertex_count) ||
            !wad_check_index(reader, WAD_LINEDEFS, i, line->side[0], WAD_SIDEDEFS,
                             map->side_count) ||
            (has_left && !wad_check_index(reader, WAD_LINEDEFS, i, line->side[1], WAD_SIDEDEFS,
                                          map->side_count))) {
            return false;
        }
    }
    for (uint32_t i = 0; i < map->side_count; ++i) {
        if (!wad_check_index(reader, WAD_SIDEDEFS, i, map->sides[i].sector, WAD_SECTORS,
                             map->sector_count)) {
            return false;
        }
    }
    return true;
}

static bool wad_check_segs(const WadReader* reader)
{
    const WadMap* map = reader->map;
    for (uint32_t i = 0; i < map->seg_count; ++i) {
        const WadSeg* seg = &map->segs[i];
        if (!wad_check_index(reader, WAD_SEGS, i, seg->line, WAD_LINEDEFS, map->line_count) ||
            !wad_check_index(reader, WAD_SEGS, i, seg->start, WAD_VERTEXES, map->vertex_count) ||
            !wad_check_index(reader, WAD_SEGS, i, seg->end, WAD_VERTEXES, map->vertex_count)) {
            return false;
        }
        if (seg->side > 1 || map->lines[seg->line].side[seg->side] == WAD_NO_SIDE) {
            return fault_set(reader->fault,
                             "%s: %s: SEGS record %lu lies on side %u of line %u, "
                             "which is not there",
                             reader->wad->label, map->name, (unsigned long)i, seg->side, seg->line);
        }
    }
    return true;
}

static bool wad_check_subsectors(const WadReader* reader)
{
    const WadMap* map = reader->map;
    for (uint32_t i = 0; i < map->subsector_count; ++i) {
        const WadSubsector* sub = &map->subsectors[i];
        if (sub->seg_count == 0) {
            return fault_set(reader->fault, "%s: %s: SSECTORS record %lu has no segs",
                             reader->wad->label, map->name, (unsigned long)i);
        }
        uint32_t last = (uint32_t)sub->first_seg + sub->seg_count - 1;
        if (!wad_check_index(reader, WAD_SSECTORS, i, last, WAD_SEGS, map->seg_count)) {
            return false;
        }
    }
    return true;
}

/* Builders write children before their parents. Insisting on it rules out cycles: a walk from the
 * root reaches a subsector in at most node_count steps. */
static bool wad_check_nodes(const WadReader* reader)
{
    const WadMap* map = reader->map;
    for (uint32_t i = 0; i < map->node_count; ++i) {
        for (int side = 0; side < 2; ++side) {
            uint32_t child = map->nodes[i].child[side];
            if ((child & WAD_SUBSECTOR_BIT) != 0) {
                child &= WAD_SUBSECTOR_BIT - 1u;
                if (!wad_check_index(reader, WAD_NODES, i, child, WAD_SSECTORS,
                                     map->subsector_count)) {
                    return false;
                }
            } else if (child >= i) {
                return fault_set(reader->fault,
                                 "%s: %s: NODES record %lu has node %lu as its child; "
                                 "a child comes before its parent",
                                 reader->wad->label, map->name, (unsigned long)i,
                                 (unsigned long)child);
            }
        }
    }
    return true;
}

/* --- blockmap ----------------------------------------------------------------------------------
 */

/* All lists may share their tails, so walking each of them could take the square of the lump's
 * size. One pass from the back is enough: a list is sound from a word on if that word ends it, or
 * if it names a line and the list is sound from the next word on. `sound` has room for every offset
 * there can be. */
static void wad_mark_sound_lists(const WadMap* map, bool* sound)
{
    const WadBlockmap* grid = &map->blockmap;
    bool ends = false;
    for (uint32_t at = grid->word_count; at-- > 0;) {
        uint16_t word = grid->words[at];
        ends = word == WAD_BLOCK_LIST_END || (ends && word < map->line_count);
        if (at <= UINT16_MAX) {
            sound[at] = ends;
        }
    }
}

static bool wad_check_block_lists(const WadReader* reader)
{
    const WadMap* map = reader->map;
    const WadBlockmap* grid = &map->blockmap;
    bool* sound = calloc((size_t)UINT16_MAX + 1, sizeof *sound);
    if (sound == NULL) {
        return fault_set(reader->fault, "%s: out of memory", reader->wad->label);
    }
    wad_mark_sound_lists(map, sound);
    uint32_t blocks = (uint32_t)grid->columns * grid->rows;
    uint32_t block = 0;
    while (block < blocks && sound[grid->words[4 + block]]) {
        ++block;
    }
    free(sound);
    if (block == blocks) {
        return true;
    }
    return fault_set(reader->fault,
                     "%s: %s: BLOCKMAP list of block %lu, at word %u of %lu, has no end or names "
                     "a line past the %lu there are",
                     reader->wad->label, map->name, (unsigned long)block, grid->words[4 + block],
                     (unsigned long)grid->word_count, (unsigned long)map->line_count);
}

/* A lump that is absent or empty is usual in files made by hand: the level then builds its own
 * grid. */
static bool wad_take_blockmap(WadReader* reader)
{
    WadBlockmap* grid = &reader->map->blockmap;
    const WadLump* lump = reader->lumps[WAD_BLOCKMAP];
    if (lump == NULL || lump->size == 0) {
        return true;
    }
    const uint8_t* at = reader->wad->bytes + lump->offset;
    uint32_t blocks = lump->size < 8 ? 0 : (uint32_t)wad_u16(at + 4) * wad_u16(at + 6);
    if (blocks == 0 || lump->size % 2 != 0 || (lump->size - 8) / 2 < blocks) {
        return fault_set(reader->fault,
                         "%s: %s: BLOCKMAP has %zu bytes and %lu blocks, "
                         "which cannot be",
                         reader->wad->label, reader->map->name, lump->size, (unsigned long)blocks);
    }
    grid->x = wad_i16(at);
    grid->y = wad_i16(at + 2);
    grid->columns = wad_u16(at + 4);
    grid->rows = wad_u16(at + 6);
    grid->words = malloc(lump->size);
    if (grid->words == NULL) {
        return fault_set(reader->fault, "%s: out of memory", reader->wad->label);
    }
    grid->word_count = (uint32_t)(lump->size / 2);
    for (uint32_t i = 0; i < grid->word_count; ++i) {
        grid->words[i] = wad_u16(at + (size_t)i * 2);
    }
    return wad_check_block_lists(reader);
}

/* --- a map -------------------------------------------------------------------------------------
 */

bool wad_read_map(const Wad* wad, uint32_t n, WadMap* map, Fault* fault)
{
    *map = (WadMap){0};
    memcpy(map->name, wad_map_name(wad, n), WAD_NAME_SIZE);
    WadReader reader = {.wad = wad, .map = map, .fault = fault};
    if (wad_find_tables(&reader, wad->maps[n]) && wad_take_tables(&reader) &&
        wad_check_not_empty(&reader) && wad_check_lines(&reader) && wad_check_segs(&reader) &&
        wad_check_subsectors(&reader) && wad_check_nodes(&reader) && wad_take_blockmap(&reader)) {
        return true;
    }
    wad_free_map(map);
    return false;
}

void wad_free_map(WadMap* map)
{
    free(map->things);
    free(map->vertices);
    free(map->lines);
    free(map->sides);
    free(map->sectors);
    free(map->segs);
    free(map->subsectors);
    free(map->nodes);
    free(map->blockmap.words);
    *map = (WadMap){0};
}

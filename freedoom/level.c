/* level.c - see level.h.
 *
 * The lists of the grid are kept as two arrays, first[] and lines[], instead of one list a cell:
 * the cells of a row are neighbours, so that a walk along a row reads memory in order. */
#include "level.h"

#include <stdlib.h>
#include <string.h>

#define LEVEL_WALK_CELL ((int64_t)LEVEL_CELL_SIZE * LEVEL_WALK_UNIT)

/* --- boxes -------------------------------------------------------------------------------------
 */

const LevelBox level_no_box = {INT32_MAX, INT32_MIN, INT32_MAX, INT32_MIN};

LevelBox level_box(Fixed x, Fixed y, Fixed reach)
{
    return level_box_widen((LevelBox){x, x, y, y}, reach);
}

LevelBox level_box_widen(LevelBox box, Fixed reach)
{
    return (LevelBox){.left = fixed_add(box.left, -reach),
                      .right = fixed_add(box.right, reach),
                      .bottom = fixed_add(box.bottom, -reach),
                      .top = fixed_add(box.top, reach)};
}

void level_box_join(LevelBox* box, const LevelBox* other)
{
    box->left = fixed_min(box->left, other->left);
    box->right = fixed_max(box->right, other->right);
    box->bottom = fixed_min(box->bottom, other->bottom);
    box->top = fixed_max(box->top, other->top);
}

/* --- walking along cells -----------------------------------------------------------------------
 */

/* The rows that the way passes while it is in the current column. */
static void level_walk_enter_column(LevelWalk* walk)
{
    int64_t left = walk->column * LEVEL_WALK_CELL;
    int64_t right = left + LEVEL_WALK_CELL;
    bool starts_inside = walk->x0 >= left;
    bool ends_inside = walk->x0 + walk->dx < right;
    int64_t y_in;  /* height at which it enters, in rows, rounded down */
    int64_t y_out; /* highest or lowest row reached before it leaves */
    if (starts_inside) {
        y_in = fixed_floor_div(walk->y0, LEVEL_WALK_CELL);
    } else {
        y_in = fixed_floor_div(walk->y0 * walk->dx + walk->dy * (left - walk->x0),
                               walk->dx * LEVEL_WALK_CELL);
    }
    if (ends_inside) {
        y_out = fixed_floor_div(walk->y0 + walk->dy, LEVEL_WALK_CELL);
    } else {
        /* The right edge is not part of the column: a rising way stops just below this height. */
        int64_t at_edge = walk->y0 * walk->dx + walk->dy * (right - walk->x0);
        y_out = fixed_floor_div(walk->dy > 0 ? at_edge - 1 : at_edge, walk->dx * LEVEL_WALK_CELL);
    }
    int64_t low = y_in < y_out ? y_in : y_out;
    int64_t high = y_in < y_out ? y_out : y_in;
    walk->row = low < 0 ? 0 : (int32_t)low;
    walk->last_row = high >= walk->rows ? walk->rows - 1 : (int32_t)high;
}

LevelWalk level_walk(const Level* level, int32_t x0, int32_t y0, int32_t x1, int32_t y1)
{
    if (x1 < x0) {
        return level_walk(level, x1, y1, x0, y0);
    }
    LevelWalk walk = {.x0 = x0 - (int64_t)level->grid_x * LEVEL_WALK_UNIT,
                      .y0 = y0 - (int64_t)level->grid_y * LEVEL_WALK_UNIT,
                      .dx = (int64_t)x1 - x0,
                      .dy = (int64_t)y1 - y0,
                      .columns = level->columns,
                      .rows = level->rows};
    int64_t first = fixed_floor_div(walk.x0, LEVEL_WALK_CELL);
    int64_t last = fixed_floor_div(walk.x0 + walk.dx, LEVEL_WALK_CELL);
    walk.column = first < 0 ? 0 : (first > level->columns ? level->columns : (int32_t)first);
    walk.last_column =
        last >= level->columns ? level->columns - 1 : (int32_t)(last < 0 ? -1 : last);
    if (walk.column <= walk.last_column) {
        level_walk_enter_column(&walk);
    }
    return walk;
}

bool level_walk_next(LevelWalk* walk)
{
    while (walk->column <= walk->last_column) {
        if (walk->row <= walk->last_row) {
            walk->cell = (uint32_t)walk->row * (uint32_t)walk->columns + (uint32_t)walk->column;
            ++walk->row;
            return true;
        }
        ++walk->column;
        if (walk->column <= walk->last_column) {
            level_walk_enter_column(walk);
        }
    }
    return false;
}

static LevelWalk level_walk_line(const Level* level, const LevelLine* line)
{
    return level_walk(level, line->x * LEVEL_WALK_UNIT, line->y * LEVEL_WALK_UNIT,
                      (line->x + line->dx) * LEVEL_WALK_UNIT,
                      (line->y + line->dy) * LEVEL_WALK_UNIT);
}

/* --- the grid ----------------------------------------------------------------------------------
 */

static bool level_alloc_cells(Level* level, size_t entries, Fault* fault)
{
    free(level->cell_lines);
    level->cell_lines = malloc((entries + 1) * sizeof *level->cell_lines);
    if (level->cell_first == NULL) {
        level->cell_first = malloc(((size_t)level_cell_count(level) + 1) * sizeof(uint32_t));
    }
    if (level->cell_lines == NULL || level->cell_first == NULL) {
        return fault_set(fault, "%s: out of memory", level->map.name);
    }
    return true;
}

/* Copies the lists of the map's blockmap. They begin with a zero that is not a line. A file can
 * make all lists share one enormous tail; `limit` is far above what an honest one needs. */
static bool level_copy_blockmap(Level* level, size_t limit, bool* sound, Fault* fault)
{
    const WadBlockmap* grid = &level->map.blockmap;
    level->grid_x = grid->x;
    level->grid_y = grid->y;
    level->columns = grid->columns;
    level->rows = grid->rows;
    if (!level_alloc_cells(level, limit, fault)) {
        return false;
    }
    size_t used = 0;
    for (uint32_t cell = 0; cell < level_cell_count(level); ++cell) {
        level->cell_first[cell] = (uint32_t)used;
        uint32_t at = grid->words[4 + cell];
        at += grid->words[at] == 0 ? 1 : 0;
        for (; grid->words[at] != WAD_BLOCK_LIST_END && used < limit; ++at) {
            level->cell_lines[used++] = grid->words[at];
        }
    }
    level->cell_first[level_cell_count(level)] = (uint32_t)used;
    *sound = used < limit;
    return true;
}

static bool level_cell_has_line(const Level* level, uint32_t cell, uint32_t line)
{
    for (uint32_t i = level->cell_first[cell]; i < level->cell_first[cell + 1]; ++i) {
        if (level->cell_lines[i] == line) {
            return true;
        }
    }
    return false;
}

static bool level_grid_spans(const Level* level, int32_t x, int32_t y)
{
    int32_t width = level->columns * LEVEL_CELL_SIZE;
    int32_t height = level->rows * LEVEL_CELL_SIZE;
    return x >= level->grid_x && y >= level->grid_y && x - level->grid_x < width &&
           y - level->grid_y < height;
}

/* A grid that forgets a line would let monsters through walls in some places only: better look. */
static bool level_grid_is_complete(const Level* level)
{
    for (uint32_t i = 0; i < level->map.line_count; ++i) {
        const LevelLine* line = &level->lines[i];
        if (!level_grid_spans(level, line->x, line->y) ||
            !level_grid_spans(level, line->x + line->dx, line->y + line->dy)) {
            return false;
        }
        for (LevelWalk walk = level_walk_line(level, line); level_walk_next(&walk);) {
            if (!level_cell_has_line(level, walk.cell, i)) {
                return false;
            }
        }
    }
    return true;
}

static void level_place_new_grid(Level* level)
{
    int32_t low_x = INT32_MAX, low_y = INT32_MAX, high_x = INT32_MIN, high_y = INT32_MIN;
    for (uint32_t i = 0; i < level->map.line_count; ++i) {
        const LevelLine* line = &level->lines[i];
        low_x = fixed_min(low_x, fixed_min(line->x, line->x + line->dx));
        low_y = fixed_min(low_y, fixed_min(line->y, line->y + line->dy));
        high_x = fixed_max(high_x, fixed_max(line->x, line->x + line->dx));
        high_y = fixed_max(high_y, fixed_max(line->y, line->y + line->dy));
    }
    level->grid_x = low_x;
    level->grid_y = low_y;
    level->columns = (high_x - low_x) / LEVEL_CELL_SIZE + 1;
    level->rows = (high_y - low_y) / LEVEL_CELL_SIZE + 1;
    free(level->cell_first); /* it may have another number of cells */
    level->cell_first = NULL;
    level->grid_rebuilt = true;
}

/* Counts, sums up, and fills from the last line to the first, which leaves each list ascending. */
static bool level_build_grid(Level* level, Fault* fault)
{
    level_place_new_grid(level);
    size_t entries = 0;
    for (uint32_t i = 0; i < level->map.line_count; ++i) {
        for (LevelWalk walk = level_walk_line(level, &level->lines[i]); level_walk_next(&walk);) {
            ++entries;
        }
    }
    if (!level_alloc_cells(level, entries, fault)) {
        return false;
    }
    uint32_t cells = level_cell_count(level);
    memset(level->cell_first, 0, ((size_t)cells + 1) * sizeof *level->cell_first);
    for (uint32_t i = 0; i < level->map.line_count; ++i) {
        for (LevelWalk walk = level_walk_line(level, &level->lines[i]); level_walk_next(&walk);) {
            ++level->cell_first[walk.cell];
        }
    }
    for (uint32_t cell = 1; cell <= cells; ++cell) {
        level->cell_first[cell] += level->cell_first[cell - 1];
    }
    for (uint32_t i = level->map.line_count; i-- > 0;) {
        for (LevelWalk walk = level_walk_line(level, &level->lines[i]); level_walk_next(&walk);) {
            level->cell_lines[--level->cell_first[walk.cell]] = (uint16_t)i;
        }
    }
    return true;
}

static bool level_make_grid(Level* level, Fault* fault)
{
    bool sound = false;
    if (level->map.blockmap.words != NULL) {
        size_t limit = level->map.blockmap.word_count * (size_t)4;
        if (!level_copy_blockmap(level, limit, &sound, fault)) {
            return false;
        }
    }
    return (sound && level_grid_is_complete(level)) || level_build_grid(level, fault);
}

/* --- lines and subsectors ----------------------------------------------------------------------
 */

/* A line counts as two-sided if it says so and has the other side: mappers get either wrong. */
static uint16_t level_back_sector(const WadMap* map, const WadLine* line)
{
    bool open = (line->flags & WAD_LINE_TWO_SIDED) != 0 && line->side[1] != WAD_NO_SIDE;
    return open ? map->sides[line->side[1]].sector : (uint16_t)LEVEL_NO_SECTOR;
}

static void level_make_boxes(Level* level)
{
    for (uint32_t i = 0; i < level->map.sector_count; ++i) {
        level->sector_boxes[i] = level_no_box;
    }
    for (uint32_t i = 0; i < level->map.line_count; ++i) {
        LevelLine* line = &level->lines[i];
        line->box = (LevelBox){.left = fixed_from_int(fixed_min(line->x, line->x + line->dx)),
                               .right = fixed_from_int(fixed_max(line->x, line->x + line->dx)),
                               .bottom = fixed_from_int(fixed_min(line->y, line->y + line->dy)),
                               .top = fixed_from_int(fixed_max(line->y, line->y + line->dy))};
        level_box_join(&level->sector_boxes[line->front], &line->box);
        if (line->back != LEVEL_NO_SECTOR) {
            level_box_join(&level->sector_boxes[line->back], &line->box);
        }
    }
}

static bool level_make_lines(Level* level, Fault* fault)
{
    const WadMap* map = &level->map;
    level->lines = calloc(map->line_count, sizeof *level->lines);
    level->subsector_sectors = calloc(map->subsector_count, sizeof *level->subsector_sectors);
    level->sector_boxes = calloc(map->sector_count, sizeof *level->sector_boxes);
    if (level->lines == NULL || level->subsector_sectors == NULL || level->sector_boxes == NULL) {
        return fault_set(fault, "%s: out of memory", map->name);
    }
    for (uint32_t i = 0; i < map->line_count; ++i) {
        const WadLine* line = &map->lines[i];
        WadVertex start = map->vertices[line->start];
        WadVertex end = map->vertices[line->end];
        level->lines[i] = (LevelLine){.x = start.x,
                                      .y = start.y,
                                      .dx = end.x - start.x,
                                      .dy = end.y - start.y,
                                      .front = map->sides[line->side[0]].sector,
                                      .back = level_back_sector(map, line),
                                      .flags = line->flags,
                                      .special = line->special};
    }
    for (uint32_t i = 0; i < map->subsector_count; ++i) {
        const WadSeg* seg = &map->segs[map->subsectors[i].first_seg];
        uint16_t side = map->lines[seg->line].side[seg->side];
        level->subsector_sectors[i] = map->sides[side].sector;
    }
    level_make_boxes(level);
    return true;
}

/* --- nodes -------------------------------------------------------------------------------------
 */

static uint32_t level_root(const Level* level)
{
    return level->map.node_count == 0 ? WAD_SUBSECTOR_BIT : level->map.node_count - 1;
}

/* Goes down from the root while all of the cell lies on one side. */
static uint32_t level_find_cell_node(const Level* level, int32_t column, int32_t row)
{
    uint32_t at = level_root(level);
    while ((at & WAD_SUBSECTOR_BIT) == 0) {
        const WadNode* node = &level->map.nodes[at];
        int64_t from_x = level->grid_x + column * LEVEL_CELL_SIZE - node->x;
        int64_t from_y = level->grid_y + row * LEVEL_CELL_SIZE - node->y;
        int64_t corner = from_y * node->dx - from_x * node->dy;
        int64_t up = node->dx * LEVEL_CELL_SIZE; /* what the opposite corners have more */
        int64_t right = -node->dy * LEVEL_CELL_SIZE;
        if (corner + (up < 0 ? up : 0) + (right < 0 ? right : 0) >= 0) {
            at = node->child[1];
        } else if (corner + (up > 0 ? up : 0) + (right > 0 ? right : 0) < 0) {
            at = node->child[0];
        } else {
            break;
        }
    }
    return at;
}

static bool level_make_cell_nodes(Level* level, Fault* fault)
{
    level->cell_nodes = malloc((level_cell_count(level) + 1) * sizeof *level->cell_nodes);
    if (level->cell_nodes == NULL) {
        return fault_set(fault, "%s: out of memory", level->map.name);
    }
    for (int32_t row = 0; row < level->rows; ++row) {
        for (int32_t column = 0; column < level->columns; ++column) {
            level->cell_nodes[level_cell(level, column, row)] =
                (uint16_t)level_find_cell_node(level, column, row);
        }
    }
    return true;
}

bool level_open(Level* level, WadMap* map, Fault* fault)
{
    *level = (Level){.map = *map};
    *map = (WadMap){0};
    if (level_make_lines(level, fault) && level_make_grid(level, fault) &&
        level_make_cell_nodes(level, fault)) {
        return true;
    }
    level_close(level);
    return false;
}

void level_close(Level* level)
{
    wad_free_map(&level->map);
    free(level->lines);
    free(level->subsector_sectors);
    free(level->sector_boxes);
    free(level->cell_first);
    free(level->cell_lines);
    free(level->cell_nodes);
    *level = (Level){0};
}

/* --- questions ---------------------------------------------------------------------------------
 */

uint32_t level_sector_at(const Level* level, Fixed x, Fixed y)
{
    int32_t column = (fixed_floor(x) - level->grid_x) >> LEVEL_CELL_BITS;
    int32_t row = (fixed_floor(y) - level->grid_y) >> LEVEL_CELL_BITS;
    bool inside = column >= 0 && column < level->columns && row >= 0 && row < level->rows;
    uint32_t at = inside ? level->cell_nodes[level_cell(level, column, row)] : level_root(level);
    while ((at & WAD_SUBSECTOR_BIT) == 0) {
        const WadNode* node = &level->map.nodes[at];
        int64_t from_x = (int64_t)x - (int64_t)node->x * FIXED_ONE;
        int64_t from_y = (int64_t)y - (int64_t)node->y * FIXED_ONE;
        bool left = from_y * node->dx - from_x * node->dy >= 0;
        at = node->child[left ? 1 : 0];
    }
    return level->subsector_sectors[at & (WAD_SUBSECTOR_BIT - 1u)];
}

int32_t level_column(const Level* level, Fixed x)
{
    return fixed_clamp((fixed_floor(x) - level->grid_x) >> LEVEL_CELL_BITS, 0, level->columns - 1);
}

int32_t level_row(const Level* level, Fixed y)
{
    return fixed_clamp((fixed_floor(y) - level->grid_y) >> LEVEL_CELL_BITS, 0, level->rows - 1);
}

bool level_spans(const Level* level, Fixed x, Fixed y)
{
    return level_grid_spans(level, fixed_floor(x), fixed_floor(y));
}

/* collide.c - see collide.h. */
#include "collide.h"

/* Whether the line passes through the inside of the box. Touching an edge does not count: a body
 * may stand close to a wall. */
static bool collide_line_in_box(const LevelLine* line, const LevelBox* box)
{
    if (!level_boxes_meet(&line->box, box)) {
        return false;
    }
    /* Of the four corners, the two farthest apart across the line decide. */
    bool rises = (line->dx < 0) == (line->dy < 0);
    int64_t a = level_line_side(line, box->left, rises ? box->top : box->bottom);
    int64_t b = level_line_side(line, box->right, rises ? box->bottom : box->top);
    return (a < 0 && b > 0) || (a > 0 && b < 0);
}

/* A line lies in several cells and is noted once. */
static void collide_note_special(CollideFooting* footing, const LevelLine* line, uint16_t number)
{
    if (line->special == 0 || footing->special_count == COLLIDE_SPECIALS) {
        return;
    }
    for (uint32_t i = 0; i < footing->special_count; ++i) {
        if (footing->specials[i] == number) {
            return;
        }
    }
    footing->specials[footing->special_count++] = number;
}

/* Narrows what a body finds at a place by the opening of a line that it touches. */
static void collide_meet_line(CollideFooting* footing, const LevelLine* line,
                              const LevelHeights* heights, uint16_t blocking)
{
    if (line->back == LEVEL_NO_SECTOR || (line->flags & blocking) != 0) {
        footing->blocked = true;
        return;
    }
    LevelHeights front = heights[line->front];
    LevelHeights back = heights[line->back];
    footing->floor = fixed_max(footing->floor, fixed_max(front.floor, back.floor));
    footing->ceiling = fixed_min(footing->ceiling, fixed_min(front.ceiling, back.ceiling));
    footing->low_floor = fixed_min(footing->low_floor, fixed_min(front.floor, back.floor));
}

CollideFooting collide_footing(const Level* level, const LevelHeights* heights, Fixed x, Fixed y,
                               Fixed radius, uint16_t blocking)
{
    uint32_t sector = level_sector_at(level, x, y);
    CollideFooting footing = {.floor = heights[sector].floor,
                              .ceiling = heights[sector].ceiling,
                              .low_floor = heights[sector].floor,
                              .sector = (uint16_t)sector};
    LevelBox box = level_box(x, y, radius);
    int32_t last_column = level_column(level, box.right);
    int32_t last_row = level_row(level, box.top);
    for (int32_t row = level_row(level, box.bottom); row <= last_row; ++row) {
        for (int32_t column = level_column(level, box.left); column <= last_column; ++column) {
            uint32_t cell = level_cell(level, column, row);
            for (uint32_t i = level->cell_first[cell]; i < level->cell_first[cell + 1]; ++i) {
                const LevelLine* line = &level->lines[level->cell_lines[i]];
                if (collide_line_in_box(line, &box)) {
                    collide_note_special(&footing, line, level->cell_lines[i]);
                    collide_meet_line(&footing, line, heights, blocking);
                    if (footing.blocked) {
                        return footing;
                    }
                }
            }
        }
    }
    return footing;
}

bool collide_touches(const Level* level, Fixed x, Fixed y, Fixed radius, uint16_t sector)
{
    LevelBox box = level_box(x, y, radius);
    if (!level_boxes_meet(&box, &level->sector_boxes[sector])) {
        return false;
    }
    int32_t last_column = level_column(level, box.right);
    int32_t last_row = level_row(level, box.top);
    for (int32_t row = level_row(level, box.bottom); row <= last_row; ++row) {
        for (int32_t column = level_column(level, box.left); column <= last_column; ++column) {
            uint32_t cell = level_cell(level, column, row);
            for (uint32_t i = level->cell_first[cell]; i < level->cell_first[cell + 1]; ++i) {
                const LevelLine* line = &level->lines[level->cell_lines[i]];
                if ((line->front == sector || line->back == sector) &&
                    collide_line_in_box(line, &box)) {
                    return true;
                }
            }
        }
    }
    return level_sector_at(level, x, y) == sector;
}

bool collide_enter(const CollideFooting* footing, Fixed* z, Fixed height, CollideGait gait)
{
    /* In 64 bits: a file may place a floor at one end of the range and a ceiling at the other. */
    int64_t lowest = footing->floor;
    int64_t highest = (int64_t)footing->ceiling - height;
    int64_t deepest_drop = (int64_t)footing->floor - footing->low_floor;
    if (footing->blocked || highest < lowest ||
        (gait == COLLIDE_WALKS && deepest_drop > COLLIDE_STEP)) {
        return false;
    }
    /* Who walks stands on the floor; who flies bends up or down as far as it must. */
    bool stands = gait != COLLIDE_FLIES;
    int64_t wanted = stands || *z < lowest ? lowest : (*z > highest ? highest : *z);
    int64_t climb = wanted - *z;
    if (climb > COLLIDE_STEP || (climb < -COLLIDE_STEP && gait != COLLIDE_LEAPS)) {
        return false;
    }
    *z = (Fixed)wanted;
    return true;
}

/* Spatial index: who is near a point?
 *
 * An order groups the entities by the cell of the map in which they stand. A group is found by
 * binary search, so a question looks at nine cells and not at all entities. */
#include "sett/sett.h"

#include <stdio.h>

typedef struct Position {
    float x, y;
} Position;

#define GAME(COMPONENT, TAG) COMPONENT(Position)
SETT_COMPONENTS(GAME)

enum {
    CELL = 10
};

static uint64_t cell_number(int column, int row)
{
    return (uint64_t)(uint32_t)row << 32 | (uint32_t)column;
}

static uint64_t cell_of(sett_world* world, sett_entity entity, void* user)
{
    const Position* p = SETT_GET(world, entity, Position);
    (void)user;
    return cell_number((int)p->x / CELL, (int)p->y / CELL);
}

static sett_ordered_group find_cell(const sett_ordered* grid, uint64_t cell)
{
    uint32_t low = 0, high = sett_ordered_group_count(grid);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (sett_ordered_group_at(grid, middle).group < cell) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    sett_ordered_group none = {0, 0, 0};
    bool found =
        low < sett_ordered_group_count(grid) && sett_ordered_group_at(grid, low).group == cell;
    return found ? sett_ordered_group_at(grid, low) : none;
}

static bool is_near(const Position* p, float x, float y)
{
    return (p->x - x) * (p->x - x) + (p->y - y) * (p->y - y) < CELL * CELL;
}

int main(void)
{
    sett_world* world = sett_world_create(NULL);
    SETT_REGISTER_ALL(world, GAME);
    for (uint32_t k = 0; k < 10000; k++) {
        SETT_CREATE(world,
                    SETT_VALUE(Position, (float)(k * 7919 % 1000), (float)(k * 104729 % 1000)));
    }
    sett_query* all = SETT_QUERY_CREATE(world, SETT_IN(Position));
    sett_ordered* grid =
        sett_ordered_create(world, &(sett_ordered_desc){.query = all, .group_fn = cell_of});

    uint32_t count; /* once a frame: afterwards only what moved is sorted again */
    const sett_entity* entities = sett_ordered_update(grid, &count);
    uint32_t near = 0, looked_at = 0;
    for (int row = 49; row <= 51; row++) {
        for (int column = 49; column <= 51; column++) {
            sett_ordered_group cell = find_cell(grid, cell_number(column, row));
            for (uint32_t k = cell.first; k < cell.first + cell.count; k++) {
                near += is_near(SETT_GET(world, entities[k], Position), 505, 505);
            }
            looked_at += cell.count;
        }
    }
    uint32_t expected = 0;
    SETT_FOR(all, b, i) {
        expected += is_near(&SETT_FIELD(b, 0, Position)[i], 505, 505);
    }
    printf("%u near, %u looked at, of %u\n", (unsigned)near, (unsigned)looked_at, (unsigned)count);
    sett_world_destroy(world);
    return near == expected && near > 0 && looked_at < count / 50 ? 0 : 1;
}

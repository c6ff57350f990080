/* stage.c - see stage.h. */
#include "stage.h"

#include "thing_table.h"

#include <stdlib.h>

/* Published: episode n has SKYn; of the second game's maps 1 to 11 have SKY1, to 20 SKY2, then
 * SKY3. */
static uint16_t stage_find_sky(const Art* art, const char* map)
{
    char name[] = "SKY1";
    int number = map[0] == 'M' ? (map[3] - '0') * 10 + map[4] - '0' : 0;
    name[3] = map[0] == 'E' ? map[1] : number < 12 ? '1' : number < 21 ? '2' : '3';
    uint16_t sky = art_find_texture(art, name);
    return sky != ART_NONE ? sky : art_find_texture(art, "SKY1");
}

/* A flat that is missing is shown as the first one there is. */
static uint16_t stage_find_flat(const Art* art, const char* name)
{
    uint16_t flat = art_find_flat(art, name);
    return flat != ART_NONE ? flat : 0;
}

bool stage_open(Stage* stage, const Level* level, Art* art, Fault* fault)
{
    const WadMap* map = &level->map;
    *stage = (Stage){.level = level, .art = art};
    stage->sides = calloc(map->side_count, sizeof *stage->sides);
    stage->sectors = calloc(map->sector_count, sizeof *stage->sectors);
    if (stage->sides == NULL || stage->sectors == NULL) {
        stage_close(stage);
        return fault_set(fault, "%s: out of memory", map->name);
    }
    for (uint32_t i = 0; i < map->side_count; ++i) {
        const WadSide* side = &map->sides[i];
        stage->sides[i] = (StageSide){.upper = art_find_texture(art, side->upper),
                                      .lower = art_find_texture(art, side->lower),
                                      .middle = art_find_texture(art, side->middle)};
    }
    for (uint32_t i = 0; i < map->sector_count; ++i) {
        const WadSector* sector = &map->sectors[i];
        stage->sectors[i] = (StageSector){.floor = stage_find_flat(art, sector->floor_flat),
                                          .ceiling = stage_find_flat(art, sector->ceiling_flat)};
    }
    for (uint16_t row = 0; row < thing_table_count && row < STAGE_LOOKS - 1; ++row) {
        const Look* look = look_find(row);
        stage->looks[row] = look;
        stage->sprites[row] = look != NULL ? art_find_sprite(art, look->sprite) : NULL;
    }
    stage->looks[STAGE_LOOKS - 1] = &look_puff;
    stage->sprites[STAGE_LOOKS - 1] = art_find_sprite(art, look_puff.sprite);
    stage->sky = stage_find_sky(art, map->name);
    stage->sky_flat = art_find_flat(art, "F_SKY1");
    return true;
}

void stage_close(Stage* stage)
{
    free(stage->sides);
    free(stage->sectors);
    *stage = (Stage){0};
}

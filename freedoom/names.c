/* names.c - see names.h. */
#include "names.h"

#include "special_table.h"

#include "sett/hierarchy.h"
#include "sett/name.h"

#include <stdio.h>
#include <stdlib.h>

/* What moves in a sector when a line is used. */
typedef enum NamesKind {
    NAMES_NONE,
    NAMES_DOOR,
    NAMES_LIFT,
    NAMES_FLOOR,
    NAMES_STAIRS,
    NAMES_CRUSHER,
    NAMES_KINDS
} NamesKind;

static NamesKind names_kind(const SpecialType* type)
{
    if (type->trigger == TRIGGER_NONE || type->effect == EFFECT_LIGHT ||
        type->effect == EFFECT_TELEPORT || type->effect == EFFECT_EXIT) {
        return NAMES_NONE;
    }
    switch ((Effect)type->effect) {
    case EFFECT_DOOR_VISIT:
    case EFFECT_DOOR_OPEN:
    case EFFECT_DOOR_CLOSE:
    case EFFECT_DOOR_BREAK:
        return NAMES_DOOR;
    case EFFECT_LIFT:
        return NAMES_LIFT;
    case EFFECT_STAIRS:
        return NAMES_STAIRS;
    case EFFECT_CRUSHER:
    case EFFECT_CRUSHER_STOP:
        return NAMES_CRUSHER;
    default:
        return NAMES_FLOOR;
    }
}

/* The first kind that a sector gets it keeps. */
static void names_mark(uint8_t* kinds, uint32_t sector, NamesKind kind)
{
    if (kinds[sector] == NAMES_NONE) {
        kinds[sector] = (uint8_t)kind;
    }
}

static void names_mark_line(const Level* level, uint32_t number, uint8_t* kinds)
{
    const WadLine* line = &level->map.lines[number];
    const SpecialType* type = special_find(line->special);
    NamesKind kind = names_kind(type);
    if (type->trigger == TRIGGER_KNOCK && level->lines[number].back != LEVEL_NO_SECTOR) {
        names_mark(kinds, level->lines[number].back, kind);
    }
    for (uint32_t i = 0; type->trigger != TRIGGER_KNOCK && kind != NAMES_NONE && line->tag != 0 &&
                         i < level->map.sector_count;
         ++i) {
        if (level->map.sectors[i].tag == line->tag) {
            names_mark(kinds, i, kind);
        }
    }
}

static bool names_give_sectors(Simulation* sim, const Arena* arena, const uint8_t* kinds)
{
    static const char* const words[NAMES_KINDS] = {"",      "door",   "lift",
                                                   "floor", "stairs", "crusher"};
    uint32_t counts[NAMES_KINDS] = {0};
    for (uint32_t i = 0; i < arena->level.map.sector_count; ++i) {
        char name[32];
        if (kinds[i] != NAMES_NONE) {
            snprintf(name, sizeof name, "%s %lu", words[kinds[i]],
                     (unsigned long)++counts[kinds[i]]);
            if (sett_name_set(sim->world, arena->sectors[i], name) != SETT_OK) {
                return false;
            }
        }
    }
    return true;
}

bool names_give(Simulation* sim, uint32_t number)
{
    const Arena* arena = &sim->arenas[number];
    uint8_t* kinds = calloc(arena->level.map.sector_count, 1);
    if (kinds == NULL || sett_name_set(sim->world, arena->map, arena->level.map.name) != SETT_OK) {
        free(kinds);
        return false;
    }
    for (uint32_t i = 0; i < arena->level.map.line_count; ++i) {
        names_mark_line(&arena->level, i, kinds);
    }
    bool good = names_give_sectors(sim, arena, kinds);
    free(kinds);
    return good;
}

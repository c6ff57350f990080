/* atlas.c - see atlas.h. */
#include "atlas.h"

#include <stdlib.h>
#include <string.h>

const Level* atlas_find(const Atlas* atlas, const char* name)
{
    for (uint32_t i = 0; i < atlas->count; ++i) {
        if (strcmp(atlas->levels[i].map.name, name) == 0) {
            return &atlas->levels[i];
        }
    }
    return NULL;
}

/* Returns where a level of this name goes: over its namesake, or at the end. */
static Level* atlas_make_room(Atlas* atlas, const char* name)
{
    const Level* namesake = atlas_find(atlas, name);
    if (namesake != NULL) {
        Level* slot = &atlas->levels[namesake - atlas->levels];
        atlas->rebuilt -= slot->grid_rebuilt ? 1 : 0;
        level_close(slot);
        return slot;
    }
    if (atlas->count == atlas->capacity) {
        uint32_t capacity = atlas->capacity == 0 ? 64 : atlas->capacity * 2;
        Level* levels = calloc(capacity, sizeof *levels);
        if (levels == NULL) {
            return NULL;
        }
        if (atlas->count != 0) {
            memcpy(levels, atlas->levels, atlas->count * sizeof *levels);
        }
        free(atlas->levels);
        atlas->levels = levels;
        atlas->capacity = capacity;
    }
    return &atlas->levels[atlas->count++];
}

static bool atlas_add_map(Atlas* atlas, const Wad* wad, uint32_t n, Fault* fault)
{
    WadMap map;
    Level level;
    if (!wad_read_map(wad, n, &map, fault) || !level_open(&level, &map, fault)) {
        return false;
    }
    Level* slot = atlas_make_room(atlas, level.map.name);
    if (slot == NULL) {
        level_close(&level);
        return fault_set(fault, "%s: out of memory", wad->label);
    }
    *slot = level;
    atlas->rebuilt += level.grid_rebuilt ? 1 : 0;
    return true;
}

static bool atlas_is_wanted(const char* name, const char* const* names, uint32_t name_count)
{
    for (uint32_t i = 0; i < name_count; ++i) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return name_count == 0;
}

bool atlas_add(Atlas* atlas, const char* path, const char* const* names, uint32_t name_count,
               Fault* fault)
{
    Wad wad;
    if (!wad_open(&wad, path, fault)) {
        return false;
    }
    bool good = true;
    for (uint32_t n = 0; good && n < wad.map_count; ++n) {
        if (atlas_is_wanted(wad_map_name(&wad, n), names, name_count)) {
            good = atlas_add_map(atlas, &wad, n, fault);
        }
    }
    wad_close(&wad);
    return good;
}

void atlas_deinit(Atlas* atlas)
{
    for (uint32_t i = 0; i < atlas->count; ++i) {
        level_close(&atlas->levels[i]);
    }
    free(atlas->levels);
    *atlas = (Atlas){0};
}

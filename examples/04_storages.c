/* 04_storages.c: the same loop over different layouts.
 *
 * The storage, order and group of a type are options of its registration, and can change later;
 * loops stay the same. Here sprites are drawn by layer, and the world gives advice on its layout.
 * */
#include "sett/sett.h"

#include <stdio.h>

typedef struct Sprite {
    uint32_t layer;
    uint32_t image;
} Sprite;

typedef struct Burning {
    float heat;
} Burning;

#define SCENE(COMPONENT, TAG) COMPONENT(Sprite) COMPONENT(Burning)
SETT_COMPONENTS(SCENE)

static void draw(sett_query* query, const char* label)
{
    uint32_t switches = 0;
    uint32_t last = UINT32_MAX;
    SETT_FOR(query, b, i) {
        const Sprite* sprite = &SETT_FIELD(b, 0, Sprite)[i];
        switches += sprite->layer != last;
        last = sprite->layer;
    }
    printf("%s: the layer changes %u times\n", label, (unsigned)switches);
}

int main(void)
{
    sett_world* world = sett_world_create(NULL);
    SETT_REGISTER_ALL(world, SCENE);
    for (uint32_t k = 0; k < 50000; k++) {
        sett_entity entity = sett_entity_create(world);
        SETT_SET(world, entity, Sprite, .layer = k * 7 % 5, .image = k);
        if (k % 1000 == 0) {
            SETT_SET(world, entity, Burning, .heat = 1);
        }
    }
    sett_query* sprites = SETT_QUERY_CREATE(world, SETT_IN(Sprite));
    sett_query* fires = SETT_QUERY_CREATE(world, SETT_INOUT(Burning), SETT_IN(Sprite));

    draw(sprites, "in the order of creation");
    /* An array has one order, that of the entities; a sparse set can have any. */
    sett_component_convert(world, Sprite_id, SETT_STORAGE_SPARSE_SET);
    sett_sort(world, &(sett_sort_desc){.component = Sprite_id,
                                       .key = SETT_KEY_U32,
                                       .key_offset = offsetof(Sprite, layer)});
    draw(sprites, "sorted by layer");
    sett_component_convert(world, Sprite_id, SETT_STORAGE_ARRAY);

    /* A few frames of real use, and the world says what it would change. */
    sett_profile_begin(world);
    for (int frame = 0; frame < 60; frame++) {
        SETT_FOR(fires, b, i) {
            SETT_FIELD_MUT(b, 0, Burning)[i].heat *= 0.9f;
        }
    }
    sett_profile_end(world);
    sett_advice advice[4];
    uint32_t count = sett_advise(world, advice, 4);
    for (uint32_t k = 0; k < count; k++) {
        printf("  advice: %s\n          %s\n", advice[k].text, advice[k].code);
    }
    sett_world_destroy(world);
    return 0;
}

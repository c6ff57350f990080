/* Sorting sprites by depth.
 *
 * A sparse set can be sorted, and loops over it follow its order. Sorting what is nearly in order
 * is cheap, so sort before each frame is drawn. */
#include "sett/sett.h"

#include <stddef.h>
#include <stdio.h>

typedef struct Sprite {
    float depth;
    int picture;
} Sprite;

#define GAME(COMPONENT, TAG) COMPONENT(Sprite, .storage = SETT_STORAGE_SPARSE_SET) TAG(Hidden)
SETT_COMPONENTS(GAME)

static bool draw(sett_query* sprites) /* far ones first: whether they came so */
{
    float last = 1e9f;
    bool in_order = true;
    SETT_FOR(sprites, b, i) {
        const Sprite* sprite = &SETT_FIELD(b, 0, Sprite)[i];
        in_order = in_order && sprite->depth <= last;
        last = sprite->depth;
    }
    return in_order;
}

int main(void)
{
    sett_world* world = sett_world_create(NULL);
    SETT_REGISTER_ALL(world, GAME);
    for (int k = 0; k < 1000; k++) {
        sett_entity e = SETT_CREATE(world, SETT_VALUE(Sprite, (float)(k * 617 % 1000), k));
        if (k % 10 == 0) {
            SETT_ADD_TAG(world, e, Hidden);
        }
    }
    sett_query* sprites = SETT_QUERY_CREATE(world, SETT_IN_ORDER(Sprite), SETT_WITHOUT(Hidden));
    sett_sort_desc by_depth = {.component = Sprite_id,
                               .key = SETT_KEY_F32,
                               .key_offset = offsetof(Sprite, depth),
                               .reverse = true};
    bool before = draw(sprites);
    sett_sort(world, &by_depth);
    bool after = draw(sprites);
    SETT_GET_MUT(world, sett_entity_at(world, 500), Sprite)->depth = 1; /* moves forward */
    sett_sort(world, &by_depth);
    bool again = draw(sprites);
    printf("%u sprites, back to front: %s\n", (unsigned)sett_query_count(sprites),
           after && again ? "yes" : "no");
    sett_world_destroy(world);
    return !before && after && again ? 0 : 1;
}

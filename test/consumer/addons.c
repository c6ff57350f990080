/* addons.c: a user's program with add-ons, as C11 and as C++17: an inspector answers, its world is
 * saved in a file that is compressed, entities are near each other and come in a random order.
 */
#include <sett_abm.h>
#include <sett_inspector.h>
#include <sett_space.h>
#include <sett_zstd.h>

#include <stdio.h>
#include <string.h>

typedef struct Place {
    int32_t x, y;
} Place;

/* How many of ten entities in a row are at most two places from one of them, counted in an order.
 */
static int count_near(void)
{
    sett_world* world = sett_world_create(NULL);
    const sett_component place = SETT_REGISTER(world, Place);
    for (int32_t k = 0; k < 10; k++) {
        Place at = {k, 0};
        sett_set(world, sett_entity_create(world), place, &at);
    }
    sett_space_desc grid;
    memset(&grid, 0, sizeof(grid));
    grid.component = place;
    grid.kind = SETT_SPACE_GRID;
    grid.size[0] = grid.size[1] = 10;
    sett_space* space = sett_space_create(world, &grid);
    sett_space_update(space);
    sett_query_desc all;
    memset(&all, 0, sizeof(all));
    all.terms[0].component = place;
    sett_abm_order* order = sett_abm_order_create(world, sett_query_create(world, &all));
    int count = 0;
    SETT_ABM_ACTIVATE(order, 1, 0, e) {
        SETT_SPACE_NEAR(space, e, 2, hit) {
            count += hit->squared <= 4;
        }
    }
    sett_world_destroy(world);
    return count;
}

int main(void)
{
    sett_world* world = sett_world_create(NULL);
    const sett_entity ship = sett_entity_create(world);
    sett_name_set(world, ship, "ship");

    sett_inspector_desc desc;
    memset(&desc, 0, sizeof(desc));
    desc.no_server = true;
    sett_inspector* inspector = sett_inspector_open(world, &desc);
    const char request[] = "{\"do\":\"destroy\",\"entity\":\"ship\"}";
    const char* answer = sett_inspector_request(inspector, request, sizeof(request) - 1, NULL);
    const bool answered = strcmp(answer, "{\"ok\":true}") == 0 && !sett_entity_valid(world, ship);
    if (!answered) {
        fprintf(stderr, "the inspector answered %s\n", answer);
    }
    sett_inspector_close(inspector);

    sett_file_desc file;
    memset(&file, 0, sizeof(file));
    const sett_compression zstd = sett_zstd(0);
    file.compression = &zstd;
    const char path[] = "build/consumer/addons.sett";
    const bool saved = sett_world_save_with(world, path, &file) == SETT_OK;
    sett_world_destroy(world);
    return answered && saved && remove(path) == 0 && count_near() == 34 ? 0 : 1;
}

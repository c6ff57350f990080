/* addons.c: a user's program with add-ons, as C11 and as C++17: an inspector answers, and its world
 * is saved in a file that is compressed.
 */
#include <sett_inspector.h>
#include <sett_zstd.h>

#include <stdio.h>
#include <string.h>

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
    return answered && saved && remove(path) == 0 ? 0 : 1;
}

/* 15_hot_reload.c: a library of the game is built again and loaded while its world lives on. Enemy
 * has other members then, and the system "walk" does something else; handles, values and whatever
 * the program itself has made stay. hot_reload/reloaded.c is that library.
 *
 * A program would look at the time of the library's file each frame, and load a copy of it. */
#include "sett/sett.h"

#include <stdio.h>
#include <string.h>

#if defined(HOT_RELOAD_1) && (defined(__unix__) || defined(__APPLE__))
#include <dlfcn.h>

#define SAVE "15_hot_reload.save"

typedef struct Position {
    float x, y;
} Position;

#define ENGINE(COMPONENT, TAG) COMPONENT(Position, .members = SETT_STRUCT(Position, x, y))
SETT_COMPONENTS(ENGINE)

static sett_status engine_register(sett_world* world)
{
    return SETT_REGISTER_ALL(world, ENGINE);
}

typedef sett_status (*game_fn)(sett_world* world);

/* A function of the library; ISO C has no cast from an address of data to one of code. */
static game_fn find(void* library, const char* name)
{
    void* address = dlsym(library, name);
    game_fn fn;
    memcpy(&fn, &address, sizeof(fn));
    return fn;
}

static void* load(sett_world* world, const char* path)
{
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL || find(library, "game_begin")(world) != SETT_OK) {
        printf("%s: %s\n", path, library == NULL ? dlerror() : sett_world_message(world));
        return NULL;
    }
    return library;
}

/* The state is saved in the layout of the old library and loaded in that of the new one: members
 * are matched by name (file.h). */
static void* reload(sett_world* world, void* library, const char* path)
{
    if (sett_world_save(world, SAVE) != SETT_OK || find(library, "game_end")(world) != SETT_OK) {
        printf("%s\n", sett_world_message(world));
        return NULL;
    }
    dlclose(library);
    library = load(world, path);
    if (library != NULL && sett_world_load(world, SAVE) != SETT_OK) {
        printf("%s\n", sett_world_message(world));
        return NULL;
    }
    remove(SAVE);
    remove(SAVE ".previous");
    return library;
}

int main(void)
{
    char text[512];
    sett_world* world = sett_world_create(NULL);
    sett_module_import(world, "engine", engine_register);
    void* library = load(world, HOT_RELOAD_1);
    if (library == NULL) {
        return 1;
    }
    sett_entity orc = SETT_CREATE(world, SETT_VALUE(Position, .x = 1, .y = 1));
    sett_name_set(world, orc, "orc");
    const char* enemy = "{\"health\": 20, \"speed\": 0.5}"; /* its C type is the library's */
    sett_json_set(world, orc, sett_component_find(world, "Enemy"), enemy, strlen(enemy));
    sett_progress(world, 1.0f / 60);

    library = reload(world, library, HOT_RELOAD_2);
    if (library == NULL) {
        return 1;
    }
    sett_progress(world, 1.0f / 60);
    sett_entity_describe_values(world, orc, text, sizeof(text));
    printf("%s", text);
    const Position* at = SETT_GET(world, orc, Position);
    bool walked = at->x == 1.5f && at->y == 1.5f; /* a frame along x, and one along y */
    bool migrated = strstr(text, "health = 20") != NULL && strstr(text, "armor = 0") != NULL;
    sett_world_destroy(world);
    dlclose(library);
    return walked && migrated ? 0 : 1;
}
#else
int main(void)
{
    printf("this system has no dlopen\n");
    return 0;
}
#endif

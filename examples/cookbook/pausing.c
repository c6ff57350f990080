/* Pausing the game, but not its menu.
 *
 * A condition stops the systems of the game while a singleton says so; the menu's systems have
 * none. Timers of a system that does not run stand still, so nothing jumps afterwards. */
#include "sett/sett.h"

#include <stdio.h>

typedef struct Game {
    bool paused;
    int moves, blinks, seconds;
} Game;

#define GAME(COMPONENT, TAG) COMPONENT(Game)
SETT_COMPONENTS(GAME)

static bool plays(const sett_world* world, void* user)
{
    (void)user;
    return !SETT_SINGLETON_FIND(world, Game)->paused;
}

static void move(sett_context* context)
{
    SETT_SINGLETON_FIND_MUT(context->world, Game)->moves++;
}

static void count_seconds(sett_context* context)
{
    SETT_SINGLETON_FIND_MUT(context->world, Game)->seconds++;
}

static void menu_blinks(sett_context* context)
{
    SETT_SINGLETON_FIND_MUT(context->world, Game)->blinks++;
}

int main(void)
{
    sett_world* world = sett_world_create(NULL);
    SETT_REGISTER_ALL(world, GAME);
    SETT_SINGLETON_ENSURE(world, Game);
    SETT_SYSTEM(world, move, .run_if = plays, .access_any_inout = {Game_id});
    SETT_SYSTEM(world, count_seconds, .run_if = plays, .interval = 1,
                .access_any_inout = {Game_id});
    SETT_SYSTEM(world, menu_blinks, .access_any_inout = {Game_id});
    for (int frame = 0; frame < 10 * 64; frame++) {
        if (frame == 96 || frame == 96 + 320) { /* the pause lasts for five seconds */
            Game* game = SETT_SINGLETON_FIND_MUT(world, Game);
            game->paused = !game->paused;
        }
        sett_progress(world, 1.0f / 64);
    }
    Game end = *SETT_SINGLETON_FIND(world, Game);
    printf("%d moves in %d seconds, %d frames of the menu\n", end.moves, end.seconds, end.blinks);
    sett_world_destroy(world);
    return end.moves == 320 && end.seconds == 5 && end.blinks == 640 ? 0 : 1;
}

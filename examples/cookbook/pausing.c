/* Pausing the game, but not its menu.
 *
 * The systems of the game ask for a singleton that is there while the game is played, and do not
 * run without it; the menu's systems do not ask. Timers of a system that does not run stand still,
 * so nothing jumps afterwards. */
#include "sett/sett.h"

#include <stdio.h>

typedef struct Game {
    int moves, blinks, seconds;
} Game;

#define GAME(COMPONENT, TAG) COMPONENT(Game) TAG(Playing)
SETT_COMPONENTS(GAME)

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
    sett_singleton_ensure(world, Playing_id);
    const sett_term playing = {.component = Playing_id, .access = SETT_NONE, .singleton = true};
    SETT_SYSTEM(world, move, .terms = {playing}, .access_any_inout = {Game_id});
    SETT_SYSTEM(world, count_seconds, .terms = {playing}, .interval = 1,
                .access_any_inout = {Game_id});
    SETT_SYSTEM(world, menu_blinks, .access_any_inout = {Game_id});
    for (int frame = 0; frame < 10 * 64; frame++) {
        if (frame == 96) { /* the pause lasts for five seconds */
            sett_singleton_remove(world, Playing_id);
        } else if (frame == 96 + 320) {
            sett_singleton_ensure(world, Playing_id);
        }
        sett_progress(world, 1.0f / 64);
    }
    Game end = *SETT_SINGLETON_FIND(world, Game);
    printf("%d moves in %d seconds, %d frames of the menu\n", end.moves, end.seconds, end.blinks);
    sett_world_destroy(world);
    return end.moves == 320 && end.seconds == 5 && end.blinks == 640 ? 0 : 1;
}

/* keys.c - see keys.h. */
#include "keys.h"

#define KEYS_MOUSE 0.0025f /* radians a step of the mouse */
#define KEYS_TURN 2.6f     /* radians a second, by key */
#define KEYS_RUN 127

static int keys_axis(uint32_t held, uint32_t more, uint32_t less)
{
    return ((held & more) != 0) - ((held & less) != 0);
}

/* The number keys, as they have been used for thirty years. */
static uint8_t keys_weapon(uint32_t held)
{
    static const uint8_t weapons[] = {
        WEAPON_FIST,     WEAPON_PISTOL,          WEAPON_SHOTGUN,
        WEAPON_CHAINGUN, WEAPON_ROCKET_LAUNCHER, WEAPON_PLASMA_RIFLE,
        WEAPON_BFG,      WEAPON_CHAINSAW,        WEAPON_SUPER_SHOTGUN};
    for (uint32_t i = 0; i < sizeof weapons; ++i) {
        if ((held & ((uint32_t)KEY_WEAPON << i)) != 0) {
            return (uint8_t)(weapons[i] + 1);
        }
    }
    return 0;
}

GameControls keys_controls(uint32_t held, uint32_t pressed, float mouse, float seconds)
{
    /* What was down for less than a frame counts. */
    uint32_t down = held | pressed;
    float turn = (float)keys_axis(down, KEY_TURN_LEFT, KEY_TURN_RIGHT);
    return (GameControls){
        .turn = seconds * KEYS_TURN * turn - mouse * KEYS_MOUSE,
        .forward = (int8_t)(KEYS_RUN * keys_axis(down, KEY_FORWARD, KEY_BACKWARD)),
        .side = (int8_t)(KEYS_RUN * keys_axis(down, KEY_RIGHT, KEY_LEFT)),
        .weapon = keys_weapon(down),
        .fire = (down & KEY_FIRE) != 0,
        .use = (down & KEY_USE) != 0,
        .rewind = (held & KEY_REWIND) != 0,
        .map = (pressed & KEY_MAP) != 0,
        .help = (pressed & KEY_HELP) != 0,
        .costs = (pressed & KEY_COSTS) != 0,
        .kill_cam = (pressed & KEY_KILL_CAM) != 0,
        .next_map = (pressed & KEY_NEXT_MAP) != 0,
        .crowd = (pressed & KEY_CROWD) != 0,
    };
}

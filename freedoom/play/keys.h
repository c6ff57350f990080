/* keys.h - the keys of the game, and what they mean; each host says which of its own are which. */
#ifndef FREEDOOM_KEYS_H
#define FREEDOOM_KEYS_H

#include "game.h"

/* Bits of a set of keys. The page knows these numbers too (web/page.js). */
enum {
    KEY_FORWARD = 1 << 0,
    KEY_BACKWARD = 1 << 1,
    KEY_LEFT = 1 << 2,
    KEY_RIGHT = 1 << 3,
    KEY_TURN_LEFT = 1 << 4,
    KEY_TURN_RIGHT = 1 << 5,
    KEY_FIRE = 1 << 6,
    KEY_USE = 1 << 7,
    KEY_REWIND = 1 << 8,
    KEY_MAP = 1 << 9,
    KEY_HELP = 1 << 10,
    KEY_COSTS = 1 << 11,
    KEY_KILL_CAM = 1 << 12,
    KEY_NEXT_MAP = 1 << 13,
    KEY_CROWD = 1 << 14,
    KEY_WEAPON = 1 << 15, /* the key 1; the next bits are 2 to 9 */
};

/* What is to happen in a frame.
 *   held     keys that are down
 *   pressed  those that went down since the last frame
 *   mouse    steps to the right */
GameControls keys_controls(uint32_t held, uint32_t pressed, float mouse, float seconds);

#endif

/* special_table.c - see special_table.h. */
#include "special_table.h"

#include "thing_table.h"

#define ROW(trigger_, once_, effect_, monsters_, key_, speed_, height_)                            \
    {                                                                                              \
        .trigger = TRIGGER_##trigger_, .once = once_, .effect = EFFECT_##effect_,                  \
        .monsters = monsters_, .key = key_, .speed = speed_, .height = height_                     \
    }
#define KNOCK(effect_, monsters_, key_, speed_)                                                    \
    ROW(KNOCK, false, effect_, monsters_, key_, 4 * (speed_), 0)
#define KNOCK_ONCE(effect_, key_, speed_) ROW(KNOCK, true, effect_, false, key_, 4 * (speed_), 0)
#define PUSH(effect_, key_, speed_) ROW(PUSH, false, effect_, false, key_, 4 * (speed_), 0)
#define PUSH_ONCE(effect_, key_, speed_) ROW(PUSH, true, effect_, false, key_, 4 * (speed_), 0)
#define CROSS(effect_, monsters_, speed_) ROW(CROSS, false, effect_, monsters_, 0, 4 * (speed_), 0)
#define CROSS_ONCE(effect_, monsters_, speed_)                                                     \
    ROW(CROSS, true, effect_, monsters_, 0, 4 * (speed_), 0)
/* Up by, or light to, a number of its own. */
#define BY(trigger_, once_, effect_, speed_, height_)                                              \
    ROW(trigger_, once_, effect_, false, 0, 4 * (speed_), height_)
/* The height of a step, and how many quarters of a map unit it rises a tick. */
#define STAIRS(trigger_, height_, quarters_)                                                       \
    ROW(trigger_, true, STAIRS, false, 0, quarters_, height_)

static const SpecialType special_table[] = {
    /* doors that are walked into: monsters, key, speed */
    [1] = KNOCK(DOOR_VISIT, true, 0, 2),
    [26] = KNOCK(DOOR_VISIT, false, KEY_BLUE, 2),
    [27] = KNOCK(DOOR_VISIT, false, KEY_YELLOW, 2),
    [28] = KNOCK(DOOR_VISIT, false, KEY_RED, 2),
    [117] = KNOCK(DOOR_VISIT, false, 0, 8),
    [31] = KNOCK_ONCE(DOOR_OPEN, 0, 2),
    [32] = KNOCK_ONCE(DOOR_OPEN, KEY_BLUE, 2),
    [33] = KNOCK_ONCE(DOOR_OPEN, KEY_RED, 2),
    [34] = KNOCK_ONCE(DOOR_OPEN, KEY_YELLOW, 2),
    [118] = KNOCK_ONCE(DOOR_OPEN, 0, 8),

    /* switches: key, speed */
    [63] = PUSH(DOOR_VISIT, 0, 2),
    [114] = PUSH(DOOR_VISIT, 0, 8),
    [29] = PUSH_ONCE(DOOR_VISIT, 0, 2),
    [111] = PUSH_ONCE(DOOR_VISIT, 0, 8),
    [46] = PUSH(DOOR_OPEN, 0, 2), /* to be shot at; who comes so close is taken to shoot */
    [61] = PUSH(DOOR_OPEN, 0, 2),
    [115] = PUSH(DOOR_OPEN, 0, 8),
    [103] = PUSH_ONCE(DOOR_OPEN, 0, 2),
    [112] = PUSH_ONCE(DOOR_OPEN, 0, 8),
    [99] = PUSH(DOOR_OPEN, KEY_BLUE, 8),
    [134] = PUSH(DOOR_OPEN, KEY_RED, 8),
    [136] = PUSH(DOOR_OPEN, KEY_YELLOW, 8),
    [133] = PUSH_ONCE(DOOR_OPEN, KEY_BLUE, 8),
    [135] = PUSH_ONCE(DOOR_OPEN, KEY_RED, 8),
    [137] = PUSH_ONCE(DOOR_OPEN, KEY_YELLOW, 8),
    [42] = PUSH(DOOR_CLOSE, 0, 2),
    [116] = PUSH(DOOR_CLOSE, 0, 8),
    [50] = PUSH_ONCE(DOOR_CLOSE, 0, 2),
    [113] = PUSH_ONCE(DOOR_CLOSE, 0, 8),
    [62] = PUSH(LIFT, 0, 4),
    [123] = PUSH(LIFT, 0, 8),
    [21] = PUSH_ONCE(LIFT, 0, 4),
    [122] = PUSH_ONCE(LIFT, 0, 8),
    [60] = PUSH(FLOOR_LOWEST, 0, 1),
    [23] = PUSH_ONCE(FLOOR_LOWEST, 0, 1),
    [45] = PUSH(FLOOR_HIGHEST, 0, 1),
    [102] = PUSH_ONCE(FLOOR_HIGHEST, 0, 1),
    [70] = PUSH(FLOOR_NEAR, 0, 4),
    [71] = PUSH_ONCE(FLOOR_NEAR, 0, 4),
    [68] = PUSH(FLOOR_NEXT, 0, 1),
    [69] = PUSH(FLOOR_NEXT, 0, 1),
    [132] = PUSH(FLOOR_NEXT, 0, 4),
    [18] = PUSH_ONCE(FLOOR_NEXT, 0, 1),
    [20] = PUSH_ONCE(FLOOR_NEXT, 0, 1),
    [131] = PUSH_ONCE(FLOOR_NEXT, 0, 4),
    [64] = PUSH(FLOOR_CEILING, 0, 1),
    [101] = PUSH_ONCE(FLOOR_CEILING, 0, 1),
    [66] = BY(PUSH, false, FLOOR_UP, 1, 24),
    [67] = BY(PUSH, false, FLOOR_UP, 1, 32),
    [15] = BY(PUSH, true, FLOOR_UP, 1, 24),
    [14] = BY(PUSH, true, FLOOR_UP, 1, 32),
    [65] = PUSH(FLOOR_CRUSH, 0, 1),
    [55] = PUSH_ONCE(FLOOR_CRUSH, 0, 1),
    [7] = STAIRS(PUSH, 8, 1),
    [127] = STAIRS(PUSH, 16, 16),
    [49] = PUSH_ONCE(CRUSHER, 0, 1),
    [11] = PUSH(EXIT, 0, 0),
    [51] = PUSH(EXIT, 0, 0),
    [138] = BY(PUSH, false, LIGHT, 0, 255),
    [139] = BY(PUSH, false, LIGHT, 0, 35),

    /* lines that are walked over: monsters, speed */
    [90] = CROSS(DOOR_VISIT, false, 2),
    [105] = CROSS(DOOR_VISIT, false, 8),
    [4] = CROSS_ONCE(DOOR_VISIT, true, 2),
    [108] = CROSS_ONCE(DOOR_VISIT, false, 8),
    [86] = CROSS(DOOR_OPEN, false, 2),
    [106] = CROSS(DOOR_OPEN, false, 8),
    [2] = CROSS_ONCE(DOOR_OPEN, false, 2),
    [109] = CROSS_ONCE(DOOR_OPEN, false, 8),
    [75] = CROSS(DOOR_CLOSE, false, 2),
    [107] = CROSS(DOOR_CLOSE, false, 8),
    [3] = CROSS_ONCE(DOOR_CLOSE, false, 2),
    [110] = CROSS_ONCE(DOOR_CLOSE, false, 8),
    [76] = CROSS(DOOR_BREAK, false, 2),
    [16] = CROSS_ONCE(DOOR_BREAK, false, 2),
    [88] = CROSS(LIFT, true, 4),
    [120] = CROSS(LIFT, false, 8),
    [10] = CROSS_ONCE(LIFT, true, 4),
    [121] = CROSS_ONCE(LIFT, false, 8),
    [82] = CROSS(FLOOR_LOWEST, false, 1),
    [84] = CROSS(FLOOR_LOWEST, false, 1),
    [37] = CROSS_ONCE(FLOOR_LOWEST, false, 1),
    [38] = CROSS_ONCE(FLOOR_LOWEST, false, 1),
    [83] = CROSS(FLOOR_HIGHEST, false, 1),
    [19] = CROSS_ONCE(FLOOR_HIGHEST, false, 1),
    [98] = CROSS(FLOOR_NEAR, false, 4),
    [36] = CROSS_ONCE(FLOOR_NEAR, false, 4),
    [95] = CROSS(FLOOR_NEXT, false, 1),
    [128] = CROSS(FLOOR_NEXT, false, 1),
    [129] = CROSS(FLOOR_NEXT, false, 4),
    [22] = CROSS_ONCE(FLOOR_NEXT, false, 1),
    [119] = CROSS_ONCE(FLOOR_NEXT, false, 1),
    [130] = CROSS_ONCE(FLOOR_NEXT, false, 4),
    [91] = CROSS(FLOOR_CEILING, false, 1),
    [5] = CROSS_ONCE(FLOOR_CEILING, false, 1),
    [92] = BY(CROSS, false, FLOOR_UP, 1, 24),
    [93] = BY(CROSS, false, FLOOR_UP, 1, 24),
    [58] = BY(CROSS, true, FLOOR_UP, 1, 24),
    [59] = BY(CROSS, true, FLOOR_UP, 1, 24),
    [94] = CROSS(FLOOR_CRUSH, false, 1),
    [56] = CROSS_ONCE(FLOOR_CRUSH, false, 1),
    [8] = STAIRS(CROSS, 8, 1),
    [100] = STAIRS(CROSS, 16, 16),
    [73] = CROSS(CRUSHER, false, 1),
    [25] = CROSS_ONCE(CRUSHER, false, 1),
    [141] = CROSS_ONCE(CRUSHER, false, 1), /* without a sound */
    [77] = CROSS(CRUSHER, false, 2),
    [6] = CROSS_ONCE(CRUSHER, false, 2),
    [74] = CROSS(CRUSHER_STOP, false, 0),
    [57] = CROSS_ONCE(CRUSHER_STOP, false, 0),
    [81] = BY(CROSS, false, LIGHT, 0, 255),
    [79] = BY(CROSS, false, LIGHT, 0, 35),
    [13] = BY(CROSS, true, LIGHT, 0, 255),
    [35] = BY(CROSS, true, LIGHT, 0, 35),
    [97] = CROSS(TELEPORT, false, 0),
    [39] = CROSS_ONCE(TELEPORT, false, 0),
    [126] = CROSS(TELEPORT, true, 0),
    [125] = CROSS_ONCE(TELEPORT, true, 0),
    [52] = CROSS(EXIT, false, 0),
    [124] = CROSS(EXIT, false, 0),
};

const SpecialType* special_find(uint16_t action)
{
    return &special_table[action < sizeof special_table / sizeof special_table[0] ? action : 0];
}

/* weapon_table.c - see weapon_table.h. */
#include "weapon_table.h"

#include "thing_table.h"

#define CLAW(name_, damage_, pause_)                                                               \
    {                                                                                              \
        .name = name_, .arms = {.melee = {damage_, 10}, .pause = pause_ }                          \
    }
#define GUN(name_, ammo_, rounds_, bullets_, pause_)                                               \
    {                                                                                              \
        .name = name_, .ammo = AMMO_##ammo_, .rounds = rounds_, .arms = {                          \
            .attack = ATTACK_BULLETS,                                                              \
            .volley = bullets_,                                                                    \
            .bullet = {5, 3},                                                                      \
            .pause = pause_                                                                        \
        }                                                                                          \
    }
#define LAUNCHER(name_, ammo_, rounds_, missile_, pause_, distance_)                               \
    {                                                                                              \
        .name = name_, .ammo = AMMO_##ammo_, .rounds = rounds_, .distance = distance_, .arms = {   \
            .attack = ATTACK_MISSILE,                                                              \
            .volley = 1,                                                                           \
            .missile = missile_,                                                                   \
            .pause = pause_                                                                        \
        }                                                                                          \
    }

const WeaponType weapon_table[WEAPON_COUNT] = {
    [WEAPON_FIST] = CLAW("fist", 2, 17),
    [WEAPON_CHAINSAW] = CLAW("chainsaw", 2, 4),
    [WEAPON_BERSERK_FIST] = CLAW("berserk fist", 20, 17),
    [WEAPON_PISTOL] = GUN("pistol", BULLETS, 1, 1, 14),
    [WEAPON_SHOTGUN] = GUN("shotgun", SHELLS, 1, 7, 37),
    [WEAPON_CHAINGUN] = GUN("chaingun", BULLETS, 1, 1, 4),
    [WEAPON_SUPER_SHOTGUN] = GUN("super shotgun", SHELLS, 2, 20, 57),
    [WEAPON_ROCKET_LAUNCHER] = LAUNCHER("rocket launcher", ROCKETS, 1, THING_ROCKET, 20, 256),
    [WEAPON_PLASMA_RIFLE] = LAUNCHER("plasma rifle", CELLS, 1, THING_PLASMA, 3, 0),
    [WEAPON_BFG] = LAUNCHER("bfg 9000", CELLS, 40, THING_BFG_BALL, 60, 384),
};

const uint16_t weapon_ammo_limits[AMMO_COUNT] = {
    [AMMO_BULLETS] = 200, [AMMO_SHELLS] = 50, [AMMO_ROCKETS] = 50, [AMMO_CELLS] = 300};

/* dice.h - chance without a state.
 *
 * A roll is a pure function of the world's seed, the tick, the entity and the purpose. So it does
 * not matter in which order, or on which thread, entities roll; nothing has to be saved to rewind;
 * and adding a roll somewhere changes no other. */
#ifndef FREEDOOM_DICE_H
#define FREEDOOM_DICE_H

#include <stdint.h>

/* What a roll is for: two rolls of one entity in one tick must not be the same. Some have numbers
 * after them left free, for the bullets of one shot. */
enum {
    DICE_SPAWN,
    DICE_DIRECTION,
    DICE_STEPS,
    DICE_COOLDOWN,
    DICE_BITE,
    DICE_IMPACT,
    DICE_PAIN,
    DICE_GRUDGE,
    DICE_RISE,
    DICE_LIGHT,
    DICE_AIM = 32,    /* 32 */
    DICE_BULLET = 64, /* 32 */
};

typedef struct Dice {
    uint64_t seed; /* of the world */
    uint32_t tick;
} Dice;

/* A bijection of 64 bits in which every bit of the input moves every bit of the output. */
static inline uint64_t dice_mix(uint64_t x)
{
    x ^= x >> 30;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 27;
    x *= UINT64_C(0x94d049bb133111eb);
    x ^= x >> 31;
    return x;
}

static inline uint32_t dice_bits(Dice dice, uint32_t entity_index, uint32_t purpose)
{
    uint64_t who = ((uint64_t)entity_index << 8) | purpose;
    uint64_t when = (uint64_t)dice.tick * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(dice_mix(dice_mix(dice.seed ^ when) + who) >> 32);
}

/* A number from 0 to sides - 1. */
static inline uint32_t dice_roll(Dice dice, uint32_t entity_index, uint32_t purpose, uint32_t sides)
{
    return (uint32_t)(((uint64_t)dice_bits(dice, entity_index, purpose) * sides) >> 32);
}

#endif

/* scene.c: what all scenes use: clock, random numbers, populations. */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#endif

#include "scene.h"
#include "meter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double scene_clock(void)
{
    struct timespec now;
#if defined(CLOCK_MONOTONIC)
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
#else
    (void)timespec_get(&now, TIME_UTC);
#endif
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void scene_start(scene_run* run)
{
    run->started = scene_clock();
}

void scene_stop(scene_run* run)
{
    run->seconds += scene_clock() - run->started;
}

void scene_check(bool held, const char* what)
{
    if (!held) {
        fprintf(stderr, "bench: a scene failed: %s\n", what);
        abort();
    }
}

void* scene_alloc(size_t count, size_t size)
{
    void* memory = meter_outside_alloc(count * size + 1);
    scene_check(memory != NULL, "memory");
    memset(memory, 0xa5, count * size + 1);
    return memory;
}

int scene_compare(const void* a, const void* b)
{
    double x = *(const double*)a;
    double y = *(const double*)b;
    return (x > y) - (x < y);
}

void scene_free(void* memory)
{
    meter_outside_free(memory);
}

uint32_t* scene_shuffled(uint32_t count, uint64_t seed)
{
    uint32_t* list = scene_alloc(count, sizeof(uint32_t));
    for (uint32_t k = 0; k < count; k++) {
        uint32_t other = (uint32_t)(scene_random(&seed) % (k + 1));
        list[k] = list[other];
        list[other] = k;
    }
    return list;
}

void scene_shuffle(void* items, uint32_t count, size_t size)
{
    uint32_t* order = scene_shuffled(count, SCENE_SEED);
    unsigned char* from = memcpy(scene_alloc(count, size), items, count * size);
    for (uint32_t k = 0; k < count; k++) {
        memcpy((unsigned char*)items + k * size, from + order[k] * size, size);
    }
    scene_free(from);
    scene_free(order);
}

uint32_t scene_divisor = 1;

uint32_t scene_rounds(uint32_t count, uint32_t operations)
{
    operations /= scene_divisor;
    return count < operations ? operations / count : 1;
}

uint32_t* scene_movers(const scene_run* run, uint32_t* mover_count)
{
    scene_row row = run->row;
    uint32_t count = run->count;
    uint64_t state = SCENE_SEED;
    uint32_t* list = scene_alloc(count, sizeof(uint32_t));
    uint32_t found = 0;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t draw = (uint32_t)(scene_random(&state) >> 32) % 100;
        if (row == SCENE_move_second      ? k % 2 == 0
            : row == SCENE_move_random_1  ? draw < 1
            : row == SCENE_move_toggled   ? draw < 1
            : row == SCENE_move_random_50 ? draw < 50
            : row == SCENE_has_random     ? draw < 50
            : row == SCENE_has_checked    ? draw < 50
                                          : true) {
            list[found++] = k;
        }
    }
    if (row == SCENE_move_random_50) {
        for (uint32_t k = found; k > 1; k--) {
            uint32_t other = (uint32_t)(scene_random(&state) % k);
            uint32_t kept = list[k - 1];
            list[k - 1] = list[other];
            list[other] = kept;
        }
    }
    *mover_count = found;
    return list;
}

#define SCENE_SWAPS 8

scene_swaps scene_swaps_create(const scene_run* run, const uint32_t* movers, uint32_t mover_count)
{
    uint32_t count = run->count;
    scene_swaps swaps = {NULL, 0};
    if (run->row != SCENE_move_toggled) {
        return swaps;
    }
    swaps.half = mover_count / 2;
    uint32_t length = (SCENE_SWAPS + 2) * swaps.half;
    uint32_t* order = scene_shuffled(count, SCENE_SEED);
    bool* moves = memset(scene_alloc(count, sizeof(bool)), 0, count * sizeof(bool));
    swaps.list = scene_alloc(length, sizeof(uint32_t));
    for (uint32_t k = 0; k < mover_count; k++) {
        moves[movers[k]] = true;
    }
    uint32_t held = 0; /* movers in the list: in front, in random order */
    uint32_t free = 2 * swaps.half;
    for (uint32_t k = 0; k < count; k++) {
        if (moves[order[k]] && held < 2 * swaps.half) {
            swaps.list[held++] = order[k];
        } else if (!moves[order[k]] && free < length) {
            swaps.list[free++] = order[k];
        }
    }
    scene_check(held == 2 * swaps.half && free == length, "enough entities to toggle");
    scene_free(moves);
    scene_free(order);
    return swaps;
}

scene_swap scene_swaps_at(const scene_swaps* swaps, uint32_t round)
{
    round %= 2 * SCENE_SWAPS;
    bool back = round >= SCENE_SWAPS;
    uint32_t which = back ? 2 * SCENE_SWAPS - 1 - round : round;
    const uint32_t* one = swaps->list + (size_t)which * swaps->half;
    const uint32_t* other = one + 2 * (size_t)swaps->half;
    scene_swap swap = {back ? other : one, back ? one : other, swaps->half};
    return swap;
}

uint64_t scene_body_sum(uint32_t number, const Position* p, const Data* d, const Health* h,
                        const Sprite* s)
{
    uint64_t sum = scene_sum(number, p->x) + 3 * scene_sum(number, p->y);
    sum += 5 * scene_sum(number, d->sum) + (uint64_t)(uint32_t)(d->number * 7 + d->thing);
    if (h != NULL) {
        sum += 11 * scene_sum(number, (float)h->points) + (uint32_t)h->status;
    }
    if (s != NULL) {
        sum += 13 * (uint64_t)(uint32_t)s->character;
    }
    return sum;
}

int32_t* scene_frame_create(void)
{
    size_t size = SCENE_FRAME_SIZE * SCENE_FRAME_SIZE * sizeof(int32_t);
    return memset(scene_alloc(1, size), 0, size);
}

uint64_t scene_frame_sum(const int32_t* frame)
{
    uint64_t sum = 0;
    for (uint32_t k = 0; k < SCENE_FRAME_SIZE * SCENE_FRAME_SIZE; k++) {
        sum += (2 * (uint64_t)k + 1) * (uint32_t)frame[k];
    }
    return sum;
}

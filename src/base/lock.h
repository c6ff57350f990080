/* lock.h: a spin lock. It never calls the operating system. */
#ifndef SETTI_LOCK_H
#define SETTI_LOCK_H

#include "base/common.h"

/* A spin lock for short, rarely contended sections. Zero is unlocked. */
typedef struct setti_lock {
    volatile long taken;
} setti_lock;

void setti_lock_take(setti_lock* lock);
void setti_lock_release(setti_lock* lock);

/* Tells the processor that a loop spins. */
void setti_lock_pause(void);

#endif

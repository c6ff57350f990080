/* guess.h: "did you mean": the existing name that is most similar to an unknown one.
 *
 *     setti_guess guess = setti_guess_begin("Positoin", 8);
 *     setti_guess_try(&guess, "Position");                      each name that exists
 *     setti_guess_text(&guess)                                  " - did you mean \"Position\"?"
 */
#ifndef SETTI_GUESS_H
#define SETTI_GUESS_H

#include "base/common.h"

/* Longer names are like no other. */
#define SETTI_GUESS_LENGTH 32

typedef struct setti_guess {
    const char* wrong;
    size_t length;
    const char* found; /* NULL: none is alike */
    uint32_t distance; /* of `found`; at first too large to be alike */
    char text[SETTI_GUESS_LENGTH + 32];
} setti_guess;

setti_guess setti_guess_begin(const char* wrong, size_t length);
/* Takes the name if it is more alike than those before. */
void setti_guess_try(setti_guess* guess, const char* name);

/* What a message ends with; "" if no name is alike. Valid as long as `guess`. */
const char* setti_guess_text(setti_guess* guess);

#endif

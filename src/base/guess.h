/* guess.h: "did you mean": finds the known name most similar to an unknown name.
 *
 *     setti_guess guess = setti_guess_begin("Positoin", 8);
 *     setti_guess_try(&guess, "Position");                      for each known name
 *     setti_guess_text(&guess)                                  " - did you mean \"Position\"?"
 */
#ifndef SETTI_GUESS_H
#define SETTI_GUESS_H

#include "base/common.h"

#define SETTI_GUESS_LENGTH 32 /* longer names are not compared */

typedef struct setti_guess {
    const char* wrong;
    size_t length;
    const char* found; /* the most similar name so far, or NULL */
    /* Number of edits from `wrong` to `found`. At first, 1 + the most edits of a similar name. */
    uint32_t distance;
    char text[SETTI_GUESS_LENGTH + 32];
} setti_guess;

/* Begins the search for a name that is similar to `wrong`. */
setti_guess setti_guess_begin(const char* wrong, size_t length);
/* Keeps `name` if it is more similar than all names before. */
void setti_guess_try(setti_guess* guess, const char* name);

/* Returns a text to append to a message, or "" if no name is similar. */
const char* setti_guess_text(setti_guess* guess);

#endif

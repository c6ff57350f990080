/* guess.c: finds similar names. See guess.h.
 *
 * The workload: a message compares an unknown name with some hundred known names. An edit leaves
 * out, adds or replaces a letter, or exchanges two adjacent letters. Case does not count. Two names
 * are similar if no more edits than these lead from one to the other:
 *
 *     letters  2 to 4  5 to 7  8 to 32
 *     edits       1       2       3
 */
#include "base/guess.h"

#include <stdio.h>
#include <string.h>

static char guess_lower(char c)
{
    if (c >= 'A' && c <= 'Z') {
        return (char)(c - 'A' + 'a');
    }
    return c;
}

/* Returns the number of edits between two names (optimal string alignment). */
SETTI_COLD static uint32_t guess_distance(const char* a, size_t a_length, const char* b,
                                          size_t b_length)
{
    /* rows[i % 3][k] is the distance from the first i letters of `a` to the first k letters of
     * `b` */
    uint32_t rows[3][SETTI_GUESS_LENGTH + 1];
    SETTI_ASSERT(a_length <= SETTI_GUESS_LENGTH && b_length <= SETTI_GUESS_LENGTH);
    for (size_t k = 0; k <= b_length; k++) { /* k added letters */
        rows[0][k] = (uint32_t)k;
    }
    for (size_t i = 1; i <= a_length; i++) {
        uint32_t* row = rows[i % 3];
        const uint32_t* row_before = rows[(i + 2) % 3];     /* row i - 1 */
        const uint32_t* row_two_before = rows[(i + 1) % 3]; /* row i - 2 */
        row[0] = (uint32_t)i;
        for (size_t k = 1; k <= b_length; k++) {
            char x = guess_lower(a[i - 1]);
            char y = guess_lower(b[k - 1]);
            uint32_t least = SETTI_MIN(row_before[k], row[k - 1]) + 1; /* left out or added */
            /* equal or replaced */
            least = SETTI_MIN(least, row_before[k - 1] + (x != y ? 1u : 0u));
            if (i > 1 && k > 1) {
                bool exchanged = x == guess_lower(b[k - 2]) && y == guess_lower(a[i - 2]);
                if (exchanged) {
                    least = SETTI_MIN(least, row_two_before[k - 2] + 1);
                }
            }
            row[k] = least;
        }
    }
    return rows[a_length % 3][b_length];
}

SETTI_COLD setti_guess setti_guess_begin(const char* wrong, size_t length)
{
    setti_guess guess = {.wrong = wrong, .length = length};
    if (length <= SETTI_GUESS_LENGTH) {
        /* the table at the head of this file */
        uint32_t most_edits = (uint32_t)SETTI_MIN((length + 1) / 3, (size_t)3);
        guess.distance = most_edits + 1; /* setti_guess_try takes only names with fewer edits */
    }
    return guess;
}

void setti_guess_try(setti_guess* guess, const char* name)
{
    size_t length = strlen(name);
    size_t difference = SETTI_MAX(length, guess->length) - SETTI_MIN(length, guess->length);
    if (length > SETTI_GUESS_LENGTH || difference >= guess->distance) {
        return; /* each letter more or less is an edit: too many edits */
    }
    if (length == guess->length && memcmp(name, guess->wrong, length) == 0) {
        return; /* an equal name is not a misspelling */
    }
    uint32_t distance = guess_distance(guess->wrong, guess->length, name, length);
    if (distance < guess->distance) {
        guess->distance = distance;
        guess->found = name;
    }
}

const char* setti_guess_text(setti_guess* guess)
{
    guess->text[0] = '\0';
    if (guess->found != NULL) {
        snprintf(guess->text, sizeof(guess->text), " - did you mean \"%s\"?", guess->found);
    }
    return guess->text;
}

/* fault.h - the one sentence that says what is wrong.
 *
 * Reading a file of unknown origin fails in hundreds of places, and each has to tell the user which
 * file, what and where. A function that can fail returns bool and takes a Fault; the one who finds
 * the trouble writes the sentence, and all callers just hand the `false` on. */
#ifndef FREEDOOM_FAULT_H
#define FREEDOOM_FAULT_H

#include <stdbool.h>

typedef struct Fault {
    char text[400]; /* one line, no newline at its end */
} Fault;

#if defined(__GNUC__)
#define FAULT_PRINTF_LIKE __attribute__((format(printf, 2, 3)))
#else
#define FAULT_PRINTF_LIKE
#endif

/* Writes the sentence. Returns false always, so that a check can be `return fault_set(...)`. */
FAULT_PRINTF_LIKE bool fault_set(Fault* fault, const char* format, ...);

#endif

/* reference.h: the textbook storages, kept small, for Sett's to be measured beside. One component
 * type, entities are numbers below a limit, and nothing is checked but presence.
 *
 *     linear       a value for every number, and a byte or a bit that says whether it is there
 *     sparse set   numbers and values without gaps, and where each number's are; the last one
 *                  fills the hole of one that goes
 *     ordered      the same, but whatever lies behind a hole moves up at once
 *     dictionary   a table by hash, open addressing, at most half full
 */
#ifndef BENCH_REFERENCE_H
#define BENCH_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum reference_kind {
    REFERENCE_LINEAR_BYTES,
    REFERENCE_LINEAR_BITS,
    REFERENCE_SPARSE_SET,
    REFERENCE_ORDERED,
    REFERENCE_DICTIONARY,
    REFERENCE_KINDS
} reference_kind;

extern const char* const reference_names[REFERENCE_KINDS];

typedef struct reference {
    reference_kind kind;
    uint32_t size;         /* of a value, in bytes */
    uint32_t limit;        /* numbers are below it */
    uint32_t count;        /* values that are there */
    uint32_t capacity;     /* values, or slots, that there is room for */
    unsigned char* values; /* by number (linear), row (sets) or slot (dictionary) */
    unsigned char* flags;  /* by number: a byte or a bit each */
    uint32_t* rows;        /* by number: row + 1, 0 if it is not there */
    uint32_t* numbers;     /* by row; by slot: number + 1, 0 if the slot is free */
    size_t bytes;          /* of all arrays */
} reference;

void reference_init(reference* ref, reference_kind kind, uint32_t size, uint32_t limit);
void reference_deinit(reference* ref);

/* The value of a number, NULL if it has none. */
void* reference_find(const reference* ref, uint32_t number);

/* A zeroed value for a number that has none. */
void* reference_add(reference* ref, uint32_t number);

/* Takes the value of a number that has one. */
void reference_remove(reference* ref, uint32_t number);

/* Adds 1 to the float with which every value begins. */
void reference_visit(reference* ref);

#endif

/* compare.h: finds all differences between the two sides of a view: SETTI_BEFORE, SETTI_AFTER. */
#ifndef SETTI_COMPARE_H
#define SETTI_COMPARE_H

#include "state/view.h"

/* The rows that differ in a page of an array. */
#define SETTI_COMPARE_WORDS 16
typedef struct setti_compare_rows {
    uint64_t bits[SETTI_COMPARE_WORDS]; /* a bit for each row, set if the row differs */
    uint32_t words;
    uint32_t first;              /* entity index of the first row */
    const unsigned char* before; /* the page on side SETTI_BEFORE */
    const unsigned char* after;  /* the page on side SETTI_AFTER */
    const uint32_t* generation;  /* the generation of each row's entity */
} setti_compare_rows;

/* Calls the macro loop(size). Usual sizes are constants: the compiler makes a loop for each. */
#define SETTI_COMPARE_BY_SIZE(size, loop)                                                          \
    ((size) == 4    ? loop(4)                                                                      \
     : (size) == 8  ? loop(8)                                                                      \
     : (size) == 12 ? loop(12)                                                                     \
     : (size) == 16 ? loop(16)                                                                     \
     : (size) == 24 ? loop(24)                                                                     \
     : (size) == 1  ? loop(1)                                                                      \
     : (size) == 2  ? loop(2)                                                                      \
                    : loop(size))

/* Receives all differences. */
typedef struct setti_compare_sink {
    /* Gets the rows of arrays that differ, if the same entity has a value on both sides. These rows
     * are not passed to value(). If this callback is NULL, value() gets them. */
    void (*rows)(struct setti_compare_sink* sink, setti_compare_rows* rows);
    /* Gets the entities at an index. `ended` is NULL if side SETTI_BEFORE has no entity there,
     * `begun` is NULL if side SETTI_AFTER has none. This callback may be NULL. */
    void (*entity)(struct setti_compare_sink* sink, const sett_entity* ended,
                   const sett_entity* begun);
    /* Gets the entities and values at an index on both sides. On a side without an entity, the
     * entity is null. On a side without a value, the value is NULL. */
    void (*value)(struct setti_compare_sink* sink, sett_entity entity_before, const void* before,
                  sett_entity entity_after, const void* after);
} setti_compare_sink;

/* A set of entity indices. Clearing the set writes `used` only. */
typedef struct setti_marks {
    uint64_t* word; /* a bit for each index; words that are not in use can have any bits */
    uint64_t* used; /* a bit for each word that is in use */
    size_t words;
} setti_marks;

typedef struct setti_compare {
    setti_view* view;
    setti_marks bits;   /* indices that may differ */
    setti_marks begun;  /* indices of entities that only side SETTI_AFTER has */
    setti_marks marked; /* a set for the caller's use */
    bool all;           /* value() also gets marked indices with equal values */
    bool same;          /* during a call of value(): the two values are equal */
    setti_compare_sink* sink;
} setti_compare;

/* Allocates the sets. Returns false if memory runs out. */
bool setti_compare_init(setti_view* view, setti_compare* compare);

void setti_compare_deinit(setti_compare* compare);

/* Reports entities that differ, ascending. */
void setti_compare_entities(setti_compare* compare);
/* Reports a type's values that differ, ascending by entity. */
void setti_compare_type(setti_compare* compare, const setti_type* type);

/* The two steps of setti_compare_type: marks the indices that may differ, then reports them. */
void setti_compare_mark(setti_compare* compare, const setti_type* type);
void setti_compare_notify(setti_compare* compare, const setti_type* type);

/* Returns true if values of a type may differ. */
bool setti_compare_concerns(setti_compare* compare, const setti_type* type);

void setti_marks_clear(setti_marks* marks);

/* Adds the indices of another set of the same size. */
void setti_marks_join(setti_marks* marks, const setti_marks* added);

/* Returns the address of a word. The word is in use from now on. */
static inline uint64_t* setti_marks_word(setti_marks* marks, size_t number)
{
    uint64_t* used = &marks->used[number / 64];
    uint64_t bit = (uint64_t)1 << (number % 64);
    if ((*used & bit) == 0) {
        *used |= bit;
        marks->word[number] = 0;
    }
    return &marks->word[number];
}

static inline void setti_marks_add(setti_marks* marks, uint32_t index)
{
    *setti_marks_word(marks, index / 64) |= (uint64_t)1 << (index % 64);
}

/* Moves *index to the next index of the set. *index is SETTI_NONE before the first call. Returns
 * false at the end. */
bool setti_marks_next(const setti_marks* marks, uint32_t* index);

#endif

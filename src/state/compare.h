/* compare.h: all that differs between the two sides of a view. */
#ifndef SETTI_COMPARE_H
#define SETTI_COMPARE_H

#include "state/view.h"

/* Rows of a page of an array of which bytes differ: of the same entities on both sides. */
#define SETTI_COMPARE_WORDS 16
typedef struct setti_compare_rows {
    uint64_t bits[SETTI_COMPARE_WORDS]; /* which; of `words` words */
    uint32_t words;
    uint32_t first; /* entity index of the first row */
    const unsigned char* was;
    const unsigned char* is;
    const uint32_t* generation;
} setti_compare_rows;

/* Receives all differences. Handles are null and values NULL on the side where they do not exist;
 * an index with another entity is reported as destroyed and created. */
typedef struct setti_compare_sink {
    /* Or NULL: values of an array that are on both sides, instead of value(), while the type is
     * marked; ascending. Their bytes differ, and their content need not: `bits` may be changed. */
    void (*rows)(struct setti_compare_sink* sink, setti_compare_rows* rows);
    void (*entity)(struct setti_compare_sink* sink, const sett_entity* ended,
                   const sett_entity* begun);
    void (*value)(struct setti_compare_sink* sink, sett_entity was, const void* before,
                  sett_entity is, const void* after);
} setti_compare_sink;

/* A set of entity indices. Clearing it, or visiting what is in it, costs time for the indices that
 * are in it, and a look at each word of `live`, of which a world has one for 4,096 indices. */
typedef struct setti_marks {
    uint64_t* word; /* a bit an index; not written where `live` has no bit */
    uint64_t* live; /* a bit a word */
    size_t words;
} setti_marks;

typedef struct setti_compare {
    setti_view* view;
    setti_marks bits;   /* what may differ */
    setti_marks begun;  /* the entities that begin at their index */
    setti_marks marked; /* room for the caller's own marks */
    bool all;           /* report candidates also where they are equal */
    bool same;          /* what is being reported is equal */
    setti_compare_sink* sink;
} setti_compare;

/* Makes room; false when memory runs out. The sink is set by the caller, at any time. */
bool setti_compare_init(setti_view* view, setti_compare* compare);

void setti_compare_deinit(setti_compare* compare);

/* Passes all entities to the sink, ascending; afterwards a type's values, ascending by entity. */
void setti_compare_entities(setti_compare* compare);
void setti_compare_type(setti_compare* compare, const setti_type* type);

/* The latter in two steps, for callers that add marks: add the candidate indices of a type to
 * `bits`; then report those in `bits`. */
void setti_compare_mark(setti_compare* compare, const setti_type* type);
void setti_compare_notify(setti_compare* compare, const setti_type* type);

/* Whether anything of a type may differ: a page does, or how many rows are in use. */
bool setti_compare_concerns(setti_compare* compare, const setti_type* type);

void setti_marks_clear(setti_marks* marks);

/* Adds all that is in another set. */
void setti_marks_join(setti_marks* marks, const setti_marks* from);

/* The word of a number, for adding to it. */
static inline uint64_t* setti_marks_word(setti_marks* marks, size_t number)
{
    uint64_t* live = &marks->live[number / 64];
    uint64_t bit = (uint64_t)1 << (number % 64);
    if ((*live & bit) == 0) {
        *live |= bit;
        marks->word[number] = 0;
    }
    return &marks->word[number];
}

static inline void setti_marks_add(setti_marks* marks, uint32_t index)
{
    *setti_marks_word(marks, index / 64) |= (uint64_t)1 << (index % 64);
}

/* Goes to the next index behind *index, which starts at SETTI_NONE; false at the end. */
bool setti_marks_next(const setti_marks* marks, uint32_t* index);

#endif

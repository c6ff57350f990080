/* gather.h: copies of values that a loop works on, because their rows lie in another order than the
 * loop's. They are written back when a batch ends. Until then the copy is the value: access by
 * handle is led there (setti_storage_find), and so are loops within the loop.
 *
 * Invariant:  storage.gather is the list of open gathers of its values, the latest first;
 *             an entity whose row is in `rows` has its value in each of their copies that is used
 */
#ifndef SETTI_GATHER_H
#define SETTI_GATHER_H

#include "store/storage.h"

/* Rows of a step in which fields are gathered: few, so that the copies stay in the first-level
 * cache, and enough to spread what a batch costs (about 40 ns) thin. */
#define SETTI_GATHER_ROWS 128

/* The copies of one type's values. */
typedef struct setti_gather {
    struct setti_gather* outer; /* the storage's gather of the loop opened before, or NULL */
    setti_storage* storage;     /* the values that were copied */
    const struct setti_gather_scratch* scratch;
    unsigned char* values; /* the copies, by row of the step */
    uint32_t term;         /* the number of the query's term that reads or writes them */
    bool used; /* the batch works on the copies; false: the rows lie in the batch's order already */
} setti_gather;

/* The memory of a loop that gathers, and the position of its batch. It is separate from the batch,
 * which no longer exists if its function returned without closing the loop. */
typedef struct setti_gather_scratch {
    struct setti_gather_scratch* next;  /* in the list of the query or job whose loop this is */
    struct setti_gather_scratch** link; /* the pointer that leads here */
    const setti_storage* driver; /* the sparse set whose rows are the loop's; NULL: indices are */
    uint32_t base;               /* the first row of the step */
    uint32_t size;               /* bytes of the scratch, with `gathers` and their copies */
    uint32_t align;              /* the alignment that it was allocated with */
    uint32_t count;              /* entries of `gathers` */
    uint64_t rows[SETTI_GATHER_ROWS / 64]; /* rows of the step that are in the batch */
    setti_gather gathers[];                /* of the types that the loop writes */
} setti_gather_scratch;

/* Makes the scratch the latest of `list`. */
void setti_gather_open(setti_gather_scratch* scratch, setti_gather_scratch** list);

/* Access to the storage's values now uses the copies in `values`. */
void setti_gather_add(setti_gather_scratch* scratch, setti_storage* storage, unsigned char* values,
                      uint32_t term);

/* Ends the redirection, without writing back. */
void setti_gather_close(setti_gather_scratch* scratch);

/* The `except` of setti_gather_find for all scratches. */
#define SETTI_GATHER_ANY ((const setti_gather_scratch*)NULL)

/* The latest copy of the entity's value in a scratch other than `except`; NULL if there is none. */
void* setti_gather_find(const setti_storage* storage, const setti_gather_scratch* except,
                        uint32_t index);

#endif
